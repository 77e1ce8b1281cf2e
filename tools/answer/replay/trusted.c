/* SPDX-License-Identifier: MIT */
/*
 * The command of a replay file that is started without being named on the command line. A file may
 * come from an untrusted source, and it may name any command; therefore its program must be in the
 * folder of the file or the current one, or below them, like the program of a file written here.
 * `logp mpirun` and `logp explore` start a program themselves, which it checks in the same way, as it does a plug-in.
 */
#define _GNU_SOURCE
#include "answer/replay/replay.h"
#include "file/file.h"
#include "text/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that the command would start: relative to its folder, or in PATH, whose relative folders
 * are also there. @return as realpath() */
static char *find(const char *program, const char *folder)
{
    const char *folders = getenv("PATH");
    char path[2 * PATH_MAX];

    if (strchr(program, '/') != NULL) {
        snprintf(path, sizeof(path), "%s%s%s", *program == '/' ? "" : folder,
                 *program == '/' ? "" : "/", program);
        return realpath(path, NULL);
    }
    for (; folders != NULL && *folders != '\0'; folders += *folders == ':') {
        const int n = (int)strcspn(folders, ":");

        snprintf(path, sizeof(path), "%s%s%.*s/%s", *folders == '/' ? "" : folder,
                 *folders == '/' ? "" : "/", n, folders, program);
        if (access(path, X_OK) == 0)
            return realpath(path, NULL);
        folders += n;
    }
    errno = ENOENT;
    return NULL;
}

/* Write a word, quoted for a shell if necessary. */
static void write_word(FILE *f, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, f);
        return;
    }
    fputc('\'', f);
    for (; *word != '\0'; word++)
        fprintf(f, *word == '\'' ? "'\\''" : "%c", *word);
    fputc('\'', f);
}

/* With this name of the program, in its folder as ./prog. */
static char *command_text(const char *program, char *const *command, const char *folder)
{
    const size_t n = strlen(folder);
    const bool is_there = n > 0 && strncmp(program, folder, n) == 0 && program[n] == '/';
    char *text = NULL;
    size_t size;
    FILE *f = need(open_memstream(&text, &size));

    fputs(is_there ? "." : "", f);
    write_word(f, is_there ? program + n : program);
    for (size_t i = 1; command[i] != NULL; i++) {
        fputc(' ', f);
        write_word(f, command[i]);
    }
    return close_text(f, &text);
}

static bool is_current(const char *folder)
{
    char *here = realpath(".", NULL);
    const bool is = here != NULL && strcmp(here, folder) == 0;

    free(here);
    return is;
}

/* Whether the program is this command. */
static bool is_logp(const char *program)
{
    struct stat a, b;

    return stat(program, &a) == 0 && stat("/proc/self/exe", &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* The problem of a command that is not to be started. */
static struct problem *check_command(const char *path, const struct logp_replay *r,
                                     const char *program)
{
    struct problem *problem;
    bool starts_another;
    char *text, *shown, whole[2 * PATH_MAX];

    if (program == NULL) /* whatever the start would find has not been looked at */
        return usage_problem("%s: %s: %s; name the program: -- COMMAND ARGUMENTS", path,
                             r->command[0], strerror(errno));
    if (trust_only(path) != 0)
        return usage_problem("no memory");
    starts_another =
        is_logp(program) && r->command[1] != NULL &&
        (strcmp(r->command[1], "mpirun") == 0 || strcmp(r->command[1], "explore") == 0);
    if (starts_another || is_trusted(program))
        return NULL;
    if (r->command[0][0] != '/' && strchr(r->command[0], '/') != NULL)
        snprintf(whole, sizeof(whole), "%s/%s", r->directory != NULL ? r->directory : ".",
                 r->command[0] + (strncmp(r->command[0], "./", 2) == 0 ? 2 : 0));
    else
        snprintf(whole, sizeof(whole), "%s", r->command[0]);
    text = command_text(whole, r->command, "");
    shown = need(shown_text(r->directory != NULL ? r->directory : ""));
    problem = usage_problem(
        "%s: its command is not in the folder of the file nor in the current one: %s; "
        "if you trust it, type -- and this command behind the name of the file%s%s",
        path, text, *shown != '\0' ? "; it ran in " : "", shown);
    free(text);
    free(shown);
    return problem;
}

struct problem *trust_command(const char *path, const struct logp_replay *r)
{
    const char *folder = r->directory != NULL ? r->directory : ".";
    char *text = command_text(r->command[0], r->command, folder),
         *program = find(r->command[0], folder);
    struct problem *problem = check_command(path, r, program);

    if (problem == NULL)
        say("%s: starts in %s: %s", path, is_current(folder) ? "." : folder, text);
    free(program);
    free(text);
    return problem;
}

struct problem *trust_program(const char *command, const char *program, bool explored)
{
    if (!trusts_all() && (!explored || !is_trusted(program)))
        return usage_problem("%s: the replay starts %s, which is not in its folder nor in the "
                             "current one; if you trust it, type logp replay FILE -- COMMAND",
                             command, program);
    trust_all();
    return NULL;
}
