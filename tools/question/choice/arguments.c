/* SPDX-License-Identifier: MIT */
/* From options to the arguments of a collective. */
#include "question/choice/choice.h"
#include "question/rows.h"
#include "question/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

static enum logp_operands operands_of(const char *collective)
{
    return logp_collective_find(collective)->operands;
}

/* Set the cost of a combination: as given; measured on this host with one processor's operands;
 * or by default 0, in a summation one unit. */
static struct problem *resolve_gamma(struct question *q, enum logp_operands operands)
{
    const int64_t each =
        operands == LOGP_OPERANDS_TOTAL ? (q->what.count - 1) / q->model.P + 1 : q->what.count;

    if (q->model.gamma_host)
        q->model.network.params.gamma_ps = logp_op_measure(q->what.op, (size_t)each);
    else if (!q->model.gamma_given && operands == LOGP_OPERANDS_TOTAL)
        q->model.network.params.gamma_ps = q->model.unit_ns * 1000;
    if (q->model.network.params.gamma_ps < 0)
        return option_problem("--gamma", "host", "no memory to measure it");
    return NULL;
}

/* Return the default number of elements: ten for each processor, at most the limit of --count. */
static int64_t total_count(int64_t P)
{
    const int64_t most = INT64_C(1) << 40;

    return P < most / 10 ? 10 * P : most;
}

enum { MOST_BLOCKS = 1 << 24 };

/* The blocks of the arguments that were made last. */
struct kept_blocks {
    struct logp_blocks blocks;
    size_t *before;
};

static void drop_blocks(void *memory)
{
    struct kept_blocks *kept = memory;

    free(kept->before);
    kept->before = NULL;
}

static struct kept_blocks *kept_blocks(const struct question *q)
{
    struct kept_blocks *kept = part_of(q, PART_BLOCKS, sizeof(*kept));

    if (kept->before == NULL)
        kept_by(q, kept, drop_blocks);
    return kept;
}

/* Set the blocks of --counts, for a collective that takes blocks of different sizes. The list is
 * repeated over the ranks; in an alltoall over the sum of sender and receiver, so that each pair
 * exchanges equal sizes. The blocks are valid until the next call. */
static struct problem *set_blocks(const struct question *q, const char *collective,
                                  struct logp_args *args)
{
    const bool all_to_all = strcmp(collective, "alltoall") == 0;
    struct kept_blocks *kept;
    int64_t n;

    if (q->what.n_counts == 0 || !takes_blocks(logp_collective_find(collective)))
        return NULL;
    if (q->model.P > MOST_BLOCKS || (all_to_all && q->model.P * q->model.P > MOST_BLOCKS))
        return option_problem("--counts", option_text(q, "counts"), "with up to %d processors%s",
                              all_to_all ? 1 << 12 : MOST_BLOCKS, all_to_all ? " in alltoall" : "");
    kept = kept_blocks(q);
    n = all_to_all ? q->model.P * q->model.P : q->model.P;
    kept->before = need(realloc(kept->before, ((size_t)n + 1) * sizeof(*kept->before)));
    kept->before[0] = 0;
    for (int64_t i = 0; i < n; i++) /* up to 2^24 of 2^36 */
        kept->before[i + 1] =
            kept->before[i] +
            (size_t)q->what.counts[(i / q->model.P + i % q->model.P) % q->what.n_counts];
    kept->blocks = (struct logp_blocks){.n = n, .before = kept->before};
    args->blocks = &kept->blocks;
    args->recv_blocks = all_to_all ? &kept->blocks : NULL;
    return NULL;
}

static struct problem *invocation_of(struct question *q, const char *collective,
                                     struct logp_invocation *c)
{
    const enum logp_operands operands = operands_of(collective);

    *c = (struct logp_invocation){.args = q->what.knobs};
    c->args.root = (int)q->what.root;
    c->args.may_differ = q->what.may_differ;
    TRY(list_of_schedule(q, &c->args.list));
    if (q->what.as != NULL)
        TRY(list_with_data(q, "--as", q->what.as->name, &c->args.list));
    switch (operands) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        c->args.n_bytes = q->what.n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        if (q->what.count == 0)
            q->what.count = operands == LOGP_OPERANDS_TOTAL ? total_count(q->model.P) : 1;
        c->args.count = q->what.count;
        c->args.op = q->what.op;
        TRY(resolve_gamma(q, operands));
        break;
    case LOGP_OPERANDS_MATRIX:
        c->args.rows = q->what.rows > 0 ? q->what.rows : q->model.P;
        c->args.cols = q->what.cols > 0 ? q->what.cols : q->model.P;
        c->args.n_bytes = q->what.element_bytes;
        c->args.packing = q->what.packing;
        break;
    }
    TRY(set_blocks(q, collective, &c->args));
    c->model = network_of(q);
    c->model.faults = c->model.noise = NULL; /* not for choosing algorithms */
    return NULL;
}

/* Make the arguments. If P is not given and no algorithm of the collective runs on the default
 * P, take the next P on which one does. */
struct problem *make_invocation(struct question *q, const char *collective,
                                struct logp_invocation *c)
{
    const struct question asked = *q;
    const int64_t most = 2 * asked.model.P;

    TRY(invocation_of(q, collective, c));
    if (option_given(q, "P") || q->model.network.topology != NULL || q->model.network.links != NULL)
        return NULL;
    while (!any_applies(collective, q->model.P, c)) {
        const int64_t next = q->model.P + 1;

        *q = asked;
        if (next > most)
            return invocation_of(q, collective, c);
        q->model.P = next;
        TRY(invocation_of(q, collective, c));
    }
    return NULL;
}

/* ---- whether the size of messages changes anything ---- */

/* The largest of all blocks. */
static int64_t largest_block(const struct logp_blocks *blocks)
{
    size_t most = 0;

    for (int64_t i = 0; i < blocks->n; i++)
        if (blocks->before[i + 1] - blocks->before[i] > most)
            most = blocks->before[i + 1] - blocks->before[i];
    return (int64_t)most;
}

/* Of one message, before an algorithm divides or joins any; a sum is one element. */
static int64_t message_bytes(const struct question *q, const struct logp_collective *what,
                             const struct logp_invocation *c)
{
    __int128 bytes = 0;

    if (c->args.blocks != NULL)
        return largest_block(c->args.blocks) * size_unit(q, what);
    switch (what->operands) {
    case LOGP_OPERANDS_NONE:
    case LOGP_OPERANDS_TOTAL:
        break;
    case LOGP_OPERANDS_BYTES:
        bytes = (__int128)c->args.n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
        bytes = (__int128)c->args.count * (__int128)c->args.op->element_bytes;
        break;
    case LOGP_OPERANDS_MATRIX: /* distributed by columns; each processor sends to all */
        bytes = (__int128)c->args.rows * c->args.cols * (__int128)c->args.n_bytes / q->model.P /
                q->model.P;
        break;
    }
    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

const char *free_bytes_of(const struct question *q, const char *collective,
                          const struct logp_invocation *c, char buf[MAX_LIST])
{
    const struct logp_collective *what = logp_collective_find(collective);

    return what != NULL ? free_bytes(q, message_bytes(q, what, c), buf) : NULL;
}

void say_free_bytes(const struct question *q, const char *collective,
                    const struct logp_invocation *c)
{
    char text[MAX_LIST];

    if (free_bytes_of(q, collective, c, text) != NULL)
        say_note("%s", text);
}
