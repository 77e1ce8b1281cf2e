/* SPDX-License-Identifier: MIT */
/*
 * A buffer that begins a block of malloc() and is longer than it, as where the rows of an array were allocated one by one
 * and are sent as one. The header of a block of glibc is its size and three flags, before its first byte. These
 * bytes may also be data of a program, so a buffer is named only if blocks follow each other from it to the end of its
 * arena.
 */
#include "check.h"
#include "host/host.h"

#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

enum { HEADER = 2 * sizeof(size_t), IS_MAPPED = 2, OTHER_ARENA = 4, FLAGS = 7 };
enum {
    MOST_LOOKS = 32, /* at buffers that are not named: each reads the list of mappings */
    MOST_BLOCKS = 1 << 20
};
static const uintptr_t heap_bytes = (uintptr_t)64
                                    << 20; /* those of arenas but the first begin at multiples */

struct mapping {
    uintptr_t from, to;
    bool is_main; /* the heap of the first arena */
};

static size_t head_at(uintptr_t block)
{
    size_t head;

    memcpy(&head, (const char *)block + sizeof(head), sizeof(head));
    return head;
}

/* Whether malloc() is that of glibc: sanitizers and other libraries have their own. */
static bool is_usual_malloc(void)
{
    void *const f = dlsym(RTLD_DEFAULT, "malloc");
    const char *slash;
    Dl_info library;

    if (f == NULL || dladdr(f, &library) == 0)
        return false;
    slash = strrchr(library.dli_fname, '/');
    return strncmp(slash != NULL ? slash + 1 : library.dli_fname, "libc.so", 7) == 0;
}

static bool find_mapping(uintptr_t at, struct mapping *out)
{
    FILE *f = fopen("/proc/self/maps", "re");
    unsigned long from, to;
    char line[4352];
    bool found = false;

    while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && at >= from && at < to) {
            *out = (struct mapping){from, to, strstr(line, "[heap]") != NULL};
            found = true;
        }
    if (f != NULL)
        fclose(f);
    return found;
}

/* Whether blocks follow each other from this one to the end of the arena. */
static bool reaches(uintptr_t block, uintptr_t end)
{
    for (int i = 0; i < MOST_BLOCKS && block + 2 * HEADER < end; i++) {
        const size_t bytes = head_at(block) & ~(size_t)FLAGS;

        if (bytes < 2 * HEADER || bytes % HEADER != 0 || bytes > end - block)
            return false;
        block += bytes;
        if (i == 0 && block + HEADER < end && (head_at(block) & 1) == 0)
            return false; /* the first one would be free */
    }
    return block + 2 * HEADER >= end;
}

/* Whether this address is the start of what malloc() has given. */
static bool begins_block(uintptr_t at)
{
    const uintptr_t block = at - HEADER, heap = block / heap_bytes * heap_bytes;
    const size_t head = head_at(block), bytes = head & ~(size_t)FLAGS;
    struct mapping r;
    size_t size;

    if (!is_usual_malloc() || !find_mapping(block, &r))
        return false;
    if ((head & IS_MAPPED) != 0)
        return block % 4096 == 0 && bytes % 4096 == 0 && bytes <= r.to - block;
    if ((head & OTHER_ARENA) == 0)
        return r.is_main && reaches(block, r.to);
    if (heap < r.from)
        return false;
    memcpy(&size, (const char *)heap + 2 * sizeof(void *), sizeof(size));
    return size % 4096 == 0 && size <= r.to - heap && reaches(block, heap + size);
}

void check_block(uintptr_t at, size_t bytes)
{
    const struct rank *r = mpi_this_rank();
    char here[PLACE_TEXT];
    size_t given;

    /* relaxed, both: no data depends on them */
    if (atomic_fetch_add_explicit(&the_said.looks, 1, memory_order_relaxed) >= MOST_LOOKS ||
        !begins_block(at))
        return;
    given = malloc_usable_size((void *)at);
    if (bytes <= given || atomic_flag_test_and_set_explicit(&the_said.block, memory_order_relaxed))
        return;
    check_name_finding(
        "rank %d: %s: a buffer has %zu bytes, but the block of malloc() that it begins has %zu%s; "
        "rows that are allocated one by one are not one block; more such buffers are not named\n",
        logp_vp_rank(r->vp), r->call, bytes, given, host_name_here(here));
}
