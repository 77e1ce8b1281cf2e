/* SPDX-License-Identifier: MIT */
/* The plain event simulation: see simulator.h. */
#include "simulator.h"

#include <errno.h>
#include <stdlib.h>

struct sent {
    int src, dst, tag, id;
    size_t n_bytes;
    int64_t arrival; /* of the message, or of its request */
    bool requested;
    struct sent *next; /* that the same rank has not received either */
};

struct rank {
    struct sim_rank *its;
    int at, n_received;
    unsigned number; /* of the next send */
    int64_t clock, stalled;
    int64_t next_send[LOGP_MOST_PORTS], last_recv[LOGP_MOST_PORTS]; /* by port */
    int64_t begun;                                                  /* the current operation */
    bool has_sent;              /* of an EXCHANGE: only its receive remains */
    struct sent *request;       /* that waits for its receiver; or NULL */
    struct sent *first, **last; /* what it has not received */
};

struct simulation {
    struct sim *sim;
    struct rank *rank;
    struct sent *sent;
    int n_sent, arrived; /* of those before, all have */
    int n_nodes;
    int64_t *link_free; /* by both ends */
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct logp_params params_of(const struct simulation *s, int src, int dst)
{
    struct logp_params p = s->sim->model.params;

    if (s->sim->model.links != NULL)
        logp_links_of(s->sim->model.links, src, dst, &s->sim->model.params, &p);
    return p;
}

static int64_t streaming(const struct logp_params *p, size_t n)
{
    const int64_t counted = larger((int64_t)n, 1) - (p->store_forward ? 0 : 1);

    return (counted * p->G_ps + 999) / 1000;
}

static int64_t gap(const struct logp_params *p, size_t n)
{
    return p->g_ns + (p->store_forward ? 0 : streaming(p, n));
}

static bool sends(const struct sim_op *op)
{
    return op->kind == SEND || op->kind == EXCHANGE || op->kind == ISEND;
}

/* What the rank does next; NULL: it has ended. */
static const struct sim_op *current(const struct rank *k)
{
    return k->at < k->its->n ? &k->its->ops[k->at] : NULL;
}

/* The message that this receive would take at the time given (any source), or takes (named): of each
 * source the first. */
static struct sent *candidate(const struct rank *k, const struct sim_op *op, int64_t until)
{
    struct sent *best = NULL;

