/* SPDX-License-Identifier: MIT */
/*
 * Parts of bench_soak --messages in which most vps wait at any time: two vps send each other a few
 * messages, receive as many, and continue with each other or with other partners. A lost message or
 * wake-up is found soon, because no other event can come when all vps wait. Receives are posted
 * before their messages come, offer their buffers to long messages, and may end before a message
 * comes. The queue limit leaves space for the messages on their way only.
 */
#include "soak.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 200000, LONG = 30000, MOST_IN_ROW = 4, MOST_P = 12, TAGS = 1000 };

struct exchange {
    uint64_t seed, rounds;
    size_t largest;
    bool ends;
    bool roams; /* another partner each round */
    bool any;   /* receives are from any source: the tag is the round's */
    bool apart; /* each message of a round has its own tag, and the last is received first */
    unsigned char bufs[MOST_P][1 << 16];
    char wrong[80];
};

/* Draw number `what` of a round, the same for both partners. */
static uint64_t drawn(const struct exchange *x, uint64_t round, uint64_t what)
{
    uint64_t r = (x->seed + round * 64 + what) * UINT64_C(0x9e3779b97f4a7c15);

    r = (r ^ (r >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    r = (r ^ (r >> 27)) * UINT64_C(0x94d049bb133111eb);
    return r ^ (r >> 31);
}

/* @return the length of message i of a round from this rank */
static size_t length(const struct exchange *x, uint64_t round, int i, int from)
{
    return 1 + drawn(x, round, (uint64_t)(i * MOST_P + from + 1)) % x->largest;
}

static int fill(uint64_t round, int i, int from)
{
    return (int)((round * 31 + (uint64_t)i * 7 + (uint64_t)from) & 0xff);
}

static int tag_of(const struct exchange *x, uint64_t round, int i)
{
    return (int)((round * MOST_IN_ROW + (uint64_t)(x->apart ? i : 0)) % TAGS);
}

/* @return the partner of a rank in a round; the partner's partner is the rank */
static int partner(const struct exchange *x, uint64_t round, int P, int me)
{
    if (!x->roams)
        return (me + P / 2) % P;
    return ((int)(drawn(x, round, 62) % (uint64_t)P) - me + P) % P;
}

static int take(struct logp_vp *vp, struct exchange *x, uint64_t round, int i, int from)
{
    const int source = x->any ? LOGP_ANY_SOURCE : from, tag = tag_of(x, round, i);
    unsigned char *buf = x->bufs[logp_vp_rank(vp)];
    struct logp_status status;
    const size_t n = length(x, round, i, from);
    const int wanted = fill(round, i, from);
    int rc = -ETIME;

    if (x->ends && drawn(x, round, 63) % 2 == 0)
        for (int64_t k = 0; k < 8 && rc == -ETIME; k++)
            rc = logp_recv_until(vp, source, tag, buf, x->largest, logp_now(vp) + 200 * k, &status);
    if (rc == -ETIME)
        rc = logp_recv(vp, source, tag, buf, x->largest, &status);
    if (rc != 0)
        return rc;
    if (status.source == from && status.n_bytes == n && buf[0] == wanted &&
        memcmp(buf, buf + 1, n - 1) == 0)
        return 0;
    snprintf(x->wrong, sizeof(x->wrong), "; round %llu, message %d of %d: %zu bytes, %zu were due",
             (unsigned long long)round, i, from, status.n_bytes, n);
    return -EPROTO;
}

static int exchange(struct logp_vp *vp, void *arg)
{
    struct exchange *x = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    unsigned char *buf = x->bufs[me];
    int rc = 0;

    for (uint64_t round = 0; rc == 0 && round < x->rounds; round++) {
        const int n = 1 + (int)(drawn(x, round, 0) % MOST_IN_ROW);
        const int other = partner(x, round, P, me);

        for (int i = 0; rc == 0 && i < n; i++) {
            const size_t bytes = length(x, round, i, me);

            memset(buf, fill(round, i, me), bytes);
            rc = logp_send(vp, other, tag_of(x, round, i), buf, bytes);
        }
        for (int i = 0; rc == 0 && i < n; i++)
            rc = take(vp, x, round, x->apart ? n - 1 - i : i, other);
    }
    return rc;
}

int64_t soak_exchange(struct soak_part *part)
{
    static struct exchange x;
    const int P = 2 * (1 + (int)soak_below(part, MOST_P / 2));
    const bool long_ones = soak_below(part, 2) == 0;
    const uint64_t wanted = long_ones ? LONG : MESSAGES;
    static const int lane_slots[] = {0, 16, 1, -1};
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .delay = logp_delay_none(),
                                 .executor = soak_below(part, 3) == 0 ? "thread" : "fiber",
                                 .lane_slots = lane_slots[soak_below(part, 4)]};
    struct logp_machine *m;
    int rc;

    x.seed = part->random;
    x.largest = long_ones ? sizeof(x.bufs[0]) / 4 : 1 + soak_below(part, 100);
    x.ends = soak_below(part, 2) == 0;
    x.roams = soak_below(part, 2) == 0;
    x.any = soak_below(part, 2) == 0;
    x.apart = soak_below(part, 2) == 0;
    x.rounds = wanted / (uint64_t)P / MOST_IN_ROW;
    x.wrong[0] = '\0';
    /* for the messages of a round and the next, and for memory that cores keep for themselves */
    if (!x.roams) /* a rank that roams may be ahead by more */
        config.queue_limit = (size_t)P * 2 * MOST_IN_ROW * (x.largest + 512) * 2;
    rc = logp_machine_create(&config, &m);
    if (rc != 0)
        return rc;
    rc = soak_run(m, exchange, &x);
    if (rc == 0 && logp_machine_report(m)->unreceived != 0)
        rc = -EBADMSG;
    snprintf(part->what, sizeof(part->what),
             "exchange, P %d, %s, %d slots, payload <= %zu%s%s%s%s%s", P, config.executor,
             config.lane_slots, x.largest, x.roams ? ", roaming" : "", x.any ? ", any source" : "",
             x.apart ? ", tags apart" : "", x.ends ? ", waits that end" : "", x.wrong);
    rc = rc == 0 ? (int)logp_machine_report(m)->messages : rc;
    logp_machine_destroy(m);
    return rc;
}
