/* SPDX-License-Identifier: MIT */
/* A life of a machine, with all that can happen in one: broadcasts, messages and requests left
 * behind, errors, deadlocks, a model replaced. Whatever is not as it must be ends the process. */
#ifndef LOGP_TESTS_LIFE_H
#define LOGP_TESTS_LIFE_H

#include <logp/logp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static inline int life_good(struct logp_vp *vp, void *arg)
{
    char item[5000] = {0};

    (void)arg;
    return logp_broadcast(vp, item, sizeof(item), 1);
}

static inline int life_untidy(struct logp_vp *vp, void *arg)
{
    static char buf[100000];
    struct logp_request *r;
    struct logp_request *p;
    int rc = logp_irecv(vp, LOGP_ANY_SOURCE, 99, buf, 1, &r);

    (void)arg;
    if (rc == 0)
        rc = logp_ibarrier(vp, &p);
    for (int i = 0; rc == 0 && i < 40; i++)
        rc = logp_send(vp, (logp_vp_rank(vp) + i) % logp_vp_size(vp), i, buf,
                       i % 13 == 0 ? sizeof(buf) : (size_t)i);
    return rc;
}

static inline int life_failing(struct logp_vp *vp, void *arg)
{
    char c;

    (void)arg;
    return logp_vp_rank(vp) == 1 ? -EIO : logp_recv(vp, 1, 0, &c, 1, NULL);
}

static inline int life_deadlocked(struct logp_vp *vp, void *arg)
{
    char c;

    (void)arg;
    return logp_recv(vp, 0, 0, &c, 1, NULL);
}

static inline void life_expect(int rc, int wanted, const char *what)
{
    if (rc == wanted)
        return;
    fprintf(stderr, "%s: %d instead of %d\n", what, rc, wanted);
    exit(1);
}

static inline void live(int P, const char *executor, enum logp_clock clock)
{
    const struct logp_params params = {
        .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400};
    struct logp_config config = {
        .size = sizeof(config), .n_processors = P, .executor = executor, .clock = clock};
    struct logp_delay delay;
    struct logp_machine *m;

    life_expect(logp_delay_create("logp", &params, &config.delay), 0, "delay");
    life_expect(logp_machine_create(&config, &m), 0, "create");
    life_expect(logp_machine_run(m, life_good, NULL, 0), 0, "good");
    life_expect(logp_machine_run(m, life_untidy, NULL, 0), 0, "untidy");
    life_expect(logp_delay_create("loggp", &params, &delay), 0, "delay");
    life_expect(logp_machine_set_delay(m, delay, 0), 0, "set_delay");
    life_expect(logp_machine_run(m, life_failing, NULL, 0), -EIO, "failing");
    life_expect(logp_machine_run(m, life_deadlocked, NULL, 0), -EDEADLK, "deadlocked");
    life_expect(logp_machine_destroy(m), 0, "destroy");
}

#endif
