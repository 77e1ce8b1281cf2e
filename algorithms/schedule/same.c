/* SPDX-License-Identifier: MIT */
/*
 * A reader of a schedule without data: it checks that all ranks get the value of one expression.
 * Each byte of a buffer has a number for the expression that it is the value of. That of an operand
 * depends on its rank and place, that of a combination on its left and its right operand, so two
 * expressions with other operands, in other places or combined in another order have different
 * numbers, but for chance. At the end all ranks must have the same numbers in recv_buf.
 *
 * As in contributions.c, the fold decides which message a receive takes: a model in which nothing
 * takes time has the number of a message as its arrival.
 */
#include "schedule/schedule.h"

#include <logp/machine.h>
#include <logp/algorithm.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = LOGP_SCRATCH + 1 };

struct message {
    size_t n_bytes;
    uint64_t numbers[];
};

struct rank {
    struct logp_rank_plan plan;
    uint64_t *buffers[BUFFERS];
    size_t sizes[BUFFERS];
    int inner; /* a buffer that is a part of another; -1: none */
    int64_t i; /* the next step */
};

struct reading {
    const struct logp_schedule *schedule;
    const struct logp_collective *collective;
    struct logp_invocation c;
    struct rank *ranks;
    struct message **messages; /* by number; NULL: received */
    size_t n, capacity;
    size_t element; /* bytes */
    int rc;         /* of the steps so far */
};

/* ---- numbers ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static uint64_t operand(int64_t rank, size_t offset)
{
    return mix(mix(1, (uint64_t)rank), offset);
}

static uint64_t combined(uint64_t left, uint64_t right)
{
    return mix(mix(2, left), right);
}

static uint64_t computed(uint64_t from)
{
    return mix(3, from);
}

/* ---- steps ---- */

/* n numbers of a rank from a spot on; NULL: they are beyond the buffer. */
static uint64_t *numbers(struct rank *r, struct logp_buffer_ref s, size_t n)
{
    if ((unsigned)s.buffer >= BUFFERS || s.offset > r->sizes[s.buffer] ||
        n > r->sizes[s.buffer] - s.offset)
        return NULL;
    return r->buffers[s.buffer] + s.offset;
}

static int combine(struct reading *k, struct rank *r, const struct logp_step *s)
{
    const size_t all = (size_t)s->n * k->element, one = s->into_one ? k->element : all;
    uint64_t *at = numbers(r, s->at, one);
    const uint64_t *left = s->into_one ? at : numbers(r, s->left, all);
    const uint64_t *right = numbers(r, s->right, all);

    if (at == NULL || left == NULL || right == NULL)
        return -EPROTO;
    for (size_t i = 0; i < all; i++) {
        const size_t to = s->into_one ? i % k->element : i;

        at[to] = combined(left[to], right[i]);
    }
    return 0;
}

static int copy(struct rank *r, const struct logp_step *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const struct logp_buffer_ref to = {s->at.buffer, s->at.offset + (size_t)i * s->at_stride};
        const struct logp_buffer_ref from = {s->right.buffer,
                                             s->right.offset + (size_t)i * s->right_stride};

        if (numbers(r, to, s->n_bytes) == NULL || numbers(r, from, s->n_bytes) == NULL)
            return -EPROTO;
        memmove(numbers(r, to, s->n_bytes), numbers(r, from, s->n_bytes),
                s->n_bytes * sizeof(uint64_t));
    }
    return 0;
}

static int compute(struct rank *r, const struct logp_step *s)
{
    uint64_t *at = numbers(r, s->at, s->n_bytes);
    const uint64_t *from = numbers(r, s->right, s->n_bytes);

    if (s->n_bytes == 0)
        return 0;
    if (at == NULL || from == NULL)
        return -EPROTO;
    for (size_t i = 0; i < s->n_bytes; i++)
        at[i] = computed(from[i]);
    return 0;
}

/* A rank makes its steps up to its next message. @return it has one: *s */
static bool advance(struct reading *k, int64_t rank, struct logp_step *s)
{
    struct rank *r = &k->ranks[rank];

    k->c.plan = r->plan;
    while (k->rc == 0 && k->schedule->steps(k->schedule->P, rank, &k->c, r->i, s)) {
        if (s->kind == LOGP_STEP_SEND || s->kind == LOGP_STEP_RECEIVE)
            return true;
        k->rc = s->kind == LOGP_STEP_COMBINE ? combine(k, r, s)
                : s->kind == LOGP_STEP_COPY  ? copy(r, s)
                                             : compute(r, s);
        r->i++;
    }
    return false;
}

/* ---- the fold's delay model ---- */

static int send(struct reading *k, struct rank *r, const struct logp_step *s)
{
    const uint64_t *from = numbers(r, s->at, s->n_bytes);
    struct message *m;

    if (from == NULL)
        return -EPROTO;
    if (!lpi_grow(&k->messages, k->n, &k->capacity, sizeof(*k->messages), 64))
        return -ENOMEM;
    m = malloc(sizeof(*m) + s->n_bytes * sizeof(m->numbers[0]));
    if (m == NULL)
        return -ENOMEM;
    m->n_bytes = s->n_bytes;
    memcpy(m->numbers, from, s->n_bytes * sizeof(*from));
    k->messages[k->n++] = m;
    return 0;
}

static void note_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct reading *k = model;
    struct logp_step s;

    (void)port;
    t->done = t->ready;
    t->arrival = (int64_t)k->n;
    if (!advance(k, t->src, &s))
        return;
    k->rc = send(k, &k->ranks[t->src], &s);
    k->ranks[t->src].i++;
}

