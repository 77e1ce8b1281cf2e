/* SPDX-License-Identifier: MIT */
/*
 * Schedules over the whole table: everything gets where it should, and each reader notices when it
 * does not. What they take: test_cases.c.
 */
#include "blocks.h"

/* ---- check ---- */

/* Arguments of every kind that matter to who sends what: they differ with P. */
static struct logp_invocation arguments(int P, int root)
{
    return (struct logp_invocation){.args.root = root,
                                    .args.n_bytes = 3,
                                    .args.count = P % 3 + 1,
                                    .args.op = P % 2 == 0 ? &maps : logp_op_find("sum", "float"),
                                    .args.rows = P % 4 == 0 ? P : P + 3,
                                    .args.cols = P % 5 == 0 ? P : P / 2 + 1,
                                    .args.packing =
                                        P % 3 == 0 ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED,
                                    .args.block_bytes = 2,
                                    .args.work_ns = 7,
                                    .model.params = test_params(6, 2, 4)};
}

/* The same with blocks of different sizes. @return it applies */
static bool check_blocks(const struct logp_algorithm *a, int P, struct logp_invocation c)
{
    const struct logp_collective *collective = logp_collective_find(a->collective);
    uint64_t random = (uint64_t)P * UINT64_C(0x9e3779b97f4a7c15);
    struct test_blocks out, in;
    struct logp_schedule s;
    struct logp_schedule_error error;
    bool applies;

    test_blocks_make(&out, &in, P, &random, 3, &c, collective);
    applies = test_needs(a, P, &c) == NULL;
    s = logp_schedule_of(a, P, &c.args, &c.model);
    cr_assert(!applies || logp_schedule_check(&s, collective, &error) == 0,
              "%s %s, blocks, P %d, root %d: rank %ld, step %ld: %s", a->collective, a->name, P,
              c.args.root, (long)error.rank, (long)error.step, error.what);
    test_blocks_free(&out);
    test_blocks_free(&in);
    return applies;
}

/* The plans of rows that choose rows, or are for links or a topology, take long. */
enum { MOST_COMPOSED = 24 };

/* @return it applies, and is sound; where it needs them, with links that differ, a topology, or several ports */
static bool is_sound(const struct logp_algorithm *a, int P, struct logp_invocation c)
{
    const struct logp_link_costs between = {60, 4, 4, 8, LOGP_AS_BEFORE};
    struct logp_links *links = NULL;
    struct logp_schedule s;
    struct logp_topology *ring = NULL;
    struct logp_schedule_error error;

    if (logp_collective_find(a->collective)->operands == LOGP_OPERANDS_TOTAL)
        c.args.count = 3 * P + 1;
    c.args.in_place = P % 2 == 0 && logp_collective_find(a->collective)->in_place != NULL;
    if (test_needs(a, P, &c) != NULL)
        c.args.op = logp_op_find("sum", "double");
    if (P > MOST_COMPOSED && (test_needs(a, P, &c) != NULL || strncmp(a->name, "by-", 3) == 0))
        return false;
    if (test_needs(a, P, &c) != NULL) {
        cr_assert_eq(logp_links_create(P, &links), 0);
        cr_assert_eq(logp_links_nodes(links, 3, &between), 0);
        c.model.links = links;
        c.args.work_ns = 0;
    }
    if (test_needs(a, P, &c) != NULL) {
        cr_assert_eq(logp_topology_create("ring", P, &ring), 0);
        c.model.topology = ring;
        c.model.links = NULL;
    }
    if (test_needs(a, P, &c) != NULL) {
        c.model.topology = NULL;
        c.model.ports = 3;
    }
    if (test_needs(a, P, &c) != NULL) {
        c.model.topology = NULL;
        c.model.ports = 0;
        logp_links_destroy(links);
        logp_topology_destroy(ring);
        return a->any_blocks && P <= MOST_COMPOSED && check_blocks(a, P, c);
    }
    s = logp_schedule_of(a, P, &c.args, &c.model);
    cr_assert_eq(logp_schedule_check(&s, logp_collective_find(a->collective), &error), 0,
                 "%s %s, P %d, root %d: rank %ld, step %ld: %s", a->collective, a->name, P,
                 c.args.root, (long)error.rank, (long)error.step, error.what);
    cr_assert(!a->any_blocks || check_blocks(a, P, c), "%s %s: unlike blocks", a->collective,
              a->name);
    logp_links_destroy(links);
    logp_topology_destroy(ring);
    return true;
}

