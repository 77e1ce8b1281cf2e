/* SPDX-License-Identifier: MIT */
/*
 * The experiment: see experiment.h.
 *
 * All repetitions are one run of the machine, so that its cores stay busy. On the wall clock each
 * has three syncs: the common start; one after which rank 0 alone reads what all have written and
 * judges the repetition; and one after which all read the verdict, outside the timed part.
 *
 * Over several processes each has the state of its own ranks, and its first tells rank 0 what they
 * have written, and is told the verdict: leaders.c.
 */
#include "choice/choice.h"
#include "operand/operand.h"
#include "predict/predict.h"
#include "schedule/schedule.h"
#include "experiment.h"

#include <logp/experiment.h>
#include <logp/trace.h>
#include <logp/transport.h>
#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t progress_every_ns = 100000000;

/* What is told of the repetitions so far. Sorting takes longer the more there are, and is done the
 * less often. */
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

/* Is it time to tell of them? Then the record does. */
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

/* Are both ends of the median's interval as near as was asked for? Sorting takes longer the more
 * there are, and is done the less often. */
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

/* After a counted repetition: shall it be the last? */
bool lpi_enough(struct state *s)
{
    const int64_t limit_ns = s->experiment->limit_ns;

    return (limit_ns > 0 && lpi_host_ns() - s->first_start_ns >= limit_ns) || precise(s);
}

/* Does this repetition count? @return is it time to tell of them? */
static bool judge_it(struct state *s, int64_t wall, int64_t emulated, int64_t late)
{
    struct logp_record *r = s->record;
    const struct logp_experiment *x = s->experiment;

    if (s->counted && late > LOGP_START_TOLERANCE_NS && r->restarts < x->reps / 10) {
        r->restarts++;
        if (s->faults != NULL) /* the run is made again, with the same draws */
            s->total = 0;
        return false;
    }
    s->done++;
    if (!s->counted)
        return false;
    s->wall[r->reps] = wall - s->start_ns;
    s->emulated[r->reps++] = emulated - s->start_ns;
    if (s->faults != NULL) /* the next is another run */
        return false;
    if (lpi_enough(s))
        s->total = s->done;
    return has_progress(s);
}

/* What all must know of it. */
struct verdict {
    int64_t done, total, reps, restarts;
    int64_t counted; /* is it one of reps? */
};

/* Rank 0, while all others wait for the next start. A reader of its verdict may take too long: then
 * only the end of the run is left. */
static struct verdict judge(struct state *s, int64_t wall, int64_t emulated, int64_t late)
{
    struct verdict v = {0};
    bool tell = false;

