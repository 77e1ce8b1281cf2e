/* SPDX-License-Identifier: MIT */
/* The results: columns of predictions and runs. See columns.h. */
#include "view/records/columns.h"

VALUE(predicted_of)
{
    const struct logp_prediction *p = &row->record.prediction;
    struct cell cell = number_cell(CELL_NS, p->certainty != LOGP_PREDICTION_NONE, p->ns);

    if (p->certainty == LOGP_PREDICTION_BOUND || p->certainty == LOGP_PREDICTION_LOWER_BOUND)
        cell.text = p->certainty == LOGP_PREDICTION_BOUND ? "<= " : ">= ";
    return cell;
}

VALUE(certainty_of)
{
    return text_cell(logp_certainty_name(row->record.prediction.certainty));
}

VALUE(prediction_by)
{
    const struct logp_prediction *p = &row->record.prediction;

    if (p->certainty == LOGP_PREDICTION_NONE)
        return no_cell;
    return text_cell(p->by == LOGP_BY_SCHEDULE ? "schedule" : "formula");
}

VALUE(lower_bound_of)
{
    const int64_t ns = lower_bound(out->q, out->collective, out->c);

    return number_cell(CELL_NS, ns >= 0, ns);
}

/* prediction / lower bound */
VALUE(of_best)
{
    const struct logp_prediction *p = &row->record.prediction;
    const int64_t ns = lower_bound(out->q, out->collective, out->c);

    if (ns <= 0 || (p->certainty != LOGP_PREDICTION_EXACT && p->certainty != LOGP_PREDICTION_BOUND))
        return no_cell;
    return (struct cell){.kind = CELL_RATIO, .ratio = (double)p->ns / (double)ns};
}

VALUE(textbook_of)
{
    const struct question *q = out->q;
    const int64_t ns =
        q->model.emulated && q->model.plugin == NULL
            ? logp_algorithm_textbook(row->algorithm, q->model.P, &out->c->args, &out->c->model)
            : -1;

    return number_cell(CELL_NS, ns >= 0, ns);
}

VALUE(measured_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->reps > 0 && r->has_measured, at_offset(r, col));
}

VALUE(emulated_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->reps > 0 && r->has_emulated, at_offset(r, col));
}

VALUE(rank_of)
{
    return number_cell(CELL_NS, row->has_ranks, at_offset(row, col));
}

VALUE(lag_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->reps > 0 && r->has_lag, at_offset(r, col));
}

VALUE(restarts_of)
{
    return number_cell(CELL_WHOLE, true, row->record.restarts);
}

VALUE(late_starts_of)
{
    return number_cell(CELL_WHOLE, true, row->record.late_starts);
}

VALUE(undisturbed_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->has_measured && r->disturbed < r->reps, at_offset(r, col));
}

VALUE(undisturbed_ratio_of)
{
    const double r = logp_record_undisturbed_ratio(&row->record);

    return r > 0 ? (struct cell){.kind = CELL_RATIO, .ratio = r} : no_cell;
}

VALUE(disturbed_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_WHOLE, r->has_measured && r->reps > 0, r->disturbed);
}

VALUE(disturbed_by_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->has_measured && r->reps > 0, r->disturbed_by_ns);
}

VALUE(absence_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->has_measured && r->reps > 0, r->absence_median_ns);
}

VALUE(too_busy_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_TRUTH, r->has_measured && r->reps > 0, logp_record_too_busy(r));
}

VALUE(ratio_of)
{
    const double r = logp_record_ratio(&row->record);

    return r > 0 ? (struct cell){.kind = CELL_RATIO, .ratio = r} : no_cell;
}

VALUE(messages_of)
{
    return number_cell(CELL_WHOLE, true, (int64_t)row->record.messages);
}

VALUE(link_most_of)
{
    return number_cell(CELL_WHOLE, row->has_links, (int64_t)row->busiest.messages);
}

