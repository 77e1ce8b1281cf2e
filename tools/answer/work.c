/* SPDX-License-Identifier: MIT */
/* What the runs of a question have in common. */
#include "answer/runs.h"

#include <stdlib.h>
#include <time.h>

void tell_doing(const struct question *q, const char *what)
{
    const struct watcher *w = &q->work->watcher;

    if (q->form.progress && w->doing != NULL)
        w->doing(w->of, what);
}

bool runs_are_over(const struct question *q)
{
    const struct watcher *w = &q->work->watcher;

    q->work->is_over |= w->stops != NULL && w->stops(w->of);
    return q->work->is_over;
}

void end_work(struct work *work)
{
    free(work->core_of);
    work->core_of = NULL;
}

int64_t host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
