/* SPDX-License-Identifier: MIT */
/* Histories: the search against all permutations, and what a check of a program makes of it. */
#include "support.h"

#include <stdio.h>

enum { MOST = 6 };

struct object {
    int64_t v[MOST + 1];
    int n;
};

/* What the object answers: written again, by name, and not with the library's models. */
static int64_t answer(struct object *s, const char *name, const struct logp_history_operation *o)
{
    if (strcmp(name, "queue") == 0) {
        if (o->kind == LOGP_HISTORY_ENQUEUE) {
            s->v[s->n++] = o->input;
            return 0;
        }
        const int64_t first = s->n > 0 ? s->v[0] : LOGP_HISTORY_EMPTY;

        for (int i = 1; i < s->n; i++)
            s->v[i - 1] = s->v[i];
        s->n -= s->n > 0;
        return first;
    }
    if (strcmp(name, "lock") == 0) { /* n: the holder + 1 */
        const bool can = o->kind == LOGP_HISTORY_ACQUIRE ? s->n == 0 : s->n == o->client + 1;

        if (can)
            s->n = o->kind == LOGP_HISTORY_ACQUIRE ? o->client + 1 : 0;
        return o->kind == LOGP_HISTORY_ACQUIRE ? can : can ? 0 : -1;
    }
    if (o->kind == LOGP_HISTORY_READ)
        return s->v[o->key];
    s->v[o->key] = o->kind == LOGP_HISTORY_WRITE ? o->input : LOGP_HISTORY_EMPTY;
    return 0;
}

static struct object at_first(const char *name)
{
    struct object s = {.n = 0};

    if (strcmp(name, "key-value") == 0)
        s.v[0] = s.v[1] = LOGP_HISTORY_EMPTY;
    return s;
}

struct record {
    const char *name;
    struct logp_history_operation o[MOST];
    int invoked[MOST], returned[MOST]; /* -1: pending */
    int n;
};

/* Is there an order that begins with the operations of `done`, which lead to s? */
static bool any_order(const struct record *r, unsigned done, struct object s)
{
    bool all = true;

    for (int i = 0; i < r->n; i++)
        all = all && ((done >> i & 1) != 0 || r->returned[i] < 0);
    if (all)
        return true;
    for (int i = 0; i < r->n; i++) {
        bool can = (done >> i & 1) == 0;
        struct object next = s;

        for (int j = 0; j < r->n; j++)
            if ((done >> j & 1) == 0 && r->returned[j] >= 0 && r->returned[j] < r->invoked[i])
                can = false;
        if (!can)
            continue;
        const int64_t out = answer(&next, r->name, &r->o[i]);
        const bool reads = r->o[i].kind == LOGP_HISTORY_READ ||
                           r->o[i].kind == LOGP_HISTORY_DEQUEUE ||
                           r->o[i].kind == LOGP_HISTORY_ACQUIRE;

        if (r->o[i].kind == LOGP_HISTORY_RELEASE && out < 0)
            continue;
        if ((r->returned[i] < 0 || !reads || out == r->o[i].output) &&
            any_order(r, done | 1U << i, next))
            return true;
    }
    return false;
}

static uint64_t state = 1;

static int below(int n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)n);
}

static struct logp_history_operation any_operation(const char *name, int client)
{
    struct logp_history_operation o = {.client = client, .input = 1 + below(3)};

    if (strcmp(name, "queue") == 0)
        o.kind = LOGP_HISTORY_ENQUEUE + below(2);
    else if (strcmp(name, "lock") == 0)
        o.kind = LOGP_HISTORY_ACQUIRE + below(2);
    else if (strcmp(name, "register") == 0)
        o.kind = LOGP_HISTORY_READ + below(2);
    else {
        o.kind = LOGP_HISTORY_READ + below(3);
        o.key = below(2);
    }
    return o;
}

/* Three clients use an object, which sometimes gives a wrong answer. */
static void draw_record(struct record *r, struct logp_history *h)
{
    struct object s = at_first(r->name);
    int busy[3] = {-1, -1, -1}, time = 0;
    bool applied[3] = {false};

    logp_history_reset(h);
    r->n = 0;
    for (int step = 0; step < 24; step++) {
        const int c = below(3), i = busy[c];

        if (i < 0 && r->n < MOST) {
            busy[c] = r->n;
            applied[c] = false;
            r->o[r->n] = any_operation(r->name, c);
            if (r->o[r->n].kind == LOGP_HISTORY_RELEASE && s.n != c + 1 && below(16) != 0)
                r->o[r->n].kind = LOGP_HISTORY_ACQUIRE; /* or few histories are right */
            r->returned[r->n] = -1;
            r->invoked[r->n] = time++;
            cr_assert_eq(
                logp_history_invoke(h, NULL, c, r->o[r->n].kind, r->o[r->n].key, r->o[r->n].input),
                r->n);
            r->n++;
        } else if (i >= 0 && !applied[c]) {
            applied[c] = true;
            r->o[i].output = answer(&s, r->name, &r->o[i]);
            if (below(8) == 0)
                r->o[i].output = below(strcmp(r->name, "lock") == 0 ? 2 : 3);
        } else if (i >= 0) {
            busy[c] = -1;
            r->returned[i] = time++;
            OK(logp_history_return(h, NULL, i, r->o[i].output));
        }
    }
}

