/* SPDX-License-Identifier: MIT */
/* A comparison as JSON: the records that `predict --explain` has, each with the key `versus`. */
#include "view/views.h"
#include "answer/versus/versus.h"
#include "view/records/records.h"

#include <stdio.h>

/* The differences are other - this; in ps, in which all of them are whole. */
static json_t *versus_json(const struct versus *v, int this)
{
    const int other = 1 - this;
    const struct row *rows = v->out.rows;
    const struct logp_task *t = v->timeline.task[this];
    char key[32];
    json_t *it = json_pack("{s:s, s:I}", "other", rows[other].algorithm->name, "difference_ns",
                           (json_int_t)(rows[other].explained->ns - rows[this].explained->ns));

    for (int i = 0; part_of_time(rows[this].explained, i).name != NULL; i++) {
        const struct part mine = part_of_time(rows[this].explained, i);

        snprintf(key, sizeof(key), "%s_ps", mine.name);
        json_object_set_new(it, key,
                            json_integer(part_of_time(rows[other].explained, i).ps - mine.ps));
    }
    json_object_set_new(it, "path_ns", json_if(v->path.found, v->path.at_ns));
    json_object_set_new(it, "path_segment", json_if(v->path.found, (int64_t)v->path.segment));
    json_object_set_new(it, "timeline_ns", json_if(v->timeline.found, v->timeline.at_ns));
    json_object_set_new(it, "timeline_rank", json_if(v->timeline.found, v->timeline.rank));
    json_object_set_new(it, "task",
                        t == NULL
                            ? json_null()
                            : json_pack("{s:s, s:o, s:I, s:I, s:I}", "kind",
                                        t->kind == LOGP_STEP_SEND      ? "send"
                                        : t->kind == LOGP_STEP_RECEIVE ? "receive"
                                                                       : "compute",
                                        "peer", json_if(t->peer >= 0, t->peer), "bytes",
                                        (json_int_t)t->n_bytes, "start_ns", (json_int_t)t->start_ns,
                                        "end_ns", (json_int_t)t->end_ns));
    return it;
}

static void show_json(FILE *f, const struct versus *v)
{
    struct records r = {.f = f, .form = RECORDS_JSON, .digits = 7};

    for (int i = 0; i < 2; i++) {
        json_t *record = record_json(&v->out, &v->out.rows[i], NULL);

        json_object_set_new(record, "versus", versus_json(v, i));
        put_record(&r, record);
    }
    end_records(&r);
}

const struct versus_form versus_as_json = {show_json, false};
