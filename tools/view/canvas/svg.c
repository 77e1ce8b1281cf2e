/* SPDX-License-Identifier: MIT */
/* A canvas as SVG, as a file or within a page. See canvas.h. */
#include "view/canvas/canvas.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void attribute(struct canvas *c, const char *name, double value, int digits)
{
    if (digits > 0)
        fprintf(c->f, " %s=\"%.*f\"", name, digits, value);
    else
        fprintf(c->f, " %s=\"%g\"", name, value);
}

/* Begin an element. */
static void begin(struct canvas *c, const char *element, struct look look)
{
    fprintf(c->f, "<%s", element);
    if (look.class != NULL)
        fprintf(c->f, " class=\"%s\"", look.class);
}

/* End it; with a tooltip, or with an empty one, it has an end of its own. */
static void end(struct canvas *c, const char *element, struct look look)
{
    if (look.style != NULL)
        fprintf(c->f, " style=\"%s\"", look.style);
    if (look.title == NULL) {
        fputs("/>", c->f);
        return;
    }
    fputs(*look.title != '\0' ? "><title>" : ">", c->f);
    write_xml(c->f, look.title);
    fprintf(c->f, "%s</%s>", *look.title != '\0' ? "</title>" : "", element);
}

static void box(struct canvas *c, struct look look, double x, double y, double width, double height)
{
    begin(c, "rect", look);
    attribute(c, "x", x, c->digits.x);
    attribute(c, "y", y, c->digits.y);
    attribute(c, "width", width, c->digits.width);
    attribute(c, "height", height, c->digits.height);
    if (look.radius > 0)
        attribute(c, "rx", look.radius, 0);
    end(c, "rect", look);
}

static void line(struct canvas *c, struct look look, double x1, double y1, double x2, double y2)
{
    begin(c, "line", look);
    attribute(c, "x1", x1, c->digits.x);
    attribute(c, "y1", y1, c->digits.y);
    attribute(c, "x2", x2, c->digits.x);
    attribute(c, "y2", y2, c->digits.y);
    end(c, "line", look);
}

static void place(struct canvas *c, char command, double x, double y)
{
    fprintf(c->f, c->digits.x > 0 ? "%c%.*f " : "%c%.*g ", command,
            c->digits.x > 0 ? c->digits.x : 6, x);
    fprintf(c->f, c->digits.y > 0 ? "%.*f" : "%.*g", c->digits.y > 0 ? c->digits.y : 6, y);
}

static void path(struct canvas *c, struct look look, const struct point *points, size_t n,
                 bool closed)
{
    begin(c, "path", look);
    fputs(" d=\"", c->f);
    for (size_t i = 0; i < n; i++)
        place(c, i == 0 ? 'M' : 'L', points[i].x, points[i].y);
    fputs(closed ? "z\"" : "\"", c->f);
    end(c, "path", look);
}

static void disc(struct canvas *c, struct look look, double x, double y, double radius)
{
    begin(c, "circle", look);
    attribute(c, "cx", x, c->digits.x);
    attribute(c, "cy", y, c->digits.y);
    attribute(c, "r", radius, 0);
    end(c, "circle", look);
}

static void shape(struct canvas *c, struct look look, double x, double y, const char *from_there)
{
    begin(c, "path", look);
    fputs(" d=\"", c->f);
    place(c, 'M', x, y);
    fprintf(c->f, "%s\"", from_there);
    end(c, "path", look);
}

static void text(struct canvas *c, struct look look, double x, double y, const char *words)
{
    begin(c, "text", look);
    attribute(c, "x", x, c->digits.x);
    attribute(c, "y", y, c->digits.y);
    if (look.size > 0)
        attribute(c, "font-size", look.size, 0);
    if (look.anchor != ANCHOR_CLASS)
        fprintf(c->f, " text-anchor=\"%s\"", look.anchor == ANCHOR_END ? "end" : "middle");
    if (look.rising)
        fprintf(c->f, " transform=\"rotate(-90 %g %g)\"", x, y);
    putc('>', c->f);
    write_xml(c->f, words);
    fputs("</text>", c->f);
}

static void group(struct canvas *c, struct look look, double x, double y, double scale)
{
    begin(c, "g", look);
    if (scale > 0)
        fprintf(c->f, " transform=\"translate(%g %g) scale(%.4g)\"", x, y, scale);
    putc('>', c->f);
    if (look.title == NULL)
        return;
    fputs("<title>", c->f);
    write_xml(c->f, look.title);
    fputs("</title>", c->f);
}

static void end_group(struct canvas *c)
{
    fputs("</g>", c->f);
}

static void end_line(struct canvas *c)
{
    putc('\n', c->f);
}

static void end_picture(struct canvas *c)
{
    fputs("</svg>", c->f);
}

static const struct canvas_methods methods = {
    .box = box,
    .line = line,
    .path = path,
    .disc = disc,
    .shape = shape,
    .text = text,
    .group = group,
    .end_group = end_group,
    .end_line = end_line,
    .end = end_picture,
    .letter = 7.0 / 11, /* of DejaVu Sans, which is wide */
};

struct canvas svg_canvas(FILE *f)
{
    return (struct canvas){.methods = &methods, .f = f};
}

void begin_svg(struct canvas *c, const struct sheet *s)
{
    const double width = s->shown_width > 0 ? s->shown_width : s->width,
                 height = s->shown_height > 0 ? s->shown_height : s->height;
    /* of the paper, where the picture has other proportions than its place */
    const double wide = fmax(s->width, s->height * width / height),
                 high = fmax(s->height, s->width * height / width);
    const double left = (s->width - wide) / 2, top = (s->height - high) / 2;

    fprintf(c->f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
            "viewBox=\"%g %g %g %g\" font-family=\"sans-serif\" font-size=\"11\">\n<style>%s\n",
            width, height, left, top, wide, high, s->css);
    write_colors(c->f, s->rules);
    if (s->more != NULL)
        write_colors(c->f, s->more);
    fprintf(c->f, "</style>\n%s<rect class=\"bg\"", s->defs != NULL ? s->defs : "");
    if (left < 0 || top < 0)
        fprintf(c->f, " x=\"%g\" y=\"%g\"", left, top);
    fputs(" width=\"100%\" height=\"100%\"/>\n", c->f);
}

void begin_svg_of_page(struct canvas *c, const struct sheet *s)
{
    fprintf(c->f, "<svg class=\"%s\" role=\"img\" aria-label=\"", s->class);
    write_xml(c->f, s->label);
    fprintf(c->f, "\" viewBox=\"0 0 %g %g\"", s->width, s->height);
    if (s->shown_width > 0)
        fprintf(c->f, " width=\"%g\"", s->shown_width);
    fputs(">\n", c->f);
}

double svg_number(const char *svg, const char *attribute)
{
    const char *at = strstr(svg, attribute);

    return at != NULL ? strtod(at + strlen(attribute), NULL) : 0;
}
