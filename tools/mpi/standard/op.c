/* SPDX-License-Identifier: MIT */
/* Operations: the constants for each type, and those of the program. */
#include "op.h"
#include "rank.h"
#include "world.h"
#include "host/host.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- built in: acc = acc OP in, by the letter of the type ---- */

typedef void combine_function(void *acc, const void *in, size_t n);

#define LOOP(name, c, expression)                                                                  \
    static void name(void *acc, const void *in, size_t n)                                          \
    {                                                                                              \
        c *restrict a = acc;                                                                       \
        const c *restrict b = in;                                                                  \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            const c r = expression;                                                                \
                                                                                                   \
            a[i] = r;                                                                              \
        }                                                                                          \
    }

#define ARITHMETIC(letter, c)                                                                      \
    LOOP(sum_##letter, c, a[i] + b[i])                                                             \
    LOOP(prod_##letter, c, a[i] * b[i])

#define EXTREMES(letter, c)                                                                        \
    LOOP(min_##letter, c, b[i] < a[i] ? b[i] : a[i])                                               \
    LOOP(max_##letter, c, b[i] > a[i] ? b[i] : a[i])

#define ORDERED(letter, c)                                                                         \
    ARITHMETIC(letter, c)                                                                          \
    EXTREMES(letter, c)

#define LOGICAL(letter, c)                                                                         \
    LOOP(land_##letter, c, a[i] && b[i])                                                           \
    LOOP(lor_##letter, c, a[i] || b[i])                                                            \
    LOOP(lxor_##letter, c, !a[i] != !b[i])

/* Sums and products that do not fit keep their low bits, as those of unsigned integers do. */
#define INTEGER(letter, c, wide)                                                                   \
    LOOP(sum_##letter, c, (c)((wide)a[i] + (wide)b[i]))                                            \
    LOOP(prod_##letter, c, (c)((wide)a[i] * (wide)b[i]))                                           \
    EXTREMES(letter, c)                                                                            \
    LOGICAL(letter, c)                                                                             \
    LOOP(band_##letter, c, a[i] & b[i])                                                            \
    LOOP(bor_##letter, c, a[i] | b[i])                                                             \
    LOOP(bxor_##letter, c, a[i] ^ b[i])

/* Of equal values the least index. */
#define LOCATED(letter, value)                                                                     \
    struct pair_##letter {                                                                         \
        value v;                                                                                   \
        int i;                                                                                     \
    };                                                                                             \
    LOOP(minloc_##letter, struct pair_##letter,                                                    \
         *(b[i].v < a[i].v || (b[i].v == a[i].v && b[i].i < a[i].i) ? &b[i] : &a[i]))              \
    LOOP(maxloc_##letter, struct pair_##letter,                                                    \
         *(b[i].v > a[i].v || (b[i].v == a[i].v && b[i].i < a[i].i) ? &b[i] : &a[i]))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" /* a sum of two shorts is an int */
INTEGER(b, signed char, unsigned)
INTEGER(B, unsigned char, unsigned)
INTEGER(h, short, unsigned)
INTEGER(H, unsigned short, unsigned)
INTEGER(i, int, unsigned)
INTEGER(I, unsigned, unsigned)
INTEGER(l, long long, unsigned long long)
INTEGER(L, unsigned long long, unsigned long long)
#ifdef HAS_INTEGER16
INTEGER(q, integer16, unsigned __int128)
#endif
#ifdef HAS_REAL16
ORDERED(k, real16)
ARITHMETIC(c, complex32)
#endif
LOGICAL(t, _Bool)
ORDERED(f, float)
ORDERED(d, double)
ORDERED(g, long double)
ARITHMETIC(x, float _Complex)
ARITHMETIC(y, double _Complex)
ARITHMETIC(z, long double _Complex)
LOCATED(F, float)
LOCATED(D, double)
LOCATED(P, long)
LOCATED(T, int)
LOCATED(S, short)
LOCATED(G, long double)
#pragma GCC diagnostic pop

#define ARITHMETIC_ROWS(letter)                                                                    \
    {0x21, #letter[0], sum_##letter},                                                              \
    {                                                                                              \
        0x24, #letter[0], prod_##letter                                                            \
    }
#define ORDERED_ROWS(letter)                                                                       \
    ARITHMETIC_ROWS(letter), {0x22, #letter[0], min_##letter},                                     \
    {                                                                                              \
        0x23, #letter[0], max_##letter                                                             \
    }
#define LOGICAL_ROWS(letter)                                                                       \
    {0x30, #letter[0], land_##letter}, {0x31, #letter[0], lor_##letter},                           \
    {                                                                                              \
        0x32, #letter[0], lxor_##letter                                                            \
    }
#define INTEGER_ROWS(letter)                                                                       \
    ORDERED_ROWS(letter), LOGICAL_ROWS(letter), {0x28, #letter[0], band_##letter},                 \
        {0x29, #letter[0], bor_##letter},                                                          \
    {                                                                                              \
        0x2a, #letter[0], bxor_##letter                                                            \
    }
#define LOCATED_ROWS(letter)                                                                       \
    {0x38, #letter[0], minloc_##letter},                                                           \
    {                                                                                              \
        0x39, #letter[0], maxloc_##letter                                                          \
    }

static const struct built_in {
    uintptr_t op; /* the handle */
    char letter;
    combine_function *combine;
} built_in[] = {
    INTEGER_ROWS(b),    INTEGER_ROWS(B),     INTEGER_ROWS(h),    INTEGER_ROWS(H),
    INTEGER_ROWS(i),    INTEGER_ROWS(I),     INTEGER_ROWS(l),    INTEGER_ROWS(L),
    LOGICAL_ROWS(t),    ORDERED_ROWS(f),     ORDERED_ROWS(d),    ORDERED_ROWS(g),
    ARITHMETIC_ROWS(x), ARITHMETIC_ROWS(y),  ARITHMETIC_ROWS(z), LOCATED_ROWS(F),
    LOCATED_ROWS(D),    LOCATED_ROWS(P),     LOCATED_ROWS(T),    LOCATED_ROWS(S),
    LOCATED_ROWS(G),    {0x28, 'o', band_B}, {0x29, 'o', bor_B}, {0x2a, 'o', bxor_B}, /* MPI_BYTE */
#ifdef HAS_INTEGER16
    INTEGER_ROWS(q),
#endif
#ifdef HAS_REAL16
    ORDERED_ROWS(k),    ARITHMETIC_ROWS(c),
#endif
};

/* ---- as the runtime combines: acc = acc OP in ---- */

/* One function for each operation, so that the runtime can distinguish them in calls. */
#define COMBINE(handle)                                                                            \
    static void combine_##handle(void *acc, const void *in, size_t n, void *arg)                   \
    {                                                                                              \
        ((const struct reduction *)arg)->combine(acc, in, n);                                      \
    }
/* Equal bodies would be folded into one by some linkers, but not by those of this library. */
COMBINE(0x21)
COMBINE(0x22)
COMBINE(0x23)
COMBINE(0x24)
COMBINE(0x28)
COMBINE(0x29)
COMBINE(0x2a)
COMBINE(0x30)
COMBINE(0x31)
COMBINE(0x32)
COMBINE(0x38)
COMBINE(0x39)

#define ROW(handle) [handle - 0x21] = combine_##handle
static void (*const combine_of[])(void *, const void *, size_t, void *) = {
    ROW(0x21), ROW(0x22), ROW(0x23), ROW(0x24), ROW(0x28), ROW(0x29),
    ROW(0x2a), ROW(0x30), ROW(0x31), ROW(0x32), ROW(0x38), ROW(0x39)};

/* Its length is an int, or an MPI_Count, and the datatype a handle, or its number in Fortran. */
static void call_function(const struct operation *o, void *in, void *inout, size_t n,
                          MPI_Datatype type)
{
    MPI_Fint number = o->is_fortran ? mpi_number_of(mpi_this_rank(), type) : 0;
    MPI_Count count = (MPI_Count)n;
    int few = (int)n;
    void *length = o->is_large ? (void *)&count : &few;
    void *datatype = o->is_fortran ? (void *)&number : &type;

    ((void (*)(void *, void *, void *, void *))(void (*)(void))o->function)(in, inout, length,
                                                                            datatype);
}

/* More elements than an int counts are more calls. */
static void call_user(const struct reduction *r, char *in, char *inout, size_t n)
{
    struct rank *rank = mpi_this_rank();

    rank->combines = true;
    for (size_t i = 0, k; i < n; i += k) {
        const ptrdiff_t at = (ptrdiff_t)i * r->type->extent;

        k = r->user.is_large || n - i < INT_MAX ? n - i : INT_MAX;
        call_function(&r->user, in + at, inout + at, k, r->handle);
    }
    rank->combines = false;
}

/* MPI's function does inout = in OP inout: a copy of `in` is its inout, and acc its in. */
static void combine_user(void *acc, const void *in, size_t n, void *arg)
{
    struct reduction *r = arg;
    const size_t bytes = n * (size_t)r->type->extent;
    char *copy;

    if (r->user.commutes) {
        call_user(r, (char *)in - r->type->lb, (char *)acc - r->type->lb, n);
        return;
    }
    copy = malloc(bytes > 0 ? bytes : 1);
    if (copy == NULL)
        host_abort_run(1);
    memcpy(copy, in, bytes);
    call_user(r, (char *)acc - r->type->lb, copy - r->type->lb, n);
    memcpy(acc, copy, bytes);
    free(copy);
}

/* Built in, and not on floating-point numbers: of these a sum and a product depend on the order, and a
 * minimum and a maximum on that of -0, +0 and NaN. */
static bool is_exact(const struct reduction *r)
{
    return r->user.function == NULL && strchr("fdgkxyzcFDG", r->type->arithmetic) == NULL;
}

bool mpi_is_exact_op(const struct logp_op *op, void *arg)
{
    (void)arg;
    return the_run.may_differ || ((const struct reduction *)op->arg)->exact;
}

/* ---- those that all ranks share ---- */

enum { FIRST_OP = 0x21, LAST_OP = 0x39, N_BUILT_IN = sizeof(built_in) / sizeof(built_in[0]) };

static struct reduction shared[N_BUILT_IN];
static unsigned char row_of[LAST_OP - FIRST_OP + 1]
                           [128]; /* by operation and letter: 1 + row; 0: there is none */

/* Before any rank runs. */
__attribute__((constructor)) static void make_shared(void)
{
    for (unsigned i = 0; i < N_BUILT_IN; i++) {
        const struct built_in *b = &built_in[i];
        struct reduction *r = &shared[i];

        row_of[b->op - FIRST_OP][(unsigned char)b->letter] = (unsigned char)(i + 1);
        *r = (struct reduction){.type = mpi_constant_of(b->letter), .combine = b->combine};
        r->exact = is_exact(r);
        r->op = (struct logp_op){.name = "mpi",
                                 .type = "mpi",
                                 .element_bytes = (size_t)r->type->extent,
                                 .commutative = true,
                                 .combine = combine_of[b->op - FIRST_OP],
                                 .arg = r};
    }
}

static const struct reduction *shared_of(MPI_Op op, const struct type *t)
{
    const unsigned i = row_of[(uintptr_t)op - FIRST_OP][(unsigned char)t->arithmetic];

    return i > 0 ? &shared[i - 1] : NULL;
}

/* Whether it is built in. *rc: MPI_ERR_OP: it is neither that nor one of the program */
static bool is_built_in(MPI_Op op, int *rc)
{
    const uintptr_t handle = (uintptr_t)op, first_of_programs = 0x400;
    const bool is_constant = handle < first_of_programs;

    *rc = is_constant ? handle >= FIRST_OP && handle <= LAST_OP ? MPI_SUCCESS : MPI_ERR_OP
          : object_of(op) != NULL ? MPI_SUCCESS
                                  : MPI_ERR_OP;
    return is_constant;
}

static int make_own(struct reduction *r, MPI_Op op, MPI_Datatype type)
{
    *r = (struct reduction){
        .type = mpi_type_of(type), .handle = type, .user = *(const struct operation *)op};
    r->op = (struct logp_op){.name = "user",
                             .type = "mpi",
                             .element_bytes = (size_t)r->type->extent,
                             .commutative = r->user.commutes,
                             .combine = combine_user,
                             .arg = r};
    return r->type->extent > 0 ? MPI_SUCCESS : MPI_ERR_TYPE;
}

int mpi_make_reduction(struct reduction *r, MPI_Op op, MPI_Datatype type)
{
    const struct reduction *built;
    int rc;

    if (!is_built_in(op, &rc))
        return rc == MPI_SUCCESS ? make_own(r, op, type) : rc;
    built = rc == MPI_SUCCESS ? shared_of(op, mpi_type_of(type)) : NULL;
    if (built == NULL)
        return MPI_ERR_OP;
    *r = *built;
    r->op.arg = r;
    return MPI_SUCCESS;
}

int mpi_take_reduction(MPI_Op op, MPI_Datatype type, const struct reduction **out)
{
    struct reduction *own;
    int rc;

    *out = NULL;
    if (is_built_in(op, &rc)) {
        *out = rc == MPI_SUCCESS ? shared_of(op, mpi_type_of(type)) : NULL;
        return *out != NULL ? MPI_SUCCESS : MPI_ERR_OP;
    }
    if (rc != MPI_SUCCESS)
        return rc;
    own = malloc(sizeof(*own));
    if (own == NULL)
        return MPI_ERR_NO_MEM;
    rc = make_own(own, op, type);
    if (rc == MPI_SUCCESS)
        *out = own;
    else
        free(own);
    return rc;
}

void mpi_drop_reduction(const struct reduction *r)
{
    if (r != NULL && r->user.function != NULL)
        free((struct reduction *)r);
}

int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    struct reduction r;
    int rc;

    ENTER_TYPE(t, type);
    CHECK_COUNT(NULL, count);
    CHECK(NULL, in != MPI_IN_PLACE && inout != MPI_IN_PLACE, MPI_ERR_BUFFER,
          "MPI_IN_PLACE is not for this call");
    CHECK(NULL, count == 0 || t->kind != TYPE_BASIC || (in != NULL && inout != NULL),
          MPI_ERR_BUFFER, "a buffer is null");
    CHECK(NULL, !mpi_share_bytes(in, t, (size_t)count, inout, t, (size_t)count), MPI_ERR_BUFFER,
          "the two buffers overlap");
    rc = mpi_make_reduction(&r, op, type);
    CHECK(NULL, rc == MPI_SUCCESS, rc, "the operation does not apply to %s", t->name);
    if (r.user.function != NULL)
        call_function(&r.user, (void *)in, inout, (size_t)count, type);
    else if (count > 0)
        r.combine(inout, in, (size_t)count); /* the operations commute */
    return MPI_SUCCESS;
}

static int create(const char *call, MPI_User_function *function, bool is_large, int commutes,
                  MPI_Op *op)
{
    struct operation *o = malloc(sizeof(*o));

    mpi_enter(call);
    CHECK_MEMORY(NULL, o);
    *o = (struct operation){.function = function, .is_large = is_large, .commutes = commutes != 0};
    *op = (MPI_Op)o;
    return MPI_SUCCESS;
}

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
    return create(__func__, function, false, commutes, op);
}

int MPI_Op_create_c(MPI_User_function_c *function, int commutes, MPI_Op *op)
{
    return create(__func__, (MPI_User_function *)(void (*)(void))function, true, commutes, op);
}

__attribute__((visibility("default"))) void logp_mpi_op_of_fortran(MPI_Op op)
{
    ((struct operation *)op)->is_fortran = true;
}

int MPI_Op_free(MPI_Op *op)
{
    mpi_enter(__func__);
    CHECK(NULL, (uintptr_t)*op >= 0x400, MPI_ERR_OP, "a constant cannot be freed");
    CHECK(NULL, object_of(*op) != NULL, MPI_ERR_OP, "the operation has been freed");
    mpi_bury_object((struct object *)*op, /* a reduction that is under way has a copy */
                    sizeof(struct operation));
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op op, int *commutes)
{
    mpi_enter(__func__);
    CHECK(NULL, op != MPI_OP_NULL && ((uintptr_t)op < 0x400 || object_of(op) != NULL), MPI_ERR_OP,
          "the operation is null or has been freed");
    *commutes = (uintptr_t)op < 0x400 || ((const struct operation *)op)->commutes;
    return MPI_SUCCESS;
}
