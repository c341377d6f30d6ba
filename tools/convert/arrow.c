/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrow's IPC file format, for Polars, DuckDB, pandas, R and others: a table of calls, a row each, with the columns of
 * pilgrim/columns.h. Texts are dictionaries, which stand behind the rows: they are known then. Field numbers are those
 * of Arrow's format/Message.fbs, Schema.fbs and File.fbs. https://arrow.apache.org/docs/format/Columnar.html */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pilgrim/columns.h>

#include "analysis/analysis_errors.h"
#include "analysis/work_progress.h"
#include "convert.h"
#include "convert_run.h"
#include "flatbuffer.h"

enum { BATCH = 1 << 16, COLUMNS_MAX = 256, PIECE = 1 << 20 };
enum { VERSION = 4, HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_BATCH = 3, TYPE_INT = 2, TYPE_UTF8 = 5 };

/* A message: where it is in the file. */
struct arrow_block {
    uint64_t offset, body;
    uint32_t head;
};

struct arrow_blocks {
    struct arrow_block *blocks;
    size_t count, capacity;
};

struct arrow {
    struct convert *c;
    struct output *out;
    struct pilgrim_columns *columns;
    size_t count;
    void *arrays[COLUMNS_MAX];
    unsigned char *valid; /* a bit for each value of a column: it is there */
    struct flatbuffer flat;
    struct arrow_blocks batches, dictionaries;
};

/* A buffer of a message: its bytes, and where they are in its body. */
struct arrow_buffer {
    uint64_t offset, length;
};

static const char *const standard[] = {"rank", "thread", "seq",   "func",     "start", "end",     "site", "comm",
                                       "peer", "tag",    "count", "datatype", "bytes", "request", "ret"};
enum { STANDARD = sizeof standard / sizeof *standard };

static size_t padded(uint64_t length)
{
    return (size_t)((length + 7) / 8 * 8);
}

static void put_padding(struct output *o, uint64_t length)
{
    static const char zeros[8];
    out_bytes(o, zeros, padded(length) - length);
}

static void put_le(struct output *o, uint64_t value, size_t size)
{
    char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(value >> 8 * i);
    out_bytes(o, bytes, size);
}

/* ---- messages ---- */

/* Puts the root table of a message, which has a header of KIND and a body of BODY bytes. Returns the table. */
static struct flat_table begin_message(struct arrow *a, unsigned kind, uint64_t body)
{
    flat_begin(&a->flat);
    const struct flat_table message = flat_table(&a->flat, "2148");
    flat_set(&a->flat, &message, 0, VERSION, 2);
    flat_set(&a->flat, &message, 1, kind, 1);
    flat_set(&a->flat, &message, 3, body, 8);
    return message;
}

/* Writes the message without its body, which is to follow. BLOCKS: NULL, or where it is listed. */
static bool put_message(struct arrow *a, uint64_t body, struct arrow_blocks *blocks)
{
    flat_end(&a->flat);
    if (a->flat.short_of_memory)
        return false;
    if (blocks) {
        if (blocks->count == blocks->capacity) {
            const size_t capacity = blocks->capacity ? 2 * blocks->capacity : 64;
            struct arrow_block *grown = realloc(blocks->blocks, capacity * sizeof *grown);
            if (!grown)
                return false;
            blocks->blocks = grown;
            blocks->capacity = capacity;
        }
        blocks->blocks[blocks->count++] =
            (struct arrow_block){out_position(a->out), body, (uint32_t)(a->flat.used + 8)};
    }
    put_le(a->out, UINT32_MAX, 4);
    put_le(a->out, a->flat.used, 4);
    out_bytes(a->out, (const char *)a->flat.bytes, a->flat.used);
    return true;
}

/* Puts a RecordBatch: ROWS rows, of each column the number of missing values; and its buffers. */
static void put_record_batch(struct arrow *a, size_t position, uint64_t rows, const uint64_t *missing, size_t columns,
                             const struct arrow_buffer *buffers, size_t count)
{
    struct flatbuffer *f = &a->flat;
    const struct flat_table batch = flat_table(f, "844");
    size_t first;
    flat_refer(f, position, batch.at);
    flat_set(f, &batch, 0, rows, 8);
    flat_refer(f, batch.fields[1], flat_structs(f, columns, 16, &first));
    for (size_t i = 0; i < columns; i++) {
        flat_number(f, first + 16 * i, rows, 8);
        flat_number(f, first + 16 * i + 8, missing[i], 8);
    }
    flat_refer(f, batch.fields[2], flat_structs(f, count, 16, &first));
    for (size_t i = 0; i < count; i++) {
        flat_number(f, first + 16 * i, buffers[i].offset, 8);
        flat_number(f, first + 16 * i + 8, buffers[i].length, 8);
    }
}

