/* SPDX-License-Identifier: MIT */
/*
 * A machine over several processes: the state that one process keeps of the others.
 *
 * Each process has the same machine, and runs a block of consecutive ranks of it. Arrays by rank
 * have P entries, but a process uses only those of its own ranks. The holder of the first core
 * polls for messages of other processes when it polls for mail. While no vp runs, the caller of
 * logp_machine_run() does.
 *
 *   mail/remote.c           messages of vps
 *   mail/active.c           active messages
 *   core/remote_control.c   control messages: starts, groups, stops, deadlocks, the end of a run
 */
#ifndef LPI_REMOTE_H
#define LPI_REMOTE_H

#include "host/transport.h"
#include "state/state.h"

enum lpi_wire_kind {
    LPI_WIRE_UNTIMED, /* a short message of a vp without an arrival time */
    LPI_WIRE_DATA,    /* a short message of a vp with an arrival time */
    LPI_WIRE_RTS,     /* a request to send, with its rendezvous: struct lpi_wire_rendezvous */
    LPI_WIRE_CTS,     /* its answer, with that and the receive */
    LPI_WIRE_CANCEL,  /* takes an RTS back; answered by a CTS without a receive */
    LPI_WIRE_LONG,    /* a message of a vp; the payload follows separately */
    LPI_WIRE_ARRIVED, /* to process 0: all vps of a process are at the sync */
    LPI_WIRE_START,   /* the start is fixed: `arrival`, and `n_bytes` on the common clock */
    /* a vp is at the sync of a group: to the process of its first member, `dst`. `n_bytes`: members;
     * `tag`: its rank in the group, `bits`: its word, if words are compared */
    LPI_WIRE_GROUP_ARRIVED,
    LPI_WIRE_GROUP_START, /* to a member: the group's start; `tag`: its result, or an error */
    LPI_WIRE_ACTIVE,      /* an active message: the process handles it, no vp receives it */
    /* those above are counted: while one is under way, there is no deadlock and no end */
    LPI_WIRE_COUNTED = LPI_WIRE_ACTIVE,
    LPI_WIRE_STOP,    /* the run is over, by the error `tag` */
    LPI_WIRE_STATE,   /* to process 0: a process can do nothing by itself, or its run has ended */
    LPI_WIRE_SCAN,    /* to all: query changes of that state. `context`: number of the scan */
    LPI_WIRE_SCANNED, /* the answer: `src` is 1 if it has not */
    LPI_WIRE_END,     /* the run of all has ended, and nothing is under way. `arrival`: its error */
    LPI_WIRE_CLOCK,   /* between runs: core/common_clock.c */
};

/* The header of each message. UNTIMED sends only the fields before `is_data`: a header costs by the
 * cache line. */
struct lpi_wire {
    uint32_t kind : 5,
        run : 11,           /* the run it belongs to, so that later runs ignore late messages */
        untimed_bytes : 16; /* UNTIMED: its n_bytes */
    uint32_t context;
    int src, dst, tag;
    uint32_t is_data; /* DATA, LONG: the payload of a rendezvous; `bits` is its receive */
    uint64_t n_bytes;
    int64_t arrival; /* by the machine's clock, whose time 0 is the same in all processes */
    uint64_t bits;   /* sent with the payload; UNTIMED has none */
};

/* The parties of RTS, CTS and CANCEL: addresses in the sender's and in the receiver's process. */
struct lpi_wire_rendezvous {
    uint64_t rendezvous; /* the sender's */
    uint64_t request;    /* CTS: the receive that has matched */
};

/* The state that a process reports to process 0. */
struct lpi_remote_state {
    int64_t is_done; /* its vps have ended */
    int64_t sent, received;
    int64_t error; /* key of the error that ended the run: error_key() in remote_control.c */
};

/* The payload of a long message, under way. */
struct lpi_cargo {
    struct lpi_cargo *next; /* in the order of the headers */
    struct lpi_transfer *transfer;
    struct lpi_proc *to;
    struct logp_request *request; /* the receive that it has matched or answers; NULL: none yet */
    struct lpi_message *message;  /* gets the payload; NULL: the receive's buffer gets it */
    bool is_over;                 /* the payload is complete */
    bool is_dropped;              /* no vp receives it: the run is stopping */
};

struct lpi_remote {
    const struct lpi_transport *ops;
    int process, n_processes;
    int *process_of; /* by rank */
    uint32_t run;    /* the number of the current run, counted over this process's machines */
    bool is_shared;  /* several cores call the transport, one at a time: `busy` */
    bool is_crowded; /* this host has more processes than cores */
    atomic_bool busy;
    bool is_polling;
    unsigned empty_polls;
    _Atomic int64_t sent;
    int64_t received;
    uint64_t dropped; /* messages that came after the end */
    struct lpi_transfer *
        *sending;               /* by rank: the last long send while its payload is read; or NULL */
    struct lpi_cargo *arriving; /* to vps of the first core */
    struct lpi_cargo *held;     /* messages to vps of other cores, behind an incomplete one */
    struct lpi_reply *replies, **last_reply; /* of the handler: sent at the end of a poll */
    bool replies_now;                        /* they are being sent */
    /* the common clock: core/common_clock.c */
    bool is_fitted;              /* each process has its own clock; else all are on one host */
    struct lpi_clock host_clock; /* not fitted: as process 0 has calibrated it */
    struct lpi_fit {
        int64_t at_ns, ahead_ns; /* at this time of this process's clock, its lead on process 0 */
        double drift;            /* ns per ns by which ahead_ns grows */
    } fit;
    int64_t fitted_ns;                    /* time of the fit, by the host's clock */
    int64_t fit_error_ns, clock_error_ns; /* after the fit; of the last run, < 0: none yet */
    /* Handles control messages: core/remote_control.c. w == NULL: the run is stopping, and this
     * process has not notified the others yet. */
    void (*control)(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more);

