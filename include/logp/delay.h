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

struct logp_network; /**< delay.h */

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
    size_t size; /**< sizeof(struct logp_delay_ops); see logp_struct_take() */
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
LOGP_API int64_t logp_params_stream_ns(const struct logp_params *params, size_t n_bytes);

/** The gap of a message: g and logp_params_stream_ns(); store_forward: g. */
LOGP_API int64_t logp_params_gap_ns(const struct logp_params *params, size_t n_bytes);

/** The capacity that params stand for: 0 where there is no limit. */
LOGP_API int64_t logp_params_capacity(const struct logp_params *params);

/* ---- links ---- */

/*
 * Parameters that differ from pair to pair: each processor has a link to each, with L, o, g and G
 * of its own. The way from A to B is one link, that from B to A another; a message to oneself has
 * one, too.
 *
 *     struct logp_links *links;
 *     const struct logp_link_costs between = {50000, 5000, 5000, 10000, LOGP_AS_BEFORE};
 *     struct logp_delay delay;
 *
 *     logp_links_create(32, &links);                  32 processors,
 *     logp_links_nodes(links, 8, &between);           4 nodes of 8
 *     logp_links_delay(links, &params, &delay);       inside them it costs what params say
 *
 * Of each parameter of a link the last call counts that says something of it; where none does, the
 * parameters that the delay model is made with.
 *
 * The rules are those of delay.h, with the parameters of the link that a message takes, source and
 * destination, at both its ends. A processor still has one port: its next send, whatever link that
 * takes, does not start before max(o_send, g + (k-1)G) of the link of the send before it; a receive
 * does not start before max(o_recv, g + (k-1)G) of the link of the message received after the start
 * of the receive before it. With the shared gap a send waits for max(o_recv, g) of its own link
 * after the start of the receive before it, and a receive for the gap of the send before it and the
 * streaming of its own message.
 *
 * No chance is involved, so the fold of a schedule is exact (logp_network.links).
 *
 * Threads: links are constant once they are made; any thread may read them.
 * Source: none; LogP and LogGP (delay.h), taken link by link.
 */

/** In a field of struct logp_link_costs: it stays as it is. */
#define LOGP_AS_BEFORE (-1)

/** What a message costs on a link, in the units of struct logp_params. */
struct logp_link_costs {
    int64_t L_ns, o_send_ns, o_recv_ns, g_ns, G_ps;
};

/** Nothing is said of any. */
#define LOGP_ALL_AS_BEFORE                                                                         \
    {                                                                                              \
        LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE             \
    }

/** Ranks first .. last. */
struct logp_rank_range {
    int first, last;
};

/** Those of n ranges, in any order, that may overlap; n = 0: all. */
struct logp_ranks {
    const struct logp_rank_range *ranges;
    int n;
};

/** Ranks of which no two have the same links may be at most so many. */
#define LOGP_MOST_KINDS 1024

/**
 * All links alike, as the parameters say.
 * @param P    1 .. LOGP_MAX_PROCESSORS
 * @param out  out: free it with logp_links_destroy()
 * @return 0; -EINVAL (P), -ENOMEM
 */
LOGP_API int logp_links_create(int64_t P, struct logp_links **out);

/** Free them. NULL is allowed; models that were made of them do not need them. */
LOGP_API void logp_links_destroy(struct logp_links *links);

/** @return P. */
LOGP_API int64_t logp_links_size(const struct logp_links *links);

/**
 * Two levels: ranks 0 .. per_node - 1 are a node, the next per_node another, and so on; the last
 * may have fewer. What links between two nodes cost; those inside stay.
 * @param per_node  >= 1; another number than in an earlier call is refused
 * @return 0; -EINVAL (per_node, or a cost beyond LOGP_PARAM_MAX_NS or below LOGP_AS_BEFORE),
 *         -ENOMEM
 */
LOGP_API int logp_links_nodes(struct logp_links *links, int64_t per_node,
                              const struct logp_link_costs *between);

/**
 * What the links from each of `src` to each of `dst` cost, and not those back.
 * @return 0; -EINVAL (a range that is empty or not within 0 .. P-1; a cost, as above), -E2BIG
 *         (more than LOGP_MOST_KINDS), -ENOMEM; then nothing has changed
 * Cost: P times the ranges, and the square of the kinds of ranks where it makes new ones.
 */
LOGP_API int logp_links_set(struct logp_links *links, const struct logp_ranks *src,
                            const struct logp_ranks *dst, const struct logp_link_costs *costs);

