/* SPDX-License-Identifier: MIT */
/* Errors: their texts, and the handlers that a program sets. */
#include "rank.h"
#include "world.h"
#include "host/host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the program: MPI_ERR_LASTCODE + 1 + its index is its code. */
struct own_error {
    int class;
    char *text;
};

static const char *const texts[] = {
    [MPI_SUCCESS] = "no error",
    [MPI_ERR_BUFFER] = "invalid buffer",
    [MPI_ERR_COUNT] = "invalid count",
    [MPI_ERR_TYPE] = "invalid datatype",
    [MPI_ERR_TAG] = "invalid tag",
    [MPI_ERR_COMM] = "invalid communicator",
    [MPI_ERR_RANK] = "invalid rank",
    [MPI_ERR_REQUEST] = "invalid request",
    [MPI_ERR_ROOT] = "invalid root",
    [MPI_ERR_GROUP] = "invalid group",
    [MPI_ERR_OP] = "invalid operation",
    [MPI_ERR_TOPOLOGY] = "invalid topology",
    [MPI_ERR_DIMS] = "invalid dimensions",
    [MPI_ERR_ARG] = "invalid argument",
    [MPI_ERR_UNKNOWN] = "unknown error",
    [MPI_ERR_TRUNCATE] = "message truncated",
    [MPI_ERR_OTHER] = "other error",
    [MPI_ERR_INTERN] = "internal error",
    [MPI_ERR_PENDING] = "pending request",
    [MPI_ERR_IN_STATUS] = "the error is in the status",
    [MPI_ERR_ACCESS] = "no permission",
    [MPI_ERR_AMODE] = "invalid access mode",
    [MPI_ERR_ASSERT] = "invalid assertion",
    [MPI_ERR_BAD_FILE] = "invalid file name",
    [MPI_ERR_BASE] = "invalid base",
    [MPI_ERR_CONVERSION] = "the conversion of data has failed",
    [MPI_ERR_DISP] = "invalid displacement",
    [MPI_ERR_DUP_DATAREP] = "the data representation is there already",
    [MPI_ERR_FILE_EXISTS] = "the file exists",
    [MPI_ERR_FILE_IN_USE] = "the file is in use",
    [MPI_ERR_FILE] = "invalid file",
    [MPI_ERR_IO] = "input or output error",
    [MPI_ERR_NOT_SAME] = "the arguments of the ranks differ",
    [MPI_ERR_NO_SPACE] = "no space for the file",
    [MPI_ERR_NO_SUCH_FILE] = "no such file",
    [MPI_ERR_QUOTA] = "the quota is exceeded",
    [MPI_ERR_READ_ONLY] = "the file is read-only",
    [MPI_ERR_UNSUPPORTED_DATAREP] = "no such data representation",
    [MPI_ERR_LOCKTYPE] = "invalid type of locks",
    [MPI_ERR_RMA_RANGE] = "not within the window",
    [MPI_ERR_RMA_SYNC] = "no such epoch",
    [MPI_ERR_RMA_FLAVOR] = "another kind of window",
    [MPI_ERR_SIZE] = "invalid size",
    [MPI_ERR_WIN] = "invalid window",
    [MPI_ERR_INFO_KEY] = "invalid key of an info",
    [MPI_ERR_INFO_NOKEY] = "no such key in the info",
    [MPI_ERR_INFO_VALUE] = "invalid value of an info",
    [MPI_ERR_INFO] = "invalid info",
    [MPI_ERR_KEYVAL] = "invalid attribute key",
    [MPI_ERR_NO_MEM] = "no memory",
    [MPI_ERR_UNSUPPORTED_OPERATION] = "unsupported operation",
};

enum { N_TEXTS = sizeof(texts) / sizeof(texts[0]) };

/* Return the program's error of this code; NULL: it has no such error. */
static struct own_error *own_error(int error)
{
    struct rank *r = mpi_this_rank();

    return error > MPI_ERR_LASTCODE && error <= r->last_code
               ? &r->errors[error - MPI_ERR_LASTCODE - 1]
               : NULL;
}

