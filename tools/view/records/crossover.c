/* SPDX-License-Identifier: MIT */
/* The map of the best algorithms as a table, JSON and CSV. */
#include "view/records/records.h"
#include "text/text.h"

#include <stdio.h>
#include <string.h>

/* Compare the intervals of both algorithms. @return 1: the best is faster; 0: the other; -1: the
 * intervals overlap, or one was not measured */
static int comparison_won(const struct comparison *d)
{
    if (!d->best.measured || !d->other.measured)
        return -1;
    if (d->best.interval.high_ns < d->other.interval.low_ns)
        return 1;
    return d->best.interval.low_ns > d->other.interval.high_ns ? 0 : -1;
}

const char *show_turns(int64_t from, int64_t settled, char text[MAX_TURNS])
{
    if (settled > from)
        snprintf(text, MAX_TURNS, "%lld .. %lld", (long long)from, (long long)settled);
    else
        snprintf(text, MAX_TURNS, "%lld", (long long)from);
    return text;
}

/* ---- the map ---- */

static char letter(int i)
{
    return (char)(i < 26 ? 'a' + i : 'A' + i - 26);
}

/* The letter of the best algorithm of a range; it is added to the algorithms of the map. */
static char letter_of(struct names *algorithms, const struct range *r)
{
    if (r->best == NULL)
        return '-';
    add_name(algorithms, r->best->name);
    return letter(find_name(algorithms, r->best->name));
}

/* "512", "64k", "1M" */
static const char *short_number(int64_t n, char buf[24])
{
    static const char scales[] = " kMGT";
    int i = 0;

    for (; n >= 1024 && n % 1024 == 0 && scales[i + 1] != '\0'; i++)
        n /= 1024;
    snprintf(buf, 24, i > 0 ? "%lld%c" : "%lld", (long long)n, scales[i]);
    return buf;
}

static void print_map(FILE *f, const struct crossover *x)
{
    struct names algorithms = {0};
    char number[24];

    if (x->unit != NULL)
        fprintf(f, "%20s", x->unit);
    for (int i = 0; i < x->n_sizes && x->unit != NULL; i++)
        fprintf(f, " %5s", short_number(x->sizes[i], number));
    for (size_t k = 0; k < x->n; k++) {
        const struct range *r = &x->ranges[k];

        if (k == 0 || r->P != r[-1].P)
            fprintf(f, "%sP = %-16lld", k > 0 || x->unit != NULL ? "\n" : "", (long long)r->P);
        for (int i = 0; i < x->n_sizes; i++)
            if (x->unit == NULL || (x->sizes[i] >= r->from && x->sizes[i] <= r->to))
                fprintf(f, " %5c", letter_of(&algorithms, r));
    }
    fputs("\n\n", f);
    for (int i = 0; i < algorithms.n; i++)
        fprintf(f, "%s%c %s", i > 0 ? ", " : "", letter(i), algorithms.name[i]);
    fputs("\n\n", f);
}

/* ---- the table ---- */

static void print_range(FILE *f, const struct range *r, bool sized, int width)
{
    char text[MAX_TURNS];

    fprintf(f, "%12lld", (long long)r->P);
    if (sized)
        fprintf(f, " %*s %13lld", width, show_turns(r->from, r->settled, text), (long long)r->to);
    if (r->best != NULL)
        fprintf(f, "  %-18s %13.3f", r->best->name, us(r->predicted_ns));
    else
        fputs("  -", f);
    if (r->before != NULL && r->before_ns >= 0)
        fprintf(f, "  %-18s %13.3f", r->before->name, us(r->before_ns));
    else if (r->before != NULL)
        fprintf(f, "%*s  %s, which does not apply here", r->best == NULL ? 31 : 0, "",
                r->before->name);
    fputc('\n', f);
}

static void print_comparison(FILE *f, const struct range *r, const struct comparison *d)
{
    static const char *const words[] = {"-", "no", "yes"};
    const struct candidate *const both[] = {&d->best, &d->other};

    if (d->size < 0)
        return;
    fprintf(f, "%12lld %13lld", (long long)r->P, (long long)d->size);
    for (int i = 0; i < 2; i++)
        fprintf(f, "  %-18s %13.3f %13.3f", both[i]->algorithm->name, us(both[i]->predicted_ns),
                us(both[i]->median_ns));
    fprintf(f, "  %s\n", words[comparison_won(d) + 1]);
}

