/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD under the command: experiments that run nothing and find what the environment
 * says, each number another. CANNED is a list of records, one for each experiment, the last for all
 * that follow: "median=250000 wrong=3;reps=7 error=4". What was asked for goes to the file
 * CANNED_SAW, a line for each experiment.
 */
#include <logp/experiment.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a name in this record, or what it is else. */
static int64_t number(const char *record, const char *name, int64_t otherwise)
{
    const size_t end = strcspn(record, ";"), length = strlen(name);

    for (size_t i = 0; i + length < end; i++)
        if ((i == 0 || record[i - 1] == ' ') && strncmp(record + i, name, length) == 0 &&
            record[i + length] == '=')
            return strtoll(record + i + length + 1, NULL, 10);
    return otherwise;
}

/* The record of this call. */
static const char *next_record(void)
{
    static const char *record;
    const char *rest = record != NULL ? strchr(record, ';') : NULL;

    if (record == NULL)
        record = getenv("CANNED") != NULL ? getenv("CANNED") : "";
    else if (rest != NULL)
        record = rest + 1;
    return record;
}

static void tell(const struct logp_machine *machine, const struct logp_experiment *x)
{
    const char *path = getenv("CANNED_SAW");
    FILE *f = path != NULL ? fopen(path, "a") : NULL;
    struct logp_network network;

    if (f == NULL)
        return;
    logp_machine_network(machine, &network);
    fprintf(f, "%s reps=%d warmup=%d timeout=%lld seed=%llu root=%d bytes=%zu count=%lld L=%lld\n",
            x->algorithm->name, x->reps, x->warmup, (long long)x->timeout_ns,
            (unsigned long long)x->seed, x->args.root, x->args.n_bytes, (long long)x->args.count,
            (long long)network.params.L_ns);
    fclose(f);
}

int logp_experiment_run(struct logp_machine *machine, const struct logp_experiment *x,
                        struct logp_record *r)
{
    const char *s = next_record();
    const bool wall = logp_machine_clock(machine) == LOGP_CLOCK_WALL;
    const bool delayed = logp_machine_delayed(machine);

    tell(machine, x);
    *r = (struct logp_record){
        .P = logp_machine_size(machine),
        .reps = (int)number(s, "reps", 77),
        .restarts = (int)number(s, "restarts", 0),
        .prediction = {.certainty =
                           (enum logp_certainty)number(s, "certainty", LOGP_PREDICTION_EXACT),
                       .ns = number(s, "predicted", 200000)},
        .has_measured = wall,
        .has_emulated = !wall || delayed,
        .has_lag = wall && delayed,
        .measured = {number(s, "min", 201001), number(s, "median", 201500), 203003, 204004, 205005},
        .emulated = {206006, 207007, 208008, 209009, 210010},
        .lag = {11011, 12012, 13013},
        .messages = 14014,
        .wrong_rank = (int)number(s, "wrong", -1),
    };
    if (wall) {
        r->disturbed_by_ns = x->disturbed_by_ns > 0 ? x->disturbed_by_ns : 2345;
        r->disturbed = (int)number(s, "disturbed", 0);
        r->absence_median_ns = number(s, "absence", 20000);
        r->disturbed = r->disturbed < r->reps ? r->disturbed : r->reps;
        r->undisturbed =
            (struct logp_summary){201001, number(s, "undisturbed", 201300), 203202, 203303, 203404};
    }
    for (int i = 0; wall && x->runs != NULL && i < r->reps + r->restarts; i++)
        x->runs[i] = (struct logp_run_time){.measured_ns = 1000 + i,
                                            .emulated_ns = 2000 + i,
                                            .absence_ns = 10 * i,
                                            .state = (enum logp_run_state)(i % 3)};
    if (number(s, "emulated", 0) != 0) {
        const int64_t ns = number(s, "emulated", 0);

        r->emulated = (struct logp_summary){ns, ns, ns, ns, ns};
    }
    for (int i = 0; x->rank_ns != NULL && i < r->P; i++)
        x->rank_ns[i] = r->reps > 0 ? 100000 + 1000 * i : -1;
    r->verified = r->reps > 0 && r->wrong_rank < 0;
    if (x->progress != NULL)
        x->progress(x->progress_arg, r->reps, x->reps);
    return -(int)number(s, "error", 0);
}