/** @return the kind of a rank, 0 .. LOGP_MOST_KINDS - 1: two ranks of one kind have the same
 *          links to and from any third rank, apart from the nodes that they are on. */
LOGP_API int logp_links_kind(const struct logp_links *links, int rank);

/** @return the processors of a node; 0: there are no nodes. */
LOGP_API int64_t logp_links_per_node(const struct logp_links *links);

/**
 * The parameters of a message.
 * @param base  of what the links say nothing of
 * @param out   out: base but for what the link says; may be base
 */
LOGP_API void logp_links_of(const struct logp_links *links, int src, int dst,
                            const struct logp_params *base, struct logp_params *out);

/**
 * What no link goes below: of each parameter the least that any link has, each by itself. What no
 * algorithm is faster than with these, none is with the links; logp_collective_lower_bound() says more.
 * @param out  out; may be base
 */
LOGP_API void logp_links_least(const struct logp_links *links, const struct logp_params *base,
                               struct logp_params *out);

/**
 * Make a delay model of them.
 * @param links  copied; NULL is refused
 * @param base   what the links say nothing of, and what is no link's: gamma, the gap's kind, a
 *               capacity that is a number, whether latencies vary. Algorithms plan with these
 *               (logp_delay_ops.params)
 * @param out    out: for a machine of as many processors; messages of others cost what base says.
 *               After an error: no model
 * @return 0; -EINVAL (no links; as logp_delay_create(), or LOGP_CAPACITY_RULE: of which link?),
 *         -ENOMEM
 */
LOGP_API int logp_links_delay(const struct logp_links *links, const struct logp_params *base,
                              struct logp_delay *out);

/* ---- latency ---- */

/*
 * Latencies by chance: a delay model around another one.
 *
 * The inner model says when a send starts, how long it keeps its sender busy and when its message
 * would arrive if it took L on the wire, that of its link where they differ (delay.h); here that L
 * is replaced by what is drawn. A draw is a function of the seed, the two ranks and the number of
 * the message among all that its sender has sent in this run, and of nothing else.
 */

/** Where latencies come from. */
enum logp_latency_kind {
    LOGP_LATENCY_AS_IS,       /**< what the inner model says */
    LOGP_LATENCY_UNIFORM,     /**< every whole ns in 0 .. L alike */
    LOGP_LATENCY_EXPONENTIAL, /**< mean L */
    LOGP_LATENCY_LOGNORMAL,   /**< median L, exp(normal(0, sigma)) times it */
    LOGP_LATENCY_SAMPLES,     /**< one of a list, all alike */
};

/** Zero is a good default for every field that the kind does not need. Draws are rounded to whole
 *  nanoseconds, and at most LOGP_PARAM_MAX_NS. */
struct logp_latency {
    enum logp_latency_kind kind;
    double sigma;           /**< lognormal: of the logarithm, > 0; 0: 1 */
    const int64_t *samples; /**< n_samples times in ns, >= 0, copied */
    int n_samples;
    uint64_t seed;
};

/**
 * Read samples: one time in ns a line, '#' begins a comment.
 * @param samples  out: to be freed with free()
 * @param n        out
 * @return 0; -EINVAL (something else, a number below 0, none at all, more than 2^24, more than
 *         2^25 lines, or one of more than 254 letters), -ENOMEM, or the errno of opening and
 *         reading it
 */
LOGP_API int logp_latency_read(const char *path, int64_t **samples, int *n);

/**
 * @param inner  a model with parameters; it goes over to the new one if 0 is returned
 * @param out    the new model; may be `inner`. After an error: no model, and where it is `inner`,
 *               that is freed
 * @return 0; -EINVAL (kind, sigma, samples, or an inner model without parameters, or whose
 *         latencies vary of themselves: there is no L to be replaced), -ENOMEM
 */
LOGP_API int logp_latency_create(struct logp_delay *inner, const struct logp_latency *latency,
                                 struct logp_delay *out);

/* ---- fault ---- */

