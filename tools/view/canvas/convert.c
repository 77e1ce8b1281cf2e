/* SPDX-License-Identifier: MIT */
/*
 * Pictures in files, or on the answer's stream. rsvg-convert makes PNG and PDF: it reads the SVG
 * from a file in memory, and its output is read from a pipe, because it does not notice a full disk.
 */
#define _GNU_SOURCE
#include "view/canvas/picture.h"
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONVERTER "rsvg-convert"

/* ---- formats ---- */

/* "svg", "png" or "pdf": the end of a name, or the name itself; NULL: another one. */
static const char *kind_of(const char *to)
{
    static const char *const kinds[] = {"svg", "png", "pdf"};
    const char *end = strrchr(to, '.');

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcasecmp(end != NULL ? end + 1 : to, kinds[i]) == 0)
            return kinds[i];
    return NULL;
}

char *find_converter(void)
{
    char *path = need(strdup(getenv("PATH") != NULL ? getenv("PATH") : "")), *save = NULL,
         file[4096];
    bool there = false;

    for (char *s = strtok_r(path, ":", &save); s != NULL && !there;
         s = strtok_r(NULL, ":", &save)) {
        snprintf(file, sizeof(file), "%s/" CONVERTER, s);
        there = access(file, X_OK) == 0;
    }
    free(path);
    return there ? need(strdup(file)) : NULL;
}

struct problem *check_converter(const char *option, const char *value)
{
    char *const file = find_converter();
    const bool there = file != NULL;

    free(file);
    return there ? NULL
                 : option_problem(option, value,
                                  "PNG and PDF are made by " CONVERTER
                                  ", which is not installed (Debian: librsvg2-bin)");
}

struct problem *check_picture(const char *option, const char *to)
{
    const char *kind = kind_of(to);

    if (kind == NULL)
        return option_problem(option, to, "a file whose name ends in .png, .svg or .pdf");
    if (strcmp(kind, "svg") != 0)
        TRY(check_converter(option, to));
    return strchr(to, '.') != NULL ? check_place(option, to) : NULL;
}

/* ---- conversion ---- */

/* A file in memory, at its beginning. @return -1: none, errno */
static int file_of(const char *svg)
{
    const int fd = memfd_create("picture.svg", MFD_CLOEXEC);
    const size_t n = strlen(svg);
    size_t done = 0;

    while (fd >= 0 && done < n) {
        const ssize_t part = write(fd, svg + done, n - done);

        if (part < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        done += part > 0 ? (size_t)part : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Start the converter. *child, *out: its process, and the pipe from its stdout. @return an errno; 0
 */
static int start(int in, const char *kind, pid_t *child, int *out)
{
    char *words[] = {CONVERTER, "--format", (char *)kind, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], rc;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    rc = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawnp(child, words[0], &actions, NULL, words, environment());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (rc == 0)
        *out = ends[0];
    else
        close(ends[0]);
    return rc;
}

/* Copy to f. *n: the number of bytes read. @return 0; an errno of reading or writing */
static int copy(int from, FILE *f, size_t *n)
{
    char part[1 << 14];
    ssize_t got;

    for (*n = 0; (got = read(from, part, sizeof(part))) != 0; *n += (size_t)got) {
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got < 0 || fwrite(part, 1, (size_t)got, f) != (size_t)got)
            return errno;
    }
    return fflush(f) != 0 ? errno : 0;
}

/* name: of the picture. *error: of writing, which the caller reports; 0 */
static struct problem *convert(FILE *f, const char *svg, const char *kind, const char *name,
                               int *error)
{
    const int in = file_of(svg);
    int out = -1, rc = in < 0 ? errno : 0, status = -1;
    pid_t child = -1;
    size_t n = 0;

    if (rc == 0)
        rc = start(in, kind, &child, &out);
    if (in >= 0)
        close(in);
    if (rc != 0)
        return failure(CONVERTER ": %s", strerror(rc));
    *error = copy(out, f, &n);
    close(out);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return *error == 0 && (n == 0 || status != 0) ? failure(CONVERTER " could not draw %s", name)
                                                  : NULL;
}

struct problem *put_picture(FILE *f, const char *svg, const char *to)
{
    const bool is_file = strchr(to, '.') != NULL;
    const char *kind = kind_of(to);
    struct new_file file = {0};
    struct problem *problem = NULL;
    int error = is_file ? new_file_begin(&file, to) : 0;

    if (is_file)
        f = file.f;
    if (error == 0 && strcmp(kind, "svg") != 0)
        problem = convert(f, svg, kind, is_file ? to : "the picture", &error);
    else if (error == 0)
        fputs(svg, f); /* the end of the file, or of the answer, checks the stream */
    if (is_file && error == 0 && problem == NULL)
        error = new_file_keep(&file);
    else if (file.f != NULL)
        new_file_drop(&file);
    if (is_file && error != 0)
        return failure("%s could not be written: %s", to, strerror(error));
    return problem;
}
