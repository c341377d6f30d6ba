/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine, from traces that are made here: locations in both directions, and the tree as it is printed. The files
 * of the recorder and the decoder are not in the library of the modules; they are compiled in here. */
#include "../../decoder/fold.c"
#include "../../decoder/machine.c"
#include "../../decoder/output.c"
#include "../../decoder/machine_print.c"
#include "process/host_location.c"

#include <check.h>
#include <sys/mman.h>

#include "merge/fragment.h"
#include "write/trace_writer.h"
#include "record/stream.h"
#include "read/file/load.h"

static const struct parameter_descriptor process_parameters[] = {
    {"views_rank", DIRECTION_IN}, {"views_size", DIRECTION_IN}, {"pid", DIRECTION_IN}, {"place", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 4, RETURNS_VALUE, ACTIVITY_OTHER},
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_Init", NULL, 0, RETURNS_ERROR_CODE, ACTIVITY_OTHER}};
enum { PROCESS, PROCESS_BEFORE, INIT, FUNCTION_COUNT };
static const struct vocabulary vocabulary = {functions, FUNCTION_COUNT, NULL, 0};

/* What one rank says. */
struct said_process {
    int64_t pid;
    char host[64], address[128], pattern[128]; /* no host: nothing is said */
    const uint8_t *location;                   /* unless NULL: said instead, INDEX_BYTES */
    size_t location_bytes;
    bool before; /* the trace is from before there were places */
    unsigned threads;
};

typedef void layout(uint32_t rank, struct said_process *said);

static struct stream *stream_of(uint32_t function, const struct bytes *key)
{
    struct stream *s = stream_new(&vocabulary, NULL);
    uint32_t class;
    if (!s || stream_class(s, function, NULL, false, &class) != PILGRIM_OK ||
        stream_append(s, class, false, key->data, key->length, 0, 0) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
    return s;
}

static struct stream *process_stream(uint32_t rank, uint32_t ranks, const struct said_process *said)
{
    struct bytes key = {0};
    const int64_t view[2] = {rank, ranks};
    for (int i = 0; i < 2; i++) {
        put_array(&key, 1);
        put_int(&key, view[i]);
    }
    if (!said->before && said->host[0]) {
        put_int(&key, said->pid);
        host_location_put_of(&key, said->host, said->address, said->pattern);
    } else if (!said->before) {
        bytes_put_u8(&key, VALUE_NONE);
        if (said->location)
            bytes_put(&key, said->location, said->location_bytes);
        else
            bytes_put_u8(&key, VALUE_NONE);
    }
    bytes_put_u8(&key, VALUE_NONE);
    struct stream *s = stream_of(said->before ? PROCESS_BEFORE : PROCESS, &key);
    bytes_free(&key);
    return s;
}

static void add_rank(struct fragment *f, uint32_t rank, uint32_t ranks, const struct said_process *said)
{
    struct bytes key = {0};
    put_int(&key, 0);
    struct stream *process = process_stream(rank, ranks, said), *thread = stream_of(INIT, &key);
    const struct stream *threads[] = {thread, thread, thread, thread};
    ck_assert_int_eq(fragment_add_rank(f, process, threads, said->threads), PILGRIM_OK);
    stream_free(process);
    stream_free(thread);
    bytes_free(&key);
}

/* The file of a run on RANKS ranks. */
static struct bytes make_file(layout *l, uint32_t ranks)
{
    struct bytes file = {0};
    struct fragment *f = fragment_new(0);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct said_process said = {.pid = 4711 + rank, .threads = 1};
        l(rank, &said);
        add_rank(f, rank, ranks, &said);
    }
    ck_assert_int_eq(trace_write(f, false, &file), PILGRIM_OK);
    fragment_free(f);
    return file;
}

static struct pilgrim_trace *trace;
static struct pilgrim_system *machine;

static void load(layout *l, uint32_t ranks)
{
    struct pilgrim_error error;
    struct bytes file = make_file(l, ranks);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_system_open(trace, &machine, &error), PILGRIM_OK);
    bytes_free(&file);
}

static void unload(void)
{
    pilgrim_system_close(machine);
    pilgrim_close(trace);
}

