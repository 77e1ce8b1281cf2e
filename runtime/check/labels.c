/* SPDX-License-Identifier: MIT */
/*
 * Labels that the program reaches: in how many runs. A check whose labels are never reached checks
 * nothing. Runs that repeat a run do not count. Those of other processes of the check do: a process
 * numbers its labels as it comes to them, and writes their names to memory that it shares (kit.h).
 *
 * Half of the runs of an untimed random check begin with the choices of an earlier run up to a label that few
 * runs have reached, and continue randomly from there. So states after a rare one are tried more often.
 * If no label is rare, or none is reached, all runs are as they would be without labels. The search for a smaller
 * failure (smallest.c) leads runs along the failure in the same way.
 */
#include "kit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MORE = 16,       /* bytes of ", " and " and 64 more" */
    MOST_WAY = 4096, /* choices */
    RARE = 4,        /* fewer than one of so many runs have reached it */
};

/* Labels are the same if so many bytes are. */
static bool is_same(const char *a, const char *b)
{
    return strncmp(a, b, LPI_LABEL_TEXT - 1) == 0;
}

/* The label, which is added if it is new. NULL: there are too many, or no memory */
static struct lpi_label_count *find(struct lpi_reached *l, const char *name)
{
    for (int i = 0; i < l->n; i++)
        if (is_same(l->all[i].name, name))
            return &l->all[i];
    l->has_more = l->has_more || l->n == LPI_LABELS;
    if (l->n == LPI_LABELS || !LPI_GROW(l->all, l->capacity, l->n + 1))
        return NULL;
    l->all[l->n] = (struct lpi_label_count){.name = strndup(name, LPI_LABEL_TEXT - 1)};
    return l->all[l->n].name != NULL ? &l->all[l->n++] : NULL;
}

bool lpi_reached_begin(struct lpi_reached *l, const struct logp_check *check)
{
    for (int i = 0; i < check->n_labels; i++)
        find(l, check->labels[i]);
    for (int i = 0; i < check->n_must_reach; i++)
        find(l, check->must_reach[i]);
    return !l->has_more;
}

const char *lpi_reached_not(const struct lpi_reached *l, const char *const *labels, int n)
{
    for (int k = 0; k < n; k++) {
        bool is_reached = false;

        for (int i = 0; i < l->n; i++)
            is_reached |= l->all[i].is_reached && is_same(l->all[i].name, labels[k]);
        if (!is_reached)
            return labels[k];
    }
    return NULL;
}

void lpi_reached_begin_run(struct lpi_reached *l)
{
    for (int i = 0; i < l->n; i++)
        l->all[i].is_reached = false;
}

/* ---- the ways to labels ---- */

/* Whether runs may begin as earlier ones. The runs of several processes do not know each other, and
 * the bound of PCT is that of runs that are drawn. */
static bool is_used(const struct lpi_job *job)
{
    return job->check.strategy == LOGP_STRATEGY_RANDOM && lpi_may_be_late(&job->check) &&
           job->is_search && !job->progress.makes_smaller && job->sharing == NULL &&
           job->isolated == NULL;
}

/* Keep how the run that has ended came to the label, unless it was led there. */
static void keep(struct lpi_label_count *label, const struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;
    const int full = (int)(lpi_kit_mix(plan->seed) % LPI_WAYS);
    struct lpi_way *way = &label->ways[label->n_ways < LPI_WAYS ? label->n_ways : full];

    if (label->at > MOST_WAY || label->at <= job->labels.way.n ||
        !LPI_GROW(way->answers, way->capacity, label->at))
        return;
    memcpy(way->answers, job->observer->taken, (size_t)label->at * sizeof(*way->answers));
    way->n = label->at;
    way->late = plan->late;
    way->rendezvous_from = plan->network.rendezvous_from;
    label->n_ways += label->n_ways < LPI_WAYS;
}

/* Give the parent the names of labels that are new. */
static void give_names(const struct lpi_reached *l, struct lpi_isolated *to)
{
    for (; to->n_labels < l->n; to->n_labels++)
        snprintf(to->labels[to->n_labels], sizeof(to->labels[0]), "%s", l->all[to->n_labels].name);
    to->has_more_labels = l->has_more;
}

void lpi_reached_add(struct lpi_reached *l, const struct lpi_isolated *from, uint64_t labels)
{
    l->has_more = l->has_more || from->has_more_labels;
    for (int i = 0; i < from->n_labels && labels >> i != 0; i++) {
        struct lpi_label_count *found = (labels >> i & 1) != 0 ? find(l, from->labels[i]) : NULL;

        if (found != NULL)
            found->runs++;
    }
}

void lpi_reached_add_run(struct lpi_job *job)
{
    struct lpi_reached *l = &job->labels;
    const bool keeps = is_used(job);

    if (job->sharing != NULL)
        give_names(l, job->isolated);
    l->last = 0;
    for (int i = 0; i < l->n; i++)
        if (l->all[i].is_reached) {
            l->last |= UINT64_C(1) << i;
            l->all[i].runs++;
            if (keeps)
                keep(&l->all[i], job);
        }
    lpi_reached_begin_run(l);
}

