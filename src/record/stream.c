/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording one thread.
 *
 * The terminals of the structure grammar are classes; those of a class's value grammar are its signatures
 * (record/signature.h). In a loop both grammars predict the next call, and nothing is hashed or looked up. Elsewhere
 * each class and each signature remembers what followed it last time.
 *
 * Failed polls have a class of their own, the twin of the class of the polls that succeed at the same site. So a run
 * of failed polls is one symbol with an exponent, whatever the last poll returned. A class is looked up when the call
 * begins. If the call is a failed poll is known when it ends, so either class may be found at first.
 *
 * One file, because a call's class, its terminal and the prediction of the next one belong
 * together. */
#include "record/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "rules/rules.h"
#include "record/stream_inline.h"
#include "record/stream_journal.h"
#include "record/stream_trails.h"
#include "record/texts.h"

/* What a new class may take, without its first call */
enum { CLASS_GROWTH_BYTES = 4096 };

enum { PLAIN_CALL_BYTES = 18 }; /* function 2, start 8, end 8 */

/* The class of no call: its site is no return address. */
static const struct class_head nothing = {.key = {.site = &nothing, .function = UINT32_MAX}};

/* Sets the expected class: the one that the structure grammar predicts in a loop, else the one that followed the
 * last class. */
static void expect(struct stream *s)
{
    const struct sequence *structure = &s->structure;
    const struct stream_class *class = s->last ? s->last->successor : NULL;
    s->predicted = sequence_predicted(structure);
    if (structure->grammar && grammar_in_loop(structure->grammar) && s->predicted->terminal != GRAMMAR_NOTHING)
        class = s->by_terminal[s->predicted->terminal];
    s->head.expected = class ? &class->head : &nothing;
}

struct stream *stream_new(const struct vocabulary *vocabulary, site_resolver *resolve)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->watched = SIZE_MAX;
    s->next = &s->unused;
    s->predecessor = STATISTICS_FIRST;
    s->vocabulary = vocabulary;
    s->resolve = resolve;
    expect(s);
    return s;
}

static void class_free(struct stream_class *class)
{
    signatures_free(&class->signatures);
    statistics_free(&class->statistics);
    free(class->frames);
    free(class->told.data);
    free(class);
}

/* Frees the inherited classes. */
static void free_inherited(struct stream *s)
{
    struct stream_class *class, *next;
    HASH_ITER(hh, s->table, class, next)
    {
        if (class->head.number != CLASS_INHERITED)
            continue;
        HASH_DEL(s->table, class);
        class_free(class);
    }
}

void stream_free(struct stream *s)
{
    if (!s)
        return;
    trails_free(s);
    free_inherited(s);
    HASH_CLEAR(hh, s->table);
    for (uint32_t i = 0; i < s->class_count; i++)
        class_free(s->classes[i]);
    free(s->classes);
    free(s->by_terminal);
    free(s->spans);
    free(s->readings);
    times_free(s->encoder);
    intern_free(&s->chunks);
    intern_free(&s->texts);
    sequence_free(&s->structure);
    free(s);
}

static size_t key_resolve(const struct class_key *key, site_resolver *resolve, struct code_frame *frames)
{
    return key->path ? path_frames(key->path, frames) : resolve(key->site, frames);
}

/* Finds the frames of CLASS. False: no memory. */
static bool class_resolve(struct stream_class *class, site_resolver *resolve)
{
    struct code_frame frames[SITE_FRAMES_MAX];
    size_t count = class->head.key.site ? key_resolve(&class->head.key, resolve, frames) : 0;
    if (!count)
        return true;
    class->frames = malloc(count * sizeof *frames);
    if (!class->frames)
        return false;
    memcpy(class->frames, frames, count * sizeof *frames);
    class->frame_count = (uint32_t)count;
    return true;
}

/* Makes room for one more class index. False: no memory. */
static bool reserve_class(struct stream *s)
{
    if (s->class_count < s->class_capacity)
        return true;
    uint32_t capacity = s->class_capacity * 2 + 16;
    struct stream_class **classes = realloc(s->classes, capacity * sizeof *classes);
    if (!classes)
        return false;
    s->classes = classes;
    s->class_capacity = capacity;
    return true;
}

/* Returns a class of S with KEY, which is in no table yet. NULL: no memory. */
static struct stream_class *class_new(struct stream *s, const struct class_key *key)
{
    struct stream_class *class = reserve_class(s) ? calloc(1, sizeof *class) : NULL;
    if (!class)
        return NULL;
    class->head.key = *key;
    class->head.number = s->class_count;
    class->head.trail = key->path ? &no_trail : NULL;
    class->terminal = NO_TERMINAL;
    return class;
}

