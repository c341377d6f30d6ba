/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile, from streams through fragments to the reader. Random calls on several ranks are merged as a tree. Then
 * every distribution that the reader gives equals that of its calls; calls whose times differ enough are in
 * distributions of their own; and each rank's time is right.
 *
 * One file, as one maker records all calls and opens the trace. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/value.h"
#include "merge/fragment.h"
#include "write/trace_writer.h"
#include "write/profile_parts.h"
#include "record/stream_times.h"
#include "pilgrim/reader.h"
#include "random.h"
#include "record/statistics.h"

enum { RANKS = 6, PLACES = 6, CALLS = 400, KEYS_MAX = 100, LEVELS = 8 };

static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN},
                                                                 {"views_size", DIRECTION_IN}};
static const struct parameter_descriptor some_parameters[] = {{"values", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_Some", some_parameters, 1, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_All", some_parameters, 1, RETURNS_ERROR_CODE, ACTIVITY_COLLECTIVE},
    {"MPI_Written", some_parameters, 1, RETURNS_ERROR_CODE, ACTIVITY_FILE},
};
static const struct vocabulary vocabulary = {functions, 4, NULL, 0};
static const char sites[PLACES];

/* One call: its place among the thread's classes and its signature's among the class's, by first appearance. */
struct profile_sample {
    uint32_t place, signature;
    int64_t before; /* -1: it is the first one */
    uint64_t gap, duration;
    uint32_t duration_part, gap_part; /* as the reader told them */
};

static struct profile_sample samples[RANKS][CALLS];
static uint32_t program[CALLS]; /* which site is called */
static uint32_t keys;           /* a class has at most */
static uint32_t slow;           /* how much longer durations are on each rank than on the one before */
static uint64_t levels[LEVELS]; /* of durations and gaps, ns; 0: they are wild */

static size_t resolve(const void *site, struct code_frame *frames)
{
    static const struct code_module module = {"program", {1, 2, 3, 4}, 4, NULL};
    frames[0] = (struct code_frame){&module, (uint64_t)((const char *)site - sites) * 16};
    return 1;
}

static uint64_t draw_ns(void)
{
    uint32_t bits = random_below(5) ? 12 : random_below(45);
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return bits ? v >> (64 - bits) : 0;
}

/* Of KIND. */
static uint64_t time_of(uint32_t kind)
{
    uint64_t level = levels[kind % LEVELS];
    return level ? level + random_below((uint32_t)(level / 16) + 1) : draw_ns();
}

/* The function that is called at SITE. */
static uint32_t function_at(uint32_t site)
{
    return 1 + site % 3;
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
        struct profile_sample *x = &samples[rank][i];
        uint32_t number = random_below(keys);
        if (parts)
            number = (program[i] * 5 + i * (rank % 2 + 1)) % keys; /* ranks 0, 2, ... do the same, and the others */
        x->place = place_among(seen, &seen_count, program[i]);
        x->signature = place_among(known[x->place], &known_count[x->place], number);
        x->before = i ? (int64_t)samples[rank][i - 1].place : -1;
        x->gap = time_of(3 * program[i] + 5 * (i ? program[i - 1] : 0));
        x->duration = time_of(program[i] + number % 3) * (1 + rank * slow);
        put_key(&key, number);
        now += x->gap;
        EXPECT(stream_class(s, function_at(program[i]), sites + program[i], false, &class) == PILGRIM_OK &&
                   stream_append(s, class, false, key.data, key.length, now, now + x->duration) == PILGRIM_OK,
               "a call was not recorded");
        now += x->duration;
    }
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    bytes_free(&key);
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
    ck_assert_int_eq(trace_write(f, true, &file), PILGRIM_OK);
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
    for (unsigned i = 0; i < LEVELS; i++)
        levels[i] = seed % 3 ? UINT64_C(100) << random_below(seed % 3 == 1 ? 12 : 3) : 0;
    slow = seed % 5 == 1;
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

