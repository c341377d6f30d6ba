/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragment files: what was written is read back and makes the same trace. A file that is cut off at any byte, or has
 * any byte changed, is refused and does no harm. A file of several segments gives them in order; if its end is missing,
 * it still gives the complete ones. */
#include <stdlib.h>
#include <string.h>

#include "format/section.h"
#include "format/trace_format.h"
#include "made_trace.h"
#include "merge/fragment_file.h"
#include "write/trace_writer.h"

enum { RANK = 5 };

static const struct fragment_head written = {
    .run = UINT64_C(0xfedcba9876543210),
    .rank = RANK,
    .ranks = RANKS,
    .times = true,
    .tracer = "pilgrim 1.2.3",
    .trace = "some where/\xff.pilgrim",
    .property_count = 2,
    .properties = {{"program", "check"}, {"empty", ""}},
};

/* Of a rank of made_trace.h. SO_FAR: the end of its process stream stands for itself. */
static struct fragment *fragment_made(unsigned rank, bool so_far)
{
    struct fragment *f = fragment_new(rank);
    struct stream *process = so_far ? communicators_stream(rank) : process_stream(rank), *threads[3], *last = NULL;
    struct bytes key = {0};
    for (unsigned t = 0; t < threads_of(rank); t++) {
        threads[t] = thread_stream();
        for (unsigned i = 0; i < calls_of(rank, t); i++) {
            uint32_t function;
            unsigned site;
            make_call(rank, t, i, &function, &site, &key);
            append(threads[t], function, site, &key);
        }
        ck_assert_int_eq(stream_flush_times(threads[t]), PILGRIM_OK);
    }
    if (so_far) {
        last = stream_new(&vocabulary, resolve);
        append_process(last, rank);
    }
    ck_assert_int_eq(
        fragment_add_rank_so_far(f, process, last, (const struct stream *const *)threads, threads_of(rank), NULL),
        PILGRIM_OK);
    stream_free(process);
    stream_free(last);
    for (unsigned t = 0; t < threads_of(rank); t++)
        stream_free(threads[t]);
    bytes_free(&key);
    return f;
}

static struct fragment *fragment_of(unsigned rank)
{
    return fragment_made(rank, false);
}

/* Rounds are those of the rank, the one before, ... */
static struct bytes file_of_segments(const struct fragment_head *head, unsigned segments)
{
    struct bytes file = {0};
    ck_assert_int_eq(fragment_file_begin(head, &file), PILGRIM_OK);
    for (unsigned i = 0; i < segments; i++)
        ck_assert_int_eq(fragment_encode_last(fragment_of(head->rank - i), &file), PILGRIM_OK);
    ck_assert_int_eq(fragment_file_end(&file), PILGRIM_OK);
    return file;
}

static struct bytes file_of(const struct fragment_head *head)
{
    return file_of_segments(head, 1);
}

static struct bytes packed(struct fragment *f)
{
    struct bytes out = {0};
    fragment_pack(f, &out);
    fragment_free(f);
    return out;
}

/* What reading the head, then all SEGMENTS of a file of exactly LENGTH bytes of memory gives. */
static enum pilgrim_status read_segments(const uint8_t *data, size_t length, unsigned *segments)
{
    struct fragment_head head;
    struct bytes texts = {0};
    struct fragment *f = NULL;
    struct cursor c;
    size_t first = 0;
    uint8_t *copy = malloc(length + !length);
    if (length)
        memcpy(copy, data, length);
    enum pilgrim_status status = fragment_file_head(copy, length, &head, &texts, &first);
    cursor_init(&c, copy, length);
    c.position = first;
    *segments = 0;
    while (status == PILGRIM_OK) {
        status = fragment_file_next(&c, &f);
        ck_assert_msg(status == PILGRIM_OK || !f, "%d with a fragment", status);
        if (!f)
            break;
        ++*segments;
        fragment_free(f);
    }
    bytes_free(&texts);
    free(copy);
    return status;
}

static enum pilgrim_status read_all(const uint8_t *data, size_t length)
{
    unsigned segments;
    return read_segments(data, length, &segments);
}

