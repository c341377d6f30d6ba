/* SPDX-License-Identifier: BSD-3-Clause */
/* Values as text; see value_text.h. */
#include "analysis/value_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_CANCELLED = 3 };

static void add_bytes(struct value_text *t, const char *bytes, size_t length)
{
    if (t->capacity - t->used < length) {
        const size_t capacity = 2 * (t->used + length) + 64;
        char *grown = t->failed ? NULL : realloc(t->text, capacity);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->text = grown;
        t->capacity = capacity;
    }
    memcpy(t->text + t->used, bytes, length);
    t->used += length;
}

static void add_text(struct value_text *t, const char *text)
{
    add_bytes(t, text, strlen(text));
}

static void add_int(struct value_text *t, const char *word, int64_t value)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
    add_text(t, word);
    add_bytes(t, digits, (size_t)length);
}

void value_text_name(struct value_text *t, const char *text, size_t length)
{
    char shown[PILGRIM_PRINTABLE_MAX];
    for (size_t n; length > 0; text += n, length -= n) {
        n = pilgrim_printable(text, length, shown);
        add_text(t, shown);
    }
}

/* Appends a string of the program in quotes. */
static void add_string(struct value_text *t, const char *text, size_t length)
{
    char shown[PILGRIM_PRINTABLE_MAX];
    add_text(t, "\"");
    for (size_t n; length > 0; text += n, length -= n) {
        n = pilgrim_printable(text, length, shown);
        if (*text == '"' || *text == '\\')
            add_text(t, "\\");
        add_text(t, shown);
    }
    add_text(t, "\"");
}

/* Appends the fewest digits that read back as the same number. */
static void add_real(struct value_text *t, double real)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, real);
        if (strtod(digits, NULL) == real)
            break;
    }
    add_text(t, digits);
}

static void add_items(struct value_text *t, const struct pilgrim_value *v, const char *separator)
{
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            add_text(t, separator);
        value_text_add(t, &v->items[i]);
    }
}

static void add_status(struct value_text *t, const struct pilgrim_value *v)
{
    static const char *const keys[] = {"source=", "tag=", "bytes=", "cancelled=", "error="};
    const char *separator = "{";
    for (size_t i = 0; i < v->count && i < sizeof keys / sizeof *keys; i++) {
        const struct pilgrim_value *item = &v->items[i];
        if (i == STATUS_CANCELLED && (item->type == PILGRIM_NONE || (item->type == PILGRIM_BOOL && item->integer == 0)))
            continue;
        add_text(t, separator);
        add_text(t, keys[i]);
        value_text_add(t, item);
        separator = ", ";
    }
    add_text(t, *separator == '{' ? "{}" : "}");
}

/* Appends WORD, A, "+" and B. */
static void add_place(struct value_text *t, const char *word, int64_t a, const char *separator, int64_t b)
{
    add_int(t, word, a);
    add_int(t, separator, b);
}

void value_text_add(struct value_text *t, const struct pilgrim_value *v)
{
    switch (v->type) {
    case PILGRIM_NAME:
        value_text_name(t, v->text, v->length);
        break;
    case PILGRIM_INT:
    case PILGRIM_RANK:
        add_int(t, "", v->integer);
        break;
    case PILGRIM_BOOL:
        add_text(t, v->integer ? "true" : "false");
        break;
    case PILGRIM_REAL:
        add_real(t, v->real);
        break;
    case PILGRIM_OBJECT:
        value_text_name(t, v->text, strlen(v->text));
        add_int(t, ":", v->id);
        break;
    case PILGRIM_REQUEST:
        add_place(t, "request:", v->id, ".", v->offset);
        break;
    case PILGRIM_HEAP:
        add_place(t, "heap:", v->id, "+", v->offset);
        break;
    case PILGRIM_STACK:
        add_int(t, "stack:", v->id);
        break;
    case PILGRIM_STATIC:
        add_place(t, "static:", v->id, "+", v->offset);
        break;
    case PILGRIM_DEVICE:
        add_place(t, "device:", v->device, ":", v->id);
        add_int(t, "+", v->offset);
        break;
    case PILGRIM_STRING:
        add_string(t, v->text, v->length);
        break;
    case PILGRIM_ARRAY:
        add_text(t, "[");
        add_items(t, v, ", ");
        add_text(t, "]");
        break;
    case PILGRIM_FLAGS:
        add_items(t, v, "|");
        break;
    case PILGRIM_STATUS:
        add_status(t, v);
        break;
    case PILGRIM_SYMBOL:
        add_text(t, "fn:");
        value_text_name(t, v->text, v->length);
        break;
    case PILGRIM_FUNCTION:
        add_int(t, "fn:", v->id);
        break;
    default: /* calls of a cursor have no others */
        add_text(t, "-");
        break;
    }
}

/* ---- different texts ---- */

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash ^ (hash >> 32);
}

/* Makes room for one more entry. */
static bool make_room(struct text_set *s)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 16;
        struct text_set_entry *entries = realloc(s->entries, capacity * sizeof *entries);
        if (!entries)
            return false;
        s->entries = entries;
        s->capacity = capacity;
    }
    if (2 * (s->count + 1) <= s->slot_count)
        return true;
    const size_t slot_count = s->slot_count ? 2 * s->slot_count : 64;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < s->count; i++) {
        size_t at = s->entries[i].hash & (slot_count - 1);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = (uint32_t)(i + 1);
    }
    free(s->slots);
    s->slots = slots;
    s->slot_count = slot_count;
    return true;
}

int64_t text_set_number(struct text_set *s, const char *text, size_t length)
{
    const uint64_t hash = hash_text(text, length);
    if (!make_room(s))
        return -1;
    size_t at = hash & (s->slot_count - 1);
    for (; s->slots[at]; at = (at + 1) & (s->slot_count - 1)) {
        const struct text_set_entry *e = &s->entries[s->slots[at] - 1];
        if (e->hash == hash && e->length == length && memcmp(e->text, text, length) == 0)
            return s->slots[at] - 1;
    }
    if (s->count == INT32_MAX)
        return -2;
    char *copy = malloc(length + 1);
    if (!copy)
        return -1;
    memcpy(copy, text, length);
    copy[length] = 0;
    s->entries[s->count] = (struct text_set_entry){.text = copy, .length = length, .hash = hash};
    s->slots[at] = (uint32_t)++s->count;
    return (int64_t)s->count - 1;
}

void text_set_free(struct text_set *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->entries[i].text);
    free(s->entries);
    free(s->slots);
    *s = (struct text_set){0};
}
