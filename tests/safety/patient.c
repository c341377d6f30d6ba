/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that gets out of MPI_Init waits until the file PATIENT_UNTIL, to which all processes of the job print what
 * goes wrong, has a line; then it ends the job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has_line(const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    int found = 0;

    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, "pilgrim: ", 9) == 0 && strchr(line, '\n') != NULL;
    if (file)
        fclose(file);
    return found;
}

int main(int argc, char **argv)
{
    const char *path = getenv("PATIENT_UNTIL");

    MPI_Init(&argc, &argv);
    while (path && !has_line(path))
        usleep(100000);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 0;
}
