/* SPDX-License-Identifier: MIT */
/*
 * A picture: what the loader has loaded and relocated of a program, before anything has run. The addresses within it
 * are at the places that the loader itself has relocated, and are noted with their targets.
 */
#include "picture.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE, INDIRECT = R_X86_64_IRELATIVE };
enum {
    DATA = R_X86_64_GLOB_DAT,
    CALL = R_X86_64_JUMP_SLOT,
    ADDRESS = R_X86_64_64,
    COPY = R_X86_64_COPY
};
static const Elf64_Xword same_for_all[] = {R_X86_64_NONE,    R_X86_64_DTPMOD64, R_X86_64_DTPOFF64,
                                           R_X86_64_TPOFF64, R_X86_64_TLSDESC,  R_X86_64_SIZE64};
#elif defined(__aarch64__)
enum { RELATIVE = R_AARCH64_RELATIVE, INDIRECT = R_AARCH64_IRELATIVE };
enum {
    DATA = R_AARCH64_GLOB_DAT,
    CALL = R_AARCH64_JUMP_SLOT,
    ADDRESS = R_AARCH64_ABS64,
    COPY = R_AARCH64_COPY
};
static const Elf64_Xword same_for_all[] = {R_AARCH64_NONE, R_AARCH64_TLS_DTPMOD,
                                           R_AARCH64_TLS_DTPREL, R_AARCH64_TLS_TPREL,
                                           R_AARCH64_TLSDESC};
#else
enum { RELATIVE = -1, INDIRECT = -2, DATA = -4, CALL = -5, ADDRESS = -6, COPY = -7 };
static const Elf64_Xword same_for_all[] = {0};
#endif

enum { PACKED = 36 /* DT_RELR */, PACKED_BYTES = 35 };

static size_t whole(size_t bytes, size_t of)
{
    return (bytes + of - 1) / of * of;
}

/* ---- objects ---- */

static const Elf64_Dyn *entry_of(const struct link_map *map, Elf64_Sxword tag)
{
    for (const Elf64_Dyn *d = map->l_ld; d != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d;
    return NULL;
}

static size_t value_of(const struct link_map *map, Elf64_Sxword tag)
{
    const Elf64_Dyn *d = entry_of(map, tag);

    return d != NULL ? d->d_un.d_val : 0;
}

/* Some of these the loader has relocated. */
static const void *table_of(const struct link_map *map, Elf64_Sxword tag)
{
    const size_t at = value_of(map, tag);

    return at == 0 ? NULL : (const void *)(at < map->l_addr ? map->l_addr + at : at);
}

static const char *name_in(const struct link_map *map, size_t offset)
{
    return (const char *)table_of(map, DT_STRTAB) + offset;
}

/* Whether an object of this name, which another needs, is this one. */
static bool has_name(const struct link_map *map, const char *name)
{
    const Elf64_Dyn *own = entry_of(map, DT_SONAME);
    const char *slash = strrchr(map->l_name, '/');

    return strcmp(map->l_name, name) == 0 ||
           (own != NULL && strcmp(name_in(map, own->d_un.d_val), name) == 0) ||
           strcmp(slash != NULL ? slash + 1 : map->l_name, name) == 0;
}

struct segments_search {
    const struct link_map *map;
    struct object *found;
};

static int take_segments(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct segments_search *s = arg;

    if (size < sizeof(*info) || info->dlpi_addr != s->map->l_addr ||
        strcmp(info->dlpi_name, s->map->l_name) != 0)
        return 0;
    s->found->segments = info->dlpi_phdr;
    s->found->n_segments = info->dlpi_phnum;
    s->found->module = info->dlpi_tls_modid;
    return 1;
}

/* Require that the writable segments follow the others and start on a new page. */
static bool lay_out(struct object *o)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t fixed_end = 0;

    o->bytes = o->writable = whole(host_span_of(o->segments, o->n_segments), page);
    o->align = page;
    for (int i = 0; i < o->n_segments; i++) {
        const Elf64_Phdr *s = &o->segments[i];

        if (s->p_type == PT_GNU_EH_FRAME)
            o->frames = s->p_vaddr;
        if (s->p_type != PT_LOAD)
            continue;
        if (s->p_align > o->align)
            o->align = s->p_align;
        if ((s->p_flags & PF_W) == 0 && s->p_vaddr + s->p_memsz > fixed_end)
            fixed_end = s->p_vaddr + s->p_memsz;
        if ((s->p_flags & PF_W) != 0 && s->p_vaddr / page * page < o->writable)
            o->writable = s->p_vaddr / page * page;
    }
    return o->bytes > 0 && fixed_end <= o->writable && entry_of(o->map, DT_TEXTREL) == NULL &&
           (value_of(o->map, DT_FLAGS) & DF_TEXTREL) == 0;
}

