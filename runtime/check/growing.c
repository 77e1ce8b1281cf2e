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
