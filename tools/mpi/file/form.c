/* SPDX-License-Identifier: MIT */
/* Data representations of files: native and internal, which are the bytes in memory, external32, and those of the program. */
#include "file.h"

#include <stdlib.h>
#include <string.h>

struct form {
    struct form *next;
    char name[MPI_MAX_DATAREP_STRING];
    bool is_external;
    /* Of the program; NULL: no such function */
    MPI_Datarep_conversion_function *read, *write;
    MPI_Datarep_conversion_function_c *read_c, *write_c; /* or these */
    MPI_Datarep_extent_function *extent;
    void *state;
};

/* Those that the program of a rank has registered. */
struct registered {
    struct logp_attached attached;
    struct form *first;
};

static char key; /* its address */

static void end_registered(struct logp_attached *attached)
{
    struct registered *all = (struct registered *)attached;

    for (struct form *next; all->first != NULL; all->first = next) {
        next = all->first->next;
        free(all->first);
    }
    free(all);
}

/* NULL: no memory */
static struct registered *registered_by(struct rank *r)
{
    struct registered *all = (struct registered *)logp_vp_attached(r->vp, &key);

    if (all != NULL)
        return all;
    all = calloc(1, sizeof(*all));
    if (all == NULL)
        return NULL;
    all->attached = (struct logp_attached){.key = &key, .end = end_registered};
    if (logp_vp_attach(r->vp, &all->attached) == 0)
        return all;
    free(all);
    return NULL;
}

static const struct form forms[] = {
    {.name = "native"}, {.name = "internal"}, {.name = "external32", .is_external = true}};

enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

const struct form *mpi_form_of(struct rank *r, const char *name)
{
    const struct registered *all = (struct registered *)logp_vp_attached(r->vp, &key);

    for (size_t i = 0; i < N_FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    for (const struct form *f = all != NULL ? all->first : NULL; f != NULL; f = f->next)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const char *mpi_form_name(const struct form *form)
{
    return form->name;
}

bool mpi_form_converts(const struct form *form)
{
    return form->is_external || form->extent != NULL;
}

MPI_Offset mpi_form_extent(const struct form *form, const struct type *basic)
{
    MPI_Aint extent = 0;

    if (form->is_external) {
        const size_t bytes = mpi_external_bytes(basic);

        return bytes > 0 ? (MPI_Offset)bytes : -1;
    }
    if (form->extent == NULL)
        return basic->extent;
    return form->extent(basic->handle, &extent, form->state) == MPI_SUCCESS ? extent : -1;
}

int mpi_form_convert(const struct form *form, struct type *type, MPI_Datatype handle, size_t n,
                     void *buf, void *data, bool in)
{
    MPI_Datarep_conversion_function *const f = in ? form->read : form->write;
    MPI_Datarep_conversion_function_c *const f_c = in ? form->read_c : form->write_c;

    if (form->is_external)
        return mpi_convert_external(type, n, buf, data, in) ? MPI_SUCCESS : MPI_ERR_CONVERSION;
    if (f_c != NULL)
        return f_c(buf, handle, (MPI_Count)n, data, 0, form->state) == MPI_SUCCESS
                   ? MPI_SUCCESS
                   : MPI_ERR_CONVERSION;
    if (f != NULL)
        return f(buf, handle, (int)n, data, 0, form->state) == MPI_SUCCESS ? MPI_SUCCESS
                                                                           : MPI_ERR_CONVERSION;
    if (in)
        mpi_unpack(type, n, data, n * type->size, buf);
    else
        mpi_pack(type, n, buf, data);
    return MPI_SUCCESS;
}

/* form: with the functions of the program */
static int add_form(const char *call, const char *name, const struct form *form)
{
    struct rank *r = mpi_enter(call);
    struct registered *all = registered_by(r);
    struct form *added;

    CHECK(&r->no_file, strlen(name) < MPI_MAX_DATAREP_STRING, MPI_ERR_ARG,
          "the name of the data representation has %zu characters, but at most %d are possible",
          strlen(name), MPI_MAX_DATAREP_STRING - 1);
    CHECK(&r->no_file, mpi_form_of(r, name) == NULL, MPI_ERR_DUP_DATAREP,
          "there is a data representation %s", name);
    added = all != NULL ? malloc(sizeof(*added)) : NULL;
    CHECK(&r->no_file, added != NULL, MPI_ERR_NO_MEM, "no memory");
    *added = *form;
    memcpy(added->name, name, strlen(name) + 1);
    added->next = all->first;
    all->first = added;
    return MPI_SUCCESS;
}

int MPI_Register_datarep(const char *name, MPI_Datarep_conversion_function *read,
                         MPI_Datarep_conversion_function *write,
                         MPI_Datarep_extent_function *extent, void *state)
{
    return add_form(
        __func__, name,
        &(const struct form){.read = read, .write = write, .extent = extent, .state = state});
}

int MPI_Register_datarep_c(const char *name, MPI_Datarep_conversion_function_c *read,
                           MPI_Datarep_conversion_function_c *write,
                           MPI_Datarep_extent_function *extent, void *state)
{
    return add_form(
        __func__, name,
        &(const struct form){.read_c = read, .write_c = write, .extent = extent, .state = state});
}
