/* SPDX-License-Identifier: MIT */
/* For the fold as WebAssembly, which has one thread: models are not replaced while they are read. */
#ifndef LOGP_WASM_URCU_H
#define LOGP_WASM_URCU_H

static inline void urcu_memb_read_lock(void)
{
}

static inline void urcu_memb_read_unlock(void)
{
}

static inline void urcu_memb_synchronize_rcu(void)
{
}

#endif
