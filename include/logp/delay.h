/* SPDX-License-Identifier: MIT */
/**
 * @file delay.h
 * Delay models: when a message is free to leave, and when it arrives.
 *
 * A model is a table of functions (struct logp_delay_ops) and a pointer of its own. Use one of
 * the built-in ones (`none`, `logp`, `loggp`, `store-forward`, `varying`, `loggops`) or pass your
 * own in the machine's configuration; replace it while the machine runs with
 * logp_machine_set_delay().
 *
 * The rules of the built-in models, for a message of k bytes (k = 0 counts as 1; under plain
 * LogP every message counts as one byte); (k-1)G is rounded up to whole nanoseconds, once:
 *
 *     send at s      busy [s, s + o_send], arrival at s + o_send + (k-1)G + L
 *     next send      not before s + max(o_send, g + (k-1)G)
 *     receive at r   r >= arrival, busy [r, r + o_recv], and r not before
 *                    max(o_recv, g + (k-1)G) after the start of the receive before it
 *
 * With the shared gap (gap_shared) also
 *
 *     send at s      not before max(o_recv, g) after the start of the receive before it
 *     receive at r   not before max(o_send, g + (k'-1)G) + (k-1)G after the start of the send
 *                    before it, which was of k' bytes
 *
 * Under `store-forward` each hop keeps the whole message: it is kG on the wire, not (k-1)G, and the
 * gap is g whatever the size.
 *
 * Under `loggops` a message costs what it costs in LogGOPSim (with O = 0): it arrives with its
 * first byte, and the receiver's processor is busy while the others come in:
 *
 *     send at s      busy [s, s + o_send], arrival at s + o_send + L
 *     next send      not before s + max(o_send, g + (k-1)G)
 *     receive at r   r >= arrival, busy [r, r + o_recv + (k-1)G], and r not before
 *                    max(o_recv, g) + (k'-1)G after the start of the receive before it, which was
 *                    of k' bytes
 *
 * Under `varying` L is what it is in LogP, an upper bound: the latency of each message is drawn,
 * every whole number of nanoseconds in 0 .. L alike. It is a function of the seed, the two ranks
 * and the number of the message among all that its sender has sent in this run, and of nothing
 * else: a program that sends the same takes the same, whatever carries it. A message may arrive
 * before an earlier one, but those of one (context, source, tag) are received in the order sent all
 * the same.
 *
 * Source: Culler et al., LogP, PPoPP 1993; Alexandrov et al., LogGP, SPAA 1995; store-forward:
 * Liu, Li & Cui 1996; varying: Kurnosov 2016, section 3; loggops: Hoefler, Schneider & Lumsdaine,
 * LogGOPSim, HPDC 2010.
 */
#ifndef LOGP_DELAY_H
#define LOGP_DELAY_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

struct logp_network; /**< network.h */

/** Capacity by LogP's own rule: max(1, ceil(L/g)); g = 0 means no limit. */
#define LOGP_CAPACITY_RULE (-1)

/** The parameters of the model, and what a combine costs. All are >= 0. What a model takes of them,
 *  and the two fields that say what kind of model it is, logp_delay_params() says. */
struct logp_params {
    int64_t L_ns;        /**< latency: the time on the wire, at most */
    int64_t o_send_ns;   /**< overhead of a send */
    int64_t o_recv_ns;   /**< overhead of a receive */
    int64_t g_ns;        /**< gap between two sends, or two receives, of one processor */
    int64_t G_ps;        /**< LogGP: picoseconds per byte after the first */
    int64_t gamma_ps;    /**< picoseconds to combine one element with another */
    bool gap_shared;     /**< the gap also holds between a send and a receive */
    int64_t capacity;    /**< messages on the wire from or to any one processor: 0 no limit,
                              LOGP_CAPACITY_RULE, or a number >= 1 */
    bool store_forward;  /**< the model's own: every byte counts for the time on the wire, and none
                              for the gap */
    bool latency_varies; /**< the model's own: the rules are those of loggp, with at most L for each
                              message, so that predictions are upper bounds */
    bool recv_streams; /**< the model's own: a message arrives with its first byte, and the receiver
                            is busy while the others come in */
    uint64_t seed;     /**< varying: of the latencies */
};

