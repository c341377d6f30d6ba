/* SPDX-License-Identifier: BSD-3-Clause */
/* One signature of a class: the data that signature.c records with, and that unzip.c looks through. */
#ifndef PILGRIM_CLASS_SIGNATURE_H
#define PILGRIM_CLASS_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "record/skeleton.h"
#include "sequence/delta_sequence.h"

/* What only unzipped signatures have. */
struct unzipped_state {
    const struct skeleton *skeleton; /* it was unzipped by; may have got more varying slots since */
    struct delta_sequence *deltas;   /* for each varying slot */
    bool is_predicted;               /* all of `deltas` may continue by `steps` */
    uint8_t *predicted;              /* the key that is next in this case */
    uint64_t steady;                 /* calls with the predicted key that `deltas` do not have yet */
    uint32_t *offsets;               /* of the varying slots in the key */
    int64_t steps[];                 /* by varying slot: the difference to the next value */
};

struct class_signature {
    UT_hash_handle hh;
    struct class_signature *successor; /* the signature that followed this one last time */
    struct unzipped_state *unzipped;   /* NULL if it is zipped */
    uint32_t terminal;
    uint32_t length;
    uint32_t varying; /* number of varying slots; 0 if it is zipped */
    uint8_t key[];    /* 0 in the varying slots */
};

#endif
