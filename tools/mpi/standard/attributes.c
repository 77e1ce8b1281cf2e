/* SPDX-License-Identifier: MIT */
/*
 * Attributes of communicators, datatypes and windows: a list for each rank, whose entries name their
 * object by its handle. The callbacks differ only in the type of that handle, which is a pointer.
 */
#include "attributes.h"
#include "rank.h"
#include "type.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct keyval {
    enum object_kind kind;
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *drop;
    void *state;
    struct object *object; /* mpi_note_keyval() */
};

struct attribute {
    struct attribute *next;
    void *object;
    int keyval;
    void *value;
};

enum { FIRST = 1000 }; /* key values of programs */

static struct keyval *keyval_of(int keyval)
{
    struct rank *r = mpi_this_rank();

    return keyval >= FIRST && keyval < FIRST + r->n_keyvals ? &r->keyvals[keyval - FIRST] : NULL;
}

int mpi_create_keyval(enum object_kind kind, void (*copy)(void), void (*drop)(void), int *keyval,
                      void *state)
{
    struct rank *r = mpi_this_rank();
    struct keyval *all = realloc(r->keyvals, (size_t)(r->n_keyvals + 1) * sizeof(*all));

    CHECK_MEMORY(NULL, all);
    r->keyvals = all;
    all[r->n_keyvals] = (struct keyval){kind, (MPI_Comm_copy_attr_function *)copy,
                                        (MPI_Comm_delete_attr_function *)drop, state, NULL};
    *keyval = FIRST + r->n_keyvals++;
    return MPI_SUCCESS;
}

/* Objects may still have the attribute: its functions stay. */
int mpi_free_keyval(enum object_kind kind, int *keyval)
{
    struct keyval *k = keyval_of(*keyval);

    CHECK(NULL, k != NULL && k->kind == kind, MPI_ERR_KEYVAL, "the key %d does not exist", *keyval);
    *keyval = MPI_KEYVAL_INVALID;
    if (k->object != NULL)
        mpi_bury_object(k->object, sizeof(*k->object));
    k->object = NULL;
    return MPI_SUCCESS;
}

/* keyval < 0: any */
static struct attribute **link_of(const void *object, int keyval)
{
    struct attribute **link = &mpi_this_rank()->attributes;

    while (*link != NULL &&
           ((*link)->object != object || (keyval >= 0 && (*link)->keyval != keyval)))
        link = &(*link)->next;
    return link;
}

static int drop(struct attribute *a)
{
    const struct keyval *k = keyval_of(a->keyval);
    const int rc = k->drop != MPI_COMM_NULL_DELETE_FN
                       ? k->drop((MPI_Comm)a->object, a->keyval, a->value, k->state)
                       : MPI_SUCCESS;

    if (rc == MPI_SUCCESS) { /* its place may have changed */
        struct attribute **link = &mpi_this_rank()->attributes;

        while (*link != a)
            link = &(*link)->next;
        *link = a->next;
        free(a);
    }
    return rc;
}

static int add(void *object, int keyval, void *value)
{
    struct rank *r = mpi_this_rank();
    struct attribute *a = malloc(sizeof(*a));

    CHECK_MEMORY(NULL, a);
    *a = (struct attribute){r->attributes, object, keyval, value};
    r->attributes = a;
    return MPI_SUCCESS;
}

int mpi_set_attribute(enum object_kind kind, void *object, int keyval, void *value)
{
    const struct keyval *k = keyval_of(keyval);
    int rc = MPI_SUCCESS;

    CHECK(NULL, k != NULL && k->kind == kind, MPI_ERR_KEYVAL, "the key %d does not exist", keyval);
    if (*link_of(object, keyval) != NULL)
        rc = drop(*link_of(object, keyval));
    return rc == MPI_SUCCESS ? add(object, keyval, value) : rc;
}

int mpi_get_attribute(const void *object, int keyval, const struct own_attribute *own, size_t n,
                      void *value, int *flag)
{
    const struct attribute *a = keyval >= FIRST ? *link_of(object, keyval) : NULL;
    void *found = a != NULL ? a->value : NULL;

    *flag = a != NULL;
    for (size_t i = 0; i < n; i++)
        if (own[i].keyval == keyval) {
            found = own[i].value;
            *flag = 1;
        }
    if (*flag)
        memcpy(value, &found, sizeof(void *));
    return MPI_SUCCESS;
}

int mpi_delete_attribute(void *object, int keyval)
{
    struct attribute *a = keyval >= FIRST ? *link_of(object, keyval) : NULL;

    CHECK(NULL, a != NULL, MPI_ERR_KEYVAL, "there is no attribute with key %d", keyval);
    return drop(a);
}

int mpi_delete_attributes(void *object)
{
    int rc = MPI_SUCCESS;

    while (rc == MPI_SUCCESS && *link_of(object, -1) != NULL)
        rc = drop(*link_of(object, -1));
    return rc;
}

int mpi_copy_attributes(void *from, void *to)
{
    int rc = MPI_SUCCESS;

    for (const struct attribute *a = mpi_this_rank()->attributes; a != NULL && rc == MPI_SUCCESS;
         a = a->next) {
        const struct keyval *k = keyval_of(a->keyval);
        void *value = a->value;
        int flag = k->copy == MPI_COMM_DUP_FN;

        if (a->object != from)
            continue;
        if (k->copy != MPI_COMM_NULL_COPY_FN && k->copy != MPI_COMM_DUP_FN)
            rc = k->copy((MPI_Comm)from, a->keyval, k->state, a->value, &value, &flag);
        if (rc == MPI_SUCCESS && flag)
            rc = add(to, a->keyval, value);
    }
    return rc;
}

void mpi_free_attributes(struct rank *r)
{
    while (r->attributes != NULL) {
        struct attribute *next = r->attributes->next;

        free(r->attributes);
        r->attributes = next;
    }
    free(r->keyvals);
}

/* ---- communicators ---- */

ATTRIBUTES(Comm, MPI_Comm, OBJECT_COMM, ENTER)

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    static int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, appnum = 0;
    static int universe;
    const struct own_attribute own[] = {{MPI_TAG_UB, &tag_ub},
                                        {MPI_HOST, &host},
                                        {MPI_IO, &io},
                                        {MPI_WTIME_IS_GLOBAL, &global},
                                        {MPI_UNIVERSE_SIZE, &universe},
                                        {MPI_APPNUM, &appnum},
                                        {MPI_LASTUSEDCODE, &mpi_this_rank()->last_code}};

    ENTER(c, comm);
    CHECK(c, keyval != MPI_KEYVAL_INVALID, MPI_ERR_KEYVAL, "the key is MPI_KEYVAL_INVALID");
    universe = c->owner->world.size;
    return mpi_get_attribute(comm, keyval, own, sizeof(own) / sizeof(own[0]), value, flag);
}

/* ---- datatypes ---- */

ATTRIBUTES(Type, MPI_Datatype, OBJECT_TYPE, ENTER_TYPE)

int MPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
    ENTER_TYPE(t, type);
    (void)t;
    return mpi_get_attribute(type, keyval, NULL, 0, value, flag);
}

void mpi_note_keyval(int keyval, const char *call, void *caller)
{
    struct object *o = calloc(1, sizeof(*o));
    struct keyval *k = keyval_of(keyval);

    if (o == NULL)
        return;
    mpi_note_object("attribute key", call, o, caller);
    if (k != NULL)
        k->object = o;
}
