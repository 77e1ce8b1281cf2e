/* SPDX-License-Identifier: MIT */
/*
 * Sun, Zhang & Song: data redistribution, which is transposing a matrix, by ring and butterfly.
 * The paper gives a formula for each, and a table of seconds on a hypercube of its time; our
 * matrices have 1/32 of the rows and columns, and our times are of a machine with L, o, g = 6, 2, 4
 * where a byte streams in 0.01, on a hypercube of links too where that is what the paper had.
 */
#include "papers/paper.h"

enum { PRINTED_SHIFT = 5 }; /* 2^10 x 2^10 becomes 2^5 x 2^5 */

struct paper_case sun_case(const struct paper *p, const char *algorithm, int P, int64_t size,
                           size_t element_bytes, bool streams)
{
    const int64_t unit = paper_unit(p, 5000);
    struct logp_params params = paper_params(unit, 6, 2, 4);

    params.G_ps = streams ? unit * 10 : 0;
    return (struct paper_case){.collective = "transpose",
                               .algorithm = algorithm,
                               .P = P,
                               .unit_ns = unit,
                               .c = {.args.rows = size,
                                     .args.cols = size,
                                     .args.n_bytes = element_bytes,
                                     .model.params = params}};
}

/* ---- the formulas ---- */

/* max(2o, g) + L - g, for L, o, g = 6, 2, 4 */
static const double step = 4 + 6 - 4;

/* The butterfly network, whatever the number of messages in a stage. */
static double of_butterfly(int P)
{
    return step * 2 * log2(P);
}

/* The hypercube, on which sigma processors do the work of a level of that network. */
static double of_hypercube(int P, int sigma)
{
    return step * (2.0 * P / sigma) * log2(P);
}

static void formulas(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 1, .log_x = true, .log_y = true};
    static const char *const algorithms[] = {"ring", "ring-eager", "ring-window", "butterfly"};
    struct paper_table *t = paper_table(p, "Formulas", "algorithm|P", "units",
                                        "one message for each destination, L, o, g = 6, 2, 4");

    t->chart = &chart;
    for (int i = 0; i < 4; i++)
        for (int P = 2; P <= 16; P *= 2) {
            const struct paper_case x = sun_case(p, algorithms[i], P, P, 1, false);
            struct paper_row *row = paper_row(t, "%s|%d", algorithms[i], P);

            if (i == 0)
                row->value[FORMULA] = P * (P - 1) * step;
            else if (i == 3)
                row->value[FORMULA] = of_butterfly(P);
            paper_run(p, &x, row);
        }
    paper_note(t, "The paper's ring is n(n-1)[max(2o,g) + L - g], with an n too many and L in "
                  "every phase; its butterfly network is 2 log2 n [max(2o,g) + L - g].");
    paper_judge(
        p, "Ring, n(n-1)[max(2o,g) + L - g]", paper_same_of(t, 0, "ring", FORMULA, EMULATED),
        "it has an n too many, as every processor has n - 1 phases of its own, and L - g in "
        "each of them; ours is (n-2) max(D,E) + D");
    paper_note(t, "The ring as printed waits for each message before it sends the next; eager "
                  "sends all first, a window keeps a few in flight.");
    paper_judge(p, "Butterfly network, 2 log2 n [max(2o,g) + L - g]",
                paper_same_of(t, 0, "butterfly", FORMULA, EMULATED),
                "a stage of one message takes 2o + L for any g; and the formula ignores the number "
                "of messages of a stage");
}

/* The butterfly on the links of a hypercube, P x P words, so that a stage has P/2 messages of a
 * word or one that holds them. All are sent to neighbours: the network changes nothing. All
 * processors take part in each stage, so that a level has sigma = P of them; P/2 for comparison. */
