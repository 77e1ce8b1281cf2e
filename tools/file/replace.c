/* SPDX-License-Identifier: MIT */
/* A file that replaces another one. See file.h. */
#define _GNU_SOURCE
#include "file/file.h"
#include "text/problem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 4, MOST_LINKS = 40 };

/* The temporary files. One has no name (O_TMPFILE) until all of it is written, if the file
 * system supports that, so nothing is left of it, however the process ends. Those that have a
 * name are removed by exit() and signals. */
static struct {
    bool taken;
    char name[PATH_MAX]; /* empty: none yet */
} temporary[MOST_FILES];

/* ---- the end of the process ---- */

void drop_all_files(void)
{
    for (int i = 0; i < MOST_FILES; i++)
        if (temporary[i].name[0] != '\0')
            unlink(temporary[i].name);
}

/* Calls only functions that a signal handler may call. */
static void on_signal(int signal_number)
{
    static const char said[] = "logp: interrupted; the output file is as it was\n";

    (void)signal_number;
    drop_all_files();
    if (write(STDERR_FILENO, said, sizeof(said) - 1) < 0)
        _exit(EXIT_WRONG);
    _exit(EXIT_WRONG);
}

/* Catch the first three signals, to report that the old file is unchanged; catch all of them
 * if a file name would remain. Under nohup SIGHUP stays ignored. A run catches the others
 * itself, before or after. */
static void watch_signals(bool all)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGALRM,
                                  SIGXCPU, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};
    const size_t n = all ? sizeof(signals) / sizeof(signals[0]) : 3;
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction now;

    for (size_t i = 0; i < n; i++)
        if (sigaction(signals[i], NULL, &now) == 0 &&
            (now.sa_handler == SIG_DFL || (now.sa_handler == SIG_IGN && i < 2)))
            sigaction(signals[i], &action, NULL);
}

/* ---- the place of a file ---- */

/* The folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    char *folder = need(strdup(path)), *slash = strrchr(folder, '/');

    if (slash == NULL) {
        free(folder);
        return need(strdup("."));
    }
    slash[slash == folder] = '\0';
    return folder;
}

/* Find the file that a path leads to through symbolic links, of which the last may lead to a
 * file that does not exist yet. To be freed. */
static char *target_of(const char *path)
{
    char *at = need(strdup(path));

    for (int i = 0; i < MOST_LINKS; i++) {
        char link[PATH_MAX], *folder, *next = realpath(at, NULL);
        const ssize_t n = next == NULL ? readlink(at, link, sizeof(link) - 1) : -1;

        if (next == NULL && n < 0)
            return at;
        if (next == NULL) {
            link[n] = '\0';
            folder = folder_of(at);
            next = need(malloc(strlen(folder) + strlen(link) + 2));
            sprintf(next, "%s%s%s", *link == '/' ? "" : folder, *link == '/' ? "" : "/", link);
            free(folder);
            free(at);
            at = next;
            continue;
        }
        free(at);
        return next;
    }
    return at;
}

/* Whether the path is written to directly: an open descriptor, or not a regular file. */
static bool is_direct(const char *path)
{
    struct stat s;

    return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0 || (stat(path, &s) == 0 && !S_ISREG(s.st_mode));
}

int place_error(const char *path)
{
    struct stat s;
    char *target, *folder;
    int error = 0;

    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return EISDIR;
    if (is_direct(path))
        return access(path, W_OK) == 0 ? 0 : errno;
    target = target_of(path);
    folder = folder_of(target);
    if (*path == '\0' || target[strlen(target) - 1] == '/')
        error = *path == '\0' ? ENOENT : EISDIR;
    else if (stat(folder, &s) != 0)
        error = errno;
    else if (!S_ISDIR(s.st_mode))
        error = ENOTDIR;
    else if (access(folder, W_OK | X_OK) != 0 || (access(target, W_OK) != 0 && errno != ENOENT))
        error = errno;
    free(folder);
    free(target);
    return error;
}

struct problem *check_place(const char *option, const char *path)
{
    const int error = place_error(path);

    if (error != 0)
        return must_be(option, path, "a writable file: %s", strerror(error));
    return NULL;
}

/* ---- writing a file ---- */

static int find_entry(void)
{
    int i = 0;

    while (i < MOST_FILES && temporary[i].taken)
        i++;
    return i;
}

/* The mode of the target; if there is none, as open() would create it. */
static mode_t mode_of(const char *target)
{
    const mode_t mask = umask(0);
    struct stat s;

    umask(mask);
    return stat(target, &s) == 0 ? s.st_mode & 0777 : 0666 & ~mask;
}

