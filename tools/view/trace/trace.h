/* SPDX-License-Identifier: MIT */
/* The forms of a trace: space-time diagrams, and files for other programs. */
#ifndef LOGP_TOOL_TRACE_H
#define LOGP_TOOL_TRACE_H

#include "answer/answer.h"

#include <stdio.h>

/* ---- caption.c: a run compared with its prediction ---- */

/* The comparison of the sends, receives and computing of each rank, in its order. */
struct parting {
    bool alike;                    /* both have the same ones, whatever their times */
    bool found;                    /* an event of the run ends later or earlier than predicted, */
    int64_t threshold_ns;          /* by more than this; the first of these by the prediction: */
    int64_t rank, index;           /* its place in the run, */
    int64_t by_ns;                 /* and the difference; > 0: the run is later */
    int64_t late_ns;               /* the largest lag of the host, for a run on the wall clock, */
    int64_t late_rank, late_index; /* and the event before it; -1: none */
};

/* The end of an event, including the lag of the host on the wall clock. */
static inline int64_t event_end(const struct logp_event *e)
{
    return e->end_ns + e->late_ns;
}

struct parting compare_traces(const struct logp_trace *run, const struct logp_trace *predicted);

/* ---- a trace and its form ---- */

enum { MAX_CAPTION = 256 };

struct tree;

struct shown {
    const struct question *q;
    const struct logp_algorithm *algorithm; /* NULL: the trace is of a replay, with */
    const char *program, *failure;          /* its name, and its error; "": none */
    const char *names[2]; /* above `trace` and `predicted`, which is then drawn as large below it;
                             NULL: `predicted` is the prediction of the run */
    const struct logp_explanation *paths[2]; /* with names: critical paths to be drawn; or NULL */
    bool in_page;                            /* the SVG is part of a page, which has its styles */
    int64_t parted_ns;                  /* with names: the time of a vertical line; < 0: none */
    bool steps;                         /* times count steps, not units */
    bool says_marks;                    /* as text, list the marks of sends below the diagram */
    const struct logp_trace *trace;     /* of the run; without a run, of the schedule */
    const struct logp_trace *predicted; /* shown with it; NULL: none */
    struct parting parting;             /* with `predicted` */
    const char *title;                  /* NULL: made from the trace */
    /* The note at the right of a rank's line, below the heading `notes`; NULL: none. @return buf */
    const char *(*note)(const struct shown *s, int64_t rank, char buf[MAX_CAPTION]);
    const char *notes;
    const struct tree *tree; /* for note() */
};

/* How a format shows a trace. */
struct trace_form {
    void (*show)(FILE *f, const struct shown *s);
    int64_t most; /* processors; 0: any number */
};

extern const struct trace_form trace_as_text, trace_as_svg, trace_as_perfetto, trace_as_json,
    trace_as_goal;

/* ---- window.c: the part of it that a diagram shows ---- */

struct window {
    int64_t from_ns, to_ns;
    bool is_cut;             /* it is not the whole time */
    int64_t n_ranks, *ranks; /* ascending */
    int64_t n_rows, per_row; /* per_row: neighbouring ranks of a row */
    int64_t *row_of;         /* by rank; -1: it is not shown */
};

/* Whether the options name ranks and times that the trace has. */
CHECKED struct problem *check_window(const struct question *q, const struct logp_trace *trace);
/* What the options choose of P ranks and times up to end_ns. grouped: at most 64 rows, of several
 * ranks where there are more. Freed by free_window() */
struct window window_of(const struct question *q, int64_t P, int64_t end_ns, bool grouped);
void free_window(struct window *w);
/* Whether a part of an event is shown. */
bool is_in_window(const struct window *w, int64_t start_ns, int64_t end_ns);
/* ---- caption.c: its description in words; all return buf ---- */

