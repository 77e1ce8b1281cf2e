/* SPDX-License-Identifier: MIT */
/**
 * @file algorithm.h
 * What an algorithm is made of, for who writes one.
 *
 * An algorithm is a row: its names, what a processor does, step by step (algorithm.h), what it works
 * out beforehand (plan), and how long the whole takes under LogP (predict). One of one's own is a
 * row in one's own program, or in a plug-in (algorithm.h):
 *
 *     static const struct logp_algorithm ring = {
 *         LOGP_ALGORITHM("broadcast", "my-ring", "one after the other", "me"),
 *         .steps = ring_steps};
 *
 *     logp_algorithm_add(&ring);
 *
 * From then on logp_algorithm_find() finds it, it is listed, and chosen where it is predicted best.
 * An experiment takes it without being added: logp_experiment.algorithm.
 *
 * A row needs nothing but steps. Its prediction is then the fold of its schedule.
 */
#ifndef LOGP_ALGORITHM_H
#define LOGP_ALGORITHM_H

#include <logp/collective.h>
#include <logp/defs.h>
#include <logp/delay.h>

#include <stddef.h>

LOGP_BEGIN_DECLS

/** What one rank does in a collective: made by the plan function of a row, from malloc(). */
struct logp_rank_plan {
    int parent; /**< rank; -1: it is the root */
    int n_children;
    int *children;        /**< ranks, in the order of use */
    int64_t own;          /**< summation: how many operands this processor has; 0: it takes no part;
                               reduce: how many children are to its left */
    int64_t block;        /**< pipelined: bytes of a block, but the last; reduce: its elements */
    void *state;          /**< what else the algorithm has worked out */
    void *scratch;        /**< memory of the algorithm's own, to run in */
    size_t scratch_bytes; /**< of it: the algorithm says how much, logp_plan_create() provides it */
    bool early;           /**< where sends wait for their receivers: the first that waits posts all
                               later receives of this rank, not only those before its next sends */
};

/** A collective as the functions of an algorithm get it. args and model have room for later fields,
 *  so that a row that was compiled before reads the same places; part is last and may grow. */
struct logp_invocation {
    struct logp_args args;
    struct logp_network model;
    struct logp_rank_plan plan; /**< of the rank in question; for who is planned */
};

struct logp_step;          /**< algorithm.h */
struct logp_postcondition; /**< algorithm.h */
struct logp_buffer_ref;    /**< algorithm.h */

/* ---- knobs ---- */

/** What the value of a knob counts. */
enum logp_unit {
    LOGP_UNIT_NUMBER,
    LOGP_UNIT_BYTES,
    LOGP_UNIT_NS,
    LOGP_UNIT_WORD, /**< one of its words, and nothing else */
};

/** A word that stands for a value. */
struct logp_word {
    const char *word; /**< NULL: the end of a list */
    int64_t value;
};

/** What a caller may set of an algorithm, and it otherwise chooses: a field of struct logp_args,
 * and an option of the command. */
struct logp_knob {
    const char *name;
    const char *metavar;      /**< what it takes, in a word: "N" */
    const char *help;         /**< one line */
    const char *default_text; /**< its default, as it is written; "": its own choice, value 0, */
    const char *auto_text;    /**< which is, in words */
    const char *allowed;      /**< in words */
    const char *key;          /**< in records */
    enum logp_unit unit;
    int64_t least, most;
    const struct logp_word *words; /**< besides numbers; NULL: none */
    size_t field;                  /**< of struct logp_args: the offset of an int64_t */
};

/** @return knob i = 0, 1, ... of all there are; NULL: there are no more. Static storage. */
LOGP_API const struct logp_knob *logp_knob_at(size_t i);

/** @return the knob of this name; NULL: there is none. */
LOGP_API const struct logp_knob *logp_knob_find(const char *name);

/** That an algorithm has a knob. */
struct logp_knob_use {
    size_t field; /**< the knob's; 0: none */
    /** The value that it works with, given or chosen. NULL: the one given. 0, of k: free, so that
     *  the k with the least prediction is taken of those that `needs` lets pass (of the smallest of
     *  equals; what it sends to whom then depends on k alone, not on the model): 1 .. 64, and of
     * more, by formulas alone, those with which k^n >= P for fewer n. Plans and predictions get it
     * in c->args.k. */
    int64_t (*value)(int64_t P, const struct logp_invocation *c);
};

/** The knob of a field of struct logp_args, for logp_algorithm.knobs. */
#define LOGP_KNOB(field_, value_)                                                                  \
    {                                                                                              \
        offsetof(struct logp_args, field_), value_                                                 \
    }

/**
 * The value of a knob that an algorithm works with.
 * @param network  NULL: as logp_plan_create()
 * @param value  out; NULL: not wanted, nor are P and args looked at. LOGP_PREDICTION_NO_MEMORY:
 *               there was no memory to predict which is the best
 * @return has it this knob?
 */
LOGP_API bool logp_algorithm_knob(const struct logp_algorithm *algorithm,
                                  const struct logp_knob *knob, int64_t P,
                                  const struct logp_args *args, const struct logp_network *network,
                                  int64_t *value);

