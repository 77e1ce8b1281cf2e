/* SPDX-License-Identifier: MIT */
/* Texts and arrays that grow, and the time. */
#include "kit.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool lpi_kit_grow(void *array, int *capacity, int n, size_t size)
{
    const int larger = n > INT32_MAX / 2 ? INT32_MAX : 2 * n + 16;
    void *at;

    if (n <= *capacity)
        return true;
    memcpy(&at, array, sizeof(at)); /* a pointer of any type */
    at = realloc(at, (size_t)larger * size);
    if (at == NULL)
        return false;
    memcpy(array, &at, sizeof(at));
    *capacity = larger;
    return true;
}

int64_t lpi_kit_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void lpi_text_add(struct lpi_text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->s != NULL ? t->s + t->n : NULL, t->capacity - t->n, format, args);
    va_end(args);
    if (t->failed || n < 0)
        return;
    if (t->n + (size_t)n >= t->capacity) {
        const size_t capacity = 2 * (t->n + (size_t)n) + 256;
        char *s = realloc(t->s, capacity);

        if (s == NULL) {
            t->failed = true;
            return;
        }
        t->s = s;
        t->capacity = capacity;
        va_start(args, format);
        vsnprintf(t->s + t->n, t->capacity - t->n, format, args);
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

/* ---- texts of the program ---- */

/* The bytes of the control character that the text begins with; 0: it begins with another one. U+0080 to U+009f
 * are control characters, too. */
static size_t control_bytes(const unsigned char *s)
{
    return *s < ' ' || *s == 0x7f ? 1 : s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f ? 2 : 0;
}

void lpi_kit_show(char *to, size_t size, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    char piece[16];
    size_t n = 0;

    to[0] = '\0';
    while (*s != '\0') {
        const size_t control = control_bytes(s);

        if (*s == '\n' || *s == '\t' || *s == '\r')
            snprintf(piece, sizeof(piece), "\\%c", *s == '\n' ? 'n' : *s == '\t' ? 't' : 'r');
        else if (control == 2)
            snprintf(piece, sizeof(piece), "\\x%02x\\x%02x", s[0], s[1]);
        else
            snprintf(piece, sizeof(piece), control > 0 ? "\\x%02x" : "%c", *s);
        if (n + strlen(piece) >= size)
            return;
        strcpy(to + n, piece);
        n += strlen(piece);
        s += control > 0 ? control : 1;
    }
}

/* ---- fractions: as in C, in every locale ---- */

/* @return the previous locale; 0: no memory */
static locale_t speak_c(locale_t *c)
{
    *c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return *c != (locale_t)0 ? uselocale(*c) : (locale_t)0;
}

static void speak_again(locale_t before, locale_t c)
{
    uselocale(before);
    freelocale(c);
}

void lpi_text_add_fraction(struct lpi_text *t, double x)
{
    locale_t c;
    const locale_t before = speak_c(&c);

    if (before == (locale_t)0) {
        t->failed = true;
        return;
    }
    lpi_text_add(t, "%.17g", x);
    speak_again(before, c);
}

int lpi_text_read_fraction(const char **at, double *x)
{
    locale_t c;
    const locale_t before = speak_c(&c);
    char *end;

    if (before == (locale_t)0)
        return -ENOMEM;
    *x = strtod(*at, &end);
    speak_again(before, c);
    if (end == *at)
        return -EINVAL;
    *at = end;
    return 0;
}
