/* SPDX-License-Identifier: MIT */
/*
 * --check: requests that are used after they are gone, and requests that are left at MPI_Finalize.
 * Each rank has a list of the requests that its program has a handle to, and where each was made.
 * Those that are gone stay in memory, marked, until N_GONE others are gone: so that handle is known.
 */
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

enum { MOST_RANKS = 16 }; /* that say what they leave */

void give_request(struct request *r, void *caller, MPI_Request *request)
{
    struct rank *rank = this_rank();

    *request = (MPI_Request)r;
    if (!the_job->checks)
        return;
    r->call = rank->call;
    r->caller = caller != NULL ? caller : rank->caller;
    rank->caller = NULL;
    if (the_job->compute > 0) { /* it is called by a function of timed.c */
        r->caller = NULL;
        r->place = place_here();
    }
    r->next = rank->given;
    r->link = &rank->given;
    if (r->next != NULL)
        r->next->link = &r->next;
    rank->given = r;
}

void forget_request(struct request *r)
{
    if (r->link == NULL)
        return;
    *r->link = r->next;
    if (r->next != NULL)
        r->next->link = r->link;
    r->link = NULL;
}

void bury_request(struct request *r)
{
    struct rank *rank = this_rank();
    struct request **grave = &rank->gone[rank->n_gone++ % N_GONE];

    free(*grave);
    *grave = r;
    r->kind = REQUEST_GONE;
}

int check_requests(int n, const MPI_Request requests[])
{
    for (int i = 0; i < n && the_job->checks; i++) {
        const struct request *r = (const struct request *)requests[i];

        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        CHECK(NULL, (uintptr_t)r >= 0x400, MPI_ERR_REQUEST, "request %d of %d is not a request", i,
              n);
        CHECK(NULL, r->kind != REQUEST_GONE && !r->freed, MPI_ERR_REQUEST,
              "the request that %s made is complete or has been freed", r->call);
    }
    return MPI_SUCCESS;
}

/* Where in the executable an address of this rank's copy is; 0: it is none */
static uintptr_t place_of(const struct rank *rank, void *caller)
{
    const struct link_map *executable = the_job->main != NULL ? _r_debug.r_map : rank->host->image;
    struct link_map *map = NULL;
    Dl_info info;
    const uintptr_t at = (uintptr_t)caller - 1; /* the call, not what is behind it */

    if (caller == NULL || dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        map != executable)
        return 0;
    return at - map->l_addr;
}

void report_requests(const struct rank *rank)
{
    static _Atomic int n_ranks;
    uintptr_t places[MOST_PLACES] = {0};
    char texts[MOST_PLACES][PLACE_TEXT];
    const struct request *r;
    int n = 0;

    /* relaxed: only the number counts */
    if (rank->given == NULL ||
        atomic_fetch_add_explicit(&n_ranks, 1, memory_order_relaxed) >= MOST_RANKS)
        return;
    fflush(stdout);
    for (r = rank->given; r != NULL && n < MOST_PLACES; r = r->next)
        places[n++] = r->caller != NULL ? place_of(rank, r->caller) : r->place;
    name_places(the_job, places, n, texts);
    r = rank->given;
    for (int i = 0; i < n; i++, r = r->next)
        fprintf(stderr, "rank %d: MPI_Finalize: a request of %s %s%s\n", logp_vp_rank(rank->vp),
                r->call,
                r->active ? "has not been waited for" : "is persistent and has not been freed",
                texts[i]);
    if (r != NULL)
        fprintf(stderr, "rank %d: MPI_Finalize: more requests are left\n", logp_vp_rank(rank->vp));
}
