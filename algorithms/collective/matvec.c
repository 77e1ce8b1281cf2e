/* SPDX-License-Identifier: MIT */
/*
 * Matrix times vector on n x n processors, the worked example of recursive doubling: a broadcast
 * down the columns, a product on every processor, and a reduction along the rows.
 *
 * Processor (i, j), rank i n + j, holds a block of count x count elements of the matrix A, row by
 * row, in buf. Its piece of the vector x follows in buf: count elements, given to the processors of
 * row 0 and broadcast from there. The pieces of the result end in recv_buf of column 0: count
 * elements each. Elements combine by the operation and multiply by `prod` of its type: with `sum`
 * that is the usual product. A multiplication and the combination that goes with it together cost
 * gamma, as does each combination in the reduction. Source: Grama et al. 2003, ch. 4.1.
 */
#include "predict/predict.h"
#include "reduce/reduce.h"
#include "schedule/reader.h"
#include "schedule/schedule.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct logp_op *times(const struct logp_invocation *c)
{
    return c->args.op != NULL ? logp_op_find("prod", c->args.op->type) : NULL;
}

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    if (lpi_needs_square(P, c) != NULL)
        return lpi_needs_square(P, c);
    if (c->args.count < 1 || c->args.count > INT32_MAX)
        return "1 .. 2^31 - 1 elements on each processor";
    if (c->args.op != NULL &&
        (times(c) == NULL || times(c)->element_bytes != c->args.op->element_bytes))
        return "elements of a built-in type";
    return lpi_needs_commutative(P, c);
}

/* ---- operands and results ---- */

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    const size_t piece = lpi_vector_bytes(c);

    (void)P, (void)rank;
    *recv_buf = piece;
    *buf = lpi_bytes((size_t)c->args.count + 1, piece);
}

static char *piece_of(const struct logp_invocation *c, void *buf)
{
    return (char *)buf + (size_t)c->args.count * lpi_vector_bytes(c);
}

/* One element: the combination of the products of a row with x; row is overwritten. */
static void dot(const struct logp_invocation *c, char *row, const char *x, char *out)
{
    const size_t n = (size_t)c->args.count, size = c->args.op->element_bytes;
    const struct logp_op *prod = times(c);

    prod->combine(row, x, n, prod->arg);
    for (size_t left = n; left > 1; left -= left / 2) /* the upper half into the lower */
        c->args.op->combine(row, row + (left - left / 2) * size, left / 2, c->args.op->arg);
    memcpy(out, row, size);
}

/* Compute y = A x of one block; row: space for a row of it. */
static void multiply(const struct logp_invocation *c, const char *block, const char *x, char *y,
                     char *row)
{
    const size_t bytes = lpi_vector_bytes(c);

    for (int64_t i = 0; i < c->args.count; i++) {
        memcpy(row, block + (size_t)i * bytes, bytes);
        dot(c, row, x, y + (size_t)i * c->args.op->element_bytes);
    }
}

/* The row of blocks again, one block after the other. */
static int check(int P, int rank, uint64_t seed, const struct logp_invocation *c, const void *buf,
                 const void *recv_buf)
{
    const int side = (int)lpi_side(P);
    const size_t bytes = lpi_vector_bytes(c), n = (size_t)c->args.count;
    char *work;
    int right = -ENOMEM;

    (void)buf;
    if (rank % side != 0)
        return true;
    work = malloc((n + 4) * bytes); /* a block, x, its product, the sum, a row */
    if (work != NULL) {
        char *x = work + n * bytes, *y = x + bytes, *sum = y + bytes, *row = sum + bytes;

        for (int j = 0; j < side; j++) {
            const size_t of_one = n * n + (rank == 0 ? n : 0);

            if (lpi_operands(c->args.op, seed, rank + j, of_one, 0, n * n, work) != 0 ||
                lpi_operands(c->args.op, seed, j, n * n + n, n * n, n, x) != 0) {
                free(work);
                return -ENOMEM;
            }
            multiply(c, work, x, j == 0 ? sum : y, row);
            if (j > 0)
                c->args.op->combine(sum, y, n, c->args.op->arg);
        }
        right = lpi_same(recv_buf, sum, bytes, c->args.op);
    }
    free(work);
    return right;
}

