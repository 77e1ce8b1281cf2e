/* SPDX-License-Identifier: MIT */
/*
 * MPICH 4.0: a file for its collective selection,
 *
 *     MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE
 *
 * (without the first variable, devices choose, too). The file is a tree in JSON: each object maps
 * conditions to subtrees, MPICH follows the first condition that holds, and a leaf names an
 * algorithm. The file replaces all choices of MPICH, so each collective must be in it, including
 * nonblocking ones; a collective that is not chosen here gets one algorithm that always works.
 * MPICH crashes if an algorithm does not work for a call, so an algorithm with requirements is
 * guarded by conditions. MPICH also reads "comm_size<", but in some places takes it as "<=". It
 * reads the file as a string that ends with the last page, so the file must not fill its last page.
 *
 * Names and rules: the sources of 4.0.2, src/mpi/coll.
 */
#include "view/views.h"
#include "answer/tune/tune.h"
#include "text/problem.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

/* Composed on nodes: among the ranks of each node (node_comm), and among one of each node
 * (node_roots_comm), in the order of the sources. A broadcast is not composed from 12288 bytes on, or from
 * 524288 if P is a power of two: MPIR_CVAR_BCAST_SHORT_MSG_SIZE and MPIR_CVAR_BCAST_LONG_MSG_SIZE. */
static const struct tune_row allreduce[4], barrier[3], bcast[6], reduce[4];
static const struct tune_part allreduce_parts[] = {{"reduce", reduce, .between = false},
                                                   {"allreduce", allreduce, .between = true},
                                                   {"broadcast", bcast, .between = false},
                                                   {0}};
static const struct tune_part barrier_parts[] = {{"barrier", barrier, .between = false},
                                                 {"barrier", barrier, .between = true},
                                                 {"broadcast", bcast, .between = false},
                                                 {0}};
static const struct tune_part bcast_parts[] = {
    {"broadcast", bcast, .between = true}, {"broadcast", bcast, .between = false}, {0}};
/* The node of the root is the last. */
static const struct tune_part reduce_parts[] = {{"reduce", reduce, .between = false},
                                                {"reduce", reduce, .between = true},
                                                {"reduce", reduce, .between = false},
                                                {0}};

static const struct tune_row allgather[] = {
    {.ours = "bruck", .theirs = "Allgather_intra_brucks"},
    {.ours = "recursive-doubling",
     .theirs = "Allgather_intra_recursive_doubling",
     .needs = TUNE_POWER},
    {.ours = "ring", .theirs = "Allgather_intra_ring"},
    {0},
};
static const struct tune_row allreduce[4] = {
    {.ours = "recursive-doubling", .theirs = "Allreduce_intra_recursive_doubling"},
    {.ours = "rabenseifner",
     .theirs = "Allreduce_intra_reduce_scatter_allgather",
     .needs = TUNE_MOST | TUNE_BUILT_IN},
    {.ours = "recursive-doubling",
     .theirs = "Allreduce_intra_smp",
     .needs = TUNE_COMMUTES,
     .parts = allreduce_parts},
    {0},
};
/* Scattered sends 32 messages at a time, including the one to the rank itself. */
static const struct tune_row alltoall[] = {
    {.ours = "linear", .theirs = "Alltoall_intra_scattered", .up_to = 32},
    {.ours = "pairwise", .theirs = "Alltoall_intra_pairwise"},
    {.ours = "bruck", .theirs = "Alltoall_intra_brucks"},
    {0},
};
static const struct tune_row bcast[6] = {
    {.ours = "binomial", .theirs = "Bcast_intra_binomial"},
    {.ours = "scatter-doubling", .theirs = "Bcast_intra_scatter_recursive_doubling_allgather"},
    {.ours = "scatter-allgather", .theirs = "Bcast_intra_scatter_ring_allgather"},
    {.ours = "binomial", .theirs = "Bcast_intra_smp", .below = 12288, .parts = bcast_parts},
    {.ours = "binomial",
     .theirs = "Bcast_intra_smp",
     .needs = TUNE_POWER,
     .below = 524288,
     .parts = bcast_parts},
    {0},
};
static const struct tune_row reduce[4] = {
    {.ours = "binomial", .theirs = "Reduce_intra_binomial"},
    {.ours = "rabenseifner",
     .theirs = "Reduce_intra_reduce_scatter_gather",
     .needs = TUNE_MOST | TUNE_BUILT_IN},
    {.ours = "binomial",
     .theirs = "Reduce_intra_smp",
     .needs = TUNE_COMMUTES,
     .parts = reduce_parts},
    {0},
};
static const struct tune_row reduce_scatter[] = {
    {.ours = "pairwise", .theirs = "Reduce_scatter_intra_pairwise", .needs = TUNE_COMMUTES},
    {.ours = "recursive-halving",
     .theirs = "Reduce_scatter_intra_recursive_halving",
     .needs = TUNE_COMMUTES},
    {0},
};
static const struct tune_row reduce_scatter_block[] = {
    {.ours = "pairwise", .theirs = "Reduce_scatter_block_intra_pairwise", .needs = TUNE_COMMUTES},
    {.ours = "recursive-halving",
     .theirs = "Reduce_scatter_block_intra_recursive_halving",
     .needs = TUNE_COMMUTES},
    {0},
};

