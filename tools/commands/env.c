/* SPDX-License-Identifier: MIT */
/* Where the libraries of this command are; and logp env, which prints what a shell needs to build with it. */
#define _GNU_SOURCE
#include "commands/command.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the file is in this folder, whose path ends before `end`. */
static bool is_there(char *path, size_t size, const char *folder, const char *end, const char *name)
{
    return snprintf(path, size, "%.*s%s", (int)(end - folder), folder, name) < (int)size &&
           access(path, R_OK) == 0;
}

/* Find a file: in a build, below the folder of this command; installed, below that of liblogp. */
static bool find_file(char *path, size_t size, const char *built, const char *installed)
{
    const char *(*const version)(void) = logp_version;
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *slash;
    Dl_info library;
    void *address;

    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash != NULL && is_there(path, size, self, slash, built))
        return true;
    memcpy(&address, &version, sizeof(address));
    if (dladdr(address, &library) == 0)
        return false;
    slash = strrchr(library.dli_fname, '/');
    return slash != NULL && is_there(path, size, library.dli_fname, slash, installed);
}

const struct host_library mpi_library = {"mpirun", "the MPI library", "libmpi_abi.so.1",
                                         "/mpi/libmpi_abi.so.1", "/logp/libmpi_abi.so.1"},
                          explore_library = {
                              "explore", "the library of logp explore", "liblogp_explore.so.1",
                              "/explore/liblogp_explore.so.1", "/logp/liblogp_explore.so.1"};

struct problem *find_host_library(const struct host_library *l, char *path, size_t size)
{
    if (find_file(path, size, l->built, l->installed))
        return NULL;
    return failure("%s %s is missing from the folders of this command; "
                   "in a build folder, type cmake --build and that folder; else install logp again",
                   l->name, l->file);
}

/* A word of the shell; within it a quote ends it, and begins it again. */
static void print_word(FILE *f, const char *text)
{
    putc('\'', f);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", f);
        else
            putc(*text, f);
    putc('\'', f);
}

static struct problem *env(struct question *q, struct answer_file *to)
{
    char driver[PATH_MAX], folder[PATH_MAX];

    if (q->line.n_words > 1)
        return usage_problem("%s: unexpected argument; type: eval \"$(logp env)\"",
                             q->line.words[1]);
    if (!find_file(driver, sizeof(driver), "/mpi/bin/mpicc", "/logp/mpi/bin/mpicc"))
        return failure("mpicc is missing from the folders of this command; install liblogp-dev, "
                       "or logp again");
    *strrchr(driver, '/') = '\0';
    if (realpath(driver, folder) == NULL)
        snprintf(folder, sizeof(folder), "%s", driver);
    fputs("export PATH=", to->f);
    print_word(to->f, folder);
    fputs("\"${PATH:+:$PATH}\" PKG_CONFIG_PATH=", to->f);
    print_word(to->f, folder);
    fputs("\"${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}\"\n", to->f);
    return NULL;
}

const struct command command_env = {
    .name = "env",
    .arguments = "",
    .summary = "print the line that puts mpicc, mpicxx, mpifort, mpirun, ... first in PATH",
    .remark =
        "In this shell:  eval \"$(logp env)\"\n"
        "Then projects that look for an MPI find this one: configure scripts by mpicc, CMake by\n"
        "find_package(MPI), Meson by dependency('mpi'), and pkg-config by `mpi`.",
    .call = env,
};
