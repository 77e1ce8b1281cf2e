/* SPDX-License-Identifier: MIT */
/* logp bench crossover: where the best algorithm changes, over P and sizes. */
#include "question/choice/choice.h"
#include "commands/command.h"
#include "view/records/records.h"
#include "answer/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000 }; /* default of --reps on the wall clock */

/* The best algorithms over P and sizes, and the options that they depend on. */
struct map {
    struct question q; /* at this P */
    struct logp_invocation c;
    enum logp_operands operands;
    int64_t unit;          /* bytes of an item that sizes count; 1: sizes are in bytes */
    const char *option;    /* the option with the sizes: "bytes", "count"; NULL: there are none */
    int64_t *sizes;        /* of the grid: bytes, or elements */
    int n_sizes, n_values; /* number of distinct sizes; number of sizes given */
    struct range *ranges;
    size_t n, first;         /* number of ranges; index of the first range of this P */
    struct problem *problem; /* the first of a prediction; NULL: none */
};

/* ---- predicted ---- */

static struct logp_invocation of_size(const struct map *map, int64_t size)
{
    struct logp_invocation c = map->c;

    if (map->operands == LOGP_OPERANDS_BYTES)
        c.args.n_bytes = (size_t)size;
    else
        c.args.count = size;
    if (map->operands == LOGP_OPERANDS_NONE || map->operands == LOGP_OPERANDS_MATRIX)
        c = map->c;
    return c;
}

/* Keep the first problem of predictions, of which the map has many. @return whether there is one */
static bool fails(struct map *map, struct problem *problem)
{
    if (map->problem == NULL)
        map->problem = problem;
    else
        free(problem);
    return map->problem != NULL;
}

static int64_t predicted(struct map *map, const struct logp_algorithm *a, int64_t size)
{
    const struct logp_invocation c = of_size(map, size);
    int64_t ns;

    return fails(map, latest_end(&map->q, &c, a, &ns)) ? -1 : ns;
}

static int64_t best_at(void *of, int64_t size)
{
    struct map *map = of;
    const struct logp_invocation c = of_size(map, size);
    const struct logp_algorithm *best, *a;
    int64_t i = 0, ns;

    if (fails(map, predicted_best(&map->q, map->q.line.words[1], &c, &best, &ns)))
        return -1;
    while ((a = logp_algorithm_at(map->q.line.words[1], (size_t)i)) != best && a != NULL)
        i++;
    return best != NULL ? i : -1;
}

static const struct logp_algorithm *candidate_at(const struct map *map, int64_t i)
{
    return i >= 0 ? logp_algorithm_at(map->q.line.words[1], (size_t)i) : NULL;
}

static int64_t time_of(void *of, int64_t candidate, int64_t size)
{
    return predicted(of, candidate_at(of, candidate), size);
}

static void find_ranges(struct map *map)
{
    const struct contest c = {best_at, time_of, map};
    struct reigns all;

    find_reigns(&c, map->sizes, (size_t)map->n_sizes, &all);
    map->first = map->n;
    map->ranges = need(realloc(map->ranges, (map->n + all.n) * sizeof(*map->ranges)));
    for (size_t i = 0; i < all.n; i++) {
        const struct reign *r = &all.reign[i];
        const struct logp_algorithm *best = candidate_at(map, r->best);
        const struct logp_algorithm *before = i > 0 ? candidate_at(map, r[-1].best) : NULL;

        map->ranges[map->n++] = (struct range){
            .P = map->q.model.P,
            .from = r->from,
            .settled = r->settled,
            .to = r->to,
            .best = best,
            .predicted_ns = best != NULL ? predicted(map, best, r->from) : -1,
            .before = before,
            .before_ns = before != NULL ? predicted(map, before, r->from) : -1,
            .below.size = -1,
            .above.size = -1,
        };
    }
    free(all.reign);
}

/* ---- measured ---- */

static struct candidate candidate_of(const struct row *row, int64_t predicted_ns)
{
    const struct logp_record *r = &row->record;
    const int64_t median = r->has_measured ? r->measured.median_ns : r->emulated.median_ns;

    return (struct candidate){
        .algorithm = row->algorithm,
        .predicted_ns = predicted_ns,
        .measured = r->reps > 0 && r->verified,
        .median_ns = median,
        .interval = r->has_interval ? r->interval : (struct logp_interval){median, median},
    };
}

/* Run two algorithms at a size; *d: the result, unless one does not apply.
 * @return an exit code */
static int fight(struct map *map, struct logp_machine *m, struct comparison *d, int64_t size,
                 const struct logp_algorithm *best, const struct logp_algorithm *other)
{
    const struct logp_invocation c = of_size(map, size);
    const int64_t best_ns = predicted(map, best, size), other_ns = predicted(map, other, size);
    struct row rows[2] = {{.algorithm = best}, {.algorithm = other}};
    size_t done;
    int code;

    if (best_ns < 0 || other_ns < 0)
        return EXIT_OK; /* it does not apply there */
    code = tell_problem(&map->q, run_rows(&map->q, m, &c, rows, 2, &done));
    if (code == EXIT_OK && done == 2)
        *d = (struct comparison){size, candidate_of(&rows[0], best_ns),
                                 candidate_of(&rows[1], other_ns)};
    return code;
}

