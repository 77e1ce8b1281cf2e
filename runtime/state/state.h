/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own structures, and who may touch them.
 *
 *   machine   written by its creator between runs; during a run only its atomics change
 *   core      all that is not atomic belongs to its holder, the one vp that runs on it. The
 *             hand-over (executor) passes ownership on with release/acquire
 *   proc      one virtual processor: belongs to the holder of its core
 *   lane      the way from one core to another: the producer half belongs to the holder of the
 *             one, the consumer half to the holder of the other
 *
 * So a message between two vps of one core is delivered by plain stores, and only messages
 * between cores need atomics. Under the virtual clock the whole machine is one core,
 * unless it is parallel (window.c).
 */
#ifndef LPI_STATE_H
#define LPI_STATE_H

#include <logp/logp.h>

#include "host/clock.h"
#include "state/lag.h"
#include "state/message.h"
#include "state/timers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#define LPI_LINE 128              /* two cache lines: the adjacent-line prefetcher pairs them */
#define LPI_POLLS_IN_VAIN 1000000 /* logp_machine.polls_in_vain ... */
#define LPI_EXPLORED_IN_VAIN 1000 /* ... while choices are explored */
/* Contexts of groups are below the first, a third of all there are; each has one more for its
 * collectives that are run, and one for those that are started: so far above it. */
#define LPI_CONTEXT_COLLECTIVE (LOGP_CONTEXT_MAX + 1)
#define LPI_CONTEXT_STARTED (2 * LPI_CONTEXT_COLLECTIVE)

enum lpi_state {
    LPI_RUNNING,         /* it holds the core */
    LPI_READY,           /* in the core's list of those that can go on at once, whatever the time */
    LPI_TIMED,           /* in the timers: its deadline will come */
    LPI_BLOCKED,         /* waits for a message that nobody has sent */
    LPI_SYNC,            /* waits in logp_sync(): sync.c, group.c */
    LPI_WAITS_FOR_SPACE, /* waits for room for a message: backpressure.c */
    LPI_IN_BLOCKING,     /* has given the core up: blocking.c */
    LPI_SENDING,         /* its send waits for its receiver */
    LPI_POLLING,         /* has put off which message it takes: explore.c */
    LPI_ENDED,
};

/* Bits of lpi_core.attention: why a core should look up from its spinning. */
enum { LPI_ATT_BELL = 1, LPI_ATT_SYNC = 2, LPI_ATT_REACQUIRE = 4 };

struct lpi_proc;
struct lpi_core;
struct lpi_explore;
struct lpi_answers;   /* query.h */
struct lpi_word_wait; /* word_wait.c */

/* What a program holds: a processor seen in a context, perhaps with other ranks. */
struct logp_vp {
    struct lpi_proc *proc;
    uint32_t context;
    int rank, size;
    union {
        uint32_t agreed; /* of a proc's own group: the largest context above 2^30 that it has had */
        uint32_t n_started; /* of one for started collectives: how many, in this run: attach.c */
        uint32_t n_areas;   /* of one for collectives of a group: how many it has: area.c */
    };
    int *to_global; /* NULL: the same */
    int *to_local;
    struct logp_vp *collective;
};

struct lpi_proc {
    /* constant while it lives: senders on other cores read it */
    _Alignas(64) struct lpi_core *core;
    int rank, core_index; /* the latter as core->index, which lies among what its holder writes */
    void *carrier;        /* the executor's: a thread's baton or a fiber */
    struct logp_vp group, collective;
    /* the holder's own, but written only by waits that end, or for any of several */
    union {
        int64_t wait_until; /* waits_for: by a message that arrives by then */
        struct {
            int src,
                tag; /* waits_for_any: what is asked for, for reports; ROOM, SENDING: to whom */
        } any;
    };

