/* SPDX-License-Identifier: MIT */
/* Communicators: groups of the runtime with an error handler, attributes and a name. */
#include "state.h"

#include <limits.h>
#include <string.h>

struct comm *comm_of(MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD)
        return &this_rank()->world;
    if (handle == MPI_COMM_SELF)
        return &this_rank()->self;
    return (uintptr_t)handle >= 0x400 ? (struct comm *)handle : NULL;
}

MPI_Comm comm_handle(struct comm *comm)
{
    const struct rank *r = this_rank();

    return comm == &r->world ? MPI_COMM_WORLD : comm == &r->self ? MPI_COMM_SELF : (MPI_Comm)comm;
}

struct comm *new_comm(struct logp_vp *vp, const struct comm *like)
{
    struct comm *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    c->vp = vp;
    c->rank = logp_vp_rank(vp);
    c->size = logp_vp_size(vp);
    c->references = 1;
    c->errors = like->errors;
    return c;
}

void drop_comm(struct comm *c)
{
    if (c == NULL || --c->references > 0)
        return;
    logp_group_destroy(c->vp);
    free(c->inner);
    free(c->cart);
    free(c);
}

/* ---- what they are ---- */

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    enter("MPI_Comm_size");
    COMM(c, comm);
    *size = c->size;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    enter("MPI_Comm_rank");
    COMM(c, comm);
    *rank = c->rank;
    return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    struct group *g;

    enter("MPI_Comm_group");
    COMM(c, comm);
    g = new_group(c->size);
    CHECK(c, g != NULL, MPI_ERR_NO_MEM, "no memory");
    for (int i = 0; i < c->size; i++)
        logp_group_translate(c->vp, 1, &i, NULL, &g->ranks[i]);
    *group = (MPI_Group)g;
    return MPI_SUCCESS;
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    MPI_Group of_a, of_b;

    enter("MPI_Comm_compare");
    COMM(x, a);
    COMM(y, b);
    if (x == y) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    MPI_Comm_group(a, &of_a);
    MPI_Comm_group(b, &of_b);
    MPI_Group_compare(of_a, of_b, result);
    *result = *result == MPI_IDENT ? MPI_CONGRUENT : *result;
    MPI_Group_free(&of_a);
    return MPI_Group_free(&of_b);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    enter("MPI_Comm_test_inter");
    COMM(c, comm);
    (void)c;
    *flag = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    enter("MPI_Comm_set_name");
    COMM(c, comm);
    snprintf(c->name, sizeof(c->name), "%s", name);
    return MPI_SUCCESS;
}

int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    enter("MPI_Comm_get_name");
    if (comm == MPI_COMM_NULL) {
        *length = snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_COMM_NULL");
        return MPI_SUCCESS;
    }
    COMM(c, comm);
    *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", c->name);
    return MPI_SUCCESS;
}

/* ---- attributes ---- */

static struct keyval *keyval_of(int keyval)
{
    struct rank *r = this_rank();

    return keyval >= 1000 && keyval < 1000 + r->n_keyvals ? &r->keyvals[keyval - 1000] : NULL;
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
                           int *keyval, void *state)
{
    struct rank *r = enter("MPI_Comm_create_keyval");
    struct keyval *all = realloc(r->keyvals, (size_t)(r->n_keyvals + 1) * sizeof(*all));

    CHECK(NULL, all != NULL, MPI_ERR_NO_MEM, "no memory");
    r->keyvals = all;
    all[r->n_keyvals] = (struct keyval){copy, drop, state};
    *keyval = 1000 + r->n_keyvals++;
    return MPI_SUCCESS;
}

