/* SPDX-License-Identifier: MIT */
/*
 * The runtime's structures and their owners.
 *
 *   machine   its creator writes it between runs; during a run only its atomics change
 *   core      its holder, the one vp that runs on it, owns everything that is not atomic. The
 *             hand-over (executor) passes the ownership on with release/acquire
 *   proc      one virtual processor: the holder of its core owns it
 *   lane      the ring from one core to another: the holder of the first core owns the producer
 *             half, the holder of the second core the consumer half
 *
 * So a message between two vps of one core is delivered by plain stores, and only messages
 * between cores need atomics. Under the virtual clock the whole machine is one core,
 * unless it is parallel (window.c).
 */
#ifndef LPI_STATE_H
#define LPI_STATE_H

#include <logp/logp.h>
#include <logp/transport.h>

#include "host/clock.h"
#include "host/host.h"
#include "state/absence.h"
#include "state/lag.h"
#include "state/message.h"
#include "state/query.h"
#include "state/timers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#define LPI_LINE 128              /* two cache lines: the adjacent-line prefetcher pairs them */
#define LPI_POLL_EVERY 32         /* while vps are ready, turns per poll for mail */
#define LPI_IDLE_POLLS 2048       /* logp_machine.idle_polls, if others may send */
#define LPI_POLLS_IN_VAIN 1000000 /* logp_machine.polls_in_vain ... */
#define LPI_EXPLORED_IN_VAIN 1000 /* ... in explored runs */
/* Contexts of groups are below LPI_CONTEXT_COLLECTIVE, the lowest third of all contexts. A group
 * has two more: at this offset for collectives, at the next one for started collectives. */
#define LPI_CONTEXT_COLLECTIVE (LOGP_CONTEXT_MAX + 1)
#define LPI_CONTEXT_STARTED (2 * LPI_CONTEXT_COLLECTIVE)

enum lpi_state {
    LPI_RUNNING,         /* it holds the core */
    LPI_READY,           /* in the core's list of vps that can run at once */
    LPI_TIMED,           /* in the timers: it has a deadline */
    LPI_BLOCKED,         /* waits for a message that has not been sent */
    LPI_SYNC,            /* waits in logp_sync(): sync_group.c */
    LPI_WAITS_FOR_SPACE, /* waits for queue space for a message: backpressure.c */
    LPI_IN_BLOCKING,     /* in a blocking section, without its core: blocking.c */
    LPI_SENDING,         /* its send waits for its receiver */
    LPI_POLLING,         /* explored: waits for the choice that resolves its query: explore.c */
    LPI_ENDED,           /* its program has returned */
};

/* Bits of lpi_core.attention: what a spinning core must attend to. */
enum { LPI_ATT_BELL = 1, LPI_ATT_SYNC = 2, LPI_ATT_REACQUIRE = 4 };

struct lpi_proc;
struct lpi_core;
struct lpi_explore;
struct lpi_record;
struct lpi_word_wait; /* word_wait.c */

/* A program's handle of a vp: the vp in a context, in a group with ranks of the group. */
struct logp_vp {
    struct lpi_proc *proc;
    uint32_t context;
    int rank, size;
    union {
        uint32_t n_started; /* for started collectives: how many in this run: attach.c */
        uint32_t n_areas;   /* for collectives of a group: its number of areas: area.c */
        uint32_t
            n_calls; /* a group, and its fourth; the vp itself: how many collectives: compare.c */
    };
    bool is_renumbered; /* a rank is not that of the machine, or one is missing */
    int *to_global;     /* NULL: the ranks are global */
    int *to_local;
    struct logp_vp *collective;
};

