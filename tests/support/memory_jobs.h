/* SPDX-License-Identifier: MIT */
/* Lives of machines on a host without memory. */
#ifndef LOGP_TESTS_MEMORY_JOBS_H
#define LOGP_TESTS_MEMORY_JOBS_H

#include "short_of_memory.h"

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 250, .g_ns = 400, .G_ps = 300, .gamma_ps = 100};

static const int64_t replaced_L_ns = 900;
static const int64_t run_timeout_ns = INT64_C(20000000000);

/* What runs where. */
struct job {
    const char *name;
    int P;
    enum logp_clock clock;
    const char *model;
    int64_t capacity;
    logp_program program;
    const int *cores;
    int n_cores;                              /* at most; 0: one */
    const struct logp_experiment *experiment; /* in place of the program */
    int64_t replace_at;                       /* > 0: with a new model from then on */
    bool replaced_inside;                     /* or at once, by rank 0 */
};

/* L: of a model that replaces another; 0: of the first */
static inline int make_model(const struct job *j, int64_t L, struct logp_delay *out)
{
    struct logp_params p = params;
    int rc;

    p.capacity = j->capacity;
    if (L > 0)
        p.L_ns = L;
    *out = (struct logp_delay){0};
    rc = logp_delay_create(j->model, &p, out);
    return rc == 0 && out->ops == NULL && strcmp(j->model, "none") != 0 ? -EPROTO : rc;
}

static inline int create(const struct job *j, struct logp_machine **out)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = j->P,
                                 .clock = j->clock,
                                 .executor = test_executor(),
                                 .stacks = test_stacks(),
                                 .cores = j->cores,
                                 .n_cores = j->n_cores > 0 ? j->n_cores : 1};
    int rc = make_model(j, 0, &config.delay);

    if (rc != 0)
        return rc;
    rc = logp_machine_create(&config, out);
    if (rc != 0)
        logp_delay_destroy(&config.delay); /* still ours */
    return rc;
}

/* A new model for the machine, as its owner orders it. */
static inline int replace(struct logp_machine *m, const struct job *j, int64_t at_ns)
{
    struct logp_delay delay;
    int rc = make_model(j, replaced_L_ns, &delay);

    if (rc != 0)
        return rc;
    rc = logp_machine_set_delay(m, delay, at_ns);
    if (rc != 0)
        logp_delay_destroy(&delay);
    return rc;
}

static inline int run(struct logp_machine *m, struct job *j)
{
    struct logp_record r;
    int rc = j->replace_at > 0 ? replace(m, j, j->replace_at) : 0;

    if (rc != 0)
        return rc;
    if (j->experiment == NULL)
        return logp_machine_run(m, j->program, j, run_timeout_ns);
    rc = logp_experiment_run(m, j->experiment, &r);
    return rc == 0 && !r.verified ? -EPROTO : rc;
}

/* A whole life. A machine whose run has failed for lack of memory is as good as new. */
static inline int live(void *arg)
{
    struct job *j = arg;
    struct logp_machine *m;
    int rc = create(j, &m);

    if (rc != 0)
        return rc;
    rc = run(m, j);
    if (rc == -ENOMEM)
        cr_assert_eq(run(m, j), 0, "%s: the second run", j->name);
    cr_assert_eq(logp_machine_destroy(m), 0);
    return rc;
}

#endif
