/* SPDX-License-Identifier: MIT */
/* Helpers for the cells of columns. */
#include "view/records/columns.h"

#include <string.h>

bool is_unchecked(const struct output *out, const struct row *row)
{
    const struct logp_collective *collective = logp_collective_find(out->collective);

    return row->record.verified && ((out->q->what.list != NULL && out->q->what.as == NULL) ||
                                    (is_faulty(out->q) && collective != NULL &&
                                     collective->operands == LOGP_OPERANDS_NONE));
}

const struct cell no_cell = {.kind = CELL_NOTHING};

struct cell number_cell(enum cell_kind kind, bool valid, int64_t n)
{
    return valid ? (struct cell){.kind = kind, .number = n} : no_cell;
}

struct cell text_cell(const char *s)
{
    return s != NULL ? (struct cell){.kind = CELL_TEXT, .text = s} : no_cell;
}

int64_t at_offset(const void *where, const struct column *col)
{
    int64_t n;

    memcpy(&n, (const char *)where + col->offset, sizeof(n));
    return n;
}

int64_t operand_bytes(const struct output *out)
{
    const struct logp_invocation *c = out->c;
    const struct logp_collective *collective = logp_collective_find(out->collective);
    __int128 bytes = 0;

    if (c->args.blocks != NULL)
        return -1;
    switch (collective != NULL ? collective->operands : LOGP_OPERANDS_NONE) {
    case LOGP_OPERANDS_NONE:
        return -1;
    case LOGP_OPERANDS_BYTES:
        bytes = (__int128)c->args.n_bytes;
        break;
    case LOGP_OPERANDS_VECTOR:
    case LOGP_OPERANDS_TOTAL:
        bytes = (__int128)c->args.count * (__int128)c->args.op->element_bytes;
        break;
    case LOGP_OPERANDS_MATRIX: /* up to 2^31 rows and columns */
        bytes = (__int128)c->args.rows * c->args.cols * (__int128)c->args.n_bytes;
        break;
    }
    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

const char *free_bytes_in(const struct output *out, char buf[MAX_LIST])
{
    const char *text = NULL;

    for (; out != NULL && text == NULL; out = out->next)
        if (out->c != NULL && out->n > 0)
            text = free_bytes_of(out->q, out->collective, out->c, buf);
    return text;
}

void say_free_bytes_in(const struct output *out)
{
    char text[MAX_LIST];

    if (free_bytes_in(out, text) != NULL)
        say_note("%s", text);
}
