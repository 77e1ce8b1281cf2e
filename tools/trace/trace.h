/* SPDX-License-Identifier: MIT */
/* Traces as they are shown: space-time diagrams, and files for other programs. */
#ifndef LOGP_TOOL_TRACE_H
#define LOGP_TOOL_TRACE_H

#include "options/options.h"

#include <stdio.h>

/* ---- caption.c: a run beside its prediction ---- */

/* What they have in common: the sends, receives and computing of each rank, in its order. */
struct parting {
    bool alike;           /* they do the same, whenever */
    bool found;           /* an event ends so much later or earlier: */
    int64_t threshold_ns; /* than this, */
    int64_t rank, index;  /* in the run; */
    int64_t by_ns;        /* > 0: the run is later. Of those, the first by the prediction */
    int64_t late_ns; /* the largest lateness of the host, where the run is of the wall clock, */
    int64_t late_rank, late_index; /* and after which event; -1: none */
};

/* The end of an event, on the wall clock where it has that. */
static inline int64_t event_end(const struct logp_event *e)
{
    return e->end_ns + e->late_ns;
}

struct parting compare_traces(const struct logp_trace *run, const struct logp_trace *predicted);

/* ---- what is shown, and how ---- */

enum { MAX_CAPTION = 256 };

struct tree;

struct shown {
    const struct options *o;
    const struct logp_algorithm *algorithm; /* NULL: it is of a replay: */
    const char *program, *failure;          /* its name, and what went wrong; "": nothing */
    const char *names[2]; /* above `trace` and `predicted`, which is then drawn as large below it;
                             NULL: `predicted` is what the run should be */
    int64_t parted_ns;    /* with names: a line there; < 0: none */
    bool steps;           /* times are not units but steps */
    const struct logp_trace *trace;     /* of the run; of the schedule, where there is no run */
    const struct logp_trace *predicted; /* beside it; NULL: there is none */
    struct parting parting;             /* where there is one */
    const char *title;                  /* NULL: what the trace says */
    /* What stands behind the line of a rank, below the word `notes`; NULL: nothing. @return buf */
    const char *(*note)(const struct shown *s, int64_t rank, char buf[MAX_CAPTION]);
    const char *notes;
    const struct tree *tree; /* for note() */
};

/* How a format shows a trace, on stdout. */
struct trace_form {
    void (*show)(const struct shown *s);
    int64_t most; /* processors; 0: any number */
};

extern const struct trace_form trace_as_text, trace_as_svg, trace_as_perfetto, trace_as_json,
    trace_as_goal;

/* ---- caption.c: what is said of it in words; all return buf ---- */

/* "predicted", "virtual", "wall", "host" */
const char *source_name(enum logp_trace_source source);
/* "units" or "steps" */
const char *unit_words(const struct shown *s);
/* A time in units: "24", "24.5". */
const char *in_units(const struct options *o, int64_t ns, char buf[32]);
/* "broadcast/optimal, P = 8: 24 units, predicted" */
const char *title_of(const struct shown *s, char buf[MAX_CAPTION]);
/* "L 6, o 2, g 4; a unit is 10 us" */
const char *model_of(const struct shown *s, char buf[MAX_CAPTION]);
/* "messages: 1 lost, 2 never received; P4, P5 wait for ever; P3 has stopped"; "": nothing of that
 */
const char *toll_of(const struct shown *s, char buf[MAX_CAPTION]);
/* What becomes of it: "dropped", "duplicated", "flipped", "duplicated, flipped" or "endless"; NULL:
 * nothing that should not */
const char *fate_words(const struct logp_event *e);
/* How often the message of a send has been received, by the trace: 0, 1, 2. */
int times_received(const struct logp_trace *t, const struct logp_event *send);
/* A send whose message came, and nobody has received it? */
bool is_left_over(const struct logp_trace *t, const struct logp_event *e);
/* Does it go on after the end of the trace: a wait for ever, or a processor that has stopped? */
static inline bool is_endless(const struct logp_event *e)
{
    return e->kind == LOGP_EVENT_HALTED || (e->fate & LOGP_FATE_ENDLESS) != 0;
}
/* What the right edge of a diagram stands for: end_ns, or a little later where something is endless
 */
int64_t edge_of(const struct shown *s, int64_t end_ns);
/* Between two numbers of an axis: the next of 1, 2, 5, 10, ... and their parts from the least that
 * leaves room for both. */
double axis_step(double least);
/* The failure; "as predicted", "parts from the prediction ..."; "": there is nothing beside it */
const char *parting_of(const struct shown *s, char buf[MAX_CAPTION]);
/* "send to 5", "receive from 0, 8 bytes", "compute"; with_bytes: of a message its size, too */
const char *event_words(const struct logp_trace *t, const struct logp_event *e, bool with_bytes,
                        char buf[MAX_CAPTION]);

/* ---- stream.c: the bytes of long messages ---- */

/* How long the bytes of a send's message occupy the port of its sender after the send; 0: it is short, or
 * another event, or nothing is known of it. */
int64_t stream_ns(const struct options *o, int64_t rank, const struct logp_event *e);

/* What the boxes and arrows of a diagram are made of, of a message of k bytes. */
struct costs {
    const char *receive, *gap;
    const char *port; /* beside the processor: see stream_ns(); NULL: there is none */
    const char *message;
};

/* b: NULL: there is one trace */
struct costs costs_of(const struct options *o, const struct logp_trace *a,
                      const struct logp_trace *b);

/* ---- proto.c: the wire format of protocol buffers, for perfetto.c ---- */

/* Packets that have not been written yet. Starts as {0}. */
struct proto {
    unsigned char *data;
    size_t n, capacity;
    bool lost; /* there was no memory */
};

void proto_number(struct proto *p, unsigned field, uint64_t value);
void proto_fixed64(struct proto *p, unsigned field, uint64_t value);
void proto_text(struct proto *p, unsigned field, const char *text);
/* A message within: what is put between the two. @return for proto_end() */
size_t proto_begin(struct proto *p, unsigned field);
void proto_end(struct proto *p, size_t begun);

/* A packet of the trace: the same. When there is enough it is written to stdout, compressed where
 * the command was built so. */
size_t packet_begin(struct proto *p);
void packet_end(struct proto *p, size_t begun);
/* Write what is left. @return false: there was no memory */
bool packets_finish(struct proto *p);

#endif
