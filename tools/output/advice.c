/* SPDX-License-Identifier: MIT */
/* Could the host keep up, and if not, what would do: in words, below the table. */
#include "output/output.h"

#include <stdio.h>
#include <string.h>

/* The next of 1, 2, 5, 10, 20, 50, ... */
static int64_t round_up_125(double x)
{
    int64_t step = 1;

    while ((double)step * 10 <= x)
        step *= 10;
    if ((double)step >= x)
        return step;
    if ((double)step * 2 >= x)
        return step * 2;
    return (double)step * 5 >= x ? step * 5 : step * 10;
}

static const double bearable = 0.01;

struct advice judge_rows(const struct output *out)
{
    struct advice a = {.n_cores = out->n_cores, .clock_error_ns = -1};
    double most = 1 + bearable;

    for (size_t i = 0; i < out->n; i++) {
        const struct logp_record *r = &out->rows[i].record;
        const bool exact = r->prediction.certainty == LOGP_PREDICTION_EXACT;
        const double ratio = exact ? logp_record_ratio(r) : 0;

        if (r->clock_error_ns > a.clock_error_ns)
            a.clock_error_ns = r->clock_error_ns;
        a.clock_is_off |=
            ratio > 0 && ((double)r->clock_error_ns > bearable * (double)out->o->unit_ns ||
                          (double)r->clock_error_ns > bearable * (double)r->prediction.ns);
        a.judged += ratio > 0;
        a.restarts += r->restarts;
        a.late += ratio > 1 + bearable;
        if (ratio > 0 && ratio < 1 - bearable && a.early == NULL)
            a.early = &out->rows[i];
        if (ratio > most) {
            most = ratio;
            a.worst = &out->rows[i];
        }
    }
    return a;
}

/* "20us", as the option takes it: a unit with which the error would be bearable. What the host adds
 * to a run is much the same at any unit. */
static const char *bearable_unit(const struct options *o, double over, char *out, size_t size)
{
    char *space;

    show_ns(round_up_125((double)o->unit_ns * over / bearable), out, size);
    space = strchr(out, ' ');
    if (space != NULL)
        memmove(space, space + 1, strlen(space));
    return out;
}

static void print_ways_out(const struct options *o, const struct advice *a)
{
    const double over = logp_record_ratio(&a->worst->record) - 1;
    char unit[32];

    if (!o->fibers)
        puts("each hand-over between threads costs a microsecond or more. What would do:");
    else
        puts("those whose waits end together go on one after the other. What would do:");
    if (a->fiber_ratio > 0)
        printf("  --executor fiber    %s takes %.2f %% longer than predicted (just tried)\n",
               a->worst->algorithm->name, (a->fiber_ratio - 1) * 100);
    if (o->machine == NULL) /* with one, a unit changes nothing but plain numbers */
        printf("  --unit %-12s about %.0f %% longer, as what the host adds stays the same\n",
               bearable_unit(o, over, unit, sizeof(unit)), bearable * 100);
    puts("  --clock virtual     exact, and nobody waits; or fewer processors (-P)");
}

void print_advice(const struct options *o, const struct advice *a)
{
    if (!o->format->for_people || o->clock != LOGP_CLOCK_WALL)
        return;
    if (a->restarts > 0)
        printf("%d run%s repeated: a core was not there at the start\n", a->restarts,
               a->restarts == 1 ? " was" : "s were");
    if (a->clock_error_ns > 0)
        printf("The clocks of the processes are at most %.3f us apart%s.\n",
               (double)a->clock_error_ns / 1000,
               a->clock_is_off
                   ? ": more than 1 % of the unit or of a prediction, so nothing is said"
                     " of the host"
                   : "");
    if (a->clock_is_off)
        return;
    if (a->early != NULL)
        printf("%s took %.1f %% less than predicted: under this delay model no run can, so do not "
               "trust these times.\n",
               a->early->algorithm->name, (1 - logp_record_ratio(&a->early->record)) * 100);
    if (a->worst == NULL) {
        if (a->judged > 0 && a->early == NULL)
            puts("The host kept up: every median is within 1 % of its prediction.");
        return;
    }
    printf("The host could not keep up with %d of %d: %s took %.1f %% longer than predicted.\n"
           "%lld processors share %d core%s, and ",
           a->late, a->judged, a->worst->algorithm->name,
           (logp_record_ratio(&a->worst->record) - 1) * 100, (long long)o->P, a->n_cores,
           a->n_cores == 1 ? "" : "s");
    print_ways_out(o, a);
}
