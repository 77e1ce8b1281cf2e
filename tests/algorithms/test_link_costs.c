/* SPDX-License-Identifier: MIT */
/*
 * Links with parameters of their own: tables at random, held against a dense one. What algorithms
 * take on them: test_cases.c.
 */
#include "drawn_links.h"

enum { TABLES = 400 };

/* ---- a table without kinds ---- */

struct dense {
    int P;
    struct logp_link_costs cost[MOST_P][MOST_P];
};

static const struct logp_link_costs nothing = LOGP_ALL_AS_BEFORE;

static void overlay(struct logp_link_costs *to, const struct logp_link_costs *c)
{
    int64_t *const out[] = {&to->L_ns, &to->o_send_ns, &to->o_recv_ns, &to->g_ns, &to->G_ps};
    const int64_t in[] = {c->L_ns, c->o_send_ns, c->o_recv_ns, c->g_ns, c->G_ps};

    for (int i = 0; i < 5; i++)
        *out[i] = in[i] >= 0 ? in[i] : *out[i];
}

static struct logp_params with(const struct logp_params *base, const struct logp_link_costs *c)
{
    struct logp_link_costs all = {base->L_ns, base->o_send_ns, base->o_recv_ns, base->g_ns,
                                  base->G_ps};
    struct logp_params p = *base;

    overlay(&all, c);
    p.L_ns = all.L_ns;
    p.o_send_ns = all.o_send_ns;
    p.o_recv_ns = all.o_recv_ns;
    p.g_ns = all.g_ns;
    p.G_ps = all.G_ps;
    return p;
}

static bool is_in(const struct logp_ranks *set, int rank)
{
    bool in = set->n == 0;

    for (int i = 0; i < set->n; i++)
        in |= set->ranges[i].first <= rank && rank <= set->ranges[i].last;
    return in;
}

static void told(void *arg, const struct logp_ranks *src, const struct logp_ranks *dst,
                 int64_t per_node, const struct logp_link_costs *c)
{
    struct dense *dense = arg;

    for (int s = 0; s < dense->P; s++)
        for (int d = 0; d < dense->P; d++)
            if (per_node > 0 ? s / per_node != d / per_node : is_in(src, s) && is_in(dst, d))
                overlay(&dense->cost[s][d], c);
}

static struct logp_links *some_links(struct dense *dense, int P, uint64_t *random)
{
    dense->P = P;
    for (int s = 0; s < P; s++)
        for (int d = 0; d < P; d++)
            dense->cost[s][d] = nothing;
    return draw_links_told(P, random, told, dense);
}

static bool same(const struct logp_params *a, const struct logp_params *b)
{
    return a->L_ns == b->L_ns && a->o_send_ns == b->o_send_ns && a->o_recv_ns == b->o_recv_ns &&
           a->g_ns == b->g_ns && a->G_ps == b->G_ps && a->gamma_ps == b->gamma_ps &&
           a->gap_shared == b->gap_shared && a->capacity == b->capacity &&
           a->store_forward == b->store_forward;
}

/* A table, and the delay model that is made of it, as the dense one; and its least. */
static void check_table(const struct logp_links *links, const struct dense *dense,
                        const struct logp_params *base)
{
    struct logp_params least, p;
    struct logp_delay delay;

    cr_assert_eq(logp_links_delay(links, base, &delay), 0);
    logp_links_least(links, base, &least);
    for (int s = 0; s < dense->P; s++)
        for (int d = 0; d < dense->P; d++) {
            const struct logp_params expected = with(base, &dense->cost[s][d]);

            logp_links_of(links, s, d, base, &p);
            cr_assert(same(&p, &expected), "%d to %d", s, d);
            cr_assert(same(delay.ops->link(delay.model, s, d), &expected), "%d to %d", s, d);
            cr_assert_leq(delay.ops->lookahead(delay.model), p.L_ns + p.o_send_ns);
            cr_assert(s == d || (least.L_ns <= p.L_ns && least.o_send_ns <= p.o_send_ns &&
                                 least.o_recv_ns <= p.o_recv_ns && least.g_ns <= p.g_ns &&
                                 least.G_ps <= p.G_ps));
        }
    cr_assert(same(delay.ops->params(delay.model), base));
    cr_assert(same(delay.ops->link(delay.model, 0, dense->P), base));
    logp_delay_destroy(&delay);
}

