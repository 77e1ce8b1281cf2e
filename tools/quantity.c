/* SPDX-License-Identifier: MIT */
/* Times as people write them. Decimal arithmetic throughout: "0.1us" is 100 ns, exactly. */
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *suffix;
    int64_t ps;
} scales[] = {
    {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", INT64_C(1000000000000)},
};

/* digits [. digits] -> mantissa and how many digits follow the point. */
static const char *parse_decimal(const char *s, int64_t *mantissa, int64_t *power)
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
            return any ? s : NULL;
        }
    }
}

bool parse_time_ps(const char *text, int64_t unit_ps, int64_t *out)
{
    int64_t mantissa, power, scale = 0;
    const char *suffix = parse_decimal(text, &mantissa, &power);
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

bool parse_whole(const char *text, int64_t low, int64_t high, int64_t *out)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high)
        return false;
    *out = value;
    return true;
}

const char *show_ns(int64_t ns, char *buf, size_t size)
{
    const double t = (double)ns;

    if (ns < 1000)
        snprintf(buf, size, "%lld ns", (long long)ns);
    else if (ns < 10000000)
        snprintf(buf, size, "%.6g us", t / 1e3);
    else if (ns < INT64_C(10000000000))
        snprintf(buf, size, "%.6g ms", t / 1e6);
    else
        snprintf(buf, size, "%.6g s", t / 1e9);
    return buf;
}
