/* SPDX-License-Identifier: MIT */
/*
 * The wire format of protocol buffers: a field is its number and type, and a value; a nested
 * message is its length and its fields.
 *
 * Packets are written in blocks of 256 KiB or more: a compressed block is one packet that contains
 * them.
 */
#include "view/trace/trace.h"
#include "text/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef LOGP_HAS_ZLIB
#include <zlib.h>
#endif

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
enum { TRACE_PACKET = 1, PACKET_COMPRESSED = 50 };
enum { BLOCK = 256 << 10, LEVEL = 1, MOST_VARINT = 10 };

/* Make space for n more bytes. */
static void make_space(struct proto *p, size_t n)
{
    if (p->capacity - p->n >= n)
        return;
    p->capacity = (p->capacity > 0 ? 2 * p->capacity : 2 * BLOCK) + n;
    p->data = need(realloc(p->data, p->capacity));
}

static size_t put_varint(unsigned char *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (unsigned char)(value | 0x80);
    out[n++] = (unsigned char)value;
    return n;
}

static void put_key(struct proto *p, unsigned field, unsigned type)
{
    p->n += put_varint(p->data + p->n, (uint64_t)field << 3 | type);
}

void proto_number(struct proto *p, unsigned field, uint64_t value)
{
    make_space(p, 2 * MOST_VARINT);
    put_key(p, field, VARINT);
    p->n += put_varint(p->data + p->n, value);
}

void proto_fixed64(struct proto *p, unsigned field, uint64_t value)
{
    make_space(p, MOST_VARINT + 8);
    put_key(p, field, FIXED64);
    for (int i = 0; i < 8; i++)
        p->data[p->n++] = (unsigned char)(value >> 8 * i);
}

void proto_text(struct proto *p, unsigned field, const char *text)
{
    char *shown = shown_text(text); /* Perfetto accepts UTF-8 only */
    const size_t n = strlen(shown);

    make_space(p, 2 * MOST_VARINT + n);
    put_key(p, field, LENGTH);
    p->n += put_varint(p->data + p->n, n);
    memcpy(p->data + p->n, shown, n);
    p->n += n;
    free(shown);
}

size_t proto_begin(struct proto *p, unsigned field)
{
    make_space(p, MOST_VARINT + 1);
    put_key(p, field, LENGTH);
    return ++p->n; /* most lengths are one byte */
}

void proto_end(struct proto *p, size_t begun)
{
    unsigned char length[MOST_VARINT];
    size_t n;

    make_space(p, MOST_VARINT);
    n = put_varint(length, p->n - begun);
    if (n > 1)
        memmove(p->data + begun + n - 1, p->data + begun, p->n - begun);
    memcpy(p->data + begun - 1, length, n);
    p->n += n - 1;
}

static void write_block(struct proto *p)
{
#ifdef LOGP_HAS_ZLIB
    unsigned char head[2 * (MOST_VARINT + 1)], inner[2 * MOST_VARINT];
    uLongf bytes = compressBound(p->n);
    unsigned char *small = need(malloc(bytes));
    size_t n, m;

    if (compress2(small, &bytes, p->data, p->n, LEVEL) != Z_OK)
        need(NULL);
    m = put_varint(inner, (uint64_t)PACKET_COMPRESSED << 3 | LENGTH);
    m += put_varint(inner + m, bytes);
    n = put_varint(head, TRACE_PACKET << 3 | LENGTH);
    n += put_varint(head + n, m + bytes);
    fwrite(head, 1, n, p->f);
    fwrite(inner, 1, m, p->f);
    fwrite(small, 1, bytes, p->f);
    free(small);
#else
    fwrite(p->data, 1, p->n, p->f);
#endif
    p->n = 0;
}

size_t packet_begin(struct proto *p)
{
    return proto_begin(p, TRACE_PACKET);
}

void packet_end(struct proto *p, size_t begun)
{
    proto_end(p, begun);
    if (p->n >= BLOCK)
        write_block(p);
}

void packets_finish(struct proto *p)
{
    if (p->n > 0)
        write_block(p);
    free(p->data);
}
