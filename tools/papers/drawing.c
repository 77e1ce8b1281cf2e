/* SPDX-License-Identifier: MIT */
/*
 * A paper's trees and space-time diagrams, drawn by the code of `logp tree` and `logp trace`. That
 * code prints on stdout, so stdout is a text in memory while it does; several pictures become one
 * that shows the others as images, whose styles do not meet.
 */
#include "papers/paper.h"

#include "file/file.h"
#include "view/trace/trace.h"
#include "answer/tree/tree.h"

#include <stdio.h>
#include <string.h>

enum { APART = 24, CAPTION = 30 }; /* pixels between two pictures, and above one */

/* ---- trees and diagrams ---- */

struct drawing {
    const struct paper *p;
    const struct paper_table *t;
    struct question q;
};

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

static void print_tree(const void *what)
{
    const struct drawing *d = what;
    const struct paper_case *x = &d->t->drawn;
    struct question q = d->q;
    struct tree tree;

    end_with(strcmp(x->collective, "summation") == 0 ? make_summation_tree(&q, &tree)
             : strcmp(x->algorithm, "optimal") == 0  ? make_broadcast_tree(&q, &tree)
                                                     : make_found_tree(&q, x->collective, &tree));
    tree_as_svg.show(stdout, &q, &tree);
    free_tree(&tree);
}

static void print_diagram(const void *what)
{
    const struct drawing *d = what;
    const struct paper_case *x = &d->t->drawn;
    struct logp_invocation c = x->c;
    struct shown s = {.q = &d->q, .algorithm = paper_algorithm(x)};
    struct logp_trace *trace;

    c.model.topology = d->q.model.network.topology;
    end_with(trace_prediction(&d->q, &c, s.algorithm, 0, &trace));
    if (trace == NULL)
        bad_usage("paper %s, %s: no memory for its diagram", d->p->name, d->t->figure);
    s.trace = trace;
    trace_as_svg.show(stdout, &s);
    logp_trace_free(trace);
}

char *draw_run(const struct paper *p, const struct paper_table *t)
{
    const struct drawing d = {p, t, options_of(p, &t->drawn)};
    char *svg = printed_by(t->picture == PAPER_TREE ? print_tree : print_diagram, &d);

    logp_topology_destroy((struct logp_topology *)d.q.model.network.topology);
    return svg;
}

/* ---- one picture of several ---- */

/* As the address of an image, with the characters special to XML or addresses escaped. */
static void print_address(const char *svg)
{
    fputs("data:image/svg+xml,", stdout);
    for (; *svg != '\0'; svg++)
        if (strchr("-_.~/:=;,() ", *svg) != NULL || (*svg >= '0' && *svg <= '9') ||
            (*svg >= 'A' && *svg <= 'Z') || (*svg >= 'a' && *svg <= 'z'))
            putchar(*svg);
        else
            printf("%%%02X", (unsigned)(unsigned char)*svg);
}

/* The places of the pictures: in rows as wide as the first picture. */
struct place {
    double x, y, width, height;
};

static struct place all_places(const struct picture *pictures, size_t n, struct place *places)
{
    struct place all = {0}, pen = {0};

    for (size_t i = 0; i < n; i++) {
        const double width = svg_number(pictures[i].svg, "width=\""),
                     height = svg_number(pictures[i].svg, "height=\""),
                     above = pictures[i].caption != NULL ? CAPTION : 0;

        if (i > 0 && pen.x + width > all.width) {
            pen.x = 0;
            pen.y = all.height + APART;
        }
        places[i] = (struct place){pen.x, pen.y + above, width, height};
        pen.x += width + APART;
        all.width = fmax(all.width, places[i].x + width);
        all.height = fmax(all.height, places[i].y + height);
    }
    return all;
}

static void print_image(const struct picture *picture, const struct place *at)
{
    printf("<text x=\"%g\" y=\"%g\" font-family=\"sans-serif\" font-size=\"14\">%s</text>\n"
           "<image x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" href=\"",
           at->x + 20, at->y - CAPTION / 3.0, picture->caption, at->x, at->y, at->width,
           at->height);
    print_address(picture->svg);
    puts("\"/>");
}

void print_together(const struct picture *pictures, size_t n)
{
    struct place places[MOST_TABLES + 1], all = all_places(pictures, n, places);

    printf("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
           "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
           "width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
           all.width, all.height, all.width, all.height);
    for (size_t i = 0; i < n; i++)
        if (pictures[i].caption != NULL)
            print_image(&pictures[i], &places[i]);
        else if (strstr(pictures[i].svg, "<svg") != NULL) /* without its XML declaration */
            fputs(strstr(pictures[i].svg, "<svg"), stdout);
    puts("</svg>");
}

/* ---- files ---- */

int write_picture(const char *path, const char *svg)
{
    struct new_file f = {0};
    int error = new_file_begin(&f, path);

    if (error == 0) {
        fputs(svg, f.f); /* new_file_keep() checks the stream */
        error = new_file_keep(&f);
    }
    if (error != 0)
        fprintf(stderr, "logp: cannot write %s: %s\n", path, strerror(error));
    return error == 0 ? EXIT_OK : EXIT_WRONG;
}
