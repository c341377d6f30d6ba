/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends the recording in MPI_Finalize: makes this process's fragments, gathers those of all processes in rank 0
 * (gather.c), segment by segment, and has rank 0 write the trace. If that fails, each process leaves its fragments in a
 * file, and pilgrim-merge makes the trace from the files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/spare_files.h"
#include "process/times_sections.h"
#include "process/capture.h"
#include "wrap/communicator_calls.h"
#include "gather/gather.h"
#include "process/endings.h"
#include "process/journaling.h"
#include "process/rank_fragment.h"
#include "process/spill_file.h"
#include "gather/result.h"
#include "process/spill.h"
#include "process/clock_sync.h"
#include "gather/write_times.h"
#include "process/frame_symbols.h"
#include "write/paths_writer.h"

enum { LINE_BYTES = 128 };

/* ---- fragment files ---- */

/* Says where the calls are. JOURNAL: where this process keeps its journal; NULL: it keeps none. */
static void say_left(const struct gather_message *state, const char *journal)
{
    const char *folder = spill_file_folder(), *place = folder ? folder : journal;
    const char *scattered = journaling_scattered();
    const char *more = !scattered && journal && strcmp(place, journal) != 0 ? journal : NULL;
    char why[LINE_BYTES] = "";
    if (state->outcome == GATHER_CUT)
        snprintf(why, sizeof why, "rank %d could not record all of its calls; ", (int)state->rank);
    else if (state->outcome == GATHER_NO_FRAGMENT)
        snprintf(why, sizeof why, "calls of rank %d are missing; ", (int)state->rank);
    else if (state->outcome == GATHER_NO_MEMORY)
        snprintf(why, sizeof why, "rank %d has too little memory to merge; ", (int)state->rank);
    else if (state->outcome == GATHER_UNWRITTEN)
        snprintf(why, sizeof why, "the trace could not be written; ");
    else if (state->outcome == GATHER_UNREADABLE)
        snprintf(why, sizeof why, "a shard that rank %d wrote could not be read back; ", (int)state->rank);
    else if (capture.run.merge_limit_s)
        snprintf(why, sizeof why, "the calls of all ranks were not merged within %" PRIu32 " s; ",
                 capture.run.merge_limit_s);
    if (*why || !capture.settings.quiet)
        capture_say("%seach rank leaves its calls in %s%s; make the trace with: %s%s%s%s", why, place,
                    scattered ? " of its machine" : "", scattered ? scattered : "pilgrim-merge ",
                    scattered ? "" : place, more ? " " : "", more ? more : "");
}

/* Puts ENCODED, the process's last segment, and its times at the end of the fragment file. */
static enum pilgrim_status put_last(const struct bytes *encoded)
{
    struct bytes rest = {0};
    struct spill_extent ignored;
    bytes_put(&rest, encoded->data, encoded->length);
    enum pilgrim_status status = times_sections_take(&rest);
    if (status == PILGRIM_OK)
        status = fragment_file_end(&rest);
    if (status == PILGRIM_OK)
        status = spill_file_append(&rest, &ignored);
    bytes_free(&rest);
    return status;
}

/* Leaves this process's fragments in its file. ENCODED is its last segment, or empty if its calls were not recorded to
 * the end, or there is no memory for it. What cannot be written is in the journal, which stays then: returns true. One
 * process prints the line for all. Rank 0 reports its own failure too. */
static bool leave_fragments(const struct gather_message *state, const struct bytes *encoded)
{
    enum pilgrim_status status = encoded->length ? put_last(encoded) : PILGRIM_OK;
    int error = errno;
    bool kept = journal_started() && !journaling_is_damaged() && (status != PILGRIM_OK || !encoded->length);
    bool left = status == PILGRIM_OK || spill_segments() || kept;
    bool first = journal_started() ? left && endings_first_to_say() : spill_file_first();
    const char *journal = kept ? capture_shown(journaling_path()) : NULL;
    if (status != PILGRIM_OK && (first || capture.rank == 0))
        capture_say("%s: %s; the calls of rank %d are %s", spill_file_path(),
                    status == PILGRIM_IO ? strerror(error) : "out of memory", capture.rank,
                    !kept               ? "lost"
                    : journal_was_cut() ? "in its journal as far as that had room"
                                        : "in its journal");
    bool first_to_keep = kept && journaling_is_apart() && journal_first_to_keep();
    if (first && left)
        say_left(state, journal);
    else if (first_to_keep)
        capture_say("calls of rank %d are in %s; give it to pilgrim-merge as well", capture.rank, journal);
    if (!left)
        spill_file_remove(); /* there are only times, which are of no use without calls */
    return kept;
}

/* ---- segments ---- */

static struct fragment *last_fragment(void)
{
    struct fragment *f = rank_fragment_make();
    communicators_end();
    return f;
}

