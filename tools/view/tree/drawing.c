/* SPDX-License-Identifier: MIT */
/*
 * Trees as pictures. A tree is drawn level below level, the root on top: a box for each processor
 * with its rank and the time at which it has the item or the sum, or its effective time. Each leaf
 * has its own column, and a processor with children is in the middle above them, so that no two
 * boxes and no two edges meet. An optimal tree is below its space-time diagram.
 */
#include "view/views.h"
#include "file/file.h"
#include "text/problem.h"
#include "view/canvas/canvas.h"
#include "answer/answer.h"
#include "view/trace/trace.h"
#include "answer/tree/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- level below level ---- */

enum { MARGIN = 20, TOP = 56, LINE = 12, BETWEEN = 8, DIGIT = 7, MOST_LINES = 3 };

/* The places of the boxes; columns count from 0. */
struct layout {
    double *column;
    int *depth;
    int *y; /* by level */
    int levels, columns;
    int width, height; /* of a box */
};

/* The text of a box. @return the number of lines */
static int lines_of(const struct tree *tree, const struct tree_node *node, char lines[][48])
{
    snprintf(lines[0], 48, "%lld", (long long)node->rank);
    snprintf(lines[1], 48, tree->found ? "%.6g" : "T %.6g", tree->found ? node->label : node->time);
    if (!tree->sums)
        return 2;
    snprintf(lines[2], 48, "%lld + %lld", (long long)node->own, (long long)node->shared);
    return 3;
}

/* Make all boxes as wide as the widest text. */
static void size_boxes(const struct tree *tree, struct layout *l)
{
    char lines[MOST_LINES][48];
    int most = 2, n = 0;

    for (int64_t id = 0; id < tree->used; id++) {
        n = lines_of(tree, &tree->nodes[id], lines);
        for (int i = 0; i < n; i++)
            most = (int)strlen(lines[i]) > most ? (int)strlen(lines[i]) : most;
    }
    l->width = most * DIGIT + 10;
    l->height = n * LINE + 6;
}

/* Set the heights of the levels: wider edges move a level further down, within limits, so that they
 * are not too flat to follow. */
static void space_levels(const struct tree *tree, struct layout *l)
{
    const int least = 36, most = 200;

    for (int64_t id = 1; id < tree->used; id++) {
        const double reach = fabs(l->column[id] - l->column[tree->nodes[id].parent]);
        const int wanted = (int)(reach * (l->width + BETWEEN) / 6);
        int *gap = &l->y[l->depth[id]];

        *gap = wanted > *gap ? wanted : *gap;
    }
    for (int level = 1; level < l->levels; level++) {
        const int gap = l->y[level] < least ? least : l->y[level] > most ? most : l->y[level];

        l->y[level] = l->y[level - 1] + l->height + gap;
    }
}

/* Children have larger ids than their parents: leaves from the first on, the others from the last.
 */
static struct layout lay_out(const struct tree *tree)
{
    struct layout l = {.column = need(calloc((size_t)tree->used, sizeof(*l.column))),
                       .depth = need(calloc((size_t)tree->used, sizeof(*l.depth))),
                       .y = need(calloc((size_t)tree->used + 1, sizeof(*l.y)))};

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
    size_boxes(tree, &l);
    space_levels(tree, &l);
    return l;
}

static void free_layout(struct layout *l)
{
    free(l->column);
    free(l->depth);
    free(l->y);
}

static int layout_width(const struct layout *l)
{
    return l->columns * (l->width + BETWEEN);
}

static int layout_height(const struct layout *l)
{
    return l->y[l->levels - 1] + l->height;
}

/* Two lines above the tree. */
struct heading {
    char what[200], how[160];
};

static struct heading heading_of(const struct question *q, const struct tree *tree)
{
    const struct logp_params *p = &q->model.network.params;
    const double unit = (double)q->model.unit_ns;
    struct heading h;
    char o_recv[32] = "";

