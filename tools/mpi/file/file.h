/* SPDX-License-Identifier: MIT */
/*
 * Files. Each rank has a struct file for a file that it has opened, with a view and a pointer of its own; the ranks
 * of a process share a struct opened. All of them are in one address space or use one file system, so each rank reads and
 * writes by itself, also in collective calls.
 * Source: MPI 4.1, chapter 14
 */
#ifndef LOGP_MPI_FILE_H
#define LOGP_MPI_FILE_H

#include "mpi/standard/rank.h"
#include "mpi/standard/request.h"

#include <pthread.h>
#include <stdatomic.h>

struct form;
struct layout;

/* A file as the ranks of one process have opened it together. */
struct opened {
    int fd;
    atomic_int n_ranks;    /* that have not closed it */
    pthread_mutex_t mutex; /* of the shared pointer, and of accesses in atomic mode */
    MPI_Offset shared;     /* the shared pointer, in etypes */
    int pointer_fd;        /* of a file with the shared pointer of several processes; -1: none */
    bool has_others;       /* other processes have opened it, too */
    char *path;            /* absolute */
    char *pointer_path;
    int n_servers, first_server; /* storage.c: of a stripe in turn, from the first stripe on */
    int64_t stripe_bytes;
};

/* What a rank sees of a file: bytes 0, 1, ... of the data are those of the layout, again and again. */
struct view {
    MPI_Offset disp;
    struct type *etype, *filetype; /* each kept */
    const struct form *form;
    struct layout *layout;  /* of the filetype, in this form */
    MPI_Offset etype_bytes; /* in this form; at least 1 */
};

struct file {
    struct object object;
    struct file *next; /* that the rank has open */
    struct comm *comm; /* its own one; the error handler of the file is that of comm */
    struct opened *opened;
    int amode;
    bool atomic;
    struct view view;
    MPI_Offset position; /* of the individual pointer, in etypes */
    MPI_Info info;
    /* A split collective that has begun, or MPI_REQUEST_NULL */
    MPI_Request split;
    const char *split_begin, *split_end; /* the two calls */
    const void *split_buf;
};

/* The file of a handle; NULL: it is none. */
static inline struct file *file_of(MPI_File handle)
{
    return object_of(handle);
}
#define HERE_FILE(f, handle)                                                                       \
    struct file *f = file_of(handle);                                                              \
    CHECK(&mpi_this_rank()->no_file, f != NULL, MPI_ERR_FILE, "the file is null or has been closed")
#define ENTER_FILE(f, handle)                                                                      \
    mpi_enter(__func__);                                                                           \
    HERE_FILE(f, handle)
#define CHECK_WRITABLE(f)                                                                          \
    CHECK((f)->comm, ((f)->amode & MPI_MODE_RDONLY) == 0, MPI_ERR_READ_ONLY,                       \
          "the file is open with MPI_MODE_RDONLY")
#define CHECK_RANDOM(f)                                                                            \
    CHECK((f)->comm, ((f)->amode & MPI_MODE_SEQUENTIAL) == 0, MPI_ERR_UNSUPPORTED_OPERATION,       \
          "the file is open with MPI_MODE_SEQUENTIAL, which allows the shared pointer alone")

/* What a call returns: the error handler of a file may have changed the code of an error. */
static inline int mpi_answer(const struct rank *r, int rc)
{
    return rc == MPI_SUCCESS ? rc : r->answer;
}

/* ---- agree.c ---- */

/* All ranks of c call this collective. @return MPI_SUCCESS; where they call others, the run ends */
int mpi_note_collective(struct comm *c, const char *call);
/* Whether all ranks give the same n <= 3 values, and the largest class of an error. All wait for each other.
 * @return MPI_SUCCESS, MPI_ERR_NOT_SAME or *class, also that in *class */
int mpi_agree(struct comm *c, const int64_t *values, int n, int *class);
/* An error number of the host, 0 for none, of the ranks that have one: set on all ranks. */
int mpi_agree_on_error(struct comm *c, int *error);

/* ---- layout.c: where the bytes of a datatype are in a file ---- */

