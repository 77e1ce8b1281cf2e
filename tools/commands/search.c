/* SPDX-License-Identifier: MIT */
/*
 * logp search: look for a faster schedule until the time is over or Ctrl-C, report its distance
 * from the lower bound, and write it.
 */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "file/file.h"
#include "answer/runs.h"
#include "view/schedule/forms.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static volatile sig_atomic_t is_stopped;

static void on_signal(int signal_number)
{
    (void)signal_number;
    is_stopped = 1;
}

struct watched {
    const struct question *q;
    int64_t begun_ns, until_ns, shown_ns;
};

static void show_progress(const struct watched *w, const struct logp_search_state *s, int64_t now)
{
    char best[32], bound[32], left[32];

    fprintf(stderr, "\rlogp: search: %s, bound %s, %llu schedules, at most %s left \033[K",
            show_ns(s->ns, best, sizeof(best)),
            s->bound_ns >= 0 ? show_ns(s->bound_ns, bound, sizeof(bound)) : "unknown",
            (unsigned long long)s->tried, show_duration((double)(w->until_ns - now), left));
    fflush(stderr);
}

static bool ask_stop(void *arg, const struct logp_search_state *state)
{
    const int64_t every_ns = 200000000;
    struct watched *w = arg;
    const int64_t now = host_ns();

    if (w->q->form.progress && now >= w->shown_ns + every_ns) {
        w->shown_ns = now;
        show_progress(w, state, now);
    }
    return is_stopped != 0 || now >= w->until_ns;
}

static const char *show_proof(const struct logp_search_result *r, char buf[160])
{
    const struct logp_search_state *s = &r->state;
    char gap[32];

    if (r->proof == LOGP_SEARCH_EQUALS_BOUND)
        return "it is the lower bound, so none is faster";
    if (r->proof == LOGP_SEARCH_EXHAUSTIVE)
        return "all schedules were looked at, and none is faster";
    if (s->bound_ns < 0)
        return "no bound is known";
    snprintf(buf, 160, "none; the gap to the bound is %s (%.1f %%)%s",
             show_ns(s->ns - s->bound_ns, gap, sizeof(gap)),
             s->bound_ns > 0 ? 100.0 * (double)(s->ns - s->bound_ns) / (double)s->bound_ns : 0.0,
             r->words_done && r->word_ns == s->ns ? "; no word is shorter" : "");
    return buf;
}

/* varies: latencies do, so that its time is an upper bound */
static void show_result(FILE *f, const struct logp_search_result *r, bool varies)
{
    static const struct {
        const char *by, *text;
    } origins[] = {{"table", "the best algorithm of the table"},
                   {"word", "a word: all processors do the same"},
                   {"tree", "a tree"},
                   {"matching", "a matching of items"},
                   {"order", "steps in another order"},
                   {"exhaustive", "a search through all schedules"}};
    const struct logp_search_state *s = &r->state;
    const char *found = s->found_by;
    char time[32], proof[160];

    for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
        found = strcmp(origins[i].by, s->found_by) == 0 ? origins[i].text : found;
    fprintf(f, "time:   %s%s\n", varies ? "at most " : "", show_ns(s->ns, time, sizeof(time)));
    fprintf(f, "bound:  %s\n",
            s->bound_ns >= 0 ? show_ns(s->bound_ns, time, sizeof(time)) : "unknown");
    fprintf(f, "proof:  %s\n", show_proof(r, proof));
    fprintf(f, "table:  %s\n", show_ns(s->table_ns, time, sizeof(time)));
    fprintf(f, "found:  %s; %llu schedule%s in %lld round%s\n", found, (unsigned long long)s->tried,
            s->tried == 1 ? "" : "s", (long long)s->rounds, s->rounds == 1 ? "" : "s");
}

/* ---- the folder ---- */

