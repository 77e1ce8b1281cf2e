/* SPDX-License-Identifier: MIT */
/*
 * Exhaustive exploration against brute force: random small programs of sends and receives of one
 * source or tag or of any, of probes, and of requests that are posted, tested, waited for (each, or
 * the first of all) and cancelled, with sends that wait for their receivers and without. The
 * enumeration here is of a plain machine: the messages of one source and tag come in the order
 * sent, at any time after that, and each is taken by the first posted receive that it fits,
 * whatever that receive's processor does meanwhile, or waits for one.
 * What has been matched may be found complete, or not yet. Both count how many outcomes there
 * are: what each processor has seen, in its order; and both say whether a program can deadlock.
 * What comes by chance is among these.
 */
#include "kit.h"
#include "support.h"

enum { P = 3, SLOTS = 3, MOST_OPS = 16, MOST_SENT = 12, LETTERS = 2 * MOST_OPS, MISSES = 100 };
enum { MOST_DRAWN = 8, MOST_STATES = 1000000, TABLE = 1 << 21, MOST_OUTCOMES = 50000 };
enum { PROGRAMS = 400, FEW = 16 /* runs that need no second process */ };

enum op_kind { SEND, ISEND, RECV, IRECV, PROBE, TEST, WAIT, CANCEL, TESTANY, WAITANY };
struct op {
    signed char kind, peer, tag, slot; /* peer, tag: -1: any */
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

static uint64_t hash(const void *item, size_t size)
{
    const char *bytes = item;
    uint64_t h = 1, word = 0;

    for (size_t i = 0; i < size; i += sizeof(word)) {
        memcpy(&word, bytes + i, size - i < sizeof(word) ? size - i : sizeof(word));
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

/* @return it is new */
static bool add(struct set *s, const void *item)
{
    for (uint64_t h = hash(item, s->size);; h++) {
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

enum { FOR_NONE = -1, TOO_EARLY = -2 };
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
    char seen[LETTERS];
};
struct state {
    struct processor of[P];
    struct queue way[P][P][2]; /* [from][to][tag] */
};

struct enumeration {
    const struct program *g;
    struct set states, outcomes; /* states: their hashes; two alike would lose outcomes */
    bool deadlocks;
};

static void see(struct processor *p, char what, char which)
{
    p->seen[(int)p->n_seen++] = what;
    p->seen[(int)p->n_seen++] = which;
}

static bool fits(const struct processor *p, int slot, const struct message *m)
{
    return (p->peer[slot] < 0 || p->peer[slot] == m->source) &&
           (p->tag[slot] < 0 || p->tag[slot] == m->tag);
}

/* Is a message of the same source and of the other tag under way that was sent earlier? */
static bool is_second(const struct state *s, const struct processor *p, const struct message *m)
{
    const struct queue *other = &s->way[(int)m->source][p - s->of][1 - m->tag];

    return other->n > 0 && other->list[0].letter < m->letter;
}

static void unpost(struct processor *p, int i)
{
    memmove(&p->posted[i], &p->posted[i + 1], (size_t)(--p->n_posted - i));
    p->posted[(int)p->n_posted] = 0;
}

/* @return which of the posted receives the message is for: the first that it fits. FOR_NONE;
 * TOO_EARLY: that receive is of any tag, and takes the messages of a source in the order sent */
static int receive_of(const struct state *s, const struct processor *p, const struct message *m)
{
    for (int i = 0; i < p->n_posted; i++)
        if (fits(p, p->posted[i], m))
            return p->tag[(int)p->posted[i]] < 0 && is_second(s, p, m) ? TOO_EARLY : i;
    return FOR_NONE;
}

/* The first message of a way is matched with that receive. */
static void arrive(struct state *s, struct processor *p, struct queue *way, int receive)
{
    const struct message m = way->list[0];
    const int slot = p->posted[receive];

    memmove(&way->list[0], &way->list[1], (size_t)--way->n * sizeof(m));
    memset(&way->list[(int)way->n], 0, sizeof(m));
    unpost(p, receive);
    p->state[slot] = MATCHED;
    p->letter[slot] = m.letter;
    if (m.slot >= 0)
        s->of[(int)m.source].state[(int)m.slot] = HEARD;
}

static void post(struct processor *p, int slot, const struct op *op)
{
    p->peer[slot] = op->peer;
    p->tag[slot] = op->tag;
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

/* It finds the first message of a source that is for no receive, or finds it too early. */
static bool probe(struct enumeration *e, const struct state *s, int rank, const struct op *op)
{
    for (int from = 0; from < P; from++) {
        const struct queue *way = &s->way[from][rank][(int)op->tag];
        struct state next = *s;

        if (way->n == 0 || receive_of(s, &s->of[rank], &way->list[0]) != FOR_NONE)
            continue;
        see(&next.of[rank], 'p', (char)('0' + from));
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
            post(p, slot, op);
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
        post(&next.of[rank], op->slot, op);
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
    add(&e->outcomes, seen);
}

static bool is_over(const struct enumeration *e, const struct state *s, int rank)
{
    return s->of[rank].at == e->g->n[rank];
}

static bool begins_to_send(const struct enumeration *e, const struct state *s, int rank)
{
    const int kind = e->g->ops[rank][(int)s->of[rank].at].kind;

    return !is_over(e, s, rank) && s->of[rank].begun == 0 && (kind == SEND || kind == ISEND);
}

static void go(struct enumeration *e, const struct state *s)
{
    const uint64_t h = hash(s, sizeof(*s));
    bool any = false;

    if (!add(&e->states, &h))
        return;
    for (int r = 0; r < P; r++)
        if (begins_to_send(e, s, r)) { /* commutes with everything: it may as well come first */
            step(e, s, r);
            return;
        }
    for (int i = 0; i < P * P * 2; i++) {
        const int to = i / 2 % P;
        struct state next = *s;
        struct queue *way = &next.way[i / 2 / P][to][i % 2];
        const int receive = way->n > 0 ? receive_of(s, &s->of[to], &way->list[0]) : FOR_NONE;

        if (receive >= 0) {
            any = true;
            arrive(&next, &next.of[to], way, receive);
            go(e, &next);
        }
    }
    for (int r = 0; r < P; r++)
        any = (!is_over(e, s, r) && step(e, s, r)) || any;
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

    if (x->r[slot] != NULL && !x->receives[slot]) { /* no send is cancelled here */
        cr_assert(rc == -EINPROGRESS || rc == -ENOTSUP, "%d", rc);
        return 0;
    }
    if (rc == 0) {
        note(x, (char)('A' + slot), '!');
        x->r[slot] = NULL;
    } else if (rc == -EINPROGRESS) {
        note(x, 'f', 'f');
    }
    return rc == -EINPROGRESS || rc == -EINVAL ? 0 : rc; /* too late, or nothing */
}

static int run_op(struct logp_vp *vp, struct running *x, const struct op *op)
{
    const int src = op->peer < 0 ? LOGP_ANY_SOURCE : op->peer, slot = op->slot;
    const int tag = op->tag < 0 ? LOGP_ANY_TAG : op->tag;
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
        rc = logp_recv(vp, src, tag, &c, 1, NULL);
        if (rc == 0)
            note(x, 'a' + OF_RECV, c);
        return rc;
    case IRECV:
        x->receives[slot] = true;
        return logp_irecv(vp, src, tag, &x->got[slot], 1, &x->r[slot]);
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

    for (int i = 0; i < g->n[me]; i++)
        TRY(run_op(vp, &x, &g->ops[me][i]));
    return 0;
}

static int clear(int n, void *arg)
{
    struct collecting *c = arg;

    memset(c->program->seen, 0, sizeof(c->program->seen));
    return 0;
}

static int keep(const struct logp_report *report, void *arg)
{
    struct collecting *c = arg;

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

    if (g->n[rank] == MOST_DRAWN)
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

typedef void (*drawing)(struct program *g, uint64_t *random);

static void draw_requests(struct program *g, uint64_t *random)
{
    const int messages = 2 + (int)test_below(random, 3), looks = 1 + (int)test_below(random, 4);

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
    for (int r = 0; r < P; r++) { /* what a probe has found is not missed by a test: none follows */
        if (test_below(random, 4) == 0)
            insert(g, r, g->n[r],
                   (struct op){PROBE, -1, (signed char)(test_below(random, 4) == 0), 0});
        for (int i = 0; i < SLOTS; i++)
            g->ops[r][g->n[r]++] = (struct op){WAIT, 0, 0, (signed char)i};
    }
}

static void append(struct program *g, int rank, struct op op)
{
    g->ops[rank][g->n[rank]++] = op;
}

/* A processor does not wait for more than is sent to it: the last receives are taken out. */
static void feed(struct program *g, int rank)
{
    struct op *ops = g->ops[rank];
    int unfed = 0;

    for (int i = 0; i < g->n[rank]; i++)
        unfed += ops[i].kind == RECV;
    for (int from = 0; from < P; from++)
        for (int i = 0; i < g->n[from]; i++)
            unfed -= g->ops[from][i].kind == SEND && g->ops[from][i].peer == rank;
    for (int i = g->n[rank] - 1; unfed > 0; i--)
        if (ops[i].kind == RECV) {
            memmove(&ops[i], &ops[i + 1], (size_t)(--g->n[rank] - i) * sizeof(*ops));
            unfed--;
        }
}

/* Sends, and receives of any source. */
static void draw_sources(struct program *g, uint64_t *random)
{
    for (int r = 0; r < P; r++)
        for (int n = 1 + (int)test_below(random, 5); n > 0; n--) {
            const signed char other = (signed char)((r + 1 + (int)test_below(random, P - 1)) % P);

            append(g, r,
                   test_below(random, 2) == 0 ? (struct op){SEND, other, 0, 0}
                                              : (struct op){RECV, -1, 0, 0});
        }
    for (int r = 0; r < P; r++)
        feed(g, r);
}

/* The same, where a processor may probe once. A receive behind the probe may take another message. */
static void draw_probes(struct program *g, uint64_t *random)
{
    draw_sources(g, random);
    for (int r = 0; r < P; r++)
        if (test_below(random, 2) == 0)
            insert(g, r, (int)test_below(random, g->n[r] + 1), (struct op){PROBE, -1, 0, 0});
}

/* Sends with two tags, receives of either or of any; or one of each is posted, and they are waited
 * for as they come. */
static void draw_tags(struct program *g, uint64_t *random)
{
    for (int r = 0; r < P; r++)
        for (int n = 1 + (int)test_below(random, 4); n > 0; n--) {
            const signed char other = (signed char)((r + 1 + (int)test_below(random, P - 1)) % P);
            const signed char tag = (signed char)test_below(random, 2);
            const int kind = (int)test_below(random, 8);

            if (kind < 5)
                append(g, r, (struct op){SEND, other, tag, 0});
            else if (kind < 7)
                append(g, r, (struct op){RECV, -1, (signed char)(kind == 5 ? tag : -1), 0});
            for (signed char i = 0; kind == 7 && i < 4; i++)
                append(g, r, i < 2 ? (struct op){IRECV, -1, i, i} : (struct op){WAITANY, 0, 0, 0});
        }
}

/* One processor posts receives of named and of any sources and tags, and may receive at once in
 * between. The others send a message for each of them, in any order, and perhaps one more. */
static void draw_posted(struct program *g, uint64_t *random)
{
    for (int slot = 0; slot < SLOTS + 2; slot++) {
        const signed char from = (signed char)(1 + test_below(random, 2));
        const signed char tag = (signed char)test_below(random, 2);
        const bool any_source = test_below(random, 2) == 0, any_tag = test_below(random, 3) == 0;
        const bool waits = slot >= SLOTS || test_below(random, 4) == 0;

        if (slot > SLOTS && test_below(random, 2) == 0)
            break;
        insert(g, from, (int)test_below(random, g->n[(int)from] + 1), (struct op){SEND, 0, tag, 0});
        if (slot <= SLOTS)
            append(g, 0,
                   (struct op){waits ? RECV : IRECV, any_source ? -1 : from, any_tag ? -1 : tag,
                               (signed char)slot});
    }
    for (int i = 0; i < SLOTS; i++)
        append(g, 0, (struct op){WAIT, 0, 0, (signed char)i});
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

/* Of the programs that have been compared. */
struct work {
    uint64_t runs, executions;
};

/* Several processes count the same, and find the same failure. */
static void share(uint64_t seed, struct collecting *c, const struct logp_check *one,
                  const struct logp_failure *found)
{
    struct logp_check many = *one;
    TEST_FAILURE f = {.text = NULL};
    const struct logp_checked *a = &one->checked, *b = &many.checked;

    many.cores = 2 + (int)(seed % 2);
    cr_assert_eq(logp_check(run_ops, c, &many, &f), found->error, "seed %llu: %s",
                 (unsigned long long)seed, f.text);
    ALIKE(f.text, found->text);
    cr_assert(a->runs == b->runs && a->executions == b->executions && a->complete == b->complete &&
                  a->choices == b->choices && a->by_size[0].outcomes == b->by_size[0].outcomes &&
                  a->by_size[0].last_new == b->by_size[0].last_new,
              "seed %llu: %llu runs, of several processes %llu: %s, %s", (unsigned long long)seed,
              (unsigned long long)a->runs, (unsigned long long)b->runs, a->text, b->text);
    cr_assert_str_eq(a->text, b->text);
}

/* @return how many outcomes; 0: it can deadlock */
static int explore(drawing draw, uint64_t seed, enum logp_strategy strategy, struct work *work)
{
    const bool all = strategy == LOGP_STRATEGY_EXHAUSTIVE;
    struct program g = {0};
    struct collecting c = {.program = &g, .outcomes = set_of(sizeof(g.seen), MOST_OUTCOMES)};
    struct enumeration brute = {.g = &g,
                                .states = set_of(sizeof(uint64_t), MOST_STATES),
                                .outcomes = set_of(sizeof(g.seen), MOST_OUTCOMES)};
    TEST_FAILURE f = {.text = NULL};
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){P},
                               .n_sizes = 1,
                               .leaves_messages = true,
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
    int n, rc;

    draw(&g, &random);
    memset(&s, 0, sizeof(s));
    go(&brute, &s);
    check.sends = g.waits ? LOGP_SENDS_SYNCHRONOUS : LOGP_SENDS_BUFFERED;
    rc = logp_check(run_ops, &c, &check, &f);
    if (all)
        compare(seed, rc, &check.checked, &c.outcomes, &brute);
    else
        include(seed, rc, &c.outcomes, &brute);
    if (all && check.checked.runs > FEW)
        share(seed, &c, &check, &f);
    n = brute.deadlocks ? 0 : brute.outcomes.n;
    if (n > 0) {
        work->runs += check.checked.runs;
        work->executions += check.checked.executions;
    }
    empty(&c.outcomes);
    empty(&brute.states);
    empty(&brute.outcomes);
    return n;
}

/* Programs of several outcomes that do not deadlock. Few runs lead to nothing new. */
static void explore_many(drawing draw, int programs)
{
    struct work work = {0};
    int compared = 0, most = 0;

    for (uint64_t seed = 1; compared < programs / TEST_SCALE; seed++) {
        const int n = explore(draw, seed, LOGP_STRATEGY_EXHAUSTIVE, &work);

        compared += n > 1;
        most = n > most ? n : most;
    }
    cr_assert_gt(most, TEST_SCALE == 1 ? 6 : 1);
    cr_assert_leq(work.runs - work.executions, work.runs / (TEST_SCALE == 1 ? 10 : 4),
                  "%llu runs for %llu executions", (unsigned long long)work.runs,
                  (unsigned long long)work.executions);
}

Test(explore_requests, as_many_outcomes_as_by_brute_force)
{
    explore_many(draw_requests, PROGRAMS);
    explore_many(draw_sources, 200);
    explore_many(draw_probes, 200);
    explore_many(draw_tags, 150);
    explore_many(draw_posted, 1000);
}

Test(explore_requests, no_others_by_chance)
{
    struct work work = {0};

    for (uint64_t seed = 1; seed <= PROGRAMS / TEST_SCALE; seed++)
        for (int strategy = LOGP_STRATEGY_RANDOM; strategy <= LOGP_STRATEGY_PCT; strategy++)
            explore(seed % 2 == 0 ? draw_requests : draw_posted, seed, (enum logp_strategy)strategy,
                    &work);
}