/* ---- the algorithm ---- */

/* plan.state. The plan's children are those down the column, in the order of sending, then those
 * along the row, in the order of receiving; plan.scratch holds a vector. */
struct lines {
    int above, left; /* parents; -1: none */
    int n_below;     /* children down the column */
    /* The times of the product: after each send of x but the last, then, and after each receive of y
     * but the last. */
    int64_t after_send, product, after_receive;
};

/* The children of a line of processors from `first` on, `step` apart. -1; or its parent */
static int take_plan(const struct logp_rank_plan *plan, int first, int step, int *children)
{
    for (int i = 0; i < plan->n_children; i++)
        children[i] = first + plan->children[i] * step;
    return plan->parent >= 0 ? first + plan->parent * step : -1;
}

static int make_plan(int side, int rank, const struct logp_invocation *down,
                     const struct logp_invocation *along, struct logp_invocation *c)
{
    const int i = rank / side, j = rank % side;
    const int n_below = down->plan.n_children, n = n_below + along->plan.n_children;
    struct lines *s = malloc(sizeof(*s));

    c->plan = (struct logp_rank_plan){
        .parent = -1, .n_children = n, .state = s, .scratch_bytes = lpi_vector_bytes(c)};
    c->plan.children = malloc((size_t)(n > 0 ? n : 1) * sizeof(int));
    if (s == NULL || c->plan.children == NULL) {
        lpi_free_plan(&c->plan);
        return -ENOMEM;
    }
    *s = (struct lines){.n_below = n_below,
                        .product = lpi_combine_ns(&c->model.params, c->args.count * c->args.count)};
    s->above = take_plan(&down->plan, j, side, c->plan.children);
    s->left = take_plan(&along->plan, i * side, 1, c->plan.children + n_below);
    return 0;
}

/* Plan with the trees of a column and a row, which are freed. error: of their plans */
static int plan_with(int side, int rank, struct logp_invocation *down,
                     struct logp_invocation *along, int error, struct logp_invocation *c)
{
    int rc = c->args.op == NULL ? -EINVAL : error;

    if (rc == 0) {
        lpi_reverse_children(&along->plan);
        rc = make_plan(side, rank, down, along, c);
    }
    lpi_free_plan(&down->plan);
    lpi_free_plan(&along->plan);
    return rc;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int side = (int)lpi_side(P);
    struct logp_invocation down = {.plan.parent = -1}, along = {.plan.parent = -1};
    int rc = lpi_plan_binomial(side, rank / side, &down);

    if (rc == 0)
        rc = lpi_plan_binomial(side, rank % side, &along);
    return plan_with(side, rank, &down, &along, rc, c);
}

/* The best broadcast tree for a piece of x, and backwards the best for a reduction of y. */
static int plan_optimal(int P, int rank, struct logp_invocation *c)
{
    const int side = (int)lpi_side(P);
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));
    const struct lpi_reduce_times r = lpi_reduce_times(c);
    struct logp_invocation down = {.plan.parent = -1}, along = {.plan.parent = -1};
    struct logp_tree of_x, of_y;
    int rc = logp_tree_init(&of_x, side, t.D, t.E);

    if (rc == 0)
        rc = logp_tree_init(&of_y, side, r.a, r.B);
    if (rc == 0)
        rc = lpi_plan_optimal(&of_x, rank / side, &down);
    if (rc == 0)
        rc = lpi_plan_optimal(&of_y, rank % side, &along);
    return plan_with(side, rank, &down, &along, rc, c);
}

/* As predict(), with these trees. For E > D it is folded. */
static struct logp_prediction predict_optimal(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));
    const struct lpi_reduce_times r = lpi_reduce_times(c);
    const int64_t side = lpi_side(P);
    struct logp_tree of_x, of_y;

    if (P == 1)
        return lpi_exact(lpi_combine_ns(&c->model.params, c->args.count * c->args.count));
    if (c->model.params.gap_shared || t.E > t.D || logp_tree_init(&of_x, side, t.D, t.E) != 0 ||
        logp_tree_init(&of_y, side, r.a, r.B) != 0)
        return lpi_no_prediction();
    return lpi_exact((__int128)logp_tree_time(&of_x) + logp_tree_time(&of_y) +
                     lpi_combine_ns(&c->model.params, c->args.count * c->args.count));
}

