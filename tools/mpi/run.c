/* SPDX-License-Identifier: MIT */
/* A program as the ranks of a machine: one run from the first rank's start to the last one's end. */
#include "explore.h"
#include "mpi/check/check.h"
#include "mpi/profile/timed.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- a rank ---- */

/* The program of a rank */
static const struct job *program_of(const struct job *first, int rank)
{
    while (first->next != NULL && first->next->first_rank <= rank)
        first = first->next;
    return first;
}

/* The subroutines of a program in Fortran, and the function that writes the data that its units keep */
static struct wrappers {
    uintptr_t from, bytes;
    void *const *caller;
    void (*flush)(void);
} of_process; /* of a program that runs alone: they are given before it is a rank */

static void give_wrappers(struct rank *r, const struct wrappers *w)
{
    r->host->wrappers = r->wrappers = w->from;
    r->host->wrappers_bytes = r->wrappers_bytes = w->bytes;
    r->host->flush = w->flush;
    r->wrapper_caller = w->caller;
}

__attribute__((visibility("default"))) void
logp_mpi_wrappers(const char *from, const char *to, void *const *caller, void (*flush)(void))
{
    const struct wrappers w = {(uintptr_t)from, (uintptr_t)(to - from), caller, flush};
    struct rank *r = mpi_rank_here();

    if (r != NULL)
        give_wrappers(r, &w);
    else
        of_process = w;
}

/* The program, on this vp's stack; it comes back by host_leave_rank(). */
static void run_program(const struct job *job, struct host_rank *host)
{
    if (job->main != NULL)
        exit(job->main(job->argc, job->argv, environ));
    host_enter_image(host_start_image(job, host));
}

static void note_end(struct host_rank *h, struct logp_vp *vp)
{
    int64_t wall_ns;

    h->ended_ns = logp_clocks(vp, &wall_ns);
    h->late_ns = wall_ns - h->ended_ns;
}

/* How a rank has ended by itself. The place of an explored one is named once, with those of all ranks. */
static void name_end(const struct host_rank *h, const struct rank *r, char *text, size_t size)
{
    char place[1][PLACE_TEXT] = {""};

    if (the_job->kept == NULL || host_is_after_main(the_job, h->place))
        host_name_places(the_job, &h->place, 1, place);
    if (r->finalized || !r->initialized)
        snprintf(text, size, "rank %d ended with exit code %d %s MPI_%s%s", logp_vp_rank(r->vp),
                 h->code, r->finalized ? "after" : "before", r->finalized ? "Finalize" : "Init",
                 place[0]);
    else
        snprintf(text, size,
                 "rank %d ended with exit code %d and without MPI_Finalize%s, last in %s",
                 logp_vp_rank(r->vp), h->code, place[0], r->call);
}

int mpi_run_rank(struct logp_vp *vp, void *arg)
{
    const struct job *job = arg;
    const int me = logp_vp_rank(vp);
    struct rank *r = &the_run.ranks[me];
    struct host_rank *h = &job->hosts[me];
    char end[2 * PLACE_TEXT];
    bool is_early;
    int rc;

    if (me == 0)
        host_catch_interrupts();
    r->host = h;
    h->job = program_of(job, me);
    h->vp = vp;
    h->rank = r;
    h->call = &r->call;
    give_wrappers(r, &of_process);
    r->stack_top = (uintptr_t)__builtin_frame_address(0);
    r->stack_bytes = job->stack_bytes / 2; /* the upper half: below the stack may be other memory */
    rc = mpi_begin_rank(r, vp);
    if (rc != 0)
        return rc;
    host_begin_rank(job, h);
    if (setjmp(h->end) == 0)
        run_program(h->job, h);
    profile_calls_left(r);
    note_end(h, vp);
    host_end_output(h);
    is_early = h->rc == 0 && r->initialized && !r->finalized; /* the others may wait for it */
    if (is_early || (h->rc == 0 && job->kept != NULL))
        name_end(h, r, end, sizeof(end));
    if (is_early) {
        if (job->kept == NULL)
            fprintf(stderr, "%s\n", end);
        h->code = h->code != 0 ? h->code : 1;
        host_end_output(h);
        if (job->kept == NULL)
            logp_machine_stop(logp_vp_machine(vp), -ECANCELED);
        host_note_over();
    }
    if (h->rc != 0)
        host_note_over();
    if (h->rc == 0 && job->kept != NULL && h->code != 0)
        host_fail_by_end(h, end);
    else if (h->rc == 0 && job->kept != NULL && the_run.checks_fail && *h->found != '\0')
        host_fail_explored(h, h->found);
    host_end_rank(h);
    mpi_end_rank(r);
    return h->rc;
}

