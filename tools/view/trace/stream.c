/* SPDX-License-Identifier: MIT */
/*
 * The bytes of long messages. A message of k bytes occupies the port of its sender for (k-1)G after
 * the send: the processor is free, but its next send has to wait. This time has no event, because
 * an event is an activity of the processor; it follows from the send and the rules of the delay
 * model (logp/delay.h).
 *
 * The receiver's port takes as long, up to the arrival. That is not drawn a second time: where it
 * delays a receive, it is visible as the gap before it.
 */
#include "view/trace/trace.h"

/* The rules of the delay model; G is 0 for a plug-in, whose rules are not known. */
static struct logp_params rules_of(const struct question *q)
{
    struct logp_params p = q->how.replay != NULL ? q->model.network.params : model_params(q);

    if (!q->model.emulated || q->model.plugin != NULL)
        p.G_ps = 0;
    return p;
}

/* The time that the bytes of a message add to its flight, or to the receive. */
static int64_t bytes_ns(const struct question *q, int64_t rank, const struct logp_event *e,
                        struct logp_params *rules)
{
    *rules = rules_of(q);
    if (e->kind != LOGP_EVENT_SEND || e->arrival_ns < 0)
        return 0;
    if (q->model.network.links != NULL) /* never with a plug-in, or if nothing is emulated */
        logp_links_of(q->model.network.links, (int)rank, e->peer, rules, rules);
    return logp_params_stream_ns(rules, (size_t)e->bytes);
}

int64_t stream_ns(const struct question *q, int64_t rank, const struct logp_event *e)
{
    struct logp_params rules;
    const int64_t ns = bytes_ns(q, rank, e, &rules);

    return rules.store_forward ? 0 : ns;
}

static bool is_any_long(const struct question *q, const struct logp_trace *t)
{
    struct logp_params rules;

    for (int64_t r = 0; t != NULL && r < logp_trace_info(t)->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(t, r, &n);

        for (size_t i = 0; i < n; i++)
            if (bytes_ns(q, r, &e[i], &rules) > 0)
                return true;
    }
    return false;
}

struct costs costs_of(const struct question *q, const struct logp_trace *a,
                      const struct logp_trace *b)
{
    const struct logp_params rules = rules_of(q);
    const bool routed = q->model.network.topology != NULL;

    if ((rules.G_ps == 0 && q->model.network.links == NULL) ||
        (!is_any_long(q, a) && !is_any_long(q, b)))
        return (struct costs){"o", "g", NULL, "L"};
    if (rules.store_forward)
        return (struct costs){"o", "g", NULL, routed ? "kG + L a link" : "kG + L"};
    if (rules.recv_streams)
        return (struct costs){"o + (k-1)G", "g + (k-1)G", "(k-1)G", "L"};
    return (struct costs){"o", "g + (k-1)G", "(k-1)G", routed ? "(k-1)G + L a link" : "(k-1)G + L"};
}
