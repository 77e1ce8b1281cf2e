/* SPDX-License-Identifier: MIT */
/*
 * The collectives `shared`: small operands are copied to the group's board (board.h), and large
 * ones are read where they are (direct.c).
 *
 * A member that only brings an item continues at once, some operations ahead of the others. In a
 * small group each member reads the items of all; in a large one the first does, and shows the
 * result.
 */
#include "board.h"
#include "collective/collective.h"

#include <string.h>

enum { FEW = 16 };

/* Buffers of nothing may be NULL. */
static inline void put(void *to, const void *from, size_t n_bytes)
{
    if (n_bytes > 0)
        memcpy(to, from, n_bytes);
}

/* Show a member's own n_bytes. */
static int bring(struct lpi_board *b, const void *from, size_t n_bytes)
{
    char *item;
    const int rc = lpi_board_open(b, &item);

    if (rc == 0) {
        put(item, from, n_bytes);
        lpi_board_show(b);
    }
    return rc;
}

static int end(struct lpi_board *b, int rc)
{
    if (rc == 0)
        lpi_board_end(b);
    return rc;
}

/* Whether n items of n_bytes are small enough. *total: all of them */
static bool fits(size_t n, size_t n_bytes, size_t *total)
{
    *total = lpi_bytes(n, n_bytes);
    return n_bytes <= LPI_LONG && *total <= LPI_LONG;
}

/* ---- from one to all, from all to one ---- */

static int run_broadcast(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    const void *item;
    struct lpi_board b;
    int rc;

    (void)recv_buf;
    if (n > LPI_LONG)
        return lpi_direct_broadcast(vp, c, buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_BROADCAST, n);
    if (rc != 0)
        return rc;
    if (b.me == c->args.root)
        return end(&b, bring(&b, buf, n));
    rc = lpi_board_see(&b, c->args.root, &item);
    if (rc == 0)
        put(buf, item, n);
    return end(&b, rc);
}

static int run_scatter(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                       void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    const void *item;
    struct lpi_board b;
    size_t total;
    int rc;

    if (!fits((size_t)logp_vp_size(vp), n, &total))
        return lpi_direct_scatter(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_SCATTER, total);
    if (rc != 0)
        return rc;
    if (b.me == c->args.root) {
        const char *own = (const char *)buf + (size_t)b.me * n;

        if (recv_buf != own)
            put(recv_buf, own, n);
        return end(&b, bring(&b, buf, total));
    }
    rc = lpi_board_see(&b, c->args.root, &item);
    if (rc == 0)
        put(recv_buf, (const char *)item + (size_t)b.me * n, n);
    return end(&b, rc);
}

/* Of all, one after the other to where the blocks of a buffer are; its own may be there. */
static int collect(struct lpi_board *b, const void *own, char *to, size_t n)
{
    int rc = 0;

    for (int r = 0; r < b->P && rc == 0; r++, to += n) {
        const void *item = own;

        if (r != b->me)
            rc = lpi_board_see(b, r, &item);
        if (rc == 0 && item != to)
            put(to, item, n);
    }
    return rc;
}

static int run_gather(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    struct lpi_board b;
    int rc;

    if (n > LPI_LONG)
        return lpi_direct_gather(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_GATHER, n);
    if (rc == 0)
        rc = end(&b, b.me == c->args.root ? collect(&b, buf, recv_buf, n) : bring(&b, buf, n));
    return rc;
}

/* Combine the items of all members from byte `at` on, in the order of ranks. */
static int combine(struct lpi_board *b, const struct logp_invocation *c, const char *own, size_t at,
                   char *to)
{
    const struct logp_op *op = c->args.op;
    const size_t count = (size_t)c->args.count;
    int rc = 0;

    for (int r = 0; r < b->P && rc == 0; r++) {
        const void *item = own;

        if (r != b->me)
            rc = lpi_board_see(b, r, &item);
        if (rc != 0 || count == 0)
            continue;
        if (r == 0)
            put(to, (const char *)item + at, count * op->element_bytes);
        else
            op->combine(to, (const char *)item + at, count, op->arg);
    }
    return rc;
}

static int run_reduce(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    struct lpi_board b;
    size_t n;
    int rc;

    if (!fits((size_t)c->args.count, c->args.op->element_bytes, &n))
        return lpi_direct_reduce(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_REDUCE, n);
    if (rc == 0)
        rc = end(&b, b.me == c->args.root ? combine(&b, c, buf, 0, recv_buf) : bring(&b, buf, n));
    return rc;
}

/* ---- from all to all ---- */

/* Share the first member's result with all. */
static int tell(struct lpi_board *b, char *what, size_t n)
{
    const void *item;
    int rc;

    if (b->me == 0)
        return bring(b, what, n);
    rc = lpi_board_see(b, 0, &item);
    if (rc == 0)
        put(what, item, n);
    return rc;
}

static int run_allreduce(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    struct lpi_board b;
    size_t n;
    int rc;

    if (!fits((size_t)c->args.count, c->args.op->element_bytes, &n))
        return lpi_direct_allreduce(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_ALLREDUCE, n);
    if (rc == 0 && (b.P <= FEW || b.me > 0))
        rc = bring(&b, buf, n);
    if (rc == 0 && (b.P <= FEW || b.me == 0))
        rc = combine(&b, c, buf, 0, recv_buf);
    if (rc == 0 && b.P > FEW)
        rc = tell(&b, recv_buf, n);
    return end(&b, rc);
}

