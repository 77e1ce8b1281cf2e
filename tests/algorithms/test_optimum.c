/* SPDX-License-Identifier: MIT */
/*
 * For few processors every schedule there is: none ends below the lower bound, and none that an
 * algorithm has is below the best that is found. Where the best meets the bound the gap is 0, and
 * both are proven: for which cases that holds always is said by the table. Over links that differ,
 * and on networks, no schedule is below the bound either.
 */
#include "schedules.h"

struct kind {
    const char *name, *collective;
    void (*make)(struct search *x);
    size_t n_bytes;
    bool combines;
    int most_P;
    int met_up_to;     /* P up to which the bound is met whatever L, o, g */
    unsigned too_many; /* of five processors: cases that have too many schedules, by bit */
};

static unsigned all_of(int P)
{
    return (1u << P) - 1;
}

/* `items` bytes from rank 0 to all. */
static void broadcast(struct search *x, int items)
{
    x->has[0] = all_of(items);
    x->alike = 1;
    for (int r = 1; r < x->P; r++)
        x->needs[r] = all_of(items);
}

static void one_item(struct search *x)
{
    broadcast(x, 1);
}

static void two_items(struct search *x)
{
    broadcast(x, 2);
}

static void three_items(struct search *x)
{
    broadcast(x, 3);
}

static void scatter(struct search *x)
{
    x->has[0] = all_of(x->P) & ~1u;
    x->alike = 1;
    x->own_bits = true;
    for (int r = 1; r < x->P; r++)
        x->needs[r] = 1u << r;
}

static void each_has_one(struct search *x)
{
    for (int r = 0; r < x->P; r++)
        x->has[r] = 1u << r;
    x->own_bits = true;
}

static void gather(struct search *x)
{
    each_has_one(x);
    x->needs[0] = all_of(x->P);
    x->alike = 1;
}

/* Bit P r + k: what r has for k. */
static void from_each_to_each(struct search *x)
{
    x->alike = x->P;
    for (int r = 0; r < x->P; r++)
        for (int k = 0; k < x->P; k++)
            if (k != r) {
                x->has[r] |= 1u << (x->P * r + k);
                x->needs[k] |= 1u << (x->P * r + k);
            }
}

static void combine_on_one(struct search *x)
{
    gather(x);
    x->summed = true;
    x->as_one = x->params.gamma_ps > 0;
}

static void to_all(struct search *x)
{
    each_has_one(x);
    for (int r = 0; r < x->P; r++)
        x->needs[r] = all_of(x->P);
}

static void combine_on_all(struct search *x)
{
    to_all(x);
    x->summed = true;
    x->as_one = x->params.gamma_ps > 0;
}

static void combine_up_to(struct search *x)
{
    each_has_one(x);
    for (int r = 0; r < x->P; r++)
        x->needs[r] = all_of(r + 1);
    x->summed = true;
    x->alike = x->P;
}

static void combine_below(struct search *x)
{
    combine_up_to(x);
    for (int r = 0; r < x->P; r++)
        x->needs[r] = all_of(r);
}

/* Of those that combine, a message is as long whatever it carries, a byte: G only matters to the
 * bounds. */
