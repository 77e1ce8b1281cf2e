/* SPDX-License-Identifier: MIT */
/*
 * A schedule in GOAL, the text format of LogGOPSim (Hoefler et al., 2010), read and written:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 100
 *     l2: send 8b to 1 tag 3
 *     l2 requires l1
 *     }
 *
 * Operations that no `requires` (or `irequires`: it waits only for the beginning) orders are
 * concurrent. Labels belong to their rank; they may be left out, and be required before they come.
 * Comments are // and / * * /. A receive may be from -1, any source, and with tag -1, any tag.
 * There is one processor and one network port each: cpu and nic are 0.
 */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 40 }; /* of a label */

/* In LogGOPSim's binary form a wildcard is all ones. */
static const int64_t any_there = UINT32_MAX;

/* A demand that one label requires another, before all labels of the rank are known. */
struct demand {
    struct name after, before;
    bool started;
    int line;
};

/* State of the reader: the text and the place in it. */
struct goal {
    struct reading *r;
    const char *at; /* the rest of the text */
    int line;
    char place[32];
    int open;     /* line of a comment without end; 0: there is none */
    int64_t rank; /* -1: between ranks */
    bool *seen;   /* by rank */
    struct labels labels;
    struct demand *demands; /* of this rank */
    size_t n_demands, demand_capacity;
};

static const char form[] = "an operation is `L: send Nb to R [tag T]`, `L: recv Nb from R [tag T]` "
                           "or `L: calc NS`, an order `L requires M` or `L irequires M`";

/* The text ends within a comment without end, so that is the first problem. */
static struct problem *wrong(const struct goal *g, const char *what)
{
    char line[32];

    snprintf(line, sizeof(line), "line %d", g->open);
    return option_problem(g->r->option, g->r->file, "%s: %s", g->open > 0 ? line : g->place,
                          g->open > 0 ? "this comment has no end; write */ after it" : what);
}

/* ---- tokens ---- */

static void set_line(struct goal *g, int line)
{
    g->line = line;
    snprintf(g->place, sizeof(g->place), "line %d", line);
}

/* Skip a comment that begins here. @return whether there was one */
static bool skip_comment(struct goal *g)
{
    static const char mark[] = GOAL_MARK;
    const int line = g->line;

    if (strncmp(g->at, "//", 2) == 0) {
        g->r->is_ours |= strncmp(g->at, mark, strlen(mark)) == 0;
        g->at += strcspn(g->at, "\n");
        return true;
    }
    if (strncmp(g->at, "/*", 2) != 0)
        return false;
    for (g->at += 2; strncmp(g->at, "*/", 2) != 0; g->at++) {
        if (*g->at == '\0') {
            g->open = line;
            return false;
        }
        if (*g->at == '\n')
            set_line(g, g->line + 1);
    }
    g->at += 2;
    return true;
}

/* Skip to the next token of this line. @return false: there is none */
static bool more_in_line(struct goal *g)
{
    do
        g->at += strspn(g->at, " \t\r\f\v");
    while (skip_comment(g));
    return *g->at != '\0' && *g->at != '\n';
}

/* Skip to the next token, in any line. @return false: the text has ended */
static bool more(struct goal *g)
{
    while (!more_in_line(g)) {
        if (*g->at == '\0')
            return false;
        g->at++;
        set_line(g, g->line + 1);
    }
    return true;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Find a name of letters, digits and _, that begins with a letter, and do not skip it; at NULL:
 * something else is there. */
static struct name name_here(struct goal *g)
{
    struct name name = {NULL, 0};

    if (!more_in_line(g) || !isalpha((unsigned char)*g->at))
        return name;
    name.at = g->at;
    while (is_of_name(name.at[name.n]))
        name.n++;
    return name;
}

/* Skip this word, if it is next. */
static bool word(struct goal *g, const char *expected)
{
    const struct name name = name_here(g);

    if (name.at == NULL || name.n != strlen(expected) || memcmp(name.at, expected, name.n) != 0)
        return false;
    g->at += name.n;
    return true;
}

static bool sign(struct goal *g, char expected)
{
    if (!more_in_line(g) || *g->at != expected)
        return false;
    g->at++;
    return true;
}

/* Read a whole number >= 0; or -1, where that is allowed. */
static struct problem *number(struct goal *g, bool may_be_any, const char *what, int64_t *out)
{
    const bool minus = sign(g, '-');
    int64_t value = 0;

    if (!more_in_line(g) || !isdigit((unsigned char)*g->at))
        return wrong(g, what);
    for (; isdigit((unsigned char)*g->at); g->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *g->at - '0', &value))
            return wrong(g, "a number beyond 2^63");
    if (minus && (!may_be_any || value != 1))
        return wrong(g, may_be_any
                            ? "of the numbers below 0 only -1 (any) is allowed"
                            : "a number below 0; only a receive may have -1, any source or tag");
    *out = minus || (may_be_any && value == any_there) ? -1 : value;
    return NULL;
}

/* ---- labels ---- */

/* Read the label after `after requires`. */
static struct problem *read_demand(struct goal *g, struct name after, bool started)
{
    const struct name before = name_here(g);

    if (before.at == NULL)
        return wrong(g, "requires needs a label after it, as in `l2 requires l1`");
    g->at += before.n;
    if (g->n_demands == g->demand_capacity) {
        g->demand_capacity = g->demand_capacity > 0 ? 2 * g->demand_capacity : 64;
        g->demands = need(realloc(g->demands, g->demand_capacity * sizeof(*g->demands)));
    }
    g->demands[g->n_demands++] = (struct demand){after, before, started, g->line};
    return more_in_line(g) ? wrong(g, "requires takes one label; write a line for each") : NULL;
}

