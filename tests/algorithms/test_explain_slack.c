/* SPDX-License-Identifier: MIT */
/*
 * Explanations of schedules: slack, over the whole table, against steps and messages that are late
 * by that much, and by a nanosecond more; what can be said by hand; what is refused; trees.
 */
#include "explained.h"

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
static int64_t fold_late(const struct logp_explanation *e, const struct logp_network *model,
                         const struct listed *list, size_t task, int64_t ns)
{
    const struct logp_schedule s = listed_schedule(list);
    struct late l = {.src = (int)e->tasks[task].rank, .ns = ns};
    const struct logp_delay late = {&late_ops, &l};
    struct logp_delay delay;
    struct logp_fold fold;

    for (size_t i = 0; i < task; i++)
        l.number += e->tasks[i].kind == LOGP_STEP_SEND && e->tasks[i].rank == l.src;
    cr_assert_eq(logp_network_delay(model, e->P, NULL, &delay, NULL), 0);
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

Test(explain_slack, what_is_later_by_its_slack_is_in_time_and_by_a_nanosecond_more_is_not)
{
    size_t n, with_slack = 0;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t row = 0; row < n; row++) {
        uint64_t seed = 11 * n, random = 1 + row;
        struct logp_explanation *e;
        struct logp_network model;
        struct drawn d;

        if (!is_explained(rows[row]))
            continue;
        d = draw_for(row, n, &seed, row % 2 == 0 && takes_any_links(rows[row]));
        model = longest(&d);
        cr_assert_eq(explain(rows[row], d.P, &d.call, &e), 0);
        for (int i = 0; e->n_tasks > 0 && i < 30; i++) {
            const int64_t task = below(&random, (int64_t)e->n_tasks);
            const struct logp_task *t = &e->tasks[task];

            for (int more = 0; more < 2; more++) {
                const int64_t late = t->start_ns + t->slack_ns + more - free_before(e, task);
                struct listed l = listed_make(e, model.params.gamma_ps, task, late);

                must(listed_fold(&l, &model) == e->ns + more, "a task that is late", &d,
                     rows[row]->name);
                listed_free(&l);
                if (t->kind != LOGP_STEP_SEND)
                    continue;
                l = listed_make(e, model.params.gamma_ps, -1, 0);
                must(fold_late(e, &model, &l, (size_t)task, t->message_slack_ns + more) ==
                         e->ns + more,
                     "a message that is late", &d, rows[row]->name);
                listed_free(&l);
            }
            with_slack += t->slack_ns > 0;
        }
        logp_explanation_free(e);
        drawn_free(&d);
    }
    cr_assert_gt(with_slack, 100);
}

/* ---- by hand ---- */

static struct logp_explanation *explained(const char *collective, const char *name, int P,
                                          const struct logp_params *params, size_t n_bytes)
{
    const struct logp_invocation c = {.args = {.n_bytes = n_bytes}, .model.params = *params};
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

Test(explain_slack, the_optimal_broadcast_of_eight_is_2L_4o_1g)
{
    const struct logp_params params = test_params(6, 2, 4);
    TEST_EXPLANATION e = explained("broadcast", "optimal", 8, &params, 8);

    cr_assert_eq(e->ns, 24);
    cr_assert(e->terms.L == 2 && e->terms.o_send == 2 && e->terms.o_recv == 2 && e->terms.g == 1);
    cr_assert(e->terms.bytes == 0 || e->params.G_ps == 0);
    cr_assert_eq(e->slack_ns[7], 2); /* has it at 22 */
    cr_assert_eq(e->slack_ns[6], 6); /* has it at 18, and no time to send it on */
}

/* flat, P = 4: two gaps, and the last message: T = 2 max(o, g) + 2 o + L. */
Test(explain_slack, the_lines_of_a_flat_broadcast)
{
    TEST_EXPLANATION e = explained("broadcast", "flat", 4, &test_6ns, 1);
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
}

/* At g = o both derivatives. */
Test(explain_slack, a_tie_has_two_derivatives)
{
    const struct logp_params params = test_params(6, 4, 4);
    TEST_EXPLANATION e = explained("broadcast", "flat", 4, &params, 1);
    struct logp_curve c;

    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_GAP, &c), 0);
    cr_assert(c.left == 0 && c.right == 2);
    logp_curve_free(&c);
    cr_assert_eq(logp_explanation_curve(e, LOGP_PARAMETER_O, &c), 0);
    cr_assert(c.left == 2 && c.right == 4);
    logp_curve_free(&c);
}

/* Two messages of 4 bytes, one after the other, G = 0.5 ns: 1.5 ns each, which take 2. */
Test(explain_slack, what_is_rounded_is_said)
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

static bool endless_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    return i < endless.steps && logp_step_compute(out, endless.ns, 0);
}

static bool waiting_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    return i == 0 && logp_step_receive(out, 0, 0, LOGP_RECV_BUF, 0, 1);
}

Test(explain_slack, what_cannot_be_explained_is_refused)
{
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");
    struct logp_invocation c = {.args.n_bytes = 1, .model.params = test_params(6, 2, 4)};
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
static void check_parents(const struct logp_algorithm *a, int P, const struct logp_invocation *c)
{
    struct logp_invocation mine = *c;
    struct logp_explanation *e;
    int64_t parent[64];
    enum logp_along along;

    cr_assert_eq(explain(a, P, c, &e), 0);
    cr_assert_eq(logp_explanation_tree(e, c->args.root, parent, &along), c->args.root, "%s %d",
                 a->name, P);
    cr_assert_eq(along, a->along);
    for (int r = 0; r < P; r++) {
        cr_assert_eq(test_plan(a, P, r, &mine), 0);
        cr_assert_eq(parent[r], mine.plan.parent, "%s, rank %d of %d", a->name, r, P);
        test_unplan(&mine);
    }
    logp_explanation_free(e);
}

Test(explain_slack, the_tree_is_the_one_that_was_planned)
{
    const struct logp_invocation c = {
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

Test(explain_slack, what_is_no_tree_is_none)
{
    static const char *const none[][2] = {{"alltoall", "ring"},
                                          {"allreduce", "recursive-doubling"},
                                          {"barrier", "dissemination"},
                                          {"broadcast", "two-tree"},
                                          {"broadcast", "scatter-allgather"}};
    const struct logp_invocation c = {
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
