/* SPDX-License-Identifier: MIT */
/* A shared library as many are: with a table of its own, and a time base that is set once. */
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static struct timeval base;
static int n_nodes;

int clocked_join(int n);
long clocked_ms(void);
int clocked_any(int n);

/* @return how many have joined this copy */
int clocked_join(int n)
{
    if (n_nodes == 0)
        gettimeofday(&base, NULL);
    n_nodes += n;
    return n_nodes;
}

/* Since the first has joined. */
long clocked_ms(void)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    return (now.tv_sec - base.tv_sec) * 1000 + (now.tv_usec - base.tv_usec) / 1000;
}

int clocked_any(int n)
{
    return rand() % n;
}
