/* SPDX-License-Identifier: MIT */
/* The live table. All of a picture is written at once, over the one before. */
#include "view/records/records.h"
#include "answer/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BEARABLE 1.01 /* measured over predicted */

/* An algorithm; in the order of their first runs. */
struct line {
    const struct logp_algorithm *algorithm;
    int points, done;
    int runs, of_runs; /* of the point that is running, or ran last */
    double ratio, worst;
    int64_t lag_ns; /* of the last that is done; -1: none */
};

static struct {
    struct line lines[MAX_ALGORITHMS];
    int n, points, done, current;
    double all_ns, done_ns;
    int64_t begun_ns;
    bool live, coloured;
    int drawn; /* number of its lines on the terminal */
} watch;

static struct line *line_of(const struct logp_algorithm *algorithm)
{
    int i = 0;

    while (i < watch.n && watch.lines[i].algorithm != algorithm)
        i++;
    if (i == watch.n && watch.n < MAX_ALGORITHMS)
        watch.lines[watch.n++] = (struct line){.algorithm = algorithm, .lag_ns = -1};
    return &watch.lines[i < MAX_ALGORITHMS ? i : 0];
}

void live_table_expect(const struct logp_algorithm *algorithm, int points, double ns)
{
    line_of(algorithm)->points += points;
    watch.points += points;
    watch.all_ns += ns;
}

/* Format "3 of 16 points, 41 s left". The estimate is corrected by the time taken so far. */
static const char *show_rest(char buf[80])
{
    const double passed = (double)(host_ns() - watch.begun_ns);
    const double share = watch.all_ns > 0 ? watch.done_ns / watch.all_ns : 1;
    char time[32];

    show_duration(share > 0 ? passed * (1 - share) / share : watch.all_ns, time);
    snprintf(buf, 80, "%d of %d points, %s left", watch.done, watch.points, time);
    return buf;
}

/* ---- the table ---- */

static void show_ratio(FILE *f, double ratio)
{
    const char *colour = ratio <= BEARABLE ? "32" : ratio <= 1.1 ? "33" : "31";

    if (ratio <= 0)
        fputs("         -", f);
    else if (watch.coloured)
        fprintf(f, "  \033[%sm%8.4f\033[0m", colour, ratio);
    else
        fprintf(f, "  %8.4f", ratio);
}

static void show_line(FILE *f, const struct line *l, bool running)
{
    char done[32], lag[32] = "-";

    if (l->points > 1)
        snprintf(done, sizeof(done), "%d/%d", l->done, l->points);
    else
        snprintf(done, sizeof(done), "%d/%d", l->runs, l->of_runs);
    if (l->lag_ns >= 0)
        snprintf(lag, sizeof(lag), "%.3f", (double)l->lag_ns / 1000);
    fprintf(f, "%c %-20s %11s", running ? '>' : ' ', l->algorithm->name,
            l->of_runs > 0 || l->points > 1 ? done : "-");
    show_ratio(f, l->ratio);
    show_ratio(f, l->worst);
    fprintf(f, " %11s", lag);
}

/* Write a line of text, cut at the end of the terminal; colours take no place. */
static void put_cut(FILE *f, const char *text, int width)
{
    for (int n = 0; *text != '\0'; text++) {
        const bool escape = *text == '\033';

        if (escape)
            for (; *text != 'm'; text++)
                fputc(*text, f);
        if (escape || n++ < width)
            fputc(*text, f);
    }
    fputs("\033[K\n", f);
}

/* Choose the lines to show if the terminal is too low for all: those around the one that
 * runs. @return the first */
static int first_line(int capacity)
{
    const int first = watch.current - capacity / 2, last = watch.n - capacity;

    return first > last ? (last > 0 ? last : 0) : first > 0 ? first : 0;
}

