/* SPDX-License-Identifier: MIT */
/* Pending messages by (context, source, tag): see index.h. */
#include "mail/index.h"

#include "state/message.h"

#include <stdlib.h>

struct chain {
    struct lpi_message *first, *last;
};

struct lpi_index {
    unsigned n_chains; /* a power of two */
    struct chain chains[];
};

static struct chain *chain_of(const struct lpi_index *x, uint32_t context, int src, int tag)
{
    uint64_t h = ((uint64_t)context << 32) ^ ((uint64_t)(uint32_t)src << 20) ^ (uint32_t)tag;

    h *= UINT64_C(0x9e3779b97f4a7c15);
    return (struct chain *)&x->chains[(h >> 32) & (x->n_chains - 1)];
}

void lpi_index_append(struct lpi_index *x, struct lpi_message *m)
{
    struct chain *c = chain_of(x, m->context, m->src, m->tag);

    m->next_in_chain = NULL;
    if (c->last != NULL)
        c->last->next_in_chain = m;
    else
        c->first = m;
    c->last = m;
}

void lpi_index_remove(struct lpi_index *x, struct lpi_message *m)
{
    struct chain *c = chain_of(x, m->context, m->src, m->tag);
    struct lpi_message *before = NULL;

    for (struct lpi_message *i = c->first; i != m; i = i->next_in_chain)
        before = i;
    if (before != NULL)
        before->next_in_chain = m->next_in_chain;
    else
        c->first = m->next_in_chain;
    if (c->last == m)
        c->last = before;
}

/* Without memory there is no index and searches are linear: slower, not wrong. */
void lpi_index_rebuild(struct lpi_inbox *in)
{
    unsigned n = 64;
    struct lpi_index *x;

    while (n < (unsigned)in->n_pending * 2)
        n *= 2;
    x = calloc(1, sizeof(*x) + n * sizeof(x->chains[0]));
    free(in->index);
    in->index = x;
    if (x == NULL)
        return;
    x->n_chains = n;
    for (struct lpi_message *m = in->first; m != NULL; m = m->next)
        lpi_index_append(x, m);
}

bool lpi_index_has_room(const struct lpi_index *x, int n_pending)
{
    return x->n_chains >= (unsigned)n_pending;
}

struct lpi_message *lpi_index_first(const struct lpi_index *x, uint32_t context, int src, int tag)
{
    return chain_of(x, context, src, tag)->first;
}
