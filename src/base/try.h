/* SPDX-License-Identifier: BSD-3-Clause */
/* TRY(f()): returns from the calling function with f's status unless it is PILGRIM_OK. */
#ifndef PILGRIM_TRY_H
#define PILGRIM_TRY_H

#include "pilgrim/status.h"

#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        enum pilgrim_status try_status = (expression);                                                                 \
        if (try_status != PILGRIM_OK)                                                                                  \
            return try_status;                                                                                         \
    } while (0)

#endif
