/* SPDX-License-Identifier: MIT */
/* logp run: one row for each requested algorithm. */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "view/records/records.h"
#include "answer/runs.h"

/* Try the worst row with other options in a few runs, so that only tried advice is given.
 * @return its ratio; 0: it could not be run */
static double try_worst(struct question *q, const char *collective, const struct advice *a)
{
    const int64_t most_ns = 1000000000;
    const int64_t reps = most_ns / (a->worst->record.measured.median_ns + 1);
    struct row row = {.algorithm = a->worst->algorithm};
    struct logp_invocation c;

    if (runs_are_over(q))
        return 0;
    q->form.progress = false;
    q->how.warmup = 1;
    q->how.reps = (int)(reps < 3 ? 3 : reps > 20 ? 20 : reps);
    end_with(make_invocation(q, collective, &c));
    return tell_problem(q, run_alone(q, &c, &row)) == EXIT_OK ? logp_record_ratio(&row.record) : 0;
}

/* Try fibers if threads could not keep up, and a model with a larger G if copying bytes costs
 * more than the model charges. */
static void try_others(const struct question *q, const char *collective, struct advice *a)
{
    struct question fibers = *q, charged = *q;

    if (a->worst == NULL || q->form.quiet || q->how.clock != LOGP_CLOCK_WALL ||
        !q->form.format->for_people)
        return;
    if (!q->how.fibers) {
        use_executor(&fibers, "fiber");
        a->fiber_ratio = try_worst(&fibers, collective, a);
    }
    a->G_ps = copying_G_ps(q, a);
    if (!is_copying(q, a) || q->what.list != NULL || q->model.machine != NULL ||
        q->model.plugin != NULL || q->model.network.topology != NULL ||
        q->model.network.links != NULL || a->G_ps <= q->model.network.params.G_ps)
        return;
    charged.model.network.params.G_ps = a->G_ps;
    use_delay(&charged, "loggp");
    a->G_ratio = try_worst(&charged, collective, a);
}

static int run(struct question *q)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    struct row rows[MAX_ALGORITHMS] = {0};
    const char *collective;
    struct logp_invocation c;
    struct output out = {.q = q, .c = &c, .rows = rows};
    int code;
    size_t n;
    struct logp_machine *m;
    struct advice advice;

    end_with(named_collective(q, &collective));
    out.collective = collective;
    code = q->model.unit_auto ? tell_problem(q, find_unit(q, collective)) : EXIT_OK;
    end_with(make_invocation(q, collective, &c));
    end_with(choose_algorithms(q, collective, &c, chosen, &n));
    if (code != EXIT_OK)
        return code;
    for (size_t i = 0; i < n; i++)
        rows[i].algorithm = chosen[i];
    q->form.skips_ranks =
        q->form.format->for_people && !q->form.ranks; /* they take 16 bytes for each rank */
    end_with(explain_rows(q, &c, rows, n));
    end_with(place_partners(q, &c, rows, n));
    end_with(create_machine(q, &m));
    out.n_cores = logp_machine_cores(m);
    for (size_t i = 0; i < n; i++)
        live_table_expect(chosen[i], 1, estimate_ns(q, &c, chosen[i]));
    live_table_begin(q);
    code = tell_problem(q, run_rows(q, m, &c, rows, n, &out.n));
    live_table_end();
    if (code == EXIT_OK)
        say_unpredicted_rows(q, &c, rows, out.n);
    q->form.format->records(stdout, &out);
    print_explanations(stdout, &out);
    print_links(stdout, &out);
    advice = judge_rows(&out);
    judge_copies(&out, &advice);
    end_machine(q, m);
    try_others(q, collective, &advice);
    print_advice(q, &advice);
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

static int watch(struct question *q)
{
    q->form.watch = true;
    if (!option_given(q, "algo"))
        q->what.algorithms = algorithm_word("all");
    return run(q);
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