struct lpi_proc {
    /* constant while it lives: senders on other cores read it */
    _Alignas(64) struct lpi_core *core;
    int rank, core_index; /* a copy of core->index, whose cache line core's holder writes */
    void *carrier;        /* the executor's: a thread's baton, a fiber, or a stack set aside */
    /* in a run: the handle of its program, and after it that for collectives. They are on its stack:
     * only the vp itself uses them */
    struct logp_vp *vp;
    /* the holder's, but rarely written, so it may share this line */
    union {
        int64_t wait_until; /* with waits_for: lpi_waits_for() */
        struct {
            int src, tag;
        } any; /* for reports: the label wanted; WAITS_FOR_SPACE, SENDING: receiver and tag */
        int sync_result; /* SYNC of a group: 0; or its error */
    };
    uint32_t agreed;        /* the largest context above 2^30 of its groups */
    int order;              /* of its deadlines: lpi_timer.order */
    struct logp_kept *kept; /* logp_vp_keep(); NULL: nothing, or the vp has its own thread */

    /* the holder's; fields that a message within the core touches come first */
    _Alignas(64) enum lpi_state state;
    unsigned waits_for_any : 1; /* several events may end its wait: it polls when it is woken */
    unsigned halted : 1;        /* the delay model has stopped it for good */
    unsigned needs_query : 1;   /* to wait, test or probe: the machine is instrumented, or the vp
                                    has something under way */
    unsigned counts : 1;        /* wall clock: what its program does between two calls takes time
                                   of its clock: logp_own_time() */
    unsigned sends : 28;        /* in this run */
    unsigned stamp;             /* of its deadline in the timers */
    union {
        unsigned in_vain; /* both: 0 resets them */
        struct {
            unsigned polls : 22;    /* tests and probes in a row that found nothing */
            unsigned readings : 10; /* of the virtual clock in a row; saturates */
        };
    };
    struct lpi_proc *next_ready;
    struct logp_request *waits_for; /* while BLOCKED or TIMED in a wait for one receive */
    struct lpi_inbox inbox;
    int64_t
        deadline; /* while TIMED; SYNC: the start, once it is known; IN_BLOCKING: when it resumes */
    int64_t emulated; /* the vp's clock; below 0: none, as on the wall clock without delays */
    int64_t left;     /* wall clock at the last exit from the runtime, if the vp has a clock */
    struct logp_port port;
};
_Static_assert(sizeof(void *) > 8 || sizeof(struct lpi_proc) <= 192, "a vp is small");

/* A start that a core has yet to notice. */
struct lpi_release {
    void (*notice)(struct lpi_core *c, struct lpi_release *r); /* by the holder of c */
};

/* The part of a vp that threads without its core write: queue.c, blocking.c. */
struct lpi_mailbox {
    _Alignas(64) struct __cds_wfcq_head head;
    struct cds_wfcq_tail tail;
    struct lpi_proc *bell_next;    /* link of the core's bell list */
    struct lpi_proc *next_request; /* link of the core's request list */
    struct lpi_release *release;   /* for its core, when it takes that list; NULL: none */
    atomic_bool rung;
    atomic_bool is_blocking; /* for reports */
};

/* An exposed receive buffer, which a sender on another core may fill: see direct.c. */
#define LPI_DIRECT_FROM 2048 /* bytes: below, a second copy costs less than the cache lines here */
enum { LPI_DIRECT_NONE, LPI_DIRECT_OPEN, LPI_DIRECT_CHECKED, LPI_DIRECT_CLAIMED };
struct lpi_direct {
    _Alignas(LPI_LINE) atomic_uint state;
    struct lpi_label label;
    size_t capacity;
    void *buf;
    struct logp_request *request; /* the receiver's; NULL: no buffer is exposed */
};

/* The place of a thread's state of which each fiber needs its own copy: threads.h. Constant for a
 * thread. */
struct lpi_thread_place {
    int *error;
    void *exceptions; /* NULL: there is no C++ */
};

