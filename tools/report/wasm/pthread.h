/* SPDX-License-Identifier: MIT */
/* For the fold as WebAssembly: the runtime's structures name these types, and nothing calls them. */
#ifndef LOGP_WASM_PTHREAD_H
#define LOGP_WASM_PTHREAD_H

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;

#endif
