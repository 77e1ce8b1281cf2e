/* SPDX-License-Identifier: MIT */
/* logp explain: why one algorithm is faster than another. */
#include "view/views.h"
#include "question/choice/choice.h"
#include "commands/command.h"
#include "answer/answer.h"
#include "view/trace/trace.h"
#include "answer/versus/versus.h"

#include <stdio.h>
#include <string.h>

/* The two algorithms are words here, and become --algo A,B. */
static struct problem *take_names(struct question *q)
{
    char *both;
    const struct logp_algorithm *a;
    struct names names = {0};
    char list[MAX_LIST];

    if (q->line.n_words < 2 || logp_collective_find(q->line.words[1]) == NULL)
        return NULL; /* named_collective() reports the error */
    for (size_t i = 0; (a = logp_algorithm_at(q->line.words[1], i)) != NULL; i++)
        add_name(&names, a->name);
    if (option_is_given(q, "algo"))
        return usage_problem("explain does not use --algo; write logp explain %s A B",
                             q->line.words[1]);
    if (q->line.n_words < 4)
        return usage_problem("explain %s: needs two algorithms; %s", q->line.words[1],
                             one_of(&names, NULL, list));
    if (q->line.n_words > 4)
        return usage_problem("%s: unexpected word; explain takes a collective and two algorithms",
                             q->line.words[4]);
    if (strcmp(q->line.words[2], q->line.words[3]) == 0)
        return usage_problem("explain %s %s %s: needs two different algorithms", q->line.words[1],
                             q->line.words[2], q->line.words[3]);
    both = kept_by(q, malloc(strlen(q->line.words[2]) + strlen(q->line.words[3]) + 2), free);
    sprintf(both, "%s,%s", q->line.words[2], q->line.words[3]);
    give_option(q, "algo", both);
    q->line.n_words = 2;
    return NULL;
}

/* Check the names; a plug-in has added its own by now. */
static struct problem *check_names(const struct question *q)
{
    const struct logp_algorithm *a;
    struct names names = {0};
    char list[MAX_LIST];

    for (size_t i = 0; (a = logp_algorithm_at(q->line.words[1], i)) != NULL; i++)
        add_name(&names, a->name);
    for (int i = 2; i < 4; i++)
        if (find_name(&names, q->line.words[i]) < 0)
            return usage_problem("explain %s %s: no such algorithm; %s", q->line.words[1],
                                 q->line.words[i], one_of(&names, q->line.words[i], list));
    return NULL;
}

static struct problem *explain_row(const struct question *q, const struct logp_invocation *c,
                                   struct row *row)
{
    TRY(predict(q, c, row->algorithm, &row->record.prediction));
    row->explained = explain_algorithm(q, c, row->algorithm, &row->unexplained);
    if (row->explained != NULL)
        return NULL;
    TRY(check_steps(q, c, row->algorithm));
    return usage_problem("%s cannot be explained: %s", row->algorithm->name, row->unexplained);
}

static struct problem *compare(const struct question *q, struct versus *v, struct row *rows,
                               FILE *f)
{
    const int64_t most = q->form.format->versus->draws ? trace_as_svg.most : VERSUS_LINES;

    for (int i = 0; i < 2; i++)
        TRY(explain_row(q, v->out.c, &rows[i]));
    for (int i = 0; i < 2 && q->model.P <= most; i++)
        TRY(trace_prediction(q, v->out.c, rows[i].algorithm, 0, &v->traces[i]));
    compare_explanations(v);
    q->form.format->versus->show(f, v);
    return NULL;
}

static struct problem *explain(struct question *q, struct answer_file *to)
{
    struct row rows[2] = {0};
    struct asked a;
    struct versus v = {.out = {.q = q, .c = &a.c, .rows = rows, .n = 2}};
    struct problem *problem;

    TRY(named_collective(q, &a.collective));
    v.out.collective = a.collective;
    TRY(make_invocation(q, a.collective, &a.c));
    TRY(check_names(q));
    TRY(check_explained(q, "explain"));
    if (q->form.format->versus->draws && q->model.P > trace_as_svg.most)
        return option_problem("-P", option_text(q, "P"), "as %s, 1 .. %lld processors",
                              q->form.format->name, (long long)trace_as_svg.most);
    TRY(choose_algorithms(q, a.collective, &a.c, a.chosen, &a.n));
    q->form.explain = true;
    for (int i = 0; i < 2; i++)
        rows[i].algorithm = a.chosen[i];
    problem = compare(q, &v, rows, to->f);
    for (int i = 0; i < 2; i++)
        logp_trace_free(v.traces[i]);
    forget_explanations(rows, 2);
    return problem;
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "COLLECTIVE A B",
    .summary = "show why algorithm A is faster or slower than B: terms, paths, diagrams",
    .options = OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_PICTURE,
    .answer = ANSWER_VERSUS,
    .take = take_names,
    .remark =
        "\nThe output shows both predicted times as sums of L, o, g, ..., the difference term by\n"
        "term (B - A), the first point where the critical paths differ, and both space-time\n"
        "diagrams on one time axis. --format svg draws the diagrams, html is a page of all of\n"
        "it, and json has the records of predict --explain, each with `versus`.",
    .call = explain,
};
