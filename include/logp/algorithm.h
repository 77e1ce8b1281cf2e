/* SPDX-License-Identifier: MIT */
/**
 * @file algorithm.h
 * The parts of an algorithm, for authors of new algorithms.
 *
 * An algorithm is a row of a table: its names, the steps of each processor (steps), the data that a
 * processor computes beforehand (plan), and its time under LogP (predict). A row of your own is
 * part of your program or of a plug-in:
 *
 *     static const struct logp_algorithm ring = {
 *         LOGP_ALGORITHM("broadcast", "my-ring", "one after the other", "me"),
 *         .steps = ring_steps};
 *
 *     logp_algorithm_add(&ring);
 *
 * From then on logp_algorithm_find() finds it, lists show it, and it is chosen where its prediction
 * is the best. An experiment also takes a row that was not added: logp_experiment.algorithm.
 *
 * Only `steps` is required. Without `predict`, the prediction is the fold of the schedule.
 */
#ifndef LOGP_ALGORITHM_H
#define LOGP_ALGORITHM_H

#include <logp/collective.h>
#include <logp/defs.h>
#include <logp/delay.h>

#include <stddef.h>

LOGP_BEGIN_DECLS

/** The plan of one rank in a collective. The plan function of a row makes it with malloc(). */
struct logp_rank_plan {
    int parent; /**< rank; -1: this is the root */
    int n_children;
    int *children;        /**< ranks, in the order of use */
    int64_t own;          /**< summation: number of operands of this rank; 0: it takes no part;
                               reduce: number of children to its left */
    int64_t block;        /**< bytes of each block but the last (pipelined); its elements (reduce)
                               */
    void *state;          /**< other data of the algorithm */
    void *scratch;        /**< memory for the run */
    size_t scratch_bytes; /**< set by the algorithm; logp_plan_create() allocates it */
    bool early;           /**< if sends wait for their receivers: the first send that waits posts
                               all later receives of this rank, not only those before its next sends
                               */
    void *outer;          /**< data of a row that runs the steps of another: logp_args.within */
};

/** The arguments of a row's functions. A row that was compiled with another layout of args or model
 *  is refused (plan_at); plan is last and may grow. */
struct logp_invocation {
    struct logp_args args;
    struct logp_network model;
    struct logp_rank_plan plan; /**< of the rank that the function is called for */
};

struct logp_step;
struct logp_postcondition;
struct logp_buffer_ref;

/* ---- parameters of algorithms ---- */

/** The unit of a parameter's value. */
enum logp_unit {
    LOGP_UNIT_NUMBER,
    LOGP_UNIT_BYTES,
    LOGP_UNIT_NS,
    LOGP_UNIT_WORD, /**< one of its words only */
};

/** A word for a value. */
struct logp_word {
    const char *word; /**< NULL: the end of a list */
    int64_t value;
};

/** A parameter that a caller may set, and that the algorithm chooses otherwise: a field of struct
 *  logp_args, and an option of the command. */
struct logp_knob {
    const char *name;
    const char *metavar;      /**< of its value in help: "N" */
    const char *help;         /**< one line */
    const char *default_text; /**< the default as text; "": 0, the algorithm's choice */
    const char *auto_text;    /**< describes that choice */
    const char *allowed;      /**< the allowed values as text */
    const char *key;          /**< its name in records */
    enum logp_unit unit;
    int64_t least, most;
    const struct logp_word *words; /**< allowed besides numbers; NULL: none */
    size_t field;                  /**< of struct logp_args: the offset of an int64_t */
};

/** @return parameter i = 0, 1, ...; NULL: there are no more. Static storage. */
LOGP_API const struct logp_knob *logp_knob_at(size_t i);

/** @return the parameter of this name; NULL: there is none. */
LOGP_API const struct logp_knob *logp_knob_find(const char *name);

