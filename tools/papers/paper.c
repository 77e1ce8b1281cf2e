/* SPDX-License-Identifier: MIT */
/* The tables of a paper: building them, and running their rows. */
#include "papers/paper.h"

#include "question/choice/choice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS = 5, WARMUP = 1 }; /* defaults on the wall clock */

#define BEARABLE 0.01 /* lag of a host that keeps up: of the emulated time, or of a unit */

struct paper_table *paper_table(struct paper *p, const char *figure, const char *columns,
                                const char *unit, const char *title, ...)
{
    struct paper_table *t = &p->tables[p->n_tables];
    va_list args;

    if (p->n_tables == MOST_TABLES)
        bad_usage("paper %s: more than %d tables", p->name, MOST_TABLES);
    p->n_tables++;
    *t = (struct paper_table){.figure = figure, .columns = columns, .unit = unit};
    va_start(args, title);
    vsnprintf(t->title, sizeof(t->title), title, args);
    va_end(args);
    return t;
}

struct paper_row *paper_row(struct paper_table *t, const char *labels, ...)
{
    struct paper_row *row;
    va_list args;

    if ((t->n_rows & (t->n_rows + 1)) == 0) { /* capacity: 1, 3, 7, ... */
        t->rows = or_end(realloc(t->rows, (2 * t->n_rows + 1) * sizeof(*t->rows)));
    }
    row = &t->rows[t->n_rows++];
    *row = (struct paper_row){.certainty = LOGP_PREDICTION_EXACT};
    for (int i = 0; i < N_VALUES; i++)
        row->value[i] = NAN;
    va_start(args, labels);
    vsnprintf(row->labels, sizeof(row->labels), labels, args);
    va_end(args);
    return row;
}

void paper_remark(struct paper_row *row, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(row->remark, sizeof(row->remark), format, args);
    va_end(args);
}

void paper_note(struct paper_table *t, const char *format, ...)
{
    va_list args;

    if (t->n_notes == sizeof(t->notes) / sizeof(t->notes[0]))
        bad_usage("%s: too many notes", t->figure);
    va_start(args, format);
    vsnprintf(t->notes[t->n_notes++], sizeof(t->notes[0]), format, args);
    va_end(args);
}

void paper_draw(struct paper_table *t, enum paper_picture picture, const struct paper_case *x)
{
    t->picture = picture;
    t->drawn = *x;
}

/* ---- the list of claims ---- */

static void judge(struct paper *p, const char *what, const char *verdict, const char *format,
                  va_list args)
{
    struct paper_row *row;

    if (p->stopped)
        return;
    p->verdicts.figure = "Summary";
    p->verdicts.columns = "what";
    p->verdicts.unit = "none";
    snprintf(p->verdicts.title, sizeof(p->verdicts.title), "claims, and whether they agree");
    row = paper_row(&p->verdicts, "%s", what);
    row->verdict = verdict;
    vsnprintf(row->remark, sizeof(row->remark), format, args);
}

void paper_judge(struct paper *p, const char *what, bool agrees, const char *why, ...)
{
    va_list args;

    va_start(args, why);
    judge(p, what, agrees ? "agrees" : "differs", why, args);
    va_end(args);
}

void paper_judge_none(struct paper *p, const char *what, const char *here, ...)
{
    va_list args;

    va_start(args, here);
    judge(p, what, "nothing printed", here, args);
    va_end(args);
}

void paper_listing(struct paper *p, const char *claim, bool agrees, const char *texts, ...)
{
    struct paper_listing *l = &p->listings[p->n_listings];
    char why[sizeof(l->name)], all[5 * sizeof(why)], *text = all;
    char *const parts[] = {l->name, l->printed, l->does, l->here, why};
    va_list args;

    if (p->n_listings == MOST_LISTINGS)
        bad_usage("paper %s: more than %d listings", p->name, MOST_LISTINGS);
    p->n_listings++;
    va_start(args, texts);
    vsnprintf(all, sizeof(all), texts, args);
    va_end(args);
    for (int i = 0; i < 5; i++) {
        const size_t n = strcspn(text, "|");

        snprintf(parts[i], sizeof(why), "%.*s", (int)n, text);
        text += n + (text[n] == '|');
    }
    if (claim != NULL)
        paper_judge(p, claim, agrees, "%s", why);
}

