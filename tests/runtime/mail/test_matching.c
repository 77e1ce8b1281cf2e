/* SPDX-License-Identifier: MIT */
/*
 * The runtime's matching by itself (match.c, index.c), against one that looks at everything: few
 * and thousands of messages, few and hundreds of receives, at random, with wildcards of all kinds, arrivals in any
 * order, buffers that are too small, receives that are cancelled, messages that are given back, and
 * an index that finds no memory.
 */
#include "support.h"

#include "host/host.h"
#include "mail/mail.h"
#include "delay/delay.h"
#include "state/stop.h"
#include "state/run_queue.h"

/* ---- what matching calls ---- */

static int memory_fails_after = -1; /* requests of the index; below 0: never */

void *test_calloc(size_t n, size_t size);
void *test_realloc(void *old, size_t size);
void *test_zeroed(size_t n, size_t size);

static bool no_memory(void)
{
    return memory_fails_after >= 0 && memory_fails_after-- == 0;
}

void *test_calloc(size_t n, size_t size)
{
    return no_memory() ? NULL : calloc(n, size);
}

void *test_realloc(void *old, size_t size)
{
    return no_memory() ? NULL : realloc(old, size);
}

void *test_zeroed(size_t n, size_t size)
{
    return no_memory() ? NULL : lpi_memory_zeroed(n, size);
}

int64_t lpi_clock(const struct lpi_proc *p)
{
    return p->emulated;
}

void lpi_make_ready(struct lpi_proc *p)
{
}

void lpi_rendezvous_match(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e)
{
    cr_assert_fail("a rendezvous");
}

void lpi_rendezvous_deliver(struct lpi_proc *p, const struct lpi_envelope *e)
{
    cr_assert_fail("a rendezvous");
}

void lpi_wake(struct lpi_proc *p, int64_t deadline)
{
}

bool lpi_stop(struct logp_machine *m, int error)
{
    cr_assert_fail("stopped");
    return false;
}

void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r)
{
}

/* No core sleeps here. */
void lpi_space_given_asleep(struct logp_machine *m)
{
    cr_assert(false);
}

void lpi_space_freed(struct lpi_core *c, int64_t t)
{
}

void lpi_space_posted(struct lpi_proc *to)
{
}

bool lpi_direct_withdraw(struct lpi_proc *p, struct logp_request *r)
{
    return true;
}

void lpi_direct_complete(struct lpi_proc *p, struct logp_request *r)
{
}

/* ---- the model ---- */

enum { MOST = 8000, SOURCES = 40, STEPS = 3000 };

struct letter {
    uint32_t context;
    int src, tag, id;
    size_t n_bytes;
    int64_t arrival;
};

struct wish {
    struct lpi_label label;
    size_t capacity;
    enum lpi_request_state state;
    int got; /* id; -1 */
    bool cancelled;
    struct logp_request request; /* the runtime's */
    int buf[2];
};

struct model {
    struct letter pending[2 * MOST];
    int end;
    int posted[MOST], n_posted, n_any; /* indices of wishes, in the order of posting */
    struct wish wishes[MOST];
    int n_wishes;
};

static bool is_wanted(const struct lpi_label *l, const struct letter *m)
{
    return l->context == m->context && (l->src == LOGP_ANY_SOURCE || l->src == m->src) &&
           (l->tag == LOGP_ANY_TAG || l->tag == m->tag);
}

/* Does one of the first n posted receives want m? */
static bool is_left(const struct model *x, const struct letter *m, int n)
{
    for (int k = 0; k < n; k++)
        if (is_wanted(&x->wishes[x->posted[k]].label, m))
            return false;
    return true;
}

/* The earliest of the firsts of all sources that the first n posted receives leave; -1 */
static int find(const struct model *x, const struct lpi_label *l, int64_t until, int n)
{
    bool seen[SOURCES] = {false};
    int best = -1;

    for (int i = 0; i < x->end; i++) {
        const struct letter *m = &x->pending[i], *b = &x->pending[best >= 0 ? best : 0];

        if (!is_wanted(l, m) || seen[m->src])
            continue;
        seen[m->src] = true;
        if (m->arrival <= until && is_left(x, m, n) &&
            (best < 0 || m->arrival < b->arrival || (m->arrival == b->arrival && m->src < b->src)))
            best = i;
    }
    return best;
}