/*
 * Faults and noise: a delay model around another one, made from texts.
 *
 *     const struct logp_fault_config config = {.size = sizeof(config), .P = 8, .unit_ns = 1000,
 *                                              .faults = "drop:1e-3,stop@5:20us", .seed = 1};
 *     char why[LOGP_FAULT_WHY];
 *     int rc = logp_fault_create(&inner, &config, &out, why);   // out: for a machine
 *
 * A text holds several of them, with commas (or semicolons) in between:
 *
 *     KIND[:VALUE][@[WHERE][:FROM[..[TO]]]]
 *
 *     drop:P         a message is lost with probability P (1e-3, 0.1, 5%)
 *     dup:P          it comes twice, both at the same time
 *     flip:P         one bit of its payload is the other one when it arrives, all bits alike
 *     delay:F[:P]    it takes F >= 1 times as long on its way, with probability P, or always
 *     cut@WHERE      no message gets through
 *     stop@WHERE     processors that have stopped: from FROM for good, or until TO
 *     slow:F         processors that take F >= 1 times as long for overheads and computing
 *   and noise, by which each overhead, of a send or a receive, is longer:
 *     fixed:T        T longer
 *     uniform:T      every whole number of ns in 0 .. T alike
 *     exp:T          exponential with mean T, rounded to ns
 *     file:PATH      one of the samples in a file, all alike (logp_latency_read())
 *     tick:T:D[:S]   as an OS does: every T, from S on, the processor is away for D < T, whatever
 * it does, computing included. Without S each processor has a shift of its own, every whole number
 * of ns in 0 .. T-1 alike
 *
 * WHERE: which messages: `A-B` from one of A to one of B, `A=B` either way, `A` from or to one of
 * A; which processors: `A`. A and B are ranks and ranges of ranks, 0+4..7; nothing stands for all
 * ranks
 * (`@-3`: to rank 3; but cut and stop name some). FROM, TO: it holds for sends that start, and work
 * that begins, at FROM <= time < TO since the run began, or since the last logp_sync() of all.
 * Times have a suffix ns, us, ms or s, or count units.
 *
 * Each draw is one of its own: a function of the seed, the text of the fault, the two ranks and the
 * number of the message among all that its sender has sent in this run; for noise of the rank and
 * how many sends and receives it has made in this run; and of nothing else. So a run again draws
 * the same, on whatever executor, and to leave one fault out changes no draw of another. (The same
 * text a second time draws anew.)
 *
 * A sender does not know what becomes of its message. A processor begins nothing that it does not
 * finish before it stops: a message that it was about to send is not sent. Its calls return
 * -EHOSTDOWN; that its program returns so is no error of the run. Others see silence; in the
 * report of a deadlock it is LOGP_WAIT_HALTED. Work that a stop for a while or a tick interrupts
 * goes on afterwards. What stretches an operation does so one after the other, noise first, each
 * what the ones before have made of it.
 */

/** Room for why a text is refused. */
#define LOGP_FAULT_WHY 256

/** What a model is made from. */
struct logp_fault_config {
    size_t size;
    const char *faults; /**< drop ... slow; NULL or "": none */
    const char *noise;  /**< fixed ... tick; NULL or "": none */
    int64_t P;          /**< processors */
    int64_t unit_ns;    /**< of times without a suffix */
    uint64_t seed;
};

/**
 * @param inner  a model with parameters; it goes over to the new one if 0 is returned
 * @param out    the new model; may be `inner`. After an error: no model, and where it is `inner`,
 *               that is freed
 * @param why    out: where -EINVAL is for a text, which one of its faults and what is allowed, in a
 *               line; otherwise ""
 * @return 0; -EINVAL (size, P, a text, or an inner model without parameters), -E2BIG, -ENOMEM
 */
LOGP_API int logp_fault_create(struct logp_delay *inner, const struct logp_fault_config *config,
                               struct logp_delay *out, char why[LOGP_FAULT_WHY]);

/** @return the model of a machine's faults and noise, for the functions below; NULL: it has none.
 *  Threads: any one that is not a vp of the machine, while its model is not replaced. */
LOGP_API void *logp_machine_faults(const struct logp_machine *machine);

/** Draw with this seed from now on, and count anew what strikes. Threads: not during a run.
 *  @param model  logp_machine_faults(), or logp_delay.model of what logp_fault_create() made; so
 *                for all functions here */
LOGP_API void logp_fault_seed(void *model, uint64_t seed);

/** Is nothing left to chance, does every message arrive once and does nobody stop for good? Then
 *  the fold of a schedule (algorithm.h) says exactly what a run takes. */
LOGP_API bool logp_fault_predictable(const void *model);

/** Messages that something has struck, since the model was made or got its seed. A message that is
 *  lost counts as nothing else but delayed. */
struct logp_fault_counts {
    uint64_t dropped; /**< or cut off */
    uint64_t duplicated, flipped, delayed;
};

/** Threads: not during a run. */
LOGP_API void logp_fault_counts(const void *model, struct logp_fault_counts *out);

