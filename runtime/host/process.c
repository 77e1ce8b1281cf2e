/* SPDX-License-Identifier: MIT */
/*
 * State that the machines of one process share.
 *
 * Forks: only the thread that forks lives on in the child. So the parent's machines have no
 * carriers there. Also, liburcu (memb) still counts the parent's threads as readers, although the C
 * library gives their memory to new threads. So a child of a process with machines cannot make or
 * run any: they are refused instead of hanging. If the parent had none, the child may make its own.
 *
 * Files: the child closes those that machines have opened. Their locks (registry.c) would else last
 * until the child ends.
 */
#define _GNU_SOURCE
#include "host/host.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static unsigned n_machines;
static int *files; /* -1: no file */
static int n_files;
static atomic_bool is_orphan; /* read without the lock */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    is_orphan = is_orphan || n_machines > 0;
    for (int i = 0; i < n_files; i++)
        if (files[i] >= 0)
            close(files[i]);
    n_files = 0; /* the memory stays: malloc() may not be called here */
    pthread_mutex_unlock(&lock);
}

static void init_once(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

bool lpi_process_enter(void)
{
    bool good;

    pthread_once(&once, init_once);
    pthread_mutex_lock(&lock);
    good = !is_orphan;
    n_machines += good;
    pthread_mutex_unlock(&lock);
    return good;
}

void lpi_process_leave(void)
{
    pthread_mutex_lock(&lock);
    n_machines--;
    pthread_mutex_unlock(&lock);
}

bool lpi_process_is_orphan(void)
{
    /* relaxed: it is set in the fork, before this process has a second thread */
    return atomic_load_explicit(&is_orphan, memory_order_relaxed);
}

/* It fails unless the process is registered: init_once(). */
bool lpi_process_fence(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* An entry of `files` that is free; NULL: no memory. */
static int *free_entry(void)
{
    int *more;

    for (int i = 0; i < n_files; i++)
        if (files[i] < 0)
            return &files[i];
    more = realloc(files, ((size_t)n_files + 1) * sizeof(*files));
    if (more == NULL)
        return NULL;
    files = more;
    files[n_files] = -1;
    return &files[n_files++];
}

int lpi_process_open(const char *path, int flags, unsigned mode)
{
    int file = -1, *entry;

    pthread_mutex_lock(&lock);
    entry = free_entry();
    if (entry != NULL)
        file = *entry = open(path, flags | O_CLOEXEC, mode);
    pthread_mutex_unlock(&lock);
    return file;
}

/* Locks are given back first: the child of a fork that has not closed its copy yet would keep them. */
void lpi_process_close(int file)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    pthread_mutex_lock(&lock);
    for (int i = 0; i < n_files; i++)
        if (files[i] == file) {
            files[i] = -1;
            fcntl(file, F_OFD_SETLK, &all);
            close(file);
        }
    pthread_mutex_unlock(&lock);
}
