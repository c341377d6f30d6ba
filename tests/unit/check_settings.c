/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: each accepted word, each refused one, and the warning for it. The file is compiled in here for its table.
 */
#include "process/settings.c"

#include <check.h>

static char warnings[16][512];
static int warning_count;

static void keep(const char *line)
{
    ck_assert_int_lt(warning_count, 16);
    snprintf(warnings[warning_count++], sizeof warnings[0], "%s", line);
}

/* Reads and checks an environment of one variable; returns the number of warnings. */
static int read_one(struct settings *s, const char *text)
{
    static char entry[8192]; /* settings borrow from it */
    char *const environment[] = {entry, NULL};
    snprintf(entry, sizeof entry, "%s", text);
    warning_count = 0;
    settings_read(s, environment);
    settings_check(environment, keep);
    return warning_count;
}

static void check_default(const struct settings *s)
{
    ck_assert_ptr_null(s->trace);
    ck_assert(!s->off && !s->quiet && s->buffers && s->timing == TIMING_AGGREGATE && s->system &&
              s->clock == CLOCK_AUTO);
    ck_assert(!s->keeps_readings && !s->filter && settings_records(s, "MPI_Send"));
    ck_assert(s->stack == 64 && s->merge_limit_s == 300 && s->memory_bytes == 256 << 20);
}

START_TEST(nothing_is_set)
{
    struct settings s;
    ck_assert_int_eq(read_one(&s, "HOME=/root"), 0);
    check_default(&s);
    settings_read(&s, NULL);
    check_default(&s);
}
END_TEST

START_TEST(accepted_words)
{
    struct settings s;
    ck_assert_int_eq(read_one(&s, "PILGRIM_TRACE=out/%p-%j-%t%%.pilgrim"), 0);
    ck_assert_str_eq(s.trace, "out/%p-%j-%t%%.pilgrim");
    ck_assert_int_eq(read_one(&s, "PILGRIM_OFF=1"), 0);
    ck_assert(s.off);
    ck_assert_int_eq(read_one(&s, "PILGRIM_OFF=0"), 0);
    ck_assert(!s.off);
    ck_assert_int_eq(read_one(&s, "PILGRIM_QUIET=1"), 0);
    ck_assert(s.quiet);
    ck_assert_int_eq(read_one(&s, "PILGRIM_BUFFERS=off"), 0);
    ck_assert(!s.buffers);
    ck_assert_int_eq(read_one(&s, "PILGRIM_BUFFERS=on"), 0);
    ck_assert(s.buffers);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=off"), 0);
    ck_assert_int_eq(s.timing, TIMING_OFF);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=aggregate"), 0);
    ck_assert_int_eq(s.timing, TIMING_AGGREGATE);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=exact"), 0);
    ck_assert_int_eq(s.timing, TIMING_EXACT);
    ck_assert_str_eq(s.timing_text, "exact");
    ck_assert_int_eq(read_one(&s, "PILGRIM_VALUES=wtime"), 0);
    ck_assert(s.keeps_readings);
    ck_assert_int_eq(read_one(&s, "PILGRIM_VALUES=default"), 0);
    ck_assert(!s.keeps_readings);
    ck_assert_int_eq(read_one(&s, "PILGRIM_CLOCK=tsc"), 0);
    ck_assert_int_eq(s.clock, CLOCK_TSC);
    ck_assert_int_eq(read_one(&s, "PILGRIM_CLOCK=monotonic"), 0);
    ck_assert_int_eq(s.clock, CLOCK_MONOTONIC_NS);
    ck_assert_int_eq(read_one(&s, "PILGRIM_CLOCK=auto"), 0);
    ck_assert_int_eq(s.clock, CLOCK_AUTO);
    ck_assert_int_eq(read_one(&s, "PILGRIM_SYSTEM=off"), 0);
    ck_assert(!s.system);
    ck_assert_int_eq(read_one(&s, "PILGRIM_SYSTEM=on"), 0);
    ck_assert(s.system);
    ck_assert_int_eq(read_one(&s, "PILGRIM_ARGV=off"), 0);
    ck_assert(!s.arguments);
    ck_assert_int_eq(read_one(&s, "PILGRIM_ARGV=on"), 0);
    ck_assert(s.arguments);
    ck_assert_int_eq(read_one(&s, "PILGRIM_STACK=1"), 0);
    ck_assert_uint_eq(s.stack, 1);
    ck_assert_str_eq(s.stack_text, "1");
    ck_assert_int_eq(read_one(&s, "PILGRIM_STACK=full"), 0);
    ck_assert_uint_eq(s.stack, 64);
    ck_assert_ptr_null(s.stack_text);
    ck_assert_int_eq(read_one(&s, "PILGRIM_STACK=64"), 0);
    ck_assert_uint_eq(s.stack, 64);
    ck_assert_int_eq(read_one(&s, "PILGRIM_MERGE_TIMEOUT=0"), 0);
    ck_assert_uint_eq(s.merge_limit_s, 0);
    ck_assert_int_eq(read_one(&s, "PILGRIM_MERGE_TIMEOUT=1000000"), 0);
    ck_assert_uint_eq(s.merge_limit_s, 1000000);
    ck_assert_int_eq(read_one(&s, "PILGRIM_MEMORY=262144"), 0);
    ck_assert_uint_eq(s.memory_bytes, 262144);
    ck_assert_int_eq(read_one(&s, "PILGRIM_MEMORY=256K"), 0);
    ck_assert_uint_eq(s.memory_bytes, 262144);
    ck_assert_int_eq(read_one(&s, "PILGRIM_MEMORY=3M"), 0);
    ck_assert_uint_eq(s.memory_bytes, 3 << 20);
    ck_assert_int_eq(read_one(&s, "PILGRIM_MEMORY=1048576G"), 0);
    ck_assert_uint_eq(s.memory_bytes, UINT64_C(1) << 50);
}
END_TEST