    /* the holder's own; what a message within the core touches comes first */
    _Alignas(64) enum lpi_state state;
    unsigned emulating : 1;     /* emulated and left are valid (delay was not none) */
    unsigned waits_for_any : 1; /* in a wait that whatever comes may end */
    unsigned halted : 1;        /* the delay model has stopped it for good */
    unsigned sends : 29;        /* in this run */
    unsigned stamp;             /* of its deadline in the timers */
    union {
        unsigned in_vain; /* both */
        struct {
            unsigned polls : 22;    /* tests and probes in a row that found nothing */
            unsigned readings : 10; /* of the virtual clock, in a row; no more are counted */
        };
    };
    struct lpi_proc *next_ready;
    struct logp_request *waits_for; /* while BLOCKED or TIMED in a wait for a receive ... */
    struct lpi_inbox inbox;
    int64_t deadline; /* while TIMED */
    int64_t emulated; /* the vp's clock */
    int64_t left;     /* wall clock at the last exit from the runtime */
    struct logp_port port;
};
_Static_assert(sizeof(void *) > 8 || sizeof(struct lpi_proc) <= 256, "a vp is small");

/* What others write than the holder of the core: queue.c, reacquire.c. */
struct lpi_mailbox {
    _Alignas(64) struct __cds_wfcq_head head;
    struct cds_wfcq_tail tail;
    struct lpi_proc *bell_next;    /* link of the core's bell list */
    struct lpi_proc *next_request; /* link of the core's list of those who ask for it */
    atomic_bool rung;
    atomic_bool is_blocking; /* for reports */
};

/* A posted buffer that a sender on another core may fill: see direct.c. */
#define LPI_DIRECT_FROM 2048 /* bytes: below, two copies cost less than the offer's cache lines */
enum { LPI_DIRECT_NONE, LPI_DIRECT_OPEN, LPI_DIRECT_CHECKED, LPI_DIRECT_CLAIMED };
struct lpi_direct {
    _Alignas(LPI_LINE) atomic_uint state;
    uint32_t context;
    int src, tag;
    size_t capacity;
    void *buf;
    struct logp_request *request; /* the receiver's own; NULL: nothing is on offer */
};

/* Where a thread keeps what each fiber wants for itself: thread_state.h. Constant for a thread. */
struct lpi_thread_place {
    int *error;
    void *exceptions; /* NULL: there is no C++ */
};

/* Whose turn it is on a core: run_queue.c, sched.c. */
struct lpi_run_queue {
    struct lpi_timers timers;
    struct lpi_proc *ready_first, *ready_last; /* in the order in which they became ready */
    unsigned taken, looks;                     /* by those that need not wait */
    unsigned idle_polls;
    struct lpi_word_wait *word_wait_first,
        *word_wait_last; /* of those who wait for a word: word_wait.c */
    int64_t slack;       /* by so much the order of deadlines that have passed may give way */
    const struct lpi_proc *prepared; /* for whose deadline the next proc has been made ready */
    int64_t clock_seen;              /* a reading of the wall clock on this core: it has passed */
};

/* Where the procs of a core are. */
struct lpi_life {
    int n_live, n_at_sync, n_blocking;
    int stop_cursor; /* procs below have ended, once the run is stopping */
    bool is_idle;    /* idle_epoch is odd */
};

/* Procs of a core that wait for room: backpressure.c. */
struct lpi_space_queue {
    struct lpi_proc *first; /* in order */
    _Atomic int64_t wanted; /* the least that one of them needs; read by all */
    int64_t at;             /* virtual: when there was last more of it */
};

/* Parallel: a core's part of the windows (window.c). */
struct lpi_window {
    int64_t end;           /* time stops here; not parallel: INT64_MAX */
    _Atomic int64_t least; /* its earliest deadline, at a meeting; ... */
    atomic_bool in_vain;   /* ... and whether all of its procs wait or poll in vain */
    bool alarm;            /* there may be none of its procs but such */
};

struct lpi_core {
    /* written by others */
    _Alignas(LPI_LINE) atomic_uint attention;
    _Atomic(struct lpi_proc *) bell;        /* procs whose queue has mail */
    _Atomic(struct lpi_proc *) requests;    /* procs that ask for the core: reacquire.c */
    _Atomic(struct lpi_message *) returned; /* messages of this core's pool, freed elsewhere */

    /* read by others. odd: nobody here can go on; changes before a message is taken (deadlock.c) */
    _Alignas(LPI_LINE) atomic_ulong idle_epoch;
    atomic_int holder; /* rank of the holder, -1 in the scheduler's idle loop: for reports */

