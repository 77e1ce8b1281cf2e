/* SPDX-License-Identifier: MIT */
/*
 * What goes in blocks or in segments, or in halves: along chains and trees, along two trees, or cut
 * and gathered. Blocks pay, and the schedules are what they are said to be.
 */
#include "support.h"

#include <logp/paper.h>

static const struct logp_algorithm *broadcast(const char *name)
{
    return logp_algorithm_find("broadcast", name);
}

static const struct logp_algorithm *reduce(const char *name)
{
    return logp_algorithm_find("reduce", name);
}

/* Long items in many blocks: another one costs a period, which is short. */
Test(pipelined, blocks_pay_where_items_are_long)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 100000, .count = 25000, .op = logp_op_find("sum", "float")},
        .model.params = {.L_ns = 1000,
                         .o_send_ns = 100,
                         .o_recv_ns = 100,
                         .g_ns = 200,
                         .G_ps = 1000,
                         .gamma_ps = 250}};

    for (int P = 31; P <= 100; P += 23) {
        const int64_t whole = test_predict(broadcast("binary"), P, &c).ns;
        const int64_t blocks = test_predict(broadcast("binary-pipelined"), P, &c).ns;
        const int64_t split = test_predict(broadcast("split-binary"), P, &c).ns;
        const int64_t two = test_predict(broadcast("two-tree"), P, &c).ns;

        cr_expect_lt(blocks, whole / 2);
        cr_expect_lt(split, blocks);
        cr_expect_lt(two, split);
        cr_expect_lt(two, blocks * 2 / 3); /* half of it, in the limit */
        cr_expect_lt(test_predict(reduce("two-tree"), P, &c).ns,
                     test_predict(reduce("in-order-binary"), P, &c).ns);
        cr_expect_lt(test_predict(reduce("rabenseifner"), P, &c).ns,
                     test_predict(reduce("binomial"), P, &c).ns);
    }
}

/* ---- two trees ---- */

/* What a rank does with the segments of an item of 2 n bytes, each of one. */
struct traffic {
    int sends[2], receives[2]; /* by half */
    int in_a_row;              /* at most so many sends, or receives, one after the other, when both
                                  are under way */
    int to[4], n_to;           /* whom it sends to */
};

static struct traffic traffic_of(const struct logp_schedule *s, int rank, int n)
{
    struct traffic t = {.n_to = 0};
    struct logp_invocation c;
    struct logp_step step;
    enum logp_step_kind before = LOGP_STEP_COPY;
    int row = 0;

    cr_assert_eq(logp_schedule_begin(s, rank, &c), 0);
    for (int64_t i = 0; s->steps(s->P, rank, &c, i, &step); i++) {
        const int half = step.at.offset >= (size_t)n;
        const int segment = (int)step.at.offset - half * n;
        int k = 0;

        cr_assert(step.n_bytes == 1 && segment < n);
        (step.kind == LOGP_STEP_SEND ? t.sends : t.receives)[half]++;
        row = step.kind == before ? row + 1 : 1;
        before = step.kind;
        if (segment > n / 3 && segment < 2 * n / 3 && row > t.in_a_row)
            t.in_a_row = row;
        while (k < t.n_to && t.to[k] != step.peer)
            k++;
        if (step.kind == LOGP_STEP_SEND && k == t.n_to) {
            cr_assert_lt(k, 2);
            t.to[t.n_to++] = (int)step.peer;
        }
    }
    logp_schedule_end(&c);
    return t;
}

/* All but the root receive each segment once, and pass on those of one half to at most two others;
 * who does so sends and receives in turn. */
