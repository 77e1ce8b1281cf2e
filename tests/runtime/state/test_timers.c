/* SPDX-License-Identifier: MIT */
/* The deadlines of a core and the histogram of its lags, against lists that are searched. */
#include "support.h"

#include "host/host.h"
#include "state/timers.h"

enum { MOST = 200, STEPS = 4000 };

struct plain {
    struct lpi_timer slots[4 * MOST];
    int n;
    bool gone[4 * MOST * STEPS]; /* by stamp: it does not hold any more */
};

static bool before(const struct lpi_timer *a, const struct lpi_timer *b)
{
    return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static int first_of(const struct plain *p)
{
    int first = 0;

    for (int i = 1; i < p->n; i++)
        if (before(&p->slots[i], &p->slots[first]))
            first = i;
    return first;
}

static bool holds(void *arg, const struct lpi_timer *s)
{
    return !((struct plain *)arg)->gone[s->stamp];
}

static void purge_both(struct lpi_timers *t, struct plain *p)
{
    int kept = 0;

    lpi_timers_purge(t, holds, p);
    for (int i = 0; i < p->n; i++)
        if (!p->gone[p->slots[i].stamp])
            p->slots[kept++] = p->slots[i];
    p->n = kept;
}

static void check_top(struct lpi_timers *t, const struct plain *p)
{
    const struct lpi_timer *top = lpi_timers_top(t);

    cr_assert_eq(t->n, p->n);
    cr_assert_eq(top == NULL, p->n == 0);
    if (top != NULL) {
        const struct lpi_timer *first = &p->slots[first_of(p)];

        cr_assert_eq(top->key, first->key);
        cr_assert_eq(top->order, first->order);
    }
}

static void remove_from(struct plain *p, int i)
{
    p->slots[i] = p->slots[--p->n];
}

/* The second deadline is the first one of p without its first. */
static void check_second(struct lpi_timers *t, struct plain *p)
{
    const struct lpi_timer second = lpi_timers_second(t), *ahead = lpi_timers_ahead(t, 1);
    const bool any = p->n > 0;
    const int first = any ? first_of(p) : 0;
    const struct lpi_timer earliest = p->slots[first];

    cr_assert(ahead == NULL || !before(ahead, lpi_timers_top(t)));
    if (any)
        remove_from(p, first);
    cr_assert_eq(second.key == INT64_MAX, p->n == 0);
    if (p->n > 0) {
        cr_assert_eq(second.key, p->slots[first_of(p)].key);
        cr_assert_eq(second.order, p->slots[first_of(p)].order);
    }
    if (any)
        p->slots[p->n++] = earliest;
}

static void some_steps(uint64_t seed, int64_t spread)
{
    uint64_t random = seed * 2 + 1;
    struct plain *p = calloc(1, sizeof(*p));
    struct lpi_timers t;
    unsigned stamp = 0;
    int64_t now = 0;

    cr_assert_eq(lpi_timers_init(&t, MOST), 0);
    for (int i = 0; i < STEPS; i++) {
        const int64_t what = test_below(&random, 100);

        if (what < 55 && p->n < t.capacity) {
            const struct lpi_timer s = {now + test_below(&random, spread),
                                        (int)test_below(&random, MOST), stamp++};

            p->slots[p->n++] = s;
            lpi_timers_push(&t, s.key, s.order, s.stamp);
        } else if (what < 90 && p->n > 0) {
            const struct lpi_timer top = *lpi_timers_top(&t);
            int at = 0;

            while (p->slots[at].stamp != top.stamp)
                at++;
            now = top.key;
            remove_from(p, at);
            lpi_timers_pop(&t);
        } else if (what < 96 && p->n > 0) {
            p->gone[p->slots[test_below(&random, p->n)].stamp] = true;
        } else if (what < 98) {
            purge_both(&t, p);
        }
        check_top(&t, p);
        if (i % 8 == 0)
            check_second(&t, p);
    }
    lpi_timers_clear(&t);
    cr_assert_eq(t.n, 0);
    cr_assert(lpi_timers_top(&t) == NULL);
    lpi_timers_push(&t, 5, 1, 0);
    cr_assert_eq(lpi_timers_top(&t)->key, 5);
    lpi_timers_fini(&t);
    free(p);
}

Test(timers, the_earliest_comes_first_whatever_is_withdrawn)
{
    for (uint64_t seed = 1; seed <= 20 / TEST_SCALE + 1; seed++)
        for (int64_t spread = 1; spread <= 100000; spread *= 10)
            some_steps(seed, spread);
}

static int n_in(const struct lpi_run *r)
{
    int n = r->tail - r->head;

    for (const struct lpi_timer_block *b = r->first; b != r->last; b = b->next)
        n += LPI_TIMER_BLOCK;
    return n;
}

/* Deadlines that come up to `early` ns before the last of many. @return how many went to the heap
 */
static int almost_in_order(bool is_loose, int early)
{
    int64_t wanted[MOST], last = 0;
    uint64_t random = 1;
    int others;
    struct lpi_timers t;

    cr_assert_eq(lpi_timers_init(&t, MOST), 0);
    t.loose_ns = is_loose;
    for (int i = 0; i < MOST; i++) {
        wanted[i] = 10000 + (i < MOST / 2 ? 0 : i - test_below(&random, early));
        lpi_timers_push(&t, wanted[i], i, (unsigned)i);
    }
    others = t.n - n_in(&t.runs[0]);
    for (int n = MOST; n > 0; n--) {
        const struct lpi_timer top = *lpi_timers_top(&t);

        cr_assert_geq(top.key, last);
        cr_assert_geq(top.key, wanted[top.stamp], "nobody is early");
        cr_assert_lt(top.key - wanted[top.stamp], is_loose ? MOST : 1);
        wanted[top.stamp] = INT64_MAX; /* once */
        last = top.key;
        lpi_timers_pop(&t);
    }
    cr_assert_eq(t.n, 0);
    lpi_timers_fini(&t);
    return others;
}

Test(timers, almost_in_order_is_in_order_where_they_are_loose)
{
    cr_expect_eq(almost_in_order(true, MOST / 2), 0);
    cr_expect_gt(almost_in_order(true, 50 * MOST), 0, "by more than there are of them");
    cr_expect_gt(almost_in_order(false, MOST / 2), 0);
}

/* Full, in the worst order for sorted runs, so that most is in the heap; some hold. */
static void purge_full(uint64_t seed)
{
    struct plain *p = calloc(1, sizeof(*p));
    uint64_t random = seed * 2 + 1;
    struct lpi_timers t;

    cr_assert_eq(lpi_timers_init(&t, MOST), 0);
    for (int i = 0; i < t.capacity; i++) {
        const struct lpi_timer s = {1000 - i, i % MOST, (unsigned)i};

        p->slots[p->n++] = s;
        lpi_timers_push(&t, s.key, s.order, s.stamp);
        p->gone[i] = test_below(&random, 32) >= (int64_t)(seed % 33);
    }
    check_second(&t, p); /* in the heap */
    purge_both(&t, p);
    for (;;) {
        check_top(&t, p);
        if (p->n == 0)
            break;
        remove_from(p, first_of(p));
        lpi_timers_pop(&t);
    }
    lpi_timers_fini(&t);
    free(p);
}

Test(timers, all_that_hold_survive_a_purge)
{
    for (uint64_t seed = 0; seed < 330; seed++)
        purge_full(seed);
}

/* Those of the start come in the order of their ranks, between what is pushed meanwhile. */
static void start_with(const int *ranks, int first, int n)
{
    struct lpi_timers t;

    cr_assert_eq(lpi_timers_init(&t, MOST), 0);
    lpi_timers_start(&t, ranks, first, n);
    for (int i = 0; i < t.capacity; i++) {
        cr_assert(!lpi_timers_full(&t));
        lpi_timers_push(&t, i, first, 1);
    }
    cr_assert(lpi_timers_full(&t), "the start takes no space");
    for (int i = 0; i < n; i++) {
        const int rank = ranks != NULL ? ranks[i] : first + i;
        /* pushed with the time of the start; or with the next time */
        const bool pushed = i == 0 || i == n - 1;
        const int second = pushed ? first : ranks != NULL ? ranks[i + 1] : rank + 1;
        const struct lpi_timer top = *lpi_timers_top(&t);

        cr_assert_eq(top.key, 0);
        cr_assert_eq(top.order, rank);
        cr_assert_eq(lpi_timers_second(&t).order, second);
        if (i == 0) { /* that of the same time and rank may come first */
            lpi_timers_pop(&t);
            cr_assert_eq(lpi_timers_top(&t)->order, rank);
        }
        lpi_timers_pop(&t);
        cr_assert_eq(t.n, t.capacity - 1 + n - 1 - i);
    }
    for (int i = 1; i < t.capacity; i++) {
        cr_assert_eq(lpi_timers_top(&t)->key, i);
        lpi_timers_pop(&t);
    }
    cr_assert(lpi_timers_top(&t) == NULL);
    lpi_timers_fini(&t);
}

Test(timers, the_start_comes_in_the_order_of_ranks)
{
    const int ranks[] = {3, 4, 7, 11, 20};

    start_with(NULL, 5, MOST);
    start_with(NULL, 0, 1);
    start_with(ranks, 3, 5);
}

/* In order, so all in one run; after each count of those that have gone as many more come. */
Test(timers, a_run_at_the_end_of_its_memory_goes_on)
{
    struct lpi_timers t;

    cr_assert_eq(lpi_timers_init(&t, MOST), 0);
    for (int gone = 1; gone <= t.capacity; gone++) {
        int64_t next = 0, last = 0;

        lpi_timers_clear(&t);
        while (last < t.capacity)
            lpi_timers_push(&t, last++, 0, 0);
        for (; next < gone; next++)
            lpi_timers_pop(&t);
        while (last - next < t.capacity)
            lpi_timers_push(&t, last++, 0, 0);
        for (; next < last; next++) {
            cr_assert_eq(lpi_timers_top(&t)->key, next);
            lpi_timers_pop(&t);
        }
        cr_assert_eq(t.n, 0);
    }
    lpi_timers_fini(&t);
}

/* All deadlines come in order, so they lie in one run, which has several blocks. The k-th deadline
 * ahead is the one that is first after k have been removed. */
Test(timers, in_a_run_each_is_so_far_ahead_of_the_first)
{
    enum { N = 4 * LPI_TIMER_BLOCK + 1 };
    struct lpi_timers t;

    cr_assert_eq(lpi_timers_init(&t, N), 0);
    for (int i = 0; i < N; i++)
        lpi_timers_push(&t, i, 0, 0);
    for (int gone = 0; gone < N; gone++) {
        const int last = N - 1 - gone;

        for (int k = 0; k < 8 && k <= last; k++) {
            cr_assert(lpi_timers_ahead(&t, k) != NULL);
            cr_assert_eq(lpi_timers_ahead(&t, k)->key, gone + k);
        }
        cr_assert(lpi_timers_ahead(&t, last) != NULL);
        cr_assert_eq(lpi_timers_ahead(&t, last)->key, N - 1);
        cr_assert_null(lpi_timers_ahead(&t, last + 1));
        lpi_timers_pop(&t);
    }
    lpi_timers_fini(&t);
}

/* No deadline is below the bound, and it is exact after each look at the first. */
Test(timers, the_least_is_a_bound_of_all)
{
    uint64_t random = 1;
    struct lpi_timers t;
    int64_t least = INT64_MAX;

    cr_assert_eq(lpi_timers_init(&t, MOST), 0);
    cr_assert_eq(t.least, INT64_MAX);
    for (int i = 0; i < MOST; i++) {
        const int64_t key = test_below(&random, 100000);

        least = key < least ? key : least;
        lpi_timers_push(&t, key, i, (unsigned)i);
        cr_assert_eq(t.least, least);
    }
    while (t.n > 0) {
        const int64_t first = lpi_timers_top(&t)->key;

        cr_assert_eq(t.least, first);
        lpi_timers_pop(&t);
        cr_assert_leq(t.least, first);
    }
    cr_assert_null(lpi_timers_top(&t));
    cr_assert_eq(t.least, INT64_MAX);
    lpi_timers_start(&t, NULL, 0, 3);
    cr_assert_eq(t.least, 0);
    lpi_timers_clear(&t);
    cr_assert_eq(t.least, INT64_MAX);
    lpi_timers_fini(&t);
}

/* ---- their memory ---- */

Test(timers, memory_is_zero_and_what_no_host_has_is_refused)
{
    static const size_t sizes[] = {0, 1, 127, 128, 129, 4097, (1 << 20) - 1, 1 << 20, 3 << 20};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char *memory = lpi_memory_zeroed(sizes[i], 1);

        cr_assert(memory != NULL && (uintptr_t)memory % 128 == 0);
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert_eq(memory[k], 0);
        memset(memory, 1, sizes[i]); /* so that the next has to be made zero */
        lpi_memory_free(memory, sizes[i], 1);
    }
    for (size_t size = 1; size <= 4096; size *= 8) {
        cr_expect_null(lpi_memory_zeroed(SIZE_MAX / size, size));
        cr_expect_null(lpi_memory_zeroed(SIZE_MAX / size - 1, size));
        cr_expect_null(lpi_memory_zeroed(SIZE_MAX / 2 / size + 1, size));
        cr_expect_null(lpi_memory_zeroed(SIZE_MAX, size));
    }
}

