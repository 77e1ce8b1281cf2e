/* SPDX-License-Identifier: MIT */
/*
 * Transports by name: shared objects. The library itself needs none of them.
 *
 * "mpi" loads the MPI whose launcher has started this process, according to the environment.
 * Otherwise, or if that one cannot be loaded, it loads the first that can be.
 */
#define _GNU_SOURCE
#include "core/core.h"

#include <logp/transport.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct library {
    const char *name;     /* of the option and of the file */
    const char *variable; /* the launcher sets it in the environment */
} libraries[] = {{"openmpi", "OMPI_COMM_WORLD_SIZE"}, {"mpich", "PMI_SIZE"}};

enum { N_LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

/* Per thread, since several may create machines at once: why there is no transport, or NULL. */
static pthread_key_t why;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void init_once(void)
{
    has_key = pthread_key_create(&why, free) == 0;
}

static char *said(void)
{
    pthread_once(&once, init_once);
    return has_key ? pthread_getspecific(why) : NULL;
}

/* Keep a text of malloc()'s, or NULL. */
static void set(char *text)
{
    char *old = said();

    free(has_key && pthread_setspecific(why, text) == 0 ? old : text);
}

static void say(const char *begin, const char *end)
{
    char *text;

    set(asprintf(&text, "%s%s", begin, end) >= 0 ? text : NULL);
}

const char *logp_transport_at(size_t i)
{
    static const char *const names[] = {"mailbox", "mpi"};

    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

const char *logp_transport_error(void)
{
    const char *const text = said();

    return text != NULL ? text : "";
}

/* Open a transport, and never close it. NULL: see logp_transport_error(). */
static const struct lpi_transport *open_file(const char *directory, const char *name)
{
    const struct lpi_transport *t = NULL;
    char path[1100];
    void *file;

    snprintf(path, sizeof(path), "%s/liblogp-mpi-%s.so", directory, name);
    file = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    /* global, for the MPI's own plug-ins; and where a library with MPI's names is there already, the
     * transport and its MPI must find each other first */
    if (file == NULL)
        file = dlopen(path, RTLD_NOW | RTLD_GLOBAL |
                                (dlsym(RTLD_DEFAULT, "MPI_Init") != NULL ? RTLD_DEEPBIND : 0));
    if (file != NULL)
        t = dlsym(file, "lpi_transport");
    if (t == NULL)
        say("", dlerror());
    else if (t->size == sizeof(*t))
        return t;
    else
        say(path, ": of another version");
    return NULL;
}

static const struct lpi_transport *open_library(const char *name)
{
    const char *const given = getenv("LOGP_TRANSPORT_PATH");
    char own[1024] = ".", path[1100];
    Dl_info info;

    if (given != NULL && given[0] != '\0')
        return open_file(given, name);
    if (dladdr((void *)(uintptr_t)logp_transport_at, &info) != 0 &&
        strrchr(info.dli_fname, '/') != NULL)
        snprintf(own, sizeof(own), "%.*s", (int)(strrchr(info.dli_fname, '/') - info.dli_fname),
                 info.dli_fname);
    snprintf(path, sizeof(path), "%s/liblogp-mpi-%s.so", own, name);
    return open_file(access(path, F_OK) == 0 ? own : LOGP_LIBRARY_DIRECTORY, name);
}

static const struct lpi_transport *open_mpi(void)
{
    const struct lpi_transport *t = NULL;

    for (int i = 0; t == NULL && i < N_LIBRARIES; i++)
        if (getenv(libraries[i].variable) != NULL)
            t = open_library(libraries[i].name);
    for (int i = 0; t == NULL && i < N_LIBRARIES; i++)
        t = open_library(libraries[i].name);
    return t;
}

/* Whether the launcher of another MPI has started this process. Then each process would be
 * alone. */
static bool is_anothers(int library)
{
    for (int i = 0; i < N_LIBRARIES && getenv(libraries[library].variable) == NULL; i++)
        if (getenv(libraries[i].variable) != NULL) {
            say("this is the launcher of ", libraries[i].name);
            return true;
        }
    return false;
}

int lpi_transport_find(const char *name, const struct lpi_transport **out)
{
    *out = NULL;
    set(NULL);
    if (name == NULL || strcmp(name, "mailbox") == 0)
        return 0;
    if (strcmp(name, "mpi") == 0) {
        *out = open_mpi();
        return *out != NULL ? 0 : -ELIBACC;
    }
    for (int i = 0; i < N_LIBRARIES; i++)
        if (strncmp(name, "mpi:", 4) == 0 && strcmp(name + 4, libraries[i].name) == 0) {
            if (is_anothers(i))
                return -ELIBACC;
            *out = open_library(libraries[i].name);
            return *out != NULL ? 0 : -ELIBACC;
        }
    return -ENOENT;
}
