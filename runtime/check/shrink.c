/* SPDX-License-Identifier: MIT */
/*
 * Find the same failure with less: fewer processors, fewer faults, fewer drawn latencies, buffered
 * sends, and as few answers as possible that are not the usual ones. A fault event is such an
 * answer.
 *
 * The last step is delta debugging (Zeller & Hildebrandt, IEEE TSE 28(2), 2002) of the deviations:
 * parts of them are reset to the usual answer, halves first, single ones last. A reset is kept if
 * the run still fails in the same way. A reset also changes the later choices of the run. So the
 * other deviations are put where the same choice recurs (identity.c), or, if it does not fail then,
 * at their numbers; and each step starts from the answers that the last failing run has really
 * given.
 *
 * Many choices only select the vp that runs next, although vps that exchange no message meanwhile
 * may run in any order. So the smaller run is repeated in another order, with choices as late as
 * possible (guide.c), and made smaller from there. The ranks of many programs have the same role, and the
 * usual order prefers some of them: so ranks change places, too: in all ways if P <= 4, else in some.
 */
#include "kit.h"

#include <string.h>

enum {
    MOST_TRIES = 2000,
    MOST_LIVELOCKS = 100, /* tries of a failure that takes most_steps events */
    RUNS_OF_SMALLER = 1000,
    MOST_NOTES = 16384, /* events of a run that is made in another order */
    MOST_ORDERS = 4,
    MOST_EXCHANGES = 23, /* of the places of ranks; 4! - 1 */
    MOST_BY_WHAT = 4096, /* choices of a run: a try takes their number squared */
    STEPS = 64           /* events for a choice of the failure, which a try may take */
};

struct shrinking {
    struct lpi_job *job;
    struct lpi_plan plan; /* of the smallest failure so far */
    struct lpi_answers best, trial;
    struct lpi_drawn drawn, trial_drawn; /* of the best, if plan.drawn; of the next try */
    struct lpi_outcome outcome;
    int tries, most_tries;
};

/* Whether the run still fails, under this plan and with the answers of `trial`. Then it is the
 * best. */
static bool still_fails(struct shrinking *s, const struct lpi_plan *plan)
{
    struct lpi_job *job = s->job;

    if (job->end_ns != 0 && lpi_kit_now() >= job->end_ns)
        s->tries = s->most_tries;
    if (++s->tries > s->most_tries || lpi_job_again(job, plan, &s->trial, NULL) != 0 ||
        !lpi_same_outcome(&job->outcome, &s->outcome) || !lpi_answers_copy(&s->best, &job->taken))
        return false;
    s->plan = *plan;
    return true;
}

/* Search for the same failure under the job's plan with P processors. If there is one, it is the
 * best. */
static bool is_found(struct shrinking *s, int P)
{
    struct lpi_job *job = s->job;
    const uint64_t most = job->most;
    bool same;

    job->most = most < RUNS_OF_SMALLER ? most : RUNS_OF_SMALLER;
    same = lpi_search(job, P) == 0 && lpi_same_outcome(&job->outcome, &s->outcome) &&
           lpi_answers_copy(&s->best, &job->taken);
    job->most = most;
    if (same) {
        s->plan = job->plan;
        s->outcome = job->outcome;
    }
    return same;
}

/* Fewer processors: a new search for each number. */
static void fewer_processors(struct shrinking *s)
{
    const struct lpi_job *job = s->job;
    int least = s->plan.P;

    for (int i = 0; i < job->check.n_sizes; i++)
        if (job->check.sizes[i] < least)
            least = job->check.sizes[i];
    if (job->check.smallest > 0 && job->check.smallest < least)
        least = job->check.smallest;
    for (int P = least; P < s->plan.P; P++)
        is_found(s, P);
}

/* The text without item i; the job owns it. NULL: there is no item i, or no memory */
static const char *without(struct lpi_job *job, const char *text, int i)
{
    char **texts = realloc(job->texts, (size_t)(job->n_texts + 1) * sizeof(*texts));
    const char *from = text, *to;
    size_t n;
    char *out;

    if (texts == NULL)
        return NULL;
    job->texts = texts;
    for (; i > 0 && from[strcspn(from, ",;")] != '\0'; i--)
        from += strcspn(from, ",;") + 1;
    to = from + strcspn(from, ",;");
    if (i > 0 || *from == '\0')
        return NULL;
    out = strdup(text);
    if (out == NULL)
        return NULL;
    n = (size_t)(from - text);
    if (*to != '\0')
        strcpy(out + n, to + 1);
    else
        out[n > 0 ? n - 1 : 0] = '\0';
    texts[job->n_texts++] = out;
    return out;
}

