/* SPDX-License-Identifier: MIT */
/*
 * Transposing a matrix whose columns are spread over the processors: who has which part of it, and
 * what travels.
 *
 * Of rows x cols elements, processor J holds a block of columns, and afterwards processor I a block
 * of rows (the columns of the result); both are balanced. Block (I, J), what J has of I's rows,
 * goes from J to I, column after column. In memory a column is contiguous, before; a row, after.
 *
 * A block is one message, or each of its columns is (enum logp_packing). Empty blocks are not sent.
 * Source: Sun, Zhang & Song 2002.
 */
#include "transpose.h"

#include <logp/schedule.h>
#include <logp/vp.h>

#include <string.h>

/* ---- who has what ---- */

int64_t lpi_transpose_size(int64_t total, int64_t n, int64_t i)
{
    return total / n + (i < total % n);
}

int64_t lpi_transpose_begin(int64_t total, int64_t n, int64_t i)
{
    const int64_t longer = total % n;

    return i * (total / n) + (i < longer ? i : longer);
}

const char *lpi_transpose_needs(int64_t P, const struct logp_coll *c)
{
    (void)P;
    if (c->rows < 1 || c->cols < 1)
        return "at least one row and one column";
    return c->pack_ns < 0 ? "a time to pack of at least 0" : NULL;
}

void lpi_transpose_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    const size_t rows = (size_t)c->rows, cols = (size_t)c->cols;
    const size_t my_rows = (size_t)lpi_transpose_size(c->rows, P, rank);
    const size_t my_cols = (size_t)lpi_transpose_size(c->cols, P, rank);

    *buf = lpi_bytes(lpi_bytes(rows, my_cols), c->n_bytes);
    *recv_buf = lpi_bytes(lpi_bytes(my_rows, cols), c->n_bytes);
}

/* Every element of the matrix has a seed of its own. */
static uint64_t element_seed(uint64_t seed, const struct logp_coll *c, int64_t row, int64_t col)
{
    return lpi_pattern_word(seed, (size_t)row * (size_t)c->cols + (size_t)col);
}

void lpi_transpose_fill(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    const int64_t first = lpi_transpose_begin(c->cols, P, rank);
    const int64_t n = lpi_transpose_size(c->cols, P, rank);
    const size_t result = (size_t)lpi_transpose_size(c->rows, P, rank) * (size_t)c->cols;
    char *element = c->buf;

    for (int64_t col = first; col < first + n; col++)
        for (int64_t row = 0; row < c->rows; row++, element += c->n_bytes)
            lpi_pattern_fill(element, c->n_bytes, element_seed(seed, c, row, col));
    if (result * c->n_bytes > 0)
        memset(c->recv_buf, 0xa5, result * c->n_bytes);
}

int lpi_transpose_check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    const int64_t first = lpi_transpose_begin(c->rows, P, rank);
    const int64_t n = lpi_transpose_size(c->rows, P, rank);
    const char *element = c->recv_buf;

    for (int64_t row = first; row < first + n; row++)
        for (int64_t col = 0; col < c->cols; col++, element += c->n_bytes)
            if (!lpi_pattern_check(element, c->n_bytes, element_seed(seed, c, row, col)))
                return false;
    return true;
}

/* Element j of the result, which is the element (row, col) of the matrix. */
bool lpi_transpose_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                           struct logp_promise *out)
{
    const int64_t row = lpi_transpose_begin(c->rows, P, rank) + j / c->cols, col = j % c->cols;

    while (lpi_transpose_begin(c->cols, P, out->from + 1) <= col)
        out->from++;
    out->at = (struct logp_spot){LOGP_RECV_BUF, (size_t)j * c->n_bytes};
    out->n_bytes = c->n_bytes;
    out->offset =
        c->n_bytes * (size_t)((col - lpi_transpose_begin(c->cols, P, out->from)) * c->rows + row);
    return j / c->cols < lpi_transpose_size(c->rows, P, rank);
}

