/* SPDX-License-Identifier: MIT */
/* proto.c: the wire format of protocol buffers, and a file of Perfetto's trace packets. */
#ifndef LOGP_TOOL_PROTO_H
#define LOGP_TOOL_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packets that have not been written yet. Starts as {0}. */
struct proto {
    unsigned char *data;
    size_t n, capacity;
    bool lost; /* there was no memory */
};

void proto_number(struct proto *p, unsigned field, uint64_t value);
void proto_fixed64(struct proto *p, unsigned field, uint64_t value);
void proto_text(struct proto *p, unsigned field, const char *text);
/* A message within: what is put between the two. @return for proto_end() */
size_t proto_begin(struct proto *p, unsigned field);
void proto_end(struct proto *p, size_t begun);

/* A packet of the trace: the same. When there is enough it is written to stdout, compressed where
 * the command was built so. */
size_t packet_begin(struct proto *p);
void packet_end(struct proto *p, size_t begun);
/* Write what is left. @return false: there was no memory */
bool packets_finish(struct proto *p);

#endif
