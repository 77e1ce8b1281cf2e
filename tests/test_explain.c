/* SPDX-License-Identifier: MIT */
/*
 * Explanations of schedules, over the whole table. What is said of the time with other parameters
 * is held against the same steps folded, and run under the virtual clock, with those; what is said
 * of slack, against steps and messages that are late by that much, and by a nanosecond more.
 */
#include "drawn.h"
#include "listed.h"

#include <stdio.h>

enum { CASES = 1200, VALUES = 100 };

static void claim(bool holds, const char *what, const struct drawn *d, const char *algorithm)
{
    (void)what; /* where the tests are plain programs, assertions say no more */
    if (!holds)
        describe(d, algorithm);
    cr_assert(holds, "case %lu, %s: %s", (unsigned long)d->seed, algorithm, what);
}

static int explain(const struct logp_algorithm *a, int P, const struct logp_coll *c,
                   struct logp_explanation **e)
{
    return logp_explanation_of(a, P, &c->args, &c->model, e);
}

static int64_t sum_ps(const struct logp_terms *t, const struct logp_params *p)
{
    return 1000 * (t->L * p->L_ns + t->o_send * p->o_send_ns + t->o_recv * p->o_recv_ns +
                   t->g * p->g_ns + t->compute_ns) +
           t->bytes * p->G_ps + t->elements * p->gamma_ps + t->rounding_ps;
}

/* ---- what it is made of ---- */

/* The path goes from 0 to the end without a hole, along tasks, and is the sum of its parts. */
static void check_path(const struct drawn *d, const struct logp_algorithm *a,
                       const struct logp_explanation *e)
{
    int64_t at = 0, parts = 0;

    claim(sum_ps(&e->terms, &e->params) == 1000 * e->ns, "the terms are the time", d, a->name);
    for (size_t i = 0; i < e->n_path; i++) {
        const struct logp_stretch *s = &e->path[i];
        const struct logp_task *t = &e->tasks[s->task];

        claim(s->from_ns == at && s->to_ns > at, "the path has no hole", d, a->name);
        claim(sum_ps(&s->terms, &e->params) == 1000 * (s->to_ns - s->from_ns),
              "its terms are the time of a stretch", d, a->name);
        claim(s->rank == t->rank && s->peer == t->peer, "a stretch is of its task", d, a->name);
        claim(t->slack_ns == 0, "what is on the path has no slack", d, a->name);
        if (s->kind == LOGP_STRETCH_WIRE)
            claim(s->from_ns == t->end_ns && s->to_ns == t->arrival_ns &&
                      t->message_slack_ns == 0 && e->tasks[t->other].start_ns == s->to_ns,
                  "the wire is from a send to its receive", d, a->name);
        else if (s->kind != LOGP_STRETCH_GAP)
            claim(s->from_ns == t->start_ns && s->to_ns == t->end_ns, "a task is all of it", d,
                  a->name);
        else
            claim(s->from_ns == t->start_ns, "a gap begins with what it follows", d, a->name);
        parts += s->to_ns - s->from_ns;
        at = s->to_ns;
    }
    claim(at == e->ns && parts == e->ns, "the path is all of the time", d, a->name);
}

static void check_tasks(const struct drawn *d, const struct logp_algorithm *a,
                        const struct logp_explanation *e)
{
    int64_t last = 0;

    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        last = t->end_ns > last ? t->end_ns : last;
        claim(t->slack_ns >= 0 && t->end_ns + t->slack_ns <= e->ns, "slack ends with the whole", d,
              a->name);
        claim(e->slack_ns[t->rank] <= t->slack_ns, "a rank has the least of its tasks", d, a->name);
        if (t->kind == LOGP_STEP_COMPUTE)
            continue;
        claim(e->tasks[t->other].other == (int64_t)i && e->tasks[t->other].rank == t->peer,
              "a message has two ends", d, a->name);
        claim(t->kind == LOGP_STEP_SEND || t->start_ns >= t->arrival_ns,
              "nothing is received before it is there", d, a->name);
    }
    claim(last == e->ns, "the last task is the end", d, a->name);
}