/* The segment in FILE at *AT, behind which *AT is then. */
static struct fragment *segment_at(const struct bytes *file, size_t *at)
{
    struct fragment *f;
    struct cursor c;
    cursor_init(&c, file->data, file->length);
    c.position = *at;
    ck_assert_int_eq(fragment_file_next(&c, &f), PILGRIM_OK);
    *at = c.position;
    return f;
}

START_TEST(what_was_written_is_read)
{
    struct bytes file = file_of(&written), texts = {0};
    struct fragment_head head;
    size_t at, beginning = file.length < FRAGMENT_HEAD_BYTES_MAX ? file.length : FRAGMENT_HEAD_BYTES_MAX;
    ck_assert_int_eq(fragment_file_head(file.data, beginning, &head, &texts, &at), PILGRIM_OK);
    ck_assert(head.run == written.run && head.rank == RANK && head.ranks == RANKS && head.times);
    ck_assert_str_eq(head.tracer, written.tracer);
    ck_assert_str_eq(head.trace, written.trace);
    ck_assert_uint_eq(head.property_count, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_str_eq(head.properties[i].key, written.properties[i].key);
        ck_assert_str_eq(head.properties[i].value, written.properties[i].value);
    }
    struct bytes expected = packed(fragment_of(RANK)), found = packed(segment_at(&file, &at));
    ck_assert_ptr_null(segment_at(&file, &at));
    ck_assert_uint_eq(found.length, expected.length);
    ck_assert_mem_eq(found.data, expected.data, expected.length);
    bytes_free(&expected);
    bytes_free(&found);
    bytes_free(&file);
    bytes_free(&texts);
}
END_TEST

/* The files of all ranks make the trace that the fragments themselves make, byte for byte. */
START_TEST(same_trace)
{
    struct fragment *all = NULL;
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct fragment_head head = written;
        head.rank = rank;
        struct bytes file = file_of(&head), texts = {0};
        size_t at;
        ck_assert_int_eq(fragment_file_head(file.data, file.length, &head, &texts, &at), PILGRIM_OK);
        struct fragment *f = segment_at(&file, &at);
        if (rank) {
            ck_assert_int_eq(fragment_merge(all, f), PILGRIM_OK);
            fragment_free(f);
        } else {
            all = f;
        }
        bytes_free(&texts);
        bytes_free(&file);
    }
    struct bytes expected = {0}, found = {0};
    make_trace(&expected);
    ck_assert_int_eq(fragment_set_property(all, "program", "check_reader"), PILGRIM_OK);
    ck_assert_int_eq(trace_write(all, true, &found), PILGRIM_OK);
    ck_assert_uint_eq(found.length, expected.length);
    ck_assert_mem_eq(found.data, expected.data, expected.length);
    fragment_free(all);
    bytes_free(&expected);
    bytes_free(&found);
}
END_TEST

/* A process that goes on is as one that ends there. */
START_TEST(so_far_is_as_at_the_end)
{
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct bytes expected = packed(fragment_made(rank, false)), found = packed(fragment_made(rank, true));
        ck_assert_uint_eq(found.length, expected.length);
        ck_assert_mem_eq(found.data, expected.data, expected.length);
        bytes_free(&expected);
        bytes_free(&found);
    }
}
END_TEST

START_TEST(several_rounds)
{
    enum { ROUNDS = 4 };
    struct bytes file = file_of_segments(&written, ROUNDS), texts = {0};
    struct fragment_head head;
    size_t at, starts[ROUNDS + 1];
    unsigned segments;
    ck_assert_int_eq(fragment_file_head(file.data, file.length, &head, &texts, &at), PILGRIM_OK);
    for (unsigned i = 0; i < ROUNDS; i++) {
        starts[i] = at;
        struct bytes expected = packed(fragment_of(RANK - i)), found = packed(segment_at(&file, &at));
        ck_assert_uint_eq(found.length, expected.length);
        ck_assert_mem_eq(found.data, expected.data, expected.length);
        bytes_free(&expected);
        bytes_free(&found);
    }
    starts[ROUNDS] = at;
    ck_assert_ptr_null(segment_at(&file, &at));
    /* As a process that is killed leaves it: what is there can be read, and that there may be more is told. */
    for (size_t length = starts[0]; length < file.length; length++) {
        unsigned whole = 0;
        while (whole < ROUNDS && starts[whole + 1] <= length)
            whole++;
        ck_assert_int_eq(read_segments(file.data, length, &segments), PILGRIM_TRUNCATED);
        ck_assert_uint_eq(segments, whole);
    }
    ck_assert_int_eq(read_segments(file.data, file.length, &segments), PILGRIM_OK);
    ck_assert_uint_eq(segments, ROUNDS);
    bytes_free(&texts);
    bytes_free(&file);
}
END_TEST