Test(link_costs, a_table_is_what_was_said_of_each_pair)
{
    static struct dense dense;

    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        struct logp_params base = some_params(&random);
        TEST_LINKS links = some_links(&dense, 1 + (int)below(&random, MOST_P), &random);

        base.capacity = 0;
        check_table(links, &dense, &base);
    }
}

static const struct logp_params base = {.L_ns = 60, .o_send_ns = 20, .o_recv_ns = 20, .g_ns = 40};

static const struct logp_rank_range one = {1, 1};

/* Latencies by chance are those of the link. */
Test(link_costs, what_is_drawn_is_of_the_link)
{
    TEST_LINKS links = test_links(2);
    const struct logp_link_costs slow = {7000, -1, -1, -1, -1};
    const struct logp_ranks from = {&one, 1}, all = {NULL, 0};
    struct logp_delay inner, delay;
    int64_t most[2] = {0, 0};

    cr_assert_eq(logp_links_set(links, &from, &all, &slow), 0);
    cr_assert_eq(logp_links_delay(links, &base, &inner), 0);
    cr_assert_eq(
        logp_latency_create(&inner, &(struct logp_latency){.kind = LOGP_LATENCY_UNIFORM, .seed = 3},
                            &delay),
        0);
    for (unsigned i = 0; i < 2000; i++) {
        struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
        struct logp_transfer t = {.src = (int)(i % 2), .dst = (int)(1 - i % 2), .number = i};

        delay.ops->start(delay.model, &port, &t);
        delay.ops->send(delay.model, &port, &t);
        cr_assert_geq(t.arrival, t.done);
        if (t.arrival - t.done > most[i % 2])
            most[i % 2] = t.arrival - t.done;
    }
    cr_expect(most[0] <= 60 && most[0] > 50, "%ld", (long)most[0]);
    cr_expect(most[1] <= 7000 && most[1] > 6900, "%ld", (long)most[1]);
    logp_delay_destroy(&delay);
}

/* All links said to be alike are a machine like any other: so fast, and so bounded. */
Test(link_costs, links_all_alike_are_none)
{
    const struct logp_link_costs c = {6, 2, 3, 4, 2000};
    const struct logp_ranks all = {NULL, 0};
    const struct logp_params plain = {
        .L_ns = 6, .o_send_ns = 2, .o_recv_ns = 3, .g_ns = 4, .G_ps = 2000, .gamma_ps = 1000};

    for (int P = 1; P <= 9; P += 4) {
        struct logp_invocation linked = {.args.n_bytes = 24,
                                         .args.count = 3,
                                         .args.rows = P,
                                         .args.cols = P,
                                         .args.op = logp_op_find("sum", "double"),
                                         .model.params = plain};
        TEST_LINKS links = test_links(P);
        const struct logp_invocation alike = linked;

        cr_assert_eq(logp_links_set(links, &all, &all, &c), 0);
        linked.model.links = links;
        for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++) {
            if ((*row)->steps == NULL || test_needs(*row, P, &alike) != NULL)
                continue;
            cr_assert_eq(test_predict(*row, P, &linked).ns,
                         test_predict_by(*row, P, &alike, LOGP_BY_SCHEDULE).ns, "%s %s, %d",
                         (*row)->collective, (*row)->name, P);
            cr_assert_eq(
                logp_collective_lower_bound((*row)->collective, P, &linked.args, &linked.model),
                logp_collective_lower_bound((*row)->collective, P, &alike.args, &alike.model), "%s",
                (*row)->collective);
        }
    }
}

/* ---- what is refused ---- */

