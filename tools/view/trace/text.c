/* SPDX-License-Identifier: MIT */
/*
 * A space-time diagram for the terminal: a line for each processor, as wide as the terminal, time
 * to the right. A cell shows the activity of its processor for most of its time; if the overhead of
 * a message is wide enough, also the peer. Where the processor is idle, a cell shows that its port
 * is busy.
 */
#include "view/trace/trace.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 40, MOST_WIDTH = 400, USUAL_WIDTH = 100, MOST_CELL = 8 };

/* Further glyphs after those of the kinds: a wait forever; the port streams a long message. */
enum { ENDLESS = LOGP_EVENT_KINDS, STREAM, GLYPHS };

static const char *const unicode[GLYPHS] = {
    [LOGP_EVENT_SEND] = "█", [LOGP_EVENT_RECEIVE] = "▓", [LOGP_EVENT_COMPUTE] = "░",
    [LOGP_EVENT_GAP] = "·",  [LOGP_EVENT_STALL] = "×",   [LOGP_EVENT_IDLE] = "─",
    [LOGP_EVENT_MARK] = "▼", [LOGP_EVENT_HALTED] = "▚",  [ENDLESS] = "┄",
    [STREAM] = "▒"};
static const char *const ascii[GLYPHS] = {
    [LOGP_EVENT_SEND] = "S", [LOGP_EVENT_RECEIVE] = "R", [LOGP_EVENT_COMPUTE] = "c",
    [LOGP_EVENT_GAP] = ".",  [LOGP_EVENT_STALL] = "x",   [LOGP_EVENT_IDLE] = "-",
    [LOGP_EVENT_MARK] = "v", [LOGP_EVENT_HALTED] = "#",  [ENDLESS] = "_",
    [STREAM] = ":"};

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
    const struct shown *s;
    const struct logp_trace *trace;
    bool is_unicode;
    const char *const *glyphs;
    int left, width; /* cells before the diagram, and of it */
    int64_t end_ns;  /* at its right edge */
    bool used[GLYPHS], ways[WAYS];
    int *kinds;              /* of a line: by cell, -1: nothing */
    int64_t *most;           /* by cell, the time of that kind in it */
    char (*text)[MOST_CELL]; /* in place of the glyph; "": none */
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

/* The time at the left edge of a cell. */
static int64_t time_at(const struct page *p, int cell)
{
    return (int64_t)((double)p->end_ns * cell / p->width);
}

static int cell_at(const struct page *p, int64_t ns)
{
    const int cell = p->end_ns > 0 ? (int)((double)ns * p->width / (double)p->end_ns) : 0;

    return cell < p->width ? cell : p->width - 1;
}

/* Put an event into the cells in which it takes more time than each event before it. */
static void put_event(struct page *p, const struct logp_event *e)
{
    const int kind = (e->fate & LOGP_FATE_ENDLESS) != 0 ? ENDLESS : e->kind;
    const int64_t end_ns = is_endless(e) ? p->end_ns : e->end_ns;
    const int last = cell_at(p, end_ns > e->start_ns ? end_ns - 1 : end_ns);

    p->used[kind] = true;
    for (int i = cell_at(p, e->start_ns); i <= last; i++) {
        const int64_t from = time_at(p, i), to = time_at(p, i + 1);
        const int64_t share =
            (end_ns < to ? end_ns : to) - (e->start_ns > from ? e->start_ns : from);

        if (e->kind == LOGP_EVENT_MARK || share > p->most[i]) {
            p->kinds[i] = kind;
            p->most[i] = e->kind == LOGP_EVENT_MARK ? INT64_MAX : share;
        }
    }
}

/* Put a stream into the cells without work of the processor, if it fills most of the idle time. */
static void put_stream(struct page *p, int64_t rank, const struct logp_event *e)
{
    const int64_t ns = stream_ns(p->s->q, rank, e), all_ns = e->end_ns + ns;
    const int64_t end_ns = all_ns < p->end_ns ? all_ns : p->end_ns;

    for (int i = cell_at(p, e->end_ns); e->end_ns < end_ns && i <= cell_at(p, end_ns - 1); i++) {
        const int64_t from = time_at(p, i), to = time_at(p, i + 1);
        const int64_t share = (end_ns < to ? end_ns : to) - (e->end_ns > from ? e->end_ns : from);
        const int64_t rest = p->kinds[i] < 0 ? to - from : p->most[i];

        if (p->kinds[i] >= 0 && p->kinds[i] != LOGP_EVENT_IDLE && p->kinds[i] != LOGP_EVENT_GAP)
            continue;
        if (2 * share > rest) {
            p->kinds[i] = STREAM;
            p->used[STREAM] = true;
        }
    }
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
    const char *arrow = p->is_unicode ? "←" : "<";
    const int last = cell_at(p, e->end_ns - 1);
    char number[16];
    int digits, at, end, first = cell_at(p, e->start_ns);

    if ((!sends && e->kind != LOGP_EVENT_RECEIVE) || e->peer < 0 || e->end_ns == e->start_ns)
        return;
    while (first <= last && p->kinds[first] != (int)e->kind)
        first++;
    end = first;
    while (end <= last && p->kinds[end] == (int)e->kind)
        end++;
    digits = snprintf(number, sizeof(number), "%d", e->peer);
    if (end - first < digits + 3)
        return;
    at = first + (end - first - digits - 1) / 2;
    if (sends)
        arrow = p->is_unicode ? ways[way].unicode : ways[way].ascii;
    p->ways[way] = true;
    snprintf(p->text[at++], MOST_CELL, "%s", arrow);
    for (int i = 0; i < digits; i++)
        snprintf(p->text[at++], MOST_CELL, "%c", number[i]);
}

