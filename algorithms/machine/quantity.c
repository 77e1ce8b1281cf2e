/* SPDX-License-Identifier: MIT */
/* Numbers and times as people write them, in decimal arithmetic throughout: see quantity.h. */
#include <logp/quantity.h>

#include <string.h>

static const struct {
    const char *suffix;
    int64_t ps;
} scales[] = {
    {"ps", 1},
    {"ns", 1000},
    {"us", 1000000},
    {"\u00b5s", 1000000}, /* the micro sign */
    {"\u03bcs", 1000000}, /* the Greek letter, as keyboards have it */
    {"ms", 1000000000},
    {"s", INT64_C(1000000000000)},
};

/* Parse the exponent after a number, if any. @return the next character; NULL: too large */
static const char *parse_exponent(const char *s, int64_t *mantissa, int64_t *power)
{
    int exponent = 0;

    if ((*s != 'e' && *s != 'E') || s[1] < '0' || s[1] > '9')
        return s;
    for (s++; *s >= '0' && *s <= '9' && exponent < 100; s++)
        exponent = 10 * exponent + (*s - '0');
    for (; exponent > 0 && *mantissa > 0; exponent--)
        if (*power > 1)
            *power /= 10;
        else if (__builtin_mul_overflow(*mantissa, 10, mantissa))
            return NULL;
    return s;
}

const char *logp_decimal_parse(const char *s, int64_t *mantissa, int64_t *power)
{
    bool point = false, any = false;

    *mantissa = 0;
    *power = 1;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = true;
        } else if (*s >= '0' && *s <= '9') {
            if (*mantissa > (INT64_MAX - 9) / 10 || *power > INT64_MAX / 10)
                return NULL;
            *mantissa = *mantissa * 10 + (*s - '0');
            if (point)
                *power *= 10;
            any = true;
        } else {
            return any ? parse_exponent(s, mantissa, power) : NULL;
        }
    }
}

bool logp_time_parse(const char *text, int64_t unit_ps, int64_t *out)
{
    int64_t mantissa, power, scale = 0;
    const char *suffix = logp_decimal_parse(text, &mantissa, &power);
    __int128 ps;

    if (suffix == NULL)
        return false;
    if (*suffix == '\0')
        scale = unit_ps;
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
        if (strcmp(suffix, scales[i].suffix) == 0)
            scale = scales[i].ps;
    ps = (__int128)mantissa * scale;
    if (scale == 0 || ps % power != 0 || ps / power > INT64_MAX)
        return false;
    *out = (int64_t)(ps / power);
    return true;
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

bool logp_byte_time_parse(const char *text, int64_t unit_ps, int64_t *ps)
{
    return parse_rate(text, ps) || logp_time_parse(text, unit_ps, ps);
}