/* ---- lags ---- */

/* The nearest rank, at most 1/32 too large, and never beyond the largest. */
static void check_permille(const struct lpi_histogram *h, const int64_t *sorted, int n, int q)
{
    const int rank = (n * q + 999) / 1000;
    const int64_t exact = sorted[rank > 0 ? rank - 1 : 0];
    const int64_t said = lpi_histogram_permille(h, q);

    cr_assert_geq(said, exact);
    cr_assert_leq(said, exact + exact / 32);
    cr_assert_leq(said, sorted[n - 1]);
    if (exact < LPI_HIST_STEPS)
        cr_assert_eq(said, exact);
}

static void some_lags(uint64_t seed, int64_t most)
{
    static struct lpi_histogram one, two;
    uint64_t random = seed * 2 + 1;
    const int n = 1 + (int)test_below(&random, 300);
    int64_t values[300];

    lpi_histogram_reset(&one);
    lpi_histogram_reset(&two);
    for (int i = 0; i < n; i++) {
        values[i] = test_below(&random, most);
        lpi_histogram_add(i % 3 == 0 ? &one : &two, values[i]);
    }
    lpi_histogram_merge(&one, &two);
    qsort(values, (size_t)n, sizeof(values[0]), test_compare);
    cr_assert_eq(one.n, (uint64_t)n);
    cr_assert_eq(one.max, values[n - 1]);
    for (int q = 0; q <= 1000; q += 10)
        check_permille(&one, values, n, q);
}

Test(timers, percentiles_of_lags_are_at_most_a_32nd_too_large)
{
    static struct lpi_histogram none;

    for (uint64_t seed = 1; seed <= 30; seed++)
        for (int64_t most = 1; most < INT64_MAX / 64; most *= 31)
            some_lags(seed, most);
    cr_expect_eq(lpi_histogram_permille(&none, 500), 0);
    lpi_histogram_add(&none, -5); /* early counts as in time */
    cr_expect_eq(lpi_histogram_permille(&none, 1000), 0);
    cr_expect_eq(none.max, 0);
    cr_expect_eq(none.n, 1);
}
