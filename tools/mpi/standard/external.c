/* SPDX-License-Identifier: MIT */
/* Packing in the form external32 (MPI 3.1, 13.5.2): big endian, and long has 4 bytes. */
#include "rank.h"
#include "type.h"

#include <string.h>

size_t mpi_external_bytes(const struct type *t)
{
    if (t->handle == MPI_LONG || t->handle == MPI_UNSIGNED_LONG)
        return 4;
    if (t->handle == MPI_WCHAR)
        return 2;
    switch (t->arithmetic) {
    case 'g':
    case 'z':
    case 'G':
        return 0;
    default:
        return t->size;
    }
}

/* Where values go to or come from, after n bytes; data is NULL: they are only counted. */
struct cursor {
    char *data;
    size_t n;
    bool in, fails;
};

/* One number of `bytes` here and `external` there. More are here for long and wchar_t alone: then the
 * sign fills the others, if there is one. */
static void number(struct cursor *c, char *at, size_t bytes, size_t external, bool is_signed)
{
    const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    char *data = c->data + c->n;

    c->n += external;
    if (c->data == NULL)
        return;
    for (size_t i = 0; i < external; i++) {
        char *here = at + (big ? bytes - 1 - i : i), *there = data + external - 1 - i;

        *(c->in ? here : there) = *(c->in ? there : here);
    }
    for (size_t i = external; c->in && i < bytes; i++)
        at[big ? bytes - 1 - i : i] = (char)(is_signed && (data[0] & 0x80) != 0 ? -1 : 0);
}

static void value(struct cursor *c, const struct type *t, char *at)
{
    const size_t external = mpi_external_bytes(t);
    size_t part = t->size;

    c->fails = c->fails || external == 0;
    if (external == 0)
        return;
    switch (t->arithmetic) {
    case 'x': /* complex: two numbers */
    case 'y':
    case 'c':
        part = t->size / 2;
        number(c, at, part, part, true);
        number(c, at + part, part, part, true);
        return;
    case 'F': /* pairs: a value, and an index */
    case 'D':
    case 'P':
    case 'T':
    case 'S':
        part = t->size - sizeof(int);
        number(c, at, part, t->arithmetic == 'P' ? 4 : part, true);
        number(c, at + t->true_ub - (ptrdiff_t)sizeof(int), sizeof(int), sizeof(int), true);
        return;
    default:
        number(c, at, part, external, t->handle == MPI_LONG);
    }
}

static void element(struct cursor *c, const struct type *t, char *at)
{
    if (t->kind == TYPE_BASIC) {
        value(c, t, at);
        return;
    }
    for (size_t i = 0; i < t->count; i++) {
        const struct type *old = t->olds != NULL ? t->olds[i] : t->old;
        const size_t n = t->kind == TYPE_VECTOR ? t->block : t->blocks[i];
        char *from = at + (t->kind == TYPE_VECTOR ? (ptrdiff_t)i * t->stride : t->displs[i]);

        for (size_t k = 0; k < n; k++)
            element(c, old, from + (ptrdiff_t)k * old->extent);
    }
}

bool mpi_convert_external(const struct type *t, size_t n, void *buf, void *data, bool in)
{
    struct cursor c = {.data = data, .in = in};

    for (size_t i = 0; i < n; i++)
        element(&c, t, (char *)buf + (ptrdiff_t)i * t->extent);
    return !c.fails;
}

/* data: NULL: only count. @return MPI_SUCCESS or a class */
static int convert(const char *call, const char *form, void *buf, int count, MPI_Datatype type,
                   struct cursor *c)
{
    mpi_enter(call);
    TYPE(t, type, NULL);
    CHECK(NULL, strcmp(form, "external32") == 0, MPI_ERR_ARG, "the form is %s, not external32",
          form);
    CHECK_COUNT(NULL, count);
    CHECK_SIZE(NULL, t, (size_t)count);
    for (int i = 0; i < count; i++)
        element(c, t, (char *)buf + i * t->extent);
    CHECK(NULL, !c->fails, MPI_ERR_TYPE, "long double has no form of external32 here");
    return MPI_SUCCESS;
}

int MPI_Pack_external_size(const char form[], int count, MPI_Datatype type, MPI_Aint *size)
{
    struct cursor c = {0};
    const int rc = convert(__func__, form, NULL, count, type, &c);

    *size = (MPI_Aint)c.n;
    return rc;
}

/* Between buf and data from *position on. */
static int transfer(const char *call, const char *form, void *buf, int count, MPI_Datatype type,
                    void *data, MPI_Aint size, MPI_Aint *position, bool in)
{
    struct cursor c = {0};
    int rc = convert(call, form, buf, count, type, &c);

    if (rc != MPI_SUCCESS)
        return rc;
    CHECK(NULL, fits_in(*position, c.n, size), MPI_ERR_ARG,
          "%zu bytes from %lld on are not within %lld", c.n, (long long)*position, (long long)size);
    c = (struct cursor){.data = (char *)data + *position, .in = in};
    rc = convert(call, form, buf, count, type, &c);
    *position += (MPI_Aint)c.n;
    return rc;
}

int MPI_Pack_external(const char form[], const void *in, int count, MPI_Datatype type, void *out,
                      MPI_Aint size, MPI_Aint *position)
{
    return transfer(__func__, form, (void *)in, count, type, out, size, position, false);
}

int MPI_Unpack_external(const char form[], const void *in, MPI_Aint size, MPI_Aint *position,
                        void *out, int count, MPI_Datatype type)
{
    return transfer(__func__, form, out, count, type, (void *)in, size, position, true);
}
