/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files that a killed program left. */
#ifndef PILGRIM_LEFTOVERS_H
#define PILGRIM_LEFTOVERS_H

/* Removes the files whose names are PATH, INFIX, a number, '-' and a number, if they are regular files of this user,
 * not written to for an hour, and nobody holds a lock (flock) on them. Whoever writes such a file holds one. */
void leftovers_remove(const char *path, const char *infix);

#endif
