/* SPDX-License-Identifier: MIT */
/*
 * bench_soak --messages: machines of all shapes under stress (tests/support/stress.h): lanes long, short
 * and absent, payloads small and long, with and without offers that are taken back, messages from
 * outside, queues with space for few messages, threads and fibers.
 */
#include "soak.h"
#include "stress.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SMALL = 2000000, LONG = 100000 }; /* messages of a part */

static const int lane_slots[] = {0, 0, 0, 16, 2, 1, -1};

#define DRAW(part, of) ((of)[soak_below((part), sizeof(of) / sizeof((of)[0]))])

struct outside {
    struct logp_machine *m;
    struct stress *s;
    pthread_t thread;
    atomic_bool ended; /* the run is over: no vp receives messages any more */
    int rc;
};

/* Inject messages, repeatedly while they are refused because no programs run yet. */
static void *inject(void *arg)
{
    struct outside *o = arg;

    do
        o->rc = stress_inject(o->m, o->s);
    while (o->rc == -ESRCH && !atomic_load(&o->ended));
    return NULL;
}

/* @return as logp_machine_run() */
static int run(struct logp_machine *m, struct stress *s)
{
    struct outside o = {.m = m, .s = s};
    int rc;

    if (s->outside == 0)
        return soak_run(m, stress_program, s);
    logp_machine_expect(m, true);
    rc = -pthread_create(&o.thread, NULL, inject, &o);
    if (rc != 0)
        return rc;
    rc = soak_run(m, stress_program, s);
    atomic_store(&o.ended, true);
    pthread_join(o.thread, NULL);
    return rc != 0 ? rc : o.rc;
}

static int64_t messages(struct soak_part *part)
{
    const bool all_wait = soak_below(part, 4) == 0;
    const int P = 2 + (int)soak_below(part, soak_below(part, 4) == 0 ? 31 : 7);
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .delay = logp_delay_none(),
                                 .executor = soak_below(part, 3) == 0 ? "thread" : "fiber",
                                 .lane_slots = DRAW(part, lane_slots),
                                 .yield_seed = soak_below(part, 2) == 0 ? part->random : 0};
    struct stress s = {.P = P, .seed = part->random, .ends = soak_below(part, 2) == 0};
    const bool limited = soak_below(part, 4) == 0;
    const uint64_t pairs = (uint64_t)(P * (P - 1));
    uint64_t wanted = SMALL, sent;
    struct logp_machine *m;
    int rc;

    if (all_wait)
        return soak_exchange(part);
    if (soak_below(part, 4) == 0) {
        s.largest = 1 + soak_below(part, 50000);
        wanted = LONG;
    } else if (soak_below(part, 4) == 0) {
        s.largest = 1 + soak_below(part, 200);
    }
#ifdef __SANITIZE_THREAD__
    wanted /= 20;
#endif
    if (limited) { /* space for a few messages a processor, and always for one of the longest */
        config.queue_limit = (size_t)P * (4096 + soak_below(part, 65536)) + 2 * s.largest;
        s.limited = true;
    }
    s.per_pair = wanted / pairs + 1;
    if (soak_below(part, 4) == 0 && !limited) /* a vp that waits for space does not receive them */
        s.outside = wanted / (uint64_t)P / 20;
    snprintf(part->what, sizeof(part->what),
             "P %d, %s, %d slots, payload <= %zu, %s%s%s%llu from outside", P, config.executor,
             config.lane_slots, s.largest, config.yield_seed != 0 ? "yields, " : "",
             s.ends ? "waits that end, " : "", s.limited ? "little room, " : "",
             (unsigned long long)s.outside);
    rc = logp_machine_create(&config, &m);
    if (rc != 0)
        return rc;
    rc = run(m, &s);
    sent = pairs * s.per_pair + (uint64_t)P * s.outside;
    if (rc == 0 &&
        (logp_machine_report(m)->messages != sent || logp_machine_report(m)->unreceived != 0))
        rc = -EBADMSG;
    if (rc != 0 && s.wrong[0] != '\0') {
        const size_t n = strlen(part->what);

        snprintf(part->what + n, sizeof(part->what) - n, "; %s", s.wrong);
    }
    logp_machine_destroy(m);
    return rc == 0 ? (int64_t)sent : rc;
}

const struct soak_kind soak_messages = {.name = "messages", .usual = 1000000000, .run = messages};
