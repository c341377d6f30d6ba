/* Written by pilgrim-gen: the variables of the MPI library that its constants are made of. */
#ifndef PILGRIM_MPI_SYMBOLS_H
#define PILGRIM_MPI_SYMBOLS_H

#define MPI_LIBRARY_SYMBOLS(X) \
    X(MPI_UNWEIGHTED) \
    X(MPI_WEIGHTS_EMPTY) \
    X(MPI_T_PVAR_ALL_HANDLES) 

#endif
