/* nothing: a program without MPI that would use it if it were there. */
#include <stdio.h>

#pragma weak MPI_Initialized
#pragma weak MPI_Init
int MPI_Initialized(int *flag);
int MPI_Init(int *argc, char ***argv);

int main(int argc, char **argv)
{
    int flag = 0;

    if (MPI_Initialized)
        MPI_Initialized(&flag);
    printf("initialised %d\n", flag);
    if (argc > 1 && MPI_Init)
        printf("begun %d\n", MPI_Init(&argc, &argv) == 0);
    return 3;
}
/* SPDX-License-Identifier: BSD-3-Clause */
