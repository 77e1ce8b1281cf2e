/* SPDX-License-Identifier: MIT */
/*
 * Collectives on rings, lines, meshes, tori and hypercubes, whose messages go from neighbour to
 * neighbour alone. Dimensions take turns, and in each the ranks of a line pass on all data
 * that comes:
 * upwards, and at the same time downwards; around a ring each way goes half of it. So no message
 * waits for another on a link. A rank passes a message on before it receives that of the other way.
 * Time is folded. Source: Thakur, Choudhary, All-to-all communication on meshes with wormhole
 * routing, IPPS 1994.
 */
#include "allgather/allgather.h"
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "Thakur & Choudhary 1994";

/* ---- lines ---- */

enum { UP, DOWN };

/* The line of a rank in a dimension. */
struct line {
    int64_t size, stride; /* number of ranks; distance from each to the next */
    int64_t place;        /* of this rank */
    bool is_ring;
};

struct lpi_grid lpi_linked_grid(int64_t P, const struct logp_invocation *c)
{
    const char *spec = c->model.topology != NULL ? logp_topology_spec(c->model.topology) : "";
    struct lpi_grid grid = {0};

    if (c->model.topology == NULL || logp_topology_size(c->model.topology) != P || P < 2)
        return grid;
    if (strcmp(spec, "ring") == 0 || strcmp(spec, "line") == 0)
        return (struct lpi_grid){.dimensions = 1, .size = {P}};
    if (strncmp(spec, "mesh", 4) == 0 || strncmp(spec, "torus", 5) == 0)
        return lpi_grid_of(P, c);
    for (int64_t n = 1; strcmp(spec, "hypercube") == 0 && n < P; n *= 2)
        grid.size[grid.dimensions++] = 2;
    return grid;
}

static struct line line_of(int64_t rank, const struct lpi_grid *grid, int d,
                           const struct logp_topology *t)
{
    struct line l = {.size = grid->size[d], .stride = 1};

    for (int i = d + 1; i < grid->dimensions; i++)
        l.stride *= grid->size[i];
    l.place = rank / l.stride % l.size;
    l.is_ring = l.size > 2 && logp_topology_hops(t, 0, (int)((l.size - 1) * l.stride)) == 1;
    return l;
}

/* How many of the ranks behind this one, seen in that direction, send to it. */
static int64_t behind(const struct line *l, int way)
{
    if (l->is_ring)
        return way == UP ? l->size / 2 : (l->size - 1) / 2;
    return way == UP ? l->place : l->size - 1 - l->place;
}

/* The place so far on in that direction. */
static int64_t place_at(const struct line *l, int way, int64_t far)
{
    return lpi_mod(l->place + (way == UP ? far : -far), l->size);
}

static int64_t rank_at(const struct line *l, int64_t rank, int64_t place)
{
    return rank + (place - l->place) * l->stride;
}

/* How many messages it sends that way: its own, and all that it passes on. */
static int64_t sent(const struct line *l, int way)
{
    if (l->is_ring)
        return behind(l, way);
    return behind(l, way == UP ? DOWN : UP) > 0 ? behind(l, way) + 1 : 0;
}

/* ---- a pass over a line ---- */

/* Steps of a rank. */
struct maker {
    const struct logp_invocation *c;
    int64_t P, rank;
    struct line line;
    struct lpi_planned *list;
    int rc;
    bool has_parts; /* blocks are parts of a vector */
    /* Add the send, or receive, of the message of the rank `far` behind this one (0: of itself). */
    void (*send)(struct maker *m, int way, int64_t far, int64_t peer);
    void (*receive)(struct maker *m, int way, int64_t far, int64_t peer);
    struct logp_buffer_ref from, to; /* of the data of a dimension */
};

static void add(struct maker *m, const struct logp_step *step)
{
    if (m->rc == 0 && (step->kind != LOGP_STEP_COPY || step->n_bytes > 0))
        m->rc = lpi_planned_add(&m->list, step);
}

