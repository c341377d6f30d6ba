! SPDX-License-Identifier: BSD-3-Clause
! As deletes.c, in Fortran.
module counted
    use mpi
    implicit none
    integer :: rank, who, last, kept

contains

    subroutine on_end(comm, key, number, extra, error)
        integer :: comm, key, error
        integer(MPI_ADDRESS_KIND) :: number, extra
        call ended(int(number), int(extra), error)
    end subroutine

    subroutine on_old_end(comm, key, number, extra, error)
        integer :: comm, key, number, extra, error
        call ended(number, extra, error)
    end subroutine

    subroutine ended(number, extra, error)
        integer :: number, extra, error
        integer :: total, ierr
        if (number == last) then
            call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, kept, ierr)
        else
            call MPI_Comm_size(kept, total, ierr)
        end if
        print '(5(a, i0))', 'rank ', rank, ' deletes ', number, ' of ', last, ', extra ', extra, ': ', total
        flush (6)
        error = MPI_SUCCESS
        if (number == last .and. (who < 0 .or. who == rank)) error = 17
    end subroutine
end module

program deletes
    use counted
    implicit none
    integer :: ierr, i, key, returns, first
    integer(MPI_ADDRESS_KIND) :: value
    character(len=32) :: word

    call get_command_argument(1, word)
    read (word, *) who
    call get_command_argument(2, word)
    read (word, *) last
    call get_command_argument(3, word)
    read (word, *) returns
    call get_command_argument(4, word)
    read (word, *) first
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, kept, ierr)
    if (returns /= 0) then
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    end if
    value = 0
    if (first /= 0) then
        call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, value, ierr)
        call MPI_Comm_set_attr(MPI_COMM_SELF, key, value, ierr)
        call MPI_Comm_free_keyval(key, ierr)
    end if
    do i = 1, last
        value = i
        if (modulo(i, 2) == 1) then
            call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, key, value, ierr)
            call MPI_Comm_set_attr(MPI_COMM_SELF, key, value, ierr)
        else
            call MPI_Keyval_create(MPI_NULL_COPY_FN, on_old_end, key, i, ierr)
            call MPI_Attr_put(MPI_COMM_SELF, key, i, ierr)
        end if
        call MPI_Comm_free_keyval(key, ierr)
    end do
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, value, ierr)
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Finalize(ierr)
    print '(a, i0, 2a)', 'rank ', rank, ': MPI_Finalize ', trim(merge('fails', 'ends ', ierr /= MPI_SUCCESS))
end program
