/* SPDX-License-Identifier: BSD-3-Clause */
/* Which machine this is, for journals: the one whose process ids and clock they speak of. */
#ifndef PILGRIM_MACHINE_NAME_H
#define PILGRIM_MACHINE_NAME_H

#include <stddef.h>

/* Sets NAME to a name that only this machine has, as it runs now: host names alone may repeat. */
void machine_name(char *name, size_t size);

#endif
