/* SPDX-License-Identifier: MIT */
/* Views: which bytes of a file a rank sees, and in which form. */
#include "file.h"
#include "mpi/standard/info.h"

#include <stdio.h>

void mpi_end_view(struct view *v)
{
    mpi_drop_type(v->etype);
    mpi_drop_type(v->filetype);
    mpi_free_layout(v->layout);
    *v = (struct view){0};
}

/* @return MPI_SUCCESS or a class; then there is nothing to end */
static int make_view(struct view *v, struct file *f, MPI_Offset disp, struct type *etype,
                     struct type *filetype, const struct form *form)
{
    struct layout *elements = mpi_new_layout(etype, form);

    *v = (struct view){.disp = disp,
                       .etype = etype,
                       .filetype = filetype,
                       .form = form,
                       .layout = mpi_new_layout(filetype, form)};
    v->etype_bytes = elements != NULL ? mpi_layout_bytes(elements) : 0;
    mpi_free_layout(elements);
    mpi_keep_type(etype);
    mpi_keep_type(filetype);
    if (v->layout == NULL || elements == NULL) {
        mpi_end_view(v);
        return mpi_failed(f->comm, MPI_ERR_NO_MEM, "no memory");
    }
    if (v->etype_bytes < 1) /* of no bytes: then only the offset 0 has a meaning */
        v->etype_bytes = 1;
    return MPI_SUCCESS;
}

int mpi_begin_view(struct file *f)
{
    struct type *bytes = mpi_type_of(MPI_BYTE);

    return make_view(&f->view, f, 0, bytes, bytes, mpi_form_of(f->comm->owner, "native"));
}

/* Its errors have the class that ROMIO gives them: the standard names none. @return MPI_SUCCESS or a class */
static int check_view(struct file *f, const struct view *v)
{
    const bool writes = (f->amode & MPI_MODE_RDONLY) == 0;

    CHECK(f->comm, mpi_layout_bytes(v->layout) % v->etype_bytes == 0, MPI_ERR_IO,
          "the filetype has %lld bytes of data, but must have a multiple of the %lld of the etype",
          (long long)mpi_layout_bytes(v->layout), (long long)v->etype_bytes);
    CHECK(f->comm, mpi_layout_ascends(v->layout, false), MPI_ERR_IO,
          "displacements of a filetype must not be negative or decrease");
    CHECK(f->comm, !writes || mpi_layout_ascends(v->layout, true), MPI_ERR_IO,
          "parts of the filetype overlap, but the file is open for writing");
    return MPI_SUCCESS;
}

/* MPI_DISPLACEMENT_CURRENT: where the shared pointer is, in bytes of the file. @return MPI_SUCCESS or a class */
static int find_current(struct file *f, MPI_Offset *disp)
{
    MPI_Offset at;
    int error;

    CHECK(f->comm, (f->amode & MPI_MODE_SEQUENTIAL) != 0, MPI_ERR_ARG,
          "MPI_DISPLACEMENT_CURRENT is for files with MPI_MODE_SEQUENTIAL");
    error = mpi_take_shared(f, 0, &at);
    CHECK(f->comm, error == 0, mpi_code_of_host(error), "the shared pointer");
    *disp = mpi_piece_at(&f->view, at * f->view.etype_bytes, 1).at;
    return MPI_SUCCESS;
}

int MPI_File_set_view(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *name, MPI_Info info)
{
    struct view view = {0};
    const struct form *form;
    int64_t alike[2];
    int class = MPI_SUCCESS, rc;

    ENTER_FILE(f, file);
    DATA_TYPE(e, etype, f->comm);
    DATA_TYPE(t, filetype, f->comm);
    rc = mpi_note_collective(f->comm, __func__);
    if (rc != MPI_SUCCESS)
        return rc;
    CHECK(f->comm, f->split == MPI_REQUEST_NULL, MPI_ERR_IO, "%s has begun and not ended",
          f->split_begin);
    CHECK(f->comm, (f->amode & MPI_MODE_SEQUENTIAL) == 0 || disp == MPI_DISPLACEMENT_CURRENT,
          MPI_ERR_ARG, "with MPI_MODE_SEQUENTIAL the displacement is MPI_DISPLACEMENT_CURRENT");
    if (disp == MPI_DISPLACEMENT_CURRENT && (rc = find_current(f, &disp)) != MPI_SUCCESS)
        return rc;
    CHECK(f->comm, disp >= 0, MPI_ERR_ARG, "the displacement is %lld, but must be at least 0",
          (long long)disp);
    form = mpi_form_of(f->comm->owner, name);
    CHECK(f->comm, form != NULL, MPI_ERR_UNSUPPORTED_DATAREP, "there is no data representation %s",
          name);
    rc = make_view(&view, f, disp, e, t, form);
    if (rc == MPI_SUCCESS)
        rc = check_view(f, &view);
    if (rc != MPI_SUCCESS) {
        mpi_end_view(&view);
        return rc;
    }
    mpi_end_view(&f->view);
    f->view = view;
    f->position = 0;
    mpi_set_info(&f->info, info);
    alike[0] = view.etype_bytes;
    alike[1] = (int64_t)mpi_form_converts(form);
    rc = mpi_agree(f->comm, alike, 2,
                   &class); /* no rank uses the shared pointer of the view before */
    CHECK(f->comm, rc == MPI_SUCCESS, rc,
          "the extents of the etypes or the data representations differ between ranks");
    return mpi_set_shared(f, 0);
}

/* A constant, or a duplicate that the program frees. */
static int give_type(struct type *t, MPI_Datatype *out)
{
    if (t->references == 0) {
        *out = t->handle;
        return MPI_SUCCESS;
    }
    return MPI_Type_dup((MPI_Datatype)t, out);
}

int MPI_File_get_view(MPI_File file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                      char *name)
{
    int rc;

    ENTER_FILE(f, file);
    *disp = f->view.disp;
    snprintf(name, MPI_MAX_DATAREP_STRING, "%s", mpi_form_name(f->view.form));
    rc = give_type(f->view.etype, etype);
    return rc == MPI_SUCCESS ? give_type(f->view.filetype, filetype) : rc;
}

int MPI_File_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset *disp)
{
    ENTER_FILE(f, file);
    CHECK_RANDOM(f);
    CHECK(f->comm, offset >= 0, MPI_ERR_ARG, "the offset is %lld, but must be at least 0",
          (long long)offset);
    *disp = mpi_layout_bytes(f->view.layout) > 0
                ? mpi_piece_at(&f->view, offset * f->view.etype_bytes, 1).at
                : f->view.disp;
    return MPI_SUCCESS;
}

static int type_extent(const char *call, MPI_File file, MPI_Datatype type, MPI_Offset *extent)
{
    struct layout *layout;

    mpi_enter(call);
    HERE_FILE(f, file);
    TYPE(t, type, f->comm);
    layout = mpi_new_layout(t, f->view.form);
    CHECK_MEMORY(f->comm, layout);
    *extent = mpi_layout_extent(layout);
    mpi_free_layout(layout);
    return MPI_SUCCESS;
}

int MPI_File_get_type_extent(MPI_File file, MPI_Datatype type, MPI_Aint *extent)
{
    MPI_Offset bytes = 0;
    const int rc = type_extent(__func__, file, type, &bytes);

    *extent = (MPI_Aint)bytes;
    return rc;
}

int MPI_File_get_type_extent_c(MPI_File file, MPI_Datatype type, MPI_Count *extent)
{
    MPI_Offset bytes = 0;
    const int rc = type_extent(__func__, file, type, &bytes);

    *extent = bytes;
    return rc;
}
