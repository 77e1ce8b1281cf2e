/* SPDX-License-Identifier: MIT */
/* Synthesis of schedules: drafts of steps, matchings of items and trees, and orders of steps. */
#ifndef LPI_SEARCH_H
#define LPI_SEARCH_H

#include <logp/algorithm.h>
#include <logp/delay.h>
#include <logp/search.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Draws: splitmix64. */
static inline uint64_t lpi_draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* 0 .. n-1; n > 0 */
static inline int lpi_draw_below(uint64_t *state, int n)
{
    return (int)(lpi_draw(state) % (uint64_t)n);
}

/* ---- draft.c: the steps of all ranks, in memory of their own ---- */

struct lpi_draft {
    int64_t P;
    struct logp_step **steps; /* by rank */
    int64_t *n;
    size_t *capacity;
    bool early;        /* logp_rank_plan.early of each rank */
    bool lacks_memory; /* a step could not be added */
    struct logp_step lost;
};

/* 0; -ENOMEM. To be ended in any case. */
int lpi_draft_init(struct lpi_draft *d, int64_t P);
void lpi_draft_fini(struct lpi_draft *d);
void lpi_draft_clear(struct lpi_draft *d);
/* One more step of a rank, all 0. Never NULL: without memory it is one that is lost. */
struct logp_step *lpi_draft_add(struct lpi_draft *d, int64_t rank);
/* 0; -ENOMEM */
int lpi_draft_copy(struct lpi_draft *d, const struct lpi_draft *from);
/* Fill it with the steps of a schedule. 0; -ENOMEM, or what the plan returns */
int lpi_draft_read(struct lpi_draft *d, const struct logp_schedule *s);
/* Data of the algorithm, in place of those that each rank's plan has made with malloc(). */
struct lpi_plan_state {
    const void *data;
    size_t n_bytes;
};
/* The same with another state of each plan; NULL: its own. */
int lpi_draft_read_with(struct lpi_draft *d, const struct logp_schedule *s,
                        const struct lpi_plan_state *state);
/* It as a list, which has no memory of its own. */
struct logp_step_list lpi_draft_list(const struct lpi_draft *d);
/* The bytes that a step reads or writes; n = 0: none. */
struct lpi_span {
    struct logp_buffer_ref at;
    size_t n;
};
struct lpi_span lpi_span_at(const struct logp_step *s, size_t element_bytes);
struct lpi_span lpi_span_left(const struct logp_step *s, size_t element_bytes);
struct lpi_span lpi_span_right(const struct logp_step *s, size_t element_bytes);

/*
 * ---- matching.c ----
 * Items that some ranks have and others need. Whenever a rank is free it sends to one that lacks
 * items. The moves of the plan come first; a rule chooses the others.
 */

enum { LPI_MATCHING_WORDS = 64 }; /* 64 items each */

struct lpi_matching {
    int P, n_items;
    const struct logp_invocation *c; /* the costs of messages */
    size_t item_bytes;               /* of each, the last may be smaller; 0: of a barrier */
    int64_t combine_ns;              /* of an item, where it comes; backwards: where it is sent */
    const int *home;                 /* by item: the rank that has it */
    bool to_all;                     /* else item i is for rank goal[i], sent there directly */
    const int *goal;
    bool backwards; /* messages will go the other way: overheads are exchanged */
};

/* A message with its items, which are n from `first` on in the pool. */
struct lpi_move {
    int src, dst, first, n;
    bool planned; /* it is to be sent like that again */
};

/* A send or receive of a rank. */
struct lpi_action {
    int rank, move, cause; /* the act that it waited for last; -1: none */
    bool sends;
};

/* The moves of a matching, and the acts in the order of their starts. */
struct lpi_moves {
    struct lpi_move *moves;
    int *pool;
    struct lpi_action *acts;
    size_t n_moves, n_pool, n_acts, move_space, pool_space, act_space;
    int64_t ns;
    int last; /* the act that ends last */
};

void lpi_moves_fini(struct lpi_moves *m);
/* 0; -ENOMEM */
int lpi_moves_copy(struct lpi_moves *m, const struct lpi_moves *from);

/* The rule by which the next message is chosen. */
struct lpi_rule {
    int most_items;    /* of a message */
    int lacks, near;   /* weights: of the items that the receiver lacks; of how soon they come */
    int noise;         /* weight of chance */
    bool rotates;      /* ties go to the next rank, not any */
    bool rarest;       /* items that few have go first, not the first of all */
    bool greedy_first; /* before planned moves */
    bool waits;        /* a rank receives messages that come within the gap before it sends */
    uint64_t seed;
};

/* Follow the moves of `plan` (NULL: none) and fill *out. 0; -ENOMEM */
int lpi_matching_run(const struct lpi_matching *x, const struct lpi_moves *plan,
                     const struct lpi_rule *rule, struct lpi_moves *out);

/* ---- lower.c: moves as steps with data ---- */

/* Of which collectives: a search makes moves for these alone. */
enum lpi_lowering {
    LPI_LOWER_NONE,
    LPI_LOWER_BROADCAST,
    LPI_LOWER_REDUCE,
    LPI_LOWER_SCATTER,
    LPI_LOWER_GATHER,
    LPI_LOWER_ALLGATHER,
    LPI_LOWER_REDUCE_SCATTER,
    LPI_LOWER_ALLREDUCE,
    LPI_LOWER_ALLTOALL,
    LPI_LOWER_BARRIER,
};

/* Of items: bytes of item i and where it begins, in a vector cut into n_items, or of blocks. */
struct lpi_cut {
    enum lpi_lowering how;
    int n_items;
    size_t whole, unit; /* bytes that are cut into items, at whole units */
};

/* Steps of a collective from moves; then: of allreduce, those after the others. 0; -ENOMEM */
int lpi_lower(const struct lpi_cut *cut, const struct logp_invocation *c, int P,
              const struct lpi_moves *moves, const struct lpi_moves *then, struct lpi_draft *out);
/* Read the tree of a schedule of such a collective, as moves of one item in the order of sending.
 * 0; -ENOENT: it is not a tree; -ENOMEM */
int lpi_raise(enum lpi_lowering how, const struct lpi_draft *d, int root, struct lpi_moves *out);

/* ---- order.c ---- */

/* Exchange two neighbouring steps, `from` and the next one. @return false: they must keep their
 * order */
bool lpi_order_swap(struct lpi_draft *d, int64_t rank, int64_t from, size_t element_bytes);

/* ---- exhaustive.c ---- */

/* Search for a schedule in which all ranks know of all by `until`, if the size of messages does not
 * matter. P <= LPI_EXHAUSTIVE_P. The search calls stop() from time to time.
 * @return 1: found, in *out; 0: there is none; -EINTR: stopped, or too many states; -ENOMEM */
enum { LPI_EXHAUSTIVE_P = 5 };
int lpi_exhaustive(int P, const struct logp_params *p, int64_t until, bool (*stop)(void *arg),
                   void *arg, struct lpi_moves *out);

#endif
