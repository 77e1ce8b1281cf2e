/* SPDX-License-Identifier: MIT */
/*
 * The best algorithm takes no less time if the data grow, or L, o, g or G do. Points are drawn at
 * random on a uniform machine.
 *
 * LOGP_TEST_POINTS is the number of points, LOGP_TEST_SEED a single one, or the first of as many. LOGP_TEST_COUNT=1 counts
 * what does not hold, with the worst factor, instead of failing, also on nodes and on links.
 */
#include "drawn_links.h"

#include <math.h>

enum { POINTS = 400 };

enum network { UNIFORM, NODES, LINKS, N_NETWORKS };

static const char *const networks[] = {"uniform", "nodes", "links"};

enum grown { SIZE, LATENCY, OVERHEAD, GAP, GAP_PER_BYTE, N_GROWN };

static const char *const grown_names[] = {"size", "L", "o", "g", "G"};

static const char *const collectives[] = {"broadcast",      "reduce",    "allreduce", "scatter",
                                          "gather",         "allgather", "alltoall",  "barrier",
                                          "reduce-scatter", "scan",      "exscan"};

enum { N_COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]) };

struct point {
    uint64_t seed;
    enum network network;
    const char *collective;
    int P;
    struct logp_invocation call;
};

static struct {
    uint64_t tried, violated;
    double worst;
    uint64_t seed; /* of the worst */
} counts[N_NETWORKS][N_GROWN];

static bool is_counting(void)
{
    return getenv("LOGP_TEST_COUNT") != NULL;
}

static struct logp_links *draw_nodes(int P, uint64_t *random)
{
    const struct logp_link_costs c = some_costs(random);
    const int64_t per_node = 1 + below(random, one_in(random, 2) ? P + 2 : 8);
    struct logp_links *links;

    cr_assert_eq(logp_links_create(P, &links), 0);
    cr_assert_eq(logp_links_nodes(links, per_node, &c), 0);
    return links;
}

static struct point draw_point(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct point p = {.seed = seed};
    struct logp_args *a = &p.call.args;

    test_random(&random);
    do
        p.P = some_P(&random);
    while (p.P > 40);
    p.collective = collectives[below(&random, N_COLLECTIVES)];
    a->root = (int)below(&random, p.P);
    a->count = one_in(&random, 2) ? 1 + below(&random, 4) : 1 + some_size(&random, 300);
    a->n_bytes = 8 * (size_t)a->count;
    if (logp_collective_find(p.collective)->operands == LOGP_OPERANDS_VECTOR)
        a->op = logp_op_find("sum", "int64");
    p.call.model.params = some_params(&random);
    p.call.model.params.gap_shared = false;
    p.call.model.params.capacity = 0;
    p.network = is_counting() ? (enum network)(seed % N_NETWORKS) : UNIFORM;
    if (p.network == NODES)
        p.call.model.links = draw_nodes(p.P, &random);
    if (p.network == LINKS)
        p.call.model.links = draw_links(p.P, &random);
    return p;
}

static int64_t more(int64_t x, uint64_t *random)
{
    return one_in(random, 2) ? x + 1 + below(random, 4) : x + 1 + below(random, 2 * x + 9);
}

static struct point grow(struct point p, enum grown what)
{
    uint64_t random = (p.seed + (uint64_t)what) * UINT64_C(0xd1342543de82ef95) | 1;
    struct logp_params *m = &p.call.model.params;
    int64_t by;

    test_random(&random);
    switch (what) {
    case SIZE:
        p.call.args.count = more(p.call.args.count, &random);
        p.call.args.n_bytes = 8 * (size_t)p.call.args.count;
        break;
    case LATENCY:
        m->L_ns = more(m->L_ns, &random);
        break;
    case OVERHEAD:
        by = more(m->o_send_ns, &random) - m->o_send_ns;
        m->o_send_ns += by;
        m->o_recv_ns += by;
        break;
    case GAP:
        m->g_ns = more(m->g_ns, &random);
        break;
    case GAP_PER_BYTE:
        m->G_ps = more(m->G_ps, &random);
        break;
    case N_GROWN:
        break;
    }
    return p;
}

static int64_t best_time(const struct point *p, const struct logp_algorithm **row)
{
    struct logp_prediction time;

    *row = test_best(p->collective, p->P, &p->call);
    cr_assert_not_null(*row);
    time = test_predict(*row, p->P, &p->call);
    cr_assert(time.certainty == LOGP_PREDICTION_EXACT || time.certainty == LOGP_PREDICTION_BOUND,
              "seed %lu: %s %s", (unsigned long)p->seed, p->collective, (*row)->name);
    return time.ns;
}

static void say_point(const struct point *p, const char *what)
{
    const struct logp_params *m = &p->call.model.params;

    fprintf(stderr,
            "LOGP_TEST_SEED=%lu: %s %s, P %d root %d, L %ld o %ld %ld g %ld G %ld ps gamma %ld ps, "
            "%s, count %ld\n",
            (unsigned long)p->seed, what, p->collective, p->P, p->call.args.root, (long)m->L_ns,
            (long)m->o_send_ns, (long)m->o_recv_ns, (long)m->g_ns, (long)m->G_ps, (long)m->gamma_ps,
            networks[p->network], (long)p->call.args.count);
}

static void check_point(const struct point *p)
{
    const struct logp_algorithm *row, *larger_row;
    const int64_t ns = best_time(p, &row);

    for (int i = 0; i < N_GROWN; i++) {
        const struct point larger = grow(*p, (enum grown)i);
        const int64_t larger_ns = best_time(&larger, &larger_row);

        counts[p->network][i].tried++;
        if (larger_ns >= ns)
            continue;
        counts[p->network][i].violated++;
        if ((double)ns / (double)larger_ns > counts[p->network][i].worst) {
            counts[p->network][i].worst = larger_ns > 0 ? (double)ns / (double)larger_ns : INFINITY;
            counts[p->network][i].seed = p->seed;
        }
        if (!is_counting() || getenv("LOGP_TEST_SEED") != NULL || p->network == UNIFORM) {
            say_point(p, grown_names[i]);
            say_point(&larger, "to");
            fprintf(stderr, "  %s %ld ns, %s %ld ns\n", row->name, (long)ns, larger_row->name,
                    (long)larger_ns);
        }
        /* the words of census are searched for within a limit */
        cr_assert(is_counting() || ns - larger_ns <= ns / 100);
    }
}

static void say_counts(void)
{
    for (int i = 0; i < N_GROWN; i++) {
        fprintf(stderr, "%-4s", grown_names[i]);
        for (int n = 0; n < N_NETWORKS; n++)
            fprintf(stderr, " | %s %lu/%lu %.3f (%lu)", networks[n],
                    (unsigned long)counts[n][i].violated, (unsigned long)counts[n][i].tried,
                    counts[n][i].worst, (unsigned long)counts[n][i].seed);
        fprintf(stderr, "\n");
    }
}

Test(monotone, more_of_anything_takes_no_less)
{
    const char *single = getenv("LOGP_TEST_SEED"), *points = getenv("LOGP_TEST_POINTS");
    const uint64_t n = points != NULL ? strtoull(points, NULL, 10) : POINTS / TEST_SCALE + 1;
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL && points == NULL ? first : first + n - 1;

    cr_log_info("points %lu to %lu, each its own seed", (unsigned long)first, (unsigned long)last);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct point p = draw_point(seed);

        check_point(&p);
        logp_links_destroy((struct logp_links *)p.call.model.links);
    }
    if (is_counting())
        say_counts();
}
