/* SPDX-License-Identifier: MIT */
/*
 * The command of a replay file that is started without being named on the command line. A file may
 * come from an untrusted source, and it may name any command; therefore its program must be in the
 * folder of the file or the current one, or below them, like the program of a file written here.
 * `logp mpirun` starts a program itself, which it checks in the same way: the folders are in its
 * environment.
 */
#define _GNU_SOURCE
#include "replay/replay.h"
#include "text/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = "LOGP_REPLAY_FOLDERS"; /* two, a line each */

/* The file that the command would start: relative to its folder, or in PATH. @return as realpath()
 */
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
        const size_t n = strcspn(folders, ":");

        snprintf(path, sizeof(path), "%.*s/%s", (int)n, folders, program);
        if (access(path, X_OK) == 0)
            return realpath(path, NULL);
        folders += n;
    }
    return NULL;
}

/* Whether the program is below one of these folders, a line each. "/" does not count: every program
 * is below it. */
static bool is_below(const char *program, const char *folders)
{
    while (*folders != '\0') {
        const size_t n = strcspn(folders, "\n");

        if (n > 1 && strncmp(program, folders, n) == 0 && program[n] == '/')
            return true;
        folders += n + (folders[n] == '\n');
    }
    return false;
}

static char *folders_of(const char *path)
{
    char *file = realpath(path, NULL), *here = realpath(".", NULL), *text = NULL;
    char *const slash = file != NULL ? strrchr(file, '/') : NULL;

    if (slash != NULL)
        *slash = '\0';
    if (asprintf(&text, "%s\n%s\n", file != NULL ? file : "", here != NULL ? here : "") < 0)
        bad_usage("no memory");
    free(file);
    free(here);
    return text;
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

/* The program in its folder as ./prog. */
static char *command_text(char *const *command, const char *folder)
{
    const size_t n = strlen(folder);
    const bool is_there = strncmp(command[0], folder, n) == 0 && command[0][n] == '/';
    char *text = NULL;
    size_t size;
    FILE *f = or_end(open_memstream(&text, &size));

    fputs(is_there ? "." : "", f);
    write_word(f, is_there ? command[0] + n : command[0]);
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

void trust_command(const char *path, const struct logp_replay *r)
{
    const char *folder = r->directory != NULL ? r->directory : ".";
    char *folders = folders_of(path), *text = command_text(r->command, folder);
    char *program = find(r->command[0], folder); /* NULL: not found; the start then fails */
    const bool starts_another = program != NULL && is_logp(program) && r->command[1] != NULL &&
                                strcmp(r->command[1], "mpirun") == 0;

    if (program != NULL && !starts_another && !is_below(program, folders))
        bad_usage("%s: its command is not in the folder of the file nor in the current one: %s; if "
                  "you trust it, "
                  "type -- and this command behind the name of the file",
                  path, text);
    if (program != NULL)
        say("%s: starts in %s: %s", path, is_current(folder) ? "." : folder, text);
    if (setenv(variable, folders, 1) != 0)
        bad_usage("no memory");
    free(program);
    free(text);
    free(folders);
}

void trust_program(const char *program, bool explored)
{
    const char *folders = getenv(variable);
    char *whole = folders != NULL ? realpath(program, NULL) : NULL;

    if (whole != NULL && (!explored || !is_below(whole, folders)))
        bad_usage("mpirun: the replay starts %s, which is not in its folder nor in the current "
                  "one; if you trust "
                  "it, type logp replay FILE -- COMMAND",
                  program);
    unsetenv(variable);
    free(whole);
}
