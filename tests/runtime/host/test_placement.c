/* SPDX-License-Identifier: MIT */
/* Which core carries which rank: logp_config.placement and core_of, and placements by traffic. */
#define _GNU_SOURCE
#include "random_program.h"
#include "support.h"

#include <sched.h>

enum { P = 8 };

static uint64_t seeded(uint64_t seed)
{
    cr_log_info("seed %lu", (unsigned long)seed);
    return seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

/* The cores of a machine of P. */
static int n_host_cores(void)
{
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, NULL);

    return logp_machine_cores(m);
}

static int note_cpu(struct logp_vp *vp, void *arg)
{
    ((int *)arg)[logp_vp_rank(vp)] = sched_getcpu();
    return 0;
}

/* The machine says where each rank is, and there it runs. */
static void check_cpus(struct logp_machine *m, const int *wanted)
{
    int cpu[P], of_core[P];

    for (int core = 0; core < P; core++)
        of_core[core] = -1;
    cr_assert_eq(logp_machine_run(m, note_cpu, cpu, test_timeout_ns), 0);
    for (int rank = 0; rank < P; rank++) {
        const int core = logp_machine_core_of(m, rank);

        cr_assert_eq(core, wanted[rank], "rank %d is on %d", rank, core);
        if (of_core[core] < 0)
            of_core[core] = cpu[rank];
        cr_assert_eq(of_core[core], cpu[rank], "rank %d", rank);
    }
    cr_assert_eq(logp_machine_core_of(m, -1), -1);
    cr_assert_eq(logp_machine_core_of(m, P), -1);
}

Test(placement, block_is_the_default)
{
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, NULL);
    const int n = logp_machine_cores(m);
    int wanted[P], rank = 0;

    for (int core = 0; core < n; core++)
        for (int i = 0; i < P / n + (core < P % n); i++)
            wanted[rank++] = core;
    check_cpus(m, wanted);
}

Test(placement, round_robin_deals_the_ranks)
{
    TEST_MACHINE m = test_machine_with((struct logp_config){.n_processors = P,
                                                            .placement = LOGP_PLACE_ROUND_ROBIN,
                                                            .delay = logp_delay_none()},
                                       NULL);
    int wanted[P];

    for (int rank = 0; rank < P; rank++)
        wanted[rank] = rank % logp_machine_cores(m);
    check_cpus(m, wanted);
}

Test(placement, given_cores_carry_their_ranks)
{
    const int n = n_host_cores() < P / 2 ? n_host_cores() : P / 2; /* each has a pair */
    struct logp_machine *m;
    int core_of[P], wanted[P];

    for (int rank = 0; rank < P; rank++)
        wanted[rank] = core_of[rank] = (rank / 2 + n - 1) % n;
    m = test_machine_with(
        (struct logp_config){.n_processors = P, .core_of = core_of, .delay = logp_delay_none()},
        NULL);
    memset(core_of, 0, sizeof(core_of)); /* it was copied */
    check_cpus(m, wanted);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* A placement may use fewer cores than there are, and cores may carry different numbers. */
Test(placement, a_machine_has_the_cores_that_are_named)
{
    const int core_of[P] = {0};
    TEST_MACHINE m = test_machine_with(
        (struct logp_config){.n_processors = P, .core_of = core_of, .delay = logp_delay_none()},
        NULL);

    cr_assert_eq(logp_machine_cores(m), 1);
    check_cpus(m, core_of);
}

static int created(struct logp_config config)
{
    TEST_MACHINE m = NULL;
    const int rc = logp_machine_create(&config, &m);

    return rc;
}

Test(placement, wrong_ones_are_refused)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .executor = test_executor(),
                                       .delay = logp_delay_none()};
    struct logp_config c = config;
    int core_of[P] = {0};

    c.placement = (enum logp_placement)7;
    cr_assert_eq(created(c), -EINVAL);
    c.placement = LOGP_PLACE_ROUND_ROBIN;
    c.core_of = core_of;
    cr_assert_eq(created(c), -EINVAL);
    c.placement = LOGP_PLACE_BLOCK;
    cr_assert_eq(created(c), 0);
    core_of[3] = -1;
    cr_assert_eq(created(c), -EINVAL);
    core_of[3] = n_host_cores();
    cr_assert_eq(created(c), -EINVAL);
    for (int i = 0; i < P; i++)
        core_of[i] = 1; /* the first has none */
    cr_assert_eq(created(c), -EINVAL);
    c.clock = LOGP_CLOCK_VIRTUAL;
    cr_assert_eq(created(c), 0);
    c.parallel = true;
    cr_assert_eq(created(c), -EINVAL);
}

