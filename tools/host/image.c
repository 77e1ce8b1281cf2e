/* SPDX-License-Identifier: MIT */
/*
 * A copy of the executable for each rank, so that each has globals of its own. A copy is a clone
 * (clone.c), or the loader makes it of a file in memory under a name of its own, without the mark of
 * an executable (DF_1_PIE), which dlopen() would refuse. Its entry point leads to
 * __libc_start_main(), which is ours (start.c): so main() is found in a stripped executable, too.
 */
#include "picture.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNIQUE = 10 /* STB_GNU_UNIQUE */ };

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
enum { TLS_MODULE = R_X86_64_DTPMOD64, TLS_FUNCTION = R_X86_64_TLSDESC };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
enum { TLS_MODULE = R_AARCH64_TLS_DTPMOD, TLS_FUNCTION = R_AARCH64_TLSDESC };
#else
enum { MACHINE = EM_NONE };
enum { TLS_MODULE = -1, TLS_FUNCTION = -1 };
#endif

static uintptr_t *taken_from_loader(struct job *job, Elf64_Sxword tag)
{
    switch (tag) {
    case DT_INIT:
        return &job->constructors.one;
    case DT_INIT_ARRAY:
        return &job->constructors.array;
    case DT_INIT_ARRAYSZ:
        return &job->constructors.array_bytes;
    case DT_FINI:
        return &job->destructors.one;
    case DT_FINI_ARRAY:
        return &job->destructors.array;
    case DT_FINI_ARRAYSZ:
        return &job->destructors.array_bytes;
    default:
        return NULL;
    }
}

/* Clear the mark of an executable, and take its constructors and destructors from the loader, which
 * would hold its lock while a constructor waits, and does not know when a rank ends. */
static void prepare_dynamic(struct job *job)
{
    const Elf64_Shdr *s = host_section(job->file, SHT_DYNAMIC, NULL);
    Elf64_Dyn *d = s != NULL ? (Elf64_Dyn *)(job->file + s->sh_offset) : NULL;

    for (; d != NULL && d->d_tag != DT_NULL; d++) {
        uintptr_t *value = taken_from_loader(job, d->d_tag);

        if (value != NULL) {
            *value = d->d_un.d_val;
            d->d_tag = DT_LOOS; /* the loader passes over it */
        } else if (d->d_tag == DT_FLAGS_1) {
            d->d_un.d_val &= ~(Elf64_Xword)DF_1_PIE;
        }
    }
}

/* Symbols that the loader would share among copies: statics of C++ templates and inline functions. */
static void own_unique_symbols(char *file)
{
    const Elf64_Shdr *s = host_section(file, SHT_DYNSYM, NULL);
    Elf64_Sym *symbols = s != NULL ? (Elf64_Sym *)(file + s->sh_offset) : NULL;

    for (size_t i = 0; s != NULL && i < s->sh_size / sizeof(*symbols); i++)
        if (ELF64_ST_BIND(symbols[i].st_info) == UNIQUE)
            symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbols[i].st_info));
}

static bool has_segment(const char *file, Elf64_Word type)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(file + e->e_phoff);

    for (int i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == type && p[i].p_memsz > 0)
            return true;
    return false;
}

/* Whether the file looks up its thread-local variables: it was linked as a library, and each copy
 * has its own variables. In an executable they are at a fixed distance, which would be the
 * command's. */
static bool looks_up_variables(const char *file)
{
    for (const Elf64_Shdr *s = NULL; (s = host_section(file, SHT_RELA, s)) != NULL;) {
        const Elf64_Rela *r = (const Elf64_Rela *)(file + s->sh_offset);

        for (size_t i = 0; i < s->sh_size / sizeof(*r); i++)
            if (ELF64_R_TYPE(r[i].r_info) == (Elf64_Xword)TLS_MODULE ||
                ELF64_R_TYPE(r[i].r_info) == (Elf64_Xword)TLS_FUNCTION)
                return true;
    }
    return false;
}

/* Whether n entries of this size, from `at` on, are within the file. */
static bool is_in_file(const struct job *job, Elf64_Off at, size_t n, size_t size)
{
    return at <= job->file_bytes && n <= (job->file_bytes - at) / size;
}

/* Whether the names of symbols are within their strings, relocations name symbols that are there, and the
 * dynamic section has an end and strings. s: of whole sections */
