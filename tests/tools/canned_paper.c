/* SPDX-License-Identifier: MIT */
/*
 * Preloaded before the library: an experiment that runs and then says something else, and a clock
 * that is wrong, so that a test sees whether `logp paper` shows what it was told, and complains of
 * what does not agree. From the environment, in ns:
 *
 *     CANNED_LATE      is added to the emulated times
 *     CANNED_MEASURED  is the median on the wall clock, where nothing is run: these are the
 *                      experiments that have uncounted runs
 *     CANNED_LATER_PPM the same: the median is later than on the virtual clock by so much
 *     CANNED_NOW       is added to the times of a run's trace
 *     CANNED_CERTAINTY enum logp_certainty, of all predictions that there are
 *     CANNED_WRONG     a rank whose result was wrong
 *     CANNED_TREE      a number of processors: in their broadcast tree messages take longer
 *     CANNED_INSTEAD   NAME=OTHER[,NAME=OTHER...]: the algorithm that is found in place of NAME
 */
#include <logp/experiment.h>
#include <logp/trace.h>
#include <logp/paper.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t canned(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoll(text, NULL, 10) : otherwise;
}

/* It took so long, and would have been done in no time. */
static struct logp_record measured(int64_t median_ns)
{
    return (struct logp_record){
        .reps = 1,
        .prediction = {.certainty = LOGP_PREDICTION_EXACT, .ns = 1},
        .has_measured = true,
        .has_emulated = true,
        .measured = {1, median_ns, 2 * median_ns, 3 * median_ns, 4 * median_ns},
        .verified = true,
        .wrong_rank = -1};
}

static int64_t emulated_last; /* ns */

int logp_experiment_run(struct logp_machine *machine, const struct logp_experiment *experiment,
                        struct logp_record *record)
{
    int (*run)(struct logp_machine *, const struct logp_experiment *, struct logp_record *);
    int rc;

    if (experiment->warmup > 0 && getenv("CANNED_MEASURED") != NULL) {
        *record = measured(canned("CANNED_MEASURED", 0));
        return 0;
    }
    if (experiment->warmup > 0 && getenv("CANNED_LATER_PPM") != NULL) {
        *record = measured(emulated_last + emulated_last * canned("CANNED_LATER_PPM", 0) / 1000000);
        return 0;
    }
    *(void **)&run = dlsym(RTLD_NEXT, "logp_experiment_run");
    rc = run(machine, experiment, record);
    record->emulated.median_ns += canned("CANNED_LATE", 0);
    emulated_last = record->emulated.median_ns;
    if (record->prediction.certainty != LOGP_PREDICTION_NONE)
        record->prediction.certainty =
            (enum logp_certainty)canned("CANNED_CERTAINTY", record->prediction.certainty);
    record->wrong_rank = (int)canned("CANNED_WRONG", record->wrong_rank);
    record->verified = record->wrong_rank < 0;
    return rc;
}

const struct logp_event *logp_trace_events(const struct logp_trace *trace, int64_t rank, size_t *n)
{
    static struct logp_event later[1024]; /* of the rank that was asked for last */
    const struct logp_event *(*real)(const struct logp_trace *, int64_t, size_t *), *events;
    const int64_t ns = canned("CANNED_NOW", 0);

    *(void **)&real = dlsym(RTLD_NEXT, "logp_trace_events");
    events = real(trace, rank, n);
    if (ns == 0 || *n > 1024 || logp_trace_info(trace)->source == LOGP_TRACE_PREDICTED)
        return events;
    for (size_t i = 0; i < *n; i++) {
        later[i] = events[i];
        later[i].start_ns += ns;
        later[i].end_ns += ns;
    }
    return later;
}

int logp_tree_broadcast(struct logp_tree *tree, int64_t P, const struct logp_params *params,
                        size_t n_bytes)
{
    int (*real)(struct logp_tree *, int64_t, const struct logp_params *, size_t);
    struct logp_params slower = *params;

    slower.L_ns += P == canned("CANNED_TREE", 0) ? slower.L_ns / 2 : 0;
    *(void **)&real = dlsym(RTLD_NEXT, "logp_tree_broadcast");
    return real(tree, P, &slower, n_bytes);
}

/* What is found in place of this one, into other; false: itself. */
static bool instead(const char *name, char other[64])
{
    const char *entry = getenv("CANNED_INSTEAD");
    const size_t n = strlen(name);

    for (; entry != NULL; entry = strchr(entry, ','), entry += entry != NULL)
        if (strncmp(entry, name, n) == 0 && entry[n] == '=') {
            snprintf(other, 64, "%.*s", (int)strcspn(entry + n + 1, ","), entry + n + 1);
            return true;
        }
    return false;
}

const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name)
{
    const struct logp_algorithm *(*find)(const char *, const char *);
    const struct logp_algorithm *found = NULL;
    char other[64];

    *(void **)&find = dlsym(RTLD_NEXT, "logp_algorithm_find");
    if (instead(name, other))
        found = find(collective, other);
    return found != NULL ? found : find(collective, name);
}
