/* SPDX-License-Identifier: MIT */
/*
 * Windows over processes: operations on a target of another process, and its lock.
 *
 * They go as active messages (logp/transport.h), which the target's process handles in the order in
 * which one origin sends them; the target takes no part. An operation is cut into messages, each
 * with some rows of the target's memory and the data to combine with them: the target needs no
 * datatype. Elements are not cut. The target's process answers each message that reads memory, and the
 * answer goes into the packed data of the origin's buffer. A flush is a message after them, which
 * is answered, too.
 *
 * Without delays a message is performed when it is handled. With delays it is in the target's list
 * until its time, as the operations of the target's process are. A flush that is sent at the
 * arrival of the last operation performs all operations that have arrived by then. So where the
 * messages take less than 2 L, operations are complete at the time that the model predicts.
 */
#include "op.h"
#include "window.h"
#include "world.h"
#include "host/host.h"

#include <stdlib.h>
#include <string.h>

/* The names of calls are in this library, at the same distance from here in all processes. */
static const char anchor[] = "";

enum kind { OPERATE, FLUSH, LOCK, UNLOCK, ANSWER, GET_ANSWER, OUTSIDE };

/* The first bytes of each message. Addresses are of the process that has given them. */
struct message {
    enum kind kind;
    int origin;
    uint64_t target; /* the target's struct, or 0 in an answer */
    uint64_t remote; /* the origin's */
    int64_t
        time_ns; /* OPERATE: arrival; FLUSH: of the last; UNLOCK, ANSWER: when the lock is free */
    bool is_atomic, has_in, has_out, compares, exclusive, granted;
    bool begins, ends; /* OPERATE: the first and the last of an operation; FLUSH: of an epoch */
    MPI_Op op;
    MPI_Datatype basic;      /* of the elements of the rows */
    uint64_t result, at;     /* the origin's result, its packed offset; OUTSIDE: the address */
    uint32_t n_rows, n_back; /* bytes to be got by this message */
    /* --check, if it begins an operation; FLUSH: the call */
    uint64_t from, to, place;
    int64_t fences, call;
    MPI_Op checked_op;
    char access; /* its kind; 0: it is not checked */
    bool in_a_row;
};

/* Elements in the target's memory; the data to combine with them follow, padded to 8 bytes. */
struct row {
    uint64_t at;
    uint32_t n, n_bytes; /* elements; their data */
};

enum { MOST_DATA = LOGP_ACTIVE_BYTES - sizeof(struct message) }; /* of a message */

/* Where the parts of a result go. */
struct result {
    struct result *next;
    struct elements to;
    struct type *type; /* kept */
};

static size_t rounded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* ---- the processes of the ranks ---- */

static int process_of(const struct logp_machine *m, int rank)
{
    int first = 0, n = 0, i = 0;

    while (logp_machine_ranks(m, i, &first, &n) == 0 && rank >= first + n)
        i++;
    return i;
}

static int process_in(const struct comm *c, int rank)
{
    int world = rank;

    logp_group_translate(c->vp, 1, &rank, NULL, &world);
    return process_of(logp_vp_machine(c->vp), world);
}

bool mpi_has_others(const struct comm *c)
{
    const struct logp_machine *m = logp_vp_machine(c->vp);
    bool others = false;

    for (int i = 0; i < c->size && logp_machine_processes(m) > 1 && !others; i++)
        others = process_in(c, i) != logp_machine_process(m);
    return others;
}

int mpi_find_targets(struct win *w)
{
    struct offer {
        uint64_t target, base;
        int64_t size, unit;
    } own = {(uintptr_t)w->own, (uintptr_t)w->own->base, w->own->size, w->own->unit}, *all;
    const struct logp_machine *m = logp_vp_machine(w->comm->vp);
    const int n = w->comm->size;
    int rc;

    if (mpi_has_others(w->comm))
        w->remote = calloc((size_t)n, sizeof(*w->remote));
    all = malloc((size_t)n * sizeof(*all));
    CHECK(w->comm, all != NULL && (w->remote != NULL || !mpi_has_others(w->comm)), MPI_ERR_NO_MEM,
          "no memory");
    rc = mpi_class_of(logp_allgather(w->comm->vp, &own, all, sizeof(own)));
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
        const int process = w->remote != NULL ? process_in(w->comm, i) : logp_machine_process(m);

        if (process == logp_machine_process(m)) {
            w->targets[i] = (struct target *)(uintptr_t)all[i].target;
            continue;
        }
        w->remote[i].win = w;
        w->remote[i].process = process;
        w->remote[i].target = all[i].target;
        w->remote[i].base = (char *)(uintptr_t)all[i].base;
        w->remote[i].size = (MPI_Aint)all[i].size;
        w->remote[i].unit = (int)all[i].unit;
    }
    free(all);
    return rc;
}