/** One fault of a message. */
struct logp_fault_event {
    const char *kind; /**< static storage: "drop" ... */
    int src, dst;
    unsigned number; /**< of the message among its sender's, from 0 */
    int64_t time_ns; /**< the start of its send */
};

/** The strikes, by (time, source, number); of more than 64 some 64. Threads: not during a run.
 *  @param out  room entries
 *  @return how many there are, at most 64; the first `room` of them are in out */
LOGP_API int logp_fault_events(const void *model, struct logp_fault_event *out, int capacity);

/**
 * Ask before each strike of a message whether it takes place: for whoever looks for the fewest that
 * matter. One that does not is neither counted nor listed.
 * @param takes_place  called when the draws say that it would strike, in the order of sends; so for
 *                     virtual machines of one core. It may call nothing of the machine. NULL: as
 *                     the draws say
 * Threads: not during a run.
 */
LOGP_API void logp_fault_ask(void *model,
                             bool (*takes_place)(void *arg, const struct logp_fault_event *event),
                             void *arg);

/** A row of the table of what there is. */
struct logp_fault_kind {
    size_t size; /**< of this struct in the library */
    const char *name, *form, *summary;
    bool is_noise;
};

/** @return kind i = 0, 1, ..., static storage; NULL: there are no more */
LOGP_API const struct logp_fault_kind *logp_fault_kind_at(size_t i);

/* ---- topology ---- */

/*
 * Networks of links: which way a message takes, what that does to its time, and how many messages
 * use each link.
 *
 * Processors are the nodes 0 .. P-1; the switches of a tree are numbered from P on. Links are
 * directed. A message takes the shortest route: a tie on a ring goes up; in a mesh or torus
 * dimension by dimension, the last first, which is along the row, then along the column, and so on;
 * in a hypercube the lowest bit first.
 *
 * As a delay model (logp_topology_delay()) the network stores and forwards: each link delays a
 * message of k bytes by L + (k-1)G, and passes messages at least max(g, (k-1)G) apart, in the order
 * in which they were sent: by the start of the send, then by rank. At its two ends a message costs
 * what LogGP says, so a message to a neighbour that nothing delays arrives as under plain LogGP. A
 * message to oneself uses no link and arrives when its send is done.
 *
 * Threads: a topology is constant; any thread may read it.
 * Source: Grama, Gupta, Karypis, Kumar, Introduction to Parallel Computing, 2003, ch. 2.4, 4.1.
 */

/** One row of the table of topologies. */
struct logp_topology_kind {
    const char *name;
    const char *form; /**< how it is written: "mesh[:AxBx...]" */
    const char *summary;
};

/** @return the topologies i = 0, 1, ... in the order in which they are listed, static storage;
 *          NULL: there are no more */
LOGP_API const struct logp_topology_kind *logp_topology_kind_at(size_t i);

/**
 * Does a specification fit P processors?
 * @param spec  "line", "ring", "mesh:AxBxC", "torus:AxBxC" (any number of dimensions, up to
 *              LOGP_TOPOLOGY_SIZES; without sizes: square), "hypercube", "tree" (a binary tree of
 *              switches, with the processors at its leaves)
 * @return NULL: it does; else what it needs, in a few words; static storage
 */
LOGP_API const char *logp_topology_needs(const char *spec, int64_t P);

/**
 * @param out  out: free it with logp_topology_destroy()
 * @return 0; -EINVAL (logp_topology_needs()), -ENOMEM
 */
LOGP_API int logp_topology_create(const char *spec, int64_t P, struct logp_topology **out);

/** Free a topology. NULL is allowed. */
LOGP_API void logp_topology_destroy(struct logp_topology *topology);

/** @return the specification that it was made from. */
LOGP_API const char *logp_topology_spec(const struct logp_topology *topology);

/** @return P. */
LOGP_API int logp_topology_size(const struct logp_topology *topology);

/** Most dimensions of a mesh or torus: with more, one of them would be of a single processor. */
#define LOGP_TOPOLOGY_SIZES 24

/**
 * The sizes of a mesh or torus. Rank r is at place (r / (product of the sizes after d)) mod size d
 * of dimension d: ranks count along the last dimension first, a row.
 * @param sizes  out: of each dimension, in the order of the specification
 * @return the number of dimensions; 0: no mesh or torus
 */
LOGP_API int logp_topology_sizes(const struct logp_topology *topology,
                                 int sizes[LOGP_TOPOLOGY_SIZES]);

