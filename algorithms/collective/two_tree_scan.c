/* SPDX-License-Identifier: MIT */
/*
 * Scan, exscan and allreduce along two trees (two_tree_shape.c), each with half of the vector in
 * segments. Both have the ranks in order, so a node and the nodes below it are a stretch of
 * consecutive ranks. A node combines the operands of three parts: A of the ranks on its left, its
 * own x, and B of the ranks on its right. It sends A x B up. From above it receives C, which
 * combines all ranks before its stretch; it sends C to the left and C A x to the right. Its scan is
 * C A x, and its exscan is C A. A stretch that begins with rank 0 receives no C, and one that ends
 * with the last rank sends nothing up.
 *
 * The number of ranks in the trees is even: the last rank of an odd number gets its data from the
 * rank before it. The way down begins `turn` steps after the way up. Each processor sends 4
 * segments for every two, so long vectors take twice the time that they take to be sent; the chain
 * takes it once, but has a way of P - 1 messages.
 *
 * A x, or in the exscan A, is needed again when C comes, so it is kept for a whole half. The
 * segments of other streams are in scratch, two of each at once. In the allreduce each root
 * combines the result of its half and sends it down.
 * Source: Sanders, Speck, Traeff, Parallel Computing 35(12), 2009, but for the steps.
 */
#include "collective/allreduce/allreduce.h"
#include "collective/collective.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

/* What the streams are. */
enum kind {
    LEFT_UP,  /* A comes */
    RIGHT_UP, /* B comes */
    UP,       /* A x B goes */
    DOWN,     /* C comes */
    LEFT_DOWN,
    RIGHT_DOWN,
    TO_LAST, /* as to the right: of an odd number the last rank gets all, */
    LAST,    /* which comes to it */
};

enum collective { SCAN, EXSCAN, ALLREDUCE };

/* What a node has in the tree of a half. */
struct place {
    bool left, right; /* A and B come */
    bool left_first;  /* A before B */
    bool before;      /* C comes */
    bool up;          /* A x B goes */
};

/* plan.state */
struct scan {
    struct lpi_two_tree tree; /* first, for lpi_two_tree_at() */
    struct place places[2];   /* by half */
    size_t slot_bytes;
};

/* ---- segments ---- */

/* Ranks in the trees. */
static int64_t inside(int64_t P, enum collective of)
{
    return of == ALLREDUCE ? P : P - P % 2;
}

struct choice {
    int64_t P;
    const struct logp_invocation *c;
};

/* An estimate: each port is busy for 4 n steps, and then the last segment travels down the tree. */
static __int128 about(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct lpi_hop hop = lpi_vector_hop(choice->c, size);
    const int height = 64 - __builtin_clzll((uint64_t)choice->P);

    (void)last;
    return (4 * (__int128)n + 2 * height) * hop.step + height * (__int128)hop.flight + hop.busy;
}

/* Elements of a segment. */
static int64_t elements(int64_t P, const struct logp_invocation *c)
{
    const int64_t count = lpi_max(c->args.count, 0), half = count / 2 + count % 2;
    const int64_t asked = lpi_elements_asked(c);

    if (asked > 0 || half == 0 || P == 1)
        return asked > 0 && asked < half ? asked : half;
    return lpi_best_part(half, about, &(struct choice){P, c});
}

static int64_t block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, elements(P, c));
}

LPI_VECTOR_BLOCK(tried_block, block)

/* ---- plans ---- */

struct making {
    struct scan *scan;
    enum collective of;
    int p;
    int64_t lag, last, turn; /* steps: of a message; of the way up; from which on it goes down */
};

/* Return the steps of the schedule that a segment takes in this stream. A node makes the
 * combination that it sends up when it has received both A and B. */
static int steps_of(const struct place *at, enum kind kind, enum collective of)
{
    const bool exclusive = of == EXSCAN;
    const bool has_both = at->left && at->right;
    const bool is_second = !has_both || at->left_first == (kind == RIGHT_UP);

    if (of == ALLREDUCE)
        return kind == LEFT_UP || kind == RIGHT_UP ? 2 : 1;
    switch (kind) {
    case LEFT_UP:
        if (exclusive)
            return !at->up || !is_second ? 1 : has_both ? 3 : 2;
        return has_both && is_second ? 3 : 2;
    case RIGHT_UP:
        return !is_second ? 1 : exclusive && has_both ? 3 : 2;
    case DOWN:
        return exclusive && !at->left ? 1 : 2;
    case RIGHT_DOWN:
    case TO_LAST:
        return exclusive && (at->left || at->before) ? 2 : 1;
    case LAST:
        return exclusive ? 1 : 2;
    default:
        return 1;
    }
}