/* A bad value is as if it were not set, and the warning names the variable and what it accepts. */
START_TEST(bad_values)
{
    static const char *const bad[][3] = {
        {"PILGRIM_OFF=yes", "PILGRIM_OFF=yes", "0 or 1"},
        {"PILGRIM_OFF=", "PILGRIM_OFF=", "0 or 1"},
        {"PILGRIM_QUIET=2", "PILGRIM_QUIET=2", "0 or 1"},
        {"PILGRIM_BUFFERS=1", "PILGRIM_BUFFERS=1", "on or off"},
        {"PILGRIM_SYSTEM=yes", "PILGRIM_SYSTEM=yes", "on or off"},
        {"PILGRIM_ARGV=1", "PILGRIM_ARGV=1", "on or off"},
        {"PILGRIM_TIMING=often", "PILGRIM_TIMING=often", "off, aggregate, exact or bins"},
        {"PILGRIM_TIMING=", "PILGRIM_TIMING=", "bins"},
        {"PILGRIM_TIMING=bin", "PILGRIM_TIMING=bin", "bins"},
        {"PILGRIM_TIMING=bins1.2", "PILGRIM_TIMING=bins1.2", "bins"},
        {"PILGRIM_TIMING=bins:", "PILGRIM_TIMING=bins:", "bins"},
        {"PILGRIM_TIMING=bins:1", "PILGRIM_TIMING=bins:1", "bins"},
        {"PILGRIM_TIMING=bins:0.5", "PILGRIM_TIMING=bins:0.5", "bins"},
        {"PILGRIM_TIMING=bins:1.", "PILGRIM_TIMING=bins:1.", "bins"},
        {"PILGRIM_TIMING=bins:.5", "PILGRIM_TIMING=bins:.5", "bins"},
        {"PILGRIM_TIMING=bins:1.0", "PILGRIM_TIMING=bins:1.0", "bins"},
        {"PILGRIM_TIMING=bins:1.000099", "PILGRIM_TIMING=bins:1.000099", "1.0001 to 1000"},
        {"PILGRIM_TIMING=bins:1.0000001", "PILGRIM_TIMING=bins:1.0000001", "bins"},
        {"PILGRIM_TIMING=bins:1000.000001", "PILGRIM_TIMING=bins:1000.000001", "bins"},
        {"PILGRIM_TIMING=bins:4294968.5", "PILGRIM_TIMING=bins:4294968.5", "bins"},
        {"PILGRIM_TIMING=bins:1.2e1", "PILGRIM_TIMING=bins:1.2e1", "bins"},
        {"PILGRIM_TIMING=bins:1.2,", "PILGRIM_TIMING=bins:1.2,", "bins"},
        {"PILGRIM_TIMING=bins:1.2,1.3", "PILGRIM_TIMING=bins:1.2,1.3", "bins"},
        {"PILGRIM_TIMING=bins:1.2,:1.3", "PILGRIM_TIMING=bins:1.2,:1.3", "bins"},
        {"PILGRIM_TIMING=bins:1.2,MPI_Wait*", "PILGRIM_TIMING=bins:1.2,MPI_Wait*", "bins"},
        {"PILGRIM_TIMING=bins:1.2,MPI_Wait*:1", "PILGRIM_TIMING=bins:1.2,MPI_Wait*:1", "bins"},
        {"PILGRIM_TIMING=bins:1.2,MPI Wait:2", "PILGRIM_TIMING=bins:1.2,MPI Wait:2", "bins"},
        {"PILGRIM_CLOCK=off", "PILGRIM_CLOCK=off", "auto, tsc or monotonic"},
        {"PILGRIM_CLOCK=", "PILGRIM_CLOCK=", "auto, tsc or monotonic"},
        {"PILGRIM_TRACE=a%q", "PILGRIM_TRACE=a%q", "%p"},
        {"PILGRIM_TRACE=a%", "PILGRIM_TRACE=a%", "%t"},
        {"PILGRIM_TRACE=", "PILGRIM_TRACE=", "a path"},
        {"PILGRIM_STACK=0", "PILGRIM_STACK=0", "1 to 64"},
        {"PILGRIM_STACK=65", "PILGRIM_STACK=65", "1 to 64"},
        {"PILGRIM_STACK=4294967298", "PILGRIM_STACK=4294967298", "1 to 64"},
        {"PILGRIM_STACK=2x", "PILGRIM_STACK=2x", "1 to 64"},
        {"PILGRIM_STACK=-1", "PILGRIM_STACK=-1", "1 to 64"},
        {"PILGRIM_STACK=", "PILGRIM_STACK=", "1 to 64"},
        {"PILGRIM_MERGE_TIMEOUT=1000001", "PILGRIM_MERGE_TIMEOUT=1000001", "0 to 1000000"},
        {"PILGRIM_MERGE_TIMEOUT=18446744073709551616", "PILGRIM_MERGE_TIMEOUT=18446744073709551616", "0 to 1000000"},
        {"PILGRIM_MERGE_TIMEOUT=-1", "PILGRIM_MERGE_TIMEOUT=-1", "0 to 1000000"},
        {"PILGRIM_MERGE_TIMEOUT=1.5", "PILGRIM_MERGE_TIMEOUT=1.5", "0 to 1000000"},
        {"PILGRIM_MERGE_TIMEOUT=", "PILGRIM_MERGE_TIMEOUT=", "0 to 1000000"},
        {"PILGRIM_MERGE_TIMEOUT=1K", "PILGRIM_MERGE_TIMEOUT=1K", "0 to 1000000"},
        {"PILGRIM_MEMORY=262143", "PILGRIM_MEMORY=262143", "at least 256K"},
        {"PILGRIM_MEMORY=255K", "PILGRIM_MEMORY=255K", "at least 256K"},
        {"PILGRIM_MEMORY=1M1", "PILGRIM_MEMORY=1M1", "K, M or G"},
        {"PILGRIM_MEMORY=1MB", "PILGRIM_MEMORY=1MB", "K, M or G"},
        {"PILGRIM_MEMORY=1T", "PILGRIM_MEMORY=1T", "K, M or G"},
        {"PILGRIM_MEMORY=K", "PILGRIM_MEMORY=K", "K, M or G"},
        {"PILGRIM_MEMORY=", "PILGRIM_MEMORY=", "K, M or G"},
        {"PILGRIM_MEMORY=1048577G", "PILGRIM_MEMORY=1048577G", "K, M or G"},
        {"PILGRIM_MEMORY=18446744073709551616", "PILGRIM_MEMORY=18446744073709551616", "K, M or G"},
        {"PILGRIM_MEMORY=17179869184G", "PILGRIM_MEMORY=17179869184G", "K, M or G"},
        {"PILGRIM_VALUES=time", "PILGRIM_VALUES=time", "wtime"},
        {"PILGRIM_FILTER=", "PILGRIM_FILTER=", "a list of functions"},
        {"PILGRIM_FILTER=-", "PILGRIM_FILTER=-", "a list of functions"},
        {"PILGRIM_FILTER=-MPI_Send,,-MPI_Recv", "PILGRIM_FILTER=-MPI_Send,,", "a list of functions"},
        {"PILGRIM_FILTER=-MPI_Send -MPI_Recv", "PILGRIM_FILTER=-MPI_Send -", "a list of functions"},
        {"PILGRIM_FILTER=--MPI_Send", "PILGRIM_FILTER=--", "a list of functions"},
        {"PILGRIM_FILTER=+", "PILGRIM_FILTER=+", "a list of functions"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct settings s;
        ck_assert_int_eq(read_one(&s, bad[i][0]), 1);
        check_default(&s);
        ck_assert_msg(strstr(warnings[0], bad[i][1]) && strstr(warnings[0], bad[i][2]), "%s", warnings[0]);
        ck_assert_ptr_null(strchr(warnings[0], '\n'));
    }
}
END_TEST

START_TEST(bases)
{
    struct settings s;
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=bins"), 0);
    ck_assert_int_eq(s.timing, TIMING_BINS);
    ck_assert_uint_eq(settings_base(&s, "MPI_Send"), 200000);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=bins:1.0001"), 0);
    ck_assert_uint_eq(settings_base(&s, "MPI_Send"), 100);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=bins:1000"), 0);
    ck_assert_uint_eq(settings_base(&s, "MPI_Send"), 999000000);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=bins:1.2,MPI_Barrier:1.01,MPI_Wait*:2,*all:3.5,MPI_W*t*e:1.050"), 0);
    ck_assert_int_eq(s.timing, TIMING_BINS);
    ck_assert_str_eq(s.timing_text, "bins:1.2,MPI_Barrier:1.01,MPI_Wait*:2,*all:3.5,MPI_W*t*e:1.050");
    ck_assert_uint_eq(settings_base(&s, "MPI_Send"), 200000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Barrier"), 10000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Barrie"), 200000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Barriers"), 200000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Wait"), 1000000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Waitany"), 1000000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Waitall"), 2500000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Waitsome"), 50000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Wtime"), 50000);
    ck_assert_int_eq(read_one(&s, "PILGRIM_TIMING=bins,MPI_Send:4"), 0);
    ck_assert_uint_eq(settings_base(&s, "MPI_Send"), 3000000);
    ck_assert_uint_eq(settings_base(&s, "MPI_Recv"), 200000);
}
END_TEST