static struct stream_class *class_add(struct stream *s, const struct class_key *key)
{
    struct stream_class *class = class_new(s, key);
    if (!class)
        return NULL;
    if (class_resolve(class, s->resolve))
        HASH_ADD(hh, s->table, head.key, sizeof class->head.key, class);
    if (!class->hh.tbl) {
        class_free(class);
        return NULL;
    }
    s->classes[s->class_count++] = class;
    if (s->journal)
        stream_tell_class(s, class);
    return class;
}

/* Gives CLASS, which is inherited, its index in this thread. NULL: no memory. */
static struct stream_class *class_take_over(struct stream *s, struct stream_class *class)
{
    if (!reserve_class(s))
        return NULL;
    class->head.number = s->class_count;
    s->classes[s->class_count++] = class;
    if (s->journal)
        stream_tell_class(s, class);
    return class;
}

/* Adds the twin of CLASS. NULL: no memory. */
static struct stream_class *class_add_twin(struct stream *s, struct stream_class *class)
{
    struct stream_class *twin = class_new(s, &class->head.key);
    if (!twin)
        return NULL;
    if (class->frame_count) {
        twin->frames = malloc(class->frame_count * sizeof *twin->frames);
        if (!twin->frames) {
            class_free(twin);
            return NULL;
        }
        memcpy(twin->frames, class->frames, class->frame_count * sizeof *twin->frames);
        twin->frame_count = class->frame_count;
    }
    twin->head.trail = class->head.trail;
    twin->failed_poll = !class->failed_poll;
    twin->twin = class;
    class->twin = twin;
    s->classes[s->class_count++] = twin;
    return twin;
}

void stream_set_journal(struct stream *s, struct journal_log *log)
{
    s->journal = log;
}

void stream_set_paths(struct stream *s, path_finder *find)
{
    s->find_path = find;
}

/* Returns the class with KEY, which is new or not. NULL: no memory. */
static struct stream_class *class_of(struct stream *s, const struct class_key *key)
{
    struct stream_class *class;
    HASH_FIND(hh, s->table, key, sizeof *key, class);
    if (!class)
        return class_add(s, key);
    return class->head.number == CLASS_INHERITED ? class_take_over(s, class) : class;
}

static bool head_is(const struct class_head *class, uint32_t function, const void *site, const void *frame,
                    bool fortran)
{
    return class_is(class, function, site, fortran) && (!class->trail || path_trail_matches(class->trail, frame));
}

/* Looks up a class that is not the expected one. A path is found by a walk only if it is neither that of the class that
 * followed last time nor a recent one. NULL: no memory. */
static __attribute__((noinline)) struct stream_class *class_search(struct stream *s, uint32_t function,
                                                                   const void *site, const void *frame, bool fortran)
{
    struct stream_class *class = s->last ? s->last->successor : NULL;
    struct class_key key = {.site = site, .function = function, .fortran = fortran};
    const struct path_walk *walk = NULL;
    if (s->find_path && site && frame) {
        if (class && head_is(&class->head, function, site, frame, fortran))
            return class;
        class = trails_find(s, &key, frame);
        if (class)
            return class;
        key.path = s->find_path(site, frame, &walk);
        if (!key.path)
            return NULL;
    }
    class = class_of(s, &key);
    if (class && walk)
        trails_add(s, class, walk);
    return class;
}

const struct class_head *stream_class_head(struct stream *s, uint32_t function, const void *site, const void *frame,
                                           bool fortran)
{
    if (head_is(s->head.expected, function, site, frame, fortran))
        return s->head.expected;
    struct stream_class *class = class_search(s, function, site, frame, fortran);
    if (!class)
        return NULL;
    s->head.expected = &class->head; /* stays right if a run of the class begins */
    return &class->head;
}

const struct class_head *stream_class_inside(struct stream *s, uint32_t function, const void *site,
                                             const struct call_path *path, bool fortran)
{
    const struct class_key key = {.site = site, .path = path, .function = function, .fortran = fortran};
    const struct stream_class *class = class_of(s, &key);
    s->inside = class != NULL;
    return class ? &class->head : NULL;
}

enum pilgrim_status stream_class(struct stream *s, uint32_t function, const void *site, bool fortran, uint32_t *number)
{
    const struct class_head *class = stream_class_head(s, function, site, NULL, fortran);
    if (!class)
        return PILGRIM_NOMEM;
    *number = class->number;
    return PILGRIM_OK;
}

