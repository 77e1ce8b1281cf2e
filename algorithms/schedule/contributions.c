/* SPDX-License-Identifier: MIT */
/*
 * The third reader of a schedule: it checks that all data get where they should. It needs no data:
 * each byte of a buffer has a label with its meaning (schedule.h), and steps move labels. At the
 * end each rank must hold what its collective promises, each contribution once, in the order of
 * ranks where the operation does not commute. In a barrier a message from each rank, perhaps
 * relayed, must have reached all others. No step reads what no step has written, nor anything
 * beyond a buffer, and every message is received as large as it was sent.
 *
 * The fold decides which message a receive takes, and finds a rank that waits for ever. This file
 * is a delay model for the fold, in which nothing takes time and the arrival of a message is its
 * number: at each send and receive the rank makes the steps before it, and then moves the labels.
 */
#include "schedule/schedule.h"

#include <logp/machine.h>
#include <logp/algorithm.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = LOGP_SCRATCH + 1 };

struct message {
    int64_t dst;
    size_t n_bytes;
    uint64_t *heard;         /* the ranks that its sender had heard from; in data */
    lpi_step_label labels[]; /* and then those */
};

struct rank {
    struct logp_rank_plan plan;
    lpi_step_label *buffers[BUFFERS];
    size_t sizes[BUFFERS];
    int inner;       /* a buffer that is a part of another; -1: none */
    uint64_t *heard; /* a bit for each rank */
    int64_t i;
    bool rts_sent; /* at a send whose request has been sent */
};

struct check {
    const struct logp_schedule *schedule;
    const struct logp_collective *collective;
    struct logp_invocation c;
    struct logp_schedule_error *error;
    struct rank *ranks;
    struct message **messages; /* by number; NULL: received */
    size_t n, capacity;
    int rc; /* of the steps so far */
    struct lpi_combinations combinations;
    size_t words; /* of `heard` */
    size_t element;
};

static int flawed(struct check *k, int64_t rank, const char *what)
{
    *k->error =
        (struct logp_schedule_error){rank, k->ranks != NULL ? k->ranks[rank].i : 0, what, -1};
    return -EPROTO;
}

/* As flawed(): it is about the contribution of rank `of`. */
static int flawed_of(struct check *k, int64_t rank, const char *what, int64_t of)
{
    const int rc = flawed(k, rank, what);

    k->error->of = of;
    return rc;
}

/* n labels of a rank from a spot on; NULL: they are beyond the buffer. */
static lpi_step_label *labels(struct rank *r, struct logp_buffer_ref s, size_t n)
{
    if ((unsigned)s.buffer >= BUFFERS || s.offset > r->sizes[s.buffer] ||
        n > r->sizes[s.buffer] - s.offset)
        return NULL;
    return r->buffers[s.buffer] + s.offset;
}

static bool written(const lpi_step_label *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (l[i] == 0)
            return false;
    return true;
}

/* ---- steps ---- */

/* @return the number of the message; an error */
static int64_t send(struct check *k, int64_t rank, const struct logp_step *s)
{
    const lpi_step_label *from = labels(&k->ranks[rank], s->at, s->n_bytes);
    struct message *m;

    if (from == NULL)
        return flawed(k, rank, "it sends data beyond its buffer");
    if (!written(from, s->n_bytes))
        return flawed(k, rank, "it sends data that it does not have");
    if (!lpi_grow(&k->messages, k->n, &k->capacity, sizeof(*k->messages), 64))
        return -ENOMEM;
    m = malloc(sizeof(*m) + (s->n_bytes + k->words) * sizeof(lpi_step_label));
    if (m == NULL)
        return -ENOMEM;
    *m = (struct message){.dst = s->peer, .n_bytes = s->n_bytes};
    m->heard = m->labels + s->n_bytes;
    memcpy(m->labels, from, s->n_bytes * sizeof(*from));
    memcpy(m->heard, k->ranks[rank].heard, k->words * sizeof(*m->heard));
    k->messages[k->n] = m;
    return (int64_t)k->n++;
}

