/* SPDX-License-Identifier: MIT */
/*
 * Groups that agree on a context: see logp/vp.h. Each processor knows the largest that it has had;
 * the members take one above the largest of all of them. So two groups have the same only if they
 * have no member in common, and then none of their messages can be mistaken.
 */
#include <logp/collective.h>
#include <logp/vp.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum { TAG = INT_MAX }; /* among the collectives' messages: those that agree */

/* From here, context is the largest of all members: at distance d = 1, 2, 4, ... each sends the
 * next d-th member the largest context of itself and the d - 1 members before it. Member `me` is
 * this processor. */
static int agree(struct logp_vp *vp, const int *members, int n, int me, uint32_t *context)
{
    struct logp_vp *group = logp_vp_collective(vp);
    int rc = 0;

    for (int64_t d = 1; rc == 0 && d < n; d *= 2) {
        uint32_t other = 0;

        rc = logp_sendrecv(group, members[(me + d) % n], TAG, context, sizeof(*context),
                           members[(me - d + n) % n], TAG, &other, sizeof(other), NULL);
        *context = other > *context ? other : *context;
    }
    return rc;
}

/* Enter the group of these ranks of vp, which are overwritten. */
static int enter(struct logp_vp *vp, uint32_t context, int *members, int n, struct logp_vp **out)
{
    if (context > LOGP_CONTEXT_MAX)
        return -ENOSPC;
    logp_group_translate(vp, n, members, NULL, members);
    return logp_group_create(vp, context, members, n, out);
}

/* The index of this processor, or -EINVAL: a rank is out of range or there twice, or it is not
 * among them; -ENOMEM */
static int index_of_own(const struct logp_vp *vp, const int *members, int n)
{
    const int P = logp_vp_size(vp);
    bool *seen = calloc((size_t)P, sizeof(*seen));
    int own = -EINVAL;

    if (seen == NULL)
        return -ENOMEM;
    for (int i = 0; i < n; i++) {
        if (members[i] < 0 || members[i] >= P || seen[members[i]]) {
            own = -EINVAL;
            break;
        }
        seen[members[i]] = true;
        own = members[i] == logp_vp_rank(vp) ? i : own;
    }
    free(seen);
    return own;
}

int logp_group_from(struct logp_vp *vp, const int *members, int n_members, struct logp_vp **out)
{
    const int n = members != NULL ? n_members : logp_vp_size(vp);
    uint32_t context = logp_group_context(vp);
    int *ranks, own, rc;

    if (n < 1 || n > logp_vp_size(vp))
        return logp_vp_note_error(vp, "logp_group_from", -EINVAL);
    ranks = malloc((size_t)n * sizeof(*ranks));
    if (ranks == NULL)
        return logp_vp_note_error(vp, "logp_group_from", -ENOMEM);
    for (int i = 0; i < n; i++)
        ranks[i] = members != NULL ? members[i] : i;
    own = index_of_own(vp, ranks, n);
    rc = own < 0 ? own : agree(vp, ranks, n, own, &context);
    if (rc == 0)
        rc = enter(vp, context, ranks, n, out);
    free(ranks);
    return logp_vp_note_error(vp, "logp_group_from", rc);
}

int logp_group_dup(struct logp_vp *vp, struct logp_vp **out)
{
    return logp_group_from(vp, NULL, 0, out);
}

/* ---- split ---- */

/* The request of a member, which all members receive. */
struct wish {
    int colour, key;
    uint32_t context;
};

/* A member to be. */
struct member {
    int key, rank;
};

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

/* Into `members` those of this colour, in their order; *context is the largest of all. */
static int sort_members(const struct wish *wishes, int P, int colour, struct member *members,
                        uint32_t *context)
{
    int n = 0;

    for (int i = 0; i < P; i++) {
        *context = wishes[i].context > *context ? wishes[i].context : *context;
        if (wishes[i].colour == colour)
            members[n++] = (struct member){wishes[i].key, i};
    }
    qsort(members, (size_t)n, sizeof(*members), by_key);
    return n;
}

int logp_group_split(struct logp_vp *vp, int colour, int key, struct logp_vp **out)
{
    const int P = logp_vp_size(vp);
    struct wish mine = {colour, key, logp_group_context(vp)};
    struct wish *wishes = malloc((size_t)P * sizeof(*wishes));
    struct member *members = malloc((size_t)P * sizeof(*members));
    int *ranks = malloc((size_t)P * sizeof(*ranks));
    int rc = wishes == NULL || members == NULL || ranks == NULL ? -ENOMEM : 0;

    if (colour < LOGP_NO_COLOUR)
        rc = -EINVAL;
    if (rc == 0)
        rc = logp_allgather(vp, &mine, wishes, sizeof(mine));
    if (rc == 0) {
        const int n = sort_members(wishes, P, colour, members, &mine.context);

        for (int i = 0; i < n; i++)
            ranks[i] = members[i].rank;
        *out = NULL;
        if (colour != LOGP_NO_COLOUR)
            rc = enter(vp, mine.context, ranks, n, out);
    }
    free(wishes);
    free(members);
    free(ranks);
    return logp_vp_note_error(vp, "logp_group_split", rc);
}
