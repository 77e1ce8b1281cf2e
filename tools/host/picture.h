/* SPDX-License-Identifier: MIT */
/*
 * Pictures: an executable, or a plug-in, with the libraries of which each rank has a copy, as the loader has them. Nothing ever
 * runs in a picture. A clone is one rank's copy.
 */
#ifndef LOGP_HOST_PICTURE_H
#define LOGP_HOST_PICTURE_H

#include "host.h"

/* An executable or a library. Addresses are offsets from its start, but for its base. */
struct object {
    const char *path; /* for reports */
    const struct link_map *map;
    uintptr_t base;   /* in memory: of the picture's */
    uintptr_t offset; /* in a clone */
    size_t bytes, align;
    uintptr_t writable; /* its first page that can be written; the others follow */
    uintptr_t frames;   /* the table of the unwinder; 0: there is none */
    const Elf64_Phdr *segments;
    int n_segments;
    size_t module; /* of the loader, for its thread-local variables */
    struct own_functions constructors, destructors;
};

/* An address in a clone that is moved with another address: both as offsets in clones of the same rank. */
struct moved {
    uintptr_t at, target;
    const struct picture *in; /* where the target is */
};

/* The place of an address that a rank gets from this library and not from the loader. */
struct named_place {
    const char *name;
    uintptr_t at, addend;
};

struct picture {
    const struct picture *next;    /* the one before it */
    const struct picture *program; /* of the executable; a plug-in has another one */
    const struct job *job;
    struct object *objects; /* the first one is the executable or the plug-in */
    size_t n_objects;
    size_t *order;               /* in which constructors run; n_objects numbers */
    size_t bytes, stride, align; /* of a clone; between clones */
    int file;
    struct moved *moved;
    size_t n_moved;
    struct named_place *named;
    size_t n_named;
    uintptr_t clones; /* the first one */
    int n_clones;
    atomic_bool *is_made; /* of each; and whether its constructors have been called, by its rank */
    bool *is_begun;
};

/* carrier.c: load these objects, which are looked for in these folders first. relocated: is called before
 * a constructor runs, with the carrier's name in path. @return false: dlerror() has the reason */
bool host_load_carrier(const char *const *needed, const char *folders, uintptr_t (*relocated)(void),
                       char path[static 64]);

/* picture.c */
struct picture_failure {
    bool is_loaded; /* false: dlerror() has the reason */
    bool is_begun;  /* the loader does not call its constructors any more */
    const char
        *library; /* that another program has a picture of; NULL: the object is not suitable */
};
/* needed: as above, the last one is the first object. replaced: host_replaced_function(). @return NULL: it fails */
struct picture *host_load_picture(const struct job *job, const char *const *needed,
                                  void *(*replaced)(const char *name),
                                  struct picture_failure *failure);
/* pictures.c */
/* The newest picture; each leads to an older one. */
const struct picture *host_pictures(void);
void host_add_picture(struct picture *p);
/* Which object of a picture this offset in a clone is in. NULL: none */
const struct object *host_object_at(const struct picture *p, uintptr_t offset);
/* The picture that has this address; *offset is in a clone. NULL: none */
const struct picture *host_picture_of(uintptr_t address, uintptr_t *offset);
/* Where the clone of a rank is, made or not. */
uintptr_t host_clone_of(const struct picture *p, int rank);
/* The address in the picture of one in a clone, and that in this rank's clone of one in a picture. Others stay as they are. */
uintptr_t host_in_picture(uintptr_t address);
uintptr_t host_in_clone(uintptr_t address, int rank);

/* clone.c: @return its base; 0: there is no memory */
uintptr_t host_make_clone_of(const struct picture *p, const struct host_rank *h);
/* Call the constructors, and the destructors, if that has not been done. */
void host_begin_clone(const struct picture *p, const struct host_rank *h);
void host_end_clone(const struct picture *p, const struct host_rank *h);
/* Of an object at this base. */
void host_construct(const struct own_functions *f, uintptr_t base, const struct host_rank *h);
void host_destroy(const struct own_functions *f, uintptr_t base);
/* The next run of this rank makes its clones again. */
void host_drop_clones(const struct host_rank *h);
/* Whether each rank has a variable of this name of its own; and where. NULL: that of the process */
bool host_is_own_of_rank(const char *name);
void *host_own_address(const struct host_rank *h, const char *name);

/* locals.c: those of a rank's clone. @return false: there is no memory */
bool host_begin_locals_of(const struct picture *p, const struct host_rank *h, bool is_own_thread);
/* libraries.c: a file in memory with the executable, without the folders that it names. -1: there is none */
int host_make_picture_file(const struct job *job);
bool host_is_shared_by_design(const char *path);
/* libraries.c: whether all ranks share the library of this name or path */
bool host_is_shared(const struct job *job, const char *path);
/* Load those first that are shared, and would otherwise find symbols of a picture. */
void host_load_shared(void);
/* The folders that the executable names, without $ORIGIN; and those before them. */
void host_folders(const struct job *job, char *text, size_t size);

/* plugin.c: the function that a rank calls in place of one of the loader; NULL: it is not one of these */
void *host_replaced_function(const char *name);

#endif
