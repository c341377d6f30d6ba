/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections as users write them: names and values of criteria; see pilgrim/analysis.h. */
#include "analysis/selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_timing.h"
#include "analysis/selection_options.h"

enum kind { RANGES, TEXTS, TEXT, SIZE, TIME, FLAG };

const struct selection_option selection_options[SELECT_CRITERIA] = {
    [SELECT_RANK] = {OPTION_RANK},   [SELECT_THREAD] = {OPTION_THREAD}, [SELECT_FUNC] = {OPTION_FUNC},
    [SELECT_SITE] = {OPTION_SITE},   [SELECT_COMM] = {OPTION_COMM},     [SELECT_PEER] = {OPTION_PEER},
    [SELECT_TAG] = {OPTION_TAG},     [SELECT_BYTES] = {OPTION_BYTES},   [SELECT_FAILED] = {OPTION_FAILED},
    [SELECT_PHASE] = {OPTION_PHASE}, [SELECT_LOOP] = {OPTION_LOOP},     [SELECT_ITERATION] = {OPTION_ITERATION},
    [SELECT_CALL] = {OPTION_CALL},   [SELECT_SINCE] = {OPTION_SINCE},   [SELECT_UNTIL] = {OPTION_UNTIL},
};

static const enum kind kinds[SELECT_CRITERIA] = {
    [SELECT_RANK] = RANGES, [SELECT_THREAD] = RANGES, [SELECT_FUNC] = TEXTS,  [SELECT_SITE] = TEXTS,
    [SELECT_COMM] = TEXT,   [SELECT_PEER] = RANGES,   [SELECT_TAG] = RANGES,  [SELECT_BYTES] = SIZE,
    [SELECT_FAILED] = FLAG, [SELECT_PHASE] = TEXT,    [SELECT_LOOP] = RANGES, [SELECT_ITERATION] = RANGES,
    [SELECT_CALL] = RANGES, [SELECT_SINCE] = TIME,    [SELECT_UNTIL] = TIME,
};

static const char *const expected[] = {
    [RANGES] = "numbers and ranges, such as 0,3,8-15",
    [TEXTS] = "names with commas between them",
    [TEXT] = "a name",
    [SIZE] = "a size, such as 4096, 64K or 1M",
    [TIME] = "a time, such as 10s, 10.5s, 250ms, 3us or 17ns",
    [FLAG] = "no value",
};

__attribute__((format(printf, 2, 3))) static enum pilgrim_status invalid(struct pilgrim_error *error,
                                                                         const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return PILGRIM_INVALID;
}

enum pilgrim_status pilgrim_selection_new(struct pilgrim_selection **selection)
{
    if (!selection)
        return PILGRIM_INVALID;
    *selection = calloc(1, sizeof **selection);
    return *selection ? PILGRIM_OK : PILGRIM_NOMEM;
}

static void clear(struct criterion *c)
{
    free(c->ranges);
    free(c->text);
    *c = (struct criterion){0};
}

void pilgrim_selection_free(struct pilgrim_selection *selection)
{
    for (int i = 0; selection && i < SELECT_CRITERIA; i++)
        clear(&selection->criteria[i]);
    free(selection);
}

/* ---- values ---- */

static bool take_number(const char **text, uint64_t *number)
{
    char *after;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoull(*text, &after, 10);
    *text = after;
    return errno == 0;
}

/* False: the text is wrong, or there is no memory: then c->ranges is NULL. */
static bool take_ranges(const char *text, struct criterion *c)
{
    c->ranges = malloc((strlen(text) / 2 + 1) * sizeof *c->ranges);
    while (c->ranges) {
        struct selection_range r;
        if (!take_number(&text, &r.first))
            return false;
        r.last = r.first;
        if (*text == '-' && (text++, !take_number(&text, &r.last)))
            return false;
        if (r.first > r.last)
            return false;
        c->ranges[c->range_count++] = r;
        if (*text == 0)
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

static bool take_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    const char *unit;
    if (!take_number(&text, bytes))
        return false;
    unsigned shift = *text && (unit = strchr(units, *text)) ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*bytes > UINT64_MAX >> shift)
        return false;
    *bytes <<= shift;
    return text[shift > 0] == 0;
}

static bool take_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    uint64_t whole, fraction = 0, parts = 1;
    if (!take_number(&text, &whole))
        return false;
    if (*text == '.') {
        for (text++; *text >= '0' && *text <= '9'; text++)
            if (parts < 1000000000) {
                fraction = fraction * 10 + (uint64_t)(*text - '0');
                parts *= 10;
            }
        if (parts == 1)
            return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, units[i].name) == 0) {
            if (whole >= UINT64_MAX / units[i].ns)
                return false;
            *ns = whole * units[i].ns + fraction * units[i].ns / parts;
            return true;
        }
    return false;
}

/* Sets c->text to VALUE; of TEXTS, appends it with a comma. False: no memory. */
static bool take_text(struct criterion *c, const char *value, bool append)
{
    size_t length = append && c->text ? strlen(c->text) + 1 : 0;
    char *text = realloc(append ? c->text : NULL, length + strlen(value) + 1);
    if (!text)
        return false;
    if (length)
        text[length - 1] = ',';
    strcpy(text + length, value);
    c->text = text;
    return true;
}

