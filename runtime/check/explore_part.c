/* SPDX-License-Identifier: MIT */
/*
 * A process that explores parts of an exhaustive search (branches.c). It makes the runs of each
 * part that comes, and sends a record of each run, and of each transition that is wanted at a node
 * above the part. When it is asked, it gives away parts that it has not begun.
 */
#define _GNU_SOURCE
#include "exhaustive.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

static const int64_t hold_ns = 4000000;  /* longest delay of most records */
static const int64_t part_ns = 20000000; /* target time of a part */

bool lpi_send_all(int fd, const void *from, size_t n)
{
    const char *at = from;

    while (n > 0) {
        const ssize_t k = send(fd, at, n, MSG_NOSIGNAL);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

static bool receive_all(int fd, void *to, size_t n)
{
    char *at = to;

    while (n > 0) {
        const ssize_t k = recv(fd, at, n, 0);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

/* ---- records ---- */

/* If the parent does not read any more, it is about to end this process. */
static void write_out(struct lpi_explorer *x)
{
    lpi_send_all(x->fd, x->held, x->n);
    x->n = 0;
    x->next_ns = lpi_kit_now() + hold_ns;
}

struct piece {
    const void *from;
    size_t size;
};

static void put(struct lpi_explorer *x, enum lpi_record_kind kind, const struct piece *pieces,
                int n)
{
    static const char zero[8];
    struct piece all[5] = {{NULL, sizeof(struct lpi_record)}};
    struct lpi_record r = {.kind = kind};
    size_t size = 0, at = x->n;

    for (int i = 0; i < n; i++) {
        all[i + 1] = pieces[i];
        size += pieces[i].size;
    }
    all[n + 1] = (struct piece){zero, -size % 8};
    r.size = (unsigned)(size + all[n + 1].size);
    all[0].from = &r;
    if (x->n + sizeof(r) + r.size > LPI_HELD) {
        write_out(x);
        at = 0;
    }
    for (int i = 0; i < n + 2; i++)
        if (sizeof(r) + r.size > LPI_HELD) {
            lpi_send_all(x->fd, all[i].from, all[i].size);
        } else if (all[i].size > 0) {
            memcpy(x->held + at, all[i].from, all[i].size);
            at += all[i].size;
        }
    x->n = at; /* only now: a thread of the program may crash at any time */
}

/* For lpi_part.wish. */
static void tell_wish(void *arg, const struct lpi_wish *w, const int *unless)
{
    struct lpi_explorer *x = arg;
    uint64_t hash = lpi_kit_mix((uint64_t)(unsigned)w->node << 32 | (unsigned)w->which);

    hash = lpi_kit_mix(hash ^ (uint64_t)(unsigned)w->rank);
    for (int i = 0; i < w->n_unless; i++)
        hash = lpi_kit_mix(hash ^ (uint64_t)(unsigned)unless[i]);
    if (x->seen[hash % LPI_SEEN] == hash)
        return;
    x->seen[hash % LPI_SEEN] = hash;
    put(x, LPI_WISH,
        (struct piece[]){{w, sizeof(*w)}, {unless, (size_t)w->n_unless * sizeof(*unless)}}, 2);
}

static void split(struct lpi_explorer *x, int base, int end)
{
    const struct lpi_path *path = lpi_exhaustive_path(x->strategy);
    const struct lpi_node *first = &path->nodes[base], *last = &path->nodes[end - 1];
    const struct lpi_sent sent = {.n_nodes = end - base,
                                  .n_pool = last->first + last->n_all - first->first,
                                  .first = first->first};

    put(x, LPI_SPLIT,
        (struct piece[]){{&sent, sizeof(sent)},
                         {first, (size_t)sent.n_nodes * sizeof(*path->nodes)},
                         {lpi_path_at(path, base), (size_t)sent.n_pool * sizeof(*path->pool)}},
        3);
}

static void give(struct lpi_explorer *x, int64_t now)
{
    const double spent = (double)(x->spent_ns + now - x->begin_ns + 1);
    const double runs = (double)part_ns * (double)x->runs / spent;
    int base;
    const int end = lpi_exhaustive_give(x->strategy, (uint64_t)runs + 1, &base);

    x->due_ns = now + 2 * part_ns;
    if (end == base)
        return;
    /* relaxed: this process alone changes the part that it gives away */
    atomic_store_explicit(x->asked, false, memory_order_relaxed);
    split(x, base, end);
    write_out(x);
}

static void add_run(const struct lpi_job *job, bool has_outcome, bool cut)
{
    struct lpi_explorer *x = job->explorer;
    const struct lpi_observer *e = job->observer;
    const struct lpi_ran ran = {.hash = has_outcome ? lpi_views_hash(&e->views) : 0,
                                .labels = job->labels.last,
                                .choices = lpi_observer_count(e),
                                .result = x->result,
                                .cut = cut,
                                .failed = job->outcome.kind != LOGP_FAILURE_NONE ||
                                          job->outcome.error != 0};
    int64_t now;

    put(x, LPI_RUN, &(struct piece){&ran, sizeof(ran)}, 1);
    x->runs++;
    now = lpi_kit_now();
    /* relaxed: as in give() */
    if (!ran.failed && (now >= x->due_ns || atomic_load_explicit(x->asked, memory_order_relaxed)))
        give(x, now);
    if (now >= x->next_ns)
        write_out(x);
}

static void put_failed(struct lpi_explorer *x, bool crashed)
{
    const struct lpi_failed failed = {x->result, crashed};

    put(x, LPI_FAILED, &(struct piece){&failed, sizeof(failed)}, 1);
    write_out(x);
}

static void crashed(const struct lpi_job *job)
{
    if (lpi_child_is_done(job->isolated))
        put_failed(job->explorer, true);
}

static const struct lpi_sharing sharing = {.add_run = add_run, .crashed = crashed};

/* ---- parts ---- */

/* @return 1; 0: there are no more; -ENOMEM */
static int take(struct lpi_explorer *x, struct lpi_path *path)
{
    struct lpi_part part = {.wish = tell_wish, .arg = x};
    struct lpi_sent sent;

    if (!receive_all(x->fd, &sent, sizeof(sent)))
        return 0;
    if (!LPI_GROW(path->nodes, path->nodes_capacity, sent.n_nodes) ||
        !LPI_GROW(path->pool, path->pool_capacity, sent.n_pool))
        return -ENOMEM;
    if (!receive_all(x->fd, path->nodes, (size_t)sent.n_nodes * sizeof(*path->nodes)) ||
        !receive_all(x->fd, path->pool, (size_t)sent.n_pool * sizeof(*path->pool)))
        return 0;
    path->n_nodes = sent.n_nodes;
    path->n_pool = sent.n_pool;
    part.base = sent.base;
    memset(x->seen, 0, sizeof(x->seen));
    return lpi_exhaustive_take(x->strategy, path, &part) ? 1 : -ENOMEM;
}

static void end(struct lpi_explorer *x)
{
    const struct lpi_ended ended = {lpi_exhaustive_is_cut(x->strategy)};

    put(x, LPI_END, &(struct piece){&ended, sizeof(ended)}, 1);
    write_out(x);
}

void lpi_explore(struct lpi_job *job, struct lpi_explorer *x)
{
    struct lpi_path path = {0};
    int rc;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    lpi_signals_in_child();
    job->explorer = x;
    job->sharing = &sharing;
    job->progress.next_ns = 0;
    job->most = UINT64_MAX;
    job->out_of_time = false;
    while ((rc = take(x, &path)) > 0) {
        x->begin_ns = lpi_kit_now();
        x->due_ns = x->begin_ns + 2 * part_ns;
        rc = lpi_job_begin(job);
        if (rc != 0 || job->outcome.kind != LOGP_FAILURE_NONE || job->out_of_time)
            break;
        end(x);
        x->spent_ns += lpi_kit_now() - x->begin_ns;
        job->plan.run++;
    }
    if (rc != 0 || job->outcome.kind != LOGP_FAILURE_NONE) {
        lpi_child_give(job->isolated, job, rc);
        if (lpi_child_is_done(job->isolated))
            put_failed(x, false);
    } else if (job->out_of_time) {
        put(x, LPI_LATE, NULL, 0);
        write_out(x);
    }
    fflush(NULL);
    _exit(EXIT_SUCCESS);
}
