/* SPDX-License-Identifier: MIT */
/*
 * An exhaustive search, shared among processes. The first FIRST runs are made here, so a small
 * search needs no other process. Then a child explores all that is left (explore_part.c). Whenever
 * a process has nothing to do, the others are asked to give parts away, which this process hands
 * out. It puts their records into the order of one process (branch_tree.c). So all numbers are
 * those of one process, and the first failure is the same. The failing run is repeated here, so a
 * crash ends this process as it would have without the others. No part begins after a failure in
 * that order.
 */
#define _GNU_SOURCE
#include "exhaustive.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 4 * LPI_FIRST_RUNS };
enum { CHUNK = 1 << 16 };   /* bytes that are read at once */
enum { PATIENCE_MS = 100 }; /* between two lines of progress */

struct child {
    pid_t pid; /* 0: none */
    int fd;    /* a socket */
    struct lpi_place part;
    bool has_said; /* that it ends */
    char *in;      /* records that have come, the last of which may be incomplete */
    size_t n, capacity;
};

struct branches {
    struct lpi_job *job;
    void *strategy;
    struct lpi_tree tree;
    struct lpi_explorer *explorer; /* of the next child */
    _Atomic bool *asked;           /* by child. All have this */
    struct child *children;
    int n;
    struct lpi_isolated **results; /* of all children that have begun: their failures */
    int n_results, results_capacity;
    uint64_t runs, begun; /* in the order of one process; made by children */
    bool is_late, is_over;
    int failed; /* the result of the first failure; -1: none */
};

/* ---- the records, in the order of one process ---- */

static void take_run(struct branches *b, const struct lpi_ran *ran)
{
    struct lpi_job *job = b->job;

    if (b->runs == job->most) {
        job->out_of_runs = b->is_over = true;
        return;
    }
    if (ran->hash != 0)
        lpi_progress_add_outcome(job, ran->hash, b->runs);
    lpi_progress_add_run(job, ran->choices);
    if (ran->labels != 0)
        lpi_reached_add(&job->labels, b->results[ran->result], ran->labels);
    job->checked.executions += ran->hash != 0 && !ran->failed;
    job->checked.cut += ran->cut;
    b->runs++;
}

static void take(void *arg, const struct lpi_record *r, const void *body)
{
    const struct lpi_failed *failed = body;
    struct branches *b = arg;

    if (!b->is_over && r->kind == LPI_RUN)
        take_run(b, body);
    if (b->is_over || r->kind != LPI_FAILED)
        return;
    if (failed->crashed)
        take_run(b, &(struct lpi_ran){.failed = true});
    b->failed = b->is_over ? -1 : failed->result;
    b->is_over = true;
}

/* ---- children ---- */

static void forget(struct child *c)
{
    close(c->fd);
    c->pid = 0;
    c->n = 0;
    c->part.branch = NULL;
}

