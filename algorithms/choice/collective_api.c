/* SPDX-License-Identifier: MIT */
/* The collectives of a program, each both ways: run, and started. */
#include "call.h"

#include <errno.h>

int logp_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root)
{
    return lpi_call_broadcast(vp, buf, n_bytes, root, NULL);
}

int logp_ibroadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root,
                    struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_broadcast(vp, buf, n_bytes, root, pending) : -EINVAL;
}

int logp_barrier(struct logp_vp *vp)
{
    return lpi_call_barrier(vp, NULL);
}

int logp_ibarrier(struct logp_vp *vp, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_barrier(vp, pending) : -EINVAL;
}

int logp_alltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes)
{
    return lpi_call_alltoall(vp, send_buf, recv_buf, n_bytes, NULL);
}

int logp_ialltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                   struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_alltoall(vp, send_buf, recv_buf, n_bytes, pending) : -EINVAL;
}

int logp_transpose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                   int64_t cols, size_t n_bytes)
{
    return lpi_call_transpose(vp, send_buf, recv_buf, rows, cols, n_bytes, NULL);
}

int logp_itranspose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                    int64_t cols, size_t n_bytes, struct logp_pending **pending)
{
    return pending != NULL
               ? lpi_call_transpose(vp, send_buf, recv_buf, rows, cols, n_bytes, pending)
               : -EINVAL;
}

int logp_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes, int root)
{
    return lpi_call_scatter(vp, send_buf, recv_buf, n_bytes, root, NULL);
}

int logp_iscatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                  int root, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_scatter(vp, send_buf, recv_buf, n_bytes, root, pending)
                           : -EINVAL;
}

int logp_gather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes, int root)
{
    return lpi_call_gather(vp, send_buf, recv_buf, n_bytes, root, NULL);
}

int logp_igather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes, int root,
                 struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_gather(vp, send_buf, recv_buf, n_bytes, root, pending)
                           : -EINVAL;
}

int logp_allgather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes)
{
    return lpi_call_allgather(vp, send_buf, recv_buf, n_bytes, NULL);
}

int logp_iallgather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                    struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_allgather(vp, send_buf, recv_buf, n_bytes, pending) : -EINVAL;
}

int logp_allreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                   const struct logp_op *op)
{
    return lpi_call_allreduce(vp, send_buf, recv_buf, count, op, NULL);
}

int logp_iallreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                    const struct logp_op *op, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_allreduce(vp, send_buf, recv_buf, count, op, pending)
                           : -EINVAL;
}

int logp_reduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                        const struct logp_op *op)
{
    return lpi_call_reduce_scatter(vp, send_buf, recv_buf, count, op, NULL);
}

int logp_ireduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                         const struct logp_op *op, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_reduce_scatter(vp, send_buf, recv_buf, count, op, pending)
                           : -EINVAL;
}

int logp_scan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
              const struct logp_op *op)
{
    return lpi_call_scan(vp, send_buf, recv_buf, count, op, NULL);
}

int logp_iscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
               const struct logp_op *op, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_scan(vp, send_buf, recv_buf, count, op, pending) : -EINVAL;
}

int logp_exscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                const struct logp_op *op)
{
    return lpi_call_exscan(vp, send_buf, recv_buf, count, op, NULL);
}

int logp_iexscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                 const struct logp_op *op, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_exscan(vp, send_buf, recv_buf, count, op, pending) : -EINVAL;
}

int logp_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                const struct logp_op *op, int root)
{
    return lpi_call_reduce(vp, send_buf, recv_buf, count, op, root, NULL);
}

int logp_ireduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                 const struct logp_op *op, int root, struct logp_pending **pending)
{
    return pending != NULL ? lpi_call_reduce(vp, send_buf, recv_buf, count, op, root, pending)
                           : -EINVAL;
}