static void check_explanation(const struct drawn *d, const struct logp_algorithm *a)
{
    const struct logp_prediction fold = test_predict_by(a, d->P, &d->coll, LOGP_BY_SCHEDULE);
    const bool refused = d->topology != NULL || logp_capacity(&d->coll.model.params) > 0;
    struct logp_explanation *e = NULL;
    const int rc = explain(a, d->P, &d->coll, &e);

    claim(rc == (refused ? -ENOTSUP : 0), "it is explained, or refused", d, a->name);
    if (rc != 0)
        return;
    claim(e->ns == fold.ns && e->P == d->P, "its time is the fold", d, a->name);
    check_path(d, a, e);
    check_tasks(d, a, e);
    logp_explanation_free(e);
}

Test(explain, the_terms_of_the_path_are_the_fold)
{
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : CASES / TEST_SCALE;

    for (uint64_t seed = first; seed <= last; seed++) {
        struct drawn d = draw(seed);

        for (size_t i = 0; i < n; i++)
            if (rows[i]->steps != NULL && strcmp(rows[i]->collective, d.collective->name) == 0 &&
                test_needs(rows[i], d.P, &d.coll) == NULL)
                check_explanation(&d, rows[i]);
        logp_topology_destroy(d.topology);
    }
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
static int64_t run(struct logp_machine *m, const struct listed *l, const struct logp_params *params)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = logp_algorithm_find("schedule", "listed"),
                                      .args = {.list = &l->list},
                                      .model = {.params = *params},
                                      .reps = 1,
                                      .timeout_ns = test_timeout_ns};
    struct logp_delay delay;
    struct logp_record r;

    cr_assert_eq(logp_delay_create(logp_delay_name(params), params, &delay), 0);
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
    struct logp_params params = e->params;
    struct listed l;
    int64_t ns, folded, ran;

    set_parameter(&params, c->parameter, ps);
    params.latency_varies = false;
    cr_assert_eq(logp_explanation_at(e, c->parameter, ps, &ns), 0);
    l = listed_make(e, params.gamma_ps, -1, 0);
    folded = listed_fold(&l, &params);
    ran = run(m, &l, &params);
    listed_free(&l);
    if (folded != ns || ran != ns || curve_ps / 1000 > ns)
        fprintf(stderr, "%s = %ld ps: curve %ld ps, at %ld ns, fold %ld ns, virtual clock %ld ns\n",
                name, (long)ps, (long)curve_ps, (long)ns, (long)folded, (long)ran);
    claim(ns == folded, "with another parameter it is the fold", d, a->name);
    claim(ns == ran, "and the virtual clock", d, a->name);
    if (c->rounding_ns == 0)
        claim(curve_ps == 1000 * ns, "the curve is exact", d, a->name);
    else
        claim(curve_ps <= 1000 * ns && 1000 * ns < curve_ps + 1000 * c->rounding_ns,
              "the curve is exact but for rounding", d, a->name);
}

static void check_shape(const struct drawn *d, const struct logp_algorithm *a,
                        const struct logp_curve *c)
{
    claim(c->lines[0].from_ps == 0, "it begins at 0", d, a->name);
    for (size_t i = 1; i < c->n; i++)
        claim(c->lines[i].slope > c->lines[i - 1].slope &&
                  c->lines[i].from_ps > c->lines[i - 1].from_ps - (i == 1),
              "it is convex, and no line is too much", d, a->name);
    claim(c->left >= 0 && c->left <= c->right, "a unit less saves no more than one more costs", d,
          a->name);
    claim(logp_curve_ps(c, c->at_ps + 1) - logp_curve_ps(c, c->at_ps) >= c->right,
          "so much a unit more costs", d, a->name);
    claim(c->at_ps == 0 || logp_curve_ps(c, c->at_ps) - logp_curve_ps(c, c->at_ps - 1) <= c->left,
          "so much a unit less saves", d, a->name);
    for (size_t i = 0; i + 1 < c->n; i++) /* of two that meet at the value in force, both */
        if (c->lines[i + 1].from_ps == c->at_ps && c->at_ps > 0 &&
            logp_curve_ps(c, c->at_ps) ==
                c->lines[i].base_ps + c->lines[i].slope * c->lines[i + 1].from_ps)
            claim(c->left == c->lines[i].slope && c->right == c->lines[i + 1].slope,
                  "both derivatives at a breakpoint", d, a->name);
}

