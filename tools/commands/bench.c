/* SPDX-License-Identifier: MIT */
/*
 * logp bench: all combinations of options that have several values, with all requested
 * algorithms. A point is one combination and algorithm, run until its median is known.
 */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "commands/live_table.h"
#include "file/file.h"
#include "view/records/records.h"
#include "answer/advice.h"
#include "answer/runs.h"
#include "view/canvas/picture.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000 }; /* without --reps */

/* The points of one combination of options. */
struct combination {
    struct question q;
    struct logp_invocation c;
    struct output out; /* the rows that were run */
    struct sweep *sweep;
    size_t n;
    struct row rows[MAX_ALGORITHMS]; /* n */
};

/* Progress over all points, in number and in estimated time. */
struct sweep {
    const struct question *q;
    FILE *f;
    const char *collective;
    struct saved *against; /* NULL: nothing */
    struct raw_file raw;
    char text[4096]; /* the sweep's identity: the collective, and options that matter */
    size_t points, done;
    struct expected_time all, past; /* past: of finished points */
    int64_t begun_ns;
    struct live_table table;
};

/* ---- one combination ---- */

/* Resolve combination i of the options, with the rows to run; they are marked as not yet run. */
static struct problem *resolve_combination(struct combination *x, int64_t i)
{
    const struct sweep *const s = x->sweep;
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];

    TRY(resolve_point(&x->q, i));
    if (!option_given(&x->q, "reps") && x->q.how.clock == LOGP_CLOCK_WALL)
        x->q.how.reps = MOST_RUNS;
    TRY(make_invocation(&x->q, s->collective, &x->c));
    TRY(choose_algorithms(&x->q, s->collective, &x->c, chosen, &x->n));
    for (size_t k = 0; k < x->n; k++)
        x->rows[k] = (struct row){.algorithm = chosen[k], .keeps_runs = x->q.form.raw != NULL};
    x->out = (struct output){.q = &x->q,
                             .collective = s->collective,
                             .c = &x->c,
                             .rows = x->rows,
                             .cores.n_cores = 1,
                             .sweep = s->text,
                             .against = s->against};
    return NULL;
}

/* ---- before anything is run ---- */

/* Add the expected time of a point to run, or (-1) remove it. */
static void expect(const struct combination *x, size_t k, int points)
{
    struct sweep *const s = x->sweep;
    const struct expected_time each = expect_time(&x->q, &x->c, x->rows[k].algorithm);

    s->all.likely_ns += each.likely_ns * points;
    s->all.most_ns += each.most_ns * points;
    live_table_expect(&s->table, x->rows[k].algorithm, points, each.likely_ns * points);
}

/* Note that n points cannot be compared, or refuse if that is all of them; the
 * first of them is in x. */
static struct problem *say_new(const struct combination *x, size_t k, size_t n)
{
    struct sweep *const s = x->sweep;
    struct problem *problem = NULL;
    char *what = differences(s->against, &x->out, &x->rows[k]);

    if (n == s->points)
        problem =
            option_problem("--against", x->q.form.against, "it has no point of this run: %s", what);
    else
        say_note("%zu of %zu points are not in %s: %s", n, s->points, x->q.form.against, what);
    free(what);
    return problem;
}

/* Open the run of --against, and report the points that it does not contain, with the
 * reason; n: combinations. */
static struct problem *open_against(struct combination *x, int64_t n)
{
    struct sweep *const s = x->sweep;
    size_t missing = 0, row = 0;
    int64_t first = 0;

    if (x->q.form.against == NULL)
        return NULL;
    TRY(open_saved(&x->q, &s->against));
    for (int64_t i = 0; i < n; i++) {
        TRY(resolve_combination(x, i));
        for (size_t k = 0; k < x->n; k++)
            if (saved_record(s->against, &x->out, &x->rows[k]) == NULL && missing++ == 0) {
                first = i;
                row = k;
            }
    }
    if (missing > 0) {
        TRY(resolve_combination(x, first));
        return say_new(x, row, missing);
    }
    return NULL;
}

