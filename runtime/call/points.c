/* SPDX-License-Identifier: MIT */
/* Calls that exchange no message, but at which other vps may run, or which an explorer answers. */
#include "call/call.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"

#include <errno.h>
#include <logp/check.h>

int logp_yield(struct logp_vp *vp)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    enter(p);
    rc = lpi_pause_for_threads(p);
    if (rc == 0)
        rc = lpi_rest(p);
    if (rc >= 0)
        rc = p->core->machine->resolver.pass(p, LOGP_NOTE_WAITED, true);
    return noted(vp, "logp_yield", leave(p, rc));
}

int logp_shared_touch(struct logp_vp *vp, int key)
{
    struct lpi_proc *p = vp->proc;
    const int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    return noted(vp, "logp_shared_touch", p->core->machine->resolver.touch(p, key));
}

int logp_choose(struct logp_vp *vp, int n)
{
    enum { MOST = 1 << 16 };
    struct lpi_proc *p = vp->proc;
    const int rc = lpi_stopped(p);

    if (n < 1 || n > MOST)
        return lpi_failed(vp, "logp_choose", -EINVAL);
    if (rc != 0 || n == 1)
        return rc;
    p->in_vain = 0; /* another choice may end a loop of polls, so the loop is not a deadlock */
    return noted(vp, "logp_choose", p->core->machine->resolver.pick(p, n));
}

/* A number below 2^bits, 8 bits a choice, the highest first. */
static int choose_bits(struct logp_vp *vp, int bits, uint64_t *out)
{
    uint64_t x = 0;

    while (bits > 0) {
        const int some = bits % 8 == 0 ? 8 : bits % 8;
        const int byte = logp_choose(vp, 1 << some);

        if (byte < 0)
            return byte;
        x = x << some | (uint64_t)byte;
        bits -= some;
    }
    *out = x;
    return 0;
}

/* A number of 0 .. most: how many bits it has, then those below the highest. So small ones are as
 * likely as large ones. */
static int choose_below(struct logp_vp *vp, uint64_t most, uint64_t *out)
{
    int bits = 0;
    uint64_t x = 0;
    int rc;

    if (most < 256) {
        rc = logp_choose(vp, (int)most + 1);
        *out = rc < 0 ? 0 : (uint64_t)rc;
        return rc < 0 ? rc : 0;
    }
    while (bits < 64 && most >> bits != 0)
        bits++;
    bits = logp_choose(vp, bits + 1);
    rc = bits < 0 ? bits : choose_bits(vp, bits - 1, &x);
    if (bits > 0)
        x |= UINT64_C(1) << (bits - 1);
    *out = x > most ? most : x;
    return rc;
}

int logp_choose_int(struct logp_vp *vp, int64_t least, int64_t most, int64_t *value)
{
    /* counted from the value nearest to 0: first upwards, then downwards from it */
    const int64_t usual = least > 0 ? least : most < 0 ? most : 0;
    const uint64_t above = (uint64_t)most - (uint64_t)usual;
    const uint64_t below = (uint64_t)usual - (uint64_t)least;
    uint64_t x;
    int rc, down;

    if (least > most || value == NULL)
        return lpi_failed(vp, "logp_choose_int", -EINVAL);
    down = above == 0 ? below > 0 : below == 0 ? 0 : logp_choose(vp, 2);
    if (down < 0)
        return down;
    rc = choose_below(vp, down ? below : above, &x);
    if (rc == 0)
        *value = (int64_t)(down ? (uint64_t)usual - x : (uint64_t)usual + x);
    return rc;
}

int logp_choose_bytes(struct logp_vp *vp, void *buf, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int byte = logp_choose(vp, 256);

        if (byte < 0)
            return byte;
        ((unsigned char *)buf)[i] = (unsigned char)byte;
    }
    return lpi_stopped(vp->proc);
}

int logp_durable(struct logp_vp *vp, int key, const void *data, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    const struct logp_machine *m = p->core->machine;
    int rc = lpi_stopped(p);

    if (rc == 0 && bad_buffer(data, n_bytes))
        rc = -EINVAL;
    if (rc == 0)
        rc = m->resolver.fate(p, LOGP_NOTE_KEPT, NULL);
    if (rc > 0)
        rc = m->resolver.keep(p, key, data, n_bytes);
    if (rc == 0)
        lpi_note(p, LOGP_NOTE_KEPT, -1, key, (int64_t)n_bytes);
    return noted(vp, "logp_durable", rc);
}

int logp_recover(struct logp_vp *vp, int key, void *data, size_t capacity, size_t *n_bytes)
{
    struct lpi_proc *p = vp->proc;
    const struct logp_machine *m = p->core->machine;
    int rc = lpi_stopped(p);
    size_t n = 0;

    if (rc == 0 && bad_buffer(data, capacity))
        rc = -EINVAL;
    if (rc == 0)
        rc = m->resolver.recover(p, key, data, capacity, &n);
    if (n_bytes != NULL)
        *n_bytes = n;
    return rc == -ENOENT ? rc : noted(vp, "logp_recover", rc);
}

static int cut(struct logp_vp *vp, const char *call, uint64_t from, uint64_t to, bool heals)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (rc == 0)
        rc = p->core->machine->resolver.cut(p, from, to, heals);
    return noted(vp, call, rc);
}

int logp_fault_cut(struct logp_vp *vp, uint64_t senders, uint64_t receivers)
{
    return cut(vp, "logp_fault_cut", senders, receivers, false);
}

int logp_fault_heal(struct logp_vp *vp, uint64_t senders, uint64_t receivers)
{
    return cut(vp, "logp_fault_heal", senders, receivers, true);
}
