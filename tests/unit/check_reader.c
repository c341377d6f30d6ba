/* The reader: it gives back what was recorded, value by value; and no bytes whatever bring it down. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/value.h"
#include "format/section.h"
#include "format/trace_file.h"
#include "merge/fragment.h"
#include "merge/stream.h"
#include "pilgrim/reader.h"
#include "reader/trace.h"

enum { RANKS = 7, SITES = 12, CALLS = 60, VIEWS = 2, DEPTH = 4, FUNCTIONS = 4 };

static const struct parameter_descriptor process_parameters[] = {{"views_rank", DIRECTION_IN},
                                                                 {"views_size", DIRECTION_IN}};
static const struct parameter_descriptor parameters[] = {
    {"in", DIRECTION_IN}, {"inout", DIRECTION_INOUT}, {"out", DIRECTION_OUT}};
static const struct function_descriptor functions[FUNCTIONS] = {
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE},
    {"MPI_One", parameters, 3, RETURNS_ERROR_CODE},
    {"MPI_Two", parameters, 2, RETURNS_VALUE},
    {"MPI_Three", NULL, 0, RETURNS_ERROR_CODE},
};
static const char *const names[] = {"comm", "MPI_INT", "MPI_MODE_CREATE"};
static const struct vocabulary vocabulary = {functions, FUNCTIONS, names, 3};
static const char sites[SITES];

static const char *resolve(const void *site, uint64_t *offset)
{
    *offset = (uint64_t)((const char *)site - sites) * 0x1001;
    return *offset ? "program" : NULL;
}

static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* ---- keys, the same on all ranks but for their slots ---- */

static void put_slot(struct bytes *b, uint8_t tag, unsigned rank)
{
    int64_t base = (int64_t)(draw() % 1000) - 500;
    switch (draw() % 8) {
    case 0:
        base += rank;
        break;
    case 1:
        base += (int64_t)(rank * rank % 5);
        break;
    case 2:
        base = (int64_t)((uint64_t)base + rank / 3 * UINT64_C(0x4000000000000000));
        break;
    default:
        break;
    }
    bytes_put_u64(b, tag == VALUE_BOOL ? (uint64_t)(base & 1) : (uint64_t)base);
}

static void put_text(struct bytes *b)
{
    uint32_t length = (uint32_t)(draw() % 6);
    bytes_put_u32(b, length);
    for (uint32_t i = 0; i < length; i++)
        bytes_put_u8(b, (uint8_t)(draw() % 4 ? 'a' + draw() % 26 : draw()));
}

static void put_value(struct bytes *b, unsigned rank, unsigned depth, bool flag)
{
    uint8_t tag = (uint8_t)(flag ? VALUE_NAME + draw() % 2 : VALUE_NONE + draw() % (VALUE_TAG_COUNT - VALUE_NONE));
    unsigned items = 0;
    if (depth >= DEPTH && (tag == VALUE_ARRAY || tag == VALUE_STATUS || tag == VALUE_FLAGS || tag == VALUE_VIEW))
        tag = VALUE_RANK;
    bytes_put_u8(b, tag);
    if (tag == VALUE_NAME || tag == VALUE_OBJECT) {
        bytes_put_u8(b, (uint8_t)(draw() % 3));
        bytes_put_u8(b, 0);
    } else if (tag == VALUE_STRING || tag == VALUE_SYMBOL) {
        put_text(b);
    } else if (tag == VALUE_ARRAY || tag == VALUE_FLAGS) {
        items = (unsigned)(draw() % 5);
        bytes_put_u32(b, items);
    } else if (tag == VALUE_STATUS) {
        uint8_t bits = draw() & 3;
        bytes_put_u8(b, bits);
        items = bits & STATUS_ERROR ? 5 : 4;
    } else if (tag == VALUE_VIEW) {
        bytes_put_u64(b, draw() % VIEWS);
        items = 1;
    }
    for (unsigned i = 0; i < value_slots(tag) && tag != VALUE_VIEW; i++)
        put_slot(b, tag, rank);
    for (unsigned i = 0; i < items; i++)
        put_value(b, rank, depth + 1, tag == VALUE_FLAGS);
}