static void no_longer_posted(struct model *x, int k)
{
    x->n_any -= x->wishes[x->posted[k]].label.src == LOGP_ANY_SOURCE;
    memmove(&x->posted[k], &x->posted[k + 1], (size_t)(x->n_posted - k - 1) * sizeof(int));
    x->n_posted--;
}

/* @return taken */
static bool meet(struct model *x, int k, const struct letter *m)
{
    struct wish *w = &x->wishes[x->posted[k]];
    const bool taken = m->n_bytes <= w->capacity;

    no_longer_posted(x, k);
    w->state = taken ? LPI_REQ_BOUND : LPI_REQ_FAILED;
    w->got = m->id;
    return taken;
}

static void meet_pending(struct model *x, int k, int i)
{
    if (!meet(x, k, &x->pending[i]))
        return;
    memmove(&x->pending[i], &x->pending[i + 1], (size_t)(x->end - i - 1) * sizeof(struct letter));
    x->end--;
}

static void deliver(struct model *x, const struct letter *m)
{
    for (int k = 0; x->n_any == 0 && k < x->n_posted; k++)
        if (is_wanted(&x->wishes[x->posted[k]].label, m)) {
            if (meet(x, k, m))
                return;
            k--;
        }
    x->pending[x->end++] = *m;
}

static void match_arrived(struct model *x, int64_t until)
{
    while (x->n_any > 0) {
        int best = -1, taker = -1;

        for (int k = 0; k < x->n_posted; k++) {
            const int i = find(x, &x->wishes[x->posted[k]].label, until, k);

            if (i >= 0 && (best < 0 || x->pending[i].arrival < x->pending[best].arrival ||
                           (x->pending[i].arrival == x->pending[best].arrival &&
                            x->pending[i].src < x->pending[best].src))) {
                best = i;
                taker = k;
            }
        }
        if (best < 0)
            return;
        meet_pending(x, taker, best);
    }
    for (int k = 0; k < x->n_posted; k++) {
        const int i = find(x, &x->wishes[x->posted[k]].label, INT64_MAX, k);

        if (i >= 0)
            meet_pending(x, k--, i);
    }
}

static int64_t next_arrival(const struct model *x)
{
    int64_t next = INT64_MAX;

    for (int k = 0; k < x->n_posted; k++) {
        const int i = find(x, &x->wishes[x->posted[k]].label, INT64_MAX, k);

        if (i >= 0 && x->pending[i].arrival < next)
            next = x->pending[i].arrival;
    }
    return next;
}

/* ---- both, side by side ---- */

struct kind {
    int sources, n_tags, contexts;
    int any_source, any_tag; /* one receive in so many; 0: none */
    int most_posted, most_pending;
    bool in_order; /* of arrival */
    bool fails;    /* the index finds no memory, now and then */
};

struct side_by_side {
    uint64_t random;
    const struct kind *kind;
    int64_t now;
    int next_id;
    struct model model;
    struct logp_machine machine;
    struct lpi_core core;
    struct lpi_proc proc;
};

static int random_below(struct side_by_side *s, int n)
{
    return (int)test_below(&s->random, n);
}

static bool random_one_in(struct side_by_side *s, int n)
{
    return n > 0 && random_below(s, n) == 0;
}

static void compare(const struct side_by_side *s)
{
    const struct lpi_inbox *in = &s->proc.inbox;
    const struct lpi_message *m = in->first;
    const struct logp_request *r = in->posted_first;

    cr_assert_eq(in->n_pending, s->model.end);
    cr_assert_eq((int)in->n_any, s->model.n_any);
    for (int i = 0; i < s->model.end; i++, m = m->next)
        cr_assert(m != NULL && *(const int *)m->data == s->model.pending[i].id);
    for (int k = 0; k < s->model.n_posted; k++, r = r->next)
        cr_assert_eq(r, &s->model.wishes[s->model.posted[k]].request);
    for (int i = 0; i < s->model.n_wishes; i++) {
        const struct wish *w = &s->model.wishes[i];

        cr_assert(w->cancelled || w->request.state == w->state, "wish %d", i);
        cr_assert(w->state != LPI_REQ_BOUND || w->buf[0] == w->got, "wish %d got %d for %d", i,
                  w->buf[0], w->got);
    }
}

