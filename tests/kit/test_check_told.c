/* SPDX-License-Identifier: MIT */
/* The test kit: what a report says of choices, payloads, tags, histories and threads. */
#include "kit.h"

#include <logp/history.h>

#include <pthread.h>

/* ---- names ---- */

static const char *const lengths[] = {"short", "long"};

static int chooses(struct logp_vp *vp, void *arg)
{
    const int i = logp_choose_named(vp, 2, "timeout", lengths),
              n = logp_choose_named(vp, 9, "n", NULL);

    (void)arg;
    return i < 0 ? i : LOGP_CHECK(vp, i == 0 || n != 3);
}

Test(check_told, choices_have_names)
{
    struct logp_check check = check_of(1, LOGP_STRATEGY_EXHAUSTIVE, 0);
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(chooses, NULL, &check, &f), -EPROTO);
    SAYS(f.text, "rank 0 chooses timeout: long (default: rank 0 chooses timeout: short)");
    SAYS(f.text, "rank 0 chooses n: 3 (default: rank 0 chooses n: 0)");
    SAYS(f.text, "chose timeout: long\n");
}

struct vote {
    int term, of;
};

static int votes(struct logp_vp *vp, void *arg)
{
    struct vote v = {3, logp_vp_rank(vp)};
    int first = 0, rc = 0;

    (void)arg;
    if (v.of > 0)
        return logp_send(vp, 0, 1, &v, sizeof(v));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 1, &v, sizeof(v), NULL);
        first = i == 1 ? v.of : first;
    }
    return rc != 0 ? rc : LOGP_CHECK_NE(vp, first, 2);
}

static void describe(void *arg, int tag, const void *data, size_t n_bytes, char *text, size_t size)
{
    const struct vote *v = data;

    (void)arg;
    if (tag == 1 && n_bytes == sizeof(*v))
        snprintf(text, size, "vote of %d, term %d", v->of, v->term);
}

static const char *const tags[] = {NULL, "vote"};

static struct logp_check voting(int P)
{
    struct logp_check check = check_of(P, LOGP_STRATEGY_RANDOM, 100);

    check.tag_names = tags;
    check.n_tag_names = 2;
    check.describe = describe;
    return check;
}

Test(check_told, payloads_and_tags_are_described)
{
    struct logp_check check = voting(3);
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(votes, NULL, &check, &f), -EPROTO);
    SAYS(f.text, "send to rank 0, tag 1 (vote), 8 bytes (vote of 2, term 3)\n");
    SAYS(f.text, "receive of rank 2, tag 1 (vote), 8 bytes (vote of 2, term 3), sent in step ");
}

Test(check_told, payloads_of_timed_runs_are_described)
{
    struct logp_check check = voting(3);
    TEST_FAILURE f = {.text = NULL};

    check.network = LOGP_NETWORK(.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000);
    cr_assert_eq(logp_check(votes, NULL, &check, &f), -EPROTO, "%s", check.checked.text);
    SAYS(f.text, "send to rank 0, tag 1 (vote), 8 bytes (vote of 1, term 3)\n");
}

static void describe_oddly(void *arg, int tag, const void *data, size_t n_bytes, char *text,
                           size_t size)
{
    (void)arg;
    (void)tag;
    (void)data;
    (void)n_bytes;
    snprintf(text, size, "a\nb\x1b[2J");
}

Test(check_told, control_characters_of_payloads_are_shown)
{
    struct logp_check check = voting(3);
    TEST_FAILURE f = {.text = NULL};

    check.describe = describe_oddly;
    cr_assert_eq(logp_check(votes, NULL, &check, &f), -EPROTO);
    SAYS(f.text, "send to rank 0, tag 1 (vote), 8 bytes (a\\nb\\x1b[2J)\n");
}

static int leaves(struct logp_vp *vp, void *arg)
{
    const struct vote v = {4, 1};

    (void)arg;
    return logp_vp_rank(vp) == 1 ? logp_send(vp, 0, 1, &v, sizeof(v)) : 0;
}

Test(check_told, messages_that_are_left_are_described)
{
    struct logp_check check = voting(2);

    finds(leaves, NULL, &check, -EBADMSG, LOGP_FAILURE_LEFT_OVER,
          "from rank 1 to rank 0, tag 1 (vote), 8 bytes (vote of 1, term 4), sent in step 1\n");
}

/* ---- histories ---- */

static struct logp_history *history;

static int reset(int P, void *arg)
{
    (void)P;
    (void)arg;
    logp_history_reset(history);
    return 0;
}

