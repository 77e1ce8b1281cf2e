/* SPDX-License-Identifier: MIT */
/*
 * Choose the row with the least prediction, and the value of the parameter that it leaves free: k, the
 * window or the block. Ties go to the row that is first in the table, and to the smallest value.
 *
 * Formulas come first. Rows that they leave open are folded, within LOGP_FOLD_MESSAGES for all rows
 * together, and as many for each row that uses another collective, by branch and bound. A fold stops as soon as a processor is busy for longer than the
 * best so far takes. A row is not folded at all if its formula without gaps, capacity and slow
 * links is already longer; nor are later rows of the table once the best equals the collective's
 * lower bound. Schedules with few messages are folded first, and rows without a free parameter before
 * those with one, each of which has many candidates. The choice does not depend on this order.
 *
 * Up to 64 values are tried: windows of 1 .. P - 1, and blocks of 1 .. all elements, of each number the
 * smallest, of rows that leave these free only where these are all; and k of 2 .. 64. For more than 64 processors larger k are
 * tried by formulas alone: those where the number of rounds, log_k P, becomes smaller. Where there are more blocks than 64,
 * rows that no formula decides only estimate the best. The numbers of blocks next to the estimate are tried at last, if with
 * the estimate the row is nearly the best.
 */
#include "choice/choice.h"
#include "choice/contained.h"
#include "operand/operand.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_ROWS = 256, EVERY_VALUE = 64, HOST_K = 4, FEW_MESSAGES = 1 << 16 };

/* Of rows that estimate their block: the messages with the first other number of blocks, and twice
 * those with all of them; and by which part of the best time the estimate may be later. */
enum { MOST_NEAR = 1 << 12, FAR = 4 };

_Static_assert(MOST_ROWS >= LOGP_MOST_LEFT, "each of the rows that are left may be named");

/* A candidate that no formula decides. */
struct open {
    size_t row;
    int64_t value;                  /* of its free parameter; 0: it has none */
    struct logp_prediction formula; /* used if the fold fails */
    int64_t at_least;               /* lower bound of the time; 0: not known */
    int64_t ns;                     /* as folded; 0: it took too long */
    bool is_contained;              /* the row uses a containing collective */
    bool closed;                    /* folded, or dropped */
};

struct search {
    const char *collective;
    int64_t P;
    const struct logp_invocation *c; /* as it is predicted */
    /* A row that uses a containing collective is here once for each row within. */
    const struct logp_algorithm *row[MOST_ROWS], *within[MOST_ROWS];
    size_t field[MOST_ROWS]; /* of its free parameter; 0: it has none */
    size_t n;
    struct open *open;
    size_t n_open, n_closed, space;
    bool is_ended;
    bool by_formula;         /* nothing is folded */
    bool own;                /* without rows that use another collective */
    struct lpi_choice first; /* the row before each row within, where it is free */
    struct lpi_folds folds;
    struct lpi_choice best;
    size_t at;                     /* the row of the best */
    int64_t at_most, at_least;     /* bounds of the best time */
    int64_t until;                 /* no longer time is wanted; 0: any is */
    const struct lpi_watch *watch; /* NULL: all are compared */
    struct logp_choice *left;      /* out: rows that were not compared; NULL: not wanted */
};

/* Whether steps of another collective come before those of the row within. */
static bool has_first(const struct logp_algorithm *a)
{
    const struct lpi_contained *x = lpi_contained_of(a);

    return x != NULL && lpi_before_of(x) != NULL;
}

/* Whether all pairs of processors have the same L, o, g and G, and nothing else delays messages. */
static bool is_uniform(const struct logp_network *n)
{
    return n->links == NULL && n->topology == NULL && !n->params.gap_shared &&
           n->params.capacity == 0 && n->rendezvous_from == 0 && !lpi_has_ports(n);
}

/* ---- the free parameter ---- */

static int64_t *value_at(struct logp_invocation *c, size_t field)
{
    return (int64_t *)((char *)&c->args + field);
}