/* When the rank of an MPI program called MPI_Finalize; -1: it did not */
int64_t finalize_ns(const struct logp_trace *t, int64_t rank);
/* When the last rank called it, which is the end of the program's own work; -1: not all called it */
int64_t program_ns(const struct logp_trace *t);
/* "predicted", "virtual", "wall", "host" */
const char *source_name(enum logp_trace_source source);
/* "units" or "steps" */
const char *unit_words(const struct shown *s);
/* A time in units: "24", "24.5". */
const char *in_units(const struct question *q, int64_t ns, char buf[32]);
/* "broadcast/optimal, P = 8: 24 units, predicted" */
const char *title_of(const struct shown *s, char buf[MAX_CAPTION]);
/* "L 6, o 2, g 4; a unit is 10 us" */
const char *model_of(const struct shown *s, char buf[MAX_CAPTION]);
/* "messages: 1 lost, 2 never received; P4, P5 wait for ever; P3 has stopped"; "": none of these */
const char *toll_of(const struct shown *s, char buf[MAX_CAPTION]);
/* The fault of an event: "dropped", "duplicated", "flipped", "duplicated, flipped" or "endless";
 * NULL: none */
const char *fate_words(const struct logp_event *e);
/* The number of receives of a send's message in the trace: 0, 1, 2. */
int times_received(const struct logp_trace *t, const struct logp_event *send);
/* Whether a copy of the send's message arrived and was not received. */
bool is_left_over(const struct logp_trace *t, const struct logp_event *e);
/* Whether the event lasts beyond the end of the trace: a wait forever, or a stopped processor. */
static inline bool is_endless(const struct logp_event *e)
{
    return e->kind == LOGP_EVENT_HALTED || (e->fate & LOGP_FATE_ENDLESS) != 0;
}
/* The time at the right edge of a diagram: end_ns, or a little later if an event is endless */
int64_t edge_of(const struct shown *s, int64_t end_ns);
/* The failure; "as predicted", "differs from the prediction ..."; "": there is no prediction */
const char *parting_of(const struct shown *s, char buf[MAX_CAPTION]);
/* "send to 5", "receive from 0, 8 bytes", "compute"; with_bytes: with the size of a message */
const char *event_words(const struct logp_trace *t, const struct logp_event *e, bool with_bytes,
                        char buf[MAX_CAPTION]);

/* ---- stream.c: the bytes of long messages ---- */

/* How long the bytes of a send's message occupy the port of its sender after the send; 0: the
 * message is short, the event is not a send, or the rules are not known. */
int64_t stream_ns(const struct question *q, int64_t rank, const struct logp_event *e);

/* The formulas of the boxes and arrows of a diagram, for a message of k bytes. */
struct costs {
    const char *receive, *gap;
    const char *port; /* the time of the port after the send: see stream_ns(); NULL: none */
    const char *message;
};

/* Choose the formulas for the messages of both traces. b: NULL: there is one trace */
struct costs costs_of(const struct question *q, const struct logp_trace *a,
                      const struct logp_trace *b);

/* ---- proto.c: the wire format of protocol buffers, for perfetto.c ---- */

/* Packets that are not written yet. Starts as {.f = f}. */
struct proto {
    FILE *f;
    unsigned char *data;
    size_t n, capacity;
};

void proto_number(struct proto *p, unsigned field, uint64_t value);
void proto_fixed64(struct proto *p, unsigned field, uint64_t value);
void proto_text(struct proto *p, unsigned field, const char *text);
/* Begin and end a nested message: the fields put in between are its own. @return for proto_end() */
size_t proto_begin(struct proto *p, unsigned field);
void proto_end(struct proto *p, size_t begun);

/* Begin and end a packet of the trace. Many packets are written at a time, compressed if the command
 * was built with zlib. */
size_t packet_begin(struct proto *p);
void packet_end(struct proto *p, size_t begun);
/* Write the remaining packets. */
void packets_finish(struct proto *p);

#endif