/* Calls that the reader gives one distribution for. */
struct told_statistics {
    uint32_t site;
    bool gaps;
    struct pilgrim_statistic by_reader;
    uint64_t count, least, most, sum;
    uint32_t high_rank;
    uint64_t histogram[PILGRIM_BUCKETS];
    double squares;
};

enum { TOLD_MAX = 2000 };
static struct told_statistics told[TOLD_MAX];
static uint32_t told_count;

static uint32_t site_of(const struct profile_sample *x, uint32_t rank)
{
    return program[x - samples[rank]];
}

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* ns, of all ranks. */
static double run_time(void)
{
    double run = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < CALLS; i++)
            run += (double)samples[rank][i].duration + (i ? (double)samples[rank][i].gap : 0);
    return run;
}

static bool is_same(const struct pilgrim_statistic *a, const struct pilgrim_statistic *b)
{
    return a->count == b->count && a->mean_ns == b->mean_ns && a->max_ns == b->max_ns && a->max_rank == b->max_rank &&
           a->brief == b->brief && a->min_ns == b->min_ns && a->deviation_ns == b->deviation_ns &&
           memcmp(a->histogram, b->histogram, sizeof a->histogram) == 0;
}

static uint32_t told_as(uint32_t site, bool gaps, const struct pilgrim_statistic *s)
{
    uint32_t i = 0;
    while (i < told_count && !(told[i].site == site && told[i].gaps == gaps && is_same(&told[i].by_reader, s)))
        i++;
    ck_assert_uint_lt(i, TOLD_MAX);
    if (i == told_count)
        told[told_count++] = (struct told_statistics){.site = site, .gaps = gaps, .by_reader = *s, .least = UINT64_MAX};
    return i;
}

static void count_in(struct told_statistics *t, uint64_t ns, uint32_t rank)
{
    if (t->count == 0 || ns > t->most)
        t->high_rank = rank; /* ranks come in order */
    t->count++;
    t->sum += ns;
    t->most = ns > t->most ? ns : t->most;
    t->least = ns < t->least ? ns : t->least;
    t->histogram[histogram_bucket(bucket_of(ns))]++;
}

/* STORED is NS without what is behind the first BITS bits. */
static bool is_rounded(uint64_t stored, uint64_t ns, unsigned bits)
{
    return stored <= ns && ns - stored <= ns >> bits;
}

/* True if the distribution of such times is slight. */
static bool is_slight(double sum, uint64_t most, double run)
{
    return sum < run / 4096 && (double)most < run / 4096 / RANKS;
}

/* The mean is rounded down or up to 3 bits behind the first, the longest down to a power of 2, but not below the mean.
 */
static void require_slight(const struct told_statistics *t)
{
    const struct pilgrim_statistic *s = &t->by_reader;
    uint64_t mean = t->sum / t->count, stored = (uint64_t)s->mean_ns;
    unsigned figure = figure_of(mean, 3), bucket = bucket_of(t->most);
    ck_assert(stored == figure_ns(figure, 3) || stored == figure_ns(figure + 1, 3));
    ck_assert_double_eq(s->total_ns, s->mean_ns * (double)s->count);
    uint64_t most = t->count > 1 && bucket > bucket_of(stored) ? UINT64_C(1) << (bucket - 1) : stored;
    ck_assert_uint_eq(s->max_ns, most);
    ck_assert_uint_eq(s->max_rank, PILGRIM_RANK_UNKNOWN);
    ck_assert(s->brief == (t->count > 1));
}

