/* SPDX-License-Identifier: MIT */
/* Random programs: see random_program.h. */
#include "random.h"
#include "random_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- making a program ---- */

static struct sim_op *add(struct random_program *g, int rank)
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

            *add(g, a) = (struct sim_op){
                SEND,           b, to_any ? ANY : tag, sizeof(int) + test_random(random) % 40, 0,
                g->n_messages++};
            outstanding[a][b][tag] += !to_any;
            any[b] += to_any;
            waiting++;
        } else if (choice == 2 && left > 0) {
            *add(g, a) = (struct sim_op){COMPUTE, 0, 0, 0, (int64_t)(test_random(random) % 30), 0};
        } else if (choice >= 3 && outstanding[b][a][tag] > 0) {
            *add(g, a) = (struct sim_op){RECV, b, tag, 0, 0, 0};
            outstanding[b][a][tag]--;
            waiting--;
        } else if (choice >= 3 && any[a] > 0) {
            *add(g, a) = (struct sim_op){RECV, LOGP_ANY_SOURCE, ANY, 0, 0, 0};
            any[a]--;
            waiting--;
        }
    }
}

enum { ROUNDS = TAGS, PER_ROUND = 4 }; /* the tag of a message is its round */

static struct sim_op random_send(uint64_t *random, const struct logp_topology *t, int src,
                                 bool near)
{
    struct sim_op send = {.kind = SEND};

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
    struct sim_op sends[MOST_RANKS][ROUNDS][PER_ROUND];
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
                struct sim_op *send = &sends[v][r][i];

                send->tag = r;
                send->id = g->n_messages++;
                *add(g, v) = (struct sim_op){.kind = COMPUTE, .time = send->time};
                *add(g, v) = *send;
            }
        for (int v = 0; v < g->P; v++) /* each send comes before its receive */
            for (int i = 0; i < n[v][r]; i++)
                *add(g, sends[v][r][i].peer) = (struct sim_op){RECV, v, r, 0, 0, 0};
    }
}

int random_delay(const struct random_program *g, struct logp_delay *out)
{
    const struct logp_network network = {.params = g->params, .ports = g->ports};

    return logp_network_delay(&network, g->P, NULL, out, NULL);
}

bool random_has_lookahead(const struct random_program *g)
{
    const struct logp_params *p = &g->params;

    return p->capacity == 0 && p->o_send_ns + (p->latency_varies ? 0 : p->L_ns) > 0;
}

int random_simulate(const struct random_program *g, struct random_outcome *out)
{
    struct sim_rank ranks[MOST_RANKS];
    struct logp_delay delay;
    struct sim s = {.P = g->P,
                    .ranks = ranks,
                    .model = {.params = g->params,
                              .topology = g->topology,
                              .links = g->links,
                              .ports = g->ports,
                              .rendezvous_from = g->rendezvous_from},
                    .draws = &delay};
    int rc = random_delay(g, &delay);

    if (rc != 0)
        return rc;
    for (int i = 0; i < g->P; i++)
        ranks[i] = (struct sim_rank){
            .ops = g->ops[i], .n = g->n_ops[i], .took = out->took[i], .arrival = out->arrival[i]};
    rc = sim_run(&s);
    for (int i = 0; i < g->P; i++)
        out->end[i] = ranks[i].end;
    out->use = s.use;
    logp_delay_destroy(&delay);
    return rc;
}

/* ---- the same on the machine ---- */

/* out: the message to send; in: where to receive. */
static int run_op(struct logp_vp *vp, const struct sim_op *op, const unsigned char *out,
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
        const struct sim_op *op = &run->g->ops[me][i];
        struct logp_status status = {0};
        int id = NONE;

        memset(out, op->id & 0xff, sizeof(out));
        memcpy(out, &op->id, sizeof(op->id));
        rc = run_op(vp, op, out, in, &status);
        if (rc != 0 || !sim_receives(op))
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
            if (sim_receives(&g->ops[i][k])) {
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
        const struct sim_op *op = &g->ops[src][k];

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
            const struct sim_op *op = &g->ops[me][k];
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
static bool as_step(const struct sim_op *op, struct logp_step *out)
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
