/* SPDX-License-Identifier: MIT */
/* What the suites of explanations share. */
#ifndef LOGP_TESTS_EXPLAINED_H
#define LOGP_TESTS_EXPLAINED_H

#include "drawn_links.h"

#include <stdio.h>

static inline int explain(const struct logp_algorithm *a, int P, const struct logp_invocation *c,
                          struct logp_explanation **e)
{
    return logp_explanation_of(a, P, &c->args, &c->model, e);
}

/* two-level needs nodes that are alike. */
static inline bool takes_any_links(const struct logp_algorithm *a)
{
    return a->steps != NULL && strcmp(a->name, "two-level") != 0;
}

/* Explanations know no topology, which neighbours and torus-rings need; rings needs several ports, and with other parameters
 * messages take other ports. */
static inline bool is_explained(const struct logp_algorithm *a)
{
    return a->steps != NULL && strncmp(a->name, "neighbours", 10) != 0 &&
           strcmp(a->name, "rings") != 0 && strcmp(a->name, "torus-rings") != 0;
}

/* A case of this row that can be explained, on links that differ or not: the rows by-* and lanes need some. */
static inline struct drawn draw_for(size_t row, size_t n, uint64_t *seed, bool linked)
{
    const struct logp_algorithm *a = test_rows(&n)[row];

    linked = linked || strncmp(a->name, "by-", 3) == 0 || strcmp(a->name, "lanes") == 0;
    for (;; *seed += n) {
        uint64_t random = *seed * UINT64_C(0xd1342543de82ef95) | 1;
        struct drawn d = draw(*seed + (n - *seed % n + row) % n);

        if (strcmp(a->name, "lanes") == 0)
            d.call.args.k = 1; /* each plan would try all of them */
        if (linked && d.topology == NULL) {
            d.call.model.links = draw_links(d.P, &random);
            d.call.model.params.capacity = 0;
        }
        if (d.topology == NULL && logp_params_capacity(&d.call.model.params) == 0 && d.P > 1 &&
            test_needs(a, d.P, &d.call) == NULL) {
            d.call.model.params.capacity = 0; /* by the rule there is one with another g */
            return d;
        }
        drawn_free(&d);
    }
}

/* Its model without chance: latencies are the longest. */
static inline struct logp_network longest(const struct drawn *d)
{
    struct logp_network model = d->call.model;

    model.params.latency_varies = false;
    return model;
}

/* ---- the tasks of an explanation as a list of steps again: the same schedule, held fixed ---- */

struct listed {
    struct logp_step **steps; /* by rank */
    int64_t *n, P;
    struct logp_step_list list;
};

static inline struct logp_step *listed_more(struct listed *l, int64_t rank)
{
    return memset(&l->steps[rank][l->n[rank]++], 0, sizeof(struct logp_step));
}

/* The tasks of e as steps. Combinations take gamma_ps for each element. The task with the index `late`
 * starts late_ns later; -1: no task is late. */
static inline struct listed listed_make(const struct logp_explanation *e, int64_t gamma_ps,
                                        int64_t late, int64_t late_ns)
{
    struct listed l = {.steps = calloc((size_t)e->P, sizeof(*l.steps)),
                       .n = calloc((size_t)e->P, sizeof(*l.n)),
                       .P = e->P};

    for (size_t i = 0; i < e->n_tasks; i++)
        l.n[e->tasks[i].rank]++;
    for (int64_t r = 0; r < e->P; r++) {
        l.steps[r] = malloc((size_t)(l.n[r] + 1) * sizeof(**l.steps));
        l.n[r] = 0;
    }
    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        if ((int64_t)i == late)
            logp_step_compute(listed_more(&l, t->rank), late_ns, 0);
        if (t->kind == LOGP_STEP_SEND)
            logp_step_send(listed_more(&l, t->rank), t->peer, t->tag, LOGP_RECV_BUF, 0, t->n_bytes);
        else if (t->kind == LOGP_STEP_RECEIVE)
            logp_step_receive(listed_more(&l, t->rank), t->peer, t->tag, LOGP_RECV_BUF, 0,
                              t->n_bytes);
        else
            logp_step_compute(
                listed_more(&l, t->rank),
                t->compute_ns + (int64_t)(((__int128)t->elements * gamma_ps + 999) / 1000), 0);
        l.list.most_bytes = t->n_bytes > l.list.most_bytes ? t->n_bytes : l.list.most_bytes;
    }
    l.list.P = e->P;
    l.list.steps = (const struct logp_step *const *)l.steps;
    l.list.n = l.n;
    return l;
}

static inline void listed_free(struct listed *l)
{
    for (int64_t r = 0; r < l->P; r++)
        free(l->steps[r]);
    free(l->steps);
    free(l->n);
}

static inline struct logp_schedule listed_schedule(const struct listed *l)
{
    const struct logp_args args = {.list = &l->list};

    return logp_schedule_of(logp_algorithm_find("schedule", "listed"), l->P, &args, NULL);
}

/* Its fold on this network. */
static inline int64_t listed_fold(const struct listed *l, const struct logp_network *model)
{
    const struct logp_schedule s = listed_schedule(l);
    TEST_DELAY delay = {0};
    struct logp_fold fold;

    cr_assert_eq(logp_network_delay(model, l->P, NULL, &delay, NULL), 0);
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &fold), 0);
    return fold.ns;
}

#endif
