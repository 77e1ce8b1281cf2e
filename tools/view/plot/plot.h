/* SPDX-License-Identifier: MIT */
/*
 * Curves as pictures. A plot has two numbers on its axes; or rows, one below the other, each with a
 * name and a number (dots). The axes span the printed and predicted values: a measured value far
 * beyond is a triangle at the edge. Series differ in colour and marker, and eight of them in their
 * dashes from the next eight; their names are at the ends of the curves.
 */
#ifndef LOGP_PLOT_H
#define LOGP_PLOT_H

#include "answer/answer.h"
#include "view/canvas/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum plot_kind {
    PLOT_LINE,    /* predicted */
    PLOT_DASHES,  /* a formula */
    PLOT_PRINTED, /* published numbers */
    PLOT_CIRCLES, /* measured, with a bar where it has an interval */
    N_PLOT_KINDS
};

/* low, high: NAN: no interval. Of rows, x is the number of the row, from 0, and y its value. */
struct plot_point {
    double x, y, low, high;
};

struct plot_curve {
    enum plot_kind kind;
    int series;
    size_t n;
    struct plot_point *points;
};

struct plot {
    char name[64]; /* of a file, without its end */
    char title[MAX_TITLE], x_axis[100], y_axis[100];
    char names[128];                 /* the heading of the names of series or rows; or "" */
    const char *kinds[N_PLOT_KINDS]; /* their names in the legend; NULL: not in the legend */
    char other_axis[100]; /* the axis of printed numbers in another unit; "": in the same unit */
    enum plot_scale x_scale, y_scale;
    bool bytes;        /* x counts them */
    int width, height; /* of the picture, in pixels; 0: its own, as where it is one of several */
    char (*series)[128];
    size_t n_series;
    char (*rows)[128];
    size_t n_rows; /* 0: it has curves */
    struct plot_curve *curves;
    size_t n_curves;
};

/* ---- plot.c ---- */

/* The number of a series of this name, a new one if there is none; of a row likewise. */
int plot_series(struct plot *p, const char *name);
int plot_row(struct plot *p, const char *name);
/* Add a point to the curve of this kind and series. */
void plot_add(struct plot *p, enum plot_kind kind, int series, double x, double y, double low,
              double high);
void plot_free(struct plot *p);

/* ---- axes.c ---- */

struct plot_axis {
    double low, high;
    int base; /* of its logarithms; 0: it is linear */
};

struct plot_axis plot_x_axis(const struct plot *p);
/* other: the axis of the printed numbers, if that is a separate one. */
struct plot_axis plot_y_axis(const struct plot *p, bool other);
/* Where a value is: 0 at the low end, 1 at the high one. */
double axis_place(const struct plot_axis *a, double value);

/* Where the curves of a plot are in the picture, in pixels from its left upper corner. */
struct plot_area {
    double x, y, width, height;
    double aside, labels; /* widths at its right: of another axis, and then of names */
    struct plot_axis x_axis, y_axis, other; /* other: as of plot_y_axis() */
};

/* The axis of a curve's values. */
const struct plot_axis *plot_axis_of(const struct plot *p, const struct plot_area *area,
                                     const struct plot_curve *c);
/* The place of a point, which is on the axis of the curve. */
struct point plot_place(const struct plot *p, const struct plot_area *area,
                        const struct plot_curve *c, double x, double y);

enum { MOST_TICS = 64 };

struct plot_tics {
    struct {
        double at;
        char label[32];
    } tics[MOST_TICS];
    size_t n;
};

/* The tics of an axis of this many pixels; apart: the least distance of
 * the tics of a linear one */
struct plot_tics plot_x_tics(const struct plot *p, const struct plot_axis *a, int pixels);
struct plot_tics plot_value_tics(const struct plot_axis *a, int pixels, int apart);

/* ---- curves.c ---- */

/* How a series is marked at a point: filled, or only the outline. */
void draw_plot_marker(struct canvas *to, int series, struct point at, double radius, bool filled);
void draw_plot_curve(struct canvas *to, const struct plot *p, const struct plot_area *area,
                     const struct plot_curve *c);
/* In rows, a bar from 0 to each value of the curve. */
void draw_plot_bars(struct canvas *to, const struct plot *p, const struct plot_area *area,
                    const struct plot_curve *c);
/* Whether a measured value of the curve is beyond its axis; and the mark of one, at the edge. */
bool has_beyond(const struct plot *p, const struct plot_area *area, const struct plot_curve *c);
void draw_plot_beyond(struct canvas *to, struct point at);
/* A sample of a kind of curves, for the legend. */
void draw_plot_sample(struct canvas *to, const struct plot *p, enum plot_kind kind, double x,
                      double y, double width);

/* ---- frame.c ---- */

enum {
    PLOT_APART = 26, /* pixels between the tics of an upright axis */
    PLOT_ABOVE = 32, /* the height of an axis above the curves */
    PLOT_SIZE = 11,  /* of text; and of small text: */
    PLOT_SMALL = 10,
};

/* left: the width at the left of the curves */
void draw_plot_axes(struct canvas *to, const struct plot *p, const struct plot_area *area,
                    double left);
/* Draw the kinds of curves below the axis, where diagrams have their legend, in the colour of the
 * series if there is only one; in two lines if one is too short. */
void draw_plot_legend(struct canvas *to, const struct plot *p, const struct plot_area *area);

/* ---- labels.c ---- */

/* The size of the column of names, in pixels; 0: the plot has no names. */
double labels_width(const struct canvas *to, const struct plot *p);
int labels_height(const struct plot *p);
void draw_plot_labels(struct canvas *to, const struct plot *p, const struct plot_area *area);
/* The text, shortened to the width: "scatter-all...". @return buf */
const char *shorten(const struct canvas *to, const char *text, double width, double size,
                    char buf[MAX_TITLE]);

/* ---- draw.c ---- */

/* Draw the plots in rows as one SVG. heading: above them, or NULL */
void draw_plots(FILE *f, const struct plot *plots, size_t n, const char *heading);

#endif
