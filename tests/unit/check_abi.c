/* SPDX-License-Identifier: BSD-3-Clause */
/* What compiled programs rely on does not change: the size of each public struct, the offset of each member, the value
 * of each enumerator.
 *
 * A failure here means that programs that are already built break with the new library. Undo the change, and add a
 * struct and a function instead. Or raise PILGRIM_ABI (include/pilgrim/version.h says what follows), and then this
 * table. Before a release the table may follow the headers. It is that of machines with 64-bit pointers. */
#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "pilgrim/reader.h"
#include "pilgrim/version.h"

#define TABLE_OF_ABI 0 /* raise it with the table only */

#define SIZE(name, bytes)                                                                                              \
    ck_assert_msg(sizeof(struct name) == (bytes), #name " has %zu bytes, not " #bytes, sizeof(struct name));
#define PLACE(name, member, bytes)                                                                                     \
    ck_assert_msg(offsetof(struct name, member) == (bytes), #name "." #member " is at %zu, not " #bytes,               \
                  offsetof(struct name, member));

START_TEST(structs_stay)
{
    ck_assert_int_eq(PILGRIM_ABI, TABLE_OF_ABI);
    ck_assert_uint_eq(sizeof(void *), 8);
    SIZE(pilgrim_error, 256)
    PLACE(pilgrim_error, status, 0)
    PLACE(pilgrim_error, offset, 8)
    PLACE(pilgrim_error, message, 16)
    SIZE(pilgrim_value, 88)
    PLACE(pilgrim_value, type, 0)
    PLACE(pilgrim_value, ignored, 4)
    PLACE(pilgrim_value, integer, 8)
    PLACE(pilgrim_value, relative, 16)
    PLACE(pilgrim_value, real, 24)
    PLACE(pilgrim_value, device, 32)
    PLACE(pilgrim_value, id, 40)
    PLACE(pilgrim_value, offset, 48)
    PLACE(pilgrim_value, text, 56)
    PLACE(pilgrim_value, length, 64)
    PLACE(pilgrim_value, items, 72)
    PLACE(pilgrim_value, count, 80)
    SIZE(pilgrim_parameter, 16)
    PLACE(pilgrim_parameter, name, 0)
    PLACE(pilgrim_parameter, direction, 8)
    SIZE(pilgrim_function, 32)
    PLACE(pilgrim_function, name, 0)
    PLACE(pilgrim_function, parameters, 8)
    PLACE(pilgrim_function, parameter_count, 16)
    PLACE(pilgrim_function, returns_error_code, 24)
    SIZE(pilgrim_frame, 48)
    PLACE(pilgrim_frame, module, 0)
    PLACE(pilgrim_frame, build_id, 8)
    PLACE(pilgrim_frame, build_id_length, 16)
    PLACE(pilgrim_frame, offset, 24)
    PLACE(pilgrim_frame, caller, 32)
    PLACE(pilgrim_frame, python, 40)
    SIZE(pilgrim_class, 24)
    PLACE(pilgrim_class, function, 0)
    PLACE(pilgrim_class, site, 8)
    PLACE(pilgrim_class, fortran, 16)
    SIZE(pilgrim_call, 168)
    PLACE(pilgrim_call, rank, 0)
    PLACE(pilgrim_call, thread, 4)
    PLACE(pilgrim_call, seq, 8)
    PLACE(pilgrim_call, class_, 16)
    PLACE(pilgrim_call, function, 24)
    PLACE(pilgrim_call, in, 32)
    PLACE(pilgrim_call, out, 40)
    PLACE(pilgrim_call, ret, 48)
    PLACE(pilgrim_call, timed, 136)
    PLACE(pilgrim_call, start_ns, 144)
    PLACE(pilgrim_call, end_ns, 152)
    PLACE(pilgrim_call, identity, 160)
    SIZE(pilgrim_clock_point, 24)
    PLACE(pilgrim_clock_point, time_ns, 0)
    PLACE(pilgrim_clock_point, offset_ns, 8)
    PLACE(pilgrim_clock_point, error_ns, 16)
    SIZE(pilgrim_clock, 56)
    PLACE(pilgrim_clock, point_count, 0)
    PLACE(pilgrim_clock, points, 8)
    SIZE(pilgrim_communicator, 88)
    PLACE(pilgrim_communicator, name, 0)
    PLACE(pilgrim_communicator, thread, 8)
    PLACE(pilgrim_communicator, inter, 16)
    PLACE(pilgrim_communicator, topology, 24)
    PLACE(pilgrim_communicator, size, 32)
    PLACE(pilgrim_communicator, rank, 40)
    PLACE(pilgrim_communicator, remote_size, 48)
    PLACE(pilgrim_communicator, leader, 56)
    PLACE(pilgrim_communicator, parent, 64)
    PLACE(pilgrim_communicator, sequence, 72)
    PLACE(pilgrim_communicator, identity, 80)
    SIZE(pilgrim_level, 16)
    PLACE(pilgrim_level, kind, 0)
    PLACE(pilgrim_level, name, 8)
    SIZE(pilgrim_host, 32)
    PLACE(pilgrim_host, levels, 0)
    PLACE(pilgrim_host, level_count, 8)
    PLACE(pilgrim_host, name, 16)
    PLACE(pilgrim_host, processes, 24)
    SIZE(pilgrim_location, 24)
    PLACE(pilgrim_location, host, 0)
    PLACE(pilgrim_location, process, 4)
    PLACE(pilgrim_location, threads, 8)
    PLACE(pilgrim_location, pid, 16)
    SIZE(pilgrim_thread_info, 40)
    PLACE(pilgrim_thread_info, structure_group, 0)
    PLACE(pilgrim_thread_info, structure_group_size, 8)
    PLACE(pilgrim_thread_info, class_count, 16)
    PLACE(pilgrim_thread_info, loop_count, 24)
    PLACE(pilgrim_thread_info, structure, 32)
    SIZE(pilgrim_class_info, 48)
    PLACE(pilgrim_class_info, class_, 0)
    PLACE(pilgrim_class_info, value_group, 8)
    PLACE(pilgrim_class_info, value_group_size, 16)
    PLACE(pilgrim_class_info, signature_count, 24)
    PLACE(pilgrim_class_info, values, 32)
    PLACE(pilgrim_class_info, body, 40)
    SIZE(pilgrim_trips, 32)
    PLACE(pilgrim_trips, entered, 0)
    PLACE(pilgrim_trips, total, 8)
    PLACE(pilgrim_trips, min, 16)
    PLACE(pilgrim_trips, max, 24)
    SIZE(pilgrim_symbol, 24)
    PLACE(pilgrim_symbol, is_rule, 0)
    PLACE(pilgrim_symbol, ramp, 1)
    PLACE(pilgrim_symbol, value, 8)
    PLACE(pilgrim_symbol, exponent, 16)
    SIZE(pilgrim_statistic, 584)
    PLACE(pilgrim_statistic, count, 0)
    PLACE(pilgrim_statistic, total_ns, 8)
    PLACE(pilgrim_statistic, mean_ns, 16)
    PLACE(pilgrim_statistic, max_ns, 24)
    PLACE(pilgrim_statistic, max_rank, 32)
    PLACE(pilgrim_statistic, brief, 36)
    PLACE(pilgrim_statistic, shared, 37)
    PLACE(pilgrim_statistic, min_ns, 40)
    PLACE(pilgrim_statistic, min_rank, 48)
    PLACE(pilgrim_statistic, deviation_ns, 56)
    PLACE(pilgrim_statistic, histogram, 64)
    SIZE(pilgrim_class_profile, 1760)
    PLACE(pilgrim_class_profile, class_, 0)
    PLACE(pilgrim_class_profile, durations, 8)
    PLACE(pilgrim_class_profile, gaps, 592)
    PLACE(pilgrim_class_profile, first_gaps, 1176)
    SIZE(pilgrim_rank_profile, 128)
    PLACE(pilgrim_rank_profile, first_rank, 0)
    PLACE(pilgrim_rank_profile, rank_count, 4)
    PLACE(pilgrim_rank_profile, ns, 8)
    PLACE(pilgrim_rank_profile, most_ns, 56)
    PLACE(pilgrim_rank_profile, most_rank, 104)
    SIZE(pilgrim_rank_class, 32)
    PLACE(pilgrim_rank_class, has_durations, 0)
    PLACE(pilgrim_rank_class, has_gaps, 1)
    PLACE(pilgrim_rank_class, durations_ns, 8)
    PLACE(pilgrim_rank_class, gaps_ns, 16)
    PLACE(pilgrim_rank_class, rank_count, 24)
}
END_TEST

START_TEST(enumerators_stay)
{
    static const int status[] = {PILGRIM_OK,        PILGRIM_END,       PILGRIM_NOMEM,   PILGRIM_LIMIT,
                                 PILGRIM_IO,        PILGRIM_NOT_TRACE, PILGRIM_VERSION, PILGRIM_DAMAGED,
                                 PILGRIM_TRUNCATED, PILGRIM_INVALID};
    static const int types[] = {PILGRIM_NONE,      PILGRIM_NAME,   PILGRIM_INT,      PILGRIM_BOOL,  PILGRIM_REAL,
                                PILGRIM_RANK,      PILGRIM_OBJECT, PILGRIM_REQUEST,  PILGRIM_HEAP,  PILGRIM_STACK,
                                PILGRIM_STATIC,    PILGRIM_DEVICE, PILGRIM_STRING,   PILGRIM_ARRAY, PILGRIM_FLAGS,
                                PILGRIM_STATUS,    PILGRIM_SYMBOL, PILGRIM_FUNCTION, PILGRIM_KEPT,  PILGRIM_EDITED,
                                PILGRIM_COMPLETED, PILGRIM_POSTED, PILGRIM_BEGUN,    PILGRIM_LIVE,  PILGRIM_TIME};
    static const int activities[] = {PILGRIM_COMPUTING, PILGRIM_POINT_TO_POINT, PILGRIM_COLLECTIVE, PILGRIM_ONE_SIDED,
                                     PILGRIM_FILE,      PILGRIM_OTHER_CALLS,    PILGRIM_ACTIVITIES};
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(status[i], i);
    for (int i = 0; i < 25; i++)
        ck_assert_int_eq(types[i], i);
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(activities[i], i);
    ck_assert(PILGRIM_IN == 1 && PILGRIM_OUT == 2 && PILGRIM_INOUT == 3 && PILGRIM_BUCKETS == 65);
}
END_TEST

START_TEST(versions_and_texts)
{
    char text[32];
    ck_assert_uint_eq(pilgrim_version_number(), PILGRIM_VERSION_NUMBER);
    ck_assert_str_eq(pilgrim_version_text(), PILGRIM_VERSION_TEXT);
    snprintf(text, sizeof text, "%d.%d.%d", PILGRIM_VERSION_NUMBER / 10000, PILGRIM_VERSION_NUMBER / 100 % 100,
             PILGRIM_VERSION_NUMBER % 100);
    ck_assert_str_eq(text, pilgrim_version_text());
    for (int a = 0; a <= PILGRIM_INVALID; a++)
        for (int b = 0; b <= PILGRIM_INVALID + 1; b++)
            ck_assert_int_eq(a == b, !strcmp(pilgrim_status_text((enum pilgrim_status)a),
                                             pilgrim_status_text((enum pilgrim_status)b)));
    ck_assert_str_eq(pilgrim_status_text((enum pilgrim_status)1000), "unknown status");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("abi");
    TCase *tests = tcase_create("abi");
    tcase_add_test(tests, structs_stay);
    tcase_add_test(tests, enumerators_stay);
    tcase_add_test(tests, versions_and_texts);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
