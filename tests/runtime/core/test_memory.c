/* SPDX-License-Identifier: MIT */
/*
 * The host has no memory: whatever the library asks it for is refused once, each request in its
 * turn. It says so, or does without; nothing is lost, and afterwards all goes well.
 */
#define _GNU_SOURCE
#include "memory_jobs.h"

/* On both clocks, with delays and without. */
static void live_everywhere(struct job j)
{
    for (int i = 0; i < 4; i++) {
        char what[128];

        j.clock = i & 1 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL;
        j.model = i & 2 ? "loggp" : "none";
        snprintf(what, sizeof(what), "%s, clock %d, %s", j.name, (int)j.clock, j.model);
        without_each(what, live, &j);
    }
}

/* A test of one program, which is the body that follows: on P processors and so many cores. */
#define LIVES(name, how_many, on_cores)                                                            \
    static int name##_program(struct logp_vp *vp, void *arg);                                      \
    Test(memory, name, .timeout = 100)                                                             \
    {                                                                                              \
        live_everywhere(                                                                           \
            (struct job){#name, how_many, .n_cores = on_cores, .program = name##_program});        \
    }                                                                                              \
    static int name##_program(struct logp_vp *vp, void *arg)

/* ---- programs: 0, an error of the library, or -EPROTO: not what was sent ---- */

enum { MOST_BYTES = 100000 };

static const size_t sizes[] = {0, 8, 40, 1000, MOST_BYTES};

/* What a message consists of. */
static unsigned char byte(int src, int tag)
{
    return (unsigned char)(src * 31 + tag * 7 + 1);
}

static int send_one(struct logp_vp *vp, int dst, int tag, size_t n)
{
    unsigned char *buf = malloc(n + 1);
    int rc;

    memset(buf, byte(logp_vp_rank(vp), tag), n);
    rc = logp_send(vp, dst, tag, buf, n);
    free(buf);
    return rc;
}

static int check(const unsigned char *buf, size_t n, const struct logp_status *s)
{
    if (s->n_bytes != n)
        return -EPROTO;
    if (n > 0 && (buf[0] != byte(s->source, s->tag) || memcmp(buf, buf + 1, n - 1) != 0))
        return -EPROTO;
    return 0;
}

static int receive(struct logp_vp *vp, int src, int tag, size_t n)
{
    unsigned char *buf = malloc(n + 1);
    struct logp_status s;
    int rc = logp_recv(vp, src, tag, buf, n, &s);

    if (rc == 0)
        rc = check(buf, n, &s);
    free(buf);
    return rc;
}

/* A receive that may end before its message comes, which is then received again. */
LIVES(receives_that_end, 2, 1)
{
    unsigned char buf[1000];
    struct logp_status s;
    int rc = 0;

    for (int i = 0; rc == 0 && i < 4; i++) {
        if (logp_vp_rank(vp) == 0) {
            rc = send_one(vp, 1, i, sizeof(buf));
            continue;
        }
        rc = logp_recv_until(vp, i % 2 == 0 ? 0 : LOGP_ANY_SOURCE, i, buf, sizeof(buf),
                             logp_now(vp) + 100, &s);
        if (rc == -ETIME)
            rc = receive(vp, 0, i, sizeof(buf));
        else if (rc == 0)
            rc = check(buf, sizeof(buf), &s);
    }
    return rc;
}

/* Everyone to the next, every size, twice: behind posted receives, and ahead of them. */
static int all_sizes(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const int n = sizeof(sizes) / sizeof(sizes[0]), to = (me + 1) % P, from = (me + P - 1) % P;
    unsigned char *buf = malloc(MOST_BYTES);
    int rc = 0;

    for (int i = 0; rc == 0 && i < n; i++) {
        struct logp_request *r = NULL;
        struct logp_status s;

        rc = logp_irecv(vp, from, i, buf, MOST_BYTES, &r);
        if (rc == 0)
            rc = send_one(vp, to, i, sizes[i]);
        if (rc == 0)
            rc = logp_wait(vp, r, &s);
        else if (r != NULL && logp_cancel(vp, r) == -EINPROGRESS) /* buf is the runtime's */
            logp_wait(vp, r, NULL);
        if (rc == 0)
            rc = check(buf, sizes[i], &s);
    }
    for (int i = 0; rc == 0 && i < n; i++)
        rc = send_one(vp, to, n + i, sizes[i]);
    for (int i = 0; rc == 0 && i < n; i++)
        rc = receive(vp, from, n + i, sizes[i]);
    free(buf);
    return rc;
}

/* Rank 0 hears from all the others, in whatever order they come. */
LIVES(messages_from_any_source, 3, 2)
{
    const int n = sizeof(sizes) / sizeof(sizes[0]);

    for (int i = 0; i < n; i++) {
        if (logp_vp_rank(vp) > 0)
            TRY(send_one(vp, 0, i, sizes[i]));
        for (int k = 1; logp_vp_rank(vp) == 0 && k < logp_vp_size(vp); k++)
            TRY(receive(vp, LOGP_ANY_SOURCE, i, sizes[i]));
    }
    return 0;
}

/* So many that they are looked up by an index, which grows; without it they are found as well. */
static int many_pending(struct logp_vp *vp, void *arg)
{
    enum { N = 150 };
    const int me = logp_vp_rank(vp);

    for (int tag = 0; tag < N; tag++) {
        TRY(send_one(vp, me, tag, 8));
        if (tag == N / 3) /* beyond what is looked through: makes the index */
            TRY(receive(vp, me, N / 3, 8));
    }
    for (int tag = N - 1; tag >= 0; tag--)
        if (tag != N / 3)
            TRY(receive(vp, me, tag, 8));
    return 0;
}

/* Everyone to the next of a group. */
static int pass_on(struct logp_vp *group)
{
    const int P = logp_vp_size(group), me = logp_vp_rank(group);
    const int rc = send_one(group, (me + 1) % P, 3, 40);

    return rc != 0 ? rc : receive(group, (me + P - 1) % P, 3, 40);
}

/* In a group of all, and in one of the odd and one of the even ranks. */
LIVES(views_of_all_and_of_some, 4, 1)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_vp *all, *some = NULL;
    int members[8], n = 0;
    int rc = logp_group_create(vp, 7, NULL, 0, &all);

    if (rc != 0)
        return rc;
    for (int i = me % 2; i < P; i += 2)
        members[n++] = i;
    rc = logp_group_create(vp, 8, members, n, &some);
    if (rc == 0)
        rc = pass_on(all);
    if (rc == 0)
        rc = pass_on(some);
    if (rc == 0)
        rc = logp_barrier(some);
    logp_group_destroy(all);
    logp_group_destroy(some);
    return rc;
}

static int reduce_all(struct logp_vp *vp)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), root = P - 1;
    int64_t mine[3] = {me, 10 * me, 1}, sum[3] = {0};
    int rc = logp_reduce(vp, mine, sum, 3, logp_op_find("sum", "int64"), root);

    if (rc == 0 && me == root &&
        (sum[0] != P * (P - 1) / 2 || sum[1] != 10 * sum[0] || sum[2] != P))
        rc = -EPROTO;
    return rc;
}

