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
 * That is the block-cyclic schedule of Karp et al.: where no processor gets two pieces in one slot it
 * ends after L + B(P - 1) + k - 1 slots, the least there is where the root sends each piece once.
 * Leaves are chosen for that: the slots of a block differ for some order of its leaves if the sum of
 * all labels is 0 mod r. A few blocks at the end of the tree may lack such leaves. There a piece that
 * comes in a taken slot is received in the next free one: no rank waits for it, as it is not sent on.
 *
 * k-item-few: while a processor sends a piece on it receives few others if there are few at all. It
 * is then ready for its next send sooner than a slot later, and more of its sends go out before its
 * first child sends on. So L is as many of these sends as fit into a message, and slots are only an order.
 * There is no formula. Source: Karp, Sahay, Santos, Schauser, SPAA 1993, ch. 3.
 */
#include "k_item.h"
#include "broadcast.h"
#include "schedule/reader.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FEW = 8 };

/* A rank plans the whole tree. */
static const char *needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P <= LPI_TURNS_MOST_P ? NULL : "at most 4096 processors";
}

/* ---- slots ---- */

/* Of pieces; times in ns. */
struct slots {
    int64_t pieces;
    int64_t ns, D; /* how long a slot is, and a message; */
    int64_t apart; /* and what a message is compared with: as long, or for a few pieces a send */
    int64_t L;     /* slots of a message; */
    int64_t T;     /* when the last node has a piece, of the first node's time */
};

int64_t lpi_pieces_number(const struct lpi_pieces *p)
{
    return p->size > 0 ? lpi_ceil_div(p->total, p->size) : 1;
}

static struct slots slots_of(const struct logp_params *p, const struct lpi_pieces *pieces)
{
    const struct lpi_times t = lpi_times(p, pieces->n_bytes);
    const int64_t apart = lpi_max(t.E, logp_params_gap_ns(p, pieces->n_bytes));
    const int64_t busy = p->o_send_ns + p->o_recv_ns + pieces->work_ns;

    const int64_t ns = lpi_max(lpi_max(apart, busy), 1);

    return (struct slots){.pieces = lpi_pieces_number(pieces),
                          .ns = ns,
                          .D = t.D + pieces->work_ns,
                          .apart = pieces->few ? lpi_max(apart, 1) : ns};
}

/* How many there are, if no processor falls behind. */
static int64_t number_of(const struct slots *s)
{
    return s->pieces + s->L + s->T;
}

/* When the last node has a piece, if a message takes so long, of the first node's time. */
static int64_t reaches_all(int64_t P, int64_t D, int64_t ns)
{
    struct logp_tree tree;

    return logp_tree_init(&tree, P - 1, D, ns) == 0 ? logp_tree_time(&tree) : 0;
}

/* Twice the time if no processor falls behind: between that of the best tree for messages of D and of the
 * one for messages of whole slots, which is taken. P >= 2 */
static __int128 about(int64_t P, const struct slots *s)
{
    const int64_t D = lpi_max(lpi_ceil_div(s->D, s->apart), 1) * s->apart;

    return 2 * (__int128)(s->pieces - 1) * s->ns + s->D + D + reaches_all(P, s->D, s->apart) +
           reaches_all(P, D, s->apart);
}

/* The number of pieces that is tried after n; more than total: none */
static int64_t next_number(int64_t n, int64_t total)
{
    const int64_t more = 1 + n / 12;

    return n < total && more > total - n ? total : n + more;
}

int64_t lpi_turns_size(int64_t P, const struct logp_invocation *c, int64_t total, int64_t asked,
                       struct lpi_pieces (*of)(const struct logp_invocation *c, int64_t size))
{
    const struct logp_params *p = &c->model.params;
    int64_t best = total;
    __int128 least = -1;

    if (asked > 0 || total == 0 || P == 1)
        return asked > 0 && asked < total ? asked : total;
    for (int64_t n = 1; n <= total && n < INT64_MAX / 2; n = next_number(n, total)) {
        const struct lpi_pieces pieces = of(c, lpi_ceil_div(total, n));
        const struct slots s = slots_of(p, &pieces);
        __int128 T;

        if (pieces.few && n > MOST_FEW)
            break;
        if (least >= 0 && p->G_ps <= (__int128)p->g_ns * 1000 &&
            2 * (__int128)(s.pieces - 1) * s.ns >= least)
            break; /* more pieces only add to that */
        T = about(P, &s);
        if (least < 0 || T < least) {
            best = pieces.size;
            least = T;
        }
    }
    return best;
}

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

