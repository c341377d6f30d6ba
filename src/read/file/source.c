/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a trace; see source.h. */
#include "read/file/source.h"

#include <errno.h>
#include <unistd.h>

#define HEAD_BYTES 4096 /* enough for a section's head, and often for the whole section */

/* Appends up to COUNT bytes at OFFSET, fewer if the file ends. */
static enum pilgrim_status read_file(int descriptor, uint64_t offset, size_t count, struct bytes *room)
{
    uint8_t *to = count ? bytes_reserve(room, count) : NULL;
    if (count && !to)
        return PILGRIM_NOMEM;
    while (count > 0) {
        ssize_t got = pread(descriptor, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PILGRIM_IO;
        if (got == 0)
            break;
        room->length += (size_t)got;
        offset += (size_t)got;
        to += got;
        count -= (size_t)got;
    }
    return PILGRIM_OK;
}

enum pilgrim_status source_read(const struct trace_source *s, uint64_t offset, uint64_t count, struct bytes *room,
                                const uint8_t **data, size_t *got)
{
    uint64_t left = offset < s->length ? s->length - offset : 0;
    *got = (size_t)(count < left ? count : left);
    if (s->data) {
        *data = s->data + (offset < s->length ? offset : s->length);
        return PILGRIM_OK;
    }
    bytes_free(room);
    enum pilgrim_status status = read_file(s->descriptor, offset, *got, room);
    *data = room->data;
    *got = room->length;
    return status;
}

enum pilgrim_status source_head(const struct trace_source *s, uint64_t offset, struct bytes *room,
                                struct section *section, uint64_t *whole)
{
    const uint8_t *data;
    size_t got;
    struct cursor bytes;
    enum pilgrim_status status = source_read(s, offset, HEAD_BYTES, room, &data, &got);
    if (status != PILGRIM_OK)
        return status;
    cursor_init(&bytes, data, got);
    status = section_read_head(&bytes, section);
    section->offset = offset;
    *whole = bytes.position + (uint64_t)section->stored_length;
    if (status == PILGRIM_OK && (*whole < bytes.position || *whole > s->length - offset))
        status = PILGRIM_TRUNCATED;
    return status;
}

enum pilgrim_status source_section(const struct trace_source *s, uint64_t *offset, struct bytes *room,
                                   struct section *section)
{
    const uint8_t *data;
    size_t got;
    uint64_t start = *offset;
    struct cursor bytes;
    enum pilgrim_status status = source_read(s, start, HEAD_BYTES, room, &data, &got);
    if (status != PILGRIM_OK)
        return status;
    cursor_init(&bytes, data, got);
    uint64_t whole = section_length(&bytes);
    if (whole > got && !s->data && (whole < s->length - start ? whole : s->length - start) > s->memory)
        return PILGRIM_LIMIT;
    if (whole > got) {
        status = source_read(s, start, whole, room, &data, &got);
        if (status != PILGRIM_OK)
            return status;
    }
    cursor_init(&bytes, data, got);
    status = section_read(&bytes, section);
    section->offset = start;
    *offset = start + bytes.position;
    return status;
}
