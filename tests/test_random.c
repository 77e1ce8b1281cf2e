/* SPDX-License-Identifier: MIT */
/*
 * Random programs, free of deadlock by construction, under the virtual clock: every vp's clock and
 * every payload agree to the nanosecond with a plain event simulation that shares no code with the
 * library.
 *
 * A program is a random global sequence of sends, receives and computations in which every message
 * is sent before it is received; each vp executes its own part of it in that order. Sends never
 * wait for receivers, so the sequence itself is a schedule. Messages of the tag ANY are received
 * from any source, and from no other.
 */
#include "support.h"

enum { MOST_P = 8, MOST_OPS = 256, ANY = 9, TAGS = 3, PROGRAMS = 10000, NONE = -1 };

enum kind { SEND, RECV, COMPUTE };

struct op {
    enum kind kind;
    int peer, tag;
    size_t n_bytes;
    int64_t time;
    int id; /* of the message sent */
};

struct programs {
    int P, n_ops[MOST_P], n_messages;
    struct op ops[MOST_P][MOST_OPS];
    struct logp_params params;
};

/* What happened: when each vp ended, and which message each receive took. */
struct outcome {
    int64_t end[MOST_P];
    int took[MOST_P][MOST_OPS];
};

/* ---- making a program ---- */

static struct op *add(struct programs *g, int rank)
{
    return &g->ops[rank][g->n_ops[rank]++];
}

static void generate(struct programs *g, uint64_t *random, int P)
{
    /* messages sent and not received: of each source, destination and tag */
    int outstanding[MOST_P][MOST_P][TAGS] = {{{0}}}, any[MOST_P] = {0};
    int left = 20 + (int)(test_random(random) % 60), waiting = 0;

    *g = (struct programs){.P = P};
    g->params = (struct logp_params){.L_ns = (int64_t)(test_random(random) % 12),
                                     .o_send_ns = (int64_t)(test_random(random) % 5),
                                     .o_recv_ns = (int64_t)(test_random(random) % 5),
                                     .g_ns = (int64_t)(test_random(random) % 9),
                                     .G_ps = (int64_t)(test_random(random) % 3) * 700};
    g->params.gap_shared = test_random(random) % 4 == 0;
    if (test_random(random) % 3 == 0)
        g->params.capacity = 1 + (int64_t)(test_random(random) % 2);
    while (left > 0 || waiting > 0) {
        const int a = (int)(test_random(random) % (uint64_t)P);
        const int b = (int)(test_random(random) % (uint64_t)P);
        const int choice = (int)(test_random(random) % 5);
        const int tag = (int)(test_random(random) % TAGS);

        if (choice < 2 && left-- > 0) {
            const bool to_any = test_random(random) % 4 == 0;

            *add(g, a) = (struct op){
                SEND,           b, to_any ? ANY : tag, sizeof(int) + test_random(random) % 40, 0,
                g->n_messages++};
            outstanding[a][b][tag] += !to_any;
            any[b] += to_any;
            waiting++;
        } else if (choice == 2 && left > 0) {
            *add(g, a) = (struct op){COMPUTE, 0, 0, 0, (int64_t)(test_random(random) % 30), 0};
        } else if (choice >= 3 && outstanding[b][a][tag] > 0) {
            *add(g, a) = (struct op){RECV, b, tag, 0, 0, 0};
            outstanding[b][a][tag]--;
            waiting--;
        } else if (choice >= 3 && any[a] > 0) {
            *add(g, a) = (struct op){RECV, LOGP_ANY_SOURCE, ANY, 0, 0, 0};
            any[a]--;
            waiting--;
        }
    }
}

/* ---- the plain event simulation ---- */

struct sent {
    int src, dst, tag, id;
    size_t n_bytes;
    int64_t arrival;
    bool received;
};

