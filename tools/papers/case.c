/* SPDX-License-Identifier: MIT */
/* A case of a paper: reading it, and running it. */
#include "papers/paper.h"

#include "question/choice/choice.h"
#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

enum { REPS = 5, WARMUP = 1 }; /* defaults on the wall clock */
enum { SLOW_CYCLES = 1000 };   /* gap of a machine with a short cycle here */

#define BEARABLE 0.01 /* lag of a host that keeps up: of the emulated time, or of a unit */

/* ---- reading ---- */

/* "2*16", "1024/8" */
static double number_of(const char *text)
{
    char *end;
    const double x = strtod(text, &end);

    return *end == '*' ? x * strtod(end + 1, NULL) : *end == '/' ? x / strtod(end + 1, NULL) : x;
}

/* The paper's unit, unless --unit is given. */
static int64_t unit_of(const struct paper *p, int64_t otherwise_ns)
{
    return otherwise_ns == 0 || option_given(p->q, "unit") ? p->q->model.unit_ns : otherwise_ns;
}

/* A machine whose cycle is long enough for a host to keep up. */
static void set_preset(const struct paper *p, struct paper_case *x, const char *name)
{
    struct logp_preset scaled = *logp_preset_find(name);

    x->machine = logp_preset_find(name);
    x->unit_ns = scaled.cycle_ns = unit_of(p, scaled.gap < SLOW_CYCLES ? 2000 : 50);
    x->c.model.params = logp_preset_params(&scaled);
}

/* L, o, g, pack, work in units, G and gamma for a byte and an element; "Log=6,2,4"; bytes; block:
 * of a pipeline, in bytes; the others are named as the fields of struct logp_args. */
static void set(const struct paper *p, struct paper_case *x, const char *key, const char *text)
{
    struct logp_args *a = &x->c.args;
    struct logp_params *q = &x->c.model.params;
    const double n = number_of(text), ns = n * (double)x->unit_ns;
    const struct {
        const char *key;
        int64_t *field;
        double value;
    } fields[] = {{"P", &x->P, n},
                  {"k", &a->k, n},
                  {"count", &a->count, n},
                  {"rows", &a->rows, n},
                  {"cols", &a->cols, n},
                  {"block", &a->block_bytes, n},
                  {"no_overlap", &a->no_overlap, n},
                  {"pack", &a->pack_ns, ns},
                  {"work", &a->work_ns, ns},
                  {"L", &q->L_ns, ns},
                  {"o", &q->o_send_ns, ns},
                  {"o", &q->o_recv_ns, ns},
                  {"g", &q->g_ns, ns},
                  {"G", &q->G_ps, 1000 * ns},
                  {"gamma", &q->gamma_ps, 1000 * ns}};
    char part[64];

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (strcmp(fields[i].key, key) == 0)
            *fields[i].field = llround(fields[i].value);
    if (strcmp(key, "bytes") == 0)
        a->n_bytes = (size_t)n;
    else if (strcmp(key, "root") == 0)
        a->root = (int)n;
    else if (strcmp(key, "packing") == 0)
        a->packing = strcmp(text, "none") == 0 ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED;
    else if (strcmp(key, "topology") == 0 && strcmp(text, "-") != 0)
        snprintf(x->topology, sizeof(x->topology), "%s", text);
    else if (strcmp(key, "machine") == 0)
        set_preset(p, x, text);
    for (int i = 0; strcmp(key, "Log") == 0 && i < 3; i++, text += strcspn(text, ",") + 1) {
        snprintf(part, sizeof(part), "%.*s", (int)strcspn(text, ","), text);
        set(p, x, (const char *const[]){"L", "o", "g"}[i], part);
    }
}

struct paper_case paper_case(const struct paper *p, const char *run, const char *words)
{
    struct paper_case x = {.unit_ns = unit_of(p, p->kind->unit_ns)};
    const struct logp_collective *collective;
    char text[256], *rest = text, own[256];
    const char *word;

