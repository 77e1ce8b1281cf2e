/* SPDX-License-Identifier: MIT */
/*
 * All-to-all of items that may differ in size, which go to where they must by the digits, in base k, of
 * how far that is: Bruck's algorithm with any radix. Where they do differ, the sizes of the items of a
 * message go before it, four bytes each. Messages of a place are sent until the first of them should have
 * come.
 *
 * Slot d of scratch has at first what this rank has for rank + d, and at the end what rank - d had for
 * this one, mod P. Where d has been passed on by its lower digits, x in all, that is an item of
 * rank - x. A slot is as large as the largest item that is ever in it.
 *
 * The plan is a list of steps, since all places depend on sizes: so each rank must know the sizes of
 * all ranks' items, and a call of a program, in which it knows its own, cannot use this row.
 */
#include "alltoall.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_P = 256, SIZE_BYTES = 4 };

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    if (c->args.blocks != NULL && c->args.blocks->n != P * P)
        return "the sizes of the items of all ranks";
    return P > MOST_P ? "at most 256 processors" : lpi_knomial_needs(P, c);
}

/* ---- how far to send ahead ---- */

/* Of an average item: a message of a digit, and that of its sizes; digits of a unit. */
struct average {
    struct lpi_times data;
    int64_t sizes, digits;
};

static struct average average(int64_t P, const struct logp_invocation *c, int64_t k, int64_t unit)
{
    const struct logp_blocks *b = c->args.blocks;
    const size_t item = b != NULL ? b->before[b->n] / (size_t)b->n : c->args.n_bytes;
    const int64_t digits = unit <= P / k ? k - 1 : (P - 1) / unit;
    const size_t items = (size_t)lpi_ceil_div(P, digits + 1);

    return (struct average){.data = lpi_times(&c->model.params, lpi_bytes(items, item)),
                            .sizes =
                                b != NULL ? lpi_times(&c->model.params, SIZE_BYTES * items).E : 0,
                            .digits = digits};
}

/* Digits that are sent until the first one comes. */
static int64_t sent_ahead(int64_t P, const struct logp_invocation *c, int64_t k, int64_t unit)
{
    const struct average a = average(P, c, k, unit);
    const int64_t every = a.data.E + a.sizes;

    return every > 0 ? lpi_max(lpi_ceil_div(a.data.D, every), 1) : a.digits;
}

/* ---- the list ---- */

/* plan.state */
struct list {
    struct lpi_planned all;
    int64_t n_sizes;
    size_t sizes_at; /* in scratch, of what this rank sends */
    uint32_t *sizes;
};

struct making {
    int64_t P, rank, k;
    const struct logp_invocation *c;
    struct list *list;
    size_t *slot;        /* by distance: where it is */
    size_t place, heard; /* where a message is packed, and where sizes come to */
};

static size_t size_of(const struct making *m, int64_t from, int64_t distance)
{
    return lpi_alltoall_item_for(m->P, from, lpi_mod(from + distance, m->P), m->c).n_bytes;
}

/* Of the item in slot d of a rank before digits of `unit` are passed on. */
static size_t size_in(const struct making *m, int64_t rank, int64_t d, int64_t unit)
{
    return size_of(m, lpi_mod(rank - d % unit, m->P), d);
}

static int64_t next_unit(const struct making *m, int64_t unit)
{
    return unit > m->P / m->k ? m->P : unit * m->k;
}

static bool has_digit(const struct making *m, int64_t d, int64_t unit, int64_t digit)
{
    return d / unit % m->k == digit;
}

static struct logp_step *next(const struct making *m)
{
    return &m->list->all.steps[m->list->all.n++];
}

static void copy(const struct making *m, enum logp_buffer to, size_t at, enum logp_buffer from,
                 size_t from_at, size_t n_bytes)
{
    if (n_bytes > 0) /* there may be no buffer */
        logp_step_copy(next(m), (struct logp_buffer_ref){to, at},
                       (struct logp_buffer_ref){from, from_at}, n_bytes);
}

/* The items of a message to or from where they are packed. @return its bytes */
static size_t pack(const struct making *m, int64_t unit, int64_t digit, int64_t from, bool back)
{
    size_t bytes = 0;

    for (int64_t d = digit * unit; d < m->P; d++)
        if (has_digit(m, d, unit, digit)) {
            const size_t n = size_in(m, from, d, unit), packed = m->place + bytes;

            copy(m, LOGP_SCRATCH, back ? m->slot[d] : packed, LOGP_SCRATCH,
                 back ? packed : m->slot[d], n);
            bytes += n;
        }
    return bytes;
}

static void send(struct making *m, int64_t unit, int64_t digit)
{
    const int64_t to = lpi_mod(m->rank + digit * unit, m->P), first = m->list->n_sizes;
    const int tag = m->c->args.tag;
    const size_t bytes = pack(m, unit, digit, m->rank, false);

    for (int64_t d = digit * unit; d < m->P; d++)
        if (has_digit(m, d, unit, digit))
            m->list->sizes[m->list->n_sizes++] = (uint32_t)size_in(m, m->rank, d, unit);
    if (m->c->args.blocks != NULL)
        logp_step_send(next(m), to, tag, LOGP_SCRATCH,
                       m->list->sizes_at + (size_t)first * SIZE_BYTES,
                       (size_t)(m->list->n_sizes - first) * SIZE_BYTES);
    logp_step_send(next(m), to, tag, LOGP_SCRATCH, m->place, bytes);
    m->place += bytes;
}

