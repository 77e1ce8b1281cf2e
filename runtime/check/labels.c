/* SPDX-License-Identifier: MIT */
/*
 * Labels that the program reaches: in how many runs. A check whose labels are never reached checks
 * nothing. Runs of other processes, and those that repeat a run, do not count.
 */
#include "kit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LABELS = 64 };

/* The label, which is added if it is new. NULL: there are too many, or no memory */
static struct lpi_label_count *find(struct lpi_reached *l, const char *name)
{
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->all[i].name, name) == 0)
            return &l->all[i];
    if (l->n == MOST_LABELS || !LPI_GROW(l->all, l->capacity, l->n + 1))
        return NULL;
    l->all[l->n] = (struct lpi_label_count){.name = strdup(name)};
    return l->all[l->n].name != NULL ? &l->all[l->n++] : NULL;
}

void lpi_reached_begin(struct lpi_reached *l, const struct logp_check *check)
{
    for (int i = 0; i < check->n_labels; i++)
        find(l, check->labels[i]);
}

void lpi_reached_end_run(struct lpi_reached *l, bool counts)
{
    for (int i = 0; i < l->n; i++) {
        l->all[i].runs += counts && l->all[i].is_reached;
        l->all[i].is_reached = false;
    }
}

void lpi_reached_free(struct lpi_reached *l)
{
    for (int i = 0; i < l->n; i++)
        free(l->all[i].name);
    free(l->all);
    *l = (struct lpi_reached){0};
}

void lpi_reached_tell(struct lpi_text *t, const struct lpi_reached *l, uint64_t runs)
{
    for (int i = 0; i < l->n; i++)
        if (l->all[i].runs > 0)
            lpi_text_add(t, "reached in %" PRIu64 " of %" PRIu64 " runs: %s\n", l->all[i].runs,
                         runs, l->all[i].name);
        else
            lpi_text_add(t, "never reached, so the check may check nothing: %s\n", l->all[i].name);
}

const char *lpi_reached_missing(const struct lpi_reached *l)
{
    for (int i = 0; i < l->n; i++)
        if (l->all[i].runs == 0)
            return l->all[i].name;
    return NULL;
}

void logp_reached(struct logp_vp *vp, const char *label)
{
    struct lpi_observer *e = lpi_signals_running();
    struct lpi_label_count *found;

    (void)vp;
    if (e == NULL || e->detached || label == NULL)
        return;
    found = find(&e->job->labels, label);
    if (found != NULL)
        found->is_reached = true;
}
