/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoded fragments and fragment files; see fragment_file.h. */
#include "merge/fragment_file.h"

#include <string.h>

#include "base/try.h"
#include "format/section.h"
#include "format/trace_format.h"
#include "merge/fragment_data.h"

static const uint8_t magic[8] = {0x89, 'P', 'L', 'F', 0x0d, 0x0a, 0x1a, 0x0a};

enum { VERSION = 3, VERSION_BYTES = 2 };

/* Section types of fragment files. No section of a trace has one of these, so neither file can be taken for the other.
 * Only times (SECTION_TIMES) are the same in both. */
enum { SECTION_OF_HEAD = 32, SECTION_OF_FRAGMENT = 33, SECTION_OF_END = 34 };

/* Appends the content of SECTION, whose type must be TYPE, to CONTENT. */
static enum pilgrim_status section_take(const struct section *section, uint8_t type, struct bytes *content)
{
    if (section->damage || section->type != type)
        return PILGRIM_DAMAGED;
    return section_content(section, content);
}

static enum pilgrim_status decode_fragment(const struct section *section, struct fragment **f)
{
    struct bytes packed = {0};
    enum pilgrim_status status = section_take(section, SECTION_OF_FRAGMENT, &packed);
    if (status == PILGRIM_OK)
        status = fragment_unpack(packed.data, packed.length, f);
    bytes_free(&packed);
    return status;
}

/* ---- encoded ---- */

