/* SPDX-License-Identifier: MIT */
/* Common parts of the texts of options: one of two words, switches, times, numbers. */
#include "question/rows.h"

#include <ctype.h>
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
    const char *suffix = text + strspn(text, "0123456789.");
    int64_t ps;

    return suffix != text && isalpha((unsigned char)*suffix) && !logp_time_parse(text, 1000, &ps);
}

static struct problem *refuse_time(const char *option, const char *text, const char *most,
                                   const char * or)
{
    return option_problem(option, text,
                          "%sa time >= 0, up to %s, in units or with a suffix ns, us, ms or s%s",
                          has_unknown_suffix(text) ? "unknown suffix; " : "", most, or);
}

struct problem *to_ps(const struct question *q, const char *option, const char *text,
                      int64_t most_ps, int64_t *ps)
{
    if (!logp_time_parse(text, q->model.unit_ns * 1000, ps) || *ps > most_ps)
        return refuse_time(option, text, most_ps < INT64_MAX ? "1000 s" : "11 days", "");
    return NULL;
}

/* Parse "10GB/s" into the time of a byte, to the nearest picosecond. Prefixes are powers of 1000.
 * @return false: the text is not a rate, or a byte takes less than half a picosecond */
static bool parse_rate(const char *text, int64_t *ps)
{
    static const char *const suffixes[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    int64_t mantissa, power;
    const char *suffix = logp_decimal_parse(text, &mantissa, &power);
    __int128 second = (__int128)1000000000000; /* of as many bytes as the prefix means */

    if (suffix == NULL || mantissa == 0)
        return false;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++, second /= 1000)
        if (strcmp(suffix, suffixes[i]) == 0) {
            *ps = (int64_t)((second * power + mantissa / 2) / mantissa);
            return *ps > 0;
        }
    return false;
}

struct problem *to_byte_ps(const struct question *q, const char *option, const char *text,
                           int64_t *ps)
{
    if ((parse_rate(text, ps) || logp_time_parse(text, q->model.unit_ns * 1000, ps)) &&
        *ps <= LOGP_PARAM_MAX_NS)
        return NULL;
    return refuse_time(option, text, "1000 s", ", or a rate as 10GB/s");
}

struct problem *to_ns(const struct question *q, const char *option, const char *text, int64_t *ns)
{
    int64_t ps;

    TRY(to_ps(q, option, text, INT64_MAX, &ps));
    if (ps % 1000 != 0 || ps / 1000 > LOGP_PARAM_MAX_NS)
        return option_problem(option, text, "a whole number of nanoseconds, up to 11 days");
    *ns = ps / 1000;
    return NULL;
}

static struct problem *set_number(char *field, const struct option_row *row, const char *option,
                                  const char *text)
{
    int64_t n;

    if (!parse_number(text, row->bytes, row->least, row->most, &n))
        return option_problem(option, text, "%s", row->allowed);
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
