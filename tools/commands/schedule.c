/* SPDX-License-Identifier: MIT */
/*
 * logp schedule: the steps of each rank, in order. In a form without data a combination is
 * computing for its time, and copying, which costs nothing, is left out.
 */
#include "question/choice/choice.h"
#include "question/schedule/schedule.h"
#include "commands/command.h"
#include "answer/answer.h"
#include "view/schedule/forms.h"

static struct problem *schedule(struct question *q, struct answer_file *to)
{
    struct asked asked;
    const struct logp_algorithm *a;
    struct schedule_shown shown;
    const struct step_form *form = q->form.format->steps;

    if (option_given(q, "by"))
        return usage_problem("--by: logp schedule shows steps and does not use it");
    if (has_graph(q) && form->graph != NULL && (form->whole || !is_ours(q))) {
        TRY(form->graph(to->f, graph_of_schedule(q)));
        if (is_ours(q))
            fputs(GOAL_MARK "\n", to->f);
        return NULL;
    }
    TRY(asked_algorithms(q, &asked));
    a = asked.chosen[0];
    if (is_concurrent(q))
        return must_be("--schedule", option_text(q, "schedule"),
                       "steps that are done one after the other; some of these are "
                       "concurrent, which --format goal and goal-bin show");
    TRY(only_one(q, asked.chosen, asked.n));
    if (a->steps == NULL)
        return must_be("--algo", a->name,
                       "one with steps; %s has only a run function; type logp list algorithms",
                       a->name);
    if (q->model.P > LOGP_MAX_PROCESSORS)
        return must_be("-P", option_text(q, "P"), "1 .. %d processors for a schedule",
                       LOGP_MAX_PROCESSORS);
    say_free_bytes(q, asked.collective, &asked.c);
    shown = (struct schedule_shown){
        .steps = logp_schedule_of(a, q->model.P, &asked.c.args, &asked.c.model),
        .algorithm = a,
        .collective = logp_collective_find(asked.collective),
        .has_data = q->what.list == NULL || q->what.as != NULL};
    TRY(check_last_step(q, &asked.c, a));
    TRY(show_schedule(to->f, form, &shown));
    return check_steps(q, &asked.c, a);
}

const struct command command_schedule = {
    .name = "schedule",
    .arguments = "COLLECTIVE",
    .summary = "list the steps of each processor: text, json, goal, goal-bin or mpi-c",
    .options = OPTIONS_MODEL | OPTIONS_BASIS | OPTIONS_FORMAT | OPTIONS_OUTPUT,
    .answer = ANSWER_STEPS,
    .call = schedule,
};
