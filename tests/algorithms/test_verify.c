/* SPDX-License-Identifier: MIT */
/*
 * What an experiment takes for right: every algorithm of the table, and then the same with its
 * result spoilt on one rank. Whatever is wrong with it, wherever, that rank is found. A new
 * collective is held to this from its first day.
 */
#include "support.h"

enum { MOST_BYTES = 4096, N_BYTES = 13 };

enum spoiling {
    FIRST_BIT,    /* of the result's first byte, */
    MIDDLE_BIT,   /* of one in its middle, */
    LAST_BIT,     /* of its last */
    ENDS_SWAPPED, /* its first element or item and its last */
    ZEROED,
    AS_BEFORE, /* what was there before the run */
    STALE,     /* the result of the repetition before */
    SPOILINGS
};

static struct {
    const struct logp_algorithm *real;
    enum spoiling how;
    int rank; /* -1: none */
    int done; /* repetitions of that rank */
    char before[MOST_BYTES], last[MOST_BYTES];
} plot;

/* Where the result of this rank is, and how long it is: recv_buf, or buf where there is none. */
static char *result_of(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                       void *recv_buf, size_t *n)
{
    const struct logp_collective *what = logp_collective_find(plot.real->collective);
    size_t buf_bytes;

    what->sizes(logp_vp_size(vp), logp_vp_rank(vp), c, &buf_bytes, n);
    if (strcmp(what->name, "broadcast") != 0)
        return recv_buf;
    *n = buf_bytes;
    return buf;
}

static size_t element_bytes(const struct logp_invocation *c)
{
    const enum logp_operands by = logp_collective_find(plot.real->collective)->operands;

    return by == LOGP_OPERANDS_VECTOR || by == LOGP_OPERANDS_TOTAL ? c->args.op->element_bytes
                                                                   : c->args.n_bytes;
}

static void swap_ends(char *result, size_t n, size_t size)
{
    char first[MOST_BYTES];

    memcpy(first, result, size);
    memcpy(result, result + n - size, size);
    memcpy(result + n - size, first, size);
}

static void spoil(char *result, size_t n, const struct logp_invocation *c)
{
    char right[MOST_BYTES];

    memcpy(right, result, n);
    if (plot.how == FIRST_BIT)
        result[0] ^= 1;
    else if (plot.how == MIDDLE_BIT)
        result[n / 2] ^= 1;
    else if (plot.how == LAST_BIT)
        result[n - 1] ^= 1;
    else if (plot.how == ENDS_SWAPPED)
        swap_ends(result, n, element_bytes(c));
    else if (plot.how == ZEROED)
        memset(result, 0, n);
    else if (plot.how == AS_BEFORE)
        memcpy(result, plot.before, n);
    else if (plot.done > 0)
        memcpy(result, plot.last, n);
    memcpy(plot.last, right, n);
    plot.done++;
}

static int spoilt(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const bool mine = logp_vp_rank(vp) == plot.rank;
    size_t n;
    char *result = result_of(vp, c, buf, recv_buf, &n);

    cr_assert_leq(n, (size_t)MOST_BYTES);
    if (mine)
        memcpy(plot.before, result, n);
    TRY(plot.real->run != NULL ? plot.real->run(vp, c, buf, recv_buf)
                               : logp_schedule_run(vp, plot.real->steps, c, buf, recv_buf));
    if (mine && n > 0)
        spoil(result, n, c);
    return 0;
}

/* Does this rank end with a result? Of a matrix times a vector column 0 does, of what is combined
 * on a root the root, of the rest all. */
static bool holds_result(int P, int rank, const struct logp_invocation *c)
{
    const char *collective = plot.real->collective;
    int side = 1;

    while (side * side < P)
        side++;
    if (strcmp(collective, "matvec") == 0)
        return rank % side == 0;
    if (strcmp(collective, "exscan") == 0)
        return rank > 0;
    if (strcmp(collective, "reduce") == 0 || strcmp(collective, "summation") == 0 ||
        strcmp(collective, "gather") == 0)
        return rank == c->args.root;
    return true;
}

/* One element or item alone has no ends to be swapped, and a broadcast's root has the item before.
 */
static bool can_spoil(int P, int rank, enum spoiling how, const struct logp_invocation *c)
{
    const bool item = strcmp(plot.real->collective, "broadcast") == 0;
    const bool alone = item || strcmp(plot.real->collective, "summation") == 0 ||
                       strcmp(plot.real->collective, "scatter") == 0;

    return holds_result(P, rank, c) && !(how == ENDS_SWAPPED && alone) &&
           !(how == AS_BEFORE && item && rank == c->args.root);
}

