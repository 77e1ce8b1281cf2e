/* SPDX-License-Identifier: MIT */
/*
 * A space-time diagram for the terminal: a line for each processor, as wide as the terminal, time
 * to the right. A cell shows the activity of its processor for most of its time; if the overhead of
 * a message is wide enough, also the peer. Where the processor is idle, a cell shows that its port
 * is busy.
 */
#include "view/canvas/canvas.h"
#include "view/trace/trace.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 40, MOST_WIDTH = 400, USUAL_WIDTH = 100 };

/* In the order of the legend: the kinds of events, a wait forever, a stream of the port. */
enum { ENDLESS = LOGP_EVENT_KINDS, STREAM, GLYPHS };

static const struct glyph glyphs[GLYPHS] = {
    [LOGP_EVENT_SEND] = {"send", "S", "█"},
    [LOGP_EVENT_RECEIVE] = {"receive", "R", "▓"},
    [LOGP_EVENT_COMPUTE] = {"compute", "c", "░"},
    [LOGP_EVENT_GAP] = {"gap", ".", "·", .idle = true},
    [LOGP_EVENT_STALL] = {"stall", "x", "×"},
    [LOGP_EVENT_IDLE] = {"idle", "-", "─", .idle = true},
    [LOGP_EVENT_MARK] = {"mark", "v", "▼"},
    [LOGP_EVENT_HALTED] = {"halted", "#", "▚"},
    [ENDLESS] = {"waits for ever", "_", "┄"},
    [STREAM] = {"port streams (k-1)G", ":", "▒"},
};

/* The fate of a send's message, shown before the peer, with a word for the legend. */
enum way { SENT, LOST, LEFT_OVER, TWICE, CHANGED, WAYS };
static const struct {
    const char *unicode, *ascii, *word;
} ways[WAYS] = {
    [SENT] = {"→", ">", NULL},
    [LOST] = {"✗", "!", "message lost"},
    [LEFT_OVER] = {"⇥", "|", "message never received"},
    [TWICE] = {"⇉", "=", "message duplicated"},
    [CHANGED] = {"⇝", "~", "message with a flipped bit"},
};

/* A diagram's measures. */
struct page {
    struct canvas *to;
    const struct shown *s;
    const struct logp_trace *trace;
    bool is_unicode;
    int left, width; /* cells before the diagram, and of it */
    int64_t end_ns;  /* at its right edge */
    struct window window;
    struct glyph glyphs[GLYPHS];
    bool ways[WAYS];
};

static int terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int64_t n = USUAL_WIDTH;

    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        n = size.ws_col;
    else if (columns == NULL || !parse_whole(columns, 1, 100000, &n))
        n = USUAL_WIDTH;
    return n < LEAST_WIDTH ? LEAST_WIDTH : n > MOST_WIDTH ? MOST_WIDTH : (int)n;
}

