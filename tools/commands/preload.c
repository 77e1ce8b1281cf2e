/* SPDX-License-Identifier: MIT */
/*
 * The libraries with which logp mpirun and logp explore start themselves again. Theirs has functions of the C
 * library's names (exit, rand, ...), which count only if it comes before the C library; a tool of the user's, which
 * sees the calls of MPI, comes before that; and first of all AddressSanitizer, or a library with
 * space for the thread-local variables of the program (locals.c).
 */
#define _GNU_SOURCE
#include "commands/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char again[] = "LOGP_MPIRUN"; /* set: the library is loaded */
/* set: the name of the library that holds the program's thread-local variables */
static const char its_locals[] = "LOGP_MPIRUN_LOCALS";

/* UBSan reads it when it is loaded, from what the process was started with */
static const char undefined[] = "UBSAN_OPTIONS", halts[] = "halt_on_error=1";

static const char own_files[] = "/proc/self/fd/";

/* Name the library for LD_PRELOAD, where a blank or a colon ends a name: such a library gets the
 * name of a file descriptor that stays open in the started program. */
static void name_preload(const char *library, char *name, size_t size)
{
    const int file = strpbrk(library, " :$") != NULL ? open(library, O_RDONLY) : -1;

    if (file >= 0)
        snprintf(name, size, "%s%d", own_files, file);
    else
        snprintf(name, size, "%s", library);
}

/* AddressSanitizer and ThreadSanitizer end a process before main() if
 * another library comes first. */
#if defined(__has_feature)
#define HAS(sanitizer) __has_feature(sanitizer)
#else
#define HAS(sanitizer) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS(address_sanitizer) ||     \
    HAS(thread_sanitizer)
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif

const char *address_sanitizer(const char *program, char *path, size_t size)
{
    static const char *const names[] = {"libasan.so", "libclang_rt.asan"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (program_needs(program, names[i], path, size))
            return path;
    return "";
}

/* Name a library that holds the thread-local variables of the program, if it needs one. */
static void add_locals(const char *program, char *name, size_t size)
{
    struct thread_locals variables;
    int file;

    if (!program_thread_locals(program, &variables))
        return;
    file = make_locals_library(&variables);
    free(variables.initial);
    if (file < 0)
        return;
    snprintf(name, size, "%s%d", own_files, file);
    setenv(its_locals, name, 1);
}

/* Write the name of the library that must be loaded first; "" if no library must. */
static void name_first(const char *program, char *name, size_t size)
{
    *name = '\0';
    if (*address_sanitizer(program, name, size) == '\0')
        add_locals(program, name, size);
}

void stop_at_undefined(void)
{
    if (!is_started_again())
        setenv(undefined, halts, 0);
}

bool is_started_again(void)
{
    return getenv(again) != NULL;
}

const char *locals_library(void)
{
    const char *name = getenv(its_locals);

    return name != NULL ? name : "";
}

struct problem *start_again(const struct host_library *l, char **argv, const char *program)
{
    char library[PATH_MAX + 64], path[PATH_MAX + 64], first[PATH_MAX], all[4 * PATH_MAX];
    const char *preload = getenv("LD_PRELOAD");

    if (is_sanitized)
        return usage_problem(
            "%s: this command was built with a sanitizer that must come before the C "
            "library, as %s must; build it with cmake --preset ubsan, or without "
            "a sanitizer",
            l->command, l->name);
    TRY(find_host_library(l, library, sizeof(library)));
    name_preload(library, path, sizeof(path));
    name_first(program, first, sizeof(first));
    snprintf(all, sizeof(all), "%s:%s:%s", first, preload != NULL ? preload : "", path);
    setenv(again, preload != NULL ? preload : "", 1);
    setenv("LD_PRELOAD", all, 1);
    execv("/proc/self/exe", argv);
    return failure("cannot start again with %s: %s", l->name, strerror(errno));
}

void restore_environment(void)
{
    const char *preload = getenv(again), *ours = getenv("LD_PRELOAD");
    const char *options = getenv(undefined);

    for (const char *file = ours; file != NULL; file = strchr(file, ':')) {
        file += *file == ':';
        if (strncmp(file, own_files, strlen(own_files)) == 0)
            fcntl(atoi(file + strlen(own_files)), F_SETFD, FD_CLOEXEC);
    }

    if (preload != NULL && *preload != '\0')
        setenv("LD_PRELOAD", preload, 1);
    else
        unsetenv("LD_PRELOAD");
    if (options != NULL && strcmp(options, halts) == 0)
        unsetenv(undefined);
    unsetenv(again);
    unsetenv(its_locals);
}

bool is_traced(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    int tracer = 0;

    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "TracerPid: %d", &tracer) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return tracer != 0;
}

struct problem *start_gdb(char **argv, const char *program)
{
    char library[PATH_MAX + 64], name[PATH_MAX + 64], first[PATH_MAX];
    char script[PATH_MAX + 64], preload[2 * PATH_MAX + 128], ours[64], self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *words[512] = {"gdb",    "-q",
                              "-iex",   "set debuginfod enabled off",
                              "-iex",   "set startup-with-shell off",
                              "-iex",   "set breakpoint pending on",
                              "-ex",    preload,
                              "-ex",    ours,
                              "-x",     script,
                              "--args", self};
    size_t n = 16;

    self[length > 0 ? length : 0] = '\0';
    TRY(find_host_library(&mpi_library, library, sizeof(library)));
    name_preload(library, name, sizeof(name));
    name_first(program, first, sizeof(first));
    snprintf(script, sizeof(script), "%.*s/logp-gdb.py", (int)(strrchr(library, '/') - library),
             library);
    snprintf(preload, sizeof(preload), "set environment LD_PRELOAD %s:%s", first, name);
    snprintf(ours, sizeof(ours), "set environment %s", again);
    for (size_t i = 1; argv[i] != NULL; i++) {
        if (n + 1 >= sizeof(words) / sizeof(words[0]))
            return usage_problem("mpirun: --gdb: at most %zu words",
                                 sizeof(words) / sizeof(words[0]) - 17);
        words[n++] = argv[i];
    }
    execvp(words[0], (char *const *)words);
    return usage_problem("mpirun: --gdb: gdb cannot be started: %s", strerror(errno));
}
