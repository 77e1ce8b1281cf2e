/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h
 * Traces: the actions of each processor, with their times. Stable from 1.0 on.
 *
 * A trace is of a run (call logp_machine_trace() before it and logp_machine_take_trace() after it),
 * of a schedule without a run (logp_trace_predict()), or made event by event (logp_trace_create()).
 * The first two are equal event by event if the run is of that schedule under the virtual clock.
 *
 * Each processor has a list of events in the order of time, which do not overlap. An event is named
 * by its rank and its index in this list. Before a send that is delayed there is a gap event (g),
 * then a stall event (capacity, or no space in the queue limit). Before a receive there is an idle
 * event (its message has not arrived), then a gap event. Time without an event is the program's own
 * (wall clock). A run that was stopped leaves unfinished waits: the trace has those of
 * logp_report.waits, up to the end of the trace, and the time from which a processor has stopped
 * for good.
 *
 * By default, tracing is off. While it is on, an event costs a few ns of host time, which count as
 * lag and are made up for.
 */
#ifndef LOGP_TRACE_H
#define LOGP_TRACE_H

#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/algorithm.h>

LOGP_BEGIN_DECLS

struct logp_trace;

/** The kinds of events. */
enum logp_event_kind {
    LOGP_EVENT_SEND,    /**< overhead of a send: o_send */
    LOGP_EVENT_RECEIVE, /**< overhead of a receive: o_recv */
    LOGP_EVENT_COMPUTE, /**< logp_compute(), combining included */
    LOGP_EVENT_GAP,     /**< the gap delays the next send or receive */
    LOGP_EVENT_STALL,   /**< the capacity or the machine's queue limit delays a send */
    LOGP_EVENT_IDLE,    /**< waits: for a message, a common start, or a time */
    LOGP_EVENT_MARK,    /**< logp_mark() */
    LOGP_EVENT_HALTED,  /**< the delay model has stopped the processor for good (delay.h) */
    LOGP_EVENT_KINDS,
};

/** @return "send", "receive", "compute", "gap", "stall", "idle", "mark" or "halted"; NULL: no such
 * kind. */
LOGP_API const char *logp_event_kind_name(enum logp_event_kind kind);

/** The fate of a message, noted at its send (delay.h), or of a wait. Bits. */
enum logp_event_fate {
    LOGP_FATE_DROPPED = 1,    /**< it is lost; arrival_ns is when it would have arrived */
    LOGP_FATE_DUPLICATED = 2, /**< it arrives twice */
    LOGP_FATE_FLIPPED = 4,    /**< it arrives with one bit flipped */
    LOGP_FATE_ENDLESS = 8,    /**< idle, stall: the wait did not end, the run was stopped */
};

/**
 * An event. Times are on the processor's clock, as of logp_now(), from the beginning of the trace;
 * with delay `none` on the wall clock.
 */
struct logp_event {
    int64_t start_ns, end_ns; /**< start <= end; equal for a mark, and where o is 0 */
    int64_t arrival_ns; /**< send, receive: the message's arrival; -1: other events, or nothing is
                             emulated */
    int64_t late_ns;    /**< wall clock: the lag at its end: the host let it end this much after
                             end_ns. Otherwise 0 */
    int64_t message;    /**< send, receive: number of the message, the same in both, see
                             logp_trace_messages(); -1: no message, or its send is not in the
                             trace */
    int64_t bytes;      /**< size of the message; of a gap, stall or idle event: of the message that
                             it delays */
    int peer;           /**< rank at the other end of that message; -1: none; LOGP_OUTSIDE:
                             logp_machine_inject() */
    int tag;            /**< tag of that message; -1: none */
    uint16_t kind;      /**< enum logp_event_kind */
    uint16_t fate;      /**< bits of enum logp_event_fate; 0: arrives as sent, or ends */
    uint32_t label;     /**< of the operation ("broadcast/optimal"), or the name of a mark: text by
                             logp_trace_label(). 0: none */
};

/** The source of the times. */
enum logp_trace_source {
    LOGP_TRACE_PREDICTED, /**< a schedule without a run */
    LOGP_TRACE_VIRTUAL,   /**< a run under the virtual clock */
    LOGP_TRACE_WALL,      /**< a run under the wall clock, on the vps' clocks; see late_ns */
    LOGP_TRACE_HOST,      /**< a run with delay `none`: real time */
};

/** A summary of a trace. */
struct logp_trace_info {
    size_t size;
    int64_t P;
    enum logp_trace_source source;
    int64_t end_ns;      /**< when the last event ends; 0: there are none */
    int64_t wall_ns;     /**< wall clock: the latest end including lag; otherwise end_ns */
    uint64_t n_events;   /**< of all ranks */
    uint64_t n_messages; /**< messages sent */
    uint64_t dropped;    /**< events lost beyond the limit, or for lack of memory. The events of
                              each rank are complete up to the first lost one */
    uint32_t n_labels;   /**< labels are 1 .. n_labels */
};

/** @return the summary; it lives as long as the trace. */
LOGP_API const struct logp_trace_info *logp_trace_info(const struct logp_trace *trace);

/**
 * The events of a rank in the order of time.
 * @param rank  0 .. P-1
 * @param n     out: how many
 * @return the first of n; NULL: no such rank
 */
LOGP_API const struct logp_event *logp_trace_events(const struct logp_trace *trace, int64_t rank,
                                                    size_t *n);

