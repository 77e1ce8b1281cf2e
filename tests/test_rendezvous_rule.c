/* SPDX-License-Identifier: MIT */
/*
 * Sends that wait for their receivers: random programs, held against the rule worked out here by
 * recursion over what waits for what.
 */
#include "own_clock.h"
#include "rendezvous.h"

enum { MOST_P = 5, MOST_OPS = 12, TAGS = 2 };

enum kind { COMPUTE, SEND, RECEIVE, EXCHANGE, ISEND };

/* EXCHANGE: send to peer, receive from `from`. ISEND: computes `ns` before it is waited for. */
struct op {
    enum kind kind;
    int peer, from, tag;
    size_t n_bytes;
    int64_t ns;
};

struct random_program {
    int P, n[MOST_P];
    struct op ops[MOST_P][MOST_OPS];
    int64_t from, end[MOST_P];
};

static uint64_t draw(uint64_t *state, uint64_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % n;
}

static void add(struct random_program *r, int rank, struct op op)
{
    r->ops[rank][r->n[rank]++] = op;
}

/* Every message has its receive; whether they come in an order in which all get through is left to
 * chance. */
static void make_program(struct random_program *r, uint64_t seed)
{
    uint64_t s = seed * 977 + 5;

    *r = (struct random_program){.P = 2 + (int)draw(&s, MOST_P - 1)};
    r->from = 1 + (int64_t)draw(&s, 60);
    for (int n = 3 + (int)draw(&s, 4 * (uint64_t)r->P); n > 0; n--) {
        const int a = (int)draw(&s, (uint64_t)r->P);
        const int b = (a + 1 + (int)draw(&s, (uint64_t)r->P - 1)) % r->P;
        const int tag = (int)draw(&s, TAGS);
        const size_t n_bytes = (size_t)draw(&s, 80);
        const struct op send = {SEND, b, -1, tag, n_bytes, 0};
        const struct op receive = {RECEIVE, a, -1, tag, 80, 0};
        const uint64_t what = draw(&s, 6);

        if (r->n[a] == MOST_OPS || r->n[b] == MOST_OPS)
            break;
        if (what == 0) {
            add(r, a, (struct op){COMPUTE, -1, -1, 0, 0, (int64_t)draw(&s, 500)});
        } else if (what == 1) { /* both ways at once */
            add(r, a, (struct op){EXCHANGE, b, b, tag, n_bytes, 0});
            add(r, b, (struct op){EXCHANGE, a, a, tag, n_bytes / 2, 0});
        } else if (what == 2) {
            add(r, a, (struct op){ISEND, b, -1, tag, n_bytes, (int64_t)draw(&s, 900)});
            add(r, b, receive);
        } else if (what == 3 && r->n[a] > 0) { /* late, perhaps too late */
            add(r, a, send);
            r->ops[a][r->n[a] - 1] = r->ops[a][r->n[a] - 2];
            r->ops[a][r->n[a] - 2] = send;
            add(r, b, receive);
        } else {
            add(r, a, send);
            add(r, b, receive);
        }
    }
}

static int run_program(struct logp_vp *vp, void *arg)
{
    struct random_program *r = arg;
    const int me = logp_vp_rank(vp);
    static const char zero[80];
    char in[80];
    int rc = 0;

    for (int i = 0; rc == 0 && i < r->n[me]; i++) {
        const struct op *o = &r->ops[me][i];
        struct logp_request *q;

        switch (o->kind) {
        case COMPUTE:
            rc = logp_compute(vp, o->ns, NULL, NULL);
            break;
        case SEND:
            rc = logp_send(vp, o->peer, o->tag, zero, o->n_bytes);
            break;
        case RECEIVE:
            rc = logp_recv(vp, o->peer, o->tag, in, sizeof(in), NULL);
            break;
        case EXCHANGE:
            rc = logp_sendrecv(vp, o->peer, o->tag, zero, o->n_bytes, o->from, o->tag, in,
                               sizeof(in), NULL);
            break;
        case ISEND:
            rc = logp_isend(vp, o->peer, o->tag, zero, o->n_bytes, &q);
            if (rc == 0)
                rc = logp_compute(vp, o->ns, NULL, NULL);
            if (rc == 0)
                rc = logp_wait(vp, q, NULL);
            break;
        }
    }
    r->end[me] = logp_now(vp);
    return rc;
}

/* What is known of an op. */
struct known {
    enum { UNKNOWN, BEGUN, ASKED, SENT, DONE } state;
    int64_t asked, arrival, end;     /* of its request, or message; of the op */
    int64_t send_from, receive_from; /* the gaps are over */
};

