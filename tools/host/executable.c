/* SPDX-License-Identifier: MIT */
/* The executable as a file in memory: its sections, its symbols and their addresses. */
#include "host.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const Elf64_Shdr *host_section(const char *file, Elf64_Word type, const Elf64_Shdr *after)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *s = (const Elf64_Shdr *)(file + e->e_shoff);

    for (int i = 0; i < e->e_shnum; i++)
        if (s[i].sh_type == type && (after == NULL || &s[i] > after))
            return &s[i];
    return NULL;
}

Elf64_Sym *host_dynamic_symbols(const struct job *job, size_t *n)
{
    const Elf64_Shdr *s = host_section(job->file, SHT_DYNSYM, NULL);

    *n = s != NULL ? s->sh_size / sizeof(Elf64_Sym) : 0;
    return s != NULL ? (Elf64_Sym *)(job->file + s->sh_offset) : NULL;
}

const char *host_symbol_name(const struct job *job, const Elf64_Sym *symbol)
{
    const Elf64_Shdr *s = host_section(job->file, SHT_DYNSYM, NULL);
    const Elf64_Shdr *all =
        (const Elf64_Shdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_shoff);

    return job->file + all[s->sh_link].sh_offset + symbol->st_name;
}

const Elf64_Sym *host_symbol_of(const struct job *job, const char *name)
{
    size_t n;
    const Elf64_Sym *symbols = host_dynamic_symbols(job, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(host_symbol_name(job, &symbols[i]), name) == 0)
            return &symbols[i];
    return NULL;
}

/* The loader then looks for no other definition, also where it binds late. */
void host_set_address(Elf64_Sym *symbol, void *address)
{
    symbol->st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
    symbol->st_other = STV_HIDDEN;
    symbol->st_shndx = SHN_ABS;
    symbol->st_value = (uintptr_t)address;
}

const char *host_function_at(const struct job *job, uintptr_t address, uintptr_t *offset)
{
    const Elf64_Shdr *s = NULL, *all;
    const char *name = NULL;

    if (job->file == NULL)
        return NULL;
    s = host_section(job->file, SHT_SYMTAB, NULL);
    s = s != NULL ? s : host_section(job->file, SHT_DYNSYM, NULL);
    all = (const Elf64_Shdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_shoff);
    for (size_t i = 0; s != NULL && i < s->sh_size / sizeof(Elf64_Sym); i++) {
        const Elf64_Sym *symbol = (const Elf64_Sym *)(job->file + s->sh_offset) + i;

        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
            address - symbol->st_value < symbol->st_size) {
            name = job->file + all[s->sh_link].sh_offset + symbol->st_name;
            *offset = address - symbol->st_value;
        }
    }
    return name;
}

void *host_function_named(const struct host_rank *h, const char *name)
{
    static const Elf64_Word tables[] = {SHT_SYMTAB, SHT_DYNSYM};
    const char *file = h->job->file;
    const Elf64_Shdr *all = (const Elf64_Shdr *)(file + ((const Elf64_Ehdr *)file)->e_shoff);

    for (int t = 0; t < 2; t++) {
        const Elf64_Shdr *s = host_section(file, tables[t], NULL);

        for (size_t i = 0; s != NULL && i < s->sh_size / sizeof(Elf64_Sym); i++) {
            const Elf64_Sym *symbol = (const Elf64_Sym *)(file + s->sh_offset) + i;

            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
                strcmp(file + all[s->sh_link].sh_offset + symbol->st_name, name) == 0)
                return (void *)(h->base + symbol->st_value);
        }
    }
    return NULL;
}

uintptr_t host_address_in_file(const struct host_rank *h, uintptr_t address)
{
    const uintptr_t offset = address - h->base;

    if (address - h->wrappers < h->wrappers_bytes)
        return 0;
    return offset < h->job->image_bytes ? offset | (uintptr_t)h->job->index << PROGRAM_SHIFT : 0;
}

int host_file_of(const void *bytes, size_t n, const char *name)
{
    const int file = memfd_create(name, 0);
    size_t written = 0;

    while (file >= 0 && written < n) {
        const ssize_t k = host_write(file, (const char *)bytes + written, n - written);

        if (k <= 0)
            break;
        written += (size_t)k;
    }
    if (written == n)
        return file;
    if (file >= 0)
        host_close(file);
    return -1;
}

void host_write_address(const struct host_rank *host, const Elf64_Sym *symbol, void *address)
{
    Elf64_Sym own = *symbol;

    host_set_address(&own, address);
    if (pwrite(host->image_file, &own, sizeof(own), (const char *)symbol - host->job->file) < 0)
        return; /* a file in memory: it then stays the C library's */
}

size_t host_span_of(const Elf64_Phdr *segments, int n)
{
    size_t end = 0;

    for (int i = 0; i < n; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr + segments[i].p_memsz > end)
            end = segments[i].p_vaddr + segments[i].p_memsz;
    return end;
}