static struct problem *step_of(const struct goal *g, struct name label, int64_t *step)
{
    const int n = label.n < MOST_SHOWN ? (int)label.n : MOST_SHOWN;

    *step = find_label(&g->labels, label);
    if (*step >= 0)
        return NULL;
    return option_problem(
        g->r->option, g->r->file,
        "%s: no operation of rank %lld has the label %.*s; write `%.*s:` before one", g->place,
        (long long)g->rank, n, label.at, n, label.at);
}

/* Turn demands into edges; all labels of the rank are known now. */
static struct problem *resolve_demands(struct goal *g)
{
    const int line = g->line;

    for (size_t i = 0; i < g->n_demands; i++) {
        const struct demand *d = &g->demands[i];
        int64_t before, after;

        set_line(g, d->line);
        TRY(step_of(g, d->before, &before));
        TRY(step_of(g, d->after, &after));
        read_edge(g->r, g->rank, before, after, d->started);
    }
    set_line(g, line);
    g->n_demands = 0;
    forget_labels(&g->labels);
    return NULL;
}

/* ---- lines ---- */

static struct problem *read_places(struct goal *g)
{
    while (more_in_line(g)) {
        int64_t n;

        if (!word(g, "cpu") && !word(g, "nic"))
            return wrong(g, form);
        TRY(number(g, false, "cpu and nic need a number after them", &n));
        if (n != 0)
            return wrong(g, "unsupported: only cpu 0 and nic 0 (one processor and port per rank)");
    }
    return NULL;
}

static struct problem *read_send_or_receive(struct goal *g, bool sends)
{
    int64_t n_bytes, peer, tag = 0;

    TRY(number(g, false, form, &n_bytes));
    if (!word(g, "b") || !word(g, sends ? "to" : "from"))
        return wrong(g, form);
    TRY(number(g, !sends, form, &peer));
    if (word(g, "tag"))
        TRY(number(g, !sends, form, &tag));
    TRY(read_message(g->r, g->rank, sends ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE, peer, n_bytes, tag,
                     g->place));
    return read_places(g);
}

static struct problem *read_calculation(struct goal *g)
{
    int64_t ns;

    TRY(number(g, false, form, &ns));
    TRY(read_compute(g->r, g->rank, ns, g->place));
    return read_places(g);
}

/* *there false: something else is there */
static struct problem *read_operation(struct goal *g, bool *there)
{
    *there = true;
    if (word(g, "calc"))
        return read_calculation(g);
    if (word(g, "send"))
        return read_send_or_receive(g, true);
    if (word(g, "recv"))
        return read_send_or_receive(g, false);
    *there = false;
    return NULL;
}

/* Read a line that begins with a label. */
static struct problem *read_labelled(struct goal *g)
{
    const struct name label = name_here(g);
    bool there;

    if (label.at == NULL)
        return wrong(g, form);
    g->at += label.n;
    if (word(g, "requires"))
        return read_demand(g, label, false);
    if (word(g, "irequires"))
        return read_demand(g, label, true);
    if (!sign(g, ':'))
        return wrong(g, form);
    if (!add_label(&g->labels, label, g->r->n[g->rank]))
        return wrong(g, "this label is used twice in its rank; rename one");
    TRY(read_operation(g, &there));
    return there ? NULL : wrong(g, form);
}

static struct problem *begin_rank(struct goal *g)
{
    static const char how[] = "a rank begins with `rank R {`";

    if (g->r->list.P == 0)
        return wrong(g, "num_ranks must come first");
    if (g->rank >= 0)
        return wrong(g, "the previous rank has no }");
    TRY(number(g, false, how, &g->rank));
    if (!sign(g, '{'))
        return wrong(g, how);
    if (g->rank >= g->r->list.P || g->seen[g->rank])
        return wrong(g, "each rank once, 0 .. num_ranks - 1");
    g->seen[g->rank] = true;
    return NULL;
}

static struct problem *begin_all(struct goal *g)
{
    int64_t P;

    if (g->r->list.P > 0)
        return wrong(g, "num_ranks is given twice; remove one");
    TRY(number(g, false, "`num_ranks P`", &P));
    TRY(begin_reading(g->r, P));
    begin_edges(g->r);
    g->seen = need(calloc((size_t)g->r->list.P, sizeof(*g->seen)));
    return NULL;
}

static struct problem *read_item(struct goal *g)
{
    bool there;

    if (word(g, "num_ranks"))
        return begin_all(g);
    if (word(g, "rank"))
        return begin_rank(g);
    if (g->rank < 0)
        return wrong(g, "`num_ranks P`, or `rank R {`");
    if (sign(g, '}')) {
        TRY(resolve_demands(g));
        g->rank = -1;
        return NULL;
    }
    TRY(read_operation(g, &there));
    return there ? NULL : read_labelled(g);
}

static struct problem *read_items(struct goal *g)
{
    set_line(g, 1);
    while (more(g))
        TRY(read_item(g));
    if (g->open > 0)
        return wrong(g, "");
    if (g->r->list.P == 0)
        return wrong(g, "`num_ranks P` is missing: neither JSON nor GOAL");
    return g->rank >= 0 ? wrong(g, "the last rank has no }") : NULL;
}

struct problem *read_goal(struct reading *r, const char *text)
{
    struct goal g = {.r = r, .at = text, .rank = -1};
    struct problem *problem = read_items(&g);

    free(g.seen);
    free(g.demands);
    forget_labels(&g.labels);
    TRY(problem);
    return order_steps(r);
}
