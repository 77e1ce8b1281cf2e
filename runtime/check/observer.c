/* SPDX-License-Identifier: MIT */
/*
 * Answers and records during a run, on the threads of its vps. A vp that does not return in time
 * may continue at any later time. All data that it may touch belongs to the observer, which is
 * detached with it (lpi_observer_detach()), whatever happens to the job.
 */
#include "kit.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

/* ---- answers ---- */

bool lpi_answers_copy(struct lpi_answers *to, const struct lpi_answers *from)
{
    if (!LPI_GROW(to->index, to->capacity, from->n))
        return false;
    if (from->n > 0)
        memcpy(to->index, from->index, (size_t)from->n * sizeof(*to->index));
    to->n = from->n;
    to->all_faults = from->all_faults;
    to->by_what = false;
    if (from->what == NULL || !LPI_GROW(to->what, to->what_capacity, from->n)) {
        free(to->what);
        to->what = NULL;
        to->what_capacity = 0;
    } else if (from->n > 0) {
        memcpy(to->what, from->what, (size_t)from->n * sizeof(*to->what));
    }
    return true;
}

void lpi_answers_free(struct lpi_answers *a)
{
    free(a->index);
    free(a->what);
    *a = (struct lpi_answers){0};
}

int lpi_answers_deviations(const struct lpi_answers *a)
{
    int n = 0;

    for (int i = 0; i < a->n; i++)
        n += a->index[i] != 0;
    return n;
}

/* relaxed: only the holder of the core adds answers, and the core's hand-over orders them */
int lpi_observer_count(const struct lpi_observer *e)
{
    return atomic_load_explicit(&e->n_taken, memory_order_relaxed);
}

static bool append(struct lpi_observer *e, int answer, const struct lpi_point *point, uint64_t what)
{
    const int n = lpi_observer_count(e);

    if (n == e->capacity || (e->names && n >= e->what_capacity)) {
        bool grown;

        pthread_mutex_lock(&e->lock);
        grown = LPI_GROW(e->taken, e->capacity, n + 1) &&
                LPI_GROW(e->points, e->points_capacity, e->capacity) &&
                (!e->names || LPI_GROW(e->what, e->what_capacity, n + 1));
        pthread_mutex_unlock(&e->lock);
        if (!grown)
            return false;
    }
    e->taken[n] = answer;
    e->points[n] = *point;
    if (e->names)
        e->what[n] = what;
    if (e->names && n < e->given.n && e->given.what != NULL)
        e->differs = e->differs || ((what ^ e->given.what[n]) & LPI_CHOSEN) != 0;
    /* release pairs with the acquire in lpi_observer_taken() */
    atomic_store_explicit(&e->n_taken, n + 1, memory_order_release);
    return true;
}

/* The description of a choice of n alternatives, of which this one is taken. */
static struct lpi_point point_of(const struct logp_alternative *taken, int n)
{
    return (struct lpi_point){
        .kind = (int16_t)taken->kind,
        .n = (int16_t)n,
        .rank = taken->rank,
        .source = taken->source,
        .tag = taken->kind == LOGP_PICK || taken->kind == LOGP_MISS ? taken->index : taken->tag,
        .polls = taken->kind == LOGP_FAULT && taken->tag != LOGP_FAULT_NONE ? taken->polls : 0};
}

static bool append_choice(struct lpi_observer *e, int answer, const struct logp_alternative *a,
                          int n, uint64_t what)
{
    const struct lpi_point point = point_of(&a[answer], n);

    return append(e, answer, &point, what);
}

/* ---- questions of the explorer and the faults ---- */

/* The answer of the recorded run; after its end, the usual one (0). */
static int given(const struct lpi_observer *e, int n)
{
    const int number = lpi_observer_count(e);
    const int answer = number < e->given.n ? e->given.index[number] : 0;

    return answer < n ? answer : LPI_STALE;
}

/* Whether this is one of the answers that are not the usual ones. Then it is removed, so that it is
 * given once. */
static bool recurs(struct lpi_observer *e, uint64_t what)
{
    for (int i = 0; i < e->given.n; i++)
        if (e->given.index[i] != 0 && e->given.what[i] == what) {
            e->given.index[i] = 0;
            return true;
        }
    return false;
}

