/* SPDX-License-Identifier: MIT */
/*
 * The repetitions of an experiment.
 *
 * On the wall clock each has three syncs: the common start; one after which rank 0 alone reads the
 * times of all ranks and judges the repetition; and one after which all read the verdict, outside
 * the timed part.
 *
 * Over several processes each has the state of its own ranks. The first rank of each sends their
 * times to rank 0, and receives the verdict: leaders.c.
 */
#include "choice/choice.h"
#include "operand/operand.h"
#include "predict/predict.h"
#include "schedule/schedule.h"
#include "experiment.h"

#include <logp/trace.h>
#include <logp/vp.h>

#include <errno.h>
#include <string.h>

static const int64_t progress_every_ns = 100000000;

/* Summarise the repetitions so far into the record. Sorting takes longer the more there are, so it
 * is done less often. */
static void summarize_so_far(struct state *s)
{
    struct logp_record *r = s->record;
    const size_t n = (size_t)r->reps;

    if (r->reps < s->next_summary || r->reps == 0)
        return;
    s->next_summary = r->reps + r->reps / 8 + 1;
    memcpy(s->sorted, s->wall, n * sizeof(*s->wall));
    r->measured = logp_summary_of(s->sorted, n);
    memcpy(s->sorted, s->emulated, n * sizeof(*s->emulated));
    r->emulated = logp_summary_of(s->sorted, n);
}

/* Whether progress is due; if so, summarise into the record. */
static bool has_progress(struct state *s)
{
    int64_t now;

    if (s->experiment->progress == NULL)
        return false;
    now = lpi_host_ns();
    if (now - s->last_progress < progress_every_ns && s->done < s->total)
        return false;
    s->last_progress = now;
    summarize_so_far(s);
    return true;
}

void lpi_report_progress(struct state *s)
{
    if (has_progress(s))
        s->experiment->progress(s->experiment->progress_arg, s->done, s->total);
}

/* Whether both ends of the median's interval are as near as requested. Sorting takes longer the
 * more there are, so it is done less often. */
static bool precise(struct state *s)
{
    const size_t n = (size_t)s->record->reps;
    struct logp_interval interval;
    int64_t median;
    double most;

    if (s->experiment->precision_ppm == 0 || s->record->reps < s->next_look)
        return false;
    s->next_look = s->record->reps + s->record->reps / 8 + 1;
    memcpy(s->sorted, s->wall, n * sizeof(*s->wall));
    median = logp_summary_of(s->sorted, n).median_ns;
    most = (double)median * (double)s->experiment->precision_ppm / 1e6;
    return logp_median_interval(s->sorted, n, &interval) &&
           (double)(interval.high_ns - median) <= most &&
           (double)(median - interval.low_ns) <= most;
}

/* Whether this counted repetition is the last one. */
bool lpi_enough(struct state *s)
{
    const int64_t limit_ns = s->experiment->limit_ns;

    return (limit_ns > 0 && lpi_host_ns() - s->first_start_ns >= limit_ns) || precise(s);
}

/* Of all ranks of a repetition: its last end, the latest start, and the longest absence of a core. */
enum { WALL, EMULATED, LATE, ABSENCE, N_SEEN };

/* Count this repetition, or not. @return progress is due */
static bool judge_it(struct state *s, const int64_t *seen)
{
    struct logp_record *r = s->record;
    const bool is_late = s->counted && seen[LATE] > LOGP_START_TOLERANCE_NS;
    struct logp_run_time t = {.measured_ns = seen[WALL] - s->start_ns,
                              .emulated_ns = seen[EMULATED] - s->start_ns,
                              .absence_ns = seen[ABSENCE]};

    if (is_late && r->restarts < s->experiment->reps / 10) {
        t.state = LOGP_RUN_REPEATED;
        lpi_keep_times(s, &t);
        r->restarts++;
        if (s->faults != NULL) /* the run is made again, with the same draws */
            s->total = 0;
        return false;
    }
    s->done++;
    if (!s->counted)
        return false;
    r->late_starts += is_late;
    lpi_keep_times(s, &t);
    r->reps++;
    if (s->faults != NULL) /* the next is another run */
        return false;
    if (lpi_enough(s))
        s->total = s->done;
    return has_progress(s);
}

/* The judgement of a repetition that all ranks need. */
struct verdict {
    int64_t done, total, reps, restarts, late_starts;
    int64_t counted; /* whether it is one of reps */
};

/* Rank 0, while all others wait for the next start. A reader of its verdict may take too long: then
 * only the end of the run is left. */
static struct verdict judge(struct state *s, const int64_t *seen)
{
    struct verdict v = {0};
    bool tell = false;