/** A parameter that an algorithm uses. */
struct logp_knob_use {
    size_t field; /**< of the parameter: logp_knob.field; 0: none */
    /** The value that the algorithm uses. NULL: the value in args. If k, the window or the block is
     *  0, it is free: the library takes the value with the least prediction among those that `needs`
     *  accepts; a tie goes to the smallest. It tries 1 .. 64 for k, and with formulas also the
     *  larger k with which k^n >= P for a smaller n; windows of 1 .. 64; and the smallest block of
     *  each number of blocks, so the block should be free only where there are few elements. The
     *  messages must then depend on this value only, not on the network. Plans and predictions get
     *  it in c->args. */
    int64_t (*value)(int64_t P, const struct logp_invocation *c);
};

/** The parameter of a field of struct logp_args, as an element of the list in a row. */
#define LOGP_KNOB(field_, value_)                                                                  \
    {                                                                                              \
        offsetof(struct logp_args, field_), value_                                                 \
    }

/**
 * Get the value of a parameter that an algorithm uses.
 * @param network  NULL: as logp_plan_create()
 * @param value    out; NULL: not wanted, and P and args are not used. LOGP_PREDICTION_NO_MEMORY:
 *                 there was no memory to predict which value is the best
 * @return true: the algorithm has this parameter
 */
LOGP_API bool logp_algorithm_knob(const struct logp_algorithm *algorithm,
                                  const struct logp_knob *knob, int64_t P,
                                  const struct logp_args *args, const struct logp_network *network,
                                  int64_t *value);

/* ---- algorithms ---- */

/** The direction of the messages of a tree algorithm. */
enum logp_along {
    LOGP_ALONG_NO_TREE,
    LOGP_FROM_ROOT, /**< plan.children are in the order of sending */
    LOGP_TO_ROOT,   /**< plan.children are in the order of receiving */
};

/** The largest number of parameters of an algorithm. */
#define LOGP_MAX_KNOBS 4

/** A row of the table. Functions other than `needs` are called only if the row applies. */
struct logp_algorithm {
    size_t size; /**< of this struct: LOGP_ALGORITHM() */
    const char *collective;
    const char *name;
    const char *summary; /**< one line */
    const char *source;  /**< the paper */
    /** @return NULL: the row applies; otherwise its requirement ("one row and one column").
     *  NULL: the row always applies. */
    const char *(*needs)(int64_t P, const struct logp_invocation *c);
    /** Fill c->plan for a rank. @return 0; -ENOMEM, -EINVAL: nothing is allocated. NULL: there is
     *  nothing to plan. */
    int (*plan)(int P, int rank, struct logp_invocation *c);
    /** The steps of a rank: see `schedule` below. NULL: the row has no schedule. */
    bool (*steps)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out);
    /** Run a rank, as logp_plan_run(). NULL: follow its steps. In a row with both, this is the
     *  reader with the steps inlined; if the row survives, it is called only where no message is
     *  lost and no processor stops for good. */
    int (*run)(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf);
    /** The formula with c->model.params, without capacity and topology: see
     *  logp_algorithm_predict(). NULL: there is none. */
    struct logp_prediction (*predict)(int64_t P, const struct logp_invocation *c);
    /** The formula on c->model.topology, which has P processors; LOGP_PREDICTION_NONE: it does not
     *  hold on this topology. NULL: there is none. */
    struct logp_prediction (*predict_linked)(int64_t P, const struct logp_invocation *c);
    /** The textbook's time in ns; -1: more than the clock counts. NULL: there is none. */
    int64_t (*textbook)(int64_t P, const struct logp_invocation *c);
    enum logp_along along; /**< the tree in plan */
    bool rough;            /**< predict is a bound: the schedule's time is preferred */
    bool in_place;         /**< the steps also work if operands and result overlap as
                                logp_collective.in_place describes; otherwise the row gets a
                                copy */
    bool any_blocks;       /**< the steps also work with logp_args.blocks; otherwise those are
                                refused */
    bool survives; /**< processors that stop (delay.h) need no result: a run has not failed if
                                all others have theirs */
    struct logp_knob_use knobs[LOGP_MAX_KNOBS];
    size_t plan_at; /**< offset of plan in struct logp_invocation: LOGP_ALGORITHM(). A row that was
                         compiled with another layout is refused */
    /** allreduce: for each element all ranks get the value of one expression: the same operands in
     *  the same places, combined in the same order, so that all get the same bits. The steps need
     *  it only if the operation is not exact (logp_op_is_exact()) and logp_args.may_differ is 0;
     *  only rows with this property are then chosen. logp_schedule_same() tests it. false, as in a
     *  row that was compiled before this member existed: ranks may get different bits. Rows of
     *  other collectives ignore it, because no two of their ranks combine the same element of a
     *  result */
    bool same_results;
};

