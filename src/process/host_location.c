/* SPDX-License-Identifier: BSD-3-Clause */
/* The host location of the process; see host_location.h.
 *
 * Slurm is the only launcher that names the switches around a host in the environment: SLURM_TOPOLOGY_ADDR
 * ("s0.s4.node12") and SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node"); see srun(1), "OUTPUT ENVIRONMENT
 * VARIABLES". */
#define _GNU_SOURCE 1 /* gethostname */
#include "process/host_location.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/name_pieces.h"
#include "base/value.h"

enum { HOST_BYTES = 256, ADDRESS_BYTES_MAX = 1024 };

struct text_span {
    const char *start;
    size_t length;
};

static const struct text_span host_kind = {"host", 4};

static void put_array(struct bytes *key, size_t count)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, (uint32_t)count);
}

static void put_string(struct bytes *key, const char *text, size_t length)
{
    bytes_put_u8(key, VALUE_STRING);
    bytes_put_u32(key, (uint32_t)length);
    bytes_put(key, text, length);
}

static void put_int(struct bytes *key, int64_t v)
{
    bytes_put_u8(key, VALUE_INT);
    bytes_put_u64(key, (uint64_t)v);
}

static size_t count_pieces(struct text_span name)
{
    size_t count = 0;
    for (size_t at = 0; at < name.length; count++)
        at += name_piece(name.start + at, name.length - at).length;
    return count;
}

static void put_level(struct bytes *key, struct text_span kind, struct text_span name)
{
    put_array(key, 1 + count_pieces(name));
    put_string(key, kind.start, kind.length);
    for (size_t at = 0; at < name.length;) {
        struct name_piece piece = name_piece(name.start + at, name.length - at);
        if (piece.text)
            put_string(key, piece.text, piece.length);
        else
            put_int(key, piece.number);
        at += piece.length;
    }
}

/* Sets *PART to the text before the next dot of *REST, and *REST to the text after it. False if there is no dot. */
static bool take_component(const char **rest, struct text_span *part)
{
    const char *dot = strchr(*rest, '.');
    if (!dot)
        return false;
    *part = (struct text_span){*rest, (size_t)(dot - *rest)};
    *rest = dot + 1;
    return true;
}

/* True if A and B name the same host, each with or without its domain. */
static bool same_host(const char *a, const char *b)
{
    size_t length = strcspn(a, ".");
    return length > 0 && length == strcspn(b, ".") && !memcmp(a, b, length);
}

/* Returns how many levels ADDRESS has around HOST; 0 if ADDRESS is not about HOST. */
static size_t count_around(const char *host, const char *address, const char *pattern)
{
    struct text_span kind, name;
    size_t count = 0;
    if (!address || !pattern || strlen(address) > ADDRESS_BYTES_MAX || strlen(pattern) > ADDRESS_BYTES_MAX)
        return 0;
    for (; take_component(&pattern, &kind); count++)
        if (!take_component(&address, &name) || !kind.length || !name.length)
            return 0;
    return !strcmp(pattern, "node") && same_host(address, host) ? count : 0;
}

void host_location_put_of(struct bytes *key, const char *host, const char *address, const char *pattern)
{
    size_t around = count_around(host, address, pattern);
    put_array(key, around + 1);
    for (size_t i = 0; i < around; i++) {
        struct text_span kind, name;
        take_component(&pattern, &kind);
        take_component(&address, &name);
        put_level(key, kind, name);
    }
    put_level(key, host_kind, (struct text_span){host, strlen(host)});
}

void host_location_put(struct bytes *key, bool known)
{
    char host[HOST_BYTES] = "";
    if (known)
        put_int(key, getpid());
    else
        bytes_put_u8(key, VALUE_NONE);
    if (known && gethostname(host, sizeof host - 1) == 0 && *host)
        host_location_put_of(key, host, secure_getenv("SLURM_TOPOLOGY_ADDR"),
                             secure_getenv("SLURM_TOPOLOGY_ADDR_PATTERN"));
    else
        bytes_put_u8(key, VALUE_NONE);
}