/* The parameter, as a field of struct logp_args, that neither the caller nor the row sets; 0: none. */
static size_t free_field(const struct logp_algorithm *a, int64_t P, const struct logp_invocation *c)
{
    static const size_t may_be[] = {offsetof(struct logp_args, k),
                                    offsetof(struct logp_args, window),
                                    offsetof(struct logp_args, block_bytes)};
    const struct lpi_contained *x = lpi_contained_of(a);

    if (x != NULL && c->args.within != NULL) {
        const struct logp_invocation in = lpi_within(x, P, c);

        return free_field(c->args.within, P, &in);
    }
    for (int i = 0; i < LOGP_MAX_KNOBS && a->knobs[i].field != 0; i++)
        for (size_t j = 0; j < sizeof(may_be) / sizeof(may_be[0]); j++)
            if (a->knobs[i].field == may_be[j] && a->knobs[i].value != NULL &&
                *(const int64_t *)((const char *)&c->args + may_be[j]) == 0 &&
                a->knobs[i].value(P, c) == 0)
                return may_be[j];
    return 0;
}

/* The block that a row estimates, or the row within, where neither the caller nor the row sets it; 0: it has none. No
 * estimate counts where long messages wait for their receivers: a block that is a little smaller may not wait. */
static int64_t estimated_block(const struct logp_algorithm *a, int64_t P,
                               const struct logp_invocation *c)
{
    const struct lpi_contained *x = lpi_contained_of(a);

    if (c->args.block_bytes != 0 || c->model.rendezvous_from > 0)
        return 0;
    if (x != NULL) {
        const struct logp_invocation in = lpi_within(x, P, c);

        return c->args.within != NULL && lpi_contained_of(c->args.within) == NULL
                   ? estimated_block(c->args.within, P, &in)
                   : 0;
    }
    for (int i = 0; i < LOGP_MAX_KNOBS && a->knobs[i].field != 0; i++)
        if (a->knobs[i].field == offsetof(struct logp_args, block_bytes) &&
            a->knobs[i].value != NULL)
            return a->knobs[i].value(P, c);
    return 0;
}

/* Whether k^n >= P. */
static bool reaches(int64_t k, int n, int64_t P)
{
    int64_t power = 1;

    for (; n > 0 && power < P; n--)
        if (__builtin_mul_overflow(power, k, &power))
            return true;
    return power >= P;
}

/* The least k that is larger than `than` and has k^n >= P for fewer n; 0: none. */
static int64_t next_root(int64_t P, int64_t than)
{
    int64_t low = than + 1, high = P;
    int n = 0;

    while (!reaches(than, n + 1, P))
        n++;
    while (n > 0 && low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (reaches(middle, n, P))
            high = middle;
        else
            low = middle + 1;
    }
    return n > 0 ? low : 0;
}

static int64_t next_k(int64_t P, int64_t k)
{
    return k < EVERY_VALUE && k < lpi_max(P, 2) ? k + 1 : next_root(P, k);
}

/* Data that are cut into blocks: `whole` bytes, or elements of `unit` bytes. */
struct whole {
    int64_t whole, unit;
};

static struct whole whole_of(const struct logp_algorithm *a, const struct logp_invocation *c)
{
    if (c->args.op == NULL || logp_collective_find(a->collective)->operands == LOGP_OPERANDS_BYTES)
        return (struct whole){(int64_t)c->args.n_bytes, 1};
    return (struct whole){c->args.count, (int64_t)c->args.op->element_bytes};
}

/* The smallest block of which there are n, or fewer. */
static int64_t block_of(const struct whole *w, int64_t n)
{
    return w->unit * lpi_ceil_div(w->whole, n);
}

static int64_t blocks_in(const struct whole *w, int64_t block)
{
    return block >= w->unit ? lpi_ceil_div(w->whole, block / w->unit) : w->whole + 1;
}

/* The smallest block of which there are fewer. */
static int64_t next_block(const struct logp_algorithm *a, const struct logp_invocation *c,
                          int64_t block)
{
    const struct whole w = whole_of(a, c);
    const int64_t fewer = blocks_in(&w, block) - 1;

    return fewer > 0 ? block_of(&w, fewer) : 0;
}

/* Values of a row, more than it can have unless sizes wrap. Where it refuses so many, it refuses the
 * call itself. */
enum { MOST_VALUES = 256 };

