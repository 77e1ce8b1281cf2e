/* SPDX-License-Identifier: MIT */
/* A program of `logp explore`, with statics of its own and of a library: right ones, and planted bugs. explored [WHAT] */
#include <logp/logp.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

int clocked_join(int n);
long clocked_ms(void);
int clocked_any(int n);
int logp_main(struct logp_vp *vp, int argc, char **argv);

static int calls; /* of this processor, in this run */
static const char *what = "";

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* The statics of each processor are new in each run. */
static int statics(struct logp_vp *vp)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    const long before = clocked_ms();
    int rc = LOGP_CHECK_EQ(vp, ++calls, 1);

    if (rc == 0)
        rc = LOGP_CHECK_EQ(vp, clocked_join(1), 1);
    nanosleep(&ms, NULL);
    if (rc == 0)
        rc = LOGP_CHECK_EQ(vp, clocked_ms(), 1);
    return rc != 0 ? rc : LOGP_CHECK(vp, before >= 0 && time(NULL) == 1577836800);
}

/* What UBSan reports */
static void undefined_sum(int x)
{
    volatile int most = INT_MAX;

    most = most + x;
}

/* The others send to rank 0, which notes the first. */
static int collect(struct logp_vp *vp)
{
    int first = 0, x = logp_vp_rank(vp), rc = 0;

    if (is("crash") || is("all") || is("second") || is("signal"))
        printf("begins %d", x); /* a line without its end */
    if (is("all"))
        *(volatile int *)0 = 2;
    if (is("second") && x == 1)
        *(volatile int *)0 = 3;
    if (is("signal"))
        raise(SIGABRT);
    if (x > 0)
        return logp_send(vp, 0, 1, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 1, &x, sizeof(x), NULL);
        first = i == 1 ? x : first;
    }
    if (rc == 0 && first == 2) {
        printf("rank 2 was first\n");
        if (is("assert"))
            assert(first != 2);
        if (is("crash"))
            *(volatile int *)0 = 1;
        if (is("undefined"))
            undefined_sum(first);
        if (is("exit")) {
            fprintf(stderr, "about to end\n");
            exit(4);
        }
        if (is("check"))
            rc = LOGP_CHECK_NE(vp, first, 2);
    }
    return rc;
}

/* Numbers are those of the run: two processors may draw other ones. */
static int numbers(struct logp_vp *vp)
{
    int mine = is("rand") ? clocked_any(1000) : 0, theirs = 0, rc;
    const int other = 1 - logp_vp_rank(vp);

    if (is("getrandom") && getrandom(&mine, sizeof(mine), 0) != sizeof(mine))
        return -EIO;
    rc = logp_sendrecv(vp, other, 2, &mine, sizeof(mine), other, 2, &theirs, sizeof(theirs), NULL);
    return rc != 0                ? rc
           : is("getrandom")      ? LOGP_CHECK_NE(vp, mine, theirs)
           : logp_vp_rank(vp) > 0 ? LOGP_CHECK_EQ(vp, mine, theirs)
                                  : 0;
}

/* After a restart only durable data are left: a static variable has its first value again. */
static int restart(struct logp_vp *vp)
{
    int kept = 0, rc = logp_recover(vp, 1, &kept, sizeof(kept), NULL);

    if (rc != 0 && rc != -ENOENT)
        return rc;
    calls++;
    rc = LOGP_CHECK_EQ(vp, calls, 1);
    if (rc == 0)
        rc = logp_durable(vp, 1, &calls, sizeof(calls));
    if (rc == 0)
        rc = logp_yield(vp); /* it may crash here */
    if (rc == 0 && logp_vp_rank(vp) == 0 && is("lost"))
        rc = LOGP_CHECK_EQ(vp, kept, 0);
    return rc;
}

int logp_main(struct logp_vp *vp, int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "";
    if (is("rand") || is("getrandom"))
        return numbers(vp);
    if (is("restart") || is("lost"))
        return restart(vp);
    return *what == '\0' ? statics(vp) : collect(vp);
}

int main(void)
{
    return 0;
}