struct rule {
    const struct random_program *r;
    const struct logp_params *p;
    struct known known[MOST_P][MOST_OPS];
    bool changed;
};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The op of rank b that receives what op i of rank a sends: the n-th of this source and tag. */
static int partner(const struct random_program *r, int a, int i, int b, bool of_send)
{
    const int tag = r->ops[a][i].tag;
    int n = 0, k = -1;

    for (int j = 0; j <= i; j++) {
        const struct op *o = &r->ops[a][j];
        const bool sends = o->kind == SEND || o->kind == EXCHANGE || o->kind == ISEND;
        const bool receives = o->kind == RECEIVE || o->kind == EXCHANGE;

        n += o->tag == tag &&
             ((of_send && sends && o->peer == b) ||
              (!of_send && receives && (o->kind == EXCHANGE ? o->from : o->peer) == b));
    }
    while (n > 0 && ++k < r->n[b]) {
        const struct op *o = &r->ops[b][k];
        const bool sends = o->kind == SEND || o->kind == EXCHANGE || o->kind == ISEND;
        const bool receives = o->kind == RECEIVE || o->kind == EXCHANGE;

        n -= o->tag == tag &&
             ((!of_send && sends && o->peer == a) ||
              (of_send && receives && (o->kind == EXCHANGE ? o->from : o->peer) == a));
    }
    return k;
}

static int64_t streamed(const struct logp_params *p, size_t n_bytes)
{
    return n_bytes > 1 ? ((int64_t)(n_bytes - 1) * p->G_ps + 999) / 1000 : 0;
}

/* A message leaves at t or later. @return when its sender is free again */
static int64_t leaves(const struct rule *u, struct known *k, int64_t t, size_t n_bytes,
                      int64_t *arrival)
{
    const int64_t s = most(t, k->send_from), G = streamed(u->p, n_bytes);

    k->send_from = s + most(u->p->o_send_ns, u->p->g_ns + G);
    *arrival = s + u->p->o_send_ns + G + u->p->L_ns;
    return s + u->p->o_send_ns;
}

/* Go on with op i of a rank as far as what is known of others allows. */
static void apply(struct rule *u, int rank, int i)
{
    const struct op *o = &u->r->ops[rank][i];
    struct known *k = &u->known[rank][i];
    const bool sends = o->kind == SEND || o->kind == EXCHANGE || o->kind == ISEND;
    const bool waits = (int64_t)(o->n_bytes > 0 ? o->n_bytes : 1) >= u->r->from;

    if (k->state == UNKNOWN) {
        if (i > 0) {
            k->send_from = u->known[rank][i - 1].send_from;
            k->receive_from = u->known[rank][i - 1].receive_from;
        }
        k->asked = i > 0 ? u->known[rank][i - 1].end : 0;
        k->end = k->asked; /* it begins */
        k->state = BEGUN;
        u->changed = true;
    }
    if (k->state == BEGUN && sends) {
        int64_t arrival;

        k->end = leaves(u, k, k->end, waits ? 0 : o->n_bytes, &arrival);
        k->arrival = arrival;
        k->end += o->kind == ISEND ? o->ns : 0;
        k->state = waits ? ASKED : SENT;
        u->changed = true;
    }
    if (k->state == ASKED) {
        const struct known *to = &u->known[o->peer][partner(u->r, rank, i, o->peer, true)];
        int64_t arrival;

        if (to->state == UNKNOWN)
            return;
        k->end = most(k->end, most(k->arrival, to->asked) + u->p->L_ns);
        k->end = leaves(u, k, k->end, o->n_bytes, &arrival);
        k->arrival = arrival;
        k->state = SENT;
        u->changed = true;
    }
    if (k->state == SENT && o->kind != EXCHANGE) {
        k->state = DONE;
        u->changed = true;
    }
    if (k->state == BEGUN && o->kind == COMPUTE) {
        k->end += o->ns;
        k->state = DONE;
        u->changed = true;
    }
    if ((k->state == SENT && o->kind == EXCHANGE) || (k->state == BEGUN && o->kind == RECEIVE)) {
        const int src = o->kind == EXCHANGE ? o->from : o->peer;
        const int j = partner(u->r, rank, i, src, false);
        const struct known *from = &u->known[src][j];
        const int64_t G = streamed(u->p, u->r->ops[src][j].n_bytes);
        int64_t s;

        if (from->state < SENT)
            return;
        s = most(k->end, from->arrival);
        /* the gap before a receive is that of its own message */
        if (k->receive_from > 0)
            s = most(s, k->receive_from - 1 + most(u->p->o_recv_ns, u->p->g_ns + G));
        k->receive_from = s + 1; /* its start; 0: there was none */
        k->end = s + u->p->o_recv_ns;
        k->state = DONE;
        u->changed = true;
    }
}

