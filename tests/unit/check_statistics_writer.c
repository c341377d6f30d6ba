/* Statistics on their way from streams to the reader: of random calls on several ranks, merged in some order, every distribution that the
 * reader gives is that of the calls themselves, told apart by signature and predecessor as docs/FORMAT.md says. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/value.h"
#include "merge/fragment.h"
#include "merge/stream.h"
#include "pilgrim/reader.h"
#include "random.h"
#include "timing/statistics.h"

enum { RANKS = 6, PLACES = 6, CALLS = 400, KEYS_MAX = 100 };

static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN}, {"views_size", DIRECTION_IN}};
static const struct parameter_descriptor some_parameters[] = {{"values", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE},
    {"MPI_Some", some_parameters, 1, RETURNS_ERROR_CODE},
};
static const struct vocabulary vocabulary = {functions, 2, NULL, 0};
static const char sites[PLACES];

/* One call: its place among the thread's classes and its signature's among the class's, by first appearance. */
struct sample {
    uint32_t place, signature;
    int64_t before; /* -1: it is the first one */
    uint64_t gap, duration;
};

static struct sample samples[RANKS][CALLS];
static uint32_t program[CALLS];  /* which site is called */
static uint32_t keys;            /* a class has at most */
static uint32_t classes;

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module module = {"program", {1, 2, 3, 4}, 4};
    frames[0] = (struct code_frame){&module, (uint64_t)((const char *)site - sites) * 16};
    return 1;
}

static uint64_t draw_ns(void)
{
    uint32_t bits = random_below(5) ? 12 : random_below(45);
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return bits ? v >> (64 - bits) : 0;
}

static void put_int(struct bytes *key, uint64_t v)
{
    bytes_put_u8(key, VALUE_INT);
    bytes_put_u64(key, v);
}

/* One of 3 different shapes; with many keys, other numbers, too. */
static void put_key(struct bytes *key, uint32_t number)
{
    key->length = 0;
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, number % 3);
    for (uint32_t i = 0; i < number % 3; i++)
        put_int(key, number * number);
    put_int(key, number);
}

/* NUMBER among the COUNT of KNOWN, where it is put if it is new. */
static uint32_t place_among(uint32_t *known, uint32_t *count, uint32_t number)
{
    uint32_t i = 0;
    while (i < *count && known[i] != number)
        i++;
    if (i == *count)
        known[(*count)++] = number;
    return i;
}

static struct stream *record(uint32_t rank, unsigned parts)
{
    const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&vocabulary, resolve);
    static uint32_t known[PLACES][KEYS_MAX], seen[PLACES];
    uint32_t known_count[PLACES] = {0}, seen_count = 0, class;
    uint64_t now = 0;
    struct bytes key = {0};
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (unsigned i = 0; i < CALLS; i++) {
        struct sample *x = &samples[rank][i];
        uint32_t number = random_below(keys);
        if (parts)
            number = (program[i] * 5 + i * (rank % 2 + 1)) % keys; /* ranks 0, 2, ... do the same, and the others */
        x->place = place_among(seen, &seen_count, program[i]);
        x->signature = place_among(known[x->place], &known_count[x->place], number);
        x->before = i ? (int64_t)samples[rank][i - 1].place : -1;
        x->gap = draw_ns();
        x->duration = draw_ns();
        put_key(&key, number);
        now += x->gap;
        EXPECT(stream_class(s, 1, sites + program[i], false, &class) == PILGRIM_OK &&
                   stream_append(s, class, false, key.data, key.length, now, now + x->duration) == PILGRIM_OK,
               "a call was not recorded");
        now += x->duration;
    }
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    bytes_free(&key);
    classes = seen_count;
    return s;
}

static struct fragment *fragment_of(uint32_t rank, const struct stream *thread)
{
    struct fragment *f = fragment_new(rank);
    struct stream *process = stream_new(&vocabulary, resolve);
    ck_assert_int_eq(fragment_add_rank(f, process, &thread, 1), PILGRIM_OK);
    stream_free(process);
    return f;
}

/* F's trace; F and what it is written to are gone. */
static struct pilgrim_trace *open_trace(struct fragment *f)
{
    char path[] = "/tmp/statistics.XXXXXX";
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(fragment_write(f, true, &file), PILGRIM_OK);
    ck_assert_int_eq(write(descriptor, file.data, file.length), (ssize_t)file.length);
    close(descriptor);
    enum pilgrim_status status = pilgrim_open(path, &trace, &error);
    unlink(path);
    ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    fragment_free(f);
    bytes_free(&file);
    return trace;
}

