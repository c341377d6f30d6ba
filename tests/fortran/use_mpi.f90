! The calls of a program that says `use mpi`: each result is checked, rank 0 prints what it got. Any number of ranks.
module use_mpi_parts
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, ierr = -77
  integer :: copies = 0, deletions = 0, errors = 0, queries = 0
contains

  ! Stops everything unless the last call set ierr to what is expected of it.
  subroutine ok(what)
    character(len=*), intent(in) :: what
    call expect(ierr == MPI_SUCCESS, what)
    ierr = -77
  end subroutine ok

  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    integer :: ignored
    if (good) return
    print *, 'rank', rank, 'failed: ', what
    call MPI_Abort(MPI_COMM_WORLD, 3, ignored)
  end subroutine expect

  subroutine say(what, value)
    character(len=*), intent(in) :: what
    integer, intent(in) :: value
    if (rank == 0) print '(a,1x,i0)', what, value
  end subroutine say

  ! MPICH 4.0 counts MPI_UNDEFINED from 1, as it does indices.
  logical function none(index)
    integer, intent(in) :: index
    none = index == MPI_UNDEFINED .or. index == MPI_UNDEFINED + 1
  end function none

  ! ---- callbacks ----

  subroutine add_both(invec, inoutvec, length, datatype)
    integer, intent(in) :: length, datatype
    integer, intent(in) :: invec(length)
    integer, intent(inout) :: inoutvec(length)
    integer :: bytes, error
    call MPI_Type_size(datatype, bytes, error) ! not the program's own call
    inoutvec = inoutvec + invec
  end subroutine add_both

  subroutine count_error(comm, code)
    integer :: comm, code
    errors = errors + 1
  end subroutine count_error

  subroutine copy_attribute(comm, keyval, extra, value_in, value_out, flag, error)
    integer :: comm, keyval, error
    integer(kind=MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    copies = copies + 1
    value_out = value_in + extra
    flag = .true.
    error = MPI_SUCCESS
  end subroutine copy_attribute

  subroutine delete_attribute(comm, keyval, value, extra, error)
    integer :: comm, keyval, error
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deletions = deletions + 1
    error = MPI_SUCCESS
  end subroutine delete_attribute

  subroutine request_query(extra, status, error)
    integer :: status(MPI_STATUS_SIZE), error
    integer(kind=MPI_ADDRESS_KIND) :: extra
    queries = queries + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, 5, error)
    call MPI_Status_set_cancelled(status, .false., error)
    status(MPI_SOURCE) = 1
    status(MPI_TAG) = 2
    error = MPI_SUCCESS
  end subroutine request_query

  subroutine request_free(extra, error)
    integer :: error
    integer(kind=MPI_ADDRESS_KIND) :: extra
    error = MPI_SUCCESS
  end subroutine request_free

  subroutine request_cancel(extra, complete, error)
    integer :: error
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    error = MPI_SUCCESS
  end subroutine request_cancel

  ! ---- point to point ----

  subroutine messages
    integer :: status(MPI_STATUS_SIZE), got(4), sent(4), count, left, right, position
    character :: packed(64)
    logical :: flag
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    sent = rank
    call MPI_Sendrecv(sent, 4, MPI_INTEGER, right, 7, got, 4, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call ok('Sendrecv')
    call expect(all(got == left) .and. status(MPI_SOURCE) == left .and. status(MPI_TAG) == 7, 'ring')
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    call ok('Get_count')
    call say('received', count)
    call MPI_Send(sent, 4, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierr)
    call ok('Send')
    call MPI_Recv(got, 4, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call ok('Recv')
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, flag, status, ierr)
    call ok('Iprobe')
    call expect(.not. flag, 'nothing to probe')
    position = 0
    call MPI_Pack(sent, 4, MPI_INTEGER, packed, 64, position, MPI_COMM_SELF, ierr)
    call ok('Pack')
    call say('packed', position)
    position = 0
    call MPI_Unpack(packed, 64, position, got, 4, MPI_INTEGER, MPI_COMM_SELF, ierr)
    call ok('Unpack')
    call expect(all(got == rank), 'unpacked')
  end subroutine messages

  subroutine begin(sent, got, requests)
    integer, asynchronous :: sent(3), got(3)
    integer, intent(out) :: requests(6)
    integer :: i
    do i = 1, 3
      sent(i) = 10 * i
      got(i) = -1
      call MPI_Irecv(got(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i), ierr)
      call ok('Irecv')
      call MPI_Isend(sent(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(3 + i), ierr)
      call ok('Isend')
    end do
  end subroutine begin

  subroutine completions
    integer, asynchronous :: sent(3), got(3)
    integer :: requests(6), statuses(MPI_STATUS_SIZE, 6), indices(6), done, i, total
    logical :: flag
    call begin(sent, got, requests)
    call MPI_Waitall(6, requests, statuses, ierr)
    call ok('Waitall')
    call expect(all(got == sent) .and. statuses(MPI_TAG, 2) == 2, 'all')
    call begin(sent, got, requests)
    call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE, ierr)
    call ok('Waitall, statuses ignored')
    call begin(sent, got, requests)
    total = 0
    do i = 1, 6
      call MPI_Waitany(6, requests, done, statuses(:, 1), ierr)
      call ok('Waitany')
      total = total + done
    end do
    call say('sum of indices', total)
    call MPI_Waitany(6, requests, done, MPI_STATUS_IGNORE, ierr)
    call ok('Waitany of none')
    call expect(none(done), 'no index')
    call begin(sent, got, requests)
    total = 0
    do while (total < 6)
      call MPI_Waitsome(6, requests, done, indices, statuses, ierr)
      call ok('Waitsome')
      call expect(done >= 1 .and. all(indices(1:done) >= 1) .and. all(indices(1:done) <= 6), 'some')
      total = total + done
    end do
    call begin(sent, got, requests)
    total = 0
    do while (total < 6)
      call MPI_Testsome(6, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
      call ok('Testsome')
      total = total + done
    end do
    call begin(sent, got, requests)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(6, requests, flag, statuses, ierr)
      call ok('Testall')
    end do
    call begin(sent, got, requests)
    do i = 1, 6
      flag = .false.
      do while (.not. flag)
        call MPI_Testany(6, requests, done, flag, statuses(:, 1), ierr)
        call ok('Testany')
      end do
    end do
    call begin(sent, got, requests)
    do i = 1, 6
      flag = .false.
      do while (.not. flag)
        call MPI_Test(requests(i), flag, MPI_STATUS_IGNORE, ierr)
        call ok('Test')
      end do
    end do
    call expect(all(requests == MPI_REQUEST_NULL), 'null')
  end subroutine completions

  ! Nothing to complete is an answer too.
  subroutine nothing
    integer :: requests(1), statuses(MPI_STATUS_SIZE, 1), indices(1), done
    logical :: flag
    requests = MPI_REQUEST_NULL
    call MPI_Waitall(0, requests, statuses, ierr)
    call ok('Waitall of 0')
    call MPI_Waitany(0, requests, done, statuses(:, 1), ierr)
    call ok('Waitany of 0')
    call expect(none(done), 'any of 0')
    call MPI_Testall(0, requests, flag, MPI_STATUSES_IGNORE, ierr)
    call ok('Testall of 0')
    call expect(flag, 'all of 0')
    call MPI_Testany(0, requests, done, flag, MPI_STATUS_IGNORE, ierr)
    call ok('Testany of 0')
    call MPI_Waitsome(0, requests, done, indices, statuses, ierr)
    call ok('Waitsome of 0')
    call MPI_Testsome(0, requests, done, indices, statuses, ierr)
    call ok('Testsome of 0')
    call MPI_Startall(0, requests, ierr)
    call ok('Startall of 0')
    call MPI_Wait(requests(1), statuses(:, 1), ierr)
    call ok('Wait for nothing')
  end subroutine nothing

  subroutine persistent
    integer, asynchronous :: sent(2), got(2)
    integer :: requests(2), i
    call MPI_Send_init(sent, 2, MPI_INTEGER, 0, 5, MPI_COMM_SELF, requests(1), ierr)
    call ok('Send_init')
    call MPI_Recv_init(got, 2, MPI_INTEGER, 0, 5, MPI_COMM_SELF, requests(2), ierr)
    call ok('Recv_init')
    do i = 1, 3
      sent = i
      call MPI_Startall(2, requests, ierr)
      call ok('Startall')
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      call ok('Waitall of persistent ones')
      call expect(all(got == i), 'persistent')
    end do
    do i = 1, 2
      call MPI_Request_free(requests(i), ierr)
      call ok('Request_free')
    end do
  end subroutine persistent

  subroutine generalized
    integer :: request, status(MPI_STATUS_SIZE), count
    logical :: flag
    call MPI_Grequest_start(request_query, request_free, request_cancel, 11_MPI_ADDRESS_KIND, request, ierr)
    call ok('Grequest_start')
    call MPI_Grequest_complete(request, ierr)
    call ok('Grequest_complete')
    call MPI_Wait(request, status, ierr)
    call ok('Wait for a generalized request')
    call MPI_Get_elements(status, MPI_INTEGER, count, ierr)
    call ok('Get_elements')
    call MPI_Test_cancelled(status, flag, ierr)
    call ok('Test_cancelled')
    call expect(queries == 1 .and. .not. flag, 'query')
    call say('elements', count)
  end subroutine generalized

  ! ---- collectives ----

  subroutine collectives
    integer :: values(3), one(1), op, request
    integer, allocatable :: all_of(:)
    logical :: commutes
    values = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call ok('Allreduce in place')
    call say('sum', values(1))
    call MPI_Op_create(add_both, .true., op, ierr)
    call ok('Op_create')
    call MPI_Op_commutative(op, commutes, ierr)
    call ok('Op_commutative')
    call expect(commutes, 'commutes')
    one = rank
    call MPI_Reduce(one, values, 1, MPI_INTEGER, op, 0, MPI_COMM_WORLD, ierr)
    call ok('Reduce')
    call say('own sum', values(1))
    call MPI_Op_free(op, ierr)
    call ok('Op_free')
    call expect(op == MPI_OP_NULL, 'no operation')
    allocate(all_of(ranks))
    all_of = -1
    if (rank == 0) then
      all_of(1) = 100
      call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, all_of, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    else
      one = 100 + rank
      call MPI_Gather(one, 1, MPI_INTEGER, all_of, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    end if
    call ok('Gather')
    call say('gathered', sum(all_of))
    call MPI_Ibcast(all_of, ranks, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierr)
    call ok('Ibcast')
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call ok('Wait for Ibcast')
    call expect(all_of(ranks) == 99 + ranks, 'broadcast')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call ok('Barrier')
  end subroutine collectives

  ! ---- datatypes ----

  subroutine absolute
    integer :: first, lengths(2), types(2), datatype
    real :: second(2)
    integer(kind=MPI_ADDRESS_KIND) :: addresses(2), lower, extent
    first = 0
    second = 0
    if (rank == 0) then
      first = 42
      second = 1.5
    end if
    call MPI_Get_address(first, addresses(1), ierr)
    call ok('Get_address')
    call MPI_Get_address(second, addresses(2), ierr)
    call ok('Get_address of a real')
    lengths = [1, 2]
    types = [MPI_INTEGER, MPI_REAL]
    call MPI_Type_create_struct(2, lengths, addresses, types, datatype, ierr)
    call ok('Type_create_struct')
    call MPI_Type_commit(datatype, ierr)
    call ok('Type_commit')
    call MPI_Bcast(MPI_BOTTOM, 1, datatype, 0, MPI_COMM_WORLD, ierr)
    call ok('Bcast from the bottom')
    call see(first, second)
    call MPI_Type_free(datatype, ierr)
    call ok('Type_free')
    call MPI_Type_get_extent(MPI_REAL, lower, extent, ierr)
    call ok('Type_get_extent')
    call say('extent', int(extent))
  end subroutine absolute

  subroutine see(first, second)
    integer, intent(in) :: first
    real, intent(in) :: second(2)
    call expect(first == 42 .and. second(2) > 1.4, 'absolute addresses')
  end subroutine see

  subroutine datatypes
    integer :: datatype, other, bytes, integers(4), datatypes_of(1), counts(4), length
    integer(kind=MPI_ADDRESS_KIND) :: addresses(1)
    character(len=MPI_MAX_OBJECT_NAME) :: name
    call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, datatype, ierr)
    call ok('Type_vector')
    call MPI_Type_set_name(datatype, 'two of four   ', ierr)
    call ok('Type_set_name')
    call MPI_Type_get_name(datatype, name, length, ierr)
    call ok('Type_get_name')
    if (rank == 0) print '(3a)', '[', name(1:length), ']'
    call MPI_Type_get_envelope(datatype, counts(1), counts(2), counts(3), counts(4), ierr)
    call ok('Type_get_envelope')
    call expect(counts(4) == MPI_COMBINER_VECTOR, 'combiner')
    call MPI_Type_get_contents(datatype, 4, 1, 1, integers, addresses, datatypes_of, ierr)
    call ok('Type_get_contents')
    call expect(all(integers(1:3) == [3, 2, 4]) .and. datatypes_of(1) == MPI_DOUBLE_PRECISION, 'contents')
    call MPI_Type_free(datatype, ierr)
    call ok('Type_free of a vector')
    call MPI_Type_create_f90_real(6, 30, other, ierr)
    call ok('Type_create_f90_real')
    call MPI_Type_size(other, bytes, ierr)
    call ok('Type_size')
    call say('real of 6 digits', bytes)
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, other, ierr)
    call ok('Type_match_size')
    call expect(other /= MPI_DATATYPE_NULL, 'matching type')
  end subroutine datatypes

  ! ---- communicators ----

  subroutine topologies
    integer :: cart, row, dims(2), coords(2), source, dest, length
    integer :: graph, neighbors(1), degree(2)
    logical :: periods(2), remain(2), reorder, weighted
    dims = [ranks, 1]
    periods = [.true., .false.]
    reorder = .false.
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, cart, ierr)
    call ok('Cart_create')
    dims = -1
    periods = .false.
    call MPI_Cart_get(cart, 2, dims, periods, coords, ierr)
    call ok('Cart_get')
    call expect(dims(1) == ranks .and. periods(1) .and. .not. periods(2) .and. coords(1) == rank, 'grid')
    call MPI_Cart_shift(cart, 0, 1, source, dest, ierr)
    call ok('Cart_shift')
    call expect(dest == modulo(rank + 1, ranks), 'shift')
    remain = [.false., .true.]
    call MPI_Cart_sub(cart, remain, row, ierr)
    call ok('Cart_sub')
    call MPI_Comm_size(row, length, ierr)
    call ok('Comm_size')
    call say('row', length)
    call MPI_Comm_free(row, ierr)
    call ok('Comm_free of a row')
    call MPI_Comm_free(cart, ierr)
    call ok('Comm_free of a grid')
    neighbors = modulo(rank + 1, ranks)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, ranks)], MPI_UNWEIGHTED, 1, neighbors, &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
    call ok('Dist_graph_create_adjacent')
    call MPI_Dist_graph_neighbors_count(graph, degree(1), degree(2), weighted, ierr)
    call ok('Dist_graph_neighbors_count')
    call expect(all(degree == 1) .and. .not. weighted, 'graph')
    call MPI_Comm_free(graph, ierr)
    call ok('Comm_free of a graph')
  end subroutine topologies

  subroutine groups
    integer :: world, part, comm, ranges(3, 1), translated(1), color
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call ok('Comm_group')
    ranges(:, 1) = [0, ranks - 1, 2]
    call MPI_Group_range_incl(world, 1, ranges, part, ierr)
    call ok('Group_range_incl')
    call MPI_Group_translate_ranks(part, 1, [0], world, translated, ierr)
    call ok('Group_translate_ranks')
    call expect(translated(1) == 0, 'translated')
    call MPI_Comm_create(MPI_COMM_WORLD, part, comm, ierr)
    call ok('Comm_create')
    call expect((comm == MPI_COMM_NULL) .eqv. modulo(rank, 2) == 1, 'part')
    if (comm /= MPI_COMM_NULL) then
      call MPI_Comm_free(comm, ierr)
      call ok('Comm_free of a part')
    end if
    call MPI_Group_free(part, ierr)
    call ok('Group_free')
    call MPI_Group_free(world, ierr)
    call ok('Group_free of the world')
    color = modulo(rank, 2)
    call MPI_Comm_split(MPI_COMM_WORLD, color, -rank, comm, ierr)
    call ok('Comm_split')
    call MPI_Comm_free(comm, ierr)
    call ok('Comm_free of a colour')
  end subroutine groups

  subroutine attributes
    integer :: keyval, duplicating, comm
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    logical :: flag
    extra = 3
    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, keyval, extra, ierr)
    call ok('Comm_create_keyval')
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, duplicating, extra, ierr)
    call ok('Comm_create_keyval, duplicating')
    value = 40
    call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value, ierr)
    call ok('Comm_set_attr')
    value = -5000000000_MPI_ADDRESS_KIND
    call MPI_Comm_set_attr(MPI_COMM_SELF, duplicating, value, ierr)
    call ok('Comm_set_attr of a large value')
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call ok('Comm_dup')
    value = 0
    call MPI_Comm_get_attr(comm, keyval, value, flag, ierr)
    call ok('Comm_get_attr')
    call expect(flag .and. value == 43 .and. copies == 1, 'copied attribute')
    call MPI_Comm_get_attr(comm, duplicating, value, flag, ierr)
    call ok('Comm_get_attr of a large value')
    call expect(flag .and. value == -5000000000_MPI_ADDRESS_KIND, 'large attribute')
    call MPI_Comm_free(comm, ierr)
    call ok('Comm_free with attributes')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval, ierr)
    call ok('Comm_delete_attr')
    call MPI_Comm_get_attr(MPI_COMM_SELF, keyval, value, flag, ierr)
    call ok('Comm_get_attr of none')
    call expect(.not. flag .and. deletions == 2, 'deleted attribute')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, duplicating, ierr)
    call ok('Comm_delete_attr, duplicating')
    call MPI_Comm_free_keyval(keyval, ierr)
    call ok('Comm_free_keyval')
    call MPI_Comm_free_keyval(duplicating, ierr)
    call ok('Comm_free_keyval, duplicating')
    call expect(keyval == MPI_KEYVAL_INVALID, 'no key')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call ok('Comm_get_attr of MPI_TAG_UB')
    call expect(flag .and. value >= 32767, 'MPI_TAG_UB')
  end subroutine attributes

  subroutine handlers
    integer :: handler, class, code
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length
    call MPI_Comm_create_errhandler(count_error, handler, ierr)
    call ok('Comm_create_errhandler')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierr)
    call ok('Comm_set_errhandler')
    call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER, ierr)
    call ok('Comm_call_errhandler')
    call expect(errors == 1, 'handler called')
    call MPI_Errhandler_free(handler, ierr)
    call ok('Errhandler_free')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call ok('Comm_set_errhandler, predefined')
    call MPI_Send(length, 1, MPI_INTEGER, 17, 0, MPI_COMM_SELF, code)
    call MPI_Error_class(code, class, ierr)
    call ok('Error_class')
    call expect(class == MPI_ERR_RANK, 'wrong rank')
    call MPI_Error_string(code, text, length, ierr)
    call ok('Error_string')
    call expect(length > 0 .and. text(length + 1:) == ' ', 'text of an error')
  end subroutine handlers

  subroutine strings
    integer :: info, length, keys
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=20) :: value
    logical :: flag
    call MPI_Comm_set_name(MPI_COMM_WORLD, '  everybody here  ', ierr)
    call ok('Comm_set_name')
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    call ok('Comm_get_name')
    if (rank == 0) print '(3a,i0)', '[', trim(name), ']', length
    call MPI_Info_create(info, ierr)
    call ok('Info_create')
    call MPI_Info_set(info, 'colour  ', 'dark blue ', ierr)
    call ok('Info_set')
    call MPI_Info_get(info, 'colour', 20, value, flag, ierr)
    call ok('Info_get')
    call expect(flag .and. value == 'dark blue', 'value')
    call MPI_Info_get(info, 'size', 20, value, flag, ierr)
    call ok('Info_get of none')
    call expect(.not. flag, 'no value')
    call MPI_Info_get_nkeys(info, keys, ierr)
    call ok('Info_get_nkeys')
    call MPI_Info_get_nthkey(info, 0, name, ierr)
    call ok('Info_get_nthkey')
    call expect(keys == 1 .and. name == 'colour', 'key')
    call MPI_Info_free(info, ierr)
    call ok('Info_free')
    call MPI_Get_processor_name(host, length, ierr)
    call ok('Get_processor_name')
    call expect(length > 0 .and. host(length + 1:) == ' ', 'host')
  end subroutine strings

  ! ---- files and windows ----

  subroutine files
    integer :: file, got(4), count, request, status(MPI_STATUS_SIZE), atomic
    integer(kind=MPI_OFFSET_KIND) :: at, size
    logical :: flag
    at = 16 * rank
    call MPI_File_open(MPI_COMM_WORLD, 'use_mpi.data  ', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, ierr)
    call ok('File_open')
    call MPI_File_set_atomicity(file, .true., ierr)
    call ok('File_set_atomicity')
    call MPI_File_get_atomicity(file, flag, ierr)
    call ok('File_get_atomicity')
    atomic = merge(1, 0, flag)
    call say('atomic', atomic)
    got = rank
    call MPI_File_write_at(file, at, got, 4, MPI_INTEGER, status, ierr)
    call ok('File_write_at')
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    call ok('Get_count of a file')
    call say('written', count)
    call MPI_File_sync(file, ierr)
    call ok('File_sync')
    got = -1
    call MPI_File_set_view(file, at, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
    call ok('File_set_view')
    call MPI_File_read_all(file, got, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call ok('File_read_all')
    call expect(all(got == rank), 'read')
    call MPI_File_iread_at(file, 1_MPI_OFFSET_KIND, got, 2, MPI_INTEGER, request, ierr)
    call ok('File_iread_at')
    call MPI_Wait(request, status, ierr)
    call ok('Wait for a file')
    call MPI_File_get_size(file, size, ierr)
    call ok('File_get_size')
    call expect(size == 16 * ranks, 'size')
    call MPI_File_close(file, ierr)
    call ok('File_close')
    if (rank == 0) then
      call MPI_File_delete('use_mpi.data', MPI_INFO_NULL, ierr)
      call ok('File_delete')
    end if
  end subroutine files

  subroutine windows
    integer :: win, sent
    integer(kind=MPI_ADDRESS_KIND) :: bytes
    integer, asynchronous :: got
    type(c_ptr) :: base
    integer, pointer :: memory(:)
    bytes = 16
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call ok('Win_allocate')
    call c_f_pointer(base, memory, [4])
    memory = rank
    call MPI_Win_fence(0, win, ierr)
    call ok('Win_fence')
    sent = 100 + rank
    call MPI_Put(sent, 1, MPI_INTEGER, modulo(rank + 1, ranks), 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
    call ok('Put')
    call MPI_Win_fence(0, win, ierr)
    call ok('Win_fence after Put')
    call expect(memory(2) == 100 + modulo(rank - 1, ranks) .and. memory(1) == rank, 'put')
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win, ierr)
    call ok('Win_lock')
    call MPI_Get(got, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
    call ok('Get')
    call MPI_Win_unlock(0, win, ierr)
    call ok('Win_unlock')
    call expect(got == 0, 'get')
    call MPI_Win_free(win, ierr)
    call ok('Win_free')
    call MPI_Alloc_mem(bytes, MPI_INFO_NULL, base, ierr)
    call ok('Alloc_mem')
    call c_f_pointer(base, memory, [4])
    memory = 1
    call MPI_Free_mem(memory, ierr)
    call ok('Free_mem')
  end subroutine windows

end module use_mpi_parts

program use_mpi
  use use_mpi_parts
  implicit none
  double precision :: began
  logical :: flag
  call MPI_Initialized(flag, ierr)
  call ok('Initialized')
  call expect(.not. flag, 'not initialized')
  call MPI_Init(ierr)
  call ok('Init')
  began = MPI_Wtime()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call ok('Comm_rank')
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call ok('Comm_size')
  call messages
  call completions
  call nothing
  call persistent
  call generalized
  call collectives
  call absolute
  call datatypes
  call topologies
  call groups
  call attributes
  call handlers
  call strings
  call files
  call windows
  call expect(MPI_Wtime() >= began .and. MPI_Wtick() > 0, 'time')
  call MPI_Pcontrol(1)
  call MPI_Finalize(ierr)
  call ok('Finalize')
  call MPI_Finalized(flag, ierr)
  if (rank == 0) print '(a,1x,l1)', 'done', flag
end program use_mpi
! SPDX-License-Identifier: BSD-3-Clause
