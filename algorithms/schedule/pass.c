/* SPDX-License-Identifier: MIT */
/*
 * The start of each task of a schedule, from the tasks that it waits for: the rules of delay.h as
 * edges. Edges leave out times that the end of the task before implies anyway: o in the gap of a
 * send, and of a receive. Under loggops the bytes of a message are not on the wire but in its
 * receive, and in the gap after it. Of several ports, the tasks before are those of the port that a
 * message takes.
 */
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

/* The bytes of a message that take G each, on the wire and in the gap. */
int64_t lpi_streamed(const struct lpi_explanation *x, uint32_t task)
{
    const int64_t k = lpi_max((int64_t)x->tasks[task].n_bytes, 1);

    return x->public.params.store_forward ? k : k - 1;
}

static int64_t in_gap(const struct lpi_explanation *x, uint32_t task)
{
    return x->public.params.store_forward ? 0 : lpi_streamed(x, task);
}

const struct logp_link_costs *lpi_costs_of(const struct lpi_explanation *x, uint32_t task)
{
    static const struct logp_link_costs none = LOGP_ALL_AS_BEFORE;

    return x->costs != NULL ? &x->costs[task] : &none;
}

int64_t lpi_streamed_in(const struct lpi_explanation *x, uint32_t task)
{
    return x->public.params.recv_streams && x->tasks[task].kind == LOGP_STEP_RECEIVE
               ? lpi_streamed(x, task)
               : 0;
}

struct lpi_edge lpi_wire(const struct lpi_explanation *x, uint32_t task)
{
    const bool streams_out = x->public.params.O_ps > 0; /* while the message is under way */

    return (struct lpi_edge){.from = task,
                             .from_start = streams_out,
                             .o_send = streams_out,
                             .L = 1,
                             .bytes = x->public.params.recv_streams ? 0 : lpi_streamed(x, task),
                             .link = task,
                             .link_before = task};
}

/* Return an edge from the start of a send or receive: the o or the gap of the link of `link`. */
static struct lpi_edge after_start(uint32_t from, uint32_t link)
{
    return (struct lpi_edge){.from = from, .from_start = true, .link = link, .link_before = link};
}

/* The edges to a task of a schedule. @return how many */
static size_t edges_of_schedule(const struct lpi_explanation *x, uint32_t task,
                                struct lpi_edge out[LPI_EDGES])
{
    const struct lpi_links *l = &x->links[task];
    const enum logp_step_kind kind = x->tasks[task].kind;
    const bool shared = x->public.params.gap_shared;
    size_t n = 0;

    if (l->before != LPI_NO_TASK)
        out[n++] = (struct lpi_edge){.from = l->before};
    if (kind == LOGP_STEP_SEND && l->send != LPI_NO_TASK) {
        out[n] = after_start(l->send, l->send);
        out[n].g = 1;
        out[n++].bytes = in_gap(x, l->send);
    }
    if (l->receive != LPI_NO_TASK &&
        (kind == LOGP_STEP_RECEIVE || (kind == LOGP_STEP_SEND && shared))) {
        out[n] = after_start(l->receive, task);
        out[n].g = 1;
        out[n++].bytes = kind != LOGP_STEP_RECEIVE       ? 0
                         : x->public.params.recv_streams ? in_gap(x, l->receive)
                                                         : in_gap(x, task);
        if (x->costs != NULL) { /* its end demands the o_recv of another link */
            out[n] = after_start(l->receive, task);
            out[n++].o_recv = 1;
        }
    }
    if (kind != LOGP_STEP_RECEIVE)
        return n;
    out[n] = lpi_wire(x, task);
    out[n++].from = l->match;
    if (shared && l->send != LPI_NO_TASK) {
        out[n] = after_start(l->send, l->send);
        out[n].o_send = 1;
        out[n].bytes = in_gap(x, task);
        out[n++].link = task;
        out[n] = after_start(l->send, l->send);
        out[n].g = 1;
        out[n].bytes = in_gap(x, task);
        out[n].bytes_before = in_gap(x, l->send);
        out[n++].link = task;
    }
    return n;
}

const struct lpi_edge *lpi_edges(const struct lpi_explanation *x, uint32_t task,
                                 struct lpi_edge space[LPI_EDGES], size_t *n)
{
    if (x->first_edge != NULL) {
        *n = x->first_edge[task + 1] - x->first_edge[task];
        return x->edges + x->first_edge[task];
    }
    *n = edges_of_schedule(x, task, space);
    return space;
}