static const char *needs_optimal(int64_t P, const struct logp_invocation *c)
{
    const char *why = needs(P, c);

    if (why != NULL || c->args.op == NULL)
        return why;
    return lpi_max(lpi_reduce_times(c).a, lpi_times(&c->model.params, lpi_vector_bytes(c)).E) >
                   3 * LOGP_PARAM_MAX_NS
               ? "messages that take less than 34 days"
               : NULL;
}

/* ---- opposite: of the processors of a row, those that get x late send y late ---- */

/*
 * With the trees of `optimal`, all of a row have one position in the trees of their columns, and the
 * last row starts its reduction when all others are done with x. Here row 0 has the roots of the
 * columns, column 0 those of the rows. In the rest, side - 1 on each side, processor (i, j) takes
 * pair (i + j) mod (side - 1) of a position in its column's tree and one in its row's: a Latin
 * square, so that each tree has each position once. The q-th pair has the position of the column that
 * is done with x as the q-th, and the one of the row whose y may come as the q-th last.
 */
struct position {
    __int128 time;
    int id;
};

static int compare_positions(const void *a, const void *b)
{
    const struct position *x = a, *y = b;

    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->id > y->id) - (x->id < y->id);
}

/* Sort positions 1 .. side - 1 of a tree by their time to the root plus the time that they spend on
 * their children. Messages of children start E apart and take `busy`; in the waits between them a
 * processor multiplies, so a long product leaves only `busy` for each. last_first: the longest time
 * first. */
static void order_positions(const struct logp_tree *tree, int side, int64_t busy, int64_t E,
                            int64_t product, bool last_first, struct position *order)
{
    for (int id = 1; id < side; id++) {
        const struct logp_tree_node node = logp_tree_find(tree, id);
        const int64_t n = logp_tree_children(tree, &node);
        const __int128 time =
            logp_tree_label(tree, &node) + lpi_later((__int128)n * busy, (__int128)n * E - product);

        order[id - 1] = (struct position){last_first ? -time : time, id};
    }
    qsort(order, (size_t)side - 1, sizeof(*order), compare_positions);
}

/* Which pair has this position. */
static int pair_of(const struct position *order, int id)
{
    int q = 0;

    while (order[q].id != id)
        q++;
    return q;
}

/* The position in line `at` of the processor that is `along` it. */
static int position_at(int side, const struct position *order, int at, int along)
{
    return at == 0 || along == 0 ? along : order[(at + along) % (side - 1)].id;
}

/* Where in line `at` a position is. */
static int place_at(int side, const struct position *order, int at, int id)
{
    const int inner = side - 1;

    return at == 0 || id == 0 ? id : 1 + (pair_of(order, id) + 2 * inner - at - 1) % inner;
}

/* The plan of the processor that is `along` line `at`, with places in place of positions. */
static int plan_line(const struct logp_tree *tree, const struct position *order, int at, int along,
                     struct logp_invocation *line)
{
    const int side = (int)tree->P;
    const int rc = lpi_plan_optimal(tree, position_at(side, order, at, along), line);

    if (rc != 0)
        return rc;
    if (line->plan.parent >= 0)
        line->plan.parent = place_at(side, order, at, line->plan.parent);
    for (int i = 0; i < line->plan.n_children; i++)
        line->plan.children[i] = place_at(side, order, at, line->plan.children[i]);
    return 0;
}

/* Spend a part of the product's time in each of so many waits, which are that long.
 * @return the time of a part */
static int64_t take_parts(int64_t *product, int64_t waits, int64_t wait)
{
    const int64_t most = waits > 0 ? *product / waits : 0, part = most < wait ? most : wait;

    *product -= waits * part;
    return part;
}

/* A processor multiplies where it would only wait to send to its next child, or to receive from it. */
static void spread_product(struct lines *s, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, lpi_vector_bytes(c));
    const int64_t busy = p->o_recv_ns + lpi_combine_ns(p, c->args.count);
    const int64_t n_along = c->plan.n_children - s->n_below;

    if (p->gap_shared)
        return;
    s->after_send = take_parts(&s->product, lpi_max(s->n_below - 1, 0), t.E - p->o_send_ns);
    s->after_receive =
        take_parts(&s->product, lpi_max(n_along - 1, 0), lpi_reduce_times(c).B - busy);
}

