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
static struct problem *number_in(const struct step_read *s, const json_t *object, const char *key,
                                 int64_t preset, int64_t *n)
{
    const json_t *value = json_object_get(object, key);

    *n = value != NULL ? json_integer_value(value) : preset;
    if (json_is_integer(value) || (value == NULL && preset >= 0))
        return NULL;
    return option_problem(s->r->option, s->r->file, "%s: \"%s\" is a whole number", s->place, key);
}

static struct problem *number(const struct step_read *s, const char *key, int64_t preset,
                              int64_t *n)
{
    return number_in(s, s->step, key, preset, n);
}

static const char *word_in(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));

    return word != NULL ? word : "";
}

/* Read a size or distance in bytes. */
static struct problem *extent(const struct step_read *s, const json_t *object, const char *key,
                              int64_t preset, size_t *out)
{
    int64_t n;

    TRY(number_in(s, object, key, preset, &n));
    if (n < 0 || n > INT64_C(1) << 36)
        return option_problem(s->r->option, s->r->file, "%s: \"%s\": %lld bytes: 0 .. 2^36",
                              s->place, key, (long long)n);
    *out = (size_t)n;
    return NULL;
}

/* Read a place in a buffer, and its length. stride: NULL: it has none */
static struct problem *spot(const struct step_read *s, const char *key, struct logp_buffer_ref *out,
                            size_t *length, size_t *stride)
{
    const json_t *at = json_object_get(s->step, key);
    int buffer = LOGP_SCRATCH;

    while (buffer >= 0 && strcmp(buffer_names[buffer], word_in(at, "buffer")) != 0)
        buffer--;
    if (buffer < 0)
        return option_problem(
            s->r->option, s->r->file,
            "%s: \"%s\": {\"buffer\":B,\"offset\":N,\"length\":N}, where B is buf, recv_buf "
            "or scratch",
            s->place, key);
    out->buffer = (enum logp_buffer)buffer;
    TRY(extent(s, at, "offset", -1, &out->offset));
    TRY(extent(s, at, "length", -1, length));
    return stride != NULL ? extent(s, at, "stride", (int64_t)*length, stride) : NULL;
}

static bool has(const struct step_read *s, const char *key)
{
    return json_object_get(s->step, key) != NULL;
}

/* The places have these lengths. */
static struct problem *check_equal(const struct step_read *s, size_t a, size_t b, const char *what)
{
    return a == b ? NULL : option_problem(s->r->option, s->r->file, "%s: %s", s->place, what);
}

static struct problem *read_transfer(struct reading *r, int64_t rank, bool send,
                                     const struct step_read *s)
{
    int64_t peer, n_bytes, tag;
    struct logp_step *step;
    size_t length;

    TRY(number(s, "peer", -1, &peer));
    TRY(number(s, "bytes", -1, &n_bytes));
    TRY(number(s, "tag", 0, &tag));
    TRY(read_message(r, rank, send ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE, peer, n_bytes, tag,
                     s->place));
    step = last_step(r, rank);
    if (!has(s, "at")) {
        note_without_data(r, s->place);
        return NULL;
    }
    TRY(spot(s, "at", &step->at, &length, NULL));
    return check_equal(s, length, step->n_bytes, "\"length\" of \"at\" is not \"bytes\"");
}

/* Read a step that takes so long, unless its key "ns" is another. */
static struct problem *read_time(struct reading *r, int64_t rank, const struct step_read *s,
                                 int64_t preset, struct logp_step **step)
{
    int64_t ns;

    TRY(number(s, "ns", preset, &ns));
    TRY(read_compute(r, rank, ns, s->place));
    *step = last_step(r, rank);
    return NULL;
}

static const char at_differs[] = "\"at\" and \"right\" differ in length";

static struct problem *read_work(struct reading *r, int64_t rank, const struct step_read *s)
{
    struct logp_step *step;
    size_t right;

    TRY(read_time(r, rank, s, -1, &step));
    if (!has(s, "at"))
        return NULL;
    TRY(spot(s, "at", &step->at, &step->n_bytes, NULL));
    TRY(spot(s, "right", &step->right, &right, NULL));
    return check_equal(s, right, step->n_bytes, at_differs);
}