/* Call I of thread THREAD of RANK: its class's function and site, and its values. */
static void make_call(unsigned rank, unsigned thread, unsigned i, uint32_t *function, unsigned *site, struct bytes *key)
{
    /* Ranks 5 and 6 go another way than the others. */
    unsigned kind = rank < 5 ? i % 6 : (i * i) % 7;
    state = 0x9e3779b97f4a7c15u * (kind + 1 + thread * 64 + (i % 3) * 1024);
    draw();
    *site = (kind + thread * 5) % SITES;
    *function = 1 + *site % 3;
    const struct function_descriptor *f = &functions[*function];
    key->length = 0;
    for (unsigned direction = DIRECTION_IN; direction <= DIRECTION_OUT; direction++)
        for (unsigned p = 0; p < f->parameter_count; p++)
            if (f->parameters[p].direction & direction)
                put_value(key, rank, 1, false);
    put_value(key, rank, 1, false);
}

static unsigned threads_of(unsigned rank)
{
    return rank == 3 ? 0 : rank == 4 ? 3 : 1;
}

static unsigned calls_of(unsigned rank, unsigned thread)
{
    return (unsigned)CALLS + (rank > 4) + thread;
}

static void append(struct stream *s, uint32_t function, unsigned site, const struct bytes *key)
{
    uint32_t class;
    if (stream_class(s, function, sites + site, &class) != PILGRIM_OK ||
        stream_append(s, class, key->data, key->length, 50 + site) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
}

static void view_of(unsigned rank, unsigned view, int64_t *own, int64_t *size)
{
    *size = view ? 3 : RANKS;
    *own = rank % *size;
}

static struct stream *process_stream(unsigned rank)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    for (int side = 0; side < 2; side++) {
        bytes_put_u8(&key, VALUE_ARRAY);
        bytes_put_u32(&key, VIEWS);
        for (unsigned v = 0; v < VIEWS; v++) {
            int64_t own, size;
            view_of(rank, v, &own, &size);
            bytes_put_u8(&key, VALUE_INT);
            bytes_put_u64(&key, (uint64_t)(side ? size : own));
        }
    }
    bytes_put_u8(&key, VALUE_NONE);
    append(s, 0, 0, &key);
    bytes_free(&key);
    return s;
}

static void make_trace(struct bytes *out)
{
    struct fragment *f = fragment_new(0);
    struct bytes key = {0};
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct stream *process = process_stream(rank), *threads[3];
        for (unsigned t = 0; t < threads_of(rank); t++) {
            threads[t] = stream_new(&vocabulary, resolve);
            for (unsigned i = 0; i < calls_of(rank, t); i++) {
                uint32_t function;
                unsigned site;
                make_call(rank, t, i, &function, &site, &key);
                append(threads[t], function, site, &key);
            }
        }
        ck_assert_int_eq(fragment_add_rank(f, process, (const struct stream *const *)threads, threads_of(rank)), PILGRIM_OK);
        stream_free(process);
        for (unsigned t = 0; t < threads_of(rank); t++)
            stream_free(threads[t]);
    }
    ck_assert_int_eq(fragment_set_property(f, "program", "check_reader"), PILGRIM_OK);
    ck_assert_int_eq(fragment_write(f, true, out), PILGRIM_OK);
    fragment_free(f);
    bytes_free(&key);
}

/* ---- what comes back ---- */

struct expected {
    struct cursor key;
    unsigned rank, view;
};

static int64_t slot(struct expected *e)
{
    return (int64_t)cursor_u64(&e->key);
}

static void check_name(struct expected *e, const struct pilgrim_value *v)
{
    uint8_t low = cursor_u8(&e->key);
    cursor_u8(&e->key);
    ck_assert_str_eq(v->text, names[low]);
    ck_assert_uint_eq(v->length, strlen(names[low]));
}

static void check_value(struct expected *e, const struct pilgrim_value *v);

static void check_items(struct expected *e, const struct pilgrim_value *v, size_t count)
{
    ck_assert_uint_eq(v->count, count);
    for (size_t i = 0; i < count; i++)
        check_value(e, &v->items[i]);
}

