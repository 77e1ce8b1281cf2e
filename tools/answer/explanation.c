/* SPDX-License-Identifier: MIT */
/* The parts of predictions: --explain. */
#include "question/choice/choice.h"
#include "question/schedule/schedule.h"
#include "answer/answer.h"

#include <errno.h>
#include <string.h>

struct problem *check_explained(const struct question *q, const char *by)
{
    if (q->model.plugin != NULL)
        return option_problem("--plugin", q->model.plugin,
                              "with %s: a built-in delay model; type logp list delays", by);
    if (is_faulty(q))
        return must_be(q->model.network.faults != NULL ? "--fault" : "--noise",
                       q->model.network.faults != NULL ? q->model.network.faults
                                                       : q->model.network.noise,
                       "none: %s cannot be combined with random faults", by);
    if (!q->model.emulated)
        return option_problem("--delay", q->model.delay->name,
                              "with %s: a delay model in which messages take time", by);
    if (is_concurrent(q) && !by_graph(q))
        return option_problem("--schedule", option_text(q, "schedule"),
                              "with %s: operations in one order; those of this file are concurrent",
                              by);
    if (model_params(q).recv_streams &&
        ((q->model.network.params.O_ps > 0 && !by_graph(q)) || q->model.network.params.gap_shared ||
         q->model.network.links != NULL))
        return option_problem("--delay", q->model.delay->name,
                              "with %s: without --gap shared and links, and -O only with a GOAL "
                              "file; remove them, or type --delay loggp",
                              by);
    if (q->model.arrival_text != NULL)
        return must_be("--arrival", q->model.arrival_text,
                       "none: %s starts all ranks at one time; remove one of the two", by);
    if (q->model.network.topology != NULL)
        return must_be(
            "--topology", logp_topology_spec(q->model.network.topology),
            "none: %s does not support messages that wait for links; remove one of the two", by);
    if (logp_params_capacity(&q->model.network.params) > 0)
        return must_be("--capacity", option_text(q, "capacity"),
                       "off: %s does not support senders that stall; remove one of the two", by);
    if (q->model.network.rendezvous_from > 0)
        return must_be(
            "--rendezvous", option_text(q, "rendezvous"),
            "none: %s does not support sends that wait for receivers; remove one of the two", by);
    return NULL;
}

static const char *why_not(int rc)
{
    switch (rc) {
    case -E2BIG:
        return "more than 4194304 sends, receives and combinations";
    case -EOVERFLOW:
        return "longer than 100 days";
    case -ENOTSUP:
        return "it has no steps, only a run function";
    case -EDEADLK:
        return "its steps wait for each other for ever";
    case -EMSGSIZE:
        return "a message is larger than its receive";
    default: /* -EINVAL */
        return "more processors than can run, or a step with a rank or a tag that does not exist";
    }
}

struct logp_explanation *explain_algorithm(const struct question *q,
                                           const struct logp_invocation *c,
                                           const struct logp_algorithm *algorithm, const char **why)
{
    struct logp_explanation *e = NULL;
    const int rc = need_memory(
        by_graph(q) ? logp_explanation_of_graph(graph_of_schedule(q), &c->model, &e)
                    : logp_explanation_of(algorithm, q->model.P, &c->args, &c->model, &e));

    *why = rc == 0                                ? NULL
           : q->model.network.rendezvous_from > 0 ? "sends wait for their receivers"
                                                  : why_not(rc);
    return rc == 0 ? e : NULL;
}

struct problem *explain_rows(const struct question *q, const struct logp_invocation *c,
                             struct row *rows, size_t n)
{
    if (!q->form.explain)
        return NULL;
    TRY(check_explained(q, "--explain"));
    if (!q->form.format->for_people && !q->form.format->curves &&
        strcmp(q->form.format->name, "json") != 0)
        return must_be("--format", q->form.format->name,
                       "table, json, svg, png or pdf with --explain");
    for (size_t i = 0; i < n; i++)
        rows[i].explained = explain_algorithm(q, c, rows[i].algorithm, &rows[i].unexplained);
    if (n != 1 || rows->explained != NULL)
        return NULL;
    TRY(check_steps(q, c, rows->algorithm));
    return usage_problem("--explain: %s cannot be explained: %s", rows->algorithm->name,
                         rows->unexplained);
}

void forget_explanations(struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        logp_explanation_free(rows[i].explained);
}
