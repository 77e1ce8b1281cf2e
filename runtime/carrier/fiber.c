/* SPDX-License-Identifier: MIT */
/*
 * One pinned carrier thread per core; a vp is a fiber on it, and a hand-over is a jump of 10 ns.
 *
 * The jump is Boost.Context's fcontext. It gives the destination the context that was left, so each
 * destination first stores that context (arrive). A fiber is made when it first gets the core in a
 * run. When its vp ends, it jumps away for good, and its stack is used again.
 *
 * All stacks lie in one mapping; untouched memory costs nothing. Each has a guard below it
 * (overflow.c) if there are at most LPI_MOST_OWN_STACKS of them, because every guard splits the
 * mapping, and the kernel allows 65530 mappings (vm.max_map_count). With more stacks an overflow is
 * not caught.
 *
 * Every stack and every jump is announced to sanitizers and valgrind.
 */
#define _GNU_SOURCE
#include "carrier/carrier.h"
#include "carrier/threads.h"
#include "carrier/fcontext.h"
#include "host/rcu.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CARRIER_STACK = 256 << 10,
    COLOURS = 31, /* number of offsets at which stacks begin ... */
    COLOUR = 128, /* ... in bytes; without offsets their tops would share a few cache sets */
};

_Thread_local struct lpi_fiber_shadow *lpi_shadow_left;

struct fiber {
    void *context;                 /* NULL: not begun in this run */
    struct lpi_thread_state state; /* while another fiber has the thread */
    struct lpi_fiber_shadow shadow;
};

struct fibers {
    struct fiber *fibers; /* by rank, from the first of this process */
    struct fiber *homes;  /* by core: the carriers' own contexts */
    struct lpi_baton *carriers;
    int n_carriers; /* threads that exist */
    char *stacks;
    size_t stride, mapped, guard;
};

/* The data that a jump passes to its destination. */
struct jump {
    struct fiber *from;
    struct lpi_proc *proc; /* of the destination, if it is a vp */
};

static struct fibers *fibers_of(const struct logp_machine *m)
{
    return m->executor_data;
}

/* At the destination of a jump: `from` can be jumped to again. */
static struct lpi_proc *arrive(struct lpi_fcontext_transfer t, struct fiber *self)
{
    const struct jump *jump = t.data;

    lpi_shadow_arrive(&self->shadow);
    jump->from->context = t.context;
    return jump->proc;
}

/* Jump, and switch what the thread keeps for each fiber. */
static void jump_to(const struct lpi_core *c, struct fiber *from, struct fiber *to,
                    struct lpi_proc *proc)
{
    struct jump jump = {from, proc};

    lpi_thread_state_save(&from->state, &c->thread);
    lpi_thread_state_restore(&to->state, &c->thread);
    lpi_shadow_leave(&from->shadow, &to->shadow, false);
    arrive(lpi_jump(to->context, &jump), from);
}

static void begin(struct lpi_fcontext_transfer t)
{
    const struct jump *jump = t.data;
    struct lpi_proc *p = jump->proc;

    arrive(t, p->carrier);
    p->core->machine->live(p); /* ends in leave() */
    abort();
}

static void *stack_of(const struct fibers *f, int n)
{
    return f->stacks + (size_t)n * f->stride + f->guard;
}

/* The fiber of a vp that is about to get the core. */
static struct fiber *ready(struct lpi_proc *p)
{
    struct fiber *fiber = p->carrier;

    /* relaxed: for reports only */
    atomic_store_explicit(&p->core->holder, p->rank, memory_order_relaxed);
    if (fiber->context == NULL) {
        const struct fibers *f = fibers_of(p->core->machine);
        const size_t size = f->stride - f->guard;
        const size_t colour = (size_t)(p->rank % COLOURS) * COLOUR;
        char *stack = stack_of(f, p->rank - p->core->machine->first_rank);

        fiber->state = (struct lpi_thread_state){0};
        lpi_shadow_fresh(&fiber->shadow, stack, size);
        fiber->context = make_fcontext(stack + size - colour, size - colour, begin);
    }
    return fiber;
}

static bool guards(const struct lpi_core *c, const void *address)
{
    const struct fibers *f = fibers_of(c->machine);
    /* relaxed: this thread's own store */
    const int rank = atomic_load_explicit(&c->holder, memory_order_relaxed);

    return rank >= 0 &&
           (uintptr_t)address - (uintptr_t)stack_of(f, rank - c->machine->first_rank) + f->guard <
               (uintptr_t)f->guard;
}

/* No vp has begun yet in the coming run. */
static void unbegun(const struct logp_machine *m)
{
    struct fibers *f = fibers_of(m);

    for (int i = 0; i < m->n_local; i++)
        f->fibers[i].context = NULL;
}

