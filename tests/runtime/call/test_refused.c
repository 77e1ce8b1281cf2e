/* SPDX-License-Identifier: MIT */
/*
 * What a machine and its collectives refuse: to be changed by a vp while its run is on, and buffers
 * whose sizes no address space has, where a product of the size and P would wrap.
 */
#include "support.h"

enum { P = 4 };

/* ---- a machine is not changed under its vps ---- */

static int choose_first(void *arg, const struct logp_alternative *alternatives, int n)
{
    return 0;
}

static bool not_again(void *arg, const struct logp_report *report)
{
    return false;
}

static int change(struct logp_vp *vp, void *arg)
{
    struct logp_machine *const m = arg;
    const struct logp_explorer explorer = {.size = sizeof(explorer), .choose = choose_first};
    const struct logp_trace_config trace = {.size = sizeof(trace)};
    struct logp_trace *taken = NULL;

    cr_expect_eq(logp_machine_set_rendezvous_from(m, 1), -EBUSY);
    cr_expect_eq(logp_machine_set_rendezvous_from(m, 0), -EBUSY);
    cr_expect_eq(logp_machine_explore(m, NULL), -EBUSY);
    if (logp_machine_clock(m) == LOGP_CLOCK_VIRTUAL && !test_shares_stack())
        cr_expect_eq(logp_machine_explore(m, &explorer), -EBUSY);
    cr_expect_eq(logp_machine_trace(m, &trace), -EBUSY);
    cr_expect_eq(logp_machine_take_trace(m, &taken), -EBUSY);
    cr_expect_eq(logp_machine_run(m, test_nothing, NULL, 0), -EBUSY);
    cr_expect_eq(logp_machine_repeat(m, test_nothing, NULL, 0, not_again, NULL), -EBUSY);
    cr_expect_eq(logp_machine_destroy(m), -EBUSY);
    return 0;
}

/* One core: there a vp runs on the carrier that may be asked for another run. */
static struct logp_machine *on_one_core(enum logp_clock clock)
{
    return test_machine_with(
        (struct logp_config){
            .n_processors = P, .clock = clock, .delay = logp_delay_none(), .n_cores = 1},
        NULL);
}

Test(refused, a_machine_is_not_changed_by_its_vps)
{
    for (enum logp_clock clock = LOGP_CLOCK_WALL; clock <= LOGP_CLOCK_VIRTUAL; clock++) {
        TEST_MACHINE m = on_one_core(clock);

        cr_assert_eq(logp_machine_run(m, change, m, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_repeat(m, change, m, test_timeout_ns, not_again, NULL), 0);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, 1), 0);
    }
}

/* ---- sizes that wrap ---- */

/* Each of them times P is small, modulo 2^64, or beyond what can be addressed. */
static const size_t sizes[] = {SIZE_MAX / P + 1,     SIZE_MAX / P + 2, SIZE_MAX / 2 + 1,
                               SIZE_MAX / 2 + 1 + 8, SIZE_MAX,         SIZE_MAX / P - 7};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Sizes of stacks, with every way to keep them. What P stacks or the rounding of one would wrap is
 * refused, and so is what no address space has. */
Test(refused, stacks_of_sizes_that_wrap)
{
    static const size_t too_large[] = {SIZE_MAX,         SIZE_MAX - 4096,      SIZE_MAX - (1 << 20),
                                       SIZE_MAX / P + 1, SIZE_MAX / P - 4096,  SIZE_MAX / 2 + 1,
                                       SIZE_MAX / 4,     SIZE_MAX / 4 / P + 1, SIZE_MAX / 4 / P};
    struct logp_machine *m;

    for (int kind = 0; kind < 6; kind++)
        for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++) {
            const struct logp_config config = {.size = sizeof(config),
                                               .n_processors = P,
                                               .delay = logp_delay_none(),
                                               .executor = test_executor(),
                                               .clock = (enum logp_clock)(kind % 2),
                                               .stacks = (enum logp_stacks)(kind / 2),
                                               .stack_bytes = too_large[i]};
            const int rc = logp_machine_create(&config, &m);

            if (too_large[i] > SIZE_MAX / 4 / P)
                cr_expect_eq(rc, -EINVAL, "%d %zu: %d", kind, too_large[i], rc);
            else /* the kernel refuses it */
                cr_expect(rc == -ENOMEM || rc == -EAGAIN || rc == -EINVAL, "%d", rc);
        }
}

