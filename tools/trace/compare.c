/* SPDX-License-Identifier: MIT */
/* A run beside its prediction: where the two part. */
#include "trace/trace.h"

static bool is_work(const struct logp_event *e)
{
    return e->kind == LOGP_EVENT_SEND || e->kind == LOGP_EVENT_RECEIVE ||
           e->kind == LOGP_EVENT_COMPUTE;
}

/* The next that is work, from i on; n: there is none. */
static size_t next_work(const struct logp_event *e, size_t n, size_t i)
{
    while (i < n && !is_work(&e[i]))
        i++;
    return i;
}

static bool same_work(const struct logp_event *a, const struct logp_event *b)
{
    return a->kind == b->kind && a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes;
}

/* Both do this. first_ns: when the one that parts first ends, by the prediction */
static void look_at(struct parting *p, int64_t rank, size_t index, const struct logp_event *run,
                    const struct logp_event *predicted, int64_t *first_ns)
{
    const int64_t by = event_end(run) - predicted->end_ns;

    if ((by <= p->threshold_ns && by >= -p->threshold_ns) || predicted->end_ns >= *first_ns)
        return;
    *first_ns = predicted->end_ns;
    p->found = true;
    p->rank = rank;
    p->index = (int64_t)index;
    p->by_ns = by;
}

static void look_for_lateness(struct parting *p, int64_t rank, const struct logp_event *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (e[i].late_ns > p->late_ns) {
            p->late_ns = e[i].late_ns;
            p->late_rank = rank;
            p->late_index = (int64_t)i;
        }
}

struct parting compare_traces(const struct logp_trace *run, const struct logp_trace *predicted)
{
    const int64_t threshold = logp_trace_info(predicted)->end_ns / 100;
    struct parting p = {.alike = true, .threshold_ns = threshold, .late_rank = -1};
    int64_t first_ns = INT64_MAX;

    if (logp_trace_info(run)->source == LOGP_TRACE_VIRTUAL)
        p.threshold_ns = 0;
    for (int64_t r = 0; r < logp_trace_info(run)->P; r++) {
        size_t n, m, i = 0, k = 0;
        const struct logp_event *a = logp_trace_events(run, r, &n);
        const struct logp_event *b = logp_trace_events(predicted, r, &m);

        look_for_lateness(&p, r, a, n);
        for (;; i++, k++) {
            i = next_work(a, n, i);
            k = next_work(b, m, k);
            if (i == n || k == m || !same_work(&a[i], &b[k]))
                break;
            look_at(&p, r, i, &a[i], &b[k], &first_ns);
        }
        p.alike &= i == n && k == m;
    }
    return p;
}
