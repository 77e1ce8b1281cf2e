/* SPDX-License-Identifier: MIT */
/*
 * Broadcast of k pieces, each along an optimal tree, in which the other processors take turns.
 *
 * Time is in slots, as long as a send and a receive, and the gap of either: in a slot a processor
 * may send, at its beginning, and receive, until its end. A message is L slots under way. The root
 * sends each piece once, piece i in slot i, to the first node of the tree for L of the other P - 1
 * processors; its nodes with r children are each a block of r processors, of which piece i is sent
 * on by number i mod r, in the r slots that it has for that. All other times these are leaves of
 * the tree: the one that is j ahead of its turn, mod r, is the j-th leaf of its block; and one
 * processor is a leaf each time. So in r slots each gets r pieces.
 *
 * That is the block-cyclic schedule of Karp et al.; but they give leaves to blocks in such a way
 * that none gets two pieces in one slot, for those L and P for which they find one, and so end
 * after L + B(P - 1) + k - 1 slots, the least there is where the root sends each piece once. Here
 * leaves are given out one by one, and that may fail: where two pieces come in one slot, the
 * processor falls behind until it has a slot without a piece. Only the schedule shows how far;
 * there is no formula. Source: Karp, Sahay, Santos, Schauser, SPAA 1993, ch. 3.
 */
#include "broadcast.h"
#include "schedule/reader.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A rank plans the whole tree. */
enum { MOST_P = 4096 };

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P <= MOST_P ? NULL : "at most 4096 processors";
}

/* ---- slots ---- */

struct slots {
    int64_t pieces, bytes; /* of a piece, but the last */
    int64_t ns, L;         /* how long a slot is; slots of a message */
    int64_t T; /* when the last node of the tree has a piece, of the first node's time */
};

/* P >= 2. Where L is more than most_L it is that. */
static struct slots slots_of(int64_t P, const struct logp_invocation *c, int64_t bytes,
                             int64_t most_L)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, (size_t)bytes);
    const int64_t apart = lpi_max(t.E, logp_params_gap_ns(p, (size_t)bytes));
    struct slots s = {.pieces = bytes > 0 ? lpi_ceil_div(lpi_item_bytes(c), bytes) : 1,
                      .bytes = bytes,
                      .ns = lpi_max(lpi_max(apart, p->o_send_ns + p->o_recv_ns), 1)};
    struct logp_tree tree;

    s.L = lpi_max(lpi_ceil_div(t.D, s.ns), 1);
    s.L = s.L < most_L ? s.L : most_L;
    if (logp_tree_init(&tree, P - 1, s.L, 1) == 0)
        s.T = logp_tree_time(&tree);
    return s;
}

/* How many there are, if no processor falls behind. */
static int64_t number_of(const struct slots *s)
{
    return s->pieces + s->L + s->T;
}

/* Return the block size in bytes: as requested, but at most the item; by default that of 1, 2, 3,
 * 4, 6, 8, 12, ... pieces, the number that is fastest if no processor falls behind. */
static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    const int64_t M = lpi_item_bytes(c);
    int64_t best = M;
    __int128 least = -1;

    if (c->args.block_bytes > 0 || M == 0 || P == 1)
        return c->args.block_bytes > 0 && c->args.block_bytes < M ? c->args.block_bytes : M;
    for (int64_t n = 1; n <= M && n < INT64_MAX / 2;
         n += n == 1 || (n & (n - 1)) != 0 ? (n + 2) / 3 : n / 2) {
        const struct slots s = slots_of(P, c, lpi_ceil_div(M, n), INT64_MAX);
        const __int128 T = (__int128)number_of(&s) * s.ns;

        if (least < 0 || T < least) {
            best = s.bytes;
            least = T;
        }
    }
    return best;
}

LPI_ITEM_BLOCK(tried_block, block_bytes)

/* ---- the nodes of the tree ---- */

/* The processor that is a node for piece i: after the root, number first + (i - turn) mod r. */
struct owner {
    int first, r, turn;
};

struct node {
    int64_t
        label; /* the slot before which it has piece 0, if the first node has it before slot 0 */
    int parent, child, children; /* which child it is; how many it has */
    struct owner owner;
};

