/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a trace (docs/FORMAT.md) from the fragment of all ranks, and shards from other fragments.
 *
 * Each shard is proved (read/prove.h): the reader's code reads it before it is handed on. */
#include "write/trace_writer.h"

#include <stdlib.h>

#include "base/try.h"
#include "format/section.h"
#include "format/trace_format.h"
#include "write/calls_writer.h"
#include "write/coded_writer.h"
#include "write/own_requests.h"
#include "write/paths_writer.h"
#include "write/profile_writer.h"
#include "merge/fragment_data.h"
#include "sequence/slots.h"
#include "template/template.h"

/* Larger shards are not proved. Proving this many bytes takes some tenths of a second, at most a tenth of the time of
 * writing them. Shards that are finalised early are smaller (SHARD_BYTES). */
#define PROVE_BYTES_MAX (16u << 20)

/* How a reader finds the end of a table's entry. */
enum framing { FRAMING_NONE, FRAMING_LENGTH, FRAMING_TEXT };

static void write_entries(const struct intern *t, enum framing framing, struct bytes *out)
{
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length;
        const uint8_t *data = intern_get(t, i, &length);
        if (framing == FRAMING_LENGTH)
            bytes_put_varint(out, length);
        bytes_put(out, data, length);
        if (framing == FRAMING_TEXT)
            bytes_put_u8(out, 0);
    }
}

static void write_table(const struct intern *t, enum framing framing, struct bytes *out)
{
    bytes_put_varint(out, t->count);
    write_entries(t, framing, out);
}

/* Writes the fragment's strings, then all texts in the order of `stored_deltas`. The expressions number texts in this
 * order. */
static void write_strings(const struct fragment *f, struct bytes *out)
{
    uint64_t count = f->strings.count;
    size_t length;
    for (uint32_t i = 0; i < f->stored_deltas.count; i++) {
        const uint8_t *list = intern_get(&f->stored_deltas, i, &length);
        count += stored_deltas_text_count(list, length);
    }
    bytes_put_varint(out, count);
    write_entries(&f->strings, FRAMING_TEXT, out);
    for (uint32_t i = 0; i < f->stored_deltas.count; i++) {
        const uint8_t *list = intern_get(&f->stored_deltas, i, &length);
        if (stored_deltas_text_count(list, length))
            bytes_put(out, list + 1, length - 1);
    }
}

static enum pilgrim_status write_definitions(const struct fragment *f, bool another, bool plain, struct bytes *out)
{
    struct bytes b = {0};
    write_strings(f, &b);
    write_table(&f->properties, FRAMING_NONE, &b);
    write_table(&f->functions, FRAMING_TEXT, &b);
    write_table(&f->modules, FRAMING_NONE, &b);
    enum pilgrim_status status = paths_write(f, &b);
    write_table(&f->shapes, FRAMING_LENGTH, &b);
    if (status == PILGRIM_OK)
        status = bytes_status(&b);
    if (status == PILGRIM_OK)
        status = definitions_section_write(&b, f->calls, another, plain, out);
    bytes_free(&b);
    return status;
}

/* A test (tests/prove) defines this to damage sections, so that the consequences can be tested. */
#ifndef PILGRIM_WRONG
#define PILGRIM_WRONG(type, plain, ranks) false
#endif

static void maybe_wrong(bool wrong, struct bytes *content)
{
    if (wrong)
        bytes_put_u64(content, 0); /* bytes that do not belong there */
}

