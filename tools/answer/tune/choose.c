/* SPDX-License-Identifier: MIT */
/*
 * The choice of the best algorithms: find_reigns() first finds the pick of each size, and then, in
 * each reign, the ranges of its parameter (k or the fan-out). The sizes at which algorithms change
 * are therefore those of logp bench crossover.
 */
#include "answer/runs.h"
#include "answer/tune/tune.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PICKS = 256 };

/* All candidates; a row with segments has one for each size of them. */
struct picks {
    struct tune_pick pick[MAX_PICKS];
    size_t n;
};

static void add_pick(struct picks *p, const struct logp_algorithm *a, const struct tune_row *row,
                     int64_t block)
{
    if (p->n < MAX_PICKS)
        p->pick[p->n++] = (struct tune_pick){.algorithm = a, .row = row, .block = block};
}

static bool has_block(const struct logp_algorithm *a)
{
    return logp_algorithm_knob(a, logp_knob_find("block"), 0, NULL, NULL, NULL);
}

static void add_row(struct picks *p, const struct tune_collective *c, const struct tune_row *row)
{
    const struct logp_algorithm *a = logp_algorithm_find(c->ours, row->ours);
    const int64_t least = 1 << 10, most = 1 << 20;

    if (a == NULL) {
        say("%s %s is left out because logp does not have this algorithm", c->ours, row->ours);
        return;
    }
    add_pick(p, a, row, 0);
    for (int64_t block = least; row->segments && has_block(a) && block <= most; block *= 4)
        add_pick(p, a, row, block);
}

static void find_picks(const struct tune_collective *c, struct picks *p)
{
    const struct logp_algorithm *a;

    p->n = 0;
    for (size_t i = 0; c->rows == NULL && (a = logp_algorithm_at(c->ours, i)) != NULL; i++)
        add_pick(p, a, NULL, 0);
    for (const struct tune_row *row = c->rows; row != NULL && row->ours != NULL; row++)
        add_row(p, c, row);
}

/* A point to choose for: a collective, a number of processors and a size. */
struct place {
    const struct question *q;
    const struct logp_collective *collective;
    int64_t P, n;                   /* n: elements of a vector, or bytes */
    const struct logp_links *links; /* of P processors; NULL: all are alike */
};

static int64_t power_below(int64_t P)
{
    int64_t p = 1;

    while (p <= P / 2)
        p *= 2;
    return p;
}

/* Whether the library runs the row's algorithm at this point; see enum tune_needs. */
static bool holds(const struct place *at, const struct tune_pick *pick)
{
    const struct tune_row *row = pick->row;
    const int64_t bytes = at->n * size_unit(at->q, at->collective), P = at->P;
    const int64_t count = bytes / (int64_t)at->q->what.element_bytes;

    return row == NULL || (((row->needs & TUNE_POWER) == 0 || (P & (P - 1)) == 0) &&
                           ((row->needs & TUNE_EACH) == 0 || count >= P) &&
                           ((row->needs & TUNE_MOST) == 0 || count >= power_below(P)) &&
                           (row->up_to == 0 || P <= row->up_to) &&
                           pick->block <= bytes / ((row->needs & TUNE_EACH) != 0 ? P : 2));
}

/* Predict a pick, and set its time and its k or fan-out.
 * @return false: it does not apply, or no prediction bounds it */
static bool predict_pick(const struct place *at, struct tune_pick *pick)
{
    const int64_t most_fanout = 32;              /* of Open MPI */
    const int64_t most_block = INT64_C(1) << 40; /* all in one */
    struct logp_invocation c = {
        .args = {.op = at->q->what.op, .may_differ = at->q->what.may_differ},
        .model = network_of(at->q)};
    struct logp_prediction p;

    c.model.links = at->links;
    if (at->collective->operands == LOGP_OPERANDS_VECTOR)
        c.args.count = at->n;
    else
        c.args.n_bytes = (size_t)at->n;
    if (pick->row != NULL) {
        c.args.k = pick->row->k;
        if (has_block(pick->algorithm))
            c.args.block_bytes = pick->block > 0 ? pick->block : most_block;
    }
    if (!holds(at, pick) ||
        logp_algorithm_needs(pick->algorithm, at->P, &c.args, &c.model) != NULL ||
        !logp_algorithm_same_results(pick->algorithm, &c.args))
        return false;
    pick->fanout = pick->k = 0;
    if (pick->row == NULL)
        knob_value(pick->algorithm, "k", at->P, &c, &pick->k);
    if (pick->row != NULL && pick->row->fanout &&
        !knob_value(pick->algorithm, "k", at->P, &c, &pick->fanout))
        pick->fanout = 1;
    p = predict_by(pick->algorithm, at->P, &c, LOGP_BY_EITHER);
    pick->ns = p.ns;
    return pick->fanout <= most_fanout &&
           (p.certainty == LOGP_PREDICTION_EXACT || p.certainty == LOGP_PREDICTION_BOUND);
}

/* Whether two algorithms have the same tree. With equal links, those with the same formula have. */
static bool same_tree(const struct place *at, const struct logp_algorithm *a,
                      const struct logp_algorithm *b)
{
    return a == b || (at->links == NULL && a->predict != NULL && a->predict == b->predict);
}

/* Return the best pick; ties go to the first. *next, unless next is NULL: the best one with another
 * tree. An algorithm of NULL: there is none. */
static struct tune_pick best_of(const struct place *at, const struct picks *picks,
                                struct tune_pick *next)
{
    struct tune_pick tried[MAX_PICKS], best = {.algorithm = NULL};
    size_t n = 0;

