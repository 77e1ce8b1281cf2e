/* SPDX-License-Identifier: MIT */
/*
 * The networks: their sizes, links and routes. See topology.h.
 *
 * Line, ring, mesh and torus are one: rows of columns, with or without a way round; a line is a
 * single row. Each network is a table of functions at the end of this file.
 */
#include "networks.h"

/* ---- line, ring, mesh, torus ----
 * A row of n nodes has the links i -> i+1 (number i) and then i -> i-1. With a way round there are
 * n of each, and number n+i leads down from i; without, n-1 of each, and n-1+i-1 does. Two nodes
 * that are linked round have one link each way: a tie goes up. Links of the mesh: all rows', then
 * all columns'. */

static int row_links(int n, bool round)
{
    if (!round || n == 2)
        return 2 * (n - 1);
    return n > 1 ? 2 * n : 0;
}

/* 1: the way from i to j goes up, or down. *hops: how far. */
static bool goes_up(int n, bool round, int i, int j, int *hops)
{
    const int up = j >= i ? j - i : j - i + n;

    if (round) {
        *hops = up <= n - up ? up : n - up;
        return up <= n - up;
    }
    *hops = j >= i ? j - i : i - j;
    return j >= i;
}

/* One step from *i towards j != *i: the link within the row. */
static int row_next(int n, bool round, int *i, int j)
{
    const int from = *i;
    int hops;

    if (goes_up(n, round, from, j, &hops)) {
        *i = from + 1 < n ? from + 1 : 0;
        return from;
    }
    *i = from > 0 ? from - 1 : n - 1;
    return round ? n + from : n - 1 + from - 1;
}

static void row_ends(int n, bool round, int link, int *from, int *to)
{
    const int ups = round ? n : n - 1;

    *from = link < ups ? link : round ? link - ups : link - ups + 1;
    *to = link < ups ? (*from + 1) % n : (*from + n - 1) % n;
}

static int grid_next(const struct logp_topology *t, int *node, int dst)
{
    const bool round = t->network->round;
    int row = *node / t->cols, col = *node % t->cols, link;

    if (col != dst % t->cols) {
        link = row * row_links(t->cols, round) + row_next(t->cols, round, &col, dst % t->cols);
    } else if (row != dst / t->cols) {
        link = t->rows * row_links(t->cols, round) + col * row_links(t->rows, round);
        link += row_next(t->rows, round, &row, dst / t->cols);
    } else {
        return -1;
    }
    *node = row * t->cols + col;
    return link;
}

static int grid_hops(const struct logp_topology *t, int src, int dst)
{
    int along, across;

    goes_up(t->cols, t->network->round, src % t->cols, dst % t->cols, &along);
    goes_up(t->rows, t->network->round, src / t->cols, dst / t->cols, &across);
    return along + across;
}

static void grid_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    const bool round = t->network->round;
    const int in_row = row_links(t->cols, round), in_col = row_links(t->rows, round);
    const int in_rows = t->rows * in_row;

    if (link < in_rows) {
        row_ends(t->cols, round, link % in_row, from, to);
        *from += link / in_row * t->cols;
        *to += link / in_row * t->cols;
    } else {
        const int col = (link - in_rows) / in_col;

        row_ends(t->rows, round, (link - in_rows) % in_col, from, to);
        *from = *from * t->cols + col;
        *to = *to * t->cols + col;
    }
}

static void set_grid(struct logp_topology *t, int rows, int cols)
{
    const bool round = t->network->round;

    t->rows = rows;
    t->cols = cols;
    t->n_links = rows * row_links(cols, round) + cols * row_links(rows, round);
}

static const char *fit_row(struct logp_topology *t, const char *sizes)
{
    if (*sizes != '\0')
        return "no sizes";
    set_grid(t, 1, t->P);
    return NULL;
}

/* A whole number of at most eight digits; *text moves behind it. 0: there is none */
static int read_size(const char **text)
{
    int n = 0, digits = 0;

    for (; **text >= '0' && **text <= '9' && digits < 8; digits++)
        n = 10 * n + *(*text)++ - '0';
    return n;
}