/* ---- all ranks ---- */

static int make_job(struct job *job, int n)
{
    job->n_ranks = n;
    job->pid = getpid();
    the_run.ranks = calloc((size_t)n, sizeof(*the_run.ranks));
    job->hosts = calloc((size_t)n, sizeof(*job->hosts));
    job->abort_code = -1;
    return the_run.ranks != NULL && job->hosts != NULL ? 0 : -ENOMEM;
}

/* Is the tag of its messages one that the program has chosen? Collectives have their own. */
static bool has_own_tag(const char *call)
{
    static const char *const calls[] = {"Send", "Ssend", "Bsend",  "Rsend",
                                        "Recv", "Probe", "Mprobe", "Wait"};

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strncmp(call, "MPI_", 4) == 0 && strncmp(call + 4, calls[i], strlen(calls[i])) == 0)
            return true;
    return false;
}

static void print_wait(FILE *f, const struct logp_wait_info *w, const char *call)
{
    static const char *const texts[] = {[LOGP_WAIT_RECV] = ", for a message from ",
                                        [LOGP_WAIT_SEND] = ", sending to ",
                                        [LOGP_WAIT_SPACE] = ", for queue space of ",
                                        [LOGP_WAIT_SYNC] = ", for the other ranks",
                                        [LOGP_WAIT_POLL] = ", which it calls again and again",
                                        [LOGP_WAIT_RUNNING] = ", or in the program's own code",
                                        [LOGP_WAIT_HALTED] = ", stopped by the model"};
    const bool has_peer =
        w->kind == LOGP_WAIT_RECV || w->kind == LOGP_WAIT_SEND || w->kind == LOGP_WAIT_SPACE;

    if (strncmp(call, "MPI_Win_lock", 12) == 0 && w->kind == LOGP_WAIT_RECV) {
        fputs(", for a lock that another rank holds", f);
        return;
    }
    if ((size_t)w->kind < sizeof(texts) / sizeof(texts[0]) && texts[w->kind] != NULL)
        fputs(texts[w->kind], f);
    if (has_peer && w->source >= 0)
        fprintf(f, "rank %d", w->source);
    else if (has_peer)
        fprintf(f, "any rank");
    if (has_peer && w->tag >= 0 && has_own_tag(call))
        fprintf(f, " with tag %d", w->tag);
}

/* The call that each waiting rank is in, the first of them. */
static void explain(const struct job *job, const struct logp_report *report)
{
    const int n = report->n_waits < MOST_PLACES ? report->n_waits : MOST_PLACES;
    FILE *f = host_report_stream();
    uintptr_t places[MOST_PLACES] = {0};
    char texts[MOST_PLACES][PLACE_TEXT];

    for (int i = 0; i < n; i++)
        places[i] = job->hosts[report->waits[i].rank].place;
    host_name_places(job, places, n, texts);
    for (int i = 0; i < n; i++) {
        const struct logp_wait_info *w = &report->waits[i];
        const struct rank *r = &the_run.ranks[w->rank];
        const char *call = r->call != NULL ? r->call : "main";

        fprintf(f, "  rank %d in %s", w->rank, call);
        print_wait(f, w, call);
        fprintf(f, "%s\n", texts[i]);
    }
    if (report->n_waits > n)
        fprintf(f, "  and %d more ranks\n", report->n_waits - n);
}