/* A receive of the pieces of one residue mod r, or the send of a piece: in every r-th slot. */
struct event {
    int slot;          /* of the first r */
    int64_t start;     /* receives: the slot before which piece 0 would come; -1: it is the send */
    struct owner from; /* r = 0: the root */
};

/* plan.state: the steps of a processor. */
struct turns {
    struct slots slots;
    struct owner top;     /* root: the node that it sends to */
    int r, turn, n_sends; /* it sends on pieces that are `turn` mod r */
    int64_t slot;         /* from this one on, if it were piece 0; */
    struct owner *to;     /* its children then */
    struct event *events; /* in order */
    int n_events;
};

static int mod(int64_t x, int r)
{
    const int64_t rest = x % r;

    return (int)(rest < 0 ? rest + r : rest);
}

static int64_t owner_rank(const struct owner *w, int64_t piece)
{
    return w->first + mod(piece - w->turn, w->r);
}

/* The tree of n nodes, as it grows slot by slot. */
static void grow(struct node *nodes, int n, int64_t L)
{
    int made = 1, first = 0;

    nodes[0] = (struct node){.parent = -1};
    for (int64_t slot = 0; made < n; slot++)
        for (int u = 0; u < made && made < n && nodes[u].label <= slot; u++)
            nodes[made++] =
                (struct node){.label = slot + L, .parent = u, .child = nodes[u].children++};
    for (int u = 0; u < n; first += nodes[u++].children)
        nodes[u].owner = (struct owner){first, nodes[u].children, 0};
}

/*
 * Of the leaves[0 .. n-1] one that comes to the `turn`-th of a block in a slot that is free: taken
 * from among them at even distances; if there is none, the first. It goes to the front.
 */
static int choose(const struct node *nodes, int *leaves, int n, int turn, int r, const char *taken)
{
    enum { TRIES = 16 };
    int at = 0, leaf;

    for (int i = 0; i < TRIES; i++) {
        const int here = (int)((int64_t)i * n / TRIES);

        if (!taken[mod(turn + nodes[leaves[here]].label, r)]) {
            at = here;
            break;
        }
    }
    leaf = leaves[at];
    leaves[at] = leaves[0];
    leaves[0] = leaf;
    return leaf;
}

/* Assign leaves to blocks. leaves: space for n integers; taken: n bytes */
static void assign(struct node *nodes, int n, int *leaves, char *taken)
{
    int left = 0;

    for (int u = 0; u < n; u++)
        if (nodes[u].children == 0)
            leaves[left++] = u;
    for (int u = 0; u < n && nodes[u].children > 0; u++) {
        const int r = nodes[u].children;

        memset(taken, 0, (size_t)r);
        taken[mod(nodes[u].label, r)] = true;
        for (int turn = 1; turn < r; turn++, leaves++, left--) {
            struct node *leaf = &nodes[choose(nodes, leaves, left, turn, r, taken)];

            leaf->owner = (struct owner){nodes[u].owner.first, r, turn};
            taken[mod(turn + leaf->label, r)] = true;
        }
    }
    nodes[leaves[0]].owner = (struct owner){n - 1, 1, 0};
}

/* List the events of processor x after the root, one of `owner`, in the order of slots: in each the
 * receives, first those of pieces that it sends on, then its send. */
static void take_turns(struct turns *t, const struct node *nodes, int n, int x, struct owner owner,
                       int *at)
{
    t->r = owner.r;
    t->turn = x - owner.first;
    for (int count = 1; count >= 0; count--) { /* how many in each slot, then where */
        for (int leaves = 0; leaves < 2; leaves++)
            for (int u = 0; u < n; u++) {
                const struct node *v = &nodes[u];
                const int64_t start = t->slots.L + v->label;
                const int slot = mod(t->turn + v->owner.turn + start, t->r);

                if (v->owner.first != owner.first || (v->children == 0) != (leaves == 1))
                    continue;
                t->n_sends += v->children > 0 && count == 1 ? v->children : 0;
                t->slot = v->children > 0 ? start : t->slot;
                if (count == 1)
                    at[slot + 1]++;
                else
                    t->events[at[slot]++] = (struct event){
                        slot, start,
                        v->parent >= 0 ? nodes[v->parent].owner : (struct owner){0, 0, 0}};
            }
        for (int slot = 0; slot < t->r && count == 1; slot++)
            at[slot + 1] += at[slot] + (t->n_sends > 0);
    }
    for (int slot = 0; slot < t->r && t->n_sends > 0; slot++)
        t->events[at[slot]] = (struct event){.slot = slot, .start = -1};
    t->n_events = t->r + (t->n_sends > 0 ? t->r : 0);
    for (int u = 1; u < n; u++)
        if (t->n_sends > 0 && nodes[nodes[u].parent].owner.first == owner.first)
            t->to[nodes[u].child] = nodes[u].owner;
}

