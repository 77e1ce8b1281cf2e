/* SPDX-License-Identifier: MIT */
/*
 * Functions of MPI have second ones (made from functions.txt), which the copies of the executable
 * call. With --check they refuse null pointers. With --compute, where the
 * program's own computing takes time on the virtual clock, they first charge what the rank has
 * computed since its last call: the processor time of its thread, times a factor. With --report
 * they note the call. Nothing else calls them, so runs without these options pay nothing.
 */
#include "timed.h"
#include "host/host.h"
#include "mpi/standard/rank.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

static int64_t processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void profile_charge_computing(void)
{
    struct rank *r = the_job != NULL && the_run.compute > 0 ? mpi_rank_that_calls() : NULL;

    if (r != NULL && host_maker() == NULL) /* the time of the rank's own thread */
        mpi_class_of(logp_compute(
            r->vp, (int64_t)((double)(processor_ns() - r->host->computes_ns) * the_run.compute),
            NULL, NULL));
}

void profile_resume_computing(void)
{
    const bool changes = the_job != NULL && the_job->changes_directory;
    struct rank *r =
        the_job != NULL && (changes || the_run.compute > 0) ? mpi_rank_that_calls() : NULL;

    if (r != NULL && changes)
        host_enter_directory(r->host);
    if (r != NULL && the_run.compute > 0 && host_maker() == NULL)
        r->host->computes_ns = processor_ns();
}

void profile_begin_call(const char *call, void *caller)
{
    struct rank *r = the_job != NULL ? mpi_rank_that_calls() : NULL;

    if (r != NULL && r->host->acts)
        mpi_begin_alone(r, call);
    profile_charge_computing();
    if (r == NULL)
        return;
    r->timed_caller = mpi_caller(r, caller);
    if (the_run.records_calls)
        profile_call_begins(r, call, r->timed_caller);
}

void profile_end_call(void)
{
    struct rank *r = the_job != NULL ? mpi_rank_that_calls() : NULL;

    if (r != NULL && the_run.records_calls)
        profile_call_ends(r);
    if (r != NULL && r->host->acts)
        mpi_end_alone(r);
    profile_resume_computing();
}

void profile_begin_time(const char *call)
{
    struct rank *r = the_job != NULL ? mpi_rank_that_calls() : NULL;

    if (r != NULL && r->host->takes_turns)
        mpi_begin_alone(r, call);
    profile_charge_computing();
}

void profile_end_time(void)
{
    struct rank *r = the_job != NULL ? mpi_rank_that_calls() : NULL;

    if (r != NULL && r->host->takes_turns)
        mpi_end_alone(r);
    profile_resume_computing();
}

int profile_null_argument(const char *call, MPI_Comm comm, const char *parameter)
{
    mpi_enter_any(call);
    CHECK(mpi_comm_of(comm), false, MPI_ERR_ARG, "%s is a null pointer", parameter);
    return MPI_SUCCESS;
}

/* NULL: MPI's own is called. With --compute and --report time is charged whatever a tool does. */
static void (*second_of(const char *name))(void)
{
    for (const struct second_function *f = second_functions; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0) {
            if (the_run.times_calls)
                return f->timed;
            return dlsym(RTLD_DEFAULT, name) == (void *)f->function ? f->checked : NULL;
        }
    return NULL;
}

void profile_bind_functions(struct job *job)
{
    size_t n;
    Elf64_Sym *symbols = host_dynamic_symbols(job, &n);

    /* ranks of one thread change to their own directory after each call */
    the_run.times_calls =
        the_run.times_calls || (job->changes_directory && !job->names_threads) ||
        (job->threads_may_call && (host_symbol_of(job, "MPI_Init_thread") != NULL ||
                                   host_symbol_of(job, "MPI_T_init_thread") != NULL));
    if (!the_run.times_calls && !the_run.checks)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *name = host_symbol_name(job, &symbols[i]);
        void (*second)(void);

        if (symbols[i].st_shndx != SHN_UNDEF ||
            strncmp(name + (*name == 'P'), "MPI_", strlen("MPI_")) != 0)
            continue;
        second = second_of(name + (*name == 'P'));
        if (second != NULL)
            host_set_address(&symbols[i], (void *)second);
    }
}
