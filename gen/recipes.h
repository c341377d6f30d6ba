/* SPDX-License-Identifier: BSD-3-Clause */
/* How values are written: a row (recipe) for each way, and a row for each kind of the standard. To cover a new kind,
 * add a row to kind_recipes. */
#ifndef GEN_RECIPES_H
#define GEN_RECIPES_H

#include <stdbool.h>

/* What a function with such a value does to objects; as enum call_follows of wrap/call.h. */
enum follows { FOLLOWS_NOTHING, FOLLOWS_REQUESTS, FOLLOWS_OBJECTS };

/* Statements, in which
 *
 *   $v is the value (an output is read through its pointer)   $p the parameter itself
 *   $n the length of an array                                 $k the kind's own word: KIND_COMM, ENUM_TAG, ...
 *   $t int, count or aint, by the type of the elements        $a ints, addresses or large_addresses, likewise
 *   $h datatype or info, by the kind
 *
 * "\n" begins a new line. If an array recipe is NULL, the scalar one is used for each element. Statements that begin
 * with "at = " write to the wrapper's position in the key; others append to the key. */
struct recipe {
    const char *name;
    const char *put;
    const char *put_array;
    const char *shadow;
    const char *shadow_array;
    bool needs_rank_base; /* refers to ranks in a communicator */
    bool by_value;        /* records the argument itself: a pointer stays a pointer, and is an input */
    enum follows follows;
    bool is_time; /* a return value that is a time (RETURNS_TIME of base/descriptor.h) */
    bool plain;   /* stands for a kind that has no row */
};

struct kind_recipe {
    const char *kind;
    const char *in;   /* name of a recipe */
    const char *out;  /* name of a recipe */
    const char *word; /* $k */
};

/* Return the recipe, or the row of the kind; NULL: none. */
const struct recipe *recipe_find(const char *name);
const struct kind_recipe *kind_recipe_find(const char *kind);

#endif
