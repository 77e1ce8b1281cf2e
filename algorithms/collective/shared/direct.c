/* SPDX-License-Identifier: MIT */
/*
 * Collectives of large operands that all members can read: nothing is copied but to where it
 * belongs, and what combines is shared out, a segment to each member, in the order of ranks. See
 * board.h for what happens when the run stops meanwhile.
 */
#include "board.h"

#include <errno.h>
#include <string.h>

enum {
    PIECE = 8 << 10,    /* bytes that are combined with all others before the next */
    HALVES = 256 << 10, /* from here on two copy faster than one */
};

/* What a member shows: where its buffers are, and how large the operation is to it. */
struct ref {
    char *buf, *recv_buf;
    size_t n_bytes;
};

_Static_assert(sizeof(struct ref) <= LPI_SHORT, "short");

static int begin(struct lpi_board *b, struct logp_vp *vp, enum lpi_subject subject)
{
    const int rc = lpi_board_begin(b, vp, subject, sizeof(struct ref));

    b->agreed |= LPI_ABOUT_REFS;
    return rc;
}

static int show(struct lpi_board *b, void *buf, void *recv_buf, size_t n_bytes)
{
    struct ref *mine;
    const int rc = lpi_board_open(b, &mine);

    if (rc == 0) {
        *mine = (struct ref){buf, recv_buf, n_bytes};
        lpi_board_show(b);
    }
    return rc;
}

static int see(struct lpi_board *b, int rank, size_t n_bytes, struct ref *out)
{
    const void *item;
    const int rc = lpi_board_see(b, rank, &item);

    if (rc != 0)
        return rc;
    memcpy(out, item, sizeof(*out));
    return out->n_bytes == n_bytes ? 0 : -EMSGSIZE;
}

/* Copy while at others' buffers. */
static int copy(struct lpi_board *b, void *to, const void *from, size_t n_bytes)
{
    const int rc = lpi_board_go_to_others(b);

    if (rc == 0) {
        memcpy(to, from, n_bytes);
        lpi_board_leave_others(b);
    }
    return rc;
}

/* Its own, which may be where it belongs. */
static void keep(char *to, const char *from, size_t n_bytes)
{
    if (to != from && n_bytes > 0)
        memcpy(to, from, n_bytes);
}

/* The end of a member that has shown its buffers: it waits for all. */
static int end(struct lpi_board *b, int rc)
{
    if (rc == 0)
        rc = lpi_board_end_all(b);
    return rc != 0 ? lpi_board_withdraw(b, rc) : 0;
}

/* The end of a member that has not. */
static int end_alone(struct lpi_board *b, int rc)
{
    if (rc == 0)
        lpi_board_end_now(b);
    return rc;
}

/* ---- copies ---- */

/* Two of them: each copies a half. */
static int by_halves(struct lpi_board *b, const struct logp_invocation *c, char *buf)
{
    const size_t n = c->args.n_bytes, half = n / 2;
    struct ref other;
    int rc = show(b, buf, NULL, n);

    if (rc == 0)
        rc = see(b, 1 - b->me, n, &other);
    if (rc == 0)
        rc = b->me == c->args.root ? copy(b, other.buf + half, buf + half, n - half)
                                   : copy(b, buf, other.buf, half);
    return end(b, rc);
}

int lpi_direct_broadcast(struct logp_vp *vp, const struct logp_invocation *c, void *buf)
{
    const size_t n = c->args.n_bytes;
    const int root = c->args.root;
    struct lpi_board b;
    struct ref from;
    int rc = begin(&b, vp, LPI_ABOUT_BROADCAST);

    if (rc != 0)
        return rc;
    if (b.P == 2 && n >= HALVES)
        return by_halves(&b, c, buf);
    if (b.me == root) {
        rc = show(&b, buf, NULL, n);
        return end(&b, rc);
    }
    rc = see(&b, root, n, &from);
    if (rc == 0)
        rc = copy(&b, buf, from.buf, n);
    return end_alone(&b, rc);
}