/* From L = P + pieces on no processor receives as a leaf before it has sent all. */
static int plan(int P, int rank, struct logp_invocation *c)
{
    const int n = P - 1, x = lpi_virtual_rank(rank, c->args.root, P) - 1;
    const int64_t block = block_bytes(P, c);
    struct node *nodes = calloc((size_t)P, sizeof(*nodes));
    int *at = calloc((size_t)P + 1, sizeof(*at) + 1);
    char *taken = (char *)(at + P + 1);
    struct turns *t = calloc(1, sizeof(*t) + (size_t)P * (2 * sizeof(*t->events) + sizeof(*t->to)));
    int u = 0;

    if (t != NULL && nodes != NULL && at != NULL && P > 1) {
        t->events = (struct event *)(t + 1);
        t->to = (struct owner *)(t->events + 2 * P);
        t->slots =
            slots_of(P, c, block, block > 0 ? P + lpi_ceil_div(lpi_item_bytes(c), block) : P + 1);
        grow(nodes, n, t->slots.L);
        assign(nodes, n, at, taken);
        t->top = nodes[0].owner;
        while (x >= 0 && (x < nodes[u].owner.first || x >= nodes[u].owner.first + nodes[u].owner.r))
            u++;
        if (x >= 0)
            take_turns(t, nodes, n, x, nodes[u].owner, memset(at, 0, (size_t)P * sizeof(*at)));
    }
    c->plan.state = t;
    c->plan.early = true; /* items cross */
    if (nodes == NULL || at == NULL) {
        free(t);
        c->plan.state = NULL;
    }
    free(nodes);
    free(at);
    return c->plan.state != NULL ? 0 : -ENOMEM;
}

/* ---- steps ---- */

/* Which piece event e is in round `round` of r slots, and its source or destination. */
static int64_t piece_of(const struct turns *t, const struct event *e, int64_t round,
                        struct owner *peer)
{
    const int64_t slot = round * t->r + e->slot, since = slot - t->slot - t->turn;

    *peer = e->start < 0 ? t->to[mod(since, t->r)] : e->from;
    return e->start < 0 ? t->turn + since - mod(since, t->r) : slot - e->start;
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct turns *t = c->plan.state;
    const struct slots *s = &t->slots;
    const bool root = rank == c->args.root;
    const int64_t rounds = root ? s->pieces : number_of(s) / (t->r > 0 ? t->r : 1) + 1;
    const int64_t n_events = P == 1 ? 0 : root ? 1 : t->n_events;
    const struct event *e = root ? NULL : &t->events[i % t->n_events];
    struct owner peer = t->top;
    int64_t piece = i, to, begin, n;

    if (i >= rounds * n_events)
        return i == rounds * n_events && logp_step_compute(out, c->args.work_ns, 0);
    if (!root)
        piece = piece_of(t, e, i / n_events, &peer);
    if (piece < 0 || piece >= s->pieces)
        return logp_step_compute(out, 0, 0);
    to = lpi_mod((peer.r > 0 ? owner_rank(&peer, piece) + 1 : 0) + c->args.root, P);
    begin = piece * s->bytes;
    n = lpi_item_bytes(c) - begin < s->bytes ? lpi_item_bytes(c) - begin : s->bytes;
    return (root || e->start < 0 ? logp_step_send : logp_step_receive)(
        out, to, c->args.tag, LOGP_BUF, (size_t)begin, (size_t)n);
}

LPI_READER(run, steps)

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "k-item", "pieces along optimal trees, in turn",
                    "Karp et al. 1993"),
     .needs = needs, .plan = plan, .steps = steps, .run = run,
     .knobs = {LOGP_KNOB(block_bytes, tried_block), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_k_item = LPI_ROWS(algorithms);
