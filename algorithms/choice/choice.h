/* SPDX-License-Identifier: MIT */
/* Finding, predicting, planning and running an algorithm. */
#ifndef LPI_CHOICE_H
#define LPI_CHOICE_H

#include <logp/algorithm.h>

struct logp_request;

/* collectives.c: whether a row has all fields that it must have */
bool lpi_is_row(const struct logp_algorithm *a);
/* Whether the row is left out where all links are alike and only they delay a message. */
bool lpi_is_for_links(const struct logp_algorithm *a);
/* The number of algorithms added at run time. */
size_t lpi_n_added(void);

/* As a collective is given to the functions of a row. */
static inline struct logp_invocation lpi_invocation(const struct logp_args *args,
                                                    const struct logp_network *network)
{
    return (struct logp_invocation){
        .args = *args,
        .model = network != NULL ? *network : (struct logp_network){.topology = NULL},
        .plan.parent = -1};
}

/* Whether some messages take less than L. */
static inline bool lpi_varies(int64_t P, const struct logp_invocation *c)
{
    return c->model.params.latency_varies && (c->model.params.L_ns > 0 || c->model.links != NULL) &&
           P > 1;
}

/* Whether latencies, faults or noise decide how long a run takes. Algorithms are chosen without
 * them. */
static inline bool lpi_is_drawn(const struct logp_network *n)
{
    return n->latency != NULL || n->faults != NULL || n->noise != NULL;
}

/* invocation.c: the requirement on c->args.blocks (not NULL) that they do not meet; NULL: none */
const char *lpi_needs_blocks(const struct logp_algorithm *a, int64_t P,
                             const struct logp_invocation *c);

/* The requirement that c does not meet; NULL: the row applies. */
static inline const char *lpi_needs(const struct logp_algorithm *a, int64_t P,
                                    const struct logp_invocation *c)
{
    const char *blocks = c->args.blocks != NULL ? lpi_needs_blocks(a, P, c) : NULL;

    return blocks == NULL && a->needs != NULL ? a->needs(P, c) : blocks;
}

/* invocation.c: all blocks as large as the mean, on whose formulas a choice can be based. */
struct logp_invocation lpi_alike(const struct logp_invocation *c);

/* invocation.c: whether it may be chosen: each rank gets the same result, if that matters. */
bool lpi_gives_same(const struct logp_algorithm *a, const struct logp_args *args);

/* Whether it is a candidate for these arguments: it applies, and it may be chosen. */
static inline bool lpi_is_candidate(const struct logp_algorithm *a, int64_t P,
                                    const struct logp_invocation *c)
{
    return lpi_needs(a, P, c) == NULL && lpi_gives_same(a, &c->args);
}

/* linked.c: on c->model.topology, from the tree of the algorithm. 0; -ENOMEM */
int lpi_predict_linked(const struct logp_algorithm *algorithm, int64_t P,
                       const struct logp_invocation *c, struct logp_prediction *out);

/* The algorithm chosen for an invocation. */
struct lpi_choice {
    const struct logp_algorithm *algorithm; /* NULL: none applies */
    int64_t value;                          /* of its free parameter; 0: it has none */
    const struct logp_algorithm *within;    /* logp_args.within of it */
    const struct logp_algorithm *first;     /* logp_args.first of it, and first_k */
    int64_t first_k;
    struct logp_prediction prediction;
};

/* Asked before each fold: logp_choice_watch. */
struct lpi_watch {
    logp_choice_watch *ask;
    void *arg;
};

/* best.c: the row with the least prediction of those that apply to c. predicted: the invocation to
 * predict instead of c; steps: compare only rows with steps; watch: or NULL; left: out, the rows
 * that were not compared, or NULL. 0; -ENOMEM */
int lpi_choose(const char *collective, int64_t P, const struct logp_invocation *c,
               const struct logp_invocation *predicted, bool steps, const struct lpi_watch *watch,
               struct logp_choice *left, struct lpi_choice *out);