Test(pipelined, in_two_trees_each_passes_on_one_half_and_sends_and_receives_in_turn)
{
    const int n = 300;
    const struct logp_args args = {.n_bytes = 600, .block_bytes = 1, .root = 1};
    const struct logp_network model = {.params = test_params(6, 2, 4)};

    for (int P = 3; P <= 70; P++) {
        const struct logp_schedule s = logp_schedule_of(broadcast("two-tree"), P, &args, &model);
        int passing = 0;

        for (int rank = 0; rank < P; rank++) {
            const struct traffic t = traffic_of(&s, rank, n);

            if (rank == args.root) {
                cr_assert(t.sends[0] == n && t.sends[1] == n && t.receives[0] == 0);
                continue;
            }
            cr_assert(t.receives[0] == n && t.receives[1] == n, "P %d rank %d", P, rank);
            cr_assert(t.sends[0] == 0 || t.sends[1] == 0, "P %d rank %d", P, rank);
            cr_assert_eq(t.sends[0] + t.sends[1], t.n_to * n);
            if (t.n_to == 2)
                cr_assert_eq(t.in_a_row, 1, "P %d rank %d: %d in a row", P, rank, t.in_a_row);
            passing += t.n_to;
        }
        cr_assert_eq(passing, 2 * (P - 1) - 2);
    }
}

/* How many messages a rank sends, and of how many bytes together, which are added to *bytes; NULL: none. */
static int sends_of(const struct logp_schedule *s, int rank, size_t *bytes)
{
    struct logp_invocation c;
    struct logp_step step;
    int sends = 0;

    cr_assert_eq(logp_schedule_begin(s, rank, &c), 0);
    for (int64_t i = 0; s->steps(s->P, rank, &c, i, &step); i++)
        if (step.kind == LOGP_STEP_SEND) {
            sends++;
            if (bytes != NULL)
                *bytes += step.n_bytes;
        }
    logp_schedule_end(&c);
    return sends;
}

static const struct logp_algorithm *scan_on_two_trees(int exclusive)
{
    return logp_algorithm_find(exclusive ? "exscan" : "scan", "two-tree");
}

/* Of the n segments of each half all ranks but the last send each upwards at most once, and one that
 * is no leaf sends it down at most twice: so up and down no rank sends more than 4 n, and all
 * together less than 4 n (P - 1). */
Test(pipelined, a_scan_on_two_trees_sends_each_segment_up_once_and_down_once)
{
    const int n = 12;
    const struct logp_args args = {
        .count = 2 * n, .block_bytes = 8, .op = logp_op_find("sum", "int64")};
    const struct logp_network model = {.params = test_params(6, 2, 4)};

    for (int P = 2; P <= 70; P++)
        for (int k = 0; k < 2; k++) {
            const struct logp_schedule s = logp_schedule_of(scan_on_two_trees(k), P, &args, &model);
            int all = 0;

            for (int rank = 0; rank < P; rank++) {
                const int sends = sends_of(&s, rank, NULL);

                cr_assert_leq(sends, 4 * n, "P %d rank %d", P, rank);
                cr_assert(rank < P - 1 || P == 2 || sends <= 2 * n);
                all += sends;
            }
            /* each of the P - 1 edges of a tree is used up and down, but for the last ranks, which
             * send nothing up, and the first, which get nothing */
            cr_assert(all < 4 * n * (P - 1) && all >= 2 * n * (P - 1), "P %d: %d", P, all);
        }
}

/* Each of n segments goes up and down the P - 2 edges of the two trees, and both ways between the
 * roots. An inner node sends it once up and twice down. */
Test(pipelined, on_two_roots_each_segment_is_sent_both_ways_along_each_edge)
{
    const int n = 7;
    const struct logp_algorithm *dual = logp_algorithm_find("allreduce", "dual-root");
    const struct logp_args args = {
        .count = n, .block_bytes = (int64_t)sizeof(struct map), .op = &maps};
    const struct logp_network model = {.params = test_params(6, 2, 4)};

    for (int P = 2; P <= 70; P++) {
        const struct logp_schedule s = logp_schedule_of(dual, P, &args, &model);
        int all = 0;

        for (int rank = 0; rank < P; rank++) {
            const int sends = sends_of(&s, rank, NULL);

            cr_assert_leq(sends, 3 * n, "P %d rank %d", P, rank);
            all += sends;
        }
        cr_assert_eq(all, 2 * n * (P - 1), "P %d", P);
    }
}