static bool class_moved(const struct stream *s, const struct stream_class *class)
{
    struct code_frame frames[SITE_FRAMES_MAX];
    size_t count = key_resolve(&class->head.key, s->resolve, frames);
    if (count != class->frame_count)
        return true;
    for (size_t i = 0; i < count; i++)
        if (frames[i].module != class->frames[i].module || frames[i].offset != class->frames[i].offset)
            return true;
    return false;
}

void stream_forget_moved(struct stream *s)
{
    struct stream_class *class, *next;
    trails_forget(s);
    HASH_ITER(hh, s->table, class, next)
    {
        if (!class->head.key.site || !class_moved(s, class))
            continue;
        HASH_DELETE(hh, s->table, class);
        class->hh.tbl = NULL;
        if (class->head.number == CLASS_INHERITED) {
            class_free(class);
            continue;
        }
        class->head.key.site = class; /* no return address, so it is not found again */
        if (class->twin)
            class->twin->head.key.site = class;
    }
}

/* Returns the one of CLASS and its twin that is for calls with FAILED_POLL; the twin is added if needed. The first call
 * of a class decides what the class is for. NULL: no memory. */
static struct stream_class *class_of_call(struct stream *s, struct stream_class *class, bool failed_poll)
{
    if (class->failed_poll == failed_poll)
        return class;
    if (class->twin)
        return class->twin;
    if (class->called)
        return class_add_twin(s, class);
    class->failed_poll = failed_poll;
    return class;
}

/* Gives CLASS its terminal: it is called for the first time in this segment. */
static __attribute__((noinline)) enum pilgrim_status terminal_add(struct stream *s, struct stream_class *class)
{
    class->statistics.cells_max = s->times.cells;
    if (s->terminal_count == s->terminal_capacity) {
        uint32_t capacity = s->terminal_capacity * 2 + 16;
        struct stream_class **by_terminal = realloc(s->by_terminal, capacity * sizeof *by_terminal);
        if (!by_terminal)
            return PILGRIM_NOMEM;
        s->by_terminal = by_terminal;
        s->terminal_capacity = capacity;
    }
    class->called = true;
    class->signatures.texts = &s->texts;
    class->terminal = s->terminal_count;
    s->by_terminal[s->terminal_count++] = class;
    s->growth += CLASS_GROWTH_BYTES;
    return PILGRIM_OK;
}

void stream_grow(struct stream *s, size_t bytes)
{
    s->growth += bytes;
    if (__builtin_expect(s->growth >= s->watched, 0)) {
        s->watched = SIZE_MAX;
        s->watcher(s->watcher_context);
    }
}

/* Records a call whose class is not predicted. */
static __attribute__((noinline)) enum pilgrim_status append(struct stream *s, struct stream_class *class,
                                                            bool failed_poll, const void *key, size_t length,
                                                            uint64_t start, uint64_t end)
{
    struct stream_class *asked = class;
    class = class_of_call(s, class, failed_poll);
    if (!class)
        return PILGRIM_NOMEM;
    if (class->terminal == NO_TERMINAL)
        TRY(terminal_add(s, class));
    TRY(signature_append(&class->signatures, &s->chunks, key, length));
    TRY(sequence_append(&s->structure, &s->chunks, class->terminal));
    if (s->journal)
        stream_tell_call(s, asked, class, failed_poll, false, key, length);
    if (s->last)
        s->last->successor = class;
    bool room = stream_count(s, class, length, class->signatures.recorded, start, end);
    expect(s);
    stream_grow(s, stream_growth(length));
    return room ? PILGRIM_OK : stream_settle(s);
}

static void advance(struct stream *s)
{
    grammar_advance(s->structure.grammar);
    if (s->predicted->terminal != GRAMMAR_NOTHING)
        s->head.expected = &s->by_terminal[s->predicted->terminal]->head;
}

static inline enum pilgrim_status turn(struct stream *s, struct stream_class *class)
{
    if (sequence_predicted(&class->signatures.sequence)->left == 0)
        signature_advance(&class->signatures);
    if (s->predicted->left == 0)
        advance(s);
    return s->next != s->full ? PILGRIM_OK : stream_settle(s);
}

static __attribute__((noinline)) enum pilgrim_status turn_varying(struct stream *s, struct stream_class *class)
{
    signature_go_on(&class->signatures);
    stream_grow(s, stream_growth(class->signatures.expected_length));
    return turn(s, class);
}

