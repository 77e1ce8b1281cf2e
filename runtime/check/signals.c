/* SPDX-License-Identifier: MIT */
/*
 * Runs that end the process: by a signal of the program's own (an abort, a bad access, an exception
 * that nothing catches, a stack overflow), or by exit(). While there are checks, handlers find the
 * check that the thread runs for, let a function keep its failure, and then let the process end as it
 * would have ended.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

enum { N_SIGNALS = 6, HANDLER_STACK = 64 << 10 };
static const struct {
    int number;
    const char *name;
} signals[N_SIGNALS] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
                        {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the writes below */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t stacks;                /* of threads that got one here */
static struct sigaction before[N_SIGNALS];  /* the previous handlers */
static bool installed[N_SIGNALS];           /* ours is called: by the kernel, or by a later one */
static _Atomic int n_watched;               /* checks */
static struct lpi_observer *_Atomic latest; /* of the last run that began */
static _Atomic lpi_crash_function on_crash; /* NULL: there was no check */
static pid_t process;

/* The check that this thread runs for; NULL: none. */
static _Thread_local struct lpi_observer *running;
static _Thread_local bool has_stack;

/* ---- in the handlers ---- */

/* relaxed: a signal on another thread may come at any time. acquire pairs with the release in
 * lpi_signals_enter(): the observer that it points to is visible */
static struct lpi_observer *whose(void)
{
    struct lpi_observer *e = running;

    if (e == NULL && atomic_load_explicit(&n_watched, memory_order_relaxed) == 1)
        e = atomic_load_explicit(&latest, memory_order_acquire);
    return e != NULL && !e->detached && getpid() == process ? e : NULL;
}

/* relaxed: it has been set before the run, always to the same */
static void crash(struct lpi_observer *e, enum logp_failure_kind kind, int error, bool by_run)
{
    atomic_load_explicit(&on_crash, memory_order_relaxed)(e, kind, error, by_run);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const bool foreign = info->si_code == SI_USER && info->si_pid != getpid();
    struct lpi_observer *e = foreign ? NULL : whose();
    int i = 0;

    if (e != NULL)
        crash(e, LOGP_FAILURE_CRASHED, number, running != NULL);
    while (signals[i].number != number)
        i++;
    if ((before[i].sa_flags & SA_SIGINFO) != 0) {
        before[i].sa_sigaction(number, info, context);
    } else if (before[i].sa_handler != SIG_DFL) {
        before[i].sa_handler(number);
    } else {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this handler returns */
    }
}

/* exit() by a thread of a run. The other functions that are called at exit are those of a program
 * that has ended well: they are not called. */
static void on_exit_in_run(void)
{
    struct lpi_observer *e = running;

    if (e == NULL || e->detached || getpid() != process)
        return;
    crash(e, LOGP_FAILURE_EXITED, 0, true);
    _exit(EXIT_FAILURE);
}

/* ---- threads ---- */

static void free_stack(void *memory)
{
    const stack_t none = {.ss_flags = SS_DISABLE};

    sigaltstack(&none, NULL);
    free(memory);
}

/* A sanitizer has reported an error, and is about to end the process. */
static void on_death(void)
{
    struct lpi_observer *e = whose();

    if (e != NULL)
        crash(e, LOGP_FAILURE_CRASHED, LPI_SANITIZER, running != NULL);
}

/* Of AddressSanitizer, UndefinedBehaviorSanitizer and others, if the program has been built with one. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void watch_exit(void)
{
    atexit(on_exit_in_run);
    at_quick_exit(on_exit_in_run);
}

static void prepare(void)
{
    pthread_key_create(&stacks, free_stack);
    lpi_place_prepare();
    watch_exit();
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(on_death);
}

/* A handler cannot run on a stack that has overflowed. Fibers' threads have another one already. */
static void take_stack(void)
{
    stack_t stack = {.ss_size = HANDLER_STACK}, has;

    has_stack = true;
    if (sigaltstack(NULL, &has) != 0 || (has.ss_flags & SS_DISABLE) == 0)
        return;
    stack.ss_sp = malloc(HANDLER_STACK);
    if (stack.ss_sp == NULL)
        return;
    if (pthread_setspecific(stacks, stack.ss_sp) != 0 || sigaltstack(&stack, NULL) != 0) {
        pthread_setspecific(stacks, NULL);
        free(stack.ss_sp);
    }
}

struct lpi_observer *lpi_signals_enter(struct lpi_observer *e)
{
    struct lpi_observer *outer = running;

    running = e;
    if (e != NULL)
        /* release pairs with the acquire in whose() */
        atomic_store_explicit(&latest, e, memory_order_release);
    return outer;
}

struct lpi_observer *lpi_signals_running(void)
{
    return running;
}

struct lpi_observer *lpi_signals_foreign(void)
{
    return running == NULL ? whose() : NULL;
}

int lpi_signals_program(struct logp_vp *vp, void *observer)
{
    struct lpi_observer *e = observer;

    jmp_buf frame;
    volatile int rc = -EHOSTDOWN; /* it has crashed, if the program is left */

    running = e;
    if (!has_stack)
        take_stack();
    if (e->frames == NULL)
        return e->program(vp, e->check_arg);
    e->frames[logp_vp_rank(vp)] = frame;
    if (_setjmp(frame) == 0)
        rc = e->program(vp, e->check_arg);
    return rc;
}

const char *lpi_signal_name(int number)
{
    for (int i = 0; i < N_SIGNALS; i++)
        if (signals[i].number == number)
            return signals[i].name;
    return number == LPI_SANITIZER ? "the report of a sanitizer" : "a signal";
}

void lpi_signals_in_child(void)
{
    sigset_t ours;

    process = getpid();
    sigemptyset(&ours);
    for (int i = 0; i < N_SIGNALS; i++)
        sigaddset(&ours, signals[i].number);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    watch_exit(); /* again: the parent may be in exit() */
}

/* ---- checks ---- */

void lpi_signals_watch(lpi_crash_function function)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
    process = getpid();
    atomic_store_explicit(&on_crash, function, memory_order_relaxed); /* as in crash() */
    atomic_fetch_add_explicit(&n_watched, 1, memory_order_relaxed);   /* as in whose() */
    for (int i = 0; i < N_SIGNALS; i++) {
        if (installed[i] || sigaction(signals[i].number, NULL, &before[i]) != 0)
            continue;
        if ((before[i].sa_flags & SA_SIGINFO) == 0 && before[i].sa_handler == SIG_IGN)
            continue;
        installed[i] = sigaction(signals[i].number, &ours, NULL) == 0;
    }
    pthread_mutex_unlock(&lock);
}

void lpi_signals_unwatch(void)
{
    struct sigaction now;

    pthread_mutex_lock(&lock);
    if (atomic_fetch_sub_explicit(&n_watched, 1, memory_order_relaxed) == 1) { /* as in whose() */
        atomic_store_explicit(&latest, NULL, memory_order_relaxed); /* no check is left */
        for (int i = 0; i < N_SIGNALS; i++)
            if (installed[i] && sigaction(signals[i].number, NULL, &now) == 0 &&
                (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal)
                installed[i] = sigaction(signals[i].number, &before[i], NULL) != 0;
    }
    pthread_mutex_unlock(&lock);
}
