/* SPDX-License-Identifier: MIT */
/*
 * Two trees, each of all p = P - 1 processors but the root, which hands them the two halves of the
 * data in turn. The first tree has its processors 1 .. p in order:
 *
 *              4                   a number of lowest bit b has b / 2 less on its left, and on its
 *        2           6             right b / 2 more, or b / 4, ..., the first that there is; odd
 *     1     3     5                ones are leaves
 *
 * The second is its mirror image, p + 1 - v for v, so that each processor is a leaf in one of the
 * two. An odd p is a leaf in both: of an even number the last and, backwards, the first lack a
 * child.
 *
 * Time goes in steps, in which each processor sends at most one segment and receives at most one.
 * Messages to and from a processor are of two colours, one in even steps, one in odd ones: messages
 * along the two trees arrive in different colours, and those to two children leave in different
 * ones. With q = p - p mod 2, an even processor's colour in the first tree is its parent's if q / 2
 * is odd and it is the left child, or q / 2 is even and it is the right one; an odd one has the
 * colour of its mirror image; and the second tree has the other colours at mirrored places. A
 * processor that has a segment in a step sends it on in the next step of the right colour, so that
 * a tree of height h is full after 2 h steps, and has then passed on one segment in every two.
 *
 * Under LogP a message travels for L: it is received `lag` steps after it is sent. `lag` is even,
 * and so large that no processor waits for a message.
 * Source: Sanders, Speck, Traeff, Parallel Computing 35(12), 2009, but for the lag.
 */
#include "collective/collective.h"

#include <errno.h>
#include <stdlib.h>

/* ---- halves and segments ---- */

int64_t lpi_segment_begin(const struct lpi_halves *h, int half, int64_t i)
{
    return lpi_part_begin(h->whole, 2 * h->n, half * h->n + i);
}

struct lpi_halves lpi_halves_of(int64_t whole, int64_t size)
{
    const int64_t half = whole / 2 + whole % 2;

    return (struct lpi_halves){whole, size > 0 ? lpi_ceil_div(half, size) : 1};
}

/* ---- the first tree ---- */

static int root_of(int p)
{
    return 1 << (31 - __builtin_clz((unsigned)p));
}

static int parent_of(int p, int v)
{
    const int bit = v & -v, up = (v ^ bit) | 2 * bit;

    return up <= p ? up : v ^ bit;
}

static int left_of(int v)
{
    return v % 2 == 0 ? v - (v & -v) / 2 : 0;
}

static int right_of(int p, int v)
{
    for (int h = (v & -v) / 2; h > 0; h /= 2)
        if (v + h <= p)
            return v + h;
    return 0;
}

static int mirrored(int p, int v)
{
    const int q = p - p % 2;

    return v <= q ? q + 1 - v : v;
}

static int colour(int p, int v)
{
    const int q = p - p % 2;
    int x = 0;

    if (v % 2 == 1 && v > q)
        return v == 1 ? 0 : 1 - colour(p, left_of(q)); /* unlike its sibling */
    for (v = v % 2 == 1 ? q + 1 - v : v; v != root_of(p); v = parent_of(p, v))
        x ^= q / 2 % 2 ^ (parent_of(p, v) > v);
    return x;
}

/* The step in which v has the first segment, that of half `half`. */
static int64_t step_of(int p, int v, int half, int64_t lag)
{
    int64_t parents;

    if (v == root_of(p))
        return half + lag;
    parents = step_of(p, parent_of(p, v), half, lag);
    return parents + lag + (parents % 2 != (colour(p, v) ^ half) ? 1 : 2);
}

/* ---- steps ---- */

struct lpi_hop lpi_hop_of(const struct logp_params *p, size_t n_bytes, int64_t combine_ns)
{
    const int64_t busy = p->o_send_ns + p->o_recv_ns + combine_ns;

    return (struct lpi_hop){.busy = busy,
                            .step = lpi_max(busy, logp_params_gap_ns(p, n_bytes)),
                            .flight = p->L_ns + logp_params_stream_ns(p, n_bytes)};
}