/** The first members of a row. */
#define LOGP_ALGORITHM(collective_, name_, summary_, source_)                                      \
    .size = sizeof(struct logp_algorithm), .plan_at = offsetof(struct logp_invocation, plan),      \
    .collective = (collective_), .name = (name_), .summary = (summary_), .source = (source_)

/** @return whether each rank gets the same result with this row; true also if the operation is
 *          exact, if the arguments allow results that differ, and for other collectives than
 *          allreduce. A row for which this is false is not chosen; a program may still plan it. */
LOGP_API bool logp_algorithm_same_results(const struct logp_algorithm *algorithm,
                                          const struct logp_args *args);

/**
 * Add a row to the table, for the rest of the process.
 * Threads: any, also while others use the table.
 * @param algorithm  not copied: it must stay unchanged
 * @return 0; -EINVAL (no such collective; no name, summary or source; neither steps nor run),
 *         -EPROTONOSUPPORT (compiled with headers of another version, in which the row lacks
 *         plan_at or struct logp_invocation has another layout), -EEXIST (the collective has a row
 *         of this name), -ENOSPC (there are 64)
 */
LOGP_API int logp_algorithm_add(const struct logp_algorithm *algorithm);

/* ---- collectives ---- */

/** The kinds of operands, which determine the size of a collective. */
enum logp_operands {
    LOGP_OPERANDS_NONE,   /**< no data */
    LOGP_OPERANDS_BYTES,  /**< logp_args.n_bytes */
    LOGP_OPERANDS_VECTOR, /**< count elements of op's type on each processor */
    LOGP_OPERANDS_TOTAL,  /**< count elements of op's type, all processors together */
    LOGP_OPERANDS_MATRIX, /**< rows x cols elements of n_bytes, columns over the processors */
};

/** A collective: the sizes of its buffers, its operands and its result. */
struct logp_collective {
    const char *name;
    const char *summary;
    bool rooted; /**< it has a root: logp_args.root */
    enum logp_operands operands;
    /** Bytes of buf and recv_buf of a rank. LOGP_OPERANDS_TOTAL: c is planned for it. */
    void (*sizes)(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf);
    /** logp_collective_check() of the parts of a postcondition that are `made` or `whole`. NULL:
     *  there are none. */
    int (*check)(int P, int rank, uint64_t seed, const struct logp_invocation *c, const void *buf,
                 const void *recv_buf);
    /** Piece j = 0, 1, ... of the data that a rank must hold at the end. *out is 0 except for
     *  ranks, 1. @return false: there are no more pieces. NULL: a rank must hold nothing */
    bool (*postcondition)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out);
    /** A lower bound on the time of any algorithm: logp_collective_lower_bound(), which has
     *  checked P and the network. NULL: none is known */
    int64_t (*bound)(int64_t P, const struct logp_invocation *c);
    /** Bytes at the beginning of buf that are operands; c is planned. NULL: all of buf. */
    size_t (*given)(int64_t P, int64_t rank, const struct logp_invocation *c);
    /** LOGP_IN_PLACE: set at->buffer to the one buffer of this rank, and at->offset to the place of
     *  the other buffer in it; before: LOGP_RECV_BUF, 0. @return false: the rank has two buffers.
     *  NULL: all ranks have two */
    bool (*in_place)(int64_t P, int64_t rank, const struct logp_invocation *c,
                     struct logp_buffer_ref *at);
    /** No rank may leave before all have arrived. An experiment checks this for up to 2^16
     *  processors; above, it only checks that all leave. */
    bool holds_back;
    const struct lpi_rows *const *rows; /**< the library's own: its algorithms */
    bool same_results; /**< all ranks combine the same elements: logp_algorithm.same_results */
};

