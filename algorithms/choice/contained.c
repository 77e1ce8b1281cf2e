/* SPDX-License-Identifier: MIT */
/*
 * Rows that use a collective which contains theirs: a barrier is an allreduce without data, a reduce
 * is an allreduce whose result is dropped on all ranks but the root, and so on. Their steps are those
 * of a row of the containing collective, logp_args.within, with other places for the data. A step
 * inside the rank may come before them, and steps that end the collective after them. So `auto`
 * takes no longer than a collective that contains the one asked for. Source: Traeff, Gropp, Thakur,
 * Self-consistent MPI performance guidelines, IEEE TPDS 21(5), 2010.
 *
 * Such a row has as many candidates as the containing collective. Therefore it is for up to 64
 * processors.
 */
#include "choice/contained.h"
#include "choice/choice.h"
#include "collective/collective.h"
#include "operand/operand.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSORS = 64, MOST_SCRATCH = 4 << 20 };

/* The size of the containing collective. */
enum size {
    ONE,   /* one byte or element, which is dropped; on a topology, and on unlike links with several
            ports, where shorter messages may arrive later because they take turns on links or ports
            in another order, it is sent */
    SAME,  /* as many bytes or elements */
    WHOLE, /* as many as all blocks of this one have together */
};

/* Where the operands of the containing collective are. */
enum operands {
    OWN,      /* in buf */
    ROOTS,    /* in buf on the root, and in scratch, all 0, on the others */
    COPIED,   /* in scratch: on the root a copy of buf, on the others nothing */
    REPEATED, /* in scratch: P times the own item; all 0 on ranks without one */
};

/* Where its result is. */
enum result {
    RESULT,  /* in recv_buf, but in scratch on ranks that are not the root, if there is one */
    SCRATCH, /* in scratch */
};

/* What follows its steps. */
enum ending {
    NO_ENDING,
    TO_BUF,      /* copy the result to buf, unless this is the root */
    OWN_BLOCK,   /* copy the own block of the result to recv_buf */
    ROOTS_BLOCK, /* the same, of the root's item of the result, which has all blocks */
    ROOTS_ITEM,  /* copy the root's item of the result to recv_buf */
    ITEM_TO_BUF, /* the same, to buf, unless this is the root */
    HAND_ON,     /* send the result to the next rank */
    COMBINE_OWN, /* combine the result with the own operands, which belong to its right */
};

struct lpi_contained {
    const struct logp_collective *collective, *container;
    enum size size;
    enum operands operands;
    enum result result;
    enum ending ending;
    bool last_root;                       /* the root is the last rank */
    const struct logp_collective *before; /* its steps come first, to the root of the container */
    int (*plan)(int P, int rank, struct logp_invocation *c); /* of its row */
};

/* ---- the containing collective ---- */

/* Or, byte by byte: the result is the root's vector where those of all other ranks are 0. */
static void combine_bytes(unsigned char *acc, const unsigned char *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        acc[i] |= in[i];
}

static void combine_1(void *acc, const void *in, size_t n, void *arg)
{
    (void)arg;
    combine_bytes(acc, in, n);
}

static void combine_8(void *acc, const void *in, size_t n, void *arg)
{
    (void)arg;
    combine_bytes(acc, in, 8 * n);
}

static const struct logp_op or_1 = {.name = "or",
                                    .type = "byte",
                                    .element_bytes = 1,
                                    .commutative = true,
                                    .combine = combine_1},
                            or_8 = {.name = "or",
                                    .type = "8 bytes",
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .combine = combine_8};

static int64_t times(int64_t n, int64_t P)
{
    return n < INT64_MAX / P ? n * P : INT64_MAX;
}

/* Whether items take part in combinations, of which they are the result. */
static bool combines_items(const struct lpi_contained *x)
{
    return x->collective->operands == LOGP_OPERANDS_BYTES &&
           x->container->operands == LOGP_OPERANDS_VECTOR;
}

static const struct logp_op *op_of_items(size_t n_bytes)
{
    return n_bytes % 8 == 0 ? &or_8 : &or_1;
}

/* The rank with the largest block: on most networks all others come there soonest. */
static int largest_block(const struct logp_invocation *c)
{
    const struct logp_blocks *b = c->args.blocks;
    int64_t best = 0;

    for (int64_t i = 1; b != NULL && i < b->n; i++)
        if (b->before[i + 1] - b->before[i] > b->before[best + 1] - b->before[best])
            best = i;
    return (int)best;
}

