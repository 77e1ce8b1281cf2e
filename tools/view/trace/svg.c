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
    LEAST_WIDTH = 640, /* of a picture: a smaller one is scaled down */
    NOTES = 88,        /* in place of RIGHT, if there are any */
    BOX = 12,          /* heights of a box, thin box, strip and band: */
    THIN = 4,
    STRIP = 3,
    BAND = 4,
    LINE = 16, /* of text */
    TICK_CAPACITY = 64,
    MOST_ROWS = 64,
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
    bool used[LOGP_EVENT_KINDS], ways[WAYS], strips, late, endless;
};

static double x_of(const struct diagram *d, int64_t ns)
{
    return LEFT + (d->end_ns > 0 ? (double)ns / (double)d->end_ns * d->time : 0);
}

static double y_of(const struct diagram *d, int64_t rank)
{
    return d->panel + d->row * ((double)rank + 0.5);
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

/* Draw an event, with its description as a tooltip. */
static void event(struct diagram *d, const struct logp_trace *t, int64_t rank,
                  const struct logp_event *e)
{
    const bool waits = (e->fate & LOGP_FATE_ENDLESS) != 0;
    const double x = x_of(d, e->start_ns), y = y_of(d, rank);
    const double end = is_endless(e) ? LEFT + d->time : x_of(d, e->end_ns);
    const int height = heights[e->kind];
    char words[MAX_CAPTION], title[MAX_CAPTION + 80], from[32], to[32];
    struct look look = {.class = waits ? "endless" : kind_name(e), .title = title};

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

    if (ns == 0)
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

    if (heights[e->kind] != BOX || e->kind == LOGP_EVENT_MARK)
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
    const double x = x_of(d, send->end_ns), y = y_of(d, m->from) + down;
    int64_t arrival = send->arrival_ns;

    if (arrival < 0 && m->receive >= 0)
        arrival = logp_trace_events(t, m->to, &n)[m->receive].start_ns;
    for (int copy = 0; copy < 1 + twice; copy++) {
        const enum way way = way_of(d, send, (copy == 0 ? m->receive : m->again) >= 0);
        const double part = way == LOST ? 0.5 : 1, aside = 5 * copy;
        const double to_x = x + part * (x_of(d, arrival) - x);
        const double to_y = y + part * (y_of(d, m->to) - down - y);
        char class[32];

        if (m->from == m->to && way != ARRIVES)
            end_of_way(d->to, way, x + aside, y);
        d->ways[way] |= m->from != m->to || way != ARRIVES;
        if (m->from == m->to || arrival < send->end_ns)
            continue;
        d->ways[AGAIN] |= copy > 0;
        snprintf(class, sizeof(class), "%s%s", ways[way].name, copy > 0 ? " again" : "");
        canvas_line(d->to, (struct look){.class = class}, x + aside, y, to_x + aside, to_y);
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
        event(d, d->trace, rank, &e[i]);
    if (d->s->predicted == NULL || d->s->names[0] != NULL ||
        logp_trace_info(d->s->trace)->source == LOGP_TRACE_VIRTUAL)
        return;
    e = logp_trace_events(d->s->predicted, rank, &n);
    for (size_t i = 0; i < n; i++)
        strip(d, rank, &e[i]);
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
    for (int64_t r = 0; r < logp_trace_info(trace)->P; r++)
        draw_rank(d, r);
    for (size_t i = 0; i < n; i++)
        wire(d, &m[i]);
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
    const double units = (double)d->end_ns / (double)d->s->q->model.unit_ns,
                 step = axis_step(units * TICK_CAPACITY / d->time);
    char text[64], unit[32];

    d->to->digits = (struct digits){.x = 2};
    for (int k = 0; d->end_ns > 0 && k * step <= units * (1 + 1e-9); k++) {
        const double x = LEFT + k * step / units * d->time;

        snprintf(text, sizeof(text), "%.6g", k * step);
        canvas_line(d->to, (struct look){.class = "grid"}, x, d->top, x, d->bottom + 4);
        canvas_text(d->to, (struct look){.class = "mid"}, x, d->bottom + LINE, text);
        canvas_end_line(d->to);
    }
    if (d->s->names[0] != NULL && d->s->parted_ns >= 0) {
        const double x = x_of(d, d->s->parted_ns);

        canvas_line(d->to, (struct look){.class = "parted"}, x, d->top, x, d->bottom);
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
    {".changed,.parted", "stroke", COLOR_STALL},
    {".cross,.ring", "stroke", COLOR_PATH},
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
    const bool sized = q->form.width > 0 && q->form.format->draws;

    begin_svg(
        d->to,
        &(struct sheet){
            .width = d->width,
            .height = d->height,
            .shown_width = sized ? q->form.width : 0,
            .shown_height = sized ? q->form.height : 0,
            .css = ".wire,.left,.changed{marker-end:url(#tip)}.lost,.changed{stroke-dasharray:4 3}"
                   ".cross,.ring{stroke-width:2;fill:none}.endless{fill-opacity:.4}"
                   ".name{font-weight:bold}.parted{stroke-dasharray:2 3}.mid{text-anchor:middle}"
                   ".end{text-anchor:end}",
            .rules = colors,
            .more = d->costs.port != NULL ? stream : NULL,
            .defs = "<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" "
                    "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"tip\" "
                    "d=\"M0 0l6 3-6 3z\"/></marker></defs>\n"});
}

/* The texts above and below the diagram, and the number of lines of each. */
struct words {
    const char *head, *model, *toll, *parting;
    char texts[4][MAX_CAPTION];
    int heads, models, tolls, feet;
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
    w->feet = w->tolls + paragraph(NULL, w->parting, line_length(d, SIZE), SIZE, -1);
    d->top = 14 + LINE * (w->heads + w->models) + 6 + heading;
    d->legend = (w->tolls > 0 ? 2 : 1) * (1 + (d->time < TIME)) + (strlen(d->costs.message) > 1);
    return d->top + heading + LINE * (3 + d->legend + w->feet) + 8;
}

/* Fit the picture into the proportions of --size. A picture that is too small for the text and the
 * rows is laid out as a larger one, which is then scaled down. */
static void fit(struct diagram *d, struct words *w, int P)
{
    const struct question *q = d->s->q;
    const int rows = d->s->names[0] != NULL ? 2 * P : P;
    const bool sized = q->form.width > 0 && q->form.format->draws;
    const double shape = (double)q->form.height / q->form.width;
    int beside;

    d->width = LEFT + TIME + (d->s->note != NULL ? NOTES : RIGHT);
    if (sized)
        d->width = q->form.width > LEAST_WIDTH ? q->form.width : LEAST_WIDTH;
    beside = lay_out(d, w);
    if (sized && d->width * shape < beside + 20 * rows) {
        d->width = (int)ceil((beside + 20 * rows) / shape);
        beside = lay_out(d, w);
    }
    d->row = sized ? (d->width * shape - beside) / rows : P <= 12 ? 34 : P <= 24 ? 26 : 20;
    d->height = (int)round(beside + d->row * rows);
    d->bottom = d->height - (LINE * (3 + d->legend + w->feet) + 8);
}

static void show_svg(FILE *f, const struct shown *s)
{
    const int P = (int)logp_trace_info(s->trace)->P;
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
    fit(&d, &w, P);
    if (s->predicted != NULL && end_of(s->predicted) > d.end_ns)
        d.end_ns = end_of(s->predicted);
    d.end_ns = edge_of(s, d.end_ns);
    begin(&d);
    paragraph(&to, w.head, line_length(&d, TITLE_SIZE), TITLE_SIZE, 22);
    paragraph(&to, w.model, line_length(&d, SIZE), SIZE, 22 + LINE * w.heads);
    draw_axis(&d);
    draw_panel(&d, s->trace, s->names[0], d.top);
    if (s->names[0] != NULL)
        draw_panel(&d, s->predicted, s->names[1], d.bottom - (int)(d.row * P));
    draw_legend(&d, d.bottom + 3 * LINE + 8);
    paragraph(&to, w.toll, line_length(&d, SIZE), SIZE, d.bottom + LINE * (3 + d.legend) + 10);
    paragraph(&to, w.parting, line_length(&d, SIZE), SIZE,
              d.bottom + LINE * (3 + d.legend + w.tolls) + 10);
    canvas_end(&to);
    canvas_end_line(&to);
}

const struct trace_form trace_as_svg = {show_svg, MOST_ROWS};
