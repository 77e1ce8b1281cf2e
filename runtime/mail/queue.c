/* SPDX-License-Identifier: MIT */
/* Mailboxes and their bells (see mail.h), and messages from outside the machine. */
#include "mail/mail.h"

#include "host/host.h"
#include "state/message.h"
#include "state/remote.h"
#include "state/stop.h"

#include <errno.h>
#include <sched.h>
#include <urcu/uatomic.h>

static void ring(struct lpi_proc *to)
{
    struct lpi_core *c = to->core;
    struct lpi_mailbox *mail = lpi_mailbox_of(to);
    struct lpi_proc *top;

    /* acq_rel: release pairs with the exchange in lpi_queue_take_bell(), so that the message is
     * visible to the holder that clears `rung`; acquire keeps the push onto the bell list after it
     */
    if (atomic_exchange_explicit(&mail->rung, true, memory_order_acq_rel))
        return;
    lpi_pause();
    top = atomic_load_explicit(&c->bell, memory_order_relaxed); /* the exchange checks it */
    do {
        mail->bell_next = top;
        /* release pairs with the acquire exchange of the list in lpi_queue_take_bell() */
    } while (!atomic_compare_exchange_weak_explicit(&c->bell, &top, to, memory_order_release,
                                                    memory_order_relaxed));
    lpi_pause();
    /* release pairs with the acquire in lpi_queue_take_bell() */
    atomic_fetch_or_explicit(&c->attention, LPI_ATT_BELL, memory_order_release);
    lpi_give_work(c);
}

/* Mailboxes are zero until the first message, so that those of most vps of a large machine take no
 * memory. An empty queue of liburcu's ends with its head. */
static void begin_queue(struct lpi_mailbox *mail)
{
    /* no order is needed: what appends exchanges the same word */
    if (uatomic_read(&mail->tail.p) == NULL)
        uatomic_cmpxchg(&mail->tail.p, NULL, &mail->head.node);
}

void lpi_queue_push(struct lpi_proc *to, struct lpi_message *m)
{
    begin_queue(lpi_mailbox_of(to));
    cds_wfcq_node_init(&m->link.queue);
    LPI_RELEASE(m);
    cds_wfcq_enqueue(&lpi_mailbox_of(to)->head, &lpi_mailbox_of(to)->tail, &m->link.queue);
    lpi_pause();
    ring(to);
}

struct lpi_message *lpi_queue_pop(const struct lpi_proc *p)
{
    struct lpi_mailbox *mail = lpi_mailbox_of(p);
    struct cds_wfcq_node *node;

    if (uatomic_read(&mail->tail.p) == NULL) /* no message has been sent to it yet */
        return NULL;
    /* It would block while an append is half done. That takes a few instructions, unless the
     * appending thread waits for this cpu: hence the yield. */
    while ((node = __cds_wfcq_dequeue_nonblocking(&mail->head, &mail->tail)) == CDS_WFCQ_WOULDBLOCK)
        sched_yield();
    /* liburcu orders the load of the link before loads that depend on it, and the reader of a message
     * loads more. acquire pairs with the full barrier of the exchange in cds_wfcq_enqueue():
     * tests/runtime/models/queue.pml */
    LPI_ACQUIRE_FENCE(node);
    return (struct lpi_message *)(void *)node;
}

bool lpi_queue_take_bell(struct lpi_core *c, void (*empty)(const struct lpi_proc *p))
{
    struct lpi_proc *p;

    /* acquire pairs with the release in ring() */
    if ((atomic_load_explicit(&c->attention, memory_order_acquire) & LPI_ATT_BELL) == 0)
        return false;
    lpi_busy(c);
    /* acquire pairs with the release in ring(): the exchange below finds the proc of the bit */
    atomic_fetch_and_explicit(&c->attention, ~(unsigned)LPI_ATT_BELL, memory_order_acquire);
    lpi_pause();
    /* acquire pairs with the release of the push in ring() */
    p = atomic_exchange_explicit(&c->bell, NULL, memory_order_acquire);
    while (p != NULL) {
        struct lpi_proc *next = lpi_mailbox_of(p)->bell_next;

        lpi_pause();
        /* acq_rel pairs with the exchange in ring(): either the sender sees false and rings
         * again, or its message is visible to empty() below */
        atomic_exchange_explicit(&lpi_mailbox_of(p)->rung, false, memory_order_acq_rel);
        lpi_pause();
        empty(p);
        p = next;
    }
    return true;
}

/*
 * ---- messages from outside the machine ----
 * The injecting threads hold no core, so they use only atomic state of the machine. The memory comes
 * from malloc, the space from the machine's credit, and the message goes to the mailbox of its vp.
 *
 * The gate (machine.injectors) is closed while no programs run: then the caller of
 * logp_machine_run() empties the mailboxes.
 */

enum { OPEN = 1, ONE = 2 };

void lpi_injections_open(struct logp_machine *m)
{
    /* release pairs with the acquire in enter_gate(): time 0 is visible */
    atomic_fetch_or_explicit(&m->injectors, OPEN, memory_order_release);
}

void lpi_injections_close(struct logp_machine *m)
{
    /* relaxed: it publishes nothing */
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
        /* relaxed: as in lpi_credit_take() */
        atomic_fetch_add_explicit(&m->credit, cost, memory_order_relaxed);
        lpi_space_given(m);
        return -ENOMEM;
    }
    lpi_message_fill(msg, e);
    lpi_queue_push(to, msg);
    return 0;
}

int lpi_inject(struct logp_machine *m, const struct lpi_envelope *e)
{
    int rc;

    if (lpi_process_is_orphan() || !lpi_is_local(m, e->dst))
        return -ENOTSUP;
    if (!enter_gate(m))
        return -ESRCH;
    rc = inject(m, e);
    leave_gate(m);
    return rc;
}