/* The steps of a processor. */
struct lpi_turns {
    struct slots slots;
    bool is_root;
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

/* The tree of n nodes, as it grows slot by slot. From L = P + pieces on no processor receives as a
 * leaf before it has sent all. */
static void grow(struct node *nodes, int n, struct slots *s)
{
    const int64_t L = lpi_max(lpi_ceil_div(s->D, s->apart), 1), most = n + 1 + s->pieces;
    int made = 1, first = 0;

    s->L = L < most ? L : most;
    nodes[0] = (struct node){.parent = -1};
    for (int64_t slot = 0; made < n; slot++)
        for (int u = 0; u < made && made < n && nodes[u].label <= slot; u++)
            nodes[made++] =
                (struct node){.label = slot + s->L, .parent = u, .child = nodes[u].children++};
    for (int u = 0; u < n; first += nodes[u++].children)
        nodes[u].owner = (struct owner){first, nodes[u].children, 0};
    s->T = nodes[n - 1].label;
}

/* Leaves that get a piece in the same slot: leaves[first .. first + left - 1], and how many of them a
 * block takes. */
struct alike {
    int64_t label;
    int first, left, taken;
};

/* Leaves by label, and space to give them to a block. */
struct leaves {
    int n_alike;
    struct alike alike[LPI_TURNS_MOST_P];
    int leaf[LPI_TURNS_MOST_P];
    int member[LPI_TURNS_MOST_P]; /* of a block: its node, and the leaves it takes */
    int start[LPI_TURNS_MOST_P], now[LPI_TURNS_MOST_P]; /* their labels, and those so far */
    int turn[LPI_TURNS_MOST_P], at[LPI_TURNS_MOST_P];   /* the member in a slot */
};

static void sort_leaves(struct leaves *x, const struct node *nodes, int n)
{
    int left = 0;

    x->n_alike = 0;
    for (int u = 0; u < n; u++) {
        if (nodes[u].children > 0)
            continue;
        if (x->n_alike == 0 || x->alike[x->n_alike - 1].label != nodes[u].label)
            x->alike[x->n_alike++] = (struct alike){nodes[u].label, left, 0, 0};
        x->alike[x->n_alike - 1].left++;
        x->leaf[left++] = u;
    }
}

/* Take a leaf that is `later` slots later instead of another. @return there is one */
static bool take_later(struct leaves *x, int later)
{
    for (int i = 0; i < x->n_alike; i++) {
        const int other = i + later; /* labels have few holes */

        if (x->alike[i].taken > 0 && other >= 0 && other < x->n_alike &&
            x->alike[other].label - x->alike[i].label == later &&
            x->alike[other].taken < x->alike[other].left) {
            x->alike[i].taken--;
            x->alike[other].taken++;
            return true;
        }
    }
    return false;
}

/* Choose r - 1 leaves for a node, a like share of all labels, such that the sum of the labels is a
 * multiple of r. @return what the sum lacks, if there are no such leaves */
static int choose(struct leaves *x, const struct node *node)
{
    enum { MOST_LATER = 32 };
    const int r = node->children;
    int64_t left = 0, so_far = 0;
    int taken = 0, lack = mod(-node->label, r);
    bool found = true;

    for (int i = 0; i < x->n_alike; i++)
        left += x->alike[i].left;
    for (int i = 0; i < x->n_alike; i++) {
        struct alike *a = &x->alike[i];

        so_far += a->left;
        a->taken = (int)(so_far * (r - 1) / left) - taken;
        taken += a->taken;
        lack = mod(lack - a->taken * (a->label % r), r);
    }
    while (lack > 0 && found) {
        int later = lack < MOST_LATER ? lack : MOST_LATER;

        while (later > 0 && !take_later(x, later))
            later--;
        found = later > 0;
        lack -= later;
    }
    return lack > 0 && take_later(x, lack - r) ? 0 : lack;
}

/*
 * Give the r members of a block turns such that turn + label differ mod r, which is possible if the
 * sum of labels is 0 mod r: beginning with labels 0, one label after the other is put right, and the
 * next one keeps the sum. Of these two the first takes a turn that is free; if another member has
 * that slot, it loses it, and takes the other free turn, and so on.
 * Source: Hall, A combinatorial problem on abelian groups, Proc. AMS 3, 1952.
 */
static void give_turns(struct leaves *x, int r)
{
    int *turn = x->turn, *now = x->now, *at = x->at;

    for (int i = 0; i < r; i++) {
        turn[i] = at[i] = i;
        now[i] = 0;
    }
    for (int i = 0; i + 1 < r; i++) {
        int p = turn[i], q = turn[i + 1], who = i;

        at[mod(p + now[i], r)] = at[mod(q + now[i + 1], r)] = -1;
        now[i + 1] = mod(now[i + 1] + now[i] - x->start[i], r);
        now[i] = x->start[i];
        for (int tries = 0; who >= 0 && tries < 4 * r; tries++) {
            const int slot = mod(p + now[who], r), other = at[slot];

            turn[who] = p;
            at[slot] = who;
            who = other;
            if (who >= 0) {
                p = q;
                q = turn[who];
            }
        }
        if (who >= 0)
            turn[who] = p;
        turn[i + 1] = q;
        at[mod(q + now[i + 1], r)] = i + 1;
    }
}

/* Assign leaves to blocks; the last one is a block. */
static void assign(struct node *nodes, int n, struct leaves *x)
{
    sort_leaves(x, nodes, n);
    for (int u = 0; u < n && nodes[u].children > 0; u++) {
        const int r = nodes[u].children, lack = choose(x, &nodes[u]);
        int size = 0;

        x->member[size++] = u;
        for (int i = 0; i < x->n_alike; i++) {
            struct alike *a = &x->alike[i];

            for (; a->taken > 0; a->taken--)
                x->member[size++] = x->leaf[a->first + --a->left];
        }
        for (int i = 0; i < r; i++)
            x->start[i] = mod(nodes[x->member[i]].label, r);
        x->start[r - 1] = mod(x->start[r - 1] + lack, r);
        give_turns(x, r);
        for (int i = 1; i < r; i++)
            nodes[x->member[i]].owner =
                (struct owner){nodes[u].owner.first, r, mod(x->turn[i] - x->turn[0], r)};
    }
    for (int i = 0; i < x->n_alike; i++)
        if (x->alike[i].left > 0)
            nodes[x->leaf[x->alike[i].first]].owner = (struct owner){n - 1, 1, 0};
}

/* The tree of all ranks; the plans of all ranks ask for the same. */
struct tree {
    int n;
    struct slots slots;
    struct node nodes[LPI_TURNS_MOST_P];
    int member
        [LPI_TURNS_MOST_P]; /* by block, its node and then its leaves, in the order of turns */
    struct leaves leaves;   /* while it is made */
};

/* slots: without L and T */
static void make_tree(struct tree *tree, int n, const struct slots *slots)
{
    tree->n = n;
    tree->slots = *slots;
    grow(tree->nodes, n, &tree->slots);
    assign(tree->nodes, n, &tree->leaves);
    for (int u = 0; u < n; u++)
        tree->member[tree->nodes[u].owner.first + tree->nodes[u].owner.turn] = u;
}

static bool is_for(const struct tree *tree, int n, const struct slots *s)
{
    return tree->n == n && tree->slots.pieces == s->pieces && tree->slots.ns == s->ns &&
           tree->slots.D == s->D && tree->slots.apart == s->apart;
}

static struct {
    atomic_flag in_use;
    struct tree tree;
} kept = {.in_use = ATOMIC_FLAG_INIT};

/* Return the kept tree, or one in *own, if another thread uses that; to be given back. NULL: no memory */
static const struct tree *take_tree(int n, const struct slots *slots, struct tree **own)
{
    *own = NULL;
    /* acquire: pairs with the release in give_back() */
    if (!atomic_flag_test_and_set_explicit(&kept.in_use, memory_order_acquire)) {
        if (!is_for(&kept.tree, n, slots))
            make_tree(&kept.tree, n, slots);
        return &kept.tree;
    }
    *own = malloc(sizeof(**own));
    if (*own != NULL)
        make_tree(*own, n, slots);
    return *own;
}

static void give_back(struct tree *own)
{
    free(own);
    /* release: pairs with the acquire in take_tree() */
    if (own == NULL)
        atomic_flag_clear_explicit(&kept.in_use, memory_order_release);
}

/* The receives of a member of a block: of each of its nodes, first of the one that sends on. */
struct receipt {
    int slot;
    int64_t start;
    struct owner from;
};

/* Whether a receive can come `later` slots later: no other from the same block comes in between. */
static bool can_wait(const struct receipt *in, int r, int i, int later)
{
    for (int j = 0; j < r; j++)
        if (j != i && in[j].from.first == in[i].from.first &&
            mod(in[j].slot - in[i].slot, r) <= later)
            return false;
    return true;
}

/* Of two receives in one slot let one wait for a slot without any: else the receives after it, and the
 * sends, are late, too. many: how many come in a slot */
static void spread(struct receipt *in, int r, int *many)
{
    memset(many, 0, (size_t)r * sizeof(*many));
    for (int i = 0; i < r; i++)
        many[in[i].slot]++;
    for (int i = r - 1; i > 0; i--) {
        int later = 1;

        if (many[in[i].slot] < 2)
            continue;
        while (many[mod(in[i].slot + later, r)] > 0)
            later++;
        if (!can_wait(in, r, i, later))
            continue;
        many[in[i].slot]--;
        in[i].slot = mod(in[i].slot + later, r);
        in[i].start += later;
        many[in[i].slot]++;
    }
}

static int by_slot(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->slot != y->slot)
        return x->slot - y->slot;
    return (x->start < 0) - (y->start < 0); /* the send comes last */
}

