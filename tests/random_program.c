/* SPDX-License-Identifier: MIT */
/* Random programs: see random_program.h. */
#include "random.h"
#include "random_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- making a program ---- */

static struct random_op *add(struct random_program *g, int rank)
{
    return &g->ops[rank][g->n_ops[rank]++];
}

void random_generate(struct random_program *g, uint64_t *random, int P)
{
    /* messages sent and not received: of each source, destination and tag */
    int outstanding[MOST_P][MOST_P][TAGS] = {{{0}}}, any[MOST_P] = {0};
    int left = 20 + (int)(test_random(random) % 60), waiting = 0;
    const bool any_at_all = test_random(random) % 4 != 0;

    *g = (struct random_program){.P = P};
    g->params = (struct logp_params){.L_ns = (int64_t)(test_random(random) % 12),
                                     .o_send_ns = (int64_t)(test_random(random) % 5),
                                     .o_recv_ns = (int64_t)(test_random(random) % 5),
                                     .g_ns = (int64_t)(test_random(random) % 9),
                                     .G_ps = (int64_t)(test_random(random) % 3) * 700};
    g->params.gap_shared = test_random(random) % 4 == 0;
    if (test_random(random) % 3 == 0)
        g->params.capacity = 1 + (int64_t)(test_random(random) % 2);
    if (test_random(random) % 4 == 0) {
        g->params.latency_varies = true;
        g->params.seed = test_random(random);
    }
    while (left > 0 || waiting > 0) {
        const int a = (int)(test_random(random) % (uint64_t)P);
        const int b = (int)(test_random(random) % (uint64_t)P);
        const int choice = (int)(test_random(random) % 5);
        const int tag = (int)(test_random(random) % TAGS);

        if (choice < 2 && left-- > 0) {
            const bool to_any = any_at_all && test_random(random) % 4 == 0;

            *add(g, a) = (struct random_op){
                SEND,           b, to_any ? ANY : tag, sizeof(int) + test_random(random) % 40, 0,
                g->n_messages++};
            outstanding[a][b][tag] += !to_any;
            any[b] += to_any;
            waiting++;
        } else if (choice == 2 && left > 0) {
            *add(g, a) =
                (struct random_op){COMPUTE, 0, 0, 0, (int64_t)(test_random(random) % 30), 0};
        } else if (choice >= 3 && outstanding[b][a][tag] > 0) {
            *add(g, a) = (struct random_op){RECV, b, tag, 0, 0, 0};
            outstanding[b][a][tag]--;
            waiting--;
        } else if (choice >= 3 && any[a] > 0) {
            *add(g, a) = (struct random_op){RECV, LOGP_ANY_SOURCE, ANY, 0, 0, 0};
            any[a]--;
            waiting--;
        }
    }
}

enum { ROUNDS = TAGS, PER_ROUND = 4 }; /* the tag of a message is its round */

static struct random_op random_send(uint64_t *random, const struct logp_topology *t, int src,
                                    bool near)
{
    struct random_op send = {.kind = SEND};

    do
        send.peer = (int)test_below(random, logp_topology_size(t));
    while (near && logp_topology_hops(t, src, send.peer) != 1);
    send.n_bytes = (size_t)test_below(random, 9);
    send.time = test_below(random, 2) == 0 ? 0 : test_below(random, 20);
    return send;
}

void random_generate_rounds(struct random_program *g, uint64_t *random,
                            const struct logp_topology *topology, bool near)
{
    struct random_op sends[MOST_RANKS][ROUNDS][PER_ROUND];
    int n[MOST_RANKS][ROUNDS];

    *g = (struct random_program){.P = logp_topology_size(topology), .topology = topology};
    for (int v = 0; v < g->P; v++)
        for (int r = 0; r < ROUNDS; r++) {
            n[v][r] = (int)test_below(random, PER_ROUND + 1);
            for (int i = 0; i < n[v][r]; i++)
                sends[v][r][i] = random_send(random, topology, v, near);
        }
    for (int r = 0; r < ROUNDS; r++) {
        for (int v = 0; v < g->P; v++)
            for (int i = 0; i < n[v][r]; i++) {
                struct random_op *send = &sends[v][r][i];

                send->tag = r;
                send->id = g->n_messages++;
                *add(g, v) = (struct random_op){.kind = COMPUTE, .time = send->time};
                *add(g, v) = *send;
            }
        for (int v = 0; v < g->P; v++) /* each send comes before its receive */
            for (int i = 0; i < n[v][r]; i++)
                *add(g, sends[v][r][i].peer) = (struct random_op){RECV, v, r, 0, 0, 0};
    }
}

