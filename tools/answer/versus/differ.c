/* SPDX-License-Identifier: MIT */
/* The differences between two explanations: their terms, critical paths and tasks. */
#include "answer/versus/versus.h"

#include <stdlib.h>

/* ---- the terms ---- */

struct part part_of_time(const struct logp_explanation *e, int i)
{
    const struct logp_terms *t = &e->terms;
    const struct logp_params *p = &e->params;
    const struct part parts[] = {
        {"L", t->L, t->L * p->L_ns * 1000},
        {"o_send", t->o_send, t->o_send * p->o_send_ns * 1000},
        {"o_recv", t->o_recv, t->o_recv * p->o_recv_ns * 1000},
        {"g", t->g, t->g * p->g_ns * 1000},
        {"G", t->bytes, t->bytes * p->G_ps},
        {"gamma", t->elements, t->elements * p->gamma_ps},
        {"compute", -1, t->compute_ns * 1000},
        {"links", -1, t->links_ns * 1000},
        {"rounding", -1, t->rounding_ps},
        {NULL, 0, 0},
    };

    return parts[i];
}

/* ---- the critical paths ---- */

static void compare_paths(struct versus *v)
{
    const struct logp_explanation *a = v->out.rows[0].explained, *b = v->out.rows[1].explained;
    size_t i = 0;

    while (i < a->n_path && i < b->n_path && a->path[i].kind == b->path[i].kind &&
           a->path[i].to_ns == b->path[i].to_ns)
        i++;
    v->path.found = i < a->n_path || i < b->n_path;
    v->path.segment = i;
    v->path.at_ns = i > 0 ? a->path[i - 1].to_ns : 0;
}

/* ---- the timelines ---- */

/* The tasks of each rank, one rank after the other; first: out: P + 1 numbers, where each begins.
 * Both are to be freed. */
static const struct logp_task **by_rank(const struct logp_explanation *e, size_t **first)
{
    const struct logp_task **tasks = need(malloc((e->n_tasks + 1) * sizeof(*tasks)));
    size_t *at = need(calloc((size_t)e->P + 2, sizeof(*at)));

    for (size_t i = 0; i < e->n_tasks; i++)
        at[e->tasks[i].rank + 2]++;
    for (int64_t r = 2; r <= e->P; r++)
        at[r] += at[r - 1];
    for (size_t i = 0; i < e->n_tasks; i++)
        tasks[at[e->tasks[i].rank + 1]++] = &e->tasks[i];
    *first = at;
    return tasks;
}

static bool is_same(const struct logp_task *a, const struct logp_task *b)
{
    return a->kind == b->kind && a->peer == b->peer && a->n_bytes == b->n_bytes &&
           a->start_ns == b->start_ns && a->end_ns == b->end_ns;
}

/* Note that the tasks of the rank differ from a and b on, if no rank differs earlier. */
static void note(struct versus *v, int64_t rank, const struct logp_task *a,
                 const struct logp_task *b)
{
    const int64_t at_ns =
        b == NULL || (a != NULL && a->start_ns < b->start_ns) ? a->start_ns : b->start_ns;

    if (v->timeline.found && at_ns >= v->timeline.at_ns)
        return;
    v->timeline.found = true;
    v->timeline.at_ns = at_ns;
    v->timeline.rank = rank;
    v->timeline.task[0] = a;
    v->timeline.task[1] = b;
}

static void compare_tasks(struct versus *v)
{
    const struct logp_explanation *a = v->out.rows[0].explained, *b = v->out.rows[1].explained;
    size_t *first_a, *first_b;
    const struct logp_task **of_a = by_rank(a, &first_a), **of_b = by_rank(b, &first_b);

    for (int64_t r = 0; r < a->P; r++) {
        size_t i = first_a[r], k = first_b[r];

        while (i < first_a[r + 1] && k < first_b[r + 1] && is_same(of_a[i], of_b[k]))
            i++, k++;
        if (i < first_a[r + 1] || k < first_b[r + 1])
            note(v, r, i < first_a[r + 1] ? of_a[i] : NULL, k < first_b[r + 1] ? of_b[k] : NULL);
    }
    free(of_a);
    free(of_b);
    free(first_a);
    free(first_b);
}

void compare_explanations(struct versus *v)
{
    compare_paths(v);
    compare_tasks(v);
}
