/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs are recorded as the library does it, but for MPI: streams, a fragment for each rank and round, which are
 * merged. */
#include "recorder.h"

#include "base/value.h"
#include "merge/fragment_file.h"
#include "write/trace_writer.h"
#include "record/stream_times.h"

static const struct vocabulary vocabulary = {made_functions, FUNCTIONS, made_names, NAMES};
static const struct code_module module = {"made", {1, 2, 3, 4}, 4, NULL};
static const char sites[KINDS + 1];

static size_t resolve(const void *site, struct code_frame *frames)
{
    frames[0] = (struct code_frame){&module, made_site((unsigned)((const char *)site - sites))};
    return 1;
}

static void append(struct stream *s, const struct program *p, unsigned function, bool failed_poll,
                   const struct bytes *key, uint64_t number)
{
    uint32_t class;
    uint64_t start = 100 * number + number * number % 50;
    require(!key->failed && stream_class(s, function, sites + function, false, &class) == PILGRIM_OK &&
                stream_append(s, class, failed_poll, key->data, key->length, start, start + 20) == PILGRIM_OK,
            "a call was not recorded", p->seed);
}

static struct stream *process_stream(const struct program *p, uint32_t rank)
{
    struct bytes key = {0};
    struct stream *s = stream_new(&vocabulary, resolve);
    require(s, "out of memory", p->seed);
    for (int side = 0; side < 2; side++) {
        bytes_put_u8(&key, VALUE_ARRAY);
        bytes_put_u32(&key, VIEWS);
        for (unsigned view = 0; view < VIEWS; view++) {
            int64_t own, size;
            program_view(p, rank, view, &own, &size);
            bytes_put_u8(&key, VALUE_INT);
            bytes_put_u64(&key, (uint64_t)(side ? size : own));
        }
    }
    bytes_put_u8(&key, VALUE_NONE);
    append(s, p, FUNCTION_OF_PROCESS, false, &key, 0);
    bytes_free(&key);
    return s;
}

/* Every so many calls memory is short in some programs: nothing but what is stored may depend on that. 0: never. */
static uint64_t calls_to_relief(const struct program *p)
{
    static const uint64_t calls[] = {0, 40, 0, 150, 1000, 0, 7000};
    return calls[p->seed % (sizeof calls / sizeof calls[0])];
}

/* What W's thread does in ROUND. */
static void record_round(struct walk *w, struct stream *s, uint32_t round)
{
    static struct made_call call;
    const struct program *p = w->program;
    uint64_t relief = calls_to_relief(p);
    while (walk_next(w, &call)) {
        append(s, p, call.kind, call.failed_poll, &call.key, w->calls);
        if (relief && w->calls % relief == 0)
            require(stream_relieve(s, relief % 3 ? 0 : 4096) == PILGRIM_OK, "a stream was not relieved", p->seed);
        if (round + 1 < p->rounds && walk_ends_round(w))
            break;
    }
    require(stream_flush_times(s) == PILGRIM_OK, "times were not kept", p->seed);
}

static struct fragment *through_a_file(struct fragment *f, uint64_t seed)
{
    struct bytes encoded = {0};
    struct fragment *same = NULL;
    require(fragment_encode_last(f, &encoded) == PILGRIM_OK &&
                fragment_decode(encoded.data, encoded.length, &same) == PILGRIM_OK,
            "a fragment was not packed", seed);
    bytes_free(&encoded);
    return same;
}

/* The rounds of RANK, each behind those of the ranks before. */
static void record_rank(const struct program *p, uint32_t rank, bool timed, struct fragment **rounds)
{
    static const struct stream_times statistics = {.kind = TIMES_NONE};
    struct stream *process = process_stream(p, rank), *threads[THREADS_MAX];
    struct walk walks[THREADS_MAX];
    for (uint32_t t = 0; t < p->threads; t++) {
        threads[t] = stream_new(&vocabulary, resolve);
        require(threads[t] && (!timed || stream_keep_times(threads[t], &statistics) == PILGRIM_OK), "out of memory",
                p->seed);
        walk_begin(&walks[t], p, rank, t);
    }
    for (uint32_t round = 0; round < p->rounds; round++) {
        struct fragment *f = fragment_new(rank);
        for (uint32_t t = 0; t < p->threads; t++)
            record_round(&walks[t], threads[t], round);
        require(f && fragment_add_rank(f, process, (const struct stream *const *)threads, p->threads) == PILGRIM_OK,
                "no fragment was made", p->seed);
        for (uint32_t t = 0; t < p->threads; t++)
            stream_renew(threads[t]);
        f = through_a_file(f, p->seed);
        if (rank && p->seed % 11 == 0)
            require(fragment_finalise_now(f, timed) == PILGRIM_OK, "a volume was not written", p->seed);
        require(!rank || fragment_merge(rounds[round], f) == PILGRIM_OK, "two fragments were not merged", p->seed);
        if (rank)
            fragment_free(f);
        else
            rounds[round] = f;
    }
    stream_free(process);
    for (uint32_t t = 0; t < p->threads; t++)
        stream_free(threads[t]);
}

void record(const struct program *p, struct bytes *out)
{
    struct fragment *rounds[ROUNDS_MAX];
    bool timed = p->seed % 3 > 0;
    for (uint32_t rank = 0; rank < p->ranks; rank++)
        record_rank(p, rank, timed, rounds);
    require(trace_write_begin(out) == PILGRIM_OK, "out of memory", p->seed);
    for (uint32_t round = 0; round < p->rounds; round++) {
        require(trace_write_segment(rounds[round], timed, round > 0, out) == PILGRIM_OK, "the trace was not written",
                p->seed);
        fragment_free(rounds[round]);
    }
    require(trace_write_end(out) == PILGRIM_OK, "out of memory", p->seed);
}
