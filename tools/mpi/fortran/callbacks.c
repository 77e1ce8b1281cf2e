/* SPDX-License-Identifier: MIT */
/*
 * Functions of a program in Fortran that MPI calls: those of attributes, generalized requests and data representations. C's has an
 * argument that the program chooses, so it leads to the function of Fortran here. And attributes, whose values are integers:
 * what Fortran sets is kept in a cell, whose address C gets.
 */
#include "wrap.h"

typedef MPI_Fint F;
typedef MPI_Aint A;

/* ---- values of attributes ---- */

/* Cells come in chunks, so that an address is known to be one. */
struct chunk {
    struct chunk *next;
    A cells[256];
};

static struct chunk *chunks;
static A *free_cells; /* a list: each has the address of the next one */

static A *new_cell(A value)
{
    A *cell;

    if (free_cells == NULL) {
        struct chunk *more = logp_fortran_room(1, sizeof(*more));

        more->next = chunks;
        chunks = more;
        for (int i = 0; i < 256; i++) {
            more->cells[i] = (A)free_cells;
            free_cells = &more->cells[i];
        }
    }
    cell = free_cells;
    free_cells = (A *)*cell;
    *cell = value;
    return cell;
}

static int is_cell(const void *address)
{
    for (const struct chunk *c = chunks; c != NULL; c = c->next)
        if ((uintptr_t)address - (uintptr_t)c->cells < sizeof(c->cells))
            return 1;
    return 0;
}

static void drop_cell(void *address)
{
    if (is_cell(address)) {
        *(A *)address = (A)free_cells;
        free_cells = address;
    }
}

/* Of an attribute as C has it */
static A value_of(void *value)
{
    return is_cell(value) ? *(A *)value : (A)value;
}

/* ---- their functions ---- */

/* For a key of Fortran. has_ints: of MPI-1, where values are INTEGER */
struct key {
    void (*copy)(void), (*drop)(void);
    A state;
    int has_ints;
};

typedef void copy_function(F *object, F *keyval, void *state, void *value, void *copy, F *flag,
                           F *ierror);
typedef void drop_function(F *object, F *keyval, void *value, void *state, F *ierror);

/* Constants that are functions in Fortran */
#define CONSTANT_COPY(name, may)                                                                   \
    copy_function name;                                                                            \
    void name(F *object, F *keyval, void *state, void *value, void *copy, F *flag, F *ierror)      \
    {                                                                                              \
        (void)object, (void)keyval, (void)state;                                                   \
        *flag = may;                                                                               \
        if (may)                                                                                   \
            memcpy(copy, value, sizeof(A));                                                        \
        *ierror = MPI_SUCCESS;                                                                     \
    }
#define CONSTANT_DROP(name)                                                                        \
    drop_function name;                                                                            \
    void name(F *object, F *keyval, void *value, void *state, F *ierror)                           \
    {                                                                                              \
        (void)object, (void)keyval, (void)value, (void)state;                                      \
        *ierror = MPI_SUCCESS;                                                                     \
    }
CONSTANT_COPY(mpi_null_copy_fn_, 0)
CONSTANT_COPY(mpi_comm_null_copy_fn_, 0)
CONSTANT_COPY(mpi_type_null_copy_fn_, 0)
CONSTANT_COPY(mpi_win_null_copy_fn_, 0)
CONSTANT_COPY(mpi_dup_fn_, 1)
CONSTANT_COPY(mpi_comm_dup_fn_, 1)
CONSTANT_COPY(mpi_type_dup_fn_, 1)
CONSTANT_COPY(mpi_win_dup_fn_, 1)
CONSTANT_DROP(mpi_null_delete_fn_)
CONSTANT_DROP(mpi_comm_null_delete_fn_)
CONSTANT_DROP(mpi_type_null_delete_fn_)
CONSTANT_DROP(mpi_win_null_delete_fn_)

/* An INTEGER is the first half of an address here, and is extended after the call. A copy: the function may change it */
static int copy_of(const struct key *k, F object, F keyval, void *value, void *copy, int *flag)
{
    A given = value_of(value), made = 0, state = k->state;
    F yes = 0, error = MPI_SUCCESS;

    ((copy_function *)k->copy)(&object, &keyval, &state, &given, &made, &yes, &error);
    *flag = yes != 0;
    if (error == MPI_SUCCESS && yes)
        *(void **)copy = new_cell(k->has_ints ? (F)made : made);
    return error;
}

static int drop_of(const struct key *k, F object, F keyval, void *value)
{
    A given = value_of(value), state = k->state;
    F error = MPI_SUCCESS;

    ((drop_function *)k->drop)(&object, &keyval, &given, &state, &error);
    if (error == MPI_SUCCESS)
        drop_cell(value);
    return error;
}

static void answer(F *ierror, int rc)
{
    if (ierror != NULL)
        *ierror = rc;
}