static const struct kind kinds[] = {
    {"broadcast", "broadcast", one_item, 1, true, 5, 5, 0},
    {"broadcast of 2", "broadcast", two_items, 2, false, 4, 0, 0},
    {"broadcast of 3", "broadcast", three_items, 3, false, 3, 0, 0},
    {"scatter", "scatter", scatter, 1, false, 5, 2, 0},
    {"gather", "gather", gather, 1, false, 4, 2, 0},
    {"reduce", "reduce", combine_on_one, 1, true, 5, 5, 0},
    {"allgather", "allgather", to_all, 1, false, 3, 2, 0},
    {"alltoall", "alltoall", from_each_to_each, 1, false, 3, 2, 0},
    {"scan", "scan", combine_up_to, 1, true, 5, 3, 1 << 3 | 1 << 4 | 1 << 5 | 1 << 10},
    {"exscan", "exscan", combine_below, 1, true, 5, 3, 1 << 3 | 1 << 4 | 1 << 5 | 1 << 10},
    {"allreduce", "allreduce", combine_on_all, 1, true, 4, 0, 0},
    {"barrier", "barrier", combine_on_all, 0, true, 5, 0, 1 << 3 | 1 << 6 | 1 << 7},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct logp_op byte_sum = {
    .name = "sum", .type = "byte", .element_bytes = 1, .commutative = true};

/* The best that an algorithm is predicted to do. */
static int64_t best_row(const struct kind *kind, int P, const struct logp_invocation *c)
{
    const struct logp_algorithm *a;
    int64_t best = INT64_MAX;

    for (size_t i = 0; (a = logp_algorithm_at(kind->collective, i)) != NULL; i++) {
        const struct logp_prediction p = test_predict(a, P, c);

        if (p.certainty == LOGP_PREDICTION_EXACT && p.ns < best)
            best = p.ns;
    }
    return best;
}

/* What was found for one kind and P. */
struct found {
    int cases, met, best;
    size_t states;
};

static void say(const struct kind *kind, int P, int ports, const struct logp_params *p)
{
    cr_log_error("%s, P %d, %d ports, L %ld o %ld %ld g %ld G %ld ps gamma %ld ps, %s gap",
                 kind->name, P, ports, (long)p->L_ns, (long)p->o_send_ns, (long)p->o_recv_ns,
                 (long)p->g_ns, (long)p->G_ps, (long)p->gamma_ps,
                 p->gap_shared ? "shared" : "separate");
}

static void report(const struct kind *kind, int P, const struct found *found)
{
    if (found->cases == 0)
        return;
    cr_log_info("%-14s P = %d: the bound is met in %2d of %2d, by an algorithm in %2d; %zu states",
                kind->name, P, found->met, found->cases, found->best, found->states);
}

/* Where there are many schedules it is not looked for the best: an algorithm meets the bound, or it
 * stays open. */
static void check(const struct kind *kind, int P, int ports, const struct logp_params *params,
                  struct found *found)
{
    const struct logp_invocation c = {
        .args = {.n_bytes = kind->n_bytes, .count = 1, .op = &byte_sum},
        .model = {.params = *params, .ports = ports}};
    const int64_t least = logp_collective_lower_bound(kind->collective, P, &c.args, &c.model);
    const int64_t row = best_row(kind, P, &c);
    struct search x = {.params = *params, .P = P, .ports = ports};
    const bool few = P < (params->gamma_ps > 0 ? 4 : 5);
    int64_t T = least;
    bool met;

    kind->make(&x);
    if (search_schedules(x, (int)least - 1, &found->states)) {
        say(kind, P, ports, params);
        cr_assert(false, "a schedule is below the bound, %ld", (long)least);
    }
    met = few ? search_schedules(x, (int)least, &found->states) : row == least;
    while (!met && few && T < row && !search_schedules(x, (int)++T, &found->states))
        ;
    found->cases++;
    found->met += met;
    found->best += row == least;
    if (row < T || (P <= kind->met_up_to && ports == 1 && params->gamma_ps == 0 && !met)) {
        say(kind, P, ports, params);
        cr_assert_geq(row, T, "%ld: no schedule is as fast", (long)row);
        cr_assert(met, "%ld is not met", (long)least);
    }
}

Test(optimum, no_schedule_is_below_the_bound)
{
    static const struct logp_params times[] = {
        {.L_ns = 1, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 1},
        {.L_ns = 3, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 2},
        {.L_ns = 2, .o_send_ns = 0, .o_recv_ns = 0, .g_ns = 3},
        {.L_ns = 2, .o_send_ns = 1, .o_recv_ns = 2, .g_ns = 1},
        {.L_ns = 0, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 1},
        {.L_ns = 1, .o_send_ns = 2, .o_recv_ns = 1, .g_ns = 3},
        {.L_ns = 3, .o_send_ns = 0, .o_recv_ns = 0, .g_ns = 1},
    };
    const int sets = TEST_SCALE > 1 ? 1 : 7;

    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++)
        for (int P = 2; P <= kind->most_P && P <= 4 + (TEST_SCALE == 1); P++) {
            struct found found = {0};

            for (int i = 0; i < 2 * sets; i++) {
                struct logp_params p = times[i / 2];

                if (P == 5 && (kind->too_many >> i & 1) != 0)
                    continue;
                p.gap_shared = kind->combines && i % 2 == 1;
                p.G_ps = i % 2 == 1 ? 3000 : 1000;
                check(kind, P, 1, &p, &found);
            }
            report(kind, P, &found);
        }
}

