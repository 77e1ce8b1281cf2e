/* SPDX-License-Identifier: MIT */
/* For the fold as WebAssembly: see static/urcu-memb.h. */
#ifndef LOGP_WASM_URCU_H
#define LOGP_WASM_URCU_H

static inline void urcu_memb_synchronize_rcu(void)
{
}

#endif
