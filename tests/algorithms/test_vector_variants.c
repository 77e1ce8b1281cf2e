/* SPDX-License-Identifier: MIT */
/* Blocks of different sizes: every algorithm that takes them, and the calls of a program. */
#include "blocks.h"

enum { MOST_P = 33, MOST_COUNT = 5 };

Test(vector_variants, each_collective_has_two_algorithms_at_least)
{
    static const char *const names[] = {"scatter", "gather", "allgather", "alltoall",
                                        "reduce-scatter"};
    const struct logp_algorithm *a;

    for (int k = 0; k < 5; k++) {
        int n = 0;

        for (size_t i = 0; (a = logp_algorithm_at(names[k], i)) != NULL; i++)
            n += a->any_blocks;
        cr_assert_geq(n, 2);
    }
}

/* Blocks that do not fit, and algorithms that cannot: they are not made to. */
Test(vector_variants, others_are_refused)
{
    static const size_t before[] = {0, 1, 2, 3, 4, 5, 6};
    const struct logp_blocks five = {5, before, NULL}, six = {6, before, NULL};
    struct logp_invocation c = {.args = {.n_bytes = 1, .blocks = &six}};

    cr_assert_null(test_needs(logp_algorithm_find("allgather", "ring"), 6, &c));
    cr_assert(test_needs(logp_algorithm_find("allgather", "neighbour"), 6, &c) != NULL);
    cr_assert(test_needs(logp_algorithm_find("broadcast", "flat"), 6, &c) != NULL);
    cr_assert(test_needs(logp_algorithm_find("alltoall", "linear"), 6, &c) != NULL);
    c.args.recv_blocks = &six;
    cr_assert_null(test_needs(logp_algorithm_find("alltoall", "linear"), 6, &c));
    c.args.recv_blocks = &five;
    cr_assert(test_needs(logp_algorithm_find("alltoall", "linear"), 6, &c) != NULL);
    c.args.blocks = &five;
    cr_assert(test_needs(logp_algorithm_find("allgather", "ring"), 6, &c) != NULL);
}

/* ---- calls ---- */

/* What each rank has, or gets; what goes from one to another, in both directions as much. */
static size_t size_of(int rank, int salt)
{
    return (size_t)((rank * 7 + salt * 3) % (MOST_COUNT + 1));
}

static size_t size_between(int from, int to, int salt)
{
    return size_of(from + to, salt);
}

static unsigned char byte(int from, int to, size_t i)
{
    return (unsigned char)(from * 31 + to * 17 + (int)i * 5 + 1);
}

/* Of all P: sizes, and places one behind the other with a byte in between, and in reverse. */
struct layout {
    size_t counts[MOST_P], displs[MOST_P], extent;
};

static struct layout layout_of(int P, int salt)
{
    struct layout l = {.extent = 1};

    for (int i = P - 1; i >= 0; i--) {
        l.counts[i] = size_of(i, salt);
        l.displs[i] = l.extent;
        l.extent += l.counts[i] + 1;
    }
    return l;
}

enum { CAPACITY = MOST_P * (MOST_COUNT + 1) + 1 };

static void fill(unsigned char *at, int from, int to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = byte(from, to, i);
}

static void expect(const unsigned char *at, int from, int to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(at[i], byte(from, to, i));
}

/* Nothing was written between blocks. */
static void expect_gaps(const unsigned char *buf, const struct layout *l, int P)
{
    cr_assert_eq(buf[0], 0);
    for (int i = 0; i < P; i++)
        cr_assert_eq(buf[l->displs[i] + l->counts[i]], 0);
}

