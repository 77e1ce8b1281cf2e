/* SPDX-License-Identifier: MIT */
/* The code of this library and of liblogp: their calls ask for the host's clocks, process and signals, and not for a rank's. */
#include "host.h"

#include <dlfcn.h>
#include <link.h>

static struct {
    uintptr_t from, to;
} own_code[2];

static int note_code(struct dl_phdr_info *info, size_t size, void *arg)
{
    const uintptr_t *const known = arg; /* an address in each */

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + p->p_vaddr;

        for (int k = 0; k < 2; k++)
            if (p->p_type == PT_LOAD && known[k] - from < p->p_memsz) {
                own_code[k].from = from;
                own_code[k].to = from + p->p_memsz;
            }
    }
    return 0;
}

__attribute__((constructor)) static void find_own_code(void)
{
    const uintptr_t known[] = {(uintptr_t)find_own_code,
                               (uintptr_t)dlsym(RTLD_DEFAULT, "logp_now")};

    dl_iterate_phdr(note_code, (void *)(uintptr_t)known);
}

bool host_is_own_code(const void *address)
{
    for (int k = 0; k < 2; k++)
        if ((uintptr_t)address >= own_code[k].from && (uintptr_t)address < own_code[k].to)
            return true;
    return false;
}
