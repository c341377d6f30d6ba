/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns made calls into keys (base/value.h) and appends them to streams. Each rank records for itself; nothing is
 * kept from one rank to the next. */
#include "scale_record.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "process/host_location.h"

/* Only the addresses of call sites matter. */
static const char sites[64];

static size_t resolve(const void *site, struct code_frame *frames)
{
    frames[0] = (struct code_frame){&made_module, made_site_offset((unsigned)((const char *)site - sites))};
    return 1;
}

static void require(bool good)
{
    if (!good) {
        fprintf(stderr, "scale: out of memory\n");
        exit(EXIT_FAILURE);
    }
}

/* Returns RANK - OWN modulo SIZE as the number of smallest magnitude; of two, the positive one. */
static int64_t relative(int64_t rank, int64_t own, int64_t size)
{
    int64_t r = (rank - own) % size;
    if (2 * r > size)
        r -= size;
    else if (2 * r <= -size)
        r += size;
    return r;
}

/* The most bytes of a token in a key: tag, rank base and its slot, tag, two slots. Strings add their bytes. */
enum { TOKEN_BYTES_MAX = 32 };

static uint8_t *store(uint8_t *at, uint64_t value, unsigned bytes)
{
    value = htole64(value);
    memcpy(at, &value, bytes);
    return at + bytes;
}

/* Appends tag and operands. */
static uint8_t *store_token(uint8_t *at, const struct made_value *v)
{
    *at++ = v->tag;
    switch (v->tag) {
    case VALUE_NAME:
    case VALUE_OBJECT:
        return store(at, v->name, 2);
    case VALUE_ARRAY:
        return store(at, v->count, 4);
    case VALUE_STATUS:
        return store(at, v->count, 1);
    case VALUE_STRING: {
        size_t length = strlen(v->text);
        at = store(at, length, 4);
        memcpy(at, v->text, length);
        return at + length;
    }
    default:
        return at;
    }
}

static size_t room_for(const struct made_call *c)
{
    size_t room = c->count * TOKEN_BYTES_MAX;
    for (size_t i = 0; i < c->count; i++)
        if (c->values[i].tag == VALUE_STRING)
            room += strlen(c->values[i].text);
    return room;
}

/* Appends the key of C as OWN, the caller, records it. All rank bases are equal. */
static void put_key(const struct world *w, uint32_t own, const struct made_call *c, struct bytes *key)
{
    int64_t view = 0;
    key->length = 0;
    uint8_t *start = bytes_reserve(key, room_for(c)), *at = start;
    require(start);
    for (const struct made_value *v = c->values; v < c->values + c->count; v++) {
        bool ranked = v->tag == VALUE_RANK;
        if (ranked && v->slots[1] != view) {
            view = v->slots[1];
            *at++ = VALUE_RANK_BASE;
            at = store(at, (uint64_t)view, 8);
        }
        at = store_token(at, v);
        for (unsigned s = 0; s < value_slots(v->tag); s++)
            at = store(at, (uint64_t)(ranked ? relative(v->slots[0], own, w->ranks) : v->slots[s]), 8);
    }
    key->length = (size_t)(at - start);
}

static void append(struct stream *s, const struct made_call *c, const struct bytes *key, uint64_t start_ns,
                   uint64_t end_ns)
{
    uint32_t class;
    require(stream_class(s, c->function, c->site ? sites + c->site : NULL, false, &class) == PILGRIM_OK &&
            stream_append(s, class, false, key->data, key->length, start_ns, end_ns) == PILGRIM_OK);
}

struct stream *record_thread(const struct world *w, uint32_t rank)
{
    static struct made_call call;
    static struct bytes key;
    const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = stream_new(&made_vocabulary, resolve);
    require(s && stream_keep_times(s, &times) == PILGRIM_OK);
    uint64_t calls = world_calls(w, rank), now = 0;
    for (uint64_t k = 0; k < calls; k++) {
        world_call(w, rank, k, &call);
        put_key(w, rank, &call, &key);
        now += 3000 + (k * 13 + rank) % 5000;
        append(s, &call, &key, now - 200 - (k * 7 + rank) % 1000, now);
    }
    require(stream_flush_times(s) == PILGRIM_OK);
    return s;
}

static void make_communicator(const struct world *w, uint32_t rank, int64_t id, struct made_call *c)
{
    made_call_start(c, MADE_COMMUNICATOR, 0);
    make_object(c, NAME_COMM, id);
    make_int(c, 0);
    make_name(c, NAME_WORLD);
    make_bool(c, 0);
    make_name(c, NAME_CART);
    make_int(c, w->ranks);
    make_int(c, rank);
    make_int(c, 0);
    make_int(c, 0);
    make_none(c);
    make_none(c);
}

static void make_process(const struct world *w, uint32_t rank, struct made_call *c)
{
    made_call_start(c, MADE_PROCESS, 0);
    for (int sizes = 0; sizes < 2; sizes++) {
        make_array(c, 1 + world_communicators(w));
        for (unsigned view = 0; view <= world_communicators(w); view++)
            make_int(c, sizes ? w->ranks : rank);
    }
}

/* Appends what make_process leaves out: where the process runs, as under Slurm, and that nothing is returned. */
static void put_location(const struct world *w, uint32_t rank, struct bytes *key)
{
    char name[HOST_NAME_BYTES], address[2 * HOST_NAME_BYTES];
    int64_t pid = world_place(w, rank, name);
    snprintf(address, sizeof address, "s%u.%s", (unsigned)(rank / HOST_RANKS / SWITCH_HOSTS), name);
    bytes_put_u8(key, VALUE_INT);
    bytes_put_u64(key, (uint64_t)pid);
    host_location_put_of(key, name, address, "switch.node");
    bytes_put_u8(key, VALUE_NONE);
    require(!key->failed);
}

struct stream *record_process(const struct world *w, uint32_t rank)
{
    static struct made_call call;
    static struct bytes key;
    struct stream *s = stream_new(&made_vocabulary, resolve);
    require(s);
    for (unsigned i = 0; i < world_communicators(w); i++) {
        make_communicator(w, rank, i, &call);
        put_key(w, rank, &call, &key);
        append(s, &call, &key, 0, 0);
    }
    make_process(w, rank, &call);
    put_key(w, rank, &call, &key);
    put_location(w, rank, &key);
    append(s, &call, &key, 0, 0);
    return s;
}
