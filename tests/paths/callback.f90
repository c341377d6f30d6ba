! SPDX-License-Identifier: BSD-3-Clause
! Fortran functions between those of walks.c: an array of variable size on the stack, and a function inside a function.
subroutine through_fortran(f, depth, n) bind(c)
  use iso_c_binding
  implicit none
  type(c_funptr), value :: f
  integer(c_int), value :: depth, n
  interface
    subroutine fortran_calls(f, depth) bind(c)
      import :: c_funptr, c_int
      type(c_funptr), value :: f
      integer(c_int), value :: depth
    end subroutine
  end interface
  real(8) :: work(n)
  work = 1
  call inner(n)
  if (sum(work) < 0) stop 1
contains
  subroutine inner(m)
    integer(c_int), value :: m
    real(8) :: more(m)
    more = work(1)
    call fortran_calls(f, depth)
    work(1) = more(m)
  end subroutine
end subroutine
