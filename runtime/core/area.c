/* SPDX-License-Identifier: MIT */
/*
 * Memory that the members of a group share.
 *
 * An area is identified by its key, the group's context and its members. Some members may leave a
 * group and enter it again before others have left it. So a member joins the first matching area
 * that it has not joined yet: the n-th group of one kind has the same area on all of its members.
 * The last member to leave frees the area, or the end of the run does.
 */

#include "core/core.h"
#include "host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct lpi_area {
    struct lpi_area *next;
    const void *key;
    uint32_t context;
    int size, n_left;
    size_t n_bytes;
    void *memory;
    int *members; /* NULL: all */
    bool joined[];
};

static void free_area(struct lpi_area *a)
{
    lpi_memory_free(a->memory, 1, a->n_bytes);
    free(a->members);
    free(a);
}

static size_t members_bytes(const struct logp_vp *vp)
{
    return (size_t)vp->size * sizeof(*vp->to_global);
}

static struct lpi_area *new_area(const struct logp_vp *vp, const void *key, size_t n_bytes)
{
    struct lpi_area *a = calloc(1, sizeof(*a) + (size_t)vp->size * sizeof(a->joined[0]));

    if (a == NULL)
        return NULL;
    a->key = key;
    a->context = vp->context;
    a->size = vp->size;
    a->n_bytes = n_bytes;
    a->memory = lpi_memory_zeroed(1, n_bytes);
    a->members = vp->to_global != NULL ? malloc(members_bytes(vp)) : NULL;
    if (a->memory == NULL || (vp->to_global != NULL && a->members == NULL)) {
        free_area(a);
        return NULL;
    }
    if (a->members != NULL)
        memcpy(a->members, vp->to_global, members_bytes(vp));
    return a;
}

/* Whether the area belongs to the group, and this member has not joined it yet. */
static bool may_join(const struct lpi_area *a, const struct logp_vp *vp, const void *key)
{
    if (a->key != key || a->context != vp->context || a->size != vp->size || a->joined[vp->rank])
        return false;
    if (a->members == NULL || vp->to_global == NULL)
        return a->members == vp->to_global;
    return memcmp(a->members, vp->to_global, members_bytes(vp)) == 0;
}

/* Called with the lock. */
static int join(struct logp_machine *m, struct logp_vp *vp, const void *key, size_t n_bytes,
                struct lpi_joined *j)
{
    struct lpi_area **link = &m->areas;

    while (*link != NULL && !may_join(*link, vp, key))
        link = &(*link)->next;
    if (*link != NULL && (*link)->n_bytes != n_bytes)
        return -EINVAL;
    if (*link == NULL)
        *link = new_area(vp, key, n_bytes);
    if (*link == NULL)
        return -ENOMEM;
    (*link)->joined[vp->rank] = true;
    *j = (struct lpi_joined){.vp = vp, .key = key, .memory = (*link)->memory, .area = *link};
    return 0;
}

int lpi_area_join(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory)
{
    struct logp_machine *m = vp->proc->core->machine;
    struct lpi_attached *beside = lpi_attached_to(vp->proc);
    struct lpi_joined *j;
    int rc;

    if (beside == NULL)
        return -ENOMEM;
    j = malloc(sizeof(*j));
    if (j == NULL)
        return -ENOMEM;
    pthread_mutex_lock(&m->lock);
    rc = join(m, vp, key, n_bytes, j);
    pthread_mutex_unlock(&m->lock);
    if (rc != 0) {
        free(j);
        return rc;
    }
    j->next = beside->joined;
    beside->joined = j;
    vp->n_areas++;
    *memory = j->memory;
    return 0;
}

/* Called with the lock. */
static void leave(struct logp_machine *m, struct lpi_area *a)
{
    struct lpi_area **link = &m->areas;

    if (++a->n_left < a->size)
        return;
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    free_area(a);
}

void lpi_area_leave(struct logp_vp *vp)
{
    struct logp_machine *m = vp->proc->core->machine;
    struct lpi_attached *beside = lpi_attached_of(vp->proc);
    struct lpi_joined **link = &beside->joined, *j;

    pthread_mutex_lock(&m->lock);
    lpi_word_wait_note(vp->proc, NULL, 0); /* the vp may have polled a word of that memory */
    while ((j = *link) != NULL)
        if (j->vp == vp) {
            *link = j->next;
            leave(m, j->area);
            free(j);
        } else {
            link = &j->next;
        }
    pthread_mutex_unlock(&m->lock);
    vp->n_areas = 0;
}

void lpi_areas_discard(struct logp_machine *m)
{
    for (int i = m->first_rank; m->areas != NULL && i < m->first_rank + m->n_local; i++) {
        struct lpi_attached *beside = lpi_attached_of(&m->procs[i]);
        struct lpi_joined *j;

        lpi_word_wait_note(&m->procs[i], NULL, 0); /* a stop may have ended its polling */
        while ((j = beside->joined) != NULL) {
            beside->joined = j->next;
            free(j);
        }
    }
    while (m->areas != NULL) {
        struct lpi_area *a = m->areas;

        m->areas = a->next;
        free_area(a);
    }
}
