/* SPDX-License-Identifier: MIT */
/* The conditions of a program: LOGP_CHECK() and the comparisons, which show their values. */
#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <logp/check.h>
#include <stdio.h>
#include <string.h>

/* detail: NULL, or the values */
static int fail(const struct logp_vp *vp, const char *detail, const char *expression,
                const char *file, int line)
{
    struct logp_machine *m = vp->proc->core->machine;

    if (vp->proc->halted) /* what a stopped vp finds does not count */
        return -EHOSTDOWN;
    pthread_mutex_lock(&m->lock);
    lpi_assert_fails(vp->proc, file, line, expression, detail);
    pthread_mutex_unlock(&m->lock);
    return -EPROTO;
}

int logp_check_holds(struct logp_vp *vp, bool holds, const char *expression, const char *file,
                     int line)
{
    return holds ? 0 : fail(vp, NULL, expression, file, line);
}

int logp_check_fails(struct logp_vp *vp, const char *words, const char *file, int line)
{
    return fail(vp, words, "", file, line);
}

/* ---- comparisons ---- */

enum order { LESS = -1, SAME, MORE, NONE };

#define ORDER(a, b) ((a) < (b) ? LESS : (a) > (b) ? MORE : (a) == (b) ? SAME : NONE)

static enum order order_of_integers(const struct logp_value *a, const struct logp_value *b)
{
    if (a->kind == LOGP_SIGNED && b->kind == LOGP_SIGNED)
        return ORDER(a->is.i, b->is.i);
    if (a->kind == LOGP_SIGNED && a->is.i < 0)
        return LESS;
    if (b->kind == LOGP_SIGNED && b->is.i < 0)
        return MORE;
    return ORDER(a->is.u, b->is.u); /* nonnegative values are the same in both */
}

static double real_of(const struct logp_value *v)
{
    return v->kind == LOGP_REAL     ? v->is.x
           : v->kind == LOGP_SIGNED ? (double)v->is.i
                                    : (double)v->is.u;
}

/* NONE: neither is less, and they differ. */
static enum order order_of(const struct logp_value *a, const struct logp_value *b)
{
    if (a->kind == LOGP_STRING && b->kind == LOGP_STRING && a->is.s != NULL && b->is.s != NULL)
        return ORDER(strcmp(a->is.s, b->is.s), 0);
    if (a->kind >= LOGP_POINTER || b->kind >= LOGP_POINTER) /* strings may be NULL; 0 is, too */
        return ORDER(a->is.u, b->is.u);
    if (a->kind == LOGP_REAL || b->kind == LOGP_REAL)
        return ORDER(real_of(a), real_of(b));
    return order_of_integers(a, b);
}

static bool holds(enum order order, enum logp_comparison how)
{
    switch (how) {
    case LOGP_EQ:
        return order == SAME;
    case LOGP_NE:
        return order != SAME;
    case LOGP_LT:
        return order == LESS;
    case LOGP_LE:
        return order == LESS || order == SAME;
    case LOGP_GT:
        return order == MORE;
    case LOGP_GE:
        return order == MORE || order == SAME;
    }
    return false;
}

static void show(char *text, size_t n, const struct logp_value *v)
{
    switch (v->kind) {
    case LOGP_SIGNED:
        snprintf(text, n, "%" PRId64, v->is.i);
        break;
    case LOGP_UNSIGNED:
        snprintf(text, n, "%" PRIu64, v->is.u);
        break;
    case LOGP_REAL:
        snprintf(text, n, "%.17g", v->is.x);
        break;
    case LOGP_POINTER:
        snprintf(text, n, v->is.p != NULL ? "%p" : "NULL", v->is.p);
        break;
    case LOGP_STRING:
        snprintf(text, n, v->is.s != NULL ? "\"%s\"" : "NULL", v->is.s);
        break;
    }
}

/* Not inlined: its texts would stay on the stack of each caller. */
static __attribute__((noinline, cold)) int
fail_with(const struct logp_vp *vp, const struct logp_value *a, const struct logp_value *b,
          const char *expression, const char *file, int line)
{
    char one[140], other[140], both[300];

    show(one, sizeof(one), a);
    show(other, sizeof(other), b);
    snprintf(both, sizeof(both), "%s and %s", one, other);
    return fail(vp, both, expression, file, line);
}

int logp_check_compares(struct logp_vp *vp, struct logp_value a, struct logp_value b,
                        enum logp_comparison how, const char *expression, const char *file,
                        int line)
{
    return holds(order_of(&a, &b), how) ? 0 : fail_with(vp, &a, &b, expression, file, line);
}
