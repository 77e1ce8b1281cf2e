/* SPDX-License-Identifier: MIT */
/*
 * State that the machines of one process share.
 *
 * Forks: only the thread that forks lives on in the child. So the parent's machines have no
 * carriers there. Also, liburcu (memb) still counts the parent's threads as readers, although the C
 * library gives their memory to new threads. So a child of a process with machines cannot make or
 * run any: they are refused instead of hanging. If the parent had none, the child may make its own.
 *
 * Cores: a machine under the virtual clock keeps one core busy. Each takes the core that the fewest
 * others have taken.
 */
#define _GNU_SOURCE
#include "host/host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static unsigned n_machines;
static unsigned taken[CPU_SETSIZE];
static atomic_bool is_orphan; /* read without the lock */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    is_orphan = is_orphan || n_machines > 0;
    pthread_mutex_unlock(&lock);
}

static void init_once(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool lpi_process_enter(void)
{
    bool good;

    pthread_once(&once, init_once);
    pthread_mutex_lock(&lock);
    good = !is_orphan;
    n_machines += good;
    pthread_mutex_unlock(&lock);
    return good;
}

void lpi_process_leave(void)
{
    pthread_mutex_lock(&lock);
    n_machines--;
    pthread_mutex_unlock(&lock);
}

bool lpi_process_is_orphan(void)
{
    /* relaxed: it is set in the fork, before this process has a second thread */
    return atomic_load_explicit(&is_orphan, memory_order_relaxed);
}

int lpi_process_take_core(void)
{
    int best = sched_getcpu();
    cpu_set_t set;

    if (best < 0 || best >= CPU_SETSIZE || sched_getaffinity(0, sizeof(set), &set) != 0)
        return -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set) && taken[i] < taken[best])
            best = i;
    taken[best]++;
    pthread_mutex_unlock(&lock);
    return best;
}

void lpi_process_give_core(int cpu)
{
    pthread_mutex_lock(&lock);
    if (cpu >= 0)
        taken[cpu]--;
    pthread_mutex_unlock(&lock);
}