Test(history, agrees_with_all_permutations)
{
    static const char *const names[] = {"register", "queue", "key-value", "lock"};
    struct logp_history *h;

    OK(logp_history_create(&h));
    for (int m = 0; m < 4; m++) {
        const struct logp_model *model = logp_model_find(names[m]);
        int n_good = 0, n = 8000 / TEST_SCALE;

        for (int k = 0; k < n; k++) {
            struct record r = {.name = names[m]};
            char *svg;

            draw_record(&r, h);
            const bool good = any_order(&r, 0, at_first(r.name));

            n_good += good;
            cr_assert_eq(logp_history_check(h, model), good ? 0 : -EPROTO, "%s %d", names[m], k);
            cr_assert_eq(logp_history_svg(h, model, &svg), good ? -ENODATA : 0);
            cr_assert_eq(svg == NULL, good);
            free(svg);
        }
        cr_assert(n_good > n / 10 && n_good < n - n / 10, "%s: %d of %d", names[m], n_good, n);
    }
    logp_history_destroy(h);
}

/* The model's steps are the unit of work. */
static uint64_t n_steps;

static bool counted(struct logp_model_state *s, const struct logp_history_operation *o)
{
    n_steps++;
    return logp_model_find("register")->step(s, o);
}

Test(history, ten_thousand_operations_take_few_steps)
{
    static const int64_t zero;
    const struct logp_model model = {"counted", &zero, 1, false, counted};
    struct logp_history *h;
    int64_t value = 0;
    int busy[4] = {-1, -1, -1, -1};
    int64_t out[4] = {0};

    OK(logp_history_create(&h));
    for (int n = 0; n < 10000;) {
        const int c = below(4);

        if (busy[c] >= 0) {
            OK(logp_history_return(h, NULL, busy[c], out[c]));
            busy[c] = -1;
            continue;
        }
        const bool write = below(2) == 0;

        busy[c] =
            logp_history_invoke(h, NULL, c, write ? LOGP_HISTORY_WRITE : LOGP_HISTORY_READ, 0, n++);
        value = write ? n - 1 : value;
        out[c] = value;
    }
    n_steps = 0;
    OK(logp_history_check(h, &model));
    cr_assert(n_steps < 40 * 10000, "%llu steps", (unsigned long long)n_steps);
    logp_history_destroy(h);
}

Test(history, refuses_wrong_calls)
{
    struct logp_history *h;
    char *svg;

    OK(logp_history_create(&h));
    cr_assert_eq(logp_history_invoke(h, NULL, -1, 0, 0, 0), -EINVAL);
    cr_assert_eq(logp_history_return(h, NULL, 0, 0), -EINVAL);
    cr_assert_eq(logp_history_invoke(h, NULL, 0, LOGP_HISTORY_WRITE, 0, 1), 0);
    OK(logp_history_return(h, NULL, 0, 0));
    cr_assert_eq(logp_history_return(h, NULL, 0, 0), -EINVAL);
    cr_assert(logp_model_find("stack") == NULL && logp_model_find(NULL) == NULL);
    cr_assert_eq(logp_history_check(h, logp_model_find("stack")), -EINVAL);
    cr_assert_eq(logp_history_svg(h, NULL, &svg), -EINVAL);
    logp_history_destroy(h);
    logp_history_destroy(NULL);
}

/* ---- a register on rank 0 and its copy on rank 1; ranks 2 and 3 are clients ---- */

enum { REQUEST = 1, REPLY, COPY, COPIED };

struct request {
    int write, value;
};

static struct logp_history *history;
static bool reads_the_copy; /* the planted bug: a write returns before the copy is written */

static int reset(int P, void *arg)
{
    logp_history_reset(history);
    return 0;
}

static int serve(struct logp_vp *vp, int requests)
{
    int value = 0, rc = 0;

    for (int i = 0; rc == 0 && i < requests; i++) {
        struct request q;
        struct logp_status st;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, REQUEST, &q, sizeof(q), &st);
        if (rc == 0 && q.write) {
            value = q.value;
            if (logp_vp_rank(vp) == 0)
                rc = logp_send(vp, 1, REQUEST, &q, sizeof(q));
        }
        if (rc == 0 && st.source > 1)
            rc = logp_send(vp, st.source, REPLY, &value, sizeof(value));
    }
    return rc;
}

