/* SPDX-License-Identifier: MIT */
/*
 * A program in many orders of events, by the test kit. Each run has copies of the executable of its
 * own. What a run writes is kept until the next one begins: the last run is the failure, as small
 * as the kit could make it.
 */
#include "explore.h"
#include "mpi/check/check.h"
#include "mpi/standard/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- before each run ---- */

static int begin(int P, void *arg)
{
    struct job *job = arg;

    host_begin_explored(job);
    memset(the_run.ranks, 0, (size_t)P * sizeof(*the_run.ranks));
    check_begin();
    mpi_forget_names();
    for (int i = 0; i < the_run.storage.n_servers; i++)
        the_run.storage.free_ns[i] = 0;
    atomic_flag_clear_explicit(&the_run.said_unused, memory_order_relaxed); /* no rank runs */
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
        host_print_output(job);
        host_print_places(job, failure.P);
    }
    print_failure(&failure, check.name);
    logp_failure_free(&failure);
    return 1;
}
