/* SPDX-License-Identifier: MIT */
/* The replays that failures have left in a folder are run before all other runs: a mended program
 * stays mended. */
#include "kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int is_replay(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end != NULL && strcmp(end, ".replay") == 0;
}

/* The run has not failed. */
static void note_fixed(struct lpi_job *job, const char *path, const struct lpi_replay *r,
                       bool is_stale)
{
    job->checked.fixed += !is_stale;
    lpi_text_add(&job->fixed, "%s%s %s", job->fixed.n > 0 ? "\n" : "", path,
                 is_stale ? "does not count any more: the program makes other choices now"
                 : r->answers.what != NULL
                     ? "does not fail any more: with the same choices, it is fixed"
                     : "does not fail any more: it is fixed, or the program has changed");
}

/* @return 0: it does not fail */
static int run(struct lpi_job *job, const struct logp_check *given, const char *path,
               struct lpi_replay *r, struct logp_failure *found)
{
    struct lpi_job *one = calloc(1, sizeof(*one));
    int rc = one == NULL ? -ENOMEM : lpi_take_check(given, &one->check, NULL);

    if (rc == 0) {
        one->program = job->program;
        one->arg = job->arg;
        one->ready.file = path;
        one->ready.junit = job->ready.junit;
        one->ready.begin_ns = job->ready.begin_ns;
        rc = lpi_again_run(one, r, false, found);
        job->checked.regressions++;
    }
    lpi_job_free(one);
    if (rc != -ESTALE || found->kind != LOGP_FAILURE_NONE) {
        if (rc == 0)
            note_fixed(job, path, r, false);
        return rc;
    }
    note_fixed(job, path, r, true);
    logp_failure_free(found);
    return 0;
}

/* A regression fails: its file is there already. @return as lpi_leave_replay() */
static int name_file(struct lpi_job *job, const char *path, struct logp_failure *found)
{
    const int rc = job->check.replay_file != NULL ? lpi_leave_replay(job, found) : 0;

    lpi_add_line(found, "to repeat it: logp replay ", path, 0);
    snprintf(job->checked.text, sizeof(job->checked.text), "failed in a regression: %.120s", path);
    return rc;
}

static int run_file(struct lpi_job *job, const struct logp_check *given, const char *path,
                    struct logp_failure *found)
{
    struct lpi_text wrong = {0};
    struct lpi_replay *r = NULL;
    int rc = lpi_again_read("regressions:", path, &r, &wrong);

    if (rc != 0 && wrong.s != NULL)
        snprintf(job->why, sizeof(job->why), "%.*s", (int)strcspn(wrong.s, "\n"), wrong.s);
    free(wrong.s);
    if (rc == 0 && lpi_is_meant(&job->check, &r->facts)) {
        rc = run(job, given, path, r, found);
        if (found->kind != LOGP_FAILURE_NONE && rc == found->error) {
            const int left = name_file(job, path, found);

            rc = left != 0 ? left : rc;
        }
    }
    if (r != NULL)
        logp_replay_free(&r->facts);
    return rc;
}

int lpi_regressions(struct lpi_job *job, const struct logp_check *given, struct logp_failure *found)
{
    const char *folder = job->check.regressions;
    struct dirent **all = NULL;
    int n = folder != NULL ? scandir(folder, &all, is_replay, alphasort) : 0, rc = 0;

    if (n < 0) {
        rc = -errno;
        snprintf(job->why, sizeof(job->why), "regressions: %.200s: %s", folder, strerror(errno));
        return rc;
    }
    for (int i = 0; i < n; i++) {
        char path[4096];
        const int length = snprintf(path, sizeof(path), "%s/%s", folder, all[i]->d_name);

        if (rc == 0 && found->kind == LOGP_FAILURE_NONE)
            rc = length < (int)sizeof(path) ? run_file(job, given, path, found) : -ENAMETOOLONG;
        free(all[i]);
    }
    free(all);
    return rc;
}
