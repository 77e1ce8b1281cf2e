/* SPDX-License-Identifier: MIT */
/*
 * Options that the command, the collective or its algorithms cannot use. On the command line they
 * are an error: an answer to another question than the one asked would look like the right one.
 * Defaults from the environment serve all commands: one that is of no use is not even looked at.
 */
#include "question/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_rooted(const struct logp_collective *c)
{
    return c->rooted;
}

static bool has_count(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_VECTOR || c->operands == LOGP_OPERANDS_TOTAL;
}

static bool has_bytes(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_BYTES || has_count(c);
}

bool takes_blocks(const struct logp_collective *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        if (a->any_blocks)
            return true;
    return false;
}

static bool combines_on_all(const struct logp_collective *c)
{
    return c->same_results;
}

static bool has_matrix(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_MATRIX;
}

static bool has_type(const struct logp_collective *c)
{
    return has_count(c) || has_matrix(c);
}

/* Whether any algorithm of the collective has this parameter. */
static bool any_has_knob(const struct logp_collective *c, const struct logp_knob *knob)
{
    const struct logp_algorithm *a;
    bool has = false;

    for (size_t i = 0; !has && (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        has = logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL);
    return has;
}

/* Whether any of the named algorithms has this parameter. True for an unknown name,
 * which is refused elsewhere. */
static bool named_have_knob(const char *names, const struct logp_collective *c,
                            const struct logp_knob *knob)
{
    char *list = need(strdup(names)), *save = NULL;
    bool has = false;

    for (char *name = strtok_r(list, ",", &save); name != NULL; name = strtok_r(NULL, ",", &save)) {
        const struct logp_algorithm *a = logp_algorithm_find(c->name, name);

        has |= a == NULL || logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL);
    }
    free(list);
    return has;
}

/* Whether any algorithm that may be chosen has this parameter. The default for a tree is the
 * optimal algorithm. */
static bool has_knob(const struct question *q, const struct logp_collective *c,
                     const struct logp_knob *knob)
{
    const bool shown_as_tree = (q->line.sets & OPTIONS_TREE) != 0 && !option_given(q, "algo") &&
                               logp_algorithm_find(c->name, "optimal") != NULL;

    if (q->what.list != NULL)
        return false;
    if (shown_as_tree)
        return named_have_knob("optimal", c, knob);
    if (q->what.algorithms == ALGORITHMS_NAMED)
        return named_have_knob(q->what.algorithm_list, c, knob);
    return any_has_knob(c, knob);
}

/* Collective i = 0, 1, ... of those that the words name. NULL: there are no more; or, for i = 0,
 * any collective may be meant. An exported table holds all of them, whatever the words name. */
static const struct logp_collective *named(const struct question *q, int i)
{
    const bool several = (q->line.sets & (OPTIONS_TUNE | OPTIONS_VALIDATE)) != 0;

    if (q->what.list != NULL)
        return i > 0 ? NULL : q->what.as != NULL ? q->what.as : logp_collective_find("schedule");
    if (q->form.export != NULL && *q->form.export != '\0')
        return NULL;
    if ((!several && ((q->line.sets & OPTIONS_MODEL) == 0 || i > 0)) || i + 1 >= q->line.n_words)
        return NULL;
    return logp_collective_find(q->line.words[i + 1]);
}

const struct logp_collective *named_by_words(const struct question *q)
{
    return (q->line.sets & OPTIONS_MODEL) != 0 ? named(q, 0) : NULL;
}

/* ---- options that another option makes idle ---- */

static bool has_counts(const struct question *q)
{
    return q->what.n_counts > 0 && named(q, 0) != NULL && takes_blocks(named(q, 0));
}

static bool has_schedule(const struct question *q)
{
    return q->what.list != NULL;
}

static bool has_no_schedule(const struct question *q)
{
    return q->what.list == NULL;
}

/* A plugin is given all parameters, and has rules of its own. */
static bool is_plain(const struct question *q)
{
    return q->model.network.params.G_ps > 0 && q->model.ignores_G && q->model.plugin == NULL;
}

static bool is_free(const struct question *q)
{
    return !q->model.emulated && q->model.plugin == NULL;
}

static bool has_plugin(const struct question *q)
{
    return q->model.plugin != NULL;
}

static bool is_unmeasured_paper(const struct question *q)
{
    return (q->line.sets & OPTIONS_PAPER) != 0 && q->how.clock == LOGP_CLOCK_VIRTUAL;
}