static void require_told(const struct told_statistics *t, double run)
{
    const struct pilgrim_statistic *s = &t->by_reader;
    double mean = (double)t->sum / (double)t->count, variance = t->squares / (double)t->count;
    uint64_t counts = 0, right = 0;
    ck_assert_uint_eq(s->count, t->count);
    if (is_slight((double)t->sum, t->most, run)) {
        require_slight(t);
        return;
    }
    ck_assert(s->mean_ns <= mean && s->mean_ns + 1 >= mean * 255 / 256);
    ck_assert(apart(s->total_ns, (double)t->sum) <= (double)t->sum / 256 + (double)t->count);
    ck_assert(is_rounded(s->max_ns, t->most, 4));
    ck_assert_uint_eq(s->max_rank, t->gaps ? PILGRIM_RANK_UNKNOWN : t->high_rank);
    ck_assert_uint_eq(s->min_rank, PILGRIM_RANK_UNKNOWN);
    for (unsigned k = 0; k < PILGRIM_BUCKETS; k++) {
        counts += s->histogram[k];
        right += t->histogram[k];
        ck_assert(s->brief || apart((double)counts, (double)right) <= (double)t->count / 64 + 1);
    }
    ck_assert_uint_eq(counts, s->brief ? 0 : s->count);
    if (s->brief) {
        ck_assert((double)t->sum < run / 256);
        ck_assert(s->min_ns == 0 && s->deviation_ns == 0);
    } else {
        ck_assert(is_rounded(s->min_ns, t->least, 4));
        ck_assert((s->deviation_ns + 1) * (s->deviation_ns + 1) * 17 * 17 / 16 / 16 >= variance * 0.999);
        ck_assert(s->deviation_ns * s->deviation_ns <= variance * 1.001 + 1);
    }
}

/* Puts the calls of RANK to what the reader says of them; FIRST: the gaps before threads' first calls. */
static void assign(const struct pilgrim_cursor *cursor, uint32_t rank)
{
    static uint32_t durations[PLACES][KEYS_MAX], gaps[PLACES][PLACES + 1];
    memset(durations, 0xff, sizeof durations);
    memset(gaps, 0xff, sizeof gaps);
    for (unsigned i = 0; i < CALLS; i++) {
        struct profile_sample *x = &samples[rank][i];
        uint32_t *d = &durations[x->place][x->signature], *g = &gaps[x->place][x->before + 1];
        struct pilgrim_statistic s;
        if (*d == UINT32_MAX) {
            ck_assert_int_eq(pilgrim_durations(cursor, x->place, x->signature, &s), PILGRIM_OK);
            *d = told_as(site_of(x, rank), false, &s);
        }
        if (*g == UINT32_MAX) {
            uint64_t before = x->before < 0 ? PILGRIM_NO_CALL : (uint64_t)x->before;
            ck_assert_int_eq(pilgrim_gaps(cursor, x->place, x->signature, before, &s), PILGRIM_OK);
            *g = told_as(site_of(x, rank), true, &s);
        }
        x->duration_part = *d;
        x->gap_part = *g;
        count_in(&told[*d], x->duration, rank);
        count_in(&told[*g], x->gap, rank);
    }
}

static void add_squares(void)
{
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < CALLS; i++) {
            const struct profile_sample *x = &samples[rank][i];
            struct told_statistics *d = &told[x->duration_part], *g = &told[x->gap_part];
            double a = (double)x->duration - (double)d->sum / (double)d->count,
                   b = (double)x->gap - (double)g->sum / (double)g->count;
            d->squares += a * a;
            g->squares += b * b;
        }
}

static int compare_means(const void *a, const void *b)
{
    const struct told_statistics *const *x = a, *const *y = b;
    double i = (*x)->by_reader.mean_ns, k = (*y)->by_reader.mean_ns;
    return (i > k) - (i < k);
}

/* Those of one site that stand apart are a quarter apart, and it matters. Returns how many there are. The gaps before a
 * thread's first call, at the site of the program's first one, are always told. */
