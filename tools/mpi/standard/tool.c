/* SPDX-License-Identifier: MIT */
/*
 * The tool information interface, MPI_T_*: the parameters of the emulated network are control variables,
 * which a program reads and the options set. There are no performance variables and no categories.
 * These functions return their errors; no error handler is called.
 * Source: MPI 3.1, 14.3; the datatypes of variables: table 14.2
 */
#include "rank.h"

#include <stddef.h>
#include <string.h>

static const struct variable {
    const char *name, *text;
    size_t offset; /* of an int64_t in struct logp_params */
} variables[] = {
    {"logp_L_ns", "latency in ns (-L)", offsetof(struct logp_params, L_ns)},
    {"logp_o_send_ns", "overhead of a send in ns (-o, --o-send)",
     offsetof(struct logp_params, o_send_ns)},
    {"logp_o_recv_ns", "overhead of a receive in ns (-o, --o-recv)",
     offsetof(struct logp_params, o_recv_ns)},
    {"logp_g_ns", "gap between two sends in ns (-g)", offsetof(struct logp_params, g_ns)},
    {"logp_G_ps", "picoseconds per byte (-G)", offsetof(struct logp_params, G_ps)},
    {"logp_gamma_ps", "picoseconds to combine two elements (--gamma)",
     offsetof(struct logp_params, gamma_ps)},
};
enum { N_VARIABLES_SHOWN = sizeof(variables) / sizeof(*variables) };

static const char session_mark; /* all sessions are alike: they have no handles */

#define TOOL()                                                                                     \
    do {                                                                                           \
        if (mpi_enter_any(__func__)->n_tools == 0)                                                 \
            return MPI_T_ERR_NOT_INITIALIZED;                                                      \
    } while (0)

static void give(int value, int *to)
{
    if (to != NULL)
        *to = value;
}

int MPI_T_init_thread(int required, int *provided)
{
    struct rank *r = mpi_enter_any(__func__);
    const int level = required < mpi_most_threads() ? required : mpi_most_threads();

    r->n_tools++;
    mpi_let_act(r, level);
    give(level, provided);
    return MPI_SUCCESS;
}

int MPI_T_finalize(void)
{
    TOOL();
    mpi_this_rank()->n_tools--;
    return MPI_SUCCESS;
}

/* ---- control variables ---- */

/* Copy a text as far as it fits. *n_bytes becomes the number of bytes copied or, without a buffer,
 * required; both include the 0 at its end. */
static void give_text(const char *text, char *to, int *n_bytes)
{
    const int all = (int)strlen(text) + 1;

    if (n_bytes == NULL)
        return;
    if (to == NULL || *n_bytes <= 0) {
        *n_bytes = all;
        return;
    }
    *n_bytes = *n_bytes < all ? *n_bytes : all;
    memcpy(to, text, (size_t)*n_bytes - 1);
    to[*n_bytes - 1] = '\0';
}

static const struct variable *variable_of(MPI_T_cvar_handle handle)
{
    for (int i = 0; i < N_VARIABLES_SHOWN; i++)
        if ((const void *)handle == &variables[i])
            return &variables[i];
    return NULL;
}

int MPI_T_cvar_get_num(int *n)
{
    TOOL();
    give(N_VARIABLES_SHOWN, n);
    return MPI_SUCCESS;
}

int MPI_T_cvar_get_info(int i, char *name, int *name_bytes, int *verbosity, MPI_Datatype *type,
                        MPI_T_enum *values, char *text, int *text_bytes, int *bind, int *scope)
{
    TOOL();
    if (i < 0 || i >= N_VARIABLES_SHOWN)
        return MPI_T_ERR_INVALID_INDEX;
    give_text(variables[i].name, name, name_bytes);
    give_text(variables[i].text, text, text_bytes);
    give(MPI_T_VERBOSITY_USER_BASIC, verbosity);
    give(MPI_T_BIND_NO_OBJECT, bind);
    give(MPI_T_SCOPE_READONLY, scope);
    if (type != NULL)
        *type = MPI_COUNT;
    if (values != NULL)
        *values = MPI_T_ENUM_NULL;
    return MPI_SUCCESS;
}

