/* SPDX-License-Identifier: MIT */
/*
 * Changes of a rank to its standard streams, which are the process's: it closes them, or puts a
 * file in their place. A change affects this rank alone: its stream has a descriptor of its own
 * from then on, or none. Processes that it starts and streams that it opens (system(), popen(),
 * fdopen(1, ...)) have the process's.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the process's own ---- */

static int close_stream(FILE *f)
{
    return NEXT(fclose)(f);
}

/* A copy above the standard ones. */
static int copy_of(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* Whether one descriptor is a copy of the other; false, too, if the host cannot determine it. */
static bool are_copies(int a, int b)
{
    const long process = syscall(SYS_getpid);

    return syscall(SYS_kcmp, process, process, KCMP_FILE, a, b) == 0;
}

/* ---- a rank's ---- */

/* Of stdout or stderr; NULL: it is another one. */
static struct lines *lines_of(struct host_rank *h, int fd)
{
    return fd == STDOUT_FILENO ? &h->out : fd == STDERR_FILENO ? &h->err : NULL;
}

/* 0, 1, 2; -1: it is none of the rank's standard streams. */
static int number_of(const struct host_rank *h, const FILE *f)
{
    return f == stdout                      ? STDOUT_FILENO
           : f == stderr                    ? STDERR_FILENO
           : f == host_input_of(the_job, h) ? STDIN_FILENO
                                            : -1;
}

/* The descriptor that a rank means by this one. @return -1: it has closed that */
static int meant_by(struct host_rank *h, int fd)
{
    const struct lines *l = lines_of(h, fd);

    if (fd == STDIN_FILENO)
        return host_fileno(host_input_of(the_job, h));
    return l == NULL || l->to == 0 ? fd : l->to;
}

/* to: the rank's own from now on; -1: none. A copy of the process's own stream, as a rank has kept it to put it
 * back, is that stream: its output leaves in whole lines again. @return 0; -1: it had closed it before */
static int redirect_output(struct host_rank *h, int fd, int to)
{
    struct lines *l = lines_of(h, fd);
    const int before = l->to;

    if (to > 0 && are_copies(to, fd)) {
        host_close(to);
        to = 0;
    }
    host_end_lines(h, fd);
    if (before > 0)
        host_close(before);
    l->to = to;
    errno = EBADF;
    return before < 0 && to < 0 ? -1 : 0;
}

/* f: the rank's own from now on; NULL: nothing more is read. @return 0; -1: it had closed it before */
static int redirect_input(struct host_rank *h, FILE *f)
{
    FILE *const before = h->input, *const none = the_job->no_input;

    h->input = f != NULL ? f : none;
    host_set_stdin(h, h->input);
    host_set_stream_input(h, h->input);
    if (before != NULL && before != none)
        close_stream(before);
    errno = EBADF;
    return before != NULL && before == none && f == NULL ? -1 : 0;
}

static int redirect(struct host_rank *h, int fd, int to)
{
    FILE *f;

    if (fd != STDIN_FILENO)
        return redirect_output(h, fd, to);
    f = to >= 0 ? fdopen(to, "r") : NULL;
    if (f == NULL && to >= 0)
        host_close(to);
    return redirect_input(h, f);
}

void host_end_redirections(struct host_rank *h)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (lines_of(h, fd)->to > 0) {
            host_close(lines_of(h, fd)->to);
            lines_of(h, fd)->to = 0;
        }
    if (h->input != NULL && h->input != the_job->no_input)
        close_stream(h->input);
    h->input = NULL;
}

/* ---- streams ---- */

static int close_this_stream(void *f)
{
    return close_stream(f);
}

EXPORT int fclose(FILE *f)
{
    struct host_rank *h = host_of_process();
    const int fd = h != NULL ? number_of(h, f) : -1;

    if (fd < 0)
        return host_close_locked(h, h != NULL ? host_fileno(f) : -1, close_this_stream, f);
    return redirect(h, fd, -1) == 0 ? 0 : EOF;
}