enum pilgrim_status stream_turn(struct stream *s, const struct class_head *head)
{
    struct stream_class *class = (struct stream_class *)(uintptr_t)head;
    return class->signatures.expected_varies ? turn_varying(s, class) : turn(s, class);
}

enum pilgrim_status stream_append(struct stream *s, uint32_t number, bool failed_poll, const void *key, size_t length,
                                  uint64_t start, uint64_t end)
{
    struct stream_class *class = s->classes[number];
    if (s->predicted->terminal != class->terminal || class->failed_poll != failed_poll)
        return append(s, class, failed_poll, key, length, start, end);
    bool expected = length && !class->signatures.expected_varies && signature_expects(&class->signatures, key, length);
    uint32_t signature = signature_predicted(&class->signatures);
    if (expected) {
        signature_step(&class->signatures);
    } else {
        TRY(signature_append(&class->signatures, &s->chunks, key, length));
        signature = class->signatures.recorded;
        if (s->journal && !class->signatures.foreseen)
            stream_tell_call(s, class, class, failed_poll, true, key, length);
    }
    bool room = stream_count(s, class, length, signature, start, end);
    if (!expected)
        stream_grow(s, stream_growth(length));
    if (!grammar_step(s->structure.grammar))
        advance(s);
    return room ? PILGRIM_OK : stream_settle(s);
}

enum pilgrim_status stream_append_inside(struct stream *s, uint32_t class, bool failed_poll, const void *key,
                                         size_t length, uint64_t now)
{
    uint64_t at = s->last_ticks;
    if (s->step && s->next != s->spans)
        at = ((const struct span *)((const char *)s->next - s->step))->end;
    if (!at)
        at = now;
    s->inside = false;
    return stream_append(s, class, failed_poll, key, length, at, at);
}

/* ---- from a journal ---- */

enum pilgrim_status stream_be_told_class(struct stream *s, const struct told_class *told)
{
    const struct class_key key = {.site = told->site, .function = told->function, .fortran = told->fortran};
    struct stream_class *class;
    if (told->is_twin) {
        class = s->classes[told->twin];
        if (class->twin)
            return PILGRIM_DAMAGED;
        class = class_add_twin(s, class);
    } else {
        class = class_new(s, &key);
        if (class && !class_resolve(class, s->resolve)) {
            class_free(class);
            class = NULL;
        }
        if (class) {
            class->head.key.site = class; /* no return address: it is never looked for */
            s->classes[s->class_count++] = class;
        }
    }
    if (!class)
        return PILGRIM_NOMEM;
    class->failed_poll = told->failed_poll;
    class->called = told->called;
    return PILGRIM_OK;
}

enum pilgrim_status stream_be_told_signature(struct stream *s, struct stream_class *class, bool failed_poll,
                                             uint64_t signature)
{
    const uint32_t *offsets;
    const struct delta_sequence *deltas;
    size_t length = 0;
    const uint8_t *key = NULL;
    class = class_of_call(s, class, failed_poll);
    if (!class)
        return PILGRIM_NOMEM;
    struct signatures *values = &class->signatures;
    if (signature == UINT64_MAX)
        key = signature_foreseen(values, &length);
    else if (signature < values->count && !signature_varying(values, (uint32_t)signature, &offsets, &deltas))
        key = signature_key(values, (uint32_t)signature, &length);
    if (!key)
        return PILGRIM_DAMAGED;
    size_t plain = values->numbered ? texts_plain_length(&s->texts, key, length) : length;
    TRY(signature_append_stored(values, &s->chunks, key, length));
    (void)stream_count(s, class, plain, values->recorded, 0, 0);
    if (s->predicted->terminal != class->terminal) {
        TRY(sequence_append(&s->structure, &s->chunks, class->terminal));
        expect(s);
    } else if (!grammar_step(s->structure.grammar)) {
        advance(s);
    }
    return PILGRIM_OK;
}

/* ---- short memory, segments, threads ---- */

enum pilgrim_status stream_relieve_class(struct stream *s, uint32_t terminal)
{
    struct stream_class *class = s->by_terminal[terminal];
    bool unzipped = false;
    TRY(signatures_relieve(&class->signatures, &s->chunks, &unzipped));
    if (unzipped)
        statistics_join_signatures(&class->statistics);
    return PILGRIM_OK;
}

enum pilgrim_status stream_relieve_structure(struct stream *s)
{
    TRY(sequence_relieve(&s->structure, &s->chunks));
    expect(s);
    return PILGRIM_OK;
}

