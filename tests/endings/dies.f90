! SPDX-License-Identifier: BSD-3-Clause
! As dies.c, in Fortran: PATTERN END RANK STEPS NS. PATTERN and NS mean nothing here.
program dies
    use mpi
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        integer(c_int) function c_raise(number) bind(c, name='raise')
            import :: c_int
            integer(c_int), value :: number
        end function
    end interface
    integer, parameter :: steps_max = 2000000
    integer :: ierr, rank, size, who, steps, i, ignored
    character(len=32) :: ending, word
    integer, pointer :: nowhere

    call get_command_argument(2, ending)
    call get_command_argument(3, word)
    read (word, *) who
    call get_command_argument(4, word)
    read (word, *) steps
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    do i = 1, steps
        call step(i)
    end do
    if (who < 0 .or. who == rank) then
        select case (ending)
        case ('exit')
            stop 3
        case ('errorstop')
            error stop 4
        case ('abort')
            call abort()
        case ('segv')
            call c_f_pointer(c_null_ptr, nowhere)
            nowhere = 1
        case ('kill')
            ignored = c_raise(9_c_int)
        case ('mpiabort')
            call MPI_Abort(MPI_COMM_WORLD, 7, ierr)
        case ('fatal')
            call MPI_Send(i, 1, MPI_INTEGER, size + 1, 0, MPI_COMM_WORLD, ierr)
        end select
    end if
    do i = 1, steps_max
        call step(i)
    end do

contains

    subroutine step(number)
        integer, intent(in) :: number
        integer :: requests(2), in(8), out(8)
        out = number
        call MPI_Irecv(in, 8, MPI_INTEGER, modulo(rank - 1, size), MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Isend(out, 1 + modulo(number, 8), MPI_INTEGER, modulo(rank + 1, size), modulo(number*number, 100), &
                       MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    end subroutine
end program
