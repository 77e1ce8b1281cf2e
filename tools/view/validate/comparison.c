/* SPDX-License-Identifier: MIT */
/* Measured and predicted times as a table, JSON and CSV. */
#include "view/views.h"
#include "view/records/records.h"
#include "text/text.h"
#include "answer/validate/validate.h"

#include <math.h>
#include <stdio.h>

/* Time of the chosen algorithm divided by that of the best; 1: it is the best. */
static double regret_of(const struct validated_point *p)
{
    return p->best->measured_ns > 0 ? (double)p->chosen->measured_ns / (double)p->best->measured_ns
                                    : 1;
}

static double ratio_of(const struct validated_row *row)
{
    return row->predicted_ns > 0 ? (double)row->measured_ns / (double)row->predicted_ns : 0;
}

/* ---- for people ---- */

/* The median of the undisturbed runs in us; "-": there are none. */
static const char *undisturbed_text(const struct validated_row *row, char text[24])
{
    if (row->undisturbed_ns < 0)
        return "-";
    snprintf(text, 24, "%.3f", (double)row->undisturbed_ns / 1000);
    return text;
}

static void print_summary(FILE *f, const struct validated *v)
{
    const size_t doubtful = doubtful_points(v);
    double most = 1, product = 0;
    size_t best = 0, n = 0;

    for (size_t i = 0; i < v->n; i++) {
        if (v->points[i].n == 0 || v->points[i].doubtful)
            continue;
        product += log(regret_of(&v->points[i]));
        most = fmax(most, regret_of(&v->points[i]));
        best += v->points[i].chosen == v->points[i].best;
        n++;
    }
    if (n > 0)
        fprintf(f,
                "\nauto chose the algorithm with the best measured time at %zu of %zu points; its "
                "regret is %.3f on "
                "average (geometric), %.3f at most.\n",
                best, n, exp(product / (double)n), most);
    if (doubtful > 0)
        fprintf(
            f,
            "DOUBTFUL: %zu of %zu points, which do not count: half of the runs took over 10 times "
            "the shortest, or fewer than a third were undisturbed. Run validate again on an idle "
            "host.\n",
            doubtful, n + doubtful);
}

static void print_fit(FILE *f, const struct validated *v)
{
    const struct fitted_parameter *most = NULL;

    fprintf(f,
            "\nMeasured times differ from predictions by %.1f %% (root mean square). Parameters in "
            "ns:\n\n", //
            v->error * 100);
    fprintf(f, "%-8s%14s%14s%14s%14s\n", "", "is", "alone", "difference", "all together");
    for (int k = 0; k < FITTED; k++) {
        const struct fitted_parameter *p = &v->fit[k];

        if (!p->counts) {
            fprintf(f, "%-8s%14.3f  no time depends on it\n", p->name, p->is_ns);
            continue;
        }
        fprintf(f, "%-8s%14.3f%14.3f%12.1f %%%14.3f\n", p->name, p->is_ns, p->alone_ns,
                p->alone_error * 100, p->together_ns);
        most = most == NULL || p->alone_error < most->alone_error ? p : most;
    }
    fprintf(f, "\nWith all of them fitted, the difference is %.1f %%.", v->fitted_error * 100);
    if (most != NULL)
        fprintf(f, " The parameter that explains most is %s: %.3f ns instead of %.3f.", most->name,
                most->alone_ns, most->is_ns);
    fputc('\n', f);
}

static void print_table_of(FILE *f, const struct validated *v)
{
    const struct question *q = v->q;
    const bool on_wall = q->how.clock == LOGP_CLOCK_WALL;

    fprintf(f, "predicted with %s; ",
            q->model.machine != NULL ? q->model.machine->title : "L, o, g, G as given");
    print_conditions(f, q);
    fprintf(f, "measured %s%s, ",
            v->on != NULL       ? "on an emulated "
            : over_processes(q) ? "by transport "
                                : "on this host",
            v->on != NULL       ? v->on
            : over_processes(q) ? q->how.transport
                                : "");
    print_carriers(f, q, &v->cores, v->n_processes);
    fputs("\n\n", f);
    fprintf(f, "%-15s %4s %9s  %-20s %11s %11s%s %7s  %-20s %11s %7s\n", "times in us", "P",
            "bytes", "auto", "predicted", "measured", on_wall ? " undisturbed disturbed" : "",
            "ratio", "best measured", "measured", "regret");
    for (size_t i = 0; i < v->n; i++) {
        const struct validated_point *p = &v->points[i];
        char undisturbed[48] = "", text[24];

        if (p->n == 0)
            continue;
        if (on_wall)
            snprintf(undisturbed, sizeof(undisturbed), " %11s %9d",
                     undisturbed_text(p->chosen, text), p->chosen->disturbed);
        fprintf(f, "%-15s %4lld %9lld  %-20s %11.3f %11.3f%s %7.3f  %-20s %11.3f %7.3f%s\n",
                p->collective, (long long)p->P, (long long)p->bytes, p->chosen->algorithm->name,
                (double)p->chosen->predicted_ns / 1000, (double)p->chosen->measured_ns / 1000,
                undisturbed, ratio_of(p->chosen), p->best->algorithm->name,
                (double)p->best->measured_ns / 1000, regret_of(p), p->doubtful ? "  doubtful" : "");
    }
    print_summary(f, v);
    if (v->has_fit)
        print_fit(f, v);
}