/* Arrivals are few, so that many are the same. */
static struct letter some_message(struct side_by_side *s)
{
    return (struct letter){
        .context = (uint32_t)random_below(s, s->kind->contexts),
        .src = random_below(s, s->kind->sources),
        .tag = random_below(s, s->kind->n_tags),
        .id = s->next_id++,
        .n_bytes = sizeof(int) * (random_one_in(s, 8) ? 2 : 1),
        .arrival = s->kind->in_order ? s->next_id : (s->now + random_below(s, 200)) / 16 * 16};
}

static void do_deliver(struct side_by_side *s)
{
    const struct letter m = some_message(s);
    const int data[2] = {m.id, m.id};
    const struct lpi_envelope e = {.context = m.context,
                                   .src = m.src,
                                   .tag = m.tag,
                                   .n_bytes = m.n_bytes,
                                   .arrival = m.arrival,
                                   .data = data};
    const struct logp_request *wanted = lpi_match_taker(&s->proc.inbox, &e.label, e.n_bytes);

    for (int k = 0; s->model.n_any == 0 && k < s->model.n_posted; k++) {
        const struct wish *w = &s->model.wishes[s->model.posted[k]];

        if (!is_wanted(&w->label, &m) || w->capacity < m.n_bytes)
            continue;
        cr_assert_eq(wanted, &w->request);
        wanted = NULL;
        break;
    }
    cr_assert_null(wanted);
    cr_assert_eq(lpi_deliver(&s->proc, &s->core, &e), 0);
    deliver(&s->model, &m);
}

static struct lpi_label some_label(struct side_by_side *s)
{
    return (struct lpi_label){
        (uint32_t)random_below(s, s->kind->contexts),
        random_one_in(s, s->kind->any_source) ? LOGP_ANY_SOURCE : random_below(s, s->kind->sources),
        random_one_in(s, s->kind->any_tag) ? LOGP_ANY_TAG : random_below(s, s->kind->n_tags)};
}

static void do_post(struct side_by_side *s)
{
    struct model *x = &s->model;
    struct wish *w = &x->wishes[x->n_wishes];
    const bool any =
        (*w = (struct wish){.label = some_label(s), .got = -1}).label.src == LOGP_ANY_SOURCE;
    int i;

    w->capacity = sizeof(int) * (random_one_in(s, 8) ? 1 : 2);
    w->request = (struct logp_request){.label = w->label, .buf = w->buf, .capacity = w->capacity};
    if (x->n_any > 0) {
        lpi_match_arrived(&s->proc, s->now);
        match_arrived(x, s->now);
    }
    lpi_match_post(&s->proc, &w->request, s->now);
    x->posted[x->n_posted++] = x->n_wishes++;
    x->n_any += any;
    i = find(x, &w->label, x->n_any > 0 ? s->now : INT64_MAX, x->n_posted - 1);
    if (i >= 0)
        meet_pending(x, x->n_posted - 1, i);
}

static void do_cancel(struct side_by_side *s)
{
    struct model *x = &s->model;
    const int k = random_below(s, x->n_posted);
    struct wish *w = &x->wishes[x->posted[k]];

    w->cancelled = true;
    lpi_match_unpost(&s->proc, &w->request);
    no_longer_posted(x, k);
    if (w->label.src == LOGP_ANY_SOURCE) {
        lpi_match_arrived(&s->proc, s->now);
        match_arrived(x, s->now);
    }
}

static void do_probe(struct side_by_side *s)
{
    const struct lpi_label l = some_label(s);
    const int64_t until = random_one_in(s, 2) || s->model.n_any > 0 ? s->now : INT64_MAX;
    const struct lpi_message *m;
    int i;

    match_arrived(&s->model, s->now);
    lpi_match_arrived(&s->proc, s->now);
    m = lpi_match_find(&s->proc, &l, until);
    i = find(&s->model, &l, until, s->model.n_posted);

    cr_assert_eq(m == NULL ? -1 : *(const int *)m->data, i < 0 ? -1 : s->model.pending[i].id);
}

/* m is pending again: before what its source sent later, or at the end. */
static void give_back(struct model *x, const struct letter *m)
{
    int i = 0;

    while (i < x->end && (x->pending[i].src != m->src || x->pending[i].context != m->context ||
                          x->pending[i].id < m->id))
        i++;
    memmove(&x->pending[i + 1], &x->pending[i], (size_t)(x->end++ - i) * sizeof(struct letter));
    x->pending[i] = *m;
}

