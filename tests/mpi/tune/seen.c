/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into calls.c: which algorithm Open MPI takes, from the functions that its component
 * coll/tuned calls, with the size of a segment and the fan-out that it gives them; and what is
 * sent, of Open MPI 4.1 where its collectives hand it to the layer below (mca_pml), of MPICH where
 * it is handed to UCX. All arguments are integers and pointers, and are passed on.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CAPACITY = 1 << 14 };

/* What has been seen since it was last asked for. */
struct seen {
    char text[CAPACITY], last[CAPACITY];
    size_t used;
};

static struct seen taken, sent;

static const char *since(struct seen *s)
{
    memcpy(s->last, s->text, CAPACITY);
    s->text[0] = '\0';
    s->used = 0;
    return s->last;
}

/* " name segment fan-out" ... */
const char *seen_taken(void);
const char *seen_taken(void)
{
    return since(&taken);
}

/* " bytes>rank" ... */
const char *seen_sent(void);
const char *seen_sent(void)
{
    return since(&sent);
}

#define NOTE(s, ...)                                                                               \
    ((s).used += (s).used < CAPACITY - 64                                                          \
                     ? (size_t)snprintf((s).text + (s).used, CAPACITY - (s).used, __VA_ARGS__)     \
                     : 0)

/* ---- Open MPI ---- */

static long (*real_isend_init)(long, size_t, void *, long, long, long, long, long);
static long (*real_isend)(long, size_t, void *, long, long, long, long, long);
static long (*real_send)(long, size_t, void *, long, long, long, long);
static int (*type_size)(void *, int *);

static void note_send(size_t count, void *type, long to)
{
    int size = 0;

    type_size(type, &size);
    NOTE(sent, " %zu>%d", count * (size_t)size, (int)to);
}

static long seen_isend_init(long buf, size_t count, void *type, long to, long tag, long mode,
                            long comm, long request)
{
    note_send(count, type, to);
    return real_isend_init(buf, count, type, to, tag, mode, comm, request);
}

static long seen_isend(long buf, size_t count, void *type, long to, long tag, long mode, long comm,
                       long request)
{
    note_send(count, type, to);
    return real_isend(buf, count, type, to, tag, mode, comm, request);
}

static long seen_send(long buf, size_t count, void *type, long to, long tag, long mode, long comm)
{
    note_send(count, type, to);
    return real_send(buf, count, type, to, tag, mode, comm);
}

/* After MPI_Init: the layer's functions are chosen. Its 9th to 11th, from 0, are these. */
void seen_watch(void);
void seen_watch(void)
{
    void **pml = dlsym(RTLD_DEFAULT, "mca_pml");

    if (pml == NULL)
        return;
    *(void **)&type_size = dlsym(RTLD_DEFAULT, "MPI_Type_size");
    *(void **)&real_isend_init = pml[9];
    *(void **)&real_isend = pml[10];
    *(void **)&real_send = pml[11];
    pml[9] = (void *)seen_isend_init;
    pml[10] = (void *)seen_isend;
    pml[11] = (void *)seen_send;
}

