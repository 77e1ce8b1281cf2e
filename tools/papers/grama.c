/* SPDX-License-Identifier: MIT */
/*
 * Grama et al.: recursive doubling on ring, mesh and hypercube. Figures 4.2, 4.3, 4.5 and 4.6 show
 * the messages of each step; the book's cost is (ts + m tw) log2 p on any path. Here a message
 * passes link after link, so that the cost of the steps depends on the network.
 */
#include "papers/paper.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PROCESSORS = 16, MOST_STEPS = 8, ELEMENTS = 2 }; /* doubles of a message */

/* ts = d - G and tw = G: 9.8 and 0.2 units; a message of 16 bytes streams 3. */
static struct paper_case make_case(const struct paper *p, const char *collective,
                                   const char *algorithm, int P, const char *topology)
{
    const int64_t unit = paper_unit(p, p->q->model.unit_ns);
    const bool item = logp_collective_find(collective)->operands == LOGP_OPERANDS_BYTES;
    struct logp_params params = paper_params(unit, 6, 2, 4);

    params.G_ps = unit * 200;
    return (struct paper_case){.collective = collective,
                               .algorithm = algorithm,
                               .P = P,
                               .topology = topology,
                               .unit_ns = unit,
                               .c = {.args.n_bytes = item ? ELEMENTS * sizeof(double) : 0,
                                     .args.count = ELEMENTS,
                                     .args.op = logp_op_find("sum", "double"),
                                     .model.params = params}};
}

/* ---- the messages of each step ---- */

/* A broadcast reaches each processor in this round, from 1; a reduction leaves it there, counted
 * from the end. */
struct rounds {
    struct paper_place places[MOST_PROCESSORS];
    int round[MOST_PROCESSORS];
};

/* Child k of a processor that has the item in round r gets it in round r + k + 1; a reduction
 * receives the other way round. @return the last round below this rank */
static int number_rounds(struct rounds *r, int rank, bool reduction)
{
    const struct paper_place *at = &r->places[rank];
    int last = r->round[rank];

    for (int k = 0; k < at->n_children; k++) {
        const int child = at->children[reduction ? at->n_children - 1 - k : k];
        int below;

        r->round[child] = r->round[rank] + k + 1;
        below = number_rounds(r, child, reduction);
        last = below > last ? below : last;
    }
    return last;
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
static void draw_messages(const int *bits, int step, int n, bool reduction, int P, char *out,
                          size_t size)
{
    const int last = reduction ? n - 1 - step : step;
    int held = 0; /* bits of the ranks that have it before */

    for (int i = 0; i < last; i++)
        held |= bits[i];
    out[0] = '\0';
    for (int rank = 0; rank < P; rank++)
        if ((rank & ~held & ~(reduction ? bits[last] : 0)) == 0 &&
            (!reduction || (rank & bits[last]) != 0))
            name_message(out, size, rank, rank ^ bits[last]);
}

static void show_total(struct paper *p, struct paper_table *t, const struct paper_case *x,
                       const struct logp_link_load *load)
{
    struct paper_row unused = {0}, *row = paper_row(t, "all||");
    const struct row run = paper_run(p, x, &unused);
    int most = 0;

    for (int i = 0; i < load->n_links; i++)
        most = load->messages[i] > most ? load->messages[i] : most;
    row->value[PREDICTED] = most;
    if (p->stopped)
        return;
    row->value[EMULATED] = (double)run.busiest.messages;
    paper_compare(p, t->figure, most, row->value[EMULATED]);
}

/* The steps of one figure, the distance of their messages and the largest number on one link. */
static void steps(struct paper *p, const char *figure, const char *collective,
                  const char *algorithm, const char *topology, int n, const int *bits)
{
    const bool reduction = logp_collective_find(collective)->operands == LOGP_OPERANDS_VECTOR;
    const int P = 1 << n;
    struct paper_case x = make_case(p, collective, algorithm, P, topology);
    const struct question q = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    struct paper_table *t =
        paper_table(p, figure, "step|messages|links on the way", "max. messages on one link",
                    "%s on %s, P = %d", collective, topology, P);
    struct logp_link_load load;
    struct rounds r = {0};
    bool agrees;

    x.c.model.topology = q.model.network.topology;
    paper_places(&x, r.places);
    if (logp_link_load_init(&load, paper_algorithm(&x), &x.c.args, &x.c.model) != 0)
        bad_usage("no memory for the steps of %s", figure);
    agrees = number_rounds(&r, 0, reduction) == n && load.n_steps == n;
    for (int i = 0; i < n && i < load.n_steps; i++) {
        char messages[64], drawn[64];
        const int hops = name_messages(&r, q.model.network.topology, reduction ? n - i : i + 1,
                                       reduction, messages, sizeof(messages));

        draw_messages(bits, i, n, reduction, P, drawn, sizeof(drawn));
        agrees = agrees && strcmp(messages, drawn) == 0;
        paper_row(t, "%d|%s|%d", i + 1, messages, hops)->value[PREDICTED] = load.step_most[i];
    }
    x.c.model.topology = NULL;
    paper_draw(t, PAPER_TIME, &x);
    show_total(p, t, &x, &load);
    paper_judge(p, figure, agrees, "which node sends to which in each of the %d steps, on %s", n,
                topology);
    logp_link_load_fini(&load);
    logp_topology_destroy((struct logp_topology *)q.model.network.topology);
}

/* ---- the cost ---- */

/* "1 1 1": the most messages on one link, step by step. */
static void show_load(const struct paper *p, struct paper_case x, struct paper_row *row)
{
    const struct question q = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    struct logp_link_load load;
    char text[64] = "";

    x.c.model.topology = q.model.network.topology;
    if (logp_link_load_init(&load, paper_algorithm(&x), &x.c.args, &x.c.model) == 0) {
        for (int i = 0; i < load.n_steps && i < MOST_STEPS; i++)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), " %d", load.step_most[i]);
        paper_remark(row, "messages on one link:%s", text);
        logp_link_load_fini(&load);
    }
    logp_topology_destroy((struct logp_topology *)q.model.network.topology);
}

