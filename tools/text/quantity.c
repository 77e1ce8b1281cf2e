/* SPDX-License-Identifier: MIT */
/* Numbers as people write them, and times as they are shown. */
#include "text/text.h"

#include <logp/quantity.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int ascending_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Parse a scale: k, Ki: 1024; of bytes also KiB, and kB, which is 1000, as in GNU coreutils. */
static bool parse_scale(const char *s, bool bytes, int64_t *scale)
{
    static const char letters[] = "KMGT";
    const char *letter = *s != '\0' ? strchr(letters, *s == 'k' ? 'K' : *s) : NULL;
    const int power = letter != NULL ? (int)(letter - letters) + 1 : 0;
    const char *rest = s + (letter != NULL);
    const bool decimal = bytes && strcmp(rest, "B") == 0;
    const bool binary = *rest == '\0' || (power > 0 && strcmp(rest, "i") == 0) ||
                        (power > 0 && bytes && strcmp(rest, "iB") == 0);

    *scale = 1;
    for (int i = 0; i < power; i++)
        *scale *= decimal ? 1000 : 1024;
    return decimal || binary;
}

/* Compute base ^ exponent, in whole numbers; s: the text after the base */
static bool parse_power(const char *s, int64_t base, int64_t *out)
{
    int64_t exponent;

    if (!parse_whole(s + 1, 0, INT64_MAX, &exponent) || s[1] < '0' || s[1] > '9')
        return false;
    if (base < 2 && exponent > 1)
        exponent = 1;
    for (*out = 1; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*out, base, out))
            return false;
    return true;
}

bool parse_number(const char *text, bool bytes, int64_t low, int64_t high, int64_t *out)
{
    int64_t mantissa, power, scale;
    const char *suffix = logp_decimal_parse(text, &mantissa, &power);
    __int128 n;

    if (suffix == NULL)
        return false;
    if (*suffix == '^' && power == 1 && parse_power(suffix, mantissa, &mantissa))
        suffix = "";
    if (!parse_scale(suffix, bytes, &scale))
        return false;
    n = (__int128)mantissa * scale;
    if (n % power != 0 || n / power < low || n / power > high)
        return false;
    *out = (int64_t)(n / power);
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

const char *show_duration(double ns, char buf[32])
{
    const int64_t s = ns > 1.5e9 ? (int64_t)(ns / 1e9 + 0.5) : 1;

    if (s < 60)
        snprintf(buf, 32, "%lld s", (long long)s);
    else if (s < 3600)
        snprintf(buf, 32, "%lld min %lld s", (long long)(s / 60), (long long)(s % 60));
    else
        snprintf(buf, 32, "%lld h %lld min", (long long)(s / 3600), (long long)(s / 60 % 60));
    return buf;
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

const char *show_bandwidth(int64_t ps, char buf[64])
{
    static const char *const scales[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    double rate = 1e12 / (double)ps; /* bytes per second */
    size_t i = 0;

    for (; rate >= 999.5 && i + 1 < sizeof(scales) / sizeof(scales[0]); i++)
        rate /= 1000;
    snprintf(buf, 64, "%.3g %s", rate, scales[i]);
    return buf;
}

const char *show_byte_time(int64_t ps, char buf[64])
{
    char rate[64];
    int n = snprintf(buf, 64, "%lld.%03lld", (long long)(ps / 1000), (long long)(ps % 1000));

    while (buf[n - 1] == '0')
        n--;
    n -= buf[n - 1] == '.';
    buf[n] = '\0';
    if (ps > 0)
        snprintf(buf + n, 64 - (size_t)n, " ns/byte (%s)", show_bandwidth(ps, rate));
    return buf;
}
