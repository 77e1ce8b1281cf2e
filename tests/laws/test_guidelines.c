/* SPDX-License-Identifier: MIT */
/*
 * Self-consistent performance guidelines: a collective takes no longer than others that contain it.
 * Points are drawn on four kinds of networks, and each guideline of the table below is checked at
 * each point with the rows that `auto` takes. Source: Traeff, Gropp, Thakur, Self-consistent MPI
 * performance guidelines, IEEE TPDS 21(5), 2010.
 *
 * LOGP_TEST_POINTS is the number of points, LOGP_TEST_SEED a single one, or the first of as many.
 * LOGP_TEST_COUNT=1 counts what does not hold, with the worst factor, instead of failing.
 */
#include "drawn_links.h"

#include <math.h>

enum { POINTS = 300 };

enum network { UNIFORM, NODES, LINKS, TOPOLOGY, N_NETWORKS };

static const char *const networks[] = {"uniform", "nodes", "links", "topology"};

/* The operands of the larger collective: one of a byte or an element, as many, as many from each of
 * the P ranks, or all blocks of unlike sizes together. */
enum size { ONE, SAME, TIMES_P, ALL_BLOCKS, SAME_BLOCKS };

enum condition { ANY, NO_GAMMA, LAST_ROOT };

/* What the larger collective takes besides: nothing, a message of n to the next rank after its
 * schedule, or n combinations. */
enum besides { NOTHING, HANDED_ON, COMBINED };

/* The guidelines. A new collective adds lines. */
static const struct guideline {
    const char *small;
    const char *large;
    enum size size; /* of the larger collective */
    enum condition condition;
    enum besides besides;
    bool unlike;       /* blocks of unlike sizes */
    const char *first; /* its schedule comes before that of the larger collective; their root is
                          the rank with the largest block */
} guidelines[] = {
    {"barrier", "allreduce", .size = ONE},
    {"barrier", "allgather", .size = ONE},
    {"reduce", "allreduce", .size = SAME},
    {"reduce", "scan", .size = SAME, .condition = LAST_ROOT},
    {"broadcast", "allreduce", .size = SAME, .condition = NO_GAMMA},
    {"broadcast", "allgather", .size = SAME},
    {"gather", "allgather", .size = SAME},
    {"gather", "alltoall", .size = SAME},
    {"scatter", "alltoall", .size = SAME},
    {"scatter", "broadcast", .size = TIMES_P},
    {"allgather", "alltoall", .size = SAME},
    {"reduce-scatter", "allreduce", .size = TIMES_P},
    {"exscan", "scan", .size = SAME, .besides = HANDED_ON},
    {"scan", "exscan", .size = SAME, .besides = COMBINED},
    {"reduce-scatter", "allreduce", .size = ALL_BLOCKS, .unlike = true},
    {"allgather", "broadcast", .size = ALL_BLOCKS, .unlike = true, .first = "gather"},
};

enum { N_GUIDELINES = sizeof(guidelines) / sizeof(guidelines[0]) };

struct point {
    uint64_t seed;
    enum network network;
    int P, root;
    int64_t count; /* elements of 8 bytes */
    struct logp_network model;
    struct test_blocks blocks;
    int64_t per_node;
};

/* ---- points ---- */

static void draw_network(struct point *p, uint64_t *random)
{
    struct logp_links *links = NULL;

    p->network = (enum network)(p->seed % N_NETWORKS);
    p->model.params = some_params(random);
    p->model.params.gap_shared = false;
    p->model.params.capacity = 0;
    if (p->network == TOPOLOGY)
        p->model.topology = some_topology(random, p->P);
    if (p->network == NODES) {
        const struct logp_link_costs c = some_costs(random);

        p->per_node = 1 + below(random, one_in(random, 2) ? p->P + 2 : 8);
        cr_assert_eq(logp_links_create(p->P, &links), 0);
        cr_assert_eq(logp_links_nodes(links, p->per_node, &c), 0);
    }
    if (p->network == LINKS)
        links = draw_links(p->P, random);
    p->model.links = links;
    /* on links that differ a shorter message may take longer with several ports: a port that is free
     * sooner is taken by another message */
    if (p->network != LINKS && p->seed / N_NETWORKS % 4 == 3)
        p->model.ports = 2 + (int64_t)(p->seed % 3);
}

