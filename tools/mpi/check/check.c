/* SPDX-License-Identifier: MIT */
/*
 * --check: handles that are used after they are gone, those that are left at MPI_Finalize, and
 * buffers that two messages use. What handles point to: handles.c.
 */
#include "check.h"
#include "host/host.h"

#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16 }; /* whose requests and messages that are left are reported */

void check_name_finding(const char *text, ...)
{
    const struct rank *r =
        mpi_rank_that_calls(); /* NULL: a handler of messages of other processes */
    char line[1024], thread[32];
    int length;
    va_list args;

    fflush(stdout);
    va_start(args, text);
    vsnprintf(line, sizeof(line), text, args);
    va_end(args);
    length = (int)strcspn(line, ":"); /* "rank 1" */
    fprintf(stderr, "%.*s%s%s", length, line, mpi_thread_name(thread), line + length);
    /* relaxed: it is read when the ranks have ended */
    atomic_store_explicit(&the_said.any, true, memory_order_relaxed);
    if (r == NULL)
        return;
    va_start(args, text);
    vsnprintf(r->host->found, sizeof(r->host->found), text, args);
    va_end(args);
    r->host->found[strcspn(r->host->found, "\n")] = '\0';
}

int check_requests(int n, const MPI_Request requests[], uintptr_t frame)
{
    for (int i = 0; i < n; i++) {
        const struct request *r = (const struct request *)requests[i];

        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        CHECK(NULL, (uintptr_t)r >= 0x400, MPI_ERR_REQUEST, "request %d of %d is not a request", i,
              n);
        CHECK(NULL, r->kind != REQUEST_GONE && !r->freed, MPI_ERR_REQUEST,
              "the request that %s made is complete or has been freed", r->call);
        if (r->on_stack != 0 && r->on_stack < frame && r->active)
            check_name_returned("buffer", r->call,
                                r->caller != NULL ? host_place_of(mpi_this_rank()->host, r->caller)
                                                  : r->place);
    }
    return MPI_SUCCESS;
}

/* ---- buffers ---- */

/* Report a buffer that two operations use, once in a run, which continues: benchmarks do this on
 * purpose, and it is harmless if the data are not read. by: NULL: the other half of the call */
static void name_use(const struct request *by)
{
    const struct rank *rank = mpi_this_rank();
    char text[1][PLACE_TEXT], here[PLACE_TEXT];
    uintptr_t place;

    if (atomic_flag_test_and_set_explicit(&the_said.use,
                                          memory_order_relaxed)) /* no data depends on it */
        return;
    host_name_here(here);
    if (by == NULL) {
        check_name_finding(
            "rank %d: %s: the buffers to send and to receive overlap%s; more such calls are not "
            "named\n",
            logp_vp_rank(rank->vp), rank->call, here);
        return;
    }
    place = by->caller != NULL ? host_place_of(rank->host, by->caller) : by->place;
    host_name_places(the_job, &place, 1, text);
    check_name_finding(
        "rank %d: %s: %s of %s%s that is not complete uses this buffer%s; more such calls "
        "are not named\n",
        logp_vp_rank(rank->vp), rank->call,
        by->kind == REQUEST_OPERATION ? "an operation" : "a request", by->call, text[0], here);
}

void check_apart(const void *sent, const struct type *sent_type, int n_sent, const void *received,
                 const struct type *received_type, int n_received)
{
    if (n_sent >= 0 && n_received >= 0 &&
        mpi_share_bytes(sent, sent_type, (size_t)n_sent, received, received_type,
                        (size_t)n_received))
        name_use(NULL);
}

/* Bytes of a buffer: all, or the first, if the data do not lie in a row. */
struct part {
    uintptr_t from, to;
};

static struct part part_of(const void *buf, const struct type *type, size_t n)
{
    const size_t bytes = type != NULL ? n * type->size : 0;
    const uintptr_t from = bytes > 0 ? (uintptr_t)buf + (uintptr_t)type->true_lb : 0;

    return (struct part){from, from + (bytes == 0 ? 0 : in_a_row(type, n) ? bytes : 1)};
}

static void forget_use(struct uses *uses, const struct request *r, struct use **at)
{
    struct use *u = *at;

    *at = NULL;
    if (u == NULL || u->by != r)
        return;
    u->by = NULL;
    uses->taken &= ~(UINT32_C(1) << (u - uses->last));
    if (uses->taken == 0)
        uses->from = uses->to = 0;
}

void check_forget_buffers(struct rank *owner, struct request *r)
{
    forget_use(&owner->sends, r, &r->reads);
    forget_use(&owner->receives, r, &r->writes);
}