static bool read_object(struct object *o, const struct link_map *map)
{
    struct segments_search s = {map, o};

    *o = (struct object){.path = map->l_name, .map = map, .base = map->l_addr};
    dl_iterate_phdr(take_segments, &s);
    return o->n_segments > 0 && lay_out(o);
}

/* ---- their constructors ---- */

static void do_nothing(void)
{
}

/* Take a function, or an array of them, from the loader. */
static void take_function(const struct link_map *map, Elf64_Dyn *d, struct own_functions *f,
                          Elf64_Sxword one, Elf64_Sxword array, Elf64_Sxword bytes)
{
    if (d->d_tag == one) {
        f->one = d->d_un.d_ptr;
        d->d_un.d_ptr = (uintptr_t)do_nothing - map->l_addr;
    } else if (d->d_tag == array) {
        f->array = d->d_un.d_ptr;
    } else if (d->d_tag == bytes) {
        f->array_bytes = d->d_un.d_val;
        d->d_un.d_val = 0;
    }
}

static bool take_functions(struct object *o)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)o->map->l_ld;
    Elf64_Dyn *first = o->map->l_ld, *d = first;

    while (d->d_tag != DT_NULL)
        d++;
    if (mprotect((void *)(from / page * page), whole((uintptr_t)(d + 1), page) - from / page * page,
                 PROT_READ | PROT_WRITE) != 0)
        return false;
    for (d = first; d->d_tag != DT_NULL; d++) {
        take_function(o->map, d, &o->constructors, DT_INIT, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
        take_function(o->map, d, &o->destructors, DT_FINI, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    }
    return true;
}

/* ---- which objects ---- */

/* The objects that the loader is loading now: under the lock of plug-ins. */
static struct loading {
    struct picture *p;
    const char *first; /* the name of the first object */
    char carrier[64];  /* and that of what needs it */
    void *(*replaced)(const char *name);
    bool is_suitable;
    const char *common; /* a library that another program has, too; NULL: none */
} loading;

static const struct object *object_named(const struct picture *p, const char *name)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (has_name(p->objects[i].map, name))
            return &p->objects[i];
    return NULL;
}

static void drop_object(struct picture *p, const struct object *o)
{
    const size_t i = (size_t)(o - p->objects);

    memmove(&p->objects[i], &p->objects[i + 1], (p->n_objects - i - 1) * sizeof(*o));
    p->n_objects--;
}

/* What a shared library needs is shared, too. @return whether there was something */
static bool drop_needs_of(struct picture *p, const struct link_map *map)
{
    const struct object *o;
    bool any = false;

    for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && (o = object_named(p, name_in(map, d->d_un.d_val))) != NULL) {
            drop_object(p, o);
            any = true;
        }
    return any;
}

static bool is_private(const struct picture *p, const struct link_map *map)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (p->objects[i].map == map)
            return true;
    return false;
}

/* The object that has been asked for comes first. */
static void put_first(struct picture *p)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (strcmp(p->objects[i].path, loading.first) == 0 ||
            has_name(p->objects[i].map, loading.first)) {
            const struct object first = p->objects[i];

            memmove(&p->objects[1], &p->objects[0], i * sizeof(first));
            p->objects[0] = first;
            loading.is_suitable = true;
            return;
        }
}

