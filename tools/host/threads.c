/* SPDX-License-Identifier: MIT */
/*
 * Threads that a rank makes, such as those of OpenMP: they compute for the rank and do not call the
 * guest. Each notes the rank that has made it, for reports. The thread of the rank is pinned to one core,
 * which its threads would inherit. They run on all cores of the rank's share instead. The rank sees
 * these cores, too: OpenMP libraries count them.
 */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

struct host_rank *host_owner(void)
{
    struct host_rank *h = host_here(), *maker = host_maker();

    /* relaxed: a thread that uses what the rank has while that ends is a mistake of the program */
    return h != NULL || maker == NULL ||
                   !atomic_load_explicit(&maker->running, memory_order_relaxed)
               ? h
               : maker;
}

/* ---- where they run ---- */

/* Hardware threads, more than the runtime knows. */
struct cores {
    cpu_set_t sets[8];
};

static bool is_in(const struct cores *c, int cpu)
{
    return CPU_ISSET_S((size_t)cpu, sizeof(*c), c->sets);
}

/* The share of this rank. @return false: its thread's own cores are all that it has */
static bool share_of(const struct host_rank *h, struct cores *out)
{
    enum { MOST = 4096 };
    int cpus[MOST];
    const int n = logp_machine_share(logp_vp_machine(h->vp), logp_vp_rank(h->vp), cpus, MOST);

    CPU_ZERO_S(sizeof(*out), out->sets);
    for (int i = 0; i < n && i < MOST; i++)
        CPU_SET_S((size_t)cpus[i], sizeof(*out), out->sets);
    return n > 0;
}

/* Whether the program itself has chosen where the new thread runs. A set that was never given is full. */
static bool has_cores(const pthread_attr_t *attr)
{
    struct cores c;

    return attr != NULL && pthread_attr_getaffinity_np(attr, sizeof(c), c.sets) == 0 &&
           CPU_COUNT_S(sizeof(c), c.sets) < (int)sizeof(c) * 8;
}

/* Of the rank's own thread: in place of the one core that the runtime has pinned it to, its share. */
static void show_share(size_t size, cpu_set_t *set)
{
    const struct host_rank *h = host_here();
    struct cores share;
    int cpu = 0;

    if (h == NULL || CPU_COUNT_S(size, set) != 1 || !share_of(h, &share))
        return;
    while (!CPU_ISSET_S((size_t)cpu, size, set))
        cpu++;
    if (!is_in(&share, cpu)) /* the program has moved it */
        return;
    for (cpu = 0; cpu < (int)(size * 8) && cpu < (int)sizeof(share) * 8; cpu++)
        if (is_in(&share, cpu))
            CPU_SET_S((size_t)cpu, size, set);
}

EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    const int rc = NEXT(sched_getaffinity)(pid, size, set);

    if (rc == 0 && (pid == 0 || pid == (pid_t)syscall(SYS_gettid)))
        show_share(size, set);
    return rc;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    const int rc = NEXT(pthread_getaffinity_np)(thread, size, set);

    if (rc == 0 && pthread_equal(thread, pthread_self()))
        show_share(size, set);
    return rc;
}

/* ---- their start ---- */

/* Also where the thread is cancelled. @return false: there is no memory */
static bool at_end_of_thread(void (*function)(void *), void *arg)
{
    typedef int at_exit(void (*function)(void *), void *arg, void *object);
    at_exit *const add = (at_exit *)host_next_of("__cxa_thread_atexit_impl");

    return add(function, arg, &the_job) == 0;
}

struct start {
    void *(*function)(void *arg);
    thrd_start_t c11_function;
    void *arg;
    struct host_rank *maker;
    int number;     /* among those of its rank: 1, ... */
    bool has_share; /* false: it inherits the cores of the thread that makes it */
    struct cores share;
};

static void end_alive(void *arg)
{
    struct host_rank *h = arg;

    /* relaxed: that it is gone is seen late at worst */
    atomic_fetch_sub_explicit(&h->n_alive, 1, memory_order_relaxed);
}

/* @return NULL: no memory; or the calling thread is neither a rank nor made by one: *h is NULL */
static struct start *new_start(struct host_rank **h, bool may_move)
{
    struct host_rank *rank = host_of_process();
    struct start *s = NULL;

