/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of two calls differ; see value_compare.h. */
#include "value_compare.h"

#include <stdio.h>
#include <string.h>

#include "diff_options.h"

/* Parameters that --ignore knows by name; a text with a star behind it: that begins so, or ends so if it is before. */
static const struct {
    const char *name;
    unsigned ignore;
} named[] = {
    {"tag", IGNORE_TAGS},          {"*tag", IGNORE_TAGS},
    {"count", IGNORE_SIZES},       {"*count", IGNORE_SIZES},
    {"*counts", IGNORE_SIZES},     {"*displs", IGNORE_SIZES},
    {"*disp", IGNORE_SIZES},       {"blocklength", IGNORE_SIZES},
    {"*lengths", IGNORE_SIZES},    {"*displacements", IGNORE_SIZES},
    {"stride", IGNORE_SIZES},      {"size", IGNORE_SIZES},
    {"*sizes", IGNORE_SIZES},      {"bytes", IGNORE_SIZES},
    {"extent", IGNORE_SIZES},      {"offset", IGNORE_SIZES},
    {"source", IGNORE_PEERS},      {"dest", IGNORE_PEERS},
    {"root", IGNORE_PEERS},        {"*_rank", IGNORE_PEERS},
    {"rank_source", IGNORE_PEERS}, {"rank_dest", IGNORE_PEERS},
};

static bool name_fits(const char *pattern, const char *name)
{
    size_t length = strlen(name), wanted = strlen(pattern) - 1;
    if (*pattern != '*')
        return !strcmp(pattern, name);
    return length >= wanted && !strcmp(name + length - wanted, pattern + 1);
}

/* Returns which of the bits IGNORED the parameter NAME is of. */
static unsigned ignore_of_name(unsigned ignored, const char *name)
{
    if (!(ignored & (IGNORE_TAGS | IGNORE_SIZES | IGNORE_PEERS)))
        return 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (name_fits(named[i].name, name))
            return named[i].ignore & ignored;
    return 0;
}

static unsigned ignore_of_type(enum pilgrim_value_type type)
{
    switch (type) {
    case PILGRIM_HEAP:
    case PILGRIM_STACK:
    case PILGRIM_STATIC:
    case PILGRIM_DEVICE:
        return IGNORE_BUFFERS;
    case PILGRIM_OBJECT:
    case PILGRIM_REQUEST:
    case PILGRIM_BEGUN:
    case PILGRIM_LIVE:
        return IGNORE_OBJECTS;
    case PILGRIM_STRING:
        return IGNORE_TEXTS;
    case PILGRIM_RANK:
        return IGNORE_PEERS;
    default:
        return 0;
    }
}

/* The values that are being compared. */
struct compared {
    const struct value_rules *rules;
    struct value_difference *d;
    const struct pilgrim_call *call; /* of trace A; its parameter: */
    size_t parameter;
};

static bool differs(const struct compared *c, const struct pilgrim_value *a, const struct pilgrim_value *b);

/* Sets what differs. */
static bool differ(const struct compared *c, const struct pilgrim_value *a, const struct pilgrim_value *b)
{
    c->d->a = a;
    c->d->b = b;
    c->d->stored =
        (a->type >= PILGRIM_KEPT && a->type <= PILGRIM_LIVE) || (b->type >= PILGRIM_KEPT && b->type <= PILGRIM_LIVE);
    return true;
}

/* Compares items with numbers; two lists of different lengths differ as a whole. */
static bool items_differ(const struct compared *c, const struct pilgrim_value *a, const struct pilgrim_value *b)
{
    static const char *const status[] = {".source", ".tag", ".bytes", ".cancelled", ".error"};
    static const unsigned ignored[] = {IGNORE_PEERS, IGNORE_TAGS, IGNORE_SIZES, 0, 0};
    bool is_status = a->type == PILGRIM_STATUS;
    size_t before = strlen(c->d->path);
    if (a->count != b->count)
        return differ(c, a, b);
    for (size_t i = 0; i < a->count; i++) {
        if (is_status && i < 5 && (c->rules->ignored & ignored[i]))
            continue;
        if (c->rules->not_replayed &&
            (is_status ? replay_changes_status(c->call, i) : replay_changes_item(c->call, c->parameter, i)))
            continue;
        if (!differs(c, &a->items[i], &b->items[i]))
            continue;
        char inner[sizeof c->d->path];
        memcpy(inner, c->d->path + before, strlen(c->d->path + before) + 1);
        if (is_status && i < 5)
            snprintf(c->d->path + before, sizeof c->d->path - before, "%s%s", status[i], inner);
        else
            snprintf(c->d->path + before, sizeof c->d->path - before, "[%zu]%s", i, inner);
        return true;
    }
    return false;
}

