/* SPDX-License-Identifier: MIT */
/*
 * A schedule in GOAL, the text format of LogGOPSim (Hoefler et al., 2010), read and written:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 100
 *     l2: send 8b to 1 tag 0
 *     l2 requires l1
 *     }
 *
 * A rank does one thing after the other, in the order of its lines; so what a line requires must
 * stand before it. There is one processor and one network port each: cpu and nic are 0.
 */
#include "schedule/reading.h"
#include "schedule/schedule.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 12, BUCKETS = 4096 };

struct label {
    const char *name;
    size_t next; /* of the same bucket, from 1; 0: none */
};

/* Of one rank, in the order of its lines. */
struct labels {
    struct label *all;
    size_t n, room;
    size_t buckets[BUCKETS]; /* the first of each, from 1 */
};

/* What is read, and where. */
struct goal {
    struct reading *r;
    int line;
    char place[32];
    int64_t rank; /* -1: between ranks */
    bool *seen;   /* by rank */
    struct labels labels;
    char *words[MOST_WORDS];
    int n_words;
};

_Noreturn static void wrong(const struct goal *g, const char *what)
{
    bad_option(g->r->option, g->r->file, "%s: %s", g->place, what);
}

static bool is(const struct goal *g, int i, const char *word)
{
    return i < g->n_words && strcmp(g->words[i], word) == 0;
}

/* A whole number, with `suffix` behind it. */
static int64_t number(const struct goal *g, int i, const char *suffix, const char *what)
{
    int64_t value;
    size_t n;

    if (i >= g->n_words)
        wrong(g, what);
    n = strlen(g->words[i]) - strlen(suffix);
    if (strlen(g->words[i]) <= strlen(suffix) || strcmp(g->words[i] + n, suffix) != 0)
        wrong(g, what);
    g->words[i][n] = '\0';
    if (!parse_whole(g->words[i], 0, INT64_MAX, &value))
        wrong(g, what);
    return value;
}

static size_t *bucket_of(struct goal *g, const char *name)
{
    uint64_t x = 0;

    for (; *name != '\0'; name++)
        x = x * 31 + (unsigned char)*name;
    return &g->labels.buckets[x % BUCKETS];
}

/* The place of a label among those of this rank; those read so far, if there is none. */
static size_t find_label(struct goal *g, const char *name)
{
    size_t i = *bucket_of(g, name);

    while (i > 0 && strcmp(g->labels.all[i - 1].name, name) != 0)
        i = g->labels.all[i - 1].next;
    return i > 0 ? i - 1 : g->labels.n;
}

static void forget_labels(struct goal *g)
{
    for (size_t i = 0; i < g->labels.n; i++)
        *bucket_of(g, g->labels.all[i].name) = 0;
    g->labels.n = 0;
}

static void add_label(struct goal *g, const char *name)
{
    struct labels *l = &g->labels;
    size_t *bucket = bucket_of(g, name);

    if (l->n == l->room) {
        l->room = l->room > 0 ? 2 * l->room : 64;
        l->all = or_end(realloc(l->all, l->room * sizeof(*l->all)));
    }
    l->all[l->n++] = (struct label){name, *bucket};
    *bucket = l->n;
}

/* "l2 requires l1": both stand above. */
static void read_requires(struct goal *g)
{
    const size_t later = find_label(g, g->words[0]);
    const size_t before = g->n_words == 3 ? find_label(g, g->words[2]) : g->labels.n;

    if (g->n_words != 3 || later == g->labels.n || before == g->labels.n)
        wrong(g, "a label of this rank requires another, and both stand above");
    if (before >= later)
        wrong(g, "a line requires one that stands before it");
}

/* "send 8b to 1 tag 0", "recv 8b from 1", "calc 100"; the label is words[0]. */
static void read_operation(struct goal *g)
{
    static const char form[] = "a line is `L: send Nb to R [tag T]`, `L: recv Nb from R [tag T]`, "
                               "`L: calc NS` or `L requires M`";
    const bool send = is(g, 1, "send");
    int64_t tag = 0, n_bytes, peer;
    int end;

    if (is(g, 1, "calc")) {
        read_compute(g->r, g->rank, number(g, 2, "", form), g->place);
        end = 3;
    } else if ((send && is(g, 3, "to")) || (is(g, 1, "recv") && is(g, 3, "from"))) {
        n_bytes = number(g, 2, "b", form);
        peer = number(g, 4, "", form);
        end = is(g, 5, "tag") ? 7 : 5;
        if (end == 7)
            tag = number(g, 6, "", form);
        read_message(g->r, g->rank, send ? LOGP_STEP_SEND : LOGP_STEP_RECEIVE, peer, n_bytes, tag,
                     g->place);
    } else {
        wrong(g, form);
    }
    for (; end < g->n_words; end += 2)
        if ((!is(g, end, "cpu") && !is(g, end, "nic")) || !is(g, end + 1, "0"))
            wrong(g, "after a step: cpu 0, nic 0");
}