/* ---- the schema ---- */

static void put_pair(struct flatbuffer *f, size_t position, const char *key, const char *value)
{
    const struct flat_table pair = flat_table(f, "44");
    flat_refer(f, position, pair.at);
    flat_refer(f, pair.fields[0], flat_text(f, key));
    flat_refer(f, pair.fields[1], flat_text(f, value));
}

static size_t put_int_type(struct flatbuffer *f, unsigned bits)
{
    const struct flat_table type = flat_table(f, "41");
    flat_set(f, &type, 0, bits, 4);
    flat_set(f, &type, 1, true, 1);
    return type.at;
}

static void put_field(struct flatbuffer *f, size_t position, const char *name, enum pilgrim_column_type type, size_t i)
{
    const bool text = type == PILGRIM_COLUMN_TEXT;
    const struct flat_table field = flat_table(f, text ? "411444" : "4114-4");
    flat_refer(f, position, field.at);
    flat_set(f, &field, 1, type != PILGRIM_COLUMN_INT32, 1);
    flat_set(f, &field, 2, text ? TYPE_UTF8 : TYPE_INT, 1);
    flat_refer(f, field.fields[0], flat_text(f, name));
    if (!text) {
        flat_refer(f, field.fields[3], put_int_type(f, type == PILGRIM_COLUMN_INT32 ? 32 : 64));
    } else {
        flat_refer(f, field.fields[3], flat_table(f, "").at);
        const struct flat_table dictionary = flat_table(f, "84");
        flat_refer(f, field.fields[4], dictionary.at);
        flat_set(f, &dictionary, 0, i, 8);
        flat_refer(f, dictionary.fields[1], put_int_type(f, 32));
    }
    flat_refer(f, field.fields[5], flat_vector(f, 0));
}

/* Puts the Schema: the columns, and what the trace says of the run. */
static void put_schema(struct arrow *a, size_t position)
{
    struct flatbuffer *f = &a->flat;
    const struct flat_table schema = flat_table(f, "244");
    const char *key, *value;
    enum pilgrim_column_type type;
    size_t pairs = 0;
    flat_refer(f, position, schema.at);
    const size_t fields = flat_vector(f, a->count);
    flat_refer(f, schema.fields[1], fields);
    for (size_t i = 0; i < a->count; i++) {
        const char *name = pilgrim_columns_at(a->columns, i, &type);
        put_field(f, fields + 4 + 4 * i, name, type, i);
    }
    while (pilgrim_property_at(a->c->trace, pairs, &key, &value))
        pairs++;
    const size_t vector = flat_vector(f, pairs + 1);
    flat_refer(f, schema.fields[2], vector);
    put_pair(f, vector + 4, "times", convert_draws(a->c->trace) ? "none of single calls" : "ns, of the run");
    for (size_t i = 0; i < pairs && pilgrim_property_at(a->c->trace, i, &key, &value); i++) {
        char printable[CONVERT_NAME_MAX];
        convert_printable(value, printable);
        put_pair(f, vector + 8 + 4 * i, key, printable);
    }
}

/* ---- rows ---- */

/* Marks the values of a column that are there, and sets the others to 0. Returns how many are missing. */
static uint64_t mark_valid(struct arrow *a, size_t column, enum pilgrim_column_type type, size_t rows)
{
    uint64_t missing = 0;
    int32_t *texts = a->arrays[column];
    int64_t *numbers = a->arrays[column];
    if (type == PILGRIM_COLUMN_INT32)
        return 0;
    memset(a->valid, 0, BATCH / 8);
    for (size_t i = 0; i < rows; i++) {
        const bool there = type == PILGRIM_COLUMN_TEXT ? texts[i] >= 0 : numbers[i] != PILGRIM_MISSING;
        a->valid[i / 8] |= (unsigned char)(there << i % 8);
        if (!there && type == PILGRIM_COLUMN_TEXT)
            texts[i] = 0;
        else if (!there)
            numbers[i] = 0;
        missing += !there;
    }
    return missing;
}