/* Communicators may still have the attribute: its functions stay. */
int MPI_Comm_free_keyval(int *keyval)
{
    enter("MPI_Comm_free_keyval");
    CHECK(NULL, keyval_of(*keyval) != NULL, MPI_ERR_KEYVAL, "the key %d does not exist", *keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static struct attribute **link_of(struct comm *c, int keyval)
{
    struct attribute **link = &c->attributes;

    while (*link != NULL && (*link)->keyval != keyval)
        link = &(*link)->next;
    return link;
}

static int drop_attribute(struct comm *c, struct attribute **link)
{
    struct attribute *a = *link;
    const struct keyval *k = keyval_of(a->keyval);
    const int rc = k->drop != MPI_COMM_NULL_DELETE_FN
                       ? k->drop(comm_handle(c), a->keyval, a->value, k->state)
                       : MPI_SUCCESS;

    if (rc == MPI_SUCCESS) {
        *link = a->next;
        free(a);
    }
    return rc;
}

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    struct attribute **link, *a;

    enter("MPI_Comm_set_attr");
    COMM(c, comm);
    CHECK(c, keyval_of(keyval) != NULL, MPI_ERR_KEYVAL, "the key %d does not exist", keyval);
    link = link_of(c, keyval);
    if (*link != NULL) {
        const int rc = drop_attribute(c, link);

        if (rc != MPI_SUCCESS)
            return rc;
    }
    a = malloc(sizeof(*a));
    CHECK(c, a != NULL, MPI_ERR_NO_MEM, "no memory");
    *a = (struct attribute){c->attributes, keyval, value};
    c->attributes = a;
    return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    static int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, appnum = 0;
    static int universe;
    void *found = NULL;

    enter("MPI_Comm_get_attr");
    COMM(c, comm);
    universe = this_rank()->world.size;
    switch (keyval) {
    case MPI_TAG_UB:
        found = &tag_ub;
        break;
    case MPI_HOST:
        found = &host;
        break;
    case MPI_IO:
        found = &io;
        break;
    case MPI_WTIME_IS_GLOBAL:
        found = &global;
        break;
    case MPI_UNIVERSE_SIZE:
        found = &universe;
        break;
    case MPI_APPNUM:
        found = &appnum;
        break;
    case MPI_LASTUSEDCODE:
        found = &this_rank()->last_code;
        break;
    default:
        break;
    }
    *flag = found != NULL;
    if (found == NULL && *link_of(c, keyval) != NULL) {
        *flag = 1;
        found = (*link_of(c, keyval))->value;
    }
    if (*flag)
        memcpy(value, &found, sizeof(void *));
    return MPI_SUCCESS;
}

int MPI_Comm_delete_attr(MPI_Comm comm, int keyval)
{
    struct attribute **link;

    enter("MPI_Comm_delete_attr");
    COMM(c, comm);
    link = link_of(c, keyval);
    CHECK(c, *link != NULL, MPI_ERR_KEYVAL, "the communicator has no attribute with key %d",
          keyval);
    return drop_attribute(c, link);
}

int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *drop, int *keyval, void *state)
{
    return MPI_Comm_create_keyval(copy, drop, keyval, state);
}

int MPI_Keyval_free(int *keyval)
{
    return MPI_Comm_free_keyval(keyval);
}

int MPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
    return MPI_Comm_set_attr(comm, keyval, value);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return MPI_Comm_get_attr(comm, keyval, value, flag);
}

int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return MPI_Comm_delete_attr(comm, keyval);
}

/* Of a duplicate: what the copy functions say. */
static int copy_attributes(struct comm *from, struct comm *to)
{
    for (const struct attribute *a = from->attributes; a != NULL; a = a->next) {
        const struct keyval *k = keyval_of(a->keyval);
        void *value = a->value;
        int flag = k->copy == MPI_COMM_DUP_FN, rc = MPI_SUCCESS;
        struct attribute *copy;

        if (k->copy != MPI_COMM_NULL_COPY_FN && k->copy != MPI_COMM_DUP_FN)
            rc = k->copy(comm_handle(from), a->keyval, k->state, a->value, &value, &flag);
        if (rc != MPI_SUCCESS)
            return rc;
        if (!flag)
            continue;
        copy = malloc(sizeof(*copy));
        CHECK(from, copy != NULL, MPI_ERR_NO_MEM, "no memory");
        *copy = (struct attribute){to->attributes, a->keyval, value};
        to->attributes = copy;
    }
    return MPI_SUCCESS;
}