static const struct tune_row barrier[3] = {
    {.ours = "dissemination", .theirs = "Barrier_intra_dissemination"},
    {.ours = "dissemination", .theirs = "Barrier_intra_smp", .parts = barrier_parts},
    {0},
};

/* The collectives for which MPICH has several algorithms. */
static const struct tune_collective collectives[] = {
    {"allgather", "allgather", .sums = true, .rows = allgather},
    {"allreduce", "allreduce", .rows = allreduce},
    {"alltoall", "alltoall", .rows = alltoall},
    {"barrier", "barrier", .rows = barrier, .composed = true},
    {"broadcast", "bcast", .rows = bcast},
    {"reduce", "reduce", .rows = reduce},
    {"reduce-scatter", "reduce_scatter", .sums = true, .rows = reduce_scatter},
    {"reduce-scatter", "reduce_scatter_block", .sums = true, .rows = reduce_scatter_block},
    {0},
};

/* All collectives that must be in the file. */
static const struct always {
    const char *name;
    const char *size;     /* the size that MPICH compares; NULL: not used */
    const char *intra;    /* works always, except in place if in_place names another one */
    const char *inter;    /* NULL: intra, too */
    const char *in_place; /* NULL: intra */
} always[] = {
    {"allgather", "total_msg_size", "Allgather_intra_brucks",
     "Allgather_inter_local_gather_remote_bcast", NULL},
    {"allgatherv", NULL, "Allgatherv_intra_ring", "Allgatherv_inter_remote_gather_local_bcast",
     NULL},
    {"allreduce", "avg_msg_size", "Allreduce_intra_recursive_doubling",
     "Allreduce_inter_reduce_exchange_bcast", NULL},
    {"alltoall", "avg_msg_size", "Alltoall_intra_scattered", "Alltoall_inter_pairwise_exchange",
     "Alltoall_intra_pairwise_sendrecv_replace"},
    {"alltoallv", NULL, "Alltoallv_intra_scattered", "Alltoallv_inter_pairwise_exchange",
     "Alltoallv_intra_pairwise_sendrecv_replace"},
    {"alltoallw", NULL, "Alltoallw_intra_scattered", "Alltoallw_inter_pairwise_exchange",
     "Alltoallw_intra_pairwise_sendrecv_replace"},
    {"barrier", NULL, "Barrier_intra_dissemination", "Barrier_inter_bcast", NULL},
    {"bcast", "avg_msg_size", "Bcast_intra_binomial", "Bcast_inter_remote_send_local_bcast", NULL},
    {"exscan", NULL, "Exscan_intra_recursive_doubling", NULL, NULL},
    {"gather", NULL, "Gather_intra_binomial", "Gather_inter_linear", NULL},
    {"gatherv", NULL, "Gatherv_allcomm_linear", NULL, NULL},
    {"reduce", "avg_msg_size", "Reduce_intra_binomial", "Reduce_inter_local_reduce_remote_send",
     NULL},
    {"reduce_scatter", "total_msg_size", "Reduce_scatter_intra_recursive_doubling",
     "Reduce_scatter_inter_remote_reduce_local_scatter", NULL},
    {"reduce_scatter_block", "total_msg_size", "Reduce_scatter_block_intra_recursive_doubling",
     "Reduce_scatter_block_inter_remote_reduce_local_scatter", NULL},
    {"scan", NULL, "Scan_intra_recursive_doubling", NULL, NULL},
    {"scatter", NULL, "Scatter_intra_binomial", "Scatter_inter_linear", NULL},
    {"scatterv", NULL, "Scatterv_allcomm_linear", NULL, NULL},
    {"neighbor_allgather", NULL, "Neighbor_allgather_allcomm_nb", NULL, NULL},
    {"neighbor_allgatherv", NULL, "Neighbor_allgatherv_allcomm_nb", NULL, NULL},
    {"neighbor_alltoall", NULL, "Neighbor_alltoall_allcomm_nb", NULL, NULL},
    {"neighbor_alltoallv", NULL, "Neighbor_alltoallv_allcomm_nb", NULL, NULL},
    {"neighbor_alltoallw", NULL, "Neighbor_alltoallw_allcomm_nb", NULL, NULL},
    {"iallgather", NULL, "Iallgather_intra_sched_ring",
     "Iallgather_inter_sched_local_gather_remote_bcast", NULL},
    {"iallgatherv", NULL, "Iallgatherv_intra_sched_ring",
     "Iallgatherv_inter_sched_remote_gather_local_bcast", NULL},
    {"iallreduce", NULL, "Iallreduce_intra_sched_recursive_doubling",
     "Iallreduce_inter_sched_remote_reduce_local_bcast", NULL},
    {"ialltoall", NULL, "Ialltoall_intra_sched_permuted_sendrecv",
     "Ialltoall_inter_sched_pairwise_exchange", "Ialltoall_intra_sched_inplace"},
    {"ialltoallv", NULL, "Ialltoallv_intra_sched_blocked",
     "Ialltoallv_inter_sched_pairwise_exchange", "Ialltoallv_intra_sched_inplace"},
    {"ialltoallw", NULL, "Ialltoallw_intra_sched_blocked",
     "Ialltoallw_inter_sched_pairwise_exchange", "Ialltoallw_intra_sched_inplace"},
    {"ibarrier", NULL, "Ibarrier_intra_sched_recursive_doubling", "Ibarrier_inter_sched_bcast",
     NULL},
    {"ibcast", NULL, "Ibcast_intra_sched_binomial", "Ibcast_inter_sched_flat", NULL},
    {"iexscan", NULL, "Iexscan_intra_sched_recursive_doubling", NULL, NULL},
    {"igather", NULL, "Igather_intra_sched_binomial", "Igather_inter_sched_long", NULL},
    {"igatherv", NULL, "Igatherv_allcomm_sched_linear", NULL, NULL},
    {"ireduce", NULL, "Ireduce_intra_sched_binomial",
     "Ireduce_inter_sched_local_reduce_remote_send", NULL},
    {"ireduce_scatter", NULL, "Ireduce_scatter_intra_sched_recursive_doubling",
     "Ireduce_scatter_inter_sched_remote_reduce_local_scatterv", NULL},
    {"ireduce_scatter_block", NULL, "Ireduce_scatter_block_intra_sched_recursive_doubling",
     "Ireduce_scatter_block_inter_sched_remote_reduce_local_scatterv", NULL},
    {"iscan", NULL, "Iscan_intra_sched_recursive_doubling", NULL, NULL},
    {"iscatter", NULL, "Iscatter_intra_sched_binomial", "Iscatter_inter_sched_linear", NULL},
    {"iscatterv", NULL, "Iscatterv_allcomm_sched_linear", NULL, NULL},
    {"ineighbor_allgather", NULL, "Ineighbor_allgather_allcomm_sched_linear", NULL, NULL},
    {"ineighbor_allgatherv", NULL, "Ineighbor_allgatherv_allcomm_sched_linear", NULL, NULL},
    {"ineighbor_alltoall", NULL, "Ineighbor_alltoall_allcomm_sched_linear", NULL, NULL},
    {"ineighbor_alltoallv", NULL, "Ineighbor_alltoallv_allcomm_sched_linear", NULL, NULL},
    {"ineighbor_alltoallw", NULL, "Ineighbor_alltoallw_allcomm_sched_linear", NULL, NULL},
};