static int plan_opposite(int P, int rank, struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int side = (int)lpi_side(P), i = rank / side, j = rank % side;
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));
    const struct lpi_reduce_times r = lpi_reduce_times(c);
    struct logp_invocation down = {.plan.parent = -1}, along = {.plan.parent = -1};
    struct position *order = malloc(2 * (size_t)side * sizeof(*order));
    struct logp_tree of_x, of_y;
    int rc = order == NULL ? -ENOMEM : c->args.op == NULL ? -EINVAL : 0;

    if (rc == 0)
        rc = logp_tree_init(&of_x, side, t.D, t.E);
    if (rc == 0)
        rc = logp_tree_init(&of_y, side, r.a, r.B);
    if (rc == 0) {
        const int64_t product = lpi_combine_ns(p, c->args.count * c->args.count);

        order_positions(&of_x, side, p->o_send_ns, t.E, product, false, order);
        order_positions(&of_y, side, p->o_recv_ns + lpi_combine_ns(p, c->args.count), r.B, product,
                        true, order + side);
        rc = plan_line(&of_x, order, j, i, &down);
    }
    if (rc == 0)
        rc = plan_line(&of_y, order + side, i, j, &along);
    if (rc == 0) {
        lpi_reverse_children(&along.plan);
        rc = make_plan(side, rank, &down, &along, c);
    }
    if (rc == 0)
        spread_product(c->plan.state, c);
    lpi_free_plan(&down.plan);
    lpi_free_plan(&along.plan);
    free(order);
    return rc;
}

static void multiply_own(const struct logp_invocation *c, void *buf, void *recv_buf)
{
    multiply(c, buf, piece_of(c, buf), recv_buf, c->plan.scratch);
}

/* This step makes all data of the product. It takes the time that is not spent in waits. */
static bool multiply_step(const struct logp_invocation *c, int64_t ns, struct logp_step *out)
{
    const size_t bytes = lpi_vector_bytes(c);

    logp_step_compute(out, ns, 0);
    out->work = multiply_own;
    out->n_bytes = bytes;
    out->at = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
    out->right = (struct logp_buffer_ref){LOGP_BUF, (size_t)c->args.count * bytes};
    return true;
}

/* x comes down, A x, the sum goes to the left. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lines *s = c->plan.state;
    const size_t bytes = lpi_vector_bytes(c);
    const struct logp_buffer_ref y = {LOGP_RECV_BUF, 0}, in = {LOGP_SCRATCH, 0};
    const int64_t x = (int64_t)((size_t)c->args.count * bytes),
                  n_along = c->plan.n_children - s->n_below;
    const int64_t per_send = s->after_send > 0 ? 2 : 1, per_receive = s->after_receive > 0 ? 3 : 2;
    const int64_t sends = lpi_max(per_send * (s->n_below - 1) + 1, 0);
    int64_t k;

    (void)P, (void)rank;
    if (s->above >= 0 && i-- == 0)
        return logp_step_receive(out, s->above, c->args.tag, LOGP_BUF, (size_t)x, bytes);
    if (s->n_below > 0 && i < sends)
        return i % per_send == 0 ? logp_step_send(out, c->plan.children[i / per_send], c->args.tag,
                                                  LOGP_BUF, (size_t)x, bytes)
                                 : logp_step_compute(out, s->after_send, 0);
    i -= s->n_below > 0 ? sends : 0;
    if (i == 0)
        return multiply_step(c, s->product, out);
    i--;
    k = i / per_receive;
    if (k < n_along && i % per_receive == 0)
        return logp_step_receive(out, c->plan.children[s->n_below + k], c->args.tag, in.buffer,
                                 in.offset, bytes);
    if (k < n_along && i % per_receive == 1)
        return logp_step_combine(out, y, y, in, c->args.count,
                                 lpi_combine_ns(&c->model.params, c->args.count));
    if (k < n_along - 1)
        return logp_step_compute(out, s->after_receive, 0);
    return i == lpi_max(per_receive * (n_along - 1) + 2, 0) && s->left >= 0 &&
           logp_step_send(out, s->left, c->args.tag, y.buffer, y.offset, bytes);
}

LPI_READER(run, steps)

/* All blocks, and the pieces of the vector in row 0. */
static size_t given(int64_t P, int64_t rank, const struct logp_invocation *c)
{
    return (size_t)(c->args.count + (rank < lpi_side(P))) * lpi_vector_bytes(c);
}

