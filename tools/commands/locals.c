/* SPDX-License-Identifier: MIT */
/*
 * Space for the thread-local variables of an executable. Its code expects them next to the thread's own
 * data, at a distance that the linker has chosen: the loader puts those of the first executable there, or
 * of the first library that has any. So a library is made that has nothing but variables of
 * that size, and is loaded first. Each thread then has them where the executable looks, with their first values.
 */
#define _GNU_SOURCE
#include "commands/command.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What lies before the variables. */
struct front {
    Elf64_Ehdr header;
    Elf64_Phdr segments[4];
    Elf64_Dyn dynamic[5];
    Elf64_Sym symbols[1]; /* none, but the loader wants a table */
    char strings[8];
};

static void describe(struct front *f, uint64_t at, const struct thread_locals *v)
{
    const uint64_t total = at + v->initial_bytes, dynamic = offsetof(struct front, dynamic);

    *f = (struct front){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = v->machine,
                   .e_version = EV_CURRENT,
                   .e_phoff = offsetof(struct front, segments),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 4},
        .segments = {{.p_type = PT_LOAD,
                      .p_flags = PF_R | PF_W, /* the loader writes into the dynamic section */
                      .p_filesz = total,
                      .p_memsz = total,
                      .p_align = 0x10000},
                     {.p_type = PT_DYNAMIC,
                      .p_flags = PF_R | PF_W,
                      .p_offset = dynamic,
                      .p_vaddr = dynamic,
                      .p_filesz = sizeof(f->dynamic),
                      .p_memsz = sizeof(f->dynamic),
                      .p_align = 8},
                     {.p_type = PT_TLS,
                      .p_flags = PF_R,
                      .p_offset = at,
                      .p_vaddr = at,
                      .p_filesz = v->initial_bytes,
                      .p_memsz = v->bytes,
                      .p_align = v->align},
                     {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16}},
        .dynamic = {{DT_STRTAB, {offsetof(struct front, strings)}},
                    {DT_STRSZ, {sizeof(f->strings)}},
                    {DT_SYMTAB, {offsetof(struct front, symbols)}},
                    {DT_SYMENT, {sizeof(Elf64_Sym)}},
                    {DT_NULL, {0}}}};
}

int make_locals_library(const struct thread_locals *v)
{
    /* the same distance to a multiple of the alignment */
    const uint64_t front = (sizeof(struct front) + v->align - 1) / v->align * v->align;
    const uint64_t at = front + v->address % v->align;
    const int file = memfd_create("thread-local variables", 0);
    struct front f;
    char *bytes = calloc(1, at + v->initial_bytes);
    bool written = false;

    if (file >= 0 && bytes != NULL) {
        describe(&f, at, v);
        memcpy(bytes, &f, sizeof(f));
        memcpy(bytes + at, v->initial, v->initial_bytes);
        written = write(file, bytes, at + v->initial_bytes) == (ssize_t)(at + v->initial_bytes);
    }
    free(bytes);
    if (!written && file >= 0)
        close(file);
    return written ? file : -1;
}
