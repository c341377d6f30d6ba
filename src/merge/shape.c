/* From keys to shapes, and shapes to other string tables. One loop over tokens each; see base/value.h. */
#include "merge/shape.h"

#include "base/value.h"

enum pilgrim_status shape_split(const uint8_t *key, size_t length, const uint32_t *names, uint32_t name_count,
                                struct bytes *shape, struct bytes *slots, uint32_t *missing)
{
    struct cursor c;
    cursor_init(&c, key, length);
    while (cursor_left(&c) > 0) {
        uint8_t tag = cursor_u8(&c);
        bytes_put_u8(shape, tag);
        switch (tag) {
        case VALUE_NAME:
        case VALUE_OBJECT: {
            const uint8_t *at = cursor_take(&c, 2);
            uint32_t name = at ? (uint32_t)(at[0] | at[1] << 8) : 0;
            if (!at || name >= name_count)
                return PILGRIM_DAMAGED;
            if (names[name] == UINT32_MAX) {
                *missing = name;
                return PILGRIM_INVALID;
            }
            bytes_put_varint(shape, names[name]);
            break;
        }
        case VALUE_STRING:
        case VALUE_SYMBOL: {
            uint32_t count = cursor_u32(&c);
            const uint8_t *text = cursor_take(&c, count);
            if (!text)
                return PILGRIM_DAMAGED;
            bytes_put_varint(shape, count);
            bytes_put(shape, text, count);
            break;
        }
        case VALUE_ARRAY:
        case VALUE_FLAGS:
            bytes_put_varint(shape, cursor_u32(&c));
            break;
        case VALUE_STATUS:
            bytes_put_u8(shape, cursor_u8(&c));
            break;
        default:
            if (tag == 0 || tag >= VALUE_TAG_COUNT)
                return PILGRIM_DAMAGED;
        }
        size_t slot_bytes = 8 * (size_t)value_slots(tag);
        const uint8_t *at = cursor_take(&c, slot_bytes);
        if (!at)
            return PILGRIM_DAMAGED;
        bytes_put(slots, at, slot_bytes);
    }
    if (c.status != PILGRIM_OK)
        return PILGRIM_DAMAGED;
    return shape->failed || slots->failed ? PILGRIM_NOMEM : PILGRIM_OK;
}

enum pilgrim_status shape_rewrite(const uint8_t *shape, size_t length, const uint32_t *map, uint32_t count,
                                  struct bytes *out, uint32_t *slots)
{
    struct cursor c;
    cursor_init(&c, shape, length);
    *slots = 0;
    while (cursor_left(&c) > 0) {
        size_t start = c.position;
        uint8_t tag = cursor_u8(&c);
        uint64_t name;
        switch (tag) {
        case VALUE_NAME:
        case VALUE_OBJECT:
            name = cursor_varint(&c);
            if (map && name >= count)
                return PILGRIM_DAMAGED;
            if (map) {
                bytes_put_u8(out, tag);
                bytes_put_varint(out, map[name]);
            }
            break;
        case VALUE_STRING:
        case VALUE_SYMBOL:
            cursor_take(&c, cursor_count(&c, 1));
            break;
        case VALUE_ARRAY:
        case VALUE_FLAGS:
            cursor_varint(&c);
            break;
        case VALUE_STATUS:
            cursor_u8(&c);
            break;
        default:
            if (tag == 0 || tag >= VALUE_TAG_COUNT)
                return PILGRIM_DAMAGED;
        }
        if (c.status != PILGRIM_OK)
            return PILGRIM_DAMAGED;
        if (map && tag != VALUE_NAME && tag != VALUE_OBJECT)
            bytes_put(out, shape + start, c.position - start);
        *slots += value_slots(tag);
    }
    return map ? bytes_status(out) : PILGRIM_OK;
}