/* ---- times ---- */

/* A times section, which nobody here looks into, appended to OUT. */
static void put_times(struct bytes *out, const char *text)
{
    struct bytes content = {0};
    bytes_put(&content, text, strlen(text));
    ck_assert_int_eq(section_write_fast(out, SECTION_TIMES, &content), PILGRIM_OK);
    bytes_free(&content);
}

static struct fragment *fragment_with_times(unsigned rank, const char *text)
{
    struct fragment *f = fragment_of(rank);
    put_times(fragment_times(f), text);
    return f;
}

enum { TIMES_COUNT = 4 };

static const char *const texts_of_times[TIMES_COUNT] = {"first", "sealed", "", "last"};

/* Times before a segment, encoded with it, between segments and behind them. STARTS: where each of the sections begins,
 * fragments among them. */
static struct bytes file_with_times(size_t starts[TIMES_COUNT + 3])
{
    struct bytes file = {0};
    ck_assert_int_eq(fragment_file_begin(&written, &file), PILGRIM_OK);
    *starts++ = file.length;
    put_times(&file, texts_of_times[0]);
    *starts++ = file.length;
    struct fragment *f = fragment_of(RANK);
    ck_assert_int_eq(fragment_encode(f, &file), PILGRIM_OK);
    *starts++ = file.length;
    file.length = starts[-2];
    put_times(fragment_times(f), texts_of_times[1]);
    ck_assert_int_eq(fragment_encode_last(f, &file), PILGRIM_OK);
    *starts++ = file.length;
    put_times(&file, texts_of_times[2]);
    *starts++ = file.length;
    ck_assert_int_eq(fragment_encode_last(fragment_of(RANK - 1), &file), PILGRIM_OK);
    *starts++ = file.length;
    put_times(&file, texts_of_times[3]);
    *starts++ = file.length;
    ck_assert_int_eq(fragment_file_end(&file), PILGRIM_OK);
    return file;
}

/* How many times sections the first LENGTH bytes of FILE have, all of them as they were written. */
static unsigned count_times(const struct bytes *file, size_t begin, size_t length, enum pilgrim_status *status)
{
    const uint8_t *times;
    size_t bytes;
    struct cursor c;
    unsigned count = 0;
    uint8_t *copy = malloc(length);
    memcpy(copy, file->data, length);
    cursor_init(&c, copy, length);
    c.position = begin;
    while ((*status = fragment_file_times(&c, &times, &bytes)) == PILGRIM_OK && times) {
        struct bytes expected = {0};
        ck_assert_uint_lt(count, TIMES_COUNT);
        put_times(&expected, texts_of_times[count++]);
        ck_assert_uint_eq(bytes, expected.length);
        ck_assert_mem_eq(times, expected.data, bytes);
        bytes_free(&expected);
    }
    free(copy);
    return count;
}