static void drop_results(struct remote_target *a)
{
    while (a->results != NULL) {
        struct result *next = a->results->next;

        mpi_drop_type(a->results->type);
        free(a->results);
        a->results = next;
    }
}

void mpi_drop_remote(struct win *w)
{
    for (int i = 0; w->remote != NULL && i < w->comm->size; i++)
        drop_results(&w->remote[i]);
    free(w->remote);
}

/* ---- the origin ---- */

/* An operation on its way: the message that is being filled. */
struct cut {
    struct win *w;
    struct remote_target *a;
    const char *in, *compare; /* packed */
    const struct type *basic; /* of a reduction; NULL: bytes */
    size_t element;           /* bytes that are not cut */
    size_t n;                 /* of bytes */
    int rc;
    union {
        struct message m;
        char bytes[LOGP_ACTIVE_BYTES];
    } out;
};

static int send_message(struct win *w, struct remote_target *a, struct message *m, size_t n,
                        bool answered)
{
    m->origin = w->comm->rank;
    m->target = a->target;
    m->remote = (uintptr_t)a;
    if (answered)
        atomic_fetch_add(&a->awaited, 1);
    return mpi_class_of(logp_active_send(w->comm->vp, a->process, m, n));
}

static void send_cut(struct cut *c, bool last)
{
    struct message *m = &c->out.m;

    m->ends = last;
    if (c->rc == MPI_SUCCESS)
        c->rc = send_message(c->w, c->a, m, c->n, m->has_out && m->n_back > 0);
    m->at += m->n_back;
    m->begins = false;
    m->n_back = m->n_rows = 0;
    c->n = sizeof(*m);
}

/* So many bytes of data of the target lie there in a row. */
static void add_row(struct cut *c, const char *at, size_t n_bytes)
{
    struct message *m = &c->out.m;

    while (n_bytes > 0 && c->rc == MPI_SUCCESS) {
        const size_t left = LOGP_ACTIVE_BYTES - c->n, each = sizeof(struct row) + 2 * c->element;
        size_t space = MOST_DATA - m->n_back, n;
        struct row row = {.at = (uintptr_t)at};

        if (left < each + 16 || space < c->element) {
            send_cut(c, false);
            continue;
        }
        if (m->has_in && left - sizeof(row) - 8 - (c->compare != NULL ? c->element : 0) < space)
            space = left - sizeof(row) - 8 - (c->compare != NULL ? c->element : 0);
        n = n_bytes < space ? n_bytes : space / c->element * c->element;
        row.n = (uint32_t)(c->basic != NULL ? n / c->basic->size : n);
        row.n_bytes = (uint32_t)n;
        memcpy(c->out.bytes + c->n, &row, sizeof(row));
        c->n += sizeof(row);
        if (m->has_in) {
            memcpy(c->out.bytes + c->n, c->in, n);
            c->in += n;
            c->n += rounded(n);
        }
        if (c->compare != NULL) {
            memcpy(c->out.bytes + c->n, c->compare, n);
            c->n += rounded(n);
        }
        m->n_rows++;
        m->n_back += (uint32_t)n;
        at += n;
        n_bytes -= n;
    }
}

/* n elements of type t from `at` on. A reduction needs elements that are not dense as a whole. */
static void add_rows(struct cut *c, const struct type *t, size_t n, const char *at)
{
    if (in_a_row(t, n)) {
        add_row(c, at + t->true_lb, n * t->size);
        return;
    }
    for (size_t k = 0; k < n && c->rc == MPI_SUCCESS; k++, at += t->extent) {
        if (t->dense) {
            add_row(c, at + t->true_lb, t->size);
        } else if (t->kind == TYPE_BASIC && c->basic != NULL) {
            add_row(c, at, t->size);
        } else if (t->kind == TYPE_BASIC) { /* a pair: the value, then the index */
            add_row(c, at, t->size - sizeof(int));
            add_row(c, at + t->true_ub - (ptrdiff_t)sizeof(int), sizeof(int));
        } else {
            for (size_t i = 0; i < t->count; i++)
                if (t->kind == TYPE_VECTOR)
                    add_rows(c, t->old, t->block, at + (ptrdiff_t)i * t->stride);
                else
                    add_rows(c, t->olds != NULL ? t->olds[i] : t->old, t->blocks[i],
                             at + t->displs[i]);
        }
    }
}

/* Where the answers of an operation go. */
static struct result *new_result(struct remote_target *to, const struct operand *out)
{
    struct result *r = malloc(sizeof(*r));

