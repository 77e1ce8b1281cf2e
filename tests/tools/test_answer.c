/* SPDX-License-Identifier: MIT */
/* Answers to questions that are built in C: results, watchers and problems, in one process. */
#define _GNU_SOURCE
#include "answer/advice.h"
#include "answer/measure/measure.h"
#include "answer/runs.h"
#include "answer/tree/tree.h"
#include "answer/tune/tune.h"
#include "answer/validate/validate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- a question, and what it prints ---- */

static const struct vocabulary nothing = {.formats = output_formats};

/* A broadcast to 8 processors, twice, with L = 6, o = 2 and g = 4 units of 1 us. */
static void ask(struct question *q, struct work *work)
{
    begin_question(q, &nothing);
    q->work = work;
    q->line.words[0] = "run";
    q->line.n_words = 1;
    q->model.P = 8;
    q->model.unit_ns = 1000;
    q->model.network.params =
        (struct logp_params){.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
    use_delay(q, "logp");
    q->what.algorithms = ALGORITHMS_NAMED;
    q->what.algorithm_list = "binomial";
    q->what.n_bytes = q->what.element_bytes = 8;
    q->what.op = logp_op_find("sum", "double");
    use_executor(q, "fiber");
    q->how.transport = "mailbox";
    q->how.clock = LOGP_CLOCK_VIRTUAL;
    q->how.reps = 2;
    q->how.timeout_ns = 10000000000;
    q->how.place_text = "block";
    q->form.format = output_formats;
}

static void forget(struct question *q)
{
    end_work(q->work);
    end_question(q);
}

/* The problem of an answer, with its notes before it. To be freed */
static char *printed(const struct question *q, struct problem *problem, FILE *f, char *const *text)
{
    tell_problem(q, problem);
    say_to(NULL);
    return close_text(f, text);
}

/* Whether a problem has this code; the text is freed. */
static void expect(const struct question *q, struct problem *problem, int code, const char *text)
{
    char *line;

    cr_assert_not_null(problem, "no problem: %s", text);
    line = problem_line(q, problem);
    cr_assert_eq(problem->code, code, "%s", line);
    cr_assert_str_eq(line, text);
    free(line);
    free(problem);
}

#define FINE(call)                                                                                 \
    do {                                                                                           \
        struct problem *fine_ = (call);                                                            \
        cr_assert_null(fine_, "%s: %s", #call, fine_->text);                                       \
    } while (0)

/* ---- results ---- */

/* The results of one question, as text. */
static void answer_all(struct question *q, FILE *f)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    struct row row = {0};
    struct logp_invocation c;
    struct logp_prediction p;
    struct logp_trace *run, *predicted;
    struct logp_explanation *e;
    struct logp_machine *m;
    struct tree tree;
    const char *why;
    size_t n;

    FINE(make_invocation(q, "broadcast", &c));
    FINE(choose_algorithms(q, "broadcast", &c, chosen, &n));
    cr_assert_eq(n, 1);
    row.algorithm = chosen[0];
    FINE(predict(q, &c, chosen[0], &p));
    FINE(create_machine(q, &m));
    FINE(trace_run(q, m, &c, &row, 0, &run));
    end_machine(q, m);
    FINE(trace_prediction(q, &c, chosen[0], 0, &predicted));
    e = explain_algorithm(q, &c, chosen[0], &why);
    cr_assert_not_null(e, "%s", why);
    FINE(make_found_tree(q, "broadcast", &tree));

    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    cr_assert_eq(row.record.reps, 2);
    cr_assert(row.record.verified);
    cr_assert_eq(row.record.emulated.min_ns, p.ns);
    cr_assert_eq(row.record.emulated.max_ns, p.ns);
    cr_assert_eq(e->ns, p.ns);
    cr_assert_eq(tree.time, (double)p.ns / 1000);
    cr_assert_eq(tree.used, 8);
    fprintf(f, "%lld ns, ranks %lld .. %lld ns, %zu tasks, %zu segments, tree of %g\n",
            (long long)p.ns, (long long)row.ranks.min_ns, (long long)row.ranks.max_ns, e->n_tasks,
            e->n_path, tree.time);
    for (int64_t rank = 0; rank < 8; rank++) {
        size_t n_run, n_predicted;
        const struct logp_event *a = logp_trace_events(run, rank, &n_run);
        const struct logp_event *b = logp_trace_events(predicted, rank, &n_predicted);

        cr_assert_gt(n_run, 0);
        cr_assert_gt(n_predicted, 0);
        cr_assert_eq(a[n_run - 1].end_ns, b[n_predicted - 1].end_ns);
        fprintf(f, "%lld: parent %lld, %zu events\n", (long long)tree.nodes[rank].rank,
                (long long)tree.nodes[rank].parent, n_run);
    }
    free_tree(&tree);
    logp_explanation_free(e);
    logp_trace_free(run);
    logp_trace_free(predicted);
}

static char *all_answers(void)
{
    struct work work = {.is_over = false};
    struct question q;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    ask(&q, &work);
    answer_all(&q, f);
    forget(&q);
    return close_text(f, &text);
}

/* stdout and stderr to a file without a name. */
struct silence {
    int file, out, err;
};

static struct silence begin_silence(void)
{
    const struct silence s = {memfd_create("printed", 0), dup(STDOUT_FILENO), dup(STDERR_FILENO)};

    fflush(NULL);
    dup2(s.file, STDOUT_FILENO);
    dup2(s.file, STDERR_FILENO);
    return s;
}

/* @return the number of bytes printed */
static off_t end_silence(struct silence s)
{
    off_t n;

    fflush(NULL);
    n = lseek(s.file, 0, SEEK_END);
    dup2(s.out, STDOUT_FILENO);
    dup2(s.err, STDERR_FILENO);
    close(s.file);
    close(s.out);
    close(s.err);
    return n;
}

Test(answer, prints_nothing_and_is_the_same_twice)
{
    const struct silence s = begin_silence();
    char *first = all_answers(), *second = all_answers();
    const off_t n = end_silence(s);

    cr_assert_eq(n, 0, "%lld bytes were printed", (long long)n);
    cr_assert_str_eq(first, second);
    free(first);
    free(second);
}

Test(answer, frees_its_memory)
{
    enum { MANY = 300, LEAST_BLOCK = 32 };
    size_t before;

    for (int i = 0; i < MANY;
         i++) /* the C library keeps some blocks for later: they count as used */
        free(all_answers());
    before = mallinfo2().uordblks;
    for (int i = 0; i < MANY; i++)
        free(all_answers());
    cr_assert_lt(mallinfo2().uordblks, before + MANY * LEAST_BLOCK);
}

Test(answer, finds_the_best_prediction_and_its_bound)
{
    struct work work = {.is_over = false};
    const struct logp_algorithm *best;
    struct logp_invocation c;
    struct question q;
    int64_t ns;

    ask(&q, &work);
    q.what.algorithms = ALGORITHMS_ALL;
    FINE(make_invocation(&q, "broadcast", &c));
    FINE(predicted_best(&q, "broadcast", &c, &best, &ns));
    cr_assert_str_eq(best->name, "optimal");
    cr_assert_eq(ns, 24000);
    cr_assert_eq(lower_bound(&q, "broadcast", &c), 24000);
    forget(&q);
}

Test(answer, tunes_over_a_span)
{
    static const struct tune_collective all = {.ours = "broadcast", .theirs = "broadcast"};
    struct work work = {.is_over = false};
    const struct tune_level none = {0};
    struct tune_cells cells[2] = {{0}};
    struct question q;

    ask(&q, &work);
    q.span.n_P = 2;
    q.span.P_list[0] = 4;
    q.span.P_list[1] = 8;
    q.span.bytes_low = 1;
    q.span.bytes_high = 1024;
    FINE(tune_choose(&q, &all, &none, &none, cells));
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(cells[i].P, q.span.P_list[i]);
        cr_assert_eq(cells[i].n, 1); /* all sizes cost the same */
        cr_assert_str_eq(cells[i].cells[0].best.algorithm->name, i == 0 ? "flat" : "optimal");
        free(cells[i].cells);
    }
    forget(&q);
}

