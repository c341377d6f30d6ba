/* Opening: header, sections in their order, each checked and parsed before the next is looked at. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/section.h"
#include "reader/trace.h"

#define HEADER_BYTES (sizeof trace_magic + 2)
#define READ_BYTES (1u << 16)

/* Tables are larger than the bytes they come from, and contents larger than what is stored for them; a trace that
 * Pilgrim wrote stays far below this. */
#define BUDGET_BASE (UINT64_C(32) << 20)
#define BUDGET_RATIO 2048

/* One call may have an array for each rank of a large run, regular enough to take a few bytes. */
#define CALL_BUDGET_BASE (UINT64_C(256) << 20)

#define STEPS_BASE (UINT64_C(64) << 20)
#define STEPS_RATIO 2048

static const char *const section_names[SECTION_TYPE_COUNT] = {"end", "definitions", "calls", "times"};

static void (*const section_parse[SECTION_TYPE_COUNT])(struct parser *) = {
    [SECTION_DEFINITIONS] = definitions_parse,
    [SECTION_CALLS] = calls_parse,
    [SECTION_TIMES] = times_parse,
};

static enum pilgrim_status check_header(struct cursor *file, struct pilgrim_error *error)
{
    size_t known = file->length < sizeof trace_magic ? file->length : sizeof trace_magic;
    if (known == 0)
        return trace_error(error, PILGRIM_NOT_TRACE, 0, "not a Pilgrim trace: the file is empty (byte 0)");
    if (memcmp(file->data, trace_magic, known) != 0)
        return trace_error(error, PILGRIM_NOT_TRACE, 0, "not a Pilgrim trace (byte 0)");
    if (file->length < HEADER_BYTES)
        return trace_error(error, PILGRIM_TRUNCATED, file->length, "truncated at byte %zu, in its header", file->length);
    unsigned version = file->data[sizeof trace_magic] | (unsigned)file->data[sizeof trace_magic + 1] << 8;
    if (version != TRACE_VERSION)
        return trace_error(error, PILGRIM_VERSION, sizeof trace_magic,
                           "has format version %u (byte %zu), this reader knows version %u%s", version,
                           sizeof trace_magic, TRACE_VERSION,
                           version > TRACE_VERSION ? ": a newer Pilgrim is needed" : "");
    cursor_take(file, HEADER_BYTES);
    return PILGRIM_OK;
}

/* Parses a section without damage. */
static enum pilgrim_status take_section(struct pilgrim_trace *t, struct volume *v, const struct section *section,
                                        struct pilgrim_error *error)
{
    struct parser p = {.volume = v, .budget = &t->budget};
    struct bytes *content = &v->content[section->type];
    v->offset[section->type] = section->offset;
    if (parser_charge(&p, section->raw)) {
        enum pilgrim_status status = section_content(section, content);
        if (status != PILGRIM_OK)
            parser_fail_with(&p, status, "cannot be decompressed");
    }
    if (parser_good(&p)) {
        cursor_init(&p.in, content->data, content->length);
        section_parse[section->type](&p);
        if (parser_good(&p) && cursor_left(&p.in) > 0)
            parser_fail(&p, "bytes left over");
    }
    if (section->type == SECTION_TIMES)
        bytes_free(content);
    if (parser_good(&p))
        return PILGRIM_OK;
    /* A content that ends too early is not a file that ends too early. */
    enum pilgrim_status status = p.in.status == PILGRIM_TRUNCATED ? PILGRIM_DAMAGED : p.in.status;
    return trace_error(error, status, section->offset, "section %s at byte %zu: %s", section_names[section->type],
                       section->offset, p.problem ? p.problem : "ends too early");
}

static enum pilgrim_status section_error(const struct section *section, const char *problem,
                                         struct pilgrim_error *error)
{
    if (section->type < SECTION_TYPE_COUNT)
        return trace_error(error, PILGRIM_DAMAGED, section->offset, "section %s at byte %zu: %s",
                           section_names[section->type], section->offset, problem);
    return trace_error(error, PILGRIM_DAMAGED, section->offset, "section at byte %zu: %s", section->offset, problem);
}

/* The volume that is read next; NULL: no memory. */
static struct volume *volume_begin(struct pilgrim_trace *t, uint64_t file_length)
{
    struct volume *volumes = realloc(t->volumes, (t->volume_count + 1) * sizeof *volumes);
    if (!volumes)
        return NULL;
    struct volume *v = &volumes[t->volume_count];
    t->volumes = volumes;
    t->begun = t->volume_count + 1;
    *v = (struct volume){.first_rank = t->rank_count, .call_budget = CALL_BUDGET_BASE + BUDGET_RATIO * file_length};
    if (t->volume_count > 0)
        v->first_group = v[-1].first_group + (uint32_t)v[-1].group_count;
    return v;
}

