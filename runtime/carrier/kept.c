/* SPDX-License-Identifier: MIT */
/* Threads and vps: bytes of a thread that belong to one vp of several that share it, and threads that act for a vp. */
#include "carrier/carrier.h"
#include "carrier/threads.h"
#include "host/rcu.h"

#include <logp/vp.h>

void logp_vp_keep(struct logp_vp *vp, struct logp_kept *kept)
{
    struct lpi_proc *p = vp->proc;

    if (p->core->machine->executor->has_threads)
        return;
    kept->next = p->kept;
    p->kept = kept;
}

int logp_vp_act(struct logp_vp *vp)
{
    if (vp != NULL && !vp->proc->core->machine->executor->has_threads)
        return -ENOTSUP;
    if (vp != NULL && lpi_this_core == NULL)
        lpi_rcu_register();
    else if (vp == NULL && lpi_this_core != NULL)
        lpi_rcu_unregister();
    lpi_this_core = vp != NULL ? vp->proc->core : NULL;
    return 0;
}

void lpi_kept_save(const struct logp_kept *kept)
{
    for (; kept != NULL; kept = kept->next)
        memcpy(kept->aside, kept->at, kept->n_bytes);
}

void lpi_kept_restore(const struct logp_kept *kept)
{
    for (; kept != NULL; kept = kept->next)
        memcpy(kept->at, kept->aside, kept->n_bytes);
}
