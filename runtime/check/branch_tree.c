/* SPDX-License-Identifier: MIT */
/*
 * The upper nodes of an exhaustive search that several processes share. Each process explores a
 * part: all that is below one alternative of a node. Its records (runs, wishes about nodes above)
 * are put into the order in which one process would have made them, depth first: the alternatives
 * of a node in the order in which they were wanted. So each wish is granted in the state of the
 * node in which one process would have granted it.
 *
 * A branch is a node with a slot for each alternative that is wanted. The records of a slot wait
 * there while an earlier slot is not over; otherwise they move up to the slot that the branch is
 * in.
 */
#include "exhaustive.h"

struct slot {
    enum { WAITS, BEGUN, SPLIT, OVER } state;
    int which;                 /* the alternative */
    struct lpi_branch *branch; /* SPLIT */
    bool fails;                /* a failure is among the records */
    char *records;             /* which wait */
    size_t size, capacity;
};

struct lpi_branch {
    struct lpi_place in; /* of the top, none */
    int depth;
    struct lpi_path path; /* one node; of the top, none */
    struct slot *slots;
    int n_slots, capacity;
    int now; /* the first slot that is not over */
};

/* ---- branches ---- */

static bool add_slot(struct lpi_branch *b, int which)
{
    if (!LPI_GROW(b->slots, b->capacity, b->n_slots + 1))
        return false;
    b->slots[b->n_slots++] = (struct slot){.state = WAITS, .which = which};
    return true;
}

/* Add slots for the alternatives that have been wanted since. */
static bool add_slots(struct lpi_branch *b)
{
    const struct lpi_node *node = &b->path.nodes[0];
    const int last =
        b->n_slots > 0 ? b->path.pool[b->slots[b->n_slots - 1].which].turn : node->n_wanted;

    for (int turn = last + 1; turn <= node->n_wanted; turn++)
        for (int i = 0; i < node->n; i++)
            if (b->path.pool[i].turn == turn && !add_slot(b, i))
                return false;
    return true;
}

static void free_branch(struct lpi_branch *b)
{
    if (b == NULL)
        return;
    for (int i = 0; i < b->n_slots; i++) {
        free_branch(b->slots[i].branch);
        free(b->slots[i].records);
    }
    lpi_path_free(&b->path);
    free(b->slots);
    free(b);
}

static struct slot *slot_at(const struct lpi_place *p)
{
    return &p->branch->slots[p->slot];
}

bool lpi_tree_begin(struct lpi_tree *t)
{
    t->top = calloc(1, sizeof(*t->top));
    if (t->top == NULL)
        return false;
    t->top->depth = -1;
    return add_slot(t->top, 0);
}

void lpi_tree_free(struct lpi_tree *t)
{
    free_branch(t->top);
    t->top = NULL;
}

/* A branch with the node whose alternative is taken now. NULL: no memory */
static struct lpi_branch *branch_of(const struct lpi_place *in, const struct lpi_path *nodes, int i)
{
    struct lpi_branch *b = calloc(1, sizeof(*b));

    if (b == NULL)
        return NULL;
    b->in = *in;
    b->depth = in->branch->depth + 1;
    if (!lpi_path_append(&b->path, nodes, i, i + 1) || !add_slot(b, nodes->nodes[i].now) ||
        !add_slots(b)) {
        free_branch(b);
        return NULL;
    }
    return b;
}

void lpi_tree_split(struct lpi_tree *t, struct lpi_place *part, const struct lpi_path *nodes)
{
    for (int i = 0; i < nodes->n_nodes; i++) {
        struct slot *slot = slot_at(part);
        struct lpi_branch *b = branch_of(part, nodes, i);

        if (b == NULL) {
            t->no_memory = true;
            return;
        }
        slot->state = SPLIT;
        slot->branch = b;
        b->slots[0].state = BEGUN;
        *part = (struct lpi_place){b, 0};
    }
}

/* ---- records ---- */

static bool keep(struct slot *s, const struct lpi_record *r, const void *body)
{
    const size_t size = s->size + sizeof(*r) + r->size;

    if (size > s->capacity) {
        const size_t capacity = 2 * size;
        char *records = realloc(s->records, capacity);

        if (records == NULL)
            return false;
        s->records = records;
        s->capacity = capacity;
    }
    memcpy(s->records + s->size, r, sizeof(*r));
    memcpy(s->records + s->size + sizeof(*r), body, r->size);
    s->size = size;
    s->fails = s->fails || r->kind == LPI_FAILED;
    return true;
}

/* Grant the wish if it is about the branch's node. @return whether it is */
static bool grant(struct lpi_tree *t, struct lpi_branch *b, const void *body)
{
    const struct lpi_wish *w = body;

    if (w->node != b->depth)
        return false;
    t->cut = lpi_node_grant(&b->path.nodes[0], b->path.pool, w, (const int *)(w + 1)) || t->cut;
    t->no_memory = !add_slots(b) || t->no_memory;
    return true;
}