static void check_rank(struct expected *e, const struct pilgrim_value *v)
{
    int64_t own, size, relative = slot(e);
    view_of(e->rank, e->view, &own, &size);
    ck_assert_int_eq(v->relative, relative);
    __int128 sum = (__int128)relative + own;
    ck_assert_int_eq(v->integer, (int64_t)((sum % size + size) % size));
}

static void check_value(struct expected *e, const struct pilgrim_value *v)
{
    uint8_t tag = cursor_u8(&e->key);
    uint32_t length;
    int64_t bits;
    switch (tag) {
    case VALUE_NONE:
        ck_assert_int_eq(v->type, PILGRIM_NONE);
        break;
    case VALUE_NAME:
        ck_assert_int_eq(v->type, PILGRIM_NAME);
        check_name(e, v);
        break;
    case VALUE_INT:
    case VALUE_BOOL:
        ck_assert_int_eq(v->type, tag == VALUE_INT ? PILGRIM_INT : PILGRIM_BOOL);
        ck_assert_int_eq(v->integer, slot(e));
        break;
    case VALUE_REAL:
        ck_assert_int_eq(v->type, PILGRIM_REAL);
        bits = slot(e);
        ck_assert_mem_eq(&v->real, &bits, 8);
        break;
    case VALUE_RANK:
        ck_assert_int_eq(v->type, PILGRIM_RANK);
        check_rank(e, v);
        break;
    case VALUE_VIEW:
        e->view = (unsigned)slot(e);
        check_value(e, v);
        break;
    case VALUE_OBJECT:
        ck_assert_int_eq(v->type, PILGRIM_OBJECT);
        check_name(e, v);
        ck_assert_int_eq(v->id, slot(e));
        break;
    case VALUE_REQUEST:
    case VALUE_HEAP:
    case VALUE_STATIC:
        ck_assert_int_eq(v->type, tag == VALUE_REQUEST ? PILGRIM_REQUEST : tag == VALUE_HEAP ? PILGRIM_HEAP : PILGRIM_STATIC);
        ck_assert_int_eq(v->id, slot(e));
        ck_assert_int_eq(v->offset, slot(e));
        break;
    case VALUE_STACK:
    case VALUE_FUNCTION:
        ck_assert_int_eq(v->type, tag == VALUE_STACK ? PILGRIM_STACK : PILGRIM_FUNCTION);
        ck_assert_int_eq(v->id, slot(e));
        break;
    case VALUE_DEVICE:
        ck_assert_int_eq(v->type, PILGRIM_DEVICE);
        ck_assert_int_eq(v->device, slot(e));
        ck_assert_int_eq(v->id, slot(e));
        ck_assert_int_eq(v->offset, slot(e));
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        ck_assert_int_eq(v->type, tag == VALUE_STRING ? PILGRIM_STRING : PILGRIM_SYMBOL);
        length = cursor_u32(&e->key);
        ck_assert_uint_eq(v->length, length);
        ck_assert(length == 0 || memcmp(v->text, cursor_take(&e->key, length), length) == 0);
        ck_assert_int_eq(v->text[length], 0);
        break;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        ck_assert_int_eq(v->type, tag == VALUE_ARRAY ? PILGRIM_ARRAY : PILGRIM_FLAGS);
        check_items(e, v, cursor_u32(&e->key));
        break;
    case VALUE_STATUS:
        ck_assert_int_eq(v->type, PILGRIM_STATUS);
        length = cursor_u8(&e->key);
        ck_assert_int_eq(v->ignored, length & STATUS_IGNORED);
        check_items(e, v, length & STATUS_ERROR ? 5 : 4);
        break;
    default:
        ck_abort_msg("the test made a tag %u", tag);
    }
}

