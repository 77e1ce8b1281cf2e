/* SPDX-License-Identifier: MIT */
/*
 * The program's own shared libraries. They are loaded once, so all ranks share their globals; a
 * note at the start reports this. A path relative to the executable ($ORIGIN) would be relative to
 * the copies in memory: such libraries are loaded before the first copy, which then finds them by
 * their name.
 */
#include "host.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Load it from the first of these folders, separated by ':', that is $ORIGIN or below it. */
static void load_from(const char *folders, const char *origin, const char *name)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    char path[2 * PATH_MAX];

    for (const char *end; *folders != '\0'; folders = end + (*end == ':')) {
        end = folders + strcspn(folders, ":");
        for (int i = 0; i < 2; i++) {
            const size_t length = strlen(words[i]);

            if (strncmp(folders, words[i], length) != 0 || folders + length > end)
                continue;
            snprintf(path, sizeof(path), "%s%.*s/%s", origin,
                     (int)(end - folders - (ptrdiff_t)length), folders + length, name);
            if (access(path, R_OK) == 0 && dlopen(path, RTLD_LAZY | RTLD_LOCAL) != NULL)
                return;
        }
    }
}

/* The dynamic section, NULL: none; and the strings that it names. */
static const Elf64_Dyn *dynamic_of(const struct job *job, const char **strings)
{
    const Elf64_Shdr *s = host_section(job->file, SHT_DYNAMIC, NULL);
    const Elf64_Shdr *all =
        (const Elf64_Shdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_shoff);

    if (s == NULL)
        return NULL;
    *strings = job->file + all[s->sh_link].sh_offset;
    return (const Elf64_Dyn *)(job->file + s->sh_offset);
}

