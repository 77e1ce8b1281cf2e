/* SPDX-License-Identifier: MIT */
/* The live table. All of a picture is written at once, over the one before. */
#include "commands/live_table.h"
#include "answer/advice.h"
#include "answer/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct live_line *line_of(struct live_table *t, const struct logp_algorithm *algorithm)
{
    int i = 0;

    while (i < t->n && t->lines[i].algorithm != algorithm)
        i++;
    if (i == t->n && t->n < MAX_ALGORITHMS)
        t->lines[t->n++] = (struct live_line){.algorithm = algorithm, .lag_ns = -1};
    return &t->lines[i < MAX_ALGORITHMS ? i : 0];
}

void live_table_expect(struct live_table *t, const struct logp_algorithm *algorithm, int points,
                       double ns)
{
    line_of(t, algorithm)->points += points;
    t->points += points;
    t->all_ns += ns;
}

/* Format "3 of 16 points, 41 s left". The estimate is corrected by the time taken so far. */
static const char *show_rest(const struct live_table *t, char buf[80])
{
    const double passed = (double)(host_ns() - t->begun_ns);
    const double share = t->all_ns > 0 ? t->done_ns / t->all_ns : 1;
    char time[32];

    show_duration(share > 0 ? passed * (1 - share) / share : t->all_ns, time);
    snprintf(buf, 80, "%d of %d points, %s left", t->done, t->points, time);
    return buf;
}

/* ---- the table ---- */

static void show_ratio(const struct live_table *t, FILE *f, double ratio)
{
    const char *colour = ratio <= 1 + BEARABLE ? "32" : ratio <= 1.1 ? "33" : "31";

    if (ratio <= 0)
        fputs("         -", f);
    else if (t->coloured)
        fprintf(f, "  \033[%sm%8.4f\033[0m", colour, ratio);
    else
        fprintf(f, "  %8.4f", ratio);
}

static void show_line(const struct live_table *t, FILE *f, const struct live_line *l, bool running)
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
    show_ratio(t, f, l->ratio);
    show_ratio(t, f, l->worst);
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
static int first_line(const struct live_table *t, int capacity)
{
    const int first = t->current - capacity / 2, last = t->n - capacity;

    return first > last ? (last > 0 ? last : 0) : first > 0 ? first : 0;
}

static void draw(struct live_table *t)
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
    capacity = capacity < 1 ? 1 : capacity > t->n ? t->n : capacity;
    first = first_line(t, capacity);
    if (t->drawn > 0)
        fprintf(f, "\r\033[%dA\033[J", t->drawn);
    for (int i = -2; i < capacity; i++) {
        FILE *line = open_memstream(&text, &text_size);

        if (line == NULL)
            break;
        if (i == -2)
            fprintf(line, "%s: %s", t->lines[0].algorithm->collective, show_rest(t, rest));
        else if (i == -1)
            fprintf(line, "  %-20s %11s %9s %9s %11s", "", "done", "ratio", "worst", "lag, us");
        else
            show_line(t, line, &t->lines[first + i], first + i == t->current);
        fclose(line);
        put_cut(f, text, width - 1);
        free(text);
    }
    fclose(f);
    t->drawn = capacity + 2;
    if (write(STDERR_FILENO, picture, n) < 0)
        t->live = false; /* there is no terminal any more */
    free(picture);
}

static void clear(struct live_table *t)
{
    if (t->drawn > 0)
        fprintf(stderr, "\r\033[%dA\033[J", t->drawn);
    t->drawn = 0;
}

/* ---- events ---- */

static void note(struct live_table *t, struct live_line *l, const struct row *row, int done,
                 int total)
{
    const double ratio = logp_record_ratio(&row->record);

    t->current = (int)(l - t->lines);
    l->runs = done;
    l->of_runs = total;
    l->ratio = ratio > 0 ? ratio : l->ratio;
}

static void running(void *of, const struct row *row, int done, int total)
{
    struct live_table *t = of;

    note(t, line_of(t, row->algorithm), row, done, total);
    if (t->live)
        draw(t);
}

static void finished(void *of, const struct question *q, const struct logp_invocation *c,
                     const struct row *row)
{
    const struct logp_record *r = &row->record;
    struct live_table *t = of;
    struct live_line *l = line_of(t, row->algorithm);
    const int n = runs_of_record(r);
    char point[128], rest[80];

    note(t, l, row, n, n);
    l->worst = l->ratio > l->worst ? l->ratio : l->worst;
    l->lag_ns = r->has_lag ? r->lag.median_ns : -1;
    l->done++;
    t->done++;
    t->done_ns += estimate_ns(q, c, row->algorithm);
    if (t->live) {
        clear(t); /* a message about the row may follow */
        return;
    }
    show_point(q, point, sizeof(point));
    fprintf(stderr, "logp: %s %s%s%s: ", row->algorithm->collective, row->algorithm->name,
            *point != '\0' ? " " : "", point);
    if (l->ratio > 0)
        fprintf(stderr, "ratio %.4f, ", l->ratio);
    if (l->lag_ns >= 0)
        fprintf(stderr, "lag %.3f us, ", (double)l->lag_ns / 1000);
    fprintf(stderr, "%d run%s; %s\n", n, n == 1 ? "" : "s", show_rest(t, rest));
}

void live_table_begin(struct live_table *t, const struct question *q)
{
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");

    if (!q->form.watch)
        return;
    t->live = isatty(STDERR_FILENO) && terminal != NULL && *terminal != '\0' &&
              strcmp(terminal, "dumb") != 0;
    t->coloured = q->form.color == COLOR_ALWAYS ||
                  (q->form.color == COLOR_AUTO && (plain == NULL || *plain == '\0'));
    t->begun_ns = host_ns();
    q->work->watcher.of = t;
    q->work->watcher.progress = running;
    q->work->watcher.finished = finished;
    if (t->live && t->n > 0)
        draw(t);
}

void live_table_end(struct live_table *t)
{
    clear(t);
    t->live = false;
}
