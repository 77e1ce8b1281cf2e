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

void lpi_text_add_line(struct lpi_text *t, const char *name, const char *text)
{
    lpi_text_add(t, *text != '\0' ? "%s " : "%s", name);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
        if (*c == '\\')
            lpi_text_add(t, "\\\\");
        else if (*c < ' ' || *c == 0x7f)
            lpi_text_add(t, "\\x%02x", *c);
        else
            lpi_text_add(t, "%c", *c);
    lpi_text_add(t, "\n");
}
