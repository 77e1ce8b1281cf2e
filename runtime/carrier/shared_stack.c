/* SPDX-License-Identifier: MIT */
/*
 * Fibers that share one stack per core, for machines with very many vps under the virtual clock,
 * where nothing is measured. The used part of a waiting vp's stack, a few hundred bytes, is set
 * aside (image.h). It is put back at the same addresses before the vp resumes. So memory is needed
 * for the bytes in use, not for pages, the one stack can be large, and its guard page catches every
 * overflow.
 *
 * The carrier's own context copies, between two jumps, while no vp is on the stack. Meanwhile the
 * contents of a vp's stack are not at their own addresses. The runtime calls resident() when it
 * fills the buffer of a waiting receive, and programs must not pass pointers into their stack to
 * other vps.
 */
#define _GNU_SOURCE
#include "carrier/carrier.h"
#include "carrier/threads.h"
#include "carrier/fcontext.h"
#include "carrier/image.h"
#include "host/host.h"
#include "host/rcu.h"
#include "state/stop.h"
#include "state/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CARRIER_STACK = 256 << 10,
    MOST_IMAGES = 128, /* are no longer than this */
    CLEARED = 4096,    /* bytes: a page, the least that a stack has */
};

struct shared {
    _Alignas(LPI_LINE) struct lpi_baton carrier;
    bool has_carrier;
    struct lpi_images images;
    char *mapping, *bottom, *top;
    size_t mapped;
    struct lpi_proc *resident, *next; /* on the stack; next, or NULL: the run is over */
    bool ended;                       /* the resident has: do not set it aside */
    void *context;                    /* of the resident, while the carrier runs */
    void *home;                       /* the carrier's context, while a vp runs */
    struct lpi_fiber_shadow home_shadow, stack_shadow;
    void **tsan_fibers; /* by rank; of all cores; NULL: not under tsan */
};

/* Each core has its own. */
static struct shared *shared_of(const struct lpi_proc *p)
{
    return (struct shared *)p->core->machine->executor_data + p->core->index;
}

/* ---- called by the vp ---- */

static void begin(struct lpi_fcontext_transfer t)
{
    static const struct lpi_thread_state fresh;
    struct shared *s = t.data;

    lpi_shadow_arrive(&s->stack_shadow);
    s->home = t.context;
    lpi_thread_state_restore(&fresh, &s->resident->core->thread);
    s->resident->core->machine->live(s->resident); /* ends in leave() */
    abort();
}

static void be_done(struct shared *s, struct lpi_proc *next, bool ended)
{
    struct lpi_fcontext_transfer t;

    s->next = next;
    s->ended = ended;
    lpi_shadow_leave(&s->stack_shadow, &s->home_shadow, ended);
    t = jump_fcontext(s->home, s);
    lpi_shadow_arrive(&s->stack_shadow);
    s->home = t.context;
}

static void prefetch(const void *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)memory + i, 1);
}

/* With a million vps a vp's memory is cold when its turn comes. The next turns are known. */
static void warm_up(struct lpi_core *c)
{
    const struct lpi_timer *far = lpi_timers_ahead(&c->run_queue.timers, 6);
    const struct lpi_timer *near = lpi_timers_ahead(&c->run_queue.timers, 3);

    if (far != NULL)
        prefetch(&c->machine->procs[lpi_timer_rank(far)], sizeof(struct lpi_proc));
    if (near != NULL && c->machine->procs[lpi_timer_rank(near)].carrier != NULL)
        prefetch(c->machine->procs[lpi_timer_rank(near)].carrier, MOST_IMAGES);
}

static void switch_to(struct lpi_proc *from, struct lpi_proc *to, bool due)
{
    struct shared *s = shared_of(from);
    struct lpi_thread_state mine = {0}; /* on the stack, so it is set aside with it */

    (void)due;
    warm_up(from->core);
    lpi_thread_state_save(&mine, &from->core->thread);
    if (from->kept != NULL)
        lpi_kept_save(from->kept);
    be_done(s, to, false);
    lpi_thread_state_restore(&mine, &from->core->thread);
    if (from->kept != NULL)
        lpi_kept_restore(from->kept);
}

