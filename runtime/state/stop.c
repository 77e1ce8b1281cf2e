/* SPDX-License-Identifier: MIT */
/* See stop.h. */
#define _GNU_SOURCE
#include "state/stop.h"

#include "host/host.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void lpi_ring(struct lpi_core *c)
{
    /* seq_cst, both, pair with lpi_sleep(): it sees the event, or the caller sees that it sleeps */
    atomic_fetch_add_explicit(&c->window.event, 1, memory_order_seq_cst);
    lpi_pause();
    if (atomic_load_explicit(&c->window.is_asleep, memory_order_seq_cst))
        syscall(SYS_futex, &c->window.event, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void lpi_announce(struct logp_machine *m)
{
    for (int i = 0; i < m->n_cores; i++)
        lpi_ring(&m->cores[i]);
}

void lpi_give_work_asleep(struct lpi_core *c)
{
    lpi_pause();
    /* One of those that give work wakes it. relaxed: nothing is published by it */
    if (atomic_exchange_explicit(&c->window.wants_work, false, memory_order_relaxed))
        lpi_ring(c);
}

void lpi_sleep(struct lpi_core *c, unsigned event, int64_t most_ns)
{
    const int64_t second = 1000000000;
    const struct timespec most = {.tv_sec = most_ns / second, .tv_nsec = most_ns % second};

    /* seq_cst: see lpi_ring() */
    atomic_store_explicit(&c->window.is_asleep, true, memory_order_seq_cst);
    lpi_pause();
    syscall(SYS_futex, &c->window.event, FUTEX_WAIT_PRIVATE, event,
            most_ns < INT64_MAX ? &most : NULL, NULL, 0);
    /* relaxed: as long as it is true, an event costs a system call */
    atomic_store_explicit(&c->window.is_asleep, false, memory_order_relaxed);
}

bool lpi_stop(struct logp_machine *m, int error)
{
    int none = 0;

    /* release pairs with the acquires in lpi_stopping() and lpi_stopped() */
    if (!atomic_compare_exchange_strong_explicit(&m->stop, &none, error, memory_order_release,
                                                 memory_order_relaxed))
        return false;
    lpi_announce(m);
    return true;
}

void lpi_idle(struct lpi_core *c)
{
    if (c->life.is_idle)
        return;
    c->life.is_idle = true;
    /* release pairs with the load in lpi_all_idle(): what the procs wait for is visible */
    atomic_fetch_add_explicit(&c->idle_epoch, 1, memory_order_release);
}

void lpi_busy_now(struct lpi_core *c)
{
    c->life.is_idle = false;
    /* seq_cst pairs with the load in lpi_all_idle(): the scan must see it before what follows */
    atomic_fetch_add_explicit(&c->idle_epoch, 1, memory_order_seq_cst);
    lpi_pause();
}
