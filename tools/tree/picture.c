/* SPDX-License-Identifier: MIT */
/*
 * A tree as a space-time diagram, the way LogP papers draw it: a line for each processor, time to
 * the right, a box for each o, a slanted line for each message on the wire. In a summation a
 * processor adds whenever it does not receive, until it sends.
 */
#include "tree/tree.h"

#include <stdio.h>

enum { LEFT = 56, TOP = 34, ROW = 26, WIDTH = 720, BOX = 12, BOTTOM = 44, RIGHT = 24, COUNTS = 88 };

struct canvas {
    FILE *out;
    double per_unit; /* pixels */
    int width, height;
};

static double x_of(const struct canvas *c, double units)
{
    return LEFT + units * c->per_unit;
}

static double y_of(int64_t id)
{
    return TOP + ROW * ((double)id + 0.5);
}

static void box(const struct canvas *c, int64_t id, double from, double length, const char *kind)
{
    if (length > 0)
        fprintf(c->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
                kind, x_of(c, from), y_of(id) - BOX / 2.0, length * c->per_unit, BOX);
}

/* The message between a node and its parent. */
static void message(const struct canvas *c, const struct tree *tree, int64_t id)
{
    const struct tree_node *node = &tree->nodes[id];
    const int64_t from = tree->sums ? id : node->parent, to = tree->sums ? node->parent : id;

    fprintf(c->out, "<line class=\"wire\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            x_of(c, node->sent + tree->o_send), y_of(from), x_of(c, node->received), y_of(to));
    box(c, from, node->sent, tree->o_send, "send");
    box(c, to, node->received, tree->o_recv, "recv");
}

static void axis(const struct canvas *c, const struct tree *tree)
{
    const double y = TOP + ROW * (double)tree->used + 6;
    double step = 1;

    while (tree->time > 0 && tree->time < 4 * step)
        step /= 10;
    for (int turn = 0; tree->time / step > 16; turn++)
        step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
    for (int i = 0; i * step <= tree->time; i++) {
        const double x = x_of(c, i * step);

        fprintf(c->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x,
                TOP, x, y);
        fprintf(c->out, "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">%g</text>\n", x, y + 14,
                i * step);
    }
    fprintf(c->out, "<text class=\"mid\" x=\"%d\" y=\"%d\">time in units</text>\n",
            LEFT + WIDTH / 2, c->height - 8);
}

/* What the boxes mean, up to the right edge; below the diagram where the title is long. */
static void legend(const struct canvas *c, const struct tree *tree)
{
    static const struct {
        const char *kind, *text;
        int width;
    } entries[] = {{"recv", "receive", 66}, {"send", "send", 54}, {"add", "add", 48}};
    const int y = tree->sums ? c->height - 8 : 20;
    int x = LEFT + WIDTH;

    for (int i = 0; i < (tree->sums ? 3 : 2); i++) {
        x -= entries[i].width;
        fprintf(c->out,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"12\" height=\"10\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text>\n",
                entries[i].kind, x, y - 9, x + 16, y, entries[i].text);
    }
}

static void title(const struct canvas *c, const struct options *o, const struct tree *tree)
{
    const double unit = (double)o->unit_ns;

    fprintf(c->out, "<text x=\"%d\" y=\"20\" font-size=\"13\">", LEFT);
    if (tree->sums && tree->used < tree->n)
        fprintf(c->out, "Sum of %lld operands on %lld of %lld processors", (long long)tree->count,
                (long long)tree->used, (long long)tree->n);
    else if (tree->sums)
        fprintf(c->out, "Sum of %lld operands on %lld processors", (long long)tree->count,
                (long long)tree->n);
    else
        fprintf(c->out, "Optimal broadcast, P = %lld", (long long)tree->n);
    fprintf(c->out, ": %s%g units (L %g, o %g, g %g", tree->exact ? "" : "at most ", tree->time,
            (double)o->params.L_ns / unit, (double)o->params.o_send_ns / unit,
            (double)o->params.g_ns / unit);
    if (tree->sums && tree->gamma != 1)
        fprintf(c->out, ", gamma %g", tree->gamma);
    fputs(")</text>\n", c->out);
    legend(c, tree);
}

static void begin(const struct canvas *c)
{
    fprintf(c->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>.send{fill:#c4572e}.recv{fill:#2e6fc4}.add{fill:#b9d8a8}.wire{stroke:#777}"
            ".grid{stroke:#e4e4e4}.life{stroke:#bbb}text{fill:#333}.mid{text-anchor:middle}"
            ".end{text-anchor:end}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            c->width, c->height, c->width, c->height);
}

/* A processor's line, its name, and in a summation what it adds. */
static void life(const struct canvas *c, const struct tree *tree, int64_t id)
{
    const struct tree_node *node = &tree->nodes[id];

    fprintf(c->out,
            "<text class=\"end\" x=\"%d\" y=\"%.1f\">P%lld</text>"
            "<line class=\"life\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
            LEFT - 8, y_of(id) + 4, (long long)node->rank, LEFT, y_of(id), LEFT + WIDTH, y_of(id));
    if (!tree->sums)
        return;
    box(c, id, 0, node->label, "add");
    fprintf(c->out, "<text x=\"%d\" y=\"%.1f\">%lld + %lld</text>\n", LEFT + WIDTH + 10,
            y_of(id) + 4, (long long)node->own, (long long)node->shared);
}

static void draw_in_time(const struct options *o, const struct tree *tree)
{
    const struct canvas c = {.out = stdout,
                             .per_unit = tree->time > 0 ? WIDTH / tree->time : 0,
                             .width = LEFT + WIDTH + (tree->sums ? COUNTS : RIGHT),
                             .height = TOP + ROW * (int)tree->used + BOTTOM};

    begin(&c);
    title(&c, o, tree);
    axis(&c, tree);
    if (tree->sums)
        fprintf(c.out, "<text x=\"%d\" y=\"20\">operands</text>\n", LEFT + WIDTH + 10);
    for (int64_t id = 0; id < tree->used; id++)
        life(&c, tree, id);
    for (int64_t id = 1; id < tree->used; id++)
        message(&c, tree, id);
    fputs("</svg>\n", c.out);
}

static void draw(const struct options *o, const struct tree *tree)
{
    if (tree->found)
        draw_layers(o, tree);
    else
        draw_in_time(o, tree);
}

const struct tree_form tree_as_svg = {draw, 256, "a tree is drawn", ""};
