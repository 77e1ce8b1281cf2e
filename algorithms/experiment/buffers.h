/* SPDX-License-Identifier: MIT */
/* buffers.c: buf and recv_buf of the ranks of an experiment. */
#ifndef LPI_BUFFERS_H
#define LPI_BUFFERS_H

#include <logp/algorithm.h>

struct lpi_buffers {
    int P, first, n; /* ranks: n from first on */
    char *memory;
    size_t stride, buf_bytes;
    size_t *offsets; /* NULL; or by rank: where its buf begins */
};

/* c: not planned. 0; -ENOMEM, or as logp_plan_create(). To be destroyed in any case. */
int lpi_buffers_create(struct lpi_buffers *b, const struct logp_collective *collective,
                       const struct logp_algorithm *algorithm, const struct logp_invocation *c,
                       int P, int first, int n);
/* Those of a rank, for which c is planned. */
void lpi_buffers_of(const struct lpi_buffers *b, const struct logp_collective *collective, int rank,
                    const struct logp_invocation *c, void **buf, void **recv_buf);
void lpi_buffers_destroy(struct lpi_buffers *b);

#endif