/* Fewer faults, or less noise: a new search without each item. */
static void fewer_faults(struct shrinking *s, bool noise)
{
    struct lpi_job *job = s->job;

    for (int i = 0;;) {
        const char *text = noise ? s->plan.network.noise : s->plan.network.faults;
        const char *less = text != NULL ? without(job, text, i) : NULL;

        if (less == NULL)
            break;
        lpi_job_forget(job);
        job->plan = s->plan;
        *(noise ? &job->plan.network.noise : &job->plan.network.faults) = less;
        i += !is_found(s, s->plan.P);
    }
    lpi_job_forget(job);
}

/* Set trial to best with n deviations from number `from` on reset. @return number of resets */
static int put_back(struct shrinking *s, int from, int n)
{
    int seen = 0, back = 0;

    if (!lpi_answers_copy(&s->trial, &s->best))
        return 0;
    for (int i = 0; i < s->trial.n; i++)
        if (s->trial.index[i] != 0 && seen++ >= from && back < n) {
            s->trial.index[i] = 0;
            back++;
        }
    return back;
}

/* Whether the run still fails with the answers of `trial`. The remaining deviations are given where
 * they recur, or else at their numbers. */
static bool fails_without(struct shrinking *s, int from, int n)
{
    s->trial.by_what = s->trial.n <= MOST_BY_WHAT;
    return still_fails(s, &s->plan) || (put_back(s, from, n) > 0 && still_fails(s, &s->plan));
}

/* Each reset may make others possible: repeat while there are fewer. */
static void fewer_deviations(struct shrinking *s)
{
    int before, n = lpi_answers_deviations(&s->best);

    do {
        int part = before = n;

        while (part > 0 && s->tries < s->most_tries) {
            int from = 0;

            while (put_back(s, from, part) > 0)
                if (!fails_without(s, from, part))
                    from += part;
            n = lpi_answers_deviations(&s->best);
            part = part > n && n > 0 ? n : part / 2;
        }
    } while (n < before && s->tries < s->most_tries);
}

/* Whether the run still fails if only these messages have their drawn latencies. */
static bool fails_with_drawn(struct shrinking *s, const struct lpi_answers *answers)
{
    struct lpi_plan plan = s->plan;

    plan.drawn = &s->trial_drawn;
    for (int by_what = 1; by_what >= 0; by_what--) {
        if (!lpi_answers_copy(&s->trial, answers))
            return false;
        s->trial.by_what = by_what != 0 && answers->what != NULL && answers->n <= MOST_BY_WHAT;
        if (still_fails(s, &plan) && lpi_drawn_copy(&s->drawn, &s->trial_drawn)) {
            s->plan.drawn = &s->drawn;
            return true;
        }
    }
    return false;
}

/* The messages of the best run whose latencies are drawn. @return false: they are not known */
static bool list_drawn(struct shrinking *s)
{
    struct lpi_job *job = s->job;
    struct lpi_story *story = lpi_story_new(s->plan.P);
    bool known = story != NULL && lpi_job_again(job, &s->plan, &s->best, story) == 0 &&
                 lpi_same_outcome(&job->outcome, &s->outcome);

    s->drawn.n = 0;
    for (int i = 0; known && i < story->n_drawn; i++) {
        known = LPI_GROW(s->drawn.items, s->drawn.capacity, s->drawn.n + 1);
        if (known)
            s->drawn.items[s->drawn.n++] =
                (struct lpi_drawn_message){story->drawn[i].src, story->drawn[i].number};
    }
    job->story = NULL;
    if (!job->left_behind)
        lpi_story_free(story);
    return known && s->drawn.n > 0;
}

/* Set trial_drawn to drawn without n messages from number `from` on. @return number left out */
static int leave_out(struct shrinking *s, int from, int n)
{
    const int most = s->drawn.n - from;

    n = n < most ? n : most;
    if (n <= 0 || !lpi_drawn_copy(&s->trial_drawn, &s->drawn))
        return 0;
    memmove(&s->trial_drawn.items[from], &s->trial_drawn.items[from + n],
            (size_t)(most - n) * sizeof(s->drawn.items[0]));
    s->trial_drawn.n -= n;
    return n;
}