/* The next value that a row can have; 0: none. */
static int64_t next_value(const struct logp_algorithm *a, int64_t P,
                          const struct logp_invocation *c, size_t field, int64_t value)
{
    const struct lpi_contained *x = lpi_contained_of(a);
    const bool is_contained = x != NULL && c->args.within != NULL;
    const struct logp_invocation in = is_contained ? lpi_within(x, P, c) : *c;
    struct logp_invocation with = *c;
    int n_refused = 0;

    do {
        if (field == offsetof(struct logp_args, k))
            value = next_k(P, value);
        else if (field == offsetof(struct logp_args, window))
            value = value < P - 1 && value < EVERY_VALUE ? value + 1 : 0;
        else
            value = next_block(is_contained ? c->args.within : a, &in, value);
        *value_at(&with, field) = value;
    } while (value > 0 && lpi_needs(a, P, &with) != NULL && ++n_refused < MOST_VALUES);
    return n_refused < MOST_VALUES ? value : 0;
}

void lpi_set_free(const struct logp_algorithm *a, int64_t P, struct logp_invocation *c,
                  int64_t value)
{
    const size_t field = value > 0 ? free_field(a, P, c) : 0;

    if (field > 0)
        *value_at(c, field) = value;
    else if (value > 0 && estimated_block(a, P, c) > 0)
        c->args.block_bytes = value;
}

static struct logp_invocation with_value(const struct search *s, size_t row, int64_t value)
{
    struct logp_invocation c = *s->c;

    c.args.within = s->within[row];
    if (c.args.first == NULL && has_first(s->row[row])) {
        c.args.first = s->first.algorithm;
        c.args.first_k = s->first.value;
    }
    if (value > 0)
        *value_at(&c, s->field[row]) = value;
    return c;
}

/* ---- the best so far ---- */

/* The rank of a prediction's certainty: a lower bound is below all other times. */
static int certainty_of(const struct logp_prediction *p)
{
    if (p->certainty == LOGP_PREDICTION_NONE)
        return 0;
    return p->certainty == LOGP_PREDICTION_LOWER_BOUND ? 1 : 2;
}

/* Whether it is before the best in the order that decides ties. */
static bool comes_first(const struct search *s, size_t row, int64_t value)
{
    return row < s->at || (row == s->at && value < s->best.value);
}

static void consider(struct search *s, size_t row, int64_t value, struct logp_prediction p)
{
    const struct logp_prediction *best = &s->best.prediction;
    bool better = s->best.algorithm == NULL || certainty_of(&p) > certainty_of(best);

    if (!better && certainty_of(&p) == certainty_of(best))
        better = (certainty_of(&p) > 0 && p.ns < best->ns) ||
                 ((certainty_of(&p) == 0 || p.ns == best->ns) && comes_first(s, row, value));
    if (!better)
        return;
    s->best = (struct lpi_choice){
        .algorithm = s->row[row], .value = value, .within = s->within[row], .prediction = p};
    if (has_first(s->row[row])) {
        s->best.first = s->first.algorithm;
        s->best.first_k = s->first.value;
    }
    s->at = row;
}

/* Return the most time that a row may take to be the best. */
static int64_t limit(const struct search *s, size_t row, int64_t value)
{
    const struct logp_prediction *best = &s->best.prediction;
    const int64_t ns = comes_first(s, row, value) ? best->ns : best->ns - 1;

    return certainty_of(best) == 2 && ns < s->at_most ? ns : s->at_most;
}

/* ---- formulas ---- */

static int add_open(struct search *s, struct open open)
{
    if (!lpi_grow(&s->open, s->n_open, &s->space, sizeof(*s->open), 64))
        return -ENOMEM;
    s->open[s->n_open++] = open;
    return 0;
}

/* The root of the row within has nothing to send before the first row has ended. */
static int64_t after_first(const struct search *s, const struct logp_invocation *c,
                           const struct logp_algorithm *a)
{
    const struct logp_invocation in = lpi_within(lpi_contained_of(a), s->P, c);

    return s->first.prediction.certainty != LOGP_PREDICTION_EXACT
               ? 0
               : s->first.prediction.ns + lpi_at_least(c->args.within, s->P, &in);
}

