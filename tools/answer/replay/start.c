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
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct logp_replay *read_replay(const char *path)
{
    struct logp_replay *r = NULL;
    const char *why;
    char *text = text_of_file(path, &why);
    int rc;

    if (text == NULL)
        bad_usage("%s: %s", path, why);
    rc = logp_replay_parse(text, &r);
    free(text);
    if (rc == -EPROTONOSUPPORT)
        bad_usage("%s: a replay of version %d; this logp knows version %d", path, r->version,
                  LOGP_REPLAY_VERSION);
    if (rc == -EINVAL && r->version == 0)
        bad_usage("%s: not a replay file: its first line is not \"logp-replay %d\"", path,
                  LOGP_REPLAY_VERSION);
    if (rc == -EINVAL)
        bad_usage("%s: line %d of the replay is wrong, or missing", path, r->line);
    if (rc != 0)
        bad_usage("%s: %s", path, strerror(-rc));
    return r;
}

/* Ends the process where there is no memory. */
static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        bad_usage("no memory");
}

/* Set the environment of the program. */
static void prepare(const char *path, int answers, bool traced, bool diff)
{
    char *whole = realpath(path, NULL), out[64];

    snprintf(out, sizeof(out), "/proc/%ld/fd/%d", (long)getpid(), answers);
    set("LOGP_REPLAY", whole != NULL ? whole : path);
    set("LOGP_REPLAY_OUT", out);
    set("LOGP_REPLAY_TRACE", traced ? "1" : "");
    set("LOGP_REPLAY_DIFF", diff ? "1" : "");
    set("LOGP_REPLAY_EXECUTOR", option_on_command_line("executor") ? option_text("executor") : "");
    free(whole);
}

/* stdout of the program is stderr; it is interrupted in place of this process. @return 0; errno */
static int start(char **command, const char *folder, pid_t *child)
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
    rc = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (rc == 0 && folder != NULL)
        rc = posix_spawn_file_actions_addchdir_np(&actions, folder);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    if (rc == 0)
        rc = posix_spawnp(child, command[0], &actions, &attributes, command, environment());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return rc;
}

static void await(pid_t child, const char *name)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    if (WIFSIGNALED(status))
        say("%s was ended by a signal: %s", name, strsignal(WTERMSIG(status)));
}

static struct replayed take_answers(int file)
{
    struct replayed what = {.outcome = REPLAY_NOT_REACHED};
    struct stat about;
    char *text;
    ssize_t n;

    if (fstat(file, &about) != 0)
        return what;
    text = malloc((size_t)about.st_size + 1);
    n = text != NULL ? pread(file, text, (size_t)about.st_size, 0) : -1;
    if (n >= 0) {
        text[n] = '\0';
        what = read_answers(text, (size_t)n);
    }
    free(text);
    return what;
}

struct replayed run_replay(const struct question *q, const char *path, const struct logp_replay *r,
                           bool traced)
{
    static const char another[] = "name the program: -- COMMAND ARGUMENTS";
    char **command = q->line.rest != NULL ? q->line.rest : r->command;
    const char *folder = q->line.rest != NULL ? NULL : r->directory;
    const int answers = memfd_create("logp-replayed", MFD_CLOEXEC);
    struct replayed what;
    pid_t child;
    int rc;

    if (answers < 0)
        bad_usage("no memory");
    if (q->line.rest != NULL && command[0] == NULL)
        bad_usage("--: no program follows; %s", another);
    if (command == NULL || command[0] == NULL)
        bad_usage("%s: it does not name its program; %s", path, another);
    if (folder != NULL && access(folder, X_OK) != 0)
        bad_usage("%s: the folder %s: %s; %s", path, folder, strerror(errno), another);
    if (q->line.rest == NULL)
        trust_command(path, r);
    prepare(path, answers, traced, traced && q->how.diff);
    rc = start(command, folder, &child);
    if (rc != 0)
        bad_usage("%s: %s: %s; %s", path, command[0], strerror(rc), another);
    await(child, command[0]);
    what = take_answers(answers);
    close(answers);
    return what;
}

int tell_changed(const char *path, const struct logp_replay *r, const struct replayed *what)
{
    if (what->outcome == REPLAYED_OTHERWISE)
        say("%s: %s fails with another error than before", path, r->name);
    else if (what->outcome == REPLAYED_PASSED || what->outcome == REPLAYED_FIXED)
        say("%s: %s does not fail any more", path, r->name);
    return EXIT_OK;
}

int tell_replayed(const char *path, const struct logp_replay *r, const struct replayed *what)
{
    switch (what->outcome) {
    case REPLAYED_AGAIN:
    case REPLAYED_OTHERWISE:
        write_shown_lines(stdout, what->text);
        tell_changed(path, r, what);
        return EXIT_WRONG;
    case REPLAYED_PASSED:
    case REPLAYED_FIXED:
        write_shown(stdout, r->name);
        printf(", P = %d: it does not fail any more: %s\n", r->P,
               what->outcome == REPLAYED_FIXED ? "with the same choices, it is fixed"
                                               : "it is fixed, or the program has changed");
        return EXIT_OK;
    case REPLAYED_STALE:
        say("%s: %s does not make the same choices any more: check it again", path, r->name);
        return EXIT_USAGE;
    case REPLAYED_NOT:
        say("%s: %s could not be run: %s", path, r->name, strerror(abs(what->error)));
        return EXIT_USAGE;
    case REPLAY_NOT_REACHED:
        break;
    }
    say("%s: the program never came to a check of \"%s\" with P = %d", path, r->name, r->P);
    return EXIT_USAGE;
}