/** @return the text of a label, valid as long as the trace; "" for 0 and unknown labels. */
LOGP_API const char *logp_trace_label(const struct logp_trace *trace, uint32_t label);

/** The two ends of a message. */
struct logp_trace_message {
    int from, to;    /**< ranks */
    int64_t send;    /**< index of the event of rank `from` */
    int64_t receive; /**< index of the event of rank `to`; -1: not in the trace */
    int64_t again;   /**< LOGP_FATE_DUPLICATED: index of the receive of the other copy; -1: as for
                          receive */
};

/** @return the messages by number (logp_event.message), in the order of (from, send).
 *  @param n  out: how many */
LOGP_API const struct logp_trace_message *logp_trace_messages(const struct logp_trace *trace,
                                                              size_t *n);

/** Free a trace; NULL is allowed. */
LOGP_API void logp_trace_free(struct logp_trace *trace);

/* ---- of a run ---- */

/** Zero is a good default for every field but the first. */
struct logp_trace_config {
    size_t size;          /**< sizeof(struct logp_trace_config) */
    int64_t events_ahead; /**< events of each vp, 64 bytes each, for which there is memory before a
                               run begins; 0: 256, fewer beyond 1024 vps. From the second run on
                               there is as much as earlier runs needed */
    int64_t events_most;  /**< most events of each vp; further events are dropped and counted. 0:
                               2^25 / P, at least 1024 */
};

/**
 * Start recording from the next run on, or stop it. Recording takes no locks: each vp has memory of
 * its own.
 * @param config  NULL: stop, and discard the recorded events
 * @return 0; -EINVAL (size not set, a negative number), -E2BIG (unknown fields are set), -EBUSY (a
 *         run is in progress), -ENOTSUP (several processes; a forked child), -ENOMEM
 */
LOGP_API int logp_machine_trace(struct logp_machine *machine,
                                const struct logp_trace_config *config);

/**
 * Take the trace of the last run, whatever its result. If nothing was recorded, or the trace has
 * been taken before, it has no events.
 * @param out  out: free it with logp_trace_free(); it does not need the machine any more
 * @return 0; -EINVAL (tracing is off), -EBUSY (a run is in progress), -ENOTSUP (a forked child),
 *         -ENOMEM (nothing is lost; it is also returned once if a label had no memory, and then the
 *         trace that is taken next lacks that label)
 */
LOGP_API int logp_machine_take_trace(struct logp_machine *machine, struct logp_trace **out);

/* The following are called by the program of a vp, on the vp's own thread. While tracing is off
 *  they have no effect and cost only the test for it. */

/** Record a mark event. @param name  copied. @return 0; the error that stops the run */
LOGP_API int logp_mark(struct logp_vp *vp, const char *name);

/**
 * Set the label of the events that this vp records from now on. The library's collectives set it
 * themselves ("broadcast/optimal").
 * @param label  a result of logp_label_of() or of this function
 * @return the previous label
 */
LOGP_API uint32_t logp_label(struct logp_vp *vp, uint32_t label);

/** The label with the text "first/second", copied. @param second NULL: the text is "first".
 *  @return the label; 0: tracing is off, or no memory */
LOGP_API uint32_t logp_label_of(struct logp_vp *vp, const char *first, const char *second);

/**
 * Begin the trace of this vp at this time of the machine's clock, which becomes time 0: its earlier
 * events are discarded. So a loop of repetitions, each after a logp_sync(), keeps the last one. All
 * vps call it with the same time, or none does.
 */
LOGP_API void logp_trace_begin(struct logp_vp *vp, int64_t start_ns);

/** Stop recording until the next run or logp_trace_begin(). */
LOGP_API void logp_trace_end(struct logp_vp *vp);

/* ---- of a schedule ---- */

/**
 * Make the trace of a schedule under a delay model without running it: logp_schedule_fold() with a
 * trace.
 * @param delay  as there
 * @param most   messages, as there; 0: any number
 * @param label  label of the events; NULL: none
 * @param fold   out, as there; also set if an error is returned
 * @param out    out: free it with logp_trace_free()
 * @return as logp_schedule_fold()
 */
LOGP_API int logp_trace_predict(const struct logp_schedule *schedule,
                                const struct logp_delay *delay, uint64_t most, const char *label,
                                struct logp_fold *fold, struct logp_trace **out);

/* ---- event by event ---- */

/** Create a trace of P processors without events. @return 0; -EINVAL (P), -ENOMEM */
LOGP_API int logp_trace_create(int64_t P, enum logp_trace_source source, struct logp_trace **out);

/** The label with this text, copied. @return the label; 0: no memory, or the text is "" */
LOGP_API uint32_t logp_trace_add_label(struct logp_trace *trace, const char *text);

/**
 * Append an event to the list of a rank.
 * @param event  copied; its `message` is ignored, logp_trace_match() sets it
 * @return 0; -EINVAL (rank, kind, fate, an end before the start, a start before the last event's
 *         end, an unknown label or peer, a send without a receiver), -EBUSY (the trace has been
 *         matched), -ENOMEM
 */
LOGP_API int logp_trace_add(struct logp_trace *trace, int64_t rank, const struct logp_event *event);

/**
 * Match receives with sends after the last event has been added. Messages of one source,
 * destination, tag and arrival time count as received in the order sent. Before this only the
 * events can be read; afterwards no event can be added. Traces of runs and of schedules have been
 * matched.
 * @return 0; -ENOMEM
 */
LOGP_API int logp_trace_match(struct logp_trace *trace);

LOGP_END_DECLS

#endif
