/* SPDX-License-Identifier: MIT */
/*
 * A given run, in the order with the fewest choices: each vp sees the same as before, vps touch
 * each object in the same order, and of the vps that can do their next step the first in the list
 * runs. Choices are made as late as possible. If the program shares something else, or a request is
 * matched in another order than it completes in, the run may come out differently.
 */
#include "kit.h"

enum { NOTHING = -1 };

struct lpi_guide {
    int P;
    const struct logp_note *notes; /* of the given run */
    const struct lpi_point *points;
    int n_notes, n_points;
    int *wanted;       /* by vp: the note of its next step */
    int *wanted_point; /* by vp: the next input or fault that it is asked for */
};

static bool is_step(const struct logp_note *n)
{
    return n->kind == LOGP_NOTE_RECEIVE || n->kind == LOGP_NOTE_FOUND ||
           n->kind == LOGP_NOTE_MISSED || n->kind == LOGP_NOTE_TOUCHED;
}

/* The first step of the vp from note `from` on; NOTHING: none */
static int step_from(const struct lpi_guide *g, int rank, int from)
{
    for (int i = from; i < g->n_notes; i++)
        if (g->notes[i].rank == rank && is_step(&g->notes[i]))
            return i;
    return NOTHING;
}

static int point_from(const struct lpi_guide *g, int rank, int from)
{
    for (int i = from; i < g->n_points; i++)
        if (g->points[i].rank == rank &&
            (g->points[i].kind == LOGP_PICK || g->points[i].kind == LOGP_FAULT))
            return i;
    return NOTHING;
}

void lpi_guide_free(struct lpi_guide *g)
{
    if (g == NULL)
        return;
    free(g->wanted);
    free(g->wanted_point);
    free(g);
}

struct lpi_guide *lpi_guide_new(int P, const struct lpi_story *story,
                                const struct lpi_point *points, int n_points)
{
    struct lpi_guide *g = calloc(1, sizeof(*g));

    if (g == NULL)
        return NULL;
    *g = (struct lpi_guide){.P = P,
                            .notes = story->notes,
                            .n_notes = story->n_notes,
                            .points = points,
                            .n_points = n_points,
                            .wanted = malloc((size_t)P * sizeof(*g->wanted)),
                            .wanted_point = malloc((size_t)P * sizeof(*g->wanted_point))};
    if (g->wanted == NULL || g->wanted_point == NULL) {
        lpi_guide_free(g);
        return NULL;
    }
    return g;
}

static void begin(void *guide, uint64_t seed)
{
    struct lpi_guide *g = guide;

    (void)seed;
    for (int i = 0; i < g->P; i++) {
        g->wanted[i] = step_from(g, i, 0);
        g->wanted_point[i] = point_from(g, i, 0);
    }
}

static void note(void *guide, const struct logp_note *n)
{
    struct lpi_guide *g = guide;

    if (is_step(n) && g->wanted[n->rank] != NOTHING)
        g->wanted[n->rank] = step_from(g, n->rank, g->wanted[n->rank] + 1);
}

/* Whether another vp touched the object earlier in the given run, and has not yet in this one. */
static bool comes_later(const struct lpi_guide *g, int step)
{
    for (int i = 0; i < g->P; i++) {
        int at = g->wanted[i];

        while (
            at != NOTHING && at < step &&
            (g->notes[at].kind != LOGP_NOTE_TOUCHED || g->notes[at].value != g->notes[step].value))
            at = step_from(g, i, at + 1);
        if (at != NOTHING && at < step)
            return true;
    }
    return false;
}

static bool takes(const struct logp_note *n, const struct logp_alternative *a)
{
    return (n->kind == LOGP_NOTE_RECEIVE || n->kind == LOGP_NOTE_FOUND) && n->peer == a->source &&
           n->tag == a->tag;
}

static bool is_wanted(const struct lpi_guide *g, const struct logp_alternative *a)
{
    const int step = g->wanted[a->rank];
    const struct logp_note *n = &g->notes[step];

    if (step == NOTHING)
        return false;
    switch (a->kind) {
    case LOGP_TAKE:
    case LOGP_OVERTAKE:
        return takes(n, a) && (a->request == 0) == (n->kind == LOGP_NOTE_FOUND);
    case LOGP_MISS:
    case LOGP_CANCEL:
        return n->kind == LOGP_NOTE_MISSED;
    case LOGP_TOUCH:
        return n->kind == LOGP_NOTE_TOUCHED && n->value == a->tag && !comes_later(g, step);
    default:
        return false;
    }
}

/* Whether a match aside, or the end of a send or of a program, leaves the vp's next steps
 * possible. */
static bool is_beside(const struct lpi_guide *g, const struct logp_alternative *a)
{
    int step = g->wanted[a->rank];

    if (a->kind == LOGP_DONE || (a->kind == LOGP_CANCEL && step == NOTHING))
        return true;
    while (lpi_kit_takes(a) && a->request != 0 && step != NOTHING) {
        if (takes(&g->notes[step], a))
            return true;
        step = step_from(g, a->rank, step + 1);
    }
    return false;
}

/* Inputs and faults: as the vp was answered before. */
static int choose_again(struct lpi_guide *g, const struct logp_alternative *a, int n)
{
    const int rank = a[0].rank, at = g->wanted_point[rank];
    const struct lpi_point *point = &g->points[at];
    int i = 0;

    if (at == NOTHING || point->kind != (int)a[0].kind)
        return 0;
    g->wanted_point[rank] = point_from(g, rank, at + 1);
    while (i < n && point->tag != (a[i].kind == LOGP_PICK ? a[i].index : a[i].tag))
        i++;
    return i < n ? i : 0;
}

static int choose(void *guide, const struct logp_alternative *a, int n)
{
    struct lpi_guide *g = guide;

    if (a[0].kind == LOGP_PICK || a[0].kind == LOGP_FAULT)
        return choose_again(g, a, n);
    for (int i = 0; i < n; i++)
        if (is_wanted(g, &a[i]))
            return i;
    for (int i = 0; i < n; i++)
        if (is_beside(g, &a[i]))
            return i;
    return 0;
}

static bool next(void *guide, bool redundant, struct logp_checked *checked)
{
    (void)guide;
    (void)redundant;
    (void)checked;
    return false;
}

const struct lpi_strategy_ops lpi_strategy_guide = {
    .begin = begin,
    .choose = choose,
    .note = note,
    .next = next,
};
