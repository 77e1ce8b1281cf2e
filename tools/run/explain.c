/* SPDX-License-Identifier: MIT */
/* The parts of predictions: --explain. */
#include "choice/choice.h"
#include "run/run.h"

#include <errno.h>
#include <string.h>

void check_explained(const struct options *o, const char *by)
{
    if (o->plugin != NULL)
        bad_option("--plugin", o->plugin, "with %s: a built-in delay model; type logp list delays",
                   by);
    if (is_faulty(o))
        bad_option(o->network.faults != NULL ? "--fault" : "--noise",
                   o->network.faults != NULL ? o->network.faults : o->network.noise,
                   "none: %s cannot be combined with random faults", by);
    if (!o->emulated)
        bad_option("--delay", o->delay->name, "with %s: a delay model in which messages take time",
                   by);
    if (o->list != NULL && o->list->edges != NULL && !o->list->in_order)
        bad_option("--schedule", option_text("schedule"),
                   "with %s: operations in one order; those of this file are concurrent", by);
    if (model_params(o).recv_streams)
        bad_option("--delay", o->delay->name,
                   "with %s: logp, loggp or store-forward; type --delay loggp", by);
    if (o->network.topology != NULL)
        bad_option("--topology", logp_topology_spec(o->network.topology),
                   "none: %s does not support messages that wait for links; remove one of the two",
                   by);
    if (logp_params_capacity(&o->network.params) > 0)
        bad_option("--capacity", option_text("capacity"),
                   "off: %s does not support senders that stall; remove one of the two", by);
    if (o->network.rendezvous_from > 0)
        bad_option("--rendezvous", option_text("rendezvous"),
                   "none: %s does not support sends that wait for receivers; remove one of the two",
                   by);
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

struct logp_explanation *explain_algorithm(const struct options *o, const struct logp_invocation *c,
                                           const struct logp_algorithm *algorithm, const char **why)
{
    struct logp_explanation *e = NULL;
    const int rc =
        or_end_without_memory(logp_explanation_of(algorithm, o->P, &c->args, &c->model, &e));

    *why = rc == 0                          ? NULL
           : o->network.rendezvous_from > 0 ? "sends wait for their receivers"
                                            : why_not(rc);
    return rc == 0 ? e : NULL;
}

void explain_rows(const struct options *o, const struct logp_invocation *c, struct row *rows,
                  size_t n)
{
    if (!o->explain)
        return;
    check_explained(o, "--explain");
    if (!o->format->for_people && strcmp(o->format->name, "json") != 0)
        bad_option("--format", o->format->name, "with --explain, table or json");
    for (size_t i = 0; i < n; i++) {
        rows[i].explained = explain_algorithm(o, c, rows[i].algorithm, &rows[i].unexplained);
        if (rows[i].explained != NULL || n > 1)
            continue;
        end_if_wrong_steps(o, c, rows[i].algorithm);
        bad_usage("--explain: %s cannot be explained: %s", rows[i].algorithm->name,
                  rows[i].unexplained);
    }
}

void forget_explanations(struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        logp_explanation_free(rows[i].explained);
}
