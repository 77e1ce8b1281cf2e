/* SPDX-License-Identifier: MIT */
/* The number of messages of a tree on each link of a topology, round by round: see logp/delay.h. */
#include "choice/choice.h"

#include <logp/delay.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The rounds of all members but the root's, from 0; their number. Parents come before children. */
static int number_rounds(const struct lpi_tree_member *members, int P, int *round)
{
    int n = 0;

    round[0] = -1; /* the root has it before the first */
    for (int i = 1; i < P; i++) {
        round[i] = round[members[i].parent] + members[i].k + 1;
        n = round[i] + 1 > n ? round[i] + 1 : n;
    }
    return n;
}

/* Indices of the messages, by round: counting sort into order. */
static int sort_by_round(const int *round, int P, int n_rounds, int *order)
{
    int *next = calloc((size_t)n_rounds + 2, sizeof(*next));

    if (next == NULL)
        return -ENOMEM;
    for (int i = 1; i < P; i++)
        next[round[i] + 1]++;
    for (int r = 1; r <= n_rounds; r++)
        next[r] += next[r - 1];
    for (int i = 1; i < P; i++)
        order[next[round[i]]++] = i;
    free(next);
    return 0;
}

/* Add n to all links of the message to or from member i. @return the most on any of them */
static int load_route(const struct logp_topology *t, const struct lpi_tree_member *members, int i,
                      enum logp_along along, int *links, int n)
{
    const int child = members[i].rank, parent = members[members[i].parent].rank;
    const int dst = along == LOGP_FROM_ROOT ? child : parent;
    int node = along == LOGP_FROM_ROOT ? parent : child, link, most = 0;

    while ((link = logp_topology_next(t, &node, dst)) >= 0) {
        links[link] += n;
        most = links[link] > most ? links[link] : most;
    }
    return most;
}

/* Fill load from the messages in the order of their rounds; now: a counter for each link, all 0. */
static void add_up(struct logp_link_load *load, const struct logp_topology *t,
                   const struct lpi_tree_member *members, enum logp_along along, const int *round,
                   const int *order, int *now)
{
    const int n = logp_topology_size(t) - 1;

    for (int begin = 0, end; begin < n; begin = end) {
        const int r = round[order[begin]];
        int most = 0;

        for (end = begin; end < n && round[order[end]] == r; end++) {
            const int here = load_route(t, members, order[end], along, now, 1);

            load_route(t, members, order[end], along, load->messages, 1);
            most = here > most ? here : most;
        }
        for (int i = begin; i < end; i++)
            load_route(t, members, order[i], along, now, -1);
        load->step_most[along == LOGP_FROM_ROOT ? r : load->n_steps - 1 - r] = most;
    }
}

/* In a reduction the child received last is the first of the same broadcast. */
static void reverse_children(struct lpi_tree_member *members, int P)
{
    for (int i = 1; i < P; i++)
        members[i].k = members[members[i].parent].n_children - 1 - members[i].k;
}

static int load_tree(struct logp_link_load *load, const struct logp_topology *t,
                     struct lpi_tree_member *members, enum logp_along along)
{
    const int P = logp_topology_size(t);
    int *round = malloc((size_t)P * sizeof(int)), *order = malloc((size_t)P * sizeof(int));
    int *now = calloc((size_t)logp_topology_links(t) + 1, sizeof(int));
    int rc = -ENOMEM;

    if (along == LOGP_TO_ROOT)
        reverse_children(members, P);
    if (round != NULL && order != NULL && now != NULL) {
        load->n_steps = number_rounds(members, P, round);
        load->n_links = logp_topology_links(t);
        load->step_most = calloc((size_t)load->n_steps + 1, sizeof(int));
        load->messages = calloc((size_t)load->n_links + 1, sizeof(int));
        if (load->step_most != NULL && load->messages != NULL)
            rc = sort_by_round(round, P, load->n_steps, order);
        if (rc == 0)
            add_up(load, t, members, along, round, order, now);
    }
    free(round);
    free(order);
    free(now);
    return rc;
}

int logp_link_load_init(struct logp_link_load *load, const struct logp_algorithm *algorithm,
                        const struct logp_args *args, const struct logp_network *model)
{
    struct logp_invocation c = lpi_invocation(args, model);
    const enum logp_along along = algorithm->along;
    struct lpi_tree_member *members;
    int P, rc;

    *load = (struct logp_link_load){0};
    if (c.model.topology == NULL)
        return -EINVAL;
    P = logp_topology_size(c.model.topology);
    if (c.args.root < 0 || c.args.root >= P)
        return -EINVAL;
    if (along == LOGP_ALONG_NO_TREE || lpi_needs(algorithm, P, &c) != NULL)
        return -ENOTSUP;
    rc = lpi_resolve_free(algorithm, P, &c);
    if (rc == 0)
        rc = lpi_whole_tree(algorithm, P, &c, &members);
    if (rc != 0)
        return rc;
    rc = load_tree(load, c.model.topology, members, along);
    free(members);
    if (rc != 0)
        logp_link_load_fini(load);
    return rc;
}

void logp_link_load_fini(struct logp_link_load *load)
{
    free(load->step_most);
    free(load->messages);
    *load = (struct logp_link_load){0};
}
