/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking what may be a trace, and changing traces under right checksums; for the tests of the reader with hostile
 * bytes.
 *
 * The includer has draw(), which gives random numbers. */
#ifndef TESTS_HOSTILE_TRACE_H
#define TESTS_HOSTILE_TRACE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/section.h"
#include "format/trace_format.h"
#include "pilgrim/reader.h"
#include "read/file/load.h"
#include "trials.h"
#include "walk_trace.h"

/* Opens the bytes, and if that is possible walks some of the calls. Returns the status of opening, or of what was kept
 * from the calls. */
static enum pilgrim_status walk(const void *data, size_t length)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    /* A copy of exactly this length, so that the sanitizer sees a read behind its end. */
    void *copy = malloc(length + !length);
    memcpy(copy, data, length);
    enum pilgrim_status status = trace_load(copy, length, &trace, &error);
    free(copy);
    ck_assert_int_ne(status, PILGRIM_NOMEM);
    ck_assert((status == PILGRIM_OK) == (trace != NULL));
    if (!trace) {
        ck_assert_int_eq(error.status, status);
        ck_assert_ptr_nonnull(strstr(error.message, "byte "));
        ck_assert(error.offset <= length);
        return status;
    }
    walk_trace(trace);
    pilgrim_close(trace);
    return error.status;
}

#define MEMORY_MAX_MB 24ul

#if TRIALS_SANITIZED
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=24:allocator_may_return_null=1";
}
#endif

/* From here on memory is short, so that a reader that wants too much of it gets none: walk() takes that for a failure.
 * The sanitizer's build has its own limit, on one allocation. */
static void limit_memory(void)
{
#if !TRIALS_SANITIZED
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (MEMORY_MAX_MB << 20);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
#endif
}

/* Types of sections, as they stand in a shard. */
static const uint8_t section_order[] = {SECTION_DEFINITIONS, SECTION_CALLS, SECTION_STATISTICS, SECTION_PROFILE};

/* The file of the contents up to section LAST; those that are empty are not there. */
static void put_together(const struct bytes *contents, uint8_t last, struct bytes *file)
{
    static const struct bytes nothing = {0};
    file->length = 0;
    bytes_put(file, trace_magic, sizeof trace_magic);
    bytes_put_u8(file, TRACE_VERSION);
    bytes_put_u8(file, 0);
    for (size_t i = 0; i == 0 || section_order[i - 1] != last; i++) {
        uint8_t type = section_order[i], stored = type == SECTION_PROFILE ? SECTION_SHARED_PROFILE : type;
        if (contents[type].length > 0)
            ck_assert_int_eq(section_write(file, stored, &contents[type]), PILGRIM_OK);
    }
    ck_assert_int_eq(section_write(file, SECTION_END, &nothing), PILGRIM_OK);
}

static void mutate(struct bytes *content)
{
    for (unsigned changes = 1 + (unsigned)(draw() % 3); changes > 0; changes--) {
        size_t at = draw() % content->length;
        switch (draw() % 5) {
        case 0: /* a large varint */
            for (unsigned i = 0; i < 10 && at < content->length; i++)
                content->data[at++] = (uint8_t)(i < 9 ? 0xff : 1);
            break;
        case 1:
            content->length = at + 1;
            break;
        case 2:
            content->data[at]++;
            break;
        case 3:
            content->data[at] ^= (uint8_t)(1u << draw() % 8);
            break;
        default:
            content->data[at] = (uint8_t)draw();
        }
    }
}

/* Walks COUNT traces, each with something changed in one of the contents from the definitions up to the section LAST.
 * Memory is short from here on. Returns how many could be opened. */
static inline unsigned walk_changed(struct bytes *contents, uint8_t last, unsigned count)
{
    struct bytes file = {0};
    unsigned opened = 0;
    limit_memory();
    for (unsigned i = 0; i < count; i++) {
        unsigned type;
        do
            type = section_order[draw() % (last == SECTION_CALLS ? 2 : sizeof section_order)];
        while (contents[type].length == 0);
        struct bytes kept = contents[type];
        uint8_t *copy = malloc(kept.length);
        memcpy(copy, kept.data, kept.length);
        mutate(&contents[type]);
        put_together(contents, last, &file);
        opened += walk(file.data, file.length) == PILGRIM_OK;
        memcpy(kept.data, copy, kept.length);
        contents[type] = kept;
        free(copy);
    }
    bytes_free(&file);
    return opened;
}

#endif
