/* SPDX-License-Identifier: MIT */
/*
 * Control messages between the processes of a machine in a run.
 *
 * Starts. A process whose vps are all at the sync sends a message to process 0. When all have done
 * so, process 0 fixes the start on the common clock (common_clock.c). A process that stops drops
 * messages about starts.
 *
 * Stops. A process that stops the run notifies all others, before it sends any other control
 * message: vps that have ended because of a stop leave others waiting, and that wait is not a
 * deadlock.
 *
 * Deadlocks and the end. A process that can do nothing by itself, because all of its cores are idle
 * (deadlock.c) or all of its vps have ended, sends process 0 the numbers of messages that it has
 * sent and received. If all processes have done so, and as many messages were received as sent, it
 * is possible that nothing is on its way. If all vps have ended, the run is over, because no vp is
 * left to send. Otherwise process 0 asks all whether nothing has changed since: two equal scans
 * (Mattern, Distributed Computing 2, 1987, 161-175). Control messages of a scan are not counted,
 * and do not make a core busy.
 */

#include "core/core.h"
#include "mail/mail.h"
#include "state/stop.h"

#include <errno.h>
#include <string.h>

enum { FAR_MARGIN_NS = 20000, MARGIN_EACH_NS = 2000 /* for each process */ };

/* ---- starts ---- */

/* The start is fixed. A process that is done has no vp that waits for it, and the thread that polls then
 * may not read the delay model. */
static void begin(struct lpi_core *c, int64_t at, int64_t start)
{
    if (!c->machine->remote->is_done)
        lpi_fix_start(c, at, start);
}

static void hear_arrived(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    struct lpi_remote *f = m->remote;
    struct lpi_wire w = {.kind = LPI_WIRE_START};
    int64_t at;

    /* acq_rel: as sync_arrived in common_start.c. Any core of process 0 comes here for its own
     * process, the first core for the others. */
    if (atomic_fetch_add_explicit(&f->n_arrived_processes, 1, memory_order_acq_rel) + 1 <
        f->n_processes)
        return;
    /* relaxed: the messages below order it; no process arrives again before it has got one */
    atomic_store_explicit(&f->n_arrived_processes, 0, memory_order_relaxed);
    at = lpi_clock_ns(&m->clock) + FAR_MARGIN_NS + MARGIN_EACH_NS * f->n_processes;
    w.n_bytes = (uint64_t)at;
    /* relaxed: only this thread changes it now */
    w.arrival =
        atomic_load_explicit(&m->sync_generation, memory_order_relaxed) == 0 ? 0 : at - m->base_ns;
    lpi_remote_tell_all(c, w);
    begin(c, at, w.arrival);
}

void lpi_remote_arrived(struct lpi_core *c)
{
    lpi_remote_tell(c, 0, (struct lpi_wire){.kind = LPI_WIRE_ARRIVED}, NULL, 0);
}

/* ---- stops ---- */

static void tell_stop(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;

    m->remote->stop_told = true;
    /* relaxed: lpi_stopping() has acquired it */
    lpi_remote_tell_all(
        c, (struct lpi_wire){.kind = LPI_WIRE_STOP,
                             .tag = atomic_load_explicit(&m->stop, memory_order_relaxed)});
}

/* Called before a process reports its state, which may be due to the stop. */
static void tell_stop_first(struct lpi_core *c)
{
    if (!c->machine->remote->stop_told && lpi_stopping(c->machine))
        tell_stop(c);
}

static void hear_stop(struct lpi_core *c, int error)
{
    struct logp_machine *m = c->machine;

    m->remote->stop_told = true;
    if (error == -EDEADLK && !m->remote->is_done)
        lpi_stop_deadlocked(m);
    else
        lpi_stop(m, error);
}

/* ---- deadlocks and the end ---- */

/* The machine's error is the one with the least key: that of the lowest rank which returned an
 * error, or else of the lowest process. */
static int64_t error_key(struct logp_machine *m)
{
    /* relaxed, both: a rank that returned an error is done, or its core reports later */
    const int rank = atomic_load_explicit(&m->error_rank, memory_order_relaxed);
    const int stop = atomic_load_explicit(&m->stop, memory_order_relaxed);
    const int64_t by = rank >= 0 ? rank : (int64_t)m->P + m->remote->process;

    if (rank < 0 && stop == 0)
        return INT64_MAX;
    return by << 32 | (uint32_t) - (rank >= 0 ? m->report.error : stop);
}

static struct lpi_remote_state state_of(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;

    /* relaxed: as in count_sent() */
    return (struct lpi_remote_state){.is_done = f->is_done,
                                     .sent = atomic_load_explicit(&f->sent, memory_order_relaxed),
                                     .received = f->received,
                                     .error = error_key(m)};
}