/* 0; -ENOMEM */
static int try_formula(struct search *s, size_t row, int64_t value)
{
    const struct logp_invocation c = with_value(s, row, value);
    struct open open = {.row = row, .value = value, .is_contained = s->within[row] != NULL};
    int rc = lpi_by_formula(s->row[row], s->P, &c, &open.formula);

    if (rc != 0)
        return rc;
    if (s->by_formula) {
        consider(s, row, value, open.formula);
        return 0;
    }
    if (lpi_only_bounds(s->P, &c, &open.formula)) {
        open.at_least = open.formula.ns;
        open.formula = (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
    }
    if (!lpi_is_open(s->row[row], s->P, &c, &open.formula)) {
        consider(s, row, value, open.formula);
        return 0;
    }
    if (s->field[row] == offsetof(struct logp_args, k) && value > EVERY_VALUE && open.at_least == 0)
        return 0; /* the largest k are left to formulas; rows with a lower bound have few */
    if (open.formula.certainty == LOGP_PREDICTION_BOUND && open.formula.ns < s->at_most)
        s->at_most = open.formula.ns;
    if (open.formula.certainty == LOGP_PREDICTION_LOWER_BOUND)
        open.at_least = open.formula.ns;
    else if (has_first(s->row[row]))
        open.at_least = after_first(s, &c, s->row[row]);
    else if (value > 0 && open.at_least == 0)
        open.at_least = lpi_at_least(s->row[row], s->P, &c);
    return add_open(s, open);
}

/* ---- folds ---- */

static void leave(struct search *s, size_t row)
{
    struct logp_choice *out = s->left;
    size_t i = 0;

    while (out != NULL && i < out->n_left && out->left[i] != s->row[row])
        i++;
    if (out != NULL && i == out->n_left && i < LOGP_MOST_LEFT)
        out->left[out->n_left++] = s->row[row];
}

/* Whether its block is only estimated. */
static bool is_estimate(const struct search *s, const struct open *open)
{
    const struct logp_invocation c = with_value(s, open->row, 0);

    return open->value == 0 && estimated_block(s->row[open->row], s->P, &c) > 0;
}

/* at_first: a row with many messages stays open. 0; -ENOMEM */
static int try_fold(struct search *s, struct open *open, bool at_first)
{
    const struct logp_invocation c = with_value(s, open->row, open->value);
    const int64_t least = limit(s, open->row, open->value);
    const int64_t most =
        least < INT64_MAX / FAR && is_estimate(s, open) ? least + least / FAR : least;
    struct logp_prediction folded;
    int rc;

    open->closed = most < s->at_least || most < open->at_least;
    if (open->closed)
        return 0;
    rc = lpi_fold(&s->folds, s->row[open->row], s->P, &c, at_first ? FEW_MESSAGES : 0, most,
                  &folded);
    if (rc == -ENOMEM || (rc == -E2BIG && at_first))
        return rc == -ENOMEM ? rc : 0;
    open->closed = true;
    if (rc == -E2BIG)
        leave(s, open->row);
    if (rc != -ETIME)
        consider(s, open->row, open->value, rc == 0 ? folded : open->formula);
    open->ns = rc == 0 ? folded.ns : 0;
    return 0;
}

/* Rows of the collective itself; of these, and of the others, those without a free parameter; then those
 * that take the least, as far as that is known. */
static int in_order(const void *a, const void *b)
{
    const struct open *x = a, *y = b;
    const int64_t x_ns = x->value == 0 ? -1 : x->at_least > 0 ? x->at_least : INT64_MAX;
    const int64_t y_ns = y->value == 0 ? -1 : y->at_least > 0 ? y->at_least : INT64_MAX;

    if (x->is_contained != y->is_contained)
        return x->is_contained ? 1 : -1;
    if (x_ns != y_ns)
        return x_ns < y_ns ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Whether the caller ends the choice, which needs one candidate at least. */
static bool is_ended(struct search *s)
{
    if (s->watch != NULL && s->watch->ask != NULL && s->best.algorithm != NULL && !s->is_ended)
        s->is_ended = !s->watch->ask(s->watch->arg, s->n_closed, s->n_open);
    return s->is_ended;
}

/* Whether rows of the collective itself are open, any time is wanted, and all ranks begin together. The bound takes
 * longer than the folds of the others, few of which get far, and than those up to a time; and it knows no arrivals:
 * few times with them come near it. */
static bool is_bound_wanted(const struct search *s)
{
    const bool is_near = s->until == 0 && s->c->model.arrivals == NULL;

    for (size_t i = 0; is_near && i < s->n_open; i++)
        if (!s->open[i].is_contained)
            return true;
    return false;
}

/* Fold open candidates in their order. Each row that uses another collective has as many messages as
 * all others together, so that these leave it enough. 0; -ENOMEM */
static int fold_all(struct search *s, bool at_first)
{
    const struct logp_algorithm *last = NULL; /* of the rows that use another collective */
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < s->n_open; i++) {
        const struct logp_algorithm *a = s->row[s->open[i].row];

        if (s->open[i].is_contained && s->open[i].value == 0 && a != last) {
            s->folds.left = LOGP_FOLD_MESSAGES;
            last = a;
        }
        if (!s->open[i].closed && !is_ended(s)) {
            rc = try_fold(s, &s->open[i], at_first);
            s->n_closed += s->open[i].closed;
        }
    }
    return rc;
}

/* Other numbers of blocks than the estimate, the nearest first, as many as have few messages together.
 * 0; -ENOMEM */
static int try_near(struct search *s, size_t row)
{
    static const int more[] = {-1, -2, 1, -3, 2, -4, 3, -5, 4};
    const struct logp_algorithm *a = s->row[row];
    const struct lpi_contained *x = lpi_contained_of(a);
    const struct logp_invocation own = with_value(s, row, 0),
                                 in = x != NULL ? lpi_within(x, s->P, &own) : own;
    const int64_t block = estimated_block(a, s->P, &own);
    const struct whole w = whole_of(x != NULL ? own.args.within : a, &in);
    const int64_t n = w.whole > 0 ? blocks_in(&w, block) : 0;
    int64_t messages = 0;
    int rc = 0;

    s->field[row] = offsetof(struct logp_args, block_bytes);
    for (size_t i = 0; rc == 0 && i < sizeof(more) / sizeof(more[0]); i++) {
        const int64_t near = n + more[i];
        const int64_t size = near > 0 && near <= w.whole ? block_of(&w, near) : 0;
        const struct logp_invocation c = with_value(s, row, size);
        const size_t first = s->n_open;

        if (size == 0 || blocks_in(&w, size) != near || lpi_needs(a, s->P, &c) != NULL)
            continue;
        messages += lpi_bound_times(s->P, near);
        if (messages > (i == 0 ? MOST_NEAR : MOST_NEAR / 2))
            break;
        rc = try_formula(s, row, size);
        if (rc == 0 && s->n_open > first)
            rc = try_fold(s, &s->open[first], false);
    }
    return rc;
}

/* Rows that estimate their block, and with it are not far from the best; on unlike links, whose mean it is for, all.
 * 0; -ENOMEM */
static int try_all_near(struct search *s)
{
    const bool are_alike = is_uniform(&s->c->model);
    const int64_t best = s->best.prediction.ns;
    const size_t n = s->n_open;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct open open = s->open[i];

        if (is_estimate(s, &open) && !is_ended(s) &&
            (!are_alike || (open.ns > 0 && open.ns - best <= best / FAR)))
            rc = try_near(s, open.row);
    }
    return rc;
}

