/* SPDX-License-Identifier: MIT */
/*
 * The networks: their sizes, links and routes. See logp/delay.h.
 *
 * Line, ring, mesh and torus are grids; line and ring have one dimension. In ring and torus the
 * ends of each line are linked (round). Each network is a table of functions at the end of this
 * file.
 */
#include "delay/delay.h"

#include <logp/machine.h>

/* ---- line, ring, mesh, torus ----
 * A row of n nodes has first the links up, i -> i+1 (number i), then the links down, i -> i-1. A
 * round row has n of each; the link down from i has number n+i. Another row has n-1 of each; the
 * link down from i has number n-1+i-1. A round row of two nodes has one link each way, since ties
 * go up. A grid has first the links of its rows, the last dimension, then those of the columns, and
 * so on to the first dimension. */

static int row_links(int n, bool round)
{
    if (!round || n == 2)
        return 2 * (n - 1);
    return n > 1 ? 2 * n : 0;
}

/* Whether the way from i to j goes up. *hops: its length */
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

/* One step from *i towards j != *i. @return the link within the row */
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

/* Ranks count along the rows, so the place of a node in a dimension is a digit of its rank. */
static int place_in(const struct lpi_dimension *d, int node)
{
    return node / d->stride % d->size;
}

/* The number of the first link of the line, in this dimension, that node is on. */
static int links_before(const struct lpi_dimension *d, bool round, int node)
{
    const int line = node / (d->stride * d->size) * d->stride + node % d->stride;

    return d->first_link + line * row_links(d->size, round);
}

static int grid_next(const struct logp_topology *t, int *node, int dst)
{
    const bool round = t->network->round;

    for (int i = t->dimensions - 1; i >= 0; i--) {
        const struct lpi_dimension *d = &t->grid[i];
        const int from = place_in(d, *node), to = place_in(d, dst), line = *node;
        int place = from, link;

        if (from == to)
            continue;
        link = row_next(d->size, round, &place, to);
        *node += (place - from) * d->stride;
        return links_before(d, round, line) + link;
    }
    return -1;
}

static int grid_hops(const struct logp_topology *t, int src, int dst)
{
    int all = 0, hops;

    for (int i = 0; i < t->dimensions; i++) {
        const struct lpi_dimension *d = &t->grid[i];

        goes_up(d->size, t->network->round, place_in(d, src), place_in(d, dst), &hops);
        all += hops;
    }
    return all;
}

static void grid_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    const bool round = t->network->round;
    const struct lpi_dimension *d = t->grid;
    int in_line, line, first;

    while (link < d->first_link) /* those of the last dimension come first */
        d++;
    in_line = row_links(d->size, round);
    line = (link - d->first_link) / in_line;
    first = line / d->stride * d->stride * d->size + line % d->stride;
    row_ends(d->size, round, (link - d->first_link) % in_line, from, to);
    *from = first + *from * d->stride;
    *to = first + *to * d->stride;
}

/* Set strides and links of a grid whose sizes are set and multiply to P. */
static void set_grid(struct logp_topology *t)
{
    int stride = 1;

    t->n_links = 0;
    for (int i = t->dimensions - 1; i >= 0; i--) {
        struct lpi_dimension *d = &t->grid[i];

        d->stride = stride;
        d->first_link = t->n_links;
        stride *= d->size;
        t->n_links += t->P / d->size * row_links(d->size, t->network->round);
    }
}

static const char *fit_row(struct logp_topology *t, const char *sizes)
{
    if (*sizes != '\0')
        return "no sizes";
    t->dimensions = 1;
    t->grid[0].size = t->P;
    set_grid(t);
    return NULL;
}

/* Read a whole number of at most eight digits; *text moves past it. 0: there is none */
static int read_size(const char **text)
{
    int n = 0, digits = 0;

    for (; **text >= '0' && **text <= '9' && digits < 8; digits++)
        n = 10 * n + *(*text)++ - '0';
    return n;
}

/* Set the sizes of a square of P processors. */
static const char *fit_square(struct logp_topology *t)
{
    int side = 1;

    while ((side + 1) * (side + 1) <= t->P)
        side++;
    if (side * side != t->P)
        return "a square number of processors, or its sizes (as in :2x4 or :2x2x2)";
    t->dimensions = 2;
    t->grid[0].size = t->grid[1].size = side;
    set_grid(t);
    return NULL;
}

static const char *fit_grid(struct logp_topology *t, const char *sizes)
{
    int64_t P = 1;

    if (*sizes == '\0')
        return fit_square(t);
    do {
        int size;

        sizes++; /* the colon, or an x */
        size = read_size(&sizes);
        if (size == 0 || t->dimensions == LPI_MOST_SIZES)
            return "its sizes, 1 to 24 of them, with an x between (as in :2x4 or :2x2x2)";
        t->grid[t->dimensions++].size = size;
        P = P * size <= LOGP_MAX_PROCESSORS ? P * size : 0; /* 0: too many, and it stays 0 */
    } while (*sizes == 'x');
    if (*sizes != '\0')
        return "its sizes, 1 to 24 of them, with an x between (as in :2x4 or :2x2x2)";
    if (P != t->P)
        return "as many processors as the product of its sizes";
    set_grid(t);
    return NULL;
}

