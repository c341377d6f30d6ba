/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections: framing, checksum, compression; see section.h.
 *
 * The checksum (XXH32) covers the type and the lengths, too, so that no byte of a file can change unnoticed. Contents
 * are compressed with zstd. A content that compresses better than SECTION_RATIO_MAX is padded. So a reader can refuse
 * to allocate more than that many times what it was given, and accepts all that writers make. */
#include "format/section.h"

#include <string.h>

#include "format/compress_parts.h"
#include "format/definitions_code.h"
#include "format/dictionary.h"
#include "format/trace_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#define SKIPPABLE_HEAD_BYTES 8
#define PEEK_WINDOW_LOG      22 /* memory for a beginning: our writers have no larger window for less than 1 MiB */

static size_t dictionary_bytes(uint8_t type)
{
    return section_begins_shard(type) ? dictionary_length : 0;
}

/* The strongest level takes memory and time that grow with the content. A content that is larger than this mostly
 * does not compress well: level 22 makes 5.66 MB of 6.9 MB of random values in 3 s, level 12 makes 5.82 MB in 0.4 s. */
#define STRONGEST_CONTENT_MAX (1u << 20)
#define LEVEL_STRONGEST       22
#define LEVEL_LARGE           12

/* What a level costs, about; and what compressing may take: some ns for each call, but not too little for few calls. */
static const struct {
    int level;
    unsigned ns_a_byte;
} costs[] = {{LEVEL_STRONGEST, 1000}, {LEVEL_LARGE, 110}, {9, 60}, {6, 30}, {3, 10}};
#define BOUND_NS_A_CALL    200
#define BOUND_NS_MIN       64000000
#define BOUND_NS_MIN_AGAIN 250000 /* for a section that is one of many */

/* In a large content tables of 1 MiB find as much as the tables of 12 MiB that level 9 has. */
#define TABLES_CONTENT_MIN (1u << 18)
#define TABLES_LOG         18
#define TABLES_LEVEL_MIN   5 /* lower levels have smaller tables anyway */

/* Limits where time counts. */
#define FAST_CONTENT_MIN 400
#define LEVEL_FAST       1
#define LEVEL_NONE       0

/* Limits for a content of parts. If numbers are as good as random, short and distant matches only do harm. */
#define PART_MATCH_MIN 7
#define PART_HASH_LOG  9

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
    /* Division, not multiplication, so neither side can overflow. */
    const uint64_t ratio = section_has_coded_calls(s->stored_type)         ? CODED_RATIO_MAX
                           : section_has_coded_definitions(s->stored_type) ? CODED_DEFINITIONS_RATIO_MAX
                                                                           : SECTION_RATIO_MAX;
    if (s->raw / ratio + (s->raw % ratio != 0) > s->stored_length)
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

enum pilgrim_status section_read_head(struct cursor *file, struct section *section)
{
    *section = (struct section){.offset = file->position};
    section->stored_type = cursor_u8(file);
    section->type = section_type_of(section->stored_type);
    section->raw = cursor_varint(file);
    section->stored_length = (size_t)cursor_varint(file);
    section->checksum = cursor_u32(file);
    return file->status;
}

enum pilgrim_status section_read(struct cursor *file, struct section *section)
{
    size_t start = file->position;
    enum pilgrim_status status = section_read_head(file, section);
    size_t head_length = file->position - sizeof section->checksum - start;
    if (status == PILGRIM_OK && section->stored_length > cursor_left(file))
        status = file->status = PILGRIM_TRUNCATED;
    if (status != PILGRIM_OK)
        return status;
    section->stored = cursor_take(file, section->stored_length);
    if (checksum(file->data + start, head_length, section->stored, section->stored_length) != section->checksum)
        section->damage = "wrong checksum";
    else
        section->damage = find_damage(section);
    return PILGRIM_OK;
}

enum pilgrim_status section_content(const struct section *section, struct bytes *content)
{
    if (section->damage || section_has_coded_calls(section->stored_type))
        return PILGRIM_DAMAGED;
    if (section_has_coded_definitions(section->stored_type))
        return section->raw > CODED_DEFINITIONS_MAX
                   ? PILGRIM_DAMAGED
                   : definitions_decode(section->stored_type, section->stored, section->stored_length,
                                        (size_t)section->raw, content);
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

enum pilgrim_status section_peek(void **context, const struct section *section, const uint8_t *stored, size_t held,
                                 uint8_t *to, size_t count, size_t *length)
{
    *length = 0;
    if (count > section->raw)
        count = (size_t)section->raw;
    if (section->raw == section->stored_length) {
        *length = held < count ? held : count;
        if (*length)
            memcpy(to, stored, *length);
        return PILGRIM_OK;
    }
    if (!*context && !(*context = ZSTD_createDCtx()))
        return PILGRIM_NOMEM;
    ZSTD_DCtx_reset(*context, ZSTD_reset_session_only);
    ZSTD_DCtx_setParameter(*context, ZSTD_d_windowLogMax, PEEK_WINDOW_LOG);
    ZSTD_inBuffer in = {stored, held, 0};
    ZSTD_outBuffer out = {to, count, 0};
    size_t before, result;
    do {
        before = in.pos + out.pos;
        result = ZSTD_decompressStream(*context, &out, &in);
    } while (!ZSTD_isError(result) && out.pos < count && in.pos + out.pos > before);
    *length = out.pos;
    if (!ZSTD_isError(result))
        return PILGRIM_OK;
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? PILGRIM_NOMEM : PILGRIM_DAMAGED;
}

void section_peek_free(void *context)
{
    ZSTD_freeDCtx(context);
}

/* ---- writing ---- */

/* Appends a skippable frame if needed, so that CONTENT_LENGTH is at most SECTION_RATIO_MAX times the stored length. */
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

/* Returns a compressor for contents of sections, or NULL without memory. */
static ZSTD_CCtx *compressor(int level)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (context) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0); /* the head of the section has it */
    }
    return context;
}

