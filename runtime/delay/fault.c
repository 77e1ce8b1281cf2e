/* SPDX-License-Identifier: MIT */
/*
 * The delay model of faults and noise: see delay.h.
 *
 * The inner model gives the start of a send or receive, how long it keeps its processor, and the
 * arrival of its message. This model moves the start to a time when the processor is available,
 * and stretches the operation and the message's latency. Then it draws the message's fate. The
 * holder of a rank's core owns the rank's count of operations, as it owns its port. Counts of all
 * ranks are atomic. They are relaxed, since they publish nothing and are read after the run.
 */

#include "delay/delay.h"
#include "state/state.h"

#include <logp/machine.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 64, ROUNDS = 64 };

struct faulty {
    struct lpi_inner in;
    struct logp_delay_ops ops; /* of this model, as far as its faults need them */
    const struct logp_params *params;
    struct lpi_fault *faults; /* noise first */
    int n, P;
    char *texts[2]; /* faults and noise, as given */
    int64_t unit_ns;
    uint64_t seed;
    int64_t origin;       /* time 0 of the times in texts */
    unsigned *operations; /* by rank: sends and receives so far; NULL: no draw uses them */
    _Atomic uint64_t dropped, duplicated, flipped, delayed;
    _Atomic uint64_t n_events;
    struct logp_fault_event events[MOST_EVENTS];
    bool (*takes_place)(void *arg, const struct logp_fault_event *event); /* NULL: all do */
    void *arg;
};

static bool is_in(const struct lpi_rank_set *set, int rank)
{
    for (int i = 0; i < set->n; i++)
        if (rank >= set->range[i].first && rank <= set->range[i].last)
            return true;
    return set->n == 0;
}

static bool holds_at(const struct faulty *m, const struct lpi_fault *f, int64_t t)
{
    return t - m->origin >= f->from && t - m->origin < f->to;
}

/* ---- processors ---- */

/* The time from the beginning of this processor's last tick to t. */
static int64_t since_tick(const struct faulty *m, const struct lpi_fault *f, int rank, int64_t t)
{
    const int64_t shift =
        f->shift >= 0 ? f->shift : below(draw_of(m->seed ^ f->salt, rank, rank, 0), f->ns);
    const int64_t since = (t - m->origin - shift) % f->ns;

    return since >= 0 ? since : since + f->ns;
}

/* The first time from t on at which the rank is available. LOGP_STOPPED: never */
static int64_t back_at(const struct faulty *m, int rank, int64_t t)
{
    bool away = true;

    for (int round = 0; away && round < ROUNDS; round++) {
        away = false;
        for (int i = 0; i < m->n; i++) {
            const struct lpi_fault *f = &m->faults[i];
            int64_t since;

            if ((f->what != LPI_STOP && f->what != LPI_TICK) || !holds_at(m, f, t) ||
                !is_in(&f->a, rank))
                continue;
            if (f->what == LPI_STOP && f->to == INT64_MAX)
                return LOGP_STOPPED;
            since = f->what == LPI_TICK ? since_tick(m, f, rank, t) : 0;
            if (f->what == LPI_STOP)
                t = m->origin + f->to;
            else if (since < f->length)
                t += f->length - since;
            else
                continue;
            away = true;
        }
    }
    return t;
}

/* The noise of the rank's operation with this number, in ns. */
static int64_t longer(const struct faulty *m, const struct lpi_fault *f, int rank, unsigned number)
{
    const uint64_t random = draw_of(m->seed ^ f->salt, rank, rank, number);

    switch (f->what) {
    case LPI_FIXED:
        return f->ns;
    case LPI_UNIFORM:
        return below(random, f->ns + 1);
    case LPI_EXPONENTIAL:
        return exponential(random, f->ns);
    case LPI_SAMPLES:
        return f->samples[below(random, f->n_samples)];
    default:
        return 0;
    }
}

/* The time that ticks add to ns of work that begins at t, outside a tick. */
static int64_t in_ticks(const struct faulty *m, const struct lpi_fault *f, int rank, int64_t t,
                        int64_t ns)
{
    const int64_t before = f->ns - since_tick(m, f, rank, t), between = f->ns - f->length;
    const int64_t n = ns <= before ? 0 : (ns - before + between - 1) / between;

    return f->length > 0 && n > LOGP_PARAM_MAX_NS / f->length ? LOGP_PARAM_MAX_NS : n * f->length;
}

/* When ns of work are done that begin at t, when the rank is available. number < 0: the work is not
 * an overhead, so it has no noise. LOGP_STOPPED: never */