/* On the virtual clock the placement makes no difference. */
static bool is_placed_in_vain(const struct question *q)
{
    return q->how.clock == LOGP_CLOCK_VIRTUAL && q->how.place != PLACE_BLOCK;
}

static bool is_only_predicted(const struct question *q)
{
    return q->how.only_predicted;
}

/* ---- options that need another option ---- */

static bool is_map_unmeasured(const struct question *q)
{
    return (q->line.sets & OPTIONS_CROSSOVER) != 0 && !q->how.measure;
}

static bool has_no_file(const struct question *q)
{
    return q->form.output == NULL;
}

static bool has_no_picture(const struct question *q)
{
    return q->form.plot == NULL && !q->form.format->draws && !q->form.format->curves;
}

static bool has_no_saved(const struct question *q)
{
    return q->form.against == NULL;
}

static bool has_no_chance(const struct question *q)
{
    return (q->line.sets & (OPTIONS_RUN | OPTIONS_FAULT)) == OPTIONS_FAULT && !is_faulty(q);
}

/* Restricted options, with the commands and collectives that use them. Other options, apart from
 * parameters, are used by all commands that take them. */
static const struct {
    const char *options[12];                         /* up to NULL */
    bool (*used_by)(const struct logp_collective *); /* NULL: all */
    unsigned except;                                 /* not by these commands */
    bool (*idle)(const struct question *q);          /* NULL: never idle */
    const char *beside;                              /* idle if this option is set, */
    const char *without;                             /* or without these options */
} limited[] = {
    {{"root"}, .used_by = is_rooted},
    {{"bytes"}, .used_by = has_bytes},
    {{"count"}, .used_by = has_count},
    {{"counts"}, .used_by = takes_blocks},
    {{"bytes", "count"}, .idle = has_counts, .beside = "counts"},
    {{"op"}, .used_by = has_count, .except = OPTIONS_TREE},
    {{"type"}, .used_by = has_type},
    {{"gamma"}, .used_by = has_count},
    {{"rows", "cols", "packing"}, .used_by = has_matrix},
    {{"same-results"}, .used_by = combines_on_all},
    {{"algo"}, .idle = has_schedule, .beside = "schedule"},
    {{"algo"}, .except = OPTIONS_SEARCH},
    {{"as"}, .idle = has_no_schedule, .without = "--schedule"},
    {{"plugin"}, .except = OPTIONS_PAPER},
    {{"warmup", "progress"}, .except = OPTIONS_MEASURE},
    {{"by"}, .except = OPTIONS_TRACE},
    {{"by", "L", "o", "o-send", "o-recv", "g", "G", "gap", "capacity"},
     .idle = is_free,
     .beside = "delay"},
    {{"G"}, .idle = is_plain, .beside = "delay"},
    {{"delay"}, .idle = has_plugin, .beside = "plugin"},
    {{"reps", "warmup"}, .idle = is_unmeasured_paper, .beside = "clock"},
    {{"clock", "executor", "reps", "warmup", "cores", "place", "queue-limit", "timeout",
      "progress"},
     .idle = is_only_predicted,
     .beside = "predicted"},
    {{"place"}, .idle = is_placed_in_vain, .beside = "clock"},
    {{"clock", "executor", "reps", "warmup", "cores", "place", "queue-limit", "timeout", "seed",
      "precision", "limit"},
     .idle = is_map_unmeasured,
     .without = "--measure"},
    {{"restart"}, .idle = has_no_file, .without = "--output"},
    {{"size", "title", "scale"},
     .idle = has_no_picture,
     .without = "a picture (--output FILE.svg)"},
    {{"fail-on"}, .idle = has_no_saved, .without = "--against"},
    {{"seed"}, .idle = has_no_chance, .without = "--noise or --fault"},
};

enum { N_LIMITED = sizeof(limited) / sizeof(limited[0]) };

/* Whether the command and any of the named collectives use the options of row i. */
static bool is_usable(int i, const struct question *q)
{
    const struct logp_collective *c = named(q, 0);
    bool usable = c == NULL || limited[i].used_by == NULL;

    for (int k = 0; !usable && (c = named(q, k)) != NULL; k++)
        usable = limited[i].used_by(c);
    return usable && (q->line.sets & limited[i].except) == 0;
}