/* The run queue of a core: run_queue.c, sched.c. */
struct lpi_run_queue {
    struct lpi_timers timers;
    struct lpi_proc *ready_first, *ready_last; /* in the order in which they became ready */
    unsigned taken, looks;                     /* counts in a row, to poll now and then: sched.c */
    unsigned idle_polls;
    int64_t idle_from; /* since then no vp was ready; 0: the clock has not been read yet: sleep.c */
    struct lpi_word_wait *word_wait_first,
        *word_wait_last;             /* the list of word waits: word_wait.c */
    int64_t slack;                   /* ns by which passed deadlines may be served out of order */
    const struct lpi_proc *prepared; /* the earliest proc when the next ones were prepared */
    int64_t clock_seen;              /* the last reading of the wall clock on this core */
};

/* The numbers of procs of a core by phase. */
struct lpi_life {
    int n_live, n_at_sync, n_blocking;
    int stop_cursor; /* procs below have ended, once the run is stopping */
    bool is_idle;    /* idle_epoch is odd */
};

/* Procs of a core that wait for queue space: backpressure.c. */
struct lpi_space_queue {
    struct lpi_proc *first; /* first come first */
    _Atomic int64_t wanted; /* bytes: the least that one of them needs; all cores read it */
    int64_t at;             /* virtual: when space was last freed */
};

/* Parallel: a core's part of the windows (window.c). The core owns it in a window, and the leader
 * between two windows, but for the atomics. */
struct lpi_window {
    int64_t end;      /* time stops here; not parallel: INT64_MAX */
    int64_t sync_end; /* for the procs at a sync that others have yet to enter, it stops here */
    int64_t alone_to; /* until then no other core acts; not parallel: INT64_MIN */
    struct lpi_proc *put_off; /* these procs wait for `end`: lpi_attached.next_put_off */
    int64_t least, others;    /* no proc runs earlier; and none that is not at such a sync */
    int64_t asks;   /* a proc that has polled for long asks whether all procs of the machine wait or
                     poll in vain at this time; INT64_MAX: none asks */
    bool is_active; /* it has something to do in its window */
    bool is_first;  /* the place (least, start, order) is the first of all cores */
    unsigned start; /* logp_machine.sync_generation at the end of the last window */
    int order; /* of the proc that runs at `least`; -1: a message or a start may come before it */
    /* messages of other cores (poll.c): */
    struct lpi_message *held; /* from mailboxes, in the order of their sends; delivered later */
    int64_t left_at; /* messages that it has not delivered arrive then or later; INT64_MAX: none */
    int64_t counted_to; /* one core: the next window begins then or later; else INT64_MAX */
    _Alignas(LPI_LINE) atomic_uint event; /* changes with each event that the core may sleep for */
    atomic_bool is_asleep;
    atomic_bool wants_work; /* not parallel: it sleeps until it is given work: sleep.c */
    atomic_uint turn;       /* the number of its windows */
    _Atomic int64_t mail;   /* actions of others reach the core at this time or later */
};

/* The lanes that a core polls: poll.c. */
struct lpi_polled {
    struct lpi_lane_in **lanes; /* those that have been made; the first ones are hot */
    int n_made, n;    /* all; those that lpi_poll() reads: on a machine with windows none */
    int next;         /* the next of the others to be read */
    int coldest;      /* of the hot ones: it makes place for the next */
    int64_t began_at; /* clock_seen when this round of the others began */
};

/* Polling loops on several cores: deadlock.c. */
struct lpi_vain {
    /* Between these times of the host's clock all procs of the core waited or polled in vain, and it
     * neither sent nor took a message. from: INT64_MAX: not so when last checked */
    _Atomic int64_t from, until;
    uint64_t done;    /* messages sent and taken, when last checked */
    uint64_t settled; /* the same, when lpi_check_pollers() last found all so; UINT64_MAX: never */
    int64_t quiet, quiet_until; /* its owner has found all cores so at that time, and nothing on its
                                   way; 0: not yet */
    unsigned long idle;         /* the epochs of the cores that were idle then, summed up */
};

