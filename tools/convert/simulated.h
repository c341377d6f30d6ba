/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread does as a simulator sees it: it computes, begins messages and waits for them. Collective operations are
 * messages, too, unless the format has them. Times in MPI are not told: they are what is simulated. */
#ifndef CONVERT_SIMULATED_H
#define CONVERT_SIMULATED_H

#include "collective_steps.h"
#include "convert.h"

struct simulated_message {
    bool send;
    uint32_t peer;   /* rank in MPI_COMM_WORLD, another one than its own */
    uint64_t number; /* both sides have the same one; no two messages between two ranks in one direction do */
    uint64_t bytes;
};

/* What a format does with it. All return false if they are short of memory. */
struct simulated_sink {
    bool (*compute)(struct convert *c, uint64_t ns);
    bool (*begin)(struct convert *c, const struct simulated_message *m);
    bool (*wait)(struct convert *c, const struct simulated_message *m); /* for one that was begun */
    /* One that is begun and waited for; NULL: by the two former. */
    bool (*blocking)(struct convert *c, const struct simulated_message *m);
    /* A blocking operation of all ranks; *SAID: the format has it. NULL: it has none. */
    bool (*collective)(struct convert *c, const struct collective *collective, bool *said);
};

struct simulated;

/* Returns what is simulated; NULL: no memory. SINK is borrowed. */
struct simulated *simulated_new(const struct simulated_sink *sink);
void simulated_free(struct simulated *s); /* NULL is legal */

/* A thread's calls follow; those of the one before are over. */
bool simulated_thread(struct simulated *s, struct convert *c, uint32_t rank);
bool simulated_call(struct simulated *s, struct convert *c, const struct convert_call *call);
bool simulated_end_thread(struct simulated *s, struct convert *c);

/* Writes what could not be told, "MPI_Put 4, MPI_Win_fence 8"; "" if there is nothing. */
void simulated_unsaid(const struct simulated *s, char *text, size_t size);

/* What could not be told, from one process to another: simulated_join adds it, and returns how many bytes it took. */
void simulated_tell(const struct simulated *s, struct output *told);
size_t simulated_join(struct simulated *s, const unsigned char *told);

#endif
