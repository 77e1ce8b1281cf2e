/* SPDX-License-Identifier: MIT */
/*
 * Variables of libraries that the executable has copies of (R_*_COPY relocations), as executables
 * compiled with -fPIE have: tables of virtual functions, types, std::cout. The loader fills the copies
 * of a program, but not those of an object that is loaded later, where it finds the copy itself. So
 * they are filled here, before the first constructor of a rank: with the bytes of the rank's own library; those of a shared
 * library, if they are constant; and streams with those of the rank (cxx.c). A program is refused if it has a copy of
 * another variable of a shared library, which the library and the program both write.
 */
#include "picture.h"

#include <dlfcn.h>
#include <string.h>

#if defined(__x86_64__)
enum { COPY = R_X86_64_COPY, NOTHING = R_X86_64_NONE };
#elif defined(__aarch64__)
enum { COPY = R_AARCH64_COPY, NOTHING = R_AARCH64_NONE };
#else
enum { COPY = -1, NOTHING = -1 };
#endif

struct copied {
    const Elf64_Sym *symbol;
    const void *object; /* the library's */
};

/* Whether the library and its users only read the object: what a compiler makes for a class; and all
 * of the standard library but its streams, once these are made. */
static bool is_constant(const char *name, const void *object)
{
    static const char *const tables[] = {"_ZTV", "_ZTI", "_ZTS", "_ZTT"};
    Dl_info library;
    const char *slash;

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (strncmp(name, tables[i], strlen(tables[i])) == 0)
            return true;
    if (dladdr(object, &library) == 0)
        return false;
    slash = strrchr(library.dli_fname, '/');
    return strncmp(slash != NULL ? slash + 1 : library.dli_fname, "libstdc++.", 10) == 0;
}

static bool add_copy(struct job *job, const Elf64_Sym *symbol)
{
    struct copied *more = realloc(job->copies, (job->n_copies + 1) * sizeof(*more));

    if (more == NULL)
        return false;
    job->copies = more;
    job->copies[job->n_copies++] = (struct copied){symbol, NULL};
    return true;
}

/* The copies are among what the loader protects after it has relocated an image. */
static void leave_writable(const struct job *job)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)job->file;
    Elf64_Phdr *p = (Elf64_Phdr *)(job->file + e->e_phoff);

    for (int i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_GNU_RELRO)
            p[i].p_type = PT_NULL;
}

bool host_take_copies(struct job *job)
{
    const Elf64_Shdr *all =
        (const Elf64_Shdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_shoff);
    const Elf64_Shdr *symbols = host_section(job->file, SHT_DYNSYM, NULL), *s = NULL;

    while (symbols != NULL && (s = host_section(job->file, SHT_RELA, s)) != NULL) {
        Elf64_Rela *r = (Elf64_Rela *)(job->file + s->sh_offset);

        if (&all[s->sh_link] != symbols) /* the linker has kept those of the objects */
            continue;
        for (size_t i = 0; i < s->sh_size / sizeof(*r); i++) {
            const Elf64_Sym *symbol =
                (const Elf64_Sym *)(job->file + symbols->sh_offset) + ELF64_R_SYM(r[i].r_info);

            /* variables.c fills stdout and others that all programs have */
            if (ELF64_R_TYPE(r[i].r_info) != (Elf64_Xword)COPY ||
                dlsym(RTLD_DEFAULT, host_symbol_name(job, symbol)) != NULL)
                continue;
            if (!add_copy(job, symbol))
                return false;
            r[i].r_info = ELF64_R_INFO(0, NOTHING);
        }
    }
    if (job->n_copies > 0)
        leave_writable(job);
    return true;
}

/* In a library of which each rank has its own. */
static const void *find_in_picture(const struct picture *p, const char *name)
{
    const void *found = NULL;
    uintptr_t offset;

    for (size_t i = 1; p != NULL && found == NULL && i < p->n_objects; i++) {
        void *library = dlopen(p->objects[i].path, RTLD_LAZY | RTLD_NOLOAD);

        found = library != NULL ? dlsym(library, name) : NULL;
        if (found != NULL && host_picture_of((uintptr_t)found, &offset) != p)
            found = NULL;
    }
    return found;
}

const char *host_find_copied(struct job *job)
{
    for (size_t i = 0; i < job->n_copies; i++) {
        struct copied *c = &job->copies[i];
        const char *name = host_symbol_name(job, c->symbol);

        c->object = find_in_picture(job->picture, name);
        if (c->object != NULL)
            continue;
        c->object = host_find_in_libraries(job, name);
        if (c->object == NULL || !is_constant(name, c->object))
            return name;
    }
    return NULL;
}

/* From the rank's own library, where it has one. */
void host_fill_copies(const struct job *job, const struct host_rank *host)
{
    for (size_t i = 0; i < job->n_copies; i++)
        memcpy((char *)host->base + job->copies[i].symbol->st_value,
               (const void *)host_in_clone((uintptr_t)job->copies[i].object,
                                           (int)(host - the_job->hosts)),
               job->copies[i].symbol->st_size);
}