static void check_call(const struct pilgrim_call *call, unsigned rank, unsigned thread, unsigned i)
{
    uint32_t function;
    unsigned site;
    struct bytes key = {0};
    make_call(rank, thread, i, &function, &site, &key);
    const struct function_descriptor *f = &functions[function];
    ck_assert_uint_eq(call->rank, rank);
    ck_assert_uint_eq(call->thread, thread);
    ck_assert_uint_eq(call->seq, i);
    ck_assert_str_eq(call->function->name, f->name);
    ck_assert_uint_eq(call->function->parameter_count, f->parameter_count);
    ck_assert_int_eq(call->function->returns_error_code, f->returns == RETURNS_ERROR_CODE);
    ck_assert(call->class_->function == call->function);
    if (site) {
        ck_assert_str_eq(call->class_->module, "program");
        ck_assert_uint_eq(call->class_->offset, site * 0x1001);
    } else {
        ck_assert_ptr_null(call->class_->module);
    }
    struct expected e = {.rank = rank};
    cursor_init(&e.key, key.data, key.length);
    for (unsigned direction = DIRECTION_IN; direction <= DIRECTION_OUT; direction++)
        for (unsigned p = 0; p < f->parameter_count; p++) {
            const struct pilgrim_value *v = direction == DIRECTION_IN ? &call->in[p] : &call->out[p];
            ck_assert_str_eq(call->function->parameters[p].name, f->parameters[p].name);
            if (f->parameters[p].direction & direction)
                check_value(&e, v);
            else
                ck_assert_int_eq(v->type, PILGRIM_NONE);
        }
    check_value(&e, &call->ret);
    ck_assert_uint_eq(cursor_left(&e.key), 0);
    bytes_free(&key);
}

static struct pilgrim_trace *load(const struct bytes *file)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    ck_assert_msg(trace_load(file->data, file->length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    ck_assert_int_eq(error.status, PILGRIM_OK);
    return trace;
}

START_TEST(calls_come_back)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_call call;
    ck_assert_uint_eq(pilgrim_rank_count(trace), RANKS);
    ck_assert_str_eq(pilgrim_property(trace, "program"), "check_reader");
    ck_assert_ptr_null(pilgrim_property(trace, "programs"));
    for (unsigned rank = 0; rank < RANKS; rank++) {
        ck_assert_uint_eq(pilgrim_thread_count(trace, rank), threads_of(rank));
        for (unsigned t = 0; t < threads_of(rank); t++) {
            struct pilgrim_cursor *cursor;
            ck_assert_int_eq(pilgrim_cursor_open(trace, rank, t, &cursor, &error), PILGRIM_OK);
            unsigned count = calls_of(rank, t);
            ck_assert_uint_eq(pilgrim_call_count(trace, rank, t), count);
            for (unsigned i = 0; i < count; i++) {
                ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_OK);
                check_call(&call, rank, t, i);
            }
            ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
            pilgrim_cursor_close(cursor);
        }
    }
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

START_TEST(cursors_skip)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_call call;
    for (unsigned skip = 1; skip < CALLS + 2; skip++) {
        struct pilgrim_cursor *cursor;
        ck_assert_int_eq(pilgrim_cursor_open(trace, 6, 0, &cursor, &error), PILGRIM_OK);
        for (unsigned i = 0; i < calls_of(6, 0); i += skip + 1) {
            ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_OK);
            check_call(&call, 6, 0, i);
            ck_assert_int_eq(pilgrim_cursor_skip(cursor, skip), PILGRIM_OK);
        }
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
    bytes_free(&file);
}
END_TEST

START_TEST(what_does_not_exist)
{
    struct bytes file = {0};
    make_trace(&file);
    struct pilgrim_trace *trace = load(&file);
    struct pilgrim_error error;
    struct pilgrim_call call;
    struct pilgrim_cursor *cursor;
    struct pilgrim_thread_info thread;
    struct pilgrim_class_info class;
    static const uint32_t nowhere[][2] = {{3, 0}, {0, 1}, {RANKS, 0}, {UINT32_MAX, UINT32_MAX}};
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(pilgrim_cursor_open(trace, nowhere[i][0], nowhere[i][1], &cursor, &error), PILGRIM_INVALID);
        ck_assert_ptr_null(cursor);
        ck_assert_int_eq(pilgrim_thread_info(trace, nowhere[i][0], nowhere[i][1], &thread), PILGRIM_INVALID);
        ck_assert_uint_eq(pilgrim_call_count(trace, nowhere[i][0], nowhere[i][1]), 0);
    }
    ck_assert_int_eq(pilgrim_thread_info(trace, 0, 0, &thread), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_class_info(trace, 0, 0, thread.class_count, &class), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_class_info(trace, 0, 0, 0, &class), PILGRIM_OK);
    ck_assert(class.timed && class.min_ns <= class.mean_ns && class.mean_ns <= class.max_ns && class.min_ns >= 50);
    ck_assert_int_eq(pilgrim_cursor_open(trace, 0, 0, &cursor, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_signature(cursor, 0, class.signature_count, &call, &error), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_signature(cursor, thread.class_count, 0, &call, &error), PILGRIM_INVALID);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    ck_assert_int_eq(pilgrim_open("/nowhere/to/be/found", &trace, &error), PILGRIM_IO);
    ck_assert_ptr_null(trace);
    bytes_free(&file);
}
END_TEST

