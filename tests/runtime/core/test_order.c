/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock gives the same outcome on any number of cores, down to which message each
 * receive takes and which cancel comes too late: random programs of nonblocking receives of all
 * kinds in any order, probes, tests, waits that end, cancels and syncs, with messages that overtake
 * each other, are lost, or come twice. Each wait ends by itself, so no program is a deadlock.
 *
 * LOGP_TEST_CORES is the number of cores, 2 if it is not set; a machine has fewer if they are enough.
 * LOGP_TEST_PROGRAMS is the number of random programs; LOGP_TEST_SEED runs one of them.
 */
#include "random.h"
#include "support.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RANKS = 64,
    STEPS = 40,
    MOST_REQUESTS = 6,
    MOST_BYTES = 64,
    TAGS = 3,
    RESULTS = 7 * STEPS,
    PROGRAMS = 240,
};

/* Named, so that none is left to the system. */
static const int *all_cores(void)
{
    static int cores[MOST_RANKS];

    for (int i = 0; i < MOST_RANKS; i++)
        cores[i] = i;
    return cores;
}

static int cores_to_test(void)
{
    setenv("LOGP_TEST_CORES", "2", 0);
    return atoi(getenv("LOGP_TEST_CORES"));
}

/* What the machine of a program is. */
struct shape {
    int P;
    uint64_t seed;
    struct logp_params params;
    const char *faults, *noise;
    struct logp_latency latency;
};

/* What a rank has seen. */
struct seen {
    int n;
    int64_t results[RESULTS];
};

struct run {
    const struct shape *shape;
    struct seen seen[MOST_RANKS];
    struct logp_report report;
};

static const char *const fault_texts[] = {NULL, "delay:7:0.3", "drop:0.1,dup:0.1", "stop@1:40ns",
                                          "slow:2@1,flip:0.001"};

static struct shape draw_shape(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct shape s = {.seed = seed};

    (void)test_random(&random);
    s.P = one_in(&random, 4) ? MOST_RANKS : 2 + (int)test_below(&random, 16);
    s.params.L_ns = 1 + test_below(&random, 40);
    s.params.o_send_ns = 1 + test_below(&random, 4);
    s.params.o_recv_ns = test_below(&random, 4);
    s.params.g_ns = test_below(&random, 6);
    s.params.G_ps = 700 * test_below(&random, 3);
    s.faults = fault_texts[test_below(&random, 5)];
    s.noise = one_in(&random, 4) ? "uniform:3ns" : NULL;
    s.latency = (struct logp_latency){
        .kind = (enum logp_latency_kind)test_below(&random, LOGP_LATENCY_SAMPLES), .seed = seed};
    return s;
}

static struct logp_delay delay_of(const struct shape *s)
{
    const struct logp_fault_config config = {.size = sizeof(config),
                                             .faults = s->faults,
                                             .noise = s->noise,
                                             .P = s->P,
                                             .unit_ns = 1,
                                             .seed = s->seed};
    char why[LOGP_FAULT_WHY] = "";
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("loggp", &s->params, &delay), 0);
    if (s->latency.kind != LOGP_LATENCY_AS_IS)
        cr_assert_eq(logp_latency_create(&delay, &s->latency, &delay), 0);
    if (s->faults != NULL || s->noise != NULL)
        cr_assert_eq(logp_fault_create(&delay, &config, &delay, why), 0, "%s", why);
    return delay;
}

/* ---- the program ---- */

struct slot {
    struct logp_request *request;
    unsigned char buf[MOST_BYTES];
};

struct actor {
    struct logp_vp *vp;
    struct seen *seen;
    uint64_t random;
    int n_sent;
    struct slot slots[MOST_REQUESTS];
};

static struct actor actors[MOST_RANKS];

static void note(struct actor *a, int64_t result)
{
    if (a->seen->n < RESULTS)
        a->seen->results[a->seen->n++] = result;
}

static void note_message(struct actor *a, int rc, const struct logp_status *s, const void *payload)
{
    int id = -1;

    if (payload != NULL && (rc == 0 || rc == -EMSGSIZE) && s->n_bytes <= MOST_BYTES / 2)
        memcpy(&id, payload, sizeof(id));
    note(a, rc);
    if (rc == 0 || rc == -EMSGSIZE) {
        note(a, s->source * 1000 + s->tag);
        note(a, (int64_t)s->n_bytes);
        note(a, s->arrival_ns);
        note(a, id);
    }
    note(a, logp_now(a->vp));
}