/* The messages that --fault has lost, doubled or changed: a program may wait for them. */
static void explain_faults(const struct logp_machine *m)
{
    enum { SHOWN = 8 };
    const void *faults = m != NULL ? logp_machine_faults(m) : NULL;
    struct logp_fault_event all[SHOWN];
    const int n = faults != NULL ? logp_fault_events(faults, all, SHOWN) : 0;
    FILE *f = host_report_stream();

    for (int i = 0; i < n && i < SHOWN; i++)
        fprintf(f, "  --fault: %s: message %u of rank %d, to rank %d\n", all[i].kind,
                all[i].number + 1, all[i].src, all[i].dst);
    if (n > SHOWN)
        fprintf(f, "  --fault: and %d more messages\n", n - SHOWN);
}

/* The ranks of a communicator call different collectives: report->asserted. */
static void explain_calls(const struct job *job, const struct logp_report *report)
{
    const int rank = report->asserted.rank;
    FILE *f = host_report_stream();
    char place[1][PLACE_TEXT];

    host_name_places(job, &job->hosts[rank].place, 1, place);
    fprintf(f, "rank %d: %s: collectives differ: ", rank, the_run.ranks[rank].call);
    mpi_print_calls(f, report->asserted.detail);
    fprintf(f, "%s\n", place[0]);
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
    if (rc == 0) /* relaxed: the ranks have ended */
        return the_run.checks_fail && atomic_load_explicit(&the_said.any, memory_order_relaxed);
    if (rc == -EDEADLK || rc == -ETIMEDOUT) {
        fprintf(host_report_stream(), rc == -EDEADLK
                                          ? "deadlock: all ranks wait\n"
                                          : "the program did not end within --timeout\n");
        explain(job, logp_machine_report(m));
        explain_faults(m);
    } else if (rc == -EPROTO && logp_machine_report(m)->asserted.file != NULL) {
        explain_calls(job, logp_machine_report(m));
    } else if (rc != -EINTR && (rc != -ECANCELED || logp_machine_processes(m) == 1)) {
        fprintf(host_report_stream(), "the run ended: %s\n", strerror(-rc));
    }
    return 1;
}

/* The latest end of a rank, by how much the host was later, and the most that a rank has computed. */
static void take_ends(const struct job *job, struct mpi_program *program)
{
    int64_t wall_ns = 0;

    for (int i = 0; i < job->n_ranks; i++) {
        const struct host_rank *h = &job->hosts[i];

        if (h->ended_ns > program->ended_ns)
            program->ended_ns = h->ended_ns;
        if (h->computed_ns > program->computed_ns)
            program->computed_ns = h->computed_ns;
        if (h->ended_ns + h->late_ns > wall_ns)
            wall_ns = h->ended_ns + h->late_ns;
    }
    program->late_ns = wall_ns - program->ended_ns;
}

static const struct logp_machine *the_machine;

/* Report a run that is over but whose ranks do not return. */
static int conclude_early(void)
{
    return conclude(the_job, the_machine,
                    logp_machine_report(the_machine)->asserted.file != NULL ? -EPROTO : -EINTR);
}

/* The launcher takes the exit code of the process that ends first. @return the largest */
static int agree_on_code(struct logp_machine *m, int code)
{
    int64_t largest = code;

    return logp_machine_agree(m, &largest, 1, LOGP_AGREE_MAX) == 0 ? (int)largest : code;
}

