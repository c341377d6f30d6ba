/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: variables of the MPI library that its constants refer to. */
#ifndef PILGRIM_MPI_SYMBOLS_H
#define PILGRIM_MPI_SYMBOLS_H

#define MPI_LIBRARY_SYMBOLS(X) \
    X(MPI_UNWEIGHTED) \
    X(MPI_WEIGHTS_EMPTY) \
    X(MPI_T_PVAR_ALL_HANDLES) 

#endif
