/* SPDX-License-Identifier: MIT */
/*
 * Programs compiled with `logp-cc --check-accesses` call these functions before each load and store
 * whose address may be known elsewhere: the compiler's calls for a detector of data races. They are
 * compared with the buffers of the rank's requests and operations that are not complete, and with
 * the operations of other ranks on its windows (conflict.c). Volatile and atomic accesses are not
 * compared: a program may poll with them.
 * Source: GCC's and LLVM's interface of ThreadSanitizer
 */
#include "check.h"
#include "host/host.h"

#include <string.h>

/* The program's copies of these declarations differ, or are there only with the option. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

#define EXPORT __attribute__((visibility("default")))

/* Whether no access to the buffer of the call at this place has been reported yet; and note it.
 * False, too, once MOST_PLACES are noted. */
static bool is_news(uintptr_t place)
{
    struct said *said = &the_said;
    int i = 0;

    pthread_mutex_lock(&said->mutex);
    while (i < said->n_accesses && said->accesses[i] != place)
        i++;
    if (i == said->n_accesses && i < MOST_PLACES)
        said->accesses[said->n_accesses++] = place;
    else
        i = MOST_PLACES;
    pthread_mutex_unlock(&said->mutex);
    return i < MOST_PLACES;
}

static void name_access(const struct rank *rank, const struct request *by, bool writes,
                        void *caller)
{
    const uintptr_t places[2] = {by->caller != NULL ? host_place_of(rank->host, by->caller)
                                                    : by->place,
                                 host_place_of(rank->host, caller)};
    char texts[2][PLACE_TEXT];

    if (!is_news(places[0]))
        return;
    host_name_places(the_job, places, 2, texts);
    check_name_finding("rank %d: the buffer of %s%s is %s before the operation is complete%s\n",
                       logp_vp_rank(rank->vp), by->call, texts[0], writes ? "written" : "read",
                       texts[1]);
}

/* Check an access to a buffer of `by` (NULL: to none), and perhaps to the memory of a window. */
static __attribute__((noinline)) void check_accessed(const struct rank *rank, struct request *by,
                                                     uintptr_t from, size_t n, bool writes,
                                                     void *caller)
{
    if (by != NULL) {
        name_access(rank, by, writes, caller);
        if (writes)
            by->n_summed = 0; /* so that check_sum() does not report it again */
    }
    for (struct win *w = rank->windows; w != NULL; w = w->next_of_rank)
        check_own_access(w, from, n, writes, writes ? "a store" : "a load", caller, true);
}

/* Functions of the program that combine elements use the buffers of their collective. */
static inline void accessed(const void *at, size_t n, bool writes, void *caller)
{
    const uintptr_t from = (uintptr_t)at, to = from + n;
    const struct rank *rank = the_job != NULL && the_run.checks ? mpi_rank_that_calls() : NULL;
    struct request *by;

    if (rank == NULL || rank->combines)
        return;
    by = user_of(&rank->receives, from, to, NULL);
    if (by == NULL && writes)
        by = user_of(&rank->sends, from, to, NULL);
    if (by != NULL || rank->windows != NULL)
        check_accessed(rank, by, from, n, writes, caller);
}

#define CALLER __builtin_return_address(0)
#define ACCESS(name, n, writes)                                                                    \
    EXPORT void __tsan_##name(const void *at)                                                      \
    {                                                                                              \
        accessed(at, n, writes, CALLER);                                                           \
    }
#define ACCESSES(n)                                                                                \
    ACCESS(read##n, n, false)                                                                      \
    ACCESS(write##n, n, true)                                                                      \
    ACCESS(read_write##n, n, true)                                                                 \
    ACCESS(unaligned_read##n, n, false)                                                            \
    ACCESS(unaligned_write##n, n, true)                                                            \
    ACCESS(unaligned_read_write##n, n, true)                                                       \
    EXPORT void __tsan_volatile_read##n(const void *at)                                            \
    {                                                                                              \
        (void)at;                                                                                  \
    }                                                                                              \
    EXPORT void __tsan_volatile_write##n(const void *at)                                           \
    {                                                                                              \
        (void)at;                                                                                  \
    }                                                                                              \
    EXPORT void __tsan_unaligned_volatile_read##n(const void *at)                                  \
    {                                                                                              \
        (void)at;                                                                                  \
    }                                                                                              \
    EXPORT void __tsan_unaligned_volatile_write##n(const void *at)                                 \
    {                                                                                              \
        (void)at;                                                                                  \
    }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT void __tsan_read_range(const void *at, unsigned long n)
{
    accessed(at, n, false, CALLER);
}

EXPORT void __tsan_write_range(const void *at, unsigned long n)
{
    accessed(at, n, true, CALLER);
}

EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    accessed(from, n, false, CALLER);
    accessed(to, n, true, CALLER);
    return memcpy(to, from, n);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t n)
{
    accessed(from, n, false, CALLER);
    accessed(to, n, true, CALLER);
    return memmove(to, from, n);
}

EXPORT void *__tsan_memset(void *to, int byte, size_t n)
{
    accessed(to, n, true, CALLER);
    return memset(to, byte, n);
}

EXPORT void __tsan_init(void)
{
}

EXPORT void __tsan_func_entry(const void *caller)
{
    (void)caller;
}

EXPORT void __tsan_func_exit(void)
{
}

/* The pointer to the virtual functions of a C++ object */
EXPORT void __tsan_vptr_read(void **at)
{
    (void)at;
}

EXPORT void __tsan_vptr_update(void **at, void *value)
{
    (void)at, (void)value;
}

/* ---- what the compiler also leaves to the detector: atomic operations, in the strongest order ---- */

#define ORDER __ATOMIC_SEQ_CST
#define UPDATE(bits, type, name)                                                                   \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)             \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_##name(at, value, ORDER);                                                  \
    }
#define EXCHANGE(bits, type, name, is_weak)                                                        \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                      \
        volatile type *at, type *expected, type value, int order, int failed_order)                \
    {                                                                                              \
        (void)order, (void)failed_order;                                                           \
        return __atomic_compare_exchange_n(at, expected, value, is_weak, ORDER, ORDER);            \
    }
#define ATOMICS(bits, type)                                                                        \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *at, int order)                     \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(at, ORDER);                                                         \
    }                                                                                              \
    EXPORT void __tsan_atomic##bits##_store(volatile type *at, type value, int order)              \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n(at, value, ORDER);                                                        \
    }                                                                                              \
    EXPORT type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order)           \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_exchange_n(at, value, ORDER);                                              \
    }                                                                                              \
    UPDATE(bits, type, fetch_add)                                                                  \
    UPDATE(bits, type, fetch_sub)                                                                  \
    UPDATE(bits, type, fetch_and)                                                                  \
    UPDATE(bits, type, fetch_or)                                                                   \
    UPDATE(bits, type, fetch_xor)                                                                  \
    UPDATE(bits, type, fetch_nand)                                                                 \
    EXCHANGE(bits, type, strong, false)                                                            \
    EXCHANGE(bits, type, weak, true)                                                               \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(                                        \
        volatile type *at, type expected, type value, int order, int failed_order)                 \
    {                                                                                              \
        (void)order, (void)failed_order;                                                           \
        __atomic_compare_exchange_n(at, &expected, value, false, ORDER, ORDER);                    \
        return expected;                                                                           \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

EXPORT void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(ORDER);
}

EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(ORDER);
}