/* The trace of random ranks. Where PARTS is not 0, there are value groups of several ranks. */
static struct pilgrim_trace *make(uint32_t seed, unsigned parts)
{
    struct fragment *of[RANKS];
    random_state = seed;
    keys = parts ? 1 + random_below(6) : random_below(3) ? 1 + random_below(8) : KEYS_MAX;
    for (unsigned i = 0; i < CALLS; i++)
        program[i] = i < PLACES ? i : random_below(4) ? program[i - PLACES + 1] : random_below(PLACES);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct stream *s = record(rank, parts);
        of[rank] = fragment_of(rank, s);
        stream_free(s);
    }
    for (uint32_t step = 1; step < RANKS; step *= 2)
        for (uint32_t rank = 0; rank + step < RANKS; rank += 2 * step) {
            ck_assert_int_eq(fragment_merge(of[rank], of[rank + step]), PILGRIM_OK);
            fragment_free(of[rank + step]);
        }
    return open_trace(of[0]);
}

/* ---- what is known ---- */

enum { ALL = UINT32_MAX };

struct choice {
    bool ranks[RANKS];
    uint32_t place, signature;  /* or ALL */
    int64_t before;             /* -1: no call; -2: some call; -3: all */
    bool gaps;
};

static uint64_t rounded(uint64_t ns)
{
    return bucket_ns(bucket_of(ns), bucket_place(ns, bucket_of(ns)));
}

static bool is_chosen(const struct sample *x, const struct choice *c)
{
    return x->place == c->place && (c->signature == ALL || x->signature == c->signature) &&
           (c->before == -3 || (c->before == -2 ? x->before >= 0 : x->before == c->before));
}

static void check(const struct pilgrim_statistic *s, const struct choice *c)
{
    uint64_t count = 0, least = UINT64_MAX, most = 0, counts[PILGRIM_BUCKETS] = {0};
    double sum = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < CALLS && c->ranks[rank]; i++)
            if (is_chosen(&samples[rank][i], c)) {
                uint64_t ns = c->gaps ? samples[rank][i].gap : samples[rank][i].duration;
                count++;
                sum += (double)ns;
                counts[bucket_of(ns)]++;
                least = ns < least ? ns : least;
                most = ns > most ? ns : most;
            }
    ck_assert_uint_eq(s->count, count);
    ck_assert_mem_eq(s->histogram, counts, sizeof counts);
    if (!count)
        return;
    ck_assert_uint_eq(s->min_ns, rounded(least));
    ck_assert_uint_eq(s->max_ns, rounded(most));
    ck_assert(s->total_ns <= sum * 1.000001 && s->total_ns + (double)count >= sum * 255 / 256);
    bool low = false, high = false;
    for (unsigned i = 0; i < CALLS; i++) {
        const struct sample *a = &samples[s->min_rank][i], *b = &samples[s->max_rank][i];
        low |= c->ranks[s->min_rank] && is_chosen(a, c) && rounded(c->gaps ? a->gap : a->duration) == s->min_ns;
        high |= c->ranks[s->max_rank] && is_chosen(b, c) && rounded(c->gaps ? b->gap : b->duration) == s->max_ns;
    }
    ck_assert(low && high);
}

/* Pairs of signature and predecessor, or of predecessors alone, that the chosen calls have. */
static uint32_t pairs_of(const struct choice *c, bool signatures)
{
    static bool known[KEYS_MAX][PLACES + 1];
    uint32_t count = 0;
    memset(known, 0, sizeof known);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < CALLS && c->ranks[rank]; i++)
            if (is_chosen(&samples[rank][i], c)) {
                bool *at = &known[signatures ? samples[rank][i].signature : 0][samples[rank][i].before + 1];
                count += !*at;
                *at = true;
            }
    return count;
}

static void check_choice(const struct pilgrim_cursor *cursor, uint64_t signatures, struct choice c)
{
    struct pilgrim_statistic s;
    uint64_t before = PILGRIM_ANY_CALL;
    uint32_t met = 0;
    c.before = -3;
    ck_assert_int_eq(pilgrim_durations(cursor, c.place, signatures, &s), PILGRIM_OK);
    check(&s, &c);
    uint32_t expected = pairs_of(&c, false);
    c.gaps = true;
    while (pilgrim_class_before(cursor, c.place, signatures, &before) == PILGRIM_OK) {
        c.before = before == PILGRIM_NO_CALL ? -1 : (int64_t)before;
        ck_assert_int_eq(pilgrim_gaps(cursor, c.place, signatures, before, &s), PILGRIM_OK);
        ck_assert_uint_gt(s.count, 0);
        check(&s, &c);
        met++;
    }
    ck_assert_uint_eq(met, expected);
    c.before = -2;
    ck_assert_int_eq(pilgrim_gaps(cursor, c.place, signatures, PILGRIM_ANY_CALL, &s), PILGRIM_OK);
    check(&s, &c);
}

/* Which structure group, or value group of a class, each rank is in. */
static uint32_t group_of(struct pilgrim_cursor *const *cursors, uint32_t rank, uint32_t place)
{
    struct pilgrim_thread_info thread;
    struct pilgrim_class_info class;
    pilgrim_thread_info(cursors[rank], &thread);
    if (place == ALL)
        return thread.structure_group;
    ck_assert_int_eq(pilgrim_class_info(cursors[rank], place, &class), PILGRIM_OK);
    return thread.structure_group << 8 | class.value_group;
}