enum pilgrim_status fragment_encode(const struct fragment *f, struct bytes *out)
{
    struct bytes packed = {0};
    fragment_pack(f, &packed);
    enum pilgrim_status status = section_write_fast(out, SECTION_OF_FRAGMENT, &packed);
    bytes_free(&packed);
    bytes_put(out, f->times.data, f->times.length);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

enum pilgrim_status fragment_encode_last(struct fragment *f, struct bytes *out)
{
    struct bytes packed = {0}, times = f->times;
    f->times = (struct bytes){0};
    fragment_pack(f, &packed);
    fragment_free(f);
    enum pilgrim_status status = section_write_fast(out, SECTION_OF_FRAGMENT, &packed);
    bytes_free(&packed);
    bytes_put(out, times.data, times.length);
    bytes_free(&times);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

/* True if all sections from C on are undamaged times sections. */
static bool holds_times(struct cursor c)
{
    struct section section;
    bool good = true;
    while (good && cursor_left(&c))
        good = section_read(&c, &section) == PILGRIM_OK && section.type == SECTION_TIMES && !section.damage;
    return good;
}

static enum pilgrim_status decode_times(const struct cursor *c, struct fragment *f)
{
    if (!holds_times(*c))
        return PILGRIM_DAMAGED;
    bytes_put(&f->times, c->data + c->position, cursor_left(c));
    return bytes_status(&f->times);
}

enum pilgrim_status fragment_decode(const void *data, size_t length, struct fragment **f)
{
    struct cursor c;
    struct section section;
    cursor_init(&c, data, length);
    TRY(section_read(&c, &section));
    TRY(decode_fragment(&section, f));
    enum pilgrim_status status = decode_times(&c, *f);
    if (status != PILGRIM_OK) {
        fragment_free(*f);
        *f = NULL;
    }
    return status;
}

/* ---- files ---- */

static void put_text(struct bytes *b, const char *text)
{
    bytes_put(b, text, strlen(text) + 1);
}

/* Takes the text up to the next 0 byte; borrowed. */
static const char *take_text(struct cursor *c)
{
    const uint8_t *end = cursor_left(c) ? memchr(c->data + c->position, 0, cursor_left(c)) : NULL;
    if (!end) {
        if (c->status == PILGRIM_OK)
            c->status = PILGRIM_DAMAGED;
        return NULL;
    }
    return (const char *)cursor_take(c, (size_t)(end - (c->data + c->position)) + 1);
}

static enum pilgrim_status put_head(const struct fragment_head *head, struct bytes *out)
{
    struct bytes b = {0};
    bytes_put_u64(&b, head->run);
    bytes_put_varint(&b, head->rank);
    bytes_put_varint(&b, head->ranks);
    bytes_put_u8(&b, head->times);
    put_text(&b, head->tracer);
    put_text(&b, head->trace);
    bytes_put_varint(&b, head->property_count);
    for (size_t i = 0; i < head->property_count; i++) {
        put_text(&b, head->properties[i].key);
        put_text(&b, head->properties[i].value);
    }
    /* Only half of it, for the section around it takes some bytes, and a head that does not compress is stored as it
     * is. */
    enum pilgrim_status status = b.length > FRAGMENT_HEAD_BYTES_MAX / 2 ? PILGRIM_LIMIT : PILGRIM_OK;
    if (status == PILGRIM_OK)
        status = section_write_fast(out, SECTION_OF_HEAD, &b);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status parse_head(const struct bytes *texts, struct fragment_head *head)
{
    struct cursor c;
    cursor_init(&c, texts->data, texts->length);
    head->run = cursor_u64(&c);
    head->rank = (uint32_t)cursor_index(&c, UINT32_MAX);
    head->ranks = (uint32_t)cursor_index(&c, (size_t)INT32_MAX + 1); /* MPI's ranks are ints */
    head->times = cursor_u8(&c);
    head->tracer = take_text(&c);
    head->trace = take_text(&c);
    head->property_count = cursor_index(&c, FRAGMENT_PROPERTIES_MAX + 1);
    for (size_t i = 0; i < head->property_count; i++) {
        head->properties[i].key = take_text(&c);
        head->properties[i].value = take_text(&c);
    }
    bool good = c.status == PILGRIM_OK && cursor_left(&c) == 0 && head->rank < head->ranks;
    return good ? PILGRIM_OK : PILGRIM_DAMAGED;
}

/* Passes over magic and version. */
static enum pilgrim_status take_magic(struct cursor *c)
{
    const uint8_t *begin = cursor_take(c, sizeof magic);
    if (!begin || memcmp(begin, magic, sizeof magic))
        return PILGRIM_NOT_TRACE;
    const uint8_t *version = cursor_take(c, VERSION_BYTES);
    if (!version)
        return PILGRIM_TRUNCATED;
    return version[0] == VERSION && version[1] == 0 ? PILGRIM_OK : PILGRIM_VERSION;
}

enum pilgrim_status fragment_file_begin(const struct fragment_head *head, struct bytes *out)
{
    bytes_put(out, magic, sizeof magic);
    bytes_put(out, (const uint8_t[VERSION_BYTES]){VERSION, 0}, VERSION_BYTES);
    TRY(put_head(head, out));
    return bytes_status(out);
}

enum pilgrim_status fragment_file_end(struct bytes *out)
{
    const struct bytes nothing = {0};
    return section_write_fast(out, SECTION_OF_END, &nothing);
}

enum pilgrim_status fragment_file_head(const void *data, size_t length, struct fragment_head *head, struct bytes *texts,
                                       size_t *segments)
{
    struct cursor c;
    struct section section;
    cursor_init(&c, data, length);
    TRY(take_magic(&c));
    TRY(section_read(&c, &section));
    TRY(section_take(&section, SECTION_OF_HEAD, texts));
    *segments = c.position;
    return parse_head(texts, head);
}

/* Reads the section at C and moves C past it, if a fragment file may have such a section. */
static enum pilgrim_status read_next(struct cursor *c, struct section *section)
{
    struct cursor next = *c;
    TRY(section_read(&next, section));
    bool end = section->type == SECTION_OF_END,
         allowed = end || section->type == SECTION_OF_FRAGMENT || section->type == SECTION_TIMES;
    if (section->damage || !allowed || (end && (section->raw || cursor_left(&next))))
        return PILGRIM_DAMAGED;
    *c = next;
    return PILGRIM_OK;
}

enum pilgrim_status fragment_file_scan(struct cursor *c, uint32_t *segments)
{
    struct section section = {0};
    for (*segments = 0; section.type != SECTION_OF_END; *segments += section.type == SECTION_OF_FRAGMENT)
        TRY(read_next(c, &section));
    return PILGRIM_OK;
}

enum pilgrim_status fragment_file_next(struct cursor *c, struct fragment **f)
{
    struct section section;
    *f = NULL;
    do
        TRY(read_next(c, &section));
    while (section.type == SECTION_TIMES);
    return section.type == SECTION_OF_END ? PILGRIM_OK : decode_fragment(&section, f);
}

enum pilgrim_status fragment_file_times(struct cursor *c, const uint8_t **times, size_t *length)
{
    struct section section;
    size_t start;
    *times = NULL;
    do {
        start = c->position;
        TRY(read_next(c, &section));
    } while (section.type == SECTION_OF_FRAGMENT);
    if (section.type == SECTION_TIMES) {
        *times = c->data + start;
        *length = c->position - start;
    }
    return PILGRIM_OK;
}
