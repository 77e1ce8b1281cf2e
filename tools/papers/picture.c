/* SPDX-License-Identifier: MIT */
/*
 * A paper's curves as one SVG picture: a panel for each table that has a chart, two in a row. A
 * line is what is predicted and a dashed one the paper's formula; circles are what was measured.
 */
#include "paper.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 460,
    HEIGHT = 330, /* of a panel */
    LEFT = 60,
    RIGHT = 16,
    TOP = 58,
    BOTTOM = 48,
    HEAD = 40,
    FOOT = 48,
    MOST_SERIES = 6,
    TICKS = 8
};

static const char *const colours[MOST_SERIES] = {"#2e6fc4", "#c4572e", "#3d8b40",
                                                 "#8a4fbf", "#b8860b", "#555555"};

struct panel {
    FILE *out;
    const struct paper_table *t;
    int number; /* of the panels so far */
    double x0, y0;
    double low_x, high_x, low_y, high_y; /* y: its logarithm where that is shown */
    char series[MOST_SERIES][64];
    int n_series;
};

/* ---- from numbers to places ---- */

static double x_value(const struct paper_table *t, size_t row)
{
    char text[64];
    int64_t x = 0;

    parse_whole(paper_label(t->rows[row].labels, t->chart->x, text), 0, INT64_MAX, &x);
    return (double)x;
}

static double y_value(const struct paper_table *t, double y)
{
    return t->chart->log_y ? log10(y) : y;
}

static double x_of(const struct panel *c, double x)
{
    return c->x0 + LEFT + (x - c->low_x) / (c->high_x - c->low_x) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct panel *c, double y)
{
    return c->y0 + HEIGHT - BOTTOM -
           (y - c->low_y) / (c->high_y - c->low_y) * (HEIGHT - TOP - BOTTOM);
}

/* 1, 2 or 5 times a power of ten: about n steps make up the range. */
static double nice_step(double range, int n)
{
    const double power = pow(10, floor(log10(range / n)));
    const double f = range / n / power;

    return power * (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10);
}

/* What the axes span; the names of the curves. */
static void measure(struct panel *c)
{
    const struct paper_table *t = c->t;
    double low = INFINITY, high = -INFINITY, step;

    c->low_x = INFINITY;
    c->high_x = -INFINITY;
    for (size_t i = 0; i < t->n_rows; i++) {
        char name[64];
        int k = 0;

        c->low_x = fmin(c->low_x, x_value(t, i));
        c->high_x = fmax(c->high_x, x_value(t, i));
        for (int v = FORMULA; v < N_VALUES; v++)
            if (!isnan(t->rows[i].value[v])) {
                low = fmin(low, y_value(t, t->rows[i].value[v]));
                high = fmax(high, y_value(t, t->rows[i].value[v]));
            }
        paper_label(t->rows[i].labels, t->chart->series, name);
        while (k < c->n_series && strcmp(c->series[k], name) != 0)
            k++;
        if (k == c->n_series && k < MOST_SERIES)
            snprintf(c->series[c->n_series++], sizeof(name), "%s", name);
    }
    c->low_x = c->low_x < c->high_x / 4 ? 0 : c->low_x;
    step = nice_step(c->high_x - c->low_x, TICKS);
    c->high_x = ceil(c->high_x / step) * step;
    if (t->chart->log_y) {
        c->low_y = floor(low);
        c->high_y = ceil(high);
    } else {
        const double least =
            isnan(t->chart->y_lowest) ? fmin(low, 0) : fmax(low, t->chart->y_lowest);

        step = nice_step(high - least, TICKS);
        c->low_y = floor(least / step) * step;
        c->high_y = ceil(high / step) * step;
    }
}

/* ---- drawing ---- */

static void text(FILE *out, const char *kind, double x, double y, const char *words)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", kind, x, y);
    for (; *words != '\0'; words++)
        if (*words == '<' || *words == '&')
            fputs(*words == '<' ? "&lt;" : "&amp;", out);
        else
            fputc(*words, out);
    fputs("</text>\n", out);
}

static void line(const struct panel *c, const char *kind, double x1, double y1, double x2,
                 double y2)
{
    fprintf(c->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kind,
            x1, y1, x2, y2);
}

static void x_axis(const struct panel *c)
{
    const double step = nice_step(c->high_x - c->low_x, TICKS);
    const double bottom = c->y0 + HEIGHT - BOTTOM;
    const int first = (int)ceil(c->low_x / step), last = (int)lround(c->high_x / step);
    char word[32];

    for (int i = first; i <= last; i++) {
        const double x = i * step;

        snprintf(word, sizeof(word), "%g", x);
        line(c, "grid", x_of(c, x), c->y0 + TOP, x_of(c, x), bottom);
        text(c->out, "mid", x_of(c, x), bottom + 15, word);
    }
    text(c->out, "mid", c->x0 + LEFT + (WIDTH - LEFT - RIGHT) / 2.0, bottom + 33,
         c->t->chart->x_axis);
}

static void y_tick(const struct panel *c, double y, double value)
{
    char word[32];

    if (y > c->high_y)
        return;
    snprintf(word, sizeof(word), "%g", value);
    line(c, "grid", c->x0 + LEFT, y_of(c, y), c->x0 + WIDTH - RIGHT, y_of(c, y));
    text(c->out, "end", c->x0 + LEFT - 6, y_of(c, y) + 4, word);
}

