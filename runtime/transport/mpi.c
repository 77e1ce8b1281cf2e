/* SPDX-License-Identifier: MIT */
/*
 * The transport `mpi`: processes are those of MPI_COMM_WORLD. This is the only file that uses MPI;
 * it becomes a shared object for each MPI that is found.
 *
 * Messages have one tag of a communicator of their own. Receives from any source are posted ahead
 * in a ring, and MPI fills them in the order in which they were posted, so poll() tests only the
 * next one. A receive that has been read is posted again at the next poll: by then the reply is on
 * its way. give() and take() use another tag.
 *
 * A brief message to a process that replies is sent by MPI_Send(), which needs no request: every
 * MPI accepts a few of them at once, whatever that process does. All other messages are sent by
 * MPI_Isend(), and so are all messages if processes share cores and must not spin for each other.
 *
 * An error of MPI ends the program, as is MPI's default.
 */
#include "host/transport.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MESSAGE_BYTES = 4096 + 64,
    ALIKE_BYTES = 8192,
    AHEAD = 4,       /* receives: an MPI may check each for every message of the program */
    SLOTS = 128,     /* messages that MPI has not copied yet */
    BRIEF = 256,     /* bytes of a message that every MPI sends at once ... */
    IN_ROW = 8,      /* ... this number of times, without a message from there */
    PIECE = 1 << 30, /* of a transfer: MPI counts in int */
    MOST_PIECES = 64,
    TAG_MESSAGE = 0,
    TAG_MEMORY = 1,
};

struct slot {
    _Alignas(64) char bytes[MESSAGE_BYTES];
};

struct lpi_transfer {
    struct lpi_transfer *next; /* of the free list */
    int n_pieces;
    MPI_Request pieces[MOST_PIECES];
};

static MPI_Comm comm, collective, host;
static struct slot *ahead, *slots;
static MPI_Request received[AHEAD], sent[SLOTS];
static int next, read_one = -1; /* index in `ahead` */
static int *places;             /* one per process: gather() */
static int n_unsent;            /* slots 0 .. n_unsent-1 are in use */
static int *n_in_row;           /* messages sent to each process since its last message */
static struct lpi_transfer *unused;
static bool is_open, is_ours, abandoned;
static bool is_crowded; /* this host has more processes than cores */

/* Called when MPI ends, by this file or by the program. */
static int forget(MPI_Comm self, int key, void *value, void *state)
{
    (void)self, (void)key, (void)value, (void)state;
    for (int i = 0; i < AHEAD; i++) {
        if (i != read_one)
            MPI_Cancel(&received[i]);
        MPI_Wait(&received[i], MPI_STATUS_IGNORE);
        MPI_Request_free(&received[i]);
    }
    for (struct lpi_transfer *t; (t = unused) != NULL;) {
        unused = t->next;
        free(t);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&collective);
    MPI_Comm_free(&host);
    free(ahead);
    free(slots);
    free(places);
    free(n_in_row);
    return MPI_SUCCESS;
}

/* The process ends. */
static void end(void)
{
    int is_over;

    MPI_Finalized(&is_over);
    if (is_over)
        return;
    if (abandoned) {
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (is_ours)
        MPI_Finalize();
}

static int begin(void)
{
    int level = MPI_THREAD_SINGLE, has_begun = 0;

    MPI_Initialized(&has_begun);
    if (has_begun)
        MPI_Query_thread(&level);
    else if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        return -EIO;
    is_ours = !has_begun;
    return level >= MPI_THREAD_SERIALIZED ? 0 : -EPERM;
}

static int open_once(int *process, int *n_processes)
{
    int key, good, n_here, rc = is_open ? 0 : begin();

    if (rc != 0)
        return rc;
    MPI_Comm_rank(MPI_COMM_WORLD, process);
    MPI_Comm_size(MPI_COMM_WORLD, n_processes);
    if (is_open)
        return 0;
    ahead = aligned_alloc(64, AHEAD * sizeof(*ahead));
    slots = aligned_alloc(64, SLOTS * sizeof(*slots));
    places = malloc((size_t)*n_processes * sizeof(*places));
    n_in_row = calloc((size_t)*n_processes, sizeof(*n_in_row));
    good = ahead != NULL && slots != NULL && places != NULL && n_in_row != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!good) {
        free(ahead);
        free(slots);
        free(places);
        free(n_in_row);
        return -ENOMEM;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &collective);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, *process, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &n_here);
    is_crowded = n_here > sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < AHEAD; i++)
        MPI_Recv_init(ahead[i].bytes, MESSAGE_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG_MESSAGE, comm,
                      &received[i]);
    MPI_Startall(AHEAD, received);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    is_open = true;
    atexit(end);
    return 0;
}

static void alike(const void *what, size_t n_bytes, int *index, int *n)
{
    char other[ALIKE_BYTES];
    int rank, size;

    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &size);
    *index = *n = 0;
    for (int i = 0; i < size; i++) {
        if (i == rank)
            memcpy(other, what, n_bytes);
        MPI_Bcast(other, (int)n_bytes, MPI_BYTE, i, host);
        if (memcmp(other, what, n_bytes) == 0) {
            *index += i < rank;
            ++*n;
        }
    }
}

/* Instead of MPI_Wait(): on a host with more processes than cores, another process may need this
 * core to reach the operation. */
static void wait_for(MPI_Request *request)
{
    int is_over = false;

    while (!is_over) {
        MPI_Test(request, &is_over, MPI_STATUS_IGNORE);
        if (!is_over)
            sched_yield();
    }
}

