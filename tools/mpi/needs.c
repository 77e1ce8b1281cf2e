/* SPDX-License-Identifier: MIT */
/* --dry-run: the functions of MPI that a program and its own shared libraries need, and that are not there. */
#include "mpi/run.h"
#include "mpi/standard/rank.h"
#include "host/host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct needed {
    const char **missing; /* each once */
    size_t n_missing;
};

static const char *without_p(const char *name)
{
    return *name == 'P' || *name == 'p' ? name + 1 : name;
}

/* Whether a name of Fortran, mpi_comm_spawn_ or mpi_comm_spawn_f08_, is that of this function. */
static bool is_in_fortran(const char *name, const char *function)
{
    const size_t n = strlen(function);

    return strncasecmp(name, function, n) == 0 &&
           (strcmp(name + n, "_") == 0 || strcmp(name + n, "_f08_") == 0);
}

/* The name of the function that is missing; NULL: it is there */
static const char *missing_name(const char *name)
{
    for (const char *const *m = mpi_missing_functions; *m != NULL; m++)
        if (strcmp(*m, without_p(name)) == 0)
            return name;
        else if (is_in_fortran(without_p(name), *m))
            return *m;
    return dlsym(RTLD_DEFAULT, name) != NULL ? NULL : name;
}

static void note(struct needed *needed, const char *name)
{
    const char **more;

    if (strncasecmp(without_p(name), "MPI_", 4) != 0 || (name = missing_name(name)) == NULL)
        return;
    for (size_t i = 0; i < needed->n_missing; i++)
        if (strcmp(needed->missing[i], name) == 0)
            return;
    more = realloc(needed->missing, (needed->n_missing + 1) * sizeof(*more));
    if (more == NULL)
        return;
    needed->missing = more;
    more[needed->n_missing++] = strdup(name);
}

/* What an executable or a library, in memory, takes from others. */
static void note_symbols(struct needed *needed, const char *file)
{
    const Elf64_Shdr *s = host_section(file, SHT_DYNSYM, NULL);
    const Elf64_Shdr *all = (const Elf64_Shdr *)(file + ((const Elf64_Ehdr *)file)->e_shoff);
    const Elf64_Sym *symbols = s != NULL ? (const Elf64_Sym *)(file + s->sh_offset) : NULL;

    for (size_t i = 0; s != NULL && i < s->sh_size / sizeof(*symbols); i++)
        if (symbols[i].st_shndx == SHN_UNDEF)
            note(needed, file + all[s->sh_link].sh_offset + symbols[i].st_name);
}

static void note_library(const char *path, void *arg)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *file = fd >= 0 && fstat(fd, &st) == 0
                     ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                     : MAP_FAILED;

    if (fd >= 0)
        host_close(fd);
    if (file == MAP_FAILED)
        return;
    note_symbols(arg, file);
    munmap(file, (size_t)st.st_size);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void prepare_nothing(struct job *job)
{
    (void)job;
}

int mpi_list_missing(const struct mpi_program *program)
{
    struct job job = {
        .path = program->path, .quiet = true, .names_threads = true, .is_debugged = true};
    struct needed needed = {0};
    char why[512];

    if (host_read_image(&job, prepare_nothing, why, sizeof(why)) != 0) {
        fprintf(stderr, "logp: %s: %s\n", program->path, why);
        return 2;
    }
    note_symbols(&needed, job.file);
    host_each_own_library(&job, note_library, &needed);
    if (needed.n_missing == 0)
        printf("%s: all functions of MPI that it needs are there\n", program->path);
    else
        printf("%s: functions of MPI that it needs and that are not there:\n", program->path);
    if (needed.n_missing > 0)
        qsort(needed.missing, needed.n_missing, sizeof(*needed.missing), by_name);
    for (size_t i = 0; i < needed.n_missing; i++)
        printf("  %s\n", needed.missing[i]);
    fflush(stdout);
    return needed.n_missing > 0;
}