/* Set the row within and the parameter, where they are free, to those with the least prediction. 0;
 * -ENOMEM */
int lpi_resolve_free(const struct logp_algorithm *algorithm, int64_t P, struct logp_invocation *c);
/* The best values of these of one row, and its prediction: one at most `until`, or any if none is; until 0: the best
 * of all. *out without an algorithm: all are later, or the row does not apply. 0; -ENOMEM */
int lpi_choose_until(const struct logp_algorithm *algorithm, int64_t P,
                     const struct logp_invocation *c, int64_t until, struct lpi_choice *out);
/* Set them to those of the choice. */
void lpi_set_choice(const struct logp_algorithm *algorithm, int64_t P, struct logp_invocation *c,
                    const struct lpi_choice *choice);
/* Set that parameter to this value; 0: it has none. */
void lpi_set_free(const struct logp_algorithm *algorithm, int64_t P, struct logp_invocation *c,
                  int64_t value);
/* plan.c: set all parameters as the algorithm chooses them: once, not by each rank. 0; -ENOMEM */
int lpi_resolve(const struct logp_algorithm *algorithm, int64_t P, struct logp_invocation *c);

/* invocation.c: set all parameters that are not free */
void lpi_resolve_others(const struct logp_algorithm *algorithm, int64_t P,
                        struct logp_invocation *c);
/* The same, and return the schedule. */
struct logp_schedule lpi_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                     const struct logp_invocation *c);

typedef int (*lpi_chooser)(const void *what, int64_t P, const struct logp_invocation *c,
                           struct lpi_choice *out);

/* best.c: lpi_choose() of a collective's name, blocks all as large as their mean */
int lpi_by_mean(const void *collective, int64_t P, const struct logp_invocation *c,
                struct lpi_choice *out);

/* best.c: the row with steps of its own that takes the least by its formula, blocks all as large as their mean,
 * without a shared gap and capacity. It folds nothing, and so takes little time. */
int lpi_by_formulas(const void *collective, int64_t P, const struct logp_invocation *c,
                    struct lpi_choice *out);

/* choice_cache.c: the answer of `choose`, without the prediction, from the cache of its earlier
 * answers. `what` keeps its address, and lpi_is_cacheable() holds. Errors: as `choose`. Threads:
 * any. */
int lpi_choice_cached(lpi_chooser choose, const void *what, int64_t P,
                      const struct logp_invocation *c, struct lpi_choice *out);
/* invocation.c: whether the values in c are the whole question: it has no list or blocks, and its
 * topology, links and ports a number. */
bool lpi_is_cacheable(const struct logp_invocation *c);

/* invocation.c: whether the buffers of all ranks have sizes that can be addressed. No product of n_bytes,
 * counts and P wraps then. */
bool lpi_is_addressable(const struct logp_algorithm *algorithm, int64_t P,
                        const struct logp_invocation *c);
/* plan.c: fill c->plan of a rank, with scratch; as logp_plan_create() */
int lpi_plan(const struct logp_algorithm *algorithm, int P, int rank, struct logp_invocation *c);
/* Find the rank's buffers in place. @return they overlap */
bool lpi_one_buffer(const struct logp_algorithm *algorithm, int P, int rank,
                    const struct logp_invocation *c, void **buf, void **recv_buf);
/* Find the rank's buffers, and copy the operands to its scratch if it needs them elsewhere. */
void lpi_buffers(const struct logp_algorithm *algorithm, int P, int rank,
                 const struct logp_invocation *c, void **buf, void **recv_buf);
int lpi_run(struct logp_vp *vp, const struct logp_algorithm *algorithm,
            const struct logp_invocation *c, void *buf, void *recv_buf);

/* call.c: plan and run, and free everything made for it; or start, if request is not NULL. */
int lpi_run_once(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                 struct logp_invocation *c, void *buf, void *recv_buf,
                 struct logp_request **request);