int random_delay(const struct random_program *g, struct logp_delay *out)
{
    return logp_delay_create(logp_delay_name(&g->params), &g->params, out);
}

bool random_has_lookahead(const struct random_program *g)
{
    const struct logp_params *p = &g->params;

    return p->capacity == 0 && p->o_send_ns + (p->latency_varies ? 0 : p->L_ns) > 0;
}

/* ---- the plain event simulation ---- */

struct sent {
    int src, dst, tag, id;
    size_t n_bytes;
    int64_t arrival; /* of the message, or of its request */
    bool received, requested;
};

static bool sends(const struct random_op *op)
{
    return op->kind == SEND || op->kind == EXCHANGE || op->kind == ISEND;
}

static bool receives(const struct random_op *op)
{
    return op->kind == RECV || op->kind == EXCHANGE;
}

struct simulation {
    const struct random_program *g;
    struct random_outcome *out;
    struct sent sent[MOST_RANKS * MOST_OPS];
    struct logp_delay delay; /* of which the latencies are, where they are drawn */
    int n_sent, at[MOST_RANKS], n_received[MOST_RANKS];
    unsigned number[MOST_RANKS]; /* of the next send */
    int64_t clock[MOST_RANKS], next_send[MOST_RANKS], last_recv[MOST_RANKS], stalled[MOST_RANKS];
    int64_t begun[MOST_RANKS];        /* the current operation */
    bool has_sent[MOST_RANKS];        /* of an EXCHANGE: only its receive remains */
    struct sent *request[MOST_RANKS]; /* that waits for its receiver; or NULL */
    int64_t link_free[MOST_NODES][MOST_NODES];
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t streaming(const struct logp_params *p, size_t n)
{
    return n > 1 ? ((int64_t)(n - 1) * p->G_ps + 999) / 1000 : 0;
}

/* The message that this receive would take at the time given (any source), or takes (named). */
static struct sent *candidate(struct simulation *s, int me, const struct random_op *op,
                              int64_t until)
{
    struct sent *best = NULL;
    bool seen[MOST_RANKS] = {false};

    for (int i = 0; i < s->n_sent; i++) {
        struct sent *m = &s->sent[i];

        if (m->received || m->dst != me || m->tag != op->tag ||
            (op->peer != LOGP_ANY_SOURCE && m->src != op->peer) || seen[m->src])
            continue;
        seen[m->src] = true; /* of one source the first */
        if (op->peer != LOGP_ANY_SOURCE)
            return m;
        if (m->arrival <= until && (best == NULL || m->arrival < best->arrival ||
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

    for (int i = 0; i < s->n_sent; i++)
        if ((from ? s->sent[i].src : s->sent[i].dst) == rank && s->sent[i].arrival > enter) {
            first = s->sent[i].arrival < first ? s->sent[i].arrival : first;
            n++;
        }
    return n >= s->g->params.capacity ? first : enter;
}

static int64_t send_start(const struct simulation *s, int me, int64_t ready)
{
    const struct logp_params *p = &s->g->params;
    const int64_t start = larger(larger(ready, s->next_send[me]), s->stalled[me]);

    return p->gap_shared ? larger(start, s->last_recv[me] + larger(p->o_recv_ns, p->g_ns)) : start;
}

/* When the payload leaves whose request was sent: both the request and the receiver are there, and
 * the answer takes L back. INT64_MAX: the receiver is not there yet. */
static int64_t answered(struct simulation *s, int me, const struct random_op *op)
{
    const int dst = op->peer;
    const struct random_op *receive = &s->g->ops[dst][s->at[dst]];

    if (s->at[dst] == s->g->n_ops[dst] || !receives(receive) || receive->peer != me ||
        candidate(s, dst, receive, 0) != s->request[me])
        return INT64_MAX;
    return send_start(
        s, me,
        larger(s->clock[me], larger(s->request[me]->arrival, s->begun[dst]) + s->g->params.L_ns));
}

/* When the next operation of this vp touches the network; INT64_MAX: it cannot yet. */
static int64_t event_time(struct simulation *s, int me)
{
    const struct random_op *op = &s->g->ops[me][s->at[me]];
    const struct sent *named;
    int64_t first = INT64_MAX;

    if (s->at[me] == s->g->n_ops[me])
        return INT64_MAX;
    if (op->kind == COMPUTE)
        return s->clock[me];
    if (s->request[me] != NULL)
        return answered(s, me, op);
    if (sends(op) && !s->has_sent[me])
        return send_start(s, me, s->clock[me]);
    if (op->peer != LOGP_ANY_SOURCE) {
        named = candidate(s, me, op, 0);
        return named != NULL && !named->requested ? s->clock[me] : INT64_MAX;
    }
    for (int i = 0; i < s->n_sent; i++) {
        const struct sent *m = candidate(s, me, op, s->sent[i].arrival);

        if (m != NULL && m->arrival < first)
            first = m->arrival;
    }
    return first == INT64_MAX ? INT64_MAX : larger(first, s->clock[me]);
}

static int64_t latency(const struct simulation *s, int src, int dst)
{
    struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    struct logp_transfer t = {.src = src, .dst = dst, .n_bytes = 1, .number = s->number[src]};

    if (!s->g->params.latency_varies)
        return s->g->params.L_ns;
    s->delay.ops->send(s->delay.model, &port, &t);
    return t.arrival - t.done;
}

/* Over the links of the route, each of which passes one message after the other.
 * @return when the message that enters the first link at `at` arrives */
static int64_t pass_links(struct simulation *s, int src, int dst, int64_t at, int64_t stream)
{
    const int64_t apart = larger(s->g->params.g_ns, stream);
    int links[2 * MOST_RANKS];
    const int n = logp_topology_route(s->g->topology, src, dst, links, 2 * MOST_RANKS);

    for (int i = 0; i < n; i++) {
        int64_t *link_free;
        int from, to;

        logp_topology_ends(s->g->topology, links[i], &from, &to);
        link_free = &s->link_free[from][to];
        s->out->use.messages++;
        s->out->use.busy_ns += apart;
        s->out->use.waited_ns += larger(0, *link_free - at);
        at = larger(at, *link_free);
        *link_free = at + apart;
        at += s->g->params.L_ns + stream;
    }
    return at;
}

static void end_op(struct simulation *s, int me)
{
    s->at[me]++;
    s->begun[me] = s->clock[me];
    s->has_sent[me] = false;
}

static void do_send(struct simulation *s, int me, const struct random_op *op, int64_t start)
{
    const struct logp_params *p = &s->g->params;
    const bool request = s->request[me] == NULL && s->g->rendezvous_from > 0 &&
                         larger((int64_t)op->n_bytes, 1) >= s->g->rendezvous_from;
    const int64_t enter = start + p->o_send_ns, stream = request ? 0 : streaming(p, op->n_bytes);
    const int64_t arrival = s->g->topology != NULL ? pass_links(s, me, op->peer, enter, stream)
                                                   : enter + stream + latency(s, me, op->peer);

    if (p->capacity > 0) {
        const int64_t free_at =
            larger(place_free(s, me, true, enter), place_free(s, op->peer, false, enter));

        if (free_at > enter) {
            s->stalled[me] = start + free_at - enter;
            return;
        }
    }
    s->number[me]++;
    s->next_send[me] = start + larger(p->o_send_ns, p->g_ns + stream);
    s->clock[me] = enter;
    if (s->request[me] == NULL) {
        s->sent[s->n_sent++] =
            (struct sent){me, op->peer, op->tag, op->id, op->n_bytes, arrival, false, request};
        s->clock[me] += op->kind == ISEND ? op->time : 0;
    } else {
        s->request[me]->arrival = arrival;
        s->request[me]->requested = false;
    }
    s->request[me] = request ? &s->sent[s->n_sent - 1] : NULL;
    if (request)
        return;
    if (op->kind == EXCHANGE)
        s->has_sent[me] = true;
    else
        end_op(s, me);
}

static void do_recv(struct simulation *s, int me, const struct random_op *op, int64_t now)
{
    const struct logp_params *p = &s->g->params;
    struct sent *m = candidate(s, me, op, now);
    int64_t port = s->last_recv[me] + larger(p->o_recv_ns, p->g_ns + streaming(p, m->n_bytes));

    if (p->gap_shared)
        port = larger(port, s->next_send[me] + streaming(p, m->n_bytes));
    m->received = true;
    s->last_recv[me] = larger(larger(s->clock[me], m->arrival), port);
    s->clock[me] = s->last_recv[me] + p->o_recv_ns;
    s->out->took[me][s->n_received[me]] = m->n_bytes < sizeof(m->id) ? NONE : m->id;
    s->out->arrival[me][s->n_received[me]++] = m->arrival;
    end_op(s, me);
}

int random_simulate(const struct random_program *g, struct random_outcome *out)
{
    struct simulation *s = calloc(1, sizeof(*s));
    int rc = 0;

    if (s == NULL)
        return -ENOMEM;
    s->g = g;
    s->out = out;
    out->use = (struct logp_link_use){0};
    rc = random_delay(g, &s->delay);
    for (int i = 0; i < MOST_RANKS; i++)
        s->last_recv[i] = s->next_send[i] = INT64_MIN / 4;
    while (rc == 0) {
        int64_t first = INT64_MAX;
        int me = NONE;
        const struct random_op *op;

        for (int i = 0; i < g->P; i++) {
            const int64_t at = event_time(s, i);

            if (at < first) {
                first = at;
                me = i;
            }
        }
        if (me == NONE)
            break;
        op = &g->ops[me][s->at[me]];
        if (sends(op) && !s->has_sent[me]) {
            do_send(s, me, op, first);
        } else if (receives(op)) {
            do_recv(s, me, op, first);
        } else {
            s->clock[me] += op->time;
            end_op(s, me);
        }
    }
    for (int i = 0; i < g->P; i++) {
        if (rc == 0 && s->at[i] != g->n_ops[i])
            rc = -EDEADLK;
        out->end[i] = s->clock[i];
    }
    logp_delay_destroy(&s->delay);
    free(s);
    return rc;
}

/* ---- the same on the machine ---- */

/* out: the message to send; in: where to receive. */
static int run_op(struct logp_vp *vp, const struct random_op *op, const unsigned char *out,
                  unsigned char *in, struct logp_status *status)
{
    struct logp_request *request;
    int rc;

    switch (op->kind) {
    case COMPUTE:
        return logp_compute(vp, op->time, NULL, NULL);
    case SEND:
        return logp_send(vp, op->peer, op->tag, out, op->n_bytes);
    case RECV:
        return logp_recv(vp, op->peer, op->tag, in, MOST_BYTES, status);
    case EXCHANGE:
        return logp_sendrecv(vp, op->peer, op->tag, out, op->n_bytes, op->peer, op->tag, in,
                             MOST_BYTES, status);
    case ISEND:
        break;
    }
    rc = logp_isend(vp, op->peer, op->tag, out, op->n_bytes, &request);
    if (rc == 0)
        rc = logp_compute(vp, op->time, NULL, NULL);
    return rc != 0 ? rc : logp_wait(vp, request, NULL);
}

int random_run(struct logp_vp *vp, void *arg)
{
    struct random_run *run = arg;
    const int me = logp_vp_rank(vp);
    unsigned char out[MOST_BYTES], in[MOST_BYTES];
    int rc = 0, received = 0;

    for (int i = 0; rc == 0 && i < run->g->n_ops[me]; i++) {
        const struct random_op *op = &run->g->ops[me][i];
        struct logp_status status = {0};
        int id = NONE;

        memset(out, op->id & 0xff, sizeof(out));
        memcpy(out, &op->id, sizeof(op->id));
        rc = run_op(vp, op, out, in, &status);
        if (rc != 0 || !receives(op))
            continue;
        if (status.n_bytes >= sizeof(id))
            memcpy(&id, in, sizeof(id));
        for (size_t k = sizeof(id); k < status.n_bytes; k++)
            rc = in[k] == (id & 0xff) ? rc : -EPROTO;
        run->out.took[me][received] = id;
        run->out.arrival[me][received++] = status.arrival_ns;
    }
    run->out.end[me] = logp_now(vp);
    return rc;
}

int random_differ(const struct random_program *g, const struct random_outcome *a,
                  const struct random_outcome *b)
{
    for (int i = 0; i < g->P; i++) {
        int received = 0;

        if (a->end[i] != b->end[i])
            return i;
        for (int k = 0; k < g->n_ops[i]; k++)
            if (receives(&g->ops[i][k])) {
                if (a->took[i][received] != b->took[i][received] ||
                    a->arrival[i][received] != b->arrival[i][received])
                    return i;
                received++;
            }
    }
    return NONE;
}

/* Where the first send of src is that goes to dst with this tag, from `from` on; -1: there is none.
 */
static int next_send(const struct random_program *g, int src, int dst, int tag, int from)
{
    for (int k = from; k < g->n_ops[src]; k++) {
        const struct random_op *op = &g->ops[src][k];

        if (op->kind == SEND && op->peer == dst && op->tag == tag)
            return k;
    }
    return NONE;
}

/* Is `id` the next of those that src sends to me with this tag? at: where src was. */
static bool is_next(const struct random_program *g, int src, int me, int tag, int id, int *at)
{
    const int k = next_send(g, src, me, tag, *at);

    if (k == NONE || g->ops[src][k].id != id)
        return false;
    *at = k + 1;
    return true;
}

int random_unsound(const struct random_program *g, const struct random_outcome *out)
{
    for (int me = 0; me < g->P; me++) {
        int at[MOST_RANKS][ANY + 1] = {{0}}, received = 0; /* by source and tag */

        for (int k = 0; k < g->n_ops[me]; k++) {
            const struct random_op *op = &g->ops[me][k];
            const int id = out->took[me][received];
            int src = op->peer == LOGP_ANY_SOURCE ? 0 : op->peer;

            if (op->kind != RECV)
                continue;
            while (!is_next(g, src, me, op->tag, id, &at[src][op->tag]))
                if (op->peer != LOGP_ANY_SOURCE || ++src == g->P)
                    return me;
            received++;
        }
    }
    return NONE;
}

/* @return false: a step of a schedule cannot be this */
static bool as_step(const struct random_op *op, struct logp_step *out)
{
    if (op->kind == COMPUTE)
        return logp_step_compute(out, op->time, 0);
    if (op->kind == SEND)
        return logp_step_send(out, op->peer, op->tag, LOGP_RECV_BUF, 0, op->n_bytes);
    return op->kind == RECV && op->peer != LOGP_ANY_SOURCE &&
           logp_step_receive(out, op->peer, op->tag, LOGP_RECV_BUF, 0, MOST_BYTES);
}

int random_fold(const struct random_program *g, const struct logp_delay *delay, int64_t *ns)
{
    struct logp_step *steps = calloc(MOST_RANKS * MOST_OPS, sizeof(*steps));
    const struct logp_step *of_rank[MOST_RANKS];
    int64_t n[MOST_RANKS];
    const struct logp_step_list list = {
        .P = g->P, .steps = of_rank, .n = n, .most_bytes = MOST_BYTES};
    const struct logp_args args = {.list = &list};
    const struct logp_schedule schedule =
        logp_schedule_of(logp_algorithm_find("schedule", "listed"), g->P, &args, NULL);
    struct logp_fold fold;
    int rc = steps != NULL ? 0 : -ENOMEM;

    for (int i = 0; rc == 0 && i < g->P; i++) {
        of_rank[i] = steps + (size_t)i * MOST_OPS;
        n[i] = g->n_ops[i];
        for (int k = 0; k < g->n_ops[i]; k++)
            if (!as_step(&g->ops[i][k], &steps[(size_t)i * MOST_OPS + (size_t)k]))
                rc = -ENOTSUP;
    }
    if (rc == 0)
        rc = logp_schedule_fold(&schedule, delay, UINT64_MAX, &fold);
    if (rc == 0 && fold.unreceived != 0)
        rc = -EBADMSG;
    if (rc == 0)
        *ns = fold.ns;
    free(steps);
    return rc;
}
