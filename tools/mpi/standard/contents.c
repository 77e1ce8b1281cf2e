/* SPDX-License-Identifier: MIT */
/* What datatypes were made of: MPI_Type_get_envelope() and MPI_Type_get_contents(). */
#include "datatype.h"
#include "rank.h"

#include <float.h>
#include <pthread.h>
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

/* ---- Fortran's types by precision and range ---- */

/* Decimal digits and exponents that Fortran's kinds have, from the smallest kind on. */
struct kind {
    int precision, range;
    MPI_Datatype type;
};

static const struct kind reals[] = {{6, 37, MPI_REAL4},
                                    {15, 307, MPI_REAL8},
#if LDBL_MANT_DIG == 64
                                    {18, 4931, MPI_LONG_DOUBLE},
#endif
                                    {33, 4931, MPI_REAL16},
                                    {0, 0, MPI_DATATYPE_NULL}};
static const struct kind complexes[] = {{6, 37, MPI_COMPLEX8},
                                        {15, 307, MPI_COMPLEX16},
#if LDBL_MANT_DIG == 64
                                        {18, 4931, MPI_C_LONG_DOUBLE_COMPLEX},
#endif
                                        {33, 4931, MPI_COMPLEX32},
                                        {0, 0, MPI_DATATYPE_NULL}};
static const struct kind integers[] = {{0, 2, MPI_INTEGER1},   {0, 4, MPI_INTEGER2},
                                       {0, 9, MPI_INTEGER4},   {0, 18, MPI_INTEGER8},
                                       {0, 38, MPI_INTEGER16}, {0, 0, MPI_DATATYPE_NULL}};

/* Types that have been asked for: constants of all ranks, one for each pair of arguments. */
static struct parametric {
    struct type type;
    int combiner, precision, range;
    struct parametric *next;
} * parametric_types;
static pthread_mutex_t parametric_mutex = PTHREAD_MUTEX_INITIALIZER;

/* @return NULL: no memory */
static struct parametric *make_parametric(const struct type *as, int combiner, int precision,
                                          int range)
{
    struct parametric *p = malloc(sizeof(*p));
    MPI_Datatype handle = (MPI_Datatype)p;
    const struct ints arguments = INTS(&precision, combiner == MPI_COMBINER_F90_INTEGER ? 0 : 1);

    if (p == NULL)
        return NULL;
    *p = (struct parametric){*as, combiner, precision, range, parametric_types};
    p->type.references = 1; /* mpi_describe() frees a type that it cannot describe */
    if (mpi_describe(MPI_SUCCESS, &handle, combiner, arguments, INTS(&range, 1), NONE,
                     BYTES(NULL, 0), NULL, 0) != MPI_SUCCESS)
        return NULL;
    p->type.references = 0;
    return parametric_types = p;
}

/* The type of the smallest kind that has as much. precision, range: MPI_UNDEFINED: any. Source: MPI 3.1, 17.2.6 */
static int create_parametric(const char *call, const struct kind *kinds, int combiner,
                             int precision, int range, MPI_Datatype *type)
{
    const struct type *as;
    struct parametric *p;

    mpi_enter(call);
    *type = MPI_DATATYPE_NULL;
    CHECK(NULL,
          range != MPI_UNDEFINED ||
              (precision != MPI_UNDEFINED && combiner != MPI_COMBINER_F90_INTEGER),
          MPI_ERR_ARG, "neither a precision nor a range is given");
    while (kinds->range > 0 && (kinds->precision < precision || kinds->range < range))
        kinds++;
    as = mpi_type_of(kinds->type);
    CHECK(NULL, as != NULL, MPI_ERR_ARG, "no type of Fortran has %d digits and a range of %d",
          precision, range);
    pthread_mutex_lock(&parametric_mutex);
    for (p = parametric_types; p != NULL; p = p->next)
        if (p->combiner == combiner && p->precision == precision && p->range == range)
            break;
    if (p == NULL)
        p = make_parametric(as, combiner, precision, range);
    pthread_mutex_unlock(&parametric_mutex);
    CHECK_MEMORY(NULL, p);
    *type = (MPI_Datatype)p;
    return MPI_SUCCESS;
}

int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype *type)
{
    return create_parametric(__func__, reals, MPI_COMBINER_F90_REAL, precision, range, type);
}

int MPI_Type_create_f90_complex(int precision, int range, MPI_Datatype *type)
{
    return create_parametric(__func__, complexes, MPI_COMBINER_F90_COMPLEX, precision, range, type);
}

int MPI_Type_create_f90_integer(int range, MPI_Datatype *type)
{
    return create_parametric(__func__, integers, MPI_COMBINER_F90_INTEGER, 0, range, type);
}