    *h = rank != NULL ? rank : host_maker();
    if (*h != NULL)
        s = malloc(sizeof(*s));
    if (s == NULL)
        return NULL;
    s->maker = *h;
    /* relaxed: only the number counts */
    s->number = 1 + atomic_fetch_add_explicit(&(*h)->n_threads, 1, memory_order_relaxed);
    /* relaxed: the thread that creates it reads it next, or waits for one that does */
    atomic_fetch_add_explicit(&(*h)->n_alive, 1, memory_order_relaxed);
    s->has_share = may_move && rank != NULL && share_of(rank, &s->share);
    return s;
}

static struct start begin(void *arg)
{
    const struct start s = *(struct start *)arg;

    free(arg);
    at_end_of_thread(end_alive, s.maker);
    host_be_made_by(s.maker, s.number);
    host_begin_locals_of_thread(s.maker);
    if (s.has_share) /* only for speed, so errors are ignored */
        sched_setaffinity(0, sizeof(s.share), s.share.sets);
    return s;
}

static void *run(void *arg)
{
    const struct start s = begin(arg);

    return s.function(s.arg);
}

static int run_c11(void *arg)
{
    const struct start s = begin(arg);

    return s.c11_function(s.arg);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *),
                          void *arg)
{
    struct host_rank *h;
    struct start *s = new_start(&h, !has_cores(attr));
    int rc;

    if (h == NULL)
        return NEXT(pthread_create)(thread, attr, function, arg);
    if (s == NULL)
        return EAGAIN;
    s->function = function;
    s->arg = arg;
    rc = NEXT(pthread_create)(thread, attr, run, s);
    if (rc != 0) {
        end_alive(h);
        free(s);
    }
    return rc;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *arg)
{
    struct host_rank *h;
    struct start *s = new_start(&h, true);
    int rc;

    if (h == NULL)
        return NEXT(thrd_create)(thread, function, arg);
    if (s == NULL)
        return thrd_nomem;
    s->c11_function = function;
    s->arg = arg;
    rc = NEXT(thrd_create)(thread, run_c11, s);
    if (rc != thrd_success) {
        end_alive(h);
        free(s);
    }
    return rc;
}

/* ---- their calls of the guest ---- */

static void act_no_more(void *arg)
{
    (void)arg;
    logp_vp_act(NULL);
}

bool host_act(struct host_rank *h)
{
    static _Thread_local bool acts;

    if (acts)
        return true;
    if (!at_end_of_thread(act_no_more, NULL) || logp_vp_act(h->vp) != 0)
        return false;
    acts = true;
    return true;
}

/* ---- their turns ---- */

enum {
    LOOKS = 64,   /* a turn is short, unless the core is another rank's */
    PATIENCE = 4, /* sleeps for a turn that another thread then takes */
    FIRST_NAP_NS = 20000,
    NAP_NS = 50000, /* times the threads that the rank has made */
    LONGEST_NAP_NS = 500000
};

/* host_rank.turn */
enum { FREE, TAKEN, AWAITED /* taken, and threads sleep until it ends */ };

static void sleep_while(atomic_uint *word, unsigned is, int64_t at_most_ns)
{
    const struct timespec t = {.tv_nsec = at_most_ns};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, at_most_ns > 0 ? &t : NULL, NULL, 0);
}

