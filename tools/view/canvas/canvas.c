/* SPDX-License-Identifier: MIT */
/* The calls of views, handed on to the back-end. See canvas.h. */
#include "view/canvas/canvas.h"

void canvas_box(struct canvas *c, struct look look, double x, double y, double width, double height)
{
    c->methods->box(c, look, x, y, width, height);
}

void canvas_line(struct canvas *c, struct look look, double x1, double y1, double x2, double y2)
{
    if (c->methods->line != NULL)
        c->methods->line(c, look, x1, y1, x2, y2);
}

void canvas_path(struct canvas *c, struct look look, const struct point *points, size_t n,
                 bool closed)
{
    if (c->methods->path != NULL)
        c->methods->path(c, look, points, n, closed);
}

void canvas_disc(struct canvas *c, struct look look, double x, double y, double radius)
{
    if (c->methods->disc != NULL)
        c->methods->disc(c, look, x, y, radius);
}

void canvas_shape(struct canvas *c, struct look look, double x, double y, const char *path)
{
    c->methods->shape(c, look, x, y, path);
}

void canvas_text(struct canvas *c, struct look look, double x, double y, const char *text)
{
    c->methods->text(c, look, x, y, text);
}

double canvas_text_size(const struct canvas *c, const char *text, double size)
{
    double n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n * size * c->methods->letter;
}

bool canvas_label(struct canvas *c, struct look look, double x, double width, const char *text)
{
    return c->methods->label != NULL && c->methods->label(c, look, x, width, text);
}

void canvas_group(struct canvas *c, struct look look, double x, double y, double scale)
{
    if (c->methods->group != NULL)
        c->methods->group(c, look, x, y, scale);
}

void canvas_end_group(struct canvas *c)
{
    if (c->methods->end_group != NULL)
        c->methods->end_group(c);
}

void canvas_end_line(struct canvas *c)
{
    c->methods->end_line(c);
}

void canvas_end(struct canvas *c)
{
    c->methods->end(c);
}

double axis_step(double least)
{
    double step = 1;

    while (step > least && step / 10 >= least)
        step /= 10;
    for (int turn = 0; step < least; turn++)
        step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}
