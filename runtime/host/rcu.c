/* SPDX-License-Identifier: MIT */
/* Threads that enter RCU sections: see rcu.h. */
#include "host/rcu.h"

#ifndef NDEBUG
_Thread_local bool lpi_rcu_is_registered;
#endif
#ifdef _LGPL_SOURCE
_Thread_local struct urcu_reader *lpi_rcu_reader;
#endif

void lpi_rcu_register(void)
{
    urcu_memb_register_thread();
#ifndef NDEBUG
    lpi_rcu_is_registered = true;
#endif
#ifdef _LGPL_SOURCE
    lpi_rcu_reader = &URCU_TLS(urcu_memb_reader);
#endif
}

void lpi_rcu_unregister(void)
{
#ifndef NDEBUG
    lpi_rcu_is_registered = false;
#endif
    urcu_memb_unregister_thread();
}
