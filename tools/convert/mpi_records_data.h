/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that read records share. */
#ifndef CONVERT_MPI_RECORDS_DATA_H
#define CONVERT_MPI_RECORDS_DATA_H

#include "mpi_records.h"

struct records_reading;

/* What is done with a call of a function. false: no memory */
typedef bool record_action(struct records_reading *v, const struct match_seen *seen);

/* An operation on a window or file that has begun. */
struct record_operation {
    struct record_operation *next; /* on the same window, in the order of their calls */
    uint64_t number;               /* among those of its process, from 1 */
    uint64_t group, bytes;
    int64_t target;
    uint32_t container; /* number of the window or file */
    uint32_t references;
    bool file;
    bool ended; /* its record is there; of a window: that it is complete here */
};

struct records_reading {
    struct mpi_records *r;
    struct match *match;
    struct records_wanted wanted;
    bool comms_read;
    record_action **actions; /* of the function of each site; NULL: not yet known */
    size_t action_count;
    uint64_t *numbers;         /* of each rank: operations on windows and files so far */
    struct match_map requests; /* struct record_operation, by rank and request; of split operations on files, by file */
    struct match_map epochs;   /* what is known of a rank's window, by rank and window */
};

/* Adds a record of the call; its group is a new one if it has none. false: no memory */
bool records_add(struct records_reading *v, const struct match_seen *seen, struct mpi_record record,
                 enum record_kind kind);

/* True if CALL has done nothing that is told: it failed, or its times are lost. */
bool records_passes_over(const struct records_reading *v, const struct pilgrim_call *call);

/* Returns the action for a function on windows, or on files; NULL: it is none of these. */
record_action *window_action(const char *function);
record_action *file_action(const char *function);

/* Returns a new operation of the call; NULL: no memory. */
struct record_operation *records_operation(struct records_reading *v, uint32_t rank);
void records_operation_drop(struct record_operation *op); /* NULL is legal */

/* The call's request, which NAME says, stands for OP, which is held once more. false: no memory */
bool records_request(struct records_reading *v, uint32_t rank, const struct pilgrim_value *name,
                     struct record_operation *op);

/* The file's split operation is OP from now on. The other one takes it; NULL: there is none. */
bool records_split(struct records_reading *v, uint32_t rank, uint32_t file, struct record_operation *op);
struct record_operation *records_split_take(struct records_reading *v, uint32_t rank, uint32_t file);

/* Sets *INDEX to the window or file that NAME says, in TABLE; UINT32_MAX: it is not known, or its communicator is not.
 * false: no memory */
bool records_container(struct records_reading *v, struct container_table *table, const struct pilgrim_value *name,
                       uint32_t *index);

/* Puts a thread's records in the order of calls; of one call, in the order of kinds and requests. */
void records_order(struct mpi_record_list *list);

/* Frees what windows have begun. */
void window_records_free(struct records_reading *v);

#endif