static int any_source(struct actor *a)
{
    return one_in(&a->random, 3) ? LOGP_ANY_SOURCE
                                 : (int)test_below(&a->random, logp_vp_size(a->vp));
}

static int any_tag(struct actor *a)
{
    return one_in(&a->random, 2) ? LOGP_ANY_TAG : (int)test_below(&a->random, TAGS);
}

/* Half of the messages go to few ranks, so that many meet. */
static void send_one(struct actor *a)
{
    const int P = logp_vp_size(a->vp), few = P < 3 ? P : 3;
    const int dst = (int)test_below(&a->random, one_in(&a->random, 3) ? P : few);
    unsigned char bytes[MOST_BYTES] = {0};
    const int id = logp_vp_rank(a->vp) << 16 | a->n_sent++;
    const int tag = (int)test_below(&a->random, TAGS);

    memcpy(bytes, &id, sizeof(id));
    note(a, logp_send(a->vp, dst, tag, bytes, (size_t)(4 << test_below(&a->random, 5))));
}

static void post_one(struct actor *a)
{
    struct slot *s = &a->slots[test_below(&a->random, MOST_REQUESTS)];

    if (s->request == NULL) {
        const int src = any_source(a), tag = any_tag(a);

        note(a, logp_irecv(a->vp, src, tag, s->buf, one_in(&a->random, 8) ? 8 : MOST_BYTES,
                           &s->request));
    }
}

static void cancel_one(struct actor *a)
{
    struct slot *s = &a->slots[test_below(&a->random, MOST_REQUESTS)];
    int rc;

    if (s->request == NULL)
        return;
    rc = logp_cancel(a->vp, s->request);
    note(a, rc);
    if (rc == 0)
        s->request = NULL;
}

static void wait_one(struct actor *a)
{
    struct slot *s = &a->slots[test_below(&a->random, MOST_REQUESTS)];
    struct logp_status status = {0};
    bool done = true;
    int rc;

    if (s->request == NULL)
        return;
    if (one_in(&a->random, 2)) {
        rc = logp_test(a->vp, s->request, &done, &status);
        rc = done ? rc : -ETIME;
    } else {
        rc = logp_wait_until(a->vp, s->request, logp_now(a->vp) + test_below(&a->random, 60),
                             &status);
    }
    if (rc != -ETIME)
        s->request = NULL;
    note_message(a, rc, &status, s->buf);
}

static void wait_any(struct actor *a)
{
    struct logp_request *requests[MOST_REQUESTS];
    struct logp_status status = {0};
    int index = -1, rc;

    for (int i = 0; i < MOST_REQUESTS; i++)
        requests[i] = a->slots[i].request;
    rc = logp_waitany_until(a->vp, requests, MOST_REQUESTS,
                            logp_now(a->vp) + test_below(&a->random, 60), &index, &status);
    note(a, index);
    note_message(a, rc, &status, index >= 0 ? a->slots[index].buf : NULL);
    for (int i = 0; i < MOST_REQUESTS; i++)
        a->slots[i].request = requests[i];
}

static void look(struct actor *a)
{
    const int src = any_source(a), tag = any_tag(a);
    struct logp_status status = {0};
    bool found = true;
    int rc;

    if (one_in(&a->random, 2))
        rc = logp_probe(a->vp, src, tag, &found, &status);
    else
        rc = logp_probe_until(a->vp, src, tag, logp_now(a->vp) + test_below(&a->random, 40),
                              &status);
    note_message(a, found ? rc : -ETIME, &status, NULL);
}

static void receive_in_time(struct actor *a)
{
    unsigned char buf[MOST_BYTES];
    struct logp_status status = {0};
    const int src = any_source(a), tag = any_tag(a);
    const int rc = logp_recv_until(a->vp, src, tag, buf, MOST_BYTES,
                                   logp_now(a->vp) + test_below(&a->random, 60), &status);

    note_message(a, rc, &status, buf);
}

static void pass_time(struct actor *a)
{
    const int64_t ns = test_below(&a->random, 30);

    note(a, one_in(&a->random, 2) ? logp_compute(a->vp, ns, NULL, NULL)
                                  : logp_sleep_until(a->vp, logp_now(a->vp) + ns));
}

static void act(struct actor *a)
{
    static void (*const acts[])(struct actor * a) = {
        send_one, send_one, send_one, post_one,        post_one,  post_one, cancel_one,
        wait_one, wait_any, look,     receive_in_time, pass_time, pass_time};

    acts[test_below(&a->random, sizeof(acts) / sizeof(acts[0]))](a);
}

