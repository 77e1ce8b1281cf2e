/* SPDX-License-Identifier: MIT */
/*
 * A broadcast that survives k processors which stop (or k messages that are lost). The item goes down
 * the best tree. Whoever has it then sends it to its neighbours on a ring, up to d = ceil((k+1) / 2) to
 * either side, whether they have it or not.
 *
 * If the root does not stop and no more than k others do, all that do not stop get the item: each of
 * them sends it to all its neighbours when it has it, from wherever, and 2 d - 1 >= k places less leave
 * a ring with neighbours up to d in one piece.
 *
 * The nodes of a subtree have numbers that follow one another. On the ring these are about P divided
 * by the golden ratio apart: so where a processor with a subtree stops, those below it are mostly
 * between processors that have the item, and wait for one message only.
 */
#include "broadcast.h"
#include "predict/predict.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.k < 0 ? "a number of processors that may stop, 1 or more (--k)" : NULL;
}

/* Return the number of processors that may stop: k, by default 1, at most max(P - 2, 1). */
static int64_t survived(int64_t P, const struct logp_invocation *c)
{
    const int64_t most = lpi_max(P - 2, 1);

    return c->args.k == 0 ? 1 : c->args.k < most ? c->args.k : most;
}

/* ---- the plan ---- */

/* plan.state. plan.parent and plan.children are the tree; plan.scratch holds the item of each
 * source. */
struct corrected {
    int n_neighbours, *neighbours;  /* + 1, - 1, + 2, - 2, ... */
    int64_t tree_ns, end_ns;        /* when all have the item; end of all messages if none stops */
    struct logp_request **requests; /* while it runs where processors may stop: by source */
};

/* How far apart ranks are whose numbers in the tree follow one another: next to P / 1.618, and prime
 * to P. */
static int64_t apart(int64_t P)
{
    int64_t far = (int64_t)((double)P / 1.6180339887498949), a, b;

    for (;; far++) {
        for (a = P, b = far; b != 0;) {
            const int64_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1)
            return far;
    }
}

/* The x in 0 .. P-1 with apart x = 1 mod P. */
static int64_t inverse(int64_t far, int64_t P)
{
    int64_t a = P, b = far % P, x = 0, y = 1; /* b = y far mod P */

    while (b > 0) {
        const int64_t q = a / b, rest = a % b, next = x - q * y;

        a = b;
        b = rest;
        x = y;
        y = next;
    }
    return lpi_mod(x % P, P);
}

static int rank_of(int64_t number, int64_t far, int P, const struct logp_invocation *c)
{
    return (int)((c->args.root + number * far) % P);
}

static int plan_tree(const struct logp_tree *tree, int rank, struct logp_invocation *c)
{
    const int P = (int)tree->P;
    const int64_t far = apart(P), place = lpi_virtual_rank(rank, c->args.root, P);
    struct logp_invocation numbers = {.plan.parent = -1};
    const int rc = lpi_plan_optimal(tree, (int)(place * inverse(far, P) % P), &numbers);

    if (rc != 0)
        return rc;
    c->plan = numbers.plan;
    if (c->plan.parent >= 0)
        c->plan.parent = rank_of(c->plan.parent, far, P, c);
    for (int i = 0; i < c->plan.n_children; i++)
        c->plan.children[i] = rank_of(c->plan.children[i], far, P, c);
    return 0;
}

/* At least until all is received that is sent, one message after the other, after tree_ns. */
static int64_t end_of(const struct corrected *s, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return s->tree_ns + t.D + 2 * s->n_neighbours * (t.E + c->model.params.o_recv_ns);
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t d = (survived(P, c) + 2) / 2;
    const size_t most = 2 * (size_t)d + 1;
    struct corrected *s =
        malloc(sizeof(*s) + most * (sizeof(s->requests[0]) + sizeof(s->neighbours[0])));
    struct logp_tree tree;
    int rc = s == NULL ? -ENOMEM : logp_tree_broadcast(&tree, P, &c->model.params, c->args.n_bytes);

    if (rc == 0)
        rc = plan_tree(&tree, rank, c);
    if (rc != 0) {
        free(s);
        return rc;
    }
    *s = (struct corrected){.requests = (struct logp_request **)(s + 1),
                            .tree_ns = logp_tree_time(&tree)};
    s->neighbours = (int *)(s->requests + most);
    for (int64_t far = 1; far <= d && 2 * far <= P; far++) {
        s->neighbours[s->n_neighbours++] = (int)lpi_mod(rank + far, P);
        if (2 * far < P)
            s->neighbours[s->n_neighbours++] = (int)lpi_mod(rank - far, P);
    }
    if (P == 1)
        s->n_neighbours = 0;
    s->end_ns = end_of(s, c);
    c->plan.state = s;
    c->plan.scratch_bytes = lpi_bytes((size_t)s->n_neighbours + 1, c->args.n_bytes);
    return 0;
}

