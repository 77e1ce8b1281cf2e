/* SPDX-License-Identifier: MIT */
/*
 * Steps of one rank that are those of several collectives, one after the other: see lanes.c. A part
 * is a collective on the ranks of a node, or of a lane, by the row with the least prediction there.
 * Its steps get other peers and other places. Parts follow each other on every rank in one order,
 * so that messages of one sender and tag are received in the order sent.
 */
#include "choice/lanes.h"
#include "choice/choice.h"
#include "memory/thread_memory.h"
#include "operand/operand.h"
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranks ---- */

static int64_t size_of(const struct lpi_lanes *l, int64_t node)
{
    return node < l->N - 1 ? l->m : l->P - node * l->m;
}

/* The place of virtual rank 0. */
static int64_t first_of(const struct lpi_lanes *l, int64_t node)
{
    if (l->from_last)
        return size_of(l, node) - 1;
    return node == l->root_node ? l->root_local : 0;
}

static int64_t rank_of(const struct lpi_lanes *l, int64_t node, int64_t v)
{
    return node * l->m + (first_of(l, node) + v) % size_of(l, node);
}

static int64_t share_of(const struct lpi_lanes *l, int64_t v)
{
    return v < l->k ? lpi_part_begin(l->whole, l->k, v + 1) - lpi_part_begin(l->whole, l->k, v) : 0;
}

static void find_virtual(struct lpi_lanes *l)
{
    l->v = lpi_mod(l->local - first_of(l, l->node), l->size);
    l->share = share_of(l, l->v);
}

void lpi_lanes_from_last(struct lpi_lanes *l)
{
    l->from_last = true;
    find_virtual(l);
}

/* ---- steps ---- */

/* The size of scratch with n_bytes more. */
static size_t after(size_t there, size_t n_bytes)
{
    const size_t most = SIZE_MAX / 4;

    return there < most && n_bytes < most ? there + lpi_slot_bytes(n_bytes) : most;
}

struct logp_buffer_ref lpi_lanes_scratch(struct lpi_lanes *l, int64_t units)
{
    const struct logp_buffer_ref at = {LOGP_SCRATCH, l->scratch_bytes};

    l->scratch_bytes = after(at.offset, lpi_bytes((size_t)units, l->unit_bytes));
    return at;
}

void lpi_lanes_add(struct lpi_lanes *l, const struct logp_step *step)
{
    if (l->rc == 0 && (step->kind != LOGP_STEP_COPY || step->n_bytes > 0))
        l->rc = lpi_planned_add(&l->list, step);
}

/* ---- arguments ---- */

struct logp_args lpi_lanes_vector(const struct lpi_lanes *l, int64_t elements)
{
    const struct logp_args *a = &l->c->args;

    return (struct logp_args){
        .tag = a->tag, .count = elements, .op = a->op, .may_differ = a->may_differ};
}

struct logp_args lpi_lanes_bytes(const struct lpi_lanes *l, int64_t units)
{
    return (struct logp_args){.tag = l->c->args.tag,
                              .n_bytes = lpi_bytes((size_t)units, l->unit_bytes)};
}

/* Begin n blocks. NULL: no memory */
static size_t *make_blocks(struct lpi_lanes *l, int64_t n)
{
    size_t *before = malloc(((size_t)n + 1) * sizeof(*before));

    free((void *)l->blocks.before);
    l->blocks = (struct logp_blocks){.n = (int)n, .before = before};
    if (before == NULL)
        l->rc = -ENOMEM;
    else
        before[0] = 0;
    return before;
}

static struct logp_args of_blocks(const struct lpi_lanes *l, bool in_bytes)
{
    struct logp_args args = in_bytes ? lpi_lanes_bytes(l, 0) : lpi_lanes_vector(l, 0);

    args.blocks = &l->blocks;
    return args;
}

struct logp_args lpi_lanes_shares(struct lpi_lanes *l, bool in_bytes)
{
    size_t *before = make_blocks(l, l->size);

    for (int64_t v = 0; before != NULL && v < l->size; v++)
        before[v + 1] = before[v] + (size_t)share_of(l, v) * (in_bytes ? l->unit_bytes : 1);
    return of_blocks(l, in_bytes);
}

