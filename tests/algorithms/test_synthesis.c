/* SPDX-License-Identifier: MIT */
/*
 * The search for schedules: what it finds computes its collective, takes what it says, on the
 * virtual clock too, and is never worse than the table; and what it says is proven is.
 */
#include "drawn.h"
#include "schedules.h"

enum { CASES = 300, LARGEST_P = 12, ROUNDS = 40 };

static bool has_had_enough(void *arg, const struct logp_search_state *state)
{
    (void)state;
    return ++*(int *)arg > 4000;
}

/* NULL: it is refused, and *rc says why. */
static struct logp_search_result *search_for(const char *collective, int P,
                                             const struct logp_invocation *c, uint64_t seed,
                                             int64_t rounds, int *rc)
{
    struct logp_search search = LOGP_SEARCH(collective, P, &c->args, &c->model);
    struct logp_search_result *r = NULL;
    int asked = 0;

    search.seed = seed;
    search.rounds = rounds;
    search.stop = has_had_enough;
    search.arg = &asked;
    *rc = logp_search_run(&search, &r);
    cr_assert_eq(*rc == 0, r != NULL);
    return r;
}

/* The steps of what is found, as an algorithm. */
static struct logp_algorithm row_of(const char *collective)
{
    return (struct logp_algorithm){LOGP_ALGORITHM(collective, "found", "found", "here"),
                                   .steps = logp_algorithm_find("schedule", "listed")->steps,
                                   .plan = logp_step_list_plan};
}

/* ---- whatever is asked ---- */

/* Where latencies vary, a search says what the longest ones take. */
static struct logp_delay longest_delay(const struct drawn *d)
{
    struct drawn longest = *d;

    longest.call.model.params.latency_varies = false;
    return drawn_delay(&longest);
}

static void check_result(const struct drawn *d, const struct logp_search_result *r)
{
    const struct logp_algorithm row = row_of(d->collective->name);
    TEST_MACHINE m = test_machine(d->P, LOGP_CLOCK_VIRTUAL, NULL);
    struct logp_args args = d->call.args;
    struct logp_experiment x = {.size = sizeof(x),
                                .algorithm = &row,
                                .reps = 1,
                                .seed = d->seed,
                                .timeout_ns = test_timeout_ns};
    struct logp_schedule s;
    struct logp_schedule_error error;
    struct logp_delay delay = longest_delay(d);
    struct logp_record record;
    struct logp_fold fold;

    args.in_place = false;
    args.list = r->list;
    s = logp_schedule_of(&row, d->P, &args, &d->call.model);
    must(logp_schedule_check(&s, d->collective, &error) == 0, "it computes the collective", d, "");
    must(logp_schedule_fold(&s, &delay, 0, &fold) == 0, "it is folded", d, "");
    must(fold.ns == r->state.ns, "it takes what it says", d, r->state.found_by);
    must(r->state.ns <= r->state.table_ns, "it is not worse than the table", d, "");
    must(r->state.ns >= r->state.bound_ns, "it is not below the bound", d, r->state.found_by);
    must((r->proof == LOGP_SEARCH_EQUALS_BOUND) == (r->state.ns == r->state.bound_ns),
         "it is proven by the bound", d, "");
    x.args = args;
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    must(logp_experiment_run(m, &x, &record) == 0 && record.verified, "it runs", d,
         r->state.found_by);
    must(record.emulated.median_ns == fold.ns, "the virtual clock agrees", d, "");
}

Test(synthesis, what_is_found_is_right_and_takes_what_it_says)
{
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : CASES / (uint64_t)test_divisor();
    int found = 0, better = 0;

    for (uint64_t seed = first; seed <= last; seed++) {
        struct drawn d = draw(seed);
        struct logp_search_result *r = NULL;
        int rc = 0;

        if (d.P <= LARGEST_P && d.call.args.blocks == NULL)
            r = search_for(d.collective->name, d.P, &d.call, seed, ROUNDS, &rc);
        must(rc == 0 || rc == -ENOTSUP, "it is searched for, or cannot be", &d, "");
        if (r != NULL) {
            /* work that no list can hold is for the fold alone */
            if (strcmp(d.collective->name, "transpose") != 0 &&
                strcmp(d.collective->name, "matvec") != 0)
                check_result(&d, r);
            found++;
            better += r->state.ns < r->state.table_ns;
        }
        logp_search_free(r);
        logp_topology_destroy(d.topology);
    }
    cr_log_info("%d searches, %d of them better than the table", found, better);
    cr_assert(last < CASES || single != NULL || better > 0); /* all cases, not a part of them */
}

Test(synthesis, the_same_rounds_find_the_same)
{
    const struct logp_invocation c = {
        .args = {.n_bytes = 700},
        .model.params = {
            .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .G_ps = 10000}};
    struct logp_search_result *r[2];
    int rc;

    for (int i = 0; i < 2; i++)
        r[i] = search_for("broadcast", 9, &c, 7, 200, &rc);
    cr_assert_eq(r[0]->state.ns, r[1]->state.ns);
    cr_assert_eq(r[0]->state.tried, r[1]->state.tried);
    for (int rank = 0; rank < 9; rank++) {
        cr_assert_eq(r[0]->list->n[rank], r[1]->list->n[rank]);
        for (int64_t i = 0; i < r[0]->list->n[rank]; i++)
            cr_assert_eq(r[0]->list->steps[rank][i].peer, r[1]->list->steps[rank][i].peer);
    }
    for (int i = 0; i < 2; i++)
        logp_search_free(r[i]);
}

