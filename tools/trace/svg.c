/* SPDX-License-Identifier: MIT */
/*
 * A space-time diagram as LogP papers draw it: a line for each processor, time to the right, a box
 * for each o, a slanted arrow for each message on the wire; gaps, stalls and idle time as thin
 * boxes on the processor's line. A prediction beside a run is a strip below each line.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 56,
    WIDTH = 840,
    RIGHT = 24,
    ALL = LEFT + WIDTH + RIGHT,
    BOX = 12, /* a box is so high; thin, and a strip: */
    THIN = 4,
    STRIP = 3,
    LINE = 16, /* of text */
    TICK_ROOM = 64,
    MOST_ROWS = 64,
};

/* How a kind is drawn, and what the legend says. */
static const struct look {
    const char *word;
    int height;
} looks[LOGP_EVENT_KINDS] = {
    [LOGP_EVENT_SEND] = {"send (o)", BOX},   [LOGP_EVENT_RECEIVE] = {"receive (o)", BOX},
    [LOGP_EVENT_COMPUTE] = {"compute", BOX}, [LOGP_EVENT_GAP] = {"gap (g)", THIN},
    [LOGP_EVENT_STALL] = {"stall", THIN},    [LOGP_EVENT_IDLE] = {"idle", THIN},
    [LOGP_EVENT_MARK] = {"mark", BOX},
};

struct canvas {
    const struct shown *s;
    int top, row, bottom, height;
    int64_t end_ns;
    bool used[LOGP_EVENT_KINDS], strips, late, wires;
};

static double x_of(const struct canvas *c, int64_t ns)
{
    return LEFT + (c->end_ns > 0 ? (double)ns / (double)c->end_ns * WIDTH : 0);
}

static double y_of(const struct canvas *c, int64_t rank)
{
    return c->top + c->row * ((double)rank + 0.5);
}

/* Text for XML; what stands for characters that mean something there. */
static void print_escaped(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (text[i]) {
        case '<':
            fputs("&lt;", stdout);
            break;
        case '>':
            fputs("&gt;", stdout);
            break;
        case '&':
            fputs("&amp;", stdout);
            break;
        case '"':
            fputs("&quot;", stdout);
            break;
        default:
            putchar(text[i]);
            break;
        }
}

/* Lines of at most so many characters, broken between words. @return how many; y < 0: they are only
 * counted */
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

/* With what it is, for who points at it. */
static void event(struct canvas *c, const struct logp_trace *t, int64_t rank,
                  const struct logp_event *e)
{
    const double x = x_of(c, e->start_ns), end = x_of(c, e->end_ns), y = y_of(c, rank);
    const int height = looks[e->kind].height;
    char words[MAX_CAPTION], from[32], to[32];

    c->used[e->kind] = true;
    if (e->kind == LOGP_EVENT_MARK)
        printf("<path class=\"mark\" d=\"M%.2f %.2fl-3 -5h6z\">", x, y - BOX / 2.0);
    else
        rect(logp_event_kind_name((enum logp_event_kind)e->kind), x, y - height / 2.0, end - x,
             height);
    fputs("<title>", stdout);
    event_words(t, e, true, words);
    print_escaped(words, strlen(words));
    printf(", %s to %s</title></%s>\n", in_units(c->s->o, e->start_ns, from),
           in_units(c->s->o, e->end_ns, to), e->kind == LOGP_EVENT_MARK ? "path" : "rect");
    if (e->late_ns <= 0)
        return;
    c->late = true;
    rect("late", end, y + BOX / 2.0 - 1, x_of(c, event_end(e)) - end, 2);
    puts("</rect>");
}

static void strip(struct canvas *c, int64_t rank, const struct logp_event *e)
{
    const double x = x_of(c, e->start_ns);

    if (looks[e->kind].height != BOX || e->kind == LOGP_EVENT_MARK)
        return;
    c->strips = true;
    rect(logp_event_kind_name((enum logp_event_kind)e->kind), x, y_of(c, rank) + BOX / 2.0 + 2,
         x_of(c, e->end_ns) - x, STRIP);
    puts("</rect>");
}

