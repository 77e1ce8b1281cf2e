/* SPDX-License-Identifier: MIT */
/*
 * Exhaustive exploration of requests against brute force: random small programs of sends and
 * receives that are posted, tested, waited for (each, or the first of all) and cancelled, with
 * sends that wait for their receivers and without. The enumeration here is of a plain machine: a
 * message arrives at any time after it was sent, in the order of its (source, tag), and is taken by
 * the first posted receive that it fits, whatever that receive's processor does meanwhile, or is
 * kept. What has been matched may be found complete, or not yet. Both count how many outcomes there
 * are: what each processor has seen, in its order; and both say whether a program can deadlock.
 * What comes by chance is among these.
 */
#include "support.h"

enum { P = 3, SLOTS = 3, MOST_OPS = 12, MOST_SENT = 6, LETTERS = 2 * MOST_OPS, MISSES = 100 };
enum { MOST_STATES = 60000, TABLE = 1 << 17, MOST_OUTCOMES = 4000, PROGRAMS = 400 };

enum op_kind { SEND, ISEND, RECV, IRECV, PROBE, TEST, WAIT, CANCEL, TESTANY, WAITANY };
struct op {
    signed char kind, peer, tag, slot; /* peer: -1: any */
};
struct program {
    struct op ops[P][MOST_OPS];
    int n[P];
    bool waits; /* sends for their receivers */
    char seen[P][LETTERS];
};

/* ---- sets of what has been seen: of outcomes, and of states ---- */

struct set {
    char *items;
    int *table; /* index of an item, plus 1 */
    int n, most;
    size_t size;
};

static struct set set_of(size_t size, int most)
{
    return (struct set){.items = malloc(size * (size_t)most),
                        .table = calloc(TABLE, sizeof(int)),
                        .most = most,
                        .size = size};
}

static void empty(struct set *s)
{
    free(s->items);
    free(s->table);
}

