/* SPDX-License-Identifier: MIT */
/*
 * Check that a collective that should hold all ranks back does so. It transfers no data that could
 * be wrong, and in a repetition all ranks enter at one time, so the end of a run shows nothing. So
 * one processor stays away: then no other may get through, whatever the clock and however late the
 * host. All others wait for ever, and the run ends as a deadlock.
 *
 * Where there is more than one repetition, all enter the first time, and the one stays away the
 * second time: the state left by the first must not let any rank through.
 */
#include "experiment.h"

#include "choice/choice.h"
#include "schedule/schedule.h"

#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>

enum {
    MOST_COMINGS = 64, /* over all runs: few processors stay away each, of many a few */
    MOST_P = 1 << 16,  /* beyond, the check would take as long as the measurement */
};

struct absence {
    const struct logp_experiment *experiment;
    const struct logp_collective *collective;
    const struct lpi_buffers *buffers;
    struct logp_invocation c; /* not planned */
    int away;                 /* rank */
    atomic_bool *got_through;
};

int lpi_absences(const struct logp_collective *collective, int P)
{
    const int runs = P < MOST_COMINGS ? MOST_COMINGS / P : 1;

    if (!collective->holds_back || P == 1 || P > MOST_P)
        return 0;
    return runs < P ? runs : P;
}

/* The rank that stays away in run i: each in turn, or some at equal distances, from a start that
 * the seed decides. Rank 0 comes last: where it is the centre, no rank gets through without it. */
static int absent_rank(const struct logp_experiment *x, const struct logp_collective *collective,
                       int P, int i)
{
    const int runs = lpi_absences(collective, P);

    if (runs == P)
        return i;
    return 1 +
           (int)((x->seed + (uint64_t)i * (uint64_t)(P - 1) / (uint64_t)runs) % (uint64_t)(P - 1));
}

static int program(struct logp_vp *vp, void *arg)
{
    const struct absence *a = arg;
    const struct logp_experiment *x = a->experiment;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const int times = (x->reps > 1) + (me != a->away);
    struct logp_invocation c = a->c;
    void *buf, *recv_buf;
    int rc;

    rc = lpi_plan(x->algorithm, P, me, &c);
    if (rc != 0)
        return rc;
    lpi_buffers_of(a->buffers, a->collective, me, &c, &buf, &recv_buf);
    logp_collective_fill(a->collective, P, me, x->seed, &c, buf, recv_buf);
    for (int i = 0; rc == 0 && i < times; i++)
        rc = lpi_run(vp, x->algorithm, &c, buf, recv_buf);
    if (rc == 0 && me != a->away) /* relaxed: read after the run */
        atomic_store_explicit(&a->got_through[me], true, memory_order_relaxed);
    lpi_free_plan(&c.plan);
    return rc;
}

int lpi_run_without(struct logp_machine *machine, const struct logp_experiment *x, int i,
                    const struct logp_invocation *c, const struct lpi_buffers *buffers,
                    int64_t timeout_ns, atomic_bool *got_through)
{
    const struct logp_collective *collective = logp_collective_find(x->algorithm->collective);
    struct absence *a = malloc(sizeof(*a));
    int rc;

    if (a == NULL)
        return -ENOMEM;
    *a = (struct absence){.experiment = x,
                          .collective = collective,
                          .buffers = buffers,
                          .c = *c,
                          .away = absent_rank(x, collective, buffers->P, i),
                          .got_through = got_through};
    rc = logp_machine_run(machine, program, a, timeout_ns);
    if (rc != -ETIMEDOUT || !logp_machine_busy(machine)) /* else a vp may come back and use it */
        free(a);
    return rc == -EDEADLK ? 0 : rc;
}
