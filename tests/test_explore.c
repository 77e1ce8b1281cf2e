/* SPDX-License-Identifier: MIT */
/*
 * Exhaustive exploration against brute force: random small programs of sends, receives of one
 * source or of any, and probes are run by the kit, and by a plain enumeration of all interleavings
 * here. Both count how many outcomes there are: what each processor has received, or missed, in its
 * order.
 */
#include "support.h"

enum { MOST_OPS = 8, P = 3, MOST_OUTCOMES = 200000, MISSES = 3 };

enum op_kind { SEND, RECV, ANY, PROBE };
struct op {
    enum op_kind kind;
    int peer; /* ANY, PROBE: none */
};
struct program {
    struct op ops[P][MOST_OPS];
    int n[P];
    char seen[P][MOST_OPS + 1]; /* what the last run saw: a letter for each op */
};

/* ---- outcomes, each once ---- */

struct outcomes {
    char (*seen)[P * (MOST_OPS + 1)];
    int n;
};

static void remember(struct outcomes *o, const char seen[P][MOST_OPS + 1])
{
    for (int i = 0; i < o->n; i++)
        if (memcmp(o->seen[i], seen, sizeof(o->seen[i])) == 0)
            return;
    cr_assert_lt(o->n, MOST_OUTCOMES);
    memcpy(o->seen[o->n++], seen, sizeof(o->seen[0]));
}

/* ---- brute force: every step of every processor in every order ---- */

struct state {
    int at[P];
    int sent[P][P], taken[P][P]; /* [from][to] */
    char seen[P][MOST_OPS + 1];
};

static void step(const struct program *g, const struct state *s, struct outcomes *o);

static void after(const struct program *g, const struct state *s, int rank, char letter, int from,
                  int to, struct outcomes *o)
{
    struct state next = *s;

    next.seen[rank][next.at[rank]++] = letter;
    if (letter == 's')
        next.sent[rank][to]++;
    else if (letter >= '0' && letter <= '9')
        next.taken[from][rank]++;
    step(g, &next, o);
}

static void step(const struct program *g, const struct state *s, struct outcomes *o)
{
    bool any = false;

    for (int r = 0; r < P; r++) {
        const struct op *op = &g->ops[r][s->at[r]];

        if (s->at[r] == g->n[r])
            continue;
        if (op->kind == SEND) {
            after(g, s, r, 's', r, op->peer, o);
            return; /* a send commutes with everything: it may as well come first */
        }
    }
    for (int r = 0; r < P; r++) {
        const struct op *op = &g->ops[r][s->at[r]];

        if (s->at[r] == g->n[r])
            continue;
        for (int from = 0; from < P; from++)
            if (s->sent[from][r] > s->taken[from][r] && (op->kind != RECV || op->peer == from)) {
                any = true;
                after(g, s, r, (char)((op->kind == PROBE ? 'a' : '0') + from), from, r, o);
            }
        if (op->kind == PROBE) {
            any = true;
            after(g, s, r, '-', -1, r, o);
        }
    }
    if (!any)
        remember(o, s->seen);
}

/* ---- the same with the kit ---- */

static int run_ops(struct logp_vp *vp, void *arg)
{
    struct program *g = *(struct program **)arg;
    const int me = logp_vp_rank(vp);
    int x = 0, rc = 0;

    for (int i = 0; rc == 0 && i < g->n[me]; i++) {
        const struct op *op = &g->ops[me][i];
        struct logp_status status = {.source = 0};
        bool found = true;

        if (op->kind == SEND)
            rc = logp_send(vp, op->peer, 0, &x, sizeof(x));
        else if (op->kind == PROBE)
            rc = logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, &status);
        else
            rc = logp_recv(vp, op->kind == ANY ? LOGP_ANY_SOURCE : op->peer, 0, &x, sizeof(x),
                           &status);
        if (rc == 0)
            g->seen[me][i] = (char)(op->kind == SEND    ? 's'
                                    : op->kind != PROBE ? '0' + status.source
                                    : found             ? 'a' + status.source
                                                        : '-');
    }
    return rc;
}

struct collecting {
    struct program *program; /* first: run_ops() */
    struct outcomes outcomes;
    int calls;
};

static int clear(int n, void *arg)
{
    struct collecting *c = arg;

    (void)n;
    memset(c->program->seen, 0, sizeof(c->program->seen));
    return 0;
}

/* ---- random programs ---- */

/* Two wildcard receives of two senders each, and what else comes: as long as it has few sends. A
 * probe is the last of its processor: what it has found would else be what the next receive takes,
 * which the enumeration does not know. */
