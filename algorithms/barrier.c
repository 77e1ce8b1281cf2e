/* SPDX-License-Identifier: MIT */
/* Barrier: no processor leaves before all have come. */
#include "algorithms.h"
#include "schedule/reader.h"

void lpi_barrier_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    (void)P, (void)rank, (void)c;
    *buf = *recv_buf = 0;
}

void lpi_barrier_fill(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P, (void)rank, (void)seed, (void)c;
}

/* It carries nothing that could be wrong; that it holds everyone back is seen in held_back.c. */
int lpi_barrier_check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P, (void)rank, (void)seed, (void)c;
    return true;
}

/* Round d: tell i+d, hear from i-d; what is known doubles. Any P >= 1.
 * Source: Hensgen, Finkel, Manber, IJPP 17(1), 1988. */
bool lpi_barrier_dissemination_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                                     struct logp_step *out)
{
    const int64_t d = INT64_C(1) << (i / 2);

    if (d >= P)
        return false;
    if (i % 2 == 0)
        return logp_step_send(out, rank + d < P ? rank + d : rank + d - P, c->tag, LOGP_BUF, 0, 0);
    return logp_step_receive(out, rank >= d ? rank - d : rank - d + P, c->tag, LOGP_BUF, 0, 0);
}

int lpi_barrier_dissemination_run(struct logp_vp *vp, const struct logp_coll *c)
{
    return lpi_read(vp, lpi_barrier_dissemination_steps, c);
}

/* (lg P - 1) max(d, e) + d, e = max(g, o_send, o_recv): all do the same at the same time. */
struct logp_prediction lpi_barrier_dissemination_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, 0);
    const int64_t e = lpi_max(t.E, c->params.o_recv_ns);
    int rounds = 0;

    if (c->params.gap_shared && P > 1)
        return lpi_no_prediction();
    while (INT64_C(1) << rounds < P)
        rounds++;
    return lpi_exact(rounds > 0 ? (rounds - 1) * lpi_max(t.D, e) + t.D : 0);
}
