/* SPDX-License-Identifier: MIT */
/*
 * A replay in a fresh process: the program is started again as `logp replay` starts it, with its
 * arguments, stdin from /dev/null, and the replay in its environment. Its checks of other names do
 * nothing; the check of the replay appends its result to a file (again.c). Both files have no name:
 * the new process, and its own children, find them through /proc.
 *
 * A failure that does not recur there depends on what earlier runs have left in this process. A
 * process that a sanitizer is about to end cannot make its failure smaller itself: a fresh one does.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const int64_t second = 1000000000;
enum { REACH_S = 10, SMALLER_S = 20, MOST_ANSWER = 1 << 16 };

struct fresh {
    int replay, answer, reached; /* files; -1: none */
    char variables[5][64];       /* of the environment */
    int n_variables;
    char **environment;
    pid_t process;
};

/* A file without a name, in a variable of the new process. */
static int add_file(struct fresh *f, const char *variable)
{
    const int fd = memfd_create(variable, MFD_CLOEXEC);

    if (fd >= 0)
        snprintf(f->variables[f->n_variables++], sizeof(f->variables[0]), "%s=/proc/%ld/fd/%d",
                 variable, (long)getpid(), fd);
    return fd;
}

static bool is_replaced(const char *variable)
{
    return strncmp(variable, "LOGP_REPLAY", strlen("LOGP_REPLAY")) == 0 ||
           strncmp(variable, "LOGP_CHECK_CONFIRM=", strlen("LOGP_CHECK_CONFIRM=")) == 0;
}

/* The environment of this process, with the variables of f for its own. */
static bool make_environment(struct fresh *f)
{
    size_t n = 0, k = 0;

    while (environ[n] != NULL)
        n++;
    f->environment = malloc((n + 6) * sizeof(*f->environment));
    if (f->environment == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_replaced(environ[i]))
            f->environment[k++] = environ[i];
    for (int i = 0; i < f->n_variables; i++)
        f->environment[k++] = f->variables[i];
    f->environment[k] = NULL;
    return true;
}

/* @return 0; an errno */
static int start(struct fresh *f, const struct logp_replay *origin)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int rc;

    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    rc =
        posix_spawn(&f->process, origin->command[0], &files, &how, origin->command, f->environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return rc;
}

static bool is_filled(int fd)
{
    struct stat of;

    return fstat(fd, &of) == 0 && of.st_size > 0;
}

/* The answers so far, in text. */
static void read_answer(const struct fresh *f, char *text)
{
    const ssize_t n = pread(f->answer, text, MOST_ANSWER - 1, 0);

    text[n > 0 ? n : 0] = '\0';
}

/* Wait until the process has ended, has answered that the failure recurs, or reach_ns, or, from then on,
 * run_ns, is over. @return whether it has ended by itself */
static bool await(const struct fresh *f, int64_t reach_ns, int64_t run_ns, char *text)
{
    const struct timespec pause = {.tv_nsec = 500000};
    int64_t end_ns = lpi_kit_now() + reach_ns;
    bool ended = false, reached = false;

    do {
        const pid_t got = waitpid(f->process, NULL, WNOHANG);

        ended = got == f->process || (got < 0 && errno != EINTR);
        if (!reached && is_filled(f->reached)) {
            reached = true;
            end_ns = lpi_kit_now() + run_ns;
        }
        read_answer(f, text);
        if (ended || strstr(text, "\noutcome again ") != NULL)
            break;
        nanosleep(&pause, NULL);
    } while (lpi_kit_now() < end_ns);
    kill(-f->process, SIGKILL); /* its children, too */
    if (!ended)
        waitpid(f->process, NULL, 0);
    return ended;
}

static void end(struct fresh *f)
{
    for (int i = 0; i < 3; i++) {
        const int fd = i == 0 ? f->replay : i == 1 ? f->answer : f->reached;

        if (fd >= 0)
            close(fd);
    }
    free(f->environment);
}

/* smaller: the process makes the failure smaller, in the file of the replay. @return 0; an errno */
static int begin(struct fresh *f, const struct logp_replay *origin, const char *replay, size_t n,
                 const char *smaller)
{
    *f = (struct fresh){.replay = -1, .answer = -1, .reached = -1};
    if (origin == NULL || origin->command == NULL || origin->command[0] == NULL)
        return ENOENT;
    f->replay = add_file(f, "LOGP_REPLAY");
    f->answer = add_file(f, "LOGP_REPLAY_OUT");
    f->reached = add_file(f, "LOGP_REPLAY_REACHED");
    if (f->replay < 0 || f->answer < 0 || f->reached < 0)
        return errno;
    if (smaller != NULL)
        snprintf(f->variables[f->n_variables++], sizeof(f->variables[0]), "LOGP_REPLAY_SMALLER=%s",
                 smaller);
    snprintf(f->variables[f->n_variables++], sizeof(f->variables[0]), "LOGP_CHECK_CONFIRM=0");
    if (write(f->replay, replay, n) != (ssize_t)n)
        return errno;
    return make_environment(f) ? start(f, origin) : ENOMEM;
}