    for (struct sent *m = k->first; m != NULL; m = m->next) {
        const struct sent *before = k->first;

        if (m->tag != op->tag || (op->peer != LOGP_ANY_SOURCE && m->src != op->peer))
            continue;
        if (op->peer != LOGP_ANY_SOURCE)
            return m;
        while (before != m && (before->src != m->src || before->tag != op->tag))
            before = before->next;
        if (before == m && m->arrival <= until &&
            (best == NULL || m->arrival < best->arrival ||
             (m->arrival == best->arrival && m->src < best->src)))
            best = m;
    }
    return best;
}

/* When a place is free for a message of this processor that enters the wire at `enter`. */
static int64_t place_free(const struct simulation *s, int rank, bool from, int64_t enter)
{
    int64_t first = INT64_MAX;
    int n = 0;

    for (int i = s->arrived; i < s->n_sent; i++)
        if ((from ? s->sent[i].src : s->sent[i].dst) == rank && s->sent[i].arrival > enter) {
            first = s->sent[i].arrival < first ? s->sent[i].arrival : first;
            n++;
        }
    return n >= logp_params_capacity(&s->sim->model.params) ? first : enter;
}

static int n_ports(const struct simulation *s)
{
    return s->sim->model.ports > 1 ? (int)s->sim->model.ports : 1;
}

/* When this port could start the send. */
static int64_t send_on(const struct simulation *s, int me, int dst, int64_t ready, int port)
{
    const struct logp_params p = params_of(s, me, dst);
    const struct rank *k = &s->rank[me];
    const int64_t start = larger(larger(ready, k->next_send[port]), k->stalled);

    return p.gap_shared ? larger(start, k->last_recv[port] + larger(p.o_recv_ns, p.g_ns)) : start;
}

/* The port that can start the send first, of several the lowest. */
static int send_port(const struct simulation *s, int me, int dst, int64_t ready)
{
    int best = 0;

    for (int i = 1; i < n_ports(s); i++)
        if (send_on(s, me, dst, ready, i) < send_on(s, me, dst, ready, best))
            best = i;
    return best;
}

static int64_t send_start(const struct simulation *s, int me, int dst, int64_t ready)
{
    return send_on(s, me, dst, ready, send_port(s, me, dst, ready));
}

/* When the payload leaves whose request was sent: both the request and the receiver are there, and
 * the answer takes L back. INT64_MAX: the receiver is not there yet. */
static int64_t answered(const struct simulation *s, int me, int dst)
{
    const struct rank *k = &s->rank[me], *receiver = &s->rank[dst];
    const struct sim_op *receive = current(receiver);

    if (receive == NULL || !sim_receives(receive) || receive->peer != me ||
        candidate(receiver, receive, 0) != k->request)
        return INT64_MAX;
    return send_start(s, me, dst,
                      larger(k->clock, larger(k->request->arrival, receiver->begun) +
                                           params_of(s, dst, me).L_ns));
}

/* When the next operation of this rank touches the network; INT64_MAX: it cannot yet. */
static int64_t event_time(const struct simulation *s, int me)
{
    const struct rank *k = &s->rank[me];
    const struct sim_op *op = current(k);
    const struct sent *named;
    int64_t first = INT64_MAX;

    if (op == NULL)
        return INT64_MAX;
    if (op->kind == COMPUTE)
        return k->clock;
    if (k->request != NULL)
        return answered(s, me, op->peer);
    if (sends(op) && !k->has_sent)
        return send_start(s, me, op->peer, k->clock);
    if (op->peer != LOGP_ANY_SOURCE) {
        named = candidate(k, op, 0);
        return named != NULL && !named->requested ? k->clock : INT64_MAX;
    }
    named = candidate(k, op, INT64_MAX);
    first = named != NULL ? named->arrival : INT64_MAX;
    return first == INT64_MAX ? INT64_MAX : larger(first, k->clock);
}

static int64_t latency(const struct simulation *s, const struct logp_params *p, int src, int dst)
{
    struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    struct logp_transfer t = {.src = src, .dst = dst, .n_bytes = 1, .number = s->rank[src].number};

    if (!p->latency_varies || s->sim->draws == NULL)
        return p->L_ns;
    s->sim->draws->ops->send(s->sim->draws->model, &port, &t);
    return t.arrival - t.done;
}

/* Over the links of the route, each of which passes one message after the other.
 * @return when the message that enters the first link at `at` arrives */
static int64_t pass_links(struct simulation *s, int src, int dst, int64_t at, int64_t stream)
{
    const struct logp_topology *topology = s->sim->model.topology;
    const struct logp_params *p = &s->sim->model.params;
    const int64_t apart = larger(p->g_ns, stream);

    while (src != dst) {
        int64_t *link_free;
        int from, to;

        logp_topology_ends(topology, logp_topology_next(topology, &src, dst), &from, &to);
        link_free = &s->link_free[from * s->n_nodes + to];
        s->sim->use.messages++;
        s->sim->use.busy_ns += apart;
        s->sim->use.waited_ns += larger(0, *link_free - at);
        at = larger(at, *link_free);
        *link_free = at + apart;
        at += p->L_ns + stream;
    }
    return at;
}

static void end_op(struct rank *k)
{
    k->at++;
    k->begun = k->clock;
    k->has_sent = false;
}

static struct sent *new_message(struct simulation *s, int me, const struct sim_op *op,
                                int64_t arrival, bool requested)
{
    struct sent *m = &s->sent[s->n_sent++];
    struct rank *receiver = &s->rank[op->peer];

    *m = (struct sent){me, op->peer, op->tag, op->id, op->n_bytes, arrival, requested, NULL};
    *receiver->last = m;
    receiver->last = &m->next;
    return m;
}

static void do_send(struct simulation *s, int me, const struct sim_op *op, int64_t start)
{
    const struct logp_params p = params_of(s, me, op->peer);
    const struct logp_network *model = &s->sim->model;
    struct rank *k = &s->rank[me];
    const bool request = k->request == NULL && model->rendezvous_from > 0 &&
                         larger((int64_t)op->n_bytes, 1) >= model->rendezvous_from;
    const int port = send_port(s, me, op->peer, start);
    const int64_t enter = start + p.o_send_ns, stream = request ? 0 : streaming(&p, op->n_bytes);
    int64_t arrival;

    if (logp_params_capacity(&model->params) > 0) {
        const int64_t free_at =
            larger(place_free(s, me, true, enter), place_free(s, op->peer, false, enter));

        if (free_at > enter) {
            k->stalled = start + free_at - enter;
            return;
        }
    }
    arrival = model->topology != NULL ? pass_links(s, me, op->peer, enter, stream)
                                      : enter + stream + latency(s, &p, me, op->peer);
    k->number++;
    k->next_send[port] = start + larger(p.o_send_ns, request ? p.g_ns : gap(&p, op->n_bytes));
    k->clock = enter;
    if (k->request == NULL) {
        struct sent *m = new_message(s, me, op, arrival, request);

        k->clock += op->kind == ISEND ? op->time : 0;
        k->request = request ? m : NULL;
        if (request)
            return;
    } else {
        k->request->arrival = arrival;
        k->request->requested = false;
        k->request = NULL;
    }
    if (op->kind == EXCHANGE)
        k->has_sent = true;
    else
        end_op(k);
}

static void take(struct rank *k, struct sent *m)
{
    struct sent **at = &k->first;

    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    if (k->last == &m->next)
        k->last = at;
}

/* When this port could start the receive of m. */
static int64_t recv_on(const struct simulation *s, int me, const struct sent *m, int port)
{
    const struct rank *k = &s->rank[me];
    const struct logp_params p = params_of(s, m->src, me);
    int64_t start = larger(larger(k->clock, m->arrival),
                           k->last_recv[port] + larger(p.o_recv_ns, gap(&p, m->n_bytes)));

    if (p.gap_shared)
        start =
            larger(start, k->next_send[port] + (p.store_forward ? 0 : streaming(&p, m->n_bytes)));
    return start;
}

static void do_recv(struct simulation *s, int me, const struct sim_op *op, int64_t now)
{
    struct rank *k = &s->rank[me];
    struct sent *m = candidate(k, op, now);
    int port = 0;
    int64_t start;

    for (int i = 1; i < n_ports(s); i++)
        if (recv_on(s, me, m, i) < recv_on(s, me, m, port))
            port = i;
    start = recv_on(s, me, m, port);
    take(k, m);
    k->last_recv[port] = start;
    k->clock = start + params_of(s, m->src, me).o_recv_ns;
    if (k->its->took != NULL) {
        k->its->took[k->n_received] = m->n_bytes < sizeof(m->id) ? NONE : m->id;
        k->its->arrival[k->n_received++] = m->arrival;
    }
    end_op(k);
}

/* The next event of all. @return false: there is none */
static bool step(struct simulation *s)
{
    int64_t first = INT64_MAX;
    int me = NONE;
    const struct sim_op *op;

    for (int i = 0; i < s->sim->P; i++) {
        const int64_t at = event_time(s, i);

        if (at < first) {
            first = at;
            me = i;
        }
    }
    if (me == NONE)
        return false;
    while (s->arrived < s->n_sent && s->sent[s->arrived].arrival <= first)
        s->arrived++;
    op = current(&s->rank[me]);
    if (sends(op) && !s->rank[me].has_sent) {
        do_send(s, me, op, first);
    } else if (sim_receives(op)) {
        do_recv(s, me, op, first);
    } else {
        s->rank[me].clock += op->time;
        end_op(&s->rank[me]);
    }
    return true;
}

/* Space for all messages and links. */
static int begin(struct simulation *s, struct sim *sim)
{
    const struct logp_topology *topology = sim->model.topology;
    const size_t P = sim->P > 0 ? (size_t)sim->P : 0;
    size_t messages = 0;

    s->sim = sim;
    s->n_nodes = sim->P;
    for (int i = 0; topology != NULL && i < logp_topology_links(topology); i++) {
        int from, to;

        logp_topology_ends(topology, i, &from, &to);
        s->n_nodes = (int)larger(s->n_nodes, larger(from, to) + 1);
    }
    for (int i = 0; i < sim->P; i++)
        messages += (size_t)sim->ranks[i].n;
    s->rank = calloc(P, sizeof(*s->rank));
    s->sent = malloc((messages + 1) * sizeof(*s->sent));
    s->link_free =
        calloc(topology != NULL ? (size_t)s->n_nodes * (size_t)s->n_nodes : 1, sizeof(int64_t));
    for (int i = 0; s->rank != NULL && i < sim->P; i++) {
        struct rank *k = &s->rank[i];

        *k = (struct rank){.its = &sim->ranks[i], .last = &k->first};
        for (int port = 0; port < n_ports(s); port++)
            k->last_recv[port] = k->next_send[port] = INT64_MIN / 4;
        if (sim->model.arrivals != NULL)
            k->clock = sim->model.arrivals[i];
    }
    return s->rank != NULL && s->sent != NULL && s->link_free != NULL ? 0 : -ENOMEM;
}

int sim_run(struct sim *sim)
{
    struct simulation s = {0};
    int rc = begin(&s, sim);

    sim->end = 0;
    sim->use = (struct logp_link_use){0};
    while (rc == 0 && step(&s))
        ;
    for (int i = 0; rc != -ENOMEM && i < sim->P; i++) {
        if (current(&s.rank[i]) != NULL)
            rc = -EDEADLK;
        sim->ranks[i].end = s.rank[i].clock;
        sim->end = larger(sim->end, s.rank[i].clock);
    }
    free(s.rank);
    free(s.sent);
    free(s.link_free);
    return rc;
}
