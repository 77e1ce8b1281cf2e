/* SPDX-License-Identifier: MIT */
/*
 * Many collectives at once, at random: of all kinds, by all algorithms, started from plans and as
 * nonblocking calls, some run in between, on several groups; waited for in an order of each rank's
 * own. Every rank must come to its end with the right result.
 */
#include "calls.h"
#include "task.h"

#include <stdio.h>

enum { MOST_P = 17, MOST_GROUPS = 12, MOST_ITEMS = 24, CASES = 300 };

/* How an item is begun. */
enum how { START, CALL, RUN };

struct item {
    int group;
    enum how how;
    const struct logp_algorithm *row; /* CALL: any of its collective */
    struct logp_invocation c;
};

struct mix {
    uint64_t seed;
    int P, n_groups, n_items;
    struct {
        uint32_t context; /* 0: the vps themselves */
        int n, members[MOST_P];
    } groups[MOST_GROUPS];
    struct item items[MOST_ITEMS];
    struct logp_params params;
};

/* ---- making one ---- */

/* Each rank is in one of up to three groups, which share a context; members in any order. */
static void divide(struct mix *x, uint64_t *random, uint32_t context)
{
    const int first = x->n_groups, n = 1 + (int)test_below(random, 3);

    for (int rank = 0; rank < x->P; rank++) {
        const int g = first + (int)test_below(random, n);
        int *members = x->groups[g].members, at;

        x->groups[g].context = context;
        at = (int)test_below(random, ++x->groups[g].n);
        members[x->groups[g].n - 1] = members[at];
        members[at] = rank;
    }
    x->n_groups += n;
}

static struct logp_invocation some_arguments(uint64_t *random, int P,
                                             const struct logp_params *params)
{
    static const struct {
        const char *op, *type;
    } ops[] = {{"sum", "int64"}, {"max", "double"}, {"sum", "float"}, {"bxor", "uint64"}};
    const int op = (int)test_below(random, 5);

    return (struct logp_invocation){
        .args = {.root = (int)test_below(random, P),
                 .tag = (int)test_below(random, 3),
                 .n_bytes = (size_t)test_below(random, test_below(random, 8) == 0 ? 5000 : 40),
                 .count = test_below(random, test_below(random, 8) == 0 ? 600 : 9),
                 .op = op == 4 ? &maps : logp_op_find(ops[op].op, ops[op].type),
                 .rows = 1 + test_below(random, 2 * P),
                 .cols = 1 + test_below(random, 2 * P)},
        .model.params = *params};
}

static bool can_be_called(const char *collective)
{
    return strcmp(collective, "summation") != 0 && strcmp(collective, "matvec") != 0;
}

/* One that applies. */
static struct item some_item(struct mix *x, uint64_t *random)
{
    struct item item;
    const struct logp_algorithm *const *rows;
    size_t n;
    int P;

    rows = test_rows(&n);
    do {
        item.group = (int)test_below(random, x->n_groups);
        P = x->groups[item.group].n;
        if (P == 0)
            continue;
        item.how = (enum how)test_below(random, 3);
        item.row = rows[test_below(random, (int64_t)n)];
        item.c = some_arguments(random, P, &x->params);
        if (item.c.args.op == NULL)
            item.c.args.op = &maps;
    } while (P == 0 || item.row->steps == NULL || test_needs(item.row, P, &item.c) != NULL ||
             (item.how == CALL && !can_be_called(item.row->collective)));
    return item;
}

static void make(struct mix *x, uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    *x = (struct mix){.seed = seed, .P = 1 + (int)test_below(&random, MOST_P), .n_groups = 1};
    x->params = (struct logp_params){.L_ns = test_below(&random, 900),
                                     .o_send_ns = test_below(&random, 300),
                                     .o_recv_ns = test_below(&random, 300),
                                     .g_ns = test_below(&random, 500),
                                     .G_ps = test_below(&random, 300),
                                     .gamma_ps = test_below(&random, 2000)};
    x->params.L_ns += 1; /* a lookahead */
    x->groups[0].n = x->P;
    for (int i = 0; i < x->P; i++)
        x->groups[0].members[i] = i;
    for (uint32_t context = 1 + (uint32_t)test_below(&random, 2); context < 4; context++)
        divide(x, &random, context);
    x->n_items = 1 + (int)test_below(&random, MOST_ITEMS);
    for (int i = 0; i < x->n_items; i++)
        x->items[i] = some_item(x, &random);
}

/* ---- running it ---- */

/* What a rank has begun. */
struct begun {
    const struct mix *x;
    struct logp_vp *groups[MOST_GROUPS]; /* NULL: it is not in it */
    int n;
    struct task tasks[MOST_ITEMS]; /* in the order of items ... */
    struct logp_request *pendings[MOST_ITEMS];
    int which[MOST_ITEMS]; /* ... which they are */
    uint64_t random;
};

