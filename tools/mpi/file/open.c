/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing files. Rank 0 opens a file first, and creates it; then one rank of each other process does. All
 * ranks get the same answer.
 */
#include "file.h"
#include "mpi/standard/info.h"
#include "mpi/standard/window.h"
#include "mpi/standard/world.h"
#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what a rank has open ---- */

static void drop_opened(struct opened *o)
{
    if (o == NULL || atomic_fetch_sub_explicit(&o->n_ranks, 1, memory_order_acq_rel) > 1)
        return; /* acq_rel: the last one sees what the others did */
    if (o->fd >= 0)
        host_close(o->fd);
    if (o->pointer_fd >= 0)
        host_close(o->pointer_fd);
    pthread_mutex_destroy(&o->mutex);
    free(o->path);
    free(o->pointer_path);
    free(o);
}

static void drop_file(struct file *f)
{
    mpi_end_view(&f->view);
    mpi_drop_info(&f->info);
    drop_opened(f->opened);
    mpi_bury_object(&f->object, sizeof(*f));
}

/* The files of a rank. */
struct files {
    struct logp_attached attached;
    struct file *open;
};

static char key; /* its address */

/* The rank has ended: close the files that it has left open. Its communicators are gone. */
static void end_files(struct logp_attached *attached)
{
    struct files *files = (struct files *)attached;

    for (struct file *next; files->open != NULL; files->open = next) {
        next = files->open->next;
        drop_opened(files->open->opened);
    }
    free(files);
}

/* NULL: no memory */
static struct files *files_of(struct rank *r)
{
    struct files *files = (struct files *)logp_vp_attached(r->vp, &key);

    if (files != NULL)
        return files;
    files = calloc(1, sizeof(*files));
    if (files == NULL)
        return NULL;
    files->attached = (struct logp_attached){.key = &key, .end = end_files};
    if (logp_vp_attach(r->vp, &files->attached) == 0)
        return files;
    free(files);
    return NULL;
}

/* ---- opening ---- */

