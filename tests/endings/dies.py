# SPDX-License-Identifier: BSD-3-Clause
"""As dies.c, in Python: PATTERN END RANK STEPS NS. PATTERN and NS mean nothing here."""
import array
import ctypes
import os
import signal
import sys

import mpi4py

mpi4py.rc.finalize = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
end, who, steps = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def step(number):
    into, out = array.array("i", [0] * 8), array.array("i", [number] * (1 + number % 8))
    requests = [world.Irecv(into, source=(rank - 1) % size), world.Isend(out, dest=(rank + 1) % size, tag=number ** 2 % 100)]
    MPI.Request.Waitall(requests)
    world.allreduce(number)


def fail():
    raise RuntimeError("the end")


def fatal():
    world.Set_errhandler(MPI.ERRORS_ARE_FATAL)
    world.Send(array.array("i", [1]), dest=size + 1)


ENDS = {"exit": lambda: sys.exit(3), "_exit": lambda: os._exit(4), "raise": fail, "abort": os.abort, "segv": lambda: ctypes.string_at(0),
        "term": lambda: os.kill(os.getpid(), signal.SIGTERM), "int": lambda: os.kill(os.getpid(), signal.SIGINT),
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL), "mpiabort": lambda: world.Abort(7), "fatal": fatal}

for i in range(steps):
    step(i)
if who in (-1, rank):
    ENDS[end]()
for i in range(1000000):
    step(i)
