/* SPDX-License-Identifier: MIT */
/* The host: memory, processes, cores, and pauses of a thread. */
#ifndef LPI_HOST_H
#define LPI_HOST_H

#include <logp/machine.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- memory.c ----
 * Zeroed memory, aligned to cache lines. Large pieces come straight from the kernel, in huge pages
 * if possible: with a million vps, page faults cost more than everything else.
 */

/* NULL: no memory. Free with lpi_memory_free() and the same size. */
void *lpi_memory_zeroed(size_t n, size_t size);
/* The same for memory whose parts belong to different cores: no page is touched, and none is huge, so
 * each lies near the core that writes to it first. */
void *lpi_memory_apart(size_t n, size_t size);
void lpi_memory_apart_free(void *memory, size_t n, size_t size);
void lpi_memory_free(void *memory, size_t n, size_t size);

/* ---- process.c: state that the machines of one process share ---- */

/* A machine is created. @return false: this process cannot have machines, see process.c */
bool lpi_process_enter(void);
void lpi_process_leave(void);
/* Whether this is the child of a process that had machines at the fork. Then no machine works
 * here. */
bool lpi_process_is_orphan(void);

/* A full fence in every thread of this process that runs, and in the caller: the others need none.
 * @return false: the kernel has none, and nothing was done */
bool lpi_process_fence(void);

/* open() with O_CLOEXEC, for a file that children of a fork do not have either. -1: error */
int lpi_process_open(const char *path, int flags, unsigned mode);
void lpi_process_close(int file);

/* ---- cores.c: the cores of a machine ---- */

/* The cores that a machine has from its creation to its end. */
struct lpi_held {
    int *cpus;      /* the hardware thread of each; -1: not pinned */
    int n;          /* cores */
    int n_threads;  /* their hardware threads that this process may use */
    bool is_mixed;  /* they are of several kinds of processors */
    bool is_shared; /* another machine held one of them when this one took it */
    int registry;   /* file; -1: none */
    int *shares;    /* hardware threads for threads of the program's own: n_share for each core */
    int n_share;    /* 0: unlike the machine's, these are not pinned */
};

/* The cores that the processes of one machine divide: the given ones, or all, in order. A second
 * thread of each core follows, and so on. The caller frees *cpus.
 * n_cores, n_all   out: without and with these, within the quota
 * @return          0; -ENOMEM; -EINVAL: as below */
int lpi_cores_list(const struct logp_config *config, int **cpus, int *n_cores, int *n_all);
/*
 * Hold at most n cores for a machine: those of the configuration, else n wanted ones if they are
 * free, else others. wanted == NULL: any. A machine on one core at a time holds none.
 * @return  0; -ENOMEM; -EINVAL: cores or n_cores of the configuration, LOGP_TEST_CORES
 */
int lpi_cores_hold(const struct logp_config *config, const int *wanted, int n,
                   struct lpi_held *out);
void lpi_cores_release(struct lpi_held *held);

/* ---- line.c ---- */

/* The time that a cache line takes from one of two hardware threads to the other and back, as
 * measured at the first call; if they were busy then, a long one. */
int64_t lpi_line_ns(int a, int b);

/* ---- relax: a hint in spin loops: it leaves the core to its other hardware thread ---- */

static inline void lpi_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/*
 * ---- pause.c ----
 * Pauses between two steps, at the places where a step of another thread may come between them:
 * the hand-overs of messages, exposed buffers, bells and cores. With -DLOGP_PAUSES=ON each place
 * stops now and then for a random time, from a few instructions to a time slice, so that rare
 * orders of events happen. Otherwise lpi_pause() does nothing.
 */

#ifdef LOGP_PAUSES
void lpi_pause(void);
#else
static inline void lpi_pause(void)
{
}
#endif

/*
 * ---- histogram.c ----
 * A log-linear histogram of times: exact below 32 ns, above that 32 steps for each power of two.
 * Its memory is constant, and a sample takes a few instructions. It has one writer.
 */

enum { LPI_HIST_STEPS = 32, LPI_HIST_BUCKETS = 60 * LPI_HIST_STEPS };

struct lpi_histogram {
    uint64_t n;
    int64_t max;
    uint32_t count[LPI_HIST_BUCKETS];
};

static inline void lpi_histogram_add(struct lpi_histogram *h, int64_t value)
{
    const uint64_t v = value > 0 ? (uint64_t)value : 0;
    const int shift = v < LPI_HIST_STEPS ? 0 : 58 - __builtin_clzll(v);

    h->count[shift * LPI_HIST_STEPS + (int)(v >> shift)]++;
    h->n++;
    if (value > h->max)
        h->max = value;
}

void lpi_histogram_reset(struct lpi_histogram *h);
void lpi_histogram_merge(struct lpi_histogram *into, const struct lpi_histogram *from);
/* Upper end of the bucket that holds the q-th permille of the samples; 0 if there are none. */
int64_t lpi_histogram_permille(const struct lpi_histogram *h, int q);

/*
 * ---- annotate ----
 * ThreadSanitizer sees C11 atomics, but not the assembly inside liburcu. These macros describe it:
 * LPI_RELEASE(x) precedes the operation that publishes x, LPI_ACQUIRE(x) follows the one that
 * receives it. Outside tsan builds they do nothing. LPI_ACQUIRE_FENCE(x) is a fence there, which
 * ThreadSanitizer does not know.
 */

#if defined(__SANITIZE_THREAD__)
#define LPI_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LPI_TSAN 1
#endif
#endif

#ifdef LPI_TSAN
#include <sanitizer/tsan_interface.h>
#define LPI_RELEASE(x) __tsan_release((void *)(x))
#define LPI_ACQUIRE(x) __tsan_acquire((void *)(x))
#define LPI_ACQUIRE_FENCE(x) LPI_ACQUIRE(x)
#else
#define LPI_RELEASE(x) ((void)(x))
#define LPI_ACQUIRE(x) ((void)(x))
#define LPI_ACQUIRE_FENCE(x) atomic_thread_fence(memory_order_acquire)
#endif

#endif
