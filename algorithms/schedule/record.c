/* SPDX-License-Identifier: MIT */
/*
 * The tasks of a schedule, each after the tasks that it waits for. The fold matches sends and
 * receives: its delay model takes no time and notes both. The arrival of a message is then not a
 * time, but the number of its send.
 */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

static const int64_t most_sum = INT64_C(1) << 60; /* of all bytes, or elements */

struct recorder {
    struct lpi_explanation *x;
    struct logp_task *read; /* rank after rank, as they are read */
    size_t n, capacity;
    size_t *first, *next;   /* by rank: the first of its tasks, the next to be recorded; P + 1 */
    struct lpi_links *last; /* by rank: for the next of its tasks */
};

/* ---- read the steps ---- */

static struct logp_task *one_more(struct recorder *r)
{
    if (!lpi_grow(&r->read, r->n, &r->capacity, sizeof(*r->read), 64))
        return NULL;
    return &r->read[r->n++];
}

/* Return how many elements a step combines: by how much longer it takes if each takes 1 ns more.
 * The plan does not change. */
static int64_t elements_of(const struct logp_schedule *s, int64_t rank, struct logp_invocation *c,
                           int64_t i, const struct logp_step *step)
{
    struct logp_params *p = &c->model.params;
    const int64_t gamma_ps = p->gamma_ps;
    struct logp_step longer = *step;
    __int128 ns;
    int64_t n;

    p->gamma_ps += 1000;
    n = s->steps(s->P, rank, c, i, &longer) && longer.kind == step->kind ? longer.ns - step->ns : 0;
    p->gamma_ps = gamma_ps;
    ns = ((__int128)n * gamma_ps + 999) / 1000;
    return n > 0 && ns <= step->ns ? n : 0;
}

static int64_t rounded_ns(int64_t n, int64_t ps)
{
    return (int64_t)(((__int128)n * ps + 999) / 1000);
}

/* Add a step as a task, unless it is not a message and takes no time. 0; -E2BIG, -EINVAL,
 * -ENOMEM */
static int add_step(struct recorder *r, const struct logp_schedule *s, int64_t rank,
                    struct logp_invocation *c, int64_t i, const struct logp_step *step)
{
    const bool message = step->kind == LOGP_STEP_SEND || step->kind == LOGP_STEP_RECEIVE;
    struct logp_task task = {.kind = message ? step->kind : LOGP_STEP_COMPUTE,
                             .tag = message ? step->tag : 0,
                             .rank = rank,
                             .peer = message ? step->peer : -1,
                             .n_bytes = message ? step->n_bytes : 0,
                             .other = -1};
    struct logp_task *place;

    if (!message) {
        if (step->ns < 0)
            return -EINVAL;
        task.elements = elements_of(s, rank, c, i, step);
        task.compute_ns = step->ns - rounded_ns(task.elements, c->model.params.gamma_ps);
        if (task.elements == 0 && task.compute_ns == 0)
            return 0;
    }
    if (r->n >= LOGP_EXPLAIN_TASKS)
        return -E2BIG;
    place = one_more(r);
    if (place == NULL)
        return -ENOMEM;
    *place = task;
    return 0;
}

static int read_rank(struct recorder *r, const struct logp_schedule *s, int64_t rank)
{
    struct logp_invocation c;
    struct logp_step step;
    int rc = logp_schedule_begin(s, (int)rank, &c);

    if (rc != 0)
        return rc;
    for (int64_t i = 0; rc == 0 && s->steps(s->P, rank, &c, i, &step); i++) {
        if (step.kind != LOGP_STEP_COPY)
            rc = add_step(r, s, rank, &c, i, &step);
        if (step.kind == LOGP_STEP_COMPUTE)
            i += step.parts;
    }
    logp_schedule_end(&c);
    return rc;
}

/* ---- record them ---- */