/* Run both algorithms at the sizes of the grid on both sides of a change, or nearer to the change
 * where another algorithm is the best at these sizes. @return an exit code */
static int measure_change(struct map *map, struct logp_machine *m, struct range *r)
{
    int64_t below = r[-1].from, above = r->to;
    int code;

    for (int i = 0; i < map->n_sizes; i++) {
        if (map->sizes[i] < r->from && map->sizes[i] > below)
            below = map->sizes[i];
        if (map->sizes[i] >= r->settled && map->sizes[i] < above)
            above = map->sizes[i];
    }
    code = fight(map, m, &r->below, below, r->before, r->best);
    if (code == EXIT_OK && !runs_are_over(&map->q))
        code = fight(map, m, &r->above, above, r->best, r->before);
    return code;
}

static struct problem *measure(struct map *map, int *code)
{
    struct logp_machine *m;

    if (map->first + 1 >= map->n)
        return NULL;
    TRY(try_machine(&map->q, &m));
    *code |= m == NULL ? EXIT_WRONG : EXIT_OK;
    for (size_t i = map->first + 1; m != NULL && i < map->n && !runs_are_over(&map->q); i++)
        if (map->ranges[i].best != NULL && map->ranges[i].before != NULL)
            *code |= measure_change(map, m, &map->ranges[i]);
    end_machine(&map->q, m);
    return NULL;
}

/* ---- the grid ---- */

/* Set the options to row i of the grid: its P, and its first size. */
static struct problem *go_to(struct map *map, const char *collective, int64_t i)
{
    TRY(resolve_point(&map->q, i * map->n_values));
    if (!option_given(&map->q, "reps") && map->q.how.clock == LOGP_CLOCK_WALL)
        map->q.how.reps = MOST_RUNS;
    if (map->q.what.algorithms == ALGORITHMS_AUTO)
        map->q.what.algorithms = ALGORITHMS_ALL;
    return make_invocation(&map->q, collective, &map->c);
}

static struct problem *read_sizes(struct map *map)
{
    map->n_values = map->option != NULL ? (int)sweep_values(&map->q, map->option) : 1;
    map->sizes = need(calloc((size_t)map->n_values, sizeof(*map->sizes)));
    for (int i = 0; i < map->n_values; i++) {
        TRY(resolve_point(&map->q, i));
        map->sizes[i] =
            map->operands == LOGP_OPERANDS_BYTES ? (int64_t)map->q.what.n_bytes : map->q.what.count;
    }
    qsort(map->sizes, (size_t)map->n_values, sizeof(*map->sizes), ascending);
    for (int i = 0; i < map->n_values; i++)
        if (i == 0 || map->sizes[i] != map->sizes[map->n_sizes - 1])
            map->sizes[map->n_sizes++] = map->sizes[i];
    return NULL;
}

/* Refuse sizes where neither bytes nor elements cost time, so that no size changes a time. */
static struct problem *refuse_free_sizes(const struct map *map, const char *collective)
{
    const bool elements_cost = map->option != NULL && map->operands != LOGP_OPERANDS_BYTES &&
                               (map->q.model.network.params.gamma_ps > 0 ||
                                map->q.model.gamma_host || map->operands == LOGP_OPERANDS_TOTAL);
    char why[MAX_LIST];

    if (map->n_sizes > 1 && !elements_cost && map->q.model.network.rendezvous_from == 0 &&
        free_bytes(&map->q, INT64_MAX, why) != NULL)
        return usage_problem("crossover %s over sizes needs a time per byte: %s", collective, why);
    return NULL;
}

/* Read the grid, by default of powers of 2. */
static struct problem *resolve_grid(struct question *q, const char *collective, struct map *map)
{
    const struct logp_collective *c = logp_collective_find(collective);

    if (q->what.list != NULL)
        return must_be("--schedule", option_text(q, "schedule"),
                       "a collective with several algorithms");
    if (!q->model.emulated && q->model.plugin == NULL)
        return must_be("--delay", q->model.delay->name, "a model that has predictions");
    map->operands = c->operands;
    map->option = size_option(q, c);
    map->unit = map->option != NULL && *map->option == 'b' ? size_unit(q, c) : 1;
    if (!option_given(q, "P"))
        give_option(q, "P", "2..64*2");
    if (map->option != NULL && !option_given(q, map->option))
        give_option(q, map->option, *map->option == 'b' ? "8..1M*2" : "1..128k*2");
    TRY(resolve_point(&map->q, 0));
    TRY(read_sizes(map));
    return refuse_free_sizes(map, collective);
}

