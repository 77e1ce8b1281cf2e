/* SPDX-License-Identifier: MIT */
/* The blocks that --counts stands for. */
#include "choice/choice.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1 << 24 };

/* The list is repeated over the ranks; in an alltoall over the sum of sender and receiver, so that
 * as much comes back. They stay until the next are made. */
void set_blocks(const struct options *o, const char *collective, struct logp_args *args)
{
    static struct logp_blocks blocks;
    static size_t *before;
    const bool all_to_all = strcmp(collective, "alltoall") == 0;

    if (o->n_counts == 0 || !takes_blocks(logp_collective_find(collective)))
        return;
    if (o->P > MOST_BLOCKS || (all_to_all && o->P * o->P > MOST_BLOCKS))
        bad_option("--counts", option_text("counts"), "with up to %d processors%s",
                   all_to_all ? 1 << 12 : MOST_BLOCKS, all_to_all ? " in alltoall" : "");
    blocks.n = all_to_all ? o->P * o->P : o->P;
    free(before);
    before = malloc(((size_t)blocks.n + 1) * sizeof(*before));
    if (before == NULL)
        bad_usage("no memory");
    before[0] = 0;
    for (int64_t i = 0; i < blocks.n; i++) /* up to 2^24 of 2^36 */
        before[i + 1] = before[i] + (size_t)o->counts[(i / o->P + i % o->P) % o->n_counts];
    blocks.before = before;
    args->blocks = &blocks;
    args->recv_blocks = all_to_all ? &blocks : NULL;
}
