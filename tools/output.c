/* SPDX-License-Identifier: MIT */
/* Records as a table, and what it should say in words; see output_json.c for other formats. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

/* ---- table ---- */

/* "of 8 bytes", "of 100 x double, sum" */
static void print_operands(const struct options *o, enum logp_operands operands,
                           const struct logp_coll *c)
{
    switch (operands) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        printf(" of %zu byte%s", o->n_bytes, o->n_bytes == 1 ? "" : "s");
        break;
    case LOGP_OPERANDS_VECTOR:
        printf(" of %lld %s each, %s", (long long)c->count, c->op->type, c->op->name);
        break;
    case LOGP_OPERANDS_TOTAL:
        printf(" of %lld %s in all, %s", (long long)c->count, c->op->type, c->op->name);
        break;
    case LOGP_OPERANDS_MATRIX:
        printf(" of %lld x %lld elements of %zu bytes", (long long)c->rows, (long long)c->cols,
               c->n_bytes);
        break;
    }
}

static void print_heading(const struct options *o, const char *collective,
                          const struct logp_coll *c, const struct row *rows, size_t n, int n_cores)
{
    const struct logp_collective *what = logp_collective_find(collective);
    const struct logp_params *p = &o->params;
    char L[32], o1[32], o2[32], g[32], G[48] = "";

    printf("%s", collective);
    print_operands(o, what->operands, c);
    if (what->rooted)
        printf(", root %lld", (long long)o->root);
    printf(", P = %lld\n", (long long)o->P);
    if (o->machine != NULL)
        printf("%s; ", o->machine->title);
    if (o->plugin != NULL)
        printf("delays by %s; ", o->plugin);
    else
        printf("delay %s%s%s; ", o->delay, o->topology != NULL ? " on " : "",
               o->topology != NULL ? logp_topology_spec(o->topology) : "");
    if (p->G_ps > 0)
        snprintf(G, sizeof(G), ", G = %g ns/byte", (double)p->G_ps / 1000);
    if (o->plugin != NULL || strcmp(o->delay, "none") != 0) {
        printf("L = %s, ", show_ns(p->L_ns, L, sizeof(L)));
        if (p->o_send_ns == p->o_recv_ns)
            printf("o = %s, ", show_ns(p->o_send_ns, o1, sizeof(o1)));
        else
            printf("o = %s to send, %s to receive, ", show_ns(p->o_send_ns, o1, sizeof(o1)),
                   show_ns(p->o_recv_ns, o2, sizeof(o2)));
        printf("g = %s%s%s; ", show_ns(p->g_ns, g, sizeof(g)), p->gap_shared ? " (shared)" : "", G);
        if (p->gamma_ps > 0)
            printf("gamma = %g ns; ", (double)p->gamma_ps / 1000);
        if (logp_capacity(p) > 0)
            printf("capacity %lld; ", (long long)logp_capacity(p));
    }
    if (n == 0 || !rows[0].ran)
        puts("prediction only");
    else
        printf("%s clock, %s executor on %d core%s, %d run%s each\n",
               o->clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall", o->executor, n_cores,
               n_cores == 1 ? "" : "s", o->reps, o->reps == 1 ? "" : "s");
}

/* A time in microseconds, or a dash. */
static const char *us(bool valid, int64_t ns, char buf[32])
{
    if (valid)
        snprintf(buf, 32, "%.3f", (double)ns / 1000);
    else
        snprintf(buf, 32, "-");
    return buf;
}

/* A prediction in microseconds, marked where it is only a bound. */
static const char *predicted_us(const struct logp_prediction *p, char buf[32])
{
    const char *mark = p->certainty == LOGP_PREDICTION_BOUND         ? "<= "
                       : p->certainty == LOGP_PREDICTION_LOWER_BOUND ? ">= "
                                                                     : "";
    char number[32];

    us(p->certainty != LOGP_PREDICTION_NONE, p->ns, number);
    snprintf(buf, 32, "%s%.28s", mark, number);
    return buf;
}

static void print_table_row(const struct row *row, int width)
{
    const struct logp_record *r = &row->record;
    const bool wall = r->has_measured && r->reps > 0;
    const bool any = r->reps > 0;
    const struct logp_summary *s = r->has_measured ? &r->measured : &r->emulated;
    const double ratio = logp_record_ratio(r);
    char b[5][32], ratio_text[32] = "-";

    if (ratio > 0)
        snprintf(ratio_text, sizeof(ratio_text), "%.4f", ratio);
    printf("%-*s %13s", width, row->algorithm->name, predicted_us(&r->prediction, b[0]));
    if (!row->ran) {
        printf("  %s\n", logp_certainty_name(r->prediction.certainty));
        return;
    }
    printf(" %13s %13s %8s %9s %9s  %s\n", us(any, s->median_ns, b[1]), us(wall, s->p99_ns, b[2]),
           ratio_text, us(any && r->has_lag, r->lag.median_ns, b[3]),
           us(any && r->has_lag, r->lag.p99_ns, b[4]), r->verified ? "yes" : "NO");
}

static void print_table(const struct options *o, const char *collective, const struct logp_coll *c,
                        const struct row *rows, size_t n, int n_cores)
{
    int width = 12;

    for (size_t i = 0; i < n; i++)
        if ((int)strlen(rows[i].algorithm->name) > width)
            width = (int)strlen(rows[i].algorithm->name);
    print_heading(o, collective, c, rows, n, n_cores);
    if (n > 0 && rows[0].ran)
        printf("\n%-*s %13s %13s %13s %8s %9s %9s  %s\n", width, "times in us", "predicted",
               o->clock == LOGP_CLOCK_WALL ? "measured" : "emulated", "p99", "ratio", "lag",
               "lag p99", "verified");
    else
        printf("\n%-*s %13s\n", width, "times in us", "predicted");
    for (size_t i = 0; i < n; i++)
        print_table_row(&rows[i], width);
    for (size_t i = 0; i < n; i++)
        if (rows[i].algorithm->block != NULL)
            printf("%s: blocks of %lld bytes\n", rows[i].algorithm->name,
                   (long long)rows[i].algorithm->block(o->P, c));
}

void print_rows(const struct options *o, const char *collective, const struct logp_coll *c,
                const struct row *rows, size_t n, int n_cores)
{
    if (o->format == FORMAT_JSON)
        print_rows_json(o, collective, c, rows, n);
    else if (o->format == FORMAT_CSV)
        print_rows_csv(o, collective, c, rows, n);
    else
        print_table(o, collective, c, rows, n, n_cores);
}

/* ---- words ---- */

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

struct advice judge_rows(const struct row *rows, size_t n, int n_cores)
{
    struct advice a = {.n_cores = n_cores};
    double most = 1 + bearable;

    for (size_t i = 0; i < n; i++) {
        const bool exact = rows[i].record.prediction.certainty == LOGP_PREDICTION_EXACT;
        const double ratio = exact ? logp_record_ratio(&rows[i].record) : 0;

        a.judged += ratio > 0;
        a.restarts += rows[i].record.restarts;
        a.late += ratio > 1 + bearable;
        if (ratio > most) {
            most = ratio;
            a.worst = &rows[i];
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
    const bool threads = strcmp(o->executor, "thread") == 0;
    char unit[32];

    if (threads)
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
    if (o->format != FORMAT_TABLE || o->clock != LOGP_CLOCK_WALL)
        return;
    if (a->restarts > 0)
        printf("%d run%s repeated: a core was not there at the start\n", a->restarts,
               a->restarts == 1 ? " was" : "s were");
    if (a->worst == NULL) {
        if (a->judged > 0)
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