static int64_t done_at(const struct faulty *m, int rank, int64_t t, int64_t ns, int64_t number)
{
    for (int i = 0; i < m->n; i++) {
        const struct lpi_fault *f = &m->faults[i];

        if (f->what < LPI_STOP || !is_in(&f->a, rank))
            continue;
        if (f->what == LPI_STOP) {
            const int64_t from = m->origin + f->from;

            if (from <= t || from >= t + ns)
                continue;
            if (f->to == INT64_MAX)
                return LOGP_STOPPED;
            ns += f->to - f->from;
        } else if (!holds_at(m, f, t)) {
            continue;
        } else if (f->what == LPI_SLOW) {
            ns = rounded((double)ns * f->factor);
        } else if (f->what == LPI_TICK) {
            ns += in_ticks(m, f, rank, t, ns);
        } else if (number >= 0) {
            ns += longer(m, f, rank, (unsigned)number);
        }
    }
    return t + ns;
}

/* The overhead of a send in the inner model. */
static int64_t o_send(const struct faulty *m, const struct logp_transfer *t)
{
    return m->in.ops.link != NULL ? m->in.ops.link(m->in.delay.model, t->src, t->dst)->o_send_ns
                                  : m->params->o_send_ns;
}

static int64_t number_of(const struct faulty *m, int rank)
{
    return m->operations != NULL ? m->operations[rank] : 0;
}

static void count_operation(const struct faulty *m, int rank)
{
    if (m->operations != NULL)
        m->operations[rank]++;
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct faulty *m = model;
    const int64_t number = number_of(m, t->src);

    m->in.ops.start(m->in.delay.model, port, t);
    t->start = back_at(m, t->src, t->start);
    if (t->start != LOGP_STOPPED)
        t->done = done_at(m, t->src, t->start, o_send(m, t), number);
    if (t->start == LOGP_STOPPED || t->done == LOGP_STOPPED)
        t->start = t->done = LOGP_STOPPED;
}

static void segment_send(const struct faulty *m, struct logp_transfer *t)
{
    const int64_t done = done_at(m, t->src, t->start, t->done - t->start, number_of(m, t->src));

    count_operation(m, t->src);
    if (done == LOGP_STOPPED)
        return; /* start() found no stop: the inner model's times differ */
    t->arrival += done - t->done;
    t->done = done;
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct faulty *m = model;
    const int64_t number = number_of(m, t->dst);
    int64_t at;

    m->in.ops.recv(m->in.delay.model, port, t);
    count_operation(m, t->dst);
    at = back_at(m, t->dst, t->start);
    t->done = at != LOGP_STOPPED ? done_at(m, t->dst, at, t->done - t->start, number) : at;
    if (at != t->start)
        port->recv_start = at;
    t->start = at;
}

static int64_t work(void *model, int rank, int64_t from, int64_t ns)
{
    const struct faulty *m = model;
    const int64_t at = back_at(m, rank, from);

    if (ns == 0 && at != LOGP_STOPPED) /* no work takes no time */
        return from;
    return at != LOGP_STOPPED ? done_at(m, rank, at, ns, -1) : at;
}

static int64_t stops(void *model, int rank)
{
    const struct faulty *m = model;
    int64_t at = INT64_MAX;

    for (int i = 0; i < m->n; i++) {
        const struct lpi_fault *f = &m->faults[i];

        if (f->what == LPI_STOP && f->to == INT64_MAX && is_in(&f->a, rank) &&
            m->origin + f->from < at)
            at = m->origin + f->from;
    }
    return at;
}

/* ---- messages ---- */

static bool concerns(const struct lpi_fault *f, const struct logp_transfer *t)
{
    if (!f->to_b)
        return is_in(&f->a, t->src) || is_in(&f->a, t->dst);
    return (is_in(&f->a, t->src) && is_in(&f->b, t->dst)) ||
           (f->either_way && is_in(&f->b, t->src) && is_in(&f->a, t->dst));
}

/* Whether f happens to this message. If so, record the event. */
static bool events(struct faulty *m, const struct lpi_fault *f, const struct logp_transfer *t)
{
    struct logp_fault_event event;
    uint64_t i;

    if (!holds_at(m, f, t->start) || !concerns(f, t) ||
        fraction(draw_of(m->seed ^ f->salt, t->src, t->dst, t->number)) > f->p)
        return false;
    event = (struct logp_fault_event){.kind = lpi_fault_name(f->what),
                                      .src = t->src,
                                      .dst = t->dst,
                                      .number = t->number,
                                      .time_ns = t->start - m->origin};
    if (m->takes_place != NULL && !m->takes_place(m->arg, &event))
        return false;
    i = atomic_fetch_add_explicit(&m->n_events, 1, memory_order_relaxed);
    if (i < MOST_EVENTS)
        m->events[i] = event;
    return true;
}