/* Read a combination. The number of elements in its bytes depends on the
 * collective: see fit_step(). */
static struct problem *read_combine(struct reading *r, int64_t rank, const struct step_read *s)
{
    struct logp_step *step;
    size_t left = 0;

    TRY(read_time(r, rank, s, 0, &step));
    step->kind = LOGP_STEP_COMBINE;
    TRY(spot(s, "at", &step->at, &step->at_stride, NULL));
    TRY(spot(s, "right", &step->right, &step->n_bytes, NULL));
    if (has(s, "left") || step->at_stride == step->n_bytes)
        TRY(spot(s, "left", &step->left, &left, NULL));
    step->right_stride = left;
    return step->at_stride != step->n_bytes
               ? NULL
               : check_equal(s, left, step->n_bytes, "\"left\" and \"right\" differ in length");
}

static struct problem *read_copy(struct reading *r, int64_t rank, const struct step_read *s)
{
    struct logp_step *step;
    size_t right;
    int64_t n;

    TRY(number(s, "pieces", 1, &n));
    TRY(read_compute(r, rank, 0, s->place));
    step = last_step(r, rank);
    step->kind = LOGP_STEP_COPY;
    step->n = n;
    TRY(spot(s, "at", &step->at, &step->n_bytes, &step->at_stride));
    TRY(spot(s, "right", &step->right, &right, &step->right_stride));
    TRY(check_equal(s, right, step->n_bytes, at_differs));
    if (n < 0 || n > 1 << 24)
        return option_problem(r->option, r->file, "%s: %lld pieces: 0 .. 2^24", s->place,
                              (long long)n);
    return NULL;
}

static struct problem *read_step(struct reading *r, int64_t rank, const struct step_read *s)
{
    const char *op = word_in(s->step, "op");

    if (strcmp(op, "send") == 0 || strcmp(op, "recv") == 0)
        return read_transfer(r, rank, *op == 's', s);
    if (strcmp(op, "compute") == 0)
        return read_work(r, rank, s);
    if (strcmp(op, "combine") == 0)
        return read_combine(r, rank, s);
    if (strcmp(op, "copy") == 0)
        return read_copy(r, rank, s);
    return option_problem(r->option, r->file, "%s: \"op\" is send, recv, compute, combine or copy",
                          s->place);
}

static struct problem *read_ranks(struct reading *r, const json_t *ranks)
{
    json_t *steps, *step;
    size_t rank, i;

    json_array_foreach(ranks, rank, steps)
    {
        if (!json_is_array(steps))
            return option_problem(r->option, r->file, "rank %zu: a list of steps", rank);
        json_array_foreach(steps, i, step)
        {
            char place[64];

            snprintf(place, sizeof(place), "rank %zu, step %zu", rank, i);
            TRY(read_step(r, (int64_t)rank, &(struct step_read){r, step, place}));
        }
    }
    return NULL;
}

static struct problem *read_all(struct reading *r, const json_t *all)
{
    const json_t *ranks = json_object_get(all, "ranks"), *early = json_object_get(all, "early");

    if (!json_is_array(ranks) || !json_is_integer(json_object_get(all, "P")) ||
        (json_int_t)json_array_size(ranks) != json_integer_value(json_object_get(all, "P")))
        return option_problem(r->option, r->file,
                              "needs \"P\", and \"ranks\" with a list of steps for each of P "
                              "ranks, as {\"P\":1,\"ranks\":[[]]}; logp schedule --output "
                              "FILE.json writes one");
    if (early != NULL && !json_is_boolean(early))
        return option_problem(r->option, r->file, "\"early\" is true or false");
    TRY(begin_reading(r, (int64_t)json_array_size(ranks)));
    r->list.early = json_is_true(early);
    return read_ranks(r, ranks);
}

struct problem *read_json(struct reading *r, const char *text)
{
    json_error_t error;
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    struct problem *problem;

    if (all == NULL)
        return option_problem(r->option, r->file, "line %d: %s%s", error.line, error.text,
                              json_error_code(&error) == json_error_premature_end_of_input
                                  ? "; the JSON is not complete"
                                  : "");
    problem = read_all(r, all);
    json_decref(all);
    return problem;
}
