/* SPDX-License-Identifier: MIT */
/*
 * What any thread may call at any time is called by several at once: machines are made and used,
 * and the tables looked up. A thread sanitizer sees what they share (preset tsan).
 */
#include "support.h"

#include <logp/paper.h>

#include <pthread.h>

enum { N_THREADS = 4, ROUNDS = 20 };

static pthread_barrier_t begin;

static int sum_ranks(struct logp_vp *vp, void *arg)
{
    int64_t own = logp_vp_rank(vp), all = 0;

    OK(logp_allreduce(vp, &own, &all, 1, logp_op_find("sum", "int64")));
    return all == 6 ? 0 : -EPROTO;
}

static int use_machine(int round)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 4,
                                 .delay = logp_delay_none(),
                                 .executor = "fiber",
                                 .n_cores = 1};
    struct logp_machine *m;
    int rc;

    config.clock = round % 2 == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL;
    if (round % 4 == 1 && logp_delay_create("loggp", &test_600ns, &config.delay) != 0)
        return -ENOMEM;
    rc = logp_machine_create(&config, &m);
    if (rc != 0)
        return rc;
    rc = logp_machine_run(m, sum_ranks, NULL, test_timeout_ns);
    if (logp_machine_destroy(m) != 0)
        return -EBUSY;
    return rc;
}

/* A transport that there is not: why is each thread's own. */
static int ask_in_vain(void)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = 2,
                                       .delay = logp_delay_none(),
                                       .transport = "pigeon"};
    struct logp_machine *m;

    return logp_machine_create(&config, &m) == -ENOENT && *logp_transport_error() == '\0' ? 0
                                                                                          : -EPROTO;
}

/* All that is listed by number. */
static int poll_mail(void)
{
    const struct logp_args args = {.n_bytes = 8};
    const struct logp_network model = {.params = test_600ns};
    struct logp_host host;
    int n = 0;

    while (logp_delay_model_at((size_t)n) != NULL)
        n++;
    for (size_t i = 0; logp_machine_file_at(i) != NULL; i++)
        n++;
    n += logp_preset_at(0) != NULL;
    for (size_t i = 0; logp_executor_at(i) != NULL; i++)
        n++;
    for (size_t i = 0; logp_collective_at(i) != NULL; i++)
        n++;
    if (logp_algorithm_best("broadcast", 8, &args, &model) == NULL || logp_host_info(&host) != 0)
        return -EPROTO;
    return n > 0 ? 0 : -EPROTO;
}

static void *at_once(void *arg)
{
    int *const rc = arg;

    pthread_barrier_wait(&begin);
    for (int i = 0; *rc == 0 && i < ROUNDS; i++) {
        *rc = poll_mail();
        if (*rc == 0)
            *rc = use_machine(i);
        if (*rc == 0)
            *rc = ask_in_vain();
    }
    return NULL;
}

Test(beside, machines_of_several_threads)
{
    pthread_t threads[N_THREADS];
    int rcs[N_THREADS] = {0};

    cr_assert_eq(pthread_barrier_init(&begin, NULL, N_THREADS), 0);
    for (int i = 0; i < N_THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, at_once, &rcs[i]), 0);
    for (int i = 0; i < N_THREADS; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
        cr_expect_eq(rcs[i], 0, "thread %d: %s", i, strerror(-rcs[i]));
    }
    pthread_barrier_destroy(&begin);
}
