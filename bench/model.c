/* SPDX-License-Identifier: MIT */
/*
 * Compare times on the wall clock with the predictions: every algorithm of the table that applies,
 * for the numbers of processors and the units given, with L, o, g = 6, 2, 4 and gamma = 1.
 * usage: bench_model [-r RUNS] [-s EXECUTOR:P:UNIT_NS ...] [COLLECTIVE ...]
 * -r: at most RUNS runs of each; -s: only these settings, in this order.
 *
 * The verdict is "ok" if the median of the measured times exceeds the prediction by at most a part
 * of it (setting.permille), or by at most 150 ns for each vp of one core that ends last: a core
 * finishes these one after another. Their number, the column `end`, comes from a run under the
 * virtual clock.
 */
#include "bench.h"

#include <unistd.h>

enum { MOST_MESSAGES = 256, NS_EACH = 150, MOST_SETTINGS = 16 };

struct setting {
    const char *executor;
    int P;
    int64_t unit_ns;
    int reps;
    int permille; /* by which it may take longer; 0: no verdict */
};

static const struct setting settings[] = {
    {"thread", 2, 10000, 500, 10}, {"thread", 8, 10000, 500, 10}, {"thread", 16, 10000, 500, 0},
    {"thread", 8, 1000, 1000, 0},  {"thread", 64, 10000, 100, 0}, {"fiber", 8, 10000, 200, 5},
    {"fiber", 16, 10000, 200, 5},  {"fiber", 64, 10000, 100, 5},  {"fiber", 64, 1000, 500, 0},
    {"fiber", 8, 100, 2000, 0},    {"fiber", 1024, 10000, 20, 0},
};

static struct logp_invocation arguments(const struct logp_collective *collective,
                                        const struct setting *s)
{
    const bool total = collective->operands == LOGP_OPERANDS_TOTAL;

    return (struct logp_invocation){.args.n_bytes = 8,
                                    .args.count = total ? 10 * (int64_t)s->P : 1,
                                    .args.op = logp_op_find("sum", "double"),
                                    .args.rows = s->P,
                                    .args.cols = s->P,
                                    .model.params = {.L_ns = 6 * s->unit_ns,
                                                     .o_send_ns = 2 * s->unit_ns,
                                                     .o_recv_ns = 2 * s->unit_ns,
                                                     .g_ns = 4 * s->unit_ns,
                                                     .gamma_ps = 1000 * s->unit_ns}};
}

/* ---- the largest number of ranks of one core that end last ---- */

struct rehearsal {
    const struct logp_algorithm *algorithm;
    const struct logp_invocation *call;
    int64_t *ends; /* by rank */
};

static int rehearse(struct logp_vp *vp, void *arg)
{
    const struct rehearsal *r = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_plan *plan;
    size_t size, recv_size;
    void *buf, *recv_buf;
    int rc = logp_plan_create(r->algorithm, P, me, &r->call->args, &r->call->model, &plan);

    if (rc != 0)
        return rc;
    logp_plan_sizes(plan, &size, &recv_size);
    buf = calloc(size + 1, 1);
    recv_buf = calloc(recv_size + 1, 1);
    rc = buf != NULL && recv_buf != NULL ? logp_plan_run(vp, plan, buf, recv_buf) : -ENOMEM;
    r->ends[me] = logp_now(vp);
    free(buf);
    free(recv_buf);
    logp_plan_destroy(plan);
    return rc;
}

/* Count the ranks of each core that end last. Consecutive ranks share a core; the first cores have
 * one more. @return the largest count */
static int most_together(const int64_t *ends, int P, int n_cores)
{
    int64_t end = 0;
    int most = 0, rank = 0;

    for (int i = 0; i < P; i++)
        end = ends[i] > end ? ends[i] : end;
    for (int core = 0; core < n_cores; core++) {
        const int last = rank + P / n_cores + (core < P % n_cores);
        int n = 0;

        for (; rank < last; rank++)
            n += ends[rank] == end;
        most = n > most ? n : most;
    }
    return most;
}

/* @return as most_together(); -1: there are more than MOST_MESSAGES messages for each processor */
static int count_together(const struct logp_algorithm *a, const struct logp_invocation *c, int P,
                          int n_cores)
{
    const struct logp_config config = {
        .n_processors = P, .clock = LOGP_CLOCK_VIRTUAL, .executor = "fiber"};
    struct logp_machine *m = bench_machine(config, "logp", &c->model.params);
    struct rehearsal r = {a, c, calloc((size_t)P, sizeof(int64_t))};
    int together;

    bench_check(r.ends != NULL ? 0 : -ENOMEM, "rehearsal");
    bench_check(logp_machine_run(m, rehearse, &r, 0), a->name);
    together = most_together(r.ends, P, n_cores);
    if (logp_machine_report(m)->messages > (uint64_t)P * MOST_MESSAGES)
        together = -1;
    free(r.ends);
    logp_machine_destroy(m);
    return together;
}

/* ---- on the wall clock ---- */