static void add(const struct making *m, int half, enum kind kind, int64_t start, int node)
{
    const bool sends = kind == UP || (kind > DOWN && kind < LAST);
    const int steps = steps_of(&m->scan->places[half], kind, m->of);

    lpi_two_tree_add(&m->scan->tree, (struct lpi_stream){.start = start,
                                                         .peer = node - 1,
                                                         .steps = steps,
                                                         .sends = sends,
                                                         .half = half,
                                                         .kind = kind});
}

/* When node p sends to the last rank of an odd number: when it has what that needs, and no segment
 * to send to its left. */
static int64_t to_last(const struct making *m, int half)
{
    const struct lpi_two_tree_node node = lpi_two_tree_node(m->p, m->p, half, m->lag);
    const int64_t left = node.sends[half]; /* the second tree is turned round */

    return m->turn + node.has + (left == node.has + 1 ? 2 : 1);
}

static void add_half(const struct making *m, int v, int half)
{
    const struct lpi_two_tree_node node = lpi_two_tree_node(m->p, v, half, m->lag);
    const int l = half, r = 1 - half;
    const bool is_root = node.above == 0, begins = half == 0 ? node.begins : node.ends;
    const bool is_first = m->of == ALLREDUCE ? is_root : begins;
    const bool is_last = m->of == ALLREDUCE ? is_root : half == 0 ? node.ends : node.begins;
    struct place *at = &m->scan->places[half];

    *at = (struct place){.left = node.below[l] != 0,
                         .right = node.below[r] != 0 && (!is_last || m->of == ALLREDUCE),
                         .left_first = node.sends[l] > node.sends[r],
                         .before = !is_first,
                         .up = !is_last};
    if (at->left)
        add(m, half, LEFT_UP, m->last - node.sends[l], node.below[l]);
    if (at->right)
        add(m, half, RIGHT_UP, m->last - node.sends[r], node.below[r]);
    if (at->up)
        add(m, half, UP, m->last - node.has, node.above);
    if (at->before)
        add(m, half, DOWN, m->turn + node.has, node.above);
    if (at->left && (at->before || m->of == ALLREDUCE))
        add(m, half, LEFT_DOWN, m->turn + node.sends[l], node.below[l]);
    if (node.below[r] != 0)
        add(m, half, RIGHT_DOWN, m->turn + node.sends[r], node.below[r]);
}

static void make(const struct making *m, int P, int rank)
{
    for (int half = 0; half < 2; half++) {
        if (rank < m->p)
            add_half(m, rank + 1, half);
        if (m->p < P && rank == m->p - 1)
            add(m, half, TO_LAST, to_last(m, half), P);
        if (rank == m->p)
            add(m, half, LAST, to_last(m, half) + m->lag, m->p);
    }
    lpi_two_tree_end(&m->scan->tree);
}

/* Slots of scratch, before the part that is kept for a whole half. */
enum { B_SLOT, UP_SLOT = 2, BEFORE_SLOT = 4, RIGHT_SLOT = 6, SLOTS };

static int plan(int P, int rank, struct logp_invocation *c, enum collective of)
{
    const int rc = lpi_vector_valid(c);
    const int64_t size = elements(P, c);
    const struct lpi_halves halves = lpi_halves_of(lpi_max(c->args.count, 0), size);
    const struct lpi_hop hop = lpi_vector_hop(c, size);
    struct making m = {.of = of, .p = (int)inside(P, of)};

    if (rc != 0)
        return rc;
    m.scan = calloc(1, sizeof(*m.scan));
    if (m.scan == NULL)
        return -ENOMEM;
    m.scan->tree.halves = halves;
    m.scan->slot_bytes = lpi_slot_bytes((size_t)lpi_elements_bytes(c, size));
    c->plan.state = m.scan;
    c->plan.early = true; /* the trees cross */
    if (P == 1)
        return 0;
    c->plan.scratch_bytes = lpi_bytes(SLOTS, m.scan->slot_bytes) +
                            (size_t)lpi_segment_begin(&halves, 1, 0) * lpi_element_bytes(c);
    m.lag = lpi_two_tree_lag(P, halves.n, &hop);
    m.last = lpi_two_tree_last(m.p, m.lag);
    m.turn = m.last + halves.n / 4; /* the ports are busy, and few wait for what goes up */
    m.turn += m.turn % 2;
    make(&m, P, rank);
    return 0;
}