/* Fewer drawn latencies: as for deviations. */
static void fewer_latencies(struct shrinking *s)
{
    int before;

    if (s->plan.untimed || s->plan.latency.kind == LOGP_LATENCY_AS_IS || !list_drawn(s))
        return;
    do {
        before = s->drawn.n;
        for (int part = before; part > 0 && s->tries < s->most_tries; part /= 2) {
            int from = 0;

            while (leave_out(s, from, part) > 0)
                if (!fails_with_drawn(s, &s->best))
                    from += part;
        }
    } while (s->drawn.n < before && s->tries < s->most_tries);
}

/* Answers nearer to the usual one, by bisection: smaller numbers that the program chooses. */
static void smaller_answers(struct shrinking *s)
{
    for (int i = 0; i < s->best.n; i++) {
        int passes = 0;

        while (i < s->best.n && s->best.index[i] - passes > 1 && s->tries < s->most_tries) {
            const int middle = passes + (s->best.index[i] - passes) / 2;

            if (!lpi_answers_copy(&s->trial, &s->best))
                return;
            s->trial.index[i] = middle;
            if (!still_fails(s, &s->plan) || i >= s->best.n || s->best.index[i] > middle)
                passes = middle;
        }
    }
}

/* A try that takes much longer than the failure does not fail in the same way. */
static void limit_steps(struct shrinking *s)
{
    const uint64_t most = STEPS * ((uint64_t)s->best.n + 1000);

    s->most_tries = MOST_TRIES;
    if (s->outcome.kind == LOGP_FAILURE_LIVELOCK)
        s->most_tries = MOST_LIVELOCKS;
    else if (s->plan.most_steps > most)
        s->plan.most_steps = most;
}

/* Try the usual order with every fault event in it. Otherwise a reset would shift the answers of
 * the later fault events to other messages. */
static void usual_order(struct shrinking *s)
{
    s->trial.n = 0;
    s->trial.all_faults = true;
    still_fails(s, &s->plan);
    s->trial.all_faults = false;
}

/* Buffer all sends if the run still fails then. @return true: it fails only without buffers */
static bool needs_synchronous(struct shrinking *s)
{
    struct lpi_plan plan = s->plan;

    if (plan.network.rendezvous_from == 0)
        return false;
    plan.network.rendezvous_from = 0;
    return !lpi_answers_copy(&s->trial, &s->best) || !still_fails(s, &plan);
}

/* The best run once more, with all its notes. @return false: they are not known */
static bool is_told(struct shrinking *s, struct lpi_story *story)
{
    struct lpi_job *job = s->job;
    bool same;

    story->keeps_notes = true;
    same = lpi_job_again(job, &s->plan, &s->best, story) == 0 &&
           lpi_same_outcome(&job->outcome, &s->outcome) && job->observer != NULL;
    job->story = NULL;
    return same && story->keeps_notes && story->n_notes > 0 && story->n_notes <= MOST_NOTES;
}

/* The k-th permutation, by Fisher & Yates: the 0-th changes nothing, and the first P! are all
 * different. */
static void permute(int *to, int P, uint64_t k)
{
    for (int i = 0; i < P; i++) {
        const int j = i - (int)(k % (uint64_t)(i + 1));

        k /= (uint64_t)(i + 1);
        to[i] = i;
        to[i] = to[j];
        to[j] = i;
    }
}

/* Ranks change places. @return false: no memory */
static bool exchange(struct lpi_story *story, struct lpi_point *points, int n, uint64_t k)
{
    int *to = malloc((size_t)story->P * sizeof(*to));

    if (to == NULL)
        return false;
    permute(to, story->P, k);
    for (int i = 0; i < story->n_notes; i++) {
        struct logp_note *note = &story->notes[i];

        note->rank = to[note->rank];
        note->peer = note->peer >= 0 && note->peer < story->P ? to[note->peer] : note->peer;
    }
    for (int i = 0; i < n; i++)
        points[i].rank = to[points[i].rank];
    free(to);
    return true;
}

/* Make the best run in another order, with the k-th exchange of places: see guide.c. @return
 * whether it fails in the same way. Then it is the best */
