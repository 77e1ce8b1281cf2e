/* SPDX-License-Identifier: MIT */
/*
 * Pictures in files, or on the answer's stream. rsvg-convert makes PNG and PDF: its output
 * is read from a pipe, because it does not notice a full disk.
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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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
        snprintf(file, sizeof(file), "%s/rsvg-convert", s);
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
                                  "PNG and PDF are made by rsvg-convert"
                                  ", which is not installed (Debian: librsvg2-bin)");
}

struct problem *check_picture(const char *option, const char *to)
{
    const char *kind = kind_of(to);

    if (kind == NULL)
        return must_be(option, to, "a file whose name ends in .png, .svg or .pdf");
    if (strcmp(kind, "svg") != 0)
        TRY(check_converter(option, to));
    return strchr(to, '.') != NULL ? check_place(option, to) : NULL;
}

/* ---- conversion ---- */

/* The converter, and the ends of its input and output. */
struct converter {
    pid_t child;
    int in, out;
};

/* @return an errno; 0: it runs */
static int start(struct converter *c, const char *kind)
{
    char *words[] = {"rsvg-convert", "--format", (char *)kind, NULL};
    posix_spawn_file_actions_t actions;
    int in[2], out[2], rc;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
        return errno;
    if (pipe2(out, O_CLOEXEC) != 0) {
        rc = errno;
        close(in[0]);
        close(in[1]);
        return rc;
    }
    posix_spawn_file_actions_init(&actions);
    rc = posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawnp(&c->child, words[0], &actions, NULL, words, environment());
    posix_spawn_file_actions_destroy(&actions);
    close(in[1]);
    close(out[1]);
    c->in = in[0];
    c->out = out[0];
    if (rc != 0) {
        close(c->in);
        close(c->out);
    }
    return rc;
}

/* Send it all, or until the converter ends. It writes nothing before it has read all. */
static void feed(int to, const char *svg)
{
    for (size_t left = strlen(svg); left > 0;) {
        const ssize_t n = send(to, svg, left, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            break;
        svg += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    close(to);
}

/* Copy to f; after an error of writing, read the rest, which the converter would report. *n: the
 * number of bytes read. @return 0; an errno of reading or writing */
static int copy(int from, FILE *f, size_t *n)
{
    char part[1 << 14];
    ssize_t got;
    int error = 0;

    for (*n = 0; (got = read(from, part, sizeof(part))) != 0; *n += (size_t)got) {
        if (got < 0 && errno != EINTR)
            return errno;
        got = got < 0 ? 0 : got;
        if (error == 0 && fwrite(part, 1, (size_t)got, f) != (size_t)got)
            error = errno;
    }
    return error == 0 && fflush(f) != 0 ? errno : error;
}

/* name: of the picture. *error: of writing, which the caller reports; 0 */
static struct problem *convert(FILE *f, const char *svg, const char *kind, const char *name,
                               int *error)
{
    struct converter c;
    const int rc = start(&c, kind);
    int status = -1;
    size_t n;

    if (rc != 0)
        return failure("rsvg-convert: %s", strerror(rc));
    feed(c.in, svg);
    *error = copy(c.out, f, &n);
    close(c.out);
    while (waitpid(c.child, &status, 0) < 0 && errno == EINTR)
        ;
    return *error == 0 && (n == 0 || status != 0) ? failure("rsvg-convert could not draw %s", name)
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

void begin_drawing(struct drawing *d, FILE *to, const char *kind)
{
    *d = (struct drawing){.f = to, .to = to, .kind = kind};
    if (strcmp(kind, "svg") != 0)
        d->f = need(open_memstream(&d->svg, &d->n));
}

struct problem *end_drawing(struct drawing *d)
{
    struct problem *problem = NULL;

    if (d->f == d->to)
        return NULL;
    close_text(d->f, &d->svg);
    if (*d->svg != '\0')
        problem = put_picture(d->to, d->svg, d->kind);
    free(d->svg);
    return problem;
}
