/* SPDX-License-Identifier: MIT */
/* What the suites share: machines in a line, and how much work a sanitizer build should do. */
#ifndef LOGP_TESTS_SUPPORT_H
#define LOGP_TESTS_SUPPORT_H

#include "random.h"

#include <logp/logp.h>

#if defined(__SANITIZE_THREAD__) || defined(LOGP_TESTS_PLAIN)
#include "plain.h"
#else
#include <criterion/criterion.h>
#include <criterion/logging.h>
#endif
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define TEST_SCALE 50 /* work is divided by this */
#elif defined(LOGP_TESTS_PLAIN)
#define TEST_SCALE 20
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_SCALE 10
#else
#define TEST_SCALE 1
#endif

/* The call must succeed. It may be a vp's; a run then fails where it went wrong. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        const int ok_rc = (call);                                                                  \
        if (ok_rc != 0)                                                                            \
            cr_assert_eq(ok_rc, 0, "%s: %d", #call, ok_rc);                                        \
    } while (0)

/* The function returns the error of this call, if it has one: where a run may end with one. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const int try_rc = (call);                                                                 \
        if (try_rc != 0)                                                                           \
            return try_rc;                                                                         \
    } while (0)

/* How many built-in operations there are. */
static inline size_t test_n_ops(void)
{
    size_t n = 0;

    while (logp_op_at(n) != NULL)
        n++;
    return n;
}

/* An operation that does not commute: maps x -> m x + t modulo 2^32, one after the other. */
struct map {
    uint32_t m, t;
};

static void follow(void *acc, const void *in, size_t n, void *arg)
{
    struct map *x = acc;
    const struct map *y = in;

    for (size_t i = 0; i < n; i++)
        x[i] = (struct map){y[i].m * x[i].m, y[i].m * x[i].t + y[i].t};
}

static const struct logp_op maps = {
    .name = "follow", .type = "map", .element_bytes = sizeof(struct map), .combine = follow};

/* The cores of this process, or those of LOGP_TEST_CORES, in a list. A parallel machine with named
 * cores uses all of them in each run. @return how many */
static inline int test_all_cores(const int **cores)
{
    enum { MOST = 1024, BITS = 8 * sizeof(long) };
    static int all[MOST];
    const char *feigned = getenv("LOGP_TEST_CORES");
    const int n_feigned = feigned != NULL ? atoi(feigned) : 0;
    unsigned long set[MOST / BITS] = {0};
    int n = 0;

    syscall(SYS_sched_getaffinity, 0, sizeof(set), set);
    for (int i = 0; i < MOST; i++)
        if (n_feigned > 0 ? i < n_feigned : set[i / BITS] >> (i % BITS) & 1)
            all[n++] = i;
    *cores = all;
    return n;
}

/* What runs beside the suites does not change the cores of their machines. Tests of the registry set
 * it to a file. */
static __attribute__((constructor)) void test_without_registry(void)
{
    setenv("LOGP_TEST_REGISTRY", "", 0);
    setenv("LOGP_CHECK_CONFIRM", "0", 0); /* or each failure starts all suites again */
}

static const int64_t test_timeout_ns = INT64_C(120000000000);

/* Models that suites run with, named for L. */
static const struct logp_params test_6us = {
    .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
static const struct logp_params test_600ns = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400};
static const struct logp_params test_bytes = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400, .G_ps = 100, .gamma_ps = 500};
static const struct logp_params test_6ns = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4};

/* The suites run once with each executor: ctest sets the variable; "shared": fibers that share a
 * stack, where they can; "parallel": that, and several cores under the virtual clock. NULL: the
 * default. */
static inline bool test_parallel(void)
{
    const char *name = getenv("LOGP_TEST_EXECUTOR");

    return name != NULL && strcmp(name, "parallel") == 0;
}

static inline bool test_shares_stack(void)
{
    const char *name = getenv("LOGP_TEST_EXECUTOR");

    return test_parallel() || (name != NULL && strcmp(name, "shared") == 0);
}

static inline const char *test_executor(void)
{
    return test_shares_stack() ? "fiber" : getenv("LOGP_TEST_EXECUTOR");
}

static inline bool test_on_threads(void)
{
    const char *name = test_executor();

    return name == NULL || strcmp(name, "thread") == 0;
}

/* Random cases are divided by this: threads and shared stacks go through the same decisions as fibers,
 * and threads take three times as long. */
static inline int test_divisor(void)
{
    return test_on_threads() || test_shares_stack() ? 3 * TEST_SCALE : TEST_SCALE;
}

static inline enum logp_stacks test_stacks(void)
{
    return test_shares_stack() ? LOGP_STACKS_SHARED : LOGP_STACKS_AUTO;
}

