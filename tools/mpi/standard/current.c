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

/* Why no thread but that of main() may call MPI, of a rank with this level. */
static const char *why_not(const struct host_rank *h)
{
    if (mpi_most_threads() >= MPI_THREAD_SERIALIZED)
        return h->rank != NULL && h->rank->initialized
                   ? "MPI_Init_thread grants what the program asks for, which is less"
                   : "MPI_Init_thread has not been called";
    if (the_job->kept == NULL && !the_job->follows_clock && !the_job->names_threads)
        return "MPI_Init_thread grants MPI_THREAD_FUNNELED at most with fibers; type --executor "
               "thread";
    return "MPI_Init_thread grants MPI_THREAD_FUNNELED at most";
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
            "may call MPI (%s)%s\n",
            (int)(h - the_job->hosts), name_of_call(call), why_not(h), place[0]);
    host_end_by_thread(1);
}

/* Two threads of a rank call MPI at the same time: report the second one, and end the run. */
static _Noreturn void end_for_two(const struct host_rank *h, const char *call)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const uintptr_t at = host_place_here();
    char place[1][PLACE_TEXT], thread[32];

    while (atomic_flag_test_and_set_explicit(&said, memory_order_relaxed)) /* publishes nothing */
        pause();
    host_name_places(the_job, &at, 1, place);
    fflush(stdout);
    fprintf(host_report_stream(),
            "rank %d%s: %s: called while another thread of the rank is in %s, but "
            "MPI_Init_thread grants MPI_THREAD_SERIALIZED at most%s\n",
            (int)(h - the_job->hosts), mpi_thread_name(thread), name_of_call(call), h->rank->call,
            place[0]);
    host_end_by_thread(1);
}

int mpi_most_threads(void)
{
    return the_job->threads_may_call ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
}

const char *mpi_thread_name(char text[static 32])
{
    *text = '\0';
    if (host_thread_number() > 0)
        snprintf(text, 32, ", thread %d", host_thread_number());
    return text;
}

/* A thread that a rank has made calls for the rank. */
static struct rank *rank_that_acts(const char *call)
{
    struct host_rank *h = host_maker();

    if (h == NULL || h->rank == NULL || !h->acts)
        end_for_thread(call);
    if (!atomic_load_explicit(&h->running, memory_order_relaxed)) /* the run is over */
        host_end_thread();
    if (!host_act(h))
        end_for_thread(call);
    return h->rank;
}

/* Any thread may call it at any time. */
static bool is_for_all(const char *call)
{
    static const char *const all[] = {"MPI_Initialized", "MPI_Finalized", "MPI_Query_thread",
                                      "MPI_Is_thread_main"};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(call, all[i]) == 0)
            return true;
    return false;
}

void mpi_begin_alone(const struct rank *r, const char *call)
{
    struct host_rank *h = r->host;
    const int me = host_thread_number() + 1;
    int none = 0;

    /* relaxed: its own store, or that of another one */
    if (is_for_all(call) && atomic_load_explicit(&h->inside, memory_order_relaxed) != me)
        return;
    /* acquire pairs with the release in mpi_end_alone() */
    if (atomic_compare_exchange_strong_explicit(&h->inside, &none, me, memory_order_acquire,
                                                memory_order_relaxed) ||
        none == me)
        h->depth++;
    else
        end_for_two(h, call);
}

void mpi_end_alone(const struct rank *r)
{
    struct host_rank *h = r->host;

    /* relaxed: this thread's own store, or that of another one */
    if (atomic_load_explicit(&h->inside, memory_order_relaxed) == host_thread_number() + 1 &&
        --h->depth == 0)
        atomic_store_explicit(&h->inside, 0, memory_order_release);
}

struct rank *mpi_rank_that_calls(void)
{
    struct rank *r = mpi_rank_here();
    const struct host_rank *h = r == NULL ? host_maker() : NULL;

    return h != NULL && h->acts ? h->rank : r;
}

struct rank *mpi_rank_of_call(const char *call)
{
    struct rank *r = mpi_rank_here();

    if (r == NULL)
        r = rank_that_acts(call);
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