static int scan_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, SCAN);
}

static int exscan_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, EXSCAN);
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, ALLREDUCE);
}

/* ---- steps ---- */

/* Where the operands of a segment are. */
struct at {
    int64_t n;
    size_t bytes;
    struct logp_buffer_ref own, result;
    struct logp_buffer_ref left; /* A x, or A */
    struct logp_buffer_ref right, up, before, to_right;
};

static struct at at_of(const struct scan *scan, const struct logp_invocation *c, int half,
                       int64_t segment)
{
    const struct lpi_halves *halves = &scan->tree.halves;
    const int64_t begin = lpi_segment_begin(halves, half, segment);
    const int64_t n = lpi_segment_begin(halves, half, segment + 1) - begin;
    const size_t element = lpi_element_bytes(c), offset = (size_t)begin * element;
    const size_t of_half = (size_t)(begin - lpi_segment_begin(halves, half, 0)) * element;
    const size_t slot = scan->slot_bytes, turn = (size_t)(segment % 2) * slot;
    struct at at = {.n = n,
                    .bytes = (size_t)n * element,
                    .own = {LOGP_BUF, offset},
                    .result = {LOGP_RECV_BUF, offset},
                    .left = {LOGP_SCRATCH, SLOTS * slot + of_half},
                    .right = {LOGP_SCRATCH, B_SLOT * slot + turn},
                    .up = {LOGP_SCRATCH, UP_SLOT * slot + turn},
                    .before = {LOGP_SCRATCH, BEFORE_SLOT * slot + turn},
                    .to_right = {LOGP_SCRATCH, RIGHT_SLOT * slot}};

    if (!scan->places[half].before)
        at.left = at.result;
    return at;
}

static bool combine(struct logp_step *out, const struct logp_invocation *c, const struct at *a,
                    struct logp_buffer_ref at, struct logp_buffer_ref left,
                    struct logp_buffer_ref right)
{
    return logp_step_combine(out, at, left, right, a->n, lpi_combine_ns(&c->model.params, a->n));
}

static bool send(struct logp_step *out, const struct logp_invocation *c, const struct lpi_stream *s,
                 const struct at *a, struct logp_buffer_ref from)
{
    return logp_step_send(out, s->peer, c->args.tag, from.buffer, from.offset, a->bytes);
}

static bool receive(struct logp_step *out, const struct logp_invocation *c,
                    const struct lpi_stream *s, const struct at *a, struct logp_buffer_ref into)
{
    return logp_step_receive(out, s->peer, c->args.tag, into.buffer, into.offset, a->bytes);
}

/* What the scan does with a segment. */
static bool scan_step(const struct lpi_stream *s, const struct place *p, const struct at *a,
                      const struct logp_invocation *c, int64_t part, struct logp_step *out)
{
    const struct logp_buffer_ref left_and_own = p->left ? a->left : a->own;

    switch ((enum kind)s->kind) {
    case LEFT_UP:
        if (part == 0)
            return receive(out, c, s, a, a->left);
        return part == 1 ? combine(out, c, a, a->left, a->left, a->own)
                         : combine(out, c, a, a->up, a->left, a->right);
    case RIGHT_UP:
        return part == 0 ? receive(out, c, s, a, a->right)
                         : combine(out, c, a, a->up, left_and_own, a->right);
    case UP:
        return send(out, c, s, a, p->right ? a->up : left_and_own);
    case DOWN:
    case LAST:
        if (part == 0)
            return receive(out, c, s, a, p->left ? a->before : a->result);
        return combine(out, c, a, a->result, p->left ? a->before : a->result, left_and_own);
    case LEFT_DOWN:
        return send(out, c, s, a, a->before);
    default:
        return send(out, c, s, a, p->left || p->before ? a->result : a->own);
    }
}

