/* SPDX-License-Identifier: MIT */
/*
 * Random programs of messages on a topology, to run on a machine and in a simulation of their
 * events that shares nothing with the runtime but the routes.
 *
 * A program has rounds: in each, every processor computes and sends now and then, and then receives
 * all that was sent to it in this round, by source. The simulation lets each processor go on as far
 * as it can without sending; of those that then want to send, the first by (start, rank) does. A
 * link is known by its two ends.
 */
#ifndef LOGP_TESTS_LINK_SIMULATION_H
#define LOGP_TESTS_LINK_SIMULATION_H

#include "support.h"

enum { ROUNDS = 3, MOST_P = 16, PER_ROUND = 4 };

struct program {
    int P;
    struct {
        int dst;
        size_t n_bytes;
        int64_t compute_before;
    } send[MOST_P][ROUNDS][PER_ROUND];
    int n_sends[MOST_P][ROUNDS];
};

/* What came out of it, of the run and of the simulation. */
struct outcome {
    int64_t end[MOST_P];
    int64_t arrival[MOST_P][ROUNDS][MOST_P * PER_ROUND]; /* by receiver, in the order received */
};

/* near: only along links of the topology. */
static inline void random_program(struct program *p, const struct logp_topology *t, bool near,
                                  uint64_t *state)
{
    p->P = logp_topology_size(t);
    for (int v = 0; v < p->P; v++)
        for (int r = 0; r < ROUNDS; r++) {
            p->n_sends[v][r] = (int)(test_random(state) % (PER_ROUND + 1));
            for (int i = 0; i < p->n_sends[v][r]; i++) {
                int dst;

                do
                    dst = (int)(test_random(state) % (uint64_t)p->P);
                while (near && logp_topology_hops(t, v, dst) != 1);
                p->send[v][r][i].dst = dst;
                p->send[v][r][i].n_bytes = (size_t)(test_random(state) % 9);
                p->send[v][r][i].compute_before =
                    test_random(state) % 2 == 0 ? 0 : (int64_t)(test_random(state) % 20);
            }
        }
}

struct both {
    const struct program *program;
    struct outcome *outcome;
};

static inline int follow(struct logp_vp *vp, void *arg)
{
    const struct both *both = arg;
    const struct program *p = both->program;
    const int me = logp_vp_rank(vp);
    char buf[16] = {0};
    int rc = 0;

    for (int r = 0; rc == 0 && r < ROUNDS; r++) {
        int n = 0;

        for (int i = 0; rc == 0 && i < p->n_sends[me][r]; i++) {
            rc = logp_compute(vp, p->send[me][r][i].compute_before, NULL, NULL);
            if (rc == 0)
                rc = logp_send(vp, p->send[me][r][i].dst, r, buf, p->send[me][r][i].n_bytes);
        }
        for (int src = 0; src < p->P; src++)
            for (int i = 0; rc == 0 && i < p->n_sends[src][r]; i++) {
                struct logp_status s;

                if (p->send[src][r][i].dst != me)
                    continue;
                rc = logp_recv(vp, src, r, buf, sizeof(buf), &s);
                both->outcome->arrival[me][r][n++] = s.arrival_ns;
            }
    }
    both->outcome->end[me] = logp_now(vp);
    return rc;
}

/* ---- the simulation ---- */

struct sim_vp {
    int64_t now, send_next, recv_start;
    int round, sends, src, index, received; /* where it is in its program */
};

struct sim {
    const struct program *p;
    const struct logp_topology *t;
    struct logp_params params;
    struct sim_vp vp[MOST_P];
    int64_t sent_arrival[MOST_P][ROUNDS][PER_ROUND]; /* -1: not sent yet */
    int64_t link_free[2 * MOST_P][2 * MOST_P];
    int64_t messages, busy, waited;
    struct outcome *out;
};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t stream(const struct sim *s, size_t n_bytes)
{
    return n_bytes > 1 ? ((int64_t)(n_bytes - 1) * s->params.G_ps + 999) / 1000 : 0;
}

/* Receive as far as messages have been sent. true: it wants to send; false: it waits, or is done */
static bool advance(struct sim *s, int me)
{
    struct sim_vp *v = &s->vp[me];

    while (v->round < ROUNDS) {
        if (v->sends < s->p->n_sends[me][v->round])
            return true;
        for (; v->src < s->p->P; v->src++, v->index = 0)
            for (; v->index < s->p->n_sends[v->src][v->round]; v->index++) {
                const int64_t at = s->sent_arrival[v->src][v->round][v->index];
                int64_t port, in;

                if (s->p->send[v->src][v->round][v->index].dst != me)
                    continue;
                if (at < 0)
                    return false;
                in = stream(s, s->p->send[v->src][v->round][v->index].n_bytes);
                port = v->recv_start + most(s->params.o_recv_ns, s->params.g_ns + in);
                if (s->params.gap_shared)
                    port = most(port, v->send_next + in);
                v->recv_start = most(most(v->now, at), port);
                v->now = v->recv_start + s->params.o_recv_ns;
                s->out->arrival[me][v->round][v->received++] = at;
            }
        v->round++;
        v->sends = v->src = v->index = v->received = 0;
    }
    return false;
}

static int64_t start_of(const struct sim *s, int me)
{
    const struct sim_vp *v = &s->vp[me];
    const int64_t turn = most(s->params.o_recv_ns, s->params.g_ns);

    return most(most(v->now + s->p->send[me][v->round][v->sends].compute_before, v->send_next),
                s->params.gap_shared ? v->recv_start + turn : 0);
}

static void do_send(struct sim *s, int me)
{
    struct sim_vp *v = &s->vp[me];
    const int dst = s->p->send[me][v->round][v->sends].dst;
    const int64_t start = start_of(s, me);
    const int64_t st = stream(s, s->p->send[me][v->round][v->sends].n_bytes);
    const int64_t apart = most(s->params.g_ns, st);
    int links[64];
    const int n = logp_topology_route(s->t, me, dst, links, 64);
    int64_t at = start + s->params.o_send_ns;

    v->now = at;
    v->send_next = start + most(s->params.o_send_ns, s->params.g_ns + st);
    for (int i = 0; i < n; i++) {
        int64_t *link_free;
        int from, to;

        logp_topology_ends(s->t, links[i], &from, &to);
        link_free = &s->link_free[from][to];
        s->messages++;
        s->busy += apart;
        s->waited += most(0, *link_free - at);
        at = most(at, *link_free);
        *link_free = at + apart;
        at += s->params.L_ns + st;
    }
    s->sent_arrival[me][v->round][v->sends++] = at;
}

static inline void simulate(struct sim *s)
{
    int next;

    do {
        next = -1;
        for (int i = 0; i < s->p->P; i++)
            if (advance(s, i) && (next < 0 || start_of(s, i) < start_of(s, next)))
                next = i;
        if (next >= 0)
            do_send(s, next);
    } while (next >= 0);
    for (int i = 0; i < s->p->P; i++)
        s->out->end[i] = s->vp[i].now;
}

static inline struct sim *new_sim(const struct program *p, const struct logp_topology *t,
                                  const struct logp_params *params, struct outcome *out)
{
    struct sim *s = calloc(1, sizeof(*s));

    s->p = p;
    s->t = t;
    s->params = *params;
    s->out = out;
    memset(s->sent_arrival, -1, sizeof(s->sent_arrival));
    for (int i = 0; i < MOST_P; i++)
        s->vp[i].send_next = s->vp[i].recv_start = LOGP_NEVER;
    return s;
}

#endif
