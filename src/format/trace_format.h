/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers and names that a trace file is made of, each once, for the writer and the reader. Headings are those of
 * docs/FORMAT.md, which says what they mean.
 *
 * These constants stand elsewhere, beside the code that both sides share:
 *   value tags, bits of a status     base/value.h (keys in memory have the same tags)
 *   frames of a call class           base/site.h
 *   limits of live requests          base/live_requests.h
 *   codes and figures of times       timing/ */
#ifndef PILGRIM_TRACE_FORMAT_H
#define PILGRIM_TRACE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* ---- 2. The file ---- */

static const uint8_t trace_magic[8] = {0x89, 'P', 'L', 'G', 0x0d, 0x0a, 0x1a, 0x0a};

#define TRACE_VERSION        9 /* the version that the writer writes */
#define TRACE_VERSION_OLDEST 5 /* the oldest version that the reader reads */

enum section_type {
    SECTION_END = 0,
    SECTION_OLD_DEFINITIONS = 1, /* up to version 6 */
    SECTION_CALLS = 2,
    SECTION_STATISTICS = 3, /* in version 5 only */
    SECTION_TIMES = 4,      /* any number, behind a shard's other sections */
    SECTION_PROFILE = 5,
    SECTION_DEFINITIONS = 6,
    SECTION_TYPE_COUNT = 7,
    SECTION_CODED_CALLS_7 = 7, /* in another form: SECTION_CALLS */
    SECTION_SHORT_PROFILE = 8, /* SECTION_PROFILE */
    SECTION_SHARED_PROFILE = 9,
    SECTION_CODED_DEFINITIONS_10 = 10, /* SECTION_DEFINITIONS */
    SECTION_CODED_CALLS_11 = 11,       /* SECTION_CALLS */
    SECTION_CODED_DEFINITIONS = 12,    /* SECTION_DEFINITIONS */
    SECTION_CODED_CALLS = 13,          /* SECTION_CALLS */
    SECTION_SKIPPABLE = 64             /* a reader may skip types from here on */
};

/* True if a shard begins with a section of TYPE. */
static inline bool section_begins_shard(unsigned type)
{
    return type == SECTION_DEFINITIONS || type == SECTION_OLD_DEFINITIONS;
}

/* True if calls, or definitions, in a section of STORED_TYPE are coded. */
static inline bool section_has_coded_calls(uint8_t stored_type)
{
    return stored_type == SECTION_CODED_CALLS_7 || stored_type == SECTION_CODED_CALLS_11 ||
           stored_type == SECTION_CODED_CALLS;
}

static inline bool section_has_coded_definitions(uint8_t stored_type)
{
    return stored_type == SECTION_CODED_DEFINITIONS_10 || stored_type == SECTION_CODED_DEFINITIONS;
}

/* Returns what a section of STORED_TYPE is, whatever its form. */
static inline uint8_t section_type_of(uint8_t stored_type)
{
    switch (stored_type) {
    case SECTION_CODED_CALLS_7:
    case SECTION_CODED_CALLS_11:
    case SECTION_CODED_CALLS:
        return SECTION_CALLS;
    case SECTION_SHORT_PROFILE:
    case SECTION_SHARED_PROFILE:
        return SECTION_PROFILE;
    case SECTION_CODED_DEFINITIONS_10:
    case SECTION_CODED_DEFINITIONS:
        return SECTION_DEFINITIONS;
    default:
        return stored_type;
    }
}

#define SECTION_RATIO_MAX 256 /* a section's content has at most so many times the bytes that are stored for it */

/* Likewise of coded calls and definitions, which take longer to read. */
#define CODED_RATIO_MAX             32
#define CODED_DEFINITIONS_RATIO_MAX 64

/* The property of functions some of whose calls another tool hid from the recorder. */
#define PROPERTY_UNSEEN "unseen"