/* Returns the fragment of segment NUMBER of this process. NULL: it could not be read, or memory is short. */
static struct fragment *own_segment_of(uint32_t number)
{
    struct fragment *f = NULL;
    struct bytes encoded = {0};
    if (number == spill_segments())
        return last_fragment();
    if (number > spill_segments())
        return rank_fragment_absence();
    enum pilgrim_status status = spill_read(number, &encoded);
    if (status == PILGRIM_OK)
        status = fragment_decode(encoded.data, encoded.length, &f);
    if (status == PILGRIM_OK)
        status = fragment_drop_process(&f);
    bytes_free(&encoded);
    if (status == PILGRIM_OK)
        return f;
    fragment_free(f);
    return NULL;
}

static bool has_failed(void)
{
    return atomic_load(&capture.off) & OFF_FAILED;
}

/* True if recording stopped, and what was recorded before is there. */
static bool is_cut(void)
{
    return (spill_segments() || journal_started()) && has_failed();
}

/* Notes what came of writing. If the shard could not be read, the fragment is encoded first: a process that is alone
 * has not done so yet. */
static void check_written(struct gather *g, enum pilgrim_status status)
{
    if (status == PILGRIM_DAMAGED && !g->own_encoded.length &&
        fragment_encode(g->fragment, &g->own_encoded) != PILGRIM_OK)
        bytes_free(&g->own_encoded);
    gather_check(g, status);
}

/* Writes the segment, if all fragments came together. In rank 0 only. */
static void write_segment(struct gather *g, struct result *result)
{
    if (g->state.outcome != GATHER_WHOLE) {
        result_cancel(result);
        return;
    }
    enum pilgrim_status status = result_add(result, g->fragment);
    if (status == PILGRIM_OK && !g->more && !g->times_stay)
        status = result_end(result);
    /* Without a journal, the only segment of a trace is given up if it cannot be written: its fragments are not on
     * disk, and could hardly be written there either. */
    if (status == PILGRIM_IO && (g->more || g->times_stay || result->segments > 1 || journal_started()))
        gather_note(g, GATHER_UNWRITTEN, 0);
    else if (status != PILGRIM_IO)
        check_written(g, status);
}

/* Takes part in the gather of segment NUMBER. LAST receives the bytes of this process's last segment, if this is it. */
static void gather_segment(struct gather *g, struct result *result, uint32_t number, bool apart, struct bytes *last)
{
    struct bytes encoded = {0};
    bool cut = is_cut();
    struct fragment *f = cut ? NULL : own_segment_of(number);
    if (f && number == spill_segments() && (number || times_sections_stay()) &&
        fragment_encode(f, &encoded) != PILGRIM_OK)
        bytes_free(&encoded);
    gather_begin(g, f, &encoded, number < spill_segments(), capture.run.merge_limit_s);
    g->times_stay |= times_sections_stay();
    if (cut)
        gather_note(g, GATHER_CUT, capture.rank);
    else if (is_cut() || (f && journal_started() && g->state.outcome == GATHER_NO_FRAGMENT))
        g->state = (struct gather_message){.outcome = GATHER_NO_MEMORY, .rank = capture.rank};
    if (apart)
        gather_note(g, GATHER_LATE, capture.rank);
    else
        gather_up(g);
    if (capture.rank == 0)
        write_segment(g, result);
    if (!apart)
        gather_tell(g);
    if (number == spill_segments())
        bytes_put(last, g->own_encoded.data, g->own_encoded.length);
}

/* Encodes this process's last segment, if the gather ended before its turn. */
static void encode_last(struct bytes *last)
{
    struct fragment *f = is_cut() ? NULL : last_fragment();
    if (f && fragment_encode_last(f, last) != PILGRIM_OK)
        bytes_free(last);
}

void capture_finish(void)
{
    static struct gather g;
    static struct result result;
    struct bytes last = {0};
    bool apart = capture.size > 1 && !capture.run.merge_limit_s;
    uint32_t number = 0;
    clock_sync_end();
    spill_end();
    paths_name_functions(frame_symbols_find);
    for (gather_segment(&g, &result, number, apart, &last); g.state.outcome == GATHER_WHOLE && g.more;) {
        gather_next(&g);
        gather_segment(&g, &result, ++number, apart, &last);
    }
    if (g.state.outcome == GATHER_WHOLE && g.times_stay)
        write_times(&g, &result);
    const struct gather_message *state = &g.state;
    bool kept = false, leaves = state->outcome != GATHER_WHOLE &&
                                (state->outcome != GATHER_NO_FRAGMENT || spill_segments() || journal_started());
    if (leaves && number < spill_segments())
        encode_last(&last);
    leaves = leaves && (last.length || spill_segments() || journal_started());
    if (leaves)
        kept = leave_fragments(state, &last);
    if (!leaves)
        spill_file_remove();
    if (kept || journaling_end())
        spill_file_end();
    if (capture.rank == 0 && state->outcome == GATHER_NO_FRAGMENT && !leaves)
        capture_say("no trace is written: rank %d could not record its calls", (int)state->rank);
    else if (state->outcome == GATHER_NO_MEMORY && !last.length && !kept)
        capture_say("out of memory; no trace is written");
    bytes_free(&last);
    gather_end(&g);
    spare_files_end();
}
