/* SPDX-License-Identifier: MIT */
/*
 * A plug-in that brings an algorithm: broadcast both ways around a ring.
 *
 *     logp run broadcast --plugin ./two_ways.so --algo two-ways
 *
 * The root sends to both its neighbours, the longer way first; each of the others receives from the
 * side of the root, and sends on, but for the two where the ways end.
 */
#include <logp/algorithm.h>

#if defined(TWO_WAYS_STRANGE) /* with what means something in XML and in Graphviz */
#define TWO_WAYS_NAME "a<b>&'`c\"\\%d"
#elif defined(TWO_WAYS_CONTROL)
#define TWO_WAYS_NAME "a\033[31mb"
#else
#define TWO_WAYS_NAME "two-ways"
#endif

/* v: how far from the root, the longer way's direction; the longer way ends at v = P / 2. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t v = (rank - c->args.root + P) % P, end = P / 2;
    const int64_t next = (rank + 1) % P, before = (rank + P - 1) % P;
    const size_t n_bytes = c->args.n_bytes;
    const int tag = c->args.tag;

    if (v == 0 && i == 0 && P > 1)
        return logp_step_send(out, next, tag, LOGP_BUF, 0, n_bytes);
    if (v == 0 && i == 1 && P > 2)
        return logp_step_send(out, before, tag, LOGP_BUF, 0, n_bytes);
    if (v > 0 && i == 0)
        return logp_step_receive(out, v <= end ? before : next, tag, LOGP_BUF, 0, n_bytes);
    if (v > 0 && i == 1 && v != end && v != end + 1)
        return logp_step_send(out, v < end ? next : before, tag, LOGP_BUF, 0, n_bytes);
    return false;
}

static const struct logp_algorithm two_ways = {
    LOGP_ALGORITHM("broadcast", TWO_WAYS_NAME, "both ways around a ring", "an example"),
    .steps = steps};

static const struct logp_algorithm *const algorithms[] = {&two_ways, NULL};

const struct logp_plugin logp_plugin = {.size = sizeof(logp_plugin),
                                        .version = LOGP_PLUGIN_VERSION,
                                        .name = "two-ways",
                                        .algorithms = algorithms};