/* Task i is through. */
static void finish(struct begun *b, int i)
{
    const int item = b->which[i];
    const struct logp_vp *vp = b->groups[b->x->items[item].group];
    const bool right = test_is_right(&b->tasks[i], logp_vp_size(vp), logp_vp_rank(vp),
                                     b->x->seed + (uint64_t)item);

    if (!right)
        fprintf(stderr, "LOGP_TEST_SEED=%lu: item %d, %s %s, rank %d of %d is wrong\n",
                (unsigned long)b->x->seed, item, b->tasks[i].collective->name,
                b->x->items[item].row->name, logp_vp_rank(vp), logp_vp_size(vp));
    cr_assert(right);
    test_put_away(&b->tasks[i]);
    b->pendings[i] = NULL;
}

/* Wait or test for one of those that are under way, or for any of them. */
static int attend(struct logp_vp *vp, struct begun *b)
{
    int i = (int)test_below(&b->random, b->n), rc;
    struct logp_request *p = b->pendings[i];
    bool done = true;

    switch (test_below(&b->random, 4)) {
    case 0:
        rc = logp_waitany(vp, b->pendings, b->n, &i, NULL);
        done = i >= 0;
        break;
    case 1:
        rc = logp_wait(vp, p, NULL);
        done = p != NULL;
        break;
    default:
        rc = logp_test(vp, p, &done, NULL);
        done = done && p != NULL;
    }
    if (done && rc == 0)
        finish(b, i);
    return rc;
}

/* Begin the next item; to the group itself, or to any view of the vp. */
static int begin(struct begun *b, int item)
{
    const struct item *x = &b->x->items[item];
    struct logp_vp *vp = b->groups[x->group];
    struct task *t = &b->tasks[b->n];
    int rc;

    test_prepare(t, x->row, logp_vp_size(vp), logp_vp_rank(vp), b->x->seed + (uint64_t)item, &x->c);
    b->which[b->n] = item;
    b->pendings[b->n] = NULL;
    if (x->how == START)
        rc = logp_plan_start(vp, t->plan, t->buf, t->recv_buf, &b->pendings[b->n++]);
    else if (x->how == CALL)
        rc = test_call(vp, t->collective->name, &t->c.args, t->buf, t->recv_buf,
                       &b->pendings[b->n++]);
    else
        rc = logp_plan_run(vp, t->plan, t->buf, t->recv_buf);
    if (rc == 0 && x->how == RUN)
        finish(b, b->n);
    return rc;
}

static bool all_through(const struct begun *b)
{
    for (int i = 0; i < b->n; i++)
        if (b->pendings[i] != NULL)
            return false;
    return true;
}

static int run(struct logp_vp *vp, void *arg)
{
    const struct mix *x = arg;
    const int me = logp_vp_rank(vp);
    struct begun *b = calloc(1, sizeof(*b)); /* is too large for a small stack */
    int rc = 0;

    b->x = x;
    b->random = (x->seed * 100 + (uint64_t)me) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int g = 0; g < x->n_groups; g++)
        for (int i = 0; i < x->groups[g].n; i++)
            if (x->groups[g].members[i] == me && x->groups[g].context == 0)
                b->groups[g] = vp;
            else if (x->groups[g].members[i] == me)
                cr_assert_eq(logp_group_create(vp, x->groups[g].context, x->groups[g].members,
                                               x->groups[g].n, &b->groups[g]),
                             0);
    for (int i = 0; rc == 0 && i < x->n_items; i++) {
        if (b->groups[x->items[i].group] != NULL)
            rc = begin(b, i);
        if (rc == 0 && test_below(&b->random, 3) == 0)
            rc = logp_compute(vp, test_below(&b->random, 3000), NULL, NULL);
        while (rc == 0 && b->n > 0 && test_below(&b->random, 2) == 0)
            rc = attend(vp, b);
    }
    while (rc == 0 && !all_through(b))
        rc = attend(vp, b);
    for (int g = 0; g < x->n_groups; g++)
        if (b->groups[g] != vp)
            logp_group_destroy(b->groups[g]);
    free(b);
    return rc;
}

static void run_with(const struct mix *x, enum logp_clock clock, const struct logp_params *params)
{
    TEST_MACHINE m = test_machine(x->P, clock, params);
    const int rc = logp_machine_run(m, run, (void *)x, test_timeout_ns);

    if (rc != 0 || logp_machine_report(m)->unreceived > 0)
        fprintf(stderr, "LOGP_TEST_SEED=%lu: %d, %lu messages are left\n", (unsigned long)x->seed,
                rc, (unsigned long)logp_machine_report(m)->unreceived);
    cr_assert_eq(rc, 0);
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
}

Test(pending, many_at_once_all_come_to_the_right_end)
{
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : CASES / (uint64_t)test_divisor();
    static struct mix x;

    for (uint64_t seed = first; seed <= last; seed++) {
        make(&x, seed);
        run_with(&x, LOGP_CLOCK_VIRTUAL, &x.params);
        run_with(&x, LOGP_CLOCK_WALL, NULL);
        if (seed % 4 == 0 && !test_parallel())
            run_with(&x, LOGP_CLOCK_VIRTUAL, NULL);
        if (seed % 4 == 1)
            run_with(&x, LOGP_CLOCK_WALL, &x.params);
    }
}
