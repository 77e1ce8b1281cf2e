/* SPDX-License-Identifier: MIT */
/**
 * @file fault.h
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
#ifndef LOGP_FAULT_H
#define LOGP_FAULT_H

#include <logp/delay.h>

LOGP_BEGIN_DECLS

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
 *  the fold of a schedule (schedule.h) says exactly what a run takes. */
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

LOGP_END_DECLS

#endif
