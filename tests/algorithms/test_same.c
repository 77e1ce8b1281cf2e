/* SPDX-License-Identifier: MIT */
/*
 * All ranks get the same bits of an allreduce (MPI-3.1 5.9.6). What a row states of itself is decided
 * without data, by the expression that each rank's result is the value of; and bits are compared, on
 * operands whose sum depends on the order, for the rows that may be chosen and for the calls.
 */
#include "random.h"
#include "support.h"

#include <logp/search.h>

#include <math.h>

enum { MOST_P = 33, COUNT = 5, ELEMENT = 8 };

static const struct logp_params networks[] = {
    {.L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400},
    {.L_ns = 100, .o_send_ns = 20, .o_recv_ns = 40, .g_ns = 200, .G_ps = 3000, .gamma_ps = 50000}};

/* ---- operations ---- */

/* No order of combining, and no change of places, gives the same. */
static void halve_left(void *acc, const void *in, size_t n, void *arg)
{
    double *a = acc;
    const double *b = in;

    for (size_t i = 0; i < n; i++)
        a[i] = 0.5 * a[i] + b[i];
}

static const struct logp_op users[] = {
    {.name = "halve",
     .type = "double",
     .element_bytes = ELEMENT,
     .commutative = true,
     .combine = halve_left},
    {.name = "halve", .type = "double", .element_bytes = ELEMENT, .combine = halve_left}};

enum { USERS = sizeof(users) / sizeof(users[0]) };

/* Operation i of those that depend on the order; NULL: there are no more. */
static const struct logp_op *inexact_op(size_t i)
{
    static const char *const built_in[][2] = {{"sum", "double"},
                                              {"prod", "double"},
                                              {"min", "double"},
                                              {"max", "float"},
                                              {"sum", "float"}};
    const size_t n = sizeof(built_in) / sizeof(built_in[0]);

    if (i < n)
        return logp_op_find(built_in[i][0], built_in[i][1]);
    return i < n + USERS ? &users[i - n] : NULL;
}

Test(same, exact_operations_are_those_on_integers)
{
    const struct logp_op *op;
    struct logp_op copy;

    for (size_t i = 0; (op = logp_op_at(i)) != NULL; i++)
        cr_expect_eq(logp_op_is_exact(op), strncmp(op->type, "int", 3) == 0, "%s of %s", op->name,
                     op->type);
    copy = *logp_op_find("sum", "int32"); /* the library does not know what it computes */
    cr_expect(!logp_op_is_exact(&copy));
    for (size_t i = 0; (op = inexact_op(i)) != NULL; i++)
        cr_expect(!logp_op_is_exact(op));
}

static bool knows(const struct logp_op *op, void *arg)
{
    return op == arg;
}

Test(same, a_program_says_which_of_its_operations_are_exact)
{
    const struct logp_algorithm *census = logp_algorithm_find("allreduce", "census");
    struct logp_args args = {.count = 1, .op = &users[0]};

    cr_expect(!logp_algorithm_same_results(census, &args));
    logp_decide_exact(knows, (void *)&users[0]);
    cr_expect(logp_op_is_exact(&users[0]) && !logp_op_is_exact(&users[1]));
    cr_expect(logp_algorithm_same_results(census, &args));
    logp_decide_exact(NULL, NULL);
    cr_expect(!logp_op_is_exact(&users[0]));
    args.may_differ = 1;
    cr_expect(logp_algorithm_same_results(census, &args));
}

/* ---- without data ---- */

/* Without data, elements may be as small as can be. */
static const struct logp_op unknown[] = {
    {.name = "any", .type = "byte", .element_bytes = 1, .commutative = true, .combine = halve_left},
    {.name = "any", .type = "byte", .element_bytes = 1, .combine = halve_left}};

static bool has_k(const struct logp_algorithm *a)
{
    return logp_algorithm_knob(a, logp_knob_find("k"), 0, NULL, NULL, NULL);
}

