/* SPDX-License-Identifier: MIT */
/*
 * The common clock of the processes of a machine: that of process 0.
 *
 * On one host they read the same clock, with the calibration of process 0. On several hosts, or
 * with clocks of the user's own (logp_config.time_ns), each process fits the offset and the drift
 * of its clock, as HCA3 does (Hunold, Carpen-Amarie, Hierarchical clock synchronization in MPI,
 * CLUSTER 2018, 325-336): in round r = 1, 2, ... process i < 2^(r-1) answers process i + 2^(r-1)
 * with the common time according to its own fit. The asking process takes the shortest round trip
 * of each batch and assumes that the answer was given half-way. Of all batches it takes the half
 * with the shortest trips and fits a line by least squares.
 *
 * A fit is made before a run if the last one is too old. After a fit, and after each run, each
 * process in turn asks process 0 once more. Its error is the offset that it finds plus half of the
 * round trip, which is the uncertainty of that offset. The error of the machine is the greatest of
 * them. An error of the drift shows at the end of the run.
 *
 * No process is in a run meanwhile: all have entered before the exchange, and none leaves before
 * all are done.
 */
#define _GNU_SOURCE
#include "core/core.h"

#include "state/stop.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TRIPS = 10,         /* per batch */
    BATCHES = 40,       /* per fit */
    APART_NS = 2500000, /* between batches */
    CHECK_TRIPS = 30,
    YIELD_EVERY = 16,
};

static const int64_t refit_ns = INT64_C(2000000000), patience_ns = INT64_C(5000000000);

enum say { COME, GO, FIT, ASK, ANSWER, DONE };

/* ---- clocks ---- */

static int64_t own_ns(void *machine)
{
    const struct logp_machine *m = machine;

    return m->time_ns != NULL ? m->time_ns(m->time_arg) : lpi_monotonic_ns();
}

static int64_t common(const struct lpi_fit *fit, int64_t own)
{
    return own - fit->ahead_ns - (int64_t)(fit->drift * (double)(own - fit->at_ns));
}

static int64_t common_ns(void *machine)
{
    const struct logp_machine *m = machine;

    return common(&m->remote->fit, own_ns(machine));
}

/* The clock as it is read in a run. */
static int64_t machine_ns(void *machine)
{
    const struct logp_machine *m = machine;

    return lpi_clock_ns(&m->clock);
}

void lpi_common_clock_set(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    struct lpi_clock *c = &m->clock;

    if (!f->is_fitted) {
        *c = f->host_clock;
    } else if (c->counter) {
        c->ns0 = common(&f->fit, c->ns0);
        c->mult = (uint64_t)((double)c->mult * (1 - f->fit.drift));
    } else {
        c->source = common_ns;
        c->arg = m;
    }
}

/* ---- messages, while no process is in a run ---- */

static void say(struct lpi_remote *f, int to, enum say what, int64_t ns)
{
    const struct lpi_wire w = {.kind = LPI_WIRE_CLOCK, .tag = (int)what, .arrival = ns};

    while (f->ops->send(to, &w, sizeof(w), NULL, 0) != 0)
        ;
}

/* Wait for the next clock message. Other messages belong to a run that is over: drop them. */
static struct lpi_wire hear(struct lpi_remote *f)
{
    struct lpi_wire w = {.kind = LPI_WIRE_DATA};
    struct lpi_found x;
    unsigned in_vain = 0;

    while (w.kind != LPI_WIRE_CLOCK) {
        if (f->ops->poll(&x))
            memcpy(&w, x.bytes, sizeof(w));
        else if (f->is_crowded && ++in_vain % YIELD_EVERY == 0)
            sched_yield();
    }
    return w;
}

/* The same, for a message that may never come. */
static bool await(struct logp_machine *m, struct lpi_wire *w, int64_t end)
{
    struct lpi_remote *f = m->remote;
    struct lpi_found x;
    int64_t last = end > 0 ? end : INT64_MAX;

    for (;;) {
        const int64_t now = lpi_monotonic_ns();

        if (f->ops->poll(&x)) {
            memcpy(w, x.bytes, sizeof(*w));
            if (w->kind == LPI_WIRE_CLOCK)
                return true;
        } else if (f->is_crowded) {
            sched_yield();
        }
        if (lpi_stopping(m) && last > now + patience_ns)
            last = now + patience_ns;
        if (now > last) {
            lpi_remote_lose(f);
            return false;
        }
    }
}

/* Answer the requests of a process with this clock, until it is done. */
static void answer(struct logp_machine *m, int process, int64_t (*clock)(void *machine))
{
    while (hear(m->remote).tag == ASK)
        say(m->remote, process, ANSWER, clock(m));
}

struct trip {
    int64_t took_ns, at_ns, ahead_ns; /* took; when; offset to the other's clock */
};

/* The shortest of n round trips. */
static struct trip ask(struct logp_machine *m, int process, int n, int64_t (*clock)(void *machine))
{
    struct trip best = {.took_ns = INT64_MAX};

    for (int i = 0; i < n; i++) {
        const int64_t sent = clock(m);
        int64_t theirs, took;

        say(m->remote, process, ASK, 0);
        theirs = hear(m->remote).arrival;
        took = clock(m) - sent;
        if (took < best.took_ns)
            best = (struct trip){took, sent + took / 2, sent + took / 2 - theirs};
    }
    return best;
}