enum pilgrim_status pilgrim_selection_add(struct pilgrim_selection *selection, const char *name, const char *value,
                                          struct pilgrim_error *error)
{
    int i = 0;
    if (!selection || !name)
        return PILGRIM_INVALID;
    while (i < SELECT_CRITERIA && strcmp(selection_options[i].name, name) != 0)
        i++;
    if (i == SELECT_CRITERIA)
        return invalid(error, "calls are not selected by '%.100s'", name);
    struct criterion c = {.set = true};
    struct criterion *now = &selection->criteria[i];
    bool good = kinds[i] == FLAG ? !value : value && *value;
    bool memory = true;
    switch (kinds[i]) {
    case FLAG:
        break;
    case RANGES:
        good = good && take_ranges(value, &c);
        memory = good || !value || !*value || c.ranges;
        break;
    case SIZE:
        good = good && take_size(value, &c.number);
        break;
    case TIME:
        good = good && take_time(value, &c.number);
        break;
    default:
        if (good && kinds[i] == TEXTS && now->text && !take_text(&c, now->text, false))
            memory = false;
        memory = !good || (memory && take_text(&c, value, true));
    }
    if (!good || !memory) {
        clear(&c);
        if (!memory)
            return error ? no_memory(error) : PILGRIM_NOMEM;
        return invalid(error, "--%s takes %s, not '%.100s'", name, expected[kinds[i]], value ? value : "");
    }
    clear(now);
    *now = c;
    return PILGRIM_OK;
}

/* ---- questions ---- */

bool selection_has(const struct pilgrim_selection *s, enum criterion_name name)
{
    return s && s->criteria[name].set;
}

const char *selection_name(enum criterion_name name)
{
    return selection_options[name].name;
}

bool pilgrim_selection_has(const struct pilgrim_selection *selection, const char *name)
{
    for (int i = 0; selection && name && i < SELECT_CRITERIA; i++)
        if (strcmp(selection_options[i].name, name) == 0)
            return selection->criteria[i].set;
    return false;
}

bool selection_has_number(const struct pilgrim_selection *s, enum criterion_name name, uint64_t number)
{
    const struct criterion *c = s ? &s->criteria[name] : NULL;
    for (size_t i = 0; c && c->set && i < c->range_count; i++)
        if (number >= c->ranges[i].first && number <= c->ranges[i].last)
            return true;
    return !c || !c->set;
}

bool selection_parts(const char *text, bool (*fits)(void *context, const char *part), void *context)
{
    while (*text) {
        char part[4096];
        size_t length = strcspn(text, ",");
        if (length > 0 && length < sizeof part) {
            memcpy(part, text, length);
            part[length] = 0;
            if (fits(context, part))
                return true;
        }
        text += length + (text[length] == ',');
    }
    return false;
}

struct function_match {
    const char *name;
    bool some, taken, left_out;
};

static bool match_function(void *context, const char *part)
{
    struct function_match *m = context;
    bool exception = *part == '-';
    bool fits = fnmatch(part + exception, m->name, 0) == 0;
    m->some |= !exception;
    m->taken |= fits && !exception;
    m->left_out |= fits && exception;
    return false;
}

bool selection_function_fits(const char *patterns, const char *name)
{
    struct function_match m = {.name = name};
    (void)selection_parts(patterns, match_function, &m);
    return !m.left_out && (m.taken || !m.some);
}

const char *selection_besides(const struct pilgrim_selection *s, const enum criterion_name *allowed, size_t count)
{
    for (int i = 0; i < SELECT_CRITERIA; i++) {
        size_t k = 0;
        while (k < count && allowed[k] != (enum criterion_name)i)
            k++;
        if (k == count && selection_has(s, (enum criterion_name)i))
            return selection_options[i].name;
    }
    return NULL;
}

/* ---- does it fit a trace? ---- */

/* True if some number below COUNT is in the ranges, or there are none. */
static bool reaches(const struct criterion *c, uint64_t count)
{
    for (size_t i = 0; i < c->range_count; i++)
        if (c->ranges[i].first < count)
            return true;
    return !c->set;
}

/* Says that there is no number of WHAT as in C, and that OWNER has COUNT of them, from 0. */
static enum pilgrim_status none(struct pilgrim_error *error, const char *what, const struct criterion *c,
                                const char *owner, uint64_t count)
{
    char wanted[48], has[64];
    const struct selection_range *r = c->ranges;
    snprintf(wanted, sizeof wanted, r->last > r->first ? "%" PRIu64 "-%" PRIu64 : "%" PRIu64, r->first, r->last);
    if (count > 1)
        snprintf(has, sizeof has, "%ss 0-%" PRIu64, what, count - 1);
    else
        snprintf(has, sizeof has, count ? "%s 0 alone" : "no %s", what);
    return invalid(error, "no %s %s: %s %s", what, wanted, owner, has);
}

