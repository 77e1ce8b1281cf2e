/* SPDX-License-Identifier: MIT */
/**
 * @file delay.h
 * Delay models: when a message may leave, and when it arrives.
 *
 * A model is a table of functions (struct logp_delay_ops) and a pointer of its own. Use a built-in
 * model (`none`, `logp`, `loggp`, `store-forward`, `varying`, `loggops`), or pass your own in the
 * machine's configuration. logp_machine_set_delay() replaces it while the machine runs.
 *
 * The rules of the built-in models for a message of k bytes (k = 0 counts as 1; under plain LogP
 * every message counts as one byte). (k-1)G is rounded up once to whole nanoseconds.
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
 * Under `store-forward` each hop stores the whole message: it is kG on the wire, not (k-1)G, and
 * the gap is g for any size.
 *
 * `loggops` has the rules of LogGOPSim: a message arrives with its first byte, the receiver is busy
 * while the other bytes come in, and each byte costs a processor O:
 *
 *     send at s      busy [s, s + o_send + (k-1)O], arrival at s + o_send + L
 *     next send      not before s + max(o_send + (k-1)O, g + (k-1)G)
 *     receive at r   r >= arrival, busy [r, r + o_recv + (k-1)max(O, G)], and r not before
 *                    max(o_recv, g) + (k'-1)G after the start of the receive before it, which was
 *                    of k' bytes
 *
 * Under `varying` L is an upper bound, as in LogP: the latency of each message is drawn
 * uniformly from the whole nanoseconds 0 .. L. The draw depends on the seed, the two ranks and
 * the number of the message among those that its sender has sent in this run only. So a program
 * that sends the same messages takes the same time with any executor. A message may arrive
 * before an earlier one, but messages of one (context, source, tag) are received in the order
 * sent.
 *
 * Source: Culler et al., LogP, PPoPP 1993; Alexandrov et al., LogGP, SPAA 1995; store-forward:
 * Liu, Li & Cui 1996; varying: Kurnosov 2016, section 3; loggops: Hoefler, Schneider & Lumsdaine,
 * LogGOPSim, HPDC 2010.
 */
#ifndef LOGP_DELAY_H
#define LOGP_DELAY_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

struct logp_network;

/** Capacity by LogP's own rule: max(1, ceil(L/g)); g = 0 means no limit. */
#define LOGP_CAPACITY_RULE (-1)

/** The parameters of a model, and the time of a combination. All are >= 0. logp_delay_params()
 *  keeps those that a model uses, and sets the fields that describe the kind of model. */
struct logp_params {
    int64_t L_ns;        /**< latency: the longest time on the wire */
    int64_t o_send_ns;   /**< overhead of a send */
    int64_t o_recv_ns;   /**< overhead of a receive */
    int64_t g_ns;        /**< gap between two sends, or two receives, of one processor */
    int64_t G_ps;        /**< LogGP: picoseconds per byte after the first */
    int64_t gamma_ps;    /**< picoseconds to combine one element with another */
    bool gap_shared;     /**< the gap also holds between a send and a receive */
    int64_t capacity;    /**< messages on the wire from or to any one processor: 0 no limit,
                              LOGP_CAPACITY_RULE, or a number >= 1 */
    bool store_forward;  /**< set by the model: every byte counts on the wire, and none for the
                              gap */
    bool latency_varies; /**< set by the model: the rules are those of loggp with at most L for each
                              message, so predictions are upper bounds */
    bool recv_streams;   /**< set by the model: a message arrives with its first byte, and the
                            receiver is busy while the other bytes come in */
    uint64_t seed;       /**< varying: of the latencies */
    int64_t O_ps;        /**< loggops: picoseconds per byte after the first on the processor */
};

/**
 * The state of a processor that the gap rules need. It belongs to the processor and outlives a
 * replacement of the model. LOGP_NEVER: there was no such operation. With several ports
 * (logp_network.ports): of the last send, and of the last receive; the model has the other ports.
 */
struct logp_port {
    int64_t send_start; /**< start of the last send */
    int64_t send_next;  /**< end of the gap of the last send */
    int64_t recv_start; /**< start of the last receive */
};

/** A message at one of its ends. */
struct logp_transfer {
    int src;         /**< in: rank of the sender */
    int dst;         /**< in: rank of the receiver */
    size_t n_bytes;  /**< in: payload */
    unsigned number; /**< send: in, the messages that its sender has sent before in this run;
                          receive: in, not 0 if it only asks for the start, with a copy of the port */
    int64_t ready;   /**< in: the earliest start */
    int64_t start;   /**< out: the start */
    int64_t done;    /**< out: the processor is free again, >= start */
    int64_t arrival; /**< of the message. send: out, >= start; receive: in */
};

/** A time that never comes, because the processor has stopped. */
#define LOGP_STOPPED (INT64_MAX / 4)

/** The fate of a message under way. */
struct logp_fate {
    int copies;   /**< copies that arrive, at the same time; 0: the message is lost */
    int64_t flip; /**< this bit of the payload is inverted; -1: none */
};

