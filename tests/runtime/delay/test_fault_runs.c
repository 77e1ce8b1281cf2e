/* SPDX-License-Identifier: MIT */
/*
 * Machines with faults and noise: each kind strikes where it should, on both clocks; a run ends,
 * whatever is lost, and says why; and where nothing is left to chance the fold says exactly what
 * the virtual clock does.
 */
#include "struck.h"

enum { LONG = 100000 };

/* ---- messages ---- */

/* Rank 0 sends n_bytes to 1, which receives as many as arrive, and then waits for one that does
 * not. */
struct sent {
    size_t n_bytes;
    int arrive;
    unsigned char out[LONG], in[2][LONG];
};

static int send_one(struct logp_vp *vp, void *arg)
{
    struct sent *s = arg;

    if (logp_vp_rank(vp) == 0)
        TRY(logp_send(vp, 1, 5, s->out, s->n_bytes));
    for (int i = 0; logp_vp_rank(vp) == 1 && i < s->arrive; i++)
        TRY(logp_recv(vp, 0, 5, s->in[i], s->n_bytes, NULL));
    if (logp_vp_rank(vp) == 1)
        TRY(logp_recv(vp, 0, 6, NULL, 0, NULL));
    return 0;
}

static int differing_bits(const unsigned char *a, const unsigned char *b, size_t n)
{
    int bits = 0;

    for (size_t i = 0; i < n; i++)
        bits += __builtin_popcount(a[i] ^ b[i]);
    return bits;
}

/* One message of so many bytes, of which so many copies arrive with so many bits flipped. */
static void check_message(const char *faults, size_t n_bytes, int arrive, int flipped)
{
    static struct sent s;

    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine_of(2, (enum logp_clock)i, struck(2, faults, NULL, 1));

        s.n_bytes = n_bytes;
        s.arrive = arrive;
        for (size_t k = 0; k < n_bytes; k++)
            s.out[k] = (unsigned char)(k * 7);
        memset(s.in, 0xff, sizeof(s.in));
        cr_assert_eq(logp_machine_run(m, send_one, &s, test_timeout_ns), -EDEADLK);
        cr_assert_eq(logp_machine_report(m)->unreceived, 0);
        cr_assert_eq(logp_machine_report(m)->messages, 1);
        cr_assert_eq(logp_machine_report(m)->n_waits, 1);
        cr_assert_eq(logp_machine_report(m)->waits[0].tag, 6);
        for (int k = 0; k < arrive; k++)
            cr_assert_eq(differing_bits(s.in[k], s.out, n_bytes), flipped);
        for (size_t k = 0; k < n_bytes; k++)
            cr_assert_eq(s.out[k], (unsigned char)(k * 7));
    }
}

Test(fault_runs, a_message_is_lost_comes_twice_or_with_a_bit_flipped)
{
    const size_t sizes[] = {1, 8, 100, 5000, LONG};

    for (int i = 0; i < 5; i++) {
        check_message("drop:1", sizes[i], 0, 0);
        check_message("dup:1", sizes[i], 2, 0);
        check_message("flip:1", sizes[i], 1, 1);
        check_message("dup:1,flip:1", sizes[i], 2, 1);
        check_message("dup:1,flip:1,cut@0-1", sizes[i], 0, 0);
        check_message("cut@0-1,dup:1,flip:1", sizes[i], 0, 0);
        check_message("cut@1-0", sizes[i], 1, 0);
    }
    check_message("flip:1", 0, 1, 0);
    check_message("dup:1", 0, 2, 0);
}

/* The first strike is told; counts are of all runs since the seed was set. */
Test(fault_runs, what_has_struck_is_counted_and_listed)
{
    struct logp_delay d = struck(2, "dup:1,flip:1,delay:2", NULL, 1);
    TEST_MACHINE m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, d);
    struct logp_fault_counts counts;
    struct logp_fault_event events[4];
    static struct sent s = {.n_bytes = 8, .arrive = 1};

    for (int i = 1; i <= 3; i++) {
        cr_assert_eq(logp_machine_run(m, send_one, &s, test_timeout_ns), -EDEADLK);
        cr_assert_eq(logp_machine_report(m)->unreceived, 1);
        logp_fault_counts(d.model, &counts);
        cr_assert_eq(counts.dropped, 0);
        cr_assert_eq(counts.duplicated, (uint64_t)i);
        cr_assert_eq(counts.flipped, (uint64_t)i);
        cr_assert_eq(counts.delayed, (uint64_t)i);
    }
    logp_fault_seed(d.model, 2);
    cr_assert_eq(logp_fault_events(d.model, events, 4), 0);
    cr_assert_eq(logp_machine_run(m, send_one, &s, test_timeout_ns), -EDEADLK);
    cr_assert_eq(logp_fault_events(d.model, events, 4), 3);
    cr_assert(events[0].src == 0 && events[0].dst == 1 && events[0].number == 0);
}

