/* SPDX-License-Identifier: MIT */
/* One canvas, three back-ends: the SVG of a file and of a page, and lines of a terminal. */
#include "text/text.h"
#include "view/canvas/canvas.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct color_rule colors[] = {{".bg", "fill", COLOR_RAISED}, {NULL}};
static const struct sheet sheet = {.width = 20,
                                   .height = 10,
                                   .css = ".a{stroke:red}",
                                   .rules = colors,
                                   .class = "heat",
                                   .label = "a < b"};

static char *text;
static size_t size;

static struct canvas begin(bool page)
{
    struct canvas c = svg_canvas(open_memstream(&text, &size));

    (page ? begin_svg_of_page : begin_svg)(&c, &sheet);
    return c;
}

/* What has been drawn, to be freed. */
static char *end(struct canvas *c)
{
    canvas_end(c);
    return close_text(c->f, &text);
}

Test(canvas, draws_a_file_with_its_styles)
{
    struct canvas c = begin(false);
    const struct point points[] = {{1, 2}, {3.25, 4}};
    char *svg;

    canvas_box(&c, (struct look){.class = "a", .title = "x < y"}, 1, 2, 3.5, 4);
    canvas_line(&c, (struct look){.class = "b", .title = ""}, 0, 0, 1, 1);
    c.digits = (struct digits){.x = 1};
    canvas_path(&c, (struct look){0}, points, 2, true);
    canvas_shape(&c, (struct look){.class = "m"}, 5, 6, "h2");
    canvas_disc(&c, (struct look){0}, 5, 6, 2);
    c.digits = (struct digits){0};
    canvas_group(&c, (struct look){.title = "t"}, 0, 0, 0);
    canvas_text(&c, (struct look){.size = 9, .anchor = ANCHOR_END}, 1, 2, "a & b");
    canvas_end_group(&c);
    svg = end(&c);
    cr_assert(strstr(svg, "width=\"20\" height=\"10\" viewBox=\"0 0 20 10\"") != NULL);
    cr_assert(strstr(svg, "<style>.a{stroke:red}\n.bg{fill:#ffffff}") != NULL);
    cr_assert(strstr(svg, "<rect class=\"a\" x=\"1\" y=\"2\" width=\"3.5\" height=\"4\">"
                          "<title>x &lt; y</title></rect>"
                          "<line class=\"b\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\"></line>"
                          "<path d=\"M1.0 2L3.2 4z\"/><path class=\"m\" d=\"M5.0 6h2\"/>"
                          "<circle cx=\"5.0\" cy=\"6\" r=\"2\"/>"
                          "<g><title>t</title><text x=\"1\" y=\"2\" font-size=\"9\" "
                          "text-anchor=\"end\">a &amp; b</text></g></svg>") != NULL,
              "%s", svg);
    free(svg);
}

Test(canvas, draws_for_a_page_without_styles)
{
    struct canvas c = begin(true);
    char *svg;

    canvas_box(&c, (struct look){.class = "a", .style = "fill:var(--x)"}, 0, 0, 1, 1);
    svg = end(&c);
    cr_assert_str_eq(svg, "<svg class=\"heat\" role=\"img\" aria-label=\"a &lt; b\" "
                          "viewBox=\"0 0 20 10\">\n<rect class=\"a\" x=\"0\" y=\"0\" width=\"1\" "
                          "height=\"1\" style=\"fill:var(--x)\"/></svg>");
    free(svg);
}

/* Ten cells for x from 0 to 100. */
static struct canvas terminal(struct glyph *glyphs, bool is_unicode)
{
    return terminal_canvas(open_memstream(&text, &size), 10, 100, glyphs, is_unicode);
}

Test(canvas, a_cell_shows_the_box_that_covers_most_of_it)
{
    struct glyph glyphs[] = {{"a", "A", "█", .idle = false},
                             {"idle", "-", "─", .idle = true},
                             {"b", ":", "▒", .idle = false}};
    struct canvas c = terminal(glyphs, false);
    char *lines;

    canvas_text(&c, (struct look){0}, 0, 0, "P0 ");
    canvas_box(&c, (struct look){.class = "a"}, 0, 0, 36, 1);
    canvas_box(&c, (struct look){.class = "idle"}, 36, 0, 34, 1);
    canvas_box(&c, (struct look){.class = "b", .behind = true}, 30, 0, 24, 1);
    canvas_end_line(&c);
    canvas_box(&c, (struct look){.class = "a"}, 90, 0, 10, 1);
    canvas_end_line(&c);
    lines = end(&c);
    cr_assert_str_eq(lines, "P0 AAAA:--\n         A\n");
    cr_assert(glyphs[0].used && glyphs[1].used && glyphs[2].used);
    free(lines);
}

Test(canvas, a_label_is_in_the_middle_of_its_box_where_it_fits)
{
    struct glyph glyphs[] = {{"a", "A", "█", .idle = false}, {"mark", "v", "▼", .idle = false}};
    struct canvas c = terminal(glyphs, true);
    char *lines;

    canvas_box(&c, (struct look){.class = "a"}, 0, 0, 60, 1);
    canvas_box(&c, (struct look){.class = "a"}, 70, 0, 30, 1);
    canvas_shape(&c, (struct look){.class = "mark"}, 65, 0, "");
    cr_assert(canvas_label(&c, (struct look){.class = "a"}, 0, 60, "→5"));
    cr_assert_not(canvas_label(&c, (struct look){.class = "a"}, 70, 30, "→5"));
    canvas_end_line(&c);
    lines = end(&c);
    cr_assert_str_eq(lines, "██→5██▼███\n");
    free(lines);
}

Test(canvas, steps_of_an_axis_are_1_2_or_5_times_a_power_of_ten)
{
    cr_assert_float_eq(axis_step(0.7), 1, 1e-12);
    cr_assert_float_eq(axis_step(1.5), 2, 1e-12);
    cr_assert_float_eq(axis_step(21), 50, 1e-12);
    cr_assert_float_eq(axis_step(0.07), 0.1, 1e-12);
}
