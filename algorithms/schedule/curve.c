/* SPDX-License-Identifier: MIT */
/*
 * The time of a schedule as a function of a parameter. A pass at a value gives the longest path
 * there, which is a line: a multiple of the parameter, and a constant. No line is above the
 * function, and it is convex: where it is on a line at two values it is on it between them. So
 * begin with the lines at 0 and far out: if at the whole ps on both sides of where two lines meet
 * the function is not above them, no line is missing between them; else the path there is a new
 * line.
 */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

static const struct row {
    const char *name;
    struct logp_terms of; /* the terms that it is the price of */
} rows[] = {
    [LOGP_PARAMETER_L] = {"L", {.L = 1}},
    [LOGP_PARAMETER_O] = {"o", {.o_send = 1, .o_recv = 1}},
    [LOGP_PARAMETER_O_SEND] = {"o_send", {.o_send = 1}},
    [LOGP_PARAMETER_O_RECV] = {"o_recv", {.o_recv = 1}},
    [LOGP_PARAMETER_GAP] = {"g", {.g = 1}},
    [LOGP_PARAMETER_BYTE] = {"G", {.bytes = 1}},
    [LOGP_PARAMETER_GAMMA] = {"gamma", {.elements = 1}},
};

struct search {
    const struct lpi_explanation *x;
    struct lpi_prices prices;
    struct lpi_at *starts;
    struct logp_line *lines; /* slopes ascend */
    size_t n, capacity;
};

const char *logp_parameter_name(enum logp_parameter parameter)
{
    return rows[parameter].name;
}

int64_t logp_parameter_ps(enum logp_parameter parameter, const struct logp_params *params)
{
    const struct logp_terms ps = lpi_prices_of(params).ps, *of = &rows[parameter].of;

    if (of->o_send > 0)
        return ps.o_send;
    return of->L * ps.L + of->o_recv * ps.o_recv + of->g * ps.g + of->bytes * ps.bytes +
           of->elements * ps.elements;
}

/* The parameter has this value. */
static void set_price(struct lpi_prices *p, enum logp_parameter parameter, int64_t value_ps)
{
    const struct logp_terms *of = &rows[parameter].of;

    p->slope = *of;
    p->ps.L = of->L > 0 ? value_ps : p->ps.L;
    p->ps.o_send = of->o_send > 0 ? value_ps : p->ps.o_send;
    p->ps.o_recv = of->o_recv > 0 ? value_ps : p->ps.o_recv;
    p->ps.g = of->g > 0 ? value_ps : p->ps.g;
    p->ps.bytes = of->bytes > 0 ? value_ps : p->ps.bytes;
    p->ps.elements = of->elements > 0 ? value_ps : p->ps.elements;
}

static bool is_there(const struct logp_params *params, enum logp_parameter parameter)
{
    return parameter != LOGP_PARAMETER_O || params->o_send_ns == params->o_recv_ns;
}

/* ---- lines ---- */

static __int128 height(const struct logp_line *line, int64_t at_ps)
{
    return line->base_ps + (__int128)line->slope * at_ps;
}

static struct lpi_at pass_at(struct search *s, enum logp_parameter parameter, int64_t value_ps,
                             enum lpi_longer longer)
{
    uint32_t last;

    set_price(&s->prices, parameter, value_ps);
    s->prices.longer = longer;
    return lpi_pass(s->x, &s->prices, s->starts, NULL, &last);
}

/* The line of the longest path at a value. */
static struct logp_line line_at(struct search *s, enum logp_parameter parameter, int64_t value_ps,
                                enum lpi_longer longer)
{
    const struct lpi_at at = pass_at(s, parameter, value_ps, longer);

    return (struct logp_line){.slope = at.slope,
                              .base_ps = (int64_t)(at.ps - (__int128)at.slope * value_ps)};
}

/* The last whole value up to which the first of two lines is not below the second. */
static int64_t meeting(const struct logp_line *a, const struct logp_line *b)
{
    return (a->base_ps - b->base_ps) / (b->slope - a->slope);
}

/* Whether there is a line above both, where they meet. */
static bool find_between(struct search *s, enum logp_parameter parameter, const struct logp_line *a,
                         const struct logp_line *b, struct logp_line *found)
{
    const int64_t at = meeting(a, b);

    *found = line_at(s, parameter, at, LPI_BY_TIME_THEN_MORE);
    if (height(found, at) > height(a, at))
        return true;
    if (height(a, at) == height(b, at))
        return false;
    *found = line_at(s, parameter, at + 1, LPI_BY_TIME_THEN_MORE);
    return height(found, at + 1) > height(b, at + 1);
}