static void leave(struct lpi_proc *from, struct lpi_proc *to)
{
    warm_up(from->core);
    be_done(shared_of(from), to, true);
    abort();
}

static void *resident(const struct lpi_proc *p, void *address)
{
    struct shared *s = shared_of(p);
    struct lpi_whole_image *whole;

    if (p == s->resident)
        return address;
    whole = lpi_image_whole(&s->images, p->carrier, p->rank);
    if (whole == NULL)
        return NULL;
    p->core->machine->procs[p->rank].carrier = whole;
    return whole->stack + ((char *)address - (s->top - whole->bytes));
}

/* ---- called by the carrier ---- */

static void put_on_stack(struct shared *s, const struct lpi_proc *p)
{
    const size_t size = (size_t)(s->top - s->bottom);
    const struct lpi_image *image = p->carrier;

    lpi_shadow_fresh(&s->stack_shadow, s->bottom, size);
    if (image == NULL) {
        /* or its image would also keep data that other vps have left there */
        memset(s->top - CLEARED, 0, CLEARED);
        s->context = make_fcontext(s->top, size, begin);
#ifdef LPI_TSAN
        if (s->tsan_fibers[p->rank] == NULL)
            s->tsan_fibers[p->rank] = __tsan_create_fiber(0);
#endif
    } else {
        s->context = s->top - lpi_image_bytes(&s->images, image);
        lpi_image_restore(&s->images, image, p->rank, s->context);
    }
#ifdef LPI_TSAN
    s->stack_shadow.tsan_fiber = s->tsan_fibers[p->rank];
#endif
}

/* @return false: no memory; the fiber stays on the stack, continues, and sees that the run stops */
static bool set_aside(struct shared *s, struct lpi_proc *p)
{
    const size_t bytes = (size_t)(s->top - (char *)s->context);
    struct lpi_image *image;

    lpi_shadow_clear(s->context, bytes);
    image = lpi_image_save(&s->images, p->carrier, p->rank, s->context, bytes);
    if (image != NULL) {
        p->carrier = image;
        return true;
    }
    lpi_stop(p->core->machine, -ENOMEM);
    s->next = p;
    return false;
}

/* p has nothing on the stack. */
static void forget(struct shared *s, struct lpi_proc *p)
{
    lpi_image_free(&s->images, p->carrier);
    p->carrier = NULL;
}

static void run_all(struct shared *s, struct lpi_proc *first)
{
    bool in_place = false;

    for (struct lpi_proc *p = first; p != NULL; p = s->next) {
        struct lpi_fcontext_transfer t;

        if (!in_place)
            put_on_stack(s, p);
        s->resident = p;
        /* relaxed: for reports only */
        atomic_store_explicit(&p->core->holder, p->rank, memory_order_relaxed);
        lpi_shadow_leave(&s->home_shadow, &s->stack_shadow, false);
        t = jump_fcontext(s->context, s);
        lpi_shadow_arrive(&s->home_shadow);
        s->resident = NULL;
        s->context = t.context;
        if (s->ended)
            forget(s, p);
        in_place = !s->ended && !set_aside(s, p);
    }
}

static bool guards(const struct lpi_core *c, const void *address)
{
    const struct shared *s = (struct shared *)c->machine->executor_data + c->index;

    return (uintptr_t)address - (uintptr_t)s->mapping < LPI_GUARD_BYTES;
}

static void *carrier_main(void *arg)
{
    void *memory;
    struct lpi_baton *b = arg;
    struct lpi_core *c = b->arg;
    struct shared *s = (struct shared *)c->machine->executor_data + c->index;

    lpi_this_core = c;
    c->thread = lpi_thread_place();
    lpi_overflow_guard(&memory);
    lpi_rcu_register();
    lpi_shadow_thread(&s->home_shadow);
    while (lpi_baton_await(b) == LPI_BATON_HAS) {
        run_all(s, lpi_proc_at(c, 0));
        c->machine->cores_done(c);
    }
    lpi_rcu_unregister();
    lpi_overflow_unguard(memory);
    return NULL;
}

