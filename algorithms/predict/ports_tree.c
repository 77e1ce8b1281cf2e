/* SPDX-License-Identifier: MIT */
/*
 * The greedy tree where processors have K ports: see predict.h. A processor that has the item at 0
 * starts its i-th send at s(i) = max(s(i-1) + busy, s(i-K) + e), and the receiver has the item d
 * after that. All send as early as they can, so by any time most have it.
 * Source: Karp et al., Optimal Broadcast and Summation in the LogP Model, SPAA 1993, for K = 1.
 */
#include "operand/operand.h"
#include "predict/predict.h"

#include <stdlib.h>

/* The i-th send of a processor that has the item at `from`; its receiver has it at `at`. */
struct turn {
    int64_t at, from;
    int id, i;
};

static bool comes_before(const struct turn *a, const struct turn *b)
{
    return a->at < b->at || (a->at == b->at && a->id < b->id);
}

LPI_HEAP(turn, struct turn, comes_before)

/* s(i) for i < n */
static void find_starts(const struct lpi_ports_tree *t, int64_t *s, int n)
{
    s[0] = 0;
    for (int i = 1; i < n; i++)
        s[i] = lpi_max(s[i - 1] + t->busy, i >= t->ports ? s[i - t->ports] + t->e : 0);
}

int64_t lpi_ports_tree(const struct lpi_ports_tree *t, int P, int *parent)
{
    int64_t *s = malloc((size_t)P * sizeof(*s)), T = 0;
    struct turn *heap = malloc((size_t)P * sizeof(*heap));
    size_t n_heap = 0;

    if (s == NULL || heap == NULL) {
        free(s);
        free(heap);
        return -1;
    }
    find_starts(t, s, P);
    if (parent != NULL)
        parent[0] = -1;
    turn_push(heap, n_heap++, (struct turn){t->d, 0, 0, 0});
    for (int id = 1; id < P; id++) {
        const struct turn next = turn_pop(heap, n_heap--);

        T = next.at;
        if (parent != NULL)
            parent[id] = next.id;
        turn_push(heap, n_heap++,
                  (struct turn){next.from + s[next.i + 1] + t->d, next.from, next.id, next.i + 1});
        turn_push(heap, n_heap++, (struct turn){T + t->d, T, id, 0});
    }
    free(s);
    free(heap);
    return T;
}