/**
 * A delay model. Every function gets the pointer of the model.
 * Threads: on the wall clock `start` and `send` run on the sender's thread and `recv` on a
 * thread of the receiver's core, for several processors at the same time. Under the virtual
 * clock they run one at a time, sends in the order of (start, rank) (but see lookahead). They
 * run inside an RCU read-side section: they must not block or call logp_machine_set_delay().
 */
struct logp_delay_ops {
    size_t size; /**< sizeof(struct logp_delay_ops); see logp_struct_take() */
    const char *name;
    /** Set t->start >= t->ready, the earliest start of this send. A model with a capacity also sets
     *  t->done >= t->start, when the message enters the wire; if it does not, that is t->start.
     *  Nothing else may change. */
    void (*start)(void *model, const struct logp_port *port, struct logp_transfer *t);
    /** The send starts at t->start and is not refused any more: set t->done and t->arrival, update
     *  the port. */
    void (*send)(void *model, struct logp_port *port, struct logp_transfer *t);
    /** A receive: set t->start >= max(ready, arrival) and t->done, update the port. */
    void (*recv)(void *model, struct logp_port *port, struct logp_transfer *t);
    /** The parameters that algorithms plan and predict with, as logp_delay_params(). NULL: the
     *  model has none. */
    const struct logp_params *(*params)(void *model);
    /** The limit of messages on the wire, [done, arrival), from or to any processor; <= 0, or NULL:
     *  no limit. A machine asks once, when it gets the model. */
    int64_t (*capacity)(void *model);
    /** Free the model; it has no readers any more. NULL: nothing to free. */
    void (*destroy)(void *model);
    /** A run begins, or (new_run false) a common start within a run: forget all earlier messages.
     *  No processor is sending or receiving. NULL: nothing to forget. */
    void (*restart)(void *model, bool new_run);
    /** The least time from the start of a send to the arrival of its message. Such a model is also
     *  called for several processors at the same time under the virtual clock. NULL or 0: none, and
     *  a parallel machine does not run. */
    int64_t (*lookahead)(void *model);
    /** The parameters of a message from src to dst, if they differ from `params`; valid while the
     *  model exists. NULL: all links have `params`. */
    const struct logp_params *(*link)(void *model, int src, int dst);
    /** Change the fate of the message of a charged send: *fate is one copy without a flipped bit. A
     *  request of a rendezvous send can be lost but not doubled. Its payload has a fate of its own:
     *  a receive whose payload is lost is never complete, and misses it if it has an end; a second
     *  copy is a message of its own. NULL: all messages arrive once and unchanged. */
    void (*fate)(void *model, const struct logp_transfer *t, struct logp_fate *fate);
    /** The end of work (logp_compute(), a failed poll) of ns >= 0 that begins at `from`; overheads
     *  belong to send and recv. NULL: from + ns. LOGP_STOPPED: never; t->start of a send and
     *  t->done of a receive may also be this. */
    int64_t (*work)(void *model, int rank, int64_t from, int64_t ns);
    /** The time at which a processor stops for good. NULL: none stops. */
    int64_t (*stops)(void *model, int rank);
    /** After restart: the time of the start, 0 for a run. NULL: not needed. */
    void (*begin)(void *model, int64_t start_ns);
    /** The modelled network: complete *out, in which params are set; valid while the model exists.
     *  NULL: it has no topology, links, faults or noise. */
    void (*network)(void *model, struct logp_network *out);
};

/** A model. A function that takes it copies `ops` and then owns `model`. All zero, as after a
 *  failed create: no model, which every function refuses (-EINVAL). `none` is a model:
 *  logp_delay_none(). */
struct logp_delay {
    const struct logp_delay_ops *ops;
    void *model;
};

/** The model `none`: nothing is emulated, and there is nothing to free. In a configuration:
 *      struct logp_config config = {.size = sizeof(config), .n_processors = 8,
 *                                   .delay = logp_delay_none()}; */
LOGP_API struct logp_delay logp_delay_none(void);

/** @return true: it is the model `none`; false: another model, or no model */
LOGP_API bool logp_delay_is_none(const struct logp_delay *delay);

/**
 * Copy the functions of a model, as this version of the library knows them.
 * @param ops  out: a copy; missing functions are NULL
 * @return 0; -EINVAL (ops is NULL or has no size, or start, send or recv is missing), -E2BIG (it
 *         has functions that this library does not know)
 */
LOGP_API int logp_delay_functions(const struct logp_delay *delay, struct logp_delay_ops *ops);

/** One row of the table of built-in models. */
struct logp_delay_model {
    size_t size; /**< of this struct in the library: it may have grown */
    const char *name;
    const char *summary;
};

/** @return built-in model i = 0, 1, ...; NULL: there are no more. Static storage. */
LOGP_API const struct logp_delay_model *logp_delay_model_at(size_t i);

