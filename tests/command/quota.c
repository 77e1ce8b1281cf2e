/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, a host whose control groups allow so much processor time as the variable QUOTA says,
 * in the words of cpu.max: "50000 100000" is half a processor. The group of the process has no
 * limit of its own, the one above it has this one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *text(char *contents)
{
    return fmemopen(contents, strlen(contents), "r");
}

__attribute__((visibility("default"))) FILE *fopen(const char *restrict path,
                                                   const char *restrict mode)
{
    static char groups[] = "1:cpu:/elsewhere\n0::/outer/inner\n", no_limit[] = "max 100000\n";
    FILE *(*real)(const char *, const char *);

    if (strcmp(path, "/proc/self/cgroup") == 0)
        return text(groups);
    if (strcmp(path, "/sys/fs/cgroup/outer/inner/cpu.max") == 0)
        return text(no_limit);
    if (strcmp(path, "/sys/fs/cgroup/outer/cpu.max") == 0)
        return text(getenv("QUOTA"));
    if (strcmp(path, "/sys/fs/cgroup/cpu.max") == 0)
        return NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return real(path, mode);
}
