/* SPDX-License-Identifier: MIT */
/*
 * The time of the program as a function of L, o, g and G: the trace becomes a schedule, which is
 * explained. Each rank repeats its steps of the run in the same order: computing and sleeping take
 * as long as they did, and the times of messages follow from the parameters.
 */
#include "profile.h"
#include "text/problem.h"

#include <logp/algorithm.h>

#include <errno.h>
#include <stdlib.h>

/* The part of the model that the explanation does not cover; NULL: it covers all */
static const char *beyond_model(const struct profile *p)
{
    const struct logp_trace_info *info = logp_trace_info(p->trace);

    if (!p->q->model.emulated)
        return "nothing was emulated; give a model, for example -L 6us -o 2us";
    if (p->q->model.plugin != NULL)
        return "the delay model is that of a plugin";
    if (p->q->model.network.params.recv_streams)
        return "the delay model is loggops";
    if (is_faulty(p->q))
        return "faults or noise were emulated";
    if (p->q->model.network.topology != NULL)
        return "on a topology messages wait for links";
    if (logp_params_capacity(&p->q->model.network.params) > 0)
        return "with a capacity senders stall";
    if (p->q->model.network.rendezvous_from > 0)
        return "with --rendezvous sends wait for receivers";
    if (p->q->model.network.ports > 1)
        return "a message takes the port that is free first";
    if (p->is_cut)
        return "a rank waited for ever";
    if (info->dropped > 0)
        return "the run had more events than a trace keeps";
    return info->n_messages > 0 ? NULL : "no message was sent";
}

/* Per rank pair, messages are numbered in the order sent: these numbers are the tags of the list, so
 * that each receive gets the message that it got in the run. By message; to be freed. */
static int *message_tags(const struct profile *p)
{
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(p->trace, &n);
    int *tags = need(malloc((n + 1) * sizeof(*tags))),
        *next = need(calloc((size_t)p->P, sizeof(*next)));

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && m[i].from != m[i - 1].from)
            for (int64_t r = 0; r < p->P; r++)
                next[r] = 0;
        tags[i] = next[m[i].to]++;
    }
    free(next);
    return tags;
}

static void add_compute(struct logp_step *steps, int64_t *n, int64_t ns)
{
    if (ns <= 0)
        return;
    steps[*n] = (struct logp_step){.kind = LOGP_STEP_COMPUTE};
    logp_step_compute(&steps[(*n)++], ns, 0);
}

/* The steps of a rank. Time without an event is its own work; a wait without a peer is a sleep. */
static struct logp_step *steps_of(const struct profile *p, int64_t rank, const int *tags,
                                  int64_t *n_steps, size_t *most_bytes)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(p->trace, rank, &n);
    struct logp_step *steps = need(calloc(2 * n + 1, sizeof(*steps)));
    int64_t at = 0;

    *n_steps = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t ns = e[i].end_ns - e[i].start_ns;

        add_compute(steps, n_steps, e[i].start_ns - at);
        at = e[i].end_ns;
        if (e[i].kind == LOGP_EVENT_COMPUTE || (e[i].kind == LOGP_EVENT_IDLE && e[i].peer < 0))
            add_compute(steps, n_steps, ns);
        if ((e[i].kind != LOGP_EVENT_SEND && e[i].kind != LOGP_EVENT_RECEIVE) || e[i].message < 0)
            continue;
        steps[*n_steps] = (struct logp_step){
            .kind = e[i].kind == LOGP_EVENT_SEND ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE,
            .tag = tags[e[i].message],
            .peer = e[i].peer,
            .n_bytes = (size_t)e[i].bytes,
            .at.buffer = LOGP_RECV_BUF};
        ++*n_steps;
        *most_bytes = (size_t)e[i].bytes > *most_bytes ? (size_t)e[i].bytes : *most_bytes;
    }
    return steps;
}

static int explain(struct profile *p)
{
    struct logp_network network = network_of(p->q);
    const struct logp_step **steps = need(calloc((size_t)p->P, sizeof(*steps)));
    int64_t *n = need(calloc((size_t)p->P, sizeof(*n)));
    int *tags = message_tags(p);
    struct logp_step_list list = {.P = p->P, .steps = steps, .n = n};
    int rc;

    network.unit_ns = 1; /* times are in ns by now */
    for (int64_t r = 0; r < p->P; r++)
        steps[r] = steps_of(p, r, tags, &n[r], &list.most_bytes);
    rc = logp_explanation_of(logp_algorithm_find("schedule", "listed"), p->P,
                             &(struct logp_args){.list = &list}, &network, &p->explained);
    for (int64_t r = 0; r < p->P; r++)
        free((void *)steps[r]);
    free(steps);
    free(n);
    free(tags);
    return rc;
}

void profile_explain(struct profile *p)
{
    static const enum logp_parameter parameters[PROFILE_CURVES] = {
        LOGP_PARAMETER_L, LOGP_PARAMETER_O, LOGP_PARAMETER_GAP, LOGP_PARAMETER_BYTE};
    int rc;

    p->why_not = beyond_model(p);
    if (p->why_not != NULL)
        return;
    rc = explain(p);
    if (rc != 0) {
        p->explained = NULL;
        p->why_not = rc == -E2BIG    ? "the run has more than 4194304 events"
                     : rc == -ENOMEM ? "there is no memory for it"
                                     : "the events of the trace do not make a schedule";
        return;
    }
    for (int i = 0; i < PROFILE_CURVES; i++)
        if (logp_parameter_ps(parameters[i], &p->explained->params) > 0 &&
            logp_explanation_curve(p->explained, parameters[i], &p->curves[p->n_curves]) == 0)
            p->n_curves++;
}

const char *profile_unchanged(const struct profile *p)
{
    return p->q->model.network.links == NULL ? ""
                                             : "Parameters that --inter or --link sets are "
                                               "unchanged and not counted: L, o, g and "
                                               "G are those of all other messages.";
}