/* Combinations take time, and may be made anywhere. */
Test(optimum, nor_where_combining_takes_time)
{
    static const struct logp_params times[] = {
        {.L_ns = 1, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 1, .gamma_ps = 1000},
        {.L_ns = 1, .o_send_ns = 0, .o_recv_ns = 1, .g_ns = 4, .gamma_ps = 1000},
        {.L_ns = 1, .o_send_ns = 0, .o_recv_ns = 0, .g_ns = 3, .gamma_ps = 2000},
        {.L_ns = 1, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 3, .gamma_ps = 2000},
        {.L_ns = 3, .o_send_ns = 0, .o_recv_ns = 0, .g_ns = 0, .gamma_ps = 1000},
        {.L_ns = 3, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 2, .gamma_ps = 1000},
    };

    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++)
        for (int P = 2; kind->make == combine_on_one && P <= (TEST_SCALE > 1 ? 3 : 4); P++) {
            struct found found = {0};

            for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
                check(kind, P, 1, &times[i], &found);
            report(kind, P, &found);
        }
}

/* Of up to 4 processors; messages that differ in size have too many schedules for more than 3. */
Test(optimum, nor_with_several_ports)
{
    static const struct logp_params times[] = {
        {.L_ns = 1, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 4},
        {.L_ns = 2, .o_send_ns = 0, .o_recv_ns = 0, .g_ns = 3},
        {.L_ns = 0, .o_send_ns = 1, .o_recv_ns = 2, .g_ns = 5},
        {.L_ns = 2, .o_send_ns = 1, .o_recv_ns = 0, .g_ns = 2},
    };
    const int sets = TEST_SCALE > 1 ? 1 : 4;

    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++)
        for (int P = 2; P <= kind->most_P && P <= (kind->combines ? 4 : 3); P++) {
            struct found found = {0};

            for (int i = 0; i < 2 * sets; i++) {
                struct logp_params p = times[i / 2];

                p.gap_shared = kind->combines && i % 2 == 1;
                p.G_ps = i % 2 == 1 ? 3000 : 1000;
                check(kind, P, 2 + (i + P) % 2, &p, &found);
            }
            report(kind, P, &found);
        }
}

/* ---- links that differ, and networks ---- */

static struct logp_link_costs some_link(uint64_t *random, bool streams)
{
    const int64_t o = test_below(random, 3);

    return (struct logp_link_costs){
        .L_ns = test_below(random, test_below(random, 2) == 0 ? 3 : 9),
        .o_send_ns = o,
        .o_recv_ns = test_below(random, 2) == 0 ? o : test_below(random, 3),
        .g_ns = test_below(random, 4),
        .G_ps = streams ? 1000 * test_below(random, 4) : 0,
    };
}

/* Nodes, and now and then links of their own. */
static struct logp_links *some_links(int P, uint64_t *random, bool streams)
{
    const struct logp_link_costs between = some_link(random, streams);
    const int64_t n = test_below(random, 2) == 0 ? 0 : test_below(random, 9);
    struct logp_links *links;

    cr_assert_eq(logp_links_create(P, &links), 0);
    if (test_below(random, 3) > 0)
        cr_assert_eq(logp_links_nodes(links, 1 + test_below(random, P - 1), &between), 0);
    for (int64_t i = 0; i < n; i++) {
        const struct logp_link_costs c = some_link(random, streams);
        const int a = (int)test_below(random, P), b = (int)test_below(random, P);
        const struct logp_rank_range src = {a, a}, dst = {b, b};

        cr_assert_eq(
            logp_links_set(links, &(struct logp_ranks){&src, 1}, &(struct logp_ranks){&dst, 1}, &c),
            0);
    }
    return links;
}

/* The links of a network as such between any two, where no message waits for another: no real
 * schedule is faster. */
static void set_network(struct search *x, const struct logp_topology *t)
{
    for (int i = 0; i < x->P; i++)
        for (int j = 0; j < x->P; j++) {
            x->link[i][j] = x->params;
            x->link[i][j].L_ns = x->params.L_ns * logp_topology_hops(t, i, j);
        }
}