void lpi_reached_begin_size(struct lpi_reached *l)
{
    for (int i = 0; i < l->n; i++)
        l->all[i].n_ways = 0;
}

/* The label that the fewest runs have reached. NULL: none is rare */
static const struct lpi_label_count *rarest(const struct lpi_reached *l, uint64_t runs)
{
    const struct lpi_label_count *best = NULL;

    for (int i = 0; i < l->n; i++)
        if (l->all[i].n_ways > 0 && l->all[i].runs < runs / RARE &&
            (best == NULL || l->all[i].runs < best->runs))
            best = &l->all[i];
    return best;
}

/* The plan of a run that begins so. */
static void follow(struct lpi_plan *plan, const struct lpi_way *way)
{
    plan->late = way->late;
    plan->order = !plan->late;
    plan->network.rendezvous_from = way->rendezvous_from;
}

void lpi_reached_lead(struct lpi_job *job)
{
    struct lpi_reached *l = &job->labels;
    struct lpi_plan *plan = &job->plan;
    const struct lpi_label_count *label = is_used(job) ? rarest(l, job->checked.runs) : NULL;
    uint64_t random = lpi_kit_mix(~plan->seed);

    l->way.n = 0;
    if (job->from.n > 0) {
        l->way = job->from;
        l->way.n = lpi_kit_below(&random, l->way.n + 1);
        follow(plan, &l->way);
        return;
    }
    if (label == NULL || lpi_kit_below(&random, 2) != 0)
        return;
    l->way = label->ways[lpi_kit_below(&random, label->n_ways)];
    follow(plan, &l->way);
}

void lpi_reached_free(struct lpi_reached *l)
{
    for (int i = 0; i < l->n; i++) {
        for (int k = 0; k < LPI_WAYS; k++)
            free(l->all[i].ways[k].answers);
        free(l->all[i].name);
    }
    free(l->all);
    *l = (struct lpi_reached){0};
}

/* Whether each run must reach the label. */
static bool must_be_reached(const struct logp_check *check, const char *name)
{
    for (int i = 0; i < check->n_must_reach; i++)
        if (is_same(check->must_reach[i], name))
            return true;
    return false;
}

void lpi_reached_tell(struct lpi_text *t, const struct lpi_job *job, bool failed)
{
    const struct lpi_reached *l = &job->labels;
    char name[4 * LPI_LABEL_TEXT];

    for (int i = 0; i < l->n; i++) {
        lpi_kit_show(name, sizeof(name), l->all[i].name);
        if (l->all[i].runs > 0)
            lpi_text_add(t, "reached in %" PRIu64 " of %" PRIu64 " runs: %s\n", l->all[i].runs,
                         job->checked.runs, name);
        else if (!failed || !must_be_reached(&job->check, l->all[i].name))
            lpi_text_add(t, "never reached, so the check may check nothing: %s\n", name);
    }
    if (l->has_more)
        lpi_text_add(t, "the program reached more labels; only the first %d are counted\n",
                     LPI_LABELS);
}

bool lpi_reached_missing(const struct lpi_reached *l, char *text, size_t size)
{
    size_t n = 0;
    int left = 0;

    for (int i = 0; i < l->n; i++)
        left += l->all[i].runs == 0;
    for (int i = 0; i < l->n && left > 0; i++) {
        const char *between = n > 0 ? ", " : "";
        char name[65];
        bool fits;

        if (l->all[i].runs > 0)
            continue;
        lpi_kit_show(name, sizeof(name), l->all[i].name);
        fits = n + strlen(name) + MORE < size;
        if (n > 0 && !fits) {
            snprintf(text + n, size - n, " and %d more", left);
            break;
        }
        n += (size_t)snprintf(text + n, size - n, "%s%s", between, name);
        left--;
    }
    return n > 0;
}

/* A thread that the program has made may run at any time: its labels would differ from run to run. */
static void refuse_thread(struct logp_vp *vp)
{
    const struct lpi_observer *e = lpi_signals_foreign();
    char words[128];

    if (e == NULL || vp == NULL || logp_vp_machine(vp) != e->machine)
        return;
    snprintf(words, sizeof(words),
             "rank %d: a thread that is not the processor's own calls logp_reached()",
             logp_vp_rank(vp));
    logp_check_fails(vp, words, "", 0);
}

void logp_reached(struct logp_vp *vp, const char *label)
{
    struct lpi_observer *e = lpi_signals_running();
    struct lpi_label_count *found;

    if (e == NULL)
        refuse_thread(vp);
    if (e == NULL || e->detached || label == NULL)
        return;
    found = find(&e->job->labels, label);
    if (found != NULL && !found->is_reached)
        found->at = lpi_observer_count(e);
    if (found != NULL)
        found->is_reached = true;
}
