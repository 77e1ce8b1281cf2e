/* SPDX-License-Identifier: MIT */
/*
 * Messages that wait, receives that wait, and the memory of both.
 *
 * A message that finds its receive posted is copied straight into the buffer and never becomes a
 * struct lpi_message. The others are recycled through the pool of the core that made them: free
 * lists by size, so the steady state does not call malloc. A message freed by another core goes
 * back over the owner's `returned` list (pushed by anyone, taken whole by the owner: no ABA).
 */
#ifndef LPI_MESSAGE_H
#define LPI_MESSAGE_H

#include <logp/defs.h>

#include <stdatomic.h>
#include <urcu/wfcqueue.h>

struct lpi_core;
struct lpi_proc;
struct lpi_cargo; /* remote.h */
struct logp_request;

enum {
    LPI_INLINE = 48,      /* payload kept in the message itself */
    LPI_CLASSES = 18,     /* 0: inline; c: up to 128 << c bytes */
    LPI_CLASS_NONE = 255, /* beyond: of its own size */
};

/* What a receive asks for. */
struct lpi_label {
    uint32_t context;
    int src, tag;
};

/* A message of the program's, or one of the three of a send that waits for its receiver; where
 * choices are explored an isend has but one. */
enum lpi_message_kind {
    LPI_EAGER,
    LPI_IN_PLACE,   /* the same, with the payload in the buffer of the receive on offer */
    LPI_ON_ITS_WAY, /* from another process; the payload comes later, to where the cargo says */
    LPI_SYNC_SEND,  /* explored: with its payload; who takes it tells the sender's request */
    LPI_RTS,        /* is matched, as if it had the payload */
    LPI_CTS,        /* a receive has met it */
    LPI_DATA,       /* goes straight into the buffer of that receive */
};

/* A request and an answer have none: `rendezvous` stands in its place. Nor has what is on its way:
 * there it is `cargo`. */
static inline bool lpi_has_payload(enum lpi_message_kind kind)
{
    return kind < LPI_ON_ITS_WAY || kind == LPI_SYNC_SEND || kind == LPI_DATA;
}

/*
 * A send that waits for its receiver: its sender's own, until the run is over or both have done
 * with it. What the receiver's core reads of it is constant.
 */
struct lpi_rendezvous {
    struct lpi_rendezvous *next; /* of the same sender */
    struct lpi_proc *sender, *to;
    uint32_t context;
    int tag;
    size_t n_bytes;
    const void *data;             /* where it stays until the payload has been sent, ... */
    void *copy;                   /* ... here, or, NULL, with the caller */
    int64_t latency;              /* of the answer */
    struct logp_request *request; /* of the receiver, that has been met; NULL: none yet */
    int64_t at;                   /* when the answer is at the sender */
    struct logp_request *own;     /* the sender's, which is SENT when the payload has been sent */
};

/* What is known of a message while it is being handed over. */
struct lpi_envelope {
    uint32_t context;
    int src, dst, tag;
    size_t n_bytes;
    int64_t arrival; /* LOGP_NEVER: no delay was emulated */
    union {
        const void *data;                  /* payload; where it stays is the caller's business */
        struct lpi_rendezvous *rendezvous; /* of a request or an answer */
        struct lpi_cargo *cargo;           /* ON_ITS_WAY */
    };
    struct lpi_message *message;  /* already holds the payload; NULL: it does not */
    struct logp_request *request; /* of an answer or a payload: the receiver's; ASKING: the
                                     sender's */
    enum lpi_message_kind kind;
    bool is_paid; /* its bytes have been taken from the queue limit */
};

struct lpi_message {
    union {
        struct cds_wfcq_node queue;     /* while in a mailbox */
        struct lpi_message *free;       /* while in a free or returned list */
        struct lpi_cargo *cargo;        /* while ON_ITS_WAY */
        struct logp_request *sync_send; /* while ASKING: the sender's */
    } link;
    struct lpi_message *prev, *next;    /* pending list, in the order of delivery */
    struct lpi_message *next_in_stream; /* of the index */
    union {
        struct lpi_message *prev_of_source; /* the same */
        struct logp_request *request;       /* of an answer or a payload */
    };
    struct lpi_message *next_of_source;
    struct lpi_core *owner;
    void *data;
    size_t n_bytes;
    int64_t arrival;
    uint32_t context;
    int src, dst, tag;
    unsigned char size_class;
    unsigned char kind; /* enum lpi_message_kind; ON_ITS_WAY, ASKING: `link` */
    union {
        char inline_data[LPI_INLINE];
        size_t bytes; /* LPI_CLASS_NONE: in all */
        struct lpi_rendezvous *rendezvous;
    };
};

