/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of calls: cached text is printed again for equal calls only; numbers and strings are printed as plain code
 * prints them. The decoder's files are not in the library of the modules; they are compiled in here. */
#include "../../decoder/output.c"
#include "../../decoder/call_lines.c"
#include "../../src/analysis/call_values.c"
#include "../../src/analysis/object_names.c"
#include "../../src/base/error_classes.c"
#include "../../src/analysis/in_flight.c"
#include "../../decoder/csv_call.c"
#include "../../decoder/csv_cells.c"
#include "../../decoder/json.c"
#include "../../decoder/site_place.c"
#include "../../decoder/text.c"

#include <check.h>
#include <inttypes.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    (void)lines;
    (void)frame;
    return NULL;
}

char *source_lines_place(struct source_lines *lines, const struct pilgrim_frame *frame)
{
    (void)lines;
    (void)frame;
    return NULL;
}

bool source_lines_asked(const struct source_lines *lines)
{
    (void)lines;
    return false;
}

size_t source_lines_functions(struct source_lines *lines, const struct pilgrim_frame *frame,
                              struct source_function functions[SOURCE_FUNCTIONS_MAX])
{
    (void)lines, (void)frame, (void)functions;
    return 0;
}

const struct pilgrim_frame *source_lines_caller(const struct source_lines *lines, const struct pilgrim_frame *frame)
{
    (void)lines;
    return frame->caller;
}

bool source_lines_symbol(const struct source_lines *lines, const struct pilgrim_frame *frame,
                         struct source_function *function)
{
    (void)lines, (void)frame, (void)function;
    return false;
}

static struct output *output_new(void)
{
    struct output *o = calloc(1, sizeof *o);
    ck_assert_ptr_nonnull(o);
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    o->descriptor = dup(fileno(file));
    ck_assert_int_ge(o->descriptor, 0);
    fclose(file);
    return o;
}

/* All that was printed. */
static char *output_end(struct output *o, size_t *length)
{
    out_flush(o);
    ck_assert_int_eq(o->error, 0);
    *length = (size_t)out_position(o);
    char *all = malloc(*length + 1);
    ck_assert_int_eq(pread(o->descriptor, all, *length, 0), (ssize_t)*length);
    all[*length] = 0;
    close(o->descriptor);
    free(o);
    return all;
}

/* ---- calls ---- */

static const struct pilgrim_parameter parameters[] = {{"count", PILGRIM_IN}, {"name\"", PILGRIM_INOUT}};
static const struct pilgrim_function function = {"MPI_F", parameters, COUNT(parameters), true};
static const struct pilgrim_frame site = {.module = "app", .offset = 0x1a2b};
static const struct pilgrim_class class = {&function, &site, false};

enum { TEXT_MAX = 40000 };
static char letters[TEXT_MAX + 1];

/* Values that follow from IDENTITY and SALT. A name of LENGTH letters. */
static struct pilgrim_call make_call(struct pilgrim_value values[4], uint64_t identity, int64_t salt, size_t length)
{
    memset(values, 0, 4 * sizeof *values);
    values[0] = (struct pilgrim_value){.type = PILGRIM_INT, .integer = (int64_t)identity + salt};
    values[1] = values[3] =
        (struct pilgrim_value){.type = PILGRIM_STRING, .text = letters + TEXT_MAX - length, .length = length};
    return (struct pilgrim_call){.class_ = &class,
                                 .function = &function,
                                 .in = values,
                                 .out = values + 2,
                                 .ret = {.type = PILGRIM_INT},
                                 .identity = identity};
}

/* A line of KNOWN, and the same of ANEW, for which no two calls are alike. */
static void print_both(struct call_lines *known, struct call_lines *anew, uint64_t seq, uint64_t identity, int64_t salt,
                       size_t length)
{
    struct pilgrim_value values[4];
    struct pilgrim_call call = make_call(values, identity, salt, length);
    call.seq = seq;
    call.timed = seq % 7 == 3;
    call.start_ns = seq * 1001;
    call.end_ns = seq * 1002;
    call_lines_print(known, &call);
    call.identity = 0;
    call_lines_print(anew, &call);
}

/* Identities that share places, those of several cursors, lines that are too long to be kept, and more than are kept.
 */
START_TEST(again)
{
    const enum call_format format = (enum call_format)(_i % 3);
    struct output *first = output_new(), *second = output_new();
    struct call_lines *known = call_lines_new(first, format, UINT64_MAX, NULL);
    struct call_lines *anew = call_lines_new(second, format, UINT64_MAX, NULL);
    const size_t longest = _i < 3 ? 40 : _i < 6 ? 3000 : TEXT_MAX;
    uint64_t state = 1;
    memset(letters, 'x', TEXT_MAX);
    for (uint32_t thread = 0; thread < 3; thread++) {
        call_lines_begin(known, 5, thread);
        call_lines_begin(anew, 5, thread);
        for (uint64_t seq = 0; seq < (longest < TEXT_MAX ? 6000 : 300); seq++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uint64_t identity =
                seq % 3 == 0 ? seq + 1 : 1 + (state >> 33) % (seq + 1) % 5 + (state >> 60) * BODIES_MAX % (seq + 1);
            print_both(known, anew, seq, identity, 1000000 * (int64_t)thread, identity * 977 % longest);
        }
    }
    ck_assert_uint_gt(known->last, 0);
    call_lines_free(known);
    call_lines_free(anew);
    size_t length, other;
    char *printed = output_end(first, &length), *expected = output_end(second, &other);
    ck_assert_uint_eq(length, other);
    ck_assert_int_eq(memcmp(printed, expected, length), 0);
    free(printed);
    free(expected);
}
END_TEST