static enum pilgrim_status write_calls(const struct fragment *f, bool another, bool plain, struct bytes *out)
{
    struct bytes b = {0};
    enum pilgrim_status status = calls_write(f, another, plain, &b);
    maybe_wrong(PILGRIM_WRONG(SECTION_CALLS, plain, f->rank_count), &b);
    bool coded = false;
    if (status == PILGRIM_OK && !plain)
        status = coded_calls_write(f, &b, another, out, &coded);
    if (status == PILGRIM_OK && !coded)
        status = section_write_bounded(out, SECTION_CALLS, &b, f->calls, another);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status write_profile(const struct fragment *f, struct bytes *out)
{
    struct bytes b = {0};
    enum pilgrim_status status = profile_write(f, &b);
    maybe_wrong(PILGRIM_WRONG(SECTION_PROFILE, false, f->rank_count), &b);
    if (status == PILGRIM_OK)
        status = section_write_stored(out, SECTION_SHARED_PROFILE, &b);
    bytes_free(&b);
    return status;
}

/* Writes definitions and calls. F is unchanged afterwards. */
static enum pilgrim_status write_content(struct fragment *f, bool another, bool plain, struct bytes *out)
{
    struct own_requests own = {.fragment = NULL};
    if (!plain)
        own_requests_begin(f, &own);
    enum pilgrim_status status = write_definitions(f, another, plain, out);
    if (status == PILGRIM_OK)
        status = write_calls(f, another, plain, out);
    own_requests_end(&own);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

/* True if the shard that begins at START can be read, or if memory is too short to find out. */
static bool can_be_read(const struct bytes *out, size_t start, struct proof *proof)
{
    enum pilgrim_status status = prove_shard(out->data + start, out->length - start, proof);
    return status == PILGRIM_OK || status == PILGRIM_NOMEM;
}

/* Fragments with more packed bytes are written once only. */
#define TWICE_BYTES_MAX (1u << 20)

/* Values that templates take from one order into another, at most: for each byte that they could save, about 20 us;
 * and a fifth of a second in all. */
#define WORK_MAX_A_BYTE 256u
#define WORK_MAX        (UINT64_C(1) << 22)

static bool may_have_templates(const struct fragment *f)
{
    struct bytes packed = {0};
    if (f->call_times || f->group_keys.count < 3) /* one is of process streams */
        return false;
    fragment_pack_content(f, &packed);
    bool small = !packed.failed && packed.length <= TWICE_BYTES_MAX;
    bytes_free(&packed);
    return small;
}

/* Writes the shard whose definitions and calls begin at START once more, with templates. If these are smaller then, it
 * stands there instead, whole: the profile does not count, so that the same calls always have the same form. Returns
 * false, and leaves OUT as it is, if they are not, or if anything fails. */
static bool write_templates(const struct fragment *f, bool with_times, bool another, struct bytes *out, size_t start)
{
    struct fragment *joined = NULL;
    struct bytes b = {0};
    struct proof proof;
    size_t length = out->length - start;
    uint64_t work = length * (uint64_t)WORK_MAX_A_BYTE;
    bool written = may_have_templates(f) &&
                   templates_join(f, work < WORK_MAX ? work : WORK_MAX, &joined) == PILGRIM_OK && joined &&
                   write_content(joined, another, false, &b) == PILGRIM_OK && b.length < length &&
                   (!with_times || write_profile(joined, &b) == PILGRIM_OK) && bytes_status(&b) == PILGRIM_OK &&
                   can_be_read(&b, 0, &proof);
    if (written) {
        out->length = start;
        bytes_put(out, b.data, b.length);
    }
    templates_free(joined);
    bytes_free(&b);
    return written;
}

/* Only a bug in Pilgrim can make a shard that cannot be read. Then the shard is written in plain form, which uses less
 * code. If it cannot be read either, there is no shard: each rank's calls are still in its fragment. */
enum pilgrim_status fragment_write_shard(struct fragment *f, bool with_times, bool another, struct bytes *out)
{
    size_t start = out->length;
    for (unsigned plain = 0; plain < 2; plain++) {
        struct proof proof;
        out->length = start;
        TRY(write_content(f, another, plain, out));
        if (!plain && write_templates(f, with_times, another, out, start))
            return bytes_status(out);
        size_t profile = out->length;
        if (with_times)
            TRY(write_profile(f, out));
        TRY(bytes_status(out));
        if (out->length - start > PROVE_BYTES_MAX || can_be_read(out, start, &proof))
            return PILGRIM_OK;
        f->failed_proof = proof;
        if (proof.section == SECTION_PROFILE) {
            out->length = profile;
            return PILGRIM_OK;
        }
    }
    return PILGRIM_DAMAGED;
}

enum pilgrim_status trace_write_begin(struct bytes *out)
{
    bytes_put(out, trace_magic, sizeof trace_magic);
    bytes_put_u8(out, TRACE_VERSION);
    bytes_put_u8(out, TRACE_VERSION >> 8);
    return bytes_status(out);
}

enum pilgrim_status trace_write_segment(struct fragment *f, bool with_times, bool another, struct bytes *out)
{
    TRY(fragment_write_shard(f, with_times, another, out));
    bytes_put(out, f->shards.data, f->shards.length);
    bytes_put(out, f->times.data, f->times.length);
    return bytes_status(out);
}

enum pilgrim_status trace_write_end(struct bytes *out)
{
    const struct bytes nothing = {0};
    return section_write(out, SECTION_END, &nothing);
}

enum pilgrim_status trace_write(struct fragment *f, bool with_times, struct bytes *out)
{
    TRY(trace_write_begin(out));
    TRY(trace_write_segment(f, with_times, false, out));
    return trace_write_end(out);
}
