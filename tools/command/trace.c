/* SPDX-License-Identifier: MIT */
/* logp trace: one run as a space-time diagram, beside its prediction; or that alone. */
#include "trace/trace.h"
#include "choice/choice.h"
#include "command/command.h"
#include "run/run.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Run it on a machine of its own. @return an exit code */
static int run_traced(const struct options *o, const struct logp_coll *c,
                      const struct logp_algorithm *a, struct logp_trace **trace)
{
    struct logp_machine *m = create_machine(o);
    struct row row = {.algorithm = a};
    const int code = trace_run(o, m, c, &row, 0, trace);

    end_machine(m);
    return code;
}

/* @return false: stdout cannot be the file, which is said */
static bool open_output(const struct options *o)
{
    const struct trace_form *form = o->format->trace;

    if (o->output == NULL && form->is_binary && isatty(STDOUT_FILENO))
        bad_option("--format", o->format->name, "with --output FILE: it is not for a terminal");
    if (o->output == NULL || freopen(o->output, "w", stdout) != NULL)
        return true;
    fprintf(stderr, "logp: --output %s: %s\n", o->output, strerror(errno));
    return false;
}

/* What cannot be shown is refused before anything is run. */
static void refuse(const struct options *o, const struct logp_algorithm *a, size_t n)
{
    const int64_t most = o->format->trace->most;

    if (n > 1)
        bad_option("--algo", o->algorithm_list, "one algorithm");
    if (most > 0 && o->P > most)
        bad_option("-P", option_text("P"),
                   "as %s, 1 .. %lld processors; json and perfetto take more", o->format->name,
                   (long long)most);
    if (o->P > LOGP_MAX_PROCESSORS)
        bad_option("-P", option_text("P"), "1 .. %d processors", LOGP_MAX_PROCESSORS);
    if (o->only_predicted && a->steps == NULL)
        bad_option("--algo", a->name, "with --predicted an algorithm that is a schedule");
    if (o->only_predicted && !o->emulated && o->plugin == NULL)
        bad_option("--delay", o->delay->name,
                   "with --predicted a model in which messages take time");
}

static int trace(struct options *o)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    const char *collective = named_collective(o);
    const struct logp_coll c = make_coll(o, collective);
    const size_t n = choose_algorithms(o, collective, &c, chosen);
    struct logp_trace *run = NULL, *predicted;
    struct shown s = {.o = o, .algorithm = chosen[0]};
    int code = EXIT_OK;

    refuse(o, chosen[0], n);
    warn_of_unused(o);
    if (!option_given("reps"))
        o->reps = 1;
    if (!o->only_predicted)
        check_machine(o);
    if (!open_output(o))
        return EXIT_WRONG;
    predicted = o->emulated || o->plugin != NULL ? trace_prediction(o, &c, chosen[0], 0) : NULL;
    if (!o->only_predicted)
        code = run_traced(o, &c, chosen[0], &run);
    s.trace = o->only_predicted ? predicted : run;
    s.predicted = o->only_predicted ? NULL : predicted;
    if (s.trace == NULL && o->only_predicted) {
        fprintf(stderr, "logp: %s %s cannot be predicted here\n", collective, chosen[0]->name);
        code = EXIT_WRONG;
    }
    if (s.predicted != NULL && s.trace != NULL)
        s.parting = compare_traces(s.trace, s.predicted);
    if (s.trace != NULL)
        o->format->trace->show(&s);
    logp_trace_free(run);
    logp_trace_free(predicted);
    return code;
}

static bool prints(const struct output_format *format)
{
    return format->trace != NULL;
}

const struct command command_trace = {
    .name = "trace",
    .arguments = "COLLECTIVE",
    .summary = "one run as a space-time diagram: text, svg, perfetto, json or goal",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_BASIS |
               OPTIONS_TRACE,
    .prints = prints,
    .remark =
        "\nThe last counted run is shown, and --reps is 1 where nobody says. A run is beside its "
        "prediction;\nthey part at the first event that ends by more than 1 % of the whole "
        "later or earlier. A .pftrace\nfile of --format perfetto opens at "
        "https://ui.perfetto.dev.",
    .call = trace,
};
