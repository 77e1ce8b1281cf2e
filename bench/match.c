/* SPDX-License-Identifier: MIT */
/*
 * Cost of matching few and many messages with receives: receives that are posted (post, send,
 * wait), matched in the order of posting and in reverse, and receives from any source of messages
 * that arrive in another order than they were sent. On one core, under the virtual clock; ns of the
 * host for each receive. The reference is the cost of 10 messages.
 *
 *     bench_match            10 to 100 000 messages
 *     bench_match 1000       1000 messages
 */
#include "bench.h"

enum { ROUNDS = 5, LEAST_MESSAGES = 20000, SECOND = 1000000000 };

struct trial {
    int n;
    bool in_order;
    double ns; /* for all n */
};

/* Post n receives on rank 0, each with a tag of its own, and wait for them; rank 1 sends to all of
 * them when they are posted. */
static int posted(struct logp_vp *vp, void *arg)
{
    struct trial *t = arg;
    struct logp_request **requests;
    int *got, rc = 0;
    int64_t start;

    if (logp_vp_rank(vp) == 1) {
        rc = logp_compute(vp, 1, NULL, NULL);
        for (int i = 0; rc == 0 && i < t->n; i++)
            rc = logp_send(vp, 0, t->in_order ? i : t->n - 1 - i, &i, sizeof(i));
        return rc;
    }
    requests = calloc((size_t)t->n, sizeof(struct logp_request *));
    got = calloc((size_t)t->n, sizeof(int));
    start = bench_now_ns();
    for (int i = 0; rc == 0 && i < t->n; i++)
        rc = logp_irecv(vp, 1, i, &got[i], sizeof(int), &requests[i]);
    if (rc == 0)
        rc = logp_compute(vp, 2, NULL, NULL);
    if (rc == 0)
        rc = logp_waitall(vp, requests, t->n, NULL);
    t->ns = (double)(bench_now_ns() - start);
    free(requests);
    free(got);
    return rc;
}

/* Receive a message from each of n other ranks when all of them have arrived. */
static int any_source(struct logp_vp *vp, void *arg)
{
    struct trial *t = arg;
    int64_t start;
    int rc, x = 0;

    if (logp_vp_rank(vp) != 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    rc = logp_compute(vp, SECOND, NULL, NULL);
    start = bench_now_ns();
    for (int i = 0; rc == 0 && i < t->n; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    t->ns = (double)(bench_now_ns() - start);
    return rc;
}

static double ns_each(logp_program program, int P, int n, bool in_order)
{
    const struct logp_params params = {.L_ns = 1000000, .seed = 1};
    const struct logp_config config = {
        .n_processors = P, .clock = LOGP_CLOCK_VIRTUAL, .executor = "fiber"};
    struct logp_machine *m =
        bench_machine(config, program == any_source ? "varying" : NULL, &params);
    double ns[ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        int done = 0;

        ns[round] = 0;
        for (; done < LEAST_MESSAGES; done += n) {
            struct trial t = {.n = n, .in_order = in_order};

            bench_check(logp_machine_run(m, program, &t, 0), "run");
            ns[round] += t.ns;
        }
        ns[round] /= done;
    }
    logp_machine_destroy(m);
    return bench_median(ns, ROUNDS);
}

int main(int argc, char **argv)
{
    static const int numbers[] = {10, 100, 1000, 16000, 100000};

    printf("%-28s %10s %10s %10s\n", "ns for each receive", "in order", "in reverse", "any source");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const int n = numbers[i];
        char word[16];

        snprintf(word, sizeof(word), "%d", n);
        if (!bench_selected(argc - 1, argv + 1, word))
            continue;
        printf("%-28d %10.1f %10.1f %10.1f\n", n, ns_each(posted, 2, n, true),
               ns_each(posted, 2, n, false), ns_each(any_source, n + 1, n, true));
    }
    return 0;
}