static void begin_rank(struct goal *g)
{
    if (g->r->list.P == 0)
        wrong(g, "num_ranks comes first");
    if (g->rank >= 0)
        wrong(g, "the rank before it has no }");
    if (g->n_words != 3 || !is(g, 2, "{"))
        wrong(g, "a rank begins with `rank R {`");
    g->rank = number(g, 1, "", "a rank begins with `rank R {`");
    if (g->rank >= g->r->list.P || g->seen[g->rank])
        wrong(g, "each rank once, 0 .. num_ranks - 1");
    g->seen[g->rank] = true;
    forget_labels(g);
}

static void begin_all(struct goal *g)
{
    if (g->r->list.P > 0)
        wrong(g, "num_ranks comes once");
    begin_reading(g->r, number(g, 1, "", "`num_ranks P`"));
    g->seen = or_end(calloc((size_t)g->r->list.P, sizeof(*g->seen)));
    if (g->n_words != 2)
        wrong(g, "`num_ranks P`");
}

static void read_line(struct goal *g)
{
    const size_t n = strlen(g->words[0]);

    if (is(g, 0, "num_ranks")) {
        begin_all(g);
    } else if (is(g, 0, "rank")) {
        begin_rank(g);
    } else if (g->rank < 0) {
        wrong(g, "`num_ranks P`, or `rank R {`");
    } else if (is(g, 0, "}") && g->n_words == 1) {
        g->rank = -1;
    } else if (is(g, 1, "requires") || is(g, 1, "irequires")) {
        read_requires(g);
    } else {
        if (g->words[0][n - 1] == ':')
            g->words[0][n - 1] = '\0';
        else
            wrong(g, "a label ends in a colon");
        if (find_label(g, g->words[0]) < g->labels.n)
            wrong(g, "a label comes once in a rank");
        read_operation(g);
        add_label(g, g->words[0]);
    }
}

void read_goal(struct reading *r, char *text)
{
    static struct goal g;

    g = (struct goal){.r = r, .rank = -1};
    for (char *line = text, *next; line != NULL; line = next) {
        char *save = NULL, *comment = strstr(line, "//");

        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (comment != NULL && (next == NULL || comment < next))
            *comment = '\0';
        snprintf(g.place, sizeof(g.place), "line %d", ++g.line);
        g.n_words = 0;
        for (char *word = strtok_r(line, " \t\r", &save); word != NULL;
             word = strtok_r(NULL, " \t\r", &save)) {
            if (g.n_words == MOST_WORDS)
                wrong(&g, "too many words");
            g.words[g.n_words++] = word;
        }
        if (g.n_words > 0)
            read_line(&g);
    }
    if (r->list.P == 0)
        wrong(&g, "`num_ranks P` is missing: neither JSON nor GOAL");
    if (g.rank >= 0)
        wrong(&g, "the last rank has no }");
    free(g.seen);
    free(g.labels.all);
}

/* ---- writing ---- */

static void goal_begin(int64_t P)
{
    printf("num_ranks %lld\n", (long long)P);
}

static void goal_rank(int64_t rank)
{
    printf("\nrank %lld {\n", (long long)rank);
}

static void goal_step(const struct logp_step *s, int64_t index)
{
    printf("l%lld: ", (long long)index + 1);
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("calc %lld\n", (long long)s->ns);
    else
        printf("%s %zub %s %lld tag %d\n", s->kind == LOGP_STEP_SEND ? "send" : "recv", s->n_bytes,
               s->kind == LOGP_STEP_SEND ? "to" : "from", (long long)s->peer, s->tag);
    if (index > 0)
        printf("l%lld requires l%lld\n", (long long)index + 1, (long long)index);
}

static void goal_end_rank(int64_t n)
{
    (void)n;
    puts("}");
}

const struct step_form steps_as_goal = {goal_begin, goal_rank, goal_step, goal_end_rank, NULL};