/* ---- where the table is beaten ---- */

Test(synthesis, a_pipelined_broadcast_is_faster_than_the_table)
{
    const struct logp_invocation c = {
        .args = {.n_bytes = 700},
        .model.params = {
            .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .G_ps = 10000}};
    int rc;
    struct logp_search_result *r = search_for("broadcast", 7, &c, 1, 6000, &rc);

    cr_assert_lt(r->state.ns, r->state.table_ns);
    logp_search_free(r);
}

/* Three slow links, around which no row of the table goes. */
Test(synthesis, links_that_differ_are_used_better_than_by_the_table)
{
    TEST_LINKS links = test_links(5);
    static const struct {
        struct logp_rank_range from, to;
        struct logp_link_costs costs;
    } slow[] = {{{0, 0}, {1, 1}, {60000, -1, -1, -1, -1}},
                {{2, 2}, {3, 3}, {-1, 9000, 9000, -1, -1}},
                {{1, 1}, {4, 4}, {-1, -1, -1, 30000, -1}}};
    struct logp_invocation c = {.args = {.n_bytes = 8},
                                .model.params = test_params(6000, 2000, 4000)};
    struct logp_search_result *r;
    int rc;

    for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
        cr_assert_eq(logp_links_set(links, &(struct logp_ranks){&slow[i].from, 1},
                                    &(struct logp_ranks){&slow[i].to, 1}, &slow[i].costs),
                     0);
    c.model.links = links;
    r = search_for("allgather", 5, &c, 1, 300, &rc);
    cr_assert_lt(r->state.ns, r->state.table_ns);
    logp_search_free(r);
}

/* ---- proofs ---- */

/* What another search through all schedules says of a barrier. */
static bool is_possible(const struct logp_params *params, int P, int64_t ns)
{
    struct search x = {.params = *params, .P = P, .own_bits = true, .summed = true};
    size_t states = 0;

    for (int r = 0; r < P; r++) {
        x.has[r] = 1u << r;
        x.needs[r] = (1u << P) - 1;
    }
    return search_schedules(x, (int)ns, &states);
}

Test(synthesis, what_is_proven_is_the_optimum)
{
    static const struct logp_params times[] = {
        {.L_ns = 1, .o_send_ns = 1, .o_recv_ns = 1, .g_ns = 4},
        {.L_ns = 2, .o_send_ns = 3, .o_recv_ns = 3, .g_ns = 1},
        {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4},
        {.L_ns = 3, .o_send_ns = 1, .o_recv_ns = 2, .g_ns = 2},
    };
    int exhaustive = 0;

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        for (int P = 2; P <= 4; P++) {
            const struct logp_invocation c = {.model.params = times[i]};
            int rc;
            struct logp_search_result *r = search_for("barrier", P, &c, 1, 1, &rc);

            if (r->proof != LOGP_SEARCH_NO_PROOF)
                cr_assert(!is_possible(&times[i], P, r->state.ns - 1), "set %zu, P = %d", i, P);
            exhaustive += r->proof == LOGP_SEARCH_EXHAUSTIVE;
            logp_search_free(r);
        }
    cr_assert_gt(exhaustive, 0);
}

/* ---- the end of a search, and what is refused ---- */

static bool at_once(void *arg, const struct logp_search_state *state)
{
    (void)arg;
    cr_assert_leq(state->ns, state->table_ns);
    return true;
}

Test(synthesis, a_search_that_is_stopped_has_the_best_so_far)
{
    const struct logp_invocation c = {.model.params = test_params(6, 2, 4)};
    struct logp_search search = LOGP_SEARCH("barrier", 64, &c.args, &c.model);
    struct logp_search_result *r;

    search.stop = at_once;
    cr_assert_eq(logp_search_run(&search, &r), 0);
    cr_assert_eq(r->state.ns, r->state.table_ns);
    cr_assert_eq(r->state.rounds, 0);
    logp_search_free(r);
    logp_search_free(NULL);
}

Test(synthesis, what_cannot_be_searched_for_is_refused)
{
    struct logp_invocation c = {.args = {.count = 4, .op = logp_op_at(0)},
                                .model.params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2}};
    struct logp_search search = LOGP_SEARCH("barrier", 4, &c.args, &c.model);
    struct logp_search_result *r;
    int rc;

    cr_assert_eq(logp_search_run(&search, &r), -EINVAL); /* it would have no end */
    cr_assert_null(search_for("barrier", LOGP_SEARCH_P + 1, &c, 1, 1, &rc));
    cr_assert_eq(rc, -EINVAL);
    cr_assert_null(search_for("no such", 4, &c, 1, 1, &rc));
    cr_assert_eq(rc, -EINVAL);
    cr_assert_null(search_for("summation", 4, &c, 1, 1, &rc));
    cr_assert_eq(rc, -ENOTSUP);
    c.args.root = 4;
    cr_assert_null(search_for("reduce", 4, &c, 1, 1, &rc));
    cr_assert_eq(rc, -EINVAL);
}