/* The piece of the vector; in column 0 the sum of what the row has made of it. */
static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    const int64_t side = lpi_side(P);

    out->n_bytes = lpi_vector_bytes(c);
    out->at = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
    if (j == 0)
        out->at = (struct logp_buffer_ref){LOGP_BUF, (size_t)c->args.count * out->n_bytes};
    out->offset = out->at.offset;
    out->from = j == 0 ? rank % side : rank;
    out->ranks = side;
    out->combined = out->made = j == 1;
    return j == 0 || (j == 1 && rank % side == 0);
}

/*
 * broadcast(n) + multiplication + reduce(n), exact for E <= D: the row that gets x last has sent
 * nothing, and no row is later ready for its reduction. For E > D, with the time when all of a
 * column could make another send in place of broadcast(n), an upper bound: by then no gap of the
 * broadcast holds up the reduction.
 */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));
    const struct lpi_reduce_times r = lpi_reduce_times(c);
    const int64_t side = lpi_side(P);
    const int64_t product = lpi_combine_ns(&c->model.params, c->args.count * c->args.count);
    const __int128 ns =
        lpi_doubling_sent(side, t.D, t.E) + product + lpi_doubling_time(side, r.a, r.B);

    if (c->model.params.gap_shared && P > 1)
        return lpi_no_prediction();
    return t.E > t.D && P > 1 ? lpi_bound(ns) : lpi_exact(ns);
}

/* The ways of the pieces: of x down a column, and with the product to column 0; of y along a row.
 * The first columns and rows are enough. */
static int64_t bound_ways(int64_t P, const struct logp_invocation *c, int64_t bytes)
{
    enum { ENOUGH = 2 };
    const int64_t side = lpi_side(P), one = lpi_combine_ns(&c->model.params, 1);
    const struct lpi_need through = {
        .from = {0, side, 1}, .to = {0, P, side}, .bytes = bytes, .work_ns = one};
    int64_t T = lpi_bound_ways(P, c, &through);

    for (int64_t i = 0; i < side && i < ENOUGH; i++) {
        const struct lpi_need down = {.from = lpi_ranks_one(i), .to = {i, P, side}, .bytes = bytes};
        const struct lpi_need along = {
            .from = {i * side, (i + 1) * side, 1}, .to = lpi_ranks_one(i * side), .bytes = bytes};

        T = lpi_max(T, lpi_max(lpi_bound_ways(P, c, &down), lpi_bound_ways(P, c, &along)));
    }
    return T;
}

/*
 * How much longer a processor takes than for its product W, from when the first message with any of
 * its piece of x, N bytes, would have been received if it had one byte. If it is the only one, st(N).
 * Otherwise that has k bytes, st(k) more. If there are two, the second one is received max(o, g +
 * st(N - k)) after it, o of that is busy, and in the rest only the columns of the first can be
 * multiplied, in W k / N at most. If there are three or more, 2 o of the time between is busy. The more
 * bytes k the first has the more it costs, and the less the second: the least is where the columns
 * fill the wait.
 *
 * Backwards in time the same holds for what the processor sends of its piece of y, with rows in place
 * of columns: the rows of earlier messages are complete when the last but one leaves. If both x and y
 * come in several messages, and x is not complete when the last message but one of y leaves, then all
 * rows are in the last, which has N bytes. (Times are rounded up to ns: 2 ns less.)
 */
static int64_t bound_beside_product(const struct logp_params *p, int64_t o, int64_t bytes,
                                    int64_t product)
{
    const int64_t whole = logp_params_stream_ns(p, (size_t)bytes);
    const int64_t least = whole < 2 * o ? whole : 2 * o;
    int64_t low = 1, high = bytes - 1, two = INT64_MAX;

    if (p->store_forward || bytes < 2)
        return 0;
    while (low <= high) {
        const int64_t k = low + (high - low) / 2;
        const int64_t next = lpi_max(o, logp_params_gap_ns(p, (size_t)(bytes - k)));
        const int64_t waits = next - lpi_ceil_div(lpi_bound_times(product, k), bytes);
        const int64_t in_all = logp_params_stream_ns(p, (size_t)k) + lpi_max(o, waits);

        two = in_all < two ? in_all : two;
        if (waits <= o)
            high = k - 1;
        else
            low = k + 1;
    }
    return two - 2 < least ? lpi_max(two - 2, 0) : least;
}