/* Is the property of a row's schedules for P ranks what it states? *differs: one lacks it. */
static void decide(const struct logp_algorithm *a, int P, const struct logp_args *args,
                   const struct logp_network *network, bool *differs)
{
    struct logp_schedule s;
    int64_t rank = 0;
    int rc;

    if (logp_algorithm_needs(a, P, args, network) != NULL)
        return;
    s = logp_schedule_of(a, P, args, network);
    rc = logp_schedule_same(&s, logp_collective_find("allreduce"), &rank);
    cr_assert(rc == 1 || (rc == 0 && !a->same_results),
              "%s, P = %d, %ld elements, k = %ld: %d, rank %ld", a->name, P, (long)args->count,
              (long)args->k, rc, (long)rank);
    *differs |= rc == 0;
}

static void decide_all(const struct logp_algorithm *a, int P, bool *differs)
{
    const int64_t counts[] = {1, 2 * P + 1};

    for (size_t i = 0; i < 4; i++)
        for (int64_t k = 0; k <= (has_k(a) ? 5 : 0); k++) {
            const struct logp_args args = {
                .count = counts[i % 2], .op = &unknown[i / 2], .k = k == 5 ? P : k};
            const struct logp_network network = {.params = networks[((size_t)P + i) % 2]};

            decide(a, P, &args, &network, differs);
        }
}

Test(same, each_row_has_the_property_that_it_states)
{
    const struct logp_algorithm *a;
    int rows = 0;

    for (size_t i = 0; (a = logp_algorithm_at("allreduce", i)) != NULL; i++) {
        bool differs = false;

        for (int P = 1; P <= MOST_P && a->steps != NULL; P++)
            decide_all(a, P, &differs);
        cr_expect(a->steps == NULL || differs == !a->same_results,
                  "%s has the property, but does not state it", a->name);
        rows += a->same_results;
    }
    cr_expect_geq(rows, 12);
}

/* On nodes, where other rows are looked at. */
Test(same, a_choice_on_any_network_has_the_property)
{
    struct logp_args args = {.op = logp_op_find("sum", "double")};
    struct logp_choice choice;

    for (int P = 2; P <= MOST_P; P += P < 8 ? 1 : 5)
        for (args.count = 1; args.count <= 4096; args.count *= 64)
            for (int n = 0; n < 3; n++) {
                struct logp_network network = {.params = networks[n % 2]};
                struct logp_links *links = n == 2 && P % 2 == 0 ? test_links(P) : NULL;
                struct logp_link_costs far = LOGP_ALL_AS_BEFORE;

                far.L_ns = 6000;
                if (links != NULL)
                    cr_assert_eq(logp_links_nodes(links, 2, &far), 0);
                network.links = links;
                cr_assert_eq(logp_algorithm_choose("allreduce", P, &args, &network, &choice), 0);
                cr_expect(choice.algorithm->same_results, "%s, P = %d", choice.algorithm->name, P);
                cr_expect(logp_algorithm_best("allreduce", P, &args, &network) == choice.algorithm);
                logp_links_destroy(links);
            }
}

/* Integers, and who allows it, have all rows. */
Test(same, exact_operations_have_all_rows)
{
    const struct logp_network network = {.params = test_params(6000, 2000, 4000)};
    struct logp_args args = {.count = 1, .op = logp_op_find("sum", "int64")};

    cr_expect_str_eq(logp_algorithm_best("allreduce", 13, &args, &network)->name, "census");
    args.op = logp_op_find("sum", "double");
    cr_expect_str_neq(logp_algorithm_best("allreduce", 13, &args, &network)->name, "census");
    args.may_differ = 1;
    cr_expect_str_eq(logp_algorithm_best("allreduce", 13, &args, &network)->name, "census");
}

/* What a search finds: 1: it has the property, 0: it does not. */
static int search_for(int P, const struct logp_args *args)
{
    const struct logp_network network = {.params = test_params(6000, 2000, 4000)};
    struct logp_search ask = LOGP_SEARCH("allreduce", P, args, &network);
    struct logp_schedule s = {.P = P,
                              .steps = logp_algorithm_find("schedule", "listed")->steps,
                              .plan = logp_step_list_plan,
                              .args = *args,
                              .model = network};
    struct logp_search_result *found;
    int rc;

    ask.rounds = 20;
    cr_assert_eq(logp_search_run(&ask, &found), 0);
    s.args.list = found->list;
    rc = logp_schedule_same(&s, logp_collective_find("allreduce"), NULL);
    logp_search_free(found);
    return rc;
}

