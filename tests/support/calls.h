/* SPDX-License-Identifier: MIT */
/* The collectives as a program calls them, run or started; each on vectors of int64, and its result. */
#ifndef LOGP_TESTS_CALLS_H
#define LOGP_TESTS_CALLS_H

#include "support.h"

enum test_call {
    CALL_BARRIER,
    CALL_BROADCAST,
    CALL_REDUCE,
    CALL_ALLREDUCE,
    CALL_SCAN,
    CALL_EXSCAN,
    CALL_REDUCE_SCATTER,
    CALL_SCATTER,
    CALL_GATHER,
    CALL_ALLGATHER,
    CALL_ALLTOALL,
    CALL_TRANSPOSE, /* of P x P elements, n int64 each */
    N_CALLS
};

#define TEST_CALL(collective, call, ...)                                                           \
    if (strcmp(name, collective) == 0)                                                             \
    return p != NULL ? logp_i##call(vp, __VA_ARGS__, p) : logp_##call(vp, __VA_ARGS__)

/* The call of this collective. p: where the request goes if it is started; NULL: it is run. */
static inline int test_call(struct logp_vp *vp, const char *name, const struct logp_args *a,
                            void *in, void *out, struct logp_request **p)
{
    TEST_CALL("broadcast", broadcast, in, a->n_bytes, a->root);
    TEST_CALL("reduce", reduce, in, out, a->count, a->op, a->root);
    TEST_CALL("allreduce", allreduce, in, out, a->count, a->op);
    TEST_CALL("scan", scan, in, out, a->count, a->op);
    TEST_CALL("exscan", exscan, in, out, a->count, a->op);
    TEST_CALL("reduce-scatter", reduce_scatter, in, out, a->count, a->op);
    TEST_CALL("scatter", scatter, in, out, a->n_bytes, a->root);
    TEST_CALL("gather", gather, in, out, a->n_bytes, a->root);
    TEST_CALL("allgather", allgather, in, out, a->n_bytes);
    TEST_CALL("alltoall", alltoall, in, out, a->n_bytes);
    TEST_CALL("transpose", transpose, in, out, a->rows, a->cols, a->n_bytes);
    cr_assert_str_eq(name, "barrier");
    return p != NULL ? logp_ibarrier(vp, p) : logp_barrier(vp);
}

/* Fill the operands; in and out have room for P n + 1 elements. */
static inline void test_call_fill(struct logp_vp *vp, enum test_call which, int64_t n, int root,
                                  int64_t salt, int64_t *in, int64_t *out)
{
    const int me = logp_vp_rank(vp);

    for (int64_t i = 0; i <= n * logp_vp_size(vp); i++) {
        in[i] = test_element(me, i + salt * 10007);
        out[i] = which == CALL_BROADCAST && me == root && i < n ? in[i] : -7;
    }
}

/* p: where the request of a started call goes; NULL: run it. Only roots give what is the root's. */
static inline int test_call_numbers(struct logp_vp *vp, enum test_call which, int64_t n, int root,
                                    int64_t *in, int64_t *out, struct logp_request **p)
{
    static const char *const names[N_CALLS] = {
        "barrier",        "broadcast", "reduce", "allreduce", "scan",     "exscan",
        "reduce-scatter", "scatter",   "gather", "allgather", "alltoall", "transpose"};
    const int P = logp_vp_size(vp);
    const struct logp_args args = {.root = root,
                                   .n_bytes = (size_t)n * sizeof(*in),
                                   .count = n,
                                   .op = logp_op_find("sum", "int64"),
                                   .rows = P,
                                   .cols = P};
    const bool is_root = logp_vp_rank(vp) == root;

    if (which == CALL_BROADCAST || (which == CALL_SCATTER && !is_root))
        in = which == CALL_BROADCAST ? out : NULL;
    if ((which == CALL_REDUCE || which == CALL_GATHER) && !is_root)
        out = NULL;
    return test_call(vp, names[which], &args, in, out, p);
}

/* The result is right, nothing is written behind it, and the operands are only read. */
static inline void test_call_check(struct logp_vp *vp, enum test_call which, int64_t n, int root,
                                   int64_t salt, const int64_t *in, const int64_t *out)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const bool one_root = which == CALL_BROADCAST || which == CALL_SCATTER;
    const bool in_blocks = which >= CALL_GATHER; /* block r is of rank r alone */
    const bool own = which == CALL_REDUCE_SCATTER || which == CALL_SCATTER ||
                     which == CALL_ALLTOALL ||
                     which == CALL_TRANSPOSE; /* elements from me * n on */
    const bool none = which == CALL_BARRIER || (which == CALL_EXSCAN && me == 0) ||
                      ((which == CALL_REDUCE || which == CALL_GATHER) && me != root);
    const int64_t from = salt * 10007 + (own ? me * n : 0);
    int64_t i = 0;

    for (; !none && i < (in_blocks ? P * n : n); i++) {
        const int block = (int)(n > 0 ? i / n : 0);
        const int first = in_blocks ? block : one_root ? root : 0;
        const int last = in_blocks              ? block + 1
                         : one_root             ? root + 1
                         : which == CALL_SCAN   ? me + 1
                         : which == CALL_EXSCAN ? me
                                                : P;

        cr_assert_eq(out[i], test_sum_of(first, last, from + (in_blocks ? i % n : i)),
                     "call %d, rank %d of %d, element %ld of %ld", (int)which, me, P, (long)i,
                     (long)n);
    }
    cr_assert_eq(out[i], -7);
    for (i = 0; i <= P * n; i++)
        cr_assert_eq(in[i], test_element(me, i + salt * 10007));
}

#endif
