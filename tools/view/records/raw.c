/* SPDX-License-Identifier: MIT */
/*
 * Each measured time with its state, in a file: a line of CSV for each run, after the settings of its row; or a
 * record of JSON for each row, with the list of its runs.
 */
#include "view/records/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The settings of a row are the members of its record before this one. */
static const char *const first_result = "reps";

static const char *const states[] = {[LOGP_RUN_UNDISTURBED] = "undisturbed",
                                     [LOGP_RUN_DISTURBED] = "disturbed",
                                     [LOGP_RUN_REPEATED] = "repeated"};

struct problem *open_raw(struct raw_file *raw, const struct question *q)
{
    int error;

    if (q->form.raw == NULL)
        return NULL;
    raw->path = q->form.raw;
    raw->json = strcasecmp(suffix_of(raw->path), "json") == 0;
    error = new_file_begin(&raw->file, raw->path);
    return error == 0 ? NULL : option_problem("--raw", raw->path, "%s", strerror(error));
}

static void write_json(FILE *f, const struct output *out, const struct row *row)
{
    const struct logp_record *r = &row->record;

    write_json_record(f, out, row, first_result); /* without its last brace */
    fprintf(f, ",\"predicted_ns\":");
    if (r->prediction.certainty == LOGP_PREDICTION_NONE)
        fputs("null", f);
    else
        fprintf(f, "%lld", (long long)r->prediction.ns);
    fprintf(f, ",\"disturbed_by_ns\":%lld,\"runs\":[", (long long)r->disturbed_by_ns);
    for (int i = 0; i < r->reps + r->restarts; i++) {
        const struct logp_run_time *t = &row->runs[i];

        fprintf(f, "%s{\"measured_ns\":%lld,\"emulated_ns\":", i > 0 ? ",\n" : "\n",
                (long long)t->measured_ns);
        if (r->has_emulated)
            fprintf(f, "%lld", (long long)t->emulated_ns);
        else
            fputs("null", f);
        fprintf(f, ",\"absence_ns\":%lld,\"state\":\"%s\"}", (long long)t->absence_ns,
                states[t->state]);
    }
    fputs("]}", f);
}

static void write_csv(FILE *f, const struct output *out, const struct row *row)
{
    const struct logp_record *r = &row->record;

    for (int i = 0; i < r->reps + r->restarts; i++) {
        const struct logp_run_time *t = &row->runs[i];

        write_csv_record(f, out, row, first_result);
        fprintf(f, ",%d,%lld,", i, (long long)t->measured_ns);
        if (r->has_emulated)
            fprintf(f, "%lld", (long long)t->emulated_ns);
        fprintf(f, ",%lld,%s\n", (long long)t->absence_ns, states[t->state]);
    }
}

void add_raw(struct raw_file *raw, const struct output *out, struct row *row)
{
    FILE *f = raw->file.f;

    if (f == NULL || row->runs == NULL) {
        forget_runs(row);
        return;
    }
    if (raw->json) {
        fputs(raw->n == 0 ? "[" : ",\n", f);
        write_json(f, out, row);
    } else {
        if (raw->n == 0) {
            write_csv_names(f, out, first_result);
            fputs(",run,measured_ns,emulated_ns,absence_ns,state\n", f);
        }
        write_csv(f, out, row);
    }
    raw->n++;
    forget_runs(row);
}

struct problem *close_raw(struct raw_file *raw)
{
    int error;

    if (raw->file.f == NULL)
        return NULL;
    if (raw->n == 0) {
        new_file_drop(&raw->file);
        return NULL;
    }
    if (raw->json)
        fputs("]\n", raw->file.f);
    error = new_file_keep(&raw->file);
    return error == 0 ? NULL : failure("%s could not be written: %s", raw->path, strerror(error));
}
