/* SPDX-License-Identifier: MIT */
/* The palette as C. See palette.h. */
#include "view/plot/palette.h"

static const struct {
    const char *light, *dark;
} colors[N_COLORS] = {
#define ROLE(name, light, dark) {light, dark},
    PALETTE_ROLES(ROLE)
#undef ROLE
};

static const char *const lines[N_SERIES_COLORS] = {
#define SERIES(fill, ink, light, dark) light,
    PALETTE_SERIES(SERIES)
#undef SERIES
};

const char *color_of(enum color color)
{
    return colors[color].light;
}

const char *color_of_series(int i)
{
    return lines[i % N_SERIES_COLORS];
}

/* Plain colours: few programs other than browsers know the variables of style sheets. */
void write_colors(FILE *f, const struct color_rule *rules)
{
    for (const struct color_rule *r = rules; r->selector != NULL; r++)
        fprintf(f, "%s{%s:%s}", r->selector, r->property, colors[r->color].light);
    fputs("\n@media (prefers-color-scheme:dark){", f);
    for (const struct color_rule *r = rules; r->selector != NULL; r++)
        fprintf(f, "%s{%s:%s}", r->selector, r->property, colors[r->color].dark);
    fputs("}", f);
}