static bool not_the_flip(void *arg, const struct logp_fault_event *event)
{
    ++*(int *)arg;
    return strcmp(event->kind, "flip") != 0;
}

Test(fault_runs, a_strike_can_be_called_off)
{
    struct logp_delay d = struck(2, "dup:1,flip:1,delay:2", NULL, 1);
    TEST_MACHINE m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, d);
    static struct sent s = {.n_bytes = 8, .arrive = 2};
    struct logp_fault_counts counts;
    int asked = 0;

    if (!test_parallel()) {
        logp_fault_ask(d.model, not_the_flip, &asked);
        cr_assert_eq(logp_machine_run(m, send_one, &s, test_timeout_ns), -EDEADLK);
        cr_assert_eq(asked, 3);
        cr_assert_eq(differing_bits(s.in[1], s.out, 8), 0);
        logp_fault_counts(d.model, &counts);
        cr_assert(counts.flipped == 0 && counts.duplicated == 1 && counts.delayed == 1);
        cr_assert_eq(logp_fault_events(d.model, NULL, 0), 2);
    }
}

/* A send that waits for its receiver: its request, or its payload, can be lost like any message. */
static int exchange(struct logp_vp *vp, void *arg)
{
    unsigned char *in = arg;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 5, "abc", 3);
    return logp_recv(vp, 0, 5, in, 3, NULL);
}

Test(fault_runs, sends_that_wait_for_their_receiver_are_struck_too)
{
    static const struct {
        const char *faults;
        int rc, unreceived, flipped;
    } cases[] = {{"drop:1", -EDEADLK, 0, 0},
                 {"drop:1@:9..", -EDEADLK, 0, 0}, /* the payload alone */
                 {"dup:1", 0, 1, 0},
                 {"flip:1", 0, 0, 1}};

    if (test_shares_stack())
        return;
    for (int i = 0; i < 4; i++) {
        TEST_MACHINE m = struck_machine(2, LOGP_CLOCK_VIRTUAL, cases[i].faults, NULL);
        unsigned char in[3] = {0};

        cr_assert_eq(logp_machine_set_rendezvous_from(m, 1), 0);
        cr_assert_eq(logp_machine_run(m, exchange, in, test_timeout_ns), cases[i].rc);
        cr_assert_eq(logp_machine_report(m)->unreceived, (uint64_t)cases[i].unreceived);
        if (cases[i].rc == 0)
            cr_assert_eq(differing_bits(in, (const unsigned char *)"abc", 3), cases[i].flipped);
    }
}

/* Its payload is lost: a receive that has an end misses it then, whenever that is. */
static int give_up(struct logp_vp *vp, void *until)
{
    const int64_t ends[] = {*(int64_t *)until, 1000000};
    char in[3];

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 5, "abc", 3);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(logp_recv_until(vp, 0, 5, in, 3, ends[i], NULL), -ETIME);
        cr_assert_eq(logp_now(vp), ends[i]);
    }
    return 0;
}

Test(fault_runs, a_receive_with_an_end_misses_a_lost_payload)
{
    if (test_shares_stack())
        return;
    for (int64_t until = 1; until < 100000; until += 1 + until / 8) {
        TEST_MACHINE m = struck_machine(2, LOGP_CLOCK_VIRTUAL, "drop:1@:9..", NULL);

        cr_assert_eq(logp_machine_set_rendezvous_from(m, 1), 0);
        cr_assert_eq(logp_machine_run(m, give_up, &until, test_timeout_ns), 0);
    }
}

/* ---- processors ---- */

/* What rank 1 does when it stops, after 20 us; the others wait for nobody. */
enum way { SENDS, RECEIVES, COMPUTES, POLLS, SYNCS, STARTS, WAYS };

