/* SPDX-License-Identifier: MIT */
/* Traces as the options ask: of a run, and of a schedule without a run. */
#include "question/choice/choice.h"
#include "answer/answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int trace_run(const struct question *q, struct logp_machine *m, const struct logp_invocation *c,
              struct row *row, int64_t most_events, struct logp_trace **out)
{
    const struct logp_trace_config config = {.size = sizeof(config), .events_most = most_events};
    size_t done;
    int code, rc = logp_machine_trace(m, &config);

    *out = NULL;
    if (rc != 0) {
        fprintf(stderr, "logp: no memory to record %lld processors\n", (long long)q->model.P);
        return EXIT_WRONG;
    }
    code = run_rows(q, m, c, row, 1, &done);
    rc = logp_machine_take_trace(m, out);
    logp_machine_trace(m, NULL);
    if (rc == 0)
        return code;
    *out = NULL;
    if (rc == -EBUSY) /* a processor that did not come back has been named */
        return EXIT_WRONG;
    fprintf(stderr, "logp: the recorded trace could not be read: %s\n", strerror(-rc));
    return EXIT_WRONG;
}

struct logp_trace *trace_prediction(const struct question *q, const struct logp_invocation *c,
                                    const struct logp_algorithm *algorithm, uint64_t most)
{
    const struct logp_schedule s = logp_schedule_of(algorithm, q->model.P, &c->args, &c->model);
    struct logp_trace *trace = NULL;
    struct logp_delay delay;
    struct logp_fold fold;
    char label[128];

    if (s.steps == NULL || or_end_without_memory(create_delay(q, &delay)) != 0)
        return NULL;
    if (is_faulty(q) && !logp_fault_predictable(delay.model)) {
        logp_delay_destroy(&delay);
        return NULL;
    }
    snprintf(label, sizeof(label), "%s/%s", algorithm->collective, algorithm->name);
    if (or_end_without_memory(logp_trace_predict(&s, &delay, most, label, &fold, &trace)) != 0)
        trace = NULL;
    logp_delay_destroy(&delay);
    return trace;
}
