/* SPDX-License-Identifier: MIT */
/*
 * `auto` is what is the best of all: of every row that applies, with every k that it could have,
 * each predicted by itself. LOGP_TEST_POINTS says how many points are drawn, LOGP_TEST_SEED takes a
 * single one, or the first of as many. LOGP_TEST_COUNT=1 counts by how much another window or block
 * is better, where not all are tried.
 */
#define LOGP_TESTS_MOST_P 64
#include "drawn_links.h"

#include <math.h>

enum { POINTS = 8000, VALUES = 40 };

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

/* ---- windows and blocks ---- */

/* A collective whose rows have windows or blocks, on a uniform machine. As large as the choice tries all
 * of them; or larger, to count what another would save. */
static struct drawn draw_uniform(uint64_t seed, bool large)
{
    static const char *const names[] = {"broadcast", "reduce",   "allreduce", "scan",
                                        "exscan",    "alltoall", "transpose"};
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct drawn d = {.seed = seed};
    struct logp_args *a = &d.call.args;

    test_random(&random);
    d.collective = logp_collective_find(names[below(&random, sizeof(names) / sizeof(names[0]))]);
    d.P = 2 + (int)below(&random, large ? 39 : 11);
    a->count = 1 + below(&random, large ? 3000 : 30);
    a->n_bytes = (size_t)a->count * (large && one_in(&random, 2) ? 8 : 1);
    a->op = logp_op_find("sum", "int64");
    a->rows = 1 + below(&random, 3 * d.P);
    a->cols = 1 + below(&random, 3 * d.P);
    d.call.model.params = some_params(&random);
    d.call.model.params.gap_shared = false;
    d.call.model.params.capacity = 0;
    return d;
}

/* The number of parts that is tried after n: all up to 64, then 1 % more each time. */
static int64_t next_parts(int64_t n)
{
    return n < 64 ? n + 1 : n + n / 64;
}

/* The least time of a row with any window or block. @return its value, 0: as it is */
static int64_t try_values(const struct drawn *d, const struct logp_algorithm *a, int64_t *least)
{
    const bool vectors = d->collective->operands == LOGP_OPERANDS_VECTOR;
    const bool windows = test_has_knob(a, "window"), blocks = test_has_knob(a, "block");
    const int64_t whole = vectors ? d->call.args.count : (int64_t)d->call.args.n_bytes;
    const int64_t last = windows ? d->P - 1 : blocks ? whole : 0;
    int64_t best = 0;

    for (int64_t n = 0; n <= last; n = windows ? n + 1 : next_parts(n)) {
        struct logp_invocation c = d->call;
        int64_t *value = windows ? &c.args.window : &c.args.block_bytes;
        struct logp_prediction p;

        if (n > 0)
            *value = windows ? n : (whole + n - 1) / n * (vectors ? 8 : 1);
        if (!test_is_candidate(a, d->P, &c))
            continue;
        p = test_predict(a, d->P, &c);
        if (is_end(&p) && p.ns < *least) {
            *least = p.ns;
            best = *value;
        }
    }
    return best;
}

/* Whether a row takes the best value by itself, too. */
static void check_row(const struct drawn *d, const struct logp_algorithm *a)
{
    const struct logp_prediction own = test_is_candidate(a, d->P, &d->call)
                                           ? test_predict(a, d->P, &d->call)
                                           : (struct logp_prediction){0};
    int64_t least = own.ns;

    if (!is_end(&own))
        return;
    try_values(d, a, &least);
    must(least == own.ns, "a row has a better window or block", d, a->name);
}

/* What the best value of any row saves of the time of the choice. */
static void check_values(uint64_t seed, bool counts, double *most)
{
    const struct drawn d = draw_uniform(seed, counts);
    const struct logp_algorithm *const chosen = test_best(d.collective->name, d.P, &d.call), *a;
    const struct logp_prediction p = test_predict(chosen, d.P, &d.call);

    for (size_t i = 0; (a = logp_algorithm_at(d.collective->name, i)) != NULL; i++) {
        int64_t least = p.ns;
        const int64_t value = try_values(&d, a, &least);
        const double saved = p.ns > 0 ? 1 - (double)least / (double)p.ns : 0;

        *most = fmax(*most, saved);
        if (counts && least < p.ns)
            fprintf(
                stderr,
                "LOGP_TEST_SEED=%lu: %s P %d L %ld o %ld %ld g %ld G %ld gamma %ld, count %ld, %zu "
                "bytes, %s %ld ns; %s with %ld %ld ns, %.2f %%\n",
                (unsigned long)seed, d.collective->name, d.P, (long)d.call.model.params.L_ns,
                (long)d.call.model.params.o_send_ns, (long)d.call.model.params.o_recv_ns,
                (long)d.call.model.params.g_ns, (long)d.call.model.params.G_ps,
                (long)d.call.model.params.gamma_ps, (long)d.call.args.count, d.call.args.n_bytes,
                chosen->name, (long)p.ns, a->name, (long)value, (long)least, 100 * saved);
        must(counts || least == p.ns, "a window or block is better", &d, a->name);
        if (!counts)
            check_row(&d, a);
    }
}

Test(best, no_window_or_block_is_better)
{
    const char *single = getenv("LOGP_TEST_SEED"), *points = getenv("LOGP_TEST_POINTS");
    const uint64_t n = points != NULL ? strtoull(points, NULL, 10) : VALUES / TEST_SCALE + 1;
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL && points == NULL ? first : first + n - 1;
    const bool counts = getenv("LOGP_TEST_COUNT") != NULL;
    double most = 0;

    for (uint64_t seed = first; seed <= last; seed++)
        check_values(seed, counts, &most);
    cr_log_info("points %lu to %lu: at most %.2f %% less", (unsigned long)first,
                (unsigned long)last, 100 * most);
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