struct lpi_prices lpi_prices_of(const struct logp_params *params)
{
    return (struct lpi_prices){.ps = {.L = params->L_ns * 1000,
                                      .o_send = params->o_send_ns * 1000,
                                      .o_recv = params->o_recv_ns * 1000,
                                      .g = params->g_ns * 1000,
                                      .bytes = params->G_ps,
                                      .elements = params->gamma_ps,
                                      .bytes_O = params->O_ps},
                               .rounds_bytes = true,
                               .rounds_elements = true};
}

/* To whole ns; a division of 128 bits is slow. */
static __int128 rounded_up(__int128 ps)
{
    if (ps <= INT64_MAX - 999)
        return ((int64_t)ps + 999) / 1000 * 1000;
    return (ps + 999) / 1000 * 1000;
}

/* n bytes or elements. */
static void add(const struct lpi_prices *p, struct lpi_at *at, int64_t n, int64_t ps, bool rounds,
                int64_t slope)
{
    const __int128 whole = (__int128)n * ps;

    at->ps += rounds ? rounded_up(whole) : whole;
    if (slope > 0)
        at->slope += p->counts_roundings ? n > 0 : n;
}

/* Add n times a parameter; own_ns: the link's value for it, -1: none. */
static void add_own(struct lpi_at *at, int n, int64_t ps, int64_t slope, int64_t own_ns)
{
    at->ps += (__int128)n * (own_ns < 0 ? ps : own_ns * 1000);
    at->slope += own_ns < 0 ? n * slope : 0;
}

static void add_bytes(const struct lpi_prices *p, struct lpi_at *at, int64_t n, int64_t own_ps)
{
    if (own_ps < 0)
        add(p, at, n, p->ps.bytes, p->rounds_bytes, p->slope.bytes);
    else
        add(p, at, n, own_ps, true, 0);
}

struct lpi_at lpi_edge_length(const struct lpi_explanation *x, const struct lpi_prices *p,
                              const struct lpi_edge *edge)
{
    const struct logp_terms *ps = &p->ps, *slope = &p->slope;
    const struct logp_link_costs *own = lpi_costs_of(x, edge->link_before);
    struct lpi_at at = {0};

    add_own(&at, edge->L, ps->L, slope->L, own->L_ns);
    add_own(&at, edge->o_send, ps->o_send, slope->o_send, own->o_send_ns);
    add_own(&at, edge->o_recv, ps->o_recv, slope->o_recv, own->o_recv_ns);
    add_own(&at, edge->g, ps->g, slope->g, own->g_ns);
    if (edge->bytes_before > 0)
        add_bytes(p, &at, edge->bytes_before, own->G_ps);
    if (edge->bytes > 0)
        add_bytes(p, &at, edge->bytes, lpi_costs_of(x, edge->link)->G_ps);
    return at;
}

static bool is_longer(const struct lpi_prices *p, const struct lpi_at *a, const struct lpi_at *b)
{
    if (p->longer == LPI_BY_SLOPE)
        return a->slope != b->slope ? a->slope > b->slope : a->ps > b->ps;
    if (a->ps != b->ps)
        return a->ps > b->ps;
    return p->longer == LPI_BY_TIME_THEN_MORE ? a->slope > b->slope : a->slope < b->slope;
}

/* While its bytes stream through a processor it is busy: O for each, and in a receive the larger one
 * of O and G. */
static void add_streams(const struct lpi_explanation *x, const struct lpi_prices *p, uint32_t task,
                        struct lpi_at *at)
{
    const int64_t in = lpi_streamed_in(x, task);
    struct lpi_at by_O = *at, by_G = *at;

    if (p->ps.bytes_O > 0)
        add(p, &by_O, lpi_streamed(x, task), p->ps.bytes_O, true, 0);
    if (in > 0)
        add_bytes(p, &by_G, in, LOGP_AS_BEFORE);
    *at = is_longer(p, &by_G, &by_O) ? by_G : by_O;
}