/* Check all combinations, so that errors in any of them are reported before the first run.
 * combinations: their number */
static struct problem *plan(struct combination *x, int64_t *combinations)
{
    struct sweep *const s = x->sweep;
    const int64_t n = sweep_points(&x->q);
    int64_t empty = 0;

    for (int64_t i = 0; i < n; i++) {
        TRY(resolve_combination(x, i));
        TRY(check_machine(&x->q));
        empty += x->n == 0;
        for (size_t k = 0; k < x->n; k++)
            expect(x, k, 1);
        s->points += x->n;
    }
    if (s->points == 0)
        TRY(refuse_point(&x->q, s->collective, &x->c));
    say_left_out(&x->q);
    if (empty > 0)
        say_note("at %lld of %lld combinations no algorithm of %s applies", (long long)empty,
                 (long long)n, s->collective);
    *combinations = n;
    return NULL;
}

static void say_estimate(const struct question *q, const struct sweep *s)
{
    const size_t more = s->points - s->done;
    char time[32], there[48] = "";

    if (!q->form.progress && !q->form.format->for_people)
        return;
    if (s->done > 0)
        snprintf(there, sizeof(there), "after %zu in the file; ", s->done);
    if (more == 0)
        say_note("all %zu points are in the file; --restart runs them again", s->points);
    else
        say_note("%zu point%s, %sat most about %s", more, more == 1 ? "" : "s", there,
                 show_duration(s->all.most_ns, time));
}

/* ---- progress ---- */

static void show_progress(void *of, const struct row *row, int done, int total)
{
    const struct sweep *const s = of;
    const double left_ns = time_left_ns(s->all, s->past, (double)(host_ns() - s->begun_ns));
    char time[32], point[128];

    fprintf(stderr, "\rlogp: %zu of %zu points, %s left: %s %s %s, %d of %d runs \033[K", s->done,
            s->points, show_duration(left_ns, time), row->algorithm->collective,
            row->algorithm->name, show_point(s->q, point, sizeof(point)), done, total);
    fflush(stderr);
}

/* ---- the sweep ---- */

/* Run a row. The point is kept as soon as it is complete. Without a machine the point has
 * failed. *its: an exit code; -1: it was interrupted, and does not count */
static struct problem *run_point(struct combination *x, struct logp_machine *m, struct row *row,
                                 struct record_file *file, int *its)
{
    struct sweep *const s = x->sweep;
    struct expected_time each;
    size_t begun = 0;

    *its = EXIT_WRONG;
    if (x->q.form.progress && !x->q.form.watch)
        show_progress(s, row, 0, x->q.how.reps);
    if (m != NULL)
        *its = tell_problem(&x->q, run_rows(&x->q, m, &x->c, row, 1, &begun));
    if (runs_are_over(&x->q) && (begun == 0 || *its != EXIT_OK)) {
        *its = -1;
        forget_runs(row);
        return NULL;
    }
    add_raw(&s->raw, &x->out, row);
    row->ran = true;
    row->record.verified &= *its == EXIT_OK; /* so the file has it, whatever the error */
    if (s->against != NULL)
        row->change = compare_saved(&x->out, row);
    s->done++;
    each = expect_time(&x->q, &x->c, row->algorithm);
    s->past.likely_ns += each.likely_ns;
    s->past.most_ns += each.most_ns;
    x->out.n++;
    return file->f != NULL ? append_record(file, &x->out, row) : NULL;
}

/* Run the rows from the first on. *code: also EXIT_WRONG where one went wrong */
static struct problem *run_combination(struct combination *x, size_t first,
                                       struct record_file *file, int *code)
{
    struct problem *problem = NULL;
    struct logp_machine *m;
    int its = EXIT_OK;

    TRY(place_partners(&x->q, &x->c, &x->rows[first], x->n - first));
    TRY(try_machine(&x->q, &m));
    x->out.rows = &x->rows[first];
    if (m != NULL)
        logp_machine_core_use(m, &x->out.cores);
    for (size_t i = first; i < x->n && problem == NULL && its >= 0 && !runs_are_over(&x->q); i++) {
        problem = run_point(x, m, &x->rows[i], file, &its);
        *code |= its < 0 ? EXIT_WRONG : its;
    }
    end_machine(&x->q, m);
    return problem;
}