struct stopping {
    enum way way;
    int rc, again; /* of the call in which it stopped, and of the next */
    int64_t at;
};

static int one_way(struct logp_vp *vp, enum way way)
{
    struct logp_request *r = NULL;
    bool found;
    int rc;

    switch (way) {
    case SENDS:
        return logp_send(vp, 0, 1, NULL, 0);
    case RECEIVES:
        return logp_recv(vp, 0, 1, NULL, 0, NULL);
    case COMPUTES:
        return logp_compute(vp, 3000, NULL, NULL);
    case POLLS:
        return logp_probe(vp, 0, 7, &found, NULL);
    case STARTS:
        rc = logp_isend(vp, 0, 1, NULL, 0, &r);
        return rc == 0 ? logp_wait(vp, r, NULL) : rc;
    default:
        rc = logp_compute(vp, 1000, NULL, NULL);
        return rc == 0 ? 0 : logp_sync(vp, NULL);
    }
}

static int goes_on(struct logp_vp *vp, void *arg)
{
    struct stopping *s = arg;
    int rc = 0;

    for (int i = 0; logp_vp_rank(vp) == 0 && s->way == RECEIVES && i < 20; i++)
        rc = logp_send(vp, 1, 1, NULL, 0);
    if (logp_vp_rank(vp) == 0)
        return rc;
    while (rc == 0)
        rc = one_way(vp, s->way);
    s->rc = rc;
    s->again = one_way(vp, s->way == RECEIVES || s->way == POLLS ? SENDS : s->way);
    s->at = logp_now(vp);
    return rc;
}

Test(fault_runs, a_processor_that_stops_is_silent_and_the_run_ends)
{
    for (int i = 0; i < 2; i++)
        for (int way = 0; way < WAYS; way++) {
            TEST_MACHINE m = struck_machine(2, (enum logp_clock)i, "stop@1:20", NULL);
            const struct logp_report *r = logp_machine_report(m);
            struct stopping s = {.way = (enum way)way};

            cr_assert_eq(logp_machine_run(m, goes_on, &s, test_timeout_ns), 0, "%d", way);
            cr_assert_eq(s.rc, -EHOSTDOWN);
            cr_assert_eq(s.again, -EHOSTDOWN);
            cr_assert_geq(s.at, 20000);
            cr_assert_eq(r->error_rank, -1);
            cr_assert_eq(r->n_waits, 1);
            cr_assert_eq(r->waits[0].rank, 1);
            cr_assert_eq(r->waits[0].kind, LOGP_WAIT_HALTED);
            /* and the next run begins anew */
            s.rc = 0;
            cr_assert_eq(logp_machine_run(m, goes_on, &s, test_timeout_ns), 0);
            cr_assert_eq(s.rc, -EHOSTDOWN);
        }
}

/* Who waits for one that has stopped is told so. */
static int waits_for_it(struct logp_vp *vp, void *arg)
{
    if (logp_vp_rank(vp) == 1) {
        const int rc = logp_compute(vp, 30000, NULL, NULL);

        return rc == 0 ? logp_send(vp, 0, 4, NULL, 0) : rc;
    }
    return logp_vp_rank(vp) == 0 ? logp_recv(vp, 1, 4, NULL, 0, NULL) : logp_sync(vp, NULL);
}

Test(fault_runs, a_deadlock_names_who_has_stopped)
{
    for (int i = 0; i < 2; i++) {
        const struct logp_report r = test_report(
            struck_machine(3, (enum logp_clock)i, "stop@1:20", NULL), waits_for_it, NULL, -EDEADLK);

        cr_assert_eq(r.n_waits, 3);
        cr_assert_eq(r.waits[0].kind, LOGP_WAIT_RECV);
        cr_assert_eq(r.waits[0].source, 1);
        cr_assert_eq(r.waits[1].kind, LOGP_WAIT_HALTED);
        cr_assert_eq(r.waits[2].kind, LOGP_WAIT_SYNC);
    }
}

/* -EHOSTDOWN of a processor that has not stopped is an error like any other. */
TestProgram(fault_runs, an_error_of_ones_own_stays_one,
            cr_assert_eq(test_report(struck_machine(3, LOGP_CLOCK_VIRTUAL, "stop@2:20", NULL),
                                     program, NULL, -EHOSTDOWN)
                             .error_rank,
                         1))
{
    return logp_vp_rank(vp) == 1 ? -EHOSTDOWN : 0;
}