/* Writes ROWS calls as a RecordBatch. Each column has two buffers: which values are there, and the values. */
static bool put_rows(struct arrow *a, size_t rows)
{
    uint64_t missing[COLUMNS_MAX], body = 0;
    struct arrow_buffer buffers[2 * COLUMNS_MAX];
    enum pilgrim_column_type type;
    unsigned char *valid = calloc(a->count + 1, BATCH / 8);
    if (!valid)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        (void)pilgrim_columns_at(a->columns, i, &type);
        a->valid = valid + i * (BATCH / 8);
        missing[i] = mark_valid(a, i, type, rows);
        buffers[2 * i] = (struct arrow_buffer){body, missing[i] ? (rows + 7) / 8 : 0};
        body += padded(buffers[2 * i].length);
        buffers[2 * i + 1] = (struct arrow_buffer){body, rows * (type == PILGRIM_COLUMN_INT64 ? 8 : 4)};
        body += padded(buffers[2 * i + 1].length);
    }
    const struct flat_table message = begin_message(a, HEADER_BATCH, body);
    put_record_batch(a, message.fields[2], rows, missing, a->count, buffers, 2 * a->count);
    const bool good = put_message(a, body, &a->batches);
    for (size_t i = 0; i < a->count && good; i++) {
        out_bytes(a->out, (const char *)valid + i * (BATCH / 8), (size_t)buffers[2 * i].length);
        put_padding(a->out, buffers[2 * i].length);
        out_bytes(a->out, a->arrays[i], (size_t)buffers[2 * i + 1].length);
        put_padding(a->out, buffers[2 * i + 1].length);
    }
    free(valid);
    return good;
}

/* Writes the texts of a column: where each begins, and all of them. */
static bool put_dictionary(struct arrow *a, size_t column)
{
    const size_t count = pilgrim_columns_texts(a->columns, column);
    const uint64_t missing = 0;
    uint64_t total = 0;
    size_t length;
    for (size_t i = 0; i < count; i++) {
        (void)pilgrim_columns_text(a->columns, column, (int64_t)i, &length);
        total += length;
    }
    if (total > INT32_MAX) {
        snprintf(a->c->failure, sizeof a->c->failure,
                 "a column has more than 2 GiB of texts: choose a part of the calls");
        return false;
    }
    const struct arrow_buffer buffers[] = {{0, 0}, {0, 4 * (count + 1)}, {padded(4 * (count + 1)), total}};
    const uint64_t body = buffers[2].offset + padded(total);
    const struct flat_table message = begin_message(a, HEADER_DICTIONARY, body);
    const struct flat_table dictionary = flat_table(&a->flat, "84");
    flat_refer(&a->flat, message.fields[2], dictionary.at);
    flat_set(&a->flat, &dictionary, 0, column, 8);
    put_record_batch(a, dictionary.fields[1], count, &missing, 1, buffers, 3);
    if (!put_message(a, body, &a->dictionaries))
        return false;
    uint64_t at = 0;
    put_le(a->out, 0, 4);
    for (size_t i = 0; i < count; i++) {
        (void)pilgrim_columns_text(a->columns, column, (int64_t)i, &length);
        at += length;
        put_le(a->out, at, 4);
    }
    put_padding(a->out, buffers[1].length);
    for (size_t i = 0; i < count; i++) {
        const char *text = pilgrim_columns_text(a->columns, column, (int64_t)i, &length);
        out_bytes(a->out, text, length);
    }
    put_padding(a->out, total);
    return true;
}

/* ---- the file ---- */

static bool put_head(struct arrow *a)
{
    out_bytes(a->out, "ARROW1\0\0", 8);
    const struct flat_table message = begin_message(a, HEADER_SCHEMA, 0);
    put_schema(a, message.fields[2]);
    return put_message(a, 0, NULL);
}