static void end_child(struct child *c, bool kills)
{
    const pid_t pid = c->pid;

    if (pid == 0)
        return;
    forget(c); /* the closed socket ends the child */
    if (kills)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* @return 0; a negative errno */
static int begin_child(struct branches *b, int i)
{
    struct lpi_isolated *result = lpi_child_new();
    struct child *c = &b->children[i];
    int fds[2], rc;

    if (result == NULL || !LPI_GROW(b->results, b->results_capacity, b->n_results + 1)) {
        lpi_child_free(result);
        return -ENOMEM;
    }
    b->results[b->n_results++] = result;
    c->has_said = false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return -errno;
    fflush(NULL); /* or the child prints it, too */
    c->pid = fork();
    if (c->pid == 0) {
        for (int k = 0; k < b->n; k++)
            if (k != i && b->children[k].pid > 0)
                close(b->children[k].fd);
        close(fds[0]);
        b->explorer->fd = fds[1];
        b->explorer->result = b->n_results - 1;
        b->explorer->asked = &b->asked[i];
        b->job->isolated = result;
        lpi_explore(b->job, b->explorer);
    }
    rc = c->pid < 0 ? -errno : 0;
    close(fds[1]);
    c->fd = fds[0];
    if (rc != 0) {
        close(c->fd);
        c->pid = 0;
    }
    return rc;
}

/* Let the child explore its part. */
static int hand_out(struct branches *b, struct child *c)
{
    const struct lpi_path *all = lpi_exhaustive_path(b->strategy);
    struct lpi_path path = {0};
    struct lpi_sent sent = {0};
    bool whole = true;

    if (c->part.branch == b->tree.top)
        whole = lpi_path_append(&path, all, 0, all->n_nodes);
    else
        whole = lpi_tree_path(&c->part, &path);
    sent.n_nodes = path.n_nodes;
    sent.n_pool = path.n_pool;
    sent.base = c->part.branch == b->tree.top ? 0 : path.n_nodes;
    if (whole) { /* if it has ended, its closed socket shows that */
        lpi_send_all(c->fd, &sent, sizeof(sent));
        lpi_send_all(c->fd, path.nodes, (size_t)path.n_nodes * sizeof(*path.nodes));
        lpi_send_all(c->fd, path.pool, (size_t)path.n_pool * sizeof(*path.pool));
    }
    lpi_path_free(&path);
    return whole ? 0 : -ENOMEM;
}

/* Give all that have nothing to do a part. If there are too few, ask the others. */
static int hand_out_all(struct branches *b)
{
    bool lacks = false;
    int rc = 0;

    for (int i = 0; rc == 0 && i < b->n && !lacks; i++) {
        struct child *c = &b->children[i];

        if (c->part.branch != NULL)
            continue;
        lacks = !lpi_tree_next(&b->tree, &c->part);
        if (lacks)
            c->part.branch = NULL;
        else if (c->pid == 0)
            rc = begin_child(b, i);
        if (rc == 0 && !lacks)
            rc = hand_out(b, c);
    }
    for (int i = 0; i < b->n; i++) /* relaxed: the records that follow are ordered by the socket */
        atomic_store_explicit(&b->asked[i], lacks, memory_order_relaxed);
    return rc;
}

/* A child has failed: end those that explore later parts, because their results are not used. */
static void end_later(struct branches *b, const struct child *failed)
{
    for (int i = 0; i < b->n; i++) {
        struct child *c = &b->children[i];

        if (c->part.branch != NULL && lpi_tree_is_after(&c->part, &failed->part))
            end_child(c, true);
    }
}

/* ---- records ---- */

static int split(struct branches *b, struct child *c, const char *body)
{
    struct lpi_path path = {0};
    struct lpi_sent sent;
    const struct lpi_node *nodes;

    memcpy(&sent, body, sizeof(sent));
    nodes = (const struct lpi_node *)(body + sizeof(sent));
    path.n_nodes = sent.n_nodes;
    path.n_pool = sent.n_pool;
    path.nodes = malloc((size_t)sent.n_nodes * sizeof(*nodes));
    path.pool = (struct lpi_transition *)(nodes + sent.n_nodes);
    if (path.nodes == NULL)
        return -ENOMEM;
    for (int i = 0; i < sent.n_nodes; i++) {
        path.nodes[i] = nodes[i];
        path.nodes[i].first -= sent.first;
    }
    lpi_tree_split(&b->tree, &c->part, &path);
    free(path.nodes);
    return 0;
}

static int take_record(struct branches *b, struct child *c, const struct lpi_record *r)
{
    const char *body = (const char *)(r + 1);

    switch (r->kind) {
    case LPI_SPLIT:
        return split(b, c, body);
    case LPI_END:
        b->tree.cut = b->tree.cut || ((const struct lpi_ended *)body)->cut;
        lpi_tree_end(&b->tree, &c->part);
        c->part.branch = NULL;
        return 0;
    case LPI_LATE:
        b->is_late = c->has_said = true;
        return 0;
    case LPI_FAILED:
        c->has_said = true;
        end_later(b, c);
        break;
    case LPI_RUN:
        b->begun++;
        break;
    default:
        break;
    }
    lpi_tree_add(&b->tree, &c->part, r, body);
    return 0;
}

/* Read what there is. @return 0; a negative errno */
static int listen_to(struct branches *b, struct child *c)
{
    struct lpi_record r;
    size_t at = 0;
    ssize_t n;
    int rc = 0;

    if (c->n + CHUNK > c->capacity) {
        char *in = realloc(c->in, 2 * (c->n + CHUNK));

        if (in == NULL)
            return -ENOMEM;
        c->in = in;
        c->capacity = 2 * (c->n + CHUNK);
    }
    n = recv(c->fd, c->in + c->n, CHUNK, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (n <= 0) {
        rc = c->has_said ? 0 : -ECHILD;
        end_child(c, false);
        return rc;
    }
    c->n += (size_t)n;
    while (rc == 0 && c->pid > 0 && !b->is_over && c->n - at >= sizeof(r)) {
        memcpy(&r, c->in + at, sizeof(r));
        if (c->n - at < sizeof(r) + r.size)
            break;
        rc = take_record(b, c, (const struct lpi_record *)(c->in + at));
        at += sizeof(r) + r.size;
    }
    memmove(c->in, c->in + at, c->n - at);
    c->n -= at;
    return rc != 0 ? rc : b->tree.no_memory ? -ENOMEM : 0;
}

/* Forget children that have ended while a process that they made holds their socket. Called when
 * there are no records. */
static int look_after(struct branches *b)
{
    for (int i = 0; i < b->n; i++) {
        struct child *c = &b->children[i];
        const pid_t ended = c->pid > 0 ? waitpid(c->pid, NULL, WNOHANG) : 0;

        if (ended == 0 || (ended < 0 && errno != ECHILD))
            continue;
        forget(c);
        if (!c->has_said)
            return -ECHILD;
    }
    return 0;
}

/* Wait for records, and read them. */
static int listen_all(struct branches *b, struct pollfd *fds)
{
    int n, rc = 0;

    for (int i = 0; i < b->n; i++)
        fds[i] = (struct pollfd){.fd = b->children[i].pid > 0 ? b->children[i].fd : -1,
                                 .events = POLLIN};
    n = poll(fds, (nfds_t)b->n, PATIENCE_MS);
    if (n < 0 && errno != EINTR)
        return -errno;
    if (n == 0)
        rc = look_after(b);
    for (int i = 0; n > 0 && rc == 0 && i < b->n; i++)
        if (fds[i].revents != 0 && b->children[i].pid > 0)
            rc = listen_to(b, &b->children[i]);
    b->job->plan.run = b->begun;
    lpi_progress_show(b->job);
    return rc;
}

/* Whether a child explores a part. */
static bool is_busy(const struct branches *b)
{
    for (int i = 0; i < b->n; i++)
        if (b->children[i].pid > 0 && b->children[i].part.branch != NULL)
            return true;
    return false;
}

/* All parts; or until a failure, or a limit. */
static int explore(struct branches *b)
{
    struct pollfd *fds = calloc((size_t)b->n, sizeof(*fds));
    int rc = fds == NULL ? -ENOMEM : 0;

    while (rc == 0 && !b->is_over && b->tree.top != NULL) {
        if (!b->is_late)
            rc = hand_out_all(b);
        else if (!is_busy(b))
            break;
        if (rc == 0)
            rc = listen_all(b, fds);
    }
    if (b->is_late)
        lpi_tree_take_all(&b->tree);
    for (int i = 0; i < b->n; i++)
        end_child(&b->children[i], rc != 0 || b->is_over);
    free(fds);
    return rc;
}

/* ---- the search ---- */

static int share(struct branches *b)
{
    struct lpi_job *job = b->job;
    const size_t size = (size_t)b->n * sizeof(*b->asked);
    int rc = -ENOMEM;

    b->tree.take = take;
    b->tree.arg = b;
    b->asked = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    b->children = calloc((size_t)b->n, sizeof(*b->children));
    b->explorer = calloc(1, sizeof(*b->explorer));
    if (b->asked != MAP_FAILED && b->children != NULL && b->explorer != NULL &&
        lpi_tree_begin(&b->tree)) {
        b->explorer->strategy = b->strategy;
        rc = explore(b);
    }
    if (rc == -ECHILD)
        snprintf(job->why, sizeof(job->why),
                 "a process of the check was killed, or a run had more than %d choices; try "
                 "cores = 1",
                 LPI_CHILD_CHOICES);
    job->out_of_time = job->out_of_time || b->is_late;
    job->checked.complete = rc == 0 && !b->is_over && b->tree.top == NULL && !b->tree.cut;
    if (rc == 0 && b->failed >= 0)
        rc = lpi_cores_repeat(job, b->results[b->failed], b->runs - 1);
    lpi_tree_free(&b->tree);
    if (b->asked != MAP_FAILED)
        munmap(b->asked, size);
    for (int i = 0; i < b->n_results; i++)
        lpi_child_free(b->results[i]);
    free(b->results);
    for (int i = 0; i < b->n && b->children != NULL; i++)
        free(b->children[i].in);
    free(b->children);
    free(b->explorer);
    return rc;
}

int lpi_branches_go(struct lpi_job *job, int n, void *strategy)
{
    struct branches b = {
        .job = job, .strategy = strategy, .n = n, .runs = FIRST, .begun = FIRST, .failed = -1};
    const uint64_t most = job->most;
    const bool before = job->out_of_runs;
    bool goes_on;
    int rc;

    job->most = most < FIRST ? most : FIRST;
    job->out_of_runs = false;
    rc = lpi_job_begin(job);
    goes_on = rc == 0 && job->outcome.kind == LOGP_FAILURE_NONE && job->out_of_runs && most > FIRST;
    job->out_of_runs = before || (job->out_of_runs && !goes_on);
    job->most = most;
    if (!goes_on)
        return rc;
    lpi_job_forget(job); /* a child has none of its threads */
    job->outcome = (struct lpi_outcome){.rank = -1};
    return share(&b);
}
