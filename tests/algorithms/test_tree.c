/* SPDX-License-Identifier: MIT */
/* The optimal broadcast tree against printed values, against a greedy construction, and itself. */
#include "support.h"
#include <logp/paper.h>

Test(tree, count_has_the_golden_values)
{
    static const int64_t n1[] = {9, 10, 13, 14, 18, 20, 22, 23, 24};
    static const int64_t f1[] = {1, 2, 2, 3, 4, 5, 6, 6, 8};
    static const int64_t n2[] = {0, 1, 5, 8, 9, 10, 18, 19};
    static const int64_t f2[] = {1, 2, 6, 9, 10, 12, 64, 76};

    for (size_t i = 0; i < 9; i++)
        cr_expect_eq(logp_tree_count(n1[i], 10, 4), f1[i]);
    for (size_t i = 0; i < 8; i++)
        cr_expect_eq(logp_tree_count(n2[i], 1, 9), f2[i]);
}

static int64_t time_of(int64_t P, int64_t d, int64_t e)
{
    struct logp_tree tree;

    cr_assert_eq(logp_tree_init(&tree, P, d, e), 0);
    return tree.T;
}

Test(tree, eight_processors_are_those_of_figure_1)
{
    static const int64_t time[] = {24, 14, 4, 0, 10, 0, 6, 2};
    static const int64_t parent[] = {-1, 0, 1, 1, 0, 4, 0, 0};
    static const int64_t children[8][5] = {{1, 4, 6, 7, -1}, {2, 3, -1}, {-1}, {-1},
                                           {5, -1},          {-1},       {-1}, {-1}};
    struct logp_tree tree;

    cr_assert_eq(logp_tree_init(&tree, 8, 10, 4), 0);
    for (int id = 0; id < 8; id++) {
        const struct logp_tree_node node = logp_tree_find(&tree, id);
        struct logp_tree_node child;
        int k = 0;

        cr_expect_eq(node.time, time[id]);
        cr_expect_eq(node.parent, parent[id]);
        while (logp_tree_child(&tree, &node, k, &child))
            cr_expect_eq(child.id, children[id][k++]);
        cr_expect_eq(children[id][k], -1);
        cr_expect_eq(logp_tree_children(&tree, &node), k);
    }
}

/* P labels, always the earliest next: a node at label x can reach x + d, x + d + e, ... */
static int64_t greedy_time(int P, int64_t d, int64_t e)
{
    static int64_t next[2048]; /* earliest label that this node can still give */
    int64_t last = 0;

    next[0] = d;
    for (int n = 1; n < P; n++) {
        int best = 0;

        for (int i = 1; i < n; i++)
            if (next[i] < next[best])
                best = i;
        last = next[best];
        next[best] += e;
        next[n] = last + d;
    }
    return last;
}

Test(tree, time_equals_the_greedy_construction)
{
    for (int64_t d = 1; d <= 12; d++)
        for (int64_t e = 1; e <= 12; e++)
            for (int P = 1; P <= 200; P += P < 20 ? 1 : 13)
                cr_assert_eq(time_of(P, d, e), greedy_time(P, d, e), "P %d d %ld e %ld", P, (long)d,
                             (long)e);
}

/* Every node is reached once, from its parent, in depth-first order, within the time. */
static void check_whole(int64_t P, int64_t d, int64_t e)
{
    struct logp_tree tree;
    int64_t seen = 1;

    cr_assert_eq(logp_tree_init(&tree, P, d, e), 0);
    for (int64_t id = 0; id < P; id++) {
        const struct logp_tree_node node = logp_tree_find(&tree, id);
        struct logp_tree_node child;

        cr_assert_eq(node.id, id);
        cr_assert_geq(node.time, 0);
        for (int64_t k = 0; logp_tree_child(&tree, &node, k, &child); k++) {
            const struct logp_tree_node again = logp_tree_find(&tree, child.id);

            seen++;
            cr_assert_eq(again.parent, id);
            cr_assert_eq(again.time, child.time);
            cr_assert_eq(child.time, d == 0 ? 0 : node.time - d - k * e);
        }
    }
    cr_assert_eq(seen, P);
}

