/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h
 * Traces: what each processor did, and when.
 *
 * A trace is of a run (logp_machine_trace() before it, logp_machine_take_trace() after it), of a
 * schedule without a run (logp_trace_predict()), or made event by event (logp_trace_create()). The
 * first two are equal, event by event, where the run is of that schedule under the virtual clock.
 *
 * What a processor does is a list of events in the order of time, which do not overlap: index i of
 * rank r is the name of an event. A send that is held up is preceded by a gap (g), then by a stall
 * (capacity, or no room in the queue limit); a receive by idle time (its message has not arrived),
 * then by a gap. Time that no event covers is the program's own (wall clock). A run that was ended
 * leaves waits behind: those of logp_report.waits are there, up to the end of the trace, and so is
 * from when on a processor has stopped for good.
 *
 * Tracing is off unless it is asked for. While it is on an event costs a few ns of host time, which
 * is not the program's: it counts as lag, and is made up for as such.
 */
#ifndef LOGP_TRACE_H
#define LOGP_TRACE_H

#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/algorithm.h>

LOGP_BEGIN_DECLS

struct logp_trace;

/** What happens in an event. */
enum logp_event_kind {
    LOGP_EVENT_SEND,    /**< busy with a send: o */
    LOGP_EVENT_RECEIVE, /**< busy with a receive: o */
    LOGP_EVENT_COMPUTE, /**< logp_compute(), combining included */
    LOGP_EVENT_GAP,     /**< the gap holds up what follows: a send or a receive */
    LOGP_EVENT_STALL,   /**< the capacity, or the machine's queue limit, holds up a send */
    LOGP_EVENT_IDLE,    /**< waits: for a message, for others at a common start, for a time */
    LOGP_EVENT_MARK,    /**< the program was here: logp_mark() */
    LOGP_EVENT_HALTED,  /**< the delay model has stopped it for good (delay.h) */
    LOGP_EVENT_KINDS,
};

/** @return "send", "receive", "compute", "gap", "stall", "idle", "mark" or "halted"; NULL: no such
 * kind. */
LOGP_API const char *logp_event_kind_name(enum logp_event_kind kind);

/** What becomes of a message, by its send, as delay.h says; and of a wait. Bits. */
enum logp_event_fate {
    LOGP_FATE_DROPPED = 1,    /**< it is lost on its way; else it would come at arrival_ns */
    LOGP_FATE_DUPLICATED = 2, /**< it comes twice */
    LOGP_FATE_FLIPPED = 4,    /**< it comes with another bit */
    LOGP_FATE_ENDLESS = 8,    /**< idle, stall: it did not end, the run was ended */
};

/**
 * An event. Times are on the processor's clock, as logp_now() says it, from the beginning of the
 * trace; with delay `none` they are the wall clock's.
 */
struct logp_event {
    int64_t start_ns, end_ns; /**< start <= end; equal for a mark, and where o is 0 */
    int64_t arrival_ns; /**< send, receive: when the message comes off the wire; else, and where
                             nothing is emulated, -1 */
    int64_t late_ns;    /**< wall clock: by so much later than end_ns the host let it end; the
                             lag. Else 0 */
    int64_t message;    /**< send, receive: the same in both, see logp_trace_messages(); -1:
                             no message, or one whose send is not in the trace */
    int64_t bytes;      /**< of the message; a gap, stall or idle time: of what it holds up */
    int peer;           /**< rank, of the same; -1: none; LOGP_OUTSIDE: logp_machine_inject() */
    int tag;            /**< of the same; -1: none */
    uint16_t kind;      /**< enum logp_event_kind */
    uint16_t fate;      /**< bits of enum logp_event_fate; 0: arrives as it was sent, or ends */
    uint32_t label;     /**< what it belongs to ("broadcast/optimal"); a mark: its name. 0: none
                             logp_trace_label() */
};

/** Whose times they are. */
enum logp_trace_source {
    LOGP_TRACE_PREDICTED, /**< of a schedule that has not been run */
    LOGP_TRACE_VIRTUAL,   /**< of a run, virtual clock */
    LOGP_TRACE_WALL,      /**< of a run, wall clock, as the vps' clocks say it; see late_ns */
    LOGP_TRACE_HOST,      /**< of a run with delay `none`: real time */
};

/** A trace as a whole. It may grow: the library says how large it is. */
struct logp_trace_info {
    size_t size;
    int64_t P;
    enum logp_trace_source source;
    int64_t end_ns;      /**< when the last event ends; 0: there are none */
    int64_t wall_ns;     /**< wall clock: the latest end with its lateness; else end_ns */
    uint64_t n_events;   /**< of all ranks */
    uint64_t n_messages; /**< that have been sent */
    uint64_t dropped;    /**< events beyond the limit, or for which there was no memory. Each rank's
                              events are complete up to the first that was dropped */
    uint32_t n_labels;   /**< labels are 1 .. n_labels */
};

/** @return what is known of the whole; it lives as long as the trace. */
LOGP_API const struct logp_trace_info *logp_trace_info(const struct logp_trace *trace);

/**
 * The events of a rank in the order of time.
 * @param rank  0 .. P-1
 * @param n     out: how many
 * @return the first of n; NULL: no such rank
 */
LOGP_API const struct logp_event *logp_trace_events(const struct logp_trace *trace, int64_t rank,
                                                    size_t *n);