struct lpi_core {
    /* written by others */
    _Alignas(LPI_LINE) atomic_uint attention;
    _Atomic(struct lpi_proc *) bell;        /* procs whose mailbox has mail */
    _Atomic(struct lpi_proc *) requests;    /* procs that request the core: blocking.c */
    _Atomic(struct lpi_message *) returned; /* messages of this core's pool, freed elsewhere */

    /* read by others. odd: no vp here can run. It changes before a message is taken (deadlock.c)
     */
    _Alignas(LPI_LINE) atomic_ulong idle_epoch;
    atomic_int holder; /* rank of the holder, -1 in the scheduler's idle loop: for reports */

    /* constant while the machine lives */
    _Alignas(LPI_LINE) struct logp_machine *machine;
    int first_rank, n_procs;
    int *ranks;         /* of its procs; NULL: consecutive ones from first_rank */
    const int *core_of; /* the machine's; NULL: as ranks */
    int index;
    int cpu;                  /* the operating system's number; -1: not pinned */
    int n_in;                 /* entries of in: all cores; 0: there are no others */
    struct lpi_lane_out *out; /* the halves of its lanes, indexed by core: lane.h */
    struct lpi_lane_in *in;
    struct lpi_thread_place thread; /* of its carrier */
    uintptr_t shared_stack;         /* vps use it in turn; bytes 0: each vp has its own stack */
    size_t shared_stack_bytes;

    /* its holder's */
    struct lpi_run_queue run_queue;
    int64_t deliveries; /* they number messages; without a delay arrivals follow this order */
    int64_t credit;     /* bytes of queue_limit that are taken from the machine and not used */
    uint64_t messages;  /* sent in this run */
    int late_starts;    /* starts in this run at which it released vps too late */
    unsigned polls;     /* for messages of other cores: lane.h */
    struct lpi_polled polled;
    struct {
        const char *call;
        int rank, error;
    } failed; /* the call that returned an error last: for reports */
    struct lpi_pool pool;
    struct lpi_life life;
    struct lpi_space_queue space;
    struct lpi_window window;
    struct lpi_vain vain;
    struct lpi_lag lag;
    struct lpi_absence absence;
};

/* The wait of a proc for queue space. */
struct lpi_space_wait {
    struct lpi_proc *next; /* the proc that came after it */
    int64_t needs;         /* bytes */
};

/* What a run is expected to do: worth.c. */
struct lpi_load {
    bool is_known;
    uint64_t events, windows;
    int64_t time_ns; /* it may have a window in each lookahead of it; 0: `windows` is known */
};

/* A delay model that the machine owns. */
struct lpi_delay {
    struct logp_delay_ops ops; /* start == NULL: no delay; only while it is pending */
    void *model;
    struct logp_network network; /* the network that is modelled */
    uint64_t number;             /* no other model of the process has it; 0: none */
    int64_t capacity;            /* messages on the wire of a processor; 0: any number */
    int64_t at;                  /* pending: when it comes into force */
    struct lpi_delay *next;
};