static int run_allgather(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    const size_t n = c->args.n_bytes, P = (size_t)logp_vp_size(vp);
    struct lpi_board b;
    size_t total;
    int rc;

    if (!fits(P, n, &total))
        return lpi_direct_allgather(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_ALLGATHER, P > FEW ? total : n);
    if (rc == 0 && (b.P <= FEW || b.me > 0))
        rc = bring(&b, buf, n);
    if (rc == 0 && (b.P <= FEW || b.me == 0))
        rc = collect(&b, buf, recv_buf, n);
    if (rc == 0 && b.P > FEW)
        rc = tell(&b, recv_buf, total);
    return end(&b, rc);
}

static int run_alltoall(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                        void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    struct lpi_board b;
    size_t total;
    int rc;

    if (!fits((size_t)logp_vp_size(vp), n, &total))
        return lpi_direct_alltoall(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_ALLTOALL, total);
    if (rc == 0)
        rc = bring(&b, buf, total);
    for (int r = 0; rc == 0 && r < b.P; r++) {
        const void *item;

        rc = lpi_board_see(&b, r, &item);
        if (rc == 0)
            put((char *)recv_buf + (size_t)r * n, (const char *)item + (size_t)b.me * n, n);
    }
    return end(&b, rc);
}

static int run_reduce_scatter(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                              void *recv_buf)
{
    const size_t P = (size_t)logp_vp_size(vp), es = c->args.op->element_bytes;
    struct lpi_board b;
    size_t n, total;
    int rc;

    if (!fits((size_t)c->args.count, es, &n) || !fits(P, n, &total))
        return lpi_direct_reduce_scatter(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, LPI_ABOUT_REDUCE_SCATTER, total);
    if (rc == 0)
        rc = bring(&b, buf, total);
    if (rc == 0)
        rc = combine(&b, c, buf, (size_t)b.me * n, recv_buf);
    return end(&b, rc);
}

static int run_barrier(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                       void *recv_buf)
{
    struct lpi_board b;
    const void *item;
    int rc = lpi_board_begin(&b, vp, LPI_ABOUT_BARRIER, 0);

    (void)c, (void)buf, (void)recv_buf;
    if (rc == 0 && (b.P <= FEW || b.me > 0))
        rc = bring(&b, &b, 0);
    for (int r = 0; rc == 0 && r < b.P && (b.P <= FEW || b.me == 0); r++)
        if (r != b.me)
            rc = lpi_board_see(&b, r, &item);
    if (rc == 0 && b.P > FEW)
        rc = b.me == 0 ? bring(&b, &b, 0) : lpi_board_see(&b, 0, &item);
    return end(&b, rc);
}

/* ---- from rank to rank ---- */

/* Show the combination up to this member. inclusive: it is the result; else the one before it is */
static int scan(struct lpi_board *b, const struct logp_invocation *c, const void *buf,
                void *recv_buf, bool inclusive)
{
    const struct logp_op *op = c->args.op;
    const size_t count = (size_t)c->args.count, n = count * op->element_bytes;
    const void *before = NULL;
    char *item;
    int rc = b->me > 0 ? lpi_board_see(b, b->me - 1, &before) : 0;

    if (rc == 0)
        rc = lpi_board_open(b, &item);
    if (rc != 0 || n == 0) {
        if (rc == 0)
            lpi_board_show(b);
        return rc;
    }
    put(item, before != NULL ? before : buf, n);
    if (before != NULL)
        op->combine(item, buf, count, op->arg);
    lpi_board_show(b);
    if (inclusive)
        put(recv_buf, item, n);
    else if (before != NULL)
        put(recv_buf, before, n);
    return 0;
}

static int run_either(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf, bool inclusive)
{
    struct lpi_board b;
    size_t n;
    int rc;

    if (!fits((size_t)c->args.count, c->args.op->element_bytes, &n))
        return (inclusive ? lpi_direct_scan : lpi_direct_exscan)(vp, c, buf, recv_buf);
    rc = lpi_board_begin(&b, vp, inclusive ? LPI_ABOUT_SCAN : LPI_ABOUT_EXSCAN, n);
    return rc == 0 ? end(&b, scan(&b, c, buf, recv_buf, inclusive)) : rc;
}

static int run_scan(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    return run_either(vp, c, buf, recv_buf, true);
}

static int run_exscan(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    return run_either(vp, c, buf, recv_buf, false);
}

/* ---- the rows ---- */

#define SHARED(id, name, in_place_)                                                                \
    const struct lpi_rows lpi_shared_##id = {                                                      \
        &(const struct logp_algorithm){                                                            \
            LOGP_ALGORITHM(name, "shared", "through shared memory", "-"),                          \
            .needs = lpi_shared_needs, .run = run_##id, .in_place = (in_place_),                   \
            .same_results = true},                                                                 \
        1}

SHARED(broadcast, "broadcast", false);
SHARED(reduce, "reduce", false);
SHARED(allreduce, "allreduce", false);
SHARED(reduce_scatter, "reduce-scatter", false);
SHARED(scan, "scan", false);
SHARED(exscan, "exscan", false);
SHARED(scatter, "scatter", true);
SHARED(gather, "gather", true);
SHARED(allgather, "allgather", true);
SHARED(alltoall, "alltoall", false);
SHARED(barrier, "barrier", false);
