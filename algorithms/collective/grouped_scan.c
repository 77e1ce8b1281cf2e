/* SPDX-License-Identifier: MIT */
/*
 * Scan and exscan in groups of k consecutive ranks. A vector is cut into k parts, and rank j of a
 * group works on part j of all k vectors:
 *
 *      exchange   it receives the others' part j, and combines them
 *      between    an exscan of the groups' parts, among the ranks j of all groups (the best word)
 *      return     it sends every rank of the group that rank's result of part j
 *
 * Each of the k ranks sends its vector, but for 1/k, twice, and between groups only 1/k of it; a
 * binomial tree or a word sends all of it in each round. For long vectors this takes the time in
 * which two vectors are sent, and some messages of a part; a scan of few messages needs at least
 * two transfers of each place (bound_prefix.c). k = 1 is the row `census`.
 *
 * Rank j receives from j + 1, j + 2, ..., and then from 0, 1, ..., j - 1. So it combines x(j) ...
 * x(i) for each i >= j, and x(0) ... x(i) for each i < j, when they arrive; the combination of all
 * ranks before the group, C, is then put before these, and before the former x(0) ... x(j-1), too:
 * one combination for each message. Before the r-th receive r + W - 1 messages have been sent, and
 * W is as many as can be sent until the first one arrives.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_K = 128 };

static int64_t part_elements(const struct logp_invocation *c, int64_t k)
{
    return lpi_ceil_div(lpi_max(c->args.count, 0), k);
}

static size_t part_bytes(const struct logp_invocation *c, int64_t k)
{
    return lpi_bytes((size_t)part_elements(c, k), lpi_element_bytes(c));
}

/* The word between groups. 0; -ENOMEM */
static int find(struct lpi_census *word, int64_t P, const struct logp_invocation *c, int64_t k)
{
    const struct lpi_census_cost cost = {.fixed_bytes = part_bytes(c, k),
                                         .combine_ns =
                                             lpi_combine_ns(&c->model.params, part_elements(c, k))};

    return lpi_census_find(word, P / k, &c->model.params, &cost);
}

/* ---- k ---- */

/* Messages between groups follow one after the other in so many rounds, or by the word. */
static __int128 between(int64_t P, const struct logp_invocation *c, int64_t k)
{
    enum { MOST_SEARCHED = 128 }; /* a search for words of so many ranks takes next to no time */
    const struct lpi_times t = lpi_times(&c->model.params, part_bytes(c, k));
    struct lpi_census word;
    int rounds = 0;

    if (P <= MOST_SEARCHED && find(&word, P, c, k) == 0)
        return word.time;
    while (INT64_C(1) << rounds < P / k)
        rounds++;
    return rounds * (t.D + lpi_combine_ns(&c->model.params, part_elements(c, k)));
}

/* An estimate. */
static __int128 about(int64_t P, const struct logp_invocation *c, int64_t k)
{
    const struct lpi_times t = lpi_times(&c->model.params, part_bytes(c, k));
    const int64_t combine = lpi_combine_ns(&c->model.params, part_elements(c, k));
    const __int128 exchange = k > 1 ? (k - 2) * (__int128)lpi_max(t.E, combine) + t.D + combine : 0;

    return k <= MOST_K ? 2 * exchange + between(P, c, k) : INT64_MAX;
}

static int64_t group_size(int64_t P, const struct logp_invocation *c)
{
    return lpi_group_size(P, c, about);
}

/* All are tried where this is not too much (0). */
static int64_t tried_k(int64_t P, const struct logp_invocation *c)
{
    return lpi_tries_groups(P, c) ? 0 : group_size(P, c);
}

/* At least: the k-1 messages of the exchange, of which the last is received after the others; one
 * between groups; and k-1 back, of which the last is sent after the others. */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = group_size(P, c);
    struct logp_params p = c->model.params;
    const size_t bytes = lpi_bytes((size_t)(lpi_max(c->args.count, 0) / k), lpi_element_bytes(c));
    int64_t D, gap;

    p.gap_shared = false;
    D = lpi_times(&p, bytes).D;
    gap = logp_params_gap_ns(&p, bytes);
    if (k == 1)
        return lpi_at_least_ns(P > 1 ? D : 0);
    return lpi_at_least_ns((__int128)(k - 2) * lpi_max(p.o_recv_ns, gap) +
                           (__int128)(k - 2) * lpi_max(p.o_send_ns, gap) +
                           (__int128)(P > k ? 3 : 2) * D);
}

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = c->args.k;

    if (k < 0 || k > MOST_K || (k > 0 && P % k != 0))
        return "groups of the same size, up to 128: a --k that divides P";
    return NULL;
}

/* ---- a list of steps ---- */

