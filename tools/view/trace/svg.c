/* SPDX-License-Identifier: MIT */
/*
 * A space-time diagram as LogP papers draw it: a line for each processor, time to the right, a box
 * for each o, a slanted arrow for each message on the wire; gaps, stalls and idle time as thin
 * boxes on the processor's line. The prediction of a run is a strip below each line. While a port
 * streams a long message there is a band above the boxes, because the processor may be active.
 */
#include "view/plot/palette.h"
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

struct canvas {
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

static double x_of(const struct canvas *c, int64_t ns)
{
    return LEFT + (c->end_ns > 0 ? (double)ns / (double)c->end_ns * c->time : 0);
}

static double y_of(const struct canvas *c, int64_t rank)
{
    return c->panel + c->row * ((double)rank + 0.5);
}

static void print_escaped(const char *text, size_t n)
{
    char *part = or_end(strndup(text, n));

    write_xml(stdout, part);
    free(part);
}

/* Print a text in lines of at most `most` characters, broken between words. y < 0: only count them.
 * @return the number of lines */
static int paragraph(const char *text, size_t most, int size, int y)
{
    int lines = 0;

    while (*text != '\0') {
        size_t n = strlen(text);

        if (n > most) {
            n = most;
            while (n > 0 && text[n] != ' ')
                n--;
            n = n > 0 ? n : most;
            while (n < strlen(text) && ((unsigned char)text[n] & 0xc0) == 0x80)
                n++; /* to the end of a character */
        }
        if (y >= 0) {
            printf("<text x=\"%d\" y=\"%d\" font-size=\"%d\">", LEFT, y + LINE * lines, size);
            print_escaped(text, n);
            puts("</text>");
        }
        lines++;
        text += n;
        text += strspn(text, " ");
    }
    return lines;
}

/* ---- events ---- */

static void rect(const char *kind, double x, double y, double width, double height)
{
    printf("<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%g\">", kind, x, y,
           width, height);
}

/* Draw an event, with its description as a tooltip. */
static void event(struct canvas *c, const struct logp_trace *t, int64_t rank,
                  const struct logp_event *e)
{
    const bool waits = (e->fate & LOGP_FATE_ENDLESS) != 0;
    const double x = x_of(c, e->start_ns), y = y_of(c, rank);
    const double end = is_endless(e) ? LEFT + c->time : x_of(c, e->end_ns);
    const int height = heights[e->kind];
    char words[MAX_CAPTION], from[32], to[32];

    c->used[e->kind] |= !waits;
    c->endless |= waits;
    if (e->kind == LOGP_EVENT_MARK)
        printf("<path class=\"mark\" d=\"M%.2f %.2fl-3 -5h6z\">", x, y - BOX / 2.0);
    else
        rect(waits ? "endless" : logp_event_kind_name((enum logp_event_kind)e->kind), x,
             y - height / 2.0, end - x, height);
    fputs("<title>", stdout);
    event_words(t, e, true, words);
    print_escaped(words, strlen(words));
    if (is_endless(e))
        printf(", from %s on</title></rect>\n", in_units(c->s->q, e->start_ns, from));
    else
        printf(", %s to %s</title></%s>\n", in_units(c->s->q, e->start_ns, from),
               in_units(c->s->q, e->end_ns, to), e->kind == LOGP_EVENT_MARK ? "path" : "rect");
    if (e->late_ns <= 0)
        return;
    c->late = true;
    rect("late", end, y + BOX / 2.0 - 1, x_of(c, event_end(e)) - end, 2);
    puts("</rect>");
}

static void band(struct canvas *c, int64_t rank, const struct logp_event *e)
{
    const int64_t ns = stream_ns(c->s->q, rank, e);
    const double x = x_of(c, e->end_ns), end = fmin(x_of(c, e->end_ns + ns), LEFT + c->time);
    char from[32], to[32];

    if (ns == 0)
        return;
    rect("stream", x, y_of(c, rank) - BOX / 2.0 - BAND, end - x, BAND);
    printf("<title>port streams to %d, %lld bytes, %s to %s</title></rect>\n", e->peer,
           (long long)e->bytes, in_units(c->s->q, e->end_ns, from),
           in_units(c->s->q, e->end_ns + ns, to));
}

static void strip(struct canvas *c, int64_t rank, const struct logp_event *e)
{
    const double x = x_of(c, e->start_ns);

    if (heights[e->kind] != BOX || e->kind == LOGP_EVENT_MARK)
        return;
    c->strips = true;
    rect(logp_event_kind_name((enum logp_event_kind)e->kind), x, y_of(c, rank) + BOX / 2.0 + 2,
         x_of(c, e->end_ns) - x, STRIP);
    puts("</rect>");
}

static enum way way_of(const struct canvas *c, const struct logp_event *send, bool received)
{
    if ((send->fate & LOGP_FATE_DROPPED) != 0)
        return LOST;
    if (!received && is_left_over(c->trace, send))
        return LEFT_OVER;
    return (send->fate & LOGP_FATE_FLIPPED) != 0 ? CHANGED : ARRIVES;
}

/* Draw a cross where a message is lost, a ring where it is not received. */
static void end_of_way(enum way way, double x, double y)
{
    if (way == LOST)
        printf("<path class=\"cross\" d=\"M%.2f %.2fl8 8m0 -8l-8 8\"/>", x - 4, y - 4);
    if (way == LEFT_OVER)
        printf("<circle class=\"ring\" cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\"/>", x, y);
}

/* Draw a message from the end of its send to its arrival, or, if lost, to the middle; if nothing is
 * emulated, to its receive. The second copy of a duplicated message is parallel to the first. */
static void wire(struct canvas *c, const struct logp_trace_message *m)
{
    const struct logp_trace *t = c->trace;
    size_t n;
    const struct logp_event *send = &logp_trace_events(t, m->from, &n)[m->send];
    const bool twice = (send->fate & LOGP_FATE_DUPLICATED) != 0;
    const double down = m->to > m->from ? BOX / 2.0 : m->to < m->from ? -BOX / 2.0 : -BOX;
    const double x = x_of(c, send->end_ns), y = y_of(c, m->from) + down;
    int64_t arrival = send->arrival_ns;

    if (arrival < 0 && m->receive >= 0)
        arrival = logp_trace_events(t, m->to, &n)[m->receive].start_ns;
    for (int copy = 0; copy < 1 + twice; copy++) {
        const enum way way = way_of(c, send, (copy == 0 ? m->receive : m->again) >= 0);
        const double part = way == LOST ? 0.5 : 1, aside = 5 * copy;
        const double to_x = x + part * (x_of(c, arrival) - x);
        const double to_y = y + part * (y_of(c, m->to) - down - y);

        if (m->from == m->to && way != ARRIVES)
            end_of_way(way, x + aside, y);
        c->ways[way] |= m->from != m->to || way != ARRIVES;
        if (m->from == m->to || arrival < send->end_ns)
            continue;
        c->ways[AGAIN] |= copy > 0;
        printf("<line class=\"%s%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>",
               ways[way].name, copy > 0 ? " again" : "", x + aside, y, to_x + aside, to_y);
        end_of_way(way, to_x + aside, to_y);
        puts("");
    }
}

static void draw_rank(struct canvas *c, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(c->trace, rank, &n);
    const double y = y_of(c, rank);
    char note[MAX_CAPTION];

    printf("<text class=\"end\" x=\"%d\" y=\"%.1f\">P%lld</text>"
           "<line class=\"life\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
           LEFT - 8, y + 4, (long long)rank, LEFT, y, LEFT + c->time, y);
    if (c->s->note != NULL)
        printf("<text x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT + c->time + 10, y + 4,
               c->s->note(c->s, rank, note));
    for (size_t i = 0; i < n; i++)
        band(c, rank, &e[i]);
    for (size_t i = 0; i < n; i++)
        event(c, c->trace, rank, &e[i]);
    if (c->s->predicted == NULL || c->s->names[0] != NULL ||
        logp_trace_info(c->s->trace)->source == LOGP_TRACE_VIRTUAL)
        return;
    e = logp_trace_events(c->s->predicted, rank, &n);
    for (size_t i = 0; i < n; i++)
        strip(c, rank, &e[i]);
}

/* Draw all processors of a trace, from y down; name: above them, or NULL. */
static void draw_panel(struct canvas *c, const struct logp_trace *trace, const char *name, int y)
{
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(trace, &n);

    c->trace = trace;
    c->panel = y;
    if (name != NULL) {
        printf("<text class=\"name\" x=\"%d\" y=\"%d\">", LEFT, y - 5);
        print_escaped(name, strlen(name));
        puts("</text>");
    }
    if (c->s->note != NULL)
        printf("<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + c->time + 10, y - 4, c->s->notes);
    for (int64_t r = 0; r < logp_trace_info(trace)->P; r++)
        draw_rank(c, r);
    for (size_t i = 0; i < n; i++)
        wire(c, &m[i]);
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

static void draw_axis(const struct canvas *c)
{
    const double units = (double)c->end_ns / (double)c->s->q->model.unit_ns,
                 step = axis_step(units * TICK_CAPACITY / c->time);
    char unit[32];

    for (int k = 0; c->end_ns > 0 && k * step <= units * (1 + 1e-9); k++) {
        const double x = LEFT + k * step / units * c->time;

        printf("<line class=\"grid\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\"/>"
               "<text class=\"mid\" x=\"%.2f\" y=\"%d\">%.6g</text>\n",
               x, c->top, x, c->bottom + 4, x, c->bottom + LINE, k * step);
    }
    if (c->s->names[0] != NULL && c->s->parted_ns >= 0)
        printf("<line class=\"parted\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\"/>\n",
               x_of(c, c->s->parted_ns), c->top, x_of(c, c->s->parted_ns), c->bottom);
    printf("<text class=\"mid\" x=\"%d\" y=\"%d\">%s%s</text>\n", LEFT + c->time / 2,
           c->bottom + 2 * LINE, c->s->steps ? "steps" : "time in units of ",
           c->s->steps ? "" : show_ns(c->s->q->model.unit_ns, unit, sizeof(unit)));
}

/* The place of the next entry of the legend. */
struct pen {
    int x, y;
};

/* Draw an entry: a sample of the mark, its name, and its cost, unless times are steps. cost: may be
 * NULL */
static void entry(const struct canvas *c, struct pen *pen, const char *kind, int height,
                  enum way way, const char *word, const char *cost)
{
    char words[MAX_CAPTION];
    const bool costs = cost != NULL && !c->s->steps;
    const int n = snprintf(words, sizeof(words), costs ? "%s (%s)" : "%s", word, cost);
    int x = pen->x, y = pen->y;

    if (x + 19 + 7 * n > c->width) {
        x = LEFT;
        y = pen->y += LINE;
    }
    if (height > 0)
        printf("<rect class=\"%s\" x=\"%d\" y=\"%g\" width=\"14\" height=\"%d\"/>", kind, x,
               y - 4 - height / 2.0, height);
    else
        printf("<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>", kind, x, y - 9,
               x + 14, y);
    end_of_way(way, x + 10, y - 3);
    printf("<text x=\"%d\" y=\"%d\">%s</text>\n", x + 19, y, words);
    pen->x = x + 19 + 7 * n + 16;
}

static void draw_legend(const struct canvas *c, int y)
{
    const char *const costs[LOGP_EVENT_KINDS] = {[LOGP_EVENT_SEND] = "o",
                                                 [LOGP_EVENT_RECEIVE] = c->costs.receive,
                                                 [LOGP_EVENT_GAP] = c->costs.gap};
    struct pen pen = {LEFT, y};

    for (int kind = 0; kind < LOGP_EVENT_KINDS; kind++) {
        const char *name = logp_event_kind_name((enum logp_event_kind)kind);

        if (c->used[kind])
            entry(c, &pen, name, heights[kind], ARRIVES, name, costs[kind]);
    }
    if (c->costs.port != NULL)
        entry(c, &pen, "stream", BAND, ARRIVES, "port streams", c->costs.port);
    if (c->endless)
        entry(c, &pen, "endless", THIN, ARRIVES, "waits for ever", NULL);
    for (int way = 0; way < WAYS; way++)
        if (c->ways[way])
            entry(c, &pen, ways[way].name, 0, (enum way)way, ways[way].word,
                  way == ARRIVES ? c->costs.message : NULL);
    if (c->late)
        entry(c, &pen, "late", 2, ARRIVES, "late", NULL);
    if (c->strips)
        entry(c, &pen, "send", STRIP, ARRIVES, "predicted", NULL);
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

static void begin(const struct canvas *c)
{
    const struct question *q = c->s->q;
    const bool sized = q->form.width > 0 && q->form.format->draws;

    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
           "<style>.wire,.left,.changed{marker-end:url(#tip)}.lost,.changed{stroke-dasharray:4 3}"
           ".cross,.ring{stroke-width:2;fill:none}.endless{fill-opacity:.4}.name{font-weight:bold}"
           ".parted{stroke-dasharray:2 3}.mid{text-anchor:middle}.end{text-anchor:end}\n",
           sized ? q->form.width : c->width, sized ? q->form.height : c->height, c->width,
           c->height);
    write_colors(stdout, colors);
    if (c->costs.port != NULL)
        write_colors(stdout,
                     (const struct color_rule[]){{".stream", "fill", COLOR_STREAM}, {NULL}});
    puts("</style>\n"
         "<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" "
         "markerHeight=\"6\" orient=\"auto\"><path class=\"tip\" d=\"M0 0l6 3-6 3z\"/></marker>"
         "</defs>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>");
}

/* The texts above and below the diagram, and the number of lines of each. */
struct words {
    const char *head, *model, *toll, *parting;
    char texts[4][MAX_CAPTION];
    int heads, models, tolls, feet;
};

/* Sizes of text; the characters in a line of each when the axis has its default length. */
enum { TITLE_SIZE = 15, TITLE_CHARS = 96, SIZE = 11, CHARS = 120 };

static size_t line_length(const struct canvas *c, int size)
{
    return (size_t)(c->time * (size == TITLE_SIZE ? TITLE_CHARS : CHARS) / TIME);
}

/* Lay out all but the height of a row, for a picture of c->width. @return pixels above and below
 * the rows */
static int lay_out(struct canvas *c, struct words *w)
{
    const int heading = c->s->names[0] != NULL ? LINE + 4 : 0; /* of a panel */

    c->time = c->width - LEFT - (c->s->note != NULL ? NOTES : RIGHT);
    w->heads = paragraph(w->head, line_length(c, TITLE_SIZE), TITLE_SIZE, -1);
    w->models = paragraph(w->model, line_length(c, SIZE), SIZE, -1);
    w->tolls = paragraph(w->toll, line_length(c, SIZE), SIZE, -1);
    w->feet = w->tolls + paragraph(w->parting, line_length(c, SIZE), SIZE, -1);
    c->top = 14 + LINE * (w->heads + w->models) + 6 + heading;
    c->legend = (w->tolls > 0 ? 2 : 1) * (1 + (c->time < TIME)) + (strlen(c->costs.message) > 1);
    return c->top + heading + LINE * (3 + c->legend + w->feet) + 8;
}

/* Fit the picture into the proportions of --size. A picture that is too small for the text and the
 * rows is laid out as a larger one, which is then scaled down. */
static void fit(struct canvas *c, struct words *w, int P)
{
    const struct question *q = c->s->q;
    const int rows = c->s->names[0] != NULL ? 2 * P : P;
    const bool sized = q->form.width > 0 && q->form.format->draws;
    const double shape = (double)q->form.height / q->form.width;
    int beside;

    c->width = LEFT + TIME + (c->s->note != NULL ? NOTES : RIGHT);
    if (sized)
        c->width = q->form.width > LEAST_WIDTH ? q->form.width : LEAST_WIDTH;
    beside = lay_out(c, w);
    if (sized && c->width * shape < beside + 20 * rows) {
        c->width = (int)ceil((beside + 20 * rows) / shape);
        beside = lay_out(c, w);
    }
    c->row = sized ? (c->width * shape - beside) / rows : P <= 12 ? 34 : P <= 24 ? 26 : 20;
    c->height = (int)round(beside + c->row * rows);
    c->bottom = c->height - (LINE * (3 + c->legend + w->feet) + 8);
}

static void show_svg(FILE *f, const struct shown *s)
{
    const int P = (int)logp_trace_info(s->trace)->P;
    const bool titled = s->q->form.title != NULL && s->q->form.format->draws;
    struct canvas c = {
        .s = s, .end_ns = end_of(s->trace), .costs = costs_of(s->q, s->trace, s->predicted)};
    struct words w;

    (void)f;
    w.head = titled ? s->q->form.title : title_of(s, w.texts[0]);
    w.model = model_of(s, w.texts[1]);
    w.toll = toll_of(s, w.texts[2]);
    w.parting = parting_of(s, w.texts[3]);
    fit(&c, &w, P);
    if (s->predicted != NULL && end_of(s->predicted) > c.end_ns)
        c.end_ns = end_of(s->predicted);
    c.end_ns = edge_of(s, c.end_ns);
    begin(&c);
    paragraph(w.head, line_length(&c, TITLE_SIZE), TITLE_SIZE, 22);
    paragraph(w.model, line_length(&c, SIZE), SIZE, 22 + LINE * w.heads);
    draw_axis(&c);
    draw_panel(&c, s->trace, s->names[0], c.top);
    if (s->names[0] != NULL)
        draw_panel(&c, s->predicted, s->names[1], c.bottom - (int)(c.row * P));
    draw_legend(&c, c.bottom + 3 * LINE + 8);
    paragraph(w.toll, line_length(&c, SIZE), SIZE, c.bottom + LINE * (3 + c.legend) + 10);
    paragraph(w.parting, line_length(&c, SIZE), SIZE,
              c.bottom + LINE * (3 + c.legend + w.tolls) + 10);
    puts("</svg>");
}

const struct trace_form trace_as_svg = {show_svg, MOST_ROWS};
