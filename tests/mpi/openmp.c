/* SPDX-License-Identifier: MIT */
/*
 * OpenMP and MPI: MPI outside of parallel regions and in `master`, teams of other sizes on each rank. Rank 0
 * prints the number of its threads when nothing is said, and on how many cores a worker may run.
 */
#define _GNU_SOURCE
#include "check.h"

#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int own;
#pragma omp threadprivate(own)

static int sum_of(int mine)
{
    int all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int n_cores(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CHECK(syscall(SYS_sched_getaffinity, 0, sizeof(set), &set) > 0);
    return CPU_COUNT(&set);
}

static void tell_defaults(void)
{
    int n = 0, n_of_worker = 0;

#pragma omp parallel
    {
#pragma omp master
        n = omp_get_num_threads();
        if (omp_get_thread_num() == omp_get_num_threads() - 1)
            n_of_worker = n_cores();
    }
    if (me == 0)
        printf("%d threads, a worker on %d of %d cores\n", n, n_of_worker, omp_get_num_procs());
}

static void reduce_in_master(void)
{
    long sum = 0, all = 0;
    int threads = 0, ranks = 0, is_main = 0;

#pragma omp parallel reduction(+ : sum) num_threads(3)
    {
        for (int i = omp_get_thread_num(); i < 1000; i += omp_get_num_threads())
            sum += i;
#pragma omp barrier
#pragma omp master
        {
            threads = omp_get_num_threads();
            MPI_Is_thread_main(&is_main);
            ranks = sum_of(me);
        }
#pragma omp barrier
    }
    CHECK(is_main && threads == 3 && ranks == P * (P - 1) / 2);
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == 499500L * P);
}

/* Settings and variables of threads are a rank's own. */
static void keep_apart(void)
{
    int threads = 0, wrong = 0;

    omp_set_num_threads(me % 4 + 1);
    CHECK(sum_of(1) == P);
#pragma omp parallel
    {
#pragma omp master
        threads = omp_get_num_threads();
        own = 100 * me + omp_get_thread_num();
    }
    CHECK(sum_of(1) == P);
#pragma omp parallel reduction(+ : wrong)
    wrong += own != 100 * me + omp_get_thread_num();
    CHECK(threads == me % 4 + 1 && wrong == 0);
}

static void use_threads(int n)
{
    int all = 0;

#pragma omp parallel num_threads(n) reduction(+ : all)
    all++;
    CHECK(all == n && sum_of(1) == P);
}

/* The mistake. Threads that rank 0 needs no more do not become those of another rank. */
static void call_from_worker(void)
{
    use_threads(me == 0 ? 4 : 1);
    use_threads(me == 0 ? 2 : 1);
    if (me == P - 1) {
#pragma omp parallel num_threads(4)
        if (omp_get_thread_num() == 3)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    CHECK(provided >= MPI_THREAD_FUNNELED);
    tell_defaults();
    for (int i = 0; i < 10; i++)
        reduce_in_master();
    keep_apart();
    if (argc > 1)
        call_from_worker();
    return all_hold("openmp");
}