/* ---- times: by hand ---- */

/* Rank 0 computes 10 us and sends one byte to 1. When it is free again, and when 1 is. */
static int compute_and_send(struct logp_vp *vp, void *arg)
{
    int64_t *at = arg;

    if (logp_vp_rank(vp) == 0)
        OK(logp_compute(vp, 10000, NULL, NULL));
    OK(logp_vp_rank(vp) == 0 ? logp_send(vp, 1, 0, "x", 1)
                             : logp_recv(vp, 0, 0, &(char){0}, 1, NULL));
    at[logp_vp_rank(vp)] = logp_now(vp);
    return 0;
}

Test(fault_runs, times_are_those_worked_out_by_hand)
{
    static const struct {
        const char *faults, *noise;
        int64_t at[2];
    } cases[] = {
        {NULL, NULL, {12000, 21000}},
        {"slow:2@0", NULL, {24000, 33000}},
        {"slow:2@1", NULL, {12000, 24000}},
        {"delay:3", NULL, {12000, 33000}},
        {"delay:3@1-0", NULL, {12000, 21000}},
        {"stop@0:5..8", NULL, {15000, 24000}},
        {"stop@0:11..20", NULL, {21000, 30000}},
        {"stop@0:10..20", NULL, {22000, 31000}},
        {"stop@1:18..30", NULL, {12000, 33000}},
        {NULL, "fixed:500ns", {12500, 22000}},
        {NULL, "tick:5us:1us:0", {15000, 24000}},
        {"slow:2@1", "fixed:1", {13000, 27000}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t at[2] = {-1, -1};

        test_run(struck_machine(2, LOGP_CLOCK_VIRTUAL, cases[i].faults, cases[i].noise),
                 compute_and_send, at);
        cr_assert_eq(at[0], cases[i].at[0], "%zu: %ld", i, (long)at[0]);
        cr_assert_eq(at[1], cases[i].at[1], "%zu: %ld", i, (long)at[1]);
        /* no call returns sooner on the wall clock */
        test_run(struck_machine(2, LOGP_CLOCK_WALL, cases[i].faults, cases[i].noise),
                 compute_and_send, at);
        if (cases[i].faults == NULL && strncmp(cases[i].noise ? cases[i].noise : "", "t", 1) != 0)
            cr_assert(at[0] >= cases[i].at[0] && at[1] >= cases[i].at[1], "%zu", i);
    }
}

/* Rank 0 sends two messages; when 1 has both. */
static int send_two(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < 2; i++)
        OK(logp_vp_rank(vp) == 0 ? logp_send(vp, 1, 0, NULL, 0)
                                 : logp_recv(vp, 0, 0, NULL, 0, NULL));
    if (logp_vp_rank(vp) == 1)
        *(int64_t *)arg = logp_now(vp);
    return 0;
}

/* The first receive starts at 20 us, and the second a gap later. */
Test(fault_runs, the_gap_counts_from_where_a_receive_has_started)
{
    int64_t at = -1;

    test_run(struck_machine(2, LOGP_CLOCK_VIRTUAL, "stop@1:..20", NULL), send_two, &at);
    cr_assert_eq(at, 27000);
}

/* Times of faults count from the last common start. */
static int after_a_start(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, start;

    OK(logp_compute(vp, 50000, NULL, NULL));
    OK(logp_sync(vp, &start));
    OK(logp_compute(vp, 10000, NULL, NULL));
    if (logp_vp_rank(vp) == 0)
        *took = logp_now(vp) - start;
    return 0;
}

Test(fault_runs, time_begins_anew_with_a_common_start)
{
    int64_t took;

    test_run(struck_machine(3, LOGP_CLOCK_VIRTUAL, "slow:3@0:..5", NULL), after_a_start, &took);
    cr_assert_eq(took, 30000);
    test_run(struck_machine(3, LOGP_CLOCK_WALL, "stop@0:..90", NULL), after_a_start, &took);
    cr_assert_geq(took, 100000);
}

/* ---- the fold ---- */