/* How many processes of an MPI run this. */
static inline int test_processes(void)
{
    const char *openmpi = getenv("OMPI_COMM_WORLD_SIZE"), *mpich = getenv("PMI_SIZE");

    return atoi(openmpi != NULL ? openmpi : mpich != NULL ? mpich : "1");
}

#ifdef LOGP_TESTS_OVER_PROCESSES
/* Whatever the machine is to be: over the processes that run this, if it has a vp for each, on the
 * wall clock and without delays. What is left of a test is what is sent and received. It is kept
 * for the next that asks for so many vps. */
extern struct logp_machine *test_machine_kept;

static inline struct logp_machine *test_machine_of(int P, enum logp_clock clock,
                                                   struct logp_delay delay)
{
    const int n = test_processes();
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .delay = logp_delay_none(),
                                       .executor = test_executor(),
                                       .transport = P < n ? NULL : getenv("LOGP_TEST_TRANSPORT")};

    logp_delay_destroy(&delay);
    if (test_machine_kept != NULL && logp_machine_size(test_machine_kept) == P)
        return test_machine_kept;
    cr_assert_eq(logp_machine_destroy(test_machine_kept), 0);
    cr_assert_eq(logp_machine_create(&config, &test_machine_kept), 0);
    cr_assert_eq(logp_machine_processes(test_machine_kept), P < n ? 1 : n);
    return test_machine_kept;
}

static inline int test_machine_keep(const struct logp_machine *m)
{
    return m == test_machine_kept ? 0 : -EINVAL;
}
#define logp_machine_destroy(machine) test_machine_keep(machine)
#else
/* The machine of this configuration, whose delays have these parameters; NULL: they are those of
 * the configuration. Where it names no executor it is the one of this run of the suites. */
static inline struct logp_machine *test_machine_as(struct logp_config config,
                                                   const struct logp_params *params)
{
    struct logp_machine *m = NULL;

    config.size = sizeof(config);
    if (config.executor == NULL) {
        config.executor = test_executor();
        config.stacks = test_stacks();
    }
    if (params != NULL)
        cr_assert_eq(logp_delay_create("loggp", params, &config.delay), 0);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    return m;
}

/* The same; a parallel machine uses all cores in each run. */
static inline struct logp_machine *test_machine_with(struct logp_config config,
                                                     const struct logp_params *params)
{
    if (config.parallel && config.cores == NULL && config.core_of == NULL) {
        const int most = config.n_cores, n = test_all_cores(&config.cores);

        config.n_cores = most > 0 && most < n ? most : n;
    }
    return test_machine_as(config, params);
}

/* P vps; the delay model becomes the machine's. */
static inline struct logp_machine *test_machine_of(int P, enum logp_clock clock,
                                                   struct logp_delay delay)
{
    return test_machine_with(
        (struct logp_config){
            .n_processors = P, .clock = clock, .parallel = test_parallel(), .delay = delay},
        NULL);
}
#endif

/* P vps; params == NULL: delay none. */
static inline struct logp_machine *test_machine(int P, enum logp_clock clock,
                                                const struct logp_params *params)
{
    struct logp_delay delay = logp_delay_none();

    if (params != NULL)
        cr_assert_eq(logp_delay_create("loggp", params, &delay), 0);
    return test_machine_of(P, clock, delay);
}

static inline void test_machine_end(struct logp_machine **m)
{
    cr_assert_eq(logp_machine_destroy(*m), 0);
}

static inline void test_topology_end(struct logp_topology **t)
{
    logp_topology_destroy(*t);
}

static inline void test_links_end(struct logp_links **links)
{
    logp_links_destroy(*links);
}

static inline void test_explanation_end(struct logp_explanation **e)
{
    logp_explanation_free(*e);
}

/* What a block has until it ends. */
#define TEST_MACHINE __attribute__((cleanup(test_machine_end))) struct logp_machine *
#define TEST_DELAY __attribute__((cleanup(logp_delay_destroy))) struct logp_delay
#define TEST_FAILURE __attribute__((cleanup(logp_failure_free))) struct logp_failure
#define TEST_TOPOLOGY __attribute__((cleanup(test_topology_end))) struct logp_topology *
#define TEST_LINKS __attribute__((cleanup(test_links_end))) struct logp_links *
#define TEST_EXPLANATION __attribute__((cleanup(test_explanation_end))) struct logp_explanation *

static inline struct logp_topology *test_topology(const char *spec, int P)
{
    struct logp_topology *t = NULL;

    cr_assert_eq(logp_topology_create(spec, P, &t), 0, "%s", spec);
    return t;
}

