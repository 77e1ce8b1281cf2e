/* SPDX-License-Identifier: MIT */
/*
 * Traces: what the fold says that every rank does, and when, is what the virtual clock records,
 * event by event, over the table of algorithms; and what is recorded of programs of the test's own
 * is what the rules say.
 */
#include "drawn.h"

enum { CASES = 1000 };

static void trace_on(struct logp_machine *m, int64_t most)
{
    const struct logp_trace_config c = {.size = sizeof(c), .events_most = most};

    cr_assert_eq(logp_machine_trace(m, &c), 0);
}

static struct logp_trace *taken(struct logp_machine *m)
{
    struct logp_trace *t;

    cr_assert_eq(logp_machine_take_trace(m, &t), 0);
    return t;
}

/* ---- the fold and the virtual clock ---- */

static bool same(const struct logp_trace *a, const struct logp_event *x, const struct logp_trace *b,
                 const struct logp_event *y)
{
    return x->start_ns == y->start_ns && x->end_ns == y->end_ns && x->arrival_ns == y->arrival_ns &&
           x->late_ns == y->late_ns && x->message == y->message && x->bytes == y->bytes &&
           x->peer == y->peer && x->tag == y->tag && x->kind == y->kind &&
           strcmp(logp_trace_label(a, x->label), logp_trace_label(b, y->label)) == 0;
}

static void show(const char *what, int rank, size_t i, const struct logp_event *e)
{
    fprintf(stderr,
            "%s: rank %d event %zu: %s %ld..%ld peer %d tag %d bytes %ld arrival %ld message %ld\n",
            what, rank, i, logp_event_kind_name(e->kind), (long)e->start_ns, (long)e->end_ns,
            e->peer, e->tag, (long)e->bytes, (long)e->arrival_ns, (long)e->message);
}

static bool equal(const struct logp_trace *a, const struct logp_trace *b)
{
    const struct logp_trace_info *x = logp_trace_info(a), *y = logp_trace_info(b);

    if (x->P != y->P || x->end_ns != y->end_ns || x->n_events != y->n_events ||
        x->n_messages != y->n_messages || x->dropped + y->dropped > 0) {
        fprintf(stderr, "end %ld, %ld; events %lu, %lu; messages %lu, %lu\n", (long)x->end_ns,
                (long)y->end_ns, (unsigned long)x->n_events, (unsigned long)y->n_events,
                (unsigned long)x->n_messages, (unsigned long)y->n_messages);
    }
    for (int r = 0; r < x->P; r++) {
        size_t n, m;
        const struct logp_event *e = logp_trace_events(a, r, &n), *f = logp_trace_events(b, r, &m);

        for (size_t i = 0; i < n && i < m; i++)
            if (!same(a, &e[i], b, &f[i])) {
                show("fold", r, i, &e[i]);
                show("run", r, i, &f[i]);
                return false;
            }
        if (n != m)
            return false;
    }
    return x->n_messages == y->n_messages && x->end_ns == y->end_ns;
}

/* All of a rank's time is accounted for, and each message has two ends that agree. */
static bool is_whole(const struct logp_trace *t)
{
    size_t n_messages, n;
    const struct logp_trace_message *m = logp_trace_messages(t, &n_messages);

    for (int r = 0; r < logp_trace_info(t)->P; r++) {
        const struct logp_event *e = logp_trace_events(t, r, &n);

        for (size_t i = 0; i < n; i++)
            if (e[i].start_ns != (i > 0 ? e[i - 1].end_ns : 0))
                return false;
    }
    for (size_t k = 0; k < n_messages; k++) {
        const struct logp_event *s = &logp_trace_events(t, m[k].from, &n)[m[k].send];
        const struct logp_event *r = &logp_trace_events(t, m[k].to, &n)[m[k].receive];

        if (m[k].receive < 0 || s->kind != LOGP_EVENT_SEND || r->kind != LOGP_EVENT_RECEIVE ||
            s->message != (int64_t)k || r->message != (int64_t)k || s->peer != m[k].to ||
            r->peer != m[k].from || s->tag != r->tag || s->bytes != r->bytes ||
            s->arrival_ns != r->arrival_ns || r->start_ns < r->arrival_ns)
            return false;
    }
    return true;
}

static struct logp_delay delay_of(const struct drawn *d)
{
    struct logp_delay ends, delay;

    cr_assert_eq(logp_delay_create(d->delay, &d->coll.model.params, &ends), 0);
    delay = ends;
    if (d->topology != NULL)
        cr_assert_eq(logp_topology_delay(d->topology, ends, &delay), 0);
    return delay;
}

static void claim(bool holds, const char *what, const struct drawn *d, const char *algorithm)
{
    (void)what; /* where the tests are plain programs, assertions say no more */
    if (!holds)
        describe(d, algorithm);
    cr_assert(holds, "case %lu, %s: %s", (unsigned long)d->seed, algorithm, what);
}

static void compare(struct logp_machine *m, const struct drawn *d, const struct logp_algorithm *a)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = a,
                                      .args = d->coll.args,
                                      .model = d->coll.model,
                                      .reps = d->reps,
                                      .seed = d->seed,
                                      .timeout_ns = test_timeout_ns};
    const struct logp_schedule s = logp_schedule_of(a, d->P, &d->coll.args, &d->coll.model);
    struct logp_delay delay = delay_of(d);
    struct logp_trace *fold, *run;
    struct logp_record r;
    struct logp_fold f;
    char label[128];

    snprintf(label, sizeof(label), "%s/%s", a->collective, a->name);
    cr_assert_eq(logp_machine_set_delay(m, delay_of(d), 0), 0);
    trace_on(m, 0);
    claim(logp_experiment_run(m, &x, &r) == 0 && r.verified, "it runs", d, a->name);
    run = taken(m);
    claim(logp_trace_predict(&s, &delay, 0, label, &f, &fold) == 0, "it is folded", d, a->name);
    logp_delay_destroy(&delay);
    claim(f.messages == logp_trace_info(fold)->n_messages, "all messages are there", d, a->name);
    claim(f.ns >= logp_trace_info(fold)->end_ns, "none ends later", d, a->name);
    claim(is_whole(fold), "the fold's is whole", d, a->name);
    if (d->coll.model.params.latency_varies && d->reps > 1)
        claim(is_whole(run), "the run's is whole", d, a->name);
    else
        claim(equal(fold, run), "the fold's is the run's", d, a->name);
    logp_trace_free(fold);
    logp_trace_free(run);
}

Test(trace, the_folds_is_that_of_the_virtual_clock)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : CASES / (uint64_t)test_divisor();

    for (uint64_t seed = first; seed <= last; seed++) {
        struct drawn d = draw(seed);
        struct logp_delay delay = delay_of(&d);
        struct logp_delay_ops ops;

        cr_assert_eq(logp_delay_functions(&delay, &ops), 0);
        if (test_parallel() && (ops.lookahead == NULL || ops.lookahead(delay.model) == 0 ||
                                logp_capacity(&d.coll.model.params) > 0)) {
            logp_delay_destroy(&delay);
            logp_topology_destroy(d.topology);
            continue;
        }
        logp_delay_destroy(&delay);
        if (machines[d.P] == NULL)
            machines[d.P] = test_machine(d.P, LOGP_CLOCK_VIRTUAL, NULL);
        for (size_t i = 0; i < n; i++)
            if (rows[i]->steps != NULL && strcmp(rows[i]->collective, d.collective->name) == 0 &&
                test_needs(rows[i], d.P, &d.coll) == NULL)
                compare(machines[d.P], &d, rows[i]);
        logp_topology_destroy(d.topology);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
}
