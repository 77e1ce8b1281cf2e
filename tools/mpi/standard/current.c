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
    if (mpi_most_threads() > MPI_THREAD_FUNNELED)
        return h->rank != NULL && h->rank->initialized
                   ? "MPI_Init_thread grants what the program asks for, which is less"
                   : "MPI_Init_thread has not been called";
    if (the_job->kept == NULL && !the_job->follows_clock && !the_job->names_threads)
        return "MPI_Init_thread grants MPI_THREAD_FUNNELED at most with fibers; type --executor "
               "thread";
    return the_job->follows_clock || the_job->kept != NULL
               ? "MPI_Init_thread grants MPI_THREAD_FUNNELED at most on the virtual clock, on "
                 "which a "
                 "rank has one time"
               : "MPI_Init_thread grants MPI_THREAD_FUNNELED at most";
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
            "MPI_Init_thread has granted MPI_THREAD_SERIALIZED%s\n",
            (int)(h - the_job->hosts), mpi_thread_name(thread), name_of_call(call), h->rank->call,
            place[0]);
    host_end_by_thread(1);
}

int mpi_most_threads(void)
{
    return the_job->threads_may_call ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
}

/* What a rank notes of the call that it is in. */
struct noted {
    const char *call, *started;
    void *caller, *timed_caller;
    int answer;
    bool combines;
};

static struct noted noted_of(const struct rank *r)
{
    return (struct noted){r->call, r->started, r->caller, r->timed_caller, r->answer, r->combines};
}

static void note_again(struct rank *r, const struct noted *n)
{
    r->call = n->call;
    r->started = n->started;
    r->caller = n->caller;
    r->timed_caller = n->timed_caller;
    r->answer = n->answer;
    r->combines = n->combines;
}

/* The call of this thread waits: other threads of its rank call meanwhile. */
static bool let_threads_call(void *arg, bool may_rest)
{
    struct rank *r = arg;
    struct host_rank *h = r->host;
    const struct noted noted = noted_of(r);
    const int me = host_thread_number() + 1, depth = h->depth;
    struct paused paused = {0};

    /* relaxed: threads that are about to begin are made by threads that are counted */
    if (atomic_load_explicit(&h->n_alive, memory_order_relaxed) == 0 || !h->takes_turns)
        return false;
    if (the_run.pauses != NULL)
        the_run.pauses(r, &paused);
    h->depth = 0;
    atomic_store_explicit(&h->inside, 0, memory_order_relaxed); /* the turns order it */
    host_end_turn(h);
    host_rest(h, may_rest);
    host_take_turn(h);
    atomic_store_explicit(&h->inside, me, memory_order_relaxed);
    h->depth = depth;
    note_again(r, &noted);
    if (the_run.resumes != NULL)
        the_run.resumes(r, &paused);
    return true;
}

void mpi_let_act(struct rank *r, int level)
{
    r->host->takes_turns |= level == MPI_THREAD_MULTIPLE;
    r->host->acts |= level >= MPI_THREAD_SERIALIZED;
}

int mpi_let_threads_call(struct rank *r)
{
    const int rc = r->thread_level == MPI_THREAD_MULTIPLE
                       ? mpi_class_of(logp_vp_share(r->vp, let_threads_call, r))
                       : MPI_SUCCESS;

    if (r->thread_level == MPI_THREAD_MULTIPLE) /* relaxed: the sync of MPI_Init_thread() follows */
        atomic_store_explicit(&the_run.has_multiple, true, memory_order_relaxed);
    mpi_let_act(r, r->thread_level);
    return rc;
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
    if (h->takes_turns && atomic_load_explicit(&h->inside, memory_order_relaxed) != me)
        host_take_turn(h);
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
        --h->depth == 0) {
        atomic_store_explicit(&h->inside, 0, memory_order_release);
        if (h->takes_turns) {
            host_rest_no_more(h);
            host_end_turn(h);
        }
    }
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
    if ((!r->initialized || r->finalized) && r->n_sessions == 0) {
        char place[PLACE_TEXT];

        fprintf(stderr, "rank %d: %s: called %s%s\n", logp_vp_rank(r->vp), call,
                r->finalized ? "after MPI_Finalize" : "before MPI_Init", host_name_here(place));
        host_abort_run(1);
    }
    return r;
}