Test(answer, measures_and_validates_the_machine_that_it_emulates)
{
    struct work work = {.is_over = false};
    struct pair pair = {.client = 0, .server = 1};
    struct logp_machine *m;
    struct question q;
    struct validated v = {.q = &q};

    ask(&q, &work);
    q.model.P = 2;
    q.span.n_P = 1;
    q.span.P_list[0] = 4;
    q.span.bytes_low = q.span.bytes_high = 64;
    FINE(create_machine(&q, &m));
    FINE(measure_pairs(&q, m, &pair, 1));
    end_machine(&q, m);
    cr_assert_eq(pair.found.params.L_ns, 6000);
    cr_assert_eq(pair.found.params.g_ns, 4000);
    FINE(validate_collective(&v, &q, "broadcast"));
    cr_assert_eq(v.n, 1);
    cr_assert_gt(v.points[0].n, 1);
    for (size_t i = 0; i < v.points[0].n; i++)
        cr_assert_eq(v.points[0].rows[i].measured_ns, v.points[0].rows[i].predicted_ns);
    cr_assert_eq(v.points[0].chosen, v.points[0].best);
    forget_points(&v);
    forget(&q);
}

/* ---- watchers ---- */

/* What a watcher has seen. */
struct seen {
    int machines, last_done, finished;
    bool stops_machines, stops;
};