static void hypercube(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 0, .series = EACH_OTHER, .log_x = true};
    static const char *const networks[] = {NULL, "hypercube"};
    struct paper_table *t =
        paper_table(p, "Hypercube", "P|sigma|messages of a stage|network", "units",
                    "the butterfly of P x P words, in one message or one for each column");

    t->chart = &chart;
    for (int P = 2; P <= 16; P *= 2) {
        for (int packing = 0; packing < (P > 2 ? 2 : 1); packing++)
            for (int i = 0; i < 2; i++) {
                struct paper_case x = sun_case(p, "butterfly", P, P, 1, false);
                struct paper_row *row =
                    paper_row(t, "%d|P|%d|%s", P, packing == LOGP_PACKING_NONE ? P / 2 : 1,
                              networks[i] != NULL ? networks[i] : "-");

                x.c.args.packing = (enum logp_packing)packing;
                x.topology = networks[i];
                row->value[FORMULA] = of_hypercube(P, P);
                paper_run(p, &x, row);
            }
        paper_row(t, "%d|P/2|1|hypercube", P)->value[FORMULA] = of_hypercube(P, P / 2);
    }
    paper_note(t, "Its formula: [max(2o,g) + L - g] (2n/sigma) log2 n, with sigma processors of a "
                  "level. Here all n take part in each stage; then it is that of the butterfly "
                  "network. With half of them it is twice as much, and nothing is run.");
    paper_note(t, "Ours for w messages of a word, w >= 2: lg n ((w-1)e + max(L, (w-1)e) + 2o); for "
                  "one: (lg n - 1) max(D,E) + D.");
    paper_judge(
        p, "Hypercube, [max(2o,g) + L - g] (2n/sigma) log2 n", paper_same(t, FORMULA, EMULATED),
        "as the butterfly network with sigma = n; on the links of a hypercube the butterfly "
        "takes as long as without");
}

/* ---- the table ---- */

static const struct {
    int log_size;
    double seconds[4][2]; /* for P = 2, 4, 8, 16: ring, butterfly */
} printed[] = {
    {10, {{9.23, 8.92}, {11.32, 9.32}, {12.56, 10.89}, {14.44, 11.12}}},
    {11, {{11.56, 10.94}, {12.57, 10.65}, {13.69, 12.15}, {15.78, 12.89}}},
    {12, {{13.05, 11.33}, {14.48, 12.07}, {15.71, 13.97}, {16.53, 14.15}}},
};

enum { N_SIZES = sizeof(printed) / sizeof(printed[0]) };

/* The side of our matrix. */
static int ours(int i)
{
    return 1 << (printed[i].log_size - PRINTED_SHIFT);
}

static const char *faster(double ring, double butterfly)
{
    return ring < butterfly ? "the ring" : ring > butterfly ? "the butterfly" : "neither";
}

/* To pack a column takes as long as its part for one destination streams. */
static int64_t pack_ns(const struct paper_case *x)
{
    return logp_params_stream_ns(&x->c.model.params,
                                 (size_t)(x->c.args.rows / x->P) * x->c.args.n_bytes);
}

/* Ring and butterfly for one size and P. @return 0 the ring is faster, 1 the butterfly, -1 neither,
 * or not run */
static int pair(struct paper *p, struct paper_table *t, const struct paper_case *model,
                int log_size, const double *seconds)
{
    static const char *const algorithms[] = {"ring", "butterfly"};
    double emulated[2] = {NAN, NAN};
    struct paper_row *row = NULL;

    for (int a = 0; a < 2; a++) {
        struct paper_case x = *model;

        row =
            paper_row(t, "2^%d|%lld|%lld|%s|%s", log_size, (long long)x.c.args.rows, (long long)x.P,
                      x.c.args.packing == LOGP_PACKING_NONE ? "none" : "structured", algorithms[a]);
        x.algorithm = algorithms[a];
        if (seconds != NULL)
            row->value[PRINTED] = seconds[a];
        paper_run(p, &x, row);
        emulated[a] = row->value[EMULATED];
    }
    if (isnan(emulated[0]) || isnan(emulated[1]))
        return -1;
    paper_remark(row, "faster: %s%s%s", faster(emulated[0], emulated[1]),
                 seconds != NULL ? "; printed: " : "",
                 seconds != NULL ? faster(seconds[0], seconds[1]) : "");
    return emulated[0] == emulated[1] ? -1 : emulated[1] < emulated[0];
}

