/* SPDX-License-Identifier: MIT */
/*
 * A schedule in the binary form of GOAL, which LogGOPSim's txt2bin writes and LogGOPSim reads. All
 * numbers are little-endian and packed:
 *
 *     8 bytes       4223; 2342 in a file that LogGOPSim has used up
 *     4, 1, 1       ranks, largest processor, largest interface
 *     8, 8          for each rank: begin and end of its part, from the ninth byte of the file on
 *
 * and for each rank the numbers of its operations and of those that wait for nothing, these one by
 * one, the operations, and what follows them:
 *
 *     4, 4          n, m
 *     4             m times: an operation
 *     39            n times: how many it waits for (4), kind (1: 1 send, 2 receive, 3 computation),
 *                   peer (4), bytes or ns (8), tag (4), processor (1), interface (1), how many wait
 *                   for its end, where these begin (4, 4), how many for its start, where (4, 4)
 *     4             an operation that waits
 *
 * A file that logp wrote ends with the comment GOAL_MARK, which LogGOPSim does not read.
 * A peer or a tag of all ones is any. The file is read once from front to back. Three windows move
 * through the part of a rank: one over the operations that wait for nothing, one over all operations,
 * and one over those that wait.
 */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC = 4223, USED_UP = 2342, PREFACE = 14, NODE = 39, WINDOW = 1 << 16, EACH = 1 << 12 };

enum { MARK_BYTES = sizeof(GOAL_MARK "\n") - 1 };

bool is_goal_binary(int first)
{
    return first == MAGIC % 256 || first == USED_UP % 256;
}

/* Whether the file ends with the mark of logp, behind all parts. */
static bool has_mark(int fd, uint64_t size)
{
    static const char mark[] = GOAL_MARK "\n";
    char end[MARK_BYTES];

    return size > sizeof(end) &&
           pread(fd, end, sizeof(end), (off_t)(size - sizeof(end))) == (ssize_t)sizeof(end) &&
           memcmp(end, mark, sizeof(end)) == 0;
}

/* A part of the file that is read from front to back. */
struct window {
    int fd;
    uint64_t at,
        end; /* of the file: the place of the next byte to read, and of the end of the part */
    size_t next, n; /* of the bytes in memory: the next, and how many */
    unsigned char bytes[WINDOW];
};

/* The state of the reader. */
struct binary {
    struct reading *r;
    int fd;
    uint64_t size, behind; /* behind: where the last part ends */
    int64_t P;
    struct window parts, roots, nodes, followers;
    uint32_t *waits; /* by operation of the rank: for how many, less those seen; modulo 2^32 */
    size_t capacity;
};

static struct problem *damaged(const struct binary *b, int64_t rank, const char *what)
{
    return option_problem(b->r->option, b->r->file,
                          "rank %lld: %s; the file is damaged: write it again with txt2bin",
                          (long long)rank, what);
}

static void open_window(struct window *w, int fd, uint64_t at, uint64_t end)
{
    w->fd = fd;
    w->at = at;
    w->end = end;
    w->next = w->n = 0;
}

/* The next n bytes; NULL: the part has ended, or the file. */
static const unsigned char *take(struct window *w, size_t n)
{
    if (w->n - w->next < n) {
        size_t space;

        memmove(w->bytes, w->bytes + w->next, w->n - w->next);
        w->n -= w->next;
        w->next = 0;
        space = sizeof(w->bytes) - w->n;
        if (space > w->end - w->at)
            space = (size_t)(w->end - w->at);
        while (space > 0) {
            const ssize_t got = pread(w->fd, w->bytes + w->n, space, (off_t)w->at);

            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                break;
            w->n += (size_t)got;
            w->at += (uint64_t)got;
            space -= (size_t)got;
        }
    }
    if (w->n - w->next < n)
        return NULL;
    w->next += n;
    return w->bytes + w->next - n;
}

static uint32_t four(const unsigned char *at)
{
    uint32_t n;

    memcpy(&n, at, sizeof(n));
    return le32toh(n);
}

static uint64_t eight(const unsigned char *at)
{
    uint64_t n;

    memcpy(&n, at, sizeof(n));
    return le64toh(n);
}