/* From the root and back, with places or without, in place or not. */
static int there_and_back(struct logp_vp *vp, int root, bool apart, bool in_place)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct layout l = layout_of(P, root);
    const size_t *counts = me == root ? l.counts : NULL;
    const size_t *displs = me == root && apart ? l.displs : NULL, mine = size_of(me, root);
    unsigned char all[CAPACITY] = {0}, item[MOST_COUNT + 1] = {0}, *own = item;
    const bool stays = in_place && me == root;
    size_t at = 0;

    for (int i = 0; me == root && i < P; at += l.counts[i++]) {
        unsigned char *place = all + (apart ? l.displs[i] : at);

        fill(place, root, i, l.counts[i]);
        own = stays && i == me ? place : own;
    }
    OK(logp_scatterv(vp, me == root ? all : NULL, counts, displs, stays ? LOGP_IN_PLACE : item,
                     stays ? 99 : mine, root));
    expect(own, root, me, mine);
    fill(own, me, root, mine);
    OK(logp_gatherv(vp, stays ? LOGP_IN_PLACE : item, stays ? 99 : mine, all, counts, displs,
                    root));
    if (me != root)
        return 0;
    at = 0;
    for (int i = 0; i < P; at += l.counts[i++])
        expect(all + (apart ? l.displs[i] : at), i, root, l.counts[i]);
    if (apart)
        expect_gaps(all, &l, P);
    return 0;
}

static int to_all(struct logp_vp *vp, int salt, bool in_place)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct layout l = layout_of(P, salt);
    const bool apart = (me + salt) % 2 == 0; /* that is each one's own business */
    unsigned char all[CAPACITY] = {0}, item[CAPACITY];
    size_t at = 0;

    fill(item, me, me, l.counts[me]);
    for (int i = 0; i < me; i++)
        at += l.counts[i];
    if (in_place)
        memcpy(all + (apart ? l.displs[me] : at), item, l.counts[me]);
    TRY(logp_allgatherv(vp, in_place ? LOGP_IN_PLACE : item, l.counts[me], all, l.counts,
                        apart ? l.displs : NULL));
    at = 0;
    for (int i = 0; i < P; at += l.counts[i++])
        expect(all + (apart ? l.displs[i] : at), i, i, l.counts[i]);
    if (apart)
        expect_gaps(all, &l, P);
    return 0;
}

static int all_to_all(struct logp_vp *vp, int salt, bool in_place)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct layout l = {.extent = 0}; /* of both sides */
    unsigned char send[CAPACITY] = {0}, recv[CAPACITY] = {0};

    for (int i = 0; i < P; i++) {
        l.counts[i] = size_between(me, i, salt);
        l.displs[i] = (size_t)i * (MOST_COUNT + 1) + 1;
        fill((in_place ? recv : send) + l.displs[i], me, i, l.counts[i]);
    }
    OK(logp_alltoallv(vp, in_place ? LOGP_IN_PLACE : send, in_place ? NULL : l.counts,
                      in_place ? NULL : l.displs, recv, l.counts, l.displs));
    for (int i = 0; i < P; i++)
        expect(recv + l.displs[i], i, me, l.counts[i]);
    expect_gaps(recv, &l, P);
    return 0;
}

static int combine(struct logp_vp *vp, int salt, bool in_place)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct layout l = layout_of(P, salt);
    int64_t x[CAPACITY], y[CAPACITY], before = 0;

    for (int i = 0; i < CAPACITY; i++)
        x[i] = me * 1000 + i;
    for (int i = 0; i < me; i++)
        before += (int64_t)l.counts[i];
    TRY(logp_reduce_scatterv(vp, in_place ? LOGP_IN_PLACE : x, in_place ? x : y, l.counts, sum));
    for (int64_t i = 0; i < (int64_t)l.counts[me]; i++)
        cr_assert_eq((in_place ? x : y)[i], 1000 * P * (P - 1) / 2 + P * (before + i));
    return 0;
}

static int call_all(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp);

    for (int i = 0; i < 4; i++) {
        for (int root = i % P; root < P; root += P / 3 + 1)
            TRY(there_and_back(vp, root, i % 2 == 0, i / 2 == 0));
        TRY(to_all(vp, i, i / 2 == 0));
        TRY(all_to_all(vp, i, i / 2 == 0));
        TRY(combine(vp, i, i / 2 == 0));
    }
    return 0;
}

Test(vector_variants, calls_of_a_program)
{
    for (int P = 1; P <= MOST_P; P += P < 9 ? 1 : 4)
        test_run_all(P, &test_bytes, call_all, NULL);
}

