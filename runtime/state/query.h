/* SPDX-License-Identifier: MIT */
/*
 * A query is the request of a call that receives, probes, tests or waits. A table of functions
 * decides what the program leaves open: which message a query takes, and which vp runs next.
 * lpi_resolver_choose() picks the table when a run begins. call/query.c has the loop that resolves
 * a query, waits and resolves it again.
 */
#ifndef LPI_QUERY_H
#define LPI_QUERY_H

#include "state/message.h"

#include <logp/check.h>

struct lpi_core;
struct lpi_proc;

/* The choice of an explorer for a query. */
enum lpi_choice {
    LPI_UNASKED,
    LPI_NOTHING, /* there was nothing to choose from */
    LPI_TAKEN,   /* see lpi_query.index */
    LPI_MISSED,
    LPI_DECIDED, /* no choice is left */
};
/* Values of lpi_query.index other than the index of a request. */
enum {
    LPI_NOT_YET = -1,
    LPI_NO_REQUEST = -2, /* all requests are NULL */
    LPI_SERVED = -3      /* an operation has made progress */
};

/* The value of lpi_query.until for a query that asks once: a miss costs a poll. */
#define LPI_AT_ONCE INT64_MIN

/* The kind of a query. Explored runs also ask when a vp cancels, and which one runs first. */
enum lpi_query_kind {
    LPI_QUERY_MESSAGE, /* a message, or the end of a request */
    LPI_QUERY_CANCEL,  /* the one request is cancelled if it takes no message; without a request:
                          all are, as the program ends */
    LPI_QUERY_TURN,    /* the vp's turn with the object of `key` */
};

/* A query, which lives on the vp's stack. */
struct lpi_query {
    enum lpi_query_kind kind;
    const struct lpi_label *label;  /* of a probe; NULL: the query is for requests alone */
    struct logp_request **requests; /* n of them; NULL entries do not count */
    int n;
    bool any; /* the first request that completes ends it; else there is one request */
    struct logp_request *one; /* the receive, if it is for a single one: a late one misses */
    int64_t until;            /* by the vp's clock; INT64_MAX: for ever */
    int key;                  /* TURN */
    /* how far it is */
    bool begun_in_time; /* its time was not over when it began */
    bool waited;        /* at least once */
    bool beside;        /* the vp also sends while it waits: it charges arrived messages itself */
    bool late;          /* its payload was under way when its time was over, and is awaited */
    /* the answer */
    enum lpi_choice choice;    /* explored */
    int index;                 /* of the request that completes, n: a probe; or one of the above */
    struct lpi_message *found; /* by a probe */
};

static inline bool lpi_query_waits(const struct lpi_query *q)
{
    return q->until != LPI_AT_ONCE;
}

/* Whether q is a wait for one receive, which the delivery of its message charges. */
static inline bool lpi_query_is_direct(const struct lpi_query *q)
{
    return !q->beside && !q->any && lpi_query_waits(q) && q->n > 0 && q->requests[0] != NULL &&
           q->requests[0]->state < LPI_REQ_SENT;
}

/* Whether q may end without a message. */
static inline bool lpi_may_miss(const struct lpi_query *q)
{
    return q->until != INT64_MAX;
}

/* The purpose of a request. */
enum lpi_posting {
    LPI_POSTS_FOR_CALL, /* a receive that ends with the call */
    LPI_POSTS_RECEIVE,
    LPI_POSTS_SEND,
};

struct lpi_resolver {
    /* The vp that c runs next, RUNNING or with its deadline; NULL: none can run. */
    struct lpi_proc *(*next_proc)(struct lpi_core *c);
    /* Whether another vp runs before p reaches t. Virtual clock only. */
    bool (*others_first)(struct lpi_proc *p, int64_t t);
    /* Messages that arrive by this time can be matched with receives from any source. */
    int64_t (*horizon)(const struct lpi_proc *p);
    /* Whether the answer depends on the messages that have arrived. Then mail is polled first. */
    bool (*depends)(struct lpi_proc *p, const struct lpi_query *q);
    /* Set q->index, which is the request that completes first as far as is known, and q->found.
     * @return 0; -ETIME: the explorer chose that q misses; or the error that stops the run */
    int (*resolve)(struct lpi_proc *p, struct lpi_query *q);
    /* When p, which waits for q, resolves it again, unless it is woken; INT64_MAX: never. */
    int64_t (*retry_at)(struct lpi_proc *p, const struct lpi_query *q);
    /* p makes a request. A send's `buf` and `capacity` are those of its payload. */
    void (*posts)(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting);
    /* p is about to cancel r, a receive, which may take a message first. */
    void (*cancels)(struct lpi_proc *p, struct logp_request *r);
    /* A call of p has completed r. @return false: it is to be freed */
    bool (*keeps)(struct lpi_proc *p, struct logp_request *r);
    /* A query of p has completed r, a receive. */
    void (*received)(struct lpi_proc *p, const struct logp_request *r);
    /* Let others run first, after p has computed, slept or yielded. yields: p asks for that, since
     * it waits for something else than a message. @return as lpi_hold() */
    int (*pass)(struct lpi_proc *p, enum logp_note_kind kind, bool yields);
    /* Called before p uses the object of `key`. @return as lpi_hold() */
    int (*touch)(struct lpi_proc *p, int key);
    /* A choice of p's program. @return 0 .. n-1, or the error that stops the run */
    int (*pick)(struct lpi_proc *p, int n);
    /* p's program has ended. Its posted receives may still take messages whose senders wait for
     * that. */
    void (*ends)(struct lpi_proc *p);
    /* A receive from any source answers the sends that wait for it also while its vp is at a sync.
     * false: the explorer chooses that, or no send waits. */
    bool answers_at_sync;
    /* The message that a blocking receive has taken when its vp crashes is for its next start. */
    bool may_restart;
    unsigned polls_in_vain; /* failed polls in a row after which a vp counts as waiting */
    /* The number of copies of p's message e to be sent: 0, 1, 2; NULL: p sends none. @return
     * -EHOSTDOWN: p crashes before that; or the error that stops the run */
    int (*fate)(struct lpi_proc *p, enum logp_note_kind call, const struct lpi_envelope *e);
    /* Keep data that p's program makes durable. @return 0; -ENOMEM */
    int (*keep)(struct lpi_proc *p, int key, const void *data, size_t n_bytes);
    /* @return 0; -ENOENT; -EMSGSIZE */
    int (*recover)(struct lpi_proc *p, int key, void *data, size_t capacity, size_t *n_bytes);
    /* p cuts links, or heals them: see logp_fault_cut(). @return 0; or an error of p's call */
    int (*cut)(struct lpi_proc *p, uint64_t from, uint64_t to, bool heals);
    /* Whether p's program, which has ended, begins again. */
    bool (*restarts)(struct lpi_proc *p);
    /* Another event of p. */
    void (*note)(struct lpi_proc *p, const struct logp_note *note);
};

#endif
