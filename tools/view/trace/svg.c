/* SPDX-License-Identifier: MIT */
/*
 * A space-time diagram as LogP papers draw it: a line for each processor, time to the right, a box
 * for each o, a slanted arrow for each message on the wire; gaps, stalls and idle time as thin
 * boxes on the processor's line. The prediction of a run is a strip below each line. While a port
 * streams a long message there is a band above the boxes, because the processor may be active.
 */
#include "view/canvas/canvas.h"
#include "view/trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 56,
    TIME = 840, /* length of the axis without --size */
    RIGHT = 24,
    SIZED_WIDTH = 640, /* of a picture with --size, which is scaled to it */
    NOTES = 88,        /* in place of RIGHT, if there are any */
    BOX = 12,          /* heights of a box, thin box, strip and band: */
    THIN = 4,
    STRIP = 3,
    BAND = 4,
    LINE = 16, /* of text */
    TICK_CAPACITY = 64,
    MOST_P = 1 << 16,
    BIN = 2, /* width of a part of a row of several ranks */
};

/* The height of each kind. */
static const int heights[LOGP_EVENT_KINDS] = {
    [LOGP_EVENT_SEND] = BOX, [LOGP_EVENT_RECEIVE] = BOX, [LOGP_EVENT_COMPUTE] = BOX,
    [LOGP_EVENT_GAP] = THIN, [LOGP_EVENT_STALL] = THIN,  [LOGP_EVENT_IDLE] = THIN,
    [LOGP_EVENT_MARK] = BOX, [LOGP_EVENT_HALTED] = BOX,
};

/* The fate of a message, drawn as a line and its end. */
enum way { ARRIVES, LOST, LEFT_OVER, CHANGED, AGAIN, WAYS };

static const struct {
    const char *name, *word;
} ways[WAYS] = {
    [ARRIVES] = {"wire", "message"},        [LOST] = {"lost", "lost"},
    [LEFT_OVER] = {"left", "not received"}, [CHANGED] = {"changed", "one bit flipped"},
    [AGAIN] = {"wire again", "duplicate"},
};

struct diagram {
    struct canvas *to;
    const struct shown *s;
    struct costs costs;
    const struct logp_trace *trace;         /* the trace being drawn, */
    int panel;                              /* the top of it */
    int time;                               /* length of its axis */
    int width, top, bottom, height, legend; /* legend: its lines */
    double row;
    int64_t end_ns;
    struct window window;
    bool used[LOGP_EVENT_KINDS], ways[WAYS], strips, late, endless, after, critical;
};

/* Also of a time that is not shown. */
static double place_of(const struct diagram *d, int64_t ns)
{
    const double span = (double)(d->window.to_ns - d->window.from_ns);

    return LEFT + (span > 0 ? (double)(ns - d->window.from_ns) / span * d->time : 0);
}

static double x_of(const struct diagram *d, int64_t ns)
{
    return fmin(LEFT + d->time, fmax(LEFT, place_of(d, ns)));
}

static double y_of_row(const struct diagram *d, int64_t row)
{
    return d->panel + d->row * ((double)row + 0.5);
}

static double y_of(const struct diagram *d, int64_t rank)
{
    return y_of_row(d, d->window.row_of[rank]);
}

/* Draw a text in lines of at most `most` characters, broken between words. to: NULL: only count
 * them. @return the number of lines */
static int paragraph(struct canvas *to, const char *text, size_t most, int size, int y)
{
    int lines = 0;

    while (*text != '\0') {
        size_t n = strlen(text);
        char line[MAX_CAPTION];

        if (n > most) {
            n = most;
            while (n > 0 && text[n] != ' ')
                n--;
            n = n > 0 ? n : most;
            while (n < strlen(text) && ((unsigned char)text[n] & 0xc0) == 0x80)
                n++; /* to the end of a character */
        }
        snprintf(line, sizeof(line), "%.*s", (int)n, text);
        if (to != NULL) {
            canvas_text(to, (struct look){.size = size}, LEFT, y + LINE * lines, line);
            canvas_end_line(to);
        }
        lines++;
        text += n;
        text += strspn(text, " ");
    }
    return lines;
}