static int receive(struct check *k, int64_t rank, const struct logp_step *s, int64_t number)
{
    struct rank *r = &k->ranks[rank];
    lpi_step_label *to = labels(r, s->at, s->n_bytes);
    struct message *m = k->messages[number];

    if (to == NULL)
        return flawed(k, rank, "it receives data beyond its buffer");
    if (m->n_bytes != s->n_bytes)
        return flawed(k, rank, "it receives a message of another size");
    k->messages[number] = NULL;
    memcpy(to, m->labels, s->n_bytes * sizeof(*to));
    for (size_t i = 0; i < k->words; i++)
        r->heard[i] |= m->heard[i];
    free(m);
    return 0;
}

static int copy(struct check *k, int64_t rank, const struct logp_step *s)
{
    struct rank *r = &k->ranks[rank];

    for (int64_t i = 0; i < s->n; i++) {
        const struct logp_buffer_ref to = {s->at.buffer, s->at.offset + (size_t)i * s->at_stride};
        const struct logp_buffer_ref at = {s->right.buffer,
                                           s->right.offset + (size_t)i * s->right_stride};
        const lpi_step_label *from = labels(r, at, s->n_bytes);

        if (from == NULL || labels(r, to, s->n_bytes) == NULL)
            return flawed(k, rank, "it copies data beyond its buffer");
        if (!written(from, s->n_bytes))
            return flawed(k, rank, "it copies data that it does not have");
        memmove(labels(r, to, s->n_bytes), from, s->n_bytes * sizeof(*from));
    }
    return 0;
}

static bool is_zero(const struct check *k, const lpi_step_label *element)
{
    for (size_t i = 0; i < k->element; i++)
        if (element[i] != LPI_LABEL_ZERO)
            return false;
    return true;
}

/* One element op n others. */
static int combine_one(struct check *k, int64_t rank, const lpi_step_label *left,
                       const lpi_step_label *right, size_t n, lpi_step_label *at)
{
    if (n == 1 && (is_zero(k, left) || is_zero(k, right))) {
        memmove(at, is_zero(k, left) ? right : left, k->element * sizeof(*at));
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        if (!lpi_label_whole(right + i * k->element, k->element))
            return flawed(k, rank, "it combines data that are not whole elements");
    if (!lpi_label_whole(left, k->element))
        return flawed(k, rank, "it combines data that are not whole elements");
    return lpi_label_combine(&k->combinations, left, right, n, k->element, at);
}

static int combine(struct check *k, int64_t rank, const struct logp_step *s)
{
    struct rank *r = &k->ranks[rank];
    const size_t n = (size_t)s->n, all = n * k->element, one = s->into_one ? k->element : all;
    lpi_step_label *at = labels(r, s->at, one);
    const lpi_step_label *right = labels(r, s->right, all);
    const lpi_step_label *left = s->into_one ? at : labels(r, s->left, all);
    int rc = 0;

    if (at == NULL || left == NULL || right == NULL)
        return flawed(k, rank, "it combines data beyond its buffer");
    if (at < right + all && right < at + one)
        return flawed(k, rank, "it combines into its operand");
    if (s->into_one)
        return n > 0 ? combine_one(k, rank, at, right, n, at) : 0;
    for (size_t i = 0; rc == 0 && i < all; i += k->element)
        rc = combine_one(k, rank, left + i, right + i, 1, at + i);
    return rc;
}

/* Do a compute. The bytes that its work makes get labels of its rank's own. */
static int compute(struct check *k, int64_t rank, const struct logp_step *s)
{
    lpi_step_label *at = labels(&k->ranks[rank], s->at, s->n_bytes);
    const lpi_step_label *from = labels(&k->ranks[rank], s->right, s->n_bytes);

    if (s->n_bytes == 0)
        return 0;
    if (at == NULL || from == NULL)
        return flawed(k, rank, "it computes beyond its buffer");
    if (from != at && !written(from, s->n_bytes))
        return flawed(k, rank, "it computes from data that it does not have");
    for (size_t i = 0; i < s->n_bytes; i++)
        at[i] = s->work == lpi_clear_scratch ? LPI_LABEL_ZERO : lpi_label_of(rank, i, true);
    return 0;
}

/* ---- the fold's delay model ---- */

/* A rank makes its steps up to its next message. @return it has one: *s */
static bool advance(struct check *k, int64_t rank, struct logp_step *s)
{
    struct rank *r = &k->ranks[rank];

    k->c.plan = r->plan;
    while (k->rc == 0 && k->schedule->steps(k->schedule->P, rank, &k->c, r->i, s)) {
        if (s->kind == LOGP_STEP_SEND || s->kind == LOGP_STEP_RECEIVE)
            return true;
        k->rc = s->kind == LOGP_STEP_COMBINE ? combine(k, rank, s)
                : s->kind == LOGP_STEP_COPY  ? copy(k, rank, s)
                                             : compute(k, rank, s);
        r->i += k->rc == 0;
    }
    return false;
}

/* The first time that a send which waits for its receiver comes here, it is its request. */
static void note_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct check *k = model;
    struct rank *r = &k->ranks[t->src];
    const int64_t from = k->schedule->model.rendezvous_from;
    struct logp_step s;
    int64_t number;

    (void)port;
    t->done = t->ready;
    t->arrival = 0;
    if (!advance(k, t->src, &s))
        return;
    r->rts_sent = !r->rts_sent && from > 0 && (s.n_bytes > 0 ? s.n_bytes : 1) >= (uint64_t)from;
    if (r->rts_sent)
        return;
    number = send(k, t->src, &s);
    if (number < 0) {
        k->rc = (int)number;
        return;
    }
    t->arrival = number;
    r->i++;
}

