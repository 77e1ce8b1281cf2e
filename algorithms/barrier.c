/* SPDX-License-Identifier: MIT */
/* Barrier: no processor leaves before all have come. */
#include "algorithms.h"

#include <logp/vp.h>

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
int lpi_barrier_dissemination_run(struct logp_vp *vp, const struct logp_coll *c)
{
    const int64_t P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int rc = 0;

    for (int64_t d = 1; rc == 0 && d < P; d *= 2) {
        const int64_t to = me + d < P ? me + d : me + d - P;
        const int64_t from = me >= d ? me - d : me - d + P;

        rc = logp_send(vp, (int)to, c->tag, NULL, 0);
        if (rc == 0)
            rc = logp_recv(vp, (int)from, c->tag, NULL, 0, NULL);
    }
    return rc;
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