/* Each a piece of P x P elements of a byte for everyone. */
static int exchange_all(struct logp_vp *vp)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    unsigned char out[8], in[8] = {0};

    for (int i = 0; i < P; i++)
        out[i] = byte(me, i);
    TRY(logp_alltoall(vp, out, in, 1));
    for (int i = 0; i < P; i++)
        TRY(in[i] == byte(i, me) ? 0 : -EPROTO);
    memset(in, 0, sizeof(in));
    TRY(logp_transpose(vp, out, in, P, P, 1));
    for (int i = 0; i < P; i++)
        TRY(in[i] == byte(i, me) ? 0 : -EPROTO);
    return 0;
}

LIVES(collectives_of_a_program, 4, 1)
{
    unsigned char item[40] = {0};

    for (size_t i = 0; logp_vp_rank(vp) == 1 && i < sizeof(item); i++)
        item[i] = byte(1, (int)i);
    TRY(logp_broadcast(vp, item, sizeof(item), 1));
    for (size_t i = 0; i < sizeof(item); i++)
        TRY(item[i] == byte(1, (int)i) ? 0 : -EPROTO);
    TRY(logp_barrier(vp));
    TRY(reduce_all(vp));
    return exchange_all(vp);
}

/* Groups that agree on a context, and in one of them blocks of different sizes, in place. */
LIVES(groups_that_agree_and_unlike_blocks, 4, 1)
{
    const int me = logp_vp_rank(vp);
    const size_t counts[] = {1, 2}, item = counts[me / 2];
    int64_t vector[] = {me, 1, 10 * me};
    unsigned char all[3] = {0};
    struct logp_vp *half = NULL, *pair = NULL;
    int rc = logp_group_split(vp, me % 2, 0, &half);

    if (rc == 0)
        rc = logp_group_from(half, (int[]){1, 0}, 2, &pair);
    memset(all + (me / 2), me, item);
    if (rc == 0)
        rc = logp_allgatherv(half, LOGP_IN_PLACE, 0, all, counts, NULL);
    if (rc == 0 && (all[0] != me % 2 || all[1] != me % 2 + 2 || all[2] != all[1]))
        rc = -EPROTO;
    if (rc == 0)
        rc = logp_alltoallv(pair, (unsigned char[]){1, 2}, (size_t[]){1, 1}, NULL, all,
                            (size_t[]){1, 1}, NULL);
    if (rc == 0)
        rc = logp_scatterv(pair, all, (size_t[]){1, 1}, NULL, all + 2, 1, 1);
    if (rc == 0)
        rc = logp_gatherv(pair, all + 2, 1, all, (size_t[]){1, 1}, NULL, 0);
    if (rc == 0)
        rc =
            logp_reduce_scatterv(half, LOGP_IN_PLACE, vector, counts, logp_op_find("sum", "int64"));
    if (rc == 0 && vector[0] != (me < 2 ? 2 * (me % 2) + 2 : 2))
        rc = -EPROTO;
    if (rc == 0)
        rc = logp_allreduce(half, LOGP_IN_PLACE, vector, 1, logp_op_find("sum", "int64"));
    logp_group_destroy(half);
    logp_group_destroy(pair);
    return rc;
}

