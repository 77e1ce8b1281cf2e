/* SPDX-License-Identifier: MIT */
/* Mailboxes, matching and memory of messages: what the other folders call. */
#ifndef LPI_MAIL_H
#define LPI_MAIL_H

#include "state/message.h"
#include "state/remote.h"
#include "state/state.h"

#include <stdbool.h>
#include <stdint.h>

struct lpi_index;

/* ---- pool.c: memory of messages and requests, and the limit on queued data ---- */

/* A message with n_bytes of space for its payload, data set; NULL: no memory. */
struct lpi_message *lpi_message_new(struct lpi_core *c, size_t n_bytes);
/* The same, called by any thread, for messages that core `c` frees. */
struct lpi_message *lpi_message_foreign(struct lpi_core *c, size_t n_bytes);
void lpi_message_fill(struct lpi_message *m, const struct lpi_envelope *e);
/* `c` is the core of the caller. */
void lpi_message_free(struct lpi_core *c, struct lpi_message *m);

struct logp_request *lpi_request_new(struct lpi_core *c);
void lpi_request_free(struct lpi_core *c, struct logp_request *r);
/* After a run: free the requests that the program has not completed. */
void lpi_pool_forget_requests(struct lpi_core *c);
void lpi_pool_fini(struct lpi_core *c);

/* The queue limit: see pool.c. */
int64_t lpi_credit_take(struct logp_machine *m, int64_t least, int64_t most);
int lpi_credit_refill(struct lpi_core *c, int64_t bytes);
/* A message to `to` is no longer queued. Called by the holder of its core. */
void lpi_credit_give(struct lpi_proc *to, size_t n_bytes);

/*
 * ---- queue.c ----
 * The mailbox of a vp is a liburcu wait-free queue. Any thread may append to it
 * (logp_machine_inject()), but only the holder of the vp's core empties it. An append puts the vp on
 * the bell list of its core, so that the core need not poll every vp.
 */

static inline struct lpi_mailbox *lpi_mailbox_of(const struct lpi_proc *p)
{
    return &p->core->machine->mails[p->rank];
}

/* Append m and ring. Called by any thread; the receiver owns m afterwards. */
void lpi_queue_push(struct lpi_proc *to, struct lpi_message *m);
/* Take the oldest message; NULL: there is none. Called by the holder. */
struct lpi_message *lpi_queue_pop(const struct lpi_proc *p);
/* Call empty(p) for each proc on the bell list. Called by the holder. @return false: none */
bool lpi_queue_take_bell(struct lpi_core *c, void (*empty)(const struct lpi_proc *p));

/* ---- mailbox.c: sending to another core ---- */

/* As lpi_post(), to a vp of another core of this process. If it returns 0, it has taken over
 * e->message. */
int lpi_post_to_core(struct lpi_core *c, struct lpi_proc *to, const struct lpi_envelope *e);
/* The same for a message without a delay that fits into a line of the lane. @return false: it does
 * not, or there is no line or credit at once; nothing has been done */
bool lpi_post_inline(struct lpi_core *c, const struct lpi_proc *to, const struct lpi_label *label,
                     const void *data, size_t n_bytes);

/*
 * ---- heap.c ----
 * A 4-ary heap, ordered by (arrival, source, number). An entry does not move when its owner
 * changes: the owner changes its stamp and pushes a new entry. An entry whose stamp differs from
 * its owner's is stale. Stale entries are skipped at the top, and swept out when the heap is full.
 */

struct lpi_entry {
    int64_t arrival;
    uint64_t number;
    int src;
    unsigned stamp;
    unsigned *owner; /* the owner's stamp */
};

struct lpi_heap {
    struct lpi_entry *entries;
    int n, capacity;
};

/* false: no memory */
bool lpi_heap_push(struct lpi_heap *h, const struct lpi_entry *e);
/* The first entry that is not stale; NULL: there is none. Valid until the next push. */
const struct lpi_entry *lpi_heap_top(struct lpi_heap *h);
/* Remove stale entries and order the rest again, since the caller may have changed keys. */
void lpi_heap_sweep(struct lpi_heap *h);

