/* SPDX-License-Identifier: MIT */
/* The latencies that a failure needs: messages that are not in a list have L. */
#include "kit.h"

#include <inttypes.h>

enum { MOST_TOLD = 24 };

void lpi_drawn_free(struct lpi_drawn *d)
{
    free(d->items);
    *d = (struct lpi_drawn){0};
}

bool lpi_drawn_copy(struct lpi_drawn *to, const struct lpi_drawn *from)
{
    if (!LPI_GROW(to->items, to->capacity, from->n))
        return false;
    if (from->n > 0)
        memcpy(to->items, from->items, (size_t)from->n * sizeof(*to->items));
    to->n = from->n;
    return true;
}

static bool has(const struct lpi_drawn *d, const struct logp_latency_draw *draw)
{
    for (int i = 0; i < d->n; i++)
        if (d->items[i].src == draw->src && d->items[i].number == draw->number)
            return true;
    return false;
}

bool lpi_observer_is_drawn(void *observer, const struct logp_latency_draw *draw)
{
    const struct lpi_observer *e = observer;
    const bool is_drawn = e->drawn == NULL || has(e->drawn, draw);
    struct lpi_story *s = e->story;

    if (is_drawn && s != NULL && draw->drawn_ns != draw->usual_ns &&
        LPI_GROW(s->drawn, s->drawn_capacity, s->n_drawn + 1))
        s->drawn[s->n_drawn++] = *draw;
    return is_drawn;
}

void lpi_tell_latencies(struct lpi_text *t, const struct lpi_job *job, const struct lpi_story *s)
{
    if (job->plan.drawn == NULL)
        return;
    if (s->n_drawn == 0) {
        lpi_text_add(t, "no latency matters: each message takes L\n");
        return;
    }
    lpi_text_add(t, "the latencies that matter (other messages take L):\n");
    for (int i = 0; i < s->n_drawn && i <= MOST_TOLD; i++) {
        const struct logp_latency_draw *d = &s->drawn[i];

        if (i == MOST_TOLD)
            lpi_text_add(t, "  and %d more\n", s->n_drawn - i);
        else
            lpi_text_add(t,
                         "  message %u of rank %d, to rank %d, at %" PRId64 " ns: %" PRId64
                         " ns instead of %" PRId64 " ns\n",
                         d->number + 1, d->src, d->dst, d->time_ns, d->drawn_ns, d->usual_ns);
    }
}