/* Compresses CONTENT into OUT, which is empty. */
static enum pilgrim_status compress(uint8_t type, const struct bytes *content, int level, struct bytes *out)
{
    size_t bound = ZSTD_compressBound(content->length);
    ZSTD_CCtx *context = compressor(level);
    if (context && content->length > TABLES_CONTENT_MIN && level >= TABLES_LEVEL_MIN && level < LEVEL_LARGE) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, TABLES_LOG);
        ZSTD_CCtx_setParameter(context, ZSTD_c_chainLog, TABLES_LOG);
    }
    uint8_t *to = bytes_reserve(out, bound + !bound);
    if (!context || !to) {
        ZSTD_freeCCtx(context);
        return PILGRIM_NOMEM;
    }
    size_t length = ZSTD_CCtx_refPrefix(context, dictionary, dictionary_bytes(type));
    if (!ZSTD_isError(length))
        length = ZSTD_compress2(context, to, bound, content->data, content->length);
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(length))
        return compressor_error(length);
    out->length += length;
    pad(out, content->length);
    return bytes_status(out);
}

/* As compress, for a content of parts. *CONTEXT_AT is NULL or the context of the section before. */
static enum pilgrim_status pack_parts(void **context_at, const struct bytes *content, const size_t *ends, size_t count,
                                      struct bytes *out)
{
    ZSTD_CCtx *context = *context_at ? *context_at : compressor(LEVEL_FAST);
    if (!context)
        return PILGRIM_NOMEM;
    *context_at = context;
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only); /* if the section before failed */
    ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, PART_MATCH_MIN);
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, PART_HASH_LOG);
    ZSTD_CCtx_setPledgedSrcSize(context, content->length);
    enum pilgrim_status status = compress_parts(context, content, ends, count, out);
    if (status == PILGRIM_OK)
        pad(out, content->length);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

/* Appends a section whose content has RAW bytes. */
static enum pilgrim_status put_stored(struct bytes *out, uint8_t type, size_t raw, const struct bytes *stored)
{
    size_t start = out->length;
    bytes_put_u8(out, type);
    bytes_put_varint(out, raw);
    bytes_put_varint(out, stored->length);
    if (!out->failed)
        bytes_put_u32(out, checksum(out->data + start, out->length - start, stored->data, stored->length));
    bytes_put(out, stored->data, stored->length);
    return bytes_status(out);
}

/* Appends a section with CONTENT. PACKED is its compressed form, or empty. */
static enum pilgrim_status put_section(struct bytes *out, uint8_t type, const struct bytes *content,
                                       const struct bytes *packed)
{
    return put_stored(out, type, content->length,
                      packed->length && packed->length < content->length ? packed : content);
}

static enum pilgrim_status write_section(struct bytes *out, uint8_t type, const struct bytes *content, int level)
{
    if (content->failed)
        return PILGRIM_NOMEM;
    struct bytes packed = {0};
    enum pilgrim_status status = level == LEVEL_NONE ? PILGRIM_OK : compress(type, content, level, &packed);
    if (status == PILGRIM_OK)
        status = put_section(out, type, content, &packed);
    bytes_free(&packed);
    return status;
}

enum pilgrim_status section_write(struct bytes *out, uint8_t type, const struct bytes *content)
{
    int level = content->length > STRONGEST_CONTENT_MAX ? LEVEL_LARGE : LEVEL_STRONGEST;
    return write_section(out, type, content, content->length ? level : LEVEL_NONE);
}

enum pilgrim_status section_write_stored(struct bytes *out, uint8_t type, const struct bytes *content)
{
    return write_section(out, type, content, LEVEL_NONE);
}

enum pilgrim_status section_write_bounded(struct bytes *out, uint8_t type, const struct bytes *content, uint64_t calls,
                                          bool again)
{
    const unsigned count = sizeof costs / sizeof costs[0];
    uint64_t bound = calls < UINT32_MAX ? calls * BOUND_NS_A_CALL : UINT64_MAX;
    uint64_t least = again ? BOUND_NS_MIN_AGAIN : BOUND_NS_MIN;
    size_t length = content->length + dictionary_bytes(type); /* the compressor reads it first */
    unsigned i = content->length > STRONGEST_CONTENT_MAX;
    if (bound < least)
        bound = least;
    while (i + 1 < count && length > bound / costs[i].ns_a_byte)
        i++;
    return write_section(out, type, content, content->length ? costs[i].level : LEVEL_NONE);
}

enum pilgrim_status section_write_coded(struct bytes *out, uint8_t type, const struct bytes *coded, size_t raw)
{
    return coded->failed ? PILGRIM_NOMEM : put_stored(out, type, raw, coded);
}

enum pilgrim_status section_write_fast(struct bytes *out, uint8_t type, const struct bytes *content)
{
    return write_section(out, type, content, content->length < FAST_CONTENT_MIN ? LEVEL_NONE : LEVEL_FAST);
}

enum pilgrim_status section_write_parts(void **context, struct bytes *out, uint8_t type, const struct bytes *content,
                                        const size_t *ends, size_t count)
{
    if (content->failed)
        return PILGRIM_NOMEM;
    struct bytes packed = {0};
    enum pilgrim_status status = pack_parts(context, content, ends, count, &packed);
    if (status == PILGRIM_OK)
        status = put_section(out, type, content, &packed);
    bytes_free(&packed);
    return status;
}

void section_write_free(void *context)
{
    ZSTD_freeCCtx(context);
}