enum { N_ALWAYS = sizeof(always) / sizeof(always[0]) };

/* Add the subtree of a condition; `condition` is a format that may print n. */
static void add(json_t *tree, const char *condition, int64_t n, json_t *then)
{
    char key[96];

    snprintf(key, sizeof(key), condition, (long long)n);
    if (json_object_set_new(tree, key, then) != 0)
        need(NULL);
}

static json_t *leaf(const char *algorithm)
{
    json_t *tree = need(json_object());
    char key[96];

    snprintf(key, sizeof(key), "algorithm=MPIR_%s", algorithm);
    add(tree, key, 0, need(json_object()));
    return tree;
}

/* Return the tree that selects the row's algorithm where it works, and elsewhere the one of `a`. */
static json_t *guarded(const struct tune_row *row, const struct always *a)
{
    static const struct {
        unsigned need;
        const char *conditions[2]; /* MPICH follows the first that holds */
        int works;                 /* index of the condition under which the algorithm works */
    } guards[] = {{TUNE_MOST, {"count<pow2", "count=any"}, 1},
                  {TUNE_BUILT_IN, {"is_op_built_in=yes", "is_op_built_in=no"}, 0},
                  {TUNE_COMMUTES, {"is_commutative=yes", "is_commutative=no"}, 0},
                  {TUNE_POWER, {"comm_size=pow2", "comm_size=any"}, 0}};
    json_t *tree = leaf(row->theirs), *outer;

    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        if ((row->needs & guards[i].need) == 0)
            continue;
        outer = need(json_object());
        for (int k = 0; k < 2; k++)
            add(outer, guards[i].conditions[k], 0, k == guards[i].works ? tree : leaf(a->intra));
        tree = outer;
    }
    return tree;
}