/* What the decoder prints of the machine. */
static const char *printed(bool json)
{
    static struct output out;
    static char text[4096];
    out = (struct output){.descriptor = memfd_create("out", 0)};
    ck_assert_int_ge(out.descriptor, 0);
    ck_assert_int_eq(machine_print(&out, trace, machine, json), PILGRIM_OK);
    out_flush(&out);
    ck_assert_int_eq(out.error, 0);
    ssize_t length = pread(out.descriptor, text, sizeof text - 1, 0);
    close(out.descriptor);
    ck_assert_int_gt(length, 0);
    text[length] = 0;
    return text;
}

/* Checks each rank's location against what L says, and the way back. */
static void check_locations(layout *l, uint32_t ranks)
{
    uint32_t *seen = calloc(pilgrim_system_hosts(machine), sizeof *seen);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct said_process said = {.pid = 4711 + rank, .threads = 1};
        struct pilgrim_location at;
        struct pilgrim_host host;
        uint32_t back, named;
        l(rank, &said);
        ck_assert_int_eq(pilgrim_system_location(machine, rank, &at), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_system_host(machine, at.host, &host), PILGRIM_OK);
        ck_assert_uint_eq(at.threads, said.threads);
        ck_assert_uint_eq(at.process, seen[at.host]++);
        ck_assert_int_eq(pilgrim_system_rank(machine, at.host, at.process, &back), PILGRIM_OK);
        ck_assert_uint_eq(back, rank);
        if (!said.host[0]) {
            ck_assert(!host.name && !host.level_count && at.pid == -1);
            continue;
        }
        ck_assert_int_eq(at.pid, said.pid);
        ck_assert_str_eq(host.name, said.host);
        ck_assert_str_eq(host.levels[host.level_count - 1].kind, "host");
        ck_assert_str_eq(host.levels[host.level_count - 1].name, said.host);
        ck_assert_int_eq(pilgrim_system_host_named(machine, said.host, &named), PILGRIM_OK);
        ck_assert_uint_eq(named, at.host);
    }
    for (uint32_t h = 0; h < pilgrim_system_hosts(machine); h++) {
        struct pilgrim_host host;
        uint32_t rank;
        ck_assert_int_eq(pilgrim_system_host(machine, h, &host), PILGRIM_OK);
        ck_assert_uint_eq(seen[h], host.processes);
        ck_assert_int_eq(pilgrim_system_rank(machine, h, host.processes, &rank), PILGRIM_INVALID);
    }
    free(seen);
}

/* ---- layouts ---- */

static void on_host(struct said_process *said, unsigned host, unsigned hosts_per_switch)
{
    snprintf(said->host, sizeof said->host, "node%04u", host + 1);
    if (hosts_per_switch) {
        snprintf(said->address, sizeof said->address, "s%u.node%04u", host / hosts_per_switch, host + 1);
        strcpy(said->pattern, "switch.node");
    }
}

static void blocks(uint32_t rank, struct said_process *said)
{
    on_host(said, rank / 4, 2);
    said->threads = 2;
}

static void cyclic(uint32_t rank, struct said_process *said)
{
    on_host(said, rank % 4, 2);
}

/* Levels that are alike: the writer makes a series of them. */
static void deep(uint32_t rank, struct said_process *said)
{
    strcpy(said->host, rank / 2 ? "n2" : "n1");
    snprintf(said->address, sizeof said->address, "t%u.t1.t2.t3.t4.t5.t6.t7.t8.%s", 7 + rank / 2, said->host);
    strcpy(said->pattern, "switch.switch.switch.switch.switch.switch.switch.switch.switch.node");
}

static void large(uint32_t rank, struct said_process *said)
{
    on_host(said, rank / 16, 16);
    said->pid = 1000 + rank % 16;
}

static void large_cyclic(uint32_t rank, struct said_process *said)
{
    on_host(said, rank % 64, 8);
}

/* Every other host has half of the processes; a host of its own comes first. */
static void uneven(uint32_t rank, struct said_process *said)
{
    static const unsigned hosts[] = {1, 1, 2, 3, 3, 4, 5, 5, 6};
    if (rank == 0)
        strcpy(said->host, "login");
    else
        on_host(said, hosts[(rank - 1) % 9] - 1, 0);
    said->threads = rank == 0 ? 4 : 1;
}

