/* SPDX-License-Identifier: MIT */
/*
 * A thread's RCU sections. liburcu's inline functions look for the thread's reader in liburcu's
 * thread-local memory. That takes a call each time, or else static thread-local memory, of which
 * dlopen() has little. So each registered thread has a pointer to its reader, and the functions are
 * compiled to use this pointer instead: they find the reader by URCU_TLS() alone.
 */
#ifndef LPI_RCU_H
#define LPI_RCU_H

#ifdef _LGPL_SOURCE
#include <urcu/tls-compat.h>

/* NULL: the thread is not registered, and must not enter a section. */
extern _Thread_local struct urcu_reader *lpi_rcu_reader __attribute__((tls_model("initial-exec")));

#pragma push_macro("URCU_TLS")
#undef URCU_TLS
#define URCU_TLS(name) (*lpi_rcu_reader)
#include <urcu/static/urcu-memb.h>
#pragma pop_macro("URCU_TLS")
#endif

#include <urcu/urcu-memb.h>

#include <assert.h>
#include <stdbool.h>

/* rcu.c: for the calling thread, before its first section and after its last one. */
void lpi_rcu_register(void);
void lpi_rcu_unregister(void);

/* Only carriers of vps are registered: other threads, such as that of logp_machine_run(), must not
 * enter a section, since liburcu would not wait for them. */
#ifndef NDEBUG
extern _Thread_local bool lpi_rcu_is_registered;
#endif

static inline void lpi_rcu_enter(void)
{
    assert(lpi_rcu_is_registered);
    urcu_memb_read_lock();
}

#endif
