/* SPDX-License-Identifier: MIT */
/* logp tree: the optimal tree itself, who sends to whom and when, in units. */
#include "command/command.h"
#include "tree/tree.h"

#include <stdio.h>

enum { MOST_NODES = 1 << 20 };

static const struct kind {
    const char *name;
    struct tree (*make)(struct options *o);
} kinds[] = {
    {"broadcast", make_broadcast_tree},
    {"summation", make_summation_tree},
};

static const struct kind *the_kind(const struct options *o)
{
    struct names names = {0};
    char list[MAX_LIST];
    int which;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        add_name(&names, kinds[i].name);
    if (o->n_words < 2)
        bad_usage("tree: which tree? %s", one_of(&names, NULL, list));
    if (o->n_words > 2)
        bad_usage("%s: unexpected word", o->words[2]);
    which = find_name(&names, o->words[1]);
    if (which < 0)
        bad_usage("tree %s: no such tree; %s", o->words[1], one_of(&names, o->words[1], list));
    return &kinds[which];
}

/* Are n processors too many for that? */
static void limit(const struct options *o, int64_t n, int64_t most, const char *what,
                  const char *otherwise)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)o->P);
    if (n > most)
        bad_option("-P", text, "%s up to %lld processors%s", what, (long long)most, otherwise);
}

/* A tree is the best of those that have a prediction. */
static void refuse_unplanned(const struct options *o)
{
    if (o->topology != NULL)
        bad_option("--topology", logp_topology_spec(o->topology),
                   "the tree is the best where all are neighbours");
    if (!o->emulated)
        bad_option("--delay", o->delay->name,
                   "logp, loggp or store-forward: where nothing takes time "
                   "no tree is the best");
    if (logp_capacity(&o->params) > 0)
        bad_option("--capacity", option_text("capacity"),
                   "off, for the tree is the best where no sender stalls");
}

static int show_tree(struct options *o)
{
    const struct kind *kind = the_kind(o);
    const struct tree_form *form = o->format->tree;
    struct tree tree;

    refuse_unplanned(o);
    limit(o, o->P, MOST_NODES, "a whole tree is shown", "");
    tree = kind->make(o);
    warn_of_unused(o);
    if (form->most > 0)
        limit(o, tree.used, form->most, form->limit, form->otherwise);
    form->show(o, &tree);
    free_tree(&tree);
    return EXIT_OK;
}

static bool prints(const struct output_format *format)
{
    return format->tree != NULL;
}

const struct command command_tree = {
    .name = "tree",
    .arguments = "KIND",
    .summary = "broadcast or summation: the optimal tree: who sends to whom, when",
    .options = OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_TREE,
    .prints = prints,
    .call = show_tree,
};