struct logp_machine {
    /* read by every call, rarely written */
    _Atomic(struct lpi_delay *) delay; /* NULL: none. RCU: readers delay.h, writer in_force.c */
    atomic_int stop;                   /* negative errno: the run is over */
    atomic_bool is_abandoned;   /* the last run is, and not reclaimed: a stop is for the next run */
    _Atomic int64_t pending_at; /* virtual: when the model is replaced next; INT64_MAX: never */
    bool fast_path;             /* wall clock, not instrumented, no rendezvous_from */
    bool instrumented;    /* runs are recorded or explored: one test for both on the fast path */
    bool is_virtual;      /* the clock */
    bool has_windows;     /* parallel */
    bool is_crowded;      /* cores share a processor: whatever waits for another one yields */
    bool shares_memory;   /* one process, wall clock: without a delay vps may share memory */
    atomic_bool has_work; /* the model decides how long a processor computes */
    _Atomic uint32_t shared_contexts; /* vps are shared by threads: the next context; 0: none is */
    int P, n_cores;
    int n_used;                      /* cores with vps, the first ones: worth.c */
    int first_rank, n_local;         /* the vps of this process */
    struct lpi_remote *remote;       /* the other processes; NULL: there are none */
    logp_active_handler *handler;    /* of active messages */
    struct lpi_recorder *recorders;  /* by rank: trace/chunks.h; NULL: nothing is recorded */
    const struct lpi_record *record; /* trace/recorder.h */
    struct lpi_tracing *tracing;
    struct lpi_held held; /* its cores: host/cores.c */
    unsigned idle_polls;  /* polls without work after which a core counts as idle */
    int64_t line_ns;      /* for a line of another core to come and go; 0: not measured */
    int64_t poll_ns;
    uint64_t yield_seed;
    int64_t (*time_ns)(void *arg); /* the wall clock's source; NULL: the host's */
    void *time_arg;
    struct lpi_clock clock;
    struct lpi_proc *procs;
    struct lpi_core *cores;
    int *core_of; /* by rank: index of its core; NULL: cores have consecutive ranks: placement.c */
    struct lpi_direct *direct;           /* by rank; NULL on one core */
    struct lpi_mailbox *mails;           /* by rank */
    _Atomic(struct lpi_onwire *) onwire; /* capacity.c; NULL: not needed yet */
    struct lpi_space_wait *space_waits;  /* by rank; NULL: no backpressure */
    void *lanes;                         /* the halves of all lanes: lane_stride bytes for a core */
    size_t lane_stride;
    unsigned lane_lines; /* of each lane; 0: there are no lanes */
    /* by rank: attach.c; NULL: not needed yet */
    _Atomic(struct lpi_attached *) attached;
    const struct lpi_processes *processes; /* remote.h; chosen at creation */
    const struct lpi_executor *executor;
    const struct lpi_time *time;      /* the clock: core/sched.h; chosen at creation */
    void (*live)(struct lpi_proc *p); /* runs a vp for one run, on its carrier */
    /* All vps have ended, the last one on core c. true: the next run begins, if the executor can
     * repeat (lpi_executor.repeats). */
    bool (*cores_done)(struct lpi_core *c);
    void *executor_data;
    size_t stack_bytes;
    size_t queue_limit;
    /* 1 while programs run, plus 2 for each thread that injects: queue.c */
    atomic_uint injectors;
    atomic_bool expects;  /* injections may come: vps that wait are not deadlocked */
    int64_t credit_batch; /* bytes of queue_limit that a core takes at once, and keeps */

    logp_program program;
    void *arg;
    int64_t base_ns;                       /* wall clock at time 0 of the run */
    int64_t clock_overhead;                /* ns between two readings in a row */
    struct lpi_resolver resolver;          /* of this run ... */
    const struct lpi_resolver *unrecorded; /* ... and the one that recording wraps */
    struct lpi_explore *explore; /* virtual clock, one core: the explorer; NULL: not explored */
    int64_t rendezvous_from; /* bytes from which on a send waits for its receiver; 0: none does */
    unsigned polls_in_vain;  /* failed polls in a row after which a vp counts as waiting */

