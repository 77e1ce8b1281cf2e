/* SPDX-License-Identifier: MIT */
/* Vectors that are combined: see collective.h. */
#include "collective/collective.h"

#include <errno.h>

size_t lpi_vector_bytes(const struct logp_invocation *c)
{
    return c->args.count > 0 ? lpi_bytes((size_t)c->args.count, lpi_element_bytes(c)) : 0;
}

int64_t lpi_elements_asked(const struct logp_invocation *c)
{
    const int64_t n = c->args.block_bytes / (int64_t)lpi_element_bytes(c);

    return c->args.block_bytes > 0 && n == 0 ? 1 : n;
}

int64_t lpi_elements_bytes(const struct logp_invocation *c, int64_t elements)
{
    const size_t bytes = lpi_bytes((size_t)elements, lpi_element_bytes(c));

    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

void lpi_vectors_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                       size_t *recv_buf)
{
    (void)P, (void)rank;
    *buf = *recv_buf = lpi_vector_bytes(c);
}

const char *lpi_needs_commutative(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.op == NULL || c->args.op->commutative ? NULL : "a commutative operation";
}

int lpi_vector_valid(const struct logp_invocation *c)
{
    return c->args.op == NULL || c->args.count < 0 ? -EINVAL : 0;
}

bool lpi_vector_in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                         struct logp_buffer_ref *at)
{
    (void)P, (void)rank, (void)c;
    *at = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
    return true;
}

bool lpi_vector_promise(int64_t ranks, const struct logp_invocation *c, int64_t j,
                        struct logp_postcondition *out)
{
    out->at.buffer = LOGP_RECV_BUF;
    out->n_bytes = lpi_vector_bytes(c);
    out->ranks = ranks;
    out->combined = true;
    return j == 0 && ranks > 0;
}

int lpi_vector_plan(int P, int rank, struct logp_invocation *c)
{
    (void)P, (void)rank;
    c->plan.scratch_bytes = lpi_vector_bytes(c);
    return lpi_vector_valid(c);
}

struct lpi_fold lpi_fold_of(int64_t P, int64_t rank)
{
    struct lpi_fold f = {.X = 1};

    while (f.X <= P / 2)
        f.X *= 2;
    f.pairs = P - f.X;
    f.j = rank >= 2 * f.pairs ? rank - f.pairs : rank % 2 == 1 ? rank / 2 : -1;
    return f;
}

int64_t lpi_group_size(int64_t P, const struct logp_invocation *c,
                       __int128 (*time)(int64_t P, const struct logp_invocation *c, int64_t k))
{
    enum { MOST_TRIED = 1024 }; /* unless it is P */
    int64_t best = 1;
    __int128 least;

    if (c->args.k > 0)
        return c->args.k;
    least = time(P, c, 1);
    for (int64_t k = 2; k <= P; k = k < P && (k > P / 2 || k == MOST_TRIED) ? P : k + 1) {
        const __int128 T = P % k == 0 ? time(P, c, k) : least;

        if (T < least) {
            best = k;
            least = T;
        }
    }
    return best;
}
