/* SPDX-License-Identifier: BSD-3-Clause */
/* What viewers show of calls, ranks and threads; see convert.h. */
#include <stdio.h>
#include <string.h>

#include "../../decoder/print.h"
#include "convert.h"

/* The arguments that are always told. */
static const char *const told[] = {"comm", "dest", "source", "root", "target_rank", "tag", "sendtag", "recvtag", "win"};

/* Texts of values are printed here. What does not fit is cut. */
static struct output scratch = {.descriptor = -1};
enum { TEXT_MAX = 4096 };

/* Appends TEXT to a name, without what could command a terminal. */
static void append(char name[CONVERT_NAME_MAX], const char *text)
{
    size_t length = strlen(text), used = strlen(name);
    char shown[PILGRIM_PRINTABLE_MAX];
    for (size_t n; length > 0; text += n, length -= n) {
        n = pilgrim_printable(text, length, shown);
        const size_t size = strlen(shown);
        if (used + size >= CONVERT_NAME_MAX)
            return;
        memcpy(name + used, shown, size + 1);
        used += size;
    }
}

void convert_printable(const char *text, char name[CONVERT_NAME_MAX])
{
    name[0] = 0;
    append(name, text);
}

void convert_rank_name(const struct convert *c, uint32_t rank, char name[CONVERT_NAME_MAX])
{
    struct pilgrim_location location;
    struct pilgrim_host host;
    snprintf(name, CONVERT_NAME_MAX, "rank %u", rank);
    if (c->system && pilgrim_system_location(c->system, rank, &location) == PILGRIM_OK &&
        pilgrim_system_host(c->system, location.host, &host) == PILGRIM_OK && host.name) {
        append(name, " on ");
        append(name, host.name);
    }
}

void convert_thread_name(uint32_t thread, char name[CONVERT_NAME_MAX])
{
    snprintf(name, CONVERT_NAME_MAX, "thread %u", thread);
}

bool convert_is_marker(const struct pilgrim_call *call)
{
    return strcmp(call->function->name, CONVERT_MARKER) == 0;
}

/* Returns what was printed to the scratch. */
static const char *printed(char text[TEXT_MAX])
{
    size_t length = scratch.used < TEXT_MAX ? scratch.used : TEXT_MAX - 1;
    while (length < scratch.used && length > 0 && ((unsigned char)scratch.buffer[length] & 0xc0) == 0x80)
        length--; /* no part of a character */
    memcpy(text, scratch.buffer, length);
    text[length] = 0;
    scratch.used = 0;
    scratch.error = 0;
    return text;
}

/* True if NAME is one of C's, as all are but those of damaged traces. */
static bool is_plain(const char *name)
{
    return !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")];
}

const char *convert_function_name(const struct pilgrim_function *function, char text[CONVERT_MARKER_MAX])
{
    if (is_plain(function->name))
        return function->name;
    char name[CONVERT_NAME_MAX] = "";
    append(name, function->name);
    snprintf(text, CONVERT_MARKER_MAX, "%s", name);
    return text;
}

const char *convert_call_name(const struct pilgrim_call *call, char text[CONVERT_MARKER_MAX])
{
    if (convert_is_marker(call) && call->function->parameter_count > 0 && call->in[0].type == PILGRIM_STRING) {
        char shown[PILGRIM_PRINTABLE_MAX];
        size_t used = 0, length = call->in[0].length;
        const char *from = call->in[0].text;
        for (size_t n; length > 0; from += n, length -= n) {
            n = pilgrim_printable(from, length, shown);
            const size_t size = strlen(shown);
            if (used + size >= CONVERT_MARKER_MAX)
                break;
            memcpy(text + used, shown, size);
            used += size;
        }
        text[used] = 0;
        return text;
    }
    return convert_function_name(call->function, text);
}

static bool tell_value(const struct convert_teller *tell, const char *name, const struct pilgrim_value *v)
{
    char text[TEXT_MAX];
    if (v->type == PILGRIM_NONE)
        return true;
    if (v->type == PILGRIM_INT || v->type == PILGRIM_RANK)
        return tell->number(tell->context, name, v->integer);
    scratch.used = 0;
    text_value(&scratch, v, false);
    return tell->text(tell->context, name, printed(text));
}

static bool tell_some(const struct pilgrim_call *call, const struct convert_teller *tell)
{
    bool good = true;
    for (size_t i = 0; i < sizeof told / sizeof *told && good; i++)
        good = tell_value(tell, told[i], pilgrim_call_in(call, told[i]));
    return good;
}

static bool tell_all(const struct pilgrim_call *call, const struct convert_teller *tell)
{
    bool good = true;
    for (size_t i = 0; i < call->function->parameter_count && good; i++) {
        const struct pilgrim_parameter *p = &call->function->parameters[i];
        char name[CONVERT_NAME_MAX] = "";
        append(name, p->name);
        if (p->direction & PILGRIM_IN)
            good = tell_value(tell, name, &call->in[i]);
        if (p->direction == PILGRIM_INOUT)
            append(name, " (out)");
        if (good && (p->direction & PILGRIM_OUT))
            good = tell_value(tell, name, &call->out[i]);
    }
    return good;
}

bool convert_tell(const struct convert *c, const struct convert_call *call, const struct convert_teller *tell)
{
    const struct pilgrim_call *made = call->call;
    bool good = tell->number(tell->context, "call", (int64_t)made->seq);
    good = good && (c->arguments ? tell_all(made, tell) : tell_some(made, tell));
    if (good && call->volume.sent)
        good = tell->number(tell->context, "bytes sent", (int64_t)call->volume.sent);
    if (good && call->volume.received)
        good = tell->number(tell->context, "bytes received", (int64_t)call->volume.received);
    if (good && pilgrim_call_failed(made))
        good = tell_value(tell, "error", &made->ret);
    if (good && made->ret.type == PILGRIM_NONE && made->function->returns_error_code)
        good = tell->text(tell->context, "ended", "not before the trace was written");
    return good;
}