/* True if two numbers, or texts, differ. */
static bool simple_differs(const struct value_rules *rules, const struct pilgrim_value *a,
                           const struct pilgrim_value *b)
{
    switch (a->type) {
    case PILGRIM_NONE:
    case PILGRIM_TIME:
        return false;
    case PILGRIM_INT:
    case PILGRIM_BOOL:
        return a->integer != b->integer;
    case PILGRIM_REAL:
        return memcmp(&a->real, &b->real, sizeof a->real) != 0;
    case PILGRIM_RANK:
        return a->integer != b->integer && !(rules->relative && a->relative == b->relative);
    case PILGRIM_NAME:
    case PILGRIM_STRING:
    case PILGRIM_SYMBOL:
        return a->length != b->length || memcmp(a->text, b->text, a->length) != 0;
    case PILGRIM_OBJECT:
        return a->id != b->id || strcmp(a->text, b->text) != 0;
    case PILGRIM_STATIC:
        return a->id != b->id || (a->offset != b->offset && !rules->rebuilt);
    default:
        return a->id != b->id || a->offset != b->offset || a->device != b->device || a->ignored != b->ignored;
    }
}

/* Returns 1 if two values of a replay differ, 0 if not; -1: they are compared as others are. */
static int differs_in_replay(const struct compared *c, const struct pilgrim_value *a, const struct pilgrim_value *b)
{
    const bool null_a = a->type == PILGRIM_NAME, null_b = b->type == PILGRIM_NAME;
    if (a->type == PILGRIM_REQUEST && b->type == PILGRIM_REQUEST)
        return replay_request(&c->rules->threads[0], a) != replay_request(&c->rules->threads[1], b);
    if (a->type == PILGRIM_SYMBOL || a->type == PILGRIM_FUNCTION || a->type == PILGRIM_DEVICE ||
        b->type == PILGRIM_SYMBOL)
        return 0;
    if ((a->type == PILGRIM_STATIC || a->type == PILGRIM_STACK) && a->type == b->type)
        return 0;
    if (null_a && null_b && (strstr(a->text, "_COPY_FN") || strstr(a->text, "_DELETE_FN")))
        return strstr(a->text, "NULL") && !strstr(b->text, "NULL");
    return -1;
}

static bool differs(const struct compared *c, const struct pilgrim_value *a, const struct pilgrim_value *b)
{
    int of_replay = c->rules->not_replayed ? differs_in_replay(c, a, b) : -1;
    if (of_replay >= 0)
        return of_replay && differ(c, a, b);
    if (c->rules->ignored & ignore_of_type(a->type) & ignore_of_type(b->type))
        return false;
    if (a->type == PILGRIM_NONE && b->type == PILGRIM_TIME)
        return false;
    if (a->type != b->type)
        return differ(c, a, b);
    if (simple_differs(c->rules, a, b))
        return differ(c, a, b);
    if (a->count == 0 && b->count == 0)
        return false;
    bool found = items_differ(c, a, b);
    if (found && a->type >= PILGRIM_KEPT && a->type <= PILGRIM_LIVE)
        c->d->stored = true;
    return found;
}

/* Adds what differs in the value called NAME of PARAMETER of CALL. */
static void compare_value(const struct value_rules *rules, const struct pilgrim_call *call, size_t parameter,
                          const char *name, const struct pilgrim_value *a, const struct pilgrim_value *b,
                          struct value_difference *found, unsigned *count)
{
    struct value_difference *d = &found[*count];
    const struct compared c = {rules, d, call, parameter};
    if (*count == VALUE_DIFFERENCES_MAX || ignore_of_name(rules->ignored, name))
        return;
    d->path[0] = '\0';
    d->stored = false;
    if (!differs(&c, a, b))
        return;
    char inner[sizeof d->path];
    memcpy(inner, d->path, sizeof inner);
    snprintf(d->path, sizeof d->path, "%s%s", name, inner);
    ++*count;
}

unsigned values_compare(const struct value_rules *rules, const struct pilgrim_call *a, const struct pilgrim_call *b,
                        struct value_difference found[VALUE_DIFFERENCES_MAX])
{
    const struct pilgrim_function *f = a->function;
    bool of_host = (rules->ignored & IGNORE_HOSTS) && !strcmp(f->name, "MPI_Get_processor_name");
    bool is_time = !strcmp(f->name, "MPI_Wtime");
    unsigned count = 0;
    if ((rules->ignored & IGNORE_VALUES) || of_host || f->parameter_count != b->function->parameter_count)
        return 0;
    for (size_t i = 0; i < f->parameter_count; i++) {
        enum pilgrim_direction direction = f->parameters[i].direction;
        unsigned before = count;
        if (rules->not_replayed && replay_changes(&rules->threads[0], a, i, rules->ignored & IGNORE_TEXTS))
            continue;
        if (direction & PILGRIM_IN)
            compare_value(rules, a, i, f->parameters[i].name, &a->in[i], &b->in[i], found, &count);
        if ((direction & PILGRIM_OUT) && count == before && !(rules->ignored & IGNORE_RESULTS))
            compare_value(rules, a, i, f->parameters[i].name, &a->out[i], &b->out[i], found, &count);
    }
    if (!is_time && !(rules->ignored & IGNORE_RESULTS))
        compare_value(rules, a, f->parameter_count, "returned", &a->ret, &b->ret, found, &count);
    return count;
}