/* ---- events ---- */

static const char *kind_name(const struct logp_event *e)
{
    return logp_event_kind_name((enum logp_event_kind)e->kind);
}

/* Draw an event, with its description as a tooltip. finalize_ns: when the rank called
 * MPI_Finalize; -1: never */
static void event(struct diagram *d, const struct logp_trace *t, int64_t rank,
                  const struct logp_event *e, int64_t finalize_ns)
{
    const bool after = finalize_ns >= 0 && e->start_ns >= finalize_ns && e->end_ns > e->start_ns;
    const bool waits = (e->fate & LOGP_FATE_ENDLESS) != 0;
    const double x = x_of(d, e->start_ns), y = y_of(d, rank);
    const double end = is_endless(e) ? LEFT + d->time : x_of(d, e->end_ns);
    const int height = heights[e->kind];
    char words[MAX_CAPTION], title[MAX_CAPTION + 80], from[32], to[32], class[32];
    struct look look = {.class = class, .title = title};

    if (!is_in_window(&d->window, e->start_ns, is_endless(e) ? d->window.to_ns : event_end(e)))
        return;
    snprintf(class, sizeof(class), "%s%s", waits ? "endless" : kind_name(e), after ? " after" : "");
    d->after |= after;
    d->used[e->kind] |= !waits;
    d->endless |= waits;
    event_words(t, e, true, words);
    if (is_endless(e))
        snprintf(title, sizeof(title), "%s, from %s on", words,
                 in_units(d->s->q, e->start_ns, from));
    else
        snprintf(title, sizeof(title), "%s, %s to %s", words, in_units(d->s->q, e->start_ns, from),
                 in_units(d->s->q, e->end_ns, to));
    if (e->kind == LOGP_EVENT_MARK)
        canvas_shape(d->to, look, x, y - BOX / 2.0, "l-3 -5h6z");
    else
        canvas_box(d->to, look, x, y - height / 2.0, end - x, height);
    canvas_end_line(d->to);
    if (e->late_ns <= 0)
        return;
    d->late = true;
    canvas_box(d->to, (struct look){.class = "late", .title = ""}, end, y + BOX / 2.0 - 1,
               x_of(d, event_end(e)) - end, 2);
    canvas_end_line(d->to);
}

static void band(struct diagram *d, int64_t rank, const struct logp_event *e)
{
    const int64_t ns = stream_ns(d->s->q, rank, e);
    const double x = x_of(d, e->end_ns), end = fmin(x_of(d, e->end_ns + ns), LEFT + d->time);
    char title[160], from[32], to[32];

    if (ns == 0 || !is_in_window(&d->window, e->end_ns, e->end_ns + ns))
        return;
    snprintf(title, sizeof(title), "port streams to %d, %lld bytes, %s to %s", e->peer,
             (long long)e->bytes, in_units(d->s->q, e->end_ns, from),
             in_units(d->s->q, e->end_ns + ns, to));
    canvas_box(d->to, (struct look){.class = "stream", .title = title}, x,
               y_of(d, rank) - BOX / 2.0 - BAND, end - x, BAND);
    canvas_end_line(d->to);
}

static void strip(struct diagram *d, int64_t rank, const struct logp_event *e)
{
    const double x = x_of(d, e->start_ns);

    if (heights[e->kind] != BOX || e->kind == LOGP_EVENT_MARK ||
        !is_in_window(&d->window, e->start_ns, e->end_ns))
        return;
    d->strips = true;
    canvas_box(d->to, (struct look){.class = kind_name(e), .title = ""}, x,
               y_of(d, rank) + BOX / 2.0 + 2, x_of(d, e->end_ns) - x, STRIP);
    canvas_end_line(d->to);
}

