/* SPDX-License-Identifier: MIT */
/*
 * A host that refuses memory once. The test's executable stands between the library and whatever
 * gives it memory, mappings, threads and hwloc's objects: the k-th request fails, all others
 * succeed, and what has not been given back is known. Only calls out of the library's own code
 * count, by whatever thread: what hwloc, the C library or the test need for themselves they get.
 */
#ifndef LOGP_TESTS_SHORT_OF_MEMORY_H
#define LOGP_TESTS_SHORT_OF_MEMORY_H

#include "support.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#define STANDS_IN __attribute__((visibility("default"), noinline))
#define CALLER __builtin_return_address(0)

/* What malloc and its like are in glibc: no dlsym() needed, which allocates itself. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *p);

static uintptr_t library_begin, library_end;
static atomic_int until_refusal; /* requests; <= 0: it is over */

static int look_at(struct dl_phdr_info *object, size_t size, void *arg)
{
    if (strstr(object->dlpi_name, "liblogp.so") == NULL)
        return 0;
    library_begin = UINTPTR_MAX;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        const uintptr_t end = begin + object->dlpi_phdr[i].p_memsz;

        if (object->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        library_begin = begin < library_begin ? begin : library_begin;
        library_end = end > library_end ? end : library_end;
    }
    return 1;
}

static bool from_library(const void *caller)
{
    return (uintptr_t)caller >= library_begin && (uintptr_t)caller < library_end;
}

/* From now on: refuse the k-th request; 0: none. */
static void refuse(int k)
{
    if (library_end == 0)
        cr_assert_eq(dl_iterate_phdr(look_at, NULL), 1);
    atomic_store(&until_refusal, k);
}

static bool refused(const void *caller)
{
    return from_library(caller) && atomic_load(&until_refusal) > 0 &&
           atomic_fetch_sub(&until_refusal, 1) == 1;
}

/* ---- what the library has ---- */

enum { MOST_HELD = 4096 };

static const void *held[MOST_HELD];
static size_t held_bytes[MOST_HELD]; /* of a mapping; else 0 */
static atomic_int n_held;
static atomic_flag held_lock = ATOMIC_FLAG_INIT;

static void lock_held(void)
{
    while (atomic_flag_test_and_set(&held_lock))
        sched_yield();
}

static void hold_mapping(const void *caller, const void *p, size_t n)
{
    if (!from_library(caller) || p == NULL || p == MAP_FAILED)
        return;
    lock_held();
    if (n_held < MOST_HELD) {
        held[n_held] = p;
        held_bytes[n_held] = n;
    }
    n_held++; /* beyond the table it is never let go, and so is a leak */
    atomic_flag_clear(&held_lock);
}

static void hold(const void *caller, const void *p)
{
    hold_mapping(caller, p, 0);
}

/* A mapping has to go as a whole. */
static void let_mapping_go(const void *p, size_t n)
{
    if (n_held == 0 || p == NULL)
        return;
    lock_held();
    for (int i = n_held < MOST_HELD ? n_held - 1 : MOST_HELD - 1; i >= 0; i--) {
        if (held[i] == p && held_bytes[i] == n) {
            held[i] = held[--n_held];
            held_bytes[i] = held_bytes[n_held];
            break;
        }
    }
    atomic_flag_clear(&held_lock);
}

static void let_go(const void *p)
{
    let_mapping_go(p, 0);
}

/* ---- memory ---- */

static void *given(const void *caller, void *p)
{
    hold(caller, p);
    return p;
}

static void *nothing(void)
{
    errno = ENOMEM;
    return NULL;
}

STANDS_IN void *malloc(size_t n)
{
    return refused(CALLER) ? nothing() : given(CALLER, __libc_malloc(n));
}

STANDS_IN void *calloc(size_t n, size_t size)
{
    return refused(CALLER) ? nothing() : given(CALLER, __libc_calloc(n, size));
}

STANDS_IN void *aligned_alloc(size_t alignment, size_t n)
{
    return refused(CALLER) ? nothing() : given(CALLER, __libc_memalign(alignment, n));
}

STANDS_IN void *realloc(void *p, size_t n)
{
    if (refused(CALLER))
        return nothing();
    let_go(p);
    return given(CALLER, __libc_realloc(p, n));
}

STANDS_IN void free(void *p)
{
    let_go(p);
    __libc_free(p);
}