static void send_on(struct maker *m, int way, int64_t far)
{
    if (far < sent(&m->line, way))
        m->send(m, way, far, rank_at(&m->line, m->rank, place_at(&m->line, way, 1)));
}

static void receive_next(struct maker *m, int way, int64_t far)
{
    if (far <= behind(&m->line, way))
        m->receive(m, way, far, rank_at(&m->line, m->rank, place_at(&m->line, way, -1)));
}

/* Where sends wait for their receivers, both sends of a step come first, which then post both receives. */
static void pass(struct maker *m)
{
    const bool waits = m->c->model.rendezvous_from > 0;

    send_on(m, UP, 0);
    send_on(m, DOWN, 0);
    for (int64_t far = 1; far < m->line.size; far++) {
        receive_next(m, UP, far);
        if (!waits)
            send_on(m, UP, far);
        receive_next(m, DOWN, far);
        if (waits)
            send_on(m, UP, far);
        send_on(m, DOWN, far);
    }
}

/* The same backwards: a rank sends where it would receive, and receives where it would send. */
static void pass_back(struct maker *m)
{
    const bool waits = m->c->model.rendezvous_from > 0;

    for (int64_t far = m->line.size - 1; far > 0; far--) {
        send_on(m, DOWN, far);
        if (waits)
            send_on(m, UP, far);
        receive_next(m, DOWN, far);
        if (!waits)
            send_on(m, UP, far);
        receive_next(m, UP, far);
    }
    send_on(m, DOWN, 0);
    send_on(m, UP, 0);
}

/* The plans of all ranks have a few steps for each rank of their lines. */
enum { MOST_STEPS = 1 << 18 };

static const char *needs_links(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_linked_grid(P, c);
    int64_t ranks = 0;

    for (int d = 0; d < grid.dimensions; d++)
        ranks += grid.size[d];
    if (grid.dimensions == 0)
        return "a ring, line, mesh, torus or hypercube (--topology)";
    return ranks <= MOST_STEPS / P ? NULL : "P times the sum of the topology's sizes up to 2^18";
}

/* Add passes over all dimensions, the last first, or backwards the first first, with `begin` before
 * and `end` after each. */
static int plan(int P, int rank, struct logp_invocation *c, struct maker *m, bool last_first,
                void (*pass_line)(struct maker *m),
                void (*begin)(struct maker *m, int d, int dimensions),
                void (*end)(struct maker *m, int d, int dimensions))
{
    const struct lpi_grid grid = lpi_linked_grid(P, c);

    m->c = c;
    m->P = P;
    m->rank = rank;
    m->rc = m->list != NULL ? 0 : lpi_planned_add(&m->list, NULL);
    for (int d = 0; d < grid.dimensions; d++) {
        m->line = line_of(rank, &grid, last_first ? grid.dimensions - 1 - d : d, c->model.topology);
        begin(m, d, grid.dimensions);
        pass_line(m);
        end(m, d, grid.dimensions);
    }
    if (m->rc != 0) {
        free(m->list);
        return m->rc;
    }
    c->plan.state = m->list;
    return 0;
}

static void nothing(struct maker *m, int d, int dimensions)
{
    (void)m, (void)d, (void)dimensions;
}

/* ---- barrier ---- */

static void send_signal(struct maker *m, int way, int64_t far, int64_t peer)
{
    struct logp_step step;

    (void)way, (void)far;
    logp_step_send(&step, peer, m->c->args.tag, LOGP_BUF, 0, 0);
    add(m, &step);
}

static void receive_signal(struct maker *m, int way, int64_t far, int64_t peer)
{
    struct logp_step step;

    (void)way, (void)far;
    logp_step_receive(&step, peer, m->c->args.tag, LOGP_BUF, 0, 0);
    add(m, &step);
}

