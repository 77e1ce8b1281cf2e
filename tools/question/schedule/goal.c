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
    int64_t rank; /* -1: between ranks */
    bool *seen;   /* by rank */
    struct labels labels;
    struct demand *demands; /* of this rank */
    size_t n_demands, demand_capacity;
};

static const char form[] = "an operation is `L: send Nb to R [tag T]`, `L: recv Nb from R [tag T]` "
                           "or `L: calc NS`, an order `L requires M` or `L irequires M`";

_Noreturn static void wrong(const struct goal *g, const char *what)
{
    bad_option(g->r->option, g->r->file, "%s: %s", g->place, what);
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
            set_line(g, line);
            wrong(g, "this comment has no end; write */ after it");
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
static int64_t number(struct goal *g, bool may_be_any, const char *what)
{
    const bool minus = sign(g, '-');
    int64_t value = 0;

    if (!more_in_line(g) || !isdigit((unsigned char)*g->at))
        wrong(g, what);
    for (; isdigit((unsigned char)*g->at); g->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *g->at - '0', &value))
            wrong(g, "a number beyond 2^63");
    if (minus && (!may_be_any || value != 1))
        wrong(g, may_be_any ? "of the numbers below 0 only -1 (any) is allowed"
                            : "a number below 0; only a receive may have -1, any source or tag");
    return minus || (may_be_any && value == any_there) ? -1 : value;
}

/* ---- labels ---- */

/* Read the label after `after requires`. */
static void read_demand(struct goal *g, struct name after, bool started)
{
    const struct name before = name_here(g);

    if (before.at == NULL)
        wrong(g, "requires needs a label after it, as in `l2 requires l1`");
    g->at += before.n;
    if (g->n_demands == g->demand_capacity) {
        g->demand_capacity = g->demand_capacity > 0 ? 2 * g->demand_capacity : 64;
        g->demands = or_end(realloc(g->demands, g->demand_capacity * sizeof(*g->demands)));
    }
    g->demands[g->n_demands++] = (struct demand){after, before, started, g->line};
    if (more_in_line(g))
        wrong(g, "requires takes one label; write a line for each");
}

static int64_t step_of(const struct goal *g, struct name label)
{
    const int64_t step = find_label(&g->labels, label);
    const int n = label.n < MOST_SHOWN ? (int)label.n : MOST_SHOWN;

    if (step < 0)
        bad_option(g->r->option, g->r->file,
                   "%s: no operation of rank %lld has the label %.*s; write `%.*s:` before one",
                   g->place, (long long)g->rank, n, label.at, n, label.at);
    return step;
}

/* Turn demands into edges; all labels of the rank are known now. */
static void resolve_demands(struct goal *g)
{
    const int line = g->line;

    for (size_t i = 0; i < g->n_demands; i++) {
        const struct demand *d = &g->demands[i];

        set_line(g, d->line);
        read_edge(g->r, g->rank, step_of(g, d->before), step_of(g, d->after), d->started);
    }
    set_line(g, line);
    g->n_demands = 0;
    forget_labels(&g->labels);
}

/* ---- lines ---- */

static void read_places(struct goal *g)
{
    while (more_in_line(g)) {
        if (!word(g, "cpu") && !word(g, "nic"))
            wrong(g, form);
        if (number(g, false, "cpu and nic need a number after them") != 0)
            wrong(g, "unsupported: only cpu 0 and nic 0 (one processor and port per rank)");
    }
}

static void read_send_or_receive(struct goal *g, bool sends)
{
    const int64_t n_bytes = number(g, false, form);
    int64_t peer, tag = 0;

    if (!word(g, "b") || !word(g, sends ? "to" : "from"))
        wrong(g, form);
    peer = number(g, !sends, form);
    if (word(g, "tag"))
        tag = number(g, !sends, form);
    read_message(g->r, g->rank, sends ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE, peer, n_bytes, tag,
                 g->place);
    read_places(g);
}

/* @return false: something else is there */
static bool read_operation(struct goal *g)
{
    if (word(g, "calc")) {
        read_compute(g->r, g->rank, number(g, false, form), g->place);
        read_places(g);
    } else if (word(g, "send")) {
        read_send_or_receive(g, true);
    } else if (word(g, "recv")) {
        read_send_or_receive(g, false);
    } else {
        return false;
    }
    return true;
}

/* Read a line that begins with a label. */
static void read_labelled(struct goal *g)
{
    const struct name label = name_here(g);

    if (label.at == NULL)
        wrong(g, form);
    g->at += label.n;
    if (word(g, "requires")) {
        read_demand(g, label, false);
    } else if (word(g, "irequires")) {
        read_demand(g, label, true);
    } else {
        if (!sign(g, ':'))
            wrong(g, form);
        if (!add_label(&g->labels, label, g->r->n[g->rank]))
            wrong(g, "this label is used twice in its rank; rename one");
        if (!read_operation(g))
            wrong(g, form);
    }
}

static void begin_rank(struct goal *g)
{
    static const char how[] = "a rank begins with `rank R {`";

    if (g->r->list.P == 0)
        wrong(g, "num_ranks must come first");
    if (g->rank >= 0)
        wrong(g, "the previous rank has no }");
    g->rank = number(g, false, how);
    if (!sign(g, '{'))
        wrong(g, how);
    if (g->rank >= g->r->list.P || g->seen[g->rank])
        wrong(g, "each rank once, 0 .. num_ranks - 1");
    g->seen[g->rank] = true;
}

static void begin_all(struct goal *g)
{
    if (g->r->list.P > 0)
        wrong(g, "num_ranks is given twice; remove one");
    begin_reading(g->r, number(g, false, "`num_ranks P`"));
    begin_edges(g->r);
    g->seen = or_end(calloc((size_t)g->r->list.P, sizeof(*g->seen)));
}

static void read_item(struct goal *g)
{
    if (word(g, "num_ranks")) {
        begin_all(g);
    } else if (word(g, "rank")) {
        begin_rank(g);
    } else if (g->rank < 0) {
        wrong(g, "`num_ranks P`, or `rank R {`");
    } else if (sign(g, '}')) {
        resolve_demands(g);
        g->rank = -1;
    } else if (!read_operation(g)) {
        read_labelled(g);
    }
}

void read_goal(struct reading *r, const char *text)
{
    struct goal g = {.r = r, .at = text, .rank = -1};

    set_line(&g, 1);
    while (more(&g))
        read_item(&g);
    if (r->list.P == 0)
        wrong(&g, "`num_ranks P` is missing: neither JSON nor GOAL");
    if (g.rank >= 0)
        wrong(&g, "the last rank has no }");
    free(g.seen);
    free(g.demands);
    forget_labels(&g.labels);
    order_steps(r);
}