    if (r == NULL)
        return NULL;
    *r = (struct result){to->results, {out->type, (size_t)out->count, out->buf}, out->type};
    mpi_keep_type(out->type);
    return to->results = r;
}

static void describe_access(struct message *m, const struct access *access)
{
    m->access = access->from < access->to ? access->kind : '\0';
    m->from = access->from;
    m->to = access->to;
    m->fences = access->fences;
    m->in_a_row = access->in_a_row;
    m->checked_op = access->op;
    m->place = access->place;
    m->call = access->call - anchor;
}

int mpi_start_remote(struct win *w, const struct operation_at *a, int64_t arrival_ns,
                     const struct access *access)
{
    const bool reduces = a->op != MPI_REPLACE && a->op != MPI_NO_OP;
    struct type *there = a->there.type, *basic = a->is_atomic ? mpi_basic_of(there) : NULL;
    const size_t bytes = (size_t)a->there.count * there->size;
    struct remote_target *to = &w->remote[a->rank];
    char *packed = NULL;
    struct cut *c;
    int rc;

    if (bytes == 0)
        return MPI_SUCCESS;
    c = malloc(sizeof(*c));
    CHECK_MEMORY(w->comm, c);
    *c = (struct cut){.w = w,
                      .a = to,
                      .compare = a->compare,
                      .basic = reduces ? basic : NULL,
                      .element = basic != NULL ? basic->size : 1,
                      .n = sizeof(struct message)};
    c->out.m = (struct message){.kind = OPERATE,
                                .time_ns = arrival_ns,
                                .is_atomic = a->is_atomic,
                                .has_in = a->has_in && a->op != MPI_NO_OP,
                                .has_out = a->has_out,
                                .compares = a->compare != NULL,
                                .begins = true,
                                .op = a->op,
                                .basic = reduces ? basic->handle : MPI_BYTE};
    if (the_run.checks)
        describe_access(&c->out.m, access);
    if (c->out.m.has_in && in_a_row(a->in.type, (size_t)a->in.count)) {
        c->in = (const char *)a->in.buf + a->in.type->true_lb;
    } else if (c->out.m.has_in) {
        c->in = packed = malloc(bytes);
        if (packed != NULL)
            mpi_pack(a->in.type, (size_t)a->in.count, a->in.buf, packed);
    }
    if (a->has_out)
        c->out.m.result = (uintptr_t)new_result(to, &a->out);
    if ((c->out.m.has_in && c->in == NULL) || (a->has_out && c->out.m.result == 0)) {
        free(packed);
        free(c);
        return mpi_failed(w->comm, MPI_ERR_NO_MEM, "no memory");
    }
    to->pending = true;
    to->arrival_ns = arrival_ns;
    add_rows(c, there, (size_t)a->there.count, a->there.buf);
    send_cut(c, true);
    rc = c->rc;
    free(packed);
    free(c);
    return rc;
}

/* Wait until all messages have been answered. This rank sees it in time, or the last answer sends
 * TAG_ANSWER. */
static int await_answers(struct win *w, struct remote_target *a)
{
    int rc = MPI_SUCCESS;

    /* seq_cst, all: this rank and hear_answer() both see what the other one has written before. So the
     * data that were read are in the buffer. */
    while (rc == MPI_SUCCESS && atomic_load(&a->awaited) > 0) {
        atomic_store(&a->waits, true);
        if (atomic_load(&a->awaited) > 0 || !atomic_exchange(&a->waits, false))
            rc = mpi_class_of(logp_recv(w->comm->vp, w->comm->rank, TAG_ANSWER, NULL, 0, NULL));
    }
    return rc;
}

int mpi_await_remote(struct win *w, int first, int n)
{
    int rc = MPI_SUCCESS;

    for (int i = first; i < first + n && w->remote != NULL; i++) {
        struct remote_target *a = &w->remote[i];
        const int answered = await_answers(w, a);
        const uint64_t at = a->outside;

        a->outside = 0;
        if (answered != MPI_SUCCESS)
            return answered;
        if (at != 0)
            rc =
                mpi_failed(w->comm, MPI_ERR_RMA_RANGE,
                           "the memory at %p is not attached at rank %d", (void *)(uintptr_t)at, i);
    }
    return rc;
}

