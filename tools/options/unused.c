/* SPDX-License-Identifier: MIT */
/*
 * Options that mean nothing to what the words name: they are not wrong, one line of options may
 * serve for all collectives, but whoever gives --op to a broadcast expects something of it.
 * Defaults from the environment are for all: where they mean nothing they are not even looked at.
 */
#include "options/options.h"

#include <stdio.h>
#include <string.h>

static bool is_rooted(const struct logp_collective *c)
{
    return c->rooted;
}

static bool has_bytes(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_BYTES;
}

static bool has_count(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_VECTOR || c->operands == LOGP_OPERANDS_TOTAL;
}

bool takes_blocks(const struct logp_collective *c)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        if (a->any_blocks)
            return true;
    return false;
}

static bool has_matrix(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_MATRIX;
}

static bool has_type(const struct logp_collective *c)
{
    return has_count(c) || has_matrix(c);
}

/* Has any algorithm of the collective this knob? Of a tree that is shown, where none is named, the
 * optimal one. */
static bool has_knob(const struct options *o, const struct logp_collective *c,
                     const struct logp_knob *knob)
{
    const struct logp_algorithm *a = logp_algorithm_find(c->name, "optimal");
    bool has = false;

    if ((o->sets & OPTIONS_TREE) != 0 && a != NULL && !option_given("algo"))
        return logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL);
    for (size_t i = 0; !has && (a = logp_algorithm_at(c->name, i)) != NULL; i++)
        has = logp_algorithm_knob(a, knob, 0, NULL, NULL, NULL);
    return has;
}

/* What the words name. NULL: nothing that options could mean something to */
static const struct logp_collective *named(const struct options *o)
{
    return (o->sets & OPTIONS_MODEL) != 0 && o->n_words > 1 ? logp_collective_find(o->words[1])
                                                            : NULL;
}

static bool has_counts(const struct options *o)
{
    return o->n_counts > 0 && named(o) != NULL && takes_blocks(named(o));
}

/* A plugin is given all parameters, and has rules of its own. */
static bool is_plain(const struct options *o)
{
    return o->params.G_ps > 0 && o->ignores_G && o->plugin == NULL;
}

static bool is_free(const struct options *o)
{
    return !o->emulated && o->plugin == NULL;
}

static bool has_plugin(const struct options *o)
{
    return o->plugin != NULL;
}

static bool is_unmeasured_paper(const struct options *o)
{
    return (o->sets & OPTIONS_PAPER) != 0 && o->clock == LOGP_CLOCK_VIRTUAL;
}

/* Who has a use for it; what is neither here nor a knob means something to all commands that take
 * it. */
static const struct {
    const char *option;
    bool (*means_something)(const struct logp_collective *); /* NULL: to all */
    unsigned except;                                         /* not to these commands */
    bool (*idle)(const struct options *o);                   /* NULL; or nothing beside what */
    const char *beside;                                      /* this option says */
} limited[] = {
    {"root", is_rooted, 0, NULL, NULL},
    {"bytes", has_bytes, 0, NULL, NULL},
    {"count", has_count, 0, NULL, NULL},
    {"counts", takes_blocks, 0, NULL, NULL},
    {"bytes", NULL, 0, has_counts, "counts"},
    {"count", NULL, 0, has_counts, "counts"},
    {"op", has_count, OPTIONS_TREE, NULL, NULL},
    {"type", has_type, 0, NULL, NULL},
    {"gamma", has_count, 0, NULL, NULL},
    {"rows", has_matrix, 0, NULL, NULL},
    {"cols", has_matrix, 0, NULL, NULL},
    {"packing", has_matrix, 0, NULL, NULL},
    {"plugin", NULL, OPTIONS_PAPER, NULL, NULL},
    {"L", NULL, 0, is_free, "delay"},
    {"o", NULL, 0, is_free, "delay"},
    {"o-send", NULL, 0, is_free, "delay"},
    {"o-recv", NULL, 0, is_free, "delay"},
    {"g", NULL, 0, is_free, "delay"},
    {"G", NULL, 0, is_free, "delay"},
    {"gap", NULL, 0, is_free, "delay"},
    {"capacity", NULL, 0, is_free, "delay"},
    {"G", NULL, 0, is_plain, "delay"},
    {"delay", NULL, 0, has_plugin, "plugin"},
    {"reps", NULL, 0, is_unmeasured_paper, "clock"},
    {"warmup", NULL, 0, is_unmeasured_paper, "clock"},
};

enum { N_LIMITED = sizeof(limited) / sizeof(limited[0]) };

static bool matters(int i, const struct options *o)
{
    const struct logp_collective *c = named(o);

    return (o->sets & limited[i].except) == 0 &&
           (c == NULL || limited[i].means_something == NULL || limited[i].means_something(c));
}

bool option_matters(const char *name, const struct options *o)
{
    const struct logp_knob *knob = logp_knob_find(name);
    const struct logp_collective *c = named(o);

    if (knob != NULL && c != NULL && !has_knob(o, c, knob))
        return false;
    for (int i = 0; i < N_LIMITED; i++)
        if (strcmp(limited[i].option, name) == 0 && !matters(i, o))
            return false;
    return true;
}

static void say_unused(const struct options *o, const char *option)
{
    char name[32];

    say("%s means nothing to %s%s", option_shown(option, name),
        (o->sets & OPTIONS_TREE) != 0 ? "tree " : "", o->words[1]);
}

void warn_of_unused(const struct options *o)
{
    const struct logp_knob *knob;
    char name[32], beside[32];

    for (size_t i = 0; (knob = logp_knob_at(i)) != NULL; i++)
        if (option_on_command_line(knob->name) && !option_matters(knob->name, o))
            say_unused(o, knob->name);
    for (int i = 0; i < N_LIMITED; i++) {
        if (!option_on_command_line(limited[i].option))
            continue;
        if (!matters(i, o))
            say_unused(o, limited[i].option);
        else if (limited[i].idle != NULL && limited[i].idle(o))
            say("%s means nothing with %s %s", option_shown(limited[i].option, name),
                option_shown(limited[i].beside, beside), option_text(limited[i].beside));
    }
}