static void choose_objects(struct picture *p, const struct link_map *after)
{
    size_t n = 0;
    bool any = true;

    for (const struct link_map *map = after->l_next; map != NULL; map = map->l_next)
        n++;
    p->objects = calloc(n + 1, sizeof(*p->objects));
    p->order = calloc(n + 1, sizeof(*p->order));
    if (p->objects == NULL || p->order == NULL)
        return;
    for (const struct link_map *map = after->l_next; map != NULL; map = map->l_next)
        if (!host_is_shared(p->job, map->l_name) && read_object(&p->objects[p->n_objects], map))
            p->n_objects++;
    while (any) {
        any = false;
        for (const struct link_map *map = after->l_next; map != NULL; map = map->l_next)
            any = any || (!is_private(p, map) && drop_needs_of(p, map));
    }
    put_first(p);
}

/* Called by the loader. */
static uintptr_t take_objects(void)
{
    struct picture *p = loading.p;
    const struct link_map *map = _r_debug.r_map;

    while (map != NULL && strcmp(map->l_name, loading.carrier) != 0)
        map = map->l_next;
    if (map != NULL)
        choose_objects(p, map);
    for (size_t i = 0; loading.is_suitable && i < p->n_objects; i++)
        loading.is_suitable = take_functions(&p->objects[i]);
    return 0;
}

/* Put an object behind those that it needs. is_done: of each; it may need itself by way of others */
static void put_in_order(struct picture *p, size_t i, bool *is_done, size_t *n)
{
    const struct link_map *map = p->objects[i].map;
    const struct object *needed;

    is_done[i] = true;
    for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED &&
            (needed = object_named(p, name_in(map, d->d_un.d_val))) != NULL &&
            !is_done[needed - p->objects])
            put_in_order(p, (size_t)(needed - p->objects), is_done, n);
    p->order[(*n)++] = i;
}

static bool place_objects(struct picture *p)
{
    bool *is_done = calloc(p->n_objects, sizeof(*is_done));
    size_t n = 0;

    if (is_done == NULL)
        return false;
    for (size_t i = 0; i < p->n_objects; i++) {
        struct object *o = &p->objects[i];

        o->offset = p->bytes = whole(p->bytes, o->align);
        p->bytes += o->bytes;
        p->align = o->align > p->align ? o->align : p->align;
        if (!is_done[i])
            put_in_order(p, i, is_done, &n);
    }
    p->stride = whole(p->bytes, p->align);
    free(is_done);
    return true;
}

/* ---- addresses ---- */

static uintptr_t address_at(const struct object *o, uintptr_t at)
{
    uintptr_t address;

    memcpy(&address, (const char *)(o->base + at), sizeof(address));
    return address;
}

/* The offset in a clone of an address in the picture. */
static bool find_within(const struct picture *p, uintptr_t address, uintptr_t *offset)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (address - p->objects[i].base < p->objects[i].bytes) {
            *offset = address - p->objects[i].base + p->objects[i].offset;
            return true;
        }
    return false;
}

/* Note an address that moves if `of`, an address in the same object or array, does. */
static void note_moved(struct picture *p, const struct object *o, uintptr_t at, uintptr_t of)
{
    const uintptr_t address = address_at(o, at);
    struct moved *m = &p->moved[p->n_moved];
    uintptr_t offset;

    if (find_within(p, of, &offset))
        *m = (struct moved){o->offset + at, offset + (address - of), p};
    else if ((m->in = host_picture_of(of, &offset)) != NULL && m->in->program == p->program)
        *m = (struct moved){o->offset + at, offset + (address - of), m->in};
    else if (m->in != NULL)
        loading.common = host_object_at(m->in, offset)->path;
    p->n_moved += m->in != NULL;
}

static bool is_writable(const struct object *o, uintptr_t at)
{
    return at >= o->writable && at <= o->bytes - sizeof(uintptr_t);
}

static bool is_same_for_all(Elf64_Xword type)
{
    for (size_t i = 0; i < sizeof(same_for_all) / sizeof(same_for_all[0]); i++)
        if (type == same_for_all[i])
            return true;
    return false;
}

