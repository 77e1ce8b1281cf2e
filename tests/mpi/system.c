/* SPDX-License-Identifier: MIT */
/* What a process asks of its system, and each rank has for itself: system nodes SIZE */
#include "check.h"

#include <sys/utsname.h>
#include <unistd.h>

/* The ranks of a node, `size` in a row, share memory and a name; size 0: there is one node. */
static void nodes(int size)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME],
         *all = malloc((size_t)P * MPI_MAX_PROCESSOR_NAME), host[256];
    int n, rank, length, *memory;
    struct utsname system;
    MPI_Comm node;
    MPI_Win win;

    size = size > 0 ? size : P;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    MPI_Comm_rank(node, &rank);
    CHECK(n == (me / size * size + size <= P ? size : P % size) && rank == me % size);
    MPI_Get_processor_name(name, &length);
    CHECK(length == (int)strlen(name));
    memcpy(first, name, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, node);
    CHECK(strcmp(first, name) == 0);
    CHECK(gethostname(host, sizeof(host)) == 0 && strcmp(host, name) == 0);
    CHECK(uname(&system) == 0 && strcmp(system.nodename, name) == 0);
    CHECK(gethostname(host, 2) != 0);
    MPI_Allgather(name, sizeof(name), MPI_CHAR, all, sizeof(name), MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < P; i++)
        CHECK((strcmp(all + i * MPI_MAX_PROCESSOR_NAME, name) == 0) == (i / size == me / size));
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    if (size < P) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        FAILS(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL,
                                                          MPI_COMM_WORLD, &memory, &win));
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    free(all);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    start(&argc, &argv);
    if (strcmp(way, "nodes") == 0)
        nodes(atoi(argv[2]));
    return all_hold("system");
}