    _Alignas(LPI_LINE) _Atomic int64_t credit; /* bytes of queue_limit that no core has taken */
    _Alignas(LPI_LINE) atomic_int sync_arrived;
    atomic_uint sync_generation;
    _Atomic int64_t sync_start;
    atomic_int watchers;  /* cores that sleep while vps wait for a word or queue space */
    atomic_int sync_root; /* the core that fixed it: the first to let others notice it */
    /* parallel: window.c */
    int64_t lookahead;                        /* not parallel: INT64_MAX */
    uint64_t windows;                         /* of this run: worth.c */
    bool has_choice;                          /* it may use fewer cores than it has */
    struct lpi_load load;                     /* of the next run */
    _Alignas(LPI_LINE) atomic_int n_active;   /* cores that have yet to come to the window's end */
    _Alignas(LPI_LINE) atomic_int live_cores; /* cores with procs that have not ended */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t home;
    int running;        /* cores that are not done */
    bool not_reclaimed; /* the memory of the last run is not reclaimed yet */
    unsigned n_runs;    /* runs begun */
    bool is_asking;     /* the carrier is calling again() */
    /* called after each run if the carrier begins the next run itself; NULL: it does not */
    bool (*again)(void *arg, const struct logp_report *report);
    void *again_arg;
    struct lpi_delay *pending;
    _Atomic(struct lpi_delay *) retired;
    struct lpi_group *groups;
    _Atomic(struct lpi_calls *)
        calls;                 /* that not all members have made: compare.c; NULL: none yet */
    _Atomic(void *) own_calls; /* on the wall clock, the calls of each vp: agree.c */
    bool lacks_own_calls;      /* there was no memory for them: nothing is compared */
    bool compares_calls, trusts_calls;
    int exploring, blocking; /* 0; -ENOTSUP: no run is explored, no vp is in a blocking section */
    struct lpi_area *areas;  /* memory that members of a group share: area.c */
    struct logp_network planned; /* as configured; reported while no model is in force */
    struct logp_report report;
    char detail[320]; /* report.asserted.detail */
    atomic_int error_rank;
    struct logp_wait_info *waits;
    struct logp_wait_info *waits_in_vain; /* by rank: last_wait_of() */
};

/* The rendezvous threshold of a configuration; 0: none */
static inline int64_t lpi_rendezvous_from(const struct logp_config *config)
{
    return config->network != NULL ? config->network->rendezvous_from : 0;
}

static inline int64_t lpi_wall(const struct logp_machine *m)
{
    return lpi_clock_ns(&m->clock) - m->base_ns;
}

/* Whether the processor time of its carriers shows that a core was away. A clock of the user's own has none. */
static inline bool lpi_counts_presence(const struct logp_machine *m)
{
    return !m->is_virtual && m->time_ns == NULL;
}

static inline bool lpi_has_clock(const struct lpi_proc *p)
{
    return p->emulated >= 0;
}

/* Whether there is a delay model. */
static inline bool lpi_emulates(const struct logp_machine *m)
{
    /* relaxed: NULL or not; a user of the model reads it again under RCU */
    return atomic_load_explicit(&m->delay, memory_order_relaxed) != NULL;
}

/* Whether the fast path may be taken: no delay, wall clock, not instrumented. */
static inline bool lpi_has_fast_path(const struct logp_machine *m)
{
    return m->fast_path && !lpi_emulates(m);
}

/* Whether this rank is on the core. */
static inline bool lpi_is_here(const struct lpi_core *c, int rank)
{
    if (__builtin_expect(c->core_of != NULL, false))
        return (unsigned)rank < (unsigned)c->machine->P && c->core_of[rank] == c->index;
    return (unsigned)(rank - c->first_rank) < (unsigned)c->n_procs;
}

/* The i-th proc of the core */
static inline struct lpi_proc *lpi_proc_at(const struct lpi_core *c, int i)
{
    return &c->machine->procs[c->ranks != NULL ? c->ranks[i] : c->first_rank + i];
}

/* The largest time of a clock: a few more times can be added without overflow. */
#define LPI_CLOCK_END (INT64_MAX / 8)

/* t + dt, or the end of time; dt >= 0. */
static inline int64_t lpi_after(int64_t t, int64_t dt)
{
    return t < INT64_MAX - dt ? t + dt : INT64_MAX;
}

/* t, but not before the vp's own clock. */
static inline int64_t lpi_later(const struct lpi_proc *p, int64_t t)
{
    return p->emulated > t ? p->emulated : t;
}

#endif