/* Where the algorithm does the same with other parameters, its own fold is what is said. */
static bool check_replanned(const struct drawn *d, const struct logp_algorithm *a,
                            const struct logp_explanation *e, enum logp_parameter which, int64_t ps)
{
    struct logp_coll c = d->coll;
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
    claim(!same || test_predict_by(a, d->P, &c, LOGP_BY_SCHEDULE).ns == ns,
          "the same schedule takes what was said", d, a->name);
    logp_explanation_free(other);
    return same;
}

/* A case of this row that can be explained. */
static struct drawn draw_for(size_t row, size_t n, uint64_t *seed)
{
    for (;; *seed += n) {
        struct drawn d = draw(*seed + (n - *seed % n + row) % n);
        const struct logp_algorithm *a = test_rows(&n)[row];

        if (d.topology == NULL && logp_capacity(&d.coll.model.params) == 0 && d.P > 1 &&
            test_needs(a, d.P, &d.coll) == NULL)
            return d;
        logp_topology_destroy(d.topology);
    }
}

Test(explain, with_100_other_values_of_each_parameter_it_is_the_fold_and_the_virtual_clock,
     .timeout = 600)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    int breakpoints[LOGP_PARAMETERS] = {0}, same[LOGP_PARAMETERS] = {0};
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t row = 0; row < n; row++) {
        uint64_t seed = 7 * n, random = 1 + row;
        const struct drawn d = draw_for(row, n, &seed);
        struct logp_explanation *e;

        if (rows[row]->steps == NULL)
            continue;
        if (machines[d.P] == NULL)
            machines[d.P] = test_machine(d.P, LOGP_CLOCK_VIRTUAL, NULL);
        cr_assert_eq(explain(rows[row], d.P, &d.coll, &e), 0);
        for (int p = 0; p < LOGP_PARAMETERS; p++) {
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
    }
    for (int p = 0; p < LOGP_PARAMETERS; p++) {
        cr_log_info("%-6s %d breakpoints, %d replanned alike", logp_parameter_name(p),
                    breakpoints[p], same[p]);
        cr_assert_gt(breakpoints[p], 10);
        cr_assert_gt(same[p], 10);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
}

/* ---- slack ---- */

/* A model that is another, but one message is late. */
struct late {
    struct logp_delay_ops ops;
    void *model;
    int src;
    unsigned number;
    int64_t ns;
};

static void late_start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    struct late *l = model;

    l->ops.start(l->model, port, t);
}

static void late_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct late *l = model;

    l->ops.send(l->model, port, t);
    if (t->src == l->src && t->number == l->number)
        t->arrival += l->ns;
}

static void late_recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct late *l = model;

    l->ops.recv(l->model, port, t);
}

static const struct logp_delay_ops late_ops = {.size = sizeof(late_ops),
                                               .name = "late",
                                               .start = late_start,
                                               .send = late_send,
                                               .recv = late_recv};