static enum way way_of(const struct diagram *d, const struct logp_event *send, bool received)
{
    if ((send->fate & LOGP_FATE_DROPPED) != 0)
        return LOST;
    if (!received && is_left_over(d->trace, send))
        return LEFT_OVER;
    return (send->fate & LOGP_FATE_FLIPPED) != 0 ? CHANGED : ARRIVES;
}

/* Draw a cross where a message is lost, a ring where it is not received. */
static void end_of_way(struct canvas *to, enum way way, double x, double y)
{
    if (way == LOST)
        canvas_shape(to, (struct look){.class = "cross"}, x - 4, y - 4, "l8 8m0 -8l-8 8");
    if (way == LEFT_OVER)
        canvas_disc(to, (struct look){.class = "ring"}, x, y, 3.5);
}

/* Draw a message from the end of its send to its arrival, or, if lost, to the middle; if nothing is
 * emulated, to its receive. The second copy of a duplicated message is parallel to the first. */
static void wire(struct diagram *d, const struct logp_trace_message *m)
{
    const struct logp_trace *t = d->trace;
    size_t n;
    const struct logp_event *send = &logp_trace_events(t, m->from, &n)[m->send];
    const bool twice = (send->fate & LOGP_FATE_DUPLICATED) != 0;
    const double down = m->to > m->from ? BOX / 2.0 : m->to < m->from ? -BOX / 2.0 : -BOX;
    const double x = place_of(d, send->end_ns), y = y_of(d, m->from) + down;
    int64_t arrival = send->arrival_ns;

    if (arrival < 0 && m->receive >= 0)
        arrival = logp_trace_events(t, m->to, &n)[m->receive].start_ns;
    for (int copy = 0; copy < 1 + twice; copy++) {
        const enum way way = way_of(d, send, (copy == 0 ? m->receive : m->again) >= 0);
        const double part = way == LOST ? 0.5 : 1, aside = 5 * copy;
        const double to_x = x + part * (place_of(d, arrival) - x);
        const double to_y = y + part * (y_of(d, m->to) - down - y);
        /* the part of the way that is shown */
        const double first = to_x > x ? fmax(0, (LEFT - x) / (to_x - x)) : 0,
                     last = to_x > x ? fmin(1, (LEFT + d->time - x) / (to_x - x)) : 1;
        char class[32];

        if (first > last || to_x < LEFT || x > LEFT + d->time)
            continue;
        if (m->from == m->to && way != ARRIVES)
            end_of_way(d->to, way, x + aside, y);
        d->ways[way] |= m->from != m->to || way != ARRIVES;
        if (m->from == m->to || arrival < send->end_ns)
            continue;
        d->ways[AGAIN] |= copy > 0;
        snprintf(class, sizeof(class), "%s%s%s", ways[way].name, copy > 0 ? " again" : "",
                 last < 1 ? " cut" : "");
        canvas_line(d->to, (struct look){.class = class}, x + first * (to_x - x) + aside,
                    y + first * (to_y - y), x + last * (to_x - x) + aside, y + last * (to_y - y));
        if (last == 1)
            end_of_way(d->to, way, to_x + aside, to_y);
        canvas_end_line(d->to);
    }
}

static void draw_rank(struct diagram *d, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(d->trace, rank, &n);
    const double y = y_of(d, rank);
    char note[MAX_CAPTION];

    snprintf(note, sizeof(note), "P%lld", (long long)rank);
    d->to->digits = (struct digits){.y = 1};
    canvas_text(d->to, (struct look){.class = "end"}, LEFT - 8, y + 4, note);
    canvas_line(d->to, (struct look){.class = "life"}, LEFT, y, LEFT + d->time, y);
    canvas_end_line(d->to);
    if (d->s->note != NULL) {
        canvas_text(d->to, (struct look){0}, LEFT + d->time + 10, y + 4,
                    d->s->note(d->s, rank, note));
        canvas_end_line(d->to);
    }
    d->to->digits = (struct digits){2, 2, 2, 0};
    for (size_t i = 0; i < n; i++)
        band(d, rank, &e[i]);
    for (size_t i = 0; i < n; i++)
        event(d, d->trace, rank, &e[i], finalize_ns(d->trace, rank));
    if (d->s->predicted == NULL || d->s->names[0] != NULL ||
        logp_trace_info(d->s->trace)->source == LOGP_TRACE_VIRTUAL)
        return;
    e = logp_trace_events(d->s->predicted, rank, &n);
    for (size_t i = 0; i < n; i++)
        strip(d, rank, &e[i]);
}