struct lpi_at lpi_task_length(const struct lpi_explanation *x, const struct lpi_prices *p,
                              uint32_t task)
{
    const struct logp_task *t = &x->tasks[task];
    struct lpi_at at = {0};

    if (t->kind == LOGP_STEP_SEND)
        add_own(&at, 1, p->ps.o_send, p->slope.o_send, lpi_costs_of(x, task)->o_send_ns);
    if (t->kind == LOGP_STEP_RECEIVE)
        add_own(&at, 1, p->ps.o_recv, p->slope.o_recv, lpi_costs_of(x, task)->o_recv_ns);
    if (t->kind != LOGP_STEP_COMPUTE)
        add_streams(x, p, task, &at);
    if (t->kind == LOGP_STEP_SEND || t->kind == LOGP_STEP_RECEIVE)
        return at;
    at.ps = (__int128)t->compute_ns * 1000;
    add(p, &at, t->elements, p->ps.elements, p->rounds_elements, p->slope.elements);
    return at;
}

static struct lpi_at after(const struct lpi_at *a, const struct lpi_at *b)
{
    return (struct lpi_at){a->ps + b->ps, a->slope + b->slope};
}

/* When task i starts, from the starts of those before it. why: which edge decides, -1: none. */
static struct lpi_at start_of(const struct lpi_explanation *x, const struct lpi_prices *p,
                              const struct lpi_at *starts, uint32_t i, int32_t *why)
{
    struct lpi_edge space[LPI_EDGES];
    size_t n;
    const struct lpi_edge *edges = lpi_edges(x, i, space, &n);
    struct lpi_at start = {0};

    *why = -1;
    for (size_t k = 0; k < n; k++) {
        const struct lpi_at length = lpi_edge_length(x, p, &edges[k]);
        struct lpi_at at = after(&starts[edges[k].from], &length);

        if (!edges[k].from_start) {
            const struct lpi_at task = lpi_task_length(x, p, edges[k].from);

            at = after(&at, &task);
        }
        /* take the first edge of those without time, so that a path has a beginning */
        if (!is_longer(p, &at, &start) && (k > 0 || at.ps > 0))
            continue;
        start = at;
        *why = (int32_t)k;
    }
    return start;
}

/* The ports of a rank: the last task of each, or LPI_NO_TASK. */
struct ports {
    uint32_t send[LOGP_MOST_PORTS], receive[LOGP_MOST_PORTS];
};

/* Take the port on which task i starts first: its links are to the tasks before it there. */
static struct lpi_at take_port(struct lpi_explanation *x, const struct lpi_prices *p,
                               const struct lpi_at *starts, uint32_t i, struct ports *k, int n)
{
    struct lpi_links *l = &x->links[i];
    struct lpi_at best = {0};
    int32_t unwanted;
    int at = -1;

    for (int port = 0; port < n; port++) {
        struct lpi_at start;

        l->send = k->send[port];
        l->receive = k->receive[port];
        start = start_of(x, p, starts, i, &unwanted);
        if (at < 0 || start.ps < best.ps) {
            best = start;
            at = port;
        }
    }
    l->send = k->send[at];
    l->receive = k->receive[at];
    if (x->tasks[i].kind == LOGP_STEP_SEND)
        k->send[at] = i;
    if (x->tasks[i].kind == LOGP_STEP_RECEIVE)
        k->receive[at] = i;
    return best;
}

int lpi_take_ports(struct lpi_explanation *x, const struct lpi_prices *p, int n)
{
    const size_t P = (size_t)x->public.P;
    struct lpi_at *starts = malloc((x->public.n_tasks + 1) * sizeof(*starts));
    struct ports *all = malloc(P * sizeof(*all));
    const int rc = starts != NULL && all != NULL ? 0 : -ENOMEM;

    for (size_t r = 0; rc == 0 && r < P; r++)
        for (int port = 0; port < n; port++)
            all[r].send[port] = all[r].receive[port] = LPI_NO_TASK;
    for (uint32_t i = 0; rc == 0 && i < x->public.n_tasks; i++)
        starts[i] = take_port(x, p, starts, i, &all[x->tasks[i].rank], n);
    free(starts);
    free(all);
    return rc;
}

struct lpi_at lpi_pass(const struct lpi_explanation *x, const struct lpi_prices *p,
                       struct lpi_at *starts, int32_t *why, uint32_t *last)
{
    struct lpi_at end = {0};

    *last = LPI_NO_TASK;
    for (uint32_t i = 0; i < x->public.n_tasks; i++) {
        struct lpi_at at;
        int32_t decides;

        starts[i] = start_of(x, p, starts, i, &decides);
        if (why != NULL)
            why[i] = decides;
        at = lpi_task_length(x, p, i);
        at = after(&starts[i], &at);
        if (*last == LPI_NO_TASK || is_longer(p, &at, &end)) {
            end = at;
            *last = i;
        }
    }
    return end;
}
