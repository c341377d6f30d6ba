/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes files of sections under right checksums; see sections.h. */
#include "sections.h"

#include <stdbool.h>
#include <string.h>

#include "format/section.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t length, size_t max);

enum { PARTS_MAX = 64, CONTENT_MAX = 1 << 16, GROWTH = 64 };

/* The sections of a file, with their contents. Coded calls stay coded, behind four bytes that say `raw`; so do coded
 * definitions of odd length. Others become plain ones, so that both are tried. */
struct parts {
    size_t count;
    uint8_t type[PARTS_MAX];
    struct bytes content[PARTS_MAX];
};

static void parts_free(struct parts *p)
{
    for (size_t i = 0; i < p->count; i++)
        bytes_free(&p->content[i]);
    p->count = 0;
}

static bool is_coded(uint8_t stored_type)
{
    return section_has_coded_calls(stored_type) || stored_type == SECTION_CODED_DEFINITIONS;
}

/* Takes the file apart, up to what is no section. Contents that are large, or cannot be read, are left out. */
static void parts_read(struct parts *p, const uint8_t *data, size_t length, size_t head)
{
    struct cursor c;
    struct section section;
    p->count = 0;
    cursor_init(&c, data, length);
    if (!cursor_take(&c, head))
        return;
    while (cursor_left(&c) > 0 && p->count < PARTS_MAX && section_read(&c, &section) == PILGRIM_OK) {
        struct bytes *content = &p->content[p->count];
        *content = (struct bytes){0};
        section.damage = NULL;
        if (section_has_coded_calls(section.stored_type) ||
            (section.stored_type == SECTION_CODED_DEFINITIONS && section.raw % 2)) {
            bytes_put_u32(content, (uint32_t)section.raw);
            bytes_put(content, section.stored, section.stored_length);
            p->type[p->count++] = section.stored_type;
        } else if (section.raw > CONTENT_MAX || section_content(&section, content) != PILGRIM_OK)
            bytes_free(content);
        else
            p->type[p->count++] =
                section.stored_type == SECTION_CODED_DEFINITIONS ? SECTION_DEFINITIONS : section.stored_type;
    }
}

static enum pilgrim_status write_part(struct bytes *out, uint8_t type, const struct bytes *content)
{
    if (!is_coded(type) || content->length < 4)
        return section_write_stored(out, type, content);
    struct bytes coded = *content;
    coded.data += 4;
    coded.length -= 4;
    return section_write_coded(out, type, &coded, bytes_get_u32(content->data));
}

/* Writes the file into DATA. Returns its length, or 0 if it has more than MAX bytes. */
static size_t parts_write(const struct parts *p, uint8_t *data, size_t max, size_t head)
{
    struct bytes out = {0};
    bool good = true;
    bytes_put(&out, data, head);
    for (size_t i = 0; i < p->count && good; i++)
        good = write_part(&out, p->type[i], &p->content[i]) == PILGRIM_OK;
    size_t length = good && !out.failed && out.length <= max ? out.length : 0;
    if (length)
        memcpy(data, out.data, length);
    bytes_free(&out);
    return length;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void change_content(struct bytes *content)
{
    size_t length = content->length;
    if (bytes_reserve(content, GROWTH) && content->data)
        content->length = LLVMFuzzerMutate(content->data, length, length + GROWTH);
}

static void insert(struct parts *p, size_t at, uint8_t type, const struct bytes *content)
{
    struct bytes copy = {0};
    bytes_put(&copy, content->data, content->length);
    if (p->count == PARTS_MAX) {
        bytes_free(&copy);
        return;
    }
    memmove(&p->content[at + 1], &p->content[at], (p->count - at) * sizeof copy);
    memmove(&p->type[at + 1], &p->type[at], p->count - at);
    p->content[at] = copy;
    p->type[at] = type;
    p->count++;
}

static void leave_out(struct parts *p, size_t at)
{
    bytes_free(&p->content[at]);
    p->count--;
    memmove(&p->content[at], &p->content[at + 1], (p->count - at) * sizeof p->content[0]);
    memmove(&p->type[at], &p->type[at + 1], p->count - at);
}

static void change(struct parts *p, uint64_t *state)
{
    const size_t at = next(state) % p->count;
    switch (next(state) % 32) {
    case 0:
        insert(p, next(state) % (p->count + 1), p->type[at], &p->content[at]);
        break;
    case 1:
        leave_out(p, at);
        break;
    case 2:
        p->type[at] = (uint8_t)next(state);
        break;
    default:
        change_content(&p->content[at]);
    }
}

size_t sections_mutate(uint8_t *data, size_t length, size_t max, unsigned seed, size_t head)
{
    struct parts p;
    uint64_t state = seed;
    size_t changed = 0;
    parts_read(&p, data, length, head);
    if (p.count > 0 && next(&state) % 64) {
        for (uint64_t i = next(&state) % 3 + 1; i > 0 && p.count > 0; i--)
            change(&p, &state);
        changed = parts_write(&p, data, max, head);
    }
    parts_free(&p);
    return changed ? changed : LLVMFuzzerMutate(data, length, max);
}

size_t sections_cross(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length, uint8_t *out,
                      size_t max, unsigned seed, size_t head)
{
    struct parts first, second;
    uint64_t state = seed;
    size_t length = 0;
    parts_read(&first, one, one_length, head);
    parts_read(&second, other, other_length, head);
    if (first.count > 0 && second.count > 0 && head <= max) {
        const size_t at = next(&state) % second.count;
        if (next(&state) % 2)
            leave_out(&first, next(&state) % first.count);
        insert(&first, next(&state) % (first.count + 1), second.type[at], &second.content[at]);
        memcpy(out, one, head);
        length = parts_write(&first, out, max, head);
    }
    parts_free(&first);
    parts_free(&second);
    return length;
}
