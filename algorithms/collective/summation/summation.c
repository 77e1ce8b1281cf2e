/* SPDX-License-Identifier: MIT */
/*
 * Summation: N operands in all are combined, and the root has the result. The number of operands of
 * a processor depends on the algorithm: plan.own, 0 where it takes no part.
 *
 * Every algorithm is a tree. A processor combines operands of its own, then for each child receives
 * a sum, adds it, and combines as many own operands as the plan has between; then it sends its sum
 * to its parent. An addition is a combination of op and costs gamma.
 */
#include "memory/thread_memory.h"
#include "schedule/reader.h"
#include "schedule/schedule.h"
#include "summation.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* plan.state; in plan.scratch there are LANES elements, if they are ever used, then the sum so far,
 * and the received one. */
struct work {
    struct lpi_spread spread; /* first: operands.c needs no more */
    int64_t first, between;   /* local additions before the first child, and between two */
    size_t lanes;
};

/* ---- needs, plans ---- */

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    if (c->args.op == NULL || !c->args.op->commutative)
        return "a commutative operation";
    if (c->args.count < 1 || c->args.count > LOGP_SUMMATION_MAX)
        return "1 to 2^50 operands";
    return NULL;
}

static int add_work(const struct lpi_spread *spread, int64_t first, int64_t between,
                    struct logp_invocation *c)
{
    struct work *w = malloc(sizeof(*w));

    if (w == NULL) {
        lpi_free_plan(&c->plan);
        return -ENOMEM;
    }
    *w = (struct work){.spread = *spread,
                       .first = first,
                       .between = between,
                       .lanes = c->plan.own >= 4 * LOGP_LANES ? LOGP_LANES : 0};
    c->plan.state = w;
    if (c->plan.own > 0)
        c->plan.scratch_bytes = lpi_bytes(w->lanes + 2, c->args.op->element_bytes);
    return 0;
}

/* c->plan is that of a broadcast in ids: make it that of a reduction, in ranks. */
static void reverse(int P, struct logp_invocation *c)
{
    struct logp_rank_plan *plan = &c->plan;

    if (plan->parent >= 0)
        plan->parent = lpi_rotate(plan->parent, c->args.root, P);
    for (int i = 0, k = plan->n_children - 1; i <= k; i++, k--) {
        const int last = lpi_rotate(plan->children[k], c->args.root, P);

        plan->children[k] = lpi_rotate(plan->children[i], c->args.root, P);
        plan->children[i] = last;
    }
}

/* Along the tree that a broadcast over the first min(N, P) processors would take. */
static int plan_evenly(int P, int rank, int (*broadcast)(int, int, struct logp_invocation *),
                       struct logp_invocation *c)
{
    const int n = c->args.count < P ? (int)c->args.count : P,
              id = lpi_virtual_rank(rank, c->args.root, P);
    const struct lpi_spread spread = {.processors = n, .N = c->args.count};
    struct logp_invocation relative = *c;
    int rc = 0;

    relative.args.root = 0;
    relative.plan = (struct logp_rank_plan){.parent = -1};
    if (id < n)
        rc = broadcast(n, id, &relative);
    if (rc != 0)
        return rc;
    c->plan = relative.plan;
    c->plan.own = lpi_operands_of(&spread, id);
    reverse(P, c);
    return add_work(&spread, c->plan.own - 1, 0, c);
}

static int plan_along(const struct logp_summation *tree, int P, int rank, struct logp_invocation *c)
{
    const struct lpi_spread spread = {
        .processors = tree->tree.P, .along_tree = true, .tree = *tree};
    const int id = lpi_virtual_rank(rank, c->args.root, P);
    struct logp_invocation relative = *c;
    struct logp_summation_node node;
    int rc;

    c->plan = (struct logp_rank_plan){.parent = -1};
    if (id >= tree->tree.P)
        return add_work(&spread, 0, 0, c);
    node = logp_summation_node(tree, id);
    relative.args.root = 0;
    rc = lpi_plan_optimal(&tree->tree, id, &relative);
    if (rc != 0)
        return rc;
    c->plan = relative.plan;
    c->plan.own = node.own + node.shared;
    reverse(P, c);
    return add_work(&spread, node.first, node.between, c);
}

/* ---- what a processor does ---- */

/* Computing, of which there are `received` and n additions in all. */
static bool add(const struct logp_invocation *c, int64_t received, int64_t n, struct logp_step *out)
{
    return logp_step_compute(out, lpi_combine_ns(&c->model.params, received + n),
                             received + (n > 0));
}

/* n operands of its own, from the i-th on, into the sum. */
static bool add_own(const struct logp_invocation *c, struct logp_buffer_ref acc, int64_t i,
                    int64_t n, struct logp_step *out)
{
    const size_t size = c->args.op->element_bytes;

    logp_step_combine(out, acc, (struct logp_buffer_ref){LOGP_SCRATCH, 0},
                      (struct logp_buffer_ref){LOGP_BUF, (size_t)i * size}, n, 0);
    out->into_one = true;
    return true;
}

