/* SPDX-License-Identifier: MIT */
/* The test kit: the smallest failure of several with one cause, and few deviations first. */
#include "kit.h"

enum { SENDERS = 3, EACH = 4, SEEDS = 11 };

/* It fails if the sixth message is of rank 3, and those before it come in the usual order, which takes
 * one choice, and few runs do that; or if all messages of rank 1 come last, which takes many choices. */
static int two_ways(struct logp_vp *vp, void *arg)
{
    int from[SENDERS * EACH], x = logp_vp_rank(vp), rc = 0, n_last = 0;

    (void)arg;
    for (int i = 0; x > 0 && rc == 0 && i < EACH; i++)
        rc = logp_send(vp, 0, i, &x, sizeof(x));
    if (x > 0)
        return rc;
    for (int i = 0; rc == 0 && i < SENDERS * EACH; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &from[i], sizeof(from[i]), NULL);
    for (int i = SENDERS * EACH - EACH; rc == 0 && i < SENDERS * EACH; i++)
        n_last += from[i] == 1;
    return rc != 0
               ? rc
               : LOGP_CHECK(vp, n_last < EACH && (from[5] != 3 || from[4] != 2 || from[3] != 1 ||
                                                  from[2] != 1 || from[1] != 1 || from[0] != 1));
}

/* @return the largest number of deviations that a seed ends with */
static int most_deviations(logp_program program, int P, int64_t smallest_runs)
{
    int most = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct logp_check check = check_of(P, LOGP_STRATEGY_RANDOM, 10000);
        TEST_FAILURE f = {.text = NULL}, again = {.text = NULL};

        check.seed = seed;
        check.smallest_runs = smallest_runs;
        check.smallest = P;
        cr_assert_eq(logp_check(program, NULL, &check, &f), -EPROTO);
        cr_assert_eq(logp_check_replay(program, NULL, &check, f.replay, &again), -EPROTO);
        ALIKE(again.text, f.text);
        most = f.n_deviations > most ? f.n_deviations : most;
    }
    return most;
}

Test(check_smallest, each_seed_ends_with_the_smallest_failure)
{
    cr_assert_gt(most_deviations(two_ways, SENDERS + 1, -1), 1);
    cr_assert_eq(most_deviations(two_ways, SENDERS + 1, 0), 1);
}

/* It fails with an input and at least five others that are not the usual ones, which each seed finds; or
 * with that input and one other, and no more, which no seed finds by itself. */
static int few_or_many(struct logp_vp *vp, void *arg)
{
    int inputs[20], n = 0, n_large = 0;

    (void)arg;
    for (int i = 0; i < 20; i++) {
        inputs[i] = logp_choose(vp, 4);
        if (inputs[i] < 0)
            return inputs[i];
        n += inputs[i] != 0;
        n_large += inputs[i] == 3;
    }
    return LOGP_CHECK(vp, inputs[3] != 1 || (n < 6 && (n != 2 || n_large != 1)));
}

Test(check_smallest, other_deviations_in_place_of_those_of_a_failure_make_it_smaller)
{
    cr_assert_eq(most_deviations(few_or_many, 1, -1), 6);
    cr_assert_eq(most_deviations(few_or_many, 1, 0), 2);
}

/* It fails if the messages of two senders come in turns: those of ranks 1 and 2 take one choice, and
 * those of others four, each of which is needed. */
static int in_turns(struct logp_vp *vp, void *arg)
{
    int from[2 * SENDERS], x = logp_vp_rank(vp), rc = 0;

    (void)arg;
    for (int i = 0; x > 0 && rc == 0 && i < 2; i++)
        rc = logp_send(vp, 0, i, &x, sizeof(x));
    for (int i = 0; x == 0 && rc == 0 && i < 2 * SENDERS; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &from[i], sizeof(from[i]), NULL);
    if (x > 0 || rc != 0)
        return rc;
    return LOGP_CHECK(vp, from[0] != from[2] || from[1] != from[3] || from[0] == from[1]);
}

Test(check_smallest, ranks_that_change_places_make_a_failure_smaller)
{
    cr_assert_eq(most_deviations(in_turns, SENDERS + 1, -1), 1);
}

/* Eight inputs that are not the usual ones lead to a rare state, then sixty change nothing. From there the next
 * inputs fail in one way of two, with six others or with two. No choice in common leads from the one to the other. */
static int rare_state(struct logp_vp *vp, void *arg)
{
    int inputs[8 + 60 + 1 + 8], n_needed = 0, n_last = 0;
    const int kind = 8 + 60; /* the input that decides on the way */

    (void)arg;
    for (int i = 0; i < kind + 1 + 8; i++) {
        inputs[i] = logp_choose(vp, i == kind ? 4 : 2);
        if (inputs[i] < 0)
            return inputs[i];
        n_needed += i < 8 && inputs[i] != 0;
        n_last += i > kind && inputs[i] != 0;
    }
    return LOGP_CHECK(vp,
                      n_needed < 8 || inputs[kind] == 0 || n_last < (inputs[kind] == 3 ? 1 : 5));
}

