/* SPDX-License-Identifier: MIT */
/* The start and the end of a rank, its time, and queries of its environment. */
#include "attributes.h"
#include "info.h"
#include "rank.h"
#include "request.h"
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_constant(struct rank *r, struct comm *c, struct logp_vp *vp, const char *name)
{
    *c = (struct comm){.owner = r, .references = 1, .errors = MPI_ERRORS_ARE_FATAL};
    mpi_set_comm(c, vp, 0);
    snprintf(c->name, sizeof(c->name), "%s", name);
}

int mpi_begin_rank(struct rank *r, struct logp_vp *vp)
{
    const int me = logp_vp_rank(vp);
    struct logp_vp *self;
    const int rc = logp_group_create(vp, 1, &me, 1, &self);

    if (rc != 0)
        return rc;
    r->vp = vp;
    r->call = "main";
    r->last_code = MPI_ERR_LASTCODE;
    set_constant(r, &r->world, vp, "MPI_COMM_WORLD");
    r->world.id = 1;
    set_constant(r, &r->self, self, "MPI_COMM_SELF");
    set_constant(r, &r->no_file, self, "MPI_FILE_NULL");
    r->no_file.errors = MPI_ERRORS_RETURN;
    r->no_file.of = MPI_FILE_NULL;
    return 0;
}

void mpi_end_rank(struct rank *r)
{
    logp_group_destroy(r->self.vp);
    free(r->world.inner);
    free(r->self.inner);
    mpi_drop_parted(r->world.parted);
    mpi_drop_parted(r->self.parted);
    mpi_drop_info(&r->world.info);
    mpi_drop_info(&r->self.info);
    mpi_drop_info(&r->environment);
    mpi_free_attributes(r);
    free(r->left);
    for (struct request *next; r->spare != NULL; r->spare = next) {
        next = r->spare->next;
        free(r->spare);
    }
    for (; r->n_reused != r->n_gone; r->n_reused++)
        free(r->gone[r->n_reused % N_GONE]);
    for (int i = 0; i < N_GONE; i++)
        free(r->buried[i]);
    mpi_free_errors(r);
    free(r->numbered);
    free(r->numbers);
    free(r->type_names);
}

/* ---- a function that is not there ---- */

int mpi_end_for_missing(const char *name)
{
    char place[PLACE_TEXT];

    fprintf(stderr,
            "rank %d: %s is not there: logp mpirun --dry-run lists all missing functions that the "
            "program needs%s\n",
            logp_vp_rank(mpi_this_rank()->vp), name, host_name_here(place));
    host_abort_run(1);
}

/* ---- start and end ---- */

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    struct rank *r = mpi_this_rank();
    int rc;

    (void)argc, (void)argv;
    r->thread_level = required < mpi_most_threads() ? required : mpi_most_threads();
    if (provided != NULL)
        *provided = r->thread_level;
    r->call = "MPI_Init";
    if (r->initialized)
        return mpi_failed(NULL, MPI_ERR_OTHER, "called twice");
    r->initialized = true;
    rc = mpi_let_threads_call(r);
    return rc != MPI_SUCCESS ? rc : mpi_class_of(logp_sync(r->vp, NULL));
}

int MPI_Init(int *argc, char ***argv)
{
    return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int MPI_Initialized(int *flag)
{
    *flag = mpi_rank_of_thread(__func__)->initialized;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = mpi_rank_of_thread(__func__)->finalized;
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *provided)
{
    *provided = mpi_rank_of_thread(__func__)->thread_level;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
    *flag = mpi_rank_of_thread(__func__) == mpi_rank_here();
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    static const struct logp_call call = {.name = __func__, .root = -1};
    struct rank *r = mpi_enter(call.name);
    int self, world, rc;

    CALLED();
    TELL(left, r);
    for (int i = 0; i < r->n_left; i++) {
        mpi_wait_for(r->left[i]);
        mpi_free_request(r->left[i]);
    }
    r->n_left = 0;
    rc =
        mpi_class_of(logp_mark(r->vp, call.name)); /* diagrams show where the program's work ends */
    if (rc != MPI_SUCCESS)
        return rc;
    self = mpi_delete_attributes(MPI_COMM_SELF);
    world = mpi_delete_attributes(MPI_COMM_WORLD);
    TELL(order, &r->world, false);
    rc = mpi_class_of(logp_vp_note_call(r->vp, false, &call)); /* not a barrier of the program */
    if (rc == MPI_SUCCESS)
        rc = mpi_class_of(logp_barrier(r->vp));
    TELL(messages, r);
    r->finalized = true;
    return self != MPI_SUCCESS ? self : world != MPI_SUCCESS ? world : rc;
}

int MPI_Abort(MPI_Comm comm, int error)
{
    char place[PLACE_TEXT], thread[32];

    (void)comm;
    fflush(stdout);
    fprintf(stderr, "rank %d%s: MPI_Abort: the program ends with exit code %d%s\n",
            logp_vp_rank(mpi_this_rank()->vp), mpi_thread_name(thread), error & 255,
            host_name_here(place));
    host_abort_run(error & 255);
}

/* ---- environment ---- */

double MPI_Wtime(void)
{
    const int64_t ns = logp_now(mpi_this_rank()->vp);

    if (ns < 0)
        mpi_class_of((int)ns);
    return ns >= 0 ? (double)ns * 1e-9 : 0;
}

double MPI_Wtick(void)
{
    return 1e-9;
}

int MPI_Get_processor_name(char *name, int *length)
{
    mpi_this_rank();
    host_node_name(name, MPI_MAX_PROCESSOR_NAME);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

int MPI_Get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int MPI_Abi_get_version(int *major, int *minor)
{
    *major = MPI_ABI_VERSION;
    *minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

int MPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "liblogp %s", logp_version());
    return MPI_SUCCESS;
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base)
{
    void *memory;

    (void)info;
    mpi_enter(__func__);
    CHECK(NULL, size >= 0, MPI_ERR_ARG, "the size is %lld, but must be at least 0",
          (long long)size);
    memory = malloc(size > 0 ? (size_t)size : 1);
    CHECK(NULL, memory != NULL, MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)size);
    memcpy(base, &memory, sizeof(void *));
    return MPI_SUCCESS;
}

int MPI_Free_mem(void *base)
{
    mpi_enter(__func__);
    free(base);
    return MPI_SUCCESS;
}

int MPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}