static int barrier_plan(int P, int rank, struct logp_invocation *c)
{
    struct maker m = {.send = send_signal, .receive = receive_signal};

    return plan(P, rank, c, &m, true, pass, nothing, nothing);
}

/* ---- allgather ---- */

/* The blocks of all ranks of a line lie side by side, each with the `stride` items of a plane: the block that
 * comes from `far` ranks back. */
static struct logp_buffer_ref block_from(const struct maker *m, int way, int64_t far)
{
    const struct line *l = &m->line;
    const int64_t base = m->rank - m->rank % (l->size * l->stride);

    return lpi_item(m->c, LOGP_RECV_BUF, base + place_at(l, way, -far) * l->stride);
}

static void send_block(struct maker *m, int way, int64_t far, int64_t peer)
{
    struct logp_step step;

    lpi_send_items(&step, m->c, peer, block_from(m, way, far), m->line.stride);
    add(m, &step);
}

static void receive_block(struct maker *m, int way, int64_t far, int64_t peer)
{
    struct logp_step step;

    lpi_receive_items(&step, m->c, peer, block_from(m, way, far), m->line.stride);
    add(m, &step);
}

static void keep_own(struct maker *m, int d, int dimensions)
{
    struct logp_step step;

    (void)dimensions;
    if (d > 0)
        return;
    lpi_copy_items(&step, m->c, lpi_item(m->c, LOGP_RECV_BUF, m->rank), lpi_item(m->c, LOGP_BUF, 0),
                   1);
    add(m, &step);
}

static int allgather_plan(int P, int rank, struct logp_invocation *c)
{
    struct maker m = {.send = send_block, .receive = receive_block};

    return plan(P, rank, c, &m, true, pass, keep_own, nothing);
}

/* ---- allreduce: the vectors of a line go to all of its ranks, which combine them in order ---- */

static struct logp_buffer_ref vector_of(const struct maker *m, int64_t place)
{
    return (struct logp_buffer_ref){
        LOGP_SCRATCH, lpi_bytes((size_t)place, lpi_slot_bytes(lpi_vector_bytes(m->c)))};
}

static void send_vector(struct maker *m, int way, int64_t far, int64_t peer)
{
    const struct logp_buffer_ref at = vector_of(m, place_at(&m->line, way, -far));
    struct logp_step step;

    logp_step_send(&step, peer, m->c->args.tag, at.buffer, at.offset, lpi_vector_bytes(m->c));
    add(m, &step);
}

static void receive_vector(struct maker *m, int way, int64_t far, int64_t peer)
{
    const struct logp_buffer_ref at = vector_of(m, place_at(&m->line, way, -far));
    struct logp_step step;

    logp_step_receive(&step, peer, m->c->args.tag, at.buffer, at.offset, lpi_vector_bytes(m->c));
    add(m, &step);
}

static void begin_line(struct maker *m, int d, int dimensions)
{
    const enum logp_buffer own = d == 0 ? LOGP_BUF : LOGP_RECV_BUF;
    struct logp_step step;

    (void)dimensions;
    logp_step_copy(&step, vector_of(m, m->line.place), (struct logp_buffer_ref){own, 0},
                   lpi_vector_bytes(m->c));
    add(m, &step);
}

static void combine_line(struct maker *m, int d, int dimensions)
{
    const struct logp_buffer_ref result = {LOGP_RECV_BUF, 0};
    struct logp_step step;

    (void)d, (void)dimensions;
    if (m->line.size == 1) {
        logp_step_copy(&step, result, vector_of(m, 0), lpi_vector_bytes(m->c));
        add(m, &step);
    }
    for (int64_t place = 1; place < m->line.size; place++) {
        lpi_combine_at(&step, m->c, result, place == 1 ? vector_of(m, 0) : result,
                       vector_of(m, place));
        add(m, &step);
    }
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    struct maker m = {.send = send_vector, .receive = receive_vector};
    const struct lpi_grid grid = lpi_linked_grid(P, c);
    int64_t longest = 1;

    if (lpi_vector_valid(c) != 0)
        return -EINVAL;
    for (int d = 0; d < grid.dimensions; d++)
        longest = lpi_max(longest, grid.size[d]);
    c->plan.scratch_bytes = lpi_bytes((size_t)longest, lpi_slot_bytes(lpi_vector_bytes(c)));
    return plan(P, rank, c, &m, true, pass, begin_line, combine_line);
}