static struct point draw_point(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct point p = {.seed = seed};
    struct logp_invocation blocks = {.args.tag = 0};
    struct test_blocks none;

    test_random(&random);
    do
        p.P = some_P(&random);
    while (p.P > 40);
    p.root = (int)below(&random, p.P);
    p.count = one_in(&random, 2) ? 1 + below(&random, 4) : 1 + some_size(&random, 300);
    test_blocks_make(&p.blocks, &none, p.P, &random, 1 + some_size(&random, 99), &blocks,
                     logp_collective_find("reduce-scatter"));
    test_blocks_free(&none);
    draw_network(&p, &random);
    return p;
}

static void free_point(struct point *p)
{
    test_blocks_free(&p->blocks);
    logp_links_destroy((struct logp_links *)p->model.links);
    logp_topology_destroy((struct logp_topology *)p->model.topology);
}

/* The rank with the largest block. */
static int largest_block(const struct point *p)
{
    const size_t *before = p->blocks.blocks.before;
    int best = 0;

    for (int i = 1; i < p->P; i++)
        if (before[i + 1] - before[i] > before[best + 1] - before[best])
            best = i;
    return best;
}

/* ---- times ---- */

static struct logp_invocation call_of(const struct point *p, const char *collective, enum size size,
                                      int root)
{
    const bool vectors = logp_collective_find(collective)->operands == LOGP_OPERANDS_VECTOR;
    const size_t all = p->blocks.blocks.before[p->P];
    struct logp_invocation c = {.args.root = root, .model = p->model};

    if (vectors)
        c.args.op = logp_op_find("sum", "int64");
    c.args.count = size == ONE       ? 1
                   : size == SAME    ? p->count
                   : size == TIMES_P ? p->P * p->count
                                     : (int64_t)all;
    c.args.n_bytes = size == ONE ? 1 : size == ALL_BLOCKS ? all : 8 * (size_t)c.args.count;
    if (size == SAME_BLOCKS)
        c.args.blocks = &p->blocks.blocks;
    return c;
}

/* An answer, for several guidelines. */
struct answer {
    const char *collective;
    enum size size;
    int root;
    int64_t gamma_ps, ns;
    const struct logp_algorithm *row;
};

static struct {
    struct answer answers[4 * N_GUIDELINES];
    size_t n;
} known; /* of the point */

static struct answer best_time(const struct point *p, const char *collective, enum size size,
                               int root)
{
    const struct logp_invocation c = call_of(p, collective, size, root);
    struct answer a = {collective, size, root, p->model.params.gamma_ps, 0, NULL};
    struct logp_prediction time;

    for (size_t i = 0; i < known.n; i++)
        if (strcmp(known.answers[i].collective, collective) == 0 && known.answers[i].size == size &&
            known.answers[i].root == root && known.answers[i].gamma_ps == a.gamma_ps)
            return known.answers[i];
    a.row = test_best(collective, p->P, &c);
    cr_assert_not_null(a.row);
    time = test_predict(a.row, p->P, &c);
    cr_assert(time.certainty == LOGP_PREDICTION_EXACT || time.certainty == LOGP_PREDICTION_BOUND,
              "seed %lu: %s", (unsigned long)p->seed, collective);
    a.ns = time.ns;
    cr_assert_lt(known.n, sizeof(known.answers) / sizeof(known.answers[0]));
    known.answers[known.n++] = a;
    return a;
}

/* The best row that uses no other collective: a third one can use it. */
static const struct logp_algorithm *best_own_row(const struct point *p, const char *collective,
                                                 enum size size, int root)
{
    const struct logp_invocation c = call_of(p, collective, size, root);
    const struct logp_algorithm *a, *best = NULL;
    int64_t least = INT64_MAX;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++) {
        const bool applies = strncmp(a->name, "by-", 3) != 0 && test_needs(a, p->P, &c) == NULL;
        const struct logp_prediction time =
            applies ? test_predict(a, p->P, &c) : (struct logp_prediction){0};

        if (applies && time.certainty == LOGP_PREDICTION_EXACT && time.ns < least) {
            best = a;
            least = time.ns;
        }
    }
    cr_assert_not_null(best);
    return best;
}

