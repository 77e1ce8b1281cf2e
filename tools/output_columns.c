/* SPDX-License-Identifier: MIT */
/* What is said of a run or a prediction: a row of the table for each column. See output.h. */
#include "output.h"

#include "options.h"

#include <string.h>

static const struct cell nothing = {.kind = CELL_NOTHING};

static struct cell number(enum cell_kind kind, bool valid, int64_t n)
{
    return valid ? (struct cell){.kind = kind, .number = n} : nothing;
}

static struct cell text(const char *s)
{
    return s != NULL ? (struct cell){.kind = CELL_TEXT, .text = s} : nothing;
}

/* The number of a column whose numbers lie at its offset. */
static int64_t at_offset(const void *where, const struct column *col)
{
    int64_t n;

    memcpy(&n, (const char *)where + col->offset, sizeof(n));
    return n;
}

/* ---- what was asked for ---- */

/* Few columns need to look at all of these. */
#define VALUE(name)                                                                                \
    static struct cell name(__attribute__((unused)) const struct output *out,                      \
                            __attribute__((unused)) const struct row *row,                         \
                            __attribute__((unused)) const struct column *col)

VALUE(collective_of)
{
    return text(out->collective);
}

VALUE(algorithm_of)
{
    return text(row->algorithm->name);
}

VALUE(option_number)
{
    return number(CELL_WHOLE, true, at_offset(out->o, col));
}

VALUE(coll_number)
{
    return number(CELL_WHOLE, true, at_offset(out->c, col));
}

VALUE(coll_ns)
{
    return number(CELL_NS, true, at_offset(out->c, col));
}

VALUE(param_ns)
{
    return number(CELL_NS, true, at_offset(&out->o->params, col));
}

VALUE(param_ps)
{
    return number(CELL_THOUSANDTHS, true, at_offset(&out->o->params, col));
}

static enum logp_operands operands_of(const struct output *out)
{
    const struct logp_collective *collective = logp_collective_find(out->collective);

    return collective != NULL ? collective->operands : LOGP_OPERANDS_NONE;
}

/* What the operands take: of a matrix all of it, of a vector that of one processor. */
static int64_t operand_bytes(const struct output *out)
{
    const struct logp_coll *c = out->c;
    __int128 bytes = 0;

    switch (operands_of(out)) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        bytes = (__int128)c->n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        bytes = (__int128)c->count * (__int128)c->op->element_bytes;
        break;
    case LOGP_OPERANDS_MATRIX: /* up to 2^31 rows and columns */
        bytes = (__int128)c->rows * c->cols * (__int128)c->n_bytes;
        break;
    }
    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

VALUE(bytes_of)
{
    return number(CELL_WHOLE, operands_of(out) != LOGP_OPERANDS_NONE, operand_bytes(out));
}

VALUE(type_of)
{
    return text(out->o->op->type);
}

VALUE(op_of)
{
    return text(out->o->op->name);
}

VALUE(packing_of)
{
    return text(out->c->packing == LOGP_PACKING_NONE ? "none" : "structured");
}

VALUE(overlap_of)
{
    return row->algorithm->block != NULL ? text(out->c->no_overlap ? "off" : "on") : nothing;
}

VALUE(gap_of)
{
    return text(out->o->params.gap_shared ? "shared" : "separate");
}

VALUE(capacity_of)
{
    const int64_t n = logp_capacity(&out->o->params);

    return number(CELL_WHOLE, n > 0, n);
}

/* What an algorithm has chosen where it was not told. */
static struct cell knob(int64_t (*chosen)(int64_t P, const struct logp_coll *c),
                        const struct output *out)
{
    return chosen != NULL ? number(CELL_WHOLE, true, chosen(out->o->P, out->c)) : nothing;
}

VALUE(k_of)
{
    return knob(row->algorithm->k, out);
}

VALUE(window_of)
{
    return knob(row->algorithm->window, out);
}

VALUE(block_of)
{
    return knob(row->algorithm->block, out);
}

VALUE(machine_of)
{
    return text(out->o->machine != NULL ? out->o->machine->name : NULL);
}

