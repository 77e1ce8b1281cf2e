/* SPDX-License-Identifier: MIT */
/* Lines over sizes: least squares, and where one line ends and another begins. */
#include "parameters/parameters.h"

#include <math.h>

enum { MOST_DOTS = 64, LEAST = 3 };

/* The least gain of a further range: three dots off their line by twice the expected residual. */
static const double price = 12;

struct lpi_fitted lpi_fit(const struct lpi_dot *d, size_t n)
{
    double w = 0, wx = 0, wy = 0, xx = 0, xy = 0;
    struct lpi_fitted line = {0, 0};

    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0) {
            const double weight = 1 / (d[i].sigma * d[i].sigma);

            w += weight;
            wx += weight * d[i].x;
            wy += weight * d[i].y;
        }
    if (w <= 0)
        return line;
    wx /= w;
    wy /= w;
    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0) {
            const double weight = 1 / (d[i].sigma * d[i].sigma);

            xx += weight * (d[i].x - wx) * (d[i].x - wx);
            xy += weight * (d[i].x - wx) * (d[i].y - wy);
        }
    line.slope = xx > 0 ? xy / xx : 0;
    line.base = wy - line.slope * wx;
    return line;
}

/* The weighted mean of x, the sum of weights, and that of squares around the mean. */
static void spread_of(const struct lpi_dot *d, size_t n, double *mean, double *w, double *xx)
{
    *mean = *w = *xx = 0;
    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0) {
            *w += 1 / (d[i].sigma * d[i].sigma);
            *mean += d[i].x / (d[i].sigma * d[i].sigma);
        }
    *mean = *w > 0 ? *mean / *w : 0;
    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0)
            *xx += (d[i].x - *mean) * (d[i].x - *mean) / (d[i].sigma * d[i].sigma);
}

/* Student's t: the number of standard errors within which 95 % are, for `free` dots more than
 * two. */
static double within(int free)
{
    static const double t[] = {12.71, 4.303, 3.182, 2.776, 2.571,
                               2.447, 2.365, 2.306, 2.262, 2.228};

    return free <= 10 ? t[free - 1] : 2.2;
}

/* Sum the squares of the residuals, in sigmas. */
static double misfit(const struct lpi_dot *d, size_t n, const struct lpi_fitted *line)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0) {
            const double off = (d[i].y - line->base - line->slope * d[i].x) / d[i].sigma;

            sum += off * off;
        }
    return sum;
}

struct lpi_fitted lpi_fit_errors(const struct lpi_dot *d, size_t n, const struct lpi_fitted *line)
{
    double mean, w, xx, ratio;
    int dots = 0;

    for (size_t i = 0; i < n; i++)
        dots += d[i].sigma > 0;
    spread_of(d, n, &mean, &w, &xx);
    if (dots < 3 || xx <= 0)
        return (struct lpi_fitted){0, 0};
    ratio = misfit(d, n, line) / (dots - 2);
    if (ratio <= 1)
        return (struct lpi_fitted){0, 0};
    ratio = sqrt(ratio) * within(dots - 2);
    return (struct lpi_fitted){ratio * sqrt(1 / w + mean * mean / xx), ratio / sqrt(xx)};
}

static double misfit_of(const struct lpi_dot *d, size_t n)
{
    const struct lpi_fitted line = lpi_fit(d, n);

    return misfit(d, n, &line);
}

/* least[i]: of the first i dots; from[i]: where the last range of these begins. */
size_t lpi_cut(const struct lpi_dot *first, const struct lpi_dot *second, size_t n, size_t *ends,
               size_t most)
{
    double least[MOST_DOTS + 1] = {0};
    size_t from[MOST_DOTS + 1] = {0}, ranges[MOST_DOTS + 1] = {0}, k;

    n = n < MOST_DOTS ? n : MOST_DOTS;
    for (size_t i = 1; i <= n; i++) {
        least[i] = INFINITY;
        for (size_t j = 0; j < i; j++) {
            double sum;

            if (j > 0 && (i - j < LEAST || isinf(least[j]) || ranges[j] >= most))
                continue;
            if (j == 0 && i < LEAST && i < n)
                continue;
            sum = least[j] + price + misfit_of(first + j, i - j) + misfit_of(second + j, i - j);
            if (sum < least[i]) {
                least[i] = sum;
                from[i] = j;
                ranges[i] = ranges[j] + 1;
            }
        }
    }
    k = n > 0 ? ranges[n] : 0;
    for (size_t i = n, at = k; at > 0; i = from[i])
        ends[--at] = i;
    return k;
}
