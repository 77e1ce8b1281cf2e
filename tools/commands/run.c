/* SPDX-License-Identifier: MIT */
/* logp run: one row for each requested algorithm. */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "commands/live_table.h"
#include "view/records/records.h"
#include "answer/advice.h"
#include "answer/runs.h"

/* Run the rows on a machine, and fill out. *code: of the first error, which has been printed. */
static struct problem *run_all(struct question *q, struct output *out, struct row *rows, size_t n,
                               int *code)
{
    struct live_table table = {0};
    struct logp_machine *m;

    TRY(create_machine(q, &m));
    logp_machine_core_use(m, &out->cores);
    for (size_t i = 0; i < n; i++)
        live_table_expect(&table, rows[i].algorithm, 1, estimate_ns(q, out->c, rows[i].algorithm));
    live_table_begin(&table, q);
    *code = tell_problem(q, run_rows(q, m, out->c, rows, n, &out->n));
    live_table_end(&table);
    end_machine(q, m);
    return NULL;
}

/* The same, and keep each measured time if that is wanted. */
static struct problem *run_and_keep(struct question *q, struct output *out, struct row *rows,
                                    size_t n, int *code)
{
    struct raw_file raw = {0};
    struct problem *problem;

    TRY(open_raw(&raw, q));
    problem = run_all(q, out, rows, n, code);
    for (size_t i = 0; i < out->n; i++)
        add_raw(&raw, out, &rows[i]);
    if (problem != NULL)
        tell_problem(q, close_raw(&raw));
    else
        *code |= tell_problem(q, close_raw(&raw));
    return problem;
}

static struct problem *show_run(struct question *q, struct output *out, struct row *rows, size_t n,
                                FILE *f)
{
    struct advice advice;
    int code = EXIT_OK;

    TRY(explain_rows(q, out->c, rows, n));
    TRY(place_partners(q, out->c, rows, n));
    TRY(run_and_keep(q, out, rows, n, &code));
    if (code == EXIT_OK)
        say_unpredicted_rows(q, out->c, rows, out->n);
    q->form.format->records(f, out);
    print_explanations(f, out);
    print_links(f, out);
    advice = judge_rows(out);
    judge_copies(out, &advice);
    TRY(try_others(q, out->collective, &advice));
    print_advice(f, q, &advice);
    return told(code);
}

static struct problem *run(struct question *q, struct answer_file *to)
{
    struct row rows[MAX_ALGORITHMS] = {0};
    struct asked a;
    struct output out = {.q = q, .c = &a.c, .rows = rows};
    struct choice_steps choice;
    struct problem *problem;

    TRY(named_collective(q, &a.collective));
    if (q->model.unit_auto)
        TRY(find_unit(q, a.collective));
    begin_choice(&choice, q, "run");
    problem = resolve_asked(q, &a);
    end_choice(&choice, q);
    TRY(problem);
    out.collective = a.collective;
    for (size_t i = 0; i < a.n; i++)
        rows[i] = (struct row){.algorithm = a.chosen[i], .keeps_runs = q->form.raw != NULL};
    q->form.skips_ranks =
        q->form.format->for_people && !q->form.ranks; /* they take 16 bytes for each rank */
    problem = show_run(q, &out, rows, a.n, to->f);
    forget_explanations(rows, a.n);
    return problem;
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

static struct problem *watch(struct question *q, struct answer_file *to)
{
    q->form.watch = true;
    if (!option_given(q, "algo"))
        q->what.algorithms = algorithm_word("all");
    return run(q, to);
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
