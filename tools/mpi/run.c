/* SPDX-License-Identifier: MIT */
/* A program as the ranks of a machine: one run from the first rank's start to the last one's end. */
#include "run.h"
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct job *the_job;

/* ---- a rank ---- */

/* The program, on this vp's stack; it comes back by leave_rank(). */
static void run_program(struct job *job, struct host_rank *host)
{
    char why[512];
    void *entry;

    if (job->main != NULL)
        exit(job->main(job->argc, job->argv, environ));
    entry = load_image(job, host, why, sizeof(why));
    if (entry != NULL)
        enter_image(entry);
    fprintf(stderr, "%s: %s\n", job->path, why);
    abort_run(1);
}

static int run_rank(struct logp_vp *vp, void *arg)
{
    struct job *job = arg;
    const int me = logp_vp_rank(vp);
    struct rank *r = &job->ranks[me];
    struct host_rank *h = &job->hosts[me];
    int rc;

    r->host = h;
    rc = begin_rank(r, vp);
    if (rc != 0)
        return rc;
    h->running = true;
    if (setjmp(h->end) == 0)
        run_program(job, h);
    end_output(r);
    if (h->rc == 0 && r->initialized && !r->finalized) { /* the others may wait for it */
        fprintf(stderr, "rank %d ended with exit code %d and without MPI_Finalize, last in %s\n",
                me, h->code, r->call);
        h->code = h->code != 0 ? h->code : 1;
        end_output(r);
        logp_machine_stop(logp_vp_machine(vp), -ECANCELED);
    }
    h->running = false;
    end_rank(r);
    return h->rc;
}

/* ---- crashes ---- */

static void crashed(int signal_number)
{
    const struct rank *r = rank_here();
    char text[256];
    int n;

    if (r != NULL) {
        n = snprintf(text, sizeof(text), "rank %d crashed (%s), last in %s\n", logp_vp_rank(r->vp),
                     strsignal(signal_number), r->call);
        if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
            _exit(128 + signal_number);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_NODEFER};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}

/* ---- all ranks ---- */

static int make_job(struct job *job, int n)
{
    job->n_ranks = n;
    job->ranks = calloc((size_t)n, sizeof(*job->ranks));
    job->hosts = calloc((size_t)n, sizeof(*job->hosts));
    job->abort_code = -1;
    return job->ranks != NULL && job->hosts != NULL ? 0 : -ENOMEM;
}

/* The call that each waiting rank is in, the first of them. */
static void explain(const struct job *job, const struct logp_report *report)
{
    enum { MOST = 16 };

    for (int i = 0; i < report->n_waits && i < MOST; i++) {
        const struct logp_wait_info *w = &report->waits[i];
        const struct rank *r = &job->ranks[w->rank];

        fprintf(stderr, "  rank %d in %s", w->rank, r->call != NULL ? r->call : "main");
        if (w->kind == LOGP_WAIT_RECV || w->kind == LOGP_WAIT_SEND) {
            fprintf(stderr, w->kind == LOGP_WAIT_RECV ? ", for a message from " : ", sending to ");
            if (w->source >= 0)
                fprintf(stderr, "rank %d", w->source);
            else
                fprintf(stderr, "any rank");
            if (w->tag >= 0)
                fprintf(stderr, " with tag %d", w->tag);
        }
        fputc('\n', stderr);
    }
    if (report->n_waits > MOST)
        fprintf(stderr, "  and %d more ranks\n", report->n_waits - MOST);
}

/* @return the exit code */
static int conclude(const struct job *job, const struct logp_machine *m, int rc)
{
    const int aborted = atomic_load_explicit(&job->abort_code, memory_order_relaxed);

    if (aborted >= 0)
        return aborted;
    for (int i = 0; i < job->n_ranks; i++)
        if (job->hosts[i].code != 0 && job->hosts[i].rc == 0)
            return job->hosts[i].code & 255;
    if (rc == 0)
        return 0;
    if (rc == -EDEADLK || rc == -ETIMEDOUT) {
        fprintf(stderr, rc == -EDEADLK ? "deadlock: all ranks wait\n"
                                       : "the program did not end within --timeout\n");
        explain(job, logp_machine_report(m));
    } else if (rc != -EINTR) {
        fprintf(stderr, "the run ended: %s\n", strerror(-rc));
    }
    return 1;
}

__attribute__((visibility("default"))) int logp_mpi_run(struct logp_machine *m,
                                                        const struct mpi_program *program)
{
    struct job job = {.argc = program->argc,
                      .argv = program->argv,
                      .path = program->path,
                      .tags_output = program->tags_output};
    struct rlimit files;
    char why[512];
    int rc = make_job(&job, logp_machine_size(m));

    if (rc == 0 && read_image(&job, why, sizeof(why)) != 0) {
        fprintf(stderr, "logp: %s: %s\n", program->path, why);
        return 2;
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    catch_crashes();
    begin_output();
    the_job = &job;
    if (rc == 0)
        rc = program->run(m, run_rank, &job, program->timeout_ns);
    rc = conclude(&job, m, rc);
    fflush(NULL);
    return rc; /* the ranks' memory stays: the process ends */
}

/* Started by itself, a program is the only rank. */
int run_alone(main_function *main, int argc, char **argv);

int run_alone(main_function *main, int argc, char **argv)
{
    struct job job = {.argc = argc, .argv = argv, .path = argv[0], .main = main};
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 1,
                                 .delay = logp_delay_none(),
                                 .stack_bytes = (size_t)8 << 20};
    struct logp_machine *m;
    int rc = make_job(&job, 1);

    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc != 0) {
        fprintf(stderr, "%s: cannot make a machine of one processor: %s\n", argv[0], strerror(-rc));
        return 1;
    }
    catch_crashes();
    the_job = &job;
    rc = logp_machine_run(m, run_rank, &job, 0);
    the_job = NULL;
    rc = conclude(&job, m, rc);
    fflush(NULL);
    logp_machine_destroy(m);
    free(job.ranks);
    free(job.hosts);
    return rc;
}
