/* SPDX-License-Identifier: MIT */
/*
 * Sends that wait for their receivers: random programs, held against their simulation.
 */
#include "own_clock.h"
#include "random_program.h"
#include "rendezvous.h"

enum { RANKS = 5, OPS = 12 };

static void add(struct random_program *r, int rank, struct sim_op op)
{
    op.id = r->n_messages++;
    r->ops[rank][r->n_ops[rank]++] = op;
}

/* Every message has its receive; whether they come in an order in which all get through is left to
 * chance. */
static void make_program(struct random_program *r, const struct logp_params *p, uint64_t seed)
{
    uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    *r = (struct random_program){.P = 2 + (int)test_below(&s, RANKS - 1), .params = *p};
    r->rendezvous_from = 1 + test_below(&s, 60);
    for (int n = 3 + (int)test_below(&s, 4 * r->P); n > 0; n--) {
        const int a = (int)test_below(&s, r->P);
        const int b = (a + 1 + (int)test_below(&s, r->P - 1)) % r->P;
        const int tag = (int)test_below(&s, 2);
        const size_t n_bytes = (size_t)test_below(&s, 80);
        const struct sim_op send = {SEND, b, tag, n_bytes, 0, 0};
        const struct sim_op receive = {RECV, a, tag, 0, 0, 0};
        const int64_t what = test_below(&s, 6);

        if (r->n_ops[a] == OPS || r->n_ops[b] == OPS)
            break;
        if (what == 0) {
            add(r, a, (struct sim_op){COMPUTE, NONE, 0, 0, test_below(&s, 500), 0});
        } else if (what == 1) { /* both ways at once */
            add(r, a, (struct sim_op){EXCHANGE, b, tag, n_bytes, 0, 0});
            add(r, b, (struct sim_op){EXCHANGE, a, tag, n_bytes / 2, 0, 0});
        } else if (what == 2) {
            add(r, a, (struct sim_op){ISEND, b, tag, n_bytes, test_below(&s, 900), 0});
            add(r, b, receive);
        } else if (what == 3 && r->n_ops[a] > 0) { /* late, perhaps too late */
            struct sim_op *last = &r->ops[a][r->n_ops[a] - 1];

            add(r, a, *last);
            *last = send;
            last->id = r->n_messages++;
            add(r, b, receive);
        } else {
            add(r, a, send);
            add(r, b, receive);
        }
    }
}

static struct random_program r;
static struct random_run run = {.g = &r};
static struct random_outcome expected;

/* Nodes, and costs between them: an answer takes the way back. */
static struct logp_links *some_links(int P, uint64_t seed)
{
    uint64_t s = seed * UINT64_C(0xd1342543de82ef95) | 1;
    const struct logp_rank_range src = {(int)test_below(&s, P), P - 1}, dst = {0, 0};
    const struct logp_link_costs between = {test_below(&s, 900), test_below(&s, 40),
                                            test_below(&s, 40), test_below(&s, 90), LOGP_AS_BEFORE};
    const struct logp_link_costs back = {test_below(&s, 900), -1, -1, -1, -1};
    struct logp_links *links;

    cr_assert_eq(logp_links_create(P, &links), 0);
    cr_assert_eq(logp_links_nodes(links, 1 + test_below(&s, 3), &between), 0);
    cr_assert_eq(
        logp_links_set(links, &(struct logp_ranks){&src, 1}, &(struct logp_ranks){&dst, 1}, &back),
        0);
    return links;
}

Test(rendezvous_rule, random_programs_take_what_the_rule_says)
{
    int through = 0, stuck = 0;

    for (uint64_t seed = 0; seed < 3000 / (uint64_t)test_divisor(); seed++) {
        const struct logp_params *p = &all_params[seed % 2];
        struct logp_network network = {.params = *p};
        TEST_LINKS links = NULL;
        TEST_MACHINE m = NULL;
        int rc, due;

        make_program(&r, p, seed);
        if (seed % 3 == 0)
            network.links = r.links = links = some_links(r.P, seed);
        if (seed % 4 == 1)
            network.ports = r.ports = 2 + (int64_t)(seed / 4 % 3);
        network.rendezvous_from = r.rendezvous_from;
        due = random_simulate(&r, &expected);
        m = test_machine_with((struct logp_config){.n_processors = r.P,
                                                   .clock = LOGP_CLOCK_VIRTUAL,
                                                   .network = &network},
                              NULL);
        rc = logp_machine_run(m, random_run, &run, test_timeout_ns);
        cr_assert_eq(rc, due, "seed %d: %d", (int)seed, rc);
        if (rc == 0)
            cr_assert_eq(random_differ(&r, &run.out, &expected), NONE, "seed %d: rank %d",
                         (int)seed, random_differ(&r, &run.out, &expected));
        through += rc == 0;
        stuck += rc != 0;
    }
    cr_expect_gt(through, 0);
    cr_expect_gt(stuck, 0);
}

/* On several cores, in real time: who gets through, and never early. */
Test(rendezvous_rule, random_programs_are_never_early_on_the_wall_clock)
{
    static const struct logp_params p = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};

    for (uint64_t seed = 0; seed < 150 / (uint64_t)test_divisor(); seed++) {
        TEST_MACHINE m = NULL;
        int rc, due;

        make_program(&r, &p, seed);
        due = random_simulate(&r, &expected);
        m = machine_of(r.P, LOGP_CLOCK_WALL, seed % 2 == 0 ? &p : NULL, r.rendezvous_from);
        rc = logp_machine_run(m, random_run, &run, test_timeout_ns);
        cr_assert_eq(rc, due, "seed %d: %d", (int)seed, rc);
        for (int i = 0; rc == 0 && seed % 2 == 0 && i < r.P; i++)
            cr_assert_geq(run.out.end[i], expected.end[i], "seed %d: rank %d is early", (int)seed,
                          i);
    }
}

/* A clock that the test controls: what a reading takes is all that is added. */
Test(rendezvous_rule, emulated_times_are_right_on_the_wall_clock)
{
    static const struct logp_params p = {
        .L_ns = 600000, .o_send_ns = 20000, .o_recv_ns = 30000, .g_ns = 40000};

    for (uint64_t seed = 0; seed < 40 / TEST_SCALE + 2; seed++) {
        struct own_clock c = own_clock();
        TEST_MACHINE m = NULL;

        c.step = 50;
        make_program(&r, &p, seed);
        if (random_simulate(&r, &expected) != 0)
            continue;
        m = own_clock_machine(r.P, &c, &p);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, r.rendezvous_from), 0);
        cr_assert_eq(logp_machine_run(m, random_run, &run, test_timeout_ns), 0);
        for (int i = 0; i < r.P; i++)
            cr_assert(run.out.end[i] >= expected.end[i] &&
                          run.out.end[i] < expected.end[i] + p.o_send_ns / 2,
                      "seed %d: rank %d ends at %lld, by the rule %lld", (int)seed, i,
                      (long long)run.out.end[i], (long long)expected.end[i]);
    }
}