static const char *verdict(const struct setting *s, const struct logp_record *r, int together)
{
    const int64_t over = r->measured.median_ns - r->prediction.ns;
    const int64_t part = r->prediction.ns * s->permille / 1000;
    const int64_t each = (int64_t)together * NS_EACH;

    if (!r->verified)
        return "WRONG";
    if (s->permille == 0 || r->prediction.certainty != LOGP_PREDICTION_EXACT)
        return "-";
    return over <= part || over <= each ? "ok" : "MISSED";
}

static void print_record(const struct setting *s, const struct logp_algorithm *a,
                         const struct logp_record *r, int together)
{
    printf("%-7s %5d %6.1f  %-14s %-22s %11.3f %11.3f %11.3f %8.4f %8.3f %8.3f %4d %5d %s\n",
           s->executor, s->P, (double)s->unit_ns / 1000, a->collective, a->name,
           (double)r->prediction.ns / 1000, (double)r->measured.median_ns / 1000,
           (double)r->measured.p99_ns / 1000, logp_record_ratio(r), (double)r->lag.median_ns / 1000,
           (double)r->lag.p99_ns / 1000, r->restarts, together, verdict(s, r, together));
    fflush(stdout);
}

static void measure(const struct setting *s, struct logp_machine *m, const struct logp_algorithm *a,
                    int most_reps)
{
    const struct logp_invocation c = arguments(logp_collective_find(a->collective), s);
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = a,
                                      .args = c.args,
                                      .reps = s->reps < most_reps ? s->reps : most_reps,
                                      .warmup = 10};
    struct logp_record r;
    int together;

    if (logp_algorithm_needs(a, s->P, &c.args, &c.model) != NULL)
        return;
    together = count_together(a, &c, s->P, logp_machine_cores(m));
    if (together < 0)
        return;
    bench_check(logp_experiment_run(m, &x, &r), a->name);
    print_record(s, a, &r, together);
}

static void measure_all(const struct setting *s, int most_reps, int n_words, char **words)
{
    const struct logp_algorithm *a;
    const struct logp_params params = arguments(logp_collective_at(0), s).model.params;
    struct logp_machine *m = bench_machine(
        (struct logp_config){.n_processors = s->P, .executor = s->executor}, "logp", &params);

    for (size_t k = 0; (a = logp_algorithm_at(NULL, k)) != NULL; k++)
        if (bench_selected(n_words, words, a->collective))
            measure(s, m, a, most_reps);
    logp_machine_destroy(m);
}

/* ---- the command line ---- */

static void refuse(char option, const char *value, const char *allowed)
{
    fprintf(stderr, "bench_model: -%c %s: %s\n", option, value, allowed);
    exit(2);
}

/* Parse EXECUTOR:P:UNIT_NS; a setting of the table has its runs and its verdict. */
static struct setting parse_setting(const char *text)
{
    struct setting s = {.reps = 100};
    char executor[16], after;
    long long unit_ns;

    if (sscanf(text, "%15[a-z]:%7d:%12lld%c", executor, &s.P, &unit_ns, &after) != 3 || s.P < 1 ||
        s.P > 65536 || unit_ns < 1 || unit_ns > 1000000000)
        refuse('s', text, "must be EXECUTOR:P:UNIT_NS, P 1 to 65536, UNIT_NS 1 to 1000000000");
    s.unit_ns = unit_ns;
    for (size_t i = 0; logp_executor_at(i) != NULL; i++)
        if (strcmp(logp_executor_at(i), executor) == 0)
            s.executor = logp_executor_at(i);
    if (s.executor == NULL)
        refuse('s', text, "there is no such executor (thread, fiber)");
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        if (strcmp(settings[i].executor, s.executor) == 0 && settings[i].P == s.P &&
            settings[i].unit_ns == s.unit_ns)
            return settings[i];
    return s;
}

int main(int argc, char **argv)
{
    static struct setting chosen[MOST_SETTINGS];
    const struct setting *s = settings;
    int most_reps = 1000000, n = 0, c;

    opterr = 0;
    while ((c = getopt(argc, argv, "r:s:")) != -1) {
        if (c == 'r' && (most_reps = atoi(optarg)) < 1)
            refuse('r', optarg, "must be a number of runs, at least 1");
        if (c == 's' && n == MOST_SETTINGS)
            refuse('s', optarg, "16 settings are the most");
        if (c == 's')
            chosen[n++] = parse_setting(optarg);
        if (c == '?') {
            fputs("usage: bench_model [-r RUNS] [-s EXECUTOR:P:UNIT_NS ...] [COLLECTIVE ...]\n",
                  stderr);
            return 2;
        }
    }
    if (n > 0)
        s = chosen;
    else
        n = (int)(sizeof(settings) / sizeof(settings[0]));
    printf("%-7s %5s %6s  %-14s %-22s %11s %11s %11s %8s %8s %8s %4s %5s %s\n", "carrier", "P",
           "unit", "collective", "algorithm", "predicted", "measured", "p99", "ratio", "lag",
           "lag p99", "rep.", "end", "verdict");
    for (int i = 0; i < n; i++)
        measure_all(&s[i], most_reps, argc - optind, argv + optind);
    return 0;
}
