/* SPDX-License-Identifier: MIT */
/* A tree as JSON, CSV and text. */
#include "view/views.h"
#include "answer/tree/tree.h"
#include "text/problem.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12) };

/* A number of units: an integer if it is whole; null if there is none (x < 0). */
static json_t *units_json(double x)
{
    const double most = 9007199254740992.0; /* 2^53: integers are exact below */

    if (x < 0)
        return json_null();
    if (x < most && x == (double)(int64_t)x)
        return json_integer((int64_t)x);
    return json_real(x);
}

static json_t *ns_json(const struct question *q, int64_t ns)
{
    return units_json(units(q, ns));
}

static json_t *node_json(const struct tree *tree, const struct tree_node *node)
{
    json_t *j =
        json_pack("{s:I, s:o}", "rank", (json_int_t)node->rank, "time", units_json(node->time));
    json_t *children = json_array();

    for (int64_t k = node->first_child; k >= 0; k = tree->nodes[k].next_sibling)
        json_array_append_new(children, json_integer(tree->nodes[k].rank));
    json_object_set_new(j, "parent",
                        node->parent >= 0 ? json_integer(tree->nodes[node->parent].rank)
                                          : json_null());
    json_object_set_new(j, "children", children);
    json_object_set_new(j, "label", units_json(node->label));
    json_object_set_new(j, "operands",
                        tree->sums ? json_pack("{s:I, s:I}", "own", (json_int_t)node->own, "shared",
                                               (json_int_t)node->shared)
                                   : json_null());
    return j;
}

/* Print node by node: a million nodes in one JSON value would take a gigabyte. */
static void print_nodes_json(FILE *f, const struct tree *tree)
{
    for (int64_t id = 0; id < tree->n; id++) {
        json_t *node = node_json(tree, &tree->nodes[id]);

        fputs(id > 0 ? "," : "", f);
        if (json_dumpf(need(node), f, FLAGS) != 0 && !ferror(f))
            need(NULL);
        json_decref(node);
    }
}

static struct problem *print_json(FILE *f, const struct question *q, const struct tree *tree)
{
    const struct logp_params *p = &q->model.network.params;
    json_t *j =
        json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "tree", tree->name, "P", (json_int_t)q->model.P,
                  "L", ns_json(q, p->L_ns), "o", ns_json(q, p->o_send_ns), "g", ns_json(q, p->g_ns),
                  "time", units_json(tree->time));
    char *text;

    if (p->o_send_ns != p->o_recv_ns)
        json_object_set_new(j, "o_recv", ns_json(q, p->o_recv_ns));
    if (tree->sums) {
        json_object_set_new(j, "algorithm", json_string(tree->algorithm));
        json_object_set_new(j, "count", json_integer(tree->count));
        json_object_set_new(j, "gamma", units_json(tree->gamma));
        json_object_set_new(j, "prediction", json_string(tree->exact ? "exact" : "bound"));
    }
    if (tree->found) {
        json_object_set_new(j, "algorithm", json_string(tree->algorithm));
        json_object_set_new(j, "root", json_integer(tree->nodes[0].rank));
        json_object_set_new(j, "along", json_string(tree->to_root ? "to-root" : "from-root"));
        json_object_set_new(j, "returns", json_boolean(tree->returns));
    }
    text = need(json_dumps(j, FLAGS));
    fprintf(f, "%.*s,\"nodes\":[", (int)strlen(text) - 1, text); /* but for its last brace */
    print_nodes_json(f, tree);
    fputs("]}\n", f);
    free(text);
    json_decref(j);
    return NULL;
}

static void print_cell(FILE *f, double x)
{
    if (x >= 0)
        fprintf(f, "%.12g", x);
    putc(',', f);
}

