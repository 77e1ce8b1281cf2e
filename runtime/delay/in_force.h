/* SPDX-License-Identifier: MIT */
/* The delay model in force, which may be replaced while vps send: see in_force.c. */
#ifndef LPI_IN_FORCE_H
#define LPI_IN_FORCE_H

#include "host/annotate.h"
#include "state/state.h"

#include <urcu/urcu-memb.h>

/* Enter an RCU section with the model in force. NULL: none, and no section is open. */
static inline const struct lpi_delay *model_lock(struct logp_machine *m)
{
    const struct lpi_delay *d;

    if (!lpi_emulates(m))
        return NULL;
    urcu_memb_read_lock();
    /* acquire (RCU needs only consume) pairs with the release in lpi_delay_install() */
    d = atomic_load_explicit(&m->delay, memory_order_acquire);
    if (d == NULL)
        urcu_memb_read_unlock();
    return d;
}

static inline void model_unlock(struct logp_machine *m)
{
    LPI_RELEASE(&m->delay); /* pairs with the acquire after the grace period in in_force.c */
    (void)m;
    urcu_memb_read_unlock();
}

int lpi_delay_copy(const struct logp_delay *delay, struct lpi_delay **out);
void lpi_delay_install(struct logp_machine *m, struct lpi_delay *copy);
void lpi_delay_order(struct logp_machine *m, struct lpi_delay *copy, int64_t at);
void lpi_delay_drop_due(struct logp_machine *m);
void lpi_delay_apply_pending(struct logp_machine *m, int64_t now);
void lpi_delay_restart(struct logp_machine *m, bool new_run, int64_t start);
int64_t lpi_delay_begin(struct logp_machine *m);
void lpi_delay_fini(struct logp_machine *m);

/* Halt p, whose work is never done according to the model. @return -EHOSTDOWN */
int lpi_delay_halt(struct lpi_proc *p);
/* lpi_work() if the model decides how long a processor computes. */
int64_t lpi_delay_work(const struct lpi_proc *p, int64_t ns);

/* When work of p that begins now is done; LOGP_STOPPED: never. */
static inline int64_t lpi_work(const struct lpi_proc *p, int64_t ns)
{
    /* relaxed: lpi_delay_work() reads the model itself under RCU */
    if (__builtin_expect(atomic_load_explicit(&p->core->machine->has_work, memory_order_relaxed),
                         false))
        return lpi_delay_work(p, ns);
    return lpi_after(p->emulated, ns);
}

/* Charge o_recv and the gap to a receive that has its message: sets r->done. */
void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r);

#endif
