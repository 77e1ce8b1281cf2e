/* SPDX-License-Identifier: MIT */
/*
 * What grows with the number of cores, on a host with two: LOGP_TEST_CORES feigns them.
 *
 *     bench_cores [ROUNDS]
 *
 * Ranks 0 and 1, on the two real cores, exchange messages of 8 bytes. The threads of all other cores
 * are in blocking sections, and first each has sent a message to both. So a poll has the lanes of C - 1
 * cores to read, and the times show what C costs. A row has the least times of REPEATS, the delays
 * of all models being 0, and their ratios to those of two cores.
 *
 * Then it creates machines of as many cores as vps, each in a process of its own.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 40, WINDOW = 64 };

static const int cores[] = {2, 8, 16, 32, 64, 128};
enum { N_CORES = sizeof(cores) / sizeof(cores[0]) };

/* Where feigned cores share a processor the library yields while it waits. Ranks 0 and 1 share theirs
 * with none that runs, so while they are measured a yield must not take time. */
static atomic_bool alone;

int sched_yield(void)
{
    return atomic_load_explicit(&alone, memory_order_relaxed) ? 0 : (int)syscall(SYS_sched_yield);
}

struct crowd {
    int n, rounds, window;
    sem_t over;
    atomic_int parked;
    double least_ns;
};

static int exchange(struct logp_vp *vp, const struct crowd *c)
{
    const int me = logp_vp_rank(vp);
    uint64_t x = 0;
    int rc = 0;

    for (int i = 0; rc == 0 && i < c->rounds; i++) {
        for (int k = 0; rc == 0 && k < c->window; k++)
            rc = me == 0 ? logp_send(vp, 1, 0, &x, sizeof(x))
                         : logp_recv(vp, 0, 0, &x, sizeof(x), NULL);
        if (rc == 0)
            rc = me == 0 ? logp_recv(vp, 1, 0, &x, sizeof(x), NULL)
                         : logp_send(vp, 0, 0, &x, sizeof(x));
    }
    return rc;
}

static int park(struct logp_vp *vp, struct crowd *c)
{
    int rc = 0;

    for (int dst = 0; rc == 0 && dst < 2; dst++)
        rc = logp_send(vp, dst, 1, NULL, 0);
    if (rc != 0)
        return rc;
    logp_blocking_begin(vp);
    atomic_fetch_add(&c->parked, 1);
    while (sem_wait(&c->over) != 0)
        ;
    return logp_blocking_end(vp);
}

static int live(struct logp_vp *vp, void *arg)
{
    struct crowd *c = arg;
    const int me = logp_vp_rank(vp);
    int rc = 0;

    if (me >= 2)
        return park(vp, c);
    for (int src = 2; rc == 0 && src < c->n; src++)
        rc = logp_recv(vp, src, 1, NULL, 0, NULL);
    while (atomic_load(&c->parked) < c->n - 2)
        usleep(1000);
    atomic_store(&alone, true);
    for (int k = 0; rc == 0 && k < REPEATS; k++) {
        const int64_t start = bench_now_ns();
        double ns;

        rc = exchange(vp, c);
        ns = (double)(bench_now_ns() - start) / c->rounds / (c->window + (c->window == 1));
        if (me == 0 && (k == 0 || ns < c->least_ns))
            c->least_ns = ns;
    }
    atomic_store(&alone, false);
    for (int i = 2; me == 0 && i < c->n; i++)
        sem_post(&c->over);
    return rc;
}

static void feign(int n)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", n);
    setenv("LOGP_TEST_CORES", text, 1);
}

/* ns a message between two of n cores. window: messages for each answer; 1: a ping-pong */
static double message_ns(int n, const char *model, int rounds, int window)
{
    const struct logp_config config = {.n_processors = n, .executor = "thread"};
    struct crowd c = {.n = n, .rounds = rounds / window, .window = window};
    struct logp_machine *m;

    feign(n);
    sem_init(&c.over, 0, 0);
    m = bench_machine(config, model, &(struct logp_params){0});
    if (logp_machine_cores(m) != n)
        bench_check(-ENODEV, "cores");
    bench_check(logp_machine_run(m, live, &c, 0), "run");
    logp_machine_destroy(m);
    return c.least_ns;
}

static void exchanges(int rounds)
{
    static const struct {
        const char *name, *model;
        int window;
    } cases[] = {{"ping-pong, none", NULL, 1},
                 {"ping-pong, emulated", "loggp", 1},
                 {"window, none", NULL, WINDOW},
                 {"window, emulated", "loggp", WINDOW}};

    printf("%-30s", "ns a message (to two cores): C");
    for (int i = 0; i < N_CORES; i++)
        printf("  %13d", cores[i]);
    printf("\n");
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        double two = 0;

        printf("%-30s", cases[k].name);
        for (int i = 0; i < N_CORES; i++) {
            const double ns = message_ns(cores[i], cases[k].model, rounds, cases[k].window);

            two = i == 0 ? ns : two;
            printf("  %6.0f (%4.2f)", ns, ns / two);
            fflush(stdout);
        }
        printf("\n");
    }
}

/* ---- creation ---- */

static long resident_kib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all = 0, resident = 0;

    if (f == NULL || fscanf(f, "%ld %ld", &all, &resident) != 2)
        bench_check(-EIO, "/proc/self/statm");
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The second machine of a process: the library and the C library are loaded by then. */
static void create(int n)
{
    const struct logp_config config = {.n_processors = n, .executor = "thread"};
    long kib = 0;
    double us = 0;

    feign(n);
    for (int i = 0; i < 2; i++) {
        const int64_t start = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        struct logp_machine *m;

        kib = resident_kib();
        m = bench_machine(config, NULL, NULL);
        us = (double)(bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1000;
        kib = resident_kib() - kib;
        logp_machine_destroy(m);
    }
    printf("create a machine of %3d cores: %6.0f us of CPU time, %6ld KiB\n", n, us, kib);
}

static void creations(void)
{
    for (int i = 0; i < N_CORES; i++) {
        fflush(stdout);
        if (fork() == 0) {
            create(cores[i]);
            exit(0);
        }
        wait(NULL);
    }
}

int main(int argc, char **argv)
{
    creations(); /* before any machine: a process that has had one cannot fork */
    exchanges(argc > 1 ? atoi(argv[1]) : 2560);
    return 0;
}
