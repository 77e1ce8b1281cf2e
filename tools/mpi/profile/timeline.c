/* SPDX-License-Identifier: MIT */
/*
 * The timeline of the page: bars for calls and lines for messages, as columns of numbers. Times count
 * steps of at least 1 ns, so that each fits 32 bits. Of more bars than the page takes, neighbours are
 * merged; of more messages, the longest remain.
 */
#define _GNU_SOURCE /* strcasestr() */
#include "html.h"
#include "text/problem.h"
#include "view/report/report.h"
#include "view/trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 150000, MOST_LINES = 100000 };

/* The colours of the bars, as in timeline.js. */
enum { SENDS, RECEIVES, COLLECTIVES, OTHERS };

static bool has(const char *call, const char *const words[])
{
    for (; *words != NULL; words++)
        if (strcasestr(call, *words) != NULL)
            return true;
    return false;
}

static int class_of(const char *call)
{
    static const char *const collectives[] = {"barrier",  "bcast", "reduce", "gather", "scatter",
                                              "alltoall", "scan",  "fence",  NULL},
                             *const receives[] = {"recv", "wait", "test", "probe", NULL},
                             *const sends[] = {"send", "start", "pready", NULL};

    return has(call, collectives) ? COLLECTIVES
           : has(call, receives)  ? RECEIVES
           : has(call, sends)     ? SENDS
                                  : OTHERS;
}

static json_t *sites_json(const struct profile *p)
{
    json_t *all = json_array();

    for (int i = 0; i < p->calls->n_sites; i++)
        json_array_append_new(all, json_pack("{sssssi}", "call", p->calls->sites[i].call, "place",
                                             p->calls->sites[i].place, "class",
                                             class_of(p->calls->sites[i].call)));
    return all;
}

/* ---- bars ---- */

/* A copy of the bars, merged until the page takes them. first: P + 1 entries */
static struct mpi_bar *shown_bars(const struct profile *p, size_t *first)
{
    const size_t n = p->calls->bars != NULL ? p->calls->first_bar[p->P] : 0;
    struct mpi_bar *bars = need(malloc((n + 1) * sizeof(*bars)));

    for (int64_t r = 0; r <= p->P; r++)
        first[r] = n > 0 ? p->calls->first_bar[r] : 0;
    if (n > 0)
        memcpy(bars, p->calls->bars, n * sizeof(*bars));
    while (first[p->P] > MOST_BARS && first[p->P] > (size_t)p->P) {
        size_t end = 0;

        for (int64_t r = 0; r < p->P; r++) {
            const size_t from = first[r], kept = mpi_merge_bars(bars + from, first[r + 1] - from);

            memmove(bars + end, bars + from, kept * sizeof(*bars));
            first[r] = end;
            end += kept;
        }
        first[p->P] = end;
    }
    return bars;
}

static int64_t step_of(const struct profile *p)
{
    return p->end_ns / UINT32_MAX + 1;
}

static json_t *write_bars(FILE *f, const struct profile *p, bool *merged)
{
    size_t *first = need(calloc((size_t)p->P + 1, sizeof(*first)));
    struct mpi_bar *bars = shown_bars(p, first);
    const size_t n = first[p->P], most = n > (size_t)p->P ? n : (size_t)p->P + 1;
    const int64_t step = step_of(p);
    int64_t *value = need(calloc(most + 1, sizeof(*value)));
    json_t *columns = json_object();

    for (int64_t r = 0; r <= p->P; r++)
        value[r] = (int64_t)first[r];
    json_object_set_new(columns, "first", write_column(f, "bar-first", value, (size_t)p->P + 1));
#define COLUMN(name, of)                                                                           \
    for (size_t i = 0; i < n; i++)                                                                 \
        value[i] = (of);                                                                           \
    json_object_set_new(columns, name, write_column(f, "bar-" name, value, n))
    COLUMN("start", bars[i].start_ns / step);
    COLUMN("length", (bars[i].end_ns - bars[i].start_ns) / step);
    COLUMN("site", bars[i].site);
    COLUMN("n", bars[i].n);
#undef COLUMN
    *merged = false;
    for (size_t i = 0; i < n; i++)
        *merged |= bars[i].n > 1;
    free(value);
    free(first);
    free(bars);
    return columns;
}

/* ---- lines ---- */

struct line {
    int64_t sent_ns, received_ns;
    int from, to;
};

static int longer(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int64_t p = x->received_ns - x->sent_ns, q = y->received_ns - y->sent_ns;

    return p != q ? (p < q) - (p > q) : (x->sent_ns > y->sent_ns) - (x->sent_ns < y->sent_ns);
}

