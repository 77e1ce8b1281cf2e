/* SPDX-License-Identifier: MIT */
/*
 * Data between memory and a file: data in a row in memory move piece by piece of the file, and others by way of a
 * buffer. Pieces that are small and near each other are read together.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    BUFFER = 4 << 20, /* bytes of the buffer for data that do not lie in a row */
    SIEVE = 512 << 10 /* bytes that are read together at most */
};

MPI_Offset mpi_file_bytes(const struct file *f)
{
    struct stat st;

    if (fstat(f->opened->fd, &st) != 0)
        return -1;
    return S_ISBLK(st.st_mode) ? lseek(f->opened->fd, 0, SEEK_END) : st.st_size;
}

/* ---- one piece ---- */

/* Read or write a piece, until the end of the file. @return bytes; *error: an error number, or as it was */
static MPI_Offset move_piece(int fd, struct extent p, char *data, bool writes, int *error)
{
    MPI_Offset moved = 0;

    while (moved < p.n) {
        const size_t n = p.n - moved < 1 << 30 ? (size_t)(p.n - moved) : (size_t)1 << 30;
        const ssize_t rc = writes ? pwrite(fd, data + moved, n, p.at + moved)
                                  : pread(fd, data + moved, n, p.at + moved);

        if (rc == 0)
            return moved;
        if (rc < 0 && errno != EINTR) {
            *error = errno;
            return moved;
        }
        moved += rc > 0 ? rc : 0;
    }
    return moved;
}

/* ---- pieces ---- */

/* A part of a file that has been read for several pieces. */
struct sieve {
    char *bytes; /* SIEVE of them; NULL: none yet */
    struct extent held;
    bool is_sparse; /* pieces of this operation are too far apart */
};

struct move {
    struct file *file;
    struct load *load;
    struct sieve sieve;
    bool writes;
    int error;
};

/* Whether to read the pieces from byte `from` on together: at least a quarter of the bytes are of them. *span: the bytes
 * of the file then */
static bool is_worth_sieve(struct move *m, MPI_Offset from, MPI_Offset n, struct extent first,
                           MPI_Offset *span)
{
    const struct view *v = &m->file->view;
    MPI_Offset in_sieve, data;

    if (m->sieve.is_sparse || first.n >= n || first.n >= SIEVE / 8)
        return false;
    in_sieve = mpi_bytes_before(v, first.at + SIEVE) - from;
    data = in_sieve < n ? in_sieve : n;
    *span = mpi_piece_at(v, from + data - 1, 1).at + 1 - first.at;
    m->sieve.is_sparse = data < *span / 4;
    return data > first.n && !m->sieve.is_sparse;
}

/* Have the sieve hold the file from this piece on. @return whether it does */
static bool fill_sieve(struct move *m, struct extent first, MPI_Offset span)
{
    struct sieve *s = &m->sieve;

    if (s->bytes == NULL)
        s->bytes = malloc(SIEVE);
    if (s->bytes == NULL)
        return false;
    s->held.at = first.at;
    s->held.n = move_piece(m->file->opened->fd, (struct extent){first.at, span}, s->bytes, false,
                           &m->error);
    return true;
}

/* Read a piece, with others or alone. from, n: of the view's data that are still to be read */
static MPI_Offset read_piece(struct move *m, MPI_Offset from, MPI_Offset n, struct extent p,
                             char *data)
{
    struct sieve *s = &m->sieve;
    MPI_Offset span, left;

    if (p.at < s->held.at || p.at >= s->held.at + s->held.n) {
        s->held.n = 0;
        if (!is_worth_sieve(m, from, n, p, &span) || !fill_sieve(m, p, span))
            return move_piece(m->file->opened->fd, p, data, false, &m->error);
    }
    left = s->held.at + s->held.n - p.at;
    if (left <= 0)
        return 0;
    p.n = p.n < left ? p.n : left;
    memcpy(data, s->bytes + (p.at - s->held.at), (size_t)p.n);
    return p.n;
}

/* Data in a row in memory, from or to the view's byte `from` on. @return bytes moved, fewer at the end of the file or at an
 * error */
static MPI_Offset move_row(struct move *m, MPI_Offset from, char *data, MPI_Offset n)
{
    MPI_Offset moved = 0;

    while (moved < n && m->error == 0) {
        const struct extent p = mpi_piece_at(&m->file->view, from + moved, n - moved);
        MPI_Offset done;

        if (p.n == 0)
            break;
        done = m->writes ? move_piece(m->file->opened->fd, p, data + moved, true, &m->error)
                         : read_piece(m, from + moved, n - moved, p, data + moved);
        mpi_add_load(m->file, m->load, (struct extent){p.at, done});
        moved += done;
        if (done == 0)
            break;
    }
    return moved;
}

/* ---- elements in memory ---- */

