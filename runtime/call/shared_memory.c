/* SPDX-License-Identifier: MIT */
/* Memory of a group, and waiting for a word of it: see logp/vp.h. */
#include "carrier/carrier.h"
#include "core/core.h"
#include "mail/mail.h"
#include "call/call.h"

#include <logp/vp.h>

#include <errno.h>

enum { LOOKS = 256 /* polls: as long as a word takes to come from another core */ };

bool logp_shared_possible(const struct logp_vp *vp)
{
    const struct logp_machine *m = vp->proc->core->machine;

    return m->shares_memory && !lpi_emulates(m);
}

int logp_shared(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory)
{
    const struct lpi_attached *beside = lpi_attached_of(vp->proc);
    const int stopped = lpi_stopped(vp->proc);

    if (!logp_shared_possible(vp))
        return lpi_failed(vp, "logp_shared", -ENOTSUP);
    if (stopped != 0)
        return stopped;
    vp = vp->collective; /* the view that represents the group */
    for (const struct lpi_joined *j = beside != NULL ? beside->joined : NULL; j != NULL;
         j = j->next)
        if (j->vp == vp && j->key == key) {
            *memory = j->memory;
            return 0;
        }
    return noted(vp, "logp_shared", lpi_area_join(vp, key, n_bytes, memory));
}

/* Wait for the word as a request, so that p's operations proceed meanwhile. */
static __attribute__((noinline)) int wait_beside(struct logp_vp *vp, const uint64_t *word,
                                                 uint64_t value)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r = lpi_event_new(p);
    int rc = r != NULL ? lpi_word_wait_begin(p, word, value, r) : -ENOMEM;

    if (rc == 0) {
        rc = lpi_event_await(vp, r);
        lpi_word_wait_end(p, rc == 0);
    }
    if (r != NULL)
        lpi_request_free(p->core, r);
    return rc;
}

/* Poll the word for a while, if no other vp of the core is ready. Vps that also wait for words may
 * be ready by now: then poll only if a hand-over is slow and the word comes from another core. */
static bool comes_soon(const struct lpi_core *c, const uint64_t *word, uint64_t value,
                       bool other_core)
{
    const struct lpi_run_queue *t = &c->run_queue;
    const int looks = t->word_wait_first == NULL ? LOOKS
                      : other_core               ? c->machine->executor->looks
                                                 : 0;

    if (t->ready_first != NULL || t->timers.n > 0)
        return false;
    for (int i = 0; i < looks; i++)
        if (logp_shared_get(word) >= value)
            return true;
    return false;
}

/* Several threads wait for p, which has one place to wait for a word: they poll. @return 1: the word is reached; 0: no other
 * thread may call; or the error that stops the run */
static int wait_with_threads(struct lpi_proc *p, const uint64_t *word, uint64_t value)
{
    int rc = lpi_pause_for_threads(p);

    while (rc > 0 && logp_shared_get(word) < value) {
        rc = lpi_progress(p);
        if (rc == 0)
            rc = lpi_pause_for_threads(p);
    }
    return rc;
}

static int wait(struct logp_vp *vp, const uint64_t *word, uint64_t value, int by)
{
    struct lpi_proc *p = vp->proc;
    int rc = wait_with_threads(p, word, value);

    if (rc != 0)
        return rc > 0 ? 0 : rc;
    if (lpi_has_background(p) || p->inbox.n_any > 0)
        return wait_beside(vp, word, value);
    if (comes_soon(p->core, word, value,
                   by >= 0 && by < vp->size && !lpi_is_here(p->core, to_global(vp, by))))
        return 0;
    rc = lpi_word_wait_begin(p, word, value, NULL);
    if (rc == 0) {
        rc = lpi_wait_message(p, INT64_MAX);
        lpi_word_wait_end(p, rc == 0);
    }
    return rc;
}

/* A vp that shares memory has no clock of its own: its next call reads the wall clock. */
int logp_shared_wait(struct logp_vp *vp, const uint64_t *word, uint64_t value, int by)
{
    struct lpi_proc *p = vp->proc;
    struct logp_machine *m = p->core->machine;
    int64_t begun;
    int rc;

    if (logp_shared_get(word) >= value) {
        lpi_word_wait_note(p, NULL, 0);
        return 0;
    }
    rc = lpi_stopped(p);
    p->in_vain = 0;
    p->emulated = LOGP_NEVER;
    if (rc != 0)
        return rc;
    begun = m->record->now(m);
    rc = wait(vp, word, value, by);
    m->record->undelayed_wait(p, begun);
    return rc;
}

void logp_shared_wake(const uint64_t *word)
{
    const struct lpi_core *here = lpi_this_core;

    /* pairs with lpi_process_fence() in sleep_idle(): the word comes before the load */
    atomic_signal_fence(memory_order_seq_cst);
    /* relaxed: as above */
    if (here != NULL && atomic_load_explicit(&here->machine->watchers, memory_order_relaxed) != 0)
        lpi_word_wait_given(here->machine, word);
}

bool logp_shared_test(struct logp_vp *vp, const uint64_t *word, uint64_t value)
{
    const bool is_reached = logp_shared_get(word) >= value;

    lpi_word_wait_note(vp->proc, is_reached ? NULL : word, value);
    return is_reached;
}
