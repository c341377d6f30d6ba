/* Sections: framing, checksum, compression; see section.h.
 *
 * The checksum covers the type and the lengths too, so that no byte of a file can change unnoticed. A content that
 * compresses better than SECTION_RATIO_MAX is followed by padding: so a reader can refuse to allocate more than that
 * many times what it was given, and no writer makes a file that it refuses. */
#include "format/section.h"

#include "format/trace_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#define SKIPPABLE_HEAD_BYTES 8

/* Lines of dictionary.txt, each with a 0 byte at its end: what definitions speak of. Most traces are so small that they
 * would hardly get to repeat a name. It has been the same since version 2 of the format. */
static const char dictionary[] =
#include "dictionary.inc"
    ;

static size_t dictionary_bytes(uint8_t type)
{
    return type == SECTION_DEFINITIONS ? sizeof dictionary - 1 : 0;
}

/* The strongest level takes memory and time that grow with the content. What is larger than this is mostly disorder: of 6.9 MB of
 * random values it makes 5.66 MB in 3 s, level 12 makes 5.82 MB in 0.4 s. */
#define STRONGEST_CONTENT_MAX (1u << 20)
#define LEVEL_STRONGEST 22
#define LEVEL_LARGE 12

/* Where time counts. */
#define FAST_CONTENT_MIN 400
#define LEVEL_FAST 1
#define LEVEL_NONE 0

static uint32_t checksum(const uint8_t *head, size_t head_length, const uint8_t *stored, size_t stored_length)
{
    XXH32_state_t state;
    XXH32_reset(&state, 0);
    XXH32_update(&state, head, head_length);
    if (stored_length)
        XXH32_update(&state, stored, stored_length);
    return XXH32_digest(&state);
}

/* ---- reading ---- */

static const char *find_damage(const struct section *s)
{
    /* Divided, not multiplied: neither side can overflow. */
    if (s->raw / SECTION_RATIO_MAX + (s->raw % SECTION_RATIO_MAX != 0) > s->stored_length)
        return "announces more content than its bytes can hold";
    return NULL;
}

uint64_t section_length(struct cursor *c)
{
    size_t start = c->position;
    cursor_u8(c);
    cursor_varint(c);
    uint64_t stored = cursor_varint(c), head = c->position - start + sizeof(uint32_t);
    return c->status == PILGRIM_OK && stored <= UINT64_MAX - head ? head + stored : 0;
}

enum pilgrim_status section_read(struct cursor *file, struct section *section)
{
    size_t start = file->position;
    *section = (struct section){.offset = start, .type = cursor_u8(file), .raw = cursor_varint(file)};
    uint64_t stored_length = cursor_varint(file);
    size_t head_length = file->position - start;
    section->checksum = cursor_u32(file);
    if (file->status == PILGRIM_OK && stored_length > cursor_left(file))
        file->status = PILGRIM_TRUNCATED;
    if (file->status != PILGRIM_OK)
        return file->status;
    section->stored_length = (size_t)stored_length;
    section->stored = cursor_take(file, section->stored_length);
    if (checksum(file->data + start, head_length, section->stored, section->stored_length) != section->checksum)
        section->damage = "wrong checksum";
    else
        section->damage = find_damage(section);
    return PILGRIM_OK;
}

enum pilgrim_status section_content(const struct section *section, struct bytes *content)
{
    if (section->damage)
        return PILGRIM_DAMAGED;
    if (section->raw == section->stored_length) {
        bytes_put(content, section->stored, section->stored_length);
        return bytes_status(content);
    }
    size_t raw = (size_t)section->raw;
    uint8_t *to = bytes_reserve(content, raw + !raw);
    if (!to)
        return PILGRIM_NOMEM;
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return PILGRIM_NOMEM;
    size_t length = ZSTD_decompress_usingDict(context, to, raw, section->stored, section->stored_length, dictionary,
                                              dictionary_bytes(section->type));
    ZSTD_freeDCtx(context);
    if (ZSTD_isError(length) || length != raw)
        return PILGRIM_DAMAGED;
    content->length += raw;
    return PILGRIM_OK;
}

/* ---- writing ---- */

/* Appends a skippable frame, if needed, so that CONTENT_LENGTH is at most SECTION_RATIO_MAX times what is stored. */
static void pad(struct bytes *stored, size_t content_length)
{
    size_t least = content_length / SECTION_RATIO_MAX + (content_length % SECTION_RATIO_MAX != 0);
    if (stored->length >= least)
        return;
    size_t missing = least - stored->length;
    size_t filler = missing > SKIPPABLE_HEAD_BYTES ? missing - SKIPPABLE_HEAD_BYTES : 0;
    bytes_put_u32(stored, ZSTD_MAGIC_SKIPPABLE_START);
    bytes_put_u32(stored, (uint32_t)filler);
    for (size_t i = 0; i < filler; i++)
        bytes_put_u8(stored, 0);
}

/* Appends CONTENT, compressed, to OUT, which is empty. */
static enum pilgrim_status compress(uint8_t type, const struct bytes *content, int level, struct bytes *out)
{
    size_t bound = ZSTD_compressBound(content->length);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    uint8_t *to = bytes_reserve(out, bound + !bound);
    if (!context || !to) {
        ZSTD_freeCCtx(context);
        return PILGRIM_NOMEM;
    }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0); /* the section says it */
    size_t length = ZSTD_CCtx_refPrefix(context, dictionary, dictionary_bytes(type));
    if (!ZSTD_isError(length))
        length = ZSTD_compress2(context, to, bound, content->data, content->length);
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(length))
        return ZSTD_getErrorCode(length) == ZSTD_error_memory_allocation ? PILGRIM_NOMEM : PILGRIM_LIMIT;
    out->length += length;
    pad(out, content->length);
    return bytes_status(out);
}

static enum pilgrim_status write_section(struct bytes *out, uint8_t type, const struct bytes *content, int level)
{
    if (content->failed)
        return PILGRIM_NOMEM;
    struct bytes packed = {0};
    enum pilgrim_status status = level == LEVEL_NONE ? PILGRIM_OK : compress(type, content, level, &packed);
    if (status == PILGRIM_OK) {
        const struct bytes *stored = packed.length && packed.length < content->length ? &packed : content;
        size_t start = out->length;
        bytes_put_u8(out, type);
        bytes_put_varint(out, content->length);
        bytes_put_varint(out, stored->length);
        if (!out->failed)
            bytes_put_u32(out, checksum(out->data + start, out->length - start, stored->data, stored->length));
        bytes_put(out, stored->data, stored->length);
        status = bytes_status(out);
    }
    bytes_free(&packed);
    return status;
}

enum pilgrim_status section_write(struct bytes *out, uint8_t type, const struct bytes *content)
{
    int level = content->length > STRONGEST_CONTENT_MAX ? LEVEL_LARGE : LEVEL_STRONGEST;
    return write_section(out, type, content, content->length ? level : LEVEL_NONE);
}

enum pilgrim_status section_write_fast(struct bytes *out, uint8_t type, const struct bytes *content)
{
    return write_section(out, type, content, content->length < FAST_CONTENT_MIN ? LEVEL_NONE : LEVEL_FAST);
}
