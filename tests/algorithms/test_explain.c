/* SPDX-License-Identifier: MIT */
/*
 * Explanations of schedules, over the whole table: the path is the time, and what is said of the
 * time with other parameters is held against the same steps folded, and run under the virtual
 * clock, with those.
 */
#include "explained.h"

enum { CASES = 1200, VALUES = 40 };

static int64_t sum_ps(const struct logp_terms *t, const struct logp_params *p)
{
    return 1000 * (t->L * p->L_ns + t->o_send * p->o_send_ns + t->o_recv * p->o_recv_ns +
                   t->g * p->g_ns + t->compute_ns + t->links_ns) +
           t->bytes * p->G_ps + t->elements * p->gamma_ps + t->rounding_ps;
}

/* ---- what it is made of ---- */

/* The path goes from 0 to the end without a hole, along tasks, and is the sum of its parts. */
static void check_path(const struct drawn *d, const struct logp_algorithm *a,
                       const struct logp_explanation *e)
{
    int64_t at = 0, parts = 0;

    must(sum_ps(&e->terms, &e->params) == 1000 * e->ns, "the terms are the time", d, a->name);
    for (size_t i = 0; i < e->n_path; i++) {
        const struct logp_path_segment *s = &e->path[i];
        const struct logp_task *t = &e->tasks[s->task];

        must(s->from_ns == at && s->to_ns > at, "the path has no hole", d, a->name);
        must(sum_ps(&s->terms, &e->params) == 1000 * (s->to_ns - s->from_ns),
             "its terms are the time of a stretch", d, a->name);
        must(s->rank == t->rank && s->peer == t->peer, "a stretch is of its task", d, a->name);
        must(t->slack_ns == 0, "what is on the path has no slack", d, a->name);
        if (s->kind == LOGP_SEGMENT_WIRE)
            must(s->from_ns == t->end_ns && s->to_ns == t->arrival_ns && t->message_slack_ns == 0 &&
                     e->tasks[t->other].start_ns == s->to_ns,
                 "the wire is from a send to its receive", d, a->name);
        else if (s->kind != LOGP_SEGMENT_GAP)
            must(s->from_ns == t->start_ns && s->to_ns == t->end_ns, "a task is all of it", d,
                 a->name);
        else
            must(s->from_ns == t->start_ns, "a gap begins with what it follows", d, a->name);
        parts += s->to_ns - s->from_ns;
        at = s->to_ns;
    }
    must(at == e->ns && parts == e->ns, "the path is all of the time", d, a->name);
}

static void check_tasks(const struct drawn *d, const struct logp_algorithm *a,
                        const struct logp_explanation *e)
{
    int64_t last = 0;

    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        last = t->end_ns > last ? t->end_ns : last;
        must(t->slack_ns >= 0 && t->end_ns + t->slack_ns <= e->ns, "slack ends with the whole", d,
             a->name);
        must(e->slack_ns[t->rank] <= t->slack_ns, "a rank has the least of its tasks", d, a->name);
        if (t->kind == LOGP_STEP_COMPUTE)
            continue;
        must(e->tasks[t->other].other == (int64_t)i && e->tasks[t->other].rank == t->peer,
             "a message has two ends", d, a->name);
        must(t->kind == LOGP_STEP_SEND || t->start_ns >= t->arrival_ns,
             "nothing is received before it is there", d, a->name);
    }
    must(last == e->ns, "the last task is the end", d, a->name);
}

/* @return it says something of links */
static bool check_explanation(const struct drawn *d, const struct logp_algorithm *a)
{
    const struct logp_prediction fold = test_predict_by(a, d->P, &d->call, LOGP_BY_SCHEDULE);
    const bool refused = d->topology != NULL || logp_params_capacity(&d->call.model.params) > 0;
    TEST_EXPLANATION e = NULL;
    const int rc = explain(a, d->P, &d->call, &e);

    must(rc == (refused ? -ENOTSUP : 0), "it is explained, or refused", d, a->name);
    if (rc != 0)
        return false;
    /* where latencies vary, several ports have no prediction */
    must(fold.certainty == LOGP_PREDICTION_NONE
             ? d->call.model.ports > 1 && d->call.model.params.latency_varies
             : e->ns == fold.ns,
         "its time is the fold", d, a->name);
    must(e->P == d->P, "it has all ranks", d, a->name);
    check_path(d, a, e);
    check_tasks(d, a, e);
    return e->terms.links_ns > 0;
}