static void note_receive(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct check *k = model;
    struct logp_step s;

    (void)port;
    t->start = t->done = t->ready;
    if (!advance(k, t->dst, &s))
        return;
    k->rc = receive(k, t->dst, &s, t->arrival);
    k->ranks[t->dst].i += k->rc == 0;
}

/* The fold went no further than this rank. */
static int stuck(struct check *k, int64_t rank, int rc)
{
    const bool waits = rc == -EDEADLK;
    struct logp_step s;

    if (rank < 0 || !advance(k, rank, &s))
        return k->rc != 0 ? k->rc : rc;
    if (rc == -EMSGSIZE)
        return flawed(k, rank, "it receives a message of another size");
    if (s.kind == LOGP_STEP_SEND)
        return flawed(k, rank,
                      waits ? "it waits for its receiver"
                            : "it sends to a rank that does not exist");
    return flawed(k, rank,
                  waits ? "it waits for a message that is never sent"
                        : "it receives from a rank that does not exist");
}

/* ---- the postcondition ---- */

static int by_value(const void *a, const void *b)
{
    const lpi_step_label x = *(const lpi_step_label *)a, y = *(const lpi_step_label *)b;

    return (x > y) - (x < y);
}

/* The parts that a promised element must have, in the order of ranks. @return how many; 0: no
 * memory */
static size_t expected(struct check *k, const struct logp_postcondition *p, size_t offset,
                       lpi_step_label **out)
{
    size_t n = 0, capacity = 0;

    for (int64_t i = 0; i < p->ranks; i++)
        capacity += p->whole ? k->ranks[p->from + i].sizes[LOGP_BUF] / k->element : 1;
    *out = malloc((capacity + 1) * sizeof(**out));
    for (int64_t i = 0; *out != NULL && i < p->ranks; i++) {
        const int64_t rank = p->from + i;
        const size_t end = p->whole ? k->ranks[rank].sizes[LOGP_BUF] : offset + 1;

        for (size_t at = p->whole ? 0 : offset; at < end; at += k->element)
            (*out)[n++] = lpi_label_of(rank, at, p->made);
    }
    return n;
}

/* The first contribution that is too many or missing, both sorted; or else the first out of order.
 */