/* ---- a rank ---- */

/* Note the followers of an operation. */
static struct problem *read_followers(struct binary *b, int64_t rank, uint32_t operation,
                                      uint32_t n, bool started, int64_t n_nodes)
{
    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *at = take(&b->followers, 4);
        int rc;

        if (at == NULL || four(at) >= n_nodes)
            return damaged(b, rank, "an operation waits for others than it counts");
        b->waits[four(at)]--;
        rc = logp_graph_add_edge(b->r->graph, &(struct logp_edge){operation, four(at), started});
        TRY(graph_problem(b->r, rc, "", rank, -1));
    }
    return NULL;
}

static struct problem *read_node(struct binary *b, int64_t rank, const unsigned char *at)
{
    static const enum logp_step_kind kinds[] = {LOGP_STEP_SEND, LOGP_STEP_RECEIVE,
                                                LOGP_STEP_COMPUTE};
    const uint32_t peer = four(at + 5), tag = four(at + 17);
    const uint64_t amount = eight(at + 9);
    const bool any = peer == UINT32_MAX && at[4] == 2;
    struct logp_graph_op o;

    if (at[4] < 1 || at[4] > 3)
        return damaged(b, rank, "an operation is neither a send nor a receive nor a computation");
    if (at[4] < 3 && !any && peer >= b->P)
        return damaged(b, rank, "a peer of a message is not a rank");
    if (amount > LOGP_GRAPH_MOST_AMOUNT)
        return damaged(b, rank, "an operation has more than 2^60 bytes or ns");
    o = (struct logp_graph_op){.kind = kinds[at[4] - 1],
                               .peer = any ? LOGP_ANY_SOURCE : (int64_t)peer,
                               .amount = (int64_t)amount,
                               .tag = tag == UINT32_MAX ? LOGP_GRAPH_ANY_TAG : tag,
                               .processor = at[21],
                               .interface = at[22]};
    return graph_problem(b->r, logp_graph_add(b->r->graph, &o), "", rank, -1);
}

/* An operation that waits for nothing is the next in the list of those. */
static struct problem *check_root(struct binary *b, int64_t rank, uint32_t operation)
{
    const unsigned char *root = take(&b->roots, 4);

    return root != NULL && four(root) == operation
               ? NULL
               : damaged(b, rank, "its list of operations that wait for nothing is wrong");
}

/* Read the operations of a rank, each with those that wait for it. */
static struct problem *read_nodes(struct binary *b, int64_t rank, uint32_t n)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *node = take(&b->nodes, NODE);

        if (node == NULL)
            return damaged(b, rank, "it ends too soon");
        if (i % EACH == 0)
            tell_read(b->r, b->nodes.at, b->size);
        TRY(read_node(b, rank, node));
        if (four(node) == 0)
            TRY(check_root(b, rank, i));
        b->waits[i] += four(node);
        for (int started = 0; started < 2; started++) {
            const uint32_t many = four(node + 23 + 8 * started);

            if (many > 0 && four(node + 27 + 8 * started) != seen)
                return damaged(b, rank, "operations that wait do not follow one another");
            seen += many;
            TRY(read_followers(b, rank, i, many, started == 1, n));
        }
    }
    return NULL;
}

static bool has_more(const struct window *w)
{
    return w->at < w->end || w->next < w->n;
}

/* After all operations. */
static struct problem *check_counts(struct binary *b, int64_t rank, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (b->waits[i] != 0)
            return damaged(b, rank, "an operation waits for others than it counts");
    if (has_more(&b->roots))
        return damaged(b, rank, "its list of operations that wait for nothing is wrong");
    return has_more(&b->followers)
               ? damaged(b, rank, "there are more waiting operations than it counts")
               : NULL;
}

/* For n operations, none of which has been seen. */
static void begin_waits(struct binary *b, uint32_t n)
{
    if (n > b->capacity) {
        b->capacity = n;
        free(b->waits);
        b->waits = need(malloc((size_t)n * sizeof(*b->waits)));
    }
    if (n > 0)
        memset(b->waits, 0, (size_t)n * sizeof(*b->waits));
}