int mpi_flush_remote(struct win *w, int first, int n)
{
    int64_t arrival_ns = 0;
    int rc = MPI_SUCCESS;

    if (w->remote == NULL)
        return rc;
    for (int i = first; i < first + n; i++)
        if (w->remote[i].pending && w->remote[i].arrival_ns > arrival_ns)
            arrival_ns = w->remote[i].arrival_ns;
    if (w->timed && arrival_ns > logp_now(w->comm->vp))
        rc = mpi_class_of(logp_sleep_until(w->comm->vp, arrival_ns));
    for (int i = first; i < first + n && rc == MPI_SUCCESS; i++) {
        struct remote_target *a = &w->remote[i];
        struct message m = {.kind = FLUSH,
                            .time_ns = a->arrival_ns,
                            .ends = the_run.checks && w->access[i] != 0,
                            .call = mpi_this_rank()->call - anchor};

        if (a->pending)
            rc = send_message(w, a, &m, sizeof(m), true);
    }
    if (rc == MPI_SUCCESS)
        rc = mpi_await_remote(w, first, n);
    for (int i = first; i < first + n; i++)
        if (w->remote[i].pending && atomic_load(&w->remote[i].awaited) == 0) {
            w->remote[i].pending = false;
            drop_results(&w->remote[i]);
        }
    return rc;
}

int mpi_acquire_remote(struct win *w, int rank, bool exclusive, bool *taken, int64_t *at)
{
    struct remote_target *a = &w->remote[rank];
    struct message m = {.kind = LOCK, .exclusive = exclusive};
    int rc = send_message(w, a, &m, sizeof(m), true);

    if (rc == MPI_SUCCESS)
        rc = mpi_await_remote(w, rank, 1);
    *taken = a->granted;
    *at = a->free_ns;
    return rc;
}

/* Nothing waits for the answer but MPI_Win_free(), and the next lock. */
int mpi_release_remote(struct win *w, int rank, int64_t free_ns)
{
    struct message m = {.kind = UNLOCK, .time_ns = free_ns};

    return send_message(w, &w->remote[rank], &m, sizeof(m), true);
}

/* ---- the target's process ---- */

static void note_begin(struct target *t, const struct message *m)
{
    const struct access a = {.from = (uintptr_t)m->from,
                             .to = (uintptr_t)m->to,
                             .origin = m->origin,
                             .fences = m->fences,
                             .kind = m->access,
                             .op = m->checked_op,
                             .in_a_row = m->in_a_row,
                             .call = anchor + m->call,
                             .place = (uintptr_t)m->place};

    TELL(begin_access, t, &a);
}

static void perform_rows(struct win *w, const struct message *m, bool is_held, char *back)
{
    const char *at = (const char *)m + sizeof(*m);
    struct type *basic = mpi_type_of(m->basic), *byte = mpi_type_of(MPI_BYTE);
    struct reduction r;

    if (m->op != MPI_REPLACE && m->op != MPI_NO_OP)
        mpi_make_reduction(&r, m->op, m->basic);
    for (uint32_t i = 0; i < m->n_rows; i++) {
        struct operation_at a = {.has_in = m->has_in,
                                 .has_out = m->has_out,
                                 .is_atomic = m->is_atomic && !is_held,
                                 .rank = w->comm->rank,
                                 .op = m->op};
        struct row row;

        memcpy(&row, at, sizeof(row));
        at += sizeof(row);
        a.there = (struct operand){(char *)(uintptr_t)row.at, (int)row.n, m->basic, basic, false};
        if (m->has_in) {
            a.in = (struct operand){(char *)at, (int)row.n_bytes, MPI_BYTE, byte, false};
            at += rounded(row.n_bytes);
        }
        if (m->compares) {
            a.compare = at;
            at += rounded(row.n_bytes);
        }
        if (m->has_out) {
            a.out = (struct operand){back, (int)row.n_bytes, MPI_BYTE, byte, false};
            back += row.n_bytes;
        }
        mpi_perform(w, &a, &r);
    }
}

/* @return the first address that is not attached to a dynamic window; or 0 */
static uint64_t find_outside(const struct win *w, const struct message *m)
{
    const char *at = (const char *)m + sizeof(*m);

    for (uint32_t i = 0; i < m->n_rows && w->flavor == MPI_WIN_FLAVOR_DYNAMIC; i++) {
        struct row row;

        memcpy(&row, at, sizeof(row));
        if (!mpi_is_attached(w->own, (char *)(uintptr_t)row.at,
                             (char *)(uintptr_t)row.at + row.n_bytes))
            return row.at;
        at += sizeof(row) + (m->has_in ? rounded(row.n_bytes) : 0) +
              (m->compares ? rounded(row.n_bytes) : 0);
    }
    return 0;
}

