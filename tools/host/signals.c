/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers of a rank. The process has one for each signal that any rank handles, which calls those of the ranks:
 * that of the rank in which the signal has arisen (a fault, raise(), its own alarm), that of the rank whose number kill()
 * names, or, for a signal from outside, those of all. A handler is in the image of its rank, and so has its globals.
 */
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { N_SIGNALS = 65 };

struct host_signals {
    struct sigaction actions[N_SIGNALS];
    bool is_set[N_SIGNALS];
    timer_t alarm; /* of alarm() and setitimer() */
    bool has_alarm;
};

static struct sigaction before[N_SIGNALS]; /* of the process */
static atomic_bool is_taken[N_SIGNALS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __typeof__(sigaction) *next_sigaction;
static __typeof__(raise) *next_raise;

__attribute__((constructor)) static void find_next(void)
{
    void *f = host_next_of("sigaction");

    memcpy(&next_sigaction, &f, sizeof(f));
    next_raise = NEXT(raise);
}

static int take_action(int number, const struct sigaction *action, struct sigaction *old)
{
    if (next_sigaction == NULL)
        find_next();
    return next_sigaction(number, action, old);
}

/* The rank that calls; NULL: none, or this library does. */
static struct host_rank *caller_of(const void *address)
{
    return the_job != NULL && the_job->main == NULL && !host_is_own_code(address)
               ? host_of_process()
               : NULL;
}

#define CALLER caller_of(__builtin_return_address(0))

/* ---- what happens at a signal ---- */

static bool is_handled(const struct host_rank *h, int number)
{
    return h->signals != NULL && h->signals->is_set[number] &&
           h->signals->actions[number].sa_handler != SIG_DFL;
}

static void call(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    if ((action->sa_flags & SA_SIGINFO) != 0)
        action->sa_sigaction(number, info, context);
    else if (action->sa_handler != SIG_IGN)
        action->sa_handler(number);
}

static void call_of(struct host_rank *h, int number, siginfo_t *info, void *context)
{
    struct sigaction action = h->signals->actions[number];

    if ((action.sa_flags & (int)SA_RESETHAND) != 0)
        h->signals->is_set[number] = false;
    call(&action, number, info, context);
}

/* What the process would do without the handlers of ranks. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    static const int harmless[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};

    if (before[number].sa_handler != SIG_DFL) {
        call(&before[number], number, info, context);
        return;
    }
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (number == harmless[i])
            return;
    take_action(number, &before[number], NULL);
    next_raise(number); /* or the fault happens again */
}

/* The rank that a signal is for; NULL: all */
static struct host_rank *target_of(int number, const siginfo_t *info)
{
    const bool is_fault =
        info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
                              number == SIGILL || number == SIGTRAP || number == SIGSYS);

    if (info->si_code == SI_TIMER && number == SIGALRM)
        return info->si_value.sival_ptr;
    return is_fault || info->si_code == SI_TKILL ? host_here() : NULL;
}

static void dispatch(int number, siginfo_t *info, void *context)
{
    struct host_rank *h = target_of(number, info);
    const int error = errno;
    bool any = false;

    if (h != NULL && is_handled(h, number)) {
        call_of(h, number, info, context);
        any = true;
    }
    for (int i = 0; h == NULL && the_job != NULL && i < the_job->n_ranks; i++)
        if (is_handled(&the_job->hosts[i], number)) {
            call_of(&the_job->hosts[i], number, info, context);
            any = true;
        }
    if (!any)
        pass_on(number, info, context);
    errno = error;
}

/* ---- handlers ---- */

