/* SPDX-License-Identifier: MIT */
/*
 * logp schedule: the steps of each rank, in order. In a form without data a combination is
 * computing for its time, and copying, which costs nothing, is left out.
 */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "answer/answer.h"
#include "view/schedule/forms.h"

static int schedule(struct question *q)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    const char *collective;
    struct logp_invocation c;
    const struct logp_algorithm *a;
    const struct step_form *form = q->form.format->steps;
    struct schedule_shown shown;
    size_t n;

    end_with(named_collective(q, &collective));
    end_with(make_invocation(q, collective, &c));
    end_with(choose_algorithms(q, collective, &c, chosen, &n));
    a = chosen[0];
    if (option_given(q, "by"))
        bad_usage("--by: logp schedule shows steps and does not use it");
    if (q->what.list != NULL && q->what.list->edges != NULL && !q->what.list->in_order)
        bad_option("--schedule", option_text(q, "schedule"),
                   "steps that are done one after the other; some of these are concurrent");
    if (n > 1)
        bad_option("--algo", q->what.algorithm_list, "one algorithm");
    if (a->steps == NULL)
        bad_option("--algo", a->name,
                   "one with steps; %s has only a run function; type logp list algorithms",
                   a->name);
    if (q->model.P > LOGP_MAX_PROCESSORS)
        bad_option("-P", option_text(q, "P"), "1 .. %d processors for a schedule",
                   LOGP_MAX_PROCESSORS);
    say_free_bytes(q, collective, &c);
    shown = (struct schedule_shown){.steps = logp_schedule_of(a, q->model.P, &c.args, &c.model),
                                    .algorithm = a,
                                    .collective = logp_collective_find(collective),
                                    .has_data = q->what.list == NULL || q->what.as != NULL};
    end_with(show_schedule(stdout, form, &shown));
    return tell_problem(q, check_steps(q, &c, a));
}

const struct command command_schedule = {
    .name = "schedule",
    .arguments = "COLLECTIVE",
    .summary = "list the steps of each processor: text, json, goal or mpi-c",
    .options = OPTIONS_MODEL | OPTIONS_BASIS | OPTIONS_FORMAT | OPTIONS_OUTPUT,
    .answer = ANSWER_STEPS,
    .call = schedule,
};