/* ---- reduce-scatter: the allgather backwards; an allreduce is both ---- */

/* Where the block of a rank begins, in elements: all have as many, or a part of the vector. */
static int64_t block_begin(const struct maker *m, int64_t rank)
{
    const int64_t count = m->c->args.count;

    return m->has_parts ? lpi_part_begin(count, m->P, rank) : lpi_bound_times(rank, count);
}

/* The blocks for the ranks of a plane at some place of the line, in elements from `begin` on. */
struct plane {
    int64_t begin, n;
};

static struct plane plane_of(const struct maker *m, int64_t place)
{
    const struct line *l = &m->line;
    const int64_t first = m->rank - m->rank % (l->size * l->stride) + place * l->stride;
    const int64_t begin = block_begin(m, first);

    return (struct plane){begin, block_begin(m, first + l->stride) - begin};
}

static struct logp_buffer_ref element_at(const struct maker *m, enum logp_buffer buffer, int64_t i)
{
    return (struct logp_buffer_ref){buffer, lpi_bytes((size_t)i, lpi_element_bytes(m->c))};
}

/* A message with blocks, which are in scratch. */
static void move_blocks(struct maker *m, bool sends, int64_t place, struct logp_buffer_ref at,
                        int64_t peer)
{
    const size_t n_bytes = element_at(m, LOGP_SCRATCH, plane_of(m, place).n).offset;
    struct logp_step step;

    (sends ? logp_step_send : logp_step_receive)(&step, peer, m->c->args.tag, at.buffer, at.offset,
                                                 n_bytes);
    add(m, &step);
}

/* Blocks that the allgather would send come back, and are combined. */
static void combine_blocks(struct maker *m, int way, int64_t far, int64_t peer)
{
    const int64_t place = place_at(&m->line, way, -far);
    const struct plane plane = plane_of(m, place);
    const struct logp_buffer_ref at = element_at(m, LOGP_SCRATCH, plane.begin);
    struct logp_buffer_ref in = {
        LOGP_SCRATCH, lpi_slot_bytes(element_at(m, LOGP_SCRATCH, block_begin(m, m->P)).offset)};
    struct logp_step step;

    if (way == DOWN)
        in.offset *= 2;
    move_blocks(m, false, place, in, peer);
    logp_step_combine(&step, at, at, in, plane.n, lpi_combine_ns(&m->c->model.params, plane.n));
    add(m, &step);
}

static void send_blocks(struct maker *m, int way, int64_t far, int64_t peer)
{
    const int64_t place = place_at(&m->line, way, -far);

    move_blocks(m, true, place, element_at(m, LOGP_SCRATCH, plane_of(m, place).begin), peer);
}

static void receive_blocks(struct maker *m, int way, int64_t far, int64_t peer)
{
    const int64_t place = place_at(&m->line, way, -far);

    move_blocks(m, false, place, element_at(m, LOGP_SCRATCH, plane_of(m, place).begin), peer);
}

static void copy_elements(struct maker *m, struct logp_buffer_ref to, struct logp_buffer_ref from,
                          int64_t n)
{
    struct logp_step step;

    logp_step_copy(&step, to, from, element_at(m, LOGP_SCRATCH, n).offset);
    add(m, &step);
}

static void begin_blocks(struct maker *m, int d, int dimensions)
{
    (void)dimensions;
    if (d == 0)
        copy_elements(m, element_at(m, LOGP_SCRATCH, 0), element_at(m, LOGP_BUF, 0),
                      block_begin(m, m->P));
}

