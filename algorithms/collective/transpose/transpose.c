/* SPDX-License-Identifier: MIT */
/*
 * Transposing a matrix whose columns are spread over the processors: the part of each one, and the
 * messages.
 *
 * Of rows x cols elements, processor J holds a block of columns, and afterwards processor I a block
 * of rows (the columns of the result); both are balanced. Block (I, J), the elements of I's rows
 * that J has, goes from J to I, column after column. In memory a column is contiguous, before; a
 * row, after.
 *
 * A block is one message, or each of its columns is (enum logp_packing). Empty blocks are not sent.
 * Source: Sun, Zhang & Song 2002.
 */
#include "predict/predict.h"
#include "transpose.h"

#include <logp/algorithm.h>

/* ---- the part of each processor ---- */

int64_t lpi_transpose_size(int64_t total, int64_t n, int64_t i)
{
    return total / n + (i < total % n);
}

const char *lpi_transpose_needs(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    if (c->args.rows < 1 || c->args.cols < 1)
        return "at least one row and one column";
    return c->args.pack_ns < 0 ? "a time to pack of at least 0" : NULL;
}

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    const size_t rows = (size_t)c->args.rows, cols = (size_t)c->args.cols;
    const size_t my_rows = (size_t)lpi_transpose_size(c->args.rows, P, rank);
    const size_t my_cols = (size_t)lpi_transpose_size(c->args.cols, P, rank);

    *buf = lpi_bytes(lpi_bytes(rows, my_cols), c->args.n_bytes);
    *recv_buf = lpi_bytes(lpi_bytes(my_rows, cols), c->args.n_bytes);
}

/* The processor that has element i of `total`: the inverse of lpi_part_begin(). */
static int64_t owner(int64_t total, int64_t n, int64_t i)
{
    const int64_t size = total / n, longer = total % n, in_longer = longer * (size + 1);

    return i < in_longer ? i / (size + 1) : longer + (i - in_longer) / lpi_max(size, 1);
}

/* Element j of the result, which is the element (row, col) of the matrix. */
static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    const int64_t row = lpi_part_begin(c->args.rows, P, rank) + j / c->args.cols,
                  col = j % c->args.cols;

    out->from = owner(c->args.cols, P, col);
    out->at = (struct logp_buffer_ref){LOGP_RECV_BUF, (size_t)j * c->args.n_bytes};
    out->n_bytes = c->args.n_bytes;
    out->offset = c->args.n_bytes *
                  (size_t)((col - lpi_part_begin(c->args.cols, P, out->from)) * c->args.rows + row);
    return j / c->args.cols < lpi_transpose_size(c->args.rows, P, rank);
}

/*
 * Every block has at least the elements of the smallest: an all-to-all of that. The first processor
 * has the most rows and columns; it sends its columns of all rows but its own, and receives its
 * rows of all columns but its own. The last one has the fewest rows and columns. A processor
 * without columns does not send, and one without rows does not receive; packing depends on the
 * algorithm, and does not count.
 */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t rows = c->args.rows, cols = c->args.cols;
    const int64_t from = cols < P ? cols : P, to = rows < P ? rows : P;
    const int64_t least = lpi_bound_times(lpi_max(rows / P, 1), lpi_max(cols / P, 1));
    const int64_t size = lpi_bound_bytes(c->args.n_bytes), bytes = lpi_bound_times(least, size);
    const struct lpi_need need = {
        .from = {0, from, 1}, .to = {0, to, 1}, .bytes = bytes, .each_from = true, .each_to = true};
    int64_t T;

    if (rows < 1 || cols < 1 || size == 0)
        return 0;
    T = lpi_bound_ways(P, c, &need);
    if (from == P && to == P)
        T = lpi_max(T, lpi_bound_exchange(p, P, bytes));
    if (to > 1)
        T = lpi_max(T, lpi_bound_out(p, to) + lpi_bound_more_received(p, bytes));
    if (from > 1)
        T = lpi_max(T, lpi_bound_in(p, from) + lpi_bound_more_sent(p, bytes));
    for (int64_t rank = 0; rank < P; rank += lpi_max(P - 1, 1)) {
        const int64_t r = lpi_transpose_size(rows, P, rank);
        const int64_t m = lpi_transpose_size(cols, P, rank);

        T = lpi_max(T, lpi_bound_sent(p, lpi_bound_times(lpi_bound_times(rows - r, m), size)));
        T = lpi_max(T, lpi_bound_received(p, lpi_bound_times(lpi_bound_times(cols - m, r), size)));
    }
    return T;
}

/* ---- what travels ---- */