/* ---- schedules that follow each other ---- */

enum { MOST_PARTS = 2 };

/* plan.state: all steps of a rank. */
struct joined {
    int64_t n;
    struct logp_step steps[];
};

static const struct logp_schedule *joined_parts; /* MOST_PARTS */

static int joined_plan(int P, int rank, struct logp_invocation *c)
{
    struct joined *all = malloc(sizeof(*all));

    all->n = 0;
    for (int i = 0; i < MOST_PARTS; i++) {
        const struct logp_schedule *s = &joined_parts[i];
        struct logp_invocation in;
        struct logp_step step;

        cr_assert_eq(logp_schedule_begin(s, rank, &in), 0);
        for (int64_t k = 0; s->steps(P, rank, &in, k, &step); k++) {
            all = realloc(all, sizeof(*all) + (size_t)(all->n + 1) * sizeof(step));
            all->steps[all->n++] = step;
        }
        logp_schedule_end(&in);
    }
    c->plan.state = all;
    return 0;
}

static bool joined_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct joined *all = c->plan.state;

    (void)P, (void)rank;
    if (i >= all->n)
        return false;
    *out = all->steps[i];
    return true;
}

static int64_t joined(const struct point *p, const struct logp_schedule parts[MOST_PARTS])
{
    const struct logp_schedule s = {
        .P = p->P, .steps = joined_steps, .plan = joined_plan, .model = p->model};
    struct logp_delay delay;
    struct logp_fold fold;

    joined_parts = parts;
    cr_assert_eq(logp_network_delay(&p->model, p->P, NULL, &delay, NULL), 0);
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &fold), 0);
    logp_delay_destroy(&delay);
    return fold.ns;
}

static const struct logp_algorithm *handed_row;

/* The steps of a row, and then a message of the result to the next rank. */
static bool handed_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const size_t n_bytes = (size_t)c->args.count * c->args.op->element_bytes;
    struct logp_step step;
    int64_t n = i;

    if (handed_row->steps(P, rank, c, i, out))
        return true;
    while (n > 0 && !handed_row->steps(P, rank, c, n - 1, &step))
        n--;
    i -= n;
    if (rank < P - 1 && i-- == 0)
        return logp_step_send(out, rank + 1, c->args.tag, LOGP_RECV_BUF, 0, n_bytes);
    return rank > 0 && i == 0 &&
           logp_step_receive(out, rank - 1, c->args.tag, LOGP_RECV_BUF, 0, n_bytes);
}

static int64_t handed_on(const struct point *p, const struct logp_algorithm *row,
                         const struct logp_invocation *c)
{
    struct logp_schedule s = logp_schedule_of(row, p->P, &c->args, &c->model);
    struct logp_delay delay;
    struct logp_fold fold;

    handed_row = row;
    s.steps = handed_steps;
    cr_assert_eq(logp_network_delay(&p->model, p->P, NULL, &delay, NULL), 0);
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &fold), 0);
    logp_delay_destroy(&delay);
    return fold.ns;
}

/* ---- a guideline at a point ---- */

static struct {
    uint64_t tried, violated;
    double worst;
    uint64_t seed; /* of the worst */
} counts[N_NETWORKS][N_GUIDELINES];

static bool is_counting(void)
{
    return getenv("LOGP_TEST_COUNT") != NULL;
}

static void say_point(const struct point *p, const struct guideline *g)
{
    const struct logp_params *m = &p->model.params;

    fprintf(stderr,
            "LOGP_TEST_SEED=%lu: %s, P %d root %d, L %ld o %ld %ld g %ld G %ld ps gamma %ld ps, "
            "%s%s%s, per node %ld, %ld ports, count %ld%s\n",
            (unsigned long)p->seed, g->small, p->P, p->root, (long)m->L_ns, (long)m->o_send_ns,
            (long)m->o_recv_ns, (long)m->g_ns, (long)m->G_ps, (long)m->gamma_ps,
            networks[p->network], p->model.topology != NULL ? " " : "",
            p->model.topology != NULL ? logp_topology_spec(p->model.topology) : "",
            (long)p->per_node, (long)p->model.ports, (long)p->count,
            g->unlike ? ", blocks of unlike sizes" : "");
}