    if (p->o_send_ns != p->o_recv_ns)
        snprintf(o_recv, sizeof(o_recv), " and %g", (double)p->o_recv_ns / unit);
    snprintf(h.what, sizeof(h.what), "%s %s, P = %lld: %.12g %s", tree->algorithm, tree->name,
             (long long)tree->n, tree->time, unit_word(q));
    if (q->form.title != NULL)
        snprintf(h.what, sizeof(h.what), "%s", q->form.title);
    snprintf(h.how, sizeof(h.how), "L %g, o %g%s, g %g; a box shows the rank, and when it %s",
             (double)p->L_ns / unit, (double)p->o_send_ns / unit, o_recv, (double)p->g_ns / unit,
             tree->to_root ? "sends to its parent" : "has all data");
    return h;
}

static void box(struct canvas *to, const struct tree *tree, const struct tree_node *node,
                const struct layout *l, double x, int y)
{
    static const char *const classes[MOST_LINES] = {"rank", "time", "time"};
    char lines[MOST_LINES][48];
    const int n = lines_of(tree, node, lines);

    canvas_box(to, (struct look){.class = "box", .radius = 5}, x - l->width / 2.0, y, l->width,
               l->height);
    for (int i = 0; i < n; i++)
        canvas_text(to, (struct look){.class = classes[i]}, x, y + 13 + LINE * i, lines[i]);
    canvas_end_line(to);
}

/* left, top: of all of it */
static void put_tree(struct canvas *to, const struct tree *tree, const struct layout *l,
                     double left, int top)
{
    const int apart = l->width + BETWEEN;

    to->digits = (struct digits){.x = 1};
    left += apart / 2.0;
    for (int64_t id = 1; id < tree->used; id++) {
        const int64_t above = tree->nodes[id].parent;
        const struct point ends[] = {
            {left + l->column[above] * apart, top + l->y[l->depth[above]] + l->height},
            {left + l->column[id] * apart, top + l->y[l->depth[id]]}};

        canvas_path(to, (struct look){.class = "edge"}, ends, 2, false);
        canvas_end_line(to);
    }
    for (int64_t id = 0; id < tree->used; id++)
        box(to, tree, &tree->nodes[id], l, left + l->column[id] * apart, top + l->y[l->depth[id]]);
    to->digits = (struct digits){0};
}

static const struct color_rule colors[] = {
    {".bg", "fill", COLOR_RAISED},   {".box", "fill", COLOR_TINT}, {".box", "stroke", COLOR_ACCENT},
    {".edge", "stroke", COLOR_SOFT}, {"text", "fill", COLOR_INK},  {NULL},
};

/* Begin a picture of this size, or of the size in the options. */
static struct canvas begin(FILE *f, const struct question *q, double width, double height)
{
    struct canvas to = svg_canvas(f);

    begin_svg(&to, &(struct sheet){.width = width,
                                   .height = height,
                                   .shown_width = q->form.width,
                                   .shown_height = q->form.height,
                                   .css = ".edge{fill:none}.rank,.time{text-anchor:middle}"
                                          ".rank{font-weight:bold}.time{font-size:10px}",
                                   .rules = colors});
    return to;
}

static void put_line(struct canvas *to, double x, double y, double size, const char *text)
{
    canvas_text(to, (struct look){.size = size}, x, y, text);
    canvas_end_line(to);
}

static struct problem *draw_layers(FILE *f, const struct question *q, const struct tree *tree)
{
    struct layout l = lay_out(tree);
    const struct heading h = heading_of(q, tree);
    const int needed = layout_width(&l) + 2 * MARGIN;
    const int least = (int)strlen(strlen(h.what) > strlen(h.how) ? h.what : h.how) * DIGIT + MARGIN;
    const int width = needed > least ? needed : least;
    struct canvas to = begin(f, q, width, TOP + layout_height(&l) + MARGIN);

    put_line(&to, MARGIN, 22, 13, h.what);
    put_line(&to, MARGIN, 40, 0, h.how);
    put_tree(&to, tree, &l, (width - layout_width(&l)) / 2.0, TOP);
    canvas_end(&to);
    canvas_end_line(&to);
    free_layout(&l);
    return NULL;
}

/* ---- an optimal tree, in time and level below level ---- */

enum { INDENT = 56, TREE_TOP = 32 }; /* as in the diagram; from there to the tree */