/* List the events of processor x after the root, one of `owner`, in the order of slots: in each the
 * receives, then its send. in, many: space for r */
static void take_turns(struct lpi_turns *t, const struct tree *tree, int x, struct owner owner,
                       struct receipt *in, int *many)
{
    const int top = tree->member[owner.first];

    t->r = owner.r;
    t->turn = x - owner.first;
    for (int i = 0; i < owner.r; i++) {
        const struct node *v = &tree->nodes[tree->member[owner.first + i]];
        const int64_t start = t->slots.L + v->label;

        in[i] = (struct receipt){mod(t->turn + v->owner.turn + start, t->r), start,
                                 v->parent >= 0 ? tree->nodes[v->parent].owner
                                                : (struct owner){-1, 0, 0}};
    }
    t->n_sends = tree->nodes[top].children;
    t->slot = t->slots.L + tree->nodes[top].label;
    spread(in, t->r, many);
    for (int i = 0; i < t->r; i++)
        t->events[t->n_events++] = (struct event){in[i].slot, in[i].start, in[i].from};
    for (int slot = 0; slot < t->r && t->n_sends > 0; slot++)
        t->events[t->n_events++] = (struct event){.slot = slot, .start = -1};
    qsort(t->events, (size_t)t->n_events, sizeof(*t->events), by_slot);
    for (int u = 1; u < tree->n && t->n_sends > 0; u++)
        if (tree->nodes[u].parent == top)
            t->to[tree->nodes[u].child] = tree->nodes[u].owner;
}

