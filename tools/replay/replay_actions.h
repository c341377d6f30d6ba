/* SPDX-License-Identifier: BSD-3-Clause */
/* The generated table of actions: how each recorded function is performed, or why it is not. */
#ifndef REPLAY_ACTIONS_H
#define REPLAY_ACTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "replay_step.h"

enum {
    REPLAY_POLLS = 1,         /* asks if something has happened: MPI_Test, MPI_Iprobe */
    REPLAY_CHOOSES = 2,       /* completes some of its requests: MPI_Waitany */
    REPLAY_OPENS_PORT = 4,    /* its output is a port's name */
    REPLAY_OPENS_FILE = 8,    /* the file may have to exist */
    REPLAY_FREES_MEMORY = 16, /* that MPI gave: its heap name means other memory from then on */
    REPLAY_FREES_WINDOW = 64, /* and the memory that MPI gave with it */
    REPLAY_GIVES_MEMORY = 128,
    REPLAY_REPEATS_ERROR = 32 /* takes a message or ends requests, also where it fails */
};

struct replay_action {
    const char *name;
    int (*perform)(struct replay_step *s); /* NULL: not replayed. Returns what MPI returned */
    unsigned flags;
    const char *parameters; /* as the trace declares them: ",in>out&both" */
    const char *reason;     /* why it is not replayed */
};

/* Sorted by name. */
extern const struct replay_action replay_actions[];
extern const size_t replay_action_count;

/* A constant or predefined handle of this library: its value, or its address. */
struct replay_constant {
    const char *name;
    uint64_t bits;
};

const struct replay_constant *replay_constants(size_t *count);

#endif
