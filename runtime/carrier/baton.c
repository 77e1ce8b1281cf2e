/* SPDX-License-Identifier: MIT */
/* Batons: see threads.h. */
#define _GNU_SOURCE
#include "carrier/threads.h"

#include "host/cores.h"
#include "host/host.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void lpi_baton_give(struct lpi_baton *b, int what)
{
    lpi_pause();
    /* release pairs with the acquire in lpi_baton_await(); acquire: after the sleeper's own
     * store */
    if (atomic_exchange_explicit(&b->word, what, memory_order_acq_rel) == LPI_BATON_ASLEEP) {
        lpi_pause();
        syscall(SYS_futex, &b->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

void lpi_baton_prepare(struct lpi_baton *b)
{
    int asleep = LPI_BATON_ASLEEP;

    /* relaxed: this only wakes; the core is given later */
    if (atomic_compare_exchange_strong_explicit(&b->word, &asleep, LPI_BATON_AWAKE,
                                                memory_order_relaxed, memory_order_relaxed)) {
        lpi_pause();
        syscall(SYS_futex, &b->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

int lpi_baton_await(struct lpi_baton *b)
{
    for (;;) {
        /* acquire pairs with the release in lpi_baton_give(): what the giver did is visible */
        int word = atomic_load_explicit(&b->word, memory_order_acquire);

        if (word >= LPI_BATON_HAS) {
            /* relaxed: only the thread itself takes its baton */
            atomic_store_explicit(&b->word, LPI_BATON_AWAKE, memory_order_relaxed);
            return word;
        }
        lpi_pause();
        /* relaxed: nothing is published; givers see that they must wake this thread */
        if (word == LPI_BATON_ASLEEP ||
            atomic_compare_exchange_strong_explicit(&b->word, &word, LPI_BATON_ASLEEP,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            lpi_pause();
            syscall(SYS_futex, &b->word, FUTEX_WAIT_PRIVATE, LPI_BATON_ASLEEP, NULL, NULL, 0);
        }
    }
}

int lpi_baton_start(struct lpi_baton *b, int cpu, size_t stack_bytes, void *(*main)(void *))
{
    pthread_attr_t attr;
    int rc = pthread_attr_init(&attr);

    if (rc != 0)
        return -rc;
    atomic_init(&b->word, LPI_BATON_AWAKE);
    rc = pthread_attr_setstacksize(&attr, stack_bytes);
    if (rc == 0)
        rc = pthread_attr_setguardsize(&attr, LPI_GUARD_BYTES);
    if (rc == 0 && cpu >= 0)
        rc = lpi_pin(&attr, cpu);
    if (rc == 0)
        rc = pthread_create(&b->thread, &attr, main, b);
    pthread_attr_destroy(&attr);
    return -rc;
}
