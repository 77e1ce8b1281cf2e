/* SPDX-License-Identifier: MIT */
/* logp run, logp predict: one row for each algorithm asked for. */
#include "command.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { WAITS_SHOWN = 16 };

/* The machine that Ctrl-C stops. */
static struct logp_machine *volatile running;
static volatile sig_atomic_t interrupted;

static void on_signal(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
    if (running != NULL)
        logp_machine_stop(running, -EINTR);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int command_predict(struct options *o)
{
    struct row rows[MAX_ALGORITHMS] = {0};
    const char *collective = named_collective(o);
    const struct logp_coll c = make_coll(o, collective);
    const size_t n = choose_algorithms(o, collective, &c, rows);

    warn_of_unused(o);
    for (size_t i = 0; i < n; i++)
        if (strcmp(o->delay, "none") != 0)
            rows[i].record.prediction = logp_predict_by(rows[i].algorithm, o->P, &c, o->by);
    print_rows(o, collective, &c, rows, n, 0);
    return EXIT_OK;
}

/* ---- the machine ---- */

/* A plugin is a shared object with a `const struct logp_delay_model logp_delay_plugin`. */
static struct logp_delay load_plugin(const struct options *o, const struct logp_params *params)
{
    void *handle = dlopen(o->plugin, RTLD_NOW | RTLD_LOCAL);
    const struct logp_delay_model *model;
    struct logp_delay delay = {0};
    int rc;

    if (handle == NULL)
        bad_option("--plugin", o->plugin, "%s", dlerror());
    model = dlsym(handle, "logp_delay_plugin");
    if (model == NULL)
        bad_option("--plugin", o->plugin,
                   "a shared object that defines struct logp_delay_model logp_delay_plugin");
    rc = model->create(params, &delay);
    if (rc != 0)
        bad_option("--plugin", o->plugin, "%s refused these parameters: %s", model->name,
                   strerror(-rc));
    return delay;
}

/* The delay model that the options ask for. 0; or an error */
static int create_delay(const struct options *o, struct logp_delay *delay)
{
    struct logp_params params = o->params;
    struct logp_delay ends;
    int rc;

    params.seed = o->seed;
    if (o->plugin != NULL) {
        *delay = load_plugin(o, &params);
        return 0;
    }
    rc = logp_delay_create(o->delay, &params, delay);
    if (rc != 0 || o->topology == NULL)
        return rc;
    ends = *delay;
    rc = logp_topology_delay(o->topology, ends, delay);
    if (rc != 0)
        logp_delay_destroy(&ends);
    return rc;
}

/* *delay: its model, owned by the machine. */
/* Many processors under the virtual clock, and a model that several cores can simulate at once? */
static bool worth_all_cores(const struct options *o, const struct logp_delay *delay)
{
    const int64_t many = 256;

    return o->clock == LOGP_CLOCK_VIRTUAL && !o->one_core && strcmp(o->executor, "fiber") == 0 &&
           o->P >= many && o->plugin == NULL && logp_capacity(&o->params) == 0 &&
           delay->ops != NULL && delay->ops->lookahead != NULL &&
           delay->ops->lookahead(delay->model) > 0;
}

static struct logp_machine *create_machine(const struct options *o, struct logp_delay *delay)
{
    struct logp_config config = {.n_processors = (int)o->P,
                                 .clock = o->clock,
                                 .executor = o->executor,
                                 .cores = o->n_cores > 0 ? o->cores : NULL,
                                 .n_cores = o->n_cores,
                                 .queue_limit = o->queue_limit};
    struct logp_machine *m = NULL;
    int rc;

    if (o->P > LOGP_MAX_PROCESSORS) {
        char text[32];

        snprintf(text, sizeof(text), "%lld", (long long)o->P);
        bad_option("-P", text, "to run, 1 .. %d processors", LOGP_MAX_PROCESSORS);
    }
    rc = create_delay(o, &config.delay);
    *delay = config.delay;
    config.parallel = rc == 0 && worth_all_cores(o, delay);
    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc == -EINVAL && o->n_cores > 0)
        bad_option("--cores", option_text("cores"),
                   "each core once, and of those that this process may run on");
    if (rc != 0) {
        fprintf(stderr, "logp: cannot make a machine of %lld processors (%s executor): %s%s\n",
                (long long)o->P, o->executor, strerror(-rc),
                rc == -EAGAIN && strcmp(o->executor, "thread") == 0 ? "; try --executor fiber"
                                                                    : "");
        exit(EXIT_WRONG);
    }
    return m;
}

