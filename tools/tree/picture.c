/* SPDX-License-Identifier: MIT */
/*
 * Trees as pictures. The tree of a schedule is drawn level below level, the root on top: a box for
 * each processor with its rank and when it has what it waits for. Each leaf has a column of its
 * own, and a processor with children is in the middle above them, so that no two boxes and no two
 * edges meet. An optimal tree is a space-time diagram.
 */
#include "choice/choice.h"
#include "plot/palette.h"
#include "run/run.h"
#include "trace/trace.h"
#include "tree/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- level below level ---- */

enum { MARGIN = 20, TOP = 56, BOX = 30, BETWEEN = 8, DIGIT = 7 };

/* Where the boxes are: columns count from 0. */
struct layout {
    double *column;
    int *depth;
    int *y;                     /* by level */
    int levels, columns, width; /* width: of a box */
};

/* The widest text decides. */
static int box_width(const struct tree *tree)
{
    int most = 2;

    for (int64_t id = 0; id < tree->used; id++) {
        char text[32];
        const int n = snprintf(text, sizeof(text), "%.6g", tree->nodes[id].label);
        const int m = snprintf(text, sizeof(text), "%lld", (long long)tree->nodes[id].rank);

        most = n > most ? n : most;
        most = m > most ? m : most;
    }
    return most * DIGIT + 10;
}

/* The wider an edge reaches, the further down: none is too flat to be followed. */
static void space_levels(const struct tree *tree, struct layout *l)
{
    const int least = 36, most = 200;

    for (int64_t id = 1; id < tree->used; id++) {
        const double reach = fabs(l->column[id] - l->column[tree->nodes[id].parent]);
        const int wanted = (int)(reach * (l->width + BETWEEN) / 6);
        int *gap = &l->y[l->depth[id]];

        *gap = wanted > *gap ? wanted : *gap;
    }
    l->y[0] = TOP;
    for (int level = 1; level < l->levels; level++) {
        const int gap = l->y[level] < least ? least : l->y[level] > most ? most : l->y[level];

        l->y[level] = l->y[level - 1] + BOX + gap;
    }
}

/* Children have larger ids than their parents: leaves from the first on, the others from the last.
 */
static struct layout lay_out(const struct tree *tree)
{
    struct layout l = {.column = or_end(calloc((size_t)tree->used, sizeof(*l.column))),
                       .depth = or_end(calloc((size_t)tree->used, sizeof(*l.depth))),
                       .y = or_end(calloc((size_t)tree->used + 1, sizeof(*l.y))),
                       .width = box_width(tree)};

    for (int64_t id = 0; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];

        l.depth[id] = node->parent >= 0 ? l.depth[node->parent] + 1 : 0;
        l.levels = l.depth[id] >= l.levels ? l.depth[id] + 1 : l.levels;
        if (node->first_child < 0)
            l.column[id] = l.columns++;
    }
    for (int64_t id = tree->used - 1; id >= 0; id--) {
        int64_t last = tree->nodes[id].first_child;

        if (last < 0)
            continue;
        while (tree->nodes[last].next_sibling >= 0)
            last = tree->nodes[last].next_sibling;
        l.column[id] = (l.column[tree->nodes[id].first_child] + l.column[last]) / 2;
    }
    space_levels(tree, &l);
    return l;
}

/* Two lines above the tree. */
struct heading {
    char what[200], how[160];
};

static struct heading heading_of(const struct options *o, const struct tree *tree)
{
    const struct logp_params *p = &o->network.params;
    const double unit = (double)o->unit_ns;
    struct heading h;
    char o_recv[32] = "";

    if (p->o_send_ns != p->o_recv_ns)
        snprintf(o_recv, sizeof(o_recv), " and %g", (double)p->o_recv_ns / unit);
    snprintf(h.what, sizeof(h.what), "%s %s, P = %lld: %.12g units", tree->algorithm, tree->name,
             (long long)tree->n, tree->time);
    if (o->title != NULL)
        snprintf(h.what, sizeof(h.what), "%s", o->title);
    snprintf(h.how, sizeof(h.how), "L %g, o %g%s, g %g; a box shows the rank, and when it %s",
             (double)p->L_ns / unit, (double)p->o_send_ns / unit, o_recv, (double)p->g_ns / unit,
             tree->to_root ? "sends to its parent" : "has all data");
    return h;
}

static void edge(double x, int y, double x_above, int y_above)
{
    printf("<path class=\"edge\" d=\"M%.1f %dL%.1f %d\"/>\n", x_above, y_above + BOX, x, y);
}

static void box(const struct tree_node *node, double x, int y, int width)
{
    printf("<rect class=\"box\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>"
           "<text class=\"rank\" x=\"%.1f\" y=\"%d\">%lld</text>"
           "<text class=\"time\" x=\"%.1f\" y=\"%d\">%.6g</text>\n",
           x - width / 2.0, y, width, BOX, x, y + 13, (long long)node->rank, x, y + 25,
           node->label);
}

static const struct color_rule colors[] = {
    {".bg", "fill", COLOR_RAISED},   {".box", "fill", COLOR_TINT}, {".box", "stroke", COLOR_ACCENT},
    {".edge", "stroke", COLOR_SOFT}, {"text", "fill", COLOR_INK},  {NULL},
};