/* ---- making them ---- */

/* The runtime has made a group: NULL: this rank is in none. */
static int give(const struct comm *like, int rc, struct logp_vp *vp, MPI_Comm *out)
{
    *out = MPI_COMM_NULL;
    if (rc != 0 || vp == NULL)
        return class_of(rc);
    *out = (MPI_Comm)new_comm(vp, like);
    CHECK(NULL, *out != NULL, MPI_ERR_NO_MEM, "no memory");
    return MPI_SUCCESS;
}

static struct cart *copy_of(const struct cart *from)
{
    const size_t n = sizeof(*from) + 2 * (size_t)from->n_dims * sizeof(int);
    struct cart *cart = malloc(n);

    if (cart == NULL)
        return NULL;
    cart->n_dims = from->n_dims;
    cart->dims = (int *)(cart + 1);
    cart->periods = cart->dims + cart->n_dims;
    memcpy(cart->dims, from->dims, (size_t)from->n_dims * sizeof(int));
    memcpy(cart->periods, from->periods, (size_t)from->n_dims * sizeof(int));
    return cart;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    enter("MPI_Comm_dup");
    COMM(c, comm);
    rc = logp_group_dup(c->vp, &vp);
    rc = give(c, rc, vp, out);
    if (rc != MPI_SUCCESS)
        return rc;
    if (c->cart != NULL)
        ((struct comm *)*out)->cart = copy_of(c->cart);
    return copy_attributes(c, (struct comm *)*out);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out)
{
    (void)info;
    return MPI_Comm_dup(comm, out);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    enter("MPI_Comm_split");
    COMM(c, comm);
    CHECK(c, color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG,
          "the colour is %d, but must be at least 0 or MPI_UNDEFINED", color);
    rc = logp_group_split(c->vp, color == MPI_UNDEFINED ? LOGP_NO_COLOUR : color, key, &vp);
    return give(c, rc, vp, out);
}

/* All ranks share the memory of one host. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    (void)info;
    return MPI_Comm_split(comm, type == MPI_UNDEFINED ? MPI_UNDEFINED : 0, key, out);
}

/* The place of this rank in a group; MPI_UNDEFINED */
static int place_in(const struct group *g)
{
    const int me = logp_vp_rank(this_rank()->vp);

    for (int i = 0; i < g->n; i++)
        if (g->ranks[i] == me)
            return i;
    return MPI_UNDEFINED;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    const struct group *g = group_of(group);
    struct logp_vp *vp = NULL;
    int place, rc;

    enter("MPI_Comm_create");
    COMM(c, comm);
    CHECK(c, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    place = place_in(g);
    /* groups of different lists may be made at once: their first ranks tell them apart */
    rc = logp_group_split(c->vp, place == MPI_UNDEFINED ? LOGP_NO_COLOUR : g->ranks[0],
                          place == MPI_UNDEFINED ? 0 : place, &vp);
    return give(c, rc, vp, out);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
    const struct group *g = group_of(group);
    struct logp_vp *vp = NULL;
    int *members, rc;

    (void)tag;
    enter("MPI_Comm_create_group");
    COMM(c, comm);
    CHECK(c, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    *out = MPI_COMM_NULL;
    if (place_in(g) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    members = malloc((size_t)g->n * sizeof(int));
    CHECK(c, members != NULL, MPI_ERR_NO_MEM, "no memory");
    rc = logp_group_translate(this_rank()->vp, g->n, g->ranks, c->vp, members);
    rc = rc != 0 ? rc : logp_group_from(c->vp, members, g->n, &vp);
    free(members);
    return give(c, rc, vp, out);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    enter("MPI_Comm_free");
    COMM(c, *comm);
    CHECK(c, *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, MPI_ERR_COMM,
          "this communicator cannot be freed");
    while (c->attributes != NULL) {
        const int rc = drop_attribute(c, &c->attributes);

        if (rc != MPI_SUCCESS)
            return rc;
    }
    drop_comm(c);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    return MPI_Comm_free(comm);
}