struct logp_invocation lpi_within(const struct lpi_contained *x, int64_t P,
                                  const struct logp_invocation *c)
{
    struct logp_invocation in = {.args = c->args, .model = c->model, .plan.parent = -1};
    const struct logp_blocks *blocks = c->args.blocks;

    in.args.within = in.args.first = NULL;
    in.args.first_k = 0;
    in.args.in_place = false;
    in.args.may_differ = 1; /* all results but those of this collective are dropped */
    in.args.work_ns = 0;
    if (x->size == ONE) {
        in.args.op = &or_8;
        in.args.count = 1;
        in.args.n_bytes = 1;
    } else if (x->size == WHOLE) {
        in.args.blocks = NULL;
        in.args.count =
            blocks != NULL ? (int64_t)blocks->before[blocks->n] : times(c->args.count, P);
        in.args.n_bytes =
            blocks != NULL ? blocks->before[blocks->n] : lpi_bytes((size_t)P, c->args.n_bytes);
    }
    if (x->before != NULL)
        in.args.root = largest_block(c);
    if (x->size != ONE && combines_items(x)) {
        in.args.op = op_of_items(in.args.n_bytes);
        in.args.count = (int64_t)(in.args.n_bytes / in.args.op->element_bytes);
        in.model.params.gamma_ps = 0;
    }
    return in;
}

const struct logp_collective *lpi_before_of(const struct lpi_contained *x)
{
    return x->before;
}

struct logp_invocation lpi_first(const struct logp_invocation *c)
{
    struct logp_invocation in = {.args = c->args, .model = c->model, .plan.parent = -1};

    in.args.within = in.args.first = NULL;
    in.args.in_place = false;
    in.args.root = largest_block(c);
    in.args.k = c->args.first_k;
    in.args.first_k = in.args.window = in.args.block_bytes = 0;
    return in;
}

bool lpi_takes_the_same(const struct lpi_contained *x)
{
    return x->before == NULL && x->size != ONE && x->ending != HAND_ON && x->ending != COMBINE_OWN;
}

/* Whether the links are alike, and not shared, and begin at one port. */
static bool are_alike(const struct logp_invocation *c)
{
    return c->model.links == NULL && c->model.topology == NULL && !lpi_has_ports(&c->model);
}

/* Whether a row can be used in x. */
static bool fits(const struct lpi_contained *x, const struct logp_algorithm *a, int64_t P,
                 const struct logp_invocation *in)
{
    return strcmp(a->collective, x->container->name) == 0 && a->steps != NULL && !a->survives &&
           lpi_contained_of(a) == NULL && !(are_alike(in) && lpi_is_for_links(a)) &&
           lpi_needs(a, P, in) == NULL;
}

const struct logp_algorithm *lpi_next_within(const struct lpi_contained *x, int64_t P,
                                             const struct logp_invocation *c, size_t *i)
{
    const struct logp_invocation in = lpi_within(x, P, c);
    const struct logp_algorithm *a;

    while ((a = logp_algorithm_at(x->container->name, *i)) != NULL && !fits(x, a, P, &in))
        ++*i;
    return a;
}

/* Whether logp_args.first, if it is given, can come first. */
static bool comes_first(const struct lpi_contained *x, int64_t P, const struct logp_invocation *c)
{
    const struct logp_algorithm *a = c->args.first;
    const struct logp_invocation in = lpi_first(c);

    return a == NULL || (strcmp(a->collective, x->before->name) == 0 && a->steps != NULL &&
                         lpi_contained_of(a) == NULL && lpi_needs(a, P, &in) == NULL);
}

static const char *needs(const struct lpi_contained *x, int64_t P, const struct logp_invocation *c)
{
    if (P < 2 || P > MOST_PROCESSORS)
        return "2 to 64 processors";
    if (x->ending == ROOTS_BLOCK && lpi_bytes((size_t)(P * P), c->args.n_bytes) > MOST_SCRATCH)
        return "P * P items of up to 4 MiB together";
    if (x->last_root && c->args.root != P - 1)
        return "the last rank as the root";
    if (x->collective == &lpi_broadcast && c->args.work_ns > 0)
        return "no work on the item";
    if (x->before != NULL && c->args.blocks == NULL)
        return "blocks of unlike sizes (--counts)";
    if (x->before != NULL && c->model.rendezvous_from > 0)
        return "sends that do not wait for their receivers";
    if (x->before != NULL && !comes_first(x, P, c))
        return "a row of the collective that comes first";
    if (c->args.within != NULL) {
        const struct logp_invocation in = lpi_within(x, P, c);

        if (!fits(x, c->args.within, P, &in))
            return "a row of the collective that contains it";
    }
    return NULL;
}