enum lpi_request_state {
    LPI_REQ_POSTED,   /* in the posted list */
    LPI_REQ_CTS_SENT, /* a send that waits for its receiver has been matched, or one of another
                         process: the payload is to come */
    LPI_REQ_BOUND,    /* a message has been matched, its payload is in buf */
    LPI_REQ_FAILED,   /* the message was too large; it is still pending */
    LPI_REQ_CHARGED,  /* bound, and o_recv is accounted for: complete at `done` */
    LPI_REQ_SENT,
    LPI_REQ_RTS_SENT,  /* a send that waits for its receiver: `asked` */
    LPI_REQ_SYNC_SENT, /* explored: a send that waits until a receive takes it, and then up to
                       `answered` */
};

struct logp_request {
    struct logp_request *prev, *next; /* posted list; next: free list */
    enum lpi_request_state state;
    uint32_t context;
    int src, tag; /* wanted, global rank */
    void *buf;
    size_t capacity;
    bool exposed;
    bool matters, hinders;                        /* explored: lpi_match_mark() */
    uint64_t number;                              /* of the index, in the order of posting */
    struct logp_request *prev_alike, *next_alike; /* the same: with the same label */
    int from, got_tag;                            /* of the message */
    uint32_t label;                               /* where the machine records: trace.h */
    uint32_t id;                                  /* explored: the id-th of its vp, from 1 */
    size_t n_bytes;
    union {
        int64_t arrival;  /* of the message */
        int64_t answered; /* ISSUED: when the answer is there; INT64_MAX: that is not known yet */
    };
    union {
        int64_t posted;             /* POSTED: the vp's clock then */
        int64_t done;               /* CHARGED, FAILED: when it is complete */
        struct lpi_rendezvous *rts; /* ASKED */
        int64_t cts_ns;             /* ISSUED: the latency of the answer */
    };
};

/* Per vp: what has come and not been received, what is wanted and has not come. */
struct lpi_index;
struct lpi_inbox {
    struct lpi_message *first, *last;
    struct logp_request *posted_first, *posted_last;
    struct lpi_index *index; /* of both, where there have been many; NULL: never */
    int n_pending;
    int n_any : 30;    /* posted receives from any source */
    bool indexed : 1;  /* the index is kept up */
    bool unsorted : 1; /* pending are not in the order of (arrival, source) */
};

struct lpi_chunk;
struct lpi_pool {
    struct lpi_message *free[LPI_CLASSES];
    struct logp_request *free_requests;
    struct lpi_chunk *chunks, *request_chunks;
    size_t n_kept[LPI_CLASSES];
    struct lpi_message *huge; /* LPI_CLASS_NONE: the last that were freed, the latest first */
    size_t huge_bytes;
};

/* A message that holds its payload, as it is handed over. */
static inline struct lpi_envelope lpi_envelope_of(struct lpi_message *m, bool is_paid)
{
    return (struct lpi_envelope){.context = m->context,
                                 .src = m->src,
                                 .dst = m->dst,
                                 .tag = m->tag,
                                 .n_bytes = m->n_bytes,
                                 .arrival = m->arrival,
                                 .data = m->data,
                                 .message = m,
                                 .is_paid = is_paid};
}

/* Any message, as it is handed over. */
static inline struct lpi_envelope lpi_envelope_of_any(struct lpi_message *m, bool is_paid)
{
    struct lpi_envelope e = lpi_envelope_of(m, is_paid);

    if (__builtin_expect(m->kind != LPI_EAGER, false)) {
        e.kind = (enum lpi_message_kind)m->kind;
        if (e.kind == LPI_ON_ITS_WAY)
            e.cargo = m->link.cargo;
        else if (!lpi_has_payload(e.kind))
            e.rendezvous = m->rendezvous;
        if (e.kind >= LPI_CTS)
            e.request = m->request;
        else if (e.kind == LPI_SYNC_SEND)
            e.request = m->link.sync_send;
    }
    return e;
}

/* The bytes that its message has to hold. */
static inline size_t lpi_held_bytes(const struct lpi_envelope *e)
{
    return e->kind == LPI_RTS || e->kind == LPI_CTS ? 0 : e->n_bytes;
}

/* The bytes that a message of n_bytes counts against the machine's queue limit. */
static inline int64_t lpi_message_cost(size_t n_bytes)
{
    return (int64_t)(sizeof(struct lpi_message) + n_bytes);
}

#endif