VALUE(link_wait_of)
{
    return number_cell(CELL_NS, row->has_links, row->links.waited_ns);
}

VALUE(verified_of)
{
    if (is_unchecked(out, row))
        return (struct cell){.kind = CELL_NOTHING, .text = "through"};
    return number_cell(CELL_TRUTH, true, row->record.verified);
}

/* The median or, if the row was not run, the prediction; -1: there is no valid one. */
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

/* Mark the fastest of several rows; the first one if several are equally fast. */
VALUE(best_of)
{
    const struct row *best = NULL;
    int n = 0;

    for (size_t i = 0; i < out->n; i++) {
        const int64_t time = time_of(&out->rows[i]);

        if (time < 0 || out->rows[i].has_alone) /* the parts of one machine do not compete */
            continue;
        n++;
        if (best == NULL || time < time_of(best))
            best = &out->rows[i];
    }
    return row == best && n > 1 ? text_cell("best") : no_cell;
}

VALUE(low_of)
{
    return number_cell(CELL_NS, row->record.has_interval, row->record.interval.low_ns);
}

VALUE(high_of)
{
    return number_cell(CELL_NS, row->record.has_interval, row->record.interval.high_ns);
}

VALUE(runs_of)
{
    return number_cell(CELL_WHOLE, row->ran, runs_of_record(&row->record));
}

VALUE(sweep_of)
{
    return text_cell(out->sweep);
}

VALUE(processes_of)
{
    return number_cell(CELL_WHOLE, row->ran, row->processes);
}

VALUE(clock_error_of)
{
    const int64_t ns = row->record.clock_error_ns;

    return number_cell(CELL_WHOLE, row->ran && ns >= 0, ns);
}

const struct column result_columns[] = {
    {KEY("predicted_ns", predicted_of), TABLE("predicted", 13, TABLE_ANY)},
    {KEY("prediction", certainty_of), TABLE("certainty", -9, TABLE_PREDICTED), .spare = 1},
    {KEY("prediction_by", prediction_by)},
    {KEY("lower_bound_ns", lower_bound_of)},
    {KEY("bound_ratio", of_best), TABLE("x bound", 8, TABLE_PREDICTED | TABLE_VIRTUAL), .spare = 4},
    {KEY("textbook_ns", textbook_of)},
    {PART("measured_ns", "min", measured_of), RECORD(measured.min_ns)},
    {PART("measured_ns", "median", measured_of), RECORD(measured.median_ns),
     TABLE("measured", 13, TABLE_WALL)},
    {.value = undisturbed_of,
     RECORD(undisturbed.median_ns),
     TABLE("undisturbed", 13, TABLE_WALL),
     .spare = 6},
    {.value = disturbed_of, TABLE("disturbed", 9, TABLE_WALL), .spare = 6},
    {.value = low_of, TABLE("from", 13, TABLE_WALL), .spare = 4, .swept = true},
    {.value = high_of, TABLE("to", 13, TABLE_WALL), .spare = 4, .swept = true},
    {.value = runs_of, TABLE("runs", 5, TABLE_WALL), .spare = 5, .swept = true},
    {PART("measured_ns", "p90", measured_of), RECORD(measured.p90_ns)},
    {PART("measured_ns", "p99", measured_of), RECORD(measured.p99_ns), TABLE("p99", 13, TABLE_WALL),
     .spare = 7},
    {PART("measured_ns", "max", measured_of), RECORD(measured.max_ns)},
    {PART("emulated_ns", "min", emulated_of), RECORD(emulated.min_ns)},
    {PART("emulated_ns", "median", emulated_of), RECORD(emulated.median_ns),
     TABLE("emulated", 13, TABLE_VIRTUAL)},
    {PART("emulated_ns", "max", emulated_of), RECORD(emulated.max_ns)},
    {PART("rank_ns", "min", rank_of), RANKS(min_ns), TABLE("rank min", 13, TABLE_RANKS),
     .spare = 1},
    {PART("rank_ns", "mean", rank_of), RANKS(mean_ns), TABLE("rank mean", 13, TABLE_RANKS),
     .spare = 1},
    {PART("rank_ns", "max", rank_of), RANKS(max_ns), TABLE("rank max", 13, TABLE_RANKS),
     .spare = 1},
    {.value = ratio_of, TABLE("ratio", 8, TABLE_WALL | TABLE_VIRTUAL), .spare = 3},
    {PART("lag_ns", "median", lag_of), RECORD(lag.median_ns), TABLE("lag", 9, TABLE_WALL),
     .spare = 8},
    {PART("lag_ns", "p99", lag_of), RECORD(lag.p99_ns), TABLE("lag p99", 9, TABLE_WALL),
     .spare = 9},
    {PART("lag_ns", "max", lag_of), RECORD(lag.max_ns)},
    {KEY("restarts", restarts_of), .measured = true},
    {KEY("processes", processes_of), .measured = true},
    {KEY("clock_error_ns", clock_error_of), .measured = true},
    {KEY("ratio", ratio_of), .measured = true},
    {KEY("messages", messages_of), .measured = true},
    {KEY("link_most", link_most_of), .measured = true},
    {KEY("link_wait_ns", link_wait_of), .measured = true},
    {KEY("verified", verified_of), .measured = true,
     TABLE("verified", -8, TABLE_WALL | TABLE_VIRTUAL), .spare = 6},
    {.value = best_of, TABLE("", -4, TABLE_PREDICTED | TABLE_VIRTUAL | TABLE_WALL)},
    {0},
};

