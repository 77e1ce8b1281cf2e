/* SPDX-License-Identifier: MIT */
/*
 * What the program of a replay prints goes to stderr, line by line, without the report of the failure: the check has
 * written that before the program can print it, and the command prints it itself.
 */
#define _GNU_SOURCE
#include "answer/replay/replay.h"
#include "text/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAUSE_MS = 20, PIECE = 1 << 16 };

struct output {
    int answers; /* the file of the answers */
    off_t read;  /* so many bytes of it */
    char *report;
    size_t held; /* bytes of the report that the last lines were */
    char *line;  /* that has no end yet */
    size_t n;
};

static void write_all(const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(STDERR_FILENO, text, n);

        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
}

/* Take the report of a failure once the check has written it. */
static void find_report(struct output *o)
{
    struct stat about;
    struct replayed what;

    if (o->held > 0 || fstat(o->answers, &about) != 0 || about.st_size == o->read)
        return;
    o->read = about.st_size;
    what = take_answers(o->answers);
    free(o->report);
    o->report = NULL;
    if (what.outcome <= REPLAYED_OTHERWISE && what.text != NULL)
        o->report = need(strdup(what.text));
    free_replayed(&what);
}

static void write_held(struct output *o)
{
    write_all(o->report, o->held);
    o->held = 0;
}

static void take_line(struct output *o, const char *line, size_t n)
{
    find_report(o);
    if (o->report != NULL && strncmp(o->report + o->held, line, n) != 0)
        write_held(o);
    if (o->report == NULL || strncmp(o->report + o->held, line, n) != 0) {
        write_all(line, n);
        return;
    }
    o->held += n;
    if (o->report[o->held] == '\0')
        o->held = 0;
}

/* A line without its end is written at once, as a prompt, if it is not the beginning of the report's next one. */
static void write_prompt(struct output *o)
{
    if (o->n == 0)
        return;
    find_report(o);
    if (o->report != NULL && strncmp(o->report + o->held, o->line, o->n) == 0)
        return;
    if (o->report != NULL)
        write_held(o);
    write_all(o->line, o->n);
    o->n = 0;
}

static void take_piece(struct output *o, const char *piece, size_t n)
{
    char *at, *end;

    o->line = need(realloc(o->line, o->n + n));
    memcpy(o->line + o->n, piece, n);
    o->n += n;
    for (at = o->line; (end = memchr(at, '\n', (size_t)(o->line + o->n - at))) != NULL;
         at = end + 1)
        take_line(o, at, (size_t)(end + 1 - at));
    o->n = (size_t)(o->line + o->n - at);
    memmove(o->line, at, o->n);
    write_prompt(o);
}

int pass_output(pid_t child, int from, int answers)
{
    struct pollfd ready = {.fd = from, .events = POLLIN};
    struct output o = {.answers = answers};
    char *piece = need(malloc(PIECE));
    int status = 0;
    bool is_over = false, is_open = true;

    while (is_open || !is_over) {
        const ssize_t n =
            is_open && poll(&ready, 1, is_over ? 0 : PAUSE_MS) > 0 ? read(from, piece, PIECE) : -1;

        if (n > 0)
            take_piece(&o, piece, (size_t)n);
        else if (n == 0 || is_over) /* a process that the program has left may keep it open */
            is_open = false;
        errno = 0;
        if (!is_over)
            is_over = waitpid(child, &status, is_open ? WNOHANG : 0) == child || errno == ECHILD;
    }
    write_held(&o);
    write_all(o.line, o.n);
    free(piece);
    free(o.line);
    free(o.report);
    return status;
}
