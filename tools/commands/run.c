/* SPDX-License-Identifier: MIT */
/* logp run: one row for each requested algorithm. */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "commands/live_table.h"
#include "view/records/records.h"
#include "answer/advice.h"
#include "answer/runs.h"

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
    struct live_table table = {0};
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
        live_table_expect(&table, chosen[i], 1, estimate_ns(q, &c, chosen[i]));
    live_table_begin(&table, q);
    code = tell_problem(q, run_rows(q, m, &c, rows, n, &out.n));
    live_table_end(&table);
    if (code == EXIT_OK)
        say_unpredicted_rows(q, &c, rows, out.n);
    q->form.format->records(stdout, &out);
    print_explanations(stdout, &out);
    print_links(stdout, &out);
    advice = judge_rows(&out);
    judge_copies(&out, &advice);
    end_machine(q, m);
    end_with(try_others(q, collective, &advice));
    print_advice(stdout, q, &advice);
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
