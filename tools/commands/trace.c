/* SPDX-License-Identifier: MIT */
/* logp trace: one run as a space-time diagram, next to its prediction; or the prediction only;
 * or the run of a replay file. */
#include "view/trace/trace.h"
#include "question/choice/choice.h"
#include "commands/command.h"
#include "file/file.h"
#include "answer/runs.h"
#include "view/replay/outcome.h"

#include <stdlib.h>
#include <string.h>

/* Run it on a machine of its own. *code: of an error, which has been printed */
static struct problem *run_traced(struct question *q, const struct logp_invocation *c,
                                  const struct logp_algorithm *a, struct logp_trace **trace,
                                  int *code)
{
    struct row row = {.algorithm = a};
    struct logp_machine *m;

    TRY(place_partners(q, c, &row, 1));
    TRY(create_machine(q, &m));
    *code = tell_problem(q, trace_run(q, m, c, &row, 0, trace));
    end_machine(q, m);
    return NULL;
}

/* The picture of a run that went wrong is wanted, too. */
static void show(const struct shown *s, struct answer_file *to)
{
    s->q->form.format->trace->show(to->f, s);
    to->is_whole = true;
}

/* ---- of a replay ---- */

enum { STEP = 1000 }; /* ns, where times are steps */

/* In place of options that mean something to a collective. */
static struct problem *resolve_replay(struct question *q, const struct logp_replay *r)
{
    static const struct names taken = {{"--replay", "--format", "--output", "--executor", "--unit",
                                        "--size", "--title", "--from", "--to", "--only", "--diff"},
                                       11};
    const int64_t times[] = {r->params.L_ns, r->params.o_send_ns, r->params.o_recv_ns,
                             r->params.g_ns};
    const int64_t most = q->form.format->trace->most;

    if (q->line.n_words > 1)
        return usage_problem(
            "trace %s --replay: give either a collective or --replay FILE, not both",
            q->line.words[1]);
    TRY(refuse_others_than(q, &taken, "--replay"));
    if (q->how.diff && q->form.format->trace != &trace_as_text &&
        q->form.format->trace != &trace_as_svg)
        return must_be("--format", q->form.format->name, "text or svg with --diff");
    if (most > 0 && r->P > most)
        return option_problem("--format", q->form.format->name,
                              "with up to %lld processors, and this has %d", (long long)most, r->P);
    q->model.emulated = r->has_params;
    q->model.network.params = r->params;
    q->model.ignores_G = false;
    q->model.network.topology = NULL;
    q->model.network.faults = r->faults;
    q->model.network.noise = r->noise;
    if (r->has_params && option_given(q, "unit"))
        return NULL;
    q->model.unit_ns = r->has_params ? 1 : STEP;
    for (int64_t unit = 1; r->has_params && unit <= r->params.L_ns; unit *= 10) {
        bool fits = true;

        for (int i = 0; i < 4; i++)
            fits &= times[i] % unit == 0;
        q->model.unit_ns = fits ? unit : q->model.unit_ns;
    }
    return NULL;
}

/* Join the lines of a failure's text that describe the failure. To be freed */
static char *in_short(const char *text)
{
    char *all = need(calloc(2 * strlen(text) + 1, 1)), *to = all;
    bool wanted = true;

    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *words = line + strspn(line, " ");
        const size_t n = strcspn(words, "\n");

        wanted = wanted && strncmp(line, "run ", 4) != 0 && strncmp(line, "last ", 5) != 0;
        if (wanted && n > 0)
            to += sprintf(to, "%s%.*s", to > all ? "; " : "", (int)n, words);
        wanted = wanted || strncmp(line, "waits:", 6) == 0;
        if (words[n] == '\0')
            break;
    }
    return all;
}

static bool is_event(const struct logp_event *e)
{
    return e->kind != LOGP_EVENT_IDLE && e->kind != LOGP_EVENT_GAP && e->kind != LOGP_EVENT_STALL;
}

static int64_t start_of(const struct logp_event *e, size_t n, size_t i)
{
    return i < n ? e[i].start_ns : INT64_MAX;
}

