/* SPDX-License-Identifier: MIT */
/*
 * What a program asks of the system, and a rank has for itself: the name of its node, and its number as a process.
 */
#include "host.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the node ---- */

int host_node_of(const struct job *job, int rank)
{
    return job->node_size > 0 ? rank / job->node_size : 0;
}

bool host_node_name(char *name, size_t size)
{
    const struct host_rank *h = host_owner();
    struct utsname system;

    if (h != NULL && the_job->node_size > 0)
        return (size_t)snprintf(name, size, "node%d", host_node_of(the_job, logp_vp_rank(h->vp))) <
               size;
    if (syscall(SYS_uname, &system) != 0)
        return false;
    return (size_t)snprintf(name, size, "%s", system.nodename) < size;
}

EXPORT int gethostname(char *name, size_t size)
{
    if (host_node_name(name, size))
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

EXPORT int uname(struct utsname *system)
{
    const int rc = (int)syscall(SYS_uname, system);

    if (rc == 0)
        host_node_name(system->nodename, sizeof(system->nodename));
    return rc;
}

/* ---- the number of the process ---- */

/* That of the process for rank 0, and numbers above those of processes (2^22) for the others: unlike those of other runs on
 * this host at the same time, so that names of temporary files differ. */
pid_t host_number_of(const struct job *job, int rank)
{
    const uint64_t first = UINT64_C(1) << 22, n = (UINT64_C(1) << 31) - first;

    if (rank == 0)
        return job->pid;
    return (pid_t)(first + ((uint64_t)job->pid * (uint64_t)job->n_ranks + (uint64_t)rank) % n);
}

/* A library of the system is shared by the ranks, and finds the files of the process in /proc by this number. */
EXPORT pid_t getpid(void)
{
    const void *caller = __builtin_return_address(0);
    const pid_t process = (pid_t)syscall(SYS_getpid);
    const struct host_rank *h =
        the_job != NULL && process == the_job->pid && !host_is_own_code(caller) ? host_owner()
                                                                                : NULL;

    return h != NULL && !host_is_system_code(caller)
               ? host_number_of(the_job, (int)(h - the_job->hosts))
               : process;
}
