/* SPDX-License-Identifier: MIT */
/* A hint in spin loops: it leaves the core to its other hardware thread. */
#ifndef LPI_RELAX_H
#define LPI_RELAX_H

static inline void lpi_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
