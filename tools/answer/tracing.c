/* SPDX-License-Identifier: MIT */
/* Traces as the options ask: of a run, and of a schedule without a run. */
#include "answer/runs.h"
#include "question/choice/choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct problem *trace_run(const struct question *q, struct logp_machine *m,
                          const struct logp_invocation *c, struct row *row, int64_t most_events,
                          struct logp_trace **out)
{
    const struct logp_trace_config config = {.size = sizeof(config), .events_most = most_events};
    struct problem *problem;
    size_t done;
    int rc;

    *out = NULL;
    if (logp_machine_trace(m, &config) != 0)
        return failure("no memory to record %lld processors", (long long)q->model.P);
    problem = run_rows(q, m, c, row, 1, &done);
    rc = logp_machine_take_trace(m, out);
    logp_machine_trace(m, NULL);
    if (rc == 0)
        return problem;
    *out = NULL;
    tell_problem(q, problem);
    if (rc == -EBUSY) /* a processor that did not come back has been named */
        return told(EXIT_WRONG);
    return failure("the recorded trace could not be read: %s", strerror(-rc));
}

struct problem *trace_prediction(const struct question *q, const struct logp_invocation *c,
                                 const struct logp_algorithm *algorithm, uint64_t most,
                                 struct logp_trace **out)
{
    const struct logp_schedule s = logp_schedule_of(algorithm, q->model.P, &c->args, &c->model);
    struct logp_delay delay;
    struct logp_fold fold;
    char label[128];
    int rc;

    *out = NULL;
    if (s.steps == NULL)
        return NULL;
    TRY(create_delay(q, &delay, &rc));
    if (need_memory(rc) != 0)
        return NULL;
    if (!is_faulty(q) || logp_fault_predictable(delay.model)) {
        snprintf(label, sizeof(label), "%s/%s", algorithm->collective, algorithm->name);
        if (need_memory(logp_trace_predict(&s, &delay, most, label, &fold, out)) != 0)
            *out = NULL;
    }
    logp_delay_destroy(&delay);
    return NULL;
}