/* The messages between two ranks that are received, the longest first. */
static struct line *lines_of(const struct profile *p, size_t *out)
{
    size_t n, k = 0, m;
    const struct logp_trace_message *messages = logp_trace_messages(p->trace, &n);
    struct line *lines = need(malloc((n + 1) * sizeof(*lines)));

    for (size_t i = 0; i < n; i++) {
        const struct logp_trace_message *x = &messages[i];

        if (x->receive < 0 || x->from == x->to)
            continue;
        lines[k++] =
            (struct line){.sent_ns = logp_trace_events(p->trace, x->from, &m)[x->send].start_ns,
                          .received_ns = logp_trace_events(p->trace, x->to, &m)[x->receive].end_ns,
                          .from = (int)x->from,
                          .to = (int)x->to};
    }
    if (k > 0)
        qsort(lines, k, sizeof(*lines), longer);
    *out = k;
    return lines;
}

static json_t *write_lines(FILE *f, const struct profile *p, size_t *all)
{
    struct line *lines = lines_of(p, all);
    const size_t n = *all < MOST_LINES ? *all : MOST_LINES;
    const int64_t step = step_of(p);
    int64_t *value = need(calloc(n + 1, sizeof(*value)));
    json_t *columns = json_object();

#define COLUMN(name, of)                                                                           \
    for (size_t i = 0; i < n; i++)                                                                 \
        value[i] = (of);                                                                           \
    json_object_set_new(columns, name, write_column(f, "line-" name, value, n))
    COLUMN("from", lines[i].from);
    COLUMN("to", lines[i].to);
    COLUMN("sent", lines[i].sent_ns / step);
    COLUMN("received", lines[i].received_ns / step);
#undef COLUMN
    free(value);
    free(lines);
    return columns;
}

/* ---- the section ---- */

static void write_key(FILE *f)
{
    fputs("<ul class=\"key\"><li><i class=\"mpi\"></i>send</li><li><i class=\"wait\"></i>receive, "
          "wait</li><li><i class=\"own\"></i>collective</li><li><i class=\"gap\"></i>other call"
          "</li><li><i class=\"line\"></i>message</li></ul>\n",
          f);
}

void write_timeline(FILE *f, const struct profile *p)
{
    bool merged;
    size_t n_lines;
    json_t *bars, *lines, *data;
    const int64_t program = program_ns(p->trace);

    fputs(
        "<section id=\"timeline\" aria-labelledby=\"timeline-title\">\n<h2 id=\"timeline-title\">"
        "Timeline</h2>\n<p class=\"soft\" id=\"stage-keys\">A row is a rank, a bar a call, a line "
        "a "
        "message. <span class=\"by-hand\">Turn the wheel or press + and &minus; to zoom, drag or "
        "press the arrows to move, "
        "0 shows all. Shift and the arrows choose a call.</span>",
        f);
    if (program >= 0)
        fputs(" The dashed line is the end of the program: what follows is MPI_Finalize.", f);
    fputs("</p>\n", f);
    write_key(f);
    fputs(
        "<div id=\"stage\" class=\"stage\" tabindex=\"0\" role=\"application\" "
        "aria-roledescription=\"timeline\" aria-label=\"Timeline\" "
        "aria-describedby=\"stage-keys\"></div>\n<p class=\"controls\"><label class=\"check\">"
        "<input type=\"checkbox\" id=\"messages\" checked> Messages</label><span class=\"buttons\">"
        "<button type=\"button\" id=\"zoom-out\" aria-label=\"Zoom out\">&minus;</button><button "
        "type=\"button\" id=\"zoom-in\" aria-label=\"Zoom in\">+</button><button type=\"button\" "
        "id=\"fit\">Fit</button></span></p>\n",
        f);
    bars = write_bars(f, p, &merged);
    lines = write_lines(f, p, &n_lines);
    if (merged)
        fputs("<p class=\"soft\">There are more calls than bars: neighbouring calls share one, "
              "which has "
              "the colour of the longest. The tables count all.</p>\n",
              f);
    if (n_lines > MOST_LINES)
        fprintf(f, "<p class=\"soft\">The page has the %d longest of %zu messages.</p>\n",
                MOST_LINES, n_lines);
    data = json_pack("{sIsIsIsososo}", "P", (json_int_t)p->P, "end", (json_int_t)p->end_ns, "step",
                     (json_int_t)step_of(p), "sites", sites_json(p), "bars", bars, "lines", lines);
    if (program >= 0)
        json_object_set_new(data, "program", json_integer(program));
    write_data(f, need(data));
    fputs("</section>\n", f);
}