static bool entries_are_whole(const struct job *job, const Elf64_Shdr *all, const Elf64_Shdr *s)
{
    const char *at = job->file + s->sh_offset;
    const Elf64_Shdr *linked = &all[s->sh_link];
    const size_t n = s->sh_type == SHT_RELA      ? s->sh_size / sizeof(Elf64_Rela)
                     : s->sh_type == SHT_DYNAMIC ? s->sh_size / sizeof(Elf64_Dyn)
                                                 : s->sh_size / sizeof(Elf64_Sym);

    if (s->sh_type == SHT_RELA && linked->sh_type != SHT_DYNSYM && linked->sh_type != SHT_SYMTAB)
        linked = NULL; /* they name none */
    else if (s->sh_type != SHT_RELA && linked->sh_type != SHT_STRTAB)
        return false;
    for (size_t i = 0; i < n; i++) {
        const Elf64_Dyn *d = (const Elf64_Dyn *)at + i;

        switch (s->sh_type) {
        case SHT_RELA:
            if (ELF64_R_SYM(((const Elf64_Rela *)at)[i].r_info) >=
                (linked != NULL ? linked->sh_size / sizeof(Elf64_Sym) : 1))
                return false;
            break;
        case SHT_DYNAMIC:
            if (d->d_tag == DT_NULL)
                return true;
            if ((d->d_tag == DT_NEEDED || d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH) &&
                d->d_un.d_val >= linked->sh_size)
                return false;
            break;
        default:
            if (((const Elf64_Sym *)at)[i].st_name >= linked->sh_size)
                return false;
        }
    }
    return s->sh_type != SHT_DYNAMIC;
}

/* Whether the sections of the section headers are within the file, with strings that end in it. */
static bool sections_are_whole(const struct job *job)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)job->file;
    const Elf64_Shdr *s = (const Elf64_Shdr *)(job->file + e->e_shoff);

    for (int i = 0; i < e->e_shnum; i++) {
        if (s[i].sh_type != SHT_NULL && s[i].sh_type != SHT_NOBITS &&
            !is_in_file(job, s[i].sh_offset, s[i].sh_size, 1))
            return false;
        if (s[i].sh_link >= e->e_shnum)
            return false;
        if (s[i].sh_type == SHT_STRTAB && s[i].sh_size > 0 &&
            job->file[s[i].sh_offset + s[i].sh_size - 1] != '\0')
            return false;
    }
    for (int i = 0; i < e->e_shnum; i++)
        if ((s[i].sh_type == SHT_DYNSYM || s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_RELA ||
             s[i].sh_type == SHT_DYNAMIC) &&
            !entries_are_whole(job, s, &s[i]))
            return false;
    return true;
}

/* @return why the file cannot run as ranks; NULL: it can */
static const char *unsuitable(const struct job *job)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)job->file;
    const Elf64_Sym *sanitizer;

    if (job->file_bytes < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0)
        return "it is not an executable (a script cannot be run as ranks)";
    if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != MACHINE)
        return "it is an executable for another kind of processor";
    if (e->e_phentsize != sizeof(Elf64_Phdr) ||
        (e->e_shnum > 0 && e->e_shentsize != sizeof(Elf64_Shdr)) ||
        !is_in_file(job, e->e_phoff, e->e_phnum, sizeof(Elf64_Phdr)) ||
        !is_in_file(job, e->e_shoff, e->e_shnum, sizeof(Elf64_Shdr)) || !sections_are_whole(job))
        return "its file is not complete";
    if (e->e_type != ET_DYN)
        return the_guest.driver != NULL
                   ? "it is not position-independent: compile it with logp-cc, or with -fPIE -pie"
                   : "it is not position-independent: compile it with -fPIE -pie";
    if (!has_segment(job->file, PT_INTERP))
        return the_guest.driver != NULL
                   ? "it is a library, or statically linked: link it with logp-cc"
                   : "it is a library, or statically linked: link it as an executable";
    if (host_section(job->file, SHT_DYNAMIC, NULL) == NULL ||
        host_section(job->file, SHT_DYNSYM, NULL) == NULL)
        return "its section headers have been removed: link it again, and strip it with plain "
               "strip at most";
    sanitizer = host_symbol_of(job, "__asan_init");
    if (sanitizer != NULL && sanitizer->st_shndx != SHN_UNDEF)
        return "it is linked statically with AddressSanitizer, which all ranks share: link it with "
               "logp-cc, or with -shared-libasan";
    if (has_segment(job->file, PT_TLS) && !looks_up_variables(job->file) && !host_has_locals(job))
        return sanitizer != NULL
                   ? "it has thread-local variables where AddressSanitizer has its own: link it "
                     "with "
                     "logp-cc or logp-c++ (CMake: -DCMAKE_CXX_COMPILER=logp-c++)"
                   : "it has more than 16 MiB of thread-local variables: take memory of malloc()";
    return NULL;
}

/* That of another program of the run with the same executable. NULL: there is none */
static const struct picture *other_picture(const struct job *job)
{
    char path[PATH_MAX];

    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        if (p->program == p && realpath(job->path, path) != NULL && strcmp(p->job->path, path) == 0)
            return p;
    return NULL;
}