/*
 * ---- index.c ----
 * An index of a vp's pending messages and posted receives, for vps that have many of them. Each
 * label in use has a bucket; a label may leave source and tag open. A receive is in the bucket of
 * its label, in the order of posting. A message is in the stream of its (context, source, tag).
 * Once a query has asked for any tag, a message is also in the stream of its (context, source).
 * Streams follow the order of the pending list. A label with any source has a heap of the first
 * messages of its streams, by arrival. So each search visits one to four buckets. A bucket with
 * both a message and a receive is ready: the two match. Once it is asked for, the index has a heap of
 * the ready buckets, by (arrival, source, order of posting). The index is made when a search has
 * visited LPI_FEW items in vain. It is maintained until no message is pending and no receive is
 * posted. Without memory for it, searches are linear: slower, but not wrong.
 */

enum { LPI_FEW = 24 };

/* Keeps the link-time optimizer from inlining rare code into the fast path. */
#define LPI_APART __attribute__((noinline))

/* Index all pending messages and posted receives. in->indexed is set if there is memory. */
LPI_APART void lpi_index_make(struct lpi_inbox *in);
LPI_APART void lpi_index_free(struct lpi_inbox *in);

/* Call the rest only while in->indexed. Each may run out of memory, and then clears it. */

/* m has become pending: as the last message, or before another of its source (not NULL), and then as
 * the first of its label. */
LPI_APART void lpi_index_pend(struct lpi_inbox *in, struct lpi_message *m,
                              struct lpi_message *before);
LPI_APART void lpi_index_unpend(struct lpi_inbox *in, struct lpi_message *m);
LPI_APART void lpi_index_post(struct lpi_inbox *in, struct logp_request *r);
LPI_APART void lpi_index_unpost(struct lpi_inbox *in, struct logp_request *r);

/* The message that a receive with this label takes, whenever it arrives; NULL: none. */
LPI_APART struct lpi_message *lpi_index_find(struct lpi_inbox *in, const struct lpi_label *l);
/* The first posted receive of a named source for such a message that has this capacity; NULL:
 * none. */
LPI_APART struct logp_request *lpi_index_taker(struct lpi_inbox *in, const struct lpi_label *l,
                                               size_t capacity);
/* The receive and the message that match first: by (arrival, source, order of posting) while a
 * receive from any source is posted, else by the order of posting alone. NULL: none match, or there
 * was no memory. */
LPI_APART struct logp_request *lpi_index_ready(struct lpi_inbox *in, struct lpi_message **m);

/* ---- match.c: messages and receives are matched ---- */

int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e);
bool lpi_deliver_here(struct lpi_proc *to, const struct lpi_label *l, const void *data,
                      size_t n_bytes, uint64_t bits, bool is_paid);
struct lpi_message *lpi_match_take_here(struct lpi_proc *p, const struct lpi_label *l,
                                        size_t capacity);
struct logp_request *lpi_match_taker(struct lpi_inbox *in, const struct lpi_label *l, size_t space);
LPI_APART void lpi_match_arrived(struct lpi_proc *p, int64_t until);
int64_t lpi_next_arrival(struct lpi_proc *p);
void lpi_match_post(struct lpi_proc *p, struct logp_request *r, int64_t until);
int lpi_match_restore(struct lpi_proc *p, const struct logp_request *r);
void lpi_match_unpost(struct lpi_proc *p, struct logp_request *r);
struct lpi_message *lpi_match_find(struct lpi_proc *p, const struct lpi_label *l, int64_t until);
/* Call takes() for each pending message, those of a source in order, with the receive that could
 * take it, or NULL. If it returns true, the receive takes the message at once. */
void lpi_match_candidates(struct lpi_proc *p,
                          bool (*takes)(void *arg, const struct lpi_message *m,
                                        const struct logp_request *r),
                          void *arg);