/* The operands of a processor. */
static const char *operands(const struct shown *s, int64_t rank, char buf[MAX_CAPTION])
{
    const struct tree_node *node = &s->tree->nodes[rank];

    snprintf(buf, MAX_CAPTION, "%lld + %lld", (long long)node->own, (long long)node->shared);
    return buf;
}

static void set_title(const struct question *q, const struct tree *tree, char title[MAX_CAPTION])
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
    snprintf(title + n, (size_t)(MAX_CAPTION - n), ": %s%g %s", tree->exact ? "" : "at most ",
             tree->time, unit_word(q));
}

/* Draw the diagram, and below it the tree, which is at most as wide. */
static void put_together(FILE *f, const struct question *q, const struct tree *tree,
                         const char *diagram)
{
    struct layout l = lay_out(tree);
    const double width = svg_number(diagram, "width=\""), top = svg_number(diagram, "height=\"");
    const double room = width - 2 * INDENT, needed = layout_width(&l);
    const double scale = needed > room ? room / needed : 1;
    struct canvas to = begin(f, q, width, top + TREE_TOP + scale * layout_height(&l) + MARGIN);

    fputs(diagram, f);
    put_line(&to, INDENT, top + LINE, 0,
             tree->sums ? "The tree: a box shows the rank, its effective time T, and its operands: "
                          "own + shared"
                        : "The tree: a box shows the rank, its effective time T: how long before "
                          "the end it has the item");
    canvas_group(&to, (struct look){0}, INDENT, top + TREE_TOP, scale);
    canvas_end_line(&to);
    put_tree(&to, tree, &l, 0, 0);
    canvas_end_group(&to);
    canvas_end_line(&to);
    canvas_end(&to);
    canvas_end_line(&to);
    free_layout(&l);
}

/* Draw the tree below its diagram; of a summation only the processors that take part. */
static struct problem *draw_in_time(FILE *f, const struct question *of, const struct tree *tree)
{
    struct question q = *of;
    char title[MAX_CAPTION], *diagram = NULL;
    size_t size;
    FILE *text;
    struct shown s = {.q = &q,
                      .algorithm = logp_algorithm_find(tree->name, tree->algorithm),
                      .title = title,
                      .tree = tree,
                      .note = tree->sums ? operands : NULL,
                      .notes = "operands"};
    struct logp_trace *trace;
    struct logp_invocation c;

    q.model.P = tree->used;
    q.form.width = q.form.height = 0; /* the options have the size of the whole picture */
    TRY(make_invocation(&q, tree->name, &c));
    TRY(trace_prediction(&q, &c, s.algorithm, 0, &trace));
    s.trace = need(trace);
    set_title(of, tree, title);
    text = need(open_memstream(&diagram, &size));
    trace_as_svg.show(text, &s);
    put_together(f, of, tree, close_text(text, &diagram));
    free(diagram);
    logp_trace_free(trace);
    return NULL;
}

static struct problem *draw(FILE *f, const struct question *q, const struct tree *tree)
{
    return tree->found ? draw_layers(f, q, tree) : draw_in_time(f, q, tree);
}

/* ---- for Graphviz: arrows go where messages go first, and the root is on top ---- */

static struct problem *print_dot(FILE *f, const struct question *q, const struct tree *tree)
{
    const bool up = tree->sums || tree->to_root;
    char name[256];

    (void)q;
    snprintf(name, sizeof(name), "%s %s, P = %lld", tree->algorithm, tree->name,
             (long long)tree->n);
    fputs("digraph ", f);
    write_dot_text(f, name);
    fputs(" {\n    node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n", f);
    if (up)
        fputs("    rankdir=BT;\n", f);
    for (int64_t id = 0; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];

        fprintf(f, "    %lld [label=\"%lld\\nat %.12g\"];\n", (long long)node->rank,
                (long long)node->rank, node->label);
    }
    for (int64_t id = 1; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];
        const int64_t above = tree->nodes[node->parent].rank;

        fprintf(f, "    %lld -> %lld%s;\n", (long long)(up ? node->rank : above),
                (long long)(up ? above : node->rank), tree->returns ? " [dir=both]" : "");
    }
    fputs("}\n", f);
    return NULL;
}

const struct tree_form tree_as_dot = {.show = print_dot};
const struct tree_form tree_as_svg = {draw, 256, "a tree is drawn", ""};