/* The turns of processor x after the root, -1: the root's; tree: NULL, there are no others. NULL: no memory */
static struct lpi_turns *make_turns(const struct tree *tree, int x, const struct slots *slots)
{
    int u = 0;
    struct owner owner = {0, 0, 0};
    struct lpi_turns *t;
    struct receipt *in;
    size_t n_children;

    while (x >= 0 && (x < tree->nodes[u].owner.first ||
                      x >= tree->nodes[u].owner.first + tree->nodes[u].owner.r))
        u++;
    if (x >= 0)
        owner = tree->nodes[u].owner;
    n_children = x >= 0 ? (size_t)tree->nodes[u].children : 0;
    t = calloc(1,
               sizeof(*t) + 2 * (size_t)owner.r * sizeof(*t->events) + n_children * sizeof(*t->to));
    in = malloc((size_t)(owner.r + 1) * (sizeof(*in) + sizeof(int)));
    if (t != NULL && in != NULL) {
        t->is_root = x < 0;
        t->slots = *slots;
        t->events = (struct event *)(t + 1);
        t->to = (struct owner *)(t->events + 2 * owner.r);
        t->n_events = x < 0 && tree != NULL;
        if (tree != NULL)
            t->top = tree->nodes[0].owner;
        if (x >= 0)
            take_turns(t, tree, x, owner, in, (int *)(in + owner.r));
    }
    if (in == NULL) {
        free(t);
        t = NULL;
    }
    free(in);
    return t;
}

struct lpi_turns *lpi_turns_create(int P, int64_t v, const struct logp_params *p,
                                   const struct lpi_pieces *pieces)
{
    const int n = P - 1, x = (int)v - 1;
    const struct tree *tree = NULL;
    struct tree *own = NULL;
    struct lpi_turns *t = NULL;
    struct slots slots = slots_of(p, pieces);

    if (P > 1) {
        tree = take_tree(n, &slots, &own);
        if (tree == NULL)
            return NULL;
        slots = tree->slots;
    }
    t = make_turns(tree, x, &slots);
    if (tree != NULL)
        give_back(own);
    return t;
}

