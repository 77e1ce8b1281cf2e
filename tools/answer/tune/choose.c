/* SPDX-License-Identifier: MIT */
/*
 * The choice of the best algorithms: find_reigns() first finds the pick of each size, and then, in
 * each reign, the ranges of its parameter (k or the fan-out). The sizes at which algorithms change
 * are therefore those of logp bench crossover. With several patterns of arrivals a pick's time is
 * the mean of its times over them. Picks that are later than the best one are not computed to their ends.
 */
#include "answer/runs.h"
#include "answer/tune/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (row->parts != NULL)
        return;
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

struct memory;

/* A point to choose for: a collective, a number of processors and a size. */
struct place {
    const struct question *q;
    const struct logp_collective *collective;
    int64_t P, n;                            /* n: elements of a vector, or bytes */
    const struct logp_links *links;          /* of P processors; NULL: all are alike */
    const struct question *inside, *between; /* of the levels; NULL: there are none */
    struct arrivals arrivals;                /* of P processors */
    struct memory *memory;                   /* of this P; NULL: none */
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

    return row == NULL ||
           (((row->needs & TUNE_POWER) == 0 || (P & (P - 1)) == 0) &&
            ((row->needs & TUNE_EACH) == 0 || count >= P) &&
            ((row->needs & TUNE_MOST) == 0 || count >= power_below(P)) &&
            (row->up_to == 0 || P <= row->up_to) && (row->below == 0 || bytes < row->below) &&
            pick->block <= bytes / ((row->needs & TUNE_EACH) != 0 ? P : 2));
}

static struct tune_pick best_of(const struct place *at, const struct picks *picks,
                                struct tune_pick *next);

/* A composed algorithm has steps. Return the best time of one of them; -1: no algorithm has a prediction. */
static int64_t time_of_part(const struct place *at, const struct tune_part *part)
{
    const int64_t M = at->inside->span.P_list[0], P[] = {M, at->P / M};
    const int64_t times[] = {[TUNE_SAME] = 1, [TUNE_OF_NODE] = M, [TUNE_OF_ALL] = at->P};
    const int64_t one = at->n * size_unit(at->q, at->collective), most = INT64_C(1) << 40;
    struct picks picks = {.n = 0};
    struct place of = {.q = part->between ? at->between : at->inside,
                       .collective = logp_collective_find(part->ours),
                       .P = P[part->between]};
    const struct tune_collective c = {.ours = part->ours, .rows = part->rows};
    struct tune_pick best;

    if (one > most / times[part->scale])
        return -1;
    of.n = one * times[part->scale] / size_unit(of.q, of.collective);
    find_picks(&c, &picks);
    best = best_of(&of, &picks, NULL);
    return best.algorithm != NULL ? best.ns : -1;
}

/* Predict a composed pick: one step after the other. */
static bool predict_parts(const struct place *at, struct tune_pick *pick)
{
    pick->ns = pick->fanout = pick->k = 0;
    if (at->inside == NULL || at->P % at->inside->span.P_list[0] != 0 ||
        at->P == at->inside->span.P_list[0] || !holds(at, pick))
        return false;
    for (const struct tune_part *part = pick->row->parts; part->ours != NULL; part++) {
        const int64_t ns = time_of_part(at, part);

        if (ns < 0)
            return false;
        pick->ns += ns;
    }
    return true;
}

/* The state of a pick. UNKNOWN is 0. LATER: its time is beyond pick->ns. APPLIES_NOT: it does not apply, or no prediction bounds it. */
enum known_as { UNKNOWN, APPLIES, APPLIES_NOT, LATER };

/* Its time up to `until`, as predict_mean(). */
static struct logp_prediction time_of(const struct place *at, const struct tune_pick *pick,
                                      struct logp_invocation *c, int64_t until)
{
    return at->arrivals.n > 0 ? predict_mean(&at->arrivals, pick->algorithm, at->P, c, until, NULL)
                              : predict_by(pick->algorithm, at->P, c, LOGP_BY_EITHER);
}

