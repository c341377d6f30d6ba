/* SPDX-License-Identifier: BSD-3-Clause */
/* Finished sections with times of calls; see times_sections.h.
 *
 * The sections of a thread are in the order of its calls: those in the file come before those in memory. */
#define _GNU_SOURCE 1 /* pthread_setcancelstate */
#include "process/times_sections.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "process/capture.h"
#include "process/spill_file.h"
#include "process/spill.h"
#include "format/section.h"
#include "format/trace_format.h"

enum { PIECE_BYTES = 4 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`: */
static struct bytes sections;        /* in memory */
static struct spill_extent *extents; /* in the file; adjacent ones are joined */
static size_t extent_count, extent_capacity;
static bool given_up;
static void *compressor; /* for section_write_parts */

/* ---- while calls are recorded ---- */

/* Appends a section to OUT. */
static enum pilgrim_status write_section(uint32_t thread, uint64_t first, const struct bytes *content,
                                         const struct bytes *ends, struct bytes *out)
{
    struct bytes whole = {0}, class_indices = {0};
    bytes_put_varint(&whole, (uint64_t)capture.rank);
    bytes_put_varint(&whole, thread);
    bytes_put_varint(&whole, first);
    size_t prefix = whole.length, count = ends->length / sizeof(size_t);
    bytes_put(&whole, content->data, content->length);
    bytes_put(&class_indices, ends->data, ends->length);
    enum pilgrim_status status = bytes_status(&whole);
    if (status == PILGRIM_OK)
        status = bytes_status(&class_indices);
    if (status == PILGRIM_OK) {
        size_t *index = (size_t *)(void *)class_indices.data;
        for (size_t i = 0; i < count; i++)
            index[i] += prefix;
        status = section_write_parts(&compressor, out, SECTION_TIMES, &whole, index, count);
    }
    bytes_free(&class_indices);
    bytes_free(&whole);
    return status;
}

static enum pilgrim_status note_extent(struct spill_extent extent)
{
    struct spill_extent *last = extent_count ? &extents[extent_count - 1] : NULL;
    if (last && last->start + last->length == extent.start) {
        last->length += extent.length;
        return PILGRIM_OK;
    }
    if (extent_count == extent_capacity) {
        size_t capacity = extent_capacity * 2 + 16;
        struct spill_extent *more = realloc(extents, capacity * sizeof *extents);
        if (!more)
            return PILGRIM_NOMEM;
        extents = more;
        extent_capacity = capacity;
    }
    extents[extent_count++] = extent;
    return PILGRIM_OK;
}

static void give_up(enum pilgrim_status status)
{
    given_up = true;
    bytes_free(&sections);
    capture_say("%s: %s; times of calls are no longer recorded", spill_file_path(),
                status == PILGRIM_IO ? strerror(errno) : "out of memory");
}

static void write_out(void)
{
    struct spill_extent extent;
    if (!sections.length)
        return;
    enum pilgrim_status status = spill_file_append(&sections, &extent);
    if (status == PILGRIM_OK)
        status = note_extent(extent);
    if (status == PILGRIM_OK) {
        sections.length = 0;
        journal_written(JOURNAL_TIMES, spill_file_length());
    } else {
        give_up(status);
    }
}

static enum pilgrim_status put(uint32_t thread, uint64_t first, const struct bytes *content, const struct bytes *ends)
{
    size_t most = spill_share(), before = sections.length;
    if (given_up)
        return PILGRIM_OK;
    TRY(write_section(thread, first, content, ends, &sections));
    if (most && sections.length > most)
        write_out();
    else
        journal_put(JOURNAL_TIMES, JOURNAL_SECTION, sections.data + before, sections.length - before);
    return PILGRIM_OK;
}

enum pilgrim_status times_sections_put(uint32_t thread, uint64_t first, const struct bytes *content,
                                       const struct bytes *ends)
{
    int error = errno, state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&lock);
    enum pilgrim_status status = put(thread, first, content, ends);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(state, &state);
    errno = error;
    return status;
}

void times_sections_write_out(void)
{
    pthread_mutex_lock(&lock);
    write_out();
    pthread_mutex_unlock(&lock);
}

static void free_compressor(void)
{
    section_write_free(compressor);
    compressor = NULL;
}

void times_sections_forget(void)
{
    pthread_mutex_lock(&lock);
    bytes_free(&sections);
    extent_count = 0;
    free_compressor();
    pthread_mutex_unlock(&lock);
}

/* ---- the end ---- */

bool times_sections_stay(void)
{
    return extent_count || sections.length > TIMES_TRAVEL_BYTES;
}

enum pilgrim_status times_sections_take(struct bytes *to)
{
    bytes_put(to, sections.data, sections.length);
    TRY(bytes_status(to));
    bytes_free(&sections);
    free_compressor();
    return PILGRIM_OK;
}

uint64_t times_sections_bytes(void)
{
    uint64_t total = sections.length;
    for (size_t i = 0; i < extent_count; i++)
        total += extents[i].length;
    return total;
}

enum pilgrim_status times_sections_each(enum pilgrim_status (*use)(void *context, const uint8_t *data, size_t length),
                                        void *context)
{
    struct bytes piece = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (size_t i = 0; status == PILGRIM_OK && i < extent_count; i++) {
        for (uint64_t done = 0; status == PILGRIM_OK && done < extents[i].length; done += piece.length) {
            uint64_t left = extents[i].length - done;
            struct spill_extent location = {extents[i].start + done, left < PIECE_BYTES ? left : PIECE_BYTES};
            piece.length = 0;
            status = spill_file_read(&location, &piece);
            if (status == PILGRIM_OK)
                status = use(context, piece.data, piece.length);
        }
    }
    bytes_free(&piece);
    free_compressor();
    return status == PILGRIM_OK && sections.length ? use(context, sections.data, sections.length) : status;
}
