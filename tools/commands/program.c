/* SPDX-License-Identifier: MIT */
/* What the program of logp mpirun needs: read from its file, before this command starts again to load it. */
#include "commands/command.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__aarch64__)
enum { LOOKS_UP = R_AARCH64_TLSDESC };
#else
enum { LOOKS_UP = R_X86_64_DTPMOD64 };
#endif

const char *find_program(const char *name, char *path, size_t size)
{
    const char *folders = getenv("PATH");

    if (strchr(name, '/') != NULL || folders == NULL || access(name, X_OK) == 0)
        return name;
    for (const char *from = folders; *from != '\0'; from += strcspn(from, ":")) {
        from += *from == ':';
        snprintf(path, size, "%.*s/%s", (int)strcspn(from, ":"), from, name);
        if (access(path, X_OK) == 0)
            return path;
    }
    return name;
}

/* A file in memory, which may be anything. */
struct image {
    const char *bytes;
    size_t n;
};

/* n bytes at this offset; NULL: the file does not have them. */
static const void *at(const struct image *f, uint64_t offset, uint64_t n)
{
    return offset <= f->n && n <= f->n - offset ? f->bytes + offset : NULL;
}

/* The i-th segment; NULL: there are no more. */
static const Elf64_Phdr *segment(const struct image *f, size_t i)
{
    const Elf64_Ehdr *e = at(f, 0, sizeof(*e));

    if (e == NULL || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
        e->e_ident[EI_CLASS] != ELFCLASS64 || i >= e->e_phnum)
        return NULL;
    return at(f, e->e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
}

/* Where in the file this address is; UINT64_MAX: nowhere */
static uint64_t offset_of(const struct image *f, uint64_t address)
{
    const Elf64_Phdr *s;

    for (size_t i = 0; (s = segment(f, i)) != NULL; i++)
        if (s->p_type == PT_LOAD && address - s->p_vaddr < s->p_filesz)
            return s->p_offset + (address - s->p_vaddr);
    return UINT64_MAX;
}

/* A string of the dynamic section, whose strings are at this address; NULL: it is not in the file. */
static const char *string(const struct image *f, uint64_t strings, uint64_t offset)
{
    const uint64_t table = offset_of(f, strings), begin = table + offset;

    return table < f->n && begin < f->n && memchr(f->bytes + begin, '\0', f->n - begin) != NULL
               ? f->bytes + begin
               : NULL;
}

static const Elf64_Dyn *dynamic_section(const struct image *f, size_t *n)
{
    const Elf64_Phdr *s;

    for (size_t i = 0; (s = segment(f, i)) != NULL; i++)
        if (s->p_type == PT_DYNAMIC) {
            *n = s->p_filesz / sizeof(Elf64_Dyn);
            return at(f, s->p_offset, s->p_filesz);
        }
    return NULL;
}

/* The value of the first entry of this tag, from *i on; 0: there are no more. */
static uint64_t next_entry(const Elf64_Dyn *d, size_t n, Elf64_Sxword tag, size_t *i)
{
    while (*i < n && d[*i].d_tag != tag && d[*i].d_tag != DT_NULL)
        (*i)++;
    return *i < n && d[*i].d_tag == tag ? d[(*i)++].d_un.d_val : 0;
}

/* Its path in one of these folders, separated by ':', or else its name, for the loader to find. */
static void find_in(const char *folders, const char *name, char *path, size_t size)
{
    for (const char *end; folders != NULL && *folders != '\0'; folders = end + (*end == ':')) {
        end = folders + strcspn(folders, ":");
        snprintf(path, size, "%.*s/%s", (int)(end - folders), folders, name);
        if (strpbrk(path, " $") == NULL && access(path, R_OK) == 0)
            return;
    }
    snprintf(path, size, "%s", name);
}

static bool needs(const struct image *f, const char *library, char *found, size_t size)
{
    size_t n = 0, i = 0, at_strings = 0, at_folders = 0;
    const Elf64_Dyn *d = dynamic_section(f, &n);
    const uint64_t strings = d != NULL ? next_entry(d, n, DT_STRTAB, &at_strings) : 0;
    const uint64_t folders = d != NULL ? next_entry(d, n, DT_RUNPATH, &at_folders) : 0;

    for (uint64_t offset; d != NULL && (offset = next_entry(d, n, DT_NEEDED, &i)) != 0;) {
        const char *name = string(f, strings, offset);

        if (name == NULL || strncmp(name, library, strlen(library)) != 0)
            continue;
        find_in(folders != 0 ? string(f, strings, folders) : NULL, name, found, size);
        return true;
    }
    return false;
}

/* @return the file in memory; of no bytes: it cannot be read */
static struct image read_image(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct image f = {0};
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED)
            f = (struct image){bytes, (size_t)st.st_size};
    }
    if (fd >= 0)
        close(fd);
    return f;
}

static void drop_image(const struct image *f)
{
    if (f->n > 0)
        munmap((void *)(uintptr_t)f->bytes, f->n);
}

bool program_needs(const char *path, const char *library, char *found, size_t size)
{
    const struct image f = read_image(path);
    const bool result = needs(&f, library, found, size);

    drop_image(&f);
    return result;
}

/* ---- libraries of its libraries ---- */

/* The search in a program and the libraries of its own, each of which is read once. */
struct own_search {
    const char *const *names; /* how the names begin that are looked for, and NULL */
    char *name, *by;          /* out, and the path of the file that needs it; by: or NULL */
    size_t size, by_size;
    int n_files;
    struct {
        dev_t device;
        ino_t file;
    } files[64];
};