static struct choice members(struct pilgrim_cursor *const *cursors, uint32_t rank, uint32_t place, bool values)
{
    struct choice c = {.place = place, .signature = ALL, .before = -3};
    for (uint32_t other = 0; other < RANKS; other++)
        c.ranks[other] = group_of(cursors, other, values ? place : ALL) == group_of(cursors, rank, values ? place : ALL);
    return c;
}

/* The signatures from NUMBER on that are stored as one, which have one statistic; all, if there are too many to tell apart. */
static unsigned check_class(struct pilgrim_cursor *const *cursors, uint32_t rank, uint32_t place)
{
    struct choice c = members(cursors, rank, place, false);
    struct pilgrim_class_info class;
    check_choice(cursors[rank], PILGRIM_STRUCTURE_GROUP, c);
    c = members(cursors, rank, place, true);
    check_choice(cursors[rank], PILGRIM_VALUE_GROUP, c);
    ck_assert_int_eq(pilgrim_class_info(cursors[rank], place, &class), PILGRIM_OK);
    bool each = pairs_of(&c, true) <= STATISTICS_CELLS;
    for (uint32_t i = 0; i < class.signature_count; i++) {
        c.signature = each ? i : ALL;
        check_choice(cursors[rank], i, c);
    }
    return !each;
}

START_TEST(the_reader_says_what_was)
{
    unsigned together = 0, several = 0;
    for (uint32_t seed = 0; seed < 24; seed++) {
        struct pilgrim_trace *trace = make(seed, seed % 2);
        struct pilgrim_cursor *cursors[RANKS];
        struct pilgrim_error error;
        for (uint32_t rank = 0; rank < RANKS; rank++)
            ck_assert_int_eq(pilgrim_cursor_open(trace, rank, 0, &cursors[rank], &error), PILGRIM_OK);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            for (uint32_t place = 0; place < classes; place++) {
                together += check_class(cursors, rank, place);
                several += rank && group_of(cursors, rank, place) == group_of(cursors, 0, place);
            }
        for (uint32_t rank = 0; rank < RANKS; rank++)
            pilgrim_cursor_close(cursors[rank]);
        pilgrim_close(trace);
    }
    ck_assert_uint_gt(together, 0); /* all of that there was */
    ck_assert_uint_gt(several, 0);
}
END_TEST

/* Signatures that are stored as one, as they are alike and many, have one statistic. */
START_TEST(vectors_and_unzipped_ones_are_one)
{
    for (unsigned many = 0; many < 2; many++) {
        const unsigned calls = many ? 3000 : 80;
        const struct stream_times times = {.kind = TIMES_NONE};
        struct stream *s = stream_new(&vocabulary, resolve);
        struct bytes key = {0};
        struct pilgrim_cursor *cursor;
        struct pilgrim_error error;
        struct pilgrim_statistic statistic;
        struct pilgrim_class_info class;
        uint32_t number;
        random_state = 3;
        ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
        for (unsigned i = 0; i < calls; i++) {
            put_int(&key, many ? random_below(1 << 20) : i * i);
            put_int(&key, 0);
            ck_assert_int_eq(stream_class(s, 1, sites, false, &number), PILGRIM_OK);
            ck_assert_int_eq(stream_append(s, number, false, key.data, key.length, 10 * i + 3, 10 * i + 10), PILGRIM_OK);
            key.length = 0;
        }
        ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
        struct pilgrim_trace *trace = open_trace(fragment_of(0, s));
        ck_assert_int_eq(pilgrim_cursor_open(trace, 0, 0, &cursor, &error), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_class_info(cursor, 0, &class), PILGRIM_OK);
        ck_assert_uint_eq(class.signature_count, many ? 1 : calls);
        ck_assert_int_eq(pilgrim_durations(cursor, 0, class.signature_count - 1, &statistic), PILGRIM_OK);
        ck_assert_uint_eq(statistic.count, calls);
        ck_assert_uint_eq(statistic.histogram[3], calls); /* 7 ns */
        ck_assert_uint_eq(statistic.min_ns, 7);
        ck_assert_uint_eq(statistic.max_ns, 7);
        ck_assert(statistic.mean_ns == 7 && statistic.deviation_ns == 0);
        ck_assert_int_eq(pilgrim_gaps(cursor, 0, 0, PILGRIM_NO_CALL, &statistic), PILGRIM_OK);
        ck_assert_uint_eq(statistic.count, 1);
        ck_assert_int_eq(pilgrim_gaps(cursor, 0, 0, 0, &statistic), PILGRIM_OK);
        ck_assert_uint_eq(statistic.histogram[2], calls - 1); /* 3 ns */
        pilgrim_cursor_close(cursor);
        pilgrim_close(trace);
        stream_free(s);
        bytes_free(&key);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("statistics_writer");
    TCase *tests = tcase_create("statistics_writer");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_reader_says_what_was);
    tcase_add_test(tests, vectors_and_unzipped_ones_are_one);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
