/* SPDX-License-Identifier: BSD-3-Clause */
/* Host locations: names are split into pieces and joined again, and what is recorded of a process's location.
 * host_location.c belongs to the traced program's side and is not in the library of the modules without MPI; it is
 * compiled in here. */
#include "process/host_location.c"

#include <check.h>
#include <stdio.h>

static uint64_t state = 1;

static unsigned draw(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % limit;
}

/* The pieces of NAME put together again, as the reader does it. */
static void join(char *out, const char *name, size_t length)
{
    bool text = false, first = true;
    while (length > 0) {
        struct name_piece piece = name_piece(name, length);
        ck_assert_uint_ge(piece.length, 1);
        ck_assert_uint_le(piece.length, length);
        ck_assert_msg(first || !piece.text != !text, "two texts or two numbers behind each other");
        text = piece.text;
        first = false;
        if (text) {
            ck_assert_ptr_eq(piece.text, name);
            memcpy(out, piece.text, piece.length);
            out += piece.length;
        } else {
            char digits[NAME_NUMBER_DIGITS_MAX];
            size_t count = name_digits(piece.number, digits);
            memcpy(out, digits, count);
            out += count;
        }
        name += piece.length;
        length -= piece.length;
    }
    *out = 0;
}

START_TEST(names_come_back)
{
    static const char letters[] = "0000123456789-.az";
    char name[48], joined[48];
    for (unsigned round = 0; round < 20000; round++) {
        size_t length = draw(sizeof name);
        for (size_t i = 0; i < length; i++)
            name[i] = letters[draw(round % 2 ? 12 : sizeof letters - 1)];
        name[length] = 0;
        join(joined, name, length);
        ck_assert_str_eq(name, joined);
    }
}
END_TEST

START_TEST(pieces_of_names)
{
    static const struct {
        const char *name;
        size_t length;
        int64_t number; /* 0: text */
    } first[] = {
        {"node12", 4, 0},
        {"12node", 2, 12},
        {"0012", 4, -10012},
        {"00", 2, -100},
        {"999999999999999999", 18, 999999999999999999},
        {"099999999999999999", 18, -1099999999999999999},
        {"000000000000000000", 18, -1000000000000000000},
        {"1000000000000000000", 19, 0},
        {"x1000000000000000000y12", 21, 0},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        struct name_piece piece = name_piece(first[i].name, strlen(first[i].name));
        ck_assert_uint_eq(piece.length, first[i].length);
        ck_assert(!piece.text == (first[i].number != 0));
        ck_assert_int_eq(piece.number, first[i].number);
    }
    struct name_piece zero = name_piece("0", 1);
    ck_assert(!zero.text && zero.number == 0 && zero.length == 1);
}
END_TEST

/* Neighbours in a row of names differ in a number by one. */
START_TEST(rows_count_up)
{
    char name[32];
    for (int padded = 0; padded < 2; padded++) {
        int64_t before = 0;
        for (int i = 1; i < 1200; i++) {
            snprintf(name, sizeof name, padded ? "%05d" : "%d", i);
            int64_t number = name_piece(name, strlen(name)).number;
            ck_assert(i == 1 || number - before == (padded ? -1 : 1));
            before = number;
        }
    }
}
END_TEST

