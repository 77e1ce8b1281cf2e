/* SPDX-License-Identifier: MIT */
/* Time of the counting function: T of 10^18 processors, and one processor's place and children
 * among 10^9, for easy and for awkward parameters. */
#include "bench.h"
#include <logp/paper.h>

enum { ROUNDS = 101 };

static void measure(int64_t d, int64_t e)
{
    double time_us[ROUNDS], place_us[ROUNDS];
    struct logp_tree large, tree;
    int64_t children = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct logp_tree_node node;
        int64_t a, b, c;

        bench_forget_trees();
        a = bench_now_ns();
        bench_check(logp_tree_init(&large, INT64_C(1000000000000000000), d, e), "tree");
        time_us[i] = (double)(bench_now_ns() - a) / 1000;
        bench_forget_trees();
        b = bench_now_ns();
        bench_check(logp_tree_init(&tree, 1000000000, d, e), "tree");
        node = logp_tree_find(&tree, 123456789 + i);
        children = logp_tree_children(&tree, &node);
        c = bench_now_ns();
        place_us[i] = (double)(c - b) / 1000;
    }
    printf("%12lld %12lld %16lld %12.1f %12.1f   (%lld children)\n", (long long)d, (long long)e,
           (long long)large.T, bench_median(time_us, ROUNDS), bench_median(place_us, ROUNDS),
           (long long)children);
}

int main(void)
{
    static const int64_t sets[][2] = {
        {10, 4},         {1, 9},          {4, 10},         {1000, 1},       {1, 1000},
        {100003, 40007}, {40007, 100003}, {1000000007, 3}, {3, 1000000007}, {1, 1}};

    printf("%12s %12s %16s %12s %12s\n", "d", "e", "T(10^18)", "us", "place, us");
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        measure(sets[i][0], sets[i][1]);
    return 0;
}
