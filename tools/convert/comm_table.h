/* SPDX-License-Identifier: BSD-3-Clause */
/* All communicators of a trace, each once, whatever its processes call it, with the ranks of their members. */
#ifndef CONVERT_COMM_TABLE_H
#define CONVERT_COMM_TABLE_H

#include "analysis/match.h"
#include "analysis/match_map.h"

enum { COMM_TABLE_WORLD, COMM_TABLE_SELF, COMM_TABLE_FIRST };
#define COMM_TABLE_NONE UINT32_MAX

struct comm_table_member {
    uint32_t world; /* its rank in MPI_COMM_WORLD */
    int64_t rank;   /* in its group */
    uint64_t side;  /* of an inter-communicator: which group */
};

/* A communicator that the program made. */
struct comm_table_entry {
    struct comm_table_member *members; /* by WORLD */
    size_t count, capacity;
    uint64_t identity;
    int64_t number; /* on its first member */
    bool inter;
    bool whole;       /* all members are known */
    uint32_t *worlds; /* rank in MPI_COMM_WORLD of each rank, if it is whole and no inter-communicator */
    char *name;       /* that the program gave it; NULL: none */
};

/* All zero: empty. Entry I has the number COMM_TABLE_FIRST + I. */
struct comm_table {
    uint32_t ranks;
    struct match_map by_identity;
    struct comm_table_entry *entries;
    size_t count, capacity;
};

/* Fills the table, once all processes of M are known: from the first event on. false: no memory. To be freed by
 * comm_table_free in any case. */
bool comm_table_read(struct comm_table *t, const struct match *m, uint32_t ranks);
void comm_table_free(struct comm_table *t);

/* Returns the number of a communicator; COMM_TABLE_NONE if it is not known, or not all of its members are. */
uint32_t comm_table_find(const struct comm_table *t, uint64_t identity);

/* Returns the rank of a process of MPI_COMM_WORLD in communicator COMM; -1: it is not in it. */
int64_t comm_table_rank(const struct comm_table *t, uint32_t comm, int64_t world);

/* Returns how many processes communicator COMM has, and the rank in MPI_COMM_WORLD of its process RANK, where SELF is
 * the one that asks. The communicator is whole, and no inter-communicator. */
size_t comm_table_size(const struct comm_table *t, uint32_t comm);
uint32_t comm_table_world_rank(const struct comm_table *t, uint32_t comm, size_t rank, uint32_t self);
bool comm_table_is_inter(const struct comm_table *t, uint32_t comm);

/* Gives communicator COMM a name, unless it has one. false: no memory */
bool comm_table_name(struct comm_table *t, uint32_t comm, const char *name);

#endif