static bool alike(const struct lpi_remote_state *a, const struct lpi_remote_state *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Whether nothing has changed since this process reported its state. */
static bool still(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    const struct lpi_remote_state now = state_of(m);
    unsigned long epochs = 0;

    return m->remote->is_told && alike(&now, &m->remote->told) &&
           (m->remote->is_done || (lpi_all_idle(m, &epochs) && epochs == m->remote->told_epochs));
}

static void tell_state(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;

    tell_stop_first(c);
    f->is_told = true;
    f->told = state_of(c->machine);
    lpi_remote_tell(c, 0, (struct lpi_wire){.kind = LPI_WIRE_STATE}, &f->told, sizeof(f->told));
}

static void hear_end(struct lpi_remote *f, int64_t error)
{
    f->error = error;
    f->is_ended = true;
}

static void tell_end(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;
    struct lpi_wire w = {.kind = LPI_WIRE_END, .arrival = INT64_MAX};

    for (int i = 0; i < f->n_processes; i++)
        if (f->states[i].error < w.arrival)
            w.arrival = f->states[i].error;
    lpi_remote_tell_all(c, w);
    hear_end(f, w.arrival);
}

static void hear_scanned(struct lpi_core *c, int from, bool so, uint32_t scan)
{
    struct lpi_remote *f = c->machine->remote;

    if (scan != f->scan || f->n_scanned < 0)
        return;
    if (!so) { /* that process reports again when it can do nothing */
        f->n_scanned = -1;
        f->n_known -= f->is_known[from];
        f->is_known[from] = false;
    } else if (++f->n_scanned == f->n_processes) {
        f->n_scanned = -1;
        hear_stop(c, -EDEADLK);
        tell_stop(c);
    }
}

static void hear_scan(struct lpi_core *c, uint32_t scan)
{
    bool so;

    tell_stop_first(c);
    so = still(c);
    c->machine->remote->is_told &= so;
    lpi_remote_tell(c, 0, (struct lpi_wire){.kind = LPI_WIRE_SCANNED, .src = so, .context = scan},
                    NULL, 0);
}

/* End the run, or begin a scan, if it is possible that no process can do anything. By process 0. */
static void consider(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;
    int64_t on_way = 0, n_done = 0;

    if (f->n_known < f->n_processes)
        return;
    for (int i = 0; i < f->n_processes; i++) {
        on_way += f->states[i].sent - f->states[i].received;
        n_done += f->states[i].is_done;
    }
    if (on_way != 0)
        return;
    if (n_done == f->n_processes) {
        tell_end(c);
    } else if (!lpi_stopping(c->machine)) {
        const struct lpi_wire w = {.kind = LPI_WIRE_SCAN, .context = ++f->scan};

        f->n_scanned = 0;
        lpi_remote_tell_all(c, w);
        hear_scan(c, f->scan);
    }
}

static void hear_state(struct lpi_core *c, int from, const void *state)
{
    struct lpi_remote *f = c->machine->remote;

    memcpy(&f->states[from], state, sizeof(f->states[from]));
    f->n_known += !f->is_known[from];
    f->is_known[from] = true;
    f->n_scanned = -1; /* a scan under way is void */
    consider(c);
}

void lpi_remote_idle(struct lpi_core *c, unsigned long epochs)
{
    if (c->index != 0 || still(c)) /* the other processes may still send something */
        return;
    c->machine->remote->told_epochs = epochs;
    tell_state(c);
}

void lpi_remote_done(struct logp_machine *m)
{
    m->remote->is_done = true;
    if (!still(&m->cores[0]))
        tell_state(&m->cores[0]);
}

/* ---- dispatch ---- */

void lpi_remote_control(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more)
{
    struct logp_machine *m = c->machine;

    if (w == NULL) {
        tell_stop(c);
        return;
    }
    /* Its vps wait for no start any more. After a run that was abandoned, the thread that polls holds the
     * lock that the sync of a group takes. */
    if (w->kind >= LPI_WIRE_ARRIVED && w->kind <= LPI_WIRE_GROUP_START && lpi_stopping(m))
        return;
    switch ((enum lpi_wire_kind)w->kind) {
    case LPI_WIRE_ARRIVED:
        hear_arrived(c);
        break;
    case LPI_WIRE_START:
        begin(c, (int64_t)w->n_bytes, w->arrival);
        break;
    case LPI_WIRE_GROUP_ARRIVED:
    case LPI_WIRE_GROUP_START:
        lpi_group_hear(c, w);
        break;
    case LPI_WIRE_ACTIVE:
        lpi_active_hear(c, from, w, more);
        break;
    case LPI_WIRE_STOP:
        hear_stop(c, w->tag);
        break;
    case LPI_WIRE_STATE:
        hear_state(c, from, more);
        break;
    case LPI_WIRE_SCAN:
        hear_scan(c, w->context);
        break;
    case LPI_WIRE_SCANNED:
        hear_scanned(c, from, w->src != 0, w->context);
        break;
    case LPI_WIRE_END:
        hear_end(m->remote, w->arrival);
        break;
    default: /* messages of vps: mail/remote.c; CLOCK: only between runs */
        break;
    }
}