/* The fold, where the message that a task sends is late. */
static int64_t fold_late(const struct logp_explanation *e, const struct logp_params *params,
                         const struct listed *list, size_t task, int64_t ns)
{
    const struct logp_schedule s = listed_schedule(list);
    struct late l = {.src = (int)e->tasks[task].rank, .ns = ns};
    const struct logp_delay late = {&late_ops, &l};
    struct logp_delay delay;
    struct logp_fold fold;

    for (size_t i = 0; i < task; i++)
        l.number += e->tasks[i].kind == LOGP_STEP_SEND && e->tasks[i].rank == l.src;
    cr_assert_eq(logp_delay_create(logp_delay_name(params), params, &delay), 0);
    cr_assert_eq(logp_delay_functions(&delay, &l.ops), 0);
    l.model = delay.model;
    cr_assert_eq(logp_schedule_fold(&s, &late, 0, &fold), 0);
    logp_delay_destroy(&delay);
    return fold.ns;
}

/* When the one before it of its rank is over. */
static int64_t free_before(const struct logp_explanation *e, int64_t task)
{
    for (int64_t i = task - 1; i >= 0; i--)
        if (e->tasks[i].rank == e->tasks[task].rank)
            return e->tasks[i].end_ns;
    return 0;
}

Test(explain, what_is_later_by_its_slack_is_in_time_and_by_a_nanosecond_more_is_not)
{
    size_t n, with_slack = 0;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t row = 0; row < n; row++) {
        uint64_t seed = 11 * n, random = 1 + row;
        const struct drawn d = draw_for(row, n, &seed);
        struct logp_params params = d.coll.model.params;
        struct logp_explanation *e;

        if (rows[row]->steps == NULL)
            continue;
        params.latency_varies = false;
        cr_assert_eq(explain(rows[row], d.P, &d.coll, &e), 0);
        for (int i = 0; e->n_tasks > 0 && i < 30; i++) {
            const int64_t task = below(&random, (int64_t)e->n_tasks);
            const struct logp_task *t = &e->tasks[task];

            for (int more = 0; more < 2; more++) {
                const int64_t late = t->start_ns + t->slack_ns + more - free_before(e, task);
                struct listed l = listed_make(e, params.gamma_ps, task, late);

                claim(listed_fold(&l, &params) == e->ns + more, "a task that is late", &d,
                      rows[row]->name);
                listed_free(&l);
                if (t->kind != LOGP_STEP_SEND)
                    continue;
                l = listed_make(e, params.gamma_ps, -1, 0);
                claim(fold_late(e, &params, &l, (size_t)task, t->message_slack_ns + more) ==
                          e->ns + more,
                      "a message that is late", &d, rows[row]->name);
                listed_free(&l);
            }
            with_slack += t->slack_ns > 0;
        }
        logp_explanation_free(e);
    }
    cr_assert_gt(with_slack, 100);
}

/* ---- by hand ---- */

static struct logp_explanation *explained(const char *collective, const char *name, int P,
                                          const struct logp_params *params, size_t n_bytes)
{
    const struct logp_coll c = {.args = {.n_bytes = n_bytes}, .model.params = *params};
    struct logp_explanation *e = NULL;

    cr_assert_eq(explain(logp_algorithm_find(collective, name), P, &c, &e), 0);
    return e;
}

static void is_line(const struct logp_curve *c, size_t i, int64_t from, int64_t slope, int64_t base)
{
    cr_assert_lt(i, c->n);
    cr_assert_eq(c->lines[i].from_ps, 1000 * from);
    cr_assert_eq(c->lines[i].slope, slope);
    cr_assert_eq(c->lines[i].base_ps, 1000 * base);
}

Test(explain, the_optimal_broadcast_of_eight_is_2L_4o_1g)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_explanation *e = explained("broadcast", "optimal", 8, &params, 8);

    cr_assert_eq(e->ns, 24);
    cr_assert(e->terms.L == 2 && e->terms.o_send == 2 && e->terms.o_recv == 2 && e->terms.g == 1);
    cr_assert(e->terms.bytes == 0 || e->params.G_ps == 0);
    cr_assert_eq(e->slack_ns[7], 2); /* has it at 22 */
    cr_assert_eq(e->slack_ns[6], 6); /* has it at 18, and no time to send it on */
    logp_explanation_free(e);
}