/* Takes a section that is in its place. A volume counts as soon as its calls can be read. */
static enum pilgrim_status take_part(struct pilgrim_trace *t, const struct section *section, uint64_t file_length,
                                     struct pilgrim_error *error)
{
    if (section->type == SECTION_DEFINITIONS && !volume_begin(t, file_length))
        return trace_error(error, PILGRIM_NOMEM, section->offset, "not enough memory");
    struct volume *v = &t->volumes[t->begun - 1];
    enum pilgrim_status status = take_section(t, v, section, error);
    if (status != PILGRIM_OK)
        return status;
    if (section->type == SECTION_TIMES)
        v->timed = true;
    if (section->type != SECTION_CALLS)
        return PILGRIM_OK;
    if (v->rank_count > UINT32_MAX - t->rank_count)
        return trace_error(error, PILGRIM_LIMIT, section->offset, "section calls at byte %zu: more than 4294967295 ranks",
                           section->offset);
    t->rank_count += v->rank_count;
    t->volume_count++;
    return PILGRIM_OK;
}

/* Whether a section of TYPE may follow one of type LAST. */
static bool in_place(unsigned type, unsigned last)
{
    return type == last + 1 || (type == SECTION_DEFINITIONS && last >= SECTION_CALLS);
}

/* Sections up to the end. */
static enum pilgrim_status take_sections(struct pilgrim_trace *t, struct cursor *file, struct pilgrim_error *error)
{
    for (unsigned last = SECTION_END;;) {
        struct section section;
        size_t start = file->position;
        enum pilgrim_status status = section_read(file, &section);
        const char *next = section_names[(last + 1) % SECTION_TYPE_COUNT];
        if (status == PILGRIM_TRUNCATED)
            return trace_error(error, status, file->length,
                               "truncated at byte %zu: section %s at byte %zu is not complete", file->length, next, start);
        if (status != PILGRIM_OK)
            return trace_error(error, status, start, "section %s at byte %zu: not a section", next, start);
        if (section.damage)
            return section_error(&section, section.damage, error);
        if (section.type == SECTION_END) {
            if (last < SECTION_CALLS)
                return trace_error(error, PILGRIM_DAMAGED, start, "ends at byte %zu without section %s", start, next);
            if (section.raw || section.stored_length || cursor_left(file))
                return trace_error(error, PILGRIM_DAMAGED, file->position, "bytes after the end, at byte %zu", file->position);
            return PILGRIM_OK;
        }
        if (section.type >= SECTION_SKIPPABLE)
            continue;
        if (!in_place(section.type, last))
            return section_error(&section, "not in its place", error);
        status = take_part(t, &section, file->length, error);
        if (status != PILGRIM_OK)
            return status;
        last = section.type;
    }
}

enum pilgrim_status trace_load(const void *data, size_t length, struct pilgrim_trace **trace,
                               struct pilgrim_error *error)
{
    struct cursor file;
    cursor_init(&file, data, length);
    *trace = NULL;
    enum pilgrim_status status = check_header(&file, error);
    if (status != PILGRIM_OK)
        return status;
    struct pilgrim_trace *t = calloc(1, sizeof *t);
    if (!t)
        return trace_error(error, PILGRIM_NOMEM, 0, "not enough memory");
    t->budget.bytes = BUDGET_BASE + BUDGET_RATIO * (uint64_t)length;
    t->budget.steps = STEPS_BASE + STEPS_RATIO * (uint64_t)length;
    status = take_sections(t, &file, error);
    if (status == PILGRIM_OK) {
        trace_error(error, PILGRIM_OK, 0, "%s", "");
    } else if (t->volume_count == 0) {
        pilgrim_close(t);
        return status;
    }
    *trace = t;
    return PILGRIM_OK;
}

static void volume_free(struct volume *v)
{
    rules_free(&v->rules);
    arena_free(&v->arena);
    for (unsigned i = 0; i < SECTION_TYPE_COUNT; i++)
        bytes_free(&v->content[i]);
}

void pilgrim_close(struct pilgrim_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->begun; i++)
        volume_free(&t->volumes[i]);
    free(t->volumes);
    free(t);
}

/* ---- files ---- */

/* Appends up to COUNT bytes, less at the end of the file. */
static enum pilgrim_status read_some(int descriptor, size_t count, struct bytes *data, bool *end)
{
    uint8_t *to = bytes_reserve(data, count);
    if (!to)
        return PILGRIM_NOMEM;
    ssize_t got;
    do
        got = read(descriptor, to, count);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return PILGRIM_IO;
    data->length += (size_t)got;
    *end = got == 0;
    return PILGRIM_OK;
}

/* All of the file, or its beginning where that is not a trace: it may be a device without an end. */
static enum pilgrim_status read_file(int descriptor, struct bytes *data)
{
    bool end = false;
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK && !end) {
        status = read_some(descriptor, READ_BYTES, data, &end);
        if (data->length >= sizeof trace_magic && memcmp(data->data, trace_magic, sizeof trace_magic) != 0)
            break;
    }
    return status;
}

enum pilgrim_status pilgrim_open(const char *path, struct pilgrim_trace **trace, struct pilgrim_error *error)
{
    struct bytes data = {0};
    *trace = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return trace_error(error, PILGRIM_IO, 0, "cannot open: %s", strerror(errno));
    enum pilgrim_status status = read_file(descriptor, &data);
    int cause = errno;
    close(descriptor);
    if (status == PILGRIM_IO)
        trace_error(error, status, data.length, "cannot read at byte %zu: %s", data.length, strerror(cause));
    else if (status != PILGRIM_OK)
        trace_error(error, status, data.length, "not enough memory for the file");
    else
        status = trace_load(data.data, data.length, trace, error);
    bytes_free(&data);
    return status;
}
