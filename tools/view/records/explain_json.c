/* SPDX-License-Identifier: MIT */
/* An explanation as JSON. Times are whole ns; where they need not be whole, they are in ps. */
#include "view/records/records.h"
#include "text/text.h"

#include <errno.h>
#include <stdlib.h>

static const char *segment_name(enum logp_segment_kind kind)
{
    static const char *const names[] = {[LOGP_SEGMENT_SEND] = "send",
                                        [LOGP_SEGMENT_WIRE] = "wire",
                                        [LOGP_SEGMENT_RECEIVE] = "receive",
                                        [LOGP_SEGMENT_COMPUTE] = "compute",
                                        [LOGP_SEGMENT_GAP] = "gap"};

    return names[kind];
}

bool curve_of(const struct logp_explanation *e, enum logp_parameter parameter,
              struct logp_curve *curve)
{
    const int rc = logp_explanation_curve(e, parameter, curve);

    if (rc == -ENOMEM)
        need(NULL);
    return rc == 0;
}

const int tolerated_percents[] = {1, 2, 5, 0};

/* The first line, from the parameter's value on, that reaches the longer time. */
int64_t tolerance_ps(const struct logp_curve *curve, int percent)
{
    const __int128 now = logp_curve_ps(curve, curve->at_ps);
    const __int128 most = now + now * percent / 100;

    for (size_t i = 0; i < curve->n; i++) {
        const struct logp_line *line = &curve->lines[i];
        const bool is_last = i + 1 == curve->n;
        __int128 value;

        if (line->slope == 0 || (!is_last && line[1].from_ps <= curve->at_ps))
            continue;
        value = (most - line->base_ps) / line->slope;
        if (is_last || value < line[1].from_ps)
            return value - curve->at_ps < INT64_MAX ? (int64_t)(value - curve->at_ps) : -1;
    }
    return -1;
}

/* Index, by task, of the message that the task sends or receives; -1: none. To be freed. */
static int64_t *number_messages(const struct logp_explanation *e)
{
    int64_t *numbers = need(malloc((e->n_tasks + 1) * sizeof(*numbers))), n = 0;

    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        numbers[i] = t->other < 0 ? -1 : t->kind == LOGP_STEP_SEND ? n++ : numbers[t->other];
    }
    return numbers;
}

static json_t *path_json(const struct logp_explanation *e)
{
    int64_t *numbers = number_messages(e);
    json_t *path = json_array();

    for (size_t i = 0; i < e->n_path; i++) {
        const struct logp_path_segment *s = &e->path[i];

        json_array_append_new(
            path, json_pack("{s:s, s:I, s:o, s:o, s:I, s:I}", "kind", segment_name(s->kind), "rank",
                            (json_int_t)s->rank, "peer", json_if(s->peer >= 0, s->peer), "message",
                            json_if(numbers[s->task] >= 0, numbers[s->task]), "start_ns",
                            (json_int_t)s->from_ns, "end_ns", (json_int_t)s->to_ns));
    }
    free(numbers);
    return path;
}

static json_t *slack_json(const struct logp_explanation *e)
{
    json_t *slack = json_array();

    for (int64_t rank = 0; rank < e->P; rank++)
        json_array_append_new(slack, json_integer(e->slack_ns[rank]));
    return slack;
}

static json_t *messages_json(const struct logp_explanation *e)
{
    json_t *messages = json_array();

    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        if (t->kind == LOGP_STEP_SEND && t->other >= 0)
            json_array_append_new(
                messages,
                json_pack("{s:I, s:I, s:I, s:I, s:I}", "from", (json_int_t)t->rank, "to",
                          (json_int_t)t->peer, "start_ns", (json_int_t)t->start_ns, "arrival_ns",
                          (json_int_t)t->arrival_ns, "slack_ns", (json_int_t)t->message_slack_ns));
    }
    return messages;
}

json_t *tolerance_json(const struct logp_curve *c)
{
    json_t *all = json_array();

    for (const int *percent = tolerated_percents; *percent > 0; percent++) {
        const int64_t ps = tolerance_ps(c, *percent);

        json_array_append_new(
            all, json_pack("{s:i, s:o}", "percent", *percent, "growth_ps", json_if(ps >= 0, ps)));
    }
    return all;
}

static json_t *curve_json(const struct logp_curve *c)
{
    json_t *lines = json_array();

    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(lines, json_pack("{s:I, s:I, s:I}", "from_ps",
                                               (json_int_t)c->lines[i].from_ps, "slope",
                                               (json_int_t)c->lines[i].slope, "base_ps",
                                               (json_int_t)c->lines[i].base_ps));
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "at_ps", (json_int_t)c->at_ps, "left",
                     (json_int_t)c->left, "right", (json_int_t)c->right, "rounding_ns",
                     (json_int_t)c->rounding_ns, "lines", lines, "tolerance", tolerance_json(c));
}

static json_t *curves_json(const struct logp_explanation *e)
{
    json_t *curves = json_object();

    for (enum logp_parameter p = 0; p < LOGP_PARAMETERS; p++) {
        struct logp_curve curve;

        if (!curve_of(e, p, &curve))
            continue;
        json_object_set_new(curves, logp_parameter_name(p), curve_json(&curve));
        logp_curve_free(&curve);
    }
    return curves;
}

json_t *explanation_json(const struct logp_explanation *e)
{
    const struct logp_terms *t = &e->terms;

    if (e == NULL)
        return json_null();
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I}", "ns",
        (json_int_t)e->ns, "L", (json_int_t)t->L, "o", (json_int_t)(t->o_send + t->o_recv), "g",
        (json_int_t)t->g, "G", (json_int_t)t->bytes, "gamma", (json_int_t)t->elements, "o_send",
        (json_int_t)t->o_send, "o_recv", (json_int_t)t->o_recv, "compute_ns",
        (json_int_t)t->compute_ns, "links_ns", (json_int_t)t->links_ns, "rounding_ps",
        (json_int_t)t->rounding_ps, "path", path_json(e), "slack_ns", slack_json(e), "messages",
        messages_json(e), "curves", curves_json(e), "O", (json_int_t)t->bytes_O);
}