/**
 * Fill the buffers of a rank before a run: with operands, which depend on the seed, the rank and
 * their places only, and with garbage elsewhere.
 * Threads: any.
 * @param c    planned for this rank if the collective's operands are LOGP_OPERANDS_TOTAL
 * @param buf  of the size of logp_collective.sizes, as recv_buf; NULL if that is 0
 */
LOGP_API void logp_collective_fill(const struct logp_collective *collective, int P, int rank,
                                   uint64_t seed, const struct logp_invocation *c, void *buf,
                                   void *recv_buf);

/**
 * Check the result of a rank after a run with the operands of logp_collective_fill(). The expected
 * result is computed from the operands of all ranks, whatever the algorithm.
 * Threads: any.
 * @return 1: it is right; 0: it is wrong; -ENOMEM: unknown
 */
LOGP_API int logp_collective_check(const struct logp_collective *collective, int P, int rank,
                                   uint64_t seed, const struct logp_invocation *c, const void *buf,
                                   const void *recv_buf);

/* ---- schedule ---- */

/*
 * Schedules: one description of an algorithm for several readers.
 *
 * A schedule is a function that returns the steps of a rank one after another:
 *
 *     static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
 *                            struct logp_step *out)
 *     {
 *         if (P == 1 || i >= 2)
 *             return false;
 *         return i == 0 ? logp_step_send(out, (rank + 1) % P, c->args.tag, LOGP_BUF, 0,
 *                                        c->args.n_bytes)
 *                       : logp_step_receive(out, (rank + P - 1) % P, c->args.tag, LOGP_RECV_BUF, 0,
 *                                           c->args.n_bytes);
 *     }
 *
 * The function is pure: the same arguments always give the same step. The plan function of the row
 * computes the data that a rank needs (c->plan). Receives name their source and tag. A row with a
 * steps function needs no run function: all readers work on the steps.
 *
 *     run      logp_schedule_run()        on a processor, with its buffers
 *     fold     logp_schedule_fold()       its time, without running it
 *     check    logp_schedule_check()      whether its result is right, without data
 *     explain  logp_explanation_create()  the composition of its time: explain.h
 *
 * Threads: any; the functions change only the data that their arguments point to.
 */

/** The kinds of steps. */
enum logp_step_kind {
    LOGP_STEP_SEND,    /**< n_bytes from `at` to peer */
    LOGP_STEP_RECEIVE, /**< n_bytes from peer to `at`, sent with the same tag */
    LOGP_STEP_COMBINE, /**< at[i] = left[i] op right[i], for n elements of c->args.op; into_one: at
                            = at op right[0] op ... op right[n-1], in any order; `left` has space
                            for LOGP_LANES elements if n >= 4 LOGP_LANES */
    LOGP_STEP_COPY,    /**< n pieces of n_bytes from `right`, right_stride bytes apart, to `at`,
                            at_stride bytes apart; takes no time under the model */
    LOGP_STEP_COMPUTE, /**< computes for ns */
};

/** The buffers of a rank. */
enum logp_buffer {
    LOGP_BUF,      /**< logp_plan_run()'s buf */
    LOGP_RECV_BUF, /**< its recv_buf */
    LOGP_SCRATCH,  /**< logp_rank_plan.scratch */
};

/** A place in a buffer. */
struct logp_buffer_ref {
    enum logp_buffer buffer;
    size_t offset; /**< in bytes */
};

enum { LOGP_LANES = 64 };

/** A step. Fields for other kinds of steps need not be set. */
struct logp_step {
    enum logp_step_kind kind;
    int tag;        /**< send, receive */
    bool into_one;  /**< combine */
    int64_t peer;   /**< send, receive: rank */
    size_t n_bytes; /**< send, receive: of the message; copy: of a piece; compute: of the data that
                         it makes at `at` from the data at `right`, if that is another place; 0:
                         none */
    int64_t n;      /**< combine: elements; copy: pieces */
    int64_t ns;     /**< compute, combine: its time */
    int64_t parts;  /**< compute: this number of steps after it, copies and combines, are part of it
                         and take no additional time */
    struct logp_buffer_ref at, left, right;
    size_t at_stride, right_stride; /**< copy */
    /** compute: work other than copying and combining; NULL: none. */
    void (*work)(const struct logp_invocation *c, void *buf, void *recv_buf);
};