static void note_use(struct uses *uses, struct request *r, struct part s, struct use **at)
{
    const unsigned i = uses->next++ % N_USES;
    bool is_only;

    forget_use(uses, r, at);
    uses->taken |= UINT32_C(1) << i;
    is_only = uses->taken == UINT32_C(1) << i;
    *at = &uses->last[i];
    **at = (struct use){s.from, s.to, r};
    uses->from = is_only || s.from < uses->from ? s.from : uses->from;
    uses->to = is_only || s.to > uses->to ? s.to : uses->to;
}

/* Check a buffer that r is about to read or write. Two operations may read it. */
static void check_use(struct request *r, struct part s, bool writes)
{
    struct rank *rank = r->comm->owner;
    const struct request *by = user_of(&rank->receives, s.from, s.to, r);

    if (by == NULL && writes)
        by = user_of(&rank->sends, s.from, s.to, r);
    if (by != NULL)
        name_use(by);
    note_use(writes ? &rank->receives : &rank->sends, r, s, writes ? &r->writes : &r->reads);
    if (is_on_stack(rank, s.from) && (r->on_stack == 0 || s.from < r->on_stack))
        r->on_stack = s.from;
}

void check_blocking(struct rank *rank, const void *buf, const struct type *type, size_t n,
                    bool writes)
{
    const struct part s = part_of(buf, type, n);
    const struct request *by = user_of(&rank->receives, s.from, s.to, NULL);

    if (by == NULL && writes)
        by = user_of(&rank->sends, s.from, s.to, NULL);
    if (by != NULL)
        name_use(by);
}

void check_name_returned(const char *what, const char *call, uintptr_t place)
{
    const struct rank *rank = mpi_this_rank();
    char text[1][PLACE_TEXT], here[PLACE_TEXT];

    if (atomic_flag_test_and_set_explicit(&the_said.returned,
                                          memory_order_relaxed)) /* no data depends on it */
        return;
    host_name_places(the_job, &place, 1, text);
    check_name_finding(
        "rank %d: %s: the %s of %s%s is a local variable of a function that has returned%s; "
        "more of them are not named\n",
        logp_vp_rank(rank->vp), rank->call, what, call, text[0], host_name_here(here));
}

/* ---- buffers that are written too early ---- */

/* Each word has its own odd factor, so a single word that changes always changes the sum. */
uint64_t check_sum_bytes(const unsigned char *data, size_t n)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c16);
    uint64_t sum = n, factor = 1, word = 0;

    for (; n >= sizeof(word); n -= sizeof(word), data += sizeof(word), factor += step) {
        memcpy(&word, data, sizeof(word));
        sum += word * factor;
    }
    word = 0;
    if (n > 0) /* a call */
        memcpy(&word, data, n);
    return sum + word * factor;
}

/* Return the sum of the bytes that r reads. 0: there is no memory for a contiguous copy */
static uint64_t sum_of(const struct request *r)
{
    unsigned char *copy;
    uint64_t sum;

    if (r->summed != NULL)
        return check_sum_bytes(r->summed, r->n_summed);
    copy = malloc(r->n_summed);
    if (copy == NULL)
        return 0;
    mpi_pack(r->type, r->count, r->buf, copy);
    sum = check_sum_bytes(copy, r->n_summed);
    free(copy);
    return sum;
}

/* r reads the bytes of s until it is complete. With --checksum, data of a message that do not lie in a row
 * are compared, too. */
static void take_sum(struct request *r, struct part s)
{
    r->n_summed = s.to - s.from;
    r->summed = (const unsigned char *)s.from;
    if (the_run.checksums && r->kind == REQUEST_SEND && !in_a_row(r->type, r->count)) {
        r->n_summed = r->count * r->type->size;
        r->summed = NULL;
    } else if (r->n_summed > FIRST_SUMMED && !the_run.checksums) {
        r->n_summed = FIRST_SUMMED;
    }
    r->sum = sum_of(r);
}

void check_note_bytes(struct request *r, const void *bytes, size_t n)
{
    take_sum(r, (struct part){(uintptr_t)bytes, (uintptr_t)bytes + n});
}

static __attribute__((noinline)) void name_change(const struct request *r)
{
    const struct rank *rank = mpi_this_rank();
    char text[1][PLACE_TEXT], here[PLACE_TEXT];
    uintptr_t place;

    if (atomic_fetch_add_explicit(&the_said.sums, 1, memory_order_relaxed) >=
        MOST_PLACES) /* relaxed: only the number counts */
        return;
    place = r->caller != NULL ? host_place_of(rank->host, r->caller) : r->place;
    host_name_places(the_job, &place, 1, text);
    check_name_finding(
        "rank %d: %s: the buffer of %s%s was written before the operation was complete%s\n",
        logp_vp_rank(rank->vp), rank->call, r->call != NULL ? r->call : rank->call, text[0],
        host_name_here(here));
}