enum pilgrim_status stream_relieve(struct stream *s, size_t least)
{
    for (uint32_t i = 0; i < s->terminal_count; i++) {
        if (signatures_memory_bytes(&s->by_terminal[i]->signatures) < least)
            continue;
        TRY(stream_relieve_class(s, i));
        if (s->journal)
            stream_tell_relief(s, i);
    }
    if (sequence_memory_bytes(&s->structure) < least)
        return PILGRIM_OK;
    TRY(stream_relieve_structure(s));
    if (s->journal)
        stream_tell_relief(s, GRAMMAR_NOTHING);
    return PILGRIM_OK;
}

void stream_watch(struct stream *s, size_t bytes, void (*watcher)(void *context), void *context)
{
    s->growth = 0;
    s->watched = bytes;
    s->watcher = watcher;
    s->watcher_context = context;
}

uint32_t *stream_class_register(struct stream *s, uint32_t number)
{
    struct stream_class *class = s->classes[number];
    return class->twin && class->twin->head.number < number ? &class->twin->register_number : &class->register_number;
}

static void class_renew(struct stream_class *class, bool again)
{
    if (again)
        signatures_restart(&class->signatures);
    else
        signatures_free(&class->signatures);
    statistics_free(&class->statistics);
    class->terminal = NO_TERMINAL;
    class->register_number = 0;
    class->told.length = 0;
}

/* Forgets all calls. AGAIN: keeps memory for a few calls. */
static void renew(struct stream *s, bool again)
{
    for (uint32_t i = 0; i < s->class_count; i++)
        class_renew(s->classes[i], again);
    s->terminal_count = 0;
    if (again)
        sequence_restart(&s->structure);
    else
        sequence_free(&s->structure);
    expect(s);
    intern_free(&s->chunks);
    intern_free(&s->texts);
    s->key_bytes = 0;
    s->settled = s->told_settled = 0;
    s->predecessor = STATISTICS_FIRST;
    if (s->step)
        s->next = s->spans;
    s->announced = 0;
    if (s->encoder)
        times_renew(s->encoder);
}

void stream_renew(struct stream *s)
{
    renew(s, false);
    if (s->journal)
        stream_tell_begin(s);
}

/* Makes CLASS inherited. It is then as it was when it was made: the next thread decides which of two twins comes
 * first. */
static void class_hand_on(struct stream_class *class)
{
    if (!class->hh.tbl) { /* a twin, or its site has moved */
        class_free(class);
        return;
    }
    class->head.number = CLASS_INHERITED;
    class->successor = class->twin = NULL;
    class->failed_poll = class->called = false;
}

void stream_restart(struct stream *s)
{
    uint32_t count = s->class_count;
    s->last = NULL;
    trails_forget(s);
    renew(s, true);
    s->class_count = 0;
    for (uint32_t i = 0; i < count; i++)
        class_hand_on(s->classes[i]);
    s->last_ticks = s->last_end = s->taken = 0;
    stream_settle_late(s);
    if (s->encoder)
        times_restart(s->encoder);
}

void stream_close(struct stream *s)
{
    trails_free(s);
    free(s->spans);
    times_free(s->encoder);
    s->spans = s->full = NULL;
    s->next = &s->unused;
    s->step = 0;
    s->encoder = NULL;
    s->watched = SIZE_MAX;
}

uint64_t stream_calls(const struct stream *s)
{
    return sequence_length(&s->structure);
}

uint64_t stream_plain_bytes(const struct stream *s)
{
    return stream_calls(s) * PLAIN_CALL_BYTES + s->key_bytes;
}

size_t stream_table_bytes(const struct stream *s)
{
    size_t total = sizeof *s + (s->class_capacity + s->terminal_capacity) * sizeof(struct stream_class *);
    total += s->trail_bytes;
    for (uint32_t i = 0; i < s->class_count; i++)
        total += sizeof(struct stream_class) + s->classes[i]->frame_count * sizeof(struct code_frame);
    return total;
}

size_t stream_memory_bytes(const struct stream *s)
{
    size_t total = stream_table_bytes(s) + sequence_memory_bytes(&s->structure) + intern_memory_bytes(&s->chunks) +
                   intern_memory_bytes(&s->texts) + stream_times_bytes(s);
    for (uint32_t i = 0; i < s->class_count; i++)
        total +=
            signatures_memory_bytes(&s->classes[i]->signatures) + statistics_memory_bytes(&s->classes[i]->statistics);
    return total;
}