/**
 * The parameters that a built-in model uses, to plan and predict with: `logp` has no G, and the
 * model sets store_forward, latency_varies and recv_streams.
 * @param name   a name of logp_delay_model_at(); plans for `none` are those for loggp
 * @param given  the parameters as a user gives them
 * @param out    out; may be `given`
 * @return 0; -ENOENT (no such name)
 */
LOGP_API int logp_delay_params(const char *name, const struct logp_params *given,
                               struct logp_params *out);

/**
 * The built-in model of these parameters: the first one that uses them unchanged. So
 *     logp_delay_create(logp_delay_name(params), params, &delay)
 * creates the model of parameters from logp_delay_params().
 * @return its name, static storage; NULL: there is none
 */
LOGP_API const char *logp_delay_name(const struct logp_params *params);

/**
 * Create a built-in model.
 * @param name    a name of logp_delay_model_at()
 * @param params  copied, as logp_delay_params(); ignored by `none`
 * @param out     out: the model. Give it to a machine, which then owns it, or free it with
 *                logp_delay_destroy(). After an error: no model
 * @return 0; -ENOENT (no such name; NULL is none), -EINVAL (a negative parameter, or one beyond
 *         LOGP_PARAM_MAX_NS), -ENOMEM
 */
LOGP_API int logp_delay_create(const char *name, const struct logp_params *params,
                               struct logp_delay *out);

/** Free a model that no function has taken. A model without a size is not freed. */
LOGP_API void logp_delay_destroy(struct logp_delay *delay);

/** The largest parameter: about eleven days, so that sums fit 64 bits. */
#define LOGP_PARAM_MAX_NS INT64_C(1000000000000000)

/** (max(n_bytes,1) - 1) G in nanoseconds, rounded up once; store_forward: max(n_bytes,1) G. */
LOGP_API int64_t logp_params_stream_ns(const struct logp_params *params, size_t n_bytes);

/** The gap of a message: g and logp_params_stream_ns(); store_forward: g. */
LOGP_API int64_t logp_params_gap_ns(const struct logp_params *params, size_t n_bytes);

/** The capacity of params; 0: no limit. */
LOGP_API int64_t logp_params_capacity(const struct logp_params *params);

/* ---- links ---- */

/*
 * Parameters that differ between pairs of processors: each processor has a link to each processor,
 * itself included, with its own L, o, g and G. The link from A to B differs from the link from B to
 * A.
 *
 *     struct logp_links *links;
 *     const struct logp_link_costs between = {50000, 5000, 5000, 10000, LOGP_AS_BEFORE};
 *     struct logp_delay delay;
 *
 *     logp_links_create(32, &links);                  32 processors,
 *     logp_links_nodes(links, 8, &between);           4 nodes of 8
 *     logp_links_delay(links, &params, &delay);       inside a node: params
 *
 * For each parameter of a link the last call that sets it counts, or else the parameters of the
 * delay model.
 *
 * The rules are those of the models, with the parameters of the message's link at both its ends. A
 * processor has one port, or several (logp_network.ports): its next send, over any link, does not start before max(o_send, g +
 * (k-1)G) of the link of the send before it; a receive does not start before max(o_recv, g +
 * (k-1)G) of the link of the message received after the start of the receive before it. With the
 * shared gap a send waits for max(o_recv, g) of its own link after the start of the receive
 * before it, and a receive for the gap of the send before it and the streaming of its own
 * message.
 *
 * The fold of a schedule is exact (logp_network.links).
 *
 * Threads: any may read links; they are constant once they are made.
 * Source: none; LogP and LogGP (delay.h), taken link by link.
 */

/** A value of a field of struct logp_link_costs: do not change the parameter. */
#define LOGP_AS_BEFORE (-1)

/** The parameters of a link, in the units of struct logp_params. */
struct logp_link_costs {
    int64_t L_ns, o_send_ns, o_recv_ns, g_ns, G_ps;
};

/** Costs that change nothing. */
#define LOGP_ALL_AS_BEFORE                                                                         \
    {                                                                                              \
        LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE             \
    }

/** Ranks first .. last. */
struct logp_rank_range {
    int first, last;
};

/** The ranks of n ranges, in any order; ranges may overlap; n = 0: all ranks. */
struct logp_ranks {
    const struct logp_rank_range *ranges;
    int n;
};

/** The largest number of ranks of which no two have the same links. */
#define LOGP_MOST_KINDS 1024

/**
 * Create links that are all equal: those of the model's parameters.
 * @param P    1 .. LOGP_MAX_PROCESSORS
 * @param out  out: free it with logp_links_destroy()
 * @return 0; -EINVAL (P), -ENOMEM
 */
LOGP_API int logp_links_create(int64_t P, struct logp_links **out);

/** Free links. NULL is allowed; models that were made of them have a copy. */
LOGP_API void logp_links_destroy(struct logp_links *links);

/** @return P. */
LOGP_API int64_t logp_links_size(const struct logp_links *links);