/**
 * Fill a step that sends n_bytes to a rank.
 * @param peer    the rank, 0 .. P-1
 * @param tag     >= 0: logp_args.tag for a collective
 * @param buffer  where the bytes are: from `offset` of this buffer on
 * @return true, so that a steps function can return it
 */
static inline bool logp_step_send(struct logp_step *s, int64_t peer, int tag,
                                  enum logp_buffer buffer, size_t offset, size_t n_bytes)
{
    s->kind = LOGP_STEP_SEND;
    s->tag = tag;
    s->peer = peer;
    s->n_bytes = n_bytes;
    s->at.buffer = buffer;
    s->at.offset = offset;
    return true;
}

/**
 * Fill a step that receives n_bytes from a rank.
 * @param peer    the rank that sends them, with this tag
 * @param buffer  where the bytes go: from `offset` of this buffer on
 * @return true
 */
static inline bool logp_step_receive(struct logp_step *s, int64_t peer, int tag,
                                     enum logp_buffer buffer, size_t offset, size_t n_bytes)
{
    logp_step_send(s, peer, tag, buffer, offset, n_bytes);
    s->kind = LOGP_STEP_RECEIVE;
    return true;
}

/** Fill a step that copies one piece of n_bytes, which takes no time. @return true */
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

/** Fill a step that combines n elements, in ns: at = left op right. `at` may be `left`, and shares no
 *  bytes with `right`. @return true */
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

/** Fill a step that computes for ns; the next `parts` steps are part of it. @return true */
static inline bool logp_step_compute(struct logp_step *s, int64_t ns, int64_t parts)
{
    s->kind = LOGP_STEP_COMPUTE;
    s->n_bytes = 0;
    s->ns = ns;
    s->parts = parts;
    s->work = NULL;
    return true;
}

/** Step i = 0, 1, ... of a rank. @return false: there are only i steps */
typedef bool (*logp_steps)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out);

/**
 * Follow the steps of this vp's rank.
 * Threads: as logp_send().
 * @param c         planned for this rank
 * @param buf       as that of logp_plan_run()
 * @param recv_buf  likewise
 * @return as logp_send() and logp_recv()
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

/** The schedule of a row that has steps and applies; in place, if the row can do that. Without memory
 *  its plan returns -ENOMEM.
 *  @param network  NULL: as logp_plan_create() */
LOGP_API struct logp_schedule logp_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                               const struct logp_args *args,
                                               const struct logp_network *network);

/**
 * Begin to read the steps of a rank.
 * @param c  out: the argument of steps; end it with logp_schedule_end()
 * @return 0, or the error of the plan function
 */
LOGP_API int logp_schedule_begin(const struct logp_schedule *schedule, int rank,
                                 struct logp_invocation *c);

/** Free the plan of logp_schedule_begin(). */
LOGP_API void logp_schedule_end(struct logp_invocation *c);

/** A step of a rank waits for another step of that rank. */
struct logp_edge {
    int64_t before, after; /**< steps, from 0: `after` waits for the end of `before`, */
    bool started;          /**< or for its start; a receive starts when it is posted */
};

/**
 * The steps of all ranks as a list, for example from a file: the algorithm of logp_args.list.
 * Only the sizes of messages count: all are sent from and received into the beginning of recv_buf.
 *
 * Without edges a rank does one step after the other. With edges it does a step as soon as the
 * steps that it waits for are done and its processor and port are free. Of several operations
 * the one that can start first goes first. If they can start at the same time, the one that was
 * ready first goes first, and sends go before computations. A receive is posted as soon as the
 * steps that it waits for are done, and starts when its message has arrived too. Messages match
 * posted receives in the order of posting, themselves in the order of (arrival, source), and
 * those of one source in the order sent. The peer of a receive may be LOGP_ANY_SOURCE, and its
 * tag LOGP_ANY_TAG. With params.recv_streams (`loggops`) the rules are those of LogGOPSim (graph.h),
 * and a run needs the list of logp_graph_order().
 *
 * A rank that runs a list with edges takes every message that is sent to it in the context of
 * collectives. So no other collective may be under way, and a logp_sync() must separate it from the
 * next one.
 */
