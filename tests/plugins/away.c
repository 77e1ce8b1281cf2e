/* SPDX-License-Identifier: MIT */
/*
 * A plug-in that brings an algorithm with which something is wrong: rank 0 of a broadcast is away
 * for so long that nobody waits for it.
 */
#include <logp/algorithm.h>
#include <logp/vp.h>

#include <time.h>

static int run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), tag = c->args.tag;

    (void)recv_buf;
    if (me > 0)
        return logp_recv(vp, 0, tag, buf, c->args.n_bytes, NULL);
    nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    for (int i = 1; i < P; i++)
        (void)logp_send(vp, i, tag, buf, c->args.n_bytes);
    return 0;
}

static const struct logp_algorithm away = {
    LOGP_ALGORITHM("broadcast", "away", "rank 0 is away", "none"), .run = run};

static const struct logp_algorithm *const algorithms[] = {&away, NULL};

const struct logp_plugin logp_plugin = {.size = sizeof(logp_plugin),
                                        .version = LOGP_PLUGIN_VERSION,
                                        .name = "away",
                                        .algorithms = algorithms};