/* The same for the exscan. */
static bool exscan_step(const struct lpi_stream *s, const struct place *p, const struct at *a,
                        const struct logp_invocation *c, int64_t part, struct logp_step *out)
{
    switch ((enum kind)s->kind) {
    case LEFT_UP:
    case RIGHT_UP:
        if (part == 0)
            return receive(out, c, s, a, s->kind == LEFT_UP ? a->left : a->right);
        if (part == 1)
            return combine(out, c, a, a->up, p->left ? a->left : a->own,
                           p->left ? a->own : a->right);
        return combine(out, c, a, a->up, a->up, a->right);
    case UP:
        return send(out, c, s, a, p->left || p->right ? a->up : a->own);
    case DOWN:
    case LAST:
        if (part == 0)
            return receive(out, c, s, a, p->left ? a->before : a->result);
        return combine(out, c, a, a->result, a->before, a->left);
    case LEFT_DOWN:
        return send(out, c, s, a, a->before);
    default:
        if (!p->left && !p->before)
            return send(out, c, s, a, a->own);
        return part == 0 ? combine(out, c, a, a->to_right, a->result, a->own)
                         : send(out, c, s, a, a->to_right);
    }
}

/* The same for the allreduce: the first of A and B to arrive is combined with x, then the other. */
static bool allreduce_step(const struct lpi_stream *s, const struct place *p, const struct at *a,
                           const struct logp_invocation *c, int64_t part, struct logp_step *out)
{
    const bool is_first = !(p->left && p->right) || p->left_first == (s->kind == LEFT_UP);

    switch ((enum kind)s->kind) {
    case LEFT_UP:
    case RIGHT_UP:
        if (part == 0)
            return receive(out, c, s, a, is_first ? a->result : a->right);
        return combine(out, c, a, a->result, a->result, is_first ? a->own : a->right);
    case UP:
        return send(out, c, s, a, p->left || p->right ? a->result : a->own);
    case DOWN:
        return receive(out, c, s, a, a->result);
    default:
        return send(out, c, s, a, a->result);
    }
}

struct found {
    const struct lpi_stream *s;
    const struct place *place;
    struct at at;
    int64_t segment, part; /* behind the last stream, segment counts the steps from there */
};

/* What step i belongs to. @return false: it is behind the last stream */
static bool find(const struct logp_invocation *c, int64_t i, struct found *f)
{
    const struct scan *scan = c->plan.state;

    f->s = lpi_two_tree_at(&scan->tree, i, &f->segment, &f->part);
    if (f->s == NULL)
        return false;
    f->place = &scan->places[f->s->half];
    f->at = at_of(scan, c, f->s->half, f->segment);
    return true;
}

/* The only step of a rank whose operand is its result. */
static bool copy_own(const struct logp_invocation *c, const struct found *f, struct logp_step *out)
{
    return f->segment == 0 &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                          (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_vector_bytes(c));
}

static bool scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    struct found f;

    (void)P;
    return find(c, i, &f) ? scan_step(f.s, f.place, &f.at, c, f.part, out)
                          : rank == 0 && copy_own(c, &f, out);
}

static bool exscan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    struct found f;

    (void)P, (void)rank;
    return find(c, i, &f) && exscan_step(f.s, f.place, &f.at, c, f.part, out);
}

static bool allreduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    struct found f;

    (void)rank;
    return find(c, i, &f) ? allreduce_step(f.s, f.place, &f.at, c, f.part, out)
                          : P == 1 && copy_own(c, &f, out);
}

LPI_READER(allreduce_run, allreduce_steps)
LPI_READER(scan_run, scan_steps)
LPI_READER(exscan_run, exscan_steps)

/* ---- the rows ---- */

static const char source[] = "Sanders, Speck & Traeff 2009";
static const char summary[] = "halves up and down two trees, in segments (--block)";

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "two-tree", summary, source), .plan = scan_plan, .steps = scan_steps,
     .run = scan_run, .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "two-tree", summary, source), .plan = exscan_plan,
     .steps = exscan_steps, .run = exscan_run, .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

static const struct logp_algorithm allreduces[] = {
    {LOGP_ALGORITHM("allreduce", "two-tree", summary, source), .needs = lpi_needs_commutative,
     .plan = allreduce_plan, .steps = allreduce_steps, .run = allreduce_run, .same_results = true,
     .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

const struct lpi_rows lpi_allreduce_two_tree = LPI_ROWS(allreduces);
const struct lpi_rows lpi_scan_two_tree = LPI_ROWS(scans), lpi_exscan_two_tree = LPI_ROWS(exscans);