/* Of P ranks, all as before. */
static inline struct logp_links *test_links(int P)
{
    struct logp_links *links = NULL;

    cr_assert_eq(logp_links_create(P, &links), 0);
    return links;
}

/* L, o, g in ns, nothing else. */
static inline struct logp_params test_params(int64_t L, int64_t o, int64_t g)
{
    return (struct logp_params){.L_ns = L, .o_send_ns = o, .o_recv_ns = o, .g_ns = g};
}

/* Run to the end, without an error, nothing left over; destroy. */
static inline void test_run(struct logp_machine *m, logp_program program, void *arg)
{
    cr_assert_eq(logp_machine_run(m, program, arg, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* Run until this error; destroy. */
static inline void test_run_fails(struct logp_machine *m, logp_program program, void *arg,
                                  int error)
{
    cr_assert_eq(logp_machine_run(m, program, arg, test_timeout_ns), error);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* Run so often, until it ends with this each time; destroy. */
static inline void test_run_often(struct logp_machine *m, int n, logp_program program, void *arg,
                                  int rc)
{
    for (int run = 0; run < n; run++)
        cr_assert_eq(logp_machine_run(m, program, arg, test_timeout_ns), rc, "run %d", run);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* Run until it ends with this; destroy. @return the report, with the first 64 waits */
static inline struct logp_report test_report(struct logp_machine *m, logp_program program,
                                             void *arg, int rc)
{
    static struct logp_wait_info waits[64];
    struct logp_report r;

    cr_assert_eq(logp_machine_run(m, program, arg, test_timeout_ns), rc);
    r = *logp_machine_report(m);
    for (int i = 0; i < r.n_waits && i < 64; i++)
        waits[i] = r.waits[i];
    r.waits = waits;
    cr_assert_eq(logp_machine_destroy(m), 0);
    return r;
}

/* On both clocks, without delays and with these. Several cores under the virtual clock need delays. */
static inline void test_run_all(int P, const struct logp_params *params, logp_program program,
                                void *arg)
{
    test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), program, arg);
    test_run(test_machine(P, LOGP_CLOCK_WALL, params), program, arg);
    if (!test_parallel())
        test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, NULL), program, arg);
    test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, params), program, arg);
}

/* A test of one program, which is the body that follows. The last argument runs `program`. */
#define TestProgram(suite, name, ...)                                                              \
    static int suite##_##name##_program(struct logp_vp *vp, void *arg);                            \
    Test(suite, name)                                                                              \
    {                                                                                              \
        const logp_program program = suite##_##name##_program;                                     \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    static int suite##_##name##_program(struct logp_vp *vp, void *arg)

/* Programs that most machines run: nothing, and a barrier. */
static inline int test_nothing(struct logp_vp *vp, void *arg)
{
    return 0;
}

static inline int test_barrier(struct logp_vp *vp, void *arg)
{
    return logp_barrier(vp);
}

/* Until the run's time is over. */
static inline int test_too_long(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    while (rc == 0)
        rc = logp_compute(vp, 1000, NULL, NULL);
    cr_assert_eq(rc, -ETIMEDOUT);
    return rc;
}

/* The d-th rank to the right, around. */
static inline int test_right(const struct logp_vp *vp, int d)
{
    return (logp_vp_rank(vp) + d) % logp_vp_size(vp);
}

/* Element i of the vector of a rank, where tests of calls sum int64. */
static inline int64_t test_element(int rank, int64_t i)
{
    return (rank + 2) * 7919 + i * 104729;
}

/* What ranks first .. last - 1 make of element i. */
static inline int64_t test_sum_of(int first, int last, int64_t i)
{
    int64_t sum = 0;

    for (int rank = first; rank < last; rank++)
        sum += test_element(rank, i);
    return sum;
}

static inline int64_t test_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* For qsort() of int64_t. */
static inline int test_compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: the largest distance of n values, which it sorts, from a distribution. */
static inline double test_distance(int64_t *values, int n, double (*cdf)(double x))
{
    double most = 0;

    qsort(values, (size_t)n, sizeof(*values), test_compare);
    for (int i = 0; i < n; i++) {
        const double x = (double)values[i];
        const double from = i == 0 || values[i] != values[i - 1] ? cdf(x - 0.5) - (double)i / n : 0;
        const double to = i + 1 == n || values[i] != values[i + 1] ? cdf(x) - (i + 1.0) / n : 0;

        most = fmax(most, fmax(fabs(from), fabs(to)));
    }
    return most;
}

/* Give a machine these parameters. */
static inline void test_set_params(struct logp_machine *m, const struct logp_params *params)
{
    struct logp_delay delay;

#ifdef LOGP_TESTS_OVER_PROCESSES
    return;
#endif
    cr_assert_eq(logp_delay_create("loggp", params, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
}

/* A topology as a delay model, with these parameters at the ends. */
static inline struct logp_delay test_on_links(const struct logp_topology *t,
                                              const struct logp_params *params)
{
    struct logp_delay ends, delay;

    cr_assert_eq(logp_delay_create("loggp", params, &ends), 0);
    cr_assert_eq(logp_topology_delay(t, ends, &delay), 0);
    return delay;
}

/* ---- algorithms, by what a collective is given to their functions as ---- */

enum { TEST_MOST_ROWS = 256 };

/* The rows of the table, but those that no model says anything of: where delays are emulated they
 * cannot be run. After the last comes NULL. n: out, if not NULL: how many */
static inline const struct logp_algorithm *const *test_rows(size_t *n)
{
    static const struct logp_algorithm *rows[TEST_MOST_ROWS + 1];
    const struct logp_algorithm *a;
    size_t found = 0;

    for (size_t i = 0; (a = logp_algorithm_at(NULL, i)) != NULL; i++) {
        cr_assert_lt(found, (size_t)TEST_MOST_ROWS);
        if (a->steps != NULL || a->predict != NULL)
            rows[found++] = a;
    }
    if (n != NULL)
        *n = found;
    return rows;
}

static inline struct logp_prediction test_predict(const struct logp_algorithm *a, int64_t P,
                                                  const struct logp_invocation *c)
{
    return logp_algorithm_predict(a, P, &c->args, &c->model);
}

static inline struct logp_prediction test_predict_by(const struct logp_algorithm *a, int64_t P,
                                                     const struct logp_invocation *c,
                                                     enum logp_basis by)
{
    return logp_algorithm_predict_by(a, P, &c->args, &c->model, by);
}

/* logp_algorithm.predict: nothing; and no time at all. */
static inline struct logp_prediction test_unpredicted(int64_t P, const struct logp_invocation *c)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
}

static inline struct logp_prediction test_at_once(int64_t P, const struct logp_invocation *c)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT};
}

