/* SPDX-License-Identifier: MIT */
/* The rank that calls MPI: each call begins here. */
#include "rank.h"
#include "world.h"
#include "host/host.h"

#include <stdio.h>

struct run the_run;

struct rank *mpi_rank_here(void)
{
    const struct host_rank *h = host_here();

    return h != NULL ? h->rank : NULL;
}

struct rank *mpi_this_rank(void)
{
    struct rank *r = mpi_rank_here();

    if (r == NULL) {
        fprintf(stderr, "MPI was called by a thread that is not a rank\n");
        host_abort();
    }
    return r;
}

/* The start of a call of MPI, for reports and errors. */
struct rank *mpi_enter_any(const char *call)
{
    struct rank *r = mpi_this_rank();

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