/* The first process of a host has more threads; one rank has none. */
static void masters(uint32_t rank, struct said_process *said)
{
    on_host(said, rank / 4, 0);
    said->threads = rank == 7 ? 0 : rank % 4 == 0 ? 3 : 1;
}

static void shuffled(uint32_t rank, struct said_process *said)
{
    on_host(said, rank * rank * rank % 11 % 3, 0);
}

static void silent(uint32_t rank, struct said_process *said)
{
    if (rank == 1)
        on_host(said, 0, 0);
}

static void old(uint32_t rank, struct said_process *said)
{
    (void)rank;
    said->before = true;
}

START_TEST(locations)
{
    static const struct {
        layout *layout;
        uint32_t ranks, hosts;
    } runs[] = {{deep, 4, 2},    {blocks, 16, 4},  {cyclic, 16, 4},   {large, 1024, 64}, {large_cyclic, 1024, 64},
                {uneven, 10, 7}, {masters, 12, 3}, {shuffled, 30, 3}, {silent, 3, 2},    {old, 3, 1},
                {blocks, 1, 1}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        load(runs[i].layout, runs[i].ranks);
        ck_assert_uint_eq(pilgrim_system_hosts(machine), runs[i].hosts);
        check_locations(runs[i].layout, runs[i].ranks);
        unload();
    }
}
END_TEST

START_TEST(invalid_questions)
{
    struct pilgrim_location at;
    struct pilgrim_host host;
    uint32_t number;
    load(blocks, 16);
    ck_assert_int_eq(pilgrim_system_location(machine, 16, &at), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_system_host(machine, 4, &host), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_system_host_named(machine, "node0005", &number), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_system_rank(machine, 4, 0, &number), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_system_host(machine, 3, &host), PILGRIM_OK);
    ck_assert_uint_eq(host.level_count, 2);
    ck_assert_str_eq(host.levels[0].kind, "switch");
    ck_assert_str_eq(host.levels[0].name, "s1");
    unload();
}
END_TEST

/* ---- trees ---- */

static const struct {
    layout *layout;
    uint32_t ranks;
    const char *text;
} trees[] = {
    {blocks, 16,
     "machine\n"
     "  2 x switch s[0-1]\n"
     "    2 x host node[0001-0004]\n"
     "      4 x process, ranks 0-15, pids 4711-4726\n"
     "        2 x thread\n"},
    {cyclic, 16,
     "machine\n"
     "  2 x switch s[0-1]\n"
     "    2 x host node[0001-0004]\n"
     "      4 x process, ranks 0-15 (host + 4 x process), pids 4711-4726\n"
     "        1 x thread\n"},
    {large, 4096,
     "machine\n"
     "  16 x switch s[0-15]\n"
     "    16 x host node[0001-0256]\n"
     "      16 x process, ranks 0-4095, pids 1000-1015\n"
     "        1 x thread\n"},
    {large_cyclic, 4096,
     "machine\n"
     "  8 x switch s[0-7]\n"
     "    8 x host node[0001-0064]\n"
     "      64 x process, ranks 0-4095 (host + 64 x process), pids 4711-8806\n"
     "        1 x thread\n"},
    {deep, 4,
     "machine\n"
     "  2 x switch t[7-8]\n"
     "    1 x switch t1\n"
     "      1 x switch t2\n"
     "        1 x switch t3\n"
     "          1 x switch t4\n"
     "            1 x switch t5\n"
     "              1 x switch t6\n"
     "                1 x switch t7\n"
     "                  1 x switch t8\n"
     "                    1 x host n[1-2]\n"
     "                      2 x process, ranks 0-3, pids 4711-4714\n"
     "                        1 x thread\n"},
    {uneven, 10,
     "machine\n"
     "  1 x host login\n"
     "    1 x process, rank 0, pid 4711\n"
     "      4 x thread\n"
     "  3 x host node[0001-0005/2]\n"
     "    2 x process, ranks 1-8 (1 + 3 x host + process), pids 4712-4719\n"
     "      1 x thread\n"
     "  3 x host node[0002-0006/2]\n"
     "    1 x process, ranks 3-9 (3 + 3 x host), pids 4714-4720\n"
     "      1 x thread\n"},
    {masters, 12,
     "machine\n"
     "  2 x host node[0001,0003]\n"
     "    3 x process, ranks 1-11 (1 + 8 x host + process), pids 4712-4722\n"
     "      1 x thread\n"
     "    1 x process, ranks 0-8 (8 x host), pids 4711-4719\n"
     "      3 x thread\n"
     "  1 x host node0002\n"
     "    1 x process, rank 7, pid 4718\n"
     "    2 x process, ranks 5-6, pids 4716-4717\n"
     "      1 x thread\n"
     "    1 x process, rank 4, pid 4715\n"
     "      3 x thread\n"},
    {shuffled, 30,
     "machine\n"
     "  1 x host node0001\n"
     "    10 x process, ranks 0-26 (irregular), pids 4711-4737\n"
     "      1 x thread\n"
     "  1 x host node0002\n"
     "    11 x process, ranks 1-28 (irregular), pids 4712-4739\n"
     "      1 x thread\n"
     "  1 x host node0003\n"
     "    9 x process, ranks 2-29 (irregular), pids 4713-4740\n"
     "      1 x thread\n"},
    {silent, 3,
     "machine\n"
     "  1 x unknown\n"
     "    2 x process, ranks 0-2 (2 x process)\n"
     "      1 x thread\n"
     "  1 x host node0001\n"
     "    1 x process, rank 1, pid 4712\n"
     "      1 x thread\n"},
    {old, 3,
     "machine\n"
     "  1 x unknown\n"
     "    3 x process, ranks 0-2\n"
     "      1 x thread\n"},
};

