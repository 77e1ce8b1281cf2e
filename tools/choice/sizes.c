/* SPDX-License-Identifier: MIT */
/* How large the messages of a collective are, where the model does not charge for that. */
#include "choice/choice.h"

/* The largest of all blocks. */
static int64_t largest_block(const struct logp_blocks *blocks)
{
    size_t most = 0;

    for (int64_t i = 0; i < blocks->n; i++)
        if (blocks->before[i + 1] - blocks->before[i] > most)
            most = blocks->before[i + 1] - blocks->before[i];
    return (int64_t)most;
}

/* Of one message, before an algorithm divides or joins any; a sum is one element. */
static int64_t message_bytes(const struct options *o, const struct logp_collective *what,
                             const struct logp_invocation *c)
{
    __int128 bytes = 0;

    if (c->args.blocks != NULL)
        return largest_block(c->args.blocks) * size_unit(o, what);
    switch (what->operands) {
    case LOGP_OPERANDS_NONE:
    case LOGP_OPERANDS_TOTAL:
        break;
    case LOGP_OPERANDS_BYTES:
        bytes = (__int128)c->args.n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
        bytes = (__int128)c->args.count * (__int128)c->args.op->element_bytes;
        break;
    case LOGP_OPERANDS_MATRIX: /* its columns are over the processors, and go to all of them */
        bytes = (__int128)c->args.rows * c->args.cols * (__int128)c->args.n_bytes / o->P / o->P;
        break;
    }
    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

const char *free_bytes_of(const struct options *o, const char *collective,
                          const struct logp_invocation *c, char buf[MAX_LIST])
{
    const struct logp_collective *what = logp_collective_find(collective);

    return what != NULL ? free_bytes(o, message_bytes(o, what, c), buf) : NULL;
}

void say_free_bytes(const struct options *o, const char *collective,
                    const struct logp_invocation *c)
{
    char text[MAX_LIST];

    if (free_bytes_of(o, collective, c, text) != NULL)
        say("%s", text);
}