/* What the host lacks is said, not hidden; once. */
static void warn_of_host(const struct options *o, const struct logp_machine *m)
{
    static bool said;
    struct logp_host host;
    const int used = logp_machine_cores(m);

    if (said || o->clock != LOGP_CLOCK_WALL || logp_host_info(&host) != 0)
        return;
    said = true;
    if (host.quota > 0 && host.quota < used)
        fprintf(stderr,
                "logp: a CPU quota allows %.2f processors' worth of time, and %d cores are used: "
                "expect stalls; use --cores with fewer\n",
                host.quota, used);
}

/* ---- running ---- */

static void show_progress(void *arg, int done, int total)
{
    const struct row *row = arg;

    fprintf(stderr, "\rlogp: %s %s: %d of %d runs \033[K", row->algorithm->collective,
            row->algorithm->name, done, total);
    fflush(stderr);
}

static void explain_waits(const struct logp_report *report)
{
    for (int i = 0; i < report->n_waits && i < WAITS_SHOWN; i++) {
        const struct logp_wait_info *w = &report->waits[i];
        char source[24] = "any rank", tag[24] = "any tag";

        if (w->source != LOGP_ANY_SOURCE)
            snprintf(source, sizeof(source), "rank %d", w->source);
        if (w->tag != LOGP_ANY_TAG)
            snprintf(tag, sizeof(tag), "tag %d", w->tag);
        if (w->kind == LOGP_WAIT_RECV)
            fprintf(stderr, "logp:   rank %d waits for a message from %s, %s\n", w->rank, source,
                    tag);
        else if (w->kind == LOGP_WAIT_SYNC)
            fprintf(stderr, "logp:   rank %d waits for all others\n", w->rank);
        else if (w->kind == LOGP_WAIT_POLL)
            fprintf(stderr, "logp:   rank %d polls and finds nothing\n", w->rank);
        else
            fprintf(stderr, "logp:   rank %d is outside the runtime and holds its core\n", w->rank);
    }
    if (report->n_waits > WAITS_SHOWN)
        fprintf(stderr, "logp:   ... and %d more\n", report->n_waits - WAITS_SHOWN);
}

static void explain_error(const struct row *row, const struct logp_machine *m, int error)
{
    const struct logp_report *report = logp_machine_report(m);
    char option[32];

    fprintf(stderr, "logp: %s %s: ", row->algorithm->collective, row->algorithm->name);
    if (error == -EINTR)
        fprintf(stderr, "interrupted after %d runs\n", row->record.reps);
    else if (error == -EDEADLK)
        fprintf(stderr, "deadlock: every processor waits and nothing is on its way\n");
    else if (error == -ETIMEDOUT)
        fprintf(stderr, "not finished within %s; %d runs were\n", option_shown("--timeout", option),
                row->record.reps);
    else if (report->error_rank >= 0)
        fprintf(stderr, "rank %d: %s\n", report->error_rank, strerror(-error));
    else
        fprintf(stderr, "%s\n", strerror(-error));
    explain_waits(report);
}

/* By its schedule, under the plug-in itself; twice, as what it answers may change with time. */
static struct logp_prediction predict_plugin(const struct options *o, const struct logp_coll *c,
                                             const struct logp_algorithm *algorithm)
{
    const struct logp_schedule s = logp_schedule_of(algorithm, o->P, c);
    struct logp_prediction p = {.certainty = LOGP_PREDICTION_NONE};
    struct logp_fold first, second;
    struct logp_delay delay;

    if (s.steps == NULL || o->by == LOGP_BY_FORMULA || o->P > LOGP_FOLD_P ||
        create_delay(o, &delay) != 0)
        return p;
    if (logp_schedule_fold(&s, &delay, LOGP_FOLD_MESSAGES, &first) == 0 &&
        logp_schedule_fold(&s, &delay, LOGP_FOLD_MESSAGES, &second) == 0 && first.ns == second.ns)
        p = (struct logp_prediction){LOGP_PREDICTION_EXACT, first.ns, LOGP_BY_SCHEDULE};
    logp_delay_destroy(&delay);
    return p;
}

