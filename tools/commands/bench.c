/* SPDX-License-Identifier: MIT */
/*
 * logp bench: all combinations of options that have several values, with all requested
 * algorithms. A point is one combination and algorithm, run until its median is known.
 */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "commands/live_table.h"
#include "view/canvas/picture.h"
#include "file/file.h"
#include "view/records/records.h"
#include "answer/advice.h"
#include "answer/runs.h"

#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000 }; /* without --reps */

/* The points of one combination of options. */
struct combination {
    struct question q;
    struct logp_invocation c;
    struct output out; /* the rows that were run */
    size_t n;
    struct row rows[MAX_ALGORITHMS]; /* n */
};

/* Progress over all points, in number and in estimated time. */
static struct {
    const struct question *q;
    const char *collective;
    struct saved *against; /* NULL: nothing */
    char text[4096];       /* the sweep's identity: the collective, and options that matter */
    size_t points, done;
    struct expected_time all, past; /* past: of finished points */
    int64_t begun_ns;
    struct live_table table;
} sweep;

/* ---- one combination ---- */

/* Resolve combination i of the options, with the rows to run; they are marked as not yet run. */
static void resolve_combination(struct combination *x, int64_t i)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];

    end_with(resolve_point(&x->q, i));
    if (!option_given(&x->q, "reps") && x->q.how.clock == LOGP_CLOCK_WALL)
        x->q.how.reps = MOST_RUNS;
    end_with(make_invocation(&x->q, sweep.collective, &x->c));
    end_with(choose_algorithms(&x->q, sweep.collective, &x->c, chosen, &x->n));
    for (size_t k = 0; k < x->n; k++)
        x->rows[k] = (struct row){.algorithm = chosen[k]};
    x->out = (struct output){.q = &x->q,
                             .collective = sweep.collective,
                             .c = &x->c,
                             .rows = x->rows,
                             .n_cores = 1,
                             .sweep = sweep.text,
                             .against = sweep.against};
}

/* ---- before anything is run ---- */

/* Add the expected time of a point to run, or (-1) remove it. */
static void expect(const struct combination *x, size_t k, int points)
{
    const struct expected_time each = expect_time(&x->q, &x->c, x->rows[k].algorithm);

    sweep.all.likely_ns += each.likely_ns * points;
    sweep.all.most_ns += each.most_ns * points;
    live_table_expect(&sweep.table, x->rows[k].algorithm, points, each.likely_ns * points);
}

/* Note that n points cannot be compared, or refuse if that is all of them; the
 * first of them is in x. */
static void say_new(const struct combination *x, size_t k, size_t n)
{
    char *what = differences(sweep.against, &x->out, &x->rows[k]);

    if (n == sweep.points)
        bad_option("--against", x->q.form.against, "it has no point of this run: %s", what);
    say_note("%zu of %zu points are not in %s: %s", n, sweep.points, x->q.form.against, what);
    free(what);
}

/* Open the run of --against, and report the points that it does not contain, with the
 * reason; n: combinations. */
static void open_against(struct combination *x, int64_t n)
{
    size_t missing = 0, row = 0;
    int64_t first = 0;

    if (x->q.form.against == NULL)
        return;
    end_with(open_saved(&x->q, &sweep.against));
    for (int64_t i = 0; i < n; i++) {
        resolve_combination(x, i);
        for (size_t k = 0; k < x->n; k++)
            if (saved_record(sweep.against, &x->out, &x->rows[k]) == NULL && missing++ == 0) {
                first = i;
                row = k;
            }
    }
    if (missing > 0) {
        resolve_combination(x, first);
        say_new(x, row, missing);
    }
}

/* Check all combinations, so that errors in any of them are reported before the first run.
 * @return the number of combinations */
static int64_t plan(struct combination *x)
{
    const int64_t n = sweep_points(&x->q);
    int64_t empty = 0;

    for (int64_t i = 0; i < n; i++) {
        resolve_combination(x, i);
        end_with(check_machine(&x->q));
        empty += x->n == 0;
        for (size_t k = 0; k < x->n; k++)
            expect(x, k, 1);
        sweep.points += x->n;
    }
    if (sweep.points == 0)
        end_with(refuse_point(&x->q, sweep.collective, &x->c));
    say_left_out(&x->q);
    if (empty > 0)
        say_note("at %lld of %lld combinations no algorithm of %s applies", (long long)empty,
                 (long long)n, sweep.collective);
    return n;
}

static void say_estimate(const struct question *q)
{
    const size_t more = sweep.points - sweep.done;
    char time[32], there[48] = "";

    if (!q->form.progress && !q->form.format->for_people)
        return;
    if (sweep.done > 0)
        snprintf(there, sizeof(there), "after %zu in the file; ", sweep.done);
    if (more == 0)
        say_note("all %zu points are in the file", sweep.points);
    else
        say_note("%zu point%s, %sat most about %s", more, more == 1 ? "" : "s", there,
                 show_duration(sweep.all.most_ns, time));
}