/* flat, P = 4: two gaps, and the last message: T = 2 max(o, g) + 2 o + L. */
Test(explain, the_lines_of_a_flat_broadcast)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_explanation *e = explained("broadcast", "flat", 4, &params, 1);
    struct logp_curve c;

    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_L, &c), 0);
    cr_assert(c.n == 1 && c.left == 1 && c.right == 1 && c.at_ps == 6000);
    is_line(&c, 0, 0, 1, 12);
    logp_curve_free(&c);
    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_O, &c), 0);
    cr_assert(c.n == 2 && c.left == 2 && c.right == 2);
    is_line(&c, 0, 0, 2, 14);
    is_line(&c, 1, 4, 4, 6);
    logp_curve_free(&c);
    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_GAP, &c), 0);
    cr_assert(c.n == 2 && c.left == 2 && c.right == 2);
    is_line(&c, 0, 0, 0, 14);
    is_line(&c, 1, 2, 2, 10);
    cr_assert_eq(logp_curve_ps(&c, 1999), 14000);
    cr_assert_eq(logp_curve_ps(&c, 2001), 14002);
    logp_curve_free(&c);
    logp_explanation_free(e);
}

/* At g = o both derivatives. */
Test(explain, a_tie_has_two_derivatives)
{
    const struct logp_params params = test_params(6, 4, 4);
    struct logp_explanation *e = explained("broadcast", "flat", 4, &params, 1);
    struct logp_curve c;

    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_GAP, &c), 0);
    cr_assert(c.left == 0 && c.right == 2);
    logp_curve_free(&c);
    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_O, &c), 0);
    cr_assert(c.left == 2 && c.right == 4);
    logp_curve_free(&c);
    logp_explanation_free(e);
}

/* Two messages of 4 bytes, one after the other, G = 0.5 ns: 1.5 ns each, which take 2. */
Test(explain, what_is_rounded_is_said)
{
    struct logp_params params = test_params(6, 2, 4);
    struct logp_explanation *e;
    struct logp_curve c;

    params.G_ps = 500;
    e = explained("broadcast", "chain", 3, &params, 4);
    cr_assert_eq(e->ns, 2 * (6 + 2 + 2 + 2));
    cr_assert(e->terms.bytes == 6 && e->terms.rounding_ps == 1000);
    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_BYTE, &c), 0);
    cr_assert(c.rounding_ns == 2 && c.right == 6 && c.n == 1 && c.lines[0].base_ps == 20000);
    logp_curve_free(&c);
    logp_explanation_free(e);
}

/* ---- what is refused ---- */

struct endless {
    int64_t ns, steps;
};

static struct endless endless;

static bool endless_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                          struct logp_step *out)
{
    (void)P, (void)rank, (void)c;
    return i < endless.steps && logp_step_compute(out, endless.ns, 0);
}

static bool waiting_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                          struct logp_step *out)
{
    (void)P, (void)rank, (void)c;
    return i == 0 && logp_step_receive(out, 0, 0, LOGP_RECV_BUF, 0, 1);
}