static int fold_open(struct search *s)
{
    int rc = lpi_folds_init(&s->folds, s->P, s->c);

    if (rc != 0)
        return rc;
    if (is_bound_wanted(s))
        s->at_least = logp_collective_lower_bound(s->collective, s->P, &s->c->args, &s->c->model);
    qsort(s->open, s->n_open, sizeof(*s->open), in_order);
    if (rc == 0)
        rc = fold_all(s, true);
    if (rc == 0)
        rc = fold_all(s, false);
    if (rc == 0)
        rc = try_all_near(s);
    for (size_t i = 0; i < s->n_open; i++)
        if (!s->open[i].closed)
            leave(s, s->open[i].row);
    lpi_folds_fini(&s->folds);
    return rc;
}

/* ---- all of it ---- */

static int search(struct search *s)
{
    int rc = 0;

    s->at_most = s->until > 0 ? s->until : INT64_MAX;
    s->at_least = 0;
    s->n_open = s->n_closed = 0;
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        const struct logp_invocation c = with_value(s, i, 0);
        const size_t field = s->field[i] = free_field(s->row[i], s->P, &c);
        int64_t value = field > 0 ? next_value(s->row[i], s->P, &c, field, 0) : 0;
        int n_values = 0;

        do {
            rc = try_formula(s, i, value);
            value = value > 0 ? next_value(s->row[i], s->P, &c, field, value) : 0;
        } while (rc == 0 && value > 0 && ++n_values < MOST_VALUES);
    }
    if (rc == 0 && s->n_open > 0)
        rc = fold_open(s);
    free(s->open);
    s->open = NULL;
    s->space = 0;
    return rc;
}

