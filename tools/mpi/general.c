/* SPDX-License-Identifier: MIT */
/* Requests that the program starts or completes by itself: generalized and persistent ones. */
#include "state.h"

int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *drop,
                       MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request)
{
    struct rank *rank = enter("MPI_Grequest_start");
    struct request *r = new_request(REQUEST_DONE, &rank->world);

    CALLED();
    CHECK(NULL, r != NULL, MPI_ERR_NO_MEM, "no memory");
    r->general = malloc(sizeof(*r->general));
    if (r->general == NULL) {
        free_request(r);
        return failed(NULL, MPI_ERR_NO_MEM, "no memory");
    }
    *r->general = (struct general){query, drop, cancel, state, false};
    r->active = true;
    give_request(r, NULL, request);
    return MPI_SUCCESS;
}

int MPI_Grequest_complete(MPI_Request request)
{
    struct request *r = (struct request *)request;

    enter("MPI_Grequest_complete");
    CHECK(NULL, request != MPI_REQUEST_NULL && r->general != NULL, MPI_ERR_REQUEST,
          "the request is null or not of MPI_Grequest_start()");
    r->general->complete = true;
    if (r->freed)
        free_request(r);
    return MPI_SUCCESS;
}

/* Keep what the program may free. @return is there memory? */
static bool keep_again(struct again *again)
{
    struct operation *copy;

    if (again->op != NULL && object_of(*again->op) != NULL) {
        copy = malloc(sizeof(*copy));
        if (copy == NULL)
            return false;
        *copy = *(const struct operation *)*again->op;
        copy->object = (struct object){.is_gone = false};
        *again->op = (MPI_Op)copy;
    } else {
        again->op = NULL; /* a constant stays */
    }
    for (int i = 0; i < 2; i++)
        keep_type(again->types[i]);
    return true;
}

void free_again(struct again *again)
{
    if (again == NULL)
        return;
    if (again->op != NULL)
        free(*again->op);
    for (int i = 0; i < 2; i++)
        drop_type(again->types[i]);
    free(again);
}

int make_persistent(const char *call, struct again *again, MPI_Comm comm, MPI_Request *request)
{
    struct request *r;

    ENTER(c, call, comm);
    r = again != NULL ? new_request(REQUEST_COLLECTIVE, c) : NULL;
    if (r == NULL || !keep_again(again)) {
        free(again);
        if (r != NULL)
            free_request(r);
        return failed(c, MPI_ERR_NO_MEM, "no memory");
    }
    r->persistent = true;
    r->again = again;
    give_request(r, NULL, request);
    return MPI_SUCCESS;
}