/* Whatever the placement is, each vp takes what was sent to it, and the virtual clock on several
 * cores ends as on one. */
static void run_random_program(uint64_t *random, enum logp_clock clock)
{
    static struct random_program g;
    static struct random_run run = {.g = &g};
    const int n = n_host_cores();
    struct random_outcome simulated;
    int core_of[MOST_P];
    struct logp_config config = {.clock = clock,
                                 .parallel = clock == LOGP_CLOCK_VIRTUAL,
                                 .core_of = core_of,
                                 .lane_slots = one_in(random, 2) ? 0 : -1};

    do
        random_generate(&g, random, MOST_P);
    while (g.rendezvous_from > 0 || !random_has_lookahead(&g));
    for (int i = 0; i < MOST_P; i++)
        core_of[i] = i < n ? n - 1 - i : (int)test_below(random, n);
    config.n_processors = g.P;
    if (g.P < n)
        return;
    cr_assert_eq(random_delay(&g, &config.delay), 0);
    TEST_MACHINE m = test_machine_with(config, NULL);
    cr_assert_eq(logp_machine_run(m, random_run, &run, test_timeout_ns), 0);
    if (clock == LOGP_CLOCK_WALL) {
        cr_assert_eq(random_unsound(&g, &run.out), -1);
        return;
    }
    cr_assert_eq(random_simulate(&g, &simulated), 0);
    cr_assert_eq(random_differ(&g, &run.out, &simulated), -1);
}

Test(placement, messages_arrive_whatever_it_is)
{
    uint64_t random = seeded(20261);

    for (int i = 0; i < 300 / test_divisor() + 1; i++)
        run_random_program(&random, LOGP_CLOCK_WALL);
}

Test(placement, the_virtual_clock_does_not_depend_on_it)
{
    uint64_t random = seeded(20262);

    for (int i = 0; i < 300 / test_divisor() + 1; i++)
        run_random_program(&random, LOGP_CLOCK_VIRTUAL);
}

static int wait_in_a_ring(struct logp_vp *vp, void *arg)
{
    return logp_recv(vp, (logp_vp_rank(vp) + 1) % P, 0, NULL, 0, NULL);
}

Test(placement, deadlocks_are_found)
{
    struct logp_machine *m = test_machine_with(
        (struct logp_config){
            .n_processors = P, .placement = LOGP_PLACE_ROUND_ROBIN, .delay = logp_delay_none()},
        NULL);

    test_run_fails(m, wait_in_a_ring, NULL, -EDEADLK);
}

static int send_to_next(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    const int rc = logp_send(vp, (me + 1) % P, me, NULL, 0);

    return rc != 0 ? rc : logp_recv(vp, (me + P - 1) % P, (me + P - 1) % P, NULL, 0, NULL);
}

/* The events of a trace are those of their ranks. */
Test(placement, a_trace_is_by_rank)
{
    TEST_MACHINE m = test_machine_with(
        (struct logp_config){.n_processors = P, .placement = LOGP_PLACE_ROUND_ROBIN}, &test_6us);
    const struct logp_trace_config config = {.size = sizeof(config)};
    struct logp_trace *trace;

    cr_assert_eq(logp_machine_trace(m, &config), 0);
    cr_assert_eq(logp_machine_run(m, send_to_next, NULL, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_take_trace(m, &trace), 0);
    for (int rank = 0; rank < P; rank++) {
        size_t n, sends = 0;
        const struct logp_event *e = logp_trace_events(trace, rank, &n);

        for (size_t i = 0; i < n; i++)
            if (e[i].kind == LOGP_EVENT_SEND) {
                cr_assert_eq(e[i].tag, rank);
                sends++;
            }
        cr_assert_eq(sends, 1);
    }
    logp_trace_free(trace);
}

/* ---- by traffic ---- */

static int64_t weight_between(const struct logp_traffic *t, size_t n, const int *core_of)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if (core_of[t[i].from] != core_of[t[i].to])
            sum += t[i].messages + t[i].bytes / 64;
    return sum;
}