/* What fails leaves the others behind: their buffers stay. */
LIVES(collectives_that_are_started, 4, 2)
{
    static int64_t numbers[8], sums[8];
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *p[6];
    int rc = 0;

    numbers[me] = me;
    sums[me] = -1;
    for (int i = 0; rc == 0 && i < 5; i++)
        rc = logp_ibarrier(vp, &p[i]);
    if (rc == 0)
        rc = logp_iallreduce(vp, &numbers[me], &sums[me], 1, sum, &p[5]);
    if (rc == 0)
        rc = reduce_all(vp);
    if (rc == 0)
        rc = logp_waitall(vp, p, 6, NULL);
    return rc != 0 || sums[me] == P * (P - 1) / 2 ? rc : -EPROTO;
}

/* No request has been made before: the first one takes memory, when the plan is made already. */
LIVES(a_collective_that_is_started_first, 2, 1)
{
    static int64_t numbers[2], sums[2];
    const int me = logp_vp_rank(vp);
    struct logp_request *request;
    int rc;

    numbers[me] = me + 1;
    rc = logp_iallreduce(vp, &numbers[me], &sums[me], 1, logp_op_find("sum", "int64"), &request);
    if (rc == 0)
        rc = logp_wait(vp, request, NULL);
    return rc != 0 || sums[me] == 3 ? rc : -EPROTO;
}

