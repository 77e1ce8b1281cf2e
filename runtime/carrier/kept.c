/* SPDX-License-Identifier: MIT */
/* Bytes of a thread that belong to one vp of several that share it. */
#include "carrier/carrier.h"
#include "carrier/threads.h"

#include <logp/vp.h>

void logp_vp_keep(struct logp_vp *vp, struct logp_kept *kept)
{
    struct lpi_proc *p = vp->proc;

    if (p->core->machine->executor->has_threads)
        return;
    kept->next = p->kept;
    p->kept = kept;
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