Test(schedule, everything_gets_where_it_should)
{
    const int most = TEST_SCALE > 1 ? 16 : 130;

    for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++) {
        int sound = 0;

        for (int P = 1; (*row)->steps != NULL && P <= most; P++)
            for (int root = 0; root < P; root += root == 0 ? 1 + P % 7 : P / 2 + 1)
                sound += is_sound(*row, P, arguments(P, root));
        cr_assert((*row)->steps == NULL || sound > 0, "%s %s", (*row)->collective, (*row)->name);
    }
}

/* The parts of a compute are within its time. */
Test(schedule, parts_take_no_time_of_their_own)
{
    size_t n, parts = 0;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (size_t k = 0; k < n; k++)
        for (int rank = 0; rows[k]->steps != NULL && rank < 8; rank++) {
            struct logp_invocation c = arguments(8, 1), planned;
            struct logp_schedule s;
            struct logp_step step;
            int64_t within = 0;

            c.args.count = 40;
            c.args.op = logp_op_find("sum", "double");
            c.args.pack_ns = 7;
            c.model.params.gamma_ps = 1000;
            if (test_needs(rows[k], 8, &c) != NULL)
                break;
            s = logp_schedule_of(rows[k], 8, &c.args, &c.model);
            cr_assert_eq(logp_schedule_begin(&s, rank, &planned), 0);
            for (int64_t i = 0; s.steps(8, rank, &planned, i, &step); i++) {
                if (within > 0)
                    cr_expect(step.kind == LOGP_STEP_COPY ||
                                  (step.kind == LOGP_STEP_COMBINE && step.ns == 0),
                              "%s %s, rank %d, step %ld", rows[k]->collective, rows[k]->name, rank,
                              (long)i);
                parts += within > 0;
                within = step.kind == LOGP_STEP_COMPUTE ? step.parts : within > 0 ? within - 1 : 0;
            }
            logp_schedule_end(&planned);
        }
    cr_expect_gt(parts, 100);
}

/* Of tree-based algorithms: parents and children agree, and all hang on the root. */
Test(schedule, plans_of_trees_reach_every_rank_once)
{
    int trees = 0;

    for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++)
        for (int P = 2; P <= 49 && (*row)->along != LOGP_ALONG_NO_TREE; P++)
            for (int root = 0; root < P; root += 1 + P / 4) {
                int parent[49], found[49], edges = 0;

                memset(found, -1, sizeof(found));
                for (int rank = 0; rank < P; rank++) {
                    struct logp_invocation c = arguments(P, root);

                    c.args.op = logp_op_find("sum", "float");
                    c.args.count = 3 * P;
                    parent[rank] = -1;
                    if (test_plan(*row, P, rank, &c) != 0)
                        continue;
                    parent[rank] = c.plan.parent;
                    for (int k = 0; k < c.plan.n_children; k++)
                        found[c.plan.children[k]] = rank;
                    edges += c.plan.n_children;
                    test_unplan(&c);
                }
                trees += edges > 0;
                cr_assert(edges == 0 || edges == P - 1, "%s %s P %d", (*row)->collective,
                          (*row)->name, P);
                for (int rank = 0; rank < P && edges > 0; rank++) {
                    int steps = 0;

                    cr_assert_eq(found[rank], parent[rank], "%s %s P %d root %d rank %d",
                                 (*row)->collective, (*row)->name, P, root, rank);
                    for (int v = rank; v != root; v = parent[v])
                        cr_assert(v >= 0 && ++steps <= P, "%s %s P %d root %d", (*row)->collective,
                                  (*row)->name, P, root);
                }
            }
    cr_assert_gt(trees, 1000);
}

