/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares ways to store the times of calls: bytes a call, and what the codec costs. bench/times_stores.py makes the
 * files.
 *
 * usage: times_stores NAME FILE...
 *
 * FILE has the calls of one thread, a line each: start and end in ns, number of the call's class, number of its
 * signature in the class. Prints a line, in bytes a call but for the last three numbers; without arguments, the line
 * above it:
 *
 *   raw       start and end as 16 bytes, zstd level 3
 *   exact     PILGRIM_TIMING=exact, and its percentage of raw
 *   bins      PILGRIM_TIMING=bins:1.2: columns of gaps and durations, a class each, gaps chosen, sections in parts
 *   paper     for each signature, columns of intervals (with feedback) between its calls and of durations, zstd
 *   grammar   these, as a run-length grammar for each sequence, and zstd after all of them
 *   class     the codec's own numbers, as a run-length grammar for each column, and zstd after all of them
 *   ns        for each call: to encode and compress bins, and exact; to decode bins */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "format/section.h"
#include "format/trace_format.h"
#include "grammar/grammar.h"
#include "timing/bins.h"
#include "timing/times.h"
#include "timing/times_block.h"

enum { BASE = 200000, BATCH = 1000, LEVEL_RAW = 3, LEVEL_BEST = 19 };

static void *checked(void *memory)
{
    if (!memory) {
        fputs("times_stores: no memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void check(enum pilgrim_status status)
{
    if (status != PILGRIM_OK) {
        fprintf(stderr, "times_stores: status %d\n", (int)status);
        exit(EXIT_FAILURE);
    }
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct thread {
    struct span *spans;
    size_t count;
    uint32_t class_count;
};

static struct thread read_thread(const char *name)
{
    struct thread t = {0};
    FILE *file = fopen(name, "r");
    struct span s;
    unsigned long long start, end;
    size_t capacity = 0;
    if (!file) {
        perror(name);
        exit(EXIT_FAILURE);
    }
    while (fscanf(file, "%llu %llu %u %u", &start, &end, &s.class, &s.signature) == 4) {
        if (t.count == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            t.spans = checked(realloc(t.spans, capacity * sizeof *t.spans));
        }
        s.start = start;
        s.end = end;
        t.class_count = s.class >= t.class_count ? s.class + 1 : t.class_count;
        t.spans[t.count++] = s;
    }
    fclose(file);
    return t;
}

static size_t compressed_bytes(const void *data, size_t length, int level)
{
    size_t bound = ZSTD_compressBound(length);
    void *to = checked(malloc(bound));
    size_t bytes = ZSTD_compress(to, bound, data, length, level);
    free(to);
    return bytes;
}

static size_t raw_bytes(const struct thread *t)
{
    uint64_t *raw = checked(malloc(t->count * 16 + 1));
    for (size_t i = 0; i < t->count; i++) {
        raw[2 * i] = t->spans[i].start;
        raw[2 * i + 1] = t->spans[i].end;
    }
    size_t bytes = compressed_bytes(raw, t->count * 16, LEVEL_RAW);
    free(raw);
    return bytes;
}

/* ---- the codec ---- */

struct cost {
    double bytes, encode_ns, decode_ns;
};

/* Checks that the decoded block is right; for bins, within their relative error. */
static void decode(const struct bytes *content, const struct span *spans, uint32_t class_count, enum times_kind kind)
{
    struct times_block *block;
    struct cursor c;
    const char *problem;
    cursor_init(&c, content->data, content->length);
    check(times_block_open(&c, class_count, &block, &problem));
    for (const struct span *s = spans; times_block_left(block); s++) {
        uint64_t start, end;
        check(times_block_next(block, s->class, &start, &end));
        if (kind == TIMES_EXACT ? start != s->start || end != s->end : start > s->start || end > s->end)
            check(PILGRIM_INVALID);
    }
    times_block_free(block);
}

static void measure(const struct thread *t, enum times_kind kind, struct cost *cost)
{
    struct times *times = checked(times_new(kind));
    struct bytes content = {0}, ends = {0}, file = {0};
    void *context = NULL;
    for (uint32_t class = 0; class < t->class_count; class ++)
        check(times_class(times, class, BASE, false));
    for (size_t i = 0; i < t->count;) {
        size_t first = i;
        double start = now_ns();
        for (content.length = ends.length = 0; i < t->count && times_pending(times) < TIMES_BLOCK_CALLS;) {
            size_t batch = t->count - i < BATCH ? t->count - i : BATCH;
            check(times_add(times, t->spans + i, NULL, batch));
            i += batch;
        }
        check(times_take(times, &content, &ends));
        const size_t *places = (const size_t *)(const void *)ends.data;
        check(section_write_parts(&context, &file, SECTION_TIMES, &content, places, ends.length / sizeof(size_t)));
        double end = now_ns();
        decode(&content, t->spans + first, t->class_count, kind);
        cost->encode_ns += end - start;
        cost->decode_ns += now_ns() - end;
    }
    cost->bytes += (double)file.length;
    bytes_free(&content);
    bytes_free(&ends);
    bytes_free(&file);
    section_write_free(context);
    times_free(times);
}

/* ---- other stores of bins ---- */

/* Sequences of numbers below 256, one for each key. */
struct sequences {
    size_t count;
    struct bytes *of; /* gaps or intervals, then durations */
};

static struct sequences sequences_new(size_t count)
{
    return (struct sequences){count, checked(calloc(count + 1, sizeof(struct bytes)))};
}

static void sequences_free(struct sequences *s)
{
    for (size_t i = 0; i < s->count; i++)
        bytes_free(&s->of[i]);
    free(s->of);
}

static size_t store_columns(const struct sequences *s)
{
    struct bytes all = {0};
    for (size_t i = 0; i < s->count; i++)
        bytes_put(&all, s->of[i].data, s->of[i].length);
    size_t bytes = compressed_bytes(all.data, all.length, LEVEL_BEST);
    bytes_free(&all);
    return bytes;
}

static size_t store_grammars(const struct sequences *s)
{
    struct bytes all = {0};
    for (size_t i = 0; i < s->count; i++) {
        struct grammar *g = checked(grammar_new());
        for (size_t at = 0; at < s->of[i].length; at++)
            check(grammar_append(g, s->of[i].data[at]));
        if (s->of[i].length)
            grammar_serialise(g, &all);
        grammar_free(g);
    }
    size_t bytes = compressed_bytes(all.data, all.length, LEVEL_BEST);
    bytes_free(&all);
    return bytes;
}

static uint32_t place_of(struct bins *b, uint64_t value)
{
    check(bins_reach(b, value));
    return bins_index(b, value);
}

/* As in the SC'21 paper: for each signature, intervals from the reconstructed start of the call before, and
 * durations. */
static struct sequences paper_sequences(const struct thread *t, struct bins *b)
{
    uint32_t signatures = 0;
    for (size_t i = 0; i < t->count; i++)
        signatures = t->spans[i].signature >= signatures ? t->spans[i].signature + 1 : signatures;
    size_t keys = (size_t)t->class_count * signatures;
    uint64_t *starts = checked(calloc(keys + 1, sizeof *starts));
    struct sequences s = sequences_new(2 * keys);
    for (size_t i = 0; i < t->count; i++) {
        const struct span *span = &t->spans[i];
        size_t key = (size_t)span->class * signatures + span->signature;
        uint32_t interval = place_of(b, span->start - starts[key]);
        starts[key] += b->bounds[interval];
        bytes_put_u8(&s.of[key], (uint8_t)interval);
        bytes_put_u8(&s.of[keys + key], (uint8_t)place_of(b, span->end - span->start));
    }
    free(starts);
    return s;
}

/* The codec's numbers, whole columns. */
static struct sequences codec_sequences(const struct thread *t, struct bins *b)
{
    struct times *times = checked(times_new(TIMES_BINS));
    struct sequences s = sequences_new(2 * (size_t)t->class_count);
    struct bytes content = {0}, ends = {0};
    for (uint32_t class = 0; class < t->class_count; class ++)
        check(times_class(times, class, BASE, false));
    check(times_add(times, t->spans, NULL, t->count));
    check(times_take(times, &content, &ends));
    struct times_block *block;
    struct cursor c;
    const char *problem;
    uint64_t before = 0, start, end;
    cursor_init(&c, content.data, content.length);
    check(times_block_open(&c, t->class_count, &block, &problem));
    for (size_t i = 0; i < t->count; i++) {
        uint32_t class = t->spans[i].class;
        check(times_block_next(block, class, &start, &end));
        bytes_put_u8(&s.of[class], (uint8_t)place_of(b, start - before));
        bytes_put_u8(&s.of[t->class_count + class], (uint8_t)place_of(b, end - start));
        before = end;
    }
    times_block_free(block);
    times_free(times);
    bytes_free(&content);
    bytes_free(&ends);
    return s;
}

int main(int argc, char **argv)
{
    double raw = 0, paper = 0, grammar = 0, class = 0, calls = 0;
    struct cost bins = {0}, exact = {0};
    struct bins b;
    if (argc < 3)
        printf("%-16s %9s %6s %6s %4s %6s %6s %7s %6s %6s %6s %6s\n", "", "calls", "raw", "exact", "%", "bins", "paper",
               "grammar", "class", "bins", "exact", "decode");
    if (argc < 3)
        return 0;
    bins_init(&b, BASE);
    for (int i = 2; i < argc; i++) {
        struct thread t = read_thread(argv[i]);
        calls += (double)t.count;
        raw += (double)raw_bytes(&t);
        measure(&t, TIMES_BINS, &bins);
        measure(&t, TIMES_EXACT, &exact);
        struct sequences s = paper_sequences(&t, &b);
        paper += (double)store_columns(&s);
        grammar += (double)store_grammars(&s);
        sequences_free(&s);
        s = codec_sequences(&t, &b);
        class += (double)store_grammars(&s);
        sequences_free(&s);
        free(t.spans);
    }
    bins_free(&b);
    printf("%-16s %9.0f %6.2f %6.2f %4.0f %6.3f %6.3f %7.3f %6.3f %6.1f %6.1f %6.1f\n", argv[1], calls, raw / calls,
           exact.bytes / calls, 100 * exact.bytes / raw, bins.bytes / calls, paper / calls, grammar / calls,
           class / calls, bins.encode_ns / calls, exact.encode_ns / calls, bins.decode_ns / calls);
    return 0;
}
