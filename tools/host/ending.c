/* SPDX-License-Identifier: MIT */
/*
 * A run that is over: a rank has called host_abort_run(), failed or ended too early, or a signal has
 * come. The others see it at their next call. A rank that makes no more calls does not, so a thread
 * ends the process PATIENCE_S later. Semaphores, because signal handlers may post them.
 */
#include "host.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE_S = 2
}; /* longer than the runtime waits after --timeout: its report has more detail */

static sem_t over, returned; /* the run is over; logp_machine_run() has returned */
static int (*code_of)(void);
static pthread_t watcher;
static bool watches;
static struct sigaction before[2];
static const int signals[] = {SIGINT, SIGTERM};

static void await(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

static void *watch(void *arg)
{
    struct timespec end;

    (void)arg;
    await(&over);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    for (;;) {
        if (sem_timedwait(&returned, &end) == 0)
            return NULL;
        if (errno != EINTR)
            break;
    }
    fprintf(host_report_stream(),
            "the run is over, but a rank is still in its own code: the process ends\n");
    _exit(code_of());
}

void host_note_over(void)
{
    if (watches)
        sem_post(&over);
}

static void interrupted(int number, siginfo_t *info, void *context)
{
    const struct sigaction *theirs = &before[number == signals[1]];

    if ((theirs->sa_flags & SA_SIGINFO) != 0)
        theirs->sa_sigaction(number, info, context);
    else if (theirs->sa_handler != SIG_IGN && theirs->sa_handler != SIG_DFL)
        theirs->sa_handler(number);
    host_note_over();
}

void host_catch_interrupts(void)
{
    struct sigaction action = {.sa_sigaction = interrupted, .sa_flags = SA_SIGINFO};

    for (int i = 0; watches && i < 2; i++)
        if (sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_DFL &&
            before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void host_begin_watch(int (*exit_code)(void))
{
    code_of = exit_code;
    sem_init(&over, 0, 0);
    sem_init(&returned, 0, 0);
    watches = pthread_create(&watcher, NULL, watch, NULL) == 0;
}

void host_end_watch(void)
{
    if (!watches)
        return;
    sem_post(&returned);
    sem_post(&over);
    pthread_join(watcher, NULL);
    watches = false; /* its semaphores stay: a late signal may still post */
}