static void draw_layers(const struct options *o, const struct tree *tree)
{
    struct layout l = lay_out(tree);
    const struct heading h = heading_of(o, tree);
    const int apart = l.width + BETWEEN, needed = l.columns * apart + 2 * MARGIN;
    const int least = (int)strlen(strlen(h.what) > strlen(h.how) ? h.what : h.how) * DIGIT + MARGIN;
    const int width = needed > least ? needed : least;
    const int height = l.y[l.levels - 1] + BOX + MARGIN;
    const double left = (width - l.columns * apart) / 2.0 + apart / 2.0;

    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
           "<style>.edge{fill:none}.rank,.time{text-anchor:middle}.rank{font-weight:bold}"
           ".time{font-size:10px}\n",
           o->width > 0 ? o->width : width, o->width > 0 ? o->height : height, width, height);
    write_colors(stdout, colors);
    printf("</style>\n<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n"
           "<text x=\"%d\" y=\"22\" font-size=\"13\">",
           MARGIN);
    write_xml(stdout, h.what);
    printf("</text>\n<text x=\"%d\" y=\"40\">", MARGIN);
    write_xml(stdout, h.how);
    puts("</text>");
    for (int64_t id = 1; id < tree->used; id++) {
        const int64_t above = tree->nodes[id].parent;

        edge(left + l.column[id] * apart, l.y[l.depth[id]], left + l.column[above] * apart,
             l.y[l.depth[above]]);
    }
    for (int64_t id = 0; id < tree->used; id++)
        box(&tree->nodes[id], left + l.column[id] * apart, l.y[l.depth[id]], l.width);
    puts("</svg>");
    free(l.column);
    free(l.depth);
    free(l.y);
}

/* ---- an optimal tree in time ---- */

/* The operands of a processor. */
static const char *operands(const struct shown *s, int64_t rank, char buf[MAX_CAPTION])
{
    const struct tree_node *node = &s->tree->nodes[rank];

    snprintf(buf, MAX_CAPTION, "%lld + %lld", (long long)node->own, (long long)node->shared);
    return buf;
}

static void set_title(const struct tree *tree, char title[MAX_CAPTION])
{
    int n;

    if (!tree->sums)
        n = snprintf(title, MAX_CAPTION, "Optimal broadcast, P = %lld", (long long)tree->n);
    else if (tree->used < tree->n)
        n = snprintf(title, MAX_CAPTION, "Sum of %lld operands on %lld of %lld processors",
                     (long long)tree->count, (long long)tree->used, (long long)tree->n);
    else
        n = snprintf(title, MAX_CAPTION, "Sum of %lld operands on %lld processors",
                     (long long)tree->count, (long long)tree->n);
    snprintf(title + n, (size_t)(MAX_CAPTION - n), ": %s%g units", tree->exact ? "" : "at most ",
             tree->time);
}

/* Of a summation only the processors that take part. */
static void draw_in_time(const struct options *of, const struct tree *tree)
{
    struct options o = *of;
    char title[MAX_CAPTION];
    struct shown s = {.o = &o,
                      .algorithm = logp_algorithm_find(tree->name, tree->algorithm),
                      .title = title,
                      .tree = tree,
                      .note = tree->sums ? operands : NULL,
                      .notes = "operands"};
    struct logp_trace *trace;
    struct logp_invocation c;

    o.P = tree->used;
    c = make_invocation(&o, tree->name);
    s.trace = trace = trace_prediction(&o, &c, s.algorithm, 0);
    if (trace == NULL)
        bad_usage("no memory to draw the tree");
    set_title(tree, title);
    trace_as_svg.show(&s);
    logp_trace_free(trace);
}

static void draw(const struct options *o, const struct tree *tree)
{
    if (tree->found)
        draw_layers(o, tree);
    else
        draw_in_time(o, tree);
}

/* ---- for Graphviz: arrows go where messages go first, and the root is on top ---- */

static void print_dot(const struct options *o, const struct tree *tree)
{
    const bool up = tree->sums || tree->to_root;
    char name[256];

    (void)o;
    snprintf(name, sizeof(name), "%s %s, P = %lld", tree->algorithm, tree->name,
             (long long)tree->n);
    fputs("digraph ", stdout);
    write_dot_text(stdout, name);
    puts(" {\n    node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];");
    if (up)
        puts("    rankdir=BT;");
    for (int64_t id = 0; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];

        printf("    %lld [label=\"%lld\\nat %.12g\"];\n", (long long)node->rank,
               (long long)node->rank, node->label);
    }
    for (int64_t id = 1; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];
        const int64_t above = tree->nodes[node->parent].rank;

        printf("    %lld -> %lld%s;\n", (long long)(up ? node->rank : above),
               (long long)(up ? above : node->rank), tree->returns ? " [dir=both]" : "");
    }
    puts("}");
}

const struct tree_form tree_as_dot = {.show = print_dot};
const struct tree_form tree_as_svg = {draw, 256, "a tree is drawn", ""};