static uint32_t require_apart(uint32_t site, bool gaps, double run)
{
    const struct told_statistics *parts[TOLD_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < told_count; i++)
        if (told[i].site == site && told[i].gaps == gaps && i != samples[0][0].gap_part)
            parts[count++] = &told[i];
    qsort(parts, count, sizeof *parts, compare_means);
    ck_assert_uint_le(count, 8);
    for (uint32_t i = 0; i + 1 < count; i++) {
        double a = (double)parts[i]->count, b = (double)parts[i + 1]->count;
        double low = (double)parts[i]->sum / a, high = (double)parts[i + 1]->sum / b;
        ck_assert_msg(high >= 1.2499 * low && (high - low) * a * b / (a + b) >= run / 32.1, "%g and %g are told apart",
                      low, high);
    }
    return count;
}

/* ---- all calls of a class ---- */

static uint32_t site_called(const struct pilgrim_class *class)
{
    return (uint32_t)(class->site->offset / 16);
}

/* What rounding does to slight distributions is about as much as one of them may have. */
static void require_sum(const struct pilgrim_statistic *s, uint32_t site, bool gaps, int first)
{
    uint64_t count = 0, most = 0;
    double sum = 0, run = run_time();
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < CALLS; i++)
            if (program[i] == site && (!gaps || first == (i == 0))) {
                uint64_t ns = gaps ? samples[rank][i].gap : samples[rank][i].duration;
                count++;
                sum += (double)ns;
                most = ns > most ? ns : most;
            }
    ck_assert_uint_eq(s->count, count);
    ck_assert(apart(s->total_ns, sum) <= sum / 256 + (double)count + (sum < run / 4096 ? sum : run / 4096) / 8);
    ck_assert(is_rounded(s->max_ns, most, 4) || is_slight(0, most, run));
}

static void check_profile(const struct pilgrim_trace *trace)
{
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class;
    struct pilgrim_error error;
    enum pilgrim_status status;
    bool met[PLACES] = {false};
    ck_assert_int_eq(pilgrim_profile_open(trace, &profile, &error), PILGRIM_OK);
    while ((status = pilgrim_profile_next(profile, &class, &error)) == PILGRIM_OK) {
        uint32_t site = site_called(class.class_);
        ck_assert(site < PLACES && !met[site]);
        met[site] = true;
        require_sum(&class.durations, site, false, 0);
        require_sum(&class.gaps, site, true, false);
        require_sum(&class.first_gaps, site, true, true);
    }
    ck_assert_int_eq(status, PILGRIM_END);
    for (unsigned i = 0; i < PLACES; i++)
        ck_assert(met[i]);
    pilgrim_profile_close(profile);
}

/* ---- ranks ---- */

static bool is_near(double found, double right)
{
    return apart(found, right) <= 0.03 * right + 1;
}

static void check_rank(const struct pilgrim_trace *trace, uint32_t rank)
{
    struct pilgrim_rank_profile found;
    struct pilgrim_error error;
    double right[PILGRIM_ACTIVITIES] = {0};
    for (unsigned i = 0; i < CALLS; i++) {
        right[PILGRIM_COMPUTING] += i ? (double)samples[rank][i].gap : 0;
        right[functions[function_at(program[i])].activity] += (double)samples[rank][i].duration;
    }
    ck_assert_int_eq(pilgrim_rank_profile(trace, rank, &found, &error), PILGRIM_OK);
    ck_assert_uint_eq(found.first_rank, rank);
    ck_assert_uint_eq(found.rank_count, 1);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        ck_assert_msg(is_near(found.ns[i], right[i]), "%s: %g, not %g", pilgrim_activity_name(i), found.ns[i],
                      right[i]);
        ck_assert_uint_eq(found.most_rank[i], rank);
    }
}

/* Sets SUMS to the times of each rank; returns whether the class must be told by rank: 1, must not be: 0, or is in
 * between: -1. */
static int by_rank(uint32_t site, bool gaps, double run, double *sums)
{
    double least = 0, most = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        sums[rank] = 0;
        for (unsigned i = gaps; i < CALLS; i++)
            if (program[i] == site)
                sums[rank] += gaps ? (double)samples[rank][i].gap : (double)samples[rank][i].duration;
        least = rank == 0 || sums[rank] < least ? sums[rank] : least;
        most = sums[rank] > most ? sums[rank] : most;
    }
    double apart_by = (most - least) * RANKS;
    if (apart_by < run / 65 || most < 1.09 * least)
        return 0;
    return apart_by > run / 63 && most > 1.11 * least ? 1 : -1;
}