/* ---- progress ---- */

static void show_progress(void *of, const struct row *row, int done, int total)
{
    const double left_ns =
        time_left_ns(sweep.all, sweep.past, (double)(host_ns() - sweep.begun_ns));
    char time[32], point[128];

    (void)of;
    fprintf(stderr, "\rlogp: %zu of %zu points, %s left: %s %s %s, %d of %d runs \033[K",
            sweep.done, sweep.points, show_duration(left_ns, time), row->algorithm->collective,
            row->algorithm->name, show_point(sweep.q, point, sizeof(point)), done, total);
    fflush(stderr);
}

/* ---- the sweep ---- */

/* Run a row. The point is kept as soon as it is complete. Without a machine the point has
 * failed. @return an exit code; -1: it was interrupted, and does not count */
static int run_point(struct combination *x, struct logp_machine *m, struct row *row,
                     struct record_file *file)
{
    struct expected_time each;
    int code = EXIT_WRONG;
    size_t begun = 0;

    if (x->q.form.progress && !x->q.form.watch)
        show_progress(NULL, row, 0, x->q.how.reps);
    if (m != NULL)
        code = tell_problem(&x->q, run_rows(&x->q, m, &x->c, row, 1, &begun));
    if (runs_are_over(&x->q) && (begun == 0 || code != EXIT_OK))
        return -1;
    row->ran = true;
    row->record.verified &= code == EXIT_OK; /* so the file has it, whatever the error */
    if (sweep.against != NULL)
        row->change = compare_saved(&x->out, row);
    sweep.done++;
    each = expect_time(&x->q, &x->c, row->algorithm);
    sweep.past.likely_ns += each.likely_ns;
    sweep.past.most_ns += each.most_ns;
    x->out.n++;
    if (file->f != NULL && tell_problem(&x->q, append_record(file, &x->out, row)) != EXIT_OK) {
        drop_all_files();
        _Exit(EXIT_WRONG); /* the data in the file's buffer are lost */
    }
    return code;
}

/* Run the rows from the first on. @return an exit code */
static int run_combination(struct combination *x, size_t first, struct record_file *file)
{
    struct logp_machine *m;
    int code = EXIT_OK;

    end_with(place_partners(&x->q, &x->c, &x->rows[first], x->n - first));
    end_with(try_machine(&x->q, &m));
    x->out.rows = &x->rows[first];
    x->out.n_cores = m != NULL ? logp_machine_cores(m) : 1;
    for (size_t i = first; i < x->n && code >= 0 && !runs_are_over(&x->q); i++) {
        const int its = run_point(x, m, &x->rows[i], file);

        code = its < 0 ? its : code | its;
    }
    end_machine(&x->q, m);
    return code < 0 ? EXIT_WRONG : code;
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
    struct combination *copy = x->out.n > 0 ? malloc(size) : NULL;

    if (x->out.n == 0)
        return;
    if (copy == NULL)
        bad_usage("no memory for the records");
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
static void find_known(struct combination *x, int64_t n, struct record_file *file)
{
    for (int64_t i = 0; i < n && sweep.done < file->n; i++) {
        resolve_combination(x, i);
        for (size_t k = 0; k < x->n && sweep.done < file->n; k++) {
            end_with(expect_record(file, sweep.done++, &x->out, &x->rows[k]));
            expect(x, k, -1);
        }
    }
    if (sweep.done < file->n)
        bad_option("--output", file->path,
                   "it has more than the %zu points of this sweep; "
                   "--restart overwrites it",
                   sweep.points);
}

/* Run all but the first `known`. @return an exit code */
static int run_all(struct combination *x, int64_t n, size_t known, struct record_file *file,
                   struct results *results)
{
    int code = EXIT_OK;

    sweep.begun_ns = host_ns();
    x->q.work->watcher.progress = show_progress;
    live_table_begin(&sweep.table, &x->q);
    for (int64_t i = 0; i < n && !runs_are_over(&x->q); i++) {
        size_t first;

        resolve_combination(x, i);
        first = known < x->n ? known : x->n;
        known -= first;
        if (first == x->n)
            continue;
        code |= run_combination(x, first, file);
        keep(results, x);
    }
    live_table_end(&sweep.table);
    if (x->q.form.progress)
        fputs("\r\033[K", stderr);
    return code;
}

static bool is_precise(const struct logp_record *r, int64_t ppm)
{
    const double median = (double)r->measured.median_ns, most = median * (double)ppm / 1e6;

    return r->has_interval && (double)r->interval.high_ns - median <= most &&
           median - (double)r->interval.low_ns <= most;
}

/* For people: count the medians that are not precise or were late. */
static void judge(const struct question *q, const struct output *out)
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
        printf(
            "%d of %d medians did not reach a precision of %g %% (stopped by --reps or --limit)\n",
            vague, all, (double)q->how.precision_ppm / 1e4);
    if (late > 0)
        printf(
            "The host could not keep up with %d of %d, which took over 1 %% longer than predicted; "
            "see logp run.\n",
            late, judged);
}

