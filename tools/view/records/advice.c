/* SPDX-License-Identifier: MIT */
/* Advice in words, below the table: whether the host could keep up and, if not, why and what
 * helps. */
#include "answer/advice.h"
#include "answer/runs.h"
#include "view/records/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Round to the digits that an estimate can have. */
static int64_t two_digits(double x)
{
    int64_t step = 1;

    while ((double)step * 100 <= x)
        step *= 10;
    return (int64_t)(x / (double)step + 0.5) * step;
}

/* ---- why the host could not keep up ---- */

/* Whether it was tried, and was much better than the run itself. */
static bool helps(const struct advice *a, double ratio)
{
    return ratio > 0 && ratio - 1 < 0.8 * worst_over(a);
}

static void print_cause(FILE *f, const struct question *q, const struct advice *a)
{
    const bool shared = q->model.P > a->n_cores;
    char time[32];

    if (shared)
        fprintf(f, "%lld processors share %d core%s. ", (long long)q->model.P, a->n_cores,
                a->n_cores == 1 ? "" : "s");
    if (is_copying(q, a)) {
        show_ns(two_digits(copying_ns(q, a)), time, sizeof(time));
        fprintf(
            f,
            "Each run copies %.3g MB of messages, in and out of mailboxes, which takes this host "
            "about %s%s.",
            a->copied_bytes / 1e6, time,
            bytes_cost(q) ? "" : "; the model charges nothing for bytes, as G is 0");
    } else if (are_steps_long(a)) {
        show_ns(two_digits((double)a->steps_ns), time, sizeof(time));
        fprintf(f, "The steps of %s alone take this host about %s (measured now, without delays).",
                a->worst->algorithm->name, time);
    } else if (!q->how.fibers && (a->fiber_ratio == 0 || helps(a, a->fiber_ratio)))
        fputs("Each hand-over between threads costs a microsecond or more.", f);
    else if (shared && q->how.fibers)
        fputs("Processors whose waits end at the same time run one after the other.", f);
    else
        fputs("The host wakes processors too late for such short times, or other programs use its "
              "cores.",
              f);
}

/* ---- what helps ---- */

/* Whether all times grow with the unit. Those with a suffix do not, nor those of a machine. */
static bool unit_scales(const struct question *q)
{
    static const char *const times[] = {"L", "o", "o-send", "o-recv", "g", "G"};
    bool plain =
        q->model.machine == NULL && q->model.network.links == NULL && q->model.plugin == NULL;

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        const char *text = option_text(q, times[i]);

        plain &= text == NULL || *text == '\0' || text[strlen(text) - 1] != 's';
    }
    return plain;
}

/* "20us", as --unit takes it: a unit with which the error would be bearable, because the time
 * that the host adds to a run is much the same with any unit. */
static const char *bearable_unit(const struct question *q, double over, char *out, size_t size)
{
    char *space;

    show_ns(bearable_unit_ns(q, over), out, size);
    space = strchr(out, ' ');
    if (space != NULL)
        memmove(space, space + 1, strlen(space));
    return out;
}

/* Print one piece of advice in a line, the first one after the line that introduces them. */
static void print_way(FILE *f, int *n, const char *option, const char *what)
{
    fprintf(f, "%s  %-19s %s\n", (*n)++ == 0 ? " Try:\n" : "", option, what);
}

static void print_tried(FILE *f, int *n, const struct advice *a, const char *option, double ratio)
{
    char what[128];

    snprintf(what, sizeof(what), "%s takes %.2f %% longer than predicted (measured now)",
             a->worst->algorithm->name, (ratio - 1) * 100);
    print_way(f, n, option, what);
}

static void print_ways_out(FILE *f, const struct question *q, const struct advice *a)
{
    const bool longer_ends = excess_ns(a) / BEARABLE < (double)q->how.timeout_ns;
    char unit[32], option[48], text[64];
    int n = 0;

    if (helps(a, a->fiber_ratio))
        print_tried(f, &n, a, "--executor fiber", a->fiber_ratio);
    if (helps(a, a->G_ratio)) {
        snprintf(option, sizeof(option), "%s-G %gns",
                 q->model.ignores_G && option_given(q, "delay") ? "--delay loggp " : "",
                 (double)a->G_ps / 1000);
        print_tried(f, &n, a, option, a->G_ratio);
    }
    if (unit_scales(q) && longer_ends) {
        snprintf(option, sizeof(option), "--unit %s",
                 bearable_unit(q, worst_over(a), unit, sizeof(unit)));
        snprintf(text, sizeof(text), "slower time scale; the error would be about %.0f %%",
                 BEARABLE * 100);
        print_way(f, &n, option, text);
    }
    if (!over_processes(q))
        print_way(f, &n, "--clock virtual", "exact, without waiting");
    if (q->model.P > a->n_cores && !is_copying(q, a)) {
        snprintf(text, sizeof(text), "-P %d has one processor on each core", a->n_cores);
        print_way(f, &n, "fewer processors", text);
    }
    if (n == 0)
        fputs(" No option of this command helps.\n", f);
}

