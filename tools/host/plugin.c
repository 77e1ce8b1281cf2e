/* SPDX-License-Identifier: MIT */
/*
 * What clones ask the loader, which knows the pictures alone: dlopen(), dlsym() and their relatives. A plug-in that a rank opens
 * is loaded once, with the libraries that it needs, and each rank that opens it has a clone. It is there until
 * the rank ends, and so are its destructors called then, whether dlclose() is called or not.
 */
#include "picture.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GLOBAL = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Plug-ins that a rank has opened with RTLD_GLOBAL: later ones see their symbols. */
static struct {
    const struct picture *program;
    char *name;
} global[MOST_GLOBAL];
static int n_global;

/* A handle of an object that is loaded; NULL: it is not */
static void *loaded(const char *name)
{
    return dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

static const char *name_of_program(const struct job *job)
{
    return job->picture->objects[0].map->l_name;
}

static const struct picture *picture_of(void *handle)
{
    uintptr_t offset;

    return handle != NULL ? host_picture_of((uintptr_t)((struct link_map *)handle)->l_ld, &offset)
                          : NULL;
}

static bool is_made(const struct picture *p, int rank)
{
    return atomic_load_explicit(&p->is_made[rank],
                                memory_order_relaxed); /* its own rank writes it */
}

static int rank_of(const struct host_rank *h)
{
    return (int)(h - the_job->hosts);
}

/* ---- opening ---- */

/* Its constructors find the symbols of the program and of those that are global before its own. */
static void *load(const struct job *job, const char *name, int flags)
{
    const char *needed[MOST_GLOBAL + 3] = {name_of_program(job)};
    struct picture *p;
    struct picture_failure failure = {0};
    int n = 1;

    if (host_is_shared(job, name))
        return dlopen(name, flags);
    host_load_shared();
    for (int i = 0; i < n_global; i++)
        if (global[i].program == job->picture)
            needed[n++] = global[i].name;
    needed[n] = name;
    p = host_load_picture(job, needed, host_replaced_function, &failure);
    if (!failure.is_loaded)
        return NULL;
    if (p == NULL)
        return failure.is_begun ? NULL : loaded(name);
    host_add_picture(p);
    if ((flags & RTLD_GLOBAL) != 0 && n_global < MOST_GLOBAL) {
        global[n_global].program = job->picture;
        global[n_global].name = strdup(p->objects[0].path);
        n_global += global[n_global].name != NULL;
    }
    return loaded(p->objects[0].path);
}

/* Make the clone of a rank, after those that it refers to. Constructors are called later, without the lock. */
static bool make_clone(const struct picture *p, const struct host_rank *h)
{
    if (is_made(p, rank_of(h)))
        return true;
    for (size_t i = 0; i < p->n_moved; i++)
        if (p->moved[i].in != p && !make_clone(p->moved[i].in, h))
            return false;
    return host_make_clone_of(p, h) != 0;
}

static bool begin_clone(const struct picture *p, const struct host_rank *h)
{
    if (p->is_begun[rank_of(h)])
        return true;
    for (size_t i = 0; i < p->n_moved; i++)
        if (p->moved[i].in != p && !begin_clone(p->moved[i].in, h))
            return false;
    if (!host_begin_locals_of(p, h, host_here() == h))
        return false;
    host_begin_clone(p, h);
    return true;
}

static void *open_library(const char *name, int flags)
{
    const struct host_rank *h = host_owner();
    const struct picture *p;
    void *handle;

    if (h == NULL)
        return dlopen(name, flags);
    if (name == NULL)
        return loaded(name_of_program(h->job));
    pthread_mutex_lock(&mutex);
    handle = loaded(name);
    if (handle == NULL && (flags & RTLD_NOLOAD) == 0)
        handle = load(h->job, name, flags);
    p = picture_of(handle);
    if (p != NULL && (p->program != h->job->picture || !make_clone(p, h)))
        handle = NULL;
    pthread_mutex_unlock(&mutex);
    return handle != NULL && p != NULL && !begin_clone(p, h) ? NULL : handle;
}

/* ---- symbols ---- */

static void *look_up(void *handle, const char *name, const char *version)
{
    return version != NULL ? dlvsym(handle, name, version) : dlsym(handle, name);
}

/* In the objects of a picture after the one of this address. */
static void *find_behind(uintptr_t caller, const char *name, const char *version)
{
    uintptr_t offset;
    const struct picture *p = host_picture_of(host_in_picture(caller), &offset);
    const struct object *o = p != NULL ? host_object_at(p, offset) : NULL;
    void *found = NULL;

    for (size_t i = o != NULL ? (size_t)(o - p->objects) + 1 : 0;
         o != NULL && found == NULL && i < p->n_objects; i++)
        found = look_up(loaded(p->objects[i].path), name, version);
    return found;
}

static void *find_symbol(const struct job *job, void *handle, const char *name, const char *version,
                         uintptr_t caller)
{
    void *program = loaded(name_of_program(job)), *found = NULL;

    if (handle == RTLD_NEXT)
        found = find_behind(caller, name, version);
    else if (handle == RTLD_DEFAULT || handle == program)
        found = look_up(program, name, version);
    else
        return look_up(handle, name, version);
    for (int i = 0; found == NULL && i < n_global; i++)
        if (global[i].program == job->picture)
            found = look_up(loaded(global[i].name), name, version);
    return found != NULL ? found : look_up(RTLD_DEFAULT, name, version);
}

static void *symbol_of_rank(void *handle, const char *name, const char *version, void *caller)
{
    const struct host_rank *h = host_owner();
    void *found, *own;
    uintptr_t offset;

    if (h == NULL)
        return look_up(handle, name, version);
    pthread_mutex_lock(&mutex);
    found = find_symbol(h->job, handle, name, version, (uintptr_t)caller);
    pthread_mutex_unlock(&mutex);
    if (found == NULL)
        return NULL;
    own = host_replaced_function(name);
    own = own != NULL ? own : host_own_address(h, name);
    return own != NULL && host_picture_of((uintptr_t)found, &offset) == NULL
               ? own
               : (void *)host_in_clone((uintptr_t)found, rank_of(h));
}

static void *find_by_name(void *handle, const char *name)
{
    return symbol_of_rank(handle, name, NULL, __builtin_return_address(0));
}

static void *find_version(void *handle, const char *name, const char *version)
{
    return symbol_of_rank(handle, name, version, __builtin_return_address(0));
}

/* ---- addresses ---- */

static void move_back(Dl_info *info, uintptr_t distance)
{
    info->dli_fbase = (char *)info->dli_fbase + distance;
    if (info->dli_saddr != NULL)
        info->dli_saddr = (char *)info->dli_saddr + distance;
}

static int find_address(const void *address, Dl_info *info)
{
    const uintptr_t known = host_in_picture((uintptr_t)address);
    const int rc = dladdr((const void *)known, info);

    if (rc != 0)
        move_back(info, (uintptr_t)address - known);
    return rc;
}

static int find_address_more(const void *address, Dl_info *info, void **more, int flags)
{
    const uintptr_t known = host_in_picture((uintptr_t)address);
    const int rc = dladdr1((const void *)known, info, more, flags);

    if (rc != 0)
        move_back(info, (uintptr_t)address - known);
    return rc;
}

static char **name_frames(void *const *frames, int n)
{
    void *known[n > 0 ? n : 1];

    for (int i = 0; i < n; i++)
        known[i] = (void *)host_in_picture((uintptr_t)frames[i]);
    return backtrace_symbols(known, n);
}

static void write_frames(void *const *frames, int n, int fd)
{
    void *known[n > 0 ? n : 1];

    for (int i = 0; i < n; i++)
        known[i] = (void *)host_in_picture((uintptr_t)frames[i]);
    backtrace_symbols_fd(known, n, fd);
}

void *host_replaced_function(const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {{"dlopen", (void (*)(void))open_library},
               {"dlsym", (void (*)(void))find_by_name},
               {"dlvsym", (void (*)(void))find_version},
               {"dladdr", (void (*)(void))find_address},
               {"dladdr1", (void (*)(void))find_address_more},
               {"backtrace_symbols", (void (*)(void))name_frames},
               {"backtrace_symbols_fd", (void (*)(void))write_frames}};
    void *function = NULL;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].name, name) == 0)
            memcpy(&function, &all[i].function, sizeof(function));
    return function;
}
