/* SPDX-License-Identifier: BSD-3-Clause */
/* The table and the grammars of a stream as text, for people: pilgrim_dump(). The layout is that of pilgrim-decode
 * --grammar. */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/value.h"
#include "rules/rules.h"
#include "record/stream_inline.h"

/* Prints a symbol. Rule 0 is the start rule S; the others are A, B, ... Z, R26, R27, ... */
static void print_symbol(FILE *to, const struct rules_symbol *s)
{
    if (!s->is_rule)
        fprintf(to, " %" PRIu64, s->value);
    else if (s->value <= 26)
        fprintf(to, " %c", (int)('A' + s->value - 1));
    else
        fprintf(to, " R%" PRIu64, s->value - 1);
    if (s->exponent > 1)
        fprintf(to, "^%" PRIu64, s->exponent);
}

static void dump_sequence(const struct stream *stream, const struct sequence *sequence, const char *indent, FILE *to)
{
    struct bytes b = {0};
    struct rules rules;
    struct cursor c;
    enum pilgrim_status status = sequence_serialise(sequence, &stream->chunks, &b);
    cursor_init(&c, b.data, b.length);
    if (status != PILGRIM_OK || rules_parse(&c, (uint64_t)GRAMMAR_TERMINAL_MAX + 1, &rules) != PILGRIM_OK) {
        fprintf(to, "%s(not enough memory)\n", indent);
        bytes_free(&b);
        return;
    }
    for (uint32_t r = 0; r < rules.rule_count; r++) {
        if (r > 26)
            fprintf(to, "%sR%" PRIu32 " ->", indent, r - 1);
        else
            fprintf(to, "%s%c ->", indent, (int)(r == 0 ? 'S' : 'A' + r - 1));
        for (uint32_t i = rules.first[r]; i < rules.first[r + 1]; i++)
            print_symbol(to, &rules.symbols[i]);
        fputc('\n', to);
    }
    rules_free(&rules);
    bytes_free(&b);
}

/* Prints the next value of KEY. */
static void dump_value(const struct vocabulary *v, struct cursor *key, FILE *to)
{
    static const char *const word[VALUE_TAG_COUNT] = {
        [VALUE_NONE] = "null",        [VALUE_INT] = "",
        [VALUE_BOOL] = "bool:",       [VALUE_REAL] = "real:",
        [VALUE_RANK] = "rank+",       [VALUE_RANK_BASE] = "base:",
        [VALUE_REQUEST] = "request:", [VALUE_HEAP] = "heap:",
        [VALUE_STACK] = "stack:",     [VALUE_STATIC] = "static:",
        [VALUE_DEVICE] = "device:",   [VALUE_STRING] = "",
        [VALUE_ARRAY] = "array",      [VALUE_FLAGS] = "flags",
        [VALUE_STATUS] = "status",    [VALUE_SYMBOL] = "fn:",
        [VALUE_FUNCTION] = "fn:",     [VALUE_REGISTER] = "keep:",
        [VALUE_EDITED] = "edited:",   [VALUE_COMPLETED] = "completed:",
        [VALUE_POSTED] = "posted:",   [VALUE_BEGUN] = "begun:",
        [VALUE_LIVE] = "live:",
    };
    uint8_t tag = cursor_u8(key);
    if (tag >= VALUE_TAG_COUNT)
        return;
    fputs(word[tag] ? word[tag] : "", to);
    if (tag == VALUE_NAME || tag == VALUE_OBJECT) {
        const uint8_t *at = cursor_take(key, 2);
        unsigned name = at ? (unsigned)(at[0] | at[1] << 8) : 0;
        fprintf(to, "%s%s", name < v->name_count ? v->names[name] : "?", tag == VALUE_OBJECT ? ":" : "");
    } else if (tag == VALUE_STRING || tag == VALUE_SYMBOL) {
        uint32_t length = cursor_u32(key);
        const uint8_t *text = cursor_take(key, length);
        fprintf(to, "\"%.*s\"", text ? (int)length : 0, text ? (const char *)text : "");
    } else if (tag == VALUE_ARRAY || tag == VALUE_FLAGS) {
        fprintf(to, "[%" PRIu32 "]", cursor_u32(key));
    } else if (tag == VALUE_STATUS || tag == VALUE_POSTED) {
        cursor_u8(key);
    } else if (tag == VALUE_COMPLETED) {
        fprintf(to, "%u ", cursor_u8(key));
    } else if (tag == VALUE_REGISTER || tag == VALUE_EDITED) {
        const uint8_t *at = cursor_take(key, 2);
        fprintf(to, "%u", at ? (unsigned)(at[0] | at[1] << 8) : 0);
        at = tag == VALUE_EDITED ? cursor_take(key, 2) : NULL;
        if (at)
            fprintf(to, "[%u]", (unsigned)(at[0] | at[1] << 8));
    }
    if (tag == VALUE_TEXT) {
        cursor_u64(key);
        uint64_t number = cursor_u64(key);
        fprintf(to, "text:%" PRIu64, number);
        return;
    }
    for (unsigned i = 0; i < value_slots(tag); i++)
        fprintf(to, "%s%" PRId64, i ? "." : "", (int64_t)cursor_u64(key));
}

static void dump_class(const struct stream *s, const struct stream_class *class, FILE *to)
{
    const struct function_descriptor *d = &s->vocabulary->functions[class->head.key.function];
    fprintf(to, "%" PRIu32 "  %s%s", class->terminal, d->name, class->head.key.fortran ? " from Fortran" : "");
    for (uint32_t i = 0; i < class->frame_count; i++)
        fprintf(to, " %s %s+0x%" PRIx64, i ? "<" : "at", class->frames[i].module->name, class->frames[i].offset);
    fprintf(to, "   %" PRIu32 " signatures, %" PRIu64 " calls\n", class->signatures.count,
            sequence_length(&class->signatures.sequence));
    dump_sequence(s, &class->signatures.sequence, "   ", to);
    for (uint32_t i = 0; i < class->signatures.count; i++) {
        size_t length;
        const uint32_t *offsets;
        const struct delta_sequence *deltas;
        const uint8_t *key = signature_key(&class->signatures, i, &length);
        struct cursor c;
        cursor_init(&c, key, length);
        fprintf(to, "   %" PRIu32 " %s", i,
                signature_varying(&class->signatures, i, &offsets, &deltas) ? "(unzipped)" : "");
        while (cursor_left(&c) > 0) {
            fputc(' ', to);
            dump_value(s->vocabulary, &c, to);
        }
        fputc('\n', to);
    }
}

void stream_dump(const struct stream *s, FILE *to)
{
    fprintf(to, "%" PRIu32 " classes, %" PRIu64 " calls\n", s->terminal_count, stream_calls(s));
    dump_sequence(s, &s->structure, "", to);
    for (uint32_t i = 0; i < s->terminal_count; i++)
        dump_class(s, s->by_terminal[i], to);
}