/* ---- the plan of a rank ---- */

/* plan.outer; the rest of the plan is that of the row within. */
struct outer {
    struct logp_invocation in;               /* of the row within */
    struct logp_buffer_ref operands, result; /* of the containing collective */
    size_t operand_bytes;
    bool begins;      /* there is a step before those of the row within */
    int64_t n_within; /* steps of the row within, if steps follow them */
};

static bool is_root(int64_t rank, const struct logp_invocation *c)
{
    return rank == c->args.root;
}

/* n_bytes of scratch behind those that are in use. */
static struct logp_buffer_ref in_scratch(size_t *in_use, size_t n_bytes)
{
    const struct logp_buffer_ref at = {LOGP_SCRATCH, lpi_slot_bytes(*in_use)};

    *in_use = at.offset + n_bytes;
    return at;
}

static void find_places(const struct lpi_contained *x, int64_t P, int64_t rank,
                        const struct logp_invocation *c, struct outer *o, size_t *in_use)
{
    size_t result_bytes;

    x->container->sizes((int)P, (int)rank, &o->in, &o->operand_bytes, &result_bytes);
    o->operands = (struct logp_buffer_ref){LOGP_BUF, 0};
    o->result = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
    if (x->operands != OWN && !(x->operands == ROOTS && is_root(rank, c)))
        o->operands = in_scratch(in_use, o->operand_bytes);
    if (x->operands == COPIED)
        o->result = o->operands;
    else if (x->result == SCRATCH || (x->collective->rooted && !is_root(rank, c)))
        o->result = in_scratch(in_use, result_bytes);
    o->begins = o->operands.buffer == LOGP_SCRATCH && o->operand_bytes > 0 &&
                (x->operands != COPIED || is_root(rank, c));
}

/* Whether the messages of a barrier have the data of the containing collective. */
static bool sends_data(const struct logp_invocation *c)
{
    return c->model.topology != NULL || (c->model.links != NULL && lpi_has_ports(&c->model));
}

/* All messages of a barrier are from and to the same place in scratch, which is cleared before. */
static void find_place(const struct logp_algorithm *a, int64_t P, int64_t rank,
                       const struct logp_invocation *c, struct outer *o, size_t *in_use)
{
    struct logp_step step;

    for (int64_t i = 0; sends_data(c) && a->steps(P, rank, &o->in, i, &step); i++)
        if ((step.kind == LOGP_STEP_SEND || step.kind == LOGP_STEP_RECEIVE) &&
            step.n_bytes > o->operand_bytes)
            o->operand_bytes = step.n_bytes;
    o->operands = in_scratch(in_use, o->operand_bytes);
    o->begins = o->operand_bytes > 0;
}

static int64_t count_steps(const struct logp_algorithm *a, int64_t P, int64_t rank,
                           const struct logp_invocation *in)
{
    struct logp_step step;
    int64_t n = 0;

    while (a->steps(P, rank, in, n, &step))
        n++;
    return n;
}

static void move_to(struct logp_buffer_ref *at, struct logp_buffer_ref buf,
                    struct logp_buffer_ref recv_buf, size_t scratch)
{
    const struct logp_buffer_ref to = at->buffer == LOGP_BUF        ? buf
                                      : at->buffer == LOGP_RECV_BUF ? recv_buf
                                                                    : in_scratch(&scratch, 0);

    at->buffer = to.buffer;
    at->offset += to.offset;
}

/* Add the steps of a row with its data in other places, and its scratch behind that in use.
 * 0; -ENOMEM, -EINVAL */
static int add_steps(struct lpi_planned **list, const struct logp_algorithm *a, int P, int rank,
                     struct logp_invocation *in, struct logp_buffer_ref buf,
                     struct logp_buffer_ref recv_buf, size_t *in_use)
{
    struct logp_step step;
    int rc = a->plan != NULL ? a->plan(P, rank, in) : 0;

