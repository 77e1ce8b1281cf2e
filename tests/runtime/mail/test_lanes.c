/* SPDX-License-Identifier: MIT */
/*
 * Messages between cores by themselves (lanes.c, mailbox.c, queue.c, pool.c): no run, no matching. Cores with two vps
 * each post messages of all kinds to each other and poll at random, first on one thread, then each on its own. Each
 * message comes once, in the order of its sender and receiver, with what was sent.
 */
#include "support.h"

#include "host/host.h"
#include "mail/lane.h"
#include "mail/mail.h"
#include "state/run_queue.h"
#include "state/stop.h"

#include <pthread.h>
#include <sched.h>

enum { CORES = 3, P = 2 * CORES, LONGEST = 300, MESSAGES = 20000 / TEST_SCALE };

/* What a core does; its holder alone uses it. */
struct core_work {
    struct traffic *traffic;
    struct lpi_core *core;
    uint64_t random;
    int posted;
    uint64_t n_sent[P][P], n_taken[P][P]; /* sender, receiver */
};

static struct traffic {
    struct logp_machine machine;
    struct lpi_core cores[CORES];
    struct lpi_proc procs[P];
    struct lpi_mailbox mails[P];
    struct core_work work[CORES];
    struct logp_machine many; /* another one, whose messages are only counted */
    atomic_int taken;
    bool lacks_memory; /* for most lanes, when they are to be made */
} * under_test;

static const int64_t queue_limit = INT64_C(1) << 30;

static int below(uint64_t *random, int n)
{
    return (int)test_below(random, n);
}

/* ---- what message n from src to dst has, for both sides ---- */

static struct lpi_envelope message(int src, int dst, uint64_t n, char *data)
{
    uint64_t random = n * P * P + (uint64_t)(src * P + dst);
    const int size = below(&random, 4);
    struct lpi_envelope e = {.context = (uint32_t)below(&random, 1000),
                             .src = src,
                             .tag = below(&random, 1000),
                             .dst = dst,
                             .data = data};

    e.n_bytes = (size_t)below(&random, size == 0 ? 1 : size == 3 ? LONGEST : 16 * size + 1);
    e.bits = below(&random, 3) == 0 ? random : 0;
    /* now and then too far from the last one for the 32 bits of a short entry */
    e.arrival = below(&random, 2) == 0    ? LOGP_NEVER
                : below(&random, 20) == 0 ? INT64_C(1) << 40
                                          : below(&random, 1000);
    for (size_t i = 0; i < e.n_bytes; i++)
        data[i] = (char)below(&random, 256);
    return e;
}

/* ---- what the mail calls ---- */

void *test_aligned(size_t alignment, size_t n_bytes);

void *test_aligned(size_t alignment, size_t n_bytes)
{
    static atomic_int n;

    return under_test->lacks_memory && atomic_fetch_add(&n, 1) % 50 != 0
               ? NULL
               : aligned_alloc(alignment, n_bytes);
}

static void take_checked(struct lpi_core *c, const struct lpi_envelope *e)
{
    uint64_t *n = &under_test->work[c->index].n_taken[e->src][e->dst];
    char data[LONGEST];
    const struct lpi_envelope sent = message(e->src, e->dst, (*n)++, data);

    cr_assert_eq(c, under_test->procs[e->dst].core);
    cr_assert(lpi_label_is(&e->label, &sent.label));
    cr_assert_eq(e->n_bytes, sent.n_bytes);
    cr_assert_eq(e->bits, sent.bits);
    cr_assert_eq(e->arrival, sent.arrival);
    cr_assert(e->n_bytes == 0 || memcmp(e->data, data, e->n_bytes) == 0);
    cr_assert(e->is_paid);
    lpi_credit_give(&under_test->procs[e->dst], e->n_bytes);
    atomic_fetch_add(&under_test->taken, 1);
}

static void take(struct lpi_core *c, const struct lpi_envelope *e)
{
    if (c->machine == &under_test->many)
        atomic_fetch_add(&under_test->taken, 1);
    else
        take_checked(c, e);
}

int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e)
{
    take(at, e);
    if (e->message != NULL)
        lpi_message_free(at, e->message);
    return 0;
}

bool lpi_deliver_here(struct lpi_proc *to, const struct lpi_label *l, const void *data,
                      size_t n_bytes, uint64_t bits, bool is_paid)
{
    const struct lpi_envelope e = {.label = *l,
                                   .dst = to->rank,
                                   .arrival = LOGP_NEVER,
                                   .data = data,
                                   .n_bytes = n_bytes,
                                   .bits = bits,
                                   .is_paid = is_paid};

    if (below(&under_test->work[to->core->index].random, 2) == 0)
        return false;
    take(to->core, &e);
    return true;
}