/** @return how many directed links there are; they are numbered from 0. */
LOGP_API int logp_topology_links(const struct logp_topology *topology);

/** The nodes that a link leads from and to; those from P on are switches. */
LOGP_API void logp_topology_ends(const struct logp_topology *topology, int link, int *from,
                                 int *to);

/**
 * One step of the route to dst.
 * @param node  in: where the message is, a processor, or a switch on its way; out: where the link
 *              leads
 * @return the link; -1: it is there
 */
LOGP_API int logp_topology_next(const struct logp_topology *topology, int *node, int dst);

/** @return the number of links on the route from src to dst. */
LOGP_API int logp_topology_hops(const struct logp_topology *topology, int src, int dst);

/**
 * The whole route from src to dst.
 * @param links  out: its links in order, at most room of them
 * @return how many there are, also where room is less
 */
LOGP_API int logp_topology_route(const struct logp_topology *topology, int src, int dst, int *links,
                                 int capacity);

/* ---- as a delay model ---- */

/**
 * Make a delay model of a topology.
 * @param topology  copied; NULL is refused
 * @param ends      what a message costs at its two ends: a model with parameters, such as `logp`
 *                  or `loggp`; the new model owns it if 0 is returned
 * @param out       out: for a machine of as many processors (messages of others use no link).
 *                  After an error: no model; ends is still the caller's
 * @return 0; -EINVAL (no topology; ends has no parameters, or its latency varies: each link has L),
 *         -ENOMEM, or as logp_delay_functions()
 */
LOGP_API int logp_topology_delay(const struct logp_topology *topology, struct logp_delay ends,
                                 struct logp_delay *out);

/** What a link, or all together, had to do in the last run of the machine. */
struct logp_link_use {
    int link;          /**< of which it is; -1: of all together */
    uint64_t messages; /**< that it passed */
    int64_t busy_ns;   /**< how long it could take no other */
    int64_t waited_ns; /**< how long messages waited for it */
};

/**
 * What a link of the network had to do that is a machine's delay model.
 * @param link  a link; -1: all together
 * @return 0; -EINVAL (the model in force is no topology, no such link)
 * Threads: any one that is not a vp of the machine, while it does not run and its model is not
 *          replaced.
 */
LOGP_API int logp_link_use(const struct logp_machine *machine, int link, struct logp_link_use *out);

/** The same of the link that passed most messages; ties: the lowest; link -1: there is none.
 *  Threads: as logp_link_use(). */
LOGP_API int logp_link_busiest(const struct logp_machine *machine, struct logp_link_use *out);

/* ---- the load of an algorithm, worked out without running it ---- */

/**
 * The load that a collective along a tree puts on the links when all take part in rounds: in a
 * round, every processor that holds the item sends to its next child. Child k of a processor that
 * got the item in round r gets it in round r + k + 1, the root has it in round 0. A reduction is
 * the same with directions and order reversed.
 */
struct logp_link_load {
    int n_steps;
    int *step_most; /**< [step]: the most messages on one link, the first round first */
    int n_links;
    int *messages; /**< [link]: in all steps together */
};

/** Free what logp_link_load_init() has made. */
LOGP_API void logp_link_load_fini(struct logp_link_load *load);

/* ---- network ---- */

/*
 * The network between the processors of a machine: what messages cost, which way they take, which
 * sends wait for their receiver, and what goes wrong.
 *
 *     const struct logp_network network = {.params = {.L_ns = 6000, .o_send_ns = 2000,
 *                                                     .o_recv_ns = 2000, .g_ns = 4000}};
 *     const struct logp_config config = {.size = sizeof(config), .n_processors = 8,
 *                                        .network = &network};
 *
 * One description serves all: a machine emulates it (machine.h), algorithms are planned, chosen
 * and predicted for it (collective.h, algorithm.h), the test kit varies runs on it (check.h). An
 * experiment (experiment.h) predicts for the network of its machine, so that its prediction is for
 * the network on which it ran.
 *
 * Threads: a network is constant; any thread may read it.
 */

struct logp_latency; /**< delay.h */

/** A network. Zero is a good default for every field; with all of them 0 messages cost nothing.
 *  What it points to must stay as long as the struct is used. A machine, and a delay model made of
 *  a network, copy what they need. */
