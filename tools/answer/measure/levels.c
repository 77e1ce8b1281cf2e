/* SPDX-License-Identifier: MIT */
/* The nodes of a machine, seen in the times of all its pairs. */
#include "answer/measure/measure.h"

#include <stdlib.h>

/* The longest time of a message between near ranks; 0: no two ranks are nearer than others. */
static double nearness(const struct measured *m)
{
    double *times = need(malloc(m->n_pairs * sizeof(*times))), most = 1.25, near = 0;

    for (size_t i = 0; i < m->n_pairs; i++)
        times[i] = m->pairs[i].sizes[0].one_way;
    qsort(times, m->n_pairs, sizeof(*times), ascending_reals);
    for (size_t i = 1; i < m->n_pairs; i++)
        if (times[i - 1] > 0 && times[i] > most * times[i - 1]) {
            most = times[i] / times[i - 1];
            near = times[i - 1];
        }
    free(times);
    return near;
}

/* The pair with the median time among the near pairs, or the others. */
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

/*
 * Find nodes among all pairs. The pairs are sorted by the time of a message; the near pairs are
 * those before the largest relative increase, of at least a quarter. There are nodes if blocks of
 * consecutive ranks, equal in size, exist such that the near pairs are exactly those within a
 * block.
 */
bool find_levels(const struct measured *m, struct levels *out)
{
    const double near = nearness(m);
    const int64_t P = m->q->model.P;

    *out = (struct levels){.node_size = 1};
    if (near <= 0)
        return false;
    for (size_t i = 0; i < m->n_pairs; i++) /* rank 0 and the ranks near to it */
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
