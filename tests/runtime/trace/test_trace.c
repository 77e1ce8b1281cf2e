/* SPDX-License-Identifier: MIT */
/*
 * Traces: what the fold says that every rank does, and when, is what the virtual clock records,
 * event by event, over the table of algorithms, and what the wall clock does in its time.
 */
#include "drawn.h"
#include "traces.h"

enum { CASES = 1000 };

/* ---- the fold and the virtual clock ---- */

static bool same(const struct logp_trace *a, const struct logp_event *x, const struct logp_trace *b,
                 const struct logp_event *y)
{
    return x->start_ns == y->start_ns && x->end_ns == y->end_ns && x->arrival_ns == y->arrival_ns &&
           x->late_ns == y->late_ns && x->message == y->message && x->bytes == y->bytes &&
           x->peer == y->peer && x->tag == y->tag && x->kind == y->kind &&
           strcmp(logp_trace_label(a, x->label), logp_trace_label(b, y->label)) == 0;
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

static void compare(struct logp_machine *m, const struct drawn *d, const struct logp_algorithm *a)
{
    const struct logp_experiment x = test_experiment(a, &d->call.args, d->reps, d->seed);
    const struct logp_schedule s = logp_schedule_of(a, d->P, &d->call.args, &d->call.model);
    struct logp_delay delay = drawn_delay(d);
    struct logp_trace *fold, *run;
    struct logp_record r;
    struct logp_fold f;
    char label[128];

    snprintf(label, sizeof(label), "%s/%s", a->collective, a->name);
    cr_assert_eq(logp_machine_set_delay(m, drawn_delay(d), 0), 0);
    trace_on(m, 0);
    must(logp_experiment_run(m, &x, &r) == 0 && r.verified, "it runs", d, a->name);
    run = taken(m);
    must(logp_trace_predict(&s, &delay, 0, label, &f, &fold) == 0, "it is folded", d, a->name);
    logp_delay_destroy(&delay);
    must(f.messages == logp_trace_info(fold)->n_messages, "all messages are there", d, a->name);
    must(f.ns >= logp_trace_info(fold)->end_ns, "none ends later", d, a->name);
    must(is_whole(fold), "the fold's is whole", d, a->name);
    if (d->call.model.params.latency_varies && d->reps > 1)
        must(is_whole(run), "the run's is whole", d, a->name);
    else
        must(equal(fold, run), "the fold's is the run's", d, a->name);
    logp_trace_free(fold);
    logp_trace_free(run);
}

Test(trace, the_folds_is_that_of_the_virtual_clock)
{
    over_drawn(CASES, compare);
}

/* ---- the wall clock ---- */

/* A rank's sends and receives in their order, whatever lies between: where nothing is emulated
 * combining takes time, too. */
static size_t next_work(const struct logp_event *e, size_t n, size_t i)
{
    while (i < n && e[i].kind != LOGP_EVENT_SEND && e[i].kind != LOGP_EVENT_RECEIVE)
        i++;
    return i;
}

/* On the wall clock a run does what its schedule says, no event ends before it does there, and none
 * is late on the clock of its vp by more than the programs' own time. */
static void expect_alike(const struct logp_trace *fold, const struct logp_trace *run, bool timed)
{
    for (int r = 0; r < logp_trace_info(fold)->P; r++) {
        size_t n, m, i = 0, k = 0;
        const struct logp_event *a = logp_trace_events(fold, r, &n);
        const struct logp_event *b = logp_trace_events(run, r, &m);

        for (;; i++, k++) {
            i = next_work(a, n, i);
            k = next_work(b, m, k);
            if (i == n || k == m)
                break;
            cr_expect(a[i].kind == b[k].kind && a[i].peer == b[k].peer && a[i].tag == b[k].tag &&
                      a[i].bytes == b[k].bytes && a[i].message == b[k].message);
            if (timed)
                cr_expect(b[k].end_ns >= a[i].end_ns && b[k].late_ns >= 0);
        }
        cr_expect(i == n && k == m, "rank %d", r);
        for (size_t j = 1; j < m; j++)
            cr_expect(b[j].start_ns >= b[j - 1].end_ns && b[j].end_ns >= b[j].start_ns);
    }
}

static void run_on_wall(bool timed)
{
    static const char *const names[] = {"allreduce", "broadcast", "alltoall"};
    const struct logp_params known = test_params(3000, 200, 500);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct logp_op *op = logp_op_find("sum", "double");
        const struct logp_network network = {.params = known}; /* planned for, emulated or not */
        const struct logp_config config = {.size = sizeof(config),
                                           .n_processors = 6,
                                           .executor = test_executor(),
                                           .network = &network,
                                           .delay =
                                               timed ? (struct logp_delay){0} : logp_delay_none()};
        struct logp_machine *m;
        struct logp_experiment x = {.size = sizeof(x),
                                    .args = {.n_bytes = 64, .count = 4, .op = op},
                                    .reps = 3,
                                    .warmup = 1,
                                    .timeout_ns = test_timeout_ns};
        struct logp_trace *run, *fold;
        struct logp_schedule s;
        struct logp_record r;
        struct logp_delay delay;
        struct logp_fold f;

        cr_assert_eq(logp_machine_create(&config, &m), 0);
        x.algorithm = logp_algorithm_best(names[i], 6, &x.args, &network);
        s = logp_schedule_of(x.algorithm, 6, &x.args, &network);
        trace_on(m, 0);
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
        run = taken(m);
        cr_assert_eq(logp_delay_create("loggp", &known, &delay), 0);
        cr_assert_eq(logp_trace_predict(&s, &delay, 0, NULL, &f, &fold), 0);
        logp_delay_destroy(&delay);
        cr_expect_eq(logp_trace_info(run)->source, timed ? LOGP_TRACE_WALL : LOGP_TRACE_HOST);
        cr_expect_eq(logp_trace_info(run)->n_messages, logp_trace_info(fold)->n_messages);
        cr_expect_geq(logp_trace_info(run)->wall_ns, logp_trace_info(run)->end_ns);
        expect_alike(fold, run, timed);
        logp_trace_free(fold);
        logp_trace_free(run);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

Test(trace, on_the_wall_clock_it_is_what_the_schedule_says)
{
    run_on_wall(true);
}

Test(trace, where_nothing_is_emulated_it_is_real_time)
{
    run_on_wall(false);
}