START_TEST(tree)
{
    load(trees[_i].layout, trees[_i].ranks);
    ck_assert_str_eq(printed(false), trees[_i].text);
    unload();
}
END_TEST

START_TEST(tree_json)
{
    load(cyclic, 16);
    ck_assert_str_eq(
        printed(true),
        "{\"class\":\"machine\",\"copies\":1,\"children\":["
        "{\"class\":\"switch\",\"copies\":2,\"names\":\"s[0-1]\",\"children\":["
        "{\"class\":\"host\",\"copies\":2,\"names\":\"node[0001-0004]\",\"children\":["
        "{\"class\":\"process\",\"copies\":4,\"rank\":0,\"strides\":[2,1,4],\"pid_min\":4711,\"pid_max\":4726,"
        "\"children\":[{\"class\":\"thread\",\"copies\":1}]}]}]}]}\n");
    unload();
    load(silent, 3);
    ck_assert_str_eq(
        printed(true),
        "{\"class\":\"machine\",\"copies\":1,\"children\":["
        "{\"class\":\"unknown\",\"copies\":1,\"names\":\"\",\"children\":["
        "{\"class\":\"process\",\"copies\":2,\"rank\":0,\"strides\":[0,2],"
        "\"children\":[{\"class\":\"thread\",\"copies\":1}]}]},"
        "{\"class\":\"host\",\"copies\":1,\"names\":\"node0001\",\"children\":["
        "{\"class\":\"process\",\"copies\":1,\"rank\":1,\"strides\":[0,0],\"pid_min\":4712,\"pid_max\":4712,"
        "\"children\":[{\"class\":\"thread\",\"copies\":1}]}]}]}\n");
    unload();
}
END_TEST

/* ---- what files may hold ---- */

static struct said_process odd;

static void said_odd(uint32_t rank, struct said_process *said)
{
    (void)rank;
    *said = odd;
}

/* The one host's name, or NULL, of a trace with LOCATION as it stands. */
static const char *host_of(const struct bytes *location)
{
    static char name[8192];
    struct pilgrim_host host;
    ck_assert_int_eq(bytes_status(location), PILGRIM_OK);
    odd = (struct said_process){.location = location->data, .location_bytes = location->length, .threads = 1};
    load(said_odd, 2);
    ck_assert_uint_eq(pilgrim_system_hosts(machine), 1);
    ck_assert_int_eq(pilgrim_system_host(machine, 0, &host), PILGRIM_OK);
    ck_assert_int_eq(!host.name, host.level_count == 0);
    if (host.name)
        snprintf(name, sizeof name, "%s", host.name);
    printed(false);
    const char *found = host.name ? name : NULL;
    unload();
    return found;
}