/* Receives that are left over end with the program. */
static int program(struct logp_vp *vp, void *arg)
{
    struct run *run = arg;
    const int me = logp_vp_rank(vp);
    struct actor *a = &actors[me]; /* messages still come when it has returned */
    int rc = 0;

    *a = (struct actor){
        .vp = vp,
        .seen = &run->seen[me],
        .random = (run->shape->seed << 8 | (uint64_t)me) * UINT64_C(0xbf58476d1ce4e5b9) | 1};
    (void)test_random(&a->random);
    for (int i = 0; i < STEPS && rc == 0; i++) {
        act(a);
        if (i % 16 == 15 && run->shape->faults == NULL) {
            int64_t start = 0;

            rc = logp_sync(vp, &start);
            note(a, start);
        }
    }
    note(a, logp_now(vp));
    return rc;
}

/* ---- the comparison ---- */

static void run_on(struct run *run, const struct shape *s, int n_cores, int lane_slots)
{
    struct logp_machine *m = test_machine_with((struct logp_config){.n_processors = s->P,
                                                                    .clock = LOGP_CLOCK_VIRTUAL,
                                                                    .executor = "fiber",
                                                                    .parallel = n_cores > 1,
                                                                    .n_cores = n_cores,
                                                                    .cores = all_cores(),
                                                                    .lane_slots = lane_slots,
                                                                    .delay = delay_of(s)},
                                               NULL);

    cr_assert_eq(logp_machine_cores(m), n_cores, "P = %d: %d cores, not %d", s->P,
                 logp_machine_cores(m), n_cores);
    *run = (struct run){.shape = s};
    cr_assert_eq(logp_machine_run(m, program, run, test_timeout_ns), 0);
    run->report = *logp_machine_report(m);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

static void compare(const struct run *one, const struct run *several, int cores)
{
    const struct shape *s = one->shape;

    for (int r = 0; r < s->P; r++) {
        const struct seen *a = &one->seen[r], *b = &several->seen[r];

        for (int i = 0; i < a->n || i < b->n; i++)
            cr_assert(i < a->n && i < b->n && a->results[i] == b->results[i],
                      "program %lu, P = %d, %d cores: rank %d: result %d: %ld, on one core %ld",
                      (unsigned long)s->seed, s->P, cores, r, i, (long)b->results[i],
                      (long)a->results[i]);
    }
    cr_assert_eq(one->report.time_ns, several->report.time_ns);
    cr_assert_eq(one->report.messages, several->report.messages);
    cr_assert_eq(one->report.unreceived, several->report.unreceived, "program %lu, %d cores",
                 (unsigned long)s->seed, cores);
}

/* Messages take lanes of the usual length, mailboxes, or lanes that are full after a few. */
static const int lane_slots[] = {0, -1, 1};

static void run_programs(uint64_t first, uint64_t n)
{
    const int n_cores = cores_to_test();
    struct run *one = malloc(sizeof(*one)), *several = malloc(sizeof(*several));

    cr_assert(one != NULL && several != NULL);
    cr_log_info("programs %lu to %lu, each its own seed", (unsigned long)first,
                (unsigned long)(first + n - 1));
    for (uint64_t seed = first; seed < first + n; seed++) {
        const struct shape s = draw_shape(seed);
        const int on_one = (s.P + n_cores - 1) / n_cores, n_here = (s.P + on_one - 1) / on_one;

        run_on(one, &s, 1, 0);
        run_on(several, &s, n_here, lane_slots[seed % 3]);
        compare(one, several, n_here);
    }
    free(one);
    free(several);
}

Test(order, random_programs_see_the_same_on_any_number_of_cores)
{
    const char *programs = getenv("LOGP_TEST_PROGRAMS"), *single = getenv("LOGP_TEST_SEED");

    if (single != NULL)
        run_programs(strtoul(single, NULL, 10), 1);
    else
        run_programs(1, programs != NULL ? strtoul(programs, NULL, 10) : PROGRAMS / TEST_SCALE);
}

/* ---- messages that overtake each other ---- */

enum { LOOKAHEAD_NS = 40, SLOW_NS = 100, SLOW_BYTES = 8, FAST_BYTES = 4, SENT_AT = 20 };

/* The model `logp`, in which some messages take longer. */
static struct logp_delay_ops logp_ops;

static void send_some_slowly(void *model, struct logp_port *port, struct logp_transfer *t)
{
    logp_ops.send(model, port, t);
    if (t->n_bytes == SLOW_BYTES)
        t->arrival += SLOW_NS;
}

static struct logp_delay overtaking_delay(struct logp_delay_ops *ops)
{
    const struct logp_params params = {.L_ns = LOOKAHEAD_NS, .o_send_ns = 1, .o_recv_ns = 1};
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("logp", &params, &delay), 0);
    cr_assert_eq(logp_delay_functions(&delay, &logp_ops), 0);
    *ops = logp_ops;
    ops->send = send_some_slowly;
    delay.ops = ops;
    return delay;
}

