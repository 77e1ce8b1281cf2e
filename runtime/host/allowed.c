/* SPDX-License-Identifier: MIT */
/*
 * The hardware threads that this process may run on, and threads that are pinned to them.
 *
 * A test hook: with LOGP_TEST_CORES=n the host seems to have the hardware threads 0 .. n - 1.
 * Number i means one that is really allowed, i modulo their number, so several may mean the same
 * one. Only this file knows the real ones.
 */
#define _GNU_SOURCE
#include "host/cores.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* The set of the caller's thread; to be freed with CPU_FREE. NULL: no memory. */
static cpu_set_t *affinity(size_t *size)
{
    for (size_t n = CPU_SETSIZE; n <= 64 * (size_t)CPU_SETSIZE; n *= 2) {
        cpu_set_t *set = CPU_ALLOC(n);

        *size = CPU_ALLOC_SIZE(n);
        if (set == NULL || sched_getaffinity(0, *size, set) == 0)
            return set;
        CPU_FREE(set);
    }
    return NULL;
}

static int list_real(int **cpus, int *n)
{
    size_t size;
    cpu_set_t *set = affinity(&size);
    int k = 0;

    if (set == NULL)
        return -ENOMEM;
    *n = CPU_COUNT_S(size, set);
    *cpus = malloc((size_t)*n * sizeof(**cpus));
    for (size_t cpu = 0; *cpus != NULL && k < *n; cpu++)
        if (CPU_ISSET_S(cpu, size, set))
            (*cpus)[k++] = (int)cpu;
    CPU_FREE(set);
    return *cpus != NULL ? 0 : -ENOMEM;
}

int lpi_feigned(void)
{
    const char *text = getenv("LOGP_TEST_CORES");
    char *end;
    long n;

    if (text == NULL || text[0] == '\0')
        return 0;
    n = strtol(text, &end, 10);
    return *end == '\0' && n >= 1 && n <= LPI_MOST_CPUS ? (int)n : -EINVAL;
}

int lpi_allowed(int **cpus, int *n)
{
    const int feigned = lpi_feigned();

    if (feigned == 0)
        return list_real(cpus, n);
    if (feigned < 0)
        return feigned;
    *n = feigned;
    *cpus = malloc((size_t)feigned * sizeof(**cpus));
    for (int i = 0; *cpus != NULL && i < feigned; i++)
        (*cpus)[i] = i;
    return *cpus != NULL ? 0 : -ENOMEM;
}

bool lpi_is_crowded(const int *cpus, int n)
{
    int *real, n_real;
    bool crowded;

    if (lpi_feigned() <= 0 || list_real(&real, &n_real) != 0)
        return false;
    free(real);
    crowded = n > n_real;
    for (int i = 0; i < n && !crowded; i++)
        for (int k = 0; k < i; k++)
            crowded |= cpus[i] % n_real == cpus[k] % n_real;
    return crowded;
}

int lpi_real(int cpu)
{
    int *real, n;

    if (lpi_feigned() <= 0 || list_real(&real, &n) != 0)
        return cpu;
    cpu = real[cpu % n];
    free(real);
    return cpu;
}

int lpi_pin(pthread_attr_t *attr, int cpu)
{
    const size_t real = (size_t)lpi_real(cpu), size = CPU_ALLOC_SIZE(real + 1);
    cpu_set_t *set = CPU_ALLOC(real + 1);
    int rc;

    if (set == NULL)
        return ENOMEM;
    CPU_ZERO_S(size, set);
    CPU_SET_S(real, size, set);
    rc = pthread_attr_setaffinity_np(attr, size, set);
    CPU_FREE(set);
    return rc;
}