/* Whether the arguments and the buffers of a call fit its collective. Blocks do not give the sizes
 * of the buffers, so with blocks the caller looks for a missing one. Sets c->args.in_place. */
bool lpi_is_callable(const struct logp_vp *vp, const struct logp_collective *collective,
                     struct logp_invocation *c, const void *buf, const void *recv_buf);
/* All members must call it, and with the same arguments: logp_vp_note_call(). */
int lpi_note_call(struct logp_vp *vp, const char *name, const struct logp_collective *collective,
                  const struct logp_args *args, bool started);
/* Run, or start, the best algorithm for these arguments: as logp_broadcast() and so on. name: the
 * name of the call. */
int lpi_call(struct logp_vp *vp, const char *name, const struct logp_collective *collective,
             struct logp_invocation *c, const void *buf, void *recv_buf,
             struct logp_request **request);

/* undelayed.c: the best where nothing is emulated, with its k. NULL: none applies */
const struct logp_algorithm *lpi_best_undelayed(const struct logp_collective *collective, int64_t P,
                                                struct logp_invocation *c);

/* ---- row_time.c: the time of a row by its formula and by its schedule, to compare many ---- */

/* Whether a time can be predicted at all. */
bool lpi_is_predictable(int64_t P, const struct logp_invocation *c);
/* Of a row that applies, with its k. 0; -ENOMEM */
int lpi_by_formula(const struct logp_algorithm *algorithm, int64_t P,
                   const struct logp_invocation *c, struct logp_prediction *out);
/* Whether a formula only serves to drop candidates: a lower bound, but for those of messages on a
 * topology. */
static inline bool lpi_only_bounds(int64_t P, const struct logp_invocation *c,
                                   const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_LOWER_BOUND && (c->model.topology == NULL || P == 1);
}
/* The least time of a row whose messages depend on its k alone; 0: not known. */
int64_t lpi_at_least(const struct logp_algorithm *algorithm, int64_t P,
                     const struct logp_invocation *c);
/* Whether its schedule should be folded, because the formula does not decide. */
bool lpi_is_open(const struct logp_algorithm *algorithm, int64_t P, const struct logp_invocation *c,
                 const struct logp_prediction *formula);

/* Folds under one model. */
struct lpi_folds {
    struct logp_delay delay;
    int rc;              /* error of making the delay */
    uint64_t most, left; /* messages: the most of one fold, and those left for all folds */
};

/* 0; -ENOMEM, and there is nothing to end */
int lpi_folds_init(struct lpi_folds *folds, int64_t P, const struct logp_invocation *c);
void lpi_folds_fini(struct lpi_folds *folds);
/* Fold one row. few: the most messages of this fold, which do not count if the schedule has more;
 * 0: as many as are left. 0; -ETIME: it takes longer than `until`; -E2BIG: too many messages;
 * -ENOMEM; or else it cannot be folded */
int lpi_fold(struct lpi_folds *folds, const struct logp_algorithm *algorithm, int64_t P,
             const struct logp_invocation *c, uint64_t few, int64_t until,
             struct logp_prediction *out);

/* The time of one row that applies, with its k. If either basis is wanted, the formula is tried
 * first. 0; -ENOMEM */
int lpi_predict_by(const struct logp_algorithm *algorithm, int64_t P,
                   const struct logp_invocation *c, enum logp_basis by,
                   struct logp_prediction *out);

/* ---- linked.c: the whole tree of an algorithm ---- */

/* A processor. They are in order of their level, from the root, and siblings in order. */
struct lpi_tree_member {
    int rank;
    int parent; /* index; the root: -1 */
    int k;      /* it is its parent's k-th child */
    int first_child, n_children;
};

/* P members, to be freed. 0; -ENOMEM, -ENOTSUP (the plans make no tree) */
int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_invocation *c,
                   struct lpi_tree_member **out);

#endif
