/* SPDX-License-Identifier: MIT */
/*
 * A schedule in JSON, read (and written by view/schedule/json.c):
 * {"P":2,"ranks":[[{"op":"send","peer":1,"bytes":8,"tag":0}, ...], ...]}. A step may also have
 * the places of its data: "at", "left" and "right" are
 * {"buffer":"recv_buf","offset":0,"length":8}, in bytes. "early":true next to "P" is
 * logp_rank_plan.early of all ranks.
 */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

const char *const buffer_names[] = {
    [LOGP_BUF] = "buf", [LOGP_RECV_BUF] = "recv_buf", [LOGP_SCRATCH] = "scratch"};

/* A step that is read. */
struct step_read {
    const struct reading *r;
    const json_t *step;
    const char *place; /* "rank 0, step 3" */
};

/* Read a whole number of an object; `preset` where it may be absent, or -1. */
static int64_t number_in(const struct step_read *s, const json_t *object, const char *key,
                         int64_t preset)
{
    const json_t *value = json_object_get(object, key);

    if (value == NULL && preset >= 0)
        return preset;
    if (!json_is_integer(value))
        bad_option(s->r->option, s->r->file, "%s: \"%s\" is a whole number", s->place, key);
    return json_integer_value(value);
}

static int64_t number(const struct step_read *s, const char *key, int64_t preset)
{
    return number_in(s, s->step, key, preset);
}

static const char *word_in(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));

    return word != NULL ? word : "";
}

/* Read a size or distance in bytes. */
static size_t extent(const struct step_read *s, const json_t *object, const char *key,
                     int64_t preset)
{
    const int64_t n = number_in(s, object, key, preset);

    if (n < 0 || n > INT64_C(1) << 36)
        bad_option(s->r->option, s->r->file, "%s: \"%s\": %lld bytes: 0 .. 2^36", s->place, key,
                   (long long)n);
    return (size_t)n;
}

/* Read a place in a buffer. @return its length */
static size_t spot(const struct step_read *s, const char *key, struct logp_buffer_ref *out,
                   size_t *stride)
{
    const json_t *at = json_object_get(s->step, key);
    size_t length;
    int buffer = LOGP_SCRATCH;

    while (buffer >= 0 && strcmp(buffer_names[buffer], word_in(at, "buffer")) != 0)
        buffer--;
    if (buffer < 0)
        bad_option(s->r->option, s->r->file,
                   "%s: \"%s\": {\"buffer\":B,\"offset\":N,\"length\":N}, where B is buf, recv_buf "
                   "or scratch",
                   s->place, key);
    *out = (struct logp_buffer_ref){(enum logp_buffer)buffer, extent(s, at, "offset", -1)};
    length = extent(s, at, "length", -1);
    if (stride != NULL)
        *stride = extent(s, at, "stride", (int64_t)length);
    return length;
}

static bool has(const struct step_read *s, const char *key)
{
    return json_object_get(s->step, key) != NULL;
}

static void read_transfer(struct reading *r, int64_t rank, bool send, const struct step_read *s)
{
    struct logp_step *step;

    read_message(r, rank, send ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE, number(s, "peer", -1),
                 number(s, "bytes", -1), number(s, "tag", 0), s->place);
    step = last_step(r, rank);
    if (!has(s, "at"))
        note_without_data(r, s->place);
    else if (spot(s, "at", &step->at, NULL) != step->n_bytes)
        bad_option(r->option, r->file, "%s: \"length\" of \"at\" is not \"bytes\"", s->place);
}

static void read_work(struct reading *r, int64_t rank, const struct step_read *s)
{
    struct logp_step *step;

    read_compute(r, rank, number(s, "ns", -1), s->place);
    step = last_step(r, rank);
    if (!has(s, "at"))
        return;
    step->n_bytes = spot(s, "at", &step->at, NULL);
    if (spot(s, "right", &step->right, NULL) != step->n_bytes)
        bad_option(r->option, r->file, "%s: \"at\" and \"right\" differ in length", s->place);
}

/* Read a combination. The number of elements in its bytes depends on the
 * collective: see fit_step(). */
static void read_combine(struct reading *r, int64_t rank, const struct step_read *s)
{
    struct logp_step *step;
    size_t left = 0;

    read_compute(r, rank, number(s, "ns", 0), s->place);
    step = last_step(r, rank);
    step->kind = LOGP_STEP_COMBINE;
    step->at_stride = spot(s, "at", &step->at, NULL);
    step->n_bytes = spot(s, "right", &step->right, NULL);
    if (has(s, "left") || step->at_stride == step->n_bytes)
        left = spot(s, "left", &step->left, NULL);
    step->right_stride = left;
    if (step->at_stride == step->n_bytes && left != step->n_bytes)
        bad_option(r->option, r->file, "%s: \"left\" and \"right\" differ in length", s->place);
}

static void read_copy(struct reading *r, int64_t rank, const struct step_read *s)
{
    const int64_t n = number(s, "pieces", 1);
    struct logp_step *step;

    read_compute(r, rank, 0, s->place);
    step = last_step(r, rank);
    step->kind = LOGP_STEP_COPY;
    step->n = n;
    step->n_bytes = spot(s, "at", &step->at, &step->at_stride);
    if (spot(s, "right", &step->right, &step->right_stride) != step->n_bytes)
        bad_option(r->option, r->file, "%s: \"at\" and \"right\" differ in length", s->place);
    if (n < 0 || n > 1 << 24)
        bad_option(r->option, r->file, "%s: %lld pieces: 0 .. 2^24", s->place, (long long)n);
}

static void read_step(struct reading *r, int64_t rank, const struct step_read *s)
{
    const char *op = word_in(s->step, "op");

    if (strcmp(op, "send") == 0 || strcmp(op, "recv") == 0)
        read_transfer(r, rank, *op == 's', s);
    else if (strcmp(op, "compute") == 0)
        read_work(r, rank, s);
    else if (strcmp(op, "combine") == 0)
        read_combine(r, rank, s);
    else if (strcmp(op, "copy") == 0)
        read_copy(r, rank, s);
    else
        bad_option(r->option, r->file, "%s: \"op\" is send, recv, compute, combine or copy",
                   s->place);
}

void read_json(struct reading *r, const char *text)
{
    json_error_t error;
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &error), *early, *ranks, *steps, *step;
    size_t rank, i;

    if (all == NULL)
        bad_option(r->option, r->file, "line %d: %s", error.line, error.text);
    ranks = json_object_get(all, "ranks");
    if (!json_is_array(ranks) || !json_is_integer(json_object_get(all, "P")) ||
        (json_int_t)json_array_size(ranks) != json_integer_value(json_object_get(all, "P")))
        bad_option(r->option, r->file, "\"P\", and \"ranks\" with as many lists of steps");
    early = json_object_get(all, "early");
    if (early != NULL && !json_is_boolean(early))
        bad_option(r->option, r->file, "\"early\" is true or false");
    begin_reading(r, (int64_t)json_array_size(ranks));
    r->list.early = json_is_true(early);
    json_array_foreach(ranks, rank, steps)
    {
        if (!json_is_array(steps))
            bad_option(r->option, r->file, "rank %zu: a list of steps", rank);
        json_array_foreach(steps, i, step)
        {
            char place[64];

            snprintf(place, sizeof(place), "rank %zu, step %zu", rank, i);
            read_step(r, (int64_t)rank, &(struct step_read){r, step, place});
        }
    }
    json_decref(all);
}