static int flags_of(int amode)
{
    return O_CLOEXEC |
           ((amode & MPI_MODE_RDONLY) != 0   ? O_RDONLY
            : (amode & MPI_MODE_WRONLY) != 0 ? O_WRONLY
                                             : O_RDWR) |
           ((amode & MPI_MODE_CREATE) != 0 ? O_CREAT : 0) |
           ((amode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0);
}

static int check_amode(struct comm *no_file, int amode)
{
    const int ways = ((amode & MPI_MODE_RDONLY) != 0) + ((amode & MPI_MODE_WRONLY) != 0) +
                     ((amode & MPI_MODE_RDWR) != 0);

    CHECK(no_file, ways == 1, MPI_ERR_AMODE,
          "the access mode %d needs one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR",
          amode);
    CHECK(no_file,
          (amode & MPI_MODE_RDONLY) == 0 || (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) == 0,
          MPI_ERR_AMODE, "MPI_MODE_RDONLY excludes MPI_MODE_CREATE and MPI_MODE_EXCL");
    CHECK(no_file, (amode & MPI_MODE_RDWR) == 0 || (amode & MPI_MODE_SEQUENTIAL) == 0,
          MPI_ERR_AMODE, "MPI_MODE_RDWR excludes MPI_MODE_SEQUENTIAL");
    return MPI_SUCCESS;
}

/* Open it for the ranks of this process. @return 0 or an error number; *out: NULL then */
static int open_here(const char *name, int flags, struct opened **out)
{
    struct opened *o = calloc(1, sizeof(*o));
    struct stat st;
    int error = 0;

    *out = NULL;
    if (o == NULL)
        return ENOMEM;
    pthread_mutex_init(&o->mutex, NULL);
    atomic_init(&o->n_ranks, 1);
    o->pointer_fd = -1;
    o->fd = open(name, flags, 0666);
    if (o->fd < 0 || fstat(o->fd, &st) != 0)
        error = errno;
    else if (S_ISDIR(st.st_mode))
        error = EISDIR;
    else if ((o->path = realpath(name, NULL)) == NULL)
        error = errno;
    if (error != 0)
        drop_opened(o);
    else
        *out = o;
    return error;
}

/* The file with the shared pointer of several processes is in the folder of the file. There may be none. */
static void make_pointer(struct opened *o, char *path, size_t size)
{
    const char *slash = strrchr(o->path, '/');

    *path = '\0';
    if (slash == NULL || snprintf(path, size, "%.*s/.%s.XXXXXX", (int)(slash - o->path), o->path,
                                  slash + 1) >= (int)size)
        return;
    o->pointer_fd = mkostemp(path, O_CLOEXEC);
    if (o->pointer_fd < 0)
        *path = '\0';
    else
        o->pointer_path = strdup(path);
}

/* What one rank has opened, for others of its process. */
struct offer {
    int64_t error;
    uint64_t opened;
    char pointer_path[4096]; /* to other processes alone */
};

/* The rank with the file has it counted for all n before they can close it. */
static void count(struct offer *offer, struct opened *o, int n)
{
    offer->opened = (uintptr_t)o;
    if (o != NULL) /* relaxed: the broadcast publishes it */
        atomic_store_explicit(&o->n_ranks, n, memory_order_relaxed);
}

/* The ranks of several processes: `first` has the file in the process of rank 0. @return 0 or an error number */
static int open_elsewhere(struct file *f, const char *name, int flags, struct offer *offer,
                          struct opened **out)
{
    const struct logp_machine *m = logp_vp_machine(f->comm->vp);
    struct opened *o = *out;
    struct logp_vp *local = NULL;
    int rc;

    mpi_class_of(logp_broadcast(f->comm->vp, offer, sizeof(*offer), 0));
    if (offer->error != 0)
        return (int)offer->error;
    rc = logp_group_split(f->comm->vp, logp_machine_process(m), f->comm->rank, &local);
    mpi_class_of(rc);
    if (logp_vp_rank(local) == 0 && f->comm->rank != 0) {
        offer->error = open_here(name, flags & ~(O_CREAT | O_EXCL), &o);
        if (o != NULL && offer->pointer_path[0] != '\0')
            o->pointer_fd = open(offer->pointer_path, O_RDWR | O_CLOEXEC);
    }
    if (o != NULL)
        o->has_others = true;
    count(offer, o, logp_vp_size(local));
    mpi_class_of(logp_broadcast(local, offer, offsetof(struct offer, pointer_path), 0));
    logp_group_destroy(local);
    *out = (struct opened *)(uintptr_t)offer->opened;
    return (int)offer->error;
}

/* @return MPI_SUCCESS or a code, the same on all ranks */
static int open_together(struct file *f, const char *name)
{
    const bool has_others = mpi_has_others(f->comm);
    struct offer *offer = calloc(1, sizeof(*offer));
    struct opened *o = NULL;
    int error = 0;

    CHECK(&f->comm->owner->no_file, offer != NULL, MPI_ERR_NO_MEM, "no memory");
    host_enter_directory(
        f->comm->owner->host); /* other ranks of this thread may have run since the call */
    if (f->comm->rank == 0) {
        error = open_here(name, flags_of(f->amode), &o);
        offer->error = error;
        count(offer, o, f->comm->size);
        if (o != NULL && has_others)
            make_pointer(o, offer->pointer_path, sizeof(offer->pointer_path));
    }
    if (has_others) {
        error = open_elsewhere(f, name, flags_of(f->amode), offer, &o);
        f->opened = o;
        mpi_agree(f->comm, NULL, 0, &error);
    } else {
        mpi_class_of(logp_broadcast(f->comm->vp, offer, offsetof(struct offer, pointer_path), 0));
        error = (int)offer->error;
        f->opened = (struct opened *)(uintptr_t)offer->opened;
    }
    free(offer);
    CHECK(&f->comm->owner->no_file, error == 0, mpi_code_of_host(error), "%s: %s", name,
          strerror(error));
    return MPI_SUCCESS;
}

static struct file *new_file(struct comm *like, int amode)
{
    struct file *f = calloc(1, sizeof(*f));
    struct logp_vp *vp = NULL;

    if (f == NULL)
        return NULL;
    f->amode = amode;
    f->split = MPI_REQUEST_NULL;
    if (mpi_class_of(logp_group_dup(like->vp, &vp)) != MPI_SUCCESS ||
        (f->comm = mpi_new_comm(vp, 0, like)) == NULL) {
        free(f);
        return NULL;
    }
    f->comm->of = f;
    f->comm->errors = like->owner->no_file.errors;
    return f;
}

static void free_file(struct file *f)
{
    struct comm *c = f->comm;

    c->of = NULL; /* requests may still have the communicator */
    drop_file(f);
    mpi_drop_comm(c);
}

/* The pointers of a file that is appended to begin at its end. */
static int begin_pointers(struct file *f)
{
    if ((f->amode & MPI_MODE_APPEND) == 0)
        return MPI_SUCCESS;
    f->position = mpi_file_bytes(f);
    return mpi_set_shared(f, f->position);
}

static int open_file(struct rank *r, struct comm *c, const char *name, int amode, MPI_Info info,
                     MPI_File *file)
{
    const int64_t alike[1] = {amode};
    struct files *files = files_of(r);
    int class = MPI_SUCCESS, rc;
    struct file *f;

    CHECK(&r->no_file, c != NULL && !c->inter, MPI_ERR_COMM,
          "the communicator is null, has been freed, or is between two groups");
    CHECK(&r->no_file, files != NULL, MPI_ERR_NO_MEM, "no memory");
    the_run.has_files = true;
    rc = mpi_note_collective(c, r->call);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = mpi_agree(c, alike, 1, &class);
    CHECK(&r->no_file, rc == MPI_SUCCESS, rc, "the ranks give different access modes");
    rc = check_amode(&r->no_file, amode);
    if (rc != MPI_SUCCESS)
        return rc;
    f = new_file(c, amode);
    CHECK(&r->no_file, f != NULL, MPI_ERR_NO_MEM, "no memory");
    if (c->rank == 0)
        rc = mpi_charge_storage(c, mpi_server_of(name));
    if (rc == MPI_SUCCESS)
        rc = open_together(f, name);
    if (rc == MPI_SUCCESS && c->rank == 0)
        mpi_place_file(f->opened, name, info);
    if (rc == MPI_SUCCESS)
        rc = mpi_begin_view(f);
    if (rc == MPI_SUCCESS)
        rc = mpi_set_info(&f->info, info);
    if (rc == MPI_SUCCESS)
        rc = begin_pointers(f);
    if (rc != MPI_SUCCESS) {
        free_file(f);
        return rc;
    }
    f->next = files->open;
    files->open = f;
    *file = (MPI_File)f;
    return MPI_SUCCESS;
}

int MPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file)
{
    struct rank *r = mpi_enter(__func__);

    *file = MPI_FILE_NULL;
    return mpi_answer(r, open_file(r, comm_in(r, comm), name, amode, info, file));
}

