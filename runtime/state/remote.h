/* SPDX-License-Identifier: MIT */
/*
 * A machine over several processes: what it knows of the others.
 *
 * Each process has the same machine, of which a block of consecutive ranks lives with it; what is
 * by rank stays so, and is not touched for the others. The holder of its first core looks for what
 * other processes send, where it looks for mail; while no vp runs, whoever called
 * logp_machine_run() does.
 *
 *   mail/remote.c     messages of vps
 *   core/far_*.c   what processes tell each other: starts, groups, stops, deadlocks, the end of a
 * run
 */
#ifndef LPI_REMOTE_H
#define LPI_REMOTE_H

#include "host/transport.h"
#include "state/state.h"

enum lpi_wire_kind {
    LPI_WIRE_UNTIMED,       /* a message of a vp that has no arrival time, with its payload */
    LPI_WIRE_DATA,          /* one that has */
    LPI_WIRE_LONG,          /* one whose payload comes beside it */
    LPI_WIRE_ARRIVED,       /* to process 0: all vps of a process are at the sync */
    LPI_WIRE_START,         /* the start is fixed */
    LPI_WIRE_GROUP_ARRIVED, /* a vp is at the sync of a group: to the process of its first member */
    LPI_WIRE_GROUP_START,   /* the group's start, or an error, to a member */
    /* those above are counted: while one is on its way there is no deadlock, and no end */
    LPI_WIRE_COUNTED = LPI_WIRE_GROUP_START,
    LPI_WIRE_STOP,  /* the run is over */
    LPI_WIRE_STATE, /* to process 0: a process can do nothing by itself, or is at the end of its run
                     */
    LPI_WIRE_SCAN,  /* is it still so? */
    LPI_WIRE_SCANNED,
    LPI_WIRE_END,   /* all are at the end, and nothing is on its way */
    LPI_WIRE_CLOCK, /* between runs: core/common_clock.c */
};

/* At the head of each message: of a BARE one up to n_bytes, as it costs by the cache line. */
struct lpi_wire {
    uint32_t kind : 4,
        run : 12,           /* which run it belongs to: what is late is not taken for another's */
        untimed_bytes : 16; /* BARE: bytes */
    uint32_t context;
    int src, dst, tag;
    uint32_t unused;
    uint64_t n_bytes;
    int64_t arrival; /* on the machine's clock, which begins for all processes at one time */
};

/* What process 0 is told of a process. */
struct lpi_remote_state {
    int64_t is_done; /* its vps have ended */
    int64_t sent, received;
    int64_t error; /* key of the error that the run has ended with: far_end.c */
};

/* The payload of a long message, on its way. */
struct lpi_cargo {
    struct lpi_cargo *next; /* in the order of coming */
    struct lpi_transfer *transfer;
    struct lpi_proc *to;
    struct logp_request *request; /* the receive that it has met; NULL: none yet */
    struct lpi_message *message;  /* where it comes to; NULL: straight into the receive's buffer */
    bool is_over;                 /* it is there */
    bool is_dropped;              /* nobody wants it: the run is stopping */
};

struct lpi_remote {
    const struct lpi_transport *ops;
    int process, n_processes;
    int *process_of; /* by rank */
    uint32_t run;    /* the number of the run under way, of this process's machines */
    bool is_shared;  /* several cores call the transport, one at a time: `busy` */
    bool is_crowded; /* this host has more processes than cores */
    atomic_bool busy;
    bool is_polling;
    unsigned empty_polls;
    _Atomic int64_t sent;
    int64_t received;
    uint64_t dropped; /* messages that came after the end */
    struct lpi_transfer *
        *sending;               /* by rank: what its last send has not let go yet; NULL: nothing */
    struct lpi_cargo *arriving; /* to vps of the first core */
    struct lpi_cargo *held; /* messages to vps of other cores, behind one that is not there yet */
    /* the clock that all have in common: core/common_clock.c */
    bool is_fitted;              /* each has its own; else all are on one host */
    struct lpi_clock host_clock; /* there: as process 0 has calibrated it */
    struct lpi_fit {
        int64_t at_ns, ahead_ns; /* of this process's clock, and of process 0's then */
        double drift;            /* how fast that grows */
    } fit;
    int64_t fitted_ns;                    /* when, by the host's clock */
    int64_t fit_error_ns, clock_error_ns; /* after the fit; of the last run, < 0: none yet */
    /* What is not a vp's: core/remote_control.c. w == NULL: the run is stopping, and nobody has told.
     */
    void (*control)(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more);

    /* of a run */
    struct lpi_remote_state told; /* to process 0 */
    unsigned long told_epochs;
    bool is_told, stop_told, is_done, is_ended;
    atomic_bool is_lost; /* processes do not answer any more: there are no further runs */
    int64_t error;       /* key of what all have agreed on */
    /* of process 0 */
    atomic_int n_arrived_processes;  /* processes that are at the sync */
    struct lpi_remote_state *states; /* by process */
    bool *is_known;                  /* its state, as far as it goes */
    int n_known;
    uint32_t scan; /* the number of the last one */
    int n_scanned; /* in it; -1: none is under way */
};

/* Relaxed, both: several cores ask, and nothing is published by it. */
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