/* Predict a pick, and set its time and its k or fan-out. Times beyond `until` may not be computed. */
static enum known_as predict_pick(const struct place *at, int64_t until, struct tune_pick *pick)
{
    const int64_t most_fanout = 32;              /* of Open MPI */
    const int64_t most_block = INT64_C(1) << 40; /* all in one */
    struct logp_invocation c = {
        .args = {.op = at->q->what.op, .may_differ = at->q->what.may_differ},
        .model = network_of(at->q)};
    struct logp_prediction p;

    if (pick->row != NULL && pick->row->parts != NULL)
        return predict_parts(at, pick) ? APPLIES : APPLIES_NOT;
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
    if (!holds(at, pick) || !logp_algorithm_same_results(pick->algorithm, &c.args))
        return APPLIES_NOT;
    p = time_of(at, pick, &c, until);
    if (at->arrivals.n > 0 && p.certainty == LOGP_PREDICTION_LOWER_BOUND) {
        pick->ns = until;
        return LATER;
    }
    pick->fanout = pick->k = 0;
    if (pick->row == NULL)
        knob_value(pick->algorithm, "k", at->P, &c, &pick->k);
    if (pick->row != NULL && pick->row->fanout &&
        !knob_value(pick->algorithm, "k", at->P, &c, &pick->fanout))
        pick->fanout = 1;
    pick->ns = p.ns;
    return pick->fanout <= most_fanout &&
                   (p.certainty == LOGP_PREDICTION_EXACT || p.certainty == LOGP_PREDICTION_BOUND)
               ? APPLIES
               : APPLIES_NOT;
}

/* ---- picks that are predicted already ---- */

/* The picks of one number of processors at one size. */
struct known {
    int64_t size;
    unsigned char *state; /* by pick: enum known_as */
    struct tune_pick *pick;
};

/* All sizes so far: a hash table of 2^x; state NULL: a free place. */
struct memory {
    struct known *all;
    size_t n, space;
    size_t best; /* the pick that was the best at the size before */
};

static struct known *find_size(const struct memory *m, int64_t size)
{
    size_t i = (size_t)((uint64_t)size * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (m->space - 1);

    while (m->all[i].state != NULL && m->all[i].size != size)
        i = (i + 1) & (m->space - 1);
    return &m->all[i];
}

/* The picks at a size, of n. */
static struct known *known_at(struct memory *m, int64_t size, size_t n)
{
    struct known *k;

    if (m->n >= m->space / 2) {
        struct memory larger = {
            .n = m->n, .space = m->space > 0 ? 2 * m->space : 64, .best = m->best};

        larger.all = need(calloc(larger.space, sizeof(*larger.all)));
        for (size_t i = 0; i < m->space; i++)
            if (m->all[i].state != NULL)
                *find_size(&larger, m->all[i].size) = m->all[i];
        free(m->all);
        *m = larger;
    }
    k = find_size(m, size);
    if (k->state == NULL) {
        *k = (struct known){size, need(calloc(n + 1, 1)), need(calloc(n + 1, sizeof(*k->pick)))};
        m->n++;
    }
    return k;
}

static void forget(struct memory *m)
{
    for (size_t i = 0; i < m->space; i++) {
        free(m->all[i].state);
        free(m->all[i].pick);
    }
    free(m->all);
    *m = (struct memory){0};
}

/* As predict_pick(): of pick i. A search for the sizes where picks change asks for the same ones again. */
static enum known_as know_pick(const struct place *at, const struct picks *picks, size_t i,
                               int64_t until, struct tune_pick *out)
{
    struct known *k = at->memory != NULL ? known_at(at->memory, at->n, picks->n) : NULL;
    enum known_as state = k != NULL ? k->state[i] : UNKNOWN;

    if (state == APPLIES_NOT || state == APPLIES || (state == LATER && until <= k->pick[i].ns)) {
        *out = k->pick[i];
        return state;
    }
    *out = picks->pick[i];
    state = predict_pick(at, until, out);
    if (k != NULL) {
        k->pick[i] = *out;
        k->state[i] = (unsigned char)state;
    }
    return state;
}

/* Whether two algorithms have the same tree. With equal links and no
 * arrivals, those with the same formula have. */
static bool same_tree(const struct place *at, const struct logp_algorithm *a,
                      const struct logp_algorithm *b)
{
    return a == b || (at->links == NULL && at->arrivals.n == 0 && a->predict != NULL &&
                      a->predict == b->predict);
}

/* The first of the best picks whose tree is not that of `but`; NULL: any. *at_first: tried before the others,
 * which therefore often need not be computed to their ends; out: the best. */
static struct tune_pick first_of(const struct place *at, const struct picks *picks,
                                 const struct logp_algorithm *but, size_t *at_first)
{
    struct tune_pick best = {.algorithm = NULL, .ns = INT64_MAX}, tried;
    size_t best_i = picks->n;

    for (size_t turn = 0; turn <= picks->n; turn++) {
        const size_t i = turn == 0 ? *at_first : turn - 1;

        if (i >= picks->n || (turn > 0 && i == *at_first) ||
            (but != NULL && same_tree(at, picks->pick[i].algorithm, but)) ||
            know_pick(at, picks, i, best.ns, &tried) != APPLIES)
            continue;
        if (best.algorithm == NULL || tried.ns < best.ns || (tried.ns == best.ns && i < best_i)) {
            best = tried;
            best_i = i;
        }
    }
    *at_first = best_i;
    return best;
}

/* Return the best pick; ties go to the first. *next, unless next is NULL: the best one with another
 * tree. An algorithm of NULL: there is none. */
static struct tune_pick best_of(const struct place *at, const struct picks *picks,
                                struct tune_pick *next)
{
    size_t none = picks->n, *last = at->memory != NULL ? &at->memory->best : &none;
    const struct tune_pick best = first_of(at, picks, NULL, last);