/* Texts of the tool information interface, from MPI_T_ERR_CANNOT_INIT on. */
static const char *const tool_texts[] = {
    "the interface cannot be initialized",
    "the interface is not accessible",
    "the interface is not initialized",
    "not supported",
    "no memory",
    "invalid use of the interface",
    "invalid index",
    "invalid item",
    "invalid session",
    "invalid handle",
    "invalid name",
    "no more handles",
    "no more sessions",
    "the variable cannot be set now",
    "the variable cannot be set",
    "the variable cannot be written or reset",
    "the variable cannot be started or stopped",
    "the variable cannot be read and reset at once",
};

/* ---- errors of the host: their codes are FIRST_OF_HOST + errno ---- */

enum { FIRST_OF_HOST = 0x2000, LAST_OF_HOST = 0x2fff };

static bool is_of_host(int error)
{
    return error > FIRST_OF_HOST && error <= LAST_OF_HOST;
}

int mpi_code_of_host(int error)
{
    return error > 0 && error <= LAST_OF_HOST - FIRST_OF_HOST ? FIRST_OF_HOST + error
                                                              : MPI_ERR_OTHER;
}

static int class_of_host(int error)
{
    switch (error - FIRST_OF_HOST) {
    case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
        return MPI_ERR_ACCESS;
    case EROFS:
        return MPI_ERR_READ_ONLY;
    case ENOSPC:
        return MPI_ERR_NO_SPACE;
    case EDQUOT:
        return MPI_ERR_QUOTA;
    case EBUSY:
    case ETXTBSY:
        return MPI_ERR_FILE_IN_USE;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
        return MPI_ERR_BAD_FILE;
    case ENOMEM:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_IO;
    }
}

static const char *text_of(int error)
{
    const struct own_error *own = own_error(error);

    if (is_of_host(error))
        return texts[class_of_host(error)];
    if (own != NULL)
        return own->text != NULL ? own->text : "";
    if (error >= MPI_T_ERR_CANNOT_INIT && error <= MPI_T_ERR_PVAR_NO_ATOMIC)
        return tool_texts[error - MPI_T_ERR_CANNOT_INIT];
    return error >= 0 && error < N_TEXTS && texts[error] != NULL ? texts[error] : "error";
}

static void call_handler(const struct errhandler *h, MPI_Comm object, int *error)
{
    MPI_Fint number;

    if (!h->is_fortran) {
        h->function(&object, error);
        return;
    }
    number = mpi_number_of(mpi_this_rank(), object);
    ((void (*)(MPI_Fint *, int *))(void (*)(void))h->function)(&number, error);
}

int mpi_failed(struct comm *comm, int class, const char *why, ...)
{
    struct rank *r = mpi_this_rank();
    MPI_Errhandler handler;
    char place[PLACE_TEXT], thread[32];
    va_list args;

    comm = comm != NULL ? comm : &r->world;
    handler = comm->errors;
    r->answer = class;
    if (handler == MPI_ERRORS_RETURN)
        return class;
    if ((uintptr_t)handler >= 0x400) {
        MPI_Comm handle = comm->of != NULL ? (MPI_Comm)comm->of : comm_handle(comm);

        call_handler((const struct errhandler *)handler, handle, &r->answer);
        return class;
    }
    fflush(stdout);
    fprintf(stderr, "rank %d%s: %s: %s: ", logp_vp_rank(r->vp), mpi_thread_name(thread), r->call,
            text_of(class));
    va_start(args, why);
    vfprintf(stderr, why, args);
    va_end(args);
    fprintf(stderr, "%s\n", host_name_here(place));
    host_abort_run((class & 255) != 0 ? class & 255 : 1);
}