static struct paper_row *run_row(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    struct paper_row *row = paper_row(t, "%s|%s|%d|%s", x->collective, x->algorithm, (int)x->P,
                                      x->topology != NULL ? x->topology : "-");

    paper_run(p, x, row);
    if (x->topology != NULL)
        show_load(p, *x, row);
    return row;
}

/* A row of collective, algorithm, P on a topology (NULL: all are neighbours). The book's cost is for
 * p = 2^x. */
static void cost(struct paper *p, struct paper_table *t, const char *collective,
                 const char *algorithm, int P, const char *topology)
{
    const struct paper_case x = make_case(p, collective, algorithm, P, topology);
    const int64_t ns = logp_textbook_cost(P, &x.c.model.params, ELEMENTS * sizeof(double));

    run_row(p, t, &x)->value[(P & (P - 1)) == 0 ? FORMULA : DERIVED] =
        (double)ns / (double)x.unit_ns;
}

static void judge_costs(struct paper *p, const struct paper_table *t)
{
    static const char *const far[] = {"ring", "mesh:4x4", "mesh:4x4x4", "torus:4x4x4", "tree"};
    bool agrees = false;

    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
        agrees |= paper_same_of(t, 3, far[i], FORMULA, EMULATED);
    paper_judge(p, "T = (ts + m tw) log2 p, P = 2^x, a way of one link",
                paper_same_of(t, 3, "-", FORMULA, EMULATED) &&
                    paper_same_of(t, 3, "hypercube", FORMULA, EMULATED),
                "without a network and on a hypercube, as long as a send takes no longer than a "
                "message");
    paper_judge(
        p, "T = (ts + m tw) log2 p on ring, mesh and tree", agrees,
        "a message is stored and forwarded here, and each link on its way delays it; in the "
        "book the way costs nothing. In neither is a link used twice in a step");
}

/* Other P: log2 p rounded up. */
static void other_sizes(struct paper *p)
{
    static const int sizes[] = {3, 5, 6, 7, 12};
    struct paper_table *t = paper_table(p, "Section 4.1", "collective|algorithm|P|network", "units",
                                        "other P than 2^x, log2 p rounded up");
    bool above = true;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        cost(p, t, "broadcast", "binomial", sizes[i], NULL);
        above &= t->rows[i].value[DERIVED] >= t->rows[i].value[EMULATED];
    }
    paper_note(t, "Derived here: (ts + m tw) ceil(log2 p); the book's cost is for p = 2^x. Ours is "
                  "t(P) = max(D + t(P-h), E + t(h)), h the largest power of two below P.");
    paper_judge_none(p, "T = (ts + m tw) log2 p, other P",
                     "the book has p = 2^x; with log2 p rounded up it is %s than on the virtual "
                     "clock, where E <= D",
                     above ? "never less" : "sometimes less");
}

static void costs(struct paper *p)
{
    struct paper_table *t = paper_table(p, "Section 4.1", "collective|algorithm|P|network", "units",
                                        "T = (ts + m tw) log2 p, 16 bytes, ts = 9.8, tw = 0.2");

    cost(p, t, "broadcast", "binomial", 8, NULL);
    cost(p, t, "broadcast", "binomial", 8, "ring");
    cost(p, t, "broadcast", "binomial", 8, "hypercube");
    cost(p, t, "broadcast", "binomial", 8, "tree");
    cost(p, t, "broadcast", "mesh", 16, NULL);
    cost(p, t, "broadcast", "mesh", 16, "mesh:4x4");
    cost(p, t, "broadcast", "mesh", 64, NULL);
    cost(p, t, "broadcast", "mesh", 64, "mesh:4x4x4");
    cost(p, t, "broadcast", "mesh", 64, "torus:4x4x4");
    cost(p, t, "reduce", "binomial", 8, NULL);
    cost(p, t, "reduce", "binomial", 8, "ring");
    cost(p, t, "reduce", "binomial", 8, "hypercube");
    cost(p, t, "reduce", "mesh", 16, "mesh:4x4");
    cost(p, t, "reduce", "mesh", 64, "mesh:4x4x4");
    paper_note(t, "The book's cost holds for P = 2^x where a send takes no longer than a message, "
                  "and where the way costs nothing or is one link, as on the hypercube; elsewhere "
                  "each link delays the message. "
                  "Combining costs nothing here, as in the book.");
    judge_costs(p, t);
}

