/* SPDX-License-Identifier: MIT */
/*
 * The table of collectives, with the algorithms added at run time. To add an algorithm: write its
 * steps, a prediction where there is a formula, and its row, in its collective's file; tests, bench
 * and `logp list` take it from there. To add a collective: its file, and a line in collective.h.
 */
#include "choice/choice.h"
#include "collective/collective.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#define ENTRY(name) &lpi_##name,

static const struct logp_collective *const collectives[] = {LPI_COLLECTIVES(ENTRY)};

enum { N_COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]), MOST_ADDED = 64 };

/* Rows that were added: a place is taken by its number, and filled afterwards. */
static const struct logp_algorithm *_Atomic added[MOST_ADDED];

const struct logp_collective *logp_collective_at(size_t i)
{
    return i < N_COLLECTIVES ? collectives[i] : NULL;
}

const struct logp_collective *logp_collective_find(const char *name)
{
    for (size_t i = 0; i < N_COLLECTIVES; i++)
        if (strcmp(collectives[i]->name, name) == 0)
            return collectives[i];
    return strcmp(name, lpi_schedule.name) == 0 ? &lpi_schedule : NULL;
}

/* Rows for links that differ; where links are alike, another row does the same or less. */
static const struct lpi_rows *const for_links[] = {
    &lpi_two_level_barrier,    &lpi_two_level_allreduce,
    &lpi_two_level_allgather,  &lpi_two_level_reduce_scatter,
    &lpi_two_level_alltoall,   &lpi_two_level_scan,
    &lpi_two_level_exscan,     &lpi_scatter_earliest,
    &lpi_gather_earliest,      &lpi_scan_earliest,
    &lpi_exscan_earliest,      &lpi_lanes_broadcast,
    &lpi_lanes_reduce,         &lpi_lanes_allreduce,
    &lpi_lanes_reduce_scatter, &lpi_lanes_scan,
    &lpi_lanes_exscan,         &lpi_lanes_allgather,
    &lpi_lanes_barrier};

bool lpi_is_for_links(const struct logp_algorithm *a)
{
    for (size_t i = 0; i < sizeof(for_links) / sizeof(for_links[0]); i++)
        if (a >= for_links[i]->row && a < for_links[i]->row + for_links[i]->n)
            return true;
    return false;
}

/* Return row *i of the collective's built-in ones; or NULL, and *i is reduced by their number. */
static const struct logp_algorithm *own_row(const struct logp_collective *c, size_t *i)
{
    for (const struct lpi_rows *const *rows = c->rows; *rows != NULL; rows++) {
        if (*i < (*rows)->n)
            return &(*rows)->row[*i];
        *i -= (*rows)->n;
    }
    return NULL;
}

/* acquire: pairs with the release in logp_algorithm_add() */
static const struct logp_algorithm *added_row(const char *collective, size_t i)
{
    for (size_t k = 0; k < MOST_ADDED; k++) {
        const struct logp_algorithm *a = atomic_load_explicit(&added[k], memory_order_acquire);

        if (a == NULL)
            break;
        if ((collective == NULL || strcmp(a->collective, collective) == 0) && i-- == 0)
            return a;
    }
    return NULL;
}

const struct logp_algorithm *logp_algorithm_at(const char *collective, size_t i)
{
    const struct logp_collective *one =
        collective != NULL ? logp_collective_find(collective) : NULL;
    const struct logp_algorithm *row = one != NULL ? own_row(one, &i) : NULL;

    if (collective == NULL)
        for (size_t k = 0; row == NULL && k < N_COLLECTIVES; k++)
            row = own_row(collectives[k], &i);
    return row != NULL ? row : added_row(collective, i);
}

const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name)
{
    const struct logp_collective *c = logp_collective_find(collective);
    const struct logp_algorithm *a;

    if (c == NULL)
        return NULL;
    for (const struct lpi_rows *const *rows = c->rows; *rows != NULL; rows++)
        for (size_t i = 0; i < (*rows)->n; i++)
            if (strcmp((*rows)->row[i].name, name) == 0)
                return &(*rows)->row[i];
    for (size_t i = 0; (a = added_row(collective, i)) != NULL; i++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

/* acquire: as in added_row() */
size_t lpi_n_added(void)
{
    size_t n = 0;

    while (n < MOST_ADDED && atomic_load_explicit(&added[n], memory_order_acquire) != NULL)
        n++;
    return n;
}

/* Whether it was compiled with headers in which a row and the arguments of its functions have this
 * layout. */
static bool is_of_this_version(const struct logp_algorithm *a)
{
    return a->size >= offsetof(struct logp_algorithm, same_results) &&
           a->plan_at == offsetof(struct logp_invocation, plan);
}

bool lpi_is_row(const struct logp_algorithm *a)
{
    return is_of_this_version(a) && a->collective != NULL && a->name != NULL &&
           (a->steps != NULL || a->run != NULL);
}

int logp_algorithm_add(const struct logp_algorithm *a)
{
    if (!is_of_this_version(a))
        return -EPROTONOSUPPORT;
    if (!lpi_is_row(a) || a->summary == NULL || a->source == NULL ||
        logp_collective_find(a->collective) == NULL)
        return -EINVAL;
    for (size_t k = 0; k < MOST_ADDED; k++) {
        const struct logp_algorithm *none = NULL;

        if (logp_algorithm_find(a->collective, a->name) != NULL)
            return -EEXIST;
        /* release: pairs with the acquire in added_row(); failing, another thread was quicker */
        if (atomic_compare_exchange_strong_explicit(&added[k], &none, a, memory_order_release,
                                                    memory_order_relaxed))
            return 0;
    }
    return -ENOSPC;
}
