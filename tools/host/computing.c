/* SPDX-License-Identifier: MIT */
/*
 * A timer of processor time samples the place of a thread of ranks, so calls of the guest pay nothing.
 *
 * Where computing takes no time, on the virtual clock without --compute, the samples show the processor time of the
 * ranks' own code. The time since the last sample counts for the rank, unless the place is in this library, in
 * liblogp, the C library or the loader.
 *
 * Where ranks share cores, the samples show a rank that waits in a loop of its own, for what another rank of its core
 * would write if it ran: the registers have few values, again and again.
 */
#include "host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* The kernel looks at each tick, of 1 to 10 ms. */
enum { INTERVAL_NS = 1000000, SPIN_INTERVAL_NS = 10000000, N_LIBRARIES = 4 };
enum { N_STATES = 16 };
static const int64_t spin_ns = 2000000000;

static struct {
    uintptr_t begin, end; /* of the code of a library */
} libraries[N_LIBRARIES];

static int signal_number; /* 0: nothing is watched */
static bool counts, looks_for_loops;
static atomic_flag said_loop = ATOMIC_FLAG_INIT;
static _Thread_local int64_t looked_ns;

static int64_t processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static uintptr_t place_in(const void *context)
{
    const ucontext_t *c = context;

#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)c->uc_mcontext.pc;
#else
    (void)c;
    return 0;
#endif
}

/* Of all registers */
static uint64_t state_in(const void *context)
{
    const ucontext_t *c = context;
    uint64_t state = 1;

#if defined(__x86_64__)
    for (int i = REG_R8; i <= REG_RIP; i++)
        state = (state ^ (uint64_t)c->uc_mcontext.gregs[i]) * UINT64_C(0x9e3779b97f4a7c15);
#elif defined(__aarch64__)
    for (int i = 0; i < 31; i++)
        state = (state ^ c->uc_mcontext.regs[i]) * UINT64_C(0x9e3779b97f4a7c15);
    state ^= c->uc_mcontext.pc;
#else
    (void)c;
#endif
    return state;
}

static void name_loop(const struct host_rank *h)
{
    char text[256 + PLACE_TEXT], place[PLACE_TEXT];
    const uintptr_t at = host_place_here();
    int n;

    if (atomic_flag_test_and_set_explicit(&said_loop,
                                          memory_order_relaxed)) /* no data depends on it */
        return;
    host_name_places(the_job, &at, 1, &place);
    n = snprintf(text, sizeof(text),
                 "rank %d has waited in a loop of its own for 2 s%s: the other ranks of its core "
                 "run only when it calls "
                 "%s; call it in the loop, or start at most as many ranks as cores\n",
                 logp_vp_rank(h->vp), place, the_guest.name);
    if (n > 0)
        host_write_all(STDERR_FILENO, text, (size_t)n);
}

/* A sample of h, after so much processor time of its thread. */
static void look_for_loop(const struct host_rank *h, const void *context, int64_t now_ns)
{
    static _Thread_local struct {
        const struct host_rank *of;
        uint64_t states[N_STATES];
        int n;
        int64_t since_ns;
    } seen;
    const uint64_t state = state_in(context);
    int i = 0;

    while (i < seen.n && seen.states[i] != state)
        i++;
    if (h != seen.of || i == N_STATES) {
        seen.of = h;
        seen.since_ns = now_ns;
        seen.n = i = 0;
    }
    if (i == seen.n)
        seen.states[seen.n++] = state;
    else if (h != NULL && now_ns - seen.since_ns >= spin_ns)
        name_loop(h);
}

static void look(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = place_in(context);
    const int64_t now_ns = processor_ns(), passed_ns = now_ns - looked_ns;
    struct host_rank *h = host_here();
    bool is_own = h != NULL && at != 0;

    (void)number, (void)info;
    looked_ns = now_ns;
    for (int i = 0; i < N_LIBRARIES; i++)
        is_own = is_own && (at < libraries[i].begin || at >= libraries[i].end);
    if (is_own && counts)
        h->computed_ns += passed_ns;
    if (looks_for_loops)
        look_for_loop(h, context, now_ns);
}

/* A signal that nothing uses. */
static int free_signal(void)
{
    struct sigaction now;

    for (int number = SIGRTMAX; number > SIGRTMIN; number--)
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            return number;
    return 0;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    const uintptr_t *known = arg;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + p->p_vaddr;

        for (int k = 0; k < N_LIBRARIES; k++)
            if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0 && known[k] - begin < p->p_memsz) {
                libraries[k].begin = begin;
                libraries[k].end = begin + p->p_memsz;
            }
    }
    return 0;
}

void host_begin_looking(bool computes, bool loops)
{
    struct sigaction action = {.sa_sigaction = look,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    const uintptr_t known[N_LIBRARIES] = {(uintptr_t)host_begin_looking, (uintptr_t)logp_now,
                                          (uintptr_t)dlsym(RTLD_NEXT, "memcpy"),
                                          (uintptr_t)dlsym(RTLD_DEFAULT, "__tls_get_addr")};

    counts = computes;
    looks_for_loops = loops;
    signal_number = free_signal();
    dl_iterate_phdr(note_library, (void *)(uintptr_t)known);
    if (signal_number != 0 && sigaction(signal_number, &action, NULL) != 0)
        signal_number = 0;
}

void host_look_here(void)
{
    const long ns = counts ? INTERVAL_NS : SPIN_INTERVAL_NS;
    const struct itimerspec at = {{.tv_nsec = ns}, {.tv_nsec = ns}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
    static _Thread_local bool looks;
    clockid_t clock;
    timer_t timer; /* never deleted: other ranks of the thread still run */

    if (signal_number == 0 || looks)
        return;
    looks = true;
    looked_ns = processor_ns();
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (pthread_getcpuclockid(pthread_self(), &clock) == 0 &&
        timer_create(clock, &event, &timer) == 0)
        timer_settime(timer, 0, &at, NULL);
}
