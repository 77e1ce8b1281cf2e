/* SPDX-License-Identifier: MIT */
/*
 * Clones of the executable. The loader takes longer for each image the more it has loaded, and five
 * mappings for each. So it loads one image, the picture, in which nothing ever runs. A clone is two
 * mappings of the picture's bytes, one that can be executed and one that can be written, and the
 * addresses of the image in it are moved by the distance to the picture: those are the places that
 * the loader itself has relocated.
 *
 * The loader does not know clones. The unwinder asks _dl_find_object() and dl_iterate_phdr(); those
 * of this library replace the C library's. Everything else that asks the loader excludes clones
 * (host_read_image()): thread-local variables, dlsym() and the like in the executable, copies of a
 * library's variables, a debugger.
 */
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE, INDIRECT = R_X86_64_IRELATIVE, NO_CHANGE = R_X86_64_NONE };
enum { DATA = R_X86_64_GLOB_DAT, CALL = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_64 };
#elif defined(__aarch64__)
enum { RELATIVE = R_AARCH64_RELATIVE, INDIRECT = R_AARCH64_IRELATIVE, NO_CHANGE = R_AARCH64_NONE };
enum { DATA = R_AARCH64_GLOB_DAT, CALL = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_ABS64 };
#else
enum { RELATIVE = -1, INDIRECT = -2, NO_CHANGE = -3, DATA = -4, CALL = -5, ADDRESS = -6 };
#endif

enum { PACKED_RELOCATIONS = 19 /* SHT_RELR */ };

/* The place of an address that differs among ranks. */
struct named_place {
    const Elf64_Sym *symbol;
    uintptr_t at, addend;
};

struct picture {
    uintptr_t base, writable; /* of the picture; offset of its first page that can be written */
    size_t bytes, stride;     /* whole pages of an image; from one clone to the next */
    int file;
    struct link_map *map;
    uintptr_t frames;   /* offset of the table of the unwinder */
    uintptr_t *shifted; /* offsets of addresses within the image */
    size_t n_shifted;
    struct named_place *named;
    size_t n_named;
    uintptr_t clones; /* the first one */
    int n_clones;
    atomic_bool *is_made; /* of each */
    char *path;           /* of the executable, and its segments; they outlive the job */
    const Elf64_Phdr *segments;
    int n_segments;
    const struct picture *next; /* of the other programs */
};

/* ---- whether the executable can be cloned ---- */

static size_t whole_pages(size_t bytes, size_t page)
{
    return (bytes + page - 1) / page * page;
}

static const Elf64_Phdr *segments_of(const struct job *job, int *n)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)job->file;

    *n = e->e_phnum;
    return (const Elf64_Phdr *)(job->file + e->e_phoff);
}

/* Require that the writable segments follow the others and start on a new page. */
static bool lay_out(const struct job *job, struct picture *p)
{
    int n;
    const Elf64_Phdr *s = segments_of(job, &n);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t align = page, fixed_end = 0;

    p->writable = p->bytes = whole_pages(job->image_bytes, page);
    for (int i = 0; i < n; i++) {
        if (s[i].p_type == PT_TLS)
            return false;
        if (s[i].p_type == PT_GNU_EH_FRAME)
            p->frames = s[i].p_vaddr;
        if (s[i].p_type != PT_LOAD)
            continue;
        if (s[i].p_align > align)
            align = s[i].p_align;
        if ((s[i].p_flags & PF_W) == 0 && s[i].p_vaddr + s[i].p_memsz > fixed_end)
            fixed_end = s[i].p_vaddr + s[i].p_memsz;
        if ((s[i].p_flags & PF_W) != 0 && s[i].p_vaddr / page * page < p->writable)
            p->writable = s[i].p_vaddr / page * page;
    }
    p->stride = whole_pages(p->bytes, align);
    return fixed_end <= p->writable;
}

