/* SPDX-License-Identifier: MIT */
/*
 * The clocks of the system as a rank reads them on the virtual clock: they follow the emulated time, in which two runs
 * are equal. The time of day begins with --epoch, all others with 0; clocks of the processor show the emulated time,
 * too. A reading costs what one of logp_now() costs, so a loop that waits for a time ends. What the library itself and
 * liblogp read are the host's clocks.
 */
#include "host.h"

#include <errno.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

/* The functions that these replace. Programs may read clocks in signal handlers, and host_next_of() takes a lock. */
static struct {
    __typeof__(clock_gettime) *clock_gettime;
    __typeof__(gettimeofday) *gettimeofday;
    __typeof__(time) *time;
    __typeof__(clock) *clock;
    __typeof__(times) *times;
    __typeof__(getrusage) *getrusage;
    __typeof__(timespec_get) *timespec_get;
} next;

__attribute__((constructor)) static void find_next(void)
{
    next.clock_gettime = NEXT(clock_gettime);
    next.gettimeofday = (__typeof__(next.gettimeofday))host_next_of("gettimeofday");
    next.time = NEXT(time);
    next.clock = NEXT(clock);
    next.times = NEXT(times);
    next.getrusage = (__typeof__(next.getrusage))host_next_of("getrusage");
    next.timespec_get = NEXT(timespec_get);
}

#define NEXT_OF(name) (next.name != NULL ? next.name : (find_next(), next.name))

/* The rank whose clock is read; NULL: the host's clock is. */
static struct host_rank *reader(const void *caller)
{
    return the_job != NULL && the_job->follows_clock && !host_is_own_code(caller)
               ? host_of_process()
               : NULL;
}

static int64_t now_of(struct host_rank *h)
{
    int64_t ns;

    the_guest.charge_computing();
    ns = logp_now(h->vp);
    the_guest.resume_computing();
    if (ns < 0)
        the_guest.note_result((int)ns);
    return ns >= 0 ? ns : 0;
}

static int64_t epoch_ns(clockid_t clock)
{
    const bool is_day =
        clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;

    return is_day ? the_job->epoch_ns : 0;
}

int64_t host_read_clock(clockid_t clock)
{
    struct host_rank *h = the_job != NULL && the_job->follows_clock ? host_here() : NULL;
    struct timespec t = {0, 0};
    int64_t ns;

    if (h != NULL) {
        ns = logp_now(h->vp);
        return epoch_ns(clock) + (ns >= 0 ? ns : 0);
    }
    return clock_gettime(clock, &t) == 0 ? t.tv_sec * second + t.tv_nsec : -1;
}

#define READER reader(__builtin_return_address(0))

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    struct host_rank *h = READER;
    int64_t ns;

    if (h == NULL || NEXT_OF(clock_gettime)(clock, t) != 0) /* a clock that there is not */
        return NEXT_OF(clock_gettime)(clock, t);
    ns = epoch_ns(clock) + now_of(h);
    *t = (struct timespec){ns / second, ns % second};
    return 0;
}

EXPORT int gettimeofday(struct timeval *t, void *zone)
{
    struct host_rank *h = READER;
    int64_t ns;

    if (h == NULL)
        return NEXT_OF(gettimeofday)(t, zone);
    ns = epoch_ns(CLOCK_REALTIME) + now_of(h);
    *t = (struct timeval){ns / second, ns % second / 1000};
    return 0;
}

EXPORT time_t time(time_t *out)
{
    struct host_rank *h = READER;
    time_t t;

    if (h == NULL)
        return NEXT_OF(time)(out);
    t = (epoch_ns(CLOCK_REALTIME) + now_of(h)) / second;
    if (out != NULL)
        *out = t;
    return t;
}

EXPORT int timespec_get(struct timespec *t, int base)
{
    struct host_rank *h = base == TIME_UTC ? READER : NULL;
    int64_t ns;

    if (h == NULL)
        return NEXT_OF(timespec_get)(t, base);
    ns = epoch_ns(CLOCK_REALTIME) + now_of(h);
    *t = (struct timespec){ns / second, ns % second};
    return base;
}

