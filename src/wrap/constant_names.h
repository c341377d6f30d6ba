/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking up the names of values: constants, flags, callback functions. Shared by the encoder and the shadow. */
#ifndef PILGRIM_CONSTANT_NAMES_H
#define PILGRIM_CONSTANT_NAMES_H

#include <stdint.h>

struct constant;

/* The constant of ENUMERATION with value V, or NULL. */
const struct constant *constant_find(unsigned enumeration, int64_t v);

enum { FLAGS_MAX = 64 };

/* A value taken apart: the names of its flags from the lowest bit up, and the bits that have none. */
struct flags {
    unsigned count;
    uint16_t names[FLAGS_MAX];
    int64_t rest;
};

struct flags flags_of(unsigned enumeration, int64_t v);

/* A callback: its NAME (enum name_id) unless that is NAME_COUNT; else its SYMBOL (borrowed from the loader) unless
 * that is NULL; else its ID, by order of first use. */
struct function_name {
    unsigned name;
    const char *symbol;
    int64_t id;
};

/* FUNCTION as an argument of CALLED (enum function_id), which decides between the names of one value. Any thread. */
struct function_name function_name_of(uint32_t called, const void *function);

/* An address that came as an integer. */
static inline const void *address_pointer(int64_t v)
{
    return (const void *)(uintptr_t)v;
}

#endif