bool paper_same_of(const struct paper_table *t, int column, const char *label, enum paper_value a,
                   enum paper_value b)
{
    size_t both = 0, same = 0;
    char text[64];

    for (size_t i = 0; i < t->n_rows; i++) {
        const double *value = t->rows[i].value;

        if (label != NULL && strcmp(paper_label(t->rows[i].labels, column, text), label) != 0)
            continue;
        both += !isnan(value[a]) && !isnan(value[b]);
        same += fabs(value[a] - value[b]) < 1e-6; /* false where one is NAN */
    }
    return both > 0 && same == both;
}

bool paper_same(const struct paper_table *t, enum paper_value a, enum paper_value b)
{
    return paper_same_of(t, 0, NULL, a, b);
}

bool paper_has(const struct paper_table *t, enum paper_value v)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (!isnan(t->rows[i].value[v]))
            return true;
    return false;
}

const char *paper_label(const char *labels, int i, char buf[64])
{
    for (; i > 0 && labels != NULL; i--) {
        labels = strchr(labels, '|');
        labels += labels != NULL;
    }
    snprintf(buf, 64, "%.*s", labels != NULL ? (int)strcspn(labels, "|") : 0,
             labels != NULL ? labels : "");
    return buf;
}

int paper_columns(const struct paper_table *t)
{
    int n = 1;

    for (const char *s = t->columns; *s != '\0'; s++)
        n += *s == '|';
    return n;
}

bool paper_is_whole(double x)
{
    return x == floor(x) && fabs(x) < 9007199254740992.0; /* 2^53: integers are exact below */
}

void paper_free(struct paper *p)
{
    for (int i = 0; i < p->n_tables; i++)
        free(p->tables[i].rows);
    free(p->verdicts.rows);
}

/* ---- running ---- */

const struct logp_algorithm *paper_algorithm(const struct paper_case *x)
{
    const struct logp_algorithm *a =
        x->own != NULL ? x->own : logp_algorithm_find(x->collective, x->algorithm);

    if (a == NULL)
        bad_usage("%s %s: no such algorithm", x->collective, x->algorithm);
    return a;
}

int64_t paper_knob(const struct paper_case *x, const char *name)
{
    int64_t value = 0;

    knob_value(paper_algorithm(x), name, x->P, &x->c, &value);
    return value;
}

int64_t paper_unit(const struct paper *p, int64_t otherwise_ns)
{
    return option_given(p->q, "unit") ? p->q->model.unit_ns : otherwise_ns;
}

struct logp_params paper_params(int64_t unit_ns, int L, int o, int g)
{
    return (struct logp_params){.L_ns = L * unit_ns,
                                .o_send_ns = o * unit_ns,
                                .o_recv_ns = o * unit_ns,
                                .g_ns = g * unit_ns};
}

struct question paper_options(const struct paper *p, const struct paper_case *x,
                              enum logp_clock clock)
{
    const struct logp_params *params = &x->c.model.params;
    const bool wall = clock == LOGP_CLOCK_WALL;
    struct logp_topology *topology = NULL;
    struct question q = *p->q;