/* Any number that a file may hold is some digits. */
START_TEST(any_number)
{
    static const struct {
        int64_t number;
        const char *digits;
    } numbers[] = {
        {INT64_MIN, "223372036854775808"}, {INT64_MAX, "9223372036854775807"}, {-1, ""}, {-57, "7"}, {0, "0"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char digits[NAME_NUMBER_DIGITS_MAX + 1];
        digits[name_digits(numbers[i].number, digits)] = 0;
        ck_assert_str_eq(digits, numbers[i].digits);
    }
}
END_TEST

/* ---- what is recorded ---- */

static void show(struct cursor *c, char *out, size_t room)
{
    uint8_t tag = cursor_u8(c);
    size_t used = strlen(out);
    if (tag == VALUE_NONE) {
        snprintf(out + used, room - used, "null");
    } else if (tag == VALUE_INT) {
        snprintf(out + used, room - used, "%lld", (long long)cursor_u64(c));
    } else if (tag == VALUE_STRING) {
        uint32_t length = cursor_u32(c);
        snprintf(out + used, room - used, "'%.*s'", (int)length, (const char *)cursor_take(c, length));
    } else {
        ck_assert_int_eq(tag, VALUE_ARRAY);
        snprintf(out + used, room - used, "[");
        for (uint32_t i = 0, count = cursor_u32(c); i < count; i++) {
            if (i)
                strcat(out, " ");
            show(c, out, room);
        }
        strcat(out, "]");
    }
}

static const char *shown(struct bytes *key, int values)
{
    static char text[512];
    struct cursor c;
    text[0] = 0;
    ck_assert_int_eq(bytes_status(key), PILGRIM_OK);
    cursor_init(&c, key->data, key->length);
    for (int i = 0; i < values; i++)
        show(&c, text, sizeof text - 8);
    ck_assert_int_eq(c.status, PILGRIM_OK);
    ck_assert_uint_eq(cursor_left(&c), 0);
    bytes_free(key);
    return text;
}

static const char *location(const char *host, const char *address, const char *pattern)
{
    static struct bytes key;
    key = (struct bytes){0};
    host_location_put_of(&key, host, address, pattern);
    return shown(&key, 1);
}

START_TEST(places)
{
    static const char alone[] = "[['host' 'node' -1012 '-ib' 0]]";
    ck_assert_str_eq(location("node012-ib0", NULL, NULL), alone);
    ck_assert_str_eq(location("node012-ib0", "node012-ib0", "node"), alone);
    ck_assert_str_eq(location("n1", "root_switch.CELL1.iswi1r4.n1", "switch.switch.rack.node"),
                     "[['switch' 'root_switch'] ['switch' 'CELL' 1] ['rack' 'iswi' 1 'r' 4] ['host' 'n' 1]]");
    ck_assert_str_eq(location("n1", "s[0-1].n1.some.where", "switch.node"),
                     "[['switch' 's[' 0 '-' 1 ']'] ['host' 'n' 1]]");
    ck_assert_str_eq(location("n1.some.where", "s.n1", "switch.node"), "[['switch' 's'] ['host' 'n' 1 '.some.where']]");
}
END_TEST

/* An address that is another host's, or none, is not believed. */
START_TEST(places_not_believed)
{
    static const char *const bad[][2] = {
        {"s0.n2", "switch.node"},
        {"s0.n11", "switch.node"},
        {"s0.n", "switch.node"},
        {"s0.n1", "switch.switch.node"},
        {"s0.n1", "node"},
        {".n1", "switch.node"},
        {"s0.n1", ".node"},
        {"s0.n1", "switch"},
        {"s0.n1", "switch.switch"},
        {"", ""},
        {"s0..n1", "switch.switch.node"},
        {"s0.n1", "switch.node.nic"},
        {"s0.", "switch.node"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_str_eq(location("n1", bad[i][0], bad[i][1]), "[['host' 'n' 1]]");
    ck_assert_str_eq(location("n1", "s0.n1", NULL), "[['host' 'n' 1]]");
    ck_assert_str_eq(location("n1", NULL, "switch.node"), "[['host' 'n' 1]]");
}
END_TEST

START_TEST(own_place)
{
    struct bytes key = {0};
    char host[256], address[300], begin[64];
    ck_assert_int_eq(gethostname(host, sizeof host), 0);
    snprintf(address, sizeof address, "s7.%s", host);
    ck_assert_int_eq(setenv("SLURM_TOPOLOGY_ADDR", address, 1), 0);
    ck_assert_int_eq(setenv("SLURM_TOPOLOGY_ADDR_PATTERN", "switch.node", 1), 0);
    host_location_put(&key, true);
    const char *text = shown(&key, 2);
    int length = snprintf(begin, sizeof begin, "%d[['switch' 's' 7] ['host' ", (int)getpid());
    ck_assert_msg(!strncmp(text, begin, (size_t)length), "%s", text);
    key = (struct bytes){0};
    host_location_put(&key, false);
    ck_assert_str_eq(shown(&key, 2), "nullnull");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place");
    TCase *names = tcase_create("names");
    tcase_add_test(names, names_come_back);
    tcase_add_test(names, pieces_of_names);
    tcase_add_test(names, rows_count_up);
    tcase_add_test(names, any_number);
    TCase *recorded = tcase_create("recorded");
    tcase_add_test(recorded, places);
    tcase_add_test(recorded, places_not_believed);
    tcase_add_test(recorded, own_place);
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, recorded);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
