"""A program of mpi4py: pickled objects and numpy arrays, point to point, collective, one-sided, on split communicators."""
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size

# objects
got = world.sendrecv({"rank": rank, "list": list(range(rank + 3))}, dest=right, sendtag=1, source=left, recvtag=1)
assert got == {"rank": left, "list": list(range(left + 3))}
request = world.isend("x" * (100 * rank + 1), dest=right, tag=2)
assert len(world.recv(source=left, tag=2)) == 100 * left + 1
request.wait()
assert world.bcast((1, "two", 3.0) if rank == 0 else None, root=0) == (1, "two", 3.0)
assert world.gather(rank ** 2, root=0) == ([r ** 2 for r in range(size)] if rank == 0 else None)
assert world.scatter([[r] * r for r in range(size)] if rank == 0 else None, root=0) == [rank] * rank
assert world.allgather(str(rank)) == [str(r) for r in range(size)]
assert world.alltoall([(rank, r) for r in range(size)]) == [(r, rank) for r in range(size)]

# arrays
for step in range(10):
    out, into = numpy.full(64, rank + step, dtype="d"), numpy.empty(64, dtype="d")
    requests = [world.Irecv(into, source=left, tag=step), world.Isend(out, dest=right, tag=step)]
    status = [MPI.Status(), MPI.Status()]
    MPI.Request.Waitall(requests, status)
    assert status[0].Get_source() == left and (into == left + step).all()
column = MPI.DOUBLE.Create_vector(4, 1, 4).Commit()
matrix = numpy.arange(16, dtype="d").reshape(4, 4) + 100 * rank
world.Sendrecv_replace([matrix, 1, column], dest=right, source=left)
assert (matrix[:, 0] == numpy.arange(0, 16, 4) + 100 * left).all()
column.Free()
total = numpy.zeros(5, dtype="i")
world.Allreduce(numpy.full(5, rank, dtype="i"), total, op=MPI.SUM)
assert (total == size * (size - 1) // 2).all()
counts = [r + 1 for r in range(size)]
everything = numpy.empty(sum(counts), dtype="i")
world.Allgatherv(numpy.full(rank + 1, rank, dtype="i"), [everything, counts])
assert (everything == numpy.repeat(numpy.arange(size), counts)).all()

# parts
part = world.Split(color=rank % 2, key=-rank)
assert part.allreduce(rank) == sum(range(rank % 2, size, 2))
order = part.allgather(rank)
assert order == sorted(order, reverse=True)
part.Free()
grid = world.Create_cart([size], periods=[True])
assert grid.Shift(0, 1) == (left, right)
grid.Free()

# memory of others
memory = numpy.zeros(size, dtype="i")
window = MPI.Win.Create(memory, disp_unit=memory.itemsize, comm=world)
window.Fence()
for other in range(size):
    window.Put(numpy.array([rank + 1], dtype="i"), other, target=rank)
window.Fence()
assert (memory == numpy.arange(1, size + 1)).all()
window.Lock(right, MPI.LOCK_SHARED)
look = numpy.zeros(1, dtype="i")
window.Get(look, right, target=rank)
window.Unlock(right)
assert look[0] == rank + 1
window.Free()


def larger(first, second, _):
    """A reduction in Python."""
    a, b = numpy.frombuffer(first, dtype="i"), numpy.frombuffer(second, dtype="i")
    b[:] = numpy.maximum(a, b)


operation = MPI.Op.Create(larger, commute=True)
best = numpy.zeros(1, dtype="i")
world.Allreduce(numpy.array([rank * 3], dtype="i"), best, op=operation)
operation.Free()

try:
    world.Send(numpy.zeros(1), dest=size + 5)
except MPI.Exception as error:
    caught = error.Get_error_class() == MPI.ERR_RANK
lines = world.gather("rank %d of %d: best %d, caught %s" % (rank, size, best[0], caught), root=0)
if rank == 0:
    print("\n".join(lines))
sys.exit(5 if rank == 0 and "fail" in sys.argv else 0)
# SPDX-License-Identifier: BSD-3-Clause