MPI_Offset mpi_bytes_in_file(const struct file *f, const struct data *d)
{
    struct layout *layout;
    MPI_Offset bytes;

    if (!mpi_form_converts(f->view.form))
        return (MPI_Offset)(d->n * d->type->size);
    layout = mpi_new_layout(d->type, f->view.form);
    bytes = layout != NULL ? mpi_layout_bytes(layout) * (MPI_Offset)d->n : -1;
    mpi_free_layout(layout);
    return bytes;
}

/* Data that do not lie in a row, in parts. */
static MPI_Offset move_parts(struct move *m, MPI_Offset from, const struct data *d, MPI_Offset n)
{
    const MPI_Offset most = n < BUFFER ? n : BUFFER;
    struct elements elements = {d->type, d->n, d->buf};
    char *buffer = malloc((size_t)most + 1);
    MPI_Offset moved = 0, part, done;

    if (buffer == NULL) {
        m->error = ENOMEM;
        return 0;
    }
    do {
        part = n - moved < most ? n - moved : most;
        if (m->writes)
            mpi_fill_payload(&elements, (size_t)moved, buffer, (size_t)part);
        done = move_row(m, from + moved, buffer, part);
        if (!m->writes)
            mpi_drain_payload(&elements, (size_t)moved, buffer, (size_t)done);
        moved += done;
    } while (done == part && moved < n);
    free(buffer);
    return moved;
}

/* Data that the form of the file converts: whole elements. *class: of an error of the conversion */
static MPI_Offset move_converted(struct move *m, MPI_Offset from, const struct data *d,
                                 MPI_Offset n, int *class)
{
    const struct form *form = m->file->view.form;
    char *buffer = malloc((size_t)n + 1);
    MPI_Offset moved = 0;

    if (buffer == NULL) {
        m->error = ENOMEM;
        return 0;
    }
    if (m->writes)
        *class = mpi_form_convert(form, d->type, d->handle, d->n, d->buf, buffer, false);
    if (*class == MPI_SUCCESS)
        moved = move_row(m, from, buffer, n);
    if (!m->writes && moved > 0) {
        const MPI_Offset each = n / (MPI_Offset)d->n;

        *class = mpi_form_convert(form, d->type, d->handle, (size_t)(moved / each), d->buf, buffer,
                                  true);
    }
    free(buffer);
    return moved;
}

/* ---- atomic mode ---- */

/* Between processes: the part of the file that is used. type: F_RDLCK, F_WRLCK, F_UNLCK. @return 0 or an error number */
static int lock_part(struct file *f, MPI_Offset from, MPI_Offset n, short type)
{
    const MPI_Offset first = mpi_piece_at(&f->view, from, 1).at;
    struct flock part = {
        .l_type = type,
        .l_whence = SEEK_SET,
        .l_start = first,
        .l_len = mpi_piece_at(&f->view, from + n - 1, 1).at + 1 - first,
    };

    while (syscall(SYS_fcntl, f->opened->fd, F_OFD_SETLKW, &part) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static int begin_atomic(struct file *f, MPI_Offset from, MPI_Offset n, bool writes)
{
    pthread_mutex_lock(&f->opened->mutex);
    return f->opened->has_others ? lock_part(f, from, n, writes ? F_WRLCK : F_RDLCK) : 0;
}

static void end_atomic(struct file *f, MPI_Offset from, MPI_Offset n)
{
    if (f->opened->has_others)
        lock_part(f, from, n, F_UNLCK);
    pthread_mutex_unlock(&f->opened->mutex);
}

int mpi_transfer(struct file *f, MPI_Offset from, const struct data *d, bool writes,
                 MPI_Offset *moved, size_t *done, int64_t *until_ns)
{
    const MPI_Offset n = mpi_bytes_in_file(f, d);
    const bool converts = mpi_form_converts(f->view.form),
               is_locked = f->atomic && n > 0 && mpi_layout_bytes(f->view.layout) > 0;
    struct load load;
    struct move m = {.file = f, .load = &load, .writes = writes};
    int class = mpi_begin_load(&load);

    *moved = 0;
    *done = 0;
    *until_ns = 0;
    if (n < 0 || class != MPI_SUCCESS)
        return n < 0 ? MPI_ERR_CONVERSION : class;
    if (is_locked)
        m.error = begin_atomic(f, from, n, writes);
    if (m.error == 0 && converts && n > 0)
        *moved = move_converted(&m, from, d, n, &class);
    else if (m.error == 0 && in_a_row(d->type, d->n))
        *moved = move_row(&m, from, (char *)d->buf + d->type->true_lb, n);
    else if (m.error == 0)
        *moved = move_parts(&m, from, d, n);
    if (is_locked)
        end_atomic(f, from, n);
    free(m.sieve.bytes);
    *until_ns = mpi_end_load(f, &load);
    *done = !converts ? (size_t)*moved
            : n > 0   ? (size_t)(*moved / (n / (MPI_Offset)d->n)) * d->type->size
                      : 0;
    return m.error != 0 ? mpi_code_of_host(m.error) : class;
}
