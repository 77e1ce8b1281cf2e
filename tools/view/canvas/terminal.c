/* SPDX-License-Identifier: MIT */
/*
 * A canvas as lines of a terminal. See canvas.h. A cell shows the box that covers most of it, and
 * the first of those that cover equal parts; a mark covers its cell. Texts come before the boxes of
 * their line; y does not count.
 */
#include "text/problem.h"
#include "view/canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 8 }; /* of a character, with its end */

struct cells {
    int n;
    int64_t span;
    bool is_unicode;
    struct glyph *glyphs;
    int *seen;                /* by cell: the number of its glyph; -1: none */
    int64_t *covered;         /* by cell: how much of it the box covers */
    char (*text)[MOST_BYTES]; /* in place of the glyph; "": none */
};

static int glyph_of(const struct cells *s, const char *class)
{
    int i = 0;

    while (strcmp(s->glyphs[i].class, class) != 0)
        i++;
    return i;
}

/* Where a cell begins. */
static int64_t start_of(const struct cells *s, int cell)
{
    return (int64_t)((double)s->span * cell / s->n);
}

static int cell_at(const struct cells *s, int64_t x)
{
    const int cell = s->span > 0 ? (int)((double)x * s->n / (double)s->span) : 0;

    return cell < s->n ? cell : s->n - 1;
}

/* Whether a box that covers so much of a cell is seen in it. */
static bool is_seen(const struct cells *s, int cell, int64_t share, bool behind)
{
    const bool empty = s->seen[cell] < 0;

    if (!behind)
        return share > s->covered[cell];
    if (!empty && !s->glyphs[s->seen[cell]].idle)
        return false;
    return 2 * share > (empty ? start_of(s, cell + 1) - start_of(s, cell) : s->covered[cell]);
}

static void box(struct canvas *c, struct look look, double x, double y, double width, double height)
{
    struct cells *const s = c->cells;
    const int glyph = glyph_of(s, look.class);
    const int64_t start = (int64_t)x, end = (int64_t)(x + width);
    const int last = cell_at(s, end > start ? end - 1 : end);

    (void)y;
    (void)height;
    s->glyphs[glyph].used |= !look.behind;
    for (int i = cell_at(s, start); i <= last; i++) {
        const int64_t from = start_of(s, i), to = start_of(s, i + 1);
        const int64_t share = (end < to ? end : to) - (start > from ? start : from);

        if (!is_seen(s, i, share, look.behind))
            continue;
        s->seen[i] = glyph;
        s->glyphs[glyph].used = true;
        if (!look.behind)
            s->covered[i] = share;
    }
}

static void shape(struct canvas *c, struct look look, double x, double y, const char *path)
{
    const int cell = cell_at(c->cells, (int64_t)x), glyph = glyph_of(c->cells, look.class);

    (void)y;
    (void)path;
    c->cells->glyphs[glyph].used = true;
    c->cells->seen[cell] = glyph;
    c->cells->covered[cell] = INT64_MAX;
}

static void text(struct canvas *c, struct look look, double x, double y, const char *words)
{
    (void)look;
    (void)x;
    (void)y;
    fputs(words, c->f);
}

static bool label(struct canvas *c, struct look look, double x, double width, const char *words)
{
    struct cells *const s = c->cells;
    const int glyph = glyph_of(s, look.class), last = cell_at(s, (int64_t)(x + width) - 1),
              n = (int)canvas_text_size(c, words, 1);
    int first = cell_at(s, (int64_t)x), end;

    while (first <= last && s->seen[first] != glyph)
        first++;
    for (end = first; end <= last && s->seen[end] == glyph; end++)
        ;
    if (end - first < n + 2)
        return false;
    for (int cell = first + (end - first - n) / 2; *words != '\0'; cell++) {
        int bytes = 1;

        while (((unsigned char)words[bytes] & 0xc0) == 0x80)
            bytes++;
        snprintf(s->text[cell], MOST_BYTES, "%.*s", bytes, words);
        words += bytes;
    }
    return true;
}

static void clear(struct cells *s)
{
    for (int i = 0; i < s->n; i++) {
        s->seen[i] = -1;
        s->covered[i] = 0;
        s->text[i][0] = '\0';
    }
}

static void end_line(struct canvas *c)
{
    struct cells *const s = c->cells;
    int end = s->n;

    while (end > 0 && s->seen[end - 1] < 0)
        end--;
    for (int i = 0; i < end; i++)
        fputs(s->text[i][0] != '\0' ? s->text[i]
              : s->seen[i] < 0      ? " "
              : s->is_unicode       ? s->glyphs[s->seen[i]].unicode
                                    : s->glyphs[s->seen[i]].ascii,
              c->f);
    putc('\n', c->f);
    clear(s);
}

static void end(struct canvas *c)
{
    free(c->cells->seen);
    free(c->cells->covered);
    free(c->cells->text);
    free(c->cells);
}

static const struct canvas_methods methods = {
    .box = box,
    .shape = shape,
    .text = text,
    .label = label,
    .end_line = end_line,
    .end = end,
    .letter = 1,
};

struct canvas terminal_canvas(FILE *f, int cells, int64_t span, struct glyph *glyphs,
                              bool is_unicode)
{
    struct cells *s = need(calloc(1, sizeof(*s)));

    *s = (struct cells){cells, span, is_unicode, glyphs, NULL, NULL, NULL};
    s->seen = need(calloc((size_t)cells, sizeof(*s->seen)));
    s->covered = need(calloc((size_t)cells, sizeof(*s->covered)));
    s->text = need(calloc((size_t)cells, sizeof(*s->text)));
    clear(s);
    return (struct canvas){.methods = &methods, .f = f, .cells = s};
}
