/* SPDX-License-Identifier: MIT */
/*
 * A delay model of one's own: processors stand in racks, and a message from one rack to another is
 * longer on its way. Which broadcast suffers least from that?
 */
#include <logp/logp.h>
#include <stdio.h>

enum { P = 32, OVERHEAD_NS = 500, GAP_NS = 1000, NEAR_NS = 2000, FAR_NS = 20000 };

/* The model's own: how many processors a rack has. */
struct racks {
    int size;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When could this send begin? */
static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model;
    t->start = later(t->ready, port->send_next);
    t->done = t->start + OVERHEAD_NS;
}

/* It does: when is the sender free again, and when does the message arrive? */
static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct racks *r = model;

    t->done = t->start + OVERHEAD_NS;
    t->arrival = t->done + (t->src / r->size == t->dst / r->size ? NEAR_NS : FAR_NS);
    port->send_start = t->start;
    port->send_next = t->start + GAP_NS;
}

/* The same for its receive. */
static void receive(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model;
    t->start = later(later(t->ready, t->arrival), port->recv_start + GAP_NS);
    t->done = t->start + OVERHEAD_NS;
    port->recv_start = t->start;
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops), .name = "racks", .start = start, .send = send, .recv = receive};

/* How long a broadcast takes, in ns; -1: something went wrong. */
static int64_t broadcast_ns(const char *algorithm, struct racks *racks)
{
    const struct logp_experiment experiment = {.size = sizeof(experiment),
                                               .algorithm =
                                                   logp_algorithm_find("broadcast", algorithm),
                                               .reps = 1,
                                               .args = {.n_bytes = 8}};
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .delay = {&ops, racks}};
    struct logp_machine *machine;
    struct logp_record record;

    if (logp_machine_create(&config, &machine) != 0)
        return -1;
    if (logp_experiment_run(machine, &experiment, &record) != 0 || !record.verified)
        return -1;
    return logp_machine_destroy(machine) == 0 ? record.emulated.median_ns : -1;
}

int main(void)
{
    const char *const names[] = {"chain", "flat", "binary", "binomial"};
    struct racks one = {P}, four = {P / 4};

    printf("broadcast  in one rack, ns  in four\n");
    for (int i = 0; i < 4; i++) {
        const int64_t near = broadcast_ns(names[i], &one), far = broadcast_ns(names[i], &four);

        if (near < 0 || far < 0)
            return 1;
        printf("%-9s  %15lld  %7lld\n", names[i], (long long)near, (long long)far);
    }
    return 0;
}