int MPI_T_cvar_get_index(const char *name, int *index)
{
    TOOL();
    for (int i = 0; name != NULL && i < N_VARIABLES_SHOWN; i++)
        if (strcmp(variables[i].name, name) == 0) {
            give(i, index);
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}

int MPI_T_cvar_handle_alloc(int i, void *object, MPI_T_cvar_handle *handle, int *count)
{
    (void)object;
    TOOL();
    if (i < 0 || i >= N_VARIABLES_SHOWN)
        return MPI_T_ERR_INVALID_INDEX;
    *handle = (MPI_T_cvar_handle)(uintptr_t)&variables[i];
    give(1, count);
    return MPI_SUCCESS;
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    TOOL();
    if (variable_of(*handle) == NULL)
        return MPI_T_ERR_INVALID_HANDLE;
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    const struct variable *v = variable_of(handle);
    struct logp_params params;
    MPI_Count value = 0; /* without a delay */

    TOOL();
    if (v == NULL)
        return MPI_T_ERR_INVALID_HANDLE;
    if (logp_vp_params(mpi_this_rank()->vp, &params) == 0)
        memcpy(&value, (const char *)&params + v->offset, sizeof(value));
    memcpy(buf, &value, sizeof(value));
    return MPI_SUCCESS;
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    (void)buf;
    TOOL();
    return variable_of(handle) == NULL ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_CVAR_SET_NEVER;
}

/* ---- performance variables: there are none ---- */

int MPI_T_pvar_get_num(int *n)
{
    TOOL();
    give(0, n);
    return MPI_SUCCESS;
}

int MPI_T_pvar_get_info(int i, char *name, int *name_bytes, int *verbosity, int *class,
                        MPI_Datatype *type, MPI_T_enum *values, char *text, int *text_bytes,
                        int *bind, int *read_only, int *continuous, int *atomic)
{
    (void)i, (void)name, (void)name_bytes, (void)verbosity, (void)class, (void)type, (void)values;
    (void)text, (void)text_bytes, (void)bind, (void)read_only, (void)continuous, (void)atomic;
    TOOL();
    return MPI_T_ERR_INVALID_INDEX;
}

int MPI_T_pvar_get_index(const char *name, int class, int *index)
{
    (void)name, (void)class, (void)index;
    TOOL();
    return MPI_T_ERR_INVALID_NAME;
}

int MPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    TOOL();
    *session = (MPI_T_pvar_session)(uintptr_t)&session_mark;
    return MPI_SUCCESS;
}

static bool is_session(MPI_T_pvar_session session)
{
    return (const void *)session == &session_mark;
}

int MPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    TOOL();
    if (!is_session(*session))
        return MPI_T_ERR_INVALID_SESSION;
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int i, void *object,
                            MPI_T_pvar_handle *handle, int *count)
{
    (void)i, (void)object, (void)handle, (void)count;
    TOOL();
    return is_session(session) ? MPI_T_ERR_INVALID_INDEX : MPI_T_ERR_INVALID_SESSION;
}

/* No handle is one; all of them are none. */
static int use_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle, bool may_be_all)
{
    return !is_session(session)                             ? MPI_T_ERR_INVALID_SESSION
           : may_be_all && handle == MPI_T_PVAR_ALL_HANDLES ? MPI_SUCCESS
                                                            : MPI_T_ERR_INVALID_HANDLE;
}

int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    TOOL();
    return use_handle(session, *handle, false);
}

int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    TOOL();
    return use_handle(session, handle, true);
}

int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    TOOL();
    return use_handle(session, handle, true);
}

int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    TOOL();
    return use_handle(session, handle, true);
}

#define PVAR_CALL(name, type)                                                                      \
    int MPI_T_pvar_##name(MPI_T_pvar_session session, MPI_T_pvar_handle handle, type buf)          \
    {                                                                                              \
        (void)buf;                                                                                 \
        TOOL();                                                                                    \
        return use_handle(session, handle, false);                                                 \
    }
PVAR_CALL(read, void *)
PVAR_CALL(readreset, void *)
PVAR_CALL(write, const void *)

/* ---- enumerations and categories: there are none ---- */

int MPI_T_enum_get_info(MPI_T_enum values, int *n, char *name, int *name_bytes)
{
    (void)values, (void)n, (void)name, (void)name_bytes;
    TOOL();
    return MPI_T_ERR_INVALID_HANDLE;
}

int MPI_T_enum_get_item(MPI_T_enum values, int i, int *value, char *name, int *name_bytes)
{
    (void)values, (void)i, (void)value, (void)name, (void)name_bytes;
    TOOL();
    return MPI_T_ERR_INVALID_HANDLE;
}

int MPI_T_category_get_num(int *n)
{
    TOOL();
    give(0, n);
    return MPI_SUCCESS;
}

int MPI_T_category_get_info(int i, char *name, int *name_bytes, char *text, int *text_bytes,
                            int *n_cvars, int *n_pvars, int *n_categories)
{
    (void)i, (void)name, (void)name_bytes, (void)text, (void)text_bytes;
    (void)n_cvars, (void)n_pvars, (void)n_categories;
    TOOL();
    return MPI_T_ERR_INVALID_INDEX;
}

int MPI_T_category_get_index(const char *name, int *index)
{
    (void)name, (void)index;
    TOOL();
    return MPI_T_ERR_INVALID_NAME;
}

#define CATEGORY_CALL(name)                                                                        \
    int MPI_T_category_get_##name(int i, int n, int indices[])                                     \
    {                                                                                              \
        (void)i, (void)n, (void)indices;                                                           \
        TOOL();                                                                                    \
        return MPI_T_ERR_INVALID_INDEX;                                                            \
    }
CATEGORY_CALL(cvars)
CATEGORY_CALL(pvars)
CATEGORY_CALL(categories)

int MPI_T_category_changed(int *stamp)
{
    TOOL();
    give(0, stamp);
    return MPI_SUCCESS;
}