/* Which piece event e is in round `round` of r slots, and its source or destination. */
static int64_t piece_of(const struct lpi_turns *t, const struct event *e, int64_t round,
                        struct owner *peer)
{
    const int64_t slot = round * t->r + e->slot, since = slot - t->slot - t->turn;

    *peer = e->start < 0 ? t->to[mod(since, t->r)] : e->from;
    return e->start < 0 ? t->turn + since - mod(since, t->r) : slot - e->start;
}

int64_t lpi_turns_number(const struct lpi_turns *t)
{
    return t->n_events *
           (t->is_root ? t->slots.pieces : number_of(&t->slots) / (t->r > 0 ? t->r : 1) + 2);
}

struct lpi_turn lpi_turns_at(const struct lpi_turns *t, int64_t i)
{
    struct owner peer = t->top;
    struct lpi_turn turn = {.sends = true, .piece = i};

    if (!t->is_root) {
        const struct event *e = &t->events[i % t->n_events];

        turn.sends = e->start < 0;
        turn.piece = piece_of(t, e, i / t->n_events, &peer);
    }
    turn.acts = turn.piece >= 0 && turn.piece < t->slots.pieces;
    if (turn.acts)
        turn.peer = peer.r > 0 ? owner_rank(&peer, turn.piece) + 1 : 0;
    return turn;
}

/* ---- the broadcast ---- */

static struct lpi_pieces pieces_of(const struct logp_invocation *c, int64_t block)
{
    return (struct lpi_pieces){.total = lpi_item_bytes(c), .size = block, .n_bytes = (size_t)block};
}

static struct lpi_pieces few_of(const struct logp_invocation *c, int64_t block)
{
    struct lpi_pieces pieces = pieces_of(c, block);

    pieces.few = true;
    return pieces;
}

static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_turns_size(P, c, lpi_item_bytes(c), c->args.block_bytes, pieces_of);
}

static int64_t few_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_turns_size(P, c, lpi_item_bytes(c), c->args.block_bytes, few_of);
}

LPI_ITEM_BLOCK(tried_block, block_bytes)
LPI_ITEM_BLOCK(tried_few, few_bytes)

static int plan_pieces(int P, int rank, struct logp_invocation *c, const struct lpi_pieces *pieces)
{
    c->plan.state =
        lpi_turns_create(P, lpi_virtual_rank(rank, c->args.root, P), &c->model.params, pieces);
    c->plan.block = pieces->size;
    c->plan.early = true; /* items cross */
    return c->plan.state != NULL ? 0 : -ENOMEM;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_pieces pieces = pieces_of(c, block_bytes(P, c));

    return plan_pieces(P, rank, c, &pieces);
}

static int few_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_pieces pieces = few_of(c, few_bytes(P, c));

    return plan_pieces(P, rank, c, &pieces);
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_turns *t = c->plan.state;
    const int64_t number = lpi_turns_number(t);
    struct lpi_turn turn;
    int64_t begin, n;

    (void)rank;
    if (i >= number)
        return i == number && logp_step_compute(out, c->args.work_ns, 0);
    turn = lpi_turns_at(t, i);
    if (!turn.acts)
        return logp_step_compute(out, 0, 0);
    begin = turn.piece * c->plan.block;
    n = lpi_item_bytes(c) - begin < c->plan.block ? lpi_item_bytes(c) - begin : c->plan.block;
    return (turn.sends ? logp_step_send : logp_step_receive)(
        out, lpi_mod(turn.peer + c->args.root, P), c->args.tag, LOGP_BUF, (size_t)begin, (size_t)n);
}

LPI_READER(run, steps)

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "k-item", "pieces along optimal trees, in turn",
                    "Karp et al. 1993"),
     .needs = needs, .plan = plan, .steps = steps, .run = run,
     .knobs = {LOGP_KNOB(block_bytes, tried_block), LOGP_KNOB(work_ns, NULL)}},
    {LOGP_ALGORITHM("broadcast", "k-item-few", "k-item for a few pieces, on trees with more sends",
                    "this library"),
     .needs = needs, .plan = few_plan, .steps = steps, .run = run,
     .knobs = {LOGP_KNOB(block_bytes, tried_few), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_k_item = LPI_ROWS(algorithms);
