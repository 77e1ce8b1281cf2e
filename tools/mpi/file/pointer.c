/* SPDX-License-Identifier: MIT */
/*
 * File pointers. The individual one is a number of the rank. The shared one is in memory that the ranks of the process
 * share; with ranks of several processes it is in another file in the
 * same folder, which is locked while a process changes it.
 */
#include "file.h"
#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the shared pointer ---- */

/* The whole file with the pointer. type: F_WRLCK or F_UNLCK. @return 0 or an error number */
static int lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};

    while (syscall(SYS_fcntl, fd, F_OFD_SETLKW, &all) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* Of several processes. add: n is added to the pointer, or takes its place. @return 0 or an error number */
static int change_in_file(const struct opened *o, bool add, MPI_Offset n, MPI_Offset *from)
{
    int error;

    if (o->pointer_fd < 0)
        return EROFS;
    error = lock(o->pointer_fd, F_WRLCK);
    if (error != 0)
        return error;
    if (pread(o->pointer_fd, from, sizeof(*from), 0) != (ssize_t)sizeof(*from))
        *from = 0;
    n += add ? *from : 0;
    if (pwrite(o->pointer_fd, &n, sizeof(n), 0) != (ssize_t)sizeof(n))
        error = errno;
    lock(o->pointer_fd, F_UNLCK);
    return error;
}

static int change(struct opened *o, bool add, MPI_Offset n, MPI_Offset *from)
{
    int error = 0;

    pthread_mutex_lock(&o->mutex);
    if (o->has_others) {
        error = change_in_file(o, add, n, from);
    } else {
        *from = o->shared;
        o->shared = n + (add ? o->shared : 0);
    }
    pthread_mutex_unlock(&o->mutex);
    return error;
}

int mpi_take_shared(struct file *f, MPI_Offset n, MPI_Offset *from)
{
    return change(f->opened, true, n, from);
}

int mpi_set_shared(struct file *f, MPI_Offset to)
{
    MPI_Offset was;
    int error = 0;

    if (f->comm->rank == 0)
        error = change(f->opened, false, to, &was);
    if (error ==
        EROFS) /* a file that several processes only read, in a folder that they cannot write */
        error = 0;
    return mpi_agree_on_error(f->comm, &error);
}

int mpi_take_ordered(struct file *f, MPI_Offset n, MPI_Offset *from)
{
    struct {
        int64_t from;
        int64_t error;
    } base = {0};
    int64_t end = 0;
    int rc = mpi_class_of(logp_scan(f->comm->vp, &n, &end, 1, logp_op_find("sum", "int64")));

    if (rc != MPI_SUCCESS)
        return rc;
    if (f->comm->rank == f->comm->size - 1) /* it has the sum of all */
        base.error = change(f->opened, true, end, &base.from);
    rc = mpi_class_of(logp_broadcast(f->comm->vp, &base, sizeof(base), f->comm->size - 1));
    if (rc != MPI_SUCCESS)
        return rc;
    CHECK(f->comm, base.error == 0, mpi_code_of_host((int)base.error), "the shared pointer");
    *from = base.from + end - n;
    return MPI_SUCCESS;
}

/* ---- calls ---- */

/* The first etype after the end of the file. @return MPI_SUCCESS or a code */
static int find_end(struct file *f, MPI_Offset *end)
{
    const MPI_Offset bytes = mpi_file_bytes(f);

    CHECK(f->comm, bytes >= 0, mpi_code_of_host(errno), "the size of the file");
    *end = (mpi_bytes_before(&f->view, bytes) + f->view.etype_bytes - 1) / f->view.etype_bytes;
    return MPI_SUCCESS;
}

/* Set *to to where a seek from `now` leads. @return MPI_SUCCESS or a class */
static int find_target(struct file *f, MPI_Offset offset, int whence, MPI_Offset now,
                       MPI_Offset *to)
{
    MPI_Offset from = 0;
    int rc;

    CHECK(f->comm, whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END,
          MPI_ERR_ARG, "%d is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END", whence);
    if (whence == MPI_SEEK_CUR)
        from = now;
    if (whence == MPI_SEEK_END && (rc = find_end(f, &from)) != MPI_SUCCESS)
        return rc;
    CHECK(f->comm, offset >= -from && !__builtin_add_overflow(from, offset, to), MPI_ERR_ARG,
          "an offset of %lld from %lld is not within a file", (long long)offset, (long long)from);
    return MPI_SUCCESS;
}

int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence)
{
    MPI_Offset to;
    int rc;

    ENTER_FILE(f, file);
    CHECK_RANDOM(f);
    rc = find_target(f, offset, whence, f->position, &to);
    if (rc == MPI_SUCCESS)
        f->position = to;
    return rc;
}

int MPI_File_get_position(MPI_File file, MPI_Offset *offset)
{
    ENTER_FILE(f, file);
    CHECK_RANDOM(f);
    *offset = f->position;
    return MPI_SUCCESS;
}

int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int whence)
{
    MPI_Offset now = 0, to = 0;
    int64_t alike[2] = {offset, whence};
    int rc, error = 0;

    ENTER_FILE(f, file);
    rc = mpi_note_collective(f->comm, __func__);
    if (rc != MPI_SUCCESS)
        return rc;
    CHECK_RANDOM(f);
    error = mpi_take_shared(f, 0, &now);
    CHECK(f->comm, error == 0, mpi_code_of_host(error), "the shared pointer");
    rc = find_target(f, offset, whence, now, &to);
    rc = mpi_agree(f->comm, alike, 2, &rc);
    CHECK(f->comm, rc != MPI_ERR_NOT_SAME, rc, "the ranks give different offsets");
    return rc == MPI_SUCCESS ? mpi_set_shared(f, to) : rc;
}

int MPI_File_get_position_shared(MPI_File file, MPI_Offset *offset)
{
    int error;

    ENTER_FILE(f, file);
    CHECK_RANDOM(f);
    error = mpi_take_shared(f, 0, offset);
    CHECK(f->comm, error == 0, mpi_code_of_host(error), "the shared pointer");
    return MPI_SUCCESS;
}
