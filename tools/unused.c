/* SPDX-License-Identifier: MIT */
/*
 * Options that mean nothing to what the words name: they are not wrong, one line of options may
 * serve for all collectives, but whoever gives --op to a broadcast expects something of it.
 * Defaults from the environment are for all: where they mean nothing they are not even looked at.
 */
#include "options.h"

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

static bool has_matrix(const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_MATRIX;
}

static bool has_type(const struct logp_collective *c)
{
    return has_count(c) || has_matrix(c);
}

/* A row of the collective. */
static const struct logp_algorithm *next_of(const struct logp_collective *c, size_t *i)
{
    size_t n;
    const struct logp_algorithm *all = logp_algorithms(&n);

    while (*i < n && strcmp(all[*i].collective, c->name) != 0)
        ++*i;
    return *i < n ? &all[(*i)++] : NULL;
}

static bool has_k(const struct logp_collective *c)
{
    const struct logp_algorithm *a;
    bool has = false;

    for (size_t i = 0; (a = next_of(c, &i)) != NULL;)
        has |= a->k != NULL;
    return has;
}

static bool has_window(const struct logp_collective *c)
{
    const struct logp_algorithm *a;
    bool has = false;

    for (size_t i = 0; (a = next_of(c, &i)) != NULL;)
        has |= a->window != NULL;
    return has;
}

static bool has_block(const struct logp_collective *c)
{
    const struct logp_algorithm *a;
    bool has = false;

    for (size_t i = 0; (a = next_of(c, &i)) != NULL;)
        has |= a->block != NULL;
    return has;
}

static bool is_broadcast(const struct logp_collective *c)
{
    return strcmp(c->name, "broadcast") == 0;
}

/* A plugin is given all parameters, and has rules of its own. */
static bool is_plain(const struct options *o)
{
    return o->params.G_ps > 0 && strcmp(o->delay, "logp") == 0 && o->plugin == NULL;
}

static bool is_free(const struct options *o)
{
    return strcmp(o->delay, "none") == 0 && o->plugin == NULL;
}

static bool has_plugin(const struct options *o)
{
    return o->plugin != NULL;
}

static bool is_unmeasured_paper(const struct options *o)
{
    return (o->sets & OPTIONS_PAPER) != 0 && o->clock == LOGP_CLOCK_VIRTUAL;
}

/* Who has a use for it; what is not here means something to all commands that take it. */
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
    {"op", has_count, OPTIONS_TREE, NULL, NULL},
    {"type", has_type, 0, NULL, NULL},
    {"gamma", has_count, 0, NULL, NULL},
    {"rows", has_matrix, 0, NULL, NULL},
    {"cols", has_matrix, 0, NULL, NULL},
    {"packing", has_matrix, 0, NULL, NULL},
    {"pack", has_matrix, 0, NULL, NULL},
    {"window", has_window, 0, NULL, NULL},
    {"k", has_k, 0, NULL, NULL},
    {"block", has_block, OPTIONS_TREE, NULL, NULL},
    {"overlap", has_block, OPTIONS_TREE, NULL, NULL},
    {"work", is_broadcast, 0, NULL, NULL},
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
    const struct logp_collective *c = NULL;

    if ((o->sets & OPTIONS_MODEL) != 0 && o->n_words > 1)
        c = logp_collective_find(o->words[1]);
    return (o->sets & limited[i].except) == 0 &&
           (c == NULL || limited[i].means_something == NULL || limited[i].means_something(c));
}

bool option_matters(const char *name, const struct options *o)
{
    for (int i = 0; i < N_LIMITED; i++)
        if (strcmp(limited[i].option, name) == 0 && !matters(i, o))
            return false;
    return true;
}

void warn_of_unused(const struct options *o)
{
    const bool tree = (o->sets & OPTIONS_TREE) != 0;
    char name[32], beside[32];

    for (int i = 0; i < N_LIMITED; i++) {
        if (!option_on_command_line(limited[i].option))
            continue;
        option_shown(limited[i].option, name);
        if (!matters(i, o))
            fprintf(stderr, "logp: %s means nothing to %s%s\n", name, tree ? "tree " : "",
                    o->words[1]);
        else if (limited[i].idle != NULL && limited[i].idle(o))
            fprintf(stderr, "logp: %s means nothing with %s %s\n", name,
                    option_shown(limited[i].beside, beside), option_text(limited[i].beside));
    }
}