/* ---- algorithms ---- */

/** How the messages of an algorithm that goes along a tree go. */
enum logp_along {
    LOGP_ALONG_NO_TREE,
    LOGP_FROM_ROOT, /**< part.children are in the order of sending */
    LOGP_TO_ROOT,   /**< part.children are in the order of receiving */
};

/** The most knobs of an algorithm. */
#define LOGP_MAX_KNOBS 4

/** A row of the table. P and c are such that it applies, but for needs. */
struct logp_algorithm {
    size_t size; /**< of this struct: LOGP_ALGORITHM() */
    const char *collective;
    const char *name;
    const char *summary; /**< one line */
    const char *source;  /**< the paper */
    /** NULL: it applies; else what it needs, in a few words ("a power of two of processors").
     *  The function itself is NULL where an algorithm always applies. */
    const char *(*needs)(int64_t P, const struct logp_invocation *c);
    /** Fill c->plan for this rank of P. 0; -ENOMEM, -EINVAL, and then there is nothing to free.
     *  NULL: nothing to plan. */
    int (*plan)(int P, int rank, struct logp_invocation *c);
    /** What this processor does, step by step: see algorithm.h. NULL: it is no schedule. */
    bool (*steps)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out);
    /** What this processor does, as logp_plan_run(). NULL: its steps, and nothing else; of a row
     *  that has both, this is the reader with the steps inlined. */
    int (*run)(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf);
    /** The formula for P processors under c->model.params, without capacity and topology: see
     *  logp_algorithm_predict(). NULL: there is none. */
    struct logp_prediction (*predict)(int64_t P, const struct logp_invocation *c);
    /** The formula on c->model.topology, which has P processors; LOGP_PREDICTION_NONE where it is
     * no network for it. NULL: there is none. */
    struct logp_prediction (*predict_linked)(int64_t P, const struct logp_invocation *c);
    /** What the textbook says that it costs, in ns; -1: more than the clock counts. NULL: nothing.
     */
    int64_t (*textbook)(int64_t P, const struct logp_invocation *c);
    enum logp_along along; /**< which tree part describes */
    bool rough;            /**< where predict is a bound, what the schedule says comes first */
    bool in_place;         /**< its steps are right, too, where operands and result overlap as
                                logp_collective.in_place says; if not, it gets a copy */
    bool any_blocks;       /**< its steps are right, too, with logp_args.blocks; if not, those are
                                refused */
    struct logp_knob_use knobs[LOGP_MAX_KNOBS];
    size_t
        plan_at; /**< where struct logp_invocation has part: LOGP_ALGORITHM(). A row that was compiled
                         with another layout is refused */
};

/** The beginning of a row. */
#define LOGP_ALGORITHM(collective_, name_, summary_, source_)                                      \
    .size = sizeof(struct logp_algorithm), .plan_at = offsetof(struct logp_invocation, plan),      \
    .collective = (collective_), .name = (name_), .summary = (summary_), .source = (source_)

/**
 * Make a row as good as those of the table, for the rest of the process.
 * @param algorithm  stays as it is, and where it is
 * @return 0; -EINVAL (no such collective; no name, summary or source; neither steps nor run),
 *         -EPROTONOSUPPORT (compiled with headers of another version, in which the row is smaller or
 *         struct logp_invocation is laid out differently), -EEXIST (the collective has one of this name), -ENOSPC (there are 64)
 * Threads: any, also while others use the table.
 */
LOGP_API int logp_algorithm_add(const struct logp_algorithm *algorithm);

/* ---- collectives ---- */

/** What says how large a collective is. */
enum logp_operands {
    LOGP_OPERANDS_NONE,   /**< nothing: it carries no data */
    LOGP_OPERANDS_BYTES,  /**< logp_args.n_bytes */
    LOGP_OPERANDS_VECTOR, /**< count elements of op's type on each processor */
    LOGP_OPERANDS_TOTAL,  /**< count elements of op's type, all processors together */
    LOGP_OPERANDS_MATRIX, /**< rows x cols elements of n_bytes, columns over the processors */
};

/** A collective: the sizes of its buffers, what is given and what is promised. */
struct logp_collective {
    const char *name;
    const char *summary;
    bool rooted; /**< one rank is special: logp_args.root */
    enum logp_operands operands;
    /** Bytes of buf and recv_buf of a rank. LOGP_OPERANDS_TOTAL: c is planned for it. */
    void (*sizes)(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf);
    /** logp_collective_check() of what is promised to be made or of whole operands. NULL: nothing
     *  is. */
    int (*check)(int P, int rank, uint64_t seed, const struct logp_invocation *c, const void *buf,
                 const void *recv_buf);
    /** Piece j = 0, 1, ... of what a rank must hold at the end: for logp_schedule_check(). *out is
     *  all 0 but for ranks, 1. @return false: there are no more. NULL: it must hold nothing */
    bool (*postcondition)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out);
    /** What no algorithm can be faster than: logp_collective_lower_bound(), which has seen to P and the model.
     *  NULL: nothing is known */
    int64_t (*bound)(int64_t P, const struct logp_invocation *c);
    /** How many bytes at the beginning of buf are its operands; c is planned. NULL: all. */
    size_t (*given)(int64_t P, int64_t rank, const struct logp_invocation *c);
    /** LOGP_IN_PLACE: at->buffer is the one that this rank has, at->offset where in it the other
     *  is; LOGP_RECV_BUF and 0 before. @return false: it has two all the same. NULL: all have */
    bool (*in_place)(int64_t P, int64_t rank, const struct logp_invocation *c,
                     struct logp_buffer_ref *at);
    /** Nobody may leave before all have come: an experiment looks whether that holds, up to 2^16
     *  processors (beyond, only that all come through). */
    bool holds_back;
    const struct lpi_rows *const *rows; /**< the library's own: its algorithms */
};