/* What FILTER says of two functions: bit 0 of the first one, bit 1 of the other. */
static int records(const char *filter, const char *one, const char *other)
{
    struct settings s;
    char entry[200];
    snprintf(entry, sizeof entry, "PILGRIM_FILTER=%s", filter);
    ck_assert_int_eq(read_one(&s, entry), 0);
    return settings_records(&s, one) | settings_records(&s, other) << 1;
}

START_TEST(filters)
{
    ck_assert_int_eq(records("-MPI_Wtime", "MPI_Wtime", "MPI_Send"), 2);
    ck_assert_int_eq(records("-MPI_Wtime,-MPI_Comm_rank", "MPI_Comm_rank", "MPI_Comm_size"), 2);
    ck_assert_int_eq(records("-MPI_*,+MPI_Send", "MPI_Send", "MPI_Recv"), 1);
    ck_assert_int_eq(records("-MPI_*,MPI_Send", "MPI_Send", "MPI_Recv"), 1);
    ck_assert_int_eq(records("+MPI_Send,-MPI_*", "MPI_Send", "MPI_Recv"), 0);
    ck_assert_int_eq(records("+MPI_*send*", "MPI_Isend", "MPI_Recv"), 1);
    ck_assert_int_eq(records("MPI_Send,MPI_Recv", "MPI_Send", "MPI_Isend"), 1);
    ck_assert_int_eq(records("-MPI_Comm_*,+MPI_Comm_free,-*free", "MPI_Comm_free", "MPI_Send"), 2);
    ck_assert_int_eq(records("-MPI_S", "MPI_Send", "MPI_S"), 1);
}
END_TEST