static int insert(struct search *s, size_t place, struct logp_line line)
{
    if (!lpi_grow(&s->lines, s->n, &s->capacity, sizeof(*s->lines), 8))
        return -ENOMEM;
    for (size_t i = s->n++; i > place; i--)
        s->lines[i] = s->lines[i - 1];
    s->lines[place] = line;
    return 0;
}

/* Find the lines from left to right: those to the left of lines[i] are complete. */
static int find_lines(struct search *s, enum logp_parameter parameter)
{
    struct logp_line line = line_at(s, parameter, 0, LPI_BY_TIME_THEN_MORE);
    int rc = insert(s, 0, line);

    line = line_at(s, parameter, 0, LPI_BY_SLOPE);
    if (rc == 0 && line.slope > s->lines[0].slope)
        rc = insert(s, 1, line);
    for (size_t i = 0; rc == 0 && i + 1 < s->n;)
        if (find_between(s, parameter, &s->lines[i], &s->lines[i + 1], &line))
            rc = insert(s, i + 1, line);
        else
            i++;
    for (size_t i = 1; i < s->n; i++) {
        const int64_t at = meeting(&s->lines[i - 1], &s->lines[i]);

        s->lines[i].from_ps = at + (height(&s->lines[i - 1], at) > height(&s->lines[i], at));
    }
    return rc;
}

/* Return the most messages, or combinations, that are rounded up on any path. */
static int64_t most_roundings(struct search *s, enum logp_parameter parameter)
{
    struct lpi_at at;

    s->prices.counts_roundings = true;
    at = pass_at(s, parameter, 0, LPI_BY_SLOPE);
    s->prices.counts_roundings = false;
    return at.slope;
}

int logp_explanation_curve(const struct logp_explanation *e, enum logp_parameter parameter,
                           struct logp_curve *out)
{
    struct search s = {.x = (const struct lpi_explanation *)e, .prices = lpi_prices_of(&e->params)};
    int rc;

    if ((int)parameter < 0 || parameter >= LOGP_PARAMETERS || !is_there(&e->params, parameter))
        return -EINVAL;
    s.starts = malloc((e->n_tasks + 1) * sizeof(*s.starts));
    if (s.starts == NULL)
        return -ENOMEM;
    *out = (struct logp_curve){.parameter = parameter,
                               .at_ps = logp_parameter_ps(parameter, &e->params)};
    s.prices.rounds_bytes = parameter != LOGP_PARAMETER_BYTE;
    s.prices.rounds_elements = parameter != LOGP_PARAMETER_GAMMA;
    out->right = pass_at(&s, parameter, out->at_ps, LPI_BY_TIME_THEN_MORE).slope;
    out->left = out->at_ps > 0 ? pass_at(&s, parameter, out->at_ps, LPI_BY_TIME_THEN_LESS).slope
                               : out->right;
    rc = find_lines(&s, parameter);
    if (parameter == LOGP_PARAMETER_BYTE || parameter == LOGP_PARAMETER_GAMMA)
        out->rounding_ns = most_roundings(&s, parameter);
    free(s.starts);
    if (rc != 0)
        free(s.lines);
    else
        out->lines = s.lines;
    out->n = s.n;
    return rc;
}

void logp_curve_free(struct logp_curve *curve)
{
    free((void *)(uintptr_t)curve->lines);
    curve->lines = NULL;
}

int64_t logp_curve_ps(const struct logp_curve *curve, int64_t value_ps)
{
    size_t low = 0, high = curve->n;
    __int128 ps;

    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;

        if (curve->lines[middle].from_ps <= value_ps)
            low = middle;
        else
            high = middle;
    }
    ps = height(&curve->lines[low], value_ps);
    return ps < INT64_MAX ? (int64_t)ps : INT64_MAX;
}

int logp_explanation_at(const struct logp_explanation *e, enum logp_parameter parameter,
                        int64_t value_ps, int64_t *ns)
{
    struct search s = {.x = (const struct lpi_explanation *)e, .prices = lpi_prices_of(&e->params)};
    const bool in_ps = parameter == LOGP_PARAMETER_BYTE || parameter == LOGP_PARAMETER_GAMMA;
    __int128 ps;

    if ((int)parameter < 0 || parameter >= LOGP_PARAMETERS || !is_there(&e->params, parameter) ||
        value_ps < 0 || value_ps > LOGP_PARAM_MAX_NS * (in_ps ? 1 : 1000) ||
        (!in_ps && value_ps % 1000 != 0))
        return -EINVAL;
    s.starts = malloc((e->n_tasks + 1) * sizeof(*s.starts));
    if (s.starts == NULL)
        return -ENOMEM;
    ps = pass_at(&s, parameter, value_ps, LPI_BY_TIME_THEN_MORE).ps;
    free(s.starts);
    if (ps > INT64_MAX)
        return -EOVERFLOW;
    *ns = (int64_t)(ps / 1000);
    return 0;
}