/* ---- if none stops ---- */

/* The first to send here is that to which this one is the first neighbour. */
static int source(const struct corrected *s, int i)
{
    const int other = i ^ 1;

    return s->neighbours[other < s->n_neighbours ? other : i];
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct logp_rank_plan *plan = &c->plan;
    const struct corrected *s = plan->state;
    const size_t n = c->args.n_bytes;

    (void)P, (void)rank;
    if (plan->parent >= 0 && i-- == 0)
        return logp_step_receive(out, plan->parent, c->args.tag, LOGP_BUF, 0, n);
    if (i < plan->n_children)
        return logp_step_send(out, plan->children[i], c->args.tag, LOGP_BUF, 0, n);
    i -= plan->n_children;
    if (i < s->n_neighbours)
        return logp_step_send(out, s->neighbours[i], c->args.tag, LOGP_BUF, 0, n);
    i -= s->n_neighbours;
    if (i < s->n_neighbours)
        return logp_step_receive(out, source(s, (int)i), c->args.tag, LOGP_SCRATCH, (size_t)i * n,
                                 n);
    return i == s->n_neighbours && c->args.work_ns > 0 &&
           logp_step_compute(out, c->args.work_ns, 0);
}

LPI_READER(run_all, steps)

/* ---- where processors may stop ---- */

/* Post receives for all possible messages: from the neighbours, and the last one from the
 * parent. */
static int post(struct logp_vp *vp, const struct logp_invocation *c)
{
    const struct corrected *s = c->plan.state;
    char *room = c->plan.scratch;
    int rc = 0;

    for (int i = 0; i <= s->n_neighbours; i++)
        s->requests[i] = NULL;
    for (int i = 0; i <= s->n_neighbours && rc == 0; i++) {
        const int from = i < s->n_neighbours ? source(s, i) : c->plan.parent;

        if (from >= 0)
            rc = logp_irecv(vp, from, c->args.tag, room + (size_t)i * c->args.n_bytes,
                            c->args.n_bytes, &s->requests[i]);
    }
    return rc;
}

/* From the parent, if it comes when it should; else from whoever is first. */
static int get_item(struct logp_vp *vp, const struct logp_invocation *c, int64_t tree_ends,
                    void *buf)
{
    const struct corrected *s = c->plan.state;
    int from = s->n_neighbours;
    int rc = logp_wait_until(vp, s->requests[from], tree_ends, NULL);

    if (rc == 0)
        s->requests[from] = NULL;
    else if (rc == -ETIME)
        rc = logp_waitany(vp, s->requests, s->n_neighbours + 1, &from, NULL);
    if (rc == 0)
        memcpy(buf, (char *)c->plan.scratch + (size_t)from * c->args.n_bytes, c->args.n_bytes);
    return rc;
}

/* All that comes by then. */
static int get_rest(struct logp_vp *vp, const struct corrected *s, int64_t end)
{
    const int n = s->n_neighbours + 1;
    int at = 0, rc = 0;

    while (rc == 0 && at >= 0)
        rc = logp_waitany_until(vp, s->requests, n, end, &at, NULL);
    if (rc == -ETIME)
        rc = 0;
    for (int i = 0; i < n && rc == 0; i++) {
        if (s->requests[i] != NULL)
            rc = logp_cancel(vp, s->requests[i]);
        if (rc == -EINPROGRESS) /* it is just coming */
            rc = logp_wait(vp, s->requests[i], NULL);
    }
    return rc;
}

static int run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const struct logp_rank_plan *plan = &c->plan;
    struct corrected *s = plan->state;
    const void *faults = logp_machine_faults(logp_vp_machine(vp));
    const int64_t start = logp_now(vp);
    int rc;

    if (faults == NULL || logp_fault_predictable(faults))
        return run_all(vp, c, buf, recv_buf);
    rc = post(vp, c);
    if (rc == 0 && plan->parent >= 0)
        rc = get_item(vp, c, start + s->tree_ns, buf);
    for (int i = 0; i < plan->n_children && rc == 0; i++)
        rc = logp_send(vp, plan->children[i], c->args.tag, buf, c->args.n_bytes);
    for (int i = 0; i < s->n_neighbours && rc == 0; i++)
        rc = logp_send(vp, s->neighbours[i], c->args.tag, buf, c->args.n_bytes);
    if (rc == 0)
        rc = get_rest(vp, s, start + s->end_ns);
    return rc == 0 && c->args.work_ns > 0 ? logp_compute(vp, c->args.work_ns, NULL, NULL) : rc;
}

/* ---- the row ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "corrected",
                    "a tree, then to the neighbours on a ring: k other processors may stop",
                    "this library"),
     .needs = needs, .plan = plan, .steps = steps, .run = run, .survives = true,
     .knobs = {LOGP_KNOB(k, survived), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_corrected = LPI_ROWS(algorithms);
