/* SPDX-License-Identifier: MIT */
/*
 * What the C library has once for a process, and a rank has for itself: the program's end (its start:
 * start.c), strtok(), and sleeping. These functions, and those of random.c, stream.c and getopt.c, come
 * before the C library's in the order of search. Outside of a rank they pass on to it.
 */
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* ---- start and end ---- */

/* A child of fork() is none: it ends as a process. */
static bool is_rank(void)
{
    return host_of_process() != NULL;
}

EXPORT void exit(int code)
{
    if (is_rank())
        host_leave_rank(code, 0);
    NEXT(exit)(code);
    __builtin_unreachable();
}

EXPORT void _exit(int code)
{
    struct host_rank *h = host_of_process();

    if (h != NULL) {
        host_forget_calls(h);
        h->was_ended = true;
        host_leave_rank(code, 0);
    }
    while (true)
        syscall(SYS_exit_group, code);
}

#undef _Exit /* tests/repository/mutate counts lines with a macro of this name */
EXPORT void _Exit(int code)
{
    _exit(code);
}

EXPORT void quick_exit(int code)
{
    struct host_rank *h = host_of_process();

    if (h == NULL)
        NEXT(quick_exit)(code);
    host_end_calls(&h->quick_calls, true);
    _exit(code);
}

/* The thread of a rank is all that it has: what ends the one ends the other, as if main() had returned. */
EXPORT void pthread_exit(void *value)
{
    if (is_rank())
        host_leave_rank(0, 0);
    NEXT(pthread_exit)(value);
    __builtin_unreachable();
}

EXPORT _Noreturn void thrd_exit(int value)
{
    pthread_exit((void *)(intptr_t)value);
}

static int add_call(struct exit_call **calls, void (*function)(void *), void *arg)
{
    struct exit_call *call = malloc(sizeof(*call));

    if (call == NULL)
        return -1;
    *call = (struct exit_call){*calls, function, arg};
    *calls = call;
    return 0;
}

EXPORT int __cxa_atexit(void (*function)(void *), void *arg, void *object);

EXPORT int __cxa_atexit(void (*function)(void *), void *arg, void *object)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        return NEXT(__cxa_atexit)(function, arg, object);
    return add_call(&h->exit_calls, function, arg);
}

EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *object);

EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *object)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        return NEXT(__cxa_at_quick_exit)(function, object);
    return add_call(&h->quick_calls, function, NULL);
}

/* Of a thread-local variable: a rank is its thread. */
EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *arg, void *object);

EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *arg, void *object)
{
    if (host_here() != NULL && the_job->main == NULL)
        return __cxa_atexit(function, arg, object);
    return NEXT(__cxa_thread_atexit_impl)(function, arg, object);
}

EXPORT void abort(void)
{
    struct host_rank *h = host_of_process();
    char place[PLACE_TEXT];

    if (h != NULL) {
        fprintf(stderr, "rank %d: abort(), last in %s%s\n", logp_vp_rank(h->vp), *h->call,
                host_name_here(place));
        host_abort_run(128 + SIGABRT);
    }
    host_abort();
}

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function);

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    struct host_rank *h = host_of_process();
    char place[PLACE_TEXT];

    fprintf(stderr, "%s:%u: %s: assertion `%s' failed", file, line, function, what);
    if (h != NULL) {
        fprintf(stderr, " on rank %d, last in %s%s\n", logp_vp_rank(h->vp), *h->call,
                host_name_here(place));
        host_abort_run(128 + SIGABRT);
    }
    fputc('\n', stderr);
    abort();
}

/* ---- strtok() ---- */

EXPORT char *strtok(char *text, const char *separators)
{
    struct host_rank *h = host_here();
    static char *outside;

    return strtok_r(text, separators, h != NULL ? &h->token : &outside);
}

/* ---- sleeping: on the emulated clock ---- */

/* The functions that these replace: signal handlers sleep, and host_next_of() takes a lock. */
static struct {
    __typeof__(sleep) *sleep;
    __typeof__(usleep) *usleep;
    __typeof__(nanosleep) *nanosleep;
    __typeof__(clock_nanosleep) *clock_nanosleep;
} next;

__attribute__((constructor)) static void find_next(void)
{
    next.sleep = NEXT(sleep);
    next.usleep = NEXT(usleep);
    next.nanosleep = NEXT(nanosleep);
    next.clock_nanosleep = NEXT(clock_nanosleep);
}

#define NEXT_OF(name) (next.name != NULL ? next.name : (find_next(), next.name))

/* The rank that sleeps; NULL: the host does. liblogp waits for the children that make a crash smaller, in a
 * signal handler of a rank, which must keep its core. */
static struct host_rank *sleeper(const void *caller)
{
    struct host_rank *h = host_is_own_code(caller) ? NULL : host_here();

    /* a thread that acts for the rank may call the guest meanwhile */
    return h == NULL || (h->acts && atomic_load_explicit(&h->n_threads, memory_order_relaxed) > 0)
               ? NULL
               : h;
}

#define SLEEPER sleeper(__builtin_return_address(0))

static void sleep_of(struct host_rank *h, int64_t ns)
{
    the_guest.charge_computing();
    the_guest.note_result(logp_sleep_until(h->vp, logp_now(h->vp) + ns));
    the_guest.resume_computing();
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct host_rank *h = SLEEPER;

    if (h == NULL)
        return NEXT_OF(sleep)(seconds);
    sleep_of(h, seconds * INT64_C(1000000000));
    return 0;
}

EXPORT int usleep(useconds_t us)
{
    struct host_rank *h = SLEEPER;

    if (h == NULL)
        return NEXT_OF(usleep)(us);
    sleep_of(h, us * INT64_C(1000));
    return 0;
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    struct host_rank *h = SLEEPER;

    if (h == NULL)
        return NEXT_OF(nanosleep)(t, left);
    sleep_of(h, t->tv_sec * INT64_C(1000000000) + t->tv_nsec);
    return 0;
}

/* An absolute time is one of a clock as the rank reads it; the time left until then passes. */
EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left)
{
    const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
    struct host_rank *h = SLEEPER;
    int64_t now_ns, ns;

    if (h == NULL)
        return NEXT_OF(clock_nanosleep)(clock, flags, t, left);
    now_ns = is_absolute ? host_read_clock(clock) : 0;
    if (t->tv_nsec < 0 || t->tv_nsec >= 1000000000 || now_ns < 0)
        return EINVAL;
    ns = t->tv_sec * INT64_C(1000000000) + t->tv_nsec - now_ns;
    sleep_of(h, ns > 0 ? ns : 0);
    return 0;
}
