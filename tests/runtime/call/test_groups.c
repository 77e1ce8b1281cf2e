/* SPDX-License-Identifier: MIT */
/* Groups that agree on a context: who is in them, and that none hears of another. */
#include "support.h"

enum { MOST_P = 33, MOST_LEVELS = 4, ROUNDS = 6 };

/* What a rank of the machine wishes at a level: anybody can work it out. */
struct wish {
    int colour, key;
};

static struct wish wish_of(uint64_t seed, int level, int rank)
{
    uint64_t random = (seed * 1000 + (uint64_t)(level * 100 + rank)) * UINT64_C(0x9e3779b97f4a7c15);

    for (int i = 0; i < 4; i++)
        test_random(&random);
    return (struct wish){(int)test_below(&random, 4) - 1, (int)test_below(&random, 5) - 2};
}

/* A group, and the ranks of the machine that must be in it, in their order. */
struct known {
    struct logp_vp *group;
    int n, ranks[MOST_P];
};

/* Of `from`, those that wish for this colour: one after the other the least that is left. */
static void choose(const struct known *from, uint64_t seed, int level, int colour,
                   struct known *out)
{
    bool taken[MOST_P] = {false};

    for (out->n = 0;; out->n++) {
        int least = -1;

        for (int i = 0; i < from->n; i++) {
            const struct wish w = wish_of(seed, level, from->ranks[i]);

            if (!taken[i] && w.colour == colour &&
                (least < 0 || w.key < wish_of(seed, level, from->ranks[least]).key))
                least = i;
        }
        if (least < 0)
            return;
        taken[least] = true;
        out->ranks[out->n] = from->ranks[least];
    }
}

static void check_members(struct logp_vp *vp, const struct known *k)
{
    int to[MOST_P], back[MOST_P], all[MOST_P];

    cr_assert_eq(logp_vp_size(k->group), k->n);
    cr_assert_eq(k->ranks[logp_vp_rank(k->group)], logp_vp_rank(vp));
    for (int i = 0; i < logp_vp_size(vp); i++)
        all[i] = i;
    cr_assert_eq(logp_group_translate(k->group, k->n, all, NULL, to), 0);
    cr_assert(memcmp(to, k->ranks, (size_t)k->n * sizeof(int)) == 0);
    cr_assert_eq(logp_group_translate(vp, logp_vp_size(vp), all, k->group, back), 0);
    for (int i = 0, in = 0; i < logp_vp_size(vp); i++) {
        in += back[i] >= 0;
        cr_assert(back[i] < 0 || k->ranks[back[i]] == i);
        cr_assert(i + 1 < logp_vp_size(vp) || in == k->n);
    }
}

/* Collectives whose results say who took part, and in which order. */
static int work_in(struct logp_vp *vp, const struct known *k, int salt)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int me = logp_vp_rank(k->group), root = salt % k->n;
    int64_t mine = logp_vp_rank(vp) * 1000 + salt, total = -1, expected = 0;
    int64_t item = me == root ? mine : -1, all[MOST_P];

    OK(logp_allreduce(k->group, &mine, &total, 1, sum));
    for (int i = 0; i < k->n; i++)
        expected += k->ranks[i] * 1000 + salt;
    cr_assert(total == expected);
    OK(logp_broadcast(k->group, &item, sizeof(item), root));
    cr_assert(item == k->ranks[root] * 1000 + salt);
    OK(logp_allgather(k->group, &mine, all, sizeof(mine)));
    for (int i = 0; i < k->n; i++)
        cr_assert_eq(all[i], k->ranks[i] * 1000 + salt);
    OK(logp_scan(k->group, &mine, &total, 1, sum));
    for (int i = 0; i <= me; i++)
        total -= k->ranks[i] * 1000 + salt;
    cr_assert(total == 0);
    return 0;
}

/* Split again and again; on the way back work in all the groups that one is in, as often as each
 * likes: so different groups are at work at once. */
