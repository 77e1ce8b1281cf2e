/* SPDX-License-Identifier: MIT */
/*
 * bench_soak --lives: machines are created and destroyed, with all kinds of events in between
 * (tests/support/life.h). After the first WARM lives, the numbers of open files and threads stay the same,
 * and the heap and the resident memory do not grow.
 */
#include "life.h"
#include "soak.h"

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

enum {
    PER_PART = 100,
    WARM = 200,                /* lives after which nothing may grow */
    SLACK_BYTES = 64 << 10,    /* of the heap: the C library keeps varying amounts */
    RESIDENT_BYTES = 16 << 20, /* of resident memory: stacks of ended threads are kept */
    PATIENCE_MS = 1000,        /* a thread that has been joined may be listed for a moment */
};

/* The resources of this process. */
struct holdings {
    long files, threads, resident_bytes;
    size_t heap_bytes;
};

static long entries(const char *path)
{
    DIR *dir = opendir(path);
    long n = 0;

    while (dir != NULL && readdir(dir) != NULL)
        n++;
    if (dir != NULL)
        closedir(dir);
    return n;
}

static long resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (f != NULL && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static struct holdings look(void)
{
    return (struct holdings){.files = entries("/proc/self/fd"),
                             .resident_bytes = resident_bytes(),
                             .threads = entries("/proc/self/task"),
                             .heap_bytes = mallinfo2().uordblks + mallinfo2().hblkhd};
}

/* As look(), after waiting for the ends of all but this number of threads. */
static struct holdings settled(long threads)
{
    struct holdings now = look();

    for (int i = 0; i < PATIENCE_MS && now.threads != threads; i++) {
        usleep(1000);
        now = look();
    }
    return now;
}

static int64_t lives(struct soak_part *part)
{
    static struct holdings first;
    static int so_far;
    struct holdings now;

    for (int i = 0; i < PER_PART && !soak_interrupted(); i++)
        live(2 + (int)soak_below(part, 8), soak_below(part, 2) == 0 ? "thread" : "fiber",
             soak_below(part, 2) == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL);
    if (soak_interrupted())
        return -EINTR;
    now = settled(1);
    so_far += PER_PART;
    if (so_far <= WARM)
        first = now;
    snprintf(
        part->what, sizeof(part->what),
        "%ld files, %ld threads, heap %zu, resident %ld bytes, where %ld, %ld, %zu and %ld were",
        now.files, now.threads, now.heap_bytes, now.resident_bytes, first.files, first.threads,
        first.heap_bytes, first.resident_bytes);
    return now.files == first.files && now.threads == first.threads &&
                   now.heap_bytes <= first.heap_bytes + SLACK_BYTES &&
                   now.resident_bytes <= first.resident_bytes + RESIDENT_BYTES
               ? PER_PART
               : -ENOSPC;
}

const struct soak_kind soak_lives = {.name = "lives", .usual = 100000, .run = lives};