/* Why it is unknown whether the failure recurs. */
static void explain(const struct fresh *f, bool ended, char *why, size_t room)
{
    if (ended)
        snprintf(why, room, "started again, the program ends before it comes to this check");
    else if (is_filled(f->reached))
        snprintf(why, room, "started again, the program does not end in time");
    else
        snprintf(why, room, "started again, the program does not come to this check in %d s",
                 REACH_S);
}

/* ---- a failure, confirmed ---- */

const char lpi_fresh_depends[] =
    "In a fresh process the same choices do not fail: the program depends on earlier runs, as by "
    "a\n"
    "static variable that keeps its value. Reset it in the function `before` of the check.";

enum lpi_fresh lpi_fresh_confirm(const struct lpi_job *job, const struct logp_replay *origin,
                                 const char *replay, char *why, size_t room)
{
    const int64_t run_ns = job->check.timeout_ns + second;
    char *text = malloc(MOST_ANSWER);
    enum lpi_fresh what = LPI_FRESH_UNKNOWN;
    struct fresh f;
    int rc = text == NULL ? ENOMEM : begin(&f, origin, replay, strlen(replay), NULL);
    bool ended;

    if (rc != 0) {
        snprintf(why, room, "the program could not be started again: %s", strerror(rc));
    } else {
        ended = await(&f, REACH_S * second, run_ns, text);
        if (strstr(text, "\noutcome again ") != NULL)
            what = LPI_FRESH_AGAIN;
        else if (strstr(text, "\noutcome ") != NULL && ended)
            what = LPI_FRESH_PASSES;
        else
            explain(&f, ended, why, room);
    }
    if (text != NULL)
        end(&f);
    free(text);
    return what;
}

bool lpi_fresh_is_wanted(void)
{
    const char *value = lpi_variable("LOGP_CHECK_CONFIRM");

    return value == NULL || strcmp(value, "0") != 0;
}

/* ---- a failure, made smaller ---- */

/* Replace the contents of the file. */
static void copy(int from, const char *path)
{
    const int to = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    char part[4096];
    off_t at = 0;
    ssize_t n;

    while (to >= 0 && (n = pread(from, part, sizeof(part), at)) > 0 &&
           write(to, part, (size_t)n) == n)
        at += n;
    if (to >= 0)
        close(to);
}

/* Show the description in the answer. @return whether there is one */
static bool show(char *answer)
{
    static const char heading[] = "made smaller:";
    char *story = strstr(answer, "\ntext "), *last;

    story = story != NULL ? strchr(story + 1, '\n') : NULL;
    if (story == NULL)
        return false;
    last = strstr(story, "\nend\n");
    if (last != NULL)
        *last = '\0';
    return write(STDERR_FILENO, heading, strlen(heading)) > 0 &&
           write(STDERR_FILENO, story, strlen(story)) > 0;
}

enum lpi_fresh lpi_fresh_smaller(const struct logp_replay *origin, const char *path, char *why,
                                 size_t room)
{
    char *text = malloc(MOST_ANSWER), *replay = NULL;
    enum lpi_fresh what = LPI_FRESH_UNKNOWN;
    struct fresh f;
    int rc = text == NULL ? ENOMEM : -logp_replay_read(path, &replay);
    bool ended;

    if (rc == 0) {
        rc = begin(&f, origin, replay, strlen(replay), "1");
        if (rc == 0) {
            ended = await(&f, REACH_S * second, SMALLER_S * second, text);
            if (strstr(text, "\noutcome again ") != NULL)
                what = LPI_FRESH_AGAIN;
            else if (strstr(text, "\noutcome passed ") != NULL)
                what = LPI_FRESH_PASSES;
            else
                explain(&f, ended, why, room);
        }
        if (what == LPI_FRESH_AGAIN && show(text))
            copy(f.replay, path);
        end(&f);
    }
    if (rc != 0)
        snprintf(why, room, "the program could not be started again: %s", strerror(rc));
    free(replay);
    free(text);
    return what;
}