static void list_blocks(struct flatbuffer *f, size_t position, const struct arrow_blocks *blocks)
{
    size_t first;
    flat_refer(f, position, flat_structs(f, blocks->count, 24, &first));
    for (size_t i = 0; i < blocks->count; i++) {
        flat_number(f, first + 24 * i, blocks->blocks[i].offset, 8);
        flat_number(f, first + 24 * i + 8, blocks->blocks[i].head, 4);
        flat_number(f, first + 24 * i + 16, blocks->blocks[i].body, 8);
    }
}

static bool put_foot(struct arrow *a)
{
    enum pilgrim_column_type type;
    bool good = true;
    for (size_t i = 0; i < a->count && good; i++)
        if (pilgrim_columns_at(a->columns, i, &type) && type == PILGRIM_COLUMN_TEXT)
            good = put_dictionary(a, i);
    if (!good)
        return false;
    put_le(a->out, UINT32_MAX, 4);
    put_le(a->out, 0, 4);
    flat_begin(&a->flat);
    const struct flat_table footer = flat_table(&a->flat, "2444");
    flat_set(&a->flat, &footer, 0, VERSION, 2);
    put_schema(a, footer.fields[1]);
    list_blocks(&a->flat, footer.fields[2], &a->dictionaries);
    list_blocks(&a->flat, footer.fields[3], &a->batches);
    flat_end(&a->flat);
    if (a->flat.short_of_memory)
        return false;
    out_bytes(a->out, (const char *)a->flat.bytes, a->flat.used);
    put_le(a->out, a->flat.used, 4);
    out_bytes(a->out, "ARROW1", 6);
    return true;
}

static enum pilgrim_status open_columns(struct arrow *a, const struct pilgrim_selection *selection,
                                        struct pilgrim_error *error)
{
    const char *names[COLUMNS_MAX];
    size_t count = STANDARD;
    char *copy = a->c->columns ? strdup(a->c->columns) : NULL, *at = NULL;
    memcpy(names, standard, sizeof standard);
    if (a->c->columns && !copy)
        return no_memory(error);
    if (copy) {
        count = 0;
        for (char *name = strtok_r(copy, ",", &at); name && count < COLUMNS_MAX; name = strtok_r(NULL, ",", &at))
            names[count++] = name;
    }
    const enum pilgrim_status status =
        pilgrim_columns_open(a->c->trace, selection, PILGRIM_BY_RANK, names, count, &a->columns, error);
    free(copy);
    a->count = count;
    return status;
}

static enum pilgrim_status put_all(struct arrow *a, struct convert_result *result, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    enum pilgrim_column_type type;
    size_t rows;
    for (size_t i = 0; i < a->count; i++) {
        (void)pilgrim_columns_at(a->columns, i, &type);
        a->arrays[i] = malloc(BATCH * (type == PILGRIM_COLUMN_INT64 ? sizeof(int64_t) : sizeof(int32_t)));
        if (!a->arrays[i])
            return no_memory(error);
    }
    if (!put_head(a))
        return no_memory(error);
    while (status == PILGRIM_OK) {
        status = pilgrim_columns_fill(a->columns, a->arrays, BATCH, &rows, error);
        if (rows > 0 && !put_rows(a, rows))
            return no_memory(error);
        result->calls += rows;
        if (rows > 0 && !a->c->columns) /* the first column is the rank */
            work_done((uint64_t)((int32_t *)a->arrays[0])[rows - 1]);
    }
    return put_foot(a) ? status : no_memory(error);
}

/* Of a damaged trace, what is before the damage is written. */
static enum pilgrim_status arrow_convert(struct convert *c, const struct pilgrim_selection *selection,
                                         struct convert_result *result, struct pilgrim_error *error)
{
    struct arrow *a = calloc(1, sizeof *a);
    if (!a)
        return no_memory(error);
    a->c = c;
    a->out = c->out;
    enum pilgrim_status status = open_columns(a, selection, error);
    if (status == PILGRIM_OK)
        status = put_all(a, result, error);
    pilgrim_columns_close(a->columns);
    for (size_t i = 0; i < a->count; i++)
        free(a->arrays[i]);
    flat_free(&a->flat);
    free(a->batches.blocks);
    free(a->dictionaries.blocks);
    free(a);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

const struct convert_format convert_arrow = {
    .name = "arrow", .suffix = ".arrow", .convert = arrow_convert, .what = CONVERT_CALLS, .untimed = true};
