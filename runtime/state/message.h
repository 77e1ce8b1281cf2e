/* SPDX-License-Identifier: MIT */
/*
 * Pending messages, posted receives, and the memory of both.
 *
 * A message that finds its receive posted is copied straight into the buffer and never becomes a
 * struct lpi_message. The others are recycled through the pool of the core that made them. It has
 * free lists by size, so the steady state does not call malloc. A message that another core frees
 * goes back over the owner's `returned` list: any core pushes, the owner takes the whole list, so
 * there is no ABA problem.
 */
#ifndef LPI_MESSAGE_H
#define LPI_MESSAGE_H

#include <logp/vp.h>

#include <string.h>
#include <urcu/wfcqueue.h>

struct lpi_core;
struct lpi_proc;
struct lpi_cargo; /* remote.h */
struct lpi_rendezvous;
struct logp_request;

enum {
    LPI_INLINE = 48,      /* bytes of payload in the message itself */
    LPI_CLASSES = 18,     /* 0: inline; c: up to 128 << c bytes */
    LPI_CLASS_NONE = 255, /* huge: longer than the classes, allocated by itself */
};

/* The label of a message, or the one that a receive takes: it may leave source and tag open. */
struct lpi_label {
    uint32_t context;
    int src, tag;
};

/* The same three as members of a struct, which are also its `label`. */
#define LPI_LABEL                                                                                  \
    union {                                                                                        \
        struct lpi_label label;                                                                    \
        struct {                                                                                   \
            uint32_t context;                                                                      \
            int src, tag;                                                                          \
        };                                                                                         \
    }

/* Whether a receive with the label `wanted` takes a message with this label. */
static inline bool lpi_label_fits(const struct lpi_label *wanted, const struct lpi_label *label)
{
    return (wanted->tag == label->tag || wanted->tag == LOGP_ANY_TAG) &&
           (wanted->src == label->src || wanted->src == LOGP_ANY_SOURCE) &&
           wanted->context == label->context;
}

static inline bool lpi_label_is(const struct lpi_label *a, const struct lpi_label *b)
{
    return a->src == b->src && a->tag == b->tag && a->context == b->context;
}

/* A rendezvous send has three messages: RTS, CTS, DATA. In explored runs an isend is one SYNC_SEND
 * instead. Comparisons rely on the order of the kinds. */
enum lpi_message_kind {
    LPI_EAGER,
    LPI_IN_PLACE,   /* eager, with the payload already in the exposed receive buffer */
    LPI_ON_ITS_WAY, /* from another process: the payload comes later, as its cargo */
    LPI_SYNC_SEND,  /* explored: with its payload; the match completes the sender's request */
    LPI_RTS,        /* matched as if it had the payload */
    LPI_CTS,        /* from a receive that has matched an RTS; without a receive: to a CANCEL */
    LPI_DATA,       /* goes straight into the buffer of that receive */
    LPI_CANCEL,     /* takes a pending RTS back; the answer is a CTS */
};

/* RTS, CTS and CANCEL have no payload, but `rendezvous` in its place. ON_ITS_WAY has `cargo`. */
static inline bool lpi_has_payload(enum lpi_message_kind kind)
{
    return kind < LPI_ON_ITS_WAY || kind == LPI_SYNC_SEND || kind == LPI_DATA;
}

/* A message while it is being handed over. */
struct lpi_envelope {
    LPI_LABEL;
    int dst;
    size_t n_bytes;
    int64_t arrival; /* LOGP_NEVER: no delay was emulated */
    uint64_t bits;   /* sent with the payload */
    union {
        const void *data;                  /* the payload; the caller owns it */
        struct lpi_rendezvous *rendezvous; /* RTS, CTS, CANCEL */
        struct lpi_cargo *cargo;           /* ON_ITS_WAY */
    };
    struct lpi_message *message;  /* it already holds the payload; NULL: there is none yet */
    struct logp_request *request; /* CTS, DATA: the receiver's; SYNC_SEND: the sender's */
    const struct logp_send_options *made_by; /* its fill() makes the payload; NULL: it is in data */
    enum lpi_message_kind kind;
    bool is_paid; /* its cost has been taken from the queue limit */
    bool is_late; /* explored: later messages of its source may come first */
};

/*
 * A send that waits for its receiver. Its sender owns it until the run is over or both are done
 * with it. The fields that the receiver's core reads are constant.
 */
