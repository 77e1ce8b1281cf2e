/* SPDX-License-Identifier: MIT */
/* The table of output formats, with the functions that show the answers of commands in each.
 * --format, its help and its errors come from this table. */
#include "question/question.h"

#include "view/records/records.h"
#include "view/schedule/forms.h"
#include "view/trace/trace.h"
#include "view/views.h"

const struct output_format output_formats[] = {
    {.name = "table",
     .suffix = "txt",
     .for_people = true,
     .records = print_table,
     .form = RECORDS_TABLE,
     .steps = &steps_as_text,
     .tree = &tree_as_text,
     .trace = &trace_as_text,
     .versus = &versus_as_text},
    {.name = "json",
     .suffix = "json",
     .records = print_json,
     .form = RECORDS_JSON,
     .steps = &steps_as_json,
     .tree = &tree_as_json,
     .trace = &trace_as_json,
     .versus = &versus_as_json},
    {.name = "csv",
     .suffix = "csv",
     .records = print_csv,
     .form = RECORDS_CSV,
     .tree = &tree_as_csv},
    {.name = "markdown", .suffix = "md", .records = print_markdown},
    {.name = "latex", .suffix = "tex", .records = print_latex},
    {.name = "svg",
     .suffix = "svg",
     .draws = true,
     .curves = true,
     .tree = &tree_as_svg,
     .trace = &trace_as_svg,
     .versus = &versus_as_svg},
    {.name = "png", .suffix = "png", .curves = true, .is_binary = true},
    {.name = "pdf", .suffix = "pdf", .curves = true, .is_binary = true},
    {.name = "html", .suffix = "html", .for_people = true, .page = true, .versus = &versus_as_html},
    {.name = "dot", .suffix = "dot", .tree = &tree_as_dot},
    {.name = "text",
     .suffix = "txt",
     .for_people = true,
     .steps = &steps_as_text,
     .tree = &tree_as_text,
     .trace = &trace_as_text,
     .versus = &versus_as_text},
    {.name = "goal", .suffix = "goal", .steps = &steps_as_goal, .trace = &trace_as_goal},
    {.name = "goal-bin", .suffix = "bin", .is_binary = true, .steps = &steps_as_goal_binary},
    {.name = "mpi-c", .suffix = "c", .steps = &steps_as_mpi},
    {.name = "perfetto", .suffix = "pftrace", .is_binary = true, .trace = &trace_as_perfetto},
    {.name = "machine", .suffix = "machine", .machine = true},
    {.name = "jsonl", .suffix = "jsonl", .records = print_json, .form = RECORDS_JSONL},
    {0},
};
