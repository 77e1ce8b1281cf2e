/* SPDX-License-Identifier: MIT */
/* Infos: pairs of strings. */
#include "info.h"
#include "rank.h"
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct pair {
    struct pair *next;
    char *key, *value;
};

struct info {
    struct object object;
    struct pair *first;
};

#define INFO(i, handle)                                                                            \
    struct info *i = object_of(handle);                                                            \
    CHECK(NULL, i != NULL, MPI_ERR_INFO, "the info is null, a constant, or has been freed")
/* Also MPI_INFO_ENV */
#define ANY_INFO(i, handle)                                                                        \
    const struct info *i = info_of(handle);                                                        \
    CHECK(NULL, i != NULL, MPI_ERR_INFO, "the info is null or has been freed")
#define ENTER_INFO(i, handle)                                                                      \
    mpi_enter_any(__func__);                                                                       \
    ANY_INFO(i, handle)

static const struct info *info_of(MPI_Info handle);

int MPI_Info_create(MPI_Info *info)
{
    mpi_enter_any(__func__);
    *info = calloc(1, sizeof(struct info));
    CHECK_MEMORY(NULL, *info);
    return MPI_SUCCESS;
}

static const struct pair *pair_of(const struct info *i, const char *key)
{
    const struct pair *p = i->first;

    while (p != NULL && strcmp(p->key, key) != 0)
        p = p->next;
    return p;
}

static struct pair **link_of(struct info *i, const char *key)
{
    struct pair **link = &i->first;

    while (*link != NULL && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

static void drop(struct pair **link)
{
    struct pair *p = *link;

    *link = p->next;
    free(p->key);
    free(p->value);
    free(p);
}

/* @return NULL: no memory */
static struct pair *new_pair(const char *key, const char *value)
{
    struct pair *p = malloc(sizeof(*p));

    if (p == NULL)
        return NULL;
    *p = (struct pair){NULL, strdup(key), strdup(value)};
    if (p->key == NULL || p->value == NULL)
        drop(&p);
    return p;
}

int MPI_Info_free(MPI_Info *info)
{
    mpi_enter_any(__func__);
    INFO(i, *info);
    while (i->first != NULL)
        drop(&i->first);
    mpi_bury_object(&i->object, sizeof(*i));
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    struct pair *p;

    mpi_enter_any(__func__);
    INFO(i, info);
    CHECK(NULL, *key != '\0' && strlen(key) <= MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY,
          "the key has %zu characters, but must have 1 to %d", strlen(key), MPI_MAX_INFO_KEY);
    CHECK(NULL, strlen(value) <= MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE,
          "the value has %zu characters, but at most %d are possible", strlen(value),
          MPI_MAX_INFO_VAL);
    p = new_pair(key, value);
    CHECK_MEMORY(NULL, p);
    if (*link_of(i, key) != NULL)
        drop(link_of(i, key));
    *link_of(i, key) = p;
    return MPI_SUCCESS;
}

/* ---- what a rank was started with ---- */

/* A longer value is cut off. @return false: no memory */
static bool put(struct info *i, const char *key, const char *value)
{
    char text[MPI_MAX_INFO_VAL + 1];
    struct pair *p;

    snprintf(text, sizeof(text), "%s", value);
    p = new_pair(key, text);
    if (p != NULL)
        *link_of(i, key) = p;
    return p != NULL;
}

static int n_of_program(const struct rank *r)
{
    int n = 0;

    for (int i = 0; i < the_job->n_ranks; i++)
        n += the_job->hosts[i].job == r->host->job;
    return n;
}

static bool describe(struct info *i, const struct rank *r)
{
    const struct job *job = r->host->job;
    char words[MPI_MAX_INFO_VAL + 1] = "", n[16], host[MPI_MAX_PROCESSOR_NAME];
    struct utsname machine;
    size_t length = 0;

    snprintf(n, sizeof(n), "%d", n_of_program(r));
    host_node_name(host, sizeof(host));
    for (int k = 1; k < job->argc && length < sizeof(words); k++)
        length += (size_t)snprintf(words + length, sizeof(words) - length, "%s%s", k > 1 ? " " : "",
                                   job->argv[k]);
    return put(i, "command", job->argv[0]) && (job->argc < 2 || put(i, "argv", words)) &&
           put(i, "maxprocs", n) && put(i, "host", host) &&
           (uname(&machine) != 0 || put(i, "arch", machine.machine));
}

/* The infos of MPI_INFO_ENV, made when they are first asked for. NULL: no memory */
static const struct info *environment_of(struct rank *r)
{
    struct info *i = (struct info *)r->environment;

    if (i != NULL)
        return i;
    i = calloc(1, sizeof(*i));
    r->environment = (MPI_Info)i;
    if (i != NULL && !describe(i, r))
        mpi_drop_info(&r->environment);
    return (const struct info *)r->environment;
}

static const struct info *info_of(MPI_Info handle)
{
    return handle == MPI_INFO_ENV ? environment_of(mpi_this_rank()) : object_of(handle);
}

int MPI_Info_create_env(int argc, char **argv, MPI_Info *info)
{
    (void)argc, (void)argv;
    mpi_enter_any(__func__);
    return MPI_Info_dup(MPI_INFO_ENV, info);
}

int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag)
{
    const struct pair *p;

    ENTER_INFO(i, info);
    CHECK(NULL, length >= 0, MPI_ERR_ARG, "the length is %d, but must be at least 0", length);
    p = pair_of(i, key);
    *flag = p != NULL;
    if (p != NULL)
        snprintf(value, (size_t)length + 1, "%s", p->value);
    return MPI_SUCCESS;
}

/* *length: of value with its end; then what the whole value needs */
int MPI_Info_get_string(MPI_Info info, const char *key, int *length, char *value, int *flag)
{
    const struct pair *p;

    ENTER_INFO(i, info);
    p = pair_of(i, key);
    *flag = p != NULL;
    if (p == NULL)
        return MPI_SUCCESS;
    if (*length > 0)
        snprintf(value, (size_t)*length, "%s", p->value);
    *length = (int)strlen(p->value) + 1;
    return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int *n)
{
    ENTER_INFO(i, info);
    *n = 0;
    for (const struct pair *p = i->first; p != NULL; p = p->next)
        ++*n;
    return MPI_SUCCESS;
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    const struct pair *p;
    int left = n;

    ENTER_INFO(i, info);
    for (p = i->first; p != NULL && left > 0; p = p->next)
        left--;
    CHECK(NULL, n >= 0 && p != NULL, MPI_ERR_ARG, "the info has no key %d", n);
    snprintf(key, MPI_MAX_INFO_KEY, "%s", p->key);
    return MPI_SUCCESS;
}

int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag)
{
    const struct pair *p;

    ENTER_INFO(i, info);
    p = pair_of(i, key);
    *flag = p != NULL;
    if (p != NULL)
        *length = (int)strlen(p->value);
    return MPI_SUCCESS;
}

