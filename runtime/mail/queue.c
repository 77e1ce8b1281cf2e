/* SPDX-License-Identifier: MIT */
/* Mailboxes and their bells: see mail.h. */
#include "mail/mail.h"

#include "host/host.h"
#include "state/message.h"
#include "state/stop.h"

#include <sched.h>

static struct lpi_mailbox *mail_of(const struct lpi_proc *p)
{
    return &p->core->machine->mails[p->rank];
}

static void ring(struct lpi_proc *to)
{
    struct lpi_core *c = to->core;
    struct lpi_mailbox *mail = mail_of(to);
    struct lpi_proc *top;

    /* acq_rel: release pairs with the exchange in lpi_queue_take_bell(), so that the message is
     * visible to the holder that clears `rung`; acquire keeps the push onto the bell list behind it
     */
    if (atomic_exchange_explicit(&mail->rung, true, memory_order_acq_rel))
        return;
    lpi_pause();
    top = atomic_load_explicit(&c->bell, memory_order_relaxed);
    do {
        mail->bell_next = top;
        /* release pairs with the acquire exchange of the list in lpi_queue_take_bell() */
    } while (!atomic_compare_exchange_weak_explicit(&c->bell, &top, to, memory_order_release,
                                                    memory_order_relaxed));
    lpi_pause();
    /* release pairs with the acquire in lpi_queue_take_bell() */
    atomic_fetch_or_explicit(&c->attention, LPI_ATT_BELL, memory_order_release);
}

void lpi_queue_push(struct lpi_proc *to, struct lpi_message *m)
{
    cds_wfcq_node_init(&m->link.queue);
    LPI_RELEASE(m);
    cds_wfcq_enqueue(&mail_of(to)->head, &mail_of(to)->tail, &m->link.queue);
    lpi_pause();
    ring(to);
}

struct lpi_message *lpi_queue_pop(const struct lpi_proc *p)
{
    struct lpi_mailbox *mail = mail_of(p);
    struct cds_wfcq_node *node;

    /* It would block while an append is half done. That takes a few instructions, unless the
     * appending thread waits for this cpu: hence the yield. */
    while ((node = __cds_wfcq_dequeue_nonblocking(&mail->head, &mail->tail)) == CDS_WFCQ_WOULDBLOCK)
        sched_yield();
    LPI_ACQUIRE(node);
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
        struct lpi_proc *next = mail_of(p)->bell_next;

        lpi_pause();
        /* acq_rel pairs with the exchange in ring(): either the sender sees false and rings
         * again, or its message is visible to empty() below */
        atomic_exchange_explicit(&mail_of(p)->rung, false, memory_order_acq_rel);
        lpi_pause();
        empty(p);
        p = next;
    }
    return true;
}
