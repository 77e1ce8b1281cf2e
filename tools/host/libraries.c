/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries: which of them all ranks share, and where they are. Where the loader makes the copies of the executable,
 * libraries are loaded once, so all ranks share their globals; a
 * note at the start reports this. A path relative to the executable ($ORIGIN) would be relative to
 * the copies in memory: such libraries are loaded before the first copy, which then finds them by
 * their name.
 */
#include "picture.h"

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
    if (the_guest.library == NULL || folders == NULL || dladdr(&the_job, &library) == 0 ||
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

/* The name of a library in this path. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Whether the library of this path is the one that a user names: libx.so.1, libx or a path. */
static bool is_named(const char *path, const char *name)
{
    const char *file = file_name(path);
    const size_t length = strlen(name);

    return strcmp(path, name) == 0 || strcmp(file, name) == 0 ||
           (strncmp(file, name, length) == 0 && begins(file + length, ".so"));
}

static bool is_listed(const char *path, const char *const *names)
{
    for (; names != NULL && *names != NULL; names++)
        if (is_named(path, *names))
            return true;
    return false;
}

/* Libraries that are made for all threads of a process, or whose state is that of the process. */
bool host_is_shared_by_design(const char *path)
{
    static const char *const all[] = {
        "libc.",      "libm.",      "libmvec.", "libpthread.", "libdl.",       "librt.",
        "libutil.",   "libresolv.", "libanl.",  "libnss_",     "ld-linux",     "linux-vdso",
        "libstdc++.", "libgcc_s.",  "libc++.",  "libc++abi.",  "libunwind.",   "libatomic.",
        "libasan.",   "libubsan.",  "liblsan.", "libtsan.",    "libclang_rt.", "liblogp.",
        "libsqlite3." /* it has an account of the locks of its process */};
    const char *file = file_name(path);

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (begins(file, all[i]))
            return true;
    return begins(file, the_guest.own_libraries);
}

bool host_is_shared(const struct job *job, const char *path)
{
    return host_is_shared_by_design(path) ||
           (is_listed(path, job->shared) && !is_listed(path, job->own));
}

void host_load_shared(void)
{
    dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
}

/* Put this text behind another, as far as it fits. */
static void append(char *text, size_t size, const char *more, size_t length)
{
    const size_t has = strlen(text);

    if (has + length < size)
        snprintf(text + has, size - has, "%.*s", (int)length, more);
}

void host_folders(const struct job *job, char *text, size_t size)
{
    const char *strings = NULL, *folders;
    const Elf64_Dyn *first = dynamic_of(job, &strings);
    const char *path = getenv("LD_LIBRARY_PATH");
    char origin[PATH_MAX], *slash;

    *text = '\0';
    folders = folders_of(first, strings);
    if (folders == NULL || realpath(job->path, origin) == NULL)
        return;
    slash = strrchr(origin, '/');
    *slash = '\0';
    if (path != NULL && *path != '\0') { /* before those of DT_RUNPATH */
        append(text, size, path, strlen(path));
        append(text, size, ":", 1);
    }
    while (*folders != '\0') {
        const size_t word = begins(folders, "$ORIGIN")     ? strlen("$ORIGIN")
                            : begins(folders, "${ORIGIN}") ? strlen("${ORIGIN}")
                                                           : 0;

        if (word > 0)
            append(text, size, origin, strlen(origin));
        else
            append(text, size, folders, 1);
        folders += word > 0 ? word : 1;
    }
}

int host_make_picture_file(const struct job *job)
{
    const char *strings = NULL;
    Elf64_Dyn *folders[2] = {NULL};
    int file, n = 0;

    /* the carrier has the folders: $ORIGIN is not that of a file in memory */
    for (const Elf64_Dyn *d = dynamic_of(job, &strings); d != NULL && d->d_tag != DT_NULL; d++)
        if ((d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH) && n < 2)
            folders[n++] = (Elf64_Dyn *)(job->file + ((const char *)d - job->file));
    for (int i = 0; i < n; i++)
        folders[i]->d_tag = DT_LOOS + folders[i]->d_tag;
    file = host_file_of(job->file, job->file_bytes, "executable");
    for (int i = 0; i < n; i++)
        folders[i]->d_tag -= DT_LOOS;
    return file;
}

/* The first library that is loaded and has this name; NULL: none. */
static const struct link_map *loaded_library(const char *name)
{
    const struct link_map *map = _r_debug.r_map;

    while (map != NULL && !is_named(map->l_name, name))
        map = map->l_next;
    return map;
}

static bool is_in_picture(const struct link_map *map)
{
    uintptr_t offset;

    return host_picture_of((uintptr_t)map->l_ld, &offset) != NULL;
}

void host_name_shared(const struct job *job)
{
    const struct link_map *map = job->verbose ? _r_debug.r_map->l_next : job->last_before->l_next;

    for (; map != NULL; map = map->l_next)
        if (strchr(map->l_name, '/') != NULL && !begins(map->l_name, "/proc/") &&
            !is_in_picture(map) && (job->verbose || is_own(map->l_name)))
            fprintf(stderr, "logp: all ranks share the globals of %s\n", map->l_name);
}

bool host_libraries_are_known(const struct job *job)
{
    bool may_open = false;

    for (const struct job *j = job; j != NULL; j = j->next)
        may_open = may_open || host_symbol_of(j, "dlopen") != NULL;
    for (int i = 0; i < 2; i++)
        for (const char *const *name = i == 0 ? job->shared : job->own;
             name != NULL && *name != NULL; name++) {
            const struct link_map *map = loaded_library(*name);
            const char *option = i == 0 ? "share" : "private";

            if (map == NULL && !may_open) {
                fprintf(stderr,
                        "logp: --%s %s: the program does not load such a library; type ldd %s\n",
                        option, *name, job->path);
                return false;
            }
            if (map != NULL && i == 1 && !is_in_picture(map)) {
                fprintf(stderr, "logp: --private %s: all ranks share %s; remove the option\n",
                        *name, map->l_name);
                return false;
            }
        }
    return true;
}
