/* SPDX-License-Identifier: MIT */
/* Variables, memory and texts of the subroutines of Fortran. A rank has its own, as it has of all variables of its executable. */
#include "wrap.h"

#include <stdio.h>

void *logp_fortran_caller;

extern const char __start_logp_fortran[], __stop_logp_fortran[]; /* by the linker */
void logp_mpi_wrappers(const char *from, const char *to, void *const *caller, void (*flush)(void))
    __attribute__((weak));
void _gfortran_flush_i4(int *unit) __attribute__((weak)); /* NULL: all units */

static void flush_units(void)
{
    if (_gfortran_flush_i4 != NULL)
        _gfortran_flush_i4(NULL);
}

__attribute__((constructor)) static void tell_wrappers(void)
{
    if (logp_mpi_wrappers != NULL)
        logp_mpi_wrappers(__start_logp_fortran, __stop_logp_fortran, &logp_fortran_caller,
                          flush_units);
}

/* COMMON blocks, as those of the program, of which the linker makes one each. Nothing reads them. */
#define BLOCK(name) __attribute__((common)) int mpi_fort_##name##_[8];
BLOCK(bottom)
BLOCK(in_place)
BLOCK(buffer_automatic)
BLOCK(status_ignore)
BLOCK(statuses_ignore)
BLOCK(unweighted)
BLOCK(weights_empty)
BLOCK(errcodes_ignore)

void *logp_fortran_room(MPI_Count n, size_t size)
{
    void *room = malloc((size_t)n * size);

    if (room == NULL) {
        fprintf(stderr, "no memory for the handles of a call\n");
        MPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    }
    return room;
}

MPI_Count logp_fortran_peers(MPI_Comm comm)
{
    int inter = 0, n = 0;

    if (comm == MPI_COMM_NULL)
        return 0;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &n);
    else
        MPI_Comm_size(comm, &n);
    return n;
}

MPI_Count logp_fortran_neighbors(MPI_Comm comm, int sends)
{
    int kind = MPI_UNDEFINED, n = 0, n_out = 0, weighted;

    if (comm != MPI_COMM_NULL)
        MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        MPI_Cartdim_get(comm, &n);
        n_out = n *= 2;
    } else if (kind == MPI_GRAPH) {
        int rank;

        MPI_Comm_rank(comm, &rank);
        MPI_Graph_neighbors_count(comm, rank, &n);
        n_out = n;
    } else if (kind == MPI_DIST_GRAPH) {
        MPI_Dist_graph_neighbors_count(comm, &n, &n_out, &weighted);
    }
    return sends ? n_out : n;
}

char *logp_fortran_text(const char *text, size_t length, int trims)
{
    char *copy;

    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (; trims && length > 0 && *text == ' '; text++)
        length--;
    copy = logp_fortran_room((MPI_Count)length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void logp_fortran_pad(char *to, size_t length, const char *text)
{
    const size_t n = strnlen(text, length);

    memcpy(to, text, n);
    memset(to + n, ' ', length - n);
}

/* MPI_F_sync_reg() and the names of constants that are functions in Fortran, which differ by their addresses alone */
void pmpi_f_sync_reg_(void *buf);
void pmpi_f_sync_reg_(void *buf)
{
    (void)buf;
}
NAMED(mpi_f_sync_reg_, pmpi_f_sync_reg_)
