/* SPDX-License-Identifier: MIT */
/* Files: opening, views, pointers, all ways to read and write, data representations, errors. With the word `time`: what
 * operations take with --storage; with another one: a mistake. */
#include "check.h"

#include <stdint.h>
#include <unistd.h>

static char name[64]; /* of the file */

static MPI_File opened(int amode)
{
    MPI_File f;

    CHECK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &f) == MPI_SUCCESS);
    return f;
}

static MPI_File fresh(void)
{
    return opened(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
}

static int count_of(const MPI_Status *status, MPI_Datatype type)
{
    int n;

    MPI_Get_count(status, type, &n);
    return n;
}

/* ---- what is asked of a file ---- */

static void properties(void)
{
    int amode, n, atomic, got[3] = {0}, three[3] = {10 * me, 10 * me + 1, 10 * me + 2};
    MPI_File f = fresh();
    MPI_Offset size;
    MPI_Group group;
    MPI_Info info;
    MPI_Status status;

    MPI_File_get_amode(f, &amode);
    CHECK(amode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
    MPI_File_get_group(f, &group);
    MPI_Group_size(group, &n);
    CHECK(n == P);
    MPI_Group_free(&group);
    MPI_Info_create(&info);
    MPI_Info_set(info, "striping_unit", "65536");
    CHECK(MPI_File_set_info(f, info) == MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(MPI_File_get_info(f, &info) == MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(MPI_File_set_size(f, 100) == MPI_SUCCESS);
    MPI_File_get_size(f, &size);
    CHECK(size == 100);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_preallocate(f, 50) == MPI_SUCCESS);
    MPI_File_get_size(f, &size);
    CHECK(size == 100 || !is_logp()); /* Open MPI makes it shorter */
    CHECK(MPI_File_preallocate(f, 12 * P + 200) == MPI_SUCCESS);
    MPI_File_get_size(f, &size);
    CHECK(size == 12 * P + 200);
    CHECK(MPI_File_set_size(f, 0) == MPI_SUCCESS);
    MPI_File_get_atomicity(f, &atomic);
    CHECK(!atomic);
    CHECK(MPI_File_set_atomicity(f, 1) == MPI_SUCCESS);
    MPI_File_get_atomicity(f, &atomic);
    CHECK(atomic);
    CHECK(MPI_File_write_at_all(f, 12 * me, three, 3, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_INT) == 3);
    CHECK(MPI_File_sync(f) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_read_at(f, 12 * right() + 4, got, 2, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_INT) == 2 && got[0] == 10 * right() + 1 &&
          got[1] == 10 * right() + 2);
    /* at the end of the file */
    CHECK(MPI_File_read_at(f, 12 * P - 4, got, 3, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_INT) == 1 && got[0] == 10 * (P - 1) + 2);
    CHECK(MPI_File_read_at(f, 12 * P, got, 3, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_INT) == 0);
    CHECK(MPI_File_close(&f) == MPI_SUCCESS && f == MPI_FILE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access(name, F_OK) != 0);
}

/* ---- views ---- */

/* Each rank has every P-th pair of integers. In memory its elements are every other one. */
static void interleaved(void)
{
    enum { N = 40 };
    MPI_Datatype pair, filetype, memory = vector(N, 1, 2, MPI_INT), etype, type;
    int out[2 * N] = {0}, in[2 * N] = {0}, got[4];
    char form[MPI_MAX_DATAREP_STRING];
    MPI_File f = fresh();
    MPI_Offset disp, at;
    MPI_Status status;
    MPI_Aint extent;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 8 * P, &filetype);
    MPI_Type_commit(&filetype);
    for (int i = 0; i < N; i++)
        out[2 * i] = 1000 * me + i;
    CHECK(MPI_File_set_view(f, 12 + 8 * me, MPI_INT, filetype, "native", MPI_INFO_NULL) ==
          MPI_SUCCESS);
    MPI_File_get_view(f, &disp, &etype, &type, form);
    CHECK(disp == 12 + 8 * me && etype == MPI_INT && strcmp(form, "native") == 0);
    MPI_Type_free(&type);
    MPI_File_get_type_extent(f, filetype, &extent);
    CHECK(extent == 8 * P);
    MPI_File_get_byte_offset(f, 5, &at);
    CHECK(at == 12 + 8 * me + 2 * 8 * P + 4);
    CHECK(MPI_File_write_all(f, out, 1, memory, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_INT) == N);
    MPI_File_get_position(f, &at);
    CHECK(at == N);
    MPI_File_seek(f, -N, MPI_SEEK_CUR);
    CHECK(MPI_File_read_all(f, in, 1, memory, &status) == MPI_SUCCESS);
    CHECK(memcmp(in, out, sizeof(in)) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(f, 0, MPI_SEEK_END);
    MPI_File_get_position(f, &at);
    CHECK(at == N);
    if (is_logp()) /* ROMIO counts all data of a view, also after the end of the file */
        CHECK(MPI_File_read(f, in, 1, MPI_INT, &status) == MPI_SUCCESS &&
              count_of(&status, MPI_INT) == 0);
    /* as bytes: the pairs of rank 0, then those of rank 1, ... */
    MPI_File_set_view(f, 12, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    CHECK(MPI_File_read_at(f, 8 * (P + right()), got, 2, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(got[0] == 1000 * right() + 2 && got[1] == 1000 * right() + 3);
    MPI_File_close(&f);
    MPI_Type_free(&pair);
    MPI_Type_free(&filetype);
    MPI_Type_free(&memory);
}

/* A matrix of P x P blocks in rows; each rank has a column of blocks. */
static void columns(void)
{
    enum { B = 3 };
    const int sizes[2] = {P * B, P * B}, subsizes[2] = {P * B, B}, starts[2] = {0, me * B};
    double *block = malloc((size_t)(P * B * B) * sizeof(*block)),
           *row = malloc((size_t)(P * B) * sizeof(*row));
    MPI_Datatype filetype;
    MPI_File f = fresh();
    MPI_Status status;

    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &filetype);
    MPI_Type_commit(&filetype);
    for (int i = 0; i < P * B; i++)
        for (int k = 0; k < B; k++)
            block[i * B + k] = 100 * i + me * B + k;
    MPI_File_set_view(f, 0, MPI_DOUBLE, filetype, "native", MPI_INFO_NULL);
    CHECK(MPI_File_write_at_all(f, 0, block, P * B * B, MPI_DOUBLE, &status) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(block, 0, (size_t)(P * B * B) * sizeof(*block));
    CHECK(MPI_File_read_at(f, 0, block, P * B * B, MPI_DOUBLE, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_DOUBLE) == P * B * B);
    for (int i = 0; i < P * B * B; i++)
        CHECK(block[i] == 100 * (i / B) + me * B + i % B);
    MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    CHECK(MPI_File_read_at_all(f, P * B * me, row, P * B, MPI_DOUBLE, &status) == MPI_SUCCESS);
    for (int i = 0; i < P * B; i++)
        CHECK(row[i] == 100 * me + i);
    MPI_File_close(&f);
    MPI_Type_free(&filetype);
    free(block);
    free(row);
}

/* ---- the shared pointer ---- */

static void shared(void)
{
    MPI_File f = fresh();
    int value = me, got, sum = 0, seen;
    int two[2] = {me, -me};
    MPI_Offset at;
    MPI_Status status;
    MPI_Request request;

    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CHECK(MPI_File_write_shared(f, &value, 1, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(MPI_File_iwrite_shared(f, &value, 1, MPI_INT, &request) == MPI_SUCCESS);
    MPI_Wait(&request, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(f, &at);
    CHECK(at == 2 * P);
    for (int i = 0; i < 2 * P; i++) {
        MPI_File_read_at(f, i, &got, 1, MPI_INT, &status);
        sum += got;
    }
    CHECK(sum == P * (P - 1));
    CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET) == MPI_SUCCESS);
    CHECK(MPI_File_read_shared(f, &got, 1, MPI_INT, &status) == MPI_SUCCESS);
    MPI_File_iread_shared(f, &seen, 1, MPI_INT, &request);
    MPI_Wait(&request, &status);
    got += seen;
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == P * (P - 1));
    /* in the order of the ranks: rank 0 writes nothing, the others two each */
    CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET) == MPI_SUCCESS);
    CHECK(MPI_File_write_ordered(f, two, me > 0 ? 2 : 0, MPI_INT, &status) == MPI_SUCCESS);
    MPI_File_get_position_shared(f, &at);
    CHECK(at == 2 * (P - 1));
    MPI_Barrier(MPI_COMM_WORLD);
    if (me > 0) {
        MPI_File_read_at(f, 2 * (me - 1) + 1, &got, 1, MPI_INT, &status);
        CHECK(got == -me);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
    two[0] = two[1] = 0;
    MPI_File_read_ordered_begin(f, two, me > 0 ? 2 : 0, MPI_INT);
    CHECK(MPI_File_read_ordered_end(f, two, &status) == MPI_SUCCESS);
    CHECK(two[0] == me && two[1] == -me && count_of(&status, MPI_INT) == (me > 0 ? 2 : 0));
    MPI_File_close(&f);
}

/* ---- calls that do not wait ---- */

static void started(void)
{
    enum { N = 1000 };
    int out[N], in[N];
    MPI_File f = fresh();
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int done = 0;

    for (int i = 0; i < N; i++)
        out[i] = me * N + i;
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_iwrite_at(f, me * N, out, N / 2, MPI_INT, &requests[0]);
    MPI_File_iwrite_at_all(f, me * N + N / 2, out + N / 2, N / 2, MPI_INT, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    CHECK(count_of(&statuses[0], MPI_INT) == N / 2 && count_of(&statuses[1], MPI_INT) == N / 2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(f, right() * N, MPI_SEEK_SET);
    MPI_File_iread(f, in, N / 2, MPI_INT, &requests[0]);
    MPI_File_iread_all(f, in + N / 2, N / 2, MPI_INT, &requests[1]);
    while (!done)
        MPI_Testall(2, requests, &done, statuses);
    for (int i = 0; i < N; i++)
        CHECK(in[i] == right() * N + i);
    memset(in, 0, sizeof(in));
    MPI_File_seek(f, left() * N, MPI_SEEK_SET);
    MPI_File_read_all_begin(f, in, N, MPI_INT);
    MPI_File_read_all_end(f, in, &statuses[0]);
    CHECK(in[0] == left() * N && in[N - 1] == left() * N + N - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_at_all_begin(f, me * N, in, N, MPI_INT);
    CHECK(MPI_File_write_at_all_end(f, in, &statuses[0]) == MPI_SUCCESS);
    CHECK(count_of(&statuses[0], MPI_INT) == N);
    MPI_File_close(&f);
}

/* ---- data representations ---- */

static int extent_of_text(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)state;
    *extent = type == MPI_INT ? 4 : -1;
    return *extent > 0 ? MPI_SUCCESS : MPI_ERR_TYPE;
}

/* Integers of up to four digits, as text */
static int write_text(void *user, MPI_Datatype type, int n, void *file, MPI_Offset at, void *state)
{
    char text[8];

    (void)type;
    ++*(int *)state;
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof(text), "%4d", ((int *)user)[at + i] % 10000);
        memcpy((char *)file + 4 * i, text, 4);
    }
    return MPI_SUCCESS;
}

static int read_text(void *user, MPI_Datatype type, int n, void *file, MPI_Offset at, void *state)
{
    char text[8] = "";

    (void)type, (void)state;
    for (int i = 0; i < n; i++) {
        memcpy(text, (char *)file + 4 * i, 4);
        ((int *)user)[at + i] = atoi(text);
    }
    return MPI_SUCCESS;
}

static void representations(void)
{
    const long numbers[2] = {1, -2};
    long got[2] = {0};
    int ints[2] = {12 + me, 3456}, calls = 0;
    unsigned char bytes[8];
    MPI_File f = fresh();
    MPI_Status status;
    MPI_Aint extent;
    MPI_Offset size;
    MPI_Datatype filetype;

    if (!is_logp()) { /* Open MPI has no external32, and no MPI has those of the program */
        MPI_File_close(&f);
        return;
    }
    MPI_Type_create_resized(MPI_LONG, 0, (MPI_Aint)sizeof(long) * P, &filetype);
    MPI_Type_commit(&filetype);
    CHECK(MPI_File_set_view(f, 4 * me, MPI_LONG, filetype, "external32", MPI_INFO_NULL) ==
          MPI_SUCCESS);
    MPI_File_get_type_extent(f, MPI_LONG, &extent);
    CHECK(extent == 4);
    MPI_File_get_type_extent(f, filetype, &extent);
    CHECK(extent == 4 * P);
    CHECK(MPI_File_write_all(f, numbers, 2, MPI_LONG, &status) == MPI_SUCCESS);
    CHECK(count_of(&status, MPI_LONG) == 2);
    CHECK(MPI_File_read_at(f, 0, got, 2, MPI_LONG, &status) == MPI_SUCCESS);
    CHECK(got[0] == 1 && got[1] == -2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(f, &size);
    CHECK(size == 8 * P);
    MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at(f, 4 * right(), bytes, 4, MPI_BYTE, &status);
    CHECK(bytes[0] == 0 && bytes[3] == 1);
    MPI_File_read_at(f, 4 * (P + right()), bytes, 4, MPI_BYTE, &status);
    CHECK(bytes[0] == 255 && bytes[3] == 254);
    CHECK(MPI_Register_datarep("text", read_text, write_text, extent_of_text, &calls) ==
          MPI_SUCCESS);
    CHECK(class_of(MPI_Register_datarep("text", NULL, NULL, extent_of_text, NULL)) ==
          MPI_ERR_DUP_DATAREP);
    CHECK(MPI_File_set_view(f, 8 * me, MPI_INT, MPI_INT, "text", MPI_INFO_NULL) == MPI_SUCCESS);
    CHECK(MPI_File_write_at_all(f, 0, ints, 2, MPI_INT, &status) == MPI_SUCCESS && calls == 1);
    memset(ints, 0, sizeof(ints));
    CHECK(MPI_File_read_at_all(f, 0, ints, 2, MPI_INT, &status) == MPI_SUCCESS);
    CHECK(ints[0] == 12 + me && ints[1] == 3456 && count_of(&status, MPI_INT) == 2);
    CHECK(class_of(MPI_File_read_at(f, 0, got, 1, MPI_LONG, &status)) == MPI_ERR_CONVERSION);
    MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at(f, 8 * me + 4, bytes, 4, MPI_BYTE, &status);
    CHECK(memcmp(bytes, "3456", 4) == 0);
    CHECK(class_of(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "none", MPI_INFO_NULL)) ==
          MPI_ERR_UNSUPPORTED_DATAREP);
    MPI_File_close(&f);
    MPI_Type_free(&filetype);
}

/* ---- access modes ---- */

static void modes(void)
{
    MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    char letter = (char)('a' + me % 26), got[2] = "";
    MPI_Offset at;
    MPI_Status status;

    CHECK(MPI_File_write_at_all(f, me, &letter, 1, MPI_CHAR, &status) == MPI_SUCCESS);
    MPI_File_close(&f);
    f = opened(MPI_MODE_RDWR | MPI_MODE_APPEND);
    MPI_File_get_position(f, &at);
    CHECK(at == P);
    CHECK(MPI_File_write_ordered(f, &letter, 1, MPI_CHAR, &status) == MPI_SUCCESS);
    MPI_File_close(&f);
    f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    CHECK(MPI_File_read_ordered(f, got, 1, MPI_CHAR, &status) == MPI_SUCCESS);
    CHECK(got[0] == letter);
    if (is_logp()) {
        CHECK(class_of(MPI_File_read_at(f, 0, got, 1, MPI_CHAR, &status)) ==
              MPI_ERR_UNSUPPORTED_OPERATION);
        CHECK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native",
                                MPI_INFO_NULL) == MPI_SUCCESS);
        CHECK(MPI_File_read_ordered(f, got, 1, MPI_CHAR, &status) == MPI_SUCCESS);
        CHECK(got[0] == letter && count_of(&status, MPI_CHAR) == 1);
    }
    MPI_File_close(&f);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        CHECK(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- errors ---- */

static int n_called, last_class;
static MPI_File last_file;

static void note_error(MPI_File *file, int *error, ...)
{
    n_called++;
    last_file = *file;
    last_class = class_of(*error);
}

static int class_of_open(const char *path, int amode)
{
    MPI_File f = MPI_FILE_NULL;
    const int rc = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &f);
    const int class = class_of(rc);

    CHECK(rc != MPI_SUCCESS && f == MPI_FILE_NULL);
    return class;
}

static void errors(void)
{
    char text[MPI_MAX_ERROR_STRING], byte = 0;
    MPI_Errhandler handler, was;
    int length, rc;
    MPI_File f;
    MPI_Status status;

    CHECK(class_of_open("no/such/file", MPI_MODE_RDONLY) == MPI_ERR_NO_SUCH_FILE);
    CHECK(class_of_open(name, MPI_MODE_RDONLY | MPI_MODE_RDWR) == MPI_ERR_AMODE);
    CHECK(class_of_open(name, MPI_MODE_CREATE | MPI_MODE_RDONLY) == MPI_ERR_AMODE);
    f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    CHECK(class_of_open(name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR) ==
          MPI_ERR_FILE_EXISTS);
    CHECK(class_of(MPI_File_read_at(f, 0, &byte, 1, MPI_BYTE, &status)) == MPI_ERR_ACCESS);
    MPI_File_close(&f);
    f = opened(MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    CHECK(class_of(MPI_File_write_at(f, 0, &byte, 1, MPI_BYTE, &status)) == MPI_ERR_READ_ONLY);
    MPI_File_close(&f);
    if (!is_logp())
        return;
    CHECK(class_of_open(".", MPI_MODE_RDWR) == MPI_ERR_BAD_FILE);
    CHECK(class_of_open(".", MPI_MODE_RDONLY) == MPI_ERR_BAD_FILE);
    if (P > 1)
        CHECK(class_of_open(name, me == 0 ? MPI_MODE_RDONLY : MPI_MODE_WRONLY) == MPI_ERR_NOT_SAME);
    CHECK(class_of(MPI_File_close(&f)) == MPI_ERR_FILE);
    rc = MPI_File_delete("no/such/file", MPI_INFO_NULL);
    CHECK(class_of(rc) == MPI_ERR_NO_SUCH_FILE);
    MPI_Error_string(rc, text, &length);
    CHECK(strstr(text, "No such file or directory") != NULL && length == (int)strlen(text));
    /* a full disk */
    CHECK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &f) ==
          MPI_SUCCESS);
    rc = MPI_File_write_at_all(f, 0, &byte, 1, MPI_BYTE, &status);
    MPI_Error_string(rc, text, &length);
    CHECK(class_of(rc) == MPI_ERR_NO_SPACE && strstr(text, "No space left") != NULL);
    MPI_File_close(&f);
    /* handlers: of files to be opened, and of one */
    MPI_File_create_errhandler(note_error, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    class_of_open("no/such/file", MPI_MODE_RDONLY);
    CHECK(n_called == 1 && last_file == MPI_FILE_NULL && last_class == MPI_ERR_NO_SUCH_FILE);
    f = fresh();
    CHECK(MPI_File_seek(f, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    CHECK(n_called == 2 && last_file == f && last_class == MPI_ERR_ARG);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_File_get_errhandler(MPI_FILE_NULL, &was);
    CHECK(was == MPI_ERRORS_RETURN);
    MPI_File_get_errhandler(f, &was);
    CHECK(was == handler);
    MPI_Errhandler_free(&was);
    MPI_Errhandler_free(&handler);
    MPI_File_close(&f);
}

/* ---- what operations take ---- */

static void print_time(const char *what, double from)
{
    if (me == 0)
        printf("%.3f ms: %s\n", 1e3 * (MPI_Wtime() - from), what);
}

static void times(void)
{
    static char data[3 << 20];
    double from = MPI_Wtime();
    MPI_File f = fresh();
    MPI_Request request;
    MPI_Status status;

    print_time("open", from);
    from = MPI_Wtime();
    if (me == 0)
        MPI_File_write_at(f, 0, data, 1000000, MPI_BYTE, &status);
    print_time("write 1 MB", from);
    MPI_Barrier(MPI_COMM_WORLD);
    from = MPI_Wtime();
    if (me == 0)
        MPI_File_write_at(f, 0, data, 2 << 20, MPI_BYTE, &status);
    print_time("write a stripe of each server", from);
    MPI_Barrier(MPI_COMM_WORLD);
    from = MPI_Wtime();
    MPI_File_read_at_all(f, 0, data, 1000, MPI_BYTE, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    print_time("ranks in turn", from);
    from = MPI_Wtime();
    if (me == 0) {
        MPI_File_iread_at(f, 0, data, 1000, MPI_BYTE, &request);
        print_time("start", from);
        MPI_Wait(&request, &status);
        print_time("start and wait", from);
    }
    MPI_File_close(&f);
    MPI_Finalize();
}

/* ---- mistakes ---- */

static void make_mistake(const char *which)
{
    int value = me, got = -1;
    MPI_File f;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_File_open(MPI_COMM_WORLD, name, /* left */
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    if (strcmp(which, "left") == 0)
        return;
    if (strcmp(which, "differ") == 0 && me == 0)
        MPI_File_write_at_all(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* differs */
    if (strcmp(which, "differ") == 0 && me > 0)
        MPI_File_sync(f); /* differs, too */
    if (strcmp(which, "alone") == 0 && me == 1)
        MPI_File_set_size(f, 0); /* alone */
    if (strcmp(which, "written") == 0) {
        MPI_File_iwrite_at(f, 4 * me, &value, 1, MPI_INT, &request); /* written */
        value += me == 0;
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* complete */
    }
    if (strcmp(which, "twice") == 0) {
        MPI_File_iread_at(f, 0, &got, 1, MPI_INT, &request); /* used */
        MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);      /* twice */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (strcmp(which, "waits") == 0)
        MPI_File_iread_at(f, 0, &got, 1, MPI_INT, &request); /* waits */
    if (strcmp(which, "split") == 0) {
        MPI_File_write_all_begin(f, &value, 1, MPI_INT); /* begun */
        CHECK(class_of(MPI_File_close(&f)) == MPI_ERR_IO);
        return;
    }
    MPI_File_close(&f); /* closed */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    snprintf(name, sizeof(name), "files.%d.data", P);
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        times();
        return 0;
    }
    if (argc > 1) {
        make_mistake(argv[1]);
        MPI_Finalize();
        return 0;
    }
    properties();
    interleaved();
    columns();
    shared();
    started();
    representations();
    modes();
    errors();
    return all_hold("files");
}
