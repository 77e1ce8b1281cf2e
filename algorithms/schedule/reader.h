/* SPDX-License-Identifier: MIT */
/*
 * The first reader of a schedule: a vp does its steps, with its buffers. It is inlined, and so is
 * the steps function that it is called with where that is known: then a step is not written to
 * memory and read again, and costs next to nothing. What moves data is in run_data.c.
 */
#ifndef LPI_SCHEDULE_READER_H
#define LPI_SCHEDULE_READER_H

#include <logp/algorithm.h>
#include <logp/vp.h>

/* A call to run, and its buffers. */
struct lpi_call {
    const struct logp_invocation *c;
    void *buf, *recv_buf;
};

/* A combination: see LOGP_STEP_COMBINE. */
struct lpi_join {
    const struct logp_op *op;
    void *at, *left;
    const void *right;
    size_t n;
    bool into_one;
};

/* The contents of a compute: its work, and the steps after step i, which are its parts. */
struct lpi_doing {
    logp_steps steps;
    const struct lpi_call *call;
    int64_t P, rank, i, parts;
    void (*work)(const struct logp_invocation *c, void *buf, void *recv_buf);
};

/*
 * prescan.c: where sends wait for their receivers. The sends from the first one that waits, and the
 * steps after them up to the next send, are an exchange: its receives are posted before its first
 * send, so that ranks which send to each other first get through (logp_rank_plan.early: up to the
 * end). A message whose place is touched by an earlier step is received elsewhere, and copied when
 * its turn comes.
 */
struct lpi_ahead {
    struct lpi_early *receives; /* in the order of the steps; NULL: none is left */
    int64_t n, next;            /* those before next have been handed out, ... */
    bool taken;                 /* ... the last of them not settled */
    char *elsewhere;
};

/* Post them, from step i on, a send: tags are added to first_tag. 0; -ENOMEM, as logp_irecv() */
int lpi_post_ahead(struct logp_vp *vp, logp_steps steps, const struct lpi_call *call, int64_t i,
                   uint32_t first_tag, struct lpi_ahead *ahead);
/* That of the next receive step, to be completed, and then settled. NULL: none is posted */
struct logp_request *lpi_next_ahead(struct lpi_ahead *ahead);
void lpi_prescan(struct lpi_ahead *ahead); /* where none has been handed out: nothing */
/* After an error: those that are left are not to be filled any more. */
void lpi_end_ahead(struct logp_vp *vp, struct lpi_ahead *ahead);
/* They have been completed, or have ended with the program. */
void lpi_forget_ahead(struct lpi_ahead *ahead);
/* Do all of an exchange, from step *i on, which becomes its last. As logp_send() and logp_recv() */
int lpi_exchange(struct logp_vp *vp, logp_steps steps, const struct lpi_call *call, int64_t *i);

/* run_data.c: within the time of a compute; arg is one of the two. */
void lpi_join(void *arg);
void lpi_do_parts(void *arg);
/* n pieces. */
void lpi_copy(char *at, const char *from, int64_t n, size_t n_bytes, size_t at_stride,
              size_t from_stride);

static inline char *lpi_buffer_ref(const struct lpi_call *call, struct logp_buffer_ref s)
{
    void *const base = s.buffer == LOGP_BUF        ? call->buf
                       : s.buffer == LOGP_RECV_BUF ? call->recv_buf
                                                   : call->c->plan.scratch;

    return (char *)base + s.offset;
}

static inline struct lpi_join lpi_join_of(const struct lpi_call *call, const struct logp_step *s)
{
    return (struct lpi_join){call->c->args.op,
                             lpi_buffer_ref(call, s->at),
                             lpi_buffer_ref(call, s->left),
                             lpi_buffer_ref(call, s->right),
                             (size_t)s->n,
                             s->into_one};
}

/* Count the time of copies as the algorithm's, and the reader's own as not. *counts:
 * logp_own_time() */
