/* SPDX-License-Identifier: MIT */
/* For the fold as WebAssembly, which has pages of one size. */
#ifndef LOGP_WASM_MMAN_H
#define LOGP_WASM_MMAN_H

#include <stddef.h>

enum { MADV_HUGEPAGE };

static inline int madvise(void *memory, size_t n_bytes, int advice)
{
    (void)memory, (void)n_bytes, (void)advice;
    return 0;
}

#endif