/* ---- hostile bytes ---- */

static uint64_t touched;

static void touch(const struct pilgrim_value *v)
{
    touched += (uint64_t)v->integer + (uint64_t)v->id + (uint64_t)v->offset;
    for (size_t i = 0; v->text && i < v->length; i++)
        touched += (uint8_t)v->text[i];
    for (size_t i = 0; i < v->count; i++)
        touch(&v->items[i]);
}

static void touch_call(const struct pilgrim_call *call)
{
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        touch(&call->in[i]);
        touch(&call->out[i]);
        touched += strlen(call->function->parameters[i].name);
    }
    touch(&call->ret);
    touched += call->class_->module ? strlen(call->class_->module) : 0;
}

static void walk_thread(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct pilgrim_call call;
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, &error);
    ck_assert(status == PILGRIM_OK || status == PILGRIM_DAMAGED);
    if (status != PILGRIM_OK)
        return;
    for (unsigned i = 0; i < 2 * CALLS && status == PILGRIM_OK; i++) {
        status = pilgrim_cursor_next(cursor, &call, &error);
        ck_assert(status == PILGRIM_OK || status == PILGRIM_DAMAGED || status == PILGRIM_END);
        if (status == PILGRIM_OK)
            touch_call(&call);
    }
    ck_assert_int_eq(pilgrim_thread_info(trace, rank, thread, &info), PILGRIM_OK);
    for (uint32_t r = 0; r < pilgrim_grammar_rules(info.structure); r++)
        for (size_t i = 0; i < pilgrim_grammar_symbols(info.structure, r); i++)
            touched += pilgrim_grammar_symbol(info.structure, r, i).exponent;
    for (size_t c = 0; c < info.class_count && c < 64; c++) {
        ck_assert_int_eq(pilgrim_class_info(trace, rank, thread, c, &class), PILGRIM_OK);
        for (size_t s = 0; s < class.signature_count && s < 64; s++)
            if (pilgrim_signature(cursor, c, s, &call, &error) == PILGRIM_OK)
                touch_call(&call);
    }
    pilgrim_cursor_close(cursor);
}

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
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && rank < RANKS; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank) && thread < 3; thread++)
            walk_thread(trace, rank, thread);
    pilgrim_close(trace);
    return error.status;
}

#define MEMORY_MAX_MB 24ul

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=24";
}
#endif

/* From here on memory is short, so that a reader that wants too much of it gets none: walk() takes that for a failure.
 * The sanitizer's build has its own limit, on one allocation. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (MEMORY_MAX_MB << 20);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
#endif
}

START_TEST(every_truncation)
{
    struct bytes file = {0};
    make_trace(&file);
    limit_memory();
    for (size_t length = 0; length < file.length; length++) {
        enum pilgrim_status status = walk(file.data, length);
        ck_assert_int_eq(status, length == 0 ? PILGRIM_NOT_TRACE : PILGRIM_TRUNCATED);
    }
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    bytes_put_u8(&file, 0);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_DAMAGED);
    bytes_free(&file);
}
END_TEST

START_TEST(every_byte_changed)
{
    struct bytes file = {0};
    make_trace(&file);
    limit_memory();
    for (size_t i = 0; i < file.length; i++) {
        static const uint8_t changes[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff, 0x7f};
        for (size_t k = 0; k < sizeof changes; k++) {
            file.data[i] ^= changes[k];
            ck_assert_int_ne(walk(file.data, file.length), PILGRIM_OK);
            file.data[i] ^= changes[k];
        }
    }
    bytes_free(&file);
}
END_TEST

/* The sections' contents, so that their bytes can be changed under a right checksum. */
static unsigned contents_of(const struct bytes *file, struct bytes *contents)
{
    struct cursor in;
    struct section section;
    unsigned count = 0;
    cursor_init(&in, file->data, file->length);
    cursor_take(&in, sizeof trace_magic + 2);
    while (section_read(&in, &section) == PILGRIM_OK && section.type != SECTION_END) {
        contents[section.type] = (struct bytes){0};
        ck_assert_int_eq(section_content(&section, &contents[section.type]), PILGRIM_OK);
        count++;
    }
    return count;
}