/* ---- the fit ---- */

static int by_time(const void *a, const void *b)
{
    const struct trip *x = a, *y = b;

    return (x->took_ns > y->took_ns) - (x->took_ns < y->took_ns);
}

static struct lpi_fit line_through(const struct trip *trips, int n)
{
    double at = 0, ahead = 0, xx = 0, xy = 0;

    for (int i = 0; i < n; i++) { /* differences: doubles are exact to the nanosecond */
        at += (double)(trips[i].at_ns - trips[0].at_ns) / n;
        ahead += (double)(trips[i].ahead_ns - trips[0].ahead_ns) / n;
    }
    for (int i = 0; i < n; i++) {
        const double x = (double)(trips[i].at_ns - trips[0].at_ns) - at;

        xx += x * x;
        xy += x * ((double)(trips[i].ahead_ns - trips[0].ahead_ns) - ahead);
    }
    return (struct lpi_fit){.at_ns = trips[0].at_ns + (int64_t)at,
                            .ahead_ns = trips[0].ahead_ns + (int64_t)ahead,
                            .drift = xx > 0 ? xy / xx : 0};
}

static void learn(struct logp_machine *m, int process)
{
    const struct timespec apart = {.tv_nsec = APART_NS};
    struct trip trips[BATCHES];

    for (int i = 0; i < BATCHES; i++) {
        if (i > 0)
            nanosleep(&apart, NULL);
        trips[i] = ask(m, process, TRIPS, own_ns);
    }
    say(m->remote, process, DONE, 0);
    qsort(trips, BATCHES, sizeof(trips[0]), by_time);
    m->remote->fit = line_through(trips, BATCHES / 2);
}

static void fit_all(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    int64_t nothing = 0;

    for (int step = 1; step < f->n_processes; step *= 2) {
        if (f->process < step && f->process + step < f->n_processes)
            answer(m, f->process + step, common_ns);
        else if (f->process >= step && f->process < 2 * step)
            learn(m, f->process - step);
        f->ops->reduce(&nothing, 1, LPI_MAX); /* barrier: next round after this */
    }
    f->fitted_ns = lpi_monotonic_ns();
}

/* The greatest error of all processes. */
static int64_t error_of_all(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    int64_t error = 0;

    if (f->process == 0) {
        for (int i = 1; i < f->n_processes; i++) {
            say(f, i, GO, 0);
            answer(m, i, machine_ns);
        }
    } else {
        struct trip trip;

        hear(f);
        trip = ask(m, 0, CHECK_TRIPS, machine_ns);
        say(f, 0, DONE, 0);
        error = llabs(trip.ahead_ns) + trip.took_ns / 2;
    }
    f->ops->reduce(&error, 1, LPI_MAX);
    return error;
}

/* ---- before and after a run ---- */

int lpi_common_clock_barrier(struct logp_machine *m, int64_t end)
{
    struct lpi_remote *f = m->remote;
    struct lpi_wire w = {.tag = GO};
    int64_t nothing = 0;

    if (!f->is_fitted)
        return 0;
    if (f->process != 0)
        say(f, 0, COME, 0);
    for (int i = f->process == 0 ? 1 : f->n_processes - 1; i < f->n_processes; i++)
        if (!await(m, &w, end)) {
            m->report = (struct logp_report){.error = -ETIMEDOUT, .error_rank = -1};
            return -ETIMEDOUT;
        }
    if (f->process == 0) {
        w.tag = f->clock_error_ns < 0 || lpi_monotonic_ns() - f->fitted_ns > refit_ns ? FIT : GO;
        for (int i = 1; i < f->n_processes; i++)
            say(f, i, (enum say)w.tag, 0);
    }
    f->ops->reduce(&nothing, 1, LPI_MAX); /* barrier: no message of the run comes before it */
    if (w.tag != FIT)
        return 0;
    fit_all(m);
    lpi_clock_init(&m->clock, m->time_ns, m->time_arg);
    lpi_common_clock_set(m);
    f->clock_error_ns = f->fit_error_ns = error_of_all(m);
    return 0;
}

void lpi_common_clock_check(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    int64_t now;

    if (!f->is_fitted)
        return;
    now = error_of_all(m);
    f->clock_error_ns = now > f->fit_error_ns ? now : f->fit_error_ns;
}

void lpi_common_clock_open(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    struct lpi_clock *c = &f->host_clock;
    int64_t has_counter, first[3] = {INT64_MIN, INT64_MIN, INT64_MIN}, apart;
    int index, n_here;

    f->ops->alike("", 1, &index, &n_here);
    apart = n_here < f->n_processes || m->time_ns != NULL;
    f->ops->reduce(&apart, 1, LPI_MAX);
    f->is_fitted = apart && f->n_processes > 1;
    f->clock_error_ns = f->is_fitted ? -1 : 0;
    lpi_clock_init(c, m->time_ns, m->time_arg);
    has_counter = c->counter;
    f->ops->reduce(&has_counter, 1, LPI_MIN);
    if (f->process == 0) {
        first[0] = (int64_t)c->tick0;
        first[1] = c->ns0;
        first[2] = (int64_t)c->mult;
    }
    f->ops->reduce(first, 3, LPI_MAX);
    c->counter = has_counter;
    c->tick0 = (uint64_t)first[0];
    c->ns0 = first[1];
    c->mult = (uint64_t)first[2];
}