/* Returns how many were told. */
static unsigned check_rank_classes(struct pilgrim_cursor *const *cursors, double run)
{
    unsigned count = 0;
    for (uint32_t place = 0; place < PLACES; place++)
        for (unsigned gaps = 0; gaps < 2; gaps++) {
            double sums[RANKS];
            uint32_t site = 0;
            for (unsigned i = 0; i < CALLS; i++)
                site = samples[0][i].place == place ? program[i] : site; /* the places are the same on all ranks */
            int expected = by_rank(site, gaps, run, sums);
            for (uint32_t rank = 0; rank < RANKS; rank++) {
                struct pilgrim_rank_class found;
                ck_assert_int_eq(pilgrim_rank_class(cursors[rank], place, &found), PILGRIM_OK);
                ck_assert_uint_eq(found.rank_count, 1);
                bool has = gaps ? found.has_gaps : found.has_durations;
                ck_assert(expected < 0 || has == (expected > 0));
                ck_assert(!has || is_near(gaps ? found.gaps_ns : found.durations_ns, sums[rank]));
                count += has;
            }
        }
    return count;
}

/* The classes that gaps are told behind of come in order, each once. */
static void check_before(const struct pilgrim_cursor *cursor)
{
    for (uint32_t place = 0; place < PLACES; place++) {
        uint64_t before = PILGRIM_ANY_CALL, last = 0;
        struct pilgrim_statistic s, all;
        ck_assert_int_eq(pilgrim_gaps(cursor, place, PILGRIM_STRUCTURE_GROUP, PILGRIM_ANY_CALL, &all), PILGRIM_OK);
        for (unsigned i = 0; pilgrim_class_before(cursor, place, PILGRIM_STRUCTURE_GROUP, &before) == PILGRIM_OK; i++) {
            ck_assert(before == PILGRIM_NO_CALL
                          ? i == 0 && samples[0][0].place == place
                          : before < PLACES && (i == 0 || last == PILGRIM_NO_CALL || before > last));
            ck_assert_int_eq(pilgrim_gaps(cursor, place, PILGRIM_STRUCTURE_GROUP, before, &s), PILGRIM_OK);
            ck_assert(s.count > 0 && (before == PILGRIM_NO_CALL || s.count < all.count));
            last = before;
        }
    }
}

START_TEST(the_reader_says_what_was)
{
    unsigned several = 0, several_gaps = 0, one = 0, ranks = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct pilgrim_trace *trace = make(seed, seed % 2);
        struct pilgrim_cursor *cursors[RANKS];
        struct pilgrim_error error;
        double run = run_time();
        told_count = 0;
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            ck_assert_int_eq(pilgrim_cursor_open(trace, rank, 0, &cursors[rank], &error), PILGRIM_OK);
            assign(cursors[rank], rank);
            check_rank(trace, rank);
            check_before(cursors[rank]);
        }
        add_squares();
        for (uint32_t i = 0; i < told_count; i++)
            require_told(&told[i], run);
        for (uint32_t site = 0; site < PLACES; site++) {
            uint32_t count = require_apart(site, false, run);
            several += count > 1;
            one += count == 1;
            several_gaps += require_apart(site, true, run) > 1;
        }
        ranks += check_rank_classes(cursors, run);
        check_profile(trace);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            pilgrim_cursor_close(cursors[rank]);
        pilgrim_close(trace);
    }
    ck_assert(several > 0 && several_gaps > 0 && one > 0 && ranks > 0); /* all of that there was */
}
END_TEST

/* ---- which calls are told apart ---- */

/* A stream of CALLS calls at site 0, of two signatures, of which every EVERY-th is the second and takes OTHER ns in
 * place of 1000. */
