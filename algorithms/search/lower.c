/* SPDX-License-Identifier: MIT */
/*
 * Moves of items as steps with data, and trees of steps as moves.
 *
 * Each rank has an area where item i has its place, cut_at(i): a buffer of the collective, or
 * scratch. Items of a message that are not neighbours are copied to a staging space after the area,
 * which costs nothing. Backwards every send becomes a receive, whose items are combined with those
 * of the area, and the order of a rank's acts is turned round: items that a rank received before it
 * sent them are then sent after all of them have come.
 */
#include "collective/collective.h"
#include "search/search.h"

#include <errno.h>
#include <stdlib.h>

/* ---- where things are ---- */

static size_t cut_at(const struct lpi_cut *cut, int i)
{
    const int64_t units = cut->unit > 0 ? (int64_t)(cut->whole / cut->unit) : 0;

    return (size_t)lpi_part_begin(units, cut->n_items, i) * cut->unit;
}

struct lower {
    const struct lpi_cut *cut;
    const struct logp_invocation *c;
    struct lpi_draft *out;
    int P;
    size_t staging; /* where that begins in scratch */
    /* by move: its items; of a tree those that go along it */
    const int **items;
    int *n_items, *pool;
};

static bool is_root(const struct lower *l, int rank)
{
    return rank == l->c->args.root;
}

static enum logp_buffer area_of(const struct lower *l, int rank)
{
    switch (l->cut->how) {
    case LPI_LOWER_SCATTER:
        return is_root(l, rank) ? LOGP_BUF : LOGP_SCRATCH;
    case LPI_LOWER_REDUCE:
    case LPI_LOWER_GATHER:
        return is_root(l, rank) ? LOGP_RECV_BUF : LOGP_SCRATCH;
    case LPI_LOWER_ALLGATHER:
    case LPI_LOWER_ALLREDUCE:
        return LOGP_RECV_BUF;
    case LPI_LOWER_REDUCE_SCATTER:
        return LOGP_SCRATCH;
    case LPI_LOWER_NONE:
    case LPI_LOWER_BROADCAST:
    case LPI_LOWER_ALLTOALL:
    case LPI_LOWER_BARRIER:
        break;
    }
    return LOGP_BUF;
}

static void copy(struct lower *l, int rank, struct logp_buffer_ref to, struct logp_buffer_ref from,
                 size_t n_bytes)
{
    if (n_bytes > 0)
        logp_step_copy(lpi_draft_add(l->out, rank), to, from, n_bytes);
}

/* The items of a message from the i-th on that lie side by side. @return how many */
static int run_of(const int *items, int n, int i)
{
    int k = i + 1;

    while (k < n && items[k] == items[k - 1] + 1)
        k++;
    return k - i;
}

static size_t run_bytes(const struct lower *l, const int *items, int n)
{
    return cut_at(l->cut, items[n - 1] + 1) - cut_at(l->cut, items[0]);
}

static size_t all_bytes(const struct lower *l, const int *items, int n)
{
    size_t bytes = 0;

    for (int i = 0, k; i < n; i += k) {
        k = run_of(items, n, i);
        bytes += run_bytes(l, &items[i], k);
    }
    return bytes;
}

/* ---- messages ---- */

/* Copy items from the area to the staging space, without gaps between them; back: the other way. */
static void pack(struct lower *l, int rank, const int *items, int n, bool back)
{
    struct logp_buffer_ref there = {LOGP_SCRATCH, l->staging};

    for (int i = 0, k; i < n; i += k) {
        struct logp_buffer_ref here = {area_of(l, rank), cut_at(l->cut, items[i])};
        size_t bytes;

        k = run_of(items, n, i);
        bytes = run_bytes(l, &items[i], k);
        copy(l, rank, back ? here : there, back ? there : here, bytes);
        there.offset += bytes;
    }
}