static int blame(struct check *k, int64_t rank, const lpi_step_label *have, size_t n,
                 const lpi_step_label *want, size_t n_want)
{
    lpi_step_label *sorted = malloc((n + 1) * sizeof(*sorted));
    size_t i = 0;
    int rc;

    if (sorted == NULL)
        return -ENOMEM;
    memcpy(sorted, have, n * sizeof(*have));
    qsort(sorted, n, sizeof(*sorted), by_value);
    while (i < n && i < n_want && sorted[i] == want[i])
        i++;
    if (i < n && i > 0 && sorted[i] == sorted[i - 1])
        rc = flawed_of(k, rank, "its result has a contribution twice", lpi_label_rank(sorted[i]));
    else if (i < n_want && (i == n || sorted[i] > want[i]))
        rc = flawed_of(k, rank, "its result lacks a contribution", lpi_label_rank(want[i]));
    else if (i < n)
        rc = flawed_of(k, rank, "its result has a contribution that does not belong there",
                       lpi_label_rank(sorted[i]));
    else {
        for (i = 0; have[i] == want[i];)
            i++;
        rc = flawed_of(k, rank, "its result has a contribution out of the order of ranks",
                       lpi_label_rank(have[i]));
    }
    free(sorted);
    return rc;
}

static int check_combination(struct check *k, int64_t rank, const struct logp_postcondition *p,
                             const lpi_step_label *element, size_t offset)
{
    const lpi_step_label *parts;
    lpi_step_label *want, *have;
    size_t n, n_want;
    int rc = 0;

    if (!lpi_label_whole(element, k->element))
        return flawed(k, rank, "its result is not a combination");
    n = lpi_label_parts(&k->combinations, element, &parts);
    n_want = expected(k, p, offset, &want);
    have = malloc((n + 1) * sizeof(*have));
    if (want == NULL || have == NULL) {
        free(want);
        free(have);
        return -ENOMEM;
    }
    memcpy(have, parts, n * sizeof(*have));
    if (k->c.args.op == NULL || k->c.args.op->commutative)
        qsort(have, n, sizeof(*have), by_value);
    if (n != n_want || memcmp(have, want, n * sizeof(*have)) != 0)
        rc = blame(k, rank, have, n, want, n_want);
    free(want);
    free(have);
    return rc;
}

static int check_postcondition(struct check *k, int64_t rank, const struct logp_postcondition *p)
{
    const lpi_step_label *l = labels(&k->ranks[rank], p->at, p->n_bytes);
    int rc = 0;

    if (l == NULL)
        return flawed(k, rank, "its result is beyond its buffer");
    if (p->combined) {
        for (size_t i = 0; rc == 0 && i < p->n_bytes; i += k->element)
            rc = check_combination(k, rank, p, l + i, p->offset + i);
        return rc;
    }
    for (size_t i = 0; i < p->n_bytes; i++)
        if (l[i] != lpi_label_of(p->from, p->offset + i, p->made))
            return flawed_of(k, rank, "it does not hold the expected data", p->from);
    return 0;
}

static int check_rank(struct check *k, int64_t rank)
{
    struct rank *r = &k->ranks[rank];
    struct logp_postcondition p;
    int rc = 0;

    k->c.plan = r->plan;
    for (int64_t i = 0; k->collective->holds_back && i < k->schedule->P; i++)
        if ((r->heard[i / 64] >> (i % 64) & 1) == 0)
            return flawed_of(k, rank, "it does not wait for all ranks", i);
    for (int64_t i = 0; rc == 0; i++) {
        p = (struct logp_postcondition){.ranks = 1};
        if (k->collective->postcondition == NULL ||
            !k->collective->postcondition(k->schedule->P, rank, &k->c, i, &p))
            break;
        rc = check_postcondition(k, rank, &p);
    }
    return rc;
}

/* ---- all of it ---- */

