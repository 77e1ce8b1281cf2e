/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a word of memory that another vp sets without any notice. The holder of a core polls
 * all words that its vps wait for when none of them is ready, and now and then.
 *
 * Each vp's wait is noted where every core sees it. So the deadlock scan, for which all cores are
 * idle, finds a word that has reached its value and that the waiting core has yet to notice. A core
 * that notices one turns busy before it removes the note.
 */
#include "core/core.h"

#include "state/run_queue.h"
#include "state/stop.h"

#include <logp/vp.h>

#include <errno.h>

/* acquire pairs with the release in note(): the value is that of the word, or a later one */
static bool is_reached(const struct lpi_word_wait *w)
{
    const uint64_t *const word = atomic_load_explicit(&w->word, memory_order_acquire);

    return word != NULL &&
           logp_shared_get(word) >= atomic_load_explicit(&w->value, memory_order_relaxed);
}

/* release pairs with the acquire in is_reached() */
static void note(struct lpi_word_wait *w, const uint64_t *word, uint64_t value)
{
    atomic_store_explicit(&w->value, value, memory_order_relaxed);
    atomic_store_explicit(&w->word, word, memory_order_release);
}

static void append(struct lpi_run_queue *t, struct lpi_word_wait *w)
{
    w->next = NULL;
    if (t->word_wait_first == NULL)
        t->word_wait_first = w;
    else
        t->word_wait_last->next = w;
    t->word_wait_last = w;
}

/* Remove w from the list, where it follows `before` (NULL: w is the first). */
static void take_out(struct lpi_run_queue *t, struct lpi_word_wait *before, struct lpi_word_wait *w)
{
    if (before == NULL)
        t->word_wait_first = w->next;
    else
        before->next = w->next;
    if (t->word_wait_last == w)
        t->word_wait_last = before;
}

/* The run is stopping, and w may still be in the list. */
static void abandon(struct lpi_run_queue *t, struct lpi_word_wait *w)
{
    struct lpi_word_wait *before = NULL, *x = t->word_wait_first;

    while (x != NULL && x != w) {
        before = x;
        x = x->next;
    }
    if (x != NULL)
        take_out(t, before, w);
}

/* A vp that serves other requests meanwhile may be running, or wait for something else. */
static void notify(const struct lpi_word_wait *w)
{
    if (w->event != NULL)
        w->event->answered = LOGP_NEVER;
    if (w->event == NULL || w->proc->waits_for_any)
        lpi_make_ready(w->proc);
}

void lpi_word_wait_poll(struct lpi_core *c)
{
    struct lpi_word_wait *before = NULL, *next;

    for (struct lpi_word_wait *w = c->run_queue.word_wait_first; w != NULL; w = next) {
        next = w->next;
        if (is_reached(w)) {
            take_out(&c->run_queue, before, w);
            lpi_busy(c); /* before the scan can miss it */
            note(w, NULL, 0);
            notify(w);
        } else {
            before = w;
        }
    }
}

int lpi_word_wait_begin(struct lpi_proc *p, const uint64_t *word, uint64_t value,
                        struct logp_request *event)
{
    struct lpi_attached *a = lpi_attached_to(p);

    if (a == NULL)
        return -ENOMEM;
    a->watch.proc = p;
    a->watch.event = event;
    note(&a->watch, word, value);
    append(&p->core->run_queue, &a->watch);
    return 0;
}

void lpi_word_wait_end(struct lpi_proc *p, bool is_reached)
{
    struct lpi_word_wait *w = &lpi_attached_of(p)->watch;

    if (!is_reached)
        abandon(&p->core->run_queue, w);
    w->event = NULL;
    note(w, NULL, 0);
}

void lpi_word_wait_note(struct lpi_proc *p, const uint64_t *word, uint64_t value)
{
    struct lpi_attached *a = lpi_attached_of(p);

    if (a != NULL)
        note(&a->watch, word, value);
}

bool lpi_waits_for_word(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    /* relaxed: for a report; it does not change any more */
    return a != NULL && atomic_load_explicit(&a->watch.word, memory_order_relaxed) != NULL;
}

/* Whether a vp of c waits for the word. It may not be one of memory any more. */
static bool is_watched(const struct lpi_core *c, const uint64_t *word)
{
    for (int i = 0; i < c->n_procs; i++)
        /* relaxed: lpi_process_fence() of the sleeper makes it visible */
        if (atomic_load_explicit(&lpi_attached_of(lpi_proc_at(c, i))->watch.word,
                                 memory_order_relaxed) == word)
            return true;
    return false;
}

void lpi_word_wait_given(struct logp_machine *m, const uint64_t *word)
{
    if (lpi_attached_of(&m->procs[m->first_rank]) == NULL) /* no vp waits for a word */
        return;
    for (int i = 0; i < m->n_cores; i++)
        /* relaxed: as in lpi_give_work(), which orders it */
        if (atomic_load_explicit(&m->cores[i].window.wants_work, memory_order_relaxed) &&
            is_watched(&m->cores[i], word))
            lpi_give_work(&m->cores[i]);
}

/* Takes the lock, so that a vp cannot free the memory of its word meanwhile. */
bool lpi_word_wait_pending(struct logp_machine *m)
{
    bool pending = false;

    if (lpi_attached_of(&m->procs[m->first_rank]) == NULL)
        return false;
    pthread_mutex_lock(&m->lock);
    for (int i = m->first_rank; i < m->first_rank + m->n_local && !pending; i++)
        pending = is_reached(&lpi_attached_of(&m->procs[i])->watch);
    pthread_mutex_unlock(&m->lock);
    return pending;
}