static int given_by_what(struct lpi_observer *e, const struct logp_alternative *a, int n)
{
    for (int i = 1; i < n; i++)
        if (recurs(e, lpi_identity(&e->identities, a, i)))
            return i;
    return 0;
}

int lpi_observer_ended(const struct lpi_observer *e)
{
    /* relaxed: no other data depends on it */
    return atomic_load_explicit(&e->ended, memory_order_relaxed);
}

bool lpi_observer_was_same(const struct lpi_observer *e)
{
    return !e->differs && lpi_observer_count(e) >= e->given.n;
}

static void end(struct lpi_observer *e, int why)
{
    atomic_store_explicit(&e->ended, why, memory_order_relaxed); /* as in lpi_observer_ended() */
}

/* The run differs from the one before, whose answers the strategy has given again. */
static void note_stale(struct lpi_observer *e, const struct logp_alternative *a, int n)
{
    struct lpi_twice *w = &e->job->twice;
    struct logp_alternative before;
    int answer;

    if (e->ops == NULL || e->ops->expected == NULL)
        return;
    w->first.n = (int16_t)e->ops->expected(e->strategy, &before, &answer);
    w->first = point_of(&before, w->first.n);
    w->has_first = true;
    w->has_second = answer < n;
    if (w->has_second)
        w->second = point_of(&a[answer], n);
    w->at = lpi_observer_count(e);
    w->differs = true;
}

/* The answer of the strategy, or, at the beginning of a run that is led to a label, of an earlier run. */
static int choose(struct lpi_observer *e, const struct logp_alternative *a, int n)
{
    const struct lpi_way *way = &e->job->labels.way;
    const int number = lpi_observer_count(e);

    if (n > 1 && number < way->n && way->answers[number] < n)
        return way->answers[number];
    return e->ops->choose(e->strategy, a, n);
}

int lpi_observer_choose(void *arg, const struct logp_alternative *a, int n)
{
    struct lpi_observer *e = arg;
    uint64_t what = 0;
    int answer = 0;

    if (lpi_observer_ended(e) != 0)
        return 0;
    if (e->ops != NULL)
        answer = choose(e, a, n);
    else if (n > 1)
        answer = e->given.by_what ? given_by_what(e, a, n) : given(e, n);
    if (e->names && answer >= 0) {
        what = lpi_identity(&e->identities, a, answer);
        if (!lpi_identities_take(&e->identities, &a[answer]))
            answer = LPI_NO_MEMORY;
    }
    if (answer >= 0 && n > 1 && e->story != NULL &&
        !lpi_story_choice(e->story, lpi_observer_count(e), a, answer, e->named))
        answer = LPI_NO_MEMORY;
    if (answer >= 0 && n > 1 && !append_choice(e, answer, a, n, what))
        answer = LPI_NO_MEMORY;
    if (answer >= 0) {
        if (a[answer].kind == LOGP_OVERTAKE && e->ops != NULL) /* its label may be the same */
            lpi_views_add(&e->views, a[answer].rank, (uint64_t)lpi_kit_passed(&a[answer]));
        return answer;
    }
    if (answer == LPI_STALE)
        note_stale(e, a, n);
    end(e, answer);
    logp_machine_stop(e->machine, -ECANCELED);
    return 0;
}

bool lpi_observer_takes_place(void *arg, const struct logp_fault_event *event)
{
    struct lpi_observer *e = arg;
    const struct lpi_point point = {
        .kind = -1, .rank = event->src, .source = event->dst, .tag = (int)event->number};
    const uint64_t what = e->names ? lpi_identity_of_event(event) : 0;
    int answer = 1;

    if (lpi_observer_ended(e) != 0)
        return false;
    if (e->ops == NULL && !e->given.all_faults)
        answer = e->given.by_what ? recurs(e, what) : given(e, 2);
    if ((answer == 1 && e->story != NULL &&
         !lpi_story_fault(e->story, lpi_observer_count(e), event)) ||
        (answer >= 0 && !append(e, answer, &point, what)))
        answer = LPI_NO_MEMORY;
    if (answer < 0)
        end(e, answer);
    return answer == 1;
}

