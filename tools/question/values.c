/* SPDX-License-Identifier: MIT */
/* Common parts of the texts of options: one of two words, switches, times, numbers. */
#include "question/rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct problem *either(const char *option, const char *text, const char *first, const char *second,
                       bool *is_second)
{
    const struct names names = {{first, second}, 2};
    int which;

    TRY(which_name(option, text, &names, &which));
    *is_second = which == 1;
    return NULL;
}

struct problem *switched(const char *option, const char *text, bool *on)
{
    const char *word = strcmp(text, "0") == 0 ? "off" : strcmp(text, "1") == 0 ? "on" : text;

    return either(option, word, "off", "on", on);
}

/* Whether the text is a number with letters that are not a unit. */
static bool has_unknown_suffix(const char *text)
{
    static const char *const known[] = {"ps", "ns", "us", "µs", "μs", "ms", "s", ""};
    char *suffix;

    strtod(text, &suffix);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(suffix, known[i]) == 0)
            return false;
    return suffix != text && isalpha((unsigned char)*suffix);
}

static bool has_negative_exponent(const char *text)
{
    const size_t digits = strspn(text, "0123456789.");

    return digits > 0 && tolower((unsigned char)text[digits]) == 'e' && text[digits + 1] == '-';
}

struct problem *refuse_time(const char *option, const char *text, const char *most, const char * or)
{
    return option_problem(option, text,
                          "%smust be a time >= 0, up to %s, in units or with a suffix ns, us, ms "
                          "or s, as 1.5us%s",
                          has_negative_exponent(text) ? "a time has no negative exponent; "
                          : has_unknown_suffix(text)  ? "unknown suffix; "
                                                      : "",
                          most, or);
}

struct problem *to_ps(const struct question *q, const char *option, const char *text,
                      int64_t most_ps, int64_t *ps)
{
    if (!logp_time_parse(text, q->model.unit_ns * 1000, ps) || *ps > most_ps)
        return refuse_time(option, text, most_ps < INT64_MAX ? "1000 s" : "11 days", "");
    return NULL;
}

struct problem *to_byte_ps(const struct question *q, const char *option, const char *text,
                           int64_t *ps)
{
    if (logp_byte_time_parse(text, q->model.unit_ns * 1000, ps) && *ps <= LOGP_PARAM_MAX_NS)
        return NULL;
    return refuse_time(option, text, "1000 s", ", or a rate as 10GB/s");
}

struct problem *to_ns(const struct question *q, const char *option, const char *text, int64_t *ns)
{
    int64_t ps;

    TRY(to_ps(q, option, text, INT64_MAX, &ps));
    if (ps % 1000 != 0 || ps / 1000 > LOGP_PARAM_MAX_NS)
        return must_be(option, text, "a whole number of nanoseconds, up to 11 days");
    *ns = ps / 1000;
    return NULL;
}

static struct problem *set_number(char *field, const struct option_row *row, const char *option,
                                  const char *text)
{
    int64_t n;

    if (!parse_number(text, row->bytes, row->least, row->most, &n))
        return must_be(option, text, "%s%s", row->allowed,
                       row->bytes ? ", as 8k or 8Ki (8192), or 8kB (8000)" : "");
    if (row->size == sizeof(int))
        *(int *)field = (int)n;
    else
        memcpy(field, &n, sizeof(n));
    return NULL;
}

struct problem *apply_row(struct question *q, const struct option_row *row, const char *option,
                          const char *text)
{
    char *const field = (char *)q + row->offset;

    if (row->field == FIELD_APPLIED)
        return row->apply(q, option, text);
    if (row->field == FIELD_SWITCH)
        return switched(option, text, (bool *)field);
    if (row->field == FIELD_TEXT)
        *(const char **)field = *text != '\0' ? text : NULL;
    if (row->field == FIELD_TIME && *text != '\0')
        return to_ns(q, option, text, (int64_t *)field);
    if (row->field == FIELD_NUMBER && *text != '\0')
        return set_number(field, row, option, text);
    return NULL;
}