static void wake(atomic_uint *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* Where other programs use the cores, a yield may take their time slices, and a sleep ends sooner.
 * @return false: this thread should sleep, since a yield before has taken long */
static bool yield_soon(void)
{
    static _Thread_local int n_sleeps;
    struct timespec before, after;

    if (n_sleeps > 0) {
        n_sleeps--;
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, &before);
    sched_yield();
    clock_gettime(CLOCK_MONOTONIC, &after);
    if ((after.tv_sec - before.tv_sec) * INT64_C(1000000000) + after.tv_nsec - before.tv_nsec >
        NAP_NS)
        n_sleeps = LOOKS;
    return true;
}

static bool try_turn(struct host_rank *h, unsigned turn, bool is_late)
{
    unsigned none = FREE;

    /* relaxed: a thread that does not see it yet goes first once more */
    return (is_late || atomic_load_explicit(&h->n_late, memory_order_relaxed) == 0) &&
           /* acquire pairs with the exchange in host_end_turn() */
           atomic_compare_exchange_strong_explicit(&h->turn, &none, turn, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* Sleep until the turn ends. */
static void await_turn(struct host_rank *h)
{
    unsigned turn = TAKEN;

    /* seq_cst: host_end_turn() sees AWAITED, or the kernel sees the new value */
    if (atomic_compare_exchange_strong_explicit(&h->turn, &turn, AWAITED, memory_order_seq_cst,
                                                memory_order_seq_cst) ||
        turn == AWAITED)
        sleep_while(&h->turn, AWAITED, 0);
    else
        sched_yield(); /* it is free, for a thread that is late */
}

/* A thread that calls again may take its next turn before those that wait, since a turn is shorter than a switch of threads. One
 * that has slept PATIENCE times in vain is late: others let it go first. */
void host_take_turn(struct host_rank *h)
{
    bool is_late = false;

    for (int i = 0; i < LOOKS; i++) {
        if (try_turn(h, TAKEN, false))
            return;
        if (!yield_soon())
            break;
    }
    for (int i = 0; !try_turn(h, AWAITED, is_late); i++) {
        if (i == PATIENCE) {
            is_late = true;
            /* seq_cst: before await_turn(), so host_end_turn() sees it if it sees AWAITED */
            atomic_fetch_add_explicit(&h->n_late, 1, memory_order_seq_cst);
        }
        await_turn(h);
    }
    if (is_late)
        /* relaxed: a count that is too high for a while costs a call of the kernel */
        atomic_fetch_sub_explicit(&h->n_late, 1, memory_order_relaxed);
}

void host_end_turn(struct host_rank *h)
{
    /* release pairs with the acquire in try_turn(); seq_cst: as in await_turn() and host_take_turn() */
    if (atomic_exchange_explicit(&h->turn, FREE, memory_order_seq_cst) == AWAITED)
        wake(&h->turn, atomic_load_explicit(&h->n_late, memory_order_seq_cst) > 0 ? INT_MAX : 1);
}

static _Thread_local int64_t nap_ns;

void host_rest(struct host_rank *h, bool may_sleep)
{
    static _Thread_local unsigned looks;
    const int me = host_thread_number() + 1;
    int none = 0;

    /* relaxed, here and below: more than one that polls, or none for a while, does no harm */
    if (!atomic_compare_exchange_strong_explicit(&h->polls, &none, me, memory_order_relaxed,
                                                 memory_order_relaxed) &&
        none != me) {
        /* The thread that polls may complete what this one waits for, so it looks itself now and then: all of them together
         * about once in NAP_NS. */
        const int64_t share =
                          NAP_NS * (int64_t)atomic_load_explicit(&h->n_alive, memory_order_relaxed),
                      longest = share < FIRST_NAP_NS     ? FIRST_NAP_NS
                                : share < LONGEST_NAP_NS ? share
                                                         : LONGEST_NAP_NS;

        nap_ns = nap_ns == 0 ? FIRST_NAP_NS : 2 * nap_ns;
        nap_ns = nap_ns < longest ? nap_ns : longest;
        sleep_while(&h->changes, atomic_load_explicit(&h->changes, memory_order_relaxed), nap_ns);
    } else if (!may_sleep) {
        sched_yield();
    } else if (++looks % LOOKS == 0 || !yield_soon()) {
        sleep_while(&h->changes, atomic_load_explicit(&h->changes, memory_order_relaxed),
                    looks % LOOKS == 0 ? NAP_NS : FIRST_NAP_NS);
    }
}

void host_rest_no_more(struct host_rank *h)
{
    int me = host_thread_number() + 1;

    nap_ns = 0;
    if (!atomic_compare_exchange_strong_explicit(&h->polls, &me, 0, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    atomic_fetch_add_explicit(&h->changes, 1, memory_order_relaxed);
    wake(&h->changes, 1);
}

/* The next call of the rank's own thread returns the error. */
void host_end_thread(void)
{
    struct host_rank *h = host_maker();

    if (atomic_load_explicit(&h->inside, memory_order_relaxed) == host_thread_number() + 1) {
        h->depth = 0;
        atomic_store_explicit(&h->inside, 0,
                              memory_order_release); /* pairs as in mpi_end_alone() */
        if (h->takes_turns) {
            host_rest_no_more(h);
            host_end_turn(h);
        }
    }
    NEXT(pthread_exit)(NULL);
    __builtin_unreachable();
}

/* ---- their mistakes ---- */

void host_end_by_thread(int code)
{
    /* The call has no result that this thread could continue with, and the rank may wait for the thread. */
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}