static void reduce(int64_t *values, size_t n, enum lpi_reduction how)
{
    const MPI_Op op = how == LPI_SUM ? MPI_SUM : how == LPI_MIN ? MPI_MIN : MPI_MAX;

    MPI_Request request;

    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Iallreduce(MPI_IN_PLACE, values + at, (int)(n - at < PIECE ? n - at : PIECE),
                       MPI_INT64_T, op, collective, &request);
        wait_for(&request);
    }
}

static void gather(const void *mine, int n_bytes, void *all, const int *n_all)
{
    int n;

    MPI_Comm_size(collective, &n);
    places[0] = 0;
    for (int i = 1; i < n; i++)
        places[i] = places[i - 1] + n_all[i - 1];
    MPI_Allgatherv(mine, n_bytes, MPI_BYTE, all, n_all, places, MPI_BYTE, collective);
}

/* Free the slots at the end that MPI has copied. */
static void reclaim(void)
{
    int is_sent = true;

    while (n_unsent > 0 && is_sent) {
        MPI_Test(&sent[n_unsent - 1], &is_sent, MPI_STATUS_IGNORE);
        n_unsent -= is_sent;
    }
}

static void join(char *bytes, const void *first, size_t n_first, const void *second,
                 size_t n_second)
{
    memcpy(bytes, first, n_first);
    if (n_second > 0)
        memcpy(bytes + n_first, second, n_second);
}

/* A brief message to a process that replies. @return false: it is not one */
static inline bool send_at_once(int process, const void *bytes, size_t n_bytes)
{
    if (n_bytes > BRIEF || is_crowded || n_in_row[process] >= IN_ROW)
        return false;
    n_in_row[process]++;
    MPI_Send(bytes, (int)n_bytes, MPI_BYTE, process, TAG_MESSAGE, comm);
    return true;
}

static __attribute__((noinline)) int send_beside(int process, const void *first, size_t n_first,
                                                 const void *second, size_t n_second)
{
    const size_t n_bytes = n_first + n_second;
    int is_sent;
    char *bytes;

    if (n_unsent == SLOTS)
        reclaim();
    if (n_unsent == SLOTS)
        return -EAGAIN;
    bytes = slots[n_unsent].bytes;
    join(bytes, first, n_first, second, n_second);
    if (n_second > 0 && send_at_once(process, bytes, n_bytes))
        return 0;
    MPI_Isend(bytes, (int)n_bytes, MPI_BYTE, process, TAG_MESSAGE, comm, &sent[n_unsent]);
    MPI_Test(&sent[n_unsent], &is_sent, MPI_STATUS_IGNORE);
    n_unsent += !is_sent;
    return 0;
}

static int send(int process, const void *first, size_t n_first, const void *second, size_t n_second)
{
    if (n_second == 0 && send_at_once(process, first, n_first))
        return 0;
    return send_beside(process, first, n_first, second, n_second);
}

static bool poll(struct lpi_found *out)
{
    MPI_Status status;
    int is_there;

    if (read_one >= 0)
        MPI_Start(&received[read_one]);
    read_one = -1;
    MPI_Test(&received[next], &is_there, &status);
    if (!is_there)
        return false;
    *out = (struct lpi_found){status.MPI_SOURCE, ahead[next].bytes};
    n_in_row[status.MPI_SOURCE] = 0;
    read_one = next;
    next = (next + 1) % AHEAD;
    return true;
}

static struct lpi_transfer *transfer(size_t n_bytes)
{
    const size_t n = (n_bytes + PIECE - 1) / PIECE;
    struct lpi_transfer *t = unused;

    if (n > MOST_PIECES)
        return NULL;
    if (t != NULL)
        unused = t->next;
    else
        t = malloc(sizeof(*t));
    if (t != NULL)
        t->n_pieces = (int)n;
    return t;
}

static int piece(size_t n_bytes, int i)
{
    const size_t left = n_bytes - (size_t)i * PIECE;

    return (int)(left < PIECE ? left : PIECE);
}

static struct lpi_transfer *give(int process, const void *bytes, size_t n_bytes)
{
    struct lpi_transfer *t = transfer(n_bytes);

    for (int i = 0; t != NULL && i < t->n_pieces; i++)
        MPI_Isend((const char *)bytes + (size_t)i * PIECE, piece(n_bytes, i), MPI_BYTE, process,
                  TAG_MEMORY, comm, &t->pieces[i]);
    return t;
}

static struct lpi_transfer *take(int process, void *bytes, size_t n_bytes)
{
    struct lpi_transfer *t = transfer(n_bytes);

    for (int i = 0; t != NULL && i < t->n_pieces; i++)
        MPI_Irecv((char *)bytes + (size_t)i * PIECE, piece(n_bytes, i), MPI_BYTE, process,
                  TAG_MEMORY, comm, &t->pieces[i]);
    return t;
}

static bool is_over(struct lpi_transfer *t, bool cancel)
{
    int over = true;

    for (int i = 0; cancel && i < t->n_pieces; i++)
        if (t->pieces[i] != MPI_REQUEST_NULL)
            MPI_Cancel(&t->pieces[i]);
    for (int i = 0; over && i < t->n_pieces; i++) /* a piece that is over is null, and stays so */
        MPI_Test(&t->pieces[i], &over, MPI_STATUS_IGNORE);
    if (!over)
        return false;
    t->next = unused;
    unused = t;
    return true;
}

static void abandon(void)
{
    abandoned = true;
}

__attribute__((visibility("default"))) extern const struct lpi_transport lpi_transport;
const struct lpi_transport lpi_transport = {
    .size = sizeof(struct lpi_transport),
    .message_bytes = MESSAGE_BYTES,
    .open = open_once,
    .alike = alike,
    .reduce = reduce,
    .gather = gather,
    .send = send,
    .poll = poll,
    .give = give,
    .take = take,
    .is_over = is_over,
    .abandon = abandon,
};