/* ---- all of them ---- */

/* The records of all points, in their order. */
struct results {
    struct output *first, *last;
};

/* Keep a copy of the rows that were run of a combination. */
static void keep(struct results *all, const struct combination *x)
{
    const size_t size = offsetof(struct combination, rows) + x->n * sizeof(x->rows[0]);
    struct combination *copy;

    if (x->out.n == 0)
        return;
    copy = need(malloc(size));
    memcpy(copy, x, size);
    copy->out.q = &copy->q;
    copy->out.c = &copy->c;
    copy->out.rows = copy->rows + (x->out.rows - x->rows);
    if (all->last != NULL)
        all->last->next = &copy->out;
    else
        all->first = &copy->out;
    all->last = &copy->out;
}

static void free_results(struct results *all)
{
    const struct output *next;

    for (const struct output *out = all->first; out != NULL; out = next) {
        next = out->next;
        free((char *)out - offsetof(struct combination, out));
    }
}

/* Check that the file's points are the first points of this sweep, which need not be run again. */
static struct problem *find_known(struct combination *x, int64_t n, struct record_file *file)
{
    struct sweep *const s = x->sweep;

    for (int64_t i = 0; i < n && s->done < file->n; i++) {
        TRY(resolve_combination(x, i));
        for (size_t k = 0; k < x->n && s->done < file->n; k++) {
            TRY(expect_record(file, s->done++, &x->out, &x->rows[k]));
            expect(x, k, -1);
        }
    }
    if (s->done < file->n)
        return option_problem("--output", file->path,
                              "it has more than the %zu points of this sweep; "
                              "--restart overwrites it",
                              s->points);
    return NULL;
}

/* Run all but the first `known`. @return an exit code */
static struct problem *run_all(struct combination *x, int64_t n, size_t known,
                               struct record_file *file, struct results *results, int *code)
{
    struct sweep *const s = x->sweep;
    struct watcher *const watcher = &x->q.work->watcher;
    const struct watcher usual = *watcher;
    struct problem *problem = NULL;

    s->begun_ns = host_ns();
    watcher->progress = show_progress;
    watcher->of = s;
    live_table_begin(&s->table, &x->q);
    for (int64_t i = 0; i < n && problem == NULL && !runs_are_over(&x->q); i++) {
        size_t first;

        problem = resolve_combination(x, i);
        first = known < x->n ? known : x->n;
        known -= first;
        if (problem != NULL || first == x->n)
            continue;
        problem = run_combination(x, first, file, code);
        keep(results, x);
    }
    live_table_end(&s->table);
    if (x->q.form.progress)
        fputs("\r\033[K", stderr);
    *watcher = usual;
    return problem;
}

static bool is_precise(const struct logp_record *r, int64_t ppm)
{
    const double median = (double)r->measured.median_ns, most = median * (double)ppm / 1e6;

    return r->has_interval && (double)r->interval.high_ns - median <= most &&
           median - (double)r->interval.low_ns <= most;
}

/* For people: count the medians that are not precise or were late. */
static void judge(FILE *f, const struct question *q, const struct output *out)
{
    int vague = 0, all = 0, late = 0, judged = 0;

    if (!q->form.format->for_people || q->how.clock != LOGP_CLOCK_WALL)
        return;
    for (; out != NULL; out = out->next) {
        const struct advice advice = judge_rows(out);

        late += advice.late;
        judged += advice.judged;
        for (size_t i = 0; i < out->n; i++, all++)
            vague += !is_precise(&out->rows[i].record, q->how.precision_ppm);
    }
    if (vague > 0)
        fprintf(
            f,
            "%d of %d medians did not reach a precision of %g %% (stopped by --reps or --limit)\n",
            vague, all, (double)q->how.precision_ppm / 1e4);
    if (late > 0)
        fprintf(
            f,
            "The host could not keep up with %d of %d, which took over 1 %% longer than predicted; "
            "see logp run.\n",
            late, judged);
}

