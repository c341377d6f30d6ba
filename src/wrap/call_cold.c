/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of call_inline.h as ordinary ones; see call_cold.h. They are not part of call.c: the linker leads calls
 * of call_done to the shadow (src/shadow) only from other objects than its own. */
#include "wrap/call_cold.h"

#define WRAPPER_INLINE
#define WRAPPER_SMALL
#include "wrap/call_inline.h"