/* @param at, end  of the file */
static struct problem *read_rank(struct binary *b, int64_t rank, uint64_t at, uint64_t end)
{
    const unsigned char *head;
    uint64_t nodes;
    uint32_t n, n_roots;
    int64_t which;

    open_window(&b->nodes, b->fd, at, end);
    head = take(&b->nodes, 8);
    if (head == NULL)
        return damaged(b, rank, "it ends too soon");
    n = four(head);
    n_roots = four(head + 4);
    if (n > LOGP_GRAPH_MAX || n_roots > n ||
        8 + 4 * (uint64_t)n_roots + NODE * (uint64_t)n > end - at)
        return damaged(b, rank, "it has more operations than bytes for them");
    TRY(graph_problem(b->r, logp_graph_begin_rank(b->r->graph, rank), "", rank, -1));
    nodes = at + 8 + 4 * (uint64_t)n_roots;
    open_window(&b->roots, b->fd, at + 8, nodes);
    open_window(&b->nodes, b->fd, nodes, nodes + NODE * (uint64_t)n);
    open_window(&b->followers, b->fd, nodes + NODE * (uint64_t)n, end);
    begin_waits(b, n);
    TRY(read_nodes(b, rank, n));
    TRY(check_counts(b, rank, n));
    return graph_problem(b->r, logp_graph_end_rank(b->r->graph, &which), "", rank, which);
}

/* ---- all of it ---- */

static struct problem *read_preface(struct binary *b)
{
    const unsigned char *at;

    open_window(&b->parts, b->fd, 0, b->size);
    at = take(&b->parts, PREFACE);
    if (at != NULL && eight(at) == USED_UP)
        return option_problem(b->r->option, b->r->file,
                              "a schedule that LogGOPSim --save-mem has used up; write it again "
                              "with txt2bin");
    if (at == NULL || eight(at) != MAGIC)
        return option_problem(b->r->option, b->r->file,
                              "neither JSON nor GOAL; the binary form begins with %d in 8 bytes",
                              MAGIC);
    b->P = four(at + 8);
    if (16 * (uint64_t)b->P > b->size - PREFACE)
        return damaged(b, 0, "the file is too short for its ranks");
    b->behind += 16 * (uint64_t)b->P;
    return begin_graph(b->r, b->P);
}

/* Behind all parts nothing follows, or the mark of logp: with a part of it the rules would be those of LogGOPSim. */
static struct problem *check_end(const struct binary *b)
{
    return b->behind == b->size || (b->r->is_ours && b->size - b->behind == MARK_BYTES)
               ? NULL
               : option_problem(b->r->option, b->r->file,
                                "%llu bytes follow the last rank, which are not the mark of logp; "
                                "the file is damaged: write it again",
                                (unsigned long long)(b->size - b->behind));
}

static struct problem *read_parts(struct binary *b)
{
    for (int64_t rank = 0; rank < b->P; rank++) {
        const unsigned char *part = take(&b->parts, 16);
        const uint64_t begin = part != NULL ? eight(part) : 0;
        const uint64_t end = part != NULL ? eight(part + 8) : 0;

        if (part == NULL || begin > end || end > b->size - 8)
            return damaged(b, rank, "its part is not in the file");
        TRY(read_rank(b, rank, begin + 8, end + 8));
        b->behind = end + 8 > b->behind ? end + 8 : b->behind;
    }
    TRY(check_end(b));
    return graph_problem(b->r, logp_graph_end(b->r->graph), "", -1, -1);
}

struct problem *read_goal_binary(struct reading *r, FILE *f)
{
    struct binary *b;
    struct problem *problem;
    struct stat file;

    if (fstat(fileno(f), &file) != 0 || !S_ISREG(file.st_mode))
        return option_problem(r->option, r->file,
                              "the binary form of GOAL must be in a file, not in a pipe");
    b = need(calloc(1, sizeof(*b)));
    b->r = r;
    b->fd = fileno(f);
    b->size = (uint64_t)file.st_size;
    r->is_ours = has_mark(b->fd, b->size);
    b->behind = PREFACE;
    problem = read_preface(b);
    if (problem == NULL)
        problem = read_parts(b);
    free(b->waits);
    free(b);
    return problem;
}