static struct problem *print_csv(FILE *f, const struct question *q, const struct tree *tree)
{
    (void)q;
    fprintf(f, "rank,time,parent,label,children%s\n", tree->sums ? ",own,shared" : "");
    for (int64_t id = 0; id < tree->n; id++) {
        const struct tree_node *node = &tree->nodes[id];

        fprintf(f, "%lld,", (long long)node->rank);
        print_cell(f, node->time);
        if (node->parent >= 0)
            fprintf(f, "%lld", (long long)tree->nodes[node->parent].rank);
        putc(',', f);
        print_cell(f, node->label);
        for (int64_t k = node->first_child; k >= 0; k = tree->nodes[k].next_sibling)
            fprintf(f, "%s%lld", k > node->first_child ? " " : "", (long long)tree->nodes[k].rank);
        if (tree->sums)
            fprintf(f, ",%lld,%lld", (long long)node->own, (long long)node->shared);
        putc('\n', f);
    }
    return NULL;
}

static void print_found_heading(FILE *f, const struct question *q, const struct tree *tree)
{
    fprintf(f, "%s %s tree, P = %lld: time %.12g %s%s\n", tree->algorithm, tree->name,
            (long long)tree->n, tree->time, unit_word(q),
            tree->returns ? tree->to_root ? ", there and back" : ", out and back" : "");
    if (tree->used < tree->n)
        fprintf(f, "%lld of the processors are used\n", (long long)tree->used);
    fputs(tree->to_root ? "rank, time of its send to its parent (root: of its last receive); "
                          "children in the order of receiving\n\n"
                        : "rank, time at which it has all data of its parent, time left; children "
                          "in the order of sending\n\n",
          f);
}

static void print_heading(FILE *f, const struct question *q, const struct tree *tree)
{
    if (tree->found) {
        print_found_heading(f, q, tree);
        return;
    }
    if (!tree->sums) {
        fprintf(f,
                "optimal broadcast tree, P = %lld: time %g %s\n"
                "rank, time at which it holds the item, effective time; children in the order of "
                "sending\n\n",
                (long long)tree->n, tree->time, unit_word(q));
        return;
    }
    fprintf(f, "%s summation tree, %lld operands, P = %lld: time %s%.12g %s\n", tree->algorithm,
            (long long)tree->count, (long long)tree->n, tree->exact ? "" : "at most ", tree->time,
            unit_word(q));
    if (tree->used < tree->n)
        fprintf(f, "%lld of the processors are used; more would not be faster\n",
                (long long)tree->used);
    fputs("rank, operands (own + shared), time at which its subtree is summed, effective time;\nit "
          "receives from its last child first\n\n",
          f);
}

/* Ids are in depth-first order, so the tree is printed line by line. more[i]: the ancestor at depth
 * i has a later sibling, and its line is drawn on. */
static struct problem *print_text(FILE *f, const struct question *q, const struct tree *tree)
{
    int64_t *depth = need(calloc((size_t)tree->used, sizeof(*depth)));
    bool *more = need(calloc((size_t)tree->used, sizeof(*more)));

    (void)q;
    print_heading(f, q, tree);
    for (int64_t id = 0; id < tree->used; id++) {
        const struct tree_node *node = &tree->nodes[id];

        if (id > 0) {
            depth[id] = depth[node->parent] + 1;
            more[depth[id]] = node->next_sibling >= 0;
            for (int64_t i = 1; i < depth[id]; i++)
                fputs(more[i] ? "|  " : "   ", f);
            fputs(more[depth[id]] ? "|- " : "`- ", f);
        }
        fprintf(f, "%lld ", (long long)node->rank);
        if (tree->sums)
            fprintf(f, "(%lld + %lld) ", (long long)node->own, (long long)node->shared);
        if (tree->found && tree->to_root)
            fprintf(f, "at %.12g\n", node->label);
        else
            fprintf(f, "at %.12g, T %.12g\n", node->label, node->time);
    }
    free(depth);
    free(more);
    return NULL;
}

const struct tree_form tree_as_text = {print_text, 1024, "a tree is printed",
                                       "; --format json, csv: 1048576"};
const struct tree_form tree_as_json = {.show = print_json};
const struct tree_form tree_as_csv = {.show = print_csv};
