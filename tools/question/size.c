/* SPDX-License-Identifier: MIT */
/*
 * Meaning and cost of sizes. The size of a message is given in bytes, that of a vector in elements
 * (--count) or in bytes (--bytes), which are then whole elements of --type. Bytes cost as much as G
 * defines.
 */
#include "question/rows.h"

#include <stdio.h>
#include <string.h>

int64_t size_unit(const struct question *q, const struct logp_collective *c)
{
    return c->operands == LOGP_OPERANDS_VECTOR || c->operands == LOGP_OPERANDS_TOTAL
               ? (int64_t)q->what.element_bytes
               : 1;
}

/* Whether --bytes decides the size, as the stronger of the two: the command line wins over the
 * environment, where a count applies to vectors only, and bytes to all collectives. */
static bool is_in_bytes(const struct question *q)
{
    return option_on_command_line(q, "bytes") ||
           (option_is_preset(q, "bytes") && !option_given(q, "count"));
}

const char *size_option(const struct question *q, const struct logp_collective *c)
{
    switch (c->operands) {
    case LOGP_OPERANDS_BYTES:
        return "bytes";
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        return is_in_bytes(q) ? "bytes" : "count";
    case LOGP_OPERANDS_NONE:
    case LOGP_OPERANDS_MATRIX:
        break;
    }
    return NULL;
}

/* Refuse the size, and name the nearest whole numbers of elements. */
static struct problem *refuse_part(const struct question *q, const struct logp_collective *c)
{
    const long long unit = size_unit(q, c), below = (long long)q->what.n_bytes / unit * unit;
    char smaller[32] = "";

    if (below > 0)
        snprintf(smaller, sizeof(smaller), "%lld or ", below);
    return option_problem("bytes", option_text(q, "bytes"),
                          "%s takes whole elements of %lld bytes (--type %s); nearest: %s%lld",
                          c->name, unit, option_text(q, "type"), smaller, below + unit);
}

struct problem *resolve_size(struct question *q)
{
    const struct logp_collective *c = named_by_words(q);
    int64_t unit;

    if (c == NULL || size_unit(q, c) == 1 || q->what.n_counts > 0)
        return NULL;
    if (option_on_command_line(q, "bytes") && option_on_command_line(q, "count"))
        return usage_problem(
            "--bytes %s and --count %s both give the size of %s; remove one of the two",
            option_text(q, "bytes"), option_text(q, "count"), c->name);
    if (!is_in_bytes(q))
        return NULL;
    unit = size_unit(q, c);
    if (q->what.n_bytes == 0 || (int64_t)q->what.n_bytes % unit != 0)
        return refuse_part(q, c);
    q->what.count = (int64_t)q->what.n_bytes / unit;
    return NULL;
}

/* ---- what bytes cost ---- */

enum { SMALL = 64 }; /* bytes: the model's word, and a size that is always short */

/* A plugin has rules of its own, and nothing emulated takes the time that it takes. */
bool bytes_cost(const struct question *q)
{
    return !q->model.emulated || q->model.plugin != NULL || over_processes(q) ||
           (!q->model.ignores_G && q->model.network.params.G_ps > 0) || links_own_G(q) > 0;
}

const char *free_bytes(const struct question *q, int64_t n_bytes, char buf[MAX_LIST])
{
    const bool names_model =
        q->model.ignores_G && (option_given(q, "delay") || q->model.machine != NULL);
    const bool has_G = q->model.network.params.G_ps > 0; /* for another model */
    const int64_t example_ps = 10000;
    char add[128] = "", rate[64];

    if (n_bytes <= SMALL || bytes_cost(q))
        return NULL;
    if (!has_G)
        snprintf(add, sizeof(add), " -G %lldns (%s)", (long long)(example_ps / 1000),
                 show_bandwidth(example_ps, rate));
    snprintf(buf, MAX_LIST, "%s, so bytes cost nothing%s; to charge for them, type%s%s",
             has_G ? "this delay model ignores G" : "G is 0",
             q->model.network.rendezvous_from > 0 ? ""
                                                  : " and messages of all sizes take the same time",
             names_model ? " --delay loggp" : "", add);
    return buf;
}
