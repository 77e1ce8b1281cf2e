/* SPDX-License-Identifier: MIT */
/*
 * Threads that a rank makes, such as those of OpenMP: they compute for the rank and do not call the
 * guest. Each notes the rank that has made it, for reports. The thread of the rank is pinned to one core,
 * which its threads would inherit. They run on all cores of the rank's share instead. The rank sees
 * these cores, too: OpenMP libraries count them.
 */
#include "host.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
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

struct start {
    void *(*function)(void *arg);
    thrd_start_t c11_function;
    void *arg;
    struct host_rank *maker;
    int number;     /* among those of its rank: 1, ... */
    bool has_share; /* false: it inherits the cores of the thread that makes it */
    struct cores share;
};

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
    s->has_share = may_move && rank != NULL && share_of(rank, &s->share);
    return s;
}

static struct start begin(void *arg)
{
    const struct start s = *(struct start *)arg;

    free(arg);
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
    if (rc != 0)
        free(s);
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
    if (rc != thrd_success)
        free(s);
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
    typedef int at_exit(void (*function)(void *), void *arg, void *object);
    static _Thread_local bool acts;
    at_exit *const add = (at_exit *)host_next_of("__cxa_thread_atexit_impl");

    if (acts)
        return true;
    /* also where the thread is cancelled */
    if (add(act_no_more, NULL, &the_job) != 0 || logp_vp_act(h->vp) != 0)
        return false;
    acts = true;
    return true;
}

/* The next call of the rank's own thread returns the error. */
void host_end_thread(void)
{
    struct host_rank *h = host_maker();

    if (atomic_load_explicit(&h->inside, memory_order_relaxed) == host_thread_number() + 1) {
        h->depth = 0;
        atomic_store_explicit(&h->inside, 0,
                              memory_order_release); /* pairs as in mpi_end_alone() */
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