static bool is_seen(struct own_search *s, const char *path)
{
    struct stat st;
    int i = 0;

    if (stat(path, &st) != 0 || s->n_files == sizeof(s->files) / sizeof(s->files[0]))
        return true;
    while (i < s->n_files && (s->files[i].device != st.st_dev || s->files[i].file != st.st_ino))
        i++;
    if (i < s->n_files)
        return true;
    s->files[s->n_files].device = st.st_dev;
    s->files[s->n_files++].file = st.st_ino;
    return false;
}

static bool is_wanted(const struct own_search *s, const char *library)
{
    for (const char *const *name = s->names; *name != NULL; name++)
        if (strncmp(library, *name, strlen(*name)) == 0)
            return true;
    return false;
}

/* Find a library in these folders, in which $ORIGIN is that of the file that names them. */
static bool find_own(const char *folders, const char *origin, const char *name, char *path,
                     size_t size)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};

    for (const char *end; folders != NULL && *folders != '\0'; folders = end + (*end == ':')) {
        const char *from = "";

        end = folders + strcspn(folders, ":");
        for (int i = 0; i < 2; i++)
            if (strncmp(folders, words[i], strlen(words[i])) == 0) {
                from = origin;
                folders += strlen(words[i]);
            }
        snprintf(path, size, "%s%.*s/%s", from, (int)(end - folders), folders, name);
        if (access(path, R_OK) == 0)
            return strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/", 5) != 0;
    }
    return false;
}

/* The folders of an entry of this tag; NULL: there are none. */
static const char *folders_of(const struct image *f, const Elf64_Dyn *d, size_t n, Elf64_Sxword tag)
{
    size_t at_strings = 0, at_folders = 0;
    const uint64_t folders = next_entry(d, n, tag, &at_folders);

    return folders != 0 ? string(f, next_entry(d, n, DT_STRTAB, &at_strings), folders) : NULL;
}

static bool search_own(struct own_search *s, const char *path)
{
    char origin[PATH_MAX], library[2 * PATH_MAX];
    size_t n = 0, i = 0, at_strings = 0;
    const Elf64_Dyn *d;
    struct image f;
    uint64_t strings;
    bool found = false;

    if (realpath(path, origin) == NULL || is_seen(s, origin))
        return false;
    f = read_image(origin);
    d = dynamic_section(&f, &n);
    n = d != NULL ? n : 0;
    strings = next_entry(d, n, DT_STRTAB, &at_strings);
    *strrchr(origin, '/') = '\0';
    for (uint64_t offset; !found && (offset = next_entry(d, n, DT_NEEDED, &i)) != 0;) {
        const char *name = string(&f, strings, offset);

        found = name != NULL && is_wanted(s, name);
        if (found)
            snprintf(s->name, s->size, "%s", name);
        if (found && s->by != NULL)
            snprintf(s->by, s->by_size, "%s", path);
        else if (name != NULL &&
                 (find_own(folders_of(&f, d, n, DT_RPATH), origin, name, library,
                           sizeof(library)) ||
                  find_own(getenv("LD_LIBRARY_PATH"), "", name, library, sizeof(library)) ||
                  find_own(folders_of(&f, d, n, DT_RUNPATH), origin, name, library,
                           sizeof(library))))
            found = search_own(s, library);
    }
    drop_image(&f);
    return found;
}

bool program_needs_openmp(const char *path, char *name, size_t size)
{
    static const char *const names[] = {"libgomp.so", "libomp.so", "libiomp5.so", NULL};
    struct own_search s = {.names = names, .name = name, .size = size};

    return search_own(&s, path);
}

bool program_or_library_needs(const char *path, const char *const *names, char *by, size_t size)
{
    char name[PATH_MAX];
    struct own_search s = {
        .names = names, .name = name, .size = sizeof(name), .by = by, .by_size = size};

    return search_own(&s, path);
}

/* ---- thread-local variables ---- */

/* Whether it looks up its variables: a driver has linked it as a library. */
static bool looks_up(const struct image *f)
{
    size_t n = 0, at_table = 0, at_bytes = 0;
    const Elf64_Dyn *d = dynamic_section(f, &n);
    const uint64_t table = d != NULL ? next_entry(d, n, DT_RELA, &at_table) : 0;
    const uint64_t bytes = d != NULL ? next_entry(d, n, DT_RELASZ, &at_bytes) : 0;
    const Elf64_Rela *r = bytes > 0 ? at(f, offset_of(f, table), bytes) : NULL;

    for (size_t i = 0; r != NULL && i < bytes / sizeof(*r); i++)
        if (ELF64_R_TYPE(r[i].r_info) == LOOKS_UP)
            return true;
    return false;
}

bool program_thread_locals(const char *path, struct thread_locals *out)
{
    enum { MOST_ALIGN = 4096, MOST_BYTES = 1 << 24 };
    const struct image f = read_image(path);
    const Elf64_Phdr *s;
    bool found = false;

    for (size_t i = 0; !found && (s = segment(&f, i)) != NULL; i++) {
        const void *initial = s->p_type == PT_TLS ? at(&f, s->p_offset, s->p_filesz) : NULL;
        const uint64_t align = s->p_align > 0 ? s->p_align : 1;

        if (initial == NULL || align > MOST_ALIGN || s->p_memsz > MOST_BYTES ||
            s->p_filesz > s->p_memsz || s->p_memsz == 0 || looks_up(&f))
            continue;
        *out = (struct thread_locals){((const Elf64_Ehdr *)f.bytes)->e_machine,
                                      s->p_vaddr,
                                      s->p_memsz,
                                      s->p_filesz,
                                      align,
                                      malloc(s->p_filesz + 1)};
        found = out->initial != NULL;
        if (found)
            memcpy(out->initial, initial, s->p_filesz);
    }
    drop_image(&f);
    return found;
}
