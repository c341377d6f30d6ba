C     The calls of a program that includes mpif.h, in fixed form: each result
C     is checked, rank 0 prints what it got. Any number of ranks.
      program mpifh
      implicit none
      include 'mpif.h'
      integer ierr, rank, ranks
      call MPI_INIT(ierr)
      call ok(ierr, 'init')
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call ok(ierr, 'rank')
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
      call ok(ierr, 'size')
      call messages(rank, ranks)
      call nonblk
      call collect(rank, ranks)
      call bottom(rank)
      call grid(rank, ranks)
      call attrs
      call errs
      call strngs(rank)
      call files(rank)
      if (MPI_WTIME() .lt. 0 .or. MPI_WTICK() .le. 0) call ok(1, 'time')
      call MPI_FINALIZE(ierr)
      call ok(ierr, 'finalize')
      if (rank .eq. 0) print '(a)', 'done'
      end

C     Stops everything unless the last call set ierr to success.
      subroutine ok(ierr, what)
      implicit none
      include 'mpif.h'
      integer ierr, error
      character*(*) what
      if (ierr .ne. MPI_SUCCESS) then
        print *, 'failed: ', what
        call MPI_ABORT(MPI_COMM_WORLD, 3, error)
      end if
      ierr = -77
      end

      subroutine expect(good, what)
      implicit none
      include 'mpif.h'
      logical good
      integer error
      character*(*) what
      if (.not. good) then
        print *, 'failed: ', what
        call MPI_ABORT(MPI_COMM_WORLD, 3, error)
      end if
      end

      subroutine messages(rank, ranks)
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierr, left, right, n, i
      integer status(MPI_STATUS_SIZE), sent(4), got(4)
      logical found
      left = mod(rank + ranks - 1, ranks)
      right = mod(rank + 1, ranks)
      do i = 1, 4
        sent(i) = rank
      end do
      call MPI_SENDRECV(sent, 4, MPI_INTEGER, right, 7, got, 4,
     &  MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
      call ok(ierr, 'sendrecv')
      call expect(got(4) .eq. left .and. status(MPI_SOURCE) .eq. left
     &  .and. status(MPI_TAG) .eq. 7, 'ring')
      call MPI_GET_COUNT(status, MPI_INTEGER, n, ierr)
      call ok(ierr, 'get_count')
      if (rank .eq. 0) print '(a,1x,i0)', 'received', n
      call MPI_RECV(got, 4, MPI_INTEGER, MPI_PROC_NULL, 1,
     &  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call ok(ierr, 'recv')
      call MPI_IPROBE(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, found, status,
     &  ierr)
      call ok(ierr, 'iprobe')
      call expect(.not. found, 'nothing to probe')
      end

      subroutine begin(sent, got, req)
      implicit none
      include 'mpif.h'
      integer sent(2), got(2), req(4), ierr, i
      do i = 1, 2
        sent(i) = 10 * i
        got(i) = -1
        call MPI_IRECV(got(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF,
     &    req(i), ierr)
        call ok(ierr, 'irecv')
        call MPI_ISEND(sent(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF,
     &    req(2 + i), ierr)
        call ok(ierr, 'isend')
      end do
      end

      subroutine nonblk
      implicit none
      include 'mpif.h'
      integer sent(2), got(2), req(4), ierr, i, n, total
      integer statuses(MPI_STATUS_SIZE, 4), indices(4)
      logical flag
      common /buffers/ sent, got
      call begin(sent, got, req)
      call MPI_WAITALL(4, req, statuses, ierr)
      call ok(ierr, 'waitall')
      call expect(got(2) .eq. 20 .and. statuses(MPI_TAG, 2) .eq. 2,
     &  'all')
      call begin(sent, got, req)
      call MPI_WAITALL(4, req, MPI_STATUSES_IGNORE, ierr)
      call ok(ierr, 'waitall, statuses ignored')
      call begin(sent, got, req)
      total = 0
      do i = 1, 4
        call MPI_WAITANY(4, req, n, MPI_STATUS_IGNORE, ierr)
        call ok(ierr, 'waitany')
        total = total + n
      end do
      call expect(total .eq. 10, 'indices')
      call begin(sent, got, req)
      total = 0
 10   if (total .lt. 4) then
        call MPI_TESTSOME(4, req, n, indices, statuses, ierr)
        call ok(ierr, 'testsome')
        total = total + n
        goto 10
      end if
      call begin(sent, got, req)
      do i = 1, 4
 20     call MPI_TEST(req(i), flag, MPI_STATUS_IGNORE, ierr)
        call ok(ierr, 'test')
        if (.not. flag) goto 20
      end do
      call MPI_WAITALL(0, req, statuses, ierr)
      call ok(ierr, 'waitall of 0')
      end

      subroutine addup(invec, inout, n, datatype)
      implicit none
      integer n, datatype, i
      integer invec(n), inout(n)
      do i = 1, n
        inout(i) = inout(i) + invec(i)
      end do
      end

      subroutine collect(rank, ranks)
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierr, op, values(3), one
      logical commut
      external addup
      values(1) = rank + 1
      values(2) = rank
      values(3) = 0
      call MPI_ALLREDUCE(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      call ok(ierr, 'allreduce')
      call expect(values(1) .eq. ranks * (ranks + 1) / 2, 'sum')
      call MPI_OP_CREATE(addup, .true., op, ierr)
      call ok(ierr, 'op_create')
      call MPI_OP_COMMUTATIVE(op, commut, ierr)
      call ok(ierr, 'op_commutative')
      call expect(commut, 'commutative')
      one = rank
      call MPI_ALLREDUCE(one, values, 1, MPI_INTEGER, op,
     &  MPI_COMM_WORLD, ierr)
      call ok(ierr, 'allreduce of our own')
      if (rank .eq. 0) print '(a,1x,i0)', 'own sum', values(1)
      call MPI_OP_FREE(op, ierr)
      call ok(ierr, 'op_free')
      end

      subroutine bottom(rank)
      implicit none
      include 'mpif.h'
      integer rank, ierr, newtype, lengths(2), types(2)
      integer(kind=MPI_ADDRESS_KIND) where(2)
      integer first, second
      common /values/ first, second
      first = 0
      second = 0
      if (rank .eq. 0) first = 42
      if (rank .eq. 0) second = 43
      call MPI_GET_ADDRESS(first, where(1), ierr)
      call ok(ierr, 'get_address')
      call MPI_GET_ADDRESS(second, where(2), ierr)
      call ok(ierr, 'get_address')
      lengths(1) = 1
      lengths(2) = 1
      types(1) = MPI_INTEGER
      types(2) = MPI_INTEGER
      call MPI_TYPE_CREATE_STRUCT(2, lengths, where, types, newtype,
     &  ierr)
      call ok(ierr, 'type_create_struct')
      call MPI_TYPE_COMMIT(newtype, ierr)
      call ok(ierr, 'type_commit')
      call MPI_BCAST(MPI_BOTTOM, 1, newtype, 0, MPI_COMM_WORLD, ierr)
      call ok(ierr, 'bcast')
      call MPI_TYPE_FREE(newtype, ierr)
      call ok(ierr, 'type_free')
      call see
      end

      subroutine see
      implicit none
      integer first, second
      common /values/ first, second
      call expect(first .eq. 42 .and. second .eq. 43, 'bottom')
      end

      subroutine grid(rank, ranks)
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierr, cart, dims(2), coords(2)
      logical periods(2)
      dims(1) = ranks
      dims(2) = 1
      periods(1) = .true.
      periods(2) = .false.
      call MPI_CART_CREATE(MPI_COMM_WORLD, 2, dims, periods, .false.,
     &  cart, ierr)
      call ok(ierr, 'cart_create')
      periods(1) = .false.
      periods(2) = .true.
      call MPI_CART_GET(cart, 2, dims, periods, coords, ierr)
      call ok(ierr, 'cart_get')
      call expect(periods(1) .and. .not. periods(2) .and.
     &  coords(1) .eq. rank, 'grid')
      call MPI_COMM_FREE(cart, ierr)
      call ok(ierr, 'comm_free')
      end

      subroutine copyat(comm, keyval, extra, vin, vout, flag, ierr)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierr
      integer(kind=MPI_ADDRESS_KIND) extra, vin, vout
      logical flag
      vout = vin + extra
      flag = .true.
      ierr = MPI_SUCCESS
      end

      subroutine delat(comm, keyval, val, extra, ierr)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierr, gone
      integer(kind=MPI_ADDRESS_KIND) val, extra
      common /counts/ gone
      gone = gone + 1
      ierr = MPI_SUCCESS
      end

      subroutine attrs
      implicit none
      include 'mpif.h'
      integer keyval, comm, ierr, gone
      integer(kind=MPI_ADDRESS_KIND) extra, val
      logical flag
      external copyat, delat
      common /counts/ gone
      gone = 0
      extra = 3
      call MPI_COMM_CREATE_KEYVAL(copyat, delat, keyval, extra, ierr)
      call ok(ierr, 'comm_create_keyval')
      val = 40
      call MPI_COMM_SET_ATTR(MPI_COMM_SELF, keyval, val, ierr)
      call ok(ierr, 'comm_set_attr')
      call MPI_COMM_DUP(MPI_COMM_SELF, comm, ierr)
      call ok(ierr, 'comm_dup')
      call MPI_COMM_GET_ATTR(comm, keyval, val, flag, ierr)
      call ok(ierr, 'comm_get_attr')
      call expect(flag .and. val .eq. 43, 'copied')
      call MPI_COMM_FREE(comm, ierr)
      call ok(ierr, 'comm_free')
      call MPI_COMM_DELETE_ATTR(MPI_COMM_SELF, keyval, ierr)
      call ok(ierr, 'comm_delete_attr')
      call expect(gone .eq. 2, 'deleted')
      call MPI_COMM_FREE_KEYVAL(keyval, ierr)
      call ok(ierr, 'comm_free_keyval')
      call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, val, flag,
     &  ierr)
      call ok(ierr, 'comm_get_attr')
      call expect(flag .and. val .ge. 32767, 'tag_ub')
      end

      subroutine caught(comm, code)
      implicit none
      integer comm, code, errors
      common /errcnt/ errors
      errors = errors + 1
      end

      subroutine errs
      implicit none
      include 'mpif.h'
      integer handler, ierr, errors, code, class
      external caught
      common /errcnt/ errors
      errors = 0
      call MPI_COMM_CREATE_ERRHANDLER(caught, handler, ierr)
      call ok(ierr, 'comm_create_errhandler')
      call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, handler, ierr)
      call ok(ierr, 'comm_set_errhandler')
      call MPI_COMM_CALL_ERRHANDLER(MPI_COMM_SELF, MPI_ERR_OTHER, ierr)
      call ok(ierr, 'comm_call_errhandler')
      call expect(errors .eq. 1, 'handled')
      call MPI_ERRHANDLER_FREE(handler, ierr)
      call ok(ierr, 'errhandler_free')
      call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_RETURN,
     &  ierr)
      call ok(ierr, 'comm_set_errhandler')
      call MPI_SEND(errors, 1, MPI_INTEGER, 17, 0, MPI_COMM_SELF, code)
      call MPI_ERROR_CLASS(code, class, ierr)
      call ok(ierr, 'error_class')
      call expect(class .eq. MPI_ERR_RANK, 'wrong rank')
      end

      subroutine strngs(rank)
      implicit none
      include 'mpif.h'
      integer rank, ierr, info, n
      character*(MPI_MAX_OBJECT_NAME) name
      character*(MPI_MAX_PROCESSOR_NAME) host
      character*20 val
      logical flag
      call MPI_COMM_SET_NAME(MPI_COMM_WORLD, 'everybody   ', ierr)
      call ok(ierr, 'comm_set_name')
      call MPI_COMM_GET_NAME(MPI_COMM_WORLD, name, n, ierr)
      call ok(ierr, 'comm_get_name')
      call expect(n .eq. 9 .and. name .eq. 'everybody', 'name')
      call MPI_INFO_CREATE(info, ierr)
      call ok(ierr, 'info_create')
      call MPI_INFO_SET(info, 'colour  ', 'dark blue ', ierr)
      call ok(ierr, 'info_set')
      call MPI_INFO_GET(info, 'colour', 20, val, flag, ierr)
      call ok(ierr, 'info_get')
      call expect(flag .and. val .eq. 'dark blue', 'value')
      call MPI_INFO_FREE(info, ierr)
      call ok(ierr, 'info_free')
      call MPI_GET_PROCESSOR_NAME(host, n, ierr)
      call ok(ierr, 'get_processor_name')
      call expect(n .gt. 0, 'host')
      end

      subroutine files(rank)
      implicit none
      include 'mpif.h'
      integer rank, ierr, fh, data(4), i, n, status(MPI_STATUS_SIZE)
      integer(kind=MPI_OFFSET_KIND) where
      do i = 1, 4
        data(i) = rank
      end do
      where = 16 * rank
      call MPI_FILE_OPEN(MPI_COMM_WORLD, 'mpif_h.data ',
     &  MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
      call ok(ierr, 'file_open')
      call MPI_FILE_WRITE_AT(fh, where, data, 4, MPI_INTEGER, status,
     &  ierr)
      call ok(ierr, 'file_write_at')
      call MPI_GET_COUNT(status, MPI_INTEGER, n, ierr)
      call ok(ierr, 'get_count')
      call expect(n .eq. 4, 'written')
      call MPI_FILE_READ_AT_ALL(fh, where, data, 4, MPI_INTEGER,
     &  MPI_STATUS_IGNORE, ierr)
      call ok(ierr, 'file_read_at_all')
      call expect(data(4) .eq. rank, 'read')
      call MPI_FILE_CLOSE(fh, ierr)
      call ok(ierr, 'file_close')
      if (rank .eq. 0) then
        call MPI_FILE_DELETE('mpif_h.data', MPI_INFO_NULL, ierr)
        call ok(ierr, 'file_delete')
      end if
      end
! SPDX-License-Identifier: BSD-3-Clause
