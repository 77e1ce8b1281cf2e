/* SPDX-License-Identifier: MIT */
/*
 * --check: requests that are used after they are gone, requests that are left at MPI_Finalize, and
 * buffers that two messages use. Each rank has a list of the requests that its program has a handle to, and where each was made.
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
    if (the_job->times_calls) { /* it is called by a function of timed.c */
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

uintptr_t place_of(const struct rank *rank, void *caller)
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

/* ---- buffers ---- */

bool share_bytes(const void *a, const struct type *a_type, size_t n, const void *b,
                 const struct type *b_type, size_t m)
{
    const size_t a_bytes = n * a_type->size, b_bytes = m * b_type->size;
    const uintptr_t a_at = (uintptr_t)a + (uintptr_t)a_type->true_lb,
                    b_at = (uintptr_t)b + (uintptr_t)b_type->true_lb;

    if (a_bytes == 0 || b_bytes == 0)
        return false;
    return a_at == b_at || (in_a_row(a_type, n) && in_a_row(b_type, m) && a_at < b_at + b_bytes &&
                            b_at < a_at + a_bytes);
}

/* Benchmarks do this on purpose, and it works where nobody looks at the data: it is said once, and the
 * run goes on. by: NULL: the other half of the call */
static void name_use(const struct request *by)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const struct rank *rank = this_rank();
    char text[1][PLACE_TEXT], here[PLACE_TEXT];
    uintptr_t place;

    if (atomic_flag_test_and_set_explicit(&said, memory_order_relaxed)) /* no data depends on it */
        return;
    name_here(here);
    fflush(stdout);
    if (by == NULL) {
        fprintf(
            stderr,
            "rank %d: %s: the buffers to send and to receive overlap%s; more such calls are not "
            "named\n",
            logp_vp_rank(rank->vp), rank->call, here);
        return;
    }
    place = by->caller != NULL ? place_of(rank, by->caller) : by->place;
    name_places(the_job, &place, 1, text);
    fprintf(
        stderr,
        "rank %d: %s: a request of %s%s that is not complete uses this buffer%s; more such calls "
        "are not named\n",
        logp_vp_rank(rank->vp), rank->call, by->call, text[0], here);
}

void check_apart(const void *sent, const struct type *sent_type, int n_sent, const void *received,
                 const struct type *received_type, int n_received)
{
    if (the_job->checks && n_sent >= 0 && n_received >= 0 &&
        share_bytes(sent, sent_type, (size_t)n_sent, received, received_type, (size_t)n_received))
        name_use(NULL);
}

/* One that r shares bytes with; NULL: none */
static const struct request *user_of(const struct uses *uses, uintptr_t from, uintptr_t to,
                                     const struct request *r)
{
    for (int i = 0; uses->from < to && from < uses->to && i < N_USES; i++) {
        const struct use *u = &uses->last[i];

        if (u->by != NULL && u->from < to && from < u->to && u->by != r && u->by->active &&
            share_bytes(r->buf, r->type, r->count, u->by->buf, u->by->type, u->by->count))
            return u->by;
    }
    return NULL;
}

static void note_use(struct uses *uses, struct request *r, uintptr_t from, uintptr_t to)
{
    forget_buffer(r);
    r->uses = uses;
    r->use = &uses->last[uses->next++ % N_USES];
    uses->n += r->use->by == NULL;
    *r->use = (struct use){from, to, r};
    uses->from = uses->n == 1 || from < uses->from ? from : uses->from;
    uses->to = uses->n == 1 || to > uses->to ? to : uses->to;
}

void forget_buffer(struct request *r)
{
    if (r->use == NULL || r->use->by != r)
        return;
    r->use->by = NULL;
    r->use = NULL;
    if (--r->uses->n == 0)
        r->uses->from = r->uses->to = 0;
}

/* Two sends may share a buffer. The last N_USES sends and receives are known: a list of all would
 * cost programs with many requests under way too much. */
void check_buffer(struct request *r)
{
    struct rank *rank = this_rank();
    const bool receives = r->kind == REQUEST_RECV;
    const size_t bytes = r->count * r->type->size;
    const uintptr_t from = (uintptr_t)r->buf + (uintptr_t)r->type->true_lb,
                    to = from + (in_a_row(r->type, r->count) ? bytes : 1);
    const struct request *by;

    if (!the_job->checks || bytes == 0)
        return;
    by = user_of(&rank->receives, from, to, r);
    if (by == NULL && receives)
        by = user_of(&rank->sends, from, to, r);
    if (by != NULL)
        name_use(by);
    note_use(receives ? &rank->receives : &rank->sends, r, from, to);
}

/* ---- what is left ---- */

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
