/* SPDX-License-Identifier: MIT */
/*
 * Open MPI 4.1: a file for its component coll/tuned,
 *
 *     mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE
 *
 * The file contains only numbers, in any layout; # begins a comment. It gives the number of
 * collectives; for each collective its number and the number of process counts; for each process
 * count P that count and the number of sizes; for each size the size in bytes from which on its
 * rule applies, beginning with 0, and the algorithm's number, fan-out and segment size. This
 * release does not accept the first line of other releases, rule-file-version. A rule for P
 * processes also applies above P, up to the next process count in the file; the first one also
 * applies to fewer.
 *
 * Source of the numbers: ompi_info --param coll tuned --level 9, and the sources of 4.1.4. Sizes
 * are those of the message; for allgather, alltoall, gather and scatter, of all items together. For
 * a scan, Open MPI considers only the size of an element and the number of processes, so one choice
 * would apply to all sizes.
 */
#include "view/views.h"
#include "answer/tune/tune.h"
#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

/* The steps of coll/han, each by coll/tuned, on nodes of equal size, with coll_han_use_simple_...: in each node
 * (low_comm), and among one rank of each (up_comm). */
static const struct tune_row allgather[6], allreduce[5], barrier[5], bcast[12], gather[4],
    reduce[11], scatter[4];
static const struct tune_part allgather_parts[] = {{"gather", gather, false, TUNE_SAME},
                                                   {"allgather", allgather, true, TUNE_OF_NODE},
                                                   {"broadcast", bcast, false, TUNE_OF_ALL},
                                                   {0}};
static const struct tune_part allreduce_parts[] = {{"reduce", reduce, false, TUNE_SAME},
                                                   {"allreduce", allreduce, true, TUNE_SAME},
                                                   {"broadcast", bcast, false, TUNE_SAME},
                                                   {0}};
static const struct tune_part barrier_parts[] = {{"barrier", barrier, false, TUNE_SAME},
                                                 {"barrier", barrier, true, TUNE_SAME},
                                                 {"barrier", barrier, false, TUNE_SAME},
                                                 {0}};
static const struct tune_part bcast_parts[] = {
    {"broadcast", bcast, true, TUNE_SAME}, {"broadcast", bcast, false, TUNE_SAME}, {0}};
static const struct tune_part gather_parts[] = {
    {"gather", gather, false, TUNE_SAME}, {"gather", gather, true, TUNE_OF_NODE}, {0}};
static const struct tune_part reduce_parts[] = {
    {"reduce", reduce, false, TUNE_SAME}, {"reduce", reduce, true, TUNE_SAME}, {0}};
static const struct tune_part scatter_parts[] = {
    {"scatter", scatter, true, TUNE_OF_NODE}, {"scatter", scatter, false, TUNE_SAME}, {0}};

static const struct tune_row allgather[6] = {
    {.ours = "bruck", .theirs = "bruck", .id = 2},
    {.ours = "recursive-doubling", .theirs = "recursive doubling", .id = 3, .needs = TUNE_POWER},
    {.ours = "ring", .theirs = "ring", .id = 4},
    {.ours = "neighbour", .theirs = "neighbor", .id = 5},
    {.ours = "ring", .theirs = "han", .parts = allgather_parts},
    {0},
};
/* logp does not have its segmented ring (5), which hands out whole parts, nor its rabenseifner for
 * P that are not powers of two, which begins with halves. */