Test(same, a_search_finds_schedules_with_the_property)
{
    struct logp_args args = {.count = 2, .op = logp_op_find("sum", "double")};

    for (int P = 2; P <= 13; P += P < 7 ? 1 : 3)
        cr_expect_eq(search_for(P, &args), 1, "P = %d", P);
    args.may_differ = 1;
    cr_expect_eq(search_for(13, &args), 0);
}

/* ---- bits ---- */

/* An operand: numbers whose sums lose digits, and zeros and NaN for what compares. */
static double operand(uint64_t seed, int rank, int i)
{
    static const double special[] = {0.1, 1e16, -1e16, -0.0, 0.0, 1, -3e-20};
    uint64_t state = seed * 1000003 + (uint64_t)rank * 257 + (uint64_t)i + 1;
    const int64_t which = test_below(&state, 12);

    if (which < 7)
        return special[which];
    if (which == 7)
        return (double)NAN;
    return ldexp((double)test_below(&state, 1 << 30) - (1 << 29),
                 (int)test_below(&state, 120) - 80);
}

static void fill(const struct logp_op *op, uint64_t seed, int rank, void *buf)
{
    for (int i = 0; i < COUNT; i++) {
        const double x = operand(seed, rank, i);

        if (op->element_bytes == sizeof(double))
            ((double *)buf)[i] = x;
        else
            ((float *)buf)[i] = (float)x;
    }
}

/* What all ranks have got, to be compared in one place: they share this memory. */
struct shared {
    const struct logp_algorithm *planted; /* the only row; NULL: all that state the property */
    const struct logp_params *params;     /* NULL: nothing is emulated */
    double result[MOST_P][COUNT];
    int differing; /* results that are not rank 0's */
};

static int compare(struct logp_vp *vp, struct shared *s, const struct logp_op *op, const void *own,
                   const char *what)
{
    const int me = logp_vp_rank(vp);
    const size_t bytes = COUNT * op->element_bytes;

    memcpy(s->result[me], own, bytes);
    OK(logp_barrier(vp));
    for (int rank = 1; me == 0 && rank < logp_vp_size(vp); rank++)
        if (memcmp(s->result[rank], s->result[0], bytes) != 0) {
            cr_assert(s->planted != NULL, "%s, %s of %s: rank %d of %d has other bits than rank 0",
                      what, op->name, op->type, rank, logp_vp_size(vp));
            s->differing++;
        }
    return logp_barrier(vp);
}

/* A row as a plan: run, started, and started again. */
static int run_row(struct logp_vp *vp, struct shared *s, const struct logp_algorithm *a,
                   const struct logp_op *op, uint64_t seed)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct logp_args args = {.count = COUNT, .op = op};
    const struct logp_network network = {.params = networks[0],
                                         .undelayed = s->params == NULL && a->steps == NULL};
    double in[COUNT], out[COUNT];
    struct logp_request *request;
    struct logp_plan *plan;

    if (logp_algorithm_needs(a, P, &args, &network) != NULL ||
        (a->steps == NULL && !logp_shared_possible(vp)))
        return 0;
    OK(logp_plan_create(a, P, me, &args, &network, &plan));
    for (int form = 0; form < (a->steps != NULL ? 3 : 1); form++) {
        fill(op, seed + (uint64_t)form, me, in);
        if (form == 0) {
            OK(logp_plan_run(vp, plan, in, out));
        } else {
            OK(logp_plan_start(vp, plan, in, out, &request));
            OK(logp_wait(vp, request, NULL));
        }
        OK(compare(vp, s, op, out, a->name));
    }
    logp_plan_destroy(plan);
    return 0;
}