/**
 * What the gap rules need to know of one processor. It belongs to the processor and outlives
 * a replacement of the model. LOGP_NEVER where there was none.
 */
struct logp_port {
    int64_t send_start; /**< start of the last send */
    int64_t send_next;  /**< the gap of the last send is over */
    int64_t recv_start; /**< start of the last receive */
};

/** One message, seen from one of its ends. */
struct logp_transfer {
    int src;         /**< in: rank of the sender */
    int dst;         /**< in: rank of the receiver */
    size_t n_bytes;  /**< in: payload */
    unsigned number; /**< send: in, how many its sender has sent before in this run */
    int64_t ready;   /**< in: the processor could start at this time */
    int64_t start;   /**< out: it does start */
    int64_t done;    /**< out: it is free again, >= start */
    int64_t arrival; /**< send: out, >= done; receive: in, the message arrives */
};

/** A time that does not come: what begins or ends then never does, because its processor has
 *  stopped. */
#define LOGP_STOPPED (INT64_MAX / 4)

/** What becomes of a message on its way. */
struct logp_fate {
    int copies;   /**< that arrive, all at the same time: 1; 0: it is lost; 2: it comes twice */
    int64_t flip; /**< this bit of the payload is the other one when it arrives; -1: none */
};

/**
 * A delay model. Every function gets the model's own pointer.
 * Threads: under the wall clock, `start` and `send` run on the sender's thread, `recv` on a
 * thread of the receiver's core, those of different processors at the same time; under the
 * virtual clock one at a time, sends in the order of (start, rank) (but see lookahead). They run
 * inside an RCU read-side section: they must not block nor call logp_machine_set_delay().
 */
struct logp_delay_ops {
    size_t size; /**< sizeof(struct logp_delay_ops); see logp_take_struct() */
    const char *name;
    /** The earliest t->start >= t->ready for this send, and, if the model has a capacity, t->done
     *  for it, when the message enters the wire. Changes nothing but the two. */
    void (*start)(void *model, const struct logp_port *port, struct logp_transfer *t);
    /** The send starts at t->start, nothing can refuse it any more: fill t->done and t->arrival,
     *  update the port. */
    void (*send)(void *model, struct logp_port *port, struct logp_transfer *t);
    /** A receive: fill t->start >= max(ready, arrival) and t->done, update the port. */
    void (*recv)(void *model, struct logp_port *port, struct logp_transfer *t);
    /** The parameters as the model takes them, for algorithms that plan with them, and predictions:
     *  as logp_delay_params(). NULL: the model has none. */
    const struct logp_params *(*params)(void *model);
    /** How many messages may be on the wire, [done, arrival), from or to any one processor;
     *  <= 0: no limit. NULL: no limit. */
    int64_t (*capacity)(void *model);
    /** Frees the model; no reader is left. NULL: nothing to free. */
    void (*destroy)(void *model);
    /** Time begins anew, with a run or (new_run false) a common start within it: forget all earlier
     *  messages. No processor is sending or receiving. NULL: nothing to forget. */
    void (*restart)(void *model, bool new_run);
    /** The least time from the start of any send to the arrival of its message. A model that has
     * one may be called for several processors at the same time also under the virtual clock. NULL
     * or 0: none, and a parallel machine does not run. */
    int64_t (*lookahead)(void *model);
    /** The parameters of a message from src to dst, for a model in which they differ from those of
     *  params, which then has some; as long as the model is there. NULL: they are all the same. */
    const struct logp_params *(*link)(void *model, int src, int dst);
    /** What becomes of the message of a send that has been charged: *fate says one copy, no bit
     *  flipped, and may be changed. A request of a send that waits for its receiver can be lost,
     * but does not come twice. NULL: all messages arrive once, as they were sent. */
    void (*fate)(void *model, const struct logp_transfer *t, struct logp_fate *fate);
    /** When work of a processor that takes ns >= 0 by itself and begins at `from` is done: of
     *  logp_compute() and of looks in vain; overheads are the business of send and recv. NULL: at
     *  from + ns. LOGP_STOPPED: never; send's t->start and recv's t->done may be that, too. */
    int64_t (*work)(void *model, int rank, int64_t from, int64_t ns);
    /** From when on a processor does nothing any more. NULL: all go on for ever. */
    int64_t (*stops)(void *model, int rank);
    /** After restart: time begins anew at start_ns, 0 with a run. NULL: it does not matter. */
    void (*begin)(void *model, int64_t start_ns);
    /** The network that this is a model of: fills *out, in which params are set; as long as the
     *  model is there. NULL: it has no topology, links, faults or noise. */
    void (*network)(void *model, struct logp_network *out);
};