/* path: NULL: the mode alone would change, which stays. */
static FILE *reopen(const char *name, const char *path, const char *mode, FILE *f)
{
    struct host_rank *h = host_of_process();
    const int fd = h != NULL ? number_of(h, f) : -1;
    FILE *opened;
    int error, to;

    if (fd < 0)
        return ((FILE * (*)(const char *, const char *, FILE *)) host_next_of(name))(path, mode, f);
    if (path == NULL)
        return f;
    opened = fopen(path, mode);
    error = errno;
    if (fd == STDIN_FILENO) {
        redirect_input(h, opened);
        errno = error;
        return opened;
    }
    to = opened != NULL ? copy_of(fileno(opened)) : -1;
    error = opened != NULL && to < 0 ? errno : error;
    if (opened != NULL)
        close_stream(opened);
    redirect_output(h, fd, to);
    errno = error;
    return to >= 0 ? f : NULL;
}

EXPORT FILE *freopen(const char *path, const char *mode, FILE *f)
{
    return reopen("freopen", path, mode, f);
}

EXPORT FILE *freopen64(const char *path, const char *mode, FILE *f)
{
    return reopen("freopen64", path, mode, f);
}

/* The streams of ranks have none by themselves. */
EXPORT int fileno(FILE *f)
{
    const int fd = host_here() == NULL ? -1
                   : f == stdout       ? STDOUT_FILENO
                   : f == stderr       ? STDERR_FILENO
                                       : -1;

    return fd >= 0 ? fd : host_fileno(f);
}

/* ---- descriptors ---- */

static int close_this(void *fd)
{
    return host_close(*(int *)fd);
}

EXPORT int close(int fd)
{
    struct host_rank *h = host_of_process();

    return h == NULL || fd < 0 || fd > STDERR_FILENO ? host_close_locked(h, fd, close_this, &fd)
                                                     : redirect(h, fd, -1);
}

EXPORT int dup(int fd)
{
    struct host_rank *h = host_of_process();

    return (int)syscall(SYS_dup, h != NULL ? meant_by(h, fd) : fd);
}

EXPORT int dup3(int from, int to, int flags)
{
    struct host_rank *h = host_of_process();
    const int meant = h != NULL ? meant_by(h, from) : from;
    int copy;

    if (h == NULL || to < 0 || to > STDERR_FILENO || meant < 0)
        return (int)syscall(SYS_dup3, meant, to, flags);
    copy = copy_of(meant);
    if (copy < 0)
        return -1;
    redirect(h, to, copy);
    return to;
}

EXPORT int dup2(int from, int to)
{
    if (from != to)
        return dup3(from, to, 0);
    return fcntl(from, F_GETFD) >= 0 ? to : -1;
}

/* The rank whose stream this is; NULL: none, or the host and the runtime report something themselves. */
static struct host_rank *writer(int fd, const void *caller)
{
    const bool is_standard = fd == STDOUT_FILENO || fd == STDERR_FILENO;

    return is_standard && !host_is_own_code(caller) ? host_of_process() : NULL;
}

/* Text for a standard stream leaves in whole lines, as that of the stream of C does. */
static ssize_t write_of(struct host_rank *h, int fd, const void *buf, size_t n)
{
    if (h != NULL && lines_of(h, fd)->to == 0)
        return host_put(h, fd, buf, n);
    return host_write(h != NULL ? meant_by(h, fd) : fd, buf, n);
}

/* Within a caller they would not see its address. */
#define ALONE __attribute__((noinline))

EXPORT ALONE ssize_t write(int fd, const void *buf, size_t n)
{
    return write_of(writer(fd, __builtin_return_address(0)), fd, buf, n);
}

EXPORT ALONE ssize_t writev(int fd, const struct iovec *parts, int n)
{
    struct host_rank *h = writer(fd, __builtin_return_address(0));
    ssize_t all = 0;

    if (h == NULL)
        return NEXT(writev)(fd, parts, n);
    for (int i = 0; i < n; i++) {
        const ssize_t k = write_of(h, fd, parts[i].iov_base, parts[i].iov_len);

        if (k < 0)
            return all > 0 ? all : k;
        all += k;
    }
    return all;
}
