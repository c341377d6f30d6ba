/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses waits; see waits_choice.h. Each thread has a selector of its own, as all are read at once. */
#include "waits_choice.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/analysis_errors.h"
#include "analysis/selector.h"

struct waits_choice {
    struct wait_choice choice;
    const struct pilgrim_trace *trace;
    const struct pilgrim_selection *selection;
    struct source_lines *lines;
    uint32_t *first_thread; /* by rank */
    struct selector **selectors;
    uint32_t rank_count, thread_count;
    bool needs_all;             /* calls that cannot wait are asked, too */
    enum pilgrim_status status; /* the first error */
    struct pilgrim_error error;
};

/* True if NAME is the pattern's, with - or blanks between its words. */
static bool is_named(enum wait_pattern pattern, const char *name, size_t length)
{
    const char *text = wait_pattern_name(pattern);
    for (size_t i = 0; i < length; i++)
        if (!text[i] || (name[i] == '-' ? ' ' : name[i]) != text[i])
            return false;
    return !text[length];
}

bool waits_take_patterns(const char *text, bool patterns[WAIT_PATTERNS], const char **wrong)
{
    memset(patterns, 0, WAIT_PATTERNS * sizeof *patterns);
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        int pattern = 0;
        while (pattern < WAIT_PATTERNS && !is_named((enum wait_pattern)pattern, text, length))
            pattern++;
        *wrong = text;
        if (pattern == WAIT_PATTERNS)
            return false;
        patterns[pattern] = true;
        text += length;
        if (!*text)
            return true;
    }
}

/* Keeps the first error. false: no memory */
static bool keep_error(struct waits_choice *c, enum pilgrim_status status, const struct pilgrim_error *error)
{
    if (c->status == PILGRIM_OK) {
        c->status = status;
        c->error = *error;
    }
    return status != PILGRIM_NOMEM;
}

/* Sets *FITS if waits of a call are wanted. false: no memory */
static bool take_call(void *context, const struct match_seen *seen, bool *fits)
{
    struct waits_choice *c = context;
    struct pilgrim_error error;
    *fits = selection_has_number(c->selection, SELECT_RANK, seen->rank) &&
            selection_has_number(c->selection, SELECT_THREAD, seen->thread) && c->status == PILGRIM_OK;
    if (!*fits || (!seen->record && !c->needs_all))
        return true;
    struct selector **selector = &c->selectors[c->first_thread[seen->rank] + seen->thread];
    enum pilgrim_status status = PILGRIM_OK;
    if (!*selector) {
        if (!(*selector = selector_new(c->trace, c->selection, c->lines)))
            return false;
        status = selector_begin(*selector, seen->rank, seen->thread, &error);
    }
    if (status == PILGRIM_OK)
        status = selector_take(*selector, seen->call, seen->segment, fits, &error);
    *fits = *fits && status == PILGRIM_OK;
    return status == PILGRIM_OK || keep_error(c, status, &error);
}

struct waits_choice *waits_choice_new(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                                      const bool *patterns, struct source_lines *lines)
{
    struct waits_choice *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct waits_choice){.choice = {.context = c, .call = selection ? take_call : NULL},
                               .trace = trace,
                               .selection = selection,
                               .lines = lines,
                               .rank_count = pilgrim_rank_count(trace),
                               .needs_all = selection_has(selection, SELECT_PEER) ||
                                            selection_has(selection, SELECT_BYTES) ||
                                            selection_has(selection, SELECT_PHASE)};
    for (int i = 0; i < WAIT_PATTERNS; i++)
        c->choice.patterns[i] = !patterns || patterns[i];
    c->first_thread = calloc((size_t)c->rank_count + 1, sizeof *c->first_thread);
    for (uint32_t rank = 0; rank < c->rank_count && c->first_thread; rank++) {
        c->first_thread[rank] = c->thread_count;
        c->thread_count += pilgrim_thread_count(trace, rank);
    }
    c->selectors = calloc((size_t)c->thread_count + 1, sizeof(struct selector *));
    if (c->first_thread && c->selectors)
        return c;
    waits_choice_free(c);
    return NULL;
}

void waits_choice_free(struct waits_choice *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; c->selectors && i < c->thread_count; i++)
        selector_free(c->selectors[i]);
    free(c->selectors);
    free(c->first_thread);
    free(c);
}

const struct wait_choice *waits_choice_of(const struct waits_choice *c)
{
    return c ? &c->choice : NULL;
}

enum pilgrim_status waits_choice_end(const struct waits_choice *c, struct pilgrim_error *error)
{
    struct pilgrim_error nothing = {.status = PILGRIM_OK};
    if (!c || !c->selection)
        return PILGRIM_OK;
    if (c->status != PILGRIM_OK) {
        *error = c->error;
        return c->status;
    }
    for (uint32_t i = 0; i < c->thread_count; i++) {
        struct pilgrim_error found;
        if (!c->selectors[i])
            continue;
        if (selector_end(c->selectors[i], &found) == PILGRIM_OK && selector_chose(c->selectors[i], &found))
            return PILGRIM_OK;
        nothing = nothing.status == PILGRIM_OK ? found : nothing;
    }
    if (nothing.status == PILGRIM_OK)
        return PILGRIM_OK;
    *error = nothing;
    return PILGRIM_INVALID;
}
