/* SPDX-License-Identifier: BSD-3-Clause */
/* Pilgrim's own communicator; see own_communicator.h.
 *
 * This is the first thing that all ranks must do together. If some have no Pilgrim, there is no way out:
 *   - A message on MPI_COMM_WORLD that asks them could match a receive of theirs.
 *   - A collective operation on MPI_COMM_WORLD cannot be taken back, and the next one of the program would meet it.
 *   - Launchers do not tell a process about other processes' programs and environment.
 * So the user is told. The duplication does not block, so that this process can look at the clock without a thread or a
 * signal. Its messages cannot match those of blocking operations that the other ranks are in meanwhile. */
#define _DEFAULT_SOURCE 1 /* flock */
#include "lifecycle/own_communicator.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "process/capture.h"
#include "process/waiting.h"

#define PATIENCE_NS (5 * WAITING_SECOND_NS)
#define FOREVER_NS  INT64_MAX

enum { NAME_BYTES = 64 };

/* True if this process is to speak: of the waiting processes on this machine the first one gets a lock on a file of
 * /proc that is their launcher's. *WORD holds it; -1: there is no such file. A process with another parent may speak,
 * too. */
static bool take_word(int *word)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "/proc/%ld/stat", (long)getppid());
    *word = open(name, O_RDONLY | O_CLOEXEC);
    return *word < 0 || !flock(*word, LOCK_EX | LOCK_NB);
}

static bool wait_with_word(MPI_Request *request)
{
    int word = -1;
    if (take_word(&word))
        capture_say("rank %d of %d has waited in MPI_Init for 5 s for ranks that do not record; start all ranks with "
                    "pilgrim-run, or set PILGRIM_OFF=1 for all",
                    capture.rank, capture.size);
    bool good = waiting_until(request, FOREVER_NS);
    if (word >= 0)
        close(word);
    return good;
}

bool own_communicator_make(void)
{
    MPI_Request request;
    return PMPI_Comm_idup(MPI_COMM_WORLD, &capture.comm, &request) == MPI_SUCCESS &&
           (waiting_until(&request, waiting_now_ns() + PATIENCE_NS) || wait_with_word(&request));
}
