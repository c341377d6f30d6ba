/* The inside of a stream, for fragment.c, which takes it apart. */
#ifndef PILGRIM_STREAM_DATA_H
#define PILGRIM_STREAM_DATA_H

#include "base/hash.h"
#include "grammar/sequence.h"
#include "merge/stream.h"
#include "signature/signature.h"
#include "timing/timing.h"

struct class_key {
    const void *site;
    uint32_t function;
    uint32_t fortran;
};

struct stream_class {
    UT_hash_handle hh;
    struct class_key key;
    uint32_t number;
    struct stream_class *successor; /* the class that was called after this one last time */
    struct stream_class *twin;      /* the same but for failed_poll, or NULL; of the two the first one is in the table */
    bool failed_poll;               /* of all of its calls */
    uint32_t kept;                  /* stream_class_register; of the two, that of the first one */
    struct code_frame *frames;      /* the call site, then its callers */
    uint32_t frame_count;           /* 0: unknown */
    struct signatures signatures;
    struct timing timing;
};

struct stream {
    const struct vocabulary *vocabulary;
    site_resolver *resolve;
    site_locator *locate; /* or NULL */
    struct stream_class *table; /* uthash, by key */
    struct stream_class **classes; /* by number */
    uint32_t class_count;
    uint32_t class_capacity;
    struct stream_class *last;
    struct sequence structure;
    struct intern chunks;    /* of all that is kept as numbers */
    uint64_t calls;
    uint64_t key_bytes;
};

#endif