struct logp_request *lpi_match_taker(struct lpi_inbox *in, const struct lpi_label *l, size_t space)
{
    return NULL;
}

bool lpi_stop(struct logp_machine *m, int error)
{
    cr_assert_fail("stopped");
    return false;
}

bool lpi_remote_poll(struct lpi_core *c)
{
    return false;
}

void lpi_busy_now(struct lpi_core *c)
{
}

int64_t lpi_clock(const struct lpi_proc *p)
{
    return 0;
}

/* No core sleeps here. */
void lpi_give_work_asleep(struct lpi_core *c)
{
    cr_assert(false);
}

void lpi_space_given_asleep(struct logp_machine *m)
{
    cr_assert(false);
}

void lpi_space_freed(struct lpi_core *c, int64_t t)
{
}

bool lpi_process_is_orphan(void)
{
    return false;
}

/* ---- the traffic ---- */

static void post(struct core_work *w)
{
    struct logp_machine *m = w->core->machine;
    const int src = 2 * w->core->index + below(&w->random, 2);
    const int dst = (2 * w->core->index + 2 + below(&w->random, P - 2)) % P;
    char data[LONGEST];
    struct lpi_envelope e = message(src, dst, w->n_sent[src][dst]++, data);

    if (e.bits != 0 || e.arrival != LOGP_NEVER ||
        !lpi_post_inline(w->core, &m->procs[dst], &e.label, e.data, e.n_bytes))
        OK(lpi_post_to_core(w->core, &m->procs[dst], &e));
    w->posted++;
}

static struct traffic *begin(int lines, bool fast_path, bool lacks_memory, uint64_t seed)
{
    struct traffic *t = lpi_memory_zeroed(1, sizeof(*t));

    cr_assert_not_null(t);
    cr_log_info("%d lines, seed %lu", lines, (unsigned long)seed);
    under_test = t;
    t->lacks_memory = lacks_memory;
    t->machine.P = t->machine.n_local = P;
    t->machine.n_cores = CORES;
    t->machine.fast_path = fast_path;
    t->machine.queue_limit = (size_t)queue_limit;
    t->machine.credit_batch = queue_limit / 16 / CORES;
    atomic_store(&t->machine.credit, queue_limit);
    t->machine.cores = t->cores;
    t->machine.procs = t->procs;
    t->machine.mails = t->mails;
    for (int i = 0; i < CORES; i++) {
        t->cores[i].machine = &t->machine;
        t->cores[i].index = i;
        t->cores[i].first_rank = 2 * i;
        t->cores[i].n_procs = 2;
        t->work[i] =
            (struct core_work){.traffic = t, .core = &t->cores[i], .random = seed + (uint64_t)i};
    }
    for (int rank = 0; rank < P; rank++) {
        t->procs[rank].rank = rank;
        t->procs[rank].core = &t->cores[rank / 2];
        t->procs[rank].core_index = rank / 2;
        __cds_wfcq_init(&t->mails[rank].head, &t->mails[rank].tail);
    }
    OK(lpi_lanes_create(&t->machine, lines));
    return t;
}

/* All messages have come, and all credit is back. */
static void end(struct traffic *t)
{
    int64_t credit = atomic_load(&t->machine.credit);

    cr_assert(lpi_lanes_quiet(&t->machine));
    for (int src = 0; src < P; src++)
        for (int dst = 0; dst < P; dst++)
            cr_assert_eq(t->work[src / 2].n_sent[src][dst], t->work[dst / 2].n_taken[src][dst]);
    for (int i = 0; i < CORES; i++)
        credit += t->cores[i].credit;
    cr_assert_eq(credit, queue_limit);
    for (int i = 0; i < CORES; i++)
        lpi_pool_fini(&t->cores[i]);
    lpi_lanes_destroy(&t->machine);
    lpi_memory_free(t, 1, sizeof(*t));
}

/* Bursts of a random core, each followed by a poll of another. */
static void on_one_thread(struct traffic *t)
{
    uint64_t random = t->work[0].random;

    for (int n = 0; n < CORES * MESSAGES;) {
        const int i = below(&random, CORES), burst = below(&random, 400);

        for (int k = 0; k < burst && n < CORES * MESSAGES; k++, n++)
            post(&t->work[i]);
        cr_assert_eq(lpi_lanes_quiet(&t->machine), atomic_load(&t->taken) == n);
        if (below(&random, 2) == 0)
            lpi_poll(&t->cores[below(&random, CORES)]);
        else
            lpi_poll_all(&t->cores[below(&random, CORES)]);
    }
    for (int i = 0; i < CORES; i++)
        while (lpi_poll(&t->cores[i]))
            ;
}