START_TEST(times_stand_between_rounds)
{
    size_t starts[TIMES_COUNT + 3];
    unsigned segments;
    uint32_t scanned;
    enum pilgrim_status status;
    struct bytes file = file_with_times(starts);
    ck_assert_int_eq(read_segments(file.data, file.length, &segments), PILGRIM_OK);
    ck_assert_uint_eq(segments, 2);
    struct cursor c;
    cursor_init(&c, file.data, file.length);
    c.position = starts[0];
    ck_assert_int_eq(fragment_file_scan(&c, &scanned), PILGRIM_OK);
    ck_assert_uint_eq(scanned, 2);
    ck_assert_uint_eq(c.position, file.length);
    ck_assert_uint_eq(count_times(&file, starts[0], file.length, &status), TIMES_COUNT);
    ck_assert_int_eq(status, PILGRIM_OK);
    /* As a process that is killed leaves it. Sections are times, segment, times, times, segment, times, end. */
    static const unsigned before[] = {0, 1, 1, 2, 3, 3, 4};
    for (size_t length = starts[0]; length < file.length; length++) {
        unsigned whole = 0;
        while (whole < TIMES_COUNT + 2 && starts[whole + 1] <= length)
            whole++;
        ck_assert_uint_eq(count_times(&file, starts[0], length, &status), before[whole]);
        ck_assert_int_eq(status, PILGRIM_TRUNCATED);
    }
    for (size_t i = starts[0]; i < file.length; i++) {
        file.data[i] ^= 0x40;
        ck_assert_int_ne(read_all(file.data, file.length), PILGRIM_OK);
        file.data[i] ^= 0x40;
    }
    bytes_free(&file);
}
END_TEST

/* Where fragments go their times go, in the order of ranks; in the trace they stand behind the shard. */
START_TEST(times_go_along)
{
    struct bytes expected = {0}, plain = {0}, found = {0};
    struct fragment *all = fragment_with_times(0, "zero");
    for (unsigned rank = 1; rank < RANKS; rank++) {
        struct bytes encoded = {0};
        struct fragment *f;
        ck_assert_int_eq(fragment_encode_last(fragment_with_times(rank, rank % 2 ? "odd" : "even"), &encoded),
                         PILGRIM_OK);
        ck_assert_int_eq(fragment_decode(encoded.data, encoded.length, &f), PILGRIM_OK);
        ck_assert_int_eq(fragment_merge(all, f), PILGRIM_OK);
        fragment_free(f);
        bytes_free(&encoded);
    }
    put_times(&expected, "zero");
    for (unsigned rank = 1; rank < RANKS; rank++)
        put_times(&expected, rank % 2 ? "odd" : "even");
    ck_assert_uint_eq(fragment_times(all)->length, expected.length);
    ck_assert_mem_eq(fragment_times(all)->data, expected.data, expected.length);
    bool bound;
    ck_assert_int_eq(fragment_finalise(all, true, &bound), PILGRIM_OK);
    ck_assert_int_eq(trace_write_segment(all, true, false, &found), PILGRIM_OK);
    bytes_free(fragment_times(all));
    ck_assert_int_eq(trace_write_segment(all, true, false, &plain), PILGRIM_OK);
    ck_assert_uint_eq(found.length, plain.length + expected.length);
    ck_assert_mem_eq(found.data, plain.data, plain.length);
    ck_assert_mem_eq(found.data + plain.length, expected.data, expected.length);
    fragment_free(all);
    bytes_free(&expected);
    bytes_free(&plain);
    bytes_free(&found);
}
END_TEST

/* Behind a encoded fragment there is nothing but times. */
START_TEST(sealed_with_something_else)
{
    struct bytes encoded = {0};
    struct fragment *f;
    ck_assert_int_eq(fragment_encode_last(fragment_with_times(RANK, "times"), &encoded), PILGRIM_OK);
    size_t length = encoded.length;
    ck_assert_int_eq(fragment_file_end(&encoded), PILGRIM_OK);
    ck_assert_int_eq(fragment_decode(encoded.data, encoded.length, &f), PILGRIM_DAMAGED);
    ck_assert_ptr_null(f);
    ck_assert_int_eq(fragment_decode(encoded.data, length - 1, &f), PILGRIM_DAMAGED);
    encoded.data[length - 1] ^= 1;
    ck_assert_int_eq(fragment_decode(encoded.data, length, &f), PILGRIM_DAMAGED);
    encoded.data[length - 1] ^= 1;
    ck_assert_int_eq(fragment_decode(encoded.data, length, &f), PILGRIM_OK);
    fragment_free(f);
    bytes_free(&encoded);
}
END_TEST

