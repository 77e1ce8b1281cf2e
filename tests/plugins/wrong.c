/* SPDX-License-Identifier: MIT */
/*
 * Broadcasts with wrong steps, from rank 0: the root sends to each of the others, and
 *  - waits: ranks 3, 4, ... expect their message from the rank below, which sends none
 *  - range: the last message is for rank P
 *  - extra: rank 1 gets a second message, which it does not receive
 *  - small: rank 2 receives a byte less
 *  - beyond: all messages have 8 bytes more than the buffers
 *  - lost: rank 1 gets nothing
 *  - endless: rank 0 has no last step
 */
#include <logp/algorithm.h>

static bool send_item(const struct logp_invocation *c, int64_t to, struct logp_step *out)
{
    return logp_step_send(out, to, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
}

static bool receive_item(const struct logp_invocation *c, int64_t from, struct logp_step *out)
{
    return logp_step_receive(out, from, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
}

static bool waits(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    if (rank == 0)
        return i + 1 < P && i < 2 && send_item(c, i + 1, out);
    return i == 0 && receive_item(c, rank > 2 ? rank - 1 : 0, out);
}

static bool range(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    return rank == 0 ? i < P && send_item(c, i + 1, out) : i == 0 && receive_item(c, 0, out);
}

static bool extra(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    if (rank == 0)
        return i < P && send_item(c, i + 1 < P ? i + 1 : 1, out);
    return i == 0 && receive_item(c, 0, out);
}

static bool small(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    struct logp_invocation less = *c;

    less.args.n_bytes -= rank == 2;
    if (rank == 0)
        return i + 1 < P && send_item(c, i + 1, out);
    return i == 0 && receive_item(&less, 0, out);
}

static bool beyond(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                   struct logp_step *out)
{
    struct logp_invocation more = *c;

    more.args.n_bytes += 8;
    if (rank == 0)
        return i + 1 < P && send_item(&more, i + 1, out);
    return i == 0 && receive_item(&more, 0, out);
}

static bool lost(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                 struct logp_step *out)
{
    if (rank == 0)
        return i + 2 < P && send_item(c, i + 2, out);
    return rank > 1 && i == 0 && receive_item(c, 0, out);
}

static bool endless(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                    struct logp_step *out)
{
    if (rank == 0)
        return send_item(c, 1 + i % (P - 1), out);
    return i == 0 && receive_item(c, 0, out);
}

#define ROW(steps_)                                                                                \
    {                                                                                              \
        LOGP_ALGORITHM("broadcast", #steps_, "wrong steps", "a test"), .steps = (steps_)           \
    }

static const struct logp_algorithm rows[] = {ROW(waits),  ROW(range), ROW(extra),  ROW(small),
                                             ROW(beyond), ROW(lost),  ROW(endless)};
static const struct logp_algorithm *const algorithms[] = {&rows[0], &rows[1], &rows[2], &rows[3],
                                                          &rows[4], &rows[5], &rows[6], NULL};

const struct logp_plugin logp_plugin = {.size = sizeof(logp_plugin),
                                        .version = LOGP_PLUGIN_VERSION,
                                        .name = "wrong",
                                        .algorithms = algorithms};
