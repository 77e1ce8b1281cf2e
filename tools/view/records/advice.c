/* SPDX-License-Identifier: MIT */
/*
 * Print whether the host could keep up and, if not, why and what helps: in words, below the
 * table. Advice was tried, or follows from the time that the host adds to a run.
 */
#include "answer/runs.h"
#include "view/records/records.h"
#include "file/file.h"

#include <stdio.h>
#include <stdlib.h>
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

/* Round to the digits that an estimate can have. */
static int64_t two_digits(double x)
{
    int64_t step = 1;

    while ((double)step * 100 <= x)
        step *= 10;
    return (int64_t)(x / (double)step + 0.5) * step;
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
            ratio > 0 && ((double)r->clock_error_ns > bearable * (double)out->q->model.unit_ns ||
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

/* ---- why the host could not keep up ---- */

/* Excess of the worst row over its prediction, or of a program over its
 * emulated time, as a fraction. */
static double worst_over(const struct advice *a)
{
    return a->worst != NULL ? logp_record_ratio(&a->worst->record) - 1 : a->program_over;
}

static double excess_ns(const struct advice *a)
{
    return worst_over(a) *
           (double)(a->worst != NULL ? a->worst->record.prediction.ns : a->program_ns);
}

/* Each core does its part of the copying of all processors. */
static double copying_ns(const struct question *q, const struct advice *a)
{
    const double at_once = (double)(q->model.P < a->n_cores ? q->model.P : a->n_cores);

    return a->copied_bytes * a->copy_ps_per_byte / 1000 / (at_once < 1 ? 1 : at_once);
}

bool is_copying(const struct question *q, const struct advice *a)
{
    /* most of the excess, or enough to be late, whatever else there is */
    return a->worst != NULL && (copying_ns(q, a) > excess_ns(a) / 2 ||
                                copying_ns(q, a) > (double)a->worst->record.prediction.ns / 10);
}

int64_t copying_G_ps(const struct question *q, const struct advice *a)
{
    /* a message is copied twice, while the messages of all other processors are copied, too */
    const double turns = (double)q->model.P / (double)(a->n_cores > 0 ? a->n_cores : 1);
    const double ps = 2 * a->copy_ps_per_byte * (turns > 1 ? turns : 1);

    return round_up_125(ps / 100) * 100;
}

/* Whether it was tried, and was much better than the run itself. */
static bool helps(const struct advice *a, double ratio)
{
    return ratio > 0 && ratio - 1 < 0.8 * worst_over(a);
}

static void print_cause(const struct question *q, const struct advice *a)
{
    const bool shared = q->model.P > a->n_cores;
    char time[32];

    if (shared)
        printf("%lld processors share %d core%s. ", (long long)q->model.P, a->n_cores,
               a->n_cores == 1 ? "" : "s");
    if (is_copying(q, a)) {
        show_ns(two_digits(copying_ns(q, a)), time, sizeof(time));
        printf(
            "Each run copies %.3g MB of messages, in and out of mailboxes, which takes this host "
            "about %s%s.",
            a->copied_bytes / 1e6, time,
            bytes_cost(q) ? "" : "; the model charges nothing for bytes, as G is 0");
    } else if (!q->how.fibers && (a->fiber_ratio == 0 || helps(a, a->fiber_ratio)))
        fputs("Each hand-over between threads costs a microsecond or more.", stdout);
    else if (shared && q->how.fibers)
        fputs("Processors whose waits end at the same time run one after the other.", stdout);
    else
        fputs("The host wakes processors too late for such short times, or other programs use its "
              "cores.",
              stdout);
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

    show_ns(round_up_125((double)q->model.unit_ns * over / bearable), out, size);
    space = strchr(out, ' ');
    if (space != NULL)
        memmove(space, space + 1, strlen(space));
    return out;
}

/* Print one piece of advice in a line, the first one after the line that introduces them. */
static void print_way(int *n, const char *option, const char *what)
{
    printf("%s  %-19s %s\n", (*n)++ == 0 ? " Try:\n" : "", option, what);
}

static void print_tried(int *n, const struct advice *a, const char *option, double ratio)
{
    char what[128];

    snprintf(what, sizeof(what), "%s takes %.2f %% longer than predicted (measured now)",
             a->worst->algorithm->name, (ratio - 1) * 100);
    print_way(n, option, what);
}

static void print_ways_out(const struct question *q, const struct advice *a)
{
    const bool longer_ends = excess_ns(a) / bearable < (double)q->how.timeout_ns;
    char unit[32], option[48], text[64];
    int n = 0;

    if (helps(a, a->fiber_ratio))
        print_tried(&n, a, "--executor fiber", a->fiber_ratio);
    if (helps(a, a->G_ratio)) {
        snprintf(option, sizeof(option), "%s-G %gns",
                 q->model.ignores_G && option_given(q, "delay") ? "--delay loggp " : "",
                 (double)a->G_ps / 1000);
        print_tried(&n, a, option, a->G_ratio);
    }
    if (unit_scales(q) && longer_ends) {
        snprintf(option, sizeof(option), "--unit %s",
                 bearable_unit(q, worst_over(a), unit, sizeof(unit)));
        snprintf(text, sizeof(text), "slower time scale; the error would be about %.0f %%",
                 bearable * 100);
        print_way(&n, option, text);
    }
    if (!over_processes(q))
        print_way(&n, "--clock virtual", "exact, without waiting");
    if (q->model.P > a->n_cores && !is_copying(q, a)) {
        snprintf(text, sizeof(text), "-P %d has one processor on each core", a->n_cores);
        print_way(&n, "fewer processors", text);
    }
    if (n == 0)
        puts(" No option of this command helps.");
}

static void print_early(const struct row *early)
{
    const bool takes_turns = early->has_links && early->links.waited_ns > 0;
    const double less = (1 - logp_record_ratio(&early->record)) * 100;

    if (takes_turns)
        printf("%s took %.1f %% less than predicted: its messages wait for each other at links, in "
               "another order than predicted.\n",
               early->algorithm->name, less);
    else
        printf("%s took %.1f %% less than predicted: under this delay model no run can, so do not "
               "trust these times.\n",
               early->algorithm->name, less);
}

void print_advice(const struct question *q, const struct advice *a)
{
    if (q->form.quiet || !q->form.format->for_people || q->how.clock != LOGP_CLOCK_WALL)
        return;
    if (a->restarts > 0)
        printf("%d run%s repeated because a core was busy at the start\n", a->restarts,
               a->restarts == 1 ? " was" : "s were");
    if (a->clock_error_ns > 0)
        printf("The clocks of the processes are at most %.3f us apart%s.\n",
               (double)a->clock_error_ns / 1000,
               a->clock_is_off
                   ? ": more than 1 % of the unit or of a prediction, so the host cannot be judged"
                   : "");
    if (a->clock_is_off)
        return;
    if (a->early != NULL)
        print_early(a->early);
    if (a->worst == NULL) {
        if (a->judged > 0 && a->early == NULL)
            puts("The host kept up: every median is within 1 % of its prediction.");
        return;
    }
    printf("The host could not keep up with %d of %d: %s took %.1f %% longer than predicted.\n",
           a->late, a->judged, a->worst->algorithm->name, worst_over(a) * 100);
    print_cause(q, a);
    print_ways_out(q, a);
}

/* The results of a program, which has no prediction. */
struct program_advice {
    const struct question *q;
    struct advice a;
};

static void print_of_program(const void *what)
{
    const struct program_advice *p = what;
    char late[32];

    printf("logp: the host could not keep up: the ranks ended %s late, %.1f %% of the emulated "
           "time.\n",
           show_ns((int64_t)excess_ns(&p->a), late, sizeof(late)), worst_over(&p->a) * 100);
    print_cause(p->q, &p->a);
    print_ways_out(p->q, &p->a);
}

char *advice_on_program(const struct question *q, int n_cores, int64_t emulated_ns, int64_t late_ns)
{
    const struct program_advice p = {
        q,
        {.n_cores = n_cores,
         .program_ns = emulated_ns,
         .program_over = emulated_ns > 0 ? (double)late_ns / (double)emulated_ns : 0}};

    if (q->form.quiet || q->how.clock != LOGP_CLOCK_WALL || !q->model.emulated ||
        p.a.program_over <= bearable)
        return NULL;
    return printed_by(print_of_program, &p);
}

/* ---- what copying costs ---- */

/* Bytes copied by a run, and the cost of copying on this host. Under every model, payloads are
 * copied into a mailbox and out of it. */

enum { MOST_STEPS = 1 << 22, LARGEST = 16 << 20, MOST_NS = 50000000, SHORT_NS = 1000000 };

/* The bytes of all messages and of the largest, from the steps; false: there are none, or too
 * many to count. */
static bool count_bytes(const struct question *q, const struct logp_invocation *c,
                        const struct logp_algorithm *a, double *all, size_t *largest)
{
    const struct logp_schedule s = logp_schedule_of(a, q->model.P, &c->args, &c->model);
    int64_t n_steps = 0;

    *all = 0;
    *largest = 0;
    if (a->steps == NULL || q->model.P > LOGP_FOLD_P)
        return false;
    for (int64_t rank = 0; rank < q->model.P && n_steps <= MOST_STEPS; rank++) {
        struct logp_invocation planned;
        struct logp_step step;

        if (logp_schedule_begin(&s, (int)rank, &planned) != 0)
            return false;
        for (int64_t i = 0; n_steps <= MOST_STEPS && a->steps(q->model.P, rank, &planned, i, &step);
             i++, n_steps++) {
            if (step.kind != LOGP_STEP_SEND)
                continue;
            *all += (double)step.n_bytes;
            *largest = step.n_bytes > *largest ? step.n_bytes : *largest;
        }
        logp_schedule_end(&planned);
    }
    return n_steps <= MOST_STEPS;
}

/* Copy as a mailbox does: into fresh memory, and out of it; at most as much as a run copies, so
 * that other programs on the cores take their share here, too. @return ps a byte; 0: no memory */
static double copy_ps(size_t n, double all)
{
    char *from = calloc(n, 1);
    const int64_t begun_ns = host_ns();
    double copied = 0;

    while (from != NULL && copied < all && host_ns() - begun_ns < MOST_NS) {
        char *to = malloc(n);

        if (to == NULL)
            break;
        memcpy(to, from, n);
        __asm__ volatile("" : : "r"(to) : "memory"); /* it is read */
        memcpy(from, to, n);
        free(to);
        copied += 2 * (double)n;
    }
    free(from);
    return copied > 0 ? (double)(host_ns() - begun_ns) * 1000 / copied : 0;
}

void judge_copies(const struct output *out, struct advice *a)
{
    const int64_t begun_ns = host_ns();
    size_t largest;
    double all, ps;

    if (a->worst == NULL || !out->q->form.format->for_people ||
        out->q->how.clock != LOGP_CLOCK_WALL ||
        !count_bytes(out->q, out->c, a->worst->algorithm, &all, &largest) || largest == 0)
        return;
    a->copied_bytes = 2 * all; /* in and out */
    largest = largest < LARGEST ? largest : LARGEST;
    a->copy_ps_per_byte = copy_ps(largest, a->copied_bytes);
    /* an interrupt takes longer than the copy of a few bytes: the minimum counts */
    for (int i = 0; i < 10 && host_ns() - begun_ns < SHORT_NS; i++) {
        ps = copy_ps(largest, a->copied_bytes);
        a->copy_ps_per_byte = ps < a->copy_ps_per_byte ? ps : a->copy_ps_per_byte;
    }
}
