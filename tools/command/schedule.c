/* SPDX-License-Identifier: MIT */
/*
 * logp schedule: who does what, in which order. A combination is computing for its time; copying
 * costs nothing, and is left out.
 */
#include "choice/choice.h"
#include "command/command.h"
#include "schedule/schedule.h"

static void show_rank(const struct step_form *form, const struct logp_algorithm *a, int64_t P,
                      int64_t rank, const struct logp_schedule *schedule)
{
    struct logp_invocation c;
    struct logp_step s;
    int64_t n = 0;

    if (logp_schedule_begin(schedule, (int)rank, &c) != 0)
        bad_usage("no memory for the schedule of %s", a->name);
    form->begin_rank(rank);
    for (int64_t i = 0; a->steps(P, rank, &c, i, &s); i++) {
        if (s.kind == LOGP_STEP_COMPUTE)
            i += s.parts;
        if (s.kind == LOGP_STEP_COMBINE)
            s.kind = LOGP_STEP_COMPUTE;
        if (s.kind != LOGP_STEP_COPY && (s.kind != LOGP_STEP_COMPUTE || s.ns > 0))
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
    struct logp_schedule steps;

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
    steps = logp_schedule_of(a, o->P, &c.args, &c.model);
    if (form->begin != NULL)
        form->begin(o->P);
    for (int64_t rank = 0; rank < o->P; rank++)
        show_rank(form, a, o->P, rank, &steps);
    if (form->end != NULL)
        form->end();
    return EXIT_OK;
}

const struct command command_schedule = {
    .name = "schedule",
    .arguments = "COLLECTIVE",
    .summary = "list the steps of each processor: text, json or goal",
    .options = OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_OUTPUT,
    .answer = ANSWER_STEPS,
    .call = schedule,
};