Test(explain, what_cannot_be_explained_is_refused)
{
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");
    struct logp_coll c = {.args.n_bytes = 1, .model.params = test_params(6, 2, 4)};
    struct logp_schedule s = {.P = 1, .steps = endless_steps};
    struct logp_explanation *e;
    struct logp_topology *ring;
    int64_t ns;

    cr_assert_eq(explain(flat, 0, &c, &e), -EINVAL);
    c.args.root = 4;
    cr_assert_eq(explain(flat, 4, &c, &e), -EINVAL);
    c.args.root = 0;
    c.model.params.capacity = 2;
    cr_assert_eq(explain(flat, 4, &c, &e), -ENOTSUP);
    c.model.params.capacity = 0;
    cr_assert_eq(logp_topology_create("ring", 4, &ring), 0);
    c.model.topology = ring;
    cr_assert_eq(explain(flat, 4, &c, &e), -ENOTSUP);
    c.model.topology = NULL;
    logp_topology_destroy(ring);
    c.model.params.L_ns = -1;
    cr_assert_eq(explain(flat, 4, &c, &e), -EINVAL);
    endless = (struct endless){1, LOGP_EXPLAIN_TASKS + 1};
    cr_assert_eq(logp_explanation_create(&s, &e), -E2BIG);
    endless = (struct endless){INT64_C(86400000000000), 101};
    cr_assert_eq(logp_explanation_create(&s, &e), -EOVERFLOW);
    endless = (struct endless){-1, 1};
    cr_assert_eq(logp_explanation_create(&s, &e), -EINVAL);
    s.steps = waiting_steps;
    cr_assert_eq(logp_explanation_create(&s, &e), -EDEADLK);
    s.P = 0;
    cr_assert_eq(logp_explanation_create(&s, &e), -EINVAL);
    c.model.params = test_params(6, 2, 4);
    cr_assert_eq(explain(flat, 4, &c, &e), 0);
    cr_assert_eq(logp_explanation_at(e, LOGP_PARAMETER_L, 500, &ns), -EINVAL);
    cr_assert_eq(logp_explanation_at(e, LOGP_PARAMETER_L, -1000, &ns), -EINVAL);
    cr_assert_eq(logp_explanation_at(e, LOGP_PARAMETERS, 0, &ns), -EINVAL);
    cr_assert_eq(logp_explanation_at(e, LOGP_PARAMETER_BYTE, 1, &ns), 0);
    cr_assert_eq(ns, 18);
    logp_explanation_free(e);
    logp_explanation_free(NULL);
}

/* ---- trees ---- */

/* The parents in the plans; P > 1. */
static void check_parents(const struct logp_algorithm *a, int P, const struct logp_coll *c)
{
    struct logp_coll mine = *c;
    struct logp_explanation *e;
    int64_t parent[64];
    enum logp_along along;

    cr_assert_eq(explain(a, P, c, &e), 0);
    cr_assert_eq(logp_explanation_tree(e, c->args.root, parent, &along), c->args.root, "%s %d",
                 a->name, P);
    cr_assert_eq(along, a->along);
    for (int r = 0; r < P; r++) {
        cr_assert_eq(test_plan(a, P, r, &mine), 0);
        cr_assert_eq(parent[r], mine.part.parent, "%s, rank %d of %d", a->name, r, P);
        test_unplan(&mine);
    }
    logp_explanation_free(e);
}

Test(explain, the_tree_is_the_one_that_was_planned)
{
    const struct logp_coll c = {
        .args = {.n_bytes = 8, .count = 3, .root = 1, .op = logp_op_find("sum", "double")},
        .model.params = test_params(6, 2, 4)};
    size_t n, found = 0;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t i = 0; i < n; i++)
        for (int P = 2; P <= 33; P++)
            if (rows[i]->along != LOGP_ALONG_NO_TREE && test_needs(rows[i], P, &c) == NULL) {
                check_parents(rows[i], P, &c);
                found++;
            }
    cr_assert_gt(found, 200);
}

Test(explain, what_is_no_tree_is_none)
{
    static const char *const none[][2] = {{"alltoall", "ring"},
                                          {"allreduce", "recursive-doubling"},
                                          {"barrier", "dissemination"},
                                          {"broadcast", "two-tree"},
                                          {"broadcast", "scatter-allgather"}};
    const struct logp_coll c = {
        .args = {.n_bytes = 80, .count = 3, .op = logp_op_find("sum", "double")},
        .model.params = test_params(6, 2, 4)};
    struct logp_explanation *e;
    int64_t parent[8];
    enum logp_along along;

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        cr_assert_eq(explain(logp_algorithm_find(none[i][0], none[i][1]), 8, &c, &e), 0, "%s",
                     none[i][1]);
        cr_assert_eq(logp_explanation_tree(e, 0, parent, &along), -1, "%s", none[i][1]);
        cr_assert_eq(along, LOGP_ALONG_NO_TREE);
        logp_explanation_free(e);
    }
}
