/* SPDX-License-Identifier: MIT */
/*
 * exec*() in a rank: another program takes the place of the rank's process, and would take that of
 * all ranks. So it is started as a separate process, and the rank ends when it ends, with its exit
 * code. The time that it takes does not count on the emulated clock.
 */
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* searches: in PATH. @return only where it cannot be started: -1 */
static int become(bool searches, const char *path, char *const *words, char *const *environment)
{
    int status = 0, rc;
    pid_t child;

    if (host_of_process() == NULL)
        return searches ? host_execvpe(path, words, environment)
                        : (int)syscall(SYS_execve, path, words, environment);
    rc = (searches ? posix_spawnp : posix_spawn)(&child, path, NULL, NULL, words, environment);
    if (rc != 0) {
        errno = rc;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

EXPORT int execve(const char *path, char *const *words, char *const *environment)
{
    return become(false, path, words, environment);
}

EXPORT int execvpe(const char *path, char *const *words, char *const *environment)
{
    return become(true, path, words, environment);
}

EXPORT int execv(const char *path, char *const *words)
{
    return become(false, path, words, host_environment(host_here()));
}

EXPORT int execvp(const char *path, char *const *words)
{
    return become(true, path, words, host_environment(host_here()));
}

/* Pass the words up to NULL as an array, and the environment that follows them, if there is one. */
static int become_listed(bool searches, const char *path, const char *first, va_list args,
                         bool takes_environment)
{
    size_t n = 1;
    va_list counted;

    va_copy(counted, args);
    while (first != NULL && va_arg(counted, char *) != NULL)
        n++;
    va_end(counted);

    char *words[n + 1];

    memcpy(&words[0], &first, sizeof(first));
    for (size_t i = 1; first != NULL && i <= n; i++)
        words[i] = va_arg(args, char *);
    return become(searches, path, words,
                  takes_environment ? va_arg(args, char **) : host_environment(host_here()));
}

#define LISTED(name, searches, takes_environment)                                                  \
    EXPORT int name(const char *path, const char *first, ...)                                      \
    {                                                                                              \
        va_list args;                                                                              \
        int rc;                                                                                    \
                                                                                                   \
        va_start(args, first);                                                                     \
        rc = become_listed(searches, path, first, args, takes_environment);                        \
        va_end(args);                                                                              \
        return rc;                                                                                 \
    }
LISTED(execl, false, false)
LISTED(execlp, true, false)
LISTED(execle, false, true)