static struct problem *keep_in_folder(const struct question *q, const struct logp_invocation *c,
                                      const struct schedule_shown *shown,
                                      const struct logp_search_result *r)
{
    struct new_file file;
    struct problem *problem = NULL;
    const struct logp_step_list *list;
    int64_t before;
    char *path;
    int error;

    TRY(found_before(q, shown->collective->name, c, &list, &before));
    if (list != NULL && before <= r->state.ns) {
        say_note("%s already has a schedule that is as fast", q->what.schedules);
        return NULL;
    }
    path = path_in_folder(q, shown->collective->name, c);
    error = new_file_begin(&file, path);
    if (error == 0) {
        problem = show_schedule(file.f, &steps_as_json, shown);
        if (problem == NULL)
            error = new_file_keep(&file);
        else
            new_file_drop(&file);
    }
    if (error == 0 && problem == NULL)
        say_note("kept in %s", path);
    free(path);
    return error == 0 ? problem
                      : must_be("--schedules", q->what.schedules,
                                "a folder that can be written: %s", strerror(error));
}

/* ---- the command ---- */

static struct problem *make_folder(const char *dir)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return must_be("--schedules", dir, "a folder that can be made: %s", strerror(errno));
    return NULL;
}

static struct problem *look(const struct question *q, const char *collective,
                            const struct logp_invocation *c, struct logp_search_result **r)
{
    const struct sigaction action = {.sa_handler = on_signal};
    const int64_t now = host_ns();
    struct watched w = {
        .q = q, .begun_ns = now, .until_ns = now + q->how.limit_ns, .shown_ns = now};
    struct logp_search ask = LOGP_SEARCH(collective, q->model.P, &c->args, &c->model);
    int rc;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    ask.seed = q->how.seed;
    ask.stop = ask_stop;
    ask.arg = &w;
    *r = NULL;
    rc = logp_search_run(&ask, r);
    if (w.shown_ns > w.begun_ns)
        fputs("\r\033[K", stderr);
    TRY(search_refused(q, collective, c, rc));
    if (is_stopped != 0)
        say_note("interrupted: this is the best so far");
    return NULL;
}

static struct problem *search(struct question *q, struct answer_file *to)
{
    const char *collective;
    struct logp_invocation c;
    const bool writes = q->form.output != NULL || !q->form.format->for_people;
    struct logp_search_result *r;
    struct logp_algorithm row;
    struct schedule_shown shown;
    struct problem *problem = NULL;

    TRY(named_collective(q, &collective));
    TRY(make_invocation(q, collective, &c));
    if (q->what.schedules != NULL)
        TRY(make_folder(q->what.schedules));
    if (q->model.plugin != NULL || !q->model.emulated)
        return usage_problem("search %s: needs a delay model of the table, as --delay logp",
                             collective);
    say_free_bytes(q, collective, &c);
    TRY(look(q, collective, &c, &r));
    row = (struct logp_algorithm){LOGP_ALGORITHM(collective, "search", "", ""),
                                  .steps = logp_algorithm_find("schedule", "listed")->steps,
                                  .plan = logp_step_list_plan};
    shown = (struct schedule_shown){.steps = logp_schedule_of(&row, q->model.P, &c.args, &c.model),
                                    .algorithm = &row,
                                    .collective = logp_collective_find(collective),
                                    .has_data = true};
    shown.steps.args.list = r->list;
    if (writes)
        problem = show_schedule(to->f, q->form.format->steps, &shown);
    show_result(writes ? notes_stream() : to->f, r, c.model.params.latency_varies);
    if (problem == NULL && q->what.schedules != NULL)
        problem = keep_in_folder(q, &c, &shown, r);
    logp_search_free(r);
    return problem;
}

const struct command command_search = {
    .name = "search",
    .arguments = "COLLECTIVE",
    .summary = "look for a faster schedule; --output FILE writes its steps",
    .options = OPTIONS_MODEL | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_SEARCH,
    .answer = ANSWER_STEPS,
    .remark =
        "\nIt ends after --limit, where its time is the lower bound, or at Ctrl-C, and gives the "
        "best so\nfar. logp predict --schedule FILE --as COLLECTIVE checks a written file; "
        "--schedules DIR keeps\nit, for --algo auto and --algo search of other commands.",
    .call = search,
};
