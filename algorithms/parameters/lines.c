/* SPDX-License-Identifier: MIT */
/* Lines over sizes: least squares, and where one line ends and another begins. */
#include "parameters/parameters.h"

#include <math.h>

enum { MOST_DOTS = 64, LEAST = 3 };

/* What a range more must be worth: three dots, each off its line by twice what is to be expected.
 */
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

double lpi_misfit(const struct lpi_dot *d, size_t n, const struct lpi_fitted *line)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        if (d[i].sigma > 0) {
            const double off = (d[i].y - line->base - line->slope * d[i].x) / d[i].sigma;

            sum += off * off;
        }
    return sum;
}

static double misfit_of(const struct lpi_dot *d, size_t n)
{
    const struct lpi_fitted line = lpi_fit(d, n);

    return lpi_misfit(d, n, &line);
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
