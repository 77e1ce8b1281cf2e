/* SPDX-License-Identifier: MIT */
/*
 * Thread-specific data of a rank. Ranks that share a thread would share the values of a key, as that of a library which
 * has made it for its process. So the values of keys that a rank has made are the rank's own, whatever its thread is;
 * threads that it makes have theirs, as usual. When there are no more keys, further ones are for ranks alone.
 */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum { FIRST_OWN = 1 << 20 }; /* keys that the C library does not have */

struct specific {
    pthread_key_t key;
    unsigned generation;
    const void *value;
};

static _Atomic unsigned
    made_by_rank[PTHREAD_KEYS_MAX]; /* the generation of a key; 0: it is not one of ranks */
static _Atomic unsigned last_generation, n_own;

static __typeof__(pthread_getspecific) *next_get;
static __typeof__(pthread_setspecific) *next_set;

/* Also before the constructors, in the only thread: by then dlsym() may ask for a value, by way of the free() of a
 * sanitizer that is being set up and has none yet. */
__attribute__((constructor)) static void find_next(void)
{
    static bool is_finding;

    if (is_finding)
        return;
    is_finding = true;
    next_get = NEXT(pthread_getspecific);
    next_set = NEXT(pthread_setspecific);
    is_finding = false;
}

/* 0: its values are those of threads. relaxed, here and below: a key is passed on by other means */
static unsigned generation_of(pthread_key_t key)
{
    if (key >= FIRST_OWN)
        return 1;
    return key < PTHREAD_KEYS_MAX ? atomic_load_explicit(&made_by_rank[key], memory_order_relaxed)
                                  : 0;
}

static struct host_rank *rank_of(pthread_key_t key)
{
    return generation_of(key) != 0 ? host_here() : NULL;
}

static struct specific *find(const struct host_rank *h, pthread_key_t key)
{
    for (int i = 0; i < h->n_specific; i++)
        if (h->specific[i].key == key)
            return &h->specific[i];
    return NULL;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    const int rc = NEXT(pthread_key_create)(key, destructor);

    if (host_here() == NULL || the_job->main != NULL ||
        host_is_own_code(__builtin_return_address(0)))
        return rc;
    if (rc == 0)
        atomic_store_explicit(&made_by_rank[*key],
                              atomic_fetch_add_explicit(&last_generation, 1, memory_order_relaxed) +
                                  1,
                              memory_order_relaxed);
    else if (rc == EAGAIN)
        *key = FIRST_OWN + atomic_fetch_add_explicit(&n_own, 1, memory_order_relaxed);
    return rc == EAGAIN ? 0 : rc;
}

EXPORT int pthread_key_delete(pthread_key_t key)
{
    if (key >= FIRST_OWN)
        return 0;
    if (key < PTHREAD_KEYS_MAX)
        atomic_store_explicit(&made_by_rank[key], 0, memory_order_relaxed);
    return NEXT(pthread_key_delete)(key);
}

EXPORT void *pthread_getspecific(pthread_key_t key)
{
    const struct host_rank *h = rank_of(key);
    const struct specific *s = h != NULL ? find(h, key) : NULL;

    if (h == NULL && next_get == NULL)
        find_next();
    if (h == NULL)
        return key < FIRST_OWN && next_get != NULL ? next_get(key) : NULL;
    return s != NULL && s->generation == generation_of(key) ? (void *)(uintptr_t)s->value : NULL;
}

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    struct host_rank *h = rank_of(key);
    struct specific *s = h != NULL ? find(h, key) : NULL;

    if (h == NULL && next_set == NULL)
        find_next();
    if (h == NULL)
        return key < FIRST_OWN && next_set != NULL ? next_set(key, value) : EINVAL;
    if (s == NULL) {
        s = realloc(h->specific, (size_t)(h->n_specific + 1) * sizeof(*s));
        if (s == NULL)
            return ENOMEM;
        h->specific = s;
        s += h->n_specific++;
    }
    *s = (struct specific){key, generation_of(key), value};
    return 0;
}

void host_end_keys(struct host_rank *h)
{
    free(h->specific);
    h->specific = NULL;
    h->n_specific = 0;
}
