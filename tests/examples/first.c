/* SPDX-License-Identifier: MIT */
/* A first program: a token goes once around a ring of processors, and each adds its rank to it. */
#include <logp/logp.h>
#include <stdio.h>

/* What every processor executes. A function of the library that fails says so with a negative
 * number; returned from here, it stops the whole run. */
static int program(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    int token = 0, rc = 0;

    (void)arg;
    if (me > 0) /* rank 0 begins */
        rc = logp_recv(vp, me - 1, 0, &token, sizeof(token), NULL);
    token += me;
    if (rc == 0)
        rc = logp_send(vp, (me + 1) % P, 0, &token, sizeof(token));
    if (rc == 0 && me == 0)
        rc = logp_recv(vp, P - 1, 0, &token, sizeof(token), NULL);
    printf("rank %d: the token says %d at %lld ns\n", me, token, (long long)logp_now(vp));
    return rc;
}

int main(void)
{
    /* A message takes its sender and its receiver 2 us each, and 6 us on its way. */
    const struct logp_params params = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
    /* Under the virtual clock time jumps: a run is exact and always the same. With
     * LOGP_CLOCK_WALL every wait is real. */
    struct logp_config config = {
        .size = sizeof(config), .n_processors = 4, .clock = LOGP_CLOCK_VIRTUAL};
    struct logp_machine *machine;
    int rc;

    if (logp_delay_create("logp", &params, &config.delay) != 0 ||
        logp_machine_create(&config, &machine) != 0)
        return 1;
    rc = logp_machine_run(machine, program, NULL, 0);
    if (rc != 0)
        logp_report_print(machine, stderr); /* which call of which rank failed, or who waits */
    return rc || logp_machine_destroy(machine);
}