static void put_together(const struct bytes *contents, struct bytes *file)
{
    static const struct bytes nothing = {0};
    file->length = 0;
    bytes_put(file, trace_magic, sizeof trace_magic);
    bytes_put_u8(file, TRACE_VERSION);
    bytes_put_u8(file, 0);
    for (uint8_t type = SECTION_DEFINITIONS; type < SECTION_TYPE_COUNT; type++)
        ck_assert_int_eq(section_write(file, type, &contents[type]), PILGRIM_OK);
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

/* One in SHARDS of the changes, each in a process of its own. */
enum { SHARDS = 4, MUTATIONS = 3000 };

START_TEST(contents_changed)
{
    struct bytes file = {0}, contents[SECTION_TYPE_COUNT] = {{0}};
    unsigned opened = 0;
    make_trace(&file);
    ck_assert_uint_eq(contents_of(&file, contents), 4);
    put_together(contents, &file);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    state = 0x1234567 + (uint64_t)_i;
    limit_memory();
    for (unsigned i = 0; i < MUTATIONS; i++) {
        unsigned type = SECTION_DEFINITIONS + (unsigned)(draw() % 4);
        struct bytes kept = contents[type];
        uint8_t *copy = malloc(kept.length);
        memcpy(copy, kept.data, kept.length);
        uint64_t after = draw();
        mutate(&contents[type]);
        put_together(contents, &file);
        enum pilgrim_status status = walk(file.data, file.length);
        opened += status == PILGRIM_OK;
        memcpy(kept.data, copy, kept.length);
        contents[type] = kept;
        free(copy);
        state = after;
    }
    /* Otherwise nothing behind the tables' checks was reached. */
    ck_assert_uint_gt(opened, MUTATIONS / 50);
    for (unsigned type = 0; type < SECTION_TYPE_COUNT; type++)
        bytes_free(&contents[type]);
    bytes_free(&file);
}
END_TEST

START_TEST(versions)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    make_trace(&file);
    file.data[8] = 2;
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_VERSION);
    ck_assert_ptr_nonnull(strstr(error.message, "version 2"));
    ck_assert_int_eq(trace_load("#!/bin/sh\n", 10, &trace, &error), PILGRIM_NOT_TRACE);
    bytes_free(&file);
}
END_TEST

/* Damage behind the values leaves the calls readable. */
START_TEST(calls_without_times)
{
    struct bytes file = {0}, contents[SECTION_TYPE_COUNT] = {{0}};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct pilgrim_class_info class;
    make_trace(&file);
    contents_of(&file, contents);
    contents[SECTION_TIMES].data[1] = 0xff;
    put_together(contents, &file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
    ck_assert_ptr_nonnull(strstr(error.message, "times"));
    ck_assert_uint_eq(pilgrim_call_count(trace, 0, 0), calls_of(0, 0));
    ck_assert_int_eq(pilgrim_class_info(trace, 0, 0, 0, &class), PILGRIM_OK);
    ck_assert(!class.timed);
    pilgrim_close(trace);
    for (unsigned type = 0; type < SECTION_TYPE_COUNT; type++)
        bytes_free(&contents[type]);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reader");
    TCase *tests = tcase_create("reader");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, calls_come_back);
    tcase_add_test(tests, cursors_skip);
    tcase_add_test(tests, what_does_not_exist);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, calls_without_times);
    tcase_add_test(tests, every_truncation);
    tcase_add_test(tests, every_byte_changed);
    tcase_add_loop_test(tests, contents_changed, 0, SHARDS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
