! SPDX-License-Identifier: MIT
! Calls of MPI by mpi_f08: what the subroutines convert. Every rank checks its results, and rank 0 says that all hold.
module checks
  use mpi_f08
  implicit none
  integer :: failures = 0, deleted = 0, handled = 0
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(2a)', 'does not hold: ', what
  end subroutine

  subroutine add_twice(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype == MPI_INTEGER) b = b + 2 * a
  end subroutine

  subroutine copy_more(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_deleted(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (extra_state == 1 .and. attribute_val > 2_8**40) deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine handle(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm /= MPI_COMM_WORLD .and. error_code == MPI_ERR_RANK) handled = handled + 1
  end subroutine
end module

program calls
  use checks
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: me, n, i, index, length, total
  integer :: one(2), many(3), all_counts(0:99), displs(0:99)
  type(MPI_Request) :: requests(40)
  type(MPI_Status) :: status
  type(MPI_Comm) :: comm, grid
  type(MPI_Op) :: op
  type(MPI_Errhandler) :: handler
  type(MPI_Info) :: info
  type(MPI_Datatype) :: pair, types(0:99)
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer, pointer :: window(:)
  integer :: received(40), sent(40), key, old_status(MPI_STATUS_SIZE)
  integer(MPI_ADDRESS_KIND) :: value, at(2)
  logical :: flag, periods(2)
  double precision :: began
  character(len=20) :: text

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierror=i)
  call check(i == MPI_SUCCESS, 'ierror')

  ! requests: more than there is room for on the stack; indices from 1; statuses
  sent = me
  do i = 1, 20
    call MPI_Irecv(received(i:), 1, MPI_INTEGER, modulo(me - 1, n), i, MPI_COMM_WORLD, requests(i))
    call MPI_Isend(sent(i:), 1, MPI_INTEGER, modulo(me + 1, n), i, MPI_COMM_WORLD, requests(20 + i))
  end do
  call MPI_Wait(requests(40), status)
  requests(1:39) = requests([(i, i = 39, 1, -1)])
  call MPI_Waitany(40, requests, index, status)
  call check(index >= 1 .and. index <= 39 .and. requests(index) == MPI_REQUEST_NULL, 'Waitany')
  call MPI_Waitall(40, requests, MPI_STATUSES_IGNORE)
  call check(all(received(1:20) == modulo(me - 1, n)), 'what has come')
  call MPI_Sendrecv(me, 1, MPI_INTEGER, modulo(me + 1, n), 3, i, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, &
                    MPI_COMM_WORLD, status)
  call check(status%MPI_SOURCE == modulo(me - 1, n) .and. status%MPI_TAG == 3 .and. i == modulo(me - 1, n), 'a status')
  call MPI_Get_count(status, MPI_INTEGER, length)
  call MPI_Status_f082f(status, old_status)
  call check(length == 1 .and. old_status(MPI_TAG) == 3, 'MPI_Status_f082f')

  ! buffers that are addresses, and an operation and types of the program
  many = me
  call MPI_Allreduce(MPI_IN_PLACE, many, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  total = n * (n - 1) / 2
  call check(all(many == total), 'MPI_IN_PLACE')
  call MPI_Op_create(add_twice, .true., op)
  i = 1
  call MPI_Reduce_local(i, total, 1, MPI_INTEGER, op)
  call check(total == n * (n - 1) / 2 + 2, 'an operation')
  call MPI_Scan(me, i, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
  call check(n > 2 .or. i == me, 'an operation of a scan')
  call MPI_Op_free(op)
  one = [me, -me]
  call MPI_Get_address(one(1), at(1))
  call MPI_Get_address(one(2), at(2))
  call MPI_Type_create_struct(2, [1, 1], at, [MPI_INTEGER, MPI_INTEGER], pair)
  call MPI_Type_commit(pair)
  call MPI_Bcast(MPI_BOTTOM, 1, pair, n - 1, MPI_COMM_WORLD)
  call MPI_Type_free(pair)
  call check(one(1) == n - 1 .and. one(2) == 1 - n, 'MPI_BOTTOM')
  call MPI_Type_contiguous(1, MPI_INTEGER, pair)
  types = pair
  all_counts = 1
  displs = [(4 * i, i = 0, 99)]
  call MPI_Type_commit(pair)
  call MPI_Alltoallw([(me, i = 1, n)], all_counts, displs, types, received, all_counts, displs, types, MPI_COMM_WORLD)
  call check(all(received(1:n) == [(i, i = 0, n - 1)]), 'types for each rank')
  call MPI_Type_free(pair)

  ! attributes, error handlers, grids
  call MPI_Comm_create_keyval(copy_more, count_deleted, key, 1_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2_8**40)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, key, value, flag)
  call check(flag .and. value == 2_8**40 + 1, 'a copy of an attribute')
  call MPI_Comm_get_attr(comm, MPI_TAG_UB, value, flag)
  call check(flag .and. value >= 32767, 'an attribute of MPI')
  call MPI_Comm_create_errhandler(handle, handler)
  call MPI_Comm_set_errhandler(comm, handler)
  call MPI_Errhandler_free(handler)
  call MPI_Send(me, 1, MPI_INTEGER, n + 5, 0, comm, i)
  call check(handled == 1 .and. i == MPI_ERR_RANK, 'an error handler')
  call MPI_Comm_free(comm)
  call check(deleted == 1, 'an attribute is deleted')
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
  call MPI_Comm_free_keyval(key)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., grid)
  call MPI_Cart_get(grid, 1, many(1:1), periods(1:1), one(1:1))
  call check(periods(1) .and. many(1) == n .and. one(1) == me, 'a grid')
  call MPI_Comm_free(grid)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [me], MPI_UNWEIGHTED, 1, [me], MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., grid)
  call MPI_Dist_graph_neighbors_count(grid, i, index, flag)
  call check(i == 1 .and. .not. flag, 'MPI_UNWEIGHTED')
  call MPI_Comm_free(grid)

  ! texts
  call MPI_Info_create(info)
  call MPI_Info_set(info, ' key ', 'a value   ')
  call MPI_Info_get(info, 'key', 20, text, flag)
  call check(flag .and. text == 'a value', 'a text')
  length = 3
  call MPI_Info_get_string(info, 'key', length, text(1:5), flag)
  call check(flag .and. length == 7 .and. text(1:5) == 'a v', 'a part of a text')
  call MPI_Info_free(info)
  call MPI_Comm_get_name(MPI_COMM_WORLD, text, length)
  call check(text == 'MPI_COMM_WORLD' .and. length == 14, 'a name')

  ! windows, and memory by a pointer of C
  call MPI_Win_allocate(int(8, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, window, [2])
  window = -1
  call MPI_Win_fence(0, win)
  call MPI_Put(me, 1, MPI_INTEGER, modulo(me + 1, n), 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call check(window(1) == -1 .and. window(2) == modulo(me - 1, n), 'a window')
  call MPI_Win_free(win)

  call MPI_Sizeof(value, length)
  call check(length == 8, 'MPI_Sizeof')
  began = MPI_Wtime()
  call check(MPI_Wtime() >= began, 'MPI_Wtime')
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (me == 0 .and. failures == 0) print '(a)', 'calls of Fortran: all hold'
  call MPI_Finalize()
end program
