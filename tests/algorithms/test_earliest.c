/* SPDX-License-Identifier: MIT */
/* The tree for unlike links, held against all trees of few ranks. */
#include "drawn_links.h"

#include <inttypes.h>

enum { TABLES = 600, FEW = 5 };

/* A broadcast that has begun: the ranks that have the item, and when each is free. */
struct begun {
    int P;
    int64_t D[FEW][FEW], E[FEW][FEW]; /* from, to */
    int64_t free_at[FEW];
    bool has[FEW];
    int64_t end, least; /* so far; of all that ended */
};

/* All ways to go on, in any order of the messages. */
static void go_on(struct begun *b)
{
    bool all = true;

    for (int to = 0; to < b->P; to++)
        for (int from = 0; !b->has[to] && from < b->P; from++) {
            struct begun next = *b;

            all = false;
            if (!b->has[from])
                continue;
            next.has[to] = true;
            next.free_at[to] = b->free_at[from] + b->D[from][to];
            next.free_at[from] += b->E[from][to];
            next.end = next.free_at[to] > b->end ? next.free_at[to] : b->end;
            go_on(&next);
            b->least = next.least < b->least ? next.least : b->least;
        }
    if (all && b->end < b->least)
        b->least = b->end;
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* No tree of few ranks ends sooner than the one that is found, on any links. */
Test(earliest, no_tree_of_few_ranks_ends_sooner)
{
    const struct logp_algorithm *row = logp_algorithm_find("broadcast", "earliest");

    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        const int P = 2 + (int)below(&random, FEW - 1);
        struct logp_invocation c = {.args.root = (int)below(&random, P),
                                    .args.n_bytes = (size_t)below(&random, 100),
                                    .model.params = some_params(&random)};
        struct logp_links *links = draw_links(P, &random);
        struct begun b = {.P = P, .least = INT64_MAX};

        c.model.params.gap_shared = false;
        c.model.params.capacity = 0;
        c.model.links = links;
        for (int from = 0; from < P; from++)
            for (int to = 0; to < P; to++) {
                struct logp_params p;
                int64_t stream;

                logp_links_of(links, from, to, &c.model.params, &p);
                stream = logp_params_stream_ns(&p, c.args.n_bytes);
                b.D[from][to] = p.o_send_ns + stream + p.L_ns + p.o_recv_ns;
                b.E[from][to] = max(p.o_send_ns, p.g_ns + stream);
            }
        b.has[c.args.root] = true;
        go_on(&b);
        cr_expect_eq(test_predict(row, P, &c).ns, b.least,
                     "seed %d: P %d, %" PRId64 " for %" PRId64, (int)seed, P,
                     test_predict(row, P, &c).ns, b.least);
        logp_links_destroy(links);
    }
}
