/* SPDX-License-Identifier: MIT */
/*
 * Options that the command, the collective or its algorithms cannot use. On the command line they
 * are an error: an answer to another question than the one asked would look like the right one.
 * Defaults from the environment serve all commands: one that is of no use is not even looked at.
 */
#include "question/rows.h"

#include <stdio.h>
#include <string.h>

/* "barrier", "tree broadcast", "tune barrier", "broadcast with --algo flat" */
static struct problem *refuse_unused(const struct question *q, const char *option, bool knob)
{
    const unsigned with_command =
        OPTIONS_TREE | OPTIONS_TUNE | OPTIONS_VALIDATE | OPTIONS_TRACE | OPTIONS_SEARCH;
    const struct logp_collective *c = named_at(q, 0);
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

/* Whether an option of a limit is on the command line, but another option makes it idle. */
static bool is_idle(const struct limit *limit, const char *option, const struct question *q)
{
    return option_on_command_line(q, option) && limit->idle != NULL && limit->idle(q);
}

static struct problem *refuse_idle(const struct limit *limit, const char *option,
                                   const struct question *q)
{
    const char *beside = limit->beside;
    char name[32], other[32];
    bool is_flag;

    option_dashed(option, name);
    if (limit->without != NULL)
        return usage_problem("%s does not use %s without %s; remove it", q->line.words[0], name,
                             limit->without);
    if (q->model.machine != NULL && !option_given(q, beside))
        beside = "machine"; /* which sets it */
    is_flag = strcmp(option_text(q, beside), "on") == 0;
    return usage_problem("%s is not used with %s%s%s; remove one of the two", name,
                         option_shown(q, beside, other), is_flag ? "" : " ",
                         is_flag ? "" : option_text(q, beside));
}

/* Whether an option is idle at all points of a sweep; at some points it may be. */
static struct problem *is_idle_throughout(const struct limit *limit, const char *option,
                                          const struct question *q, bool *idle)
{
    struct question at = *q;

    *idle = is_idle(limit, option, q);
    for (int64_t point = 1; *idle && point < sweep_points(q); point++) {
        TRY(resolve_point(&at, point));
        *idle = is_idle(limit, option, &at);
    }
    return sweep_points(q) > 1 ? resolve_point(&at, 0) : NULL;
}

struct problem *refuse_unused_options(const struct question *q)
{
    const struct logp_collective *c = named_at(q, 0);
    const struct logp_knob *knob;

    for (size_t i = 0; c != NULL && (knob = logp_knob_at(i)) != NULL; i++)
        if (option_on_command_line(q, knob->name) && !has_knob(q, c, knob))
            return refuse_unused(q, knob->name, any_has_knob(c, knob));
    for (const struct limit *limit = limits; *limit->options != NULL; limit++)
        for (const char *const *option = limit->options; *option != NULL; option++)
            if (option_on_command_line(q, *option) && !is_usable(limit, q))
                return refuse_unused(q, *option, false);
    for (const struct limit *limit = limits; *limit->options != NULL; limit++)
        for (const char *const *option = limit->options; *option != NULL; option++) {
            bool idle;

            if (!is_idle(limit, *option, q))
                continue;
            TRY(is_idle_throughout(limit, *option, q, &idle));
            if (idle)
                return refuse_idle(limit, *option, q);
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
