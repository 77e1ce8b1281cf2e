/* SPDX-License-Identifier: MIT */
/* Groups: lists of ranks of MPI_COMM_WORLD. */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

static const struct group empty = {.n = 0};

const struct group *mpi_group_of(MPI_Group handle)
{
    if (handle == MPI_GROUP_EMPTY)
        return &empty;
    return object_of(handle);
}

struct group *mpi_new_group(int n)
{
    struct group *g = malloc(sizeof(*g) + (size_t)(n > 0 ? n : 1) * sizeof(int));

    if (g != NULL) {
        g->object = (struct object){.is_gone = false};
        g->n = n;
    }
    return g;
}

#define GROUP(g, handle)                                                                           \
    const struct group *g = mpi_group_of(handle);                                                  \
    CHECK(NULL, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed")
#define ENTER_GROUP(g, handle)                                                                     \
    mpi_enter(__func__);                                                                           \
    GROUP(g, handle)

static int place_of(const struct group *g, int rank)
{
    for (int i = 0; i < g->n; i++)
        if (g->ranks[i] == rank)
            return i;
    return MPI_UNDEFINED;
}

static int give(struct group *g, MPI_Group *out)
{
    CHECK_MEMORY(NULL, g);
    *out = (MPI_Group)g;
    if (g->n == 0) {
        free(g);
        *out = MPI_GROUP_EMPTY;
    }
    return MPI_SUCCESS;
}

int MPI_Group_size(MPI_Group group, int *size)
{
    ENTER_GROUP(g, group);
    *size = g->n;
    return MPI_SUCCESS;
}

int MPI_Group_rank(MPI_Group group, int *rank)
{
    struct rank *r = ENTER_GROUP(g, group);
    *rank = place_of(g, logp_vp_rank(r->vp));
    return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group a, int n, const int ranks[], MPI_Group b, int out[])
{
    ENTER_GROUP(x, a);
    GROUP(y, b);
    CHECK(NULL, n >= 0, MPI_ERR_ARG, "n is %d, but must be at least 0", n);
    CHECK(NULL, n == 0 || (ranks != NULL && out != NULL), MPI_ERR_ARG, "an array of ranks is null");
    for (int i = 0; i < n; i++) {
        CHECK(NULL, (ranks[i] >= 0 && ranks[i] < x->n) || ranks[i] == MPI_PROC_NULL, MPI_ERR_RANK,
              "%d is not a rank of a group of %d", ranks[i], x->n);
        out[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : place_of(y, x->ranks[ranks[i]]);
    }
    return MPI_SUCCESS;
}

int MPI_Group_compare(MPI_Group a, MPI_Group b, int *result)
{
    ENTER_GROUP(x, a);
    GROUP(y, b);
    *result = x->n == y->n ? MPI_IDENT : MPI_UNEQUAL;
    for (int i = 0; i < x->n && *result != MPI_UNEQUAL; i++)
        if (place_of(y, x->ranks[i]) == MPI_UNDEFINED)
            *result = MPI_UNEQUAL;
        else if (y->ranks[i] != x->ranks[i])
            *result = MPI_SIMILAR;
    return MPI_SUCCESS;
}

int MPI_Group_union(MPI_Group a, MPI_Group b, MPI_Group *out)
{
    struct group *g;

    ENTER_GROUP(x, a);
    GROUP(y, b);
    g = mpi_new_group(x->n + y->n);
    if (g != NULL) {
        memcpy(g->ranks, x->ranks, (size_t)x->n * sizeof(int));
        g->n = x->n;
        for (int i = 0; i < y->n; i++)
            if (place_of(x, y->ranks[i]) == MPI_UNDEFINED)
                g->ranks[g->n++] = y->ranks[i];
    }
    return give(g, out);
}

/* Make the group of a's members that are in b, or are not (`in` false). */
static int select_from(const char *call, MPI_Group a, MPI_Group b, bool in, MPI_Group *out)
{
    struct group *g;

    mpi_enter(call);
    GROUP(x, a);
    GROUP(y, b);
    g = mpi_new_group(x->n);
    if (g != NULL) {
        g->n = 0;
        for (int i = 0; i < x->n; i++)
            if ((place_of(y, x->ranks[i]) != MPI_UNDEFINED) == in)
                g->ranks[g->n++] = x->ranks[i];
    }
    return give(g, out);
}

int MPI_Group_intersection(MPI_Group a, MPI_Group b, MPI_Group *out)
{
    return select_from(__func__, a, b, true, out);
}

int MPI_Group_difference(MPI_Group a, MPI_Group b, MPI_Group *out)
{
    return select_from(__func__, a, b, false, out);
}

/* Without memory, assume that they are distinct. */
static bool are_distinct(const struct group *g, int n, const int ranks[])
{
    bool *seen = calloc((size_t)g->n + 1, sizeof(bool)), distinct = true;

    for (int i = 0; seen != NULL && i < n; i++) {
        distinct = distinct && !seen[ranks[i]];
        seen[ranks[i]] = true;
    }
    free(seen);
    return distinct;
}

static int check_ranks(const struct group *g, int n, const int ranks[])
{
    CHECK(NULL, n >= 0 && n <= g->n, MPI_ERR_ARG, "%d ranks of a group of %d", n, g->n);
    for (int i = 0; i < n; i++)
        CHECK(NULL, ranks[i] >= 0 && ranks[i] < g->n, MPI_ERR_RANK,
              "%d is not a rank of a group of %d", ranks[i], g->n);
    CHECK(NULL, are_distinct(g, n, ranks), MPI_ERR_RANK, "a rank is named twice");
    return MPI_SUCCESS;
}

/* The members of g with these ranks, in their order. NULL: no memory */
static struct group *members(const struct group *g, int n, const int ranks[])
{
    struct group *made = mpi_new_group(n);

    for (int i = 0; i < n && made != NULL; i++)
        made->ranks[i] = g->ranks[ranks[i]];
    return made;
}

/* The members of g with other ranks, in g's order. NULL: no memory */
static struct group *other_members(const struct group *g, int n, const int ranks[])
{
    struct group *made = mpi_new_group(g->n);

    if (made == NULL)
        return NULL;
    made->n = 0;
    for (int i = 0; i < g->n; i++) {
        int k = 0;

        while (k < n && ranks[k] != i)
            k++;
        if (k == n)
            made->ranks[made->n++] = g->ranks[i];
    }
    return made;
}

typedef struct group *choice(const struct group *g, int n, const int ranks[]);

static int choose(const struct group *g, int n, const int ranks[], choice *chosen, MPI_Group *out)
{
    const int rc = check_ranks(g, n, ranks);

    return rc != MPI_SUCCESS ? rc : give(chosen(g, n, ranks), out);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *out)
{
    ENTER_GROUP(g, group);
    return choose(g, n, ranks, members, out);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *out)
{
    ENTER_GROUP(g, group);
    return choose(g, n, ranks, other_members, out);
}

/* The ranks of all ranges, in order. To be freed; NULL: no memory, or *n == 0. -1: one is wrong */
static int expand(int n_ranges, int ranges[][3], int **ranks)
{
    int n = 0;

    *ranks = NULL;
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (int i = 0; i < n_ranges; i++) {
            const int first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];

            if (step == 0)
                return -1;
            for (int r = first; step > 0 ? r <= last : r >= last; r += step, n++)
                if (pass == 1)
                    (*ranks)[n] = r;
        }
        if (pass == 0 && (*ranks = malloc((size_t)(n + 1) * sizeof(int))) == NULL)
            return -1;
    }
    return n;
}

