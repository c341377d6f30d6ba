/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes messages in the wire format of Protocol Buffers: fields with a number and a wire type, messages within
 * messages with their length before them. https://protobuf.dev/programming-guides/encoding/ */
#ifndef CONVERT_PROTOBUF_H
#define CONVERT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: an empty message. */
struct protobuf {
    unsigned char *bytes;
    size_t used, capacity;
    bool short_of_memory; /* what was put since is lost */
};

void protobuf_clear(struct protobuf *p); /* keeps the memory */
void protobuf_free(struct protobuf *p);

void protobuf_uint(struct protobuf *p, uint32_t field, uint64_t value);
void protobuf_int(struct protobuf *p, uint32_t field, int64_t value); /* int64, not sint64 */
void protobuf_fixed64(struct protobuf *p, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *p, uint32_t field, const void *bytes, size_t length);
void protobuf_text(struct protobuf *p, uint32_t field, const char *text);

/* Begins a message within the message: what is put from here to protobuf_close, which takes what protobuf_open
 * returned. */
size_t protobuf_open(struct protobuf *p, uint32_t field);
void protobuf_close(struct protobuf *p, size_t at);

#endif
