/* SPDX-License-Identifier: MIT */
/* All-to-all: a different item from each processor to each. */
#include "algorithms.h"
#include "schedule/reader.h"

#include <string.h>

void lpi_alltoall_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    (void)rank;
    *buf = *recv_buf = lpi_bytes((size_t)P, c->n_bytes);
}

static uint64_t item_seed(int P, int from, int to, uint64_t seed)
{
    return seed * (uint64_t)P * (uint64_t)P + (uint64_t)from * (uint64_t)P + (uint64_t)to;
}

void lpi_alltoall_fill(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    for (int to = 0; to < P; to++)
        lpi_pattern_fill((char *)c->buf + (size_t)to * c->n_bytes, c->n_bytes,
                         item_seed(P, rank, to, seed));
    if (c->n_bytes > 0)
        memset(c->recv_buf, 0xa5, (size_t)P * c->n_bytes);
}

int lpi_alltoall_check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    for (int from = 0; from < P; from++)
        if (!lpi_pattern_check((const char *)c->recv_buf + (size_t)from * c->n_bytes, c->n_bytes,
                               item_seed(P, from, rank, seed)))
            return false;
    return true;
}

/* Item j is that of rank j for this one. */
bool lpi_alltoall_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                          struct logp_promise *out)
{
    out->at = (struct logp_spot){LOGP_RECV_BUF, (size_t)j * c->n_bytes};
    out->n_bytes = c->n_bytes;
    out->from = j;
    out->offset = (size_t)rank * c->n_bytes;
    return j < P;
}

/* Send to i+1, i+2, ..., then receive from i-1, i-2, ...: in the order of arrival.
 * Source: Sun, Zhang & Song 2002, ring, all sends first. */
bool lpi_alltoall_linear_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                               struct logp_step *out)
{
    const size_t n = c->n_bytes, own = (size_t)rank * n;
    const int64_t d = i < P ? i : i - P + 1;
    const int64_t to = rank + d < P ? rank + d : rank + d - P;
    const int64_t from = rank >= d ? rank - d : rank - d + P;

    if (i == 0)
        return logp_step_copy(out, (struct logp_spot){LOGP_RECV_BUF, own},
                              (struct logp_spot){LOGP_BUF, own}, n);
    if (i < P)
        return logp_step_send(out, to, c->tag, LOGP_BUF, (size_t)to * n, n);
    return d < P && logp_step_receive(out, from, c->tag, LOGP_RECV_BUF, (size_t)from * n, n);
}

int lpi_alltoall_linear_run(struct logp_vp *vp, const struct logp_coll *c)
{
    return lpi_read(vp, lpi_alltoall_linear_steps, c);
}

/*
 * The sends start E_s apart, the receives E_r, and message k = 0, 1, ... arrives at
 * k E_s + o_send + st + L: o_send + o_recv + max((P-2)(E_s + E_r), L + st + (P-2) max(E_s, E_r)).
 */
struct logp_prediction lpi_alltoall_linear_predict(int64_t P, const struct logp_coll *c)
{
    const struct logp_params *p = &c->params;
    const int64_t stream = logp_stream_ns(p, c->n_bytes);
    const int64_t send = lpi_max(p->o_send_ns, logp_gap_ns(p, c->n_bytes));
    const int64_t recv = lpi_max(p->o_recv_ns, logp_gap_ns(p, c->n_bytes));
    const __int128 both = (__int128)(P - 2) * (send + recv);
    const __int128 last = (__int128)(P - 2) * lpi_max(send, recv) + p->L_ns + stream;

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    return lpi_exact(p->o_send_ns + p->o_recv_ns + lpi_later(both, last));
}