/*
 * Each processor multiplies its own block between the first message with part of its piece of x and
 * the last message with part of its piece of y. Look at the blocks outside row 0, which has x, and
 * column 0, which gets y. Before q + 1 of all processors can know of a piece of x, at most q do,
 * and its processor of row 0 is one of them: so q - 1 of the side - 1 others in the column.
 * Backwards, at most m of all processors can contribute to a piece of y later than as long before
 * the end as m + 1 need for it, and that of column 0 is one of them: m - 1 of the others in the
 * row. With m = side - q that makes at most (side - 1) (q - 1 + side - q - 1) blocks, fewer than
 * the (side - 1)^2 there are: one of them is neither so early nor so late. (Both counts take, for
 * the first message that each processor gets and the last that it sends, only the time of a byte:
 * see bound.c.) So
 *
 *     T >= out(q + 1) + in(side + 1 - q) + product + bound_beside_product() of x and of y
 *
 * for each q in 1 .. side - 1.
 */
static int64_t bound_own_product(const struct logp_params *p, int64_t side, int64_t n,
                                 int64_t bytes)
{
    enum { MOST = 16 };
    const int64_t product = lpi_combine_ns(p, n * n), step = lpi_ceil_div(side, MOST);
    int64_t X = 0;

    if (side < 2)
        return product;
    for (int64_t q = 1; q < side; q += step)
        X = lpi_max(X, lpi_bound_out(p, q + 1) + lpi_bound_in(p, side + 1 - q));
    return X + product + bound_beside_product(p, p->o_recv_ns, bytes, product) +
           bound_beside_product(p, p->o_send_ns, bytes, product);
}

/*
 * A piece of x goes to all of a column, and has a part in all pieces of y, which are in column 0; a
 * piece of y comes from all of a row, and has a part of all pieces of x, from row 0: for any but the
 * first that is 2 side processors, and, as blocks may be invertible, each of them needs as many bytes
 * of it. Of the combinations each processor makes its share on the average.
 */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t n = c->args.count < INT32_MAX ? c->args.count : INT32_MAX; /* as needs() */
    const int64_t side = lpi_side(P), ends = side > 1 ? 2 * side : 1;
    const int64_t bytes = lpi_bound_bytes(lpi_vector_bytes(c));
    const int64_t work = lpi_combine_ns(p, n * n + n / side * (side - 1));

    return lpi_max(lpi_max(work, bound_own_product(p, side, n, bytes)),
                   lpi_max(bound_ways(P, c, bytes), lpi_max(lpi_bound_broadcast(p, ends, bytes),
                                                            lpi_bound_reduce(p, ends, bytes, 0))));
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("matvec", "doubling", "broadcast down columns, multiply, reduce rows",
                    "Grama et al., ch. 4.1"),
     .needs = needs, .plan = plan, .steps = steps, .run = run, .predict = predict},
    {LOGP_ALGORITHM("matvec", "optimal", "the best broadcast down columns, and reduction of rows",
                    "Shou & Chen 1996"),
     .needs = needs_optimal, .plan = plan_optimal, .steps = steps, .run = run,
     .predict = predict_optimal},
    {LOGP_ALGORITHM("matvec", "opposite", "optimal, but what gets x late in a row sends y late",
                    "this library"),
     .needs = needs_optimal, .plan = plan_opposite, .steps = steps, .run = run},
};

const struct logp_collective lpi_matvec = {
    .name = "matvec",
    .summary = "matrix times vector, in blocks on n x n",
    .operands = LOGP_OPERANDS_VECTOR,
    .sizes = sizes,
    .check = check,
    .postcondition = postcondition,
    .given = given,
    .bound = bound,
    .rows = LPI_ONLY_ROWS(algorithms),
};
