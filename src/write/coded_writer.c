/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out what the coder of calls must know of a fragment's definitions; see format/calls_code.h. Decides what is
 * coded. */
#include "write/coded_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "format/calls_code.h"
#include "format/definitions_code.h"
#include "format/section.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"

/* What coding costs, about. A section that is one of many may take some ns for each call, but not too little for few
 * calls; one alone is bounded by its length. */
#define NS_AT_ALL       300000
#define NS_A_BYTE       300
#define BOUND_NS_A_CALL 200
#define BOUND_NS_MIN    250000

/* What is larger is compressed with zstd as well, and the shorter form is taken. It may be zstd's where long texts
 * repeat, or numbers are drawn at random. */
#define CODED_AT_ONCE_MAX (1u << 14)

/* Calls that take so many times fewer bytes coded are not drawn at random. */
#define CALLS_SURE 4

static bool is_cheap(uint64_t length, uint64_t calls, bool again)
{
    uint64_t bound = calls < UINT32_MAX ? calls * BOUND_NS_A_CALL : UINT64_MAX;
    return !again || NS_AT_ALL + length * NS_A_BYTE <= (bound > BOUND_NS_MIN ? bound : BOUND_NS_MIN);
}

static bool is_loop(const struct fragment *f, uint32_t function)
{
    static const char declaration[] = LOOP_FUNCTION ":";
    size_t length;
    const uint8_t *data = intern_get(&f->functions, function, &length);
    return length == sizeof declaration - 1 && !memcmp(data, declaration, length);
}

static enum pilgrim_status fill(const struct fragment *f, const struct intern *shapes, const struct calls_known *known)
{
    size_t length;
    for (uint32_t i = 0; i < f->classes.count; i++) {
        struct cursor c;
        const uint8_t *data = intern_get(&f->classes, i, &length);
        cursor_init(&c, data, length);
        known->classes[i].function = (uint32_t)(cursor_varint(&c) >> 1);
        if (known->classes[i].function >= f->functions.count)
            return PILGRIM_DAMAGED;
        known->classes[i].is_loop = is_loop(f, known->classes[i].function);
    }
    for (uint32_t i = 0; i < shapes->count; i++) {
        bool ignored;
        const uint8_t *data = intern_get(shapes, i, &length);
        known->shapes[i].tokens = data;
        known->shapes[i].length = length;
        TRY(shape_slots(data, length, &known->shapes[i].columns, &ignored));
    }
    return PILGRIM_OK;
}

/* Codes CONTENT. What cannot be coded leaves CODED empty. */
static enum pilgrim_status encode(const struct fragment *f, const struct intern *shapes, const struct bytes *content,
                                  struct bytes *coded)
{
    struct calls_known known = {
        .class_count = f->classes.count, .shape_count = shapes->count, .function_count = f->functions.count};
    known.classes = malloc((known.class_count + 1) * sizeof *known.classes);
    known.shapes = malloc((known.shape_count + 1) * sizeof *known.shapes);
    enum pilgrim_status status = known.classes && known.shapes ? fill(f, shapes, &known) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        status = calls_encode(&known, content, coded);
        if (status == PILGRIM_DAMAGED) {
            coded->length = 0;
            status = PILGRIM_OK;
        }
    }
    free(known.classes);
    free(known.shapes);
    return status;
}

/* Appends the section with CONTENT to OUT: as CODED, unless that is empty; as type PLAIN, if that is shorter. SURE:
 * it is not. */
static enum pilgrim_status write_shorter(const struct bytes *content, uint8_t plain, const struct bytes *coded,
                                         uint8_t coded_type, bool sure, uint64_t calls, bool again, struct bytes *out)
{
    const size_t start = out->length;
    if (!coded->length || !sure)
        TRY(section_write_bounded(out, plain, content, calls, again));
    if (!coded->length || (out->length > start && coded->length >= out->length - start))
        return PILGRIM_OK;
    out->length = start;
    return section_write_coded(out, coded_type, coded, content->length);
}

enum pilgrim_status calls_section_write(const struct fragment *f, const struct intern *shapes,
                                        const struct bytes *content, bool again, bool plain, struct bytes *out)
{
    struct bytes coded = {0};
    enum pilgrim_status status = PILGRIM_OK;
    if (!plain && !content->failed && content->length <= CODED_CALLS_MAX && is_cheap(content->length, f->calls, again))
        status = encode(f, shapes, content, &coded);
    if (coded.length >= content->length || content->length > CODED_RATIO_MAX * coded.length)
        coded.length = 0;
    if (status == PILGRIM_OK)
        status = write_shorter(content, SECTION_CALLS, &coded, SECTION_CODED_CALLS,
                               content->length <= CODED_AT_ONCE_MAX || coded.length <= content->length / CALLS_SURE,
                               f->calls, again, out);
    bytes_free(&coded);
    return status;
}

/* Codes CONTENT if that takes little time. What is not coded leaves CODED empty. */
static enum pilgrim_status encode_definitions(const struct bytes *content, uint64_t calls, bool again,
                                              struct bytes *coded)
{
    if (content->failed || content->length > CODED_DEFINITIONS_MAX || !is_cheap(content->length, calls, again))
        return PILGRIM_OK;
    enum pilgrim_status status = definitions_encode(content, coded);
    const bool is_good =
        status == PILGRIM_OK && content->length <= (uint64_t)CODED_DEFINITIONS_RATIO_MAX * coded->length;
    if (!is_good)
        coded->length = 0;
    return status == PILGRIM_DAMAGED ? PILGRIM_OK : status;
}

enum pilgrim_status definitions_section_write(const struct bytes *content, uint64_t calls, bool again, bool plain,
                                              struct bytes *out)
{
    struct bytes coded = {0};
    enum pilgrim_status status = plain ? PILGRIM_OK : encode_definitions(content, calls, again, &coded);
    if (status == PILGRIM_OK)
        status = write_shorter(content, SECTION_DEFINITIONS, &coded, SECTION_CODED_DEFINITIONS,
                               content->length <= CODED_AT_ONCE_MAX, calls, again, out);
    bytes_free(&coded);
    return status;
}