/* ---- hypercube: node v has a link for each bit, with number v x dimensions + bit ---- */

static const char *fit_cube(struct logp_topology *t, const char *sizes)
{
    if (*sizes != '\0')
        return "no sizes";
    if ((t->P & (t->P - 1)) != 0)
        return "a power of two as the number of processors";
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
 * Places are in heap order: 1 is the topmost switch, 2i and 2i+1 are below i, and the processors
 * are the last P. The link up from place i >= 2 has number i-2, the link down to it 2P-2 + i-2. */

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
    if (last >> levels == place) { /* dst is below this switch */
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

/* ---- fat tree ----
 * A rank has h digits; digit d is its place in grid dimension h - 1 - d, so digit 0 counts the
 * processors of a leaf switch. A switch of level l = 1 .. h has the number of a rank without digit
 * l - 1. Its digits from l on are those of the processors below it; its other digits distinguish
 * the switches above the same processors. Below the top it has as many links up as down. The way up
 * from level l fills in digit l - 1 of the destination, so that messages to one processor share
 * links, and messages to different processors spread (D-mod-k). With that digit its number is a
 * rank: the link up has number l P + rank, the link down h P more.
 * Source: Oehring, Ibel, Das, Kumar, On Generalized Fat Trees, 1995, with w[l + 1] = m[l]; D-mod-k:
 * Zahavi, 2010. */

static const struct lpi_dimension *level_of(const struct logp_topology *t, int l)
{
    return &t->grid[t->dimensions - l]; /* its digit is l - 1 */
}

/* A rank without this digit. */
static int without(const struct lpi_dimension *d, int rank)
{
    return rank / (d->stride * d->size) * d->stride + rank % d->stride;
}

static int with(const struct lpi_dimension *d, int rest, int digit)
{
    return (rest / d->stride * d->size + digit) * d->stride + rest % d->stride;
}

/* The level of a node, 0 of a processor, and its number there. */
static int fat_level(const struct logp_topology *t, int node, int *number)
{
    int l = 0, n = t->P;

    for (*number = node; *number >= n; n = t->P / level_of(t, l)->size) {
        *number -= n;
        l++;
    }
    return l;
}

static int fat_node(const struct logp_topology *t, int l, int number)
{
    int node = l > 0 ? t->P : 0;

    for (int i = 1; i < l; i++)
        node += t->P / level_of(t, i)->size;
    return node + number;
}

static const char *fit_fat_tree(struct logp_topology *t, const char *sizes)
{
    const char *needs = fit_grid(t, sizes);

    t->n_links = 2 * t->dimensions * t->P;
    return needs;
}

/* The lowest level at which one switch is above the processors a and b; 0: a == b */
static int fat_meet(const struct logp_topology *t, int a, int b)
{
    int l = t->dimensions;

    while (l > 0 && place_in(level_of(t, l), a) == place_in(level_of(t, l), b))
        l--;
    return l;
}

static int fat_next(const struct logp_topology *t, int *node, int dst)
{
    int number, rank;
    const int l = fat_level(t, *node, &number);
    /* of any processor below the node */
    const int below = l == 0 ? number : with(level_of(t, l), number, 0);

    rank = l == 0 ? number : with(level_of(t, l), number, place_in(level_of(t, l), dst));
    if (l == 0 && number == dst)
        return -1;
    if (l > 0 && fat_meet(t, below, dst) <= l) {
        *node = fat_node(t, l - 1, l == 1 ? rank : without(level_of(t, l - 1), rank));
        return (t->dimensions + l - 1) * t->P + rank;
    }
    *node = fat_node(t, l + 1, without(level_of(t, l + 1), rank));
    return l * t->P + rank;
}

static int fat_hops(const struct logp_topology *t, int src, int dst)
{
    return 2 * fat_meet(t, src, dst);
}

static void fat_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    const int ups = t->dimensions * t->P, up = link % ups, l = up / t->P, rank = up % t->P;
    const int low = fat_node(t, l, l == 0 ? rank : without(level_of(t, l), rank));
    const int high = fat_node(t, l + 1, without(level_of(t, l + 1), rank));

    *from = link < ups ? low : high;
    *to = link < ups ? high : low;
}

/* ---- dragonfly ----
 * Groups, routers of a group and processors of a router are the grid's dimensions 0, 1, 2. The
 * routers of a group are all linked, and one link joins any two groups. The links from a group to
 * the others are in the order of the groups; each router has the next `ports` of them. A message goes to the router that
 * has the link, over it, and to its destination (minimal routing). Links: up from the processors,
 * down to them, within the groups, between them.
 * Source: Kim, Dally, Scott, Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, 2008. */

struct dragonfly {
    int groups, routers, processors;
    int ports;         /* links to other groups of a router */
    int local, global; /* the first links within and between groups */
};

static struct dragonfly dragonfly_of(const struct logp_topology *t)
{
    const int G = t->grid[0].size, a = t->grid[1].size;

    return (struct dragonfly){.groups = G,
                              .routers = a,
                              .processors = t->grid[2].size,
                              .ports = G > 1 ? (G - 2) / a + 1 : 1,
                              .local = 2 * t->P,
                              .global = 2 * t->P + G * a * (a - 1)};
}

static const char *fit_dragonfly(struct logp_topology *t, const char *sizes)
{
    const char *const form =
        "its groups, routers of a group and processors of a router (as in :5x2x2)";
    const char *needs = *sizes != '\0' ? fit_grid(t, sizes) : form;
    int64_t links;

    if (needs != NULL || t->dimensions != 3)
        return needs != NULL ? needs : form;
    links = 2 * (int64_t)t->P + (int64_t)t->grid[0].size * t->grid[1].size * (t->grid[1].size - 1) +
            (int64_t)t->grid[0].size * (t->grid[0].size - 1);
    if (links > INT32_MAX)
        return "at most 2147483647 links";
    t->n_links = (int)links;
    return NULL;
}

/* The place of `other` in the list of all but self. */
static int among_others(int self, int other)
{
    return other < self ? other : other - 1;
}

/* The router of group `from` that has the link to group `to`. */
static int gateway(const struct dragonfly *d, int from, int to)
{
    return among_others(from, to) / d->ports;
}

static int local_link(const struct dragonfly *d, int group, int from, int to)
{
    return d->local + (group * d->routers + from) * (d->routers - 1) + among_others(from, to);
}

static int dragonfly_next(const struct logp_topology *t, int *node, int dst)
{
    const struct dragonfly d = dragonfly_of(t);
    const int last = dst / d.processors, to = last / d.routers, at = *node - t->P;
    int group, router, wanted;

    if (*node == dst)
        return -1;
    if (*node < t->P) {
        *node = t->P + *node / d.processors;
        return at + t->P; /* the processor's own */
    }
    group = at / d.routers;
    router = at % d.routers;
    if (at == last) {
        *node = dst;
        return t->P + dst;
    }
    wanted = group == to ? last % d.routers : gateway(&d, group, to);
    if (router != wanted) {
        *node = t->P + group * d.routers + wanted;
        return local_link(&d, group, router, wanted);
    }
    *node = t->P + to * d.routers + gateway(&d, to, group);
    return d.global + group * (d.groups - 1) + among_others(group, to);
}

static int dragonfly_hops(const struct logp_topology *t, int src, int dst)
{
    const struct dragonfly d = dragonfly_of(t);
    const int a = src / d.processors, b = dst / d.processors;
    const int from = a / d.routers, to = b / d.routers;

    if (from == to)
        return src == dst ? 0 : a == b ? 2 : 3;
    return 3 + (a % d.routers != gateway(&d, from, to)) + (b % d.routers != gateway(&d, to, from));
}

static void dragonfly_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    const struct dragonfly d = dragonfly_of(t);
    const int per_group = d.routers * (d.routers - 1);
    int group, self, other;

    if (link < d.local) {
        const int p = link % t->P, router = t->P + p / d.processors;

        *from = link < t->P ? p : router;
        *to = link < t->P ? router : p;
    } else if (link < d.global) {
        group = (link - d.local) / per_group;
        self = (link - d.local) % per_group / (d.routers - 1);
        other = (link - d.local) % (d.routers - 1);
        *from = t->P + group * d.routers + self;
        *to = t->P + group * d.routers + other + (other >= self);
    } else {
        self = (link - d.global) / (d.groups - 1);
        other = (link - d.global) % (d.groups - 1);
        other += other >= self;
        *from = t->P + self * d.routers + gateway(&d, self, other);
        *to = t->P + other * d.routers + gateway(&d, other, self);
    }
}

const struct lpi_network lpi_network_line = {false,     false,     fit_row,
                                             grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_ring = {true, false, fit_row, grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_mesh = {false,     true,      fit_grid,
                                             grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_torus = {true,      true,      fit_grid,
                                              grid_next, grid_hops, grid_ends};
const struct lpi_network lpi_network_cube = {false,     false,     fit_cube,
                                             cube_next, cube_hops, cube_ends};
const struct lpi_network lpi_network_tree = {false,     false,     fit_tree,
                                             tree_next, tree_hops, tree_ends};
const struct lpi_network lpi_network_fat_tree = {false,    false,    fit_fat_tree,
                                                 fat_next, fat_hops, fat_ends};
const struct lpi_network lpi_network_dragonfly = {false,          false,          fit_dragonfly,
                                                  dragonfly_next, dragonfly_hops, dragonfly_ends};
