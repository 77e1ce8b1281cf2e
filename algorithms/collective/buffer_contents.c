/* SPDX-License-Identifier: MIT */
/*
 * Contents of the buffers of a collective in an experiment, before and after: its row defines their
 * sizes, operands and postconditions. Operand i of a rank depends on the seed, the rank and i
 * alone. So a check recreates the operands that its postcondition names, and combines them in the
 * order of ranks: it knows nothing of the algorithm.
 */
#include "collective/collective.h"
#include "memory/thread_memory.h"

#include <logp/algorithm.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t lpi_blocks_extent(const struct logp_blocks *b, int64_t first, int64_t n)
{
    size_t extent = 0;

    if (b->displs == NULL)
        return lpi_blocks_size(b, first, n);
    for (int64_t i = first; i < first + n; i++) {
        const size_t end = b->displs[i % b->n] + lpi_blocks_size(b, i, 1);

        extent = end > extent ? end : extent;
    }
    return extent;
}

size_t lpi_items_extent(int64_t P, const struct logp_invocation *c)
{
    return lpi_items_apart(c) ? lpi_blocks_extent(c->args.blocks, 0, P) : lpi_items(c, 0, P);
}

/* NULL: the operands are bytes. */
static const struct logp_op *op_of(const struct logp_collective *collective,
                                   const struct logp_invocation *c)
{
    return collective->operands == LOGP_OPERANDS_VECTOR ||
                   collective->operands == LOGP_OPERANDS_TOTAL
               ? c->args.op
               : NULL;
}

void logp_collective_fill(const struct logp_collective *collective, int P, int rank, uint64_t seed,
                          const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const struct logp_op *op = op_of(collective, c);
    const size_t size = op != NULL ? op->element_bytes : 1;
    size_t bytes, result, given;

    collective->sizes(P, rank, c, &bytes, &result);
    given = collective->given != NULL ? collective->given(P, rank, c) : bytes;
    lpi_operands(op, seed, rank, given / size, 0, given / size, buf); /* whole: it cannot fail */
    if (bytes > given)
        memset((char *)buf + given, 0xa5, bytes - given);
    if (result > 0)
        memset(recv_buf, 0xa5, result);
}

/* Whether these are the bytes of the rank that the postcondition names. */
static bool has_bytes(const char *result, const struct logp_postcondition *p, uint64_t seed)
{
    char expected[512];

    for (size_t i = 0, n; i < p->n_bytes; i += n) {
        n = p->n_bytes - i < sizeof(expected) ? p->n_bytes - i : sizeof(expected);
        lpi_operands(NULL, seed, p->from, 0, p->offset + i, n, expected);
        if (!lpi_same(result + i, expected, n, NULL))
            return false;
    }
    return true;
}

/* The combination of the operands of which ranks. */
struct combined {
    const struct logp_collective *collective;
    struct logp_op op;
    int64_t P, count, from;
    size_t first, n;
    uint64_t seed;
};

/* The last one of a thread: all ranks of an allreduce expect the same, and each rank of a scan one operand more than
 * the rank before. */
struct combination {
    struct combined of;
    int64_t ranks; /* combined so far */
    char bytes[64 << 10];
};

static bool are_alike(const struct combined *a, const struct combined *b)
{
    return a->collective == b->collective && a->op.combine == b->op.combine &&
           a->op.fill == b->op.fill && a->op.type == b->op.type && a->op.name == b->op.name &&
           a->op.element_bytes == b->op.element_bytes && a->P == b->P && a->count == b->count &&
           a->from == b->from && a->first == b->first && a->n == b->n && a->seed == b->seed;
}

/* The thread's last one, emptied unless it can be continued to so many ranks. NULL: more decides than `of` has, or
 * it is too large */
static struct combination *kept_combination(const struct combined *of, int64_t ranks,
                                            const struct logp_blocks *blocks)
{
    static _Thread_local void *memory;
    struct combination *kept = NULL;

    if (of->collective->operands == LOGP_OPERANDS_VECTOR && blocks == NULL && of->op.arg == NULL &&
        of->n * of->op.element_bytes <= sizeof(kept->bytes))
        kept = lpi_thread_memory(&memory, sizeof(*kept));
    if (kept != NULL && (kept->ranks > ranks || !are_alike(&kept->of, of))) {
        kept->of = *of;
        kept->ranks = 0;
    }
    return kept;
}

/* Whether these are the combinations of the ranks that the postcondition names. 1: yes; 0: no;
 * -ENOMEM */
static int has_combination(const struct logp_collective *collective, int P,
                           const struct logp_invocation *c, const char *result,
                           const struct logp_postcondition *p, uint64_t seed)
{
    const struct logp_op *op = c->args.op;
    const size_t first = p->offset / op->element_bytes, n = p->n_bytes / op->element_bytes;
    const int64_t ranks = p->combined ? p->ranks : 1;
    const struct combined of = {collective, *op, P, c->args.count, p->from, first, n, seed};
    struct combination *kept = kept_combination(&of, ranks, c->args.blocks);
    char *own = kept == NULL ? malloc(p->n_bytes) : NULL, *operand = malloc(p->n_bytes);
    char *const expected = kept != NULL ? kept->bytes : own;
    int right = expected != NULL && operand != NULL ? 1 : -ENOMEM;
    size_t bytes, unused;

    for (int64_t i = kept != NULL ? kept->ranks : 0; right == 1 && i < ranks; i++) {
        collective->sizes(P, (int)(p->from + i), c, &bytes, &unused);
        if (lpi_operands(op, seed, p->from + i, bytes / op->element_bytes, first, n,
                         i == 0 ? expected : operand) != 0)
            right = -ENOMEM;
        else if (i > 0)
            op->combine(expected, operand, n, op->arg);
    }
    if (kept != NULL)
        kept->ranks = right == 1 ? ranks : 0;
    if (right == 1)
        right = lpi_same(result, expected, p->n_bytes, op);
    free(own);
    free(operand);
    return right;
}

int logp_collective_check(const struct logp_collective *collective, int P, int rank, uint64_t seed,
                          const struct logp_invocation *c, const void *buf, const void *recv_buf)
{
    int right = 1;

    for (int64_t j = 0; right == 1 && collective->postcondition != NULL; j++) {
        struct logp_postcondition p = {.ranks = 1};
        const char *result;

        if (!collective->postcondition(P, rank, c, j, &p))
            break;
        if (p.n_bytes == 0 || p.made || p.whole)
            continue;
        result = (const char *)(p.at.buffer == LOGP_BUF ? buf : recv_buf) + p.at.offset;
        right = p.combined || op_of(collective, c) != NULL
                    ? has_combination(collective, P, c, result, &p, seed)
                    : has_bytes(result, &p, seed);
    }
    if (right == 1 && collective->check != NULL)
        right = collective->check(P, rank, seed, c, buf, recv_buf);
    return right;
}