static int choose_ranges(const char *call, MPI_Group group, int n, int ranges[][3], choice *chosen,
                         MPI_Group *out)
{
    int *ranks, n_ranks, rc;

    mpi_enter(call);
    GROUP(g, group);
    CHECK(NULL, n >= 0, MPI_ERR_ARG, "%d ranges, but there must be at least 0", n);
    for (int i = 0; i < n; i++) {
        const int64_t first = ranges[i][0], step = ranges[i][2],
                      steps = step != 0 ? (ranges[i][1] - first) / step : 0,
                      last = first + (steps > 0 ? steps * step : 0);

        CHECK(NULL, step != 0, MPI_ERR_ARG, "a range has the step 0");
        CHECK(NULL, first >= 0 && first < g->n && last >= 0 && last < g->n, MPI_ERR_RANK,
              "the range %d is from %lld to %lld, not within a group of %d", i, (long long)first,
              (long long)last, g->n);
    }
    n_ranks = expand(n, ranges, &ranks);
    CHECK(NULL, n_ranks >= 0, MPI_ERR_NO_MEM, "no memory");
    rc = choose(g, n_ranks, ranks, chosen, out);
    free(ranks);
    return rc;
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *out)
{
    return choose_ranges(__func__, group, n, ranges, members, out);
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *out)
{
    return choose_ranges(__func__, group, n, ranges, other_members, out);
}

int MPI_Group_free(MPI_Group *group)
{
    ENTER_GROUP(g, *group);
    if (g != &empty)
        mpi_bury_object((struct object *)&g->object, sizeof(*g) + (size_t)g->n * sizeof(int));
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
