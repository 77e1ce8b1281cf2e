/* SPDX-License-Identifier: MIT */
/* Recursive halving: see collective.h. Source: Rabenseifner, ICCS 2004. */
#include "collective/collective.h"

static struct logp_buffer_ref ref_at(struct logp_buffer_ref base, const struct logp_invocation *c,
                                     int64_t element)
{
    base.offset += (size_t)element * lpi_element_bytes(c);
    return base;
}

bool lpi_move_parts(bool sends, const struct lpi_halving *h, int64_t peer,
                    struct logp_buffer_ref vector, int64_t X, int64_t first, int64_t n,
                    const struct logp_invocation *c, struct logp_step *out)
{
    const int64_t begin = lpi_part_begin(c->args.count, X, first);
    const int64_t elements = lpi_part_begin(c->args.count, X, first + n) - begin;

    vector = ref_at(vector, c, begin);
    return (sends ? logp_step_send : logp_step_receive)(out, lpi_mod(peer + h->shift, h->P),
                                                        c->args.tag, vector.buffer, vector.offset,
                                                        (size_t)elements * lpi_element_bytes(c));
}

/* acc = acc op other, in those parts. */
static bool combine_parts(const struct lpi_halving *h, struct logp_buffer_ref other, int64_t X,
                          int64_t first, int64_t n, const struct logp_invocation *c,
                          struct logp_step *out)
{
    const int64_t begin = lpi_part_begin(c->args.count, X, first);
    const int64_t elements = lpi_part_begin(c->args.count, X, first + n) - begin;
    const struct logp_buffer_ref at = ref_at(h->acc, c, begin);

    return logp_step_combine(out, at, at, ref_at(other, c, begin), elements,
                             lpi_combine_ns(&c->model.params, elements));
}

/*
 * At distance d = X/2, X/4, ... 1 the j-th has the parts from j & -2d on, 2 d of them: it sends the
 * half that j xor d is in, and combines the other. At first all that there is, is buf.
 */
int64_t lpi_halve(const struct lpi_halving *h, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_fold f = lpi_fold_of(h->P, h->v);
    const struct logp_buffer_ref own = {LOGP_BUF, 0};
    const bool paired = h->v < 2 * f.pairs;
    int64_t taken = paired ? 2 : 0;

    if (paired && i == 0)
        lpi_move_parts(false, h, h->v - 1, h->acc, 1, 0, 1, c, out);
    else if (paired && i == 1)
        combine_parts(h, own, 1, 0, 1, c, out);
    if (i < taken)
        return -1;
    for (int64_t d = f.X / 2; d > 0; d /= 2, taken += 3) {
        const bool first = d == f.X / 2 && !paired;
        const int64_t k = i - taken, peer = lpi_unfold(&f, f.j ^ d);

        if (k >= 3)
            continue;
        if (k == 0)
            lpi_move_parts(true, h, peer, first ? own : h->acc, f.X, (f.j ^ d) & -d, d, c, out);
        else if (k == 1)
            lpi_move_parts(false, h, peer, first ? h->acc : h->in, f.X, f.j & -d, d, c, out);
        else
            combine_parts(h, first ? own : h->in, f.X, f.j & -d, d, c, out);
        return -1;
    }
    return taken;
}

void lpi_halving_rounds(struct lpi_rounds *r, int64_t P, const struct logp_invocation *c)
{
    for (int64_t d = P / 2; d > 0; d /= 2) {
        lpi_round(r, &c->model.params, 1, lpi_vector_bytes(c) / (size_t)P * (size_t)d);
        r->free += lpi_combine_ns(&c->model.params, c->args.count / P * d);
    }
}

int64_t lpi_parts_at_most(int64_t X, int64_t d, const struct logp_invocation *c)
{
    const int64_t most = lpi_part_begin(c->args.count, X, d);

    return lpi_round_at_most(&c->model.params, lpi_bytes((size_t)most, lpi_element_bytes(c)));
}

/* With all parts as large as the largest. */
__int128 lpi_halving_at_most(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_fold f = lpi_fold_of(P, P - 1);
    __int128 T = 0;

    if (f.pairs > 0)
        T += (__int128)lpi_parts_at_most(1, 1, c) + lpi_combine_ns(p, c->args.count);
    for (int64_t d = 1; d < f.X; d *= 2)
        T += (__int128)lpi_parts_at_most(f.X, d, c) +
             lpi_combine_ns(p, lpi_part_begin(c->args.count, f.X, d));
    return T;
}
