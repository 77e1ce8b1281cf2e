/* SPDX-License-Identifier: MIT */
/* What a program asks of an open file, and sets: its size, atomic mode, hints, error handler. */
#include "file.h"
#include "mpi/standard/info.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int MPI_File_get_size(MPI_File file, MPI_Offset *size)
{
    ENTER_FILE(f, file);
    *size = mpi_file_bytes(f);
    CHECK(f->comm, *size >= 0, mpi_code_of_host(errno), "the size of the file");
    return MPI_SUCCESS;
}

/* Change the size by rank 0. All give the same one. */
static int change_size(struct file *f, const char *call, MPI_Offset size,
                       int (*change)(int fd, MPI_Offset size))
{
    const int64_t alike[1] = {size};
    int class = MPI_SUCCESS, error = 0, rc = mpi_note_collective(f->comm, call);

    if (rc != MPI_SUCCESS)
        return rc;
    CHECK_WRITABLE(f);
    CHECK_RANDOM(f);
    CHECK(f->comm, size >= 0, MPI_ERR_ARG, "the size is %lld, but must be at least 0",
          (long long)size);
    rc = mpi_agree(f->comm, alike, 1, &class);
    CHECK(f->comm, rc == MPI_SUCCESS, rc, "the ranks give different sizes");
    if (f->comm->rank == 0 &&
        (rc = mpi_charge_storage(f->comm, f->opened->first_server)) == MPI_SUCCESS)
        error = change(f->opened->fd, size);
    return mpi_agree_on_error(f->comm, &error);
}

static int set_size(int fd, MPI_Offset size)
{
    return ftruncate(fd, size) != 0 ? errno : 0;
}

int MPI_File_set_size(MPI_File file, MPI_Offset size)
{
    ENTER_FILE(f, file);
    return change_size(f, __func__, size, set_size);
}

static int allocate(int fd, MPI_Offset size)
{
    return size > 0 ? posix_fallocate(fd, 0, size) : 0;
}

int MPI_File_preallocate(MPI_File file, MPI_Offset size)
{
    ENTER_FILE(f, file);
    return change_size(f, __func__, size, allocate);
}

/* After all ranks have called it: then the storage gets the bytes that each has written before. */
int MPI_File_sync(MPI_File file)
{
    int error = 0, rc;

    ENTER_FILE(f, file);
    rc = mpi_note_collective(f->comm, __func__);
    if (rc == MPI_SUCCESS)
        rc = mpi_class_of(logp_barrier(f->comm->vp));
    if (rc == MPI_SUCCESS && f->comm->rank == 0)
        rc = mpi_charge_storage(f->comm, f->opened->first_server);
    if (rc != MPI_SUCCESS)
        return rc;
    if ((f->opened->has_others || f->comm->rank == 0) && fsync(f->opened->fd) != 0 &&
        errno != EINVAL && errno != EROFS) /* of a pipe, or of a file that is only read */
        error = errno;
    return mpi_agree_on_error(f->comm, &error);
}

int MPI_File_set_atomicity(MPI_File file, int flag)
{
    const int64_t alike[1] = {flag != 0};
    int class = MPI_SUCCESS, rc;

    ENTER_FILE(f, file);
    rc = mpi_note_collective(f->comm, __func__);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = mpi_agree(f->comm, alike, 1, &class);
    CHECK(f->comm, rc == MPI_SUCCESS, rc, "the ranks give different flags");
    f->atomic = flag != 0;
    return MPI_SUCCESS;
}

int MPI_File_get_atomicity(MPI_File file, int *flag)
{
    ENTER_FILE(f, file);
    *flag = f->atomic;
    return MPI_SUCCESS;
}

int MPI_File_get_amode(MPI_File file, int *amode)
{
    ENTER_FILE(f, file);
    *amode = f->amode;
    return MPI_SUCCESS;
}

int MPI_File_get_group(MPI_File file, MPI_Group *group)
{
    ENTER_FILE(f, file);
    *group = (MPI_Group)mpi_ranks_of(f->comm, false);
    CHECK_MEMORY(f->comm, *group);
    return MPI_SUCCESS;
}

int MPI_File_set_info(MPI_File file, MPI_Info info)
{
    int rc;

    ENTER_FILE(f, file);
    rc = mpi_note_collective(f->comm, __func__);
    return rc == MPI_SUCCESS ? mpi_set_info(&f->info, info) : rc;
}

int MPI_File_get_info(MPI_File file, MPI_Info *info)
{
    ENTER_FILE(f, file);
    return mpi_get_info(f->info, info);
}

/* ---- errors ---- */

int MPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler)
{
    mpi_enter(__func__);
    return MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)(void (*)(void))function,
                                      handler);
}

/* The communicator of a file, or of MPI_FILE_NULL: it has the handler for files that are opened later. */
#define ENTER_ANY_FILE(c, handle)                                                                  \
    struct rank *const me = mpi_enter(__func__);                                                   \
    struct file *const of = handle == MPI_FILE_NULL ? NULL : file_of(handle);                      \
    struct comm *const c = handle == MPI_FILE_NULL ? &me->no_file : of != NULL ? of->comm : NULL;  \
    CHECK(&me->no_file, c != NULL, MPI_ERR_FILE, "the file has been closed")
ERROR_HANDLERS(File, MPI_File, ENTER_ANY_FILE, object)