/* ---- rows of several ranks ---- */

/* Add how long an event is in each part of a row, in parts. */
static void add_time(const struct diagram *d, double *parts, int n, const struct logp_event *e)
{
    const double from = (x_of(d, e->start_ns) - LEFT) / BIN, to = (x_of(d, e->end_ns) - LEFT) / BIN;

    for (int i = (int)from; i < n && i < to; i++)
        parts[i] += fmax(0, fmin(to, i + 1) - fmax(from, i));
}

/* One box for all neighbouring parts of the same height, to half a pixel. */
static void draw_shares(const struct diagram *d, int kind, const double *parts, const double *below,
                        int n, double high, double y)
{
    for (int i = 0, end; i < n; i = end) {
        const double height = round(2 * high * parts[i]) / 2, foot = round(2 * high * below[i]) / 2;

        for (end = i + 1; end < n && round(2 * high * parts[end]) / 2 == height &&
                          round(2 * high * below[end]) / 2 == foot;
             end++)
            ;
        if (height <= 0)
            continue;
        canvas_box(d->to, (struct look){.class = logp_event_kind_name((enum logp_event_kind)kind)},
                   LEFT + i * BIN, y - foot - height, (end - i) * BIN, height);
        canvas_end_line(d->to);
    }
}

/* Draw which share of the row's ranks is in each kind of event, one kind upon the other. */
static void draw_group(struct diagram *d, int64_t row)
{
    static const int kinds[] = {LOGP_EVENT_SEND, LOGP_EVENT_RECEIVE, LOGP_EVENT_COMPUTE,
                                LOGP_EVENT_GAP, LOGP_EVENT_STALL};
    const int n = d->time / BIN;
    const int64_t first = row * d->window.per_row;
    const int64_t all = first + d->window.per_row,
                  end = all < d->window.n_ranks ? all : d->window.n_ranks;
    const double high = d->row * 0.85, foot = y_of_row(d, row) + high / 2;
    double *parts = need(calloc((size_t)n, sizeof(*parts))),
           *below = need(calloc((size_t)n, sizeof(*below)));
    char name[32];

    snprintf(name, sizeof(name), "P%lld", (long long)d->window.ranks[first]);
    d->to->digits = (struct digits){2, 2, 2, 2};
    canvas_text(d->to, (struct look){.class = "end"}, LEFT - 8, foot, name);
    canvas_line(d->to, (struct look){.class = "life"}, LEFT, foot, LEFT + d->time, foot);
    canvas_end_line(d->to);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        memset(parts, 0, (size_t)n * sizeof(*parts));
        for (int64_t r = first; r < end; r++) {
            size_t m;
            const struct logp_event *e = logp_trace_events(d->trace, d->window.ranks[r], &m);

            for (size_t i = 0; i < m; i++)
                if (e[i].kind == kinds[k] && is_in_window(&d->window, e[i].start_ns, e[i].end_ns)) {
                    d->used[kinds[k]] = true;
                    add_time(d, parts, n, &e[i]);
                }
        }
        for (int i = 0; i < n; i++)
            parts[i] /= (double)(end - first);
        draw_shares(d, kinds[k], parts, below, n, high, foot);
        for (int i = 0; i < n; i++)
            below[i] += parts[i];
    }
    free(parts);
    free(below);
}

