/* SPDX-License-Identifier: MIT */
/*
 * Many lives of a machine, with all that can happen in one: broadcasts, messages and requests left
 * behind, errors, deadlocks, a model replaced. A plain program, so that leak checkers see all of
 * it. usage: lifecycle CYCLES EXECUTOR [virtual]
 */
#include <logp/logp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int good(struct logp_vp *vp, void *arg)
{
    char item[5000] = {0};

    (void)arg;
    return logp_broadcast(vp, item, sizeof(item), 1);
}

static int untidy(struct logp_vp *vp, void *arg)
{
    static char buf[100000];
    struct logp_request *r;
    struct logp_pending *p;
    int rc = logp_irecv(vp, LOGP_ANY_SOURCE, 99, buf, 1, &r);

    (void)arg;
    if (rc == 0)
        rc = logp_ibarrier(vp, &p);
    for (int i = 0; rc == 0 && i < 40; i++)
        rc = logp_send(vp, (logp_vp_rank(vp) + i) % logp_vp_size(vp), i, buf,
                       i % 3 == 0 ? sizeof(buf) : (size_t)i);
    return rc;
}

static int failing(struct logp_vp *vp, void *arg)
{
    char c;

    (void)arg;
    return logp_vp_rank(vp) == 1 ? -EIO : logp_recv(vp, 1, 0, &c, 1, NULL);
}

static int deadlocked(struct logp_vp *vp, void *arg)
{
    char c;

    (void)arg;
    return logp_recv(vp, 0, 0, &c, 1, NULL);
}

static void expect(int rc, int wanted, const char *what)
{
    if (rc == wanted)
        return;
    fprintf(stderr, "%s: %d instead of %d\n", what, rc, wanted);
    exit(1);
}

static void live(int P, const char *executor, enum logp_clock clock)
{
    const struct logp_params params = {
        .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400};
    struct logp_config config = {
        .size = sizeof(config), .n_processors = P, .executor = executor, .clock = clock};
    struct logp_delay delay;
    struct logp_machine *m;

    expect(logp_delay_create("logp", &params, &config.delay), 0, "delay");
    expect(logp_machine_create(&config, &m), 0, "create");
    expect(logp_machine_run(m, good, NULL, 0), 0, "good");
    expect(logp_machine_run(m, untidy, NULL, 0), 0, "untidy");
    expect(logp_delay_create("loggp", &params, &delay), 0, "delay");
    expect(logp_machine_set_delay(m, delay, 0), 0, "set_delay");
    expect(logp_machine_run(m, failing, NULL, 0), -EIO, "failing");
    expect(logp_machine_run(m, deadlocked, NULL, 0), -EDEADLK, "deadlocked");
    expect(logp_machine_destroy(m), 0, "destroy");
}

int main(int argc, char **argv)
{
    const int cycles = argc > 1 ? atoi(argv[1]) : 100;
    const bool is_virtual = argc > 3 && strcmp(argv[3], "virtual") == 0;

    for (int i = 0; i < cycles; i++)
        live(2 + i % 7, argc > 2 ? argv[2] : NULL,
             is_virtual || i % 2 == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL);
    printf("%d lives\n", cycles);
    return 0;
}