static void see_machine(void *of, struct logp_machine *m)
{
    struct seen *s = of;

    s->machines += m != NULL;
    if (m != NULL && s->stops_machines)
        logp_machine_stop(m, -EINTR);
}

static void see_progress(void *of, const struct row *row, int done, int total)
{
    (void)row, (void)total;
    ((struct seen *)of)->last_done = done;
}

static void see_end(void *of, const struct question *q, const struct logp_invocation *c,
                    const struct row *row)
{
    (void)q, (void)c, (void)row;
    ((struct seen *)of)->finished++;
}

static bool wants_end(void *of)
{
    return ((struct seen *)of)->stops;
}

static struct work watched_by(struct seen *s)
{
    return (struct work){
        .watcher = {see_progress, see_end, .running = see_machine, .stops = wants_end, .of = s}};
}

Test(answer, shows_its_watcher_each_row)
{
    struct seen seen = {.machines = 0};
    struct work work = watched_by(&seen);
    struct row row = {.algorithm = logp_algorithm_find("broadcast", "binomial")};
    struct logp_invocation c;
    struct question q;

    ask(&q, &work);
    q.form.progress = true;
    q.how.clock = LOGP_CLOCK_WALL;
    FINE(make_invocation(&q, "broadcast", &c));
    FINE(run_alone(&q, &c, &row));
    cr_assert_eq(seen.machines, 1);
    cr_assert_eq(seen.last_done, 2);
    cr_assert_eq(seen.finished, 1);
    forget(&q);
}

Test(answer, ends_where_its_watcher_stops_a_machine)
{
    struct seen seen = {.stops_machines = true};
    struct work work = watched_by(&seen);
    struct row rows[2] = {{.algorithm = logp_algorithm_find("broadcast", "binomial")},
                          {.algorithm = logp_algorithm_find("broadcast", "binomial")}};
    struct logp_invocation c;
    struct problem *problem;
    struct logp_machine *m;
    struct question q;
    size_t done, size;
    char *text;
    FILE *f = open_memstream(&text, &size);

    ask(&q, &work);
    FINE(make_invocation(&q, "broadcast", &c));
    FINE(create_machine(&q, &m));
    say_to(f);
    problem = run_rows(&q, m, &c, rows, 2, &done);
    end_machine(&q, m);
    cr_assert_not_null(problem);
    cr_assert_eq(problem->code, EXIT_WRONG);
    text = printed(&q, problem, f, &text);
    cr_assert_str_eq(text, "logp: broadcast binomial: interrupted after 0 runs\n");
    cr_assert_eq(done, 1);
    cr_assert(runs_are_over(&q));
    cr_assert_not(work.is_left);
    free(text);
    forget(&q);
}

static void keep_line(void *of, const char *what)
{
    snprintf(of, 200, "%s", what != NULL ? what : "none");
}

Test(answer, shows_the_time_left_of_steps_from_two_seconds_on)
{
    static const struct {
        double passed_s, done;
        size_t n;
        const char *what, *line;
    } rows[] = {
        {1.5, 5, 10, "", ""},
        {10, 2, 10, "", "logp: measure: 2 of 10 pairs, 40 s left "},
        {10, 2.5, 10, "ring", "logp: measure: 2 of 10 pairs, 30 s left: ring "},
        {10, 0, 10, "", "logp: measure: 0 of 10 pairs "},
        {100, 0.5, 100, "", "logp: measure: 0 of 100 pairs, 5 h 31 min left "},
    };
    char line[200];
    struct work work = {.watcher = {.doing = keep_line, .of = line}};
    struct question q = {.work = &work};

    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
        struct steps steps = begin_steps(&q, "measure", "pairs");

        q.form.progress = i % 2 == 0;
        *line = '\0';
        steps.begun_ns -= (int64_t)(rows[i / 2].passed_s * 1e9);
        show_steps(&steps, rows[i / 2].done, rows[i / 2].n, rows[i / 2].what);
        cr_expect_str_eq(line, q.form.progress ? rows[i / 2].line : "");
        if (*line != '\0')
            show_steps(&steps, rows[i / 2].done + 1, rows[i / 2].n, "too soon");
        cr_expect_str_eq(line, q.form.progress ? rows[i / 2].line : "");
        end_steps(&steps);
        cr_expect_str_eq(line, q.form.progress && *rows[i / 2].line != '\0' ? "none" : "");
    }
}

Test(answer, begins_no_run_once_its_watcher_stops)
{
    struct seen seen = {.stops = true};
    struct work work = watched_by(&seen);
    struct row row = {.algorithm = logp_algorithm_find("broadcast", "binomial")};
    struct logp_invocation c;
    struct question q;

    ask(&q, &work);
    FINE(make_invocation(&q, "broadcast", &c));
    expect(&q, run_alone(&q, &c, &row), EXIT_WRONG, "");
    cr_assert_not(row.ran);
    forget(&q);
}

