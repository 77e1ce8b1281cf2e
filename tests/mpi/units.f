C SPDX-License-Identifier: MIT
C What a rank of a program in Fortran has for itself, by mpif.h: COMMON, SAVE and units; and how it ends.
      program units
      implicit none
      include 'mpif.h'
      integer me, n, i, ierr, status(MPI_STATUS_SIZE), common_one, child
      double precision x(2)
      character*20 how, name
      common /block/ common_one
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
      common_one = me
      call count(i, me)
      open(unit=10, status='scratch')
      write(10, *) me
      write(name, '(a,i0)') 'unit.', me
      open(unit=11, file=name)
      write(11, '(a,i0)') 'rank ', me
      rewind(10)
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      call count(i, 0)
      read(10, *) n
      if (common_one .ne. me .or. i .ne. me .or. n .ne. me)
     &    print *, 'another rank has changed this', common_one, i, n
      do i = 1, 200
        write(*, '(a,i0,a,i0)') 'line ', i, ' of rank ', me
      end do
      x = me
      if (me .eq. 0) call MPI_SEND(x, 2, MPI_DOUBLE_PRECISION, 1, 1,
     &                             MPI_COMM_WORLD, ierr)
      if (me .eq. 1) call MPI_RECV(x, 2, MPI_DOUBLE_PRECISION, 0, 1,
     &                             MPI_COMM_WORLD, status, ierr)
      if (me .eq. 1 .and. (status(MPI_SOURCE) .ne. 0 .or. x(2) .ne. 0))
     &    print *, 'a wrong message'
      call get_command_argument(1, how)
      if (me .eq. 1) call leave(how)
      if (how .eq. 'rank') call MPI_SEND
     &    (x, 1, MPI_DOUBLE_PRECISION, 102, 1, MPI_COMM_WORLD, ierr)
      if (how .eq. 'spawn') call MPI_COMM_SPAWN('service',
     &    MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, child,
     &    MPI_ERRCODES_IGNORE, ierr)
      call MPI_FINALIZE(ierr)
      end

      subroutine count(i, more)
      integer i, more, total
      save total
      data total /0/
      total = total + more
      i = total
      end

      subroutine leave(how)
      character*20 how
      integer a(2), i
      i = len_trim(how)
      if (how .eq. 'stop') stop 3
      if (how .eq. 'error') error stop 'it went wrong'
      if (how .eq. 'bounds') a(i) = 1
      if (how .eq. 'bounds') print *, a(i)
      end