static void show_progress(const struct map *map, int64_t i, int64_t n, int64_t begun_ns)
{
    char time[32] = "?";

    if (i > 0)
        show_duration((double)(host_ns() - begun_ns) / (double)i * (double)(n - i), time);
    fprintf(stderr, "\rlogp: %s, P = %lld: %lld of %lld rows, about %s left \033[K",
            map->q.line.words[1], (long long)map->q.model.P, (long long)i, (long long)n, time);
    fflush(stderr);
}

/* Find, and with --measure run, all rows of the map. *code: also EXIT_WRONG where a run went wrong */
static struct problem *fill(struct map *map, const char *collective, int *code)
{
    const int64_t n = sweep_values(&map->q, "P"), begun_ns = host_ns();
    struct problem *problem = NULL;

    for (int64_t i = 0; i < n && problem == NULL && !runs_are_over(&map->q); i++) {
        TRY(go_to(map, collective, i));
        if (map->q.form.progress)
            show_progress(map, i, n, begun_ns);
        find_ranges(map);
        problem = map->problem;
        if (problem == NULL && map->q.how.measure)
            problem = measure(map, code);
    }
    if (map->q.form.progress)
        fputs("\r\033[K", stderr);
    return problem;
}

/* Convert sizes from items to bytes, as the option counts them: a range ends with the byte before
 * the next range. */
static void show_in_bytes(struct map *map)
{
    const int64_t unit = map->unit, last = map->sizes[map->n_sizes - 1];

    for (size_t i = 0; unit > 1 && i < map->n; i++) {
        struct range *r = &map->ranges[i];

        r->from *= unit;
        r->settled *= unit;
        r->to = r->to == last ? last * unit : (r->to + 1) * unit - 1;
        r->below.size *= r->below.size > 0 ? unit : 1;
        r->above.size *= r->above.size > 0 ? unit : 1;
    }
    for (int i = 0; i < map->n_sizes; i++)
        map->sizes[i] *= unit;
}

static struct problem *show_map(const struct question *q, struct map *map, const char *collective,
                                FILE *f)
{
    static const struct names others = {{"format", "progress"}, 2};
    struct crossover x = {.collective = collective, .may_differ = q->what.may_differ};
    char text[4096], *given = options_given(&map->q, &others);
    bool any = false;

    snprintf(text, sizeof(text), "%s%s", collective, given != NULL ? given : "");
    free(given);
    for (size_t i = 0; i < map->n; i++)
        any |= map->ranges[i].best != NULL;
    if (!any && !runs_are_over(q))
        return usage_problem("crossover %s: no algorithm that applies has a prediction here",
                             collective);
    say_left_out(q);
    show_in_bytes(map);
    x.text = text;
    x.unit = map->option;
    x.sizes = map->sizes;
    x.n_sizes = map->n_sizes;
    x.ranges = map->ranges;
    x.n = map->n;
    print_crossover(f, q->form.format->form, &x);
    return NULL;
}

static struct problem *make_map(struct question *q, struct map *map, FILE *f)
{
    const char *collective;
    int code = EXIT_OK;

    TRY(named_collective(q, &collective));
    TRY(resolve_grid(q, collective, map));
    for (int64_t i = 0; i < sweep_values(q, "P"); i++) {
        TRY(go_to(map, collective, i));
        if (map->q.how.measure)
            TRY(check_machine(&map->q));
    }
    TRY(fill(map, collective, &code));
    TRY(show_map(q, map, collective, f));
    return told(runs_are_over(q) ? EXIT_WRONG : code);
}

static struct problem *crossover(struct question *q, struct answer_file *to)
{
    struct map *const map = need(calloc(1, sizeof(*map)));
    struct problem *problem;

    map->q = *q;
    problem = make_map(q, map, to->f);
    free(map->sizes);
    free(map->ranges);
    free(map);
    return problem;
}

const struct command command_crossover = {
    .name = "bench crossover",
    .arguments = "COLLECTIVE",
    .summary = "where the best algorithm changes, over P and sizes",
    .options = OPTIONS_MODEL | OPTIONS_RUN | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_BASIS |
               OPTIONS_SWEEP | OPTIONS_CROSSOVER,
    .answer = ANSWER_FORM,
    .remark =
        "\nThe grid: -P ['2..64*2'] and --bytes ['8..1M*2'], or --count of vectors ['1..128k*2'], "
        "as in\n"
        "logp bench; for barriers -P alone. Several sizes need -G, the time per byte. Between two\n"
        "sizes with different winners the size where they change is found, as in logp tune; "
        "changes\n"
        "that revert between two sizes of the grid or powers of two are not detected. 1056 .. "
        "1084:\n"
        "up to 1084 the best and the one before win alternately: times are whole nanoseconds, and\n"
        "blocks may be unequal. Ties go to the algorithm listed first.\n"
        "With --measure both algorithms are run at the grid sizes on both sides, at most "
        "--reps\ntimes each [1000; virtual clock 1].",
    .call = crossover,
};