START_TEST(unknown_names)
{
    struct settings s;
    ck_assert_int_eq(read_one(&s, "PILGRIM_TRACES=x"), 1);
    check_default(&s);
    ck_assert_msg(strstr(warnings[0], "PILGRIM_TRACES "), "%s", warnings[0]);
    for (int i = 0; i < VARIABLE_COUNT; i++)
        ck_assert_msg(strstr(warnings[0], variables[i].name), "%s", warnings[0]);
    ck_assert_int_eq(read_one(&s, "PILGRIMS=x"), 0);
    ck_assert_int_eq(read_one(&s, "PILGRIM_OF"), 1);
}
END_TEST

/* A name or value of any length gives one line that ends. */
START_TEST(long_values)
{
    static char entry[5000] = "PILGRIM_OFF=";
    struct settings s;
    memset(entry + strlen(entry), 'x', 4000);
    ck_assert_int_eq(read_one(&s, entry), 1);
    ck_assert_msg(strstr(warnings[0], "0 or 1"), "%s", warnings[0]);
    /* As many bases as a times section may have; and it has to fit into a fragment file's head. */
    char *end = entry + snprintf(entry, sizeof entry, "PILGRIM_TIMING=bins:2");
    for (int i = 1; i < TIMES_BASES_MAX; i++)
        end += snprintf(end, 20, ",MPI_Send:1.%d", i);
    ck_assert_int_eq(read_one(&s, entry), 0);
    strcpy(end, ",MPI_Send:1.2");
    ck_assert_int_eq(read_one(&s, entry), 1);
    end = entry + snprintf(entry, sizeof entry, "PILGRIM_TIMING=bins:2,");
    memset(end, '*', 3000);
    strcpy(end + 1992, ":2");
    ck_assert_int_eq(read_one(&s, entry), 1);
    strcpy(end + 1991, ":2");
    ck_assert_int_eq(read_one(&s, entry), 0);
    memset(entry, 'x', sizeof entry - 1);
    memcpy(entry, "PILGRIM_OFF=", 12);
    memset(entry + 8, 'x', 4000);
    ck_assert_int_eq(read_one(&s, entry), 1);
    ck_assert_msg(strstr(warnings[0], "PILGRIM_SYSTEM"), "%s", warnings[0]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("settings");
    TCase *tests = tcase_create("settings");
    tcase_add_test(tests, nothing_is_set);
    tcase_add_test(tests, accepted_words);
    tcase_add_test(tests, bad_values);
    tcase_add_test(tests, bases);
    tcase_add_test(tests, filters);
    tcase_add_test(tests, unknown_names);
    tcase_add_test(tests, long_values);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
