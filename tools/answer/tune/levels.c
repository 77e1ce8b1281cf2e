/* SPDX-License-Identifier: MIT */
/*
 * The levels of nodes: the ranks of a node, and one rank of each node. Each is a network of its own, all of
 * whose links are alike, so the tables of a level are those of a question without nodes.
 */
#include "answer/tune/tune.h"
#include "text/problem.h"

#include <stdlib.h>

static struct question *level_of(const struct question *q)
{
    struct question *level = kept_by(q, malloc(sizeof(*level)), free);

    *level = *q;
    level->model.nodes[0] = '\0';
    level->model.node_size = 0;
    level->model.network.links = NULL;
    level->span.n_P = 0;
    return level;
}

/* Replace what --inter gives. */
static void go_between(struct question *level, const struct logp_link_costs *inter)
{
    struct logp_params *const p = &level->model.network.params;
    int64_t *const to[] = {&p->L_ns, &p->o_send_ns, &p->o_recv_ns, &p->g_ns, &p->G_ps};
    const int64_t from[] = {inter->L_ns, inter->o_send_ns, inter->o_recv_ns, inter->g_ns,
                            inter->G_ps};

    for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++)
        if (from[i] != LOGP_AS_BEFORE)
            *to[i] = from[i];
}

void tune_find_levels(const struct question *q, struct tune_level *inside,
                      struct tune_level *between)
{
    const int64_t M = q->model.node_size;
    struct span_question *span;

    if (M < 2 || q->model.rules != NULL)
        return;
    inside->q = level_of(q);
    inside->q->span.P_list[inside->q->span.n_P++] = M;
    between->q = level_of(q);
    go_between(between->q, &q->model.inter);
    span = &between->q->span;
    for (size_t i = 0; i < q->span.n_P; i++)
        if (q->span.P_list[i] > M && q->span.P_list[i] % M == 0)
            span->P_list[span->n_P++] = q->span.P_list[i] / M;
    if (span->n_P == 0)
        inside->q = between->q = NULL;
}

static struct problem *choose_level(const struct tune_collective *c, struct tune_level *level)
{
    const struct tune_level none = {.q = NULL};

    level->of = need(calloc(level->q->span.n_P, sizeof(*level->of)));
    return tune_choose(level->q, c, &none, &none, level->of);
}

struct problem *tune_choose_levels(struct tune_result *r)
{
    const struct tune_row *row = r->collective->rows;

    while (row != NULL && row->ours != NULL && row->parts == NULL)
        row++;
    if (r->inside.q == NULL || row == NULL || row->ours == NULL)
        return NULL;
    TRY(choose_level(r->collective, &r->inside));
    return choose_level(r->collective, &r->between);
}

void tune_drop_cells(struct tune_cells *cells, size_t n)
{
    for (size_t i = 0; cells != NULL && i < n; i++)
        free(cells[i].cells);
    free(cells);
}
