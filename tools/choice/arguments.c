/* SPDX-License-Identifier: MIT */
/* From options to the arguments of a collective. */
#include "choice/choice.h"
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

static enum logp_operands operands_of(const char *collective)
{
    return logp_collective_find(collective)->operands;
}

/* Set the cost of a combination: as given; measured on this host with one processor's operands;
 * or by default 0, in a summation one unit. */
static void resolve_gamma(struct options *o, enum logp_operands operands)
{
    const int64_t each = operands == LOGP_OPERANDS_TOTAL ? (o->count - 1) / o->P + 1 : o->count;

    if (o->gamma_host)
        o->network.params.gamma_ps = logp_op_measure(o->op, (size_t)each);
    else if (!o->gamma_given && operands == LOGP_OPERANDS_TOTAL)
        o->network.params.gamma_ps = o->unit_ns * 1000;
    if (o->network.params.gamma_ps < 0)
        bad_option("--gamma", "host", "no memory to measure it");
}

/* Return the default number of elements: ten for each processor, at most the limit of --count. */
static int64_t total_count(int64_t P)
{
    const int64_t most = INT64_C(1) << 40;

    return P < most / 10 ? 10 * P : most;
}

enum { MOST_BLOCKS = 1 << 24 };

/* Set the blocks of --counts, for a collective that takes blocks of different sizes. The list is
 * repeated over the ranks; in an alltoall over the sum of sender and receiver, so that each pair
 * exchanges equal sizes. The blocks are valid until the next call. */
static void set_blocks(const struct options *o, const char *collective, struct logp_args *args)
{
    static struct logp_blocks blocks;
    static size_t *before;
    const bool all_to_all = strcmp(collective, "alltoall") == 0;

    if (o->n_counts == 0 || !takes_blocks(logp_collective_find(collective)))
        return;
    if (o->P > MOST_BLOCKS || (all_to_all && o->P * o->P > MOST_BLOCKS))
        bad_option("--counts", option_text("counts"), "with up to %d processors%s",
                   all_to_all ? 1 << 12 : MOST_BLOCKS, all_to_all ? " in alltoall" : "");
    blocks.n = all_to_all ? o->P * o->P : o->P;
    free(before);
    before = or_end(malloc(((size_t)blocks.n + 1) * sizeof(*before)));
    before[0] = 0;
    for (int64_t i = 0; i < blocks.n; i++) /* up to 2^24 of 2^36 */
        before[i + 1] = before[i] + (size_t)o->counts[(i / o->P + i % o->P) % o->n_counts];
    blocks.before = before;
    args->blocks = &blocks;
    args->recv_blocks = all_to_all ? &blocks : NULL;
}

static struct logp_invocation invocation_of(struct options *o, const char *collective)
{
    const enum logp_operands operands = operands_of(collective);
    struct logp_invocation c = {.args = o->knobs};

    c.args.root = (int)o->root;
    c.args.may_differ = o->may_differ;
    c.args.list = o->as != NULL ? list_with_data("--as", o->as->name) : o->list;
    switch (operands) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        c.args.n_bytes = o->n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        if (o->count == 0)
            o->count = operands == LOGP_OPERANDS_TOTAL ? total_count(o->P) : 1;
        c.args.count = o->count;
        c.args.op = o->op;
        resolve_gamma(o, operands);
        break;
    case LOGP_OPERANDS_MATRIX:
        c.args.rows = o->rows > 0 ? o->rows : o->P;
        c.args.cols = o->cols > 0 ? o->cols : o->P;
        c.args.n_bytes = o->element_bytes;
        c.args.packing = o->packing;
        break;
    }
    set_blocks(o, collective, &c.args);
    c.model = network_of(o);
    c.model.faults = c.model.noise = NULL; /* not for choosing algorithms */
    return c;
}

/* Make the arguments. If P is not given and no algorithm of the collective runs on the default
 * P, take the next P on which one does. */
struct logp_invocation make_invocation(struct options *o, const char *collective)
{
    const struct options asked = *o;
    const int64_t most = 2 * asked.P;
    struct logp_invocation c = invocation_of(o, collective);

    if (option_given("P") || o->network.topology != NULL || o->network.links != NULL)
        return c;
    while (!any_applies(collective, o->P, &c)) {
        const int64_t next = o->P + 1;

        *o = asked;
        if (next > most)
            return invocation_of(o, collective);
        o->P = next;
        c = invocation_of(o, collective);
    }
    return c;
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
static int64_t message_bytes(const struct options *o, const struct logp_collective *what,
                             const struct logp_invocation *c)
{
    __int128 bytes = 0;

    if (c->args.blocks != NULL)
        return largest_block(c->args.blocks) * size_unit(o, what);
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
        bytes = (__int128)c->args.rows * c->args.cols * (__int128)c->args.n_bytes / o->P / o->P;
        break;
    }
    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

const char *free_bytes_of(const struct options *o, const char *collective,
                          const struct logp_invocation *c, char buf[MAX_LIST])
{
    const struct logp_collective *what = logp_collective_find(collective);

    return what != NULL ? free_bytes(o, message_bytes(o, what, c), buf) : NULL;
}

void say_free_bytes(const struct options *o, const char *collective,
                    const struct logp_invocation *c)
{
    char text[MAX_LIST];

    if (free_bytes_of(o, collective, c, text) != NULL)
        say_note("%s", text);
}