/* A head takes any path, and as many properties as there may be; what is too long is refused, not cut off. */
START_TEST(long_heads)
{
    static char path[FRAGMENT_HEAD_BYTES_MAX];
    struct fragment_head head = written;
    memset(path, 'x', 5000);
    head.trace = path;
    head.property_count = FRAGMENT_PROPERTIES_MAX;
    for (size_t i = 0; i < FRAGMENT_PROPERTIES_MAX; i++)
        head.properties[i] = (struct fragment_property){"key", "value"};
    struct bytes file = file_of(&head), texts = {0};
    struct fragment_head found;
    size_t at;
    ck_assert_int_eq(fragment_file_head(file.data, file.length, &found, &texts, &at), PILGRIM_OK);
    ck_assert_str_eq(found.trace, path);
    ck_assert_uint_eq(found.property_count, FRAGMENT_PROPERTIES_MAX);
    bytes_free(&texts);
    bytes_free(&file);
    memset(path, 'x', sizeof path - 1);
    ck_assert_int_eq(fragment_file_begin(&head, &file), PILGRIM_LIMIT);
    bytes_free(&file);
}
END_TEST

START_TEST(cut_off_anywhere)
{
    struct bytes file = file_of(&written);
    for (size_t length = 0; length < file.length; length++) {
        enum pilgrim_status status = read_all(file.data, length);
        ck_assert_msg(status == (length < 8 ? PILGRIM_NOT_TRACE : PILGRIM_TRUNCATED), "%zu bytes: %d", length, status);
    }
    ck_assert_int_eq(read_all(file.data, file.length), PILGRIM_OK);
    bytes_put_u8(&file, 0);
    ck_assert_int_eq(read_all(file.data, file.length), PILGRIM_DAMAGED);
    bytes_free(&file);
}
END_TEST

START_TEST(any_byte_changed)
{
    struct bytes file = file_of(&written);
    for (size_t i = 0; i < file.length; i++)
        for (unsigned change = 1; change < 256; change += change < 4 ? 1 : 63) {
            file.data[i] ^= (uint8_t)change;
            enum pilgrim_status status = read_all(file.data, file.length);
            enum pilgrim_status expected = i < 8 ? PILGRIM_NOT_TRACE : i < 10 ? PILGRIM_VERSION : PILGRIM_DAMAGED;
            bool good = status == expected || (i >= 10 && status == PILGRIM_TRUNCATED);
            ck_assert_msg(good, "byte %zu ^ %u: %d", i, change, status);
            file.data[i] ^= (uint8_t)change;
        }
    ck_assert_int_eq(read_all(file.data, file.length), PILGRIM_OK);
    bytes_free(&file);
}
END_TEST

/* Contents that are wrong under right checksums, byte by byte: refused or understood, and nothing worse (the sanitizers
 * tell). */
START_TEST(any_byte_of_a_content_changed)
{
    struct bytes content = packed(fragment_of(RANK));
    for (size_t i = 0; i < content.length; i++)
        for (unsigned change = 1; change < 256; change *= 2) {
            struct bytes encoded = {0};
            struct fragment *f = NULL;
            content.data[i] ^= (uint8_t)change;
            ck_assert_int_eq(section_write_fast(&encoded, 33, &content), PILGRIM_OK);
            enum pilgrim_status status = fragment_decode(encoded.data, encoded.length, &f);
            ck_assert_msg((status == PILGRIM_OK) == (f != NULL), "byte %zu: %d", i, status);
            fragment_free(f);
            bytes_free(&encoded);
            content.data[i] ^= (uint8_t)change;
        }
    bytes_free(&content);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fragment_file");
    TCase *tests = tcase_create("fragment_file");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, what_was_written_is_read);
    tcase_add_test(tests, same_trace);
    tcase_add_test(tests, so_far_is_as_at_the_end);
    tcase_add_test(tests, several_rounds);
    tcase_add_test(tests, times_stand_between_rounds);
    tcase_add_test(tests, times_go_along);
    tcase_add_test(tests, sealed_with_something_else);
    tcase_add_test(tests, long_heads);
    tcase_add_test(tests, cut_off_anywhere);
    tcase_add_test(tests, any_byte_changed);
    tcase_add_test(tests, any_byte_of_a_content_changed);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
