/* SPDX-License-Identifier: MIT */
/*
 * The program of a replay file, started with LOGP_REPLAY in its environment: its logp_check() then
 * shows the one run. The checks write their answers to a file without a name, which lives as long
 * as this process.
 */
#define _GNU_SOURCE
#include "answer/replay/replay.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The problem of a file that could not be parsed. */
static struct problem *unreadable(const char *path, const struct logp_replay *r, int rc)
{
    if (rc == -EPROTONOSUPPORT)
        return usage_problem("%s: a replay of version %d; this logp knows version %d", path,
                             r->version, LOGP_REPLAY_VERSION);
    if (rc == -EINVAL && r->version == 0)
        return usage_problem("%s: not a replay file: its first line is not \"logp-replay %d\"",
                             path, LOGP_REPLAY_VERSION);
    if (rc == -EINVAL)
        return usage_problem(
            "%s: line %d of the replay is wrong, or missing: its last line is \"end\"", path,
            r->line);
    return usage_problem("%s: %s", path, strerror(-rc));
}

struct problem *read_replay(const char *path, struct logp_replay **out)
{
    struct problem *problem;
    const char *why;
    char *text = text_of_file(path, &why);
    int rc;

    *out = NULL;
    if (text == NULL)
        return usage_problem("%s: %s", path, why);
    rc = logp_replay_parse(text, out);
    free(text);
    if (rc == 0)
        return NULL;
    problem = unreadable(path, *out, rc);
    logp_replay_free(*out);
    *out = NULL;
    return problem;
}

/* ---- the program ---- */

static const char another[] = "name the program: -- COMMAND ARGUMENTS";

enum { OWN_VARIABLES = 5 };

/* The environment of the program. Its own variables are texts of ours. */
struct surroundings {
    char *own[OWN_VARIABLES];
    char **all;
};

static void set(char **variable, const char *name, const char *value)
{
    if (asprintf(variable, "%s=%s", name, value) < 0)
        need(NULL);
}

static bool is_own(const struct surroundings *s, const char *variable)
{
    const size_t n = strcspn(variable, "=") + 1;
    bool is = false;

    for (int i = 0; i < OWN_VARIABLES; i++)
        is |= strncmp(s->own[i], variable, n) == 0;
    return is;
}

static struct surroundings prepare(const struct question *q, const char *path, int answers,
                                   bool traced, bool diff)
{
    char *whole = realpath(path, NULL), **others = environment(), out[64];
    struct surroundings s;
    size_t n = 0;

    snprintf(out, sizeof(out), "/proc/%ld/fd/%d", (long)getpid(), answers);
    set(&s.own[0], "LOGP_REPLAY", whole != NULL ? whole : path);
    set(&s.own[1], "LOGP_REPLAY_OUT", out);
    set(&s.own[2], "LOGP_REPLAY_TRACE", traced ? "1" : "");
    set(&s.own[3], "LOGP_REPLAY_DIFF", diff ? "1" : "");
    set(&s.own[4], "LOGP_REPLAY_EXECUTOR",
        option_on_command_line(q, "executor") ? option_text(q, "executor") : "");
    free(whole);
    while (others[n] != NULL)
        n++;
    s.all = need(calloc(OWN_VARIABLES + n + 1, sizeof(*s.all)));
    memcpy(s.all, s.own, sizeof(s.own));
    for (n = OWN_VARIABLES; *others != NULL; others++)
        if (!is_own(&s, *others))
            s.all[n++] = *others;
    return s;
}

static void forget(struct surroundings *s)
{
    for (int i = 0; i < OWN_VARIABLES; i++)
        free(s->own[i]);
    free(s->all);
}

/* Start the program: its stdout and its stderr are `to`. @return 0; errno */
static int start(char **command, const char *folder, char **variables, int to, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int rc;

    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    rc = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO);
    if (rc == 0 && folder != NULL)
        rc = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (rc == 0)
        rc = posix_spawnp(child, command[0], &actions, &attributes, command, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return rc;
}

static int await(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            break;
    return status;
}

static void tell_signal(int status, const char *name)
{
    if (WIFSIGNALED(status))
        say("%s was ended by a signal: %s", name, strsignal(WTERMSIG(status)));
}

/* Run the program to its end; it is interrupted in place of this process. A debugger has the terminal; else
 * the report is left out of what the program prints. @return 0; errno */
static int run_program_of(char **command, const char *folder, char **variables, int answers,
                          bool is_debugger)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction interrupt, quit;
    pid_t child;
    int rc, status, ends[2] = {-1, STDERR_FILENO};

    if (!is_debugger && pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    rc = start(command, folder, variables, ends[1], &child);
    if (!is_debugger)
        close(ends[1]);
    if (rc == 0) {
        status = is_debugger ? await(child) : pass_output(child, ends[0], answers);
        tell_signal(status, command[0]);
    }
    if (!is_debugger)
        close(ends[0]);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return rc;
}

/* Run a program that may be started. */
static struct problem *replay(const struct question *q, const char *path, char **command,
                              const char *folder, bool traced, struct replayed *out)
{
    const int answers = memfd_create("logp-replayed", MFD_CLOEXEC);
    struct surroundings s;
    int rc;

    if (answers < 0)
        return usage_problem("no memory");
    s = prepare(q, path, answers, traced, traced && q->how.diff);
    rc = run_program_of(command, folder, s.all, answers,
                        q->line.rest != NULL && option_on_command_line(q, "executor"));
    forget(&s);
    if (rc == 0)
        *out = take_answers(answers);
    close(answers);
    return rc == 0 ? NULL
                   : usage_problem("%s: %s: %s; %s", path, command[0], strerror(rc), another);
}

struct problem *run_replay(const struct question *q, const char *path, const struct logp_replay *r,
                           bool traced, struct replayed *out)
{
    char **command = q->line.rest != NULL ? q->line.rest : r->command;
    const char *folder = q->line.rest != NULL ? NULL : r->directory;

    if (q->line.rest != NULL && command[0] == NULL)
        return usage_problem("--: no program follows; %s", another);
    if (command == NULL || command[0] == NULL)
        return usage_problem("%s: it does not name its program; %s", path, another);
    if (folder != NULL && access(folder, X_OK) != 0)
        return usage_problem("%s: the folder %s: %s; %s", path, folder, strerror(errno), another);
    if (q->line.rest == NULL)
        TRY(trust_command(path, r));
    return replay(q, path, command, folder, traced, out);
}