static bool speaks_utf8(void)
{
    return setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The place of a time. */
static double place_of(const struct page *p, int64_t ns)
{
    const int64_t from = p->window.from_ns, to = p->window.to_ns;

    return (double)((ns < from ? from : ns > to ? to : ns) - from);
}

static void put_event(struct page *p, const struct logp_event *e)
{
    const bool waits = (e->fate & LOGP_FATE_ENDLESS) != 0;
    const struct look look = {.class = glyphs[waits ? ENDLESS : e->kind].class};
    const int64_t end_ns = is_endless(e) ? p->end_ns : e->end_ns;
    const double x = place_of(p, e->start_ns);

    if (!is_in_window(&p->window, e->start_ns, end_ns))
        return;
    if (e->kind == LOGP_EVENT_MARK)
        canvas_shape(p->to, look, x, 0, "");
    else
        canvas_box(p->to, look, x, 0, place_of(p, end_ns) - x, 1);
}

/* Put a stream behind the work of the processor. */
static void put_stream(struct page *p, int64_t rank, const struct logp_event *e)
{
    const int64_t all_ns = e->end_ns + stream_ns(p->s->q, rank, e);
    const int64_t end_ns = all_ns < p->end_ns ? all_ns : p->end_ns;

    if (end_ns > e->end_ns && is_in_window(&p->window, e->end_ns, end_ns))
        canvas_box(p->to, (struct look){.class = glyphs[STREAM].class, .behind = true},
                   place_of(p, e->end_ns), 0, place_of(p, end_ns) - place_of(p, e->end_ns), 1);
}

static enum way way_of(const struct page *p, const struct logp_event *send)
{
    return (send->fate & LOGP_FATE_DROPPED) != 0      ? LOST
           : is_left_over(p->trace, send)             ? LEFT_OVER
           : (send->fate & LOGP_FATE_DUPLICATED) != 0 ? TWICE
           : (send->fate & LOGP_FATE_FLIPPED) != 0    ? CHANGED
                                                      : SENT;
}

/* Put the peer of an event into the middle of its cells, if it has enough of them. */
static void put_peer(struct page *p, const struct logp_event *e)
{
    const bool sends = e->kind == LOGP_EVENT_SEND;
    const enum way way = sends ? way_of(p, e) : SENT;
    char text[32];

    if ((!sends && e->kind != LOGP_EVENT_RECEIVE) || e->peer < 0 || e->end_ns == e->start_ns ||
        !is_in_window(&p->window, e->start_ns, e->end_ns))
        return;
    snprintf(text, sizeof(text), "%s%d",
             sends           ? p->is_unicode ? ways[way].unicode : ways[way].ascii
             : p->is_unicode ? "←"
                             : "<",
             e->peer);
    p->ways[way] |=
        canvas_label(p->to, (struct look){.class = glyphs[e->kind].class}, place_of(p, e->start_ns),
                     place_of(p, e->end_ns) - place_of(p, e->start_ns), text);
}

static void print_line(struct page *p, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(p->trace, rank, &n);
    char name[32];

    snprintf(name, sizeof(name), "P%-*lld ", p->left - 2, (long long)rank);
    canvas_text(p->to, (struct look){0}, 0, 0, name);
    for (size_t i = 0; i < n; i++)
        put_event(p, &e[i]);
    for (size_t i = 0; i < n; i++)
        put_stream(p, rank, &e[i]);
    for (size_t i = 0; i < n; i++)
        put_peer(p, &e[i]);
    canvas_end_line(p->to);
}

/* Print the ticks, and below them their times in units. */
static void print_axis(const struct page *p)
{
    const double unit_ns = (double)p->s->q->model.unit_ns,
                 from = (double)p->window.from_ns / unit_ns,
                 units = (double)p->window.to_ns / unit_ns - from;
    const double step = axis_step(units * 10 / p->width),
                 first = ceil(from / step - 1e-9) * step + 0.0; /* the first number, not -0 */
    const char *const line = p->is_unicode ? "─" : "-", *const tick = p->is_unicode ? "┬" : "+";
    int next = 0, at = 0;

    fprintf(p->to->f, "%*s", p->left, "");
    for (int i = 0, k = 0; i < p->width; i++) {
        const int cell = (int)((first - from + k * step) / units * p->width + 0.5);

        fputs(i == cell ? tick : line, p->to->f);
        k += i == cell;
    }
    fprintf(p->to->f, "\n%*s", p->left, "");
    for (int k = 0; first - from + k * step <= units; k++) {
        char number[32];
        const int cell = (int)((first - from + k * step) / units * p->width + 0.5);
        const int n = snprintf(number, sizeof(number), "%.6g", first + k * step);

        if (cell < next || cell + n > p->width + 8)
            continue;
        fprintf(p->to->f, "%*s%s", cell - at, "", number);
        at = cell + n;
        next = at + 1;
    }
    fprintf(p->to->f, " %s\n", unit_words(p->s));
}

enum { MOST_LISTED = 24 };

/* List the marks of sends: descriptions of payloads, and faults. */
static void print_words(const struct page *p)
{
    char time[32];
    int left = 0;

    for (int64_t i = 0; i < p->window.n_ranks; i++) {
        const int64_t rank = p->window.ranks[i];
        size_t n;
        const struct logp_event *e = logp_trace_events(p->trace, rank, &n);

        for (size_t k = 0, send = 0; k < n; k++) {
            send = send > k ? send : k;
            while (send < n && e[send].kind == LOGP_EVENT_MARK)
                send++;
            if (e[k].kind != LOGP_EVENT_MARK || send == n || e[send].kind != LOGP_EVENT_SEND ||
                e[send].start_ns != e[k].start_ns ||
                !is_in_window(&p->window, e[k].start_ns, e[k].end_ns) || left++ >= MOST_LISTED)
                continue;
            fprintf(p->to->f, "P%lld, %s %s, to P%d: ", (long long)rank,
                    p->s->steps ? "step" : "time", in_units(p->s->q, e[k].start_ns, time),
                    (int)e[send].peer);
            write_shown(p->to->f, logp_trace_label(p->trace, e[k].label));
            putc('\n', p->to->f);
        }
    }
    if (left > MOST_LISTED)
        fprintf(p->to->f, "and %d more\n", left - MOST_LISTED);
}

static void print_diagram(struct page *p, const struct logp_trace *trace, const char *name)
{
    if (name != NULL)
        fprintf(p->to->f, "%s\n", name);
    p->trace = trace;
    for (int64_t i = 0; i < p->window.n_ranks; i++)
        print_line(p, p->window.ranks[i]);
    if (p->window.to_ns > p->window.from_ns)
        print_axis(p);
    if (p->s->says_marks)
        print_words(p);
}

static void print_legend(const struct page *p)
{
    const char *between = "";

    for (const struct glyph *g = p->glyphs; g < p->glyphs + GLYPHS; g++)
        if (g->used) {
            fprintf(p->to->f, "%s%s %s", between, p->is_unicode ? g->unicode : g->ascii, g->class);
            between = "   ";
        }
    for (int way = SENT + 1; way < WAYS; way++)
        if (p->ways[way]) {
            fprintf(p->to->f, "%s%s %s", between,
                    p->is_unicode ? ways[way].unicode : ways[way].ascii, ways[way].word);
            between = "   ";
        }
    if (*between != '\0')
        putc('\n', p->to->f);
}

static void show_text(FILE *f, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    struct page p = {.s = s, .is_unicode = speaks_utf8(), .end_ns = info->end_ns};
    struct canvas to;
    char caption[MAX_CAPTION];

    memcpy(p.glyphs, glyphs, sizeof(glyphs));
    p.left = 2 + snprintf(NULL, 0, "%lld", (long long)info->P - 1);
    p.width = terminal_width() - p.left - 1;
    if (s->predicted != NULL && logp_trace_info(s->predicted)->end_ns > p.end_ns)
        p.end_ns = logp_trace_info(s->predicted)->end_ns;
    p.end_ns = edge_of(s, p.end_ns);
    p.window = window_of(s->q, info->P, p.end_ns, false);
    to = terminal_canvas(f, p.width, p.window.to_ns - p.window.from_ns, p.glyphs, p.is_unicode);
    p.to = &to;
    fprintf(f, "%s\n", title_of(s, caption));
    if (*model_of(s, caption) != '\0')
        fprintf(f, "%s\n", caption);
    print_diagram(&p, s->trace, s->names[0]);
    if (s->names[0] != NULL || (s->predicted != NULL && info->source != LOGP_TRACE_VIRTUAL))
        print_diagram(&p, s->predicted, s->names[0] != NULL ? s->names[1] : "predicted:");
    print_legend(&p);
    if (*toll_of(s, caption) != '\0')
        fprintf(f, "%s\n", caption);
    if (*parting_of(s, caption) != '\0')
        fprintf(f, "%s\n", caption);
    if (info->dropped > 0)
        fprintf(f, "%llu events were beyond the limit, and are not shown\n",
                (unsigned long long)info->dropped);
    canvas_end(&to);
    free_window(&p.window);
}

const struct trace_form trace_as_text = {show_text, 0};