Test(explain, the_terms_of_the_path_are_the_fold)
{
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : CASES / TEST_SCALE;
    int of_links = 0;

    for (uint64_t seed = first; seed <= last; seed++) {
        struct drawn d = draw_linked(seed);

        /* latencies that vary have no prediction with several ports */
        if (seed % 3 == 0 && !d.call.model.params.latency_varies)
            d.call.model.ports = 2 + (int64_t)(seed / 3 % 3);
        for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++)
            if ((*row)->steps != NULL && strcmp((*row)->collective, d.collective->name) == 0 &&
                test_needs(*row, d.P, &d.call) == NULL)
                of_links += check_explanation(&d, *row);
        drawn_free(&d);
    }
    cr_assert(single != NULL || of_links > 100 / TEST_SCALE);
}

/* ---- with other parameters ---- */

static bool is_rounded(enum logp_parameter p)
{
    return p == LOGP_PARAMETER_BYTE || p == LOGP_PARAMETER_GAMMA;
}

static void set_parameter(struct logp_params *p, enum logp_parameter which, int64_t ps)
{
    p->L_ns = which == LOGP_PARAMETER_L ? ps / 1000 : p->L_ns;
    if (which == LOGP_PARAMETER_O || which == LOGP_PARAMETER_O_SEND)
        p->o_send_ns = ps / 1000;
    if (which == LOGP_PARAMETER_O || which == LOGP_PARAMETER_O_RECV)
        p->o_recv_ns = ps / 1000;
    p->g_ns = which == LOGP_PARAMETER_GAP ? ps / 1000 : p->g_ns;
    p->G_ps = which == LOGP_PARAMETER_BYTE ? ps : p->G_ps;
    p->gamma_ps = which == LOGP_PARAMETER_GAMMA ? ps : p->gamma_ps;
}

/* Around the breakpoints, and anywhere. */
static int64_t some_value(uint64_t *random, const struct logp_curve *c)
{
    const struct logp_line *line = &c->lines[below(random, (int64_t)c->n)];
    const int64_t unit = is_rounded(c->parameter) ? 1 : 1000;
    int64_t ps = one_in(random, 2) ? line->from_ps + (below(random, 5) - 2) * unit
                                   : below(random, 1 + 2 * c->lines[c->n - 1].from_ps +
                                                       (one_in(random, 2) ? 100 : 100000) * unit);

    ps = ps < 0 ? 0 : ps;
    return ps - ps % unit;
}