/* Rank 1 reads 5, which nobody writes before it reads 0 again. */
static int stale_read(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int id, rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < 2; i++) {
        id = logp_history_invoke(history, vp, me, me == 0 ? LOGP_HISTORY_WRITE : LOGP_HISTORY_READ,
                                 0, me == 0 ? 5 : 0);
        rc = id < 0 ? id : logp_history_return(history, vp, id, me == 1 && i == 0 ? 5 : 0);
    }
    return rc != 0 ? rc : LOGP_CHECK_LINEARIZABLE(vp, history, logp_model_find("register"));
}

Test(check_told, a_history_that_no_order_explains_is_shown)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 100);
    TEST_FAILURE f = {.text = NULL};
    const char *line;

    cr_assert_eq(logp_history_create(&history), 0);
    check.before = reset;
    cr_assert_eq(logp_check(stale_read, NULL, &check, &f), -EPROTO, "%s", check.checked.text);
    SAYS(f.text, "the history (register), in the order of events:\n");
    line = strstr(f.text, "  client 1   read: ");
    cr_assert(line != NULL && strchr(line, '|') != NULL, "%s", f.text);
    SAYS(f.text, "<- no order explains it\n");
    logp_history_destroy(history);
}

/* ---- liveness ---- */

static int may_arrive(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;
    bool found;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    while (rc == 0 && arg != NULL)
        rc = logp_probe(vp, 1, 9, &found, NULL);
    if (rc == 0)
        rc = logp_recv_until(vp, 1, 0, &x, sizeof(x), logp_now(vp) + 1000, NULL);
    if (rc == 0)
        LOGP_REACHED(vp, "arrived");
    return rc == -ETIME ? 0 : rc;
}

/* arg: rank 0 polls for ever */
static void expect_not_reached(void *arg, struct logp_check *check, const char *part)
{
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(may_arrive, arg, check, &f), -ELOOP, "%s", check->checked.text);
    cr_assert_eq(f.kind, LOGP_FAILURE_LIVELOCK, "%s", f.text);
    SAYS(f.text, part);
}

Test(check_told, each_run_must_reach_some_labels)
{
    static const char *const labels[] = {"arrived"};
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1000);

    check.leaves_messages = true;
    passes(may_arrive, NULL, &check);
    check.must_reach = labels;
    check.n_must_reach = 1;
    expect_not_reached(NULL, &check, "arrived: not reached, though the run has ended\n");
    check.most_steps = 500;
    expect_not_reached(&check, &check, "arrived: not reached within most_steps events\n");
}

/* ---- crashes and threads ---- */

static int n_returned;

/* It does not look at the result. */
static void careless(struct logp_vp *vp)
{
    int x = 0;

    logp_send(vp, 1 - logp_vp_rank(vp), 0, &x, sizeof(x));
}

static int ignores_errors(struct logp_vp *vp, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        careless(vp);
    n_returned++;
    return 0;
}

static int both_or_crashed(const struct logp_report *report, void *arg)
{
    const int n = n_returned;

    (void)report;
    n_returned = 0;
    *(int *)arg += n < 2;
    return n > 2 ? -EIO : 0;
}

Test(check_told, a_crashed_program_is_left)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 200);
    int n_left = 0;

    n_returned = 0;
    check.leaves_messages = true;
    check.leaves_frames = true;
    check.most_faults.crashes = 1;
    check.after = both_or_crashed;
    passes(ignores_errors, &n_left, &check);
    cr_assert_gt(n_left, 0);
}

static void *call_from_outside(void *vp)
{
    logp_send(vp, 0, 0, NULL, 0);
    return NULL;
}

static void *choose_from_outside(void *vp)
{
    logp_choose(vp, 4);
    return NULL;
}

static void *cut_from_outside(void *vp)
{
    logp_fault_cut(vp, 1, 2);
    return NULL;
}

static void *heal_from_outside(void *vp)
{
    logp_fault_heal(vp, 1, 2);
    return NULL;
}

static void *reach_from_outside(void *vp)
{
    LOGP_REACHED(vp, "outside");
    return NULL;
}

static void *post_from_outside(void *vp)
{
    struct logp_request *r;

    logp_irecv(vp, 0, 0, NULL, 0, &r);
    return NULL;
}

static void *recover_from_outside(void *vp)
{
    logp_recover(vp, 1, NULL, 0, NULL);
    return NULL;
}