/* A place with one level of a kind, a text of LENGTH bytes TEXT, and a number. */
static void put_odd(struct bytes *b, const char *text, size_t length, int64_t number)
{
    b->length = 0;
    put_array(b, 1);
    put_array(b, 3);
    put_string(b, "host", 4);
    put_string(b, text, length);
    put_int(b, number);
}

START_TEST(odd_places)
{
    struct bytes b = {0};
    char text[4200];
    put_odd(&b, "n", 1, 7);
    ck_assert_str_eq(host_of(&b), "n7");
    put_odd(&b, "n", 1, -1);
    ck_assert_str_eq(host_of(&b), "n");
    put_odd(&b, "n", 1, INT64_MIN);
    ck_assert_str_eq(host_of(&b), "n223372036854775808");
    put_odd(&b, "\x1b[1m\"", 5, 1);
    ck_assert_str_eq(host_of(&b), "\x1b[1m\"1");
    put_odd(&b, "a\0b", 3, 7);
    ck_assert_ptr_null(host_of(&b));
    memset(text, 'x', sizeof text);
    put_odd(&b, text, 4089, 7); /* with the kind and two ends: 4096 */
    ck_assert_uint_eq(strlen(host_of(&b)), 4090);
    put_odd(&b, text, 4090, 7);
    ck_assert_ptr_null(host_of(&b));
    b.length = 0;
    put_array(&b, 0);
    ck_assert_ptr_null(host_of(&b));
    b.length = 0;
    put_array(&b, 1);
    put_array(&b, 0);
    ck_assert_ptr_null(host_of(&b));
    b.length = 0;
    put_array(&b, 1);
    put_string(&b, "host", 4);
    ck_assert_ptr_null(host_of(&b));
    b.length = 0;
    put_array(&b, 1);
    put_array(&b, 1);
    put_int(&b, 4);
    ck_assert_ptr_null(host_of(&b));
    b.length = 0;
    put_array(&b, 1);
    put_array(&b, 2);
    put_string(&b, "host", 4);
    bytes_put_u8(&b, VALUE_NONE);
    ck_assert_ptr_null(host_of(&b));
    b.length = 0;
    put_string(&b, "host", 4);
    ck_assert_ptr_null(host_of(&b));
    bytes_free(&b);
}
END_TEST

static size_t file_bytes(layout *l, uint32_t ranks)
{
    struct bytes file = make_file(l, ranks);
    size_t length = file.length;
    bytes_free(&file);
    return length;
}

static void unsaid(uint32_t rank, struct said_process *said)
{
    (void)rank;
    (void)said;
}

/* A homogeneous machine takes the same place in the file, however large: names may get longer. */
START_TEST(constant_size)
{
    enum { FEW = 64, MANY = 4096, BYTES_MAX = 100, GROWTH_MAX_BYTES = 32 };
    static layout *const layouts[] = {large, large_cyclic};
    size_t none_few = file_bytes(unsaid, FEW), none_many = file_bytes(unsaid, MANY);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        size_t few = file_bytes(layouts[i], FEW) - none_few, many = file_bytes(layouts[i], MANY) - none_many;
        ck_assert_msg(many <= BYTES_MAX && many <= few + GROWTH_MAX_BYTES, "%zu bytes, then %zu", few, many);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("system");
    TCase *reader = tcase_create("reader");
    tcase_add_test(reader, locations);
    tcase_add_test(reader, invalid_questions);
    tcase_add_test(reader, odd_places);
    TCase *printing = tcase_create("printing");
    tcase_set_timeout(printing, 60);
    tcase_add_loop_test(printing, tree, 0, sizeof trees / sizeof *trees);
    tcase_add_test(printing, tree_json);
    TCase *file = tcase_create("file");
    tcase_set_timeout(file, 60);
    tcase_add_test(file, constant_size);
    suite_add_tcase(suite, reader);
    suite_add_tcase(suite, printing);
    suite_add_tcase(suite, file);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