    snprintf(x.words, sizeof(x.words), "%s", words);
    if (run == NULL)
        return x;
    paper_words(run, words, own, sizeof(own));
    word = strchr(own, ' '); /* the model comes before its own parameters */
    word += strcspn(word + 1, " ") + 1;
    snprintf(text, sizeof(text), "%.*s %s%s", (int)(word - own), own, p->model, word);
    collective = logp_collective_find(strtok_r(text, " ", &rest));
    x.collective = collective->name;
    snprintf(x.algorithm, sizeof(x.algorithm), "%s", strtok_r(NULL, " ", &rest));
    x.own = logp_algorithm_find(x.collective, x.algorithm);
    if (collective->operands == LOGP_OPERANDS_VECTOR || collective->operands == LOGP_OPERANDS_TOTAL)
        x.c.args.op = logp_op_find("sum", "double");
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        char key[32];

        snprintf(key, sizeof(key), "%.*s", (int)strcspn(word, "="), word);
        set(p, &x, key, word + strcspn(word, "=") + 1);
    }
    return x;
}

double paper_units(const struct paper_case *x, int64_t ns)
{
    return (double)ns / (double)x->unit_ns;
}

int64_t paper_knob(const struct paper_case *x, const char *name)
{
    int64_t value = 0;

    knob_value(x->own, name, x->P, &x->c, &value);
    return value;
}

/* ---- running ---- */

bool paper_goes_on(struct paper *p, struct problem *problem)
{
    if (problem == NULL)
        return true;
    p->stopped = p->wrong = true;
    if (p->problem != NULL)
        free(problem);
    else
        p->problem = problem;
    return false;
}

struct question paper_options(const struct paper *p, const struct paper_case *x,
                              enum logp_clock clock)
{
    const struct logp_params *params = &x->c.model.params;
    const bool wall = clock == LOGP_CLOCK_WALL;
    struct logp_topology *topology = NULL;
    struct question q = *p->q;

    if (x->topology[0] != '\0' && logp_topology_create(x->topology, x->P, &topology) != 0)
        need(NULL);
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
    if (!option_given(p->q, "executor"))
        use_executor(&q, "fiber");
    if (!wall || !option_given(p->q, "reps"))
        q.how.reps = wall ? REPS : 1;
    if (!wall || !option_given(p->q, "warmup"))
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
    struct row r = {.algorithm = x->own};
    struct logp_invocation c = x->c;

    c.model.topology = q.model.network.topology;
    if (!p->stopped)
        paper_goes_on(p, run_alone(&q, &c, &r));
    logp_topology_destroy((struct logp_topology *)q.model.network.topology);
    return r;
}

void paper_compare(struct paper *p, const char *what, struct paper_row *row, double predicted,
                   double emulated)
{
    if (p->stopped)
        return;
    row->value[PREDICTED] = predicted;
    row->value[EMULATED] = emulated;
    if (predicted == emulated)
        return;
    say("paper %s, %s: predicted %.10g, here %.10g", p->name, what, predicted, emulated);
    p->wrong = true;
}

double paper_emulated(struct paper *p, const struct paper_case *x)
{
    const struct row r = run_case(p, x, LOGP_CLOCK_VIRTUAL);

    return p->stopped ? NAN : paper_units(x, r.record.emulated.median_ns);
}

static void measure(struct paper *p, const struct paper_case *x, struct paper_row *row)
{
    const struct row wall = run_case(p, x, LOGP_CLOCK_WALL);
    const double measured = paper_units(x, wall.record.measured.median_ns);
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
    struct row exact = run_case(p, x, LOGP_CLOCK_VIRTUAL);
    const struct logp_record *r = &exact.record;

    if (p->stopped)
        return exact;
    row->certainty = r->prediction.certainty;
    if (row->certainty != LOGP_PREDICTION_NONE)
        row->value[PREDICTED] = paper_units(x, r->prediction.ns);
    row->value[EMULATED] = paper_units(x, r->emulated.median_ns);
    if (!holds(r)) {
        say("paper %s, %s %s: predicted %lld ns, the virtual clock %lld ns", p->name, x->collective,
            x->algorithm, (long long)r->prediction.ns, (long long)r->emulated.median_ns);
        p->wrong = true;
    }
    if (p->q->how.clock == LOGP_CLOCK_WALL)
        measure(p, x, row);
    return exact;
}