/* Cores carry as many ranks as others, within one. */
static void check_balance(const int *core_of, int n_ranks, int n_cores)
{
    int counts[64] = {0};

    for (int r = 0; r < n_ranks; r++) {
        cr_assert(core_of[r] >= 0 && core_of[r] < n_cores);
        counts[core_of[r]]++;
    }
    for (int core = 0; core < n_cores; core++)
        cr_assert(counts[core] == n_ranks / n_cores || counts[core] == n_ranks / n_cores + 1);
}

/* Pairs far apart in rank, and groups dealt like cards: nothing has to go between cores. */
Test(placement, partners_share_a_core)
{
    struct logp_traffic pairs[8], groups[96];
    int core_of[16];
    size_t n = 0;

    for (int i = 0; i < 8; i++)
        pairs[i] = (struct logp_traffic){i, 15 - i, 10, 80};
    for (int n_cores = 1; n_cores <= 8; n_cores *= 2) {
        cr_assert_eq(logp_place_traffic(16, pairs, 8, n_cores, core_of), 0);
        check_balance(core_of, 16, n_cores);
        cr_assert_eq(weight_between(pairs, 8, core_of), 0);
    }
    for (int i = 0; i < 16; i++)
        for (int k = i + 1; k < 16; k++)
            if (i % 4 == k % 4)
                groups[n++] = (struct logp_traffic){k, i, 1, 0};
    cr_assert_eq(logp_place_traffic(16, groups, n, 4, core_of), 0);
    check_balance(core_of, 16, 4);
    cr_assert_eq(weight_between(groups, n, core_of), 0);
}

/* Ranks 2i and 2i + 1 share a core. Cores of the same parity of i's bits exchange a little: each four
 * are neighbours, in one half of all cores. */
Test(placement, cores_that_exchange_most_are_neighbours)
{
    struct logp_traffic t[64];
    int core_of[16];
    size_t n = 0;

    for (int i = 0; i < 8; i++) {
        t[n++] = (struct logp_traffic){2 * i, 2 * i + 1, 20, 0};
        for (int k = i + 1; k < 8; k++)
            if (__builtin_parity((unsigned)(i ^ k)) == 0)
                t[n++] = (struct logp_traffic){2 * k, 2 * i, 3, 0};
    }
    cr_assert_eq(logp_place_traffic(16, t, n, 8, core_of), 0);
    check_balance(core_of, 16, 8);
    for (int r = 0; r < 16; r++) {
        cr_assert_eq(core_of[r], core_of[r ^ 1]);
        cr_assert_eq(core_of[r] / 4 == core_of[0] / 4, __builtin_parity((unsigned)r / 2) == 0,
                     "rank %d is on core %d, rank 0 on core %d", r, core_of[r], core_of[0]);
    }
}

/* Of 9 ranks the least cut between two cores, found by trying all, with small random weights. */
static int64_t least_cut(const struct logp_traffic *t, size_t n)
{
    int64_t least = INT64_MAX;

    for (unsigned set = 0; set < 1u << 9; set++) {
        int core_of[9];

        if (__builtin_popcount(set) != 5)
            continue;
        for (int r = 0; r < 9; r++)
            core_of[r] = (set >> r & 1) != 0;
        if (weight_between(t, n, core_of) < least)
            least = weight_between(t, n, core_of);
    }
    return least;
}

Test(placement, the_cut_is_near_the_least)
{
    uint64_t random = seeded(20263);
    int64_t found = 0, least = 0;

    for (int turn = 0; turn < 200; turn++) {
        struct logp_traffic t[20];
        int core_of[9];

        for (int i = 0; i < 20; i++)
            t[i] = (struct logp_traffic){(int)test_below(&random, 9), (int)test_below(&random, 9),
                                         (int64_t)test_below(&random, 5),
                                         (int64_t)test_below(&random, 500)};
        cr_assert_eq(logp_place_traffic(9, t, 20, 2, core_of), 0);
        check_balance(core_of, 9, 2);
        found += weight_between(t, 20, core_of);
        least += least_cut(t, 20);
    }
    cr_assert_leq(found * 100, least * 105, "%lld, %lld", (long long)found, (long long)least);
}