bool option_matters(const char *name, const struct question *q)
{
    const struct logp_knob *knob = logp_knob_find(name);
    const struct logp_collective *c = named(q, 0);

    if (knob != NULL && c != NULL && !has_knob(q, c, knob))
        return false;
    for (int i = 0; i < N_LIMITED; i++)
        for (const char *const *option = limited[i].options; *option != NULL; option++)
            if (strcmp(*option, name) == 0 && !is_usable(i, q))
                return false;
    return true;
}

/* "barrier", "tree broadcast", "tune barrier", "broadcast with --algo flat" */
static struct problem *refuse_unused(const struct question *q, const char *option, bool knob)
{
    const unsigned with_command =
        OPTIONS_TREE | OPTIONS_TUNE | OPTIONS_VALIDATE | OPTIONS_TRACE | OPTIONS_SEARCH;
    const struct logp_collective *c = named(q, 0);
    char name[32], algorithms[MAX_LIST] = "";

    if (knob && q->what.algorithms == ALGORITHMS_NAMED)
        snprintf(algorithms, sizeof(algorithms), " with --algo %s", q->what.algorithm_list);
    return usage_problem("%s%s%s%s does not use %s; remove it",
                         c == NULL || (q->line.sets & with_command) != 0 ? q->line.words[0] : "",
                         c == NULL                            ? ""
                         : (q->line.sets & with_command) != 0 ? " "
                                                              : "",
                         c == NULL ? "" : c->name, algorithms, option_dashed(option, name));
}

/* Whether an option of row i is on the command line, but another option makes it idle. */
static bool is_idle(int i, const char *option, const struct question *q)
{
    return option_on_command_line(q, option) && limited[i].idle != NULL && limited[i].idle(q);
}

static struct problem *refuse_idle(int i, const char *option, const struct question *q)
{
    const char *beside = limited[i].beside;
    char name[32], other[32];
    bool is_flag;

    option_dashed(option, name);
    if (limited[i].without != NULL)
        return usage_problem("%s does not use %s without %s; remove it", q->line.words[0], name,
                             limited[i].without);
    if (q->model.machine != NULL && !option_given(q, beside))
        beside = "machine"; /* which sets it */
    is_flag = strcmp(option_text(q, beside), "on") == 0;
    return usage_problem("%s is not used with %s%s%s; remove one of the two", name,
                         option_shown(q, beside, other), is_flag ? "" : " ",
                         is_flag ? "" : option_text(q, beside));
}

/* Whether an option is idle at all points of a sweep; at some points it may be. */
static struct problem *is_idle_throughout(int i, const char *option, const struct question *q,
                                          bool *idle)
{
    struct question at = *q;

    *idle = is_idle(i, option, q);
    for (int64_t point = 1; *idle && point < sweep_points(q); point++) {
        TRY(resolve_point(&at, point));
        *idle = is_idle(i, option, &at);
    }
    return sweep_points(q) > 1 ? resolve_point(&at, 0) : NULL;
}

struct problem *refuse_unused_options(const struct question *q)
{
    const struct logp_collective *c = named(q, 0);
    const struct logp_knob *knob;

    for (size_t i = 0; c != NULL && (knob = logp_knob_at(i)) != NULL; i++)
        if (option_on_command_line(q, knob->name) && !has_knob(q, c, knob))
            return refuse_unused(q, knob->name, any_has_knob(c, knob));
    for (int i = 0; i < N_LIMITED; i++)
        for (const char *const *option = limited[i].options; *option != NULL; option++)
            if (option_on_command_line(q, *option) && !is_usable(i, q))
                return refuse_unused(q, *option, false);
    for (int i = 0; i < N_LIMITED; i++)
        for (const char *const *option = limited[i].options; *option != NULL; option++) {
            bool idle;

            if (!is_idle(i, *option, q))
                continue;
            TRY(is_idle_throughout(i, *option, q, &idle));
            if (idle)
                return refuse_idle(i, *option, q);
        }
    return NULL;
}

struct problem *refuse_others_than(const struct question *q, const struct names *used,
                                   const char *why)
{
    struct option_facts f;

    for (int i = 0; option_facts(q, i, 0, &f); i++)
        if (option_on_command_line(q, f.option) && find_name(used, f.option) < 0)
            return usage_problem("%s is not used with %s; remove it", f.option, why);
    return NULL;
}