/**
 * Set the links between nodes; links within a node stay. Ranks 0 .. per_node - 1 are a node, the
 * next per_node ranks another, and so on; the last may have fewer.
 * For three levels set those between sockets first, with the ranks of a socket, and then those
 * between nodes:
 *     logp_links_nodes(links, 4, &between_sockets);
 *     logp_links_nodes(links, 8, &between_nodes);     2 sockets of 4 on each node
 * What the second call does not set is as between sockets.
 * @param per_node  >= 1; the same as in the call before, or once a multiple of it
 * @return 0; -EINVAL (per_node, or a cost beyond LOGP_PARAM_MAX_NS or below LOGP_AS_BEFORE),
 *         -ENOMEM
 */
LOGP_API int logp_links_nodes(struct logp_links *links, int64_t per_node,
                              const struct logp_link_costs *between);

/**
 * Set the links from each rank of `src` to each rank of `dst`, but not the links back.
 * Cost: P times the ranges, and the square of the kinds of ranks if it makes new ones.
 * @return 0; -EINVAL (a range that is empty or not within 0 .. P-1; a cost, as above), -E2BIG (more
 *         than LOGP_MOST_KINDS), -ENOMEM; after an error nothing has changed
 */
LOGP_API int logp_links_set(struct logp_links *links, const struct logp_ranks *src,
                            const struct logp_ranks *dst, const struct logp_link_costs *costs);

/** @return the kind of a rank, 0 .. LOGP_MOST_KINDS - 1: two ranks of one kind have the same
 *          links to and from any third rank, apart from the nodes and sockets that they are on. */
LOGP_API int logp_links_kind(const struct logp_links *links, int rank);

/** @return the processors of a node; 0: there are no nodes. */
LOGP_API int64_t logp_links_per_node(const struct logp_links *links);

/** @return the processors of a socket; 0: nodes have none. */
LOGP_API int64_t logp_links_per_socket(const struct logp_links *links);

/**
 * The parameters of a message.
 * @param base  the parameters that the link does not set
 * @param out   out; may be base
 */
LOGP_API void logp_links_of(const struct logp_links *links, int src, int dst,
                            const struct logp_params *base, struct logp_params *out);

/**
 * The least value of each parameter over all links. A lower bound with these parameters also holds
 * with the links; logp_collective_lower_bound() is better.
 * @param out  out; may be base
 */
LOGP_API void logp_links_least(const struct logp_links *links, const struct logp_params *base,
                               struct logp_params *out);

/**
 * Create the delay model of links.
 * @param links  copied; NULL is refused
 * @param base   the parameters that the links do not set, and those that are of no link: gamma, the
 *               kind of gap, the capacity, whether latencies vary. Algorithms plan with them
 *               (logp_delay_ops.params)
 * @param out    out: for a machine of as many processors; other processors have base. After an
 *               error: no model
 * @return 0; -EINVAL (no links; base, as logp_delay_create(), or of no built-in model;
 *         LOGP_CAPACITY_RULE, which is not one number here), -ENOMEM
 */
LOGP_API int logp_links_delay(const struct logp_links *links, const struct logp_params *base,
                              struct logp_delay *out);

/* ---- latency ---- */

/*
 * Random latencies: a delay model around another one.
 *
 * The inner model determines the start of a send, how long its sender is busy, and the arrival
 * of the message with L (of its link). This model replaces L by a draw. The draw depends on the
 * seed, the two ranks and the number of the message among those that its sender has sent in this
 * run only.
 */

/** The distributions of latencies. */
enum logp_latency_kind {
    LOGP_LATENCY_AS_IS,       /**< the latency of the inner model */
    LOGP_LATENCY_UNIFORM,     /**< uniform over the whole ns 0 .. L */
    LOGP_LATENCY_EXPONENTIAL, /**< mean L */
    LOGP_LATENCY_LOGNORMAL,   /**< median L, exp(normal(0, sigma)) times it */
    LOGP_LATENCY_SAMPLES,     /**< uniform over a list */
};

/** Fields that the kind does not need are 0. Draws are rounded to whole nanoseconds, up to
 *  LOGP_PARAM_MAX_NS. */
struct logp_latency {
    enum logp_latency_kind kind;
    double sigma;           /**< lognormal: of the logarithm, > 0; 0: 1 */
    const int64_t *samples; /**< n_samples times in ns, >= 0, copied */
    int n_samples;
    uint64_t seed;
};

/**
 * Read samples from a file: one time in ns a line, '#' begins a comment.
 * @param samples  out: free them with free()
 * @param n        out
 * @return 0; -EINVAL (other text, a number below 0, no number, more than 2^24, more than 2^25
 *         lines, or a line of more than 254 characters), -ENOMEM, or the errno of opening and
 *         reading it
 */
LOGP_API int logp_latency_read(const char *path, int64_t **samples, int *n);

/**
 * Create a model with random latencies.
 * @param inner  a model with parameters; the new model owns it if 0 is returned
 * @param out    the new model; may be `inner`. After an error: no model, and if it is `inner`, that
 *               is freed
 * @return 0; -EINVAL (kind, sigma, samples, or an inner model without parameters or with latencies
 *         that vary: it has no L to replace), -ENOMEM, or as logp_delay_functions()
 */
