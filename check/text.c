/* SPDX-License-Identifier: MIT */
/* A text that grows. */
#include "kit.h"

#include <stdarg.h>
#include <stdio.h>

void lpi_text_add(struct lpi_text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->s != NULL ? t->s + t->n : NULL, t->room - t->n, format, args);
    va_end(args);
    if (t->failed || n < 0)
        return;
    if (t->n + (size_t)n >= t->room) {
        const size_t room = 2 * (t->n + (size_t)n) + 256;
        char *s = realloc(t->s, room);

        if (s == NULL) {
            t->failed = true;
            return;
        }
        t->s = s;
        t->room = room;
        va_start(args, format);
        vsnprintf(t->s + t->n, t->room - t->n, format, args);
        va_end(args);
    }
    t->n += (size_t)n;
}
