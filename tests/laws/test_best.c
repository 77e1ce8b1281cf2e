/* SPDX-License-Identifier: MIT */
/*
 * `auto` is what is the best of all: of every row that applies, with every k that it could have,
 * each predicted by itself. LOGP_TEST_POINTS says how many points are drawn, LOGP_TEST_SEED takes a
 * single one.
 */
#define LOGP_TESTS_MOST_P 64
#include "drawn_links.h"

enum { POINTS = 8000 };

struct least {
    const struct logp_algorithm *row; /* NULL: none is predicted */
    int64_t k, ns;
};

static bool is_end(const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_EXACT || p->certainty == LOGP_PREDICTION_BOUND;
}

/* Does the row take the best k where none is given? kchain-opt and others compute theirs, and in pat k
 * only limits the items of a message. */
static bool has_free_k(const struct logp_algorithm *a, const struct logp_invocation *c)
{
    struct logp_invocation two = *c, three = *c;

    two.args.k = 2;
    three.args.k = 3;
    return c->args.k == 0 && test_has_knob(a, "k") && strcmp(a->name, "pat") != 0 &&
           test_knob(a, "k", MOST_P, &two) == 2 && test_knob(a, "k", MOST_P, &three) == 3;
}

static int64_t most_k(int64_t P)
{
    return P > 2 ? P : 2;
}

/* The row with each k. */
static void try_row(const struct drawn *d, const struct logp_algorithm *a, struct least *least)
{
    const bool many = has_free_k(a, &d->call);
    struct logp_invocation c = d->call;

    for (int64_t k = many ? 1 : c.args.k; k <= (many ? most_k(d->P) : c.args.k); k++) {
        struct logp_prediction p;

        c.args.k = k;
        if (!test_is_candidate(a, d->P, &c))
            continue;
        p = test_predict(a, d->P, &c);
        if (is_end(&p) && (least->row == NULL || p.ns < least->ns))
            *least = (struct least){a, many ? k : 0, p.ns};
    }
}

/* How many messages all of them send. */
static uint64_t messages_of_all(const struct drawn *d)
{
    const struct logp_algorithm *a;
    uint64_t messages = 0;

    for (size_t i = 0; (a = logp_algorithm_at(d->collective->name, i)) != NULL; i++) {
        const bool many = has_free_k(a, &d->call);
        struct logp_invocation c = d->call;

        for (int64_t k = many ? 1 : c.args.k; k <= (many ? most_k(d->P) : c.args.k); k++) {
            TEST_DELAY delay = drawn_delay(d);
            struct logp_schedule s;
            struct logp_fold fold;

            c.args.k = k;
            if (a->steps != NULL && test_is_candidate(a, d->P, &c)) {
                s = logp_schedule_of(a, d->P, &c.args, &c.model);
                logp_schedule_fold(&s, &delay, 0, &fold);
                messages += fold.messages;
            }
        }
    }
    return messages;
}

/* @return was there anything to compare? */
static bool check_point(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0xd1342543de82ef95) | 1;
    struct drawn d = draw_linked(seed);
    struct least least = {.row = NULL};
    const struct logp_algorithm *a;
    struct logp_choice choice;
    int rc;

    d.call.args.in_place = false;
    if (one_in(&random, 6))
        d.call.model.rendezvous_from = 1 + below(&random, 200);
    rc = logp_algorithm_choose(d.collective->name, d.P, &d.call.args, &d.call.model, &choice);
    for (size_t i = 0; (a = logp_algorithm_at(d.collective->name, i)) != NULL; i++)
        try_row(&d, a, &least);
    if (rc == 0 && choice.n_left > 0) {
        must(messages_of_all(&d) >= LOGP_FOLD_MESSAGES, "a row was left out", &d, "auto");
    } else if (least.row != NULL) {
        const struct logp_prediction p = test_predict(choice.algorithm, d.P, &d.call);

        must(rc == 0 && choice.algorithm == least.row, "another is chosen", &d, least.row->name);
        must(p.ns == least.ns, "not with the best k", &d, least.row->name);
        must(least.k == 0 || test_knob(least.row, "k", d.P, &d.call) == least.k,
             "not with the smallest k", &d, least.row->name);
        must(test_best(d.collective->name, d.P, &d.call) == least.row, "another is kept", &d,
             least.row->name);
    }
    drawn_free(&d);
    return least.row != NULL;
}

Test(best, auto_takes_the_least_of_all_rows_with_all_k)
{
    const char *single = getenv("LOGP_TEST_SEED"), *points = getenv("LOGP_TEST_POINTS");
    const uint64_t n = points != NULL ? strtoull(points, NULL, 10) : POINTS / TEST_SCALE;
    uint64_t compared = 0;

    if (single != NULL) {
        compared = check_point(strtoull(single, NULL, 10));
    } else {
        cr_log_info("points 1 to %lu, each its own seed", (unsigned long)n);
        for (uint64_t seed = 1; seed <= n; seed++)
            compared += check_point(seed);
        cr_assert_gt(compared, n / 2);
    }
    cr_log_info("%lu compared", (unsigned long)compared);
}

/* Beyond as many messages as are folded, what is not compared is named. */
Test(best, what_is_not_compared_is_named)
{
    struct logp_params params = test_params(6, 2, 4);
    const struct logp_args args = {.n_bytes = 8};
    struct logp_network model = {.params = params};
    struct logp_choice choice;

    cr_assert_eq(logp_algorithm_choose("alltoall", 2000, &args, &model, &choice), 0);
    cr_expect_eq(choice.n_left, 0);
    model.params.gap_shared = true;
    cr_assert_eq(logp_algorithm_choose("alltoall", 2000, &args, &model, &choice), 0);
    cr_expect_str_eq(choice.algorithm->name, "bruck-overlap");
    cr_expect_eq(choice.n_left, 0); /* all others take longer than that */
    model.params.g_ns = 0;
    model.params.o_send_ns = model.params.o_recv_ns = 1;
    model.params.L_ns = 100000;
    cr_assert_eq(logp_algorithm_choose("alltoall", 2000, &args, &model, &choice), 0);
    cr_assert_gt(choice.n_left, 0);
    cr_expect_str_eq(choice.left[0]->name, "linear");
    cr_expect_eq(logp_algorithm_choose("nonsense", 8, &args, &model, &choice), -ENOTSUP);
    cr_expect_eq(logp_algorithm_choose("broadcast", 0, &args, &model, &choice), -ENOTSUP);
}
