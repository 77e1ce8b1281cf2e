/* SPDX-License-Identifier: MIT */
/* The lanes of a machine: see lane.h. */
#include "host/host.h"
#include "mail/lane.h"
#include "state/state.h"

#include <errno.h>
#include <stdlib.h>

/* A line stays with its consumer until the producer has begun the next: the least are two. */
enum { DEFAULT_LINES = 1024, FEW_LINES = 16, LEAST_LINES = 2, TOTAL_LINES = 1 << 18 };

static unsigned lines_per_lane(int wanted, int n_cores)
{
    unsigned n = DEFAULT_LINES;

    if (wanted < 0)
        return 0;
    if (wanted > 0)
        n = wanted > LEAST_LINES ? (unsigned)wanted : LEAST_LINES;
    while (wanted == 0 && n > FEW_LINES && n * (unsigned)n_cores * (unsigned)n_cores > TOTAL_LINES)
        n /= 2;
    while ((n & (n - 1)) != 0)
        n += n & -n;
    return n;
}

int lpi_lanes_create(struct logp_machine *m, int lines)
{
    const size_t n = (size_t)m->n_cores;
    const unsigned n_lines = lines_per_lane(lines, m->n_cores);
    const size_t line_bytes = sizeof(struct line) + (m->has_windows ? 2 * sizeof(struct lpi_sent) : 0);
    const size_t lane_bytes = sizeof(struct lpi_lane) + n_lines * line_bytes;
    const size_t stride = (lane_bytes + LPI_LINE - 1) / LPI_LINE * LPI_LINE;
    struct lpi_lane **table;

    if (n == 1)
        return 0;
    m->lane_stride = stride;
    m->lanes = lpi_memory_zeroed(n * n, stride);
    if (!m->has_windows) /* a claim would show before the window's end that a message was sent */
        m->direct = lpi_memory_zeroed((size_t)m->P, sizeof(*m->direct));
    table = calloc(2 * n * n, sizeof(struct lpi_lane *));
    if (m->lanes == NULL || (m->direct == NULL && !m->has_windows) || table == NULL) {
        free(table);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        m->cores[i].n_in = m->n_cores;
        m->cores[i].in = table + 2 * n * i;
        m->cores[i].out = m->cores[i].in + n;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            struct lpi_lane *lane =
                (struct lpi_lane *)(void *)((char *)m->lanes + (i * n + j) * stride);

            if (i == j)
                continue;
            lane->n_lines = n_lines;
            lane->lines = n_lines > 0 ? (struct line *)(void *)(lane + 1) : NULL;
            if (m->has_windows && n_lines > 0)
                lane->sent = (struct lpi_sent *)(void *)(lane->lines + n_lines);
            m->cores[i].out[j] = lane;
            m->cores[j].in[i] = lane;
        }
    }
    return 0;
}

void lpi_lanes_destroy(struct logp_machine *m)
{
    if (m->cores != NULL)
        free(m->cores[0].in);
    lpi_memory_free(m->direct, (size_t)m->P, sizeof(*m->direct));
    lpi_memory_free(m->lanes, (size_t)m->n_cores * (size_t)m->n_cores, m->lane_stride);
}

bool lpi_lanes_quiet(const struct logp_machine *m)
{
    for (int i = 0; i < m->n_cores; i++) {
        for (int j = 0; j < m->n_cores; j++) {
            const struct lpi_lane *l = i != j ? m->cores[i].out[j] : NULL;

            /* acquire pairs with the releases in lpi_lane_publish(), lpi_lane_pass(),
             * put_into_mailbox() and drain_mailbox() */
            if (l != NULL && (atomic_load_explicit(&l->tail, memory_order_acquire) !=
                                  atomic_load_explicit(&l->head, memory_order_acquire) ||
                              atomic_load_explicit(&l->q_sent, memory_order_acquire) !=
                                  atomic_load_explicit(&l->q_taken, memory_order_acquire)))
                return false;
        }
    }
    return true;
}