/* ---- for programs ---- */

static json_t *undisturbed_json(const struct validated_row *row)
{
    return row->undisturbed_ns < 0 ? json_null() : json_integer(row->undisturbed_ns);
}

static json_t *rows_json(const struct validated_point *p)
{
    json_t *all = json_array();

    for (size_t i = 0; i < p->n; i++) {
        const struct validated_row *row = &p->rows[i];

        json_array_append_new(
            all,
            json_pack("{s:s,s:I,s:I,s:f,s:b,s:b,s:o,s:i,s:i}", "algorithm", row->algorithm->name,
                      "predicted_ns", (json_int_t)row->predicted_ns, "measured_ns",
                      (json_int_t)row->measured_ns, "ratio", ratio_of(row), "verified",
                      (int)row->verified, "doubtful", (int)row->doubtful, "undisturbed_ns",
                      undisturbed_json(row), "disturbed", row->disturbed, "runs", row->runs));
    }
    return all;
}

static json_t *fit_json(const struct validated *v)
{
    json_t *all;

    if (!v->has_fit)
        return json_null();
    all = json_pack("{s:f,s:f}", "error", v->error, "fitted_error", v->fitted_error);
    for (int k = 0; k < FITTED; k++) {
        const struct fitted_parameter *f = &v->fit[k];

        json_object_set_new(all, f->name,
                            f->counts ? json_pack("{s:f,s:f,s:f,s:f}", "is_ns", f->is_ns,
                                                  "alone_ns", f->alone_ns, "alone_error",
                                                  f->alone_error, "together_ns", f->together_ns)
                                      : json_null());
    }
    return all;
}

/* A point as JSON, with the fit over all points. */
static json_t *point_json(const struct validated *v, const struct validated_point *p)
{
    return json_pack("{s:s,s:I,s:I,s:s,s:I,s:I,s:f,s:s,s:I,s:f,s:o,s:o,s:i,s:b,s:o,s:i}",
                     "collective", p->collective, "P", (json_int_t)p->P, "bytes",
                     (json_int_t)p->bytes, "algorithm", p->chosen->algorithm->name, "predicted_ns",
                     (json_int_t)p->chosen->predicted_ns, "measured_ns",
                     (json_int_t)p->chosen->measured_ns, "ratio", ratio_of(p->chosen), "best",
                     p->best->algorithm->name, "best_measured_ns", (json_int_t)p->best->measured_ns,
                     "regret", regret_of(p), "algorithms", rows_json(p), "fit", fit_json(v),
                     "processes", v->n_processes, "doubtful", (int)p->doubtful, "undisturbed_ns",
                     undisturbed_json(p->chosen), "disturbed", p->chosen->disturbed);
}

/* The lines of CSV. */
static void add_rows(struct records *r, const struct validated_point *p)
{
    for (size_t k = 0; k < p->n; k++) {
        const struct validated_row *row = &p->rows[k];

        put_record(r, json_pack("[s,I,I,s,I,I,o,b,b,b,o,i]", p->collective, (json_int_t)p->P,
                                (json_int_t)p->bytes, row->algorithm->name,
                                (json_int_t)row->predicted_ns, (json_int_t)row->measured_ns,
                                json_sprintf("%.6f", ratio_of(row)), (int)(row == p->chosen),
                                (int)(row == p->best), (int)row->doubtful, undisturbed_json(row),
                                row->disturbed));
    }
}

/* Print a record of JSON for each point, or a line of CSV for each of its algorithms. */
void print_validated(FILE *f, enum record_form form, const struct validated *v)
{
    struct records r = {.f = f,
                        .form = form,
                        .digits = 9,
                        .columns =
                            "collective,P,bytes,algorithm,predicted_ns,measured_ns,ratio,auto,best,"
                            "doubtful,undisturbed_ns,disturbed"};

    if (form == RECORDS_TABLE) {
        print_table_of(f, v);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        if (form == RECORDS_CSV)
            add_rows(&r, &v->points[i]);
        else if (v->points[i].n > 0)
            put_record(&r, point_json(v, &v->points[i]));
    end_records(&r);
}
