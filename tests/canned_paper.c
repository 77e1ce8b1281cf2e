/* SPDX-License-Identifier: MIT */
/*
 * Preloaded before the library: an experiment that runs and then says something else, and a clock
 * that is wrong, so that a test sees whether `logp paper` shows what it was told, and complains of
 * what does not agree. From the environment, in ns:
 *
 *     CANNED_LATE      is added to the emulated times
 *     CANNED_MEASURED  is the median on the wall clock, whatever it was
 *     CANNED_NOW       is added to what a program reads of its clock
 *     CANNED_CERTAINTY enum logp_certainty, of all predictions that there are
 *     CANNED_WRONG     a rank whose result was wrong
 */
#include <logp/experiment.h>
#include <logp/vp.h>

#include <dlfcn.h>
#include <stdlib.h>

static int64_t canned(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoll(text, NULL, 10) : otherwise;
}

int logp_experiment_run(struct logp_machine *machine, const struct logp_experiment *experiment,
                        struct logp_record *record)
{
    int (*run)(struct logp_machine *, const struct logp_experiment *, struct logp_record *);
    int rc;

    *(void **)&run = dlsym(RTLD_NEXT, "logp_experiment_run");
    rc = run(machine, experiment, record);
    record->emulated.median_ns += canned("CANNED_LATE", 0);
    record->measured.median_ns = canned("CANNED_MEASURED", record->measured.median_ns);
    if (record->prediction.certainty != LOGP_PREDICTION_NONE)
        record->prediction.certainty =
            (enum logp_certainty)canned("CANNED_CERTAINTY", record->prediction.certainty);
    record->wrong_rank = (int)canned("CANNED_WRONG", record->wrong_rank);
    record->verified = record->wrong_rank < 0;
    return rc;
}

int64_t logp_now(struct logp_vp *vp)
{
    int64_t (*now)(struct logp_vp *);

    *(void **)&now = dlsym(RTLD_NEXT, "logp_now");
    return now(vp) + canned("CANNED_NOW", 0);
}