Test(check_smallest, runs_that_begin_as_the_failure_make_it_smaller)
{
    cr_assert_eq(most_deviations(rare_state, 1, -1), 8 + 1 + 5);
    cr_assert_eq(most_deviations(rare_state, 1, 500), 8 + 1 + 1);
}

/* Exchange a message with the helper of this rank. */
static int consult(struct logp_vp *vp)
{
    const int helper = logp_vp_rank(vp) + SENDERS;
    const int rc = logp_send(vp, helper, 0, NULL, 0);

    return rc != 0 ? rc : logp_recv(vp, helper, 0, NULL, 0, NULL);
}

static int help(struct logp_vp *vp)
{
    const int sender = logp_vp_rank(vp) - SENDERS;
    int rc = 0;

    for (int i = 0; rc == 0 && i < EACH; i++) {
        rc = logp_recv(vp, sender, 0, NULL, 0, NULL);
        if (rc == 0)
            rc = logp_send(vp, sender, 0, NULL, 0);
    }
    return rc;
}

static int send_all(struct logp_vp *vp)
{
    int x = logp_vp_rank(vp), rc = x == SENDERS ? logp_send(vp, 0, EACH, NULL, 0) : 0;

    for (int i = 0; rc == 0 && i < EACH; i++) {
        rc = consult(vp);
        if (rc == 0)
            rc = logp_send(vp, 0, i, &x, sizeof(x));
    }
    return rc;
}

/* Poll for the first message of rank SENDERS, and receive it. @return the polls in vain; or an error */
static int poll_for_first(struct logp_vp *vp)
{
    int n = 0, rc = 0;
    bool found = false;

    while (rc == 0 && !found && n < 10) {
        rc = logp_probe(vp, SENDERS, EACH, &found, NULL);
        n += !found;
    }
    if (rc == 0)
        rc = logp_recv(vp, SENDERS, EACH, NULL, 0, NULL);
    return rc != 0 ? rc : n;
}

/* It fails after five polls in vain, more than runs with late choices have in a row; or if, of all messages in the
 * order of their ranks, those in places 2 and 6 are of the last sender. With late choices this takes two
 * of a dozen. Otherwise the helpers must come before others, too, which takes many. */
static int early_or_late(struct logp_vp *vp, void *arg)
{
    int n_of[SENDERS + 1] = {0}, from, next = 1, n_vain, rc = 0;
    bool in_order = true;

    (void)arg;
    if (logp_vp_rank(vp) > 0)
        return logp_vp_rank(vp) > SENDERS ? help(vp) : send_all(vp);
    n_vain = poll_for_first(vp);
    for (int i = 0; n_vain >= 0 && rc == 0 && i < SENDERS * EACH; i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &from, sizeof(from), NULL);
        while (n_of[next] == EACH)
            next++;
        in_order = in_order && rc == 0 && from == (i == 2 || i == 6 ? SENDERS : next);
        n_of[rc == 0 ? from : 0]++;
    }
    return n_vain < 0 ? n_vain : rc != 0 ? rc : LOGP_CHECK(vp, n_vain < 5 && !in_order);
}

Test(check_smallest, runs_with_late_choices_make_a_failure_without_them_smaller)
{
    cr_assert_gt(most_deviations(early_or_late, 1 + 2 * SENDERS, -1), 4);
    cr_assert_eq(most_deviations(early_or_late, 1 + 2 * SENDERS, 1000), 2);
}

Test(check_smallest, delays_finds_the_smallest_failure_first)
{
    struct logp_check check = check_of(SENDERS + 1, LOGP_STRATEGY_DELAYS, 1000);
    TEST_FAILURE f = {.text = NULL};

    check.as_found = true;
    cr_assert_eq(logp_check(two_ways, NULL, &check, &f), -EPROTO);
    cr_assert_eq(f.n_deviations, 1);
    cr_assert_leq(f.run,
                  2 * SENDERS * EACH); /* each choice has at most two others than the usual one */
}

/* The messages of ranks 1 and 2 come alternately, which takes two deviations. */
static int alternates(struct logp_vp *vp, void *arg)
{
    int from[4], x = logp_vp_rank(vp), rc = 0;

    (void)arg;
    for (int i = 0; x > 0 && rc == 0 && i < 2; i++)
        rc = logp_send(vp, 0, i, &x, sizeof(x));
    for (int i = 0; x == 0 && rc == 0 && i < 4; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &from[i], sizeof(from[i]), NULL);
    if (x > 0 || rc != 0)
        return rc;
    return LOGP_CHECK(vp, from[0] != 2 || from[1] != 1 || from[2] != 2);
}

Test(check_smallest, delays_comes_to_several_deviations)
{
    struct logp_check check = check_of(3, LOGP_STRATEGY_DELAYS, 1000);

    check.as_found = true;
    finds(alternates, NULL, &check, -EPROTO, LOGP_FAILURE_ASSERTED, "of 3 choices 2 differ");
}
