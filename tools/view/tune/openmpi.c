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

static const struct tune_row allgather[] = {
    {.ours = "bruck", .theirs = "bruck", .id = 2},
    {.ours = "recursive-doubling", .theirs = "recursive doubling", .id = 3, .needs = TUNE_POWER},
    {.ours = "ring", .theirs = "ring", .id = 4},
    {.ours = "neighbour", .theirs = "neighbor", .id = 5},
    {0},
};
/* logp does not have its segmented ring (5), which hands out whole parts, nor its rabenseifner for
 * P that are not powers of two, which begins with halves. */
static const struct tune_row allreduce[] = {
    {.ours = "recursive-doubling", .theirs = "recursive doubling", .id = 3},
    {.ours = "ring", .theirs = "ring", .id = 4, .needs = TUNE_EACH},
    {.ours = "rabenseifner", .theirs = "rabenseifner", .id = 6, .needs = TUNE_MOST | TUNE_POWER},
    {0},
};
static const struct tune_row alltoall[] = {
    {.ours = "linear", .theirs = "linear", .id = 1},
    {.ours = "pairwise", .theirs = "pairwise", .id = 2},
    {.ours = "bruck", .theirs = "modified bruck", .id = 3},
    {0},
};
static const struct tune_row barrier[] = {
    {.ours = "central", .theirs = "linear", .id = 1},
    {.ours = "dissemination", .theirs = "bruck", .id = 4},
    {.ours = "tree", .theirs = "tree", .id = 6, .k = 2},
    {0},
};
/* Its binomial tree sends to the nearest first. The radix of its k-nomial tree is not in the file,
 * but in coll_tuned_bcast_algorithm_knomial_radix. */
static const struct tune_row bcast[] = {
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
    {0},
};
static const struct tune_row gather[] = {
    {.ours = "flat", .theirs = "linear", .id = 1},
    {.ours = "binomial", .theirs = "binomial", .id = 2},
    {0},
};
/* Its binary tree fills the last level evenly, not from the left; for a broadcast both are equal.
 * logp does not have its in-order binary tree (6), whose root is the last rank, which forwards the
 * result. */
static const struct tune_row reduce[] = {
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
    {"scatter", "scatter", .id = 15, .sums = true, .rows = gather},
    {0},
};

/* Whether the i-th number of processors needs a rule of its own: it has cells, and the rule before,
 * which would apply otherwise, has other choices. */
static bool counts(const struct tune_result *r, size_t i)
{
    const struct tune_cells *before = NULL;

    for (size_t j = 0; j < i; j++)
        if (r->of[j].n > 0)
            before = &r->of[j];
    return r->of[i].n > 0 && (before == NULL || (r->collective->sums && before->n > 1) ||
                              !tune_same(&r->of[i], before));
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
    size_t filled = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < q->span.n_P; j++)
            if (results[i].of[j].n > 0) {
                filled++;
                break;
            }
    fprintf(f,
            "# For Open MPI 4.1: --mca coll_tuned_use_dynamic_rules 1\n"
            "#                   --mca coll_tuned_dynamic_rules_filename FILE\n"
            "# Of a size: bytes from which on, algorithm, fan-out, segment.\n"
            "%zu # collectives\n",
            filled);
    for (size_t i = 0; i < n; i++) {
        size_t rules = 0;

        for (size_t j = 0; j < q->span.n_P; j++)
            rules += counts(&results[i], j);
        if (rules == 0)
            continue;
        fprintf(f, "\n%d # %s\n%zu # numbers of processes\n", results[i].collective->id,
                results[i].collective->theirs, rules);
        for (size_t j = 0; j < q->span.n_P; j++)
            if (counts(&results[i], j))
                print_cells(f, &results[i], &results[i].of[j]);
    }
}

const struct tune_form tune_openmpi = {
    .suffix = "txt", .name = "openmpi", .collectives = collectives, .print = print};
