! hidden: calls some of which a tool may hide (tool.c): what the others are given has to have the name of what it is.
program hidden
  use mpi
  implicit none
  integer, parameter :: rounds = 20
  integer :: error, rank, ranks, i, in, out, made, part, part_size, one, requests(2), statuses(MPI_STATUS_SIZE, 2)
  integer :: persistent, answer
  integer, allocatable :: counts(:), places(:), all(:)
  double precision :: start
  logical :: good

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  good = .true.
  start = MPI_Wtime()
  call MPI_Recv_init(answer, 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, persistent, error)
  do i = 1, rounds
     out = i
     call MPI_Irecv(in, 1, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, requests(1), error)
     call MPI_Isend(out, 1, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, requests(2), error)
     call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
     call MPI_Waitall(1, requests(2:2), statuses, error)
     good = good .and. in == i
     call MPI_Start(persistent, error)
     call MPI_Wait(persistent, MPI_STATUS_IGNORE, error)
     ! One as large as the world, or for each rank one of its own.
     one = mod(i, 3)
     call MPI_Comm_split(MPI_COMM_WORLD, one * rank, 0, part, error)
     call MPI_Comm_size(part, part_size, error)
     allocate (counts(part_size), places(part_size), all(part_size))
     counts = 1
     places = (/ (one, one = 0, part_size - 1) /)
     call MPI_Allgatherv(rank, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, part, error)
     good = good .and. any(all == rank)
     deallocate (counts, places, all)
     call MPI_Comm_dup(part, made, error)
     call MPI_Comm_free(part, error)
     call MPI_Barrier(made, error)
     call MPI_Comm_free(made, error)
  end do
  good = good .and. MPI_Wtime() >= start
  call MPI_Request_free(persistent, error)
  if (rank == 0) then
     if (good) then
        print '(a)', 'hidden: ok'
     else
        print '(a)', 'hidden: FAILED'
     end if
  end if
  call MPI_Finalize(error)
end program hidden
! SPDX-License-Identifier: BSD-3-Clause