/* Height of the trees. */
static int height_of(int64_t P)
{
    return 63 - __builtin_clzll((uint64_t)P - 1);
}

/* Where steps take no time: so that all comes in the order of the way that it has come. */
int64_t lpi_two_tree_lag(int64_t P, int64_t n, const struct lpi_hop *hop)
{
    const int64_t most = INT64_C(1) << 55; /* 62 of them do not overflow */
    const int64_t lag = hop->step > 0 ? lpi_ceil_div(lpi_ceil_div(hop->flight, hop->step), 2)
                                      : n + height_of(P) + 1;

    return lag < most / 2 ? 2 * lag : most;
}

/*
 * The last segment sets out in step 2 n - 1, comes to the first processor of its tree, and is on
 * each edge below for up to two steps and the flight. If all begin to send in a step when that many
 * steps have passed, and receive after that, none waits.
 */
__int128 lpi_two_tree_time(int64_t P, int64_t n, const struct lpi_hop *hop)
{
    const int height = height_of(P);
    const __int128 lag = (__int128)lpi_two_tree_lag(P, n, hop) * hop->step;

    return (2 * ((__int128)height + n) - 1) * hop->step +
           (height + 1) * lpi_later(lag, hop->flight) + hop->busy;
}

struct choice {
    int64_t P;
    const struct logp_invocation *c;
    struct lpi_hop (*hop_of)(const struct logp_invocation *c, int64_t size);
};

/* The same, if the lag could be any part of a step. */
static __int128 least_time(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct lpi_hop hop = choice->hop_of(choice->c, size);
    const int height = height_of(choice->P);

    (void)last;
    return (2 * ((__int128)height + n) - 1) * hop.step + (height + 1) * (__int128)hop.flight +
           hop.busy;
}

int64_t
lpi_two_tree_segment(int64_t P, const struct logp_invocation *c, int64_t whole, int64_t asked,
                     struct lpi_hop (*hop_of)(const struct logp_invocation *c, int64_t size))
{
    const int64_t half = whole / 2 + whole % 2;

    if (asked > 0 || half == 0 || P == 1)
        return asked > 0 && asked < half ? asked : half;
    return lpi_best_part(half, least_time, &(struct choice){P, c, hop_of});
}

void lpi_two_tree_add(struct lpi_two_tree *t, struct lpi_stream s)
{
    int i = t->n_streams++;

    /* in even steps, then in odd ones; in each sends come first; of those the first that was added,
     * so that two processors agree on it */
    for (; i > 0 &&
           (t->streams[i - 1].start % 2 > s.start % 2 ||
            (t->streams[i - 1].start % 2 == s.start % 2 && s.sends && !t->streams[i - 1].sends));
         i--)
        t->streams[i] = t->streams[i - 1];
    t->streams[i] = s;
}