    pthread_mutex_lock(&s->lock);
    if (!s->parted) {
        const int before = s->record->reps;

        tell = judge_it(s, seen);
        v = (struct verdict){s->done,
                             s->total,
                             s->record->reps,
                             s->record->restarts,
                             s->record->late_starts,
                             s->record->reps > before};
    }
    pthread_mutex_unlock(&s->lock);
    if (tell)
        s->experiment->progress(s->experiment->progress_arg, (int)v.done, (int)v.total);
    return v;
}

static void accept(struct state *s, const struct verdict *v)
{
    pthread_mutex_lock(&s->lock);
    if (!s->parted) {
        s->done = (int)v->done;
        s->total = (int)v->total;
        s->record->reps = (int)v->reps;
        s->record->restarts = (int)v->restarts;
        s->record->late_starts = (int)v->late_starts;
    }
    pthread_mutex_unlock(&s->lock);
}

/* Add the times of this process's ranks in a repetition that counts. */
static void add_rank_times(struct state *s)
{
    const struct lpi_leaders *l = &s->leaders;

    pthread_mutex_lock(&s->lock);
    for (int i = l->first; !s->parted && s->rank_ns != NULL && i < l->first + l->n_local; i++)
        /* relaxed: read after the run */
        atomic_fetch_add_explicit(&s->rank_ns[i], s->endings[i].wall - s->start_ns,
                                  memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
}

/* Judge the times of all ranks of the process; called by its first rank. */
static int judge_all(struct logp_vp *vp, struct state *s)
{
    const struct lpi_leaders *l = &s->leaders;
    int64_t seen[N_SEEN] = {[LATE] = logp_start_late(vp), [ABSENCE] = logp_absence(vp)};
    struct verdict v = {0};
    int rc = 0;

    for (int i = l->first; i < l->first + l->n_local; i++) {
        seen[WALL] = lpi_max(seen[WALL], s->endings[i].wall);
        seen[EMULATED] = lpi_max(seen[EMULATED], s->endings[i].emulated);
    }
    if (l->n > 1)
        rc = lpi_leaders_gather(vp, l, seen, N_SEEN);
    if (rc == 0 && l->first == 0)
        v = judge(s, seen);
    if (rc == 0 && l->n > 1) {
        rc = lpi_leaders_tell(vp, l, &v.done, sizeof(v) / sizeof(v.done));
        accept(s, &v);
    }
    if (rc == 0 && v.counted != 0)
        add_rank_times(s);
    return rc;
}

static void make_operands(const struct state *s, int rank, uint64_t seed, const struct task *t)
{
    size_t bytes, result;

    logp_collective_fill(s->collective, s->P, rank, seed, &t->c, t->buf, t->recv_buf);
    s->collective->sizes(s->P, rank, &t->c, &bytes, &result);
    if (t->operands != t->buf && bytes > 0)
        memcpy(t->operands, t->buf, bytes);
}

/* Keep the first difference of the lowest rank that is wrong. */
static void keep_difference(struct state *s, int rank, const struct task *t)
{
    char text[sizeof(s->difference)];
    size_t bytes, result_bytes;

    s->collective->sizes(s->P, rank, &t->c, &bytes, &result_bytes);
    lpi_say_difference(t->buf, bytes, t->result, result_bytes, text, sizeof(text));
    pthread_mutex_lock(&s->lock);
    if (s->difference_rank < 0 || rank < s->difference_rank) {
        s->difference_rank = rank;
        memcpy(s->difference, text, sizeof(text));
    }
    pthread_mutex_unlock(&s->lock);
}

/* Check this rank's result; a wrong one is recorded in s. 0: checked; -ENOMEM */
int lpi_verify(struct state *s, int rank, uint64_t seed, const struct task *t)
{
    const int right =
        logp_collective_check(s->collective, s->P, rank, seed, &t->c, t->buf, t->result);

    if (right == 0 && s->faults == NULL)
        keep_difference(s, rank, t);
    if (right == 0) /* relaxed: read after the run */
        atomic_store_explicit(&s->wrong[rank], true, memory_order_relaxed);
    return right < 0 ? right : 0;
}

/* Wait until this rank arrives. `start`: the common start */
static int arrive(struct logp_vp *vp, const struct task *t, int64_t start)
{
    const int64_t *arrivals = t->c.model.arrivals;

    return arrivals != NULL ? logp_sleep_until(vp, start + arrivals[logp_vp_rank(vp)]) : 0;
}

/* One repetition on one vp. */
static int once(struct logp_vp *vp, struct state *s, const struct task *t, uint64_t seed)
{
    const int me = logp_vp_rank(vp);
    struct ending *mine = &s->endings[me];
    int64_t start;
    int rc, verified;

    make_operands(s, me, seed, t);
    rc = logp_sync(vp, &start);
    if (rc == 0 && me == s->leaders.first)
        s->start_ns = start;
    if (rc == 0) /* the experiment's work is the host's, and so is that of a reader of steps */
        logp_own_time(vp, s->experiment->algorithm->steps == NULL);
    if (rc == 0)
        logp_trace_begin(vp, start);
    if (rc == 0)
        rc = arrive(vp, t, start);
    if (rc == 0)
        rc = lpi_run(vp, s->experiment->algorithm, &t->c, t->buf, t->recv_buf);
    if (rc != 0) /* the trace stays open: the vp waits for ever */
        return rc;
    mine->emulated = logp_clocks(vp, &mine->wall);
    logp_trace_end(vp);
    rc = logp_sync(vp, NULL);
    verified = lpi_verify(s, me, seed, t);
    if (rc == 0)
        rc = verified;
    if (rc == 0 && me == s->leaders.first)
        rc = judge_all(vp, s);
    return rc != 0 ? rc : logp_sync(vp, NULL);
}

static int repeat(struct logp_vp *vp, struct state *s, const struct task *t)
{
    int rc = 0;

    for (uint64_t seed = s->experiment->seed + 1; rc == 0 && s->done < s->total; seed++)
        rc = once(vp, s, t, seed);
    return rc;
}

/* relaxed, both: read after the run */
static void raise_to(_Atomic int64_t *most, int64_t value)
{
    int64_t now = atomic_load_explicit(most, memory_order_relaxed);

    while (now < value && !atomic_compare_exchange_weak_explicit(
                              most, &now, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

/*
 * Under the virtual clock no start can be missed: there is nothing to judge, and the first
 * repetition starts with the run. With a million vps every sync counts.
 */
static int repeat_virtual(struct logp_vp *vp, struct state *s, const struct task *t)
{
    const int me = logp_vp_rank(vp);
    int rc = 0;

    for (int i = 0; rc == 0 && i < s->total; i++) {
        const uint64_t seed = s->experiment->seed + 1 + (uint64_t)i;
        int64_t start = 0, end;

        make_operands(s, me, seed, t);
        if (i > 0)
            rc = logp_sync(vp, &start);
        if (rc == 0)
            logp_trace_begin(vp, start);
        if (rc == 0)
            rc = arrive(vp, t, start);
        if (rc == 0)
            rc = lpi_run(vp, s->experiment->algorithm, &t->c, t->buf, t->recv_buf);
        if (rc == 0)
            logp_trace_end(vp);
        if (rc == 0)
            rc = lpi_verify(s, me, seed, t);
        if (rc != 0)
            break;
        end = logp_now(vp) - start;
        raise_to(&s->latest[i], end);
        if (s->rank_ns != NULL && s->counted) /* relaxed: read after the run */
            atomic_fetch_add_explicit(&s->rank_ns[me], end, memory_order_relaxed);
        /* relaxed: no other thread writes it, and it is read after the run */
        atomic_store_explicit(&s->finished[me], i + 1, memory_order_relaxed);
    }
    return rc;
}

/* The task of a rank, whose part is to be freed. 0; as lpi_plan() */
int lpi_task_of(const struct state *s, int rank, struct task *t)
{
    const int rc = lpi_plan(s->experiment->algorithm, s->P, rank, &t->c);

    if (rc != 0)
        return rc;
    lpi_buffers_of(&s->buffers, s->collective, rank, &t->c, &t->buf, &t->recv_buf);
    t->operands = t->buf;
    t->result = t->recv_buf;
    lpi_one_buffer(s->experiment->algorithm, s->P, rank, &t->c, &t->operands, &t->result);
    return 0;
}

static int repeat_program(struct logp_vp *vp, void *arg)
{
    struct state *s = arg;
    struct task t = {.c = s->c};
    int rc = lpi_task_of(s, logp_vp_rank(vp), &t);

    if (rc != 0)
        return rc;
    rc = s->is_virtual ? repeat_virtual(vp, s, &t) : repeat(vp, s, &t);
    lpi_free_plan(&t.c.plan);
    return rc;
}

int lpi_run_program(struct logp_machine *machine, struct state *s, int64_t timeout_ns)
{
    const int rc = logp_machine_run(machine, repeat_program, s, timeout_ns);

    pthread_mutex_lock(&s->lock);
    s->parted = rc == -ETIMEDOUT;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int64_t lpi_time_left(const struct logp_experiment *x, int64_t start)
{
    return x->timeout_ns > 0 ? lpi_max(x->timeout_ns - (lpi_host_ns() - start), 1) : 0;
}
