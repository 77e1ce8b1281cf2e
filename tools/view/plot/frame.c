/* SPDX-License-Identifier: MIT */
/* The frame of curves: axes, the names of rows, the legend. See plot.h. */
#include "view/plot/plot.h"

enum {
    TIC = 6,
    LEVEL_APART = 60, /* between tics */
    SAMPLE = 28,      /* the width of a sample of the legend */
    LINE = 16,        /* of the legend, as in diagrams; and the first below the curves: */
    LEGEND = 54,
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

/* The sample of a value beyond the axis is the last entry. */
enum { BEYOND = N_PLOT_KINDS, N_ENTRIES };

static const char *entry_of(const struct plot *p, int entry)
{
    return entry == BEYOND ? "beyond the axis" : p->kinds[entry];
}

void draw_plot_legend(struct canvas *to, const struct plot *p, const struct plot_area *area)
{
    const double sample = p->n_rows > 0 ? SAMPLE / 2.0 : SAMPLE, apart = 5;
    const double room = area->width + area->aside + area->labels, left = area->x;
    double widths[N_ENTRIES] = {0}, x = 0, y = area->y + area->height + LEGEND;
    bool used[N_ENTRIES] = {false};

    for (size_t i = 0; i < p->n_curves; i++) {
        const enum plot_kind kind = p->curves[i].kind;

        used[kind] |= p->kinds[kind] != NULL;
        used[BEYOND] |= has_beyond(p, area, &p->curves[i]);
    }
    for (int entry = 0; entry < N_ENTRIES; entry++) {
        if (used[entry])
            widths[entry] =
                sample + apart + canvas_text_size(to, entry_of(p, entry), PLOT_SIZE) + LINE;
    }
    canvas_group(to, (struct look){.class = p->n_series > 1 ? "legend ink" : "legend s0"}, 0, 0, 0);
    for (int entry = 0; entry < N_ENTRIES; entry++) {
        if (widths[entry] == 0)
            continue;
        if (x > 0 && x + widths[entry] > room) {
            x = 0;
            y += LINE;
        }
        if (entry == BEYOND)
            draw_plot_beyond(to, (struct point){left + x + sample / 2, y});
        else
            draw_plot_sample(to, p, (enum plot_kind)entry, left + x, y, sample);
        canvas_text(to, (struct look){0}, left + x + sample + apart, y + 4, entry_of(p, entry));
        x += widths[entry];
    }
    canvas_end_group(to);
    canvas_end_line(to);
}