    if (rc != 0)
        return rc;
    for (int64_t i = 0; rc == 0 && a->steps(P, rank, in, i, &step); i++) {
        move_to(&step.at, buf, recv_buf, *in_use);
        if (step.kind == LOGP_STEP_COPY || step.kind == LOGP_STEP_COMPUTE)
            move_to(&step.right, buf, recv_buf, *in_use);
        rc = lpi_planned_add(list, &step);
    }
    in_scratch(in_use, in->plan.scratch_bytes);
    lpi_free_plan(&in->plan);
    return rc;
}

/* All blocks are one after the other in `all`, from where they go to their places. */
static int plan_sequence(const struct lpi_contained *x, int P, int rank, struct logp_invocation *c)
{
    const struct logp_buffer_ref buf = {LOGP_BUF, 0};
    const struct logp_blocks *blocks = c->args.blocks, together = {blocks->n, blocks->before, NULL};
    struct logp_invocation before = lpi_first(c), in = lpi_within(x, P, c);
    struct logp_buffer_ref all = {LOGP_RECV_BUF, 0};
    struct lpi_planned *list = NULL;
    size_t in_use = 0;
    int rc = lpi_planned_add(&list, NULL);

    if (blocks->displs != NULL)
        all = in_scratch(&in_use, in.args.n_bytes);
    before.args.blocks = &together;
    if (rc == 0)
        rc = add_steps(&list, c->args.first, P, rank, &before, buf, all, &in_use);
    if (rc == 0)
        rc = add_steps(&list, c->args.within, P, rank, &in, all, all, &in_use);
    for (int64_t i = 0; rc == 0 && blocks->displs != NULL && i < P; i++) {
        const struct logp_buffer_ref from = {all.buffer, all.offset + blocks->before[i]};
        struct logp_step step;

        logp_step_copy(&step, (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_item_at(c, i)}, from,
                       lpi_items(c, i, 1));
        rc = lpi_planned_add(&list, &step);
    }
    if (rc != 0) {
        free(list);
        return rc;
    }
    c->plan.state = list;
    c->plan.scratch_bytes = in_use;
    return 0;
}

static int plan(const struct lpi_contained *x, int P, int rank, struct logp_invocation *c)
{
    const struct logp_algorithm *a = c->args.within;
    struct outer *o;
    size_t in_use;
    int rc;

    if (x->before != NULL)
        return a != NULL && c->args.first != NULL && c->args.blocks != NULL
                   ? plan_sequence(x, P, rank, c)
                   : -EINVAL;
    o = calloc(1, sizeof(*o));
    rc = o == NULL ? -ENOMEM : a == NULL ? -EINVAL : 0;
    if (rc == 0) {
        o->in = lpi_within(x, P, c);
        rc = a->plan != NULL ? a->plan(P, rank, &o->in) : 0;
    }
    if (rc != 0) {
        free(o);
        return rc;
    }
    in_use = o->in.plan.scratch_bytes;
    if (x->size == ONE)
        find_place(a, P, rank, c, o, &in_use);
    else
        find_places(x, P, rank, c, o, &in_use);
    if (x->ending != NO_ENDING)
        o->n_within = count_steps(a, P, rank, &o->in);
    if (combines_items(x))
        c->args.op = o->in.args.op; /* of the combinations of a run */
    c->plan = o->in.plan;
    c->plan.scratch_bytes = in_use;
    c->plan.outer = o;
    return 0;
}

/* ---- the steps of a rank ---- */

static bool has_item(const struct lpi_contained *x, int64_t P, int64_t rank,
                     const struct logp_invocation *c)
{
    return x->collective->given == NULL || x->collective->given(P, rank, c) > 0;
}

/* Make operands in scratch. All scratch is cleared, so that lpi_clear_scratch() need not know where
 * they are. */