struct making {
    const struct logp_invocation *c;
    struct lpi_planned *list;
    int64_t P, rank, k, j; /* j: of the group */
    int64_t ahead;         /* W */
    size_t slot, bytes;    /* of a slot in scratch; of the own part */
    int64_t elements, ns;  /* of it, and what its combination takes */
    bool inclusive;
    bool has_before, has_start; /* is there C; and C before x(0) ... x(j-1), where it is kept */
    struct logp_buffer_ref before;
};

/* Slots: k for received parts, k for combined ones, and these. */
enum slot { RESULT, GROUP, WITH_GROUP, BEFORE, BEFORE_TOO, START, SLOTS };

static struct logp_buffer_ref slot(const struct making *m, int64_t i)
{
    return (struct logp_buffer_ref){LOGP_SCRATCH, (size_t)i * m->slot};
}

static struct logp_buffer_ref other_slot(const struct making *m, enum slot which)
{
    return slot(m, 2 * m->k + which);
}

/* x(0) ... x(i), or x(j) ... x(i) for i >= j. */
static struct logp_buffer_ref combined(const struct making *m, int64_t i)
{
    return slot(m, i == 0 || i == m->j ? i : m->k + i);
}

static struct logp_step *next(const struct making *m)
{
    return &m->list->steps[m->list->n++];
}

static void combine(const struct making *m, struct logp_buffer_ref at, struct logp_buffer_ref left,
                    struct logp_buffer_ref right)
{
    logp_step_combine(next(m), at, left, right, m->elements, m->ns);
}

static void copy(const struct making *m, struct logp_buffer_ref at, struct logp_buffer_ref from)
{
    logp_step_copy(next(m), at, from, m->bytes);
}

/* Where a part is in a vector, and its size. */
static struct logp_buffer_ref part(const struct making *m, enum logp_buffer vector, int64_t i,
                                   size_t *bytes)
{
    const size_t element = lpi_element_bytes(m->c);
    const int64_t begin = lpi_part_begin(m->c->args.count, m->k, i);

    *bytes = (size_t)(lpi_part_begin(m->c->args.count, m->k, i + 1) - begin) * element;
    return (struct logp_buffer_ref){vector, (size_t)begin * element};
}

static void send(const struct making *m, int64_t to, struct logp_buffer_ref from, size_t bytes)
{
    logp_step_send(next(m), to, m->c->args.tag, from.buffer, from.offset, bytes);
}

static void receive(const struct making *m, int64_t from, struct logp_buffer_ref at, size_t bytes)
{
    logp_step_receive(next(m), from, m->c->args.tag, at.buffer, at.offset, bytes);
}

static int64_t in_group(const struct making *m, int64_t i)
{
    return m->rank - m->j + i;
}

/* ---- exchange ---- */

static void exchange_receive(const struct making *m, int64_t i)
{
    receive(m, in_group(m, i), slot(m, i), m->bytes);
    if (i != 0)
        combine(m, slot(m, m->k + i), combined(m, i - 1), slot(m, i));
}

static void exchange(const struct making *m)
{
    size_t bytes;

    copy(m, slot(m, m->j), part(m, LOGP_BUF, m->j, &bytes));
    for (int64_t s = 1; s < m->k + m->ahead; s++) {
        const int64_t to = lpi_mod(m->j - s, m->k), r = s - m->ahead + 1;

        if (s < m->k) {
            const struct logp_buffer_ref theirs = part(m, LOGP_BUF, to, &bytes);

            send(m, in_group(m, to), theirs, bytes);
        }
        if (r > 0 && r < m->k)
            exchange_receive(m, lpi_mod(m->j + r, m->k));
    }
}

/* ---- between groups ---- */

/* Follow the word of an exscan. Each message also contains the contribution of the own group. */
static void exscan_groups(struct making *m, const struct lpi_census *word)
{
    struct logp_buffer_ref have = other_slot(m, BEFORE), in = other_slot(m, BEFORE_TOO);
    struct logp_buffer_ref group = combined(m, m->k - 1);
    bool is_made = m->j == 0, is_stale = false;

    for (int i = 0; i < word->n; i++) {
        const struct lpi_census_op *op = &word->ops[i];
        const int64_t peer = m->rank + (op->sends ? op->reach : -op->reach) * m->k;
        const struct logp_buffer_ref come = in;

        if (peer < 0 || peer >= m->P)
            continue;
        if (!op->sends) {
            receive(m, peer, come, m->bytes);
            if (m->has_before)
                combine(m, come, come, have);
            in = have;
            have = come;
            m->has_before = is_stale = true;
            continue;
        }
        if (!is_made) {
            combine(m, other_slot(m, GROUP), combined(m, m->j - 1), group);
            group = other_slot(m, GROUP);
            is_made = true;
        }
        if (is_stale)
            combine(m, other_slot(m, WITH_GROUP), have, group);
        is_stale = false;
        send(m, peer, m->has_before ? other_slot(m, WITH_GROUP) : group, m->bytes);
    }
    m->before = have;
}

