/* SPDX-License-Identifier: MIT */
/*
 * A program in many orders of events, by the test kit. Each run has copies of the executable of its
 * own. What a run writes is kept until the next one begins: the last run is the failure, as small
 * as the kit could make it.
 */
#include "explore.h"
#include "mpi/check/check.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- before each run ---- */

static void forget_rank(struct host_rank *h)
{
    const int file = (host_unload_image(h), h->image_file);

    host_forget_calls(h);
    host_end_redirections(h);
    *h = (struct host_rank){.image_file = file};
}

static int begin(int P, void *arg)
{
    struct job *job = arg;

    for (int i = 0; i < P; i++)
        forget_rank(&job->hosts[i]);
    memset(the_run.ranks, 0, (size_t)P * sizeof(*the_run.ranks));
    for (size_t i = 0; i < job->kept->n; i++)
        free(job->kept->pieces[i].text);
    job->kept->n = 0;
    job->abort_code = -1;
    check_begin();
    for (int i = 0; i < the_run.storage.n_servers; i++)
        the_run.storage.free_ns[i] = 0;
    atomic_flag_clear_explicit(&the_run.said_unused, memory_order_relaxed); /* no rank runs */
    job->pid = getpid(); /* the kit may have made a child process */
    return 0;
}

/* ---- the answer ---- */

void mpi_print_calls(FILE *f, const char *text)
{
    static const char prefix[] = "logp_", theirs[] = "broadcast", ours[] = "bcast";
    const char *at;

    while ((at = strstr(text, prefix)) != NULL) {
        bool upper = true;

        fprintf(f, "%.*sMPI_", (int)(at - text), text);
        text = at + sizeof(prefix) - 1;
        if (strncmp(text, "ibroadcast", sizeof(theirs)) == 0) {
            fputc('I', f);
            text++;
            upper = false;
        }
        if (strncmp(text, theirs, sizeof(theirs) - 1) == 0) {
            fprintf(f, "%c%s", upper ? 'B' : 'b', ours + 1);
            text += sizeof(theirs) - 1;
        } else {
            fputc(toupper((unsigned char)*text++), f);
        }
    }
    fputs(text, f);
}

static void print_output(const struct output *o)
{
    for (size_t i = 0; i < o->n; i++)
        host_write_all(o->pieces[i].fd, o->pieces[i].text, o->pieces[i].n);
}

/* Where the ranks were when the run ended. */
static void print_places(const struct job *job)
{
    uintptr_t places[MOST_PLACES] = {0};
    char texts[MOST_PLACES][PLACE_TEXT];
    const int n = job->n_ranks < MOST_PLACES ? job->n_ranks : MOST_PLACES;

    for (int i = 0; i < n; i++)
        places[i] = job->hosts[i].place;
    host_name_places(job, places, n, texts);
    fprintf(stderr, "where each rank was:\n");
    for (int i = 0; i < n; i++)
        if (job->hosts[i].rc == 0 && job->hosts[i].code == 0)
            fprintf(stderr, "  rank %d had ended\n", i);
        else
            fprintf(stderr, "  rank %d in %s%s\n", i, the_run.ranks[i].call, texts[i]);
    if (job->n_ranks > n)
        fprintf(stderr, "  and %d more ranks\n", job->n_ranks - n);
}

/* Only where calls of collectives differ does the text name calls; any name may look like one. */
static void print_failure(const struct logp_failure *f, const char *name)
{
    const size_t n = strlen(name);

    if (f->kind == LOGP_FAILURE_ASSERTED && f->line == 0 && strncmp(f->text, name, n) == 0) {
        const size_t first = strcspn(f->text, "\n");
        char *line = strndup(f->text + n, first - n);

        fputs(name, stderr);
        mpi_print_calls(stderr, line != NULL ? line : "");
        fputs(f->text + first, stderr);
        free(line);
    } else {
        fputs(f->text, stderr);
    }
}

int mpi_explore(struct job *job, const struct mpi_program *program)
{
    struct logp_check check = *program->exploration;
    struct output kept = {0};
    struct logp_failure failure;
    int rc;

    check.before = begin;
    job->kept = &kept;
    rc = logp_check(mpi_run_rank, job, &check, &failure);
    if (failure.kind == LOGP_FAILURE_NONE) {
        if (rc != 0 && *failure.text != '\0')
            fputs(failure.text, stderr);
        else if (rc != 0)
            fprintf(stderr, "%s cannot be explored: %s\n", check.name, strerror(-rc));
        else
            fprintf(stderr, "%s: no failure: %s\n", check.name, check.checked.text);
        return rc == 0 ? 0 : 2;
    }
    if (failure.kind != LOGP_FAILURE_TIMEOUT) {
        print_output(&kept);
        print_places(job);
    }
    print_failure(&failure, check.name);
    logp_failure_free(&failure);
    return 1;
}