/* ---- what is wrong is found ---- */

enum mistake {
    NONE,
    NO_RECEIVE,   /* the last is left out */
    WRONG_PEER,   /* of a send */
    WRONG_SOURCE, /* of a receive */
    NOT_SENT,     /* a rank ends before its last step */
    OVERWRITTEN,  /* what is to be sent is received into first */
    TWICE,        /* a contribution is combined again */
    TOO_SMALL,    /* a receive */
    BEYOND,       /* a send from beyond its buffer */
    NO_SUCH_RANK, /* of a send */
    NO_SOURCE,    /* of a receive, the last */
    NO_RESULT,    /* its sum is not written */
    NOT_WRITTEN,  /* what a send sends */
    INTO_OTHER,   /* a sum, where what is added stands */
    HALVES,       /* what is added to is two halves of elements */
    MISTAKES
};

static enum mistake mistake;

/* A ring in which everybody passes its vector on, all the way round, and adds what comes; the
 * first part of recv_buf is the sum, the second what is passed on. */
static bool ring(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                 struct logp_step *out)
{
    const size_t n = 8;
    const struct logp_buffer_ref own = {LOGP_BUF, 0}, sum = {LOGP_RECV_BUF, 0},
                                 next = {LOGP_RECV_BUF, n};
    const bool bad = rank == P - 1;
    int64_t round;

    if (bad && mistake == NO_RESULT && (i == 0 || (i >= 2 && (i - 2) % 3 == 2)))
        return logp_step_compute(out, 1, 0);
    if (bad && mistake == NOT_WRITTEN && i == 1)
        return logp_step_compute(out, 1, 0);
    if (i < 2)
        return logp_step_copy(out, i == 0 ? sum : next, own, n);
    i -= 2;
    round = i / 3;
    if (round == P - 1 || (bad && mistake == NOT_SENT && i == 3 * (P - 1) - 3))
        return false;
    if (bad && mistake == OVERWRITTEN && round == 0 && i % 3 < 2)
        i = 1 - i; /* receive, then send */
    if (i % 3 == 0) {
        logp_step_send(out, (rank + 1) % P, c->args.tag, LOGP_RECV_BUF, n, n);
        if (bad && round == 0 && mistake == WRONG_PEER)
            out->peer = rank;
        if (bad && round == 0 && mistake == NO_SUCH_RANK)
            out->peer = P;
        if (bad && round == 0 && mistake == BEYOND)
            out->at.offset++;
        return true;
    }
    if (i % 3 == 1) {
        if (bad && mistake == NO_RECEIVE && round == P - 2)
            return logp_step_compute(out, 1, 0);
        logp_step_receive(out, (rank + P - 1) % P, c->args.tag, LOGP_RECV_BUF, n, n);
        if (bad && round == 0 && mistake == WRONG_SOURCE)
            out->peer = rank;
        if (bad && round == P - 2 && mistake == NO_SOURCE)
            out->peer = -1;
        if (bad && round == 0 && mistake == TOO_SMALL)
            out->n_bytes--;
        return true;
    }
    if (bad && mistake == HALVES)
        return logp_step_combine(out, sum, (struct logp_buffer_ref){LOGP_RECV_BUF, n / 2}, own, 1,
                                 5);
    return logp_step_combine(out, bad && mistake == INTO_OTHER ? next : sum, sum,
                             bad && mistake == TWICE && round == 1 ? own : next, 1, 5);
}

static void ring_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                       size_t *recv_buf)
{
    *buf = 8;
    *recv_buf = 16;
}

static bool ring_postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                               struct logp_postcondition *out)
{
    *out = (struct logp_postcondition){
        .at = {LOGP_RECV_BUF, 0}, .n_bytes = 8, .ranks = P, .combined = true};
    return j == 0;
}