/* The model is replaced meanwhile. */
static int in_parts(struct logp_vp *vp, void *arg)
{
    const struct job *j = arg;
    struct logp_params now;
    int rc = 0;

    for (int i = 0; rc == 0 && i < 3; i++) {
        rc = logp_compute(vp, 5000, NULL, NULL);
        if (rc == 0 && j->replaced_inside && logp_vp_rank(vp) == 0)
            rc = replace(logp_vp_machine(vp), j, 0);
        if (rc == 0)
            rc = exchange_all(vp);
    }
    if (rc == 0)
        rc = logp_vp_params(vp, &now);
    return rc != 0 || now.L_ns == replaced_L_ns ? rc : -EPROTO;
}

/* ---- traces ---- */

/* More events than there is memory ahead for, with labels and marks. */
static int much_to_record(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);

    for (int i = 0; i < 300; i++) {
        logp_label(vp, logp_label_of(vp, "round", i % 2 == 0 ? "even" : "odd"));
        TRY(logp_mark(vp, "round"));
        TRY(logp_send(vp, (me + 1) % P, 0, NULL, 0));
        TRY(logp_recv(vp, (me + P - 1) % P, 0, NULL, 0, NULL));
    }
    return 0;
}

/* An event is recorded, or counted as one that was not. */
static int take(struct logp_machine *m)
{
    struct logp_trace *t;
    int rc = logp_machine_take_trace(m, &t);

    if (rc == -ENOMEM) { /* nothing is lost */
        cr_assert_eq(logp_machine_take_trace(m, &t), 0);
        cr_assert_gt(logp_trace_info(t)->n_events, 0);
    }
    cr_assert_geq(logp_trace_info(t)->n_events + logp_trace_info(t)->dropped, 2 * 300 * 3);
    logp_trace_free(t);
    return rc;
}

static int traced(void *arg)
{
    const struct logp_trace_config on = {.size = sizeof(on), .events_ahead = 1};
    struct job *j = arg;
    struct logp_machine *m;
    int rc = create(j, &m);

    if (rc != 0)
        return rc;
    rc = logp_machine_trace(m, &on);
    if (rc == -ENOMEM)
        cr_assert_eq(logp_machine_take_trace(m, &(struct logp_trace *){NULL}), -EINVAL);
    if (rc == 0)
        rc = run(m, j);
    if (rc == 0)
        rc = take(m);
    cr_assert_eq(logp_machine_destroy(m), 0);
    return rc;
}

Test(memory, what_is_recorded_or_dropped_and_counted, .timeout = 100)
{
    struct job j = {"traced", 2, LOGP_CLOCK_VIRTUAL, "loggp", .program = much_to_record};

    without_each("traced, virtual", traced, &j);
    j.clock = LOGP_CLOCK_WALL;
    without_each("traced, wall", traced, &j);
}

Test(memory, messages_of_all_sizes, .timeout = 100)
{
    live_everywhere((struct job){.name = "all sizes", .P = 3, .n_cores = 2, .program = all_sizes});
}

/* To itself, longer than any of the usual sizes; from the second on no memory is asked for. */
TestProgram(memory, the_longest_messages_are_recycled,
            test_run(test_machine(1, LOGP_CLOCK_WALL, NULL), program, NULL))
{
    enum { HUGE = 20 << 20, ASKED = 1000 };
    unsigned char *buf = malloc(HUGE);

    memset(buf, 1, HUGE);
    for (int i = 0; i < 6; i++) {
        OK(logp_send(vp, 0, 0, buf, (size_t)(HUGE - i * 4096)));
        OK(logp_recv(vp, 0, 0, buf, HUGE, NULL));
        if (i == 0)
            refuse(ASKED);
    }
    cr_assert_eq(atomic_load(&until_refusal), ASKED);
    refuse(0);
    free(buf);
    return 0;
}