/* Search for anything below the bound, and, where it is quick, whether anything meets it. */
static void check_ways(const struct kind *kind, int P, const struct logp_network *model,
                       struct search x, struct found *found)
{
    const struct logp_args args = {.n_bytes = kind->n_bytes, .count = 1, .op = &byte_sum};
    const int64_t least = logp_collective_lower_bound(kind->collective, P, &args, model);

    x.params = model->params;
    x.P = P;
    x.links_differ = true;
    kind->make(&x);
    if (search_schedules(x, (int)least - 1, &found->states)) {
        say(kind, P, 1, &model->params);
        for (int i = 0; i < P * P; i++) {
            const struct logp_params *p = &x.link[i / P][i % P];

            cr_log_error("%d to %d: L %ld o %ld %ld g %ld G %ld ps", i / P, i % P, (long)p->L_ns,
                         (long)p->o_send_ns, (long)p->o_recv_ns, (long)p->g_ns, (long)p->G_ps);
        }
        cr_assert(false, "a schedule is below the bound, %ld", (long)least);
    }
    found->cases++;
    found->met += (P <= 3 || kind->make == one_item) && model->params.gamma_ps == 0 &&
                  search_schedules(x, (int)least, &found->states);
}

/* P, and so many cases of each kind of collective. */
static const int ways_cases[][2] = {{2, 100}, {3, 300}, {4, 30}, {5, 20}};

enum { WAYS = sizeof(ways_cases) / sizeof(ways_cases[0]) };

static struct logp_params some_base(const struct kind *kind, int P, uint64_t *random)
{
    const struct logp_link_costs c = some_link(random, !kind->combines);
    const bool combines = kind->make == combine_on_one && P < 3 && test_below(random, 3) == 0;

    return (struct logp_params){.L_ns = c.L_ns,
                                .o_send_ns = c.o_send_ns,
                                .o_recv_ns = c.o_recv_ns,
                                .g_ns = c.g_ns,
                                .G_ps = c.G_ps,
                                .gamma_ps = combines ? 1000 : 0,
                                .gap_shared = kind->combines && test_below(random, 3) == 0};
}

/* Does it take too long to search all schedules of so many processors? */
static bool is_large(const struct kind *kind, int P)
{
    return P > kind->most_P || (P > 3 && !kind->combines) || (P > 4 && kind->make != one_item);
}

/* Draw case n of so many processors, and check it. */
typedef void check_case(const struct kind *kind, int P, int n, uint64_t *random,
                        struct found *found);

static void check_all(uint64_t random, check_case *check_one)
{
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++)
        for (int i = 0; i < WAYS; i++) {
            const int P = ways_cases[i][0];
            struct found found = {0};

            for (int n = 0; !is_large(kind, P) && n < ways_cases[i][1] / TEST_SCALE; n++)
                check_one(kind, P, n, &random, &found);
            report(kind, P, &found);
        }
}

static void check_links(const struct kind *kind, int P, int n, uint64_t *random,
                        struct found *found)
{
    TEST_LINKS links = some_links(P, random, !kind->combines);
    const struct logp_network model = {.params = some_base(kind, P, random), .links = links};
    struct search x = {0};

    for (int l = 0; l < P * P; l++)
        logp_links_of(links, l / P, l % P, &model.params, &x.link[l / P][l % P]);
    check_ways(kind, P, &model, x, found);
}

Test(optimum, nor_over_links_that_differ)
{
    check_all(11, check_links);
}

static void check_network(const struct kind *kind, int P, int n, uint64_t *random,
                          struct found *found)
{
    static const char *const specs[] = {"line", "ring", "tree"};
    struct logp_network model = {.params = some_base(kind, P, random)};
    struct search x = {.P = P};
    TEST_TOPOLOGY t = NULL;

    model.params.G_ps = 0; /* links are not searched: only one byte at a time */
    cr_assert_eq(logp_topology_create(specs[P % 2 == 1 ? n % 2 : n % 3], P, &t), 0);
    model.topology = t;
    x.params = model.params;
    set_network(&x, t);
    check_ways(kind, P, &model, x, found);
}

Test(optimum, nor_on_a_network)
{
    check_all(12, check_network);
}