static void add_row(struct search *s, const struct logp_algorithm *a,
                    const struct logp_algorithm *within)
{
    if (s->n == MOST_ROWS)
        return;
    s->row[s->n] = a;
    s->within[s->n++] = within;
}

static int choose_first(struct search *s, const struct lpi_contained *x,
                        const struct logp_invocation *c);

/* A row that applies to c, with each row within that it can use. 0; -ENOMEM */
static int add_candidates(struct search *s, const struct logp_algorithm *a,
                          const struct logp_invocation *c)
{
    const struct lpi_contained *x = lpi_contained_of(a);
    const struct logp_algorithm *within;
    int rc = 0;

    if (has_first(a) && c->args.first == NULL) {
        rc = choose_first(s, x, c);
        if (rc != 0 || s->first.algorithm == NULL)
            return rc;
    }
    if (x == NULL || c->args.within != NULL) {
        add_row(s, a, c->args.within);
        return 0;
    }
    for (size_t i = 0; (within = lpi_next_within(x, s->P, c, &i)) != NULL; i++)
        add_row(s, a, within);
    return 0;
}

/* The rows that apply to c. 0; -ENOMEM */
static int add_rows(struct search *s, const struct logp_invocation *c, bool steps)
{
    const bool are_alike = is_uniform(&c->model);
    const bool contained = !s->by_formula && !s->own;
    const struct logp_algorithm *a;
    int rc = 0;

    if (s->P < 1)
        return 0;
    for (size_t i = 0; rc == 0 && (a = logp_algorithm_at(s->collective, i)) != NULL; i++)
        if (!(are_alike && lpi_is_for_links(a)) && (contained || lpi_contained_of(a) == NULL) &&
            !(has_first(a) && s->c->args.blocks == NULL) && lpi_is_candidate(a, s->P, c) &&
            (!steps || a->steps != NULL))
            rc = add_candidates(s, a, c);
    return rc;
}

/* The row of the collective that comes first which takes the least by itself. 0; -ENOMEM */
static int choose_first(struct search *s, const struct lpi_contained *x,
                        const struct logp_invocation *c)
{
    const struct logp_invocation before = lpi_first(c);
    struct search first = {
        .collective = lpi_before_of(x)->name, .P = s->P, .c = &before, .own = true};
    int rc = add_rows(&first, &before, true);

    if (rc == 0)
        rc = search(&first);
    s->first = first.best;
    return rc;
}

/* Where nothing at all is predicted: remove the parameters that no formula knows. */
static struct logp_invocation simpler(const struct logp_invocation *c)
{
    struct logp_invocation plain = lpi_alike(c);

    plain.model.links = NULL;
    plain.model.ports = 0;
    plain.model.rendezvous_from = 0;
    plain.model.arrivals = NULL;
    plain.model.params.capacity = 0;
    plain.model.params.recv_streams = false;
    return plain;
}

int lpi_choose(const char *collective, int64_t P, const struct logp_invocation *c,
               const struct logp_invocation *predicted, bool steps, const struct lpi_watch *watch,
               struct logp_choice *left, struct lpi_choice *out)
{
    struct search s = {
        .collective = collective, .P = P, .c = predicted, .watch = watch, .left = left};
    const struct logp_invocation plain = simpler(c);
    int rc;