struct logp_step_list {
    int64_t P;
    const struct logp_step *const *steps; /**< by rank: sends, receives, computations */
    const int64_t *n;                     /**< by rank: number of steps */
    size_t most_bytes;                    /**< of the largest message */
    const struct logp_edge *const *edges; /**< by rank; NULL: each rank does its steps in order */
    const int64_t *n_edges;               /**< by rank: number of edges */
    bool in_order; /**< by its edges, each step of a rank waits for the end of the step before it */
    bool early;    /**< logp_rank_plan.early of each rank; without edges */
};

/**
 * Plan a rank of a list whose messages contain data (logp_algorithm.plan): set the size of scratch
 * to that of the data that the steps have there. In a combination of such a list, n_bytes is the
 * number of bytes at `right`, at_stride the number at `at`, and right_stride the number at `left`.
 * @return 0
 */
LOGP_API int logp_step_list_plan(int P, int rank, struct logp_invocation *c);

/** @return whether a run of this list chooses the order of steps. false: the list has no edges, or
 *          is in_order and the model is not LogGOPSim's; then it is a schedule like any other. */
LOGP_API bool logp_step_list_is_graph(const struct logp_step_list *list,
                                      const struct logp_params *params);

/** The result of a fold. */
struct logp_fold {
    int64_t ns;          /**< from the common start to the end of the last rank */
    uint64_t messages;   /**< sent */
    uint64_t unreceived; /**< messages without a receive */
    int64_t rank;        /**< of the error; -1: no error, or no single rank */
    int64_t source;      /**< -EDEADLK: the rank waits for a message from this rank */
    int tag;             /**< with this tag */
};

/**
 * Compute the time of a schedule under a delay model, without running it. It equals the virtual
 * clock under every model (with a capacity: whose overheads are constant). If it has a lookahead,
 * its answers depend on the message and its two ends only, and ranks are followed in any order.
 * Otherwise (links, capacity, a model of your own) sends take place in the order of (start, rank),
 * as do the steps of a list with edges, which has neither rendezvous nor capacity (-ENOTSUP).
 * Cost: 50 ns a message, 300 ns in that order; 64 bytes a rank and 40 for each message under way.
 * @param delay  a model that no machine uses meanwhile; it is restarted
 * @param most   messages; 0: any number
 * @param out    out; also after an error
 * @return 0; -EDEADLK (ranks wait for messages that are never sent), -EMSGSIZE (a message is larger
 *         than its receive), -EINVAL (P; a step with a wrong rank, tag or time), -E2BIG (more
 *         messages than `most`), -EOVERFLOW (more than 36 years), -ENOTSUP (delay `none`, or a
 *         model with a fate or one that stops processors), -ENOMEM, as logp_delay_functions(), or
 *         the error of the plan function
 */
LOGP_API int logp_schedule_fold(const struct logp_schedule *schedule,
                                const struct logp_delay *delay, uint64_t most,
                                struct logp_fold *out);

/**
 * Find the receive that took the message for which a rank waits. In a list with edges a receive
 * from any rank, or with any tag, can take the message that a later receive names.
 * @param delay  as logp_schedule_fold()
 * @param out    out, as logp_schedule_fold()
 * @return the step of rank out->rank; -1: none: the fold does not return -EDEADLK, or no such
 *         message has been sent
 */
LOGP_API int64_t logp_schedule_taker(const struct logp_schedule *schedule,
                                     const struct logp_delay *delay, struct logp_fold *out);

/* ---- placement: which ranks share a core ---- */

/** Messages from one rank to another. */
struct logp_traffic {
    int from, to;     /**< ranks */
    int64_t messages; /**< >= 0 */
    int64_t bytes;    /**< of all of them, >= 0 */
};

