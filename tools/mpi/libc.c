/* SPDX-License-Identifier: MIT */
/*
 * What the C library has once for a process, and a rank has for itself: the program's start and
 * end, strtok(), and sleeping. These functions, and those of random.c, stream.c and getopt.c, come
 * before the C library's in the order of search. Outside of a rank they pass on to it.
 */
#include "host.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

void *next_of(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);

    if (f == NULL)
        syscall(SYS_exit_group, 127);
    return f;
}

struct rank *rank_here(void)
{
    struct job *job = the_job;
    struct logp_vp *vp = job != NULL ? logp_vp_current() : NULL;
    const int rank = vp != NULL ? logp_vp_rank(vp) : -1;

    /* relaxed: the rank's own thread writes it */
    return rank >= 0 && rank < job->n_ranks &&
                   atomic_load_explicit(&job->hosts[rank].running, memory_order_relaxed)
               ? &job->ranks[rank]
               : NULL;
}

struct host_rank *host_here(void)
{
    struct rank *r = rank_here();

    return r != NULL ? r->host : NULL;
}

/* ---- start and end ---- */

/* What was registered is forgotten, or called: the last comes first, and it may register more. */
static void end_calls(struct exit_call **calls, bool called)
{
    while (*calls != NULL) {
        struct exit_call *call = *calls;

        *calls = call->next;
        if (called)
            call->function(call->arg);
        free(call);
    }
}

void leave_rank(int code, int rc)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        abort();
    h->code = code;
    h->rc = rc;
    if (rc != 0 || code != 0)
        h->place = place_here();
    if (rc == 0) /* a handler may call exit() */
        end_calls(&h->exit_calls, true);
    if (rc == 0)
        end_image(the_job, h);
    longjmp(h->end, 1);
}

struct host_rank *host_of_process(void)
{
    struct host_rank *h = host_here();

    return h != NULL && getpid() == the_job->pid ? h : NULL;
}

/* A child of fork() is none: it ends as a process. */
static bool is_rank(void)
{
    return host_of_process() != NULL;
}

EXPORT void exit(int code)
{
    if (is_rank())
        leave_rank(code, 0);
    ((void (*)(int))next_of("exit"))(code);
    __builtin_unreachable();
}

void forget_calls(struct host_rank *h)
{
    end_calls(&h->exit_calls, false);
    end_calls(&h->quick_calls, false);
}

EXPORT void _exit(int code)
{
    struct host_rank *h = host_of_process();

    if (h != NULL) {
        forget_calls(h);
        h->was_ended = true;
        leave_rank(code, 0);
    }
    while (true)
        syscall(SYS_exit_group, code);
}

/* In parentheses, since tests/mutate counts lines with a macro of this name. */
EXPORT void(_Exit)(int code)
{
    _exit(code);
}

EXPORT void quick_exit(int code)
{
    struct host_rank *h = host_of_process();

    if (h == NULL)
        ((void (*)(int))next_of("quick_exit"))(code);
    end_calls(&h->quick_calls, true);
    _exit(code);
}

/* The thread of a rank is all that it has: what ends the one ends the other, as if main() had returned. */
EXPORT void pthread_exit(void *value)
{
    if (is_rank())
        leave_rank(0, 0);
    ((void (*)(void *))next_of("pthread_exit"))(value);
    __builtin_unreachable();
}

EXPORT _Noreturn void thrd_exit(int value)
{
    pthread_exit((void *)(intptr_t)value);
}

/* What the process was started with, if no command runs it as ranks. */
int run_alone(main_function *main, int argc, char **argv);

static main_function *own_main;

static int main_alone(int argc, char **argv, char **env)
{
    (void)env;
    return run_alone(own_main, argc, argv);
}

typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

