/* SPDX-License-Identifier: MIT */
/*
 * What grows with the number of cores, on a host with two: this program makes the library see more.
 *
 *     bench_cores [ROUNDS]
 *
 * Ranks 0 and 1, on the two real cores, exchange messages of 8 bytes. The threads of all other cores
 * are in blocking sections, and first each has sent a message to both. So a poll has the lanes of C - 1
 * cores to read, and the times show what C costs. The delays of the model are 0. All numbers of cores
 * are measured in turn, PASSES times, and the table has the least times and their ratios to those of
 * two cores. (LOGP_TEST_CORES would make cores that share a processor yield.)
 *
 * Before that, it measures the creation of machines with one vp on each core. Each machine is created
 * in a separate process. At last, it measures how long cores wait for the release of a start.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 40, PASSES = 3, WINDOW = 64 };

static const int cores[] = {2, 8, 16, 32, 64, 128};
enum { N_CORES = sizeof(cores) / sizeof(cores[0]) };

/* ---- a host with more cores ---- */

static int n_feigned = 1;

#define FOR_THE_LIBRARY __attribute__((visibility("default"))) /* it calls these */

/* The hardware threads 0 .. n_feigned - 1 */
FOR_THE_LIBRARY int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    CPU_ZERO_S(size, set);
    for (int i = 0; i < n_feigned; i++)
        CPU_SET_S((size_t)i, size, set);
    return 0;
}

/* Even ones are the first real one, odd ones the second. */
FOR_THE_LIBRARY int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size,
                                                const cpu_set_t *set)
{
    static int (*real)(pthread_attr_t *, size_t, const cpu_set_t *);
    cpu_set_t one;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_attr_setaffinity_np");
    CPU_ZERO(&one);
    for (size_t i = 0; i < 8 * size; i++)
        if (CPU_ISSET_S(i, size, set))
            CPU_SET(i % 2, &one);
    return real(attr, sizeof(one), &one);
}

static void feign(int n)
{
    char text[32];

    snprintf(text, sizeof(text), "core:%d pu:1", n);
    setenv("HWLOC_SYNTHETIC", text, 1);
    n_feigned = n;
}

/* A vp on each of n cores */
static struct logp_machine *machine_of(int n, const char *model)
{
    static int all[128];

    feign(n);
    for (int i = 0; i < n; i++)
        all[i] = i;
    return bench_machine(
        (struct logp_config){.n_processors = n, .executor = "thread", .cores = all, .n_cores = n},
        model, &(struct logp_params){0});
}

/* ---- messages ---- */

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
    for (int k = 0; rc == 0 && k < REPEATS; k++) {
        const int64_t start = bench_now_ns();
        double ns;

        rc = exchange(vp, c);
        ns = (double)(bench_now_ns() - start) / c->rounds / (c->window + (c->window == 1));
        if (me == 0 && (k == 0 || ns < c->least_ns))
            c->least_ns = ns;
    }
    for (int i = 2; me == 0 && i < c->n; i++)
        sem_post(&c->over);
    return rc;
}

/* ns a message between two of n cores. window: messages for each answer; 1: a ping-pong */
static double message_ns(int n, const char *model, int rounds, int window)
{
    struct crowd c = {.n = n, .rounds = rounds / window, .window = window};
    struct logp_machine *m;

    sem_init(&c.over, 0, 0);
    m = machine_of(n, model);
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

    printf("%-30s", "ns a message, (to two cores)");
    for (int i = 0; i < N_CORES; i++)
        printf("  %7d cores", cores[i]);
    printf("\n");
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        double least[N_CORES];

        for (int pass = 0; pass < PASSES; pass++)
            for (int i = 0; i < N_CORES; i++) {
                const double ns = message_ns(cores[i], cases[k].model, rounds, cases[k].window);

                if (pass == 0 || ns < least[i])
                    least[i] = ns;
            }
        printf("%-30s", cases[k].name);
        for (int i = 0; i < N_CORES; i++)
            printf("  %6.0f (%.2f)", least[i], least[i] / least[0]);
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
    long kib = 0;
    double us = 0;

    for (int i = 0; i < 2; i++) {
        const int64_t start = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        struct logp_machine *m;

        kib = resident_kib();
        m = machine_of(n, NULL);
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

/* ---- starts ---- */

struct shared_line {
    _Alignas(128) atomic_uint word;
};

/* The lines in which the cores look for a start. */
static struct {
    struct shared_line of[128];
    _Alignas(128) atomic_ulong sweeps;
    atomic_bool over;
} lines;

static void pin(int cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

/* All other cores, on one: each line is there when it is written to. */
static void *look(void *arg)
{
    pin(1);
    while (!atomic_load_explicit(&lines.over, memory_order_relaxed)) {
        atomic_fetch_add(&lines.sweeps, 1);
        for (int i = 0; i < 128; i++)
            atomic_load_explicit(&lines.of[i].word, memory_order_relaxed);
    }
    return arg;
}

/* Until the other core has looked at all lines. @return false: it was away */
static bool await_sweep(void)
{
    const unsigned long before = atomic_load(&lines.sweeps);
    const int64_t start = bench_now_ns();

    while (atomic_load(&lines.sweeps) < before + 2)
        if (bench_now_ns() - start > 20000)
            return false;
    return true;
}

/* The time to write to n lines that another core reads, the median of many */
static double write_ns(int n)
{
    static double ns[2001];
    size_t k = 0;

    while (k < sizeof(ns) / sizeof(ns[0])) {
        int64_t start;

        if (!await_sweep())
            continue;
        start = bench_now_ns();
        for (int i = 0; i < n; i++)
            atomic_fetch_or_explicit(&lines.of[i].word, 1, memory_order_relaxed);
        ns[k++] = (double)(bench_now_ns() - start);
    }
    return bench_median(ns, k);
}

/* A core that releases all others in turn writes to each line before the last one starts; along a binomial
 * tree (runtime/core/release.c) log2 of them are written one after the other. */
static void starts(void)
{
    pthread_t other;

    pin(0);
    bench_check(-pthread_create(&other, NULL, look, NULL), "thread");
    for (int i = 0; i < N_CORES; i++) {
        const double in_turn = write_ns(cores[i] - 1);
        double along_tree;
        int depth = 0;

        while (1 << depth < cores[i])
            depth++;
        along_tree = write_ns(depth);
        printf("release a start on %3d cores: %6.0f ns in turn, %5.0f along the tree (%.2f)\n",
               cores[i], in_turn, along_tree, along_tree / in_turn);
    }
    atomic_store(&lines.over, true);
    pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        fprintf(stderr, "bench_cores: this host has one processor, and it needs two\n");
        return 1;
    }
    creations(); /* before any machine: a process that has had one cannot fork */
    exchanges(argc > 1 ? atoi(argv[1]) : 2560);
    starts();
    return 0;
}
