/* SPDX-License-Identifier: MIT */
/*
 * Messages from outside the machine. The injecting threads hold no core, so they use only atomic
 * state of the machine. The memory comes from malloc, the space from the machine's credit, and
 * the message goes to the mailbox of its vp.
 *
 * The gate (machine.injectors) is closed while no programs run: then the caller of
 * logp_machine_run() empties the mailboxes.
 */

#include "host/host.h"
#include "mail/mail.h"
#include "state/remote.h"
#include "state/message.h"

#include <errno.h>
#include <sched.h>

enum { OPEN = 1, ONE = 2 };

void lpi_injections_open(struct logp_machine *m)
{
    /* release pairs with the acquire in enter_gate(): time 0 is visible */
    atomic_fetch_or_explicit(&m->injectors, OPEN, memory_order_release);
}

void lpi_injections_close(struct logp_machine *m)
{
    atomic_fetch_and_explicit(&m->injectors, ~(unsigned)OPEN, memory_order_relaxed);
    /* acquire pairs with the release in leave_gate(): all injections are in the mailboxes */
    while (atomic_load_explicit(&m->injectors, memory_order_acquire) != 0)
        sched_yield();
}

static void leave_gate(struct logp_machine *m)
{
    /* release pairs with the acquire in lpi_injections_close() */
    atomic_fetch_sub_explicit(&m->injectors, ONE, memory_order_release);
}

static bool enter_gate(struct logp_machine *m)
{
    /* acquire pairs with the release in lpi_injections_open() */
    if (atomic_fetch_add_explicit(&m->injectors, ONE, memory_order_acquire) & OPEN)
        return true;
    lpi_pause();
    leave_gate(m);
    return false;
}

static int inject(struct logp_machine *m, const struct lpi_envelope *e)
{
    struct lpi_proc *to = &m->procs[e->dst];
    const int64_t cost = lpi_message_cost(e->n_bytes);
    struct lpi_message *msg;

    if (e->n_bytes > m->queue_limit || (size_t)cost > m->queue_limit)
        return -EMSGSIZE;
    if (lpi_credit_take(m, cost, cost) < 0)
        return -ENOBUFS;
    msg = lpi_message_foreign(to->core, e->n_bytes);
    if (msg == NULL) {
        atomic_fetch_add_explicit(&m->credit, cost, memory_order_relaxed);
        return -ENOMEM;
    }
    lpi_message_fill(msg, e);
    lpi_queue_push(to, msg);
    return 0;
}

int logp_machine_inject(struct logp_machine *m, int dst, int tag, const void *buf, size_t n_bytes)
{
    const struct lpi_envelope e = {.src = LOGP_OUTSIDE,
                                   .dst = dst,
                                   .tag = tag,
                                   .n_bytes = n_bytes,
                                   .arrival = LOGP_NEVER,
                                   .data = buf};
    int rc;

    if (dst < 0 || dst >= m->P || tag < 0 || (buf == NULL && n_bytes > 0))
        return -EINVAL;
    if (m->is_virtual || lpi_process_is_orphan() || (m->remote != NULL && !lpi_is_local(m, dst)))
        return -ENOTSUP;
    if (!enter_gate(m))
        return -ESRCH;
    rc = inject(m, &e);
    leave_gate(m);
    return rc;
}

void logp_machine_expect(struct logp_machine *m, bool expects)
{
    /* release pairs with the acquire in lpi_check_deadlock() */
    if (!m->is_virtual)
        atomic_store_explicit(&m->expects, expects, memory_order_release);
}