static inline void lpi_count_own(struct logp_vp *vp, const struct logp_step *s, bool *counts)
{
    const bool copies = s->kind == LOGP_STEP_COPY;

    if (copies != *counts)
        logp_own_time(vp, copies);
    *counts = copies;
}

/* Do a step that is not a message; steps that are its parts are passed over. */
static inline __attribute__((always_inline)) int lpi_do(struct logp_vp *vp, logp_steps steps,
                                                        const struct lpi_call *call, int64_t P,
                                                        int64_t rank, int64_t *i,
                                                        const struct logp_step *s)
{
    int rc = 0;

    if (s->kind == LOGP_STEP_COPY) {
        lpi_copy(lpi_buffer_ref(call, s->at), lpi_buffer_ref(call, s->right), s->n, s->n_bytes,
                 s->at_stride, s->right_stride);
    } else if (s->kind == LOGP_STEP_COMBINE) {
        struct lpi_join join = lpi_join_of(call, s);

        if (s->n > 0 || s->ns > 0)
            rc = logp_compute(vp, s->ns, lpi_join, &join);
    } else if (s->parts > 0 || s->work != NULL) {
        struct lpi_doing doing = {steps, call, P, rank, *i, s->parts, s->work};

        rc = logp_compute(vp, s->ns, lpi_do_parts, &doing);
        *i += s->parts;
    } else if (s->ns > 0) {
        rc = logp_compute(vp, s->ns, NULL, NULL);
    }
    return rc;
}

/* Any step; *i becomes the last that it does. */
static inline __attribute__((always_inline)) int lpi_step(struct logp_vp *vp, logp_steps steps,
                                                          const struct lpi_call *call, int64_t P,
                                                          int64_t rank, int64_t *i,
                                                          const struct logp_step *s)
{
    int64_t last = *i; /* whose address is taken: i itself stays in a register */
    int rc;

    if (s->kind == LOGP_STEP_RECEIVE)
        return logp_recv(vp, (int)s->peer, s->tag, lpi_buffer_ref(call, s->at), s->n_bytes, NULL);
    if (s->kind != LOGP_STEP_SEND)
        return lpi_do(vp, steps, call, P, rank, i, s);
    rc = logp_try_send(vp, (int)s->peer, s->tag, lpi_buffer_ref(call, s->at), s->n_bytes);
    if (__builtin_expect(rc > 0, false)) {
        rc = lpi_exchange(vp, steps, call, &last);
        *i = last;
    }
    return rc;
}

static inline __attribute__((always_inline)) int lpi_read(struct logp_vp *vp, logp_steps steps,
                                                          const struct logp_invocation *c,
                                                          void *buf, void *recv_buf)
{
    const struct lpi_call call = {c, buf, recv_buf};
    const int64_t P = logp_vp_size(vp), rank = logp_vp_rank(vp);
    struct logp_step s = {.into_one = false}; /* the compiler cannot see which fields are read */
    const bool outside = logp_own_time(vp, false);
    bool counts = false;
    int rc = 0;

    for (int64_t i = 0; rc == 0 && steps(P, rank, c, i, &s); i++) {
        lpi_count_own(vp, &s, &counts);
        rc = lpi_step(vp, steps, &call, P, rank, &i, &s);
    }
    logp_own_time(vp, outside);
    return rc;
}

/* Define name as these steps with one more argument. */
#define LPI_STEPS_WITH(name, steps, told)                                                          \
    static bool name(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,          \
                     struct logp_step *out)                                                        \
    {                                                                                              \
        return steps(P, rank, c, told, i, out);                                                    \
    }

/* The run function of a row with these steps: the reader, with the steps inlined. */
#define LPI_READER(run_, steps_)                                                                   \
    static int run_(struct logp_vp *vp, const struct logp_invocation *c, void *buf,                \
                    void *recv_buf)                                                                \
    {                                                                                              \
        return lpi_read(vp, steps_, c, buf, recv_buf);                                             \
    }

#endif
