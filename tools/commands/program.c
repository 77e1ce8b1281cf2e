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

/* A string of the dynamic section, whose strings are at this address; NULL: it is not in the file. */
static const char *string(const struct image *f, uint64_t strings, uint64_t offset)
{
    const Elf64_Phdr *s;

    for (size_t i = 0; (s = segment(f, i)) != NULL; i++)
        if (s->p_type == PT_LOAD && strings - s->p_vaddr < s->p_filesz) {
            const uint64_t begin = s->p_offset + (strings - s->p_vaddr) + offset;

            return begin < f->n && memchr(f->bytes + begin, '\0', f->n - begin) != NULL
                       ? f->bytes + begin
                       : NULL;
        }
    return NULL;
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

bool program_needs(const char *path, const char *library, char *found, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    struct image f = {0};
    bool result = false;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            f = (struct image){bytes, (size_t)st.st_size};
            result = needs(&f, library, found, size);
            munmap(bytes, f.n);
        }
    }
    if (fd >= 0)
        close(fd);
    return result;
}