/* Two and three at a time, of which half of the limit is kept: the one used last. */
TestProgram(memory, of_the_longest_messages_some_are_kept,
            test_run(test_machine_with((struct logp_config){.n_processors = 1,
                                                            .delay = logp_delay_none(),
                                                            .queue_limit = 70 << 20},
                                       NULL),
                     program, NULL))
{
    enum { HUGE = 20 << 20 };
    unsigned char *buf = malloc(HUGE);

    for (int at_once = 2; at_once <= 3; at_once++) {
        for (int i = 0; i < at_once; i++) {
            memset(buf, 10 * at_once + i, HUGE);
            OK(logp_send(vp, 0, i, buf, (size_t)(HUGE - i * 4096)));
        }
        for (int i = 0; i < at_once; i++) {
            OK(logp_recv(vp, 0, i, buf, HUGE, NULL));
            cr_assert_eq(buf[HUGE - 10 * 4096], 10 * at_once + i);
        }
    }
    free(buf);
    return 0;
}

Test(memory, many_pending_messages_are_found_without_an_index, .timeout = 100)
{
    live_everywhere((struct job){.name = "many pending", .P = 2, .program = many_pending});
}

Test(memory, a_limited_capacity, .timeout = 100)
{
    struct job j = {.name = "capacity", .P = 3, .model = "loggp", .capacity = 2};

    j.program = all_sizes;
    without_each("capacity, wall", live, &j);
    j.clock = LOGP_CLOCK_VIRTUAL;
    without_each("capacity, virtual", live, &j);
    j.capacity = 20;
    j.program = many_pending;
    without_each("a large capacity", live, &j);
}

Test(memory, a_core_that_was_asked_for, .timeout = 100)
{
    cpu_set_t allowed;
    int core = 0;
    struct job j = {.name = "given", .P = 2, .model = "none", .program = all_sizes, .cores = &core};

    cr_assert_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    while (!CPU_ISSET((size_t)core, &allowed))
        core++;
    without_each("given cores", live, &j);
}

Test(memory, as_many_as_a_warmer_helps, .timeout = 100)
{
    struct job j = {.name = "many",
                    .P = 16385,
                    .clock = LOGP_CLOCK_VIRTUAL,
                    .model = "none",
                    .program = test_nothing};

    if (test_shares_stack())
        without_each("16385 processors", live, &j);
}

Test(memory, a_model_is_replaced_or_stays, .timeout = 100)
{
    struct job j = {.name = "replaced", .P = 3, .model = "loggp", .program = in_parts};

    j.replaced_inside = true;
    without_each("replaced inside, wall", live, &j);
    j.clock = LOGP_CLOCK_VIRTUAL;
    without_each("replaced inside, virtual", live, &j);
    j.replaced_inside = false;
    j.replace_at = 7000;
    without_each("replaced at a time", live, &j);
}

/* Rank 0 has ten of them pending at once, and then four. */
static int many_large(struct logp_vp *vp, void *arg)
{
    static unsigned char large[(8 << 20) + 1];

    if (logp_vp_rank(vp) > 0)
        return 0;
    for (int i = 0; i < *(const int *)arg; i++)
        OK(logp_send(vp, 0, i, large, sizeof(large)));
    for (int i = 0; i < *(const int *)arg; i++)
        OK(logp_recv(vp, 0, i, large, sizeof(large), NULL));
    return 0;
}

/* Of each size up to 64 MiB; a message of 8 MiB and a byte takes 16. */
Test(memory, of_large_messages_some_are_kept_for_the_next)
{
    const struct job j = {.P = 1, .clock = LOGP_CLOCK_VIRTUAL, .model = "none"};
    struct logp_machine *m;

    cr_assert_eq(create(&j, &m), 0);
    cr_assert_eq(logp_machine_run(m, many_large, &(int){1}, run_timeout_ns), 0);
    refuse(0);
    n_held = 0;
    cr_assert_eq(logp_machine_run(m, many_large, &(int){10}, run_timeout_ns), 0);
    cr_expect_eq(n_held, 4 - 1, "beside the one there was");
    refuse(1);
    cr_expect_eq(logp_machine_run(m, many_large, &(int){4}, run_timeout_ns), 0);
    cr_expect_eq(atomic_load(&until_refusal), 1, "nothing was asked for");
    refuse(0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}
