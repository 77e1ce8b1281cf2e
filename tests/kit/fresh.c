/* SPDX-License-Identifier: MIT */
/* A program for fresh.sh: failures of one order, which a sanitizer reports, which depend on earlier
 * runs, on the environment, or on rand(). */
#include <logp/logp.h>

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *how;
static int n_runs, n_messages;
static volatile char *volatile kept;

/* Rank 0 receives from all. @return the rank whose message comes first; or an error */
static int gather(struct logp_vp *vp)
{
    int x = logp_vp_rank(vp), first = 0, rc = 0;

    for (int i = 0; x > 0 && rc == 0 && i < n_messages; i++)
        rc = logp_send(vp, 0, 0, &x, sizeof(x));
    if (x > 0 || rc != 0)
        return rc;
    for (int i = 0; rc == 0 && i < n_messages * (logp_vp_size(vp) - 1); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &x, sizeof(x), NULL);
        if (i == n_messages - 1)
            first = x;
    }
    return rc != 0 ? rc : first;
}

/* The frame of a large array begins below the guard of a small stack. */
__attribute__((noinline)) static int large_array(void)
{
    volatile char bytes[4 << 20];

    memset((char *)bytes, 1, 64);
    return bytes[9] == 1 ? 0 : -1;
}

static int program(struct logp_vp *vp, void *arg)
{
    const int first = gather(vp);
    volatile char *volatile p; /* so that a compiler does not see the use */
    volatile int most = INT_MAX - 1;

    (void)arg;
    if (first < 0 || logp_vp_rank(vp) > 0)
        return first;
    if (strcmp(how, "address") == 0 && first == 2) {
        p = malloc(8);
        p[0] = 1;
        free((void *)(uintptr_t)p);
        return p[0] * 0;
    }
    if (strcmp(how, "crash") == 0 && first == 2)
        *(volatile int *)0 = 1; /* here */
    if (strcmp(how, "exit") == 0 && first == 2)
        exit(0);
    if (strcmp(how, "assert") == 0)
        assert(first != 2);
    if (strcmp(how, "array") == 0 && first == 2)
        return large_array();
    if (strcmp(how, "undefined") == 0)
        most = most + first;
    if (strcmp(how, "earlier_address") == 0 && ++n_runs == 10) {
        p = malloc(8);
        free((void *)(uintptr_t)p);
        return p[0] * 0;
    }
    if (strcmp(how, "earlier_undefined") == 0 && ++n_runs == 10)
        most = most + 2;
    if (strcmp(how, "earlier_abort") == 0 && ++n_runs == 10)
        abort();
    for (int i = 0; strcmp(how, "leak") == 0 && first == 2 && i < 20; i++)
        kept = malloc(77);
    kept = NULL;
    if (strcmp(how, "bytes") == 0)
        return LOGP_FAIL(vp, "\x01 <\xc3\xa4> \xff\xed\xa0\x80\xc3");
    if (strcmp(how, "static") == 0)
        LOGP_CHECK_LT(vp, n_runs++, 10);
    if (strcmp(how, "left") == 0 && first == 2)
        return logp_send(vp, 1, 7, NULL, 0); /* left over */
    if (strcmp(how, "order") == 0)
        LOGP_CHECK_EQ(vp, first, 1);
    return 0;
}

/* Each order has other tags, which are drawn by rand(). */
static int random_tags(struct logp_vp *vp, void *arg)
{
    const int tag = rand() % 2;
    int rc = 0;

    (void)arg;
    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, tag, NULL, 0);
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, NULL, 0, NULL);
    return rc;
}

int main(int argc, char **argv)
{
    const char *n = getenv("FRESH_MESSAGES");
    struct logp_check check = {
        .size = sizeof(check), .sizes = (int[]){3, 4}, .n_sizes = 2, .runs = 1000, .name = "fresh"};
    struct logp_failure failure;
    int rc;

    n_messages = n != NULL ? atoi(n) : 1;
    how = "none"; /* a check that passes */
    if (getenv("FRESH_FIRST") != NULL)
        logp_check(program, NULL,
                   &(struct logp_check){.size = sizeof(check), .runs = 10, .name = "<first>"},
                   NULL);
    how = argc > 1 ? argv[1] : "order";
    if (strcmp(how, "random") == 0) {
        check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
        rc = logp_check(random_tags, NULL, &check, &failure);
    } else {
        rc = logp_check(program, NULL, &check, &failure);
    }
    printf("rc %d, kind %d\n%s", rc, (int)failure.kind, failure.text);
    logp_failure_free(&failure);
    return rc != 0;
}
