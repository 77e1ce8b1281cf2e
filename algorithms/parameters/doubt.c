/* SPDX-License-Identifier: MIT */
/*
 * Figures that must not be relied on: times below 0, and times that no line explains. A host that
 * had something else to do in between makes both, and then the intervals, which are of the same
 * times, say nothing about it.
 */
#include "parameters/parameters.h"

#include <math.h>
#include <stdio.h>

/* A call that takes nothing is a few ns below 0 as often as above; a median is off by its spread,
 * and that is no more than a curve is off from a line. */
static double known_to(double noise, double one_way)
{
    return 5 + fmin(noise, fabs(one_way) / 50);
}

bool lpi_fit_time(double *ns, double noise, double one_way)
{
    if (*ns >= 0)
        return true;
    if (*ns < -known_to(noise, one_way))
        return false;
    *ns = 0;
    return true;
}

void lpi_doubt_size(const struct logp_size_seen *s, const char *what, double ns,
                    char why[LOGP_DOUBT])
{
    if (why[0] == '\0')
        snprintf(why, LOGP_DOUBT, "%s of %zu bytes is %.3f us, below 0", what, s->n_bytes,
                 ns / 1000);
}

void lpi_doubt_protocol(const struct logp_protocol *p, char why[LOGP_DOUBT])
{
    if (why[0] == '\0' && p->error > LOGP_UNEXPLAINED)
        snprintf(why, LOGP_DOUBT,
                 "from %zu to %zu bytes, times differ from the fitted line by up to %.0f %%",
                 p->from, p->to, p->error * 100);
}
