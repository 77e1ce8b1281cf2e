/* SPDX-License-Identifier: MIT */
/**
 * @file schedule.h
 * Schedules: one description of an algorithm, and its readers.
 *
 * A schedule is a function that gives the steps of a rank one after another:
 *
 *     static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
 *                            struct logp_step *out)
 *     {
 *         if (P == 1 || i >= 2)
 *             return false;
 *         return i == 0 ? logp_step_send(out, (rank + 1) % P, c->args.tag, LOGP_BUF, 0,
 * c->args.n_bytes) : logp_step_receive(out, (rank + P - 1) % P, c->args.tag, LOGP_RECV_BUF, 0,
 *                                           c->args.n_bytes);
 *     }
 *
 * It is pure: the same arguments give the same step, whoever asks, whenever. What a rank must
 * remember it plans once (c->plan, by the plan function of its row). Receives name their source and
 * tag. A row of the table that has a steps function needs no run: all readers work on it.
 *
 *     run     logp_schedule_run()     on a processor, with its buffers
 *     fold    logp_schedule_fold()    what it costs, without running it
 *     check   logp_schedule_check()   whether everything gets where it should, without data
 *     explain logp_explanation_create()  what its time is made of: explain.h
 *
 * Threads: all functions are pure but for what they are given; any thread may call them.
 */
#ifndef LOGP_SCHEDULE_H
#define LOGP_SCHEDULE_H

#include <logp/algorithm.h>
#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** What a step does. */
enum logp_step_kind {
    LOGP_STEP_SEND,    /**< n_bytes from `at` to peer */
    LOGP_STEP_RECEIVE, /**< n_bytes from peer to `at`, sent with the same tag */
    LOGP_STEP_COMBINE, /**< at[i] = left[i] op right[i], for n elements of c->args.op; into_one:
                            at = at op right[0] op ... op right[n-1], in any order, where `left` is
                            room for LOGP_LANES elements if n >= 4 LOGP_LANES */
    LOGP_STEP_COPY,    /**< n pieces of n_bytes from `right`, right_stride bytes apart, to `at`,
                            at_stride bytes apart; costs nothing under the model */
    LOGP_STEP_COMPUTE, /**< for ns */
};

/** The buffers of a rank. */
enum logp_buffer {
    LOGP_BUF,      /**< logp_plan_run()'s buf */
    LOGP_RECV_BUF, /**< its recv_buf */
    LOGP_SCRATCH,  /**< logp_rank_plan.scratch */
};

/** Where in which buffer. */
struct logp_buffer_ref {
    enum logp_buffer buffer;
    size_t offset; /**< in bytes */
};

enum { LOGP_LANES = 64 };

/** A step. Fields that its kind does not name mean nothing, and need not be set. */
struct logp_step {
    enum logp_step_kind kind;
    int tag;        /**< send, receive */
    bool into_one;  /**< combine */
    int64_t peer;   /**< send, receive: rank */
    size_t n_bytes; /**< send, receive: of the message; copy: of a piece; compute: of what it makes
                         of its own at `at`, from what is at `right`; 0: nothing */
    int64_t n;      /**< combine: elements; copy: pieces */
    int64_t ns;     /**< compute, combine: how long it takes */
    int64_t parts;  /**< compute: so many of the steps after it, copies and combines, are what it
                         does: they happen within its time, and take none of their own */
    struct logp_buffer_ref at, left, right;
    size_t at_stride, right_stride; /**< copy */
    /** compute: what it does where that is neither copying nor combining; NULL: nothing. */
    void (*work)(const struct logp_invocation *c, void *buf, void *recv_buf);
};

/* Fill a step. @return true, as a steps function does */

static inline bool logp_step_send(struct logp_step *s, int64_t peer, int tag,
                                  enum logp_buffer buffer, size_t offset, size_t n_bytes)
{
    s->kind = LOGP_STEP_SEND;
    s->tag = tag;
    s->peer = peer;
    s->n_bytes = n_bytes;
    s->at = (struct logp_buffer_ref){buffer, offset};
    return true;
}