/** The largest P of a placement by traffic. */
#define LOGP_PLACE_MAX (1 << 14)

/**
 * Place ranks on cores so that ranks that exchange most share a core: logp_config.core_of. Each
 * core has the same number of ranks, or one more. The weight of a message is the number of cache
 * lines of 64 bytes that it fills, plus one. Three placements are refined: one core after another
 * takes the rank that exchanges most with its ranks so far; blocks of consecutive ranks; round
 * robin. The result is the one with the least weight between cores, so it is never worse than the
 * last two. Up to 512 cores are numbered so that those that exchange most are neighbours: first two
 * halves are chosen that exchange little, then the halves of each. A machine takes neighbours from
 * one cache, NUMA node and package as far as it can.
 * Cost: time of the order of P^2 and a few passes over the traffic.
 * @param P        1 .. LOGP_PLACE_MAX
 * @param traffic  n entries, in any order; a pair may occur several times; a rank's messages to
 *                 itself do not count
 * @param n_cores  >= 1; of more than P cores P are used
 * @param core_of  out: P numbers, 0 .. n_cores - 1
 * @return 0; -EINVAL (P, n_cores, a rank, a negative number), -ENOMEM
 * Source: Kernighan, Lin, An efficient heuristic procedure for partitioning graphs, BSTJ 49(2),
 *         1970, between two cores at a time, with the moves of Fiduccia, Mattheyses, DAC 1982.
 */
LOGP_API int logp_place_traffic(int64_t P, const struct logp_traffic *traffic, size_t n,
                                int n_cores, int *core_of);

/**
 * The same with the messages of n schedules of the same P, added up.
 * @param most  messages of all of them; 0: any number
 * @return as logp_place_traffic(); -E2BIG (more messages than `most`), and as logp_schedule_fold()
 */
LOGP_API int logp_place_schedules(const struct logp_schedule *schedules, size_t n, uint64_t most,
                                  int n_cores, int *core_of);

/** A piece of the data that a rank must hold at the end: operands of a rank, from its buf, or a
 *  combination of the operands of consecutive ranks. */
struct logp_postcondition {
    struct logp_buffer_ref at;
    size_t n_bytes;
    int64_t from;  /**< the first rank */
    int64_t ranks; /**< combined: number of ranks */
    size_t offset; /**< of the operands in buf */
    bool combined; /**< each rank once, in the order of ranks if the operation does not commute */
    bool whole;    /**< combined: one element, of all elements that these ranks have in buf */
    bool made;     /**< data that these ranks have computed, not operands */
};

/** An error in a schedule. */
struct logp_schedule_error {
    int64_t rank;     /**< -1: no error */
    int64_t step;     /**< of this rank, from 0 */
    const char *what; /**< a sentence with the rank as its subject; static storage */
    int64_t of;       /**< the rank whose contribution is missing, has come twice, or is in a wrong
                           place; -1: the error does not concern a contribution */
};

/**
 * Check a schedule without data, by following which bytes hold which rank's contribution. At the
 * end each rank must hold the result of the collective. Every receive must have its send, of the
 * same size, and every message its receive. No step may read bytes that are not there, or leave
 * its buffer. Data that is overwritten before it is sent is missing at the end. If sends wait
 * for their receivers (model.rendezvous_from), none may wait for ever.
 * Cost: 8 bytes for each byte of all buffers; P^2 messages and more are too many for a large P.
 * @param error  out
 * @return 0: the schedule is right; -EPROTO: it is wrong, see error; -EINVAL (P), -ENOMEM, or the
 *         error of the plan function
 */
LOGP_API int logp_schedule_check(const struct logp_schedule *schedule,
                                 const struct logp_collective *collective,
                                 struct logp_schedule_error *error);

