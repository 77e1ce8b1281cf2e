/* SPDX-License-Identifier: MIT */
/*
 * The standard streams of a rank. Output leaves in whole lines. Input belongs to rank 0: the others
 * read the end of the file. `stdin` is a variable of each rank (variables.c); what follows here are
 * the functions that use it without naming it.
 */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* ---- output ---- */

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

void host_write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t written = host_write(fd, text, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        n -= (size_t)written;
    }
}

/* Write it, or keep it, if this run is one of many. */
static void emit(int fd, const char *text, size_t n)
{
    struct output *o = the_job->kept;
    struct piece *more;
    char *copy;

    if (o == NULL) {
        host_write_all(fd, text, n);
        return;
    }
    if (o->n == o->capacity) {
        more = realloc(o->pieces, (2 * o->n + 16) * sizeof(*more));
        if (more == NULL) {
            host_write_all(fd, text, n);
            return;
        }
        o->pieces = more;
        o->capacity = 2 * o->n + 16;
    }
    copy = malloc(n);
    if (copy == NULL) {
        host_write_all(fd, text, n);
        return;
    }
    memcpy(copy, text, n);
    o->pieces[o->n++] = (struct piece){fd, n, copy};
}

/* Remember the last of these lines, which may be the reason why the rank fails. */
static void remember(struct host_rank *h, const char *text, size_t n)
{
    const char *before = n > 1 ? memrchr(text, '\n', n - 1) : NULL;
    const char *last = before != NULL ? before + 1 : text;
    const size_t length = (size_t)(text + n - last) - (text[n - 1] == '\n');

    snprintf(h->said, sizeof(h->said), "%.*s", (int)(length < 255 ? length : 255), last);
}

/* Write the first n bytes of a rank's lines, each line with the rank if that is wanted. */
static void put_lines(int fd, const struct lines *l, size_t n, int rank)
{
    char tag[32];
    const int length = snprintf(tag, sizeof(tag), "[%d] ", rank);

    if (fd == STDERR_FILENO && the_job->kept != NULL)
        remember(&the_job->hosts[rank], l->text, n);
    pthread_mutex_lock(&output);
    if (!the_job->tags_output)
        emit(fd, l->text, n);
    for (size_t i = 0; the_job->tags_output && i < n;) {
        const char *end = memchr(l->text + i, '\n', n - i);
        const size_t k = end != NULL ? (size_t)(end + 1 - (l->text + i)) : n - i;

        emit(fd, tag, (size_t)length);
        emit(fd, l->text + i, k);
        i += k;
    }
    pthread_mutex_unlock(&output);
}

static ssize_t put(int fd, struct lines *l, const char *text, size_t n, int rank)
{
    const char *end = memrchr(text, '\n', n); /* the text kept has none */
    const size_t all = l->n + n, whole = end != NULL ? l->n + (size_t)(end + 1 - text) : 0;

    if (all > l->capacity) {
        const size_t capacity = 2 * all + 256;
        char *more = realloc(l->text, capacity);

        if (more == NULL)
            return -1;
        l->text = more;
        l->capacity = capacity;
    }
    memcpy(l->text + l->n, text, n);
    if (whole > 0) {
        put_lines(fd, l, whole, rank);
        memmove(l->text, l->text + whole, all - whole);
    }
    l->n = all - whole;
    return (ssize_t)n;
}

ssize_t host_put(struct host_rank *h, int fd, const char *text, size_t n)
{
    return put(fd, fd == STDOUT_FILENO ? &h->out : &h->err, text, n, logp_vp_rank(h->vp));
}

/* All ranks share the stream, and an error would be one of all: what a rank writes to a stream that it has
 * closed is dropped. */
static ssize_t put_out(void *fd, const char *text, size_t n)
{
    const int to = (int)(intptr_t)fd;
    struct host_rank *h = host_here(), *maker = h == NULL && the_job != NULL ? host_maker() : NULL;
    struct host_rank *of = h != NULL ? h : maker;
    struct lines *l = of == NULL ? NULL : to == STDOUT_FILENO ? &of->out : &of->err;

    if (l != NULL && l->to == 0 && h != NULL)
        return put(to, l, text, n, logp_vp_rank(h->vp));
    if (l != NULL && l->to == 0) /* the lines of the rank are its own thread's */
        put_lines(to, &(struct lines){.text = (char *)text, .n = n}, n, (int)(of - the_job->hosts));
    if (l == NULL || l->to > 0)
        host_write_all(l != NULL ? l->to : to, text, n);
    return (ssize_t)n;
}

static FILE *open_lines(int fd, cookie_write_function_t *put_it)
{
    FILE *f = fopencookie((void *)(intptr_t)fd, "w", (cookie_io_functions_t){.write = put_it});

    if (f != NULL)
        setvbuf(f, NULL, _IONBF, 0);
    return f;
}