/* What rank 0 does at `at`, with a receive of any tag from rank 1 posted, while rank 1 sends a slow message and a
 * fast one. */
struct overtaking {
    int64_t at;
    bool cancels; /* else it posts a receive from any source */
    bool
        races; /* rank 0 acts when rank 1 has sent, though at an earlier time: they have a core each */
    atomic_bool has_sent;
    struct seen seen;
};

static void overtake_wait(struct actor *a, struct slot *s)
{
    struct logp_status status = {0};
    const int rc = logp_wait(a->vp, s->request, &status);

    note_message(a, rc, &status, s->buf);
}

static int overtake(struct logp_vp *vp, void *arg)
{
    struct overtaking *o = arg;
    struct actor *a = &actors[logp_vp_rank(vp)];
    unsigned char bytes[SLOW_BYTES] = {0};
    int rc;

    *a = (struct actor){.vp = vp, .seen = &o->seen};
    if (logp_vp_rank(vp) == 1) {
        rc = logp_sleep_until(vp, SENT_AT);
        rc = rc == 0 ? logp_send(vp, 0, 1, bytes, SLOW_BYTES) : rc;
        bytes[0] = 1;
        rc = rc == 0 ? logp_send(vp, 0, 2, bytes, FAST_BYTES) : rc;
        atomic_store(&o->has_sent, true);
        return rc;
    }
    rc = logp_irecv(vp, 1, LOGP_ANY_TAG, a->slots[0].buf, MOST_BYTES, &a->slots[0].request);
    if (rc == 0)
        rc = logp_sleep_until(vp, o->at);
    while (o->races && !atomic_load(&o->has_sent))
        sched_yield();
    if (rc == 0 && o->cancels) {
        rc = logp_cancel(vp, a->slots[0].request);
        note(a, rc);
        a->slots[0].request = rc == 0 ? NULL : a->slots[0].request;
        rc = 0;
    } else if (rc == 0) {
        rc = logp_irecv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, a->slots[1].buf, MOST_BYTES,
                        &a->slots[1].request);
    }
    for (int i = 1; i >= 0 && rc == 0; i--)
        if (a->slots[i].request != NULL)
            overtake_wait(a, &a->slots[i]);
    return rc;
}

static void run_overtaking(struct overtaking *o, int n_cores)
{
    static struct logp_delay_ops ops;
    struct logp_machine *m =
        test_machine_with((struct logp_config){.n_processors = 2,
                                               .clock = LOGP_CLOCK_VIRTUAL,
                                               .executor = "fiber",
                                               .parallel = n_cores > 1,
                                               .n_cores = n_cores,
                                               .cores = all_cores(),
                                               .delay = overtaking_delay(&ops)},
                          NULL);

    cr_assert_eq(logp_machine_cores(m), n_cores);
    o->races = n_cores > 1 && o->at < LOOKAHEAD_NS;
    cr_assert_eq(logp_machine_run(m, overtake, o, test_timeout_ns),
                 0); /* after a cancel one is left */
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(order, a_receive_and_a_cancel_see_what_was_sent_before_and_nothing_later)
{
    static const int64_t times[] = {0,           SENT_AT - 1, SENT_AT,
                                    SENT_AT + 1, SENT_AT + 2, LOOKAHEAD_NS + 50};

    cores_to_test();
    for (size_t i = 0; i < 2 * sizeof(times) / sizeof(times[0]); i++) {
        struct overtaking one = {.at = times[i / 2], .cancels = i % 2 != 0}, two = one;

        run_overtaking(&one, 1);
        run_overtaking(&two, 2);
        cr_assert_eq(one.seen.n, two.seen.n);
        for (int k = 0; k < one.seen.n; k++)
            cr_assert_eq(one.seen.results[k], two.seen.results[k],
                         "%s at %ld: result %d: %ld, on one core %ld",
                         one.cancels ? "cancel" : "receive", (long)one.at, k,
                         (long)two.seen.results[k], (long)one.seen.results[k]);
    }
}