/**
 * Test whether a schedule leaves the same bits in recv_buf on all ranks, whatever the operation.
 * The steps are followed with expressions in place of data: every element has a number that
 * identifies its operands, their places and the order of combining. Two different expressions have
 * the same number with a probability of about 2^-64.
 * Cost: as logp_schedule_check(), without limits for links and rendezvous, which change no result.
 * @param collective  of the sizes of buffers; recv_buf is as large on all ranks
 * @param rank        out, if the answer is 0: a rank whose result is not that of rank 0; NULL: not
 *                    wanted
 * @return 1: it does; 0: it does not; -EINVAL (P, buffers of different sizes), -EDEADLK (ranks wait
 *         for messages that are never sent), -EPROTO (a step leaves its buffer, or a message has
 *         another size than its receive), -ENOTSUP (a list that chooses its order), -ENOMEM, or the
 *         error of the plan function
 */
LOGP_API int logp_schedule_same(const struct logp_schedule *schedule,
                                const struct logp_collective *collective, int64_t *rank);

/* ---- plugin ---- */

/*
 * Plug-ins: a delay model, algorithms, or both, in a shared object that the command loads.
 *
 *     logp run broadcast --plugin ./jitter.so:25
 *
 * The text after the colon belongs to the plug-in. The name of the file ends at the first ':' after
 * its first ".so", or without ".so" at the first ':'. Use a link for a name with a ':' after ".so".
 * A name without '/' means a file of the current folder. If there is no such file, the loader searches for the name (dlopen()).
 *
 * A shared object is a plug-in if it defines `logp_plugin`:
 *
 *     const struct logp_plugin logp_plugin = {
 *         .size = sizeof(logp_plugin),
 *         .version = LOGP_PLUGIN_VERSION,
 *         .name = "jitter",
 *         .create_delay = create,
 *     };
 *
 * Build it with `cc -shared -fPIC`. It need not be linked with the library: the program that
 * loads it has the functions that it calls. Examples: docs/examples/jitter.c, a random latency,
 * and zigzag.c, an algorithm.
 */

/** The version of plug-ins. A new version refuses plug-ins that were built before. Members that may
 *  be ignored only make the structs grow. */
#define LOGP_PLUGIN_VERSION 1

/** Bytes of the reason for which a plug-in refuses its arguments. */
#define LOGP_PLUGIN_WHY 256

/** The arguments of a plug-in. The command owns them; they are valid during the call. */
struct logp_plugin_call {
    size_t size;                      /**< of this struct in the command: it may have grown */
    const char *arguments;            /**< the text after the colon; "": none */
    int64_t P;                        /**< processors, 1 .. LOGP_MAX_PROCESSORS */
    uint64_t seed;                    /**< of random draws: --seed */
    const struct logp_params *params; /**< -L, -o, ... as given; params->seed is the seed */
};

/** A plug-in. */
struct logp_plugin {
    size_t size;      /**< sizeof(struct logp_plugin); see logp_struct_take() */
    int version;      /**< LOGP_PLUGIN_VERSION */
    const char *name; /**< one word, for messages */
    /**
     * Create the delay model. The command calls it for each machine, and to learn the parameters of
     * predictions, so the same call must create the same model. NULL: the plug-in has no model and
     * takes no arguments.
     * @param out  out: the model, as logp_delay_create()
     * @param why  out: "" at first; if it refuses, a sentence with the allowed values
     * @return 0; a negative errno: it refuses the arguments, P or the parameters
     */
    int (*create_delay)(const struct logp_plugin_call *call, struct logp_delay *out,
                        char why[LOGP_PLUGIN_WHY]);
    /** Rows for logp_algorithm_add(), NULL after the last one. NULL: none. */
    const struct logp_algorithm *const *algorithms;
};

/** The symbol that a plug-in defines. The library does not define it. */
extern LOGP_API const struct logp_plugin logp_plugin;

/**
 * Compute the load of a tree algorithm on the links of a topology: see delay.h.
 * @param network  its topology is set and has P processors
 * @param load  out: free it with logp_link_load_fini()
 * @return 0; -EINVAL (no topology, root), -ENOTSUP (not a tree algorithm, or it does not apply),
 *         -ENOMEM
 */
LOGP_API int logp_link_load_init(struct logp_link_load *load,
                                 const struct logp_algorithm *algorithm,
                                 const struct logp_args *args, const struct logp_network *network);

LOGP_END_DECLS

#endif
