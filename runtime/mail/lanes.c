/* SPDX-License-Identifier: MIT */
/* The lanes of a machine: see lane.h. */
#include "host/host.h"
#include "mail/lane.h"
#include "state/state.h"

#include <errno.h>
#include <stdlib.h>

/* A line stays with its consumer until the producer has begun the next: the least are two. */
enum { DEFAULT_LINES = 1024, FEW_LINES = 16, LEAST_LINES = 2, TOTAL_LINES = 1 << 18 };

static unsigned lines_per_lane(int wanted, size_t n_cores)
{
    unsigned n = DEFAULT_LINES;

    if (wanted < 0)
        return 0;
    if (wanted > 0)
        n = wanted > LEAST_LINES ? (unsigned)wanted : LEAST_LINES;
    while (wanted == 0 && n > FEW_LINES && n * n_cores * n_cores > TOTAL_LINES)
        n /= 2;
    while ((n & (n - 1)) != 0)
        n += n & -n;
    return n;
}

/* Both halves of n lanes, and the list of those that are polled: the row of a core. */
static size_t row_bytes(size_t n)
{
    const size_t bytes =
        n * (sizeof(struct lpi_lane_out) + sizeof(struct lpi_lane_in) + sizeof(void *));

    return (bytes + LPI_LINE - 1) / LPI_LINE * LPI_LINE;
}

int lpi_lanes_create(struct logp_machine *m, int lines)
{
    const size_t n = (size_t)m->n_cores;

    if (n == 1)
        return 0;
    m->lane_lines = lines_per_lane(lines, n);
    m->lane_stride = row_bytes(n);
    m->lanes = lpi_memory_apart(n, m->lane_stride);
    if (!m->has_windows) /* a claim would show before the window's end that a message was sent */
        m->direct = lpi_memory_zeroed((size_t)m->P, sizeof(*m->direct));
    if (m->lanes == NULL || (m->direct == NULL && !m->has_windows))
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        struct lpi_core *c = &m->cores[i];

        c->n_in = m->n_cores;
        c->out = (struct lpi_lane_out *)(void *)((char *)m->lanes + i * m->lane_stride);
        c->in = (struct lpi_lane_in *)(void *)(c->out + n);
        c->polled.lanes = (struct lpi_lane_in **)(void *)(c->in + n);
    }
    return 0;
}

void lpi_lanes_destroy(struct logp_machine *m)
{
    for (int i = 0; m->cores != NULL && i < m->n_cores; i++)
        for (int k = 0; k < m->cores[i].polled.n_made; k++)
            /* relaxed: the machine is quiet */
            free(atomic_load_explicit(&m->cores[i].polled.lanes[k]->lines, memory_order_relaxed));
    lpi_memory_free(m->direct, (size_t)m->P, sizeof(*m->direct));
    lpi_memory_apart_free(m->lanes, (size_t)m->n_cores, m->lane_stride);
}

void lpi_lane_make(struct lpi_core *c, int from)
{
    const unsigned n = c->machine->lane_lines;
    const size_t line =
        sizeof(struct line) + (c->machine->has_windows ? 2 * sizeof(struct lpi_place) : 0);
    const size_t bytes = (n * line + LPI_LINE - 1) / LPI_LINE * LPI_LINE;
    struct lpi_lane_in *l = &c->in[from];
    struct line *lines = n > 0 ? aligned_alloc(LPI_LINE, bytes) : NULL;

    if (lines == NULL)
        return;
    memset(lines, 0, bytes);
    l->n_lines = n;
    c->polled.lanes[c->polled.n_made++] = l;
    if (!c->machine->has_windows)
        c->polled.n = c->polled.n_made;
    lpi_pause();
    /* release pairs with the acquire in lpi_lane_look(): no line has an entry */
    atomic_store_explicit(&l->lines, lines, memory_order_release);
}

bool lpi_lane_look(struct lpi_lane_out *l, const struct lpi_core *c, const struct lpi_proc *to)
{
    const struct lpi_lane_in *in = lpi_lane_other_half(c, to);
    /* relaxed: its own */
    const uint64_t next = (atomic_load_explicit(&l->tail, memory_order_relaxed) + 1) / 2;

    if (l->lines == NULL) {
        /* acquire pairs with the release in lpi_lane_make(): the lines are empty */
        l->lines = atomic_load_explicit(&in->lines, memory_order_acquire);
        if (l->lines != NULL)
            l->n_lines = c->machine->lane_lines;
    }
    /* acquire pairs with the release in lpi_lane_pass(): the line has been read */
    l->head_seen = atomic_load_explicit(&in->head, memory_order_acquire);
    return next - l->head_seen / 2 < l->n_lines;
}

bool lpi_lanes_quiet(const struct logp_machine *m)
{
    for (int i = 0; i < m->n_cores; i++) {
        for (int j = 0; j < m->cores[i].n_in; j++) {
            const struct lpi_lane_out *out = &m->cores[i].out[j];
            const struct lpi_lane_in *in = &m->cores[j].in[i];

            /* acquire pairs with the releases in lpi_lane_publish(), lpi_lane_pass(),
             * put_into_mailbox() and drain_mailbox() */
            if (atomic_load_explicit(&out->tail, memory_order_acquire) !=
                    atomic_load_explicit(&in->head, memory_order_acquire) ||
                atomic_load_explicit(&out->q_sent, memory_order_acquire) !=
                    atomic_load_explicit(&in->q_taken, memory_order_acquire))
                return false;
        }
    }
    return true;
}