/* @return it is new */
static bool add(struct set *s, const void *item)
{
    const unsigned char *bytes = item;
    uint64_t h = 1;

    for (size_t i = 0; i < s->size; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    for (h ^= h >> 31;; h++) {
        int *at = &s->table[h % TABLE];

        if (*at == 0) {
            cr_assert_lt(s->n, s->most);
            memcpy(s->items + s->size * (size_t)s->n, item, s->size);
            *at = ++s->n;
            return true;
        }
        if (memcmp(s->items + s->size * (size_t)(*at - 1), item, s->size) == 0)
            return false;
    }
}

/* ---- brute force ---- */

/* Of a slot; the last two are of calls that wait: a receive, a send. */
enum { NONE, POSTED, MATCHED, ASKING, HEARD, SURE, OF_RECV = SLOTS, OF_SEND, ALL_SLOTS };

struct message {
    signed char source, tag, slot, letter; /* slot: of the sender that hears of it; -1: none */
};
struct queue {
    struct message list[MOST_SENT];
    signed char n;
};
struct processor {
    signed char at, begun, n_sent, n_seen, n_posted;
    signed char posted[ALL_SLOTS]; /* slots, in the order of posting */
    signed char peer[ALL_SLOTS], tag[ALL_SLOTS], state[ALL_SLOTS];
    char letter[ALL_SLOTS];
    struct queue kept;
    char seen[LETTERS];
};
struct state {
    struct processor of[P];
    struct queue way[P][P][2]; /* [from][to][tag] */
};

struct enumeration {
    const struct program *g;
    struct set states, outcomes;
    bool deadlocks, too_many;
};

static struct message take_out(struct queue *q, int i)
{
    const struct message m = q->list[i];

    memmove(&q->list[i], &q->list[i + 1], (size_t)(--q->n - i) * sizeof(m));
    memset(&q->list[q->n], 0, sizeof(m));
    return m;
}

static void see(struct processor *p, char what, char which)
{
    p->seen[(int)p->n_seen++] = what;
    p->seen[(int)p->n_seen++] = which;
}

static bool fits(const struct processor *p, int slot, const struct message *m)
{
    return p->tag[slot] == m->tag && (p->peer[slot] < 0 || p->peer[slot] == m->source);
}

static void match(struct state *s, struct processor *p, int slot, const struct message *m)
{
    p->state[slot] = MATCHED;
    p->letter[slot] = m->letter;
    if (m->slot >= 0)
        s->of[(int)m->source].state[(int)m->slot] = HEARD;
}

static void unpost(struct processor *p, int i)
{
    memmove(&p->posted[i], &p->posted[i + 1], (size_t)(--p->n_posted - i));
    p->posted[(int)p->n_posted] = 0;
}

static void arrive(struct state *s, struct processor *p, const struct message *m)
{
    for (int i = 0; i < p->n_posted; i++)
        if (fits(p, p->posted[i], m)) {
            match(s, p, p->posted[i], m);
            unpost(p, i);
            return;
        }
    p->kept.list[(int)p->kept.n++] = *m;
}

static void post(struct state *s, struct processor *p, int slot, const struct op *op)
{
    p->peer[slot] = op->peer;
    p->tag[slot] = op->tag;
    for (int i = 0; i < p->kept.n; i++)
        if (fits(p, slot, &p->kept.list[i])) {
            const struct message m = take_out(&p->kept, i);

            match(s, p, slot, &m);
            return;
        }
    p->state[slot] = POSTED;
    p->posted[(int)p->n_posted++] = (signed char)slot;
}

static void put(struct state *s, int rank, int slot, const struct op *op, bool waits)
{
    struct processor *p = &s->of[rank];
    struct queue *way = &s->way[rank][(int)op->peer][(int)op->tag];

    way->list[(int)way->n++] =
        (struct message){(signed char)rank, op->tag, (signed char)(waits ? slot : -1),
                         (signed char)('0' + MOST_SENT * rank + p->n_sent++)};
    p->state[slot] = waits ? ASKING : SURE;
}

/* Is it complete, as far as anybody can find out? */
static bool is_complete(const struct processor *p, int slot)
{
    return p->state[slot] == MATCHED || p->state[slot] == HEARD || p->state[slot] == SURE;
}

static void complete(struct processor *p, int slot, char what)
{
    see(p, (char)(what + slot), p->state[slot] == MATCHED ? p->letter[slot] : '!');
    p->state[slot] = NONE;
    p->letter[slot] = 0;
    p->peer[slot] = p->tag[slot] = 0;
}

static void go(struct enumeration *e, const struct state *s);

/* The state after rank has come to the end of its call. */
static void after(struct enumeration *e, struct state *next, int rank)
{
    next->of[rank].at++;
    next->of[rank].begun = 0;
    go(e, next);
}

static void miss(struct enumeration *e, const struct state *s, int rank)
{
    struct state next = *s;

    see(&next.of[rank], '-', '-');
    after(e, &next, rank);
}

/* TEST to WAITANY: slots from .. to. @return something can be done */
static bool look(struct enumeration *e, const struct state *s, int rank, const struct op *op)
{
    const bool all = op->kind == TESTANY || op->kind == WAITANY;
    const int from = all ? 0 : op->slot, to = all ? SLOTS - 1 : op->slot;
    const bool tests = op->kind == TEST || op->kind == TESTANY;
    bool any = false, sure = false, none = true;

    for (int i = from; i <= to; i++) {
        const int state = s->of[rank].state[i];
        struct state next = *s;

        none = none && state == NONE;
        sure = sure || state == SURE;
        if (!is_complete(&s->of[rank], i))
            continue;
        any = true;
        complete(&next.of[rank], i, 'a');
        after(e, &next, rank);
    }
    if (none) {
        struct state next = *s;

        after(e, &next, rank);
    } else if (tests && !sure) {
        miss(e, s, rank);
    }
    return any || none || tests;
}

static bool cancel(struct enumeration *e, const struct state *s, int rank, int slot)
{
    struct state next = *s;
    struct processor *p = &next.of[rank];
    const int was = p->state[slot];

    if (was == POSTED) {
        for (int i = p->n_posted; i-- > 0;)
            if (p->posted[i] == slot)
                unpost(p, i);
        complete(p, slot, 'A');
    } else if (was == MATCHED) {
        see(p, 'f', 'f');
    }
    after(e, &next, rank);
    return true;
}

static bool probe(struct enumeration *e, const struct state *s, int rank, const struct op *op)
{
    const struct processor *p = &s->of[rank];
    bool seen[P] = {false};

    for (int i = 0; i < p->kept.n; i++) {
        const struct message *m = &p->kept.list[i];
        struct state next = *s;

        if (seen[(int)m->source] || m->tag != op->tag || (op->peer >= 0 && op->peer != m->source))
            continue;
        seen[(int)m->source] = true;
        see(&next.of[rank], 'p', (char)('0' + m->source));
        after(e, &next, rank);
    }
    miss(e, s, rank);
    return true;
}

/* A call that waits: it begins, and then it ends. @return something can be done */
static bool call(struct enumeration *e, const struct state *s, int rank, const struct op *op)
{
    const int slot = op->kind == RECV ? OF_RECV : OF_SEND;
    struct state next = *s;
    struct processor *p = &next.of[rank];

    if (p->begun == 0) {
        p->begun = 1;
        if (op->kind == RECV)
            post(&next, p, slot, op);
        else
            put(&next, rank, slot, op, e->g->waits);
        go(e, &next);
        return true;
    }
    if (!is_complete(p, slot))
        return false;
    complete(p, slot, 'a');
    after(e, &next, rank);
    return true;
}

static bool step(struct enumeration *e, const struct state *s, int rank)
{
    const struct op *op = &e->g->ops[rank][(int)s->of[rank].at];
    struct state next = *s;

    switch ((enum op_kind)op->kind) {
    case SEND:
    case RECV:
        return call(e, s, rank, op);
    case ISEND:
        put(&next, rank, op->slot, op, e->g->waits);
        break;
    case IRECV:
        post(&next, &next.of[rank], op->slot, op);
        break;
    case PROBE:
        return probe(e, s, rank, op);
    case CANCEL:
        return cancel(e, s, rank, op->slot);
    default:
        return look(e, s, rank, op);
    }
    after(e, &next, rank);
    return true;
}

static void finish(struct enumeration *e, const struct state *s)
{
    char seen[P][LETTERS];

    for (int r = 0; r < P; r++) {
        e->deadlocks = e->deadlocks || s->of[r].at < e->g->n[r];
        memcpy(seen[r], s->of[r].seen, LETTERS);
    }
    e->too_many = e->too_many || e->outcomes.n + 1 >= MOST_OUTCOMES;
    if (!e->too_many)
        add(&e->outcomes, seen);
}

static void go(struct enumeration *e, const struct state *s)
{
    bool any = false;

    e->too_many = e->too_many || e->states.n + 1 >= MOST_STATES;
    if (e->too_many || !add(&e->states, s))
        return;
    for (int i = 0; i < P * P * 2; i++) {
        const int to = i / 2 % P;
        struct state next = *s;
        struct queue *way = &next.way[i / 2 / P][to][i % 2];

        if (way->n > 0) {
            const struct message m = take_out(way, 0);

            any = true;
            arrive(&next, &next.of[to], &m);
            go(e, &next);
        }
    }
    for (int r = 0; r < P; r++)
        any = (s->of[r].at < e->g->n[r] && step(e, s, r)) || any;
    if (!any)
        finish(e, s);
}

/* ---- the same with the kit ---- */

struct running {
    struct logp_request *r[SLOTS];
    bool receives[SLOTS];
    char got[SLOTS], sent, *seen;
};

static void note(struct running *x, char what, char which)
{
    *x->seen++ = what;
    *x->seen++ = which;
}

static void note_complete(struct running *x, int slot)
{
    note(x, (char)('a' + slot), (char)(x->receives[slot] ? x->got[slot] : '!'));
    x->r[slot] = NULL;
}

static int run_any(struct logp_vp *vp, struct running *x, bool tests)
{
    bool done = true;
    int i, rc = tests ? logp_testany(vp, x->r, SLOTS, &i, &done, NULL)
                      : logp_waitany(vp, x->r, SLOTS, &i, NULL);

    if (rc == 0 && !done)
        note(x, '-', '-');
    else if (rc == 0 && i >= 0)
        note_complete(x, i);
    return rc;
}

static int run_cancel(struct logp_vp *vp, struct running *x, int slot)
{
    const int rc = logp_cancel(vp, x->r[slot]);

    if (rc == 0) {
        note(x, (char)('A' + slot), '!');
        x->r[slot] = NULL;
    } else if (rc == -EINPROGRESS) {
        note(x, 'f', 'f');
    }
    return rc == -EINPROGRESS || rc == -EINVAL ? 0 : rc; /* a send, or nothing */
}

static int run_op(struct logp_vp *vp, struct running *x, const struct op *op)
{
    const int src = op->peer < 0 ? LOGP_ANY_SOURCE : op->peer, slot = op->slot;
    char c = (char)('0' + MOST_SENT * logp_vp_rank(vp) + x->sent);
    struct logp_status status;
    bool done;
    int rc;

    switch ((enum op_kind)op->kind) {
    case SEND:
        x->sent++;
        rc = logp_send(vp, op->peer, op->tag, &c, 1);
        if (rc == 0)
            note(x, 'a' + OF_SEND, '!');
        return rc;
    case ISEND:
        x->sent++;
        x->receives[slot] = false;
        return logp_isend(vp, op->peer, op->tag, &c, 1, &x->r[slot]);
    case RECV:
        rc = logp_recv(vp, src, op->tag, &c, 1, NULL);
        if (rc == 0)
            note(x, 'a' + OF_RECV, c);
        return rc;
    case IRECV:
        x->receives[slot] = true;
        return logp_irecv(vp, src, op->tag, &x->got[slot], 1, &x->r[slot]);
    case PROBE:
        rc = logp_probe(vp, src, op->tag, &done, &status);
        if (rc == 0)
            note(x, done ? 'p' : '-', (char)(done ? '0' + status.source : '-'));
        return rc;
    case CANCEL:
        return run_cancel(vp, x, slot);
    case TESTANY:
    case WAITANY:
        return run_any(vp, x, op->kind == TESTANY);
    case TEST:
    case WAIT:
        break;
    }
    if (x->r[slot] == NULL)
        return 0;
    done = true;
    rc =
        op->kind == TEST ? logp_test(vp, x->r[slot], &done, NULL) : logp_wait(vp, x->r[slot], NULL);
    if (rc == 0 && done)
        note_complete(x, slot);
    else if (rc == 0)
        note(x, '-', '-');
    return rc;
}

struct collecting {
    struct program *program;
    struct set outcomes;
};

static int run_ops(struct logp_vp *vp, void *arg)
{
    struct program *g = ((struct collecting *)arg)->program;
    const int me = logp_vp_rank(vp);
    struct running x = {.seen = g->seen[me]};
    int rc = 0;

    for (int i = 0; rc == 0 && i < g->n[me]; i++)
        rc = run_op(vp, &x, &g->ops[me][i]);
    return rc;
}

static int clear(int n, void *arg)
{
    struct collecting *c = arg;

    (void)n;
    memset(c->program->seen, 0, sizeof(c->program->seen));
    return 0;
}

static int keep(const struct logp_report *report, void *arg)
{
    struct collecting *c = arg;

    (void)report;
    add(&c->outcomes, c->program->seen);
    return 0;
}

/* ---- random programs ---- */

static bool is_free(const struct program *g, int rank, int slot)
{
    for (int i = 0; i < g->n[rank]; i++)
        if ((g->ops[rank][i].kind == ISEND || g->ops[rank][i].kind == IRECV) &&
            g->ops[rank][i].slot == slot)
            return false;
    return true;
}

static void insert(struct program *g, int rank, int at, struct op op)
{
    struct op *ops = g->ops[rank];

    if (g->n[rank] == MOST_OPS - SLOTS - 1)
        return;
    memmove(&ops[at + 1], &ops[at], (size_t)(g->n[rank]++ - at) * sizeof(op));
    ops[at] = op;
}

/* A send or a receive anywhere; with a request, if there is one left. */
static void exchange(struct program *g, uint64_t *random, int rank, struct op op)
{
    while (op.slot < SLOTS && !is_free(g, rank, op.slot))
        op.slot++;
    if (op.slot < SLOTS && test_below(random, 3) > 0)
        op.kind = op.kind == SEND ? ISEND : IRECV;
    insert(g, rank, (int)test_below(random, g->n[rank] + 1), op);
}

static void draw(struct program *g, uint64_t *random)
{
    const int messages = 2 + (int)test_below(random, 3), looks = 1 + (int)test_below(random, 4);

    memset(g, 0, sizeof(*g));
    g->waits = test_below(random, 2) == 0;
    for (int i = 0; i < messages; i++) {
        const int from = (int)test_below(random, P);
        const int to = (from + 1 + (int)test_below(random, P - 1)) % P;
        const signed char tag = test_below(random, 4) == 0;
        const bool any = test_below(random, 2) == 0;

        exchange(g, random, from, (struct op){SEND, (signed char)to, tag, 0});
        exchange(g, random, to, (struct op){RECV, (signed char)(any ? -1 : from), tag, 0});
    }
    for (int i = 0; i < looks; i++) {
        const int rank = (int)test_below(random, P);

        insert(g, rank, (int)test_below(random, g->n[rank] + 1),
               (struct op){(signed char)(TEST + test_below(random, 5)), 0, 0,
                           (signed char)test_below(random, SLOTS - 1)});
    }
    for (int r = 0; r < P; r++) { /* what a probe finds is what the next receive takes: none is */
        if (test_below(random, 4) == 0)
            insert(g, r, g->n[r],
                   (struct op){PROBE, -1, (signed char)(test_below(random, 4) == 0), 0});
        for (int i = 0; i < SLOTS; i++)
            g->ops[r][g->n[r]++] = (struct op){WAIT, 0, 0, (signed char)i};
    }
}

/* All that the kit has seen is possible. */
static void include(uint64_t seed, int rc, const struct set *kit, struct enumeration *brute)
{
    cr_assert(rc == 0 || (rc == -EDEADLK && brute->deadlocks), "seed %llu: %d",
              (unsigned long long)seed, rc);
    for (int i = 0; i < kit->n; i++)
        cr_assert(!add(&brute->outcomes, kit->items + (size_t)i * kit->size),
                  "seed %llu: what cannot be", (unsigned long long)seed);
}

static void compare(uint64_t seed, int rc, const struct logp_checked *checked, struct set *kit,
                    const struct enumeration *brute)
{
    const int n = brute->outcomes.n;

    cr_assert_eq(rc, brute->deadlocks ? -EDEADLK : 0, "seed %llu: %d, by brute force %s",
                 (unsigned long long)seed, rc, brute->deadlocks ? "deadlocks" : "goes well");
    if (brute->deadlocks)
        return;
    cr_assert(checked->complete, "seed %llu: %s", (unsigned long long)seed, checked->text);
    cr_assert_eq(kit->n, n, "seed %llu: %d outcomes, by brute force %d", (unsigned long long)seed,
                 kit->n, n);
    for (int i = 0; i < n; i++)
        cr_assert(!add(kit, brute->outcomes.items + (size_t)i * kit->size),
                  "seed %llu: not the same", (unsigned long long)seed);
    cr_assert_eq(checked->executions, (uint64_t)n, "seed %llu: %s, by brute force %d",
                 (unsigned long long)seed, checked->text, n);
}

/* @return how many outcomes; 0: it can deadlock; -1: too many to count */
static int explore(uint64_t seed, enum logp_strategy strategy)
{
    const bool all = strategy == LOGP_STRATEGY_EXHAUSTIVE;
    struct program g;
    struct collecting c = {.program = &g, .outcomes = set_of(sizeof(g.seen), MOST_OUTCOMES)};
    struct enumeration brute = {.g = &g,
                                .states = set_of(sizeof(struct state), MOST_STATES),
                                .outcomes = set_of(sizeof(g.seen), MOST_OUTCOMES)};
    struct logp_check check = {.sizes = (int[]){P},
                               .n_sizes = 1,
                               .strategy = strategy,
                               .runs = all ? 0 : 100,
                               .seed = seed,
                               .executor = seed % 20 == 0 ? "thread" : "fiber",
                               .misses = MISSES,
                               .before = clear,
                               .after = keep,
                               .as_found = true};
    struct state s;
    uint64_t random = seed;
    int n = -1, rc;

    draw(&g, &random);
    memset(&s, 0, sizeof(s));
    go(&brute, &s);
    if (!brute.too_many) {
        check.sends = g.waits ? LOGP_SENDS_SYNCHRONOUS : LOGP_SENDS_BUFFERED;
        rc = logp_check(run_ops, &c, &check, NULL);
        if (all)
            compare(seed, rc, &check.checked, &c.outcomes, &brute);
        else
            include(seed, rc, &c.outcomes, &brute);
        n = brute.deadlocks ? 0 : brute.outcomes.n;
    }
    empty(&c.outcomes);
    empty(&brute.states);
    empty(&brute.outcomes);
    return n;
}

Test(explore_requests, as_many_outcomes_as_by_brute_force)
{
    int compared = 0, most = 0;

    for (uint64_t seed = 1; compared < PROGRAMS / TEST_SCALE; seed++) {
        const int n = explore(seed, LOGP_STRATEGY_EXHAUSTIVE);

        compared += n > 1;
        most = n > most ? n : most;
    }
    cr_assert_gt(most, TEST_SCALE == 1 ? 10 : 1);
}

Test(explore_requests, no_others_by_chance)
{
    for (uint64_t seed = 1; seed <= PROGRAMS / TEST_SCALE; seed++)
        for (int strategy = LOGP_STRATEGY_RANDOM; strategy <= LOGP_STRATEGY_PCT; strategy++)
            explore(seed, (enum logp_strategy)strategy);
}
