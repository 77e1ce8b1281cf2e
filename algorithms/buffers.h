/* SPDX-License-Identifier: MIT */
/* buffers.c: buf and recv_buf of all ranks of an experiment. */
#ifndef LPI_BUFFERS_H
#define LPI_BUFFERS_H

#include <logp/experiment.h>

struct lpi_buffers {
    int P;
    char *memory;
    size_t stride, buf_bytes;
    size_t *offsets; /* NULL; or by rank: where its buf begins */
};

/* n zeroed pieces of size bytes, in huge pages where there are many: a fault costs a microsecond.
 * NULL: no memory. */
void *lpi_zeroed(size_t n, size_t size);
/* 0; -ENOMEM, or as logp_coll_plan(). To be destroyed in any case. */
int lpi_buffers_create(struct lpi_buffers *b, const struct logp_collective *collective,
                       const struct logp_experiment *x, int P);
/* Set buf and recv_buf of a planned c. */
void lpi_buffers_place(const struct lpi_buffers *b, const struct logp_collective *collective,
                       int rank, struct logp_coll *c);
void lpi_buffers_destroy(struct lpi_buffers *b);

#endif