/* The next task of a rank is the next of all. @return its number */
static uint32_t record(struct recorder *r, int64_t rank, uint32_t match)
{
    struct lpi_explanation *x = r->x;
    struct lpi_links *last = &r->last[rank];
    const uint32_t n = (uint32_t)x->public.n_tasks++;
    const struct logp_task task = r->read[r->next[rank]++];

    x->tasks[n] = task;
    x->links[n] = *last;
    x->links[n].match = match;
    last->before = n;
    if (task.kind == LOGP_STEP_SEND)
        last->send = n;
    if (task.kind == LOGP_STEP_RECEIVE)
        last->receive = n;
    return n;
}

/* The computations of a rank up to its next message, and that message. */
static uint32_t record_message(struct recorder *r, int64_t rank, uint32_t match)
{
    while (r->read[r->next[rank]].kind == LOGP_STEP_COMPUTE)
        record(r, rank, LPI_NO_TASK);
    return record(r, rank, match);
}

static void note_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)port;
    t->done = t->ready;
    t->arrival = record_message(model, t->src, LPI_NO_TASK);
}

static void note_receive(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct recorder *r = model;
    const uint32_t send = (uint32_t)t->arrival, n = record_message(r, t->dst, send);

    (void)port;
    t->start = t->done = t->ready;
    r->x->tasks[n].n_bytes = t->n_bytes;
    r->x->tasks[n].other = send;
    r->x->tasks[send].other = n;
}

static int record_all(struct recorder *r, const struct logp_schedule *s)
{
    const struct logp_delay_ops ops = lpi_timeless(note_send, note_receive);
    const struct logp_delay delay = {&ops, r};
    struct logp_fold fold;
    int rc = logp_schedule_fold(s, &delay, 0, &fold);

    for (int64_t rank = 0; rc == 0 && rank < s->P; rank++)
        while (r->next[rank] < r->first[rank + 1])
            record(r, rank, LPI_NO_TASK);
    r->x->public.messages = fold.messages;
    return rc;
}

/* Sums of them stay within 64 bits. */
static bool small_sums(const struct recorder *r)
{
    __int128 bytes = 0, elements = 0;

    for (size_t i = 0; i < r->n; i++) {
        bytes += (__int128)r->read[i].n_bytes + 1;
        elements += r->read[i].elements;
    }
    return bytes < most_sum && elements < most_sum;
}

static int make_space(struct recorder *r, int64_t P)
{
    struct lpi_explanation *x = r->x;

    x->tasks = calloc(r->n + 1, sizeof(*x->tasks));
    x->links = calloc(r->n + 1, sizeof(*x->links));
    r->last = malloc((size_t)P * sizeof(*r->last));
    if (x->tasks == NULL || x->links == NULL || r->last == NULL)
        return -ENOMEM;
    for (int64_t rank = 0; rank < P; rank++) {
        r->next[rank] = r->first[rank];
        r->last[rank] = (struct lpi_links){LPI_NO_TASK, LPI_NO_TASK, LPI_NO_TASK, LPI_NO_TASK};
    }
    return 0;
}

int lpi_record(const struct logp_schedule *schedule, struct lpi_explanation *x)
{
    const int64_t P = schedule->P;
    struct recorder r = {.x = x};
    int rc = 0;

    r.first = calloc((size_t)P + 1, sizeof(*r.first));
    r.next = calloc((size_t)P, sizeof(*r.next));
    if (r.first == NULL || r.next == NULL)
        rc = -ENOMEM;
    for (int64_t rank = 0; rc == 0 && rank < P; rank++) {
        rc = read_rank(&r, schedule, rank);
        r.first[rank + 1] = r.n;
    }
    if (rc == 0 && !small_sums(&r))
        rc = -EOVERFLOW;
    if (rc == 0)
        rc = make_space(&r, P);
    if (rc == 0)
        rc = record_all(&r, schedule);
    free(r.read);
    free(r.first);
    free(r.next);
    free(r.last);
    return rc;
}
