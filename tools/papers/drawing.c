/* SPDX-License-Identifier: MIT */
/*
 * A paper's trees and space-time diagrams, drawn by the code of `logp tree` and `logp trace`, and
 * several pictures as one, which shows the others as images, whose styles do not meet.
 */
#include "papers/paper.h"

#include "answer/tree/tree.h"
#include "view/canvas/canvas.h"
#include "view/trace/trace.h"
#include "view/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { APART = 24, CAPTION = 30 }; /* pixels between two pictures, and above one */

/* ---- trees and diagrams ---- */

/* The options with which `logp tree` and `logp trace` would show the run. */
static struct question options_of(const struct paper *p, const struct paper_case *x)
{
    struct question q = paper_options(p, x, LOGP_CLOCK_VIRTUAL);

    q.what.algorithms = ALGORITHMS_NAMED;
    q.what.algorithm_list = x->algorithm;
    q.what.knobs = x->c.args;
    q.what.n_bytes = x->c.args.n_bytes;
    q.what.count = x->c.args.count;
    q.what.op = x->c.args.op;
    q.model.gamma_given = true;
    return q;
}

static struct problem *draw_tree(FILE *f, const struct question *of, const struct paper_case *x)
{
    struct question q = *of;
    struct tree tree;
    struct problem *problem;

    TRY(strcmp(x->collective, "summation") == 0 ? make_summation_tree(&q, &tree)
        : strcmp(x->algorithm, "optimal") == 0  ? make_broadcast_tree(&q, &tree)
                                                : make_found_tree(&q, x->collective, &tree));
    problem = tree_as_svg.show(f, &q, &tree);
    free_tree(&tree);
    return problem;
}

static struct problem *draw_diagram(FILE *f, const struct question *q, const struct paper_case *x)
{
    struct logp_invocation c = x->c;
    struct shown s = {.q = q, .algorithm = paper_algorithm(x)};
    struct logp_trace *trace;

    c.model.topology = q->model.network.topology;
    TRY(trace_prediction(q, &c, s.algorithm, 0, &trace));
    s.trace = need(trace);
    trace_as_svg.show(f, &s);
    logp_trace_free(trace);
    return NULL;
}

/* Of two columns of a page. */
static double column_width(double page)
{
    return floor((page - APART) / 2);
}

struct problem *draw_run(const struct paper *p, const struct paper_table *t, double page,
                         char **svg)
{
    struct question q = options_of(p, &t->drawn);
    size_t size;
    FILE *f = need(open_memstream(svg, &size));
    struct problem *problem;

    if (page > 0 && t->picture == PAPER_TIME)
        q.form.width = (int)column_width(page);
    problem = (t->picture == PAPER_TREE ? draw_tree : draw_diagram)(f, &q, &t->drawn);

    close_text(f, svg);
    logp_topology_destroy((struct logp_topology *)q.model.network.topology);
    return problem;
}

/* ---- one picture of several ---- */

/* As the address of an image, with the characters special to XML or addresses escaped. */
static void write_address(FILE *f, const char *svg)
{
    fputs("data:image/svg+xml,", f);
    for (; *svg != '\0'; svg++)
        if (strchr("-_.~/:=;,() ", *svg) != NULL || (*svg >= '0' && *svg <= '9') ||
            (*svg >= 'A' && *svg <= 'Z') || (*svg >= 'a' && *svg <= 'z'))
            putc(*svg, f);
        else
            fprintf(f, "%%%02X", (unsigned)(unsigned char)*svg);
}

/* The places of the pictures: the first is as wide as the page, and the others are in two columns,
 * each put into the shorter one, and made smaller where it is too wide. */
struct place {
    double x, y, width, height;
};

static struct place all_places(const struct picture *pictures, size_t n, struct place *places)
{
    const double page = svg_number(pictures[0].svg, "width=\""),
                 high = svg_number(pictures[0].svg, "height=\""), wide = column_width(page);
    double used[2] = {high, high};

    places[0] = (struct place){.width = page, .height = high};
    for (size_t i = 1; i < n; i++) {
        const int column = used[1] < used[0];
        const double width = svg_number(pictures[i].svg, "width=\""),
                     height = svg_number(pictures[i].svg, "height=\""),
                     scale = fmin(1, wide / width);

        places[i] = (struct place){column * (wide + APART), used[column] + CAPTION, width * scale,
                                   height * scale};
        used[column] += CAPTION + height * scale + APART;
    }
    return (struct place){.width = page, .height = fmax(used[0], used[1])};
}

static void draw_image(struct canvas *to, const struct picture *picture, const struct place *at)
{
    canvas_text(to, (struct look){.size = 14}, at->x + 20, at->y - CAPTION / 3.0, picture->caption);
    fprintf(to->f, "\n<image x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" href=\"", at->x, at->y,
            at->width, at->height);
    write_address(to->f, picture->svg);
    fputs("\"/>\n", to->f);
}

void draw_together(FILE *f, const struct picture *pictures, size_t n)
{
    static const struct color_rule colors[] = {
        {".bg", "fill", COLOR_RAISED}, {"text", "fill", COLOR_INK}, {NULL}};
    struct place places[MOST_TABLES + 1], all = all_places(pictures, n, places);
    struct canvas to = svg_canvas(f);

    begin_svg(&to, &(struct sheet){all.width, all.height, .css = "", .rules = colors});
    for (size_t i = 0; i < n; i++)
        if (pictures[i].caption != NULL)
            draw_image(&to, &pictures[i], &places[i]);
        else
            fputs(pictures[i].svg, f);
    canvas_end(&to);
    canvas_end_line(&to);
}
