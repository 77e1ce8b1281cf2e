/* SPDX-License-Identifier: MIT */
/*
 * The cores of a machine: which there are (allowed.c, topology.c, quota.c), which are in use
 * (registry.c), which are taken (choice.c), and all of this for one machine (cores.c).
 */
#ifndef LPI_CORES_H
#define LPI_CORES_H

#include <pthread.h>
#include <stdbool.h>

/* ---- allowed.c: the hardware threads that this process may run on ---- */

enum { LPI_MOST_CPUS = 4096 }; /* the registry has no larger numbers, and none is feigned */

/* All of them, by number. The caller frees *cpus. @return 0; -ENOMEM; -EINVAL (LOGP_TEST_CORES) */
int lpi_allowed(int **cpus, int *n);
/* How many LOGP_TEST_CORES feigns; 0: none. -EINVAL: it is not a number of 1 .. LPI_MOST_CPUS */
int lpi_feigned(void);
/* Whether two of these run on one processor, since they are feigned. */
bool lpi_is_crowded(const int *cpus, int n);
/* The one that a number means, other than itself only where cores are feigned. */
int lpi_real(int cpu);
/* Let a thread that will be created run on this one only. @return 0; a positive errno */
int lpi_pin(pthread_attr_t *attr, int cpu);

/* ---- topology.c: what hwloc knows about hardware threads ---- */

/* Levels at which cores are near to each other, from the nearest on. */
enum { LPI_CACHE, LPI_NODE, LPI_PACKAGE, LPI_LEVELS };

struct lpi_cpu {
    int number;            /* the operating system's */
    int core;              /* threads of one core have one number */
    int group[LPI_LEVELS]; /* the L3 cache, NUMA node and package of the core; -1: none */
    int kind;              /* of processor: 0 is the fastest */
};

/* All hardware threads of the host, in hwloc's logical order, in which neighbours share caches. The
 * caller frees *all. @return 0; -ENOMEM */
int lpi_topology_read(struct lpi_cpu **all, int *n);
/* The same of n allowed numbers. Those that the topology does not name come last, by number, as cores
 * of the slowest kind. @return 0; -ENOMEM */
int lpi_topology_pick(const struct lpi_cpu *all, int n_all, const int *allowed, int n,
                      struct lpi_cpu *out);
/* Both, for n allowed numbers; the host is read once. Threads: any. @return 0; -ENOMEM */
int lpi_topology_of(const int *allowed, int n, struct lpi_cpu *out);

/* ---- quota.c: processor time that the cgroups of this process allow ---- */

/* The least quota at any level, in processors; 0: none. root: "", or a folder that is taken for /,
 * with proc/ and sys/ */
double lpi_quota(const char *root);

/* ---- choice.c: the cores that a machine takes ---- */

struct lpi_taken {
    int n;          /* cores */
    int n_threads;  /* their hardware threads that this process may use */
    bool is_mixed;  /* they are of several kinds */
    bool is_shared; /* one of them has a holder */
};

/*
 * Choose at most `most` cores, one hardware thread of each.
 * cpus     n hardware threads, in the order of lpi_topology_pick()
 * holders  of each, the number of machines that hold it
 * quota    of the process, in processors; 0: none
 * out      numbers of the hardware threads, n at most
 */
struct lpi_taken lpi_cores_choose(const struct lpi_cpu *cpus, int n, const int *holders,
                                  double quota, int most, int *out);
/* Write all n numbers to out: one thread of each core, then a second one of each, and so on. @return
 * the number of cores */
int lpi_cores_order(const struct lpi_cpu *cpus, int n, int *out);
/*
 * Divide n hardware threads among cores, of which a machine has one thread each: `most` for a core, with
 * its own first, then the others of the core, then others that follow each other.
 * cpus     in the order of lpi_topology_pick()
 * own      the thread of each of n_own cores
 * out      n_own * most numbers, `most` for each core; most <= n / n_own
 */
void lpi_cores_divide(const struct lpi_cpu *cpus, int n, const int *own, int n_own, int most,
                      int *out);
/* n cores, or as many as the quota has processors; at least 1. */
int lpi_within_quota(double quota, int n);
/* Describe n given hardware threads. */
struct lpi_taken lpi_cores_describe(const struct lpi_cpu *cpus, int n, const int *holders,
                                    const int *given, int n_given);

/* ---- registry.c: the cores that machines of this user hold ---- */

/* A file of the registry for a machine; -1: there is no registry. Children do not inherit it. */
int lpi_registry_open(void);
/* The number of other holders of each. */
void lpi_registry_count(int file, const struct lpi_cpu *cpus, int n, int *holders);
/* Hold these. alone: only if no other holds one. @return false: another holds one, and none is held
 * now */
bool lpi_registry_hold(int file, const int *numbers, int n, bool alone);
/* Give all back. */
void lpi_registry_close(int file);

#endif