/* The property of functions some of whose calls were made inside another call, which could not have them. */
#define PROPERTY_INSIDE "inside"

/* The property of the trace of one process, which only has sessions: the rank that the launcher gave it, or "unknown".
 * Such a trace has no columns that depend on the rank, so that its shard means the same behind others. */
#define PROPERTY_SESSION "session"

/* ---- 3. Definitions ---- */

#define BUILD_ID_BYTES_MAX 32

/* In place of a build-id's length: the module is a function in Python, the name of which follows. */
#define MODULE_IN_PYTHON (BUILD_ID_BYTES_MAX + 1)

/* How an address is stored; from ADDRESS_IN_SYMBOL on: ADDRESS_IN_SYMBOL + a reference to its symbol. */
enum stored_address_kind { ADDRESS_IN_MODULE = 0, ADDRESS_LIKE_ELDER = 1, ADDRESS_IN_SYMBOL = 2 };

/* ---- 4. Calls: rules and sequences ---- */

/* The first varint of a symbol: value << STORED_SYMBOL_BITS | these. */
enum stored_symbol { STORED_IS_RULE = 1, STORED_HAS_EXPONENT = 2, STORED_SYMBOL_BITS = 2 };

/* The form of a block: width << BLOCK_FORM_BITS | these. */
enum block_form { BLOCK_SUMS = 1, BLOCK_PLANES = 2, BLOCK_FORM_BITS = 2 };

/* Limits of a block. */
enum {
    BLOCK_COUNT_MIN = 2, /* terminals */
    BLOCK_COUNT_MAX = 65536,
    BLOCK_WIDTH_MAX = 62,       /* bits of a terminal ... */
    BLOCK_PLANES_WIDTH_MAX = 56 /* ... in a block with planes */
};

#define BLOCK_TERMINAL_LIMIT (UINT64_C(1) << 62) /* terminals in blocks are below this */

/* ---- 4. Calls: columns ---- */

/* The kind of an expression: what a column gives for the member at position i. */
enum expression_kind {
    EXPRESSION_CONSTANT = 0,     /* c */
    EXPRESSION_PLUS = 1,         /* x + c */
    EXPRESSION_MINUS = 2,        /* c - x */
    EXPRESSION_MINUS_TWICE = 3,  /* c - 2x */
    EXPRESSION_XOR_RELATIVE = 4, /* (x xor c) - x */
    EXPRESSION_XOR = 5,          /* x xor c */
    EXPRESSION_MODULO = 6,       /* (x + c) mod n */
    EXPRESSION_SUMS = 7,         /* first + the sum of the first i differences */
    EXPRESSION_LIST = 8,         /* the i-th of n numbers */
    EXPRESSION_KIND_COUNT = 9
};

/* ---- 4. Calls: loops, process streams ---- */

/* Functions that are not MPI's. */
#define LOOP_FUNCTION         "pilgrim_loop"
#define PROCESS_FUNCTION      "pilgrim_process"
#define COMMUNICATOR_FUNCTION "pilgrim_communicator"

/* ---- 5. Values ---- */

#define VALUE_NESTING_MAX  32         /* a value of the call itself has depth 1 */
#define SHAPE_VALUES_LIMIT (1u << 28) /* a shape stands for fewer values */
#define LABELS_MAX         4096       /* members of a partition that is stored as labels, at most */
#define REGISTERS_MAX      65536      /* registers have numbers below this */
#define POSTED_INDEX_LIMIT 4096       /* posted names only requests with a smaller request index */
#define POSTED_CALLS_LIMIT (1u << 20) /* a reader tells apart fewer requests of a thread than this */

/* ---- 6. Times ---- */

/* What a times section has of each call. TIMES_NONE does not occur in a file. */
enum times_kind { TIMES_NONE = 0, TIMES_BINS = 1, TIMES_EXACT = 2 };

#define TIMES_READS 2 /* the writer adds this to the kind if the section has readings of clocks */

#endif