/* From the end of its send to its arrival; where nothing is emulated, to its receive. */
static void wire(struct canvas *c, const struct logp_trace_message *m)
{
    const struct logp_trace *t = c->s->trace;
    size_t n;
    const struct logp_event *send = &logp_trace_events(t, m->from, &n)[m->send];
    int64_t arrival = send->arrival_ns;
    double down;

    if (arrival < 0 && m->receive >= 0)
        arrival = logp_trace_events(t, m->to, &n)[m->receive].start_ns;
    if (m->from == m->to || arrival < send->end_ns)
        return;
    c->wires = true;
    down = m->to > m->from ? BOX / 2.0 : -BOX / 2.0;
    printf("<line class=\"wire\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n",
           x_of(c, send->end_ns), y_of(c, m->from) + down, x_of(c, arrival), y_of(c, m->to) - down);
}

static void draw_rank(struct canvas *c, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(c->s->trace, rank, &n);
    const double y = y_of(c, rank);

    printf("<text class=\"end\" x=\"%d\" y=\"%.1f\">P%lld</text>"
           "<line class=\"life\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
           LEFT - 8, y + 4, (long long)rank, LEFT, y, LEFT + WIDTH, y);
    for (size_t i = 0; i < n; i++)
        event(c, c->s->trace, rank, &e[i]);
    if (c->s->predicted == NULL || logp_trace_info(c->s->trace)->source == LOGP_TRACE_VIRTUAL)
        return;
    e = logp_trace_events(c->s->predicted, rank, &n);
    for (size_t i = 0; i < n; i++)
        strip(c, rank, &e[i]);
}

/* ---- around them ---- */

/* So many units between two numbers that they do not touch. */
static double step_of(double units)
{
    const double least = units * TICK_ROOM / WIDTH;
    double step = 1;

    while (step > least && step / 10 >= least)
        step /= 10;
    for (int turn = 0; step < least; turn++)
        step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

static void draw_axis(const struct canvas *c)
{
    const double units = (double)c->end_ns / (double)c->s->o->unit_ns, step = step_of(units);
    char unit[32];

    for (int k = 0; c->end_ns > 0 && k * step <= units * (1 + 1e-9); k++) {
        const double x = LEFT + k * step / units * WIDTH;

        printf("<line class=\"grid\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\"/>"
               "<text class=\"mid\" x=\"%.2f\" y=\"%d\">%.6g</text>\n",
               x, c->top, x, c->bottom + 4, x, c->bottom + LINE, k * step);
    }
    printf("<text class=\"mid\" x=\"%d\" y=\"%d\">%s%s</text>\n", LEFT + WIDTH / 2,
           c->bottom + 2 * LINE, c->s->steps ? "steps" : "time in units of ",
           c->s->steps ? "" : show_ns(c->s->o->unit_ns, unit, sizeof(unit)));
}

/* One entry: what is drawn, and the word for it. @return where the next begins */
static int entry(const struct canvas *c, const char *kind, int height, const char *words, int x,
                 int y)
{
    const char *model = strstr(words, " ("); /* which has no say in steps */
    const int n = (int)(c->s->steps && model != NULL ? (size_t)(model - words) : strlen(words));

    if (height > 0)
        printf("<rect class=\"%s\" x=\"%d\" y=\"%g\" width=\"14\" height=\"%d\"/>", kind, x,
               y - 4 - height / 2.0, height);
    else
        printf("<line class=\"wire\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>", x, y - 9, x + 14,
               y);
    printf("<text x=\"%d\" y=\"%d\">%.*s</text>\n", x + 19, y, n, words);
    return x + 19 + 7 * n + 16;
}

static void draw_legend(const struct canvas *c, int y)
{
    int x = LEFT;

    for (int kind = 0; kind < LOGP_EVENT_KINDS; kind++)
        if (c->used[kind])
            x = entry(c, logp_event_kind_name((enum logp_event_kind)kind), looks[kind].height,
                      looks[kind].word, x, y);
    if (c->wires)
        x = entry(c, "wire", 0, "message (L)", x, y);
    if (c->late)
        x = entry(c, "late", 2, "late", x, y);
    if (c->strips)
        entry(c, "send", STRIP, "predicted", x, y);
}

static void begin(const struct canvas *c)
{
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
           "<style>.bg{fill:#fff}.send{fill:#c4572e}.receive{fill:#2e6fc4}.compute{fill:#8fbf78}"
           ".gap{fill:#d9a441}.stall{fill:#a02060}.idle{fill:#d4d7dc}.mark{fill:#222}"
           ".late{fill:#e02020}.wire{stroke:#777;marker-end:url(#tip)}.tip{fill:#777}"
           ".grid{stroke:#ebebeb}.life{stroke:#bbb}text{fill:#333}.mid{text-anchor:middle}"
           ".end{text-anchor:end}\n"
           "@media (prefers-color-scheme:dark){.bg{fill:#16181c}.send{fill:#e2794f}"
           ".receive{fill:#5b9bea}.compute{fill:#5f8f4a}.idle{fill:#3c4048}.mark{fill:#eee}"
           ".wire{stroke:#9a9a9a}.tip{fill:#9a9a9a}.grid{stroke:#2b2e34}.life{stroke:#555}"
           "text{fill:#ddd}}</style>\n"
           "<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" "
           "markerHeight=\"6\" orient=\"auto\"><path class=\"tip\" d=\"M0 0l6 3-6 3z\"/></marker>"
           "</defs>\n<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
           ALL, c->height, ALL, c->height);
}