/* n messages of `elements` elements, if there is anything in them. */
static void add_messages(struct lpi_block *p, int64_t n, size_t elements, size_t n_bytes)
{
    if (n > 0 && elements > 0)
        p->groups[p->n_groups++] = (struct lpi_messages){n, lpi_bytes(elements, n_bytes)};
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Destinations with a row more come first. The time to pack is cut off as logp_params_stream_ns() is. */
struct lpi_block lpi_transpose_block(int64_t P, const struct logp_invocation *c, int64_t first,
                                     int64_t n, int64_t columns)
{
    const int64_t rows = c->args.rows / P, longer = c->args.rows % P;
    const int64_t n_longer = smaller(first + n, longer) - smaller(first, longer);
    const int64_t reached = rows > 0 ? n : n_longer; /* destinations that have any rows */
    struct lpi_block p = {0};

    if (c->args.packing == LOGP_PACKING_NONE) {
        add_messages(&p, n_longer * columns, (size_t)rows + 1, c->args.n_bytes);
        add_messages(&p, (n - n_longer) * columns, (size_t)rows, c->args.n_bytes);
    } else {
        const __int128 pack = (__int128)c->args.pack_ns * reached * columns;

        add_messages(&p, 1, lpi_bytes((size_t)(n * rows + n_longer), (size_t)columns),
                     c->args.n_bytes);
        p.pack_ns = pack < INT64_MAX / 8 ? (int64_t)pack : INT64_MAX / 8;
    }
    return p;
}

const struct logp_collective lpi_transpose = {
    .name = "transpose",
    .summary = "transpose a matrix distributed by columns",
    .operands = LOGP_OPERANDS_MATRIX,
    .sizes = sizes,
    .postcondition = postcondition,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&lpi_transpose_rings, &lpi_transpose_butterflies,
                                             &lpi_transpose_census, &lpi_transpose_overlap, NULL},
};

/* ---- the times of blocks, for predictions ---- */

/* No receive yet: any gap after it is over at 0. */
const struct lpi_moment lpi_transpose_start = {0, 0, INT64_MIN};

struct lpi_block_time lpi_transpose_time(const struct logp_params *p, const struct lpi_block *block)
{
    struct lpi_block_time t = {.pack_ns = block->pack_ns, .n_groups = block->n_groups};

    for (int i = 0; i < t.n_groups; i++) {
        const int64_t stream = logp_params_stream_ns(p, block->groups[i].n_bytes);
        const int64_t gap = logp_params_gap_ns(p, block->groups[i].n_bytes);

        t.groups[i] = (struct lpi_messages_time){
            .n = block->groups[i].n,
            .send_gap = lpi_max(p->o_send_ns, gap),
            .recv_gap = lpi_max(p->o_recv_ns, gap),
            .wire = stream + p->L_ns,
        };
    }
    return t;
}

/* The sends of a group, and then those of the next, follow at the gap. */
__int128 lpi_transpose_sent(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_block_time *t)
{
    const __int128 first = lpi_later(m->free + t->pack_ns, m->send_next);
    __int128 start = first;

    for (int i = 0; i < t->n_groups; i++) {
        const struct lpi_messages_time *x = &t->groups[i];

        start += (__int128)x->n * x->send_gap;
        m->free = start - x->send_gap + p->o_send_ns;
        m->send_next = start;
    }
    return first;
}

/*
 * Message k of a group arrives at a(0) + k send_gap, and is received at
 * r(k) = max(r(k-1) + recv_gap, a(k)): so the last one at
 * max(r(0) + (n-1) recv_gap, a(0) + (n-1) send_gap).
 */
void lpi_transpose_received(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_block_time *t, __int128 start)
{
    for (int i = 0; i < t->n_groups; i++) {
        const struct lpi_messages_time *x = &t->groups[i];
        const __int128 arrival = start + p->o_send_ns + x->wire;
        const __int128 first = lpi_later(lpi_later(m->free, arrival), m->recv_start + x->recv_gap);

        m->recv_start = lpi_later(first + (__int128)(x->n - 1) * x->recv_gap,
                                  arrival + (__int128)(x->n - 1) * x->send_gap);
        m->free = m->recv_start + p->o_recv_ns;
        start += (__int128)x->n * x->send_gap;
    }
}

/* Blocks are of one size, or their size does not matter since a byte costs nothing. */
bool lpi_transpose_alike(int64_t P, const struct logp_invocation *c)
{
    const bool free_bytes = c->model.params.G_ps == 0;
    const bool packed_free = c->args.packing == LOGP_PACKING_STRUCTURED && c->args.pack_ns == 0;

    return (c->args.rows % P == 0 || (free_bytes && c->args.rows >= P)) &&
           (c->args.cols % P == 0 || (free_bytes && c->args.cols >= P && packed_free));
}