LOGP_API int logp_latency_create(struct logp_delay *inner, const struct logp_latency *latency,
                                 struct logp_delay *out);

/** The latency of one message. */
struct logp_latency_draw {
    int src, dst;
    unsigned number;  /**< of the message among its sender's, from 0 */
    int64_t time_ns;  /**< the start of its send */
    int64_t drawn_ns; /**< the drawn latency */
    int64_t usual_ns; /**< L of its link */
};

/**
 * Ask for each message of a machine with random latencies whether its latency is the drawn one, or
 * L, to find the latencies that matter. Nothing is done if latencies are not random.
 * Threads: not during a run.
 * @param is_drawn  called for each message, in the order of sends, so for virtual machines of one
 *                  core. It must not call functions of the machine. NULL: all are drawn
 */
LOGP_API void logp_machine_ask_latencies(struct logp_machine *machine,
                                         bool (*is_drawn)(void *arg,
                                                          const struct logp_latency_draw *draw),
                                         void *arg);

/* ---- fault ---- */

/*
 * Faults and noise: a delay model around another one, made from texts.
 *
 *     const struct logp_fault_config config = {.size = sizeof(config), .P = 8, .unit_ns = 1000,
 *                                              .faults = "drop:1e-3,stop@5:20us", .seed = 1};
 *     char why[LOGP_FAULT_WHY];
 *     int rc = logp_fault_create(&inner, &config, &out, why);   // out: for a machine
 *
 * A text has one or more of these, separated by commas or semicolons:
 *
 *     KIND[:VALUE][@[WHERE][:FROM[..[TO]]]]
 *
 *     drop:P         a message is lost with probability P (1e-3, 0.1, 5%)
 *     dup:P          a message arrives twice, at the same time
 *     flip:P         one bit of a payload is inverted, each bit with the same probability
 *     delay:F[:P]    a message takes F >= 1 times as long, with probability P, or always
 *     cut@WHERE      no message passes
 *     stop@WHERE     processors stop: from FROM for good, or until TO
 *     slow:F         processors take F >= 1 times as long for overheads and computing
 *   Noise makes each overhead, of a send or a receive, longer:
 *     fixed:T        by T
 *     uniform:T      uniform over the whole ns 0 .. T
 *     exp:T          exponential with mean T, rounded to ns
 *     file:PATH      uniform over the samples in a file (logp_latency_read())
 *     tick:T:D[:S]   as an OS does: every T, from S on, the processor is away for D < T, also while
 *                    it computes. Without S each processor draws its own shift from 0 .. T-1 ns
 *
 * WHERE selects messages: `A-B` from A to B, `A=B` both ways, `A` from or to A; or processors:
 * `A`. A and B are ranks and ranges of ranks, 0+4..7; empty: all ranks (`@-3`: to rank 3; cut
 * and stop must name ranks). FROM, TO: sends that start, and work that begins, at FROM <= time <
 * TO since the run began, or since the last logp_sync() of all. Times have a suffix ns, us, ms
 * or s, or are in units.
 *
 * A draw depends only on the seed, the text of the fault, the two ranks and the number of the
 * message among those that its sender has sent in this run; for noise, on the rank and its
 * number of sends and receives in this run. So a repeated run draws the same with any executor,
 * and removing one fault does not change the draws of others. (The same text given twice draws
 * twice.)
 *
 * A sender does not learn the fate of its message. A processor does not begin an operation that it
 * cannot finish before it stops, so a message that it was about to send is not sent. Its calls
 * return -EHOSTDOWN. Later results and failed checks of its program are not errors of the run.
 * Deadlock reports show it as LOGP_WAIT_HALTED. Work that a temporary stop or a tick interrupts
 * resumes afterwards. If several faults lengthen an operation, noise comes first, and each one
 * applies to the result of the others before it.
 */

/** Bytes of the reason for which a text is refused. */
#define LOGP_FAULT_WHY 256

/** The texts of a model of faults and noise. */
struct logp_fault_config {
    size_t size;
    const char *faults; /**< drop ... slow; NULL or "": none */
    const char *noise;  /**< fixed ... tick; NULL or "": none */
    int64_t P;          /**< processors */
    int64_t unit_ns;    /**< of times without a suffix */
    uint64_t seed;
};

/**
 * Create a model with faults and noise.
 * @param inner  a model with parameters; the new model owns it if 0 is returned
 * @param out    the new model; may be `inner`. After an error: no model, and if it is `inner`, that
 *               is freed
 * @param why    out: if a text is wrong (-EINVAL), a line with the wrong fault and the allowed
 *               values; otherwise ""
 * @return 0; -EINVAL (size, P, unit_ns, a text, or an inner model without parameters), -E2BIG (an
 *         unknown field is set), -ENOMEM, or as logp_delay_functions()
 */
LOGP_API int logp_fault_create(struct logp_delay *inner, const struct logp_fault_config *config,
                               struct logp_delay *out, char why[LOGP_FAULT_WHY]);

/** @return the model of a machine's faults and noise, for the functions below; NULL: there is none.
 *  Threads: any but the machine's vps, while its model is not replaced. */
