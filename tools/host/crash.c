/* SPDX-License-Identifier: MIT */
/* A rank that crashes: its place is reported before the process ends, or the test kit repeats the run. So is that of
 * one that a sanitizer ends. */
#include "host.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sigaction before; /* of SIGSEGV: the runtime names a stack that is exceeded */

/* Libraries are loaded once, and many are not made for several threads. */
static void blame_library(const struct host_rank *h)
{
    const char *library = host_library_here(), *slash;
    char text[512];
    int n;

    if (library == NULL || the_job->n_ranks == 1 || logp_machine_cores(logp_vp_machine(h->vp)) == 1)
        return;
    slash = strrchr(library, '/');
    n = snprintf(text, sizeof(text),
                 "the crash is within %.200s, which all ranks share: link it statically, or type "
                 "--cores 0\n",
                 slash != NULL ? slash + 1 : library);
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* there is no place for it */
}

/* h: the rank; NULL: a thread of the maker. by: what ends it. @return false: there is no place for the report */
static bool report(const struct host_rank *h, const struct host_rank *maker, const char *by)
{
    char text[256 + 2 * PLACE_TEXT], place[PLACE_TEXT], library[PLACE_TEXT];
    const uintptr_t at = host_place_here();
    int n;

    host_name_places(the_job, &at, 1, &place);
    host_name_own_library(library);
    if (h != NULL)
        n = snprintf(text, sizeof(text), "rank %d crashed (%s)%s, last in %s%s\n",
                     logp_vp_rank(h->vp), by, library, *h->call, place);
    else
        n = snprintf(text, sizeof(text), "a thread that rank %d has made crashed (%s)%s%s\n",
                     (int)(maker - the_job->hosts), by, library, place);
    return n <= 0 || write(STDERR_FILENO, text, (size_t)n) >= 0;
}

static void crashed(int signal_number, siginfo_t *info, void *context)
{
    const struct host_rank *h = host_here();
    const struct host_rank *maker = the_job != NULL ? host_maker() : NULL;

    if (h != NULL ? signal_number != SIGABRT || the_job->main == NULL : maker != NULL) {
        if (!report(h, maker, strsignal(signal_number)))
            signal(signal_number, SIG_DFL);
        blame_library(h);
    }
    if (the_job != NULL && the_job->kept != NULL && (h != NULL || maker != NULL)) {
        host_print_crashed(the_job);
        if (the_job->fails_by_crash) /* not _exit(), which is that of the rank */
            syscall(SYS_exit_group, EXIT_FAILURE);
    }
    if (signal_number == SIGSEGV && (before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(signal_number, info, context);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void *host_make_handler_stack(void)
{
    stack_t stack = {.ss_size = 64 << 10}, has;

    if (sigaltstack(NULL, &has) != 0 || (has.ss_flags & SS_DISABLE) == 0)
        return NULL;
    stack.ss_sp = malloc(stack.ss_size);
    if (stack.ss_sp != NULL)
        sigaltstack(&stack, NULL);
    return stack.ss_sp;
}

void host_free_handler_stack(void *memory)
{
    const stack_t none = {.ss_flags = SS_DISABLE};

    if (memory != NULL)
        sigaltstack(&none, NULL);
    free(memory);
}

void host_catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = crashed,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, signals[i] == SIGSEGV ? &before : NULL);
}

/* ---- sanitizers ---- */

/* The runtime's report of a run that a sanitizer is about to end */
static void (*report_run)(void);

static void ended_by_sanitizer(void)
{
    const struct host_rank *h = host_here(), *maker = host_maker();

    report_run();
    if (h == NULL && maker == NULL)
        return;
    report(h, maker, "the report of a sanitizer");
    host_print_crashed(the_job);
}

/* UBSan, if the program or a library of its own is compiled with it */
static void *undefined_sanitizer(void)
{
    void *library = NULL;

    for (const struct link_map *map = _r_debug.r_map; library == NULL && map != NULL;
         map = map->l_next)
        if (strstr(map->l_name, "/libubsan.") != NULL ||
            strstr(map->l_name, "/libclang_rt.ubsan") != NULL)
            library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

/* liblogp calls it, where a check begins; the sanitizer's own comes with the program, whose libraries are loaded by then but
 * are not where the loader looks for liblogp. Those of the program call it, too. */
EXPORT void __sanitizer_set_death_callback(void (*callback)(void));

EXPORT void __sanitizer_set_death_callback(void (*callback)(void))
{
    const bool is_explored = the_job != NULL && the_job->kept != NULL;
    void *library = undefined_sanitizer(), *address;
    void (*set)(void (*)(void));

    address = library != NULL ? dlsym(library, __func__) : NULL;
    if (address == NULL || (is_explored && host_here() != NULL))
        return;
    memcpy(&set, &address, sizeof(set));
    report_run = callback;
    set(is_explored ? ended_by_sanitizer : callback);
}