/*
 * A copy of the first operand, and local additions; for each child a receive and a computation in
 * two parts, the received sum and more own operands; and then the sum goes up.
 */
static bool steps_of_rank(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const struct work *w = c->plan.state;
    const size_t size = c->args.op->element_bytes;
    const struct logp_buffer_ref acc = {LOGP_SCRATCH, w->lanes * size};
    const struct logp_buffer_ref in = {LOGP_SCRATCH, (w->lanes + 1) * size};
    const int64_t k = (i - 3) / 4, part = (i - 3) % 4;
    const int64_t n = k + 1 < c->plan.n_children ? w->between : 0;

    (void)P, (void)rank;
    if (c->plan.own == 0)
        return false;
    if (i == 0)
        return logp_step_copy(out, acc, (struct logp_buffer_ref){LOGP_BUF, 0}, size);
    if (i == 1)
        return add(c, 0, w->first, out);
    if (i == 2)
        return add_own(c, acc, 1, w->first, out);
    if (k < c->plan.n_children && part == 0)
        return logp_step_receive(out, c->plan.children[k], c->args.tag, LOGP_SCRATCH, in.offset,
                                 size);
    if (k < c->plan.n_children && part == 1)
        return add(c, 1, n, out);
    if (k < c->plan.n_children && part == 2)
        return logp_step_combine(out, acc, acc, in, 1, 0);
    if (k < c->plan.n_children)
        return add_own(c, acc, 1 + w->first + k * w->between, n, out);
    if (i > 3 + 4 * (int64_t)c->plan.n_children)
        return false;
    if (c->plan.parent >= 0)
        return logp_step_send(out, c->plan.parent, c->args.tag, LOGP_SCRATCH, acc.offset, size);
    return logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0}, acc, size);
}

LPI_READER(run, steps_of_rank)

/* ---- flat: every rank sends its sum to the root ---- */

static int plan_flat(int P, int rank, struct logp_invocation *c)
{
    return plan_evenly(P, rank, lpi_plan_flat, c);
}

/* Time of n additions in one piece. */
static __int128 additions_ns(const struct logp_invocation *c, int64_t n)
{
    return ((__int128)n * c->model.params.gamma_ps + 999) / 1000;
}

/* What a message costs with the addition that follows: D + gamma to one, B apart. */
struct steps {
    __int128 one, recv, apart;
};

static struct steps steps_of(const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t stream = logp_params_stream_ns(p, c->args.op->element_bytes);
    const int64_t gap = logp_params_gap_ns(p, c->args.op->element_bytes);
    struct steps s = {.recv = p->o_recv_ns + additions_ns(c, 1)};

    s.one = (__int128)p->o_send_ns + stream + p->L_ns + s.recv;
    s.apart = gap > s.recv ? gap : s.recv;
    return s;
}

/* When id is done with its own operands, n processors having all. */
static __int128 own_done(const struct logp_invocation *c, int64_t n, int64_t id)
{
    return additions_ns(c, c->args.count / n + (id < c->args.count % n) - 1);
}

/*
 * With n = min(N, P) processors, S(id) the time of an id's own additions, a = D + gamma,
 * B = max(o_recv + gamma, g + st): max(S(0) + o_recv + gamma, S(n-1) + a) + (n-2) B, n >= 2. The
 * root receives n-1 first, which has the fewest operands; all others arrive at most gamma later.
 */
static struct logp_prediction predict_flat(int64_t P, const struct logp_invocation *c)
{
    const int64_t n = P < c->args.count ? P : c->args.count;
    const struct steps s = steps_of(c);

    if (n == 1)
        return lpi_exact(own_done(c, n, 0));
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(lpi_later(own_done(c, n, 0) + s.recv, own_done(c, n, n - 1) + s.one) +
                     (n - 2) * s.apart);
}

/* ---- binomial: id receives from id + 1, id + 2, id + 4, ... ---- */

static int plan_binomial(int P, int rank, struct logp_invocation *c)
{
    return plan_evenly(P, rank, lpi_plan_binomial, c);
}

/*
 * When the ids [low, low + size) of n have their sum in low, h = 2^(lg size - 1):
 *     t(low, 1) = S(low)
 *     t(low, 2) = max(S(low) + o_recv + gamma, S(low + 1) + a)
 *     t(low, size) = max(t(low, h) + B, t(low + h, size - h) + a)
 * and for 2^x ids that have equally many operands S + a + (x-1) max(a, B): at most two of each
 * size are of another kind, those that hold the end of the longer shares and the last id.
 */
