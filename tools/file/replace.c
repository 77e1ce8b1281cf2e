/* SPDX-License-Identifier: MIT */
/* A file that replaces another one. See file.h. */
#define _GNU_SOURCE
#include "file/file.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 4, MOST_LINKS = 40 };

/* The temporary files that exist, for exit() and signals. An empty name: none. */
static char temporary[MOST_FILES][PATH_MAX];

/* ---- the end of the process ---- */

void drop_all_files(void)
{
    for (int i = 0; i < MOST_FILES; i++)
        if (temporary[i][0] != '\0')
            unlink(temporary[i]);
}

/* Only functions that a signal handler may call. */
static void on_signal(int signal_number)
{
    static const char said[] = "logp: interrupted; the output file is as it was\n";

    (void)signal_number;
    drop_all_files();
    if (write(STDERR_FILENO, said, sizeof(said) - 1) < 0)
        _exit(EXIT_WRONG);
    _exit(EXIT_WRONG);
}

/* Under nohup SIGHUP stays ignored. A run catches the others itself, before or after. */
static void watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction now;

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (sigaction(signals[i], NULL, &now) == 0 &&
            (now.sa_handler == SIG_DFL || (now.sa_handler == SIG_IGN && signals[i] != SIGHUP)))
            sigaction(signals[i], &action, NULL);
}

/* ---- where it is ---- */

/* The folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    char *folder = or_end(strdup(path)), *slash = strrchr(folder, '/');

    if (slash == NULL) {
        free(folder);
        return or_end(strdup("."));
    }
    slash[slash == folder] = '\0';
    return folder;
}

/* The file that a path means, through symbolic links, of which the last may lead to no file yet. To
 * be freed. */
static char *target_of(const char *path)
{
    char *at = or_end(strdup(path));

    for (int i = 0; i < MOST_LINKS; i++) {
        char link[PATH_MAX], *folder, *next = realpath(at, NULL);
        const ssize_t n = next == NULL ? readlink(at, link, sizeof(link) - 1) : -1;

        if (next == NULL && n < 0)
            return at;
        if (next == NULL) {
            link[n] = '\0';
            folder = folder_of(at);
            next = or_end(malloc(strlen(folder) + strlen(link) + 2));
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

/* What has no name of its own, or is no regular file, cannot be replaced. */
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

void check_place(const char *option, const char *path)
{
    const int error = place_error(path);

    if (error != 0)
        bad_option(option, path, "a writable file: %s", strerror(error));
}

/* ---- writing it ---- */

static int find_entry(void)
{
    int i = 0;

    while (i < MOST_FILES && temporary[i][0] != '\0')
        i++;
    return i;
}

/* As open() would have made it; of a file that is there, as that is. */
static mode_t mode_of(const char *target)
{
    const mode_t mask = umask(0);
    struct stat s;

    umask(mask);
    return stat(target, &s) == 0 ? s.st_mode & 0777 : 0666 & ~mask;
}

/* Its descriptor, none of the first three; -1: errno says why. */
static int make_temporary(const char *target, int slot)
{
    char *folder = folder_of(target), name[PATH_MAX];
    const int length = snprintf(name, sizeof(name), "%s/.logp-XXXXXX", folder);
    int low, fd;

    free(folder);
    errno = ENAMETOOLONG;
    low = length < (int)sizeof(name) ? mkostemp(name, O_CLOEXEC) : -1;
    if (low < 0)
        return -1;
    strcpy(temporary[slot], name);
    fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
    close(low);
    if (fd >= 0 && fchmod(fd, mode_of(target)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void forget(struct new_file *f)
{
    if (f->target != NULL)
        temporary[f->slot][0] = '\0';
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
        watch_signals();
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

/* The temporary file has the name of the old one now, or it is no temporary file. */
static int rename_it(struct new_file *f)
{
    if (f->target == NULL)
        return 0;
    if (rename(temporary[f->slot], f->target) != 0)
        return errno;
    temporary[f->slot][0] = '\0';
    free(f->target);
    f->target = NULL;
    return 0;
}

static int flush(struct new_file *f)
{
    return fflush(f->f) != 0 ? errno : ferror(f->f) ? EIO : 0;
}

int new_file_publish(struct new_file *f)
{
    const int error = flush(f);

    return error != 0 ? error : rename_it(f);
}

int new_file_keep(struct new_file *f)
{
    int error = flush(f);

    if (fclose(f->f) != 0 && error == 0)
        error = errno;
    f->f = NULL;
    if (error == 0)
        error = rename_it(f);
    if (error != 0)
        new_file_drop(f);
    else
        forget(f);
    return error;
}

void new_file_drop(struct new_file *f)
{
    if (f->f != NULL)
        fclose(f->f);
    if (f->target != NULL)
        unlink(temporary[f->slot]);
    forget(f);
}