static void combine(struct lower *l, int rank, const int *items, int n)
{
    const size_t element = lpi_element_bytes(l->c);
    struct logp_buffer_ref from = {LOGP_SCRATCH, l->staging};

    for (int i = 0, k; i < n; i += k) {
        const struct logp_buffer_ref at = {area_of(l, rank), cut_at(l->cut, items[i])};
        struct logp_step *s;
        size_t bytes;

        k = run_of(items, n, i);
        bytes = run_bytes(l, &items[i], k);
        if (bytes == 0)
            continue;
        s = lpi_draft_add(l->out, rank);
        logp_step_combine(s, at, at, from, (int64_t)(bytes / element),
                          lpi_combine_ns(&l->c->model.params, (int64_t)(bytes / element)));
        s->n_bytes = s->at_stride = s->right_stride = bytes;
        from.offset += bytes;
    }
}

static void send_items(struct lower *l, int rank, int peer, const int *items, int n)
{
    const size_t bytes = all_bytes(l, items, n);
    struct logp_buffer_ref from = {area_of(l, rank), cut_at(l->cut, items[0])};

    if (run_of(items, n, 0) < n) {
        pack(l, rank, items, n, false);
        from = (struct logp_buffer_ref){LOGP_SCRATCH, l->staging};
    }
    logp_step_send(lpi_draft_add(l->out, rank), peer, l->c->args.tag, from.buffer, from.offset,
                   bytes);
}

static void receive_items(struct lower *l, int rank, int peer, const int *items, int n,
                          bool combines)
{
    const size_t bytes = all_bytes(l, items, n);
    const bool is_apart = combines || run_of(items, n, 0) < n;
    const struct logp_buffer_ref at =
        is_apart ? (struct logp_buffer_ref){LOGP_SCRATCH, l->staging}
                 : (struct logp_buffer_ref){area_of(l, rank), cut_at(l->cut, items[0])};

    logp_step_receive(lpi_draft_add(l->out, rank), peer, l->c->args.tag, at.buffer, at.offset,
                      bytes);
    if (combines)
        combine(l, rank, items, n);
    else if (is_apart)
        pack(l, rank, items, n, true);
}

/* One item from each to each. */
static void exchange_item(struct lower *l, const struct lpi_action *act, const struct lpi_move *m)
{
    const size_t n = l->c->args.n_bytes;
    struct logp_step *s = lpi_draft_add(l->out, act->rank);

    if (act->sends)
        logp_step_send(s, m->dst, l->c->args.tag, LOGP_BUF, (size_t)m->dst * n, n);
    else
        logp_step_receive(s, m->src, l->c->args.tag, LOGP_RECV_BUF, (size_t)m->src * n, n);
}

static void token(struct lower *l, const struct lpi_action *act, const struct lpi_move *m)
{
    struct logp_step *s = lpi_draft_add(l->out, act->rank);

    if (act->sends)
        logp_step_send(s, m->dst, l->c->args.tag, LOGP_BUF, 0, 0);
    else
        logp_step_receive(s, m->src, l->c->args.tag, LOGP_BUF, 0, 0);
}

static void forwards(struct lower *l, const struct lpi_moves *moves)
{
    for (size_t k = 0; k < moves->n_acts; k++) {
        const struct lpi_action *act = &moves->acts[k];
        const struct lpi_move *m = &moves->moves[act->move];
        const int *items = l->items[act->move], n = l->n_items[act->move];

        if (l->cut->how == LPI_LOWER_BARRIER)
            token(l, act, m);
        else if (l->cut->how == LPI_LOWER_ALLTOALL)
            exchange_item(l, act, m);
        else if (act->sends)
            send_items(l, act->rank, m->dst, items, n);
        else
            receive_items(l, act->rank, m->src, items, n, false);
    }
}

static void backwards(struct lower *l, const struct lpi_moves *moves)
{
    const bool combines = l->cut->how != LPI_LOWER_GATHER;

    for (size_t k = moves->n_acts; k-- > 0;) {
        const struct lpi_action *act = &moves->acts[k];
        const struct lpi_move *m = &moves->moves[act->move];
        const int *items = l->items[act->move], n = l->n_items[act->move];

        if (act->sends)
            receive_items(l, act->rank, m->dst, items, n, combines);
        else
            send_items(l, act->rank, m->src, items, n);
    }
}