static int run_one(const struct options *o, struct logp_machine *m, const struct logp_delay *delay,
                   const struct logp_coll *c, struct row *row)
{
    const struct logp_experiment x = {.algorithm = row->algorithm,
                                      .coll = *c,
                                      .reps = o->reps,
                                      .warmup = o->warmup,
                                      .timeout_ns = o->timeout_ns,
                                      .seed = o->seed,
                                      .by = o->by,
                                      .progress = o->progress ? show_progress : NULL,
                                      .progress_arg = row};
    const int rc = logp_experiment_run(m, &x, &row->record);

    row->ran = true;
    if (o->plugin != NULL) /* our formulas do not know its rules */
        row->record.prediction = predict_plugin(o, c, row->algorithm);
    if (o->progress)
        fputs("\r\033[K", stderr);
    if (rc != 0)
        explain_error(row, m, rc);
    else
        read_links(delay, row);
    if (rc == 0 && !row->record.verified)
        fprintf(stderr, "logp: %s %s: WRONG RESULT on rank %d\n", row->algorithm->collective,
                row->algorithm->name, row->record.wrong_rank);
    return rc == 0 && row->record.verified ? EXIT_OK : EXIT_WRONG;
}

/* End the machine, or the command, where a processor never came back: without waiting for it. */
static void end_machine(struct logp_machine *m)
{
    if (logp_machine_destroy(m) != 0) {
        fflush(stdout);
        _Exit(EXIT_WRONG);
    }
}

int run_alone(const struct options *o, const struct logp_coll *c, struct row *row)
{
    struct logp_delay delay;
    struct logp_machine *m = create_machine(o, &delay);
    int code = EXIT_WRONG;

    warn_of_host(o, m);
    catch_signals();
    running = m;
    if (!interrupted)
        code = run_one(o, m, &delay, c, row);
    running = NULL;
    end_machine(m);
    return code;
}

/* Threads could not keep up: could fibers? A few runs of the worst, so that the advice is one that
 * has been tried. */
static void try_fibers(const struct options *o, const struct logp_coll *c, struct advice *a)
{
    const int64_t most_ns = 1000000000;
    struct options fibers = *o;
    struct row row = {0};
    int64_t reps;

    if (a->worst == NULL || interrupted || o->clock != LOGP_CLOCK_WALL ||
        o->format != FORMAT_TABLE || strcmp(o->executor, "thread") != 0)
        return;
    row.algorithm = a->worst->algorithm;
    reps = most_ns / (a->worst->record.measured.median_ns + 1);
    fibers.executor = "fiber";
    fibers.progress = false;
    fibers.warmup = 1;
    fibers.reps = (int)(reps < 3 ? 3 : reps > 20 ? 20 : reps);
    if (run_alone(&fibers, c, &row) == EXIT_OK)
        a->fiber_ratio = logp_record_ratio(&row.record);
}

int command_run(struct options *o)
{
    struct row rows[MAX_ALGORITHMS] = {0};
    const char *collective = named_collective(o);
    const struct logp_coll c = make_coll(o, collective);
    const size_t n = choose_algorithms(o, collective, &c, rows);
    struct logp_delay delay;
    struct logp_machine *m;
    struct advice advice;
    int code = EXIT_OK, n_cores;
    size_t done = 0;

    m = create_machine(o, &delay);
    n_cores = logp_machine_cores(m);
    warn_of_host(o, m);
    warn_of_unused(o);
    catch_signals();
    running = m;
    while (done < n && code == EXIT_OK && !interrupted)
        code = run_one(o, m, &delay, &c, &rows[done++]);
    running = NULL;
    print_rows(o, collective, &c, rows, done, n_cores);
    print_links(o, &c, rows, done);
    advice = judge_rows(rows, done, n_cores);
    end_machine(m);
    try_fibers(o, &c, &advice);
    print_advice(o, &advice);
    return code;
}
