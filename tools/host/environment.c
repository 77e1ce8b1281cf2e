/* SPDX-License-Identifier: MIT */
/*
 * The environment of a rank: that of the process, until the rank changes it. It then has an array of its own; strings stay
 * where they are, since a program may hold them. The C library itself reads variables of the time zone, the language and
 * the folder of temporary files: those are changed for the process, too.
 */
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char **host_environment(const struct host_rank *h)
{
    return h != NULL && the_job->main == NULL ? *host_environment_of(h->job, h) : environ;
}

/* The rank whose environment a call changes; NULL: the process's is. */
static struct host_rank *changer(void)
{
    return the_job != NULL && the_job->main == NULL ? host_of_process() : NULL;
}

/* Whether the entry is of this variable, with its `=`. */
static bool is_of(const char *entry, const char *name, size_t length)
{
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static char *find(char **all, const char *name)
{
    const size_t length = strlen(name);

    for (; all != NULL && *all != NULL; all++)
        if (is_of(*all, name, length))
            return *all + length + 1;
    return NULL;
}

static bool is_read_by_system(const char *name)
{
    static const char *const all[] = {"TZ", "LANG", "LANGUAGE", "TMPDIR"};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    return strncmp(name, "LC_", 3) == 0;
}

EXPORT char *getenv(const char *name)
{
    return find(host_environment(host_owner()), name);
}

EXPORT char *secure_getenv(const char *name)
{
    return changer() != NULL ? getenv(name) : NEXT(secure_getenv)(name);
}

/* Put an entry in place of that of the same name, or after all; NULL: remove that. @return 0; -1: no memory */
static int change(struct host_rank *h, const char *name, size_t length, char *entry)
{
    char ***const at = host_environment_of(h->job, h), **const old = *at, **all;
    size_t n = 0, kept = 0;

    while (old != NULL && old[n] != NULL)
        n++;
    all = malloc((n + 2) * sizeof(*all));
    if (all == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!is_of(old[i], name, length)) {
            all[kept++] = old[i];
        } else if (entry != NULL) {
            all[kept++] = entry;
            entry = NULL;
        }
    if (entry != NULL)
        all[kept++] = entry;
    all[kept] = NULL;
    if (old == h->environment) /* the program may have put another one there */
        free(old);
    *at = h->environment = all;
    return 0;
}

static bool is_name(const char *name)
{
    return name != NULL && *name != '\0' && strchr(name, '=') == NULL;
}

EXPORT int setenv(const char *name, const char *value, int replaces)
{
    struct host_rank *h = changer();
    size_t length;
    char *entry;

    if (h == NULL)
        return NEXT(setenv)(name, value, replaces);
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    if (!replaces && find(host_environment(h), name) != NULL)
        return 0;
    length = strlen(name);
    entry = malloc(length + strlen(value) + 2);
    if (entry == NULL)
        return -1;
    sprintf(entry, "%s=%s", name, value);
    if (is_read_by_system(name))
        NEXT(setenv)(name, value, 1);
    return change(h, name, length, entry);
}

EXPORT int unsetenv(const char *name)
{
    struct host_rank *h = changer();

    if (h == NULL)
        return NEXT(unsetenv)(name);
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    if (is_read_by_system(name))
        NEXT(unsetenv)(name);
    return change(h, name, strlen(name), NULL);
}

/* The string itself becomes a part of the environment. */
EXPORT int putenv(char *entry)
{
    struct host_rank *h = changer();
    const char *end = strchr(entry, '=');
    char *name;

    if (h == NULL)
        return NEXT(putenv)(entry);
    if (end == NULL)
        return unsetenv(entry);
    name = strndup(entry, (size_t)(end - entry));
    if (name != NULL && is_read_by_system(name))
        NEXT(setenv)(name, end + 1, 1);
    free(name);
    return change(h, entry, (size_t)(end - entry), entry);
}

EXPORT int clearenv(void)
{
    struct host_rank *h = changer();

    if (h == NULL)
        return NEXT(clearenv)();
    if (*host_environment_of(h->job, h) == h->environment)
        free(h->environment);
    *host_environment_of(h->job, h) = h->environment = NULL;
    return 0;
}

/* The C library's own passes on the environment of the process. */
EXPORT int system(const char *command)
{
    struct host_rank *h = command != NULL ? changer() : NULL;
    char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    int status = -1, rc;
    pid_t child;

    if (h == NULL || host_environment(h) == environ)
        return NEXT(system)(command);
    rc = posix_spawn(&child, "/bin/sh", NULL, NULL, words, host_environment(h));
    if (rc != 0)
        return 127 << 8;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}
