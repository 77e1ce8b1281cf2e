/* SPDX-License-Identifier: MIT */
/* The rank that calls MPI: each call begins here. */
#include "rank.h"
#include "world.h"
#include "host/host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct run the_run;

struct rank *mpi_rank_here(void)
{
    const struct host_rank *h = host_here();

    return h != NULL ? h->rank : NULL;
}

/* The call of a thread, of which `function` is a part. */
static const char *name_of_call(const char *function)
{
    const char *name = strncmp(function, "MPI_", 4) != 0 ? host_called_here() : function;

    if (name == NULL)
        return the_guest.name;
    return strncmp(name, "PMPI_", 5) == 0 ? name + 1 : name;
}

/* Report the call and end the run. Of several such threads the first reports. */
static _Noreturn void end_for_thread(const char *call)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const struct host_rank *h = host_maker();
    const uintptr_t at = host_place_here();
    char place[1][PLACE_TEXT];

    if (h == NULL) {
        fprintf(stderr, "MPI was called by a thread that is not a rank\n");
        host_abort();
    }
    while (atomic_flag_test_and_set_explicit(&said, memory_order_relaxed)) /* publishes nothing */
        pause();
    host_name_places(the_job, &at, 1, place);
    fflush(stdout);
    fprintf(host_report_stream(),
            "rank %d: %s: called by a thread that the rank has made, but only the thread of main() "
            "may call MPI (MPI_Init_thread grants MPI_THREAD_FUNNELED at most)%s\n",
            (int)(h - the_job->hosts), name_of_call(call), place[0]);
    host_end_by_thread(1);
}

struct rank *mpi_rank_of_call(const char *call)
{
    struct rank *r = mpi_rank_here();

    if (r == NULL)
        end_for_thread(call);
    return r;
}

struct rank *mpi_rank_of_thread(const char *call)
{
    const struct host_rank *h = host_maker();

    return h != NULL && h->rank != NULL ? h->rank : mpi_rank_of_call(call);
}

/* The start of a call of MPI, for reports and errors. */
struct rank *mpi_enter_any(const char *call)
{
    struct rank *r = mpi_rank_of_call(call);

    r->call = call;
    return r;
}

struct rank *mpi_enter(const char *call)
{
    struct rank *r = mpi_enter_any(call);

    if (r->started != NULL)
        r->call = r->started;
    if (!r->initialized || r->finalized) {
        char place[PLACE_TEXT];

        fprintf(stderr, "rank %d: %s: called %s%s\n", logp_vp_rank(r->vp), call,
                r->finalized ? "after MPI_Finalize" : "before MPI_Init", host_name_here(place));
        host_abort_run(1);
    }
    return r;
}
