/* SPDX-License-Identifier: MIT */
/* What suites of the test kit share: checks with each strategy, and failures that are shown again. */
#ifndef LOGP_TESTS_KIT_H
#define LOGP_TESTS_KIT_H

#include "support.h"

static const enum logp_strategy strategies[] = {LOGP_STRATEGY_RANDOM, LOGP_STRATEGY_PCT,
                                                LOGP_STRATEGY_EXHAUSTIVE};
enum { N_STRATEGIES = 3 };

/* A check of one size, P < 64. */
static inline struct logp_check check_of(int P, enum logp_strategy strategy, uint64_t runs)
{
    static int sizes[64];

    sizes[P] = P;
    return (struct logp_check){.size = sizeof(struct logp_check),
                               .sizes = &sizes[P],
                               .n_sizes = 1,
                               .strategy = strategy,
                               .runs = runs,
                               .seed = 1};
}

#define SAYS(text, part) cr_assert(strstr(text, part) != NULL, "%s", text)

/* A program: the others send to rank 0, which receives from any source. */
static inline int gather(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    return rc;
}

/* Whether two failures have one text, but for the way to find them again. */
static inline bool are_alike(const char *a, const char *b)
{
    const char *ways[] = {strstr(a, "to repeat it: LOGP_CHECK"),
                          strstr(b, "to repeat it: LOGP_CHECK")};
    const size_t n = ways[0] != NULL ? (size_t)(ways[0] - a) : strlen(a),
                 m = ways[1] != NULL ? (size_t)(ways[1] - b) : strlen(b);

    return n == m && strncmp(a, b, n) == 0;
}

#define ALIKE(a, b) cr_assert(are_alike(a, b), "%s%s", a, b)

/* The check passes. */
static inline void passes(logp_program program, void *arg, struct logp_check *check)
{
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(program, arg, check, &f), 0, "%s", f.text);
}

/* The check finds a failure of this kind, whose text has this part; its replay has the same text. */
static inline void finds(logp_program program, void *arg, struct logp_check *check, int error,
                         enum logp_failure_kind kind, const char *part)
{
    TEST_FAILURE f = {.text = NULL}, again = {.text = NULL};

    cr_assert_eq(logp_check(program, arg, check, &f), error, "%s", check->checked.text);
    cr_assert_eq(f.kind, kind, "%s", f.text);
    SAYS(f.text, part);
    if (check->before != NULL)
        check->before(f.P, arg);
    cr_assert_eq(logp_check_replay(program, arg, check, f.replay, &again), error);
    ALIKE(again.text, f.text);
}

/* All executions of P processors: n. */
static inline void expect_executions(logp_program program, void *arg, int P, uint64_t n)
{
    struct logp_check check = check_of(P, LOGP_STRATEGY_EXHAUSTIVE, 100000);

    passes(program, arg, &check);
    cr_assert(check.checked.complete, "%s", check.checked.text);
    cr_assert_eq(check.checked.executions, n, "%llu executions, %llu by hand",
                 (unsigned long long)check.checked.executions, (unsigned long long)n);
}

#endif