/* Never worse than block or round robin, whatever the numbers of ranks and cores. */
Test(placement, it_is_no_worse_than_the_simple_ones)
{
    uint64_t random = seeded(20264);

    for (int turn = 0; turn < 100; turn++) {
        const int n_ranks = 1 + (int)test_below(&random, 60),
                  n_cores = 1 + (int)test_below(&random, 12),
                  used = n_cores < n_ranks ? n_cores : n_ranks;
        struct logp_traffic t[200];
        int core_of[64], block[64], dealt[64], rank = 0;

        for (int i = 0; i < 200; i++)
            t[i] = (struct logp_traffic){(int)test_below(&random, n_ranks),
                                         (int)test_below(&random, n_ranks), 1,
                                         (int64_t)test_below(&random, 5000)};
        for (int core = 0; core < used; core++)
            for (int i = 0; i < n_ranks / used + (core < n_ranks % used); i++)
                block[rank++] = core;
        for (int r = 0; r < n_ranks; r++)
            dealt[r] = r % used;
        cr_assert_eq(logp_place_traffic(n_ranks, t, 200, n_cores, core_of), 0);
        check_balance(core_of, n_ranks, used);
        cr_assert_leq(weight_between(t, 200, core_of), weight_between(t, 200, block));
        cr_assert_leq(weight_between(t, 200, core_of), weight_between(t, 200, dealt));
    }
}

Test(placement, a_schedule_tells_its_traffic)
{
    const struct logp_args args = {.n_bytes = 8};
    const struct logp_network network = {.params = test_6us};
    const struct logp_algorithm *a = logp_algorithm_find("alltoall", "pairwise"),
                                *tree = logp_algorithm_find("broadcast", "chain");
    struct logp_schedule s[2];
    int core_of[P];

    cr_assert(a != NULL && tree != NULL);
    s[0] = logp_schedule_of(tree, P, &args, &network);
    cr_assert_eq(logp_place_schedules(s, 1, 0, 2, core_of), 0);
    for (int rank = 1; rank < P; rank++) /* a chain has one message between two halves */
        cr_assert((core_of[rank] != core_of[rank - 1]) == (rank == P / 2));
    s[1] = logp_schedule_of(a, P, &args, &network);
    cr_assert_eq(logp_place_schedules(s, 2, 0, 2, core_of), 0);
    cr_assert_eq(logp_place_schedules(s, 2, 20, 2, core_of), -E2BIG);
    cr_assert_eq(logp_place_schedules(s, 0, 0, 2, core_of), -EINVAL);
    s[1].P = 4;
    cr_assert_eq(logp_place_schedules(s, 2, 0, 2, core_of), -EINVAL);
}

Test(placement, wrong_traffic_is_refused)
{
    struct logp_traffic t = {0, 1, 1, 8};
    int core_of[P] = {0};

    cr_assert_eq(logp_place_traffic(0, &t, 1, 2, core_of), -EINVAL);
    cr_assert_eq(logp_place_traffic(LOGP_PLACE_MAX + 1, &t, 1, 2, core_of), -EINVAL);
    cr_assert_eq(logp_place_traffic(1, &t, 1, 2, core_of), -EINVAL);
    cr_assert_eq(logp_place_traffic(P, &t, 1, 0, core_of), -EINVAL);
    t.messages = -1;
    cr_assert_eq(logp_place_traffic(P, &t, 1, 2, core_of), -EINVAL);
    t = (struct logp_traffic){0, 1, INT64_MAX, INT64_MAX};
    cr_assert_eq(logp_place_traffic(P, &t, 1, 2, core_of), 0);
    cr_assert_eq(core_of[0], core_of[1]);
    cr_assert_eq(logp_place_traffic(P, NULL, 0, 2, core_of), 0);
}