static void count(_Atomic uint64_t *n, bool one)
{
    if (one)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct faulty *m = model;
    bool late = false;

    m->in.ops.send(m->in.delay.model, port, t);
    if (m->ops.work != NULL)
        segment_send(m, t);
    for (int i = 0; i < m->n; i++) {
        const struct lpi_fault *f = &m->faults[i];

        if (f->what != LPI_DELAY || !events(m, f, t))
            continue;
        t->arrival = t->done + rounded((double)(t->arrival - t->done) * f->factor);
        late = true;
    }
    count(&m->delayed, late);
}

static void fate(void *model, const struct logp_transfer *t, struct logp_fate *fate)
{
    struct faulty *m = model;

    for (int i = 0; i < m->n; i++) {
        const struct lpi_fault *f = &m->faults[i];

        if (f->what > LPI_CUT || f->what == LPI_DELAY || fate->copies == 0 ||
            (f->what == LPI_FLIP && t->n_bytes == 0) || !events(m, f, t))
            continue;
        if (f->what == LPI_DUPLICATE)
            fate->copies = 2;
        else if (f->what == LPI_FLIP)
            fate->flip = below(draw_of(mix(m->seed ^ f->salt), t->src, t->dst, t->number),
                               8 * (int64_t)t->n_bytes);
        else
            fate->copies = 0;
    }
    count(&m->dropped, fate->copies == 0);
    count(&m->duplicated, fate->copies == 2);
    count(&m->flipped, fate->copies > 0 && fate->flip >= 0);
}

/* ---- time, and the end ---- */

static void restart(void *model, bool new_run)
{
    struct faulty *m = model;

    lpi_inner_restart(m, new_run);
    if (new_run && m->operations != NULL)
        memset(m->operations, 0, (size_t)m->P * sizeof(*m->operations));
    m->origin = 0;
}

static void begin(void *model, int64_t start_ns)
{
    struct faulty *m = model;

    if (m->in.ops.begin != NULL)
        m->in.ops.begin(m->in.delay.model, start_ns);
    m->origin = start_ns;
}

static void destroy(void *model)
{
    struct faulty *m = model;

    logp_delay_destroy(&m->in.delay);
    lpi_faults_free(m->faults, m->n);
    free(m->texts[0]);
    free(m->texts[1]);
    free(m->operations);
    free(m);
}

static void network(void *model, struct logp_network *out)
{
    const struct faulty *m = model;

    lpi_inner_network(model, out);
    out->faults = m->texts[0];
    out->noise = m->texts[1];
    out->unit_ns = m->unit_ns;
}

/* ---- creation ---- */

static bool is_drawn_noise(const struct lpi_fault *f)
{
    return f->what == LPI_UNIFORM || f->what == LPI_EXPONENTIAL || f->what == LPI_SAMPLES;
}

/* Set only the functions that a fault needs, so that the others cost nothing. */
static void choose_ops(struct faulty *m)
{
    bool of_messages = false, of_processors = false, for_good = false;

    for (int i = 0; i < m->n; i++) {
        const struct lpi_fault *f = &m->faults[i];

        of_messages |= f->what < LPI_STOP && f->what != LPI_DELAY;
        of_processors |= f->what >= LPI_STOP;
        for_good |= f->what == LPI_STOP && f->to == INT64_MAX;
    }
    m->ops = (struct logp_delay_ops){
        .size = sizeof(m->ops),
        .name = "faults",
        .start = of_processors ? start : lpi_inner_start,
        .send = send,
        .recv = of_processors ? recv : lpi_inner_recv,
        .params = lpi_inner_params,
        .capacity = m->in.ops.capacity != NULL ? lpi_inner_capacity : NULL,
        .destroy = destroy,
        .restart = restart,
        .lookahead = m->in.ops.lookahead != NULL ? lpi_inner_lookahead : NULL,
        .link = m->in.ops.link != NULL ? lpi_inner_link : NULL,
        .fate = of_messages ? fate : NULL,
        .work = of_processors ? work : NULL,
        .stops = for_good ? stops : NULL,
        .begin = begin,
        .network = network};
}

/* 0; -ENOMEM */
static int keep_text(char **out, const char *text)
{
    *out = text != NULL ? strdup(text) : NULL;
    return text != NULL && *out == NULL ? -ENOMEM : 0;
}

