/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of values: constants, flags, callback functions. Recorder and shadow share them. */
#ifndef PILGRIM_CONSTANT_NAMES_H
#define PILGRIM_CONSTANT_NAMES_H

#include <stdint.h>

struct constant;

/* Returns the constant of ENUMERATION with value V, or NULL. */
const struct constant *constant_find(unsigned enumeration, int64_t v);

enum { FLAGS_MAX = 64 };

/* A value taken apart: the names of its flags, from the lowest bit up, and the bits that have no name. */
struct flags {
    unsigned count;
    uint16_t names[FLAGS_MAX];
    int64_t rest;
};

struct flags flags_of(unsigned enumeration, int64_t v);

/* The name of a callback: `name` (enum name_id) unless that is NAME_COUNT; else `symbol` (borrowed from the dynamic
 * linker) unless that is NULL; else `id`, its number in order of first use. */
struct function_name {
    unsigned name;
    const char *symbol;
    int64_t id;
};

/* Returns the name of FUNCTION as an argument of CALLED (enum function_id). CALLED decides if several names have this
 * value. Any thread. */
struct function_name function_name_of(uint32_t called, const void *function);

/* Returns an integer argument that is an address as a pointer. */
static inline const void *address_pointer(int64_t v)
{
    return (const void *)(uintptr_t)v;
}

#endif
