/* SPDX-License-Identifier: MIT */
/* logp tree: the communication tree of an algorithm (tree-based ones only), with times in units. */
#include "view/views.h"
#include "question/choice/choice.h"
#include "commands/command.h"
#include "answer/tree/tree.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 1 << 20 };

static const struct kind {
    const char *name;
    struct names optimal; /* algorithms */
    struct problem *(*make)(struct question *q, struct tree *out);
} kinds[] = {
    {"broadcast", {{"optimal"}, 1}, make_broadcast_tree},
    {"summation", {{"optimal-paper", "optimal"}, 2}, make_summation_tree},
};

/* Find the optimal tree of the collective. NULL: it has none, or another
 * algorithm was requested. */
static const struct kind *the_kind(const struct question *q, const char *collective)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, collective) == 0 &&
            (q->what.algorithms == ALGORITHMS_AUTO ||
             find_name(&kinds[i].optimal, q->what.algorithm_list) >= 0))
            return &kinds[i];
    return NULL;
}

/* Refuse n processors if they are more than that. */
static struct problem *limit(const struct question *q, int64_t n, int64_t most, const char *what,
                             const char *otherwise)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)q->model.P);
    if (n > most)
        return option_problem("-P", text, "%s up to %lld processors%s", what, (long long)most,
                              otherwise);
    return NULL;
}

/* Refuse options under which the times of messages are not known in advance. */
static struct problem *refuse_unplanned(const struct question *q)
{
    if (q->model.network.topology != NULL)
        return must_be("--topology", logp_topology_spec(q->model.network.topology),
                       "none: the tree is shown for a network without distances; remove it");
    if (q->model.network.links != NULL)
        return must_be(links_option(q), option_text(q, links_option(q)),
                       "none: the tree is shown for links that are alike; remove it");
    if (!q->model.emulated || model_params(q).recv_streams)
        return must_be("--delay", q->model.delay->name,
                       "logp, loggp or store-forward: the tree shows times");
    if (logp_params_capacity(&q->model.network.params) > 0)
        return must_be("--capacity", option_text(q, "capacity"),
                       "off: the tree is shown without stalls of senders; remove it");
    if (q->model.network.rendezvous_from > 0)
        return must_be("--rendezvous", option_text(q, "rendezvous"),
                       "none: the tree is shown for buffered sends; remove it");
    if (q->model.network.ports > 1)
        return must_be("--ports", option_text(q, "ports"),
                       "one port: the tree is shown for one; remove it");
    return NULL;
}

/* Show us, not units, to people if a parameter was given as a time and --unit was not given. */
static void choose_unit(struct question *q)
{
    static const struct names times = {{"L", "o", "o-send", "o-recv", "g"}, 5};
    const bool is_read = q->form.format->for_people || q->form.format->records == NULL;

    for (int i = 0; i < times.n; i++) {
        const char *text = option_given(q, times.name[i]) ? option_text(q, times.name[i]) : "0";

        if (is_read && !option_given(q, "unit") && text[strlen(text) - 1] == 's')
            q->model.unit_ns = 1000;
    }
}

static struct problem *show_tree(struct question *q, struct answer_file *to)
{
    const char *collective;
    const struct kind *kind;
    const struct tree_form *form = q->form.format->tree;
    struct problem *problem = NULL;
    struct tree tree;

    TRY(named_collective(q, &collective));
    kind = the_kind(q, collective);
    choose_unit(q);
    TRY(refuse_unplanned(q));
    TRY(limit(q, q->model.P, MOST_NODES, "a whole tree is shown", ""));
    TRY(kind != NULL ? kind->make(q, &tree) : make_found_tree(q, collective, &tree));
    if (form->most > 0)
        problem = limit(q, tree.used, form->most, form->limit, form->otherwise);
    if (problem == NULL)
        problem = form->show(to->f, q, &tree);
    free_tree(&tree);
    return problem;
}

const struct command command_tree = {
    .name = "tree",
    .arguments = "COLLECTIVE",
    .summary = "show the communication tree (tree-based algorithms only)",
    .options = OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_TREE | OPTIONS_PICTURE,
    .answer = ANSWER_TREE,
    .call = show_tree,
};
