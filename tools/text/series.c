/* SPDX-License-Identifier: MIT */
/* Several values in one text: "2,4,8", "2..64*2", "2..20+2", "2..8", and lists of these. */
#include "text/problem.h"

#include <logp/quantity.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100000 };

static const char *const how =
    "must be values with commas between them, or ranges of whole numbers or times: '2..64*2' "
    "(twice each), 2..20+2 (two more each), 2..8";
static const char *const reversed = "must be a range from its least value to its largest: 2..8";
static const char *const too_many = "must be at most 100000 values, as 1..1M*2";

/* A number of a range: its value and its unit. */
struct end {
    int64_t n;
    bool suffixed; /* a time in picoseconds; else one in millionths of a unit */
};

static bool read_end(const char *text, enum series_kind kind, struct end *out)
{
    const size_t length = strlen(text);

    out->suffixed = kind == SERIES_TIMES && length > 0 && text[length - 1] == 's';
    if (kind == SERIES_TIMES)
        return logp_time_parse(text, 1000000, &out->n);
    return parse_number(text, kind == SERIES_BYTES, 0, INT64_MAX, &out->n);
}

static char *write_end(const struct end *e, enum series_kind kind)
{
    char text[48];

    if (kind != SERIES_TIMES)
        snprintf(text, sizeof(text), "%lld", (long long)e->n);
    else if (!e->suffixed)
        snprintf(text, sizeof(text), "%lld.%06lld", (long long)(e->n / 1000000),
                 (long long)(e->n % 1000000));
    else if (e->n % 1000 != 0)
        snprintf(text, sizeof(text), "%lldps", (long long)e->n);
    else
        snprintf(text, sizeof(text), "%lldns", (long long)(e->n / 1000));
    for (size_t n = strlen(text); strchr(text, '.') != NULL && strchr("0.", text[n - 1]) != NULL;)
        text[--n] = '\0';
    return need(strdup(text));
}

/* @return NULL; or the allowed values, as in all functions below */
static const char *add(struct series *s, char *value)
{
    if (s->n == MOST_VALUES) {
        free(value);
        return too_many;
    }
    if ((s->n & (s->n - 1)) == 0) /* 0, or a power of two: the array is full */
        s->value = need(realloc(s->value, (size_t)(s->n > 0 ? 2 * s->n : 1) * sizeof(char *)));
    s->value[s->n++] = value;
    return NULL;
}

/* "2..64*2": first is the text before the dots, rest the text after them; both are written to. */
static const char *add_range(struct series *s, char *first, char *rest, enum series_kind kind)
{
    char *sign = strpbrk(rest, "*+");
    const bool times = sign != NULL && *sign == '*';
    bool met = false; /* the end */
    struct end at, last, step = {1, false};

    if (sign != NULL)
        *sign++ = '\0';
    if (sign == NULL && kind == SERIES_TIMES)
        step.n = 1000000; /* a unit */
    if (!read_end(first, kind, &at) || !read_end(rest, kind, &last) ||
        (sign != NULL && !read_end(sign, times ? SERIES_NUMBERS : kind, &step)) ||
        at.suffixed != last.suffixed || (!times && step.suffixed != at.suffixed) ||
        step.n < (times ? 2 : 1) || (times && at.n == 0))
        return how;
    if (at.n > last.n)
        return reversed;
    while (at.n <= last.n) {
        if (add(s, write_end(&at, kind)) != NULL)
            return too_many;
        met = at.n == last.n;
        if (times ? __builtin_mul_overflow(at.n, step.n, &at.n)
                  : __builtin_add_overflow(at.n, step.n, &at.n))
            break;
    }
    s->short_of_end |= !met;
    return NULL;
}

static const char *add_item(struct series *s, char *item, enum series_kind kind)
{
    char *dots = kind != SERIES_WORDS ? strstr(item, "..") : NULL;

    if (dots == NULL)
        return *item != '\0'          ? add(s, need(strdup(item)))
               : kind == SERIES_WORDS ? "must be words with commas between them"
                                      : how;
    *dots = '\0';
    return add_range(s, item, dots + 2, kind);
}

bool is_series(const char *text, enum series_kind kind)
{
    return kind != SERIES_NONE &&
           (strchr(text, ',') != NULL || (kind != SERIES_WORDS && strstr(text, "..") != NULL));
}

bool is_dashed_range(const char *text, enum series_kind kind)
{
    const size_t n = strcspn(text, "-");

    return kind != SERIES_NONE && kind != SERIES_WORDS && isdigit((unsigned char)text[0]) &&
           text[n] == '-' && isdigit((unsigned char)text[n + 1]) &&
           isalnum((unsigned char)text[n - 1]) && tolower(text[n - 1]) != 'e';
}

const char *read_series(const char *text, enum series_kind kind, struct series *out)
{
    char *copy = need(strdup(text)), *rest = copy;
    const char *allowed = NULL;

    *out = (struct series){0};
    while (allowed == NULL && rest != NULL) {
        char *item = strsep(&rest, ",");

        allowed = add_item(out, item, kind);
    }
    free(copy);
    for (int i = 0; allowed != NULL && i < out->n; i++)
        free(out->value[i]);
    if (allowed != NULL)
        free(out->value);
    return allowed;
}