void lpi_tree_add(struct lpi_tree *t, const struct lpi_place *from, const struct lpi_record *r,
                  const void *body)
{
    struct lpi_place at = *from;

    for (; at.branch != NULL; at = at.branch->in) {
        if (at.branch->now != at.slot) {
            t->no_memory = !keep(slot_at(&at), r, body) || t->no_memory;
            return;
        }
        if (r->kind == LPI_WISH && grant(t, at.branch, body))
            return;
    }
    t->take(t->arg, r, body);
}

/* Records of a slot, one after the other. @return the next; NULL: no more */
static const struct lpi_record *next_record(const char *records, size_t size, size_t *at)
{
    const struct lpi_record *r = (const struct lpi_record *)(records + *at);

    if (*at == size)
        return NULL;
    *at += sizeof(*r) + r->size;
    return r;
}

/* The branch has come to this slot: what waits there goes up. */
static void go_up(struct lpi_tree *t, const struct lpi_place *from)
{
    struct slot *slot = slot_at(from);
    char *records = slot->records;
    const size_t size = slot->size;
    const struct lpi_record *r;

    slot->records = NULL;
    slot->size = slot->capacity = 0;
    for (size_t at = 0; (r = next_record(records, size, &at)) != NULL;)
        lpi_tree_add(t, from, r, r + 1);
    free(records);
}

void lpi_tree_end(struct lpi_tree *t, const struct lpi_place *part)
{
    struct lpi_place at = *part;

    slot_at(&at)->state = OVER;
    while (at.branch != NULL && at.slot == at.branch->now) {
        struct lpi_branch *b = at.branch;

        while (b->now < b->n_slots && b->slots[b->now].state == OVER)
            if (++b->now < b->n_slots)
                go_up(t, &(struct lpi_place){b, b->now});
        if (b->now < b->n_slots)
            return;
        at = b->in;
        free_branch(b);
        if (at.branch == NULL) {
            t->top = NULL;
            return;
        }
        slot_at(&at)->branch = NULL;
        slot_at(&at)->state = OVER;
    }
}

/* ---- parts ---- */

/* @return the first slot that waits; NULL: none before what fails, or none */
static struct slot *first_that_waits(struct lpi_branch *b, bool *fails, struct lpi_place *part)
{
    for (int i = b->now; i < b->n_slots && !*fails; i++) {
        struct slot *s = &b->slots[i];

        *part = (struct lpi_place){b, i};
        if (s->state == WAITS)
            return s;
        *fails = s->fails;
        if (s->state == SPLIT && !*fails) {
            s = first_that_waits(s->branch, fails, part);
            if (s != NULL)
                return s;
        }
    }
    return NULL;
}

bool lpi_tree_next(struct lpi_tree *t, struct lpi_place *part)
{
    bool fails = false;
    struct slot *s = t->top != NULL ? first_that_waits(t->top, &fails, part) : NULL;

    if (s == NULL)
        return false;
    s->state = BEGUN;
    return true;
}

bool lpi_tree_path(const struct lpi_place *part, struct lpi_path *path)
{
    struct lpi_place at = *part;
    struct lpi_node *node;
    struct lpi_transition *t;

    if (at.branch->in.branch == NULL)
        return true;
    if (!lpi_tree_path(&at.branch->in, path) || !lpi_path_append(path, &at.branch->path, 0, 1))
        return false;
    node = &path->nodes[path->n_nodes - 1];
    t = lpi_path_at(path, path->n_nodes - 1);
    node->now = slot_at(&at)->which;
    for (int i = 0; i < node->n; i++)
        t[i].sleeps = t[i].sleeps || (t[i].turn > 0 && t[i].turn < t[node->now].turn);
    return true;
}

/* The slot of the branch at that depth which the part is in. */
static struct lpi_place above(struct lpi_place part, int depth)
{
    while (part.branch->depth > depth)
        part = part.branch->in;
    return part;
}

bool lpi_tree_is_after(const struct lpi_place *a, const struct lpi_place *b)
{
    const int depth = a->branch->depth < b->branch->depth ? a->branch->depth : b->branch->depth;
    struct lpi_place x = above(*a, depth), y = above(*b, depth);

    while (x.branch != y.branch) {
        x = x.branch->in;
        y = y.branch->in;
    }
    return x.slot > y.slot;
}

static void take_all(struct lpi_tree *t, const struct lpi_branch *b)
{
    const struct lpi_record *r;

    for (int i = b->now; i < b->n_slots; i++) {
        const struct slot *s = &b->slots[i];

        for (size_t at = 0; (r = next_record(s->records, s->size, &at)) != NULL;)
            if (r->kind != LPI_WISH)
                t->take(t->arg, r, r + 1);
        if (s->state == SPLIT)
            take_all(t, s->branch);
    }
}

void lpi_tree_take_all(struct lpi_tree *t)
{
    if (t->top != NULL)
        take_all(t, t->top);
}
