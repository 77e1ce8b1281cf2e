/* SPDX-License-Identifier: MIT */
/* A schedule in JSON, read and written:
 * {"P":2,"ranks":[[{"op":"send","peer":1,"bytes":8,"tag":0}, ...], ...]}. */
#include "schedule/reading.h"
#include "schedule/schedule.h"
#include "text/text.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* A whole number of a step; `preset` where it may be absent, or -1. */
static int64_t number(const struct reading *r, const json_t *step, const char *key, int64_t preset,
                      const char *place)
{
    const json_t *value = json_object_get(step, key);

    if (value == NULL && preset >= 0)
        return preset;
    if (!json_is_integer(value))
        bad_option(r->option, r->file, "%s: \"%s\" is a whole number", place, key);
    return json_integer_value(value);
}

static void read_step(struct reading *r, int64_t rank, const json_t *step, const char *place)
{
    const char *op = json_string_value(json_object_get(step, "op"));
    const bool send = op != NULL && strcmp(op, "send") == 0;

    if (op != NULL && strcmp(op, "compute") == 0)
        read_compute(r, rank, number(r, step, "ns", -1, place), place);
    else if (send || (op != NULL && strcmp(op, "recv") == 0))
        read_message(r, rank, send ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE,
                     number(r, step, "peer", -1, place), number(r, step, "bytes", -1, place),
                     number(r, step, "tag", 0, place), place);
    else
        bad_option(r->option, r->file, "%s: \"op\" is send, recv or compute", place);
}

void read_json(struct reading *r, const char *text)
{
    json_error_t error;
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &error), *ranks, *steps, *step;
    size_t rank, i;

    if (all == NULL)
        bad_option(r->option, r->file, "line %d: %s", error.line, error.text);
    ranks = json_object_get(all, "ranks");
    if (!json_is_array(ranks) || !json_is_integer(json_object_get(all, "P")) ||
        (json_int_t)json_array_size(ranks) != json_integer_value(json_object_get(all, "P")))
        bad_option(r->option, r->file, "\"P\", and \"ranks\" with as many lists of steps");
    begin_reading(r, (int64_t)json_array_size(ranks));
    json_array_foreach(ranks, rank, steps)
    {
        if (!json_is_array(steps))
            bad_option(r->option, r->file, "rank %zu: a list of steps", rank);
        json_array_foreach(steps, i, step)
        {
            char place[64];

            snprintf(place, sizeof(place), "rank %zu, step %zu", rank, i);
            read_step(r, (int64_t)rank, step, place);
        }
    }
    json_decref(all);
}

/* ---- writing ---- */

static void json_begin(int64_t P)
{
    printf("{\"P\":%lld,\"ranks\":[", (long long)P);
}

static void json_rank(int64_t rank)
{
    printf("%s\n[", rank > 0 ? "," : "");
}

static void json_step(const struct logp_step *s, int64_t index)
{
    printf("%s{\"op\":\"", index > 0 ? "," : "");
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("compute\",\"ns\":%lld}", (long long)s->ns);
    else
        printf("%s\",\"peer\":%lld,\"bytes\":%zu,\"tag\":%d}",
               s->kind == LOGP_STEP_SEND ? "send" : "recv", (long long)s->peer, s->n_bytes, s->tag);
}

static void json_end_rank(int64_t n)
{
    (void)n;
    putchar(']');
}

static void json_end(void)
{
    puts("]}");
}

const struct step_form steps_as_json = {json_begin, json_rank, json_step, json_end_rank, json_end};