/* Show the records, as text or as a page. A repeated request for the records of a file
 * gets as many as the first. */
static void show_sweep(const struct question *q, void (*answer)(FILE *f, const struct output *out),
                       size_t known, const struct record_file *file, const struct output *out)
{
    const bool records = answer == q->form.format->records;

    if (records && file->f != NULL &&
        strcmp(q->form.format->name, file->json ? "json" : "csv") == 0) {
        print_records(stdout, file);
        return;
    }
    if (records && known > 0 && !q->form.format->for_people)
        say_note("%zu of %zu points are in %s and are not shown again", known, sweep.points,
                 q->form.output);
    answer(stdout, out);
    if (records)
        judge(q, out);
}

/* Do the work of --against, --fail-on and --save. @return an exit code */
static int compare_and_save(const struct question *q, const struct output *out)
{
    int code = EXIT_OK;

    if (q->form.against != NULL)
        code |= tell_problem(q, sum_up_changes(stdout, q, sweep.against, out));
    if (q->form.save != NULL && sweep.done == sweep.points)
        code |= tell_problem(q, save_run(out, q->form.save));
    else if (q->form.save != NULL)
        say("--save %s: nothing is saved, because the run was interrupted", q->form.save);
    return code;
}

/* Draw it as curves in a file, or on stdout. @return an exit code */
static int draw_sweep(const struct question *q, const struct output *out, const char *to)
{
    end_with(q->form.keeps_records ? draw_record_file(stdout, q, q->form.output, to)
                                   : draw_records(stdout, q, out, to));
    return EXIT_OK;
}

int run_sweep(struct question *q, void (*answer)(FILE *f, const struct output *out))
{
    static const struct names others = {{"format", "progress", "output", "restart", "plot", "watch",
                                         "save", "against", "fail-on", "ranks", "size", "title",
                                         "scale"},
                                        13};
    static struct combination x;
    const struct output none = {.q = &x.q, .n_cores = 1, .sweep = sweep.text};
    struct record_file file = {0};
    struct results results = {NULL, NULL};
    char *given = options_given(q, &others);
    size_t known;
    int64_t n;
    int code, shown = EXIT_OK;

    x.q = *q;
    sweep.q = &x.q;
    end_with(named_collective(q, &sweep.collective));
    snprintf(sweep.text, sizeof(sweep.text), "%s%s", sweep.collective, given != NULL ? given : "");
    free(given);
    n = plan(&x);
    open_against(&x, n);
    if (q->form.save != NULL)
        end_with(check_saved(q->form.save));
    if (answer == NULL && !q->form.only_plot)
        end_with(check_picture("--format", q->form.format->name));
    if (q->form.plot != NULL)
        end_with(check_picture("--plot", q->form.plot));
    if (q->form.keeps_records) {
        end_with(open_records(&file, q->form.output, q->form.restart, &none));
        find_known(&x, n, &file);
    }
    if (sweep.done > 0 && (q->form.save != NULL || q->form.against != NULL))
        bad_option("--output", q->form.output,
                   "with --save and --against a new file; add --restart");
    say_estimate(q);
    known = sweep.done;
    code = run_all(&x, n, sweep.done, &file, &results);
    if (answer == NULL && !q->form.only_plot)
        shown = draw_sweep(q, results.first, q->form.format->name);
    else if (answer != NULL && (answer == q->form.format->records || results.first != NULL))
        show_sweep(q, answer, known, &file, results.first != NULL ? results.first : &none);
    if (answer == NULL || q->form.only_plot)
        say_free_bytes_in(results.first);
    code |= compare_and_save(q, results.first);
    if (sweep.done == sweep.points && shown == EXIT_OK)
        answer_is_whole();
    code |= shown;
    if (q->form.plot != NULL)
        code |= draw_sweep(q, results.first, q->form.plot);
    if (sweep.done < sweep.points)
        say("interrupted: %zu of %zu points were run%s", sweep.done, sweep.points,
            file.f != NULL ? "; the same command continues" : "");
    free_results(&results);
    close_saved(sweep.against);
    if (file.f != NULL)
        close_records(&file);
    return code != EXIT_OK || file.wrong || sweep.done < sweep.points ? EXIT_WRONG : EXIT_OK;
}

static int bench(struct question *q)
{
    return run_sweep(q, q->form.format->records);
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
        "  -P 2..64*2           from 2 to 64, each twice the one before\n"
        "  -L 2..20+2           from 2 to 20, in steps of 2 (default: 1)\n"
        "  --bytes 8,1k..64k*4  a value and a range\n"
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
