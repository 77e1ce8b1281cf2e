/* SPDX-License-Identifier: MIT */
/* Communicators: groups of the runtime with an error handler, attributes and a name. */
#include "collective.h"

#include <stdatomic.h>
#include <string.h>

struct comm *comm_of(MPI_Comm handle)
{
    return comm_in(handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF ? this_rank() : NULL,
                   handle);
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
    c->owner = this_rank();
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
    drop_info(&c->info);
    bury_object(&c->object, sizeof(*c));
}

/* ---- what they are ---- */

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    ENTER(c, "MPI_Comm_size", comm);
    *size = c->size;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    ENTER(c, "MPI_Comm_rank", comm);
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
    ENTER(c, "MPI_Comm_group", comm);
    *group = (MPI_Group)ranks_of(c, false);
    CHECK(c, *group != NULL, MPI_ERR_NO_MEM, "no memory");
    return MPI_SUCCESS;
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    ENTER(c, "MPI_Comm_remote_group", comm);
    CHECK(c, c->inter, MPI_ERR_COMM, "the communicator is not between two groups");
    *group = (MPI_Group)ranks_of(c, true);
    CHECK(c, *group != NULL, MPI_ERR_NO_MEM, "no memory");
    return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    ENTER(c, "MPI_Comm_remote_size", comm);
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

    ENTER(x, "MPI_Comm_compare", a);
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
    ENTER(c, "MPI_Comm_test_inter", comm);
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
    ENTER(c, "MPI_Comm_set_name", comm);
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

/* ---- making them ---- */

/* The id of a group. Those that have a first member in common have different contexts, also later on. */
static uint64_t id_of(const struct logp_vp *vp, uint32_t context)
{
    uint64_t id = (context + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    int first = 0;

    logp_group_translate(vp, 1, &first, NULL, &first);
    return ((id ^ id >> 29) + (uint64_t)first) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
}

int give_comm(const struct comm *like, int rc, struct logp_vp *vp, int n_first, MPI_Comm *out)
{
    struct comm *c;

    *out = MPI_COMM_NULL;
    if (rc != 0 || vp == NULL)
        return class_of(rc);
    c = new_comm(vp, n_first, like);
    CHECK(NULL, c != NULL, MPI_ERR_NO_MEM, "no memory");
    c->id = c->inter ? 0 : id_of(vp, logp_group_context(vp)); /* the next one, for all members */
    *out = (MPI_Comm)c;
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

/* A duplicate also has the topology, the attributes and an info. */
static int duplicate(MPI_Comm comm, MPI_Info info, MPI_Comm out)
{
    const struct comm *c = comm_of(comm);
    struct comm *made = (struct comm *)out;
    int rc = MPI_SUCCESS;

    if (c->cart != NULL)
        made->cart = copy_of(c->cart);
    if (c->graph != NULL)
        c->graph->references++;
    made->graph = c->graph;
    if (info != NULL)
        rc = set_info(&made->info, info);
    return rc == MPI_SUCCESS ? copy_attributes(comm, out) : rc;
}

/* info: NULL: that of comm */
static int dup(const char *call, MPI_Comm comm, const MPI_Info *info, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    ENTER(c, call, comm);
    rc = logp_group_dup(c->vp, &vp);
    rc = give_comm(c, rc, vp, n_first_of(c), out);
    if (rc == MPI_SUCCESS)
        rc = duplicate(comm, info != NULL ? *info : c->info, *out);
    if (rc != MPI_SUCCESS && vp != NULL) { /* a function that copies an attribute has failed */
        if (delete_attributes(*out) == MPI_SUCCESS)
            drop_comm((struct comm *)*out);
        *out = MPI_COMM_NULL;
    }
    return rc;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    return dup("MPI_Comm_dup", comm, NULL, out);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out)
{
    return dup("MPI_Comm_dup_with_info", comm, &info, out);
}

/* The first member chooses a context that no other rank of the process chooses: the members may make
 * other communicators before they wait for this one. MPI_COMM_SELF has context 1. */
static int idup(const char *call, MPI_Comm comm, const MPI_Info *info, MPI_Comm *out,
                MPI_Request *request)
{
    static _Atomic uint32_t last_context = 1;
    struct comm *made;
    int rc;

    ENTER(c, call, comm);
    BEGIN(r, c);
    made = new_comm(c->vp, n_first_of(c), c);
    CHECK(c, made != NULL, MPI_ERR_NO_MEM, "no memory");
    made->vp = NULL;
    r->made = made;
    if (logp_vp_rank(c->vp) == 0)
        r->made_context = ++last_context;
    *out = (MPI_Comm)made;
    rc = class_of(
        logp_ibroadcast(c->vp, &r->made_context, sizeof(r->made_context), 0, &r->under_way));
    if (rc == MPI_SUCCESS)
        rc = duplicate(comm, info != NULL ? *info : c->info, *out);
    return end_collective(r, rc, request);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *out, MPI_Request *request)
{
    CALLED();
    return idup("MPI_Comm_idup", comm, NULL, out, request);
}

int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out, MPI_Request *request)
{
    CALLED();
    return idup("MPI_Comm_idup_with_info", comm, &info, out, request);
}

int complete_duplicate(const struct comm *like, struct comm *made, uint32_t context)
{
    const int n = logp_vp_size(like->vp);
    int *members = malloc((size_t)n * sizeof(int)), rc;

    CHECK(NULL, members != NULL, MPI_ERR_NO_MEM, "no memory");
    for (int i = 0; i < n; i++)
        logp_group_translate(like->vp, 1, &i, NULL, &members[i]);
    rc = logp_group_create(this_rank()->vp, context, members, n, &made->vp);
    free(members);
    if (rc == 0 && !made->inter)
        made->id = id_of(made->vp, context);
    return class_of(rc);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    ENTER(c, "MPI_Comm_split", comm);
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
    const int process =
        logp_machine_process(logp_vp_machine(this_rank()->vp)); /* what shares memory */

    (void)info;
    ENTER(c, "MPI_Comm_split_type", comm);
    CHECK(c, type == MPI_COMM_TYPE_SHARED || type == MPI_UNDEFINED, MPI_ERR_ARG,
          "%d is not a type of communicators", type);
    return MPI_Comm_split(comm, type == MPI_UNDEFINED ? MPI_UNDEFINED : process, key, out);
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

    ENTER(c, "MPI_Comm_create", comm);
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

    ENTER_INTRA(c, "MPI_Comm_create_group", comm);
    CHECK(c, tag >= 0, MPI_ERR_TAG, "the tag is %d, but must be at least 0", tag);
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
    int rc;

    ENTER(c, "MPI_Comm_free", *comm);
    CHECK(c, *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, MPI_ERR_COMM,
          "this communicator cannot be freed");
    rc = delete_attributes(*comm);
    if (rc != MPI_SUCCESS)
        return rc;
    drop_comm(c);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

SAME(Comm_disconnect, Comm_free, MPI_Comm *comm);