/* Return the tree of the cells by size. MPICH counts bytes in an int, so the first cell that ends
 * above INT32_MAX gets all larger sizes. */
static json_t *by_size(const struct tune_result *r, const struct tune_cells *of,
                       const struct always *a)
{
    json_t *tree = need(json_object());
    char up_to[32], any[32];

    if (a->size == NULL) {
        json_decref(tree);
        return guarded(of->cells[0].best.row, a);
    }
    snprintf(up_to, sizeof(up_to), "%s<=%%lld", a->size);
    snprintf(any, sizeof(any), "%s=any", a->size);
    for (size_t i = 0; i < of->n; i++) {
        const struct tune_cell *cell = &of->cells[i];
        const __int128 bytes = (__int128)(cell->to + 1) * (r->collective->sums ? of->P : 1) - 1;
        const bool last = i == of->n - 1 || bytes > INT32_MAX;

        add(tree, last ? any : up_to, (int64_t)bytes, guarded(cell->best.row, a));
        if (last)
            break;
    }
    return tree;
}

/* Return the index of the next number of processors with other choices than j's; n: none. */
static size_t next_other(const struct tune_result *r, const struct tune_cells *of, size_t n,
                         size_t j)
{
    size_t next = j + 1;

    while (next < n && (of[next].n == 0 ||
                        ((!r->collective->sums || of[j].n == 1) && tune_same(&of[j], &of[next]))))
        next++;
    return next;
}

