/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON that chrome://tracing reads, and with it Perfetto, speedscope and others: "Trace Event Format" of Chromium.
 * A call is a complete event (X), a message a flow (s, f), a marker an instant (i). Times are microseconds. */
#include <string.h>

#include "convert.h"

struct chrome_call {
    struct output *out;
    const char *separator;
};

static void put_us(struct output *o, const char *key, uint64_t ns)
{
    const unsigned part = (unsigned)(ns % 1000);
    const char text[] = {'.', (char)('0' + part / 100), (char)('0' + part / 10 % 10), (char)('0' + part % 10)};
    out_text(o, key);
    out_uint(o, ns / 1000);
    out_bytes(o, text, sizeof text);
}

static void put_place(struct output *o, const struct pilgrim_call *call)
{
    out_named(o, ",\"pid\":", call->rank);
    out_named(o, ",\"tid\":", call->thread);
}

static void put_string(struct output *o, const char *key, const char *text)
{
    out_text(o, key);
    out_json_string(o, text, strlen(text));
}

static void put_head(struct output *o, const char *kind, uint32_t rank, uint32_t thread, const char *name)
{
    out_text(o, ",\n{\"ph\":\"M\",\"name\":\"");
    out_text(o, kind);
    out_named(o, "\",\"pid\":", rank);
    out_named(o, ",\"tid\":", thread);
    put_string(o, ",\"args\":{\"name\":", name);
    out_text(o, "}}");
}

static bool chrome_begin(struct convert *c)
{
    const char *key, *value;
    out_text(c->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"times\":");
    put_string(c->out, "", c->drawn ? "drawn from statistics: not those of the run" : "of the run");
    for (size_t i = 0; pilgrim_property_at(c->trace, i, &key, &value); i++) {
        const char *first = pilgrim_property(c->trace, key);
        if (first != value || strcmp(key, "times") == 0)
            continue; /* a key stands once in an object */
        put_string(c->out, ",", key);
        put_string(c->out, ":", value);
    }
    out_text(c->out, "},\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"pilgrim\",\"pid\":0,\"tid\":0,\"args\":{}}");
    return true;
}

static bool chrome_thread(struct convert *c, uint32_t rank, uint32_t thread)
{
    char name[CONVERT_NAME_MAX];
    convert_rank_name(c, rank, name);
    put_head(c->out, "process_name", rank, thread, name);
    out_named(c->out, ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":", rank);
    out_named(c->out, ",\"tid\":0,\"args\":{\"sort_index\":", rank);
    out_text(c->out, "}}");
    convert_thread_name(thread, name);
    put_head(c->out, "thread_name", rank, thread, name);
    return true;
}

static bool chrome_number(void *context, const char *name, int64_t value)
{
    struct chrome_call *call = context;
    put_string(call->out, call->separator, name);
    out_char(call->out, ':');
    out_int(call->out, value);
    call->separator = ",";
    return true;
}

static bool chrome_text(void *context, const char *name, const char *value)
{
    struct chrome_call *call = context;
    put_string(call->out, call->separator, name);
    put_string(call->out, ":", value);
    call->separator = ",";
    return true;
}

static void put_flow(struct output *o, const struct pilgrim_call *call, const struct message_end *flow)
{
    out_text(o, flow->received ? ",\n{\"ph\":\"f\",\"bp\":\"e\"" : ",\n{\"ph\":\"s\"");
    out_text(o, ",\"name\":\"message\",\"cat\":\"message\"");
    out_named(o, ",\"id\":", (int64_t)flow->id);
    put_place(o, call);
    put_us(o, ",\"ts\":", flow->received ? call->end_ns : call->start_ns);
    out_char(o, '}');
}

static bool chrome_call(struct convert *c, const struct convert_call *call)
{
    char name[CONVERT_MARKER_MAX];
    const bool marker = convert_is_marker(call->call);
    struct chrome_call teller = {.out = c->out, .separator = ""};
    const struct convert_teller tell = {.number = chrome_number, .text = chrome_text, .context = &teller};
    put_string(c->out,
               marker ? ",\n{\"ph\":\"i\",\"s\":\"p\",\"cat\":\"marker\",\"name\":"
                      : ",\n{\"ph\":\"X\",\"cat\":\"MPI\",\"name\":",
               convert_call_name(call->call, name));
    put_place(c->out, call->call);
    put_us(c->out, ",\"ts\":", call->call->start_ns);
    if (!marker)
        put_us(c->out, ",\"dur\":", call->call->end_ns - call->call->start_ns);
    out_text(c->out, ",\"args\":{");
    if (!convert_tell(c, call, &tell) || !chrome_text(&teller, "at", call->place->text))
        return false;
    out_text(c->out, "}}");
    for (size_t i = 0; i < call->flow_count; i++)
        put_flow(c->out, call->call, &call->flows[i]);
    return true;
}

static bool chrome_end(struct convert *c)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < c->flows->change_count; i++) {
        const struct flow_change *change = &c->flows->changes[i];
        bytes += change->bytes;
        if (i + 1 < c->flows->change_count && c->flows->changes[i + 1].ns == change->ns)
            continue;
        put_us(c->out, ",\n{\"ph\":\"C\",\"name\":\"bytes under way\",\"pid\":0,\"tid\":0,\"ts\":", change->ns);
        out_named(c->out, ",\"args\":{\"bytes\":", bytes);
        out_text(c->out, "}}");
    }
    out_text(c->out, "\n]}\n");
    return true;
}

static const struct convert_parts parts;

const struct convert_format convert_chrome = {.name = "chrome",
                                              .suffix = ".json",
                                              .begin = chrome_begin,
                                              .thread = chrome_thread,
                                              .call = chrome_call,
                                              .end = chrome_end,
                                              .parts = &parts};
