/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of a datatype are in a file: a tree as that of the datatype, in the form of the file, in which
 * the place of a byte is found in a time that depends on the depth of the tree and the logarithm of its width. So a view
 * needs no list of its pieces.
 */
#include "file.h"

#include <stdlib.h>
#include <string.h>

enum kind { ROW, ROWS, BLOCKS };

struct layout {
    enum kind kind;
    MPI_Offset bytes, extent;
    MPI_Offset first, last,
        end; /* offsets of the first byte, of the last row, after the last byte */
    bool ascends, is_apart;
    size_t n;           /* ROWS: n times `block` olds, `stride` apart; BLOCKS: n */
    MPI_Offset block;   /* ROWS */
    MPI_Offset stride;  /* ROWS */
    MPI_Offset *at;     /* BLOCKS: where each begins, */
    MPI_Offset *blocks; /* its olds, */
    MPI_Offset *before; /* and the bytes before it; n + 1 of them */
    struct layout **olds;
};

/* Distances in the file are `num / den` of those in memory. */
struct scale {
    const struct form *form;
    MPI_Offset num, den;
    bool is_even; /* that holds of all basic types so far */
};

static MPI_Offset scaled(const struct scale *s, ptrdiff_t distance)
{
    return s->is_even && s->den > 0
               ? distance / s->den * s->num + distance % s->den * s->num / s->den
               : distance;
}

/* All basic types of a datatype that can be used for other forms are of one size, mostly. Others have distances in
 * bytes, which stay. */
static void find_scale(const struct type *t, struct scale *s)
{
    MPI_Offset extent;

    if (t->kind == TYPE_BASIC) {
        extent = mpi_form_extent(s->form, t);
        if (s->den == 0) {
            s->num = extent;
            s->den = t->extent;
        }
        s->is_even = s->is_even && s->num * t->extent == s->den * extent;
        return;
    }
    if (t->olds == NULL && t->old != NULL)
        find_scale(t->old, s);
    for (size_t i = 0; t->olds != NULL && i < t->count; i++)
        if (i == 0 || t->olds[i] != t->olds[i - 1])
            find_scale(t->olds[i], s);
}

void mpi_free_layout(struct layout *l)
{
    const size_t n_olds = l == NULL || l->kind == ROW ? 0 : l->kind == ROWS ? 1 : l->n;

    if (l == NULL)
        return;
    for (size_t i = 0; l->olds != NULL && i < n_olds; i++)
        if (i == 0 || l->olds[i] != l->olds[i - 1])
            mpi_free_layout(l->olds[i]);
    free(l->olds);
    free(l->at);
    free(l->blocks);
    free(l->before);
    free(l);
}

/* n bytes from `at` on. NULL: no memory, here and below */
static struct layout *new_row(MPI_Offset n, MPI_Offset extent)
{
    struct layout *l = calloc(1, sizeof(*l));

    if (l != NULL)
        *l = (struct layout){
            .kind = ROW, .bytes = n, .extent = extent, .end = n, .ascends = true, .is_apart = true};
    return l;
}

/* n olds begin at `at`. */
static void include(struct layout *l, const struct layout *old, MPI_Offset at, MPI_Offset n)
{
    const bool is_first = l->bytes == 0, is_row = old->kind == ROW && old->extent == old->bytes;

    if (n == 0 || old->bytes == 0)
        return;
    l->ascends = l->ascends && old->ascends && (n == 1 || old->extent + old->first >= old->last) &&
                 (is_first || at + old->first >= l->last);
    l->is_apart = l->is_apart && old->is_apart &&
                  (n == 1 || old->extent + old->first >= old->end) &&
                  (is_first || at + old->first >= l->end);
    if (is_first || at + old->first < l->first)
        l->first = at + old->first;
    l->last = at + (is_row ? 0 : (n - 1) * old->extent) + old->last;
    l->end = at + (n - 1) * old->extent + old->end;
    l->bytes += n * old->bytes;
}

static struct layout *new_blocks(enum kind kind, size_t n, size_t n_olds)
{
    struct layout *l = calloc(1, sizeof(*l));

    if (l == NULL)
        return NULL;
    *l = (struct layout){.kind = kind, .n = n, .ascends = true, .is_apart = true};
    l->olds = calloc(n_olds + 1, sizeof(struct layout *));
    if (kind == BLOCKS) {
        l->at = calloc(n + 1, sizeof(*l->at));
        l->blocks = calloc(n + 1, sizeof(*l->blocks));
        l->before = calloc(n + 1, sizeof(*l->before));
    }
    if (l->olds == NULL ||
        (kind == BLOCKS && (l->at == NULL || l->blocks == NULL || l->before == NULL))) {
        l->n = 0;
        mpi_free_layout(l);
        return NULL;
    }
    return l;
}

static struct layout *layout_of(const struct type *t, const struct scale *s);

static struct layout *of_vector(const struct type *t, const struct scale *s)
{
    struct layout *l = new_blocks(ROWS, t->count, 1), *old;

    if (l == NULL || (l->olds[0] = old = layout_of(t->old, s)) == NULL) {
        mpi_free_layout(l);
        return NULL;
    }
    l->block = (MPI_Offset)t->block;
    l->stride = scaled(s, t->stride);
    if (old->kind == ROW && old->extent == old->bytes) { /* a block is one row */
        old->bytes = old->extent = old->end = l->block * old->bytes;
        l->block = 1;
    }
    for (size_t i = 0; i < t->count && i < 2; i++) /* the others are alike */
        include(l, old, (MPI_Offset)i * l->stride, l->block);
    if (t->count > 2) {
        const MPI_Offset more = (MPI_Offset)(t->count - 2);

        l->last += more * l->stride;
        l->end += more * l->stride;
        l->bytes += more * l->block * old->bytes;
    }
    l->extent = scaled(s, t->extent);
    return l;
}