/* Paces change where streams begin and end: in order. */
void lpi_two_tree_end(struct lpi_two_tree *t)
{
    const int n = 2 * t->n_streams;
    int64_t pairs[2 * LPI_STREAMS];

    for (int i = 0, k; i < n; i++) {
        const int64_t pair = t->streams[i / 2].start / 2 + (i % 2) * t->halves.n;

        for (k = i; k > 0 && pairs[k - 1] > pair; k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = pair;
    }
    for (int i = 0; i < n; i++) {
        t->paces[i] = (struct lpi_pace){.pair = pairs[i]};
        for (int k = 0; k < t->n_streams; k++) {
            const int64_t steps = t->streams[k].steps;
            const int64_t done = pairs[i] - t->streams[k].start / 2;

            t->paces[i].before += steps * (done < 0 ? 0 : done < t->halves.n ? done : t->halves.n);
            t->paces[i].each += done >= 0 && done < t->halves.n ? steps : 0;
        }
    }
}

const struct lpi_stream *lpi_two_tree_at(const struct lpi_two_tree *t, int64_t i, int64_t *segment,
                                         int64_t *part)
{
    const struct lpi_pace *pace = &t->paces[2 * t->n_streams - 1];
    int64_t pair;

    *segment = i;
    if (t->n_streams == 0)
        return NULL;
    *segment = i - pace->before;
    if (i >= pace->before)
        return NULL;
    while (pace->before > i)
        pace--;
    pair = pace->pair + (i - pace->before) / pace->each;
    i = (i - pace->before) % pace->each;
    for (const struct lpi_stream *s = t->streams;; s++) {
        *segment = pair - s->start / 2;
        if (*segment < 0 || *segment >= t->halves.n)
            continue;
        *part = i;
        if (i < s->steps)
            return s;
        i -= s->steps;
    }
}

/* ---- nodes ---- */

int64_t lpi_two_tree_last(int p, int64_t lag)
{
    return 1 + lag + height_of(p + 1) * (2 + lag);
}

struct lpi_two_tree_node lpi_two_tree_node(int p, int v, int half, int64_t lag)
{
    const int at = half == 0 ? v : mirrored(p, v), bit = at & -at;
    const int above = at == root_of(p) ? 0 : parent_of(p, at);
    const int below[2] = {left_of(at), right_of(p, at)};
    struct lpi_two_tree_node node = {.above = half == 0 || above == 0 ? above : mirrored(p, above),
                                     .has = step_of(p, at, half, lag),
                                     .begins = at == bit,
                                     .ends = at + bit > p};

    for (int k = 0; k < 2; k++)
        if (below[k] != 0) {
            node.below[k] = half == 0 ? below[k] : mirrored(p, below[k]);
            node.sends[k] = node.has + (node.has % 2 != (colour(p, below[k]) ^ half) ? 1 : 2);
        }
    return node;
}

/* ---- plans ---- */

struct making {
    struct lpi_two_tree *t;
    int P, root;
    int64_t last; /* up: all goes backwards from this step; down: -1 */
};

/* Node v of the trees, 0 being the root, sends its half in that step, or receives it; downwards. */
static void add(const struct making *m, bool sends, int64_t step, int peer, int half, bool first,
                bool leaf)
{
    const bool up = m->last >= 0;

    lpi_two_tree_add(m->t, (struct lpi_stream){.start = up ? m->last - step : step,
                                               .peer = lpi_rotate(peer, m->root, m->P),
                                               .steps = up && sends ? 2 : 1,
                                               .sends = sends != up,
                                               .first = first,
                                               .leaf = leaf,
                                               .half = half});
}

/* Add node v in the tree of a half. On the way up, the last send becomes the first receive. */
static void add_tree(const struct making *m, int v, int half, int64_t lag)
{
    const struct lpi_two_tree_node node = lpi_two_tree_node(m->P - 1, v, half, lag);
    const bool has_both = node.below[0] != 0 && node.below[1] != 0;

    add(m, false, node.has, node.above, half, false, node.below[0] == 0 && node.below[1] == 0);
    for (int k = 0; k < 2; k++)
        if (node.below[k] != 0)
            add(m, true, node.sends[k], node.below[k], half,
                !has_both || node.sends[k] == node.has + 2, false);
}

int lpi_two_tree_plan(int P, int rank, struct logp_invocation *c, const struct lpi_halves *halves,
                      const struct lpi_hop *hop, bool down)
{
    const int v = lpi_virtual_rank(rank, c->args.root, P);
    const int64_t lag = P > 1 ? lpi_two_tree_lag(P, halves->n, hop) : 0;
    struct lpi_two_tree *t = calloc(1, sizeof(*t));
    struct making m = {.t = t, .P = P, .root = c->args.root, .last = -1};

    if (t == NULL)
        return -ENOMEM;
    c->plan.state = t;
    c->plan.early = true; /* the two trees cross */
    t->halves = *halves;
    if (P == 1)
        return 0;
    if (!down)
        m.last = lpi_two_tree_last(P - 1, lag);
    for (int half = 0; half < 2; half++)
        if (v > 0)
            add_tree(&m, v, half, lag);
        else
            add(&m, true, half, half == 0 ? root_of(P - 1) : mirrored(P - 1, root_of(P - 1)), half,
                true, false);
    lpi_two_tree_end(t);
    return 0;
}