static __int128 binomial_time(const struct logp_invocation *c, const struct steps *s, int64_t n,
                              int64_t low, int64_t size)
{
    const int64_t longer = c->args.count % n;
    const __int128 S = own_done(c, n, low);
    const int x = 63 - __builtin_clzll((uint64_t)size);
    const int64_t h = size > 1 ? lpi_half(size) : 0;

    if (size == 1)
        return S;
    if ((size & (size - 1)) == 0 && (longer <= low || longer >= low + size))
        return S + s->one + (x - 1) * lpi_later(s->one, s->apart);
    if (size == 2)
        return lpi_later(S + s->recv, own_done(c, n, low + 1) + s->one);
    return lpi_later(binomial_time(c, s, n, low, h) + s->apart,
                     binomial_time(c, s, n, low + h, size - h) + s->one);
}

static struct logp_prediction predict_binomial(int64_t P, const struct logp_invocation *c)
{
    const int64_t n = P < c->args.count ? P : c->args.count;
    const struct steps s = steps_of(c);

    if (n > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(binomial_time(c, &s, n, 0, n));
}

/* ---- optimal-paper: the broadcast tree in reverse ---- */

typedef int (*planner)(struct logp_summation *s, int64_t P, int64_t N,
                       const struct logp_params *params, size_t n_bytes);

/* The last plan of a thread. */
struct last {
    planner make;
    int64_t P, N;
    size_t n_bytes;
    struct logp_params params;
    struct logp_summation plan;
};

/* All processors of a machine ask for the same plan, one after the other: the last one is kept, by
 * each thread for itself. */
static int common_plan(planner make, struct logp_summation *s, int64_t P,
                       const struct logp_invocation *c)
{
    static _Thread_local void *memory;
    struct last *last = lpi_thread_memory(&memory, sizeof(*last));
    const size_t n_bytes = c->args.op->element_bytes;
    int rc;

    if (last != NULL && last->make == make && last->P == P && last->N == c->args.count &&
        last->n_bytes == n_bytes && lpi_same_params(&last->params, &c->model.params)) {
        *s = last->plan;
        return 0;
    }
    rc = make(s, P, c->args.count, &c->model.params, n_bytes);
    if (rc != 0 || last == NULL)
        return rc;
    last->make = make;
    last->P = P;
    last->N = c->args.count;
    last->n_bytes = n_bytes;
    memcpy(&last->params, &c->model.params,
           sizeof(last->params)); /* with what lies between its fields */
    last->plan = *s;
    return 0;
}

static int plan_optimal_paper(int P, int rank, struct logp_invocation *c)
{
    struct logp_summation s;
    const int rc = common_plan(logp_summation_paper, &s, P, c);

    return rc != 0 ? rc : plan_along(&s, P, rank, c);
}

static struct logp_prediction ends_at(const struct logp_invocation *c,
                                      const struct logp_summation *s)
{
    if (s->tree.P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    return s->exact ? lpi_exact(additions_ns(c, s->time)) : lpi_bound(additions_ns(c, s->time));
}

/* T + ceil((N - N_S) / P) units of gamma, T that of the tree and N_S what fills it; exact where
 * o_recv is a whole number of units and gamma of ns, else a bound. */
static struct logp_prediction predict_optimal_paper(int64_t P, const struct logp_invocation *c)
{
    struct logp_summation s;

    if (logp_summation_paper(&s, P, c->args.count, &c->model.params, c->args.op->element_bytes) !=
        0)
        return lpi_no_prediction();
    return ends_at(c, &s);
}

/* ---- optimal: the tree of the earliest labels, no more of it than pays ---- */

static int plan_optimal(int P, int rank, struct logp_invocation *c)
{
    struct logp_summation s;
    const int rc = common_plan(logp_summation_optimal, &s, P, c);

    return rc != 0 ? rc : plan_along(&s, P, rank, c);
}

/* The least T with N_max(T, P) >= N, in units of gamma; certain as above. Where L, o and g are
 * whole too, no tree is faster. */
static struct logp_prediction predict_optimal(int64_t P, const struct logp_invocation *c)
{
    struct logp_summation s;

    if (logp_summation_optimal(&s, P, c->args.count, &c->model.params, c->args.op->element_bytes) !=
        0)
        return lpi_no_prediction();
    return ends_at(c, &s);
}

static const char shou_chen[] = "Shou & Chen 1996";

#define SUMMATION .needs = needs, .steps = steps_of_rank, .run = run

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("summation", "flat", "every rank sends its sum to the root", shou_chen),
     .plan = plan_flat, .predict = predict_flat, SUMMATION},
    {LOGP_ALGORITHM("summation", "binomial", "recursive halving, the nearest first",
                    "Grama et al., ch. 4.1"),
     .plan = plan_binomial, .predict = predict_binomial, SUMMATION},
    {LOGP_ALGORITHM("summation", "optimal-paper",
                    "the reversed broadcast tree, filled with operands", shou_chen),
     .plan = plan_optimal_paper, .predict = predict_optimal_paper, SUMMATION},
    {LOGP_ALGORITHM("summation", "optimal", "the best tree on the best number of processors",
                    shou_chen),
     .plan = plan_optimal, .predict = predict_optimal, SUMMATION},
};

const struct lpi_rows lpi_summation_trees = LPI_ROWS(algorithms);