static void draw(void)
{
    struct winsize size = {0};
    char *picture = NULL, *text = NULL, rest[80];
    size_t n, text_size;
    FILE *f = open_memstream(&picture, &n);
    int capacity, first, width;

    if (f == NULL)
        return;
    ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    width = size.ws_col > 0 ? size.ws_col : 80;
    capacity = (size.ws_row > 0 ? size.ws_row : 24) - 3; /* the heading and the cursor's line */
    capacity = capacity < 1 ? 1 : capacity > watch.n ? watch.n : capacity;
    first = first_line(capacity);
    if (watch.drawn > 0)
        fprintf(f, "\r\033[%dA\033[J", watch.drawn);
    for (int i = -2; i < capacity; i++) {
        FILE *t = open_memstream(&text, &text_size);

        if (t == NULL)
            break;
        if (i == -2)
            fprintf(t, "%s: %s", watch.lines[0].algorithm->collective, show_rest(rest));
        else if (i == -1)
            fprintf(t, "  %-20s %11s %9s %9s %11s", "", "done", "ratio", "worst", "lag, us");
        else
            show_line(t, &watch.lines[first + i], first + i == watch.current);
        fclose(t);
        put_cut(f, text, width - 1);
        free(text);
    }
    fclose(f);
    watch.drawn = capacity + 2;
    if (write(STDERR_FILENO, picture, n) < 0)
        watch.live = false; /* there is no terminal any more */
    free(picture);
}

static void clear(void)
{
    if (watch.drawn > 0)
        fprintf(stderr, "\r\033[%dA\033[J", watch.drawn);
    watch.drawn = 0;
}

/* ---- events ---- */

static void note(struct line *l, const struct row *row, int done, int total)
{
    const double ratio = logp_record_ratio(&row->record);

    watch.current = (int)(l - watch.lines);
    l->runs = done;
    l->of_runs = total;
    l->ratio = ratio > 0 ? ratio : l->ratio;
}

static void running(void *of, const struct row *row, int done, int total)
{
    (void)of;
    note(line_of(row->algorithm), row, done, total);
    if (watch.live)
        draw();
}

static void finished(void *of, const struct question *q, const struct logp_invocation *c,
                     const struct row *row)
{
    const struct logp_record *r = &row->record;
    struct line *l = line_of(row->algorithm);
    const int n = runs_of_record(r);
    char point[128], rest[80];

    (void)of;
    note(l, row, n, n);
    l->worst = l->ratio > l->worst ? l->ratio : l->worst;
    l->lag_ns = r->has_lag ? r->lag.median_ns : -1;
    l->done++;
    watch.done++;
    watch.done_ns += estimate_ns(q, c, row->algorithm);
    if (watch.live) {
        clear(); /* a message about the row may follow */
        return;
    }
    show_point(q, point, sizeof(point));
    fprintf(stderr, "logp: %s %s%s%s: ", row->algorithm->collective, row->algorithm->name,
            *point != '\0' ? " " : "", point);
    if (l->ratio > 0)
        fprintf(stderr, "ratio %.4f, ", l->ratio);
    if (l->lag_ns >= 0)
        fprintf(stderr, "lag %.3f us, ", (double)l->lag_ns / 1000);
    fprintf(stderr, "%d run%s; %s\n", n, n == 1 ? "" : "s", show_rest(rest));
}

void live_table_begin(const struct question *q)
{
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");

    if (!q->form.watch)
        return;
    watch.live = isatty(STDERR_FILENO) && terminal != NULL && *terminal != '\0' &&
                 strcmp(terminal, "dumb") != 0;
    watch.coloured = q->form.color == COLOR_ALWAYS ||
                     (q->form.color == COLOR_AUTO && (plain == NULL || *plain == '\0'));
    watch.begun_ns = host_ns();
    q->work->watcher.progress = running;
    q->work->watcher.finished = finished;
    if (watch.live && watch.n > 0)
        draw();
}

void live_table_end(void)
{
    clear();
    watch.live = false;
}