Test(link_costs, what_makes_no_sense_is_refused)
{
    const struct logp_rank_range backwards = {2, 1}, outside = {0, 4}, below_0 = {-1, 1};
    const struct logp_ranks all = {NULL, 0};
    const struct logp_ranks wrong[] = {{&backwards, 1}, {&outside, 1}, {&below_0, 1}, {NULL, 1}};
    struct logp_link_costs far = nothing;
    struct logp_params capacity = base, negative = base;
    struct logp_links *links;
    struct logp_delay delay;

    cr_expect_eq(logp_links_create(0, &links), -EINVAL);
    cr_expect_eq(logp_links_create(LOGP_MAX_PROCESSORS + 1, &links), -EINVAL);
    cr_assert_eq(logp_links_create(4, &links), 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cr_expect_eq(logp_links_set(links, &wrong[i], &all, &nothing), -EINVAL, "%zu", i);
        cr_expect_eq(logp_links_set(links, &all, &wrong[i], &nothing), -EINVAL, "%zu", i);
    }
    far.g_ns = LOGP_PARAM_MAX_NS + 1;
    cr_expect_eq(logp_links_set(links, &all, &all, &far), -EINVAL);
    cr_expect_eq(logp_links_nodes(links, 2, &far), -EINVAL);
    far.g_ns = -2;
    cr_expect_eq(logp_links_set(links, &all, &all, &far), -EINVAL);
    cr_expect_eq(logp_links_nodes(links, 0, &nothing), -EINVAL);
    cr_expect_eq(logp_links_nodes(links, 2, &nothing), 0);
    cr_expect_eq(logp_links_nodes(links, 2, &nothing), 0);
    cr_expect_eq(logp_links_nodes(links, 3, &nothing), -EINVAL);
    cr_expect_eq(logp_links_nodes(links, 1, &nothing), -EINVAL);
    cr_expect_eq(logp_links_per_socket(links), 0);
    cr_expect_eq(logp_links_nodes(links, 4, &nothing), 0);
    cr_expect_eq(logp_links_nodes(links, 4, &nothing), 0);
    cr_expect_eq(logp_links_nodes(links, 2, &nothing), -EINVAL);
    cr_expect_eq(logp_links_nodes(links, 8, &nothing), -EINVAL, "sockets, nodes, and no more");
    cr_expect_eq(logp_links_per_socket(links), 2);
    cr_expect_eq(logp_links_per_node(links), 4);
    capacity.capacity = LOGP_CAPACITY_RULE;
    negative.L_ns = -1;
    cr_expect_eq(logp_links_delay(links, &capacity, &delay), -EINVAL);
    cr_expect_eq(logp_links_delay(links, &negative, &delay), -EINVAL);
    logp_links_destroy(links);
    logp_links_destroy(NULL);
}

/* Bit by bit: each set makes two kinds of each. */
Test(link_costs, there_is_room_for_so_many_kinds)
{
    enum { P = 2 * LOGP_MOST_KINDS };
    static struct logp_rank_range ranges[P];
    TEST_LINKS links = test_links(P);
    const struct logp_link_costs c = {5, -1, -1, -1, -1};
    const struct logp_ranks zero = {(const struct logp_rank_range[]){{0, 0}}, 1};
    struct logp_params p;

    for (int bit = 1; bit < P; bit *= 2) {
        struct logp_ranks with_bit = {ranges, 0};

        for (int r = 0; r < P; r++)
            if ((r & bit) != 0)
                ranges[with_bit.n++] = (struct logp_rank_range){r, r};
        /* twice as many, and rank 0 */
        cr_assert_eq(logp_links_set(links, &with_bit, &zero, &c),
                     bit < LOGP_MOST_KINDS / 2 ? 0 : -E2BIG, "%d", bit);
    }
    logp_links_of(links, 1, 0, &base, &p);
    cr_expect_eq(p.L_ns, 5);
    logp_links_of(links, 0, 0, &base, &p);
    cr_expect_eq(p.L_ns, base.L_ns);
    logp_links_of(links, LOGP_MOST_KINDS, 0, &base, &p); /* only in a set that was refused */
    cr_expect_eq(p.L_ns, base.L_ns);
}

Test(link_costs, there_is_no_textbook_formula_where_links_differ)
{
    TEST_LINKS links = test_links(8);
    const struct logp_algorithm *a = logp_algorithm_find("broadcast", "binomial");
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = base, .model.links = links};

    cr_expect_eq(logp_algorithm_textbook(a, 8, &c.args, &c.model), -1);
    cr_expect_eq(test_predict(a, 9, &c).certainty, LOGP_PREDICTION_NONE); /* links of 8 */
    cr_expect_eq(test_predict(a, 8, &c).certainty, LOGP_PREDICTION_EXACT);
}