static const struct logp_collective rings = {
    .name = "ring", .sizes = ring_sizes, .postcondition = ring_postcondition};

Test(schedule, planted_mistakes_are_found)
{
    static const char *const what[MISTAKES] = {
        [NO_RECEIVE] = "a message to it is never received",
        [WRONG_PEER] = "it waits for a message that is never sent",
        [WRONG_SOURCE] = "it waits for a message that is never sent",
        [NOT_SENT] = "it waits for a message that is never sent",
        [OVERWRITTEN] = "its result has a contribution twice",
        [TWICE] = "its result lacks a contribution",
        [TOO_SMALL] = "it receives a message of another size",
        [BEYOND] = "it sends data beyond its buffer",
        [NO_SUCH_RANK] = "it sends to a rank that does not exist",
        [NO_SOURCE] = "it receives from a rank that does not exist",
        [NO_RESULT] = "its result is not a combination",
        [NOT_WRITTEN] = "it sends data that it does not have",
        [INTO_OTHER] = "it combines into its operand",
        [HALVES] = "it combines data that are not whole elements"};
    static const int folded[MISTAKES] = {
        [WRONG_PEER] = -EDEADLK, [WRONG_SOURCE] = -EDEADLK, [NOT_SENT] = -EDEADLK,
        [TOO_SMALL] = -EMSGSIZE, [NO_SUCH_RANK] = -EINVAL,  [NO_SOURCE] = -EINVAL};
    const struct logp_params params = test_params(6, 2, 4);
    const struct logp_schedule s = {
        .P = 5, .steps = ring, .args.op = logp_op_find("sum", "double"), .model.params = params};
    struct logp_delay delay;
    struct logp_schedule_error error;
    struct logp_fold fold;

    cr_assert_eq(logp_delay_create("loggp", &params, &delay), 0);
    for (mistake = NONE; mistake < MISTAKES; mistake++) {
        const int rc = logp_schedule_check(&s, &rings, &error);

        if (mistake == NONE) {
            cr_assert_eq(rc, 0, "%s", error.what);
        } else {
            cr_assert_eq(rc, -EPROTO, "mistake %d", (int)mistake);
            cr_expect_str_eq(error.what, what[mistake], "mistake %d: %s", (int)mistake, error.what);
            cr_expect_eq(error.of >= 0, mistake == OVERWRITTEN || mistake == TWICE, "mistake %d",
                         (int)mistake);
        }
        cr_expect_eq(logp_schedule_fold(&s, &delay, 0, &fold), folded[mistake], "mistake %d",
                     (int)mistake);
        cr_expect(fold.unreceived == (mistake == NO_RECEIVE) || mistake == NO_SOURCE);
    }
    mistake = WRONG_SOURCE;
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &fold), -EDEADLK);
    cr_expect(fold.rank >= 0 && fold.source >= 0 && fold.tag == 0);
    cr_expect_eq(logp_schedule_fold(&s, &delay, 3, &fold), -E2BIG);
    logp_delay_destroy(&delay);
}

static bool nothing(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                    struct logp_step *out)
{
    return false;
}