/* ---- closing ---- */

int MPI_File_close(MPI_File *file)
{
    struct rank *r = mpi_enter(__func__);
    struct file **link;
    bool deletes;
    int error = 0, rc;

    HERE_FILE(f, *file);
    rc = mpi_note_collective(f->comm, __func__);
    if (rc != MPI_SUCCESS)
        return rc;
    CHECK(f->comm, f->split == MPI_REQUEST_NULL, MPI_ERR_IO, "%s has begun and not ended",
          f->split_begin);
    TELL(closed, f->comm);
    rc = mpi_class_of(logp_barrier(f->comm->vp)); /* no rank uses the file any more */
    if (rc != MPI_SUCCESS)
        return rc;
    deletes = f->comm->rank == 0 && (f->amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
    if (f->comm->rank == 0 && f->opened->pointer_path != NULL)
        unlink(f->opened->pointer_path);
    if (deletes)
        error = unlink(f->opened->path) != 0 ? errno : 0;
    if (f->comm->rank == 0)
        rc = mpi_charge_storage(f->comm, f->opened->first_server);
    for (link = &files_of(r)->open; *link != f; link = &(*link)->next)
        continue;
    *link = f->next;
    free_file(f);
    *file = MPI_FILE_NULL;
    CHECK(&r->no_file, error == 0, mpi_code_of_host(error), "the file is not deleted");
    return rc;
}

int MPI_File_delete(const char *name, MPI_Info info)
{
    struct rank *r = mpi_enter(__func__);
    const int rc = mpi_charge_storage(&r->self, mpi_server_of(name));
    int error;

    (void)info;
    the_run.has_files = true;
    host_enter_directory(r->host);
    error = unlink(name) != 0 ? errno : 0;
    if (error != 0)
        return mpi_answer(
            r, mpi_failed(&r->no_file, mpi_code_of_host(error), "%s: %s", name, strerror(error)));
    return rc;
}
