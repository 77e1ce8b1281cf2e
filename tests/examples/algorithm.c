/* SPDX-License-Identifier: MIT */
/*
 * An algorithm of one's own: a broadcast along a tree in which each processor has three children.
 * It is written as the steps of a processor, and from these come its check, its prediction and its
 * run, which is held against those of the library.
 */
#include <logp/logp.h>
#include <stdio.h>

/* Step i of a rank: first from the parent, then to the children; false: it is through. */
static bool ternary_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const int64_t v = (rank - c->args.root + P) % P; /* its place in the tree: the root is 0 */
    int64_t child;

    if (v > 0 && i-- == 0)
        return logp_step_receive(out, ((v - 1) / 3 + c->args.root) % P, c->args.tag, LOGP_BUF, 0,
                                 c->args.n_bytes);
    child = 3 * v + 1 + i;
    return i < 3 && child < P &&
           logp_step_send(out, (child + c->args.root) % P, c->args.tag, LOGP_BUF, 0,
                          c->args.n_bytes);
}

static const struct logp_algorithm ternary = {
    LOGP_ALGORITHM("broadcast", "ternary", "three children each", "this file"),
    .steps = ternary_steps};

/* Run it once, every result checked, and compare. @return is all as it should be? */
static bool measure(struct logp_machine *machine, const char *name)
{
    const struct logp_experiment experiment = {.size = sizeof(experiment),
                                               .algorithm = logp_algorithm_find("broadcast", name),
                                               .reps = 1,
                                               .args = {.n_bytes = 8}};
    struct logp_record record;

    if (logp_experiment_run(machine, &experiment, &record) != 0)
        return false;
    printf("%-10s predicted %4lld us, took %4lld us\n", name,
           (long long)record.prediction.ns / 1000, (long long)record.emulated.median_ns / 1000);
    return record.verified && record.emulated.median_ns == record.prediction.ns;
}

int main(void)
{
    const struct logp_params params = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
    struct logp_config config = {
        .size = sizeof(config), .n_processors = 40, .clock = LOGP_CLOCK_VIRTUAL};
    const char *const names[] = {"chain", "flat", "binary", "ternary", "binomial", "optimal"};
    struct logp_machine *machine;

    if (logp_algorithm_add(&ternary) != 0 ||
        logp_delay_create("logp", &params, &config.delay) != 0 ||
        logp_machine_create(&config, &machine) != 0)
        return 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!measure(machine, names[i]))
            return 1;
    return logp_machine_destroy(machine);
}