    if (x->topology != NULL && logp_topology_create(x->topology, x->P, &topology) != 0)
        bad_usage("no memory for %s", x->topology);
    q.model.P = x->P;
    q.model.network.params = *params;
    q.model.unit_ns = x->unit_ns;
    q.what.root = 0;
    q.model.gamma_host = false;
    q.what.algorithm_list = "auto";
    q.what.algorithms = ALGORITHMS_AUTO;
    q.model.machine = NULL;
    q.model.network.topology = topology;
    use_delay(&q, logp_delay_name(params));
    q.how.clock = clock;
    q.what.by = LOGP_BY_FORMULA; /* papers give formulas */
    if (!option_given(&q, "executor"))
        use_executor(&q, "fiber");
    if (!wall || !option_given(&q, "reps"))
        q.how.reps = wall ? REPS : 1;
    if (!wall || !option_given(&q, "warmup"))
        q.how.warmup = wall ? WARMUP : 0;
    return q;
}

/* Whether the time on the virtual clock agrees with the prediction. */
static bool holds(const struct logp_record *r)
{
    const int64_t emulated = r->emulated.median_ns, predicted = r->prediction.ns;

    switch (r->prediction.certainty) {
    case LOGP_PREDICTION_EXACT:
        return emulated == predicted;
    case LOGP_PREDICTION_BOUND:
        return emulated <= predicted;
    case LOGP_PREDICTION_LOWER_BOUND:
        return emulated >= predicted;
    case LOGP_PREDICTION_NONE:
        break;
    }
    return true;
}

/* One run on one clock; its links are read before the machine is gone. */
static struct row run_case(struct paper *p, const struct paper_case *x, enum logp_clock clock)
{
    const struct question q = paper_options(p, x, clock);
    struct row r = {.algorithm = paper_algorithm(x)};
    struct logp_invocation c = x->c;

    c.model.topology = q.model.network.topology;
    if (!p->stopped && tell_problem(&q, run_alone(&q, &c, &r)) != EXIT_OK)
        p->stopped = p->wrong = true;
    logp_topology_destroy((struct logp_topology *)q.model.network.topology);
    return r;
}

void paper_compare(struct paper *p, const char *what, double predicted, double emulated)
{
    if (p->stopped || predicted == emulated)
        return;
    fprintf(stderr, "logp: paper %s, %s: predicted %.10g, here %.10g\n", p->name, what, predicted,
            emulated);
    p->wrong = true;
}

double paper_emulated(struct paper *p, const struct paper_case *x)
{
    const struct row r = run_case(p, x, LOGP_CLOCK_VIRTUAL);

    return p->stopped ? NAN : (double)r.record.emulated.median_ns / (double)x->unit_ns;
}

static void measure(struct paper *p, const struct paper_case *x, struct paper_row *row)
{
    const struct row wall = run_case(p, x, LOGP_CLOCK_WALL);
    const double measured = (double)wall.record.measured.median_ns / (double)x->unit_ns;
    const double emulated = row->value[EMULATED];
    const bool late = measured - emulated > BEARABLE * fmax(emulated, 1);

    if (p->stopped)
        return;
    p->judged++;
    p->late += late;
    if (!late)
        row->value[MEASURED] = measured;
}

struct row paper_run(struct paper *p, const struct paper_case *x, struct paper_row *row)
{
    const double unit = (double)x->unit_ns;
    struct row exact = run_case(p, x, LOGP_CLOCK_VIRTUAL);
    const struct logp_record *r = &exact.record;

    if (p->stopped)
        return exact;
    row->certainty = r->prediction.certainty;
    if (row->certainty != LOGP_PREDICTION_NONE)
        row->value[PREDICTED] = (double)r->prediction.ns / unit;
    row->value[EMULATED] = (double)r->emulated.median_ns / unit;
    if (!holds(r)) {
        fprintf(stderr, "logp: paper %s, %s %s: predicted %lld ns, the virtual clock %lld ns\n",
                p->name, x->collective, x->algorithm, (long long)r->prediction.ns,
                (long long)r->emulated.median_ns);
        p->wrong = true;
    }
    if (p->q->how.clock == LOGP_CLOCK_WALL)
        measure(p, x, row);
    return exact;
}