static void print_comparisons(FILE *f, const struct crossover *x)
{
    int n = 0, won = 0, lost = 0;

    for (size_t k = 0; k < x->n; k++) {
        const struct comparison *const sides[] = {&x->ranges[k].below, &x->ranges[k].above};

        for (int i = 0; i < 2; i++) {
            if (sides[i]->size < 0)
                continue;
            if (n++ == 0)
                fprintf(f,
                        "\nRun on both sides of each change: does the best win? (-: their medians' "
                        "95 %% "
                        "intervals overlap)\n\n%12s %13s  %-18s %13s %13s  %-18s %13s %13s  wins\n",
                        "P", x->unit, "best", "predicted", "median", "other", "predicted",
                        "median");
            won += comparison_won(sides[i]) == 1;
            lost += comparison_won(sides[i]) == 0;
            print_comparison(f, &x->ranges[k], sides[i]);
        }
    }
    if (n > 0)
        fprintf(f, "The predicted winner wins %d of %d, and loses %d.\n", won, n, lost);
}

static void print_table_of(FILE *f, const struct crossover *x)
{
    const bool sized = x->unit != NULL;
    char text[MAX_TURNS];
    int width = 13;

    for (size_t i = 0; i < x->n; i++) {
        const int its = (int)strlen(show_turns(x->ranges[i].from, x->ranges[i].settled, text));

        width = its > width ? its : width;
    }
    fprintf(f, "%s: predicted best algorithm\n\n", x->text);
    print_map(f, x);
    fprintf(f, "%12s", "P");
    if (sized)
        fprintf(f, " %*s %13s", width, "from", "to");
    fprintf(f, "  %-18s %13s", "best", "predicted, us");
    fputs(sized ? "  before             predicted, us\n" : "\n", f);
    for (size_t i = 0; i < x->n; i++)
        print_range(f, &x->ranges[i], sized, width);
    print_comparisons(f, x);
}

/* ---- JSON and CSV ---- */

static void add(json_t *record, const char *side, const char *key, json_t *value)
{
    char name[48];

    snprintf(name, sizeof(name), "%s_%s", side, key);
    json_object_set_new(record, name, value);
}

static void add_comparison(json_t *record, const char *side, const struct comparison *d)
{
    const bool is = d->size >= 0;
    const int won = is ? comparison_won(d) : -1;

    add(record, side, "at", json_if(is, d->size));
    add(record, side, "best_predicted_ns", json_if(is, d->best.predicted_ns));
    add(record, side, "other_predicted_ns", json_if(is, d->other.predicted_ns));
    add(record, side, "best_ns", json_if(is && d->best.measured, d->best.median_ns));
    add(record, side, "other_ns", json_if(is && d->other.measured, d->other.median_ns));
    add(record, side, "best_wins", won < 0 ? json_null() : json_boolean(won));
}

json_t *same_results_json(const char *collective, bool may_differ)
{
    return logp_collective_find(collective)->same_results ? json_boolean(!may_differ) : json_null();
}

static json_t *range_json(const struct crossover *x, const struct range *r)
{
    const bool sized = x->unit != NULL, has_before = r->before != NULL && r->before_ns >= 0;
    json_t *j =
        json_pack("{s:s, s:I, s:s?, s:o, s:o, s:s?, s:o, s:s?, s:o}", "collective", x->collective,
                  "P", (json_int_t)r->P, "size", x->unit, "from", json_if(sized, r->from), "to",
                  json_if(sized, r->to), "algorithm", r->best != NULL ? r->best->name : NULL,
                  "predicted_ns", json_if(r->best != NULL, r->predicted_ns), "before",
                  r->before != NULL ? r->before->name : NULL, "before_predicted_ns",
                  json_if(has_before, r->before_ns));

    add_comparison(j, "below", &r->below);
    add_comparison(j, "above", &r->above);
    json_object_set_new(j, "sweep", json_string(x->text));
    json_object_set_new(j, "same_results", same_results_json(x->collective, x->may_differ));
    json_object_set_new(j, "settled_from", json_if(r->settled > r->from, r->settled));
    return j;
}

void print_crossover(FILE *f, enum record_form form, const struct crossover *x)
{
    struct records r = {.f = f,
                        .form = form,
                        .columns = "collective,P,size,from,to,algorithm,predicted_ns,before,"
                                   "before_predicted_ns,below_at,below_best_predicted_ns,"
                                   "below_other_predicted_ns,below_best_ns,below_other_ns,"
                                   "below_best_wins,above_at,above_best_predicted_ns,"
                                   "above_other_predicted_ns,above_best_ns,above_other_ns,"
                                   "above_best_wins,sweep,same_results,settled_from"};

    if (form == RECORDS_TABLE) {
        print_table_of(f, x);
        return;
    }
    for (size_t i = 0; i < x->n; i++)
        put_record(&r, range_json(x, &x->ranges[i]));
    end_records(&r);
}