/* The second call has times; the first has none. */
START_TEST(by_eye)
{
    static const char *const expected[] = {
        "5.2 #0 MPI_F(count=8, name\\\"=\"xx\" -> \"xx\") = MPI_SUCCESS at app+0x1a2b\n"
        "5.2 #10 +21012.345us 0.678us MPI_F(count=8, name\\\"=\"xx\" -> \"xx\") = MPI_SUCCESS at app+0x1a2b\n",
        "{\"rank\":5,\"thread\":2,\"seq\":0,\"func\":\"MPI_F\",\"args\":{\"count\":8,\"name\\\"\":{\"in\":\"xx\","
        "\"out\":\"xx\"}},"
        "\"ret\":0,\"site\":\"app+0x1a2b\"}\n"
        "{\"rank\":5,\"thread\":2,\"seq\":10,\"func\":\"MPI_F\",\"args\":{\"count\":8,\"name\\\"\":{\"in\":\"xx\","
        "\"out\":\"xx\"}},"
        "\"ret\":0,\"site\":\"app+0x1a2b\",\"start\":21012345,\"end\":21013023}\n"};
    struct pilgrim_value values[4];
    size_t length;
    memset(letters, 'x', TEXT_MAX);
    for (int json = 0; json < 2; json++) {
        struct output *o = output_new();
        struct call_lines *l = call_lines_new(o, (enum call_format)json, UINT64_MAX, NULL);
        call_lines_begin(l, 5, 2);
        for (uint64_t seq = 0; seq < 20; seq += 10) {
            struct pilgrim_call call = make_call(values, 7, 1, 2);
            call.seq = seq;
            call.timed = seq > 0;
            call.start_ns = 21012345;
            call.end_ns = 21012345 + 678;
            call_lines_print(l, &call);
        }
        call_lines_free(l);
        char *printed = output_end(o, &length);
        ck_assert_str_eq(printed, expected[json]);
        free(printed);
    }
}
END_TEST

/* ---- numbers, strings ---- */

/* Powers of two and of ten, and what is beside them, over the end of the buffer many times. */
START_TEST(numbers)
{
    struct output *o = output_new();
    char *wanted = malloc(1 << 22), *at = wanted;
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < 84; i++) {
            uint64_t v = i < 64 ? UINT64_C(1) << i : 1;
            for (unsigned k = 64; k < i; k++)
                v *= 10;
            for (uint64_t x = v - 2; x != v + 3; x++) {
                out_uint(o, x);
                out_char(o, ' ');
                out_int(o, (int64_t)x);
                out_pair(o, ",heap:", (int64_t)x, '+', (int64_t)(0 - x));
                out_hex(o, x);
                at += sprintf(at, "%" PRIu64 " %" PRId64 ",heap:%" PRId64 "+%" PRId64 "%" PRIx64, x, (int64_t)x,
                              (int64_t)x, (int64_t)(0 - x), x);
            }
        }
    }
    size_t length;
    char *printed = output_end(o, &length);
    ck_assert_uint_eq(length, (size_t)(at - wanted));
    ck_assert_int_eq(memcmp(printed, wanted, length), 0);
    free(printed);
    free(wanted);
}
END_TEST

/* Byte C as it is in JSON, if it is no part of a character. */
static char *put_escaped(char *to, unsigned char c)
{
    if (c == '"' || c == '\\')
        return to + sprintf(to, "\\%c", c);
    return to + sprintf(to, c < 0x20 || c >= 0x7f ? "\\u%04x" : "%c", c);
}

/* Each byte at each place of strings of up to 20 bytes. */
START_TEST(escapes)
{
    struct output *o = output_new();
    char *wanted = malloc(1 << 22), *at = wanted;
    for (size_t length = 1; length <= 20; length++) {
        for (size_t place = 0; place < length; place++) {
            for (unsigned c = 0; c < 256; c++) {
                char text[21] = "abcdefgh{}~ !#[]^mnop";
                text[place] = (char)c;
                out_json_escaped(o, text, length);
                for (size_t i = 0; i < length; i++)
                    at = put_escaped(at, (unsigned char)text[i]);
            }
        }
    }
    out_json_string(o, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc3", 10);
    at += sprintf(at, "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\u00c3\"");
    size_t length;
    char *printed = output_end(o, &length);
    ck_assert_uint_eq(length, (size_t)(at - wanted));
    ck_assert_int_eq(memcmp(printed, wanted, length), 0);
    free(printed);
    free(wanted);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("call lines");
    TCase *tests = tcase_create("call lines");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, again, 0, 9);
    tcase_add_test(tests, by_eye);
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, escapes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