EXPORT clock_t clock(void)
{
    struct host_rank *h = READER;

    return h == NULL ? NEXT_OF(clock)() : (clock_t)(now_of(h) / (second / CLOCKS_PER_SEC));
}

EXPORT clock_t times(struct tms *t)
{
    struct host_rank *h = READER;
    clock_t ticks;

    if (h == NULL)
        return NEXT_OF(times)(t);
    ticks = (clock_t)(now_of(h) / (second / sysconf(_SC_CLK_TCK)));
    if (t != NULL)
        *t = (struct tms){.tms_utime = ticks};
    return ticks;
}

EXPORT int getrusage(__rusage_who_t who, struct rusage *usage)
{
    struct host_rank *h = who == RUSAGE_CHILDREN ? NULL : READER;
    const int rc = NEXT_OF(getrusage)(who, usage);
    int64_t ns;

    if (h == NULL || rc != 0)
        return rc;
    ns = now_of(h);
    usage->ru_utime = (struct timeval){ns / second, ns % second / 1000};
    usage->ru_stime = (struct timeval){0, 0};
    return 0;
}

/* ---- waits until a time ---- */

/* Until a time of a clock as the rank reads it: the host waits for as long as is left, and if nothing has come by then,
 * the emulated clock advances to that time. */
struct wait_end {
    struct host_rank *h;
    int64_t at_ns;           /* on the rank's clock */
    struct timespec of_host; /* on the host's */
};

static struct wait_end end_of(struct host_rank *h, clockid_t clock, const struct timespec *t)
{
    const int64_t at_ns = t->tv_sec * second + t->tv_nsec - epoch_ns(clock),
                  left_ns = at_ns - now_of(h);
    struct wait_end end = {.h = h, .at_ns = at_ns};
    int64_t ns;

    NEXT_OF(clock_gettime)(clock, &end.of_host);
    ns = end.of_host.tv_nsec + (left_ns > 0 ? left_ns : 0);
    end.of_host = (struct timespec){end.of_host.tv_sec + ns / second, ns % second};
    return end;
}

static void pass(const struct wait_end *end, bool in_vain)
{
    if (!in_vain || end->at_ns <= logp_now(end->h->vp))
        return;
    the_guest.charge_computing();
    the_guest.note_result(logp_sleep_until(end->h->vp, end->at_ns));
    the_guest.resume_computing();
}

/* A condition variable may have the monotonic clock, whose times are small. */
static clockid_t likely_clock(const struct timespec *t)
{
    return t->tv_sec * second < the_job->epoch_ns ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
    struct host_rank *h = READER;
    struct wait_end end;
    int rc;

    if (h == NULL)
        return NEXT(pthread_cond_timedwait)(c, m, t);
    end = end_of(h, likely_clock(t), t);
    rc = NEXT(pthread_cond_timedwait)(c, m, &end.of_host);
    pass(&end, rc == ETIMEDOUT);
    return rc;
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                  const struct timespec *t)
{
    struct host_rank *h = READER;
    struct wait_end end;
    int rc;

    if (h == NULL)
        return NEXT(pthread_cond_clockwait)(c, m, clock, t);
    end = end_of(h, clock, t);
    rc = NEXT(pthread_cond_clockwait)(c, m, clock, &end.of_host);
    pass(&end, rc == ETIMEDOUT);
    return rc;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    struct host_rank *h = READER;
    struct wait_end end;
    int rc;

    if (h == NULL)
        return NEXT(pthread_mutex_timedlock)(m, t);
    end = end_of(h, CLOCK_REALTIME, t);
    rc = NEXT(pthread_mutex_timedlock)(m, &end.of_host);
    pass(&end, rc == ETIMEDOUT);
    return rc;
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
    struct host_rank *h = READER;
    struct wait_end end;
    int rc;

    if (h == NULL)
        return NEXT(sem_timedwait)(s, t);
    end = end_of(h, CLOCK_REALTIME, t);
    rc = NEXT(sem_timedwait)(s, &end.of_host);
    pass(&end, rc != 0 && errno == ETIMEDOUT);
    return rc;
}