static bool is_guided(struct shrinking *s, uint64_t k)
{
    struct lpi_job *job = s->job;
    struct lpi_story *story = lpi_story_new(s->plan.P);
    struct lpi_point *points = NULL;
    struct lpi_guide *guide = NULL;
    struct lpi_plan plan = s->plan;
    int n = 0, capacity = 0;
    bool same = false;

    plan.late = true;
    plan.order = false;
    if (story != NULL && is_told(s, story) &&
        LPI_GROW(points, capacity, n = lpi_observer_count(job->observer))) {
        if (n > 0)
            memcpy(points, job->observer->points, (size_t)n * sizeof(*points));
        if (exchange(story, points, n, k))
            guide = lpi_guide_new(plan.P, story, points, n);
        same = guide != NULL && lpi_job_guided(job, &plan, guide) == 0 &&
               lpi_same_outcome(&job->outcome, &s->outcome) &&
               lpi_answers_copy(&s->trial, &job->taken) && still_fails(s, &plan);
    }
    if (job->left_behind) /* with the run that has not ended */
        return false;
    lpi_guide_free(guide);
    lpi_story_free(story);
    free(points);
    return same;
}

/* The same, and smaller from there. @return whether it has fewer deviations. If not, the best is as
 * before */
static bool is_better_guided(struct shrinking *s, uint64_t k)
{
    const struct lpi_plan plan = s->plan;
    const int n = lpi_answers_deviations(&s->best);
    struct lpi_answers before = {0};
    bool better;

    if (!lpi_answers_copy(&before, &s->best))
        return false;
    if (is_guided(s, k))
        fewer_deviations(s);
    better = lpi_answers_deviations(&s->best) < n;
    if (!better && lpi_answers_copy(&s->best, &before))
        s->plan = plan;
    lpi_answers_free(&before);
    return better;
}

static uint64_t factorial(int n)
{
    uint64_t f = 1;

    while (n > 1)
        f *= (uint64_t)n--;
    return f;
}

/* @return whether a change of places has made it smaller */
static bool is_better_exchanged(struct shrinking *s)
{
    const bool all = s->plan.P <= 4;
    const uint64_t end = all ? factorial(s->plan.P) : MOST_EXCHANGES + 1;
    bool better = false;

    s->tries = 0;
    for (uint64_t k = 1;
         k < end && s->tries < s->most_tries && lpi_answers_deviations(&s->best) > 1; k++)
        better = is_better_guided(s, all ? k : lpi_kit_mix(k)) || better;
    return better;
}

/* @return whether another order of the same steps has made it smaller */
static bool is_better_reordered(struct shrinking *s)
{
    s->tries = 0;
    return is_better_guided(s, 0);
}

static void other_orders(struct shrinking *s)
{
    const struct logp_check *c = &s->job->check;
    int left = MOST_ORDERS;

    if (!s->plan.untimed || c->fixed_order || c->fixed_matches ||
        s->outcome.kind == LOGP_FAILURE_LIVELOCK || s->job->isolated != NULL) /* no story */
        return;
    do {
        while (left-- > 0 && is_better_reordered(s))
            ;
    } while (is_better_exchanged(s) && left > 0);
}

void lpi_shrink(struct lpi_job *job)
{
    struct shrinking s = {.job = job, .plan = job->plan, .outcome = job->outcome};
    const uint64_t most_steps = job->plan.most_steps;

    if (lpi_answers_copy(&s.best, &job->taken)) {
        if (!job->check.as_found) {
            limit_steps(&s);
            fewer_processors(&s);
            if (s.plan.network.faults != NULL || s.plan.network.noise != NULL) {
                fewer_faults(&s, false);
                fewer_faults(&s, true);
            }
            s.plan.relies = needs_synchronous(&s);
            if (s.plan.network.faults != NULL)
                usual_order(&s);
            if (lpi_answers_copy(&s.trial, &s.best)) /* what the answers are */
                still_fails(&s, &s.plan);
            fewer_latencies(&s);
            fewer_deviations(&s);
            if (job->worth == 0 || lpi_answers_deviations(&s.best) <= job->worth)
                other_orders(&s);
            smaller_answers(&s);
        }
        job->plan = s.plan;
        job->plan.most_steps = most_steps;
        job->outcome = s.outcome;
        lpi_answers_copy(&job->taken, &s.best);
        if (s.plan.drawn != NULL && lpi_drawn_copy(&job->drawn, &s.drawn))
            job->plan.drawn = &job->drawn;
    }
    if (!job->left_behind) {
        lpi_drawn_free(&s.drawn);
        lpi_drawn_free(&s.trial_drawn);
    }
    lpi_answers_free(&s.best);
    lpi_answers_free(&s.trial);
}