static void print_early(FILE *f, const struct row *early)
{
    const bool takes_turns = early->has_links && early->links.waited_ns > 0;
    const double less = (1 - logp_record_ratio(&early->record)) * 100;

    if (takes_turns)
        fprintf(
            f,
            "%s took %.1f %% less than predicted: its messages wait for each other at links, in "
            "another order than predicted.\n",
            early->algorithm->name, less);
    else
        fprintf(f,
                "%s took %.1f %% less than predicted: under this delay model no run can, so do not "
                "trust these times.\n",
                early->algorithm->name, less);
}

static void print_busy(FILE *f, const struct row *busy)
{
    const struct logp_record *r = &busy->record;
    char time[32];

    fprintf(f,
            "The host is too busy: only %d of %d runs of %s were undisturbed; in the others a core "
            "was away for more than %s.\n",
            r->reps - r->disturbed, r->reps, busy->algorithm->name,
            show_ns(r->disturbed_by_ns, time, sizeof(time)));
}

/* The host was too busy, and yet the medians are near the predictions. */
static void print_trusted(FILE *f, const struct question *q, const struct logp_record *r)
{
    /* half of the absences would be shorter than 1 % of the prediction */
    const double times = 1.1 * (double)r->absence_median_ns / (double)r->disturbed_by_ns;
    char unit[32], option[48];
    int n = 0;

    fputs("These times cannot be trusted.", f);
    if (unit_scales(q) && q->model.emulated) {
        snprintf(option, sizeof(option), "--unit %s",
                 bearable_unit(q, BEARABLE * (times > 2 ? times : 2), unit, sizeof(unit)));
        print_way(f, &n, option, "slower time scale: the same absences disturb half of the runs");
    }
    if (!over_processes(q))
        print_way(f, &n, "--clock virtual", "exact, without waiting");
    if (n == 0)
        fputs(" Run it again when the host is idle.\n", f);
}

static void print_spoilt(FILE *f, const struct row *row)
{
    const struct logp_record *r = &row->record;

    fprintf(f,
            "Other programs use the cores: %s took %.1f %% longer than predicted in all runs, and "
            "%.1f %% "
            "in the %d of %d that were undisturbed.\n",
            row->algorithm->name, (logp_record_ratio(r) - 1) * 100, (judged_ratio(r) - 1) * 100,
            r->reps - r->disturbed, r->reps);
}

void print_advice(FILE *f, const struct question *q, const struct advice *a)
{
    if (q->form.quiet || !q->form.format->for_people || q->how.clock != LOGP_CLOCK_WALL)
        return;
    if (a->restarts > 0)
        fprintf(f, "%d run%s repeated because a core was busy at the start\n", a->restarts,
                a->restarts == 1 ? " was" : "s were");
    if (a->late_starts > 0)
        fprintf(f, "%d run%s counted though a core was busy at the start\n", a->late_starts,
                a->late_starts == 1 ? " was" : "s were");
    if (a->clock_error_ns > 0)
        fprintf(f, "The clocks of the processes are at most %.3f us apart%s.\n",
                (double)a->clock_error_ns / 1000,
                a->clock_is_off
                    ? ": more than 1 % of the unit or of a prediction, so the host cannot be judged"
                    : "");
    if (a->clock_is_off)
        return;
    if (a->busy != NULL)
        print_busy(f, a->busy);
    if (a->spoilt != NULL)
        print_spoilt(f, a->spoilt);
    if (a->early != NULL)
        print_early(f, a->early);
    if (a->worst == NULL) {
        if (a->busy != NULL)
            print_trusted(f, q, &a->busy->record);
        else if (a->judged > 0 && a->early == NULL)
            fprintf(f, "The host kept up: every median%s is within 1 %% of its prediction.\n",
                    a->spoilt != NULL ? " of undisturbed runs" : "");
        return;
    }
    fprintf(f, "The host could not keep up with %d of %d: %s took %.1f %% longer than predicted.\n",
            a->late, a->judged, a->worst->algorithm->name, worst_over(a) * 100);
    print_cause(f, q, a);
    print_ways_out(f, q, a);
}

char *advice_on_program(const struct question *q, int n_cores, int64_t emulated_ns, int64_t late_ns)
{
    const struct advice a = {.n_cores = n_cores,
                             .program_ns = emulated_ns,
                             .program_over =
                                 emulated_ns > 0 ? (double)late_ns / (double)emulated_ns : 0};
    char *text = NULL, late[32];
    size_t size;
    FILE *f;

    if (q->form.quiet || q->how.clock != LOGP_CLOCK_WALL || !q->model.emulated ||
        a.program_over <= BEARABLE)
        return NULL;
    f = need(open_memstream(&text, &size));
    fprintf(f,
            "logp: the host could not keep up: the ranks ended %s late, %.1f %% of the emulated "
            "time.\n",
            show_ns(late_ns, late, sizeof(late)), a.program_over * 100);
    print_cause(f, q, &a);
    print_ways_out(f, q, &a);
    return close_text(f, &text);
}
