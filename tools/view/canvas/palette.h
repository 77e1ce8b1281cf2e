/* SPDX-License-Identifier: MIT */
/*
 * The colours of the page, the diagrams and the curves. page.cmake reads this file as text: it makes
 * a variable of the style sheet from each ROLE, and the page's colours of algorithms from each
 * SERIES. tests/tools/palette.py checks that the colours differ for readers with any colour blindness
 * (Machado, Oliveira and Fernandes, IEEE TVCG 15(6), 2009), and their contrast with the paper.
 */
#ifndef LOGP_PALETTE_H
#define LOGP_PALETTE_H

#include <stdio.h>

/* The roles of colours: the name of each, its colour on light and on dark paper. */
#define PALETTE_ROLES(ROLE)                                                                        \
    ROLE(PAPER, "#fdfdfc", "#14171a")                                                              \
    ROLE(RAISED, "#ffffff", "#1b1f24") /* the ground of a figure */                                \
    ROLE(INK, "#1c2126", "#e6e9ec")                                                                \
    ROLE(SOFT, "#59636e", "#a0abb6")   /* secondary text; messages on the wire */                  \
    ROLE(LINE, "#e0e4e8", "#2e353c")   /* a grid; idle time */                                     \
    ROLE(STRONG, "#c2c9d0", "#48525c") /* an axis */                                               \
    ROLE(ACCENT, "#0060a0", "#6cb8f0")                                                             \
    ROLE(TINT, "#eef5fb", "#1d2a36")                                                               \
    ROLE(ON_ACCENT, "#ffffff", "#10202c")                                                          \
    ROLE(SHADE, "#f4f6f8", "#1a1e23")                                                              \
    ROLE(SEND, "#0670d6", "#4a96ff")                                                               \
    ROLE(STREAM, "#3a9be0", "#3a6cb0") /* the bytes of a long message */                           \
    ROLE(RECEIVE, "#c9850c", "#f9c31e")                                                            \
    ROLE(COMPUTE, "#00a062", "#4de299")                                                            \
    ROLE(GAP, "#8a939c", "#7d8894")                                                                \
    ROLE(STALL, "#d94297", "#c8508f")                                                              \
    ROLE(MARK, "#590c7b", "#c9dbf9")                                                               \
    ROLE(PATH, "#ac1918", "#e85a38") /* the critical path; lost, late and wrong items */

/* The colours of an algorithm: a ground and the ink on it; a line on light and on dark paper. */
#define PALETTE_SERIES(SERIES)                                                                     \
    SERIES("#56b4e9", "#06283d", "#085ddf", "#2ea7ff")                                             \
    SERIES("#e69f00", "#3a2800", "#da7c00", "#e4b453")                                             \
    SERIES("#009e73", "#00150f", "#075465", "#5df0ae")                                             \
    SERIES("#cc79a7", "#33091e", "#c25dbe", "#b6679a")                                             \
    SERIES("#f0e442", "#3b3700", "#4c6a15", "#e5f514")                                             \
    SERIES("#d55e00", "#1f0d00", "#e4252e", "#c8473a")                                             \
    SERIES("#0072b2", "#ffffff", "#30267d", "#6c6dff")                                             \
    SERIES("#c4c9ce", "#22282e", "#7a5c52", "#b6eefb")

#define ROLE(name, light, dark) COLOR_##name,
/* After the roles, the lines of N_SERIES_COLORS series; those of more series repeat them. */
enum color { PALETTE_ROLES(ROLE) COLOR_SERIES };
#undef ROLE
enum { N_SERIES_COLORS = 8 };

/* A property of the elements of a class, and its colour: ".send", "fill". */
struct color_rule {
    const char *selector, *property;
    int color; /* COLOR_SERIES + i: the line of series i */
};

/* The rules as a style sheet of an SVG, for light and dark paper; the last has no selector. */
void write_colors(FILE *f, const struct color_rule *rules);

#endif