    /* of a run */
    struct lpi_remote_state told; /* last reported to process 0 */
    unsigned long told_epochs;
    bool is_told, stop_told, is_done, is_ended;
    atomic_bool is_lost; /* processes no longer answer: there are no further runs */
    int64_t error;       /* key of the error that all have agreed on */
    /* of process 0 */
    atomic_int n_arrived_processes;  /* processes that are at the sync */
    struct lpi_remote_state *states; /* by process */
    bool *is_known;                  /* states[] is up to date */
    int n_known;
    uint32_t scan; /* the number of the last scan */
    int n_scanned; /* processes that have answered it; -1: no scan is under way */
};

/* The functions of a machine of one process, or of several: core/processes.c. */
struct lpi_processes {
    int only_one;        /* what one process alone can do: 0; -ENOTSUP: there are others */
    unsigned idle_polls; /* at least; see logp_machine */
    /* Notify the processes that wait for this one that it cannot create its machine, for reason
     * rc. */
    void (*refuse)(const struct logp_config *config, const struct lpi_transport *ops, int rc);
    /* Join the other processes: set m->remote and the ranks of this process. -ENOTSUP, -EINVAL: the
     * configuration is not possible; -EBUSY; errors of lpi_transport.open() */
    int (*join)(struct logp_machine *m, const struct logp_config *config,
                const struct lpi_transport *ops);
    int (*count)(const struct logp_machine *m);
    int (*own)(const struct logp_machine *m); /* the number of this process */
    /* See logp_machine_agree(), logp_machine_clock_error(). */
    int (*agree)(struct logp_machine *m, int64_t *values, size_t n, enum logp_agreement how);
    int64_t (*clock_error)(const struct logp_machine *m);
    /* Agree on the result of the creation: the worst of all processes. */
    int (*agree_on)(struct logp_machine *m, int rc);
    /* Hold the cores of this process in m->held. @return 0; or an error */
    int (*choose_cores)(struct logp_machine *m, const struct logp_config *config);
    /* Before a run: check the delay model, and agree on the clock. Wait for the other processes
     * until `end` of the host's clock (0: for ever). 0; -ENOTSUP; -EBUSY: a process was lost
     * before; -ETIMEDOUT: one is lost now */
    int (*barrier)(struct logp_machine *m, int64_t end);
    void (*prepare)(struct logp_machine *m); /* the machine's clock is initialised */
    /* All vps of this process are at the sync. By the holder of c. */
    void (*arrived)(struct lpi_core *c);
    /* All cores of this process are idle, with this sum of their epochs: it can do nothing by
     * itself. */
    void (*idle)(struct lpi_core *c, unsigned long epochs);
    /* On several cores: all vps of c wait or poll in vain. */
    void (*in_vain)(struct lpi_core *c);
    /* Wait for a message of another process, if possible, when no vp of c is ready. @return a
     * message has come */
    bool (*await)(struct lpi_core *c);
    /* Run others of the core until the buffer of p's last send to another process may be reused. */
    void (*await_sent)(struct lpi_proc *p);
    /* See logp_active_post(). @return 0; -ENOMEM; -EINVAL: there are no other processes */
    int (*post)(struct logp_machine *m, const struct lpi_wire *w);
    /* p, the caller, drops its receives: no payload is written to their buffers afterwards. */
    void (*drop_receives)(struct lpi_proc *p);
    /* The vps of this process have ended: wait for those of the others, until `end` of the host's
     * clock (0: for ever). The wait ends a few seconds after `end`, or after a stop of the run. */
    void (*conclude)(struct logp_machine *m, int64_t end);
    /* After this process has counted its own: turn the report into that of the whole machine, with a
     * cycle of waits first. */
    void (*collect)(struct logp_machine *m);
    void (*abandon)(struct logp_machine *m); /* this process stops answering */
};

/* relaxed, also in lpi_remote_lose(): several cores read it, and it publishes nothing */
static inline bool lpi_remote_is_lost(const struct lpi_remote *f)
{
    return atomic_load_explicit(&f->is_lost, memory_order_relaxed);
}

static inline void lpi_remote_lose(struct lpi_remote *f)
{
    atomic_store_explicit(&f->is_lost, true, memory_order_relaxed);
}

static inline bool lpi_is_local(const struct logp_machine *m, int rank)
{
    return (unsigned)(rank - m->first_rank) < (unsigned)m->n_local;
}

#endif