/* Draw a critical path below the boxes, and its messages from rank to rank. */
static void draw_path(struct diagram *d, const struct logp_explanation *e)
{
    const double below = BOX / 2.0 + 2;

    for (size_t i = 0; i < e->n_path; i++) {
        const struct logp_path_segment *x = &e->path[i];
        const int64_t to = x->kind == LOGP_SEGMENT_WIRE ? x->peer : x->rank;

        if (d->window.row_of[x->rank] < 0 || d->window.row_of[to] < 0 ||
            !is_in_window(&d->window, x->from_ns, x->to_ns))
            continue;
        canvas_line(d->to, (struct look){.class = "critical"}, x_of(d, x->from_ns),
                    y_of(d, x->rank) + below, x_of(d, x->to_ns), y_of(d, to) + below);
        canvas_end_line(d->to);
        d->critical = true;
    }
}

/* Draw all processors of a trace, from y down; name: above them, or NULL. */
static void draw_panel(struct diagram *d, const struct logp_trace *trace, const char *name, int y)
{
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(trace, &n);

    d->trace = trace;
    d->panel = y;
    if (name != NULL) {
        canvas_text(d->to, (struct look){.class = "name"}, LEFT, y - 5, name);
        canvas_end_line(d->to);
    }
    if (d->s->note != NULL) {
        canvas_text(d->to, (struct look){0}, LEFT + d->time + 10, y - 4, d->s->notes);
        canvas_end_line(d->to);
    }
    for (int64_t row = 0; row < d->window.n_rows; row++)
        if (d->window.per_row > 1)
            draw_group(d, row);
        else
            draw_rank(d, d->window.ranks[row]);
    for (size_t i = 0; i < n && d->window.per_row == 1; i++)
        if (d->window.row_of[m[i].from] >= 0 && d->window.row_of[m[i].to] >= 0)
            wire(d, &m[i]);
    for (int i = 0; i < 2 && d->window.per_row == 1; i++)
        if (d->s->names[0] != NULL && d->s->paths[i] != NULL &&
            trace == (i == 0 ? d->s->trace : d->s->predicted))
            draw_path(d, d->s->paths[i]);
    d->to->digits = (struct digits){0};
}

/* The last time to draw: a message that is not received may arrive after the end of the trace. */
static int64_t end_of(const struct logp_trace *t)
{
    int64_t end_ns = logp_trace_info(t)->wall_ns;
    size_t n, k;
    const struct logp_trace_message *m = logp_trace_messages(t, &n);

    for (size_t i = 0; i < n; i++) {
        const struct logp_event *e = &logp_trace_events(t, m[i].from, &k)[m[i].send];

        end_ns = e->arrival_ns > end_ns ? e->arrival_ns : end_ns;
    }
    return end_ns;
}

/* ---- around them ---- */

static void draw_axis(const struct diagram *d)
{
    const double unit_ns = (double)d->s->q->model.unit_ns,
                 from = (double)d->window.from_ns / unit_ns, to = (double)d->window.to_ns / unit_ns,
                 step = axis_step((to - from) * TICK_CAPACITY / d->time);
    const int64_t program = program_ns(d->s->trace);
    char text[64], unit[32];

    d->to->digits = (struct digits){.x = 2};
    for (double k = ceil(from / step - 1e-9); to > from && k * step <= to * (1 + 1e-9); k++) {
        const double x = LEFT + (k * step - from) / (to - from) * d->time;

        snprintf(text, sizeof(text), "%.6g", k * step + 0.0); /* not -0 */
        canvas_line(d->to, (struct look){.class = "grid"}, x, d->top, x, d->bottom + 4);
        canvas_text(d->to, (struct look){.class = "mid"}, x, d->bottom + LINE, text);
        canvas_end_line(d->to);
    }
    if (d->s->names[0] != NULL && d->s->parted_ns >= 0) {
        const double x = x_of(d, d->s->parted_ns);

        canvas_line(d->to, (struct look){.class = "parted"}, x, d->top, x, d->bottom);
        canvas_end_line(d->to);
    }
    if (program >= d->window.from_ns && program <= d->window.to_ns) {
        const double x = x_of(d, program);
        const bool right = x < LEFT + d->time / 2.0;

        canvas_line(d->to, (struct look){.class = "program"}, x, d->top, x, d->bottom);
        canvas_text(d->to, (struct look){.class = right ? NULL : "end"}, x + (right ? 4 : -4),
                    d->top - 3, "the program ends: MPI_Finalize");
        canvas_end_line(d->to);
    }
    d->to->digits = (struct digits){0};
    snprintf(text, sizeof(text), "time in units of %s",
             show_ns(d->s->q->model.unit_ns, unit, sizeof(unit)));
    canvas_text(d->to, (struct look){.class = "mid"}, LEFT + d->time / 2, d->bottom + 2 * LINE,
                d->s->steps ? "steps" : text);
    canvas_end_line(d->to);
}

