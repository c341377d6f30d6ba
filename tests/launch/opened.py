# SPDX-License-Identifier: BSD-3-Clause
"""opened.py LIBRARY [global]: MPI by ctypes."""
import ctypes
import os
import sys

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL if len(sys.argv) > 2 else ctypes.RTLD_LOCAL)
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000) # MPICH's
rank, size = ctypes.c_int(-1), ctypes.c_int(-1)
library.MPI_Init(None, None)
library.MPI_Comm_rank(world, ctypes.byref(rank))
library.MPI_Comm_size(world, ctypes.byref(size))
for _ in range(5):
    library.MPI_Barrier(world)
os.write(1, b"rank %d of %d\n" % (rank.value, size.value)) # whole, so that lines do not mix
library.MPI_Finalize()