static void expect(struct logp_machine *m, const struct logp_invocation *c, int rank,
                   enum spoiling how)
{
    struct logp_algorithm row = *plot.real;
    const struct logp_experiment x = test_experiment(&row, &c->args, 2, 0);
    const int P = logp_machine_size(m);
    const int wrong = rank >= 0 && can_spoil(P, rank, how, c) ? rank : -1;
    struct logp_record r;

    row.run = spoilt;
    plot.rank = rank;
    plot.how = how;
    plot.done = 0;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect(r.verified == (wrong < 0) && r.wrong_rank == wrong,
              "%s %s, P %d, root %d: rank %d spoilt in way %d, rank %d found", row.collective,
              row.name, P, c->args.root, rank, (int)how, r.wrong_rank);
    cr_expect((strstr(r.wrong, ", expected ") != NULL) == (wrong >= 0), "%s %s, P %d: '%s'",
              row.collective, row.name, P, r.wrong);
}

static struct logp_invocation arguments(int P, int root)
{
    return (struct logp_invocation){.args.root = root,
                                    .args.n_bytes = N_BYTES,
                                    .args.count = 10 * P,
                                    .args.op = logp_op_find("max", "int32"),
                                    .args.rows = P + 3,
                                    .args.cols = 2 * P + 1,
                                    .model.params = test_params(600, 200, 400)};
}

Test(verify, a_spoilt_result_is_found_on_every_rank)
{
    static const int sizes[] = {4, 9};
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);

    for (int s = 0; s < 2; s++) {
        const int P = sizes[s];
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &test_600ns);

        for (size_t i = 0; i < n; i++) {
            const struct logp_invocation c = arguments(P, i % 2 == 0 ? 0 : P - 1);

            plot.real = a[i];
            if (test_needs(a[i], P, &c) != NULL ||
                logp_collective_find(a[i]->collective)->operands == LOGP_OPERANDS_NONE)
                continue;
            expect(m, &c, -1, FIRST_BIT);
            for (int rank = 0; rank < P; rank++)
                for (int how = 0; how < SPOILINGS; how++)
                    if (can_spoil(P, rank, (enum spoiling)how, &c) || how == LAST_BIT)
                        expect(m, &c, rank, (enum spoiling)how);
        }
    }
}

/* ---- operands and items ---- */

enum { MOST_WORDS = 4096 };

static struct {
    uint64_t words[MOST_WORDS];
    int n;
} given;

/* Keep what this rank is given, but for what only says that there is nothing yet. */
static int remember(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const struct logp_collective *what = logp_collective_find(plot.real->collective);
    size_t n_bytes, result;

    what->sizes(logp_vp_size(vp), logp_vp_rank(vp), c, &n_bytes, &result);
    for (size_t i = 0; i + sizeof(uint64_t) <= n_bytes; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, (const char *)buf + i, sizeof(word));
        if (word != UINT64_C(0xa5a5a5a5a5a5a5a5) && given.n < MOST_WORDS)
            given.words[given.n++] = word;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* So whatever is taken from another rank, place or repetition is seen to be wrong. */
Test(verify, no_two_are_alike)
{
    static const char *const names[] = {"broadcast", "reduce", "summation", "alltoall",
                                        "transpose"};
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, &test_600ns);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct logp_experiment x = {.size = sizeof(x),
                                    .args = arguments(4, 1).args,
                                    .reps = 4,
                                    .timeout_ns = test_timeout_ns};
        struct logp_algorithm row;
        struct logp_record r;

        x.args.n_bytes = sizeof(uint64_t);
        x.args.op = logp_op_find("max", "int64");
        plot.real = logp_algorithm_at(names[i], 0);
        row = *plot.real;
        row.run = remember;
        x.algorithm = &row;
        given.n = 0;
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
        cr_assert(given.n >= 4 && given.n < MOST_WORDS, "%s: %d", names[i], given.n);
        qsort(given.words, (size_t)given.n, sizeof(given.words[0]), compare);
        for (int k = 1; k < given.n; k++)
            cr_assert_neq(given.words[k], given.words[k - 1], "%s", names[i]);
    }
}

/* ---- nothing done, nothing to do, in a wrong order ---- */

static int nothing(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    return 0;
}

/* Run a row of the table, or one that does nothing in its place. */
static struct logp_record run_row(struct logp_machine *m, const struct logp_algorithm *a,
                                  const struct logp_invocation *c, bool idle)
{
    struct logp_algorithm row = *a;
    const struct logp_experiment x = test_experiment(&row, &c->args, 1, 0);
    struct logp_record r;

    if (idle)
        row.run = nothing;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    return r;
}