/* Show the records, as text or as a page. A repeated request for the records of a file
 * gets as many as the first. */
static void show_sweep(const struct sweep *s, const struct question *q, sweep_view *answer,
                       size_t known, const struct record_file *file, const struct output *out)
{
    const bool records = answer == q->form.format->records;

    if (records && file->f != NULL &&
        strcmp(q->form.format->name, file->json ? "json" : "csv") == 0) {
        print_records(s->f, file);
        return;
    }
    if (records && known == s->points && q->form.format->for_people)
        return; /* no row is left; find_known() has noted that */
    if (records && known > 0)
        say_note("%zu of %zu points are in %s and are not shown again", known, s->points,
                 q->form.output);
    answer(s->f, out);
    if (records)
        judge(s->f, q, out);
}

/* Do the work of --against, --fail-on and --save. @return an exit code */
static int compare_and_save(const struct sweep *s, const struct question *q,
                            const struct output *out)
{
    int code = EXIT_OK;

    if (q->form.against != NULL)
        code |= tell_problem(q, sum_up_changes(s->f, q, s->against, out));
    if (q->form.save != NULL && s->done == s->points)
        code |= tell_problem(q, save_run(out, q->form.save));
    else if (q->form.save != NULL)
        say("--save %s: nothing is saved, because the run was interrupted", q->form.save);
    return code;
}

/* Draw it as curves in a file, or in the answer. @return an exit code */
static int draw_sweep(const struct sweep *s, const struct question *q, const struct output *out,
                      const char *to)
{
    return tell_problem(q, q->form.keeps_records ? draw_record_file(s->f, q, q->form.output, to)
                                                 : draw_records(s->f, q, out, to));
}

/* Look at all points and at the files of the options before anything is run. */
static struct problem *prepare(struct combination *x, const struct question *q, bool draws,
                               struct record_file *file, int64_t *n)
{
    struct sweep *const s = x->sweep;
    const struct output none = {.q = &x->q, .cores.n_cores = 1, .sweep = s->text};

    TRY(plan(x, n));
    TRY(open_against(x, *n));
    if (q->form.save != NULL)
        TRY(check_saved(q->form.save));
    if (draws)
        TRY(check_picture("--format", q->form.format->name));
    if (q->form.plot != NULL)
        TRY(check_picture("--plot", q->form.plot));
    if (q->form.keeps_records) {
        TRY(open_records(file, q->form.output, q->form.restart, &none));
        TRY(find_known(x, *n, file));
    }
    if (s->done > 0 && (q->form.save != NULL || q->form.against != NULL))
        return option_problem("--output", q->form.output,
                              "with --save and --against a new file; add --restart");
    return NULL;
}

/* Show the results, as the options ask. @return an exit code */
static int show_results(const struct combination *x, const struct question *q, sweep_view *answer,
                        const struct record_file *file, size_t known, const struct output *out,
                        struct answer_file *to)
{
    const struct sweep *const s = x->sweep;
    const struct output none = {.q = &x->q, .cores.n_cores = 1, .sweep = s->text};
    int code = EXIT_OK, shown = EXIT_OK;

    if (answer == NULL && !q->form.only_plot)
        shown = draw_sweep(s, q, out, q->form.format->name);
    else if (answer != NULL && (answer == q->form.format->records || out != NULL))
        show_sweep(s, q, answer, known, file, out != NULL ? out : &none);
    if (answer == NULL || q->form.only_plot)
        say_free_bytes_in(out);
    code |= compare_and_save(s, q, out);
    to->is_whole = s->done == s->points && shown == EXIT_OK;
    if (q->form.plot != NULL)
        code |= draw_sweep(s, q, out, q->form.plot);
    if (s->done < s->points)
        say("interrupted: %zu of %zu points were run%s", s->done, s->points,
            file->f != NULL ? "; the same command continues" : "");
    return code | shown;
}

