/* SPDX-License-Identifier: MIT */
/* The collectives that a program calls with blocks of different sizes: their sums are made first.
 */
#include "choice/choice.h"
#include "collective/collective.h"

#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sums, to be freed: b->before. 0; -EINVAL (no counts, or they are too large), -ENOMEM */
static int make_blocks(int P, const size_t *counts, const size_t *displs, struct logp_blocks *b)
{
    size_t *before;

    *b = (struct logp_blocks){.n = P, .displs = displs};
    if (counts == NULL)
        return -EINVAL;
    before = malloc(((size_t)P + 1) * sizeof(*before));
    if (before == NULL)
        return -ENOMEM;
    before[0] = 0;
    for (int i = 0; i < P; i++)
        if (__builtin_add_overflow(before[i], counts[i], &before[i + 1]) ||
            before[i + 1] > PTRDIFF_MAX) {
            free(before);
            return -EINVAL;
        }
    b->before = before;
    return 0;
}

static void free_blocks(const struct logp_blocks *b)
{
    free((void *)b->before);
}

static bool is_missing(const void *buf, const struct logp_blocks *b)
{
    return buf == NULL && b->before[b->n] > 0;
}

/* Between the root, which has all, and the others, which know only their own: they act as if all
 * were alike. */
static int run_flat(struct logp_vp *vp, const char *collective, struct logp_invocation *c,
                    const size_t *counts, const size_t *displs, void *buf, void *recv_buf)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), root = c->args.root;
    const bool scatters = strcmp(collective, "scatter") == 0;
    void *const whole = scatters ? buf : recv_buf, *const own = scatters ? recv_buf : buf;
    struct logp_blocks b = {.n = P};
    int rc = me == root ? make_blocks(P, counts, displs, &b) : 0;

    c->args.in_place = own == LOGP_IN_PLACE;
    if (rc == 0 && c->args.n_bytes > 0 && own == NULL)
        rc = -EINVAL;
    if (rc == 0 && me != root && c->args.in_place)
        rc = -EINVAL;
    if (rc == 0 && me == root &&
        (is_missing(whole, &b) || (!c->args.in_place && c->args.n_bytes != counts[root])))
        rc = -EINVAL;
    if (rc == 0)
        rc = lpi_note_call(vp, scatters ? "logp_scatterv" : "logp_gatherv",
                           scatters ? &lpi_scatter : &lpi_gather, &(struct logp_args){.root = root},
                           false);
    c->args.blocks = me == root ? &b : NULL;
    if (rc == 0)
        rc = lpi_run_once(vp, logp_algorithm_find(collective, "flat"), c, buf, recv_buf, NULL);
    free_blocks(&b);
    return rc;
}

int logp_scatterv(struct logp_vp *vp, const void *send_buf, const size_t *counts,
                  const size_t *displs, void *recv_buf, size_t n_bytes, int root)
{
    struct logp_invocation c = {.args = {.root = root, .n_bytes = n_bytes}};

    return logp_vp_note_error(
        vp, "logp_scatterv",
        run_flat(vp, "scatter", &c, counts, displs, (void *)send_buf, recv_buf));
}

int logp_gatherv(struct logp_vp *vp, const void *send_buf, size_t n_bytes, void *recv_buf,
                 const size_t *counts, const size_t *displs, int root)
{
    struct logp_invocation c = {.args = {.root = root, .n_bytes = n_bytes}};

    return logp_vp_note_error(
        vp, "logp_gatherv", run_flat(vp, "gather", &c, counts, displs, (void *)send_buf, recv_buf));
}

int logp_allgatherv(struct logp_vp *vp, const void *send_buf, size_t n_bytes, void *recv_buf,
                    const size_t *counts, const size_t *displs)
{
    struct logp_blocks b;
    int rc = make_blocks(logp_vp_size(vp), counts, displs, &b);

    if (rc == 0 && ((send_buf != LOGP_IN_PLACE && n_bytes != counts[logp_vp_rank(vp)]) ||
                    (send_buf == NULL && n_bytes > 0) || is_missing(recv_buf, &b)))
        rc = -EINVAL;
    if (rc == 0)
        rc = lpi_call(vp, "logp_allgatherv", &lpi_allgather,
                      &(struct logp_invocation){.args = {.blocks = &b}}, send_buf, recv_buf, NULL);
    free_blocks(&b);
    return logp_vp_note_error(vp, "logp_allgatherv", rc);
}

int logp_alltoallv(struct logp_vp *vp, const void *send_buf, const size_t *send_counts,
                   const size_t *send_displs, void *recv_buf, const size_t *recv_counts,
                   const size_t *recv_displs)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const bool in_place = send_buf == LOGP_IN_PLACE;
    struct logp_blocks out = {.n = P}, in;
    struct logp_invocation c = {.args = {.blocks = in_place ? &in : &out, .recv_blocks = &in}};
    int rc = make_blocks(P, recv_counts, recv_displs, &in);

    if (rc == 0 && !in_place)
        rc = make_blocks(P, send_counts, send_displs, &out);
    if (rc == 0 &&
        (is_missing(recv_buf, &in) ||
         (!in_place && (is_missing(send_buf, &out) || send_counts[me] != recv_counts[me]))))
        rc = -EINVAL;
    if (rc == 0 && !lpi_is_callable(vp, &lpi_alltoall, &c, send_buf, recv_buf))
        rc = -EINVAL;
    if (rc == 0)
        rc = lpi_note_call(vp, "logp_alltoallv", &lpi_alltoall, &(struct logp_args){.root = 0},
                           false);
    if (rc == 0)
        rc = lpi_run_once(vp, logp_algorithm_find("alltoall", "linear"), &c, (void *)send_buf,
                          recv_buf, NULL);
    free_blocks(&in);
    free_blocks(&out);
    return logp_vp_note_error(vp, "logp_alltoallv", rc);
}

int logp_reduce_scatterv(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                         const size_t *counts, const struct logp_op *op)
{
    struct logp_blocks b;
    int rc = make_blocks(logp_vp_size(vp), counts, NULL, &b);

    if (rc == 0 && (is_missing(send_buf, &b) || (recv_buf == NULL && counts[logp_vp_rank(vp)] > 0)))
        rc = -EINVAL;
    if (rc == 0)
        rc = lpi_call(vp, "logp_reduce_scatterv", &lpi_reduce_scatter,
                      &(struct logp_invocation){.args = {.blocks = &b, .op = op}}, send_buf,
                      recv_buf, NULL);
    free_blocks(&b);
    return logp_vp_note_error(vp, "logp_reduce_scatterv", rc);
}