    /* constant while the machine lives */
    _Alignas(LPI_LINE) struct logp_machine *machine;
    struct lpi_proc **procs;
    int first_rank, n_procs; /* its procs have consecutive ranks */
    int index;
    int cpu;                        /* operating system's number; -1: not pinned */
    struct lpi_lane **in, **out;    /* indexed by core; NULL for itself */
    struct lpi_thread_place thread; /* of its carrier */
    uintptr_t shared_stack;         /* which vps use in turn; bytes 0: each has its own */
    size_t shared_stack_bytes;

    /* its holder's */
    struct lpi_run_queue run_queue;
    int64_t deliveries; /* without delays: their order stands for that of arrival */
    int64_t credit;     /* bytes of queue_limit taken from the machine and not used */
    uint64_t messages;  /* sent in this run */
    struct lpi_pool pool;
    struct lpi_life life;
    struct lpi_space_queue space;
    struct lpi_window window;
    struct lpi_lag lag;
};

/* Of a proc that waits for room: how much, and who came after it. */
struct lpi_space_wait {
    struct lpi_proc *next;
    int64_t needs;
};

/* A model that the machine owns. */
struct lpi_delay {
    struct logp_delay_ops ops; /* start == NULL: none, and only while it is pending */
    void *model;
    struct logp_network network; /* that this is a model of */
    int64_t at;                  /* pending: when it is to be in force */
    struct lpi_delay *next;
};

struct logp_machine {
    /* read by every call, written hardly ever */
    _Atomic(struct lpi_delay *) delay; /* NULL: none. RCU: readers in call.h, writer in_force.c */
    atomic_int stop;                   /* negative errno: the run is over */
    atomic_bool is_abandoned;   /* the last run, which is not collected: a stop is for the next */
    _Atomic int64_t pending_at; /* virtual: the next replacement; INT64_MAX: none */
    bool is_virtual;
    bool fast_path;       /* the wall clock, and no extras */
    bool instrumented;    /* runs are recorded or explored, or sends wait for their receivers */
    atomic_bool has_work; /* the model says how long a processor works */
    int P, n_cores;
    int first_rank, n_local;        /* the vps of this process */
    struct lpi_remote *remote;      /* the other processes; NULL: there are none */
    struct lpi_recorder *recorders; /* by rank: chunks.h; NULL: nothing is recorded */
    struct lpi_tracing *tracing;
    int taken_core; /* of the process's; -1: none */
    int64_t poll_ns;
    uint64_t yield_seed;
    int64_t (*time_ns)(void *arg); /* the wall clock's source; NULL: the host's */
    void *time_arg;
    struct lpi_clock clock;
    struct lpi_proc *procs;
    struct lpi_core *cores;
    struct lpi_direct *direct;           /* by rank; NULL on one core */
    struct lpi_mailbox *mails;           /* by rank; NULL on one core under the virtual clock */
    _Atomic(struct lpi_onwire *) onwire; /* capacity.c; NULL: not needed yet */
    struct lpi_space_wait *space_waits;  /* by rank; NULL: sends do not wait for room */
    void *lanes;                         /* n_cores^2 of lane_stride bytes */
    size_t lane_stride;
    /* by rank: attach.c; NULL: not needed yet */
    _Atomic(struct lpi_attached *) attached;
    const struct lpi_executor *executor;
    void (*live)(struct lpi_proc *p); /* the life of a vp in one run, on its carrier */
    /* The last vp of a core has ended, and so have all. true: the next run begins, if the executor
     * can carry on (lpi_executor.repeats). */
    bool (*cores_done)(struct lpi_core *c);
    void *executor_data;
    size_t stack_bytes;
    size_t queue_limit;
    /* 1: programs run; 2 for each thread that injects: inject.c */
    atomic_uint injectors;
    atomic_bool expects;  /* injections: whoever waits may wait for them */
    int64_t credit_batch; /* what a core takes of it at once, and keeps of what it is given */

