/* SPDX-License-Identifier: MIT */
/**
 * @file algorithm.h
 * What an algorithm is made of, for who writes one.
 *
 * An algorithm is a row: its names, what a processor does, step by step (schedule.h), what it works
 * out beforehand (plan), and how long the whole takes under LogP (predict). One of one's own is a
 * row in one's own program, or in a plug-in (plugin.h):
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

struct logp_step;          /**< schedule.h */
struct logp_postcondition; /**< schedule.h */
struct logp_buffer_ref;    /**< schedule.h */

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
    /** What this processor does, step by step: see schedule.h. NULL: it is no schedule. */
    bool (*steps)(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out);
    /** What this processor does, as logp_plan_run(). NULL: its steps, and nothing else; of a row
     *  that has both, this is the reader with the steps inlined. */
    int (*run)(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf);
    /** The formula for P processors under c->model.params, without capacity and topology: see
     *  logp_predict(). NULL: there is none. */
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
    /** What no algorithm can be faster than: logp_lower_bound(), which has seen to P and the model.
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

LOGP_END_DECLS

#endif