/* Load the executable and its libraries as pictures of clones. @return false: it cannot run. If there is no picture then, each
 * rank has a copy that the loader makes: a debugger knows what the loader has, and the loader names a missing
 * function when a rank calls it. */
static bool make_picture(struct job *job, char *why, size_t size)
{
    const int file = host_make_picture_file(job);
    char path[64];
    const char *const needed[] = {path, NULL};
    struct picture_failure failure = {0};
    struct picture *picture;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    host_load_shared();
    picture = file >= 0 ? host_load_picture(job, needed, host_replaced_function, &failure) : NULL;
    if (picture != NULL) {
        picture->objects[0].path = job->path;
        host_add_picture(picture);
        job->picture = picture;
        return true;
    }
    if (failure.library != NULL)
        snprintf(
            why, size,
            "another program of this run needs %s, too: type --share %s, so that all ranks share "
            "its globals",
            failure.library, strrchr(failure.library, '/') + 1);
    else if (file >= 0 && !failure.is_loaded)
        snprintf(why, size, "%s", dlerror());
    else if (failure.is_begun)
        snprintf(why, size, "there is no memory for its copies");
    return *why == '\0' || strstr(why, "undefined symbol") != NULL;
}

int host_read_image(struct job *job, void (*prepare)(struct job *), char *why, size_t size)
{
    /* without O_NONBLOCK, a FIFO is not open until a process writes into it */
    const int fd = open(job->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *object, *reason, *other;
    char demangled[256];
    struct stat st;

    *why = '\0';
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(why, size, "%s",
                 fd < 0 ? strerror(errno) : "it is not a file: name an executable");
        if (fd >= 0)
            host_close(fd);
        return -1;
    }
    job->file_bytes = (size_t)st.st_size;
    job->file = mmap(NULL, job->file_bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    host_close(fd);
    if (job->file == MAP_FAILED) {
        snprintf(why, size, "there is no memory for it");
        return -1;
    }
    reason = unsuitable(job);
    other = reason == NULL ? host_other_library(job) : NULL;
    if (reason != NULL)
        snprintf(why, size, "%s", reason);
    else if (other != NULL)
        snprintf(why, size, "it is linked with another %s (%s): compile it with logp-cc",
                 the_guest.name, other);
    if (*why != '\0')
        return -1;
    if (!job->quiet)
        host_name_old_link(job);
    for (job->last_before = _r_debug.r_map; job->last_before->l_next != NULL;)
        job->last_before = job->last_before->l_next;
    job->image_bytes =
        host_span_of((const Elf64_Phdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_phoff),
                     ((const Elf64_Ehdr *)job->file)->e_phnum);
    prepare_dynamic(job);
    own_unique_symbols(job->file);
    if (!host_take_copies(job)) {
        snprintf(why, size, "there is no memory for it");
        return -1;
    }
    host_find_variables(job);
    host_find_streams(job);
    host_find_directories(job);
    prepare(job);
    job->picture = other_picture(job);
    if (job->picture == NULL && !job->is_debugged && !make_picture(job, why, size))
        return -1;
    if (job->picture == NULL)
        host_load_libraries(job);
    object = host_find_copied(job);
    if (object != NULL) {
        snprintf(why, size, "it has a copy of the variable %s of a library: compile it with -fPIC",
                 host_demangled(object, demangled, sizeof(demangled)));
        return -1;
    }
    return 0;
}

/* ---- whether the copies of all ranks fit into what Linux maps for a process ---- */

enum {
    LOADED = 5,     /* mappings of a copy that the loader makes */
    OF_RANKS = 1000 /* mappings that are left for the memory that ranks ask for */
};

static size_t mappings_of_copy(const struct job *job)
{
    size_t n = 0;

    for (size_t i = 0; job->picture != NULL && i < job->picture->n_objects; i++)
        n += job->picture->objects[i].writable < job->picture->objects[i].bytes ? 2 : 1;
    return job->picture != NULL ? n : LOADED;
}

static size_t lines_of(const char *path)
{
    FILE *f = fopen(path, "re");
    size_t n = 0;

    for (int c; f != NULL && (c = getc(f)) != EOF;)
        n += c == '\n';
    if (f != NULL)
        fclose(f);
    return n;
}

static size_t most_mappings(void)
{
    FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
    size_t most = 0;

    if (f != NULL && fscanf(f, "%zu", &most) != 1)
        most = 0;
    if (f != NULL)
        fclose(f);
    return most;
}

bool host_has_room(const struct job *job, int n_here, char *why, size_t size)
{
    const size_t most = most_mappings(), used = lines_of("/proc/self/maps") + OF_RANKS;
    const size_t ranks = (size_t)job->n_ranks;
    size_t needed = 0, each, fit;

    for (const struct job *j = job; j != NULL; j = j->next)
        needed += mappings_of_copy(j) *
                  ((j->next != NULL ? (size_t)j->next->first_rank : ranks) - (size_t)j->first_rank);
    needed = (needed * (size_t)n_here + ranks - 1) / ranks;
    if (most == 0 || needed + used <= most)
        return true;
    each = (needed + (size_t)n_here - 1) / (size_t)n_here;
    fit = most > used ? (most - used) / each / 100 * 100 : 0;
    snprintf(why, size,
             "-P %d: the copies of the program for %d ranks need %zu mappings, %zu each, and a "
             "process has at most %zu (vm.max_map_count); type -P %zu, or as root "
             "sysctl vm.max_map_count=%zu",
             job->n_ranks, n_here, needed, each, most, fit * (ranks / (size_t)n_here),
             (needed + used + 9999) / 10000 * 10000);
    return false;
}

/* It stays open: a path used again is this object. */
static bool make_own_file(const struct job *job, struct host_rank *host)
{
    char name[64];
    int file;

    snprintf(name, sizeof(name), "rank%d", (int)(host - job->hosts)); /* for logp-gdb.py */
    file = host_file_of(job->file, job->file_bytes, name);
    host->image_file = file > 0 ? file : 0;
    return file > 0;
}

/* Load a copy by the loader. @return false: the reason is in *why */
static bool load_copy(const struct job *job, struct host_rank *host, char *why, size_t size)
{
    struct link_map *map;
    char path[64];

    if (host->image_file == 0 && !make_own_file(job, host)) {
        snprintf(why, size, "no file in memory can be made for it: raise ulimit -n");
        return false;
    }
    host_give_variables(job, host);
    host_give_streams(job, host);
    /* a debugger reads it, too */
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", job->pid, host->image_file);
    host->image = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (host->image == NULL || dlinfo(host->image, RTLD_DI_LINKMAP, &map) != 0) {
        snprintf(why, size, "%s", dlerror());
        return false;
    }
    host->base = map->l_addr;
    return true;
}

static bool load_clone(const struct job *job, struct host_rank *host, char *why, size_t size)
{
    host_give_variables(job, host);
    host_give_streams(job, host);
    host->base = host_make_clone_of(job->picture, host);
    if (host->base == 0)
        snprintf(why, size,
                 "there is no memory for its globals, or the process has too many mappings "
                 "(vm.max_map_count): take fewer ranks");
    return host->base != 0;
}

void *host_load_image(const struct job *job, struct host_rank *host, char *why, size_t size)
{
    if (job->picture != NULL ? !load_clone(job, host, why, size) : !load_copy(job, host, why, size))
        return NULL;
    if (host == job->hosts + job->first_rank && !job->quiet)
        host_name_shared(job);
    host_begin_variables(job, host);
    if (!host_begin_locals(host)) {
        snprintf(why, size, "there is no memory for its thread-local variables");
        return NULL;
    }
    host_fill_copies(job, host);
    host_begin_streams(job, host);
    return (void *)(host->base + ((const Elf64_Ehdr *)job->file)->e_entry);
}

void host_begin_image(const struct job *job, const struct host_rank *host)
{
    if (job->picture != NULL)
        host_begin_clone(job->picture, host);
    host_construct(&job->constructors, host->base, host);
}

void host_end_image(const struct job *job, struct host_rank *host)
{
    if (host->was_ended || job->main != NULL)
        return;
    host->was_ended = true;
    for (const struct picture *p = host_pictures(); p != NULL; p = p->next)
        if (p->program == job->picture && p != job->picture)
            host_end_clone(p, host);
    host_destroy(&job->destructors, host->base);
    if (job->picture != NULL)
        host_end_clone(job->picture, host);
}

void host_unload_image(struct host_rank *host)
{
    struct link_map *map;
    char path[64] = "";

    host->base = 0;
    host_drop_clones(host);
    if (host->image == NULL)
        return;
    if (dlinfo(host->image, RTLD_DI_LINKMAP, &map) == 0)
        snprintf(path, sizeof(path), "%s", map->l_name);
    dlclose(host->image);
    host->image = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (host->image != NULL) /* something keeps it: the next copy needs another file */
        host->image_file = 0;
    host->image = NULL;
}

void host_enter_image(void *entry)
{
#if defined(__x86_64__)
    __asm__ volatile("xor %%edx, %%edx\n\tpush %1\n\tjmp *%0"
                     :
                     : "a"(entry), "r"(0L)
                     : "rdx", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("mov x0, xzr\n\tstp xzr, xzr, [sp, #-16]!\n\tbr %0"
                     :
                     : "r"(entry)
                     : "x0", "memory");
#else
    (void)entry;
#endif
    __builtin_unreachable();
}