/* Whether the executable calls functions that ask the loader about it. */
static bool asks_loader(const struct job *job)
{
    static const char *const names[] = {"dladdr",
                                        "dladdr1",
                                        "dlinfo",
                                        "dlopen",
                                        "dlmopen",
                                        "dlsym",
                                        "dlvsym",
                                        "_dl_find_object",
                                        "dl_iterate_phdr",
                                        "backtrace_symbols",
                                        "backtrace_symbols_fd"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (host_symbol_of(job, names[i]) != NULL)
            return true;
    return false;
}

static bool is_own_of_rank(const struct job *job, const Elf64_Sym *symbol)
{
    for (int i = 0; i < N_VARIABLES; i++)
        if (symbol == job->symbols[i])
            return true;
    for (int i = 0; i < N_STREAMS; i++)
        if (symbol == job->streams[i])
            return true;
    return false;
}

static bool is_writable(const struct picture *p, uintptr_t at)
{
    return at >= p->writable && at <= p->bytes - sizeof(uintptr_t);
}

static uintptr_t address_at(const struct picture *p, uintptr_t at)
{
    uintptr_t address;

    memcpy(&address, (const char *)(p->base + at), sizeof(address));
    return address;
}

/* Note the effect of the loader on one relocation. @return whether a clone can repeat it */
static bool take_relocation(const struct job *job, struct picture *p, const Elf64_Rela *r)
{
    const Elf64_Xword type = ELF64_R_TYPE(r->r_info);
    size_t n;
    const Elf64_Sym *symbol = host_dynamic_symbols(job, &n) + ELF64_R_SYM(r->r_info);
    bool is_within = true;

    if (type == (Elf64_Xword)NO_CHANGE)
        return true;
    if (!is_writable(p, r->r_offset))
        return false;
    if (type == (Elf64_Xword)DATA || type == (Elf64_Xword)CALL || type == (Elf64_Xword)ADDRESS) {
        if (is_own_of_rank(job, symbol)) {
            p->named[p->n_named++] =
                (struct named_place){symbol, r->r_offset, (uintptr_t)r->r_addend};
            return true;
        }
        /* a library may come before the executable; its end is an address within, too */
        is_within = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
                    address_at(p, r->r_offset) - p->base <= p->bytes;
    } else if (type != (Elf64_Xword)RELATIVE && type != (Elf64_Xword)INDIRECT) {
        return false;
    }
    if (is_within)
        p->shifted[p->n_shifted++] = r->r_offset;
    return true;
}

/* An entry is an address to shift, or bits for the 63 words that follow the last one. */
static bool take_packed(struct picture *p, const uint64_t *entries, size_t n)
{
    uintptr_t at = 0;

    for (size_t i = 0; i < n; i++) {
        if ((entries[i] & 1) == 0) {
            at = entries[i];
            if (!is_writable(p, at))
                return false;
            p->shifted[p->n_shifted++] = at;
            at += sizeof(uint64_t);
            continue;
        }
        for (int bit = 0; bit < 63; bit++)
            if ((entries[i] >> (bit + 1) & 1) != 0) {
                if (!is_writable(p, at + (uintptr_t)bit * sizeof(uint64_t)))
                    return false;
                p->shifted[p->n_shifted++] = at + (uintptr_t)bit * sizeof(uint64_t);
            }
        at += 63 * sizeof(uint64_t);
    }
    return true;
}

static size_t count_relocations(const struct job *job)
{
    const Elf64_Shdr *s = NULL;
    size_t n = 0;

    while ((s = host_section(job->file, SHT_RELA, s)) != NULL)
        n += s->sh_size / sizeof(Elf64_Rela);
    while ((s = host_section(job->file, PACKED_RELOCATIONS, s)) != NULL)
        n += s->sh_size / sizeof(uint64_t) * 63;
    return n;
}

static bool take_relocations(const struct job *job, struct picture *p)
{
    const size_t n = count_relocations(job) + 1;
    const Elf64_Shdr *s = NULL;

    p->shifted = malloc(n * sizeof(*p->shifted));
    p->named = malloc(n * sizeof(*p->named));
    if (p->shifted == NULL || p->named == NULL)
        return false;
    while ((s = host_section(job->file, SHT_RELA, s)) != NULL) {
        const Elf64_Rela *r = (const Elf64_Rela *)(job->file + s->sh_offset);

        for (size_t i = 0; (s->sh_flags & SHF_ALLOC) != 0 && i < s->sh_size / sizeof(*r); i++)
            if (!take_relocation(job, p, &r[i]))
                return false;
    }
    while ((s = host_section(job->file, PACKED_RELOCATIONS, s)) != NULL)
        if (!take_packed(p, (const uint64_t *)(job->file + s->sh_offset), s->sh_size / 8))
            return false;
    return true;
}

/* ---- the picture ---- */

/* Load it with all functions bound. If one is missing, this fails, and the loader names it later,
 * when a rank calls it. */
static bool load_picture(const struct job *job, struct picture *p)
{
    const int file = host_make_file(job, "executable");
    char path[64];
    void *image;

    if (file < 0)
        return false;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    image = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    host_close(file);
    if (image == NULL)
        return false;
    if (dlinfo(image, RTLD_DI_LINKMAP, &p->map) != 0)
        return false;
    p->base = p->map->l_addr;
    return true;
}

/* Write the picture's bytes to a file in memory. After its data are only zeros, since nothing has
 * run. */
static bool write_picture(const struct job *job, struct picture *p)
{
    int n;
    const Elf64_Phdr *s = segments_of(job, &n);

    p->file = memfd_create("clones", MFD_CLOEXEC);
    if (p->file < 0 || ftruncate(p->file, (off_t)p->bytes) != 0)
        return false;
    for (int i = 0; i < n; i++)
        if (s[i].p_type == PT_LOAD &&
            pwrite(p->file, (const void *)(p->base + s[i].p_vaddr), s[i].p_filesz,
                   (off_t)s[i].p_vaddr) != (ssize_t)s[i].p_filesz)
            return false;
    return true;
}

/* Reserve addresses for the clones of all ranks in one block, so that a clone is found by its
 * address. */
static bool reserve(const struct job *job, struct picture *p)
{
    void *room = mmap(NULL, p->stride * ((size_t)job->n_ranks + 1), PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == MAP_FAILED)
        return false;
    p->clones = whole_pages((uintptr_t)room, p->stride);
    p->n_clones = job->n_ranks;
    p->is_made = calloc((size_t)job->n_ranks, sizeof(*p->is_made));
    p->path = strdup(job->path);
    p->segments = segments_of(job, &p->n_segments);
    return p->is_made != NULL && p->path != NULL;
}

static const struct picture *pictures; /* for the unwinder */

void host_make_picture(struct job *job)
{
    struct picture *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return;
    p->file = -1;
    if (lay_out(job, p) && !asks_loader(job) && load_picture(job, p) && take_relocations(job, p) &&
        write_picture(job, p) && reserve(job, p)) {
        p->next = pictures;
        pictures = job->picture = p;
        return;
    }
    if (p->file >= 0)
        host_close(p->file);
    free(p->shifted);
    free(p->named);
    free(p->is_made);
    free(p->path);
    free(p); /* the loader keeps the picture that it has loaded: a few pages */
}

/* ---- a clone ---- */

uintptr_t host_make_clone(const struct job *job, int rank)
{
    struct picture *p = job->picture;
    const uintptr_t base = p->clones + (uintptr_t)rank * p->stride, shift = base - p->base;

    if (mmap((void *)base, p->writable, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, p->file,
             0) == MAP_FAILED ||
        mmap((void *)(base + p->writable), p->bytes - p->writable, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED, p->file, (off_t)p->writable) == MAP_FAILED)
        return 0;
    for (size_t i = 0; i < p->n_shifted; i++) {
        const uintptr_t address = address_at(p, p->shifted[i]) + shift;

        memcpy((char *)(base + p->shifted[i]), &address, sizeof(address));
    }
    /* release pairs with the acquire in dl_iterate_phdr(): the clone can be read */
    atomic_store_explicit(&p->is_made[rank], true, memory_order_release);
    return base;
}

static void set_in_clone(const struct job *job, uintptr_t base, const Elf64_Sym *symbol,
                         void *address)
{
    const struct picture *p = job->picture;

    for (size_t i = 0; i < p->n_named; i++)
        if (p->named[i].symbol == symbol) {
            const uintptr_t value = (uintptr_t)address + p->named[i].addend;

            memcpy((char *)(base + p->named[i].at), &value, sizeof(value));
        }
}

void host_write_address(const struct job *job, const struct host_rank *host,
                        const Elf64_Sym *symbol, void *address)
{
    Elf64_Sym own = *symbol;

    if (job->picture != NULL) {
        set_in_clone(job, host->base, symbol, address);
        return;
    }
    host_set_address(&own, address);
    if (pwrite(host->image_file, &own, sizeof(own), (const char *)symbol - job->file) < 0)
        return; /* a file in memory: it then stays the C library's */
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
    const struct picture *p = pictures;
    uintptr_t base, offset = 0;

    for (; p != NULL; p = p->next) {
        offset = (uintptr_t)address - p->clones;
        if (offset < (uintptr_t)p->n_clones * p->stride)
            break;
    }
    if (p == NULL) {
        if (next_find == NULL)
            find_next();
        return next_find(address, result);
    }
    base = p->clones + offset / p->stride * p->stride;
    *result = (struct dl_find_object){.dlfo_map_start = (void *)base,
                                      .dlfo_map_end = (void *)(base + p->bytes),
                                      .dlfo_link_map = p->map,
                                      .dlfo_eh_frame =
                                          p->frames != 0 ? (void *)(base + p->frames) : NULL};
    return 0;
}
#endif

static int iterate_clones(const struct picture *p, phdr_callback *callback, void *data)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < p->n_clones; i++) {
        struct dl_phdr_info info = {.dlpi_addr = p->clones + (uintptr_t)i * p->stride,
                                    .dlpi_name = p->path,
                                    .dlpi_phdr = p->segments,
                                    .dlpi_phnum = (Elf64_Half)p->n_segments};

        /* acquire pairs with the release in host_make_clone() */
        if (atomic_load_explicit(&p->is_made[i], memory_order_acquire))
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
    for (const struct picture *p = pictures; p != NULL && rc == 0; p = p->next)
        rc = iterate_clones(p, callback, data);
    return rc;
}