    for (size_t i = 0; i < picks->n; i++) {
        tried[n] = picks->pick[i];
        if (predict_pick(at, &tried[n]))
            n++;
    }
    for (size_t i = 0; i < n; i++)
        if (best.algorithm == NULL || tried[i].ns < best.ns)
            best = tried[i];
    if (next == NULL)
        return best;
    *next = (struct tune_pick){.algorithm = NULL};
    for (size_t i = 0; i < n; i++)
        if (!same_tree(at, tried[i].algorithm, best.algorithm) &&
            (next->algorithm == NULL || tried[i].ns < next->ns))
            *next = tried[i];
    return best;
}

static bool same_pick(const struct tune_pick *a, const struct tune_pick *b)
{
    return a->algorithm == b->algorithm && a->row == b->row && a->block == b->block &&
           a->fanout == b->fanout && a->k == b->k;
}

bool tune_same(const struct tune_cells *a, const struct tune_cells *b)
{
    size_t i = 0;

    while (i < a->n && i < b->n && a->cells[i].from == b->cells[i].from &&
           same_pick(&a->cells[i].best, &b->cells[i].best))
        i++;
    return i == a->n && i == b->n;
}

static void add_cell(struct tune_cells *cells, const struct tune_cell *cell)
{
    cells->cells = need(realloc(cells->cells, (cells->n + 1) * sizeof(*cell)));
    cells->cells[cells->n++] = *cell;
}

/* Show the watcher the current point, as a large size takes seconds where schedules are folded. */
static void tell_point(const struct place *at)
{
    char what[128];

    snprintf(what, sizeof(what), "%s, P = %lld, size %lld", at->collective->name, (long long)at->P,
             (long long)(at->n * size_unit(at->q, at->collective)));
    tell_doing(at->q, what);
}

/* The argument of the contests over sizes, for one number of processors. */
struct choosing {
    struct place at;
    const struct picks *picks;
    const struct tune_pick *told; /* the pick whose k and fan-out are compared */
};

/* Return the index of the best pick; -1: none applies. */
static int64_t best_pick(void *of, int64_t size)
{
    struct choosing *c = of;
    struct tune_pick best;

    c->at.n = size;
    tell_point(&c->at);
    best = best_of(&c->at, c->picks, NULL);
    for (size_t i = 0; i < c->picks->n; i++) {
        const struct tune_pick *p = &c->picks->pick[i];

        if (p->algorithm == best.algorithm && p->row == best.row && p->block == best.block)
            return (int64_t)i;
    }
    return -1;
}

static int64_t time_of_pick(void *of, int64_t i, int64_t size)
{
    struct choosing *c = of;
    struct tune_pick pick = c->picks->pick[i];

    c->at.n = size;
    return predict_pick(&c->at, &pick) ? pick.ns : -1;
}

/* Return k or the fan-out, predicted for one pick at a size; 0: it has neither. */
static int64_t number_told(void *of, int64_t size)
{
    struct choosing *c = of;
    struct tune_pick pick = *c->told;

    c->at.n = size;
    predict_pick(&c->at, &pick);
    return pick.k + pick.fanout;
}

/* Add the cells of a reign: one for each value of the pick's parameter. */
static void add_cells(struct choosing *c, const struct reign *r, struct tune_cells *cells)
{
    const int64_t unit = size_unit(c->at.q, c->at.collective), ends[] = {r->from, r->to};
    const struct contest told = {.best = number_told, .of = c};
    struct reigns all;

    c->told = &c->picks->pick[r->best];
    find_reigns(&told, ends, 2, &all);
    for (size_t i = 0; i < all.n; i++) {
        struct tune_cell cell = {.from = all.reign[i].from * unit};

        cell.settled = i == 0 ? r->settled * unit : cell.from;
        cell.to = (all.reign[i].to + 1) * unit - 1;
        c->at.n = all.reign[i].from;
        cell.best = best_of(&c->at, c->picks, &cell.next);
        add_cell(cells, &cell);
    }
    free(all.reign);
}

/* Add the cells of one number of processors for the sizes `least` to `most`, up to the first size
 * at which no algorithm applies. */
static void choose(struct choosing *c, int64_t least, int64_t most, struct tune_cells *cells)
{
    const int64_t unit = size_unit(c->at.q, c->at.collective), ends[] = {least, most};
    const struct contest picks = {best_pick, time_of_pick, c};
    struct reigns all;

    find_reigns(&picks, ends, 2, &all);
    for (size_t i = 0; i < all.n && all.reign[i].best >= 0; i++) {
        add_cells(c, &all.reign[i], cells);
        if (i + 1 == all.n)
            cells->cells[cells->n - 1].to = most * unit;
    }
    free(all.reign);
}

/* A collective without sizes gets one cell. */
struct problem *tune_choose(const struct question *q, const struct tune_collective *c,
                            struct tune_cells *cells)
{
    const struct logp_collective *ours = logp_collective_find(c->ours);
    const int64_t unit = size_unit(q, ours), least = (q->span.bytes_low + unit - 1) / unit;
    const bool sizeless = ours->operands == LOGP_OPERANDS_NONE;
    struct picks *picks = need(malloc(sizeof(*picks)));
    struct choosing choosing = {.at = {.q = q, .collective = ours}, .picks = picks};
    struct problem *problem = NULL;

    find_picks(c, picks);
    for (size_t i = 0; i < q->span.n_P; i++) {
        const int64_t most = q->span.bytes_high / unit;

        choosing.at.P = cells[i].P = q->span.P_list[i];
        problem = links_of(q, choosing.at.P, &choosing.at.links);
        if (problem != NULL)
            break;
        choose(&choosing, least, sizeless || most < least ? least : most, &cells[i]);
        if (cells[i].n == 0)
            say("%s, P = %lld: nothing to choose from", c->ours, (long long)choosing.at.P);
    }
    tell_doing(q, NULL);
    free(picks);
    return problem;
}
