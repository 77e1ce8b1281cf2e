/* SPDX-License-Identifier: MIT */
/*
 * A canvas: boxes, lines, paths, discs, texts and groups, with a size for each text, as the drawing
 * methods of hwloc's lstopo. A view draws on it, and one of three back-ends writes: an SVG with its
 * own style sheet, an SVG within a page, whose style sheet it follows, or a line of a terminal.
 * Colours are those of classes; see palette.h. All texts are escaped.
 */
#ifndef LOGP_CANVAS_H
#define LOGP_CANVAS_H

#include "view/canvas/palette.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct canvas;

enum anchor {
    ANCHOR_CLASS,
    ANCHOR_MIDDLE,
    ANCHOR_END
}; /* of a text; the first: as its class has it */

/* How an element looks; {0}: as the others of its kind. */
struct look {
    const char *class;
    const char *style; /* further properties, as in a style sheet */
    const char *title; /* a tooltip; NULL: none */
    double size;       /* of the letters of a text; 0: as its class has it */
    enum anchor anchor;
    double radius; /* of the corners of a box */
    bool rising;   /* a text from the bottom to the top */
    bool behind;   /* on a terminal: seen where nothing else is, and between other boxes */
};

struct point {
    double x, y;
};

/* The digits after the point in an SVG; 0: as many as a number needs. */
struct digits {
    int x, y, width, height;
};

/* ---- the back-ends ---- */

/* What a back-end draws; NULL: nothing of the kind. */
struct canvas_methods {
    void (*box)(struct canvas *c, struct look look, double x, double y, double width,
                double height);
    void (*line)(struct canvas *c, struct look look, double x1, double y1, double x2, double y2);
    void (*path)(struct canvas *c, struct look look, const struct point *points, size_t n,
                 bool closed);
    void (*disc)(struct canvas *c, struct look look, double x, double y, double radius);
    void (*shape)(struct canvas *c, struct look look, double x, double y, const char *path);
    void (*text)(struct canvas *c, struct look look, double x, double y, const char *text);
    bool (*label)(struct canvas *c, struct look look, double x, double width, const char *text);
    void (*group)(struct canvas *c, struct look look, double x, double y, double scale);
    void (*end_group)(struct canvas *c);
    void (*end_line)(struct canvas *c);
    void (*end)(struct canvas *c);
    double letter; /* the width of a letter of size 1 */
};

struct canvas {
    const struct canvas_methods *methods;
    FILE *f;
    struct digits digits; /* of the next elements */
    struct cells *cells;  /* of a terminal */
};

/* An SVG: its size, how large it is shown (0: as large as it is), and its styles. In a page only
 * the size, the class and the label count, because the page has the styles. */
struct sheet {
    double width, height, shown_width, shown_height;
    const char *css;                       /* without colours */
    const struct color_rule *rules, *more; /* more: NULL: no more */
    const char *defs;                      /* markers; NULL: none */
    const char *class, *label;             /* label: read in place of the picture */
};

/* Of an SVG: texts have a size before it begins. */
struct canvas svg_canvas(FILE *f);
void begin_svg(struct canvas *c, const struct sheet *s);
void begin_svg_of_page(struct canvas *c, const struct sheet *s);

/* The glyph of a class: without Unicode, and with it. */
struct glyph {
    const char *class, *ascii, *unicode;
    bool idle; /* a box behind the others is seen instead, where it covers more of the cell */
    bool used; /* is set when it is drawn */
};

/* Lines of `cells` characters, which show x from 0 to `span`; each class needs a glyph. Ended by
 * canvas_end(). */
struct canvas terminal_canvas(FILE *f, int cells, int64_t span, struct glyph *glyphs,
                              bool is_unicode);

/* ---- canvas.c: what views call ---- */

void canvas_box(struct canvas *c, struct look look, double x, double y, double width,
                double height);
void canvas_line(struct canvas *c, struct look look, double x1, double y1, double x2, double y2);
/* A line from point to point. */
void canvas_path(struct canvas *c, struct look look, const struct point *points, size_t n,
                 bool closed);
void canvas_disc(struct canvas *c, struct look look, double x, double y, double radius);
/* A small mark at a place; path: as in an SVG, from the place on. */
void canvas_shape(struct canvas *c, struct look look, double x, double y, const char *path);
void canvas_text(struct canvas *c, struct look look, double x, double y, const char *text);
/* The width of a text in letters of this size. */
double canvas_text_size(const struct canvas *c, const char *text, double size);
/* Put a text into the middle of the visible part of a box of the same class.
 * @return false: it does not fit, or the back-end has no such labels */
bool canvas_label(struct canvas *c, struct look look, double x, double width, const char *text);
/* Begin a group; scale: 0: where it is and as large as it is. */
void canvas_group(struct canvas *c, struct look look, double x, double y, double scale);
void canvas_end_group(struct canvas *c);
/* End a line: of a terminal, or of the file. */
void canvas_end_line(struct canvas *c);
void canvas_end(struct canvas *c);

/* The step between two numbers of an axis: the next of 1, 2, 5, 10, ... and their tenths that is at
 * least `least`, at which both numbers fit. */
double axis_step(double least);

/* ---- svg.c ---- */

/* The number after the first `attribute`, such as width=", in an SVG. */
double svg_number(const char *svg, const char *attribute);

#endif