/**
 * The buffers of a rank before a run: its operands, which depend on the seed, the rank and their
 * places alone, and garbage where there are none.
 * @param c         planned for this rank where the collective's operands are LOGP_OPERANDS_TOTAL
 * @param buf       as large as logp_collective.sizes says, as recv_buf; NULL where that is 0
 */
LOGP_API void logp_collective_fill(const struct logp_collective *collective, int P, int rank,
                                   uint64_t seed, const struct logp_invocation *c, void *buf,
                                   void *recv_buf);

/**
 * After a run with these operands: does this rank hold what is promised? What that is, is worked
 * out from the operands of all ranks, whatever the algorithm.
 * @return 1: yes; 0: no; -ENOMEM: unknown
 * Threads: any, as logp_collective_fill().
 */
LOGP_API int logp_collective_check(const struct logp_collective *collective, int P, int rank,
                                   uint64_t seed, const struct logp_invocation *c, const void *buf,
                                   const void *recv_buf);

/* ---- schedule ---- */

/*
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

/* ---- plugin ---- */

/*
 * Plug-ins: a delay model, algorithms, or both, in a shared object that the command loads.
 *
 *     logp run broadcast --plugin ./jitter.so:25
 *
 * What stands behind the colon is the plug-in's own, one string. The name of the file ends at the
 * first ':' behind its first ".so", or where it has no ".so" at the first of all: a name with a ':'
 * behind ".so" takes a link. A name without '/' is looked for where the loader looks (dlopen()).
 *
 * A shared object is a plug-in if it defines `logp_plugin`:
 *
 *      *
 *     const struct logp_plugin logp_plugin = {
 *         .size = sizeof(logp_plugin),
 *         .version = LOGP_PLUGIN_VERSION,
 *         .name = "jitter",
 *         .create_delay = create,
 *     };
 *
 * built with `cc -shared -fPIC`. It need not be linked with the library: what it calls is in the
 * program that loads it. tests/plugins/jitter.c is a whole one, a random latency, and
 * tests/plugins/two_ways.c one that brings an algorithm.
 */

/** It changes when plug-ins built before would be misunderstood: they are refused then. What may
 *  be ignored only makes the structs grow. */
#define LOGP_PLUGIN_VERSION 1

/** Bytes of the sentence that says why a plug-in refuses. */
#define LOGP_PLUGIN_WHY 256

/** What the command tells a plug-in; all is the command's, and valid during the call alone. */
struct logp_plugin_call {
    size_t size;                      /**< of this struct in the command: it may have grown */
    const char *arguments;            /**< what stands behind the colon; "" where nothing does */
    int64_t P;                        /**< processors, 1 .. LOGP_MAX_PROCESSORS */
    uint64_t seed;                    /**< of all that is random: --seed */
    const struct logp_params *params; /**< -L, -o, ...: as given; params->seed is the seed, too */
};

/** What a plug-in brings. */
struct logp_plugin {
    size_t size;      /**< sizeof(struct logp_plugin); see logp_struct_take() */
    int version;      /**< LOGP_PLUGIN_VERSION */
    const char *name; /**< as messages call it: one word */
    /**
     * Make the delay model. It is called for each machine that is made, and to learn the parameters
     * to predict with, so the same call must make the same model.
     * NULL: it brings none, and takes no arguments.
     * @param out  out: the model, as logp_delay_create()
     * @param why  out: "" at first; where it refuses, a sentence that says what it takes instead
     * @return 0; a negative errno: it refuses the arguments, P or the parameters
     */
    int (*create_delay)(const struct logp_plugin_call *call, struct logp_delay *out,
                        char why[LOGP_PLUGIN_WHY]);
    /** Algorithms, each as good as one of the table; NULL behind the last. NULL: it brings none. */
    const struct logp_algorithm *const *algorithms;
};

/** The plug-in's own: the one symbol that is looked for. The library has none. */
extern LOGP_API const struct logp_plugin logp_plugin;

/**
 * @param network  its topology is set and has P processors
 * @param load  out: free it with logp_link_load_fini()
 * @return 0; -EINVAL (no topology, root), -ENOTSUP (the algorithm is no tree, or does not apply),
 *         -ENOMEM
 */
LOGP_API int logp_link_load_init(struct logp_link_load *load,
                                 const struct logp_algorithm *algorithm,
                                 const struct logp_args *args, const struct logp_network *network);

LOGP_END_DECLS

#endif
