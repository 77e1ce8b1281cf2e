/* SPDX-License-Identifier: MIT */
/* Datatypes: trees. */
#ifndef LOGP_MPI_TYPE_H
#define LOGP_MPI_TYPE_H

#include "error.h"

#include <limits.h>

/* Fortran's types of 16 bytes, where C has them. */

#ifdef __SIZEOF_INT128__
#define HAS_INTEGER16 1
typedef __int128 integer16;
#endif
#ifdef __SIZEOF_FLOAT128__
#define HAS_REAL16 1
typedef __float128 real16;
typedef float _Complex complex32 __attribute__((mode(TC)));
#endif

/* A hash of the basic types of a datatype, and BASE to the power of their number: signature.c */
struct signature {
    uint64_t sum, power;
};

enum type_kind { TYPE_BASIC, TYPE_VECTOR, TYPE_BLOCKS };

struct type {
    struct object object;
    enum type_kind kind;
    int references; /* 0: a constant */
    size_t size;    /* bytes of data */
    ptrdiff_t lb, extent, true_lb, true_ub;
    size_t alignment;    /* of its basic types; 1: its extent is given */
    bool dense;          /* its data are its bytes 0 .. size - 1, in this order */
    bool committed;      /* or `references` is 0 */
    char arithmetic;     /* of a basic type: what op.c calls it; 0: other */
    MPI_Datatype handle; /* of a basic type */
    struct type *old;    /* VECTOR; BLOCKS, where all are of one type */
    size_t count, block; /* VECTOR: count times `block` olds, `stride` bytes apart; BLOCKS: count */
    ptrdiff_t stride;    /* VECTOR */
    size_t *blocks;      /* BLOCKS: how many olds each has */
    ptrdiff_t *displs;   /* BLOCKS: where it begins */
    struct type **olds;  /* BLOCKS; NULL: all are of `old` */
    struct signature signature; /* power 0: not known yet */
    struct recipe *recipe;      /* contents.c; NULL: a constant */
    char name[MPI_MAX_OBJECT_NAME];
};

/* The type of a handle; NULL: it is none. */
struct type *mpi_type_of(MPI_Datatype handle);
/* A constant type with this letter, which is there; all such are of one type of C. */
const struct type *mpi_constant_of(char arithmetic);
void mpi_keep_type(struct type *type);
void mpi_drop_type(struct type *type);
/* Whether the data of n elements are contiguous. */
static inline bool in_a_row(const struct type *t, size_t n)
{
    return t->dense && (n <= 1 || t->extent == (ptrdiff_t)t->size);
}
/* Whether n and m elements of two buffers certainly have a byte in common. */
bool mpi_share_bytes(const void *a, const struct type *a_type, size_t n, const void *b,
                     const struct type *b_type, size_t m);
/* Copy n elements to bytes in a row, and back: `bytes` of them at most. */
void mpi_pack(const struct type *type, size_t n, const void *buf, void *out);
void mpi_unpack(const struct type *type, size_t n, const void *in, size_t bytes, void *buf);

/* external.c: bytes of one value of a basic type in external32. 0: it has no form here (long double) */
size_t mpi_external_bytes(const struct type *basic);
/* Convert n elements to external32 at `data`, or from it. @return false: a basic type has no form */
bool mpi_convert_external(const struct type *type, size_t n, void *buf, void *data, bool in);

/* ---- sizes of what may not be there ---- */

/* a + b, a - b and a * b. *fits becomes false, and stays, if one is not within 64 bits. */
#define CALCULATE(name, calculate)                                                                 \
    static inline ptrdiff_t name(ptrdiff_t a, ptrdiff_t b, bool *fits)                             \
    {                                                                                              \
        ptrdiff_t result;                                                                          \
                                                                                                   \
        *fits = !calculate(a, b, &result) && *fits;                                                \
        return result;                                                                             \
    }
CALCULATE(plus, __builtin_add_overflow)
CALCULATE(minus, __builtin_sub_overflow)
CALCULATE(product, __builtin_mul_overflow)

/* Whether the size and the extent of n elements are less than 2^63 bytes. */
static inline bool can_be_counted(const struct type *t, size_t n)
{
    ptrdiff_t bytes;

    return !__builtin_mul_overflow(n, t->size, &bytes) &&
           !__builtin_mul_overflow(n, t->extent, &bytes);
}
/* Whether n bytes from `position` on are within a buffer of `size` bytes. */
static inline bool fits_in(MPI_Aint position, size_t n, MPI_Aint size)
{
    return position >= 0 && position <= size && n <= (size_t)(size - position);
}
/* Return n as an int, or MPI_UNDEFINED if it does not fit. Source: MPI 3.1, 3.2.5, 4.1.5 */
static inline int int_or_undefined(uint64_t n)
{
    return n <= INT_MAX ? (int)n : MPI_UNDEFINED;
}

/* What a message is made of, or goes to, where that does not lie in a row. */
struct elements {
    const struct type *type;
    size_t n;
    void *buf;
};

/* For logp_send_options and logp_recv_options; arg: the elements. */
void mpi_fill_payload(void *elements, size_t at, void *out, size_t n);
void mpi_drain_payload(void *elements, size_t at, const void *bytes, size_t n);

#define TYPE(t, handle, comm)                                                                      \
    struct type *t = mpi_type_of(handle);                                                          \
    CHECK(comm, t != NULL, MPI_ERR_TYPE, "the datatype is null or has been freed")
#define ENTER_TYPE(t, handle)                                                                      \
    mpi_enter(__func__);                                                                           \
    TYPE(t, handle, NULL)

/* A type of data that are moved. */
#define CHECK_COMMITTED(comm, t)                                                                   \
    CHECK(comm, (t)->references == 0 || (t)->committed, MPI_ERR_TYPE,                              \
          "the datatype has not been committed; call MPI_Type_commit()")
/* Can n elements be there? MPI_BOTTOM is null, too; only data that are not copied may be in place. */
static inline bool can_be_at(const void *buf, const struct type *t, size_t n)
{
    return (uintptr_t)buf > (uintptr_t)MPI_IN_PLACE || n == 0 || t->size == 0 ||
           (buf == NULL && t->kind != TYPE_BASIC);
}
#define CHECK_SIZE(comm, t, n)                                                                     \
    CHECK(comm, can_be_counted(t, n), MPI_ERR_COUNT,                                               \
          "%zu elements of %zu bytes, %lld apart, are 2^63 bytes or more", n, (t)->size,           \
          (long long)(t)->extent)
#define CHECK_AT(comm, buf, t, n, what)                                                            \
    do {                                                                                           \
        CHECK_SIZE(comm, t, n);                                                                    \
        CHECK(comm, can_be_at(buf, t, n), MPI_ERR_BUFFER, "the buffer%s is %s", what,              \
              (buf) == NULL ? "null" : "MPI_IN_PLACE");                                            \
    } while (0)
#define DATA_TYPE(t, handle, comm)                                                                 \
    TYPE(t, handle, comm);                                                                         \
    CHECK_COMMITTED(comm, t)

#endif