/* Mark the posted receives that matter to a query for this label or for these requests. These are
 * the receives that the query names, and each receive that is posted before one that matters and
 * could take the same message (it hinders it). @return a receive for any tag is posted */
bool lpi_match_mark(struct lpi_proc *p, const struct lpi_label *label,
                    struct logp_request *const *requests, int n);
/* Match the first message with this label, which names its source and tag, if it has arrived by
 * `until` and a posted receive can take it. */
void lpi_match_label(struct lpi_proc *p, const struct lpi_label *label, int64_t until);
/* Messages that could overtake: call later() for each pending message with `passed` > 0 pending ones
 * of its source before it, whatever their labels. r: the first posted receive that it fits; or NULL */
void lpi_match_later(struct lpi_proc *p,
                     void (*later)(void *arg, const struct lpi_message *m,
                                   const struct logp_request *r, int passed),
                     void *arg);
/* The pending message of that source with so many before it, or NULL */
struct lpi_message *lpi_match_later_find(struct lpi_proc *p, int src, int passed);
/* Match m, which is pending, with the first posted receive that it fits, if any. */
void lpi_match_later_take(struct lpi_proc *p, struct lpi_message *m);
/* The payload of e, which has matched r, is here: copy it, and r is BOUND. */
void lpi_match_complete(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e);
/* The program has ended: messages still match its posted receives, but their payloads are dropped. */
void lpi_match_forget_buffers(struct lpi_proc *p);
void lpi_match_close(struct lpi_proc *p);
void lpi_match_discard(struct lpi_proc *p);

/* Take the RTS that this CANCEL names from the pending messages, if it is still there. */
void lpi_match_withdraw(struct lpi_proc *p, const struct lpi_envelope *cancel);

/* ---- rendezvous.c: messages that need more than a copy when they are matched ---- */

/* r has matched e, which is ON_ITS_WAY, a SYNC_SEND or an RTS. */
LPI_APART void lpi_rendezvous_match(struct lpi_proc *p, struct logp_request *r,
                                    const struct lpi_envelope *e);
/* Deliver a CTS or data: it names its request, so it is neither matched nor queued. */
LPI_APART void lpi_rendezvous_deliver(struct lpi_proc *p, const struct lpi_envelope *e);
/* A remote payload is complete. Called by the holder of the receiver's core. */
void lpi_rendezvous_come(struct lpi_cargo *l);
/* Whether r, a receive of p that has answered, still waits for its data. */
bool lpi_rendezvous_awaits(const struct lpi_proc *p, const struct logp_request *r);

/* ---- direct.c: long messages between cores without a second copy ---- */

bool lpi_direct_fill(struct lpi_direct *o, const struct lpi_envelope *e);
void lpi_direct_expose(struct lpi_proc *p, struct logp_request *r);
bool lpi_direct_withdraw(struct lpi_proc *p, struct logp_request *r);
void lpi_direct_complete(struct lpi_proc *p, struct logp_request *r);
/* The receive of p whose buffer is exposed; NULL: none. */
struct logp_request *lpi_direct_exposed(const struct lpi_proc *p);

/* ---- poll.c: taking the messages of other cores and processes ---- */

/* Take messages from other cores and processes. Called by the holder of c, which waits or is about to
 * poll again: messages of some cores may be left for the next polls. @return true: took some */
bool lpi_poll(struct lpi_core *c);
/* The same, and all lanes are read. */
bool lpi_poll_all(struct lpi_core *c);
/* Machine with windows: when a window of c opens, after a poll, deliver the messages sent before c's next
 * action. */
void lpi_take_mail(struct lpi_core *c);
/* The same: all. The run is over. */
void lpi_take_all_mail(struct lpi_core *c);
/* As lpi_poll(), while another core copies into a buffer of c's and must get on. */
void lpi_poll_for_copy(struct lpi_core *c);
/* Withdraw p's exposed buffer. If a sender is filling it, its receive completes first. */
void lpi_direct_close(struct lpi_proc *p);
/* p learns that the run is over: its program may free its buffers afterwards. Not inlined: nearly all calls
 * have just a test for it. @return stop */
