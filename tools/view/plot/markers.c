/* SPDX-License-Identifier: MIT */
/* The marks of series. See plot.h. */
#include "view/plot/plot.h"

/* Their corners, for a radius of 1. */
static const struct {
    size_t n;
    struct point corners[5];
} markers[] = {
    [PLOT_SQUARE] = {4, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
    [PLOT_DIAMOND] = {4, {{0, -1.41}, {1.41, 0}, {0, 1.41}, {-1.41, 0}}},
    [PLOT_DOWN] = {3, {{0, 1.33}, {1.33, -0.67}, {-1.33, -0.67}}},
    [PLOT_PENTAGON] = {5, {{0, -1.33}, {1.27, -0.41}, {0.78, 1.08}, {-0.78, 1.08}, {-1.27, -0.41}}},
    [PLOT_UP] = {3, {{0, -1.33}, {-1.33, 0.67}, {1.33, 0.67}}},
};

void draw_mark(struct canvas *to, enum plot_marker marker, struct look look, struct point at,
               double radius)
{
    struct point corners[5];

    for (size_t i = 0; i < markers[marker].n; i++)
        corners[i] = (struct point){at.x + radius * markers[marker].corners[i].x,
                                    at.y + radius * markers[marker].corners[i].y};
    if (marker == PLOT_DISC)
        canvas_disc(to, look, at.x, at.y, radius);
    else
        canvas_path(to, look, corners, markers[marker].n, true);
}

/* Colours repeat after 8 series; each repetition pairs them with other markers and dashes. */
void draw_marker(struct canvas *to, int series, struct point at, double radius, bool filled)
{
    draw_mark(to, (enum plot_marker)((series + series / N_SERIES_COLORS) % N_PLOT_MARKERS),
              (struct look){.class = filled ? "disc" : "ring"}, at, radius);
}