static int make_rank(struct check *k, int rank)
{
    const int P = (int)k->schedule->P;
    struct rank *r = &k->ranks[rank];
    struct logp_buffer_ref at = {LOGP_RECV_BUF, 0};
    size_t given;
    int rc;

    k->c.plan = (struct logp_rank_plan){.parent = -1};
    rc = k->schedule->plan != NULL ? k->schedule->plan(P, rank, &k->c) : 0;
    if (rc != 0)
        return rc;
    r->plan = k->c.plan;
    k->collective->sizes(P, rank, &k->c, &r->sizes[LOGP_BUF], &r->sizes[LOGP_RECV_BUF]);
    r->sizes[LOGP_SCRATCH] = r->plan.scratch_bytes;
    r->heard = calloc(k->words + 1, sizeof(*r->heard));
    r->inner = -1;
    if (k->c.args.in_place && k->collective->in_place != NULL &&
        k->collective->in_place(P, rank, &k->c, &at))
        r->inner = at.buffer == LOGP_BUF ? LOGP_RECV_BUF : LOGP_BUF;
    for (int b = 0; b < BUFFERS; b++) {
        if (b != r->inner)
            r->buffers[b] = calloc(r->sizes[b] + 1, sizeof(lpi_step_label));
        if ((b != r->inner && r->buffers[b] == NULL) || r->heard == NULL)
            return -ENOMEM;
    }
    if (r->inner >= 0)
        r->buffers[r->inner] = r->buffers[at.buffer] + at.offset;
    if (k->words > 0)
        r->heard[rank / 64] |= UINT64_C(1) << (rank % 64);
    given =
        k->collective->given != NULL ? k->collective->given(P, rank, &k->c) : r->sizes[LOGP_BUF];
    for (size_t i = 0; i < given; i++)
        r->buffers[LOGP_BUF][i] = lpi_label_of(rank, i, false);
    return 0;
}

static int go_through(struct check *k)
{
    const struct logp_delay_ops ops = lpi_timeless(note_send, note_receive);
    const struct logp_delay delay = {&ops, k};
    struct logp_schedule schedule = *k->schedule;
    struct logp_step_list list;
    struct logp_fold fold;
    struct logp_step s;
    int rc;

    if (schedule.args.list != NULL) { /* step by step, whatever else its edges allow */
        list = *schedule.args.list;
        list.edges = NULL;
        schedule.args.list = &list;
    }
    rc = logp_schedule_fold(&schedule, &delay, 0, &fold);
    if (k->rc == 0 && rc != 0)
        k->rc = stuck(k, fold.rank, rc);
    for (int64_t rank = 0; k->rc == 0 && rank < k->schedule->P; rank++)
        advance(k, rank, &s);
    for (size_t i = 0; k->rc == 0 && i < k->n; i++)
        if (k->messages[i] != NULL)
            k->rc = flawed(k, k->messages[i]->dst, "a message to it is never received");
    for (int64_t rank = 0; k->rc == 0 && rank < k->schedule->P; rank++)
        k->rc = check_rank(k, rank);
    return k->rc;
}

static void unmake(struct check *k)
{
    for (int64_t i = 0; k->ranks != NULL && i < k->schedule->P; i++) {
        struct rank *r = &k->ranks[i];

        k->c.plan = r->plan;
        lpi_free_plan(&k->c.plan);
        for (int b = 0; b < BUFFERS; b++)
            if (b != r->inner)
                free(r->buffers[b]);
        free(r->heard);
    }
    for (size_t i = 0; i < k->n; i++)
        free(k->messages[i]);
    free(k->messages);
    free(k->ranks);
    lpi_label_fini(&k->combinations);
}

int logp_schedule_check(const struct logp_schedule *schedule,
                        const struct logp_collective *collective, struct logp_schedule_error *error)
{
    struct check k = {.schedule = schedule,
                      .collective = collective,
                      .c = {schedule->args, schedule->model, {.parent = -1}},
                      .error = error};
    int rc = 0;

    *error = (struct logp_schedule_error){.rank = -1, .of = -1};
    if (schedule->P < 1 || schedule->P > LOGP_MAX_PROCESSORS)
        return -EINVAL;
    k.words = collective->holds_back ? (size_t)schedule->P / 64 + 1 : 0;
    k.ranks = calloc((size_t)schedule->P, sizeof(*k.ranks));
    if (k.ranks == NULL)
        return -ENOMEM;
    for (int rank = 0; rc == 0 && rank < schedule->P; rank++)
        rc = make_rank(&k, rank);
    k.element = k.c.args.op != NULL ? k.c.args.op->element_bytes : 1; /* plans may set it */
    if (rc == 0)
        rc = go_through(&k);
    unmake(&k);
    return rc;
}