static void note_receive(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct reading *k = model;
    struct rank *r = &k->ranks[t->dst];
    struct logp_step s;
    struct message *m;
    uint64_t *to;

    (void)port;
    t->start = t->done = t->ready;
    if (!advance(k, t->dst, &s))
        return;
    m = k->messages[t->arrival];
    to = numbers(r, s.at, s.n_bytes);
    if (to == NULL || m->n_bytes != s.n_bytes) {
        k->rc = -EPROTO;
        return;
    }
    memcpy(to, m->numbers, s.n_bytes * sizeof(*to));
    k->messages[t->arrival] = NULL;
    free(m);
    r->i++;
}

/* ---- all of it ---- */

static int make_rank(struct reading *k, int rank)
{
    const int P = (int)k->schedule->P;
    struct rank *r = &k->ranks[rank];
    struct logp_buffer_ref at = {LOGP_RECV_BUF, 0};
    int rc;

    r->inner = -1;
    k->c.plan = (struct logp_rank_plan){.parent = -1};
    rc = k->schedule->plan != NULL ? k->schedule->plan(P, rank, &k->c) : 0;
    if (rc != 0)
        return rc;
    r->plan = k->c.plan;
    k->collective->sizes(P, rank, &k->c, &r->sizes[LOGP_BUF], &r->sizes[LOGP_RECV_BUF]);
    r->sizes[LOGP_SCRATCH] = r->plan.scratch_bytes;
    if (r->sizes[LOGP_RECV_BUF] != k->ranks[0].sizes[LOGP_RECV_BUF])
        return -EINVAL;
    if (k->c.args.in_place && k->collective->in_place != NULL &&
        k->collective->in_place(P, rank, &k->c, &at))
        r->inner = at.buffer == LOGP_BUF ? LOGP_RECV_BUF : LOGP_BUF;
    for (int b = 0; b < BUFFERS; b++) {
        if (b != r->inner)
            r->buffers[b] = calloc(r->sizes[b] + 1, sizeof(uint64_t));
        if (b != r->inner && r->buffers[b] == NULL)
            return -ENOMEM;
    }
    if (r->inner >= 0)
        r->buffers[r->inner] = r->buffers[at.buffer] + at.offset;
    for (size_t i = 0; i < r->sizes[LOGP_BUF]; i++)
        r->buffers[LOGP_BUF][i] = operand(rank, i);
    return 0;
}

static int go_through(struct reading *k)
{
    const struct logp_delay_ops ops = lpi_timeless(note_send, note_receive);
    const struct logp_delay delay = {&ops, k};
    struct logp_schedule schedule = *k->schedule;
    struct logp_fold fold;
    struct logp_step s;
    int rc;

    if (schedule.args.list != NULL &&
        logp_step_list_is_graph(schedule.args.list, &schedule.model.params))
        return -ENOTSUP;
    schedule.model.rendezvous_from = 0; /* the end of a send does not change its data */
    rc = logp_schedule_fold(&schedule, &delay, 0, &fold);
    for (int64_t rank = 0; k->rc == 0 && rc == 0 && rank < k->schedule->P; rank++)
        advance(k, rank, &s);
    return k->rc != 0 ? k->rc : rc == -EMSGSIZE ? -EPROTO : rc;
}

/* Return the first rank whose result differs from that of rank 0; 0: all are equal. */
static int64_t other_rank(const struct reading *k)
{
    const struct rank *first = &k->ranks[0];
    const size_t n = first->sizes[LOGP_RECV_BUF];

    for (int64_t rank = 1; rank < k->schedule->P; rank++)
        if (memcmp(k->ranks[rank].buffers[LOGP_RECV_BUF], first->buffers[LOGP_RECV_BUF],
                   n * sizeof(uint64_t)) != 0)
            return rank;
    return 0;
}

static void unmake(struct reading *k)
{
    for (int64_t i = 0; i < k->schedule->P; i++) {
        struct rank *r = &k->ranks[i];

        k->c.plan = r->plan;
        lpi_free_plan(&k->c.plan);
        for (int b = 0; b < BUFFERS; b++)
            if (b != r->inner)
                free(r->buffers[b]);
    }
    for (size_t i = 0; i < k->n; i++)
        free(k->messages[i]);
    free(k->messages);
    free(k->ranks);
}

int logp_schedule_same(const struct logp_schedule *schedule,
                       const struct logp_collective *collective, int64_t *rank)
{
    struct reading k = {.schedule = schedule,
                        .collective = collective,
                        .c = {schedule->args, schedule->model, {.parent = -1}},
                        .element = 1};
    int64_t other = 0;
    int rc = 0;

    if (schedule->P < 1 || schedule->P > LOGP_MAX_PROCESSORS)
        return -EINVAL;
    if (schedule->args.op != NULL)
        k.element = schedule->args.op->element_bytes;
    k.ranks = calloc((size_t)schedule->P, sizeof(*k.ranks));
    if (k.ranks == NULL)
        return -ENOMEM;
    for (int r = 0; rc == 0 && r < schedule->P; r++)
        rc = make_rank(&k, r);
    if (rc == 0)
        rc = go_through(&k);
    if (rc == 0)
        other = other_rank(&k);
    unmake(&k);
    if (rc == 0 && other > 0 && rank != NULL)
        *rank = other;
    return rc != 0 ? rc : other == 0;
}
