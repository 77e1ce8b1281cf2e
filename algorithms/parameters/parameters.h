/* SPDX-License-Identifier: MIT */
/* The parts of estimates: medians without outliers, and lines over sizes. */
#ifndef LPI_PARAMETERS_H
#define LPI_PARAMETERS_H

#include <logp/experiment.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- sample.c ---- */

/* Times of one kind, in order, without outliers. */
struct lpi_sample {
    int64_t *sorted; /* n of them */
    size_t n, left_out;
    bool is_low; /* the typical time is the lower octile, else the median */
};

/* Of n_given >= 1 times; to be freed. 0; -ENOMEM */
int lpi_sample_create(struct lpi_sample *out, const int64_t *times, size_t n_given);
/* The typical time. A median is the middle time, or the mean of the two in the middle. */
double lpi_sample_typical(const struct lpi_sample *s);
/* The typical time of as many drawn from it at random, with repetitions; *random advances.
 * capacity: space for n times */
double lpi_sample_again(const struct lpi_sample *s, uint64_t *random, int64_t *capacity);
/* Half the 95 % interval of the median, at least, also where the octile is typical; 0: all are the
 * same. */
double lpi_sample_spread(const struct lpi_sample *s);

/* ---- lines.c ---- */

/* A value at x, and how far off it may be. */
struct lpi_dot {
    double x, y, sigma;
};

/* y = base + slope x */
struct lpi_fitted {
    double base, slope;
};

/* Least squares, each weighted by 1 / sigma^2; of one dot, or of equal x: no slope. */
struct lpi_fitted lpi_fit(const struct lpi_dot *dots, size_t n);
/* Half the 95 % intervals of base and slope if the residuals are larger than the sigmas explain; 0:
 * they are not, or there are too few dots. */
struct lpi_fitted lpi_fit_errors(const struct lpi_dot *dots, size_t n,
                                 const struct lpi_fitted *line);

/*
 * Cut 0 .. n - 1, where one line does not fit, into ranges, of at least three each, so that the sum
 * of misfits of two curves over the same x, and a price for each range, is the least.
 * @param first, second  n dots each; those of sigma <= 0 count nothing
 * @param ends           out: behind the last of each range, at most `most` of them
 * @return how many ranges
 */
size_t lpi_cut(const struct lpi_dot *first, const struct lpi_dot *second, size_t n, size_t *ends,
               size_t most);

/* ---- sample.c: figures that must not be relied on ---- */

/* Set a time to 0 if it is below 0 by no more than its error. @return false: it is below 0 by
 * more */
bool lpi_fit_time(double *ns, double noise, double one_way);
/* The first reason is kept. */
void lpi_doubt_size(const struct logp_size_seen *s, const char *what, double ns,
                    char why[LOGP_DOUBT]);
void lpi_doubt_protocol(const struct logp_protocol *p, char why[LOGP_DOUBT]);

#endif
