/* SPDX-License-Identifier: MIT */
/*
 * Stack overflows. Below each fiber's stack lies a guard without access, so an overflow ends the
 * process, as it does in a thread. But a bare SIGSEGV would not show whose stack it was. So while
 * there are fibers, this handler checks each fault: if it is in the guard of the core's holder, it
 * prints that rank on stderr. Then the previous handler gets the signal: the program's own, a
 * sanitizer's, or the default.
 *
 * This line and the report of a check whose run crashes (check/crash.c) are all that this library
 * prints: the process is lost, so no error can be returned.
 */
#define _GNU_SOURCE

#include "carrier/carrier.h"
#include "carrier/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { HANDLER_STACK = 64 << 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static int n_watched;
static bool installed;          /* our handler is called: by the kernel, or by a later handler */
static struct sigaction before; /* the previous handler */

/* Async-signal-safe. @return the end */
static char *append(char *to, const char *text)
{
    while (*text != '\0')
        *to++ = *text++;
    return to;
}

static char *append_number(char *to, size_t n)
{
    char digits[24];
    int k = 0;

    do
        digits[k++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (k > 0)
        *to++ = digits[--k];
    return to;
}

static void name_it(const struct lpi_core *c)
{
    char line[160], *end = line;
    /* relaxed: this thread's own last store */
    const int rank = atomic_load_explicit(&c->holder, memory_order_relaxed);

    end = append(end, "logp: rank ");
    end = append_number(end, (size_t)rank);
    end = append(end, " has exceeded its stack of ");
    end = append_number(end, c->machine->stack_bytes);
    end = append(end, " bytes (logp_config.stack_bytes)\n");
    if (write(STDERR_FILENO, line, (size_t)(end - line)) < 0)
        return; /* nothing else can be done */
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const struct lpi_core *c = lpi_this_core;

    if (c != NULL && c->machine->executor->guards(c, info->si_addr))
        name_it(c);
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        signal(number, SIG_DFL); /* the instruction faults again, and ends the process */
    }
}

void lpi_overflow_guard(void **memory)
{
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_size = HANDLER_STACK}, has;

    *memory = NULL;
    if (sigaltstack(NULL, &has) == 0 && (has.ss_flags & SS_DISABLE) != 0) {
        stack.ss_sp = *memory = malloc(HANDLER_STACK);
        if (*memory != NULL)
            sigaltstack(&stack, NULL);
    }
    pthread_mutex_lock(&lock);
    n_watched++;
    if (!installed)
        installed = sigaction(SIGSEGV, &action, &before) == 0;
    pthread_mutex_unlock(&lock);
}

void lpi_overflow_unguard(void *memory)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    struct sigaction now;

    pthread_mutex_lock(&lock);
    if (--n_watched == 0 && sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == on_fault)
        installed = sigaction(SIGSEGV, &before, NULL) != 0;
    pthread_mutex_unlock(&lock);
    if (memory != NULL)
        sigaltstack(&none, NULL);
    free(memory);
}
