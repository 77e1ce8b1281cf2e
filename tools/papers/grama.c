/* SPDX-License-Identifier: MIT */
/*
 * Grama et al.: recursive doubling on ring, mesh and hypercube. Figures 4.2, 4.3, 4.5 and 4.6 show
 * the messages of each step; the book's cost is (ts + m tw) log2 p on any path. Here a message
 * passes link after link, so that the cost of the steps depends on the network.
 */
#include "papers/paper.h"
#include <grama.inc>

#include "text/problem.h"

#include <string.h>

enum { MOST_PROCESSORS = 16, MOST_STEPS = 8, MESSAGE = 16 }; /* bytes: two doubles */

/* ---- the messages of each step ---- */

/* A broadcast reaches each processor in this round, from 1; a reduction leaves it there, counted
 * from the end. */
struct rounds {
    struct paper_place places[MOST_PROCESSORS];
    int round[MOST_PROCESSORS];
};

static bool is_reduction(const char *collective)
{
    return strcmp(collective, "reduce") == 0;
}

/* Child k of a processor that has the item in round r gets it in round r + k + 1; a reduction
 * receives the other way round. */
static void number_rounds(struct rounds *r, int rank, bool reduction)
{
    const struct paper_place *at = &r->places[rank];

    for (int k = 0; k < at->n_children; k++) {
        const int child = at->children[reduction ? at->n_children - 1 - k : k];

        r->round[child] = r->round[rank] + k + 1;
        number_rounds(r, child, reduction);
    }
}

static void name_message(char *out, size_t size, int from, int to)
{
    snprintf(out + strlen(out), size - strlen(out), "%s%d-%d", out[0] != '\0' ? " " : "", from, to);
}

/* "0-4 2-6", from sender to receiver, by the sender. @return the most links that one passes */
static int name_messages(const struct rounds *r, const struct logp_topology *topology, int round,
                         bool reduction, char *out, size_t size)
{
    const int P = logp_topology_size(topology);
    int most = 0;

    out[0] = '\0';
    for (int rank = 0; rank < P; rank++)
        for (int k = 0; k < P; k++) {
            const bool here = reduction ? k == r->places[rank].parent && r->round[rank] == round
                                        : r->places[k].parent == rank && r->round[k] == round;
            const int hops = logp_topology_hops(topology, rank, k);

            if (!here)
                continue;
            name_message(out, size, rank, k);
            most = hops > most ? hops : most;
        }
    return most;
}

/* The same as the book draws them: in each step the ranks with the item send it, or their sums, to
 * the rank that differs in one bit. bits: one for each step; a reduction begins at the last. */
static void draw_messages(const int *bits, int step, int n, bool reduction, char *out, size_t size)
{
    const int last = reduction ? n - 1 - step : step;
    int held = 0; /* bits of the ranks that have it before */

    for (int i = 0; i < last; i++)
        held |= bits[i];
    out[0] = '\0';
    for (int rank = 0; rank < 1 << n; rank++)
        if ((rank & ~held & ~(reduction ? bits[last] : 0)) == 0 &&
            (!reduction || (rank & bits[last]) != 0))
            name_message(out, size, rank, rank ^ bits[last]);
}

/* The load of the links of a case, which free_load() frees with the topology of the options.
 * @return false: the algorithm has no steps */
static bool find_load(const struct paper *p, const struct paper_case *x, struct question *q,
                      struct logp_link_load *load)
{
    struct logp_invocation c = x->c;

    *q = paper_options(p, x, LOGP_CLOCK_VIRTUAL);
    c.model.topology = q->model.network.topology;
    *load = (struct logp_link_load){0};
    return logp_link_load_init(load, x->own, &c.args, &c.model) == 0;
}

static void free_load(const struct question *q, struct logp_link_load *load)
{
    logp_link_load_fini(load);
    logp_topology_destroy((struct logp_topology *)q->model.network.topology);
}

