/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables of an executable that was linked as one: its code expects them next to the
 * thread's own data, where the first library that has any has its own. That library is the one that the
 * command has made for it (tools/commands/locals.c), and a rank that is a thread has its variables there.
 */
#include "host.h"

#include <link.h>
#include <string.h>

static const Elf64_Phdr *variables_of(const struct job *job)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)job->file;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(job->file + e->e_phoff);

    for (int i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_TLS && p[i].p_memsz > 0)
            return &p[i];
    return NULL;
}

/* Where the code of an executable takes its variables of the calling thread to be. */
static uintptr_t expected(const Elf64_Phdr *v)
{
    const uintptr_t align = v->p_align > 0 ? v->p_align : 1;
#if defined(__x86_64__)
    uintptr_t thread;

    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return thread - (v->p_memsz + align - 1) / align * align;
#elif defined(__aarch64__)
    uintptr_t thread;

    __asm__("mrs %0, tpidr_el0" : "=r"(thread));
    return thread + (16 + align - 1) / align * align;
#else
    (void)align;
    return 0;
#endif
}

struct place {
    const char *library;
    uintptr_t at; /* of the calling thread; 0: it is not loaded */
};

static int find_place(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct place *p = arg;

    (void)size;
    if (strcmp(info->dlpi_name, p->library) == 0)
        p->at = (uintptr_t)info->dlpi_tls_data;
    return 0;
}

static uintptr_t found(const struct job *job)
{
    struct place p = {.library = job->locals};

    if (job->locals != NULL && *job->locals != '\0')
        dl_iterate_phdr(find_place, &p);
    return p.at;
}

bool host_has_locals(const struct job *job)
{
    const uintptr_t at = job->names_threads ? found(job) : 0; /* fibers share a thread */

    return at != 0 && at == expected(variables_of(job));
}

void host_begin_locals(const struct job *job, const struct host_rank *host)
{
    const Elf64_Phdr *v = variables_of(job);
    char *at =
        v != NULL && job->locals != NULL && *job->locals != '\0' ? (char *)expected(v) : NULL;

    if (at == NULL)
        return;
    memcpy(at, (const char *)host->base + v->p_vaddr, v->p_filesz);
    memset(at + v->p_filesz, 0, v->p_memsz - v->p_filesz);
}
