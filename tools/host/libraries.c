/* SPDX-License-Identifier: MIT */
/*
 * The program's own shared libraries. They are loaded once, so all ranks share their globals; a
 * note at the start reports this. A path relative to the executable ($ORIGIN) would be relative to
 * the copies in memory: such libraries are loaded before the first copy, which then finds them by
 * their name.
 */
#include "host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* Whether a library is the program's own. The system's libraries are made to be shared. */
static bool is_own(const char *path)
{
    static const char *const others[] = {"/lib", "/usr/", "/proc/"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strncmp(path, others[i], strlen(others[i])) == 0)
            return false;
    return strchr(path, '/') != NULL;
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

/* ---- OpenMP ---- */

enum { MOST_FILES = 64 }; /* own libraries of a program in which it is looked for */

struct openmp_search {
    char *name; /* of the OpenMP library, once it is found */
    size_t size;
    int n;
    struct {
        dev_t device;
        ino_t file;
    } seen[MOST_FILES];
};

/* Map a file that has not been looked at, if it is an executable or a library. @return false: it is none */
static bool open_unseen(struct openmp_search *s, const char *path, struct job *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO does not block */
    struct stat st = {0};
    bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && s->n < MOST_FILES &&
                (size_t)st.st_size >= sizeof(Elf64_Ehdr);

    for (int i = 0; good && i < s->n; i++)
        good = s->seen[i].device != st.st_dev || s->seen[i].file != st.st_ino;
    if (good) {
        s->seen[s->n].device = st.st_dev;
        s->seen[s->n++].file = st.st_ino;
        *out = (struct job){.path = path, .file_bytes = (size_t)st.st_size};
        out->file = mmap(NULL, out->file_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        good = out->file != MAP_FAILED;
    }
    if (fd >= 0)
        host_close(fd);
    if (!good)
        return false;
    if (memcmp(out->file, ELFMAG, SELFMAG) == 0 && out->file[EI_CLASS] == ELFCLASS64 &&
        host_file_is_whole(out))
        return true;
    munmap(out->file, out->file_bytes);
    return false;
}

static bool is_openmp(const char *library)
{
    return begins(library, "libgomp.so") || begins(library, "libomp.so") ||
           begins(library, "libiomp5.so");
}

/* The first file of this name in folders separated by ':'; $ORIGIN is that of the file that names them. */
static bool find_in(const char *folders, const char *origin, const char *name, char *path,
                    size_t size)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};

    for (const char *end; folders != NULL && *folders != '\0'; folders = end + (*end == ':')) {
        const char *from = "";

        end = folders + strcspn(folders, ":");
        for (int i = 0; i < 2; i++)
            if (begins(folders, words[i])) {
                from = origin;
                folders += strlen(words[i]);
            }
        snprintf(path, size, "%s%.*s/%s", from, (int)(end - folders), folders, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static bool needs_openmp(struct openmp_search *s, const char *path)
{
    const char *strings = NULL, *folders;
    char origin[PATH_MAX], library[2 * PATH_MAX];
    const Elf64_Dyn *first;
    bool found = false;
    struct job file;

    if (realpath(path, origin) == NULL || !open_unseen(s, origin, &file))
        return false;
    first = dynamic_of(&file, &strings);
    folders = folders_of(first, strings);
    *strrchr(origin, '/') = '\0';
    for (const Elf64_Dyn *d = first; d != NULL && d->d_tag != DT_NULL && !found; d++) {
        const char *name = d->d_tag == DT_NEEDED ? strings + d->d_un.d_val : "";

        found = is_openmp(name);
        if (found)
            snprintf(s->name, s->size, "%s", name);
        else if (*name != '\0' &&
                 (find_in(folders, origin, name, library, sizeof(library)) ||
                  find_in(getenv("LD_LIBRARY_PATH"), "", name, library, sizeof(library))))
            found = is_own(library) && needs_openmp(s, library);
    }
    munmap(file.file, file.file_bytes);
    return found;
}

bool host_find_openmp(const char *path, char *name, size_t size)
{
    struct openmp_search s = {.name = name, .size = size};

    return needs_openmp(&s, path);
}

void host_name_shared(const struct job *job)
{
    const struct link_map *map = job->last_before;

    while ((map = own_library(map->l_next)) != NULL)
        fprintf(stderr, "logp: all ranks share the globals of %s\n", map->l_name);
}