/* The place of the next entry of the legend. */
struct pen {
    int x, y;
};

/* Draw an entry: a sample of the mark, its name, and its cost, unless times are steps. cost: may be
 * NULL */
static void entry(const struct diagram *d, struct pen *pen, const char *kind, int height,
                  enum way way, const char *word, const char *cost)
{
    char words[MAX_CAPTION];
    const bool costs = cost != NULL && !d->s->steps;
    const int n = snprintf(words, sizeof(words), costs ? "%s (%s)" : "%s", word, cost);
    int x = pen->x, y = pen->y;

    if (x + 19 + 7 * n > d->width) {
        x = LEFT;
        y = pen->y += LINE;
    }
    if (height > 0)
        canvas_box(d->to, (struct look){.class = kind}, x, y - 4 - height / 2.0, 14, height);
    else
        canvas_line(d->to, (struct look){.class = kind}, x, y - 9, x + 14, y);
    d->to->digits = (struct digits){2, 2, 2, 0};
    end_of_way(d->to, way, x + 10, y - 3);
    d->to->digits = (struct digits){0};
    canvas_text(d->to, (struct look){0}, x + 19, y, words);
    canvas_end_line(d->to);
    pen->x = x + 19 + 7 * n + 16;
}

static void draw_legend(const struct diagram *d, int y)
{
    const char *const costs[LOGP_EVENT_KINDS] = {[LOGP_EVENT_SEND] = "o",
                                                 [LOGP_EVENT_RECEIVE] = d->costs.receive,
                                                 [LOGP_EVENT_GAP] = d->costs.gap};
    struct pen pen = {LEFT, y};

    for (int kind = 0; kind < LOGP_EVENT_KINDS; kind++) {
        const char *name = logp_event_kind_name((enum logp_event_kind)kind);

        if (d->used[kind])
            entry(d, &pen, name, heights[kind], ARRIVES, name, costs[kind]);
    }
    if (d->costs.port != NULL)
        entry(d, &pen, "stream", BAND, ARRIVES, "port streams", d->costs.port);
    if (d->endless)
        entry(d, &pen, "endless", THIN, ARRIVES, "waits for ever", NULL);
    for (int way = 0; way < WAYS; way++)
        if (d->ways[way])
            entry(d, &pen, ways[way].name, 0, (enum way)way, ways[way].word,
                  way == ARRIVES ? d->costs.message : NULL);
    if (d->critical)
        entry(d, &pen, "critical", 0, ARRIVES, "critical path", NULL);
    if (d->after)
        entry(d, &pen, "send after", BOX, ARRIVES, "in MPI_Finalize", NULL);
    if (d->late)
        entry(d, &pen, "late", 2, ARRIVES, "late", NULL);
    if (d->strips)
        entry(d, &pen, "send", STRIP, ARRIVES, "predicted", NULL);
}

