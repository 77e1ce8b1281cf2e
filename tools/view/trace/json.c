/* SPDX-License-Identifier: MIT */
/* A trace as JSON, one object; and as GOAL, which has the operations without their times. */
#include "view/schedule/forms.h"
#include "view/trace/trace.h"

#include <jansson.h>
#include <stdlib.h>

/* Print a text in quotes; null if it is not UTF-8. */
static void print_text(FILE *f, const char *text)
{
    json_t *value = json_string(text);
    char *quoted = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

    fputs(quoted != NULL ? quoted : "null", f);
    free(quoted);
    json_decref(value);
}

static void print_model(FILE *f, const struct shown *s)
{
    const struct logp_params *p = &s->q->model.network.params;

    fprintf(f, "\"parameters\":");
    if (s->q->model.emulated)
        fprintf(f,
                "{\"L_ns\":%lld,\"o_send_ns\":%lld,\"o_recv_ns\":%lld,\"g_ns\":%lld,"
                "\"G_ps_per_byte\":%lld,\"gamma_ps\":%lld,\"gap\":\"%s\",\"capacity\":%lld},\n",
                (long long)p->L_ns, (long long)p->o_send_ns, (long long)p->o_recv_ns,
                (long long)p->g_ns, (long long)p->G_ps, (long long)p->gamma_ps,
                p->gap_shared ? "shared" : "separate", (long long)logp_params_capacity(p));
    else
        fprintf(f, "null,\n");
}

/* Print how the run differs from its prediction. */
static void print_parting(FILE *f, const struct shown *s)
{
    const struct parting *p = &s->parting;

    if (s->predicted == NULL) {
        fprintf(f, "\"predicted\":null,\n");
        return;
    }
    fprintf(f, "\"predicted\":{\"end_ns\":%lld,\"same_work\":%s,\"threshold_ns\":%lld,\"parts\":",
            (long long)logp_trace_info(s->predicted)->end_ns, p->alike ? "true" : "false",
            (long long)p->threshold_ns);
    if (p->found)
        fprintf(f, "{\"rank\":%lld,\"event\":%lld,\"by_ns\":%lld}", (long long)p->rank,
                (long long)p->index, (long long)p->by_ns);
    else
        fprintf(f, "null");
    fprintf(f, ",\"late_ns\":%lld},\n", (long long)p->late_ns);
}

static void print_number(FILE *f, const char *key, int64_t n, bool valid)
{
    if (valid)
        fprintf(f, ",\"%s\":%lld", key, (long long)n);
    else
        fprintf(f, ",\"%s\":null", key);
}

static void print_event(FILE *f, const struct logp_trace *t, int64_t rank,
                        const struct logp_event *e, char *const *labels)
{
    const char *fate = fate_words(e), *quote = fate != NULL ? "\"" : "";

    fprintf(f, "{\"rank\":%lld,\"kind\":\"%s\",\"start_ns\":%lld,\"end_ns\":%lld", (long long)rank,
            logp_event_kind_name(e->kind), (long long)e->start_ns, (long long)e->end_ns);
    print_number(f, "arrival_ns", e->arrival_ns, e->arrival_ns >= 0);
    print_number(f, "late_ns", e->late_ns, true);
    print_number(f, "peer", e->peer, e->peer >= 0);
    print_number(f, "tag", e->tag, e->tag >= 0);
    print_number(f, "bytes", e->bytes, e->tag >= 0);
    print_number(f, "message", e->message, e->message >= 0);
    fprintf(f, ",\"label\":%s,\"fate\":%s%s%s", labels[e->label], quote,
            fate != NULL ? fate : "null", quote);
    if (e->kind == LOGP_EVENT_SEND && e->message >= 0)
        print_number(f, "received", times_received(t, e), true);
    else
        print_number(f, "received", 0, false);
    fputc('}', f);
}

/* The labels as JSON, by number. */
static char **quoted_labels(const struct logp_trace *t)
{
    const uint32_t n = logp_trace_info(t)->n_labels;
    char **labels = need(calloc((size_t)n + 1, sizeof(*labels)));

    for (uint32_t i = 0; i <= n; i++) {
        char *shown = i > 0 ? shown_text(logp_trace_label(t, i)) : NULL;
        json_t *value = shown != NULL ? json_string(shown) : NULL;

        free(shown);
        labels[i] = json_dumps(value != NULL ? value : json_null(), JSON_ENCODE_ANY);
        json_decref(value);
    }
    return labels;
}

static void print_name(FILE *f, const struct shown *s)
{
    fprintf(f, "{\"collective\":");
    print_text(f, s->algorithm != NULL ? s->algorithm->collective : NULL);
    fprintf(f, ",\"algorithm\":");
    print_text(f, s->algorithm != NULL ? s->algorithm->name : NULL);
    if (s->algorithm != NULL)
        return;
    fprintf(f, ",\"program\":");
    print_text(f, s->program);
    fprintf(f, ",\"failure\":");
    print_text(f, *s->failure != '\0' ? s->failure : NULL);
}

static void show_json(FILE *f, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    char **labels = quoted_labels(s->trace);
    const char *between = "";

    print_name(f, s);
    fprintf(f,
            ",\"P\":%lld,\"unit_ns\":%lld,\"clock\":\"%s\",\"end_ns\":%lld,\"wall_ns\":%lld,"
            "\"messages\":%llu,\"dropped\":%llu,\n",
            (long long)info->P, (long long)s->q->model.unit_ns,
            s->steps ? "steps" : source_name(info->source), (long long)info->end_ns,
            (long long)info->wall_ns, (unsigned long long)info->n_messages,
            (unsigned long long)info->dropped);
    print_model(f, s);
    print_parting(f, s);
    fprintf(f, "\"events\":[");
    for (int64_t r = 0; r < info->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(s->trace, r, &n);

        for (size_t i = 0; i < n; i++) {
            fprintf(f, "%s\n", between);
            between = ",";
            print_event(f, s->trace, r, &e[i], labels);
        }
    }
    fputs("\n]}\n", f);
    for (uint32_t i = 0; i <= info->n_labels; i++)
        free(labels[i]);
    free(labels);
}

static void show_goal(FILE *f, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    struct schedule_writer w = {.f = f, .shown = &(struct schedule_shown){.steps.P = info->P}};
    char toll[MAX_CAPTION];

    if (*toll_of(s, toll) != '\0')
        fprintf(stderr, "logp: --format goal: %s: goal cannot express this\n", toll);
    steps_as_goal.begin(&w);
    for (int64_t r = 0; r < info->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(s->trace, r, &n);
        int64_t k = 0;

        steps_as_goal.begin_rank(&w, r);
        for (size_t i = 0; i < n; i++) {
            struct logp_step step = {.peer = e[i].peer,
                                     .tag = e[i].tag,
                                     .n_bytes = (size_t)e[i].bytes,
                                     .ns = e[i].end_ns - e[i].start_ns};

            if (e[i].kind == LOGP_EVENT_SEND)
                step.kind = LOGP_STEP_SEND;
            else if (e[i].kind == LOGP_EVENT_RECEIVE)
                step.kind = LOGP_STEP_RECEIVE;
            else if (e[i].kind == LOGP_EVENT_COMPUTE)
                step.kind = LOGP_STEP_COMPUTE;
            else
                continue;
            steps_as_goal.step(&w, &step, k++);
        }
        steps_as_goal.end_rank(&w, k);
    }
}

const struct trace_form trace_as_json = {show_json, 0};
const struct trace_form trace_as_goal = {show_goal, 0};