LOGP_API void *logp_machine_faults(const struct logp_machine *machine);

/** Draw with this seed from now on, and reset the counts. Threads: not during a run.
 *  @param model  logp_machine_faults(), or logp_delay.model from logp_fault_create(); also for the
 *                functions below */
LOGP_API void logp_fault_seed(void *model, uint64_t seed);

/** @return true: there are no random draws, every message arrives once and no processor stops for
 *  good. Then the fold of a schedule (algorithm.h) gives the time of a run exactly. */
LOGP_API bool logp_fault_predictable(const void *model);

/** Messages with faults since the model was made or got its seed. Of the other kinds, a lost
 *  message can only count as delayed. */
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

/** The fault events, by (time, source, number), or 64 of them if there are more.
 *  Threads: not during a run.
 *  @param out  `capacity` entries
 *  @return their number, at most 64; the first `capacity` of them are in out */
LOGP_API int logp_fault_events(const void *model, struct logp_fault_event *out, int capacity);

/**
 * Ask before each fault of a message whether it happens, to find the smallest set of faults that
 * matters. A fault that does not happen is neither counted nor listed.
 * Threads: not during a run.
 * @param takes_place  called for each drawn fault, in the order of sends, so for virtual machines
 *                     of one core. It must not call functions of the machine. NULL: all happen
 */
LOGP_API void logp_fault_ask(void *model,
                             bool (*takes_place)(void *arg, const struct logp_fault_event *event),
                             void *arg);

/** A kind of fault or noise. */
struct logp_fault_kind {
    size_t size; /**< of this struct in the library */
    const char *name, *form, *summary;
    bool is_noise;
};

/** @return kind i = 0, 1, ...; NULL: there are no more. Static storage. */
LOGP_API const struct logp_fault_kind *logp_fault_kind_at(size_t i);

/* ---- topology ---- */

/*
 * Networks of links: the route of a message, its time, and the number of messages on each link.
 *
 * Processors are the nodes 0 .. P-1; switches and routers are numbered from P on. Links are
 * directed. A message takes a shortest route: a tie on a ring goes up; a mesh or torus is crossed
 * dimension by dimension, the last one first (along the row, then along the column); a hypercube
 * from the lowest bit on; in a fat tree the digits of the destination's rank choose the switches on
 * the way up (D-mod-k). In a dragonfly it takes the one link between the two groups, also where a
 * way through a third group is shorter (minimal routing).
 *
 * As a delay model (logp_topology_delay()) the network stores and forwards. Each link delays a
 * message of k bytes by L + (k-1)G, and passes messages at least max(g, (k-1)G) apart, in the
 * order of (start of the send, rank). The two ends of a message follow LogGP, so a message to a
 * neighbour that does not wait arrives as under plain LogGP. A message to oneself uses no link
 * and arrives when its send is done.
 *
 * Threads: any may read a topology; it is constant.
 * Sources: Grama, Gupta, Karypis, Kumar, Introduction to Parallel Computing, 2003, ch. 2.4, 4.1;
 * Oehring, Ibel, Das, Kumar, On Generalized Fat Trees, 1995; Kim, Dally, Scott, Abts,
 * Technology-Driven, Highly-Scalable Dragonfly Topology, 2008.
 */

/** A kind of topology. */
struct logp_topology_kind {
    const char *name;
    const char *form; /**< how it is written: "mesh[:AxBx...]" */
    const char *summary;
};

/** @return kind i = 0, 1, ...; NULL: there are no more. Static storage. */
LOGP_API const struct logp_topology_kind *logp_topology_kind_at(size_t i);

/**
 * Check whether a specification fits P processors.
 * @param spec  "line", "ring", "mesh:AxBxC", "torus:AxBxC" (any number of dimensions, up to
 *              LOGP_TOPOLOGY_SIZES; without sizes: square), "hypercube", "tree" (a binary tree of
 *              switches, with the processors at its leaves), "fat-tree:AxB" (A leaf switches of B
 *              processors, and B switches above that each join all A; "AxBxC" has three levels;
 *              without sizes: two, square), "dragonfly:GxRxN" (G groups of R routers with N
 *              processors each; the routers of a group are all linked, and any two groups by one
 *              link)
 * @return NULL: it does; otherwise its requirement, in a few words; static storage
 */
LOGP_API const char *logp_topology_needs(const char *spec, int64_t P);

/**
 * Create a topology.
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

/** The largest number of dimensions of a mesh or torus: with more, one would have size 1. */
#define LOGP_TOPOLOGY_SIZES 24

/**
 * The sizes of a mesh or torus. Rank r is at place (r / (product of the sizes after d)) mod size d
 * of dimension d: ranks count along the last dimension first, a row.
 * @param sizes  out: in the order of the specification
 * @return the number of dimensions; 0: not a mesh or torus
 */
LOGP_API int logp_topology_sizes(const struct logp_topology *topology,
                                 int sizes[LOGP_TOPOLOGY_SIZES]);