/* The table under the paper's conditions: a hypercube, and the same cost of packing for both, here
 * none. */
static void table(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 2, .series = EACH_OTHER, .log_x = true};
    struct paper_table *t = paper_table(p, "Table", "matrix|ours|P|packing|algorithm", "units",
                                        "ring and butterfly on a hypercube, ours of doubles");
    int same = 0, large = 0;

    t->chart = &chart;
    t->printed_unit = "s";
    for (int i = 0; i < N_SIZES; i++)
        for (int j = 0; j < 4; j++) {
            struct paper_case model = sun_case(p, "ring", 2 << j, ours(i), sizeof(double), true);
            const double *seconds = printed[i].seconds[j];
            bool agrees;

            model.topology = "hypercube";
            agrees = pair(p, t, &model, printed[i].log_size, seconds) == (seconds[1] < seconds[0]);
            same += agrees;
            large += agrees && j > 0;
        }
    paper_note(t,
               "The paper prints seconds on a hypercube of its time, so only the order of the two "
               "can be compared. Ours are 1/32 of each side, with L, o, g = 6, 2, 4 and 0.01 for a "
               "byte that streams, and every link delays a message. The formulas have no sizes, so "
               "they are in the table above.");
    paper_note(t,
               "Which is faster is as printed in %d of %d cells, and in %d of the %d with P >= 4; "
               "for P = 2 ring and butterfly are the same messages.",
               same, 4 * N_SIZES, large, 3 * N_SIZES);
    paper_judge(p, "Table, which is faster, P >= 4", large == 3 * N_SIZES,
                "on a hypercube, %d of %d cells; the ring's messages share links there, those of "
                "the butterfly do not. The seconds cannot be compared with anything here",
                large, 3 * N_SIZES);
    paper_judge(p, "Table, which is faster, P = 2", same - large == N_SIZES,
                "%d of %d cells: both send the same one message, and take the same time",
                same - large, N_SIZES);
}

/* The same if all processors are neighbours, and packing has a cost. */
static void table_without_links(struct paper *p)
{
    static const struct paper_chart chart = {.x_axis = "P",
                                             .y_axis = "time, units",
                                             .x = 2,
                                             .series = EACH_OTHER,
                                             .log_x = true,
                                             .log_y = true};
    struct paper_table *t = paper_table(p, "Table", "matrix|ours|P|packing|algorithm", "units",
                                        "the same on a full network, with a time to pack");

    t->chart = &chart;
    for (int i = 0; i < N_SIZES; i++)
        for (int j = 0; j < 4; j++)
            for (int packing = 0; packing < 2; packing++) {
                struct paper_case x = sun_case(p, "ring", 2 << j, ours(i), sizeof(double), true);

                x.c.args.packing = (enum logp_packing)packing;
                x.c.args.pack_ns = packing == LOGP_PACKING_STRUCTURED ? pack_ns(&x) : 0;
                pair(p, t, &x, printed[i].log_size, NULL);
            }
    paper_note(
        t,
        "Structured: all that goes to one destination is one message, and to pack a column takes "
        "as long as its part for one destination streams, which the butterfly does log2 n times; "
        "none: one message for each column.");
}

static void fill(struct paper *p)
{
    formulas(p);
    hypercube(p);
    table(p);
    table_without_links(p);
    sun_packing(p);
    sun_listings(p);
}

const struct paper_kind paper_sun = {
    .name = "sun",
    .title = "Sun, Zhang & Song 2002: data redistribution",
    .fill = fill,
};
