/* SPDX-License-Identifier: MIT */
/*
 * Large counts. NAME_c calls NAME: with the same numbers if they are integers, else with one element of a type that has
 * them. Reductions, and the places of blocks, are limited to INT_MAX elements.
 */
#include "large.h"
#include "datatype.h"
#include "rank.h"
#include "request.h"

#include <limits.h>
#include <stdlib.h>

void mpi_large_begins(struct large *x, void *caller)
{
    mpi_enter_any(x->name)->caller = caller;
}

static void fail(struct large *x, int class)
{
    x->failed = true;
    x->class = x->class == MPI_SUCCESS ? class : x->class;
}

static int too_large(const struct large *x, MPI_Count n)
{
    mpi_enter_any(x->name);
    return mpi_failed(NULL, MPI_ERR_COUNT, "%lld is above 2^31 - 1, which is the limit here",
                      (long long)n);
}

int mpi_large_int(struct large *x, MPI_Count n)
{
    if (n > INT_MAX)
        fail(x, too_large(x, n));
    return n > INT_MAX ? 0 : n < INT_MIN ? INT_MIN : (int)n;
}

/* n elements of `type`, as one of another. */
static int make_one(MPI_Count n, MPI_Datatype type, MPI_Datatype *out)
{
    enum { BLOCK = 1 << 30 };
    MPI_Datatype blocks = MPI_DATATYPE_NULL, parts[2];
    const int lengths[2] = {1, (int)(n % BLOCK)};
    MPI_Aint lb, extent, places[2] = {0};
    int rc = MPI_Type_get_extent(type, &lb, &extent);

    places[1] = (MPI_Aint)(n / BLOCK) * BLOCK * extent;
    if (rc == MPI_SUCCESS)
        rc = MPI_Type_contiguous(BLOCK, type, &parts[0]);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = mpi_make_vector("MPI_Type_contiguous", 1, (int)(n / BLOCK), 0, true, parts[0], &blocks);
    MPI_Type_free(&parts[0]);
    if (rc != MPI_SUCCESS)
        return rc;
    parts[0] = blocks;
    parts[1] = type;
    rc = MPI_Type_create_struct(2, lengths, places, parts, out);
    MPI_Type_free(&blocks);
    return rc == MPI_SUCCESS ? MPI_Type_commit(out) : rc;
}

struct large_pair mpi_large_pair(struct large *x, MPI_Count n, MPI_Datatype type)
{
    struct large_pair one = {1, MPI_DATATYPE_NULL};
    const struct type *t = mpi_type_of(type);
    int rc;

    if (n <= INT_MAX || t == NULL || (t->references != 0 && !t->committed))
        return (struct large_pair){n > INT_MAX ? INT_MAX : n < 0 ? -1 : (int)n, type};
    rc = can_be_counted(t, (size_t)n) ? make_one(n, type, &one.type) : too_large(x, n);
    if (rc != MPI_SUCCESS)
        fail(x, rc);
    else
        x->types[x->n_types++] = mpi_type_of(one.type);
    mpi_enter_any(x->name);
    return one;
}

int *mpi_large_ints(struct large *x, const void *numbers, int n)
{
    const int64_t *from = numbers;
    int *to;

    _Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Aint) == 8, "both have 8 bytes");
    if (n <= 0 || numbers == NULL || x->failed)
        return NULL;
    to = malloc((size_t)n * sizeof(int));
    if (to == NULL) {
        fail(x, mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory"));
        return NULL;
    }
    x->ints[x->n_ints++] = to;
    for (int i = 0; i < n; i++)
        to[i] = mpi_large_int(x, from[i]);
    return to;
}

static int n_neighbors(const struct comm *c, bool sends)
{
    return c->graph != NULL ? (sends ? c->graph->n_out : c->graph->n_in) : 2 * c->cart->n_dims;
}

int mpi_large_n(MPI_Comm comm, int root, bool sends, bool of_neighbors, const void *send_buf)
{
    const struct comm *c = mpi_comm_of(comm);

    if (c == NULL || (sends && send_buf == MPI_IN_PLACE))
        return 0;
    if (of_neighbors)
        return c->graph != NULL || c->cart != NULL ? n_neighbors(c, sends) : 0;
    if (root != NO_ROOT && root != MPI_ROOT && (c->inter || root != c->rank))
        return 0;
    return c->n_peers;
}

/* The integers stay until the request is freed. */
static bool keep(MPI_Request request, int *ints)
{
    struct request *r = request_of(request);

    for (size_t i = 0; r != NULL && !is_message(r) && i < sizeof(r->kept) / sizeof(r->kept[0]); i++)
        if (r->kept[i] == NULL) {
            r->kept[i] = ints;
            return true;
        }
    return false;
}

int mpi_large_ends(struct large *x, int rc, MPI_Request *request)
{
    for (int i = 0; i < x->n_types; i++) {
        MPI_Datatype type = (MPI_Datatype)x->types[i];

        MPI_Type_free(&type);
    }
    for (int i = 0; i < x->n_ints; i++)
        if (rc != MPI_SUCCESS || request == NULL || !keep(*request, x->ints[i]))
            free(x->ints[i]);
    return x->failed ? x->class : rc;
}

/* ---- contents of datatypes: of those that large counts have made, too, they are integers ---- */

int MPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count *n_ints, MPI_Count *n_addresses,
                            MPI_Count *n_counts, MPI_Count *n_types, int *combiner)
{
    int ints = 0, addresses = 0, types = 0;
    const int rc = MPI_Type_get_envelope(type, &ints, &addresses, &types, combiner);

    *n_ints = ints;
    *n_addresses = addresses;
    *n_counts = 0;
    *n_types = types;
    return rc;
}

int MPI_Type_get_contents_c(MPI_Datatype type, MPI_Count max_ints, MPI_Count max_addresses,
                            MPI_Count max_counts, MPI_Count max_types, int *ints,
                            MPI_Aint *addresses, MPI_Count *counts, MPI_Datatype *types)
{
    const MPI_Count most = INT_MAX;

    (void)max_counts, (void)counts;
    return MPI_Type_get_contents(type, (int)(max_ints < most ? max_ints : most),
                                 (int)(max_addresses < most ? max_addresses : most),
                                 (int)(max_types < most ? max_types : most), ints, addresses,
                                 types);
}