static int make(struct faulty *m, const struct logp_fault_config *config, char why[LOGP_FAULT_WHY])
{
    bool drawn = false;
    int rc = lpi_faults_read(config->noise, true, config, &m->faults, &m->n, why);

    if (rc == 0)
        rc = lpi_faults_read(config->faults, false, config, &m->faults, &m->n, why);
    for (int i = 0; rc == 0 && i < m->n; i++)
        drawn |= is_drawn_noise(&m->faults[i]);
    m->P = (int)config->P;
    m->unit_ns = config->unit_ns;
    m->seed = config->seed;
    if (rc == 0)
        rc = keep_text(&m->texts[0], config->faults);
    if (rc == 0)
        rc = keep_text(&m->texts[1], config->noise);
    if (rc == 0 && drawn)
        m->operations = calloc((size_t)m->P, sizeof(*m->operations));
    return rc == 0 && drawn && m->operations == NULL ? -ENOMEM : rc;
}

static int create(struct logp_delay *inner, const struct logp_fault_config *given,
                  struct logp_delay *out, char why[LOGP_FAULT_WHY])
{
    struct logp_fault_config config;
    struct faulty *m;
    int rc = logp_struct_take(&config, sizeof(config), LOGP_UP_TO(struct logp_fault_config, seed),
                              given);

    why[0] = '\0';
    if (rc == 0 && (config.P < 1 || config.P > LOGP_MAX_PROCESSORS || config.unit_ns < 0 ||
                    config.unit_ns > LOGP_PARAM_MAX_NS))
        rc = -EINVAL;
    if (rc != 0)
        return rc;
    m = calloc(1, sizeof(*m));
    if (m == NULL)
        return -ENOMEM;
    rc = logp_delay_functions(inner, &m->in.ops);
    if (rc == 0 && m->in.ops.params == NULL)
        rc = -EINVAL;
    if (rc == 0)
        rc = make(m, &config, why);
    if (rc != 0) {
        destroy(m); /* m->in.delay is empty: the caller still owns the inner model */
        return rc;
    }
    m->in.delay = *inner;
    m->params = lpi_inner_params(m);
    choose_ops(m);
    *inner = (struct logp_delay){0};
    *out = (struct logp_delay){&m->ops, m};
    return 0;
}

int logp_fault_create(struct logp_delay *inner, const struct logp_fault_config *config,
                      struct logp_delay *out, char why[LOGP_FAULT_WHY])
{
    const int rc = create(inner, config, out, why);

    if (rc != 0)
        lpi_delay_fail(inner, out);
    return rc;
}

/* ---- queries ---- */

bool lpi_fault_within(struct logp_delay *delay)
{
    const struct faulty *m = delay->model;

    if (delay->ops->send != send)
        return false;
    *delay = (struct logp_delay){&m->in.ops, m->in.delay.model};
    return true;
}

void *logp_machine_faults(const struct logp_machine *machine)
{
    /* relaxed: the end of the run, or the caller's replacement, has ordered it */
    const struct lpi_delay *d = atomic_load_explicit(&machine->delay, memory_order_relaxed);

    return d != NULL && d->ops.send == send ? d->model : NULL;
}

void logp_fault_seed(void *model, uint64_t seed)
{
    struct faulty *m = model;

    m->seed = seed;
    m->dropped = m->duplicated = m->flipped = m->delayed = m->n_events = 0;
}

void logp_fault_ask(void *model,
                    bool (*takes_place)(void *arg, const struct logp_fault_event *event), void *arg)
{
    struct faulty *m = model;

    m->takes_place = takes_place;
    m->arg = arg;
}

bool logp_fault_predictable(const void *model)
{
    const struct faulty *m = model;
    bool by_chance = m->ops.fate != NULL || m->ops.stops != NULL;

    for (int i = 0; i < m->n; i++) {
        const struct lpi_fault *f = &m->faults[i];

        by_chance |= is_drawn_noise(f) || (f->what == LPI_TICK && f->shift < 0) ||
                     (f->what == LPI_DELAY && f->p > 0 && f->p < 1);
    }
    return !by_chance;
}

void logp_fault_counts(const void *model, struct logp_fault_counts *out)
{
    const struct faulty *m = model;

    *out = (struct logp_fault_counts){.dropped = m->dropped,
                                      .duplicated = m->duplicated,
                                      .flipped = m->flipped,
                                      .delayed = m->delayed};
}

static int by_time(const void *a, const void *b)
{
    const struct logp_fault_event *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

int logp_fault_events(const void *model, struct logp_fault_event *out, int space)
{
    const struct faulty *m = model;
    const uint64_t all = m->n_events;
    const int n = all < MOST_EVENTS ? (int)all : MOST_EVENTS;
    struct logp_fault_event sorted[MOST_EVENTS];

    memcpy(sorted, m->events, (size_t)n * sizeof(*sorted));
    qsort(sorted, (size_t)n, sizeof(*sorted), by_time);
    for (int i = 0; i < n && i < space; i++)
        out[i] = sorted[i];
    return n;
}