static inline bool logp_step_receive(struct logp_step *s, int64_t peer, int tag,
                                     enum logp_buffer buffer, size_t offset, size_t n_bytes)
{
    logp_step_send(s, peer, tag, buffer, offset, n_bytes);
    s->kind = LOGP_STEP_RECEIVE;
    return true;
}

/* One piece of n_bytes. */
static inline bool logp_step_copy(struct logp_step *s, struct logp_buffer_ref at,
                                  struct logp_buffer_ref from, size_t n_bytes)
{
    s->kind = LOGP_STEP_COPY;
    s->n = 1;
    s->n_bytes = n_bytes;
    s->at = at;
    s->right = from;
    s->at_stride = s->right_stride = n_bytes;
    return true;
}

/* at = left op right, n elements, in ns. */
static inline bool logp_step_combine(struct logp_step *s, struct logp_buffer_ref at,
                                     struct logp_buffer_ref left, struct logp_buffer_ref right,
                                     int64_t n, int64_t ns)
{
    s->kind = LOGP_STEP_COMBINE;
    s->into_one = false;
    s->at = at;
    s->left = left;
    s->right = right;
    s->n = n;
    s->ns = ns;
    return true;
}

/* For ns; the `parts` steps that follow are what it does. */
static inline bool logp_step_compute(struct logp_step *s, int64_t ns, int64_t parts)
{
    s->kind = LOGP_STEP_COMPUTE;
    s->n_bytes = 0;
    s->ns = ns;
    s->parts = parts;
    s->work = NULL;
    return true;
}

/** Step i = 0, 1, ... of a rank. @return false: it is through, after i steps */
typedef bool (*logp_steps)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out);

/**
 * Do the steps of this vp's rank.
 * @param c         planned for it
 * @param buf       as logp_plan_run(), and recv_buf
 * @return as logp_send() and logp_recv()
 * Threads: as logp_send().
 */
LOGP_API int logp_schedule_run(struct logp_vp *vp, logp_steps steps,
                               const struct logp_invocation *c, void *buf, void *recv_buf);

/** A schedule of all ranks. */
struct logp_schedule {
    int64_t P; /**< 1 .. 2^24 */
    logp_steps steps;
    int (*plan)(int P, int rank,
                struct logp_invocation *c); /**< as in struct logp_algorithm, or NULL */
    struct logp_args args;
    struct logp_network model;
};

/** The schedule of a row that has steps, and applies; in place, if its steps can do with that.
 *  @param network  NULL: as logp_plan_create() */
LOGP_API struct logp_schedule logp_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                               const struct logp_args *args,
                                               const struct logp_network *network);

/**
 * Begin to read the steps of a rank: c is what they are asked with.
 * @param c  out: to be ended with logp_schedule_end()
 * @return 0, or what the plan returns
 */
LOGP_API int logp_schedule_begin(const struct logp_schedule *schedule, int rank,
                                 struct logp_invocation *c);

/** Free what that has made. */
LOGP_API void logp_schedule_end(struct logp_invocation *c);

/** That a step of a rank waits for another of the same rank. */
struct logp_edge {
    int64_t before, after; /**< steps, from 0: `after` waits for `before` to be done, */
    bool started;          /**< or only to have begun; of a receive: to have been posted */
};

/**
 * The steps of all ranks one by one, as they come from a file: an algorithm for who sets
 * logp_args.list. Messages carry no data that matters: all are sent from and received into the
 * beginning of recv_buf.
 *
 * Without edges a rank does one step after the other. With edges it does each as soon as those that
 * it waits for are done, and its processor and its port are free. Of several operations the one
 * that can start first goes first; of those that can start at the same time, the one that was free
 * to go first, and sends go before computations. A receive is posted as soon as all that it waits
 * for is done, and starts when its message is there too. Messages match posted receives in the
 * order of posting. They do so in the order of (arrival, source), and those of one source in the
 * order sent. Here the peer of a receive may be LOGP_ANY_SOURCE, and its tag LOGP_ANY_TAG. With
 * params.recv_streams (`loggops`) a message is received when it arrives, posted or not, as
 * LogGOPSim does; a receive that is posted afterwards has it at once.
 *
 * While a rank runs a list with edges it takes every message that is sent to it in the context of
 * collectives: nothing else may be under way, and a logp_sync() separates it from what follows.
 */