static bool begin(const struct lpi_contained *x, int64_t P, int64_t rank,
                  const struct logp_invocation *c, struct logp_step *out)
{
    const struct outer *o = c->plan.outer;
    const struct logp_buffer_ref buf = {LOGP_BUF, 0};

    if (x->operands == COPIED)
        return logp_step_copy(out, o->operands, buf, o->operand_bytes);
    if (x->operands == REPEATED && has_item(x, P, rank, c)) {
        logp_step_copy(out, o->operands, buf, c->args.n_bytes);
        out->n = P;
        out->right_stride = 0;
        return true;
    }
    logp_step_compute(out, 0, 0);
    out->n_bytes = o->operand_bytes;
    out->at = out->right = o->operands;
    out->work = lpi_clear_scratch;
    return true;
}

static void move(const struct outer *o, struct logp_buffer_ref *at)
{
    const struct logp_buffer_ref *to = at->buffer == LOGP_BUF ? &o->operands : &o->result;

    if (at->buffer == LOGP_SCRATCH)
        return;
    at->buffer = to->buffer;
    at->offset += to->offset;
}

/* To the places of the data of this collective. */
static bool move_step(const struct outer *o, struct logp_step *step)
{
    const bool is_message = step->kind == LOGP_STEP_SEND || step->kind == LOGP_STEP_RECEIVE;

    move(o, &step->at);
    if (!is_message && (step->kind != LOGP_STEP_COMPUTE || step->n_bytes > 0))
        move(o, &step->right);
    if (step->kind == LOGP_STEP_COMBINE && !step->into_one)
        move(o, &step->left);
    return true;
}

/* Drop the data of a step; where data is sent, it takes its time. */
static bool empty_step(const struct outer *o, struct logp_step *step)
{
    const bool is_message = step->kind == LOGP_STEP_SEND || step->kind == LOGP_STEP_RECEIVE;

    if (!is_message || o->operand_bytes == 0)
        step->n_bytes = 0;
    if (step->kind == LOGP_STEP_COMPUTE)
        step->work = NULL;
    if (step->kind == LOGP_STEP_COMBINE && o->operand_bytes == 0)
        step->ns = 0;
    step->n = 0;
    step->at = step->left = step->right = o->operands;
    return true;
}

/* Copy block or item i of the result. */
static bool copy_part(const struct lpi_contained *x, const struct logp_invocation *c,
                      enum logp_buffer to, int64_t i, struct logp_step *out)
{
    const struct outer *o = c->plan.outer;
    const bool are_elements = x->collective->operands == LOGP_OPERANDS_VECTOR;
    const size_t unit = are_elements ? c->args.op->element_bytes : 1;
    struct logp_invocation parts = {.args = c->args};

    if (are_elements)
        parts.args.n_bytes = (size_t)c->args.count;
    return logp_step_copy(out, (struct logp_buffer_ref){to, 0},
                          (struct logp_buffer_ref){
                              o->result.buffer, o->result.offset + unit * lpi_items(&parts, 0, i)},
                          unit * lpi_items(&parts, i, 1));
}

/* Step i after those of the row within. */
static bool end(const struct lpi_contained *x, int64_t P, int64_t rank,
                const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    const struct outer *o = c->plan.outer;
    const struct logp_buffer_ref buf = {LOGP_BUF, 0};

    switch (x->ending) {
    case NO_ENDING:
        break;
    case TO_BUF:
        return i == 0 && !is_root(rank, c) && logp_step_copy(out, buf, o->result, c->args.n_bytes);
    case OWN_BLOCK:
        return i == 0 && copy_part(x, c, LOGP_RECV_BUF, rank, out);
    case ROOTS_BLOCK:
        return i == 0 && copy_part(x, c, LOGP_RECV_BUF, c->args.root * P + rank, out);
    case ROOTS_ITEM:
        return i == 0 && copy_part(x, c, LOGP_RECV_BUF, c->args.root, out);
    case ITEM_TO_BUF:
        return i == 0 && !is_root(rank, c) && copy_part(x, c, LOGP_BUF, c->args.root, out);
    case HAND_ON:
        if (rank < P - 1 && i-- == 0)
            return logp_step_send(out, rank + 1, c->args.tag, o->result.buffer, o->result.offset,
                                  lpi_vector_bytes(c));
        return rank > 0 && i == 0 && lpi_receive_vector(out, c, rank - 1, LOGP_RECV_BUF);
    case COMBINE_OWN:
        if (i > 0 || (x->collective->rooted && !is_root(rank, c)))
            return false;
        return rank == 0 ? logp_step_copy(out, o->result, buf, lpi_vector_bytes(c))
                         : lpi_combine_at(out, c, o->result, o->result, buf);
    }
    return false;
}