struct simulation {
    const struct programs *g;
    struct outcome *out;
    struct sent sent[MOST_P * MOST_OPS];
    int n_sent, at[MOST_P], n_received[MOST_P];
    int64_t clock[MOST_P], next_send[MOST_P], last_recv[MOST_P], stalled[MOST_P];
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
static struct sent *candidate(struct simulation *s, int me, const struct op *op, int64_t until)
{
    struct sent *best = NULL;
    bool seen[MOST_P] = {false};

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

/* When the next operation of this vp touches the network; INT64_MAX: it cannot yet. */
static int64_t event_time(struct simulation *s, int me)
{
    const struct op *op = &s->g->ops[me][s->at[me]];
    const struct logp_params *p = &s->g->params;
    int64_t first = INT64_MAX;

    if (s->at[me] == s->g->n_ops[me])
        return INT64_MAX;
    if (op->kind == COMPUTE)
        return s->clock[me];
    if (op->kind == SEND && p->gap_shared)
        return larger(larger(larger(s->clock[me], s->next_send[me]), s->stalled[me]),
                      s->last_recv[me] + larger(p->o_recv_ns, p->g_ns));
    if (op->kind == SEND)
        return larger(larger(s->clock[me], s->next_send[me]), s->stalled[me]);
    if (op->peer != LOGP_ANY_SOURCE)
        return candidate(s, me, op, 0) != NULL ? s->clock[me] : INT64_MAX;
    for (int i = 0; i < s->n_sent; i++) {
        const struct sent *m = candidate(s, me, op, s->sent[i].arrival);

        if (m != NULL && m->arrival < first)
            first = m->arrival;
    }
    return first == INT64_MAX ? INT64_MAX : larger(first, s->clock[me]);
}

static void do_send(struct simulation *s, int me, const struct op *op, int64_t start)
{
    const struct logp_params *p = &s->g->params;
    const int64_t enter = start + p->o_send_ns, stream = streaming(p, op->n_bytes);
    const int64_t arrival = enter + stream + p->L_ns;

    if (p->capacity > 0) {
        const int64_t free_at =
            larger(place_free(s, me, true, enter), place_free(s, op->peer, false, enter));

        if (free_at > enter) {
            s->stalled[me] = start + free_at - enter;
            return;
        }
    }
    s->sent[s->n_sent++] =
        (struct sent){me, op->peer, op->tag, op->id, op->n_bytes, arrival, false};
    s->next_send[me] = start + larger(p->o_send_ns, p->g_ns + stream);
    s->clock[me] = enter;
    s->at[me]++;
}

static void do_recv(struct simulation *s, int me, const struct op *op, int64_t now)
{
    const struct logp_params *p = &s->g->params;
    struct sent *m = candidate(s, me, op, now);
    int64_t port = s->last_recv[me] + larger(p->o_recv_ns, p->g_ns + streaming(p, m->n_bytes));

    if (p->gap_shared)
        port = larger(port, s->next_send[me] + streaming(p, m->n_bytes));
    m->received = true;
    s->last_recv[me] = larger(larger(s->clock[me], m->arrival), port);
    s->clock[me] = s->last_recv[me] + p->o_recv_ns;
    s->out->took[me][s->n_received[me]++] = m->id;
    s->at[me]++;
}

static void simulate(const struct programs *g, struct outcome *out)
{
    struct simulation *s = calloc(1, sizeof(*s));

    s->g = g;
    s->out = out;
    for (int i = 0; i < MOST_P; i++)
        s->last_recv[i] = s->next_send[i] = INT64_MIN / 4;
    for (;;) {
        int64_t first = INT64_MAX;
        int me = NONE;
        const struct op *op;

        for (int i = 0; i < g->P; i++)
            if (event_time(s, i) < first) {
                first = event_time(s, i);
                me = i;
            }
        if (me == NONE)
            break;
        op = &g->ops[me][s->at[me]];
        if (op->kind == SEND) {
            do_send(s, me, op, first);
        } else if (op->kind == RECV) {
            do_recv(s, me, op, first);
        } else {
            s->clock[me] += op->time;
            s->at[me]++;
        }
    }
    for (int i = 0; i < g->P; i++) {
        cr_assert_eq(s->at[i], g->n_ops[i]);
        out->end[i] = s->clock[i];
    }
    free(s);
}

/* ---- the same on the machine ---- */

struct run {
    const struct programs *g;
    struct outcome out;
};

static int program(struct logp_vp *vp, void *arg)
{
    struct run *run = arg;
    const int me = logp_vp_rank(vp);
    unsigned char buf[64];
    int rc = 0, received = 0;

    for (int i = 0; rc == 0 && i < run->g->n_ops[me]; i++) {
        const struct op *op = &run->g->ops[me][i];
        struct logp_status status;

        if (op->kind == COMPUTE) {
            rc = logp_compute(vp, op->time, NULL, NULL);
        } else if (op->kind == SEND) {
            memset(buf, op->id & 0xff, sizeof(buf));
            memcpy(buf, &op->id, sizeof(op->id));
            rc = logp_send(vp, op->peer, op->tag, buf, op->n_bytes);
        } else {
            int id = -1;

            rc = logp_recv(vp, op->peer, op->tag, buf, sizeof(buf), &status);
            memcpy(&id, buf, sizeof(id));
            for (size_t k = sizeof(id); rc == 0 && k < status.n_bytes; k++)
                cr_assert_eq(buf[k], id & 0xff);
            run->out.took[me][received++] = id;
        }
    }
    run->out.end[me] = logp_now(vp);
    return rc;
}

static void compare(const struct programs *g, const struct outcome *a, const struct outcome *b,
                    uint64_t seed)
{
    (void)seed; /* the plain runner of tests has no messages */
    for (int i = 0; i < g->P; i++) {
        int received = 0;

        cr_assert_eq(a->end[i], b->end[i], "program %lu: rank %d ends at %ld, simulated %ld",
                     (unsigned long)seed, i, (long)a->end[i], (long)b->end[i]);
        for (int k = 0; k < g->n_ops[i]; k++)
            if (g->ops[i][k].kind == RECV) {
                cr_assert_eq(a->took[i][received], b->took[i][received],
                             "program %lu: rank %d took another message", (unsigned long)seed, i);
                received++;
            }
    }
}

Test(random, programs_agree_with_a_plain_event_simulation)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    struct programs *g = malloc(sizeof(*g));
    struct run run;
    struct outcome expected;

    cr_log_info("programs 1 to %d, each its own seed", PROGRAMS / test_divisor());
    for (uint64_t seed = 1; seed <= (uint64_t)(PROGRAMS / test_divisor()); seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        const int P = 1 + (int)(test_random(&random) % MOST_P);
        struct logp_delay delay;

        generate(g, &random, P);
        if (machines[P] == NULL)
            machines[P] = test_machine(P, LOGP_CLOCK_VIRTUAL, NULL);
        cr_assert_eq(logp_delay_create("loggp", &g->params, &delay), 0);
        cr_assert_eq(logp_machine_set_delay(machines[P], delay, 0), 0);
        run.g = g;
        if (logp_machine_cores(machines[P]) > 1 &&
            (g->params.capacity > 0 || g->params.L_ns + g->params.o_send_ns == 0)) {
            cr_assert_eq(logp_machine_run(machines[P], program, &run, 0), -ENOTSUP);
            continue;
        }
        cr_assert_eq(logp_machine_run(machines[P], program, &run, test_timeout_ns), 0);
        simulate(g, &expected);
        compare(g, &run.out, &expected, seed);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
    free(g);
}
