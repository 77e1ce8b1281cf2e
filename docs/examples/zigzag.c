/* SPDX-License-Identifier: MIT */
/*
 * A plug-in that brings an algorithm: the item goes from rank to rank, now on one side of the root, now on the other.
 *
 *     cc -shared -fPIC zigzag.c -o zigzag.so $(pkg-config --cflags logp)
 *     logp run broadcast --plugin zigzag.so --algo zigzag
 */
#include <logp/algorithm.h>

/* The rank at a place of the order root, root + 1, root - 1, root + 2, ... */
static int64_t rank_at(int64_t place, int64_t root, int64_t P)
{
    return (root + (place % 2 == 1 ? place / 2 + 1 : P - place / 2)) % P;
}

static int64_t place_of(int64_t rank, int64_t root, int64_t P)
{
    const int64_t after = (rank - root + P) % P;

    return after <= P / 2 ? (after > 0 ? 2 * after - 1 : 0) : 2 * (P - after);
}

/* Each rank but the root receives, and each but the last sends on. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t root = c->args.root, place = place_of(rank, root, P);

    if (place > 0 && i-- == 0)
        return logp_step_receive(out, rank_at(place - 1, root, P), c->args.tag, LOGP_BUF, 0,
                                 c->args.n_bytes);
    return i == 0 && place < P - 1 &&
           logp_step_send(out, rank_at(place + 1, root, P), c->args.tag, LOGP_BUF, 0,
                          c->args.n_bytes);
}

static const struct logp_algorithm zigzag = {
    LOGP_ALGORITHM("broadcast", "zigzag", "from side to side of the root", "an example"),
    .steps = steps};

static const struct logp_algorithm *const algorithms[] = {&zigzag, NULL};

const struct logp_plugin logp_plugin = {.size = sizeof(logp_plugin),
                                        .version = LOGP_PLUGIN_VERSION,
                                        .name = "zigzag",
                                        .algorithms = algorithms};
