/* SPDX-License-Identifier: MIT */
/* For the fold as WebAssembly, which has one thread that never ends: the data of the thread are not
 * freed. The runtime's structures name the other types, and nothing calls their functions. */
#ifndef LOGP_WASM_PTHREAD_H
#define LOGP_WASM_PTHREAD_H

#include <stddef.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t, pthread_once_t, pthread_key_t;

#define PTHREAD_ONCE_INIT 0

static inline int pthread_once(pthread_once_t *once, void (*init)(void))
{
    if (*once == 0)
        init();
    *once = 1;
    return 0;
}

static inline int pthread_key_create(pthread_key_t *key, void (*free)(void *))
{
    *key = 0;
    return 0;
}

static inline void *pthread_getspecific(pthread_key_t key)
{
    return NULL;
}

static inline int pthread_setspecific(pthread_key_t key, const void *value)
{
    return 0;
}

#endif
