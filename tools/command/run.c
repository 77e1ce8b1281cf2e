/* SPDX-License-Identifier: MIT */
/* logp run: one row for each algorithm asked for. */
#include "choice/choice.h"
#include "command/command.h"
#include "output/output.h"
#include "output/watch.h"
#include "run/run.h"

/* Threads could not keep up: could fibers? A few runs of the worst, so that the advice is one that
 * has been tried. */
static void try_fibers(const struct options *o, const struct logp_coll *c, struct advice *a)
{
    const int64_t most_ns = 1000000000;
    struct options fibers = *o;
    struct row row = {0};
    int64_t reps;

    if (a->worst == NULL || runs_are_over() || o->clock != LOGP_CLOCK_WALL ||
        !o->format->for_people || o->fibers)
        return;
    row.algorithm = a->worst->algorithm;
    reps = most_ns / (a->worst->record.measured.median_ns + 1);
    use_executor(&fibers, "fiber");
    fibers.progress = false;
    fibers.warmup = 1;
    fibers.reps = (int)(reps < 3 ? 3 : reps > 20 ? 20 : reps);
    if (run_alone(&fibers, c, &row) == EXIT_OK)
        a->fiber_ratio = logp_record_ratio(&row.record);
}

static int run(struct options *o)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    struct row rows[MAX_ALGORITHMS] = {0};
    const char *collective = named_collective(o);
    const struct logp_coll c = make_coll(o, collective);
    struct output out = {.o = o, .collective = collective, .c = &c, .rows = rows};
    const size_t n = choose_algorithms(o, collective, &c, chosen);
    struct logp_machine *m;
    struct advice advice;
    int code;

    for (size_t i = 0; i < n; i++)
        rows[i].algorithm = chosen[i];
    explain_rows(o, &c, rows, n);
    m = create_machine(o);
    out.n_cores = logp_machine_cores(m);
    for (size_t i = 0; i < n; i++)
        watch_expect(chosen[i], 1, estimate_ns(o, &c, chosen[i]));
    watch_begin(o);
    code = run_rows(o, m, &c, rows, n, &out.n);
    watch_end();
    o->format->records(&out);
    print_explanations(&out);
    print_links(&out);
    advice = judge_rows(&out);
    end_machine(m);
    try_fibers(o, &c, &advice);
    print_advice(o, &advice);
    forget_explanations(rows, n);
    return code;
}

static bool prints(const struct output_format *format)
{
    return format->records != NULL;
}

const struct command command_run = {
    .name = "run",
    .arguments = "COLLECTIVE",
    .summary = "run it, measure it, hold it against the model",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_OUTPUT |
               OPTIONS_BASIS | OPTIONS_EXPLAIN | OPTIONS_WATCH | OPTIONS_PROCESSES,
    .prints = prints,
    .call = run,
};

static int watch(struct options *o)
{
    o->watch = true;
    if (!option_given("algo"))
        o->algorithms = algorithm_word("all");
    return run(o);
}

const struct command command_watch = {
    .name = "watch",
    .arguments = "COLLECTIVE",
    .summary = "run --algo all --watch: a live table of all algorithms",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_OUTPUT |
               OPTIONS_BASIS | OPTIONS_WATCH | OPTIONS_PROCESSES,
    .prints = prints,
    .remark =
        "\nOn stderr, a line for each algorithm: how many of its runs are done, measured over\n"
        "predicted as it settles, the lag, and the time left. Drawn between runs. Ctrl-C ends\n"
        "it, with what was measured. Where stderr is no terminal, or TERM is dumb, each that\n"
        "is done is a line; without colours where NO_COLOR is set.",
    .call = watch,
};
