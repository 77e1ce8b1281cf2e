/* SPDX-License-Identifier: MIT */
/*
 * Grama et al.: recursive doubling on ring, mesh and hypercube. Figures 4.2, 4.3, 4.5 and 4.6 show
 * the steps, who sends to whom; the book's cost is (ts + m tw) log2 p, whatever the way. Here a
 * message passes link after link, so that it depends on the network what the steps cost.
 */
#include "paper.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSORS = 16, MOST_STEPS = 8, ELEMENTS = 2 }; /* doubles of a message */

/* ts = d - G and tw = G: 9.8 and 0.2 units; a message of 16 bytes streams 3. */
static struct paper_case make_case(const struct paper *p, const char *collective,
                                   const char *algorithm, int P, const char *topology)
{
    const int64_t unit = paper_unit(p, p->o->unit_ns);
    const bool item = strcmp(collective, "broadcast") == 0;
    const bool multiplies = strcmp(collective, "matvec") == 0;

    return (struct paper_case){.collective = collective,
                               .algorithm = algorithm,
                               .P = P,
                               .topology = topology,
                               .unit_ns = unit,
                               .c = {.n_bytes = item ? ELEMENTS * sizeof(double) : 0,
                                     .count = ELEMENTS,
                                     .op = logp_op_find("sum", "double"),
                                     .params = {.L_ns = 6 * unit,
                                                .o_send_ns = 2 * unit,
                                                .o_recv_ns = 2 * unit,
                                                .g_ns = 4 * unit,
                                                .G_ps = unit * 200,
                                                .gamma_ps = multiplies ? unit * 1000 : 0}}};
}

/* ---- who sends to whom in which step ---- */

/* The place of a processor in the tree: a broadcast reaches it in this round, from 1. */
struct place {
    int parent, n_children, children[MOST_PROCESSORS], round;
};

static bool plan_places(const struct paper_case *x, struct place *places)
{
    for (int rank = 0; rank < x->P; rank++) {
        struct logp_coll c = x->c;

        if (logp_coll_plan(paper_algorithm(x), (int)x->P, rank, &c) != 0)
            return false;
        places[rank] = (struct place){.parent = c.plan.parent, .n_children = c.plan.n_children};
        for (int k = 0; k < c.plan.n_children; k++)
            places[rank].children[k] = c.plan.children[k];
        logp_coll_unplan(&c);
    }
    return true;
}

/* Child k of a processor that has the item in round r gets it in round r + k + 1; a reduction
 * receives the other way round. @return the last round below this rank */
static int number_rounds(struct place *places, int rank, bool reduction)
{
    const struct place *at = &places[rank];
    int last = at->round;

    for (int k = 0; k < at->n_children; k++) {
        const int child = at->children[reduction ? at->n_children - 1 - k : k];
        int below;

        places[child].round = at->round + k + 1;
        below = number_rounds(places, child, reduction);
        last = below > last ? below : last;
    }
    return last;
}

/* "0-4 2-6", from sender to receiver, by the sender. */
static void name_messages(const struct place *places, int P, int round, bool reduction, char *out,
                          size_t size)
{
    out[0] = '\0';
    for (int rank = 0; rank < P; rank++)
        for (int k = 0; k < P; k++) {
            const bool here = reduction ? k == places[rank].parent && places[rank].round == round
                                        : places[k].parent == rank && places[k].round == round;

            if (here)
                snprintf(out + strlen(out), size - strlen(out), "%s%d-%d",
                         out[0] != '\0' ? " " : "", rank, k);
        }
}