static void nearest(struct paper *p)
{
    static const struct {
        const char *topology;
        int P;
    } networks[] = {{"ring", 8}, {"line", 8}, {"line", 16}, {"tree", 8}, {"hypercube", 8}};
    struct paper_table *t = paper_table(p, "Section 4.1", "collective|algorithm|P|network", "units",
                                        "the farthest first against the nearest first");

    for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
        cost(p, t, "broadcast", "binomial", networks[i].P, networks[i].topology);
        cost(p, t, "broadcast", "binomial-nearest", networks[i].P, networks[i].topology);
    }
    paper_note(t,
               "The nearest first sends many messages over one link in the later steps; messages "
               "that come too close wait, and the prediction is a lower bound. The farthest first "
               "never shares "
               "a link within a step.");
}

/* The source sends to all others itself, one after the other. The book calls it inefficient, and
 * prints no cost. */
static void naive(struct paper *p)
{
    static const int sizes[] = {2, 4, 8, 16, 64};
    static const struct paper_chart chart = {
        .x_axis = "p", .y_axis = "time, units", .x = 1, .log_x = true, .log_y = true};
    struct paper_table *t = paper_table(p, "Section 4.1", "algorithm|P", "units",
                                        "p - 1 sends of the source against recursive doubling");

    double before = 0;
    bool slower = true;

    t->chart = &chart;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int k = 0; k < 2; k++) {
            const int P = sizes[i];
            const struct paper_case x =
                make_case(p, "broadcast", k == 0 ? "flat" : "binomial", P, NULL);
            const int64_t one = logp_textbook_cost(2, &x.c.model.params, ELEMENTS * sizeof(double));
            const int64_t all = logp_textbook_cost(P, &x.c.model.params, ELEMENTS * sizeof(double));
            struct paper_row *row = paper_row(t, "%s|%d", x.algorithm, P);

            row->value[k == 0 ? DERIVED : FORMULA] =
                (double)(k == 0 ? (P - 1) * one : all) / (double)x.unit_ns;
            paper_run(p, &x, row);
            slower &= k == 0 || P == 2 || before > row->value[EMULATED];
            before = row->value[EMULATED];
        }
    paper_note(t, "Derived here, for p - 1 sends: (p - 1)(ts + m tw), from the cost of one; the "
                  "book prints no formula. Ours is (P-2)E + D, as a send need not wait until the "
                  "one before has come.");
    paper_judge(p, "p - 1 sends are slower than recursive doubling, p > 2", slower,
                "they take (P-2)E + D, where the gap counts, not (p - 1)(ts + m tw), where the "
                "whole way of a message does");
}

static void product(struct paper *p)
{
    struct paper_table *t =
        paper_table(p, "Example 4.1", "collective|algorithm|P|network", "units",
                    "matrix times vector on 4 x 4 processors, one element each (figure 4.4)");

    for (int i = 0; i < 2; i++) {
        struct paper_case x = make_case(p, "matvec", "doubling", 16, i == 0 ? NULL : "mesh:4x4");

        x.c.args.count = 1;
        x.c.model.params.gamma_ps = x.unit_ns * 1000;
        run_row(p, t, &x);
        if (i == 0)
            paper_draw(t, PAPER_TIME, &x);
    }
    paper_judge_none(p, "Example 4.1, figure 4.4",
                     "broadcast(n) + multiply + reduce(n), %sequal to the virtual clock",
                     paper_same(t, PREDICTED, EMULATED) ? "" : "NOT ");
    paper_note(t, "Broadcast down the columns, multiply, reduce along the rows; a multiplication "
                  "and an addition together take a unit, as does an addition. Each processor has "
                  "one element of the matrix.");
}

static void fill(struct paper *p)
{
    static const int far_first[] = {4, 2, 1}, rows_first[] = {2, 1, 8, 4};

    steps(p, "Figure 4.2", "broadcast", "binomial", "ring", 3, far_first);
    steps(p, "Figure 4.3", "reduce", "binomial", "ring", 3, far_first);
    product(p);
    steps(p, "Figure 4.5", "broadcast", "mesh", "mesh:4x4", 4, rows_first);
    steps(p, "Figure 4.6", "broadcast", "binomial", "hypercube", 3, far_first);
    steps(p, "Figure 4.7", "broadcast", "binomial", "tree", 3, far_first);
    costs(p);
    other_sizes(p);
    naive(p);
    nearest(p);
    grama_listings(p);
}

const struct paper_kind paper_grama = {
    .name = "grama",
    .title = "Grama, Gupta, Karypis, Kumar 2003, chapter 4.1: recursive doubling",
    .fill = fill,
};
