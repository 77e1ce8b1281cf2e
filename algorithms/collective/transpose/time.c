/* SPDX-License-Identifier: MIT */
/*
 * What sending and receiving a block does to the time of a processor. The messages of a group are
 * alike, so its last one follows from its first: a group costs as little as a message, however many
 * it has. The predictions of the transposes are recurrences of these two steps, or their closed
 * form.
 */
#include "transpose.h"

/* No receive yet: any gap after it is over at 0. */
const struct lpi_moment lpi_transpose_start = {0, 0, INT64_MIN};

struct lpi_block_time lpi_transpose_time(const struct logp_params *p, const struct lpi_block *block)
{
    struct lpi_block_time t = {.pack_ns = block->pack_ns, .n_groups = block->n_groups};

    for (int i = 0; i < t.n_groups; i++) {
        const int64_t stream = logp_params_stream_ns(p, block->groups[i].n_bytes);
        const int64_t gap = logp_params_gap_ns(p, block->groups[i].n_bytes);

        t.groups[i] = (struct lpi_messages_time){
            .n = block->groups[i].n,
            .send_gap = lpi_max(p->o_send_ns, gap),
            .recv_gap = lpi_max(p->o_recv_ns, gap),
            .wire = stream + p->L_ns,
        };
    }
    return t;
}

/* The sends of a group, and then those of the next, follow at the gap. */
__int128 lpi_transpose_sent(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_block_time *t)
{
    const __int128 first = lpi_later(m->free + t->pack_ns, m->send_next);
    __int128 start = first;

    for (int i = 0; i < t->n_groups; i++) {
        const struct lpi_messages_time *x = &t->groups[i];

        start += (__int128)x->n * x->send_gap;
        m->free = start - x->send_gap + p->o_send_ns;
        m->send_next = start;
    }
    return first;
}

/*
 * Message k of a group arrives at a(0) + k send_gap, and is received at
 * r(k) = max(r(k-1) + recv_gap, a(k)): so the last one at
 * max(r(0) + (n-1) recv_gap, a(0) + (n-1) send_gap).
 */
void lpi_transpose_received(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_block_time *t, __int128 start)
{
    for (int i = 0; i < t->n_groups; i++) {
        const struct lpi_messages_time *x = &t->groups[i];
        const __int128 arrival = start + p->o_send_ns + x->wire;
        const __int128 first = lpi_later(lpi_later(m->free, arrival), m->recv_start + x->recv_gap);

        m->recv_start = lpi_later(first + (__int128)(x->n - 1) * x->recv_gap,
                                  arrival + (__int128)(x->n - 1) * x->send_gap);
        m->free = m->recv_start + p->o_recv_ns;
        start += (__int128)x->n * x->send_gap;
    }
}

/* Blocks are of one size, or their size does not matter since a byte costs nothing. */
bool lpi_transpose_alike(int64_t P, const struct logp_invocation *c)
{
    const bool free_bytes = c->model.params.G_ps == 0;
    const bool packed_free = c->args.packing == LOGP_PACKING_STRUCTURED && c->args.pack_ns == 0;

    return (c->args.rows % P == 0 || (free_bytes && c->args.rows >= P)) &&
           (c->args.cols % P == 0 || (free_bytes && c->args.cols >= P && packed_free));
}