static const struct tune_row allreduce[5] = {
    {.ours = "recursive-doubling", .theirs = "recursive doubling", .id = 3},
    {.ours = "ring", .theirs = "ring", .id = 4, .needs = TUNE_EACH},
    {.ours = "rabenseifner", .theirs = "rabenseifner", .id = 6, .needs = TUNE_MOST | TUNE_POWER},
    {.ours = "ring", .theirs = "han", .needs = TUNE_COMMUTES, .parts = allreduce_parts},
    {0},
};
static const struct tune_row alltoall[] = {
    {.ours = "linear", .theirs = "linear", .id = 1},
    {.ours = "pairwise", .theirs = "pairwise", .id = 2},
    {.ours = "bruck", .theirs = "modified bruck", .id = 3},
    {0},
};
static const struct tune_row barrier[5] = {
    {.ours = "central", .theirs = "linear", .id = 1},
    {.ours = "dissemination", .theirs = "bruck", .id = 4},
    {.ours = "tree", .theirs = "tree", .id = 6, .k = 2},
    {.ours = "central", .theirs = "han", .parts = barrier_parts},
    {0},
};
/* Its binomial tree sends to the nearest first. The radix of its k-nomial tree is not in the file,
 * but in coll_tuned_bcast_algorithm_knomial_radix. */
static const struct tune_row bcast[12] = {
    {.ours = "flat", .theirs = "linear", .id = 1},
    {.ours = "chain", .theirs = "chain", .id = 2, .fanout = true},
    {.ours = "chain-pipelined", .theirs = "pipeline", .id = 3, .segments = true},
    {.ours = "split-binary", .theirs = "split binary tree", .id = 4, .segments = true},
    {.ours = "binary", .theirs = "binary tree", .id = 5},
    {.ours = "binary-pipelined", .theirs = "binary tree", .id = 5, .segments = true},
    {.ours = "binomial-nearest", .theirs = "binomial", .id = 6},
    {.ours = "knomial", .theirs = "knomial", .id = 7, .k = 4},
    {.ours = "scatter-doubling", .theirs = "scatter allgather", .id = 8, .needs = TUNE_EACH},
    {.ours = "scatter-allgather", .theirs = "scatter allgather ring", .id = 9, .needs = TUNE_EACH},
    {.ours = "flat", .theirs = "han", .parts = bcast_parts},
    {0},
};
static const struct tune_row gather[4] = {
    {.ours = "flat", .theirs = "linear", .id = 1},
    {.ours = "binomial", .theirs = "binomial", .id = 2},
    {.ours = "flat", .theirs = "han", .parts = gather_parts},
    {0},
};
static const struct tune_row scatter[4] = {
    {.ours = "flat", .theirs = "linear", .id = 1},
    {.ours = "binomial", .theirs = "binomial", .id = 2},
    {.ours = "flat", .theirs = "han", .parts = scatter_parts},
    {0},
};
/* Its binary tree fills the last level evenly, not from the left; for a broadcast both are equal.
 * logp does not have its in-order binary tree (6), whose root is the last rank, which forwards the
 * result. */
static const struct tune_row reduce[11] = {
    {.ours = "flat", .theirs = "linear", .id = 1},
    {.ours = "kchain-opt", .theirs = "chain", .id = 2, .fanout = true},
    {.ours = "chain", .theirs = "chain", .id = 2, .fanout = true},
    {.ours = "chain-pipelined", .theirs = "pipeline", .id = 3, .segments = true},
    {.ours = "binary", .theirs = "binary", .id = 4, .needs = TUNE_POWER},
    {.ours = "binary-pipelined",
     .theirs = "binary",
     .id = 4,
     .segments = true,
     .needs = TUNE_POWER},
    {.ours = "binomial", .theirs = "binomial", .id = 5},
    {.ours = "binomial-pipelined", .theirs = "binomial", .id = 5, .segments = true},
    {.ours = "rabenseifner", .theirs = "rabenseifner", .id = 7, .needs = TUNE_MOST | TUNE_POWER},
    {.ours = "flat", .theirs = "han", .needs = TUNE_COMMUTES, .parts = reduce_parts},
    {0},
};
static const struct tune_row reduce_scatter[] = {
    {.ours = "recursive-halving", .theirs = "recursive halving", .id = 2},
    {.ours = "ring", .theirs = "ring", .id = 3},
    {.ours = "butterfly", .theirs = "butterfly", .id = 4, .needs = TUNE_POWER},
    {0},
};
/* Without exscan (8) and reduce_scatter_block (13): logp has only one of the library's algorithms
 * for each, so there is no choice. */