struct logp_args lpi_lanes_nodes(struct lpi_lanes *l, int64_t units, bool in_bytes)
{
    size_t *before = make_blocks(l, l->N);

    for (int64_t i = 0; before != NULL && i < l->N; i++)
        before[i + 1] =
            before[i] + (size_t)(size_of(l, i) * units) * (in_bytes ? l->unit_bytes : 1);
    return of_blocks(l, in_bytes);
}

/* ---- a part ---- */

struct part {
    enum lpi_lanes_group group;
    int64_t P, rank;
    struct logp_buffer_ref operands, result;
    size_t scratch;  /* where that of the row begins */
    bool has_blocks; /* of unequal sizes */
};

/* The invocation of a part, without a plan, on its own network: of this formulas hold, so that a row has the
 * parameters with which it was chosen. */
static struct logp_invocation part_of(const struct lpi_lanes *l, enum lpi_lanes_group group,
                                      const struct logp_args *args)
{
    struct logp_invocation in = {.args = *args, .model = l->c->model, .plan.parent = -1};

    in.model.params = lpi_nodes_params(l->P, l->c, group == LPI_LANE);
    in.model.params.gap_shared = false;
    in.model.params.recv_streams = false;
    in.model.params.capacity = 0;
    in.model.links = NULL;
    in.model.ports = 0;
    in.model.arrivals = NULL;
    in.model.latency = NULL;
    in.model.faults = NULL;
    in.model.noise = NULL;
    return in;
}

static void move(const struct part *p, struct logp_buffer_ref *at)
{
    const struct logp_buffer_ref *to = at->buffer == LOGP_BUF ? &p->operands : &p->result;

    if (at->buffer == LOGP_SCRATCH) {
        at->offset += p->scratch;
        return;
    }
    at->buffer = to->buffer;
    at->offset += to->offset;
}

/* To the ranks and the places of the whole. A message without data, as that of a rank without a lane in
 * an allgather, is left out at both its ends. */
static void add_moved(struct lpi_lanes *l, const struct part *p, struct logp_step step)
{
    switch (step.kind) {
    case LOGP_STEP_SEND:
    case LOGP_STEP_RECEIVE:
        if (step.n_bytes == 0 && p->has_blocks)
            return;
        step.peer =
            p->group == LPI_INSIDE ? rank_of(l, l->node, step.peer) : rank_of(l, step.peer, l->v);
        break;
    case LOGP_STEP_COMBINE:
        move(p, &step.left);
        move(p, &step.right);
        break;
    case LOGP_STEP_COPY:
    case LOGP_STEP_COMPUTE:
        move(p, &step.right);
        break;
    }
    move(p, &step.at);
    lpi_lanes_add(l, &step);
}

/* 0; -ENOMEM, -EINVAL (no row applies) */
static int add_row(struct lpi_lanes *l, const struct logp_algorithm *row,
                   struct logp_invocation *in, const struct part *p)
{
    struct logp_step step;
    size_t end;
    int rc = row->plan != NULL ? row->plan((int)p->P, (int)p->rank, in) : 0;

    if (rc != 0)
        return rc;
    for (int64_t i = 0; l->rc == 0 && row->steps(p->P, p->rank, in, i, &step); i++)
        add_moved(l, p, step);
    end = after(p->scratch, in->plan.scratch_bytes);
    if (end > l->scratch_bytes)
        l->scratch_bytes = end;
    lpi_free_plan(&in->plan);
    return l->rc;
}

/*
 * The last answers of a thread: the plans of all ranks ask the same questions, and the cache of choices
 * may be full.
 */
struct question {
    const struct logp_collective *what;
    const struct logp_op *op;
    const char *op_name;
    int64_t P, root, count, may_differ, has_blocks, undelayed, commutative; /* no padding */
    size_t n_bytes, n_added, element_bytes;
};

struct answers {
    struct answer {
        struct question question;
        struct logp_params params;
        struct lpi_choice choice;
    } last[8];
    unsigned next;
};