struct logp_network {
    /** The parameters as the delay model takes them: logp_delay_params(). They name the built-in
     *  model, too: logp_delay_name(). The seed is that of latencies, faults and noise as well. */
    struct logp_params params;
    /** The links between the processors, and with a mesh or torus the sizes those of the
     *  algorithms mesh and torus. NULL: any two processors are neighbours, and these are square. */
    const struct logp_topology *topology;
    /** What differs from params from pair to pair; algorithms plan with params. NULL: nothing. No
     *  topology then. */
    const struct logp_links *links;
    /** Nothing is emulated: messages take the host's own time. A machine has the delay model
     *  `none`, algorithms are chosen for the host, and the test kit says nothing of time. */
    bool undelayed;
    /**
     * A send of this many bytes or more waits for its receiver; one without bytes counts as one of
     * 1 byte. 0: none waits; 1: every send does. This is the only convention: what is written as
     * "more than S bytes", as by the option --rendezvous, is S + 1.
     *
     * At s such a send is charged its gap and o_send for a request, which is at the receiver at
     * s + o_send + L. When the request is there and a matching receive is posted (in logp_recv():
     * the receiver has reached that call), the answer takes L back, and then the payload is sent as
     * a plain send. Request and answer cost the receiver nothing, and take no part in its gap.
     * logp_send() and logp_sendrecv() end with the payload, logp_isend() with the request: the
     * payload is sent within the first call that receives, waits, tests or probes once the answer
     * is there (before a message that comes as late is taken), in the order of the answers. A
     * program that relies on buffers deadlocks. While choices are explored (check.h) the payload
     * of logp_isend() goes with the request, and its request is complete when the answer is there.
     */
    int64_t rendezvous_from;
    const struct logp_latency *latency; /**< latencies by chance; NULL: as params say */
    const char *faults;                 /**< "drop:1e-3,stop@5:20us", as delay.h says; NULL: none */
    const char *noise;                  /**< "exp:500ns", the same; NULL: none */
    int64_t unit_ns;                    /**< of times in faults and noise without a suffix; 0: 1 */
    int64_t reserved[4];                /**< 0; for later fields */
};

/** Room for why a network is refused. */
#define LOGP_NETWORK_WHY LOGP_FAULT_WHY

/**
 * The delay model of a network. logp_machine_create() calls it for logp_config.network; a program
 * needs it for logp_machine_set_delay() and logp_schedule_fold().
 * @param P    processors, 1 .. LOGP_MAX_PROCESSORS: of faults and noise
 * @param own  a model of one's own in place of params, topology and links; it goes over, and after
 *             an error it is freed. NULL: none
 * @param out  out: the model `none` of an undelayed network; else one that is given to a machine, or
 *             freed with logp_delay_destroy(). After an error: no model
 * @param why  out: where -EINVAL is returned, which field is wrong and what is allowed, in a line;
 *             otherwise "". NULL: not wanted
 * @return 0; -EINVAL (no built-in model has these parameters, or one is out of range: see
 *         logp_delay_create(); both topology and links; what logp_topology_delay(),
 *         logp_links_delay(), logp_latency_create() and logp_fault_create() refuse), -E2BIG (a
 *         reserved field is not 0), -ENOMEM
 */
LOGP_API int logp_network_delay(const struct logp_network *network, int64_t P,
                                const struct logp_delay *own, struct logp_delay *out,
                                char why[LOGP_NETWORK_WHY]);

/**
 * The network of a machine. It is that of logp_config.network; without one, or once the delay model
 * has been replaced, that of the model in force (logp_delay_ops.network and params). Where nothing
 * is emulated it is undelayed on the wall clock in one process, and params are what algorithms are
 * planned with.
 * @param out  out: what it points to stays until the model is replaced or the machine destroyed
 * Threads: as logp_machine_run(), while it does not run.
 */
LOGP_API void logp_machine_network(const struct logp_machine *machine, struct logp_network *out);

/**
 * Replace logp_network.rendezvous_from of a machine from the next run on.
 * @param from  bytes, as there; 0: no send waits
 * Threads: as logp_machine_run(), not during a run; also by the function of logp_machine_repeat()
 * @return 0; -EINVAL (negative); -ENOTSUP (a parallel machine, or one over processes); -EBUSY (a
 *         run is under way, or one of its vps has not come home); -ENOMEM
 */
LOGP_API int logp_machine_set_rendezvous_from(struct logp_machine *machine, int64_t from);

/**
 * Draw latencies, faults and noise of the machine's network from this seed from now on, and count
 * anew what strikes. Threads: as logp_machine_run(), not during a run.
 */
LOGP_API void logp_machine_set_seed(struct logp_machine *machine, uint64_t seed);

LOGP_END_DECLS

#endif
