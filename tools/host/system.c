/* SPDX-License-Identifier: MIT */
/*
 * What a program asks of the system, and a rank has for itself: the name of its node.
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
    const struct host_rank *h = host_here();
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