static struct stream *two_kinds(unsigned every, uint64_t other, bool reverse)
{
    const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    uint64_t now = 0;
    uint32_t number;
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (unsigned i = 0; i < CALLS; i++) {
        bool second = i % every == 1 || every == 1;
        put_key(&key, second != reverse ? 2 : 1);
        now += 10;
        ck_assert_int_eq(stream_class(s, 1, sites, false, &number), PILGRIM_OK);
        ck_assert_int_eq(stream_append(s, number, false, key.data, key.length, now, now + (second ? other : 1000)),
                         PILGRIM_OK);
        now += second ? other : 1000;
    }
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    bytes_free(&key);
    return s;
}

static uint64_t calls_told(const struct pilgrim_trace *trace, uint32_t rank, uint64_t signature)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct pilgrim_statistic s;
    ck_assert_int_eq(pilgrim_cursor_open(trace, rank, 0, &cursor, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_durations(cursor, 0, signature, &s), PILGRIM_OK);
    pilgrim_cursor_close(cursor);
    return s.count;
}

START_TEST(signatures_apart)
{
    static const struct {
        unsigned every;
        uint64_t other;
        bool apart;
    } kinds[] = {{2, 1000, false}, {2, 1200, false}, {2, 1260, true},    {2, 3000, true},     {2, 500, true},
                 {2, 850, false},  {50, 3000, true}, {100, 2000, false}, {100, 1000000, true}};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct stream *s = two_kinds(kinds[i].every, kinds[i].other, false);
        struct pilgrim_trace *trace = open_trace(fragment_of(0, s));
        unsigned second = (CALLS + kinds[i].every - 2) / kinds[i].every;
        ck_assert_uint_eq(calls_told(trace, 0, 0), kinds[i].apart ? CALLS - second : CALLS);
        ck_assert_uint_eq(calls_told(trace, 0, 1), kinds[i].apart ? second : CALLS);
        pilgrim_close(trace);
        stream_free(s);
    }
}
END_TEST

/* A rank that does the same in another order is in another structure or value group: the calls are the same ones if
 * they take as long. */
START_TEST(groups_apart)
{
    for (unsigned slower = 0; slower < 2; slower++) {
        struct stream *a = two_kinds(2, 1000, false), *b = two_kinds(1, slower ? 5000 : 1000, true);
        struct fragment *f = fragment_of(0, a), *other = fragment_of(1, b);
        ck_assert_int_eq(fragment_merge(f, other), PILGRIM_OK);
        fragment_free(other);
        struct pilgrim_trace *trace = open_trace(f);
        for (uint32_t rank = 0; rank < 2; rank++) {
            ck_assert_uint_eq(calls_told(trace, rank, 0), slower ? CALLS : 2 * CALLS);
            ck_assert_uint_eq(calls_told(trace, rank, PILGRIM_VALUE_GROUP), slower ? CALLS : 2 * CALLS);
        }
        pilgrim_close(trace);
        stream_free(a);
        stream_free(b);
    }
}
END_TEST

/* However many signatures differ, and matter, there are few distributions, and each call is in one. */
START_TEST(parts_are_bounded)
{
    enum { KINDS = 12 };
    const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    uint64_t now = 0, calls = 0;
    uint32_t number;
    double left[KINDS] = {23842}, ns[KINDS] = {100}; /* each kind takes as long as each other */
    for (unsigned kind = 1; kind < KINDS; kind++) {
        left[kind] = left[kind - 1] / 2.5;
        ns[kind] = ns[kind - 1] * 2.5;
    }
    ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (unsigned kind = 0, none = 0; none < KINDS; kind = (kind + 1) % KINDS) {
        none = left[kind] >= 1 ? 0 : none + 1;
        if (none > 0)
            continue;
        put_key(&key, 1 + kind);
        EXPECT(stream_class(s, 1, sites, false, &number) == PILGRIM_OK &&
                   stream_append(s, number, false, key.data, key.length, now, now + (uint64_t)ns[kind]) == PILGRIM_OK,
               "a call was not recorded");
        now += (uint64_t)ns[kind];
        left[kind] -= 1;
        calls++;
    }
    ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
    struct fragment *f = fragment_of(0, s);
    struct profile_parts parts;
    ck_assert_int_eq(profile_parts_make(f, &parts), PILGRIM_OK);
    for (uint32_t i = 0; i < parts.class_count; i++) {
        uint64_t count = 0;
        ck_assert_uint_eq(parts.classes[i].part_count, 8);
        for (uint32_t k = 0; k < parts.classes[i].part_count; k++)
            count += parts.classes[i].durations[k].count;
        ck_assert_uint_eq(count, calls);
    }
    profile_parts_free(&parts);
    fragment_free(f);
    stream_free(s);
    bytes_free(&key);
}
END_TEST

