/* SPDX-License-Identifier: MIT */
/* call.c: the collectives that a program calls. pending == NULL: run, else started; the rest is as
 * for logp_broadcast() and so on. */
#ifndef LPI_CALL_H
#define LPI_CALL_H

#include <logp/nonblocking.h>

int lpi_call_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root,
                       struct logp_pending **pending);
int lpi_call_barrier(struct logp_vp *vp, struct logp_pending **pending);
int lpi_call_alltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                      struct logp_pending **pending);
int lpi_call_transpose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                       int64_t cols, size_t n_bytes, struct logp_pending **pending);
int lpi_call_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                     int root, struct logp_pending **pending);
int lpi_call_gather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                    int root, struct logp_pending **pending);
int lpi_call_allgather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                       struct logp_pending **pending);
int lpi_call_allreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                       const struct logp_op *op, struct logp_pending **pending);
int lpi_call_reduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                            const struct logp_op *op, struct logp_pending **pending);
int lpi_call_scan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                  const struct logp_op *op, struct logp_pending **pending);
int lpi_call_exscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                    const struct logp_op *op, struct logp_pending **pending);
int lpi_call_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                    const struct logp_op *op, int root, struct logp_pending **pending);

#endif
