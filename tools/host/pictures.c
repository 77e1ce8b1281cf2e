/* SPDX-License-Identifier: MIT */
/*
 * The pictures that there are, and addresses in them and in their clones. The loader does not know clones. The unwinder asks
 * _dl_find_object() and dl_iterate_phdr(); those of this library replace the C library's, and know them.
 */
#include "picture.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

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

const struct object *host_object_at(const struct picture *p, uintptr_t offset)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (offset - p->objects[i].offset < p->objects[i].bytes)
            return &p->objects[i];
    return NULL;
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