VALUE(clock_of)
{
    return text(out->o->clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall");
}

VALUE(executor_of)
{
    return text(out->o->executor);
}

VALUE(delay_of)
{
    return text(out->o->plugin != NULL ? out->o->plugin : out->o->delay);
}

VALUE(topology_of)
{
    return text(out->o->topology != NULL ? logp_topology_spec(out->o->topology) : NULL);
}

/* ---- what came of it ---- */

VALUE(reps_of)
{
    return number(CELL_WHOLE, true, row->ran ? row->record.reps : out->o->reps);
}

VALUE(predicted_of)
{
    const struct logp_prediction *p = &row->record.prediction;
    struct cell cell = number(CELL_NS, p->certainty != LOGP_PREDICTION_NONE, p->ns);

    if (p->certainty == LOGP_PREDICTION_BOUND || p->certainty == LOGP_PREDICTION_LOWER_BOUND)
        cell.text = p->certainty == LOGP_PREDICTION_BOUND ? "<= " : ">= ";
    return cell;
}

VALUE(certainty_of)
{
    return text(logp_certainty_name(row->record.prediction.certainty));
}

VALUE(prediction_by)
{
    const struct logp_prediction *p = &row->record.prediction;

    if (p->certainty == LOGP_PREDICTION_NONE)
        return nothing;
    return text(p->by == LOGP_BY_SCHEDULE ? "schedule" : "formula");
}

/* Recursive doubling, in a row or on a mesh: what the textbook says that it takes. */
VALUE(textbook_of)
{
    const struct options *o = out->o;
    const char *of = row->algorithm->collective, *name = row->algorithm->name;
    const bool has = (strcmp(of, "broadcast") == 0 || strcmp(of, "reduce") == 0) &&
                     (strcmp(name, "binomial") == 0 || strcmp(name, "mesh") == 0) &&
                     strcmp(o->delay, "none") != 0 && o->plugin == NULL;
    const int64_t ns =
        has ? logp_textbook_cost(o->P, &out->c->params, (size_t)operand_bytes(out)) : -1;

    return number(CELL_NS, ns >= 0, ns);
}

VALUE(measured_of)
{
    const struct logp_record *r = &row->record;

    return number(CELL_NS, r->reps > 0 && r->has_measured, at_offset(r, col));
}

VALUE(emulated_of)
{
    const struct logp_record *r = &row->record;

    return number(CELL_NS, r->reps > 0 && r->has_emulated, at_offset(r, col));
}

VALUE(lag_of)
{
    const struct logp_record *r = &row->record;

    return number(CELL_NS, r->reps > 0 && r->has_lag, at_offset(r, col));
}

VALUE(restarts_of)
{
    return number(CELL_WHOLE, true, row->record.restarts);
}

VALUE(ratio_of)
{
    const double r = logp_record_ratio(&row->record);

    return r > 0 ? (struct cell){.kind = CELL_RATIO, .ratio = r} : nothing;
}

VALUE(messages_of)
{
    return number(CELL_WHOLE, true, (int64_t)row->record.messages);
}

VALUE(link_most_of)
{
    return number(CELL_WHOLE, row->has_links, (int64_t)row->busiest.messages);
}

VALUE(link_wait_of)
{
    return number(CELL_NS, row->has_links, row->links.waited_ns);
}

VALUE(verified_of)
{
    return number(CELL_TRUTH, true, row->record.verified);
}

/* The median, or where nothing was run the prediction; -1: there is none that is right. */
static int64_t time_of(const struct row *row)
{
    const struct logp_record *r = &row->record;

    if (!row->ran)
        return r->prediction.certainty == LOGP_PREDICTION_EXACT ||
                       r->prediction.certainty == LOGP_PREDICTION_BOUND
                   ? r->prediction.ns
                   : -1;
    if (r->reps == 0 || !r->verified)
        return -1;
    return r->has_measured ? r->measured.median_ns : r->emulated.median_ns;
}

/* Of several the first that no other beats, where they differ. */
VALUE(best_of)
{
    const struct row *best = NULL;
    bool differ = false;

    for (size_t i = 0; i < out->n; i++) {
        const int64_t time = time_of(&out->rows[i]);

        if (time < 0)
            continue;
        differ |= best != NULL && time != time_of(best);
        if (best == NULL || time < time_of(best))
            best = &out->rows[i];
    }
    return row == best && differ ? text("best") : nothing;
}

/* ---- the table ---- */

#define KEY(key_, value_) .key = (key_), .value = (value_)
#define PART(key_, part_, value_) .key = (key_), .part = (part_), .value = (value_)
#define OPTION(field) .offset = offsetof(struct options, field)
#define COLL(field) .offset = offsetof(struct logp_coll, field)
#define PARAM(field) .offset = offsetof(struct logp_params, field)
#define RECORD(field) .offset = offsetof(struct logp_record, field), .measured = true
#define TABLE(heading_, width_, tables_)                                                           \
    .heading = (heading_), .width = (width_), .tables = (tables_)

static const struct column columns[] = {
    {KEY("collective", collective_of)},
    {KEY("algorithm", algorithm_of), TABLE("times in us", -12, TABLE_ANY)},
    {KEY("P", option_number), OPTION(P)},
    {KEY("root", option_number), OPTION(root), .option = "root"},
    {KEY("bytes", bytes_of)},
    {KEY("count", coll_number), COLL(count), .option = "count"},
    {KEY("type", type_of), .option = "type"},
    {KEY("op", op_of), .option = "op"},
    {KEY("rows", coll_number), COLL(rows), .option = "rows"},
    {KEY("cols", coll_number), COLL(cols), .option = "cols"},
    {KEY("packing", packing_of), .option = "packing"},
    {KEY("pack_ns", coll_ns), COLL(pack_ns), .option = "pack"},
    {KEY("work_ns", coll_ns), COLL(work_ns), .option = "work"},
    {KEY("L_ns", param_ns), PARAM(L_ns)},
    {KEY("o_send_ns", param_ns), PARAM(o_send_ns)},
    {KEY("o_recv_ns", param_ns), PARAM(o_recv_ns)},
    {KEY("g_ns", param_ns), PARAM(g_ns)},
    {KEY("G_ns_per_byte", param_ps), PARAM(G_ps)},
    {KEY("gamma_ns", param_ps), PARAM(gamma_ps)},
    {KEY("gap", gap_of)},
    {KEY("capacity", capacity_of)},
    {KEY("k", k_of), TABLE("k", 6, TABLE_ANY)},
    {KEY("window", window_of), TABLE("window", 6, TABLE_ANY)},
    {KEY("block", block_of), TABLE("block", 6, TABLE_ANY)},
    {KEY("overlap", overlap_of)},
    {KEY("machine", machine_of)},
    {KEY("clock", clock_of)},
    {KEY("executor", executor_of)},
    {KEY("delay", delay_of)},
    {KEY("topology", topology_of)},
    {KEY("seed", option_number), OPTION(seed)},
    {KEY("reps", reps_of)},
    {KEY("predicted_ns", predicted_of), TABLE("predicted", 13, TABLE_ANY)},
    {KEY("prediction", certainty_of), TABLE("certainty", -9, TABLE_PREDICTED)},
    {KEY("prediction_by", prediction_by)},
    {KEY("textbook_ns", textbook_of)},
    {PART("measured_ns", "min", measured_of), RECORD(measured.min_ns)},
    {PART("measured_ns", "median", measured_of), RECORD(measured.median_ns),
     TABLE("measured", 13, TABLE_WALL)},
    {PART("measured_ns", "p90", measured_of), RECORD(measured.p90_ns)},
    {PART("measured_ns", "p99", measured_of), RECORD(measured.p99_ns),
     TABLE("p99", 13, TABLE_WALL)},
    {PART("measured_ns", "max", measured_of), RECORD(measured.max_ns)},
    {PART("emulated_ns", "min", emulated_of), RECORD(emulated.min_ns)},
    {PART("emulated_ns", "median", emulated_of), RECORD(emulated.median_ns),
     TABLE("emulated", 13, TABLE_VIRTUAL)},
    {PART("emulated_ns", "max", emulated_of), RECORD(emulated.max_ns)},
    {.value = ratio_of, TABLE("ratio", 8, TABLE_WALL | TABLE_VIRTUAL)},
    {PART("lag_ns", "median", lag_of), RECORD(lag.median_ns), TABLE("lag", 9, TABLE_WALL)},
    {PART("lag_ns", "p99", lag_of), RECORD(lag.p99_ns), TABLE("lag p99", 9, TABLE_WALL)},
    {PART("lag_ns", "max", lag_of), RECORD(lag.max_ns)},
    {KEY("restarts", restarts_of), .measured = true},
    {KEY("ratio", ratio_of), .measured = true},
    {KEY("messages", messages_of), .measured = true},
    {KEY("link_most", link_most_of), .measured = true},
    {KEY("link_wait_ns", link_wait_of), .measured = true},
    {KEY("verified", verified_of), .measured = true,
     TABLE("verified", -8, TABLE_WALL | TABLE_VIRTUAL)},
    {.value = best_of, TABLE("", -4, TABLE_ANY)},
};

const struct column *output_columns(size_t *n)
{
    *n = sizeof(columns) / sizeof(columns[0]);
    return columns;
}

struct cell cell_of(const struct output *out, const struct row *row, const struct column *col)
{
    if (col->option != NULL && !option_matters(col->option, out->o))
        return nothing;
    return col->value(out, row, col);
}