/* Return its path in /proc, by which a file without a name can get one. */
static const char *path_of_file(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return path;
}

/* @return its descriptor; -1: no file here could get a name later */
static int make_nameless(const char *folder)
{
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char path[32];

    if (fd < 0 || access(path_of_file(fd, path), F_OK) == 0)
        return fd;
    close(fd); /* /proc is not mounted */
    return -1;
}

static int make_named(const char *folder, int slot)
{
    char name[PATH_MAX];
    int fd;

    errno = ENAMETOOLONG;
    fd = snprintf(name, sizeof(name), "%s/.logp-XXXXXX", folder) < (int)sizeof(name)
             ? mkostemp(name, O_CLOEXEC)
             : -1;
    if (fd >= 0)
        strcpy(temporary[slot].name, name);
    return fd;
}

/* Create the temporary file. @return its descriptor, > 2; -1: with the reason in errno */
static int make_temporary(const char *target, int slot)
{
    char *folder = folder_of(target);
    int low = make_nameless(folder), fd;

    if (low < 0)
        low = make_named(folder, slot);
    free(folder);
    if (low < 0)
        return -1;
    watch_signals(temporary[slot].name[0] != '\0');
    fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
    close(low);
    if (fd >= 0 && fchmod(fd, mode_of(target)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Give it a name in the folder of its target, if it has none: rename() replaces a file, and
 * linkat() does not. @return an errno; 0 */
static int name_it(struct new_file *f)
{
    static unsigned number;
    char *name = temporary[f->slot].name, *folder, path[32];
    int rc = 0;

    if (f->target == NULL || *name != '\0')
        return 0;
    folder = folder_of(f->target);
    path_of_file(fileno(f->f), path);
    do
        rc = snprintf(name, PATH_MAX, "%s/.logp-%d-%u", folder, (int)getpid(), number++) < PATH_MAX
                 ? linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
                 : ENAMETOOLONG;
    while (rc == EEXIST);
    free(folder);
    if (rc != 0)
        *name = '\0';
    return rc;
}

static void forget(struct new_file *f)
{
    if (f->target != NULL) {
        temporary[f->slot].name[0] = '\0';
        temporary[f->slot].taken = false;
    }
    free(f->target);
    *f = (struct new_file){0};
}

int new_file_begin(struct new_file *f, const char *path)
{
    static bool is_watched;
    int fd, error = place_error(path);

    *f = (struct new_file){0};
    if (error != 0)
        return error;
    if (!is_watched && atexit(drop_all_files) != 0)
        return ENOMEM;
    is_watched = true;
    if (!is_direct(path)) {
        f->slot = find_entry();
        f->target = f->slot < MOST_FILES ? target_of(path) : NULL;
        if (f->target == NULL)
            return EMFILE;
        temporary[f->slot].taken = true;
        fd = make_temporary(f->target, f->slot);
    } else {
        fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    }
    f->f = fd >= 0 ? fdopen(fd, f->target != NULL ? "w+" : "w") : NULL;
    error = f->f == NULL ? errno : 0;
    if (f->f == NULL && fd >= 0)
        close(fd);
    if (f->f == NULL)
        new_file_drop(f);
    return error;
}

/* Rename the temporary file to its target. Does nothing if there is no target. */
static int rename_it(struct new_file *f)
{
    if (f->target == NULL)
        return 0;
    if (rename(temporary[f->slot].name, f->target) != 0)
        return errno;
    temporary[f->slot].name[0] = '\0';
    temporary[f->slot].taken = false;
    free(f->target);
    f->target = NULL;
    return 0;
}

static int flush(struct new_file *f)
{
    return fflush(f->f) != 0 ? errno : ferror(f->f) ? EIO : 0;
}

/* Replace the old file, and before that close the new one if requested. While it has a
 * name, signals are blocked. */
static int replace(struct new_file *f, bool closes)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    error = name_it(f);
    if (closes) {
        if (fclose(f->f) != 0 && error == 0)
            error = errno;
        f->f = NULL;
    }
    if (error == 0)
        error = rename_it(f);
    if (error != 0 && closes)
        new_file_drop(f);
    else if (closes)
        forget(f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int new_file_publish(struct new_file *f)
{
    const int error = flush(f);

    return error != 0 ? error : replace(f, false);
}

int new_file_keep(struct new_file *f)
{
    const int error = flush(f);

    if (error != 0) {
        new_file_drop(f);
        return error;
    }
    return replace(f, true);
}

void new_file_drop(struct new_file *f)
{
    if (f->f != NULL)
        fclose(f->f);
    if (f->target != NULL && temporary[f->slot].name[0] != '\0')
        unlink(temporary[f->slot].name);
    forget(f);
}
