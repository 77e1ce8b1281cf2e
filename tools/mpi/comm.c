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

void set_comm(struct comm *c, struct logp_vp *vp, int n_first)
{
    const int rank = logp_vp_rank(vp), size = logp_vp_size(vp);
    const bool first = rank < n_first;

    c->vp = vp;
    c->inter = n_first > 0;
    c->rank = first ? rank : rank - n_first;
    c->size = first ? n_first : size - n_first;
    c->n_peers = c->inter ? size - c->size : size;
    c->first_peer = first ? n_first : 0;
}

int n_first_of(const struct comm *c)
{
    return !c->inter ? 0 : c->first_peer > 0 ? c->size : c->n_peers;
}

struct comm *new_comm(struct logp_vp *vp, int n_first, const struct comm *like)
{
    struct comm *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    set_comm(c, vp, n_first);
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
    drop_graph(c->graph);
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

struct group *ranks_of(const struct comm *c, bool peers)
{
    const int n = peers ? c->n_peers : c->size,
              first = peers ? c->first_peer : logp_vp_rank(c->vp) - c->rank;
    struct group *g = new_group(n);

    for (int i = 0; g != NULL && i < n; i++) {
        g->ranks[i] = first + i;
        logp_group_translate(c->vp, 1, &g->ranks[i], NULL, &g->ranks[i]);
    }
    return g;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    enter("MPI_Comm_group");
    COMM(c, comm);
    *group = (MPI_Group)ranks_of(c, false);
    CHECK(c, *group != NULL, MPI_ERR_NO_MEM, "no memory");
    return MPI_SUCCESS;
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    enter("MPI_Comm_remote_group");
    COMM(c, comm);
    CHECK(c, c->inter, MPI_ERR_COMM, "the communicator is not between two groups");
    *group = (MPI_Group)ranks_of(c, true);
    CHECK(c, *group != NULL, MPI_ERR_NO_MEM, "no memory");
    return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    enter("MPI_Comm_remote_size");
    COMM(c, comm);
    CHECK(c, c->inter, MPI_ERR_COMM, "the communicator is not between two groups");
    *size = c->n_peers;
    return MPI_SUCCESS;
}

/* As MPI_Group_compare(), of the ranks of two communicators. */
static int compare(const struct comm *x, const struct comm *y, bool peers, int *result)
{
    MPI_Group a = (MPI_Group)ranks_of(x, peers), b = (MPI_Group)ranks_of(y, peers);

    CHECK(NULL, a != NULL && b != NULL, MPI_ERR_NO_MEM, "no memory");
    MPI_Group_compare(a, b, result);
    MPI_Group_free(&a);
    return MPI_Group_free(&b);
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    int others = MPI_IDENT;

    enter("MPI_Comm_compare");
    COMM(x, a);
    COMM(y, b);
    *result = x == y ? MPI_IDENT : MPI_UNEQUAL;
    if (x == y || x->inter != y->inter)
        return MPI_SUCCESS;
    compare(x, y, false, result);
    if (x->inter)
        compare(x, y, true, &others);
    if (*result == MPI_UNEQUAL || others == MPI_UNEQUAL)
        *result = MPI_UNEQUAL;
    else
        *result = *result == MPI_IDENT && others == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
    return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    enter("MPI_Comm_test_inter");
    COMM(c, comm);
    *flag = c->inter;
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

int give_comm(const struct comm *like, int rc, struct logp_vp *vp, int n_first, MPI_Comm *out)
{
    *out = MPI_COMM_NULL;
    if (rc != 0 || vp == NULL)
        return class_of(rc);
    *out = (MPI_Comm)new_comm(vp, n_first, like);
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
    rc = give_comm(c, rc, vp, n_first_of(c), out);
    if (rc != MPI_SUCCESS)
        return rc;
    if (c->cart != NULL)
        ((struct comm *)*out)->cart = copy_of(c->cart);
    if (c->graph != NULL)
        c->graph->references++;
    ((struct comm *)*out)->graph = c->graph;
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
    if (c->inter)
        return split_inter(c, color == MPI_UNDEFINED ? LOGP_NO_COLOUR : color, key, out);
    rc = logp_group_split(c->vp, color == MPI_UNDEFINED ? LOGP_NO_COLOUR : color, key, &vp);
    return give_comm(c, rc, vp, 0, out);
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
    if (c->inter)
        return split_inter(c, place == MPI_UNDEFINED ? LOGP_NO_COLOUR : 0,
                           place == MPI_UNDEFINED ? 0 : place, out);
    /* groups of different lists may be made at once: their first ranks tell them apart */
    rc = logp_group_split(c->vp, place == MPI_UNDEFINED ? LOGP_NO_COLOUR : g->ranks[0],
                          place == MPI_UNDEFINED ? 0 : place, &vp);
    return give_comm(c, rc, vp, 0, out);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
    const struct group *g = group_of(group);
    struct logp_vp *vp = NULL;
    int *members, rc;

    (void)tag;
    enter("MPI_Comm_create_group");
    INTRA(c, comm);
    CHECK(c, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    *out = MPI_COMM_NULL;
    if (place_in(g) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    members = malloc((size_t)g->n * sizeof(int));
    CHECK(c, members != NULL, MPI_ERR_NO_MEM, "no memory");
    rc = logp_group_translate(this_rank()->vp, g->n, g->ranks, c->vp, members);
    rc = rc != 0 ? rc : logp_group_from(c->vp, members, g->n, &vp);
    free(members);
    return give_comm(c, rc, vp, 0, out);
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