/* Begin of the first event that is not in both runs; -1: there is none */
static int64_t parted(const struct logp_trace *a, const struct logp_trace *b)
{
    int64_t first = INT64_MAX;

    for (int64_t r = 0; r < logp_trace_info(a)->P; r++) {
        size_t n, m, i = 0, k = 0;
        const struct logp_event *x = logp_trace_events(a, r, &n), *y = logp_trace_events(b, r, &m);
        int64_t at;

        for (;; i++, k++) {
            while (i < n && !is_event(&x[i]))
                i++;
            while (k < m && !is_event(&y[k]))
                k++;
            if (i == n || k == m || x[i].kind != y[k].kind || x[i].peer != y[k].peer ||
                x[i].tag != y[k].tag || x[i].start_ns != y[k].start_ns)
                break;
        }
        at = start_of(x, n, i) < start_of(y, m, k) ? start_of(x, n, i) : start_of(y, m, k);
        first = at < first ? at : first;
    }
    return first < INT64_MAX ? first : -1;
}

/* Show the failure next to the nearest run that passes. point: where they
 * differ, and the failure */
static void show_diff(struct shown *s, const struct replayed *what, struct answer_file *to)
{
    const char *failure = s->failure;
    char *point = shown_text(what->point), *all, time[32];
    const int64_t at = parted(what->trace, what->nearest);

    all = need(calloc(strlen(point) + strlen(failure) + 128, 1));
    sprintf(all, "they differ in %s", point);
    if (at >= 0)
        sprintf(all + strlen(all), "; from %s %s on%s", s->steps ? "step" : "time",
                in_units(s->q, at, time),
                s->q->form.format->trace == &trace_as_svg ? " (dotted line)" : "");
    sprintf(all + strlen(all), "; %s", failure);
    s->predicted = what->nearest;
    s->names[0] = "the failure";
    s->names[1] = "the nearest run that passes";
    s->parted_ns = at;
    s->failure = all;
    show(s, to);
    s->failure = failure;
    free(all);
    free(point);
}

static void show_whole(struct shown *s, const struct replayed *what, struct answer_file *to)
{
    (void)what;
    show(s, to);
}

static struct problem *show_run(struct shown *s, const struct logp_replay *r,
                                const struct replayed *what, struct answer_file *to)
{
    const char *const file = s->q->how.replay;
    int code = EXIT_OK;

    s->trace = what->trace;
    s->steps = what->steps;
    if (what->trace == NULL || what->outcome > REPLAYED_FIXED)
        code = tell_problem(s->q, show_replayed(to->f, file, r, what));
    else
        note_changed(file, r, what);
    if (what->trace == NULL && what->outcome <= REPLAYED_FIXED)
        say("%s: nothing could be recorded", file);
    else if (what->trace != NULL) {
        TRY(check_window(s->q, s->trace));
        (what->nearest != NULL ? show_diff : show_whole)(s, what, to);
    }
    if (s->q->how.diff && what->outcome <= REPLAYED_OTHERWISE && what->nearest == NULL)
        say("%s: no run that passes was found near it", file);
    return told(code);
}

static struct problem *trace_replay(struct question *q, struct answer_file *to)
{
    struct logp_replay *r;
    char *program, *failure, *text;
    struct shown s = {.q = q, .says_marks = true};
    struct replayed what;
    struct problem *problem;

    TRY(read_replay(q->how.replay, &r));
    problem = resolve_replay(q, r);
    if (problem == NULL)
        problem = run_replay(q, q->how.replay, r, true, &what);
    if (problem == NULL) {
        s.program = program = shown_text(r->name);
        text = in_short(what.text != NULL ? what.text : "");
        s.failure = failure = shown_text(text);
        problem = show_run(&s, r, &what, to);
        free(text);
        free(program);
        free(failure);
        free_replayed(&what);
    }
    logp_replay_free(r);
    return problem;
}

/* ---- of a collective ---- */

/* Refuse runs that cannot be shown before anything is run. */
static struct problem *refuse(const struct question *q, const struct logp_algorithm *a)
{
    const int64_t most = q->form.format->trace->most;