/* Who has nothing for anybody sends nothing: of P processors two talk. */
static int two_talk(struct logp_vp *vp, void *arg)
{
    size_t to[9] = {0}, from[9] = {0};
    const int me = logp_vp_rank(vp);
    unsigned char out = 5, in = 0;
    int rc;

    to[7] = me == 2;
    from[2] = me == 7;
    rc = logp_alltoallv(vp, &out, to, NULL, &in, from, NULL);
    cr_assert(rc != 0 || in == (me == 7 ? 5 : 0));
    return rc;
}

Test(vector_variants, nothing_is_not_sent_to_each)
{
    TEST_MACHINE m = test_machine(9, LOGP_CLOCK_VIRTUAL, &test_bytes);

    cr_assert_eq(logp_machine_run(m, two_talk, NULL, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_report(m)->messages, 1);
}

/* ---- what is refused ---- */

static int refused(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), other = (me + 1) % P;
    const size_t one[] = {1, 1, 1}, too_many[] = {SIZE_MAX, 1, 1}, none[] = {0, 0, 0};
    size_t more[] = {1, 1, 1};
    int64_t x[4] = {0}, y[4];

    more[me]++;
    cr_assert_eq(logp_scatterv(vp, x, NULL, NULL, y, 1, me), -EINVAL);
    cr_assert_eq(logp_scatterv(vp, x, too_many, NULL, y, too_many[me], me), -EINVAL);
    cr_assert_eq(logp_scatterv(vp, NULL, one, NULL, y, 1, me), -EINVAL);
    cr_assert_eq(logp_scatterv(vp, x, one, NULL, NULL, 1, me), -EINVAL);
    cr_assert_eq(logp_scatterv(vp, x, one, NULL, y, 2, me), -EINVAL);
    cr_assert_eq(logp_scatterv(vp, x, one, NULL, LOGP_IN_PLACE, 1, other), -EINVAL);
    cr_assert_eq(logp_scatterv(vp, x, one, NULL, y, 1, P), -EINVAL);
    cr_assert_eq(logp_gatherv(vp, x, 1, y, NULL, NULL, me), -EINVAL);
    cr_assert_eq(logp_gatherv(vp, NULL, 1, y, one, NULL, me), -EINVAL);
    cr_assert_eq(logp_gatherv(vp, x, 1, NULL, one, NULL, me), -EINVAL);
    cr_assert_eq(logp_gatherv(vp, x, 2, y, one, NULL, me), -EINVAL);
    cr_assert_eq(logp_gatherv(vp, LOGP_IN_PLACE, 1, y, one, NULL, other), -EINVAL);
    cr_assert_eq(logp_gatherv(vp, x, 1, y, one, NULL, -1), -EINVAL);
    cr_assert_eq(logp_allgatherv(vp, x, 2, y, one, NULL), -EINVAL);
    cr_assert_eq(logp_allgatherv(vp, x, 1, y, NULL, NULL), -EINVAL);
    cr_assert_eq(logp_allgatherv(vp, NULL, 1, y, one, NULL), -EINVAL);
    cr_assert_eq(logp_allgatherv(vp, x, 1, NULL, one, NULL), -EINVAL);
    cr_assert_eq(logp_alltoallv(vp, x, NULL, NULL, y, one, NULL), -EINVAL);
    cr_assert_eq(logp_alltoallv(vp, x, one, NULL, y, NULL, NULL), -EINVAL);
    cr_assert_eq(logp_alltoallv(vp, x, one, NULL, y, more, NULL), -EINVAL);
    cr_assert_eq(logp_alltoallv(vp, NULL, one, NULL, y, one, NULL), -EINVAL);
    cr_assert_eq(logp_alltoallv(vp, x, one, NULL, NULL, one, NULL), -EINVAL);
    cr_assert_eq(logp_reduce_scatterv(vp, x, y, NULL, sum), -EINVAL);
    cr_assert_eq(logp_reduce_scatterv(vp, x, y, one, NULL), -EINVAL);
    cr_assert_eq(logp_reduce_scatterv(vp, NULL, y, one, sum), -EINVAL);
    cr_assert_eq(logp_reduce_scatterv(vp, x, NULL, one, sum), -EINVAL);
    return logp_allgatherv(vp, NULL, 0, NULL, none, NULL);
}

Test(vector_variants, what_does_not_fit_is_said)
{
    test_run(test_machine(3, LOGP_CLOCK_WALL, NULL), refused, NULL);
}
