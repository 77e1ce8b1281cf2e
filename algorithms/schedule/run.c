/* SPDX-License-Identifier: MIT */
/*
 * The first reader of a schedule: a vp does its steps, with its buffers. What a compute does, its
 * parts and its work, happens within its time: only what they take beyond that is extra.
 */
#include <logp/schedule.h>
#include <logp/vp.h>

#include <string.h>

/* Where a rank is in its schedule; the step is the one it is at. */
struct reader {
    logp_steps steps;
    const struct logp_coll *c;
    int64_t P, rank, i;
    struct logp_step step;
    char *base[LOGP_SCRATCH + 1];
};

static char *spot(const struct reader *r, struct logp_spot s)
{
    return r->base[s.buffer] + s.offset;
}

static void copy(const struct reader *r, const struct logp_step *s)
{
    const char *from = spot(r, s->right);
    char *to = spot(r, s->at);

    if (s->n_bytes == 0)
        return;
    for (int64_t i = 0; i < s->n; i++, to += s->at_stride, from += s->right_stride)
        memcpy(to, from, s->n_bytes);
}

/* acc = acc op n elements. In lanes, which the compiler vectorises, and then those: n combinations
 * either way. */
static void combine_all(const struct logp_op *op, char *acc, const char *next, size_t n,
                        char *lanes)
{
    const size_t size = op->element_bytes, L = LOGP_LANES;

    if (n >= 4 * L) {
        memcpy(lanes, next, L * size);
        for (n -= L, next += L * size; n >= L; n -= L, next += L * size)
            op->combine(lanes, next, L, op->arg);
        for (size_t half = L / 2; half > 0; half /= 2)
            op->combine(lanes, lanes + half * size, half, op->arg);
        op->combine(acc, lanes, 1, op->arg);
    }
    for (; n > 0; n--, next += size)
        op->combine(acc, next, 1, op->arg);
}

static void combine(const struct reader *r, const struct logp_step *s)
{
    const struct logp_op *op = r->c->op;
    char *at = spot(r, s->at);

    if (s->n == 0)
        return;
    if (s->into_one) {
        combine_all(op, at, spot(r, s->right), (size_t)s->n, spot(r, s->left));
        return;
    }
    if (at != spot(r, s->left))
        memcpy(at, spot(r, s->left), (size_t)s->n * op->element_bytes);
    op->combine(at, spot(r, s->right), (size_t)s->n, op->arg);
}

static void do_combine(void *arg)
{
    const struct reader *r = arg;

    combine(r, &r->step);
}

static void do_parts(void *arg)
{
    struct reader *r = arg;

    if (r->step.work != NULL)
        r->step.work(r->c);
    for (int64_t parts = r->step.parts; parts > 0; parts--) {
        if (!r->steps(r->P, r->rank, r->c, ++r->i, &r->step))
            return;
        if (r->step.kind == LOGP_STEP_COPY)
            copy(r, &r->step);
        else
            combine(r, &r->step);
    }
}

static int compute(struct logp_vp *vp, struct reader *r)
{
    const bool something = r->step.parts > 0 || r->step.work != NULL;

    if (r->step.ns == 0 && !something)
        return 0;
    return logp_compute(vp, r->step.ns, something ? do_parts : NULL, r);
}

int logp_schedule_run(struct logp_vp *vp, logp_steps steps, const struct logp_coll *c)
{
    struct reader r = {.steps = steps, .c = c, .base = {c->buf, c->recv_buf, c->plan.scratch}};
    const struct logp_step *s = &r.step;
    int rc = 0;

    r.P = logp_vp_size(vp);
    r.rank = logp_vp_rank(vp);
    for (; rc == 0 && steps(r.P, r.rank, c, r.i, &r.step); r.i++)
        switch (s->kind) {
        case LOGP_STEP_SEND:
            rc = logp_send(vp, (int)s->peer, s->tag, spot(&r, s->at), s->n_bytes);
            break;
        case LOGP_STEP_RECEIVE:
            rc = logp_recv(vp, (int)s->peer, s->tag, spot(&r, s->at), s->n_bytes, NULL);
            break;
        case LOGP_STEP_COMBINE:
            rc = logp_compute(vp, s->ns, do_combine, &r);
            break;
        case LOGP_STEP_COPY:
            copy(&r, s);
            break;
        case LOGP_STEP_COMPUTE:
            rc = compute(vp, &r);
            break;
        }
    return rc;
}
