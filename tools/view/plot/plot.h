/* SPDX-License-Identifier: MIT */
/*
 * Curves as pictures, drawn by gnuplot, which is looked for when it is needed. A plot has two
 * numbers on its axes; or rows, one below the other, each with a name and a number (dots). The axes
 * span the printed and predicted values: a measured value far beyond is a triangle at the edge.
 * Series differ in colour and marker, and eight of them in their dashes from the next eight; their
 * names are at the ends of the curves.
 */
#ifndef LOGP_PLOT_H
#define LOGP_PLOT_H

#include "answer/answer.h"

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

/* ---- plot.c: these end the process without memory ---- */

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
bool plot_is_other(const struct plot *p, const struct plot_curve *c);
/* Where a value is: 0 at the low end, 1 at the high one. */
double axis_place(const struct plot_axis *a, double value);
/* Scale and tics of an axis of this many pixels; gnuplot's own tics if they suffice. */
void put_x_tics(FILE *f, const struct plot *p, const struct plot_axis *a, int pixels);
void put_value_tics(FILE *f, const char *axis, const struct plot_axis *a);

/* ---- gnuplot.c ---- */

/* Whether a file's name ends in .png, .svg or .pdf, or is one of these three words: stdout. */
bool plot_has_format(const char *to);
/* The path of gnuplot, to be freed; NULL: it is not installed */
char *find_gnuplot(void);
/* End the process unless gnuplot is there. option: what asks for it */
void need_gnuplot(const char *option, const char *value);
/* Draw the plots in rows in one file; "": as SVG to stdout; "svg", "png" and "pdf": to stdout.
 * heading: above them, or NULL. @return an exit code; errors are printed and leave the file as it
 * was */
int draw_plots(const struct plot *plots, size_t n, const char *heading, const char *to);

/* How a series is marked in points: filled, or only the outline. */
int plot_marker(int series, bool filled);

/* ---- labels.c ---- */

/* Where the curves of a plot are in the picture, in pixels from its left upper corner. */
struct plot_area {
    int x, y, width, height;
    int aside, labels; /* widths at its right: of another axis, and then of names */
    int picture_width, picture_height;
    struct plot_axis x_axis, y_axis, other; /* other: as of plot_y_axis() */
};

struct script;
/* The size of the column of names, in pixels; 0: the plot has no names. */
int labels_width(const struct plot *p);
int labels_height(const struct plot *p);
/* font: the size of the text */
void put_labels(struct script *s, const struct plot *p, const struct plot_area *area, double font);

/* ---- script.c: a script for gnuplot, and running it ---- */

struct script {
    FILE *f; /* its commands */
    char *commands;
    size_t commands_size;
    FILE *texts; /* a line each */
    char *lines;
    size_t lines_size;
    int n_texts;
};

/* These end the process without memory. */
void script_begin(struct script *s);
/* Name a text in the commands, followed by a blank; its characters that are in `twice` are doubled.
 * Nothing in it is a command for gnuplot. */
void put_text(struct script *s, const char *text, const char *twice);
/* Run gnuplot and write its picture to a file, or to stdout: to is as in draw_plots(), but not
 * empty. Errors are printed. @return an exit code */
int script_run(struct script *s, const char *to);
void script_end(struct script *s);

/* svg, png or pdf: the end of a name, or the name itself. */
const char *plot_kind(const char *to);

#endif