/* ---- the items of each move ---- */

/* Of a tree: those of all ranks below. */
static void route(struct lower *l, const struct lpi_moves *moves, int *into)
{
    /* into[rank]: the move that it gets its item by; -1: it is the root */
    for (int rank = 0; rank < l->P; rank++)
        into[rank] = -1;
    for (size_t k = 0; k < moves->n_moves; k++)
        into[moves->moves[k].dst] = (int)k;
    for (size_t k = 0; k < moves->n_moves; k++)
        l->items[k] = &l->pool[k * (size_t)l->P];
    for (int rank = 0; rank < l->P; rank++)
        for (int at = rank; into[at] >= 0; at = moves->moves[into[at]].src)
            l->pool[(size_t)into[at] * (size_t)l->P + (size_t)l->n_items[into[at]]++] = rank;
}

static int take_items(struct lower *l, const struct lpi_moves *moves)
{
    const bool routed = l->cut->how == LPI_LOWER_SCATTER || l->cut->how == LPI_LOWER_GATHER;
    const size_t n = moves->n_moves + 1, P = (size_t)l->P;

    l->items = calloc(n, sizeof(*l->items));
    l->n_items = calloc(n, sizeof(*l->n_items));
    l->pool = routed ? calloc((n + 1) * P, sizeof(*l->pool)) : NULL;
    if (l->items == NULL || l->n_items == NULL || (routed && l->pool == NULL))
        return -ENOMEM;
    if (routed)
        route(l, moves, &l->pool[n * P]);
    for (size_t k = 0; !routed && k < moves->n_moves; k++) {
        l->items[k] = &moves->pool[moves->moves[k].first];
        l->n_items[k] = moves->moves[k].n;
    }
    return 0;
}

static void forget_items(struct lower *l)
{
    free(l->items);
    free(l->n_items);
    free(l->pool);
    l->items = NULL;
    l->n_items = l->pool = NULL;
}

/* ---- before and after ---- */

static void begin(struct lower *l, int rank)
{
    const struct logp_buffer_ref buf = {LOGP_BUF, 0};
    struct logp_buffer_ref area = {area_of(l, rank), 0};
    const size_t own = cut_at(l->cut, rank < l->cut->n_items ? rank : 0), n = l->c->args.n_bytes;

    switch (l->cut->how) {
    case LPI_LOWER_REDUCE:
    case LPI_LOWER_REDUCE_SCATTER:
    case LPI_LOWER_ALLREDUCE:
        copy(l, rank, area, buf, l->cut->whole);
        break;
    case LPI_LOWER_ALLGATHER:
    case LPI_LOWER_GATHER:
        area.offset = own;
        copy(l, rank, area, buf, n);
        break;
    case LPI_LOWER_ALLTOALL:
        copy(l, rank, (struct logp_buffer_ref){LOGP_RECV_BUF, (size_t)rank * n},
             (struct logp_buffer_ref){LOGP_BUF, (size_t)rank * n}, n);
        break;
    case LPI_LOWER_NONE:
    case LPI_LOWER_BROADCAST:
    case LPI_LOWER_SCATTER:
    case LPI_LOWER_BARRIER:
        break;
    }
}

static void end(struct lower *l, int rank)
{
    if (l->cut->how == LPI_LOWER_SCATTER || l->cut->how == LPI_LOWER_REDUCE_SCATTER)
        copy(l, rank, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
             (struct logp_buffer_ref){area_of(l, rank), cut_at(l->cut, rank)},
             cut_at(l->cut, rank + 1) - cut_at(l->cut, rank));
}

