/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables, of which each rank has its own. A library's belong to its picture, and the loader gives
 * them to each thread. The code of an executable that was linked as one expects its own next to the
 * thread's data, where the first library that has any has its own. That library is the one that the
 * command has made for it (tools/commands/locals.c). Ranks that share a thread take turns with the bytes of both
 * (logp_vp_keep()).
 */
#include "picture.h"

#include <link.h>
#include <string.h>

static const Elf64_Phdr *variables_in(const Elf64_Phdr *p, int n)
{
    for (int i = 0; i < n; i++)
        if (p[i].p_type == PT_TLS && p[i].p_memsz > 0)
            return &p[i];
    return NULL;
}

static const Elf64_Phdr *variables_of(const struct job *job)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)job->file;

    return variables_in((const Elf64_Phdr *)(job->file + e->e_phoff), e->e_phnum);
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
    const uintptr_t at = found(job);

    return at != 0 && at == expected(variables_of(job));
}

/* ---- of a rank ---- */

struct aside {
    struct logp_attached attached;
    struct logp_kept kept;
    char bytes[];
};

static void end_aside(struct logp_attached *attached)
{
    free(attached);
}

/* They begin with the values of the rank's copy, and are the rank's while it has this thread. */
static bool begin(const struct host_rank *h, const Elf64_Phdr *v, char *at, const char *initial,
                  bool is_own_thread)
{
    struct aside *a;

    memcpy(at, initial, v->p_filesz);
    memset(at + v->p_filesz, 0, v->p_memsz - v->p_filesz);
    if (!is_own_thread)
        return true;
    a = calloc(1, sizeof(*a) + v->p_memsz);
    if (a == NULL)
        return false;
    a->attached = (struct logp_attached){.key = at, .end = end_aside};
    a->kept = (struct logp_kept){at, a->bytes, v->p_memsz, NULL};
    if (logp_vp_attach(h->vp, &a->attached) != 0) {
        free(a);
        return false;
    }
    logp_vp_keep(h->vp, &a->kept);
    return true;
}

/* Those of the calling thread; it has none before this. */
static char *of_module(size_t module)
{
    extern void *__tls_get_addr(size_t * module_and_offset);
    size_t words[2] = {module, 0};

    return __tls_get_addr(words);
}

bool host_begin_locals_of(const struct picture *p, const struct host_rank *h, bool is_own_thread)
{
    const bool is_linked = h->job->locals != NULL && *h->job->locals != '\0';

    for (size_t i = 0; i < p->n_objects; i++) {
        const struct object *o = &p->objects[i];
        const Elf64_Phdr *v = variables_in(o->segments, o->n_segments);
        const uintptr_t base = host_clone_of(p, (int)(h - the_job->hosts)) + o->offset;
        char *at;

        if (v == NULL)
            continue;
        at = i == 0 && p == h->job->picture && is_linked ? (char *)expected(v)
                                                         : of_module(o->module);
        if (!begin(h, v, at, (const char *)base + v->p_vaddr, is_own_thread))
            return false;
    }
    return true;
}

bool host_begin_locals(const struct host_rank *h)
{
    const Elf64_Phdr *v = variables_of(h->job);

    if (h->job->picture != NULL)
        return host_begin_locals_of(h->job->picture, h, true);
    if (v != NULL && h->job->locals != NULL && *h->job->locals != '\0')
        return begin(h, v, (char *)expected(v), (const char *)h->base + v->p_vaddr, true);
    return true;
}

void host_begin_locals_of_thread(const struct host_rank *h)
{
    const int rank = (int)(h - the_job->hosts);

    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        /* acquire pairs with the release in host_make_clone_of() */
        if (atomic_load_explicit(&p->is_made[rank], memory_order_acquire))
            host_begin_locals_of(p, h, false);
}
