/* SPDX-License-Identifier: MIT */
/*
 * The choice where nothing is emulated: the fastest algorithm on the host, not under a model. All
 * messages cost much the same, and processors that share a core wait for each other. So up to some
 * size few messages and few waits are best; above it the number of copies counts, and the ranks
 * that make them. The sizes are the crossovers measured on two cores, with threads and fibers.
 */
#include "choice/choice.h"
#include "collective/collective.h"
#include "collective/shared/board.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
    SMALL = 1 << 10,
    LARGE = 1 << 18,
    TOTAL = 1 << 20,
    WIDE = 16,
    MANY = 32,
    TINY = 64,
    NARROW = 4, /* the k of the barrier's tree */
    QUEUED = 8 << 20
};

/* A row of a collective, looked up once. */
struct named {
    const char *name;
    _Atomic(const struct logp_algorithm *) row;
};

static struct named pair_barrier = {"dissemination", NULL},
                    pair_allreduce = {"recursive-doubling", NULL};
static struct named binomial_broadcast = {"binomial", NULL}, knomial_broadcast = {"knomial", NULL},
                    tree_barrier = {"tree", NULL}, flat_scatter = {"flat", NULL},
                    knomial_scatter = {"knomial", NULL}, flat_gather = {"flat", NULL},
                    knomial_gather = {"knomial", NULL}, tree_allgather = {"gather-broadcast", NULL},
                    ring_allgather = {"ring", NULL}, linear_alltoall = {"linear", NULL},
                    bruck_alltoall = {"bruck", NULL}, tree_allreduce = {"reduce-broadcast", NULL},
                    ring_allreduce = {"ring", NULL}, halving_scatter = {"recursive-halving", NULL},
                    linear_scatter = {"linear", NULL}, binomial_reduce = {"binomial", NULL},
                    binomial_scan = {"binomial", NULL}, binomial_exscan = {"binomial", NULL};

/*
 * Return the row that uses shared memory: a small item is faster through it than by any message,
 * and a large one need not be copied twice. NULL: none applies
 */
static const struct logp_algorithm *shared(const struct logp_collective *collective, int64_t P,
                                           const struct logp_invocation *c)
{
    static const struct {
        const struct logp_collective *collective;
        const struct lpi_rows *rows;
    } all[] = {{&lpi_scan, &lpi_shared_scan},
               {&lpi_exscan, &lpi_shared_exscan},
               {&lpi_barrier, &lpi_shared_barrier},
               {&lpi_broadcast, &lpi_shared_broadcast},
               {&lpi_scatter, &lpi_shared_scatter},
               {&lpi_gather, &lpi_shared_gather},
               {&lpi_reduce, &lpi_shared_reduce},
               {&lpi_allreduce, &lpi_shared_allreduce},
               {&lpi_allgather, &lpi_shared_allgather},
               {&lpi_alltoall, &lpi_shared_alltoall},
               {&lpi_reduce_scatter, &lpi_shared_reduce_scatter}};
    const size_t item = c->args.op != NULL
                            ? lpi_bytes((size_t)c->args.count, c->args.op->element_bytes)
                            : c->args.n_bytes;
    size_t i = 0;

    if (!c->model.undelayed || P > LPI_BOARD_P || c->args.blocks != NULL ||
        lpi_bytes((size_t)P, item) > PTRDIFF_MAX) /* no memory holds them: lpi_plan() fails */
        return NULL;
    while (all[i].collective != collective)
        i++;
    return all[i].rows->row;
}

static struct named *choose(const struct logp_collective *collective, int64_t P,
                            const struct logp_args *a)
{
    const size_t vector = a->op != NULL ? (size_t)a->count * a->op->element_bytes : 0;

    /* two, which hardly share a core, swap */
    if (P <= 2 && collective == &lpi_barrier)
        return &pair_barrier;
    if (P <= 2 && collective == &lpi_allreduce)
        return &pair_allreduce;
    if (P <= 2 && collective == &lpi_allgather)
        return &ring_allgather;
    if (collective == &lpi_broadcast)
        return a->n_bytes <= SMALL && P > 2 ? &knomial_broadcast : &binomial_broadcast;
    if (collective == &lpi_barrier)
        return &tree_barrier;
    if (collective == &lpi_scatter)
        return P <= WIDE || a->n_bytes > SMALL ? &flat_scatter : &knomial_scatter;
    if (collective == &lpi_gather)
        return P <= WIDE || a->n_bytes > SMALL ? &flat_gather : &knomial_gather;
    if (collective == &lpi_allgather)
        return a->n_bytes <= TOTAL / (size_t)P && a->blocks == NULL ? &tree_allgather
                                                                    : &ring_allgather;
    if (collective == &lpi_alltoall)
        return P >= MANY && a->n_bytes <= TINY ? &bruck_alltoall : &linear_alltoall;
    if (collective == &lpi_allreduce)
        return vector > LARGE && a->op->commutative ? &ring_allreduce : &tree_allreduce;
    if (collective == &lpi_reduce_scatter)
        return a->op->commutative ? &halving_scatter : &linear_scatter;
    if (collective == &lpi_reduce)
        return &binomial_reduce;
    return collective == &lpi_scan ? &binomial_scan : &binomial_exscan;
}

const struct logp_algorithm *lpi_best_undelayed(const struct logp_collective *collective, int64_t P,
                                                struct logp_invocation *c)
{
    const struct logp_algorithm *a = shared(collective, P, c);
    struct named *choice;

    if (a != NULL)
        return a;
    choice = choose(collective, P, &c->args);
    /* relaxed, both: pairs with each other; the row they point to exists from the start */
    a = atomic_load_explicit(&choice->row, memory_order_relaxed);
    if (a == NULL) {
        a = logp_algorithm_find(collective->name, choice->name);
        atomic_store_explicit(&choice->row, a, memory_order_relaxed);
    }
    if (choice == &knomial_broadcast || choice == &knomial_scatter || choice == &knomial_gather)
        c->args.k = WIDE;
    if (choice == &tree_barrier)
        c->args.k = NARROW;
    for (size_t i = 0; a != NULL && !lpi_is_candidate(a, P, c); i++)
        a = logp_algorithm_at(collective->name, i);
    return a;
}