int lpi_lower(const struct lpi_cut *cut, const struct logp_invocation *c, int P,
              const struct lpi_moves *moves, const struct lpi_moves *then, struct lpi_draft *out)
{
    const bool turned = cut->how == LPI_LOWER_REDUCE || cut->how == LPI_LOWER_GATHER ||
                        cut->how == LPI_LOWER_REDUCE_SCATTER || cut->how == LPI_LOWER_ALLREDUCE;
    struct lower l = {.cut = cut, .c = c, .out = out, .P = P};
    int rc = take_items(&l, moves);

    lpi_draft_clear(out);
    l.staging = cut->how == LPI_LOWER_ALLREDUCE || cut->how == LPI_LOWER_ALLGATHER ||
                        cut->how == LPI_LOWER_BROADCAST
                    ? 0
                    : cut->whole;
    for (int rank = 0; rc == 0 && rank < P; rank++)
        begin(&l, rank);
    if (rc == 0)
        turned ? backwards(&l, moves) : forwards(&l, moves);
    forget_items(&l);
    if (rc == 0 && then != NULL) {
        rc = take_items(&l, then);
        if (rc == 0)
            forwards(&l, then);
        forget_items(&l);
    }
    for (int rank = 0; rc == 0 && rank < P; rank++)
        end(&l, rank);
    return rc == 0 && out->lacks_memory ? -ENOMEM : rc;
}

/* ---- trees ---- */

struct raise {
    const struct lpi_draft *d;
    bool turned; /* messages go to the root */
    struct lpi_moves *out;
    size_t acts, moves;
};

/* The messages of a rank on the side of its children, in the order of a broadcast. */
static void add_children(struct raise *r, int rank)
{
    const int64_t n = r->d->n[rank];

    for (int64_t k = 0; k < n; k++) {
        const struct logp_step *s = &r->d->steps[rank][r->turned ? n - 1 - k : k];

        if (s->kind != (r->turned ? LOGP_STEP_RECEIVE : LOGP_STEP_SEND))
            continue;
        r->out->moves[r->moves] = (struct lpi_move){
            .src = rank, .dst = (int)s->peer, .first = 0, .n = 1, .planned = true};
        r->out->acts[r->acts++] =
            (struct lpi_action){.rank = rank, .move = (int)r->moves++, .sends = true, .cause = -1};
    }
}

/* Whether each rank has one message on the side of its parent, and the root none. */
static bool is_tree(const struct lpi_draft *d, bool turned, int root)
{
    int64_t all = 0;

    for (int64_t rank = 0; rank < d->P; rank++) {
        int64_t n = 0;

        for (int64_t i = 0; i < d->n[rank]; i++)
            n += d->steps[rank][i].kind == (turned ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE);
        if (n != (rank == root ? 0 : 1))
            return false;
        all += n;
    }
    return all == d->P - 1;
}

int lpi_raise(enum lpi_lowering how, const struct lpi_draft *d, int root, struct lpi_moves *out)
{
    struct raise r = {
        .d = d, .turned = how == LPI_LOWER_REDUCE || how == LPI_LOWER_GATHER, .out = out};
    const size_t P = (size_t)d->P;

    lpi_moves_fini(out);
    if (!is_tree(d, r.turned, root))
        return -ENOENT;
    out->moves = calloc(P, sizeof(*out->moves));
    out->acts = calloc(2 * P, sizeof(*out->acts));
    out->pool = calloc(1, sizeof(*out->pool));
    if (out->moves == NULL || out->acts == NULL || out->pool == NULL)
        return -ENOMEM;
    out->move_space = P;
    out->act_space = 2 * P;
    out->pool_space = out->n_pool = 1;
    add_children(&r, root);
    /* a rank is reached by its move, and then sends */
    for (size_t k = 0; k < r.moves; k++) {
        const int rank = out->moves[k].dst;

        out->acts[r.acts++] =
            (struct lpi_action){.rank = rank, .move = (int)k, .sends = false, .cause = -1};
        add_children(&r, rank);
    }
    out->n_moves = r.moves;
    out->n_acts = r.acts;
    out->last = -1;
    return r.moves == P - 1 ? 0 : -ENOENT;
}