static bool take_signal(int number, int flags)
{
    struct sigaction action = {.sa_sigaction = dispatch,
                               .sa_flags =
                                   SA_SIGINFO | (int)SA_ONSTACK | (flags & (int)SA_RESTART)};
    bool taken;

    pthread_mutex_lock(&mutex);
    /* relaxed: the lock orders it */
    taken = atomic_load_explicit(&is_taken[number], memory_order_relaxed) ||
            take_action(number, &action, &before[number]) == 0;
    atomic_store_explicit(&is_taken[number], taken, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    return taken;
}

static int set_handler(struct host_rank *h, int number, const struct sigaction *action,
                       struct sigaction *old)
{
    if (number <= 0 || number >= N_SIGNALS) {
        errno = EINVAL;
        return -1;
    }
    if (h->signals == NULL)
        h->signals = calloc(1, sizeof(*h->signals));
    if (h->signals == NULL)
        return -1;
    if (old != NULL)
        *old = h->signals->is_set[number] ? h->signals->actions[number]
                                          : (struct sigaction){.sa_handler = SIG_DFL};
    if (action == NULL)
        return 0;
    if (!take_signal(number, action->sa_flags))
        return -1;
    h->signals->actions[number] = *action;
    h->signals->is_set[number] = true;
    return 0;
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    struct host_rank *h = CALLER;

    return h != NULL ? set_handler(h, number, action, old) : take_action(number, action, old);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct host_rank *h = CALLER;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    if ((h != NULL ? set_handler(h, number, &action, &old) : take_action(number, &action, &old)) !=
        0)
        return SIG_ERR;
    return old.sa_handler;
}

/* ---- signals of a rank to itself, or to another ---- */

static bool is_blocked(int number)
{
    sigset_t set;

    return pthread_sigmask(SIG_SETMASK, NULL, &set) != 0 || sigismember(&set, number) != 0;
}

static void send_to(struct host_rank *h, int number)
{
    siginfo_t info = {.si_signo = number, .si_code = SI_USER};
    ucontext_t context;

    info.si_pid = host_number_of(the_job, (int)(h - the_job->hosts));
    info.si_uid = getuid();
    memset(&context, 0, sizeof(context));
    call_of(h, number, &info, &context);
}

EXPORT int raise(int number)
{
    struct host_rank *h = CALLER;

    if (h == NULL || number <= 0 || number >= N_SIGNALS || !is_handled(h, number) ||
        is_blocked(number))
        return next_raise != NULL ? next_raise(number) : NEXT(raise)(number);
    send_to(h, number);
    return 0;
}

EXPORT int kill(pid_t pid, int number)
{
    struct host_rank *h = CALLER;

    for (int i = 0; h != NULL && pid > 0 && i < the_job->n_ranks; i++)
        if (host_number_of(the_job, i) == pid) {
            if (number == 0)
                return 0;
            if (number < 0 || number >= N_SIGNALS || !is_handled(&the_job->hosts[i], number))
                return (int)syscall(SYS_kill, the_job->pid, number);
            if (&the_job->hosts[i] == h && is_blocked(number))
                return next_raise(number);
            send_to(&the_job->hosts[i], number);
            return 0;
        }
    return (int)syscall(SYS_kill, pid, number);
}

/* ---- alarms ---- */

static int set_alarm(struct host_rank *h, const struct itimerval *new, struct itimerval *old)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = h};
    struct itimerspec at = {{0, 0}, {0, 0}}, was = {{0, 0}, {0, 0}};

    if (h->signals == NULL)
        h->signals = calloc(1, sizeof(*h->signals));
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (h->signals == NULL ||
        (!h->signals->has_alarm && timer_create(CLOCK_MONOTONIC, &event, &h->signals->alarm) != 0))
        return -1;
    h->signals->has_alarm = true;
    if (new != NULL) {
        at.it_value = (struct timespec){new->it_value.tv_sec, new->it_value.tv_usec * 1000};
        at.it_interval =
            (struct timespec){new->it_interval.tv_sec, new->it_interval.tv_usec * 1000};
    }
    if ((new != NULL ? timer_settime(h->signals->alarm, 0, &at, &was)
                     : timer_gettime(h->signals->alarm, &was)) != 0)
        return -1;
    if (old != NULL) {
        old->it_value = (struct timeval){was.it_value.tv_sec, was.it_value.tv_nsec / 1000};
        old->it_interval = (struct timeval){was.it_interval.tv_sec, was.it_interval.tv_nsec / 1000};
    }
    return 0;
}

EXPORT unsigned alarm(unsigned seconds)
{
    struct host_rank *h = host_of_process();
    const struct itimerval at = {.it_value = {.tv_sec = seconds}};
    struct itimerval left;

    if (h == NULL)
        return NEXT(alarm)(seconds);
    return set_alarm(h, &at, &left) == 0
               ? (unsigned)left.it_value.tv_sec + (left.it_value.tv_usec > 0)
               : 0;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *at, struct itimerval *old)
{
    struct host_rank *h = which == ITIMER_REAL ? host_of_process() : NULL;

    return h != NULL ? set_alarm(h, at, old) : (int)syscall(SYS_setitimer, which, at, old);
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *at)
{
    struct host_rank *h = which == ITIMER_REAL ? host_of_process() : NULL;

    return h != NULL ? set_alarm(h, NULL, at) : (int)syscall(SYS_getitimer, which, at);
}

void host_end_signals(struct host_rank *h)
{
    struct host_signals *s = h->signals;

    h->signals = NULL;
    if (s != NULL && s->has_alarm)
        timer_delete(s->alarm);
    free(s);
}
