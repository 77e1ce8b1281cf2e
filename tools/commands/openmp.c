/* SPDX-License-Identifier: MIT */
/*
 * MPI programs that use OpenMP. Its library keeps a team and settings for each thread, so each rank must be a
 * thread; and it serves all ranks, so the environment has the number of threads of one rank.
 */
#include "commands/command.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LLVM's library, and Intel's, would give a thread that one rank needs no more to another rank, and let all
 * run where those of the first rank may. The user's values stay. */
static void keep_threads_apart(bool binds)
{
    setenv("KMP_HOT_TEAMS_MODE", "1", 0);
    if (!binds)
        setenv("KMP_AFFINITY", "disabled", 0);
}

void prepare_openmp(const struct question *q)
{
    static const char variable[] = "OMP_NUM_THREADS";
    const bool divides = getenv(variable) == NULL;
    const bool binds = getenv("OMP_PROC_BIND") != NULL || getenv("OMP_PLACES") != NULL;
    struct logp_host host = {.n_cores = 1};
    char chosen[64] = "";
    int64_t n;

    if (q->mpi.openmp == NULL)
        return;
    if (divides && logp_host_info(&host) == 0) {
        n = q->how.n_cores > 0 ? q->how.n_cores : host.n_cores;
        if (q->how.n_cores == 0 && host.quota > 0 && host.quota < (double)n)
            n = (int64_t)host.quota;
        n = n > q->model.P ? n / q->model.P : 1;
        snprintf(chosen, sizeof(chosen), "%lld", (long long)n);
        setenv(variable, chosen, 1);
    }
    if (strncmp(q->mpi.openmp, "libgomp", strlen("libgomp")) != 0)
        keep_threads_apart(binds);
    if (binds)
        say_note(
            "OMP_PROC_BIND and OMP_PLACES are those of the whole process: they bind the threads of "
            "all ranks to the same cores; unset them");
    if (q->how.fibers && q->explore.runs == 0)
        say_note(
            "%s needs %s, to which the ranks of a core are one thread, with one team and one set "
            "of its settings: results may be wrong; type --executor thread",
            q->mpi.openmp_program, q->mpi.openmp);
    else if (q->mpi.chosen_executor)
        say_note("%s needs %s: each rank is a thread (--executor thread)%s%s",
                 q->mpi.openmp_program, q->mpi.openmp, divides ? " with OMP_NUM_THREADS=" : "",
                 chosen);
}