int mpi_class_of(int rc)
{
    if (rc == 0)
        return MPI_SUCCESS;
    switch (rc) {
    case -ENOMEM:
        return mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory for a message");
    case -ENOBUFS:
        return mpi_failed(NULL, MPI_ERR_NO_MEM,
                          "the queues are full: their limit is %zu bytes; type a larger one, as "
                          "--queue-limit 16GiB",
                          the_run.queue_limit);
    case -EMSGSIZE:
        return mpi_failed(
            NULL, MPI_ERR_COUNT,
            "a message is longer than the limit of the queues, which is %zu bytes (type a "
            "larger one, as --queue-limit 16GiB), or than its receive (all ranks must give "
            "the same size)",
            the_run.queue_limit);
    case -EOVERFLOW:
        return mpi_failed(NULL, MPI_ERR_OTHER,
                          "the time of the model passes 2^63 ns: L, o, g or G is too large for it");
    case -EINVAL:
        return mpi_failed(NULL, MPI_ERR_ARG, "an argument is not valid");
    case -ENOTSUP:
        return mpi_failed(NULL, MPI_ERR_UNSUPPORTED_OPERATION,
                          "on the virtual clock it needs all ranks on one core: --cores 0");
    default:
        host_leave_rank(1, rc); /* the run is over */
    }
}

void mpi_free_errors(struct rank *r)
{
    for (int i = 0; i < r->n_errors; i++)
        free(r->errors[i].text);
    free(r->errors);
}

int MPI_Error_string(int error, char *string, int *length)
{
    if (is_of_host(error))
        *length = snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", text_of(error),
                           strerror(error - FIRST_OF_HOST));
    else
        *length = snprintf(string, MPI_MAX_ERROR_STRING, "%s", text_of(error));
    return MPI_SUCCESS;
}

int MPI_Error_class(int error, int *class)
{
    const struct own_error *own = own_error(error);

    *class = own != NULL ? own->class : is_of_host(error) ? class_of_host(error) : error;
    return MPI_SUCCESS;
}

/* class < 0: the error is a new class */
static int add_error(int class, int *error)
{
    struct rank *r = mpi_this_rank();
    struct own_error *all = realloc(r->errors, (size_t)(r->n_errors + 1) * sizeof(*all));

    CHECK_MEMORY(NULL, all);
    r->errors = all;
    *error = ++r->last_code;
    all[r->n_errors++] = (struct own_error){class < 0 ? *error : class, NULL};
    return MPI_SUCCESS;
}

int MPI_Add_error_class(int *class)
{
    mpi_enter(__func__);
    return add_error(-1, class);
}

int MPI_Add_error_code(int class, int *error)
{
    const struct own_error *own = own_error(class);

    mpi_enter(__func__);
    CHECK(NULL, own != NULL ? own->class == class : class >= 0 && class <= MPI_ERR_LASTCODE,
          MPI_ERR_ARG, "%d is not a class of errors", class);
    return add_error(class, error);
}

int MPI_Add_error_string(int error, const char *string)
{
    struct own_error *own = own_error(error);
    char *text;

    mpi_enter(__func__);
    CHECK(NULL, own != NULL, MPI_ERR_ARG, "the program has not added the error %d", error);
    text = strdup(string);
    CHECK_MEMORY(NULL, text);
    free(own->text);
    own->text = text;
    return MPI_SUCCESS;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
    struct errhandler *h = malloc(sizeof(*h));

    mpi_enter(__func__);
    CHECK_MEMORY(NULL, h);
    *h = (struct errhandler){.references = 1, .function = function};
    *handler = (MPI_Errhandler)h;
    return MPI_SUCCESS;
}

__attribute__((visibility("default"))) void logp_mpi_errhandler_of_fortran(MPI_Errhandler handler)
{
    ((struct errhandler *)handler)->is_fortran = true;
}

MPI_Errhandler mpi_keep_errhandler(MPI_Errhandler handler)
{
    if ((uintptr_t)handler >= 0x400)
        ((struct errhandler *)handler)->references++;
    return handler;
}

/* Communicators may still use it: it stays until the process ends. */
int MPI_Errhandler_free(MPI_Errhandler *handler)
{
    struct errhandler *h = object_of(*handler);

    mpi_enter(__func__);
    CHECK(NULL, *handler != MPI_ERRHANDLER_NULL, MPI_ERR_ARG, "the error handler is null");
    if (h != NULL && --h->references == 0)
        mpi_forget_object(&h->object);
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

ERROR_HANDLERS(Comm, MPI_Comm, ENTER, object)