static void show_svg(const struct shown *s)
{
    enum { TITLE = 15, TITLE_CHARS = 96, CHARS = 120 };
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    const int P = (int)info->P;
    struct canvas c = {.s = s, .row = P <= 12 ? 34 : P <= 24 ? 26 : 20, .end_ns = info->wall_ns};
    char title[MAX_CAPTION], model[MAX_CAPTION], parting[MAX_CAPTION];
    const int heads = paragraph(title_of(s, title), TITLE_CHARS, TITLE, -1);
    const int lines = paragraph(model_of(s, model), CHARS, 11, -1);
    const int feet = paragraph(parting_of(s, parting), CHARS, 11, -1);
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(s->trace, &n);

    if (s->predicted != NULL && logp_trace_info(s->predicted)->end_ns > c.end_ns)
        c.end_ns = logp_trace_info(s->predicted)->end_ns;
    for (size_t i = 0, k; i < n; i++) { /* one that nobody has received may come later */
        const struct logp_event *e = &logp_trace_events(s->trace, m[i].from, &k)[m[i].send];

        c.end_ns = e->arrival_ns > c.end_ns ? e->arrival_ns : c.end_ns;
    }
    c.top = 14 + LINE * (heads + lines) + 6;
    c.bottom = c.top + c.row * P;
    c.height = c.bottom + LINE * (4 + feet) + 8;
    begin(&c);
    paragraph(title, TITLE_CHARS, TITLE, 22);
    paragraph(model, CHARS, 11, 22 + LINE * heads);
    draw_axis(&c);
    for (int64_t r = 0; r < P; r++)
        draw_rank(&c, r);
    for (size_t i = 0; i < n; i++)
        wire(&c, &m[i]);
    draw_legend(&c, c.bottom + 3 * LINE + 8);
    paragraph(parting, CHARS, 11, c.bottom + 4 * LINE + 10);
    puts("</svg>");
}

const struct trace_form trace_as_svg = {show_svg, MOST_ROWS, false};
