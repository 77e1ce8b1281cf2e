/* SPDX-License-Identifier: MIT */
/*
 * The runs of a search, shared among processes. Each of n children makes blocks of BLOCK runs, in
 * turn, until one has failed; then the others end when they come to a later run. So the earliest
 * failure is known, and the search ends with the run, seed and outcomes that one process would have
 * found. The failure is made once more here: a crash ends this process as if it had come first.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = LPI_FIRST_RUNS };

struct lpi_cores {
    int n, child; /* which this process is; -1: the parent */
    _Atomic uint64_t
        *failed; /* the earliest run that has failed; UINT64_MAX: none. All have this */
    struct process {
        struct lpi_isolated *result; /* of a failure, or an error of the kit */
        struct figures *figures;
        FILE *outcomes; /* struct lpi_known, when it has ended */
        FILE *labels;   /* struct labelled, of each run that has reached any */
        pid_t pid;
        bool has_ended, lacks_labels;
    } * processes;
};

struct labelled {
    uint64_t run, labels; /* as those of the result are numbered */
};

/* The results of a child, set at its end. */
struct figures {
    _Atomic uint64_t runs; /* by now */
    struct logp_checked checked;
    uint64_t whole;
    int rc;
    bool is_whole; /* it has come to its end */
};

/* ---- in a child ---- */

static uint64_t next_run(const struct lpi_job *job)
{
    const uint64_t next = job->plan.run + 1;
    const struct lpi_cores *c = job->cores;
    struct process *p = &c->processes[c->child];
    const struct labelled ran = {job->plan.run, job->labels.last};

    if (ran.labels != 0 && fwrite(&ran, sizeof(ran), 1, p->labels) != 1)
        p->lacks_labels = true;
    /* relaxed: shown on a terminal only */
    atomic_fetch_add_explicit(&p->figures->runs, 1, memory_order_relaxed);
    return next % BLOCK != 0 ? next : next + BLOCK * (uint64_t)(c->n - 1);
}

static bool is_over(const struct lpi_job *job, uint64_t run)
{
    /* relaxed: the result of that run is read after its process has ended */
    return run > atomic_load_explicit(job->cores->failed, memory_order_relaxed);
}