/* ---- in and out of the matrix ---- */

/* A processor without columns may have no buf, and one without rows no recv_buf. */
char *lpi_transpose_gather(int P, int rank, const struct logp_coll *c, int to, char *block)
{
    const int64_t cols = lpi_transpose_size(c->cols, P, rank);
    const size_t bytes = (size_t)lpi_transpose_size(c->rows, P, to) * c->n_bytes;
    const char *from = c->buf;

    if (cols == 0 || bytes == 0)
        return block;
    from += (size_t)lpi_transpose_begin(c->rows, P, to) * c->n_bytes;
    for (int64_t col = 0; col < cols; col++) {
        memcpy(block, from + (size_t)col * (size_t)c->rows * c->n_bytes, bytes);
        block += bytes;
    }
    return block;
}

void lpi_transpose_scatter(int P, int rank, const struct logp_coll *c, int64_t first, int64_t n,
                           const char *columns)
{
    const size_t rows = (size_t)lpi_transpose_size(c->rows, P, rank);
    char *result = c->recv_buf;

    if (c->n_bytes == 0)
        return;
    for (int64_t col = first; col < first + n; col++)
        for (size_t row = 0; row < rows; row++) {
            memcpy(result + (row * (size_t)c->cols + (size_t)col) * c->n_bytes, columns,
                   c->n_bytes);
            columns += c->n_bytes;
        }
}

/* ---- what travels ---- */

/* n messages of `elements` elements, if there is anything in them. */
static void add_train(struct lpi_parcel *p, int64_t n, size_t elements, size_t n_bytes)
{
    if (n > 0 && elements > 0)
        p->trains[p->n_trains++] = (struct lpi_train){n, lpi_bytes(elements, n_bytes)};
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Destinations with a row more come first. The time to pack is cut off as logp_stream_ns() is. */
struct lpi_parcel lpi_transpose_parcel(int64_t P, const struct logp_coll *c, int64_t first,
                                       int64_t n, int64_t columns)
{
    const int64_t rows = c->rows / P, longer = c->rows % P;
    const int64_t n_longer = smaller(first + n, longer) - smaller(first, longer);
    const int64_t reached = rows > 0 ? n : n_longer; /* destinations that have any rows */
    struct lpi_parcel p = {0};

    if (c->packing == LOGP_PACKING_NONE) {
        add_train(&p, n_longer * columns, (size_t)rows + 1, c->n_bytes);
        add_train(&p, (n - n_longer) * columns, (size_t)rows, c->n_bytes);
    } else {
        const __int128 pack = (__int128)c->pack_ns * reached * columns;

        add_train(&p, 1, lpi_bytes((size_t)(n * rows + n_longer), (size_t)columns), c->n_bytes);
        p.pack_ns = pack < INT64_MAX / 8 ? (int64_t)pack : INT64_MAX / 8;
    }
    return p;
}

int lpi_transpose_send(struct logp_vp *vp, const struct logp_coll *c, int to,
                       const struct lpi_parcel *parcel, const char *data)
{
    int rc = 0;

    for (int i = 0; i < parcel->n_trains; i++)
        for (int64_t n = parcel->trains[i].n; rc == 0 && n > 0; n--) {
            rc = logp_send(vp, to, c->tag, data, parcel->trains[i].n_bytes);
            data += parcel->trains[i].n_bytes;
        }
    return rc;
}

int lpi_transpose_receive(struct logp_vp *vp, const struct logp_coll *c, int from,
                          const struct lpi_parcel *parcel, char *data)
{
    int rc = 0;

    for (int i = 0; i < parcel->n_trains; i++)
        for (int64_t n = parcel->trains[i].n; rc == 0 && n > 0; n--) {
            rc = logp_recv(vp, from, c->tag, data, parcel->trains[i].n_bytes, NULL);
            data += parcel->trains[i].n_bytes;
        }
    return rc;
}