/* Return the tree by number of processors, of n of them; NULL: there are no choices. */
static json_t *by_processors(const struct tune_result *r, const struct tune_cells *of, size_t n,
                             const struct always *a)
{
    json_t *tree = need(json_object());
    size_t j = 0;

    while (j < n && of[j].n == 0)
        j++;
    for (size_t next; j < n; j = next) {
        next = next_other(r, of, n, j);
        add(tree, next < n ? "comm_size<=%lld" : "comm_size=any", next < n ? of[next].P - 1 : 0,
            by_size(r, &of[j], a));
    }
    if (json_object_size(tree) > 0)
        return tree;
    json_decref(tree);
    return NULL;
}

/* Return the tree of a level; where nothing applies, what always works. */
static json_t *of_level(const struct tune_result *r, const struct tune_level *level,
                        const struct always *a)
{
    json_t *tree = by_processors(r, level->of, level->q->span.n_P, a);

    return tree != NULL ? tree : leaf(a->intra);
}

/* Return the tree by level. A communicator without levels has all of its ranks in one node, or one in
 * each; more ranks than a node has are the latter. */
static json_t *by_level(const struct tune_result *r, json_t *parent, const struct always *a)
{
    json_t *tree = need(json_object()), *flat = need(json_object());

    add(flat, "comm_size<=%lld", r->inside.q->span.P_list[0], of_level(r, &r->inside, a));
    add(flat, "comm_size=any", 0, of_level(r, &r->between, a));
    add(tree, "comm_hierarchy=parent", 0, parent);
    add(tree, "comm_hierarchy=node", 0, of_level(r, &r->inside, a));
    add(tree, "comm_hierarchy=node_roots", 0, of_level(r, &r->between, a));
    add(tree, "comm_hierarchy=any", 0, flat);
    return tree;
}

static json_t *selection(const struct question *q, const struct tune_result *r,
                         const struct always *a)
{
    json_t *tree = r != NULL ? by_processors(r, r->of, q->span.n_P, a) : NULL, *outer;

    if (tree == NULL)
        tree = leaf(a->intra);
    if (r != NULL && r->inside.of != NULL)
        tree = by_level(r, tree, a);
    if (a->in_place != NULL) {
        outer = need(json_object());
        add(outer, "is_sendbuf_inplace=yes", 0, leaf(a->in_place));
        add(outer, "is_sendbuf_inplace=no", 0, tree);
        tree = outer;
    }
    if (a->inter != NULL) {
        outer = need(json_object());
        add(outer, "comm_type=intra", 0, tree);
        add(outer, "comm_type=inter", 0, leaf(a->inter));
        tree = outer;
    }
    return tree;
}

static void print(FILE *f, const struct question *q, const struct tune_result *results, size_t n)
{
    const size_t page = 4096; /* bytes; the smallest page size of any host */
    json_t *tree = need(json_object());
    char *text, key[64];

    for (size_t i = 0; i < N_ALWAYS; i++) {
        const struct tune_result *r = NULL;

        for (size_t j = 0; j < n; j++)
            if (strcmp(results[j].collective->theirs, always[i].name) == 0)
                r = &results[j];
        snprintf(key, sizeof(key), "collective=%s", always[i].name);
        add(tree, key, 0, selection(q, r, &always[i]));
    }
    text = need(json_dumps(tree, JSON_INDENT(1) | JSON_PRESERVE_ORDER));
    json_decref(tree);
    fprintf(f, "%s\n", text);
    if ((strlen(text) + 1) % page == 0)
        fputc('\n', f);
    free(text);
}

const struct tune_form tune_mpich = {.suffix = "json",
                                     .name = "mpich",
                                     .collectives = collectives,
                                     .whole = true,
                                     .levels = TUNE_COMPOSED,
                                     .print = print};
