/* SPDX-License-Identifier: MIT */
/*
 * Options that mean nothing to a collective: they are not wrong, one line of options may serve for
 * all collectives, but whoever gives --op to a broadcast expects something of it. Defaults from the
 * environment are for all, and pass in silence.
 */
#include "command.h"

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

static const struct {
    const char *option;
    bool (*means_something)(const struct logp_collective *);
} limited[] = {
    {"root", is_rooted},    {"bytes", has_bytes},   {"count", has_count}, {"op", has_count},
    {"type", has_type},     {"rows", has_matrix},   {"cols", has_matrix}, {"packing", has_matrix},
    {"pack", has_matrix},   {"window", has_window}, {"k", has_k},         {"block", has_block},
    {"overlap", has_block}, {"work", is_broadcast},
};

void warn_of_unused(const char *collective)
{
    const struct logp_collective *c = logp_collective_find(collective);

    for (size_t i = 0; i < sizeof(limited) / sizeof(limited[0]); i++)
        if (option_is_given(limited[i].option) && !limited[i].means_something(c))
            fprintf(stderr, "logp: --%s means nothing to %s\n", limited[i].option, collective);
}