void lpi_observer_view(void *arg, const struct logp_note *n)
{
    struct lpi_observer *e = arg;

    if (e->ops == NULL)
        return;
    lpi_views_note(&e->views, n);
    if (e->ops->note != NULL)
        e->ops->note(e->strategy, n);
}

void lpi_observer_note(void *arg, const struct logp_note *n)
{
    struct lpi_observer *e = arg;

    lpi_observer_view(e, n);
    if (e->story != NULL && n->kind != LOGP_NOTE_ASKED && n->kind != LOGP_NOTE_ANSWERED)
        lpi_story_note(e->story, n, e->named);
    if (e->check_event == NULL || e->event != 0 || lpi_observer_ended(e) != 0)
        return;
    e->event = e->check_event(n, e->check_arg);
    if (e->event != 0)
        logp_machine_stop(e->machine, -ECANCELED);
}

void lpi_observer_payload(void *arg, int rank, int tag, const void *data, size_t n_bytes)
{
    struct lpi_observer *e = arg;
    char text[160] = "", shown[4 * sizeof(text)];

    if (e->story == NULL || e->detached)
        return;
    e->job->check.describe(e->check_arg, tag, data, n_bytes, text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    lpi_kit_show(shown, sizeof(shown), text);
    lpi_story_payload(e->story, rank, shown);
}

void lpi_observer_leave_frames(void *arg, int rank)
{
    struct lpi_observer *e = arg;

    if (e->frames != NULL && e->frames[rank] != NULL)
        longjmp(e->frames[rank], 1);
}

void lpi_observer_remark(struct lpi_observer *e, char *lines)
{
    free(e->remark);
    e->remark = lines;
}

/* A choice is asked for at once, so no other one has this name. */
int logp_choose_named(struct logp_vp *vp, int n, const char *what, const char *const *names)
{
    struct lpi_observer *e = lpi_signals_running();
    int i;

    if (e == NULL || n < 2)
        return logp_choose(vp, n);
    e->named = (struct lpi_named){what, names};
    i = logp_choose(vp, n);
    e->named = (struct lpi_named){NULL, NULL};
    return i;
}

/* ---- between runs ---- */

struct lpi_observer *lpi_observer_new(struct lpi_job *job)
{
    struct lpi_observer *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return NULL;
    e->job = job;
    e->check_event = job->check.event;
    e->check_arg = job->arg;
    e->program = job->program;
    pthread_mutex_init(&e->lock, NULL);
    return e;
}

void lpi_observer_free(struct lpi_observer *e)
{
    if (e == NULL)
        return;
    pthread_mutex_destroy(&e->lock);
    lpi_answers_free(&e->given);
    free(e->views.of);
    free(e->taken);
    free(e->points);
    free(e->what);
    free(e->identities.seen);
    free(e->remark);
    free(e->frames);
    free(e);
}

void lpi_observer_begin(struct lpi_observer *e)
{
    /* relaxed: no vp runs */
    atomic_store_explicit(&e->n_taken, 0, memory_order_relaxed);
    end(e, 0);
    e->event = 0;
    e->named = (struct lpi_named){NULL, NULL};
    lpi_observer_remark(e, NULL);
    e->differs = false;
    lpi_identities_begin(&e->identities);
    if (e->ops != NULL)
        lpi_views_reset(&e->views);
}

bool lpi_observer_taken(struct lpi_observer *e, struct lpi_answers *to)
{
    struct lpi_answers taken = {0};
    bool copied;

    pthread_mutex_lock(&e->lock);
    taken.index = e->taken;
    taken.what = e->names ? e->what : NULL;
    /* acquire pairs with the release in append() */
    taken.n = atomic_load_explicit(&e->n_taken, memory_order_acquire);
    copied = lpi_answers_copy(to, &taken);
    pthread_mutex_unlock(&e->lock);
    return copied;
}

bool lpi_observer_enter(struct lpi_observer *e)
{
    pthread_mutex_lock(&e->lock);
    if (!e->detached)
        return true;
    pthread_mutex_unlock(&e->lock);
    return false;
}

void lpi_observer_leave(struct lpi_observer *e)
{
    pthread_mutex_unlock(&e->lock);
}

void lpi_observer_detach(struct lpi_observer *e)
{
    pthread_mutex_lock(&e->lock);
    e->detached = true;
    pthread_mutex_unlock(&e->lock);
}
