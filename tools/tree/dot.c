/* SPDX-License-Identifier: MIT */
/* A tree for Graphviz: arrows go where messages go first, and the root is on top. */
#include "tree/tree.h"

#include <stdio.h>

static void print_dot(const struct options *o, const struct tree *tree)
{
    const bool up = tree->sums || tree->to_root;

    char name[256];

    (void)o;
    snprintf(name, sizeof(name), "%s %s, P = %lld", tree->algorithm, tree->name,
             (long long)tree->n);
    fputs("digraph ", stdout);
    write_dot_text(stdout, name);
    puts(" {\n    node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];");
    if (up)
        puts("    rankdir=BT;");
    for (int64_t id = 0; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];

        printf("    %lld [label=\"%lld\\nat %.12g\"];\n", (long long)node->rank,
               (long long)node->rank, node->label);
    }
    for (int64_t id = 1; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];
        const int64_t above = tree->nodes[node->parent].rank;

        printf("    %lld -> %lld%s;\n", (long long)(up ? node->rank : above),
               (long long)(up ? above : node->rank), tree->returns ? " [dir=both]" : "");
    }
    puts("}");
}

const struct tree_form tree_as_dot = {.show = print_dot};