static void end_blocks(struct maker *m, int d, int dimensions)
{
    const int64_t begin = block_begin(m, m->rank);

    if (d == dimensions - 1)
        copy_elements(m, element_at(m, LOGP_RECV_BUF, 0), element_at(m, LOGP_SCRATCH, begin),
                      block_begin(m, m->rank + 1) - begin);
}

static void end_parts(struct maker *m, int d, int dimensions)
{
    if (d == dimensions - 1)
        copy_elements(m, element_at(m, LOGP_RECV_BUF, 0), element_at(m, LOGP_SCRATCH, 0),
                      block_begin(m, m->P));
}

LPI_NEEDS_BOTH(combining_needs, lpi_needs_commutative, needs_links)

/* A vector or all blocks, and as much for messages from below, and from above. */
static size_t three_times(size_t n_bytes)
{
    return lpi_bytes(3, lpi_slot_bytes(n_bytes));
}

static int reduce_scatter_plan(int P, int rank, struct logp_invocation *c)
{
    struct maker m = {.send = combine_blocks, .receive = send_blocks};

    if (lpi_vector_valid(c) != 0)
        return -EINVAL;
    c->plan.scratch_bytes = three_times(lpi_vectors_bytes(c, P));
    return plan(P, rank, c, &m, false, pass_back, begin_blocks, end_blocks);
}

static int parts_plan(int P, int rank, struct logp_invocation *c)
{
    struct maker m = {.send = combine_blocks, .receive = send_blocks, .has_parts = true};
    int rc = lpi_vector_valid(c);

    if (rc == 0)
        rc = plan(P, rank, c, &m, false, pass_back, begin_blocks, nothing);
    if (rc != 0)
        return rc;
    m.send = send_blocks;
    m.receive = receive_blocks;
    c->plan.scratch_bytes = three_times(lpi_vector_bytes(c));
    return plan(P, rank, c, &m, true, pass, nothing, end_parts);
}

/* ---- alltoall ---- */

/*
 * Items are in an array with the dimensions of the grid. At first an item is at the place of its
 * destination; after each dimension that coordinate is the one of its source. A message has the items
 * for all ranks of the line that it still comes to, the nearest first: each takes the first, and passes
 * the others on. Messages of one way alternate between two places, so that one can be received while
 * the one before it is sent.
 */

static int64_t of_place(const struct maker *m)
{
    return m->P / m->line.size;
}

static struct logp_buffer_ref message_at(const struct maker *m, int way, int64_t far)
{
    return lpi_item(m->c, LOGP_SCRATCH, (2 + 2 * way + far % 2) * m->P);
}

/* For how many ranks there are items in a message as this rank sends it. */
static int64_t carried(const struct maker *m, int way, int64_t far)
{
    return m->line.is_ring ? behind(&m->line, way) - far : behind(&m->line, way == UP ? DOWN : UP);
}

/* Between the array and a message: the items of one coordinate. */
static void move_items(struct maker *m, struct logp_buffer_ref to, bool to_array,
                       struct logp_buffer_ref from, bool from_array, int64_t to_place,
                       int64_t from_place)
{
    const size_t run = (size_t)m->line.stride * m->c->args.n_bytes;
    struct logp_step step;

    to.offset += to_array ? (size_t)to_place * run : 0;
    from.offset += from_array ? (size_t)from_place * run : 0;
    logp_step_copy(&step, to, from, run);
    step.n = of_place(m) / m->line.stride;
    step.at_stride = to_array ? (size_t)m->line.size * run : run;
    step.right_stride = from_array ? (size_t)m->line.size * run : run;
    add(m, &step);
}

