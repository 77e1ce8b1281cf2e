/* SPDX-License-Identifier: MIT */
/* Blocks of different sizes, at random: what logp_args.blocks and recv_blocks point to. */
#ifndef LOGP_TESTS_BLOCKS_H
#define LOGP_TESTS_BLOCKS_H

#include "support.h"

/* Of up to P x P. */
struct test_blocks {
    struct logp_blocks blocks;
    size_t *counts, *before, *displs;
};

static inline void test_blocks_free(struct test_blocks *b)
{
    free(b->counts);
    free(b->before);
    free(b->displs);
}

/* Where they are: `apart`, in the buffers of n / P ranks with P blocks each, backwards and with
 * gaps; else one after the other. */
static inline void test_blocks_place(struct test_blocks *b, int64_t n, int P, bool apart)
{
    b->before = calloc((size_t)n + 1, sizeof(size_t));
    b->displs = calloc((size_t)n, sizeof(size_t));
    for (int64_t i = 0; i < n; i++)
        b->before[i + 1] = b->before[i] + b->counts[i];
    for (int64_t i = n - 1; i >= 0; i--)
        b->displs[i] =
            (size_t)(i % 3) + ((i + 1) % P == 0 ? 0 : b->displs[i + 1] + b->counts[i + 1]);
    b->blocks = (struct logp_blocks){n, b->before, apart ? b->displs : NULL};
}

/* 0 .. most in each, often 0. */
static inline size_t test_block_size(uint64_t *random, int64_t most)
{
    return test_below(random, 3) == 0 ? 0 : (size_t)test_below(random, most + 1);
}

/* For a collective that takes them; in: what alltoall receives. In place what goes from one to
 * another is as large as what comes back, and in the same place. */
static inline void test_blocks_make(struct test_blocks *out, struct test_blocks *in, int P,
                                    uint64_t *random, int64_t most, struct logp_invocation *c,
                                    const struct logp_collective *collective)
{
    const bool all_to_all = strcmp(collective->name, "alltoall") == 0;
    const int64_t n = all_to_all ? (int64_t)P * P : P;
    const bool apart = collective->operands == LOGP_OPERANDS_BYTES && test_below(random, 2) == 0;

    *in = (struct test_blocks){.counts = calloc((size_t)n, sizeof(size_t))};
    *out = (struct test_blocks){.counts = calloc((size_t)n, sizeof(size_t))};
    for (int64_t i = 0; i < n; i++) {
        const int64_t back = all_to_all ? i % P * P + i / P : i;

        out->counts[i] =
            back < i && c->args.in_place ? out->counts[back] : test_block_size(random, most);
    }
    for (int64_t i = 0; i < n; i++)
        in->counts[i] = out->counts[all_to_all ? i % P * P + i / P : i];
    test_blocks_place(out, n, P, apart);
    test_blocks_place(in, n, P, c->args.in_place ? apart : !apart);
    c->args.blocks = &out->blocks;
    c->args.recv_blocks = all_to_all ? &in->blocks : NULL;
}

/* Has the collective an algorithm that takes them? */
static inline bool test_takes_blocks(const struct logp_collective *collective)
{
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(collective->name, i)) != NULL; i++)
        if (a->any_blocks)
            return true;
    return false;
}

#endif