static void y_axis(const struct panel *c)
{
    const double step = nice_step(c->high_y - c->low_y, TICKS);
    const double x = c->x0 + 14, y = c->y0 + TOP + (HEIGHT - TOP - BOTTOM) / 2.0;

    if (c->t->chart->log_y)
        for (int power = (int)c->low_y; power <= (int)c->high_y; power++)
            for (int digit = 1; digit <= 5; digit = digit == 1 ? 2 : digit + 3)
                y_tick(c, power + log10(digit), digit * pow(10, power));
    else
        for (int i = (int)lround(c->low_y / step); i <= (int)lround(c->high_y / step); i++)
            y_tick(c, i * step, i * step);
    fprintf(c->out,
            "<text class=\"mid\" transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>\n", x, y,
            c->t->chart->y_axis);
}

/* One curve of one kind of number; points without one are left out. */
static void curve(const struct panel *c, int series, enum paper_value which)
{
    const struct paper_table *t = c->t;
    const char *command = "M";
    char name[64];

    fprintf(c->out, "<path clip-path=\"url(#panel%d)\" class=\"%s\" stroke=\"%s\" d=\"", c->number,
            which == FORMULA ? "formula" : "curve", colours[series]);
    for (size_t i = 0; i < t->n_rows; i++) {
        const double y = t->rows[i].value[which];

        if (isnan(y) ||
            strcmp(paper_label(t->rows[i].labels, t->chart->series, name), c->series[series]) != 0)
            continue;
        fprintf(c->out, "%s%.1f %.1f", command, x_of(c, x_value(t, i)), y_of(c, y_value(t, y)));
        command = "L";
    }
    fputs("\"/>\n", c->out);
}

static void circles(const struct panel *c, int series)
{
    const struct paper_table *t = c->t;
    char name[64];

    for (size_t i = 0; i < t->n_rows; i++) {
        const double y = t->rows[i].value[MEASURED];

        if (isnan(y) || y_value(t, y) < c->low_y ||
            strcmp(paper_label(t->rows[i].labels, t->chart->series, name), c->series[series]) != 0)
            continue;
        fprintf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"#fff\" stroke=\"%s\"/>\n",
                x_of(c, x_value(t, i)), y_of(c, y_value(t, y)), colours[series]);
    }
}

/* The names of the curves, in a line below the title. */
static void names(const struct panel *c)
{
    char of[64], name[140];
    double x = c->x0 + LEFT;

    paper_label(c->t->columns, c->t->chart->series, of);
    for (int i = 0; i < c->n_series; i++) {
        const bool bare = strspn(c->series[i], "0123456789^") == strlen(c->series[i]);

        snprintf(name, sizeof(name), "%s%s%s", bare ? of : "", bare ? " = " : "", c->series[i]);
        fprintf(c->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"3\" fill=\"%s\"/>\n", x,
                c->y0 + 41, colours[i]);
        text(c->out, "word", x + 19, c->y0 + 46, name);
        x += 19 + 6.4 * (double)strlen(name) + 14;
    }
}

static void draw_panel(struct panel *c)
{
    char heading[200];

    measure(c);
    snprintf(heading, sizeof(heading), "%s: %s", c->t->figure, c->t->title);
    fprintf(c->out,
            "<clipPath id=\"panel%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>"
            "</clipPath>\n",
            c->number, c->x0 + LEFT, c->y0 + TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    text(c->out, "head", c->x0 + 14, c->y0 + 24, heading);
    names(c);
    x_axis(c);
    y_axis(c);
    for (int i = 0; i < c->n_series; i++) {
        curve(c, i, FORMULA);
        curve(c, i, PREDICTED);
        circles(c, i);
    }
}

void draw_paper(const struct paper *p)
{
    FILE *out = stdout;
    int n = 0, width, height;

    for (int i = 0; i < p->n_tables; i++)
        n += p->tables[i].chart != NULL;
    width = n > 1 ? 2 * WIDTH : WIDTH;
    height = HEAD + (n + 1) / 2 * HEIGHT + FOOT;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>.grid{stroke:#e4e4e4}.curve{fill:none;stroke-width:1.6}"
            ".formula{fill:none;stroke-width:1.2;stroke-dasharray:5 4;opacity:.75}"
            "text{fill:#333}.mid{text-anchor:middle}.end{text-anchor:end}.head{font-size:12px}"
            ".title{font-size:14px}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    text(out, "title", 14, 26, p->title);
    for (int i = 0, k = 0; i < p->n_tables; i++)
        if (p->tables[i].chart != NULL) {
            const int row = k / 2, column = k % 2;
            struct panel c = {.out = out,
                              .t = &p->tables[i],
                              .number = k,
                              .x0 = column * WIDTH,
                              .y0 = HEAD + row * HEIGHT};

            draw_panel(&c);
            k++;
        }
    text(
        out, "word", 14, height - 28,
        p->wrong
            ? "line: predicted, NOT everywhere as on the virtual clock; dashed: the paper's formula"
            : "line: predicted, and equal to the virtual clock; dashed: the paper's formula");
    if (p->o->clock == LOGP_CLOCK_WALL)
        text(out, "word", 14, height - 12, "circles: measured on this box");
    fputs("</svg>\n", out);
}
