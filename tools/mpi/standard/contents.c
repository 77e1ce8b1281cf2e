/* SPDX-License-Identifier: MIT */
/* What datatypes were made of: MPI_Type_get_envelope() and MPI_Type_get_contents(). */
#include "datatype.h"
#include "rank.h"

#include <stdlib.h>
#include <string.h>

struct recipe {
    int combiner;
    size_t n_ints, n_bytes, n_olds;
    int *ints;
    MPI_Aint *bytes;
    MPI_Datatype *olds;
};

void mpi_drop_recipe(struct recipe *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->n_olds; i++)
        mpi_drop_type(mpi_type_of(r->olds[i]));
    free(r->ints);
    free(r->bytes);
    free(r->olds);
    free(r);
}

static struct recipe *new_recipe(int combiner, size_t n_ints, size_t n_bytes, size_t n_olds)
{
    struct recipe *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    *r = (struct recipe){.combiner = combiner, .n_ints = n_ints, .n_bytes = n_bytes};
    r->ints = calloc(n_ints + 1, sizeof(int));
    r->bytes = calloc(n_bytes + 1, sizeof(MPI_Aint));
    r->olds = calloc(n_olds + 1, sizeof(MPI_Datatype));
    if (r->ints != NULL && r->bytes != NULL && r->olds != NULL)
        return r;
    mpi_drop_recipe(r);
    return NULL;
}

int mpi_describe(int rc, MPI_Datatype *type, int combiner, struct ints a, struct ints b,
                 struct ints c, struct bytes bytes, const MPI_Datatype *olds, size_t n_olds)
{
    const struct ints parts[3] = {a, b, c};
    struct recipe *r;
    struct type *t;

    if (rc != MPI_SUCCESS)
        return rc;
    t = (struct type *)*type;
    mpi_drop_recipe(t->recipe); /* of the constructor that this one has called */
    t->recipe = r = new_recipe(combiner, a.n + b.n + c.n, bytes.n, n_olds);
    if (r == NULL) {
        mpi_drop_type(t);
        *type = MPI_DATATYPE_NULL;
        return mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory");
    }
    for (size_t i = 0, n = 0; i < 3; n += parts[i++].n)
        if (parts[i].n > 0)
            memcpy(r->ints + n, parts[i].first, parts[i].n * sizeof(int));
    if (bytes.n > 0)
        memcpy(r->bytes, bytes.first, bytes.n * sizeof(MPI_Aint));
    for (; r->n_olds < n_olds; r->n_olds++) {
        r->olds[r->n_olds] = olds[r->n_olds];
        mpi_keep_type(mpi_type_of(olds[r->n_olds]));
    }
    return MPI_SUCCESS;
}

int MPI_Type_get_envelope(MPI_Datatype type, int *n_ints, int *n_addresses, int *n_types,
                          int *combiner)
{
    static const struct recipe named = {.combiner = MPI_COMBINER_NAMED};
    const struct recipe *r;

    ENTER_TYPE(t, type);
    r = t->recipe != NULL ? t->recipe : &named;
    *n_ints = int_or_undefined(r->n_ints);
    *n_addresses = int_or_undefined(r->n_bytes);
    *n_types = int_or_undefined(r->n_olds);
    *combiner = r->combiner;
    return MPI_SUCCESS;
}

/* The types belong to the caller, which frees those that are not constants. */
int MPI_Type_get_contents(MPI_Datatype type, int max_ints, int max_addresses, int max_types,
                          int ints[], MPI_Aint addresses[], MPI_Datatype types[])
{
    const struct recipe *r;

    ENTER_TYPE(t, type);
    r = t->recipe;
    CHECK(NULL, r != NULL, MPI_ERR_TYPE, "%s is a constant and has no contents", t->name);
    CHECK(NULL,
          (ptrdiff_t)r->n_ints <= max_ints && (ptrdiff_t)r->n_bytes <= max_addresses &&
              (ptrdiff_t)r->n_olds <= max_types,
          MPI_ERR_ARG,
          "there are %zu integers, %zu addresses and %zu types, and space for %d, %d and %d",
          r->n_ints, r->n_bytes, r->n_olds, max_ints, max_addresses, max_types);
    for (size_t i = 0; i < r->n_ints; i++)
        ints[i] = r->ints[i];
    for (size_t i = 0; i < r->n_bytes; i++)
        addresses[i] = r->bytes[i];
    for (size_t i = 0; i < r->n_olds; i++) {
        types[i] = r->olds[i];
        mpi_keep_type(mpi_type_of(types[i]));
    }
    return MPI_SUCCESS;
}

int MPI_Type_match_size(int class_of_types, int size, MPI_Datatype *type)
{
    static const struct {
        int class_of_types, size;
        MPI_Datatype type;
    } all[] = {
        {MPI_TYPECLASS_REAL, sizeof(float), MPI_FLOAT},
        {MPI_TYPECLASS_REAL, sizeof(double), MPI_DOUBLE},
        {MPI_TYPECLASS_REAL, sizeof(long double), MPI_LONG_DOUBLE},
        {MPI_TYPECLASS_INTEGER, 1, MPI_INT8_T},
        {MPI_TYPECLASS_INTEGER, 2, MPI_INT16_T},
        {MPI_TYPECLASS_INTEGER, 4, MPI_INT32_T},
        {MPI_TYPECLASS_INTEGER, 8, MPI_INT64_T},
        {MPI_TYPECLASS_COMPLEX, 2 * sizeof(float), MPI_C_FLOAT_COMPLEX},
        {MPI_TYPECLASS_COMPLEX, 2 * sizeof(double), MPI_C_DOUBLE_COMPLEX},
        {MPI_TYPECLASS_COMPLEX, 2 * sizeof(long double), MPI_C_LONG_DOUBLE_COMPLEX},
    };

    mpi_enter(__func__);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].class_of_types == class_of_types && all[i].size == size) {
            *type = all[i].type;
            return MPI_SUCCESS;
        }
    return mpi_failed(NULL, MPI_ERR_ARG, "no type of class %d has %d bytes", class_of_types, size);
}
