/* SPDX-License-Identifier: MIT */
/* The command that started this process, and the files in which it leaves its replays. */
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 4096, MOST_FILES = 1000 };

/* ---- how it was started ---- */

/* The target of a link of /proc. NULL: unknown */
static char *target(const char *link)
{
    static const char gone[] = " (deleted)"; /* it has been built again since */
    char path[4096];
    const ssize_t n = readlink(link, path, sizeof(path) - 1);
    char *at;

    if (n <= 0)
        return NULL;
    path[n] = '\0';
    at = (size_t)n > strlen(gone) ? path + n - strlen(gone) : NULL;
    if (at != NULL && strcmp(at, gone) == 0)
        *at = '\0';
    return strdup(path);
}

/* The path of the executable replaces the first argument, because a caller chooses that freely. */
struct logp_replay *lpi_origin(void)
{
    struct lpi_replay *new = lpi_replay_new();
    struct logp_replay *r = new != NULL ? &new->facts : NULL;
    FILE *f = r != NULL ? fopen("/proc/self/cmdline", "re") : NULL;
    struct lpi_text environment = {0};
    char *argument = NULL;
    size_t capacity = 0;

    if (f == NULL)
        return r;
    if (lpi_replay_add_argument(r, target("/proc/self/exe"))) {
        r->directory = target("/proc/self/cwd");
        for (int i = 0; i < MOST_ARGUMENTS && getdelim(&argument, &capacity, '\0', f) > 0; i++)
            if (i > 0 && !lpi_replay_add_argument(r, strdup(argument)))
                break;
    }
    free(argument);
    fclose(f);
    lpi_environment_list(&environment);
    r->environment = environment.s;
    return r;
}

/* ---- files ---- */

/* Write and close the file. @return 0; -errno */
static int fill(FILE *f, const char *text)
{
    const int rc = fputs(text, f) < 0 ? -EIO : 0;

    return fclose(f) != 0 && rc == 0 ? -errno : rc;
}

static int write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    return f != NULL ? fill(f, text) : -errno;
}

static bool holds(const char *path, const char *text)
{
    char *there;
    bool same;

    if (logp_replay_read(path, &there) != 0)
        return false;
    same = strcmp(there, text) == 0;
    free(there);
    return same;
}

const char *lpi_replay_path(const struct logp_check *check, char *path, size_t size)
{
    enum { REST = 64 }; /* "-p3-SEED-2.replay" */
    const char *folder = check->replay_file == NULL ? getenv("LOGP_REPLAY_DIR") : NULL;
    int n;

    if (folder == NULL || *folder == '\0') {
        n = snprintf(path, size, "%s", check->replay_file != NULL ? check->replay_file : "");
        folder = NULL;
    } else {
        n = snprintf(path, size, "%s/%s", folder, check->name);
        for (char *c = path + (strlen(folder) + 1 < size ? strlen(folder) + 1 : size - 1);
             *c != '\0'; c++)
            if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c) ==
                NULL)
                *c = '_';
    }
    if (n < 0 || (size_t)n + REST >= size)
        *path = '\0';
    return folder;
}

/* Write "DIR/NAME-p3-SEED.replay", with "-2", "-3", ... before the dot if another failure has that
 * name. @return 0, or -errno */
static int leave_in(const char *folder, const struct lpi_plan *plan, const char *text, char *path,
                    size_t size)
{
    const size_t n = strlen(path);

    if (n == 0)
        return -ENAMETOOLONG;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        path[strlen(folder)] = '\0';
        return -errno;
    }
    for (int i = 1; i < MOST_FILES; i++) {
        char more[16] = "";
        int at;

        if (i > 1)
            snprintf(more, sizeof(more), "-%d", i);
        snprintf(path + n, size - n, "-p%d-%" PRIu64 "%s.replay", plan->P, plan->seed, more);
        at = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (at >= 0) {
            FILE *f = fdopen(at, "w");

            if (f != NULL)
                return fill(f, text);
            close(at);
            return -ENOMEM;
        }
        if (errno != EEXIST)
            return -errno;
        if (holds(path, text))
            return 0;
    }
    return -EEXIST;
}

int lpi_leave_replay(const struct lpi_job *job, struct logp_failure *failure)
{
    char made[4096];
    const char *path = job->check.replay_file;
    const char *folder = lpi_replay_path(&job->check, made, sizeof(made));
    int rc;

    if (job->depends || (path == NULL && folder == NULL)) {
        char line[256];

        snprintf(line, sizeof(line), "to repeat it: %s%s", job->again,
                 job->depends ? ", which makes the runs before it, too"
                              : "; LOGP_REPLAY_DIR=DIR keeps a replay");
        lpi_add_line(failure, line, "", 0);
        return 0;
    }
    if (path != NULL) {
        rc = write_file(path, failure->replay);
    } else {
        rc = leave_in(folder, &job->plan, failure->replay, made, sizeof(made));
        path = rc == -ENAMETOOLONG ? folder : made;
    }
    lpi_add_line(failure,
                 rc == 0 ? "to repeat it: logp replay " : "its replay could not be written to ",
                 path, rc);
    return job->check.replay_file != NULL ? rc : 0;
}