/* The steps of one figure, the distance of their messages and the largest number on one link. */
static void steps(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    const bool reduction = is_reduction(x->collective);
    struct logp_link_load load;
    struct question q;
    struct paper_row unused = {0}, *row;
    struct rounds r = {0};
    struct row run;
    int most = 0;

    if (!find_load(p, x, &q, &load))
        need(NULL);
    paper_places(x, r.places);
    number_rounds(&r, 0, reduction);
    for (int i = 0; i < load.n_steps; i++) {
        char messages[64];
        const int hops =
            name_messages(&r, q.model.network.topology, reduction ? load.n_steps - i : i + 1,
                          reduction, messages, sizeof(messages));

        paper_row(t, "%d|%s|%d", i + 1, messages, hops)->value[PREDICTED] = load.step_most[i];
    }
    for (int i = 0; i < load.n_links; i++)
        most = load.messages[i] > most ? load.messages[i] : most;
    row = paper_row(t, "all||");
    run = paper_run(p, x, &unused);
    row->value[PREDICTED] = most;
    paper_compare(p, t->figure, row, most, (double)run.busiest.messages);
    free_load(&q, &load);
}

/* Whether the steps of a figure are those that the book draws. */
static void judge_steps(struct paper *p, const struct paper_table *t, const char *what)
{
    static const int far_first[] = {4, 2, 1}, rows_first[] = {2, 1, 8, 4};
    const int n = (int)log2((double)t->drawn.P);
    bool agrees = t->n_rows == (size_t)n + 1;

    for (int i = 0; agrees && i < n; i++) {
        char drawn[64], here[64];

        draw_messages(n == 4 ? rows_first : far_first, i, n, is_reduction(t->drawn.collective),
                      drawn, sizeof(drawn));
        agrees = strcmp(paper_label(t->rows[i].labels, 1, here), drawn) == 0;
    }
    paper_judge(p, what, agrees, "which node sends to which in each of the %d steps, on %s", n,
                t->drawn.topology);
}

/* ---- the cost ---- */

/* (ts + m tw) log2 p, rounded up: the book has p = 2^x. */
static double cost(const struct paper_case *x)
{
    return paper_units(x, logp_textbook_cost((int)x->P, &x->c.model.params, MESSAGE));
}

static double cost_of_one(const struct paper_case *x)
{
    return paper_units(x, logp_textbook_cost(2, &x->c.model.params, MESSAGE));
}

/* "1 1 1": the most messages on one link, step by step. */
static void show_load(const struct paper_at *at)
{
    struct logp_link_load load;
    struct question q;
    char text[64] = "";

    if (at->x->topology[0] == '\0')
        return;
    if (find_load(at->p, at->x, &q, &load)) {
        for (int i = 0; i < load.n_steps && i < MOST_STEPS; i++)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), " %d", load.step_most[i]);
        paper_remark(at->row, "messages on one link:%s", text);
    }
    free_load(&q, &load);
}

static bool agrees_on_a_far_network(const struct paper *p, const struct paper_table *t)
{
    static const char *const far[] = {"*|ring", "*|mesh:4x4", "*|mesh:4x4x4", "*|torus:4x4x4",
                                      "*|tree"};
    bool agrees = false;

    (void)p;
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        const struct paper_count n = paper_compare_rows(t, far[i], "formula", "=", "emulated", 0);

        agrees |= n.rows > 0 && n.hold == n.rows;
    }
    return agrees;
}

/* In pairs: all sends of the source, and recursive doubling, for P = 2 and above. */
static bool naive_is_slower(const struct paper *p, const struct paper_table *t)
{
    bool slower = true;

    (void)p;
    for (size_t i = 2; i + 1 < t->n_rows; i += 2)
        slower &= t->rows[i].value[EMULATED] > t->rows[i + 1].value[EMULATED];
    return slower;
}

/* ---- the book ---- */

static const struct paper_function functions[] = {
    {"cost", .number = cost},
    {"cost_of_one", .number = cost_of_one},
    {"steps", .make = steps},
    {"show_load", .complete = show_load},
    {"agrees_on_a_far_network", .agrees = agrees_on_a_far_network},
    {"naive_is_slower", .agrees = naive_is_slower},
    {"judge_steps", .judge = judge_steps},
    {"grama_listings", .judge = grama_listings},
    {0}};

const struct paper_kind paper_grama = {
    .name = "grama",
    .title = "Grama, Gupta, Karypis, Kumar 2003, chapter 4.1: recursive doubling",
    .text = grama_paper,
    .functions = functions};