static const Elf64_Sym *symbol_of(const struct object *o, const Elf64_Rela *r)
{
    return (const Elf64_Sym *)table_of(o->map, DT_SYMTAB) + ELF64_R_SYM(r->r_info);
}

/* A copy that the loader has filled lies behind the data of the object. */
static bool write_copy(const struct picture *p, const struct object *o, const Elf64_Rela *r)
{
    const size_t bytes = symbol_of(o, r)->st_size;

    return pwrite(p->file, (const void *)(o->base + r->r_offset), bytes,
                  (off_t)(o->offset + r->r_offset)) == (ssize_t)bytes;
}

/* An address of another object, or of its own, by a symbol. */
static void take_symbol(struct picture *p, const struct object *o, const Elf64_Rela *r)
{
    const Elf64_Sym *symbol = symbol_of(o, r);
    const char *name = name_in(o->map, symbol->st_name);
    const uintptr_t addend =
        ELF64_R_TYPE(r->r_info) == (Elf64_Xword)ADDRESS ? (uintptr_t)r->r_addend : 0;
    uintptr_t of = address_at(o, r->r_offset) - addend, offset;

    if (of == 0)
        return;
    if (!find_within(p, of, &offset) &&
        (host_is_own_of_rank(name) || loading.replaced(name) != NULL)) {
        p->named[p->n_named++] = (struct named_place){name, o->offset + r->r_offset, addend};
        return;
    }
    if (of == o->base + o->bytes &&
        symbol->st_shndx != SHN_UNDEF) /* its end is an address of it, too */
        of--;
    note_moved(p, o, r->r_offset, of);
}

/* Note the effect of the loader on one relocation. @return whether a clone can repeat it */
static bool take_relocation(struct picture *p, const struct object *o, const Elf64_Rela *r)
{
    const Elf64_Xword type = ELF64_R_TYPE(r->r_info);

    if (type == (Elf64_Xword)COPY)
        return write_copy(p, o, r);
    if (is_same_for_all(type))
        return true;
    if (!is_writable(o, r->r_offset))
        return false;
    if (type == (Elf64_Xword)DATA || type == (Elf64_Xword)CALL || type == (Elf64_Xword)ADDRESS)
        take_symbol(p, o, r);
    else if (type == (Elf64_Xword)RELATIVE)
        note_moved(p, o, r->r_offset, o->base);
    else if (type == (Elf64_Xword)INDIRECT)
        note_moved(p, o, r->r_offset, address_at(o, r->r_offset));
    else
        return false;
    return true;
}

/* An entry is an address to move, or bits for the 63 words that follow the last one. */
static bool take_packed(struct picture *p, const struct object *o, const uint64_t *entries,
                        size_t n)
{
    uintptr_t at = 0;

    for (size_t i = 0; i < n; i++) {
        if ((entries[i] & 1) == 0) {
            at = entries[i];
            if (!is_writable(o, at))
                return false;
            note_moved(p, o, at, o->base);
            at += sizeof(uint64_t);
            continue;
        }
        for (int bit = 0; bit < 63; bit++)
            if ((entries[i] >> (bit + 1) & 1) != 0) {
                if (!is_writable(o, at + (uintptr_t)bit * sizeof(uint64_t)))
                    return false;
                note_moved(p, o, at + (uintptr_t)bit * sizeof(uint64_t), o->base);
            }
        at += 63 * sizeof(uint64_t);
    }
    return true;
}

static bool take_table(struct picture *p, const struct object *o, Elf64_Sxword table,
                       Elf64_Sxword bytes)
{
    const Elf64_Rela *r = table_of(o->map, table);

    for (size_t i = 0; r != NULL && i < value_of(o->map, bytes) / sizeof(*r); i++)
        if (!take_relocation(p, o, &r[i]))
            return false;
    return true;
}

