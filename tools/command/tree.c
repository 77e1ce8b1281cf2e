/* SPDX-License-Identifier: MIT */
/* logp tree: the communication tree of an algorithm (tree-based ones only), with times in units. */
#include "choice/choice.h"
#include "command/command.h"
#include "tree/tree.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 1 << 20 };

static const struct kind {
    const char *name;
    struct names optimal; /* algorithms */
    struct tree (*make)(struct options *o);
} kinds[] = {
    {"broadcast", {{"optimal"}, 1}, make_broadcast_tree},
    {"summation", {{"optimal-paper", "optimal"}, 2}, make_summation_tree},
};

/* Find the optimal tree of the collective. NULL: it has none, or another
 * algorithm was requested. */
static const struct kind *the_kind(const struct options *o, const char *collective)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, collective) == 0 &&
            (o->algorithms == ALGORITHMS_AUTO ||
             find_name(&kinds[i].optimal, o->algorithm_list) >= 0))
            return &kinds[i];
    return NULL;
}

/* Refuse n processors if they are more than that. */
static void limit(const struct options *o, int64_t n, int64_t most, const char *what,
                  const char *otherwise)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)o->P);
    if (n > most)
        bad_option("-P", text, "%s up to %lld processors%s", what, (long long)most, otherwise);
}

/* Refuse options under which the times of messages are not known in advance. */
static void refuse_unplanned(const struct options *o)
{
    if (o->network.topology != NULL)
        bad_option("--topology", logp_topology_spec(o->network.topology),
                   "none: the tree is shown for a network without distances; remove it");
    if (o->network.links != NULL)
        bad_option(links_option(o), option_text(links_option(o)),
                   "none: the tree is shown for links that are alike; remove it");
    if (!o->emulated || model_params(o).recv_streams)
        bad_option("--delay", o->delay->name, "logp, loggp or store-forward: the tree shows times");
    if (logp_params_capacity(&o->network.params) > 0)
        bad_option("--capacity", option_text("capacity"),
                   "off: the tree is shown without stalls of senders; remove it");
    if (o->network.rendezvous_from > 0)
        bad_option("--rendezvous", option_text("rendezvous"),
                   "none: the tree is shown for buffered sends; remove it");
}

static int show_tree(struct options *o)
{
    const char *collective = named_collective(o);
    const struct kind *kind = the_kind(o, collective);
    const struct tree_form *form = o->format->tree;
    struct tree tree;

    refuse_unplanned(o);
    limit(o, o->P, MOST_NODES, "a whole tree is shown", "");
    tree = kind != NULL ? kind->make(o) : make_found_tree(o, collective);
    if (form->most > 0)
        limit(o, tree.used, form->most, form->limit, form->otherwise);
    form->show(o, &tree);
    free_tree(&tree);
    return EXIT_OK;
}

const struct command command_tree = {
    .name = "tree",
    .arguments = "COLLECTIVE",
    .summary = "show the communication tree (tree-based algorithms only)",
    .options = OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_TREE | OPTIONS_PICTURE,
    .answer = ANSWER_TREE,
    .call = show_tree,
};