/* Of a long vector recursive doubling sends all in each of log2 P rounds, and two roots send 3. */
Test(pipelined, two_roots_pay_for_a_long_vector_whose_order_matters)
{
    const struct logp_invocation c = {
        .args = {.count = 1 << 20, .op = &maps},
        .model.params = {
            .L_ns = 1000, .o_send_ns = 100, .o_recv_ns = 100, .g_ns = 200, .G_ps = 1000}};
    const struct logp_algorithm *dual = logp_algorithm_find("allreduce", "dual-root");
    const struct logp_algorithm *doubling = logp_algorithm_find("allreduce", "recursive-doubling");

    for (int P = 64; P <= 256; P *= 2)
        cr_expect_lt(3 * test_predict(dual, P, &c).ns, 2 * test_predict(doubling, P, &c).ns, "P %d",
                     P);
    cr_expect_null(test_needs(dual, 64, &c));
    cr_expect_eq(test_best("allreduce", 64, &c), dual);
}

/* ---- matching, and groups ---- */

/* One piece, sent by whoever is free first, takes the optimal tree; and backwards. */
Test(pipelined, matching_one_piece_is_the_optimal_tree)
{
    uint64_t random = 7;

    for (int i = 0; i < 300 / TEST_SCALE; i++) {
        const int64_t P = 1 + test_below(&random, 256);
        struct logp_invocation c = {.args = {.n_bytes = 8,
                                             .count = 1,
                                             .block_bytes = 8,
                                             .op = logp_op_find("sum", "int64")},
                                    .model.params = {.L_ns = test_below(&random, 200),
                                                     .o_send_ns = test_below(&random, 60),
                                                     .o_recv_ns = test_below(&random, 60),
                                                     .g_ns = test_below(&random, 90),
                                                     .gamma_ps = test_below(&random, 9000)}};

        cr_assert_eq(test_predict(broadcast("matched"), P, &c).ns,
                     test_predict(broadcast("optimal"), P, &c).ns, "case %d P %ld", i, (long)P);
        cr_assert_eq(test_predict(reduce("matched"), P, &c).ns,
                     test_predict(reduce("optimal"), P, &c).ns, "case %d P %ld", i, (long)P);
    }
}

/* Nothing that sends k pieces ends before (k-1) E + T(P). */
Test(pipelined, matching_pieces_is_within_three_slots_of_the_bound)
{
    for (int64_t P = 2; P <= 64; P += 5)
        for (int64_t k = 1; k <= 24; k = k < 4 ? k + 1 : k * 3 / 2) {
            const struct logp_invocation c = {.args = {.n_bytes = 8 * (size_t)k, .block_bytes = 8},
                                              .model.params = test_params(6, 2, 4)};
            struct logp_tree tree;
            int64_t ns;

            cr_assert_eq(logp_tree_init(&tree, P, 10, 4), 0);
            ns = test_predict(broadcast("matched"), P, &c).ns;
            cr_assert(ns >= (k - 1) * 4 + logp_tree_time(&tree) &&
                          ns <= (k - 1) * 4 + logp_tree_time(&tree) + 3 * 4,
                      "P %ld, %ld pieces: %ld", (long)P, (long)k, (long)ns);
        }
}

/* Each piece leaves the root once, and takes turns: in L + B(P - 1) + k - 1 slots or less, where no
 * processor falls behind. */
