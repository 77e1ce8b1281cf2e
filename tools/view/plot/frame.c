/* SPDX-License-Identifier: MIT */
/* The frame of curves: axes, the names of rows, the legend. See plot.h. */
#include "view/plot/plot.h"

enum {
    TIC = 6,
    LEVEL_APART = 60, /* between tics */
    SAMPLE = 28,      /* the width of a sample of the legend */
    LINE = 14,        /* of the legend */
};

/* ---- axes ---- */

static void draw_line(struct canvas *to, const char *class, double x, double y, double dx,
                      double dy)
{
    canvas_line(to, (struct look){.class = class}, x, y, x + dx, y + dy);
}

/* Draw the axis below the curves, or above them. both: tics on both sides */
static void draw_level_axis(struct canvas *to, const struct plot_area *area,
                            const struct plot_axis *axis, const struct plot_tics *tics,
                            const char *name, bool above, bool both)
{
    const double end = area->y + area->height, y = above ? area->y : end;

    for (size_t i = 0; i < tics->n; i++) {
        const double x = area->x + axis_place(axis, tics->tics[i].at) * area->width;

        if (!above)
            draw_line(to, "grid", x, end, 0, -area->height);
        draw_line(to, "axis", x, y, 0, above ? TIC : -TIC);
        if (both)
            draw_line(to, "axis", x, area->y, 0, TIC);
        canvas_text(to, (struct look){.class = "mid"}, x, above ? y - 6 : y + 17,
                    tics->tics[i].label);
        canvas_end_line(to);
    }
    canvas_text(to, (struct look){.class = "mid"}, area->x + area->width / 2,
                above ? y - 20 : y + 38, name);
    canvas_end_line(to);
}

/* Draw the axis at the left of the curves, or at their right. both: tics on both sides */
static void draw_upright_axis(struct canvas *to, const struct plot_area *area,
                              const struct plot_axis *axis, const struct plot_tics *tics,
                              bool right, bool both)
{
    const double end = area->x + area->width, x = right ? end : area->x;

    for (size_t i = 0; i < tics->n; i++) {
        const double y = area->y + (1 - axis_place(axis, tics->tics[i].at)) * area->height;

        if (!right)
            draw_line(to, "grid", x, y, area->width, 0);
        draw_line(to, "axis", x, y, right ? -TIC : TIC, 0);
        if (both)
            draw_line(to, "axis", end, y, -TIC, 0);
        canvas_text(to, (struct look){.class = right ? NULL : "end"}, right ? x + 6 : x - 6, y + 4,
                    tics->tics[i].label);
        canvas_end_line(to);
    }
}

static void draw_row_names(struct canvas *to, const struct plot *p, const struct plot_area *area,
                           double left)
{
    char name[MAX_TITLE];

    for (size_t i = 0; i < p->n_rows; i++) {
        const double y = area->y + ((double)i + 0.5) / (double)p->n_rows * area->height;

        draw_line(to, "grid", area->x, y, area->width, 0);
        canvas_text(to, (struct look){.class = "end"}, area->x - 6, y + 4,
                    shorten(to, p->rows[i], left - 12, PLOT_SIZE, name));
        canvas_end_line(to);
    }
    canvas_text(to, (struct look){.class = "end soft"}, area->x - 6, area->y - 8,
                shorten(to, p->names, left - 12, PLOT_SIZE, name));
    canvas_end_line(to);
}

void draw_plot_axes(struct canvas *to, const struct plot *p, const struct plot_area *area,
                    double left)
{
    const int width = (int)area->width, height = (int)area->height;
    const bool rows = p->n_rows > 0, other = p->other_axis[0] != '\0';
    const struct plot_tics x = rows ? plot_value_tics(&area->y_axis, width, LEVEL_APART)
                                    : plot_x_tics(p, &area->x_axis, width),
                           y = plot_value_tics(&area->y_axis, height, PLOT_APART),
                           z = rows ? plot_value_tics(&area->other, width, LEVEL_APART)
                                    : plot_value_tics(&area->other, height, PLOT_APART);

    draw_level_axis(to, area, rows ? &area->y_axis : &area->x_axis, &x,
                    rows ? p->y_axis : p->x_axis, false, !rows || !other);
    if (rows) {
        draw_row_names(to, p, area, left);
    } else {
        draw_upright_axis(to, area, &area->y_axis, &y, false, !other);
        canvas_text(to, (struct look){.class = "mid", .rising = true},
                    area->x - left + PLOT_SIZE + 6, area->y + area->height / 2, p->y_axis);
    }
    if (rows && other) {
        draw_level_axis(to, area, &area->other, &z, p->other_axis, true, false);
    } else if (other) { /* its name is above it, apart from the leaders of names */
        draw_upright_axis(to, area, &area->other, &z, true, false);
        canvas_text(to, (struct look){.size = PLOT_SMALL}, area->x + area->width + 2, area->y - 8,
                    p->other_axis);
    }
    canvas_box(to, (struct look){.class = "axis"}, area->x, area->y, area->width, area->height);
    canvas_end_line(to);
}

/* ---- the legend ---- */

void draw_plot_legend(struct canvas *to, const struct plot *p, const struct plot_area *area)
{
    const bool above = p->n_rows > 0 && p->other_axis[0] != '\0';
    const double sample = p->n_rows > 0 ? SAMPLE / 2.0 : SAMPLE, apart = 6;
    const double room = area->width + (labels_height(p) > 0 ? 0 : area->labels);
    double left = area->x, widths[N_PLOT_KINDS] = {0}, all = 0, x = 0,
           y = area->y - 12 - (above ? PLOT_ABOVE : 0);

    for (size_t i = 0; i < p->n_curves; i++) {
        const enum plot_kind kind = p->curves[i].kind;

        if (p->kinds[kind] != NULL)
            widths[kind] =
                sample + apart + canvas_text_size(to, p->kinds[kind], PLOT_SMALL) + 2 * apart;
    }
    for (int kind = 0; kind < N_PLOT_KINDS; kind++)
        all += widths[kind];
    if (all > room)
        y -= LINE;
    else if (p->n_rows > 0) /* apart from the heading of the names of rows */
        left += area->width - all;
    canvas_group(to, (struct look){.class = p->n_series > 1 ? "legend ink" : "legend s0"}, 0, 0, 0);
    for (int kind = 0; kind < N_PLOT_KINDS; kind++) {
        if (widths[kind] == 0)
            continue;
        if (x > 0 && x + widths[kind] > room) {
            x = 0;
            y += LINE;
        }
        draw_plot_sample(to, p, (enum plot_kind)kind, left + x, y, sample);
        canvas_text(to, (struct look){.size = PLOT_SMALL}, left + x + sample + apart, y + 3.5,
                    p->kinds[kind]);
        x += widths[kind];
    }
    canvas_end_group(to);
    canvas_end_line(to);
}