/* ---- return ---- */

/* Find the operand to put before combined(i), in *at. @return whether there is one */
static bool before(struct making *m, int64_t i, struct logp_buffer_ref *at)
{
    *at = m->before;
    if (i < m->j || m->j == 0)
        return m->has_before;
    if (!m->has_before) {
        *at = combined(m, m->j - 1);
        return true;
    }
    *at = other_slot(m, START);
    if (!m->has_start)
        combine(m, *at, m->before, combined(m, m->j - 1));
    m->has_start = true;
    return true;
}

/* Find the result of rank i of the group: into *at, or *at becomes its place. @return whether there
 * is one */
static bool result(struct making *m, int64_t i, struct logp_buffer_ref *at)
{
    const int64_t last = m->inclusive ? i : i - 1;
    struct logp_buffer_ref first;

    if (last < 0) {
        *at = m->before;
        return m->has_before;
    }
    if (before(m, last, &first))
        combine(m, *at, first, combined(m, last));
    else
        *at = combined(m, last);
    return true;
}

static void send_back(struct making *m, int64_t to)
{
    struct logp_buffer_ref at = other_slot(m, RESULT);

    if (result(m, to, &at))
        send(m, in_group(m, to), at, m->bytes);
}

static void send_all_back(struct making *m)
{
    const bool receives = m->inclusive || m->has_before || m->j > 0;
    struct logp_buffer_ref own, at;
    size_t bytes;

    for (int64_t s = 1; s < m->k + m->ahead; s++) {
        const int64_t r = s - m->ahead + 1, from = lpi_mod(m->j + r, m->k);

        if (s < m->k)
            send_back(m, lpi_mod(m->j - s, m->k));
        if (r > 0 && r < m->k && receives) {
            const struct logp_buffer_ref theirs = part(m, LOGP_RECV_BUF, from, &bytes);

            receive(m, in_group(m, from), theirs, bytes);
        }
    }
    own = at = part(m, LOGP_RECV_BUF, m->j, &bytes);
    if (result(m, m->j, &at) && at.buffer != own.buffer)
        copy(m, own, at);
}

/* ---- plans ---- */

/* Messages that are sent until the first one comes, or begin when it does. */
static int64_t window(const struct logp_invocation *c, size_t bytes)
{
    const struct lpi_times t = lpi_times(&c->model.params, bytes);

    return t.E > 0 ? (t.D - c->model.params.o_recv_ns) / t.E + 1 : MOST_K;
}

static struct lpi_planned *list_of(int64_t k, const struct lpi_census *word)
{
    const size_t n = (size_t)(6 * k + 3 * word->n + 8);
    struct lpi_planned *list = calloc(1, sizeof(*list) + n * sizeof(list->steps[0]));

    if (list != NULL)
        list->steps = (struct logp_step *)(list + 1);
    return list;
}

static int plan(int P, int rank, struct logp_invocation *c, bool inclusive)
{
    const int64_t k = group_size(P, c);
    struct lpi_census word;
    struct making m = {.c = c,
                       .P = P,
                       .rank = rank,
                       .k = k,
                       .j = rank % k,
                       .slot = part_bytes(c, k),
                       .inclusive = inclusive};
    int rc = P % k == 0 ? lpi_vector_valid(c) : -EINVAL;

    if (rc == 0)
        rc = find(&word, P, c, k);
    if (rc != 0)
        return rc;
    m.list = list_of(k, &word);
    if (m.list == NULL)
        return -ENOMEM;
    part(&m, LOGP_BUF, m.j, &m.bytes);
    m.elements = lpi_part_begin(c->args.count, k, m.j + 1) - lpi_part_begin(c->args.count, k, m.j);
    m.ns = lpi_combine_ns(&c->model.params, m.elements);
    m.ahead = window(c, m.slot);
    exchange(&m);
    exscan_groups(&m, &word);
    send_all_back(&m);
    c->plan.state = m.list;
    c->plan.early = true; /* pieces cross */
    c->plan.scratch_bytes = lpi_bytes((size_t)(2 * k + SLOTS), m.slot);
    return 0;
}

static int scan_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, true);
}

static int exscan_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, false);
}

/* ---- the rows ---- */

static const char source[] = "this library";

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "grouped", "exchange parts in groups of k, exscan between, return",
                    source),
     .needs = needs, .plan = scan_plan, .predict = predict, .steps = lpi_planned_steps,
     .knobs = {LOGP_KNOB(k, tried_k)}},
};

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "grouped", "exchange parts in groups of k, exscan between, return",
                    source),
     .needs = needs, .plan = exscan_plan, .predict = predict, .steps = lpi_planned_steps,
     .knobs = {LOGP_KNOB(k, tried_k)}},
};

const struct lpi_rows lpi_scan_grouped = LPI_ROWS(scans), lpi_exscan_grouped = LPI_ROWS(exscans);
