/* SPDX-License-Identifier: MIT */
/* Transposes: what their files share, and the functions of their rows. */
#ifndef LPI_TRANSPOSE_H
#define LPI_TRANSPOSE_H

#include "algorithms.h"

/*
 * transpose.c: who has which part of the matrix, and what travels.
 *
 * A parcel is what a processor sends to another at a time: columns of blocks, in at most two trains
 * of messages of one size each. Its bytes lie one after another in memory.
 */
struct lpi_train {
    int64_t n; /* messages, >= 1 */
    size_t n_bytes;
};

struct lpi_parcel {
    int64_t pack_ns;
    int n_trains; /* 0: nothing to send */
    struct lpi_train trains[2];
};

/* Block i of n >= 1 of `total` columns or rows, balanced: its size, and where it begins. */
int64_t lpi_transpose_size(int64_t total, int64_t n, int64_t i);
int64_t lpi_transpose_begin(int64_t total, int64_t n, int64_t i);
/* `columns` columns for each of n destinations from rank `first`. */
struct lpi_parcel lpi_transpose_parcel(int64_t P, const struct logp_coll *c, int64_t first,
                                       int64_t n, int64_t columns);
int lpi_transpose_send(struct logp_vp *vp, const struct logp_coll *c, int to,
                       const struct lpi_parcel *parcel, const char *data);
int lpi_transpose_receive(struct logp_vp *vp, const struct logp_coll *c, int from,
                          const struct lpi_parcel *parcel, char *data);
/* The block for rank `to` out of this rank's columns, column after column. @return its end */
char *lpi_transpose_gather(int P, int rank, const struct logp_coll *c, int to, char *block);
/* Columns [first, first + n), each of this rank's part of its rows, into the result. */
void lpi_transpose_scatter(int P, int rank, const struct logp_coll *c, int64_t first, int64_t n,
                           const char *columns);
const char *lpi_transpose_needs(int64_t P, const struct logp_coll *c);
void lpi_transpose_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_transpose_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_transpose_check(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_transpose_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                           struct logp_promise *out);

/* transpose_time.c: the times of parcels, for predictions. */
struct lpi_train_time {
    int64_t n, send_gap, recv_gap; /* from the start of one message to that of the next */
    int64_t wire;                  /* from the end of a send to the arrival */
};

struct lpi_parcel_time {
    int64_t pack_ns;
    int n_trains;
    struct lpi_train_time trains[2];
};

/* When a processor is free, its gap after a send is over, and its last receive started. */
struct lpi_moment {
    __int128 free, send_next, recv_start;
};

extern const struct lpi_moment lpi_transpose_start;
struct lpi_parcel_time lpi_transpose_time(const struct logp_params *p,
                                          const struct lpi_parcel *parcel);
/* @return the start of the first message */
__int128 lpi_transpose_sent(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_parcel_time *t);
/* start: of the first message, at its sender. */
void lpi_transpose_received(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_parcel_time *t, __int128 start);
/* Do all parcels take as long as the largest one? */
bool lpi_transpose_alike(int64_t P, const struct logp_coll *c);
/* Beyond this many processors unequal parcels have only a bound. */
enum { LPI_TRANSPOSE_EXACT = 256 };

/* transpose_ring.c */
int64_t lpi_transpose_window(int64_t P, const struct logp_coll *c);
int lpi_transpose_ring_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_eager_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_window_plan(int P, int rank, struct logp_coll *c);
bool lpi_transpose_ring_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                              struct logp_step *out);
int lpi_transpose_ring_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_transpose_ring_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_transpose_eager_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_transpose_window_predict(int64_t P, const struct logp_coll *c);

/* transpose_butterfly.c */
const char *lpi_transpose_butterfly_needs(int64_t P, const struct logp_coll *c);
int lpi_transpose_butterfly_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_butterfly_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_transpose_butterfly_predict(int64_t P, const struct logp_coll *c);

#endif
