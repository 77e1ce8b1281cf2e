/* SPDX-License-Identifier: MIT */
/*
 * Where a run has crashed, or has called: the innermost frame that is neither the C library's nor liblogp's, as file:line
 * (by addr2line, where it is installed and the file has debug information) or file+offset. It is for signal handlers:
 * nothing here allocates memory. Code that the loader does not know is not named. addr2line may take a second for a
 * large program, however many addresses it is asked for: so it is asked once for all of a file.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FRAMES = 64, MOST_LINE = 200, FIRST_ADDRESS = 4 };

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Libraries whose faults are those of their callers. */
static bool is_of_others(const char *path)
{
    static const char *const all[] = {"libc.so",         "libc-2",    "libm.so",   "libpthread",
                                      "libstdc++.",      "libgcc_s.", "ld-linux",  "linux-vdso",
                                      "liblogp",         "libasan.",  "libubsan.", "libclang_rt.",
                                      "libboost_context"};
    const char *name = file_name(path);

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strncmp(name, all[i], strlen(all[i])) == 0)
            return true;
    return false;
}

/* addr2line, which prints to `out`. The child of vfork() shares this memory. @return the child; -1: there is none */
static pid_t start(const char *const *words, int out)
{
    char language[] = "LC_ALL=C", *const environment[] = {language, NULL};
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t child = vfork();

    if (child == 0) {
        dup2(none, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(none, STDERR_FILENO);
        execvpe(words[0], (char *const *)words, environment);
        syscall(SYS_exit_group, 127);
    }
    close(none);
    return child;
}

static void ask(const char *const *words, char *answer, size_t size)
{
    size_t length = 0;
    ssize_t k = 1;
    pid_t child;
    int ends[2];

    answer[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    child = start(words, ends[1]);
    close(ends[1]);
    while (child > 0 && length + 1 < size && (k > 0 || (k < 0 && errno == EINTR))) {
        k = read(ends[0], answer + length, size - 1 - length);
        length += k > 0 ? (size_t)k : 0;
    }
    answer[length] = '\0';
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Whether this is the program itself, whose name in the loader may be relative to another folder. */
static bool is_program(const Dl_info *object)
{
    Dl_info program;

    return dladdr((const void *)getauxval(AT_PHDR), &program) != 0 &&
           program.dli_fbase == object->dli_fbase;
}

/* Write the path of the object, for addr2line. @return whether it is the program itself */
static bool path_of(const Dl_info *object, char path[PATH_MAX])
{
    const ssize_t n = is_program(object) ? readlink("/proc/self/exe", path, PATH_MAX - 1) : -1;

    if (n > 0)
        path[n] = '\0';
    else
        snprintf(path, PATH_MAX, "%s", object->dli_fname);
    return n > 0;
}

/* line: of addr2line */
static void name(struct lpi_named_place *p, const char *line, size_t n, uintptr_t base,
                 const char *path, bool is_own)
{
    const char *file = file_name(path);
    const size_t end = strcspn(line, " \n"); /* a blank: (discriminator 2) */
    size_t number = end < n ? end : n;

    while (number > 0 && line[number - 1] != ':')
        number--;
    if (number > 0 && line[number] >= '1' && line[number] <= '9')
        snprintf(p->text, sizeof(p->text), "%.*s%s%.40s", (int)(end < n ? end : n), line,
                 is_own ? "" : ", in ", is_own ? "" : file);
    else
        snprintf(p->text, sizeof(p->text), "%.60s+%#lx", file, (unsigned long)(p->at - base));
}

void lpi_place_name(struct lpi_named_place *all, int n)
{
    const char *words[FIRST_ADDRESS + LPI_PLACES + 1] = {"addr2line", "-s", "-e"};
    char addresses[LPI_PLACES][24], lines[LPI_PLACES * MOST_LINE], path[PATH_MAX];
    int asked[LPI_PLACES];
    Dl_info object, other;

    for (int i = 0; i < n; i++)
        all[i].text[0] = '\0';
    for (int i = 0; i < n; i++) {
        const char *line = lines;
        bool is_own;
        int k = 0;

        if (*all[i].text != '\0' || all[i].at == 0 ||
            dladdr((const void *)all[i].at, &object) == 0 || object.dli_fname == NULL)
            continue;
        for (int j = i; j < n; j++) {
            if (all[j].at == 0 || dladdr((const void *)all[j].at, &other) == 0 ||
                other.dli_fbase != object.dli_fbase)
                continue;
            snprintf(addresses[k], sizeof(addresses[k]), "%#lx",
                     (unsigned long)(all[j].at - (uintptr_t)object.dli_fbase));
            words[FIRST_ADDRESS + k] = addresses[k];
            asked[k++] = j;
        }
        is_own = path_of(&object, path);
        words[FIRST_ADDRESS - 1] = path;
        words[FIRST_ADDRESS + k] = NULL;
        ask(words, lines, sizeof(lines));
        for (int j = 0; j < k; j++) {
            const size_t length = strcspn(line, "\n");

            name(&all[asked[j]], line, length, (uintptr_t)object.dli_fbase, path, is_own);
            line += length + (line[length] == '\n');
        }
    }
}

void lpi_place_prepare(void)
{
    void *frame;

    backtrace(&frame, 1); /* it loads a library the first time */
}

uintptr_t lpi_place_of_call(void)
{
    void *frames[MOST_FRAMES];
    const int n = backtrace(frames, MOST_FRAMES);
    Dl_info object;

    for (int i = 0; i < n; i++) {
        const uintptr_t at = (uintptr_t)frames[i] - 1; /* within the call */

        if (dladdr((const void *)at, &object) == 0 || object.dli_fname == NULL)
            return 0;
        if (!is_of_others(object.dli_fname))
            return at;
    }
    return 0;
}

void lpi_place_here(char *text, size_t size)
{
    struct lpi_named_place here = {.at = lpi_place_of_call()};

    lpi_place_name(&here, 1);
    snprintf(text, size, "%s", here.text);
}
