/* SPDX-License-Identifier: MIT */
/*
 * Of all pairs: are there nodes? The pairs are put in the order of how long a message takes; where
 * that grows most from one to the next, by a quarter at least, near ones end. They are nodes if
 * each has the same number of ranks, one after the other, and near are those inside one, and no
 * others.
 */
#include "measure/measure.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The longest that near ones take; 0: none is near. */
static double nearness(const struct measured *m)
{
    double *times = malloc(m->n_pairs * sizeof(*times)), most = 1.25, near = 0;

    for (size_t i = 0; times != NULL && i < m->n_pairs; i++)
        times[i] = m->pairs[i].sizes[0].one_way;
    if (times != NULL)
        qsort(times, m->n_pairs, sizeof(*times), compare);
    for (size_t i = 1; times != NULL && i < m->n_pairs; i++)
        if (times[i - 1] > 0 && times[i] > most * times[i - 1]) {
            most = times[i] / times[i - 1];
            near = times[i - 1];
        }
    free(times);
    return near;
}

/* The pair in the middle of those that are near, or not. */
static const struct pair *typical(const struct measured *m, double near, bool is_near)
{
    const struct pair *middle = NULL;
    size_t least = m->n_pairs;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const double time = m->pairs[i].sizes[0].one_way;
        size_t below = 0, above = 0, apart;

        if ((time <= near) != is_near)
            continue;
        for (size_t k = 0; k < m->n_pairs; k++) {
            const double other = m->pairs[k].sizes[0].one_way;

            below += (other <= near) == is_near && other < time;
            above += (other <= near) == is_near && other > time;
        }
        apart = below > above ? below - above : above - below;
        if (apart < least) {
            least = apart;
            middle = &m->pairs[i];
        }
    }
    return middle;
}

bool find_levels(const struct measured *m, struct levels *out)
{
    const double near = nearness(m);
    const int64_t P = m->o->P;

    *out = (struct levels){.node_size = 1};
    if (near <= 0)
        return false;
    for (size_t i = 0; i < m->n_pairs; i++) /* the ranks that are near to the first */
        out->node_size += m->pairs[i].client == 0 && m->pairs[i].sizes[0].one_way <= near;
    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct pair *p = &m->pairs[i];
        const bool same = p->client / out->node_size == p->server / out->node_size;

        if (same != (p->sizes[0].one_way <= near))
            return false;
    }
    out->inside = typical(m, near, true);
    out->between = typical(m, near, false);
    return out->node_size < P && out->inside != NULL && out->between != NULL;
}