/* A receive that was posted last and served at once gives its message back. */
static void do_restore(struct side_by_side *s)
{
    struct model *x = &s->model;
    const int i = x->n_wishes;
    struct wish *w = &x->wishes[i];
    const int n_any = x->n_any;

    if (x->end == 2 * MOST)
        return;
    do_post(s);
    if (w->state != LPI_REQ_BOUND || n_any > 0)
        return;
    give_back(x, &(struct letter){.context = w->label.context,
                                  .src = w->request.from,
                                  .tag = w->request.got_tag,
                                  .id = w->got,
                                  .n_bytes = w->request.n_bytes,
                                  .arrival = w->request.arrival});
    cr_assert_eq(lpi_match_restore(&s->proc, &w->request), 0);
}

static void step(struct side_by_side *s, bool fill)
{
    struct model *x = &s->model;
    const int what = random_below(s, 20), n_pending = x->end;

    memory_fails_after = s->kind->fails && random_one_in(s, 10) ? random_below(s, 4) : -1;
    s->now += s->kind->in_order ? 1 : random_below(s, 3);
    if (what < 9 && (fill || what < 4) && n_pending < s->kind->most_pending && x->end < 2 * MOST) {
        do_deliver(s);
    } else if (what < 18 && x->n_wishes < MOST &&
               (x->n_posted < s->kind->most_posted || n_pending > 0)) {
        if (x->n_posted < s->kind->most_posted)
            do_post(s);
    } else if (what == 18 && x->n_posted > 0 && random_one_in(s, 2)) {
        do_cancel(s);
    } else if (random_one_in(s, 3) && x->n_wishes < MOST) {
        do_restore(s);
    } else {
        do_probe(s);
    }
    if (random_one_in(s, 8)) {
        match_arrived(x, s->now);
        lpi_match_arrived(&s->proc, s->now);
    }
    if (random_one_in(s, 30))
        cr_assert_eq(lpi_next_arrival(&s->proc), next_arrival(x));
}

static void run(const struct kind *kind, uint64_t seed)
{
    struct side_by_side *s = calloc(1, sizeof(*s));

    cr_log_info("seed %lu", (unsigned long)seed);
    s->random = seed;
    s->kind = kind;
    s->machine.queue_limit = SIZE_MAX / 4;
    s->machine.credit_batch = 1 << 20;
    s->machine.credit = INT64_MAX / 4;
    s->core.machine = &s->machine;
    s->core.n_procs = 1;
    s->proc.core = &s->core;
    s->machine.cores = &s->core;
    s->machine.procs = &s->proc;
    for (int i = 0; i < STEPS / TEST_SCALE; i++) {
        step(s, i / (500 / TEST_SCALE) % 2 == 0);
        if (i % 64 == 0)
            compare(s);
    }
    memory_fails_after = -1;
    compare(s);
    lpi_match_close(&s->proc);
    lpi_match_discard(&s->proc);
    lpi_pool_fini(&s->core);
    free(s);
}

Test(matching, all_meet_as_if_all_were_looked_at)
{
    static const struct kind kinds[] = {
        /* few */
        {SOURCES, 3, 1, 3, 3, 20, 20, false, false},
        {SOURCES, 2, 2, 4, 0, 30, 30, false, true},
        {SOURCES, 10, 1, 0, 4, 30, 30, false, false},
        /* many that are pending */
        {SOURCES, 50, 1, 2, 3, 4, MOST, false, false},
        {SOURCES, 4, 3, 3, 2, 4, MOST, false, true},
        {SOURCES, 1, 1, 1, 0, 2, MOST, false, false},
        /* many that are posted */
        {SOURCES, 300, 1, 0, 0, 400, 200, false, false},
        {SOURCES, 200, 2, 0, 7, 400, 200, false, true},
        {SOURCES, 60, 1, 40, 9, 200, 100, false, false},
        /* many of both */
        {SOURCES, 90, 1, 9, 9, 150, 150, false, false},
        {SOURCES, 20, 2, 30, 5, 120, 200, false, true},
        {2, 60, 2, 60, 20, 150, 150, false, false},
        {1, 8, 6, 60, 5, 200, 200, false, false},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct kind k = kinds[i];

            run(&k, 7919 * seed + i + 1);
            k.in_order = true;
            run(&k, 104729 * seed + i + 1);
            k.fails = true;
            run(&k, 1299709 * seed + i + 1);
        }
}