static struct question question_of(const struct logp_collective *what, int64_t P,
                                   const struct logp_invocation *c)
{
    const struct logp_args args = lpi_alike(c).args;
    struct question q;

    memset(&q, 0, sizeof(q));
    q.what = what;
    q.op = args.op;
    q.op_name = args.op != NULL ? args.op->name : NULL;
    q.commutative = args.op != NULL && args.op->commutative;
    q.element_bytes = args.op != NULL ? args.op->element_bytes : 0;
    q.P = P;
    q.root = args.root;
    q.count = args.count;
    q.may_differ = args.may_differ;
    q.n_bytes = args.n_bytes;
    q.n_added = lpi_n_added();
    q.has_blocks = c->args.blocks != NULL;
    q.undelayed = c->model.undelayed;
    return q;
}

/* The row with the least prediction. 0; -ENOMEM, -EINVAL (no row applies) */
static int choose(const struct logp_collective *what, int64_t P, const struct logp_invocation *c,
                  struct lpi_choice *out)
{
    static _Thread_local void *memory;
    struct answers *a = lpi_thread_memory(&memory, sizeof(*a));
    const struct question q = question_of(what, P, c);
    int rc;

    for (size_t i = 0; a != NULL && i < sizeof(a->last) / sizeof(a->last[0]); i++)
        if (memcmp(&a->last[i].question, &q, sizeof(q)) == 0 &&
            lpi_same_params(&a->last[i].params, &c->model.params)) {
            *out = a->last[i].choice;
            return 0;
        }
    rc = lpi_choice_cached(lpi_by_formulas, what->name, P, c, out);
    if (rc != 0 || out->algorithm == NULL)
        return rc != 0 ? rc : -EINVAL;
    if (a != NULL)
        a->last[a->next++ % (sizeof(a->last) / sizeof(a->last[0]))] =
            (struct answer){q, c->model.params, *out};
    return 0;
}

void lpi_lanes_part(struct lpi_lanes *l, const struct logp_collective *what,
                    enum lpi_lanes_group group, struct logp_args args,
                    struct logp_buffer_ref operands, struct logp_buffer_ref result)
{
    struct logp_invocation in = part_of(l, group, &args);
    const struct part p = {.group = group,
                           .P = group == LPI_INSIDE ? l->size : l->N,
                           .rank = group == LPI_INSIDE ? l->v : l->node,
                           .operands = operands,
                           .result = result,
                           .scratch = l->scratch_bytes,
                           .has_blocks = args.blocks != NULL};
    struct lpi_choice best;

    if (l->rc != 0 || (group == LPI_LANE && l->v >= l->k))
        return;
    l->rc = choose(what, p.P, &in, &best);
    if (l->rc != 0)
        return;
    in.args.within = best.within;
    lpi_set_free(best.algorithm, p.P, &in, best.value);
    lpi_resolve_others(best.algorithm, p.P, &in);
    l->rc = add_row(l, best.algorithm, &in, &p);
}

/* ---- the plan ---- */

int lpi_lanes_plan(int P, int rank, struct logp_invocation *c, void (*make)(struct lpi_lanes *l),
                   bool is_vector, bool is_rooted)
{
    const int64_t m = lpi_nodes_size(P, c);
    struct lpi_lanes l = {.c = c, .P = P, .m = m, .N = lpi_ceil_div(P, m), .root_node = -1};

    if (is_vector && lpi_vector_valid(c) != 0)
        return -EINVAL;
    l.k = c->args.k > 0 ? c->args.k : 1;
    l.node = rank / m;
    l.local = rank % m;
    l.size = size_of(&l, l.node);
    if (is_rooted) {
        l.root_node = c->args.root / m;
        l.root_local = c->args.root % m;
    }
    l.whole = is_vector ? c->args.count : (int64_t)c->args.n_bytes;
    l.unit_bytes = is_vector ? lpi_element_bytes(c) : 1;
    find_virtual(&l);
    make(&l);
    if (l.list == NULL && l.rc == 0)
        l.rc = lpi_planned_add(&l.list, NULL);
    free((void *)l.blocks.before);
    if (l.rc != 0) {
        free(l.list);
        return l.rc;
    }
    c->plan.state = l.list;
    c->plan.scratch_bytes = l.scratch_bytes;
    return 0;
}