static void draw(struct program *g, uint64_t *random, bool probes)
{
    memset(g, 0, sizeof(*g));
    for (int r = 0; r < P; r++) {
        g->n[r] = 1 + (int)test_below(random, 5);
        for (int i = 0; i < g->n[r]; i++) {
            const int other = (r + 1 + (int)test_below(random, P - 1)) % P;
            const int kind = (int)test_below(random, 8);

            g->ops[r][i] = kind < 4   ? (struct op){SEND, other}
                           : kind < 7 ? (struct op){ANY, -1}
                                      : (struct op){RECV, other};
        }
        if (probes && test_below(random, 2) == 0)
            g->ops[r][g->n[r] - 1] = (struct op){PROBE, -1};
    }
}

static int keep(const struct logp_report *report, void *arg)
{
    struct collecting *c = arg;

    (void)report;
    remember(&c->outcomes, c->program->seen);
    return 0;
}

/* Nobody waits for more than is sent to it. */
static void feed(struct program *g)
{
    for (int r = 0; r < P; r++) {
        int wanted = 0, sent = 0;

        for (int i = 0; i < g->n[r]; i++)
            wanted += g->ops[r][i].kind == ANY || g->ops[r][i].kind == RECV;
        for (int from = 0; from < P; from++)
            for (int i = 0; i < g->n[from]; i++)
                sent += g->ops[from][i].kind == SEND && g->ops[from][i].peer == r;
        while (wanted > sent) { /* take the last receives out */
            int last = g->n[r] - 1;

            while (g->ops[r][last].kind == SEND || g->ops[r][last].kind == PROBE)
                last--;
            memmove(&g->ops[r][last], &g->ops[r][last + 1],
                    (size_t)(g->n[r] - last - 1) * sizeof(g->ops[r][0]));
            g->n[r]--;
            wanted--;
        }
        for (int i = 0; i < g->n[r]; i++)
            if (g->ops[r][i].kind == RECV)
                g->ops[r][i] = (struct op){ANY, -1};
    }
}

static void compare(uint64_t seed, const struct logp_checked *checked, struct outcomes *kit,
                    const struct outcomes *brute)
{
    (void)seed; /* only said where an assertion fails */
    cr_assert(checked->complete, "seed %llu: %s", (unsigned long long)seed, checked->text);
    cr_assert_eq(kit->n, brute->n, "seed %llu: %d outcomes, by brute force %d",
                 (unsigned long long)seed, kit->n, brute->n);
    cr_assert_eq(checked->executions, (uint64_t)brute->n, "seed %llu: %s, by brute force %d",
                 (unsigned long long)seed, checked->text, brute->n);
    for (int i = 0; i < brute->n; i++)
        remember(kit, (const char(*)[MOST_OPS + 1])(const void *)brute->seen[i]);
    cr_assert_eq(kit->n, brute->n, "seed %llu: not the same", (unsigned long long)seed);
}

/* @return how many outcomes; 0: some deadlock, in a circle of waits, and are not compared */
static int explore(uint64_t seed, bool probes)
{
    uint64_t random = seed;
    struct program g;
    struct collecting c = {.program = &g};
    struct outcomes brute = {0};
    struct state s = {.at = {0}};
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){P},
                               .n_sizes = 1,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE,
                               .misses = MISSES,
                               .before = clear,
                               .after = keep};
    struct logp_failure f;
    int rc;

    draw(&g, &random, probes);
    feed(&g);
    brute.seen = malloc(MOST_OUTCOMES * sizeof(*brute.seen));
    c.outcomes.seen = malloc(MOST_OUTCOMES * sizeof(*c.outcomes.seen));
    step(&g, &s, &brute);
    rc = logp_check(run_ops, &c, &check, &f);
    cr_assert(rc == 0 || rc == -EDEADLK, "seed %llu: %s", (unsigned long long)seed, f.text);
    if (rc == 0)
        compare(seed, &check.checked, &c.outcomes, &brute);
    logp_failure_free(&f);
    free(brute.seen);
    free(c.outcomes.seen);
    return rc == 0 ? brute.n : 0;
}

/* 200 programs that do not deadlock. */
static void explore_many(uint64_t seed, bool probes)
{
    const int wanted = 200 / TEST_SCALE;
    int compared = 0, most = 0;

    for (; compared < wanted; seed++) {
        const int n = explore(seed, probes);

        compared += n > 0;
        most = n > most ? n : most;
    }
    cr_assert_gt(most, TEST_SCALE == 1 ? 10 : 1); /* some have many */
}

Test(explore, as_many_outcomes_as_by_brute_force)
{
    explore_many(1, false);
}

Test(explore, as_many_outcomes_with_probes)
{
    explore_many(1001, true);
}