    if (most > 0 && q->model.P > most)
        return must_be("-P", option_text(q, "P"),
                       "1 .. %lld processors for %s; json and perfetto take more", (long long)most,
                       q->form.format->name);
    if (q->model.P > LOGP_MAX_PROCESSORS)
        return must_be("-P", option_text(q, "P"), "1 .. %d processors", LOGP_MAX_PROCESSORS);
    if (q->how.only_predicted && a->steps == NULL)
        return option_problem("--algo", a->name,
                              "with --predicted: one with steps; %s has only a run function",
                              a->name);
    if (q->how.only_predicted && !q->model.emulated && q->model.plugin == NULL)
        return option_problem("--delay", q->model.delay->name,
                              "with --predicted: a model in which messages take time");
    return NULL;
}

/* The reason why there is no trace without a run. */
static struct problem *why_untraced(const struct question *q, const struct logp_invocation *c,
                                    const struct logp_algorithm *a)
{
    if (is_faulty(q))
        return must_be("predicted", "on",
                       "off: random faults and noise have no prediction; remove it");
    TRY(check_steps(q, c, a));
    return failure("%s %s cannot be predicted here", a->collective, a->name);
}

/* Trace the run and the prediction, as far as they are wanted; the caller frees both. */
static struct problem *make_traces(struct question *q, const struct logp_invocation *c,
                                   const struct logp_algorithm *a, struct logp_trace **run,
                                   struct logp_trace **predicted, int *code)
{
    if (is_of_plugin(q, a) && !is_faulty(q))
        TRY(check_steps(q, c, a));
    if (!q->how.only_predicted)
        TRY(check_machine(q));
    if (q->model.emulated || q->model.plugin != NULL)
        TRY(trace_prediction(q, c, a, 0, predicted));
    if (!q->how.only_predicted)
        TRY(run_traced(q, c, a, run, code));
    return q->how.only_predicted && *predicted == NULL ? why_untraced(q, c, a) : NULL;
}

static struct problem *trace_collective(struct question *q, struct answer_file *to)
{
    struct asked a;
    struct logp_trace *run = NULL, *predicted = NULL;
    struct shown s = {.q = q};
    struct problem *problem;
    int code = EXIT_OK;

    TRY(asked_algorithms(q, &a));
    TRY(only_one(q, a.chosen, a.n));
    TRY(refuse(q, a.chosen[0]));
    say_free_bytes(q, a.collective, &a.c);
    if (!option_given(q, "reps"))
        q->how.reps = 1;
    problem = make_traces(q, &a.c, a.chosen[0], &run, &predicted, &code);
    s.algorithm = a.chosen[0];
    s.trace = q->how.only_predicted ? predicted : run;
    s.predicted = q->how.only_predicted ? NULL : predicted;
    if (s.predicted != NULL && s.trace != NULL)
        s.parting = compare_traces(s.trace, s.predicted);
    if (problem == NULL && s.trace != NULL)
        problem = check_window(q, s.trace);
    if (problem == NULL && s.trace != NULL)
        show(&s, to);
    logp_trace_free(run);
    logp_trace_free(predicted);
    return problem != NULL ? problem : told(code);
}

static struct problem *trace(struct question *q, struct answer_file *to)
{
    if (q->how.diff && q->how.replay == NULL)
        return usage_problem("trace: --diff needs --replay FILE");
    if (q->how.replay != NULL)
        return trace_replay(q, to);
    TRY(add_rest(q));
    return trace_collective(q, to);
}

const struct command command_trace = {
    .name = "trace",
    .arguments = "COLLECTIVE",
    .summary = "draw one run as a space-time diagram: text, svg, perfetto, json or goal",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_OUTPUT |
               OPTIONS_BASIS | OPTIONS_TRACE | OPTIONS_REPLAY | OPTIONS_PICTURE,
    .answer = ANSWER_TRACE,
    .remark = "\nThe last counted run is shown (default: --reps 1), with its prediction. They "
              "differ from the\nfirst event that ends more than 1 % of the total time later or "
              "earlier. A .pftrace file of\n--format perfetto opens at "
              "https://ui.perfetto.dev.\nWith --fault a lost message ends halfway in a cross, and "
              "a message that is never received in\na ring; in json `fate` of a send is dropped, "
              "duplicated or flipped, `received` the number of\ntimes that it was received, and a "
              "wait without an end is endless.\n--replay FILE [-- PROGRAM ARGUMENTS] draws the run "
              "of logp replay; a run without times is\ndrawn in the order of its events.",
    .call = trace,
    .starts = true,
};