int lpi_direct_scatter(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                       void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    const int root = c->args.root;
    struct lpi_board b;
    struct ref from;
    int rc = begin(&b, vp, LPI_ABOUT_SCATTER);

    if (rc != 0)
        return rc;
    if (b.me == root) {
        rc = show(&b, buf, NULL, n);
        keep(recv_buf, (char *)buf + (size_t)root * n, n);
        return end(&b, rc);
    }
    rc = see(&b, root, n, &from);
    if (rc == 0)
        rc = copy(&b, recv_buf, from.buf + (size_t)b.me * n, n);
    return end_alone(&b, rc);
}

int lpi_direct_gather(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    const int root = c->args.root;
    struct lpi_board b;
    struct ref to;
    int rc = begin(&b, vp, LPI_ABOUT_GATHER);

    if (rc != 0)
        return rc;
    if (b.me == root) {
        rc = show(&b, NULL, recv_buf, n);
        keep((char *)recv_buf + (size_t)root * n, buf, n);
        return end(&b, rc);
    }
    rc = see(&b, root, n, &to);
    if (rc == 0)
        rc = copy(&b, to.recv_buf + (size_t)b.me * n, buf, n);
    return end_alone(&b, rc);
}

/* From all ranks, the k-th after this one first: n bytes at `at` of their buffers. */
static int copy_blocks(struct lpi_board *b, int k, char *to, size_t at, size_t n)
{
    int rc = 0;

    for (; k < b->P && rc == 0; k++) {
        const int r = (b->me + k) % b->P;
        struct ref from;

        rc = see(b, r, n, &from);
        if (rc == 0)
            rc = copy(b, to + (size_t)r * n, from.buf + at, n);
    }
    return rc;
}

int lpi_direct_allgather(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    struct lpi_board b;
    int rc = begin(&b, vp, LPI_ABOUT_ALLGATHER);

    if (rc != 0)
        return rc;
    rc = show(&b, buf, NULL, n);
    keep((char *)recv_buf + (size_t)b.me * n, buf, n);
    return end(&b, rc == 0 ? copy_blocks(&b, 1, recv_buf, 0, n) : rc);
}

int lpi_direct_alltoall(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                        void *recv_buf)
{
    const size_t n = c->args.n_bytes;
    struct lpi_board b;
    int rc = begin(&b, vp, LPI_ABOUT_ALLTOALL);

    if (rc != 0)
        return rc;
    rc = show(&b, buf, NULL, n);
    return end(&b, rc == 0 ? copy_blocks(&b, 0, recv_buf, (size_t)b.me * n, n) : rc);
}

/* ---- combinations ---- */

/* Where the segment of rank r begins, in bytes. */
static size_t segment(const struct lpi_board *b, const struct logp_invocation *c, int r)
{
    const uint64_t n = (uint64_t)c->args.count, P = (uint64_t)b->P, k = (uint64_t)r;

    return (size_t)(n / P * k + (n % P < k ? n % P : k)) * c->args.op->element_bytes;
}

/* Wait until all members have shown their buffers, which stay on the board until the end, and go to
 * the others'. */
static int show_and_see_all(struct lpi_board *b, void *buf, void *recv_buf, size_t n_bytes)
{
    struct ref s;
    int rc = show(b, buf, recv_buf, n_bytes);

    for (int k = 0; k < b->P && rc == 0; k++)
        rc = see(b, (b->me + k) % b->P, n_bytes, &s);
    return rc == 0 ? lpi_board_go_to_others(b) : rc;
}

static const struct ref *ref_of(const struct lpi_board *b, int rank)
{
    return (const struct ref *)(lpi_board_place(b, rank) + LPI_ITEM_AT);
}

static size_t piece(const struct logp_op *op)
{
    return op->element_bytes < PIECE ? PIECE / op->element_bytes * op->element_bytes
                                     : op->element_bytes;
}