static const struct tune_collective collectives[] = {
    {"allgather", "allgather", .id = 0, .sums = true, .rows = allgather},
    {"allreduce", "allreduce", .id = 2, .rows = allreduce},
    {"alltoall", "alltoall", .id = 3, .sums = true, .rows = alltoall},
    {"barrier", "barrier", .id = 6, .rows = barrier},
    {"broadcast", "bcast", .id = 7, .rows = bcast},
    {"gather", "gather", .id = 9, .sums = true, .rows = gather},
    {"reduce", "reduce", .id = 11, .rows = reduce},
    {"reduce-scatter", "reduce_scatter", .id = 12, .sums = true, .rows = reduce_scatter},
    {"scatter", "scatter", .id = 15, .sums = true, .rows = scatter},
    {0},
};

/* All cells of a collective, ascending in P: those of the span, and of the levels for other numbers of
 * processors, those between nodes first. */
struct blocks {
    const struct tune_cells *of[3 * MAX_P_LIST];
    size_t n;
};

static void add_block(struct blocks *b, const struct tune_cells *cells)
{
    size_t i = b->n;

    for (size_t j = 0; j < b->n; j++)
        if (b->of[j]->P == cells->P)
            return;
    if (cells->n == 0)
        return;
    for (; i > 0 && b->of[i - 1]->P > cells->P; i--)
        b->of[i] = b->of[i - 1];
    b->of[i] = cells;
    b->n++;
}

static void find_blocks(const struct question *q, const struct tune_result *r, struct blocks *b)
{
    const struct tune_level *const levels[] = {&r->between, &r->inside};

    b->n = 0;
    for (size_t i = 0; i < q->span.n_P; i++)
        add_block(b, &r->of[i]);
    for (size_t k = 0; r->inside.of != NULL && k < 2; k++)
        for (size_t i = 0; i < levels[k]->q->span.n_P; i++)
            add_block(b, &levels[k]->of[i]);
}

/* Whether a block needs a rule of its own: the rule before, which would apply otherwise, has other
 * choices. */
static bool counts(const struct tune_result *r, const struct blocks *b, size_t i)
{
    return i == 0 || (r->collective->sums && b->of[i - 1]->n > 1) ||
           !tune_same(b->of[i], b->of[i - 1]);
}

static void print_cells(FILE *f, const struct tune_result *r, const struct tune_cells *of)
{
    fprintf(f, "%lld # processes\n%zu # sizes\n", (long long)of->P, of->n);
    for (size_t i = 0; i < of->n; i++) {
        const struct tune_pick *best = &of->cells[i].best;
        const int64_t from = i > 0 ? of->cells[i].from : 0;

        fprintf(f, "%lld %d %lld %lld # %s\n",
                (long long)(r->collective->sums ? from * of->P : from), best->row->id,
                (long long)best->fanout, (long long)best->block, best->row->theirs);
    }
}

static void print(FILE *f, const struct question *q, const struct tune_result *results, size_t n)
{
    struct blocks *b = need(malloc(sizeof(*b)));
    size_t filled = 0;

    for (size_t i = 0; i < n; i++) {
        find_blocks(q, &results[i], b);
        filled += b->n > 0;
    }
    fprintf(f,
            "# For Open MPI 4.1: --mca coll_tuned_use_dynamic_rules 1\n"
            "#                   --mca coll_tuned_dynamic_rules_filename FILE\n"
            "# Of a size: bytes from which on, algorithm, fan-out, segment.\n"
            "%zu # collectives\n",
            filled);
    for (size_t i = 0; i < n; i++) {
        size_t rules = 0;

        find_blocks(q, &results[i], b);
        for (size_t j = 0; j < b->n; j++)
            rules += counts(&results[i], b, j);
        if (rules == 0)
            continue;
        fprintf(f, "\n%d # %s\n%zu # numbers of processes\n", results[i].collective->id,
                results[i].collective->theirs, rules);
        for (size_t j = 0; j < b->n; j++)
            if (counts(&results[i], b, j))
                print_cells(f, &results[i], b->of[j]);
    }
    free(b);
}

