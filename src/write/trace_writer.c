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

static enum pilgrim_status make_definitions(const struct fragment *f, struct bytes *content)
{
    write_strings(f, content);
    write_table(&f->properties, FRAMING_NONE, content);
    write_table(&f->functions, FRAMING_TEXT, content);
    write_table(&f->modules, FRAMING_NONE, content);
    TRY(paths_write(f, content));
    write_table(&f->shapes, FRAMING_LENGTH, content);
    return bytes_status(content);
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

/* Definitions and calls of a shard before they are coded. */
struct content {
    struct bytes definitions, calls;
    struct intern changed; /* the shapes, if they are not those of the fragment (write/own_requests.h) */
};

static void content_free(struct content *c)
{
    bytes_free(&c->definitions);
    bytes_free(&c->calls);
    intern_free(&c->changed);
}

static uint64_t content_length(const struct content *c)
{
    return (uint64_t)c->definitions.length + c->calls.length;
}

/* F is unchanged afterwards. The caller frees *C, also after an error. */
static enum pilgrim_status make_content(struct fragment *f, bool another, bool plain, struct content *c)
{
    struct own_requests own = {.fragment = NULL};
    if (!plain)
        own_requests_begin(f, &own);
    enum pilgrim_status status = make_definitions(f, &c->definitions);
    if (status == PILGRIM_OK)
        status = calls_write(f, another, plain, &c->calls);
    own_requests_end(&own, &c->changed);
    maybe_wrong(PILGRIM_WRONG(SECTION_CALLS, plain, f->rank_count), &c->calls);
    return status;
}

static enum pilgrim_status write_content(const struct fragment *f, const struct content *c, bool another, bool plain,
                                         struct bytes *out)
{
    TRY(definitions_section_write(&c->definitions, f->calls, another, plain, out));
    TRY(calls_section_write(f, c->changed.count ? &c->changed : &f->shapes, &c->calls, another, plain, out));
    return bytes_status(out);
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

/* True if the shard that begins at START can be read, or if memory is too short to find out. */
static bool can_be_read(const struct bytes *out, size_t start, struct proof *proof)
{
    enum pilgrim_status status = prove_shard(out->data + start, out->length - start, proof);
    return status == PILGRIM_OK || status == PILGRIM_NOMEM;
}

/* Fragments with more packed bytes have no templates. */
#define TEMPLATE_BYTES_MAX (4u << 20)

/* Values that templates take from one order into another, at most: for each byte of content that they could save, which
 * takes an eighth of a byte in the file, or a little more, about 2.5 us; and a fifth of a second in all. */
#define WORK_MAX_A_BYTE 32u
#define WORK_MAX        (UINT64_C(1) << 22)

/* A way to join groups saves much if the content then has at most so many eighths of the bytes before coding. */
#define MUCH_EIGHTHS 7u

/* It is surely smaller, coded, if it has at most so many. It has less that repeats, yet each byte takes less in the
 * file. */
#define SURE_EIGHTHS 6u

/* Groups beside each other save some bytes of content for each class that they share. They are not tried if the content
 * has more bytes than this for each of them. */
#define BESIDE_BYTES_MAX 200u

static bool may_have_templates(const struct fragment *f)
{
    struct bytes packed = {0};
    if (f->call_times || f->group_keys.count < 3) /* one is of process streams */
        return false;
    fragment_pack_content(f, &packed);
    bool small = !packed.failed && packed.length <= TEMPLATE_BYTES_MAX;
    bytes_free(&packed);
    return small;
}

/* A fragment with templates, and its content. */
struct joined {
    struct fragment *fragment; /* NULL: it has none */
    struct content content;
};

static void joined_free(struct joined *j)
{
    templates_free(j->fragment);
    content_free(&j->content);
    *j = (struct joined){.fragment = NULL};
}

/* Makes *J of F, whose content has LENGTH bytes, if it has families of this kind. Groups stand beside each other only
 * if none are laid over each other. */
static void join_groups(const struct fragment *f, enum family_kind kind, uint64_t length, bool another,
                        struct joined *j)
{
    struct families all;
    uint64_t work = length * WORK_MAX_A_BYTE;
    *j = (struct joined){.fragment = NULL};
    if (families_find(f, kind, &all) == PILGRIM_OK) {
        struct families used = all;
        if (all.laid || all.shared * BESIDE_BYTES_MAX < length)
            used.count = all.laid;
        if (used.count && templates_join(f, &used, work < WORK_MAX ? work : WORK_MAX, &j->fragment) != PILGRIM_OK)
            j->fragment = NULL;
    }
    families_free(&all);
    if (j->fragment && make_content(j->fragment, another, false, &j->content) != PILGRIM_OK)
        joined_free(j);
}

/* True if J has at most so many eighths of LENGTH bytes. */
static bool has_at_most(const struct joined *j, uint64_t length, unsigned eighths)
{
    return j->fragment && content_length(&j->content) <= length / 8 * eighths;
}

/* A way to join groups, and what it gives. */
enum { WAYS = FAMILIES_ONE_FOREST + 1 };

/* Joins the groups of F, whose content has LENGTH bytes, in each way that may pay. Groups are read with one forest only
 * if laying them over each other does not save much, and this does. */
static void join_all(const struct fragment *f, uint64_t length, bool another, struct joined ways[WAYS])
{
    ways[FAMILIES_LAID] = ways[FAMILIES_ONE_FOREST] = (struct joined){.fragment = NULL};
    if (!may_have_templates(f))
        return;
    join_groups(f, FAMILIES_LAID, length, another, &ways[FAMILIES_LAID]);
    if (has_at_most(&ways[FAMILIES_LAID], length, MUCH_EIGHTHS))
        return;
    join_groups(f, FAMILIES_ONE_FOREST, length, another, &ways[FAMILIES_ONE_FOREST]);
    if (!has_at_most(&ways[FAMILIES_ONE_FOREST], length, MUCH_EIGHTHS))
        joined_free(&ways[FAMILIES_ONE_FOREST]);
}

/* Appends the content of one of WAYS to *B, and sets *CHOSEN to it: the one that takes the fewest bytes, if they are
 * fewer than OWN takes, the content of F. *CHOSEN NULL: none does. Which one is smallest is not known for sure before
 * all are coded; OWN then goes to OUT. */
static void write_smallest(const struct fragment *f, const struct content *own, const struct joined ways[WAYS],
                           bool another, struct bytes *b, struct bytes *out, const struct joined **chosen)
{
    const size_t start = out->length;
    const bool sure = has_at_most(&ways[FAMILIES_LAID], content_length(own), SURE_EIGHTHS);
    *chosen = NULL;
    if (!sure && write_content(f, own, another, false, out) != PILGRIM_OK) {
        out->length = start;
        return;
    }
    size_t best = sure ? SIZE_MAX : out->length - start;
    for (uint32_t i = 0; i < WAYS; i++) {
        struct bytes coded = {0};
        if (ways[i].fragment &&
            write_content(ways[i].fragment, &ways[i].content, another, false, &coded) == PILGRIM_OK &&
            coded.length < best) {
            struct bytes larger = *b;
            *b = coded;
            coded = larger;
            best = b->length;
            *chosen = &ways[i];
        }
        bytes_free(&coded);
    }
}

/* Appends the shard with templates to OUT, whole, if its definitions and calls are smaller than with OWN, the content
 * of F. The profile does not count, so that the same calls always have the same form. Returns false if there is no such
 * shard; OUT has OWN then, or nothing more. */
static bool write_templates(const struct fragment *f, const struct content *own, bool with_times, bool another,
                            struct bytes *out)
{
    struct joined ways[WAYS];
    const struct joined *chosen = NULL;
    struct bytes b = {0};
    struct proof proof;
    size_t start = out->length;
    join_all(f, content_length(own), another, ways);
    if (ways[FAMILIES_LAID].fragment || ways[FAMILIES_ONE_FOREST].fragment)
        write_smallest(f, own, ways, another, &b, out, &chosen);
    bool written = chosen && (!with_times || write_profile(chosen->fragment, &b) == PILGRIM_OK) &&
                   bytes_status(&b) == PILGRIM_OK && can_be_read(&b, 0, &proof);
    if (written) {
        out->length = start;
        bytes_put(out, b.data, b.length);
    }
    for (uint32_t i = 0; i < WAYS; i++)
        joined_free(&ways[i]);
    bytes_free(&b);
    return written;
}

/* Appends definitions and calls of F to OUT. *WHOLE: the profile, too, and it was read. */
static enum pilgrim_status write_calls(struct fragment *f, bool with_times, bool another, bool plain, struct bytes *out,
                                       bool *whole)
{
    struct content own = {.calls = {.length = 0}};
    size_t start = out->length;
    enum pilgrim_status status = make_content(f, another, plain, &own);
    *whole = status == PILGRIM_OK && !plain && write_templates(f, &own, with_times, another, out);
    if (status == PILGRIM_OK && out->length == start)
        status = write_content(f, &own, another, plain, out);
    content_free(&own);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

/* Only a bug in Pilgrim can make a shard that cannot be read. Then the shard is written in plain form, which uses less
 * code. If it cannot be read either, there is no shard: each rank's calls are still in its fragment. */
enum pilgrim_status fragment_write_shard(struct fragment *f, bool with_times, bool another, struct bytes *out)
{
    size_t start = out->length;
    for (unsigned plain = 0; plain < 2; plain++) {
        struct proof proof;
        bool whole;
        out->length = start;
        TRY(write_calls(f, with_times, another, plain, out, &whole));
        if (whole)
            return PILGRIM_OK;
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
