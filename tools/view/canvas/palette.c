/* SPDX-License-Identifier: MIT */
/* The palette as C. See palette.h. */
#include "view/canvas/palette.h"

#include <stddef.h>

static const struct {
    const char *light, *dark;
} colors[] = {
#define ROLE(name, light, dark) {light, dark},
    PALETTE_ROLES(ROLE)
#undef ROLE
#define SERIES(fill, ink, light, dark) {light, dark},
        PALETTE_SERIES(SERIES)
#undef SERIES
};

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