static int ask(struct logp_vp *vp, int server, struct request q)
{
    int value = 0;
    const int id =
        logp_history_invoke(history, vp, logp_vp_rank(vp),
                            q.write ? LOGP_HISTORY_WRITE : LOGP_HISTORY_READ, 0, q.value);

    TRY(logp_send(vp, server, REQUEST, &q, sizeof(q)));
    TRY(logp_recv(vp, server, REPLY, &value, sizeof(value), NULL));
    return logp_history_return(history, vp, id, value);
}

static int replicated(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), from = reads_the_copy ? 1 : 0;

    if (me == 0)
        return serve(vp, reads_the_copy ? 2 : 4);
    if (me == 1)
        return serve(vp, reads_the_copy ? 4 : 2);
    TRY(ask(vp, 0, (struct request){1, me}));
    TRY(ask(vp, from, (struct request){0, 0}));
    return LOGP_CHECK_LINEARIZABLE(vp, history, logp_model_find("register"));
}

Test(history, a_check_finds_a_read_of_a_late_copy)
{
    OK(logp_history_create(&history));
    for (int s = 0; s < 3; s++) {
        const enum logp_strategy strategy = (enum logp_strategy)s;
        struct logp_check check = {.sizes = (int[]){4},
                                   .n_sizes = 1,
                                   .runs = 300,
                                   .strategy = strategy,
                                   .before = reset,
                                   .smallest = 4};
        struct logp_failure f;
        char *svg = NULL;

        reads_the_copy = false;
        cr_assert_eq(logp_check(replicated, NULL, &check, &f), 0, "%s", f.text);
        logp_failure_free(&f);
        reads_the_copy = true;
        cr_assert_eq(logp_check(replicated, NULL, &check, &f), -EPROTO);
        cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
        cr_assert(strstr(f.text, "history is linearizable does not hold") != NULL, "%s", f.text);
        cr_assert(strstr(f.text, "touched the history\n") != NULL, "%s", f.text);
        cr_assert(strstr(f.text, "object -") == NULL, "%s", f.text);
        check.replay_file = NULL;
        cr_assert_eq(logp_check_replay(replicated, NULL, &check, f.replay, NULL), -EPROTO);
        OK(logp_history_svg(history, logp_model_find("register"), &svg));
        const char *const path = getenv("LOGP_TEST_PICTURE");
        FILE *file = path == NULL ? NULL : fopen(path, "w");

        if (file != NULL) {
            fputs(svg, file);
            fclose(file);
        }
        free(svg);
        logp_failure_free(&f);
    }
    logp_history_destroy(history);
}

/* A server that forgets what is written. A client that begins after the write has returned notices it. */
static int forgetful(struct logp_vp *vp, void *arg)
{
    const bool forgets = *(bool *)arg;
    int stored = 0;

    if (logp_vp_rank(vp) != 0) {
        TRY(ask(vp, 0, (struct request){logp_vp_rank(vp) == 1, 7}));
        return LOGP_CHECK_LINEARIZABLE(vp, history, logp_model_find("register"));
    }
    for (int i = 0; i < 2; i++) {
        struct logp_status from;
        struct request q;

        TRY(logp_recv(vp, LOGP_ANY_SOURCE, REQUEST, &q, sizeof(q), &from));
        stored = q.write && !forgets ? q.value : stored;
        TRY(logp_send(vp, from.source, REPLY, &stored, sizeof(stored)));
    }
    return 0;
}

Test(history, exhaustive_lets_an_operation_begin_late)
{
    struct logp_check check = {.sizes = (int[]){3},
                               .n_sizes = 1,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE,
                               .before = reset,
                               .smallest = 3};

    OK(logp_history_create(&history));
    OK(logp_check(forgetful, &(bool){false}, &check, NULL));
    cr_assert(check.checked.complete);
    cr_assert_eq(logp_check(forgetful, &(bool){true}, &check, NULL), -EPROTO);
    logp_history_destroy(history);
}

static int looks_at_nothing(struct logp_vp *vp, void *arg)
{
    return LOGP_CHECK_LINEARIZABLE(vp, arg, logp_model_find("stack"));
}

Test(history, a_history_or_a_model_that_is_not_there_is_named)
{
    struct logp_check check = {.size = sizeof(check), .runs = 1};
    struct logp_history *h;
    TEST_FAILURE no_model = {.text = NULL};
    TEST_FAILURE no_history = {.text = NULL};

    cr_assert_eq(logp_history_create(&h), 0);
    cr_assert_eq(logp_check(looks_at_nothing, h, &check, &no_model), -EPROTO);
    cr_assert(strstr(no_model.text, "the model is NULL: logp_model_find() knows no such name") !=
                  NULL,
              "%s", no_model.text);
    cr_assert_eq(logp_check(looks_at_nothing, NULL, &check, &no_history), -EPROTO);
    cr_assert(strstr(no_history.text, "the history is NULL: ") != NULL, "%s", no_history.text);
    logp_history_destroy(h);
}