/* to = all members' operands from byte `low` to `high`, combined. */
static void combine(const struct lpi_board *b, const struct logp_op *op, char *to, size_t low,
                    size_t high)
{
    const size_t most = piece(op);

    for (size_t n; low < high; low += n, to += n) {
        n = high - low < most ? high - low : most;
        memcpy(to, ref_of(b, 0)->buf + low, n);
        for (int r = 1; r < b->P; r++)
            op->combine(to, ref_of(b, r)->buf + low, n / op->element_bytes, op->arg);
    }
}

static size_t vector_bytes(const struct logp_invocation *c)
{
    return (size_t)c->args.count * c->args.op->element_bytes;
}

int lpi_direct_reduce(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    struct lpi_board b;
    int rc = begin(&b, vp, LPI_ABOUT_REDUCE);

    if (rc != 0)
        return rc;
    rc = show_and_see_all(&b, buf, recv_buf, vector_bytes(c));
    if (rc == 0) {
        const size_t low = segment(&b, c, b.me), high = segment(&b, c, b.me + 1);

        combine(&b, c->args.op, ref_of(&b, c->args.root)->recv_buf + low, low, high);
        lpi_board_leave_others(&b);
    }
    return end(&b, rc);
}

int lpi_direct_reduce_scatter(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                              void *recv_buf)
{
    const size_t n = vector_bytes(c);
    struct lpi_board b;
    int rc = begin(&b, vp, LPI_ABOUT_REDUCE_SCATTER);

    if (rc != 0)
        return rc;
    rc = show_and_see_all(&b, buf, NULL, n);
    if (rc == 0) {
        combine(&b, c->args.op, recv_buf, (size_t)b.me * n, (size_t)(b.me + 1) * n);
        lpi_board_leave_others(&b);
    }
    return end(&b, rc);
}

/* Each combines a segment for itself, and copies those of the others. */
int lpi_direct_allreduce(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    const size_t n = vector_bytes(c);
    char *const result = recv_buf;
    struct lpi_board b;
    struct ref from;
    int rc = begin(&b, vp, LPI_ABOUT_ALLREDUCE);

    if (rc != 0)
        return rc;
    rc = show_and_see_all(&b, buf, NULL, n);
    if (rc == 0) {
        const size_t low = segment(&b, c, b.me);

        combine(&b, c->args.op, result + low, low, segment(&b, c, b.me + 1));
        lpi_board_leave_others(&b);
        lpi_board_next(&b);
        rc = show(&b, result, NULL, n);
    }
    for (int k = 1; k < b.P && rc == 0; k++) {
        const int r = (b.me + k) % b.P;
        const size_t low = segment(&b, c, r);

        rc = see(&b, r, n, &from);
        if (rc == 0)
            rc = copy(&b, result + low, from.buf + low, segment(&b, c, r + 1) - low);
    }
    return end(&b, rc);
}

/* Combine a segment for all members: rank r gets the combination up to rank r - `back`. */
static int scan(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf,
                enum lpi_subject subject, int back)
{
    const struct logp_op *op = c->args.op;
    struct lpi_board b;
    int rc = begin(&b, vp, subject);

    if (rc != 0)
        return rc;
    rc = show_and_see_all(&b, buf, recv_buf, vector_bytes(c));
    if (rc == 0) {
        const size_t high = segment(&b, c, b.me + 1), most = piece(op);

        for (size_t low = segment(&b, c, b.me), n; low < high; low += n) {
            n = high - low < most ? high - low : most;
            for (int r = back; r < b.P; r++) {
                char *to = ref_of(&b, r)->recv_buf + low;

                memcpy(to, r == back ? ref_of(&b, 0)->buf + low : ref_of(&b, r - 1)->recv_buf + low,
                       n);
                if (r > back)
                    op->combine(to, ref_of(&b, r - back)->buf + low, n / op->element_bytes,
                                op->arg);
            }
        }
        lpi_board_leave_others(&b);
    }
    return end(&b, rc);
}

int lpi_direct_scan(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    return scan(vp, c, buf, recv_buf, LPI_ABOUT_SCAN, 0);
}

int lpi_direct_exscan(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    return scan(vp, c, buf, recv_buf, LPI_ABOUT_EXSCAN, 1);
}
