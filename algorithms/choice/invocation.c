/* SPDX-License-Identifier: MIT */
/*
 * A row and an invocation: whether the row may be chosen for it, its parameters but k, its schedule,
 * and whether its buffers can be addressed.
 */
#include "choice/choice.h"
#include "choice/contained.h"
#include "operand/operand.h"
#include "predict/predict.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

bool lpi_gives_same(const struct logp_algorithm *a, const struct logp_args *args)
{
    /* a row may be older than this member */
    const bool has_property =
        a->size > offsetof(struct logp_algorithm, same_results) && a->same_results;

    const struct logp_collective *collective;

    if (has_property || !lpi_must_be_same(args))
        return true;
    collective = logp_collective_find(a->collective);
    return collective == NULL || !collective->same_results;
}

const char *lpi_needs_blocks(const struct logp_algorithm *a, int64_t P,
                             const struct logp_invocation *c)
{
    const struct logp_blocks *b = c->args.blocks, *r = c->args.recv_blocks;

    if (!a->any_blocks)
        return "blocks of one size";
    if (strcmp(a->collective, "alltoall") != 0)
        return b->n == P ? NULL : "one block size for each processor";
    return r != NULL && b->n == r->n && (b->n == P || b->n / P == P) && b->n % P == 0
               ? NULL
               : "P or P x P block sizes";
}

struct logp_invocation lpi_alike(const struct logp_invocation *c)
{
    const struct logp_blocks *b = c->args.blocks;
    struct logp_invocation alike = *c;

    if (b == NULL)
        return alike;
    alike.args.blocks = alike.args.recv_blocks = NULL;
    alike.args.n_bytes = b->before[b->n] / (size_t)b->n + (b->before[b->n] % (size_t)b->n > 0);
    alike.args.count = alike.args.n_bytes < INT64_MAX ? (int64_t)alike.args.n_bytes : INT64_MAX;
    return alike;
}

bool lpi_is_cacheable(const struct logp_invocation *c)
{
    const bool is_numbered =
        (c->model.topology == NULL && c->model.links == NULL && !lpi_has_ports(&c->model)) ||
        c->model.number != 0;

    return is_numbered && c->args.list == NULL && c->args.blocks == NULL &&
           c->args.within == NULL && c->model.rendezvous_from == 0 && c->model.arrivals == NULL;
}

/* The parameters of the row within, which are passed on to it. */
static void resolve_within(const struct lpi_contained *x, int64_t P, struct logp_invocation *c)
{
    const struct logp_algorithm *a = c->args.within;
    struct logp_invocation in = lpi_within(x, P, c);

    lpi_resolve_others(a, P, &in);
    for (int i = 0; i < LOGP_MAX_KNOBS && a->knobs[i].field != 0; i++)
        if (a->knobs[i].value != NULL)
            memcpy((char *)&c->args + a->knobs[i].field, (char *)&in.args + a->knobs[i].field,
                   sizeof(int64_t));
}

void lpi_resolve_others(const struct logp_algorithm *algorithm, int64_t P,
                        struct logp_invocation *c)
{
    const struct lpi_contained *x = lpi_contained_of(algorithm);
    const struct logp_invocation asked = *c;

    if (x != NULL && c->args.within != NULL)
        resolve_within(x, P, c);
    for (int i = 0; i < LOGP_MAX_KNOBS && algorithm->knobs[i].field != 0; i++)
        if (algorithm->knobs[i].value != NULL)
            *(int64_t *)((char *)&c->args + algorithm->knobs[i].field) =
                algorithm->knobs[i].value(P, &asked);
}

struct logp_schedule lpi_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                     const struct logp_invocation *c)
{
    struct logp_schedule s = {
        .P = P, .steps = algorithm->steps, .plan = algorithm->plan, .model = c->model};
    struct logp_invocation resolved = *c;

    lpi_resolve_others(algorithm, P, &resolved);
    s.args = resolved.args;
    s.args.in_place &= algorithm->in_place;
    return s;
}

/* Sizes whose products do not come near 2^63, whatever the collective: P <= 2^24. */
static bool is_small(const struct logp_args *a)
{
    return a->n_bytes <= UINT32_MAX && a->count >= 0 && a->count <= 1 << 20 && a->rows >= 0 &&
           a->rows <= 1 << 12 && a->cols >= 0 && a->cols <= 1 << 12 &&
           (a->op == NULL || a->op->element_bytes <= 1 << 16) &&
           (a->blocks == NULL || a->blocks->before[a->blocks->n] <= UINT32_MAX);
}

bool lpi_is_addressable(const struct logp_algorithm *algorithm, int64_t P,
                        const struct logp_invocation *c)
{
    const struct logp_collective *collective;
    size_t buf, recv_buf;

    if (is_small(&c->args))
        return true;
    collective = logp_collective_find(algorithm->collective);
    if (collective == NULL || collective->operands == LOGP_OPERANDS_TOTAL || P > INT_MAX)
        return true; /* no product of count and P */
    collective->sizes((int)P, c->args.root, c, &buf, &recv_buf);
    return buf <= PTRDIFF_MAX && recv_buf <= PTRDIFF_MAX;
}
