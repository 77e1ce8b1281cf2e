/* SPDX-License-Identifier: MIT */
/*
 * The time that one rank of a schedule is busy if it never waits: each message to it arrives as
 * early as any can. More waiting only delays later steps, so the schedule takes no less; but not with several
 * ports, where it may find another port free.
 */
#include "schedule/schedule.h"

/* Do one step of the rank. A message to it counts no bytes, because it is not known here how long
 * it takes the port. */
static void step_alone(const struct logp_delay_ops *ops, void *model, struct logp_port *port,
                       int64_t rank, const struct logp_step *s, int64_t *clock)
{
    struct logp_transfer t = {.ready = *clock, .n_bytes = s->n_bytes};

    switch (s->kind) {
    case LOGP_STEP_SEND:
        t.src = (int)rank;
        t.dst = (int)s->peer;
        ops->start(model, port, &t);
        ops->send(model, port, &t);
        *clock = t.done;
        break;
    case LOGP_STEP_RECEIVE:
        t.src = (int)s->peer;
        t.dst = (int)rank;
        t.n_bytes = 0;
        t.arrival = 0;
        ops->recv(model, port, &t);
        *clock = t.done;
        break;
    case LOGP_STEP_COMPUTE:
    case LOGP_STEP_COMBINE:
        *clock += s->ns;
        break;
    case LOGP_STEP_COPY:
        break;
    }
}

int lpi_alone(const struct logp_schedule *schedule, const struct logp_delay *delay, int rank,
              int64_t until, int64_t *ns)
{
    struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    struct logp_delay_ops ops;
    struct logp_invocation c;
    struct logp_step s;
    int rc = logp_delay_functions(delay, &ops);

    *ns = 0;
    if (rc == 0)
        rc = logp_schedule_begin(schedule, rank, &c);
    if (rc != 0)
        return rc;
    if (ops.restart != NULL)
        ops.restart(delay->model, true);
    if (ops.begin != NULL)
        ops.begin(delay->model, 0);
    /* steps that take no time may be more than a fold has messages: what the others add is left out */
    for (int64_t i = 0;
         i < LOGP_FOLD_MESSAGES && *ns <= until && schedule->steps(schedule->P, rank, &c, i, &s);
         i += 1 + (s.kind == LOGP_STEP_COMPUTE ? s.parts : 0))
        step_alone(&ops, delay->model, &port, rank, &s, ns);
    logp_schedule_end(&c);
    return 0;
}