    rc = add_rows(&s, c, steps);
    if (rc == 0)
        rc = search(&s);
    if (rc == 0 && s.best.algorithm != NULL &&
        s.best.prediction.certainty == LOGP_PREDICTION_NONE) {
        s.best = (struct lpi_choice){.algorithm = NULL};
        s.c = &plain;
        s.left = NULL;
        rc = search(&s);
        s.best.prediction = lpi_no_prediction();
    }
    *out = s.best;
    return rc;
}

int lpi_by_formulas(const void *collective, int64_t P, const struct logp_invocation *c,
                    struct lpi_choice *out)
{
    const struct logp_invocation plain = simpler(c);
    struct search s = {.collective = collective, .P = P, .c = &plain, .by_formula = true};
    int rc;

    rc = add_rows(&s, c, true);
    if (rc == 0)
        rc = search(&s);
    *out = s.best;
    return rc;
}

int lpi_by_mean(const void *collective, int64_t P, const struct logp_invocation *c,
                struct lpi_choice *out)
{
    const struct logp_invocation alike = lpi_alike(c);

    return lpi_choose(collective, P, c, &alike, false, NULL, NULL, out);
}

/* ---- the free parameter of one row ---- */

int lpi_choose_until(const struct logp_algorithm *a, int64_t P, const struct logp_invocation *c,
                     int64_t until, struct lpi_choice *out)
{
    struct search s = {.collective = a->collective, .P = P, .c = c, .until = until};
    int rc;

    rc = add_candidates(&s, a, c);
    if (rc == 0)
        rc = search(&s);
    *out = s.best;
    return rc;
}

static int best_value(const void *algorithm, int64_t P, const struct logp_invocation *c,
                      struct lpi_choice *out)
{
    return lpi_choose_until(algorithm, P, c, 0, out);
}

/* Whether the row within, or the one that comes first, is free: not set by the caller. */
static bool free_within(const struct logp_algorithm *a, const struct logp_invocation *c)
{
    return (c->args.within == NULL && lpi_contained_of(a) != NULL) ||
           (c->args.first == NULL && has_first(a));
}

/* Return the k where nothing is emulated, and so no k is predicted to be the best: the largest up
 * to HOST_K. */
static int64_t host_k(const struct logp_algorithm *a, int64_t P, const struct logp_invocation *c)
{
    const size_t field = offsetof(struct logp_args, k);
    int64_t k = next_value(a, P, c, field, 0), next = k;

    while (next > 0 && next <= HOST_K) {
        k = next;
        next = next_value(a, P, c, field, next);
    }
    return k;
}

void lpi_set_choice(const struct logp_algorithm *a, int64_t P, struct logp_invocation *c,
                    const struct lpi_choice *choice)
{
    c->args.within = choice->within;
    if (choice->first != NULL) {
        c->args.first = choice->first;
        c->args.first_k = choice->first_k;
    }
    lpi_set_free(a, P, c, choice->value);
}

int lpi_resolve_free(const struct logp_algorithm *a, int64_t P, struct logp_invocation *c)
{
    struct lpi_choice choice;
    int rc;

    if (P < 1 || P > LOGP_TREE_MAX ||
        !(free_within(a, c) || free_field(a, P, c) > 0 || estimated_block(a, P, c) > 0))
        return 0;
    if (c->model.undelayed && free_within(a, c)) {
        if (c->args.within == NULL)
            c->args.within = lpi_next_within(lpi_contained_of(a), P, c, &(size_t){0});
        if (has_first(a) && c->args.first == NULL)
            c->args.first = logp_algorithm_at(lpi_before_of(lpi_contained_of(a))->name, 0);
    }
    if (c->model.undelayed) {
        if (free_field(a, P, c) == offsetof(struct logp_args, k))
            c->args.k = host_k(a, P, c);
        return 0;
    }
    if (lpi_is_cacheable(c) && logp_algorithm_find(a->collective, a->name) == a)
        rc = lpi_choice_cached(best_value, a, P, c, &choice);
    else
        rc = best_value(a, P, c, &choice);
    if (rc == 0)
        lpi_set_choice(a, P, c, &choice);
    return rc;
}