struct lpi_rendezvous {
    struct lpi_rendezvous *next;  /* of the same sender */
    struct lpi_envelope envelope; /* DATA, without `request` until it is sent */
    void *copy;                   /* of the payload; NULL: it is the caller's */
    int64_t latency;              /* of the CTS */
    struct logp_request *request; /* the receive that has matched; NULL: none yet */
    int64_t at;                   /* when the CTS arrives at the sender */
    bool is_cancelled;            /* a CANCEL has been answered: no RTS is pending any more */
    struct logp_request *own;     /* the sender's; it is SENT when DATA has been sent */
};

/* Parallel: the place of an action among all actions, which follow in the order of (at, start, order).
 * Before and after a common start the same time may occur. */
struct lpi_place {
    int64_t at;      /* the vp's clock */
    unsigned start;  /* logp_machine.sync_generation */
    int order;       /* lpi_proc.order; -1: before all vps */
    unsigned window; /* of a send: logp_machine.windows */
};

static inline bool lpi_place_before(const struct lpi_place *a, const struct lpi_place *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    return a->start != b->start ? (int)(a->start - b->start) < 0 : a->order < b->order;
}

struct lpi_message {
    union {
        struct cds_wfcq_node queue;     /* while in a mailbox */
        struct lpi_message *free;       /* while in a free or returned list */
        struct lpi_cargo *cargo;        /* while ON_ITS_WAY */
        struct logp_request *sync_send; /* SYNC_SEND: the sender's */
    } link;
    struct lpi_message *prev, *next; /* pending list, in the order of delivery; held: lpi_window */
    union {
        struct {
            struct lpi_message *next_in_stream, *next_of_source; /* of the index */
            union {
                struct lpi_message *prev_of_source; /* of the index */
                struct logp_request *request;       /* CTS, DATA: the receiver's */
            };
        };
        struct lpi_place sent; /* parallel: in a mailbox, or held */
    };
    struct lpi_core *owner;
    void *data;
    size_t n_bytes;
    int64_t arrival;
    uint64_t bits; /* sent with the payload */
    LPI_LABEL;
    int dst;
    unsigned delivery; /* its number, as of lpi_core.deliveries; it wraps around */
    unsigned char size_class;
    unsigned char kind; /* enum lpi_message_kind; ON_ITS_WAY, SYNC_SEND: see `link` */
    bool is_late;       /* as in struct lpi_envelope */
    union {
        char inline_data[LPI_INLINE];
        size_t bytes; /* LPI_CLASS_NONE: of the allocation */
        struct lpi_rendezvous *rendezvous;
    };
};

enum lpi_request_state {
    LPI_REQ_POSTED,   /* in the posted list */
    LPI_REQ_LOST,     /* matched with an RTS, but the payload was lost: it is never complete */
    LPI_REQ_CTS_SENT, /* matched with an RTS or a long remote message: its payload comes later */
    LPI_REQ_BOUND,    /* matched, and the payload is in buf */
    LPI_REQ_FAILED,   /* the message was too large; it is still pending */
    LPI_REQ_CHARGED,  /* bound, and o_recv is charged: complete at `done` */
    LPI_REQ_SENT,
    LPI_REQ_RTS_SENT,  /* a rendezvous send under way: `rts` */
    LPI_REQ_SYNC_SENT, /* complete at `answered`: a start, a word; explored: a sync send */
    LPI_REQ_STARTED,   /* an operation under way: operation.c */
    LPI_REQ_ENDED,     /* ... that has ended, with its error */
    LPI_REQ_SPENT,     /* explored: a call has completed it: usage.c */
};

