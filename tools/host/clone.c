/* SPDX-License-Identifier: MIT */
/*
 * Clones of a program and of its libraries. The loader takes longer for each image the more it has loaded, and five
 * mappings for each. So it loads one of each object, the picture, in which nothing ever runs (picture.c). A clone is two
 * mappings of an object's bytes, one that can be executed and one that can be written, and the
 * addresses in it are moved by the distance to the picture.
 *
 * The loader does not know clones (pictures.c, plugin.c).
 */
#include "picture.h"

#include <string.h>
#include <sys/mman.h>

/* ---- a clone ---- */

static bool map_object(const struct picture *p, const struct object *o, uintptr_t base)
{
    return mmap((void *)(base + o->offset), o->writable, PROT_READ | PROT_EXEC,
                MAP_PRIVATE | MAP_FIXED, p->file, (off_t)o->offset) != MAP_FAILED &&
           (o->writable == o->bytes ||
            mmap((void *)(base + o->offset + o->writable), o->bytes - o->writable,
                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, p->file,
                 (off_t)(o->offset + o->writable)) != MAP_FAILED);
}

bool host_is_own_of_rank(const char *name)
{
    return host_is_variable(name) || host_is_stream(name);
}

void *host_own_address(const struct host_rank *h, const char *name)
{
    void *address = host_variable_of(h, name);

    return address != NULL ? address : host_stream_of(h, name);
}

/* The variables of the C library that the rank has for itself. */
static void write_variables(const struct picture *p, uintptr_t base, const struct host_rank *h)
{
    for (size_t i = 0; i < p->n_named; i++) {
        uintptr_t address = (uintptr_t)host_own_address(h, p->named[i].name);

        if (address == 0)
            continue;
        address += p->named[i].addend;
        memcpy((char *)(base + p->named[i].at), &address, sizeof(address));
    }
}

/* Almost all objects write a byte at the start of their zeros (a flag of the constructors that gcc adds), after they have read it. A page
 * that is read first is changed by two faults, and the second one interrupts the other cores. */
static void touch(const struct object *o, uintptr_t base)
{
    for (int i = 0; i < o->n_segments; i++) {
        const Elf64_Phdr *s = &o->segments[i];

        if (s->p_type == PT_LOAD && s->p_memsz > s->p_filesz)
            *(volatile char *)(base + o->offset + s->p_vaddr + s->p_filesz) = 0;
    }
}

uintptr_t host_make_clone_of(const struct picture *p, const struct host_rank *h)
{
    const int rank = (int)(h - the_job->hosts);
    const uintptr_t base = host_clone_of(p, rank);

    for (size_t i = 0; i < p->n_objects; i++)
        if (!map_object(p, &p->objects[i], base))
            return 0;
    for (size_t i = 0; i < p->n_moved; i++) {
        const uintptr_t address = host_clone_of(p->moved[i].in, rank) + p->moved[i].target;

        memcpy((char *)(base + p->moved[i].at), &address, sizeof(address));
    }
    write_variables(p, base, h);
    for (size_t i = 0; i < p->n_objects; i++)
        touch(&p->objects[i], base);
    p->is_begun[rank] = false;
    /* release pairs with the acquire in dl_iterate_phdr(): the clone can be read */
    atomic_store_explicit(&p->is_made[rank], true, memory_order_release);
    return base;
}

/* ---- constructors and destructors ---- */

typedef void constructor(int argc, char **argv, char **env);
typedef void destructor(void);

void host_construct(const struct own_functions *f, uintptr_t base, const struct host_rank *h)
{
    char **environment = *host_environment_of(h->job, h);

    if (f->one != 0)
        ((constructor *)(base + f->one))(h->job->argc, h->job->argv, environment);
    for (size_t i = 0; i < f->array_bytes / sizeof(constructor *); i++)
        ((constructor **)(base + f->array))[i](h->job->argc, h->job->argv, environment);
}

void host_destroy(const struct own_functions *f, uintptr_t base)
{
    for (size_t i = f->array_bytes / sizeof(destructor *); i-- > 0;)
        ((destructor **)(base + f->array))[i]();
    if (f->one != 0)
        ((destructor *)(base + f->one))();
}

/* Those of a picture: an object comes after those that it needs. */
void host_begin_clone(const struct picture *p, const struct host_rank *h)
{
    const int rank = (int)(h - the_job->hosts);

    if (p->is_begun[rank])
        return;
    p->is_begun[rank] = true; /* a constructor may open its own library */
    for (size_t i = 0; i < p->n_objects; i++) {
        const struct object *o = &p->objects[p->order[i]];

        host_construct(&o->constructors, host_clone_of(p, rank) + o->offset, h);
    }
}

void host_end_clone(const struct picture *p, const struct host_rank *h)
{
    const int rank = (int)(h - the_job->hosts);

    if (!p->is_begun[rank])
        return;
    p->is_begun[rank] = false;
    for (size_t i = p->n_objects; i-- > 0;) {
        const struct object *o = &p->objects[p->order[i]];

        host_destroy(&o->destructors, host_clone_of(p, rank) + o->offset);
    }
}

/* The next run of this rank makes its clones again. */
void host_drop_clones(const struct host_rank *h)
{
    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        atomic_store_explicit(&p->is_made[h - the_job->hosts], false, memory_order_relaxed);
}
