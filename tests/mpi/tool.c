/* SPDX-License-Identifier: MIT */
/* The tool information interface: what it says of the network, and its errors. argv: L in ns */
#include "check.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Count value_of(const char *name)
{
    MPI_T_cvar_handle handle;
    MPI_Count value = -1;
    int i = -1, n = 0;

    CHECK(MPI_T_cvar_get_index(name, &i) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &n) == MPI_SUCCESS && n == 1);
    CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_CVAR_SET_NEVER);
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL);
    CHECK(MPI_T_cvar_read(handle, &value) == MPI_T_ERR_INVALID_HANDLE);
    return value;
}

/* Each variable has a name by which it is found again, and texts are cut where there is no room. */
static void describe(void)
{
    int n = 0;

    CHECK(MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n >= 6);
    for (int i = 0; i < n; i++) {
        char name[64], text[4];
        int name_bytes = sizeof(name), text_bytes = sizeof(text), verbosity, bind, scope,
            again = -1;
        int whole = 0;
        MPI_Datatype type;
        MPI_T_enum values;

        CHECK(MPI_T_cvar_get_info(i, name, &name_bytes, &verbosity, &type, &values, text,
                                  &text_bytes, &bind, &scope) == MPI_SUCCESS);
        CHECK((size_t)name_bytes == strlen(name) + 1 && strncmp(name, "logp_", 5) == 0);
        CHECK(text_bytes == 4 && strlen(text) == 3);
        CHECK(type == MPI_COUNT && values == MPI_T_ENUM_NULL);
        CHECK(scope == MPI_T_SCOPE_READONLY && bind == MPI_T_BIND_NO_OBJECT);
        CHECK(verbosity == MPI_T_VERBOSITY_USER_BASIC);
        CHECK(MPI_T_cvar_get_index(name, &again) == MPI_SUCCESS && again == i);
        CHECK(MPI_T_cvar_get_info(i, NULL, &whole, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
              MPI_SUCCESS);
        CHECK(whole == name_bytes);
    }
    CHECK(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_cvar_get_index("logp_colour", &n) == MPI_T_ERR_INVALID_NAME);
}

static void use_none(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int n = -1;

    CHECK(MPI_T_pvar_get_num(&n) == MPI_SUCCESS && n == 0);
    CHECK(MPI_T_category_get_num(&n) == MPI_SUCCESS && n == 0);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, 0, NULL, &handle, &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_read(session, handle, &n) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
    CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_T_ERR_INVALID_SESSION);
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int provided = -1, n;

    CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    CHECK(provided == MPI_THREAD_FUNNELED);
    describe();
    MPI_Init(&argc, &argv);
    CHECK(value_of("logp_L_ns") == (argc > 1 ? atoi(argv[1]) : 0));
    use_none();
    CHECK(MPI_Error_string(MPI_T_ERR_INVALID_NAME, text, &n) == MPI_SUCCESS);
    CHECK(strcmp(text, "invalid name") == 0 && n == (int)strlen(text));
    CHECK(MPI_Error_string(MPI_T_ERR_PVAR_NO_ATOMIC, text, &n) == MPI_SUCCESS && n > 5);
    MPI_Finalize();
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    return 0;
}
