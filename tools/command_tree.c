/* SPDX-License-Identifier: MIT */
/* logp tree: the optimal tree itself, who sends to whom and when, in units. */
#include "command.h"

#include <string.h>

enum { MOST_NODES = 1 << 20, MOST_PRINTED = 1024, MOST_DRAWN = 256 };

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

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        add_name(&names, kinds[i].name);
    if (o->n_words < 2)
        bad_usage("tree: which tree? %s", one_of(&names, NULL, list));
    if (o->n_words > 2)
        bad_usage("%s: unexpected word", o->words[2]);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(o->words[1], kinds[i].name) == 0)
            return &kinds[i];
    bad_usage("tree %s: no such tree; %s", o->words[1], one_of(&names, o->words[1], list));
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
    if (strcmp(o->delay, "none") == 0)
        bad_option("--delay", o->delay,
                   "logp, loggp or store-forward: where nothing takes time "
                   "no tree is the best");
    if (logp_capacity(&o->params) > 0)
        bad_option("--capacity", option_text("capacity"),
                   "off, for the tree is the best where no sender stalls");
}

int command_tree(struct options *o)
{
    const struct kind *kind = the_kind(o);
    struct tree tree;

    refuse_unplanned(o);
    limit(o, o->P, MOST_NODES, "a whole tree is shown", "");
    tree = kind->make(o);
    warn_of_unused(o);
    if (o->format == FORMAT_TABLE)
        limit(o, tree.used, MOST_PRINTED, "a tree is printed", "; --format json, csv: 1048576");
    if (o->format == FORMAT_SVG)
        limit(o, tree.used, MOST_DRAWN, "a tree is drawn", "");
    if (o->format == FORMAT_JSON)
        print_tree_json(o, &tree);
    else if (o->format == FORMAT_CSV)
        print_tree_csv(&tree);
    else if (o->format == FORMAT_SVG)
        draw_tree_svg(stdout, o, &tree);
    else
        print_tree_text(&tree);
    free_tree(&tree);
    return EXIT_OK;
}