static void launch(struct logp_machine *m)
{
    struct shared *all = m->executor_data;

    for (int i = 0; i < m->P; i++) /* of a run that was abandoned */
        forget(&all[m->procs[i].core_index], &m->procs[i]);
    for (int i = 0; i < m->n_used; i++)
        lpi_baton_give(&all[i].carrier, LPI_BATON_HAS);
}

static void destroy_one(struct shared *s)
{
    if (s->has_carrier) {
        lpi_baton_give(&s->carrier, LPI_BATON_QUIT);
        pthread_join(s->carrier.thread, NULL);
    }
    lpi_images_fini(&s->images);
    s->stack_shadow.tsan_fiber = NULL;
    if (s->mapping != NULL) {
        lpi_shadow_forget(&s->stack_shadow);
        munmap(s->mapping, s->mapped);
    }
}

static void destroy(struct logp_machine *m)
{
    struct shared *all = m->executor_data;

    if (all == NULL)
        return;
    for (int i = 0; i < m->P; i++)
        forget(&all[m->procs[i].core_index], &m->procs[i]);
    for (int i = 0; i < m->n_cores; i++)
        destroy_one(&all[i]);
#ifdef LPI_TSAN
    for (int i = 0; all->tsan_fibers != NULL && i < m->P; i++)
        if (all->tsan_fibers[i] != NULL)
            __tsan_destroy_fiber(all->tsan_fibers[i]);
    free(all->tsan_fibers);
#endif
    free(all);
    m->executor_data = NULL;
}

static int map_stack(const struct logp_machine *m, struct shared *s)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = (m->stack_bytes + page - 1) / page * page;
    void *mapping = mmap(NULL, size + LPI_GUARD_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (mapping == MAP_FAILED)
        return -ENOMEM;
    s->mapping = mapping;
    s->mapped = size + LPI_GUARD_BYTES;
    s->bottom = s->mapping + LPI_GUARD_BYTES;
    s->top = s->bottom + size;
    lpi_shadow_register(&s->stack_shadow, s->bottom, size);
    return mprotect(s->mapping, LPI_GUARD_BYTES, PROT_NONE) != 0 ? -ENOMEM : 0;
}

static int create_one(struct logp_machine *m, struct shared *s, struct lpi_core *c)
{
    int rc = map_stack(m, s);

    if (rc != 0)
        return rc;
    s->images.whole = lpi_on_valgrind(); /* it reports comparisons of uninitialised words */
    c->shared_stack = (uintptr_t)s->bottom;
    c->shared_stack_bytes = (size_t)(s->top - s->bottom);
    s->carrier.arg = c;
    rc = lpi_baton_start(&s->carrier, c->cpu, CARRIER_STACK, carrier_main);
    s->has_carrier = rc == 0;
    return rc;
}

static bool repeats(const struct logp_machine *m)
{
    (void)m;
    return false;
}

static int create(struct logp_machine *m)
{
    struct shared *all = aligned_alloc(LPI_LINE, (size_t)m->n_cores * sizeof(*all));
    int rc = 0;

    if (all == NULL)
        return -ENOMEM;
    memset(all, 0, (size_t)m->n_cores * sizeof(*all));
    m->executor_data = all;
#ifdef LPI_TSAN
    all->tsan_fibers = calloc((size_t)m->P, sizeof(*all->tsan_fibers));
    if (all->tsan_fibers == NULL)
        return -ENOMEM;
#endif
    for (int i = 0; rc == 0 && i < m->n_cores; i++) {
        all[i].tsan_fibers = all->tsan_fibers;
        rc = create_one(m, &all[i], &m->cores[i]);
    }
    return rc;
}

const struct lpi_executor lpi_executor_shared = {
    .name = "fiber",
    .exploring = -ENOTSUP,
    .blocking = -ENOTSUP,
    .moves = true,
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .repeats = repeats,
    .switch_to = switch_to,
    .prepare_ns = INT64_MAX,
    .resident = resident,
    .leave = leave,
    .guards = guards,
};