/** A model ready for use. The functions are copied by whatever takes the model; the model itself
 *  goes over to it. All zero, as a failed create leaves it: no model, which is refused (-EINVAL)
 *  wherever a model is taken. `none` is a model: logp_delay_none(). */
struct logp_delay {
    const struct logp_delay_ops *ops;
    void *model;
};

/** The model `none`: nothing is emulated, and nothing is to be freed. In a configuration:
 *      struct logp_config config = {.size = sizeof(config), .n_processors = 8,
 *                                   .delay = logp_delay_none()}; */
LOGP_API struct logp_delay logp_delay_none(void);

/** @return is it the model `none`? false: another model, or no model */
LOGP_API bool logp_delay_is_none(const struct logp_delay *delay);

/**
 * The functions of a model, as this version of the library knows them. Whatever takes a model looks
 * at it with this function.
 * @param ops  out: a copy; what the model does not have is NULL
 * @return 0; -EINVAL (ops is NULL or does not say its size, or one of start, send and recv is
 *         missing), -E2BIG (it has functions that are not known here)
 */
LOGP_API int logp_delay_functions(const struct logp_delay *delay, struct logp_delay_ops *ops);

/** One row of the table of built-in models. */
struct logp_delay_model {
    size_t size; /**< of this struct in the library: it may have grown */
    const char *name;
    const char *summary;
};

/** @return the built-in models i = 0, 1, ... in the order in which they are listed, static storage;
 *          NULL: there are no more */
LOGP_API const struct logp_delay_model *logp_delay_model_at(size_t i);

/**
 * The parameters as a built-in model takes them: `logp` has no G; store_forward and latency_varies
 * are what the model is, whatever is given. These are the parameters to plan and to predict with.
 * @param name   a name of logp_delay_model_at(); `none` takes none, and what is planned for it is
 *               planned as for loggp
 * @param given  parameters as somebody writes them down
 * @param out    out; may be `given`
 * @return 0; -ENOENT (no such name)
 */
LOGP_API int logp_delay_params(const char *name, const struct logp_params *given,
                               struct logp_params *out);

/**
 * The built-in model that these are the parameters of: the first that takes them as they are, so
 *     logp_delay_create(logp_delay_name(params), params, &delay)
 * makes a model of parameters that logp_delay_params() has said.
 * @return its name, static storage; NULL: there is none
 */
LOGP_API const char *logp_delay_name(const struct logp_params *params);

/**
 * Make a built-in model.
 * @param name    a name of logp_delay_model_at()
 * @param params  copied, as logp_delay_params(); ignored by `none`
 * @param out     out: the model. Give it to a machine, which then owns it, or free it with
 *                logp_delay_destroy(). After an error: no model
 * @return 0; -ENOENT (no such name; NULL is none), -EINVAL (a negative parameter, or one beyond
 *         LOGP_PARAM_MAX_NS), -ENOMEM
 */
LOGP_API int logp_delay_create(const char *name, const struct logp_params *params,
                               struct logp_delay *out);

/** Free a model that nobody has taken. One that does not say its size is forgotten. */
LOGP_API void logp_delay_destroy(struct logp_delay *delay);

/** Largest parameter: about eleven days, so that sums of many stay within 64 bits. */
#define LOGP_PARAM_MAX_NS INT64_C(1000000000000000)

/** (max(n_bytes,1) - 1) G in nanoseconds, rounded up once; store_forward: max(n_bytes,1) G. */
LOGP_API int64_t logp_stream_ns(const struct logp_params *params, size_t n_bytes);

/** The gap of a message: g and logp_stream_ns(); store_forward: g. */
LOGP_API int64_t logp_gap_ns(const struct logp_params *params, size_t n_bytes);

/** The capacity that params stand for: 0 where there is no limit. */
LOGP_API int64_t logp_capacity(const struct logp_params *params);

LOGP_END_DECLS

#endif