static inline const char *test_needs(const struct logp_algorithm *a, int64_t P,
                                     const struct logp_invocation *c)
{
    return logp_algorithm_needs(a, P, &c->args, &c->model);
}

/* May it be chosen? */
static inline bool test_is_candidate(const struct logp_algorithm *a, int64_t P,
                                     const struct logp_invocation *c)
{
    return test_needs(a, P, c) == NULL && logp_algorithm_same_results(a, &c->args);
}

static inline const struct logp_algorithm *test_best(const char *collective, int64_t P,
                                                     const struct logp_invocation *c)
{
    return logp_algorithm_best(collective, P, &c->args, &c->model);
}

/* An experiment with this algorithm and these arguments, which has as long as any test. */
static inline struct logp_experiment test_experiment(const struct logp_algorithm *a,
                                                     const struct logp_args *args, int reps,
                                                     uint64_t seed)
{
    return (struct logp_experiment){.size = sizeof(struct logp_experiment),
                                    .algorithm = a,
                                    .args = *args,
                                    .reps = reps,
                                    .seed = seed,
                                    .timeout_ns = test_timeout_ns};
}

/* Has it this knob? */
static inline bool test_has_knob(const struct logp_algorithm *a, const char *name)
{
    return logp_algorithm_knob(a, logp_knob_find(name), 0, NULL, NULL, NULL);
}

/* The value of a knob that it works with. */
static inline int64_t test_knob(const struct logp_algorithm *a, const char *name, int64_t P,
                                const struct logp_invocation *c)
{
    int64_t value;

    cr_assert(logp_algorithm_knob(a, logp_knob_find(name), P, &c->args, &c->model, &value));
    return value;
}

/* What can be seen of a rank's plan, into c->plan; to be freed with test_unplan(). */
static inline int test_plan(const struct logp_algorithm *a, int P, int rank,
                            struct logp_invocation *c)
{
    struct logp_plan *plan;
    const int *children;
    const int rc = logp_plan_create(a, P, rank, &c->args, &c->model, &plan);

    c->plan = (struct logp_rank_plan){.parent = -1};
    if (rc != 0)
        return rc;
    children = logp_plan_tree(plan, &c->plan.parent, &c->plan.n_children);
    c->plan.children = malloc((size_t)(c->plan.n_children + 1) * sizeof(int));
    for (int i = 0; i < c->plan.n_children; i++)
        c->plan.children[i] = children[i];
    c->plan.own = logp_plan_own(plan);
    logp_plan_destroy(plan);
    return 0;
}

static inline void test_unplan(struct logp_invocation *c)
{
    free(c->plan.children);
    c->plan = (struct logp_rank_plan){.parent = -1};
}

#endif
