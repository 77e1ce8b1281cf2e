/* SPDX-License-Identifier: MIT */
/*
 * The working directory of a rank, and its mask of permissions. The kernel has both for a thread, if the thread has
 * separated itself from the others. Ranks that share a thread change to their own when they come back to their code,
 * which is after a call of the guest. That costs each call something, so it is done for an executable that calls
 * chdir(), fchdir() or umask(); if a library alone does, they are those of all ranks.
 */
#include "picture.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of this thread: it has separated itself, or no other runs ranks; and whose directory it is in. */
static _Thread_local bool is_separate;
static _Thread_local const struct host_rank *is_of;

void host_find_directories(struct job *job)
{
    static const char *const calls[] = {"chdir", "fchdir", "umask"};

    job->directory = -1;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        job->changes_directory = job->changes_directory || host_symbol_of(job, calls[i]) != NULL;
    if (!job->changes_directory)
        return;
    job->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    job->mask = (mode_t)syscall(SYS_umask, 0);
    syscall(SYS_umask, job->mask);
}

/* Change to what this rank has. */
static void enter(const struct host_rank *h)
{
    is_of = h;
    syscall(SYS_fchdir, h->directory > 0 ? h->directory : the_job->directory);
    syscall(SYS_umask, h->has_mask ? h->mask : the_job->mask);
}

void host_begin_directory(const struct job *job, struct host_rank *h, bool is_only_thread)
{
    h->directory = 0;
    h->has_mask = false;
    if (!job->changes_directory || job->directory < 0)
        return;
    is_separate = is_separate || is_only_thread || unshare(CLONE_FS) == 0;
    if (is_separate)
        enter(h);
}

void host_enter_directory(const struct host_rank *h)
{
    const int error = errno;

    if (is_separate && is_of != h)
        enter(h);
    errno = error;
}

void host_end_directory(struct host_rank *h)
{
    if (h->directory > 0)
        host_close(h->directory);
    h->directory = 0;
}

/* Report once what ranks share. */
static void name_shared(const struct host_rank *h, const char *call, const char *what)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    /* relaxed: no data depends on it */
    if (!is_separate && !the_job->quiet && the_job->n_ranks > 1 &&
        !atomic_flag_test_and_set_explicit(&said, memory_order_relaxed))
        fprintf(stderr, "rank %d: %s changes %s of all ranks here%s\n", logp_vp_rank(h->vp), call,
                what,
                the_job->changes_directory ? ": this host does not let threads have their own"
                                           : ", since a library calls it");
}

static struct host_rank *changer(void)
{
    return the_job != NULL && the_job->main == NULL ? host_of_process() : NULL;
}

/* The rank has changed to another directory. */
static void keep(struct host_rank *h)
{
    const int directory = is_separate ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    host_end_directory(h);
    h->directory = directory > 0 ? directory : 0;
}

EXPORT int chdir(const char *path)
{
    struct host_rank *h = changer();
    int rc;

    if (h != NULL)
        name_shared(h, "chdir()", "the working directory");
    rc = (int)syscall(SYS_chdir, path);
    if (h != NULL && rc == 0)
        keep(h);
    return rc;
}

EXPORT int fchdir(int file)
{
    struct host_rank *h = changer();
    int rc;

    if (h != NULL)
        name_shared(h, "fchdir()", "the working directory");
    rc = (int)syscall(SYS_fchdir, file);
    if (h != NULL && rc == 0)
        keep(h);
    return rc;
}

/* The library of Fortran narrows the mask while it makes a scratch file, which has narrow permissions anyway. Ranks would restore
 * each other's. */
static bool is_of_fortran(const void *caller)
{
    uintptr_t offset;
    const struct picture *p = host_picture_of(host_in_picture((uintptr_t)caller), &offset);
    const struct object *library = p != NULL ? host_object_at(p, offset) : NULL;

    return library != NULL && strstr(library->path, "/libgfortran.") != NULL;
}

EXPORT mode_t umask(mode_t mask)
{
    struct host_rank *h = changer();

    if (h != NULL && is_of_fortran(__builtin_return_address(0)))
        return mask;
    if (h != NULL) {
        name_shared(h, "umask()", "the mask of permissions");
        h->mask = mask & 0777;
        h->has_mask = true;
    }
    return (mode_t)syscall(SYS_umask, mask);
}