static int nest(struct logp_vp *vp, const struct known *from, uint64_t seed, int level)
{
    const struct wish w = wish_of(seed, level, logp_vp_rank(vp));
    struct known in = {.n = 0};

    OK(logp_group_split(from->group, w.colour, w.key, &in.group));
    cr_assert((in.group == NULL) == (w.colour == LOGP_NO_COLOUR));
    if (in.group != NULL) {
        choose(from, seed, level, w.colour, &in);
        check_members(vp, &in);
        for (int i = 0; i <= (w.colour + level) % 3; i++)
            OK(work_in(vp, &in, i));
        if (level < MOST_LEVELS)
            OK(nest(vp, &in, seed, level + 1));
        for (int i = 0; i < w.colour; i++)
            OK(work_in(vp, &in, 100 * level + i));
    }
    OK(work_in(vp, from, level));
    logp_group_destroy(in.group);
    return 0;
}

static int nested(struct logp_vp *vp, void *arg)
{
    struct known all = {.group = vp, .n = logp_vp_size(vp)};

    for (int i = 0; i < all.n; i++)
        all.ranks[i] = i;
    return nest(vp, &all, *(const uint64_t *)arg, 0);
}

Test(groups, splits_of_splits_have_who_wished_for_them)
{
    for (int P = 1; P <= MOST_P; P++)
        for (uint64_t seed = 1; seed <= (uint64_t)(6 / test_divisor() + 1); seed++)
            test_run_all(P, &test_bytes, nested, &seed);
}

/* ---- lists ---- */

/* Members first, first + 1, ... in the other direction, of those there are. */
static struct known window(int P, int first, int n)
{
    struct known k = {.n = n};

    for (int i = 0; i < n; i++)
        k.ranks[i] = (first + n - 1 - i) % P;
    return k;
}

/* Groups that overlap, each with those next to it: all are made in the order of who is first, and
 * worked in in that order. */
TestProgram(groups, lists_may_overlap,
            for (int P = 1; P <= MOST_P; P += P < 8 ? 1 : 5)
                test_run_all(P, &test_bytes, program, NULL))
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), n = P < 4 ? P : 4;
    struct known mine[MOST_P];
    int made = 0;

    for (int first = 0; first < P; first++)
        if ((me - first + P) % P < n) {
            mine[made] = window(P, first, n);
            OK(logp_group_from(vp, mine[made].ranks, n, &mine[made].group));
            check_members(vp, &mine[made++]);
        }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < made; i++)
            OK(work_in(vp, &mine[i], round + mine[i].ranks[0]));
    for (int i = 0; i < made; i++)
        logp_group_destroy(mine[i].group);
    return 0;
}

/* Of a group that is a part, in another order. */
TestProgram(groups, a_list_is_of_ranks_of_the_group, test_run_all(7, &test_bytes, program, NULL))
{
    struct known part = window(7, 2, 5), less = {.n = 3, .ranks = {6, 2, 4}};
    const int in_part[] = {0, 4, 2}; /* which are those */
    int translated[3];

    if (logp_vp_rank(vp) < 2)
        return 0;
    OK(logp_group_from(vp, part.ranks, part.n, &part.group));
    if (logp_vp_rank(vp) % 2 == 0) {
        OK(logp_group_from(part.group, in_part, 3, &less.group));
        check_members(vp, &less);
        OK(work_in(vp, &less, 3));
        cr_assert_eq(logp_group_translate(part.group, 3, in_part, less.group, translated), 0);
        cr_assert(translated[0] == 0 && translated[1] == 1 && translated[2] == 2);
        logp_group_destroy(less.group);
    }
    OK(work_in(vp, &part, 4));
    logp_group_destroy(part.group);
    return 0;
}

/* ---- contexts ---- */

/* What is sent through one group is not received through another: the same two, the same tag. */
TestProgram(groups, messages_of_groups_with_the_same_members_are_apart,
            test_run_all(2, &test_bytes, program, NULL))
{
    struct logp_vp *groups[4] = {vp};
    const int all[] = {0, 1}, other = 1 - logp_vp_rank(vp);
    int got = -1;

    OK(logp_group_create(vp, 1 << 30, all, 2, &groups[1]));
    OK(logp_group_dup(groups[1], &groups[2]));
    OK(logp_group_split(groups[2], 0, 0, &groups[3]));
    for (int i = 0; i < 4; i++)
        OK(logp_send(groups[i], other, 0, &i, sizeof(i)));
    for (int i = 3; i >= 0; i--) {
        OK(logp_recv(groups[i], other, 0, &got, sizeof(got), NULL));
        cr_assert(got == i);
    }
    for (int i = 1; i < 4; i++)
        logp_group_destroy(groups[i]);
    return 0;
}

