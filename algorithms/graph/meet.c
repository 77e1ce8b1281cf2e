/* SPDX-License-Identifier: MIT */
/* Receives and messages that meet: see graph.h. */
#include "graph/graph.h"
#include "operand/operand.h"

#include <errno.h>
#include <stdlib.h>

enum { IN_LINE = 4 }; /* places of the table in a cache line */

int lpi_meetings_init(struct lpi_meetings *m, const struct logp_graph *graph)
{
    bool any = false;

    *m = (struct lpi_meetings){.graph = graph, .space = 64};
    m->table = calloc(m->space, sizeof(*m->table));
    for (int64_t r = 0; r < graph->P; r++)
        any |= graph->wild[r];
    if (any) {
        m->receives = calloc((size_t)graph->P, sizeof(*m->receives));
        m->messages = calloc((size_t)graph->P, sizeof(*m->messages));
    }
    return m->table == NULL || (any && (m->receives == NULL || m->messages == NULL)) ? -ENOMEM : 0;
}

void lpi_meetings_fini(struct lpi_meetings *m)
{
    free(m->table);
    free(m->receives);
    free(m->messages);
}

static uint64_t tag_of(const struct lpi_meetings *m, uint32_t item)
{
    return lpi_operation_tag(m->graph, &m->graph->operations[m->items[item].operation]);
}

/* ---- ranks without wildcards ---- */

/* Tags that follow one another are often used one after the other: they share a cache line. */
static size_t home(const struct lpi_meetings *m, uint32_t rank, uint32_t source, uint64_t tag)
{
    const uint64_t line = tag / IN_LINE * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t key = (line ^ ((uint64_t)rank << 32 | source)) * UINT64_C(0xd6e8feb86659fd93);

    return ((size_t)(key >> 32) * IN_LINE + tag % IN_LINE) & (m->space - 1);
}

static size_t next_place(const struct lpi_meetings *m, size_t i)
{
    return (i + 1) & (m->space - 1);
}

/* The place of a queue, or a free one where it belongs. */
static struct lpi_meeting *find(const struct lpi_meetings *m, uint32_t rank, uint32_t source,
                                uint64_t tag)
{
    size_t i = home(m, rank, source, tag);

    for (; m->table[i].items.first != 0; i = next_place(m, i))
        if (m->table[i].rank == rank && m->table[i].source == source &&
            tag_of(m, m->table[i].items.first) == tag)
            break;
    return &m->table[i];
}

/* Free a place, and move up the queues after it that would no longer be found. */
static void remove_queue(struct lpi_meetings *m, struct lpi_meeting *gone)
{
    size_t hole = (size_t)(gone - m->table);

    for (size_t i = next_place(m, hole); m->table[i].items.first != 0; i = next_place(m, i)) {
        const struct lpi_meeting *at = &m->table[i];
        const size_t from = home(m, at->rank, at->source, tag_of(m, at->items.first));

        if (((i - from) & (m->space - 1)) < ((i - hole) & (m->space - 1)))
            continue;
        m->table[hole] = *at;
        hole = i;
    }
    m->table[hole].items.first = 0;
    m->n--;
}

static int grow(struct lpi_meetings *m)
{
    struct lpi_meetings larger = *m;

    if (m->n < m->space / 4 * 3)
        return 0;
    larger.space = 2 * m->space;
    larger.table = calloc(larger.space, sizeof(*larger.table));
    if (larger.table == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < m->space; i++) {
        const struct lpi_meeting *at = &m->table[i];

        if (at->items.first != 0)
            *find(&larger, at->rank, at->source, tag_of(m, at->items.first)) = *at;
    }
    free(m->table);
    *m = larger;
    return 0;
}

/* ---- ranks with wildcards ---- */

/* Whether a receive and a message fit. */
static bool fits(const struct lpi_meetings *m, uint32_t receive, uint32_t source, uint64_t tag)
{
    const struct lpi_operation *o = &m->graph->operations[m->items[receive].operation];
    const uint64_t wanted = lpi_operation_tag(m->graph, o);

    return (o->peer == source || o->peer == LPI_ANY) &&
           (wanted == tag || wanted == LOGP_GRAPH_ANY_TAG || tag == LOGP_GRAPH_ANY_TAG);
}

/* Whether this item of the other kind fits. */
static bool fits_item(const struct lpi_meetings *m, uint32_t item, uint32_t source, uint64_t tag,
                      bool message)
{
    const uint64_t sent = message ? tag_of(m, item) : tag;

    if (!message)
        return fits(m, item, source, tag);
    return (source == m->items[item].rank || source == LPI_ANY) &&
           (sent == tag || tag == LOGP_GRAPH_ANY_TAG || sent == LOGP_GRAPH_ANY_TAG);
}

static uint32_t take_from_list(struct lpi_meetings *m, struct lpi_queue *q, uint32_t source,
                               uint64_t tag, bool message)
{
    uint32_t before = 0, item = q->first;

    while (item != 0 && !fits_item(m, item, source, tag, message)) {
        before = item;
        item = m->items[item].next;
    }
    if (item == 0)
        return 0;
    if (before == 0)
        q->first = m->items[item].next;
    else
        m->items[before].next = m->items[item].next;
    if (q->last == item)
        q->last = before;
    return item;
}

uint32_t lpi_meetings_take(struct lpi_meetings *m, uint32_t rank, uint32_t source, uint64_t tag,
                           bool message)
{
    struct lpi_meeting *at;
    uint32_t item;

    if (m->graph->wild[rank])
        return take_from_list(m, message ? &m->messages[rank] : &m->receives[rank], source, tag,
                              message);
    at = find(m, rank, source, tag);
    item = at->items.first;
    if (item == 0 ||
        (m->graph->operations[m->items[item].operation].kind == LOGP_STEP_SEND) != message)
        return 0;
    if (m->items[item].next == 0)
        remove_queue(m, at);
    else
        lpi_queue_take(&at->items, m->items);
    return item;
}

int lpi_meetings_put(struct lpi_meetings *m, uint32_t rank, uint32_t source, uint32_t item,
                     bool message)
{
    struct lpi_meeting *at;

    m->items[item].state = LPI_ITEM_MEETING;
    if (m->graph->wild[rank]) {
        lpi_queue_add(message ? &m->messages[rank] : &m->receives[rank], m->items, item);
        return 0;
    }
    if (grow(m) != 0)
        return -ENOMEM;
    at = find(m, rank, source, tag_of(m, item));
    if (at->items.first == 0) {
        at->rank = rank;
        at->source = source;
        m->n++;
    }
    lpi_queue_add(&at->items, m->items, item);
    return 0;
}

static void each_of(const struct lpi_meetings *m, const struct lpi_queue *q, uint32_t rank,
                    void (*call)(void *arg, uint32_t rank, uint32_t item), void *arg)
{
    for (uint32_t item = q->first; item != 0; item = m->items[item].next)
        call(arg, rank, item);
}

void lpi_meetings_each(const struct lpi_meetings *m,
                       void (*call)(void *arg, uint32_t rank, uint32_t item), void *arg)
{
    for (size_t i = 0; i < m->space; i++)
        each_of(m, &m->table[i].items, m->table[i].rank, call, arg);
    for (uint32_t r = 0; m->receives != NULL && r < m->graph->P; r++) {
        each_of(m, &m->receives[r], r, call, arg);
        each_of(m, &m->messages[r], r, call, arg);
    }
}