    logp_program program;
    void *arg;
    int64_t base_ns;                      /* wall clock at time 0 of the run */
    int64_t clock_overhead;               /* of two readings in a row */
    const struct lpi_answers *answers;    /* to the queries of its calls, in this run ... */
    const struct lpi_answers *unrecorded; /* ... and what a recording table wraps */
    struct lpi_explore *explore; /* virtual clock, one core: who is asked what comes next; NULL */
    int64_t rendezvous_from; /* sends of so many bytes or more wait for their receiver; 0: none */
    struct lpi_rendezvous **rts; /* by rank: its sends that do; NULL: none ever did */
    /* a receive has met one: to its sender, from p. 0; -ENOMEM */
    int (*answer)(struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e);
    unsigned polls_in_vain; /* after so many in a row a vp that polls counts as waiting */

    _Alignas(LPI_LINE) _Atomic int64_t credit; /* bytes of queue_limit nobody has taken */
    _Alignas(LPI_LINE) atomic_int sync_arrived;
    atomic_uint sync_generation;
    _Atomic int64_t sync_start;
    /* parallel: the meetings of the cores at the end of each window */
    int64_t lookahead;
    _Alignas(LPI_LINE) atomic_int n_met;
    atomic_uint meetings;
    atomic_uint event; /* changes with all that a core may sleep for: window.c */
    atomic_int n_asleep;
    _Alignas(LPI_LINE) atomic_int live_cores; /* cores with procs that have not ended */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t home;
    int running;        /* cores that have not come home */
    bool not_reclaimed; /* what the last run left is still where it was */
    unsigned n_runs;    /* begun */
    bool is_asking;     /* again() is being called, by the carrier */
    /* asked after each run, for as long as the carrier goes on by itself; NULL: it does not */
    bool (*again)(void *arg, const struct logp_report *report);
    void *again_arg;
    struct lpi_delay *pending;
    struct lpi_group *groups;
    struct lpi_area *areas;      /* that members of groups share: area.c */
    struct logp_network planned; /* as configured, for when no model is in force */
    struct logp_report report;
    atomic_int error_rank;
    struct logp_wait_info *waits;
};

/* logp_network.rendezvous_from, of a configuration */
static inline int64_t lpi_rendezvous_from(const struct logp_config *config)
{
    return config->network != NULL ? config->network->rendezvous_from : 0;
}

static inline int64_t lpi_wall(const struct logp_machine *m)
{
    return lpi_clock_ns(&m->clock) - m->base_ns;
}

/* Does the vp have a clock of its own? Not on the wall clock with delay none. */
static inline bool lpi_has_clock(const struct lpi_proc *p)
{
    return p->emulating || p->core->machine->is_virtual;
}

/* Does the virtual clock run on several cores? */
static inline bool lpi_is_parallel(const struct logp_machine *m)
{
    return m->is_virtual && m->n_cores > 1;
}

/* Is there a delay model? */
static inline bool lpi_emulates(const struct logp_machine *m)
{
    /* relaxed: NULL or not; whoever uses the model reads it again under RCU */
    return atomic_load_explicit(&m->delay, memory_order_relaxed) != NULL;
}

/* Is anything on that is off as a rule? One test for all of it, where everybody passes. */
static inline bool lpi_is_instrumented(const struct logp_machine *m)
{
    return __builtin_expect(m->instrumented, false);
}

/* Has p sends under way that wait for their receivers? */
static inline bool lpi_has_rts(const struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    return m->rts != NULL && m->rts[p->rank] != NULL;
}

/* Nothing is emulated and nobody has a clock, or looks: the shortest ways may be taken. */
static inline bool lpi_has_fast_path(const struct logp_machine *m)
{
    return m->fast_path && !lpi_emulates(m);
}

/* Is this rank on the core? */
static inline bool lpi_is_here(const struct lpi_core *c, int rank)
{
    return (unsigned)(rank - c->first_rank) < (unsigned)c->n_procs;
}

/* What logp_now() says. */
static inline int64_t lpi_clock(const struct lpi_proc *p)
{
    return lpi_has_clock(p) ? p->emulated : lpi_wall(p->core->machine);
}

/* t + dt, or the end of time; t, dt >= 0. */
static inline int64_t lpi_after(int64_t t, int64_t dt)
{
    return dt < INT64_MAX - t ? t + dt : INT64_MAX;
}

/* t, but not before the vp's own clock. */
static inline int64_t lpi_later(const struct lpi_proc *p, int64_t t)
{
    return lpi_has_clock(p) && p->emulated > t ? p->emulated : t;
}

#endif
