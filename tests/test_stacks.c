/* SPDX-License-Identifier: MIT */
/* The stacks of vps: what their owners keep there stays, and costs no more memory than it must. */
#include "support.h"

#include <stdio.h>
#include <unistd.h>

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    cr_assert(f != NULL && fscanf(f, "%*s %ld", &pages) == 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Frames of half a KiB, a wait in each; what was written before is there afterwards. */
static int descend(struct logp_vp *vp, int depth, int most)
{
    volatile unsigned char frame[512];
    int rc;

    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = (unsigned char)(depth * 7 + logp_vp_rank(vp) + (int)i);
    rc = logp_barrier(vp);
    if (rc == 0 && depth < most)
        rc = descend(vp, depth + 1, most);
    for (size_t i = 0; i < sizeof(frame); i++)
        cr_assert_eq(frame[i], (unsigned char)(depth * 7 + logp_vp_rank(vp) + (int)i));
    return rc;
}

static int go_down(struct logp_vp *vp, void *arg)
{
    return descend(vp, 1, *(const int *)arg);
}

static const struct logp_params params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4};

static struct logp_machine *deep_machine(int P)
{
    struct logp_config config = {.n_processors = P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = test_executor(),
                                 .stacks = test_stacks(),
                                 .stack_bytes = 1 << 20};
    struct logp_machine *m;

    cr_assert_eq(logp_delay_create("loggp", &params, &config.delay), 0);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    return m;
}

/* 20 stacks of 240 KiB are 5 MiB; kept at every depth they were passed at they would be 750. */
Test(stacks, memory_is_that_of_the_deepest)
{
    struct logp_machine *m = deep_machine(20);
    int most = 300;
    const long before = resident_kib();

    for (int i = 0; i < 3; i++)
        cr_assert_eq(logp_machine_run(m, go_down, &most, test_timeout_ns), 0);
    if (TEST_SCALE == 1) /* sanitizers have a memory of their own */
        cr_expect_leq(resident_kib() - before, 100 * 1024);
    most = 3;
    cr_assert_eq(logp_machine_run(m, go_down, &most, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}