Test(tree, every_node_is_reached_once)
{
    static const int64_t sets[][2] = {{10, 4}, {1, 9}, {4, 10},  {7, 7},   {1, 1},
                                      {0, 5},  {5, 0}, {100, 1}, {1, 100}, {6, 4}};

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        for (int64_t P = 1; P <= 300; P += P < 40 ? 1 : 37)
            check_whole(P, sets[i][0], sets[i][1]);
}

enum { MOST = 400 };

/* All nodes of a random tree, at their ids, from parent to child. */
static void draw_tree(uint64_t *random, struct logp_tree *tree, struct logp_tree_node nodes[MOST])
{
    const int64_t P = 1 + test_below(random, MOST), scale = 1 + test_below(random, 3);
    const int64_t d = scale * test_below(random, test_below(random, 2) == 0 ? 4 : 200);
    const int64_t e = scale * test_below(random, test_below(random, 2) == 0 ? 4 : 200);
    struct logp_tree_node queue[MOST + 1];
    int64_t n = 1;

    cr_assert_eq(
        (test_below(random, 2) == 0 ? logp_tree_init : logp_tree_init_earliest)(tree, P, d, e), 0);
    queue[0] = logp_tree_root(tree);
    for (int64_t i = 0; i < n; i++) {
        nodes[queue[i].id] = queue[i];
        for (int64_t k = 0; n <= P && logp_tree_child(tree, &queue[i], k, &queue[n]); k++)
            n++;
    }
    cr_assert_eq(n, P);
}

static void expect_found(const struct logp_tree *tree, const struct logp_tree_node *node)
{
    const struct logp_tree_node found = logp_tree_find(tree, node->id);

    cr_assert(found.id == node->id && found.time == node->time && found.parent == node->parent &&
                  found.ends == node->ends,
              "P %ld d %ld e %ld id %ld", (long)tree->P, (long)tree->d, (long)tree->e,
              (long)node->id);
}

/* One by one, and here and there: a step from the last node, of this tree or another, or a walk. */
Test(tree, a_node_is_the_same_whichever_was_asked_for_before)
{
    static struct logp_tree_node nodes[2][MOST];
    struct logp_tree trees[2];
    uint64_t random = 88172645463325252;

    for (int round = 0; round < 300; round++) {
        draw_tree(&random, &trees[0], nodes[0]);
        draw_tree(&random, &trees[1], nodes[1]);
        for (int64_t id = 0; id < trees[0].P; id++)
            expect_found(&trees[0], &nodes[0][id]);
        for (int i = 0; i < 100; i++) {
            const int64_t t = test_below(&random, 2);
            const int64_t id = test_below(&random, trees[t].P);

            for (int64_t k = id; k < trees[t].P && k < id + test_below(&random, 100); k++)
                expect_found(&trees[t], &nodes[t][k]);
            if (id + 1 < trees[1 - t].P) /* the next id, but of the other tree */
                expect_found(&trees[1 - t], &nodes[1 - t][id + 1]);
        }
    }
}

Test(tree, huge_machines_have_the_least_time_that_reaches_all)
{
    static const int64_t P = INT64_C(1000000000000000000);
    static const int64_t sets[][2] = {{10, 4},         {1, 9},          {100003, 40007},
                                      {3, 1000000007}, {1000000007, 3}, {1, 1}};

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        const int64_t T = time_of(P, sets[i][0], sets[i][1]);

        cr_expect_geq(logp_tree_count(T, sets[i][0], sets[i][1]), P);
        cr_expect_lt(logp_tree_count(T - 1, sets[i][0], sets[i][1]), P);
    }
}

Test(tree, degenerate_parameters)
{
    cr_expect_eq(time_of(1000, 0, 5), 0); /* a chain at time 0 */
    cr_expect_eq(time_of(1000, 7, 0), 7); /* flat, everyone at d */
    cr_expect_eq(time_of(1000, 0, 0), 0);
    cr_expect_eq(time_of(1, 10, 4), 0);
}

Test(tree, bad_arguments_are_refused)
{
    struct logp_tree tree;

    cr_expect_eq(logp_tree_init(&tree, 0, 1, 1), -EINVAL);
    cr_expect_eq(logp_tree_init(&tree, 5, -1, 1), -EINVAL);
    cr_expect_eq(logp_tree_init(&tree, 5, 1, -1), -EINVAL);
    cr_expect_eq(logp_tree_init(&tree, INT64_MAX, 1, 1), -EINVAL);
}