/* @return who does not get through; -1: all do */
static int work_out(const struct random_program *r, const struct logp_params *p, int64_t *end)
{
    static struct rule u;
    int stuck = -1;

    u = (struct rule){.r = r, .p = p, .changed = true};
    while (u.changed) {
        u.changed = false;
        for (int rank = 0; rank < r->P; rank++)
            for (int i = 0; i < r->n[rank]; i++) {
                apply(&u, rank, i);
                if (u.known[rank][i].state != DONE)
                    break;
            }
    }
    for (int rank = 0; rank < r->P; rank++) {
        const int n = r->n[rank];

        end[rank] = n > 0 ? u.known[rank][n - 1].end : 0;
        if (n > 0 && u.known[rank][n - 1].state != DONE)
            stuck = rank;
    }
    return stuck;
}

Test(rendezvous_rule, random_programs_take_what_the_rule_says)
{
    static struct random_program r;
    int through = 0, stuck = 0;

    for (uint64_t seed = 0; seed < 3000 / (uint64_t)test_divisor(); seed++) {
        const struct logp_params *p = &all_params[seed % 2];
        TEST_MACHINE m = NULL;
        int64_t end[MOST_P];
        int rc, who;

        make_program(&r, seed);
        who = work_out(&r, p, end);
        m = machine_of(r.P, LOGP_CLOCK_VIRTUAL, p, r.from);
        rc = logp_machine_run(m, run_program, &r, test_timeout_ns);
        cr_assert_eq(rc, who < 0 ? 0 : -EDEADLK, "seed %d: %d, rank %d", (int)seed, rc, who);
        for (int i = 0; rc == 0 && i < r.P; i++)
            cr_assert_eq(r.end[i], end[i], "seed %d: rank %d ends at %lld, by the rule %lld",
                         (int)seed, i, (long long)r.end[i], (long long)end[i]);
        through += rc == 0;
        stuck += rc != 0;
    }
    cr_expect_gt(through, 0);
    cr_expect_gt(stuck, 0);
}

/* On several cores, in real time: who gets through, and never early. */
Test(rendezvous_rule, random_programs_are_never_early_on_the_wall_clock)
{
    static const struct logp_params p = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
    static struct random_program r;

    for (uint64_t seed = 0; seed < 150 / (uint64_t)test_divisor(); seed++) {
        int64_t end[MOST_P];
        TEST_MACHINE m = NULL;
        int rc, who;

        make_program(&r, seed);
        who = work_out(&r, &p, end);
        m = machine_of(r.P, LOGP_CLOCK_WALL, seed % 2 == 0 ? &p : NULL, r.from);
        rc = logp_machine_run(m, run_program, &r, test_timeout_ns);
        cr_assert_eq(rc, who < 0 ? 0 : -EDEADLK, "seed %d: %d, rank %d", (int)seed, rc, who);
        for (int i = 0; rc == 0 && seed % 2 == 0 && i < r.P; i++)
            cr_assert_geq(r.end[i], end[i], "seed %d: rank %d is early", (int)seed, i);
    }
}

/* A clock that the test controls: what a reading takes is all that is added. */
Test(rendezvous_rule, emulated_times_are_right_on_the_wall_clock)
{
    static const struct logp_params p = {
        .L_ns = 600000, .o_send_ns = 20000, .o_recv_ns = 30000, .g_ns = 40000};
    static struct random_program r;

    for (uint64_t seed = 0; seed < 40 / TEST_SCALE + 2; seed++) {
        struct own_clock c = own_clock();
        TEST_MACHINE m = NULL;
        int64_t end[MOST_P];

        c.step = 50;
        make_program(&r, seed);
        if (work_out(&r, &p, end) >= 0)
            continue;
        m = own_clock_machine(r.P, &c, &p);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, r.from), 0);
        cr_assert_eq(logp_machine_run(m, run_program, &r, test_timeout_ns), 0);
        for (int i = 0; i < r.P; i++)
            cr_assert(r.end[i] >= end[i] && r.end[i] < end[i] + p.o_send_ns / 2,
                      "seed %d: rank %d ends at %lld, by the rule %lld", (int)seed, i,
                      (long long)r.end[i], (long long)end[i]);
    }
}
