/* SPDX-License-Identifier: MIT */
/*
 * The test kit on a host without memory: each request refused in its turn. It says so, or finds
 * what it would have found; nothing is lost.
 */
#define _GNU_SOURCE
#include "short_of_memory.h"

#include <unistd.h>

/* Rank 0 relies on the order of two senders: found at once where messages are chosen. */
static int race(struct logp_vp *vp, void *arg)
{
    int got = 0, rc = 0;

    if (logp_vp_rank(vp) != 0)
        return logp_send(vp, 0, 0, &(int){logp_vp_rank(vp)}, sizeof(int));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &got, sizeof(got), NULL);
        if (rc == 0)
            LOGP_CHECK(vp, got == i);
    }
    return rc;
}

/* Each to the next, whatever the order. */
static int sound(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char item[1000] = {0};

    TRY(logp_send(vp, (me + 1) % P, 0, item, sizeof(item)));
    TRY(logp_recv(vp, LOGP_ANY_SOURCE, 0, item, sizeof(item), NULL));
    return logp_barrier(vp);
}

/* One who waits for what is never sent. */
static int deadlock(struct logp_vp *vp, void *arg)
{
    char c;

    return logp_vp_rank(vp) == 0 ? logp_recv(vp, 1, 7, &c, 1, NULL) : 0;
}

struct kit {
    logp_program program;
    struct logp_check check;
    int due; /* what logp_check() returns with all memory */
};

static int checked(void *arg)
{
    const struct kit *k = arg;
    struct logp_check check = k->check;
    TEST_FAILURE failure = {.text = NULL};
    int rc, again = 0;

    rc = logp_check(k->program, NULL, &check, &failure);
    cr_assert(rc != 0 || check.checked.runs > 0);
    if (rc == k->due && rc != 0 && failure.replay != NULL) {
        cr_assert(failure.text[0] != '\0');
        again = logp_check_replay(k->program, NULL, &k->check, failure.replay, NULL);
    }
    if (rc != k->due)
        return rc == 0 ? -EPROTO : rc;
    return again == k->due ? 0 : again == 0 ? -ESTALE : again;
}

static const int sizes[] = {3};
static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 250, .g_ns = 400};

static struct kit kit_of(logp_program program, int due, enum logp_strategy strategy)
{
    return (struct kit){.program = program,
                        .due = due,
                        .check = {.size = sizeof(struct logp_check),
                                  .sizes = sizes,
                                  .n_sizes = 1,
                                  .runs = 20,
                                  .seed = 1,
                                  .strategy = strategy,
                                  .executor = "fiber"}};
}

static void without_each_of(const char *what, struct kit k)
{
    without_each(what, checked, &k);
}

Test(memory_check, sound_programs, .timeout = 100)
{
    const struct logp_latency latency = {.kind = LOGP_LATENCY_EXPONENTIAL};
    const struct logp_network network = {.params = params, .latency = &latency};
    struct kit timed = kit_of(sound, 0, LOGP_STRATEGY_RANDOM);

    without_each_of("random", kit_of(sound, 0, LOGP_STRATEGY_RANDOM));
    without_each_of("PCT", kit_of(sound, 0, LOGP_STRATEGY_PCT));
    without_each_of("exhaustive", kit_of(sound, 0, LOGP_STRATEGY_EXHAUSTIVE));
    timed.check.network = &network;
    without_each_of("latencies", timed);
}

Test(memory_check, races_that_are_found_made_smaller_and_replayed, .timeout = 100)
{
    without_each_of("random", kit_of(race, -EPROTO, LOGP_STRATEGY_RANDOM));
    without_each_of("PCT", kit_of(race, -EPROTO, LOGP_STRATEGY_PCT));
    without_each_of("exhaustive", kit_of(race, -EPROTO, LOGP_STRATEGY_EXHAUSTIVE));
}

Test(memory_check, deadlocks, .timeout = 100)
{
    without_each_of("a deadlock", kit_of(deadlock, -EDEADLK, LOGP_STRATEGY_RANDOM));
}

static int written(void *arg)
{
    const char *path = arg;
    struct kit k = kit_of(race, -EPROTO, LOGP_STRATEGY_RANDOM);
    struct logp_replay *replay = NULL;
    char *text = NULL;
    int rc;

    k.check.replay_file = path;
    rc = checked(&k);
    if (rc != 0)
        return rc;
    rc = logp_replay_read(path, &text);
    if (rc == 0)
        rc = logp_replay_parse(text, &replay);
    if (rc == 0 && strcmp(replay->name, "program") != 0)
        rc = -EPROTO;
    logp_replay_free(replay);
    free(text);
    return rc;
}

Test(memory_check, replay_files, .timeout = 100)
{
    char path[] = "/tmp/logp-replay-XXXXXX";
    const int file = mkstemp(path);

    cr_assert_geq(file, 0);
    close(file);
    without_each("a replay file", written, path);
    unlink(path);
}
