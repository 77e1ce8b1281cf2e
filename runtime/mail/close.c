/* SPDX-License-Identifier: MIT */
/* See close.h. */
#include "mail/close.h"

#include "mail/remote.h"
#include "mail/mailbox.h"
#include "mail/direct.h"

void lpi_direct_close(struct lpi_proc *p)
{
    struct logp_request *r;

    while ((r = lpi_direct_exposed(p)) != NULL && !lpi_direct_withdraw(p, r))
        lpi_poll(p->core);
}

int lpi_direct_stopped(struct lpi_proc *p, int stop)
{
    p->waits_for = NULL;
    p->waits_for_any = false;
    lpi_direct_close(p);
    if (p->core->machine->remote != NULL)
        lpi_remote_drop_receives(p);
    return stop;
}
