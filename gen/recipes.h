/* SPDX-License-Identifier: BSD-3-Clause */
/* How values are written: one row for each way (a recipe), one row for each kind of the standard. To cover a new kind,
 * add a row to kind_recipes. */
#ifndef GEN_RECIPES_H
#define GEN_RECIPES_H

#include <stdbool.h>

/* What a function with such a value does to objects: enum call_follows of wrap/call.h. */
enum follows { FOLLOWS_NOTHING, FOLLOWS_REQUESTS, FOLLOWS_OBJECTS };

/* Statements in which
 *   $v is the value (an output's is read through its pointer)   $p the parameter itself
 *   $n the length of an array                                   $k the kind's own word: KIND_COMM, ENUM_TAG, ...
 *   $t int, count or aint, after the type of the elements       $a ints, addresses or large_addresses, idem
 *   $h datatype or info, after the kind
 * Text after "\n" is a further line. A NULL array recipe: the scalar one for each element. Puts that begin with "at = "
 * write to the wrapper's place in the key, the others to the key. */
struct recipe {
    const char *name;
    const char *put;
    const char *put_array;
    const char *shadow;
    const char *shadow_array;
    bool needs_view; /* refers to the communicator's ranks */
    bool by_value;   /* what is recorded is the argument itself: a pointer stays one, and is an input */
    enum follows follows;
    bool is_time; /* a return value that is kept as times are (enum returns of base/descriptor.h) */
    bool plain;   /* stands for something that is not understood yet */
};

struct kind_recipe {
    const char *kind;
    const char *in;   /* recipe's name */
    const char *out;  /* idem */
    const char *word; /* $k */
};

/* NULL where there is none. */
const struct recipe *recipe_find(const char *name);
const struct kind_recipe *kind_recipe_find(const char *kind);

#endif
