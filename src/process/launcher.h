/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program's launcher says in the environment, before MPI can be asked. */
#ifndef PILGRIM_LAUNCHER_H
#define PILGRIM_LAUNCHER_H

#include <stdbool.h>

/* Returns the rank that the launcher gave this process, or NULL if it does not say. */
const char *launcher_rank(void);

/* True if this process is rank 0, or if the launcher says nothing about ranks. Such a process writes the messages that
 * concern all processes. */
bool launcher_is_first(void);

/* Returns how many processes of the run are on this machine; 0 if the launcher does not say. */
int launcher_local_count(void);

/* Returns the number of processes that the launcher has started, or 0 if it does not say. */
int launcher_count(void);

/* Notes what the launcher says, before MPI is initialised: an MPI library that finds no launcher of its own sets such
 * variables itself. */
void launcher_look(void);

/* Returns how many processes MPI_COMM_WORLD should have; 0 if the launcher does not say. *FIRST: launcher_is_first.
 * After launcher_look. */
int launcher_world(bool *first);

#endif
