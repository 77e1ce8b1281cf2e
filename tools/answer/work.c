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

struct steps begin_steps(const struct question *q, const char *command, const char *of)
{
    return (struct steps){.q = q, .command = command, .of = of, .begun_ns = host_ns()};
}

void show_steps(struct steps *s, double done, size_t n, const char *what)
{
    const int64_t soon_ns = 2000000000, pause_ns = 200000000, now = host_ns();
    const double passed_ns = (double)(now - s->begun_ns);
    char line[200], left[32] = "", time[32];

    if (!s->q->form.progress || passed_ns < soon_ns || now - s->shown_ns < pause_ns)
        return;
    s->shown_ns = now;
    if (done > 0)
        snprintf(left, sizeof(left), ", %s left",
                 show_duration(passed_ns * ((double)n - done) / done, time));
    snprintf(line, sizeof(line), "logp: %s: %zu of %zu %s%s%s%s ", s->command, (size_t)done, n,
             s->of, left, *what != '\0' ? ": " : "", what);
    tell_doing(s->q, line);
}

void end_steps(struct steps *s)
{
    if (s->shown_ns > 0)
        tell_doing(s->q, NULL);
}

static bool choice_goes_on(void *arg, size_t done, size_t n)
{
    struct choice_steps *c = arg;
    const int64_t limit_ns = c->steps.q->how.choice_limit_ns;

    show_steps(&c->steps, (double)done, n, "--algo auto");
    c->choosing.is_over =
        runs_are_over(c->steps.q) || (limit_ns > 0 && host_ns() - c->steps.begun_ns >= limit_ns);
    return !c->choosing.is_over;
}

void begin_choice(struct choice_steps *c, struct question *q, const char *command)
{
    *c = (struct choice_steps){.steps = begin_steps(q, command, "schedules"),
                               .choosing = {.watch = choice_goes_on, .arg = c}};
    q->how.choosing = &c->choosing;
}

void end_choice(struct choice_steps *c, struct question *q)
{
    q->how.choosing = NULL;
    end_steps(&c->steps);
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