    pthread_mutex_lock(&s->lock);
    if (!s->parted) {
        const int before = s->record->reps;

        tell = judge_it(s, wall, emulated, late);
        v = (struct verdict){s->done, s->total, s->record->reps, s->record->restarts,
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

/* By the first rank of each process, with what all of its ranks have written. */
static int judge_all(struct logp_vp *vp, struct state *s)
{
    const struct lpi_leaders *l = &s->leaders;
    int64_t last[] = {0, 0, logp_start_late(vp)}; /* wall, emulated, late */
    struct verdict v = {0};
    int rc = 0;

    for (int i = l->first; i < l->first + l->n_local; i++) {
        last[0] = lpi_max(last[0], s->endings[i].wall);
        last[1] = lpi_max(last[1], s->endings[i].emulated);
    }
    if (l->n > 1)
        rc = lpi_leaders_gather(vp, l, last, 3);
    if (rc == 0 && l->first == 0)
        v = judge(s, last[0], last[1], last[2]);
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

/* Of the lowest rank that is wrong, what was wrong first. */
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

/* Is this rank's result right? 0: known, and kept in mind if not; -ENOMEM */
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
        rc = lpi_run(vp, s->experiment->algorithm, &t->c, t->buf, t->recv_buf);
    if (rc != 0) /* the trace goes on: it waits for ever */
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

double logp_record_ratio(const struct logp_record *r)
{
    const int64_t median = r->has_measured ? r->measured.median_ns : r->emulated.median_ns;

    if (r->reps == 0 || r->prediction.certainty == LOGP_PREDICTION_NONE || r->prediction.ns == 0 ||
        !r->has_emulated)
        return 0;
    return (double)median / (double)r->prediction.ns;
}

/* Both times are in order. */
static void resolve_interval(struct state *s)
{
    struct logp_record *r = s->record;

    r->has_interval = s->is_virtual && r->prediction.certainty == LOGP_PREDICTION_EXACT;
    if (r->has_interval)
        r->interval = (struct logp_interval){r->emulated.median_ns, r->emulated.median_ns};
    else
        r->has_interval = logp_median_interval(s->is_virtual ? s->emulated : s->wall,
                                               (size_t)r->reps, &r->interval);
}

/* What the process says that has the wrong rank; all others say nothing, which is less. */
static void share_difference(struct state *s, struct logp_machine *machine)
{
    int64_t text[sizeof(s->difference) / sizeof(int64_t)] = {0};

    if (s->record->wrong_rank < 0)
        return;
    if (s->difference_rank == s->record->wrong_rank)
        memcpy(text, s->difference, sizeof(text));
    if (logp_machine_agree(machine, text, sizeof(text) / sizeof(text[0]), LOGP_AGREE_MAX) != 0)
        return;
    memcpy(s->difference, text, sizeof(text));
    s->difference_rank = s->record->wrong_rank;
}

/* Over several processes: what rank 0 knows of the repetitions, and which result is wrong. */
static void share(struct state *s, struct logp_machine *machine)
{
    struct logp_record *r = s->record;
    int64_t reps = r->reps, wrong = r->wrong_rank < 0 ? s->P : r->wrong_rank;
    const size_t capacity = (size_t)s->experiment->reps * sizeof(*s->wall);

    if (s->leaders.first != 0) {
        memset(s->wall, 0, capacity);
        memset(s->emulated, 0, capacity);
    }
    if (logp_machine_agree(machine, &reps, 1, LOGP_AGREE_MIN) != 0 ||
        logp_machine_agree(machine, &wrong, 1, LOGP_AGREE_MIN) != 0)
        return;
    r->reps = (int)reps;
    r->wrong_rank = wrong < s->P ? (int)wrong : -1;
    logp_machine_agree(machine, s->wall, (size_t)reps, LOGP_AGREE_MAX);
    logp_machine_agree(machine, s->emulated, (size_t)reps, LOGP_AGREE_MAX);
    share_difference(s, machine);
}

/* The caller's array: each rank's mean, in each process that of all ranks. */
static void finish_rank_times(struct state *s, struct logp_machine *machine)
{
    int64_t *out = s->own.rank_ns;

    if (s->rank_ns == NULL || s->faults != NULL || s->record->reps == 0)
        return;
    for (int i = 0; i < s->P; i++) {
        const int n = s->is_virtual ? s->finished[i] : s->record->reps;

        /* relaxed: the run has ended */
        out[i] = (atomic_load_explicit(&s->rank_ns[i], memory_order_relaxed) + n / 2) / n;
    }
    if (s->leaders.n > 1)
        logp_machine_agree(machine, out, (size_t)s->P, LOGP_AGREE_MAX);
}

void lpi_finish(struct state *s, struct logp_machine *machine, const struct logp_report *report)
{
    struct logp_record *r = s->record;

    for (int i = s->P - 1; i >= 0 && s->faults == NULL; i--)
        if (s->wrong[i])
            r->wrong_rank = i;
    if (s->leaders.n > 1)
        share(s, machine);
    if (r->wrong_rank >= 0 && s->collective->holds_back && s->faults == NULL)
        strcpy(r->wrong, "it left before all had entered");
    else if (r->wrong_rank >= 0 && r->wrong_rank == s->difference_rank)
        memcpy(r->wrong, s->difference, sizeof(r->wrong));
    r->verified = r->reps > 0 && r->wrong_rank < 0;
    r->clock_error_ns = logp_machine_clock_error(machine);
    r->lag.median_ns = report->lag.median_ns;
    r->lag.p99_ns = report->lag.p99_ns;
    r->lag.max_ns = report->lag.max_ns;
    if (r->reps == 0)
        return;
    if (s->is_virtual)
        memset(s->wall, 0, (size_t)r->reps * sizeof(*s->wall));
    r->messages =
        report->messages / (uint64_t)(r->reps + r->restarts) - lpi_leaders_messages(&s->leaders);
    r->measured = logp_summary_of(s->wall, (size_t)r->reps);
    r->emulated = logp_summary_of(s->emulated, (size_t)r->reps);
    resolve_interval(s);
    finish_rank_times(s, machine);
}

/* Virtual clock: the repetitions that all ranks have finished. */
static void count_finished(struct state *s)
{
    struct logp_record *r = s->record;

    r->reps = s->total;
    for (int i = 0; i < s->P; i++)
        r->reps = s->finished[i] < r->reps ? s->finished[i] : r->reps;
    for (int i = 0; i < r->reps; i++)
        s->emulated[i] = s->latest[i];
}

int lpi_run_program(struct logp_machine *machine, struct state *s, int64_t timeout_ns)
{
    const int rc = logp_machine_run(machine, repeat_program, s, timeout_ns);

    pthread_mutex_lock(&s->lock);
    s->parted = rc == -ETIMEDOUT;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Of the time for all, what is left; 0: no limit. */
int64_t lpi_time_left(const struct logp_experiment *x, int64_t start)
{
    return x->timeout_ns > 0 ? lpi_max(x->timeout_ns - (lpi_host_ns() - start), 1) : 0;
}

/* The warm-up and the counted repetitions are a run each: so the report is of the latter alone. */
static int run_all(struct logp_machine *machine, struct state *s)
{
    const struct logp_experiment *x = s->experiment;
    const int64_t start = lpi_host_ns();
    const int absences = lpi_absences(s->collective, s->P);
    int rc = 0;

    for (int i = 0; rc == 0 && i < absences; i++)
        rc = lpi_run_without(machine, x, i, &s->c, &s->buffers, lpi_time_left(x, start), s->wrong);
    for (int counted = x->warmup == 0; rc == 0 && counted < 2; counted++) {
        s->counted = counted;
        s->total = counted ? x->reps : x->warmup;
        s->done = 0;
        s->first_start_ns = lpi_host_ns();
        memset(s->finished, 0, (size_t)s->P * sizeof(*s->finished));
        memset(s->latest, 0, (size_t)s->total * sizeof(*s->latest));
        rc = lpi_run_program(machine, s, lpi_time_left(x, start));
    }
    if (s->counted && s->is_virtual)
        count_finished(s);
    if (s->counted)
        lpi_finish(s, machine, logp_machine_report(machine));
    return rc;
}

/* Room for what the repetitions are measured by; freed by free_state() in any case. 0; an error */
static int make_state(struct state *s, const struct logp_experiment *x, int P)
{
    const size_t reps = (size_t)(x->reps > x->warmup ? x->reps : x->warmup);

    s->endings = lpi_zeroed(s->is_virtual ? 1 : (size_t)P, sizeof(*s->endings));
    s->wrong = calloc((size_t)P, sizeof(*s->wrong));
    s->wrong_ranks = malloc((s->faults != NULL ? (size_t)P : 1) * sizeof(*s->wrong_ranks));
    s->wall = malloc(reps * sizeof(*s->wall));
    s->emulated = malloc(reps * sizeof(*s->emulated));
    s->sorted = malloc(reps * sizeof(*s->sorted));
    s->finished = calloc((size_t)P, sizeof(*s->finished));
    s->latest = malloc(reps * sizeof(*s->latest));
    s->rank_ns = x->rank_ns != NULL ? calloc((size_t)P, sizeof(*s->rank_ns)) : NULL;
    if (s->endings == NULL || s->wrong == NULL || s->wrong_ranks == NULL || s->wall == NULL ||
        s->emulated == NULL || s->sorted == NULL || s->finished == NULL || s->latest == NULL ||
        (x->rank_ns != NULL && s->rank_ns == NULL))
        return -ENOMEM;
    return lpi_buffers_create(&s->buffers, s->collective, x->algorithm, &s->c, P, s->leaders.first,
                              s->leaders.n_local);
}

static void free_state(struct state *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->endings);
    free(s->wrong);
    free(s->wrong_ranks);
    lpi_buffers_destroy(&s->buffers);
    free(s->wall);
    free(s->emulated);
    free(s->sorted);
    free(s->finished);
    free(s->latest);
    free(s->rank_ns);
    free(s);
}

/* What is wrong with an experiment on P processors; 0: nothing. */
static int refuse(const struct logp_experiment *x, const struct logp_invocation *c, int P)
{
    if (x->reps < 1 || x->warmup < 0 || x->timeout_ns < 0 || x->precision_ppm < 0 ||
        x->limit_ns < 0 || !lpi_is_row(x->algorithm) ||
        logp_collective_find(x->algorithm->collective) == NULL || x->args.root < 0 ||
        x->args.root >= P)
        return -EINVAL;
    return lpi_needs(x->algorithm, P, c) != NULL ? -ENOTSUP : 0;
}

static int run(struct logp_machine *machine, struct state *s)
{
    const struct logp_prediction *p = &s->record->prediction;
    int64_t worst = p->certainty == LOGP_PREDICTION_NONE && p->ns == LOGP_PREDICTION_NO_MEMORY
                        ? -ENOMEM
                        : make_state(s, s->experiment, s->P);
    int rc = logp_machine_agree(machine, &worst, 1, LOGP_AGREE_MIN);

    rc = rc != 0 ? rc : (int)worst;
    if (rc == 0 && s->faults != NULL)
        rc = s->leaders.n > 1 ? -ENOTSUP : lpi_run_faulty(machine, s);
    else if (rc == 0)
        rc = run_all(machine, s);
    return rc;
}

int logp_experiment_run(struct logp_machine *machine, const struct logp_experiment *given,
                        struct logp_record *record)
{
    const int P = logp_machine_size(machine);
    const bool wall = logp_machine_clock(machine) == LOGP_CLOCK_WALL;
    const bool delayed = logp_machine_delayed(machine);
    struct state *s = calloc(1, sizeof(*s));
    struct logp_network network;
    int rc = -ENOMEM;

    *record = (struct logp_record){.P = P, .wrong_rank = -1, .clock_error_ns = -1};
    if (s == NULL)
        return rc;
    *s = (struct state){.record = record, .P = P, .is_virtual = !wall, .difference_rank = -1};
    pthread_mutex_init(&s->lock, NULL);
    lpi_leaders_of(&s->leaders, machine);
    rc = logp_struct_take(&s->own, sizeof(s->own), LOGP_UP_TO(struct logp_experiment, args), given);
    s->experiment = &s->own;
    logp_machine_network(machine, &network);
    s->faults = logp_machine_faults(machine);
    s->c = lpi_invocation(&s->own.args, &network);
    for (int i = 0; rc == 0 && s->own.rank_ns != NULL && i < P; i++)
        s->own.rank_ns[i] = -1;
    if (rc == 0)
        rc = refuse(&s->own, &s->c, P);
    if (rc == 0) {
        s->collective = logp_collective_find(s->own.algorithm->collective);
        if (delayed)
            record->prediction =
                logp_algorithm_predict_by(s->own.algorithm, P, &s->own.args, &network, s->own.by);
        record->has_measured = wall;
        record->has_emulated = !wall || delayed;
        record->has_lag = wall && delayed;
        rc = lpi_resolve(s->own.algorithm, P, &s->c);
        if (rc == 0)
            rc = run(machine, s);
    }
    if (rc != -ETIMEDOUT || !logp_machine_busy(machine)) /* else a vp may come back and use it */
        free_state(s);
    return rc;
}