/** @return the text of a label, as long as the trace lives; "" for 0 and what is none. */
LOGP_API const char *logp_trace_label(const struct logp_trace *trace, uint32_t label);

/** The two ends of a message. */
struct logp_trace_message {
    int from, to;    /**< ranks */
    int64_t send;    /**< index of the event of rank `from` */
    int64_t receive; /**< of rank `to`; -1: it is not in the trace */
    int64_t again;   /**< LOGP_FATE_DUPLICATED: the receive of the other copy; -1: as there */
};

/** @return the messages, by their number (logp_event.message): in the order of (from, send).
 *  @param n  out: how many */
LOGP_API const struct logp_trace_message *logp_trace_messages(const struct logp_trace *trace,
                                                              size_t *n);

/** Free a trace; NULL is allowed. */
LOGP_API void logp_trace_free(struct logp_trace *trace);

/* ---- of a run ---- */

/** Zero is a good default for every field but the first. */
struct logp_trace_config {
    size_t size;          /**< sizeof(struct logp_trace_config) */
    int64_t events_ahead; /**< memory for so many events of each vp, 64 bytes each, is there before
                               a run begins; 0: 256, fewer beyond 1024 vps. From the second run on
                               there is what the ones before have taken */
    int64_t events_most;  /**< of each vp; what is beyond is dropped, and counted. 0: 2^25 / P, at
                               least 1024 */
};

/**
 * Record what the vps do from the next run on, or no more. Recording takes no locks: each vp has
 * memory of its own.
 * @param config  NULL: no more, and what has been recorded is forgotten
 * @return 0; -EINVAL (no size, a negative number), -E2BIG (fields that are not known here), -EBUSY
 *         (a run is under way), -ENOMEM
 */
LOGP_API int logp_machine_trace(struct logp_machine *machine,
                                const struct logp_trace_config *config);

/**
 * What the last run, which need not have ended well, has recorded. A second time, or where nothing
 * was recorded, the trace has no events.
 * @param out  out: to be freed with logp_trace_free(); it does not need the machine any more
 * @return 0; -EINVAL (tracing is off), -EBUSY (a run is under way), -ENOMEM (and nothing is lost;
 *         once also where there was none for a label, which events that are taken then lack)
 */
LOGP_API int logp_machine_take_trace(struct logp_machine *machine, struct logp_trace **out);

/* What the program of a vp calls, on the thread of its own vp. Where tracing is off all of these do
 * nothing, and cost that. */

/** The program is here. @param name  copied. @return 0; the error that stops the run */
LOGP_API int logp_mark(struct logp_vp *vp, const char *name);

/**
 * What this vp records from now on belongs to `label`. The collectives of the library do this
 * themselves ("broadcast/optimal").
 * @param label  of logp_label_of(), or what this function has returned
 * @return the label until now
 */
LOGP_API uint32_t logp_label(struct logp_vp *vp, uint32_t label);

/** The label with the text "first/second", copied. @param second  NULL: "first" alone.
 *  @return it; 0: tracing is off, or no memory */
LOGP_API uint32_t logp_label_of(struct logp_vp *vp, const char *first, const char *second);

/**
 * The trace begins here, at this time of the machine's clock, from which it counts: what this vp
 * has recorded so far is forgotten. So a loop of repetitions, each after a logp_sync(), keeps the
 * last. All vps call it with one time, or none does.
 */
LOGP_API void logp_trace_begin(struct logp_vp *vp, int64_t start_ns);

/** Record no more, until the next run or logp_trace_begin(). */
LOGP_API void logp_trace_end(struct logp_vp *vp);

/* ---- of a schedule ---- */

/**
 * What a schedule does under a delay model, without running it: logp_schedule_fold() with a trace.
 * @param delay  as there
 * @param most   messages, as there; 0: any number
 * @param label  what the events belong to; NULL: nothing
 * @param fold   out, as there; also where an error is returned
 * @param out    out: to be freed with logp_trace_free()
 * @return as logp_schedule_fold()
 */
LOGP_API int logp_trace_predict(const struct logp_schedule *schedule,
                                const struct logp_delay *delay, uint64_t most, const char *label,
                                struct logp_fold *fold, struct logp_trace **out);

/* ---- event by event ---- */

/** Begin a trace of P processors without events. @return 0; -EINVAL (P), -ENOMEM */
LOGP_API int logp_trace_create(int64_t P, enum logp_trace_source source, struct logp_trace **out);

/** The label with this text, copied. @return it; 0: no memory, or the text is "" */
LOGP_API uint32_t logp_trace_add_label(struct logp_trace *trace, const char *text);

/**
 * Add an event, behind those that its rank has.
 * @param event  copied; `message` is not looked at: logp_trace_match() finds it
 * @return 0; -EINVAL (rank, kind, fate, an end before the start, a start before the last event's
 * end, a label or peer that there is not; a send to nobody), -EBUSY (it is settled), -ENOMEM
 */
LOGP_API int logp_trace_add(struct logp_trace *trace, int64_t rank, const struct logp_event *event);

/**
 * All events are there: find out which receive belongs to which send. Messages of one source,
 * destination, tag and time of arrival are taken to be received in the order sent. Only then is
 * there anything to look at but events, and nothing can be added. Traces of runs and of schedules
 * are settled.
 * @return 0; -ENOMEM
 */
LOGP_API int logp_trace_match(struct logp_trace *trace);

LOGP_END_DECLS

#endif
