/* SPDX-License-Identifier: MIT */
/* The test kit: planted faults are found, made small and seen again; there is no false alarm. */
#include "kit.h"
#include "planted.h"
#include "support.h"

/* ---- the table ---- */

enum planted_under { UNTIMED, NOISY, SYNCHRONOUS, LIMITED };

struct planted_row {
    const char *name;
    logp_program program;
    int P; /* the fewest with which it fails */
    enum logp_failure_kind kind;
    enum planted_under under;
    bool messages_alone; /* vps know of each other by them: exhaustive finds it, too */
    int (*after)(const struct logp_report *report, void *arg);
};

#define PLANTED(program, ...)                                                                      \
    {                                                                                              \
#program, program, __VA_ARGS__                                                             \
    }
static const struct planted_row planted_rows[] = {
    PLANTED(first_is_rank_1, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(tags_come_in_order, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(tag_reused, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(answers_the_wrong_one, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(first_request_is_first, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(told_by_another, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(cause_before_effect, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(reduces_as_it_comes, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(ring_of_anybody, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(probe_then_another, 3, LOGP_FAILURE_ERROR, UNTIMED, true, NULL),
    PLANTED(looks_once, 2, LOGP_FAILURE_LEFT_OVER, UNTIMED, true, NULL),
    PLANTED(abandons, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(stops_at_the_first_end, 3, LOGP_FAILURE_LEFT_OVER, UNTIMED, true, NULL),
    PLANTED(ends_too_early, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(one_too_many, 3, LOGP_FAILURE_LEFT_OVER, UNTIMED, true, NULL),
    PLANTED(forgets_the_rest, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(space_for_three, 4, LOGP_FAILURE_ERROR, UNTIMED, true, NULL),
    PLANTED(one_buffer_for_two, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(beyond_the_last, 2, LOGP_FAILURE_ERROR, UNTIMED, true, NULL),
    PLANTED(not_the_last, 2, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(odd_one_out, 3, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(leaves_before_the_start, 3, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(collectives_crossed, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(locks_crossed, 4, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(missing_barrier, 2, LOGP_FAILURE_ASSERTED, UNTIMED, false, NULL),
    PLANTED(lost_update, 2, LOGP_FAILURE_AFTER, UNTIMED, false, all_updates),
    PLANTED(waits_too_short, 2, LOGP_FAILURE_ASSERTED, NOISY, false, NULL),
    PLANTED(asks_twice, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(sends_first, 2, LOGP_FAILURE_DEADLOCK, SYNCHRONOUS, true, NULL),
    PLANTED(sends_long_ones_first, 2, LOGP_FAILURE_DEADLOCK, LIMITED, true, NULL),
};
enum { N_PLANTED = sizeof(planted_rows) / sizeof(planted_rows[0]) };

static const struct logp_latency planted_latency = {.kind = LOGP_LATENCY_EXPONENTIAL};
static const struct logp_network planted_noisy = {
    .params = {.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000},
    .latency = &planted_latency};
static const struct logp_network planted_limited = {.undelayed = true, .rendezvous_from = 1025};

/* How the row is checked. */
static struct logp_check planted_check(const struct planted_row *row)
{
    static const int sizes[] = {2, 3, 4, 5};
    struct logp_check check = {.size = sizeof(check),
                               .sizes = sizes,
                               .n_sizes = 4,
                               .runs = 1000,
                               .seed = 1,
                               .all_received = true,
                               .before = planted_before,
                               .after = row->after,
                               .name = row->name};

    if (row->under == NOISY)
        check.network = &planted_noisy;
    if (row->under == SYNCHRONOUS)
        check.sends = LOGP_SENDS_SYNCHRONOUS;
    if (row->under == LIMITED) {
        check.sends = LOGP_SENDS_LIMITED;
        check.network = &planted_limited;
    }
    return check;
}

/* ---- the tests ---- */

enum { REPLAYS = 100 };

/* The same failure again, with each executor: byte for byte. */
static void replay(const struct planted_row *row, const struct logp_failure *f, int times)
{
    for (int i = 0; i < times; i++) {
        struct planted state = {.right = false};
        struct logp_check check = planted_check(row);
        TEST_FAILURE again = {.text = NULL};

        check.executor = i % 10 == 9 ? "thread" : NULL;
        cr_assert_eq(logp_check_replay(row->program, &state, &check, f->replay, &again), f->error,
                     "%s\n%s\n%s", row->name, f->text, again.text);
        ALIKE(f->text, again.text);
        cr_assert_str_eq(f->replay, again.replay);
    }
}

static void find(const struct planted_row *row, enum logp_strategy strategy)
{
    struct planted state = {.right = false};
    struct logp_check check = planted_check(row);
    TEST_FAILURE f = {.text = NULL};
    int rc;

    check.strategy = strategy;
    rc = logp_check(row->program, &state, &check, &f);
    cr_assert_neq(rc, 0, "%s: %s", row->name, check.checked.text);
    cr_assert_eq(rc, f.error);
    cr_assert_eq(f.kind, row->kind, "%s: %s", row->name, f.text);
    cr_assert_eq(f.P, row->P, "%s: %s", row->name, f.text);
    cr_assert_eq(f.needs_synchronous, row->under >= SYNCHRONOUS, "%s", f.text);
    replay(row, &f, REPLAYS / TEST_SCALE);
}

Test(check, planted_faults_are_found_by_each_strategy)
{
    for (int i = 0; i < N_PLANTED; i++) {
        find(&planted_rows[i], LOGP_STRATEGY_RANDOM);
        find(&planted_rows[i], LOGP_STRATEGY_PCT);
        if (planted_rows[i].messages_alone)
            find(&planted_rows[i], LOGP_STRATEGY_EXHAUSTIVE);
    }
}

/* Several processes find what one finds: the same run of the same P, as small, and they count the
 * same. Of PCT, whose runs depend on those before, the failure is of the same kind. */
static void find_with(const struct planted_row *row, bool right, enum logp_strategy strategy,
                      int cores)
{
    struct planted alone = {.right = right}, shared = alone;
    struct logp_check one = planted_check(row), many;
    TEST_FAILURE f = {.text = NULL}, g = {.text = NULL};

    one.strategy = strategy;
    one.runs = right ? 100 : one.runs;
    many = one;
    many.cores = cores;
    cr_assert_eq(logp_check(row->program, &alone, &one, &f),
                 logp_check(row->program, &shared, &many, &g), "%s\n%s\n%s", row->name, f.text,
                 g.text);
    cr_assert_eq(f.kind, g.kind, "%s\n%s\n%s", row->name, f.text, g.text);
    if (strategy != LOGP_STRATEGY_RANDOM)
        return;
    ALIKE(f.text, g.text);
    cr_assert_eq(one.checked.runs, many.checked.runs, "%s: %s, %s", row->name, one.checked.text,
                 many.checked.text);
    cr_assert_str_eq(one.checked.text, many.checked.text);
    for (int i = 0; i < one.checked.n_by_size; i++) {
        const struct logp_checked_size *a = &one.checked.by_size[i], *b = &many.checked.by_size[i];

        cr_assert(a->P == b->P && a->runs == b->runs && a->outcomes == b->outcomes &&
                      a->last_new == b->last_new,
                  "%s, P = %d: %d and %d outcomes", row->name, a->P, (int)a->outcomes,
                  (int)b->outcomes);
    }
}

Test(check, several_processes_find_what_one_finds)
{
    for (int i = 0; i < N_PLANTED; i++)
        for (int right = 0; right < 2; right++) {
            find_with(&planted_rows[i], right == 1, LOGP_STRATEGY_RANDOM, 2 + i % 3);
            find_with(&planted_rows[i], right == 1, LOGP_STRATEGY_PCT, 2);
        }
}

/* The largest P alone, and the kit finds how few do. */
Test(check, failures_are_made_small)
{
    for (int i = 0; i < N_PLANTED; i++) {
        const struct planted_row *row = &planted_rows[i];
        struct planted state = {.right = false};
        struct logp_check check = planted_check(row);
        TEST_FAILURE f = {.text = NULL};

        check.sizes = (int[]){5};
        check.n_sizes = 1;
        check.smallest = 2;
        cr_assert_neq(logp_check(row->program, &state, &check, &f), 0, "%s", row->name);
        cr_assert_eq(f.P, row->P, "%s: %s", row->name, f.text);
        cr_assert_leq(f.n_deviations, 6, "%s", f.text);
    }
}

Test(check, what_is_right_does_not_fail)
{
    for (int i = 0; i < N_PLANTED; i++)
        for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
            const struct planted_row *row = &planted_rows[i];
            struct planted state = {.right = true};
            struct logp_check check = planted_check(row);
            TEST_FAILURE f = {.text = NULL};

            if (s == LOGP_STRATEGY_EXHAUSTIVE && !row->messages_alone)
                continue;
            check.strategy = s;
            check.runs = 2000 / TEST_SCALE;
            cr_assert_eq(logp_check(row->program, &state, &check, &f), 0, "%s: %s", row->name,
                         f.text);
            cr_assert_str_eq(f.text, "");
        }
}