static enum pilgrim_status check_numbers(const struct pilgrim_selection *s, const struct pilgrim_trace *trace,
                                         struct pilgrim_error *error)
{
    const struct criterion *ranks = &s->criteria[SELECT_RANK], *threads = &s->criteria[SELECT_THREAD],
                           *calls = &s->criteria[SELECT_CALL];
    uint32_t rank_count = pilgrim_rank_count(trace), thread_count = 0;
    uint64_t call_count = 0;
    if (!reaches(ranks, rank_count))
        return none(error, "rank", ranks, "the trace has", rank_count);
    for (uint32_t rank = 0; (threads->set || calls->set) && rank < rank_count; rank++) {
        if (!selection_has_number(s, SELECT_RANK, rank))
            continue;
        uint32_t count = pilgrim_thread_count(trace, rank);
        thread_count = count > thread_count ? count : thread_count;
        for (uint32_t thread = 0; calls->set && thread < count; thread++) {
            uint64_t n = selection_has_number(s, SELECT_THREAD, thread) ? pilgrim_call_count(trace, rank, thread) : 0;
            call_count = n > call_count ? n : call_count;
        }
    }
    const char *owner = ranks->set ? "the chosen ranks have" : "the trace has";
    if (!reaches(threads, thread_count))
        return none(error, "thread", threads, owner, thread_count);
    if (!reaches(calls, call_count))
        return none(error, "call", calls, "the chosen threads have at most", call_count);
    return PILGRIM_OK;
}

/* True if NAMES, with ", " between them, has NAME. */
static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name))
        if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

/* True if a class of the cursor's segment fits the functions; adds the names of others to NAMES, of SIZE bytes. */
static bool segment_fits(const struct pilgrim_cursor *cursor, const char *functions, char *names, size_t size)
{
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    pilgrim_thread_info(cursor, &info);
    for (size_t i = 0; i < info.class_count; i++) {
        if (pilgrim_class_info(cursor, i, &class) != PILGRIM_OK || !class.class_ || class.body)
            continue;
        const char *name = class.class_->function->name;
        const size_t used = strlen(names);
        if (selection_function_fits(functions, name))
            return true;
        if (has_name(names, name) || has_name(names, "..."))
            continue;
        const bool has_room = used + strlen(name) + 8 < size;
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", has_room ? name : "...");
    }
    return false;
}

/* Says that no function fits, if that is certain. */
static enum pilgrim_status check_functions(const struct pilgrim_selection *s, const struct pilgrim_trace *trace,
                                           struct pilgrim_error *error)
{
    const char *functions = s->criteria[SELECT_FUNC].text;
    char names[160] = "";
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank); thread++) {
            struct pilgrim_cursor *cursor;
            if (!selection_has_number(s, SELECT_RANK, rank) || !selection_has_number(s, SELECT_THREAD, thread))
                continue;
            if (pilgrim_cursor_open(trace, rank, thread, &cursor, NULL) != PILGRIM_OK)
                return PILGRIM_OK;
            bool fits = false;
            enum pilgrim_status status;
            do
                fits = segment_fits(cursor, functions, names, sizeof names);
            while (!fits && (status = pilgrim_cursor_next_segment(cursor, NULL)) == PILGRIM_OK);
            pilgrim_cursor_close(cursor);
            if (fits || status != PILGRIM_END)
                return PILGRIM_OK;
        }
    return invalid(error, "--func: no function fits '%.60s'; there are %s", functions, names);
}

enum pilgrim_status pilgrim_selection_check(const struct pilgrim_selection *selection,
                                            const struct pilgrim_trace *trace, struct pilgrim_error *error)
{
    if (!selection || !trace)
        return PILGRIM_INVALID;
    const struct criterion *c = selection->criteria;
    if (c[SELECT_ITERATION].set && !c[SELECT_LOOP].set)
        return invalid(error, "--iteration needs --loop");
    if (c[SELECT_LOOP].set && selection_has_number(selection, SELECT_LOOP, 0))
        return invalid(error, "no loop 0: loops count from 1");
    if (c[SELECT_ITERATION].set && selection_has_number(selection, SELECT_ITERATION, 0))
        return invalid(error, "no iteration 0: iterations count from 1");
    if (c[SELECT_SINCE].set && c[SELECT_UNTIL].set && c[SELECT_SINCE].number >= c[SELECT_UNTIL].number)
        return invalid(error, "--until must be later than --since");
    if (c[SELECT_PEER].set && !reaches(&c[SELECT_PEER], pilgrim_rank_count(trace)))
        return none(error, "rank", &c[SELECT_PEER], "--peer is of a trace that has", pilgrim_rank_count(trace));
    if ((c[SELECT_SINCE].set || c[SELECT_UNTIL].set) && !calls_have_times(trace))
        return invalid(error, "--%s needs times of calls: record with PILGRIM_TIMING=bins or exact",
                       c[SELECT_SINCE].set ? "since" : "until");
    enum pilgrim_status status = check_numbers(selection, trace, error);
    return status == PILGRIM_OK && c[SELECT_FUNC].set ? check_functions(selection, trace, error) : status;
}