#define ATTRIBUTES(kind, type, name, make)                                                         \
    WRAPS static int copy_##kind(type object, int keyval, void *k, void *value, void *copy,        \
                                 int *flag)                                                        \
    {                                                                                              \
        F number;                                                                                  \
                                                                                                   \
        kind##_out(&number, object);                                                               \
        return copy_of(k, number, keyval, value, copy, flag);                                      \
    }                                                                                              \
    WRAPS static int drop_##kind(type object, int keyval, void *value, void *k)                    \
    {                                                                                              \
        F number;                                                                                  \
                                                                                                   \
        kind##_out(&number, object);                                                               \
        return drop_of(k, number, keyval, value);                                                  \
    }                                                                                              \
    static int make_##kind##_key(void (*copy)(void), void (*drop)(void), F *keyval, A state,       \
                                 int has_ints)                                                     \
    {                                                                                              \
        struct key *k = logp_fortran_room(1, sizeof(*k)); /* copies of an attribute need it */     \
                                                                                                   \
        *k = (struct key){copy, drop, state, has_ints};                                            \
        return MPI_##name##_create_keyval(copy_##kind, drop_##kind, keyval, k);                    \
    }                                                                                              \
    WRAPS void p##make##_create_keyval_(void (*copy)(void), void (*drop)(void), F *keyval,         \
                                        const A *state, F *ierror);                                \
    WRAPS void p##make##_create_keyval_(void (*copy)(void), void (*drop)(void), F *keyval,         \
                                        const A *state, F *ierror)                                 \
    {                                                                                              \
        CALLED_HERE();                                                                             \
        answer(ierror, make_##kind##_key(copy, drop, keyval, *state, 0));                          \
    }                                                                                              \
    WRAPS void p##make##_set_attr_(const F *object, const F *keyval, const A *value, F *ierror);   \
    WRAPS void p##make##_set_attr_(const F *object, const F *keyval, const A *value, F *ierror)    \
    {                                                                                              \
        CALLED_HERE();                                                                             \
        answer(ierror, MPI_##name##_set_attr(kind##_in(object), *keyval, new_cell(*value)));       \
    }                                                                                              \
    WRAPS void p##make##_get_attr_(const F *object, const F *keyval, A *value, F *flag,            \
                                   F *ierror);                                                     \
    WRAPS void p##make##_get_attr_(const F *object, const F *keyval, A *value, F *flag, F *ierror) \
    {                                                                                              \
        void *found = NULL;                                                                        \
        int rc;                                                                                    \
                                                                                                   \
        CALLED_HERE();                                                                             \
        rc = MPI_##name##_get_attr(kind##_in(object), *keyval, &found, flag);                      \
        answer(ierror, rc);                                                                        \
        if (rc == MPI_SUCCESS && *flag)                                                            \
            *value = attribute_of(*keyval, found);                                                 \
    }                                                                                              \
    NAMED(make##_create_keyval_, p##make##_create_keyval_)                                         \
    NAMED(make##_create_keyval_f08_, p##make##_create_keyval_)                                     \
    NAMED(p##make##_create_keyval_f08_, p##make##_create_keyval_)                                  \
    NAMED(make##_set_attr_, p##make##_set_attr_)                                                   \
    NAMED(make##_set_attr_f08_, p##make##_set_attr_)                                               \
    NAMED(p##make##_set_attr_f08_, p##make##_set_attr_)                                            \
    NAMED(make##_get_attr_, p##make##_get_attr_)                                                   \
    NAMED(make##_get_attr_f08_, p##make##_get_attr_)                                               \
    NAMED(p##make##_get_attr_f08_, p##make##_get_attr_)

/* Those of MPI itself are addresses of an int, or of an MPI_Aint, in C, and values in Fortran; a base is an address in both. */
static A attribute_of(F keyval, void *found)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        return *(int *)found;
    case MPI_WIN_SIZE:
        return *(A *)found;
    default:
        return value_of(found);
    }
}

ATTRIBUTES(comm, MPI_Comm, Comm, mpi_comm)
ATTRIBUTES(type, MPI_Datatype, Type, mpi_type)
ATTRIBUTES(win, MPI_Win, Win, mpi_win)

/* ---- attributes of MPI-1: INTEGER ---- */

#define OLD(name, ...)                                                                             \
    WRAPS void pmpi_##name##_(__VA_ARGS__);                                                        \
    NAMED(mpi_##name##_, pmpi_##name##_)                                                           \
    WRAPS void pmpi_##name##_(__VA_ARGS__)

OLD(keyval_create, void (*copy)(void), void (*drop)(void), F *keyval, const F *state, F *ierror)
{
    CALLED_HERE();
    answer(ierror, make_comm_key(copy, drop, keyval, *state, 1));
}

OLD(attr_put, const F *comm, const F *keyval, const F *value, F *ierror)
{
    CALLED_HERE();
    answer(ierror, MPI_Comm_set_attr(comm_in(comm), *keyval, new_cell(*value)));
}

OLD(attr_get, const F *comm, const F *keyval, F *value, F *flag, F *ierror)
{
    A found = 0;

    pmpi_comm_get_attr_(comm, keyval, &found, flag, ierror);
    CALLED_HERE();
    if (*flag)
        *value = (F)found;
}

/* ---- generalized requests ---- */

struct generalized {
    void (*query)(A *state, MPI_Status *status, F *ierror);
    void (*drop)(A *state, F *ierror);
    void (*cancel)(A *state, F *complete, F *ierror);
    A *state; /* the program's variable, which the functions may change */
};

WRAPS static int query_of(void *of, MPI_Status *status)
{
    struct generalized *g = of;
    F error = MPI_SUCCESS;

    g->query(g->state, status, &error);
    return error;
}

WRAPS static int free_of(void *of)
{
    struct generalized *g = of;
    F error = MPI_SUCCESS;

    g->drop(g->state, &error);
    free(g);
    return error;
}

WRAPS static int cancel_of(void *of, int complete)
{
    struct generalized *g = of;
    F error = MPI_SUCCESS;

    g->cancel(g->state, &complete, &error);
    return error;
}

#define NEW(name, ...)                                                                             \
    OLD(name, __VA_ARGS__);                                                                        \
    NAMED(mpi_##name##_f08_, pmpi_##name##_)                                                       \
    NAMED(pmpi_##name##_f08_, pmpi_##name##_)                                                      \
    void pmpi_##name##_(__VA_ARGS__)

NEW(grequest_start, void (*query)(A *, MPI_Status *, F *), void (*drop)(A *, F *),
    void (*cancel)(A *, F *, F *), A *state, F *request, F *ierror)
{
    struct generalized *g = logp_fortran_room(1, sizeof(*g));
    MPI_Request made = MPI_REQUEST_NULL;
    int rc;

    CALLED_HERE();
    *g = (struct generalized){query, drop, cancel, state};
    rc = MPI_Grequest_start(query_of, free_of, cancel_of, g, &made);
    answer(ierror, rc);
    if (rc == MPI_SUCCESS)
        request_out(request, made);
}

/* ---- data representations, which stay until the program ends ---- */

/* Called with the number of elements, an INTEGER or of MPI_COUNT_KIND */
typedef void conversion(void *in_memory, F *type, void *n, void *in_file, MPI_Offset *at, A *state,
                        F *ierror);
struct representation {
    conversion *read, *write;
    void (*extent)(F *type, A *extent, A *state, F *ierror);
    A state;
};

conversion mpi_conversion_fn_null_, mpi_conversion_fn_null_c_;
void mpi_conversion_fn_null_(void *in_memory, F *type, void *n, void *in_file, MPI_Offset *at,
                             A *state, F *ierror)
{
    (void)in_memory, (void)type, (void)n, (void)in_file, (void)at, (void)state;
    *ierror = MPI_ERR_OTHER;
}
NAMED(mpi_conversion_fn_null_c_, mpi_conversion_fn_null_)

#define CONVERSION(name, of, integer)                                                              \
    WRAPS static int name(void *in_memory, MPI_Datatype type, integer n, void *in_file,            \
                          MPI_Offset at, void *r)                                                  \
    {                                                                                              \
        F number, error = MPI_SUCCESS;                                                             \
        struct representation *of_it = r;                                                          \
                                                                                                   \
        type_out(&number, type);                                                                   \
        of_it->of(in_memory, &number, &n, in_file, &at, &of_it->state, &error);                    \
        return error;                                                                              \
    }
CONVERSION(read_of, read, int)
CONVERSION(write_of, write, int)
CONVERSION(read_of_c, read, MPI_Count)
CONVERSION(write_of_c, write, MPI_Count)

WRAPS static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *of)
{
    struct representation *r = of;
    F number, error = MPI_SUCCESS;

    type_out(&number, type);
    r->extent(&number, extent, &r->state, &error);
    return error;
}

#define REGISTER(name, suffix, Suffix)                                                             \
    NEW(name, const char *text, conversion *read, conversion *write,                               \
        void (*extent)(F *, A *, A *, F *), const A *state, F *ierror, size_t length)              \
    {                                                                                              \
        struct representation *r = logp_fortran_room(1, sizeof(*r));                               \
        char *datarep = logp_fortran_text(text, length, 0);                                        \
                                                                                                   \
        CALLED_HERE();                                                                             \
        *r = (struct representation){read, write, extent, *state};                                 \
        answer(ierror, MPI_Register_datarep##suffix(                                               \
                           datarep,                                                                \
                           read == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL##Suffix        \
                                                           : read_of##suffix,                      \
                           write == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL##Suffix       \
                                                            : write_of##suffix,                    \
                           extent_of, r));                                                         \
        free(datarep);                                                                             \
    }
REGISTER(register_datarep, , )
REGISTER(register_datarep_c, _c, _C)