static void check_guideline(const struct point *p, int i)
{
    const struct guideline *g = &guidelines[i];
    const int root = g->condition == LAST_ROOT ? p->P - 1
                     : g->first != NULL        ? largest_block(p)
                                               : p->root;
    const int large_root = logp_collective_find(g->large)->rooted ? root : 0;
    const int small_root = logp_collective_find(g->small)->rooted ? root : 0;
    struct point at = *p;
    struct answer small, large;
    int64_t most;

    if (g->condition == NO_GAMMA)
        at.model.params.gamma_ps = 0;
    small = best_time(&at, g->small, g->unlike ? SAME_BLOCKS : SAME, small_root);
    large = best_time(&at, g->large, g->size, large_root);
    most = large.ns;
    if (g->besides == HANDED_ON) {
        const struct logp_invocation c = call_of(&at, g->large, g->size, large_root);

        most = handed_on(&at, large.row, &c);
    }
    if (g->first != NULL) {
        const struct logp_algorithm *first = best_own_row(&at, g->first, SAME_BLOCKS, root);
        const struct logp_algorithm *then = best_own_row(&at, g->large, g->size, large_root);
        const struct logp_invocation a = call_of(&at, g->first, SAME_BLOCKS, root),
                                     b = call_of(&at, g->large, g->size, large_root);
        const struct logp_schedule parts[] = {logp_schedule_of(first, at.P, &a.args, &a.model),
                                              logp_schedule_of(then, at.P, &b.args, &b.model)};

        most = joined(&at, parts);
    }
    if (g->besides == COMBINED)
        most += (p->count * at.model.params.gamma_ps + 999) / 1000;
    counts[p->network][i].tried++;
    if (small.ns > most) {
        const double factor = most > 0 ? (double)small.ns / (double)most : INFINITY;

        counts[p->network][i].violated++;
        if (factor > counts[p->network][i].worst) {
            counts[p->network][i].worst = factor;
            counts[p->network][i].seed = p->seed;
        }
        if (!is_counting() || getenv("LOGP_TEST_SEED") != NULL)
            say_point(p, g);
    }
    cr_assert(small.ns <= most || is_counting(), "%s %s %ld ns > %s %s %ld ns", g->small,
              small.row->name, (long)small.ns, g->large, large.row->name, (long)most);
}

static void say_counts(void)
{
    for (int i = 0; i < N_GUIDELINES; i++) {
        fprintf(stderr, "%-14s <= %-10s%s", guidelines[i].small, guidelines[i].large,
                guidelines[i].unlike ? "*" : " ");
        for (int n = 0; n < N_NETWORKS; n++)
            fprintf(stderr, " | %s %lu/%lu %.2f (%lu)", networks[n],
                    (unsigned long)counts[n][i].violated, (unsigned long)counts[n][i].tried,
                    counts[n][i].worst, (unsigned long)counts[n][i].seed);
        fprintf(stderr, "\n");
    }
}

Test(guidelines, a_collective_takes_no_longer_than_one_that_contains_it)
{
    const char *single = getenv("LOGP_TEST_SEED"), *points = getenv("LOGP_TEST_POINTS");
    const uint64_t n = points != NULL ? strtoull(points, NULL, 10) : POINTS / TEST_SCALE + 1;
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL && points == NULL ? first : first + n - 1;

    cr_log_info("points %lu to %lu, each its own seed", (unsigned long)first, (unsigned long)last);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct point p = draw_point(seed);

        known.n = 0;
        for (int i = 0; i < N_GUIDELINES; i++)
            check_guideline(&p, i);
        free_point(&p);
    }
    if (is_counting())
        say_counts();
}