static size_t bytes_from(const struct making *m, int64_t from, int64_t unit, int64_t digit,
                         int64_t *items)
{
    size_t bytes = 0;

    *items = 0;
    for (int64_t d = digit * unit; d < m->P; d++)
        if (has_digit(m, d, unit, digit)) {
            bytes += size_in(m, from, d, unit);
            ++*items;
        }
    return bytes;
}

static void receive(struct making *m, int64_t unit, int64_t digit)
{
    const int64_t from = lpi_mod(m->rank - digit * unit, m->P);
    const int tag = m->c->args.tag;
    int64_t items;
    const size_t bytes = bytes_from(m, from, unit, digit, &items);

    if (m->c->args.blocks != NULL)
        logp_step_receive(next(m), from, tag, LOGP_SCRATCH, m->heard, (size_t)items * SIZE_BYTES);
    m->heard += (size_t)items * SIZE_BYTES;
    logp_step_receive(next(m), from, tag, LOGP_SCRATCH, m->place, bytes);
    pack(m, unit, digit, from, true);
    m->place += bytes;
}

static void write_sizes(const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const struct list *list = c->plan.state;

    (void)buf, (void)recv_buf;
    if (list->n_sizes > 0)
        memcpy((char *)c->plan.scratch + list->sizes_at, list->sizes,
               (size_t)list->n_sizes * SIZE_BYTES);
}

static void make_steps(struct making *m)
{
    struct logp_step *sizes = next(m);

    logp_step_compute(sizes, 0, 0);
    sizes->at = sizes->right = (struct logp_buffer_ref){LOGP_SCRATCH, m->list->sizes_at};
    sizes->work = write_sizes;
    for (int64_t d = 0; d < m->P; d++) {
        const struct lpi_alltoall_item item =
            lpi_alltoall_item_for(m->P, m->rank, lpi_mod(m->rank + d, m->P), m->c);

        copy(m, LOGP_SCRATCH, m->slot[d], LOGP_BUF, item.at, item.n_bytes);
    }
    for (int64_t unit = 1; unit < m->P; unit = next_unit(m, unit)) {
        const int64_t ahead = sent_ahead(m->P, m->c, m->k, unit);
        const int64_t digits = unit <= m->P / m->k ? m->k - 1 : (m->P - 1) / unit;

        for (int64_t i = 1; i < digits + ahead; i++) {
            if (i <= digits)
                send(m, unit, i);
            if (i >= ahead && i - ahead < digits)
                receive(m, unit, i - ahead + 1);
        }
    }
    for (int64_t d = 0; d < m->P; d++) {
        const struct lpi_alltoall_item item =
            lpi_alltoall_item_from(m->P, m->rank, lpi_mod(m->rank - d, m->P), m->c);

        copy(m, LOGP_RECV_BUF, item.at, LOGP_SCRATCH, m->slot[d], item.n_bytes);
    }
    sizes->n_bytes = (size_t)m->list->n_sizes * SIZE_BYTES;
}

/* ---- the plan ---- */

/* Places of the slots, one behind the other. @return where they end */
static size_t place_slots(const struct making *m)
{
    size_t at = 0;

    for (int64_t d = 0; d < m->P; d++) {
        size_t most = size_of(m, m->rank, d);

        for (int64_t unit = 1; unit < m->P; unit = next_unit(m, unit)) {
            const size_t after = size_in(m, m->rank, d, next_unit(m, unit));

            most = after > most ? after : most;
        }
        m->slot[d] = at;
        at += most;
    }
    return at;
}

/* How many items this rank sends, and as many come; and how many messages. */
static void count(const struct making *m, int64_t *items, int64_t *messages)
{
    *items = *messages = 0;
    for (int64_t unit = 1; unit < m->P; unit = next_unit(m, unit)) {
        for (int64_t d = unit; d < m->P; d++)
            *items += d / unit % m->k != 0;
        for (int64_t digit = 1; digit < m->k && digit * unit < m->P; digit++)
            ++*messages;
    }
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    struct making m = {.P = P, .rank = rank, .k = lpi_knomial_radix(P, c), .c = c};
    int64_t items, messages;
    size_t n_steps;

    count(&m, &items, &messages);
    n_steps = (size_t)(1 + 2 * P + 2 * items + 4 * messages);
    m.slot = malloc((size_t)P * sizeof(*m.slot));
    m.list = calloc(1, sizeof(*m.list) + n_steps * sizeof(m.list->all.steps[0]) +
                           (size_t)items * SIZE_BYTES);
    if (m.slot == NULL || m.list == NULL) {
        free(m.slot);
        free(m.list);
        return -ENOMEM;
    }
    m.list->all.steps = (struct logp_step *)(m.list + 1);
    m.list->sizes = (uint32_t *)&m.list->all.steps[n_steps];
    m.list->sizes_at = (place_slots(&m) + SIZE_BYTES - 1) / SIZE_BYTES * SIZE_BYTES;
    m.heard = m.list->sizes_at + (size_t)items * SIZE_BYTES;
    m.place = m.heard + (size_t)items * SIZE_BYTES;
    make_steps(&m);
    free(m.slot);
    c->plan.state = m.list;
    c->plan.scratch_bytes = m.place;
    c->plan.early = true;
    return 0;
}

/* ---- the row ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("alltoall", "tuna", "bruck-k for items of unlike sizes, which go before them",
                    "Bruck et al. 1997"),
     .needs = needs, .plan = plan, .steps = lpi_planned_steps, .in_place = true, .any_blocks = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
};

const struct lpi_rows lpi_alltoall_tuna = LPI_ROWS(algorithms);