static struct problem *sweep_all(struct combination *x, struct question *q, sweep_view *answer,
                                 struct record_file *file, struct results *results,
                                 struct answer_file *to)
{
    struct sweep *const s = x->sweep;
    struct problem *problem;
    size_t known;
    int code = EXIT_OK;
    int64_t n;

    TRY(prepare(x, q, answer == NULL && !q->form.only_plot, file, &n));
    TRY(open_raw(&s->raw, q));
    say_estimate(q, s);
    known = s->done;
    problem = run_all(x, n, known, file, results, &code);
    code |= tell_problem(q, close_raw(&s->raw));
    if (problem != NULL)
        return problem;
    code |= show_results(x, q, answer, file, known, results->first, to);
    return told(code != EXIT_OK || file->wrong || s->done < s->points ? EXIT_WRONG : EXIT_OK);
}

struct problem *run_sweep(struct question *q, sweep_view *answer, struct answer_file *to)
{
    static const struct names others = {{"format", "progress", "output", "restart", "plot", "watch",
                                         "save", "against", "fail-on", "ranks", "size", "title",
                                         "scale", "raw"},
                                        14};
    struct sweep *const s = need(calloc(1, sizeof(*s)));
    struct combination *const x = need(calloc(1, sizeof(*x)));
    struct record_file file = {0};
    struct results results = {NULL, NULL};
    struct problem *problem;
    char *given;

    x->q = *q;
    x->sweep = s;
    s->q = &x->q;
    s->f = to->f;
    problem = named_collective(q, &s->collective);
    if (problem == NULL) {
        given = options_given(q, &others);
        snprintf(s->text, sizeof(s->text), "%s%s", s->collective, given != NULL ? given : "");
        free(given);
        problem = sweep_all(x, q, answer, &file, &results, to);
    }
    free_results(&results);
    close_saved(s->against);
    if (file.f != NULL)
        close_records(&file);
    free(x);
    free(s);
    return problem;
}

static struct problem *bench(struct question *q, struct answer_file *to)
{
    return run_sweep(q, q->form.format->records, to);
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "COLLECTIVE",
    .summary = "measure over several P, sizes, L, ..., each until its median is precise",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_BASIS |
               OPTIONS_SWEEP | OPTIONS_FILE | OPTIONS_OUTPUT | OPTIONS_WATCH | OPTIONS_PROCESSES |
               OPTIONS_PLOT | OPTIONS_SAVE | OPTIONS_RANKS | OPTIONS_PICTURE | OPTIONS_CURVES,
    .answer = ANSWER_SWEEP,
    .under = &command_crossover,
    .remark =
        "\nOptions of the collective and of the model take several values:\n"
        "  -P 2,4,8             2, 4 and 8\n"
        "  -P '2..64*2'         from 2 to 64, each twice the one before\n"
        "  -L 2..20+2           from 2 to 20, in steps of 2 (default: 1)\n"
        "  --bytes '8,1k..64k*4'  a value and a range; without quotes zsh takes * for files\n"
        "All combinations are run: the last option of this list changes first. An algorithm is "
        "left\nout at points to which it does not apply.\n"
        "\n--reps limits the runs of a point [1000; virtual clock 1]. Records are those of\n"
        "run, and interval_ns (low, high: the median's 95 % interval; from .. to in the\ntable), "
        "runs and sweep. With --output, an interrupted sweep resumes where it\n"
        "stopped; a point that went wrong is not tried again; the exit code is 1.\n"
        "\n--save NAME keeps the run in $XDG_DATA_HOME/logp [~/.local/share/logp]. --against NAME\n"
        "compares each point with it: the ratio of the medians, now / then, and its 95 %\n"
        "interval, made of both medians' intervals. A point is slower (faster) if the interval\n"
        "is above (below) 1 and the change larger than --precision; on the virtual clock every\n"
        "change counts. Points and hosts that differ are not compared.\n"
        "\nlogp bench crossover COLLECTIVE: where the best algorithm changes, over P and sizes.",
    .call = bench,
};
