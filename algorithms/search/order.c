/* SPDX-License-Identifier: MIT */
/* Steps of a rank that change places: neither needs what the other does. */
#include "search/search.h"

static bool overlap(struct lpi_span a, struct lpi_span b)
{
    return a.n > 0 && b.n > 0 && a.at.buffer == b.at.buffer && a.at.offset < b.at.offset + b.n &&
           b.at.offset < a.at.offset + a.n;
}

/* Whether a step writes to the span; a combination without a fixed order also uses `left`. */
static bool writes(const struct logp_step *s, struct lpi_span span, size_t element_bytes)
{
    return (s->kind != LOGP_STEP_SEND && overlap(lpi_span_at(s, element_bytes), span)) ||
           (s->into_one && s->kind == LOGP_STEP_COMBINE &&
            overlap(lpi_span_left(s, element_bytes), span));
}

static bool disturbs(const struct logp_step *s, const struct logp_step *other, size_t element_bytes)
{
    return writes(s, lpi_span_at(other, element_bytes), element_bytes) ||
           writes(s, lpi_span_left(other, element_bytes), element_bytes) ||
           writes(s, lpi_span_right(other, element_bytes), element_bytes);
}

/* Messages of a pair keep their order. */
static bool match_in_order(const struct logp_step *a, const struct logp_step *b)
{
    return a->kind == b->kind && (a->kind == LOGP_STEP_SEND || a->kind == LOGP_STEP_RECEIVE) &&
           a->peer == b->peer && a->tag == b->tag;
}

bool lpi_order_swap(struct lpi_draft *d, int64_t rank, int64_t from, size_t element_bytes)
{
    struct logp_step *a = &d->steps[rank][from], *b = a + 1, kept = *a;

    /* the data that a computation uses are unknown */
    if (from + 1 >= d->n[rank] || a->kind == LOGP_STEP_COMPUTE || b->kind == LOGP_STEP_COMPUTE ||
        match_in_order(a, b) || disturbs(a, b, element_bytes) || disturbs(b, a, element_bytes))
        return false;
    *a = *b;
    *b = kept;
    return true;
}