Test(pipelined, k_item_ends_when_its_slots_do)
{
    static const struct {
        int P;
        int64_t bytes, pieces, slot_ns, L;
    } rows[] = {{1000, 1048576, 64, 1511, 2},
                {1000, 65536, 12, 637, 4},
                {64, 65536, 12, 637, 4},
                {16, 65536, 12, 637, 4},
                {200, 200000, 40, 600, 4}};
    struct logp_invocation c = {
        .model.params = {
            .L_ns = 1000, .o_send_ns = 300, .o_recv_ns = 300, .g_ns = 200, .G_ps = 80}};
    struct logp_tree tree;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t slots;

        cr_assert_eq(logp_tree_init(&tree, rows[i].P - 1, rows[i].L, 1), 0);
        slots = rows[i].L + logp_tree_time(&tree) + rows[i].pieces - 1;
        c.args.n_bytes = (size_t)rows[i].bytes;
        c.args.block_bytes = (rows[i].bytes + rows[i].pieces - 1) / rows[i].pieces;
        cr_expect_leq(test_predict(broadcast("k-item"), rows[i].P, &c).ns, slots * rows[i].slot_ns,
                      "%d processors", rows[i].P);
    }
}

/* Four pieces: a message of 1.784 us is as long as five sends of 0.364 us, but as three slots of 0.6. */
Test(pipelined, k_item_few_sends_more_before_its_children_do)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 8192, .count = 1024, .op = logp_op_find("sum", "int64")},
        .model.params = {.L_ns = 1000,
                         .o_send_ns = 300,
                         .o_recv_ns = 300,
                         .g_ns = 200,
                         .G_ps = 80,
                         .gamma_ps = 100}};
    const struct logp_algorithm *reduce = logp_algorithm_find("reduce", "k-item-few");

    c.args.block_bytes = 2048;
    cr_expect_eq(test_predict(broadcast("k-item"), 1000, &c).ns, 15076);
    cr_expect_eq(test_predict(broadcast("k-item-few"), 1000, &c).ns, 13280);
    cr_expect_eq(test_predict(reduce, 1000, &c).ns, 13436);
    c.args.block_bytes = 0; /* by default eight pieces at most */
    c.args.n_bytes = 1048576;
    cr_expect_geq(test_knob(broadcast("k-item-few"), "block", 1000, &c), 1048576 / 8);
}

/* Groups of one are the best word alone, and the whole as one group sends in all what an allgather and
 * the reduce-scatter that is it backwards send: nobody sends a part twice in either. */
Test(pipelined, an_allreduce_in_groups_has_its_ends_in_other_algorithms)
{
    struct logp_invocation c = {.args = {.count = 64, .op = logp_op_find("sum", "int64")},
                                .model.params = test_params(6, 2, 4)};

    c.model.params.G_ps = 50;
    for (int64_t P = 2; P <= 64; P *= 2) {
        const struct logp_algorithm *grouped = logp_algorithm_find("allreduce", "grouped");
        struct logp_schedule s;
        size_t bytes = 0;

        c.args.k = 1;
        cr_assert_eq(test_predict(grouped, P, &c).ns,
                     test_predict(logp_algorithm_find("allreduce", "census"), P, &c).ns);
        c.args.k = P;
        s = logp_schedule_of(grouped, P, &c.args, &c.model);
        for (int rank = 0; rank < P; rank++)
            sends_of(&s, rank, &bytes);
        cr_assert_eq(bytes, 2 * (size_t)(P - 1) * 64 * 8, "P %ld: %zu", (long)P, bytes);
    }
}

/* ---- in-order binary ---- */

/* It is no deeper than it must be, and what comes from below comes first. */
Test(pipelined, the_in_order_tree_is_balanced_on_both_sides_of_the_root)
{
    for (int P = 1; P <= 64; P += 3)
        for (int root = 0; root < P; root++)
            for (int rank = 0; rank < P; rank++) {
                struct logp_invocation c = {.args = {.count = 1, .root = root, .op = &maps}};
                int depth = 0;

                for (int at = rank; at != root; depth++) {
                    c.args.root = root;
                    cr_assert_eq(test_plan(reduce("in-order-binary"), P, at, &c), 0);
                    cr_assert(c.plan.n_children <= 2);
                    cr_assert(c.plan.n_children < 2 ||
                              (c.plan.children[0] < at && c.plan.children[1] > at));
                    at = c.plan.parent;
                    test_unplan(&c);
                }
                cr_assert(1 << depth <= 2 * P, "P %d root %d rank %d", P, root, rank);
            }
}
