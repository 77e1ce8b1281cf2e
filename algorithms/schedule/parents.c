/* SPDX-License-Identifier: MIT */
/* Whether the messages of a schedule make a tree of its ranks: found out from the messages alone.
 */
#include <logp/explain.h>

#include <errno.h>
#include <stdlib.h>

/* Add an edge for the first message between two ranks: up, from child to parent, or down. Later
 * messages must have one already. @return it is still a tree */
static bool add_tree_edge(int64_t *parent, int64_t from, int64_t to, bool up)
{
    const int64_t child = up ? from : to, above = up ? to : from;

    if (parent[child] == above || parent[above] == child || child == above)
        return true;
    if (parent[child] >= 0)
        return false;
    parent[child] = above;
    return true;
}

/* The one rank that takes part and has no parent; -1: there are others, or some rank does not lead
 * to it (there is a cycle). taking_part: by rank; P + P. */
static int64_t root_of(int64_t P, const int64_t *parent, bool *taking_part)
{
    bool *arrived = taking_part + P; /* at the root */
    int64_t root = -1;

    for (int64_t r = 0; r < P; r++)
        if (taking_part[r] && parent[r] < 0) {
            if (root >= 0)
                return -1;
            root = r;
            arrived[r] = true;
        }
    for (int64_t r = 0; r < P; r++) {
        int64_t at = r;

        for (int64_t n = 0; n < P && parent[at] >= 0 && !arrived[at]; n++)
            at = parent[at];
        if (taking_part[r] && !arrived[at])
            return -1;
        for (at = r; parent[at] >= 0 && !arrived[at]; at = parent[at])
            arrived[at] = true;
    }
    return root;
}

/* As logp_explanation_tree(), if messages first go that way. capacity: 2 P elements */
static int64_t tree_this_way(const struct logp_explanation *e, int64_t alone, bool up,
                             int64_t *parent, bool *capacity)
{
    for (int64_t r = 0; r < e->P; r++) {
        parent[r] = -1;
        capacity[r] = capacity[e->P + r] = false;
    }
    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        if (t->kind != LOGP_STEP_SEND)
            continue;
        capacity[t->rank] = capacity[t->peer] = true;
        if (!add_tree_edge(parent, t->rank, t->peer, up))
            return -1;
    }
    if (e->messages == 0)
        capacity[alone] = true;
    return root_of(e->P, parent, capacity);
}

int64_t logp_explanation_tree(const struct logp_explanation *e, int64_t root, int64_t *parent,
                              enum logp_along *along)
{
    bool *capacity = malloc(2 * (size_t)e->P);
    int64_t down, up;

    *along = LOGP_ALONG_NO_TREE;
    if (capacity == NULL)
        return -ENOMEM;
    root = root >= 0 && root < e->P ? root : 0;
    up = tree_this_way(e, root, true, parent, capacity);
    down = tree_this_way(e, root, false, parent, capacity);
    if (up >= 0 && (down < 0 || (up == root && down != root))) {
        tree_this_way(e, root, true, parent, capacity);
        *along = LOGP_TO_ROOT;
    } else if (down >= 0) {
        *along = LOGP_FROM_ROOT;
    }
    free(capacity);
    return *along == LOGP_TO_ROOT ? up : down;
}