static const struct type *old_of(const struct type *t, size_t i)
{
    return t->olds != NULL ? t->olds[i] : t->old;
}

static struct layout *of_blocks(const struct type *t, const struct scale *s)
{
    struct layout *l = new_blocks(BLOCKS, t->count, t->count);

    for (size_t i = 0; l != NULL && i < t->count; i++) {
        const struct type *old = old_of(t, i);

        l->olds[i] = i > 0 && old == old_of(t, i - 1) ? l->olds[i - 1] : layout_of(old, s);
        if (l->olds[i] == NULL) {
            mpi_free_layout(l);
            return NULL;
        }
        l->at[i] = scaled(s, t->displs[i]);
        l->blocks[i] = (MPI_Offset)t->blocks[i];
        l->before[i] = l->bytes;
        include(l, l->olds[i], l->at[i], l->blocks[i]);
        l->before[i + 1] = l->bytes;
    }
    if (l != NULL)
        l->extent = scaled(s, t->extent);
    return l;
}

/* A value, and an index after a gap. */
static struct layout *of_pair(const struct type *t)
{
    struct layout *l = new_blocks(BLOCKS, 2, 2);
    const MPI_Offset index = (MPI_Offset)sizeof(int);

    if (l == NULL)
        return NULL;
    l->olds[0] = new_row((MPI_Offset)t->size - index, (MPI_Offset)t->size - index);
    l->olds[1] = new_row(index, index);
    if (l->olds[0] == NULL || l->olds[1] == NULL) {
        mpi_free_layout(l);
        return NULL;
    }
    l->at[1] = t->true_ub - index;
    for (int i = 0; i < 2; i++) {
        l->blocks[i] = 1;
        include(l, l->olds[i], l->at[i], 1);
        l->before[i + 1] = l->bytes;
    }
    l->extent = t->extent;
    return l;
}

static struct layout *layout_of(const struct type *t, const struct scale *s)
{
    const bool converts = mpi_form_converts(s->form);

    if (t->kind == TYPE_BASIC && converts)
        return new_row(mpi_form_extent(s->form, t), mpi_form_extent(s->form, t));
    if (t->dense && !converts)
        return new_row((MPI_Offset)t->size, t->extent);
    return t->kind == TYPE_BASIC    ? of_pair(t)
           : t->kind == TYPE_VECTOR ? of_vector(t, s)
                                    : of_blocks(t, s);
}

struct layout *mpi_new_layout(const struct type *type, const struct form *form)
{
    struct scale s = {.form = form, .is_even = true};

    if (mpi_form_converts(form))
        find_scale(type, &s);
    else
        s.is_even = false;
    return layout_of(type, &s);
}

MPI_Offset mpi_layout_bytes(const struct layout *l)
{
    return l->bytes;
}

MPI_Offset mpi_layout_extent(const struct layout *l)
{
    return l->extent;
}

bool mpi_layout_ascends(const struct layout *l, bool apart)
{
    return l->bytes == 0 || (l->first >= 0 && l->ascends && l->extent + l->first >= l->last &&
                             (!apart || (l->is_apart && l->extent + l->first >= l->end)));
}

/* ---- places ---- */

static size_t block_with(const struct layout *l, MPI_Offset from)
{
    size_t low = 0, high = l->n; /* before[low] <= from < before[high] */

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        *(l->before[middle] <= from ? &low : &high) = middle;
    }
    return low;
}

/* Where byte `from` < l->bytes is; *n: how many follow in its row, with itself */
static MPI_Offset place_of(const struct layout *l, MPI_Offset from, MPI_Offset *n)
{
    MPI_Offset at = 0;

    while (l->kind != ROW) {
        const size_t i = l->kind == BLOCKS ? block_with(l, from)
                                           : (size_t)(from / (l->block * l->olds[0]->bytes));
        const struct layout *old = l->kind == BLOCKS ? l->olds[i] : l->olds[0];

        from -= l->kind == BLOCKS ? l->before[i] : (MPI_Offset)i * l->block * old->bytes;
        at += l->kind == BLOCKS ? l->at[i] : (MPI_Offset)i * l->stride;
        at += from / old->bytes * old->extent;
        from %= old->bytes;
        l = old;
    }
    *n = l->bytes - from;
    return at + from;
}

struct extent mpi_piece_at(const struct view *v, MPI_Offset from, MPI_Offset most)
{
    const struct layout *l = v->layout;
    struct extent p = {0};

    if (l->bytes == 0 || most <= 0)
        return p;
    if (l->kind == ROW && l->extent == l->bytes)
        return (struct extent){v->disp + from, most};
    while (p.n < most) { /* rows that follow each other are one piece */
        MPI_Offset n;
        const MPI_Offset next = from + p.n, at = v->disp + next / l->bytes * l->extent +
                                                 place_of(l, next % l->bytes, &n);

        if (p.n > 0 && at != p.at + p.n)
            return p;
        p.at = p.n > 0 ? p.at : at;
        p.n += n < most - p.n ? n : most - p.n;
    }
    return p;
}

MPI_Offset mpi_bytes_before(const struct view *v, MPI_Offset offset)
{
    const struct layout *l = v->layout;
    MPI_Offset low = 0, high, n;

    if (offset <= v->disp || l->bytes == 0)
        return 0;
    high = (l->extent > 0 ? (offset - v->disp) / l->extent + 1 : 1) * l->bytes;
    while (low < high) { /* bytes before `low` are before the offset, and the byte `high` is not */
        const MPI_Offset middle = low + (high - low) / 2;

        if (v->disp + middle / l->bytes * l->extent + place_of(l, middle % l->bytes, &n) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