struct logp_step_list {
    int64_t P;
    const struct logp_step *const *steps; /**< by rank; of the kinds send, receive, compute */
    const int64_t *n;                     /**< by rank: how many */
    size_t most_bytes;                    /**< of the largest message */
    const struct logp_edge *const *edges; /**< by rank; NULL: each rank goes step by step */
    const int64_t *n_edges;               /**< by rank: how many */
    bool in_order; /**< the edges put each rank's steps in the order in which they stand: each waits
                        for the end of the one before it */
};

/** Does a run of this list, with these parameters, choose what it does first? Not where it has no
 *  edges, or is in_order and the model is not LogGOPSim's: then it is a schedule like any other. */
LOGP_API bool logp_step_list_is_graph(const struct logp_step_list *list,
                                      const struct logp_params *params);

/** What a fold has found. */
struct logp_fold {
    int64_t ns;          /**< from the common start to the moment the last rank is through */
    uint64_t messages;   /**< sent */
    uint64_t unreceived; /**< of them */
    int64_t rank;        /**< where it went wrong; -1: nowhere, or at no rank */
    int64_t source;      /**< -EDEADLK: the rank waits for this one, */
    int tag;             /**< and a message with this tag */
};

/**
 * What a schedule costs under a delay model, without running it: each rank goes on as far as what
 * has been sent to it. Equal to the virtual clock under every model. Where the model has a
 * lookahead, so that its answers depend on nothing but the message and its two ends, in any order;
 * else (links, capacity, a model of one's own) sends take place in the order of (start, rank), as
 * they do there.
 * @param delay  a model that no machine uses meanwhile; it is restarted
 * @param most   messages; 0: any number
 * @param out    out; also where an error is returned
 * A list with edges: in the order of (time, rank), as under the virtual clock. It has neither
 * rendezvous nor capacity: -ENOTSUP.
 * @return 0; -EDEADLK (ranks wait for what is never sent), -EMSGSIZE (a message that is larger than
 *         its receive), -EINVAL (P; a step that names no rank, tag or time), -E2BIG (more messages
 *         than `most`), -EOVERFLOW (beyond 36 years), -ENOTSUP (delay `none`, or
 *         one that has a fate or stops processors), -ENOMEM, as
 *         logp_delay_functions(), or what the plan returns
 * Cost: some 50 ns a message; 64 bytes a rank and 40 for each message under way.
 */
LOGP_API int logp_schedule_fold(const struct logp_schedule *schedule,
                                const struct logp_delay *delay, uint64_t most,
                                struct logp_fold *out);

/** A piece of what a rank must hold at the end: operands of a rank, from its buf, or a combination
 *  of those of consecutive ranks. */
struct logp_postcondition {
    struct logp_buffer_ref at;
    size_t n_bytes;
    int64_t from;  /**< rank, the first */
    int64_t ranks; /**< combined: how many */
    size_t offset; /**< of the operands in buf; combined: element by element */
    bool combined; /**< each once, in the order of ranks where the operation does not commute */
    bool whole;    /**< combined: one element, of all that these ranks have in buf */
    bool made;     /**< not of operands: of what these ranks have made (compute) */
};

/** What is wrong with a schedule. */
struct logp_schedule_error {
    int64_t rank;     /**< where; -1: nothing is wrong */
    int64_t step;     /**< the step that it was at, from 0 */
    const char *what; /**< a sentence of which the rank is the subject; static storage */
};

/**
 * Does everything get where it should? It is followed without data which rank's contribution is
 * where: at the end each rank holds what the collective promises; every receive has its send, of
 * the same size, and every message its receive; nothing is read that is not there, or is beyond
 * its buffer. What is overwritten before it is sent is missing at the end. Where sends wait for
 * their receivers (model.rendezvous_from), none waits for ever.
 * @param error  out
 * @return 0: it is sound; -EPROTO: it is not, see error; -EINVAL (P), -ENOMEM, or as the plan
 * Cost: 8 bytes for each byte of all buffers; P^2 messages and more are not for large P.
 */
LOGP_API int logp_schedule_check(const struct logp_schedule *schedule,
                                 const struct logp_collective *collective,
                                 struct logp_schedule_error *error);

LOGP_END_DECLS

#endif