static FILE *report;

/* A pipe that can be written to takes PIPE_BUF bytes at once. */
static ssize_t put_report(void *fd, const char *text, size_t n)
{
    const int to = (int)(intptr_t)fd;

    for (size_t i = 0; i < n; i += PIPE_BUF) {
        struct pollfd ready = {.fd = to, .events = POLLOUT};

        if (the_job != NULL && host_is_abandoned(the_job) && poll(&ready, 1, 0) <= 0)
            break;
        host_write_all(to, text + i, n - i < PIPE_BUF ? n - i : PIPE_BUF);
    }
    return (ssize_t)n;
}

FILE *host_report_stream(void)
{
    return report != NULL ? report : stderr;
}

bool host_is_abandoned(const struct job *job)
{
    /* relaxed: the run has ended, and a rank that is still there may end at any time */
    for (int i = 0; i < job->n_ranks; i++)
        if (atomic_load_explicit(&job->hosts[i].running, memory_order_relaxed))
            return true;
    return false;
}

void host_begin_output(void)
{
    FILE *out = open_lines(STDOUT_FILENO, put_out), *err = open_lines(STDERR_FILENO, put_out);

    fflush(NULL);
    stdout = out != NULL ? out : stdout;
    stderr = err != NULL ? err : stderr;
    report = open_lines(STDERR_FILENO, put_report);
}

void host_end_lines(struct host_rank *h, int fd)
{
    struct lines *l = fd == STDOUT_FILENO ? &h->out : &h->err;

    if (l->n > 0)
        put_lines(fd, l, l->n, logp_vp_rank(h->vp));
    free(l->text);
    *l = (struct lines){.to = l->to};
}

void host_end_output(struct host_rank *h)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        host_end_lines(h, fd);
}

/* A program's buffers would mix the lines of ranks: these streams stay without. */
EXPORT int setvbuf(FILE *f, char *buffer, int mode, size_t size)
{
    if (host_here() != NULL && (f == stdout || f == stderr))
        return 0;
    return NEXT(setvbuf)(f, buffer, mode, size);
}

EXPORT void setbuf(FILE *f, char *buffer)
{
    setvbuf(f, buffer, buffer != NULL ? _IOFBF : _IONBF, BUFSIZ);
}

EXPORT void setlinebuf(FILE *f)
{
    setvbuf(f, NULL, _IOLBF, 0);
}

/* The streams of C++ use stdout as they are; buffers of their own would mix the lines of ranks. */
EXPORT bool sync_with_stdio(bool sync) __asm__("_ZNSt8ios_base15sync_with_stdioEb");

EXPORT bool sync_with_stdio(bool sync)
{
    if (host_here() != NULL)
        return true;
    return ((bool (*)(bool))host_next_of("_ZNSt8ios_base15sync_with_stdioEb"))(sync);
}

/* ---- input ---- */

FILE *host_input_of(const struct job *job, const struct host_rank *h)
{
    if (h != NULL && h->input != NULL)
        return h->input;
    return h == NULL || h == job->hosts || job->no_input == NULL ? stdin : job->no_input;
}

static FILE *input_here(void)
{
    return host_input_of(the_job, host_here());
}

EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    return host_read(
        fd == STDIN_FILENO && host_of_process() != NULL ? host_fileno(input_here()) : fd, buf, n);
}

#undef getchar
EXPORT int getchar(void)
{
    return getc(input_here());
}

#undef getchar_unlocked
EXPORT int getchar_unlocked(void)
{
    return getc(input_here());
}

/* The headers give scanf() a name for each version of the language. */
typedef int scan_function(FILE *f, const char *format, va_list args);

#define SCANF(own, name, v_own, v_name, vf_name)                                                   \
    EXPORT int own(const char *format, ...) __asm__(name);                                         \
    EXPORT int v_own(const char *format, va_list args) __asm__(v_name);                            \
    EXPORT int own(const char *format, ...)                                                        \
    {                                                                                              \
        va_list args;                                                                              \
        int n;                                                                                     \
                                                                                                   \
        va_start(args, format);                                                                    \
        n = ((scan_function *)host_next_of(vf_name))(input_here(), format, args);                  \
        va_end(args);                                                                              \
        return n;                                                                                  \
    }                                                                                              \
    EXPORT int v_own(const char *format, va_list args)                                             \
    {                                                                                              \
        return ((scan_function *)host_next_of(vf_name))(input_here(), format, args);               \
    }
SCANF(scanf_old, "scanf", vscanf_old, "vscanf", "vfscanf")
SCANF(scanf_99, "__isoc99_scanf", vscanf_99, "__isoc99_vscanf", "__isoc99_vfscanf")
SCANF(scanf_23, "__isoc23_scanf", vscanf_23, "__isoc23_vscanf", "__isoc23_vfscanf")