/** @return the number of directed links; they are numbered from 0. */
LOGP_API int logp_topology_links(const struct logp_topology *topology);

/** The two nodes of a link; nodes from P on are switches. */
LOGP_API void logp_topology_ends(const struct logp_topology *topology, int link, int *from,
                                 int *to);

/**
 * One step of the route to dst.
 * @param node  in: the node of the message, a processor or a switch; out: the next node
 * @return the link; -1: the message is at dst
 */
LOGP_API int logp_topology_next(const struct logp_topology *topology, int *node, int dst);

/** @return the number of links on the route from src to dst. */
LOGP_API int logp_topology_hops(const struct logp_topology *topology, int src, int dst);

/**
 * The whole route from src to dst.
 * @param links  out: its links in order, at most `capacity` of them
 * @return the number of links, also if it is more than `capacity`
 */
LOGP_API int logp_topology_route(const struct logp_topology *topology, int src, int dst, int *links,
                                 int capacity);

/* ---- as a delay model ---- */

/**
 * Create the delay model of a topology.
 * @param topology  copied; NULL is refused
 * @param ends      the model of the two ends of a message, with parameters, such as `logp` or
 *                  `loggp`; the new model owns it if 0 is returned
 * @param out       out: for a machine of as many processors (messages of other ranks use no link).
 *                  After an error: no model; ends still belongs to the caller
 * @return 0; -EINVAL (no topology; ends has no parameters, its latency varies, since each link has
 *         L, or its receiver is busy while bytes come in), -ENOMEM, or as logp_delay_functions()
 */
LOGP_API int logp_topology_delay(const struct logp_topology *topology, struct logp_delay ends,
                                 struct logp_delay *out);

/** The use of one link, or of all, in the last run of a machine. */
struct logp_link_use {
    int link;          /**< -1: the sum of all links */
    uint64_t messages; /**< messages that it has passed */
    int64_t busy_ns;   /**< time in which it could take no other message */
    int64_t waited_ns; /**< time that messages have waited for it */
};

/**
 * The use of a link, if the machine's delay model is a topology.
 * Threads: any but the machine's vps, while it does not run and its model is not replaced.
 * @param link  a link; -1: the sum of all links
 * @return 0; -EINVAL (the model in force is not a topology, no such link)
 */
LOGP_API int logp_link_use(const struct logp_machine *machine, int link, struct logp_link_use *out);

/** The use of the link that has passed most messages; a tie goes to the lowest link; link -1: there
 *  is none.
 *  Threads: as logp_link_use().
 *  @return 0; -EINVAL (the model in force is not a topology) */
LOGP_API int logp_link_busiest(const struct logp_machine *machine, struct logp_link_use *out);

/* ---- the load of an algorithm, without a run ---- */

/**
 * The load of a tree algorithm on the links in rounds: in a round, every processor that holds
 * the item sends it to its next child. Child k of a processor that gets the item in round r gets
 * it in round r + k + 1; the root has it in round 0. A reduction is the reverse in directions
 * and order.
 */
struct logp_link_load {
    int n_steps;
    int *step_most; /**< [round]: the largest number of messages on a link */
    int n_links;
    int *messages; /**< [link]: in all rounds */
};

/** Free the memory of logp_link_load_init(). */
LOGP_API void logp_link_load_fini(struct logp_link_load *load);

/* ---- network ---- */

/*
 * The network between the processors of a machine: the costs of messages, their routes, the sends
 * that wait for their receivers, faults and noise.
 *
 *     const struct logp_network network = {.params = {.L_ns = 6000, .o_send_ns = 2000,
 *                                                     .o_recv_ns = 2000, .g_ns = 4000}};
 *     const struct logp_config config = {.size = sizeof(config), .n_processors = 8,
 *                                        .network = &network};
 *
 * A machine emulates it (machine.h), algorithms are planned, chosen and predicted for it
 * (collective.h, algorithm.h), the test kit varies runs on it (check.h), and an experiment predicts
 * for the network of its machine (experiment.h).
 *
 * Threads: any may read a network; it is constant.
 */

/** A network. Zero is a good default for every field; with all of them 0 messages take no time. The
 *  data that it points to must stay while the struct is used. A machine and a delay model copy the
 *  data that they need. */