/* Read the executables of all programs; the job has the first. @return 0; -1: an error has been printed */
static int read_programs(struct job *job, const struct mpi_program *program)
{
    const struct job first = *job; /* the values that all have in common */
    char why[512], *path;
    int first_rank = 0;

    the_run.times_calls = the_run.times_calls || program->next != NULL; /* directory.c */
    for (const struct mpi_program *p = program; p != NULL; p = p->next) {
        if (p != program) {
            struct job *next = malloc(sizeof(*next));

            if (next == NULL)
                return -1;
            *next = first;
            next->index = job->index + 1;
            next->first_rank = first_rank;
            job = job->next = next;
        }
        job->argc = p->argc;
        job->argv = p->argv;
        job->path = p->path;
        if (host_read_image(job, profile_bind_functions, why, sizeof(why)) != 0) {
            fprintf(stderr, "logp: %s: %s\n", p->path, why);
            return -1;
        }
        if (host_symbol_of(job, "_gfortran_set_args") !=
            NULL) /* it writes lines as C does: at once */
            setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 0);
        path = realpath(p->path, NULL); /* the program may go to another folder */
        job->path = path != NULL ? path : p->path;
        first_rank += p->n_ranks;
        if (program->next != NULL && job->image_bytes > (size_t)1 << PROGRAM_SHIFT) {
            fprintf(stderr, "logp: %s: of several programs each has at most %d MiB\n", p->path,
                    1 << (PROGRAM_SHIFT - 20));
            return -1;
        }
    }
    return 0;
}

/* Of all programs. @return the largest exit code */
static int list_missing(const struct mpi_program *program)
{
    int code = 0;

    for (; program != NULL; program = program->next) {
        const int its = mpi_list_missing(program);

        code = its > code ? its : code;
    }
    return code;
}

static bool shares_cores(const struct logp_machine *m)
{
    struct logp_core_use use;

    logp_machine_core_use(m, &use);
    return use.n_cores * logp_machine_processes(m) < logp_machine_size(m);
}

__attribute__((visibility("default"))) int logp_mpi_run(struct logp_machine *m,
                                                        struct mpi_program *program)
{
    /* Two threads would read and change the one virtual clock of their rank at the same time. */
    const bool threads_may_call = program->names_threads && m != NULL &&
                                  logp_machine_clock(m) == LOGP_CLOCK_WALL &&
                                  logp_machine_processes(m) == 1;
    static struct job job; /* until the process ends: libraries read clocks after this returns */
    struct rlimit files;
    char why[512];
    int rc;

    job =
        (struct job){.argc = program->argc,
                     .argv = program->argv,
                     .path = program->path,
                     .locals = program->locals,
                     .tags_output = program->tags_output,
                     .names_threads = program->names_threads,
                     .quiet = program->quiet,
                     .threads_may_call = threads_may_call,
                     .verbose = program->verbose,
                     .is_debugged = program->is_debugged,
                     .shared = program->shared,
                     .own = program->own,
                     .stack_bytes = program->stack_bytes,
                     .node_size = program->node_size,
                     .follows_clock = (m == NULL || logp_machine_clock(m) == LOGP_CLOCK_VIRTUAL) &&
                                      !program->real_clocks,
                     .epoch_ns = program->epoch_ns};