/* Programs move and change their arguments. @return NULL: no memory */
static char **copy_arguments(int n, char **argv)
{
    size_t bytes = (size_t)(n + 1) * sizeof(char *);
    char **copy, *text;

    for (int i = 0; i < n; i++)
        bytes += strlen(argv[i]) + 1;
    copy = malloc(bytes);
    text = (char *)(copy + n + 1);
    for (int i = 0; copy != NULL && i <= n; i++) {
        copy[i] = i < n ? text : NULL;
        text = i < n ? stpcpy(text, argv[i]) + 1 : text;
    }
    return copy;
}

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    struct host_rank *h = host_here();

    if (h != NULL) {
        h->argv = copy_arguments(the_job->argc, the_job->argv);
        if (h->argv == NULL)
            leave_rank(1, -ENOMEM);
        resume_computing();
        exit(main(the_job->argc, h->argv, environ));
    }
    if (getenv("LOGP_MPIRUN") == NULL) {
        own_main = main;
        main = main_alone;
    }
    return ((start_function *)next_of("__libc_start_main"))(main, argc, argv, init, fini, rtld_fini,
                                                            stack_end);
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
        return ((int (*)(void (*)(void *), void *, void *))next_of("__cxa_atexit"))(function, arg,
                                                                                    object);
    return add_call(&h->exit_calls, function, arg);
}

EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *object);

EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *object)
{
    struct host_rank *h = host_here();

    if (h == NULL)
        return ((int (*)(void (*)(void *), void *))next_of("__cxa_at_quick_exit"))(function,
                                                                                   object);
    return add_call(&h->quick_calls, function, NULL);
}

/* Of a thread-local variable: a rank is its thread. */
EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *arg, void *object);

EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *arg, void *object)
{
    if (host_here() != NULL && the_job->main == NULL)
        return __cxa_atexit(function, arg, object);
    return ((int (*)(void (*)(void *), void *, void *))next_of("__cxa_thread_atexit_impl"))(
        function, arg, object);
}

EXPORT void abort(void)
{
    struct rank *r = is_rank() ? rank_here() : NULL;
    char place[PLACE_TEXT];

    if (r != NULL) {
        fprintf(stderr, "rank %d: abort(), last in %s%s\n", logp_vp_rank(r->vp), r->call,
                name_here(place));
        abort_run(128 + SIGABRT);
    }
    ((void (*)(void))next_of("abort"))();
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function);

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    struct rank *r = is_rank() ? rank_here() : NULL;
    char place[PLACE_TEXT];

    fprintf(stderr, "%s:%u: %s: assertion `%s' failed", file, line, function, what);
    if (r != NULL) {
        fprintf(stderr, " on rank %d, last in %s%s\n", logp_vp_rank(r->vp), r->call,
                name_here(place));
        abort_run(128 + SIGABRT);
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

static bool sleeps(int64_t ns)
{
    struct rank *r = rank_here();

    if (r == NULL)
        return false;
    charge_computing();
    class_of(logp_sleep_until(r->vp, logp_now(r->vp) + ns));
    resume_computing();
    return true;
}

EXPORT unsigned sleep(unsigned seconds)
{
    return sleeps(seconds * INT64_C(1000000000))
               ? 0
               : ((unsigned (*)(unsigned))next_of("sleep"))(seconds);
}

EXPORT int usleep(useconds_t us)
{
    return sleeps(us * INT64_C(1000)) ? 0 : ((int (*)(useconds_t))next_of("usleep"))(us);
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    return sleeps(t->tv_sec * INT64_C(1000000000) + t->tv_nsec)
               ? 0
               : ((int (*)(const struct timespec *, struct timespec *))next_of("nanosleep"))(t,
                                                                                             left);
}

/* An absolute time is one of the host's clock, so what is left until then passes. */
EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left)
{
    struct timespec now = {0, 0};
    int64_t ns;

    if (host_here() == NULL)
        return ((int (*)(clockid_t, int, const struct timespec *, struct timespec *))next_of(
            "clock_nanosleep"))(clock, flags, t, left);
    if (t->tv_nsec < 0 || t->tv_nsec >= 1000000000 ||
        ((flags & TIMER_ABSTIME) != 0 && clock_gettime(clock, &now) != 0))
        return EINVAL;
    ns = (t->tv_sec - now.tv_sec) * INT64_C(1000000000) + t->tv_nsec - now.tv_nsec;
    sleeps(ns > 0 ? ns : 0);
    return 0;
}
