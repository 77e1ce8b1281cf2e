/* SPDX-License-Identifier: MIT */
/*
 * Clones of a program and of its libraries. The loader takes longer for each image the more it has loaded, and five
 * mappings for each. So it loads one of each object, the picture, in which nothing ever runs (picture.c). A clone is two
 * mappings of an object's bytes, one that can be executed and one that can be written, and the
 * addresses in it are moved by the distance to the picture.
 *
 * The loader does not know clones. The unwinder asks _dl_find_object() and dl_iterate_phdr(); those
 * of this library replace the C library's. What clones themselves ask the loader, this library answers (plugin.c).
 */
#include "picture.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Newest first. A picture stays for ever. */
static struct picture *_Atomic pictures;

const struct picture *host_pictures(void)
{
    /* acquire pairs with the release in host_add_picture() */
    return atomic_load_explicit(&pictures, memory_order_acquire);
}

void host_add_picture(struct picture *p)
{
    p->next = host_pictures();
    atomic_store_explicit(&pictures, p, memory_order_release);
}

/* ---- addresses ---- */

const struct picture *host_picture_of(uintptr_t address, uintptr_t *offset)
{
    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        for (size_t i = 0; i < p->n_objects; i++)
            if (address - p->objects[i].base < p->objects[i].bytes) {
                *offset = address - p->objects[i].base + p->objects[i].offset;
                return p;
            }
    return NULL;
}

/* The picture of the clone that this address is in, and the clone's base. NULL: it is in none */
static const struct picture *find_clone(uintptr_t address, uintptr_t *base)
{
    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        if (address - p->clones < (uintptr_t)p->n_clones * p->stride) {
            *base = address - (address - p->clones) % p->stride;
            return p;
        }
    return NULL;
}

uintptr_t host_clone_of(const struct picture *p, int rank)
{
    return p->clones + (uintptr_t)rank * p->stride;
}

uintptr_t host_in_picture(uintptr_t address)
{
    uintptr_t base;
    const struct picture *p = find_clone(address, &base);
    const struct object *o = p != NULL ? host_object_at(p, address - base) : NULL;

    return o != NULL ? address - base - o->offset + o->base : address;
}

uintptr_t host_in_clone(uintptr_t address, int rank)
{
    uintptr_t offset;
    const struct picture *p = host_picture_of(address, &offset);

    return p != NULL ? host_clone_of(p, rank) + offset : address;
}

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

/* Those of a picture: what is needed comes first. */
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

/* ---- the unwinder ---- */

typedef int phdr_callback(struct dl_phdr_info *info, size_t size, void *data);

static int (*next_iterate)(phdr_callback *callback, void *data);
#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 */
static int (*next_find)(void *address, struct dl_find_object *result);
#endif

/* Before a rank can crash: dlsym() is not for signal handlers. */
static __attribute__((constructor)) void find_next(void)
{
    void *f = host_next_of("dl_iterate_phdr");

    memcpy(&next_iterate, &f, sizeof(f));
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    f = host_next_of("_dl_find_object");
    memcpy(&next_find, &f, sizeof(f));
#endif
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
EXPORT int _dl_find_object(void *address, struct dl_find_object *result)
{
    uintptr_t base;
    const struct picture *p = find_clone((uintptr_t)address, &base);
    const struct object *o = p != NULL ? host_object_at(p, (uintptr_t)address - base) : NULL;

    if (p == NULL) {
        if (next_find == NULL)
            find_next();
        return next_find(address, result);
    }
    if (o == NULL)
        return -1;
    base += o->offset;
    *result = (struct dl_find_object){.dlfo_map_start = (void *)base,
                                      .dlfo_map_end = (void *)(base + o->bytes),
                                      .dlfo_link_map = (struct link_map *)o->map,
                                      .dlfo_eh_frame =
                                          o->frames != 0 ? (void *)(base + o->frames) : NULL};
    return 0;
}
#endif

static int iterate_objects(const struct picture *p, int rank, phdr_callback *callback, void *data)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < p->n_objects; i++) {
        const struct object *o = &p->objects[i];
        struct dl_phdr_info info = {.dlpi_addr = host_clone_of(p, rank) + o->offset,
                                    .dlpi_name = o->path,
                                    .dlpi_phdr = o->segments,
                                    .dlpi_phnum = (Elf64_Half)o->n_segments};

        rc = callback(&info, sizeof(info), data);
    }
    return rc;
}

EXPORT int dl_iterate_phdr(phdr_callback *callback, void *data)
{
    int rc;

    if (next_iterate == NULL)
        find_next();
    rc = next_iterate(callback, data);
    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        for (int i = 0; rc == 0 && i < p->n_clones; i++)
            /* acquire pairs with the release in host_make_clone_of() */
            if (atomic_load_explicit(&p->is_made[i], memory_order_acquire))
                rc = iterate_objects(p, i, callback, data);
    return rc;
}
