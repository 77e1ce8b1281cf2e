/* SPDX-License-Identifier: MIT */
/* A failure as the caller of a check gets it. */
#include "kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void lpi_refuse(struct lpi_job *job, struct logp_failure *found)
{
    struct lpi_text text = {0};

    snprintf(job->checked.text, sizeof(job->checked.text), "%.150s", job->why);
    lpi_text_add(&text, "%s cannot be checked: %s\n", job->check.name, job->why);
    found->text = text.s;
}

void lpi_add_line(struct logp_failure *failure, const char *before, const char *path, int rc)
{
    struct lpi_text t = {0};

    lpi_text_add(&t, "%s%s%s", failure->text != NULL ? failure->text : "", before, path);
    lpi_text_add(&t, "%s%s\n", rc != 0 ? ": " : "", rc != 0 ? strerror(-rc) : "");
    if (t.failed) {
        free(t.s);
        return;
    }
    free(failure->text);
    failure->text = t.s;
}

/* An empty failure. */
static int nothing(struct logp_failure *failure)
{
    *failure = (struct logp_failure){.rank = -1, .text = strdup("")};
    return failure->text == NULL ? -ENOMEM : 0;
}

int lpi_hand_over(struct logp_failure *found, struct logp_failure *failure, int rc)
{
    if (found->text == NULL && nothing(found) != 0)
        rc = -ENOMEM;
    if (failure != NULL)
        *failure = *found;
    else
        logp_failure_free(found);
    return rc;
}

void logp_failure_free(struct logp_failure *failure)
{
    if (failure == NULL)
        return;
    free(failure->text);
    free(failure->replay);
    *failure = (struct logp_failure){.rank = -1};
}
