/* SPDX-License-Identifier: MIT */
/* Pictures in files: SVG as it is drawn, PNG and PDF by rsvg-convert, which is looked for when it is
 * needed. A picture goes to the file `to`, or, where that is the name of a format, to a stream. */
#ifndef LOGP_PICTURE_H
#define LOGP_PICTURE_H

#include "text/problem.h"

#include <stdio.h>

/* The path of rsvg-convert, to be freed; NULL: it is not installed */
char *find_converter(void);
/* Whether it is there. option, value: what asks for it */
CHECKED struct problem *check_converter(const char *option, const char *value);
/* Before a run: whether a picture of this name can be made and written. */
CHECKED struct problem *check_picture(const char *option, const char *to);
/* A picture that is drawn as SVG, to be converted when it is whole: `f` takes the SVG. */
struct drawing {
    FILE *f, *to;
    char *svg;
    size_t n;
    const char *kind;
};

/* Begin a picture of this kind, "svg", "png" or "pdf", which goes to the stream `to`; an SVG is drawn
 * there at once. */
void begin_drawing(struct drawing *d, FILE *to, const char *kind);
/* End it. Nothing is written where nothing was drawn. */
CHECKED struct problem *end_drawing(struct drawing *d);
/* Write a picture to the file, or to f. A problem leaves the old file as it was. */
CHECKED struct problem *put_picture(FILE *f, const char *svg, const char *to);

#endif
