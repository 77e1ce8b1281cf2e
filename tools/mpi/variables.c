/* SPDX-License-Identifier: MIT */
/*
 * Variables of the C library that each rank has for itself. An executable refers to such a variable
 * by a symbol, or it has a copy of it (an R_*_COPY relocation). In the first case the symbol in the
 * rank's copy of the executable becomes an absolute address, that of the rank's own variable; so it
 * is there before the first constructor runs. In the second case the copy is the rank's own.
 */
#include "host.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t offset, size; /* in struct variables */
} variables[N_VARIABLES] = {
#define VARIABLE(name, field)                                                                      \
    {                                                                                              \
        name, offsetof(struct variables, field), sizeof(((struct variables *)NULL)->field)         \
    }
    VARIABLE("optarg", optarg), VARIABLE("optind", optind), VARIABLE("opterr", opterr),
    VARIABLE("optopt", optopt), VARIABLE("stdin", input),
};

void find_variables(struct job *job)
{
    const Elf64_Shdr *s = section(job->file, SHT_DYNSYM, NULL);
    const Elf64_Shdr *all =
        (const Elf64_Shdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_shoff);

    for (size_t i = 0; s != NULL && i < s->sh_size / sizeof(Elf64_Sym); i++) {
        const size_t at = s->sh_offset + i * sizeof(Elf64_Sym);
        const Elf64_Sym *symbol = (const Elf64_Sym *)(job->file + at);
        const char *name = job->file + all[s->sh_link].sh_offset + symbol->st_name;

        for (int v = 0; v < N_VARIABLES; v++) {
            if (strcmp(name, variables[v].name) != 0)
                continue;
            if (symbol->st_shndx == SHN_UNDEF)
                job->symbols[v].at = at;
            else
                job->symbols[v].own = symbol->st_value;
        }
    }
}

/* The loader takes it as it is: it looks for no other definition, also where it binds late. */
void set_address(Elf64_Sym *symbol, uintptr_t address)
{
    symbol->st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
    symbol->st_other = STV_HIDDEN;
    symbol->st_shndx = SHN_ABS;
    symbol->st_value = address;
}

void give_variables(const struct job *job, struct host_rank *host, int fd)
{
    host->variables =
        (struct variables){.optind = 1, .opterr = 1, .optopt = '?', .input = input_of(job, host)};
    for (int v = 0; v < N_VARIABLES; v++) {
        host->at[v] = (char *)&host->variables + variables[v].offset;
        if (job->symbols[v].at != 0) {
            Elf64_Sym symbol = *(const Elf64_Sym *)(job->file + job->symbols[v].at);

            set_address(&symbol, (uintptr_t)host->at[v]);
            if (pwrite(fd, &symbol, sizeof(symbol), (off_t)job->symbols[v].at) < 0)
                host->at[v] = NULL;
        }
    }
}

void begin_variables(const struct job *job, struct host_rank *host, uintptr_t base)
{
    for (int v = 0; v < N_VARIABLES; v++)
        if (job->symbols[v].own != 0) {
            const void *value = host->at[v];

            host->at[v] = (void *)(base + job->symbols[v].own);
            memcpy(host->at[v], value, variables[v].size);
        }
}