static bool take_relocations(struct picture *p)
{
    size_t n = 1;

    for (size_t i = 0; i < p->n_objects; i++) {
        const struct link_map *map = p->objects[i].map;

        n += (value_of(map, DT_RELASZ) + value_of(map, DT_PLTRELSZ)) / sizeof(Elf64_Rela) +
             value_of(map, PACKED_BYTES) / sizeof(uint64_t) * 63;
    }
    p->moved = malloc(n * sizeof(*p->moved));
    p->named = malloc(n * sizeof(*p->named));
    if (p->moved == NULL || p->named == NULL)
        return false;
    for (size_t i = 0; i < p->n_objects; i++) {
        const struct object *o = &p->objects[i];

        if (!take_table(p, o, DT_RELA, DT_RELASZ) || !take_table(p, o, DT_JMPREL, DT_PLTRELSZ) ||
            !take_packed(p, o, table_of(o->map, PACKED),
                         value_of(o->map, PACKED_BYTES) / sizeof(uint64_t)))
            return false;
    }
    return true;
}

/* ---- the picture ---- */

/* Write its bytes to a file in memory. After the data of an object are only zeros, since nothing has run. */
static bool write_objects(struct picture *p)
{
    p->file = memfd_create("clones", MFD_CLOEXEC);
    if (p->file < 0 || ftruncate(p->file, (off_t)p->bytes) != 0)
        return false;
    for (size_t i = 0; i < p->n_objects; i++) {
        const struct object *o = &p->objects[i];

        for (int k = 0; k < o->n_segments; k++) {
            const Elf64_Phdr *s = &o->segments[k];

            if (s->p_type == PT_LOAD &&
                pwrite(p->file, (const void *)(o->base + s->p_vaddr), s->p_filesz,
                       (off_t)(o->offset + s->p_vaddr)) != (ssize_t)s->p_filesz)
                return false;
        }
    }
    return true;
}

/* Functions that replace those of the loader are the same for all ranks. */
static bool write_functions(struct picture *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_named; i++) {
        const struct named_place *named = &p->named[i];
        const uintptr_t address = (uintptr_t)loading.replaced(named->name) + named->addend;

        if (host_is_own_of_rank(named->name))
            p->named[n++] = *named;
        else if (pwrite(p->file, &address, sizeof(address), (off_t)named->at) !=
                 (ssize_t)sizeof(address))
            return false;
    }
    p->n_named = n;
    return true;
}

/* Reserve addresses for the clones of all ranks in one block, so that a clone is found by its address. */
static bool reserve(struct picture *p)
{
    void *room;

    p->n_clones = p->job->n_ranks;
    room = mmap(NULL, p->stride * (size_t)p->n_clones + p->align, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    p->clones = whole((uintptr_t)room, p->align);
    p->is_made = calloc((size_t)p->n_clones, sizeof(*p->is_made));
    p->is_begun = calloc((size_t)p->n_clones, sizeof(*p->is_begun));
    return p->is_made != NULL && p->is_begun != NULL;
}

static void free_picture(struct picture *p)
{
    if (p->file >= 0)
        host_close(p->file);
    free(p->objects);
    free(p->order);
    free(p->moved);
    free(p->named);
    free(p->is_made);
    free(p->is_begun);
    free(p); /* the loader keeps the objects: a few pages */
}

struct picture *host_load_picture(const struct job *job, const char *const *needed,
                                  void *(*replaced)(const char *name),
                                  struct picture_failure *failure)
{
    struct picture *p = calloc(1, sizeof(*p));
    char folders[4 * PATH_MAX];
    bool is_whole;

    if (p == NULL)
        return NULL;
    p->file = -1;
    p->job = job;
    p->program = job->picture != NULL ? job->picture : p;
    loading = (struct loading){.p = p, .replaced = replaced};
    for (const char *const *name = needed; *name != NULL; name++)
        loading.first = *name;
    host_folders(job, folders, sizeof(folders));
    failure->is_loaded = host_load_carrier(needed, folders, take_objects, loading.carrier);
    is_whole = failure->is_loaded && loading.is_suitable && place_objects(p) && write_objects(p) &&
               take_relocations(p) && write_functions(p) && reserve(p);
    failure->is_begun = loading.is_suitable;
    failure->library = loading.common;
    if (is_whole && loading.common == NULL)
        return p;
    free_picture(p);
    return NULL;
}