/* Where the executable looks for libraries first; NULL: nowhere. */
static const char *folders_of(const Elf64_Dyn *first, const char *strings)
{
    const char *folders = NULL;

    for (const Elf64_Dyn *d = first; d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_RUNPATH || (d->d_tag == DT_RPATH && folders == NULL))
            folders = strings + d->d_un.d_val;
    return folders;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

const char *host_other_library(const struct job *job)
{
    const char *strings = NULL;

    for (const Elf64_Dyn *d = dynamic_of(job, &strings); d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && begins(strings + d->d_un.d_val, the_guest.libraries) &&
            !begins(strings + d->d_un.d_val, the_guest.own_libraries))
            return strings + d->d_un.d_val;
    return NULL;
}

void host_load_libraries(const struct job *job)
{
    const char *strings = NULL, *folders;
    const Elf64_Dyn *first = dynamic_of(job, &strings);
    char origin[PATH_MAX], *slash;

    if (realpath(job->path, origin) == NULL)
        return;
    slash = strrchr(origin, '/');
    *slash = '\0';
    folders = folders_of(first, strings);
    for (const Elf64_Dyn *d = first; folders != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED &&
            dlopen(strings + d->d_un.d_val, RTLD_LAZY | RTLD_NOLOAD) == NULL)
            load_from(folders, origin, strings + d->d_un.d_val);
}

void host_name_old_link(const struct job *job)
{
    static const char below[] = "/logp/";
    const char *strings = NULL, *folders;
    const Elf64_Dyn *first = dynamic_of(job, &strings);
    char path[PATH_MAX], folder[2 * PATH_MAX], *slash;
    Dl_info library;

    folders = folders_of(first, strings);
    if (folders == NULL || dladdr(&the_job, &library) == 0 ||
        realpath(library.dli_fname, path) == NULL || (slash = strrchr(path, '/')) == NULL ||
        slash - path < (ptrdiff_t)strlen(below) ||
        memcmp(slash + 1 - strlen(below), below, strlen(below)) != 0)
        return;
    slash[1 - (ptrdiff_t)strlen(below)] = '\0';
    for (const char *end; *folders != '\0'; folders = end + (*end == ':')) {
        end = folders + strcspn(folders, ":");
        snprintf(folder, sizeof(folder), "%.*s", (int)(end - folders), folders);
        if (strcmp(folder, path) != 0)
            continue;
        fprintf(stderr,
                "logp: %s was linked when %s lay in %s; by itself it does not find it "
                "in %s/logp: "
                "link it again with logp-cc\n",
                job->path, the_guest.library, path, path);
        return;
    }
}

/* Whether a library is the system's, which is made to be shared. */
static bool is_of_system(const char *path)
{
    return begins(path, "/lib") || begins(path, "/usr/");
}

/* Whether a library is the program's own: copies of the program itself are in /proc. */
static bool is_own(const char *path)
{
    return !is_of_system(path) && !begins(path, "/proc/") && strchr(path, '/') != NULL;
}

bool host_is_system_code(const void *address)
{
    Dl_info library;

    return dladdr(address, &library) != 0 && is_of_system(library.dli_fname);
}

/* Whether a library of this name is in one of the folders that the executable searches first. */
static bool is_in(const char *folders, const char *name)
{
    char path[2 * PATH_MAX];

    for (const char *end; *folders != '\0'; folders = end + (*end == ':')) {
        end = folders + strcspn(folders, ":");
        snprintf(path, sizeof(path), "%.*s/%s", (int)(end - folders), folders, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* Load a library that is not in the folders searched first. @return whether it is loaded now */
static bool load_from_system(const char *name, const char *folders)
{
    if (dlopen(name, RTLD_LAZY | RTLD_NOLOAD) != NULL)
        return true;
    if (folders != NULL && (strchr(folders, '$') != NULL || is_in(folders, name)))
        return false;
    return dlopen(name, RTLD_LAZY | RTLD_LOCAL) != NULL;
}

/* The next one that the program has brought, from `map` on; NULL: none. */
static const struct link_map *own_library(const struct link_map *map)
{
    while (map != NULL && !is_own(map->l_name))
        map = map->l_next;
    return map;
}

/* Load a library from where the executable finds it. */
static void *open_library(const char *folders, const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    char path[2 * PATH_MAX];

    for (const char *end; library == NULL && folders != NULL && *folders != '\0';
         folders = end + (*end == ':')) {
        end = folders + strcspn(folders, ":");
        snprintf(path, sizeof(path), "%.*s/%s", (int)(end - folders), folders, name);
        library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
    return library != NULL ? library : dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

void *host_find_in_libraries(const struct job *job, const char *name)
{
    const char *strings = NULL;
    const Elf64_Dyn *first = dynamic_of(job, &strings);
    void *found = NULL;

    for (const Elf64_Dyn *d = first; found == NULL && d != NULL && d->d_tag != DT_NULL; d++) {
        void *library = d->d_tag == DT_NEEDED
                            ? open_library(folders_of(first, strings), strings + d->d_un.d_val)
                            : NULL;

        found = library != NULL ? dlsym(library, name) : NULL;
    }
    return found;
}

bool host_has_own_libraries(const struct job *job)
{
    const char *strings = NULL, *folders;
    const Elf64_Dyn *first = dynamic_of(job, &strings);

    folders = folders_of(first, strings);
    for (const Elf64_Dyn *d = first; d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && !load_from_system(strings + d->d_un.d_val, folders))
            return true;
    return own_library(job->last_before->l_next) != NULL;
}

void host_each_own_library(const struct job *job, void (*f)(const char *path, void *arg), void *arg)
{
    const char *strings = NULL;
    const Elf64_Dyn *first = dynamic_of(job, &strings);
    const struct link_map *map = job->last_before;

    for (const Elf64_Dyn *d = first; d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED)
            open_library(folders_of(first, strings), strings + d->d_un.d_val);
    while ((map = own_library(map->l_next)) != NULL)
        f(map->l_name, arg);
}

void host_name_shared(const struct job *job)
{
    const struct link_map *map = job->last_before;

    while ((map = own_library(map->l_next)) != NULL)
        fprintf(stderr, "logp: all ranks share the globals of %s\n", map->l_name);
}