struct logp_request {
    union {
        struct logp_request *prev; /* posted list */
        unsigned delivery;         /* of the message that it has taken */
    };
    struct logp_request *next; /* posted list, free list */
    enum lpi_request_state state : 8;
    bool exposed;
    bool special;       /* `truncates`, `space` and `drain` are set: lpi_takes_specially() */
    bool truncates : 1; /* it takes longer messages, too */
    bool matters : 1, hinders : 1; /* explored: lpi_match_mark() */
    LPI_LABEL; /* wanted; src is a global rank: of a send, that of its receiver */
    union {
        void *buf;
        void *drain_arg;
    };
    size_t capacity; /* of buf; a send: its bytes */
    size_t space;    /* the bytes that it wants */
    void (*drain)(void *arg, size_t at, const void *bytes, size_t n); /* NULL: buf gets them */
    union {
        struct {                                          /* POSTED, of the index */
            uint64_t number;                              /* the order of posting */
            struct logp_request *prev_alike, *next_alike; /* the same label */
        };
        struct {               /* of the message that it has taken */
            int from, got_tag; /* source and tag */
            size_t n_bytes;
            uint64_t bits; /* sent with the payload */
        };
        int sync_result; /* SYNC_SENT, of a start: 0, an error, or what a comparison has found */
    };
    uint32_t trace_label; /* recorded runs: trace.h */
    uint32_t id;          /* explored: the id-th of its vp, from 1 */
    union {
        int64_t arrival;  /* of the message */
        int64_t answered; /* SYNC_SENT: when it is complete; INT64_MAX: not matched yet */
    };
    union {
        int64_t posted; /* POSTED; SYNC_SENT, of a start: the vp's clock when it began to wait */
        int64_t done;   /* CHARGED, FAILED: when it is complete; SYNC_SENT: the start, once noted */
        struct lpi_rendezvous *rts;       /* RTS_SENT */
        int64_t cts_ns;                   /* SYNC_SENT, of a send: the latency of its CTS */
        struct logp_operation *operation; /* STARTED, ENDED */
        bool was_send;                    /* SPENT */
    };
};
_Static_assert(sizeof(void *) > 8 || sizeof(struct logp_request) <= 112, "a request is small");

/* The pending messages and posted receives of a vp. */
struct lpi_index;
struct lpi_inbox {
    struct lpi_message *first, *last;
    struct logp_request *posted_first, *posted_last;
    struct lpi_index *index; /* of both, once there were many; NULL: never made */
    int n_pending;
    int n_any : 29;    /* posted receives from any source */
    bool any_tag : 1;  /* one of the posted receives is of any tag, or was */
    bool indexed : 1;  /* the index is maintained */
    bool unsorted : 1; /* the pending list is not in the order of (arrival, source) */
};

struct lpi_chunk;
struct lpi_pool {
    struct lpi_message *free[LPI_CLASSES];
    struct logp_request *free_requests;
    struct lpi_chunk *chunks, *request_chunks;
    size_t n_kept[LPI_CLASSES];
    struct lpi_message *huge; /* LPI_CLASS_NONE: cached, the last freed first */
    size_t huge_bytes;
};

/* The envelope of a message that holds its payload. */
static inline struct lpi_envelope lpi_envelope_of(struct lpi_message *m, bool is_paid)
{
    return (struct lpi_envelope){.label = m->label,
                                 .dst = m->dst,
                                 .n_bytes = m->n_bytes,
                                 .arrival = m->arrival,
                                 .bits = m->bits,
                                 .data = m->data,
                                 .message = m,
                                 .is_paid = is_paid};
}

/* The envelope of any message. */
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

/* Copy the first n bytes of the payload of e. */
static inline void lpi_payload_copy(const struct lpi_envelope *e, void *to, size_t n)
{
    if (__builtin_expect(e->made_by != NULL, false))
        e->made_by->fill(e->made_by->arg, 0, to, n);
    else
        memcpy(to, e->data, n);
}

/* Whether r takes a message of n bytes that its buffer cannot hold. With a drain there is no
 * buffer, and this is asked for every message that is not empty. */
static inline bool lpi_takes_specially(const struct logp_request *r, size_t n)
{
    return r->special && (r->truncates || n <= r->space);
}

/* The bytes of payload that the message of e holds. */
static inline size_t lpi_held_bytes(const struct lpi_envelope *e)
{
    return lpi_has_payload(e->kind) || e->kind == LPI_ON_ITS_WAY ? e->n_bytes : 0;
}

/* The bytes of the queue limit that a message of n_bytes takes. */
static inline int64_t lpi_message_cost(size_t n_bytes)
{
    return (int64_t)(sizeof(struct lpi_message) + n_bytes);
}

/* The bytes that e takes of the queue limit. The payload of a send that waits for its receiver
 * stays with the sender; its answer and its data are waited for, and not queued. */
static inline int64_t lpi_queue_cost(const struct lpi_envelope *e)
{
    if (__builtin_expect(e->kind >= LPI_RTS, false))
        return e->kind == LPI_RTS ? lpi_message_cost(0) : 0;
    return lpi_message_cost(e->n_bytes);
}

#endif