static bool steps(const struct lpi_contained *x, int64_t P, int64_t rank,
                  const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    const struct outer *o = c->plan.outer;

    if (x->before != NULL)
        return lpi_planned_steps(P, rank, c, i, out);
    if (o->begins && i-- == 0)
        return begin(x, P, rank, c, out);
    if (x->ending != NO_ENDING && i >= o->n_within)
        return end(x, P, rank, c, i - o->n_within, out);
    return c->args.within->steps(P, rank, &o->in, i, out) &&
           (x->size == ONE ? empty_step(o, out) : move_step(o, out));
}

/* ---- the rows ---- */

static const char source[] = "Traeff, Gropp & Thakur 2010";

/* The functions of a row do not get the row. */
#define CONTAINED(name_, collective_, container_, ...)                                             \
    static int name_##_plan(int P, int rank, struct logp_invocation *c);                           \
    static const struct lpi_contained name_ = {.collective = &lpi_##collective_,                   \
                                               .container = &lpi_##container_,                     \
                                               .plan = name_##_plan,                               \
                                               __VA_ARGS__};                                       \
    static int name_##_plan(int P, int rank, struct logp_invocation *c)                            \
    {                                                                                              \
        return plan(&name_, P, rank, c);                                                           \
    }                                                                                              \
    static bool name_##_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i, \
                              struct logp_step *out)                                               \
    {                                                                                              \
        return steps(&name_, P, rank, c, i, out);                                                  \
    }                                                                                              \
    static const char *name_##_needs(int64_t P, const struct logp_invocation *c)                   \
    {                                                                                              \
        return needs(&name_, P, c);                                                                \
    }

#define ROW(name_, collective_, container_, summary_)                                              \
    LOGP_ALGORITHM(collective_, "by-" container_, summary_, source),                               \
        .needs = name_##_needs, .plan = name_##_plan, .steps = name_##_steps

CONTAINED(barrier_allreduce, barrier, allreduce, .size = ONE)
CONTAINED(barrier_allgather, barrier, allgather, .size = ONE)
CONTAINED(barrier_alltoall, barrier, alltoall, .size = ONE)
CONTAINED(reduce_allreduce, reduce, allreduce, .size = SAME)
CONTAINED(reduce_scan, reduce, scan, .size = SAME, .last_root = true)
CONTAINED(reduce_exscan, reduce, exscan, .size = SAME, .last_root = true, .ending = COMBINE_OWN)
CONTAINED(broadcast_allreduce, broadcast, allreduce, .size = SAME, .operands = ROOTS,
          .result = SCRATCH, .ending = TO_BUF)
CONTAINED(broadcast_allgather, broadcast, allgather, .size = SAME, .operands = ROOTS,
          .result = SCRATCH, .ending = ITEM_TO_BUF)
CONTAINED(broadcast_alltoall, broadcast, alltoall, .size = SAME, .operands = REPEATED,
          .result = SCRATCH, .ending = ITEM_TO_BUF)
CONTAINED(gather_allgather, gather, allgather, .size = SAME)
CONTAINED(gather_alltoall, gather, alltoall, .size = SAME, .operands = REPEATED)
CONTAINED(scatter_alltoall, scatter, alltoall, .size = SAME, .operands = ROOTS, .result = SCRATCH,
          .ending = ROOTS_ITEM)
CONTAINED(scatter_allreduce, scatter, allreduce, .size = WHOLE, .operands = ROOTS,
          .result = SCRATCH, .ending = OWN_BLOCK)
CONTAINED(scatter_allgather, scatter, allgather, .size = WHOLE, .operands = ROOTS,
          .result = SCRATCH, .ending = ROOTS_BLOCK)
CONTAINED(scatter_broadcast, scatter, broadcast, .size = WHOLE, .operands = COPIED,
          .ending = OWN_BLOCK)
CONTAINED(allgather_alltoall, allgather, alltoall, .size = SAME, .operands = REPEATED)
CONTAINED(allgather_broadcast, allgather, broadcast, .size = WHOLE, .before = &lpi_gather)
CONTAINED(reduce_scatter_allreduce, reduce_scatter, allreduce, .size = WHOLE, .result = SCRATCH,
          .ending = OWN_BLOCK)
