/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs whose machines do not share the folder of the trace; see separate_folders.h.
 *
 * The folder of a run is made by the first of its processes that comes there. If several processes were the first, they
 * have made several folders of that name, on disks that the others do not see. */
#define _GNU_SOURCE 1 /* gethostname */
#include "lifecycle/separate_folders.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/mpi_library.h"
#include "process/capture.h"
#include "process/journaling.h"
#include "process/spill_file.h"

enum { HOST_BYTES = 256, PLACES_SHOWN = 16, PLACE_BYTES = 1024, PLACES_BYTES = PLACES_SHOWN * (PLACE_BYTES + 1) };

/* HOST:FOLDER of each process that has made a folder, as scp takes them; empty behind those. Static, so that no process
 * can find too little memory for a collective call. */
static char places[PLACES_SHOWN][PLACE_BYTES];

static void put_own(char *place)
{
    char host[HOST_BYTES] = "";
    gethostname(host, sizeof host - 1);
    if (snprintf(place, PLACE_BYTES, "%s:%s", host, journaling_path()) >= PLACE_BYTES)
        snprintf(place, PLACE_BYTES, "%s:...", host);
}

/* Tells journaling.h of COUNT folders. */
static void tell(int count)
{
    static char text[PLACES_BYTES];
    char more[64] = "";
    for (int i = 0; i < count && i < PLACES_SHOWN; i++) {
        strcat(text, i ? " " : "");
        strcat(text, places[i]);
    }
    if (count > PLACES_SHOWN)
        snprintf(more, sizeof more, " (and of %d more machines)", count - PLACES_SHOWN);
    journaling_is_scattered(text, more);
}

void separate_folders_find(void)
{
    const bool first = journaling_path() && !journaling_is_apart() && spill_file_made_folder();
    int made = first, count = 0, before = 0;
    if (capture.size == 1 || PMPI_Allreduce(&made, &count, 1, MPI_INT, MPI_SUM, capture.comm) != MPI_SUCCESS ||
        count < 2 || PMPI_Exscan(&made, &before, 1, MPI_INT, MPI_SUM, capture.comm) != MPI_SUCCESS)
        return;
    if (capture.rank == 0)
        before = 0;
    if (first && before < PLACES_SHOWN)
        put_own(places[before]);
    if (PMPI_Allreduce(MPI_IN_PLACE, places, (int)sizeof places, MPI_UNSIGNED_CHAR, MPI_MAX, capture.comm) ==
        MPI_SUCCESS)
        tell(count);
}