/* segment, fanout: which arguments they are; -1: none. */
#define SEE(name, segment, fanout)                                                                 \
    long ompi_coll_base_##name(long, long, long, long, long, long, long, long, long, long, long);  \
    long ompi_coll_base_##name(long a, long b, long c, long d, long e, long f, long g, long h,     \
                               long i, long j, long k)                                             \
    {                                                                                              \
        long (*real)(long, long, long, long, long, long, long, long, long, long, long);            \
        const long args[] = {a, b, c, d, e, f, g, h, i, j, k, 0};                                  \
                                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, "ompi_coll_base_" #name);                               \
        NOTE(taken, " %s %u %u", #name, (unsigned)args[segment], (unsigned)args[fanout]);          \
        return real(a, b, c, d, e, f, g, h, i, j, k);                                              \
    }

enum { NO = 11 };

SEE(allgather_intra_basic_linear, NO, NO)
SEE(allgather_intra_bruck, NO, NO)
SEE(allgather_intra_neighborexchange, NO, NO)
SEE(allgather_intra_recursivedoubling, NO, NO)
SEE(allgather_intra_ring, NO, NO)
SEE(allgather_intra_two_procs, NO, NO)
SEE(allreduce_intra_basic_linear, NO, NO)
SEE(allreduce_intra_nonoverlapping, NO, NO)
SEE(allreduce_intra_recursivedoubling, NO, NO)
SEE(allreduce_intra_redscat_allgather, NO, NO)
SEE(allreduce_intra_ring, NO, NO)
SEE(allreduce_intra_ring_segmented, 7, NO)
SEE(alltoall_intra_basic_linear, NO, NO)
SEE(alltoall_intra_bruck, NO, NO)
SEE(alltoall_intra_linear_sync, NO, NO)
SEE(alltoall_intra_pairwise, NO, NO)
SEE(alltoall_intra_two_procs, NO, NO)
SEE(barrier_intra_basic_linear, NO, NO)
SEE(barrier_intra_bruck, NO, NO)
SEE(barrier_intra_doublering, NO, NO)
SEE(barrier_intra_recursivedoubling, NO, NO)
SEE(barrier_intra_tree, NO, NO)
SEE(barrier_intra_two_procs, NO, NO)
SEE(bcast_intra_basic_linear, NO, NO)
SEE(bcast_intra_binomial, 6, NO)
SEE(bcast_intra_bintree, 6, NO)
SEE(bcast_intra_chain, 6, 7)
SEE(bcast_intra_knomial, 6, NO)
SEE(bcast_intra_pipeline, 6, NO)
SEE(bcast_intra_scatter_allgather, 6, NO)
SEE(bcast_intra_scatter_allgather_ring, 6, NO)
SEE(bcast_intra_split_bintree, 6, NO)
SEE(gather_intra_basic_linear, NO, NO)
SEE(gather_intra_binomial, NO, NO)
SEE(gather_intra_linear_sync, NO, NO)
SEE(reduce_intra_basic_linear, NO, NO)
SEE(reduce_intra_binary, 8, NO)
SEE(reduce_intra_binomial, 8, NO)
SEE(reduce_intra_chain, 8, 9)
SEE(reduce_intra_in_order_binary, 8, NO)
SEE(reduce_intra_pipeline, 8, NO)
SEE(reduce_intra_redscat_gather, NO, NO)
SEE(reduce_scatter_intra_basic_recursivehalving, NO, NO)
SEE(reduce_scatter_intra_butterfly, NO, NO)
SEE(reduce_scatter_intra_nonoverlapping, NO, NO)
SEE(reduce_scatter_intra_ring, NO, NO)
SEE(scatter_intra_basic_linear, NO, NO)
SEE(scatter_intra_binomial, NO, NO)
SEE(scatter_intra_linear_nb, NO, NO)

/* ---- MPICH: who is behind an endpoint it does not say, so calls.c tells ---- */

enum { MAX_PEERS = 256 };

static void *peers[MAX_PEERS];
static int learning = -1;

/* The next message goes to this rank; -1: whoever. */
void seen_learn(int to);
void seen_learn(int to)
{
    learning = to;
}

static void note_endpoint(void *to, size_t n)
{
    int rank = 0;

    if (learning >= 0)
        peers[learning] = to;
    while (rank < MAX_PEERS && peers[rank] != to)
        rank++;
    if (rank < MAX_PEERS) /* else to itself */
        NOTE(sent, " %zu>%d", n, rank);
}

#define SEE_SEND(name)                                                                             \
    void *name(void *, const void *, size_t, unsigned long, const void *);                         \
    void *name(void *to, const void *data, size_t n, unsigned long tag, const void *param)         \
    {                                                                                              \
        void *(*real)(void *, const void *, size_t, unsigned long, const void *);                  \
                                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        note_endpoint(to, n);                                                                      \
        return real(to, data, n, tag, param);                                                      \
    }

SEE_SEND(ucp_tag_send_nbx)
SEE_SEND(ucp_tag_send_sync_nbx)