/* ---- problems ---- */

static int waits_forever(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    (void)c, (void)buf, (void)recv_buf;
    return logp_vp_rank(vp) == 0 ? logp_recv(vp, 1, 0, NULL, 0, NULL) : 0;
}

Test(answer, returns_the_failure_of_a_run)
{
    struct logp_algorithm waiting = *logp_algorithm_find("barrier", "dissemination");
    struct work work = {.is_over = false};
    struct row row = {.algorithm = &waiting};
    struct logp_invocation c;
    struct problem *problem;
    struct question q;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    waiting.run = waits_forever;
    ask(&q, &work);
    FINE(make_invocation(&q, "barrier", &c));
    say_to(f);
    problem = run_alone(&q, &c, &row);
    cr_assert_not_null(problem);
    cr_assert_eq(problem->code, EXIT_WRONG);
    text = printed(&q, problem, f, &text);
    cr_assert_not_null(strstr(text, "logp: barrier dissemination: "), "%s", text);
    cr_assert_not_null(strstr(text, "logp:   rank 0 "), "%s", text);
    free(text);
    forget(&q);
}

Test(answer, returns_bad_questions)
{
    struct work work = {.is_over = false};
    struct logp_invocation c;
    struct logp_machine *m;
    struct question q;
    struct tree tree;
    const int *core_of;

    ask(&q, &work);
    expect(&q, find_unit(&q, "broadcast"), EXIT_USAGE,
           "--unit auto: must be a time, as 10us: on the virtual clock each unit keeps its "
           "prediction");
    q.what.algorithm_list = "van-de-geijn";
    FINE(make_invocation(&q, "broadcast", &c));
    q.model.P = LOGP_MAX_PROCESSORS + 1;
    expect(&q, create_machine(&q, &m), EXIT_USAGE,
           "-P 16777217: must be 1 .. 16777216 processors for a run");
    cr_assert_null(m);
    q.model.P = 8;
    q.how.clock = LOGP_CLOCK_WALL;
    q.how.place = PLACE_PARTNERS;
    q.how.place_text = "partners";
    expect(&q, partners_of(&q, &core_of), EXIT_USAGE,
           "--place partners: block or round-robin, or a report (FILE.json): run has no schedule");
    q.how.traffic_file = "/nonexistent.json";
    expect(&q, create_machine(&q, &m), EXIT_USAGE,
           "--place /nonexistent.json: No such file or directory");
    q.how.clock = LOGP_CLOCK_VIRTUAL;
    q.what.algorithm_list = "binomial";
    q.what.algorithms = ALGORITHMS_NAMED;
    q.model.plugin = "other";
    expect(&q, check_explained(&q, "--explain"), EXIT_USAGE,
           "--plugin other: with --explain: a built-in delay model; type logp list delays");
    q.model.plugin = NULL;
    q.what.algorithm_list = "dissemination";
    expect(&q, make_found_tree(&q, "barrier", &tree), EXIT_USAGE,
           "--algo dissemination: its messages are not a tree; --algo central or tree is");
    forget(&q);
}

/* A run of 1000 us that takes 1500 us, of which copies of 8 processors on two cores take copies_us, and
 * all steps steps_us. */
static void judge(const struct question *q, int64_t steps_us, double copies_us, bool copying,
                  bool are_long)
{
    const struct row late = {
        .record = {.reps = 1,
                   .has_measured = true,
                   .has_emulated = true,
                   .measured = {.median_ns = 1500000},
                   .prediction = {.ns = 1000000, .certainty = LOGP_PREDICTION_EXACT}}};
    const struct advice a = {.n_cores = 2,
                             .worst = &late,
                             .copied_bytes = copies_us * 1000,
                             .copy_ps_per_byte = 2000,
                             .steps_ns = steps_us * 1000};

    cr_assert_eq(is_copying(q, &a), copying, "%d us of copies in %d us", (int)copies_us,
                 (int)steps_us);
    cr_assert_eq(are_steps_long(&a), are_long, "%d us of %d us", (int)steps_us, 500);
}

Test(answer, blames_copies_only_if_they_are_most_of_the_steps)
{
    struct work work = {.is_over = false};
    struct question q;

    ask(&q, &work);
    judge(&q, 0, 260, true, false); /* the steps were not tried */
    judge(&q, 0, 110, true, false);
    judge(&q, 0, 90, false, false);
    judge(&q, 400, 260, true, true);
    judge(&q, 900, 110, false, true);
    judge(&q, 900, 440, false, true);
    judge(&q, 900, 460, true, true);
    judge(&q, 240, 110, false, false);
    forget(&q);
}