CONTAINED(exscan_scan, exscan, scan, .size = SAME, .result = SCRATCH, .ending = HAND_ON)
CONTAINED(scan_exscan, scan, exscan, .size = SAME, .ending = COMBINE_OWN)

static const struct lpi_contained *const all[] = {
    &barrier_allreduce,   &barrier_allgather,        &barrier_alltoall,  &reduce_allreduce,
    &reduce_scan,         &broadcast_allreduce,      &reduce_exscan,     &broadcast_allgather,
    &broadcast_alltoall,  &gather_allgather,         &gather_alltoall,   &scatter_alltoall,
    &scatter_allreduce,   &scatter_allgather,        &scatter_broadcast, &allgather_alltoall,
    &allgather_broadcast, &reduce_scatter_allreduce, &exscan_scan,       &scan_exscan};

const struct lpi_contained *lpi_contained_of(const struct logp_algorithm *a)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i]->plan == a->plan)
            return all[i];
    return NULL;
}

static const struct logp_algorithm barriers[] = {
    {ROW(barrier_allreduce, "barrier", "allreduce", "an allreduce without data")},
    {ROW(barrier_allgather, "barrier", "allgather", "an allgather without data")},
    {ROW(barrier_alltoall, "barrier", "alltoall", "an all-to-all without data")},
};

static const struct logp_algorithm reduces[] = {
    {ROW(reduce_allreduce, "reduce", "allreduce", "an allreduce, whose result the root keeps")},
    {ROW(reduce_scan, "reduce", "scan", "a scan, whose last result is kept")},
    {ROW(reduce_exscan, "reduce", "exscan", "an exscan, whose last result is combined")},
};

static const struct logp_algorithm broadcasts[] = {
    {ROW(broadcast_allreduce, "broadcast", "allreduce", "an allreduce; all others have zeros")},
    {ROW(broadcast_allgather, "broadcast", "allgather", "an allgather, of which one item is kept")},
    {ROW(broadcast_alltoall, "broadcast", "alltoall", "an all-to-all of the same item")},
};

static const struct logp_algorithm gathers[] = {
    {ROW(gather_allgather, "gather", "allgather", "an allgather, whose result the root keeps"),
     .any_blocks = true},
    {ROW(gather_alltoall, "gather", "alltoall", "an all-to-all, whose result the root keeps")},
};

static const struct logp_algorithm scatters[] = {
    {ROW(scatter_alltoall, "scatter", "alltoall",
         "an all-to-all, of which the root's item is kept")},
    {ROW(scatter_allreduce, "scatter", "allreduce",
         "an allreduce of all items; all others have zeros")},
    {ROW(scatter_allgather, "scatter", "allgather",
         "an allgather of all items, of which the root's are kept")},
    {ROW(scatter_broadcast, "scatter", "broadcast", "a broadcast of all items")},
};

static const struct logp_algorithm allgathers[] = {
    {ROW(allgather_alltoall, "allgather", "alltoall", "an all-to-all of the same item")},
    {ROW(allgather_broadcast, "allgather", "broadcast",
         "a gather of blocks of unlike sizes, then a broadcast of all"),
     .any_blocks = true},
};

static const struct logp_algorithm reduce_scatters[] = {
    {ROW(reduce_scatter_allreduce, "reduce-scatter", "allreduce",
         "an allreduce of all blocks, of which one is kept"),
     .any_blocks = true},
};

static const struct logp_algorithm exscans[] = {
    {ROW(exscan_scan, "exscan", "scan", "a scan, whose results go to the next rank")},
};

static const struct logp_algorithm scans[] = {
    {ROW(scan_exscan, "scan", "exscan", "an exscan, then the own vector")},
};

const struct lpi_rows lpi_contained_barrier = LPI_ROWS(barriers),
                      lpi_contained_reduce = LPI_ROWS(reduces),
                      lpi_contained_broadcast = LPI_ROWS(broadcasts),
                      lpi_contained_gather = LPI_ROWS(gathers),
                      lpi_contained_scatter = LPI_ROWS(scatters),
                      lpi_contained_allgather = LPI_ROWS(allgathers),
                      lpi_contained_reduce_scatter = LPI_ROWS(reduce_scatters),
                      lpi_contained_exscan = LPI_ROWS(exscans),
                      lpi_contained_scan = LPI_ROWS(scans);