/* Rank 1 passes on what it has not received yet. */
static bool too_early(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                      struct logp_step *out)
{
    const bool first = rank == 1 ? i == 1 : i == 0;

    if (i > (rank == 1) || (rank == P - 1 && i > 0))
        return false;
    if (rank > 0 && first)
        logp_step_receive(out, rank - 1, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    else
        logp_step_send(out, rank + 1, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    return true;
}

Test(schedule, nobody_but_the_root_has_what_is_broadcast)
{
    for (size_t n = 1; n <= 3; n++) {
        const struct logp_schedule s = {
            .P = 3, .steps = too_early, .args.n_bytes = n, .model.params = test_params(6, 2, 4)};
        struct logp_schedule_error error;

        cr_assert_eq(logp_schedule_check(&s, logp_collective_find("broadcast"), &error), -EPROTO);
        cr_expect_str_eq(error.what, "it sends data that it does not have", "%s", error.what);
        cr_expect(error.rank == 1 && error.step == 0);
    }
}

/* Every collective but the barrier promises something, of which not even a byte is there. */
Test(schedule, who_does_nothing_is_found)
{
    const struct logp_collective *what;

    for (size_t i = 0; (what = logp_collective_at(i)) != NULL; i++) {
        struct logp_schedule s = {
            .P = 4, .steps = nothing, .args = arguments(4, 0).args, .model = arguments(4, 0).model};
        struct logp_schedule_error error;

        s.args.n_bytes = 1;
        s.args.op = logp_op_find("sum", "double");
        if (strcmp(what->name, "barrier") != 0)
            cr_expect_eq(logp_schedule_check(&s, what, &error), -EPROTO, "%s", what->name);
    }
}

static int no_plan(int P, int rank, struct logp_invocation *c)
{
    return rank == P - 1 ? -ERANGE : 0;
}

Test(schedule, what_cannot_be_read_is_refused)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_schedule s = {.P = 5,
                              .steps = ring,
                              .plan = no_plan,
                              .args.op = logp_op_find("sum", "double"),
                              .model.params = params};
    struct logp_delay delay;
    struct logp_schedule_error error;
    struct logp_fold fold;

    mistake = NONE;
    cr_assert_eq(logp_delay_create("loggp", &params, &delay), 0);
    cr_expect_eq(logp_schedule_check(&s, &rings, &error), -ERANGE);
    cr_expect_eq(logp_schedule_fold(&s, &delay, 0, &fold), -ERANGE);
    s.plan = NULL;
    for (int i = 0; i < 3; i++) {
        s.P = i == 0 ? 0 : i == 1 ? -1 : LOGP_MAX_PROCESSORS + 1;
        cr_assert_eq(logp_schedule_check(&s, &rings, &error), -EINVAL, "P = %ld", (long)s.P);
        cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &fold), -EINVAL, "P = %ld", (long)s.P);
    }
    logp_delay_destroy(&delay);
}

/* ---- fold ---- */

struct counting {
    struct logp_delay loggp;
    struct logp_delay_ops ops; /* of loggp */
    uint64_t starts;
};

static void count_start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    struct counting *m = model;

    m->starts++;
    m->ops.start(m->loggp.model, port, t);
}

static void pass_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct counting *m = model;

    m->ops.send(m->loggp.model, port, t);
}

static void pass_recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct counting *m = model;

    m->ops.recv(m->loggp.model, port, t);
}

static int64_t one_at_a_time(void *model)
{
    (void)model;
    return 1;
}

/* All send to the root at once, and the network has one place for them. */
Test(schedule, a_sender_that_waits_is_not_tried_for_each_message)
{
    static const struct logp_delay_ops ops = {.size = sizeof(ops),
                                              .name = "counting",
                                              .start = count_start,
                                              .send = pass_send,
                                              .recv = pass_recv,
                                              .capacity = one_at_a_time};
    const struct logp_network network = {.params = test_params(6, 2, 4)};
    const struct logp_args args = {.n_bytes = 1};
    const struct logp_schedule s =
        logp_schedule_of(logp_algorithm_find("gather", "flat"), 200, &args, &network);
    struct counting m = {.starts = 0};
    const struct logp_delay delay = {&ops, &m};
    struct logp_fold out;

    cr_assert_eq(logp_network_delay(&network, s.P, NULL, &m.loggp, NULL), 0);
    cr_assert_eq(logp_delay_functions(&m.loggp, &m.ops), 0);
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &out), 0);
    cr_expect_eq(out.messages, (uint64_t)s.P - 1);
    cr_expect_leq(m.starts, 4 * out.messages);
    logp_delay_destroy(&m.loggp);
}
