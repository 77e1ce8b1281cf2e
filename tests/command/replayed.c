/* SPDX-License-Identifier: MIT */
/*
 * A test program as people write them, for replay.sh: small programs with a fault, each under a
 * check of its own.
 *
 *     replayed [NAME...]    all of them, or these; says how those failed that did, and exits with 1
 *
 * With MENDED set the faults are gone; with OTHERWISE they fail in another way.
 */
#include <logp/logp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool mended, otherwise;

/* The first message is taken for that of rank 1. */
static int race(struct logp_vp *vp, void *arg)
{
    struct logp_status status;
    int x = logp_vp_rank(vp), rc = 0;

    if (x > 0)
        return logp_send(vp, 0, 3, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, mended ? i : LOGP_ANY_SOURCE, 3, &x, sizeof(x), &status);
        if (rc == 0 && otherwise && status.source != i)
            return -5;
        if (rc == 0)
            rc = LOGP_CHECK(vp, status.source == i);
    }
    return rc;
}

/* Neighbours in a ring that all receive first, once a probe has found nothing. */
static int ring(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    bool found = false;
    int rc = logp_mark(vp, "begin");

    if (rc == 0 && me == 0)
        rc = logp_send(vp, 1 % P, 1, NULL, 0);
    if (rc == 0 && me == 1)
        rc = logp_probe(vp, 0, 1, &found, NULL);
    if (rc == 0 && me == 1 && !found && !mended) /* "it will not come any more" */
        rc = logp_recv(vp, P - 1, 1, NULL, 0, NULL);
    if (rc == 0)
        rc = logp_recv(vp, (me + P - 1) % P, 1, NULL, 0, NULL);
    if (rc == 0 && me > 0)
        rc = logp_send(vp, (me + 1) % P, 1, NULL, 0);
    return rc;
}

/* A message is left over where the other's comes later. */
static int late(struct logp_vp *vp, void *arg)
{
    int rc;

    if (logp_vp_rank(vp) == 0) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL);
        for (int i = 2; rc == 0 && mended && i < logp_vp_size(vp); i++)
            rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL);
        return rc;
    }
    rc = logp_compute(vp, 100, NULL, NULL);
    return rc != 0 ? rc : logp_send(vp, 0, 0, NULL, 0);
}

/* All messages are there, if the network loses none. */
static int gather(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    for (int k = 0; rc == 0 && k < 3; k++) {
        if (logp_vp_rank(vp) > 0)
            rc = logp_send(vp, 0, k, &k, sizeof(k));
        for (int i = 1; rc == 0 && logp_vp_rank(vp) == 0 && i < logp_vp_size(vp); i++)
            rc = logp_recv(vp, i, k, &k, sizeof(k), NULL);
    }
    return rc;
}

/* Payloads in words, some of which could spoil a line or a terminal. In time, the sends of a rank begin at once. */
static void describe(void *arg, int tag, const void *data, size_t n_bytes, char *text, size_t size)
{
    int x = 0;

    (void)arg;
    (void)tag;
    if (n_bytes == sizeof(x))
        memcpy(&x, data, sizeof(x));
    snprintf(text, size, "letter %d\nend\n\x1b[2J", x);
}

static int letters(struct logp_vp *vp, void *arg)
{
    int me = logp_vp_rank(vp), rc = logp_compute(vp, 100, NULL, NULL);

    for (int i = 0; rc == 0 && me > 0 && i < 2; i++) {
        const int x = 10 * me + i;

        rc = logp_send(vp, 0, 3, &x, sizeof(x));
    }
    return me > 0 || rc != 0 ? rc : race(vp, arg);
}

/* A message comes before the end of a wait. */
static int early(struct logp_vp *vp, void *arg)
{
    int rc;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 1, NULL, 0);
    rc = logp_recv_until(vp, LOGP_ANY_SOURCE, 1, NULL, 0, logp_now(vp) + 1000, NULL);
    if (rc != -ETIME)
        return rc != 0 ? rc : LOGP_FAIL(vp, "it was not late");
    rc = 0;
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_recv(vp, i, 1, NULL, 0, NULL);
    return rc;
}

static const struct logp_latency exponential = {.kind = LOGP_LATENCY_EXPONENTIAL};
static const struct logp_network at_once = {.params = {.L_ns = 6000}, .latency = &exponential};
static const struct logp_network varying = {
    .params = {.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000},
    .latency = &exponential};
static const struct logp_network faulty = {
    .params = {.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000},
    .faults = "dup:0.2,drop:0.2,slow:2@0",
    .noise = "exp:300"};

static const struct {
    const char *name;
    logp_program program;
    struct logp_check check;
} rows[] = {
    {"race", race, {.seed = 1}},
    {"race in time", race, {.network = &varying}},
    {"ring", ring, {.strategy = LOGP_STRATEGY_EXHAUSTIVE}},
    {"lost", gather, {.network = &faulty, .smallest = 2}},
    {"words", letters, {.seed = 1, .describe = describe, .leaves_messages = true}},
    {"words in time",
     letters,
     {.network = &at_once, .describe = describe, .leaves_messages = true}},
    {"early", early, {.seed = 1}},
    {"late\\\t\xc3\xa9\"<", late, {.seed = 0}},
};

static bool is_wanted(const char *name, int argc, char **argv)
{
    bool wanted = argc < 2;

    for (int i = 1; i < argc; i++)
        wanted |= strncmp(argv[i], name, strlen(argv[i])) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    int failed = 0;

    mended = getenv("MENDED") != NULL;
    otherwise = getenv("OTHERWISE") != NULL;
    puts("this is the program");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct logp_check check = rows[i].check;
        struct logp_failure failure;

        if (!is_wanted(rows[i].name, argc, argv))
            continue;
        check.size = sizeof(check);
        check.sizes = (int[]){2, 3, 5};
        check.n_sizes = 3;
        check.name = rows[i].name;
        failed |= logp_check(rows[i].program, NULL, &check, &failure) != 0;
        fputs(failure.text, stdout);
        logp_failure_free(&failure);
    }
    return failed;
}
