/* SPDX-License-Identifier: BSD-3-Clause */
/* Unzips classes whose signatures keep being new (record/signature.h). */
#ifndef PILGRIM_UNZIP_H
#define PILGRIM_UNZIP_H

#include "record/signature.h"

/* Decides if strings, or slots with more than DISTINCT values (UNZIP_DISTINCT), leave the keys of S, and changes S if
 * so. To be called when S has many new signatures since S->checked. The last signature and the expected one may be
 * forgotten; S->number_base is another one if signatures got other numbers. POOL: as signature_append. errors:
 * PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status unzip_consider(struct signatures *s, struct intern *pool, uint32_t distinct) PILGRIM_CHECKED;

#endif