static int call_all(struct logp_vp *vp, void *arg)
{
    static char in[64], out[64]; /* of which nothing is read or written */
    const size_t n = *(const size_t *)arg;
    const int64_t count = (int64_t)(n / sizeof(double) < INT64_MAX ? n / sizeof(double) : 1);
    const struct logp_op *sum = logp_op_find("sum", "double");
    size_t counts[P] = {n, n, n, n};

    cr_expect_eq(logp_alltoall(vp, in, out, n), -EINVAL, "%zu", n);
    cr_expect_eq(logp_alltoall(vp, LOGP_IN_PLACE, out, n), -EINVAL, "%zu", n);
    cr_expect_eq(logp_allgather(vp, in, out, n), -EINVAL, "%zu", n);
    cr_expect_eq(logp_allgather(vp, LOGP_IN_PLACE, out, n), -EINVAL, "%zu", n);
    cr_expect_eq(logp_gather(vp, in, out, n, 0), -EINVAL, "%zu", n);
    cr_expect_eq(logp_scatter(vp, in, out, n, 1), -EINVAL, "%zu", n);
    cr_expect_eq(logp_transpose(vp, in, out, P, P, n), -EINVAL, "%zu", n);
    cr_expect_eq(logp_transpose(vp, in, out, INT64_MAX - P, INT64_MAX - P, 8), -EINVAL);
    cr_expect_eq(logp_transpose(vp, in, out, INT64_C(1) << 33, INT64_C(1) << 32, 1), -EINVAL);
    cr_expect_eq(logp_reduce_scatter(vp, in, out, count, sum), -EINVAL, "%zu", n);
    cr_expect_eq(logp_allreduce(vp, in, out, INT64_MAX / 4, sum), -EINVAL);
    cr_expect_eq(logp_reduce(vp, in, out, INT64_MAX / 4, sum, 0), -EINVAL);
    cr_expect_eq(logp_scan(vp, in, out, INT64_MAX / 4, sum), -EINVAL);
    cr_expect_eq(logp_exscan(vp, in, out, INT64_MAX / 4, sum), -EINVAL);
    cr_expect_eq(logp_allgatherv(vp, in, n, out, counts, NULL), -EINVAL, "%zu", n);
    cr_expect_eq(logp_alltoallv(vp, in, counts, NULL, out, counts, NULL), -EINVAL, "%zu", n);
    cr_expect_eq(logp_reduce_scatterv(vp, in, out, counts, sum), -EINVAL, "%zu", n);
    for (int i = 0; i < P; i++)
        counts[i] = n / sizeof(double);
    cr_expect_eq(logp_reduce_scatterv(vp, in, out, counts, sum), -EINVAL, "%zu", n);
    return 0;
}

static int start_all(struct logp_vp *vp, void *arg)
{
    static char in[64], out[64];
    const size_t n = *(const size_t *)arg;
    struct logp_request *pending;

    cr_expect_eq(logp_ialltoall(vp, in, out, n, &pending), -EINVAL, "%zu", n);
    cr_expect_eq(logp_iallgather(vp, in, out, n, &pending), -EINVAL, "%zu", n);
    cr_expect_eq(logp_igather(vp, in, out, n, 0, &pending), -EINVAL, "%zu", n);
    cr_expect_eq(logp_iscatter(vp, in, out, n, 0, &pending), -EINVAL, "%zu", n);
    return 0;
}

Test(refused, sizes_that_wrap)
{
    for (int clock = 0; clock < 4; clock++)
        for (int i = 0; i < N_SIZES; i++) {
            struct logp_machine *m =
                test_machine(P, clock % 2 == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL,
                             clock / 2 == 0 ? NULL : &test_600ns);

            cr_assert_eq(logp_machine_run(m, call_all, (void *)&sizes[i], test_timeout_ns), 0);
            test_run(m, start_all, (void *)&sizes[i]);
        }
}

/* What a row needs is asked for any P, and squares and powers of two are found by sums and products. */
Test(refused, numbers_of_processors_that_wrap)
{
    static const int64_t numbers[] = {INT64_MIN, -1, 0, LOGP_TREE_MAX + 1, INT64_MAX};
    const struct logp_network model = {.params = test_600ns};
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(NULL, i)) != NULL; i++)
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            cr_expect(logp_algorithm_needs(a, numbers[k], &(struct logp_args){0}, &model) != NULL,
                      "%s %s %lld", a->collective, a->name, (long long)numbers[k]);
}

Test(refused, sums_of_parameters_that_wrap)
{
    const struct logp_params most = {.L_ns = INT64_MAX,
                                     .g_ns = INT64_MAX - 1,
                                     .G_ps = INT64_MAX,
                                     .capacity = LOGP_CAPACITY_RULE};

    cr_expect_eq(logp_params_gap_ns(&most, SIZE_MAX), INT64_MAX);
    cr_expect_eq(logp_params_capacity(&most), 2);
}

/* As many segments as bytes, on parameters that are 0 or large. */
Test(refused, times_of_two_trees_do_not_wrap)
{
    for (int s = 0; s < N_SIZES; s++)
        for (int which = 0; which < 8; which++) {
            const struct logp_network model = {.params = {.L_ns = which & 1 ? LOGP_PARAM_MAX_NS : 0,
                                                          .G_ps = which & 2 ? 1 : 0,
                                                          .g_ns = which & 4 ? 1 : 0}};
            const struct logp_args args = {.n_bytes = sizes[s], .k = INT64_MAX};
            const struct logp_prediction p = logp_algorithm_predict_by(
                logp_algorithm_find("broadcast", "two-tree"), 16, &args, &model, LOGP_BY_FORMULA);

            cr_expect_geq(p.ns, 0, "%d %d: %lld", s, which, (long long)p.ns);
        }
}

/* Every algorithm of what sends P items: as a plan, and as a prediction by its steps. */
Test(refused, plans_of_sizes_that_wrap)
{
    static const char *const names[] = {"alltoall", "allgather", "gather", "scatter"};
    const struct logp_network model = {.params = test_600ns};
    const struct logp_algorithm *a;
    struct logp_plan *plan;

    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
        for (size_t i = 0; (a = logp_algorithm_at(names[k], i)) != NULL; i++)
            for (int s = 0; s < N_SIZES; s++) {
                const struct logp_args args = {.n_bytes = sizes[s]};

                if (logp_algorithm_needs(a, P, &args, &model) == NULL)
                    cr_expect_eq(logp_plan_create(a, P, 0, &args, &model, &plan), -EINVAL,
                                 "%s %s %zu", names[k], a->name, sizes[s]);
                cr_expect_eq(
                    logp_algorithm_predict_by(a, P, &args, &model, LOGP_BY_SCHEDULE).certainty,
                    LOGP_PREDICTION_NONE, "%s %s %zu", names[k], a->name, sizes[s]);
            }
}