    if (program->only_lists)
        return list_missing(program);
    the_run = (struct run){.checks = program->checks,
                           .checks_fail = program->checks_fail,
                           .checksums = program->checksums,
                           .synchronizes = program->synchronizes,
                           .may_differ = program->may_differ,
                           .queue_limit = program->queue_limit,
                           .compute = program->compute,
                           .forced = program->forced,
                           .storage = program->storage,
                           .records_calls = program->report != NULL,
                           .times_calls = program->compute > 0 || program->report != NULL};
    if (the_run.storage.n_servers > 0)
        the_run.storage.free_ns =
            calloc((size_t)the_run.storage.n_servers, sizeof(*the_run.storage.free_ns));
    rc = make_job(&job, m != NULL ? logp_machine_size(m) : program->exploration->sizes[0]);
    if (the_run.storage.n_servers > 0 && the_run.storage.free_ns == NULL)
        rc = -ENOMEM;
    if (rc == 0 && (read_programs(&job, program) != 0 || !host_libraries_are_known(&job)))
        return 2;
    if (rc == 0 && m != NULL &&
        !host_has_room(&job, (job.n_ranks - 1) / logp_machine_processes(m) + 1, why, sizeof(why))) {
        fprintf(stderr, "logp: %s\n", why);
        return 2;
    }
    for (const struct job *other = job.next; other != NULL; other = other->next)
        if (other->changes_directory && !job.changes_directory) {
            job.changes_directory = true;
            job.directory = other->directory;
            job.mask = other->mask;
        }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    job.no_input = fopen("/dev/null", "re");
    check_choose(the_run.checks, the_run.checksums);
    host_catch_crashes();
    host_begin_output();
    the_job = &job;
    profile_decide();
    if (rc == 0 && program->exploration != NULL)
        return mpi_explore(&job, program);
    the_machine = m;
    host_begin_watch(conclude_early);
    if (program->looks || (program->looks_for_loops && shares_cores(m)))
        host_begin_looking(program->looks, program->looks_for_loops);
    if (m != NULL)
        logp_machine_handle(m, mpi_handle_active);
    if (rc == 0)
        rc = program->run(m, mpi_run_rank, &job, program->timeout_ns);
    host_end_watch();
    rc = agree_on_code(m, conclude(&job, m, rc));
    program->is_abandoned = host_is_abandoned(&job);
    program->used_files = the_run.has_files;
    if (program->report != NULL && !program->is_abandoned)
        profile_collect(&job, program->report);
    if (!program->is_abandoned) {
        take_ends(&job, program);
        fflush(NULL);
    }
    return rc; /* the ranks' memory stays: the process ends */
}

/* Report, in the first process only, that another MPI's mpirun has started it as one of several. */
static void name_launcher(const char *program)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *name = NULL, *size = NULL, *rank = NULL;

    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]) && rank == NULL; i++)
        rank = getenv(name = ranks[i]);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && size == NULL; i++)
        if ((size = getenv(sizes[i])) != NULL)
            name = sizes[i];
    if ((size == NULL && rank == NULL) || (size != NULL && atoi(size) <= 1) ||
        (rank != NULL && atoi(rank) != 0))
        return;
    fprintf(stderr,
            "%s: another MPI's mpirun has started it (%s=%s), and each process is a program of one "
            "rank: type "
            "logp mpirun -P %s %s\n",
            program, name, size != NULL ? size : rank, size != NULL ? size : "N", program);
}

/* Started by itself, a program is the only rank. */
static int run_alone(main_function *main, int argc, char **argv)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    struct job job = {
        .argc = argc, .argv = argv, .path = path, .main = main, .stack_bytes = (size_t)8 << 20};
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 1,
                                 .delay = logp_delay_none(),
                                 .stack_bytes = job.stack_bytes};
    struct logp_machine *m;
    int rc;

    the_run = (struct run){.checks = true};
    rc = make_job(&job, 1);
    path[length > 0 ? length : 0] = '\0';
    name_launcher(argv[0]);
    if (rc == 0) {
        job.hosts[0].base = _r_debug.r_map->l_addr;
        job.image_bytes =
            host_span_of((const Elf64_Phdr *)getauxval(AT_PHDR), (int)getauxval(AT_PHNUM));
    }
    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc != 0) {
        fprintf(stderr, "%s: cannot make a machine of one processor: %s\n", argv[0], strerror(-rc));
        return 1;
    }
    check_choose(the_run.checks, the_run.checksums);
    host_catch_crashes();
    the_job = &job;
    rc = logp_machine_run(m, mpi_run_rank, &job, 0);
    the_job = NULL;
    rc = conclude(&job, m, rc);
    fflush(NULL);
    logp_machine_destroy(m);
    free(the_run.ranks);
    free(job.hosts);
    return rc;
}

static void note_result(int rc)
{
    mpi_class_of(rc);
}

const struct guest the_guest = {.name = "MPI",
                                .library = "libmpi_abi.so.1",
                                .libraries = "libmpi",
                                .own_libraries = "libmpi_abi.",
                                .driver = "logp-cc",
                                .run_alone = run_alone,
                                .note_result = note_result,
                                .charge_computing = profile_charge_computing,
                                .resume_computing = profile_resume_computing};