/* Post all messages of a core, and poll until those of all cores have been taken. */
static void *one_core(void *arg)
{
    struct core_work *w = arg;

    while (atomic_load(&w->traffic->taken) < CORES * MESSAGES) {
        for (int n = below(&w->random, 20); n > 0 && w->posted < MESSAGES; n--)
            post(w);
        if (!lpi_poll(w->core))
            sched_yield();
    }
    return NULL;
}

static void on_threads(struct traffic *t)
{
    pthread_t threads[CORES];

    for (int i = 0; i < CORES; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, one_core, &t->work[i]), 0);
    for (int i = 0; i < CORES; i++)
        pthread_join(threads[i], NULL);
}

/* Lanes of the usual length, ones that overflow into the mailboxes, and none; and lanes for which
 * there is no memory for some time. */
static void all(void (*run)(struct traffic *t))
{
    static const int lines[] = {0, 1, 4, 128, -1};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        for (int k = 0; k < 4; k++) {
            struct traffic *t = begin(lines[i], k % 2 == 1, k >= 2, 7919 * (i + 1));

            run(t);
            end(t);
        }
}

Test(lanes, each_message_comes_once_and_in_order)
{
    all(on_one_thread);
}

Test(lanes, each_message_comes_once_and_in_order_on_threads)
{
    all(on_threads);
}

/* Core `from` has sent a message to core 0. @return the polls until it is there */
static int polls_for_one(struct logp_machine *m, int from)
{
    int n = 0;

    OK(lpi_post_to_core(&m->cores[from], &m->procs[0],
                        &(struct lpi_envelope){.src = from, .arrival = LOGP_NEVER}));
    for (; atomic_load(&under_test->taken) == 0; n++)
        lpi_poll(&m->cores[0]);
    cr_assert_eq(atomic_exchange(&under_test->taken, 0), 1);
    return n;
}

/* One vp on each core */
Test(lanes, of_many_cores_are_made_late_and_read_in_turn)
{
    enum { MANY = 2048, ROUND_POLLS = 32 };
    struct traffic *t = begin(0, false, false, 1);
    struct logp_machine *m = &t->many;

    *m = (struct logp_machine){
        .P = MANY, .n_local = MANY, .n_cores = MANY, .queue_limit = (size_t)queue_limit};
    atomic_store(&m->credit, queue_limit);
    m->cores = lpi_memory_zeroed(MANY, sizeof(*m->cores));
    m->procs = lpi_memory_zeroed(MANY, sizeof(*m->procs));
    m->mails = lpi_memory_zeroed(MANY, sizeof(*m->mails));
    cr_assert(m->cores != NULL && m->procs != NULL && m->mails != NULL);
    for (int i = 0; i < MANY; i++) {
        m->cores[i].machine = m;
        m->cores[i].index = i;
        m->procs[i].rank = m->procs[i].core_index = i;
        m->procs[i].core = &m->cores[i];
    }
    OK(lpi_lanes_create(m, 0));
    cr_assert_eq(m->lane_lines, 16);
    for (int i = 1; i < MANY; i++) {
        cr_assert_eq(m->cores[0].polled.n, i - 1);
        cr_assert_eq(polls_for_one(m, i), 1); /* a mailbox is read at once */
    }
    for (int i = 1; i < MANY; i++)
        cr_assert_leq(polls_for_one(m, i), ROUND_POLLS + 1);
    cr_assert_eq(polls_for_one(m, MANY - 1), 1);
    OK(lpi_post_to_core(&m->cores[1], &m->procs[0], &(struct lpi_envelope){.src = 1}));
    lpi_poll_all(&m->cores[0]);
    cr_assert_eq(atomic_load(&t->taken), 1);
    for (int i = 0; i < MANY; i++)
        lpi_pool_fini(&m->cores[i]);
    lpi_lanes_destroy(m);
    lpi_memory_free(m->cores, MANY, sizeof(*m->cores));
    lpi_memory_free(m->procs, MANY, sizeof(*m->procs));
    lpi_memory_free(m->mails, MANY, sizeof(*m->mails));
    m->cores = NULL;
    end(t);
}