/* Made and left, over and over: a message to one that was left is no message to the next. */
TestProgram(groups, every_group_has_a_context_of_its_own,
            test_run_all(5, &test_bytes, program, NULL))
{
    const int P = logp_vp_size(vp), right = (logp_vp_rank(vp) + 1) % P;
    int got = -1;

    for (int i = 0; i < 50; i++) {
        const uint32_t before = logp_group_context(vp);
        struct logp_vp *group = NULL;

        OK(logp_group_dup(vp, &group));
        cr_assert(logp_group_context(vp) > before);
        cr_assert(before > 1U << 30);
        OK(logp_send(group, right, 0, &i, sizeof(i)));
        OK(logp_recv(group, (right + P - 2) % P, 0, &got, sizeof(got), NULL));
        cr_assert(got == i);
        logp_group_destroy(group);
    }
    return 0;
}

/* Ranks 0 and 1 have had many groups, 2 and 3 none: what they agree on is new to all. */
TestProgram(groups, what_members_agree_on_is_new_to_all,
            test_run_all(4, &test_bytes, program, NULL))
{
    const int me = logp_vp_rank(vp), pair[] = {me / 2 * 2, me / 2 * 2 + 1};
    struct logp_vp *groups[10] = {NULL}, *all = NULL;
    uint32_t context;
    int n = me < 2 ? 10 : 0;

    for (int i = 0; i < n; i++)
        OK(logp_group_from(vp, pair, 2, &groups[i]));
    context = logp_group_context(vp);
    cr_assert(context == (1U << 30) + 1 + (unsigned)n);
    OK(logp_group_dup(vp, &all));
    cr_assert(logp_group_context(vp) == (1U << 30) + 12);
    OK(logp_barrier(all));
    logp_group_destroy(all);
    for (int i = 0; i < n; i++)
        logp_group_destroy(groups[i]);
    return 0;
}

/* The last context there is, and then none. */
TestProgram(groups, contexts_end, test_run_all(3, &test_bytes, program, NULL))
{
    struct logp_vp *group = NULL, *more = NULL;

    OK(logp_group_create(vp, LOGP_CONTEXT_MAX - (logp_vp_rank(vp) == 0), (int[]){0, 1, 2}, 3,
                         &group));
    logp_group_destroy(group);
    cr_assert_eq(logp_group_dup(vp, &more), -ENOSPC);
    cr_assert_eq(logp_group_split(vp, 3, 1, &more), -ENOSPC);
    cr_assert_eq(logp_group_split(vp, LOGP_NO_COLOUR, 1, &more), 0);
    cr_assert_null(more);

    return 0;
}

/* ---- what is refused ---- */

static int refused(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_vp *group = NULL;
    int out[2];

    cr_assert_eq(logp_group_split(vp, -2, 0, &group), -EINVAL);
    cr_assert_eq(logp_group_from(vp, (int[]){(me + 1) % P}, 1, &group), -EINVAL);
    cr_assert_eq(logp_group_from(vp, (int[]){me, me}, 2, &group), -EINVAL);
    cr_assert_eq(logp_group_from(vp, (int[]){me, P}, 2, &group), -EINVAL);
    cr_assert_eq(logp_group_from(vp, (int[]){-1, me}, 2, &group), -EINVAL);
    cr_assert_eq(logp_group_from(vp, (int[]){me}, 0, &group), -EINVAL);
    cr_assert_eq(logp_group_from(vp, (int[]){0, 1, 2, 3, 4}, P + 1, &group), -EINVAL);
    cr_assert_eq(logp_group_translate(vp, 1, (int[]){P}, NULL, out), -EINVAL);
    cr_assert_eq(logp_group_translate(vp, 2, (int[]){0, -1}, vp, out), -EINVAL);
    cr_assert_eq(logp_group_translate(vp, -1, NULL, vp, out), -EINVAL);
    cr_assert_eq(logp_group_create(vp, 0, NULL, 0, &group), -EINVAL);
    cr_assert_eq(logp_group_create(vp, LOGP_CONTEXT_MAX + 1, NULL, 0, &group), -EINVAL);
    return 0;
}

Test(groups, lists_and_colours_that_make_no_sense_are_refused)
{
    test_run_all(4, &test_bytes, refused, NULL);
}
