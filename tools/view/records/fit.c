/* SPDX-License-Identifier: MIT */
/*
 * A table that is too wide for the terminal: its columns get as narrow as their text, and then
 * the least important ones are left out, so that the mark of the best row is seen.
 */
#include "view/records/columns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* @return 0: f is not a terminal, and all columns are shown */
static int terminal_width(FILE *f)
{
    struct winsize size = {0};

    return isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int width_of(const struct table *t)
{
    int width = 0;

    for (int i = 0; i < t->n; i++)
        width += t->width[i] + (i == 0 ? 0 : t->column[i].width < 0 ? 2 : 1);
    return width;
}

/* Make each column as narrow as its text. */
static void tighten(struct table *t)
{
    for (int i = 0; i < t->n; i++) {
        t->width[i] = 0;
        for (int row = -1; row < (int)t->rows; row++) {
            const int length = (int)strlen(table_text(t, i, row));

            t->width[i] = length > t->width[i] ? length : t->width[i];
        }
    }
}

/* Whether the column may be left out. A wrong result is always shown. */
static bool may_go(const struct table *t, int i)
{
    for (size_t row = 0; row < t->rows; row++)
        if (strcmp(t->cell[i][row], "NO") == 0)
            return false;
    return t->column[i].spare > 0;
}

/* The least important column; -1: none may be left out. */
static int next_to_go(const struct table *t)
{
    int least = -1;

    for (int i = 0; i < t->n; i++)
        if (may_go(t, i) && (least < 0 || t->column[i].spare >= t->column[least].spare))
            least = i;
    return least;
}

int fit_table(FILE *f, struct table *t, struct names *gone)
{
    const int width = terminal_width(f);
    int i;

    *gone = (struct names){0};
    if (width > 0 && width_of(t) > width)
        tighten(t);
    while (width > 0 && width_of(t) > width && (i = next_to_go(t)) >= 0) {
        add_name(gone, t->column[i].heading);
        free(t->cell[i]);
        t->n--;
        for (; i < t->n; i++) {
            t->column[i] = t->column[i + 1];
            t->cell[i] = t->cell[i + 1];
            t->width[i] = t->width[i + 1];
        }
    }
    return width;
}
