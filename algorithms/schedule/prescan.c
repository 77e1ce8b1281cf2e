/* SPDX-License-Identifier: MIT */
/* The first reader of a schedule where sends wait for their receivers: see reader.h. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = LOGP_SCRATCH + 1 };

struct lpi_early {
    struct logp_request *request;
    char *at, *elsewhere; /* NULL: it comes to where it belongs */
    size_t n_bytes;
};

/* The range from the first to the last byte touched of each buffer; those between count, too. */
struct touched {
    const char *low[BUFFERS], *high[BUFFERS];
};

static void touch(struct touched *t, const struct lpi_call *call, const struct logp_step *s)
{
    const char *at = lpi_buffer_ref(call, s->at);
    const int b = (int)s->at.buffer;

    if (s->n_bytes == 0)
        return;
    if (t->high[b] == NULL || at < t->low[b])
        t->low[b] = at;
    if (t->high[b] == NULL || at + s->n_bytes > t->high[b])
        t->high[b] = at + s->n_bytes;
}

static bool is_touched(const struct touched *t, const struct lpi_call *call,
                       const struct logp_step *s)
{
    const char *at = lpi_buffer_ref(call, s->at);

    for (int b = 0; b < BUFFERS; b++)
        if (t->high[b] != NULL && at < t->high[b] && t->low[b] < at + s->n_bytes)
            return true;
    return false;
}

/* Whether a step belongs to the exchange. *sends: only sends have been before it. */
static bool belongs(const struct lpi_call *call, const struct logp_step *s, bool *sends)
{
    *sends = *sends && s->kind == LOGP_STEP_SEND;
    return call->c->plan.early || *sends || s->kind != LOGP_STEP_SEND;
}

/* Count the receives of an exchange, and mark those that come elsewhere once ahead->receives has
 * space. @return how many bytes come elsewhere */
static size_t prescan(struct logp_vp *vp, logp_steps steps, const struct lpi_call *call, int64_t i,
                      struct lpi_ahead *ahead)
{
    const int64_t P = logp_vp_size(vp), rank = logp_vp_rank(vp);
    struct touched touched = {{NULL}, {NULL}};
    bool sends = true, plain = true;
    size_t n_bytes = 0;
    struct logp_step s;

    ahead->n = 0;
    for (; steps(P, rank, call->c, i, &s) && belongs(call, &s, &sends); i++) {
        if (s.kind == LOGP_STEP_RECEIVE) {
            const bool elsewhere = !plain || is_touched(&touched, call, &s);

            if (ahead->receives != NULL)
                ahead->receives[ahead->n] =
                    (struct lpi_early){.at = lpi_buffer_ref(call, s.at),
                                       .elsewhere = elsewhere ? ahead->elsewhere + n_bytes : NULL,
                                       .n_bytes = s.n_bytes};
            n_bytes += elsewhere ? s.n_bytes : 0;
            ahead->n++;
        } else if (s.kind != LOGP_STEP_SEND) {
            plain = false; /* the bytes that it touches are not known */
        }
        touch(&touched, call, &s);
        i += s.kind == LOGP_STEP_COMPUTE ? s.parts : 0;
    }
    return n_bytes;
}

int lpi_post_ahead(struct logp_vp *vp, logp_steps steps, const struct lpi_call *call, int64_t i,
                   uint32_t first_tag, struct lpi_ahead *ahead)
{
    const int64_t P = logp_vp_size(vp), rank = logp_vp_rank(vp);
    struct logp_step s;
    size_t n_bytes;
    int64_t n;

    *ahead = (struct lpi_ahead){.n = 0};
    n_bytes = prescan(vp, steps, call, i, ahead);
    n = ahead->n;
    ahead->n = 0;
    if (n == 0)
        return 0;
    ahead->receives = calloc((size_t)n, sizeof(*ahead->receives));
    ahead->elsewhere = malloc(n_bytes + 1);
    if (ahead->receives == NULL || ahead->elsewhere == NULL)
        return -ENOMEM;
    prescan(vp, steps, call, i, ahead);
    for (ahead->n = 0; ahead->n < n && steps(P, rank, call->c, i, &s); i++) {
        struct lpi_early *r = &ahead->receives[ahead->n];
        int rc;

        i += s.kind == LOGP_STEP_COMPUTE ? s.parts : 0;
        if (s.kind != LOGP_STEP_RECEIVE)
            continue;
        rc = logp_irecv(vp, (int)s.peer, (int)(first_tag + (uint32_t)s.tag),
                        r->elsewhere != NULL ? r->elsewhere : r->at, s.n_bytes, &r->request);
        if (rc != 0)
            return rc;
        ahead->n++;
    }
    return 0;
}

void lpi_forget_ahead(struct lpi_ahead *ahead)
{
    free(ahead->receives);
    free(ahead->elsewhere);
    *ahead = (struct lpi_ahead){.n = 0};
}

struct logp_request *lpi_next_ahead(struct lpi_ahead *ahead)
{
    ahead->taken = ahead->next < ahead->n;
    return ahead->taken ? ahead->receives[ahead->next++].request : NULL;
}

void lpi_prescan(struct lpi_ahead *ahead)
{
    const struct lpi_early *r = ahead->taken ? &ahead->receives[ahead->next - 1] : NULL;

    ahead->taken = false;
    if (r == NULL)
        return;
    if (r->elsewhere != NULL && r->n_bytes > 0)
        memcpy(r->at, r->elsewhere, r->n_bytes);
    if (ahead->next == ahead->n)
        lpi_forget_ahead(ahead);
}

void lpi_end_ahead(struct logp_vp *vp, struct lpi_ahead *ahead)
{
    struct logp_request *r;

    while ((r = lpi_next_ahead(ahead)) != NULL)
        if (logp_cancel(vp, r) != 0)
            logp_wait(vp, r, NULL);
    lpi_forget_ahead(ahead);
}

int lpi_exchange(struct logp_vp *vp, logp_steps steps, const struct lpi_call *call, int64_t *i)
{
    const int64_t P = logp_vp_size(vp), rank = logp_vp_rank(vp);
    struct lpi_ahead ahead;
    bool sends = true, counts = false;
    struct logp_step s;
    int rc = lpi_post_ahead(vp, steps, call, *i, 0, &ahead);

    s.into_one = false; /* as in lpi_read() */
    for (; rc == 0 && steps(P, rank, call->c, *i, &s) && belongs(call, &s, &sends); ++*i) {
        lpi_count_own(vp, &s, &counts);
        if (s.kind == LOGP_STEP_SEND) {
            rc = logp_send(vp, (int)s.peer, s.tag, lpi_buffer_ref(call, s.at), s.n_bytes);
        } else if (s.kind == LOGP_STEP_RECEIVE) {
            rc = logp_wait(vp, lpi_next_ahead(&ahead), NULL);
            if (rc == 0)
                lpi_prescan(&ahead);
        } else {
            rc = lpi_do(vp, steps, call, P, rank, i, &s);
        }
    }
    logp_own_time(vp, false);
    --*i;
    lpi_end_ahead(vp, &ahead);
    return rc;
}