static const struct color_rule colors[] = {
    {".bg", "fill", COLOR_RAISED},
    {".send", "fill", COLOR_SEND},
    {".receive", "fill", COLOR_RECEIVE},
    {".compute", "fill", COLOR_COMPUTE},
    {".gap", "fill", COLOR_GAP},
    {".stall", "fill", COLOR_STALL},
    {".idle", "fill", COLOR_LINE},
    {".mark", "fill", COLOR_MARK},
    {".late", "fill", COLOR_PATH},
    {".halted", "fill", COLOR_SOFT},
    {".endless", "fill", COLOR_PATH},
    {".wire,.left,.lost", "stroke", COLOR_SOFT},
    {".changed,.parted,.program", "stroke", COLOR_STALL},
    {".cross,.ring,.critical", "stroke", COLOR_PATH},
    {".tip", "fill", COLOR_SOFT},
    {".grid", "stroke", COLOR_LINE},
    {".life", "stroke", COLOR_STRONG},
    {"text", "fill", COLOR_INK},
    {NULL},
};

static void begin(const struct diagram *d)
{
    static const struct color_rule stream[] = {{".stream", "fill", COLOR_STREAM}, {NULL}};
    const struct question *q = d->s->q;
    const bool sized = q->form.height > 0 && q->form.format->draws;

    const struct sheet sheet = {
        .width = d->width,
        .height = d->height,
        .shown_width = sized ? q->form.width : 0,
        .shown_height = sized ? q->form.height : 0,
        .css = ".wire,.left,.changed{marker-end:url(#tip)}.lost,.changed{stroke-dasharray:4 3}"
               ".cross,.ring{stroke-width:2;fill:none}.endless{fill-opacity:.4}"
               ".critical{stroke-width:2.5}.after{fill-opacity:.4}.cut{marker-end:none}"
               ".name{font-weight:bold}.parted,.program{stroke-dasharray:2 "
               "3}.mid{text-anchor:middle}"
               ".end{text-anchor:end}",
        .rules = colors,
        .class = "space-time",
        .label = "Both space-time diagrams, with their critical paths",
        .more = d->costs.port != NULL ? stream : NULL,
        .defs = "<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" "
                "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"tip\" "
                "d=\"M0 0l6 3-6 3z\"/></marker></defs>\n"};

    if (!d->s->in_page) {
        begin_svg(d->to, &sheet);
        return;
    }
    begin_svg_of_page(d->to, &sheet);
    fputs(sheet.defs, d->to->f);
}

/* The texts above and below the diagram, and the number of lines of each. */
struct words {
    const char *head, *model, *toll, *parting, *rows;
    char texts[5][MAX_CAPTION];
    int heads, models, tolls, partings, feet;
};

/* Sizes of text; the characters in a line of each when the axis has its default length. */
enum { TITLE_SIZE = 15, TITLE_CHARS = 96, SIZE = 11, CHARS = 120 };

static size_t line_length(const struct diagram *d, int size)
{
    return (size_t)(d->time * (size == TITLE_SIZE ? TITLE_CHARS : CHARS) / TIME);
}

/* Lay out all but the height of a row, for a picture of d->width. @return pixels above and below
 * the rows */
static int lay_out(struct diagram *d, struct words *w)
{
    const int heading = d->s->names[0] != NULL ? LINE + 4 : 0; /* of a panel */

    d->time = d->width - LEFT - (d->s->note != NULL ? NOTES : RIGHT);
    w->heads = paragraph(NULL, w->head, line_length(d, TITLE_SIZE), TITLE_SIZE, -1);
    w->models = paragraph(NULL, w->model, line_length(d, SIZE), SIZE, -1);
    w->tolls = paragraph(NULL, w->toll, line_length(d, SIZE), SIZE, -1);
    w->partings = paragraph(NULL, w->parting, line_length(d, SIZE), SIZE, -1);
    w->feet = w->tolls + w->partings + paragraph(NULL, w->rows, line_length(d, SIZE), SIZE, -1);
    d->top = (program_ns(d->s->trace) >= 0 ? LINE : 0) + 14 + LINE * (w->heads + w->models) + 6 +
             heading;
    d->legend = (w->tolls > 0 ? 2 : 1) * (1 + (d->time < TIME)) + (strlen(d->costs.message) > 1);
    return d->top + heading + LINE * (3 + d->legend + w->feet) + 8;
}