void check_sum(struct request *r)
{
    const bool is_same = sum_of(r) == r->sum;

    r->n_summed = 0;
    if (!is_same)
        name_change(r);
}

/* r is about to start, and reads the bytes of s. */
static void check_read(struct request *r, struct part s)
{
    if (s.from == s.to)
        return;
    if (the_run.checks)
        check_use(r, s, false);
    if (the_run.checks || the_run.checksums)
        take_sum(r, s);
}

/* The last N_USES that read and that write are known: a list of all would cost programs with many
 * requests under way too much. */
void check_buffer(struct request *r)
{
    const struct part s = part_of(r->buf, r->type, r->count);

    r->on_stack = 0;
    if (r->kind == REQUEST_SEND && r->comm->owner->windows != NULL && the_run.checks)
        check_windows(r->comm->owner, NULL, r->buf, r->type, r->count, false, r->caller);
    if (r->kind == REQUEST_SEND && r->peer != MPI_PROC_NULL)
        check_read(r, s);
    else if (the_run.checks && s.from < s.to && r->peer != MPI_PROC_NULL)
        check_use(r, s, r->kind == REQUEST_RECV);
}

void check_buffers(struct request *r, const void *in, const struct type *in_type, size_t n,
                   const void *out, const struct type *out_type, size_t m)
{
    const struct part written = part_of(out, out_type, m);

    if (r->kind == REQUEST_COLLECTIVE && in_type != NULL && r->comm->owner->windows != NULL &&
        the_run.checks)
        check_windows(r->comm->owner, NULL, in, in_type, n, false, r->comm->owner->caller);
    check_read(r, part_of(in, in_type, n));
    if (the_run.checks && written.from < written.to)
        check_use(r, written, true);
}

/* ---- objects, requests and messages that are left ---- */

/* Each place once, whatever the number of ranks: no rank has freed it. */
static void report_objects(const struct rank *rank)
{
    struct said *said = &the_said;
    const struct object *named[MOST_PLACES];
    uintptr_t places[MOST_PLACES] = {0};
    char texts[MOST_PLACES][PLACE_TEXT];
    int n = 0;

    pthread_mutex_lock(&said->mutex);
    for (const struct object *o = rank->objects; o != NULL && said->n_left < MOST_PLACES;
         o = o->next) {
        const uintptr_t place = o->caller != NULL ? host_place_of(rank->host, o->caller) : o->place;
        int i = 0;

        while (i < said->n_left && (said->left[i].place != place || said->left[i].call != o->call))
            i++;
        if (i < said->n_left)
            continue;
        said->left[i].call = o->call;
        said->left[said->n_left++].place = place;
        named[n] = o;
        places[n++] = place;
    }
    pthread_mutex_unlock(&said->mutex);
    if (n == 0)
        return;
    host_name_places(the_job, places, n, texts);
    for (int i = 0; i < n; i++)
        check_name_finding("rank %d: MPI_Finalize: the %s of %s has not been %s%s\n",
                           logp_vp_rank(rank->vp), named[i]->what, named[i]->call,
                           strcmp(named[i]->what, "file") == 0 ? "closed" : "freed", texts[i]);
}

static uintptr_t place_of(const struct rank *rank, const struct request *r)
{
    return r->caller != NULL ? host_place_of(rank->host, r->caller) : r->place;
}

/* Count a persistent request that is left: each place is reported once for all ranks. The mutex is held. */
static void count_persistent(const struct rank *rank, const struct request *r)
{
    const uintptr_t place = place_of(rank, r);
    const int me = logp_vp_rank(rank->vp);
    struct said *said = &the_said;
    struct persistent *p = said->persistent;

    while (p < said->persistent + MOST_PLACES && p->n > 0 &&
           (p->place != place || strcmp(p->call, r->call) != 0))
        p++;
    if (p == said->persistent + MOST_PLACES) {
        said->n_persistent = MOST_PLACES + 1;
    } else {
        if (p->n == 0) {
            *p = (struct persistent){r->call, place, 0, 0, -1};
            said->n_persistent++;
        }
        p->n++;
        p->n_ranks += p->last_rank != me;
        p->last_rank = me;
    }
}

