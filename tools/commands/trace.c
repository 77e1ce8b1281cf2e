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

/* Run it on a machine of its own. @return an exit code */
static int run_traced(struct question *q, const struct logp_invocation *c,
                      const struct logp_algorithm *a, struct logp_trace **trace)
{
    struct row row = {.algorithm = a};
    struct logp_machine *m;
    int code;

    end_with(place_partners(q, c, &row, 1));
    end_with(create_machine(q, &m));
    code = tell_problem(q, trace_run(q, m, c, &row, 0, trace));
    end_machine(q, m);
    return code;
}

/* The picture of a run that went wrong is wanted, too. */
static void show(const struct shown *s)
{
    s->q->form.format->trace->show(stdout, s);
    answer_is_whole();
}

/* ---- of a replay ---- */

enum { STEP = 1000 }; /* ns, where times are steps */

/* In place of options that mean something to a collective. */
static void resolve_replay(struct question *q, const struct logp_replay *r)
{
    static const struct names taken = {
        {"--replay", "--format", "--output", "--executor", "--unit", "--size", "--title", "--diff"},
        8};
    const int64_t times[] = {r->params.L_ns, r->params.o_send_ns, r->params.o_recv_ns,
                             r->params.g_ns};
    const int64_t most = q->form.format->trace->most;

    if (q->line.n_words > 1)
        bad_usage("trace %s --replay: give either a collective or --replay FILE, not both",
                  q->line.words[1]);
    end_with(refuse_others_than(q, &taken, "--replay"));
    if (q->how.diff && q->form.format->trace != &trace_as_text &&
        q->form.format->trace != &trace_as_svg)
        bad_option("--format", q->form.format->name, "text or svg with --diff");
    if (most > 0 && r->P > most)
        bad_option("--format", q->form.format->name, "with up to %lld processors, and this has %d",
                   (long long)most, r->P);
    q->model.emulated = r->has_params;
    q->model.network.params = r->params;
    q->model.ignores_G = false;
    q->model.network.topology = NULL;
    q->model.network.faults = r->faults;
    q->model.network.noise = r->noise;
    if (r->has_params && option_given(q, "unit"))
        return;
    q->model.unit_ns = r->has_params ? 1 : STEP;
    for (int64_t unit = 1; r->has_params && unit <= r->params.L_ns; unit *= 10) {
        bool fits = true;

        for (int i = 0; i < 4; i++)
            fits &= times[i] % unit == 0;
        q->model.unit_ns = fits ? unit : q->model.unit_ns;
    }
}

/* Join the lines of a failure's text that describe the failure. To be freed */
static char *in_short(const char *text)
{
    char *all = or_end(calloc(2 * strlen(text) + 1, 1)), *to = all;
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
static void show_diff(struct shown *s, const struct replayed *what)
{
    const char *failure = s->failure;
    char *point = shown_text(what->point), *all, time[32];
    const int64_t at = parted(what->trace, what->nearest);

    all = or_end(calloc(strlen(point) + strlen(failure) + 128, 1));
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
    show(s);
    s->failure = failure;
    free(all);
    free(point);
}

static int trace_replay(struct question *q)
{
    struct logp_replay *r;
    char *program, *failure, *text;
    struct shown s = {.q = q};
    struct replayed what;
    int code = EXIT_OK;

    end_with(read_replay(q->how.replay, &r));
    s.program = program = shown_text(r->name);
    resolve_replay(q, r);
    end_with(run_replay(q, q->how.replay, r, true, &what));
    text = in_short(what.text != NULL ? what.text : "");
    failure = shown_text(text);
    free(text);
    s.failure = failure;
    s.trace = what.trace;
    s.steps = what.steps;
    if (what.trace == NULL || what.outcome > REPLAYED_FIXED)
        code = tell_problem(q, show_replayed(stdout, q->how.replay, r, &what));
    else
        note_changed(q->how.replay, r, &what);
    if (what.trace == NULL && what.outcome <= REPLAYED_FIXED)
        say("%s: nothing could be recorded", q->how.replay);
    else if (what.trace != NULL && what.nearest != NULL)
        show_diff(&s, &what);
    else if (what.trace != NULL)
        show(&s);
    if (q->how.diff && what.outcome <= REPLAYED_OTHERWISE && what.nearest == NULL)
        say("%s: no run that passes was found near it", q->how.replay);
    free(program);
    free(failure);
    free_replayed(&what);
    logp_replay_free(r);
    return code;
}

/* ---- of a collective ---- */

/* Refuse runs that cannot be shown before anything is run. */
static void refuse(const struct question *q, const struct logp_algorithm *a, size_t n)
{
    const int64_t most = q->form.format->trace->most;

    if (n > 1)
        bad_option("--algo", q->what.algorithm_list, "one algorithm");
    if (most > 0 && q->model.P > most)
        bad_option("-P", option_text(q, "P"),
                   "1 .. %lld processors for %s; json and perfetto take more", (long long)most,
                   q->form.format->name);
    if (q->model.P > LOGP_MAX_PROCESSORS)
        bad_option("-P", option_text(q, "P"), "1 .. %d processors", LOGP_MAX_PROCESSORS);
    if (q->how.only_predicted && a->steps == NULL)
        bad_option("--algo", a->name,
                   "with --predicted: one with steps; %s has only a run function", a->name);
    if (q->how.only_predicted && !q->model.emulated && q->model.plugin == NULL)
        bad_option("--delay", q->model.delay->name,
                   "with --predicted: a model in which messages take time");
}

static int trace_collective(struct question *q)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    const char *collective;
    struct logp_invocation c;
    struct logp_trace *run = NULL, *predicted = NULL;
    struct shown s = {.q = q};
    int code = EXIT_OK;
    size_t n;

    end_with(named_collective(q, &collective));
    end_with(make_invocation(q, collective, &c));
    end_with(choose_algorithms(q, collective, &c, chosen, &n));
    s.algorithm = chosen[0];
    refuse(q, chosen[0], n);
    say_free_bytes(q, collective, &c);
    if (!option_given(q, "reps"))
        q->how.reps = 1;
    if (!q->how.only_predicted)
        end_with(check_machine(q));
    if (q->model.emulated || q->model.plugin != NULL)
        end_with(trace_prediction(q, &c, chosen[0], 0, &predicted));
    if (!q->how.only_predicted)
        code = run_traced(q, &c, chosen[0], &run);
    s.trace = q->how.only_predicted ? predicted : run;
    s.predicted = q->how.only_predicted ? NULL : predicted;
    if (s.trace == NULL && q->how.only_predicted && is_faulty(q))
        bad_option("predicted", "on", "off: random faults and noise have no prediction; remove it");
    if (s.trace == NULL && q->how.only_predicted) {
        end_with(check_steps(q, &c, chosen[0]));
        fprintf(stderr, "logp: %s %s cannot be predicted here\n", collective, chosen[0]->name);
        code = EXIT_WRONG;
    }
    if (s.predicted != NULL && s.trace != NULL)
        s.parting = compare_traces(s.trace, s.predicted);
    if (s.trace != NULL)
        show(&s);
    logp_trace_free(run);
    logp_trace_free(predicted);
    return code;
}

static int trace(struct question *q)
{
    if (q->how.diff && q->how.replay == NULL)
        bad_usage("trace: --diff needs --replay FILE");
    if (q->how.replay != NULL)
        return trace_replay(q);
    end_with(add_rest(q));
    return trace_collective(q);
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