/* Fit the picture into the proportions of --size: it is laid out in a fixed width, and then scaled
 * with its letters and arrows. One that is too small for the text and the rows is laid out in a
 * larger width. */
static void fit(struct diagram *d, struct words *w)
{
    const struct question *q = d->s->q;
    const int P = (int)d->window.n_rows;
    const int rows = d->s->names[0] != NULL ? 2 * P : P;
    const bool sized = q->form.height > 0 && q->form.format->draws;
    const double shape = (double)q->form.height / q->form.width;
    int beside;

    d->width = LEFT + TIME + (d->s->note != NULL ? NOTES : RIGHT);
    if (q->form.width > 0 && q->form.format->draws) /* without a height: a column of a page */
        d->width = sized ? SIZED_WIDTH : q->form.width;
    beside = lay_out(d, w);
    if (sized && d->width * shape < beside + 20 * rows) {
        d->width = (int)ceil((beside + 20 * rows) / shape);
        beside = lay_out(d, w);
    }
    d->row = sized ? (d->width * shape - beside) / rows : P <= 12 ? 34 : P <= 24 ? 26 : 20;
    d->height = (int)round(beside + d->row * rows);
    d->bottom = d->height - (LINE * (3 + d->legend + w->feet) + 8);
}

/* What a row of several ranks is. @return buf */
static const char *rows_of(const struct window *w, char buf[MAX_CAPTION])
{
    buf[0] = '\0';
    if (w->per_row > 1)
        snprintf(buf, MAX_CAPTION,
                 "A row is %lld ranks, from its name on. The height of a colour is the share of "
                 "them. Messages are drawn for up to 64 ranks: --only 0-%lld.",
                 (long long)w->per_row, (long long)(w->n_ranks < 64 ? w->n_ranks - 1 : 63));
    return buf;
}

static void show_svg(FILE *f, const struct shown *s)
{
    const int64_t P = logp_trace_info(s->trace)->P;
    const bool titled = s->q->form.title != NULL && s->q->form.format->draws;
    struct canvas to = svg_canvas(f);
    struct diagram d = {.to = &to,
                        .s = s,
                        .end_ns = end_of(s->trace),
                        .costs = costs_of(s->q, s->trace, s->predicted)};
    struct words w;

    w.head = titled ? s->q->form.title : title_of(s, w.texts[0]);
    w.model = model_of(s, w.texts[1]);
    w.toll = toll_of(s, w.texts[2]);
    w.parting = parting_of(s, w.texts[3]);
    if (s->predicted != NULL && end_of(s->predicted) > d.end_ns)
        d.end_ns = end_of(s->predicted);
    d.end_ns = edge_of(s, d.end_ns);
    d.window = window_of(s->q, P, d.end_ns, true);
    w.rows = rows_of(&d.window, w.texts[4]);
    fit(&d, &w);
    begin(&d);
    paragraph(&to, w.head, line_length(&d, TITLE_SIZE), TITLE_SIZE, 22);
    paragraph(&to, w.model, line_length(&d, SIZE), SIZE, 22 + LINE * w.heads);
    draw_axis(&d);
    draw_panel(&d, s->trace, s->names[0], d.top);
    if (s->names[0] != NULL)
        draw_panel(&d, s->predicted, s->names[1],
                   d.bottom - (int)(d.row * (double)d.window.n_rows));
    draw_legend(&d, d.bottom + 3 * LINE + 8);
    paragraph(&to, w.toll, line_length(&d, SIZE), SIZE, d.bottom + LINE * (3 + d.legend) + 10);
    paragraph(&to, w.parting, line_length(&d, SIZE), SIZE,
              d.bottom + LINE * (3 + d.legend + w.tolls) + 10);
    paragraph(&to, w.rows, line_length(&d, SIZE), SIZE,
              d.bottom + LINE * (3 + d.legend + w.tolls + w.partings) + 10);
    canvas_end(&to);
    canvas_end_line(&to);
    free_window(&d.window);
}

const struct trace_form trace_as_svg = {show_svg, MOST_P};