/* The steps of one figure, and how many messages one link carries. */
static void steps(struct paper *p, const char *figure, const char *collective,
                  const char *algorithm, int P, const char *topology)
{
    struct paper_case x = make_case(p, collective, algorithm, P, topology);
    const struct options o = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    const bool reduction = strcmp(collective, "reduce") == 0;
    struct paper_table *t =
        paper_table(p, figure, "step|messages", "messages on one link, the most",
                    "%s on %s, P = %d", collective, topology, P);
    struct place places[MOST_PROCESSORS];
    struct logp_link_load load;
    struct paper_row unused = {0}, *row;
    struct row run;
    int n, most = 0;

    x.c.topology = o.topology;
    if (!plan_places(&x, places) || logp_link_load_init(&load, paper_algorithm(&x), &x.c) != 0)
        bad_usage("no memory for the steps of %s", figure);
    n = number_rounds(places, 0, reduction);
    for (int i = 0; i < n && i < load.n_steps; i++) {
        char messages[64];

        name_messages(places, P, reduction ? n - i : i + 1, reduction, messages, sizeof(messages));
        row = paper_row(t, "%d|%s", i + 1, messages);
        row->value[PREDICTED] = load.step_most[i];
    }
    for (int i = 0; i < load.n_links; i++)
        most = load.messages[i] > most ? load.messages[i] : most;
    x.c.topology = NULL;
    run = paper_run(p, &x, &unused);
    row = paper_row(t, "all|");
    row->value[PREDICTED] = most;
    if (!p->stopped) {
        row->value[EMULATED] = (double)run.busiest.messages;
        p->wrong |= run.busiest.messages != (uint64_t)most;
    }
    logp_link_load_fini(&load);
    logp_topology_destroy((struct logp_topology *)o.topology);
}

/* ---- what it costs ---- */

/* "1 1 1": the most messages on one link, step by step. */
static void show_load(const struct paper *p, struct paper_case x, struct paper_row *row)
{
    const struct options o = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    struct logp_link_load load;
    char text[64] = "";

    x.c.topology = o.topology;
    if (logp_link_load_init(&load, paper_algorithm(&x), &x.c) == 0) {
        for (int i = 0; i < load.n_steps && i < MOST_STEPS; i++)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), " %d", load.step_most[i]);
        paper_remark(row, "messages on one link:%s", text);
        logp_link_load_fini(&load);
    }
    logp_topology_destroy((struct logp_topology *)o.topology);
}

/* A row of collective, algorithm, P on a topology (NULL: all are neighbours). */
static void cost(struct paper *p, struct paper_table *t, const char *collective,
                 const char *algorithm, int P, const char *topology)
{
    const struct paper_case x = make_case(p, collective, algorithm, P, topology);
    struct paper_row *row =
        paper_row(t, "%s|%s|%d|%s", collective, algorithm, P, topology != NULL ? topology : "-");

    if (strcmp(collective, "matvec") != 0)
        row->value[FORMULA] =
            (double)logp_textbook_cost(P, &x.c.params, ELEMENTS * sizeof(double)) /
            (double)x.unit_ns;
    paper_run(p, &x, row);
    if (topology != NULL)
        show_load(p, x, row);
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
    cost(p, t, "reduce", "binomial", 8, NULL);
    cost(p, t, "reduce", "binomial", 8, "ring");
    cost(p, t, "reduce", "binomial", 8, "hypercube");
    cost(p, t, "reduce", "mesh", 16, "mesh:4x4");
    paper_note(t, "The book's cost holds for P = 2^x where a send takes no longer than a message, "
                  "and where the way costs nothing or is one link, as on the hypercube; elsewhere "
                  "each link delays the message. "
                  "Combining costs nothing here, as in the book.");
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
               "The nearest first sends many messages over one link in the later steps; where they "
               "come too close they wait, and the prediction is a lower bound. The farthest first "
               "never shares "
               "a link within a step.");
}

static void product(struct paper *p)
{
    struct paper_table *t =
        paper_table(p, "Figure 4.4", "collective|algorithm|P|network", "units",
                    "matrix times vector on 4 x 4 processors, blocks of 2 x 2 doubles");

    cost(p, t, "matvec", "doubling", 16, NULL);
    cost(p, t, "matvec", "doubling", 16, "mesh:4x4");
    paper_note(t, "Broadcast down the columns, multiply, reduce along the rows; a multiplication "
                  "and an addition together take a unit, as does an addition.");
}

void paper_grama(struct paper *p)
{
    steps(p, "Figure 4.2", "broadcast", "binomial", 8, "ring");
    steps(p, "Figure 4.3", "reduce", "binomial", 8, "ring");
    product(p);
    steps(p, "Figure 4.5", "broadcast", "mesh", 16, "mesh:4x4");
    steps(p, "Figure 4.6", "broadcast", "binomial", 8, "hypercube");
    costs(p);
    nearest(p);
}
