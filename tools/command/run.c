/* SPDX-License-Identifier: MIT */
/* logp run: one row for each requested algorithm. */
#include "choice/choice.h"
#include "command/command.h"
#include "output/output.h"
#include "run/run.h"

/* Try the worst row with other options in a few runs, so that only tried advice is given.
 * @return its ratio; 0: it could not be run */
static double try_worst(struct options *o, const char *collective, const struct advice *a)
{
    const int64_t most_ns = 1000000000;
    const int64_t reps = most_ns / (a->worst->record.measured.median_ns + 1);
    struct row row = {.algorithm = a->worst->algorithm};
    struct logp_invocation c;

    if (runs_are_over())
        return 0;
    o->progress = false;
    o->warmup = 1;
    o->reps = (int)(reps < 3 ? 3 : reps > 20 ? 20 : reps);
    c = make_invocation(o, collective);
    return run_alone(o, &c, &row) == EXIT_OK ? logp_record_ratio(&row.record) : 0;
}

/* Try fibers if threads could not keep up, and a model with a larger G if copying bytes costs
 * more than the model charges. */
static void try_others(const struct options *o, const char *collective, struct advice *a)
{
    struct options fibers = *o, charged = *o;

    if (a->worst == NULL || o->quiet || o->clock != LOGP_CLOCK_WALL || !o->format->for_people)
        return;
    if (!o->fibers) {
        use_executor(&fibers, "fiber");
        a->fiber_ratio = try_worst(&fibers, collective, a);
    }
    a->G_ps = copying_G_ps(o, a);
    if (!is_copying(o, a) || o->list != NULL || o->machine != NULL || o->plugin != NULL ||
        o->network.topology != NULL || o->network.links != NULL ||
        a->G_ps <= o->network.params.G_ps)
        return;
    charged.network.params.G_ps = a->G_ps;
    use_delay(&charged, "loggp");
    a->G_ratio = try_worst(&charged, collective, a);
}

static int run(struct options *o)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    struct row rows[MAX_ALGORITHMS] = {0};
    const char *collective = named_collective(o);
    int code = o->unit_auto ? find_unit(o, collective) : EXIT_OK;
    const struct logp_invocation c = make_invocation(o, collective);
    struct output out = {.o = o, .collective = collective, .c = &c, .rows = rows};
    const size_t n = choose_algorithms(o, collective, &c, chosen);
    struct logp_machine *m;
    struct advice advice;

    if (code != EXIT_OK)
        return code;
    for (size_t i = 0; i < n; i++)
        rows[i].algorithm = chosen[i];
    o->skips_ranks = o->format->for_people && !o->ranks; /* they take 16 bytes for each rank */
    explain_rows(o, &c, rows, n);
    place_partners(o, &c, rows, n);
    m = create_machine(o);
    out.n_cores = logp_machine_cores(m);
    for (size_t i = 0; i < n; i++)
        live_table_expect(chosen[i], 1, estimate_ns(o, &c, chosen[i]));
    live_table_begin(o);
    code = run_rows(o, m, &c, rows, n, &out.n);
    live_table_end();
    if (code == EXIT_OK)
        say_unpredicted_rows(o, &c, rows, out.n);
    o->format->records(&out);
    print_explanations(&out);
    print_links(&out);
    advice = judge_rows(&out);
    judge_copies(&out, &advice);
    end_machine(m);
    try_others(o, collective, &advice);
    print_advice(o, &advice);
    forget_explanations(rows, n);
    return code;
}

const struct command command_run = {
    .name = "run",
    .arguments = "COLLECTIVE",
    .summary = "run a collective and compare its time with the model",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_OUTPUT |
               OPTIONS_BASIS | OPTIONS_EXPLAIN | OPTIONS_WATCH | OPTIONS_PROCESSES | OPTIONS_RANKS,
    .answer = ANSWER_RECORDS,
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
               OPTIONS_BASIS | OPTIONS_WATCH | OPTIONS_PROCESSES | OPTIONS_RANKS,
    .answer = ANSWER_RECORDS,
    .remark = "\nThe table on stderr has a line for each algorithm: runs done, ratio of measured "
              "to\npredicted time, lag, and time left. It is drawn between runs. Ctrl-C ends it "
              "and keeps\nthe results. If stderr is not a terminal, or TERM is dumb, an "
              "algorithm's line is printed\nonce, at its end; NO_COLOR switches colours off.",
    .call = watch,
};