int MPI_Info_delete(MPI_Info info, const char *key)
{
    mpi_enter_any(__func__);
    INFO(i, info);
    CHECK(NULL, *link_of(i, key) != NULL, MPI_ERR_INFO_NOKEY, "the info has no key %s", key);
    drop(link_of(i, key));
    return MPI_SUCCESS;
}

int MPI_Info_dup(MPI_Info info, MPI_Info *out)
{
    int rc;

    ENTER_INFO(i, info);
    rc = MPI_Info_create(out);
    for (const struct pair *p = i->first; p != NULL && rc == MPI_SUCCESS; p = p->next)
        rc = MPI_Info_set(*out, p->key, p->value);
    return rc;
}

/* ---- of an object, which has a copy ---- */

int mpi_set_info(MPI_Info *kept, MPI_Info info)
{
    int rc = MPI_SUCCESS;

    if (info == MPI_INFO_NULL || info == NULL)
        return rc;
    if (*kept == NULL)
        return MPI_Info_dup(info, kept);
    ANY_INFO(i, info);
    for (const struct pair *p = i->first; p != NULL && rc == MPI_SUCCESS; p = p->next)
        rc = MPI_Info_set(*kept, p->key, p->value);
    return rc;
}

int mpi_get_info(MPI_Info kept, MPI_Info *info)
{
    return kept != NULL ? MPI_Info_dup(kept, info) : MPI_Info_create(info);
}

const char *mpi_info_value(MPI_Info kept, const char *key)
{
    const struct pair *p = kept != NULL ? pair_of((const struct info *)kept, key) : NULL;

    return p != NULL ? p->value : NULL;
}

void mpi_drop_info(MPI_Info *kept)
{
    struct info *i = (struct info *)*kept;

    if (i == NULL)
        return;
    while (i->first != NULL)
        drop(&i->first);
    mpi_bury_object(&i->object, sizeof(*i));
    *kept = NULL;
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    ENTER(c, comm);
    return mpi_set_info(&c->info, info);
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    ENTER(c, comm);
    return mpi_get_info(c->info, info);
}
