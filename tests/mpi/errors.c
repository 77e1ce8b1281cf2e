/* SPDX-License-Identifier: MIT */
/* Errors of the program's own: classes, codes, texts; and what deletion at the end returns. */
#include "check.h"

static int handled;

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    handled = *error;
}

static void own_errors(void)
{
    MPI_Errhandler own;
    char text[MPI_MAX_ERROR_STRING];
    int class, code, other, of, length, flag, *last, before;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(flag && *last >= MPI_ERR_LASTCODE);
    before = *last;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_code(MPI_ERR_ARG, &other);
    CHECK(class > MPI_ERR_LASTCODE && code != class && other != code);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(flag && *last > before && *last >= other);
    MPI_Error_string(code, text, &length);
    CHECK(length == 0 && text[0] == '\0');
    snprintf(text, sizeof(text), "the sky falls on rank %d", me);
    MPI_Add_error_string(code, text);
    MPI_Add_error_string(class, "weather");
    MPI_Error_class(code, &of);
    CHECK(of == class);
    MPI_Error_class(other, &of);
    CHECK(of == MPI_ERR_ARG);
    MPI_Error_string(class, text, &length);
    CHECK(length == 7 && strcmp(text, "weather") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Error_string(code, text, &length);
    CHECK(atoi(text + strlen("the sky falls on rank ")) == me && length == (int)strlen(text));
    MPI_Add_error_string(code, "again");
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "again") == 0);
    MPI_Comm_create_errhandler(handle, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    CHECK(handled == code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&own);
}

static int drop(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    return *(int *)value;
}

int main(int argc, char **argv)
{
    static int result;
    const char *way = argc > 1 ? argv[1] : "";
    int key, code;

    start(&argc, &argv);
    own_errors();
    if (strcmp(way, "fatal") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Add_error_code(MPI_ERR_OTHER, &code);
        MPI_Add_error_string(code, "out of cheese");
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    }
    if (strcmp(way, "delete") == 0) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &key, NULL);
        result = me == 1 ? 77 : MPI_SUCCESS;
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &result);
    }
    if (me == 0)
        puts("errors: all hold");
    return MPI_Finalize();
}