static const struct {
    void *(*call)(void *vp);
    const char *what;
} outside[] = {
    {call_from_outside, "a function of vp.h"},   {choose_from_outside, "a function of vp.h"},
    {cut_from_outside, "a function of vp.h"},    {heal_from_outside, "a function of vp.h"},
    {reach_from_outside, "logp_reached()"},      {post_from_outside, "a function of vp.h"},
    {recover_from_outside, "a function of vp.h"}};

static int with_thread_alone(struct logp_vp *vp, void *arg)
{
    pthread_t thread;

    if (logp_vp_rank(vp) == 1 && pthread_create(&thread, NULL, outside[*(int *)arg].call, vp) == 0)
        pthread_join(thread, NULL);
    return 0;
}

static int with_thread(struct logp_vp *vp, void *arg)
{
    with_thread_alone(vp, arg);
    return logp_vp_rank(vp) == 0 && *(int *)arg < 4 ? logp_recv(vp, 1, 0, NULL, 0, NULL) : 0;
}

Test(check_told, calls_of_another_thread_are_named)
{
    for (int i = 0; i < (int)(sizeof(outside) / sizeof(outside[0])); i++) {
        struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 10);
        char words[128];

        snprintf(words, sizeof(words),
                 "rank 1: a thread that is not the processor's own calls %s\n", outside[i].what);
        finds(with_thread, &i, &check, -EPROTO, LOGP_FAILURE_ASSERTED, words);
    }
}

/* Without a check, LOGP_REACHED() does nothing, whichever thread it is in. */
Test(check_told, a_label_without_a_check_is_nothing)
{
    const struct logp_config config = {
        .size = sizeof(config), .n_processors = 2, .delay = logp_delay_none()};
    struct logp_machine *m;
    int i = 4;

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    cr_assert_eq(logp_machine_run(m, with_thread_alone, &i, 0), 0);
    logp_machine_destroy(m);
}

/* ---- wrong calls ---- */

/* Rank 1 calls with the vp of rank 0. */
static int with_another(struct logp_vp *vp, void *arg)
{
    static struct logp_vp *first;
    int (**calls)(struct logp_vp *) = arg;

    if (logp_vp_rank(vp) == 0) {
        first = vp;
        return logp_send(vp, 1, 0, NULL, 0);
    }
    return logp_recv(vp, 0, 0, NULL, 0, NULL) == 0 ? (*calls)(first) : 0;
}

static int sends(struct logp_vp *vp)
{
    return logp_send(vp, 0, 0, NULL, 0);
}

static int picks(struct logp_vp *vp)
{
    return logp_choose(vp, 3);
}

static int cuts(struct logp_vp *vp)
{
    return logp_fault_cut(vp, 1, 2);
}

Test(check_told, a_call_with_the_vp_of_another_rank_is_named)
{
    int (*const calls[])(struct logp_vp *) = {sends, picks, cuts};

    for (int i = 0; i < 6; i++) {
        int (*call)(struct logp_vp *) = calls[i / 2];
        struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 10);

        check.executor = i % 2 == 0 ? "fiber" : "thread";
        finds(with_another, &call, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
              "rank 1 calls a function of vp.h with the vp of rank 0\n");
    }
}

static int wrong_rank(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return logp_vp_rank(vp) == 0 ? logp_send(vp, 9, 0, NULL, 0) : 0;
}

static int wrong_number(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return logp_vp_rank(vp) == 0 ? logp_choose(vp, 0) : 0;
}

/* An error of its own is of no call. */
static int own_error(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return logp_vp_rank(vp) == 0 ? -EINVAL : 0;
}

Test(check_told, the_call_that_returned_an_error_is_named)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1);

    finds(wrong_rank, NULL, &check, -EINVAL, LOGP_FAILURE_ERROR,
          "rank 0 returned -22 (Invalid argument), from logp_send()\n");
    finds(wrong_number, NULL, &check, -EINVAL, LOGP_FAILURE_ERROR,
          "rank 0 returned -22 (Invalid argument), from logp_choose()\n");
    finds(own_error, NULL, &check, -EINVAL, LOGP_FAILURE_ERROR,
          "rank 0 returned -22 (Invalid argument)\n");
}

/* ---- an error of the program's own ---- */

static int returns_seven(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return logp_vp_rank(vp) == 1 ? 7 : 0;
}

Test(check_told, a_positive_error_is_an_error_code_of_the_program)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1);

    finds(returns_seven, NULL, &check, 7, LOGP_FAILURE_ERROR,
          "rank 1 returned 7 (an error code of the program)");
}
