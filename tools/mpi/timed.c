/* SPDX-License-Identifier: MIT */
/*
 * --compute: the program's own computing takes time on the virtual clock. Each function of MPI has a
 * second one (made from functions.txt) that first charges what the rank has computed since its last
 * call: the processor time of its thread, times a factor. The copies of the executable call these;
 * nothing else does, so runs without --compute pay nothing.
 */
#include "host.h"

#include <string.h>
#include <time.h>

static int64_t processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void charge_computing(void)
{
    struct rank *r = the_job != NULL && the_job->compute > 0 ? rank_here() : NULL;

    if (r != NULL)
        class_of(logp_compute(
            r->vp, (int64_t)((double)(processor_ns() - r->host->computes_ns) * the_job->compute),
            NULL, NULL));
}

void resume_computing(void)
{
    struct rank *r = the_job != NULL && the_job->compute > 0 ? rank_here() : NULL;

    if (r != NULL)
        r->host->computes_ns = processor_ns();
}

void time_functions(struct job *job)
{
    const Elf64_Shdr *s = section(job->file, SHT_DYNSYM, NULL);
    const Elf64_Shdr *all =
        (const Elf64_Shdr *)(job->file + ((const Elf64_Ehdr *)job->file)->e_shoff);

    for (size_t i = 0; s != NULL && i < s->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym *symbol = (Elf64_Sym *)(job->file + s->sh_offset) + i;
        const char *name = job->file + all[s->sh_link].sh_offset + symbol->st_name;

        name += name[0] == 'P' && strncmp(name, "PMPI_", 5) == 0;
        for (const struct timed_function *f = timed_functions; f->name != NULL; f++)
            if (symbol->st_shndx == SHN_UNDEF && strcmp(name, f->name) == 0)
                set_address(symbol, (uintptr_t)f->function);
    }
}