static const char *fit_grid(struct logp_topology *t, const char *sizes)
{
    int rows = 1, cols = 0;

    if (*sizes == '\0') {
        while ((rows + 1) * (rows + 1) <= t->P)
            rows++;
        cols = rows;
        if (rows * cols != t->P)
            return "a square number of processors, or its sizes, rows x columns (as in :2x4)";
    } else {
        sizes++; /* the colon */
        rows = read_size(&sizes);
        if (*sizes == 'x') {
            sizes++;
            cols = read_size(&sizes);
        }
        if (rows == 0 || cols == 0 || *sizes != '\0')
            return "its sizes as rows x columns (as in :2x4)";
        if ((int64_t)rows * cols != t->P)
            return "rows x columns processors";
    }
    set_grid(t, rows, cols);
    return NULL;
}

/* ---- hypercube: node v has a link for each bit, number v x dimensions + bit ---- */

static const char *fit_cube(struct logp_topology *t, const char *sizes)
{
    if (*sizes != '\0')
        return "no sizes";
    if ((t->P & (t->P - 1)) != 0)
        return "a power of two of processors";
    t->dimensions = __builtin_ctz((unsigned)t->P);
    t->n_links = t->P * t->dimensions;
    return NULL;
}

static int cube_next(const struct logp_topology *t, int *node, int dst)
{
    const int from = *node;
    int bit;

    if (from == dst)
        return -1;
    bit = __builtin_ctz((unsigned)(from ^ dst));
    *node = from ^ (1 << bit);
    return from * t->dimensions + bit;
}

static int cube_hops(const struct logp_topology *t, int src, int dst)
{
    (void)t;
    return __builtin_popcount((unsigned)(src ^ dst));
}

static void cube_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    *from = link / t->dimensions;
    *to = *from ^ (1 << link % t->dimensions);
}

/* ---- tree of switches ----
 * Places in heap order: 1 is the topmost switch, 2i and 2i+1 are below i, the processors are the
 * last P. The link from place i >= 2 up has number i-2, the one down to it 2P-2 + i-2. */

static int place_of(const struct logp_topology *t, int node)
{
    return node < t->P ? t->P + node : node - t->P + 1;
}

static int node_at(const struct logp_topology *t, int place)
{
    return place >= t->P ? place - t->P : place - 1 + t->P;
}

static const char *fit_tree(struct logp_topology *t, const char *sizes)
{
    const char *needs = fit_cube(t, sizes);

    t->n_links = 4 * (t->P - 1);
    return needs;
}

static int tree_next(const struct logp_topology *t, int *node, int dst)
{
    const int place = place_of(t, *node), last = place_of(t, dst);
    const int levels = __builtin_clz((unsigned)place) - __builtin_clz((unsigned)last);

    if (place == last)
        return -1;
    if (last >> levels == place) { /* dst is below */
        const int down = last >> (levels - 1);

        *node = node_at(t, down);
        return 2 * t->P - 2 + down - 2;
    }
    *node = node_at(t, place / 2);
    return place - 2;
}

static int tree_hops(const struct logp_topology *t, int src, int dst)
{
    (void)t;
    return src == dst ? 0 : 2 * (32 - __builtin_clz((unsigned)(src ^ dst)));
}

static void tree_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    const int ups = 2 * t->P - 2, below = 2 + (link < ups ? link : link - ups);

    *from = node_at(t, link < ups ? below : below / 2);
    *to = node_at(t, link < ups ? below / 2 : below);
}

const struct lpi_network lpi_network_line = {false, fit_row, grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_ring = {true, fit_row, grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_mesh = {false, fit_grid, grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_torus = {true, fit_grid, grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_cube = {false, fit_cube, cube_next, cube_hops, cube_ends};
const struct lpi_network lpi_network_tree = {false, fit_tree, tree_next, tree_hops, tree_ends};