/* ---- very many ranks ---- */

/* One call after another on each rank, of which one takes longer: the trace says so of blocks. */
START_TEST(a_trace_of_many_ranks)
{
    enum { MANY = 20000 };
    struct fragment *f = fragment_new(0);
    struct bytes key = {0};
    const struct stream_times times = {.kind = TIMES_NONE};
    put_key(&key, 1);
    for (uint32_t rank = 0; rank < MANY; rank++) {
        struct stream *s = stream_new(&vocabulary, resolve), *process = stream_new(&vocabulary, resolve);
        const struct stream *thread = s;
        uint32_t class;
        EXPECT(stream_keep_times(s, &times) == PILGRIM_OK && stream_class(s, 1, sites, false, &class) == PILGRIM_OK,
               "no class");
        for (uint64_t i = 0; i < 2; i++)
            EXPECT(stream_append(s, class, false, key.data, key.length, 10000 * i,
                                 10000 * i + (rank == 12345 ? 9000 : 100 + rank % 2)) == PILGRIM_OK,
                   "no call");
        EXPECT(stream_flush_times(s) == PILGRIM_OK && fragment_add_rank(f, process, &thread, 1) == PILGRIM_OK,
               "no rank");
        stream_free(s);
        stream_free(process);
    }
    struct pilgrim_trace *trace = open_trace(f);
    for (uint32_t rank = 0; rank < MANY; rank += rank == 12344 ? 1 : 617) {
        struct pilgrim_rank_profile found;
        struct pilgrim_error error;
        ck_assert_int_eq(pilgrim_rank_profile(trace, rank, &found, &error), PILGRIM_OK);
        ck_assert_uint_gt(found.rank_count, 1);
        ck_assert_uint_le(found.rank_count, 4);
        ck_assert(found.first_rank <= rank && rank < found.first_rank + found.rank_count);
        bool slow_one = 12345 - found.first_rank < found.rank_count;
        double mean = slow_one ? 201 + 17798.0 / found.rank_count : 201;
        ck_assert(is_near(found.ns[PILGRIM_POINT_TO_POINT], mean));
        ck_assert(is_near(found.most_ns[PILGRIM_POINT_TO_POINT], slow_one ? 18000 : 202));
        ck_assert_uint_eq(found.most_rank[PILGRIM_POINT_TO_POINT], slow_one ? 12345 : found.first_rank + 1);
    }
    pilgrim_close(trace);
    bytes_free(&key);
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
            ck_assert_int_eq(stream_append(s, number, false, key.data, key.length, 10 * i + 3, 10 * i + 10),
                             PILGRIM_OK);
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
        ck_assert_uint_eq(statistic.count, calls - 1);
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
    Suite *suite = suite_create("profile");
    TCase *tests = tcase_create("profile");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_reader_says_what_was);
    tcase_add_test(tests, signatures_apart);
    tcase_add_test(tests, groups_apart);
    tcase_add_test(tests, parts_are_bounded);
    tcase_add_test(tests, a_trace_of_many_ranks);
    tcase_add_test(tests, vectors_and_unzipped_ones_are_one);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
