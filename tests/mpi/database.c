/* SPDX-License-Identifier: MIT */
/* Each rank adds rows to one database, whose file SQLite locks for a process. Rank 0 prints their number. */
#include <mpi.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 5 };

static int print(void *arg, int n, char **values, char **names)
{
    (void)arg, (void)n, (void)names;
    return printf("%s rows\n", values[0]) < 0;
}

static void run(sqlite3 *db, const char *statement)
{
    char *why = NULL;

    if (sqlite3_exec(db, statement, print, NULL, &why) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", statement, why);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

int main(int argc, char **argv)
{
    sqlite3 *db;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (sqlite3_open("rows.db", &db) != SQLITE_OK)
        MPI_Abort(MPI_COMM_WORLD, 2);
    sqlite3_busy_timeout(db, 10000);
    if (rank == 0)
        run(db, "drop table if exists t; create table t (rank int)");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROWS; i++)
        run(db, "begin immediate; insert into t values (1); commit");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        run(db, "select count(*) from t");
    sqlite3_close(db);
    return MPI_Finalize();
}
