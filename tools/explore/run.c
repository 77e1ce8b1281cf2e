/* SPDX-License-Identifier: MIT */
/*
 * A program that defines logp_main(vp, argc, argv), as the processors of the test kit: each has a copy of it and of its
 * libraries, with globals of its own, which are new in each run. The result of logp_main(), and of its
 * LOGP_CHECK(), is that of the run.
 */
#include "run.h"
#include "host/host.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

typedef int logp_main_function(struct logp_vp *vp, int argc, char **argv);

static const char entry[] = "logp_main", entry_of_cxx[] = "_Z9logp_mainP7logp_vpiPPc";

/* What this guest has of a rank. */
struct rank {
    const char *call;
    int result; /* of logp_main() */
};

static struct rank *ranks;

/* ---- a rank ---- */

/* It comes back by host_leave_rank(). */
static _Noreturn void run_program(const struct job *job, struct host_rank *h)
{
    logp_main_function *program;
    void *address;

    host_start_image(job, h);
    address = host_function_named(h, entry);
    memcpy(&program, &address, sizeof(program));
    h->argv = host_copy_arguments(job->argc, job->argv);
    if (h->argv == NULL)
        host_leave_rank(1, -ENOMEM);
    h->rank->result = program(h->vp, job->argc, h->argv);
    host_leave_rank(0, 0);
}

static int run_rank(struct logp_vp *vp, void *arg)
{
    struct job *job = arg;
    struct host_rank *h = &job->hosts[logp_vp_rank(vp)];
    struct rank *r = &ranks[logp_vp_rank(vp)];
    char end[64];

    if (h->vp != NULL) /* it starts again after a crash */
        host_forget_rank(h);
    *r = (struct rank){.call = entry};
    h->job = job;
    h->vp = vp;
    h->rank = r;
    h->call = &r->call;
    host_begin_rank(job, h);
    if (setjmp(h->end) == 0)
        run_program(job, h);
    host_end_output(h);
    if (h->rc == 0 && h->code != 0) {
        snprintf(end, sizeof(end), "rank %d ended with exit code %d", logp_vp_rank(vp), h->code);
        host_fail_by_end(h, end);
    }
    host_end_rank(h);
    return h->rc != 0 ? h->rc : r->result;
}

/* ---- all runs ---- */

static int begin(int P, void *arg)
{
    (void)P;
    host_begin_explored(arg);
    return 0;
}

static int most_processors(const struct logp_check *check)
{
    int most = 1;

    for (int i = 0; i < check->n_sizes; i++)
        most = check->sizes[i] > most ? check->sizes[i] : most;
    return most;
}

static void find_nothing(struct job *job)
{
    (void)job; /* all functions of the program are its own, or those of its libraries */
}

/* @return 0; -1: an error has been printed */
static int read_program(struct job *job)
{
    const struct host_rank none = {.job = job};
    char why[512], *path;

    if (host_read_image(job, find_nothing, why, sizeof(why)) == 0 && job->picture == NULL)
        snprintf(why, sizeof(why), "it needs a function that is in none of its libraries");
    if (*why == '\0' && host_function_named(&none, entry) == NULL)
        snprintf(why, sizeof(why),
                 host_function_named(&none, entry_of_cxx) != NULL
                     ? "its logp_main() has a name of C++: declare it extern \"C\""
                     : "it does not define int logp_main(struct logp_vp *vp, int argc, char "
                       "**argv), or it is stripped");
    if (*why != '\0') {
        fprintf(stderr, "logp: %s: %s\n", job->path, why);
        return -1;
    }
    path = realpath(job->path, NULL); /* the program may go to another folder */
    job->path = path != NULL ? path : job->path;
    return host_libraries_are_known(job) ? 0 : -1;
}

/* Whether a rank has ended by abort(), assert() or exit(), whose lines nothing else names. */
static bool any_left(const struct job *job, int P)
{
    for (int i = 0; i < P; i++)
        if (job->hosts[i].code != 0)
            return true;
    return false;
}

/* @return the exit code */
static int conclude(const struct job *job, const struct logp_check *check, int rc,
                    struct logp_failure *f)
{
    if (f->kind == LOGP_FAILURE_NONE && rc != 0 && *f->text == '\0')
        fprintf(stderr, "%s cannot be explored: %s\n", check->name, strerror(-rc));
    else if (f->kind == LOGP_FAILURE_NONE && rc == 0)
        fprintf(stderr, "%s: no failure: %s\n", check->name, check->checked.text);
    else if (f->kind != LOGP_FAILURE_NONE && f->kind != LOGP_FAILURE_TIMEOUT)
        host_print_output(job);
    if (f->kind == LOGP_FAILURE_ASSERTED && any_left(job, f->P))
        host_print_places(job, f->P);
    fputs(f->text, stderr);
    return rc == 0 ? 0 : f->kind == LOGP_FAILURE_NONE ? 2 : 1;
}

EXPORT int logp_explore_run(const struct explored_program *program)
{
    static struct job job; /* until the process ends: libraries read clocks after this returns */
    struct logp_check check = *program->check;
    struct output kept = {0};
    struct logp_failure failure;
    int rc;

    job = (struct job){.argc = program->argc,
                       .argv = program->argv,
                       .path = program->path,
                       .locals = program->locals,
                       .quiet = program->quiet,
                       .shared = program->shared,
                       .own = program->own,
                       .kept = &kept,
                       .fails_by_crash = true,
                       .stack_bytes = check.stack_bytes,
                       .n_ranks = most_processors(&check),
                       .pid = getpid(),
                       .follows_clock = !program->real_clocks,
                       .epoch_ns = program->epoch_ns,
                       .abort_code = -1};
    job.hosts = calloc((size_t)job.n_ranks, sizeof(*job.hosts));
    ranks = calloc((size_t)job.n_ranks, sizeof(*ranks));
    if (job.hosts == NULL || ranks == NULL) {
        fprintf(stderr, "logp: no memory for %d processors\n", job.n_ranks);
        return 2;
    }
    if (read_program(&job) != 0)
        return 2;
    job.no_input = fopen("/dev/null", "re");
    host_catch_crashes();
    host_begin_output();
    the_job = &job;
    check.before = begin;
    rc = logp_check(run_rank, &job, &check, &failure);
    rc = conclude(&job, &check, rc, &failure);
    logp_failure_free(&failure);
    return rc;
}

/* ---- the guest ---- */

static void note_nothing(void)
{
}

/* A sleep that ends with an error is the last call of the rank. */
static void note_result(int rc)
{
    if (rc != 0)
        host_leave_rank(0, rc);
}

/* The choice of the run; 0 where the run ends. */
static int draw(struct host_rank *h, int n)
{
    const int i = logp_choose(h->vp, n);

    return i > 0 ? i : 0;
}

static int run_alone(main_function *main, int argc, char **argv)
{
    return main(argc, argv, environ);
}

const struct guest the_guest = {.name = "liblogp",
                                .libraries = "liblogp_explore.",
                                .own_libraries = "liblogp_explore.",
                                .run_alone = run_alone,
                                .note_result = note_result,
                                .draw = draw,
                                .charge_computing = note_nothing,
                                .resume_computing = note_nothing};