struct logp_network {
    /** The parameters of the delay model: logp_delay_params(). They also determine the built-in
     *  model: logp_delay_name(). The seed is also of latencies, faults and noise. */
    struct logp_params params;
    /** The topology. The sizes of a mesh or torus are also those of the algorithms mesh and torus.
     *  NULL: any two processors are neighbours, and these algorithms are square. */
    const struct logp_topology *topology;
    /** Links that differ from params; algorithms plan with params. NULL: none differ. Not with a
     *  topology. */
    const struct logp_links *links;
    /** Nothing is emulated: messages take the host's time. A machine has the delay model `none`,
     *  algorithms are chosen for the host, and a check is untimed. */
    bool undelayed;
    /**
     * Sends of this many bytes or more wait for their receivers (rendezvous); 0 bytes count
     * as 1. 0: none waits; 1: all wait. The option --rendezvous S ("more than S bytes") is S
     * + 1 here.
     *
     * At s such a send is charged its gap and o_send for a request, which arrives at s +
     * o_send + L. When the request has arrived and a matching receive is posted, the answer
     * takes L back. Then the payload is sent as a plain send. Request and answer cost the
     * receiver nothing and do not count for its gap. logp_send() and logp_sendrecv() return
     * after the payload, logp_isend() after the request: the first call that receives,
     * waits, tests or probes after the answer sends the payload, in the order of the
     * answers, before it takes a message that arrives at the same time. A program that
     * relies on buffers deadlocks. While choices are explored (check.h), the payload of
     * logp_isend() goes with the request, and its request is complete with the answer.
     */
    int64_t rendezvous_from;
    const struct logp_latency *latency; /**< random latencies; NULL: those of params */
    const char *faults;                 /**< "drop:1e-3,stop@5:20us": see fault above; NULL: none */
    const char *noise;                  /**< "exp:500ns"; NULL: none */
    int64_t unit_ns;                    /**< of times in faults and noise without a suffix; 0: 1 */
    /** When each rank arrives at a collective, in ns from the common start, 0 .. LOGP_PARAM_MAX_NS:
     *  P of them, by rank. A fold starts a rank then, and counts from the common start on; algorithms
     *  are chosen by their schedules. A machine ignores it: logp_experiment.arrivals. NULL: all at
     *  0 */
    const int64_t *arrivals;
    /**
     * Ports of each processor, 1 .. LOGP_MOST_PORTS; 0: 1. All have the same g and G. A send takes
     * the port on which it can start earliest, of several the lowest, and a receive likewise. The
     * gap, also a shared one, holds between the sends and receives of a port. The processor is
     * busy for o_send or o_recv only, and a capacity counts all its messages. Formulas are for
     * one port: with more, predictions are folds. After logp_machine_set_delay() all ports but
     * that of the last send and receive are free. Not with a model of your own, and not with
     * recv_streams.
     */
    int64_t ports;
    /** Of logp_vp_network(), by which choices are cached: no other topology, links and ports of this
     *  process have it. 0: they have no number; set it to 0 if you change one of them. */
    uint64_t number;
    int64_t reserved[1]; /**< 0; for later fields */
};

/** The most ports of a processor. */
#define LOGP_MOST_PORTS 64

/** Bytes of the reason for which a network is refused. */
#define LOGP_NETWORK_WHY LOGP_FAULT_WHY

/**
 * Create the delay model of a network. logp_machine_create() calls it for logp_config.network; a
 * program needs it for logp_machine_set_delay() and logp_schedule_fold().
 * @param P    processors, 1 .. LOGP_MAX_PROCESSORS
 * @param own  your own model in place of params, topology and links; the new model owns it, and
 *             after an error it is freed. NULL: none. Not with several ports
 * @param out  out: the model; `none` for an undelayed network. Give it to a machine, or free it
 *             with logp_delay_destroy(). After an error: no model
 * @param why  out: with -EINVAL, a line with the wrong field and the allowed values; otherwise "".
 *             NULL: not wanted
 * @return 0; -EINVAL (no built-in model has these parameters, or one is out of range: see
 *         logp_delay_create(); both topology and links; ports out of range, or with own or
 *         recv_streams; an error of logp_topology_delay(), logp_links_delay(),
 *         logp_latency_create() or logp_fault_create()), -E2BIG (a
 *         reserved field is not 0, or own has unknown functions), -ENOMEM
 */
LOGP_API int logp_network_delay(const struct logp_network *network, int64_t P,
                                const struct logp_delay *own, struct logp_delay *out,
                                char why[LOGP_NETWORK_WHY]);

/**
 * The network of a machine: logp_config.network; without one, or after the delay model has been
 * replaced, the network of the model in force (logp_delay_ops.network and params). If nothing is
 * emulated, it is undelayed on the wall clock in one process, and algorithms are planned with
 * params.
 * Threads: as logp_machine_run(), while it does not run.
 * @param out  out: its pointers are valid until the model is replaced or the machine destroyed
 */
LOGP_API void logp_machine_network(const struct logp_machine *machine, struct logp_network *out);

/**
 * Replace logp_network.rendezvous_from of a machine from the next run on.
 * Threads: as logp_machine_run(), not during a run; also from again() of logp_machine_repeat().
 * @param from  bytes; 0: no send waits
 * @return 0; -EINVAL (negative); -ENOTSUP (a parallel machine); -EBUSY (a run is under way, or
 *         was abandoned and its vps still run)
 */
LOGP_API int logp_machine_set_rendezvous_from(struct logp_machine *machine, int64_t from);

/**
 * Draw latencies, faults and noise of the machine's network with this seed from now on, and
 * reset the counts of faults.
 * Threads: as logp_machine_run(), not during a run.
 */
LOGP_API void logp_machine_set_seed(struct logp_machine *machine, uint64_t seed);

LOGP_END_DECLS

#endif