/* All rows under what is not left to chance. */
Test(fault_runs, the_fold_is_the_virtual_clock_to_the_nanosecond)
{
    static const struct {
        const char *faults, *noise;
    } cases[] = {{"slow:2@0,slow:1.5@2:10..40,delay:2@1-", "fixed:300ns"},
                 {"stop@0:5..9,stop@3:20..31", "tick:7us:900ns:2us"},
                 {"delay:1.7@2=0", "tick:3us:100ns:0,fixed:11ns@1"}};
    const int sizes[] = {1, 2, 5, 8, 9};
    struct logp_params with_gamma = params;
    int done = 0;

    with_gamma.gamma_ps = 700000;
    for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++)
        for (int k = 0; k < 5 * 3; k++) {
            const int P = sizes[k / 3];
            const struct logp_network network = {.params = with_gamma};
            struct logp_delay d =
                struck_with(&with_gamma, 9, cases[k % 3].faults, cases[k % 3].noise, 1);
            struct logp_experiment x = experiment((*row)->collective, (*row)->name, 1);
            struct logp_machine *m;
            struct logp_schedule s;
            struct logp_record r;
            struct logp_fold fold;

            x.args.rows = x.args.cols = P;
            s = logp_schedule_of(*row, P, &x.args, &network);
            if (s.steps == NULL || logp_algorithm_needs(*row, P, &x.args, &network) != NULL) {
                logp_delay_destroy(&d);
                continue;
            }
            cr_assert_eq(logp_schedule_fold(&s, &d, 0, &fold), 0, "%s", (*row)->name);
            m = test_machine_of(P, LOGP_CLOCK_VIRTUAL, d);
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0, "%s", (*row)->name);
            cr_assert(r.verified, "%s %s", (*row)->collective, (*row)->name);
            cr_assert_eq(fold.ns, r.emulated.median_ns, "%s %s P %d case %d: %ld %ld",
                         (*row)->collective, (*row)->name, P, k % 3, (long)fold.ns,
                         (long)r.emulated.median_ns);
            cr_assert_eq(logp_machine_destroy(m), 0);
            done++;
        }
    cr_assert_gt(done, 300);
}

/* Around links that differ: overheads are those of the link. */
Test(fault_runs, links_keep_their_parameters)
{
    TEST_LINKS links = test_links(4);
    const struct logp_fault_config config = {
        .size = sizeof(config), .faults = "slow:2@0", .noise = "fixed:100", .P = 4, .unit_ns = 1};
    const struct logp_link_costs far = {9000, 2500, 3500, 6000, LOGP_AS_BEFORE};
    struct logp_experiment x = experiment("broadcast", "binomial", 1);
    const struct logp_network network = {.params = params};
    const struct logp_schedule s = logp_schedule_of(x.algorithm, 4, &x.args, &network);
    struct logp_delay inner, d;
    struct logp_machine *m;
    struct logp_record r;
    int64_t rank_ns[4] = {0};
    struct logp_fold plain, fold;
    char why[LOGP_FAULT_WHY];

    cr_assert_eq(logp_links_nodes(links, 2, &far), 0);
    cr_assert_eq(logp_links_delay(links, &params, &inner), 0);
    cr_assert_eq(logp_schedule_fold(&s, &inner, 0, &plain), 0);
    cr_assert_eq(logp_fault_create(&inner, &config, &d, why), 0, "%s", why);
    cr_assert_eq(d.ops->link(d.model, 0, 3)->L_ns, 9000);
    cr_assert_eq(d.ops->link(d.model, 0, 1)->L_ns, params.L_ns);
    cr_assert_eq(logp_schedule_fold(&s, &d, 0, &fold), 0);
    cr_assert_gt(fold.ns, plain.ns);
    m = test_machine_of(4, LOGP_CLOCK_VIRTUAL, d);
    x.rank_ns = rank_ns;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(rank_ns[i], -1); /* failed runs would be in it */
    cr_assert(r.verified);
    cr_assert_eq(r.emulated.median_ns, fold.ns);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(fault_runs, the_fold_refuses_what_may_lose_messages)
{
    const struct logp_experiment x = experiment("broadcast", "binomial", 1);
    const struct logp_network network = {.params = params};
    const struct logp_schedule s = logp_schedule_of(x.algorithm, 4, &x.args, &network);
    static const char *const faults[] = {"drop:0.1", "stop@1:5"};

    for (int i = 0; i < 2; i++) {
        TEST_DELAY d = struck(4, faults[i], NULL, 1);
        struct logp_fold fold;

        cr_assert_eq(logp_schedule_fold(&s, &d, 0, &fold), -ENOTSUP);
    }
}
