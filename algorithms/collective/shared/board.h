/* SPDX-License-Identifier: MIT */
/*
 * A board that the members of a group share, for the collectives `shared`.
 *
 * Each member has a row of places on it, which it alone writes and all may read. Operation n of the
 * group, 1, 2, ..., uses place n modulo their number, and a place shows n when its item is
 * complete: a member shows its item and continues, and a member that needs the item waits until its
 * place shows n. A place is reused only when all members have ended the operation that used it
 * before; each publishes the last operation that it has ended. The board does not hold large
 * operands but their addresses, and their owner stays until all have ended.
 *
 * If the run stops while others may read its buffers, the owner withdraws: no member begins to read
 * them, and the owner waits for those that are reading, which takes no longer than a copy.
 */
#ifndef LPI_BOARD_H
#define LPI_BOARD_H

#include <logp/algorithm.h>
#include <logp/vp.h>

/* Members; bytes of a short item and of a long one; places for each. */
enum { LPI_BOARD_P = 1024, LPI_SHORT = 112, LPI_LONG = 1008, LPI_SHORTS = 128, LPI_LONGS = 8 };

/* An item, after the word that it shows: n, and in the last 16 bits the subject and the bytes, on
 * which all must agree. */
struct lpi_short {
    _Alignas(64) uint64_t shows;
    _Alignas(16) char item[LPI_SHORT];
};
struct lpi_long {
    _Alignas(64) uint64_t shows;
    _Alignas(16) char item[LPI_LONG];
};

struct lpi_member {
    _Alignas(128) uint64_t ended; /* the operation that it has ended last */
    uint64_t n;                   /* its own: the operation that it has begun last */
    uint64_t all_ended;           /* its own: all have ended this one, as far as it knows */
    int at_others;                /* it is at others' buffers */
    struct lpi_short shorts[LPI_SHORTS];
    struct lpi_long longs[LPI_LONGS];
};

struct lpi_shared_memory {
    _Alignas(128) int withdrawn;
    struct lpi_member members[];
};

/* A board in one operation, as one member has it. */
struct lpi_board {
    struct logp_vp *vp;
    struct lpi_shared_memory *memory;
    struct lpi_member *mine;
    uint64_t n;
    unsigned agreed; /* 16 bits: the subject and the number of bytes */
    bool is_long;
    int P, me;
};

/* The subject of an operation: all members must agree. */
enum lpi_subject {
    LPI_ABOUT_BARRIER,
    LPI_ABOUT_BROADCAST,
    LPI_ABOUT_REDUCE,
    LPI_ABOUT_ALLREDUCE,
    LPI_ABOUT_REDUCE_SCATTER,
    LPI_ABOUT_SCAN,
    LPI_ABOUT_EXSCAN,
    LPI_ABOUT_SCATTER,
    LPI_ABOUT_GATHER,
    LPI_ABOUT_ALLGATHER,
    LPI_ABOUT_ALLTOALL,
    LPI_ABOUT_REFS = 1 << 15, /* where the operands are, not they */
};

/* Begin an operation with items of n_bytes, at most LPI_LONG. 0; as logp_shared() */
int lpi_board_begin(struct lpi_board *b, struct logp_vp *vp, enum lpi_subject subject,
                    size_t n_bytes);
/* Its next one, with items of the same size. */
void lpi_board_next(struct lpi_board *b);

/* Wait until this member's place is free. Operations that this vp has started make progress
 * meanwhile, as in the other waits of a board.
 * @return 0, or as logp_shared_wait() */
int lpi_board_await_free(struct lpi_board *b);

/* The word of a member's place; its item begins LPI_ITEM_AT bytes after it. */
enum { LPI_ITEM_AT = 16 };
static inline char *lpi_board_place(const struct lpi_board *b, int rank)
{
    struct lpi_member *m = &b->memory->members[rank];

    return b->is_long ? (char *)&m->longs[b->n % LPI_LONGS] : (char *)&m->shorts[b->n % LPI_SHORTS];
}

/* Where this member's item is to be written; then it is shown. 0; as lpi_board_await_free() */
static inline int lpi_board_open(struct lpi_board *b, void *item)
{
    const uint64_t places = b->is_long ? LPI_LONGS : LPI_SHORTS;

    *(char **)item = lpi_board_place(b, b->me) + LPI_ITEM_AT;
    return b->mine->all_ended + places >= b->n ? 0 : lpi_board_await_free(b);
}

static inline void lpi_board_show(struct lpi_board *b)
{
    logp_shared_set((uint64_t *)lpi_board_place(b, b->me), b->n << 16 | b->agreed);
}

/* Wait for a member's item. 0; -EMSGSIZE: it is about something else; as lpi_board_await_free() */
int lpi_board_see(struct lpi_board *b, int rank, const void **item);

/*
 * This member has done its part, and reads nothing of this operation any more. A member that needs
 * a place waits until half of them are free. So `ended` need not be published after each operation,
 * which would cost a cache line each time; it is published at the latest before a wait.
 */
static inline void lpi_board_end(struct lpi_board *b)
{
    if (b->is_long || b->n % (LPI_SHORTS / 8) == 0)
        logp_shared_set(&b->mine->ended, b->n);
}

/* The same, and wait until all have. */
int lpi_board_end_all(struct lpi_board *b);
/* The same, where others wait for it. */
static inline void lpi_board_end_now(struct lpi_board *b)
{
    logp_shared_set(&b->mine->ended, b->n);
}

/* ---- at others' buffers ---- */

/* Nothing waits from here to leave(). 0; or the error that stops the run: a member has withdrawn */
int lpi_board_go_to_others(struct lpi_board *b);
void lpi_board_leave_others(struct lpi_board *b);
/* After it no member reads this one's buffers. @return rc, the reason */
int lpi_board_withdraw(struct lpi_board *b, int rc);

/* NULL: it applies. */
const char *lpi_shared_needs(int64_t P, const struct logp_invocation *c);

/* direct.c: the same with operands as large as they may be, which are not copied; as
 * logp_algorithm.run. alltoall: for reduce-scatter, scan and so on a subject each */
int lpi_direct_broadcast(struct logp_vp *vp, const struct logp_invocation *c, void *buf);
int lpi_direct_scatter(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                       void *recv_buf);
int lpi_direct_gather(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf);
int lpi_direct_allgather(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf);
int lpi_direct_alltoall(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                        void *recv_buf);
int lpi_direct_reduce(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf);
int lpi_direct_allreduce(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf);
int lpi_direct_reduce_scatter(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                              void *recv_buf);
int lpi_direct_scan(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf);
int lpi_direct_exscan(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf);

#endif