/* A function of this name, of the library behind the executable. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

STANDS_IN void *mmap(void *at, size_t n, int protection, int flags, int file, off_t offset)
{
    if (refused(CALLER)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    at = REAL(mmap)(at, n, protection, flags, file, offset);
    hold_mapping(CALLER, at, n);
    return at;
}

STANDS_IN int munmap(void *p, size_t n)
{
    const int rc = REAL(munmap)(p, n);

    if (from_library(CALLER) && rc == 0)
        let_mapping_go(p, n);
    else if (from_library(CALLER))
        n_held++; /* what it never had is not let go: as wrong as a leak */
    return rc;
}

STANDS_IN int mprotect(void *p, size_t n, int protection)
{
    if (refused(CALLER)) {
        errno = ENOMEM;
        return -1;
    }
    return REAL(mprotect)(p, n, protection);
}

cpu_set_t *__sched_cpualloc(size_t n);
void __sched_cpufree(cpu_set_t *set);

STANDS_IN cpu_set_t *__sched_cpualloc(size_t n)
{
    return refused(CALLER) ? nothing() : given(CALLER, REAL(__sched_cpualloc)(n));
}

STANDS_IN void __sched_cpufree(cpu_set_t *set)
{
    let_go(set);
    REAL(__sched_cpufree)(set);
}

STANDS_IN FILE *fopen(const char *path, const char *mode)
{
    return refused(CALLER) ? nothing() : given(CALLER, REAL(fopen)(path, mode));
}

STANDS_IN int fclose(FILE *f)
{
    let_go(f);
    return REAL(fclose)(f);
}

/* ---- threads ---- */

STANDS_IN int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *),
                             void *arg)
{
    int rc;

    if (refused(CALLER))
        return EAGAIN;
    rc = REAL(pthread_create)(thread, attr, main, arg);
    hold(CALLER, rc == 0 ? (const void *)*thread : NULL);
    return rc;
}

STANDS_IN int pthread_join(pthread_t thread, void **result)
{
    let_go((const void *)thread);
    return REAL(pthread_join)(thread, result);
}

STANDS_IN int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t n, const cpu_set_t *set)
{
    return refused(CALLER) ? ENOMEM : REAL(pthread_attr_setaffinity_np)(attr, n, set);
}

/* ---- hwloc: its own header is not needed for pointers that are only passed on ---- */

int hwloc_topology_init(void **topology);
int hwloc_topology_load(void *topology);
void hwloc_topology_destroy(void *topology);

STANDS_IN int hwloc_topology_init(void **topology)
{
    int rc;

    if (refused(CALLER))
        return -1;
    rc = REAL(hwloc_topology_init)(topology);
    hold(CALLER, rc == 0 ? *topology : NULL);
    return rc;
}

STANDS_IN int hwloc_topology_load(void *topology)
{
    return refused(CALLER) ? -1 : REAL(hwloc_topology_load)(topology);
}

STANDS_IN void hwloc_topology_destroy(void *topology)
{
    let_go(topology);
    REAL(hwloc_topology_destroy)(topology);
}

/* ---- the test ---- */

/*
 * Let every request of a scenario fail in turn. It returns 0, or the error that the library gave
 * it, and has given everything back. Where it goes on in spite of the refusal it must have done
 * what it should, and says so by 0.
 */
static void without_each(const char *what, int (*scenario)(void *arg), void *arg)
{
    refuse(0);
    cr_assert_eq(scenario(arg), 0, "%s, with all memory", what); /* what is kept once for all */
    for (int k = 1;; k++) {
        int rc;

        n_held = 0;
        refuse(k);
        rc = scenario(arg);
        if (atomic_load(&until_refusal) > 0) {
            cr_assert_gt(k, 1, "%s asks for nothing", what);
            cr_assert_eq(rc, 0, "%s: %d", what, rc);
            cr_assert_eq(n_held, 0, "%s: %d kept", what, n_held);
            return;
        }
        cr_assert(rc == 0 || rc == -ENOMEM || rc == -EAGAIN, "%s, request %d refused: %d", what, k,
                  rc);
        cr_assert_eq(n_held, 0, "%s, request %d refused: %d kept", what, k, n_held);
        cr_assert_eq(scenario(arg), 0, "%s, after request %d was refused", what, k);
    }
}

#endif