static void *perform_whole(struct win *w, const struct message *m, bool is_held, size_t *n_bytes)
{
    struct message *answer = NULL;

    *n_bytes = sizeof(*answer) + (m->has_out ? m->n_back : 0);
    if (m->has_out && m->n_back > 0) {
        answer = malloc(*n_bytes);
        if (answer == NULL)
            host_abort_run(1);
        *answer = (struct message){.kind = GET_ANSWER,
                                   .remote = m->remote,
                                   .result = m->result,
                                   .at = m->at,
                                   .n_back = m->n_back};
    }
    perform_rows(w, m, is_held, answer != NULL ? (char *)(answer + 1) : NULL);
    return answer;
}

void *mpi_perform_message(struct win *w, const void *bytes, size_t *n_bytes)
{
    return perform_whole(w, bytes, true, n_bytes);
}

static void reply(struct logp_machine *machine, int process, enum kind kind,
                  const struct message *to, struct message m)
{
    m.kind = kind;
    m.remote = to->remote;
    logp_active_reply(machine, process, &m, sizeof(m));
}

static void hear_operation(struct logp_machine *machine, int process, struct target *t,
                           const struct message *m, size_t n_bytes)
{
    const uint64_t outside = find_outside(t->win, m);
    size_t n_answer;
    void *answer;

    if (outside != 0) {
        reply(machine, process, OUTSIDE, m,
              (struct message){.at = outside, .has_out = m->has_out && m->n_back > 0});
        return;
    }
    if (m->begins && m->access != '\0')
        note_begin(t, m);
    if (t->win->timed) {
        if (mpi_defer_message(t->win, m->origin, m->time_ns, m, n_bytes) != MPI_SUCCESS)
            host_abort_run(1);
        return;
    }
    answer = perform_whole(t->win, m, false, &n_answer);
    if (answer != NULL)
        logp_active_reply(machine, process, answer, n_answer);
    free(answer);
    if (m->ends && m->access != '\0')
        TELL(end_performed, t, m->origin);
}

static void hear_lock(struct logp_machine *machine, int process, struct target *t,
                      const struct message *m)
{
    struct waiter *waiter = malloc(sizeof(*waiter));
    struct message answer = {.granted = true};

    if (waiter == NULL)
        host_abort_run(1);
    *waiter = (struct waiter){NULL, m->origin, m->exclusive, true};
    answer.granted = mpi_take_lock(t, waiter, &answer.time_ns);
    if (answer.granted)
        free(waiter);
    reply(machine, process, ANSWER, m, answer);
}

static void hear_unlock(struct target *t, const struct message *m)
{
    struct win *w = t->win;
    struct waiter *next = mpi_give_up_lock(t, m->time_ns);

    while (next != NULL) {
        struct waiter *told = next->is_remote ? next : NULL;
        const int waiting = next->rank;

        next = next->next;
        free(told);
        logp_active_post(w->comm->vp, waiting, TAG_GRANT,
                         w->timed ? m->time_ns + w->params.o_send_ns : -1);
    }
}

/* ---- the origin's process ---- */

static void hear_answer(const struct message *m)
{
    struct remote_target *a = (struct remote_target *)(uintptr_t)m->remote;
    bool counts = true;

    if (m->kind == GET_ANSWER) {
        struct result *r = (struct result *)(uintptr_t)m->result;

        mpi_drain_payload(&r->to, m->at, m + 1, m->n_back);
    } else if (m->kind == OUTSIDE) {
        a->outside = m->at;
        counts = m->has_out;
    } else {
        a->granted = m->granted;
        a->free_ns = m->time_ns;
    }
    if (counts && atomic_fetch_sub(&a->awaited, 1) == 1 && atomic_exchange(&a->waits, false))
        logp_active_post(a->win->comm->vp, a->win->comm->rank, TAG_ANSWER, -1);
}

void mpi_handle_active(struct logp_machine *machine, int process, const void *bytes, size_t n_bytes)
{
    const struct message *m = bytes;
    struct target *t = (struct target *)(uintptr_t)m->target;

    switch (m->kind) {
    case OPERATE:
        hear_operation(machine, process, t, m, n_bytes);
        break;
    case FLUSH:
        if (t->win->timed)
            mpi_perform_until(t->win, m->time_ns);
        if (m->ends)
            TELL(end_accesses_of, t, m->origin, anchor + m->call);
        reply(machine, process, ANSWER, m, (struct message){.granted = false});
        break;
    case LOCK:
        hear_lock(machine, process, t, m);
        break;
    case UNLOCK:
        hear_unlock(t, m);
        reply(machine, process, ANSWER, m, (struct message){.granted = false});
        break;
    case ANSWER:
    case GET_ANSWER:
    case OUTSIDE:
        hear_answer(m);
        break;
    }
}
