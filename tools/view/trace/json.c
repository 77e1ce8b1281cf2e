/* SPDX-License-Identifier: MIT */
/* A trace as JSON, one object; and as GOAL, which has the operations without their times. */
#include "view/schedule/forms.h"
#include "view/trace/trace.h"

#include <jansson.h>
#include <stdlib.h>

/* Print a text in quotes; null if it is not UTF-8. */
static void print_text(const char *text)
{
    json_t *value = json_string(text);
    char *quoted = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

    fputs(quoted != NULL ? quoted : "null", stdout);
    free(quoted);
    json_decref(value);
}

static void print_model(const struct shown *s)
{
    const struct logp_params *p = &s->q->model.network.params;

    printf("\"parameters\":");
    if (s->q->model.emulated)
        printf("{\"L_ns\":%lld,\"o_send_ns\":%lld,\"o_recv_ns\":%lld,\"g_ns\":%lld,"
               "\"G_ps_per_byte\":%lld,\"gamma_ps\":%lld,\"gap\":\"%s\",\"capacity\":%lld},\n",
               (long long)p->L_ns, (long long)p->o_send_ns, (long long)p->o_recv_ns,
               (long long)p->g_ns, (long long)p->G_ps, (long long)p->gamma_ps,
               p->gap_shared ? "shared" : "separate", (long long)logp_params_capacity(p));
    else
        printf("null,\n");
}

/* Print how the run differs from its prediction. */
static void print_parting(const struct shown *s)
{
    const struct parting *p = &s->parting;

    if (s->predicted == NULL) {
        printf("\"predicted\":null,\n");
        return;
    }
    printf("\"predicted\":{\"end_ns\":%lld,\"same_work\":%s,\"threshold_ns\":%lld,\"parts\":",
           (long long)logp_trace_info(s->predicted)->end_ns, p->alike ? "true" : "false",
           (long long)p->threshold_ns);
    if (p->found)
        printf("{\"rank\":%lld,\"event\":%lld,\"by_ns\":%lld}", (long long)p->rank,
               (long long)p->index, (long long)p->by_ns);
    else
        printf("null");
    printf(",\"late_ns\":%lld},\n", (long long)p->late_ns);
}

static void print_number(const char *key, int64_t n, bool valid)
{
    if (valid)
        printf(",\"%s\":%lld", key, (long long)n);
    else
        printf(",\"%s\":null", key);
}

static void print_event(const struct logp_trace *t, int64_t rank, const struct logp_event *e,
                        char *const *labels)
{
    const char *fate = fate_words(e), *quote = fate != NULL ? "\"" : "";

    printf("{\"rank\":%lld,\"kind\":\"%s\",\"start_ns\":%lld,\"end_ns\":%lld", (long long)rank,
           logp_event_kind_name(e->kind), (long long)e->start_ns, (long long)e->end_ns);
    print_number("arrival_ns", e->arrival_ns, e->arrival_ns >= 0);
    print_number("late_ns", e->late_ns, true);
    print_number("peer", e->peer, e->peer >= 0);
    print_number("tag", e->tag, e->tag >= 0);
    print_number("bytes", e->bytes, e->tag >= 0);
    print_number("message", e->message, e->message >= 0);
    printf(",\"label\":%s,\"fate\":%s%s%s", labels[e->label], quote, fate != NULL ? fate : "null",
           quote);
    if (e->kind == LOGP_EVENT_SEND && e->message >= 0)
        print_number("received", times_received(t, e), true);
    else
        print_number("received", 0, false);
    putchar('}');
}

/* The labels as JSON, by number. NULL: no memory */
static char **quoted_labels(const struct logp_trace *t)
{
    const uint32_t n = logp_trace_info(t)->n_labels;
    char **labels = calloc((size_t)n + 1, sizeof(*labels));

    for (uint32_t i = 0; labels != NULL && i <= n; i++) {
        char *shown = i > 0 ? shown_text(logp_trace_label(t, i)) : NULL;
        json_t *value = shown != NULL ? json_string(shown) : NULL;

        free(shown);
        labels[i] = json_dumps(value != NULL ? value : json_null(), JSON_ENCODE_ANY);
        json_decref(value);
    }
    return labels;
}

static void print_name(const struct shown *s)
{
    printf("{\"collective\":");
    print_text(s->algorithm != NULL ? s->algorithm->collective : NULL);
    printf(",\"algorithm\":");
    print_text(s->algorithm != NULL ? s->algorithm->name : NULL);
    if (s->algorithm != NULL)
        return;
    printf(",\"program\":");
    print_text(s->program);
    printf(",\"failure\":");
    print_text(*s->failure != '\0' ? s->failure : NULL);
}

static void show_json(FILE *f, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    char **labels = quoted_labels(s->trace);
    const char *between = "";

    (void)f;
    if (labels == NULL)
        bad_usage("no memory");
    print_name(s);
    printf(",\"P\":%lld,\"unit_ns\":%lld,\"clock\":\"%s\",\"end_ns\":%lld,\"wall_ns\":%lld,"
           "\"messages\":%llu,\"dropped\":%llu,\n",
           (long long)info->P, (long long)s->q->model.unit_ns,
           s->steps ? "steps" : source_name(info->source), (long long)info->end_ns,
           (long long)info->wall_ns, (unsigned long long)info->n_messages,
           (unsigned long long)info->dropped);
    print_model(s);
    print_parting(s);
    printf("\"events\":[");
    for (int64_t r = 0; r < info->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(s->trace, r, &n);

        for (size_t i = 0; i < n; i++) {
            printf("%s\n", between);
            between = ",";
            print_event(s->trace, r, &e[i], labels);
        }
    }
    puts("\n]}");
    for (uint32_t i = 0; i <= info->n_labels; i++)
        free(labels[i]);
    free(labels);
}

static void show_goal(FILE *f, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    char toll[MAX_CAPTION];

    (void)f;
    if (*toll_of(s, toll) != '\0')
        fprintf(stderr, "logp: --format goal: %s: goal cannot express this\n", toll);
    steps_as_goal.begin(&(struct schedule_shown){.steps.P = info->P});
    for (int64_t r = 0; r < info->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(s->trace, r, &n);
        int64_t k = 0;

        steps_as_goal.begin_rank(r);
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
            steps_as_goal.step(&step, k++);
        }
        steps_as_goal.end_rank(k);
    }
}

const struct trace_form trace_as_json = {show_json, 0};
const struct trace_form trace_as_goal = {show_goal, 0};
