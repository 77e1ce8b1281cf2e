/* SPDX-License-Identifier: MIT */
/* The output formats: a row each, with what shows the answers of the commands in it. --format, its
 * help and what is said of a wrong one come from here. */
#include "options/format.h"

#include "measure/measure.h"
#include "output/output.h"
#include "papers/paper.h"
#include "schedule/schedule.h"
#include "trace/trace.h"
#include "tree/tree.h"
#include "validate/validate.h"

const struct output_format output_formats[] = {
    {.name = "table",
     .suffix = "txt",
     .for_people = true,
     .records = print_table,
     .crossover = print_crossover_table,
     .entries = print_entries_table,
     .steps = &steps_as_text,
     .tree = &tree_as_text,
     .trace = &trace_as_text,
     .paper = print_paper_text,
     .measured = print_measured_table,
     .validated = print_validated_table},
    {.name = "json",
     .suffix = "json",
     .records = print_json,
     .crossover = print_crossover_json,
     .entries = print_entries_json,
     .steps = &steps_as_json,
     .tree = &tree_as_json,
     .trace = &trace_as_json,
     .paper = print_paper_json,
     .measured = print_measured_json,
     .validated = print_validated_json},
    {.name = "csv",
     .suffix = "csv",
     .records = print_csv,
     .crossover = print_crossover_csv,
     .entries = print_entries_csv,
     .tree = &tree_as_csv,
     .paper = print_paper_csv,
     .measured = print_measured_csv,
     .validated = print_validated_csv},
    {.name = "svg",
     .suffix = "svg",
     .draws = true,
     .curves = true,
     .tree = &tree_as_svg,
     .trace = &trace_as_svg,
     .paper = draw_paper},
    {.name = "png", .suffix = "png", .curves = true, .is_binary = true},
    {.name = "pdf", .suffix = "pdf", .curves = true, .is_binary = true},
    {.name = "html", .suffix = "html", .for_people = true, .page = true},
    {.name = "dot", .suffix = "dot", .tree = &tree_as_dot},
    {.name = "text",
     .suffix = "txt",
     .for_people = true,
     .steps = &steps_as_text,
     .tree = &tree_as_text,
     .trace = &trace_as_text},
    {.name = "goal", .suffix = "goal", .steps = &steps_as_goal, .trace = &trace_as_goal},
    {.name = "perfetto", .suffix = "pftrace", .is_binary = true, .trace = &trace_as_perfetto},
    {.name = "machine", .suffix = "machine", .measured = print_measured_machine},
    {0},
};