/* Name the persistent requests of all ranks. The first rank after the barrier of MPI_Finalize() does. */
static __attribute__((noinline)) void report_persistent(void)
{
    struct said *said = &the_said;
    struct persistent all[MOST_PLACES];
    uintptr_t places[MOST_PLACES];
    char texts[MOST_PLACES][PLACE_TEXT];
    int n;

    pthread_mutex_lock(&said->mutex);
    n = said->n_persistent;
    memcpy(all, said->persistent, sizeof(all));
    said->n_persistent = 0;
    memset(said->persistent, 0, sizeof(said->persistent));
    pthread_mutex_unlock(&said->mutex);
    for (int i = 0; i < n && i < MOST_PLACES; i++)
        places[i] = all[i].place;
    if (n > 0)
        host_name_places(the_job, places, n < MOST_PLACES ? n : MOST_PLACES, texts);
    for (int i = 0; i < n && i < MOST_PLACES; i++)
        if (all[i].n == 1)
            check_name_finding(
                "rank %d: MPI_Finalize: a request of %s is persistent and has not been freed%s\n",
                all[i].last_rank, all[i].call, texts[i]);
        else if (all[i].n_ranks == 1)
            check_name_finding("rank %d: MPI_Finalize: %d requests of %s are persistent and have "
                               "not been freed%s\n",
                               all[i].last_rank, all[i].n, all[i].call, texts[i]);
        else
            check_name_finding("MPI_Finalize: %d requests of %s on %d ranks are persistent and "
                               "have not been freed%s\n",
                               all[i].n, all[i].call, all[i].n_ranks, texts[i]);
    if (n > MOST_PLACES)
        check_name_finding("MPI_Finalize: more persistent requests are left\n");
}

static __attribute__((noinline)) void report_requests(const struct rank *rank)
{
    const struct request *named[MOST_PLACES];
    uintptr_t places[MOST_PLACES] = {0};
    char texts[MOST_PLACES][PLACE_TEXT];
    int n = 0, all = 0;

    pthread_mutex_lock(&the_said.mutex); /* one rank after the other, so that ranks are counted */
    for (const struct request *r = rank->given; r != NULL; r = r->next) {
        if (!r->active) {
            count_persistent(rank, r);
            continue;
        }
        if (all++ < MOST_PLACES) {
            named[n] = r;
            places[n++] = place_of(rank, r);
        }
    }
    pthread_mutex_unlock(&the_said.mutex);
    /* relaxed: only the number counts */
    if (n == 0 ||
        atomic_fetch_add_explicit(&the_said.requests, 1, memory_order_relaxed) >= MOST_RANKS)
        return;
    host_name_places(the_job, places, n, texts);
    for (int i = 0; i < n; i++)
        check_name_finding("rank %d: MPI_Finalize: a request of %s has not been waited for%s\n",
                           logp_vp_rank(rank->vp), named[i]->call, texts[i]);
    if (all > n)
        check_name_finding("rank %d: MPI_Finalize: more requests are left\n",
                           logp_vp_rank(rank->vp));
}

void check_left(const struct rank *rank)
{
    if (rank->given != NULL) /* a rank that leaves none touches no more of its stack */
        report_requests(rank);
    if (rank->objects != NULL)
        report_objects(rank);
}

void check_closed(const struct comm *comm)
{
    const struct rank *rank = comm->owner;
    char text[1][PLACE_TEXT], here[PLACE_TEXT];
    uintptr_t place;

    for (const struct request *r = rank->given; r != NULL; r = r->next) {
        if (r->comm != comm || !r->active)
            continue;
        place = place_of(rank, r);
        host_name_places(the_job, &place, 1, text);
        check_name_finding("rank %d: %s: a request of %s%s has not been waited for%s\n",
                           logp_vp_rank(rank->vp), rank->call, r->call, text[0],
                           host_name_here(here));
        return;
    }
}

/* Report the first message of a communicator that has not been received. @return whether there is
 * one */
static bool report_message(const struct rank *rank, const struct comm *c)
{
    char text[1][PLACE_TEXT];
    struct logp_status from;
    uintptr_t place;
    bool found = false;

    if (logp_peek(c->vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, &from) != 0 || !found)
        return false;
    place = from.bits & UINT32_MAX; /* check_signature_of() */
    host_name_places(the_job, &place, 1, text);
    check_name_finding(
        "rank %d: MPI_Finalize: a message of %zu bytes from rank %d with tag %d has not been "
        "received%s\n",
        logp_vp_rank(rank->vp), from.n_bytes, from.source - c->first_peer, from.tag, text[0]);
    return true;
}

/* All ranks have called MPI_Finalize(), so no receive will take it. */
void check_messages(const struct rank *rank)
{
    bool any;

    pthread_mutex_lock(&the_said.mutex);
    any = the_said.n_persistent > 0;
    pthread_mutex_unlock(&the_said.mutex);
    if (any)
        report_persistent();
    /* relaxed: only the number counts */
    if (atomic_load_explicit(&the_said.messages, memory_order_relaxed) >= MOST_RANKS)
        return;
    any = report_message(rank, &rank->world);
    for (const struct object *o = rank->objects; o != NULL && !any; o = o->next)
        if (strcmp(o->what, "communicator") == 0)
            any = report_message(rank, (const struct comm *)o);
    if (any)
        atomic_fetch_add_explicit(&the_said.messages, 1, memory_order_relaxed);
}