static void *carrier_main(void *arg)
{
    struct lpi_baton *b = arg;
    struct lpi_core *c = b->arg;
    struct fiber *home = &fibers_of(c->machine)->homes[c->index];
    void *memory;

    lpi_this_core = c;
    c->thread = lpi_thread_place();
    lpi_overflow_guard(&memory);
    lpi_rcu_register();
    lpi_shadow_thread(&home->shadow);
    while (lpi_baton_await(b) == LPI_BATON_HAS) {
        jump_to(c, home, ready(lpi_proc_at(c, 0)), lpi_proc_at(c, 0));
        while (c->machine->cores_done(c)) { /* all vps of the core have ended */
            unbegun(c->machine);
            jump_to(c, home, ready(lpi_proc_at(c, 0)), lpi_proc_at(c, 0));
        }
    }
    lpi_rcu_unregister();
    lpi_overflow_unguard(memory);
    return NULL;
}

static void switch_to(struct lpi_proc *from, struct lpi_proc *to, bool due)
{
    (void)due;
    if (from->kept != NULL)
        lpi_kept_save(from->kept);
    jump_to(from->core, from->carrier, ready(to), to);
    if (from->kept != NULL)
        lpi_kept_restore(from->kept);
}

static void leave(struct lpi_proc *from, struct lpi_proc *to)
{
    struct fiber *self = from->carrier;
    struct fiber *next =
        to != NULL ? ready(to) : &fibers_of(from->core->machine)->homes[from->core->index];
    struct jump jump = {self, to};

    lpi_thread_state_restore(&next->state, &from->core->thread);
    lpi_shadow_leave(&self->shadow, &next->shadow, true);
    lpi_jump(next->context, &jump);
    abort();
}

static void launch(struct logp_machine *m)
{
    struct fibers *f = fibers_of(m);

    unbegun(m);
    for (int i = 0; i < m->n_used; i++)
        lpi_baton_give(&f->carriers[i], LPI_BATON_HAS);
}

static bool repeats(const struct logp_machine *m)
{
    return m->n_cores == 1;
}

/* The frame of a large local array jumps over a small guard. Where there are few stacks, addresses are cheap. */
enum { FEW = 64, FEW_GUARD_BYTES = 16 << 20 };

static int map_stacks(struct logp_machine *m, struct fibers *f)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* an odd number of pages, or else their tops would share a few sets of the TLB */
    const size_t size = ((m->stack_bytes + page - 1) / page | 1) * page;

    f->guard = m->n_local <= FEW                   ? FEW_GUARD_BYTES
               : m->n_local <= LPI_MOST_OWN_STACKS ? LPI_GUARD_BYTES
                                                   : 0;
    f->stride = size + f->guard;
    f->mapped = f->stride * (size_t)m->n_local;
    f->stacks = mmap(NULL, f->mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (f->stacks == MAP_FAILED) {
        f->stacks = NULL;
        return -ENOMEM;
    }
    for (int i = 0; f->guard > 0 && i < m->n_local; i++)
        if (mprotect(f->stacks + (size_t)i * f->stride, f->guard, PROT_NONE) != 0)
            return -ENOMEM;
    for (int i = 0; i < m->n_local; i++)
        lpi_shadow_register(&f->fibers[i].shadow, stack_of(f, i), size);
    return 0;
}

static void destroy(struct logp_machine *m)
{
    struct fibers *f = fibers_of(m);

    if (f == NULL)
        return;
    for (int i = 0; i < f->n_carriers; i++)
        lpi_baton_give(&f->carriers[i], LPI_BATON_QUIT);
    for (int i = 0; i < f->n_carriers; i++)
        pthread_join(f->carriers[i].thread, NULL);
    for (int i = 0; f->stacks != NULL && i < m->n_local; i++)
        lpi_shadow_forget(&f->fibers[i].shadow);
    if (f->stacks != NULL)
        munmap(f->stacks, f->mapped);
    free(f->fibers);
    free(f->homes);
    free(f->carriers);
    free(f);
    m->executor_data = NULL;
}

static int create(struct logp_machine *m)
{
    struct fibers *f = calloc(1, sizeof(*f));
    int rc;

    if (f == NULL)
        return -ENOMEM;
    m->executor_data = f;
    f->fibers = calloc((size_t)m->n_local, sizeof(*f->fibers));
    f->homes = calloc((size_t)m->n_cores, sizeof(*f->homes));
    f->carriers = aligned_alloc(LPI_LINE, (size_t)m->n_cores * sizeof(*f->carriers));
    if (f->fibers == NULL || f->homes == NULL || f->carriers == NULL)
        return -ENOMEM;
    for (int i = 0; i < m->n_local; i++)
        m->procs[m->first_rank + i].carrier = &f->fibers[i];
    rc = map_stacks(m, f);
    while (rc == 0 && f->n_carriers < m->n_cores) {
        struct lpi_baton *b = &f->carriers[f->n_carriers];

        b->arg = &m->cores[f->n_carriers];
        rc = lpi_baton_start(b, m->cores[f->n_carriers].cpu, CARRIER_STACK, carrier_main);
        f->n_carriers += rc == 0;
    }
    return rc;
}

const struct lpi_executor lpi_executor_fiber = {
    .name = "fiber",
    .slack_ns = 600,
    .blocking = -ENOTSUP,
    .moves = true,
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .repeats = repeats,
    .switch_to = switch_to,
    .prepare_ns = INT64_MAX,
    .leave = leave,
    .guards = guards,
};