/* Relaxed: as in is_over() */
static void fail(const struct lpi_cores *c, uint64_t run)
{
    uint64_t earliest = atomic_load_explicit(c->failed, memory_order_relaxed);

    while (run < earliest &&
           !atomic_compare_exchange_weak_explicit(c->failed, &earliest, run, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void crashed(const struct lpi_job *job)
{
    fail(job->cores, job->plan.run);
}

static const struct lpi_sharing sharing = {
    .next = next_run, .is_over = is_over, .crashed = crashed};

static void tell(struct lpi_job *job, struct process *p, int rc)
{
    struct figures *f = p->figures;

    if (rc != 0 || job->outcome.kind != LOGP_FAILURE_NONE) {
        lpi_child_give(p->result, job, rc);
        fail(job->cores, job->plan.run);
    }
    f->checked = job->checked;
    f->whole = job->whole;
    f->rc = rc;
    f->is_whole = lpi_outcomes_write(&job->outcomes, p->outcomes) && !p->lacks_labels &&
                  fflush(p->labels) == 0;
}

static _Noreturn void be_child(struct lpi_job *job, int i)
{
    struct process *p = &job->cores->processes[i];
    int rc = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    lpi_signals_in_child();
    job->cores->child = i;
    job->sharing = &sharing;
    job->isolated = p->result; /* for a crash */
    job->progress.next_ns = 0;
    job->checked.runs = job->checked.cut = job->checked.choices = 0;
    job->checked.chance = 0;
    job->plan.run = BLOCK * (uint64_t)i;
    if (job->plan.run < job->most)
        rc = lpi_job_begin(job);
    tell(job, p, rc);
    fflush(NULL);
    _exit(EXIT_SUCCESS);
}

/* ---- in the parent ---- */

static void *share(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

static void drop(void *at, size_t size)
{
    if (at != NULL)
        munmap(at, size);
}

static void cores_free(struct lpi_cores *c)
{
    for (int i = 0; i < c->n && c->processes != NULL; i++) {
        lpi_child_free(c->processes[i].result);
        drop(c->processes[i].figures, sizeof(struct figures));
        if (c->processes[i].outcomes != NULL)
            fclose(c->processes[i].outcomes);
        if (c->processes[i].labels != NULL)
            fclose(c->processes[i].labels);
    }
    drop(c->failed, sizeof(*c->failed));
    free(c->processes);
}

static bool cores_make(struct lpi_cores *c, int n)
{
    *c = (struct lpi_cores){.n = n, .child = -1};
    c->failed = share(sizeof(*c->failed));
    c->processes = calloc((size_t)n, sizeof(*c->processes));
    if (c->failed == NULL || c->processes == NULL)
        return false;
    atomic_init(c->failed, UINT64_MAX);
    for (int i = 0; i < n; i++) {
        struct process *p = &c->processes[i];

        p->result = lpi_child_new();
        p->figures = share(sizeof(*p->figures));
        p->outcomes = tmpfile();
        p->labels = tmpfile();
        if (p->result == NULL || p->figures == NULL || p->outcomes == NULL || p->labels == NULL)
            return false;
    }
    return true;
}

/* Wait for all, and show how far they are. */
static void await(struct lpi_job *job, const struct lpi_cores *c)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int left = 0;

    for (int i = 0; i < c->n; i++)
        left += c->processes[i].pid > 0;
    while (left > 0) {
        uint64_t runs = 0;

        for (int i = 0; i < c->n; i++) {
            struct process *p = &c->processes[i];

            if (p->pid > 0 && !p->has_ended && waitpid(p->pid, NULL, WNOHANG) == p->pid) {
                p->has_ended = true;
                left--;
            }
            /* relaxed: a figure for people */
            runs += atomic_load_explicit(&p->figures->runs, memory_order_relaxed);
        }
        job->plan.run = runs;
        lpi_progress_show(job);
        if (left > 0)
            nanosleep(&pause, NULL);
    }
    job->plan.run = 0;
}

/* Count the labels of the runs that one process would have made. @return false: the file cannot be read */
static bool gather_labels(struct lpi_job *job, const struct process *p, uint64_t last)
{
    struct labelled ran;

    rewind(p->labels);
    while (fread(&ran, sizeof(ran), 1, p->labels) == 1)
        if (ran.run <= last)
            lpi_reached_add(&job->labels, p->result, ran.labels);
    return ferror(p->labels) == 0;
}

/* Add up the results of all children. @return 0; or an error */
static int gather(struct lpi_job *job, const struct lpi_cores *c)
{
    /* relaxed: all have ended */
    const uint64_t last = atomic_load_explicit(c->failed, memory_order_relaxed);
    struct logp_checked *all = &job->checked;
    uint64_t runs = 0;
    int rc = 0;

    for (int i = 0; i < c->n; i++) {
        const struct figures *f = c->processes[i].figures;
        const struct logp_checked *d = &f->checked;

        if (!f->is_whole && !lpi_child_is_done(c->processes[i].result))
            rc = -ECHILD;
        runs += d->runs;
        all->cut += d->cut;
        all->choices = d->choices > all->choices ? d->choices : all->choices;
        if (d->chance != 0 && all->chance >= 0 && (all->chance == 0 || d->chance < all->chance))
            all->chance = d->chance;
        job->whole += f->whole;
        if (!lpi_outcomes_read(&job->outcomes, c->processes[i].outcomes))
            rc = -ENOMEM;
        if (!gather_labels(job, &c->processes[i], last))
            rc = -EIO;
    }
    lpi_progress_add_all(job, last != UINT64_MAX ? last + 1 : runs, last);
    return rc;
}

/* Here it is made smaller and described. */
int lpi_cores_repeat(struct lpi_job *job, struct lpi_isolated *result, uint64_t run)
{
    struct lpi_answers answers = {0};
    struct lpi_outcome outcome;
    struct lpi_plan plan;
    int rc = lpi_child_take(result, job);

    job->plan.run = run;
    lpi_job_draw(job);
    outcome = job->outcome;
    plan = job->plan;
    if (rc != 0 || outcome.kind == LOGP_FAILURE_NONE || outcome.kind == LOGP_FAILURE_TIMEOUT ||
        outcome.kind == LOGP_FAILURE_UNCONTROLLED)
        return rc;
    if (!lpi_answers_copy(&answers, &job->taken))
        return -ENOMEM;
    rc = lpi_job_again(job, &plan, &answers, NULL);
    lpi_answers_free(&answers);
    if (rc == -ESTALE || (rc == 0 && !lpi_same_outcome(&job->outcome, &outcome))) {
        job->outcome = lpi_outcome_with(LOGP_FAILURE_UNCONTROLLED, -ESTALE, -1);
        job->twice.differs = true;
        job->twice.at = -1;
        rc = 0;
    }
    return rc;
}

static int go(struct lpi_job *job, struct lpi_cores *c)
{
    int rc = 0;

    fflush(NULL); /* or each child prints it, too */
    for (int i = 0; rc == 0 && i < c->n; i++) {
        const pid_t pid = fork();

        if (pid == 0)
            be_child(job, i);
        rc = pid < 0 ? -errno : 0;
        c->processes[i].pid = pid;
    }
    if (rc != 0) /* those that have begun come to their end soon */
        fail(c, 0);
    await(job, c);
    job->cores = NULL;
    if (rc == 0)
        rc = gather(job, c);
    if (rc == -ECHILD)
        snprintf(job->why, sizeof(job->why),
                 "a process of the check was killed, or a run had more than %d choices; try "
                 "cores = 1",
                 LPI_CHILD_CHOICES);
    for (int i = 0; rc == 0 && i < c->n; i++) {
        struct lpi_isolated *result = c->processes[i].result;
        const uint64_t run = lpi_child_is_done(result) ? lpi_child_run(result) : UINT64_MAX;

        /* relaxed: all processes have ended */
        if (run != UINT64_MAX && run == atomic_load_explicit(c->failed, memory_order_relaxed))
            return lpi_cores_repeat(job, result, run);
    }
    return rc;
}

int lpi_cores_go(struct lpi_job *job, int n)
{
    struct lpi_cores c;
    int rc = -ENOMEM;

    lpi_job_forget(job); /* a child has none of its threads */
    job->outcome = (struct lpi_outcome){.rank = -1};
    if (cores_make(&c, n)) {
        job->cores = &c;
        rc = go(job, &c);
        job->cores = NULL;
    }
    cores_free(&c);
    return rc;
}
