/* SPDX-License-Identifier: MIT */
/* Common parts of the texts of options: one of two words, switches, times, numbers. */
#include "question/rows.h"

#include <ctype.h>
#include <string.h>

bool either(const char *option, const char *text, const char *first, const char *second)
{
    const struct names names = {{first, second}, 2};

    return which_name(option, text, &names) == 1;
}

bool switched(const char *option, const char *text)
{
    const char *word = strcmp(text, "0") == 0 ? "off" : strcmp(text, "1") == 0 ? "on" : text;

    return either(option, word, "off", "on");
}

/* Whether the text is a number with letters that are not a unit. */
static bool has_unknown_suffix(const char *text)
{
    const char *suffix = text + strspn(text, "0123456789.");
    int64_t ps;

    return suffix != text && isalpha((unsigned char)*suffix) && !logp_time_parse(text, 1000, &ps);
}

static void refuse_time(const char *option, const char *text, const char *most, const char * or)
{
    bad_option(option, text, "%sa time >= 0, up to %s, in units or with a suffix ns, us, ms or s%s",
               has_unknown_suffix(text) ? "unknown suffix; " : "", most, or);
}

int64_t to_ps(const struct question *q, const char *option, const char *text, int64_t most_ps)
{
    int64_t ps;

    if (!logp_time_parse(text, q->model.unit_ns * 1000, &ps) || ps > most_ps)
        refuse_time(option, text, most_ps < INT64_MAX ? "1000 s" : "11 days", "");
    return ps;
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

int64_t to_byte_ps(const struct question *q, const char *option, const char *text)
{
    int64_t ps;

    if (parse_rate(text, &ps) || logp_time_parse(text, q->model.unit_ns * 1000, &ps))
        if (ps <= LOGP_PARAM_MAX_NS)
            return ps;
    refuse_time(option, text, "1000 s", ", or a rate as 10GB/s");
    return 0;
}

int64_t to_ns(const struct question *q, const char *option, const char *text)
{
    const int64_t ps = to_ps(q, option, text, INT64_MAX);

    if (ps % 1000 != 0 || ps / 1000 > LOGP_PARAM_MAX_NS)
        bad_option(option, text, "a whole number of nanoseconds, up to 11 days");
    return ps / 1000;
}

static void set_number(char *field, const struct option_row *row, const char *option,
                       const char *text)
{
    int64_t n;

    if (!parse_number(text, row->bytes, row->least, row->most, &n))
        bad_option(option, text, "%s", row->allowed);
    if (row->size == sizeof(int))
        *(int *)field = (int)n;
    else
        memcpy(field, &n, sizeof(n));
}

void apply_row(struct question *q, const struct option_row *row, const char *option,
               const char *text)
{
    char *const field = (char *)q + row->offset;

    switch (row->field) {
    case FIELD_APPLIED:
        row->apply(q, option, text);
        break;
    case FIELD_SWITCH:
        *(bool *)field = switched(option, text);
        break;
    case FIELD_TEXT:
        *(const char **)field = *text != '\0' ? text : NULL;
        break;
    case FIELD_TIME:
        if (*text != '\0')
            *(int64_t *)field = to_ns(q, option, text);
        break;
    case FIELD_NUMBER:
        if (*text != '\0')
            set_number(field, row, option, text);
        break;
    }
}
