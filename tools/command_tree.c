/* SPDX-License-Identifier: MIT */
/* logp tree: the optimal tree itself, who sends to whom and when, in units. */
#include "command.h"

#include <jansson.h>
#include <string.h>

enum { MOST_NODES = 1 << 20, MOST_PRINTED = 1024, MOST_DRAWN = 256 };

static int64_t rank_of(const struct options *o, int64_t id)
{
    return (id + o->root) % o->P;
}

/* A time in units: an integer where it is one. */
static json_t *units_json(const struct options *o, int64_t ns)
{
    return ns % o->unit_ns == 0 ? json_integer(ns / o->unit_ns)
                                : json_real((double)ns / (double)o->unit_ns);
}

static double units(const struct options *o, int64_t ns)
{
    return (double)ns / (double)o->unit_ns;
}

static json_t *node_json(const struct options *o, const struct logp_tree *tree,
                         const struct logp_tree_node *node)
{
    json_t *j = json_pack("{s:I, s:o}", "rank", (json_int_t)rank_of(o, node->id), "time",
                          units_json(o, node->time));
    json_t *children = json_array();
    struct logp_tree_node child;

    for (int64_t k = 0; logp_tree_child(tree, node, k, &child); k++)
        json_array_append_new(children, json_integer(rank_of(o, child.id)));
    json_object_set_new(j, "parent",
                        node->parent >= 0 ? json_integer(rank_of(o, node->parent)) : json_null());
    json_object_set_new(j, "children", children);
    json_object_set_new(j, "label", units_json(o, logp_tree_label(tree, node)));
    json_object_set_new(j, "operands", json_null());
    return j;
}

static void print_json(const struct options *o, const struct logp_tree *tree)
{
    const struct logp_params *p = &o->params;
    json_t *j =
        json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "tree", "broadcast", "P", (json_int_t)o->P, "L",
                  units_json(o, p->L_ns), "o", units_json(o, p->o_send_ns), "g",
                  units_json(o, p->g_ns), "time", units_json(o, logp_tree_time(tree)));
    json_t *nodes = json_array();

    if (p->o_send_ns != p->o_recv_ns)
        json_object_set_new(j, "o_recv", units_json(o, p->o_recv_ns));
    for (int64_t id = 0; id < o->P; id++) {
        const struct logp_tree_node node = logp_tree_find(tree, id);

        json_array_append_new(nodes, node_json(o, tree, &node));
    }
    json_object_set_new(j, "nodes", nodes);
    json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(j);
}

static void print_csv(const struct options *o, const struct logp_tree *tree)
{
    puts("rank,time,parent,label,children");
    for (int64_t id = 0; id < o->P; id++) {
        const struct logp_tree_node node = logp_tree_find(tree, id);
        struct logp_tree_node child;

        printf("%lld,%.12g,", (long long)rank_of(o, id), units(o, node.time));
        if (node.parent >= 0)
            printf("%lld", (long long)rank_of(o, node.parent));
        printf(",%.12g,", units(o, logp_tree_label(tree, &node)));
        for (int64_t k = 0; logp_tree_child(tree, &node, k, &child); k++)
            printf("%s%lld", k > 0 ? " " : "", (long long)rank_of(o, child.id));
        putchar('\n');
    }
}

/*
 * Ids are in depth-first order, so the tree is printed line by line. more[i]: the ancestor at depth
 * i has a later sibling, and its line is drawn on.
 */
static void print_text(const struct options *o, const struct logp_tree *tree)
{
    static int depth[MOST_PRINTED];
    static bool more[MOST_PRINTED];

    printf("optimal broadcast tree, P = %lld: time %g units\n", (long long)o->P,
           units(o, logp_tree_time(tree)));
    puts("rank, when it holds the item, its effective time; children in the order of sending\n");
    for (int64_t id = 0; id < o->P; id++) {
        const struct logp_tree_node node = logp_tree_find(tree, id);

        depth[id] = node.parent >= 0 ? depth[node.parent] + 1 : 0;
        if (id > 0) {
            const struct logp_tree_node parent = logp_tree_find(tree, node.parent);
            struct logp_tree_node last;

            logp_tree_child(tree, &parent, logp_tree_children(tree, &parent) - 1, &last);
            more[depth[id]] = last.id != id;
            for (int i = 1; i < depth[id]; i++)
                fputs(more[i] ? "|  " : "   ", stdout);
            fputs(more[depth[id]] ? "|- " : "`- ", stdout);
        }
        printf("%lld at %g, T %g\n", (long long)rank_of(o, id),
               units(o, logp_tree_label(tree, &node)), units(o, node.time));
    }
}

int command_tree(struct options *o)
{
    struct logp_tree tree;
    char text[32];

    check_options(o, "tree", OPTIONS_MODEL | OPTIONS_FORMAT, true);
    if (o->n_words < 2)
        bad_usage("tree: which tree? one of: broadcast");
    if (strcmp(o->words[1], "broadcast") != 0)
        bad_usage("tree %s: no such tree; one of: broadcast", o->words[1]);
    if (o->n_words > 2)
        bad_usage("%s: unexpected word", o->words[2]);
    if (o->topology != NULL)
        bad_option("--topology", logp_topology_spec(o->topology),
                   "the tree is the best where all are neighbours");
    snprintf(text, sizeof(text), "%lld", (long long)o->P);
    if (o->P > MOST_NODES)
        bad_option("-P", text, "a whole tree is shown up to %d processors", MOST_NODES);
    if (o->format == FORMAT_TABLE && o->P > MOST_PRINTED)
        bad_option("-P", text, "a tree is printed up to %d processors; --format json, csv: %d",
                   MOST_PRINTED, MOST_NODES);
    if (o->format == FORMAT_SVG && o->P > MOST_DRAWN)
        bad_option("-P", text, "a tree is drawn up to %d processors", MOST_DRAWN);
    logp_tree_broadcast(&tree, o->P, &o->params, o->n_bytes);
    if (o->format == FORMAT_JSON)
        print_json(o, &tree);
    else if (o->format == FORMAT_CSV)
        print_csv(o, &tree);
    else if (o->format == FORMAT_SVG)
        draw_tree_svg(stdout, o, &tree);
    else
        print_text(o, &tree);
    return EXIT_OK;
}
