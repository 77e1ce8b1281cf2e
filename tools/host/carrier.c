/* SPDX-License-Identifier: MIT */
/*
 * Load an object and all that it needs, and look at them before a constructor has run. The loader has no
 * call for that. So it loads a carrier: a library, made here, that needs the object and has one address,
 * which an indirect function gives. The loader relocates what a library needs before the library itself, and runs constructors
 * after all of that. So it calls this function just in time.
 */
#include "picture.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__aarch64__)
enum { MACHINE = EM_AARCH64, DATA = R_AARCH64_GLOB_DAT };
#else
enum { MACHINE = EM_X86_64, DATA = R_X86_64_GLOB_DAT };
#endif

enum { INDIRECT_FUNCTION = 10 /* STT_GNU_IFUNC */, MOST_NEEDED = 24 };

struct carrier {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    Elf64_Dyn dynamic[MOST_NEEDED + 9];
    Elf64_Sym symbols[2];
    Elf64_Rela relocation;
    uintptr_t address; /* that the loader asks for */
    char strings[];
};

static void add_entry(struct carrier *c, int *n, Elf64_Sxword tag, uint64_t value)
{
    c->dynamic[(*n)++] = (Elf64_Dyn){tag, {value}};
}

/* Put a string behind the others. @return its offset */
static size_t add_string(struct carrier *c, size_t *end, const char *text)
{
    const size_t at = *end;

    strcpy(c->strings + at, text);
    *end += strlen(text) + 1;
    return at;
}

static void describe(struct carrier *c, size_t bytes, uintptr_t (*relocated)(void))
{
    c->header = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = MACHINE,
        .e_version = EV_CURRENT,
        .e_phoff = offsetof(struct carrier, segments),
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 3};
    c->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                  .p_flags = PF_R | PF_W,
                                  .p_filesz = bytes,
                                  .p_memsz = bytes,
                                  .p_align = 0x10000};
    c->segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                  .p_flags = PF_R | PF_W,
                                  .p_offset = offsetof(struct carrier, dynamic),
                                  .p_vaddr = offsetof(struct carrier, dynamic),
                                  .p_filesz = sizeof(c->dynamic),
                                  .p_memsz = sizeof(c->dynamic),
                                  .p_align = 8};
    c->segments[2] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    c->symbols[1] = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, INDIRECT_FUNCTION),
                                .st_other = STV_HIDDEN,
                                .st_shndx = SHN_ABS,
                                .st_value = (uintptr_t)relocated};
    c->relocation = (Elf64_Rela){offsetof(struct carrier, address), ELF64_R_INFO(1, DATA), 0};
}

/* @return a file in memory; -1: there is none */
static int make_carrier(const char *const *needed, const char *folders,
                        uintptr_t (*relocated)(void))
{
    size_t bytes = sizeof(struct carrier) + strlen(folders) + 2, end = 1;
    struct carrier *c;
    int n = 0, file;

    for (const char *const *name = needed; *name != NULL; name++)
        bytes += strlen(*name) + 1;
    c = calloc(1, bytes);
    if (c == NULL)
        return -1;
    describe(c, bytes, relocated);
    for (; *needed != NULL && n < MOST_NEEDED; needed++)
        add_entry(c, &n, DT_NEEDED, add_string(c, &end, *needed));
    if (*folders != '\0')
        add_entry(c, &n, DT_RPATH, add_string(c, &end, folders));
    add_entry(c, &n, DT_STRTAB, offsetof(struct carrier, strings));
    add_entry(c, &n, DT_STRSZ, end);
    add_entry(c, &n, DT_SYMTAB, offsetof(struct carrier, symbols));
    add_entry(c, &n, DT_SYMENT, sizeof(Elf64_Sym));
    add_entry(c, &n, DT_RELA, offsetof(struct carrier, relocation));
    add_entry(c, &n, DT_RELASZ, sizeof(Elf64_Rela));
    add_entry(c, &n, DT_RELAENT, sizeof(Elf64_Rela));
    file = host_file_of(c, bytes, "carrier");
    free(c);
    return file;
}

/* The loader does not compare the segments of a library with the size of its file. */
static void report_broken(int signal_number)
{
    const struct link_map *map = _r_debug.r_map;
    char text[PATH_MAX + 128];
    int n;

    (void)signal_number;
    while (map != NULL && map->l_next != NULL)
        map = map->l_next;
    n = snprintf(text, sizeof(text),
                 "logp: a library that the program needs has been cut or changed%s%s\n",
                 map != NULL && *map->l_name == '/' ? ", perhaps " : "",
                 map != NULL && *map->l_name == '/' ? map->l_name : "");
    if (n > 0 && host_write(STDERR_FILENO, text, (size_t)n) < 0)
        n = 0; /* there is no place for it */
    syscall(SYS_exit_group, 2);
}

bool host_load_carrier(const char *const *needed, const char *folders, uintptr_t (*relocated)(void),
                       char path[static 64])
{
    const struct sigaction report = {.sa_handler = report_broken, .sa_flags = SA_ONSTACK};
    const int file = make_carrier(needed, folders, relocated);
    struct sigaction bus, fault;
    void *carrier;

    if (file < 0)
        return false;
    snprintf(path, 64, "/proc/self/fd/%d",
             file); /* it stays open: a path used again is this object */
    sigaction(SIGBUS, &report, &bus);
    sigaction(SIGSEGV, &report, &fault);
    carrier = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    sigaction(SIGBUS, &bus, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    return carrier != NULL;
}