/* Under the virtual clock. */
static int64_t run(struct logp_machine *m, const struct listed *l, const struct logp_network *model)
{
    const struct logp_experiment x = test_experiment(logp_algorithm_find("schedule", "listed"),
                                                     &(struct logp_args){.list = &l->list}, 1, 0);
    struct logp_delay delay;
    struct logp_record r;

    cr_assert_eq(logp_network_delay(model, l->P, NULL, &delay, NULL), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    return r.emulated.median_ns;
}

static void check_value(struct logp_machine *m, const struct drawn *d,
                        const struct logp_algorithm *a, const struct logp_explanation *e,
                        const struct logp_curve *c, int64_t ps)
{
    const char *name = logp_parameter_name(c->parameter);
    const int64_t curve_ps = logp_curve_ps(c, ps);
    struct logp_network model = longest(d);
    struct listed l;
    int64_t ns, folded, ran;

    set_parameter(&model.params, c->parameter, ps);
    cr_assert_eq(logp_explanation_at(e, c->parameter, ps, &ns), 0);
    l = listed_make(e, model.params.gamma_ps, -1, 0);
    folded = listed_fold(&l, &model);
    ran = run(m, &l, &model);
    listed_free(&l);
    if (folded != ns || ran != ns || curve_ps / 1000 > ns)
        fprintf(stderr, "%s = %ld ps: curve %ld ps, at %ld ns, fold %ld ns, virtual clock %ld ns\n",
                name, (long)ps, (long)curve_ps, (long)ns, (long)folded, (long)ran);
    must(ns == folded, "with another parameter it is the fold", d, a->name);
    must(ns == ran, "and the virtual clock", d, a->name);
    if (c->rounding_ns == 0)
        must(curve_ps == 1000 * ns, "the curve is exact", d, a->name);
    else
        must(curve_ps <= 1000 * ns && 1000 * ns < curve_ps + 1000 * c->rounding_ns,
             "the curve is exact but for rounding", d, a->name);
}

static void check_shape(const struct drawn *d, const struct logp_algorithm *a,
                        const struct logp_curve *c)
{
    must(c->lines[0].from_ps == 0, "it begins at 0", d, a->name);
    for (size_t i = 1; i < c->n; i++)
        must(c->lines[i].slope > c->lines[i - 1].slope &&
                 c->lines[i].from_ps > c->lines[i - 1].from_ps - (i == 1),
             "it is convex, and no line is too much", d, a->name);
    must(c->left >= 0 && c->left <= c->right, "a unit less saves no more than one more costs", d,
         a->name);
    must(logp_curve_ps(c, c->at_ps + 1) - logp_curve_ps(c, c->at_ps) >= c->right,
         "so much a unit more costs", d, a->name);
    must(c->at_ps == 0 || logp_curve_ps(c, c->at_ps) - logp_curve_ps(c, c->at_ps - 1) <= c->left,
         "so much a unit less saves", d, a->name);
    for (size_t i = 0; i + 1 < c->n; i++) /* of two that meet at the value in force, both */
        if (c->lines[i + 1].from_ps == c->at_ps && c->at_ps > 0 &&
            logp_curve_ps(c, c->at_ps) ==
                c->lines[i].base_ps + c->lines[i].slope * c->lines[i + 1].from_ps)
            must(c->left == c->lines[i].slope && c->right == c->lines[i + 1].slope,
                 "both derivatives at a breakpoint", d, a->name);
}

/* Where the algorithm does the same with other parameters, its own fold is what is said. */
static bool check_replanned(const struct drawn *d, const struct logp_algorithm *a,
                            const struct logp_explanation *e, enum logp_parameter which, int64_t ps)
{
    struct logp_invocation c = d->call;
    struct logp_explanation *other;
    bool same;
    int64_t ns;

    set_parameter(&c.model.params, which, ps);
    if (explain(a, d->P, &c, &other) != 0)
        return false;
    same = other->n_tasks == e->n_tasks;
    for (size_t i = 0; same && i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i], *u = &other->tasks[i];

        same = t->kind == u->kind && t->rank == u->rank && t->peer == u->peer && t->tag == u->tag &&
               t->n_bytes == u->n_bytes && t->elements == u->elements &&
               t->compute_ns == u->compute_ns;
    }
    cr_assert_eq(logp_explanation_at(e, which, ps, &ns), 0);
    must(!same || test_predict_by(a, d->P, &c, LOGP_BY_SCHEDULE).ns == ns,
         "the same schedule takes what was said", d, a->name);
    logp_explanation_free(other);
    return same;
}

Test(explain, with_other_values_of_each_parameter_it_is_the_fold_and_the_virtual_clock,
     .timeout = 600)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    int breakpoints[LOGP_PARAMETERS] = {0}, same[LOGP_PARAMETERS] = {0};
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t row = 0; row < n; row++) {
        uint64_t seed = 7 * n, random = 1 + row;
        struct logp_explanation *e;
        struct drawn d;

        if (!is_explained(rows[row]))
            continue;
        d = draw_for(row, n, &seed, row % 3 == 0 && takes_any_links(rows[row]));
        if (machines[d.P] == NULL)
            machines[d.P] = test_machine(d.P, LOGP_CLOCK_VIRTUAL, NULL);
        cr_assert_eq(explain(rows[row], d.P, &d.call, &e), 0);
        for (enum logp_parameter p = 0; p < LOGP_PARAMETERS; p++) {
            struct logp_curve c;
            const int rc = logp_explanation_curve(e, p, &c);

            cr_assert_eq(rc, p == LOGP_PARAMETER_O && e->params.o_send_ns != e->params.o_recv_ns
                                 ? -EINVAL
                                 : 0);
            if (rc != 0)
                continue;
            check_shape(&d, rows[row], &c);
            breakpoints[p] += (int)c.n - 1;
            for (int i = 0; i < VALUES / (TEST_SCALE > 1 ? 10 : 1); i++) {
                const int64_t ps = some_value(&random, &c);

                check_value(machines[d.P], &d, rows[row], e, &c, ps);
                same[p] += check_replanned(&d, rows[row], e, p, ps);
            }
            check_value(machines[d.P], &d, rows[row], e, &c, c.at_ps);
            logp_curve_free(&c);
        }
        logp_explanation_free(e);
        drawn_free(&d);
    }
    for (enum logp_parameter p = 0; p < LOGP_PARAMETERS; p++) {
        cr_log_info("%-6s %d breakpoints, %d replanned alike", logp_parameter_name(p),
                    breakpoints[p], same[p]);
        cr_assert_gt(breakpoints[p], 10);
        cr_assert_gt(same[p], 10);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
}