/* How the host behaved; the newest columns. */
const struct column host_columns[] = {
    {KEY("late_starts", late_starts_of), .measured = true},
    {KEY("undisturbed_median_ns", undisturbed_of), RECORD(undisturbed.median_ns)},
    {KEY("undisturbed_p99_ns", undisturbed_of), RECORD(undisturbed.p99_ns)},
    {KEY("undisturbed_ratio", undisturbed_ratio_of), .measured = true},
    {KEY("disturbed", disturbed_of), .measured = true},
    {KEY("disturbed_by_ns", disturbed_by_of), .measured = true},
    {KEY("too_busy", too_busy_of), .measured = true},
    {KEY("absence_median_ns", absence_of), .measured = true},
    {0},
};

/* After the columns that are older than sweeps; the name of a sweep is the last. */
const struct column sweep_columns[] = {
    {PART("interval_ns", "low", low_of), .measured = true},
    {PART("interval_ns", "high", high_of), .measured = true},
    {KEY("runs", runs_of), .measured = true},
    {KEY("sweep", sweep_of)},
    {0},
};

/* ---- faults and noise, and their effects ---- */

VALUE(fault_of)
{
    return text_cell(out->q->model.network.faults);
}

VALUE(noise_of)
{
    return text_cell(out->q->model.network.noise);
}

VALUE(failed_of)
{
    return number_cell(CELL_WHOLE, is_faulty(out->q), row->record.failed);
}

VALUE(wrong_ranks_of)
{
    return text_cell(row->wrong_ranks[0] != '\0' ? row->wrong_ranks : NULL);
}

VALUE(struck_of)
{
    return number_cell(CELL_WHOLE, is_faulty(out->q), at_offset(&row->record, col));
}

const struct column fault_columns[] = {
    {KEY("fault", fault_of)},
    {KEY("noise", noise_of)},
    {KEY("failed", failed_of), .measured = true, TABLE("failed", 7, TABLE_WALL | TABLE_VIRTUAL)},
    {KEY("wrong_ranks", wrong_ranks_of), .measured = true},
    {KEY("dropped", struck_of), RECORD(struck.dropped)},
    {KEY("duplicated", struck_of), RECORD(struck.duplicated)},
    {KEY("flipped", struck_of), RECORD(struck.flipped)},
    {KEY("delayed", struck_of), RECORD(struck.delayed)},
    {0},
};