/* Fill this rank's own message of one way. */
static void pack(struct maker *m, int way)
{
    const int64_t n = sent(&m->line, way) > 0 ? carried(m, way, 0) : 0;

    for (int64_t i = 0; i < n; i++) {
        struct logp_buffer_ref slot = message_at(m, way, 0);

        slot.offset += lpi_bytes((size_t)(i * of_place(m)), m->c->args.n_bytes);
        move_items(m, slot, false, m->from, true, 0, place_at(&m->line, way, i + 1));
    }
}

static void send_items(struct maker *m, int way, int64_t far, int64_t peer)
{
    struct logp_buffer_ref message = message_at(m, way, far);
    struct logp_step step;

    if (far > 0) /* the first items were for this rank */
        message.offset += lpi_bytes((size_t)of_place(m), m->c->args.n_bytes);
    lpi_send_items(&step, m->c, peer, message, carried(m, way, far) * of_place(m));
    add(m, &step);
}

static void receive_items(struct maker *m, int way, int64_t far, int64_t peer)
{
    const int64_t n = carried(m, way, far) + 1; /* one part is for this rank */
    const struct logp_buffer_ref message = message_at(m, way, far);
    struct logp_step step;

    lpi_receive_items(&step, m->c, peer, message, n * of_place(m));
    add(m, &step);
    move_items(m, m->to, true, message, false, place_at(&m->line, way, -far), 0);
}

static void begin_array(struct maker *m, int d, int dimensions)
{
    m->from = d == 0 ? lpi_item(m->c, LOGP_BUF, 0) : m->to;
    m->to = d == dimensions - 1 ? lpi_item(m->c, LOGP_RECV_BUF, 0)
                                : lpi_item(m->c, LOGP_SCRATCH, d % 2 * m->P);
    move_items(m, m->to, true, m->from, true, m->line.place, m->line.place);
    pack(m, UP);
    pack(m, DOWN);
}

static int alltoall_plan(int P, int rank, struct logp_invocation *c)
{
    struct maker m = {.send = send_items, .receive = receive_items};

    c->plan.scratch_bytes = lpi_bytes(6 * (size_t)P, c->args.n_bytes);
    return plan(P, rank, c, &m, false, pass, begin_array, nothing);
}

/* ---- the rows ---- */

#define ROW(name_, summary_)                                                                       \
    LOGP_ALGORITHM(#name_, "neighbours", summary_, source),                                        \
        .needs = needs_links, .plan = name_##_plan, .steps = lpi_planned_steps

static const struct logp_algorithm barriers[] = {
    {ROW(barrier, "both ways along the lines of each dimension in turn, to neighbours alone")},
};

static const struct logp_algorithm allreduces[] = {
    {ROW(allreduce, "vectors both ways along each line, combined in order"), .same_results = true},
    {LOGP_ALGORITHM("allreduce", "neighbours-parts",
                    "reduce-scatter and allgather to neighbours alone", source),
     .needs = combining_needs, .plan = parts_plan, .steps = lpi_planned_steps,
     .same_results = true},
};

static const struct logp_algorithm reduce_scatters[] = {
    {LOGP_ALGORITHM("reduce-scatter", "neighbours",
                    "the allgather to neighbours backwards, combined on the way", source),
     .needs = combining_needs, .plan = reduce_scatter_plan, .steps = lpi_planned_steps},
};

static const struct logp_algorithm allgathers[] = {
    {ROW(allgather, "both ways along the lines of each dimension in turn, to neighbours alone")},
};

static const struct logp_algorithm alltoalls[] = {
    {ROW(alltoall, "both ways along the lines of each dimension in turn, to neighbours alone")},
};

const struct lpi_rows lpi_neighbours_barrier = LPI_ROWS(barriers),
                      lpi_neighbours_allreduce = LPI_ROWS(allreduces),
                      lpi_neighbours_reduce_scatter = LPI_ROWS(reduce_scatters),
                      lpi_neighbours_allgather = LPI_ROWS(allgathers),
                      lpi_neighbours_alltoall = LPI_ROWS(alltoalls);