static void print_line(struct page *p, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(p->trace, rank, &n);
    int end = p->width;

    for (int i = 0; i < p->width; i++) {
        p->kinds[i] = -1;
        p->most[i] = 0;
        p->text[i][0] = '\0';
    }
    for (size_t i = 0; i < n; i++)
        put_event(p, &e[i]);
    for (size_t i = 0; i < n; i++)
        put_stream(p, rank, &e[i]);
    for (size_t i = 0; i < n; i++)
        put_peer(p, &e[i]);
    while (end > 0 && p->kinds[end - 1] < 0)
        end--;
    printf("P%-*lld ", p->left - 2, (long long)rank);
    for (int i = 0; i < end; i++)
        fputs(p->text[i][0] != '\0' ? p->text[i]
              : p->kinds[i] < 0     ? " "
                                    : p->glyphs[p->kinds[i]],
              stdout);
    putchar('\n');
}

/* Print the ticks, and below them their times in units. */
static void print_axis(const struct page *p)
{
    const double units = (double)p->end_ns / (double)p->s->q->model.unit_ns;
    const double step = axis_step(units * 10 / p->width);
    const char *const line = p->is_unicode ? "─" : "-", *const tick = p->is_unicode ? "┬" : "+";
    int next = 0, at = 0;

    printf("%*s", p->left, "");
    for (int i = 0, k = 0; i < p->width; i++) {
        const int cell = (int)(k * step / units * p->width + 0.5);

        fputs(i == cell ? tick : line, stdout);
        k += i == cell;
    }
    printf("\n%*s", p->left, "");
    for (int k = 0; k * step <= units; k++) {
        char number[32];
        const int cell = (int)(k * step / units * p->width + 0.5);
        const int n = snprintf(number, sizeof(number), "%.6g", k * step);

        if (cell < next || cell + n > p->width + 8)
            continue;
        printf("%*s%s", cell - at, "", number);
        at = cell + n;
        next = at + 1;
    }
    printf(" %s\n", unit_words(p->s));
}

static void print_diagram(struct page *p, const struct logp_trace *trace, const char *name)
{
    const int64_t P = logp_trace_info(trace)->P;

    if (name != NULL)
        puts(name);
    p->trace = trace;
    for (int64_t r = 0; r < P; r++)
        print_line(p, r);
    if (p->end_ns > 0)
        print_axis(p);
}

static void print_legend(const struct page *p)
{
    const char *between = "";

    for (int kind = 0; kind < GLYPHS; kind++)
        if (p->used[kind]) {
            printf("%s%s %s", between, p->glyphs[kind],
                   kind == STREAM    ? "port streams (k-1)G"
                   : kind == ENDLESS ? "waits for ever"
                                     : logp_event_kind_name((enum logp_event_kind)kind));
            between = "   ";
        }
    for (int way = SENT + 1; way < WAYS; way++)
        if (p->ways[way]) {
            printf("%s%s %s", between, p->is_unicode ? ways[way].unicode : ways[way].ascii,
                   ways[way].word);
            between = "   ";
        }
    if (*between != '\0')
        putchar('\n');
}

static void show_text(FILE *f, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    struct page p = {.s = s, .is_unicode = speaks_utf8(), .end_ns = info->end_ns};
    char caption[MAX_CAPTION];

    (void)f;
    p.glyphs = p.is_unicode ? unicode : ascii;
    p.left = 2 + snprintf(NULL, 0, "%lld", (long long)info->P - 1);
    p.width = terminal_width() - p.left - 1;
    p.kinds = or_end(calloc((size_t)p.width, sizeof(*p.kinds)));
    p.most = or_end(calloc((size_t)p.width, sizeof(*p.most)));
    p.text = or_end(calloc((size_t)p.width, sizeof(*p.text)));
    if (s->predicted != NULL && logp_trace_info(s->predicted)->end_ns > p.end_ns)
        p.end_ns = logp_trace_info(s->predicted)->end_ns;
    p.end_ns = edge_of(s, p.end_ns);
    puts(title_of(s, caption));
    if (*model_of(s, caption) != '\0')
        puts(caption);
    print_diagram(&p, s->trace, s->names[0]);
    if (s->names[0] != NULL || (s->predicted != NULL && info->source != LOGP_TRACE_VIRTUAL))
        print_diagram(&p, s->predicted, s->names[0] != NULL ? s->names[1] : "predicted:");
    print_legend(&p);
    if (*toll_of(s, caption) != '\0')
        puts(caption);
    if (*parting_of(s, caption) != '\0')
        puts(caption);
    if (info->dropped > 0)
        printf("%llu events were beyond the limit, and are not shown\n",
               (unsigned long long)info->dropped);
    free(p.kinds);
    free(p.most);
    free(p.text);
}

const struct trace_form trace_as_text = {show_text, 0};
