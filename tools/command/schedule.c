/* SPDX-License-Identifier: MIT */
/*
 * logp schedule: who does what, in which order. In a form without data a combination is computing
 * for its time, and copying, which costs nothing, is left out.
 */
#include "choice/choice.h"
#include "command/command.h"
#include "schedule/schedule.h"

static void show_rank(const struct step_form *form, const struct schedule_shown *shown,
                      int64_t rank)
{
    const bool all = form->with_data && shown->has_data;
    struct logp_invocation c;
    struct logp_step s;
    int64_t n = 0, parts = 0;

    if (logp_schedule_begin(&shown->steps, (int)rank, &c) != 0)
        bad_usage("no memory for the schedule of %s", shown->algorithm->name);
    form->begin_rank(rank);
    for (int64_t i = 0; shown->algorithm->steps(shown->steps.P, rank, &c, i, &s); i++, parts--) {
        if (parts > 0)
            s.ns = 0;
        else if (s.kind == LOGP_STEP_COMPUTE)
            parts = s.parts + 1;
        if (s.kind == LOGP_STEP_COMBINE && !all)
            s.kind = LOGP_STEP_COMPUTE;
        if (all || (s.kind != LOGP_STEP_COPY && (s.kind != LOGP_STEP_COMPUTE || s.ns > 0)))
            form->step(&s, n++);
    }
    if (form->end_rank != NULL)
        form->end_rank(n);
    logp_schedule_end(&c);
}

static int schedule(struct options *o)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    const char *collective = named_collective(o);
    const struct logp_invocation c = make_invocation(o, collective);
    const size_t n = choose_algorithms(o, collective, &c, chosen);
    const struct logp_algorithm *a = chosen[0];
    const struct step_form *form = o->format->steps;
    struct schedule_shown shown;

    if (option_given("by"))
        bad_usage("--by: logp schedule shows steps and does not use it");
    if (o->list != NULL && o->list->edges != NULL && !o->list->in_order)
        bad_option("--schedule", option_text("schedule"),
                   "steps that are done one after the other; some of these are concurrent");
    if (n > 1)
        bad_option("--algo", o->algorithm_list, "one algorithm");
    if (a->steps == NULL)
        bad_option("--algo", a->name,
                   "one with steps; %s has only a run function; type logp list algorithms",
                   a->name);
    if (o->P > LOGP_MAX_PROCESSORS)
        bad_option("-P", option_text("P"), "1 .. %d processors for a schedule",
                   LOGP_MAX_PROCESSORS);
    say_free_bytes(o, collective, &c);
    shown = (struct schedule_shown){.steps = logp_schedule_of(a, o->P, &c.args, &c.model),
                                    .algorithm = a,
                                    .collective = logp_collective_find(collective),
                                    .has_data = o->list == NULL || o->as != NULL};
    if (form->begin != NULL)
        form->begin(&shown);
    for (int64_t rank = 0; rank < o->P; rank++)
        show_rank(form, &shown, rank);
    if (form->end != NULL)
        form->end(&shown);
    return EXIT_OK;
}

const struct command command_schedule = {
    .name = "schedule",
    .arguments = "COLLECTIVE",
    .summary = "list the steps of each processor: text, json, goal or mpi-c",
    .options = OPTIONS_MODEL | OPTIONS_BASIS | OPTIONS_FORMAT | OPTIONS_OUTPUT,
    .answer = ANSWER_STEPS,
    .call = schedule,
};