/* @return NULL: no memory */
struct layout *mpi_new_layout(const struct type *type, const struct form *form);
void mpi_free_layout(struct layout *layout);
MPI_Offset mpi_layout_bytes(const struct layout *layout);  /* of data */
MPI_Offset mpi_layout_extent(const struct layout *layout); /* in the form of the file */
/* Whether its bytes are in ascending order from an offset >= 0 on, and apart from each other. */
bool mpi_layout_ascends(const struct layout *layout, bool apart);

/* Bytes in a row of a file. */
struct extent {
    MPI_Offset at, n;
};
/* The piece from byte `from` of the view's data on, of at most `most` bytes. n == 0: there are no data */
struct extent mpi_piece_at(const struct view *view, MPI_Offset from, MPI_Offset most);
/* How many bytes of the view's data are before this offset of the file. */
MPI_Offset mpi_bytes_before(const struct view *view, MPI_Offset offset);

/* ---- form.c: data representations ---- */

/* The form of this name, or NULL. */
const struct form *mpi_form_of(struct rank *r, const char *name);
const char *mpi_form_name(const struct form *form);
bool mpi_form_converts(const struct form *form);
/* Bytes of a value of a basic type in a file; < 0: it has no such form */
MPI_Offset mpi_form_extent(const struct form *form, const struct type *basic);
/* Convert n elements to `data`, of n_bytes, or from it. @return MPI_SUCCESS or a class */
int mpi_form_convert(const struct form *form, struct type *type, MPI_Datatype handle, size_t n,
                     void *buf, void *data, bool in);

/* ---- view.c ---- */

/* The view of a file that has been opened: bytes. @return MPI_SUCCESS or a class */
int mpi_begin_view(struct file *f);
void mpi_end_view(struct view *view);

/* ---- storage.c: what file operations take ---- */

/* An operation is about to begin: on the virtual clock the ranks before this one in time come first. */
int mpi_begin_storage(struct file *f);
/* n bytes of the file are moved by an operation, which adds them up. */
struct load {
    int64_t *bytes; /* of each server; NULL: without --storage */
    bool moved;
};
int mpi_begin_load(struct load *load); /* @return MPI_SUCCESS or a class */
void mpi_add_load(const struct file *f, struct load *load, struct extent piece);
/* Let the servers work. @return when the last one is done, on the emulated clock; 0: at once */
int64_t mpi_end_load(const struct file *f, struct load *load);
/* Wait until then. @return MPI_SUCCESS */
int mpi_await_storage(const struct comm *c, int64_t until_ns);
/* An operation without data, of one rank, is about to be done by this server. @return MPI_SUCCESS */
int mpi_charge_storage(const struct comm *c, int server);
int mpi_server_of(
    const char *name); /* that the first stripe of this file is on; 0: none is emulated */
void mpi_place_file(struct opened *o, const char *name, MPI_Info info);

/* ---- transfer.c ---- */

MPI_Offset mpi_file_bytes(const struct file *f); /* its size; < 0: the host has refused it: errno */

/* n elements in memory. */
struct data {
    void *buf;
    struct type *type;
    MPI_Datatype handle;
    size_t n;
};

/* Bytes of the data in the file; < 0: the form has none of these types */
MPI_Offset mpi_bytes_in_file(const struct file *f, const struct data *data);
/* Move them from or to the view's byte `from` on. *moved: bytes in the file; *done: in memory; *until_ns: when the
 * storage is done. @return MPI_SUCCESS or a code, without a call of the error handler */
int mpi_transfer(struct file *f, MPI_Offset from, const struct data *data, bool writes,
                 MPI_Offset *moved, size_t *done, int64_t *until_ns);

/* ---- pointer.c ---- */

/* Add n etypes to the shared pointer. *from: its value before. @return 0 or an error number */
int mpi_take_shared(struct file *f, MPI_Offset n, MPI_Offset *from);
/* The same in the order of the ranks, each with its n. @return MPI_SUCCESS or a class */
int mpi_take_ordered(struct file *f, MPI_Offset n, MPI_Offset *from);
/* All ranks call it, and wait for each other. @return MPI_SUCCESS or a class */
int mpi_set_shared(struct file *f, MPI_Offset to);

#endif