const struct tune_form tune_openmpi = {.suffix = "txt",
                                       .name = "openmpi",
                                       .collectives = collectives,
                                       .levels = TUNE_LEVEL_TABLES,
                                       .print = print};

/* ---- coll/han ---- */

static const char *component(const struct tune_pick *pick)
{
    return pick->row->parts != NULL ? "han" : "tuned";
}

static bool same_component(const struct tune_cell *a, const struct tune_cell *b)
{
    return (a->best.row->parts != NULL) == (b->best.row->parts != NULL);
}

/* The sizes at which another component is better. */
static void print_sizes(FILE *f, int64_t P, const struct tune_cells *of)
{
    size_t n = 0;

    for (size_t i = 0; i < of->n; i++)
        n += i == 0 || !same_component(&of->cells[i], &of->cells[i - 1]);
    fprintf(f, "%lld # processes\n%zu # sizes\n", (long long)P, n);
    for (size_t i = 0; i < of->n; i++)
        if (i == 0 || !same_component(&of->cells[i], &of->cells[i - 1]))
            fprintf(f, "%lld %s\n", (long long)(i > 0 ? of->cells[i].from : 0),
                    component(&of->cells[i].best));
}

static void print_han_rules(FILE *f, const struct question *q, const struct tune_result *r)
{
    size_t n = 0, done = 0;

    for (size_t j = 0; j < q->span.n_P; j++)
        n += r->of[j].n > 0;
    fprintf(f,
            "\n%s\n3 # levels\n"
            "0 # in a node\n1\n1 # processes\n1 # sizes\n0 tuned\n"
            "1 # between nodes\n1\n1 # nodes\n1 # sizes\n0 tuned\n"
            "2 # all\n%zu\n",
            r->collective->theirs, n);
    for (size_t j = 0; j < q->span.n_P; j++)
        if (r->of[j].n > 0)
            print_sizes(f, done++ == 0 ? 1 : r->of[j].P, &r->of[j]);
}

static bool has_han(const struct question *q, const struct tune_result *r)
{
    bool has = false;

    for (size_t j = 0; r->inside.of != NULL && j < q->span.n_P; j++)
        has |= r->of[j].n > 0;
    return has;
}

/*
 * A file for coll/han: which component has a collective, at each level, for so many processes and bytes. Its
 * format is that of coll_han_dynamic_file.h of 4.1.4, which takes names of components, where that header has
 * numbers. The first number of processes must be 1, and the first size 0.
 */
static void print_han(FILE *f, const struct question *q, const struct tune_result *results,
                      size_t n)
{
    size_t filled = 0;

    for (size_t i = 0; i < n; i++)
        filled += has_han(q, &results[i]);
    fprintf(
        f,
        "# For Open MPI 4.1: --mca coll_han_priority 100 --mca coll_han_use_dynamic_file_rules 1\n"
        "#                   --mca coll_han_dynamic_rules_filename FILE\n"
        "# and, so that han uses the rules of its levels,\n");
    for (size_t i = 0; i < n; i++)
        if (has_han(q, &results[i]) && strcmp(results[i].collective->theirs, "barrier") != 0)
            fprintf(f, "#                   --mca coll_han_use_simple_%s 1\n",
                    results[i].collective->theirs);
    fprintf(f,
            "# with the file of --export openmpi for the algorithms in and between nodes.\n"
            "# Of a size: bytes from which on, component.\n%zu # collectives\n",
            filled);
    for (size_t i = 0; i < n; i++)
        if (has_han(q, &results[i]))
            print_han_rules(f, q, &results[i]);
}

const struct tune_form tune_han = {.suffix = "txt",
                                   .name = "openmpi-han",
                                   .collectives = collectives,
                                   .levels = TUNE_LEVELS_NEEDED,
                                   .print = print_han};
