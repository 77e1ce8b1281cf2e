/* SPDX-License-Identifier: MIT */
/*
 * --compute: the program's own computing takes time on the virtual clock. Each function of MPI has a
 * second one (made from functions.txt) that first charges what the rank has computed since its last
 * call: the processor time of its thread, times a factor. The copies of the executable call these;
 * nothing else does, so runs without --compute pay nothing.
 */
#include "host.h"

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
    char name[64];

    for (const struct timed_function *f = timed_functions; f->name != NULL; f++)
        for (int profiled = 0; profiled < 2; profiled++) {
            const Elf64_Sym *symbol;

            snprintf(name, sizeof(name), "%s%s", profiled ? "P" : "", f->name);
            symbol = symbol_of(job, name);
            if (symbol != NULL && symbol->st_shndx == SHN_UNDEF)
                set_address((Elf64_Sym *)symbol, (void *)f->function);
        }
}