static int run_calls(struct logp_vp *vp, struct shared *s, const struct logp_op *op, uint64_t seed)
{
    double in[COUNT], out[COUNT];
    struct logp_request *request;

    fill(op, seed, logp_vp_rank(vp), in);
    OK(logp_allreduce(vp, in, out, COUNT, op));
    OK(compare(vp, s, op, out, "logp_allreduce()"));
    OK(logp_iallreduce(vp, in, out, COUNT, op, &request));
    OK(logp_wait(vp, request, NULL));
    return compare(vp, s, op, out, "logp_iallreduce()");
}

static int run_all(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    const struct logp_algorithm *a;
    const struct logp_op *op;

    for (size_t i = 0; (op = inexact_op(i)) != NULL; i++) {
        const uint64_t seed = 100 * i + (uint64_t)logp_vp_size(vp);

        if ((i + (size_t)logp_vp_size(vp)) % 3 != 0 &&
            s->planted == NULL) /* others at the next P */
            continue;
        if (s->planted != NULL) {
            OK(run_row(vp, s, s->planted, op, seed));
            continue;
        }
        for (size_t k = 0; (a = logp_algorithm_at("allreduce", k)) != NULL; k++)
            if (a->same_results)
                OK(run_row(vp, s, a, op, seed));
        OK(run_calls(vp, s, op, seed));
    }
    return 0;
}

static void run_on(int P, enum logp_clock clock, const struct logp_params *params)
{
    struct shared s = {.params = params};

    test_run(test_machine(P, clock, params), run_all, &s);
}

Test(same, all_ranks_get_the_same_bits_on_the_virtual_clock)
{
    for (int P = 2; P <= MOST_P; P++)
        run_on(P, LOGP_CLOCK_VIRTUAL, &networks[P % 2]);
}

Test(same, all_ranks_get_the_same_bits_on_the_wall_clock)
{
    for (int P = 2; P <= MOST_P; P++) {
        run_on(P, LOGP_CLOCK_WALL, NULL);
        if (P < 8 || P % 8 == 1) /* each wait is real */
            run_on(P, LOGP_CLOCK_WALL, &networks[1]);
    }
}

/* ---- a row that does not keep its promise ---- */

Test(same, a_row_that_breaks_its_promise_is_found)
{
    static const char *const names[] = {"census", "two-level", "grouped"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct logp_algorithm planted = *logp_algorithm_find("allreduce", names[i]);
        const struct logp_args args = {.count = COUNT,
                                       .op = logp_op_find("sum", "double"),
                                       .k = strcmp(names[i], "grouped") == 0 ? 1 : 0};
        const struct logp_network network = {.params = networks[0]};
        struct shared s = {.planted = &planted, .params = &networks[0]};
        const struct logp_schedule schedule = logp_schedule_of(&planted, 13, &args, &network);
        int64_t rank = 0;

        planted.same_results = true;
        cr_expect_eq(logp_schedule_same(&schedule, logp_collective_find("allreduce"), &rank), 0);
        cr_expect(rank > 0 && rank < 13);
        if (strcmp(names[i], "grouped") == 0) /* it takes k = P, which keeps the promise */
            continue;
        test_run(test_machine(13, LOGP_CLOCK_VIRTUAL, &networks[0]), run_all, &s);
        cr_expect_gt(s.differing, 0, "%s", names[i]);
    }
}

/* A row that is older than the property is as one that does not state it. */
Test(same, a_row_without_the_member_is_not_chosen)
{
    struct logp_algorithm old = *logp_algorithm_find("allreduce", "recursive-doubling");
    const struct logp_args args = {.count = 1, .op = logp_op_find("sum", "double")};

    cr_expect(logp_algorithm_same_results(&old, &args));
    old.size = offsetof(struct logp_algorithm, same_results);
    cr_expect(!logp_algorithm_same_results(&old, &args));
    old.name = "old";
    cr_expect_eq(logp_algorithm_add(&old), 0);
    cr_expect(logp_algorithm_find("allreduce", "old") == &old);
}

/* As a row of any other collective than an allreduce. */
Test(same, a_row_of_an_unknown_collective_needs_no_property)
{
    const struct logp_algorithm row = {LOGP_ALGORITHM("unknown", "row", "", "")};
    const struct logp_args args = {.count = 1, .op = logp_op_find("sum", "double")};

    cr_expect(logp_algorithm_same_results(&row, &args));
}