__attribute__((cold, noinline)) int lpi_direct_stopped(struct lpi_proc *p, int stop);

/* The error that calls of p return; 0: the run continues. Called by p. */
static inline __attribute__((always_inline)) int lpi_stopped(struct lpi_proc *p)
{
    /* acquire: as in lpi_stopping() */
    const int stop = atomic_load_explicit(&p->core->machine->stop, memory_order_acquire);

    return stop == 0 ? 0 : lpi_direct_stopped(p, stop);
}

/* ---- backpressure.c: sends that wait for space in the queue limit ---- */

/* p begins to wait for `needs` bytes, to send a message to dst. */
void lpi_space_join(struct lpi_proc *p, int64_t needs, int dst, int tag);
/* p holds its core again, and waits no longer. */
void lpi_space_leave(struct lpi_proc *p);
/* A message of this core was taken at time t: wake the procs for which there is space now. */
void lpi_space_freed(struct lpi_core *c, int64_t t);
/* At time t: wake procs if another core has freed space, or if a woken proc has not used its
 * space. */
void lpi_space_poll(struct lpi_core *c, int64_t t);
/* `to` has posted a receive: wake those that send to it, since a posted message needs no space. */
void lpi_space_posted(struct lpi_proc *to);
/* The machine's credit has grown: wake the cores that sleep while vps of theirs wait for it. */
void lpi_space_given_asleep(struct logp_machine *m);
static inline void lpi_space_given(struct logp_machine *m)
{
    /* pairs with lpi_process_fence() in sleep_idle(): the credit comes before the load */
    atomic_signal_fence(memory_order_seq_cst);
    /* relaxed: as above */
    if (__builtin_expect(atomic_load_explicit(&m->watchers, memory_order_relaxed) != 0, false))
        lpi_space_given_asleep(m);
}
/* Whether there is space for a waiting proc of any core. Meaningful only while all cores are
 * idle. */
bool lpi_space_for_one(const struct logp_machine *m);

/* ---- queue.c: messages from outside the machine ---- */

/* Programs begin. Called after the first start has been fixed. */
void lpi_injections_open(struct logp_machine *m);
/* Programs have ended, or the run is abandoned. No thread is injecting when this returns. */
void lpi_injections_close(struct logp_machine *m);
/* By any thread: see logp_machine_inject(). */
int lpi_inject(struct logp_machine *m, const struct lpi_envelope *e);

/* ---- remote.c: posting, and messages between processes ---- */

int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);
/* As lpi_post(), to a vp of another process. The payload, which is in e->data, is read until
 * lpi_remote_is_sent() returns true if it is long. */
int lpi_remote_send(struct lpi_proc *from, const struct lpi_envelope *e);
/* Whether p may change the payload of its last send. */
bool lpi_remote_is_sent(struct lpi_proc *p);
/* Take messages of other processes. Called by the holder of the first core. @return true: took
 * some */
bool lpi_remote_poll(struct lpi_core *c);
/* Poll for a short while, until a message comes. @return true: took some */
bool lpi_remote_await(struct lpi_core *c);
/* p, the caller, drops its receives: no payload is written to their buffers afterwards. */
void lpi_remote_drop_receives(struct lpi_proc *p);
/* Send a control message to a process. This process handles its own at once. To another process it
 * is called by the holder of c, which may be any core. */
void lpi_remote_tell(struct lpi_core *c, int process, struct lpi_wire w, const void *more,
                     size_t n);
/* The same to all other processes. */
void lpi_remote_tell_all(struct lpi_core *c, struct lpi_wire w);

/* ---- active.c: messages that a process handles ---- */

/* A message that a handler sends. */
struct lpi_reply {
    struct lpi_reply *next;
    int process;
    struct lpi_wire w;
    char bytes[];
};

/* Post w, an active message to a vp, from a handler. */
int lpi_active_post(struct logp_machine *m, const struct lpi_wire *w);
void lpi_active_hear(struct lpi_core *c, int from, const struct lpi_wire *w, const void *bytes);

#endif