    none = picks->n;
    if (next != NULL)
        *next = best.algorithm != NULL ? first_of(at, picks, best.algorithm, &none)
                                       : (struct tune_pick){.algorithm = NULL};
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
    size_t told; /* the pick whose k and fan-out are compared */
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
    struct tune_pick pick;

    c->at.n = size;
    return know_pick(&c->at, c->picks, (size_t)i, INT64_MAX, &pick) == APPLIES ? pick.ns : -1;
}

/* Return k or the fan-out, predicted for one pick at a size; 0: it has neither. */
static int64_t number_told(void *of, int64_t size)
{
    struct choosing *c = of;
    struct tune_pick pick;

    c->at.n = size;
    know_pick(&c->at, c->picks, c->told, INT64_MAX, &pick);
    return pick.k + pick.fanout;
}

/* Add the cells of a reign: one for each value of the pick's parameter. */
static void add_cells(struct choosing *c, const struct reign *r, struct tune_cells *cells)
{
    const int64_t unit = size_unit(c->at.q, c->at.collective), ends[] = {r->from, r->to};
    const struct contest told = {.best = number_told, .of = c};
    struct reigns all;

    c->told = (size_t)r->best;
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
                            const struct tune_level *inside, const struct tune_level *between,
                            struct tune_cells *cells)
{
    const struct logp_collective *ours = logp_collective_find(c->ours);
    const int64_t unit = size_unit(q, ours), least = (q->span.bytes_low + unit - 1) / unit;
    const bool sizeless = ours->operands == LOGP_OPERANDS_NONE;
    struct picks *picks = need(malloc(sizeof(*picks)));
    struct memory memory = {0};
    struct choosing choosing = {.at = {.q = q,
                                       .collective = ours,
                                       .inside = inside->q,
                                       .between = between->q,
                                       .memory = &memory},
                                .picks = picks};
    struct problem *problem = NULL;

    find_picks(c, picks);
    for (size_t i = 0; i < q->span.n_P; i++) {
        const int64_t most = q->span.bytes_high / unit;

        choosing.at.P = cells[i].P = q->span.P_list[i];
        problem = links_of(q, choosing.at.P, &choosing.at.links);
        if (problem == NULL)
            problem = arrivals_of(q, choosing.at.P, &choosing.at.arrivals);
        if (problem != NULL)
            break;
        choose(&choosing, least, sizeless || most < least ? least : most, &cells[i]);
        forget(&memory);
        if (cells[i].n == 0)
            say("%s, P = %lld: nothing to choose from", c->ours, (long long)choosing.at.P);
    }
    tell_doing(q, NULL);
    free(picks);
    return problem;
}
