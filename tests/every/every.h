/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated calls of the program `every` share. */
#ifndef TESTS_EVERY_H
#define TESTS_EVERY_H

#include <mpi.h>

#include "mpi_features.h" /* generated */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVERY_SESSIONS HAS_MPI_Session
enum { NUMBERS = 1024, RANKS_MAX = 16, WINDOW_BYTES = 1024, ATTACHED_BYTES = 1 << 16 };

/* Arguments to choose from. All ranks of `comm` fill it together. Names of array members end in their type where the
 * large-count functions need the same numbers in another one. */
struct argument_pool {
    MPI_Comm comm, cart, graph, dist;
    MPI_Comm inter, half;                   /* MPI_COMM_NULL on one rank */
    int rank, size, next, previous, other;  /* other: the leader of the other half, in comm */
    MPI_Group group, half_group, far_group; /* all, those of half, the others; on one rank all of them are all */
    MPI_Win win, shared, dynamic, pscw;
    int *window; /* win's own memory */
    MPI_File file;
    char file_name[64], own_name[64];
    MPI_Info info;
    MPI_Datatype type; /* a vector, committed */
    MPI_Op op;
    MPI_Errhandler errhandler;
    int comm_keyval, type_keyval, win_keyval;
    MPI_Status status;
    MPI_Fint f_status[16];
#if EVERY_SESSIONS
    MPI_Session session;
#endif
    MPI_Request requests[2], pair[2];

    int out[NUMBERS], in[NUMBERS], both[NUMBERS];
    char text[8192], attached[ATTACHED_BYTES], packed[256];
    void *pointer;
    int indices[64];
    MPI_Status statuses[4];
    int counts_int[RANKS_MAX], places_int[RANKS_MAX], bytes_int[RANKS_MAX], ones_int[RANKS_MAX];
    MPI_Count counts_MPI_Count[RANKS_MAX], places_MPI_Count[RANKS_MAX], bytes_MPI_Count[RANKS_MAX],
        ones_MPI_Count[RANKS_MAX];
    MPI_Aint places_MPI_Aint[RANKS_MAX], bytes_MPI_Aint[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX], types_out[RANKS_MAX];
    int sizes_int[2], ranks[2], dims[1], zero_dims[2], periods[1], graph_index[RANKS_MAX], edges[RANKS_MAX],
        ranges[1][3];
    MPI_Count sizes_MPI_Count[2], zeros_MPI_Count[2];
    int zeros_int[2], distribs[1], dargs[1];
    char *strings[2], service[32], name[256], command[8], port[MPI_MAX_PORT_NAME];
    char executable[1024], *spawn_commands[1], *spawn_arguments[8], **spawn_lists[1];
    MPI_Info infos[1];
    int descriptor;
    MPI_T_enum enumeration;
    MPI_T_cvar_handle cvar;
    MPI_T_pvar_session pvars;
    MPI_T_pvar_handle pvar;
    int pvar_class;
    MPI_Aint aints[64];
    MPI_Count large[64];
};

extern struct argument_pool s;

void arguments_make(MPI_Comm base);
void arguments_free(void);

/* Error handlers that count in `handled` take MPI_ERRORS_RETURN's place, so that an error more or less is noticed. */
void arguments_count_errors(void);
extern int handled;

/* Another vector, committed, that nobody frees: MPICH 4.0.2 loses count of the references of some. */
MPI_Datatype type_fresh(void);

/* Receives every message that waits in s.comm. */
void arguments_drain(void);

/* The message that a receive is to get, or the receive that a message is to get: begun before the call, ended after
 * it. When the call was made with another argument nobody may want them: then they are withdrawn. */
void peer_send(MPI_Request *request);
void peer_receive(MPI_Request *request);
void peer_send_end(MPI_Request *request, int wrong);
void peer_receive_end(MPI_Request *request, int wrong);

/* s.requests: a receive and the send to it (persistent: not started). */
void requests_begin(int persistent);
void requests_end(void);

#if EVERY_SESSIONS
/* s.pair: a started partitioned send and the receive of it. */
void partitioned_begin(void);
void partitioned_end(int wrong);
MPI_Request *partitioned_send(MPI_Request *request); /* made, not started; returns REQUEST */
MPI_Request *partitioned_receive(MPI_Request *request);
#endif

/* s.cvar: of a variable that may be written, s.both: its value; s.enumeration: of one whose values have names. */
void cvar_begin(void);
void cvar_end(void);
void enumeration_find(void);

/* s.pvars, s.pvar, s.name, s.pvar_class: a performance variable, if the library has any. */
void pvar_begin(void);
void pvar_end(void);

/* Leaves a file with s.own_name. */
void own_file_make(void);

/* Rank 0 opens s.port, and the other of the two, 0 or 1, accepts or connects and disconnects. */
void port_begin(int other);
void port_end(void);

/* s.descriptor: between ranks 0 and 1. */
void socket_begin(void);

/* What the program prints of a call. */
void every_code(int code);
void every_value(const char *name, long long value);
void every_value_only(long long value);

struct every_call {
    const char *name;
    void (*call)(int wrong);   /* 0: legal arguments; n: the n-th of `wrongs` */
    const char *const *wrongs; /* ends with NULL */
    int ranks_min;             /* on fewer there are no legal arguments */
    int fails;                 /* with arguments that ought to be legal, in this library */
};

extern const struct every_call every_calls[]; /* generated; ends with a NULL name */

/* Callbacks. */
void every_reduce(void *in, void *inout, int *count, MPI_Datatype *type);
void every_comm_error(MPI_Comm *comm, int *code, ...);
void every_win_error(MPI_Win *win, int *code, ...);
void every_file_error(MPI_File *file, int *code, ...);
int every_query(void *state, MPI_Status *status);
int every_free(void *state);
int every_cancel(void *state, int complete);
int every_wait(int count, void **states, double timeout, MPI_Status *status);
int every_extent(MPI_Datatype type, MPI_Aint *extent, void *state);
#if EVERY_SESSIONS
void every_session_error(MPI_Session *session, int *code, ...);
void every_reduce_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type);
#endif

#endif