Test(verify, doing_nothing_is_wrong)
{
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);

    for (int P = 4; P <= 9; P += 5) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &test_600ns);

        for (size_t i = 0; i < 2 * n; i++) {
            struct logp_invocation c = arguments(P, 1);

            if (i >= n)
                c.args.count = 1; /* and of a vector no more than an element */
            if (test_needs(a[i % n], P, &c) != NULL || (i >= n && c.args.op == NULL))
                continue;
            cr_expect(!run_row(m, a[i % n], &c, true).verified, "%s %s, %ld", a[i % n]->collective,
                      a[i % n]->name, (long)c.args.count);
            cr_expect(run_row(m, a[i % n], &c, false).verified, "%s %s, %ld", a[i % n]->collective,
                      a[i % n]->name, (long)c.args.count);
        }
    }
}

Test(verify, what_is_empty_is_right)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, &test_600ns);
    struct logp_invocation c = arguments(4, 1);
    int ran = 0;

    c.args.n_bytes = 0;
    c.args.count = 0;
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        if (test_needs(*a, 4, &c) != NULL)
            continue;
        ran++;
        cr_expect(run_row(m, *a, &c, false).verified, "%s %s", (*a)->collective, (*a)->name);
    }
    cr_expect_geq(ran, 20);
}

/* An operation that says that it commutes and does not: algorithms that count on it are wrong. */
Test(verify, operands_in_a_wrong_order_are_found)
{
    TEST_MACHINE m = test_machine(9, LOGP_CLOCK_VIRTUAL, &test_600ns);
    struct logp_op liar = maps;
    struct logp_invocation honest = arguments(9, 0), c;
    int out_of_order = 0;

    liar.commutative = true;
    honest.args.op = &maps;
    c = honest;
    c.args.op = &liar;
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        if (strcmp((*a)->collective, "reduce") != 0 || test_needs(*a, 9, &c) != NULL)
            continue;
        if (test_needs(*a, 9, &honest) == NULL) {
            cr_expect(run_row(m, *a, &honest, false).verified, "%s", (*a)->name);
            continue;
        }
        cr_expect(!run_row(m, *a, &c, false).verified, "%s", (*a)->name);
        out_of_order++;
    }
    cr_expect_geq(out_of_order, 2);
}

/* A plan that leaves an operand out: its sum is right, but not of all. */
static int plan_one_less(int P, int rank, struct logp_invocation *c)
{
    struct logp_invocation less = *c;
    int rc;

    less.args.count--;
    rc = plot.real->plan(P, rank, &less);
    c->plan = less.plan;
    return rc;
}

Test(verify, every_operand_of_a_summation_is_counted)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, &test_600ns);
    const struct logp_invocation c = arguments(4, 1);
    int ran = 0;

    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        struct logp_algorithm row = **a;

        if (strcmp((*a)->collective, "summation") != 0)
            continue;
        ran++;
        plot.real = *a;
        row.plan = plan_one_less;
        cr_expect(!run_row(m, &row, &c, false).verified, "%s", (*a)->name);
    }
    cr_expect_geq(ran, 4);
}

/* ---- an operation's own argument ---- */

static const char its_own;

static void or_bytes(void *acc, const void *in, size_t n, void *arg)
{
    cr_assert(arg == &its_own);
    for (size_t i = 0; i < 3 * n; i++)
        ((unsigned char *)acc)[i] |= ((const unsigned char *)in)[i];
}

static void sparse(void *buf, size_t n, uint64_t seed, void *arg)
{
    cr_assert(arg == &its_own);
    for (size_t i = 0; i < 3 * n; i++)
        ((unsigned char *)buf)[i] = (unsigned char)(1 << (seed + i) % 8);
}

/* Elements of 3 bytes, made and combined by functions that are told what is theirs. */
Test(verify, an_operation_of_ones_own_gets_its_argument)
{
    const struct logp_op op = {"or", "3 bytes", 3, true, or_bytes, sparse, (void *)&its_own};
    TEST_MACHINE m = test_machine(9, LOGP_CLOCK_VIRTUAL, &test_600ns);
    struct logp_invocation c = arguments(9, 4);
    int ran = 0;

    c.args.op = &op;
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        const bool combines =
            strcmp((*a)->collective, "reduce") == 0 || strcmp((*a)->collective, "summation") == 0;

        if (!combines || test_needs(*a, 9, &c) != NULL)
            continue;
        ran++;
        cr_expect(run_row(m, *a, &c, false).verified, "%s %s", (*a)->collective, (*a)->name);
    }
    cr_expect_geq(ran, 10);
}
